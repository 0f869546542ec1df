//! `commonweal sat FILE.cnf`

use crate::args::{SatArgs, SatRewards};
use crate::json;
use crate::report::numbers::counted;
use crate::report::search::exit_code;
use crate::report::timings::Clock;
use crate::{input, output, progress, signals};
use commonweal::documents::Satisfiability;
use commonweal::internals::io::read_dimacs;
use commonweal::internals::reductions::three_sat::{Rewards, reduce};
use commonweal::questions::{SearchOptions, SearchOutcome, ThresholdAnswer, positional};
use commonweal::{Model, Strategy};
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(args: &SatArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = signals::start(&args.run);
    let formula = input::read_from(&args.formula, read_dimacs)?;
    clock.has_read();
    let reduction = reduce(&formula, rewards(args.rewards));
    let options = SearchOptions {
        threshold: Some(reduction.threshold.clone()),
        node_limit: args.node_limit,
        stop: stop.clone(),
        ..SearchOptions::default()
    };
    let model = Model::from(reduction.model.clone());
    let search = progress::shown(&stop, args.run.quiet, || positional(&model, &options));
    let answer = search.answer.expect("a threshold was asked for");
    let assignment = match (&search.strategy, answer) {
        (Strategy::Counting(strategy), ThresholdAnswer::Yes) => Some(reduction.assignment(strategy)),
        _ => None,
    };
    if let Some(assignment) = &assignment {
        assert!(formula.is_satisfied_by(assignment), "a strategy that earns the threshold satisfies the formula");
    }
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print(&Satisfiability::new(&search, assignment.as_deref()), spent)?;
    } else {
        let mut text = format!("c {} expanded\n", counted(&search.nodes.into(), "node", "nodes"));
        if let SearchOutcome::Stopped(reason) = search.outcome {
            let _ = writeln!(text, "c stopped: {reason}");
        }
        text.push_str(&verdict(answer, assignment.as_deref()));
        // As comments: SAT solvers print statistics in that form.
        let spent = spent.map_or_else(String::new, |spent| spent.in_words());
        spent.trim().lines().for_each(|line| _ = writeln!(text, "c {line}"));
        output::print(&text)?;
    }
    Ok(exit_code(&search))
}

/// The verdict and the assignment, as SAT solvers print them.
fn verdict(answer: ThresholdAnswer, assignment: Option<&[bool]>) -> String {
    const WIDTH: usize = 78;
    let mut text = match answer {
        ThresholdAnswer::Yes => "s SATISFIABLE\n",
        ThresholdAnswer::No => "s UNSATISFIABLE\n",
        ThresholdAnswer::Unknown => "s UNKNOWN\n",
    }
    .to_owned();
    if let Some(assignment) = assignment {
        let mut line = "v".to_owned();
        let literal = |(index, &value): (usize, &bool)| format!("{}{}", if value { "" } else { "-" }, index + 1);
        for word in assignment.iter().enumerate().map(literal).chain(["0".to_owned()]) {
            if line.len() + 1 + word.len() > WIDTH {
                text.push_str(&line);
                text.push('\n');
                line = "v".to_owned();
            }
            line.push(' ');
            line.push_str(&word);
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The reduction that the arguments name.
pub fn rewards(rewards: SatRewards) -> Rewards {
    match rewards {
        SatRewards::Same => Rewards::Same,
        SatRewards::ZeroSum => Rewards::ZeroSum,
    }
}
