//! Annuities, half-lives, the implied social discount rate, and trajectories.
//!
//! The *annuity* of a principal with weights d(j) is `payoff / Σ_j d(j)`: the constant reward per step of the same value. It
//! makes principals of different patience comparable. With `D(j) = Σ_p |w_p| d_p(j)`, the sum of all weights, society
//! discounts step j + 1 against step j at the rate `D(j)/D(j+1) − 1`. The *half-life* of a preference is the first step that
//! counts at most half of step 0.
//!
//! Annuities are proven like the payoffs that they come from. Rates and trajectories are for pictures and tables, in plain
//! doubles.

pub use crate::evaluation::{Trajectory, WeightsByStep, trajectory};

use crate::model::{Part, Principal};
use crate::number::{Enclosure, Rational, Value};

/// The sum of the weights of all steps, also of an approximated preference; exact if the fraction is short.
pub fn total_weight(principal: &Principal) -> Value {
    /// A longer power is enclosed.
    const LONGEST: u64 = 1 << 14;
    let segments = principal.segments();
    let ends = segments.iter().skip(1).map(|next| Some(next.from)).chain([None]);
    let lengths: Vec<Option<u64>> = segments.iter().zip(ends).map(|(own, end)| end.map(|end| end - own.from)).collect();
    let parts = || {
        segments
            .iter()
            .zip(&lengths)
            .flat_map(|(segment, length)| segment.parts.iter().map(move |part| (part, *length)))
    };
    let is_short = parts().all(|(part, length)| {
        length.is_none_or(|length| length.saturating_mul(part.discount.bits() as u64) <= LONGEST)
    });
    let own = if is_short {
        let of_part = |(part, length): (&Part, Option<u64>)| {
            let after = length.map_or(Rational::ZERO, |length| part.discount.pow(length as isize));
            &part.coefficient * (Rational::ONE - after) / (Rational::ONE - &part.discount)
        };
        Value::from(parts().map(of_part).fold(Rational::ZERO, |sum, term| sum + term))
    } else {
        let of_part = |(part, length): (&Part, Option<u64>)| {
            let after = length.map_or(Enclosure::ZERO, |length| Enclosure::from(&part.discount).power(length));
            let whole = Enclosure::from(&(&part.coefficient / (Rational::ONE - &part.discount)));
            whole.times(Enclosure::ONE.plus(-after))
        };
        Value::from(parts().map(of_part).fold(Enclosure::ZERO, Enclosure::plus))
    };
    match principal.approximation() {
        None => own,
        Some(approximation) => Value::from(own.enclosure.widened(Enclosure::from(&approximation.error).upper())),
    }
}

/// The constant reward a step that is worth as much to a principal as `payoff`.
pub fn annuity(principal: &Principal, payoff: &Value) -> Value {
    let total = total_weight(principal);
    match (&payoff.exact, &total.exact) {
        (Some(payoff), Some(total)) if !total.is_zero() => Value::from(payoff / total),
        _ => Value::from(payoff.enclosure.over(total.enclosure)),
    }
}

/// The first step that counts at most half of step 0, if it comes within `limit` steps.
pub fn half_life(principal: &Principal, limit: u64) -> Option<u64> {
    falls_to(principal, 0.5, limit)
}

/// The first step that counts at most this share of step 0, if it comes within `limit` steps.
pub fn falls_to(principal: &Principal, share: f64, limit: u64) -> Option<u64> {
    let mut weights = WeightsByStep::of(principal);
    let share = weights.next()? * share;
    (1..=limit).zip(weights).find(|(_, weight)| *weight <= share).map(|(step, _)| step)
}

/// The rate at which the sum of all weights falls between each of the first `n` steps and the next; `None` if all weights are 0. Where
/// weights become too small for doubles, the rate remains what it was.
pub fn social_rates(principals: &[Principal], n: usize) -> Vec<Option<f64>> {
    let mut sums = vec![0.0; n + 1];
    for principal in principals.iter().filter(|principal| !principal.weight.is_zero()) {
        let counts = principal.weight.to_f64().abs();
        sums.iter_mut().zip(WeightsByStep::of(principal)).for_each(|(sum, weight)| *sum += counts * weight);
    }
    /// Smaller weights have few digits.
    const SMALLEST: f64 = 1e-280;
    let of_pair = |before: &mut Option<f64>, pair: &[f64]| {
        if pair[0] >= SMALLEST {
            *before = (pair[1] > 0.0).then(|| pair[0] / pair[1] - 1.0);
        }
        Some(*before)
    };
    sums.windows(2).scan(None, of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Preference;
    use crate::number::parse_rational;

    fn principal(entry: &str) -> Principal {
        Principal::stating("p", crate::io::read_preference("p", entry).unwrap()).unwrap()
    }

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    #[test]
    fn the_green_book_has_the_factors_that_it_prints() {
        let factors: Vec<f64> = WeightsByStep::of(&principal("{schedule: green-book}")).take(301).collect();
        let printed =
            [(1, 0.9662), (30, 0.3563), (31, 0.3459), (50, 0.1973), (75, 0.0942), (125, 0.0274), (300, 0.0014)];
        for (year, factor) in printed {
            assert_eq!((factors[year] * 1e4).round() / 1e4, factor, "year {year}");
        }
    }

    #[test]
    fn a_rate_stays_where_weights_are_too_small_for_doubles_and_ends_where_they_end() {
        let rates = social_rates(&[principal("{rate: 10%}")], 20_000);
        assert!(rates.iter().all(|rate| rate.is_some_and(|rate| (rate - 0.1).abs() < 1e-9)));
        let rates = social_rates(&[principal("{rate: 3%, until: 40}")], 100);
        assert_eq!(rates.iter().position(Option::is_none), Some(39));
        assert!(rates[39..].iter().all(Option::is_none));
        assert_eq!(falls_to(&principal("{rate: 3%, until: 40}"), 0.005, 1_000), Some(40));
    }

    /// In closed form, at steps where it is a short fraction: (1 + j/10)^−4 and 0.9^j/(1 + j/10).
    #[test]
    fn approximated_preferences_count_steps_as_they_state() {
        let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        let gamma = principal("{gamma: {mean: 40%, sd: 20%}}");
        let weights: Vec<f64> = WeightsByStep::of(&gamma).take(91).collect();
        for (step, weight) in [(0, 1.0), (10, 1.0 / 16.0), (30, 1.0 / 256.0), (90, 1e-4)] {
            near(weights[step], weight);
        }
        // From step 10 to step 11 the weight falls from 2^−4 to 2.1^−4.
        let rates = social_rates(std::slice::from_ref(&gamma), 11);
        near(rates[10].unwrap(), 1.05f64.powi(4) - 1.0);
        let hyperbolic = principal("{hyperbolic: 0.1, hazard: 10%}");
        near(WeightsByStep::of(&hyperbolic).nth(10).unwrap(), 0.9f64.powi(10) / 2.0);
        // The mixture says the same, up to its error.
        let mixture: f64 = gamma.last().parts.iter().map(|part| part.coefficient_after(10).to_f64()).sum();
        assert!((mixture - 1.0 / 16.0).abs() < 1e-5, "{mixture}");
    }

    #[test]
    fn all_steps_together_count_what_series_say() {
        let total = |entry: &str| total_weight(&principal(entry)).exact.unwrap();
        assert_eq!(total("2/3"), number("3"));
        assert_eq!(total("{rate: 4%}"), number("26"));
        assert_eq!(total("{beta: 1/2, delta: 1/2}"), number("3/2"));
        assert_eq!(total("{discount: 1/2, until: 3}"), number("7/4"));
        // 1 + 1/2 + 1/4 + 1/4·(2/3 + 4/9 + …)
        assert_eq!(total("{schedule: {0: 100%, 3: 50%}}"), number("9/4"));
        let long = total_weight(&principal("{discount: 9/10, until: 1000000}"));
        assert!(long.exact.is_none() && long.enclosure.lower() <= 10.0 && long.enclosure.upper() >= 10.0);
        assert!(long.enclosure.width() < 1e-9);
        // Σ 1/((1 + j/10)·…) of a mixture, summed here.
        let mixture = total_weight(&principal("{hyperbolic: 0.1, hazard: 10%}"));
        let sum: f64 = (0..2000).map(|j| 0.9f64.powi(j) / (1.0 + 0.1 * f64::from(j))).sum();
        assert!(mixture.enclosure.lower() <= sum && sum <= mixture.enclosure.upper());
    }

    #[test]
    fn an_annuity_is_worth_the_payoff() {
        let fund = principal("{rate: 4%}");
        assert_eq!(annuity(&fund, &Value::from(number("52"))).exact, Some(number("2")));
        let gamma = principal("{gamma: {mean: 40%, sd: 20%}}");
        let worth = annuity(&gamma, &Value::from(number("3")));
        let back = worth.enclosure.times(total_weight(&gamma).enclosure);
        assert!(worth.exact.is_none() && back.lower() <= 3.0 && back.upper() >= 3.0);
    }

    #[test]
    fn half_lives_and_rates_are_those_of_the_sum_of_all_weights() {
        assert_eq!(half_life(&principal("1/2"), 100), Some(1));
        assert_eq!(half_life(&principal("{rate: 7%}"), 100), Some(11));
        assert_eq!(half_life(&principal("{rate: 0.1%}"), 100), None);
        assert_eq!(half_life(&principal("{rate: 1%, until: 5}"), 100), Some(5));
        let both = [principal("{rate: 1%}"), principal("{rate: 7%}").weighted(Rational::from(-1))];
        let rates: Vec<f64> = social_rates(&both, 300).into_iter().flatten().collect();
        // The mean of the discounts at first, then ever nearer to the patient one's rate.
        let first = 2.0 / (1.0 / 1.01 + 1.0 / 1.07) - 1.0;
        assert!(
            (rates[0] - first).abs() < 1e-12 && rates.is_sorted_by(|a, b| a >= b) && (rates[299] - 0.01).abs() < 1e-6
        );
        let over = Principal::stating("p", Preference::Rate { rate: number("0.1"), until: Some(2) }).unwrap();
        assert_eq!(social_rates(&[over], 3).iter().filter(|rate| rate.is_none()).count(), 2);
    }
}
