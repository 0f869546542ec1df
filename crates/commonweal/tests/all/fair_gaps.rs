//! What `--gap` says of a rule is true of the question as it was asked.
//!
//! | models | compared with |
//! |---|---|
//! | random small models, every rule with a reference point or own bests that the program computes | the answer in fractions |
//! | models where everybody gets 0 | 0 |
//! | random small models, max-min and Kalai–Smorodinsky | what all others could have more, in fractions |

use crate::fair::{hotel, number, random};
use commonweal::internals::families::{RandomFamily, Seeded};
use commonweal::questions::{Fair, FairError, Over, PayoffSet, Proven, Question, Rule, evaluate, fair, fair_in};
use commonweal::{Engine, Model, Options, Rational, Strategy, Value, solve};

/// In doubles, to a gap.
fn within(model: &Model, question: &Question, gap: f64) -> Result<Fair, Box<FairError>> {
    fair(model, question, &Options { engine: Engine::Within(gap), ..Options::default() }).map_err(Box::new)
}

/// Whether every number between the bounds of one value is, or may be, between those of the other; of an exact one, whether it is.
fn contains(bounds: &Value, truth: &Value) -> bool {
    let (bounds, upper, lower) = (bounds.enclosure, truth.enclosure.upper(), truth.enclosure.lower());
    bounds.lower() <= upper && lower <= bounds.upper()
}

/// Own worsts and own bests as doubles compute them are not the true ones, and the exact value was outside of the bounds at every gap.
#[test]
fn the_true_value_is_within_the_bounds_although_own_bests_are_rounded() {
    let text = "start: s0
principals:
  p0: {discount: 7/10, weight: 0}
  p1: {discount: 3/4, weight: 1/2}
  p2: {discount: 2/3, weight: -1}
states:
  s0:
    a0: {reward: {p0: -1, p1: 2, p2: 5}, to: {s1: 1}}
    a1: {reward: {p0: 6, p1: 4, p2: -3}, to: {s1: 1/3, s0: 2/3}}
  s1:
    a0: {reward: {p0: -1, p1: 6, p2: 3}, to: {s1: 1}}
    a1: {reward: {p0: -3, p1: -1, p2: -3}, to: {s1: 1}}
";
    let model = Model::from_yaml(text).expect("a model");
    let asked = Question::new(Rule::KalaiSmorodinsky);
    let exact = fair(&model, &asked, &Options::default()).expect("an answer").value;
    assert_eq!(exact.exact, Some(number("1381/2101")));
    for gap in [1e-3, 1e-6, 1e-9] {
        let found = within(&model, &asked, gap).expect("an answer");
        assert_eq!(found.proven, Proven::WithinGap, "{found:?}");
        assert!(contains(&found.value, &exact) && found.value.enclosure.width() <= gap, "{gap}: {:?}", found.value);
    }
}

#[test]
fn bounds_hold_for_reference_points_that_the_program_computes() {
    let (mut tried, mut within_gap) = (0, 0);
    for seed in 0..150 {
        let model = Model::from(random(seed));
        let n = model.n_principals();
        let falling: Vec<String> = (0..n).map(|k| (n - k).to_string()).collect();
        let gini = format!("gini:{}", falling.join(","));
        let best = Strategy::Counting(solve(&model, &Options::default()).strategy().clone());
        let rules = ["welfare", "max-min", "leximin", "kalai-smorodinsky", &gini, "nash", "alpha:2", "alpha:1/2"];
        for (k, rule) in rules.into_iter().enumerate() {
            let over =
                if (seed as usize + k).is_multiple_of(4) { Over::Strategy(best.clone()) } else { Over::OwnWorst };
            let asked = Question { over, ..Question::new(rule.parse().expect("a rule")) };
            let Ok(truth) = fair(&model, &asked, &Options { engine: Engine::Exact, ..Options::default() }) else {
                continue;
            };
            let gap = [1e-2, 1e-4, 1e-6, 1e-9][(seed as usize / 4 + k) % 4];
            let what =
                |found: &dyn std::fmt::Debug| format!("seed {seed}, {rule}, {gap}: {found:?}, {:?}", truth.value);
            let found = match within(&model, &asked, gap) {
                Ok(found) => found,
                Err(error) => panic!("{}", what(&error)),
            };
            assert!(contains(&found.value, &truth.value), "{}", what(&found.value));
            let levels = found.levels.iter().zip(&truth.levels).take(1);
            levels.for_each(|(own, exact)| assert!(contains(&own.value, &exact.value), "{}", what(&own)));
            tried += 1;
            within_gap += i32::from(!matches!(found.proven, Proven::Stopped(_)));
        }
    }
    assert!(tried > 900 && within_gap * 100 > tried * 99, "{within_gap} of {tried} within the gap");
}

/// Nothing is relative to 0: where nobody gets anything, every gap is reached.
#[test]
fn a_gap_is_reached_where_everybody_gets_nothing() {
    let nothing = "start: s
principals: {a: 1/2, b: 1/3}
states:
  s: {x: {reward: 0, to: s}}
";
    let back_and_forth = "principals: {a: 2/3, b: 1/2, c: 1/3}
states:
  s0: {x: {reward: 0, to: s0}, y: {reward: {a: 1, b: -1}, to: s1}}
  s1: {x: {reward: {a: -3/2, b: 2, c: 0}, to: s0}}
";
    // Elsewhere there is something to get.
    let elsewhere = "start: s0
principals: {p0: 2/3, p1: 7/10}
states:
  s0: {a0: {reward: 0, to: s0}}
  s1: {a0: {reward: 1, to: s1}, a1: {reward: 2, to: {s2: 1/2, s0: 1/2}}, a2: {reward: {p1: 5}, to: s0}}
  s2: {a0: {reward: {p1: 5}, to: s1}, a1: {reward: {p0: 2}, to: {s0: 1/3, s1: 2/3}}}
";
    let many: String = (0..20_000).map(|k| format!("  x{k}: {{a: {{reward: 0, to: x{k}}}}}\n")).collect();
    for text in [nothing, back_and_forth, elsewhere] {
        for is_large in [false, true] {
            let model = Model::from_yaml(&(text.to_owned() + if is_large { &many } else { "" })).expect("a model");
            let gini = if model.n_principals() == 2 { "gini:2,1" } else { "gini:3,2,1" };
            for rule in ["welfare", "max-min", "leximin", gini] {
                let found = within(&model, &Question::new(rule.parse().expect("a rule")), 1e-3).expect("an answer");
                let is_done = matches!(found.proven, Proven::Optimal | Proven::WithinGap);
                assert!(is_done, "{rule}, {is_large}: {:?} {:?}\n{text}", found.proven, found.value);
                assert!(contains(&found.value, &Value::from(number("0"))), "{rule}: {:?}", found.value);
            }
        }
    }
}

/// Who has weight 0 gets as much as the others leave, also where a ceiling binds: with alice at most 10, bob can have 49/12.
#[test]
fn who_does_not_count_gets_what_is_left_under_a_ceiling() {
    let text = hotel().to_yaml().expect("YAML");
    let model = Model::from_yaml(&text).expect("a model").with_weight(1.into(), &number("0"));
    let asked = Question { at_most: vec![(0.into(), number("10"))], ..Question::new(Rule::Welfare) };
    let exact = fair(&model, &asked, &Options::default()).expect("an answer");
    assert_eq!(exact.proven, Proven::Optimal);
    let payoffs: Vec<_> = exact.payoffs.iter().map(|payoff| payoff.exact.clone().expect("a fraction")).collect();
    assert_eq!(payoffs, [number("10"), number("49/12")]);
    let found = within(&model, &asked, 1e-6).expect("an answer");
    assert_eq!(found.proven, Proven::WithinGap, "{found:?}");
    assert!((found.payoffs[1].enclosure.midpoint() - 49.0 / 12.0).abs() < 1e-4, "{:?}", found.payoffs);
    assert!(contains(&found.value, &exact.value), "{:?}", found.value);
}

/// Where the least gain can be no greater, the others get what they can: nobody could have more at no cost to anybody. In fractions, and in doubles to
/// within what the gap is worth at the least multiplier that fixes a level, 1/1024: for one principal, 1,024 times the gap of its range.
#[test]
fn no_lottery_is_better_for_somebody_and_worse_for_nobody() {
    const GAP: f64 = 1e-9;
    // Rewards are from −4 to 4, and discounts at most 2/3.
    const WIDEST: f64 = 24.0;
    const WORK: u64 = 50_000_000;
    let (mut in_doubles, mut later) = (0, 0);
    for seed in 0..100 {
        let model = Model::from(random(seed));
        let n = model.n_principals();
        for (rule, over) in
            [("max-min", Over::Nothing), ("max-min", Over::OwnWorst), ("kalai-smorodinsky", Over::OwnWorst)]
        {
            let asked = Question { over, ..Question::new(rule.parse().expect("a rule")) };
            for engine in [Engine::Exact, Engine::Within(GAP)] {
                let options = Options { engine, ..Options::default() };
                let found = fair(&model, &asked, &options).expect("an answer");
                let what = || format!("seed {seed}, {rule}, {engine:?}: {:?}", found.payoffs);
                assert!(matches!(found.proven, Proven::WithinGap | Proven::Optimal), "{}", what());
                let worth =
                    evaluate(&model, &Strategy::Lottery(found.lottery()), &Options::default()).expect("payoffs");
                let gets: Vec<Rational> =
                    (0..n).map(|p| worth.payoff(p.into(), model.start()).exact.expect("a fraction")).collect();
                let at_least = gets.iter().enumerate().map(|(p, own)| (p.into(), own.clone())).collect();
                let even = (0..n).fold(model.clone(), |model, p| model.with_weight(p.into(), &Rational::ONE));
                // Floors without slack, in long fractions: some take too long to compare with.
                let set = PayoffSet::new(&even, &Options { engine: Engine::Exact, ..Options::default() });
                let asked = Question { at_least, ..Question::new(Rule::Welfare) };
                let most = fair_in(&set.with_work_limit(WORK), &asked).expect("it meets its own payoffs");
                if most.proven != Proven::Optimal {
                    continue;
                }
                let most = most.value.enclosure.upper();
                let total = gets.iter().fold(Rational::ZERO, |sum, own| sum + own).to_f64();
                let allowed = if found.gap.is_none() { 1e-12 } else { 1024.0 * n as f64 * GAP } * WIDEST;
                assert!(most - total <= allowed, "{}: {most} in place of {total}", what());
                in_doubles += u32::from(found.gap.is_some());
                later += u32::from(found.gap.is_some() && found.weights.iter().any(Rational::is_zero));
            }
        }
    }
    assert!(in_doubles > 60 && later > 3, "{in_doubles}, {later}");
}

/// With distinct discounts the long-term strategy does not depend on positive weights: it is found once, whatever is asked then.
#[test]
fn further_solves_find_the_long_term_strategy_cached() {
    let discounts = ["9/10", "4/5"].map(number).to_vec();
    let (n_actions, n_successors, max_denominator, max_reward, seed) = (2, 5, 100, 100, 1);
    let large = RandomFamily { n_states: 1000, n_actions, n_successors, discounts, max_denominator, max_reward, seed };
    let cases = [
        (Model::from(large.model().expect("a model")), Engine::Within(1e-6)),
        (Model::from(RandomFamily { n_states: 60, ..large }.model().expect("a model")), Engine::Exact),
    ];
    for (model, engine) in cases {
        let set = PayoffSet::new(&model, &Options { engine, ..Options::default() });
        let mut random = Seeded::new(7);
        let mut found = Vec::new();
        for _ in 0..12 {
            let weights = (0..2).map(|_| Rational::from_quotient(1 + random.below(99) as i64, 100)).collect();
            found.push(set.best(&weights).expect("a point").most);
        }
        assert_eq!((set.calls(), set.long_term_solves()), (12, 1), "{engine:?}");
        assert!(found.windows(2).any(|pair| pair[0] != pair[1]));
        // Another sign is another long-term strategy.
        set.best(&vec![Rational::ONE, -Rational::ONE]).expect("a point");
        assert_eq!((set.calls(), set.long_term_solves()), (13, 2), "{engine:?}");
    }
}
