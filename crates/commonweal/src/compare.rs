//! The best strategy of each class beside an answer: what simplicity costs, and whom.

use crate::answer::Answer;
use crate::evaluation::{Payoffs, evaluate};
use crate::exact::own_best;
use crate::model::{Mdp, PrincipalId};
use crate::number::{Rational, Value};
use crate::search::{self, Search, SearchOptions, SearchOutcome};
use crate::stop::StopSignal;
use crate::strategy::Strategy;

/// One strategy of a comparison, from the model's start state.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// What it is the best of.
    pub class: Class,
    /// What it earns.
    pub welfare: Value,
    /// What no strategy of its class exceeds, unless it is known to be the best of its class.
    pub upper: Option<f64>,
    /// What each principal of the file gets; empty if there was no time to say.
    pub payoffs: Vec<Value>,
}

/// What a strategy is the best of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// All strategies: the answer itself.
    Counting,
    /// One mix of actions per state, for ever.
    Stationary,
    /// One action per state, for ever.
    Positional,
    /// The long-term strategy, from the beginning.
    LongTerm,
    /// What an agent would do that served this principal alone.
    BestFor(PrincipalId),
}

/// The answer and the simpler strategies beside it; a class that is too hard for a moment with the bounds found.
pub fn compare(model: &Mdp, answer: &Answer, stop: &StopSignal) -> Vec<Compared> {
    let start = model.start();
    let principals = || (0..model.n_principals()).map(PrincipalId::from);
    // Nodes, not seconds: the same input gives the same bytes.
    const WORK: usize = 2_000_000;
    let node_limit = (WORK / model.n_choices()).clamp(1, 5_000) as u64;
    let options =
        |gap: &Rational| SearchOptions { gap: gap.clone(), node_limit, stop: stop.clone(), ..Default::default() };
    let millionth = Rational::from_quotient(1, 1_000_000);
    let mixed = search::stationary(model, &options(&millionth));
    let pure = search::positional(model, &options(&Rational::ZERO));
    let mut compared = vec![
        Compared {
            class: Class::Counting,
            welfare: answer.welfare(start),
            upper: None,
            payoffs: principals().map(|p| answer.payoff(p, start)).collect(),
        },
        found(model, Class::Stationary, &mixed, stop),
        found(model, Class::Positional, &pure, stop),
        Compared {
            class: Class::LongTerm,
            welfare: answer.long_term_welfare(start),
            upper: None,
            payoffs: principals().map(|p| answer.long_term_payoff(p, start)).collect(),
        },
    ];
    if model.n_principals() > 1 {
        let own = |p: PrincipalId| {
            let strategy = own_best(model, p, stop).ok()?.strategy;
            let payoffs = evaluate(model, &Strategy::Counting(strategy), stop).ok()?;
            let welfare = payoffs.welfare(start);
            Some(Compared { class: Class::BestFor(p), welfare, upper: None, payoffs: all_payoffs(model, &payoffs) })
        };
        compared.extend(principals().filter_map(own));
    }
    compared
}

fn found(model: &Mdp, class: Class, search: &Search, stop: &StopSignal) -> Compared {
    let payoffs = evaluate(model, &search.strategy, stop).ok();
    let best = search.outcome == SearchOutcome::Optimal;
    Compared {
        class,
        welfare: search.welfare.clone(),
        upper: (!best).then_some(search.upper),
        payoffs: payoffs.map_or_else(Vec::new, |payoffs| all_payoffs(model, &payoffs)),
    }
}

fn all_payoffs(model: &Mdp, payoffs: &Payoffs) -> Vec<Value> {
    (0..model.n_principals()).map(|p| payoffs.payoff(p.into(), model.start())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::solve;
    use crate::number::parse_rational;
    use crate::solve::Options;

    #[test]
    fn simplicity_costs_the_hotel_eleven_eighteenths() {
        let text = "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}";
        let hotel = crate::io::read_model(text).unwrap();
        let answer = solve(&hotel, &Options::default());
        let compared = compare(&hotel, &answer, &StopSignal::default());
        let of = |class| compared.iter().find(|one| one.class == class).unwrap();
        let number = |text| Some(parse_rational(text).unwrap());
        assert_eq!(of(Class::Counting).welfare.exact, number("127/9"));
        assert_eq!((&of(Class::Positional).welfare.exact, of(Class::Positional).upper), (&number("27/2"), None));
        assert_eq!(of(Class::LongTerm).welfare.exact, number("13"));
        assert!(of(Class::Stationary).welfare.enclosure.lower() >= 13.5);
        assert!(compared.iter().all(|one| one.payoffs.len() == 2));
        assert_eq!(compared.len(), 6);
    }
}
