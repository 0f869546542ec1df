//! `commonweal evaluate MODEL STRATEGY`

use crate::args::EvaluateArgs;
use crate::report::json::{self, MANY_STATES, OrderedMap, ValueJson};
use crate::report::numbers::exact_and_decimal;
use crate::{input, output};
use commonweal::evaluation::{EvaluateError, Payoffs, evaluate};
use commonweal::model::{Model, StateId};
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
        Err(error) => return Err(error.into()),
    };
    match args.run.json {
        true => json::print(&EvaluationJson::new(&model, &payoffs, args.all_states))?,
        false => output::print(&report(&model, &payoffs, args.all_states))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn report(model: &Model, payoffs: &Payoffs, all_states: bool) -> String {
    let shown: Vec<StateId> = if all_states { model.states().collect() } else { vec![model.start()] };
    let mut text = String::new();
    for state in shown {
        let welfare = payoffs.welfare(state);
        let _ = writeln!(text, "Welfare from {}: {}", model.state_name(state), exact_and_decimal(&welfare));
        for (p, principal) in model.principals().iter().enumerate() {
            let _ = writeln!(text, "  {} gets {}", principal.name, exact_and_decimal(&payoffs.payoff(p.into(), state)));
        }
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
