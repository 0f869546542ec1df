//! The model that the arguments name.

use crate::args::{Family, SolveArgs};
use anyhow::{Context, bail};
use commonweal::Engine;
use commonweal::documents::MANY_STATES;
use commonweal::files::{Discounts, Format, ReadError, ReadOptions};
use commonweal::internals::Numbers;
use commonweal::internals::families::{LargeFamily, Neighbourhood};
use commonweal::internals::io::{UmbSlice, UnpackedUmb};
use commonweal::internals::model::{OwnStates, StateSource};
use commonweal_terminal::args::ChangeArgs;
use commonweal_terminal::{input, model_file};
use petsc_shim::Job;
use std::path::Path;

/// The model, which is asked for states.
pub fn open(job: &Job, args: &SolveArgs) -> anyhow::Result<Box<dyn StateSource>> {
    match (&args.model, args.family) {
        (None, Some(family)) => generated(args, family),
        (Some(path), _) => match slice(job, args, path)? {
            Some(slice) => Ok(Box::new(slice)),
            None => read(job, args, path),
        },
        (None, None) => bail!("give a model file, or --family"),
    }
}

fn generated(args: &SolveArgs, family: Family) -> anyhow::Result<Box<dyn StateSource>> {
    let family = LargeFamily {
        neighbourhood: match family {
            Family::Uniform => Neighbourhood::Uniform,
            Family::Band => Neighbourhood::Band,
        },
        n_states: usize::try_from(args.states.context("--family needs --states")?)?,
        n_actions: 2,
        n_successors: 5,
        discounts: match input::discounts(&args.changes)? {
            Discounts::InOrder(discounts) => discounts,
            _ => bail!("--family needs --discounts"),
        },
        seed: args.seed,
    };
    Ok(Box::new(family.state_by_state().context("--discounts")?))
}

/// Of a UMB file that is not packed, every rank reads its own states. `None` of another file, and of one that is small enough to be
/// shown whole.
fn slice(job: &Job, args: &SolveArgs, path: &Path) -> anyhow::Result<Option<UmbSlice>> {
    if args.all_states {
        return Ok(None);
    }
    let file = model_file::open(path)?;
    if file.format() != Format::Umb {
        return Ok(None);
    }
    let refused = |error: ReadError| model_file::refused(&file, &error);
    let input = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let found = UnpackedUmb::find(input).map_err(refused)?;
    let Some(found) = found.filter(|found| found.n_states() > MANY_STATES as u64) else { return Ok(None) };
    let ChangeArgs { from, strict, .. } = &args.changes;
    let options = ReadOptions::new(input::discounts(&args.changes)?).from(from.as_deref()).strict(*strict);
    let range = OwnStates::range(found.n_states(), job.rank(), job.size());
    let mut slice = found.slice(range, &options, &|at, bytes| job.read_bytes_at(path, at, bytes)).map_err(refused)?;
    for (option, name, weight) in input::weights(&args.changes)? {
        let names: Vec<String> = slice.principals().iter().map(|principal| principal.name.clone()).collect();
        let Some(p) = names.iter().position(|one| one == name) else {
            let cure = input::suggestion(name, names.iter(), "the principals are");
            bail!("{option}: there is no principal `{name}`{cure}");
        };
        slice.principals_mut()[p].weight = weight;
    }
    Ok(Some(slice))
}

/// Any other file is read as a whole by every rank, which keeps its own states. One of them says what was noticed.
fn read(job: &Job, args: &SolveArgs, path: &Path) -> anyhow::Result<Box<dyn StateSource>> {
    let file = model_file::open(path)?;
    let is_quiet = args.run.quiet || job.rank() > 0;
    let model = input::changed(&file, &args.changes, Engine::Within(args.gap()), is_quiet)?;
    let doubles = model.doubles().with_context(|| file.name().to_owned())?;
    Ok(Box::new(doubles.clone()))
}
