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
    /// How many terms are added up to what one step counts: 1 for a part, the number of parts for a mixture.
    pub(super) n_terms: usize,
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
            n_terms: 1,
            tail,
            coefficient: Enclosure::from(&part.coefficient).midpoint(),
            weight: Enclosure::from(&counts).midpoint(),
            underflow,
        }
    }

    /// For all parts of an approximated preference together, in thinned runs.
    pub(super) fn of_mixture(principal: &Principal, thinning: &Thinning, greatest_reward: f64) -> Patience {
        let length = thinning.length(principal);
        let rest = |step: u64| weights_from(principal, step).fold(Enclosure::ZERO, Enclosure::plus);
        let times = |one: Enclosure, factor: f64| one.times(Enclosure::new(factor, factor));
        // As of a part; a step after the cut adds nothing.
        let steps = thinning.steps.iter().copied().filter(|step| *step < length);
        let (total, _) =
            steps.fold((rest(0), 1.0), |(sum, factor), step| (sum.plus(times(rest(step), factor)), 2.0 * factor));
        let most = times(total, greatest_reward).upper();
        Patience {
            window: None,
            discount: 0.0,
            for_ever: rest(0).midpoint(),
            total: rest(0).midpoint(),
            length,
            most,
            thinned: Some(total.upper()),
            n_terms: principal.last().parts.len(),
            tail: times(rest(length), greatest_reward).upper(),
            coefficient: 1.0,
            weight: Enclosure::from(&principal.weight).midpoint(),
            underflow: underflow(&principal.weight, most),
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
    /// What a step of a mixture counts is a sum of positive terms, one for each part, and what is left is added up from the cut: that costs
    /// as much as adding the summands. Twice all that covers the products of errors. In a thinned run late steps may count more than early ones: there no step is
    /// taken to count less than the first.
    pub(super) fn rounding(&self, n_outcomes: usize, n_updates: u64) -> f64 {
        if self.most == 0.0 {
            return 0.0;
        }
        let length = self.length as f64;
        let counted = if self.thinned.is_some() { length } else { self.for_ever };
        let terms = self.n_terms as f64;
        let arithmetic = UNIT_ROUNDOFF * (length + 3.0 * counted + 7.0 + terms + 8.0 * n_updates as f64);
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
fn tail_share_of_runs(runs: u64) -> f64 {
    0.1 / (runs.max(1) as f64).sqrt()
}

/// About the least number of steps after which at most this share of a mixture's weights is left, at most [`MAX_STEPS`]. Only a guess:
/// [`Patience::tail`] bounds what is left out.
pub(super) fn length_of_mixture(principal: &Principal, share: f64) -> u64 {
    let left = Left::new(std::slice::from_ref(principal));
    first_step(0, MAX_STEPS, |step| left.share(step) <= share)
}

/// The first step after `below` and up to `above` from which on this holds, as it does at `above`.
fn first_step(mut below: u64, mut above: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        *if holds(middle) { &mut above } else { &mut below } = middle;
    }
    above
}

/// What is left of the principals' weights after some steps, about.
struct Left {
    /// Per principal its parts, and what they count in total.
    principals: Vec<(Vec<Counts>, f64)>,
}

/// A part: its coefficient, 1 − λ, and the steps at which it counts.
struct Counts {
    coefficient: f64,
    impatience: f64,
    from: u64,
    until: Option<u64>,
}

impl Counts {
    /// What it counts from `step` on.
    fn from(&self, step: u64) -> f64 {
        let first = step.max(self.from);
        let log = (-self.impatience).ln_1p();
        let power = |at: u64| if at == self.from { 1.0 } else { ((at - self.from) as f64 * log).exp() };
        match self.until {
            Some(until) if until <= first => 0.0,
            Some(until) if self.impatience == 0.0 => self.coefficient * (until - first) as f64,
            Some(until) => self.coefficient * (power(first) - power(until)) / self.impatience,
            None => self.coefficient * power(first) / self.impatience,
        }
    }
}

impl Left {
    fn new(principals: &[Principal]) -> Left {
        let own = |principal: &Principal| {
            let segments = principal.segments();
            let parts = segments.iter().enumerate().flat_map(|(k, segment)| {
                let until = segments.get(k + 1).map(|next| next.from);
                segment.parts.iter().map(move |part| Counts {
                    coefficient: part.coefficient.to_f64().abs(),
                    impatience: (Rational::ONE - &part.discount).to_f64(),
                    from: segment.from,
                    until,
                })
            });
            let parts: Vec<Counts> = parts.filter(|part| part.coefficient > 0.0).collect();
            let all = parts.iter().map(|part| part.from(0)).sum();
            (parts, all)
        };
        Left { principals: principals.iter().map(own).collect() }
    }

    /// The greatest share of a principal's weights that is left from `step` on.
    fn share(&self, step: u64) -> f64 {
        let own = |(parts, all): &(Vec<Counts>, f64)| parts.iter().map(|part| part.from(step)).sum::<f64>() / all;
        // Without any weight, 0/0.
        self.principals.iter().map(own).filter(|share| share.is_finite()).fold(0.0, f64::max)
    }
}

/// What the steps of an approximated preference count.
pub(super) struct Table {
    weights: Vec<f64>,
    /// The sums of the weights from each step on, for ever.
    rests: Vec<f64>,
}

impl Table {
    /// Cost: O(length · parts).
    pub(super) fn new(principal: &Principal, length: u64) -> Table {
        let parts = &principal.last().parts;
        let discounts: Vec<f64> = parts.iter().map(|part| part.discount.to_f64()).collect();
        let mut terms: Vec<f64> = parts.iter().map(|part| part.coefficient.to_f64()).collect();
        let mut weights = Vec::new();
        for _ in 0..length {
            weights.push(terms.iter().sum());
            terms.iter_mut().zip(&discounts).for_each(|(term, discount)| *term *= discount);
        }
        let for_ever = parts.iter().map(|part| (Rational::ONE - &part.discount).to_f64());
        let mut rest: f64 = terms.iter().zip(for_ever).map(|(term, impatience)| term / impatience).sum();
        let mut rests: Vec<f64> = Vec::with_capacity(weights.len());
        for weight in weights.iter().rev() {
            rest += weight;
            rests.push(rest);
        }
        rests.reverse();
        Table { weights, rests }
    }

    /// What `step` counts, with all later ones if it is `for_ever`; nothing after the cut.
    pub(super) fn counts(&self, step: u64, for_ever: bool) -> f64 {
        let all = if for_ever { &self.rests } else { &self.weights };
        usize::try_from(step).ok().and_then(|step| all.get(step)).copied().unwrap_or(0.0)
    }
}

/// Where random runs of approximated preferences end. All of it is a guess: [`Patience`] bounds what it does to the intervals.
pub(super) struct Thinning {
    /// A mixture is cut where this share of its weights is left,
    share: f64,
    /// and at this step at the latest.
    end: u64,
    /// The steps at which half of the runs end while the others count for them.
    pub(super) steps: Vec<u64>,
}

impl Thinning {
    /// The most steps whose weights are in a table.
    const MAX_STEPS: u64 = 1 << 20;
    /// What a run may cost on average, and what a step does in units of a part's update: 10,000 runs take some seconds.
    const WORK: f64 = 1e6;
    const STEP: f64 = 16.0;
    /// What is left at the thinned steps: a start times 2^(−fall · k) at the k-th. If that falls faster than by halves, the later steps of
    /// a run count for a bounded multiple of it: less than 1.7 times the sum of all weights for the first. Otherwise they may count for
    /// more, rarely.
    const SHARES: [[f64; 2]; 8] =
        [[0.25, 1.5], [0.25, 1.0], [0.25, 0.75], [0.25, 0.5], [1.0, 1.5], [1.0, 1.0], [1.0, 0.75], [1.0, 0.5]];

    /// For this many runs: the first shares, unless their runs take too long; then the shares and the cut for which intervals are expected
    /// to be narrowest.
    pub(super) fn of_runs(principals: &[Principal], runs: u64) -> Thinning {
        let share = tail_share_of_runs(runs);
        let (mixtures, plain): (Vec<&Principal>, Vec<&Principal>) =
            principals.iter().partition(|principal| principal.approximation().is_some());
        let lengths = mixtures.iter().map(|own| length_of_mixture(own, share));
        let longest = lengths.max().unwrap_or(1).min(Self::MAX_STEPS);
        let parts = || plain.iter().flat_map(|own| own.segments().iter().flat_map(|segment| &segment.parts));
        let cost = Self::STEP + parts().count() as f64;
        // Others are not cut.
        let lengths = plain
            .iter()
            .flat_map(|own| own.last().parts.iter().map(|part| own.last().from.saturating_add(length(&part.discount))));
        let least_end = lengths.max().unwrap_or(1).min(MAX_STEPS);
        let left = Left::new(principals);
        let thinned = |cut: u64, shares: [f64; 2]| {
            let end = cut.max(least_end);
            let steps = thinned_steps(&left, end, shares);
            let [walked, half_width] = expected(&left, &steps, cut, end, runs);
            (walked * cost <= Self::WORK, half_width, Thinning { share, end: cut, steps })
        };
        let (is_short, _, gentle) = thinned(longest, Self::SHARES[0]);
        if is_short {
            return gentle;
        }
        let cuts = std::iter::successors(Some(longest), |cut| Some(cut / 2).filter(|half| *half > 0));
        let all = cuts.flat_map(|cut| Self::SHARES.map(|shares| thinned(cut, shares)));
        let short = all.filter(|(is_short, ..)| *is_short);
        short.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(gentle, |(_, _, best)| best)
    }

    /// The step at which this mixture is cut.
    pub(super) fn length(&self, mixture: &Principal) -> u64 {
        length_of_mixture(mixture, self.share).min(self.end)
    }
}

/// The steps before `end` at which half of the runs may end: at the k-th one `start` · 2^(−fall · k) of every principal's weights
/// are left.
fn thinned_steps(left: &Left, end: u64, [start, fall]: [f64; 2]) -> Vec<u64> {
    let mut steps: Vec<u64> = Vec::new();
    for k in 1.. {
        let share = start * (-fall * f64::from(k)).exp2();
        if left.share(end) > share {
            break;
        }
        let least = steps.last().copied().unwrap_or(0);
        let step = first_step(least, end, |step| left.share(step) <= share);
        if step >= end || step <= least {
            break;
        }
        steps.push(step);
    }
    steps
}

/// About how many steps a thinned run takes, and how wide half an interval is relative to what all weights count, if all rewards are
/// equal: what is cut off, and the bound of Maurer and Pontil (`interval`) for 99 %.
fn expected(left: &Left, thinned: &[u64], cut: u64, end: u64, runs: u64) -> [f64; 2] {
    const LOG: f64 = 7.0;
    let ends = thinned.iter().copied().chain([end]);
    let (mut walked, mut second_moment) = (0.0, 0.0);
    let (mut from, mut factor, mut worth) = (0, 1.0, 0.0);
    for until in ends {
        walked += (until - from) as f64 / factor;
        let before = worth;
        worth += factor * (left.share(from) - left.share(until));
        // A run that comes this far is worth more than before; 1 in `factor` does.
        second_moment += (worth * worth - before * before) / factor;
        (from, factor) = (until, 2.0 * factor);
    }
    let n = runs.max(2) as f64;
    let mean = 1.0 - left.share(end);
    let variance = (second_moment - mean * mean).max(0.0);
    [walked, left.share(cut) + (2.0 * LOG * variance / n).sqrt() + 7.0 * LOG * worth / (3.0 * (n - 1.0))]
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
