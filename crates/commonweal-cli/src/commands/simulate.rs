//! `commonweal simulate MODEL STRATEGY`

use crate::args::SimulateArgs;
use crate::json;
use crate::report::names::{principal_in_column, shown};
use crate::report::numbers::{at_least, at_most, counted, decimal, double, steps};
use crate::report::table::{in_blocks, wrapped};
use crate::report::timings::Clock;
use crate::{input, output, progress, report, signals};
use commonweal::questions::{
    Estimate, Evaluation, PathStep, SimulateOptions, Simulation, evaluate, sample_paths, simulate,
};
use commonweal::strategies::CountingStrategy;
use commonweal::structure::Structure;
use commonweal::{Engine, Model, Options, Rational, Strategy, documents};
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(args: &SimulateArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = signals::start(&args.run);
    if let Some(path) = &args.paths {
        output::check_place(path)?;
        output::check_apart(path, &args.model.model)?;
        output::check_apart(path, &args.strategy)?;
    }
    let model = signals::while_reading(|| input::model(&args.model, args.run.quiet))?;
    let strategy = input::strategy_file(&model, &args.strategy)?;
    clock.has_read();
    let structure = model.structure();
    let options = SimulateOptions { runs: args.runs, seed: args.seed, confidence: args.confidence, stop: stop.clone() };
    let simulation = progress::shown(&stop, args.run.quiet, || simulate(&model, &strategy, &options))?;
    if let Some(path) = &args.paths {
        let paths = sample_paths(&model, &strategy, &options, [args.path_runs, args.path_steps])?;
        output::write_whole(path, |out| write_paths(&model, &paths, out))?;
    }
    let exact = is_cheap(&model, &strategy).then(|| {
        let options = Options { engine: Engine::Exact, stop, ..Options::default() };
        evaluate(&model, &strategy, &options).ok().filter(|exact| exact.stopped().is_none())
    });
    let exact = exact.flatten();
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        let document = documents::Simulation::new(structure, &simulation, &options, exact.as_ref());
        json::print_numbers(document, &args.run, spent)?
    } else {
        let shown = Shown { model: structure, simulation: &simulation, exact: exact.as_ref(), args };
        output::print(
            &(report::about(structure) + &shown.report() + &spent.map_or_else(String::new, |spent| spent.in_words())),
        )?
    }
    Ok(match simulation.stopped {
        None => ExitCode::SUCCESS,
        Some(_) => ExitCode::from(3),
    })
}

/// One line for each step of each run.
fn write_paths(model: &Model, paths: &[Vec<PathStep>], out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let (arrays, model) = (model.to_arrays(), model.structure());
    let rewards =
        model.principals().iter().map(|principal| csv_cell(&format!("reward of {}", principal.name)).into_owned());
    writeln!(out, "run,step,state,action,{}", rewards.collect::<Vec<_>>().join(","))?;
    for (run, path) in paths.iter().enumerate() {
        for (step, taken) in path.iter().enumerate() {
            let (state, action) = (model.state_name(taken.state), model.action_name(taken.choice));
            write!(out, "{},{step},{},{}", run + 1, csv_cell(&state), csv_cell(&action))?;
            for reward in arrays.rewards(taken.choice) {
                write!(out, ",{}", reward.to_f64())?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// A text as a cell: in quotes where it holds a comma, a quote or a line's end.
fn csv_cell(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

/// Whether exact payoffs are cheap: by size, not by time, so that the output is deterministic.
fn is_cheap(model: &Model, strategy: &Strategy) -> bool {
    const MOST_STATES: u64 = 200;
    const MOST_WORK: u64 = 20_000;
    let states = model.n_states() as u64;
    let settled = |counting: &CountingStrategy| u64::try_from(&counting.settled_from()).unwrap_or(u64::MAX);
    let layers = match strategy {
        Strategy::Counting(counting) => settled(counting),
        Strategy::Stationary(_) => 0,
        Strategy::Lottery(lottery) => {
            lottery.shares().iter().fold(0, |sum: u64, (_, counting)| sum.saturating_add(settled(counting)))
        }
    };
    states <= MOST_STATES && layers.saturating_mul(states) <= MOST_WORK
}

/// What there is to show.
struct Shown<'a> {
    model: &'a Structure,
    simulation: &'a Simulation,
    exact: Option<&'a Evaluation>,
    args: &'a SimulateArgs,
}

impl Shown<'_> {
    fn exact_payoff(&self, p: usize) -> Option<Rational> {
        self.exact.and_then(|exact| exact.payoff(p.into(), self.model.start()).exact)
    }

    fn exact_welfare(&self) -> Option<Rational> {
        self.exact.and_then(|exact| exact.welfare(self.model.start()).exact)
    }

    fn report(&self) -> String {
        let Shown { model, simulation, args, .. } = self;
        let mut text = String::new();
        let start = shown(&model.state_name(model.start()));
        if let Some(reason) = simulation.stopped {
            let _ = writeln!(
                text,
                "Stopped: {reason}, after {} of {}.",
                steps(&simulation.runs.into()),
                counted(&args.runs.into(), "run", "runs")
            );
        }
        if simulation.runs == 0 {
            text.push_str("No run was played.\n");
            return text;
        }
        let runs = counted(&simulation.runs.into(), "run", "runs");
        let percent = double(args.confidence * 100.0);
        let line = format!("{runs} from {start}, seed {}, intervals for {percent}% confidence", args.seed);
        text += &wrapped(&line, 2);
        text.push('\n');
        let mut header = vec!["principal", "mean", "from", "to"];
        // The payoffs of a mixture are no fractions; a column without any is left out.
        let exact: Vec<Option<Rational>> =
            (0..model.n_principals()).map(|p| self.exact_payoff(p)).chain([self.exact_welfare()]).collect();
        let has_exact = exact.iter().any(Option::is_some);
        header.extend(has_exact.then_some("exactly"));
        let row = |((name, estimate), exact): ((String, &Estimate), &Option<Rational>)| {
            let mut row = vec![name, double(estimate.mean)];
            row.extend([at_least(estimate.lower), at_most(estimate.upper)]);
            row.extend(has_exact.then(|| exact.as_ref().map_or_else(String::new, decimal)));
            row
        };
        let names = model.principals().iter().map(principal_in_column).chain(["welfare".to_owned()]);
        let estimates = simulation.payoffs.iter().chain([&simulation.welfare]);
        let rows: Vec<Vec<String>> = names.zip(estimates).zip(&exact).map(row).collect();
        text.push_str(&in_blocks(&header, &rows, 1));
        let cut = simulation.truncation.iter().copied().fold(0.0, f64::max);
        if cut > 0.0 {
            let about = model.about();
            let length = counted(&simulation.steps.into(), &shown(about.step()), &shown(&about.steps()));
            // What is much narrower than the interval need not be said at length.
            const MATTERS: f64 = 0.05;
            let matters = |(cut, estimate): (&f64, &Estimate)| *cut > MATTERS * half_width(estimate);
            let cut = brief(cut);
            let is_biased = simulation.truncation.iter().zip(&simulation.payoffs).any(matters);
            text.push('\n');
            text += &if is_biased {
                let told = "the means leave out the rest, up to";
                wrapped(&format!("Runs are cut after {length}: {told} {cut}, and the intervals include it."), 2)
            } else {
                format!("Runs are cut after {length}; the intervals allow for the rest ({cut}).\n")
            };
        }
        text
    }
}

/// How far the interval goes beyond the mean.
fn half_width(estimate: &Estimate) -> f64 {
    (estimate.upper - estimate.mean).max(estimate.mean - estimate.lower)
}

/// A width in few digits.
fn brief(x: f64) -> String {
    if x == 0.0 || (1e-4..1e6).contains(&x) {
        double(x)
    } else if x.is_infinite() {
        "∞".to_owned()
    } else {
        format!("{x:.2e}")
    }
}
