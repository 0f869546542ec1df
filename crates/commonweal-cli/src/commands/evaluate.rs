//! `commonweal evaluate MODEL STRATEGY`

use crate::args::EvaluateArgs;
use crate::engine::{self, GAP, Picked};
use crate::model_file::ModelFile;
use crate::report::json::{self, Double, MANY_STATES, OrderedMap, ValueJson, engine_name};
use crate::report::names::{in_column as name_in_column, shown};
use crate::report::note;
use crate::report::numbers::{at_least, at_most, decimal, double, exact_and_decimal, fraction_within};
use crate::report::solution::{total_row, who};
use crate::report::table::table;
use crate::report::timings::Clock;
use crate::{input, output, progress};
use anyhow::{Context, anyhow};
use commonweal::evaluation::{EvaluateError, evaluate};
use commonweal::model::{Mdp, PrincipalId, StateId};
use commonweal::number::Value;
use commonweal::stop::{StopReason, StopSignal};
use commonweal::strategy::Strategy;
use commonweal::{Claim, Engine, Options, certified, solve};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(args: &EvaluateArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = args.run.start()?;
    let file = ModelFile::open(&args.model.model)?;
    match engine::read(&args.engine, &file, &args.model.changes, args.run.quiet)? {
        Picked::Exact(model) => {
            let strategy = input::strategy_file(&model, &args.strategy)?;
            clock.has_read();
            exact(args, &file, &model, &strategy, &stop, &clock)
        }
        Picked::Certified(model) => {
            let strategy = input::strategy_file(&model, &args.strategy)?;
            clock.has_read();
            in_doubles(args, &model, &strategy, &stop, &clock)
        }
    }
}

fn exact(
    args: &EvaluateArgs,
    file: &ModelFile,
    model: &Mdp,
    strategy: &Strategy,
    stop: &StopSignal,
    clock: &Clock,
) -> anyhow::Result<ExitCode> {
    match evaluate(model, strategy, stop) {
        Ok(payoffs) => {
            let payoff = |p, state| payoffs.payoff(p, state);
            let welfare = |state| payoffs.welfare(state);
            print(&Worth { model, scale: None, stopped: None, payoff: &payoff, welfare: &welfare }, args, clock)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(EvaluateError::Stopped(reason)) => {
            let any = solve(model, &Options { stop: raised(), ..Options::default() });
            let payoff = |p, state| any.payoff(p, state);
            let welfare = |state| any.welfare(state);
            let stopped = Some(Stopped { reason, is_of_any: true });
            print(&Worth { model, scale: None, stopped, payoff: &payoff, welfare: &welfare }, args, clock)?;
            Ok(ExitCode::from(3))
        }
        Err(error @ EvaluateError::TooManySteps { .. }) if args.engine.exact => Err(anyhow!(
            "{}: {error}\nhelp: leave --exact out for bounds that are proven in doubles",
            args.strategy.display()
        )),
        Err(error @ EvaluateError::TooManySteps { .. }) => {
            if !args.run.quiet {
                note(&format!("{error}, so the answer is proven in doubles."));
            }
            let model = model.to_doubles().with_context(|| file.shown())?;
            in_doubles(args, &model, strategy, stop, clock)
        }
        Err(error) => Err(error.into()),
    }
}

fn in_doubles(
    args: &EvaluateArgs,
    model: &Mdp<f64>,
    strategy: &Strategy,
    stop: &StopSignal,
    clock: &Clock,
) -> anyhow::Result<ExitCode> {
    let gap = args.engine.gap.unwrap_or(GAP);
    let evaluated = progress::shown(stop, args.run.quiet, || certified::evaluate(model, strategy, gap, stop));
    match evaluated {
        Ok(evaluation) => {
            let payoff = |p, state| evaluation.payoffs.payoff(p, state);
            let welfare = |state| evaluation.payoffs.welfare(state);
            let stopped = match evaluation.outcome {
                Claim::Stopped(reason) => Some(Stopped { reason, is_of_any: false }),
                _ => None,
            };
            let code = if stopped.is_some() { ExitCode::from(3) } else { ExitCode::SUCCESS };
            let scale = Some(evaluation.scale);
            print(&Worth { model, scale, stopped, payoff: &payoff, welfare: &welfare }, args, clock)?;
            Ok(code)
        }
        Err(EvaluateError::Stopped(reason)) => {
            let any = certified::solve(model, gap, &Options { stop: raised(), ..Options::default() });
            let payoff = |p, state| any.payoff(p, state);
            let welfare = |state| any.welfare(state);
            let stopped = Some(Stopped { reason, is_of_any: true });
            print(&Worth { model, scale: any.scale(), stopped, payoff: &payoff, welfare: &welfare }, args, clock)?;
            Ok(ExitCode::from(3))
        }
        Err(error) => Err(error.into()),
    }
}

/// A solution that is stopped at once knows what any strategy gets at least and at most.
fn raised() -> StopSignal {
    let at_once = StopSignal::default();
    at_once.raise();
    at_once
}

/// What a strategy is worth, or what any strategy is worth if there was no time to say.
struct Worth<'a, N> {
    model: &'a Mdp<N>,
    /// What the gap is relative to, if the answer is in doubles.
    scale: Option<f64>,
    stopped: Option<Stopped>,
    payoff: &'a dyn Fn(PrincipalId, StateId) -> Value,
    welfare: &'a dyn Fn(StateId) -> Value,
}

struct Stopped {
    reason: StopReason,
    /// Whether the bounds are those of any strategy.
    is_of_any: bool,
}

fn print<N>(worth: &Worth<N>, args: &EvaluateArgs, clock: &Clock) -> anyhow::Result<()> {
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print(&EvaluationJson::new(worth, args.all_states), spent)
    } else {
        let spent = spent.map_or_else(String::new, |spent| spent.in_words());
        output::print(&(report(worth, args.all_states) + &spent))
    }
}

/// Who gets what from the start, and on request the welfare from every state.
fn report<N>(worth: &Worth<N>, all_states: bool) -> String {
    let Worth { model, scale, stopped, payoff, welfare } = worth;
    let start = model.start();
    let mut text = String::new();
    if let Some(Stopped { reason, is_of_any }) = stopped {
        let whose = if *is_of_any { "any strategy" } else { "this strategy" };
        let _ = writeln!(text, "Stopped: {reason}. These bounds hold for {whose}.");
    }
    let (from, value) = (shown(&model.state_name(start)), welfare(start));
    let _ = match (scale, stopped) {
        (Some(scale), None) => writeln!(
            text,
            "Welfare from {from}: at least {}, at most {}.\n\
             Proven in doubles, every rounding counted; --exact gives fractions.\n\
             The scale, which --gap is relative to: {}\n",
            at_least(value.enclosure.lower()),
            at_most(value.enclosure.upper()),
            double(*scale)
        ),
        _ => writeln!(text, "Welfare from {from}: {}\n", exact_and_decimal(&value)),
    };
    let is_exact = scale.is_none() && stopped.is_none();
    let columns = if is_exact { ["gets", "exactly"] } else { ["at least", "at most"] };
    let (mut header, mut rows) = who(model);
    header.extend(columns);
    for (p, row) in rows.iter_mut().enumerate() {
        row.extend(cells(&payoff(p.into(), start)));
    }
    let mut total = total_row(&header);
    total.extend(cells(&value));
    rows.push(total);
    text.push_str(&table(&header, &rows));
    if all_states {
        let row = |state: StateId| {
            let [left, right] = cells(&welfare(state));
            vec![name_in_column(&model.state_name(state)), left, right]
        };
        let columns = if is_exact { ["welfare", "exactly"] } else { columns };
        let rows: Vec<_> = model.states().map(row).collect();
        text.push('\n');
        text.push_str(&table(&["state", columns[0], columns[1]], &rows));
    }
    text
}

/// The decimal and the fraction of an exact number, both ends of another.
fn cells(value: &Value) -> [String; 2] {
    const WIDEST: usize = 28;
    match &value.exact {
        Some(exact) => [decimal(exact), fraction_within(exact, WIDEST).unwrap_or_default()],
        None => [at_least(value.enclosure.lower()), at_most(value.enclosure.upper())],
    }
}

#[derive(Serialize)]
struct EvaluationJson {
    format: &'static str,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<Double>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    start: String,
    states: OrderedMap<StateJson>,
}

#[derive(Serialize)]
struct StateJson {
    welfare: ValueJson,
    payoffs: OrderedMap<ValueJson>,
}

impl EvaluationJson {
    fn new<N>(worth: &Worth<N>, all_states: bool) -> EvaluationJson {
        let Worth { model, scale, stopped, payoff, welfare } = worth;
        let engine = if scale.is_some() { Engine::Certified } else { Engine::Exact };
        let shown: Vec<StateId> =
            if all_states || model.n_states() <= MANY_STATES { model.states().collect() } else { vec![model.start()] };
        let of_state = |state: StateId| {
            let payoff = |p: usize| (model.principals()[p].name.clone(), ValueJson(payoff(p.into(), state)));
            let json = StateJson {
                welfare: ValueJson(welfare(state)),
                payoffs: OrderedMap((0..model.n_principals()).map(payoff).collect()),
            };
            (model.state_name(state).into_owned(), json)
        };
        EvaluationJson {
            format: "commonweal-evaluation/1",
            engine: engine_name(engine),
            scale: scale.map(Double),
            status: stopped.as_ref().map(|_| "stopped"),
            reason: stopped.as_ref().map(|stopped| stopped.reason.to_string()),
            start: model.state_name(model.start()).into_owned(),
            states: OrderedMap(shown.into_iter().map(of_state).collect()),
        }
    }
}
