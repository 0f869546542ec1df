//! Other strategies that are as good as an optimal answer: one that does not count, or one that gives the principals other
//! payoffs.
//!
//! Every claim is proven by a strategy whose exact payoffs from the start add up to the optimal welfare. The candidates come
//! from a guess and a short search. The payoffs of all optimal strategies, mixed ones included, form a polytope. Weights
//! perturbed a little from the model's lead to one of its vertices, and the opposite perturbation to another one, unless the
//! polytope is a single point.

use crate::answer::{Answer, Claim, Method};
use crate::exact::solve;
use crate::model::{Mdp, Principal, StateId};
use crate::number::{Rational, Value, sum};
use crate::search::{self, SearchOptions};
use crate::solve::Options;
use crate::stop::StopSignal;
use crate::strategy::{CountingStrategy, Meetings, Strategy};

/// Strategies known to be as good as an answer.
#[derive(Debug, Clone, Default)]
pub struct Alternatives {
    /// A strategy that takes one choice per state for ever and earns as much from the start.
    pub positional: Option<CountingStrategy>,
    /// Each principal's payoff from the start under another optimal strategy, if it differs.
    pub payoffs: Option<Vec<Value>>,
}

/// Models with more states are not searched.
const MOST_STATES: usize = 200;
/// Models whose answer took more work than this are not searched: transitions over all layers walked, or words of the
/// fractions of all principals.
const MOST_WORK: u64 = 1_000_000;
const MOST_WORDS: u64 = 100_000_000;

/// Strategies as good as `answer` from the model's start; none if none is known, or the search would take long.
pub fn alternatives(model: &Mdp, answer: &Answer, stop: &StopSignal) -> Alternatives {
    let mut found = Alternatives::default();
    let start = model.start();
    let (Claim::Optimal, Method::Exact) = (answer.claim(), answer.method()) else { return found };
    let work = (1 + answer.effort().n_layers).saturating_mul(model.n_transitions() as u64);
    let is_small = model.n_states() <= MOST_STATES && work <= MOST_WORK;
    // Fractions grow linearly with the layers, so their mean length is half the final one.
    let words = |best: &Rational| work.saturating_mul(model.n_principals() as u64 * (1 + best.bits() as u64 / 128));
    let Some(best) = answer.welfare(start).exact.filter(|best| is_small && words(best) <= MOST_WORDS) else {
        found.positional = same_always(model, answer.strategy());
        return found;
    };
    let payoffs = |answer: &Answer| (0..model.n_principals()).map(|p| answer.payoff(p.into(), start)).collect();
    let own: Vec<Value> = payoffs(answer);
    let mut others = Vec::new();
    for side in [1, -1] {
        let weight = |(p, principal): (usize, &Principal)| &principal.weight * nearly_one(p, side);
        let weights: Vec<Rational> = model.principals().iter().enumerate().map(weight).collect();
        let other = solve(&model.clone().with_weights(&weights), &Options { stop: stop.clone(), ..Options::default() });
        let given: Vec<Value> = payoffs(&other);
        // What it earns with the weights of the model.
        let terms =
            model.principals().iter().zip(&given).map(|(own, payoff)| Some(&own.weight * payoff.exact.as_ref()?));
        if terms.collect::<Option<Vec<Rational>>>().is_some_and(|terms| sum(terms) == best) {
            if found.payoffs.is_none() && given != own {
                found.payoffs = Some(given);
            }
            others.push(other);
        }
    }
    let optimal = std::iter::once(answer).chain(&others).map(Answer::strategy);
    found.positional =
        optimal.into_iter().find_map(|strategy| same_always(model, strategy)).or_else(|| search(model, best, stop));
    found
}

/// A positional strategy that earns as much as the best of all, if a short search finds one.
fn search(model: &Mdp, best: Rational, stop: &StopSignal) -> Option<CountingStrategy> {
    // Nodes, not seconds: the same input gives the same bytes.
    const WORK: usize = 20_000;
    let node_limit = (WORK / model.n_choices()).clamp(1, 200) as u64;
    let options =
        SearchOptions { threshold: Some(best.clone()), node_limit, stop: stop.clone(), ..SearchOptions::default() };
    let found = search::positional(model, &options);
    match found.strategy {
        Strategy::Counting(strategy) if found.welfare.exact == Some(best) => Some(strategy),
        _ => None,
    }
}

/// 1 plus or minus a small perturbation, different for each principal.
fn nearly_one(p: usize, side: i64) -> Rational {
    let little = Rational::from(10).pow(-30);
    let turn = if p.is_multiple_of(2) { side } else { -side };
    let size = (p * p + 3 * p + 1) as i64;
    Rational::ONE + little * Rational::from(turn * size)
}

/// The positional strategy that agrees with `strategy` from the start, if each state that is reached always takes the same action.
fn same_always(model: &Mdp, strategy: &CountingStrategy) -> Option<CountingStrategy> {
    let meetings = Meetings::of(model, strategy, model.start());
    if !(meetings.is_exact() && meetings.is_positional(strategy)) {
        return None;
    }
    let choice = |state: StateId| match meetings.runs(strategy, state).first() {
        Some(run) => run.choice,
        None => strategy.tail(state),
    };
    Some(CountingStrategy::positional(model.states().map(choice)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::evaluate;
    use crate::io::read_model;

    fn found(text: &str) -> Alternatives {
        let model = read_model(text).unwrap();
        let answer = solve(&model, &Options::default());
        let found = alternatives(&model, &answer, &StopSignal::default());
        // Whatever is found is checked by evaluating it.
        if let Some(strategy) = &found.positional {
            assert!(model.states().all(|state| strategy.changes(state).len() == 1));
            let payoffs = evaluate(&model, &Strategy::Counting(strategy.clone()), &StopSignal::default()).unwrap();
            assert_eq!(payoffs.welfare(model.start()), answer.welfare(model.start()));
        }
        found
    }

    #[test]
    fn the_hotel_needs_counting_and_has_one_best_strategy() {
        let hotel = "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}";
        let found = found(hotel);
        assert!(found.positional.is_none() && found.payoffs.is_none());
    }

    #[test]
    fn a_gift_that_changes_hands_is_another_best_strategy() {
        for discounts in ["alice: 1/2, bob: 1/2", "alice: 1/2, bob: 1/4"] {
            let text = format!(
                "{{principals: {{{discounts}}}, states: {{s: {{keep: {{reward: {{alice: 1}}, to: t}}, give: {{reward: {{bob: 1}}, to: t}}}}, t: {{rest: {{to: t}}}}}}}}"
            );
            let payoffs = found(&text).payoffs.expect("another one");
            let model = read_model(&text).unwrap();
            let answer = solve(&model, &Options::default());
            let own = answer.payoff(0.into(), model.start());
            assert_ne!(payoffs[0], own);
            assert_eq!(sum(payoffs.iter().map(|payoff| payoff.exact.clone().unwrap())), Rational::ONE);
        }
    }

    /// The paper's model of a formula: the best counting strategy earns what a satisfying assignment earns, and its ties go
    /// elsewhere without anybody's payoff changing.
    #[test]
    fn an_assignment_that_satisfies_need_not_count() {
        let text = include_str!("../../../models/paper/three-sat.yaml");
        let model = read_model(text).unwrap();
        let answer = solve(&model, &Options::default());
        assert!(!Meetings::of(&model, answer.strategy(), model.start()).is_positional(answer.strategy()));
        let found = found(text);
        assert!(found.positional.is_some() && found.payoffs.is_none());
    }

    /// At step j, a is worth 4·(1/4)^j to q and b is worth (1/2)^j to p: a is better at step 1, and they are even at step 2.
    /// The tie rule takes b then, which is the long-term choice, and so the agent counts; but a would do.
    #[test]
    fn a_tie_that_makes_it_count_is_told() {
        let text = "
principals: {p: 1/2, q: 1/4}
states:
  start: {go: {to: {fork: 1/2, late: 1/2}}}
  late: {go: {to: fork}}
  fork: {a: {reward: {q: 4}, to: end}, b: {reward: {p: 1}, to: end}}
  end: {rest: {to: end}}
";
        let model = read_model(text).unwrap();
        let answer = solve(&model, &Options::default());
        let meetings = Meetings::of(&model, answer.strategy(), model.start());
        assert!(!meetings.is_positional(answer.strategy()));
        let both = found(text);
        let strategy = both.positional.expect("it need not count");
        let fork = model.find_state("fork").unwrap();
        assert_eq!(model.action_name(strategy.tail(fork)), "a");
        assert!(both.payoffs.is_some());
        // If the state is reached for ever, the strategy has to count: from step 3 on b is better.
        let text = text.replace(
            "a: {reward: {q: 4}, to: end}, b: {reward: {p: 1}, to: end}",
            "a: {reward: {q: 4}, to: fork}, b: {reward: {p: 1}, to: fork}",
        );
        let for_ever = found(&text);
        assert!(for_ever.positional.is_none() && for_ever.payoffs.is_some());
    }
}
