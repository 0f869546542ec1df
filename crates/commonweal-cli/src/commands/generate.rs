//! `commonweal generate FAMILY …`

use crate::args::{Family, GameRewards, GenerateArgs, LargeArgs, RandomArgs, ReachabilityArgs, SatModelArgs};
use crate::input;
use crate::output;
use crate::report::numbers::counted;
use crate::report::say;
use anyhow::{Context, bail};
use commonweal::files::Format;
use commonweal::internals::families::{self, LargeFamily, Neighbourhood, RandomFamily};
use commonweal::internals::io::{read_dimacs, read_game};
use commonweal::internals::reductions::{reachability_game, three_sat};
use commonweal::{Model, Rational};
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &GenerateArgs) -> anyhow::Result<ExitCode> {
    let quiet = args.quiet;
    match &args.family {
        Family::Spaced(args) => write(&args.out, quiet, || Ok(families::spaced(&args.n)?.into())),
        Family::Parametric(args) => write(&args.out, quiet, || Ok(families::parametric(size(args.n)?)?.into())),
        Family::Random(args) => {
            let family = random(args)?;
            write(&args.out, quiet, || Ok(family.model().context("--discounts")?.into()))
        }
        Family::Uniform(args) => write_large(args, quiet, Neighbourhood::Uniform),
        Family::Band(args) => write_large(args, quiet, Neighbourhood::Band),
        Family::Sat(args) => sat(args, quiet),
        Family::Reachability(args) => reachability(args, quiet),
    }
}

/// The model of a formula. Its threshold is written at the head of the file and on standard error.
fn sat(args: &SatModelArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    let writer = output::ModelWriter::to(&args.out)?;
    let formula = input::read_from(&args.formula, read_dimacs)?;
    let reduction = three_sat::reduce(&formula, super::sat::rewards(args.rewards));
    let threshold = format!("threshold: {}", reduction.threshold);
    let variables = counted(&formula.n_variables().into(), "variable", "variables");
    let clauses = counted(&formula.clauses().len().into(), "clause", "clauses");
    let sizes = format!("a formula with {variables} and {clauses}");
    let meaning = "It is satisfiable if and only if some positional strategy earns at least the threshold.";
    writer.write_with(
        &[format!("The model of {sizes}."), meaning.to_owned(), threshold.clone()],
        &reduction.model.into(),
    )?;
    if !quiet {
        say(&threshold);
    }
    Ok(ExitCode::SUCCESS)
}

/// The model of a game, with its winner, computed from the graph.
fn reachability(args: &ReachabilityArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    let writer = output::ModelWriter::to(&args.out)?;
    let game = input::read_from(&args.game, read_game)?;
    let rewards = match args.rewards {
        GameRewards::Single => reachability_game::Rewards::Single,
        GameRewards::ZeroSum => reachability_game::Rewards::ZeroSum,
    };
    let model = Model::from(reachability_game::reduce(&game, rewards));
    let winner = if game.safety_wins() {
        "the safety player wins: the welfare is 0"
    } else {
        "the reachability player wins: the welfare is below 0"
    };
    let nodes = counted(&game.nodes.len().into(), "node", "nodes");
    let about = format!("The model of a reachability game with {nodes}.");
    writer.write_with(&[about, winner.to_owned()], &model)?;
    if !quiet {
        say(winner);
    }
    Ok(ExitCode::SUCCESS)
}

fn write_large(args: &LargeArgs, quiet: bool, neighbourhood: Neighbourhood) -> anyhow::Result<ExitCode> {
    let family = large(args, neighbourhood)?;
    write(&args.out, quiet, || Ok(family.model().context("--discounts")?.into()))
}

fn write(out: &Path, quiet: bool, model: impl FnOnce() -> anyhow::Result<Model>) -> anyhow::Result<ExitCode> {
    let writer = output::ModelWriter::to(out)?;
    let model = model()?;
    writer.write(&model)?;
    if !quiet {
        writer.say_what_is_lost(model.structure());
    }
    Ok(ExitCode::SUCCESS)
}

/// The most probabilities and rewards of a model that is written out in fractions: a file of some hundred megabytes.
const MAX_NUMBERS: u128 = 20_000_000;
/// The same of a model in doubles: some gigabytes.
const MAX_DOUBLES: u128 = 500_000_000;
/// The default number of successors of a choice.
const SUCCESSORS: u64 = 5;

/// The family that the arguments describe, refused before anything is built if it is impossible or too large.
fn random(args: &RandomArgs) -> anyhow::Result<RandomFamily> {
    let successors = successors(args.successors, args.states)?;
    if args.max_denominator < successors {
        bail!(
            "--max-denominator: {successors} probabilities above 0 need a denominator of at least {successors}, not {}",
            args.max_denominator
        );
    }
    check_size([args.states, args.actions, successors], &args.discounts, MAX_NUMBERS)?;
    Ok(RandomFamily {
        n_states: size(args.states)?,
        n_actions: size(args.actions)?,
        n_successors: size(successors)?,
        discounts: discounts(&args.discounts)?,
        max_denominator: args.max_denominator,
        max_reward: args.max_reward,
        seed: args.seed,
    })
}

/// The same for a large model in doubles, which may be larger where it is written as such.
fn large(args: &LargeArgs, neighbourhood: Neighbourhood) -> anyhow::Result<LargeFamily> {
    let mut family = LargeFamily {
        neighbourhood,
        n_states: size(args.states)?,
        n_actions: size(args.actions)?,
        n_successors: 0,
        discounts: discounts(&args.discounts)?,
        seed: args.seed,
    };
    let successors = successors(args.successors, family.n_in_reach() as u64)?;
    family.n_successors = size(successors)?;
    let most = match output::ModelWriter::to(&args.out)?.format {
        Format::Yaml => MAX_NUMBERS,
        Format::Drn | Format::Umb => MAX_DOUBLES,
    };
    check_size([args.states, args.actions, successors], &args.discounts, most)?;
    Ok(family)
}

fn successors(given: Option<u64>, in_reach: u64) -> anyhow::Result<u64> {
    match given.unwrap_or(SUCCESSORS.min(in_reach)) {
        successors if successors > in_reach => {
            bail!("--successors: {successors} different successors need at least {successors} states, not {in_reach}")
        }
        successors => Ok(successors),
    }
}

fn check_size([states, actions, successors]: [u64; 3], discounts: &str, most: u128) -> anyhow::Result<()> {
    let n_principals = discounts.split(',').count();
    let numbers = u128::from(states).saturating_mul(actions.into());
    let numbers = numbers.saturating_mul(u128::from(successors) + n_principals as u128);
    if numbers > most {
        bail!("such a model has {numbers} probabilities and rewards; this program generates at most {most}")
    } else {
        Ok(())
    }
}

fn discounts(text: &str) -> anyhow::Result<Vec<Rational>> {
    text.split(',').map(str::parse).collect::<Result<_, _>>().context("--discounts")
}

fn size(count: u64) -> anyhow::Result<usize> {
    usize::try_from(count).context("too large for this machine")
}
