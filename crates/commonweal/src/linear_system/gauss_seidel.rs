//! Gauss–Seidel sweeps in doubles, with the constant vector deflated.
//!
//! With W = D⁻¹N, where A = D − N, a sweep sets `x_i ← b_i / d_i + Σ_j w_ij x_j`, always with the newest values; `order` says in which
//! order.
//!
//! The slow mode is the constant vector, which P keeps and each step only multiplies by λ. After every sweep it is
//! removed: `x ← x + c·1` with c such that the residual vanishes against the stationary distribution π of W,
//! `c = (π·b − h·x) / (h·1)` with `h = π − πW`. So the rate is that at which P mixes, not λ: on random graphs some 30 sweeps at any λ.
//! If π is inaccurate, as in a chain that hardly mixes, the shifts may prevent convergence. Plain sweeps always converge, at
//! rate λ or better, so there are no shifts after [`MOST_DEFLATED`] sweeps.
//!
//! Cost: one visit of every entry for each sweep; no fill-in.

use super::dyadic::ApproximateInverse;
use super::field::Field;
use super::obstacle::Obstacle;
use super::order::successors_first;
use super::rows::OffDiagonals;
use crate::kernel::gauss_seidel::{Swept, sweep_in_place};

/// A sweep that changes nothing by more than this times the largest value is the last.
const TOLERANCE: f64 = 1.0 / (1u64 << 48) as f64;
/// The longest rows that have a sweep of their own.
const WIDEST_FIXED: usize = 6;
/// Steps of the power iteration that finds π. A rough approximation only costs more sweeps.
const STEPS_TO_STATIONARY: usize = 30;

/// The number of sweeps after each of which a shift follows.
const MOST_DEFLATED: usize = 1_000;

/// The matrix in the order of the sweeps.
pub(super) struct GaussSeidel {
    /// Place in the sweep → state.
    order: Vec<u32>,
    first: Vec<usize>,
    /// The length of every row, where all are filled up to the same.
    width: Option<usize>,
    /// Columns are places.
    column: Vec<u32>,
    weight: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    /// π, h and h·1.
    stationary: Vec<f64>,
    projection: Vec<f64>,
    projection_sum: f64,
    most_sweeps: usize,
    /// Sweeps that the last solve took.
    n_sweeps: usize,
    rhs: Vec<f64>,
    x: Vec<f64>,
}

impl GaussSeidel {
    /// Sweeps over `matrix` that give up after `most_sweeps`.
    pub(super) fn new(matrix: &OffDiagonals<f64>, most_sweeps: usize) -> GaussSeidel {
        let n = matrix.row_sum.len();
        let order = successors_first(matrix);
        let mut place = vec![0; n];
        for (k, &state) in order.iter().enumerate() {
            place[state as usize] = k as u32;
        }
        let mut sweeps = GaussSeidel {
            first: Vec::with_capacity(n + 1),
            column: Vec::with_capacity(matrix.column.len()),
            weight: Vec::with_capacity(matrix.column.len()),
            width: fixed_width(matrix),
            inverse_diagonal: Vec::with_capacity(n),
            stationary: vec![1.0 / n as f64; n],
            projection: Vec::new(),
            projection_sum: 0.0,
            most_sweeps,
            n_sweeps: 0,
            rhs: vec![0.0; n],
            x: vec![0.0; n],
            order,
        };
        sweeps.first.push(0);
        for (place_of_row, &state) in sweeps.order.iter().enumerate() {
            let range = matrix.first[state as usize]..matrix.first[state as usize + 1];
            let entries = &matrix.entry[range.clone()];
            let inverse = 1.0 / (matrix.row_sum[state as usize] - entries.iter().sum::<f64>());
            sweeps.column.extend(matrix.column[range].iter().map(|&column| place[column as usize]));
            sweeps.weight.extend(entries.iter().map(|entry| -entry * inverse));
            // Rows of fixed width are padded with zero entries.
            let padding = sweeps.width.map_or(0, |width| width - entries.len());
            sweeps.column.extend(std::iter::repeat_n(place_of_row as u32, padding));
            sweeps.weight.extend(std::iter::repeat_n(0.0, padding));
            sweeps.first.push(sweeps.column.len());
            sweeps.inverse_diagonal.push(inverse);
        }
        for _ in 0..STEPS_TO_STATIONARY {
            let mut next = sweeps.transposed_product(&sweeps.stationary);
            // A lazy step, because the power iteration does not converge on a cycle of even length.
            next.iter_mut().zip(&sweeps.stationary).for_each(|(next, share)| *next = (*next + share) / 2.0);
            let total: f64 = next.iter().sum();
            if total <= 0.0 {
                break;
            }
            sweeps.stationary = next.into_iter().map(|share| share / total).collect();
        }
        let moved = sweeps.transposed_product(&sweeps.stationary);
        sweeps.projection = sweeps.stationary.iter().zip(moved).map(|(share, moved)| share - moved).collect();
        sweeps.projection_sum = sweeps.projection.iter().sum();
        sweeps
    }

    /// The same sweeps with another limit.
    pub(super) fn with_most_sweeps(mut self, most_sweeps: usize) -> GaussSeidel {
        self.most_sweeps = most_sweeps;
        self
    }

    /// The cost of a solve, in visits of entries, estimated by the last one.
    pub(super) fn cost(&self) -> f64 {
        (self.n_sweeps * (self.weight.len() + self.order.len())) as f64
    }

    fn transposed_product(&self, v: &[f64]) -> Vec<f64> {
        let mut result = vec![0.0; v.len()];
        for (range, v) in self.first.windows(2).zip(v) {
            for (&column, weight) in self.column[range[0]..range[1]].iter().zip(&self.weight[range[0]..range[1]]) {
                result[column as usize] += v * weight;
            }
        }
        result
    }

    fn sweep(&mut self) -> Swept {
        match self.width {
            Some(1) => self.sweep_fixed::<1>(),
            Some(2) => self.sweep_fixed::<2>(),
            Some(3) => self.sweep_fixed::<3>(),
            Some(4) => self.sweep_fixed::<4>(),
            Some(5) => self.sweep_fixed::<5>(),
            Some(6) => self.sweep_fixed::<6>(),
            _ => {
                let ranges = self.first.windows(2).map(|range| range[0]..range[1]);
                let rows = ranges.map(|range| (&self.column[range.clone()], &self.weight[range]));
                sweep_rows(rows, &self.rhs, &mut self.x)
            }
        }
    }

    /// A sweep over rows that all have K entries, which the compiler unrolls.
    fn sweep_fixed<const K: usize>(&mut self) -> Swept {
        let columns = self.column.as_chunks::<K>().0.iter().map(|columns| columns.as_slice());
        let weights = self.weight.as_chunks::<K>().0.iter().map(|weights| weights.as_slice());
        sweep_rows(columns.zip(weights), &self.rhs, &mut self.x)
    }

    fn deflate(&mut self, target: f64) {
        let shift = target.minus_dot(&self.projection, &self.x) / self.projection_sum;
        self.x.iter_mut().for_each(|x| *x += shift);
    }
}

#[inline(always)]
fn sweep_rows<'a>(rows: impl Iterator<Item = (&'a [u32], &'a [f64])>, rhs: &[f64], x: &mut [f64]) -> Swept {
    sweep_in_place(rows.zip(rhs).enumerate(), x, |((columns, weights), rhs), x| {
        rhs + columns.iter().zip(weights).map(|(&column, weight)| weight * x[column as usize]).sum::<f64>()
    })
}

impl ApproximateInverse for GaussSeidel {
    const DIGIT_BITS: i32 = 47;

    fn apply(&mut self, residual: &[i64], solution: &mut [f64]) -> Result<(), Obstacle> {
        let mut target = 0.0;
        for (place, &state) in self.order.iter().enumerate() {
            self.rhs[place] = residual[state as usize] as f64 * self.inverse_diagonal[place];
            target += self.stationary[place] * self.rhs[place];
        }
        self.x.fill(0.0);
        self.n_sweeps = 0;
        loop {
            if self.n_sweeps < MOST_DEFLATED {
                self.deflate(target);
            }
            let swept = self.sweep();
            self.n_sweeps += 1;
            if swept.is_settled(TOLERANCE) {
                break;
            }
            if self.n_sweeps == self.most_sweeps {
                return Err(Obstacle::TooManySweeps);
            }
        }
        for (&state, &value) in self.order.iter().zip(&self.x) {
            solution[state as usize] = value;
        }
        Ok(())
    }
}

/// The length to which all rows are padded, if that adds no more than a quarter.
fn fixed_width(matrix: &OffDiagonals<f64>) -> Option<usize> {
    let longest = matrix.first.windows(2).map(|range| range[1] - range[0]).max()?;
    let filled = longest * matrix.row_sum.len();
    ((1..=WIDEST_FIXED).contains(&longest) && filled <= matrix.column.len() + matrix.column.len() / 4)
        .then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I − λP, where each state moves to `successors(state)` with equal probability.
    fn matrix(n: usize, discount: f64, successors: impl Fn(usize) -> Vec<u32>) -> OffDiagonals<f64> {
        let mut matrix =
            OffDiagonals { first: vec![0], column: vec![], entry: vec![], row_sum: vec![1.0 - discount; n] };
        for state in 0..n {
            let targets = successors(state);
            matrix.entry.extend(targets.iter().map(|_| -discount / targets.len() as f64));
            matrix.column.extend(targets);
            matrix.first.push(matrix.column.len());
        }
        matrix
    }

    fn sweeps_for(matrix: &OffDiagonals<f64>) -> usize {
        let n = matrix.row_sum.len();
        let mut sweeps = GaussSeidel::new(matrix, 100_000);
        let residual: Vec<i64> = (0..n as i64).map(|state| state * state % 101 - 50).collect();
        let mut solution = vec![0.0; n];
        sweeps.apply(&residual, &mut solution).unwrap();
        for state in 0..n {
            let range = matrix.first[state]..matrix.first[state + 1];
            let (columns, entries) = (&matrix.column[range.clone()], &matrix.entry[range]);
            let diagonal = matrix.row_sum[state] - entries.iter().sum::<f64>();
            let left = (diagonal * solution[state]).minus_sparse_dot(
                &entries.iter().map(|entry| -entry).collect::<Vec<_>>(),
                columns,
                &solution,
            );
            assert!((left - residual[state] as f64).abs() < 1e-6, "state {state}: {left}");
        }
        sweeps.n_sweeps
    }

    #[test]
    fn without_cycles_the_second_sweep_changes_nothing() {
        let towards_the_end = |state: usize| if state < 99 { vec![state as u32 + 1, 99] } else { vec![] };
        assert!(sweeps_for(&matrix(100, 0.999, towards_the_end)) <= 2);
    }

    #[test]
    fn where_the_chain_mixes_patience_costs_no_sweeps() {
        let mixing = |state: usize| [7, 31, 57].map(|factor| ((state * factor + factor) % 100) as u32).to_vec();
        let (impatient, patient) = (sweeps_for(&matrix(100, 0.9, mixing)), sweeps_for(&matrix(100, 0.9999, mixing)));
        assert!(patient < 2 * impatient, "{impatient} and {patient} sweeps");
    }
}
