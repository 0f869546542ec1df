//! Signs of exponential sums `Σ_i c_i λ_i^j`.
//!
//! Only ratios to the greatest discount matter for a sign: with ρ_i = λ_i/λ_0 the sum `Σ_i c_i ρ_i^j` neither overflows
//! nor loses its leading term. Doubles decide nearly every sign; what they cannot decide is asked again with 128 bits
//! and twice as many each time, and what is still open once the exact sum is no longer than the enclosure's bits is
//! computed exactly. Powers are by repeated squaring: a sign costs O(n log j) products.

use crate::number::{Enclosure, Integer, Natural, Rational, WideEnclosure, product};
use crate::principals::OrderedModel;
use dashu_base::BitTest;
use std::cmp::Ordering;

/// The ratios ρ_i = λ_i/λ_0, most patient principal first.
#[derive(Debug)]
pub struct DiscountRatios {
    exact: Vec<Rational>,
    enclosures: Vec<Enclosure>,
}

impl DiscountRatios {
    /// The ratios of a model's discounts.
    pub fn of(model: &OrderedModel) -> DiscountRatios {
        let greatest = model.discount(0);
        let ratio = |i| match i {
            0 => Rational::ONE,
            _ => model.discount(i) / greatest,
        };
        let exact: Vec<Rational> = (0..model.n()).map(ratio).collect();
        let enclosures = exact.iter().map(Enclosure::from).collect();
        DiscountRatios { exact, enclosures }
    }

    /// ρ_i^j for every principal. A discount of 0 counts the present step only: 0^0 = 1.
    pub fn weights(&self, step: u64) -> Vec<Enclosure> {
        self.enclosures.iter().map(|ratio| ratio.power(step)).collect()
    }

    /// The sign of `Σ_i c_i ρ_i^step`, where `enclosures` and `exact` are the same coefficients twice and `weights`
    /// those of the step.
    pub fn sign(
        &self,
        weights: &[Enclosure],
        step: u64,
        enclosures: &[Enclosure],
        exact: impl Fn(usize) -> (Integer, Natural),
    ) -> Ordering {
        let sum = enclosures.iter().zip(weights).fold(Enclosure::ZERO, |sum, (c, w)| sum.plus(c.times(*w)));
        sum.sign().unwrap_or_else(|| {
            let coefficients: Vec<_> = (0..enclosures.len()).map(exact).collect();
            self.sign_of_exact(&coefficients, step)
        })
    }

    /// The sign of `Σ_i (n_i/d_i) ρ_i^step` for exact coefficients.
    fn sign_of_exact(&self, coefficients: &[(Integer, Natural)], step: u64) -> Ordering {
        let exponent = Natural::from(step);
        let exact_bits = self.exact_bits(coefficients, step);
        let mut precision = 128;
        while (precision as u64) < exact_bits {
            let mut sum = WideEnclosure::zero(precision);
            for ((numerator, denominator), ratio) in coefficients.iter().zip(&self.exact) {
                let coefficient = WideEnclosure::of_quotient(numerator, denominator, precision);
                sum = sum.plus(&coefficient.times(&WideEnclosure::of(ratio, precision).power(&exponent)));
            }
            if let Some(sign) = sum.sign() {
                return sign;
            }
            precision *= 2;
        }
        self.exact_sum_sign(coefficients, step)
    }

    /// About how many bits the exact sum has over a common denominator.
    fn exact_bits(&self, coefficients: &[(Integer, Natural)], step: u64) -> u64 {
        let of_coefficient = |(n, d): &(Integer, Natural)| (n.bit_len() + d.bit_len()) as u64;
        let of_ratio = |r: &Rational| (r.numerator().bit_len() + r.denominator().bit_len()) as u64;
        let coefficients: u64 = coefficients.iter().map(of_coefficient).sum();
        self.exact
            .iter()
            .map(of_ratio)
            .fold(coefficients, |bits, ratio| bits.saturating_add(ratio.saturating_mul(step)))
    }

    fn exact_sum_sign(&self, coefficients: &[(Integer, Natural)], step: u64) -> Ordering {
        let power = usize::try_from(step).expect("an exact sum is formed only where its length is affordable");
        // The sum so far is numerator/denominator with a positive denominator: its sign is the numerator's.
        let (mut sum, mut common) = (Integer::ZERO, Integer::ONE);
        for ((numerator, denominator), ratio) in coefficients.iter().zip(&self.exact) {
            let term = product(numerator, &ratio.numerator().pow(power));
            let below = product(&Integer::from(denominator.clone()), &Integer::from(ratio.denominator().pow(power)));
            sum = product(&sum, &below) + product(&term, &common);
            common = product(&common, &below);
        }
        sum.cmp(&Integer::ZERO)
    }
}
