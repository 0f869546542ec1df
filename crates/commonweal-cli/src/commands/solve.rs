//! `commonweal solve MODEL`

use crate::args::SolveArgs;
use crate::certify::{self, Certified, Checked};
use crate::engine::{self, Asked};
use crate::json;
use crate::report::csv::Csv;
use crate::report::numbers::counted;
use crate::report::page::Page;
use crate::report::timings::Clock;
use crate::report::{explain, solution, spacing};
use crate::{output, progress, report, signals};
use anyhow::bail;
use commonweal::documents::{self, Document, listed_states};
use commonweal::limits::{Limits, PayoffsFrom, StopReason};
use commonweal::questions::{Alternatives, Comparison, Explanation, ThresholdAnswer, alternatives, compare, own_best};
use commonweal::{Answer, Claim, Engine, Model, Options, Value};
use std::process::ExitCode;

pub fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = signals::start(&args.run);
    let places = [
        ("--strategy", &args.strategy),
        ("--certificate", &args.certificate),
        ("--csv", &args.csv),
        ("--report", &args.report),
    ];
    output::check_places(&places, &args.model.model)?;
    args.report.as_deref().map_or(Ok(()), output::check_page_place)?;
    if args.explain && args.engine.gap.is_some() {
        bail!("--explain shows the steps in fractions; leave --gap out");
    }
    if args.outlook.is_some() && args.compare && args.csv.is_some() {
        bail!(
            "--csv: with --compare and --outlook there are two tables to write; leave one of the two out, or use --json"
        );
    }
    let in_fractions = args.certificate.is_some();
    let Asked { model, engine } = engine::read(&args.engine, &args.model, in_fractions, args.run.quiet)?;
    clock.has_read();
    if !model.is_exact() {
        refuse_large(&model, args)?;
    }
    // If no engine was asked for, the library picks, may change from a slow one to the other, and knows that no gap was asked for.
    let engine = match engine {
        Engine::Auto if args.compare && !model.is_approximated() => Engine::Exact,
        Engine::Within(_) if args.engine.is_free() => Engine::Auto,
        engine => engine,
    };
    // Ranks know the payoffs of every state, and what a model is solved like without simplifying is to be compared with them.
    let needs_every_state = args.unsimplified || listed_states(model.structure(), args.all_states).len() > 1;
    let options = Options {
        engine,
        payoffs: if needs_every_state { PayoffsFrom::EveryState } else { PayoffsFrom::Start },
        limits: Limits { layers: args.layer_limit, events: args.event_limit },
        simplify: !args.unsimplified,
        keep_proof: certify::needs_proof(&model, args.certificate.as_deref()),
        stop,
        ..Options::default()
    };
    let quiet = args.run.quiet;
    let answer = progress::shown(&options.stop, quiet, || commonweal::solve(&model, &options));
    let certified = certify::certify(&model, &answer, args.certificate.as_deref(), &options.stop)?;
    clock.check = certified.took;
    let stop = &options.stop;
    // Own bests take a solve for each principal and a copy of the model: too slow for a text report of a large model.
    const MANY_STATES: usize = 100_000;
    let for_programs = args.run.json || args.csv.is_some() || args.report.is_some();
    let with_own_best = for_programs || model.n_states() <= MANY_STATES;
    let found = progress::shown(stop, quiet, || {
        let comparison = args.compare.then(|| compare(&model, &answer, stop));
        let compared = comparison.as_ref().and_then(Comparison::own_bests);
        Found {
            own_best: match compared {
                Some(known) => known,
                None if with_own_best => own_best(&model, &answer, stop),
                None => Vec::new(),
            },
            alternatives: alternatives(&model, &answer, stop),
            comparison,
            explanation: args.explain.then(|| explain::explained(&model, &answer, stop)),
            outlook: outlook(args, &model, &answer),
            model: &model,
            answer: &answer,
            certified,
        }
    });
    if let Some(path) = &args.report {
        let page = Page {
            file: &args.model.model,
            model: &model,
            answer: &answer,
            own_best: (!found.own_best.is_empty()).then_some(&*found.own_best),
            comparison: found.comparison.as_ref(),
            outlook: found.outlook.as_ref(),
            front: None,
            text: None,
            checked: &found.certified.checked.in_words(),
            stop,
        };
        output::write_whole(path, |out| out.write_all(page.html().as_bytes()))?;
    }
    found.print(args, clock)
}

/// Refuses questions that need fractions about a model that is read in doubles for its size.
fn refuse_large(model: &Model, args: &SolveArgs) -> anyhow::Result<()> {
    let states = counted(&model.n_states().into(), "state", "states");
    if args.explain {
        bail!("--explain shows the steps in fractions, and {states} are many for that; --exact tries it");
    }
    if args.compare {
        bail!(
            "--compare searches simpler strategies in fractions, and {states} are many for that; --exact tries it, and `positional`, \
             `stationary` and `evaluate` answer for one at a time"
        );
    }
    Ok(())
}

/// The results of a solve.
struct Found<'a> {
    model: &'a Model,
    answer: &'a Answer,
    certified: Certified,
    /// What each principal would get alone; empty if that is left out.
    own_best: Vec<Value>,
    /// Other strategies that are as good.
    alternatives: Alternatives,
    /// Other strategies compared with this one.
    comparison: Option<Comparison>,
    explanation: Option<Result<Explanation, StopReason>>,
    /// Annuities, rates and trajectories.
    outlook: Option<documents::Outlook>,
}

/// The outlook, if it was asked for and no reward overflows a double.
fn outlook(args: &SolveArgs, model: &Model, answer: &Answer) -> Option<documents::Outlook> {
    let steps = usize::try_from(args.outlook?).ok()?;
    documents::Outlook::new(model, answer, steps).ok()
}

impl Found<'_> {
    fn print(self, args: &SolveArgs, mut clock: Clock) -> anyhow::Result<ExitCode> {
        let (model, answer) = (self.model.structure(), self.answer);
        if let Some(path) = &args.strategy {
            let strategy = documents::Strategy::counting(model, answer.strategy());
            output::write_whole(path, |out| strategy.write(out))?;
        }
        if let Some(path) = &args.csv {
            let csv = self.csv(args.all_states);
            output::write_whole(path, |out| out.write_all(csv.as_bytes()))?;
        }
        let earned = args.threshold.as_ref().map(|threshold| answer.earns(threshold, model.start()));
        if !args.run.quiet {
            spacing::note(answer);
        }
        clock.solving = answer.timings();
        let spent = clock.spent(args.run.timings);
        if args.run.json {
            let mut document = self.document(args.all_states);
            document.answer = earned;
            json::print_numbers(document, &args.run, spent)?;
        } else {
            let comparison =
                self.comparison.as_ref().map(|comparison| report::compare::report(model, answer, comparison));
            let explanation = self.explanation.as_ref().map(|found| explain::text(model, answer, found));
            let spent = spent.map(|spent| spent.in_words());
            let report = solution::report(model, answer, &self.own_best, &self.alternatives, args.all_states);
            let verdict =
                args.threshold.as_ref().zip(earned).map(|(threshold, earned)| solution::verdict(threshold, earned));
            let checked = Some(self.certified.checked.in_words());
            let outlook = self.outlook.as_ref().map(|outlook| report::outlook::report(model, answer, outlook));
            let parts =
                [Some(report::about(model)), verdict, Some(report), comparison, outlook, checked, explanation, spent];
            output::print(&parts.into_iter().flatten().collect::<String>())?;
        }
        Ok(self.exit_code(earned))
    }

    fn document(&self, all_states: bool) -> documents::Solution {
        let (model, answer) = (self.model.structure(), self.answer);
        let checked = matches!(self.certified.checked, Checked::Yes);
        let states = listed_states(model, all_states);
        let mut document = documents::Solution::new(model, answer, &self.own_best, &states, checked);
        document.checked_for_mixtures = matches!(self.certified.checked, Checked::ForMixtures);
        document.set_alternatives(model, &self.alternatives);
        document.comparison = self.comparison.as_ref().map(|comparison| documents::Compared::all(model, comparison));
        let explanation = self.explanation.as_ref().and_then(|found| found.as_ref().ok());
        document.explanation = explanation.map(|explanation| documents::Explanation::new(model, explanation));
        document.outlook.clone_from(&self.outlook);
        document
    }

    fn csv(&self, all_states: bool) -> String {
        let model = self.model.structure();
        let states = if all_states { model.states().collect() } else { vec![model.start()] };
        match (&self.outlook, &self.comparison) {
            (Some(outlook), _) => report::outlook::csv(outlook),
            (None, Some(comparison)) => Csv::of_comparison(model, &comparison.strategies),
            (None, None) => Csv::of_answer(model, self.answer, &self.own_best, &states),
        }
    }

    /// The exit code of the threshold, if one was given; otherwise 3 if any part was stopped.
    fn exit_code(&self, earned: Option<ThresholdAnswer>) -> ExitCode {
        match earned {
            Some(ThresholdAnswer::Yes) => return ExitCode::SUCCESS,
            Some(ThresholdAnswer::No) => return ExitCode::from(1),
            Some(ThresholdAnswer::Unknown) => return ExitCode::from(3),
            None => {}
        }
        let solved = !matches!(self.answer.claim(), Claim::Stopped(_)) && self.answer.misses_gap().is_none();
        let compared = self.comparison.as_ref().is_none_or(|comparison| comparison.stopped.is_none());
        let explained = self.explanation.as_ref().is_none_or(Result::is_ok);
        if solved && compared && explained && !self.certified.is_missing {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(3)
        }
    }
}
