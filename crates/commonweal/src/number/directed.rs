//! Single operations on doubles with directed rounding, for callers that store the two ends of an interval separately.
//!
//! The result of round-to-nearest is adjacent to the exact result, so the next double is on the other side of it.

/// The relative error of one operation on normal doubles, rounded to nearest: 2^-53.
pub(crate) const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// A double that is at least `a + b`.
pub(crate) fn sum_up(a: f64, b: f64) -> f64 {
    (a + b).next_up()
}

/// A double that is at most `a + b`.
pub(crate) fn sum_down(a: f64, b: f64) -> f64 {
    (a + b).next_down()
}

/// A double that is at least `a · b`.
pub(crate) fn product_up(a: f64, b: f64) -> f64 {
    (a * b).next_up()
}

/// A double that is at most `a · b`.
pub(crate) fn product_down(a: f64, b: f64) -> f64 {
    (a * b).next_down()
}

/// A double that is at least `a / b`.
pub(crate) fn quotient_up(a: f64, b: f64) -> f64 {
    (a / b).next_up()
}

/// A double that is at most `a / b`.
pub(crate) fn quotient_down(a: f64, b: f64) -> f64 {
    (a / b).next_down()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Rational;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_operation_is_on_its_side_of_the_exact_result(a in -1e150f64..1e150, b in -1e150f64..1e150) {
            let exact = |x: f64| Rational::try_from(x).unwrap();
            let (sum, product) = (exact(a) + exact(b), exact(a) * exact(b));
            prop_assert!(exact(sum_down(a, b)) <= sum && sum <= exact(sum_up(a, b)));
            prop_assert!(exact(product_down(a, b)) <= product && product <= exact(product_up(a, b)));
            prop_assert!(b == 0.0 || exact(quotient_down(a, b)) <= exact(a) / exact(b));
            prop_assert!(b == 0.0 || exact(quotient_up(a, b)) >= exact(a) / exact(b));
        }
    }
}
