//! `commonweal sat FILE.cnf`

use crate::args::{SatArgs, SatRewards};
use crate::commands::search::with_progress;
use crate::report::numbers::counted;
use crate::{input, output};
use commonweal::reductions::three_sat::{Rewards, reduce};
use commonweal::search::{Answer, SearchOptions, SearchOutcome, positional};
use commonweal::strategy::Strategy;
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(args: &SatArgs) -> anyhow::Result<ExitCode> {
    let stop = args.run.start()?;
    let formula = input::formula_file(&args.formula)?;
    let reduction = reduce(&formula, rewards(args.rewards));
    let options = SearchOptions {
        threshold: Some(reduction.threshold.clone()),
        node_limit: args.node_limit,
        stop,
        ..SearchOptions::default()
    };
    let search = with_progress(options, args.run.quiet, |options| positional(&reduction.model, options));
    let answer = search.answer.expect("a threshold was asked for");
    let assignment = match (&search.strategy, answer) {
        (Strategy::Counting(strategy), Answer::Yes) => Some(reduction.assignment(strategy)),
        _ => None,
    };
    if let Some(assignment) = &assignment {
        assert!(formula.is_satisfied_by(assignment), "a strategy that earns the threshold satisfies the formula");
    }
    if args.run.json {
        crate::report::json::print(&crate::report::search::SatJson::new(&search, assignment.as_deref()))?;
    } else {
        let mut text = format!("c {} expanded\n", counted(&search.nodes.into(), "node", "nodes"));
        if let SearchOutcome::Stopped(reason) = search.outcome {
            let _ = writeln!(text, "c stopped: {reason}");
        }
        text.push_str(&verdict(answer, assignment.as_deref()));
        output::print(&text)?;
    }
    Ok(crate::report::search::exit_code(&search))
}

/// The verdict and the assignment, as SAT solvers print them.
fn verdict(answer: Answer, assignment: Option<&[bool]>) -> String {
    const WIDTH: usize = 78;
    let mut text = match answer {
        Answer::Yes => "s SATISFIABLE\n",
        Answer::No => "s UNSATISFIABLE\n",
        Answer::Unknown => "s UNKNOWN\n",
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
