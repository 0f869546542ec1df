//! Elimination in plain fractions: slow, and certain where every prime at hand divides the determinant.

use super::rows::Rows;
use crate::model::least_common_multiple;
use crate::number::{ExactVector, Integer, Natural, Rational};

/// The solution, or `None` if it was asked to stop. Cost: O(n³) operations on fractions that grow.
pub(super) fn solve(rows: &Rows<Integer>, stop: &(dyn Fn() -> bool + Sync)) -> Option<ExactVector> {
    let n = rows.len();
    let row = |(index, (columns, entries)): (usize, (&[u32], &[Integer]))| {
        if index % 64 == 63 && stop() {
            return None;
        }
        let mut row = vec![Rational::ZERO; n + 1];
        for (&column, entry) in columns.iter().zip(entries) {
            row[column as usize] += Rational::from_integer(entry.clone());
        }
        row[n] = Rational::from_integer(rows.rhs()[index].clone());
        Some(row)
    };
    let mut matrix: Vec<Vec<Rational>> = rows.iter().enumerate().map(row).collect::<Option<_>>()?;
    // Diagonal dominance survives elimination, so no pivot is 0.
    for pivot in 0..n {
        if stop() {
            return None;
        }
        let head = Rational::ONE / &matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|entry| *entry *= &head);
        let pivot_row = matrix[pivot].clone();
        for other in (0..n).filter(|&other| other != pivot) {
            let factor = matrix[other][pivot].clone();
            if !factor.is_zero() {
                matrix[other].iter_mut().zip(&pivot_row).for_each(|(entry, head)| *entry -= &factor * head);
            }
        }
    }
    let common = matrix.iter().fold(Natural::ONE, |common, row| least_common_multiple(&common, row[n].denominator()));
    let numerator = |row: &Vec<Rational>| row[n].numerator() * Integer::from(&common / row[n].denominator());
    Some(ExactVector { numerators: matrix.iter().map(numerator).collect(), denominator: common })
}
