//! `commonweal solve MODEL`

use crate::args::SolveArgs;
use crate::certify::{self, Checked};
use crate::engine::{self, Asked};
use crate::report::json;
use crate::report::numbers::fraction_or_decimal;
use crate::report::page::Page;
use crate::report::timings::Clock;
use crate::report::{solution, spacing};
use crate::{explain, output, progress, report};
use anyhow::bail;
use commonweal::documents::{self, Document, listed_states};
use commonweal::internals::compare::compare;
use commonweal::internals::exact;
use commonweal::internals::search::ThresholdAnswer;
use commonweal::{Answer, Claim, Engine, Model, Options, Rational, Value};
use std::process::ExitCode;

pub fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = args.run.start();
    for path in args.strategy.iter().chain(&args.certificate).chain(&args.report) {
        output::check_place(path)?;
        output::check_apart(path, &args.model.model)?;
    }
    if args.strategy.is_some() && args.strategy == args.certificate {
        bail!("--strategy and --certificate name the same file; give them different ones");
    }
    if let Some(other) = [("--strategy", &args.strategy), ("--certificate", &args.certificate)]
        .into_iter()
        .find_map(|(option, path)| (path.is_some() && *path == args.report).then_some(option))
    {
        bail!("--report and {other} name the same file; give them different ones");
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
    let (checked, check) = certify::certify(&model, &answer, args.certificate.as_deref())?;
    clock.check = check;
    let mut printed =
        Printed { model: &model, answer: &answer, checked, own_best: None, comparison: None, explanation: None };
    let mut compared = None;
    if !certified {
        let exact = &model.exact();
        if answer.claim() == Claim::Optimal && (!args.run.json || args.report.is_some()) {
            printed.own_best = exact::own_best_from_start(exact, &options.stop).ok();
        }
        compared = args.compare.then(|| compare(exact, &answer, &options.stop));
        printed.comparison = compared.as_ref().map(|compared| {
            let documents = compared.iter().map(|one| documents::Compared::new(exact, one)).collect();
            (documents, report::compare::report(exact, compared))
        });
        printed.explanation = args.explain.then(|| explain::text(exact, &answer, &options));
    }
    if let Some(path) = &args.report {
        let page = Page {
            file: &args.model.model,
            model: &model,
            answer: &answer,
            own_best: printed.own_best.as_deref(),
            comparison: compared.as_deref(),
            checked: &printed.checked.in_words(),
            stop: &options.stop,
        };
        output::write_whole(path, |out| out.write_all(page.html().as_bytes()))?;
    }
    printed.print(args, clock)
}

/// What is known at the end.
struct Printed<'a> {
    model: &'a Model,
    answer: &'a Answer,
    checked: Checked,
    /// What each principal would get alone.
    own_best: Option<Vec<Value>>,
    /// Other strategies beside this one, for programs and for people.
    comparison: Option<(Vec<documents::Compared>, String)>,
    explanation: Option<String>,
}

impl Printed<'_> {
    fn print(self, args: &SolveArgs, mut clock: Clock) -> anyhow::Result<ExitCode> {
        let model = self.model.structure();
        let Printed { answer: solution, checked, own_best, comparison, explanation, .. } = self;
        if let Some(path) = &args.strategy {
            let strategy = documents::Strategy::counting(model, solution.strategy());
            output::write_whole(path, |out| strategy.write(out))?;
        }
        let answer = args.threshold.as_ref().map(|threshold| solution.earns(threshold, model.start()));
        if !args.run.quiet {
            spacing::note(solution);
        }
        clock.solving = solution.timings();
        let spent = clock.spent(args.run.timings);
        let (compared, comparison) = comparison.unzip();
        if args.run.json {
            let checked = matches!(checked, Checked::Yes);
            let states = listed_states(model, args.all_states);
            let mut document = documents::Solution::new(model, solution, &states, checked);
            document.comparison = compared;
            document.answer = answer;
            json::print(&document, spent)?;
            return Ok(exit_code(solution, answer));
        }
        let report = solution::report(model, solution, own_best.as_deref(), args.all_states);
        let spent = spent.map(|spent| spent.in_words());
        let verdict = args.threshold.as_ref().zip(answer).map(|(threshold, answer)| verdict(threshold, answer));
        let parts = [
            Some(report::about(model)),
            verdict,
            Some(report),
            comparison,
            Some(checked.in_words()),
            explanation,
            spent,
        ];
        parts.iter().flatten().try_for_each(|part| output::print(part))?;
        Ok(exit_code(solution, answer))
    }
}

/// Whether the threshold is earned, in words.
fn verdict(threshold: &Rational, answer: ThresholdAnswer) -> String {
    let threshold = fraction_or_decimal(threshold);
    match answer {
        ThresholdAnswer::Yes => format!("Yes: some strategy earns {threshold}.\n"),
        ThresholdAnswer::No => format!("No: no strategy earns {threshold}.\n"),
        ThresholdAnswer::Unknown => format!("Unknown: whether some strategy earns {threshold} is not decided.\n"),
    }
}

fn exit_code(solution: &Answer, answer: Option<ThresholdAnswer>) -> ExitCode {
    match answer {
        Some(ThresholdAnswer::Yes) => return ExitCode::SUCCESS,
        Some(ThresholdAnswer::No) => return ExitCode::from(1),
        Some(ThresholdAnswer::Unknown) => return ExitCode::from(3),
        None => {}
    }
    match solution.claim() {
        Claim::Optimal | Claim::Within { .. } | Claim::Undecided(_) => ExitCode::SUCCESS,
        Claim::Stopped(_) => ExitCode::from(3),
    }
}
