//! Exact solution of policy-evaluation systems, (I − λP) V = R over the rationals.
//!
//! The rows are scaled to integers, A·x = b. No fractions are used: an approximate inverse of A, in doubles or modulo a prime,
//! gives x digit by digit, with residuals in machine integers. Once there are about 2·log₂ det A bits, the digits determine the
//! common denominator and the numerators, and A·N = den·b is checked in integers. So every answer is proven, independently of
//! the doubles, and one of these schemes always succeeds:
//!
//! | scheme | approximate inverse | bits a step | for |
//! |---|---|---|---|
//! | `dyadic` + `elimination` | sparse LU in doubles | 50, less as λ nears 1 | small or structured graphs |
//! | `dyadic` + `gauss_seidel` | deflated sweeps in doubles | 47, less as λ nears 1 | graphs whose LU factors fill up |
//! | `padic` | sparse LU modulo 2^61 − 1 | 61 | entries beyond 61 bits, λ too near 1 for doubles |
//!
//! Cost: with S states and entries of β bits the solution has S²β bits, and as many digits are lifted: for each of the
//! 2Sβ/α steps one approximate solve, at the end S products of Sβ-bit numbers. One core, 5 successors, λ = 9/10, random
//! graph: 0.07 s for 1,000 states, 0.7 s for 3,000, 10 s for 10,000 (81,000 bits an entry).

mod dense_block;
mod dyadic;
mod elimination;
mod euclid;
mod field;
mod fractions;
mod gauss_seidel;
mod obstacle;
mod order;
mod padic;
mod prime_powers;
mod random;
mod reconstruction;
mod rows;
mod system;
#[cfg(test)]
mod tests;

pub use system::IntegerSystem;

use crate::number::{ExactVector, Integer};
use dyadic::{ApproximateInverse, Dyadic};
use elimination::Factors;
use gauss_seidel::GaussSeidel;
use obstacle::Obstacle;
use random::RandomWeights;
use rows::Rows;
use system::Coefficients;

/// Up to this many states LU factors are cheap whatever the graph, and nothing else is tried.
const ALWAYS_FACTORED: usize = 400;
/// Up to this many states with long entries, elimination in fractions takes less than finding fractions from digits.
const FEW: usize = 4;
/// Visits of an LU factor's entry per visit in a sweep that make the two even.
const FACTOR_ADVANTAGE: f64 = 0.5;
/// The most that factors may cost where sweeps converge slowly: some gigabytes of a dense block.
const MOST_FACTOR_COST: f64 = 3e7;
/// The number of sweeps that counts as slow, and the number after which they are given up.
const MANY_SWEEPS: usize = 200;
const MOST_SWEEPS: usize = 20_000;

/// The exact solution x, proven: A·x = b holds in integers. `None` as soon as `stop` says so, which is asked at every step.
///
/// The common denominator is the least one. The same system gives the same answer whatever the number of threads.
///
/// ```
/// use commonweal::internals::linear_system::{IntegerSystem, solve};
/// use commonweal::internals::number::parse_rational;
///
/// // One state that earns 1 and stays: V = 1 + 2/3 V.
/// let mut system = IntegerSystem::new(1);
/// let one = parse_rational("1")?;
/// system.push_state(0, &parse_rational("2/3")?, [(0, &one)].into_iter(), &one);
/// let values = solve(&system, &|| false).expect("nothing stops it");
/// assert_eq!(values.get(0), parse_rational("3")?);
/// # Ok::<(), commonweal::internals::number::NumberError>(())
/// ```
///
/// # Panics
///
/// If the system has fewer rows than unknowns.
pub fn solve(system: &IntegerSystem, stop: &(dyn Fn() -> bool + Sync)) -> Option<ExactVector> {
    assert_eq!(system.n_rows(), system.n_unknowns(), "a system has as many rows as unknowns");
    let solved = match system.coefficients() {
        Coefficients::Words(rows) => match solve_in_doubles(rows, stop) {
            Ok(solution) => Ok(solution),
            Err(Obstacle::Stopped) => Err(Obstacle::Stopped),
            Err(_) => padic::solve(rows, stop),
        },
        Coefficients::Wide(_) | Coefficients::Big(_) if system.n_rows() <= FEW => Err(Obstacle::Few),
        Coefficients::Wide(rows) => padic::solve(rows, stop),
        Coefficients::Big(rows) => padic::solve(rows, stop),
    };
    match solved {
        Ok(solution) => Some(solution),
        Err(Obstacle::Stopped) => None,
        // No obstacle leads to elimination in fractions, with its n² entries, once the solve is to stop.
        Err(_) if stop() => None,
        // A small system, or a model with a determinant that all three primes divide.
        Err(_) => match system.coefficients() {
            Coefficients::Words(rows) => fractions::solve(&rows.map(|&entry| Integer::from(entry)), stop),
            Coefficients::Wide(rows) => fractions::solve(&rows.map(|&entry| Integer::from(entry)), stop),
            Coefficients::Big(rows) => fractions::solve(rows, stop),
        },
    }
}

/// The solution by lifting in doubles, with whichever inverse costs less for each step.
fn solve_in_doubles(rows: &Rows<i64>, stop: &(dyn Fn() -> bool + Sync)) -> Result<ExactVector, Obstacle> {
    let matrix = || rows.off_diagonals(|&entry| entry as f64);
    if rows.len() <= ALWAYS_FACTORED {
        return lift_with(Factors::of(matrix(), f64::INFINITY, stop)?, rows, stop);
    }
    // A trial measures the cost of sweeps. Its right-hand side is random, like residuals; rewards may be too smooth.
    let mut sweeps = GaussSeidel::new(&matrix(), MANY_SWEEPS);
    let is_slow = sweeps.apply(&RandomWeights::new(rows.len(), 0).signed(), &mut vec![0.0; rows.len()]).is_err();
    let most_cost = if is_slow { MOST_FACTOR_COST } else { FACTOR_ADVANTAGE * sweeps.cost() };
    match Factors::of(matrix(), most_cost, stop) {
        Ok(factors) => lift_with(factors, rows, stop),
        Err(Obstacle::TooDense) => lift_with(sweeps.with_most_sweeps(MOST_SWEEPS), rows, stop),
        Err(obstacle) => Err(obstacle),
    }
}

fn lift_with<I: ApproximateInverse>(
    inverse: I,
    rows: &Rows<i64>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<ExactVector, Obstacle> {
    let demand = Dyadic::<I>::demand(rows);
    reconstruction::lift(Dyadic::new(rows, inverse, demand), rows, demand, stop)
}
