//! `commonweal evaluate MODEL STRATEGY`

use crate::args::EvaluateArgs;
use crate::report::json::{self, MANY_STATES, OrderedMap, ValueJson};
use crate::report::names::{in_column as name_in_column, shown};
use crate::report::numbers::{exact_and_decimal, fraction_within, in_column};
use crate::report::solution::{total_row, who};
use crate::report::table::table;
use crate::{input, output};
use commonweal::evaluation::{EvaluateError, Payoffs, evaluate};
use commonweal::model::{Model, StateId};
use commonweal::number::Value;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(args: &EvaluateArgs) -> anyhow::Result<ExitCode> {
    let stop = args.run.start()?;
    let model = input::model(&args.model)?;
    let strategy = input::strategy_file(&model, &args.strategy)?;
    let payoffs = match evaluate(&model, &strategy, &stop) {
        Ok(payoffs) => payoffs,
        Err(error @ EvaluateError::Stopped(_)) => {
            eprintln!("{error}");
            return Ok(ExitCode::from(3));
        }
        Err(error @ EvaluateError::TooManySteps { .. }) => {
            return Err(anyhow::Error::from(error).context("use `commonweal simulate` to estimate it"));
        }
        Err(error) => return Err(error.into()),
    };
    match args.run.json {
        true => json::print(&EvaluationJson::new(&model, &payoffs, args.all_states))?,
        false => output::print(&report(&model, &payoffs, args.all_states))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Who gets what from the start, and on request the welfare from every state.
fn report(model: &Model, payoffs: &Payoffs, all_states: bool) -> String {
    /// The widest fraction of a column.
    const WIDEST: usize = 28;
    let start = model.start();
    let mut text = String::new();
    let welfare = payoffs.welfare(start);
    let _ = writeln!(text, "Welfare from {}: {}\n", shown(model.state_name(start)), exact_and_decimal(&welfare));
    let exactly = |value: &Value| value.exact.as_ref().and_then(|exact| fraction_within(exact, WIDEST));
    let cells = |value: Value| [in_column(&value), exactly(&value).unwrap_or_default()];
    let (mut header, mut rows) = who(model);
    header.extend(["gets", "exactly"]);
    for (p, row) in rows.iter_mut().enumerate() {
        row.extend(cells(payoffs.payoff(p.into(), start)));
    }
    let mut total = total_row(&header);
    total.extend(cells(welfare));
    rows.push(total);
    text.push_str(&table(&header, &rows));
    if all_states {
        let row = |state: StateId| {
            let [decimal, fraction] = cells(payoffs.welfare(state));
            vec![name_in_column(model.state_name(state)), decimal, fraction]
        };
        text.push('\n');
        text.push_str(&table(&["state", "welfare", "exactly"], &model.states().map(row).collect::<Vec<_>>()));
    }
    text
}

#[derive(Serialize)]
struct EvaluationJson {
    format: &'static str,
    engine: &'static str,
    start: String,
    states: OrderedMap<StateJson>,
}

#[derive(Serialize)]
struct StateJson {
    welfare: ValueJson,
    payoffs: OrderedMap<ValueJson>,
}

impl EvaluationJson {
    fn new(model: &Model, payoffs: &Payoffs, all_states: bool) -> EvaluationJson {
        let shown: Vec<StateId> = match all_states || model.n_states() <= MANY_STATES {
            true => model.states().collect(),
            false => vec![model.start()],
        };
        let of_state = |state: StateId| {
            let payoff = |p: usize| (model.principals()[p].name.clone(), ValueJson(payoffs.payoff(p.into(), state)));
            let json = StateJson {
                welfare: ValueJson(payoffs.welfare(state)),
                payoffs: OrderedMap((0..model.n_principals()).map(payoff).collect()),
            };
            (model.state_name(state).to_owned(), json)
        };
        EvaluationJson {
            format: "commonweal-evaluation/1",
            engine: "exact",
            start: model.state_name(model.start()).to_owned(),
            states: OrderedMap(shown.into_iter().map(of_state).collect()),
        }
    }
}
