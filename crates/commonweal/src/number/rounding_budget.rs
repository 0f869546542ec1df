//! An upper bound on the rounding errors of a long computation, as one number.
//!
//! If every row of a computation is a sum of products with a common bound on the magnitudes, one error term per pass suffices,
//! and the inner loop runs in plain doubles. With u = 2^-53, a sum of k products of factors that are each within a relative
//! error of 2u has an error below (k + 6) u times the sum of magnitudes. Every term below is at least twice that, which covers
//! its own rounding, and has a floor for underflow.

use super::directed::{UNIT_ROUNDOFF, product_up, sum_up};

/// More than the absolute error of a product that underflows.
const FLOOR: f64 = 1e-290;

/// An upper bound on the sum of all rounding errors and omitted terms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RoundingBudget {
    total: f64,
}

impl RoundingBudget {
    /// Adds the error of one sum of at most `terms` products whose magnitudes add up to at most `magnitude`.
    pub fn allow_sum(&mut self, terms: usize, magnitude: f64) {
        self.allow(2.0 * (terms as f64 + 6.0) * UNIT_ROUNDOFF * magnitude + FLOOR);
    }

    /// Adds an error of at most `amount`.
    pub fn allow(&mut self, amount: f64) {
        self.total = sum_up(self.total, amount);
    }

    /// Adds an error of at most the product of these two, neither of them negative.
    pub fn allow_product(&mut self, a: f64, b: f64) {
        self.allow(product_up(a, b));
    }

    /// The total error bound.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// A double that is at least the number of which `computed` is the rounded value.
    pub fn above(&self, computed: f64) -> f64 {
        sum_up(computed, self.total)
    }
}

/// The factor by which a computed sum of `terms` non-negative products is multiplied to be at least the exact one.
pub(crate) fn enough_for_sum(terms: usize) -> f64 {
    1.0 + 8.0 * UNIT_ROUNDOFF * (terms as f64 + 8.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{Enclosure, Integer, Rational, sum};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_sum_of_products_is_off_by_less_than_its_budget(
            terms in prop::collection::vec((1u64.., 1u64.., any::<i64>(), 1u64..), 1..12),
        ) {
            let fraction = |a: i128, b: u64| Rational::from_parts(Integer::from(a), b.into());
            let nearest = |x: &Rational| x.to_f64();
            let factors: Vec<(Rational, Rational)> =
                terms.iter().map(|&(a, b, c, d)| (fraction(a.into(), b), fraction(c.into(), d))).collect();
            let exact = sum(factors.iter().map(|(x, y)| x * y));
            let products: Vec<f64> = factors.iter().map(|(x, y)| nearest(x) * nearest(y)).collect();
            let computed: f64 = products.iter().sum();
            let mut budget = RoundingBudget::default();
            budget.allow_sum(products.len(), products.iter().map(|product| product.abs()).sum());
            prop_assert!(budget.above(computed) >= Enclosure::from(&exact).upper());
        }
    }
}
