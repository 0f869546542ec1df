//! The report of `positional`, `stationary` and `sat`: what is proven, who gets what, what to do.

use super::names::shown;
use super::numbers::{at_least, at_most, counted, decimal, exact_and_decimal, fraction_or_decimal, fraction_within};
use super::solution::{STATES_SHOWN, total_row, who};
use super::table::table;
use commonweal::internals::evaluation::Payoffs;
use commonweal::internals::model::{StateId, Structure};
use commonweal::internals::number::{Rational, Value};
use commonweal::internals::search::{Search, SearchOutcome, ThresholdAnswer};
use commonweal::internals::strategy::{CountingStrategy, Strategy};
use std::fmt::Write;
use std::process::ExitCode;

/// Which strategies were searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Positional,
    Stationary,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Positional => "positional",
            Class::Stationary => "stationary",
        }
    }
}

/// 0 done or yes, 1 no, 3 stopped or unknown.
pub fn exit_code(search: &Search) -> ExitCode {
    match (search.answer, search.outcome) {
        (Some(ThresholdAnswer::Yes), _) => ExitCode::SUCCESS,
        (Some(ThresholdAnswer::No), _) => ExitCode::from(1),
        (Some(ThresholdAnswer::Unknown), _) | (None, SearchOutcome::Stopped(_)) => ExitCode::from(3),
        (None, _) => ExitCode::SUCCESS,
    }
}

pub fn report(
    model: &Structure,
    search: &Search,
    class: Class,
    payoffs: Option<&Payoffs>,
    threshold: Option<&Rational>,
    all_states: bool,
) -> String {
    let mut text = headline(model, search, class, threshold);
    if let Some(payoffs) = payoffs {
        text.push('\n');
        text.push_str(&who_gets_what(model, payoffs));
    }
    let start = shown(&model.state_name(model.start()));
    let _ = writeln!(text, "\nStrategy from {start} ({})", counted(&search.nodes.into(), "node", "nodes"));
    text.push_str(&decisions(model, &search.strategy, all_states));
    text
}

fn headline(model: &Structure, search: &Search, class: Class, threshold: Option<&Rational>) -> String {
    let (start, name) = (shown(&model.state_name(model.start())), class.name());
    let welfare = exact_and_decimal(&search.welfare);
    let (lower, upper) = (at_least(search.welfare.enclosure.lower()), at_most(search.upper));
    let mut text = String::new();
    if let (Some(answer), Some(threshold)) = (search.answer, threshold) {
        let threshold = fraction_or_decimal(threshold);
        let _ = match answer {
            ThresholdAnswer::Yes => writeln!(text, "Yes: a {name} strategy earns at least {threshold} from {start}."),
            ThresholdAnswer::No => writeln!(text, "No: no {name} strategy earns {threshold} from {start}."),
            ThresholdAnswer::Unknown => {
                writeln!(text, "Unknown whether a {name} strategy earns {threshold} from {start}.")
            }
        };
    }
    let _ = match search.outcome {
        SearchOutcome::Optimal => writeln!(text, "Best {name} welfare from {start}: {welfare}"),
        SearchOutcome::WithinGap => writeln!(
            text,
            "Best {name} welfare from {start}: at least {lower} with this strategy,\n\
             at most {upper} with any {name} one."
        ),
        SearchOutcome::Claimed => writeln!(
            text,
            "A {name} strategy from {start} earns {welfare}.\n\
             The solver says that none earns more than {upper}, but works in floating point: that is no proof."
        ),
        SearchOutcome::Decided => writeln!(text, "This one earns {welfare}, and none more than {upper}."),
        SearchOutcome::Stopped(reason) => writeln!(
            text,
            "Stopped: {reason}.\n\
             Best {name} welfare from {start}: at least {lower} with this strategy,\n\
             at most {upper} with any {name} one."
        ),
    };
    text
}

fn who_gets_what(model: &Structure, payoffs: &Payoffs) -> String {
    const WIDEST: usize = 28;
    let start = model.start();
    let (mut header, mut rows) = who(model);
    let cells = |value: &Value| {
        let fraction = value.exact.as_ref().and_then(|exact| fraction_within(exact, WIDEST)).unwrap_or_default();
        [value.exact.as_ref().map_or_else(String::new, decimal), fraction]
    };
    let mut columns: Vec<[String; 2]> =
        (0..model.n_principals()).map(|p| cells(&payoffs.payoff(p.into(), start))).collect();
    let total = cells(&payoffs.welfare(start));
    let fractions = columns.iter().chain([&total]).any(|[_, fraction]| !fraction.is_empty());
    header.push("gets");
    if fractions {
        header.push("exactly");
    }
    rows.push(total_row(&header));
    columns.push(total);
    let kept = if fractions { 2 } else { 1 };
    rows.iter_mut().zip(columns).for_each(|(row, cells)| row.extend(cells.into_iter().take(kept)));
    table(&header, &rows)
}

/// What each state that the strategy comes to does, for ever.
fn decisions(model: &Structure, strategy: &Strategy, all_states: bool) -> String {
    let mut text = String::new();
    let reached = reached(model, strategy);
    let states: Vec<StateId> = model.states().filter(|state| all_states || reached[state.index()]).collect();
    let most = if all_states { usize::MAX } else { STATES_SHOWN };
    for &state in states.iter().take(most) {
        let _ = writeln!(text, "  {}: {}", shown(&model.state_name(state)), in_words(model, strategy, state));
    }
    let hidden = model.n_states() - states.len().min(most);
    if hidden > 0 {
        let unreached = model.n_states() - states.len();
        let _ = if states.len() > most {
            writeln!(text, "  … and {} more; --all-states shows them", counted(&hidden.into(), "state", "states"))
        } else {
            writeln!(
                text,
                "  {} never reached",
                if unreached == 1 { "1 state is".to_owned() } else { format!("{unreached} states are") }
            )
        };
    }
    text
}

fn in_words(model: &Structure, strategy: &Strategy, state: StateId) -> String {
    match strategy {
        Strategy::Counting(strategy) => format!("always {}", shown(&model.action_name(strategy.tail(state)))),
        Strategy::Lottery(lottery) => {
            let drawn = |(share, strategy): &(Rational, CountingStrategy)| {
                format!("always {} with {}", shown(&model.action_name(strategy.tail(state))), decimal_share(share))
            };
            lottery.shares().iter().map(drawn).collect::<Vec<_>>().join(", ")
        }
        Strategy::Stationary(strategy) => match strategy.mix(state) {
            [(choice, _)] => format!("always {}", shown(&model.action_name(*choice))),
            mix => {
                let part = |(choice, share): &(_, Rational)| {
                    format!("{} with {}", shown(&model.action_name(*choice)), decimal_share(share))
                };
                mix.iter().map(part).collect::<Vec<_>>().join(", ")
            }
        },
    }
}

/// All digits of a probability that is a short decimal.
fn decimal_share(share: &Rational) -> String {
    let digits = format!("{:.9}", share.to_f64());
    digits.trim_end_matches('0').to_owned()
}

/// Which states a strategy comes to from the start.
fn reached(model: &Structure, strategy: &Strategy) -> Vec<bool> {
    let mut reached = vec![false; model.n_states()];
    let mut waiting = vec![model.start()];
    reached[model.start().index()] = true;
    while let Some(state) = waiting.pop() {
        let choices: Vec<_> = match strategy {
            Strategy::Counting(strategy) => vec![strategy.tail(state)],
            Strategy::Stationary(strategy) => strategy.mix(state).iter().map(|(choice, _)| *choice).collect(),
            Strategy::Lottery(lottery) => lottery.shares().iter().map(|(_, strategy)| strategy.tail(state)).collect(),
        };
        for &target in choices.iter().flat_map(|&choice| model.targets(choice)) {
            if !std::mem::replace(&mut reached[target.index()], true) {
                waiting.push(target);
            }
        }
    }
    reached
}
