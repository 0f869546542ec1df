//! The report of `solve`: what is earned, who gets what, what to do.

use super::numbers::{counted, decimal, exact_and_decimal, short_fraction, signed, steps};
use super::table::table;
use commonweal::model::{Model, PrincipalId, StateId};
use commonweal::number::{Enclosure, Natural, Value};
use commonweal::strategy::CountingStrategy;
use commonweal::{Outcome, Solution};
use std::fmt::Write;

/// The most states whose strategy is written out, unless all are asked for.
const STATES_SHOWN: usize = 30;

/// The report. `own_best` is what each principal of the file would get if the agent served nobody else.
pub fn report(model: &Model, solution: &Solution, own_best: Option<&[Value]>, all_states: bool) -> String {
    let start = model.start();
    let mut text = headline(model, solution);
    text.push('\n');
    text.push_str(&payoffs(model, solution, own_best));
    let _ = write!(text, "\nStrategy from {}", model.state_name(start));
    let _ = match solution.outcome() {
        Outcome::Optimal => writeln!(
            text,
            " (memory {}, horizon {})",
            counted(solution.memory(start), "step", "steps"),
            steps(solution.horizon())
        ),
        Outcome::Stopped(_) => {
            writeln!(text, " (the best found; its tail begins at step {})", steps(solution.horizon()))
        }
    };
    text.push_str(&strategy(model, solution, all_states));
    text
}

fn headline(model: &Model, solution: &Solution) -> String {
    let start = model.start();
    let name = model.state_name(start);
    let welfare = solution.welfare(start);
    let mut text = String::new();
    let _ = match solution.outcome() {
        Outcome::Optimal => {
            let _ = writeln!(text, "Optimal welfare from {name}: {}", exact_and_decimal(&welfare));
            let long_term = solution.long_term_welfare(start);
            let gain = difference(&welfare, &long_term);
            match gain.exact.as_ref().is_some_and(|gain| gain.is_zero()) {
                true => writeln!(text, "The long-term strategy earns it: no deviation pays."),
                false => writeln!(
                    text,
                    "The long-term strategy alone earns {}; deviating at first gains {}.",
                    exact_and_decimal(&long_term),
                    exact_and_decimal(&gain)
                ),
            }
        }
        Outcome::Stopped(reason) => writeln!(
            text,
            "Stopped: {reason}.\nWelfare from {name}: this strategy earns at least {}, and nobody can earn more than {}.",
            welfare.enclosure.lower(),
            welfare.enclosure.upper()
        ),
    };
    text
}

fn payoffs(model: &Model, solution: &Solution, own_best: Option<&[Value]>) -> String {
    let start = model.start();
    let optimal = solution.outcome() == Outcome::Optimal;
    let weighted = model.principals().iter().any(|principal| !principal.weight.is_one());
    let mut header = vec!["principal", "discount"];
    if weighted {
        header.push("weight");
    }
    header.push("gets");
    if optimal {
        header.extend(["exactly", "vs long-term"]);
    }
    if own_best.is_some() {
        header.push("vs own best");
    }
    let mut rows = Vec::new();
    for (p, principal) in model.principals().iter().enumerate() {
        let id = PrincipalId::from(p);
        let payoff = solution.payoff(id, start);
        let mut row = vec![principal.name.clone(), principal.discount.to_string()];
        if weighted {
            row.push(principal.weight.to_string());
        }
        row.push(decimal(&payoff));
        if optimal {
            row.push(fraction(&payoff));
            row.push(signed(&difference(&payoff, &solution.long_term_payoff(id, start))));
        }
        if let Some(own_best) = own_best {
            row.push(signed(&difference(&payoff, &own_best[p])));
        }
        rows.push(row);
    }
    let welfare = solution.welfare(start);
    let mut total = vec!["welfare".to_owned(), String::new()];
    if weighted {
        total.push(String::new());
    }
    total.push(decimal(&welfare));
    if optimal {
        total.push(fraction(&welfare));
        total.push(signed(&difference(&welfare, &solution.long_term_welfare(start))));
    }
    rows.push(total);
    table(&header, &rows)
}

/// Every state's choices over time: those that change first, then as many others as fit.
fn strategy(model: &Model, solution: &Solution, all_states: bool) -> String {
    let mut text = String::new();
    let most = if all_states { usize::MAX } else { STATES_SHOWN };
    let few = model.n_states() <= most;
    let changes = |state: &StateId| solution.strategy().changes(*state).len() > 1;
    let shown: Vec<StateId> = match few {
        true => model.states().collect(),
        false => model.states().filter(changes).take(most).collect(),
    };
    for &state in &shown {
        let _ = writeln!(text, "  {}: {}", model.state_name(state), in_words(model, solution.strategy(), state));
    }
    if !few {
        let changing = model.states().filter(changes).count();
        let (hidden, constant) = (changing - shown.len(), model.n_states() - changing);
        if hidden > 0 {
            let _ =
                writeln!(text, "  … and {} more that change their choice", counted(&hidden.into(), "state", "states"));
        }
        let _ = writeln!(
            text,
            "  {} always the same choice (--all-states shows them, --strategy FILE writes all)",
            match constant {
                1 => "1 state makes".to_owned(),
                n => format!("{} states make", steps(&n.into())),
            }
        );
    }
    text
}

/// `a for 2 steps, then b`.
pub fn in_words(model: &Model, strategy: &CountingStrategy, state: StateId) -> String {
    let changes = strategy.changes(state);
    let mut parts = Vec::new();
    for pair in changes.windows(2) {
        let length: Natural = &pair[1].from - &pair[0].from;
        parts.push(format!("{} for {}", model.action_name(pair[0].choice), counted(&length, "step", "steps")));
    }
    let last = model.action_name(strategy.tail(state));
    match parts.is_empty() {
        true => format!("always {last}"),
        false => format!("{}, then {last}", parts.join(", ")),
    }
}

fn fraction(value: &Value) -> String {
    match &value.exact {
        Some(exact) => short_fraction(exact).unwrap_or_else(|| "(long)".to_owned()),
        None => "?".to_owned(),
    }
}

fn difference(left: &Value, right: &Value) -> Value {
    match (&left.exact, &right.exact) {
        (Some(left), Some(right)) => Value::from(left - right),
        _ => Value::from(Enclosure::plus(left.enclosure, -right.enclosure)),
    }
}
