//! Sums over all steps from one on: what can be gained there, and what can be earned at all.
//!
//! Let `C_k(s,a) = Σ_{p≤k} ρ_p^H Δ_p(s,a)` and κ_k ≥ 0 an upper bound of C_k over all choices. By Abel summation
//! `D_t ≤ Σ_{k<n−1} (λ_k^{t−H} − λ_{k+1}^{t−H}) κ_k + λ_{n−1}^{t−H} κ_{n−1}` for every t ≥ H, in units of λ_0^H, so from
//! H on at most
//!
//! ```text
//! T(κ) = Σ_k κ_k f_k,      f_k = 1/(1−λ_k) − 1/(1−λ_{k+1})  for k < n−1,      f_{n−1} = 1/(1−λ_{n−1})
//! ```
//!
//! is gained (the prefix test with slack). With κ = 0 this is the stopping rule of the horizon. The factors are formed
//! exactly, where two close discounts do not cancel, and rounded once into the numbers that κ is known in.

use crate::number::Rational;
use std::iter::Sum;
use std::ops::Mul;

/// `1/(1−λ)`: what 1 at every step is worth.
pub(crate) fn lifetime(discount: &Rational) -> Rational {
    Rational::ONE / (Rational::ONE - discount)
}

/// The least and the greatest of some rewards, each at every step for ever. Whatever is earned lies between the two.
pub(crate) fn reward_range<'r>(
    discount: &Rational,
    rewards: impl Iterator<Item = &'r Rational> + Clone,
) -> [Rational; 2] {
    let (least, greatest) = (rewards.clone().min().expect("a choice"), rewards.max().expect("a choice"));
    [least, greatest].map(|reward| reward * lifetime(discount))
}

/// The factors f_k of T(κ).
#[derive(Debug)]
pub(crate) struct TailFactors<T>(Vec<T>);

impl<T: Copy + Mul<Output = T> + Sum> TailFactors<T> {
    /// The factors of discounts that decrease, each as `rounded` has it, which is never less.
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
