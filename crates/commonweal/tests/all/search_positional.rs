//! Best positional strategies, against all of them.

use crate::oracle;
use crate::oracle::enumeration::all_policies;
use crate::oracle::evaluate;
use crate::oracle::plain::{Plain, Q, from_solver, q};
use crate::oracle::rough::Rough;
use commonweal::Options;
use commonweal::internals::exact::solve;
use commonweal::internals::families::{RandomFamily, Seeded};
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::search::{Search, SearchOptions, SearchOutcome, ThresholdAnswer, positional, stationary};
use commonweal::internals::strategy::Strategy;
use std::collections::BTreeSet;

fn best(model: &Mdp) -> Search {
    positional(model, &SearchOptions::default())
}

/// What a positional strategy earns from the first state, in fractions of another library.
fn welfare(plain: &Plain, policy: &[usize]) -> Q {
    let of = |i: usize| {
        let who = &plain.principals[i];
        let reward = |state: usize, choice: usize| &plain.states[state][choice].rewards[i] * &who.weight;
        evaluate::positional(plain, policy, &who.discount, reward)[0].clone()
    };
    (0..plain.principals.len()).map(of).sum()
}

/// One of all positional strategies that do the same in the states that they meet from the first one.
fn different_policies(plain: &Plain) -> Vec<Vec<usize>> {
    let mut seen = BTreeSet::new();
    let mut is_new = |policy: &Vec<usize>| {
        let (mut met, mut waiting) = (vec![None; policy.len()], vec![0]);
        while let Some(state) = waiting.pop() {
            if met[state].replace(policy[state]).is_none() {
                waiting.extend(plain.states[state][policy[state]].to.iter().map(|(target, _)| *target));
            }
        }
        seen.insert(met)
    };
    all_policies(plain).into_iter().filter(|policy| is_new(policy)).collect()
}

/// The greatest welfare of all positional strategies from the first state: sifted in doubles, compared in fractions.
fn enumerated(plain: &Plain) -> Q {
    let mut model = Rough::of(plain);
    let policies = different_policies(plain);
    let rough: Vec<f64> = policies.iter().map(|policy| model.positional(policy)).collect();
    let greatest = rough.iter().copied().fold(f64::MIN, f64::max);
    // Far more than elimination in doubles can be off on a model this small.
    let margin = 1e-7 * (1.0 + greatest.abs());
    let near = policies.iter().zip(&rough).filter(|(_, rough)| **rough >= greatest - margin);
    near.map(|(policy, _)| welfare(plain, policy)).max().expect("a policy")
}

/// A gap is relative to what can be earned: not to a reward of a state that is never met, of an action that nobody would take, or of
/// something that hardly ever happens. What the bounds say is compared with all positional strategies, in fractions.
#[test]
fn a_gap_is_relative_to_the_welfare_whatever_else_the_model_holds() {
    const HOTEL: [&str; 3] = ["s0 a 3 -> s0", "s0 b -1 -> s1", "s1 b 6 -> s1"];
    let zeros = |n: usize| "0".repeat(n);
    // In these the bounds meet the gap, in the last ones only where fractions can tell.
    let mut decided: Vec<Vec<String>> = Vec::new();
    for e in [9, 13, 15, 30, 320] {
        decided.push(vec![format!("far x 1{0} -> far", zeros(e))]);
        decided.push(vec![format!("s0 never -1{} -> s1", zeros(e))]);
    }
    decided.push(vec![format!("s0 never -1{},5 -> s0", zeros(15))]);
    decided.push(vec![format!("s0 seldom 4,-1{} -> s0", zeros(15))]);
    decided.push(vec![format!("s0 lose -1{} -> s2", zeros(15)), "s2 c 2 -> s1".to_owned()]);
    decided.push(vec![
        format!("s0 rare 0 -> s0:{}/1{} s2:1/1{}", "9".repeat(12), zeros(12), zeros(12)),
        format!("s2 c 1{} -> s2", zeros(15)),
    ]);
    decided.push(vec![
        format!("s0 rare 0 -> s0:{}/1{} s2:1/1{}", "9".repeat(20), zeros(20), zeros(20)),
        format!("s2 c 1{} -> s2", zeros(15)),
    ]);
    let with = |more: &[String]| HOTEL.map(str::to_owned).into_iter().chain(more.iter().cloned()).collect::<Vec<_>>();
    let mut models: Vec<(Vec<String>, bool)> = decided.iter().map(|more| (with(more), true)).collect();
    for (k, reward) in
        [(12, format!("1{}", zeros(15))), (16, format!("1{}", zeros(12))), (30, format!("-1{}", zeros(15)))]
    {
        let (most, all) = ("9".repeat(k), format!("1{}", zeros(k)));
        let lines = [
            format!("s0 a 3 -> s0:{most}/{all} s2:1/{all}"),
            format!("s0 b -1 -> s1:{most}/{all} s2:1/{all}"),
            "s1 b 6 -> s1".to_owned(),
            format!("s2 c {reward} -> s2"),
        ];
        models.push((lines.to_vec(), false));
    }
    let gap = parse_rational("1e-8").unwrap();
    for (lines, is_decided) in models {
        let plain = Plain::parse("2/3 1/3", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        let (model, policies) = (plain.model(), all_policies(&plain));
        let greatest = policies.iter().map(|policy| welfare(&plain, policy)).max().expect("a policy");
        for ask in [positional, stationary] {
            let found = ask(&model, &SearchOptions { gap: Some(gap.clone()), ..SearchOptions::default() });
            let lower = from_solver(found.welfare.exact.as_ref().expect("an evaluated strategy"));
            let upper = oracle::plain::from_double(found.upper);
            assert!(greatest <= upper, "{plain}");
            let is_narrow = &upper - &lower <= from_solver(&gap) * &lower;
            match found.outcome {
                SearchOutcome::Optimal => {}
                SearchOutcome::WithinGap => assert!(is_narrow, "within the gap, from {lower} to {upper}: {plain}"),
                other => assert!(!is_decided, "{other:?}, from {lower} to {upper}: {plain}"),
            }
            // No strategy at all earns more than the best counting one.
            let best = solve(&model, &Options::default()).welfare(model.start());
            assert!(upper <= oracle::plain::from_double(best.enclosure.upper()) + q(1, 1000), "{upper}: {plain}");
        }
        let found = positional(&model, &SearchOptions { gap: Some(gap.clone()), ..SearchOptions::default() });
        let lower = from_solver(found.welfare.exact.as_ref().expect("an evaluated strategy"));
        assert!(&greatest - &lower <= from_solver(&gap) * &greatest, "{lower} and {greatest}: {plain}");
    }
}

fn random(seed: u64) -> Mdp {
    let mut random = Seeded::new(seed);
    let n_states = 2 + random.below(7) as usize;
    let n = 2 + random.below(2);
    let discounts = random.distinct(n, 20);
    RandomFamily {
        n_states,
        n_actions: 3,
        n_successors: (1 + random.below(3) as usize).min(n_states),
        discounts: discounts.iter().map(|&twentieth| Rational::from(twentieth) / Rational::from(20)).collect(),
        max_denominator: 12,
        max_reward: [2, 10, 100][random.below(3) as usize],
        seed: random.bits(),
    }
    .model()
    .expect("a model")
}

fn check(model: &Mdp) {
    let plain = Plain::of(model);
    let search = best(model);
    assert_eq!(search.outcome, SearchOutcome::Optimal, "{plain}");
    let found = from_solver(search.welfare.exact.as_ref().expect("an exact optimum"));
    assert_eq!(found, enumerated(&plain), "{plain}");
    let Strategy::Counting(strategy) = &search.strategy else { panic!("a positional strategy") };
    let of_state = |state| {
        assert_eq!(strategy.changes(state).len(), 1);
        strategy.tail(state).index() - model.choices(state).next().unwrap().index()
    };
    let policy: Vec<usize> = model.states().map(of_state).collect();
    assert_eq!(welfare(&plain, &policy), found, "the witness earns what it is said to earn: {plain}");
}

#[test]
fn the_optimum_of_random_models_is_the_best_of_all_strategies() {
    (0..1_000).for_each(|seed| check(&random(seed)));
}

#[test]
fn the_optimum_of_models_with_ties_is_the_best_of_all_strategies() {
    oracle::on_random_models(0..1_200, |plain| {
        if plain.states.iter().map(Vec::len).product::<usize>() <= 300 {
            check(&plain.model());
        }
        Ok(())
    });
}

#[test]
fn numbers_that_doubles_cannot_hold_do_not_lead_the_search_astray() {
    oracle::on_models(0..300, oracle::random::extreme, |plain| {
        let policies = all_policies(plain);
        if policies.len() > 100 {
            return Ok(());
        }
        let different = different_policies(plain);
        let best = different.iter().map(|policy| welfare(plain, policy)).max().expect("a policy");
        let search = positional(&plain.model(), &SearchOptions::default());
        if search.outcome == SearchOutcome::Optimal && search.welfare.exact.as_ref().map(from_solver) == Some(best) {
            Ok(())
        } else {
            Err(format!("{search:?}"))
        }
    });
}

#[test]
fn a_threshold_is_met_exactly_up_to_the_optimum() {
    let a_little = parse_rational("1e-30").unwrap();
    for seed in 0..100 {
        let model = random(seed);
        let optimum = best(&model).welfare.exact.expect("an exact optimum");
        for (threshold, expected) in [
            (optimum.clone(), ThresholdAnswer::Yes),
            (&optimum + &a_little, ThresholdAnswer::No),
            (&optimum - &a_little, ThresholdAnswer::Yes),
        ] {
            let options = SearchOptions { threshold: Some(threshold.clone()), ..SearchOptions::default() };
            let search = positional(&model, &options);
            assert_eq!(search.answer, Some(expected), "seed {seed}");
            let earned = search.welfare.exact.as_ref().unwrap();
            assert_eq!(*earned >= threshold, expected == ThresholdAnswer::Yes);
            // Whatever else is said of the optimum is true.
            assert!(search.outcome != SearchOutcome::Optimal || *earned == optimum, "seed {seed}");
            assert!(from_solver(&optimum) <= oracle::plain::from_double(search.upper), "seed {seed}");
        }
    }
}

/// By hand: both of u0 and u1 are reached once, at step 1, with 1/2; a earns q 1/2 there and b earns r 10/4.
#[test]
fn a_discount_that_rounds_to_one_hides_no_choice() {
    for nines in [17, 20, 40] {
        for last in ["z: {n: {to: z}}", "z: {n: {to: y}}\n  y: {n: {to: z}}"] {
            let text = format!(
                "start: s0
principals: {{p: 0.{}, q: 1/2, r: 1/4}}
states:
  s0: {{go: {{to: {{u0: 1/2, u1: 1/2}}}}}}
  u0: {{a: {{reward: {{q: 1}}, to: t1}}, b: {{reward: {{r: 10}}, to: z}}}}
  u1: {{a: {{reward: {{q: 1}}, to: t1}}, b: {{reward: {{r: 10}}, to: z}}}}
  t1: {{n: {{to: t2}}}}
  t2: {{n: {{to: t1}}}}
  {last}
",
                "9".repeat(nines)
            );
            let model = commonweal::internals::io::read_model(&text).expect("a valid model");
            let found = best(&model);
            assert_eq!(found.welfare.exact, Some(parse_rational("5/2").unwrap()), "{text}");
            assert_eq!(found.outcome, SearchOutcome::Optimal);
            let mixed = stationary(&model, &SearchOptions { node_limit: 50, ..SearchOptions::default() });
            assert!(mixed.upper >= 2.5, "{} for\n{text}", mixed.upper);
        }
    }
}

/// Small discounts and wide rewards: many choices are left out of the search because another one of their state is better for
/// everybody, and none of those may be of the best strategy.
#[test]
fn what_is_left_out_as_worse_for_everybody_is_not_best() {
    for seed in 0..200 {
        let mut random = Seeded::new(9_000 + seed);
        let n_states = 1 + random.below(4) as usize;
        let discounts = ["0 1/4", "1/3 1/4*2", "1/2 1/5", "1/2 1/3*-1", "2/5"][random.below(5) as usize];
        let n = discounts.split(' ').count();
        let mut lines = Vec::new();
        for state in 0..n_states {
            for action in 0..2 + random.below(3) {
                let all = random.below(3) == 0;
                let mut reward = || random.below(41) as i64 - if all { 60 } else { 20 };
                let rewards: Vec<String> = (0..n).map(|_| reward().to_string()).collect();
                let [a, b] = [random.below(n_states as u64), random.below(n_states as u64)];
                let to = if a == b { format!("s{a}") } else { format!("s{a}:1/3 s{b}:2/3") };
                lines.push(format!("s{state} a{action} {} -> {to}", rewards.join(",")));
            }
        }
        let plain = Plain::parse(discounts, &lines.iter().map(String::as_str).collect::<Vec<_>>());
        let found = best(&plain.model());
        assert_eq!(found.outcome, SearchOutcome::Optimal, "seed {seed}: {lines:?}");
        let exact = found.welfare.exact.expect("an exact welfare");
        assert_eq!(from_solver(&exact), enumerated(&plain), "seed {seed}: {discounts} {lines:?}");
    }
}
