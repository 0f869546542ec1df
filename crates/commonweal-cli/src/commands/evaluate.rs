//! `commonweal evaluate MODEL STRATEGY`

use crate::args::EvaluateArgs;
use crate::engine::{self, Asked};
use crate::json;
use crate::report::csv::Csv;
use crate::report::mixtures::mixtures;
use crate::report::names::{shown, state_in_column};
use crate::report::numbers::{double, ends, exact_and_decimal, in_column, zero_within};
use crate::report::payoffs::{Gets, PayoffTable};
use crate::report::table::{table, wrapped};
use crate::report::timings::Clock;
use crate::report::{about, note};
use crate::{input, output, progress, signals};
use anyhow::anyhow;
use commonweal::Options;
use commonweal::documents::{self, listed_states};
use commonweal::questions::{Evaluation, EvaluationOutcome, evaluate};
use commonweal::structure::{StateId, Structure};
use std::process::ExitCode;

pub fn run(args: &EvaluateArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = signals::start(&args.run);
    if let Some(path) = &args.csv {
        output::check_place(path)?;
        output::check_apart(path, &args.model.model)?;
        output::check_apart(path, &args.strategy)?;
    }
    let Asked { model, .. } = engine::read(&args.engine, &args.model, false, args.run.quiet)?;
    let strategy = input::strategy_file(&model, &args.strategy)?;
    clock.has_read();
    let options = Options { engine: args.engine.engine(), stop, ..Options::default() };
    let evaluated = progress::shown(&options.stop, args.run.quiet, || evaluate(&model, &strategy, &options));
    let evaluation = evaluated.map_err(|error| {
        anyhow!("{}: {error}\nhelp: leave --exact out for bounds that are proven in doubles", args.strategy.display())
    })?;
    if let Some(error) = evaluation.not_exact.as_ref().filter(|_| !args.run.quiet) {
        note(&format!("{error}, so the answer is proven in doubles."));
    }
    let worth = Worth { model: model.structure(), evaluation: &evaluation };
    if let Some(path) = &args.csv {
        let states = if args.all_states { worth.model.states().collect() } else { vec![worth.model.start()] };
        let csv = Csv::of_evaluation(worth.model, &evaluation, &states);
        output::write_whole(path, |out| out.write_all(csv.as_bytes()))?;
    }
    print(&worth, args, &clock)?;
    Ok(if evaluation.stopped().is_some() { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// The payoffs of a strategy, or bounds for any strategy if the evaluation was stopped.
struct Worth<'a> {
    model: &'a Structure,
    evaluation: &'a Evaluation,
}

fn print(worth: &Worth, args: &EvaluateArgs, clock: &Clock) -> anyhow::Result<()> {
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        let states = listed_states(worth.model, args.all_states);
        json::print_numbers(documents::Evaluation::new(worth.model, worth.evaluation, &states), &args.run, spent)
    } else {
        let spent = spent.map_or_else(String::new, |spent| spent.in_words());
        output::print(&(about(worth.model) + &report(worth, args.all_states) + &spent))
    }
}

/// The payoffs from the start, and on request the welfare from every state.
fn report(worth: &Worth, all_states: bool) -> String {
    let Worth { model, evaluation } = worth;
    let (scale, stopped) = (evaluation.method.scale(), evaluation.stopped());
    let start = model.start();
    let mut said = Vec::new();
    if let Some(reason) = stopped {
        let is_unknown = matches!(evaluation.outcome, EvaluationOutcome::Unknown(_));
        let whose = if is_unknown { "any strategy" } else { "this strategy" };
        said.push(format!("Stopped: {reason}. These bounds hold for {whose}."));
    }
    let (from, welfare) = (shown(&model.state_name(start)), evaluation.welfare(start));
    match (scale, stopped) {
        (Some(scale), None) => said.extend([
            match zero_within(&welfare) {
                Some(text) => format!("Welfare from {from}: {text}."),
                None => {
                    let [least, most] = ends(welfare.enclosure.lower(), welfare.enclosure.upper());
                    format!("Welfare from {from}: at least {least}, at most {most}.")
                }
            },
            if model.principals().iter().any(|principal| principal.approximation().is_some()) {
                "Proven in doubles, rounding errors included.".to_owned()
            } else {
                "Proven in doubles, rounding errors included; --exact gives fractions.".to_owned()
            },
            format!("The scale, which --gap is relative to: {}", double(scale)),
        ]),
        _ => said.push(format!("Welfare from {from}: {}", exact_and_decimal(&welfare))),
    }
    said.extend(mixtures(model, "Evaluated", evaluation.misses_gap));
    let mut text: String = said.iter().map(|line| wrapped(line, 2)).collect();
    text.push('\n');
    let payoffs = (0..model.n_principals()).map(|p| evaluation.payoff(p.into(), start)).collect();
    let gets = Gets { payoffs, welfare };
    let is_exact = scale.is_none() && stopped.is_none();
    let mut rows = PayoffTable::new(model);
    if is_exact {
        rows.gets(&gets)
    } else {
        rows.bounds(&gets)
    }
    text.push_str(&rows.text());
    if all_states {
        text.push('\n');
        text.push_str(&every_state(model, evaluation, is_exact));
    }
    text
}

/// The welfare from every state: the decimal of an exact number, both ends of another.
fn every_state(model: &Structure, evaluation: &Evaluation, is_exact: bool) -> String {
    let row = |state: StateId| {
        let welfare = evaluation.welfare(state);
        let mut row = vec![state_in_column(model, state)];
        if is_exact {
            row.push(in_column(&welfare));
        } else {
            row.extend(ends(welfare.enclosure.lower(), welfare.enclosure.upper()));
        }
        row
    };
    let header = if is_exact { &["state", "welfare"][..] } else { &["state", "at least", "at most"] };
    table(header, &model.states().map(row).collect::<Vec<_>>())
}
