//! Best simple strategies where time preferences have segments.
//!
//! The relaxation is the same, a mix that may vary with time but stays inside the box. There is no telescoping, because every
//! step has its own weights:
//!
//! ```text
//! U_j(s) = max_{p ∈ box(s)} Σ_a p_a ( Σ_q w_q d_q(j) R_q(s,a) + Σ_t P(t|s,a) U_{j+1}(t) ),      U_T = what T and later can be worth at most
//! ```
//!
//! Candidates are the average mixes of the relaxation over its steps; boxes are divided at states in which it takes different
//! choices at different steps. There are no probes and no slope bounds: this search is for models of a few states.

use super::action_box::{ActionBox, GRID};
use super::branch_and_bound::{Class, Expanded, Goal, Incumbent, Node, Search, SearchOptions, search};
use super::doubles::Doubles;
use super::exact::{earns_at_most, positional_welfare, relaxation, stationary_welfare};
use super::stationary::{divide, rounded};
use crate::exact::any_payoffs;
use crate::exponential_sum::{step_weights, weights_from};
use crate::model::{ChoiceId, Mdp, StateId};
use crate::number::{Enclosure, Rational, RoundingBudget, UpperBound, Value, sum_down, sum_up};
use crate::principals;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Strategy};
use std::sync::Arc;

/// Whether the time preference of some principal has several segments.
pub(super) fn is_in_segments(model: &Mdp) -> bool {
    model.principals().iter().any(|principal| principal.parts().is_none())
}

/// Which strategies are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Positional,
    Stationary,
}

impl Kind {
    /// The gap of a search for which none is asked.
    pub fn default_gap(self) -> Rational {
        match self {
            Kind::Positional => Rational::ZERO,
            // The best mix is irrational in general.
            Kind::Stationary => Rational::from_quotient(1, 100_000_000u64),
        }
    }
}

/// The best strategy of a class of a model in segments.
pub(super) fn search_in(model: &Mdp, kind: Kind, options: &SearchOptions) -> Result<Search, StopReason> {
    let ordered = principals::by_principal(model, &options.stop)?;
    let doubles = Doubles::of(&ordered, &options.stop)?;
    let class = Timed::of(model, &doubles, kind, &options.stop);
    let whole = ActionBox::whole(&doubles);
    let relaxed = class.relax(&whole);
    let incumbent = class.incumbent(&relaxed.mix, &options.stop).unwrap_or_else(|| class.unevaluated());
    let root = Node { within: whole, bound: relaxed.bound, depth: 0, near: None };
    Ok(search(&class, root, incumbent, options))
}

/// The strategies of a class, with the weights of every step.
#[derive(Clone)]
struct Timed<'m> {
    model: &'m Mdp,
    doubles: &'m Doubles,
    kind: Kind,
    /// Per step and principal, the principal's weight times that of the step.
    weights: Arc<[Vec<f64>]>,
    /// The sum of the errors of these weights, times the greatest reward of each principal.
    off: f64,
    /// An upper bound on the magnitude of the value of the later steps.
    rest: f64,
    /// Counts the work.
    stop: StopSignal,
}

/// The relaxation of one box, in the units of [`Doubles`].
struct Relaxed {
    /// No strategy inside the box earns more.
    bound: f64,
    /// An upper bound on the difference between the bound and the computed number, and between it and the true one.
    doubt: f64,
    /// The average probability of each choice over the steps, weighted by their weights.
    mix: Vec<f64>,
    /// The average deviation of single steps from it.
    spread: Vec<f64>,
    /// The states that the box reaches.
    reach: Vec<StateId>,
}

/// Later steps with less than this part of the total weight are ignored.
const NEGLIGIBLE: f64 = 1e-13;
/// What a product of the recursion takes, in about nanoseconds, with the sorting of choices and the averages.
const LOOK: u64 = 8;
/// The work of one relaxation, in transitions.
const WORK: usize = 20_000_000;
/// If preferences change after more steps than this, strategies are evaluated in doubles: fractions would be too long.
const EXACT_STEPS: u64 = 5_000;

impl<'m> Timed<'m> {
    fn of(model: &'m Mdp, doubles: &'m Doubles, kind: Kind, stop: &StopSignal) -> Timed<'m> {
        let size = |weight: Enclosure| UpperBound::of(weight.lower()).max(UpperBound::of(weight.upper()));
        let met = doubles.met(|_| true);
        let greatest =
            |p: usize| UpperBound::of(met.iter().map(|&choice| doubles.rewards(choice)[p].abs()).fold(0.0, f64::max));
        let rest = |step: u64| {
            let of_principal = |p: usize| {
                let own = &model.principals()[p];
                let weights = weights_from(own, step).map(size).sum::<UpperBound>();
                weights * size(Enclosure::from(&own.weight)) * greatest(p)
            };
            (0..doubles.n).map(of_principal).sum::<UpperBound>().get()
        };
        let most = (WORK / (model.n_transitions() + doubles.n * doubles.n_choices)).max(1) as u64;
        let (all, mut n_steps) = (rest(0), 1);
        while n_steps < most && rest(n_steps) > NEGLIGIBLE * all {
            n_steps *= 2;
        }
        let n_steps = n_steps.min(most);
        let own: Vec<Vec<Enclosure>> = (model.principals().iter())
            .map(|own| {
                let weight = Enclosure::from(&own.weight);
                step_weights(own, n_steps).into_iter().map(|counts| counts.times(weight)).collect()
            })
            .collect();
        let widths =
            |p: usize| own[p].iter().map(|weight| UpperBound::of(weight.width())).sum::<UpperBound>() * greatest(p);
        Timed {
            model,
            doubles,
            kind,
            weights: (0..n_steps as usize).map(|j| own.iter().map(|weights| weights[j].midpoint()).collect()).collect(),
            off: (0..doubles.n).map(widths).sum::<UpperBound>().get(),
            rest: rest(n_steps),
            stop: stop.clone(),
        }
    }

    fn relax(&self, within: &ActionBox) -> Relaxed {
        let doubles = self.doubles;
        let reach = doubles.reachable(|choice| within.allows(choice));
        let n_terms: usize = reach.iter().map(|&state| doubles.n_terms(state)).sum();
        self.stop.spend(LOOK * (self.weights.len() * (n_terms + doubles.n_choices)) as u64);
        let mut budget = RoundingBudget::default();
        budget.allow(self.off);
        budget.allow(self.rest);
        let mut values = vec![0.0; doubles.n_states];
        let mut next = values.clone();
        let (mut mix, mut now) = (vec![0.0; doubles.n_choices], vec![0.0; doubles.n_choices]);
        let mut spread = vec![0.0; doubles.n_choices];
        let mut counted = 0.0;
        let mut worths = Vec::new();
        for weights in self.weights.iter().rev() {
            let importance: f64 = weights.iter().map(|weight| weight.abs()).sum();
            let mut largest = 0.0f64;
            for &state in &reach {
                let (choices, span) = (doubles.choices(state), doubles.span(state));
                worths.clear();
                for choice in choices.clone() {
                    let paid = doubles.rewards(choice).iter().zip(weights).map(|(reward, weight)| reward * weight);
                    let (paid, size) = paid.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + f64::abs(x)));
                    largest = largest.max(size);
                    worths.push(paid + doubles.expected(choice, &values));
                }
                next[state.index()] = within.best(span.clone(), &worths);
                let mut order: Vec<ChoiceId> = choices.clone().filter(|&choice| within.allows(choice)).collect();
                order.sort_by(|&a, &b| worths[b.index() - span.start].total_cmp(&worths[a.index() - span.start]));
                within.fill(span, &order, &mut now);
            }
            let size = values.iter().fold(largest, |size, value| size.max(value.abs()));
            budget.allow_sum(2 * doubles.longest_sum + doubles.n + 4, 4.0 * (largest + size));
            std::mem::swap(&mut values, &mut next);
            // A running mean, and how far single steps are from it.
            counted += importance;
            if counted > 0.0 {
                for choice in doubles.all_choices() {
                    let difference = now[choice.index()] - mix[choice.index()];
                    mix[choice.index()] += difference * importance / counted;
                    spread[choice.index()] += (difference.abs() - spread[choice.index()]) * importance / counted;
                }
            }
        }
        for state in doubles.states() {
            within.project(doubles.span(state), &mut mix);
        }
        let doubt = sum_up(budget.total(), budget.total());
        Relaxed { bound: budget.above(values[doubles.start.index()]), doubt, mix, spread, reach }
    }

    /// The strategy of the class for a mix, evaluated.
    fn incumbent(&self, mix: &[f64], stop: &StopSignal) -> Option<Incumbent> {
        let (model, doubles) = (self.model, self.doubles);
        let chosen = || -> Vec<ChoiceId> {
            let most = |state: StateId| {
                let choices = doubles.choices(state);
                choices
                    .max_by(|&a, &b| mix[a.index()].total_cmp(&mix[b.index()]).then(b.cmp(&a)))
                    .expect("a state has a choice")
            };
            doubles.states().map(most).collect()
        };
        let last = model.principals().iter().map(|principal| principal.last().from).max().unwrap_or(0);
        let (strategy, welfare) = match self.kind {
            Kind::Positional => {
                let chosen = chosen();
                let welfare = (last <= EXACT_STEPS).then(|| positional_welfare(model, doubles, &chosen, stop));
                (Strategy::Counting(CountingStrategy::positional(chosen)), welfare)
            }
            Kind::Stationary => {
                let strategy = rounded(model, doubles, mix);
                let parts: Vec<_> = model.states().map(|state| strategy.mix(state).to_vec()).collect();
                let welfare = (last <= EXACT_STEPS).then(|| stationary_welfare(model, doubles, &parts, stop));
                (Strategy::Stationary(strategy), welfare)
            }
        };
        let (welfare, is_exact) = match welfare {
            Some(exact) => (exact?, true),
            None => (self.at_least(&strategy)?, false),
        };
        let lower = doubles.scaled_below(&welfare);
        Some(Incumbent { lower, strategy, welfare, is_exact, blur: 0.0 })
    }

    /// By how much the bound of a box that holds about this mix alone exceeds what the mix earns.
    fn blur(&self, mix: &[f64], lower: f64) -> f64 {
        match self.kind {
            Kind::Positional => 0.0,
            Kind::Stationary => (self.relax(&ActionBox::around(self.doubles, mix)).bound - lower).max(0.0),
        }
    }

    /// A lower bound on the welfare of a strategy of the class, by its own box.
    fn at_least(&self, strategy: &Strategy) -> Option<Rational> {
        let mut shares = vec![0.0; self.doubles.n_choices];
        for state in self.model.states() {
            match strategy {
                Strategy::Counting(counting) => shares[counting.tail(state).index()] = 1.0,
                Strategy::Stationary(mixed) => {
                    mixed.mix(state).iter().for_each(|(choice, share)| shares[choice.index()] = share.to_f64());
                }
                Strategy::Lottery(_) => return None,
            }
        }
        // Probabilities that are not doubles give a slightly different box: then there is no bound.
        let is_exact = shares.iter().all(|share| *share == 0.0 || *share == 1.0);
        let point = self.relax(&ActionBox { lower: shares.clone(), upper: shares });
        let lower = Rational::try_from(sum_down(point.bound, -point.doubt)).ok().filter(|_| is_exact)?;
        Some(lower * self.doubles.unit())
    }

    /// The first choice of every state, with the bounds that hold for any strategy.
    fn unevaluated(&self) -> Incumbent {
        let first = self.doubles.states().map(|state| ChoiceId::from(self.doubles.span(state).start));
        let lower = any_payoffs(self.model).welfare_enclosure(self.model.start()).lower();
        let welfare = Rational::try_from(lower).unwrap_or(Rational::ZERO);
        let lower = self.doubles.scaled_below(&welfare);
        Incumbent {
            strategy: Strategy::Counting(CountingStrategy::positional(first)),
            welfare,
            is_exact: false,
            lower,
            blur: 0.0,
        }
    }

    /// The state whose choices vary most over the steps, of those that can be divided.
    fn disagreement(&self, within: &ActionBox, relaxed: &Relaxed) -> Option<StateId> {
        let least = if self.kind == Kind::Positional { 0.5 } else { 8.0 * GRID };
        let can_divide = |state: &StateId| {
            within.width(self.doubles, *state) > least
                && match self.kind {
                    Kind::Positional => within.n_allowed(self.doubles, *state) > 1,
                    Kind::Stationary => true,
                }
        };
        let spread =
            |state: StateId| self.doubles.choices(state).map(|choice| relaxed.spread[choice.index()]).sum::<f64>();
        let open = relaxed.reach.iter().copied().filter(can_divide);
        open.max_by(|&a, &b| spread(a).total_cmp(&spread(b)).then(b.cmp(&a)))
    }
}

impl Class for Timed<'_> {
    fn counted_by(self, stop: &StopSignal) -> Self {
        Timed { stop: stop.clone(), ..self }
    }

    fn model(&self) -> &Doubles {
        self.doubles
    }

    fn expand(&self, node: Node, incumbent: &Incumbent, goal: &Goal) -> Expanded {
        let mut expanded = Expanded::default();
        if goal.stop.reason().is_some() {
            expanded.children = vec![node];
            return expanded;
        }
        let relaxed = self.relax(&node.within);
        let bound = relaxed.bound.min(node.bound);
        if goal.cutoff(incumbent).drops(bound) {
            expanded.drop_at(bound);
            return expanded;
        }
        let Some(found) = self.incumbent(&relaxed.mix, &goal.stop) else {
            // Stopped: the box stays open.
            expanded.children = vec![node];
            return expanded;
        };
        let best = if found.welfare > incumbent.welfare {
            Incumbent { blur: self.blur(&relaxed.mix, found.lower), ..found }
        } else {
            incumbent.clone()
        };
        let divided = self.disagreement(&node.within, &relaxed);
        let is_leaf = divided.is_none() && self.kind == Kind::Positional;
        let near = bound - relaxed.doubt <= best.lower;
        if is_leaf || goal.reached(&best) {
            if !is_leaf || !best.is_exact {
                expanded.drop_at(bound);
            }
        } else if goal.cutoff(&best).drops(bound) {
            expanded.drop_at(bound);
        } else if self.kind == Kind::Positional
            && goal.threshold.is_none()
            && near
            && earns_at_most(self.model, self.doubles, &node.within, &best.welfare, &goal.stop)
        {
            // An exact comparison proves that nothing in the box earns more.
        } else {
            match divided {
                None => expanded.drop_at(bound),
                Some(state) => {
                    let boxes = match self.kind {
                        Kind::Stationary => divide(self.doubles, &node.within, state, &relaxed.mix),
                        Kind::Positional => {
                            let allowed = self.doubles.choices(state).filter(|&choice| node.within.allows(choice));
                            allowed.map(|choice| node.within.fixed(self.doubles, state, choice)).collect()
                        }
                    };
                    let child = |within| Node { within, bound, depth: node.depth + 1, near: None };
                    expanded.children = boxes.into_iter().map(child).collect();
                }
            }
        }
        expanded.found = Some(best);
        expanded
    }

    fn relaxed_in_fractions(&self, within: &ActionBox, stop: &StopSignal) -> Option<Value> {
        relaxation(self.model, self.doubles, within, stop)
    }
}
