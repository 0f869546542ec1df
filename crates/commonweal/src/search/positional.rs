//! The best positional strategy, exactly. [Thm. 1]
//!
//! A node is a set of allowed choices per state. It is bounded by the counting relaxation, improved by rounding and local
//! search, and divided at the state where one choice for ever costs the relaxation most: one child for each choice. Before
//! that, the states in question are probed: a choice whose own relaxation is below the incumbent is removed from the box
//! (reduced-cost fixing). In doubles a box is dropped only if it is proven to be worse. If doubles cannot separate a relaxation
//! from the incumbent, it is solved exactly. Strategies are evaluated exactly.

use super::action_box::ActionBox;
use super::branch_and_bound::{
    Class, Cutoff, Expanded, Goal, Incumbent, Node, Search, SearchOptions, search, search_of_mixtures,
};
use super::dominance::doubles_without_dominated;
use super::doubles::Doubles;
use super::exact::{
    compare_relaxation, earns_at_most, greatest_welfare, least_welfare, positional_welfare, relaxation,
};
use super::following::Followed;
use super::local::Local;
use super::notes::Notes;
use super::relaxation::{Relaxed, Relaxer};
use super::segments;
use super::values::{evaluate, lexicographic_values};
use crate::model::{ChoiceId, Mdp, StateId};
use crate::number::Value;
use crate::principals::{self, OrderedModel};
use crate::stop::{Pace, StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Strategy};
use std::cmp::Ordering;
use std::sync::Arc;

/// The best positional strategy of `model` from its start state; bounds if `options` stop the search on the way.
///
/// States that the strategy never reaches take their long-term choice, computed in doubles.
pub fn positional(model: &Mdp, options: &SearchOptions) -> Search {
    search_of_mixtures(model, segments::Kind::Positional, options, |model, options| {
        if segments::is_in_segments(model) {
            segments::search_in(model, segments::Kind::Positional, options)
        } else {
            positional_in_pool(model, options)
        }
    })
}

fn positional_in_pool(model: &Mdp, options: &SearchOptions) -> Result<Search, StopReason> {
    let ordered = principals::order_unless(model, &options.stop)?;
    let (doubles, whole) = doubles_without_dominated(&ordered, &options.stop)?;
    let relaxer = Relaxer::new(&doubles, &options.stop);
    let everywhere: Vec<StateId> = doubles.states().collect();
    let (values, elsewhere) = lexicographic_values(&doubles, &whole, &everywhere, None, &options.stop);
    let class = Positional { model, doubles: &doubles, relaxer, elsewhere };
    // The relaxation first: it takes less time than fractions, and a stopped search has its bound.
    let relaxed = class.relaxer.relax(&whole, Some((&values, &class.elsewhere)));
    // The long-term strategy is a strategy of the class: the first incumbent.
    let evaluated = class.incumbent(&class.elsewhere, &options.stop);
    let incumbent = evaluated.unwrap_or_else(|| class.unevaluated(&ordered, &values));
    let near = Some(Arc::new((relaxed.values, relaxed.mix)));
    let bound = relaxed.bound.min(greatest_welfare(&ordered, &doubles, &whole));
    let root = Node { within: whole, bound, depth: 0, near };
    Ok(search(&class, root, incumbent, options))
}

#[derive(Clone)]
struct Positional<'m> {
    model: &'m Mdp,
    doubles: &'m Doubles,
    relaxer: Relaxer<'m>,
    /// The mix of states that a strategy does not reach: one choice each.
    elsewhere: Vec<f64>,
}

/// A child of a node.
struct Probe {
    choice: ChoiceId,
    bound: f64,
}

/// States that are tried for a division.
const TRIED: usize = 10;
/// States whose choices are probed at one node.
const PROBED: usize = 200;
/// Local search at every node is for boxes that reach at most this many states; at the first node it is always tried.
const SMALL: usize = 100;
/// The approximate work limit of relaxations that are tried for a division.
const WORK: usize = 20_000;
/// A strategy is evaluated exactly if it seems better by this part.
const BETTER: f64 = 1e-13;

impl Class for Positional<'_> {
    fn counted_by(mut self, stop: &StopSignal) -> Self {
        self.relaxer.stop = stop.clone();
        self
    }

    fn model(&self) -> &Doubles {
        self.doubles
    }

    fn expand(&self, node: Node, incumbent: &Incumbent, goal: &Goal) -> Expanded {
        let mut expanded = Expanded::default();
        let mut within = node.within.clone();
        let mut near = node.near.clone();
        // Every round removes a choice, so there are at most as many rounds as choices.
        for round in 0.. {
            // Stopped: the box stays open.
            if goal.stop.reason().is_some() {
                expanded.children = vec![Node { within, ..node }];
                return expanded;
            }
            let at = near.as_ref().map(|near| (near.0.as_slice(), near.1.as_slice()));
            let relaxed = self.relaxer.relax(&within, at);
            let bound = relaxed.bound.min(node.bound);
            let best = expanded.found.as_ref().unwrap_or(incumbent);
            if goal.cutoff(best).drops(bound) {
                expanded.drop_at(bound);
                return expanded;
            }
            let followed = self.relaxer.follow(&within, &relaxed);
            if goal.stop.reason().is_some() {
                expanded.children = vec![Node { within, bound, ..node }];
                return expanded;
            }
            let reached = relaxed.reach.iter().copied();
            let open: Vec<StateId> = reached.filter(|&state| within.n_allowed(self.doubles, state) > 1).collect();
            let is_leaf = open.is_empty();
            let thorough = round == 0 && (node.depth == 0 || relaxed.reach.len() <= SMALL);
            let candidate = self.candidate(&within, &relaxed, &followed, thorough);
            match self.consider(candidate, best, is_leaf, &goal.stop) {
                Ok(Some(found)) => expanded.found = Some(found),
                Ok(None) => {}
                Err(Stopped) => {
                    expanded.children = vec![Node { within, bound, ..node }];
                    return expanded;
                }
            }
            let best = expanded.found.as_ref().unwrap_or(incumbent);
            // A leaf holds one strategy, and that has been considered.
            if is_leaf || goal.reached(best) {
                if !is_leaf {
                    expanded.drop_at(bound);
                }
                return expanded;
            }
            if goal.cutoff(best).drops(bound) {
                expanded.drop_at(bound);
                return expanded;
            }
            if self.is_no_better(&within, &relaxed, best, goal, node.depth == 0 && round == 0) {
                if goal.threshold.is_some() {
                    expanded.drop_at(bound);
                    expanded.refuted = true;
                }
                return expanded;
            }
            let near_now = Arc::new((relaxed.values.clone(), relaxed.mix.clone()));
            let cutoff = goal.cutoff(best);
            let (state, probes) = match self.probe(&mut within, &relaxed, &followed, &open, cutoff, &mut expanded) {
                Probed::Nothing => return expanded,
                Probed::Narrowed => {
                    near = Some(near_now);
                    continue;
                }
                Probed::Divide(state, probes) => (state, probes),
            };
            let child = |probe: &Probe| Node {
                within: within.fixed(self.doubles, state, probe.choice),
                bound: probe.bound.min(bound),
                depth: node.depth + 1,
                near: Some(near_now.clone()),
            };
            expanded.children = probes.iter().map(child).collect();
            return expanded;
        }
        unreachable!("the last round divides the box, or drops it");
    }

    fn relaxed_in_fractions(&self, within: &ActionBox, stop: &StopSignal) -> Option<Value> {
        relaxation(self.model, self.doubles, within, stop)
    }
}

/// The result of probing a box.
enum Probed {
    /// The whole box is below the incumbent.
    Nothing,
    /// Some choices were removed.
    Narrowed,
    /// It is to be divided at this state, into these choices.
    Divide(StateId, Vec<Probe>),
}

struct Stopped;

impl Positional<'_> {
    /// One choice per state: the one of least regret in the relaxation, then improved by moves of single states.
    fn candidate(&self, within: &ActionBox, relaxed: &Relaxed, followed: &Followed, thorough: bool) -> (Vec<f64>, f64) {
        let doubles = self.doubles;
        let mut mix = self.elsewhere.clone();
        for &state in &relaxed.reach {
            let allowed = doubles.choices(state).filter(|&choice| within.allows(choice));
            let preference = |choice: &ChoiceId| {
                if followed.visits[state.index()] > 0.0 {
                    followed.regret[choice.index()]
                } else {
                    -relaxed.mix[choice.index()]
                }
            };
            let least = allowed.min_by(|a, b| preference(a).total_cmp(&preference(b)));
            let least = least.expect("a box allows a choice in every state");
            mix[doubles.span(state)].fill(0.0);
            mix[least.index()] = 1.0;
        }
        let local = if thorough { Local::new(doubles, &relaxed.reach, mix.clone(), &self.relaxer.stop) } else { None };
        match local {
            Some(mut local) => {
                local.improve_positional(within);
                let welfare = local.welfare();
                (local.mix, welfare)
            }
            None => {
                let mut values = relaxed.values.clone();
                evaluate(doubles, &relaxed.reach, &mix, &mut values, &mut Pace::of(&self.relaxer.stop));
                let welfare = (0..doubles.n).map(|i| values[i * doubles.n_states + doubles.start.index()]).sum();
                (mix, welfare)
            }
        }
    }

    /// The candidate with its exact welfare, if that is more than the best so far.
    fn consider(
        &self,
        (mix, welfare): (Vec<f64>, f64),
        best: &Incumbent,
        always: bool,
        stop: &StopSignal,
    ) -> Result<Option<Incumbent>, Stopped> {
        if !always && welfare <= best.lower + BETTER * best.lower.abs() {
            return Ok(None);
        }
        let found = self.incumbent(&mix, stop).ok_or(Stopped)?;
        Ok((found.welfare > best.welfare).then_some(found))
    }

    /// The strategy that takes in each state the choice of positive probability, with its exact welfare.
    fn incumbent(&self, mix: &[f64], stop: &StopSignal) -> Option<Incumbent> {
        let chosen = self.chosen(mix);
        let welfare = positional_welfare(self.model, self.doubles, &chosen, stop)?;
        let lower = self.doubles.scaled_below(&welfare);
        let strategy = Strategy::Counting(CountingStrategy::positional(chosen));
        Some(Incumbent { strategy, welfare, is_exact: true, lower, blur: 0.0 })
    }

    /// The long-term strategy with a lower bound on its welfare, from about its values.
    fn unevaluated(&self, ordered: &OrderedModel, values: &[f64]) -> Incumbent {
        let chosen = self.chosen(&self.elsewhere);
        let welfare = least_welfare(ordered, &self.relaxer, &self.elsewhere, values);
        let lower = self.doubles.scaled_below(&welfare);
        Incumbent {
            strategy: Strategy::Counting(CountingStrategy::positional(chosen)),
            welfare,
            is_exact: false,
            lower,
            blur: 0.0,
        }
    }

    /// The choice of positive probability in each state.
    fn chosen(&self, mix: &[f64]) -> Vec<ChoiceId> {
        self.doubles
            .states()
            .map(|state| self.doubles.choices(state).find(|&choice| mix[choice.index()] > 0.0))
            .map(|choice| choice.expect("a mix takes a choice in every state"))
            .collect()
    }

    /// Whether the box is proven exactly to contain nothing better.
    ///
    /// With a threshold, boxes that may meet it tie with it: only the first one is compared exactly.
    fn is_no_better(&self, within: &ActionBox, relaxed: &Relaxed, best: &Incumbent, goal: &Goal, first: bool) -> bool {
        let near = |number: f64| relaxed.bound - relaxed.slack <= number + relaxed.slack;
        match &goal.threshold {
            Some(threshold) => {
                let compare = || compare_relaxation(self.model, self.doubles, within, threshold, &goal.stop);
                first && near(self.doubles.scaled(threshold)) && compare() == Some(Ordering::Less)
            }
            None => near(best.lower) && earns_at_most(self.model, self.doubles, within, &best.welfare, &goal.stop),
        }
    }

    /// Probes each choice of the states in which the relaxation takes different choices at different steps, and removes those below
    /// the incumbent. If there are none, bounds the choices of the states with the greatest loss to find the state to divide at.
    ///
    /// The box is empty if all choices of a state are below the incumbent.
    fn probe(
        &self,
        within: &mut ActionBox,
        relaxed: &Relaxed,
        followed: &Followed,
        open: &[StateId],
        cutoff: Cutoff,
        expanded: &mut Expanded,
    ) -> Probed {
        let doubles = self.doubles;
        let loss = |state: StateId| {
            let allowed = doubles.choices(state).filter(|&choice| within.allows(choice));
            allowed.map(|choice| followed.regret[choice.index()]).fold(f64::INFINITY, f64::min)
        };
        let mut states: Vec<(f64, f64, StateId)> =
            open.iter().map(|&state| (loss(state), followed.visits[state.index()], state)).collect();
        states.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        // States without loss are not probed, but one must be divided if there are no others.
        let undecided = states.iter().take_while(|(loss, ..)| *loss > 0.0).count();
        states.truncate(undecided.clamp(1, PROBED));
        let (mut notes, mut pace) = (Notes::new(doubles), Pace::of(&self.relaxer.stop));
        let bounds: Vec<(ChoiceId, f64)> = states
            .iter()
            .flat_map(|&(.., state)| doubles.choices(state).filter(|&choice| within.allows(choice)))
            .map(|choice| {
                let state = doubles.state_of(choice);
                let fixed = within.fixed(doubles, state, choice);
                (choice, self.relaxer.probe(&fixed, relaxed, state, &mut notes, &mut pace))
            })
            .collect();
        let below = bounds.iter().filter(|(_, bound)| cutoff.drops(*bound)).map(|(choice, bound)| (*choice, *bound));
        if self.remove(within, below, expanded) {
            let emptied = states.iter().any(|(.., state)| within.n_allowed(doubles, *state) == 0);
            return if emptied { Probed::Nothing } else { Probed::Narrowed };
        }
        let affordable = (WORK / (relaxed.reach.len() * doubles.longest_sum)).clamp(1, TRIED);
        let mut removed = false;
        let mut best: Option<(f64, StateId, Vec<Probe>)> = None;
        for &(.., state) in states.iter().take(affordable) {
            let of_choice = |choice: ChoiceId| {
                let fixed = within.fixed(doubles, state, choice);
                let bound = self.relaxer.relax(&fixed, Some(relaxed.near())).bound;
                let probed = bounds.iter().find(|(other, _)| *other == choice).map_or(bound, |(_, probed)| *probed);
                Probe { choice, bound: bound.min(probed) }
            };
            let probes = doubles.choices(state).filter(|&choice| within.allows(choice)).map(of_choice);
            let (below, probes): (Vec<Probe>, Vec<Probe>) = probes.partition(|probe| cutoff.drops(probe.bound));
            removed |= self.remove(within, below.iter().map(|probe| (probe.choice, probe.bound)), expanded);
            if probes.is_empty() {
                return Probed::Nothing;
            }
            let worst = probes.iter().map(|probe| probe.bound).fold(f64::NEG_INFINITY, f64::max);
            if best.as_ref().is_none_or(|(least, ..)| worst < *least) {
                best = Some((worst, state, probes));
            }
        }
        let (_, state, probes) = best.expect("some state was tried");
        if removed { Probed::Narrowed } else { Probed::Divide(state, probes) }
    }

    /// Removes choices from a box. Whether there were any.
    fn remove(
        &self,
        within: &mut ActionBox,
        below: impl Iterator<Item = (ChoiceId, f64)>,
        expanded: &mut Expanded,
    ) -> bool {
        let mut removed = false;
        for (choice, bound) in below {
            expanded.drop_at(bound);
            within.upper[choice.index()] = 0.0;
            removed = true;
        }
        removed
    }
}

impl Expanded {
    pub(super) fn drop_at(&mut self, bound: f64) {
        self.dropped = Some(self.dropped.unwrap_or(f64::NEG_INFINITY).max(bound));
    }
}
