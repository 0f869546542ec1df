//! Which engine answers, and why.

use crate::args::SolveArgs;
use commonweal::Engine;
use commonweal::model::Model;

/// An exact answer that takes longer than this, in seconds, is not waited for unless asked for.
const PATIENCE: f64 = 10.0;

/// The engine that the arguments ask for, or the one that suits the model; and a word about why, if it was picked.
pub fn pick<N>(args: &SolveArgs, model: &Model<N>) -> (Engine, Option<String>) {
    if args.exact {
        return (Engine::Exact, None);
    }
    if args.gap.is_some() {
        return (Engine::Certified, None);
    }
    if exact_seconds(model) <= PATIENCE {
        return (Engine::Exact, None);
    }
    let why = format!(
        "{} states are many for exact arithmetic, so this is proven in doubles; --exact insists, --gap G sets how near",
        crate::report::numbers::steps(&model.n_states().into())
    );
    (Engine::Certified, Some(why))
}

/// About how long the exact engine takes: its linear solves, which grow a little faster than the square of the states.
fn exact_seconds<N>(model: &Model<N>) -> f64 {
    0.4 * model.n_principals() as f64 * (model.n_states() as f64 / 3000.0).powf(2.2)
}
