//! A reported number: the exact value if it is known, and always a lower and an upper bound in doubles.

use super::product::PIECE_BITS;
use super::{Enclosure, ExactVector, Integer, Natural, Rational, product};
use crate::parallel;
use dashu_base::{BitTest, Gcd};

/// A number with proven bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// The number itself, if it is known.
    pub exact: Option<Rational>,
    /// Doubles on either side of it; the nearest ones if it is known.
    pub enclosure: Enclosure,
}

impl std::fmt::Display for Value {
    /// The fraction where it is known, otherwise both bounds: `127/9`, `14.1 to 14.2`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.exact {
            Some(exact) => write!(f, "{exact}"),
            None => write!(f, "{} to {}", self.enclosure.lower(), self.enclosure.upper()),
        }
    }
}

impl From<Rational> for Value {
    fn from(exact: Rational) -> Value {
        Value { enclosure: Enclosure::from(&exact), exact: Some(exact) }
    }
}

impl From<Enclosure> for Value {
    fn from(enclosure: Enclosure) -> Value {
        Value { exact: None, enclosure }
    }
}

impl Value {
    /// The double nearest to the number where it is known, to the middle of its bounds otherwise; finite if a bound is.
    pub fn nearest_double(&self) -> f64 {
        let exact = self.exact.as_ref().map(Rational::to_f64).filter(|nearest| nearest.is_finite());
        exact.unwrap_or_else(|| self.enclosure.midpoint())
    }

    /// The number with its sign changed.
    pub fn negated(&self) -> Value {
        Value { exact: self.exact.as_ref().map(|exact| -exact), enclosure: -self.enclosure }
    }

    /// The difference: exact if both numbers are.
    pub fn minus(&self, other: &Value) -> Value {
        match (&self.exact, &other.exact) {
            (Some(left), Some(right)) => Value::from(left - right),
            _ => Value::from(self.enclosure.plus(-other.enclosure)),
        }
    }
}

/// One number per state, known exactly or between bounds.
#[derive(Debug, Clone)]
pub enum Values {
    /// Exact numbers over a common denominator.
    Exact(ExactVector),
    /// Enclosures.
    Enclosed(Vec<Enclosure>),
    /// Exact numbers where they are known, and enclosures of all.
    Partly {
        /// The numbers that are known.
        known: Vec<Option<Rational>>,
        /// An enclosure of each number; the tightest where it is known.
        enclosures: Vec<Enclosure>,
    },
    /// Doubles with common error bounds below and above: half the memory of enclosures.
    Near {
        /// One double per number.
        centers: Vec<f64>,
        /// No number is further below its double.
        below: f64,
        /// No number is further above its double.
        above: f64,
    },
    /// One number that matters, and bounds on all others.
    Only {
        /// Which number matters.
        index: usize,
        /// Its enclosure.
        number: Enclosure,
        /// What encloses every other number.
        others: Enclosure,
    },
}

impl Values {
    /// These numbers, exact if all of them are.
    pub(crate) fn of(values: impl Iterator<Item = Value>) -> Values {
        let values: Vec<Value> = values.collect();
        match values.iter().map(|value| value.exact.clone()).collect::<Option<Vec<Rational>>>() {
            Some(exact) => Values::Exact(ExactVector::of(&exact)),
            None => Values::Enclosed(values.into_iter().map(|value| value.enclosure).collect()),
        }
    }

    /// These enclosures, with the exact numbers that are known.
    pub(crate) fn partly_exact(known: Vec<Option<Rational>>, mut enclosures: Vec<Enclosure>) -> Values {
        if known.iter().all(Option::is_none) {
            return Values::Enclosed(enclosures);
        }
        for (enclosure, exact) in enclosures.iter_mut().zip(&known) {
            if let Some(exact) = exact {
                *enclosure = Enclosure::from(exact);
            }
        }
        Values::Partly { known, enclosures }
    }

    /// `Σ_k factor_k · values_k`, each of `n` numbers; exact where all of them are.
    pub(crate) fn combined(mut terms: Vec<(Rational, Values)>, n: usize) -> Values {
        let exact = |(factor, values): &(Rational, Values)| match values {
            Values::Exact(vector) => Some(vector.scaled(factor)),
            _ => None,
        };
        if terms.len() == 1 {
            let (factor, values) = terms.remove(0);
            return values.times(&factor, n);
        }
        if let Some(&(_, Values::Only { index, .. })) = terms.first()
            && terms.iter().all(|(_, values)| matches!(values, Values::Only { index: own, .. } if *own == index))
        {
            let sum = |at: usize| weighted_enclosure(terms.iter().map(|(factor, values)| (factor, values)), at);
            return Values::Only { index, number: sum(index), others: sum(index + 1) };
        }
        match terms.iter().map(exact).collect::<Option<Vec<ExactVector>>>() {
            Some(vectors) => {
                Values::Exact(vectors.into_iter().reduce(|sum, vector| sum.plus(&vector)).expect("a term"))
            }
            None => {
                let of = |index| weighted_enclosure(terms.iter().map(|(factor, values)| (factor, values)), index);
                let known = |index: usize| {
                    terms.iter().try_fold(Rational::ZERO, |sum, (factor, values)| {
                        values.known(index).map(|value| sum + factor * value)
                    })
                };
                Values::partly_exact((0..n).map(known).collect(), (0..n).map(of).collect())
            }
        }
    }

    /// These `n` numbers times `factor`, which is not 0.
    pub(crate) fn times(self, factor: &Rational, n: usize) -> Values {
        match self {
            values if factor.is_one() => values,
            Values::Exact(vector) => Values::Exact(vector.scaled(factor)),
            Values::Partly { known, enclosures } => {
                let scaled = known.into_iter().map(|known| known.map(|known| known * factor));
                let factor = Enclosure::from(factor);
                let enclosures = enclosures.into_iter().map(|enclosure| enclosure.times(factor));
                Values::partly_exact(scaled.collect(), enclosures.collect())
            }
            Values::Enclosed(_) | Values::Near { .. } | Values::Only { .. } => {
                let factor = Enclosure::from(factor);
                self.map_enclosures(n, |own| own.times(factor))
            }
        }
    }

    /// `of` the enclosures of these `n` numbers.
    pub(crate) fn map_enclosures(&self, n: usize, of: impl Fn(Enclosure) -> Enclosure + Sync) -> Values {
        match *self {
            Values::Only { index, number, others } => Values::Only { index, number: of(number), others: of(others) },
            _ => Values::Enclosed(parallel::map(n, |index| of(self.enclosure(index)))),
        }
    }

    /// The number at `index`, in lowest terms where it is exact.
    pub fn value(&self, index: usize) -> Value {
        self.known(index).map_or_else(|| Value::from(self.enclosure(index)), Value::from)
    }

    /// The number at `index` in lowest terms, if it is known.
    pub(crate) fn known(&self, index: usize) -> Option<Rational> {
        match self {
            Values::Exact(vector) => Some(vector.get(index)),
            Values::Partly { known, .. } => known[index].clone(),
            Values::Enclosed(_) | Values::Near { .. } | Values::Only { .. } => None,
        }
    }

    /// An enclosure of the number at `index`.
    pub fn enclosure(&self, index: usize) -> Enclosure {
        match self {
            Values::Exact(vector) => vector.enclosure(index),
            Values::Partly { enclosures, .. } | Values::Enclosed(enclosures) => enclosures[index],
            Values::Near { centers, below, above } => {
                let center = centers[index];
                Enclosure::new(center, center).plus(Enclosure::new(-below, *above))
            }
            Values::Only { index: own, number, others } => {
                if index == *own {
                    *number
                } else {
                    *others
                }
            }
        }
    }
}

/// A denominator that weighted sums of exact numbers share, and what brings each term to it.
///
/// Payoffs of many principals have most of their denominators in common, the probabilities at every step. So the least common
/// multiple is short, where the product is as long as all of them together. It is formed once for all states.
#[derive(Debug, Clone)]
pub(crate) struct CommonDenominator {
    /// By term, its factor's numerator times what its own denominator lacks.
    multipliers: Vec<Integer>,
    denominator: Natural,
}

impl CommonDenominator {
    /// Of `Σ_k factors[k] · terms[k]`; `None` unless all terms are exact, and where it takes more than about a second to form: the
    /// denominators of hundreds of discounts have little in common, and nobody reads a fraction that long.
    pub fn of<'v>(terms: impl IntoIterator<Item = (&'v Rational, &'v Values)>) -> Option<CommonDenominator> {
        /// In products of words.
        const MOST_WORK: u64 = 1 << 30;
        let words = |bits: usize| bits as u64 / 64 + 1;
        let mut work = 0_u64;
        let (mut multipliers, mut common) = (Vec::new(), Natural::ONE);
        for (factor, values) in terms {
            let Values::Exact(vector) = values else { return None };
            let own = &vector.denominator * factor.denominator();
            // Longer divisors would reach the transform that drops a carry.
            let shared = if own.bit_len() <= PIECE_BITS { (&common % &own).gcd(&own) } else { Natural::ONE };
            let lacks = Integer::from(&own / &shared);
            let products = multipliers.len() as u64 + 1;
            work = work.saturating_add(products.saturating_mul(words(common.bit_len()) * words(own.bit_len())));
            if work > MOST_WORK {
                return None;
            }
            multipliers.iter_mut().for_each(|multiplier| *multiplier = product(multiplier, &lacks));
            multipliers.push(product(factor.numerator(), &Integer::from(&common / &shared)));
            common = product(&common.into(), &lacks).into_parts().1;
        }
        Some(CommonDenominator { multipliers, denominator: common })
    }

    /// The sum at `index` of the same terms as a quotient of integers, not in lowest terms.
    pub(crate) fn quotient<'v>(&self, terms: impl Iterator<Item = &'v Values>, index: usize) -> (Integer, &Natural) {
        let term = |(values, multiplier): (&Values, &Integer)| match values {
            Values::Exact(vector) => product(&vector.numerators[index], multiplier),
            _ => unreachable!("all terms are exact"),
        };
        (terms.zip(&self.multipliers).map(term).sum(), &self.denominator)
    }
}

/// An enclosure of `Σ_k factors[k] · terms[k](index)`.
pub fn weighted_enclosure<'v>(terms: impl IntoIterator<Item = (&'v Rational, &'v Values)>, index: usize) -> Enclosure {
    let term = |(factor, values): (&Rational, &Values)| Enclosure::from(factor).times(values.enclosure(index));
    terms.into_iter().map(term).fold(Enclosure::ZERO, Enclosure::plus)
}
