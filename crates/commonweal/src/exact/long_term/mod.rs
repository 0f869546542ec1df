//! The long-term strategy: the lexicographic optimum, most patient part first. [Alg. 1]
//!
//! Parts are served in decreasing patience. For part i, among the choices that every more patient part
//! finds optimal (𝓜_i), the values satisfy
//!
//! ```text
//! V_i(s) = max_{a ∈ 𝓜_i(s)}  R_i(s,a) + λ_i Σ_t P(t|s,a) V_i(t)
//! ```
//!
//! and 𝓜_{i+1} keeps the choices that attain the maximum. Ties are decided exactly, because a wrong tie changes the
//! strategy for ever. To save work, `guess` finds a strategy in doubles, its values for all parts are solved exactly and
//! together (`linear_system`), and exact policy iteration continues only if the guess was not optimal. Cost of a right guess: n
//! exact linear solves and one exact pass over the rows per part.

mod guess;

use crate::linear_system::{self, IntegerSystem};
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::{ExactVector, Integer, Natural, Rational, product};
use crate::parallel;
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use std::cmp::Ordering;

/// The lexicographic optimum, most patient part first, and the choices that it allows.
#[derive(Debug, Clone)]
pub struct LongTerm {
    /// V_i, most patient part first: the same for every strategy that stays within the allowed choices.
    pub values: Vec<ExactVector>,
    /// Per choice, whether it is allowed for ever (𝓜_n).
    pub allowed: Vec<bool>,
    /// Per state the first allowed choice in the model's order.
    pub strategy: Vec<ChoiceId>,
}

/// What a linear solve takes besides its steps, in about nanoseconds: the fractions of its solution.
const SOLVE: u64 = 50_000;

/// The long-term strategy of `model`, proven in exact arithmetic.
pub fn solve(model: &OrderedModel, rows: &IntegerRows, stop: &StopSignal) -> Result<LongTerm, StopReason> {
    let mut strategy = guess::lexicographic(model, stop)?;
    let value_of = |strategy: &[ChoiceId], i: usize| {
        let system = system_of(model.mdp(), strategy, model.discount(i), |choice| &model.rewards(choice)[i]);
        let a_step = system.work_of_step();
        stop.spend(SOLVE);
        solved(&system, stop, || stop.spend(a_step))
    };
    let mut values = of_each(model, |i| value_of(&strategy, i))?;
    let mut guess_holds = true;
    let mut allowed = vec![true; model.n_choices()];
    for (i, values) in values.iter_mut().enumerate() {
        if !guess_holds {
            *values = value_of(&strategy, i)?;
        }
        let mut signs = advantage_signs(model, rows, i, values, &allowed);
        while let Some(improved) = improve(model, &strategy, &allowed, &signs) {
            stop.check()?;
            guess_holds = false;
            strategy = improved;
            *values = value_of(&strategy, i)?;
            signs = advantage_signs(model, rows, i, values, &allowed);
        }
        for (allowed, sign) in allowed.iter_mut().zip(&signs) {
            *allowed &= *sign == Ordering::Equal;
        }
    }
    let first_allowed = |state: StateId| {
        let choice = model.choices(state).find(|choice| allowed[choice.index()]);
        choice.expect("the strategy's own choice is allowed")
    };
    let strategy = model.states().map(first_allowed).collect();
    Ok(LongTerm { values, allowed, strategy })
}

/// The exact value to the i-th part of taking these choices, one per state, for ever.
pub fn value_of(
    model: &OrderedModel,
    strategy: &[ChoiceId],
    i: usize,
    stop: &StopSignal,
) -> Result<ExactVector, StopReason> {
    let reward = |choice: ChoiceId| &model.rewards(choice)[i];
    positional_value(model.mdp(), strategy, model.discount(i), reward, stop)
}

/// The exact solution of `V(s) = R(s, σ(s)) + λ Σ_t P(t|s,σ(s)) V(t)`.
pub fn positional_value<'r>(
    model: &crate::model::Mdp,
    strategy: &[ChoiceId],
    discount: &Rational,
    reward: impl Fn(ChoiceId) -> &'r Rational,
    stop: &StopSignal,
) -> Result<ExactVector, StopReason> {
    solved(&system_of(model, strategy, discount, reward), stop, || ())
}

/// The system of that solution.
fn system_of<'r>(
    model: &crate::model::Mdp,
    strategy: &[ChoiceId],
    discount: &Rational,
    reward: impl Fn(ChoiceId) -> &'r Rational,
) -> IntegerSystem {
    let mut system = IntegerSystem::new(model.n_states());
    for (state, &choice) in strategy.iter().enumerate() {
        let transitions = model.transitions(choice).map(|(target, probability)| (target.index(), probability));
        system.push_state(state, discount, transitions, reward(choice));
    }
    system
}

/// The exact solution of a system; `at_step` is called at every step of the solve.
fn solved(system: &IntegerSystem, stop: &StopSignal, at_step: impl Fn() + Sync) -> Result<ExactVector, StopReason> {
    let is_stopped = || {
        at_step();
        stop.reason().is_some()
    };
    linear_system::solve(system, &is_stopped)
        .ok_or_else(|| stop.reason().expect("an exact solve ends unless it is stopped"))
}

/// Δ_i of a choice against values V_i, exactly: the first number over the second times the values' denominator.
///
/// With R = r/q, λ = a/b, probabilities w/D and V = N/d this is
/// `Δ = (r·bD·d + q·(a·Σ w N(t) − bD·N(s))) / (q·bD·d)`.
pub(crate) fn exact_advantage(
    model: &crate::model::Mdp,
    rows: &IntegerRows,
    state: StateId,
    choice: ChoiceId,
    discount: &Rational,
    reward: &Rational,
    values: &ExactVector,
) -> (Integer, Natural) {
    let denominator = discount.denominator() * rows.denominator(choice);
    let expected = rows.dot(model, choice, &values.numerators);
    let mut numerator = discount.numerator() * expected;
    numerator -= product(&Integer::from(denominator.clone()), &values.numerators[state.index()]);
    let reward_denominator = reward.denominator();
    if !reward_denominator.is_one() {
        numerator *= Integer::from(reward_denominator.clone());
    }
    if !reward.is_zero() {
        let below = product(&Integer::from(denominator.clone()), &Integer::from(values.denominator.clone()));
        numerator += product(reward.numerator(), &below);
    }
    (numerator, denominator * reward_denominator)
}

/// The values of one strategy for all parts, solved together.
pub fn values_of(
    model: &OrderedModel,
    strategy: &[ChoiceId],
    stop: &StopSignal,
) -> Result<Vec<ExactVector>, StopReason> {
    of_each(model, |i| value_of(model, strategy, i, stop))
}

/// The values for every part, solved together.
fn of_each(
    model: &OrderedModel,
    value: impl Fn(usize) -> Result<ExactVector, StopReason> + Sync + Send,
) -> Result<Vec<ExactVector>, StopReason> {
    if model.n_states() >= parallel::WORTH_SHARING {
        parallel::map_each(model.n(), value).into_iter().collect()
    } else {
        (0..model.n()).map(value).collect()
    }
}

/// The sign of Δ_i for every choice in `allowed`; choices outside count as negative.
fn advantage_signs(
    model: &OrderedModel,
    rows: &IntegerRows,
    i: usize,
    values: &ExactVector,
    allowed: &[bool],
) -> Vec<Ordering> {
    let of_state = |state: StateId| {
        let sign = move |choice: ChoiceId| {
            if !allowed[choice.index()] {
                return Ordering::Less;
            }
            let reward = &model.rewards(choice)[i];
            let (numerator, _) = exact_advantage(model.mdp(), rows, state, choice, model.discount(i), reward, values);
            numerator.cmp(&Integer::ZERO)
        };
        model.choices(state).map(sign)
    };
    parallel::flat_map(model.n_states(), |index| of_state(index.into()))
}

/// One step of policy iteration: every state with a better choice takes the first one. `None` if there is none.
fn improve(model: &OrderedModel, strategy: &[ChoiceId], allowed: &[bool], signs: &[Ordering]) -> Option<Vec<ChoiceId>> {
    let better =
        |state: StateId| model.choices(state).find(|c| allowed[c.index()] && signs[c.index()] == Ordering::Greater);
    let improved: Vec<_> = model.states().map(|state| better(state).unwrap_or(strategy[state.index()])).collect();
    (improved != strategy).then_some(improved)
}
