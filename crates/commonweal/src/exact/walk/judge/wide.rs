//! Gains in enclosures of as many bits as a comparison needs, carried back from a step so late that the steps after it are
//! negligible.
//!
//! At any step T the values of a strategy and those of the long-term strategy differ by at most C_i for part i. Seen from T − m
//! the error of the welfare is at most `λ_0^m Σ_i ρ_i^T C_i`, so m layers of known decisions, with enough bits, give the gains
//! to any precision. Bits and layers are doubled until the comparison is decided or the work limit is reached. The next
//! comparison is often one step earlier, so the gains are kept.

use super::{Contest, Difference, decisions};
use crate::exact::jump::{BITS, farthest, layers_for_bits};
use crate::exact::walk::Problem;
use crate::exponential_sum::Weights;
use crate::model::{ChoiceId, StateId};
use crate::number::{Scaled, WideEnclosure};
use crate::parallel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, Step};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// The bits of the first attempt.
const FIRST_BITS: usize = 128;
/// The most bits of an attempt. At the end of a segment no layer counts as work, and a tie would take any number of bits.
const MAX_BITS: usize = 1 << 20;
/// The work of one attempt, in products of 64 bits: about a second.
const MAX_WORK: u64 = 1 << 23;
/// The approximate time of a product of 64 bits, including overhead, in nanoseconds.
const PRODUCT: u64 = 100;
/// The work limit of all attempts: for exact ties no precision suffices.
const MAX_TOTAL_WORK: u64 = 1 << 24;

/// Gains over the long-term strategy.
pub(super) struct Wide<'a> {
    problem: Problem<'a>,
    /// Nothing is gained from here on.
    begin: Step,
    attempt: Option<Attempt>,
    spent: u64,
    /// The gains since the last landing of a jump, or since the beginning.
    since_landing: Attempt,
}

/// Gains at a step, with a number of bits, and what is needed to go on from there.
struct Attempt {
    bits: usize,
    /// The step until which it may be reused; before that a new attempt is as good.
    lasts_until: Step,
    weights: Weights,
    gain: Vec<WideEnclosure>,
    rows: Vec<OnceLock<Row>>,
}

/// Δ_i and λ_0 P of a choice.
struct Row {
    advantages: Vec<WideEnclosure>,
    chances: Vec<WideEnclosure>,
}

impl<'a> Wide<'a> {
    pub(super) fn new(problem: Problem<'a>) -> Wide<'a> {
        let n_states = problem.model.n_states();
        let gain = match problem.extent.terminal {
            Some(terminal) => terminal.in_bits(BITS),
            None => vec![WideEnclosure::zero(BITS); n_states],
        };
        let since_landing = Attempt {
            bits: BITS,
            lasts_until: Step::ZERO,
            weights: problem.ratios.weights_with(problem.horizon, BITS),
            gain,
            rows: (0..problem.model.n_choices()).map(|_| OnceLock::new()).collect(),
        };
        Wide { problem, begin: problem.horizon.clone(), attempt: None, spent: 0, since_landing }
    }

    pub(super) fn begin_at(&mut self, step: &Step) {
        self.begin = step.clone();
    }

    pub(super) fn landed(&mut self, step: &Step, gain: Vec<WideEnclosure>) {
        self.since_landing.weights = self.problem.ratios.weights_with(step, BITS);
        self.since_landing.gain = gain;
    }

    /// Whether `step` is not after the gains since the last landing, and the layers between take at most about a second.
    pub(super) fn is_near(&self, step: &Step) -> bool {
        let reached = &self.since_landing.weights.step;
        *step <= *reached
            && u64::try_from(&(reached - step))
                .is_ok_and(|layers| layers.saturating_mul(work_a_layer(self.problem, BITS)) <= MAX_WORK)
    }

    /// The gains at `step`, carried back from the last landing.
    pub(super) fn gains(
        &mut self,
        step: &Step,
        changes: &[Vec<Change>],
        stop: &StopSignal,
    ) -> Result<&[WideEnclosure], StopReason> {
        self.since_landing.follow(self.problem, step, changes, stop)?;
        Ok(&self.since_landing.gain)
    }

    /// The sign of a difference of two choices, if the gains since the last landing decide it.
    pub(super) fn sign_since_landing(
        &mut self,
        contest: &Contest,
        difference: &Difference,
        stop: &StopSignal,
    ) -> Result<Option<Ordering>, StopReason> {
        let next = contest.step + 1;
        if !self.is_near(&next) {
            return Ok(None);
        }
        self.gains(&next, contest.changes, stop)?;
        Ok(self.since_landing.sign(self.problem, contest, difference))
    }

    /// The sign of a difference of two choices, if an affordable number of bits decides it.
    pub(super) fn sign(
        &mut self,
        contest: &Contest,
        difference: &Difference,
        stop: &StopSignal,
    ) -> Result<Option<Ordering>, StopReason> {
        let next = contest.step + 1;
        if self.attempt.as_ref().is_some_and(|at| at.weights.step < next || at.lasts_until > next) {
            self.attempt = None;
        }
        loop {
            stop.check()?;
            if let Some(attempt) = &mut self.attempt {
                let layers = u64::try_from(&(&attempt.weights.step - &next)).expect("a few layers");
                let work = layers * work_a_layer(self.problem, attempt.bits);
                if self.spent.saturating_add(work) > MAX_TOTAL_WORK {
                    return Ok(None);
                }
                self.spent += work;
                attempt.follow(self.problem, &next, contest.changes, stop)?;
                if let Some(sign) = attempt.sign(self.problem, contest, difference) {
                    return Ok(Some(sign));
                }
            }
            let bits = self.attempt.as_ref().map_or(FIRST_BITS, |attempt| 2 * attempt.bits);
            match self.affordable(&next, bits) {
                Some(from) => self.attempt = Some(self.attempt_from(from, bits, &next)),
                None => return Ok(None),
            }
        }
    }

    /// The step from which an attempt with this many bits begins, unless it would take too long.
    fn affordable(&self, next: &Step, bits: usize) -> Option<Step> {
        let layers = layers_for_bits(self.problem.model, bits as f64);
        let from = (next + layers).min(self.begin.clone());
        let layers = u64::try_from(&(&from - next)).ok()?;
        let is_affordable = layers.saturating_mul(work_a_layer(self.problem, bits)) <= MAX_WORK && bits <= MAX_BITS;
        is_affordable.then_some(from)
    }

    fn attempt_from(&self, from: Step, bits: usize, next: &Step) -> Attempt {
        let Problem { model, ratios, .. } = self.problem;
        let layers = &from - next;
        let lasts_until = if layers < *next { next - &layers } else { Step::ZERO };
        let weights = ratios.weights_with(&from, bits);
        let terminal = self.problem.extent.terminal;
        let gain = match terminal {
            Some(terminal) if from == self.begin => terminal.in_bits(bits),
            None if from == self.begin => vec![WideEnclosure::zero(bits); model.n_states()],
            _ => {
                let of_part = |i: usize| farthest(model, i, &Step::ZERO).times(weights.scaled[i]);
                let after = terminal.map_or(Scaled::ZERO, |end| end.seen_from(model, &(&self.begin - &from)));
                let distance = (0..model.n()).map(of_part).fold(after, Scaled::plus).upper();
                vec![WideEnclosure::around_zero(distance, bits); model.n_states()]
            }
        };
        let rows = (0..model.n_choices()).map(|_| OnceLock::new()).collect();
        Attempt { bits, lasts_until, weights, gain, rows }
    }
}

fn work_a_layer(problem: Problem, bits: usize) -> u64 {
    let model = problem.model;
    let products = model.n_transitions() * model.n_states() / model.n_choices() + model.n() * model.n_states();
    (products * bits / 64) as u64
}

impl Attempt {
    /// Goes back to `step` under the decisions made.
    fn follow(
        &mut self,
        problem: Problem,
        step: &Step,
        changes: &[Vec<Change>],
        stop: &StopSignal,
    ) -> Result<(), StopReason> {
        while self.weights.step > *step {
            stop.check()?;
            stop.spend(PRODUCT * work_a_layer(problem, self.bits));
            self.weights = problem.ratios.step_back(&self.weights);
            let decisions: Vec<ChoiceId> = decisions(changes, &self.weights.step).collect();
            let this = &*self;
            let gain = |index: usize| {
                let choice = decisions[index];
                let row = this.rows[choice.index()].get_or_init(|| this.row(problem, index.into(), choice));
                let now = row.advantages.iter().enumerate().map(|(i, advantage)| advantage.times(this.weights.wide(i)));
                let targets = problem.model.targets(choice).iter().zip(&row.chances);
                let later = targets.map(|(target, chance)| chance.times(&this.gain[target.index()]));
                now.chain(later).fold(WideEnclosure::zero(this.bits), |sum, term| sum.plus(&term))
            };
            self.gain = parallel::map(decisions.len(), gain);
        }
        Ok(())
    }

    fn row(&self, problem: Problem, state: StateId, choice: ChoiceId) -> Row {
        let Problem { model, advantages, .. } = problem;
        let advantage = |i: usize| {
            let (numerator, denominator) = advantages.quotient(state, choice, i);
            WideEnclosure::of_quotient(&numerator, &denominator, self.bits)
        };
        let none = advantages.of(choice).iter().all(Scaled::is_zero);
        let discount = model.discount(0);
        Row {
            advantages: if none { Vec::new() } else { (0..model.n()).map(advantage).collect() },
            chances: model
                .probabilities(choice)
                .iter()
                .map(|p| WideEnclosure::of(&(p * discount), self.bits))
                .collect(),
        }
    }

    /// The sign of a difference at the step before the one reached.
    fn sign(&self, problem: Problem, contest: &Contest, difference: &Difference) -> Option<Ordering> {
        let weights = problem.ratios.weights_with(contest.step, self.bits);
        let coefficients = difference.coefficients(problem, problem.advantages.values());
        let now = coefficients.iter().enumerate().map(|(i, (numerator, denominator))| {
            WideEnclosure::of_quotient(numerator, denominator, self.bits).times(weights.wide(i))
        });
        let discount = problem.model.discount(0);
        let later = difference
            .row
            .iter()
            .map(|(state, chance)| WideEnclosure::of(&(chance * discount), self.bits).times(&self.gain[state.index()]));
        now.chain(later).fold(WideEnclosure::zero(self.bits), |sum, term| sum.plus(&term)).sign()
    }
}
