//! `solve --explain`: the steps of the solution in words.

use super::names::{has_costs, in_column, shown, state_in_brief};
use super::numbers::in_column as number_in_column;
use super::numbers::{counted, decimal, fraction_within, near_zero, signed, steps};
use super::table::{in_blocks, wrapped};
use commonweal::limits::StopReason;
use commonweal::questions::{ChangeOfChoice, Deviation, EarlierDeviation, EarlierSegment, Explanation, Gain};
use commonweal::structure::{StateId, Structure};
use commonweal::{Answer, Claim, Model, Rational, Step, StopSignal, Value, questions};
use std::cmp::Ordering;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The most rows of each table.
const ROWS: usize = 40;
/// The most layers that are shown.
const LAYERS: u64 = 25;
/// The most principals whose columns are shown.
const COLUMNS: usize = 12;

/// The explanation of a finished answer, unless it is stopped. Doubles that do not reach a gap have finished too.
pub fn explained(model: &Model, answer: &Answer, stop: &StopSignal) -> Result<Explanation, StopReason> {
    match unfinished(answer) {
        Some(reason) => Err(reason),
        None => questions::explain(model, answer, LAYERS, ROWS, stop),
    }
}

fn unfinished(answer: &Answer) -> Option<StopReason> {
    match answer.claim() {
        Claim::Stopped(StopReason::Precision) => None,
        Claim::Stopped(reason) => Some(reason),
        _ => None,
    }
}

/// The first line of the explanation.
pub const TITLE: &str = "How it is found";

pub fn text(model: &Structure, solution: &Answer, found: &Result<Explanation, StopReason>) -> String {
    match found {
        _ if unfinished(solution).is_some() => {
            "\nThere is nothing to explain: the solution was not finished.\n".to_owned()
        }
        Ok(explanation) => {
            let mut text = format!("\n{TITLE}\n");
            long_term(&mut text, model, explanation);
            // Where there are no deviations, there is no horizon either.
            let mut number = if advantages(&mut text, model, solution, explanation) { 4 } else { 3 };
            number += usize::from(layers(&mut text, model, number, solution, explanation));
            number += usize::from(turns(&mut text, model, number, explanation));
            for (k, own) in explanation.earlier.iter().enumerate() {
                earlier(&mut text, model, number + k, own, explanation);
            }
            walk(&mut text, solution);
            text
        }
        Err(StopReason::Work) => wrapped(
            "\nThe explanation is left out: its values are fractions, which take more work than is allowed. The answer does not depend on \
             them.",
            2,
        ),
        Err(reason) => format!("\nThe explanation was not finished: {reason}.\n"),
    }
}

fn long_term(text: &mut String, model: &Structure, explanation: &Explanation) {
    let names: Vec<String> = explanation.names.iter().map(|name| in_column(name)).collect();
    let weighted = model.principals().iter().any(|principal| !principal.weight.is_one());
    let weights = match (has_costs(model), weighted) {
        (true, _) => ", times the weights, so that costs count negatively",
        (false, true) => ", times the weights",
        (false, false) => "",
    };
    if names.is_empty() {
        let end = explanation.earlier.iter().map(|segment| segment.until).max().unwrap_or(0);
        let from = format!("{} {}", shown(model.about().step()), steps(&end.into()));
        let said = format!("\n1. From {from} on nothing counts any more: every strategy is a long-term strategy.");
        text.push_str(&wrapped(&said, 3));
        return;
    }
    let served: Vec<String> = explanation.served.iter().map(|name| in_column(name)).collect();
    let order = if explanation.has_several {
        format!("the most patient of {} discounts, then for the next, and so on", explanation.n_discounts)
    } else {
        first_few(&served).join(", then ")
    };
    let as_of = match explanation.at_step {
        0 => String::new(),
        at => {
            let (step, at) = (shown(model.about().step()), steps(&at.into()));
            format!(" in a run that is there at {step} {at}, seen from {step} 0")
        }
    };
    text.push_str(&wrapped(
        &format!("\n1. Long-term strategy, best for {order}, and its values V{as_of}{weights}:"),
        3,
    ));
    let states: Vec<_> = explanation.reached.iter().copied().take(ROWS).collect();
    let takes = |state: StateId| {
        let allowed = &explanation.long_term[state.index()];
        let actions = allowed.iter().map(|&choice| shown(&model.action_name(choice)));
        in_column(&actions.collect::<Vec<_>>().join(" or "))
    };
    let values: Vec<&[Value]> = states.iter().map(|state| &explanation.values[state.index()][..]).collect();
    let keys = states.iter().map(|&state| vec![state_in_brief(model, state), takes(state)]).collect();
    text.push_str(&by_principal(["state", "takes"], keys, "V", &names, &values, None));
    more(text, explanation.reached.len(), "state", "states");
    let never = model.n_states() - explanation.reached.len();
    if never > 0 {
        let states = counted(&never.into(), "state", "states");
        let _ = writeln!(text, "  {states} cannot be reached from the start");
    }
}

/// The deviations, and then the horizon; returns whether there are any.
fn advantages(text: &mut String, model: &Structure, solution: &Answer, explanation: &Explanation) -> bool {
    if explanation.deviations.is_empty() {
        text.push_str(&wrapped(&format!("\n2. {}", nothing_to_deviate_to(model, explanation)), 3));
        return false;
    }
    let step = shown(model.about().step());
    let (at, since, seen) = match explanation.at_step {
        0 => ("0".to_owned(), "j".to_owned(), String::new()),
        at => {
            let at = steps(&at.into());
            (at.clone(), format!("(j − {at})"), format!(", seen from {step} 0"))
        }
    };
    let counted = if explanation.has_several {
        format!("For each discount of theirs, Δ counts λ^{since} times as much at {step} j.")
    } else {
        format!("At {step} j each Δ counts λ^{since} times as much.")
    };
    let title =
        format!("\n2. Deviations, and what one use at {step} {at} changes for each principal{seen} (Δ). {counted}");
    text.push_str(&wrapped(&title, 3));
    deviations(text, model, &explanation.names, &explanation.deviations);
    if let Some(note) = mixtures(model) {
        text.push_str(&wrapped(&note, 3));
    }
    text.push_str(&wrapped(&format!("\n3. {}", horizon(&step, solution, explanation)), 3));
    true
}

/// Why there is no deviation.
fn nothing_to_deviate_to(model: &Structure, explanation: &Explanation) -> String {
    let place =
        if explanation.reached.len() < model.n_states() { "In the states that can be reached there" } else { "There" };
    let has_others = |state: &StateId| model.choices(*state).nth(1).is_some();
    if explanation.names.is_empty() || explanation.reached.iter().any(has_others) {
        format!("{place} is nothing to deviate to: the long-term strategy may take every choice.")
    } else {
        format!("{place} is no other choice: nothing to deviate to.")
    }
}

/// What the tables tell of principals whose preferences are approximated.
fn mixtures(model: &Structure) -> Option<String> {
    let approximated = || model.principals().iter().filter(|principal| principal.approximation().is_some());
    let names: Vec<String> = approximated().map(|principal| shown(&principal.name)).collect();
    let names = first_few(&names).join(", ");
    let note = format!(
        "   When a deviation pays, and what is gained, is told for the mixture that stands for what {names} states. V, Δ and who is \
         better off include its error."
    );
    (!names.is_empty()).then_some(note)
}

/// From when on no deviation pays. That of an answer in doubles is that of the deviations; its strategy settles where doubles tell no
/// gain any more.
fn horizon(step: &str, solution: &Answer, explanation: &Explanation) -> String {
    let from = |horizon: &Step| {
        let horizon = steps(horizon);
        format!("Horizon: from {step} {horizon} on, every prefix of every such sum is at most 0, so no deviation pays.")
    };
    if solution.scale().is_none() {
        return from(solution.horizon());
    }
    let settled: Option<Vec<&Step>> = explanation.deviations.iter().map(|own| own.settled_from.as_ref()).collect();
    let begin = match settled {
        Some(settled) => from(settled.into_iter().max().expect("there are deviations")),
        None => "Horizon: not known, because not every deviation was looked at.".to_owned(),
    };
    let tail = steps(solution.horizon());
    format!("{begin} The tail of the strategy above, which is proven in doubles, begins at {step} {tail}.")
}

/// A row for each deviation, with the steps at which it pays.
fn deviations(text: &mut String, model: &Structure, names: &[String], all: &[Deviation]) {
    let names: Vec<String> = names.iter().map(|name| in_column(name)).collect();
    let deviations: Vec<&Deviation> = all.iter().take(ROWS).collect();
    let key = |deviation: &&Deviation| {
        vec![state_in_brief(model, deviation.state), in_column(&model.action_name(deviation.choice))]
    };
    let pays = |deviation: &&Deviation| {
        if deviation.pays_is_known {
            when(model, deviation.pays.as_ref(), deviation.pays_throughout)
        } else {
            "not known".to_owned()
        }
    };
    let values: Vec<&[Value]> = deviations.iter().map(|deviation| &deviation.advantages[..]).collect();
    let last = ("pays by itself", deviations.iter().map(pays).collect());
    let keys = deviations.iter().map(key).collect();
    text.push_str(&by_principal(["state", "action"], keys, "Δ", &names, &values, Some(last)));
    more(text, all.len(), "deviation", "deviations");
}

/// The steps at which a deviation pays by itself: the first, and the one after the last.
fn when(model: &Structure, pays: Option<&(Step, Step)>, throughout: bool) -> String {
    let (step, several) = (shown(model.about().step()), shown(&model.about().steps()));
    match pays {
        None => "never".to_owned(),
        Some((first, end)) => match end - 1 {
            last if last == *first => format!("at {step} {}", steps(first)),
            last => {
                let some = if throughout { "" } else { "some of " };
                format!("{some}{several} {} to {}", steps(first), steps(&last))
            }
        },
    }
}

/// What holds in a segment before the last one, as the item of that number; the first one says what the columns mean.
fn earlier(text: &mut String, model: &Structure, number: usize, own: &EarlierSegment, explanation: &Explanation) {
    let is_first = explanation.earlier.first().is_some_and(|first| first.from == own.from);
    let (step, several) = (shown(model.about().step()), shown(&model.about().steps()));
    let (from, last) = (steps(&own.from.into()), steps(&(own.until - 1).into()));
    let title = format!("\n{number}. Before that, from {step} {from} to {step} {last}, {several} count otherwise.");
    let Some(all) = &own.deviations else {
        text.push_str(&wrapped(&format!("{title} They are too many to look at each of them."), 3));
        return;
    };
    if all.is_empty() {
        let place =
            if explanation.reached.len() < model.n_states() { " in the states that can be reached" } else { "" };
        text.push_str(&wrapped(&format!("{title} There is no other choice{place}."), 3));
        return;
    }
    let is_weighted = model.principals().iter().any(|principal| !principal.weight.is_one());
    let weights = if is_weighted { ", times the weights" } else { "" };
    let title = if is_first {
        format!(
            "{title} Deviations there, each taken once with the long-term strategy before and after it, and what that changes for each \
         principal when it first pays (or in {step} {from}), seen from {step} 0{weights}:"
        )
    } else {
        format!("\n{number}. The same from {step} {from} to {step} {last}:")
    };
    text.push_str(&wrapped(&title, 3));
    let names: Vec<String> = model.principals().iter().map(|principal| in_column(&principal.name)).collect();
    let shown: Vec<&EarlierDeviation> = all.iter().take(ROWS).collect();
    let row = |deviation: &&EarlierDeviation| {
        let pays = deviation.pays.map(|(first, end)| (Step::from(first), Step::from(end)));
        let mut row = vec![
            state_in_brief(model, deviation.state),
            in_column(&model.action_name(deviation.choice)),
            when(model, pays.as_ref(), deviation.pays_throughout),
        ];
        row.extend(deviation.changes.iter().map(|&change| signed(&Value::from(change))));
        row
    };
    let mut header = vec!["state", "action", "pays by itself"];
    header.extend(names.iter().map(String::as_str));
    text.push_str(&in_blocks(&header, &shown.iter().map(row).collect::<Vec<_>>(), 2));
    more(text, all.len(), "deviation", "deviations");
}

/// What is gained near the horizon; returns whether there is such an item. Gains over the values of several segments do not add
/// up.
fn layers(text: &mut String, model: &Structure, number: usize, solution: &Answer, explanation: &Explanation) -> bool {
    if solution.horizon().is_zero() || !explanation.earlier.is_empty() {
        return false;
    }
    let from = if solution.scale().is_none() { "horizon" } else { "tail" };
    let _ = writeln!(text, "\n{number}. Backwards from the {from}: what each state gains over the long-term strategy");
    if explanation.layers.is_empty() && solution.scale().is_some() {
        text.push_str("  It is left out: the tail is far away, or not quite the long-term strategy.\n");
        return true;
    }
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
    let is_tiny = |gain: &Gain| near_zero(&gain.total, scale).is_some();
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
    let (now, total) = (values_column(few().map(|gain| &gain.now)), values_column(few().map(|gain| &gain.total)));
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
    let row = |turn: &ChangeOfChoice| {
        let who = |ordering| who(explanation, turn, ordering);
        vec![
            steps(&turn.step),
            state_in_brief(model, turn.state),
            in_column(&model.action_name(turn.before)),
            in_column(&model.action_name(turn.after)),
            who(Ordering::Greater),
            who(Ordering::Less),
        ]
    };
    let rows: Vec<_> = explanation.turns.iter().take(ROWS).map(row).collect();
    text.push_str(&in_blocks(&[&step, "state", "old", "new", "better for", "worse for"], &rows, 2));
    more(text, explanation.turns.len(), "change", "changes");
    true
}

/// The principals for whom the comparison of the new choice with the old one is known to be `ordering`: their names if they fit, or
/// their number.
fn who(explanation: &Explanation, turn: &ChangeOfChoice, ordering: Ordering) -> String {
    const WIDEST: usize = 20;
    let those = || turn.better.iter().zip(&explanation.judges).filter(|(better, _)| **better == Some(ordering));
    let names = those().map(|(_, name)| in_column(name)).collect::<Vec<_>>().join(", ");
    match those().count() {
        0 if turn.better.contains(&None) => "not known".to_owned(),
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

/// A table with a column of numbers for each principal, `V(alice)`, between others; limited to a readable number.
fn by_principal(
    key_header: [&str; 2],
    mut rows: Vec<Vec<String>>,
    symbol: &str,
    names: &[String],
    values: &[&[Value]],
    last: Option<(&str, Vec<String>)>,
) -> String {
    let mut header = key_header.map(str::to_owned).to_vec();
    let mut add = |name: String, cells: Vec<String>| {
        header.push(name);
        rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    };
    for (i, name) in names.iter().take(COLUMNS).enumerate() {
        add(format!("{symbol}({name})"), values_column(values.iter().map(|values| &values[i])));
    }
    let left_out = match names.len().saturating_sub(COLUMNS) {
        0 => String::new(),
        left => {
            let left = counted(&left.into(), "less patient principal", "less patient principals");
            format!("  … and {left}; --json has all of them\n")
        }
    };
    if let Some((name, cells)) = last {
        add(name.to_owned(), cells);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    in_blocks(&header, &rows, key_header.len()) + &left_out
}

/// Numbers in one format: fractions if all of them are short, decimals otherwise.
fn column<'r>(numbers: impl Iterator<Item = &'r Rational> + Clone) -> Vec<String> {
    const SHORT: usize = 14;
    let fractions = numbers.clone().map(|number| fraction_within(number, SHORT)).collect::<Option<Vec<String>>>();
    fractions.unwrap_or_else(|| numbers.map(decimal).collect())
}

/// The same of numbers some of which may be enclosed.
fn values_column<'v>(values: impl Iterator<Item = &'v Value> + Clone) -> Vec<String> {
    match values.clone().map(|value| value.exact.as_ref()).collect::<Option<Vec<&Rational>>>() {
        Some(exact) => column(exact.into_iter()),
        None => values.map(number_in_column).collect(),
    }
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
