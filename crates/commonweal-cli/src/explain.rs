//! `solve --explain`: the steps of the solution in words.

use crate::report::names::{in_column, shown};
use crate::report::numbers::{decimal, fraction_within, steps};
use crate::report::table::table;
use commonweal::explain::{Deviation, Explanation, explain};
use commonweal::model::Model;
use commonweal::number::{Natural, Rational};
use commonweal::{Outcome, Solution, SolveOptions};
use std::fmt::Write;

/// The most rows of each table.
const ROWS: usize = 40;
/// The most layers that are shown.
const LAYERS: u64 = 25;

pub fn text(model: &Model, solution: &Solution, options: &SolveOptions) -> String {
    if solution.outcome() != Outcome::Optimal {
        return "\nThere is nothing to explain: the solution was not finished.\n".to_owned();
    }
    match explain(model, solution, LAYERS, &options.stop) {
        Ok(explanation) => {
            let mut text = String::from("\nHow it is found\n");
            long_term(&mut text, model, solution, &explanation);
            advantages(&mut text, model, solution, &explanation);
            layers(&mut text, model, solution, &explanation);
            text
        }
        Err(reason) => format!("\nThe explanation was not finished: {reason}.\n"),
    }
}

fn long_term(text: &mut String, model: &Model, solution: &Solution, explanation: &Explanation) {
    let names: Vec<String> = solution.principals().iter().map(|principal| in_column(&principal.name)).collect();
    let _ = writeln!(text, "\n1. Long-term strategy, best for {}, and its values V:", then(&names));
    let values: Vec<String> = names.iter().map(|name| format!("V({name})")).collect();
    let mut header = vec!["state", "takes"];
    header.extend(values.iter().map(String::as_str));
    let rows = model.states().take(ROWS).map(|state| {
        let actions = solution.long_term_choices(state).iter().map(|&choice| shown(&model.action_name(choice)));
        let mut row = vec![in_column(model.state_name(state)), actions.collect::<Vec<_>>().join(" or ")];
        row.extend(explanation.values[state.index()].iter().map(number));
        row
    });
    text.push_str(&table(&header, &rows.collect::<Vec<_>>()));
    more(text, model.n_states(), "states");
}

fn advantages(text: &mut String, model: &Model, solution: &Solution, explanation: &Explanation) {
    if explanation.deviations.is_empty() {
        let _ = writeln!(text, "\n2. There is no other choice: nothing to deviate to.");
        return;
    }
    let _ = writeln!(
        text,
        "\n2. Deviations, and what one use at step 0 changes for each principal (Δ).\n   At step j each Δ counts λ^j times as much."
    );
    let changes: Vec<String> =
        solution.principals().iter().map(|principal| format!("Δ({})", in_column(&principal.name))).collect();
    let mut header = vec!["state", "action"];
    header.extend(changes.iter().map(String::as_str));
    header.push("pays by itself");
    let row = |deviation: &Deviation| {
        let (state, action) = (model.state_name(deviation.state), model.action_name(deviation.choice));
        let mut row = vec![in_column(state), in_column(&action)];
        row.extend(deviation.advantages.iter().map(number));
        row.push(match &deviation.pays {
            None => "never".to_owned(),
            Some((first, end)) => match end - Natural::ONE {
                last if last == *first => format!("at step {}", steps(first)),
                last => format!("steps {} to {}", steps(first), steps(&last)),
            },
        });
        row
    };
    let rows: Vec<_> = explanation.deviations.iter().take(ROWS).map(row).collect();
    text.push_str(&table(&header, &rows));
    more(text, explanation.deviations.len(), "deviations");
    let _ = writeln!(
        text,
        "\n3. Horizon: from step {} on, every prefix of every such sum is at most 0,\n   so no deviation pays.",
        steps(solution.horizon())
    );
}

fn layers(text: &mut String, model: &Model, solution: &Solution, explanation: &Explanation) {
    if solution.horizon().is_zero() {
        return;
    }
    let _ = writeln!(text, "\n4. Backwards from the horizon: what each state gains over the long-term strategy");
    let mut rows = Vec::new();
    for layer in &explanation.layers {
        for (state, choice, now, total) in &layer.gains {
            rows.push(vec![
                layer.step.to_string(),
                in_column(model.state_name(*state)),
                in_column(&model.action_name(*choice)),
                number(now),
                number(total),
            ]);
        }
    }
    let count = rows.len();
    rows.truncate(ROWS);
    match rows.is_empty() {
        true => text.push_str("  nothing: no deviation pays.\n"),
        false => text.push_str(&table(&["step", "state", "takes", "gain now", "gain from here on"], &rows)),
    }
    more(text, count, "rows");
    let shown = explanation.layers.len() as u64;
    if solution.horizon() > &shown.into() {
        let _ = writeln!(text, "  … and so on for {} earlier steps", steps(&(solution.horizon() - shown)));
    }
}

fn more(text: &mut String, count: usize, what: &str) {
    if count > ROWS {
        let _ = writeln!(text, "  … and {} more {what}", count - ROWS);
    }
}

/// The fraction if it is short, the decimal otherwise.
fn number(exact: &Rational) -> String {
    const SHORT: usize = 14;
    fraction_within(exact, SHORT).unwrap_or_else(|| decimal(exact))
}

/// `alice, then bob, then carol`.
fn then(names: &[String]) -> String {
    names.join(", then ")
}
