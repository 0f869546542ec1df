//! Payoffs from the start alone: followed forwards they meet those that are carried back from every state, and hold the exact ones.

use crate::patience_classes::Draws;
use commonweal::internals::certified;
use commonweal::internals::evaluation::evaluate;
use commonweal::internals::families::{LargeFamily, Neighbourhood, RandomFamily};
use commonweal::internals::io::read_model;
use commonweal::internals::model::{Mdp, PrincipalId};
use commonweal::internals::number::parse_rational;
use commonweal::internals::stop::StopSignal;
use commonweal::internals::strategy::Strategy;
use commonweal::limits::{PayoffsFrom, on_threads};
use commonweal::numbers::Enclosure;
use commonweal::{Answer, Options};

const GAP: f64 = 1e-9;

fn solved(model: &Mdp, payoffs: PayoffsFrom) -> Answer {
    let doubles = model.to_doubles().expect("ordinary rewards");
    certified::solve(&doubles, GAP, &Options { payoffs, ..Options::default() })
}

fn meet(one: Enclosure, other: Enclosure) -> bool {
    one.lower() <= other.upper() && other.lower() <= one.upper()
}

fn each_payoff(model: &Mdp, answer: &Answer) -> Vec<Enclosure> {
    let start = model.start();
    (0..model.n_principals()).map(|p| answer.payoff(p.into(), start).enclosure).collect()
}

/// Whether the payoffs were not carried back: their last digits differ.
fn judge(model: &Mdp, what: &str) -> bool {
    let (from_start, from_all) = (solved(model, PayoffsFrom::Start), solved(model, PayoffsFrom::EveryState));
    assert_eq!(from_start.strategy(), from_all.strategy(), "{what}");
    let start = model.start();
    let (one, other) = (from_start.welfare(start).enclosure, from_all.welfare(start).enclosure);
    assert_eq!(one, other, "{what}: the welfare does not depend on it");
    let scale = from_all.scale().expect("a certified answer");
    let [own, all] = [&from_start, &from_all].map(|answer| each_payoff(model, answer));
    let strategy = Strategy::Counting(from_start.strategy().clone());
    let earned = evaluate(model, &strategy, &StopSignal::default()).expect("a short strategy");
    for (p, (own, all)) in own.iter().zip(&all).enumerate() {
        assert!(meet(*own, *all), "{what}, principal {p}: {own:?} and {all:?}");
        assert!(own.width() <= 4.0 * GAP * scale, "{what}, principal {p}: {own:?}, scale {scale}");
        let exact = earned.payoff(PrincipalId::from(p), start);
        assert!(meet(*own, exact.enclosure), "{what}, principal {p}: {own:?} does not hold {exact}");
        let long_term = from_start.long_term_payoff(p.into(), start).enclosure;
        assert_eq!(long_term, from_all.long_term_payoff(p.into(), start).enclosure, "{what}");
    }
    // For other states no more is said than what is true of any strategy.
    for state in model.states() {
        for p in (0..model.n_principals()).map(PrincipalId::from) {
            let exact = earned.payoff(p, state).enclosure;
            assert!(meet(from_start.payoff(p, state).enclosure, exact), "{what}");
        }
    }
    own != all
}

/// Random models with many principals, some with equal discounts, weights and several parts.
fn model(seed: u64) -> Mdp {
    let mut draws = Draws(seed);
    let discounts = [
        "0.9,0.8,0.65,0.5,0.35,0.2",
        "0.95,0.9,0.85,0.8,0.3",
        "0.8,0.7,0.7,0.6,0.6,0.1",
        "0.97,0.9,0.5,0.4,0",
        "2/3,1/3,1/4,1/5,1/6,1/7,1/8",
    ];
    let discounts = discounts[draws.below(discounts.len() as u64) as usize];
    let parsed = |text: &str| parse_rational(text).expect("a number");
    RandomFamily {
        n_states: 2 + draws.below(30) as usize,
        n_actions: 2 + draws.below(3) as usize,
        n_successors: 1 + draws.below(2) as usize,
        discounts: discounts.split(',').map(parsed).collect(),
        max_denominator: 12,
        max_reward: 10u64.pow(draws.below(6) as u32),
        seed,
    }
    .model()
    .expect("a valid model")
}

#[test]
fn payoffs_from_the_start_meet_those_of_every_state_and_hold_the_exact_ones() {
    let n_forwards = (0..400).filter(|&seed| judge(&model(seed), &format!("seed {seed}"))).count();
    assert!(n_forwards > 100, "{n_forwards}");
}

#[test]
fn rare_states_with_large_rewards_and_a_goal_are_weighed_right() {
    // Rewards of 10^6 are met with a probability of 10^-9; most runs are soon in the goal, which all states lead to.
    let mut text = "principals: {a: 0.99, b: 0.9, c: 0.8, d: 0.7, e: 0.6}\nstates:\n".to_owned();
    for s in 0..40 {
        let (next, far) = ((s * 7 + 1) % 40, (s * 11 + 3) % 40);
        text += &format!(
            "  s{s}: {{x: {{reward: {{a: 1, b: {}}}, to: {{s{next}: 1/3, goal: 2/3}}}}, \
             y: {{reward: {{c: {}, d: 3, e: -2}}, to: {{s{far}: 1/2, goal: 0.499999999, rare: 0.000000001}}}}}}\n",
            s % 5,
            s % 7
        );
    }
    text += "  rare: {x: {reward: {a: 1e6}, to: s0}, y: {reward: {b: 3e6, e: 1e6}, to: s1}}\n  goal: {x: {to: goal}}\n";
    assert!(judge(&read_model(&text).expect("a model"), "rare states"));
}

#[test]
fn payoffs_from_the_start_are_the_same_bytes_for_any_number_of_threads() {
    // More states than are carried on in one piece.
    let family = LargeFamily {
        neighbourhood: Neighbourhood::Uniform,
        n_states: 20_000,
        n_actions: 2,
        n_successors: 5,
        discounts: ["0.9", "0.8", "0.7", "0.6", "0.5"].map(|text| parse_rational(text).expect("a number")).to_vec(),
        seed: 1,
    };
    let family = family.model().expect("a valid model");
    let of = |threads| {
        let options = Options { payoffs: PayoffsFrom::Start, ..Options::default() };
        on_threads(Some(threads), || certified::solve(&family, GAP, &options))
    };
    let (one, three) = (of(1), of(3));
    let all = certified::solve(&family, GAP, &Options::default());
    let start = family.start();
    for p in (0..family.n_principals()).map(PrincipalId::from) {
        let own = one.payoff(p, start).enclosure;
        assert_eq!(own, three.payoff(p, start).enclosure);
        assert!(meet(own, all.payoff(p, start).enclosure));
        assert_ne!(own, all.payoff(p, start).enclosure, "it was carried back");
    }
}
