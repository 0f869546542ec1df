//! The best stationary strategy, to any gap. [Thm. 1]
//!
//! A node is a range of probabilities for every choice. It is bounded by the counting relaxation and, once it is narrow, by
//! the slope around its best mix; whichever is lower. Mixes are found by local search from the relaxation's average, rounded
//! to decimals and evaluated exactly. The box is divided at the state that contributes most to the excess of the bound, at a
//! point beside its best mix: the mix stays well inside one child, where the slope bound can close the gap.

use super::action_box::{ActionBox, GRID};
use super::branch_and_bound::{
    Class, Cutoff, Expanded, Goal, Incumbent, Node, Search, SearchOptions, search, search_of_mixtures,
};
use super::dominance::doubles_without_dominated;
use super::doubles::Doubles;
use super::exact::{greatest_welfare, least_welfare, relaxation, stationary_welfare};
use super::following::Followed;
use super::local::Local;
use super::notes::Notes;
use super::relaxation::{Relaxed, Relaxer};
use super::segments;
use super::slope::slope_bound;
use super::values::{evaluate, lexicographic_values};
use crate::model::{ChoiceId, Mdp, StateId};
use crate::number::{Rational, Value};
use crate::principals;
use crate::stop::{Pace, StopReason, StopSignal};
use crate::strategy::{Stationary, Strategy};
use std::sync::Arc;

/// The best stationary strategy of `model` from its start state, to the gap that `options` ask for; bounds if they stop the
/// search on the way.
///
/// Probabilities of the strategy are decimals. States that it never reaches take their long-term choice, computed in doubles.
pub fn stationary(model: &Mdp, options: &SearchOptions) -> Search {
    search_of_mixtures(model, segments::Kind::Stationary, options, |model, options| {
        if segments::is_in_segments(model) {
            segments::search_in(model, segments::Kind::Stationary, options)
        } else {
            stationary_in_pool(model, options)
        }
    })
}

fn stationary_in_pool(model: &Mdp, options: &SearchOptions) -> Result<Search, StopReason> {
    let ordered = principals::order_unless(model, &options.stop)?;
    let (doubles, whole) = doubles_without_dominated(&ordered, &options.stop)?;
    let everywhere: Vec<StateId> = doubles.states().collect();
    let (values, elsewhere) = lexicographic_values(&doubles, &whole, &everywhere, None, &options.stop);
    let reach = doubles.reachable(|_| true);
    let relaxer = Relaxer::new(&doubles, &options.stop);
    let class = Mixed { model, doubles: &doubles, relaxer, elsewhere, whole: whole.clone(), reach };
    // The relaxation first: it takes less time than fractions, and a stopped search has its bound.
    let relaxed = class.relaxer.relax(&whole, Some((&values, &class.elsewhere)));
    let long_term = class.incumbent(&class.elsewhere, &options.stop).unwrap_or_else(|| {
        let welfare = least_welfare(&ordered, &class.relaxer, &class.elsewhere, &values);
        let lower = doubles.scaled_below(&welfare);
        let strategy = Strategy::Stationary(class.rounded(&class.elsewhere));
        Incumbent { strategy, welfare, is_exact: false, lower, blur: class.blur(&class.elsewhere, lower) }
    });
    let found = class.first_found(&options.stop);
    let incumbent = found.into_iter().fold(long_term, |a, b| if b.welfare > a.welfare { b } else { a });
    let near = Some(Arc::new((relaxed.values, relaxed.mix)));
    // If all rewards are 0, the relaxation would report only its rounding errors.
    let bound = relaxed.bound.min(greatest_welfare(&ordered, &doubles, &whole));
    let root = Node { within: whole, bound, depth: 0, near };
    Ok(search(&class, root, incumbent, options))
}

#[derive(Clone)]
struct Mixed<'m> {
    model: &'m Mdp,
    doubles: &'m Doubles,
    relaxer: Relaxer<'m>,
    /// The mix of states that a strategy does not reach: one choice each.
    elsewhere: Vec<f64>,
    whole: ActionBox,
    /// The states that the whole box reaches.
    reach: Vec<StateId>,
}

/// Probabilities of a reported strategy are multiples of 1 over this.
const DECIMALS: u64 = 1_000_000_000;
/// Rounds of local search in a box.
const ROUNDS: usize = 20;
/// A mix is evaluated exactly if it seems better by this part of the gap.
const BETTER: f64 = 0.05;
/// And by this part of the welfare.
const NOTICEABLE: f64 = 1e-13;
/// Rounds of narrowing a box before it is divided.
const NARROWINGS: usize = 6;
/// States that are tried for a division.
const TRIED: usize = 4;

impl Class for Mixed<'_> {
    fn counted_by(mut self, stop: &StopSignal) -> Self {
        self.relaxer.stop = stop.clone();
        self
    }

    fn model(&self) -> &Doubles {
        self.doubles
    }

    fn expand(&self, mut node: Node, incumbent: &Incumbent, goal: &Goal) -> Expanded {
        let doubles = self.doubles;
        let mut expanded = Expanded::default();
        if goal.stop.reason().is_some() {
            expanded.children = vec![node];
            return expanded;
        }
        let cutoff = goal.cutoff(incumbent);
        let mut near = node.near.clone();
        let mut narrowings = 0..NARROWINGS;
        let (relaxed, followed) = loop {
            let at = near.as_ref().map(|near| (near.0.as_slice(), near.1.as_slice()));
            let relaxed = self.relaxer.relax(&node.within, at);
            node.bound = relaxed.bound.min(node.bound);
            if cutoff.drops(node.bound) {
                expanded.drop_at(node.bound);
                return expanded;
            }
            let followed = self.relaxer.follow(&node.within, &relaxed);
            if goal.stop.reason().is_some() {
                expanded.children = vec![node];
                return expanded;
            }
            if narrowings.next().is_none() || !self.narrow(&mut node, &relaxed, &followed, cutoff, &mut expanded) {
                break (relaxed, followed);
            }
            near = Some(Arc::new((relaxed.values, relaxed.mix)));
        };
        let mut bound = node.bound;
        let mut mix = self.elsewhere.clone();
        for &state in &relaxed.reach {
            let span = doubles.span(state);
            mix[span.clone()].copy_from_slice(&followed.average[span.clone()]);
            node.within.project(span, &mut mix);
        }
        let mut local = Local::new(doubles, &relaxed.reach, mix.clone(), &goal.stop);
        let mut welfare = None;
        if let Some(local) = &mut local {
            local.improve_stationary(&node.within, ROUNDS);
            mix.clone_from(&local.mix);
            welfare = Some(local.welfare());
        }
        let welfare = welfare.unwrap_or_else(|| {
            let mut values = relaxed.values.clone();
            evaluate(doubles, &relaxed.reach, &mix, &mut values, &mut Pace::of(&goal.stop));
            (0..doubles.n).map(|i| values[i * doubles.n_states + doubles.start.index()]).sum()
        });
        if welfare > incumbent.lower + BETTER * goal.enough(incumbent) + NOTICEABLE * incumbent.lower.abs() {
            // There may be better mixes outside the box.
            let mut freed = Local::new(doubles, &self.reach, mix.clone(), &goal.stop);
            let found = match &mut freed {
                Some(freed) => {
                    freed.improve_stationary(&self.whole, 10 * ROUNDS);
                    &freed.mix
                }
                None => &mix,
            };
            match self.incumbent(found, &goal.stop) {
                Some(found) => expanded.found = Some(found).filter(|found| found.welfare > incumbent.welfare),
                None => {
                    expanded.children = vec![node];
                    return expanded;
                }
            }
        }
        let best = expanded.found.as_ref().unwrap_or(incumbent);
        let cutoff = goal.cutoff(best);
        let target = cutoff.least.max(cutoff.enough);
        let slope = local.as_ref().and_then(|local| {
            let slope = slope_bound(doubles, &node.within, local, target, &goal.stop)?;
            Some((slope, local))
        });
        let by_slope = slope.as_ref().is_some_and(|(slope, _)| slope.bound < bound);
        bound = slope.as_ref().map_or(bound, |(slope, _)| slope.bound.min(bound));
        if cutoff.drops(bound) || goal.reached(best) {
            expanded.drop_at(bound);
            return expanded;
        }
        node.bound = bound;
        if let Some((slope, local)) = &slope {
            let (dropped, much) = slope.narrow(doubles, &mut node.within, local, cutoff);
            if let Some(bound) = dropped {
                expanded.dropped = Some(expanded.dropped.unwrap_or(f64::NEG_INFINITY).max(bound));
            }
            if much {
                // Everything is tighter in what is left.
                node.near = Some(Arc::new((relaxed.values, relaxed.mix)));
                expanded.children = vec![node];
                return expanded;
            }
        }
        // The terms of the slope may vanish in a state whose mixes widen the visits of others. So the relaxation picks every other
        // division.
        let of_slope = slope.as_ref().filter(|_| by_slope && node.depth.is_multiple_of(2));
        let opens = match of_slope {
            Some((slope, local)) => slope.opens(doubles, local),
            None => self.relaxer.losses(&node.within, &relaxed, &mix),
        };
        let mut states = relaxed.reach.clone();
        states.retain(|&state| node.within.width(doubles, state) > 8.0 * GRID);
        states.sort_by(|&a, &b| opens[b.index()].total_cmp(&opens[a.index()]).then(a.cmp(&b)));
        let near = Arc::new((relaxed.values, relaxed.mix));
        let divided = states.iter().take(TRIED).map(|&state| {
            let boxes = divide(doubles, &node.within, state, &mix);
            let child = |within: ActionBox| {
                let own = match of_slope {
                    Some((slope, local)) => slope.of_part(doubles, &within, local, state),
                    None => self.relaxer.relax(&within, Some((&near.0, &near.1))).bound,
                };
                Node { within, bound: own.min(bound), depth: node.depth + 1, near: Some(near.clone()) }
            };
            boxes.into_iter().map(child).collect::<Vec<Node>>()
        });
        let excess =
            |children: &Vec<Node>| children.iter().map(|child| (child.bound - best.lower).max(0.0)).sum::<f64>();
        match divided.min_by(|a, b| excess(a).total_cmp(&excess(b))) {
            Some(children) => {
                for child in children {
                    if cutoff.drops(child.bound) {
                        expanded.drop_at(child.bound)
                    } else {
                        expanded.children.push(child)
                    }
                }
            }
            // Too narrow to be divided.
            None => expanded.drop_at(bound),
        }
        expanded
    }

    fn relaxed_in_fractions(&self, within: &ActionBox, stop: &StopSignal) -> Option<Value> {
        relaxation(self.model, self.doubles, within, stop)
    }
}

/// The two parts of a box, cut at one choice of a state.
pub(super) fn divide(model: &Doubles, within: &ActionBox, state: StateId, mix: &[f64]) -> Vec<ActionBox> {
    let width = |choice: ChoiceId| within.upper[choice.index()] - within.lower[choice.index()];
    let choice = model.choices(state).max_by(|&a, &b| width(a).total_cmp(&width(b)).then(b.cmp(&a)));
    let choice = choice.expect("a state has a choice");
    let (lower, width) = (within.lower[choice.index()], width(choice));
    // The best mix is to lie well inside one of the parts: cut halfway between it and the farther end.
    let place = ((mix[choice.index()] - lower) / width).clamp(0.0, 1.0);
    let cut = if place >= 0.5 { (place / 2.0).max(0.3) } else { (0.5 + place / 2.0).min(0.7) };
    let cut = ((lower + cut * width) / GRID).round() * GRID;
    let mut below = within.clone();
    below.upper[choice.index()] = cut;
    let mut above = within.clone();
    above.lower[choice.index()] = cut;
    [below, above].into_iter().filter_map(|mut part| part.tighten(model, state).then_some(part)).collect()
}

impl Mixed<'_> {
    /// Lowers the greatest probabilities of choices with regret in the relaxation, if the part of the box with larger probabilities
    /// is below the cutoff. Returns whether the box became narrower.
    fn narrow(
        &self,
        node: &mut Node,
        relaxed: &Relaxed,
        followed: &Followed,
        cutoff: Cutoff,
        expanded: &mut Expanded,
    ) -> bool {
        /// A factor above the regret's estimate, since taking a choice also changes the later steps.
        const MORE: f64 = 1.25;
        /// A range is only narrowed if at most this part of it is left.
        const WORTHWHILE: f64 = 0.8;
        let doubles = self.doubles;
        let excess = relaxed.bound - cutoff.least.max(cutoff.enough);
        let (mut notes, mut pace) = (Notes::new(doubles), Pace::of(&self.relaxer.stop));
        let mut narrowed = false;
        for &state in &relaxed.reach {
            for choice in doubles.choices(state) {
                let width = node.within.upper[choice.index()] - node.within.lower[choice.index()];
                let share = MORE * excess / followed.regret[choice.index()];
                if width <= 8.0 * GRID || share.is_nan() || share >= WORTHWHILE * width {
                    continue;
                }
                let cut = ((node.within.lower[choice.index()] + share) / GRID).ceil() * GRID;
                // The box is copied for every probe.
                if pace.stops_after(doubles.n_choices) {
                    return narrowed;
                }
                let mut part = node.within.clone();
                part.lower[choice.index()] = cut;
                if !part.tighten(doubles, state) {
                    continue;
                }
                let bound = self.relaxer.probe(&part, relaxed, state, &mut notes, &mut pace);
                if cutoff.drops(bound) {
                    expanded.drop_at(bound);
                    node.within.upper[choice.index()] = cut;
                    assert!(node.within.tighten(doubles, state), "the rest of the box is not empty");
                    narrowed = true;
                }
            }
        }
        narrowed
    }

    /// The results of local search from the long-term strategy: a positional strategy, and the mix that it improves to.
    fn first_found(&self, stop: &StopSignal) -> Vec<Incumbent> {
        let Some(mut local) = Local::new(self.doubles, &self.reach, self.elsewhere.clone(), stop) else {
            return Vec::new();
        };
        local.improve_positional(&self.whole);
        let positional = self.incumbent(&local.mix, stop);
        local.improve_stationary(&self.whole, 10 * ROUNDS);
        positional.into_iter().chain(self.incumbent(&local.mix, stop)).collect()
    }

    /// The mix, rounded, with its exact welfare.
    fn incumbent(&self, mix: &[f64], stop: &StopSignal) -> Option<Incumbent> {
        let strategy = self.rounded(mix);
        let parts: Vec<_> = self.model.states().map(|state| strategy.mix(state).to_vec()).collect();
        let welfare = stationary_welfare(self.model, self.doubles, &parts, stop)?;
        let lower = self.doubles.scaled_below(&welfare);
        let blur = self.blur(mix, lower);
        Some(Incumbent { strategy: Strategy::Stationary(strategy), welfare, is_exact: true, lower, blur })
    }

    /// By how much the bound of a box that holds about this mix alone exceeds what the mix earns.
    fn blur(&self, mix: &[f64], lower: f64) -> f64 {
        let point = ActionBox::around(self.doubles, mix);
        let bound = self.relaxer.relax(&point, None).bound;
        // Stopped, the bound is wider than it need be.
        if self.relaxer.stop.reason().is_some() { 0.0 } else { (bound - lower).max(0.0) }
    }

    fn rounded(&self, mix: &[f64]) -> Stationary {
        rounded(self.model, self.doubles, mix)
    }
}

/// The mix with probabilities that are multiples of 1/[`DECIMALS`] and sum to exactly 1.
pub(super) fn rounded(model: &Mdp, doubles: &Doubles, mix: &[f64]) -> Stationary {
    let of_state = |state: StateId| {
        let mut shares: Vec<u64> =
            mix[doubles.span(state)].iter().map(|p| (p.clamp(0.0, 1.0) * DECIMALS as f64).round() as u64).collect();
        let largest = (0..shares.len()).max_by_key(|&position| (shares[position], usize::MAX - position));
        let largest = largest.expect("a state has a choice");
        let others: u64 = shares.iter().sum::<u64>() - shares[largest];
        shares[largest] = DECIMALS - others.min(DECIMALS - 1);
        let positive = doubles.choices(state).zip(shares).filter(|(_, share)| *share > 0);
        let fraction = |share: u64| Rational::from(share) / Rational::from(DECIMALS);
        positive.map(|(choice, share)| (choice, fraction(share))).collect()
    };
    Stationary::new(model, doubles.states().map(of_state).collect())
}
