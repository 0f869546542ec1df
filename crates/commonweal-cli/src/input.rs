//! Reading what the command line names.

use crate::args::ModelArgs;
use anyhow::{Context, anyhow, bail};
use commonweal::io::{MAX_MODEL_BYTES, ParseError, read_dimacs, read_game, read_model_bytes, read_strategy};
use commonweal::model::{Model, nearest};
use commonweal::number::{Rational, parse_rational};
use commonweal::reductions::reachability_game::Game;
use commonweal::reductions::three_sat::Formula;
use commonweal::strategy::Strategy;
use std::io::Read;
use std::path::Path;

/// The model that the arguments name, with their start state and discounts.
pub fn model(args: &ModelArgs) -> anyhow::Result<Model> {
    let mut model = model_file(&args.model)?;
    if let Some(discounts) = &args.discounts {
        let discounts: Vec<&str> = discounts.split(',').collect();
        let principals = model.n_principals();
        if discounts.len() != principals {
            bail!(
                "--discounts: {} values for {principals} principals; give one each, in the file's order",
                discounts.len()
            );
        }
        for (p, text) in discounts.iter().enumerate() {
            model = model.with_discount(p.into(), discount("--discounts", text)?).context("--discounts")?;
        }
    }
    for assignment in &args.discount {
        let (name, text) = assignment
            .rsplit_once('=')
            .ok_or_else(|| anyhow!("--discount: `{assignment}` is not NAME=VALUE, such as alice=2/3"))?;
        let names = || model.principals().iter().map(|principal| principal.name.as_str());
        let principal = model.find_principal(name).ok_or_else(|| {
            anyhow!("--discount: there is no principal `{name}`{}", suggestion(name, names(), "the principals are"))
        })?;
        model = model.with_discount(principal, discount("--discount", text)?).context("--discount")?;
    }
    if let Some(name) = &args.from {
        let state = model.find_state(name).ok_or_else(|| {
            anyhow!(
                "--from: there is no state `{name}`{}",
                suggestion(name, model.state_names().iter(), "the states are")
            )
        })?;
        model = model.with_start(state);
    }
    Ok(model)
}

/// The model in a file.
pub fn model_file(path: &Path) -> anyhow::Result<Model> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        // One byte more than is read at most, so that the reader can tell.
        let mut limited = std::io::stdin().lock().take(MAX_MODEL_BYTES as u64 + 1);
        limited.read_to_end(&mut bytes).context("cannot read standard input")?;
        return read_model_bytes(&bytes).map_err(|error| located(error, Path::new("standard input"), &bytes));
    }
    let shown = path.display();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let known = match ending.as_deref() {
        Some("yaml" | "yml" | "json") => true,
        Some("drn" | "gz" | "umb") => bail!("{shown}: this version reads .yaml, .yml and .json models"),
        _ => false,
    };
    // That there is no such file, or that it is a folder, says more than its ending.
    check_file(path)?;
    if !known {
        bail!("{shown}: a model file ends with .yaml, .yml or .json");
    }
    let bytes = file(path)?;
    read_model_bytes(&bytes).map_err(|error| located(error, path, &bytes))
}

/// The strategy in a file.
pub fn strategy_file(model: &Model, path: &Path) -> anyhow::Result<Strategy> {
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

fn file(path: &Path) -> anyhow::Result<Vec<u8>> {
    check_file(path)?;
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn check_file(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    let metadata = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
    if metadata.is_dir() {
        bail!("{shown} is a folder, not a file");
    }
    if metadata.len() > MAX_MODEL_BYTES as u64 {
        bail!("{shown} has {} bytes; this program reads at most {MAX_MODEL_BYTES}", metadata.len());
    }
    Ok(())
}

fn located(error: ParseError, path: &Path, bytes: &[u8]) -> anyhow::Error {
    let text = String::from_utf8_lossy(bytes);
    anyhow!("{}", error.render(&path.display().to_string(), &text).trim_end().to_owned())
}

fn discount(option: &str, text: &str) -> anyhow::Result<Rational> {
    parse_rational(text).with_context(|| option.to_owned())
}

/// `; did you mean …?`, or the first few names that there are.
fn suggestion<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone, there_are: &str) -> String {
    const SHOWN: usize = 8;
    if let Some(near) = nearest(name, names.clone()) {
        return format!("; did you mean `{near}`?");
    }
    let mut listed: Vec<String> = names.clone().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.count() > SHOWN {
        listed.push("…".to_owned());
    }
    format!("; {there_are} {}", listed.join(", "))
}
