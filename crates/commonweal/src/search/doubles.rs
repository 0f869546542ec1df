//! The model in doubles, as the searches see it.
//!
//! Rewards are divided by a power of two, so that the largest of a state that can be met is about 1 and nothing overflows; every
//! double is the nearest one to the model's number. The error terms of [`RoundingBudget`](crate::number::RoundingBudget) include that rounding.

use crate::exponential_sum::TailFactors;
use crate::kernel::rows::{Rows, leaving};
use crate::kernel::sweep::expectation;
use crate::model::{ChoiceId, StateId};
use crate::number::{Enclosure, Rational, UpperBound};
use crate::principals::OrderedModel;
use crate::stop::{FEW_FRACTIONS, FRACTION, Pace, StopReason, StopSignal};
use std::ops::Range;

/// The model's rows and rewards, most patient part first, weights inside the rewards.
#[derive(Debug)]
pub struct Doubles {
    /// The number of states.
    pub n_states: usize,
    /// The number of choices of all states.
    pub n_choices: usize,
    /// The number of parts with distinct discounts.
    pub n: usize,
    /// The start state.
    pub start: StateId,
    rows: Rows,
    /// A choice's rewards side by side.
    reward: Vec<f64>,
    /// The doubles nearest to the discounts.
    pub discount: Vec<f64>,
    /// Enclosures of the discounts themselves.
    pub discounts: Vec<Enclosure>,
    /// The factors of T(κ).
    pub(super) tail_factors: TailFactors<UpperBound>,
    /// The most products in a sum over one choice's successors or one state's choices.
    pub longest_sum: usize,
    /// The choices that may lead to each state.
    into: Vec<Vec<ChoiceId>>,
    /// The state of each choice.
    state: Vec<StateId>,
    /// Per state, its choices' rewards and successors: what one look at it takes.
    n_terms: Vec<usize>,
    /// What a reward was divided by.
    unit: Rational,
}

impl Doubles {
    /// The model in doubles, unless `stop` is raised on the way.
    pub fn of(model: &OrderedModel, stop: &StopSignal) -> Result<Doubles, StopReason> {
        Doubles::for_choices(model, |_| true, stop)
    }

    /// The same for strategies that take these choices alone: they set the scale of rewards, which for other choices may be off.
    pub(super) fn for_choices(
        model: &OrderedModel,
        allowed: impl Fn(ChoiceId) -> bool + Copy,
        stop: &StopSignal,
    ) -> Result<Doubles, StopReason> {
        let n = model.n();
        let (mut pace, is_long) = (Pace::of(stop), model.n_choices() * n > FEW_FRACTIONS);
        let choices = || (0..model.n_choices()).map(ChoiceId::from);
        let nearest = |x: &Rational| x.to_f64();
        let rows = Rows::of(model.mdp());
        let start = model.mdp().start();
        let met = reachable(&rows, model.n_states(), start, allowed);
        let of_met = || met.iter().flat_map(|&state| model.choices(state)).filter(|&choice| allowed(choice));
        let unit = power_of_two_near(of_met().flat_map(|choice| model.rewards(choice)));
        let mut reward: Vec<f64> = Vec::with_capacity(n * model.n_choices());
        for choice in choices() {
            if is_long && pace.stops_after(FRACTION * n) {
                stop.check()?;
            }
            // Rewards of other choices steer only what is said of states that are never met.
            let scaled = |reward: &Rational| nearest(&(reward / &unit)).clamp(-MOST_ELSEWHERE, MOST_ELSEWHERE);
            reward.extend(model.rewards(choice).iter().map(scaled));
        }
        let longest_row = choices().map(|choice| model.targets(choice).len()).max().unwrap_or(0);
        let most_choices = model.states().map(|state| model.choices(state).len()).max().unwrap_or(0);
        let mut into = vec![Vec::new(); model.n_states()];
        for choice in choices() {
            model.targets(choice).iter().for_each(|target| into[target.index()].push(choice));
        }
        let state = model.states().flat_map(|state| model.choices(state).map(move |_| state)).collect();
        let terms = |choice: ChoiceId| n + model.targets(choice).len();
        let n_terms = model.states().map(|state| model.choices(state).map(terms).sum()).collect();
        Ok(Doubles {
            into,
            state,
            n_terms,
            n_states: model.n_states(),
            n_choices: model.n_choices(),
            n,
            start,
            rows,
            reward,
            discount: (0..n).map(|i| nearest(model.discount(i))).collect(),
            discounts: (0..n).map(|i| Enclosure::from(model.discount(i))).collect(),
            tail_factors: TailFactors::of((0..n).map(|i| model.discount(i)), UpperBound::of_exact),
            longest_sum: longest_row.max(most_choices),
            unit,
        })
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + Clone + use<> {
        (0..self.n_states as u32).map(StateId::at)
    }

    /// The choices of a state.
    #[inline]
    pub fn choices(
        &self,
        state: StateId,
    ) -> impl ExactSizeIterator<Item = ChoiceId> + DoubleEndedIterator + Clone + use<> {
        self.span(state).map(|position| ChoiceId::at(position as u32))
    }

    /// The positions of a state's choices in arrays that have an entry per choice.
    #[inline]
    pub fn span(&self, state: StateId) -> Range<usize> {
        self.rows.choices(state)
    }

    /// All choices.
    pub fn all_choices(&self) -> impl Iterator<Item = ChoiceId> + Clone + use<> {
        (0..self.n_choices as u32).map(ChoiceId::at)
    }

    /// The rewards of a choice, one for each part.
    pub fn rewards(&self, choice: ChoiceId) -> &[f64] {
        &self.reward[choice.index() * self.n..(choice.index() + 1) * self.n]
    }

    /// The successors of a choice with their probabilities.
    pub fn row(&self, choice: ChoiceId) -> impl Iterator<Item = (StateId, f64)> + '_ {
        let (targets, probabilities) = self.rows.row(choice);
        targets.iter().copied().zip(probabilities.iter().copied())
    }

    /// The row of a choice of `state`, for a Gauss–Seidel step: see [`leaving`].
    pub fn leaving(&self, state: StateId, choice: ChoiceId, values: &[f64]) -> (f64, f64) {
        let (targets, probabilities) = self.rows.row(choice);
        leaving(state, targets, probabilities, values)
    }

    /// The state that offers a choice.
    pub fn state_of(&self, choice: ChoiceId) -> StateId {
        self.state[choice.index()]
    }

    /// The rewards and successors of all choices of a state.
    pub fn n_terms(&self, state: StateId) -> usize {
        self.n_terms[state.index()]
    }

    /// The choices that may lead to a state.
    pub fn choices_into(&self, state: StateId) -> &[ChoiceId] {
        &self.into[state.index()]
    }

    /// Σ_t P(t|s,a) x(t).
    pub fn expected(&self, choice: ChoiceId, x: &[f64]) -> f64 {
        let (targets, probabilities) = self.rows.row(choice);
        expectation(targets, probabilities, x)
    }

    /// The place of each state of `reach` in that list; 0 for the other states, which nobody asks for.
    pub fn positions(&self, reach: &[StateId]) -> Vec<usize> {
        let mut position = vec![0; self.n_states];
        reach.iter().enumerate().for_each(|(index, &state)| position[state.index()] = index);
        position
    }

    /// The states that a strategy inside `allowed` can reach from the start, in increasing order.
    pub fn reachable(&self, allowed: impl Fn(ChoiceId) -> bool) -> Vec<StateId> {
        reachable(&self.rows, self.n_states, self.start, allowed)
    }

    /// The choices that a strategy inside `allowed` can meet.
    pub fn met(&self, allowed: impl Fn(ChoiceId) -> bool) -> Vec<ChoiceId> {
        let choices = self.reachable(&allowed).into_iter().flat_map(|state| self.choices(state));
        choices.filter(|&choice| allowed(choice)).collect()
    }

    /// What a reward was divided by.
    pub fn unit(&self) -> &Rational {
        &self.unit
    }

    /// The model's number for a scaled one, as a double that is at least it.
    pub fn unscaled_above(&self, scaled: f64) -> f64 {
        match exact(scaled) {
            Some(exact) => Enclosure::from(&(exact * &self.unit)).upper(),
            None => f64::INFINITY,
        }
    }

    /// The least scaled double that is at least a number of the model.
    pub(super) fn scaled_above(&self, number: f64) -> f64 {
        exact(number).map_or(f64::INFINITY, |exact| -self.scaled_below(&-exact))
    }

    /// The scaled double nearest to a number of the model.
    pub fn scaled(&self, number: &Rational) -> f64 {
        (number / &self.unit).to_f64()
    }

    /// The greatest double that is at most the scaled number.
    pub fn scaled_below(&self, number: &Rational) -> f64 {
        Enclosure::from(&(number / &self.unit)).lower()
    }
}

/// The largest scaled reward of a choice that does not count: values of it do not overflow.
const MOST_ELSEWHERE: f64 = 1e100;

/// The states that a strategy inside `allowed` can reach, in increasing order.
fn reachable(rows: &Rows, n_states: usize, start: StateId, allowed: impl Fn(ChoiceId) -> bool) -> Vec<StateId> {
    let mut seen = vec![false; n_states];
    let mut waiting = vec![start];
    seen[start.index()] = true;
    while let Some(state) = waiting.pop() {
        for choice in rows.choices(state).map(ChoiceId::from).filter(|&choice| allowed(choice)) {
            for target in rows.row(choice).0 {
                if !std::mem::replace(&mut seen[target.index()], true) {
                    waiting.push(*target);
                }
            }
        }
    }
    (0..n_states).map(StateId::from).filter(|state| seen[state.index()]).collect()
}

/// The number that a finite double is.
pub(super) fn exact(double: f64) -> Option<Rational> {
    Rational::try_from(double).ok()
}

/// 2^k with the largest of these numbers between 1/4 and 4 times it; 1 if all are 0.
fn power_of_two_near<'r>(numbers: impl Iterator<Item = &'r Rational>) -> Rational {
    let exponent = numbers.filter(|x| !x.is_zero()).map(Rational::magnitude).max().unwrap_or(0);
    Rational::from(2).pow(exponent)
}
