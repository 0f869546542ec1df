//! Fair welfare: the hotel's table, exactly, and what every answer must prove.
//!
//! | models | compared with |
//! |---|---|
//! | the hotel, every rule | figures worked out by hand |
//! | random small models, every rule, floors and ceilings | the weights of the answer: one solve of the model with these weights proves it |

use commonweal::internals::Numbers;
use commonweal::internals::families::Seeded;
use commonweal::internals::model::Mdp;
use commonweal::limits::StopReason;
use commonweal::questions::{
    Fair, FairError, FrontOptions, Over, PayoffSet, Proven, Question, Rule, Vertex, evaluate, fair, fair_in, front,
    hull,
};
use commonweal::structure::Principal;
use commonweal::{Engine, Model, ModelBuilder, Options, Rational, Step, Strategy, Value, solve};

pub fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

pub fn hotel() -> Model {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/paper/hotel.yaml"));
    Model::from_yaml(&text.expect("the hotel")).expect("a model")
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
fn most(mdp: &Mdp, weights: &[Rational]) -> Rational {
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

fn dot(weights: &[Rational], payoffs: &[Value]) -> Rational {
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

/// Fronts whose patterns are not the hotel's: the best strategy of the impatient principal goes round between two states, from
/// one of them, or from either by a coin.
#[test]
fn a_front_may_repeat_at_every_step_or_at_every_second_one() {
    let round = "
  u: {stay: {reward: {p: 1, q: 3}, to: v}, leave: {reward: {p: 2, q: 0}, to: w}}
  v: {stay: {reward: {p: 0, q: 2}, to: u}, leave: {reward: {p: 1, q: 1}, to: w}}
  w: {rest: {reward: {p: 5, q: 1}, to: w}}
";
    let coin = "principals: {p: 3/4, q: 1/4}\nstates:\n  s0: {go: {reward: {q: 1}, to: {u: 1/2, v: 1/2}}}";
    repeats(&format!("{coin}{round}"), "1/3");
    repeats(&format!("principals: {{p: 3/4, q: 1/4}}\nstates:{round}"), "1/9");
}

/// Twelve trades in a row, each at a price of its own: a front of thirteen vertices, stopped after seven.
#[test]
fn the_vertices_of_a_stopped_front_are_best_by_their_weights_and_spread_over_it() {
    let state = |k: u64| {
        let price = [7, 2, 11, 5, 1, 9, 3, 12, 4, 8, 6, 10][k as usize - 1];
        format!(
            "  s{k}: {{take: {{reward: {{p: {price}}}, to: s{0}}}, leave: {{reward: {{q: 5}}, to: s{0}}}}}\n",
            k + 1
        )
    };
    let states: String = (1..=12).map(state).collect();
    let text = format!("principals: {{p: 9/10, q: 9/10}}\nstates:\n{states}  s13: {{rest: {{to: s13}}}}\n");
    let model = Model::from_yaml(&text).expect("a model");
    let at_most = |vertex_limit: usize| {
        let limits = FrontOptions { vertex_limit, ..FrontOptions::default() };
        front(&model, [0.into(), 1.into()], &limits, &Options::default()).expect("a front")
    };
    let (whole, stopped) = (at_most(100), at_most(7));
    assert!(whole.complete && whole.vertices.len() == 13 && !stopped.complete);
    let payoffs = |vertex: &Vertex| -> Vec<Rational> {
        vertex.point.payoffs.iter().map(|payoff| payoff.exact.clone().expect("a fraction")).collect()
    };
    let worth = |weights: &[Rational], payoffs: &[Rational]| {
        weights.iter().zip(payoffs).fold(Rational::ZERO, |sum, (weight, payoff)| sum + weight * payoff)
    };
    for vertex in &stopped.vertices {
        let best = whole.vertices.iter().map(|other| worth(&vertex.weights, &payoffs(other))).max();
        assert_eq!(Some(worth(&vertex.weights, &payoffs(vertex))), best);
    }
    // Asked about from one end only, it would leave the other half open.
    let known: Vec<bool> =
        whole.vertices.iter().map(|one| stopped.vertices.iter().any(|own| payoffs(own) == payoffs(one))).collect();
    assert!(known.windows(4).all(|four| four.contains(&true)), "{known:?}");
}

/// The front of a model has a pattern with this ratio, and the pattern foretells its turns.
fn repeats(text: &str, ratio: &str) {
    let model = Model::from_yaml(text).expect("a model");
    let options = Options::default();
    let found = front(&model, [0.into(), 1.into()], &FrontOptions::default(), &options).expect("a front");
    assert!(found.complete);
    let pattern = found.pattern.clone().expect("a pattern");
    assert_eq!(pattern.ratio, number(ratio));
    // The pattern foretells the turns that further questions find.
    let set = PayoffSet::new(&model, &options);
    let theta = |weights: &[Rational]| &weights[0] / &weights[1];
    let turns: Vec<Rational> = found.edges.iter().map(|edge| theta(&edge.weights)).collect();
    let repeated = &turns[pattern.first_edge..];
    assert_eq!(repeated.len(), pattern.n_edges);
    let mut told: Vec<Rational> = turns.clone();
    for k in 1..=3 {
        told.extend(repeated.iter().map(|turn| turn * pattern.ratio.pow(k)));
    }
    for pair in told.windows(2) {
        // Between two turns one vertex is best, and at a turn two are: payoffs tell.
        let [above, below] = [&pair[0], &pair[1]].map(|turn| turn.clone());
        assert!(above > below);
        let just = |turn: &Rational, more: &str| vec![turn * number(more), Rational::ONE];
        let at = |weights: Vec<Rational>| set.best(&weights).expect("a point").point.payoffs;
        assert_eq!(at(just(&above, "0.9999")), at(just(&below, "1.0001")), "{above} {below}");
        assert_ne!(at(just(&above, "0.9999")), at(just(&above, "1.0001")), "{above}");
    }
}

/// Seeded weights of `n` principals, at least 0, that sum to 1; some are 0.
fn some_weights(n: usize, random: &mut Seeded) -> Vec<Rational> {
    let parts: Vec<i64> = (0..n).map(|_| random.below(9) as i64).collect();
    let total = parts.iter().sum::<i64>().max(1) as u64;
    parts.into_iter().map(|part| Rational::from_quotient(part, total)).collect()
}

/// For any weights the greatest weighted sum, by a plain solve, is at least that of the vertices, and exceeds it by at most the gap.
fn encloses(mdp: &Mdp, vertices: &[Vertex], gap: &Rational, weights: &[Rational], what: &str) {
    let inside = vertices.iter().map(|vertex| dot(weights, &vertex.point.payoffs)).max().expect("a vertex");
    let truth = most(mdp, weights);
    assert!(inside <= truth && truth <= &inside + gap, "{what}: {inside} {truth} {gap}, {weights:?}");
}

/// Society takes the mean of two experts' rates: nothing repeats on its front, which has very many vertices.
const NO_PATTERN: &str = "principals: {society: {survey: [5%, 60%]}, firm: 1/2}
states:
  u: {stay: {reward: {firm: 3, society: 1}, to: {v: 1/3, u: 2/3}}, leave: {reward: {society: 2}, to: w}}
  v: {stay: {reward: {firm: 2}, to: {u: 1/2, v: 1/2}}, leave: {reward: {firm: 1, society: 1}, to: {w: 1/2, u: 1/2}}}
  w: {rest: {reward: {society: 5, firm: 1}, to: {w: 3/4, v: 1/4}}, work: {reward: {society: 4, firm: 2}, to: w}}
";

#[test]
fn a_front_without_a_pattern_ends_by_its_work_and_says_how_much_is_missing() {
    let model = Model::from_yaml(NO_PATTERN).expect("a model");
    let mdp = Numbers::exact(&model);
    let within = |work_limit: u64| {
        let limits = FrontOptions { work_limit, ..FrontOptions::default() };
        front(&model, [0.into(), 1.into()], &limits, &Options::default()).expect("a front")
    };
    let mut sizes = Vec::new();
    let mut random = Seeded::new(1);
    for work in [30_000_000, 100_000_000, 300_000_000] {
        let found = within(work);
        assert_eq!((found.complete, found.stopped), (false, Some(StopReason::Work)));
        assert!(found.gap > Rational::ZERO && found.edges.iter().any(|edge| !edge.proven));
        for _ in 0..20 {
            encloses(&mdp, &found.vertices, &found.gap, &some_weights(2, &mut random), &format!("{work}"));
        }
        // Half-spaces from outside: each vertex is the best by its weights.
        for vertex in found.vertices.iter().take(8) {
            assert_eq!(most(&mdp, &vertex.weights), dot(&vertex.weights, &vertex.point.payoffs));
        }
        let again = within(work);
        assert_eq!((again.vertices.len(), &again.gap), (found.vertices.len(), &found.gap));
        sizes.push((found.vertices.len(), found.gap.to_f64()));
    }
    // More work, more vertices and a smaller gap.
    assert!(sizes.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1), "{sizes:?}");
}

#[test]
fn the_hull_of_several_principals_encloses_what_they_can_get() {
    let mut finished = 0;
    for seed in (0..200).filter(|seed| random(*seed).n_principals() > 2).take(40) {
        let mdp = random(seed);
        let n = mdp.n_principals();
        let model = Model::from(mdp.clone());
        let mut picked = Seeded::new(seed);
        for (gap, vertex_limit) in [("1/10", 5_000), ("1/1000", 400), ("1/1000", 5)] {
            let limits = FrontOptions { gap: number(gap), vertex_limit, ..FrontOptions::default() };
            let found = hull(&model, &limits, &Options::default()).expect("a hull");
            for _ in 0..12 {
                let weights = some_weights(n, &mut picked);
                encloses(&mdp, &found.vertices, &found.gap, &weights, &format!("seed {seed}, {gap}"));
            }
            finished += i32::from(found.reached);
        }
    }
    assert!(finished > 60, "{finished}");
}

/// One decision between payoff vectors: the vertices of the hull are those vectors that are best by some weights, and are found exactly.
#[test]
fn a_hull_of_few_vertices_is_whole() {
    let rewards = [[9, 0, 0, 1], [0, 9, 0, 2], [0, 0, 9, 3], [4, 4, 4, 0], [4, 4, 0, 1], [1, 1, 1, 1], [0, 0, 0, 8]];
    let action = |(k, own): (usize, &[i64; 4])| {
        let [a, b, c, d] = own;
        format!("    x{k}: {{reward: {{a: {a}, b: {b}, c: {c}, d: {d}}}, to: end}}\n")
    };
    let actions: String = rewards.iter().enumerate().map(action).collect();
    let text = format!(
        "principals: {{a: 1/2, b: 1/3, c: 1/4, d: 0}}\nstates:\n  begin:\n{actions}  end: {{rest: {{to: end}}}}\n"
    );
    let model = Model::from_yaml(&text).expect("a model");
    let found = hull(&model, &FrontOptions::default(), &Options::default()).expect("a hull");
    assert_eq!((found.stopped, &found.gap), (None, &Rational::ZERO));
    let mut payoffs: Vec<Vec<String>> = (found.vertices.iter())
        .map(|vertex| {
            vertex.point.payoffs.iter().map(|own| own.exact.clone().expect("a fraction").to_string()).collect()
        })
        .collect();
    payoffs.sort();
    // Not (4, 4, 0, 1), since a half of each of the first two gives (9/2, 9/2, 0, 3/2). Nor (1, 1, 1, 1).
    let best =
        [["0", "0", "0", "8"], ["0", "0", "9", "3"], ["0", "9", "0", "2"], ["4", "4", "4", "0"], ["9", "0", "0", "1"]];
    assert_eq!(payoffs, best.map(|own| own.map(str::to_owned).to_vec()), "{} solves", found.calls);
    assert!(found.calls < 100, "{} solves", found.calls);
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
            // In doubles the reference point and the own bests are known to within the gap, too.
            let slack = if rule == "kalai-smorodinsky" { gap } else { 0.0 };
            assert!(lower <= exact.to_f64() + slack && exact.to_f64() <= upper + slack, "{what}");
        }
    }
}

/// Every model of the repository with two principals or more has a front that ends by itself, and whose bounds hold.
#[test]
fn fronts_of_all_models_end_by_themselves() {
    let mut fronts = 0;
    for folder in ["paper", "regressions", "case-studies"] {
        let path = format!("{}/../../models/{folder}", env!("CARGO_MANIFEST_DIR"));
        for file in std::fs::read_dir(path).expect("a folder").map(|file| file.expect("a file").path()) {
            if file.extension().is_none_or(|ending| ending != "yaml") {
                continue;
            }
            let model = Model::from_yaml(&std::fs::read_to_string(&file).expect("a text")).expect("a model");
            let limits = FrontOptions { work_limit: 300_000_000, ..FrontOptions::default() };
            let what = || format!("{}", file.display());
            if model.n_principals() < 2 {
                continue;
            }
            fronts += 1;
            if model.n_principals() == 2 {
                let found = front(&model, [0.into(), 1.into()], &limits, &Options::default());
                let found = found.unwrap_or_else(|reason| panic!("{}: {reason}", what()));
                assert!(found.complete || found.gap > Rational::ZERO, "{}", what());
                assert!(found.vertices.len() > 1 || found.complete, "{}", what());
            } else {
                let limits = FrontOptions { gap: number("1/1000"), ..limits };
                let found = hull(&model, &limits, &Options::default());
                assert!(!found.unwrap_or_else(|reason| panic!("{}: {reason}", what())).vertices.is_empty());
            }
        }
    }
    assert!(fronts > 10, "{fronts}");
}
