//! Sparse integer rows A·x = b in flat arrays, over entries of one type.
//!
//! Three types of entry, the narrowest that fits: `i64` where a row's entries sum to less than 2^61 in magnitude, `i128`
//! below 2^125, and [`Integer`] without limit.

use super::field::{Field, Residue};
use crate::number::{Integer, Natural, product};
use crate::parallel;
use dashu_base::BitTest;

/// Rows of A with the diagonal included, columns ascending, and the right-hand side b.
#[derive(Debug, Clone)]
pub(super) struct Rows<E> {
    /// Row → its first entry; one more at the end.
    first: Vec<usize>,
    column: Vec<u32>,
    entry: Vec<E>,
    rhs: Vec<E>,
}

/// A in the form that elimination wants: the off-diagonal entries and the row sums, from which the diagonal follows.
pub(super) struct OffDiagonals<F> {
    pub(super) first: Vec<usize>,
    pub(super) column: Vec<u32>,
    pub(super) entry: Vec<F>,
    pub(super) row_sum: Vec<F>,
}

impl<E> Rows<E> {
    pub(super) fn new() -> Rows<E> {
        Rows { first: vec![0], column: Vec::new(), entry: Vec::new(), rhs: Vec::new() }
    }

    /// Adds a row whose columns ascend.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = (u32, E)>, rhs: E) {
        for (column, entry) in row {
            self.column.push(column);
            self.entry.push(entry);
        }
        self.first.push(self.column.len());
        self.rhs.push(rhs);
    }

    pub(super) fn len(&self) -> usize {
        self.rhs.len()
    }

    /// The number of entries that are not 0.
    pub(super) fn n_entries(&self) -> usize {
        self.entry.len()
    }

    pub(super) fn rhs(&self) -> &[E] {
        &self.rhs
    }

    /// Each row's columns and entries.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&[u32], &[E])> {
        self.first.windows(2).map(|range| (&self.column[range[0]..range[1]], &self.entry[range[0]..range[1]]))
    }

    /// The same rows with every number converted.
    pub(super) fn map<T>(&self, convert: impl Fn(&E) -> T) -> Rows<T> {
        Rows {
            first: self.first.clone(),
            column: self.column.clone(),
            entry: self.entry.iter().map(&convert).collect(),
            rhs: self.rhs.iter().map(&convert).collect(),
        }
    }
}

impl<E: Entry> Rows<E> {
    pub(super) fn off_diagonals<F: Field>(&self, convert: impl Fn(&E) -> F) -> OffDiagonals<F> {
        let mut parts = OffDiagonals {
            first: Vec::with_capacity(self.first.len()),
            column: Vec::with_capacity(self.column.len()),
            entry: Vec::with_capacity(self.entry.len()),
            row_sum: Vec::with_capacity(self.rhs.len()),
        };
        parts.first.push(0);
        for (row, (columns, entries)) in self.iter().enumerate() {
            for (&column, entry) in columns.iter().zip(entries) {
                if column as usize != row {
                    parts.column.push(column);
                    parts.entry.push(convert(entry));
                }
            }
            parts.first.push(parts.column.len());
            // Summed before it is converted: in doubles the difference would cancel where the discount is near 1.
            parts.row_sum.push(convert(&E::sum(entries)));
        }
        parts
    }

    /// An upper bound on log₂ det A: for these matrices the determinant is at most the product of the diagonal.
    pub(super) fn log2_determinant(&self) -> f64 {
        let diagonal = self.iter().enumerate().map(|(row, (columns, entries))| {
            let place = columns.binary_search(&(row as u32)).expect("every row has its diagonal entry");
            entries[place].log2()
        });
        diagonal.sum()
    }

    /// An upper bound on log₂ ‖A⁻¹ v‖ for every v with |v| ≤ `magnitude`, row by row, in log₂: A⁻¹ is not negative and
    /// maps the row sums σ to the vector of ones, so |A⁻¹ v| ≤ max |v| / σ. Where a row sums to 0 that says nothing, and
    /// A⁻¹ v is found in doubles, about.
    pub(super) fn log2_inverse(&self, magnitude: impl Fn(usize, &[E]) -> f64) -> f64 {
        if self.iter().any(|(_, entries)| E::sum(entries).log2() == f64::NEG_INFINITY) {
            return self.log2_inverse_in_doubles(magnitude);
        }
        let ratios =
            self.iter().enumerate().map(|(row, (_, entries))| magnitude(row, entries) - E::sum(entries).log2());
        ratios.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The same by some sweeps in doubles, each row divided by its diagonal entry.
    fn log2_inverse_in_doubles(&self, magnitude: impl Fn(usize, &[E]) -> f64) -> f64 {
        const MOST_SWEEPS: usize = 1_000;
        // What sweeps that have not converged may be off by. It costs some digits; if it is not enough, a failed attempt.
        const MARGIN: f64 = 24.0;
        let diagonal = |row: usize, (columns, entries): (&[u32], &[E])| {
            let place = columns.binary_search(&(row as u32)).expect("every row has its diagonal entry");
            entries[place].log2()
        };
        let diagonals: Vec<f64> = self.iter().enumerate().map(|(row, own)| diagonal(row, own)).collect();
        let rhs = |(row, (_, own)): (usize, (&[u32], &[E]))| magnitude(row, own) - diagonals[row];
        let rhs: Vec<f64> = self.iter().enumerate().map(rhs).collect();
        let greatest = rhs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if greatest == f64::NEG_INFINITY {
            return greatest;
        }
        let weights: Vec<Vec<f64>> = (self.iter().zip(&diagonals))
            .map(|((_, entries), diagonal)| entries.iter().map(|entry| (entry.log2() - diagonal).exp2()).collect())
            .collect();
        let mut solution = vec![0.0; self.len()];
        let mut before = 0.0;
        for _ in 0..MOST_SWEEPS {
            for (row, (columns, _)) in self.iter().enumerate() {
                let others = columns.iter().zip(&weights[row]).filter(|(column, _)| **column as usize != row);
                let others: f64 = others.map(|(&column, weight)| weight * solution[column as usize]).sum();
                solution[row] = (rhs[row] - greatest).exp2() + others;
            }
            let total: f64 = solution.iter().sum();
            if total <= 1.001 * before {
                break;
            }
            before = total;
        }
        greatest + solution.into_iter().fold(0.0, f64::max).log2() + MARGIN
    }

    /// Whether A·N = denominator·b, in integers. This is the proof that the answer is right.
    pub(super) fn are_solved_by(&self, numerators: &[Integer], denominator: &Natural) -> bool {
        let denominator = Integer::from(denominator.clone());
        let holds = |row: usize| {
            let range = self.first[row]..self.first[row + 1];
            let terms = self.column[range.clone()].iter().zip(&self.entry[range]);
            let left =
                terms.fold(Integer::ZERO, |sum, (&column, entry)| sum + entry.times(&numerators[column as usize]));
            left == self.rhs[row].times(&denominator)
        };
        if is_worth_threads(self.entry.len() * (denominator.bit_len() / 64 + 1)) {
            parallel::map(self.len(), holds).into_iter().all(|holds| holds)
        } else {
            (0..self.len()).all(holds)
        }
    }
}

/// Whether this many word operations outweigh what it costs to wake a second thread.
pub(super) fn is_worth_threads(word_operations: usize) -> bool {
    word_operations > 100_000
}

/// What lifting and checking need of an entry. The narrow types compute modulo a power of 2, which is exact as long as
/// the result fits; see the bounds at the top of this file.
pub(super) trait Entry: Clone + Send + Sync {
    fn residue<const C: u64>(&self) -> Residue<C>;
    fn sum(entries: &[Self]) -> Self;
    /// `self − entry · digit`.
    fn minus_product(self, entry: &Self, digit: i64) -> Self;
    /// `self / divisor`, where `divisor` is odd and known to divide `self`.
    fn divided_exactly(self, divisor: &ExactDivisor) -> Self;
    fn times(&self, factor: &Integer) -> Integer;
    /// log₂ |self|, and −∞ for 0.
    fn log2(&self) -> f64;
}

/// An odd number below 2^63 with its inverses modulo powers of 2.
pub(super) struct ExactDivisor {
    value: u64,
    inverse: u128,
}

impl ExactDivisor {
    pub(super) fn new(value: u64) -> ExactDivisor {
        // Newton: each step doubles the bits that are right, beginning with 3 (v·v ≡ 1 modulo 8 for odd v).
        let wide = value as u128;
        let inverse =
            (0..6).fold(wide, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(wide.wrapping_mul(inverse))));
        ExactDivisor { value, inverse }
    }
}

impl Entry for i64 {
    fn residue<const C: u64>(&self) -> Residue<C> {
        Residue::from(*self)
    }

    fn sum(entries: &[i64]) -> i64 {
        entries.iter().sum()
    }

    #[inline]
    fn minus_product(self, entry: &i64, digit: i64) -> i64 {
        self.wrapping_sub(entry.wrapping_mul(digit))
    }

    #[inline]
    fn divided_exactly(self, divisor: &ExactDivisor) -> i64 {
        self.wrapping_mul(divisor.inverse as i64)
    }

    fn times(&self, factor: &Integer) -> Integer {
        factor * *self
    }

    fn log2(&self) -> f64 {
        (self.unsigned_abs() as f64).log2()
    }
}

impl Entry for i128 {
    fn residue<const C: u64>(&self) -> Residue<C> {
        Residue::new(self.rem_euclid(Residue::<C>::PRIME as i128) as u64)
    }

    fn sum(entries: &[i128]) -> i128 {
        entries.iter().sum()
    }

    #[inline]
    fn minus_product(self, entry: &i128, digit: i64) -> i128 {
        self.wrapping_sub(entry.wrapping_mul(digit as i128))
    }

    #[inline]
    fn divided_exactly(self, divisor: &ExactDivisor) -> i128 {
        self.wrapping_mul(divisor.inverse as i128)
    }

    fn times(&self, factor: &Integer) -> Integer {
        factor * Integer::from(*self)
    }

    fn log2(&self) -> f64 {
        (self.unsigned_abs() as f64).log2()
    }
}

impl Entry for Integer {
    fn residue<const C: u64>(&self) -> Residue<C> {
        let (sign, magnitude) = self.clone().into_parts();
        let residue = Residue::new(&magnitude % Residue::<C>::PRIME);
        if sign == dashu_base::Sign::Negative { Residue::ZERO.minus(residue) } else { residue }
    }

    fn sum(entries: &[Integer]) -> Integer {
        entries.iter().sum()
    }

    fn minus_product(self, entry: &Integer, digit: i64) -> Integer {
        self - entry * digit
    }

    fn divided_exactly(self, divisor: &ExactDivisor) -> Integer {
        self / divisor.value
    }

    fn times(&self, factor: &Integer) -> Integer {
        product(self, factor)
    }

    fn log2(&self) -> f64 {
        if self.is_zero() {
            return f64::NEG_INFINITY;
        }
        // 64 leading bits, so that numbers beyond the range of doubles have their logarithm too.
        let excess = self.bit_len().saturating_sub(64);
        let (_, magnitude) = self.clone().into_parts();
        let leading = u64::try_from(&(magnitude >> excess)).expect("at most 64 bits are left");
        (leading as f64).log2() + excess as f64
    }
}
