//! Small dense systems in doubles: values by elimination, and inverses.

use super::doubles::Doubles;
use crate::model::StateId;

/// Solves `V = R_σ + λ P_σ V` for one principal by elimination. Leaves `values` unchanged if that breaks down.
pub(super) fn solve_values(model: &Doubles, reach: &[StateId], mix: &[f64], i: usize, values: &mut [f64]) {
    let size = reach.len();
    let position = model.positions(reach);
    let width = size + 1;
    let mut rows = vec![0.0; size * width];
    for (index, &state) in reach.iter().enumerate() {
        let row = &mut rows[index * width..(index + 1) * width];
        row[index] = 1.0;
        for choice in model.choices(state).filter(|&choice| mix[choice.index()] > 0.0) {
            row[size] += mix[choice.index()] * model.rewards(choice)[i];
            for (target, probability) in model.row(choice) {
                row[position[target.index()]] -= mix[choice.index()] * model.discount[i] * probability;
            }
        }
    }
    if let Some(solution) = solve_in_place(size, &mut rows) {
        reach.iter().zip(solution).for_each(|(&state, value)| values[state.index()] = value);
    }
}

/// Solves `size` equations by elimination, row after row, each with its right side behind it. I − λP is diagonally dominant: no
/// pivoting is needed. `None` if it breaks down.
pub(super) fn solve_in_place(size: usize, rows: &mut [f64]) -> Option<Vec<f64>> {
    let width = size + 1;
    for column in 0..size {
        let pivot = rows[column * width + column];
        let (above, below) = rows.split_at_mut((column + 1) * width);
        let pivot_row = &above[column * width..];
        for row in below.chunks_exact_mut(width) {
            let factor = row[column] / pivot;
            if factor != 0.0 {
                for (entry, other) in row[column..].iter_mut().zip(&pivot_row[column..]) {
                    *entry -= factor * other;
                }
            }
        }
    }
    let mut solution = vec![0.0; size];
    for index in (0..size).rev() {
        let row = &rows[index * width..(index + 1) * width];
        let known: f64 = row[index + 1..size].iter().zip(&solution[index + 1..]).map(|(a, x)| a * x).sum();
        solution[index] = (row[size] - known) / row[index];
    }
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

/// (I − λP)^-1, row after row, by Gauss–Jordan elimination; `None` if it breaks down.
pub(super) fn inverse(size: usize, mut rows: Vec<f64>) -> Option<Vec<f64>> {
    let mut inverse = vec![0.0; size * size];
    (0..size).for_each(|index| inverse[index * size + index] = 1.0);
    for column in 0..size {
        let pivot = rows[column * size + column];
        for entry in rows[column * size..(column + 1) * size].iter_mut() {
            *entry /= pivot;
        }
        for entry in inverse[column * size..(column + 1) * size].iter_mut() {
            *entry /= pivot;
        }
        let pivot_row = rows[column * size..(column + 1) * size].to_vec();
        let pivot_inverse = inverse[column * size..(column + 1) * size].to_vec();
        for row in (0..size).filter(|&row| row != column) {
            let factor = rows[row * size + column];
            if factor == 0.0 {
                continue;
            }
            for (entry, other) in rows[row * size + column..(row + 1) * size].iter_mut().zip(&pivot_row[column..]) {
                *entry -= factor * other;
            }
            for (entry, other) in inverse[row * size..(row + 1) * size].iter_mut().zip(&pivot_inverse) {
                *entry -= factor * other;
            }
        }
    }
    inverse.iter().all(|entry| entry.is_finite()).then_some(inverse)
}
