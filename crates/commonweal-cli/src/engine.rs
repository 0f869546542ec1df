//! Reads the model that the arguments name, in the numbers of the engine that answers, and reports the choice of engine.

use crate::args::{EngineArgs, ModelArgs};
use crate::input;
use crate::model_file;
use crate::report::note;
use crate::report::numbers::steps;
use crate::signals;
use anyhow::Context;
use commonweal::{Engine, Model};

/// A model, and the engine that answers for it.
pub struct Asked {
    pub model: Model,
    pub engine: Engine,
}

/// The model in a file, for the engine that the arguments ask for, or else the one that suits its size. `in_fractions` wants
/// the numbers as they are written, whatever the engine.
pub fn read(args: &EngineArgs, model: &ModelArgs, in_fractions: bool, quiet: bool) -> anyhow::Result<Asked> {
    signals::while_reading(|| read_now(args, model, in_fractions, quiet))
}

fn read_now(args: &EngineArgs, model: &ModelArgs, in_fractions: bool, quiet: bool) -> anyhow::Result<Asked> {
    let file = model_file::open(&model.model)?;
    let engine = args.engine();
    let picked = match file.overview().map_err(|error| model_file::refused(&file, &error))? {
        Some(overview) => pick(engine, overview.states, model.changes.n_discounts()),
        None => engine,
    };
    let reading = match picked {
        _ if in_fractions => Engine::Exact,
        // A small model is read as it is written, whatever the gap: doubles may hand over to fractions.
        Engine::Within(_) => Engine::Auto,
        Engine::Auto | Engine::Exact => picked,
    };
    let model = input::changed(&file, &model.changes, reading, quiet)?;
    let picked = asked(picked, picked.suited_to(&model));
    if let Engine::Within(_) = picked {
        model.check_doubles().with_context(|| file.name().to_owned())?;
        if engine == Engine::Auto && !quiet && model.is_approximated() {
            note("a mixture of many discounts is solved in doubles; --exact forces fractions.");
        } else if engine == Engine::Auto && !quiet {
            let states = steps(&(model.n_states() as u64).into());
            note(&format!(
                "{states} states are many for exact arithmetic, so the answer is proven in doubles.\n      \
                 --exact forces fractions, --gap G sets how close the bounds are."
            ));
        }
    }
    Ok(Asked { model, engine: picked })
}

/// The engine for a model of this size, if none was asked for.
fn pick(engine: Engine, n_states: u64, n_parts: usize) -> Engine {
    asked(engine, engine.suited_to_size(n_states, n_parts))
}

/// The engine that was picked; `Auto` if it picked fractions that were not asked for.
fn asked(engine: Engine, picked: Engine) -> Engine {
    if picked == Engine::Exact { engine } else { picked }
}
