//! The model that the arguments name.

use crate::args::{Family, SolveArgs};
use anyhow::{Context, anyhow, bail};
use commonweal::documents::MANY_STATES;
use commonweal::files::ReadOptions;
use commonweal::internals::Numbers;
use commonweal::internals::families::{LargeFamily, Neighbourhood};
use commonweal::internals::io::{Discounts, Format, ModelFile, ReadError, UmbSlice, UnpackedUmb};
use commonweal::internals::model::{OwnStates, Principal, StateSource};
use commonweal::internals::number::parse_rational;
use commonweal::internals::principals::segments;
use commonweal::preferences::Preference;
use commonweal::structure::PrincipalId;
use commonweal::{Engine, Model, Rational};
use petsc_shim::Job;
use std::path::Path;

/// The model, which is asked for states.
pub fn open(job: &Job, args: &SolveArgs) -> anyhow::Result<Box<dyn StateSource>> {
    match (&args.model, args.family) {
        (None, Some(family)) => generated(args, family),
        (Some(path), _) => match slice(job, args, path)? {
            Some(slice) => Ok(Box::new(slice)),
            None => read(args, path),
        },
        (None, None) => bail!("give a model file, or --family"),
    }
}

fn generated(args: &SolveArgs, family: Family) -> anyhow::Result<Box<dyn StateSource>> {
    let discounts = args.discounts.as_deref().context("--family needs --discounts")?;
    let family = LargeFamily {
        neighbourhood: match family {
            Family::Uniform => Neighbourhood::Uniform,
            Family::Band => Neighbourhood::Band,
        },
        n_states: usize::try_from(args.states.context("--family needs --states")?)?,
        n_actions: 2,
        n_successors: 5,
        discounts: numbers("--discounts", discounts)?,
        seed: args.seed,
    };
    Ok(Box::new(family.state_by_state().context("--discounts")?))
}

/// Of a UMB file that is not packed, every rank reads its own states. `None` of another file, and of one that is small enough to be
/// shown whole.
fn slice(job: &Job, args: &SolveArgs, path: &Path) -> anyhow::Result<Option<UmbSlice>> {
    let file = ModelFile::open(path).map_err(|error| anyhow!("{error}"))?;
    if file.format() != Format::Umb {
        return Ok(None);
    }
    let refused = |error: ReadError| anyhow!("{}", error.render(file.name()).trim_end().to_owned());
    let input = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let found = UnpackedUmb::find(input).map_err(refused)?;
    let Some(found) = found.filter(|found| found.n_states() > MANY_STATES as u64) else { return Ok(None) };
    let options = ReadOptions::new(discounts(args)?).from(args.from.as_deref()).strict(args.strict);
    let range = OwnStates::range(found.n_states(), job.rank(), job.size());
    let mut slice = found.slice(range, &options, &|at, bytes| job.read_bytes_at(path, at, bytes)).map_err(refused)?;
    let signs = args.minimise.iter().map(|name| (name.clone(), Rational::from(-1)));
    for (name, weight) in assigned("--weight", &args.weight)?.into_iter().chain(signs) {
        let named = |one: &&mut Principal| one.name == name;
        let Some(principal) = slice.principals_mut().iter_mut().find(named) else {
            bail!("--weight: there is no principal `{name}`");
        };
        principal.weight = weight;
    }
    Ok(Some(slice))
}

fn discounts(args: &SolveArgs) -> anyhow::Result<Discounts> {
    Ok(match &args.discounts {
        Some(list) => Discounts::InOrder(numbers("--discounts", list)?),
        None => {
            let preference = |(name, value): (String, Rational)| (name, Preference::discount(value));
            Discounts::Stated(assigned("--discount", &args.discount)?.into_iter().map(preference).collect())
        }
    })
}

/// A file is read as a whole by every rank, which keeps its own states.
fn read(args: &SolveArgs, path: &Path) -> anyhow::Result<Box<dyn StateSource>> {
    let file = ModelFile::open(path).map_err(|error| anyhow!("{error}"))?;
    let stated = assigned("--discount", &args.discount)?;
    let is_yaml = file.format() == Format::Yaml;
    let options = ReadOptions::new(discounts(args)?).from(args.from.as_deref()).strict(args.strict);
    let model = Model::read_file(&file, &options, Engine::Within(args.gap));
    let mut model = model.map_err(|error| anyhow!("{}", error.render(file.name()).trim_end().to_owned()))?;
    if is_yaml {
        model = with_discounts(model, args, stated)?;
    }
    for (name, weight) in assigned("--weight", &args.weight)? {
        let principal = principal(&model, "--weight", &name)?;
        model = model.with_weight(principal, &weight);
    }
    for name in &args.minimise {
        let principal = principal(&model, "--minimise", name)?;
        model = model.with_weight(principal, &Rational::from(-1));
    }
    if segments(model.principals()).len() > 1 || model.is_approximated() {
        bail!(
            "{}: time preferences in segments and mixtures are not shared by ranks; `commonweal solve` has them",
            file.name()
        );
    }
    let doubles = model.doubles().with_context(|| file.name().to_owned())?;
    Ok(Box::new(doubles.clone()))
}

/// A YAML model has discounts and a start of its own.
fn with_discounts(mut model: Model, args: &SolveArgs, stated: Vec<(String, Rational)>) -> anyhow::Result<Model> {
    if let Some(list) = &args.discounts {
        let discounts = numbers("--discounts", list)?;
        if discounts.len() != model.n_principals() {
            bail!("--discounts: give one for each of the {} principals, in the file's order", model.n_principals());
        }
        for (p, discount) in discounts.iter().enumerate() {
            model = model.with_discount(p.into(), discount).context("--discounts")?;
        }
    }
    for (name, discount) in stated {
        let principal = principal(&model, "--discount", &name)?;
        model = model.with_discount(principal, &discount).context("--discount")?;
    }
    match &args.from {
        None => Ok(model),
        Some(name) => {
            let start = model.find_state(name).ok_or_else(|| anyhow!("--from: there is no state `{name}`"))?;
            Ok(model.with_start(start))
        }
    }
}

fn principal(model: &Model, option: &str, name: &str) -> anyhow::Result<PrincipalId> {
    let names = || model.principals().iter().map(|principal| format!("`{}`", principal.name)).collect::<Vec<_>>();
    model
        .find_principal(name)
        .ok_or_else(|| anyhow!("{option}: there is no principal `{name}`; there are {}", names().join(", ")))
}

fn assigned(option: &str, texts: &[String]) -> anyhow::Result<Vec<(String, Rational)>> {
    let one = |text: &String| {
        let (name, value) = text.rsplit_once('=').ok_or_else(|| anyhow!("{option} {text}: write NAME=VALUE"))?;
        Ok((name.to_owned(), parse_rational(value).with_context(|| option.to_owned())?))
    };
    texts.iter().map(one).collect()
}

fn numbers(option: &str, list: &str) -> anyhow::Result<Vec<Rational>> {
    list.split(',').map(|text| parse_rational(text).with_context(|| option.to_owned())).collect()
}
