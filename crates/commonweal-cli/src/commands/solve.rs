//! `commonweal solve MODEL`

use crate::args::SolveArgs;
use crate::report::json::{self, SolutionJson, StrategyJson};
use crate::report::{compare, solution, spacing};
use crate::{explain, input, output};
use commonweal::model::Model;
use commonweal::number::Rational;
use commonweal::stop::StopSignal;
use commonweal::{Outcome, SolveOptions, own_optimum};
use std::process::ExitCode;
use std::time::Instant;

pub fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let stop = args.run.start()?;
    let model = input::model(&args.model)?;
    let read = began.elapsed();
    if let Some(path) = &args.strategy {
        output::check_place(path)?;
    }
    let options = SolveOptions {
        layer_limit: args.layer_limit,
        event_limit: args.event_limit,
        stop: stop.clone(),
        ..SolveOptions::default()
    };
    let solution = commonweal::solve(&model, &options);
    if let Some(path) = &args.strategy {
        let strategy = StrategyJson::new(&model, solution.strategy());
        output::write_whole(path, |out| {
            serde_json::to_writer_pretty(&mut *out, &strategy)?;
            out.write_all(b"\n")
        })?;
    }
    if !args.run.quiet {
        spacing::note(&solution);
    }
    let timings = args.timings.then(|| json::TimingsJson::new(read, solution.timings(), began.elapsed()));
    let compared = args.compare.then(|| compare::strategies(&model, &solution, &stop));
    if args.run.json {
        let compared = compared.map(|compared| compared.iter().map(|one| one.json(&model)).collect());
        json::print(&SolutionJson::new(&model, &solution, args.all_states, timings).with_comparison(compared))?;
    } else {
        let own_best = match solution.outcome() {
            Outcome::Optimal => own_best(&model, &stop),
            Outcome::Undecided(_) | Outcome::Stopped(_) => None,
        };
        output::print(&solution::report(&model, &solution, own_best.as_deref(), args.all_states))?;
        if let Some(compared) = compared {
            output::print(&compare::report(&model, &compared))?;
        }
        if args.explain {
            output::print(&explain::text(&model, &solution, &options))?;
        }
        if let Some(timings) = timings {
            output::print(&timings.in_words())?;
        }
    }
    Ok(match solution.outcome() {
        Outcome::Optimal | Outcome::Undecided(_) => ExitCode::SUCCESS,
        Outcome::Stopped(_) => ExitCode::from(3),
    })
}

/// What each principal would get alone from the start state, unless there is no time left to say.
fn own_best(model: &Model, stop: &StopSignal) -> Option<Vec<Rational>> {
    let best = |p: usize| own_optimum(model, p.into(), stop).map(|best| best.get(model.start().index()));
    (0..model.n_principals()).map(best).collect::<Result<_, _>>().ok()
}
