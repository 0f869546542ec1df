//! What can be gained from a step on, at most. (Prefix test with slack.)
//!
//! Let `C_k(s,a) = Σ_{p≤k} ρ_p^H Δ_p(s,a)` and κ_k ≥ 0 an upper bound of C_k over all choices. By Abel summation
//! `D_t ≤ Σ_{k<n−1} (λ_k^{t−H} − λ_{k+1}^{t−H}) κ_k + λ_{n−1}^{t−H} κ_{n−1}` for every t ≥ H, in units of λ_0^H, so from
//! H on at most `T(κ) = Σ_{k<n−1} κ_k (1/(1−λ_k) − 1/(1−λ_{k+1})) + κ_{n−1}/(1−λ_{n−1})` is gained. With κ = 0 this is the
//! stopping rule of the horizon.

use super::Advantages;
use crate::exponential_sum::DiscountRatios;
use crate::model::ChoiceId;
use crate::number::{Rational, Scaled};
use crate::principals::OrderedModel;
use crate::strategy::Step;

/// An upper bound, as a point, of what any strategy gains from `step` on, in units of λ_0^step.
pub fn tail_bound(model: &OrderedModel, advantages: &Advantages, ratios: &DiscountRatios, step: &Step) -> Scaled {
    let weights = ratios.weights(step);
    let mut slack = vec![Scaled::ZERO; model.n()];
    for choice in (0..model.n_choices()).map(ChoiceId::from) {
        let mut prefix = Scaled::ZERO;
        for ((slack, advantage), weight) in slack.iter_mut().zip(advantages.of(choice)).zip(&weights.scaled) {
            prefix = prefix.plus(advantage.times(*weight));
            *slack = slack.max(prefix).upper();
        }
    }
    let lifetime = |i: usize| Rational::ONE / (Rational::ONE - model.discount(i));
    let bound = (0..model.n()).map(|k| {
        let weight = if k + 1 < model.n() { lifetime(k) - lifetime(k + 1) } else { lifetime(k) };
        slack[k].times(Scaled::from(&weight))
    });
    bound.fold(Scaled::ZERO, Scaled::plus).upper()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::long_term::values_of;
    use crate::io::read_model;
    use crate::model::IntegerRows;
    use crate::principals::order;
    use crate::stop::StopSignal;
    use std::cmp::Ordering;

    fn power(x: &Rational, n: usize) -> Rational {
        (0..n).fold(Rational::ONE, |power, _| power * x)
    }

    /// One loop that earns nothing and one that earns `rewards`: from a step on, whoever takes the second where its sum is
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
                // In units of λ_0^step, over so many steps that the rest is below 2^-80 of the first.
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
