//! `commonweal solve MODEL`

use crate::args::SolveArgs;
use crate::certify::{Checked, certify, certify_bounds, needs_proof};
use crate::engine::{self, GAP, Picked};
use crate::model_file::ModelFile;
use crate::report::compare::ComparedJson;
use crate::report::json::{self, SolutionJson, StrategyJson};
use crate::report::timings::Clock;
use crate::report::{compare, solution, spacing};
use crate::{explain, input, output, progress};
use anyhow::bail;
use commonweal::model::Mdp;
use commonweal::number::Rational;
use commonweal::stop::StopSignal;
use commonweal::{Answer, Claim, Options, certified, own_optimum};
use std::process::ExitCode;

pub fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let clock = Clock::start();
    let stop = args.run.start()?;
    for path in args.strategy.iter().chain(&args.certificate) {
        output::check_place(path)?;
        output::check_apart(path, &args.model.model)?;
    }
    if args.strategy.is_some() && args.strategy == args.certificate {
        bail!("--strategy and --certificate name the same file; give them different ones");
    }
    let options = Options { layer_limit: args.layer_limit, event_limit: args.event_limit, stop, ..Options::default() };
    let file = ModelFile::open(&args.model.model)?;
    match engine::read(&args.engine, &file, &args.model.changes, args.run.quiet)? {
        Picked::Exact(model) => exact(args, &model, options, clock),
        Picked::Certified(model) => certified(args, &file, &model, options, clock),
    }
}

fn exact(args: &SolveArgs, model: &Mdp, mut options: Options, mut clock: Clock) -> anyhow::Result<ExitCode> {
    clock.has_read();
    options.keep_proof = needs_proof(model, args.certificate.as_deref());
    let solution = progress::shown(&options.stop, args.run.quiet, || commonweal::solve(model, &options));
    let (checked, check) = certify(model, &solution, args.certificate.as_deref())?;
    clock.check = check;
    let own_best = match (solution.claim(), args.run.json) {
        (Claim::Optimal, false) => own_best(model, &options.stop),
        _ => None,
    };
    let comparison = args.compare.then(|| {
        let compared = compare::strategies(model, &solution, &options.stop);
        (compared.iter().map(|one| one.json(model)).collect(), compare::report(model, &compared))
    });
    let explanation = args.explain.then(|| explain::text(model, &solution, &options));
    Printed { model, solution: &solution, checked, own_best, comparison, explanation }.print(args, clock)
}

fn certified(
    args: &SolveArgs,
    file: &ModelFile,
    model: &Mdp<f64>,
    mut options: Options,
    mut clock: Clock,
) -> anyhow::Result<ExitCode> {
    if args.explain {
        bail!("--explain shows the steps of an exact answer; use --exact in place of --gap");
    }
    if args.compare {
        bail!("--compare compares exact answers; use --exact in place of --gap");
    }
    clock.has_read();
    options.keep_proof = args.certificate.is_some();
    let gap = args.engine.gap.unwrap_or(GAP);
    let solution = progress::shown(&options.stop, args.run.quiet, || certified::solve(model, gap, &options));
    if let Some(place) = &args.certificate {
        // The certificate is about the model as it is written: in fractions.
        let exact: Mdp = input::changed(file, &args.model.changes, true)?;
        certify_bounds(&exact, &solution, place)?;
    }
    let how = match &args.certificate {
        Some(place) => format!("`commonweal check MODEL {}` checks these bounds", place.display()),
        None => "`solve --certificate FILE` and `commonweal check` check bounds".to_owned(),
    };
    let checked = Checked::No(how);
    let answer = Printed { model, solution: &solution, checked, own_best: None, comparison: None, explanation: None };
    answer.print(args, clock)
}

/// What is known at the end, over numbers of either kind.
struct Printed<'a, N> {
    model: &'a Mdp<N>,
    solution: &'a Answer,
    checked: Checked,
    /// What each principal would get alone.
    own_best: Option<Vec<Rational>>,
    /// Other strategies beside this one, for programs and for people.
    comparison: Option<(Vec<ComparedJson>, String)>,
    explanation: Option<String>,
}

impl<N: Sync> Printed<'_, N> {
    fn print(self, args: &SolveArgs, mut clock: Clock) -> anyhow::Result<ExitCode> {
        let Printed { model, solution, checked, own_best, comparison, explanation } = self;
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
        clock.solving = solution.timings();
        let spent = clock.spent(args.run.timings);
        let (compared, comparison) = comparison.unzip();
        if args.run.json {
            let checked = matches!(checked, Checked::Yes);
            let document = SolutionJson::new(model, solution, checked, args.all_states);
            json::print(&document.with_comparison(compared), spent)?;
            return Ok(exit_code(solution));
        }
        let report = solution::report(model, solution, own_best.as_deref(), args.all_states);
        let spent = spent.map(|spent| spent.in_words());
        let parts = [Some(report), comparison, Some(checked.in_words()), explanation, spent];
        parts.iter().flatten().try_for_each(|part| output::print(part))?;
        Ok(exit_code(solution))
    }
}

fn exit_code(solution: &Answer) -> ExitCode {
    match solution.claim() {
        Claim::Optimal | Claim::Within | Claim::Undecided(_) => ExitCode::SUCCESS,
        Claim::Stopped(_) => ExitCode::from(3),
    }
}

/// What each principal would get alone from the start state, unless there is no time left to say.
fn own_best(model: &Mdp, stop: &StopSignal) -> Option<Vec<Rational>> {
    let best = |p: usize| own_optimum(model, p.into(), stop).map(|best| best.get(model.start().index()));
    (0..model.n_principals()).map(best).collect::<Result<_, _>>().ok()
}
