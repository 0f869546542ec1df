//! Sums over all steps from a given one on: upper bounds on gains, and bounds on payoffs.
//!
//! Let `C_k(s,a) = Σ_{p≤k} ρ_p^H Δ_p(s,a)` and κ_k ≥ 0 an upper bound of C_k over all choices. By Abel summation
//! `D_t ≤ Σ_{k<n−1} (λ_k^{t−H} − λ_{k+1}^{t−H}) κ_k + λ_{n−1}^{t−H} κ_{n−1}` for every t ≥ H, in units of λ_0^H, so from
//! H on at most
//!
//! ```text
//! T(κ) = Σ_k κ_k f_k,      f_k = 1/(1−λ_k) − 1/(1−λ_{k+1})  for k < n−1,      f_{n−1} = 1/(1−λ_{n−1})
//! ```
//!
//! is gained (the prefix test with slack). With κ = 0 this is the stopping rule of the horizon. The factors are computed
//! exactly, to avoid cancellation for close discounts, and rounded once.

use crate::model::{Part, Principal, Segment};
use crate::number::{Enclosure, Rational};
use std::iter::Sum;
use std::ops::Mul;

/// `1/(1−λ)`: the value of 1 at every step.
pub(crate) fn lifetime(discount: &Rational) -> Rational {
    Rational::ONE / (Rational::ONE - discount)
}

/// The least and the greatest of some rewards, each at every step for ever: bounds on any payoff.
pub(crate) fn reward_range<'r>(
    discount: &Rational,
    rewards: impl Iterator<Item = &'r Rational> + Clone,
) -> [Rational; 2] {
    let (least, greatest) = (rewards.clone().min().expect("a choice"), rewards.max().expect("a choice"));
    [least, greatest].map(|reward| reward * lifetime(discount))
}

/// The value of 1 at every step from `step` on for each part of each segment of a principal, as of step 0.
pub(crate) fn weights_from(principal: &Principal, step: u64) -> impl Iterator<Item = Enclosure> {
    let segments = principal.segments();
    let ends = segments.iter().skip(1).map(|next| Some(next.from)).chain([None]);
    let of_segment = move |(segment, end): (&Segment, Option<u64>)| {
        let from = segment.from.max(step);
        let counted = end.is_none_or(|end| from < end);
        let began = segment.from;
        let of_part = move |part: &Part| {
            let discount = Enclosure::from(&part.discount);
            let until = end.map_or(Enclosure::ZERO, |end| discount.power(end - began));
            let steps = discount.power(from - began).plus(-until).times(Enclosure::from(&lifetime(&part.discount)));
            steps.times(Enclosure::from(&part.coefficient))
        };
        let parts = if counted { segment.parts.clone() } else { Vec::new() };
        parts.into_iter().map(move |part| of_part(&part))
    };
    segments.iter().zip(ends).flat_map(of_segment).collect::<Vec<_>>().into_iter()
}

/// Bounds on the value of the steps from `step` on for a principal whose rewards at a step are in `rewards`, as of step 0.
pub(crate) fn range_from(principal: &Principal, step: u64, rewards: Enclosure) -> Enclosure {
    weights_from(principal, step).map(|weight| rewards.times(weight)).fold(Enclosure::ZERO, Enclosure::plus)
}

/// The weight of each of the first steps for a principal, before its own weight.
pub(crate) fn step_weights(principal: &Principal, n_steps: u64) -> Vec<Enclosure> {
    let mut weights = Vec::with_capacity(n_steps as usize);
    let segments = principal.segments();
    for (k, segment) in segments.iter().enumerate() {
        let until = segments.get(k + 1).map_or(n_steps, |next| next.from.min(n_steps));
        let mut parts: Vec<(Enclosure, Enclosure)> = segment
            .parts
            .iter()
            .map(|part| (Enclosure::from(&part.coefficient), Enclosure::from(&part.discount)))
            .collect();
        for _ in segment.from..until {
            weights.push(parts.iter().map(|(weight, _)| *weight).fold(Enclosure::ZERO, Enclosure::plus));
            parts.iter_mut().for_each(|(weight, discount)| *weight = weight.times(*discount));
        }
    }
    weights
}

/// The factors f_k of T(κ).
#[derive(Debug)]
pub(crate) struct TailFactors<T>(Vec<T>);

impl<T: Copy + Mul<Output = T> + Sum> TailFactors<T> {
    /// The factors of decreasing discounts, each rounded up by `rounded`.
    pub fn of<'d>(
        discounts: impl IntoIterator<Item = &'d Rational>,
        rounded: impl Fn(&Rational) -> T,
    ) -> TailFactors<T> {
        let lifetimes: Vec<Rational> = discounts.into_iter().map(lifetime).collect();
        let factor = |k: usize| match lifetimes.get(k + 1) {
            Some(next) => rounded(&(&lifetimes[k] - next)),
            None => rounded(&lifetimes[k]),
        };
        TailFactors((0..lifetimes.len()).map(factor).collect())
    }

    /// T(κ) for these κ_k.
    pub fn bound(&self, kappa: impl IntoIterator<Item = T>) -> T {
        kappa.into_iter().zip(&self.0).map(|(kappa, &factor)| kappa * factor).sum()
    }
}
