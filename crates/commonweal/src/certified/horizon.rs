//! The step at which the tail begins, and bounds on gains and losses from there on.
//!
//! Let `C_k = Σ_{p≤k} ρ_p^H Δ_p` with ρ_p = λ_p/λ_0, and κ_k ≥ 0 at least every C_k. From step H on no strategy gains more than
//! `T(κ) = Σ_k κ_k f_k`, in units of λ_0^H ([`TailFactors`]). The strategy loses no more than T of the shortfall of its own
//! choices. The factors f_k have the sum 1/(1−λ_0), so this is at most `share / λ_0^H` if every C_k is at most
//! `share/2 · max(1−λ_0, 1/(n f_k)) / λ_0^H`. H is about the least step at which this holds. The right-hand side grows without
//! bound, so H is bounded however close two choices are. A C_k within the error of the advantages counts as 0: no later step
//! would decide it, and its effect is no greater than that of the error.

use super::advantage::Advantages;
use super::rounded_model::RoundedModel;
use crate::exponential_sum::{TailFactors, Weights};
use crate::number::UpperBound;
use crate::parallel;
use std::ops::Range;

/// ρ_i^step for every part: a double, and its error bound.
pub(super) struct StepWeights {
    pub nearest: Vec<f64>,
    pub error: Vec<UpperBound>,
}

impl StepWeights {
    pub fn of(weights: &Weights) -> StepWeights {
        let enclosures: Vec<_> = weights.scaled.iter().map(|weight| weight.to_doubles()).collect();
        StepWeights {
            nearest: enclosures.iter().map(|enclosure| enclosure.midpoint()).collect(),
            error: enclosures.iter().map(|enclosure| UpperBound::of(enclosure.width())).collect(),
        }
    }

    pub fn bound(&self, i: usize) -> UpperBound {
        UpperBound::of(self.nearest[i]) + self.error[i]
    }
}

/// About the least step from which at most `share` of welfare, as seen from step 0, can be gained. This is a guess;
/// [`Stake::at`] computes a proven bound.
pub(super) fn horizon(model: &RoundedModel, advantages: &Advantages, share: f64) -> u64 {
    let n = model.n();
    let logarithms: Vec<f64> = model.discounts.iter().map(|discount| discount.ln()).collect();
    let of_share = |k: usize| {
        let lifetime = |i: usize| model.impatience.get(i).map_or(0.0, |impatience| 1.0 / impatience);
        // The difference of discounts that round to the same double is not known in doubles.
        let factor = (lifetime(k) - lifetime(k + 1)).max(1e-6 * lifetime(k));
        0.5 * share * model.impatience[0].max(1.0 / (n as f64 * factor))
    };
    let error = |i: usize| advantages.error[i].max(advantages.followed[i]).get();
    let at = |step: u64| {
        let t = step as f64;
        // Avoids `0 · ∞` for a discount of 0, which counts the present step only.
        let power = |logarithm: f64| if step == 0 { 1.0 } else { (t * logarithm).exp() };
        let weights: Vec<f64> = logarithms.iter().map(|logarithm| power(logarithm - logarithms[0])).collect();
        let errors = weights.iter().enumerate().scan(0.0, |sum, (i, weight)| {
            *sum += weight * error(i);
            Some(*sum)
        });
        let grown = power(-logarithms[0]);
        let allowed = errors.enumerate().map(|(k, error)| (of_share(k) * grown).max(error)).collect();
        Thresholds { step, weights, allowed }
    };
    let passes = |candidate: usize, at: &Thresholds| {
        let mut sum = advantages.lead[candidate];
        let mut passes = sum <= at.allowed[0];
        let others = advantages.rest(candidate).iter().zip(&at.weights[1..]).zip(&at.allowed[1..]);
        for ((delta, weight), allowed) in others {
            sum += delta * weight;
            passes &= sum <= *allowed;
        }
        passes
    };
    let least_passing = |known: Thresholds, candidate: usize| {
        if passes(candidate, &known) {
            return known;
        }
        // Between a step that fails and one that passes.
        let (mut fails, mut found) = (known.step, at(known.step.max(8) * 2));
        while !passes(candidate, &found) && found.step < 1 << 52 {
            (fails, found) = (found.step, at(found.step * 2));
        }
        while found.step - fails > 1 {
            let middle = at(fails + (found.step - fails) / 2);
            if passes(candidate, &middle) { found = middle } else { fails = middle.step }
        }
        found
    };
    // Each block's candidates are looked at one after the other, and begin with what the ones before them need.
    let own = advantages.map_blocks(|candidates| candidates.fold(at(0), least_passing).step);
    model.ranks.greatest_of(own.into_iter().max().unwrap_or(0) as f64) as u64
}

/// The weights of the candidates' sums at a step, and the upper limits of these sums.
struct Thresholds {
    step: u64,
    /// ρ_i^step.
    weights: Vec<f64>,
    /// The upper limit of C_k, by k.
    allowed: Vec<f64>,
}

/// Bounds on gains and losses from a step on, in units of λ_0^step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stake {
    /// An upper bound on any strategy's gain.
    pub above: UpperBound,
    /// An upper bound on the strategy's loss.
    pub below: UpperBound,
}

impl Stake {
    pub fn at(model: &RoundedModel, advantages: &Advantages, weights: &StepWeights) -> Stake {
        let n = model.n();
        let of_followed: Vec<UpperBound> = prefix_sums((0..n).map(|i| weights.bound(i) * advantages.followed[i]));
        // The error of the sum of k terms: the errors of the advantages, of the weights, and the roundings of the sum.
        let roundings = UpperBound::of_roundings(n as f64 + 2.0);
        let off = prefix_sums((0..n).map(|i| {
            let magnitude = weights.bound(i) * advantages.greatest[i];
            weights.bound(i) * advantages.error[i] + weights.error[i] * advantages.greatest[i] + roundings * magnitude
        }));
        let of_candidate = |mut greatest: Vec<f64>, candidate: usize| {
            let mut sum = advantages.lead[candidate] * weights.nearest[0];
            greatest[0] = greatest[0].max(sum);
            for (i, delta) in (1..n).zip(advantages.rest(candidate)) {
                sum += delta * weights.nearest[i];
                greatest[i] = greatest[i].max(sum);
            }
            greatest
        };
        let larger = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| a.max(b)).collect();
        let of_block = |block: Range<usize>| block.fold(vec![0.0; n], of_candidate);
        let mut of_candidates =
            parallel::map_blocks(advantages.n_candidates(), of_block).into_iter().fold(vec![0.0; n], larger);
        model.ranks.greatest(&mut of_candidates);
        let kappa: Vec<UpperBound> =
            (0..n).map(|k| (UpperBound::of(of_candidates[k]) + off[k]).max(of_followed[k])).collect();
        let discounts = model.parts.iter().map(|part| &part.discount);
        let factors = TailFactors::of(discounts, UpperBound::of_exact);
        Stake { above: factors.bound(kappa), below: factors.bound(of_followed) }
    }
}

fn prefix_sums(terms: impl Iterator<Item = UpperBound>) -> Vec<UpperBound> {
    let running = |sum: &mut UpperBound, term: UpperBound| {
        *sum = *sum + term;
        Some(*sum)
    };
    terms.scan(UpperBound::ZERO, running).collect()
}
