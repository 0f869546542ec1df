//! `solve --explain`: the steps of the solution in words.

use crate::report::names::{in_column, shown};
use crate::report::numbers::{counted, decimal, fraction_within, steps};
use crate::report::table::table;
use commonweal::internals::explain::{Deviation, Explanation, Turn, explain};
use commonweal::internals::model::{Mdp, Structure};
use commonweal::internals::number::Rational;
use commonweal::{Answer, Claim, Options};
use std::cmp::Ordering;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The most rows of each table.
const ROWS: usize = 40;
/// The most layers that are shown.
const LAYERS: u64 = 25;

pub fn text(model: &Mdp, solution: &Answer, options: &Options) -> String {
    if matches!(solution.claim(), Claim::Stopped(_)) {
        return "\nThere is nothing to explain: the solution was not finished.\n".to_owned();
    }
    match explain(model, solution, LAYERS, ROWS, &options.stop) {
        Ok(explanation) => {
            let mut text = String::from("\nHow it is found\n");
            long_term(&mut text, model, solution, &explanation);
            advantages(&mut text, model, solution, &explanation);
            layers(&mut text, model, solution, &explanation);
            turns(&mut text, model, solution, &explanation);
            walk(&mut text, solution);
            text
        }
        Err(reason) => format!("\nThe explanation was not finished: {reason}.\n"),
    }
}

fn long_term(text: &mut String, model: &Structure, solution: &Answer, explanation: &Explanation) {
    let names: Vec<String> = solution.principals().iter().map(|principal| in_column(&principal.name)).collect();
    let weighted = model.principals().iter().any(|principal| !principal.weight.is_one());
    let weights = if weighted { ", times the weights" } else { "" };
    let _ = writeln!(text, "\n1. Long-term strategy, best for {}, and its values V{weights}:", then(&names));
    let values: Vec<String> = names.iter().map(|name| format!("V({name})")).collect();
    let mut header = vec!["state", "takes"];
    header.extend(values.iter().map(String::as_str));
    let rows = model.states().take(ROWS).map(|state| {
        let actions = solution.long_term_choices(state).iter().map(|&choice| shown(&model.action_name(choice)));
        let mut row = vec![in_column(&model.state_name(state)), actions.collect::<Vec<_>>().join(" or ")];
        row.extend(explanation.values[state.index()].iter().map(number));
        row
    });
    text.push_str(&table(&header, &rows.collect::<Vec<_>>()));
    more(text, model.n_states(), "states");
}

fn advantages(text: &mut String, model: &Structure, solution: &Answer, explanation: &Explanation) {
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
        let mut row = vec![in_column(&state), in_column(&action)];
        row.extend(deviation.advantages.iter().map(number));
        row.push(match &deviation.pays {
            None => "never".to_owned(),
            Some((first, end)) => match end - 1 {
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

fn layers(text: &mut String, model: &Structure, solution: &Answer, explanation: &Explanation) {
    if solution.horizon().is_zero() {
        return;
    }
    let _ = writeln!(text, "\n4. Backwards from the horizon: what each state gains over the long-term strategy");
    if explanation.layers.is_empty() {
        let _ = writeln!(text, "  The horizon is too far away to write the gains near it.");
        return;
    }
    let mut rows = Vec::new();
    for layer in &explanation.layers {
        for gain in &layer.gains {
            rows.push(vec![
                layer.step.to_string(),
                in_column(&model.state_name(gain.state)),
                in_column(&model.action_name(gain.choice)),
                number(&gain.now),
                number(&gain.total),
            ]);
        }
    }
    let count = rows.len();
    rows.truncate(ROWS);
    if rows.is_empty() {
        text.push_str("  nothing yet: none of the last deviations pays.\n")
    } else {
        text.push_str(&table(&["step", "state", "takes", "gain now", "gain from here on"], &rows))
    }
    more(text, count, "rows");
    let shown = explanation.layers.len() as u64;
    if solution.horizon() > &shown.into() {
        let _ = writeln!(text, "  … and so on for {} earlier steps", steps(&(solution.horizon() - shown)));
    }
}

/// Where choices change, and in whose interest.
fn turns(text: &mut String, model: &Structure, solution: &Answer, explanation: &Explanation) {
    if explanation.turns.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n5. Changes, the latest first. From that step on the new choice is taken, and\n   given what follows it is better there than the old one for these:"
    );
    let row = |turn: &Turn| {
        let (better, worse) = (who(solution, turn, Ordering::Greater), who(solution, turn, Ordering::Less));
        let unknown = turn.better.iter().all(Option::is_none);
        vec![
            steps(&turn.step),
            in_column(&model.state_name(turn.state)),
            in_column(&model.action_name(turn.before)),
            in_column(&model.action_name(turn.after)),
            if unknown { "not known".to_owned() } else { better },
            if unknown { "not known".to_owned() } else { worse },
        ]
    };
    let rows: Vec<_> = explanation.turns.iter().take(ROWS).map(row).collect();
    text.push_str(&table(&["step", "state", "old", "new", "better for", "worse for"], &rows));
    more(text, explanation.turns.len(), "changes");
}

/// The principals for whom the new choice compares with the old one as `ordering` says: their names if they fit, or how
/// many they are.
fn who(solution: &Answer, turn: &Turn, ordering: Ordering) -> String {
    const WIDEST: usize = 20;
    let those = || turn.better.iter().zip(solution.principals()).filter(|(better, _)| **better == Some(ordering));
    let names = those().map(|(_, principal)| in_column(&principal.name)).collect::<Vec<_>>().join(", ");
    match those().count() {
        0 => "nobody".to_owned(),
        count if names.width() > WIDEST => format!("{count} of {}", turn.better.len()),
        _ => names,
    }
}

/// How the walk back from the horizon went.
fn walk(text: &mut String, solution: &Answer) {
    let walk = solution.effort();
    let _ = writeln!(
        text,
        "\nWalked back {} one by one, and jumped over {}.",
        counted(&walk.n_layers.into(), "layer", "layers"),
        counted(&walk.n_jumps.into(), "long stage", "long stages")
    );
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
