//! Events: the steps at which another choice may beat the strategy of a stage.
//!
//! Against the values of a stage's strategy σ, choice (s,a) beats σ at step t only if, in units of λ_0^t,
//!
//! ```text
//! d_t + slack_t > 0,      d_t = Σ_i ρ_i^t Δ_i(s,a),      slack_t = 2 r λ_0^{b−t}
//! ```
//!
//! where r bounds how far the values at step b, from which the stage goes back, are from those of σ: in absolute units the
//! distance never grows on the way back, because rows of probabilities do not stretch vectors. That there is no event on
//! a whole interval [u,v] follows from any of these, each a handful of sums:
//!
//! - *prefix test at u*: d_t is a weighted mean of the prefix sums at u (Abel summation), so `d_t ≤ max_k C_k(u)`;
//! - *suffix test at v*: if the suffix sums B_k(v), k ≥ 1, are at most 0, then `d_t ≤ B_0(v)`, provided that no
//!   principal with discount 0 comes back at u = 0;
//! - *monotony*: every ρ_i^t falls with t, so `d_t ≤ Σ_{Δ_i>0} Δ_i ρ_i^u + Σ_{Δ_i<0} Δ_i ρ_i^v`.
//!
//! An interval that passes none is cut in two, the later half asked first. With two principals a negative interval passes
//! at once. With more, an action may be attractive, unattractive and attractive again: then the tests at the ends fail for
//! ever, and monotony decides on pieces whose length doubles with their distance from a root. An exponential sum of n
//! terms has at most n − 1 roots, so O(n log b) pieces do.

use super::Advantages;
use super::candidates::Candidates;
use super::exponential_sum::{DiscountRatios, Weights};
use crate::model::{ChoiceId, StateId};
use crate::number::{Natural, Scaled};
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

/// After this many cuts for one choice, the rest of its interval counts as an event: a walk over it is always right.
const MAX_CUTS: usize = 10_000;

/// Where a stage goes back from, and how exactly its values are known there.
pub(super) struct StageEnd<'a> {
    /// Decisions are known from this step on; the stage may hold at the steps before it.
    pub step: &'a Step,
    /// The choices of the stage, one per state.
    pub strategy: &'a [ChoiceId],
    /// r, in units of λ_0^step.
    pub radius: Scaled,
    /// States whose values are exactly those of the stage's strategy.
    pub settled: &'a [bool],
}

/// Looks for events.
pub(super) struct Events<'a> {
    pub model: &'a OrderedModel<'a>,
    pub candidates: &'a Candidates,
    pub ratios: &'a DiscountRatios,
    pub advantages: &'a Advantages<'a>,
    /// λ_0.
    pub discount: Scaled,
    pub weights: RefCell<HashMap<Step, Rc<Weights>>>,
}

/// One choice's question on an interval.
struct Question<'a> {
    state: StateId,
    choice: ChoiceId,
    end: &'a Step,
    slack: Scaled,
    cuts: usize,
}

impl Events<'_> {
    /// The last step before the end of the stage at which some choice may beat the stage's strategy.
    pub(super) fn last(&self, end: &StageEnd, stop: &StopSignal) -> Result<Option<Step>, StopReason> {
        let mut least = Step::ZERO;
        let mut last = None;
        for state in self.model.states() {
            for &choice in self.candidates.of_state(state) {
                if choice == end.strategy[state.index()] {
                    continue;
                }
                if least >= *end.step {
                    return Ok(last);
                }
                let settled =
                    end.settled[state.index()] && self.model.targets(choice).iter().all(|t| end.settled[t.index()]);
                let slack = if settled { Scaled::ZERO } else { end.radius.plus(end.radius) };
                let mut question = Question { state, choice, end: end.step, slack, cuts: 0 };
                if let Some(step) = self.last_in(&mut question, least.clone(), end.step - Natural::ONE, stop)? {
                    least = &step + Natural::ONE;
                    last = Some(step);
                }
            }
        }
        Ok(last)
    }

    /// The last step of [from, to] at which the choice may beat the stage's strategy.
    fn last_in(
        &self,
        question: &mut Question,
        from: Step,
        to: Step,
        stop: &StopSignal,
    ) -> Result<Option<Step>, StopReason> {
        // Intervals still to be asked, the latest on top.
        let mut open = vec![(from, to)];
        while let Some((from, to)) = open.pop() {
            stop.check()?;
            if self.excluded(question, &from, &to) {
                continue;
            }
            if from == to || question.cuts == MAX_CUTS {
                return Ok(Some(to));
            }
            question.cuts += 1;
            let middle: Step = (&from + &to) >> 1;
            let after = &middle + Natural::ONE;
            open.push((from, middle));
            open.push((after, to));
        }
        Ok(None)
    }

    /// Whether one of the tests shows that there is no event in [from, to].
    fn excluded(&self, question: &Question, from: &Step, to: &Step) -> bool {
        let n = self.model.n();
        let (first, last) = (self.weights(from), self.weights(to));
        let slack = question.slack.times(self.discount.power(&(question.end - to)));
        let sum = |weights: &Weights, range| {
            self.advantages.sum(self.ratios, weights, question.state, question.choice, range)
        };
        let at_most_zero = |sum: Scaled| matches!(sum.upper().sign(), Some(Ordering::Less | Ordering::Equal));
        let negative = |sum: Scaled| at_most_zero(sum.plus(slack));
        // A discount of 0 counts at step 0 and nowhere else: no weight at the end tells of it.
        let returns_at_start = from.is_zero() && last.scaled[n - 1].is_zero();
        let suffix =
            || !returns_at_start && negative(sum(&last, 0..n)) && (1..n).all(|k| at_most_zero(sum(&last, k..n)));
        let prefix = || (1..=n).all(|k| negative(sum(&first, 0..k)));
        let monotony = || {
            let advantages = self.advantages.of(question.choice);
            let greatest = advantages.iter().enumerate().map(|(i, advantage)| {
                let gain = advantage.sign() != Some(Ordering::Less);
                advantage.times(if gain { first.scaled[i] } else { last.scaled[i] })
            });
            negative(greatest.fold(Scaled::ZERO, Scaled::plus))
        };
        match from == to {
            true => negative(sum(&last, 0..n)),
            false => suffix() || prefix() || monotony(),
        }
    }

    fn weights(&self, step: &Step) -> Rc<Weights> {
        let mut known = self.weights.borrow_mut();
        Rc::clone(known.entry(step.clone()).or_insert_with(|| Rc::new(self.ratios.weights(step))))
    }
}

#[cfg(test)]
mod tests {
    use crate::io::read_model;
    use crate::number::Natural;
    use crate::{SolveOptions, solve};

    #[test]
    fn a_jump_to_the_start_sees_who_counts_the_first_step_alone() {
        let model = read_model(
            "principals: {p0: 0.9, p1: 0.89999, p2: 0}\n\
             states:\n  s: {stay: {reward: 0, to: s}, x: {reward: {p0: -1, p2: 5}, to: s}}\n  \
             u: {stay: {reward: 0, to: u}, y: {reward: {p0: -1, p1: 2}, to: u}}\n",
        );
        let model = model.expect("a model");
        let jumps = solve(&model, &SolveOptions::default());
        assert!(jumps.walk().n_jumps > 0, "{:?}", jumps.walk());
        // x gains 4 at step 0, and loses 1 at every other.
        assert_eq!(jumps.strategy().changes(0.into())[1].from, Natural::ONE);
        let welfare = jumps.welfare_enclosure(0.into());
        assert!(welfare.lower() <= 4.0 && 4.0 <= welfare.upper() && welfare.width() < 1e-9, "{welfare:?}");
        let plain = solve(&model, &SolveOptions { jumps: false, ..SolveOptions::default() });
        assert_eq!(jumps.strategy(), plain.strategy());
    }
}
