//! Exact solution of policy-evaluation systems (I − λP) V = R.
mod dense_block;
mod dyadic;
mod elimination;
mod euclid;
mod field;
mod gauss_seidel;
mod obstacle;
mod padic;
mod prime_powers;
mod random;
mod reconstruction;
mod rows;
mod system;
#[cfg(test)]
mod tests;

pub use system::IntegerSystem;

use crate::number::ExactVector;
use dyadic::{ApproximateInverse, Dyadic};
use elimination::Factors;
use obstacle::Obstacle;
use rows::Rows;
use system::Coefficients;

/// One way of solving a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    DyadicElimination,
    Sweeps,
    Padic,
}

/// The exact solution.
pub fn solve(system: &IntegerSystem, stop: &(dyn Fn() -> bool + Sync)) -> Option<ExactVector> {
    assert_eq!(system.n_rows(), system.n_unknowns(), "a system has as many rows as unknowns");
    if let Coefficients::Words(rows) = system.coefficients() {
        match solve_by(Scheme::DyadicElimination, rows, stop) {
            Ok(solution) => return Some(solution),
            Err(Obstacle::Stopped) => return None,
            _ => {}
        }
    }
    let solved = match system.coefficients() {
        Coefficients::Words(rows) => padic::solve(rows, stop),
        Coefficients::Wide(rows) => padic::solve(rows, stop),
        Coefficients::Big(rows) => padic::solve(rows, stop),
    };
    match solved {
        Ok(solution) => Some(solution),
        Err(Obstacle::Stopped) => None,
        Err(obstacle) => unreachable!("{obstacle:?}"),
    }
}

pub fn bench(scheme: Scheme, system: &IntegerSystem) -> ExactVector {
    let Coefficients::Words(rows) = system.coefficients() else { panic!() };
    solve_by(scheme, rows, &|| false).unwrap()
}
fn solve_by(scheme: Scheme, rows: &Rows<i64>, stop: &(dyn Fn() -> bool + Sync)) -> Result<ExactVector, Obstacle> {
    match scheme {
        Scheme::Sweeps => {
            let inverse = gauss_seidel::GaussSeidel::new(&rows.off_diagonals(|&entry| entry as f64), 1000);
            let demand = Dyadic::<Elimination>::demand(rows);
            reconstruction::lift(Dyadic::new(rows, inverse, demand), rows, demand, stop)
        }
        Scheme::Padic => padic::solve(rows, stop),
        Scheme::DyadicElimination => {
            let factors = Factors::of(rows.off_diagonals(|&entry| entry as f64), f64::INFINITY, stop)?;
            let demand = Dyadic::<Elimination>::demand(rows);
            reconstruction::lift(
                Dyadic::new(rows, Elimination { factors, work: Vec::new() }, demand),
                rows,
                demand,
                stop,
            )
        }
    }
}

struct Elimination {
    factors: Factors<f64>,
    work: Vec<f64>,
}
impl ApproximateInverse for Elimination {
    const DIGIT_BITS: i32 = 50;
    fn apply(&mut self, residual: &[i64], solution: &mut [f64]) -> Result<(), Obstacle> {
        self.factors.solve(|row| residual[row] as f64, solution, &mut self.work);
        Ok(())
    }
}
