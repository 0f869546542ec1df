//! Reading the files that the command line names.

use crate::args::{ChangeArgs, ModelArgs};
use crate::doubts;
use crate::model_file::{self, file, located};
use crate::report::note;
use crate::report::numbers::{counted, fraction_or_decimal};
use crate::shell::quoted;
use anyhow::{Context, anyhow, bail};
use commonweal::files::{
    Discounts, Format, MAX_MODEL_BYTES, ModelFile, ParseError, ReadError, ReadOptions, named_preference,
    read_preference,
};
use commonweal::preferences::Preference;
use commonweal::questions::Quantity;
use commonweal::structure::{Principal, PrincipalId, StateId};
use commonweal::text::{nearest, parse_rate, rate_text};
use commonweal::{Engine, Model, Rational, Strategy};
use std::io::Read;
use std::path::Path;

/// The model that the arguments name in fractions, with their start state and discounts. Notes on the file go to standard error,
/// unless `quiet`.
pub fn model(args: &ModelArgs, quiet: bool) -> anyhow::Result<Model> {
    changed(&model_file::open(&args.model)?, &args.changes, Engine::Exact, quiet)
}

/// The same for a command that varies the preferences of `names`, each with `.rate` or `.discount` behind it or nothing: a reward
/// structure that varies needs no discount of its own.
pub fn varied_model(args: &ModelArgs, names: &[&str], quiet: bool) -> anyhow::Result<Model> {
    let file = model_file::open(&args.model)?;
    let mut changes = args.changes.clone();
    if file.format() != Format::Yaml && changes.discounts.is_none() {
        let stated: Vec<String> = preferences(&changes)?.iter().map(|(_, name, _)| (*name).to_owned()).collect();
        let own = names.iter().filter(|name| !name.is_empty()).map(|name| Quantity::behind(name));
        let missing =
            own.filter(|(_, quantity)| *quantity != Some(Quantity::Weight)).map(|(owner, _)| owner.to_owned());
        changes.discount.extend(missing.filter(|name| !stated.contains(name)).map(|name| format!("{name}=1/2")));
    }
    changed(&file, &changes, Engine::Exact, quiet)
}

/// The model in a file, in the numbers of an engine, with another start state and other discounts.
pub fn changed(file: &ModelFile, changes: &ChangeArgs, engine: Engine, quiet: bool) -> anyhow::Result<Model> {
    let refused = |error: ReadError| model_file::refused(file, &error);
    if file.format() == Format::Yaml {
        let options = ReadOptions::default().strict(changes.strict);
        let model = Model::read_file(file, &options, engine).map_err(refused)?;
        model_file::say_notes(model.notes(), quiet);
        let model = reweighted(overridden(model, changes)?, changes, quiet)?;
        if !quiet {
            doubts::say_doubts(&model);
        }
        return Ok(model);
    }
    let options = ReadOptions::new(discounts(changes)?).from(changes.from.as_deref()).strict(changes.strict);
    let model = Model::read_file(file, &options, engine).map_err(refused)?;
    model_file::say_notes(model.notes(), quiet);
    if !quiet {
        doubts::say_doubts(&model);
    }
    reweighted(model, changes, quiet)
}

/// The weights that the arguments give, each with its option and the principal's name.
pub fn weights(changes: &ChangeArgs) -> anyhow::Result<Vec<(&'static str, &str, Rational)>> {
    let mut weights = Vec::new();
    for (name, text) in assigned("--weight", "time=-1", &changes.weight)? {
        weights.push(("--weight", name, text.parse().context("--weight")?));
    }
    for name in &changes.minimise {
        if weights.iter().any(|(_, other, _)| other == name) {
            bail!("--minimise: `{name}` has a weight already; keep one of them");
        }
        weights.push(("--minimise", name.as_str(), Rational::from(-1)));
    }
    Ok(weights)
}

/// The model with the weights that the arguments give.
fn reweighted(mut model: Model, changes: &ChangeArgs, quiet: bool) -> anyhow::Result<Model> {
    for (option, name, weight) in weights(changes)? {
        let principal = principal(&model, option, name)?;
        let before = model.principals()[principal.index()].weight.clone();
        let size = before.clone().abs();
        if option == "--minimise" && !quiet && !before.is_zero() && !size.is_one() {
            let (before, size) = (fraction_or_decimal(&before), fraction_or_decimal(&size));
            note(&format!(
                "--minimise gives `{name}` the weight −1 in place of {before}; --weight {}=-{size} keeps its size",
                quoted(name)
            ));
        }
        model = model.with_weight(principal, &weight);
    }
    Ok(model)
}

/// The principal of a name that an option gives.
fn principal(model: &Model, option: &str, name: &str) -> anyhow::Result<PrincipalId> {
    let names = || model.principals().iter().map(|principal| principal.name.as_str());
    if model.notes().left_out.iter().any(|left_out| left_out == name) {
        let discount = quoted(&format!("{name}=0.9")).into_owned();
        bail!(
            "{option}: `{name}` is left out, because it has no discount\nhelp: give it one, such as --discount {discount}"
        );
    }
    model.find_principal(name).ok_or_else(|| {
        anyhow!("{option}: there is no principal `{name}`{}", suggestion(name, names(), "the principals are"))
    })
}

/// The time preferences that the arguments give to the reward structures of a file.
pub fn discounts(changes: &ChangeArgs) -> anyhow::Result<Discounts> {
    if let Some(discounts) = &changes.discounts {
        let discounts = discounts.split(',').map(|text| discount("--discounts", text));
        return Ok(Discounts::InOrder(discounts.collect::<Result<_, _>>()?));
    }
    let stated = preferences(changes)?.into_iter();
    Ok(Discounts::Stated(stated.map(|(_, name, preference)| (name.to_owned(), preference)).collect()))
}

/// The preferences that the arguments give by name, each with its option.
fn preferences(changes: &ChangeArgs) -> anyhow::Result<Vec<(&'static str, &str, Preference)>> {
    let mut stated: Vec<(&'static str, &str, Preference)> = Vec::new();
    for (name, text) in assigned("--discount", "alice=2/3", &changes.discount)? {
        let preference = if text.trim_start().starts_with('{') {
            let entry = read_preference(name, text);
            entry.map_err(|error| anyhow!("{}", error.render("--discount", text).trim_end().to_owned()))?
        } else {
            Preference::discount(discount("--discount", text)?)
        };
        stated.push(("--discount", name, preference));
    }
    for (name, text) in assigned("--rate", "fund=3%", &changes.rate)? {
        if stated.iter().any(|(_, other, _)| *other == name) {
            bail!("--rate: `{name}` has a --discount already; keep one of them");
        }
        stated.push(("--rate", name, Preference::rate(rate(name, text)?)));
    }
    Ok(stated)
}

/// A model that has a start state and time preferences of its own, with others.
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
            let stated = Preference::discount(discount("--discounts", text)?);
            let preference = model.principals()[p].preference().replaced_by(stated);
            model = model.with_preference(p.into(), &preference).context("--discounts")?;
        }
    }
    for (option, name, preference) in preferences(changes)? {
        let principal = principal(&model, option, name)?;
        let preference = model.principals()[principal.index()].preference().replaced_by(preference);
        model = model.with_preference(principal, &preference).context(option)?;
    }
    if let Some(name) = &changes.from {
        let names = model.structure().state_names();
        let state = names.find_or_numbered(name).ok_or_else(|| {
            anyhow!("--from: there is no state `{name}`{}", suggestion(name, names.iter(), "the states are"))
        })?;
        model = model.with_start(StateId::from(state));
    }
    Ok(model)
}

/// Refuses a model with approximated preferences, for commands whose bounds do not include the approximation error.
pub fn refuse_mixtures(model: &Model, command: &str) -> anyhow::Result<()> {
    match model.principals().iter().find(|principal| principal.approximation().is_some()) {
        None => Ok(()),
        Some(Principal { name, .. }) => bail!(
            "{command}: the preference of `{name}` is approximated by a mixture of discounts, and this command has no bounds that \
             include the approximation error\nhelp: state a rate, a schedule or a survey: --rate {}=4%",
            quoted(name)
        ),
    }
}

/// The strategy in a file, or in the folder of results of `commonweal-mpi`.
pub fn strategy_file(model: &Model, path: &Path) -> anyhow::Result<Strategy> {
    if path.is_dir() {
        let part = |name: &str| {
            std::fs::read(path.join(name)).map_err(|error| {
                anyhow!(
                    "{} is a folder, and {name} in it cannot be read: {error}\nhelp: name a strategy file, or a folder of results that \
                     `commonweal-mpi solve --out` wrote",
                    path.display()
                )
            })
        };
        let read = model.read_strategy_log(&part("strategy-first.bin")?, &part("strategy.bin")?);
        return read.map_err(|error| anyhow!("{}", error.render(&path.display().to_string()).trim_end().to_owned()));
    }
    let bytes = file(path)?;
    model.read_strategy(&bytes).map_err(|error| located(error, path, &bytes))
}

/// What is read from a file, or from standard input for `-`.
pub fn read_from<T>(path: &Path, read: impl Fn(&[u8]) -> Result<T, ParseError>) -> anyhow::Result<T> {
    let bytes = file_or_input(path)?;
    read(&bytes).map_err(|error| located(error, path, &bytes))
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

/// A discount, which is not a percentage: a percentage is probably meant as a rate.
fn discount(option: &str, text: &str) -> anyhow::Result<Rational> {
    if let (true, Ok(rate)) = (text.trim_end().ends_with('%'), parse_rate(text)) {
        let text = text.trim();
        bail!("{option}: a discount is not a percentage; write --rate NAME={text}, {}", in_figures(&rate));
    }
    if let Some(cure) = named_preference(text.trim()) {
        let cure = cure.trim_matches('`');
        bail!("{option}: `{text}` is not a number; write --discount 'NAME={cure}'");
    }
    text.parse().with_context(|| option.to_owned())
}

/// The rate of `--rate NAME=TEXT`. A number above 1 is probably meant in per cent.
fn rate(name: &str, text: &str) -> anyhow::Result<Rational> {
    let option = |text: &str| format!("--rate {}={text}", quoted(name));
    let rate = match parse_rate(text) {
        Ok(rate) => rate,
        Err(error) => {
            let with_point = text.replacen(',', ".", 1);
            let cure = parse_rate(&with_point).map(|_| format!("; write {}, with a point", option(&with_point)));
            return Err(anyhow!("--rate: {error}{}", cure.unwrap_or_default()));
        }
    };
    let meant = &rate / Rational::from(100);
    if rate > Rational::ONE && meant <= Rational::ONE {
        let (shown, cure) = (rate_text(&rate), option(&rate_text(&meant)));
        bail!("--rate: {shown} is not a rate; a rate is at most 100%; did you mean {cure}, {}?", in_figures(&meant));
    }
    Ok(rate)
}

/// The discount that a rate is.
fn in_figures(rate: &Rational) -> String {
    let discount = Rational::ONE / (Rational::ONE + rate);
    format!("which is the discount {:.6}", discount.to_f64())
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
