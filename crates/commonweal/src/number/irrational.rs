//! Logarithms, exponentials and powers of fractions, with lower and upper bounds in fractions.

use dashu_base::{BitTest, DivEuclid};

use super::{Integer, Natural, Rational};

/// The bits of a result, about.
const BITS: isize = 160;
/// Fixed point: one is two to this power.
const SCALE: usize = 256;
/// The same for exponentials, which lose a bit with every squaring.
const WIDE_SCALE: usize = 192;

/// The greatest number of at most `bits` bits, times a power of two, that is not greater; `x` is not 0.
pub fn rounded_down(x: &Rational, bits: isize) -> Rational {
    let places = bits - x.magnitude();
    dyadic(floor_of_shifted(x, places), -places)
}

/// The least number of at most `bits` bits or one more, times a power of two, that is not less; `x` is not 0.
pub fn rounded_up(x: &Rational, bits: isize) -> Rational {
    -rounded_down(&-x, bits)
}

/// The greatest whole number that is at most x · 2^places. Shifts and one division: a product of fractions would look for
/// common factors.
fn floor_of_shifted(x: &Rational, places: isize) -> Integer {
    let (numerator, denominator) = (x.numerator(), Integer::from(x.denominator().clone()));
    if places >= 0 {
        (numerator << places.unsigned_abs()).div_euclid(denominator)
    } else {
        numerator.div_euclid(denominator << places.unsigned_abs())
    }
}

/// m · 2^exponent.
fn dyadic(m: Integer, exponent: isize) -> Rational {
    if exponent >= 0 {
        return Rational::from_integer(m << exponent.unsigned_abs());
    }
    let common = m.trailing_zeros().unwrap_or(0).min(exponent.unsigned_abs());
    Rational::from_parts(m >> common, Natural::ONE << (exponent.unsigned_abs() - common))
}

/// The natural logarithm of a positive number, from below and from above.
pub fn logarithm(x: &Rational) -> [Rational; 2] {
    assert!(*x > Rational::ZERO, "only positive numbers have a logarithm");
    let power = x.magnitude();
    // Between 1/2 and 2. What is rounded off is less than 2^-250 of it.
    let mantissa = x / Rational::from(2).pow(power);
    let sum = twice_artanh_of_mobius(&mantissa) + twice_artanh_of_mobius(&Rational::from(2)) * Rational::from(power);
    // The error of each series is far below 2^-200.
    let off = Rational::from(1 + power.unsigned_abs()) * Rational::from(2).pow(-200);
    [&sum - &off, sum + off]
}

/// ln m as 2 artanh((m−1)/(m+1)), for m between 1/2 and 2: the argument is at most 1/3 in magnitude, so that 70 terms leave
/// less than 2^-222, and 70 roundings to 2^-256 each less than 2^-248.
fn twice_artanh_of_mobius(m: &Rational) -> Rational {
    let z = (m - Rational::ONE) / (m + Rational::ONE);
    let one = Rational::from(2).pow(SCALE as isize);
    let fixed: Integer = (z * &one).floor().numerator().clone();
    let square: Integer = (&fixed * &fixed) >> SCALE;
    let mut power = fixed;
    let mut sum = Integer::ZERO;
    for k in 0..70u32 {
        sum += &power / Integer::from(2 * k + 1);
        power = (power * &square) >> SCALE;
    }
    Rational::from_integer(sum * Integer::from(2)) / one
}

/// e to the power `x`, from below and from above.
///
/// The argument is halved until it is below 1/4, where the series ends after about forty terms, and the result is squared as
/// often.
pub fn exponential(x: &Rational) -> [Rational; 2] {
    let magnitude = if *x < Rational::ZERO { -x } else { x.clone() };
    let halvings = if x.is_zero() { 0 } else { (x.magnitude() + 3).max(0) };
    assert!(halvings < 64, "an exponent of ordinary size");
    let small = floor_of_shifted(&magnitude, WIDE_SCALE as isize - halvings);
    let mut term = Integer::ONE << WIDE_SCALE;
    let mut sum = term.clone();
    let mut k = 0u32;
    while !term.is_zero() {
        k += 1;
        term = ((term * &small) >> WIDE_SCALE) / Integer::from(k);
        sum += &term;
    }
    // Every term and the argument are truncated, by less than a few units each, and the omitted terms sum to less than one unit.
    let off = Integer::from(8 * k + 8);
    let [mut below, mut above] = [Floating::new(sum.clone()), Floating::new(sum + off)];
    for _ in 0..halvings {
        below = below.squared(Integer::ZERO);
        above = above.squared(Integer::ONE);
    }
    if *x < Rational::ZERO { [above.inverse(Integer::ZERO), below.inverse(Integer::ONE)] } else { [below, above] }
        .map(|end| dyadic(end.mantissa, end.exponent))
}

/// A positive number, `mantissa` · 2^`exponent`, whose mantissa has about [`WIDE_SCALE`] bits.
struct Floating {
    mantissa: Integer,
    exponent: isize,
}

impl Floating {
    /// Of a fixed-point number.
    fn new(mantissa: Integer) -> Floating {
        Floating { mantissa, exponent: -(WIDE_SCALE as isize) }
    }

    /// The square, rounded down, plus `up` units: 0 for a lower bound, 1 for an upper bound.
    fn squared(self, up: Integer) -> Floating {
        let square = &self.mantissa * &self.mantissa;
        let excess = square.bit_len().saturating_sub(WIDE_SCALE);
        Floating { mantissa: (square >> excess) + up, exponent: 2 * self.exponent + excess as isize }
    }

    /// 1 divided by the number, rounded likewise.
    fn inverse(self, up: Integer) -> Floating {
        let places = WIDE_SCALE + self.mantissa.bit_len();
        let quotient = (Integer::ONE << places) / self.mantissa;
        Floating { mantissa: quotient + up, exponent: -self.exponent - places as isize }
    }
}

/// A lower bound on the cosine of `x`, between 0 and 3: the alternating series, truncated after a negative term.
pub fn cosine_from_below(x: &Rational) -> Rational {
    assert!(*x >= Rational::ZERO && *x <= Rational::from(3), "the terms of the series fall");
    let square = x * x;
    let (mut sum, mut term) = (Rational::ONE, Rational::ONE);
    for k in 1..=15u32 {
        term = -(term * &square / Rational::from((2 * k - 1) * (2 * k)));
        sum += &term;
    }
    sum
}

/// A positive number to the power `exponent`, from below and from above; exactly where the exponent is whole.
pub fn real_power(x: &Rational, exponent: &Rational) -> [Rational; 2] {
    assert!(*x > Rational::ZERO, "only positive numbers have every power");
    let to = |whole: &Integer| isize::try_from(whole).expect("a small exponent");
    let root = usize::try_from(exponent.denominator()).expect("a small exponent");
    let whole = x.pow(to(exponent.numerator()));
    if root == 1 {
        return [whole.clone(), whole];
    }
    // The root of 2^(root·places) times the number is the root times 2^places.
    let places = BITS - whole.magnitude() / root as isize;
    let lifted = (whole * Rational::from(2).pow(places * root as isize)).floor();
    let (_, lifted): (_, Natural) = lifted.numerator().clone().into_parts();
    let below = Rational::from_integer(Integer::from(lifted.nth_root(root)));
    let one = Rational::from(2).pow(places);
    [&below / &one, (below + Rational::ONE) / one]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;
    use proptest::prelude::*;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    #[test]
    fn logarithms_have_the_digits_that_tables_print() {
        for (x, digits) in [
            ("2", "0.693147180559945309417232121458176568"),
            ("10", "2.302585092994045684017991454684364208"),
            ("1/3", "-1.098612288668109691395245236922525705"),
            ("1e-30", "-69.0775527898213705205397436405309262"),
        ] {
            let [below, above] = logarithm(&number(x));
            let (printed, last) = (number(digits), number("1e-33"));
            assert!(below < above && &above - &below < number("1e-50"), "{x}");
            assert!(below > &printed - &last && above < printed + last, "{x}: {below} {above}");
        }
        let [below, above] = logarithm(&Rational::ONE);
        assert!(below <= Rational::ZERO && above >= Rational::ZERO);
    }

    #[test]
    fn exponentials_and_cosines_have_the_digits_that_tables_print() {
        for (x, digits, last) in [
            ("1", "2.718281828459045235360287471352662497757", "1e-38"),
            ("-1/3", "0.716531310573789250425604096925379", "1e-32"),
            ("50", "5184705528587072464087.45332293348538482", "1e-16"),
            ("-100", "3.72007597602083596296e-44", "1e-63"),
            ("0", "1", "1e-48"),
        ] {
            let [below, above] = exponential(&number(x));
            let (printed, last) = (number(digits), number(last));
            assert!(below <= above && (&above - &below) * Rational::from(10).pow(48) < above, "{x}");
            assert!(below > &printed - &last && above < printed + last, "{x}: {}", below.to_f64());
        }
        for x in ["0.1", "1", "1.5", "3"] {
            let (below, cosine) = (cosine_from_below(&number(x)).to_f64(), number(x).to_f64().cos());
            assert!(below <= cosine + 1e-15 && below > cosine - 1e-12, "{x}: {below}");
        }
    }

    proptest! {
        #[test]
        fn an_exponential_undoes_a_logarithm(n in 1u64..1_000_000_000, d in 1u64..1_000_000_000) {
            let x = Rational::from(n) / Rational::from(d);
            let [ln_below, ln_above] = logarithm(&x);
            prop_assert!(exponential(&ln_below)[0] <= x && x <= exponential(&ln_above)[1]);
            prop_assert!(exponential(&ln_below)[1] >= &x * (Rational::ONE - Rational::from(2).pow(-150)));
            let up = rounded_up(&x, 53);
            prop_assert!(up >= x && &up - &x <= &x * Rational::from(2).pow(-50));
        }

        #[test]
        fn roots_and_roundings_lie_where_they_say(n in 1i64..1_000_000, d in 1u64..1_000_000, p in -4i64..5, q in 1u64..5) {
            let x = Rational::from_quotient(n, d);
            let [below, above] = real_power(&x, &Rational::from_quotient(p, q));
            let exponent = Rational::from_quotient(p, q);
            let (p, q) = (isize::try_from(exponent.numerator()).unwrap(), exponent.denominator().try_into().unwrap());
            prop_assert!(below.pow(q) <= x.pow(p) && x.pow(p) <= above.pow(q));
            prop_assert!((&above - &below) * Rational::from(2).pow(140) <= above);
            let rounded = rounded_down(&x, 53);
            prop_assert!(rounded <= x && &x - &rounded <= &x * Rational::from(2).pow(-50));
        }

        #[test]
        fn a_product_has_the_sum_of_logarithms(a in 1u64..1_000_000_000, b in 1u64..1_000_000_000) {
            let [a, b] = [a, b].map(Rational::from);
            let ([a_below, a_above], [b_below, b_above]) = (logarithm(&a), logarithm(&b));
            let [below, above] = logarithm(&(a / b));
            prop_assert!(below <= &a_above - &b_below && &a_below - &b_above <= above);
        }
    }
}
