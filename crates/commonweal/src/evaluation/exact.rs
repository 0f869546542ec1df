//! Exact payoffs of a given strategy.
//!
//! A stationary strategy is one linear system per principal, `(I − λP_σ) V = R_σ`. A counting strategy is its tail's
//! system, and from there back to step 0 one exact layer per step, `W_j = R_{σ_j} + λ P_{σ_j} W_{j+1}`.

use super::Payoffs;
use crate::exact::ExactGains;
use crate::exact::long_term::positional_value;
use crate::linear_system::{self, IntegerSystem};
use crate::model::{ChoiceId, IntegerRows, Mdp, Part, least_common_multiple};
use crate::number::{ExactVector, Natural, Rational, Values};
use crate::principals::Alone;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Lottery, OtherModel, Stationary, Step, Strategy};
use crate::text::numbers::steps;
use dashu_base::BitTest;
use std::collections::BTreeMap;

/// Why a strategy was not evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The strategy changes its mind too late for a walk over all steps.
    #[error(
        "the strategy still changes at step {}; an exact evaluation walks over at most {} steps",
        steps(last),
        steps(&Step::from(*limit))
    )]
    TooManySteps {
        /// The last step at which a choice changes.
        last: Step,
        /// The most steps that are walked.
        limit: u64,
    },
    /// The strategy is for another model.
    #[error(transparent)]
    OtherModel(#[from] OtherModel),
    /// Somebody or something asked to stop.
    #[error("stopped before the payoffs were known: {0}")]
    Stopped(StopReason),
}

/// The most steps of a counting strategy that are evaluated one by one.
const MAX_STEPS: u64 = 1_000_000;

/// About how many steps of a counting strategy are walked in fractions within seconds: at every step the numbers grow by a
/// common denominator of all rows and of the discount.
pub(crate) fn affordable_steps(model: &Mdp) -> u64 {
    /// Operations on words of 64 bits.
    const WORK: f64 = 5e9;
    /// A denominator that grows by more at each step is as good as infinite.
    const MOST_BITS: usize = 1 << 16;
    let rows = IntegerRows::of(model);
    let mut common = Natural::ONE;
    for choice in (0..model.n_choices()).map(ChoiceId::from) {
        common = least_common_multiple(&common, rows.denominator(choice));
        if common.bit_len() > MOST_BITS {
            break;
        }
    }
    let per_step = model.n_transitions() as f64 * model.n_states() as f64 / model.n_choices() as f64;
    let of_part = |part: &Part| (common.bit_len() + part.discount.denominator().bit_len()) as f64;
    let bits: f64 = model.principals().iter().flat_map(|principal| principal.only_parts()).map(of_part).sum();
    // The numbers of the k-th step have k times as many bits.
    let steps = (WORK * 2.0 * 64.0 / (bits * per_step)).sqrt();
    (steps as u64).min(MAX_STEPS)
}

/// The exact payoffs of `strategy`, from every start state.
pub fn evaluate(model: &Mdp, strategy: &Strategy, stop: &StopSignal) -> Result<Payoffs, EvaluateError> {
    strategy.check(model)?;
    let payoffs = match strategy {
        Strategy::Stationary(stationary) => stationary_payoffs(model, stationary, stop),
        Strategy::Counting(counting) => counting_payoffs(model, counting, stop),
        Strategy::Lottery(lottery) => lottery_payoffs(model, lottery, stop),
    }?;
    Ok(Payoffs::new(model, payoffs))
}

/// What the strategies of a lottery give, times their probabilities.
fn lottery_payoffs(model: &Mdp, lottery: &Lottery, stop: &StopSignal) -> Result<Vec<Values>, EvaluateError> {
    let drawn = |(share, strategy): &(Rational, CountingStrategy)| {
        Ok((share.clone(), counting_payoffs(model, strategy, stop)?))
    };
    let drawn: Vec<(Rational, Vec<Values>)> =
        lottery.shares().iter().map(drawn).collect::<Result<_, EvaluateError>>()?;
    let of_principal = |p: usize| {
        let terms = drawn.iter().map(|(share, payoffs)| (share.clone(), payoffs[p].clone()));
        Values::combined(terms.collect(), model.n_states())
    };
    Ok((0..model.n_principals()).map(of_principal).collect())
}

fn stationary_payoffs(model: &Mdp, strategy: &Stationary, stop: &StopSignal) -> Result<Vec<Values>, EvaluateError> {
    let of_part = |p: usize, part: &Part| {
        let mut system = IntegerSystem::new(model.n_states());
        for state in model.states() {
            let mut reward = Rational::ZERO;
            let mut row: BTreeMap<usize, Rational> = BTreeMap::new();
            for (choice, share) in strategy.mix(state) {
                reward += &model.rewards(*choice)[p] * share;
                for (target, probability) in model.transitions(*choice) {
                    *row.entry(target.index()).or_insert(Rational::ZERO) += probability * share;
                }
            }
            let row = row.iter().map(|(&target, probability)| (target, probability));
            system.push_state(state.index(), &part.discount, row, &reward);
        }
        linear_system::solve(&system, &|| stop.reason().is_some())
            .ok_or_else(|| EvaluateError::Stopped(stop.reason().expect("an exact solve ends unless it is stopped")))
    };
    each_principal(model, of_part)
}

/// Per principal, what `of` says of its parts, added up.
fn each_principal(
    model: &Mdp,
    of: impl Fn(usize, &Part) -> Result<ExactVector, EvaluateError>,
) -> Result<Vec<Values>, EvaluateError> {
    let of_principal = |p: usize| -> Result<Values, EvaluateError> {
        let term = |part: &Part| Ok((part.coefficient.clone(), Values::Exact(of(p, part)?)));
        let terms = model.principals()[p].only_parts().iter().map(term).collect::<Result<_, EvaluateError>>()?;
        Ok(Values::combined(terms, model.n_states()))
    };
    (0..model.n_principals()).map(of_principal).collect()
}

fn counting_payoffs(model: &Mdp, strategy: &CountingStrategy, stop: &StopSignal) -> Result<Vec<Values>, EvaluateError> {
    let settled = strategy.settled_from();
    let too_many = || EvaluateError::TooManySteps { last: settled.clone(), limit: MAX_STEPS };
    let tail: Vec<ChoiceId> = model.states().map(|state| strategy.tail(state)).collect();
    if settled > Step::from(MAX_STEPS) {
        return Err(too_many());
    }
    let rows = IntegerRows::of(model);
    let of_part = |p: usize, part: &Part| {
        let alone = Alone { principal: p.into(), discount: part.discount.clone() };
        let values = positional_value(model, &tail, &alone.discount, |choice| &model.rewards(choice)[p], stop)?;
        payoff_over_tail(model, &rows, strategy, &alone, &values, stop)
    };
    each_principal(model, |p, part| of_part(p, part).map_err(EvaluateError::Stopped))
}

/// What the rewards of one principal are worth at one discount under `strategy`, given what they are worth under its tail.
pub(crate) fn payoff_over_tail(
    model: &Mdp,
    rows: &IntegerRows,
    strategy: &CountingStrategy,
    alone: &Alone,
    tail: &ExactVector,
    stop: &StopSignal,
) -> Result<ExactVector, StopReason> {
    let reward = |choice: ChoiceId| &model.rewards(choice)[alone.principal.index()];
    let mut gains = ExactGains::none(model, rows, &alone.discount, reward, tail);
    let settled = u64::try_from(&strategy.settled_from()).expect("a strategy that is walked step by step");
    for step in (0..settled).rev() {
        stop.check()?;
        let step = Step::from(step);
        let decisions: Vec<ChoiceId> = model.states().map(|state| strategy.choice(state, &step)).collect();
        gains.step_back(&decisions);
    }
    Ok(gains.total())
}
