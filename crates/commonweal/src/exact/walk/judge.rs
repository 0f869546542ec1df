//! Exact arithmetic as the judge of what enclosures leave open, where it is affordable.
//!
//! The judge follows the decisions from the horizon with [`ExactGains`], one exact layer per step, and only as far as it is
//! asked. The numbers grow by the same number of bits at every layer, so H layers cost O(H² bits) per transition: past a
//! budget the judge declines.

use super::Problem;
use crate::exact::ExactGains;
use crate::model::{ChoiceId, StateId, least_common_multiple};
use crate::number::{Integer, Natural, power, product};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, Step};
use dashu_base::BitTest;

/// The judge declines where gains would be longer than this.
const MAX_BITS: u64 = 1 << 20;
/// The judge declines where following the decisions would take more word operations than this.
const MAX_WORK: u64 = 1 << 33;
/// Payoffs at step 0 longer than this are not formed: nobody reads fractions of more than 10,000 digits.
const MAX_PAYOFF_BITS: u64 = 1 << 17;

/// Exact gains over the long-term strategy, at the layer where somebody last asked.
pub(super) struct ExactJudge<'a> {
    problem: Problem<'a>,
    gains: Vec<ExactGains<'a>>,
    /// The step that the gains stand at, if the horizon is near enough to follow.
    at: Option<u64>,
    /// About the length of the gains at step 0.
    final_bits: u64,
}

impl<'a> ExactJudge<'a> {
    pub(super) fn new(problem: Problem<'a>) -> ExactJudge<'a> {
        let model = problem.model;
        let common = (0..model.n_choices()).map(ChoiceId::from).fold(Natural::ONE, |common, choice| {
            // Once it is long enough to decline for, it need not grow.
            if common.bit_len() as u64 > MAX_BITS {
                return common;
            }
            least_common_multiple(&common, problem.rows.denominator(choice))
        });
        let of_discounts = (0..model.n()).map(|i| model.discount(i).denominator().bit_len()).max().unwrap_or(0);
        let bits_a_layer = (common.bit_len() + of_discounts) as u64;
        let horizon = u64::try_from(problem.horizon).ok();
        let final_bits = horizon.map_or(u64::MAX, |horizon| horizon.saturating_mul(bits_a_layer));
        let work = horizon.map_or(u64::MAX, |horizon| {
            let per_layer = (final_bits / 128 + 1).saturating_mul((model.n_transitions() * model.n()) as u64);
            horizon.saturating_mul(per_layer)
        });
        let at = horizon.filter(|_| final_bits <= MAX_BITS && work <= MAX_WORK);
        let gains = (0..model.n()).map(|i| {
            let reward = move |choice| &model.rewards(choice)[i];
            ExactGains::none(model.mdp(), problem.rows, model.discount(i), reward, &problem.long_term.values[i])
        });
        let gains = if at.is_some() { gains.collect() } else { Vec::new() };
        ExactJudge { problem, gains, at, final_bits }
    }

    /// Whether the decisions can be followed to step 0.
    pub(super) fn is_affordable(&self) -> bool {
        self.at.is_some()
    }

    /// The best of `contenders` at `step`, given the decisions of all later steps; ties go to a long-term choice, then
    /// to the first. `None` where that is not affordable.
    pub(super) fn best(
        &mut self,
        state: StateId,
        step: &Step,
        contenders: &[ChoiceId],
        changes: &[Vec<Change>],
        stop: &StopSignal,
    ) -> Result<Option<ChoiceId>, StopReason> {
        if self.at.is_none() {
            return Ok(None);
        }
        let step = u64::try_from(step).expect("before a horizon that fits");
        self.follow(step + 1, changes, stop)?;
        let factors = self.factors(step);
        // The worth of a choice times what all choices share, as a fraction with a small denominator.
        let worth = |choice: ChoiceId| -> (Integer, Natural) {
            let parts: Vec<_> = self.gains.iter().map(|gains| gains.worth(state, choice)).collect();
            let common = parts.iter().fold(Natural::ONE, |common, (_, d)| least_common_multiple(&common, d));
            let scaled = parts.iter().zip(&factors).map(|((numerator, denominator), factor)| {
                product(&product(numerator, factor), &Integer::from(&common / denominator))
            });
            (scaled.fold(Integer::ZERO, |sum, part| sum + part), common)
        };
        let mut best = contenders[0];
        let mut greatest = worth(best);
        let is_long_term = |choice: ChoiceId| self.problem.long_term.allowed[choice.index()];
        for &choice in &contenders[1..] {
            let challenger = worth(choice);
            let left = product(&challenger.0, &Integer::from(greatest.1.clone()));
            let right = product(&greatest.0, &Integer::from(challenger.1.clone()));
            if left > right || (left == right && is_long_term(choice) && !is_long_term(best)) {
                (best, greatest) = (choice, challenger);
            }
        }
        Ok(Some(best))
    }

    /// The gains at step 0, unless they would be too long for anybody to read.
    pub(super) fn gains_at_start(
        mut self,
        changes: &[Vec<Change>],
        stop: &StopSignal,
    ) -> Result<Option<Vec<ExactGains<'a>>>, StopReason> {
        if self.at.is_none() || self.final_bits > MAX_PAYOFF_BITS {
            return Ok(None);
        }
        self.follow(0, changes, stop)?;
        Ok(Some(self.gains))
    }

    /// λ_i^step over the denominator of the i-th principal's gains, all times one number that clears the fractions.
    fn factors(&self, step: u64) -> Vec<Integer> {
        let exponent = usize::try_from(step).expect("a step within the budget");
        let model = self.problem.model;
        let below = |i: usize| {
            let discount = power(&Integer::from(model.discount(i).denominator().clone()), exponent);
            product(&discount, &self.gains[i].denominator())
        };
        let below: Vec<Integer> = (0..model.n()).map(below).collect();
        let factor = |i: usize| {
            let others = below.iter().enumerate().filter(|&(k, _)| k != i).map(|(_, below)| below);
            others.fold(power(model.discount(i).numerator(), exponent), |so_far, below| product(&so_far, below))
        };
        (0..model.n()).map(factor).collect()
    }

    /// Brings the gains to `step`.
    fn follow(&mut self, step: u64, changes: &[Vec<Change>], stop: &StopSignal) -> Result<(), StopReason> {
        let mut at = self.at.expect("asked only where the horizon is near enough");
        while at > step {
            stop.check()?;
            at -= 1;
            let now = Step::from(at);
            // Latest first: the first entry that starts at or before the step.
            let decision = |changes: &Vec<Change>| changes[changes.partition_point(|change| change.from > now)].choice;
            let decisions: Vec<ChoiceId> = changes.iter().map(decision).collect();
            self.gains.iter_mut().for_each(|gains| gains.step_back(&decisions));
            self.at = Some(at);
        }
        Ok(())
    }
}
