//! Sparse LU factors with pivots on the diagonal, over any [`Field`].
//!
//! A row is kept as its off-diagonal entries and its sum σ, never with its diagonal. Eliminating state k from row i takes
//! `f = a_ik / d_k`, `a_ij ← a_ij − f a_kj` for j ≠ i, `σ_i ← σ_i − f σ_k`, where `d_k = σ_k − Σ_j a_kj`. In doubles nothing cancels
//! (see `dense_block`). The next pivot is the one with the least fill-in to fear, (row entries)·(column entries), after
//! Markowitz; once what is left is a quarter full, it is factored as a dense block.
//!
//! Cost: depends on the fill-in. Near n·log n entries on planar graphs; on random graphs a dense block of n/3.

use super::dense_block::DenseBlock;
use super::dyadic::ApproximateInverse;
use super::field::Field;
use super::obstacle::Obstacle;
use super::rows::OffDiagonals;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Below this many states a dense block costs less than the book-keeping of a sparse one.
const SMALL: usize = 32;

/// A dense entry is visited in order and in vector registers: it costs this much of a sparse one.
const DENSE_ENTRY_COST: f64 = 0.4;

/// Factors of A in the order of elimination: first the sparse pivots, then a dense block.
pub(super) struct Factors<F> {
    /// Place in the order of elimination → state.
    order: Vec<u32>,
    /// One row for every state; columns are places in the order.
    lower: SparseRows<F>,
    /// One row for each sparse pivot.
    upper: SparseRows<F>,
    inverse_pivots: Vec<F>,
    dense: DenseBlock<F>,
    /// The solution under way, in the order of elimination.
    work: Vec<F>,
}

struct SparseRows<F> {
    first: Vec<usize>,
    column: Vec<u32>,
    entry: Vec<F>,
}

impl<F: Field> Factors<F> {
    /// The factors, or [`Obstacle::TooDense`] as soon as one solve would cost more than `most_cost` visits of sparse entries.
    pub(super) fn of(
        matrix: OffDiagonals<F>,
        most_cost: f64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Factors<F>, Obstacle> {
        if matrix.row_sum.len() <= SMALL {
            return Self::of_small(matrix, stop);
        }
        let mut elimination = Elimination::begin(matrix);
        while let Some(state) = elimination.next_pivot() {
            if elimination.order.len() % 256 == 255 && stop() {
                return Err(Obstacle::Stopped);
            }
            elimination.eliminate(state)?;
            if (elimination.n_stored + elimination.n_active) as f64 > most_cost {
                return Err(Obstacle::TooDense);
            }
        }
        let n_dense = elimination.n_left();
        if elimination.n_stored as f64 + DENSE_ENTRY_COST * (n_dense * n_dense) as f64 > most_cost {
            return Err(Obstacle::TooDense);
        }
        elimination.finish(stop)
    }

    /// The factors as one dense block, without the book-keeping that would cost more than the arithmetic.
    fn of_small(matrix: OffDiagonals<F>, stop: &(dyn Fn() -> bool + Sync)) -> Result<Factors<F>, Obstacle> {
        let n = matrix.row_sum.len();
        let mut entries = vec![F::ZERO; n * n];
        for (row, range) in matrix.first.windows(2).enumerate() {
            for k in range[0]..range[1] {
                entries[row * n + matrix.column[k] as usize] = matrix.entry[k];
            }
        }
        Ok(Factors {
            order: (0..n as u32).collect(),
            lower: SparseRows { first: vec![0; n + 1], column: Vec::new(), entry: Vec::new() },
            upper: SparseRows { first: vec![0], column: Vec::new(), entry: Vec::new() },
            inverse_pivots: Vec::new(),
            dense: DenseBlock::factor(entries, matrix.row_sum, stop)?,
            work: Vec::with_capacity(n),
        })
    }

    /// `solution ← A⁻¹ rhs`.
    pub(super) fn solve(&mut self, rhs: impl Fn(usize) -> F, solution: &mut [F]) {
        let n_sparse = self.upper.len();
        let work = &mut self.work;
        work.clear();
        for (place, &state) in self.order.iter().enumerate() {
            let (columns, entries) = self.lower.row(place);
            work.push(rhs(state as usize).minus_sparse_dot(entries, columns, work));
        }
        self.dense.solve(&mut work[n_sparse..]);
        for place in (0..n_sparse).rev() {
            let (columns, entries) = self.upper.row(place);
            work[place] = work[place].minus_sparse_dot(entries, columns, work).times(self.inverse_pivots[place]);
        }
        for (&state, &value) in self.order.iter().zip(work.iter()) {
            solution[state as usize] = value;
        }
    }
}

impl ApproximateInverse for Factors<f64> {
    const DIGIT_BITS: i32 = 50;

    fn apply(&mut self, residual: &[i64], solution: &mut [f64]) -> Result<(), Obstacle> {
        self.solve(|row| residual[row] as f64, solution);
        Ok(())
    }
}

impl<F: Field> SparseRows<F> {
    /// The rows with their columns renamed to places in the order of elimination.
    fn collect(rows: impl Iterator<Item = Vec<(u32, F)>>, place: &[u32]) -> SparseRows<F> {
        let mut collected = SparseRows { first: vec![0], column: Vec::new(), entry: Vec::new() };
        for row in rows {
            collected.column.extend(row.iter().map(|&(column, _)| place[column as usize]));
            collected.entry.extend(row.iter().map(|&(_, entry)| entry));
            collected.first.push(collected.column.len());
        }
        collected
    }

    fn len(&self) -> usize {
        self.first.len() - 1
    }

    fn row(&self, row: usize) -> (&[u32], &[F]) {
        let range = self.first[row]..self.first[row + 1];
        (&self.column[range.clone()], &self.entry[range])
    }
}

/// A state that is being eliminated.
struct Pivot<F> {
    state: u32,
    row: Vec<(u32, F)>,
    sum: F,
    inverse: F,
}

/// The matrix while its states are eliminated one by one.
struct Elimination<F> {
    order: Vec<u32>,
    is_eliminated: Vec<bool>,
    /// The off-diagonal entries among the states that are left; of eliminated states, their row of U.
    rows: Vec<Vec<(u32, F)>>,
    /// The states that are left and have an entry in this column.
    columns: Vec<Vec<u32>>,
    row_sums: Vec<F>,
    /// Rows of L.
    lower: Vec<Vec<(u32, F)>>,
    inverse_pivots: Vec<F>,
    /// Candidates by cost. Entries grow stale; the current cost is what counts.
    queue: BinaryHeap<Reverse<(usize, u32)>>,
    /// Entries among the states that are left, and entries of L and U so far.
    n_active: usize,
    n_stored: usize,
    /// Scratch: where the row under way has which column, plus 1.
    position: Vec<u32>,
}

impl<F: Field> Elimination<F> {
    fn begin(matrix: OffDiagonals<F>) -> Elimination<F> {
        let n = matrix.row_sum.len();
        let rows: Vec<Vec<(u32, F)>> = matrix
            .first
            .windows(2)
            .map(|range| {
                let columns = matrix.column[range[0]..range[1]].iter().copied();
                columns.zip(matrix.entry[range[0]..range[1]].iter().copied()).collect()
            })
            .collect();
        let mut columns = vec![Vec::new(); n];
        for (state, row) in rows.iter().enumerate() {
            for &(column, _) in row {
                columns[column as usize].push(state as u32);
            }
        }
        let mut elimination = Elimination {
            order: Vec::with_capacity(n),
            is_eliminated: vec![false; n],
            n_active: matrix.column.len(),
            n_stored: 0,
            lower: vec![Vec::new(); n],
            inverse_pivots: Vec::with_capacity(n),
            queue: BinaryHeap::new(),
            position: vec![0; n],
            rows,
            columns,
            row_sums: matrix.row_sum,
        };
        elimination.queue = (0..n as u32).map(|state| Reverse((elimination.fill_in(state), state))).collect();
        elimination
    }

    fn n_left(&self) -> usize {
        self.rows.len() - self.order.len()
    }

    fn fill_in(&self, state: u32) -> usize {
        self.rows[state as usize].len() * self.columns[state as usize].len()
    }

    /// The state to eliminate next, or `None` once the rest is better treated as dense.
    fn next_pivot(&mut self) -> Option<u32> {
        let n_left = self.n_left();
        if n_left <= SMALL || self.n_active > n_left * n_left / 4 {
            return None;
        }
        loop {
            let Reverse((cost, state)) = self.queue.pop()?;
            if self.is_eliminated[state as usize] {
                continue;
            }
            let current = self.fill_in(state);
            if current <= cost {
                return Some(state);
            }
            self.queue.push(Reverse((current, state)));
        }
    }

    fn eliminate(&mut self, state: u32) -> Result<(), Obstacle> {
        let row = std::mem::take(&mut self.rows[state as usize]);
        let sum = self.row_sums[state as usize];
        let diagonal = row.iter().fold(sum, |diagonal, &(_, entry)| diagonal.minus(entry));
        let pivot = Pivot { state, row, sum, inverse: diagonal.inverse().ok_or(Obstacle::ZeroPivot)? };
        self.is_eliminated[state as usize] = true;
        self.order.push(state);
        self.inverse_pivots.push(pivot.inverse);
        for &(column, _) in &pivot.row {
            self.columns[column as usize].retain(|&other| other != state);
        }
        for other in std::mem::take(&mut self.columns[state as usize]) {
            self.subtract_from(other, &pivot);
        }
        for &(column, _) in &pivot.row {
            self.queue.push(Reverse((self.fill_in(column), column)));
        }
        self.n_active -= pivot.row.len();
        self.n_stored += pivot.row.len();
        self.rows[state as usize] = pivot.row;
        Ok(())
    }

    /// Subtracts from the row of `state` the multiple of the pivot's row that clears the pivot's column.
    fn subtract_from(&mut self, state: u32, pivot: &Pivot<F>) {
        let row = &mut self.rows[state as usize];
        let before = row.len();
        let at = row.iter().position(|&(column, _)| column == pivot.state).expect("the column lists this row");
        let factor = row.swap_remove(at).1.times(pivot.inverse);
        for (k, &(column, _)) in row.iter().enumerate() {
            self.position[column as usize] = k as u32 + 1;
        }
        for &(column, entry) in &pivot.row {
            let change = factor.times(entry);
            match self.position[column as usize] {
                // The diagonal follows from the row's sum.
                _ if column == state => {}
                0 => {
                    row.push((column, F::ZERO.minus(change)));
                    self.columns[column as usize].push(state);
                }
                at => row[at as usize - 1].1 = row[at as usize - 1].1.minus(change),
            }
        }
        for &(column, _) in row.iter() {
            self.position[column as usize] = 0;
        }
        self.n_active = self.n_active + row.len() - before;
        self.n_stored += 1;
        self.row_sums[state as usize] = self.row_sums[state as usize].minus(factor.times(pivot.sum));
        self.lower[state as usize].push((pivot.state, factor));
        self.queue.push(Reverse((self.fill_in(state), state)));
    }

    /// Factors what is left as a dense block and puts the parts together.
    fn finish(mut self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Factors<F>, Obstacle> {
        let n_sparse = self.order.len();
        let n_dense = self.n_left();
        let left = (0..self.rows.len() as u32).filter(|&state| !self.is_eliminated[state as usize]);
        self.order.extend(left);
        let mut place = vec![0; self.rows.len()];
        for (k, &state) in self.order.iter().enumerate() {
            place[state as usize] = k as u32;
        }
        let mut entries = vec![F::ZERO; n_dense * n_dense];
        let mut row_sums = Vec::with_capacity(n_dense);
        for (k, &state) in self.order[n_sparse..].iter().enumerate() {
            for &(column, entry) in &self.rows[state as usize] {
                entries[k * n_dense + place[column as usize] as usize - n_sparse] = entry;
            }
            row_sums.push(self.row_sums[state as usize]);
        }
        let dense = DenseBlock::factor(entries, row_sums, stop)?;
        let take = |rows: &mut Vec<Vec<(u32, F)>>, state: u32| std::mem::take(&mut rows[state as usize]);
        let lower = self.order.iter().map(|&state| take(&mut self.lower, state));
        let lower = SparseRows::collect(lower, &place);
        let upper = self.order[..n_sparse].iter().map(|&state| take(&mut self.rows, state));
        let upper = SparseRows::collect(upper, &place);
        Ok(Factors { order: self.order, lower, upper, inverse_pivots: self.inverse_pivots, dense, work: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk on a ring of `n` states that stays or moves on, both with probability 1/2, at discount `1 − gap`.
    fn ring(n: usize, gap: f64) -> OffDiagonals<f64> {
        OffDiagonals {
            first: (0..=n).collect(),
            column: (0..n as u32).map(|state| (state + 1) % n as u32).collect(),
            entry: vec![-(1.0 - gap) / 2.0; n],
            row_sum: vec![gap; n],
        }
    }

    #[test]
    fn nothing_cancels_where_the_discount_is_near_one() {
        // The row sums map to ones exactly, however small they are.
        for n in [5, 500] {
            for gap in [1e-1, 1e-9, 1e-15] {
                let mut factors = Factors::of(ring(n, gap), f64::INFINITY, &|| false).unwrap();
                let mut ones = vec![0.0; n];
                factors.solve(|_| gap, &mut ones);
                assert!(ones.iter().all(|one| (one - 1.0).abs() < 1e-12), "{n} states, gap {gap}: {ones:?}");
            }
        }
    }

    #[test]
    fn factors_that_cost_too_much_are_given_up() {
        assert_eq!(Factors::of(ring(500, 0.1), 400.0, &|| false).err(), Some(Obstacle::TooDense));
        assert!(Factors::of(ring(500, 0.1), 4_000.0, &|| false).is_ok());
    }
}
