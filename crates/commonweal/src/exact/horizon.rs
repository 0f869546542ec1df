//! The horizon: the least step from which the prefix test proves that no deviation pays. [Lem. 2]
//!
//! At step t a choice passes if every prefix sum `Σ_{i≤k} λ_i^t Δ_i(s,a)` is at most 0. By Abel summation a choice that
//! passes at t passes at every later step, so its first step is found by doubling and bisection, and the horizon is
//! the latest of these. Choices are tested in turn, each only at the horizon so far: nearly all pass.
//! Cost: one sign per part and choice, and O(log H) more for each choice that moves the horizon.
//!
//! `tail_bound` is an upper bound on the gain from an earlier step on.

use super::Advantages;
use crate::exponential_sum::{DiscountRatios, TailFactors, Weights};
use crate::model::{ChoiceId, StateId};
use crate::number::Scaled;
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
            // A sum whose sign is undecided does not pass: a later step will.
            let sum = || self.advantages.sum(self.ratios, weights, state, choice, 0..last + 1).sign();
            loss || matches!(sum(), Some(Ordering::Less | Ordering::Equal))
        })
    }

    /// The first step after `fails` at which the choice passes. It exists: the first non-zero advantage is a loss.
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

/// T(κ): an upper bound, as a point, on any strategy's gain from `step` on, in units of λ_0^step.
pub(crate) fn tail_bound(
    model: &OrderedModel,
    advantages: &Advantages,
    ratios: &DiscountRatios,
    step: &Step,
) -> Scaled {
    let weights = ratios.weights(step);
    let mut kappa = vec![Scaled::ZERO; model.n()];
    for choice in (0..model.n_choices()).map(ChoiceId::from) {
        let mut prefix = Scaled::ZERO;
        for ((kappa, advantage), weight) in kappa.iter_mut().zip(advantages.of(choice)).zip(&weights.scaled) {
            prefix = prefix.plus(advantage.times(*weight));
            *kappa = kappa.max(prefix).upper();
        }
    }
    let factors = TailFactors::of((0..model.n()).map(|i| model.discount(i)), |factor| Scaled::from(factor));
    factors.bound(kappa).upper()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::long_term::values_of;
    use crate::io::read_model;
    use crate::model::IntegerRows;
    use crate::number::Rational;
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

    fn power(x: &Rational, n: usize) -> Rational {
        (0..n).fold(Rational::ONE, |power, _| power * x)
    }

    /// One loop that earns nothing and one that earns `rewards`: from a step on, a strategy that takes the second where its sum is
    /// positive gains the most. The bound is at least that, and exactly that where every sum is a gain.
    #[test]
    fn nobody_gains_more_than_the_bound_and_gainers_gain_just_that() {
        for (rewards, all_gain) in [
            ([3, 2, 1], true),
            ([0, 0, 4], true),
            ([5, 0, 0], true),
            ([-1, 4, -4], false),
            ([-1, 2, 3], false),
            ([1, -2, 4], false),
            ([2, -9, 1], false),
            ([-1, -1, 9], false),
        ] {
            let [a, b, c] = rewards;
            let text = format!(
                "principals: {{p: 3/4, q: 1/2, r: 1/4}}\nstates: {{s: {{stay: {{reward: 0, to: s}}, \
                 loop: {{reward: {{p: {a}, q: {b}, r: {c}}}, to: s}}}}}}\n"
            );
            let model = read_model(&text).expect("a model");
            let model = order(&model);
            let rows = IntegerRows::of(model.mdp());
            let values = values_of(&model, &[0.into()], &StopSignal::default()).expect("nobody stops it");
            let advantages = Advantages::over(&model, &rows, values, |choice| choice.index() == 0);
            for step in [0, 1, 2, 5, 20] {
                let said = tail_bound(&model, &advantages, &DiscountRatios::of(&model), &step.into());
                // In units of λ_0^step, over enough steps that the rest is below 2^-80 of the first.
                let sum = |t: usize| {
                    let term = |(i, reward): (usize, i32)| power(model.discount(i), t) * Rational::from(reward);
                    rewards.into_iter().enumerate().map(term).fold(Rational::ZERO, |sum, term| sum + term)
                };
                let gains = (step..step + 220).map(sum).filter(|sum| *sum > Rational::ZERO);
                let gained = gains.fold(Rational::ZERO, |sum, gain| sum + gain) / power(model.discount(0), step);
                let what = format!("{rewards:?} from step {step}: {said:?}, {gained}");
                assert_ne!(said.compare(&Scaled::from(&gained)), Some(Ordering::Less), "{what}");
                // Roundings and the steps left out are less than a part in 2^40.
                let above = &gained * Rational::from_quotient((1 << 40) + 1, 1 << 40);
                assert!(!all_gain || !said.may_reach(&Scaled::from(&above)), "{what}");
            }
        }
    }
}
