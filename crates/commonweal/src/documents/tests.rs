//! Every document is read back as it was written, and its text is the same again.

use super::*;
use crate::any_model::Model;
use crate::certified;
use crate::compare::compare;
use crate::evaluation::{SimulateOptions, simulate};
use crate::exact::solve;
use crate::families::RandomFamily;
use crate::landscape::{self, Grid, Shard, map_shard};
use crate::model::Mdp;
use crate::number::{Rational, Value, parse_rational};
use crate::questions::own_best;
use crate::search::{self, SearchOptions};
use crate::solve::{Engine as Asked, Options};
use crate::stop::StopSignal;
use crate::strategy;
use std::fmt::Debug;

fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

fn hotel() -> Mdp {
    let text = "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}";
    crate::io::read_model(text).unwrap()
}

fn random(seed: u64) -> Mdp {
    let discounts = ["0.9", "0.85", "0.5"].map(number).to_vec();
    let family =
        RandomFamily { n_states: 6, n_actions: 3, n_successors: 2, discounts, max_denominator: 6, max_reward: 9, seed };
    family.model().unwrap()
}

/// What each principal would get alone.
fn own(model: &Mdp, answer: &crate::Answer) -> Vec<Value> {
    own_best(&Model::from(model.clone()), answer, &StopSignal::default())
}

#[track_caller]
fn survives<D: Document + PartialEq + Debug>(document: &D) -> String {
    let text = document.to_json();
    let read = D::from_json(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read, *document);
    assert_eq!(read.to_json(), text);
    let mut written = Vec::new();
    document.write(&mut written).unwrap();
    assert_eq!(written, text.as_bytes());
    text
}

#[test]
fn solutions_survive_with_every_claim() {
    for model in (0..10).map(random).chain([hotel()]) {
        let states = listed_states(&model, false);
        let answer = solve(&model, &Options::default());
        let mut document = Solution::new(&model, &answer, &own(&model, &answer), &states, true);
        document.comparison =
            Some(Compared::all(&model, &compare(&model.clone().into(), &answer, &StopSignal::default())));
        survives(&document);
        let start = document.states.get(&document.start).unwrap();
        assert_eq!(start.welfare.value().unwrap(), answer.welfare(model.start()));
        let certified = certified::solve(&model.to_doubles().unwrap(), 1e-6, &Options::default());
        survives(&Solution::new(&model, &certified, &own(&model, &certified), &states[..1], false));
        let stop = StopSignal::default();
        stop.raise();
        let stopped = solve(&model, &Options { stop, ..Options::default() });
        let document = Solution::new(&model, &stopped, &own(&model, &stopped), &states, false);
        assert_eq!((document.status, document.reason.as_deref()), (Some(Status::Stopped), Some("interrupted")));
        survives(&document);
    }
}

#[test]
fn the_hotel_is_written_as_the_interface_says() {
    let model = hotel();
    let answer = solve(&model, &Options::default());
    let text = survives(&Solution::new(&model, &answer, &own(&model, &answer), &listed_states(&model, false), false));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["format"], "commonweal-solution/1");
    assert_eq!(json["states"]["s0"]["welfare"]["exact"], "127/9");
    assert_eq!(json["states"]["s0"]["decisions"][1], serde_json::json!({"from": 2, "action": "b"}));
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["format", "engine", "checked", "principals", "start", "horizon", "long_term", "states"]);
}

#[test]
fn undecided_ties_have_a_status_of_their_own() {
    let model = hotel();
    let mut document = Solution::new(&model, &solve(&model, &Options::default()), &[], &[], false);
    document.status = Some(Status::Undecided);
    assert!(survives(&document).contains("\"status\": \"undecided\""));
}

#[test]
fn strategies_survive_and_are_found_in_the_model_again() {
    for model in (0..10).map(random) {
        let answer = solve(&model, &Options::default());
        let counting = Strategy::counting(&model, answer.strategy());
        survives(&counting);
        assert_eq!(counting.resolve(&model).unwrap(), strategy::Strategy::Counting(answer.strategy().clone()));
        let options = SearchOptions { gap: Some(number("1/100")), node_limit: 50, ..SearchOptions::default() };
        let mixed = search::stationary(&model, &options).strategy;
        let document = Strategy::new(&model, &mixed);
        survives(&document);
        assert_eq!(document.resolve(&model).unwrap(), mixed);
    }
    // A step above 2^53.
    let far = strategy::Change { from: format!("1{}", "0".repeat(40)).parse().unwrap(), choice: 1.into() };
    let first = strategy::Change { from: strategy::Step::ZERO, choice: 0.into() };
    let other = strategy::Change { from: strategy::Step::ZERO, choice: 2.into() };
    let late = strategy::CountingStrategy::from_changes(&hotel(), vec![vec![first, far], vec![other]]);
    let document = Strategy::counting(&hotel(), &late);
    survives(&document);
    assert_eq!(document.resolve(&hotel()).unwrap(), strategy::Strategy::Counting(late));
}

#[test]
fn evaluations_and_simulations_survive() {
    for model in (0..5).map(random) {
        let strategy = strategy::Strategy::Counting(solve(&model, &Options::default()).strategy().clone());
        let stop = StopSignal::default();
        stop.raise();
        for (engine, stop) in
            [(Asked::Exact, StopSignal::default()), (Asked::Within(1e-6), StopSignal::default()), (Asked::Exact, stop)]
        {
            let options = Options { engine, stop, ..Options::default() };
            let evaluation = crate::evaluate::evaluate(&Model::from(model.clone()), &strategy, &options).unwrap();
            survives(&Evaluation::new(&model, &evaluation, &listed_states(&model, true)));
        }
        // Without runs the means are missing and the intervals infinite.
        let evaluated = crate::evaluate::evaluate(&Model::from(model.clone()), &strategy, &Options::default()).unwrap();
        for runs in [0, 1, 100] {
            let options = SimulateOptions { runs, seed: u64::MAX, ..SimulateOptions::default() };
            let simulation = simulate(&model, &strategy, model.start(), &options);
            survives(&Simulation::new(&model, &simulation, &options, (runs > 1).then_some(&evaluated)));
        }
    }
}

#[test]
fn searches_survive_with_every_outcome() {
    let model = hotel();
    for (gap, threshold, node_limit) in
        [("0", None, 1_000), ("1/2", None, 1_000), ("0", Some("13"), 1_000), ("0", None, 0)]
    {
        let options = SearchOptions {
            gap: Some(number(gap)),
            threshold: threshold.map(number),
            node_limit,
            ..SearchOptions::default()
        };
        let own = Model::from(model.clone());
        for found in [search::positional(&model, &options), search::stationary(&model, &options)] {
            let payoffs = crate::evaluate::evaluate(&own, &found.strategy, &Options::default()).unwrap();
            survives(&Search::new(&model, &found, Some(&payoffs)));
            survives(&Search::new(&model, &found, None));
            survives(&Satisfiability::new(&found, Some(&[true, false])));
            survives(&Satisfiability::new(&found, None));
        }
    }
}

#[test]
fn sweeps_and_maps_survive() {
    let model = hotel();
    let grid = |steps| Grid::new(number("1/10"), number("9/10"), steps);
    let sweep = landscape::sweep(&model, 1.into(), grid(7), Shard::WHOLE, &Options::default());
    let document = Sweep::new(&model, &sweep);
    assert!(document.points.iter().any(|point| !point.changes.is_empty()));
    survives(&document);
    let map = landscape::strategy_map(&model, [0.into(), 1.into()], [grid(3), grid(3)], &Options::default());
    let document = StrategyMap::new(&model, &map);
    assert!((document.regions.iter().map(|region| region.share).sum::<f64>() - 1.0).abs() < 1e-9);
    survives(&document);
    let part =
        map_shard(&model, [0.into(), 1.into()], &[grid(3), grid(3)], Shard::new(2, 3).unwrap(), &Options::default());
    for point in &part.points {
        let line = GridPoint::new(&model, &part.plays, point);
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(serde_json::from_str::<GridPoint>(&text).unwrap(), line);
    }
}

#[test]
fn what_it_took_is_read_from_any_document() {
    let timings = Timings { read: 0.35021612811776887, long_term: 1.0, unravel: 2.0, check: 0.0, total: 3.5 };
    for peak_memory_bytes in [Some(1 << 30), None] {
        let (check, spent) = (Check::new(Verdict::Refused, "the welfare"), Spent { timings, peak_memory_bytes });
        let text = json_text(&check, Some(&spent));
        assert_eq!(Check::from_json(&text).unwrap(), check);
        assert_eq!(serde_json::from_str::<Spent>(&text).unwrap(), spent);
    }
}

#[test]
fn another_format_is_refused() {
    let text = Check::new(Verdict::Accepted, "").to_json();
    let error = Solution::from_json(&text).unwrap_err().to_string();
    assert!(error.contains("the format is \"commonweal-check/1\", not \"commonweal-solution/1\""), "{error}");
    assert!(Check::from_json(&text.replace("/1", "/2")).is_err());
}

#[test]
fn views_and_sketches_survive() {
    for (at, mdp) in (0..4).map(random).chain([hotel()]).enumerate() {
        let model = Model::from(mdp.clone());
        let answer = solve(&mdp, &Options::default());
        let solution = Solution::new(&mdp, &answer, &own(&mdp, &answer), &[mdp.start()], false);
        for listed in [true, false] {
            let parts = ViewParts { states: listed, curves: listed, rows: 3 };
            let view = View::new(&model, &answer, solution.clone(), parts);
            survives(&view);
            assert_eq!((view.strategy.is_some(), view.accrued.is_some()), (listed, listed), "{at}");
            assert_eq!(view.model.states.as_ref().map(Vec::len), listed.then_some(mdp.n_states()));
            assert!(view.timeline.rows.len() <= 3 && view.timeline.n_met >= view.timeline.rows.len());
        }
    }
    let region = DrawnRegion {
        name: "A".to_owned(),
        words: "a for ever".to_owned(),
        is_rest: false,
        outline: vec![vec![[Double(0.0), Double(0.1)], [Double(1.0 / 3.0), Double(0.1)], [Double(0.5), Double(0.99)]]],
    };
    let text = survives(&Sketch::new(["alice".to_owned(), "bob".to_owned()], 2, vec![region]));
    assert!(text.starts_with("{\n  \"format\": \"commonweal-sketch/1\",\n  \"x\": \"alice\""), "{text}");
}
