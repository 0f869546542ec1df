//! Compares one answer with every oracle that can handle the model.

use super::answer::{Answer, Figure};
use super::enumeration;
use super::evaluate::{payoffs, positional, weighted};
use super::plain::{Plain, Q, from_double};
use super::reference::Reference;
use super::truncation;

macro_rules! demand {
    ($condition:expr, $($text:tt)*) => {
        if !$condition {
            return Err(format!($($text)*));
        }
    };
}

/// Every statement of the answer is the reference's: horizon, welfare, decisions at every step, ties included.
pub fn agrees_with_reference(answer: &Answer, reference: &Reference) -> Result<(), String> {
    demand!(answer.horizon == reference.horizon, "horizon {}, not {}", answer.horizon, reference.horizon);
    let n = reference.welfare.len();
    demand!(
        answer.long_term == reference.long_term,
        "long-term choices {:?}, not {:?}",
        answer.long_term,
        reference.long_term
    );
    for state in 0..n {
        let past_all = reference.horizon.max(answer.settled_from()) + 3;
        for step in 0..=past_all {
            let (said, right) = (answer.decision(step, state), reference.decision(step, state));
            demand!(said == right, "state {state} takes choice {said} at step {step}, not {right}");
        }
        same_if_short(answer, &answer.welfare[state], &reference.welfare[state], || {
            format!("welfare of state {state}")
        })?;
        same(&answer.long_term_welfare[state], &reference.long_term_welfare[state], || {
            format!("long-term welfare of state {state}")
        })?;
        for (principal, right) in reference.payoffs.iter().enumerate() {
            same_if_short(answer, &answer.payoffs[principal][state], &right[state], || {
                format!("payoff of principal {principal} in state {state}")
            })?;
        }
        let (said, right) = (answer.memory[state], reference.memory[state]);
        demand!(said == right, "memory {said} from state {state}, not {right}");
    }
    Ok(())
}

/// As [`same`]; where the answer may leave its fractions out, the doubles need not be neighbours, only narrow.
fn same_if_short(answer: &Answer, figure: &Figure, right: &Q, what: impl Fn() -> String) -> Result<(), String> {
    if !answer.may_be_long || figure.exact.is_some() {
        return same(figure, right, what);
    }
    let Figure { lower, upper, .. } = *figure;
    demand!(lower.is_finite() && upper.is_finite(), "{} is not known between doubles", what());
    let (lower, upper) = (from_double(lower), from_double(upper));
    demand!(lower <= *right && *right <= upper, "{} is {right}, not in [{lower}, {upper}]", what());
    let scale = answer.payoffs.iter().flatten().map(|figure| figure.lower.abs().max(figure.upper.abs()));
    let narrow = from_double(scale.fold(1.0, f64::max) * 1e-9);
    demand!(&upper - &lower <= narrow, "{} is known from {lower} to {upper} only", what());
    Ok(())
}

/// The figure is this number: exactly where it states one, within tight doubles always.
pub fn same(figure: &Figure, right: &Q, what: impl Fn() -> String) -> Result<(), String> {
    /// Past this many digits an answer need not write the fraction out.
    const WRITTEN_OUT: usize = 10_000;
    match &figure.exact {
        Some(said) => demand!(said == right, "{} is {said}, not {right}", what()),
        None => demand!(right.to_string().len() > WRITTEN_OUT, "{} is not written out, but is {right}", what()),
    }
    encloses(figure, right).map_err(|complaint| format!("{}: {complaint}", what()))
}

/// The doubles enclose the number and are neighbours.
pub fn encloses(figure: &Figure, exact: &Q) -> Result<(), String> {
    let Figure { lower, upper, .. } = *figure;
    let below = lower == f64::NEG_INFINITY || (lower.is_finite() && from_double(lower) <= *exact);
    let above = upper == f64::INFINITY || (upper.is_finite() && *exact <= from_double(upper));
    demand!(below && above, "[{lower:e}, {upper:e}] does not contain {exact}");
    demand!(lower == upper || lower.next_up() == upper, "[{lower:e}, {upper:e}] is not tight around {exact}");
    Ok(())
}

/// The statements of an answer fit each other, as a second evaluation of its own strategy sees them.
pub fn fits_itself(plain: &Plain, answer: &Answer) -> Result<(), String> {
    let (layers, tail) = (answer.layers(), answer.tail());
    let earned = payoffs(plain, &layers, &tail);
    let welfare = weighted(plain, &earned);
    let in_the_end = weighted(plain, &payoffs(plain, &[], &tail));
    for (state, choices) in plain.states.iter().enumerate() {
        for (principal, earned) in earned.iter().enumerate() {
            same_if_short(answer, &answer.payoffs[principal][state], &earned[state], || {
                format!("what the strategy earns principal {principal} from state {state}")
            })?;
        }
        same_if_short(answer, &answer.welfare[state], &welfare[state], || {
            format!("what the strategy earns from state {state}")
        })?;
        same(&answer.long_term_welfare[state], &in_the_end[state], || format!("what the tail earns from {state}"))?;
        demand!(welfare[state] >= in_the_end[state], "state {state} loses by deviating");
        demand!(answer.memory[state] <= answer.horizon, "memory past the horizon in state {state}");
        demand!(
            answer.long_term[state].first() == Some(&tail[state]),
            "state {state} ends with a tie not listed first"
        );
        demand!(
            answer.long_term[state].iter().all(|&choice| choice < choices.len()),
            "state {state} has no such choice"
        );
    }
    demand!(answer.settled_from() <= answer.horizon, "a decision changes past the horizon");
    Ok(())
}

/// No strategy earns more, and this one does not claim more than can be earned.
pub fn lies_within_truncation(plain: &Plain, answer: &Answer) -> Result<(), String> {
    const GAP_BITS: usize = 44;
    let (lower, upper) = truncation::bounds(plain, GAP_BITS);
    for (state, welfare) in answer.exact_welfare().iter().enumerate() {
        let (low, high) = (&lower[state], &upper[state]);
        demand!(low <= welfare && welfare <= high, "welfare {welfare} of state {state} lies outside [{low}, {high}]");
    }
    Ok(())
}

/// The best of all counting strategies that settle by the horizon, if they are few enough; says whether they were, and
/// there was more than a tail to choose.
pub fn is_best_of_all(plain: &Plain, answer: &Answer, budget: usize) -> Result<bool, String> {
    let welfare = answer.exact_welfare();
    if let Some(best) = enumeration::best(plain, answer.horizon, budget) {
        demand!(best == welfare, "the best of all counting strategies earns {best:?}, not {welfare:?}");
        return Ok(answer.horizon > 0);
    }
    // Strategies that settle sooner earn no more.
    if let Some(best) = (0..answer.horizon).rev().find_map(|steps| enumeration::best(plain, steps, budget)) {
        for (state, (best, welfare)) in best.iter().zip(&welfare).enumerate() {
            demand!(best <= welfare, "a counting strategy earns {best} from state {state}, more than {welfare}");
        }
    }
    Ok(false)
}

/// The long-term choices are those that no principal in turn, most patient first, would rule out: by enumeration.
pub fn long_term_is_lexicographic(plain: &Plain, answer: &Answer, budget: usize) -> Result<bool, String> {
    let mut policies = if plain.states.iter().map(Vec::len).product::<usize>() <= budget {
        enumeration::all_policies(plain)
    } else {
        return Ok(false);
    };
    let ordered = super::reference::Ordered::of(plain);
    for (principal, discount) in ordered.discounts.iter().enumerate() {
        let reward = |state: usize, choice: usize| ordered.rewards[state][choice][principal].clone();
        let values: Vec<Vec<Q>> = policies.iter().map(|policy| positional(plain, policy, discount, reward)).collect();
        let best: Vec<Q> = (0..plain.states.len())
            .map(|state| values.iter().map(|value| value[state].clone()).max().expect("policies remain"))
            .collect();
        let mut values = values.into_iter();
        policies.retain(|_| values.next().is_some_and(|value| value == best));
    }
    for state in 0..plain.states.len() {
        let mut left: Vec<usize> = policies.iter().map(|policy| policy[state]).collect();
        left.sort();
        left.dedup();
        demand!(
            left == answer.long_term[state],
            "long-term choices {:?} in state {state}, not {left:?}",
            answer.long_term[state]
        );
    }
    Ok(true)
}
