//! `commonweal solve MODEL`

use crate::args::SolveArgs;
use crate::certify::{Checked, certify, needs_proof};
use crate::report::json::{self, SolutionJson, StrategyJson};
use crate::report::{solution, spacing};
use crate::{engine, explain, input, output};
use commonweal::model::Model;
use commonweal::number::Rational;
use commonweal::stop::StopSignal;
use commonweal::{Engine, Outcome, Solution, SolveOptions, certified, own_optimum};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How near a certified answer comes unless told otherwise.
const GAP: f64 = 1e-9;

pub fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let stop = args.run.start()?;
    let model = input::model(&args.model)?;
    let read = began.elapsed();
    for path in args.strategy.iter().chain(&args.certificate) {
        output::check_place(path)?;
    }
    let (engine, why) = engine::pick(args, &model);
    if let (Some(why), false) = (why, args.run.quiet) {
        eprintln!("note: {why}.");
    }
    let options = SolveOptions {
        layer_limit: args.layer_limit,
        event_limit: args.event_limit,
        keep_proof: engine == Engine::Exact && needs_proof(&model, args.certificate.as_deref()),
        stop,
        ..SolveOptions::default()
    };
    match engine {
        Engine::Exact => {
            let solution = commonweal::solve(&model, &options);
            let (checked, check) = certify(&model, &solution, args.certificate.as_deref())?;
            let own_best = match (solution.outcome(), args.run.json) {
                (Outcome::Optimal, false) => own_best(&model, &options.stop),
                _ => None,
            };
            let answer = Answer { model: &model, solution: &solution, checked, own_best };
            answer.print(args, read, check, began)?;
            if args.explain {
                output::print(&explain::text(&model, &solution, &options))?;
            }
            Ok(exit_code(&solution))
        }
        Engine::Certified => {
            let model = model.to_doubles()?;
            let solution = certified::solve(&model, args.gap.unwrap_or(GAP), &options);
            let checked = Checked::No("bounds in doubles are checked by `commonweal check` alone".to_owned());
            let answer = Answer { model: &model, solution: &solution, checked, own_best: None };
            answer.print(args, read, Duration::ZERO, began)?;
            Ok(exit_code(&solution))
        }
    }
}

/// What is known at the end, over numbers of either kind.
struct Answer<'a, N> {
    model: &'a Model<N>,
    solution: &'a Solution,
    checked: Checked,
    own_best: Option<Vec<Rational>>,
}

impl<N: Sync> Answer<'_, N> {
    fn print(self, args: &SolveArgs, read: Duration, check: Duration, began: Instant) -> anyhow::Result<()> {
        let Answer { model, solution, checked, own_best } = self;
        if let Some(path) = &args.strategy {
            let strategy = StrategyJson::new(model, solution.strategy());
            output::write_whole(path, |out| {
                serde_json::to_writer_pretty(&mut *out, &strategy)?;
                out.write_all(b"\n")
            })?;
        }
        if !args.run.quiet {
            spacing::note(solution);
        }
        let timings = args.timings.then(|| json::TimingsJson::new(read, solution.timings(), check, began.elapsed()));
        if args.run.json {
            let checked = matches!(checked, Checked::Yes);
            return json::print(&SolutionJson::new(model, solution, checked, args.all_states, timings));
        }
        output::print(&solution::report(model, solution, own_best.as_deref(), args.all_states))?;
        output::print(&checked.in_words())?;
        timings.map_or(Ok(()), |timings| output::print(&timings.in_words()))
    }
}

fn exit_code(solution: &Solution) -> ExitCode {
    match solution.outcome() {
        Outcome::Optimal | Outcome::Within | Outcome::Undecided(_) => ExitCode::SUCCESS,
        Outcome::Stopped(_) => ExitCode::from(3),
    }
}

/// What each principal would get alone from the start state, unless there is no time left to say.
fn own_best(model: &Model, stop: &StopSignal) -> Option<Vec<Rational>> {
    let best = |p: usize| own_optimum(model, p.into(), stop).map(|best| best.get(model.start().index()));
    (0..model.n_principals()).map(best).collect::<Result<_, _>>().ok()
}
