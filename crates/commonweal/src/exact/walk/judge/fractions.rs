//! Fractions: the exact gains of every part under the decisions made, from the step from which nothing is gained backwards.
//!
//! One exact layer per step, computed on demand. The numbers grow by the same number of bits at every layer, so m layers cost
//! O(m² bits) per transition. Beyond a budget no fractions are computed.

use super::{Contest, decisions};
use crate::exact::ExactGains;
use crate::exact::walk::Problem;
use crate::model::{ChoiceId, least_common_multiple};
use crate::number::{Integer, Natural, product};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, Step};
use dashu_base::BitTest;

/// Gains longer than this are not computed.
const MAX_BITS: u64 = 1 << 20;
/// Nor are those that take more word operations than this.
const MAX_WORK: u64 = 1 << 33;
/// If step 0 is not affordable, most comparisons are not either: gains longer than this are not computed then.
const BRIEF_BITS: u64 = 1 << 14;
/// Payoffs at step 0 longer than this are not computed; fractions of more than 10,000 digits are not printed.
const MAX_PAYOFF_BITS: u64 = 1 << 17;

/// Exact gains over the long-term strategy, at the step of the last comparison.
pub(super) struct Fractions<'a> {
    problem: Problem<'a>,
    gains: Vec<ExactGains<'a>>,
    /// Nothing is gained from here on.
    begin: Step,
    /// The step of the gains.
    at: Step,
    /// About how many bits the gains grow per layer.
    pub(super) bits_a_layer: u64,
}

impl<'a> Fractions<'a> {
    pub(super) fn new(problem: Problem<'a>) -> Fractions<'a> {
        let model = problem.model;
        let common = (0..model.n_choices()).map(ChoiceId::from).fold(Natural::ONE, |common, choice| {
            // Beyond the limit the exact length does not matter.
            if common.bit_len() as u64 > MAX_BITS {
                return common;
            }
            least_common_multiple(&common, problem.rows.denominator(choice))
        });
        let of_discounts = (0..model.n()).map(|i| model.discount(i).denominator().bit_len()).max().unwrap_or(0);
        let bits_a_layer = (common.bit_len() + of_discounts) as u64;
        let horizon = problem.horizon.clone();
        Fractions { problem, gains: Vec::new(), begin: horizon.clone(), at: horizon, bits_a_layer }
    }

    pub(super) fn begin_at(&mut self, step: &Step) {
        (self.begin, self.at) = (step.clone(), step.clone());
    }

    /// About the length of gains in bits after this many layers, if they are affordable.
    fn bits_after(&self, layers: &Step) -> Option<u64> {
        let model = self.problem.model;
        let layers = u64::try_from(layers).ok()?;
        let at_first = match self.problem.extent.terminal {
            None => 0,
            Some(terminal) => terminal.exact.as_ref()?.bits() as u64,
        };
        let bits = layers.saturating_mul(self.bits_a_layer).saturating_add(at_first);
        let per_layer = (bits / 128 + 1).saturating_mul((model.n_transitions() * model.n()) as u64);
        (bits <= MAX_BITS && layers.saturating_mul(per_layer) <= MAX_WORK).then_some(bits)
    }

    /// The approximate time of a layer after `layers` others, in nanoseconds: some per word and number, and, if the rewards are long, a division
    /// of a gain's denominator by one of theirs.
    fn work_of_layer(&self, layers: &Step) -> u64 {
        // As `evaluation::exact` measures a word, for the half of the transitions that a strategy takes where there are two choices.
        const WORD: u64 = 3;
        const ANY: u64 = 50;
        const STATE: u64 = 500;
        const WORDS_DIVIDED: u64 = 4;
        let Problem { model, long_term, .. } = self.problem;
        let layers = u64::try_from(layers).unwrap_or(u64::MAX);
        let of_values = long_term.values.iter().map(|values| values.bits() as u64 / 64).max().unwrap_or(0);
        let words = (layers.saturating_mul(self.bits_a_layer) / 64).saturating_add(of_values);
        let a_transition = words.saturating_mul(WORD).saturating_add(ANY);
        let a_state = (words.saturating_mul(of_values) / WORDS_DIVIDED).saturating_add(STATE);
        let a_part = a_transition.saturating_mul(model.n_transitions() as u64);
        a_part.saturating_add(a_state.saturating_mul(model.n_states() as u64)).saturating_mul(model.n() as u64)
    }

    /// Whether all layers before `step` are affordable.
    pub(super) fn reach_the_first_from(&self, step: &Step) -> bool {
        self.bits_after(&(step - self.problem.extent.first)).is_some()
    }

    /// The difference of the values of two choices for each part; `None` if it is not affordable.
    pub(super) fn difference(
        &mut self,
        contest: &Contest,
        one: ChoiceId,
        other: ChoiceId,
        stop: &StopSignal,
    ) -> Result<Option<Vec<(Integer, Natural)>>, StopReason> {
        let next = contest.step + 1;
        let most = if self.reach_the_first_from(&self.begin) { MAX_BITS } else { BRIEF_BITS };
        if self.bits_after(&(&self.begin - &next)).is_none_or(|bits| bits > most) {
            return Ok(None);
        }
        self.follow(&next, contest.changes, stop)?;
        let of_part = |gains: &ExactGains| {
            let [(one, below_one), (other, below_other)] =
                [one, other].map(|choice| gains.worth(contest.state, choice));
            let numerator =
                product(&one, &Integer::from(below_other.clone())) - product(&other, &Integer::from(below_one.clone()));
            (numerator, below_one * below_other * gains.denominator().into_parts().1)
        };
        Ok(Some(self.gains.iter().map(of_part).collect()))
    }

    /// The gains at the first step, unless they would be too long to print.
    pub(super) fn gains_at_start(
        mut self,
        changes: &[Vec<Change>],
        stop: &StopSignal,
    ) -> Result<Option<Vec<ExactGains<'a>>>, StopReason> {
        let first = self.problem.extent.first;
        if self.bits_after(&(&self.begin - first)).is_none_or(|bits| bits > MAX_PAYOFF_BITS) {
            return Ok(None);
        }
        self.follow(first, changes, stop)?;
        Ok(Some(self.gains))
    }

    /// Moves the gains to `step`.
    fn follow(&mut self, step: &Step, changes: &[Vec<Change>], stop: &StopSignal) -> Result<(), StopReason> {
        let Problem { model, rows, long_term, .. } = self.problem;
        if self.gains.is_empty() {
            let none = |i: usize| {
                let reward = move |choice| &model.rewards(choice)[i];
                ExactGains::none(model.mdp(), rows, model.discount(i), reward, &long_term.values[i])
            };
            self.gains = (0..model.n()).map(none).collect();
            // The gain after a segment is in units of λ_0, like a gain of the first part.
            if let Some(terminal) = self.problem.extent.terminal.and_then(|terminal| terminal.exact.as_ref()) {
                self.gains[0].begin_with(terminal);
            }
        }
        while self.at > *step {
            stop.check()?;
            stop.spend(self.work_of_layer(&(&self.begin - &self.at)));
            let now = &self.at - 1;
            let decisions: Vec<ChoiceId> = decisions(changes, &now).collect();
            self.gains.iter_mut().for_each(|gains| gains.step_back(&decisions));
            self.at = now;
        }
        Ok(())
    }
}
