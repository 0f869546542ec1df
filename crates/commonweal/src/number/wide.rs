//! Intervals of arbitrary precision.

use super::{Enclosure, Integer, Natural, Rational, Scaled, doubles_around, product, scaled::FARTHEST};
use dashu_base::{BitTest, Sign};
use std::cmp::Ordering;

/// Two dyadic numbers of a chosen precision with an exact number between them.
///
/// Unlike [`Enclosure`](super::Enclosure) it neither overflows nor underflows: exponents are 128-bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WideEnclosure {
    lower: Dyadic,
    upper: Dyadic,
    precision: usize,
}

impl WideEnclosure {
    /// The tightest enclosure of `numerator / denominator` with mantissas of `precision` bits.
    pub(crate) fn of_quotient(numerator: &Integer, denominator: &Natural, precision: usize) -> WideEnclosure {
        WideEnclosure {
            lower: Dyadic::quotient(numerator, denominator, precision, Direction::Down),
            upper: Dyadic::quotient(numerator, denominator, precision, Direction::Up),
            precision,
        }
    }

    /// The tightest enclosure of `value` with mantissas of `precision` bits.
    pub fn of(value: &Rational, precision: usize) -> WideEnclosure {
        WideEnclosure::of_quotient(value.numerator(), value.denominator(), precision)
    }

    /// The bits of the mantissas.
    pub fn precision(&self) -> usize {
        self.precision
    }

    /// Exactly 0.
    pub fn zero(precision: usize) -> WideEnclosure {
        WideEnclosure::of_quotient(&Integer::ZERO, &Natural::ONE, precision)
    }

    /// Exactly 1.
    pub fn one(precision: usize) -> WideEnclosure {
        WideEnclosure::of_quotient(&Integer::ONE, &Natural::ONE, precision)
    }

    /// The numbers from `-radius` to `radius`, which is finite.
    pub(crate) fn around_zero(radius: Scaled, precision: usize) -> WideEnclosure {
        let (upper, exponent) = radius.upper_end();
        let upper = Dyadic::quotient(upper.numerator(), upper.denominator(), precision, Direction::Up);
        let upper = Dyadic { exponent: upper.exponent + exponent, ..upper };
        let lower = Dyadic { mantissa: -upper.mantissa.clone(), exponent: upper.exponent };
        WideEnclosure { lower, upper, precision }
    }

    /// The numbers of an enclosure that is finite.
    pub(crate) fn of_scaled(scaled: &Scaled, precision: usize) -> WideEnclosure {
        let ([lower, upper], exponent) = scaled.ends();
        let end = |end: &Rational, direction| {
            let end = Dyadic::quotient(end.numerator(), end.denominator(), precision, direction);
            Dyadic { exponent: end.exponent + exponent, ..end }
        };
        WideEnclosure { lower: end(&lower, Direction::Down), upper: end(&upper, Direction::Up), precision }
    }

    /// An enclosure of the sum of the two numbers.
    pub fn plus(&self, other: &WideEnclosure) -> WideEnclosure {
        let precision = self.precision.min(other.precision);
        WideEnclosure {
            lower: self.lower.plus(&other.lower, precision, Direction::Down),
            upper: self.upper.plus(&other.upper, precision, Direction::Up),
            precision,
        }
    }

    /// An enclosure of the product of the two numbers.
    pub fn times(&self, other: &WideEnclosure) -> WideEnclosure {
        let precision = self.precision.min(other.precision);
        let rounded = |least: &Dyadic, greatest: &Dyadic| WideEnclosure {
            lower: least.rounded(precision, Direction::Down),
            upper: greatest.rounded(precision, Direction::Up),
            precision,
        };
        // For non-negative weights two products suffice.
        if self.lower.sign() != Ordering::Less {
            let least = if other.lower.sign() == Ordering::Less { &self.upper } else { &self.lower };
            let greatest = if other.upper.sign() == Ordering::Less { &self.lower } else { &self.upper };
            return rounded(&least.times(&other.lower), &greatest.times(&other.upper));
        }
        let ends = [
            self.lower.times(&other.lower),
            self.lower.times(&other.upper),
            self.upper.times(&other.lower),
            self.upper.times(&other.upper),
        ];
        let least = ends.iter().min_by(|a, b| a.compare(b)).expect("four ends");
        let greatest = ends.iter().max_by(|a, b| a.compare(b)).expect("four ends");
        rounded(least, greatest)
    }

    /// An enclosure of the difference of the two numbers.
    pub(crate) fn minus(&self, other: &WideEnclosure) -> WideEnclosure {
        self.plus(&other.negated())
    }

    /// The number with the other sign.
    pub(crate) fn negated(&self) -> WideEnclosure {
        let negated = |end: &Dyadic| Dyadic { mantissa: -end.mantissa.clone(), exponent: end.exponent };
        WideEnclosure { lower: negated(&self.upper), upper: negated(&self.lower), precision: self.precision }
    }

    /// The number times 2^exponent.
    pub(crate) fn shifted_by(self, exponent: i128) -> WideEnclosure {
        let shifted = |end: Dyadic| Dyadic { exponent: end.exponent + exponent, ..end };
        WideEnclosure { lower: shifted(self.lower), upper: shifted(self.upper), precision: self.precision }
    }

    /// Everything from the lower end of this enclosure to the upper end of `other`.
    pub(crate) fn through(&self, other: &WideEnclosure) -> WideEnclosure {
        let precision = self.precision.min(other.precision);
        WideEnclosure { lower: self.lower.clone(), upper: other.upper.clone(), precision }
    }

    /// Everything from the lesser of the lower ends to the greater of the upper ends.
    pub(crate) fn join(&self, other: &WideEnclosure) -> WideEnclosure {
        let least = if self.compare_lower(other).is_le() { self } else { other };
        least.through(if self.compare_upper(other).is_ge() { self } else { other })
    }

    /// The comparison of the lower ends.
    pub(crate) fn compare_lower(&self, other: &WideEnclosure) -> Ordering {
        self.lower.compare(&other.lower)
    }

    /// The comparison of the upper ends.
    pub(crate) fn compare_upper(&self, other: &WideEnclosure) -> Ordering {
        self.upper.compare(&other.upper)
    }

    /// The upper end less the lower end, rounded up.
    pub(crate) fn width(&self) -> Scaled {
        let width = self.upper.plus(&self.negated().upper, self.precision, Direction::Up);
        WideEnclosure { lower: width.clone(), upper: width, precision: self.precision }.to_scaled().upper()
    }

    /// The number in the middle, rounded up, as an integer times a power of two.
    pub(crate) fn middle(&self) -> (Integer, i128) {
        let sum = self.lower.plus(&self.upper, self.precision, Direction::Up);
        (sum.mantissa, sum.exponent - 1)
    }

    /// Whether the number is known to be 0.
    pub(crate) fn is_zero(&self) -> bool {
        self.sign() == Some(Ordering::Equal)
    }

    /// The number to the power of `exponent`.
    pub(crate) fn power(&self, exponent: &Natural) -> WideEnclosure {
        let mut result = WideEnclosure::one(self.precision);
        for bit in (0..exponent.bit_len()).rev() {
            result = result.times(&result);
            if exponent.bit(bit) {
                result = result.times(self);
            }
        }
        result
    }

    /// The same number between scaled doubles.
    pub fn to_scaled(&self) -> Scaled {
        // One exponent for both ends, that of the larger.
        let top = |x: &Dyadic| if x.mantissa.is_zero() { i128::MIN } else { x.mantissa.bit_len() as i128 + x.exponent };
        let exponent = top(&self.lower).max(top(&self.upper));
        if exponent == i128::MIN {
            return Scaled::ZERO;
        }
        let (lower, _) = self.lower.doubles_around(exponent);
        let (_, upper) = self.upper.doubles_around(exponent);
        Scaled::new(Enclosure::new(lower, upper), exponent)
    }

    /// The sign of the number, if the enclosure decides it.
    pub fn sign(&self) -> Option<Ordering> {
        match (self.lower.sign(), self.upper.sign()) {
            (Ordering::Greater, _) => Some(Ordering::Greater),
            (_, Ordering::Less) => Some(Ordering::Less),
            (Ordering::Equal, Ordering::Equal) => Some(Ordering::Equal),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Down,
    Up,
}

/// `mantissa · 2^exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Dyadic {
    mantissa: Integer,
    exponent: i128,
}

impl Dyadic {
    fn quotient(numerator: &Integer, denominator: &Natural, precision: usize, direction: Direction) -> Dyadic {
        let shift = precision as i128 + 1 + denominator.bit_len() as i128 - numerator.bit_len() as i128;
        let denominator = Integer::from(denominator.clone());
        let (dividend, divisor) = if shift >= 0 {
            (numerator << shift as usize, denominator)
        } else {
            (numerator.clone(), denominator << (-shift) as usize)
        };
        Dyadic { mantissa: divided(dividend, divisor, direction), exponent: -shift }.rounded(precision, direction)
    }

    /// The doubles around this number over 2^scale, which is at most about 1.
    fn doubles_around(&self, scale: i128) -> (f64, f64) {
        // Far below the scale every number underflows in the same way.
        let exponent = (self.exponent - scale).max(-3_000 - self.mantissa.bit_len() as i128);
        if exponent >= 0 {
            doubles_around(&(&self.mantissa << exponent as usize), &Natural::ONE)
        } else {
            doubles_around(&self.mantissa, &(Natural::ONE << (-exponent) as usize))
        }
    }

    fn sign(&self) -> Ordering {
        if self.mantissa.is_zero() {
            Ordering::Equal
        } else if self.mantissa.sign() == Sign::Negative {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    fn times(&self, other: &Dyadic) -> Dyadic {
        Dyadic { mantissa: product(&self.mantissa, &other.mantissa), exponent: self.exponent + other.exponent }
    }

    /// The sum, rounded in `direction`. A summand far below the other's last bit only changes the rounding, so that widely different
    /// exponents cost nothing.
    fn plus(&self, other: &Dyadic, precision: usize, direction: Direction) -> Dyadic {
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        if high.mantissa.is_zero() || low.mantissa.is_zero() {
            let sum = if high.mantissa.is_zero() { low } else { high };
            return sum.rounded(precision, direction);
        }
        let shift = high.exponent - low.exponent;
        let guard = precision + 2;
        let exact = if shift > (low.mantissa.bit_len() + guard) as i128 {
            // Here |low| < 2^(high.exponent − guard).
            let nudge = match (direction, low.sign()) {
                (Direction::Up, Ordering::Greater) => Integer::ONE,
                (Direction::Down, Ordering::Less) => Integer::NEG_ONE,
                _ => Integer::ZERO,
            };
            Dyadic { mantissa: (&high.mantissa << guard) + nudge, exponent: high.exponent - guard as i128 }
        } else {
            Dyadic { mantissa: (&high.mantissa << shift as usize) + &low.mantissa, exponent: low.exponent }
        };
        exact.rounded(precision, direction)
    }

    fn compare(&self, other: &Dyadic) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        if signs != Ordering::Equal || self.mantissa.is_zero() {
            return signs;
        }
        let top = |x: &Dyadic| x.mantissa.bit_len() as i128 + x.exponent;
        let magnitudes = top(self).cmp(&top(other)).then_with(|| {
            // Equal tops: the exponents differ by no more than the mantissas' lengths.
            let least = self.exponent.min(other.exponent);
            let aligned = |x: &Dyadic| x.mantissa.clone().into_parts().1 << (x.exponent - least) as usize;
            aligned(self).cmp(&aligned(other))
        });
        if self.sign() == Ordering::Less { magnitudes.reverse() } else { magnitudes }
    }

    /// The number with at most `precision` bits of mantissa, moved in `direction` if bits are cut off.
    fn rounded(&self, precision: usize, direction: Direction) -> Dyadic {
        let excess = self.mantissa.bit_len().saturating_sub(precision);
        let rounded = match excess {
            0 => self.clone(),
            _ => {
                // Shifts round down.
                let cut = self.mantissa.trailing_zeros().is_some_and(|zeros| zeros < excess);
                let up = Integer::from(u8::from(cut && direction == Direction::Up));
                Dyadic { mantissa: (&self.mantissa >> excess) + up, exponent: self.exponent + excess as i128 }
            }
        };
        rounded.within_reach(direction)
    }

    /// The number with an exponent that will not overflow, moved in `direction` where it lies beyond.
    fn within_reach(self, direction: Direction) -> Dyadic {
        if self.exponent >= -FARTHEST {
            // Products of numbers below 1 never get beyond the other end.
            return self;
        }
        let mantissa = match (direction, self.sign()) {
            (Direction::Up, Ordering::Greater) => Integer::ONE,
            (Direction::Down, Ordering::Less) => Integer::NEG_ONE,
            _ => Integer::ZERO,
        };
        // The mantissa of a number so small is at most 2^precision, far below one unit here.
        Dyadic { mantissa, exponent: -FARTHEST + self.mantissa.bit_len() as i128 }
    }
}

/// The quotient rounded in `direction`; the divisor is positive.
fn divided(dividend: Integer, divisor: Integer, direction: Direction) -> Integer {
    use dashu_base::DivRemEuclid;
    let (floor, remainder) = dividend.div_rem_euclid(divisor);
    if direction == Direction::Up && !remainder.is_zero() { floor + Integer::ONE } else { floor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rational() -> impl Strategy<Value = Rational> {
        (any::<i128>(), 1u128.., 0usize..900, 0usize..900)
            .prop_map(|(n, d, up, down)| Rational::from_parts(Integer::from(n) << up, Natural::from(d) << down))
    }

    fn exact(x: &Dyadic) -> Rational {
        if x.exponent >= 0 {
            Rational::from_integer(&x.mantissa << x.exponent as usize)
        } else {
            Rational::from_parts(x.mantissa.clone(), Natural::ONE << (-x.exponent) as usize)
        }
    }

    fn contains(enclosure: &WideEnclosure, value: &Rational) -> bool {
        exact(&enclosure.lower) <= *value && *value <= exact(&enclosure.upper)
    }

    proptest! {
        #[test]
        fn every_operation_contains_the_exact_result(a in rational(), b in rational(), precision in 2usize..200, k in 0u32..12) {
            let (x, y) = (WideEnclosure::of(&a, precision), WideEnclosure::of(&b, precision));
            prop_assert!(contains(&x, &a));
            prop_assert!(contains(&x.plus(&y), &(&a + &b)));
            let (doubles, tight) = (x.to_scaled().to_doubles(), Enclosure::from(&a));
            prop_assert!(doubles.lower() <= tight.lower() && tight.upper() <= doubles.upper());
            prop_assert!(contains(&x.times(&y), &(&a * &b)));
            prop_assert!(contains(&x.power(&Natural::from(k)), &a.pow(k as isize)));
            prop_assert_eq!(x.lower.compare(&y.lower), exact(&x.lower).cmp(&exact(&y.lower)));
            prop_assert!(contains(&x.minus(&y), &(&a - &b)));
            prop_assert!(contains(&x.join(&y), &a) && contains(&x.join(&y), &b));
            prop_assert!(contains(&x.clone().shifted_by(k.into()), &(&a * Rational::from(2).pow(k as isize))));
            let (width, by) = x.join(&y).width().upper_end();
            let distance = if a < b { &b - &a } else { &a - &b };
            prop_assert!(width * Rational::from(2).pow(by as isize) >= distance);
            let (middle, by) = x.middle();
            let middle = exact(&Dyadic { mantissa: middle, exponent: by });
            prop_assert!(contains(&x, &middle));
            if let Some(sign) = x.sign() {
                prop_assert_eq!(sign, a.cmp(&Rational::ZERO));
            }
        }
    }

    #[test]
    fn numbers_around_zero_reach_the_radius_and_hardly_beyond() {
        for exponent in [-5_000i128, -1074, -3, 0, 900, 1 << 70] {
            for double in [0.0, 5e-324, 1.0, 0.1, 1e300] {
                let radius = Scaled::new(Enclosure::new(double, double), exponent);
                let around = WideEnclosure::around_zero(radius, 64);
                let ((reached, at), (asked, by)) = (around.to_scaled().upper().upper_end(), radius.upper_end());
                let shift = Rational::from(2).pow((at - by) as isize);
                assert!(reached.is_zero() && asked.is_zero() || reached * shift == asked, "{double} · 2^{exponent}");
                assert_eq!(around.lower.mantissa, -around.upper.mantissa.clone());
            }
        }
    }

    #[test]
    fn summands_far_apart_cost_nothing_and_keep_their_side() {
        let half = WideEnclosure::of(&Rational::from_quotient(1, 2), 64);
        let tiny = half.power(&Natural::from(1u64 << 60));
        let one = WideEnclosure::one(64);
        let minus_one = WideEnclosure::of(&Rational::NEG_ONE, 64);
        let sum = one.plus(&tiny);
        assert_eq!(sum.lower, one.lower);
        assert_eq!(sum.upper.compare(&one.upper), Ordering::Greater);
        assert_eq!(sum.plus(&minus_one).sign(), None);
        assert_eq!(tiny.sign(), Some(Ordering::Greater));
    }
}
