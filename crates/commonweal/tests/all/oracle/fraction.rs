//! Exact fractions of big integers of a library that the solver does not use.
//!
//! Fractions spend their time on greatest common divisors, and `num-bigint` finds those bit by bit. Here they are found by
//! Lehmer's algorithm, a machine word at a time, and sums and products take only those that they need (Knuth, TAOCP 2,
//! 4.5.1 and 4.5.2).

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

/// A fraction in lowest terms, with a positive denominator.
#[derive(Clone, PartialEq, Eq)]
pub struct Q {
    numer: BigInt,
    denom: BigInt,
}

impl Q {
    /// `numer / denom`.
    pub fn new(numer: BigInt, denom: BigInt) -> Q {
        assert!(!denom.is_zero(), "a denominator is not 0");
        let (numer, denom) = if denom.sign() == Sign::Minus { (-numer, -denom) } else { (numer, denom) };
        let common = gcd(&numer, &denom);
        if common.is_one() { Q { numer, denom } } else { Q { numer: numer / &common, denom: denom / common } }
    }

    pub fn numer(&self) -> &BigInt {
        &self.numer
    }

    pub fn denom(&self) -> &BigInt {
        &self.denom
    }

    pub fn is_integer(&self) -> bool {
        self.denom.is_one()
    }

    pub fn is_positive(&self) -> bool {
        self.numer.sign() == Sign::Plus
    }

    pub fn is_negative(&self) -> bool {
        self.numer.sign() == Sign::Minus
    }

    pub fn abs(&self) -> Q {
        if self.is_negative() { -self } else { self.clone() }
    }

    pub fn pow(&self, exponent: u32) -> Q {
        Q { numer: self.numer.pow(exponent), denom: self.denom.pow(exponent) }
    }

    /// The integer next to it on the way to 0.
    pub fn to_integer(&self) -> BigInt {
        &self.numer / &self.denom
    }

    /// [`Q::to_integer`], as a fraction.
    pub fn trunc(&self) -> Q {
        Q::from(self.to_integer())
    }

    /// The nearest integer; a half is rounded away from 0.
    pub fn round(&self) -> Q {
        let half = Q::new(BigInt::one(), BigInt::from(2));
        if self.is_negative() { (self - half).trunc() } else { (self + half).trunc() }
    }

    fn reciprocal(&self) -> Q {
        assert!(!self.is_zero(), "nothing is divided by 0");
        if self.is_negative() {
            Q { numer: -&self.denom, denom: -&self.numer }
        } else {
            Q { numer: self.denom.clone(), denom: self.numer.clone() }
        }
    }
}

fn sum(a: &Q, b: &Q) -> Q {
    if a.denom == b.denom {
        return Q::new(&a.numer + &b.numer, a.denom.clone());
    }
    let common = gcd(&a.denom, &b.denom);
    if common.is_one() {
        return Q { numer: &a.numer * &b.denom + &b.numer * &a.denom, denom: &a.denom * &b.denom };
    }
    let (part, other) = (&a.denom / &common, &b.denom / &common);
    let numer = &a.numer * &other + &b.numer * &part;
    // Whatever can be cancelled divides what the denominators have in common.
    let cancelled = gcd(&numer, &common);
    Q { numer: numer / &cancelled, denom: part * (&b.denom / cancelled) }
}

fn product(a: &Q, b: &Q) -> Q {
    let (across, other) = (gcd(&a.numer, &b.denom), gcd(&b.numer, &a.denom));
    Q { numer: (&a.numer / &across) * (&b.numer / &other), denom: (&a.denom / other) * (&b.denom / across) }
}

/// The greatest common divisor of the magnitudes.
fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    if a.is_one() || b.is_one() {
        return BigInt::one();
    }
    let (a, b) = (a.magnitude(), b.magnitude());
    let (mut a, mut b) = if a < b { (b.clone(), a.clone()) } else { (a.clone(), b.clone()) };
    while a.bits() > 64 && !b.is_zero() {
        let excess = a.bits() - 61;
        let leading = |x: &BigUint| (x >> excess).to_i64().expect("at most 61 bits");
        (a, b) = match steps_of_euclid(leading(&a), leading(&b)) {
            Some([p, q, r, s]) => (combination(&a, p, &b, q), combination(&a, r, &b, s)),
            None => {
                let rest = &a % &b;
                (b, rest)
            }
        };
    }
    match (a.to_u64(), b.to_u64()) {
        (Some(a), Some(b)) => BigInt::from(a.gcd(&b)),
        _ => BigInt::from(a),
    }
}

/// Steps of Euclid's algorithm that are the same for all numbers with these leading bits, as a matrix; none if not even the
/// first is certain.
fn steps_of_euclid(mut x: i64, mut y: i64) -> Option<[i64; 4]> {
    let [mut p, mut q, mut r, mut s] = [1, 0, 0, 1];
    while y + r != 0 && y + s != 0 {
        let quotient = (x + p) / (y + r);
        if quotient != (x + q) / (y + s) {
            break;
        }
        (p, r) = (r, p - quotient * r);
        (q, s) = (s, q - quotient * s);
        (x, y) = (y, x - quotient * y);
    }
    (q != 0).then_some([p, q, r, s])
}

/// `p a + q b`, which is not negative; one factor at most is positive.
fn combination(a: &BigUint, p: i64, b: &BigUint, q: i64) -> BigUint {
    let (a, b) = (a * p.unsigned_abs(), b * q.unsigned_abs());
    if q > 0 { b - a } else { a - b }
}

impl Ord for Q {
    fn cmp(&self, other: &Q) -> Ordering {
        if self.denom == other.denom {
            return self.numer.cmp(&other.numer);
        }
        let by_sign = self.numer.sign().cmp(&other.numer.sign());
        by_sign.then_with(|| (&self.numer * &other.denom).cmp(&(&other.numer * &self.denom)))
    }
}

impl PartialOrd for Q {
    fn partial_cmp(&self, other: &Q) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `$operator` for values and references, by a function of references.
macro_rules! operator {
    ($operator:ident $name:ident $by:expr) => {
        impl $operator<&Q> for &Q {
            type Output = Q;
            fn $name(self, other: &Q) -> Q {
                $by(self, other)
            }
        }
        impl $operator<Q> for &Q {
            type Output = Q;
            fn $name(self, other: Q) -> Q {
                $by(self, &other)
            }
        }
        impl $operator<&Q> for Q {
            type Output = Q;
            fn $name(self, other: &Q) -> Q {
                $by(&self, other)
            }
        }
        impl $operator<Q> for Q {
            type Output = Q;
            fn $name(self, other: Q) -> Q {
                $by(&self, &other)
            }
        }
    };
}

operator!(Add add sum);
operator!(Sub sub |a: &Q, b: &Q| sum(a, &-b));
operator!(Mul mul product);
operator!(Div div |a: &Q, b: &Q| product(a, &b.reciprocal()));

impl AddAssign<&Q> for Q {
    fn add_assign(&mut self, other: &Q) {
        *self = &*self + other;
    }
}

impl AddAssign for Q {
    fn add_assign(&mut self, other: Q) {
        *self += &other;
    }
}

impl MulAssign<&Q> for Q {
    fn mul_assign(&mut self, other: &Q) {
        *self = &*self * other;
    }
}

impl SubAssign for Q {
    fn sub_assign(&mut self, other: Q) {
        *self = &*self - other;
    }
}

impl Neg for Q {
    type Output = Q;
    fn neg(self) -> Q {
        Q { numer: -self.numer, denom: self.denom }
    }
}

impl Neg for &Q {
    type Output = Q;
    fn neg(self) -> Q {
        Q { numer: -&self.numer, denom: self.denom.clone() }
    }
}

impl Sum for Q {
    fn sum<I: Iterator<Item = Q>>(numbers: I) -> Q {
        numbers.fold(Q::zero(), |sum, number| sum + number)
    }
}

impl Zero for Q {
    fn zero() -> Q {
        Q::from(BigInt::zero())
    }

    fn is_zero(&self) -> bool {
        self.numer.is_zero()
    }
}

impl One for Q {
    fn one() -> Q {
        Q::from(BigInt::one())
    }
}

impl From<BigInt> for Q {
    fn from(number: BigInt) -> Q {
        Q { numer: number, denom: BigInt::one() }
    }
}

/// `3` or `-2/3`.
impl FromStr for Q {
    type Err = num_bigint::ParseBigIntError;

    fn from_str(text: &str) -> Result<Q, Self::Err> {
        let (numer, denom) = text.split_once('/').unwrap_or((text, "1"));
        Ok(Q::new(numer.parse()?, denom.parse()?))
    }
}

impl fmt::Display for Q {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() { write!(f, "{}", self.numer) } else { write!(f, "{}/{}", self.numer, self.denom) }
    }
}

impl fmt::Debug for Q {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random::Rng;

    /// A number of up to this many words, with runs of equal bits more often than chance has them.
    fn number(rng: &mut Rng, words: usize) -> BigInt {
        let word = |rng: &mut Rng| match rng.index(4) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << rng.index(64),
            _ => rng.next(),
        };
        let magnitude = (0..1 + rng.index(words)).fold(BigInt::zero(), |number, _| (number << 64u32) + word(rng));
        if rng.chance(2) { -magnitude } else { magnitude }
    }

    #[test]
    fn common_divisors_are_those_of_the_library() {
        let mut rng = Rng::new(1);
        for _ in 0..20_000 {
            let common = number(&mut rng, 4);
            let (a, b) = (number(&mut rng, 9) * &common, number(&mut rng, 9) * &common);
            assert_eq!(gcd(&a, &b), Integer::gcd(&a, &b), "{a} and {b}");
        }
    }

    #[test]
    fn fibonacci_numbers_take_the_most_steps_and_have_no_common_divisor() {
        let (mut a, mut b) = (BigInt::one(), BigInt::one());
        for _ in 0..3000 {
            (a, b) = (&a + &b, a);
            assert!(gcd(&a, &b).is_one(), "{a} and {b}");
        }
    }

    #[test]
    fn the_four_operations_are_those_of_the_definition_in_lowest_terms() {
        let mut rng = Rng::new(2);
        for _ in 0..5_000 {
            let [a, c] = [(); 2].map(|()| number(&mut rng, 3));
            let [b, d]: [BigInt; 2] = [(); 2].map(|()| number(&mut rng, 3) * 2 + BigInt::one());
            let (x, y) = (Q::new(a.clone(), b.clone()), Q::new(c.clone(), d.clone()));
            assert_eq!(&x + &y, Q::new(&a * &d + &c * &b, &b * &d));
            assert_eq!(&x - &y, Q::new(&a * &d - &c * &b, &b * &d));
            assert_eq!(&x * &y, Q::new(&a * &c, &b * &d));
            if !c.is_zero() {
                assert_eq!(&x / &y, Q::new(&a * &d, &b * &c));
            }
            assert_eq!(x.cmp(&y), (&x - &y).numer().cmp(&BigInt::zero()));
            for result in [x, y] {
                assert!(result.denom().sign() == Sign::Plus && Integer::gcd(result.numer(), result.denom()).is_one());
            }
        }
    }
}
