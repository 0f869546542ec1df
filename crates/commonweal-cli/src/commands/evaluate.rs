//! `commonweal evaluate MODEL STRATEGY`

use crate::args::EvaluateArgs;
use crate::report::json::{self, MANY_STATES, OrderedMap, ValueJson};
use crate::report::names::{in_column as name_in_column, shown};
use crate::report::numbers::{at_least, at_most, decimal, exact_and_decimal, fraction_within};
use crate::report::solution::{total_row, who};
use crate::report::table::table;
use crate::{input, output};
use anyhow::anyhow;
use commonweal::evaluation::{EvaluateError, evaluate};
use commonweal::model::{Model, PrincipalId, StateId};
use commonweal::number::Value;
use commonweal::stop::{StopReason, StopSignal};
use commonweal::{SolveOptions, solve};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(args: &EvaluateArgs) -> anyhow::Result<ExitCode> {
    let stop = args.run.start()?;
    let model = input::model(&args.model, args.run.quiet)?;
    let strategy = input::strategy_file(&model, &args.strategy)?;
    match evaluate(&model, &strategy, &stop) {
        Ok(payoffs) => {
            let payoff = |p, state| payoffs.payoff(p, state);
            let welfare = |state| payoffs.welfare(state);
            let worth = Worth { model: &model, stopped: None, payoff: &payoff, welfare: &welfare };
            print(&worth, args)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(EvaluateError::Stopped(reason)) => {
            // A solution that is stopped at once knows what any strategy gets at least and at most.
            let at_once = StopSignal::default();
            at_once.raise();
            let any = solve(&model, &SolveOptions { stop: at_once, ..SolveOptions::default() });
            let payoff = |p, state| any.payoff(p, state);
            let welfare = |state| any.welfare(state);
            print(&Worth { model: &model, stopped: Some(reason), payoff: &payoff, welfare: &welfare }, args)?;
            Ok(ExitCode::from(3))
        }
        Err(error @ EvaluateError::TooManySteps { .. }) => {
            Err(anyhow!("{}: {error}; `commonweal simulate` estimates it", args.strategy.display()))
        }
        Err(error) => Err(error.into()),
    }
}

/// What a strategy is worth, or what any strategy is worth if there was no time to say.
struct Worth<'a> {
    model: &'a Model,
    stopped: Option<StopReason>,
    payoff: &'a dyn Fn(PrincipalId, StateId) -> Value,
    welfare: &'a dyn Fn(StateId) -> Value,
}

fn print(worth: &Worth, args: &EvaluateArgs) -> anyhow::Result<()> {
    match args.run.json {
        true => json::print(&EvaluationJson::new(worth, args.all_states)),
        false => output::print(&report(worth, args.all_states)),
    }
}

/// Who gets what from the start, and on request the welfare from every state.
fn report(worth: &Worth, all_states: bool) -> String {
    let Worth { model, stopped, payoff, welfare } = worth;
    let start = model.start();
    let mut text = String::new();
    if let Some(reason) = stopped {
        let _ = writeln!(text, "Stopped: {reason}. These bounds hold for any strategy.");
    }
    let from_start = exact_and_decimal(&welfare(start));
    let _ = writeln!(text, "Welfare from {}: {from_start}\n", shown(&model.state_name(start)));
    let columns = if stopped.is_some() { ["at least", "at most"] } else { ["gets", "exactly"] };
    let (mut header, mut rows) = who(model);
    header.extend(columns);
    for (p, row) in rows.iter_mut().enumerate() {
        row.extend(cells(&payoff(p.into(), start)));
    }
    let mut total = total_row(&header);
    total.extend(cells(&welfare(start)));
    rows.push(total);
    text.push_str(&table(&header, &rows));
    if all_states {
        let row = |state: StateId| {
            let [left, right] = cells(&welfare(state));
            vec![name_in_column(&model.state_name(state)), left, right]
        };
        let columns = if stopped.is_some() { columns } else { ["welfare", "exactly"] };
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
    fn new(worth: &Worth, all_states: bool) -> EvaluationJson {
        let Worth { model, stopped, payoff, welfare } = worth;
        let shown: Vec<StateId> = match all_states || model.n_states() <= MANY_STATES {
            true => model.states().collect(),
            false => vec![model.start()],
        };
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
            engine: "exact",
            status: stopped.map(|_| "stopped"),
            reason: stopped.map(|reason| reason.to_string()),
            start: model.state_name(model.start()).into_owned(),
            states: OrderedMap(shown.into_iter().map(of_state).collect()),
        }
    }
}
