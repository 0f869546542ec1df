//! `commonweal solve MODEL`

use crate::args::SolveArgs;
use crate::certify::{self, Certified, Checked};
use crate::engine::{self, Asked};
use crate::report::json;
use crate::report::timings::Clock;
use crate::report::{solution, spacing};
use crate::{explain, output, progress, report};
use anyhow::bail;
use commonweal::documents::{self, Document, listed_states};
use commonweal::internals::compare::compare;
use commonweal::internals::exact;
use commonweal::internals::model::Mdp;
use commonweal::{Answer, Claim, Engine, Model, Options, StopSignal, Value};
use std::process::ExitCode;

pub fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = args.run.start();
    for path in args.strategy.iter().chain(&args.certificate) {
        output::check_place(path)?;
        output::check_apart(path, &args.model.model)?;
    }
    if args.strategy.is_some() && args.strategy == args.certificate {
        bail!("--strategy and --certificate name the same file; give them different ones");
    }
    let in_fractions = args.certificate.is_some();
    let Asked { model, engine } = engine::read(&args.engine, &args.model, in_fractions, args.run.quiet)?;
    clock.has_read();
    let certified = matches!(engine, Engine::Within(_));
    if certified && args.explain {
        bail!("--explain shows the steps of an exact answer; use --exact in place of --gap");
    }
    if certified && args.compare {
        bail!("--compare compares exact answers; use --exact in place of --gap");
    }
    let options = Options {
        engine,
        layer_limit: args.layer_limit,
        event_limit: args.event_limit,
        keep_proof: certify::needs_proof(&model, args.certificate.as_deref()),
        stop,
        ..Options::default()
    };
    let answer = progress::shown(&options.stop, args.run.quiet, || commonweal::solve(&model, &options));
    let certified_answer = certify::certify(&model, &answer, args.certificate.as_deref(), &options.stop)?;
    clock.check = certified_answer.took;
    let mut printed = Printed {
        model: &model,
        answer: &answer,
        certified: certified_answer,
        own_best: None,
        comparison: None,
        explanation: None,
    };
    if !certified {
        let exact = &model.exact();
        if answer.claim() == Claim::Optimal && !args.run.json {
            printed.own_best = own_best(exact, &options.stop);
        }
        printed.comparison = args.compare.then(|| {
            let compared = compare(exact, &answer, &options.stop);
            let documents = compared.iter().map(|one| documents::Compared::new(exact, one)).collect();
            (documents, report::compare::report(exact, &compared))
        });
        printed.explanation = args.explain.then(|| explain::text(exact, &answer, &options));
    }
    printed.print(args, clock)
}

/// What is known at the end.
struct Printed<'a> {
    model: &'a Model,
    answer: &'a Answer,
    certified: Certified,
    /// What each principal would get alone.
    own_best: Option<Vec<Value>>,
    /// Other strategies beside this one, for programs and for people.
    comparison: Option<(Vec<documents::Compared>, String)>,
    explanation: Option<String>,
}

impl Printed<'_> {
    fn print(self, args: &SolveArgs, mut clock: Clock) -> anyhow::Result<ExitCode> {
        let model = self.model.structure();
        let Printed { answer: solution, certified, own_best, comparison, explanation, .. } = self;
        if let Some(path) = &args.strategy {
            let strategy = documents::Strategy::counting(model, solution.strategy());
            output::write_whole(path, |out| strategy.write(out))?;
        }
        if !args.run.quiet {
            spacing::note(solution);
        }
        clock.solving = solution.timings();
        let spent = clock.spent(args.run.timings);
        let (compared, comparison) = comparison.unzip();
        if args.run.json {
            let checked = matches!(certified.checked, Checked::Yes);
            let states = listed_states(model, args.all_states);
            let mut document = documents::Solution::new(model, solution, &states, checked);
            document.comparison = compared;
            json::print(&document, spent)?;
            return Ok(exit_code(solution, certified.is_missing));
        }
        let report = solution::report(model, solution, own_best.as_deref(), args.all_states);
        let spent = spent.map(|spent| spent.in_words());
        let parts = [Some(report), comparison, Some(certified.checked.in_words()), explanation, spent];
        output::print(&parts.into_iter().flatten().collect::<String>())?;
        Ok(exit_code(solution, certified.is_missing))
    }
}

/// A certificate that was asked for and is not there is a limit met as well.
fn exit_code(solution: &Answer, certificate_is_missing: bool) -> ExitCode {
    match solution.claim() {
        _ if certificate_is_missing => ExitCode::from(3),
        Claim::Optimal | Claim::Within { .. } | Claim::Undecided(_) => ExitCode::SUCCESS,
        Claim::Stopped(_) => ExitCode::from(3),
    }
}

/// What each principal would get alone from the start state, unless there is no time left to say.
fn own_best(model: &Mdp, stop: &StopSignal) -> Option<Vec<Value>> {
    let best = |p: usize| exact::own_best(model, p.into(), stop).map(|best| best.payoffs.value(model.start().index()));
    (0..model.n_principals()).map(best).collect::<Result<_, _>>().ok()
}
