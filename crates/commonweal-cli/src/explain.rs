//! `solve --explain`: the steps of the solution in words.

use crate::report::names::{has_costs, in_column, shown, state_in_brief};
use crate::report::numbers::{counted, decimal, fraction_within, near_zero, steps};
use crate::report::table::{in_blocks, wrapped};
use commonweal::limits::StopReason;
use commonweal::questions::{Deviation, EarlierSegment, Explanation, Gain, Turn};
use commonweal::structure::{StateId, Structure};
use commonweal::{Answer, Claim, Model, Rational, StopSignal, Value, questions};
use std::cmp::Ordering;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The most rows of each table.
const ROWS: usize = 40;
/// The most layers that are shown.
const LAYERS: u64 = 25;
/// The most discounts whose columns are shown.
const COLUMNS: usize = 12;

/// The explanation of a finished answer, unless it is stopped.
pub fn explained(model: &Model, answer: &Answer, stop: &StopSignal) -> Result<Explanation, StopReason> {
    if let Claim::Stopped(reason) = answer.claim() {
        return Err(reason);
    }
    questions::explain(model, answer, LAYERS, ROWS, stop)
}

pub fn text(model: &Structure, solution: &Answer, found: &Result<Explanation, StopReason>) -> String {
    match found {
        _ if matches!(solution.claim(), Claim::Stopped(_)) => {
            "\nThere is nothing to explain: the solution was not finished.\n".to_owned()
        }
        Ok(explanation) => {
            let mut text = String::from("\nHow it is found\n");
            long_term(&mut text, model, solution, explanation);
            advantages(&mut text, model, solution, explanation);
            // The first three are always there.
            let mut number = 4;
            number += usize::from(layers(&mut text, model, solution, explanation));
            number += usize::from(turns(&mut text, model, number, explanation));
            explanation.earlier.iter().zip(number..).for_each(|(own, number)| earlier(&mut text, model, number, own));
            walk(&mut text, solution);
            text
        }
        Err(reason) => format!("\nThe explanation was not finished: {reason}.\n"),
    }
}

fn long_term(text: &mut String, model: &Structure, solution: &Answer, explanation: &Explanation) {
    let names: Vec<String> = explanation.names.iter().map(|name| in_column(name)).collect();
    let weighted = model.principals().iter().any(|principal| !principal.weight.is_one());
    let weights = match (has_costs(model), weighted) {
        (true, _) => ", times the weights, so that costs count negatively",
        (false, true) => ", times the weights",
        (false, false) => "",
    };
    let order = first_few(&names).join(", then ");
    text.push_str(&wrapped(&format!("\n1. Long-term strategy, best for {order}, and its values V{weights}:"), 3));
    let states: Vec<_> = explanation.reached.iter().copied().take(ROWS).collect();
    let takes = |state| {
        let actions = solution.long_term_choices(state).iter().map(|&choice| shown(&model.action_name(choice)));
        in_column(&actions.collect::<Vec<_>>().join(" or "))
    };
    let values: Vec<&[Rational]> = states.iter().map(|state| &explanation.values[state.index()][..]).collect();
    let keys = states.iter().map(|&state| vec![state_in_brief(model, state), takes(state)]).collect();
    text.push_str(&by_discount(&["state", "takes"], keys, "V", &names, &values, None));
    more(text, explanation.reached.len(), "state", "states");
    let never = model.n_states() - explanation.reached.len();
    if never > 0 {
        let states = counted(&never.into(), "state", "states");
        let _ = writeln!(text, "  {states} cannot be reached from the start");
    }
}

fn advantages(text: &mut String, model: &Structure, solution: &Answer, explanation: &Explanation) {
    if explanation.deviations.is_empty() {
        text.push_str("\n2. There is no other choice: nothing to deviate to.\n");
        return;
    }
    let step = shown(model.about().step());
    let title = format!(
        "\n2. Deviations, and what one use at {step} 0 changes for each principal (Δ). At {step} j each Δ counts λ^j times as much."
    );
    text.push_str(&wrapped(&title, 3));
    deviations(text, model, &explanation.names, &explanation.deviations);
    let horizon = steps(solution.horizon());
    let title = format!(
        "\n3. Horizon: from {step} {horizon} on, every prefix of every such sum is at most 0, so no deviation pays."
    );
    text.push_str(&wrapped(&title, 3));
}

/// A row for each deviation, with the steps at which it pays.
fn deviations(text: &mut String, model: &Structure, names: &[String], all: &[Deviation]) {
    let names: Vec<String> = names.iter().map(|name| in_column(name)).collect();
    let deviations: Vec<&Deviation> = all.iter().take(ROWS).collect();
    let key = |deviation: &&Deviation| {
        vec![state_in_brief(model, deviation.state), in_column(&model.action_name(deviation.choice))]
    };
    let (step, several) = (shown(model.about().step()), shown(&model.about().steps()));
    let pays = |deviation: &&Deviation| match &deviation.pays {
        None => "never".to_owned(),
        Some((first, end)) => match end - 1 {
            last if last == *first => format!("at {step} {}", steps(first)),
            last => {
                let some = if deviation.pays_throughout { "" } else { "some of " };
                format!("{some}{several} {} to {}", steps(first), steps(&last))
            }
        },
    };
    let values: Vec<&[Rational]> = deviations.iter().map(|deviation| &deviation.advantages[..]).collect();
    let last = ("pays by itself", deviations.iter().map(pays).collect());
    let keys = deviations.iter().map(key).collect();
    text.push_str(&by_discount(&["state", "action"], keys, "Δ", &names, &values, Some(last)));
    more(text, all.len(), "deviation", "deviations");
}

/// What holds in a segment before the last one, as the item of that number.
fn earlier(text: &mut String, model: &Structure, number: usize, own: &EarlierSegment) {
    let (step, several) = (shown(model.about().step()), shown(&model.about().steps()));
    let (from, last) = (steps(&own.from.into()), steps(&(own.until - 1).into()));
    let title = format!(
        "\n{number}. Before that, from {step} {from} to {step} {last}, {several} count otherwise. If they did so for ever, the long-term \
         strategy would be the following, with its values V as of then:"
    );
    text.push_str(&wrapped(&title, 3));
    let states: Vec<StateId> = model.states().take(ROWS).collect();
    let takes = |state: StateId| {
        let actions = own.long_term[state.index()].iter().map(|&choice| shown(&model.action_name(choice)));
        in_column(&actions.collect::<Vec<_>>().join(" or "))
    };
    let names: Vec<String> = own.names.iter().map(|name| in_column(name)).collect();
    let values: Vec<&[Rational]> = states.iter().map(|state| &own.values[state.index()][..]).collect();
    let keys = states.iter().map(|&state| vec![state_in_brief(model, state), takes(state)]).collect();
    text.push_str(&by_discount(&["state", "takes"], keys, "V", &names, &values, None));
    more(text, model.n_states(), "state", "states");
    if !own.deviations.is_empty() {
        let title = format!("   Deviations from it, and in which of these {several} they pay by themselves:");
        text.push_str(&wrapped(&title, 3));
        deviations(text, model, &own.names, &own.deviations);
    }
}

/// What is gained near the horizon; returns whether there is such an item. Gains over the values of several segments do not add
/// up.
fn layers(text: &mut String, model: &Structure, solution: &Answer, explanation: &Explanation) -> bool {
    if solution.horizon().is_zero() || !explanation.earlier.is_empty() {
        return false;
    }
    text.push_str("\n4. Backwards from the horizon: what each state gains over the long-term strategy\n");
    if explanation.layers.is_empty() {
        text.push_str("  The horizon is too far away to write the gains near it.\n");
        return true;
    }
    let (one, several) = (shown(model.about().step()), shown(&model.about().steps()));
    // Near a long horizon gains are negligible compared with the total gain.
    let start = model.start();
    let welfare = solution.welfare(start);
    let gain = welfare.minus(&solution.long_term_welfare(start)).enclosure.upper().abs();
    let scale = gain.max(welfare.enclosure.midpoint().abs());
    let gains = || explanation.layers.iter().flat_map(|layer| layer.gains.iter().map(move |gain| (layer.step, gain)));
    let is_tiny = |gain: &Gain| near_zero(&Value::from(gain.total.clone()), scale).is_some();
    let shown: Vec<(u64, &Gain)> = gains().filter(|(_, gain)| !is_tiny(gain)).collect();
    let rows: Vec<Vec<String>> = shown
        .iter()
        .take(ROWS)
        .map(|(step, gain)| {
            let action = in_column(&model.action_name(gain.choice));
            vec![steps(&(*step).into()), state_in_brief(model, gain.state), action]
        })
        .collect();
    let few = || shown.iter().take(ROWS).map(|(_, gain)| *gain);
    let (now, total) = (column(few().map(|gain| &gain.now)), column(few().map(|gain| &gain.total)));
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .zip(now.into_iter().zip(total))
        .map(|(mut row, (now, total))| {
            row.extend([now, total]);
            row
        })
        .collect();
    let tiny: Vec<u64> = gains().filter(|(_, gain)| is_tiny(gain)).map(|(step, _)| step).collect();
    if let (Some(last), Some(first)) = (tiny.first(), tiny.last()) {
        let from = if first == last {
            format!("At {one} {}", steps(&(*last).into()))
        } else {
            format!("At {several} {} to {}", steps(&(*first).into()), steps(&(*last).into()))
        };
        text.push_str(&wrapped(&format!("  {from} it is negligible, below 10^-12 of the welfare."), 2));
    }
    if !rows.is_empty() {
        text.push_str(&in_blocks(&[&one, "state", "takes", "gain now", "gain from here on"], &rows, 3));
    } else if tiny.is_empty() {
        text.push_str("  nothing: none of these deviations pays in a state that is met then\n");
    }
    more(text, shown.len(), "row", "rows");
    let n_layers = explanation.layers.len() as u64;
    if solution.horizon() > &n_layers.into() {
        let earlier =
            counted(&(solution.horizon() - n_layers), &format!("earlier {one}"), &format!("earlier {several}"));
        let _ = writeln!(text, "  … and so on for {earlier}");
    }
    true
}

/// The changes of choices, and the principals who prefer them, as the item of that number; returns whether there are any.
fn turns(text: &mut String, model: &Structure, number: usize, explanation: &Explanation) -> bool {
    if explanation.turns.is_empty() {
        return false;
    }
    let step = shown(model.about().step());
    let title = format!(
        "\n{number}. Changes, the latest first. From that {step} on the new choice is taken, and given what follows it is better there \
         than the old one for these:"
    );
    text.push_str(&wrapped(&title, 3));
    let row = |turn: &Turn| {
        let who = |ordering| who(explanation, turn, ordering);
        let unknown = turn.better.iter().all(Option::is_none);
        vec![
            steps(&turn.step),
            state_in_brief(model, turn.state),
            in_column(&model.action_name(turn.before)),
            in_column(&model.action_name(turn.after)),
            if unknown { "not known".to_owned() } else { who(Ordering::Greater) },
            if unknown { "not known".to_owned() } else { who(Ordering::Less) },
        ]
    };
    let rows: Vec<_> = explanation.turns.iter().take(ROWS).map(row).collect();
    text.push_str(&in_blocks(&[&step, "state", "old", "new", "better for", "worse for"], &rows, 2));
    more(text, explanation.turns.len(), "change", "changes");
    true
}

/// The principals for whom the comparison of the new choice with the old one is `ordering`: their names if they fit, or their
/// number.
fn who(explanation: &Explanation, turn: &Turn, ordering: Ordering) -> String {
    const WIDEST: usize = 20;
    let those = || turn.better.iter().zip(&explanation.judges).filter(|(better, _)| **better == Some(ordering));
    let names = those().map(|(_, name)| in_column(name)).collect::<Vec<_>>().join(", ");
    match those().count() {
        0 => "nobody".to_owned(),
        count if names.width() > WIDEST => format!("{count} of {}", turn.better.len()),
        _ => names,
    }
}

/// The numbers of layers and jumps.
fn walk(text: &mut String, solution: &Answer) {
    let walk = solution.effort();
    let _ = writeln!(
        text,
        "\nWalked back {} one by one, and jumped over {}.",
        counted(&walk.n_layers.into(), "layer", "layers"),
        counted(&walk.n_jumps.into(), "long stage", "long stages")
    );
}

/// A table with a column of numbers for each discount, `V(alice)`, between others; limited to a readable number.
fn by_discount(
    key_header: &[&str],
    mut rows: Vec<Vec<String>>,
    symbol: &str,
    names: &[String],
    values: &[&[Rational]],
    last: Option<(&str, Vec<String>)>,
) -> String {
    let headers: Vec<String> = names.iter().take(COLUMNS).map(|name| format!("{symbol}({name})")).collect();
    let mut header: Vec<&str> = key_header.to_vec();
    for (i, name) in headers.iter().enumerate() {
        header.push(name);
        let column = column(values.iter().map(|values| &values[i]));
        rows.iter_mut().zip(column).for_each(|(row, cell)| row.push(cell));
    }
    if let Some((name, cells)) = last {
        header.push(name);
        rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }
    let mut text = in_blocks(&header, &rows, key_header.len());
    if names.len() > COLUMNS {
        let left = counted(&(names.len() - COLUMNS).into(), "less patient principal", "less patient principals");
        let _ = writeln!(text, "  … and {left}; --json has all of them");
    }
    text
}

/// Numbers in one format: fractions if all of them are short, decimals otherwise.
fn column<'r>(numbers: impl Iterator<Item = &'r Rational> + Clone) -> Vec<String> {
    const SHORT: usize = 14;
    let fractions = numbers.clone().map(|number| fraction_within(number, SHORT)).collect::<Option<Vec<String>>>();
    fractions.unwrap_or_else(|| numbers.map(decimal).collect())
}

fn more(text: &mut String, count: usize, one: &str, many: &str) {
    if count > ROWS {
        let left = counted(&(count - ROWS).into(), &format!("more {one}"), &format!("more {many}"));
        let _ = writeln!(text, "  … and {left}; --json has all of them");
    }
}

/// The first names of a long list, and how many there are.
fn first_few(names: &[String]) -> Vec<String> {
    let mut few: Vec<String> = names.iter().take(COLUMNS).cloned().collect();
    if names.len() > COLUMNS {
        few.push(format!("the other {}", names.len() - COLUMNS));
    }
    few
}
