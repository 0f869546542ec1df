//! The number of steps for which a run counts for a part of a time preference, and bounds on truncation and rounding errors.

use crate::exponential_sum::weights_from;
use crate::model::{Part, Principal};
use crate::number::{Enclosure, Rational, UNIT_ROUNDOFF};

/// The fraction of the greatest possible payoff that truncation may lose.
pub(super) const TAIL_SHARE: f64 = 1e-12;
/// The most steps of a run. `tail` bounds the truncation error for discounts very close to 1.
pub(super) const MAX_STEPS: u64 = 10_000_000;

/// Quantities derived from the discount λ of a part, the steps at which it counts and its principal's greatest reward.
#[derive(Debug)]
pub(super) struct Patience {
    /// The steps at which it counts, if these are not all: the first, and the one after the last.
    pub(super) window: Option<(u64, Option<u64>)>,
    /// λ.
    pub(super) discount: f64,
    /// 1 / (1 − λ).
    pub(super) for_ever: f64,
    /// The value of 1 at every step: the same, unless the part counts only for some steps.
    pub(super) total: f64,
    /// The step before which a run counts: the least number of steps with `λ^T ≤ TAIL_SHARE` after the first one, or the most
    /// allowed.
    pub(super) length: u64,
    /// The greatest value of a run: `max |R| / (1 − λ)`, or `max |R|` times the total of a thinned one.
    pub(super) most: f64,
    /// If runs are thinned, an upper bound on the total of what the steps of one run count.
    pub(super) thinned: Option<f64>,
    /// The greatest value of the steps after the length: `max |R| · λ^T / (1 − λ)`.
    pub(super) tail: f64,
    /// The part's coefficient in its principal's payoff.
    pub(super) coefficient: f64,
    /// Its coefficient in the welfare.
    pub(super) weight: f64,
    /// The absolute error of both products beyond relative rounding, if a factor or the product underflows.
    pub(super) underflow: f64,
}

/// The probability of one 64-bit number.
const DRAW_UNIT: f64 = UNIT_ROUNDOFF / 2048.0;

impl Patience {
    /// For a part that counts from one step on, and before another, of a principal whose rewards are at most `greatest_reward` in
    /// absolute value, in runs of at most `most_steps`.
    pub(super) fn within(
        principal: &Principal,
        part: &Part,
        (from, until): (u64, Option<u64>),
        greatest_reward: f64,
        most_steps: u64,
    ) -> Patience {
        let discount = Enclosure::from(&part.discount);
        let for_ever = Enclosure::from(&(Rational::ONE / (Rational::ONE - &part.discount)));
        let most = Enclosure::new(greatest_reward, greatest_reward).times(for_ever);
        let counts = &principal.weight * &part.coefficient;
        let underflow = underflow(&part.coefficient, most.upper()).max(underflow(&counts, most.upper()));
        let window = (from > 0 || until.is_some()).then_some((from, until));
        let length = from.saturating_add(length(&part.discount)).min(until.unwrap_or(u64::MAX)).min(most_steps);
        // If a run is cut before the part begins to count, its value is not known.
        let counted = length.saturating_sub(from);
        let total = until.map_or(for_ever, |until| Enclosure::ONE.plus(-discount.power(until - from)).times(for_ever));
        let tail = match until {
            Some(until) if until <= length => 0.0,
            _ => discount.power(counted).times(most).upper(),
        };
        Patience {
            window,
            discount: discount.midpoint(),
            for_ever: for_ever.midpoint(),
            total: total.midpoint(),
            length,
            most: most.upper(),
            thinned: None,
            tail,
            coefficient: Enclosure::from(&part.coefficient).midpoint(),
            weight: Enclosure::from(&counts).midpoint(),
            underflow,
        }
    }

    /// The same for runs of which half end at each of these steps, while the later steps of the others count twice as much.
    pub(super) fn thinned_at(self, steps: &[u64], greatest_reward: f64) -> Patience {
        if steps.is_empty() {
            return self;
        }
        let discount = Enclosure::new(self.discount, self.discount.next_up());
        let from = self.window.map_or(0, |(from, _)| from);
        // λ^(t − from), summed from step t on; nothing is added for steps before the part counts.
        let rest = |step: u64| discount.power(step.saturating_sub(from));
        // Σ_k 2^k (ρ(t_k) − ρ(t_{k+1})) = ρ(0) + Σ_{k ≥ 1} 2^(k−1) ρ(t_k).
        let (sum, _) = steps.iter().fold((Enclosure::ONE, 1.0), |(sum, factor), &step| {
            (sum.plus(rest(step).times(Enclosure::new(factor, factor))), 2.0 * factor)
        });
        let total = sum.times(Enclosure::new(self.for_ever, self.for_ever.next_up())).upper();
        let most = Enclosure::new(greatest_reward, greatest_reward).times(Enclosure::new(total, total)).upper();
        Patience { most, thinned: Some(total), ..self }
    }

    /// The value of 1 at `step` and every later one; `power` is λ to the number of steps so far.
    pub(super) fn rest(&self, step: u64, power: f64) -> f64 {
        match self.window {
            None | Some((_, None)) => power * self.for_ever,
            Some((from, Some(until))) => {
                let left = until.saturating_sub(step.max(from)) as f64;
                power * self.for_ever * -(left * self.discount.ln()).exp_m1()
            }
        }
    }

    /// Whether the part counts at `step`, as far as it has begun.
    pub(super) fn has_begun(&self, step: u64) -> bool {
        self.window.is_none_or(|(from, _)| from <= step)
    }

    /// A bound on the rounding error of the mean payoff, if decisions have at most `n_outcomes` outcomes and there are `n_updates`
    /// successive updates of the mean.
    ///
    /// With `u = 2^-53`: a discount, a reward and `1 / (1 − λ)` are each off by at most `2u` of themselves, so that the
    /// summand of step `j` is off by at most `(3j + 8) u` of itself; over all `j` that is `(3 / (1 − λ) + 8) u` of the
    /// most. Adding `T` summands costs `T u`, an update of the mean `8u` of the most. A draw among `d` outcomes is off
    /// by `d · 2^-64` in total variation, and a run that differs from step `j` on changes by at most `2 λ^j` of the most.
    /// Twice all that covers the products of errors. In a thinned run late steps may count more than early ones: there no step is
    /// taken to count less than the first.
    pub(super) fn rounding(&self, n_outcomes: usize, n_updates: u64) -> f64 {
        if self.most == 0.0 {
            return 0.0;
        }
        let length = self.length as f64;
        let counted = if self.thinned.is_some() { length } else { self.for_ever };
        let arithmetic = UNIT_ROUNDOFF * (length + 3.0 * counted + 8.0 + 8.0 * n_updates as f64);
        let draws = DRAW_UNIT * n_outcomes as f64 * 2.0 * counted;
        // Below the least normal double, errors are no longer relative.
        2.0 * self.most * (arithmetic + draws) + length * f64::MIN_POSITIVE
    }
}

/// A bound on the absolute error, beyond relative rounding, of the product of a factor's nearest double with at most `most`, and
/// of the mean of up to 2^50 such products.
fn underflow(factor: &Rational, most: f64) -> f64 {
    let nearest = Enclosure::from(factor);
    let least = nearest.lower().abs().min(nearest.upper().abs());
    let is_normal = least >= f64::MIN_POSITIVE && least * most >= f64::MIN_POSITIVE / UNIT_ROUNDOFF;
    if factor.is_zero() || most == 0.0 || is_normal {
        return 0.0;
    }
    nearest.times(Enclosure::new(0.0, most)).width() + f64::MIN_POSITIVE
}

/// A bound on the rounding error of a sum over `n_parts` of at most `most` in absolute value.
pub(super) fn rounding_of_sum(n_parts: usize, most: f64) -> f64 {
    2.0 * UNIT_ROUNDOFF * (n_parts as f64 + 4.0) * most
}

/// The share of a mixture's weights that random runs may leave out: a tenth of what the mean of these runs varies by, if single
/// runs vary by as much as they are worth.
pub(super) fn tail_share_of_runs(runs: u64) -> f64 {
    0.1 / (runs.max(1) as f64).sqrt()
}

/// About the least number of steps after which at most this share of a mixture's weights is left, at most [`MAX_STEPS`]. Only a guess:
/// [`Patience::tail`] bounds what is left out.
pub(super) fn length_of_mixture(principal: &Principal, share: f64) -> u64 {
    let sizes: Vec<[f64; 2]> = (principal.last().parts.iter())
        .map(|part| {
            let impatience = (Rational::ONE - &part.discount).to_f64();
            [part.coefficient.to_f64().abs() / impatience, (-impatience).ln_1p()]
        })
        .collect();
    let left = |steps: u64| -> f64 { sizes.iter().map(|[size, log]| size * (steps as f64 * log).exp()).sum() };
    let enough = share * left(0);
    let (mut below, mut above) = (0, MAX_STEPS);
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        *if left(middle) <= enough { &mut above } else { &mut below } = middle;
    }
    above
}

/// The steps before `end` at which half of the runs may end while the others count for them. At the k-th one 2^(−3k/2)/4 of
/// every principal's weights are left, so that the later steps of a run count for a bounded multiple of that: less than 1.7 times the
/// sum of all weights. Only a guess: [`Patience::thinned_at`] bounds it.
pub(super) fn thinning(principals: &[Principal], end: u64) -> Vec<u64> {
    let left = |principal: &Principal, step: u64| -> f64 {
        weights_from(principal, step).map(|weight| weight.midpoint().abs()).sum()
    };
    let all: Vec<f64> = principals.iter().map(|principal| left(principal, 0)).collect();
    let is_left = |share: f64, step: u64| principals.iter().zip(&all).any(|(own, all)| left(own, step) > share * all);
    let mut steps = Vec::new();
    let mut least = 0;
    for k in 1.. {
        let share = 0.25 * (-1.5 * f64::from(k)).exp2();
        if is_left(share, end) {
            break;
        }
        let (mut below, mut above) = (least, end);
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            *if is_left(share, middle) { &mut below } else { &mut above } = middle;
        }
        if above >= end || above <= least {
            break;
        }
        steps.push(above);
        least = above;
    }
    steps
}

fn length(discount: &Rational) -> u64 {
    if discount.is_zero() {
        return 1;
    }
    // ln λ from 1 − λ, to avoid cancellation if λ is close to 1.
    let log = (-Enclosure::from(&(Rational::ONE - discount)).midpoint()).ln_1p();
    // A quotient beyond 64 bits saturates.
    ((TAIL_SHARE.ln() / log).ceil() as u64).clamp(1, MAX_STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    fn patience(discount: &str) -> Patience {
        let number = |text| parse_rational(text).unwrap();
        let principal = Principal::new("p", number(discount)).unwrap();
        Patience::within(&principal, &principal.last().parts[0], (0, None), 3.0, MAX_STEPS)
    }

    #[test]
    fn runs_are_cut_where_the_rest_is_negligible() {
        let half = patience("1/2");
        assert_eq!((half.length, half.most), (40, 6.0f64.next_up()));
        assert!(half.tail <= TAIL_SHARE * half.most && 2.0 * half.tail > TAIL_SHARE * half.most);
        assert_eq!((patience("0").length, patience("0").tail), (1, 0.0));
        assert_eq!(patience("1e-400").length, 1);
        assert_eq!(patience("0.999").length, 27_618);
    }

    #[test]
    fn the_longest_runs_own_up_to_what_they_leave_out() {
        let near_one = patience("0.9999999");
        assert_eq!(near_one.length, MAX_STEPS);
        let share = near_one.tail / near_one.most;
        assert!((share - (-1.0f64).exp()).abs() < 1e-6, "{share}");
        assert_eq!(patience(&format!("0.{}", "9".repeat(400))).length, MAX_STEPS);
    }
}
