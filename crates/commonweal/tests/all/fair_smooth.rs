//! Smooth rules between bounds: the gap that is stated is at least the true one.
//!
//! | models | compared with |
//! |---|---|
//! | one decision between a few payoff vectors, coarse gaps | the optimum over the hull of the vectors, by an ascent of its own |
//! | random models with twelve principals | an evaluation of the lottery, and its tangent as an upper bound by a plain solve |

use crate::fair::{most, number, one_decision};
use commonweal::internals::families::{RandomFamily, Seeded};
use commonweal::questions::{Over, PayoffSet, Proven, Question, evaluate, fair, fair_in, fair_suited};
use commonweal::{Engine, Model, Options, Rational, StopSignal, Strategy};
use std::time::Duration;

/// The greatest Σ f(x_p) over mixes of points: mass moves from the worst point to the best while that helps. Returns a lower and
/// an upper bound; the latter by the gradient, because the sum is concave.
fn optimum(points: &[Vec<f64>], f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> [f64; 2] {
    let n = points[0].len();
    let mut shares = vec![1.0 / points.len() as f64; points.len()];
    let mix = |shares: &[f64]| -> Vec<f64> {
        (0..n).map(|p| points.iter().zip(shares).map(|(point, share)| point[p] * share).sum()).collect()
    };
    let mut bounds = [0.0, f64::INFINITY];
    for _ in 0..20_000 {
        let x = mix(&shares);
        let gradient: Vec<f64> = x.iter().map(|x| slope(*x)).collect();
        let worth: Vec<f64> =
            points.iter().map(|point| point.iter().zip(&gradient).map(|(x, slope)| x * slope).sum()).collect();
        let here: f64 = x.iter().zip(&gradient).map(|(x, slope)| x * slope).sum();
        let best = (0..points.len()).max_by(|&a, &b| worth[a].total_cmp(&worth[b])).expect("a point");
        let used = (0..points.len()).filter(|&k| shares[k] > 0.0);
        let worst = used.min_by(|&a, &b| worth[a].total_cmp(&worth[b])).expect("a point");
        let value = x.iter().map(|x| f(*x)).sum::<f64>();
        bounds = [value, value + worth[best] - here];
        if worth[best] - here < 1e-12 || best == worst {
            break;
        }
        // The slope along the move falls; where it is 0 the move is best.
        let (mut low, mut high) = (0.0, shares[worst]);
        let moved = |amount: f64| {
            let x: Vec<f64> = (0..n).map(|p| x[p] + amount * (points[best][p] - points[worst][p])).collect();
            (0..n).map(|p| slope(x[p]) * (points[best][p] - points[worst][p])).sum::<f64>()
        };
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if moved(middle) > 0.0 { low = middle } else { high = middle }
        }
        let amount = if moved(shares[worst]) > 0.0 { shares[worst] } else { low };
        shares[best] += amount;
        shares[worst] = if amount == shares[worst] { 0.0 } else { shares[worst] - amount };
    }
    bounds
}

#[test]
fn the_gap_that_a_smooth_rule_states_is_at_least_the_true_one() {
    // How many answers have their optimum in the upper half of their bounds: half of the gap would leave it out.
    let (mut compared, mut upper_half) = (0, 0);
    for seed in 0..60 {
        let mut random = Seeded::new(seed);
        let n = 2 + random.below(3) as usize;
        let points: Vec<Vec<u64>> =
            (0..3 + random.below(6)).map(|_| (0..n).map(|_| 1 + random.below(20)).collect()).collect();
        let model = one_decision(&points, &["1/2", "2/3", "1/3", "0"][..n]);
        let points: Vec<Vec<f64>> = points.iter().map(|point| point.iter().map(|x| *x as f64).collect()).collect();
        for rule in ["nash", "alpha:2", "alpha:1/2"] {
            let truth = match rule {
                "nash" => optimum(&points, f64::ln, |u| 1.0 / u).map(f64::exp),
                "alpha:2" => optimum(&points, |u| -1.0 / u, |u| 1.0 / (u * u)),
                _ => optimum(&points, |u| 2.0 * u.sqrt(), |u| 1.0 / u.sqrt()),
            };
            assert!(truth[1] - truth[0] < 1e-8 * truth[0].abs(), "seed {seed}, {rule}: {truth:?}");
            for gap in [0.5, 0.1, 0.02, 1e-3, 1e-6] {
                let over = Over::Given(vec![number("0"); n]);
                let asked = Question { over, ..Question::new(rule.parse().expect("a rule")) };
                let options = Options { engine: Engine::Within(gap), ..Options::default() };
                let answer = fair(&model, &asked, &options).expect("an answer");
                assert!(matches!(answer.proven, Proven::Optimal | Proven::WithinGap), "{:?}", answer.proven);
                let (lower, upper) = (answer.value.enclosure.lower(), answer.value.enclosure.upper());
                let what =
                    format!("seed {seed}, {rule}, {gap}: {lower} to {upper}, the optimum is {truth:?}\n{points:?}");
                assert!(lower <= truth[1] && truth[0] <= upper, "{what}");
                compared += 1;
                upper_half += i32::from(truth[0] > (lower + upper) / 2.0 + 1e-6 * truth[0].abs());
            }
        }
    }
    assert!(compared == 900 && upper_half > 30, "{compared}, {upper_half}");
}

fn family(n_states: usize, discounts: &[&str], seed: u64) -> RandomFamily {
    let discounts = discounts.iter().map(|text| number(text)).collect();
    RandomFamily { n_states, n_actions: 2, n_successors: 5, discounts, max_denominator: 100, max_reward: 100, seed }
}

/// Fractions and a gap of 1e-9 take more than the counted work here. What the counted work is enough for is a gap of 1e-6, and the answer says so.
#[test]
fn twelve_principals_are_answered_to_the_gap_that_the_work_is_enough_for() {
    let discounts = ["99/100", "97/100", "19/20", "9/10", "17/20", "4/5", "3/4", "7/10", "3/5", "1/2", "2/5", "3/10"];
    let mdp = family(12, &discounts, 2).model().expect("a model");
    let model = Model::from(mdp.clone());
    let asked = Question { over: Over::OwnWorst, ..Question::new("alpha:2".parse().expect("a rule")) };
    let found = fair_suited(&PayoffSet::new(&model, &Options::default()), &asked).expect("an answer");
    assert_eq!((found.proven, found.gap), (Proven::WithinGap, Some(1e-6)));
    let worth = evaluate(&model, &Strategy::Lottery(found.lottery()), &Options::default()).expect("an evaluation");
    let gains: Vec<Rational> =
        (0..12).map(|p| worth.payoff(p.into(), model.start()).exact.expect("a fraction") - &found.over[p]).collect();
    let attained: f64 = gains.iter().map(|gain| -1.0 / gain.to_f64()).sum();
    // Short weights near the slopes: the tangent's excess is a little more than at the slopes themselves.
    let slopes: Vec<Rational> = gains
        .iter()
        .map(|gain| Rational::try_from((1.0 / gain.to_f64().powi(2)) as f32 as f64).expect("finite"))
        .collect();
    let own = (0..12).map(|p| &slopes[p] * (&gains[p] + &found.over[p])).fold(Rational::ZERO, |sum, term| sum + term);
    let excess = (most(&mdp, &slopes) - own).to_f64();
    let (lower, upper) = (found.value.enclosure.lower(), found.value.enclosure.upper());
    assert!(lower <= attained + 1e-12 && attained <= upper, "{lower} to {upper}, {attained}");
    assert!(upper - lower <= 1.1e-6 * attained.abs(), "{lower} to {upper}");
    assert!((0.0..1e-5).contains(&excess), "{excess}");
}

/// Each bound is at least as good with more work. Before any work is left for a mix, what is best for one principal alone, or for the sum, gives bounds.
#[test]
fn more_work_gives_no_worse_bounds() {
    let model = Model::from(family(60, &["19/20", "9/10", "7/10"], 7).model().expect("a model"));
    let set = PayoffSet::new(&model, &Options { engine: Engine::Exact, ..Options::default() });
    for rule in ["nash", "alpha:2", "max-min", "kalai-smorodinsky"] {
        let asked = Question { over: Over::OwnWorst, ..Question::new(rule.parse().expect("a rule")) };
        let mut last = [f64::NEG_INFINITY, f64::INFINITY];
        let (mut known, mut stopped) = (0, 0);
        for k in 0..24 {
            let work = (1_000_000.0 * 1.4_f64.powi(k)) as u64;
            let found = fair_in(&set.with_work_limit(work), &asked).expect("an answer");
            let now = [found.value.enclosure.lower(), found.value.enclosure.upper()];
            assert!(now[0] >= last[0] && now[1] <= last[1], "{rule}, {work}: {now:?} after {last:?}");
            stopped += i32::from(matches!(found.proven, Proven::Stopped(_)) && now[0] > f64::NEG_INFINITY);
            known += i32::from(now != last);
            last = now;
        }
        assert!(known > 0 && stopped > 2, "{rule}: {known}, {stopped}");
    }
}

/// Fractions do not end in the time given; doubles take a small part of it.
#[test]
fn a_time_limit_gives_no_less_than_doubles_do() {
    let model = Model::from(family(300, &["19/20", "9/10", "7/10"], 7).model().expect("a model"));
    let asked = Question::new("nash".parse().expect("a rule"));
    let options = Options { stop: StopSignal::after(Duration::from_secs(2)), ..Options::default() };
    let found = fair_suited(&PayoffSet::new(&model, &options), &asked).expect("an answer");
    let in_doubles = Options { engine: Engine::Within(1e-6), ..Options::default() };
    let known = fair(&model, &asked, &in_doubles).expect("an answer").value.enclosure;
    assert!(matches!(found.proven, Proven::WithinGap | Proven::Optimal), "{:?}", found.proven);
    let bounds = found.value.enclosure;
    assert!(bounds.width() <= known.width() && bounds.lower() <= known.upper() && known.lower() <= bounds.upper());
}
