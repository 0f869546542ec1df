//! Fronts: their patterns, what a front that is stopped leaves open, and hulls of three and more principals.
//!
//! | models | compared with |
//! |---|---|
//! | the hotel | its vertices and turns, worked out by hand |
//! | models whose fronts repeat | turns that further solves find |
//! | one decision between payoff vectors, stopped early | the greatest weighted sum of all vectors, for weights on a grid |
//! | random small models; a model with very many vertices | a plain solve with any weights |

use crate::fair::{dot, hotel, most, number, one_decision, random, waiting};
use commonweal::internals::Numbers;
use commonweal::internals::families::Seeded;
use commonweal::internals::model::Mdp;
use commonweal::limits::StopReason;
use commonweal::questions::{FrontOptions, Pattern, PayoffSet, Vertex, Weights, front, hull};
use commonweal::{Model, Options, Rational, StopSignal};
use std::time::Duration;

fn payoffs(vertex: &Vertex) -> Vec<Rational> {
    vertex.point.payoffs.iter().map(|payoff| payoff.exact.clone().expect("a fraction")).collect()
}

/// The vertices are the waits of 0, 1, 2, … steps, and the turn between k and k + 1 is at weights 5 : 2^(k+1). From the third on, each
/// turn is half of the one before.
#[test]
fn the_hotels_front_is_the_one_worked_out_by_hand() {
    let model = hotel();
    let mut vertices: Vec<Vec<Rational>> = (0..4).map(|wait| waiting(wait).to_vec()).collect();
    vertices.push(["9", "9/2"].map(number).to_vec());
    let mut turns = ["5/2", "5/4", "5/8"].map(number);
    let (ratio, factors) = (number("1/2"), ["2/3", "1/3"].map(number));
    for wait in 2..20 {
        let [here, next, after] = [wait, wait + 1, wait + 2].map(waiting);
        let along = |p: usize| &next[p] - &here[p];
        assert_eq!(&turns[2] * ratio.pow(wait - 2) * along(0), -along(1));
        assert!((0..2).all(|p| &after[p] - &next[p] == &factors[p] * along(p)));
    }
    // After the edge at 5/16 comes one at 5/32.
    let next = ["15/64", "1"].map(number).to_vec();
    let mut pattern = Pattern { first_edge: 2, n_edges: 1, patient: 0.into(), ratio, factors: Some(factors), next };
    for axes in [[0, 1], [1, 0]] {
        let axes = axes.map(|p: usize| p.into());
        let found = front(&model, axes, &FrontOptions::default(), &Options::default()).expect("a front");
        assert!(found.complete && found.gap.is_zero());
        assert_eq!(found.vertices.iter().map(payoffs).collect::<Vec<_>>(), vertices);
        assert_eq!(found.edges.iter().map(|edge| &edge.weights[0] / &edge.weights[1]).collect::<Vec<_>>(), turns);
        assert_eq!(found.pattern, Some(pattern.clone()));
        // The other way round, the same.
        vertices.reverse();
        turns.reverse();
        pattern.first_edge = 0;
        pattern.factors.as_mut().expect("constant factors").reverse();
    }
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

/// The hotel with its first action under two names, listed before or after: the front and its pattern are the hotel's.
#[test]
fn an_action_under_two_names_hides_no_pattern() {
    let whole = |model: &Model| {
        let found = front(model, [0.into(), 1.into()], &FrontOptions::default(), &Options::default()).expect("a front");
        assert!(found.complete && found.gap.is_zero());
        (found.vertices.iter().map(payoffs).collect::<Vec<_>>(), found.pattern.expect("a pattern"))
    };
    let expected = whole(&hotel());
    let (stay, leave) = ("a: {reward: 3, to: s0}, again: {reward: 3, to: s0}", "b: {reward: -1, to: s1}");
    for choices in [format!("{stay}, {leave}"), format!("{leave}, {stay}")] {
        let text = format!(
            "principals: {{alice: 2/3, bob: 1/3}}\nstates: {{s0: {{{choices}}}, s1: {{b: {{reward: 6, to: s1}}}}}}"
        );
        assert_eq!(whole(&Model::from_yaml(&text).expect("a model")), expected);
    }
}

/// The hotel with a copy of a state: the front and its pattern are the hotel's, wherever the copy is entered.
#[test]
fn a_copy_of_a_state_hides_no_pattern() {
    let whole = |text: &str| {
        let model = Model::from_yaml(text).expect("a model");
        let found =
            front(&model, [0.into(), 1.into()], &FrontOptions::default(), &Options::default()).expect("a front");
        assert!(found.complete && found.gap.is_zero(), "{text}");
        let weights: Vec<Vec<Rational>> = found.edges.iter().map(|edge| edge.weights.clone()).collect();
        (found.vertices.iter().map(payoffs).collect::<Vec<_>>(), weights, found.pattern.expect("a pattern"))
    };
    let with = |states: &str| whole(&format!("principals: {{alice: 2/3, bob: 1/3}}\nstates:\n{states}"));
    let expected = with("  s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}\n  s1: {b: {reward: 6, to: s1}}\n");
    assert_eq!(expected.2.ratio, number("1/2"));
    let end = "  s1: {b: {reward: 6, to: s1}}\n  t1: {b: {reward: 6, to: s1}}\n";
    for states in [
        // To and fro between the two; by a coin; beside each other; the choices in another order.
        "  s0: {a: {reward: 3, to: t0}, b: {reward: -1, to: s1}}\n  t0: {a: {reward: 3, to: s0}, b: {reward: -1, to: t1}}\n",
        "  s0: {a: {reward: 3, to: {s0: 1/3, t0: 2/3}}, b: {reward: -1, to: s1}}\n  t0: {a: {reward: 3, to: s0}, b: {reward: -1, to: t1}}\n",
        "  s0: {a: {reward: 3, to: s0}, c: {reward: 3, to: t0}, b: {reward: -1, to: s1}}\n  t0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}\n",
        "  s0: {a: {reward: 3, to: t0}, b: {reward: -1, to: s1}}\n  t0: {b: {reward: -1, to: t1}, a: {reward: 3, to: t0}}\n",
    ] {
        assert_eq!(with(&format!("{states}{end}")), expected, "{states}");
    }
}

/// Two states are worth the same, but one has a choice more, which nobody takes: the best strategy of the one principal is not unique, and no pattern is found. Each further
/// vertex waits a step longer, by weights that are twice as long. Five hundred of them take a second of one processor, which is what is counted.
#[test]
fn work_over_long_weights_is_counted() {
    let text = "principals: {alice: 2/3, bob: 1/3}
states:
  s0: {a: {reward: 3, to: s0}, c: {reward: 3, to: t0}, b: {reward: -1, to: s1}}
  t0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}, z: {reward: -100, to: s1}}
  s1: {b: {reward: 6, to: s1}}
";
    let model = Model::from_yaml(text).expect("a model");
    let limits = FrontOptions { work_limit: 1_000_000_000, ..FrontOptions::default() };
    let found = front(&model, [0.into(), 1.into()], &limits, &Options::default()).expect("a front");
    assert_eq!((found.complete, found.stopped), (false, Some(StopReason::Work)));
    assert!((300..800).contains(&found.vertices.len()), "{}", found.vertices.len());
    assert!(found.gap > Rational::ZERO);
    let waits = found.vertices[..found.vertices.len() - 1].iter().zip(0..);
    waits.for_each(|(vertex, wait)| assert_eq!(payoffs(vertex), waiting(wait)));
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
    assert!(repeated.len() == pattern.n_edges && pattern.n_edges > 0, "{pattern:?}");
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

/// A front or hull stopped at this many vertices: these, and how far the set exceeds them at most.
fn stopped_at(model: &Model, vertex_limit: usize) -> (Vec<Vec<Rational>>, Rational) {
    let limits = FrontOptions { vertex_limit, ..FrontOptions::default() };
    let (vertices, gap) = if model.n_principals() == 2 {
        let found = front(model, [0.into(), 1.into()], &limits, &Options::default()).expect("a front");
        (found.vertices, found.gap)
    } else {
        let found = hull(model, &limits, &Options::default()).expect("a hull");
        (found.vertices, found.gap)
    };
    (vertices.iter().map(payoffs).collect(), gap)
}

/// Each principal's best gives it 12 and the others nothing; one more choice gives each 11. Stopped at the bests, no more is known than
/// that nobody gets more than 12. By the mean, all bests are worth 12/n, and a choice could be worth 12.
#[test]
fn the_best_of_each_principal_bounds_what_a_front_may_exceed_it_by() {
    for n in 2..=4 {
        let best = |p: usize| (0..n).map(|q| if p == q { 12 } else { 0 }).collect();
        let mut points: Vec<Vec<u64>> = (0..n).map(best).collect();
        points.push(vec![11; n]);
        let model = one_decision(&points, &vec!["1/2"; n]);
        let (vertices, gap) = stopped_at(&model, n);
        assert_eq!((vertices.len(), gap), (n, Rational::from(12) - Rational::from_quotient(12, n as u64)));
        let (vertices, gap) = stopped_at(&model, 100);
        assert_eq!((vertices.len(), gap), (n + 1, Rational::ZERO));
    }
}

/// All weights of `n` principals that are multiples of 1 / `total` and sum to 1, times `total`.
fn grid(n: usize, total: u64) -> Vec<Vec<u64>> {
    if n == 1 {
        return vec![vec![total]];
    }
    let rest = |first: u64| grid(n - 1, total - first).into_iter().map(move |rest| [vec![first], rest].concat());
    (0..=total).flat_map(rest).collect()
}

/// Payoff vectors on the surface of a box with round edges, so that nearly all of them are vertices, and some stand far out.
#[test]
fn a_stopped_front_misses_no_more_than_it_says() {
    // How often more than half of what is said to be missing is: half the bound would be too small.
    let (mut compared, mut more_than_half) = (0, [0; 5]);
    for seed in 0..45 {
        let mut random = Seeded::new(seed);
        let n = 2 + (seed % 3) as usize;
        let mut point = || -> Vec<u64> {
            let towards: Vec<f64> = (0..n).map(|_| (1 + random.below(20)) as f64).collect();
            let length = towards.iter().map(|x| x.powi(4)).sum::<f64>().sqrt().sqrt();
            towards.iter().map(|x| (60.0 * x / length) as u64).collect()
        };
        let points: Vec<Vec<u64>> = (0..12).map(|_| point()).collect();
        let model = one_decision(&points, &["1/2", "2/3", "1/3", "0"][..n]);
        let total = [240, 36, 12][n - 2];
        let weights = grid(n, total);
        for vertex_limit in [n, n + 1, n + 2, n + 4] {
            let (vertices, gap) = stopped_at(&model, vertex_limit);
            let is_known =
                |point: &&Vec<u64>| vertices.contains(&point.iter().map(|x| Rational::from(*x as i64)).collect());
            let known: Vec<&Vec<u64>> = points.iter().filter(is_known).collect();
            let worth = |weights: &[u64], point: &[u64]| weights.iter().zip(point).map(|(w, x)| w * x).sum::<u64>();
            let misses = |weights: &Vec<u64>| {
                let most = points.iter().map(|point| worth(weights, point)).max().expect("a point");
                most - known.iter().map(|point| worth(weights, point)).max().expect("a vertex")
            };
            let missing = weights.iter().map(misses).max().expect("some weights");
            let missing = Rational::from_quotient(missing as i64, total);
            assert!(
                missing <= gap,
                "seed {seed}, {vertex_limit}: {missing} is missing, {gap} is said to be\n{points:?}"
            );
            compared += 1;
            more_than_half[n] += i32::from(&missing + &missing > gap);
        }
    }
    assert!(compared == 180 && more_than_half[2..].iter().all(|count| *count > 5), "{more_than_half:?}");
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
        // More vertices than the work is enough for: without a limit on the work it would end there.
        let limits = FrontOptions { work_limit, vertex_limit: 250, ..FrontOptions::default() };
        front(&model, [0.into(), 1.into()], &limits, &Options::default()).expect("a front")
    };
    let mut sizes = Vec::new();
    let mut random = Seeded::new(1);
    for work in [3_000_000, 10_000_000, 30_000_000] {
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
        for (gap, vertex_limit) in [("1/10", 5_000), ("1/1000", 30), ("1/1000", 5)] {
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
    let points = [[9, 0, 0, 1], [0, 9, 0, 2], [0, 0, 9, 3], [4, 4, 4, 0], [4, 4, 0, 1], [1, 1, 1, 1], [0, 0, 0, 8]];
    let model = one_decision(&points.map(Vec::from), &["1/2", "1/3", "1/4", "0"]);
    let found = hull(&model, &FrontOptions::default(), &Options::default()).expect("a hull");
    assert_eq!((found.stopped, &found.gap), (None, &Rational::ZERO));
    let mut vertices: Vec<Vec<Rational>> = found.vertices.iter().map(payoffs).collect();
    vertices.sort();
    // Not (4, 4, 0, 1), since a half of each of the first two gives (9/2, 9/2, 0, 3/2). Nor (1, 1, 1, 1).
    let best = [[0, 0, 0, 8], [0, 0, 9, 3], [0, 9, 0, 2], [4, 4, 4, 0], [9, 0, 0, 1]];
    assert_eq!(vertices, best.map(|own| own.map(|x: i64| Rational::from(x)).to_vec()), "{} solves", found.calls);
    assert!(found.calls < 100, "{} solves", found.calls);
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
            // A second of work ends long before this; without a limit on it the clock does, and the test fails.
            let options = Options { stop: StopSignal::after(Duration::from_secs(60)), ..Options::default() };
            if model.n_principals() == 2 {
                let found = front(&model, [0.into(), 1.into()], &limits, &options);
                let found = found.unwrap_or_else(|reason| panic!("{}: {reason}", what()));
                assert_ne!(found.stopped, Some(StopReason::TimeLimit), "{}", what());
                assert!(found.complete || found.gap > Rational::ZERO, "{}", what());
                assert!(found.vertices.len() > 1 || found.complete, "{}", what());
            } else {
                let limits = FrontOptions { gap: number("1/1000"), ..limits };
                let found = hull(&model, &limits, &options);
                let found = found.unwrap_or_else(|reason| panic!("{}: {reason}", what()));
                assert!(!found.vertices.is_empty() && found.stopped != Some(StopReason::TimeLimit), "{}", what());
            }
        }
    }
    assert!(fronts > 10, "{fronts}");
}

/// With a gap, the lines between vertices are no edges, and nothing is said to repeat: the front is known to within the gap, up to both ends.
#[test]
fn a_front_to_a_gap_claims_no_pattern_of_lines_that_are_no_edges() {
    let model = hotel();
    for gap in ["1/10", "1/100", "1/1000"] {
        let options = FrontOptions { gap: number(gap), ..FrontOptions::default() };
        let found = front(&model, [0.into(), 1.into()], &options, &Options::default()).expect("a front");
        if let Some(pattern) = &found.pattern {
            assert!(pattern.n_edges > 0 && found.edges[pattern.first_edge..].iter().all(|edge| edge.proven), "{gap}");
        }
        assert_eq!(payoffs(found.vertices.last().expect("an end")), ["9", "9/2"].map(number), "{gap}");
        // If it is not the whole front, nothing exceeds the vertices by more than the gap, beyond the last edges either.
        for k in 0..if found.complete { 0 } else { 16 } {
            let alice = number("5/7") * number("1/2").pow(k);
            let weights = [alice.clone(), Rational::ONE - alice];
            encloses(&Numbers::exact(&model), &found.vertices, &found.gap, &weights, gap);
        }
        let repeats = usize::from(found.pattern.is_some());
        assert_eq!(found.edges.len() + repeats + 1, found.vertices.len(), "{gap}");
    }
}

/// A front that repeats without constant factors, because the runs of bob's best strategy differ from step to step: the weights of the next vertex
/// lead to one that is not listed, beyond the line to the limit, and as good as the last one listed for the weights of the edge between them.
#[test]
fn a_pattern_without_factors_says_where_the_next_vertex_is() {
    let text = "principals: {alice: 2/3, bob: 1/3}
states:
  s0: {a: {reward: 3, to: {s0: 1/2, s2: 1/2}}, b: {reward: -1, to: s1}}
  s1: {b: {reward: 6, to: s1}}
  s2: {a: {reward: 2, to: s2}, b: {reward: -1, to: s1}}
";
    let model = Model::from_yaml(text).expect("a model");
    let found = front(&model, [0.into(), 1.into()], &FrontOptions::default(), &Options::default()).expect("a front");
    let pattern = found.pattern.as_ref().expect("a pattern");
    assert!(found.complete && pattern.factors.is_none());
    let set = PayoffSet::new(&model, &Options::default());
    let best = |weights: &Weights| set.best(weights).expect("a vertex").point;
    let next = best(&pattern.next);
    assert!(!found.vertices.iter().any(|vertex| vertex.point.payoffs == next.payoffs));
    let first = &found.edges[pattern.first_edge].weights;
    let edge = vec![&first[0] * &pattern.ratio, first[1].clone()];
    let last = &found.vertices[found.vertices.len() - 2].point;
    assert_eq!(dot(&edge, &next.payoffs), dot(&edge, &last.payoffs));
    assert_eq!(dot(&edge, &next.payoffs), dot(&edge, &best(&edge).payoffs));
}
