//! The judge: decides comparisons that enclosures leave open.
//!
//! Given the decisions of all later steps, the value of choice a at step t minus that of choice b is
//!
//! ```text
//! Σ_i ρ_i^t c_i + λ_0 Σ_k δ_k g_{t+1}(k),      c_i = R_i(a) − R_i(b) + λ_i Σ_k δ_k V_i(k)
//! ```
//!
//! where δ is the difference of their rows. Equivalent states ([`Alike`]) have the same welfare, so one of them represents
//! all. Terms that cancel are not computed. The judge tries, in this order:
//!
//! 1. the sum itself: if the rows do not differ, or nothing is gained where they do, its sign is that of an exponential sum with
//!    exact coefficients;
//! 2. where fractions cannot reach the first step, enclosures of many bits from the last landing of a jump on: a checker can do the same;
//! 3. fractions ([`Fractions`]), from the step from which nothing is gained, as far as they are affordable;
//! 4. enclosures with more and more bits ([`Wide`]), from a step so late that the steps after it are negligible.
//!
//! A comparison that is still undecided is a tie, or closer to one than any affordable precision.

mod fractions;
mod wide;

use super::{Alike, Problem, by_tie_rule};
use crate::exact::{Advantages, ExactGains};
use crate::exponential_sum::{DiscountRatios, Weights};
use crate::model::{ChoiceId, StateId, least_common_multiple};
use crate::number::{ExactVector, Integer, Natural, Rational, Scaled, WideEnclosure, product};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, Step};
use fractions::Fractions;
use std::cmp::Ordering;
use wide::Wide;

/// Decides between choices.
pub(in crate::exact) struct Judge<'a> {
    problem: Problem<'a>,
    alike: Alike,
    fractions: Fractions<'a>,
    wide: Wide<'a>,
    /// Whether two choices tied, or were so close that only more than what the last landing tells could separate them: enclosures that
    /// are carried back over all stages cannot prove these comparisons.
    pub(super) found_a_tie: bool,
}

/// Which of a state's choices is best at a step.
pub(super) struct Contest<'q> {
    pub state: StateId,
    pub step: &'q Step,
    pub contenders: &'q [ChoiceId],
    /// The decisions of all later steps.
    pub changes: &'q [Vec<Change>],
    /// The advantages over the base at hand.
    pub advantages: &'q Advantages<'q>,
    /// The gain over the base from the next step on.
    pub gain: &'q [Scaled],
    pub weights: &'q Weights,
}

/// The judge's answer; ties go to a long-term choice, then to the first.
pub(super) enum Judged {
    Best(ChoiceId),
    /// The tie rule's choice among those that no affordable precision separates.
    Undecided(ChoiceId),
}

impl<'a> Judge<'a> {
    pub(super) fn new(problem: Problem<'a>, alike: Alike) -> Judge<'a> {
        Judge { problem, alike, fractions: Fractions::new(problem), wide: Wide::new(problem), found_a_tie: false }
    }

    /// Nothing is gained from `step` on: fractions may begin there.
    pub(in crate::exact) fn nothing_gained_from(&mut self, step: &Step) {
        self.fractions.begin_at(step);
        self.wide.begin_at(step);
    }

    /// A jump led to `step`, with these gains over the long-term strategy.
    pub(in crate::exact) fn landed(&mut self, step: &Step, gain: Vec<WideEnclosure>) {
        self.wide.landed(step, gain);
    }

    /// Whether `step` is so near the last landing that gains can be carried back from there in many bits.
    pub(in crate::exact) fn is_near(&self, step: &Step) -> bool {
        self.wide.is_near(step)
    }

    /// The gains over the long-term strategy at `step`, carried back from the last landing.
    pub(in crate::exact) fn gains(
        &mut self,
        step: &Step,
        changes: &[Vec<Change>],
        stop: &StopSignal,
    ) -> Result<&[WideEnclosure], StopReason> {
        self.wide.gains(step, changes, stop)
    }

    /// Whether fractions can follow the decisions from the horizon to the first step.
    pub(super) fn is_affordable(&self) -> bool {
        self.fractions.reach_the_first_from(self.problem.horizon)
    }

    /// About how many bits exact gains grow per layer.
    pub(super) fn bits_a_layer(&self) -> u64 {
        self.fractions.bits_a_layer
    }

    /// The gains at the first step, unless they would be too long to print.
    pub(super) fn gains_at_start(
        self,
        changes: &[Vec<Change>],
        stop: &StopSignal,
    ) -> Result<Option<Vec<ExactGains<'a>>>, StopReason> {
        self.fractions.gains_at_start(changes, stop)
    }

    pub(super) fn best(&mut self, contest: &Contest, stop: &StopSignal) -> Result<Judged, StopReason> {
        let is_long_term = self.problem.extent.allowed;
        let mut best = contest.contenders[0];
        let mut open = Vec::new();
        for &choice in &contest.contenders[1..] {
            match self.compare(contest, choice, best, stop)? {
                Some(Ordering::Greater) => best = choice,
                Some(Ordering::Equal) => {
                    self.found_a_tie = true;
                    best = by_tie_rule(&[best.min(choice), best.max(choice)], is_long_term);
                }
                Some(Ordering::Less) => {}
                None => open.push(choice),
            }
        }
        if open.is_empty() {
            return Ok(Judged::Best(best));
        }
        open.push(best);
        open.sort_unstable();
        Ok(Judged::Undecided(by_tie_rule(&open, is_long_term)))
    }

    /// The comparison of the values of two choices; `None` if no affordable precision decides it.
    fn compare(
        &mut self,
        contest: &Contest,
        one: ChoiceId,
        other: ChoiceId,
        stop: &StopSignal,
    ) -> Result<Option<Ordering>, StopReason> {
        let Problem { model, ratios, .. } = self.problem;
        let difference = Difference {
            rewards: model.rewards(one).iter().zip(model.rewards(other)).map(|(one, other)| one - other).collect(),
            row: self.alike.row_difference(model, one, other),
        };
        let (sign, final_word) = difference.sign(self.problem, contest);
        if sign.is_some() || final_word {
            return Ok(sign);
        }
        let is_affordable = self.is_affordable();
        if !is_affordable {
            let sign = self.wide.sign_since_landing(contest, &difference, stop)?;
            if sign.is_some() {
                return Ok(sign);
            }
        }
        let sign = match self.fractions.difference(contest, one, other, stop)? {
            Some(coefficients) => sign_of_sum(ratios, contest.weights, &coefficients),
            None => self.wide.sign(contest, &difference, stop)?,
        };
        self.found_a_tie |= sign.is_some() && !is_affordable;
        Ok(sign)
    }
}

/// The difference of two choices: in rewards, and in probabilities of states.
struct Difference {
    /// Per part.
    rewards: Vec<Rational>,
    /// The states where the rows differ, with the difference.
    row: Vec<(StateId, Rational)>,
}

impl Difference {
    /// c_i: the rewards, and what the values of a base add to them.
    fn coefficients(&self, problem: Problem, values: &[ExactVector]) -> Vec<(Integer, Natural)> {
        let common = self.row.iter().fold(Natural::ONE, |lcm, (_, p)| least_common_multiple(&lcm, p.denominator()));
        let of_part = |(i, reward): (usize, &Rational)| {
            let (discount, values) = (problem.model.discount(i), &values[i]);
            let term = |(state, chance): &(StateId, Rational)| {
                let weight = chance.numerator() * Integer::from(&common / chance.denominator());
                product(&values.numerators[state.index()], &weight)
            };
            let expected = self.row.iter().map(term).fold(Integer::ZERO, |sum, term| sum + term);
            if expected.is_zero() {
                return (reward.numerator().clone(), reward.denominator().clone());
            }
            let below = discount.denominator() * &common * &values.denominator;
            let at_once = product(reward.numerator(), &Integer::from(below.clone()));
            let later = product(&expected, discount.numerator()) * Integer::from(reward.denominator().clone());
            (at_once + later, below * reward.denominator())
        };
        self.rewards.iter().enumerate().map(of_part).collect()
    }

    /// The sign, if the enclosures of gains decide it; and whether no other method could decide more.
    fn sign(&self, problem: Problem, contest: &Contest) -> (Option<Ordering>, bool) {
        let coefficients = self.coefficients(problem, contest.advantages.values());
        let now = sum(problem.ratios, contest.weights, &coefficients);
        let discount = problem.model.discount(0);
        let later = self.row.iter().map(|(state, chance)| {
            let gain = contest.gain[state.index()];
            if gain.is_zero() { Scaled::ZERO } else { Scaled::from(&(chance * discount)).times(gain) }
        });
        let later = later.fold(Scaled::ZERO, Scaled::plus);
        (now.plus(later).sign(), later.is_zero())
    }
}

fn sum(ratios: &DiscountRatios, weights: &Weights, coefficients: &[(Integer, Natural)]) -> Scaled {
    let enclosures: Vec<Scaled> = coefficients.iter().map(|(n, d)| Scaled::of_quotient(n, d)).collect();
    ratios.sum(weights, 0..coefficients.len(), &enclosures, |i| coefficients[i].clone())
}

fn sign_of_sum(ratios: &DiscountRatios, weights: &Weights, coefficients: &[(Integer, Natural)]) -> Option<Ordering> {
    sum(ratios, weights, coefficients).sign()
}

/// The decisions at a step that is not before the earliest one known. Changes are listed latest first.
fn decisions<'q>(changes: &'q [Vec<Change>], step: &'q Step) -> impl Iterator<Item = ChoiceId> + 'q {
    changes.iter().map(move |changes| changes[changes.partition_point(|change| change.from > *step)].choice)
}
