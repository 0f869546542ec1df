//! The system A·x = b: one integer row per state.
//!
//! The values of a policy satisfy `V(s) − λ Σ_t p(t) V(t) = r`. Times the common denominator of its numbers that is a row
//! of integers, and divided by the greatest divisor that they share it is the smallest such row.

use super::rows::Rows;
use crate::number::{Integer, Natural, Rational};
use dashu_base::{Abs, BitTest, Gcd};

/// Rows of an integer matrix A and a right-hand side b.
///
/// Every row's diagonal entry is positive, its other entries are not, and their sum is not negative: row by row A is
/// c·(I − λP) with c > 0, 0 ≤ λ ≤ 1 and P stochastic. Where λ = 1, P leads in the end to a row with λ < 1, or out of the
/// system. Such a system has exactly one solution.
#[derive(Debug, Clone)]
pub struct IntegerSystem {
    n: usize,
    coefficients: Coefficients,
}

/// Words as long as every row fits.
#[derive(Debug, Clone)]
pub(super) enum Coefficients {
    /// Entries of a row sum to less than 2^61 in magnitude, and so do right-hand sides.
    Words(Rows<i64>),
    /// The same below 2^125.
    Wide(Rows<i128>),
    /// Entries of any size.
    Big(Rows<Integer>),
}

/// The largest magnitude of a row for each type; 3 bits are left free for residuals.
const WORD_BITS: usize = 61;
const WIDE_BITS: usize = 125;

impl IntegerSystem {
    /// A system of `n` unknowns that still has no rows.
    pub fn new(n: usize) -> IntegerSystem {
        assert!(n < u32::MAX as usize, "columns are 32-bit");
        IntegerSystem { n, coefficients: Coefficients::Words(Rows::new()) }
    }

    /// The number of unknowns.
    pub fn n_unknowns(&self) -> usize {
        self.n
    }

    /// The number of rows that have been added.
    pub fn n_rows(&self) -> usize {
        match &self.coefficients {
            Coefficients::Words(rows) => rows.len(),
            Coefficients::Wide(rows) => rows.len(),
            Coefficients::Big(rows) => rows.len(),
        }
    }

    /// What one step of a solve takes, in about nanoseconds. Measured on rings and random graphs of 500 to 3,000 states.
    pub(crate) fn work_of_step(&self) -> u64 {
        let (n_entries, entry) = match &self.coefficients {
            Coefficients::Words(rows) => (rows.n_entries(), 30),
            Coefficients::Wide(rows) => (rows.n_entries(), 200),
            Coefficients::Big(rows) => (rows.n_entries(), 400),
        };
        n_entries as u64 * entry
    }

    pub(super) fn coefficients(&self) -> &Coefficients {
        &self.coefficients
    }

    /// Adds the next row: its entries with their columns, the diagonal among them, and its right-hand side. Entries of one
    /// column are added up; what all numbers of the row have in common is divided out.
    ///
    /// # Panics
    ///
    /// If the row is not as [`IntegerSystem`] demands, if a column is not below `n`, or if there are `n` rows already.
    pub(crate) fn push_row(&mut self, entries: impl IntoIterator<Item = (usize, Integer)>, rhs: Integer) {
        let row = self.n_rows();
        assert!(row < self.n, "a system of {} unknowns has no more rows", self.n);
        let mut entries: Vec<(u32, Integer)> = entries
            .into_iter()
            .map(|(column, entry)| {
                assert!(column < self.n, "column {column} is not below {}", self.n);
                (column as u32, entry)
            })
            .collect();
        entries.sort_by_key(|&(column, _)| column);
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += &next.1;
            }
            same
        });
        entries.retain(|(_, entry)| !entry.is_zero());
        let is_allowed = |(column, entry): &(u32, Integer)| (*column as usize == row) == (*entry > Integer::ZERO);
        let sum: Integer = entries.iter().map(|(_, entry)| entry).sum();
        assert!(sum >= Integer::ZERO && entries.iter().all(is_allowed), "row {row} is not of the form c(I - λP)");

        let content = entries.iter().fold(rhs.clone().abs(), |content, (_, entry)| {
            if content.is_one() { content } else { Integer::from(content.gcd(entry)) }
        });
        let rhs = if content.is_one() { rhs } else { rhs / &content };
        if !content.is_one() {
            entries.iter_mut().for_each(|(_, entry)| *entry /= &content);
        }
        let magnitude: Natural = entries.iter().map(|(_, entry)| entry.clone().into_parts().1).sum();
        self.widen(magnitude.bit_len().max(rhs.bit_len()));
        match &mut self.coefficients {
            Coefficients::Words(rows) => {
                let word = |value: Integer| i64::try_from(&value).expect("the bit lengths were checked");
                rows.push(entries.into_iter().map(|(column, entry)| (column, word(entry))), word(rhs));
            }
            Coefficients::Wide(rows) => {
                let wide = |value: Integer| i128::try_from(&value).expect("the bit lengths were checked");
                rows.push(entries.into_iter().map(|(column, entry)| (column, wide(entry))), wide(rhs));
            }
            Coefficients::Big(rows) => rows.push(entries, rhs),
        }
    }

    /// Adds the row of state `state`, which must be the next one: `V(s) − λ Σ_t p(t) V(t) = r`. The state may be among its own
    /// targets.
    ///
    /// # Panics
    ///
    /// If the states do not come in order, or if λ ∉ [0, 1] or the probabilities sum to more than 1, as far as the row
    /// shows it.
    pub fn push_state<'a>(
        &mut self,
        state: usize,
        discount: &Rational,
        transitions: impl Iterator<Item = (usize, &'a Rational)>,
        reward: &Rational,
    ) {
        assert_eq!(state, self.n_rows(), "states come in order");
        let transitions: Vec<(usize, &Rational)> = transitions.collect();
        let common = transitions.iter().fold(Natural::ONE, |common, (_, p)| common_multiple(common, p.denominator()));
        // λ p = (a/b)(c/d): the row is scaled by lcm(b·lcm(d), denominator of r).
        let weights = discount.denominator() * &common;
        let scale = Integer::from(common_multiple(weights.clone(), reward.denominator()));
        let per_weight = Integer::from(&scale / Integer::from(weights)) * discount.numerator();
        let mut entries = Vec::with_capacity(transitions.len() + 1);
        for (target, probability) in transitions {
            let share = Integer::from(&common / probability.denominator()) * probability.numerator();
            entries.push((target, -(share * &per_weight)));
        }
        let rhs = &scale / Integer::from(reward.denominator().clone()) * reward.numerator();
        entries.push((state, scale));
        self.push_row(entries, rhs);
    }

    /// Makes room for numbers of `bits` bits.
    fn widen(&mut self, bits: usize) {
        let narrow = std::mem::replace(&mut self.coefficients, Coefficients::Big(Rows::new()));
        self.coefficients = match narrow {
            Coefficients::Words(rows) if bits <= WORD_BITS => Coefficients::Words(rows),
            Coefficients::Words(rows) if bits <= WIDE_BITS => Coefficients::Wide(rows.map(|&entry| entry as i128)),
            Coefficients::Wide(rows) if bits <= WIDE_BITS => Coefficients::Wide(rows),
            Coefficients::Words(rows) => Coefficients::Big(rows.map(|&entry| entry.into())),
            Coefficients::Wide(rows) => Coefficients::Big(rows.map(|&entry| entry.into())),
            Coefficients::Big(rows) => Coefficients::Big(rows),
        };
    }
}

fn common_multiple(a: Natural, b: &Natural) -> Natural {
    if b.is_one() || a == *b {
        return a;
    }
    let shared = (&a).gcd(b);
    a * (b / shared)
}
