//! Fair welfare: the hotel's table, exactly, and what every answer must prove.
//!
//! | models | compared with |
//! |---|---|
//! | the hotel, every rule | figures worked out by hand |
//! | random small models, every rule, floors and ceilings | the weights of the answer: one solve of the model with these weights proves it |

use commonweal::questions::{Fair, FairError, Over, Proven, Question, Rule, fair};
use commonweal::{Model, Options, Rational, Step};

fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

fn hotel() -> Model {
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
    let with = |at_least: Vec<(commonweal::PrincipalId, &str)>| Question {
        at_least: at_least.into_iter().map(|(p, floor)| (p, number(floor))).collect(),
        ..question("welfare")
    };
    type Row<'a> = (&'a str, Question, &'a str, [&'a str; 2], &'a [(&'a str, &'a str)]);
    let rows: [Row; 12] = [
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
    assert!(error.to_string().contains("`--over own-worst`"), "{error}");
    assert!(matches!("alpha:1".parse::<Rule>(), Err(FairError::AlphaIsNash)));
}
