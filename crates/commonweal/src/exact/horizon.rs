//! The horizon: the least step from which the prefix test proves that no deviation pays. [Lem. 2]
//!
//! At step t a choice passes if every prefix sum `Σ_{i≤k} λ_i^t Δ_i(s,a)` is at most 0. By Abel summation a choice that
//! passes at t passes at every later step, so its first step is found by doubling and bisection, and the horizon is
//! the latest of these. Choices are asked in turn, each only whether it passes at the horizon so far: nearly all do.
//! Cost: one sign per principal and choice, and O(log H) more for each choice that moves the horizon.

use super::Advantages;
use crate::exponential_sum::{DiscountRatios, Weights};
use crate::model::{ChoiceId, StateId};
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use std::cmp::Ordering;

/// The horizon.
pub fn horizon(
    model: &OrderedModel,
    advantages: &Advantages,
    ratios: &DiscountRatios,
    stop: &StopSignal,
) -> Result<Step, StopReason> {
    let test = PrefixTest { advantages, ratios };
    let mut horizon = Step::ZERO;
    let mut weights = ratios.weights(&horizon);
    for state in model.states() {
        stop.check()?;
        for choice in model.choices(state) {
            if !test.passes(state, choice, &weights) {
                horizon = test.first_pass(state, choice, horizon, stop)?;
                weights = ratios.weights(&horizon);
            }
        }
    }
    Ok(horizon)
}

/// The first step at which one choice passes the prefix test.
pub fn first_passing_step(
    advantages: &Advantages,
    ratios: &DiscountRatios,
    state: StateId,
    choice: ChoiceId,
    stop: &StopSignal,
) -> Result<Step, StopReason> {
    let test = PrefixTest { advantages, ratios };
    if test.passes(state, choice, &ratios.weights(&Step::ZERO)) {
        Ok(Step::ZERO)
    } else {
        test.first_pass(state, choice, Step::ZERO, stop)
    }
}

/// The prefix test of single choices.
struct PrefixTest<'a> {
    advantages: &'a Advantages<'a>,
    ratios: &'a DiscountRatios,
}

impl PrefixTest<'_> {
    fn passes(&self, state: StateId, choice: ChoiceId, weights: &Weights) -> bool {
        let enclosures = self.advantages.of(choice);
        (0..enclosures.len()).all(|last| {
            // A prefix that ends with a loss is below the prefix before it, which passed.
            let loss = matches!(enclosures[last].sign(), Some(Ordering::Less | Ordering::Equal));
            // A sum too near to 0 to tell does not pass: a later step will.
            let sum = || self.advantages.sum(self.ratios, weights, state, choice, 0..last + 1).sign();
            loss || matches!(sum(), Some(Ordering::Less | Ordering::Equal))
        })
    }

    /// The first step after `fails` at which the choice passes. There is one: its first advantage that is not 0 is a loss.
    fn first_pass(
        &self,
        state: StateId,
        choice: ChoiceId,
        mut fails: Step,
        stop: &StopSignal,
    ) -> Result<Step, StopReason> {
        let passes_at = |step: &Step| self.passes(state, choice, &self.ratios.weights(step));
        let mut stride = Step::ONE;
        let mut passes = loop {
            stop.check()?;
            let step = &fails + &stride;
            if passes_at(&step) {
                break step;
            }
            fails = step;
            stride = &stride + &stride;
        };
        while &passes - &fails > Step::ONE {
            stop.check()?;
            let middle = (&passes + &fails).half();
            if passes_at(&middle) { passes = middle } else { fails = middle }
        }
        Ok(passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::long_term::values_of;
    use crate::io::read_model;
    use crate::model::IntegerRows;
    use crate::principals::order;

    /// The step that is sought has some 3,000 digits, and finding it takes hours.
    #[test]
    fn a_search_for_a_step_of_three_thousand_digits_can_be_stopped() {
        let text = format!(
            "principals: {{p: 1/2, q: 0.4{}}}\nstates: {{s: {{stay: {{reward: 0, to: s}}, \
             loop: {{reward: {{p: -1, q: 2}}, to: s}}}}}}\n",
            "9".repeat(3_000)
        );
        let model = read_model(&text).expect("a model");
        let model = order(&model);
        let rows = IntegerRows::of(model.mdp());
        let values = values_of(&model, &[0.into()], &StopSignal::default()).expect("nobody stops it");
        let advantages = Advantages::over(&model, &rows, values, |choice| choice.index() == 0);
        let ratios = DiscountRatios::of(&model);
        let raised = StopSignal::default();
        raised.raise();
        let step = first_passing_step(&advantages, &ratios, 0.into(), 1.into(), &raised);
        assert_eq!(step, Err(StopReason::Interrupted));
        assert_eq!(horizon(&model, &advantages, &ratios, &raised), Err(StopReason::Interrupted));
    }
}
