//! Exact payoffs of a given strategy.
//!
//! A stationary strategy is one linear system per principal, `(I − λP_σ) V = R_σ`. A counting strategy is its tail's
//! system, and from there back to step 0 one exact layer per step, `W_j = R_{σ_j} + λ P_{σ_j} W_{j+1}`. A segment of a time
//! preference is the same with nothing after it, and the value of the later segments is carried back over its steps.

use super::Payoffs;
use crate::exact::ExactGains;
use crate::exact::long_term::positional_value;
use crate::linear_system::{self, IntegerSystem};
use crate::model::{
    ChoiceId, IntegerRows, Mdp, ModelBuilder, Part, Principal, StateId, Structure, least_common_multiple,
};
use crate::number::{ExactVector, Natural, Rational, Values};
use crate::principals::Alone;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Lottery, OtherModel, Stationary, Step, Strategy};
use crate::text::numbers::steps;
use dashu_base::BitTest;
use std::collections::BTreeMap;
use std::ops::Range;

/// Why a strategy was not evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The strategy changes too late for a walk over all steps.
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
    /// The stop signal was raised.
    #[error("stopped before the payoffs were known: {0}")]
    Stopped(StopReason),
}

impl EvaluateError {
    /// The same as a reason to stop, for strategies of the model itself.
    pub(crate) fn stop_reason(self) -> StopReason {
        match self {
            EvaluateError::Stopped(reason) => reason,
            EvaluateError::TooManySteps { .. } => StopReason::LayerLimit,
            EvaluateError::OtherModel(_) => unreachable!("the strategy is one of the model"),
        }
    }
}

/// What a word of 64 bits takes, in nanoseconds. Measured: processor time of `evaluate --exact` over that of the same strategy
/// without steps, random models of 5 to 50 states with 2 principals and of 30 states with 20, 800 to 15,000 steps: 4.6 to 6.9;
/// 200 states and 500 steps, where numbers are short: 10.5.
const WORD: f64 = 7.0;
/// What a step takes besides.
const LAYER: u64 = 300;

/// The most steps of a counting strategy that are evaluated one by one.
const MAX_STEPS: u64 = 1_000_000;

/// About how many steps of a counting strategy are walked in fractions within ten seconds: at every step the numbers grow by a
/// common denominator of all rows and of the discount.
pub(crate) fn affordable_steps(model: &Mdp) -> u64 {
    /// What may be taken, in nanoseconds.
    const PATIENCE: f64 = 10e9;
    const WORK: f64 = PATIENCE / WORD;
    /// A denominator that grows by more bits per step is not affordable at all.
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
    // For a preference with segments, the value of the later ones is carried back too.
    let of_principal = |principal: &Principal| match principal.parts() {
        Some(parts) => parts.iter().map(of_part).sum::<f64>(),
        None => {
            common.bit_len() as f64 + principal.segments().iter().flat_map(|own| &own.parts).map(of_part).sum::<f64>()
        }
    };
    let bits: f64 = model.principals().iter().map(of_principal).sum();
    // The numbers of the k-th step have k times as many bits.
    let steps = (WORK * 2.0 * 64.0 / (bits * per_step)).sqrt();
    (steps as u64).min(MAX_STEPS)
}

/// The step from which a strategy and all preferences no longer change: the number of steps to walk.
pub(crate) fn steps_to_walk(model: &Structure, strategy: &Strategy) -> Step {
    let settled = match strategy {
        Strategy::Stationary(_) => Step::ZERO,
        Strategy::Counting(counting) => counting.settled_from(),
        Strategy::Lottery(lottery) => {
            lottery.shares().iter().map(|(_, own)| own.settled_from()).max().unwrap_or(Step::ZERO)
        }
    };
    settled.max(Step::from(last_segment(model)))
}

/// The step at which the last segment of any principal begins.
fn last_segment(model: &Structure) -> u64 {
    model.principals().iter().map(|principal| principal.last().from).max().unwrap_or(0)
}

/// The exact payoffs of `strategy`, from every start state.
pub fn evaluate(model: &Mdp, strategy: &Strategy, stop: &StopSignal) -> Result<Payoffs, EvaluateError> {
    strategy.check(model)?;
    let payoffs = match strategy {
        Strategy::Stationary(stationary) if model.principals().iter().any(|own| own.parts().is_none()) => {
            let only = CountingStrategy::positional((0..model.n_states()).map(ChoiceId::from));
            counting_payoffs(&mixed(model, stationary), &only, stop)
        }
        Strategy::Stationary(stationary) => stationary_payoffs(model, stationary, stop),
        Strategy::Counting(counting) => counting_payoffs(model, counting, stop),
        Strategy::Lottery(lottery) => lottery_payoffs(model, lottery, stop),
    }?;
    Ok(Payoffs::new(model, payoffs))
}

/// The payoffs of the strategies of a lottery, times their probabilities.
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

/// Per principal, the sum of `of` its parts.
fn each_principal(
    model: &Mdp,
    of: impl Fn(usize, &Part) -> Result<ExactVector, EvaluateError>,
) -> Result<Vec<Values>, EvaluateError> {
    let of_principal = |p: usize| -> Result<Values, EvaluateError> {
        let term = |part: &Part| Ok((part.coefficient.clone(), Values::Exact(of(p, part)?)));
        let parts = model.principals()[p].parts().expect("the caller looks for segments");
        let terms = parts.iter().map(term).collect::<Result<_, EvaluateError>>()?;
        Ok(Values::combined(terms, model.n_states()))
    };
    (0..model.n_principals()).map(of_principal).collect()
}

/// The model in which each state has one choice, the mix of the strategy.
fn mixed(model: &Mdp, strategy: &Stationary) -> Mdp {
    let mut builder =
        ModelBuilder::numbered(model.principals().to_vec(), model.n_states()).expect("a model's principals");
    for state in model.states() {
        let mut rewards = vec![Rational::ZERO; model.n_principals()];
        let mut row: BTreeMap<StateId, Rational> = BTreeMap::new();
        for (choice, share) in strategy.mix(state) {
            rewards.iter_mut().zip(model.rewards(*choice)).for_each(|(sum, reward)| *sum += reward * share);
            for (target, probability) in model.transitions(*choice) {
                *row.entry(target).or_insert(Rational::ZERO) += probability * share;
            }
        }
        builder.choice(state, "mix", rewards, row).expect("a mix of rows that sum to 1");
    }
    builder.finish().expect("one choice per state")
}

fn counting_payoffs(model: &Mdp, strategy: &CountingStrategy, stop: &StopSignal) -> Result<Vec<Values>, EvaluateError> {
    let last = strategy.settled_from().max(Step::from(last_segment(model)));
    if last > Step::from(MAX_STEPS) {
        return Err(EvaluateError::TooManySteps { last, limit: MAX_STEPS });
    }
    let rows = IntegerRows::of(model);
    let followed = Followed { model, rows: &rows, strategy, stop };
    let of_principal = |p: usize| followed.payoff(p).map(Values::Exact).map_err(EvaluateError::Stopped);
    (0..model.n_principals()).map(of_principal).collect()
}

/// A strategy that is followed step by step.
struct Followed<'a> {
    model: &'a Mdp,
    rows: &'a IntegerRows,
    strategy: &'a CountingStrategy,
    stop: &'a StopSignal,
}

impl Followed<'_> {
    /// What principal `p` gets.
    fn payoff(&self, p: usize) -> Result<ExactVector, StopReason> {
        let Followed { model, strategy, .. } = *self;
        let (last, earlier) = model.principals()[p].segments().split_last().expect("at least one segment");
        let tail: Vec<ChoiceId> = model.states().map(|state| strategy.tail(state)).collect();
        let settled = u64::try_from(&strategy.settled_from()).expect("a strategy that is walked step by step");
        let in_the_end = |part: &Part| {
            let reward = |choice: ChoiceId| &model.rewards(choice)[p];
            let values = positional_value(model, &tail, &part.discount, reward, self.stop)?;
            Ok(self.worth(p, &part.discount, &values, last.from..settled)?.scaled(&part.coefficient))
        };
        let mut payoff = sum(model.n_states(), last.parts.iter().map(in_the_end))?;
        let mut end = last.from;
        let nothing = ExactVector::zeros(model.n_states());
        for segment in earlier.iter().rev() {
            let within =
                |part: &Part| Ok(self.worth(p, &part.discount, &nothing, segment.from..end)?.scaled(&part.coefficient));
            let after = std::iter::once_with(|| self.carried(&payoff, segment.from..end));
            payoff = sum(model.n_states(), segment.parts.iter().map(within).chain(after))?.reduced();
            end = segment.from;
        }
        Ok(payoff)
    }

    /// The value of the rewards of principal `p` at one discount, given their value after these steps.
    fn worth(
        &self,
        p: usize,
        discount: &Rational,
        after: &ExactVector,
        steps: Range<u64>,
    ) -> Result<ExactVector, StopReason> {
        let reward = |choice: ChoiceId| &self.model.rewards(choice)[p];
        let mut gains = ExactGains::none(self.model, self.rows, discount, reward, after);
        self.follow(&mut gains, steps)?;
        Ok(gains.total())
    }

    /// The expectation before these steps of `payoff` after them.
    fn carried(&self, payoff: &ExactVector, steps: Range<u64>) -> Result<ExactVector, StopReason> {
        let (zero, one, nothing) = (Rational::ZERO, Rational::ONE, ExactVector::zeros(payoff.len()));
        let mut carried = ExactGains::none(self.model, self.rows, &one, |_| &zero, &nothing);
        carried.begin_with(payoff);
        self.follow(&mut carried, steps)?;
        Ok(carried.total())
    }

    /// Brings gains back over these steps.
    fn follow(&self, gains: &mut ExactGains, steps: Range<u64>) -> Result<(), StopReason> {
        for step in steps.rev() {
            self.stop.check()?;
            self.stop.spend(WORD as u64 * gains.words() + LAYER);
            let step = Step::from(step);
            let decisions: Vec<ChoiceId> =
                self.model.states().map(|state| self.strategy.choice(state, &step)).collect();
            gains.step_back(&decisions);
        }
        Ok(())
    }
}

fn sum(n: usize, mut terms: impl Iterator<Item = Result<ExactVector, StopReason>>) -> Result<ExactVector, StopReason> {
    let first = terms.next().unwrap_or_else(|| Ok(ExactVector::zeros(n)))?;
    terms.try_fold(first, |sum, term| Ok(sum.plus(&term?)))
}

/// The value of one principal's rewards at one discount under `strategy`, given their value under its tail.
pub(crate) fn payoff_over_tail(
    model: &Mdp,
    rows: &IntegerRows,
    strategy: &CountingStrategy,
    alone: &Alone,
    tail: &ExactVector,
    stop: &StopSignal,
) -> Result<ExactVector, StopReason> {
    let settled = u64::try_from(&strategy.settled_from()).expect("a strategy that is walked step by step");
    let followed = Followed { model, rows, strategy, stop };
    followed.worth(alone.principal.index(), &alone.discount, tail, 0..settled)
}
