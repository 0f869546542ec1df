//! Logarithms and powers of fractions, between fractions.

use super::{Integer, Natural, Rational};

/// The bits of a result, about.
const BITS: isize = 160;
/// Fixed point: one is two to this power.
const SCALE: usize = 256;

/// The greatest number of at most `bits` bits, times a power of two, that is not greater; `x` is not 0.
pub fn rounded_down(x: &Rational, bits: isize) -> Rational {
    let places = Rational::from(2).pow(bits - x.magnitude());
    (x * &places).floor() / places
}

/// The natural logarithm of a positive number, from below and from above.
pub fn logarithm(x: &Rational) -> [Rational; 2] {
    assert!(*x > Rational::ZERO, "only positive numbers have a logarithm");
    let power = x.magnitude();
    // Between 1/2 and 2. What is rounded off is less than 2^-250 of it.
    let mantissa = x / Rational::from(2).pow(power);
    let sum = twice_artanh_of_mobius(&mantissa) + twice_artanh_of_mobius(&Rational::from(2)) * Rational::from(power);
    // Each series is off by far less than 2^-200.
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

    proptest! {
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
