//! Gauss–Seidel sweeps in doubles, with the constant vector deflated.
//!
//! With W = D⁻¹N, where A = D − N, a sweep sets `x_i ← b_i / d_i + Σ_j w_ij x_j`, always with the newest values. States are swept after
//! their successors as far as cycles allow, so that without cycles one sweep is the solution.
//!
//! The slow mode is the constant vector, which P keeps and each step only multiplies by λ. After every sweep it is
//! removed: `x ← x + c·1` with c such that the residual vanishes against the stationary distribution π of W,
//! `c = (π·b − h·x) / (h·1)` with `h = π − πW`. So the rate is that at which P mixes, not λ: on random graphs some 30 sweeps at any λ.
//!
//! Cost: one visit of every entry for each sweep; no fill-in.

use super::dyadic::ApproximateInverse;
use super::obstacle::Obstacle;
use super::rows::OffDiagonals;

/// A sweep that changes nothing by more than this times the largest value is the last.
const TOLERANCE: f64 = 1.0 / (1u64 << 48) as f64;
/// Steps of the power iteration that finds π. An approximation serves as well, only with more sweeps.
const STEPS_TO_STATIONARY: usize = 30;

/// The matrix in the order of the sweeps.
pub(super) struct GaussSeidel {
    /// Place in the sweep → state.
    order: Vec<u32>,
    first: Vec<usize>,
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
        for &state in &sweeps.order {
            let range = matrix.first[state as usize]..matrix.first[state as usize + 1];
            let entries = &matrix.entry[range.clone()];
            let inverse = 1.0 / (matrix.row_sum[state as usize] - entries.iter().sum::<f64>());
            sweeps.column.extend(matrix.column[range].iter().map(|&column| place[column as usize]));
            sweeps.weight.extend(entries.iter().map(|entry| -entry * inverse));
            sweeps.first.push(sweeps.column.len());
            sweeps.inverse_diagonal.push(inverse);
        }
        for _ in 0..STEPS_TO_STATIONARY {
            let next = sweeps.transposed_product(&sweeps.stationary);
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

    /// What one solve costs, in visits of entries, going by the last one.
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

    /// One sweep; the largest change and the largest value.
    fn sweep(&mut self) -> (f64, f64) {
        let (mut change, mut largest) = (0.0f64, 0.0f64);
        for (i, range) in self.first.windows(2).enumerate() {
            let columns = &self.column[range[0]..range[1]];
            let weights = &self.weight[range[0]..range[1]];
            let sum: f64 = columns.iter().zip(weights).map(|(&column, weight)| weight * self.x[column as usize]).sum();
            let value = self.rhs[i] + sum;
            change = change.max((value - self.x[i]).abs());
            largest = largest.max(value.abs());
            self.x[i] = value;
        }
        (change, largest)
    }

    fn deflate(&mut self, target: f64) {
        let reached: f64 = self.projection.iter().zip(&self.x).map(|(h, x)| h * x).sum();
        let shift = (target - reached) / self.projection_sum;
        self.x.iter_mut().for_each(|x| *x += shift);
    }
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
            self.deflate(target);
            let (change, largest) = self.sweep();
            self.n_sweeps += 1;
            if change <= largest * TOLERANCE {
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

/// The states in the order in which a depth-first search leaves them: each after its successors, except along the edges
/// that close a cycle.
fn successors_first(matrix: &OffDiagonals<f64>) -> Vec<u32> {
    let n = matrix.row_sum.len();
    let mut order = Vec::with_capacity(n);
    let mut is_seen = vec![false; n];
    // A state and how many of its successors have been looked at.
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..n {
        if !std::mem::replace(&mut is_seen[root], true) {
            path.push((root as u32, matrix.first[root]));
        }
        while let Some((state, next)) = path.last_mut() {
            if *next == matrix.first[*state as usize + 1] {
                order.push(*state);
                path.pop();
                continue;
            }
            let successor = matrix.column[*next];
            *next += 1;
            if !std::mem::replace(&mut is_seen[successor as usize], true) {
                path.push((successor, matrix.first[successor as usize]));
            }
        }
    }
    order
}
