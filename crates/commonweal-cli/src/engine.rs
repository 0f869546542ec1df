//! Which engine answers, and why; the model in its numbers.

use crate::args::{ChangeArgs, EngineArgs};
use crate::input;
use crate::model_file::ModelFile;
use crate::report::note;
use crate::report::numbers::steps;
use anyhow::Context;
use commonweal::Engine;
use commonweal::model::Mdp;

/// How near a certified answer comes unless told otherwise.
pub const GAP: f64 = 1e-9;

/// An exact answer that takes longer than this, in seconds, is not waited for unless asked for.
const PATIENCE: f64 = 10.0;

/// A model in the numbers of the engine that answers.
pub enum Picked {
    Exact(Mdp),
    Certified(Mdp<f64>),
}

/// The model in a file, for the engine that the arguments ask for, or else the one that suits its size; says why, if the
/// choice is worth a word.
pub fn read(args: &EngineArgs, file: &ModelFile, changes: &ChangeArgs, quiet: bool) -> anyhow::Result<Picked> {
    let say = |why: Option<String>| why.filter(|_| !quiet).iter().for_each(|why| note(why));
    // A large model is read in doubles from the start: in fractions it would take several times the memory.
    if let Some(overview) = file.overview()?
        && let (Engine::Certified, why) = pick(args, overview.states, changes.n_discounts())
    {
        let model = input::changed(file, changes, quiet)?;
        say(why);
        return Ok(Picked::Certified(model));
    }
    let model: Mdp = input::changed(file, changes, quiet)?;
    Ok(match pick(args, model.n_states() as u64, model.n_principals()) {
        (Engine::Exact, _) => Picked::Exact(model),
        (Engine::Certified, why) => {
            let model = model.to_doubles().with_context(|| file.shown())?;
            say(why);
            Picked::Certified(model)
        }
    })
}

fn pick(args: &EngineArgs, n_states: u64, n_principals: usize) -> (Engine, Option<String>) {
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
