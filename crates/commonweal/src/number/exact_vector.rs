//! A vector of exact numbers over one common denominator.

use super::{Enclosure, Integer, Natural, Rational, product};
use dashu_base::{BitTest, Gcd};

/// One exact number per state, all over one denominator: `value(s) = numerators[s] / denominator`.
///
/// The entries are not in lowest terms. Canonical fractions spend their time in greatest common divisors; integers over
/// a common denominator do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactVector {
    /// One numerator per entry.
    pub(crate) numerators: Vec<Integer>,
    /// The denominator that they share; never 0.
    pub(crate) denominator: Natural,
}

impl ExactVector {
    /// `length` zeros.
    pub fn zeros(length: usize) -> ExactVector {
        ExactVector { numerators: vec![Integer::ZERO; length], denominator: Natural::ONE }
    }

    /// These numbers.
    pub fn of(entries: &[Rational]) -> ExactVector {
        let lcm = |common: Natural, entry: &Rational| {
            let divisor = (&common).gcd(entry.denominator());
            common / divisor * entry.denominator()
        };
        let denominator = entries.iter().fold(Natural::ONE, lcm);
        let numerator = |entry: &Rational| entry.numerator() * Integer::from(&denominator / entry.denominator());
        ExactVector { numerators: entries.iter().map(numerator).collect(), denominator }
    }

    /// The sum of two vectors of one length.
    pub fn plus(&self, other: &ExactVector) -> ExactVector {
        let (own, its) = (Integer::from(other.denominator.clone()), Integer::from(self.denominator.clone()));
        let pairs = self.numerators.iter().zip(&other.numerators);
        ExactVector {
            numerators: pairs.map(|(a, b)| product(a, &own) + product(b, &its)).collect(),
            denominator: product(&own, &its).into_parts().1,
        }
    }

    /// The same numbers over the least denominator.
    pub fn reduced(&self) -> ExactVector {
        let entries: Vec<Rational> = (0..self.len()).map(|index| self.get(index)).collect();
        ExactVector::of(&entries)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.numerators.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.numerators.is_empty()
    }

    /// The length of the denominator in bits, which is about that of an entry.
    pub fn bits(&self) -> usize {
        self.denominator.bit_len()
    }

    /// Entry `index` in lowest terms. Costs a greatest common divisor.
    pub fn get(&self, index: usize) -> Rational {
        Rational::from_parts(self.numerators[index].clone(), self.denominator.clone())
    }

    /// The tightest enclosure of entry `index`, without bringing it to lowest terms.
    pub fn enclosure(&self, index: usize) -> Enclosure {
        Enclosure::of_quotient(&self.numerators[index], &self.denominator)
    }

    /// Every entry times `factor`, which is not 0.
    pub fn scaled(&self, factor: &Rational) -> ExactVector {
        ExactVector {
            numerators: self.numerators.iter().map(|numerator| numerator * factor.numerator()).collect(),
            denominator: &self.denominator * factor.denominator(),
        }
    }
}
