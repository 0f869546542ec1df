//! Which engine answers, and why.

use crate::args::SolveArgs;
use crate::report::numbers::steps;
use commonweal::Engine;

/// An exact answer that takes longer than this, in seconds, is not waited for unless asked for.
const PATIENCE: f64 = 10.0;

/// The engine that the arguments ask for, or else the one that suits a model of that size; and a word about why, if the
/// choice is worth one.
pub fn pick(args: &SolveArgs, n_states: u64, n_principals: usize) -> (Engine, Option<String>) {
    if args.exact {
        return (Engine::Exact, None);
    }
    if args.gap.is_some() {
        return (Engine::Certified, None);
    }
    if exact_seconds(n_states, n_principals) <= PATIENCE {
        return (Engine::Exact, None);
    }
    let states = steps(&n_states.into());
    let why = format!(
        "{states} states are many for exact arithmetic, so the answer is proven in doubles.\n      \
         --exact insists on fractions, --gap G sets how near the bounds are."
    );
    (Engine::Certified, Some(why))
}

/// About how long the exact engine takes: its linear solves, which grow a little faster than the square of the states.
fn exact_seconds(n_states: u64, n_principals: usize) -> f64 {
    0.4 * n_principals as f64 * (n_states as f64 / 3000.0).powf(2.2)
}
