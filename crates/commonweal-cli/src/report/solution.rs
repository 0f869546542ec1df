//! The report of `solve`: what is earned, who gets what, what to do.

use super::names::{in_column as name_in_column, shown};
use super::numbers::{
    at_least, at_most, counted, discount, double, exact_and_decimal, fraction_or_decimal, fraction_within, in_column,
    signed, steps,
};
use super::table::{WIDTH, table, width};
use commonweal::internals::model::{Principal, PrincipalId, StateId, Structure};
use commonweal::internals::number::Value;
use commonweal::internals::strategy::CountingStrategy;
use commonweal::{Answer, Claim};
use std::fmt::Write;

/// The most states whose strategy is written out, unless all are asked for.
pub const STATES_SHOWN: usize = 30;

/// The report. `own_best` is what each principal of the file would get if the agent served nobody else.
pub fn report(model: &Structure, solution: &Answer, own_best: Option<&[Value]>, all_states: bool) -> String {
    let mut text = headline(model, solution);
    text.push('\n');
    text.push_str(&match solution.claim() {
        Claim::Optimal | Claim::Within { .. } => payoffs(model, solution, own_best),
        Claim::Undecided(_) | Claim::Stopped(_) => bounds(model, solution),
    });
    if all_states {
        text.push_str(&every_state(model, solution));
    }
    let start = model.start();
    let of = format!("Strategy from {}", shown(&model.state_name(start)));
    let memory = counted(solution.memory(start), "step", "steps");
    let horizon = steps(solution.horizon());
    let numbers = match solution.claim() {
        Claim::Within { .. } => [format!("memory {memory};"), format!("its tail begins at step {horizon}")],
        Claim::Optimal | Claim::Undecided(_) => [format!("memory {memory},"), format!("horizon {horizon}")],
        Claim::Stopped(_) => ["the best found;".to_owned(), format!("its tail begins at step {horizon}")],
    };
    let line = format!("{of} ({} {})", numbers[0], numbers[1]);
    let _ = if width(&line) > WIDTH {
        writeln!(text, "\n{of}\n({}\n {})", numbers[0], numbers[1])
    } else {
        writeln!(text, "\n{line}")
    };
    text.push_str(&strategy(model, solution, all_states));
    text
}

fn headline(model: &Structure, solution: &Answer) -> String {
    let start = model.start();
    let name = shown(&model.state_name(start));
    let welfare = solution.welfare(start);
    let mut text = String::new();
    let _ = match solution.claim() {
        Claim::Optimal => {
            let _ = writeln!(text, "Optimal welfare from {name}: {}", exact_and_decimal(&welfare));
            let long_term = solution.long_term_welfare(start);
            // From a state with no memory the long-term strategy is all there is.
            if solution.memory(start).is_zero() {
                writeln!(text, "The long-term strategy earns it: no deviation pays.")
            } else {
                writeln!(
                    text,
                    "The long-term strategy earns {}; deviating at first gains {}.",
                    in_brief(&long_term),
                    in_brief(&welfare.minus(&long_term))
                )
            }
        }
        Claim::Within { .. } => writeln!(
            text,
            "Welfare from {name}: at least {}, and nobody can earn more than {}.\n\
             Proven in doubles, every rounding counted; --exact gives fractions.\n\
             The scale, which --gap is relative to: {}{}",
            at_least(welfare.enclosure.lower()),
            at_most(welfare.enclosure.upper()),
            double(solution.scale().unwrap_or(0.0)),
            if solution.long_term_is_proven() {
                ""
            } else {
                "\nLong-term figures are of the strategy followed in the end, which is assumed\n\
                 and not proven to be the long-term one."
            }
        ),
        Claim::Undecided(ties) => writeln!(
            text,
            "Welfare from {name}: at least {} with this strategy, at most {} with any.\n\
             Undecided: {} too close for anything affordable to decide.",
            at_least(welfare.enclosure.lower()),
            at_most(welfare.enclosure.upper()),
            counted(&ties.into(), "comparison was", "comparisons were")
        ),
        Claim::Stopped(reason) => writeln!(
            text,
            "Stopped: {reason}.\nWelfare from {name}: at least {} with this strategy, at most {} with any.",
            at_least(welfare.enclosure.lower()),
            at_most(welfare.enclosure.upper())
        ),
    };
    text
}

/// The fraction if it is short, the decimal otherwise.
fn in_brief(value: &Value) -> String {
    value.exact.as_ref().map_or_else(|| in_column(value), fraction_or_decimal)
}

/// Who gets what: with the fractions if they fit the width.
fn payoffs(model: &Structure, solution: &Answer, own_best: Option<&[Value]>) -> String {
    let with_fractions = payoff_table(model, solution, own_best, true);
    let any = payoff_values(model, solution).any(|value| payoff_fraction(&value).is_some());
    if any && width(&with_fractions) <= WIDTH { with_fractions } else { payoff_table(model, solution, own_best, false) }
}

fn payoff_table(model: &Structure, solution: &Answer, own_best: Option<&[Value]>, fractions: bool) -> String {
    let start = model.start();
    let (mut header, mut rows) = who(model);
    header.push("gets");
    if fractions {
        header.push("exactly");
    }
    header.push("vs long-term");
    let welfare = solution.welfare(start);
    let scale = payoff_values(model, solution).map(|value| value.enclosure.upper().abs()).fold(0.0, f64::max);
    // Alone, everybody gets their best.
    let own_best = own_best.filter(|_| model.n_principals() > 1);
    if own_best.is_some() {
        header.push("vs own best");
    }
    let cells = |row: &mut Vec<String>, value: &Value, long_term: &Value| {
        row.push(near_zero(value, scale).unwrap_or_else(|| in_column(value)));
        if fractions {
            row.push(payoff_fraction(value).unwrap_or_default());
        }
        let difference = value.minus(long_term);
        row.push(near_zero(&difference, scale).unwrap_or_else(|| signed(&difference)));
    };
    for (p, row) in rows.iter_mut().enumerate() {
        let id = PrincipalId::from(p);
        let payoff = solution.payoff(id, start);
        cells(row, &payoff, &solution.long_term_payoff(id, start));
        if let Some(own_best) = own_best {
            row.push(signed(&payoff.minus(&own_best[p])));
        }
    }
    let mut total = total_row(&header);
    cells(&mut total, &welfare, &solution.long_term_welfare(start));
    rows.push(total);
    let weights = if header.contains(&"weight") { "  (the welfare adds up weight times what each gets)\n" } else { "" };
    table(&header, &rows) + weights
}

/// `≈ 0`, for what is known between bounds around 0 that say nothing beside numbers of that scale.
fn near_zero(value: &Value, scale: f64) -> Option<String> {
    let around = value.enclosure.lower() <= 0.0 && value.enclosure.upper() >= 0.0 && !value.enclosure.is_point();
    let says_nothing = value.enclosure.width().is_finite() && value.enclosure.width() <= 1e-7 * scale;
    (value.exact.is_none() && around && says_nothing).then(|| "≈ 0".to_owned())
}

fn payoff_values(model: &Structure, solution: &Answer) -> impl Iterator<Item = Value> {
    let start = model.start();
    let payoffs = (0..model.n_principals()).map(move |p| solution.payoff(p.into(), start));
    payoffs.chain([solution.welfare(start)])
}

/// The fraction, if it fits its column.
fn payoff_fraction(value: &Value) -> Option<String> {
    const WIDEST: usize = 16;
    value.exact.as_ref().and_then(|exact| fraction_within(exact, WIDEST))
}

/// What each principal gets at least and at most.
fn bounds(model: &Structure, solution: &Answer) -> String {
    let start = model.start();
    let (mut header, mut rows) = who(model);
    header.extend(["at least", "at most"]);
    let cells = |row: &mut Vec<String>, value: Value| {
        row.extend([at_least(value.enclosure.lower()), at_most(value.enclosure.upper())]);
    };
    for (p, row) in rows.iter_mut().enumerate() {
        cells(row, solution.payoff(p.into(), start));
    }
    let mut total = total_row(&header);
    cells(&mut total, solution.welfare(start));
    rows.push(total);
    table(&header, &rows)
}

/// The columns that every table of principals begins with.
pub fn who(model: &Structure) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let weighted = model.principals().iter().any(|principal| !principal.weight.is_one());
    let mut header = vec!["principal", "discount"];
    if weighted {
        header.push("weight");
    }
    let row = |principal: &Principal| {
        let mut row = vec![name_in_column(&principal.name), discount(principal.patience())];
        if weighted {
            row.push(fraction_or_decimal(&principal.weight));
        }
        row
    };
    (header, model.principals().iter().map(row).collect())
}

/// The beginning of the last row, below a header that [`who`] began.
pub fn total_row(header: &[&str]) -> Vec<String> {
    let mut row = vec!["welfare".to_owned(), String::new()];
    if header.contains(&"weight") {
        row.push(String::new());
    }
    row
}

/// The welfare from every state.
fn every_state(model: &Structure, solution: &Answer) -> String {
    let optimal = matches!(solution.claim(), Claim::Optimal | Claim::Within { .. });
    let header = if optimal {
        ["state", "welfare", "vs long-term", "memory"].as_slice()
    } else {
        &["state", "at least", "at most"]
    };
    let row = |state: StateId| {
        let welfare = solution.welfare(state);
        let mut row = vec![name_in_column(&model.state_name(state))];
        if optimal {
            let gain = welfare.minus(&solution.long_term_welfare(state));
            row.extend([in_column(&welfare), signed(&gain), steps(solution.memory(state))]);
        } else {
            row.extend([at_least(welfare.enclosure.lower()), at_most(welfare.enclosure.upper())])
        }
        row
    };
    format!("\n{}", table(header, &model.states().map(row).collect::<Vec<_>>()))
}

/// Every state's choices over time: those that change first, then as many others as fit.
fn strategy(model: &Structure, solution: &Answer, all_states: bool) -> String {
    let mut text = String::new();
    let most = if all_states { usize::MAX } else { STATES_SHOWN };
    let few = model.n_states() <= most;
    let changes = |state: &StateId| solution.strategy().changes(*state).len() > 1;
    let shown_states: Vec<StateId> =
        if few { model.states().collect() } else { model.states().filter(changes).take(most).collect() };
    for &state in &shown_states {
        let _ =
            writeln!(text, "  {}: {}", shown(&model.state_name(state)), in_words(model, solution.strategy(), state));
    }
    if !few {
        let changing = model.states().filter(changes).count();
        let (hidden, constant) = (changing - shown_states.len(), model.n_states() - changing);
        if hidden > 0 {
            let hidden = counted(&hidden.into(), "state", "states");
            let _ = writeln!(text, "  … and {hidden} more, whose choice changes too");
        }
        let constant = match constant {
            0 => "No state makes".to_owned(),
            1 => "1 state makes".to_owned(),
            n => format!("{} states make", steps(&n.into())),
        };
        let _ = writeln!(
            text,
            "  {constant} the same choice always.\n  --all-states shows them; --strategy FILE writes all."
        );
    }
    text
}

/// `a for 2 steps, then b`.
pub fn in_words(model: &Structure, strategy: &CountingStrategy, state: StateId) -> String {
    /// The most changes of one state that are spelt out.
    const CHANGES_SHOWN: usize = 8;
    let changes = strategy.changes(state);
    let action = |choice| shown(&model.action_name(choice));
    let last = action(strategy.tail(state));
    let mut parts = Vec::new();
    for pair in changes.windows(2).take(CHANGES_SHOWN) {
        let length = &pair[1].from - &pair[0].from;
        parts.push(format!("{} for {}", action(pair[0].choice), counted(&length, "step", "steps")));
    }
    match changes.len() {
        1 => format!("always {last}"),
        n if n <= CHANGES_SHOWN + 1 => format!("{}, then {last}", parts.join(", ")),
        n => {
            let more = n - 1 - CHANGES_SHOWN;
            let settled = steps(&changes[n - 1].from);
            format!("{}, … {more} more changes …, from step {settled} on {last}", parts.join(", "))
        }
    }
}
