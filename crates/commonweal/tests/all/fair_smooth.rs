//! Smooth rules between bounds: the gap that is stated is at least the true one.
//!
//! | models | compared with |
//! |---|---|
//! | one decision between a few payoff vectors, coarse gaps | the optimum over the hull of the vectors, by an ascent of its own |

use crate::fair::{number, one_decision};
use commonweal::internals::families::Seeded;
use commonweal::questions::{Over, Proven, Question, fair};
use commonweal::{Engine, Options};

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
