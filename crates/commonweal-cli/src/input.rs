//! Reading what the command line names.

use crate::args::{ChangeArgs, ModelArgs};
use crate::model_file::{self, file, located};
use crate::report::numbers::counted;
use anyhow::{Context, anyhow, bail};
use commonweal::internals::io::{Discounts, Format, MAX_MODEL_BYTES, ModelFile, read_dimacs, read_game, read_strategy};
use commonweal::internals::model::{Mdp, Structure, nearest};
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::reductions::reachability_game::Game;
use commonweal::internals::reductions::three_sat::Formula;
use commonweal::internals::strategy::Strategy;
use commonweal::{Engine, Model, PrincipalId, ReadError, ReadOptions};
use std::io::Read;
use std::path::Path;

/// The model that the arguments name in fractions, with their start state and discounts. What was made of the file is said
/// on standard error, unless it is to be quiet.
pub fn model(args: &ModelArgs, quiet: bool) -> anyhow::Result<Mdp> {
    let file = model_file::open(&args.model)?;
    Ok(changed(&file, &args.changes, Engine::Exact, quiet)?.into_exact())
}

/// The model in a file, in the numbers of an engine, with another start state and other discounts.
pub fn changed(file: &ModelFile, changes: &ChangeArgs, engine: Engine, quiet: bool) -> anyhow::Result<Model> {
    let refused = |error: ReadError| model_file::refused(file, &error);
    if file.format() == Format::Yaml {
        let options = ReadOptions::default().strict(changes.strict);
        let model = Model::read_file(file, &options, engine).map_err(refused)?;
        model_file::say(model.notes(), quiet);
        return reweighted(overridden(model, changes)?, changes);
    }
    let options = ReadOptions::new(discounts(changes)?).from(changes.from.as_deref()).strict(changes.strict);
    let model = Model::read_file(file, &options, engine).map_err(refused)?;
    model_file::say(model.notes(), quiet);
    reweighted(model, changes)
}

/// The model with the weights that the arguments give.
fn reweighted(mut model: Model, changes: &ChangeArgs) -> anyhow::Result<Model> {
    let mut weights = Vec::new();
    for (name, text) in assigned("--weight", "time=-1", &changes.weight)? {
        weights.push(("--weight", name, parse_rational(text).context("--weight")?));
    }
    for name in &changes.minimise {
        if weights.iter().any(|(_, other, _)| other == name) {
            bail!("--minimise: `{name}` has a weight already; keep one of them");
        }
        weights.push(("--minimise", name, Rational::from(-1)));
    }
    for (option, name, weight) in weights {
        let principal = principal(&model, option, name)?;
        model = model.with_weight(principal, &weight);
    }
    Ok(model)
}

/// The principal of a name that an option gives.
fn principal(model: &Model, option: &str, name: &str) -> anyhow::Result<PrincipalId> {
    let names = || model.principals().iter().map(|principal| principal.name.as_str());
    model.find_principal(name).ok_or_else(|| {
        anyhow!("{option}: there is no principal `{name}`{}", suggestion(name, names(), "the principals are"))
    })
}

/// The discounts that the arguments give to the reward structures of a file.
pub fn discounts(changes: &ChangeArgs) -> anyhow::Result<Discounts> {
    if let Some(discounts) = &changes.discounts {
        let discounts = discounts.split(',').map(|text| discount("--discounts", text));
        return Ok(Discounts::InOrder(discounts.collect::<Result<_, _>>()?));
    }
    let named = assigned("--discount", "alice=2/3", &changes.discount)?.into_iter();
    let named = named.map(|(name, text)| Ok((name.to_owned(), discount("--discount", text)?)));
    Ok(Discounts::Named(named.collect::<anyhow::Result<_>>()?))
}

/// A model that has a start state and discounts of its own, with others.
fn overridden(mut model: Model, changes: &ChangeArgs) -> anyhow::Result<Model> {
    if let Some(discounts) = &changes.discounts {
        let discounts: Vec<&str> = discounts.split(',').collect();
        let principals = model.n_principals();
        if discounts.len() != principals {
            let values = counted(&discounts.len().into(), "value", "values");
            let principals = counted(&principals.into(), "principal", "principals");
            bail!("--discounts: {values} for {principals}; give one each, in the file's order");
        }
        for (p, text) in discounts.iter().enumerate() {
            model = model.with_discount(p.into(), &discount("--discounts", text)?).context("--discounts")?;
        }
    }
    for (name, text) in assigned("--discount", "alice=2/3", &changes.discount)? {
        let principal = principal(&model, "--discount", name)?;
        model = model.with_discount(principal, &discount("--discount", text)?).context("--discount")?;
    }
    if let Some(name) = &changes.from {
        let state = model.find_state(name).ok_or_else(|| {
            anyhow!(
                "--from: there is no state `{name}`{}",
                suggestion(name, model.structure().state_names().iter(), "the states are")
            )
        })?;
        model = model.with_start(state);
    }
    Ok(model)
}

/// The strategy in a file.
pub fn strategy_file(model: &Structure, path: &Path) -> anyhow::Result<Strategy> {
    let bytes = file(path)?;
    read_strategy(model, &bytes).map_err(|error| located(error, path, &bytes))
}

/// The formula in a file.
pub fn formula_file(path: &Path) -> anyhow::Result<Formula> {
    let bytes = file_or_input(path)?;
    read_dimacs(&bytes).map_err(|error| located(error, path, &bytes))
}

/// The game in a file.
pub fn game_file(path: &Path) -> anyhow::Result<Game> {
    let bytes = file_or_input(path)?;
    read_game(&bytes).map_err(|error| located(error, path, &bytes))
}

fn file_or_input(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() != "-" {
        return file(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_MODEL_BYTES as u64)
        .read_to_end(&mut bytes)
        .context("cannot read standard input")?;
    Ok(bytes)
}

/// The names with what is assigned to them, each name once.
fn assigned<'a>(option: &str, example: &str, assignments: &'a [String]) -> anyhow::Result<Vec<(&'a str, &'a str)>> {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for assignment in assignments {
        let parts = assignment.rsplit_once('=');
        let (name, text) =
            parts.ok_or_else(|| anyhow!("{option}: `{assignment}` is not NAME=VALUE, such as {example}"))?;
        if let Some((_, earlier)) = all.iter().find(|(other, _)| *other == name) {
            bail!("{option}: `{name}` is given twice, {earlier} and {text}; keep one of them");
        }
        all.push((name, text));
    }
    Ok(all)
}

fn discount(option: &str, text: &str) -> anyhow::Result<Rational> {
    parse_rational(text).with_context(|| option.to_owned())
}

/// `; did you mean …?`, or the first few names that there are.
pub fn suggestion<S: AsRef<str>>(name: &str, names: impl Iterator<Item = S> + Clone, there_are: &str) -> String {
    const SHOWN: usize = 8;
    if let Some(near) = nearest(name, names.clone()) {
        return format!("; did you mean `{}`?", near.as_ref());
    }
    let mut listed: Vec<String> = names.clone().take(SHOWN).map(|name| format!("`{}`", name.as_ref())).collect();
    if names.clone().nth(SHOWN).is_some() {
        listed.push("…".to_owned());
    }
    format!("; {there_are} {}", listed.join(", "))
}
