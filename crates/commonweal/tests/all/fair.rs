//! Fair welfare: the hotel's table, exactly, and what every answer must prove.
//!
//! | models | compared with |
//! |---|---|
//! | the hotel, every rule, Nash and α-fair with floors and ceilings | figures worked out by hand |
//! | random small models, every rule, floors and ceilings | the weights of the answer: one solve of the model with these weights proves it |

use commonweal::internals::families::Seeded;
use commonweal::internals::model::Mdp;
use commonweal::questions::{Fair, FairError, Over, PayoffSet, Proven, Question, Rule, evaluate, fair, fair_in};
use commonweal::structure::Principal;
use commonweal::{Engine, Model, ModelBuilder, Options, Rational, Step, Strategy, Value, solve};

pub fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

pub fn hotel() -> Model {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/paper/hotel.yaml"));
    Model::from_yaml(&text.expect("the hotel")).expect("a model")
}

/// What alice and bob get where the hotel is rebuilt after `wait` steps: 9 + 2 (2/3)^k and 9/2 − 5/2 (1/3)^k.
pub fn waiting(wait: isize) -> [Rational; 2] {
    let alice = number("9") + number("2") * number("2/3").pow(wait);
    [alice, number("9/2") - number("5/2") * number("1/3").pow(wait)]
}

/// One decision between these payoffs, for principals of these discounts.
pub fn one_decision(points: &[Vec<u64>], discounts: &[&str]) -> Model {
    let names: Vec<String> = discounts.iter().enumerate().map(|(p, discount)| format!("p{p}: {discount}")).collect();
    let action = |(k, point): (usize, &Vec<u64>)| {
        let rewards: Vec<String> = point.iter().enumerate().map(|(p, x)| format!("p{p}: {x}")).collect();
        format!("    a{k}: {{reward: {{{}}}, to: end}}\n", rewards.join(", "))
    };
    let actions: String = points.iter().enumerate().map(action).collect();
    let text =
        format!("principals: {{{}}}\nstates:\n  begin:\n{actions}  end: {{rest: {{to: end}}}}\n", names.join(", "));
    Model::from_yaml(&text).expect("a model")
}

fn exact(fair: &Fair) -> Vec<String> {
    fair.payoffs.iter().map(|payoff| payoff.exact.as_ref().expect("a fraction").to_string()).collect()
}

/// How long each strategy of the lottery waits before it rebuilds, and its probability; `never` where it does not.
fn waits(model: &Model, fair: &Fair) -> Vec<(String, String)> {
    let of = |share: &commonweal::questions::Share| {
        let last = share.strategy.changes(model.start()).last().expect("a change");
        let rebuilds = model.structure().action_name(last.choice) == "b";
        let wait = if rebuilds { last.from.clone() } else { Step::from(u64::MAX) };
        let wait = if wait == Step::from(u64::MAX) { "never".to_owned() } else { wait.to_string() };
        (share.probability.to_string(), wait)
    };
    fair.mix.iter().map(of).collect()
}

#[test]
fn the_hotels_table() {
    let model = hotel();
    let given = |alice: &str, bob: &str| Over::Given(vec![number(alice), number(bob)]);
    let (alice, bob) = (0.into(), 1.into());
    let question = |rule: &str| Question::new(rule.parse().expect("a rule"));
    let from = |rule: &str, over: Over| Question { over, ..question(rule) };
    let with = |at_least: Vec<(commonweal::structure::PrincipalId, &str)>| Question {
        at_least: at_least.into_iter().map(|(p, floor)| (p, number(floor))).collect(),
        ..question("welfare")
    };
    type Row<'a> = (&'a str, Question, &'a str, [&'a str; 2], &'a [(&'a str, &'a str)]);
    let rows: [Row; 13] = [
        ("welfare", question("welfare"), "127/9", ["89/9", "38/9"], &[("1", "2")]),
        ("max-min", question("max-min"), "9/2", ["9", "9/2"], &[("1", "never")]),
        ("leximin", question("leximin"), "9/2", ["9", "9/2"], &[("1", "never")]),
        (
            "max-min over own worst",
            from("max-min", Over::OwnWorst),
            "10/7",
            ["73/7", "24/7"],
            &[("1/7", "0"), ("6/7", "1")],
        ),
        (
            "max-min over (9, 2)",
            from("max-min", given("9", "2")),
            "10/7",
            ["73/7", "24/7"],
            &[("1/7", "0"), ("6/7", "1")],
        ),
        // Nobody can gain for certain, and vertices accumulate at the answer.
        ("max-min over (9, 9/2)", from("max-min", given("9", "9/2")), "0", ["9", "9/2"], &[("1", "never")]),
        ("kalai-smorodinsky", question("kalai-smorodinsky"), "2/3", ["31/3", "11/3"], &[("1", "1")]),
        ("nash from own worst", question("nash"), "20/9", ["31/3", "11/3"], &[("1", "1")]),
        (
            "nash from (9, 3)",
            from("nash", given("9", "3")),
            "49/45",
            ["149/15", "25/6"],
            &[("1/10", "1"), ("9/10", "2")],
        ),
        (
            "welfare with alice ≥ 10",
            with(vec![(alice, "10")]),
            "169/12",
            ["10", "49/12"],
            &[("1/4", "1"), ("3/4", "2")],
        ),
        ("welfare with bob ≥ 9/2", with(vec![(bob, "9/2")]), "27/2", ["9", "9/2"], &[("1", "never")]),
        ("gini", question("gini:2/3,1/3"), "497/81", ["259/27", "119/27"], &[("1", "3")]),
        ("alpha:2 from own worst", from("alpha:2", Over::OwnWorst), "-27/20", ["31/3", "11/3"], &[("1", "1")]),
    ];
    for (name, question, value, payoffs, mix) in rows {
        let fair = fair(&model, &question, &Options::default()).expect(name);
        let found: Vec<(String, String)> = waits(&model, &fair);
        let found: Vec<(&str, &str)> = found.iter().map(|(share, wait)| (share.as_str(), wait.as_str())).collect();
        assert_eq!(fair.proven, Proven::Optimal, "{name}: {fair:?}");
        assert_eq!(fair.value.exact, Some(number(value)), "{name}");
        assert_eq!(exact(&fair), payoffs, "{name}");
        assert_eq!(found, mix, "{name}");
    }
    let max_min = fair(&model, &question("max-min"), &Options::default()).unwrap();
    assert_eq!(max_min.weights, [number("0"), number("1")]);
    let both = with(vec![(alice, "10"), (bob, "41/10")]);
    let infeasible = fair(&model, &both, &Options::default()).unwrap();
    assert_eq!(infeasible.proven, Proven::Infeasible);
    assert_eq!(infeasible.value.exact, Some(number("1/135")));
    assert_eq!(infeasible.weights, [number("5/9"), number("4/9")]);
}

#[test]
fn questions_that_make_no_sense_say_why() {
    let model = hotel();
    let question = |rule: &str| Question::new(rule.parse().expect("a rule"));
    let ask = |question: Question| fair(&model, &question, &Options::default()).expect_err("no answer").to_string();
    let alice = || 0.into();
    let error = ask(question("gini:1"));
    assert_eq!(error, "the rule `gini` has 1 weight for 2 principals; give one each, the worst-off first");
    let floors = Question { at_least: vec![(alice(), number("3")), (alice(), number("4"))], ..question("welfare") };
    assert!(ask(floors).contains("two bounds of the same kind, 3 and 4"));
    let crossed = Question {
        at_least: vec![(alice(), number("10"))],
        at_most: vec![(alice(), number("9"))],
        ..question("welfare")
    };
    assert!(ask(crossed).contains("at least 10 and at most 9"));
    let high = Question { over: Over::Given(vec![number("12"), number("2")]), ..question("kalai-smorodinsky") };
    assert!(ask(high).contains("no strategy gives more than 11"));
    let high = Question { over: Over::Given(vec![number("11"), number("2")]), ..question("nash") };
    assert!(ask(high).contains("no strategy gives `alice` more than 11"));
    let together = Question { over: Over::Given(vec![number("10"), number("17/4")]), ..question("nash") };
    assert!(ask(together).contains("not all can gain together"));
    let costs = Model::from_yaml("{principals: {p: 1/2}, states: {s: {a: {reward: -1, to: s}}}}").expect("a model");
    let error = fair(&costs, &question("alpha:2"), &Options::default()).expect_err("no gain");
    assert!(error.to_string().contains("the reference point `own-worst`"), "{error}");
    assert!(matches!("alpha:1".parse::<Rule>(), Err(FairError::AlphaIsNash)));
}

/// Small models with two to four principals, equal discounts, discount 0, ties and weights of their own.
pub fn random(seed: u64) -> Mdp {
    let mut random = Seeded::new(seed);
    let mut pick = |n: u64| random.below(n);
    let discounts = ["2/3", "1/2", "3/5", "1/3", "1/4", "0"];
    let n = 2 + pick(3) as usize;
    let weights = ["1", "1", "2", "1/2"];
    let principal = |p: usize, pick: &mut dyn FnMut(u64) -> u64| {
        let own = Principal::new(format!("p{p}"), number(discounts[pick(6) as usize])).expect("a principal");
        own.weighted(number(weights[pick(4) as usize]))
    };
    let principals: Vec<Principal> = (0..n).map(|p| principal(p, &mut pick)).collect();
    let n_states = 2 + pick(3) as usize;
    let names: Vec<String> = (0..n_states).map(|s| format!("s{s}")).collect();
    let mut builder = ModelBuilder::new(principals, names.iter().map(String::as_str)).expect("names");
    for state in 0..n_states {
        for action in 0..1 + pick(3) {
            let same = pick(3) == 0;
            let first = pick(9) as i64 - 4;
            let rewards: Vec<Rational> =
                (0..n).map(|_| Rational::from(if same { first } else { pick(9) as i64 - 4 })).collect();
            let (one, other) = (pick(n_states as u64) as usize, pick(n_states as u64) as usize);
            let share = Rational::from_quotient(1 + pick(3) as i64, 4);
            let row = if one == other {
                vec![(one.into(), Rational::ONE)]
            } else {
                vec![(one.into(), share.clone()), (other.into(), Rational::ONE - share)]
            };
            builder.choice(state.into(), &format!("a{action}"), rewards, row).expect("a valid row");
        }
    }
    builder.finish().expect("a valid model")
}

/// The greatest weighted sum that any strategy has, by the plain engine on the model with these weights.
pub fn most(mdp: &Mdp, weights: &[Rational]) -> Rational {
    let principals = mdp.principals().iter().zip(weights);
    let principals = principals.map(|(own, weight)| own.clone().weighted(weight.clone())).collect();
    let names: Vec<String> = mdp.states().map(|state| mdp.state_name(state).into_owned()).collect();
    let mut builder = ModelBuilder::new(principals, names.iter().map(String::as_str)).expect("names");
    for state in mdp.states() {
        for choice in mdp.choices(state) {
            let row = mdp.transitions(choice).map(|(target, probability)| (target, probability.clone()));
            builder.choice(state, &mdp.action_name(choice), mdp.rewards(choice).to_vec(), row).expect("a valid row");
        }
    }
    let answer = solve(&Model::from(builder.finish().expect("a valid model")), &Options::default());
    answer.welfare(mdp.start()).exact.expect("a fraction")
}

pub fn dot(weights: &[Rational], payoffs: &[Value]) -> Rational {
    let each = weights.iter().zip(payoffs).map(|(weight, payoff)| weight * payoff.exact.clone().expect("a fraction"));
    each.fold(Rational::ZERO, |sum, term| sum + term)
}

/// What the weights of an answer prove: nothing has a greater weighted sum. The value follows for each rule, because no point
/// of the half-space does better by the rule.
#[test]
fn the_weights_of_every_answer_prove_it() {
    let mut tried = [0; 8];
    for seed in 0..120 {
        let mdp = random(seed);
        let n = mdp.n_principals();
        let model = Model::from(mdp.clone());
        let even: Vec<String> = (0..n).map(|k| (2 * (n - k)).to_string()).collect();
        let rules = [
            "welfare",
            "max-min",
            "leximin",
            "kalai-smorodinsky",
            &format!("gini:{}", even.join(",")),
            "nash",
            "alpha:2",
            "alpha:1/2",
        ];
        for (kind, rule) in rules.into_iter().enumerate() {
            let is_smooth = matches!(rule, "nash" | "alpha:2" | "alpha:1/2");
            let over = if is_smooth { Over::OwnWorst } else { Question::new(rule.parse().unwrap()).over };
            let question = Question { over, ..Question::new(rule.parse().unwrap()) };
            let answer = match fair(&model, &question, &Options::default()) {
                Ok(answer) => answer,
                Err(FairError::NobodyGains { .. }) => continue,
                Err(error) => panic!("seed {seed}, {rule}: {error}"),
            };
            let what = format!("seed {seed}, {rule}: {answer:#?}\n{}", model.to_yaml().expect("YAML"));
            tried[kind] += 1;
            assert!(answer.mix.len() <= n + 1, "{what}");
            assert!(answer.proven != Proven::Infeasible, "{what}");
            // The lottery is worth what it says.
            let lottery = Strategy::Lottery(answer.lottery());
            let worth = evaluate(&model, &lottery, &Options::default()).expect("an evaluation");
            for (p, payoff) in answer.payoffs.iter().enumerate() {
                assert_eq!(worth.payoff(p.into(), model.start()), *payoff, "{what}");
            }
            let gains: Vec<Rational> =
                answer.payoffs.iter().zip(&answer.over).map(|(x, d)| x.exact.clone().unwrap() - d).collect();
            let weights = &answer.weights;
            assert!(!matches!(answer.proven, Proven::Stopped(_)), "{what}");
            if answer.proven != Proven::Optimal || rule == "alpha:1/2" {
                assert!(is_smooth, "{what}");
                continue;
            }
            let value = answer.value.exact.clone().expect("a fraction");
            let reference = dot(weights, &answer.over.iter().cloned().map(Value::from).collect::<Vec<_>>());
            assert_eq!(most(&mdp, weights), dot(weights, &answer.payoffs), "{what}");
            let most_gain = dot(weights, &answer.payoffs) - reference;
            match rule {
                "welfare" => {
                    let own: Vec<Rational> =
                        mdp.principals().iter().map(|principal| principal.weight.clone()).collect();
                    assert_eq!((weights, &value), (&own, &dot(&own, &answer.payoffs)), "{what}");
                }
                "max-min" | "leximin" => {
                    assert_eq!(gains.iter().min(), Some(&value), "{what}");
                    // Weights that sum to 1: the least gain is at most the weighted one.
                    assert!(weights.iter().all(|weight| *weight >= Rational::ZERO), "{what}");
                    let total = weights.iter().fold(Rational::ZERO, |sum, weight| sum + weight);
                    assert_eq!(most_gain, value * total, "{what}");
                }
                "kalai-smorodinsky" => {
                    let unit =
                        |p: usize| -> Vec<Rational> { (0..n).map(|q| Rational::from(i64::from(p == q))).collect() };
                    let ranges: Vec<Rational> = (0..n).map(|p| most(&mdp, &unit(p)) - &answer.over[p]).collect();
                    assert!(gains.iter().zip(&ranges).all(|(gain, range)| *gain >= range * &value), "{what}");
                    let total =
                        weights.iter().zip(&ranges).fold(Rational::ZERO, |sum, (weight, range)| sum + weight * range);
                    assert!(total.is_zero() || most_gain == value * total, "{what}");
                }
                "nash" => {
                    // The weights are one over the gains: the sum of logarithms is concave.
                    let counted = weights.iter().filter(|weight| !weight.is_zero()).count();
                    assert_eq!(most_gain, Rational::from(counted), "{what}");
                }
                "alpha:2" => {
                    for (weight, gain) in weights.iter().zip(&gains).filter(|(weight, _)| !weight.is_zero()) {
                        assert_eq!(*weight, Rational::ONE / (gain * gain), "{what}");
                    }
                }
                _ => {
                    let mut sorted = gains.clone();
                    sorted.sort();
                    let each = sorted.iter().enumerate().map(|(k, gain)| gain * Rational::from(2 * (n - k)));
                    assert_eq!(each.fold(Rational::ZERO, |sum, term| sum + term), value, "{what}");
                    assert_eq!(most_gain, value, "{what}");
                }
            }
        }
    }
    assert!(tried[..5].iter().all(|count| *count == 120) && tried[5..].iter().all(|count| *count > 60), "{tried:?}");
}

/// Stopped after any number of solves, an answer has bounds around the optimum, and its lottery attains the lower one.
#[test]
fn bounds_hold_wherever_a_rule_is_stopped() {
    let (mut stopped, mut bounded) = (0, 0);
    for seed in 0..40 {
        let model = Model::from(random(seed));
        let n = model.n_principals();
        let falling: Vec<String> = (0..n).map(|k| (n - k).to_string()).collect();
        let gini = format!("gini:{}", falling.join(","));
        for rule in ["welfare", "max-min", "leximin", "kalai-smorodinsky", &gini, "nash", "alpha:2", "alpha:1/2"] {
            let is_smooth = matches!(rule, "nash" | "alpha:2" | "alpha:1/2");
            let usual = Question::new(rule.parse().unwrap());
            let asked = if is_smooth { Question { over: Over::OwnWorst, ..usual } } else { usual };
            let Ok(truth) = fair(&model, &asked, &Options::default()) else { continue };
            let truth = truth.value.enclosure;
            for calls in 0..3 * n as u64 {
                let set = PayoffSet::new(&model, &Options::default()).with_most_calls(calls);
                let Ok(answer) = fair_in(&set, &asked) else { continue };
                let Proven::Stopped(_) = answer.proven else { continue };
                let bounds = answer.value.enclosure;
                let what = || format!("seed {seed}, {rule}, {calls} solves: {answer:#?}, {truth:?}");
                assert!(bounds.lower() <= truth.upper() && truth.lower() <= bounds.upper(), "{}", what());
                stopped += 1;
                bounded += i32::from(bounds.lower().is_finite() && bounds.upper().is_finite());
                let gains = answer.payoffs.iter().zip(&answer.over).map(|(x, d)| x.enclosure.upper() - d.to_f64());
                if matches!(rule, "max-min" | "leximin") {
                    assert!(gains.fold(f64::INFINITY, f64::min) >= bounds.lower() - 1e-12, "{}", what());
                }
            }
        }
    }
    assert!(stopped > 1_000 && bounded > 500, "{stopped}, {bounded}");
}

/// Floors and ceilings at all places, some of them out of reach: what the lottery gives, by an exact evaluation, meets every one of
/// them, and where they cannot be met the weights of the answer say so.
#[test]
fn lotteries_meet_every_floor_and_ceiling() {
    let (mut met, mut binding, mut infeasible) = (0, 0, 0);
    for seed in 0..400 {
        let mdp = random(seed);
        let n = mdp.n_principals();
        let model = Model::from(mdp.clone());
        let mut pick = Seeded::new(seed + 10_000);
        for rule in ["welfare", "welfare", "max-min", "leximin"] {
            let mut asked = Question::new(rule.parse().unwrap());
            for p in 0..n {
                let mut bound = || Rational::from_quotient(pick.below(25) as i64 - 12, 4);
                let (one, other) = (bound(), bound());
                match pick.below(4) {
                    0 => asked.at_least.push((p.into(), one)),
                    1 => asked.at_most.push((p.into(), one)),
                    2 => {
                        asked.at_least.push((p.into(), one.clone().min(other.clone())));
                        asked.at_most.push((p.into(), one.max(other)));
                    }
                    _ => {}
                }
            }
            let answer = fair(&model, &asked, &Options::default()).expect("an answer");
            let what = || format!("seed {seed}, {asked:?}: {answer:#?}\n{}", model.to_yaml().expect("YAML"));
            if answer.proven == Proven::Infeasible {
                // The best weighted sum misses what the demands, weighted, ask for.
                let demanded = |(p, weight): (usize, &Rational)| {
                    let bounds = if *weight > Rational::ZERO { &asked.at_least } else { &asked.at_most };
                    let bound = bounds.iter().find(|(own, _)| own.index() == p);
                    bound.map_or(Rational::ZERO, |(_, bound)| bound * weight)
                };
                let demanded = answer.weights.iter().enumerate().map(demanded).fold(Rational::ZERO, |sum, x| sum + x);
                if answer.then.is_empty() {
                    assert!(most(&mdp, &answer.weights) < demanded, "{}", what());
                }
                infeasible += 1;
                continue;
            }
            assert_eq!(answer.proven, Proven::Optimal, "{}", what());
            let lottery = Strategy::Lottery(answer.lottery());
            let worth = evaluate(&model, &lottery, &Options::default()).expect("an evaluation");
            let got = |p: commonweal::structure::PrincipalId| worth.payoff(p, model.start()).exact.expect("a fraction");
            for (p, floor) in &asked.at_least {
                assert!(got(*p) >= *floor, "{}", what());
                binding += i32::from(got(*p) == *floor);
            }
            for (p, ceiling) in &asked.at_most {
                assert!(got(*p) <= *ceiling, "{}", what());
                binding += i32::from(got(*p) == *ceiling);
            }
            met += 1;
        }
    }
    assert!(met > 300 && binding > 100 && infeasible > 300, "{met}, {binding}, {infeasible}");
}

/// Nash and α-fair under demands that their optimum does not meet: the best is then where the demand binds, between two waits.
#[test]
fn smooth_rules_of_the_hotel_meet_floors_and_ceilings() {
    let model = hotel();
    let (own_worst, nash, alpha) = (["9", "2"], "nash", "alpha:2");
    let (floor, ceiling) = (true, false);
    // The rule, its reference point, who is to get at least or at most how much, what both get, and the value.
    type Row<'a> = (&'a str, [&'a str; 2], (usize, bool, &'a str), [&'a str; 2], &'a str);
    let rows: [Row; 9] = [
        (nash, own_worst, (0, floor, "32/3"), ["32/3", "17/6"], "25/18"),
        (nash, own_worst, (0, ceiling, "10"), ["10", "49/12"], "25/12"),
        (nash, own_worst, (1, floor, "4"), ["151/15", "4"], "32/15"),
        // Without demands the optimum is inside an edge.
        (nash, ["9", "3"], (0, floor, "10"), ["10", "49/12"], "13/12"),
        (alpha, own_worst, (0, floor, "32/3"), ["32/3", "17/6"], "-9/5"),
        (alpha, own_worst, (0, ceiling, "10"), ["10", "49/12"], "-37/25"),
        (alpha, own_worst, (1, floor, "4"), ["151/15", "4"], "-23/16"),
        // What the optimum gives anyway.
        (nash, own_worst, (0, floor, "31/3"), ["31/3", "11/3"], "20/9"),
        (alpha, own_worst, (1, ceiling, "11/3"), ["31/3", "11/3"], "-27/20"),
    ];
    for (rule, over, (p, is_floor, bound), payoffs, value) in rows {
        let over = Over::Given(over.map(number).to_vec());
        let mut asked = Question { over, ..Question::new(rule.parse().expect("a rule")) };
        if is_floor { &mut asked.at_least } else { &mut asked.at_most }.push((p.into(), number(bound)));
        let answer = fair(&model, &asked, &Options::default()).expect("an answer");
        let what = format!("{asked:?}: {answer:#?}");
        let lottery = Strategy::Lottery(answer.lottery());
        let worth = evaluate(&model, &lottery, &Options::default()).expect("an evaluation");
        let got = |p: usize| worth.payoff(p.into(), model.start()).exact.expect("a fraction");
        assert!(if is_floor { got(p) >= number(bound) } else { got(p) <= number(bound) }, "{what}");
        let value = number(value).to_f64();
        assert!(answer.value.enclosure.lower() <= value && value <= answer.value.enclosure.upper(), "{what}");
        for (p, payoff) in payoffs.iter().enumerate() {
            assert!((got(p) - number(payoff)).abs() < number("1/1000"), "{what}");
        }
    }
}

/// What a gap of G means: bounds that are apart by at most G times what the rule is measured by, and the exact value between them. Here
/// payoffs are near 1,000 and differ by little, so what is gained is small beside them.
#[test]
fn the_gap_of_a_rule_is_relative_to_what_it_measures() {
    let text = "principals: {p: 1/2, q: {discount: 1/3, weight: 100}, r: 1/4}
states:
  s: {a: {reward: {p: 500, q: 667, r: 750}, to: s}, b: {reward: {p: 501, q: 666, r: 750}, to: t}, c: {reward: {p: 500, q: 666, r: 752}, to: t}}
  t: {a: {reward: {p: 500, q: 667, r: 749}, to: s}, b: {reward: {p: 501, q: 666, r: 750}, to: t}}
";
    let model = Model::from_yaml(text).expect("a model");
    for (rule, scale) in [
        // The greatest weighted payoff is q's, about 100 times 1,000.
        ("welfare", 100_200.0),
        ("max-min", 1_004.0),
        ("gini:3,2,1", 6.0 * 1_004.0),
        // A share of the own best gain.
        ("kalai-smorodinsky", 1.0),
    ] {
        let asked = Question::new(rule.parse().expect("a rule"));
        let exact = fair(&model, &asked, &Options::default()).expect("an answer").value.exact.expect("a fraction");
        for gap in [1e-2, 1e-4, 1e-6] {
            let options = Options { engine: Engine::Within(gap), ..Options::default() };
            let answer = fair(&model, &asked, &options).expect("an answer");
            let (lower, upper) = (answer.value.enclosure.lower(), answer.value.enclosure.upper());
            let what = format!("{rule}, {gap}: {lower} to {upper}, exactly {}", exact.to_f64());
            assert_eq!(answer.proven, Proven::WithinGap, "{what}");
            assert!(upper - lower <= gap * scale, "{what}");
            assert!(lower <= exact.to_f64() && exact.to_f64() <= upper, "{what}");
        }
    }
}

/// What is a tie for those whom the rule counts is decided for the others in doubles too: nobody's payoff is left on the table.
#[test]
fn ties_are_broken_for_the_others_in_doubles() {
    let text = "principals: {pat: 0.97, now: 0}
states:
  s: {lazy: {reward: {pat: 3, now: 2}, to: s}, work: {reward: {pat: 5, now: 2}, to: s}, mean: {reward: {pat: 6, now: 1}, to: s}}
";
    let model = Model::from_yaml(text).unwrap();
    for rule in [Rule::MaxMin, Rule::Leximin, Rule::KalaiSmorodinsky] {
        let found = |engine: Engine| {
            let set_options = Options { engine, ..Options::default() };
            fair(&model, &Question::new(rule.clone()), &set_options).unwrap()
        };
        let (exact, certified) = (found(Engine::Exact), found(Engine::Within(1e-6)));
        for (exact, certified) in exact.payoffs.iter().zip(&certified.payoffs) {
            let (exact, certified) = (exact.enclosure.midpoint(), certified.enclosure.midpoint());
            assert!((exact - certified).abs() <= 1e-4 * exact.abs(), "{rule:?}: {exact} {certified}");
        }
    }
}

/// The hotel beside many states that nobody comes to: too large for fractions.
fn large_hotel() -> Model {
    let mut text = "principals: {alice: 2/3, bob: 1/3}
states:
  s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}
  s1: {b: {reward: 6, to: s1}}
"
    .to_owned();
    for state in 0..20_000 {
        text += &format!("  x{state}: {{a: {{reward: {}, to: s{}}}}}\n", state % 97, state % 2);
    }
    Model::from_yaml(&text).expect("a model")
}

/// Bob's floor is his own best: there is no slack. A small model is answered in fractions; for a large one the floor is relaxed by about the gap, and
/// the bounds are those of the relaxed floor, which the small model confirms in fractions.
#[test]
fn floors_without_slack_have_finite_bounds_in_doubles() {
    let options = Options { engine: Engine::Within(1e-6), ..Options::default() };
    let small = hotel();
    let large = large_hotel();
    for rule in ["welfare", "max-min", "leximin", "gini:2/3,1/3", "alpha:2"] {
        let floor = |floor: Rational| Question {
            at_least: vec![(1.into(), floor)],
            ..Question::new(rule.parse().expect("a rule"))
        };
        let asked = floor(number("9/2"));
        let exact = fair(&small, &asked, &options).expect("an answer");
        assert_eq!((exact.gap, exact.relaxed_by.is_zero()), (None, true), "{rule}");
        assert_eq!(exact.payoffs[0].exact, Some(number("9")), "{rule}");
        let found = fair(&large, &asked, &options).expect("an answer");
        assert!(found.gap.is_some() && found.relaxed_by > Rational::ZERO, "{rule}");
        assert!(found.relaxed_by < number("1e-4"), "{rule}: {}", found.relaxed_by);
        let (lower, upper) = (found.value.enclosure.lower(), found.value.enclosure.upper());
        let relaxed = fair(&small, &floor(number("9/2") - &found.relaxed_by), &Options::default()).expect("an answer");
        let known = relaxed.value.enclosure;
        assert!(lower <= known.upper() && known.lower() <= upper, "{rule}: {lower} to {upper}, {known:?}");
        assert!(upper - lower <= 1e-4, "{rule}: {lower} to {upper}");
        // What the demand itself allows is not above the upper bound either.
        assert!(exact.value.enclosure.lower() <= upper, "{rule}");
        let worth = evaluate(&large, &Strategy::Lottery(found.lottery()), &Options::default()).expect("an evaluation");
        let bob = worth.payoff(1.into(), large.start()).enclosure.upper();
        assert!(Rational::try_from(bob).expect("finite") >= number("9/2") - &found.relaxed_by, "{rule}: {bob}");
    }
}

/// Every level of leximin in doubles has bounds. The lottery reaches the lower one; that no lottery which gives as much at the levels before exceeds
/// the upper one, a max-min in fractions confirms, in which the principals of these levels have floors and count from far below.
#[test]
fn every_level_of_leximin_has_proven_bounds_in_doubles() {
    let far = number("-1000000");
    let (mut later, mut in_fractions) = (0, 0);
    for seed in 0..60 {
        let model = Model::from(random(seed));
        let n = model.n_principals();
        let options = Options { engine: Engine::Within(1e-6), ..Options::default() };
        let found = fair(&model, &Question::new(Rule::Leximin), &options).expect("an answer");
        in_fractions += u32::from(found.gap.is_none());
        assert!(matches!(found.proven, Proven::WithinGap | Proven::Optimal), "seed {seed}: {:?}", found.proven);
        let who: Vec<usize> = found.levels.iter().flat_map(|level| &level.who).map(|p| p.index()).collect();
        assert_eq!(who.len(), n, "seed {seed}: {:?}", found.levels);
        let worth = evaluate(&model, &Strategy::Lottery(found.lottery()), &Options::default()).expect("an evaluation");
        let gets = |p: usize| worth.payoff(p.into(), model.start()).exact.expect("a fraction");
        for (index, level) in found.levels.iter().enumerate() {
            let (mut over, mut at_least) = (vec![Rational::ZERO; n], Vec::new());
            for before in &found.levels[..index] {
                let lower = || Rational::try_from(before.value.enclosure.lower()).expect("finite");
                let floor = before.value.exact.clone().unwrap_or_else(lower);
                for p in &before.who {
                    over[p.index()] = far.clone();
                    at_least.push((*p, floor.clone()));
                }
            }
            let asked = Question { at_least, over: Over::Given(over), ..Question::new(Rule::MaxMin) };
            let most = fair(&model, &asked, &Options::default()).expect("an answer").value.enclosure;
            let bounds = level.value.enclosure;
            let least = found.levels[index..].iter().flat_map(|level| &level.who).map(|p| gets(p.index())).min();
            assert!(bounds.lower() <= least.expect("a principal").to_f64() + 1e-12, "seed {seed}, level {index}");
            let what = format!("seed {seed}, level {index}: {bounds:?}, {most:?}");
            assert!(bounds.lower() <= most.upper() && most.lower() <= bounds.upper(), "{what}");
            later += u32::from(index > 0);
        }
    }
    // Where vertices accumulate, what a level gives up for the next one weighs much: fractions answer.
    assert!(later >= 30 && in_fractions <= 12, "{later} further levels, {in_fractions} answers in fractions");
}

/// Where doubles leave a level of a large model open at first, narrower payoffs settle it; the small model confirms the levels in fractions.
#[test]
fn levels_of_large_models_are_narrowed() {
    for seed in [0, 30, 42] {
        let small = random(seed);
        let n = small.principals().len();
        let names = small.states().map(|state| small.state_name(state).into_owned());
        let names: Vec<String> = names.chain((0..20_000).map(|k| format!("x{k}"))).collect();
        let mut builder =
            ModelBuilder::new(small.principals().to_vec(), names.iter().map(String::as_str)).expect("names");
        for state in small.states() {
            for choice in small.choices(state) {
                let row = small.transitions(choice).map(|(target, probability)| (target, probability.clone()));
                let rewards = small.rewards(choice).to_vec();
                builder.choice(state, &small.action_name(choice), rewards, row).expect("a valid row");
            }
        }
        for k in 0..20_000 {
            let rewards = vec![Rational::from(k as i64 % 97 - 48); n];
            let row = vec![(0.into(), Rational::ONE)];
            builder.choice((small.n_states() + k).into(), "a", rewards, row).expect("a valid row");
        }
        let large = Model::from(builder.finish().expect("a valid model"));
        let options = Options { engine: Engine::Within(1e-6), ..Options::default() };
        let found = fair(&large, &Question::new(Rule::Leximin), &options).expect("an answer");
        assert!(found.gap.is_some() && found.proven == Proven::WithinGap, "seed {seed}: {:?}", found.proven);
        let exact = fair(&Model::from(small), &Question::new(Rule::Leximin), &Options::default()).expect("an answer");
        let [of_large, of_small] = [&found, &exact].map(|fair| fair.levels[0].value.enclosure);
        assert!(of_large.lower() <= of_small.upper() && of_small.lower() <= of_large.upper(), "seed {seed}");
        // The lottery in fractions gives as much at the first level, so the bound of the second one holds for it.
        let [of_large, of_small] = [&found, &exact].map(|fair| fair.levels[1].value.enclosure);
        assert!(of_large.upper() >= of_small.lower(), "seed {seed}: {of_large:?}, {of_small:?}");
    }
}

/// The reference point of alice is her own best: the rule counts bob alone, and says so.
#[test]
fn who_cannot_gain_is_named() {
    let model = hotel();
    let given = |text: &str| {
        Over::read::<Box<dyn std::error::Error>>(text, model.structure(), |_| panic!("no file")).expect("numbers")
    };
    let asked = Question { over: given("alice=11,bob=2"), ..Question::new(Rule::KalaiSmorodinsky) };
    let found = fair(&model, &asked, &Options::default()).expect("an answer");
    assert_eq!(found.not_counted, [0.into()]);
    assert_eq!(exact(&found), ["9", "9/2"]);
    // With demands it is these that leave nobody a gain.
    let asked = Question { at_least: vec![(1.into(), number("9/2"))], ..Question::new(Rule::Nash) };
    // So it is in doubles: the floor leaves no slack, and fractions answer.
    for engine in [Engine::Auto, Engine::Within(1e-6)] {
        let options = Options { engine, ..Options::default() };
        let error = fair(&model, &asked, &options).expect_err("alice gains nothing").to_string();
        assert!(error.contains("with what is demanded") && error.contains("relax a floor"), "{error}");
    }
}

/// In doubles the weights of a proof may cancel: a floor or ceiling of the one who decides takes back what the rule counts.
#[test]
fn weights_that_cancel_are_solved_in_doubles() {
    let text = "principals: {p0: 1/3, p1: 17/20}
states:
  s: {x: {reward: {p0: -4, p1: 4}, to: s}, y: {reward: {p0: 4, p1: 4}, to: s}}
";
    let model = Model::from_yaml(text).expect("a model");
    for rule in ["max-min", "leximin", "kalai-smorodinsky", "nash", "alpha:2"] {
        let asked = Question {
            at_most: vec![(0.into(), number("5"))],
            over: if rule == "max-min" || rule == "leximin" { Over::Nothing } else { Over::OwnWorst },
            ..Question::new(rule.parse().expect("a rule"))
        };
        let options = Options { engine: Engine::Within(1e-6), ..Options::default() };
        let found = fair(&model, &asked, &options).expect("an answer");
        assert!(matches!(found.proven, Proven::WithinGap | Proven::Optimal), "{rule}: {:?}", found.proven);
        // p0 gets 5 of at least −6 and at most 6; p1 gets 80/3 from every strategy.
        let truth = match rule {
            "max-min" | "leximin" => 5.0,
            "kalai-smorodinsky" => 11.0 / 12.0,
            "nash" => 11.0,
            _ => -1.0 / 11.0,
        };
        let value = found.value.enclosure;
        assert!(value.lower() <= truth + 1e-9 && truth - 1e-9 <= value.upper(), "{rule}: {value:?}");
        assert!(value.width() <= 1e-4, "{rule}: {value:?}");
    }
}

/// The hotel with a third principal, beside many states that nobody comes to, if it is to be large.
fn with_carol(discount: &str, rewards: [&str; 3], elsewhere: &str, is_large: bool) -> Model {
    let [a, b, after] = rewards;
    let mut text = format!(
        "principals: {{alice: 2/3, bob: 1/3, carol: {discount}}}
states:
  s0:
    a: {{reward: {{alice: 3, bob: 3, carol: {a}}}, to: s0}}
    b: {{reward: {{alice: -1, bob: -1, carol: {b}}}, to: s1}}
  s1: {{b: {{reward: {{alice: 6, bob: 6, carol: {after}}}, to: s1}}}}
"
    );
    for state in 0..if is_large { 20_000 } else { 0 } {
        text += &format!("  x{state}: {{a: {{reward: {{alice: {}, carol: {elsewhere}}}, to: s0}}}}\n", state % 97);
    }
    Model::from_yaml(&text).expect("a model")
}

/// Carol gets the same from every strategy: of a large model, too, the rule leaves her out and says so. Where doubles cannot tell it, the answer
/// names her.
#[test]
fn who_gets_the_same_from_every_strategy_is_left_out_of_large_models_too() {
    let options = Options { engine: Engine::Within(1e-6), ..Options::default() };
    let (same, first_step) = (["1", "1", "1"], ["1", "1", "7"]);
    // What she is paid for investing she has lost before: 0 in all, by a half of what is to come.
    let paid_back = ["0", "-1/2", "1/2"];
    for (discount, rewards, told) in [("1/2", same, true), ("0", first_step, true), ("1/2", paid_back, false)] {
        let (small, large) = (with_carol(discount, rewards, "5", false), with_carol(discount, rewards, "5", true));
        for (rule, value) in [("nash", 20.0 / 9.0), ("alpha:2", -27.0 / 20.0), ("kalai-smorodinsky", 2.0 / 3.0)] {
            let what = format!("{discount}, {rewards:?}, {rule}");
            let asked = Question { over: Over::OwnWorst, ..Question::new(rule.parse().expect("a rule")) };
            let exact = fair(&small, &asked, &Options::default()).expect("an answer");
            assert_eq!((&exact.not_counted[..], &exact.doubtful[..]), (&[2.into()][..], &[][..]), "{what}");
            let found = fair(&large, &asked, &options).expect("an answer");
            if !told {
                assert!(matches!(found.proven, Proven::Stopped(_)), "{what}");
                assert_eq!((&found.not_counted[..], &found.doubtful[..]), (&[][..], &[2.into()][..]), "{what}");
                continue;
            }
            assert_eq!(found.proven, Proven::WithinGap, "{what}");
            assert_eq!((&found.not_counted[..], &found.doubtful[..]), (&[2.into()][..], &[][..]), "{what}");
            let bounds = found.value.enclosure;
            assert!(bounds.lower() <= value + 1e-12 && value - 1e-12 <= bounds.upper(), "{what}: {bounds:?}");
            assert!(bounds.width() <= 1e-4, "{what}: {bounds:?}");
        }
    }
}

/// A small model is answered to the gap, or refused, as in fractions, with bounds that hold for the exact value.
fn same_as_exact(model: &Model, asked: &Question, options: &Options) {
    let what = || format!("{}, {:?}, {:?}", asked.rule, asked.over, options.engine);
    match (fair(model, asked, &Options::default()), fair(model, asked, options)) {
        (Ok(exact), Ok(found)) => {
            assert!(matches!(found.proven, Proven::Optimal | Proven::WithinGap), "{}: {:?}", what(), found.proven);
            let (value, truth) = (found.value.enclosure, exact.value.enclosure);
            assert!(
                value.lower() <= truth.upper() && truth.lower() <= value.upper(),
                "{}: {value:?}, {truth:?}",
                what()
            );
        }
        (Err(exact), Err(found)) => assert_eq!(exact, found, "{}", what()),
        (exact, found) => panic!("{}: {:?}, {:?}", what(), exact.map(|one| one.value), found.map(|one| one.value)),
    }
}

/// Alice's reference is a little below her own best, 11. She counts, and what she could gain is a share of very little: the rule gives bob
/// next to nothing. Fractions tell it for a small model; for a large one the bounds hold whether she counts or not.
#[test]
fn a_reference_just_below_an_own_best_counts() {
    let (small, large) = (hotel(), large_hotel());
    for (alice, gap) in [("10.9999999", 1e-2), ("10.9999999999", 1e-3), ("10.999999999999999", 1e-6), ("11", 1e-6)] {
        let over = Over::Given(vec![number(alice), number("2")]);
        let options = Options { engine: Engine::Within(gap), ..Options::default() };
        let asked = Question { over, ..Question::new(Rule::KalaiSmorodinsky) };
        let exact = fair(&small, &asked, &Options::default()).expect("an answer");
        let found = fair(&small, &asked, &options).expect("an answer");
        assert_eq!(found.not_counted, exact.not_counted, "{alice}");
        let (value, truth) = (found.value.enclosure, exact.value.enclosure);
        assert!(value.lower() <= truth.upper() && truth.lower() <= value.upper(), "{alice}: {value:?}, {truth:?}");
        assert!(value.width() <= gap, "{alice}: {value:?}");
        let found = fair(&large, &asked, &options).expect("an answer");
        let value = found.value.enclosure;
        assert!(value.lower() <= truth.upper() && truth.lower() <= value.upper(), "{alice}: {value:?}, {truth:?}");
        assert!(matches!(found.proven, Proven::Stopped(_)) && found.not_counted.is_empty(), "{alice}: {value:?}");
        for rule in ["nash", "alpha:2"] {
            let asked = Question { rule: rule.parse().expect("a rule"), ..asked.clone() };
            same_as_exact(&small, &asked, &options);
        }
    }
    for (rule, alice) in
        [("nash", "10.999999"), ("alpha:2", "10.999999"), ("alpha:1/2", "10.99999"), ("nash", "10.999")]
    {
        let over = Over::Given(vec![number(alice), number("2")]);
        let asked = Question { over, ..Question::new(rule.parse().expect("a rule")) };
        for gap in [1e-3, 1e-6, 1e-9] {
            same_as_exact(&small, &asked, &Options { engine: Engine::Within(gap), ..Options::default() });
        }
    }
    // On the way there her greatest gain is known ever less precisely.
    for k in 1..=12 {
        let alice = number("11") - number("3") * number("1/10").pow(k);
        let over = Over::Given(vec![alice, number("2")]);
        let asked = Question { over, ..Question::new(Rule::KalaiSmorodinsky) };
        let truth = fair(&small, &asked, &Options::default()).expect("an answer").value.enclosure;
        let options = Options { engine: Engine::Within(1e-2), ..Options::default() };
        let found = fair(&large, &asked, &options).expect("an answer");
        // Own bests are known to within the gap: what she could gain may be that much more, and the share that much less.
        let most = if found.proven == Proven::WithinGap { truth.upper() / 0.99 } else { truth.upper() };
        let value = found.value.enclosure;
        assert!(value.lower() <= most && truth.lower() <= value.upper(), "{k}: {value:?}, {truth:?}");
    }
    let over = Over::Given(vec![number("12"), number("2")]);
    let asked = Question { over, ..Question::new(Rule::KalaiSmorodinsky) };
    let options = Options { engine: Engine::Within(1e-6), ..Options::default() };
    let Err(FairError::ReferenceTooHigh { best, .. }) = fair(&small, &asked, &options) else { panic!("too high") };
    assert!((11.0..11.001).contains(&best.parse::<f64>().expect("a number")), "{best}");
}
