//! The report of `solve`: the welfare, what to do now, the payoffs, the strategy.

use super::mixtures::mixtures;
use super::names::{principal_shown, shown, state_in_column};
use super::numbers::{
    as_stated, counted, double, ends, exact_and_decimal, fraction_or_decimal, in_column, signed, steps, zero_within,
};
use super::payoffs::{Gets, PayoffTable, annuities};
use super::strategy;
use super::table::{table, wrapped};
use commonweal::limits::StopReason;
use commonweal::questions::{Alternatives, Meetings, ThresholdAnswer};
use commonweal::structure::{Principal, StateId, Structure};
use commonweal::{Answer, Claim, Rational, Value};

/// The report. `own_best` is what each principal of the file would get if the agent served nobody else; it may be left out.
pub fn report(
    model: &Structure,
    solution: &Answer,
    own_best: &[Value],
    alternatives: &Alternatives,
    all_states: bool,
) -> String {
    let start = model.start();
    let name = shown(&model.state_name(start));
    let meetings = Meetings::of(model, solution.strategy(), start);
    let is_long_term = solution.is_long_term_from(&meetings);
    let mut text = headline(model, solution, &name, is_long_term);
    text.push('\n');
    text.push_str(&payoffs(model, solution, own_best, is_long_term));
    if all_states {
        text.push_str(&every_state(model, solution));
    }
    text.push_str(&wrapped(&format!("\nStrategy from {name}"), 2));
    text.push_str(&strategy::table(model, solution.strategy(), &meetings, strategy::Rows::asked(all_states)));
    text.push_str(&memory(model, solution, Some(&meetings), is_long_term, alternatives));
    text.push_str(&other_payoffs(model, alternatives));
    text
}

/// The same of a model that ranks share, by the rank that has the start state, which is called `name`: of the strategy it knows what
/// its own states do, and not which states are met.
pub fn of_start(model: &Structure, solution: &Answer, own_best: &[Value], name: &str, n_states: u64) -> String {
    let is_long_term = solution.is_long_term(model.start());
    let mut text = headline(model, solution, &shown(name), is_long_term);
    text.push('\n');
    text.push_str(&payoffs(model, solution, own_best, is_long_term));
    text.push_str(&wrapped(&format!("\nStrategy from {}", shown(name)), 2));
    text.push_str(&strategy::of_start(model, solution.strategy(), name, n_states));
    text.push_str(&memory(model, solution, None, is_long_term, &Alternatives::default()));
    text
}

fn headline(model: &Structure, solution: &Answer, name: &str, is_long_term: Option<bool>) -> String {
    let start = model.start();
    let welfare = solution.welfare(start);
    let [lower, upper] = ends(welfare.enclosure.lower(), welfare.enclosure.upper());
    let now = solution.strategy().changes(start)[0].choice;
    let now = format!("What to do now, in {name}: {}", shown(&model.action_name(now)));
    let lines = match solution.claim() {
        Claim::Optimal => {
            let long_term = solution.long_term_welfare(start);
            let (earns, gains) = (in_brief(&long_term), in_brief(&welfare.minus(&long_term)));
            let deviating = if is_long_term == Some(true) {
                format!("The long-term strategy earns it: from {name}, no deviation pays.")
            } else if solution.memory(start).is_zero() {
                // Its choices tie in the last segment alone.
                format!(
                    "The long-term strategy earns {earns}; the best of the choices that tie in the end gains {gains}."
                )
            } else {
                format!("The long-term strategy earns {earns}; deviating at first gains {gains}.")
            };
            let cost = least_cost(model, &welfare);
            let mut lines =
                vec![format!("Optimal welfare from {name}: {}{cost}", exact_and_decimal(&welfare)), now, deviating];
            if solution.is_handed_over() {
                lines.push("In fractions: doubles would have taken long, or cannot reach the gap.".to_owned());
            }
            lines
        }
        Claim::Within { gap, scale: of } => {
            let bounds = match zero_within(&welfare) {
                Some(text) => format!("Welfare from {name}: {text}, and nobody can earn more than that."),
                None => format!("Welfare from {name}: at least {lower}, and nobody can earn more than {upper}."),
            };
            let mut lines = vec![bounds, now];
            let misses = solution.misses_gap();
            lines.extend(misses.map(|_| format!("Stopped: {}.", StopReason::Approximation)));
            lines.extend(mixtures(model, "Optimal", misses));
            if let Some(scale) = solution.scale() {
                lines.push(
                    if solution.is_handed_over() {
                        "Proven in doubles, rounding errors included: fractions would have taken long; --exact forces them."
                    } else if solution.is_approximated() {
                        "Proven in doubles, rounding errors included."
                    } else {
                        "Proven in doubles, rounding errors included; --exact gives fractions."
                    }
                    .to_owned(),
                );
                lines.push(format!("The scale, which --gap is relative to: {}", double(scale)));
            }
            if solution.is_approximated() {
                let scale = if solution.scale().is_some() { "it" } else { "the size of the welfare" };
                lines.push(if gap == 0.0 {
                    "The bounds are the same number.".to_owned()
                } else if gap < 1.0 {
                    format!("The bounds are {gap:.1e} of {scale} apart.")
                } else {
                    format!("The bounds are {} apart, as much as the welfare may be.", double(of))
                });
            }
            if !solution.long_term_is_proven() {
                lines.push(
                    "Long-term figures describe the strategy of the tail, which is assumed and not proven to be \
                     the long-term one."
                        .to_owned(),
                );
            }
            lines
        }
        Claim::Undecided(ties) => vec![
            format!("Welfare from {name}: at least {lower} with this strategy, at most {upper} with any."),
            now,
            format!(
                "Undecided: {} too close to be decided within the work allowed.",
                counted(&ties.into(), "comparison was", "comparisons were")
            ),
        ],
        Claim::Stopped(reason) => vec![
            match reason {
                StopReason::Precision => format!("Stopped: {reason}; --exact decides it in fractions."),
                _ => format!("Stopped: {reason}."),
            },
            format!("Welfare from {name}: at least {lower} with this strategy, at most {upper} with any."),
            now,
        ],
    };
    lines.iter().map(|line| wrapped(line, 2)).collect()
}

/// The total cost, if all principals have costs.
fn least_cost(model: &Structure, welfare: &Value) -> String {
    let counted = || model.principals().iter().filter(|principal| !principal.weight.is_zero());
    let all_pay = counted().all(Principal::is_cost) && counted().next().is_some();
    let cost = welfare.exact.as_ref().filter(|_| all_pay).map(|welfare| Value::from(-welfare));
    cost.map_or_else(String::new, |cost| format!(", a total cost of {}", in_brief(&cost)))
}

/// The fraction if it is short, the decimal otherwise.
fn in_brief(value: &Value) -> String {
    value.exact.as_ref().map_or_else(|| in_column(value), fraction_or_decimal)
}

/// The payoffs, compared with the long-term strategy and with each own best.
fn payoffs(model: &Structure, solution: &Answer, own_best: &[Value], is_long_term: Option<bool>) -> String {
    let start = model.start();
    let principals = 0..model.n_principals();
    let gets = Gets {
        payoffs: principals.clone().map(|p| solution.payoff(p.into(), start)).collect(),
        welfare: solution.welfare(start),
    };
    let mut rows = PayoffTable::new(model);
    if matches!(solution.claim(), Claim::Undecided(_) | Claim::Stopped(_)) {
        rows.bounds(&gets);
        return rows.text();
    }
    rows.gets(&gets);
    rows.annuities(&annuities(model, solution), &gets);
    let long_term: Vec<Value> = principals.map(|p| solution.long_term_payoff(p.into(), start)).collect();
    if is_long_term == Some(true) {
        // Bounds on the same payoffs twice would not cancel.
        rows.versus_itself("vs long-term", &gets);
    } else {
        rows.versus("vs long-term", &gets, &long_term, Some(&solution.long_term_welfare(start)));
    }
    // A single principal gets its own best. Wide bounds of a stopped computation are left out.
    let nearly = if solution.is_approximated() { 1e-4 } else { 1e-6 };
    let known = |(own, gets): (&Value, &Value)| {
        own.exact.is_some() || own.enclosure.width() <= nearly * own.enclosure.midpoint().abs().max(size(gets))
    };
    let all_known = own_best.len() == gets.payoffs.len() && own_best.iter().zip(&gets.payoffs).all(known);
    if model.n_principals() == 1 {
        return rows.text();
    }
    if all_known {
        rows.versus("vs own best", &gets, own_best, None);
        return rows.text();
    }
    let why = if own_best.is_empty() {
        "it takes a solve for each principal; --json has it"
    } else {
        "the bounds on it are too wide; --json has them"
    };
    rows.text() + &wrapped(&format!("  (what each would get alone is left out: {why})"), 3)
}

fn size(value: &Value) -> f64 {
    value.enclosure.midpoint().abs()
}

/// Memory and horizon.
fn memory(
    model: &Structure,
    solution: &Answer,
    meetings: Option<&Meetings>,
    is_long_term: Option<bool>,
    alternatives: &Alternatives,
) -> String {
    let (memory, horizon) = (solution.memory(model.start()), solution.horizon());
    let is_positional =
        meetings.is_some_and(|meetings| meetings.is_exact() && meetings.is_positional(solution.strategy()));
    let length = steps(memory);
    let (step, several) = (shown(model.about().step()), shown(&model.about().steps()));
    let tail = if solution.long_term_is_proven() { "the long-term strategy" } else { "the strategy of the tail" };
    let counts = match solution.claim() {
        Claim::Stopped(_) => "It is the best found.".to_owned(),
        _ if memory.is_zero() && is_long_term == Some(true) => {
            format!("Memory 0: it is {tail}, and need not count.")
        }
        _ if memory.is_zero() && !solution.long_term_is_proven() => {
            "Memory 0: from the start it takes actions of the strategy of the tail, or others that seem to be as good in the long term."
                .to_owned()
        }
        _ if memory.is_zero() && is_long_term.is_none() => {
            "Memory 0: it takes long-term actions from the start; bounds do not tell whether it earns more than the long-term strategy."
                .to_owned()
        }
        _ if memory.is_zero() => {
            "Memory 0: it takes long-term actions from the start; where several are, it takes those that are best before."
                .to_owned()
        }
        _ if is_positional => format!(
            "Memory {length}: until then it is not {tail}. Yet it need not count: in each state that it meets it always \
             does the same."
        ),
        _ => {
            let counted = counted(memory, &step, &several);
            let counts = format!("Memory {length}: it counts {counted}, then follows {tail} for ever.");
            let other = " Another strategy is as good and need not count; `commonweal positional` finds it.";
            counts + if alternatives.positional.is_some() { other } else { "" }
        }
    };
    let settles = match solution.claim() {
        Claim::Optimal | Claim::Undecided(_) if horizon.is_zero() => {
            "Horizon 0: no deviation pays, in any state.".to_owned()
        }
        Claim::Optimal | Claim::Undecided(_) => {
            format!("Horizon {}: from that {step} on no deviation pays, in any state.", steps(horizon))
        }
        Claim::Within { .. } if solution.scale().is_none() => {
            format!("Horizon {}: from that {step} on no deviation pays, in any state.", steps(horizon))
        }
        Claim::Within { .. } | Claim::Stopped(_) => format!("Its tail begins at {step} {}.", steps(horizon)),
    };
    let symmetry = solution.n_up_to_symmetry().map(|n_classes| {
        let n_states = counted(&(model.n_states() as u64).into(), "state", "states");
        format!(
            "{n_states}, {} up to symmetry: equivalent states were solved as one.",
            steps(&(n_classes as u64).into())
        )
    });
    [counts, settles].iter().chain(&symmetry).map(|line| wrapped(line, 2)).collect()
}

/// The payoffs of another optimal strategy.
fn other_payoffs(model: &Structure, alternatives: &Alternatives) -> String {
    /// The most principals that are named.
    const NAMED: usize = 6;
    let Some(payoffs) = &alternatives.payoffs else { return String::new() };
    let give = |(payoff, principal): (&Value, &Principal)| {
        format!("{} {}", principal_shown(principal), exact_and_decimal(payoff))
    };
    let given: Vec<String> = payoffs.iter().zip(model.principals()).take(NAMED).map(give).collect();
    let more = if payoffs.len() > NAMED { ", and so on (--json has all)" } else { "" };
    wrapped(&format!("Not the only optimum: another strategy of the same welfare gives {}{more}.", given.join(", ")), 2)
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
        let mut row = vec![state_in_column(model, state)];
        if optimal {
            let gain = welfare.minus(&solution.long_term_welfare(state));
            let memory = solution.memory(state);
            let gain = if solution.is_long_term(state) == Some(true) { "0".to_owned() } else { signed(&gain) };
            row.extend([in_column(&welfare), gain, steps(memory)]);
        } else {
            row.extend(ends(welfare.enclosure.lower(), welfare.enclosure.upper()))
        }
        row
    };
    format!("\n{}", table(header, &model.states().map(row).collect::<Vec<_>>()))
}

/// Whether the threshold is earned, in words.
pub fn verdict(threshold: &Rational, earned: ThresholdAnswer) -> String {
    let threshold = as_stated(threshold);
    match earned {
        ThresholdAnswer::Yes => format!("Yes: some strategy earns {threshold}.\n"),
        ThresholdAnswer::No => format!("No: no strategy earns {threshold}.\n"),
        ThresholdAnswer::Unknown => format!("Unknown: whether some strategy earns {threshold} is not decided.\n"),
    }
}
