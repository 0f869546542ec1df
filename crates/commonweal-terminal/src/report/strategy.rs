//! The strategy, state by state: the start first, then the others in the order in which they are reached.

use super::names::{AS_AT_START, in_column, is_numbered, shown, state_in_column};
use super::numbers::{counted, steps};
use super::table::wrapped;
use commonweal::Step;
use commonweal::questions::{Meetings, Run};
use commonweal::strategies::CountingStrategy;
use commonweal::structure::{StateId, Structure};
use unicode_width::UnicodeWidthStr;

/// The most states whose strategy is written out, unless all are asked for.
pub const STATES_SHOWN: usize = 30;

/// A state, the first step at which it can be reached, and its actions.
pub struct Line {
    pub state: String,
    pub met: Option<Step>,
    pub action: String,
}

/// How many states a table has.
#[derive(Clone, Copy)]
pub enum Rows {
    /// Every state, at every step.
    All,
    /// The first states that are reached, at the steps at which they can be.
    First(usize),
}

impl Rows {
    /// All states on request, or else as many as one table usually has.
    pub fn asked(all_states: bool) -> Rows {
        if all_states { Rows::All } else { Rows::First(STATES_SHOWN) }
    }
}

/// The states in the order in which they are reached.
pub fn table(model: &Structure, strategy: &CountingStrategy, meetings: &Meetings, rows: Rows) -> String {
    let met = meetings.states();
    let line = |state: StateId, runs: Vec<Run>| Line {
        state: state_in_column(model, state),
        met: meetings.first(state).cloned(),
        action: in_words(model, &runs, state == model.start()),
    };
    let Rows::First(most) = rows else {
        let others = model.states().filter(|&state| meetings.first(state).is_none());
        let every = met.iter().copied().chain(others).map(|state| line(state, every_run(strategy, state)));
        return lines(model, &every.collect::<Vec<_>>());
    };
    let shown_states = &met[..met.len().min(most)];
    let mut text = lines(
        model,
        &shown_states.iter().map(|&state| line(state, meetings.runs(strategy, state))).collect::<Vec<_>>(),
    );
    text.push_str(&left_out(model.n_states(), met.len(), shown_states.len()));
    text
}

/// What the start state does, called `name`, of a model whose other states are elsewhere.
pub fn of_start(model: &Structure, strategy: &CountingStrategy, name: &str, n_states: u64) -> String {
    let action = in_words(model, &every_run(strategy, model.start()), true);
    let text = lines(model, &[Line { state: in_column(name), met: Some(Step::ZERO), action }]);
    let others = counted(&(n_states - 1).into(), "other state", "other states");
    text + &wrapped(&format!("  … {others}; --out DIR writes what all of them do."), 4)
}

/// How many states are not shown, and why.
pub fn left_out(n_states: usize, n_met: usize, n_shown: usize) -> String {
    let (later, never) = (n_met - n_shown, n_states - n_met);
    let is = |count: usize| if count == 1 { "is" } else { "are" };
    let mut parts = Vec::new();
    if later > 0 {
        parts.push(format!("{} {} met later", counted(&later.into(), "more state", "more states"), is(later)));
    }
    if never > 0 {
        parts.push(format!("{} {} never met", counted(&never.into(), "state", "states"), is(never)));
    }
    if parts.is_empty() {
        return String::new();
    }
    wrapped(&format!("  … {}; --all-states shows all of them.", parts.join(", and ")), 4)
}

/// The lines below their header, each within the width.
pub fn lines(model: &Structure, lines: &[Line]) -> String {
    let when = |line: &Line| line.met.as_ref().map_or_else(|| "never".to_owned(), steps);
    let states = lines.iter().map(|line| line.state.width()).chain([5]).max().unwrap_or(5);
    let from = format!("from {}", shown(model.about().step()));
    let whens = lines.iter().map(|line| when(line).width()).chain([from.width()]).max().unwrap_or(0);
    let padding = " ".repeat(whens - from.width());
    let mut text = format!("  {:<states$}  {padding}{from}  action\n", "state");
    for line in lines {
        let (padding, met) = (" ".repeat(states - line.state.width()), when(line));
        let begin = format!("  {}{padding}  {met:>whens$}  ", line.state);
        text.push_str(&wrapped(&format!("{begin}{}", line.action), begin.width()));
    }
    if lines.iter().any(|line| line.state.starts_with(AS_AT_START)) {
        text.push_str("  (… abbreviates what is as in the start state)\n");
    }
    if lines.iter().any(|line| is_numbered(&line.state)) {
        text.push_str("  (#7 is the number of a state whose name is too long; --from '#7' takes it)\n");
    }
    text
}

/// The choices of a state at all steps, whether it is reached then or not.
fn every_run(strategy: &CountingStrategy, state: StateId) -> Vec<Run> {
    let changes = strategy.changes(state);
    let until = |index: usize| changes.get(index + 1).map(|next| next.from.clone());
    let run = |(index, change): (usize, &commonweal::strategies::Change)| Run {
        from: change.from.clone(),
        until: until(index),
        choice: change.choice,
    };
    changes.iter().enumerate().map(run).collect()
}

/// `a for 2 steps, then b` for the start; `a before step 2, then b` for a state that is reached later.
fn in_words(model: &Structure, runs: &[Run], is_start: bool) -> String {
    /// The most changes of one state that are spelt out.
    const CHANGES_SHOWN: usize = 8;
    let action = |run: &Run| shown(&model.action_name(run.choice));
    let (step, several) = (shown(model.about().step()), shown(&model.about().steps()));
    let Some((last, earlier)) = runs.split_last() else { return String::new() };
    let mut began = Step::ZERO;
    let mut parts = Vec::new();
    for run in earlier.iter().take(CHANGES_SHOWN) {
        let until = run.until.clone().expect("a run with another after it ends");
        parts.push(if is_start {
            format!("{} for {}", action(run), counted(&(&until - &began), &step, &several))
        } else {
            format!("{} before {step} {}", action(run), steps(&until))
        });
        began = until;
    }
    match earlier.len() {
        0 => format!("always {}", action(last)),
        n if n <= CHANGES_SHOWN => format!("{}, then {}", parts.join(", "), action(last)),
        n => {
            let more = steps(&(n - CHANGES_SHOWN).into());
            format!(
                "{}, … {more} more changes …, from {step} {} on {}",
                parts.join(", "),
                steps(&last.from),
                action(last)
            )
        }
    }
}
