//! The report of `positional`, `stationary` and `sat`: bounds, payoffs, strategy.

use super::mixtures::mixtures;
use super::names::{shown, state_in_column};
use super::numbers::{as_stated, counted, ends, exact_and_decimal};
use super::payoffs::{Gets, PayoffTable};
use super::strategy::{Line, STATES_SHOWN, left_out, lines};
use super::table::wrapped;
use commonweal::questions::{Evaluation, Search, SearchOutcome, ThresholdAnswer};
use commonweal::strategies::CountingStrategy;
use commonweal::structure::{StateId, Structure};
use commonweal::{Rational, Step, Strategy};
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Which strategies were searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searched {
    Positional,
    Stationary,
}

impl Searched {
    pub fn name(self) -> &'static str {
        match self {
            Searched::Positional => "positional",
            Searched::Stationary => "stationary",
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
    class: Searched,
    payoffs: Option<&Evaluation>,
    threshold: Option<&Rational>,
    all_states: bool,
) -> String {
    let mut text = headline(model, search, class, threshold);
    if let Some(payoffs) = payoffs {
        text.push('\n');
        text.push_str(&who_gets_what(model, payoffs));
    }
    let start = shown(&model.state_name(model.start()));
    let nodes = counted(&search.nodes.into(), "node", "nodes");
    text.push_str(&wrapped(&format!("\nStrategy from {start} ({nodes})"), 2));
    text.push_str(&decisions(model, &search.strategy, all_states));
    text
}

fn headline(model: &Structure, search: &Search, class: Searched, threshold: Option<&Rational>) -> String {
    let (start, name) = (shown(&model.state_name(model.start())), class.name());
    let welfare = exact_and_decimal(&search.welfare);
    let [lower, upper] = ends(search.welfare.enclosure.lower(), search.upper);
    let mut said: Vec<String> = Vec::new();
    if let (Some(answer), Some(threshold)) = (search.answer, threshold) {
        let threshold = as_stated(threshold);
        said.push(match answer {
            ThresholdAnswer::Yes => format!("Yes: a {name} strategy earns at least {threshold} from {start}."),
            ThresholdAnswer::No => format!("No: no {name} strategy earns {threshold} from {start}."),
            ThresholdAnswer::Unknown => format!("Unknown whether a {name} strategy earns {threshold} from {start}."),
        });
    }
    let bounds = [
        format!("Best {name} welfare from {start}: at least {lower} with this strategy,"),
        format!("at most {upper} with any {name} one."),
    ];
    match search.outcome {
        SearchOutcome::Optimal => said.push(format!("Best {name} welfare from {start}: {welfare}")),
        SearchOutcome::WithinGap => said.extend(bounds),
        SearchOutcome::Claimed => {
            said.push(format!("A {name} strategy from {start} earns {welfare}."));
            said.push(format!(
                "The solver says that none earns more than {upper}, but it works in floating point: this is not a proof."
            ));
        }
        SearchOutcome::Decided => said.push(format!("This one earns {welfare}, and none more than {upper}.")),
        SearchOutcome::Stopped(reason) => {
            said.push(format!("Stopped: {reason}."));
            said.extend(bounds);
        }
    };
    said.extend(mixtures(model, "Found", search.misses_gap));
    said.iter().map(|line| wrapped(line, 2)).collect()
}

fn who_gets_what(model: &Structure, payoffs: &Evaluation) -> String {
    let start = model.start();
    let gets = Gets {
        payoffs: (0..model.n_principals()).map(|p| payoffs.payoff(p.into(), start)).collect(),
        welfare: payoffs.welfare(start),
    };
    let mut table = PayoffTable::new(model);
    table.gets(&gets);
    table.text()
}

/// The choice of each state that the strategy reaches: the start first, then in the order in which they are reached.
fn decisions(model: &Structure, strategy: &Strategy, all_states: bool) -> String {
    let met = met(model, strategy);
    let line = |state: StateId, met: Option<Step>| Line {
        state: state_in_column(model, state),
        met,
        action: in_words(model, strategy, state),
    };
    let most = if all_states { usize::MAX } else { STATES_SHOWN };
    let mut shown: Vec<Line> = met.iter().take(most).map(|(state, step)| line(*state, Some(step.clone()))).collect();
    if all_states {
        let is_met: BTreeSet<StateId> = met.iter().map(|(state, _)| *state).collect();
        shown.extend(model.states().filter(|state| !is_met.contains(state)).map(|state| line(state, None)));
        return lines(model, &shown);
    }
    lines(model, &shown) + &left_out(model.n_states(), met.len(), shown.len())
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

/// The states that a strategy reaches from the start, each with the first step at which it can, in that order.
fn met(model: &Structure, strategy: &Strategy) -> Vec<(StateId, Step)> {
    let mut seen = vec![false; model.n_states()];
    seen[model.start().index()] = true;
    let (mut met, mut here, mut step) = (Vec::new(), vec![model.start()], Step::ZERO);
    while !here.is_empty() {
        let mut next = Vec::new();
        for &state in &here {
            let choices: Vec<_> = match strategy {
                Strategy::Counting(strategy) => vec![strategy.tail(state)],
                Strategy::Stationary(strategy) => strategy.mix(state).iter().map(|(choice, _)| *choice).collect(),
                Strategy::Lottery(lottery) => lottery.shares().iter().map(|(_, drawn)| drawn.tail(state)).collect(),
            };
            for &target in choices.iter().flat_map(|&choice| model.targets(choice)) {
                if !std::mem::replace(&mut seen[target.index()], true) {
                    next.push(target);
                }
            }
            met.push((state, step.clone()));
        }
        next.sort_unstable();
        here = next;
        step += 1;
    }
    met
}
