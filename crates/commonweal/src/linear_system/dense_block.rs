//! LU factors of a dense matrix of the kind c·(I − λP), with the diagonal as pivots.
//!
//! A row is given by its off-diagonal entries and its sum σ. Row by row,
//! `l_ij = (a_ij − Σ_{k<j} l_ik u_kj) / d_j`, `u_ij = a_ij − Σ_{k<i} l_ik u_kj`, `σ'_i = σ_i − Σ_{k<i} l_ik σ'_k`, and the pivot is
//! `d_i = σ'_i − Σ_{j>i} u_ij`. In doubles nothing cancels: entries stay negative and sums positive, so each factor is right
//! to a few units in the last place however close λ is to 1.
//!
//! Cost: n³/3 multiplications; a solve takes n².

use super::field::Field;
use super::obstacle::Obstacle;

pub(super) struct DenseBlock<F> {
    n: usize,
    /// Row by row: L below the diagonal, U above it; the diagonal itself is unused.
    factors: Vec<F>,
    inverse_pivots: Vec<F>,
}

impl<F: Field> DenseBlock<F> {
    /// The factors of the matrix with these off-diagonal `entries` (n×n, row by row, diagonal unused) and row sums.
    pub(super) fn factor(
        mut entries: Vec<F>,
        mut row_sums: Vec<F>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<DenseBlock<F>, Obstacle> {
        let n = row_sums.len();
        // U by columns, so that both factors of every dot product lie side by side.
        let mut upper_columns = vec![F::ZERO; n * n];
        let mut inverse_pivots: Vec<F> = Vec::with_capacity(n);
        for i in 0..n {
            if i % 64 == 63 && stop() {
                return Err(Obstacle::Stopped);
            }
            let row = &mut entries[i * n..(i + 1) * n];
            for j in 0..i {
                let (left, right) = row.split_at_mut(j);
                right[0] = right[0].minus_dot(left, &upper_columns[j * n..j * n + j]).times(inverse_pivots[j]);
            }
            let (lower, upper) = row.split_at_mut(i);
            row_sums[i] = row_sums[i].minus_dot(lower, &row_sums[..i]);
            let mut pivot = row_sums[i];
            for (j, entry) in upper.iter_mut().enumerate().skip(1) {
                let column = &mut upper_columns[(i + j) * n..(i + j) * n + i + 1];
                *entry = entry.minus_dot(lower, &column[..i]);
                column[i] = *entry;
                pivot = pivot.minus(*entry);
            }
            inverse_pivots.push(pivot.inverse().ok_or(Obstacle::ZeroPivot)?);
        }
        Ok(DenseBlock { n, factors: entries, inverse_pivots })
    }

    /// Replaces `x` by the solution for that right-hand side.
    pub(super) fn solve(&self, x: &mut [F]) {
        for (i, row) in self.factors.chunks_exact(self.n.max(1)).enumerate() {
            x[i] = x[i].minus_dot(&row[..i], &x[..i]);
        }
        for (i, row) in self.factors.chunks_exact(self.n.max(1)).enumerate().rev() {
            x[i] = x[i].minus_dot(&row[i + 1..], &x[i + 1..]).times(self.inverse_pivots[i]);
        }
    }
}
