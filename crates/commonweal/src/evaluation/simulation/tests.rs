//! Simulated payoffs against exact ones.

use super::*;
use crate::evaluation::evaluate;
use crate::exact::solve;
use crate::model::{ChoiceId, ModelBuilder, Principal};
use crate::number::{Rational, parse_rational};
use crate::parallel;
use crate::solve::Options;
use crate::strategy::{Change, CountingStrategy, Stationary, Step};
use std::ops::Range;

fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

fn principal(name: &str, discount: &str, weight: &str) -> Principal {
    Principal::new(name, number(discount)).unwrap().weighted(number(weight))
}

fn hotel(alice: &str, bob: &str) -> Mdp {
    let mut hotel =
        ModelBuilder::new(vec![principal("alice", alice, "1"), principal("bob", bob, "1")], ["s0", "s1"]).unwrap();
    hotel.choice(0.into(), "a", [number("3"), number("3")], [(0.into(), number("1"))]).unwrap();
    hotel.choice(0.into(), "b", [number("-1"), number("-1")], [(1.into(), number("1"))]).unwrap();
    hotel.choice(1.into(), "b", [number("6"), number("6")], [(1.into(), number("1"))]).unwrap();
    hotel.finish().unwrap()
}

/// Two states between which one move in three changes: `near` and `far` want the same, `other` the opposite.
fn weather(near: &str, far: &str, other: &str) -> (Mdp, Strategy) {
    let principals = vec![principal("near", near, "1"), principal("far", far, "2"), principal("other", other, "-1")];
    let mut weather = ModelBuilder::new(principals, ["sun", "rain"]).unwrap();
    let moves = |stay: usize, leave: usize| [(stay.into(), number("2/3")), (leave.into(), number("1/3"))];
    weather.choice(0.into(), "walk", [number("5"), number("4"), number("-3")], moves(0, 1)).unwrap();
    weather.choice(1.into(), "read", [number("0"), number("-2"), number("3")], moves(1, 0)).unwrap();
    let strategy = CountingStrategy::positional([ChoiceId::from(0), ChoiceId::from(1)]);
    (weather.finish().unwrap(), Strategy::Counting(strategy))
}

/// Per principal and for the welfare: whether the interval contains the exact value.
fn hits(simulation: &Simulation, exact: &[Rational]) -> Vec<bool> {
    let estimates = simulation.payoffs.iter().chain([&simulation.welfare]);
    let contains = |(estimate, exact): (&Estimate, &Rational)| {
        let exact = Enclosure::from(exact);
        estimate.lower <= exact.lower() && exact.upper() <= estimate.upper
    };
    estimates.zip(exact).map(contains).collect()
}

/// The exact payoffs and welfare, in the order of [`hits`].
fn exact(model: &Mdp, strategy: &Strategy, start: StateId) -> Vec<Rational> {
    let payoffs = evaluate(model, strategy, &StopSignal::default()).unwrap();
    let values = (0..model.n_principals()).map(|p| payoffs.payoff(p.into(), start)).chain([payoffs.welfare(start)]);
    values.map(|value| value.exact.expect("an exact evaluation")).collect()
}

#[test]
fn the_hotel_is_exact_up_to_rounding() {
    let hotel = hotel("2/3", "1/3");
    let strategy = Strategy::Counting(solve(&hotel, &Options::default()).strategy().clone());
    let simulation = simulate(&hotel, &strategy, hotel.start(), &SimulateOptions::default());
    assert_eq!(hits(&simulation, &exact(&hotel, &strategy, hotel.start())), [true; 3]);
    for estimate in simulation.payoffs.iter().chain([&simulation.welfare]) {
        assert_eq!(estimate.standard_error, 0.0);
        assert!(estimate.upper - estimate.lower < 1e-12, "{estimate:?}");
    }
    assert_eq!(simulation.truncation, [0.0; 2]);
    assert_eq!((simulation.runs, simulation.stopped), (10_000, None));
}

#[test]
fn who_leaves_before_the_loop_is_cut_and_who_stays_is_not() {
    let hotel = hotel("0.999999999", "1/3");
    let stay_long = [Step::ZERO, Step::from(1000u32)];
    let changes = |[first, last]: [Step; 2]| {
        let change = |from, choice: usize| Change { from, choice: choice.into() };
        vec![vec![change(first, 0), change(last, 1)], vec![change(Step::ZERO, 2)]]
    };
    let strategy = Strategy::Counting(CountingStrategy::from_changes(&hotel, changes(stay_long)));
    let simulation = simulate(&hotel, &strategy, hotel.start(), &SimulateOptions::default());
    assert_eq!(hits(&simulation, &exact(&hotel, &strategy, hotel.start())), [true; 3]);
    let [alice, bob] = simulation.truncation[..] else { panic!("two principals") };
    assert!(alice == 0.0 && bob > 0.0 && bob < 1e-11, "{alice} {bob}");
    assert_eq!(simulation.steps, 10_000_000);
    // Steps that fit no machine word are never reached: the run ends first.
    let stay_for_ever = [Step::ZERO, Step::from_le_bytes(&[&[0; 12][..], &[16]].concat())];
    let strategy = Strategy::Counting(CountingStrategy::from_changes(&hotel, changes(stay_for_ever)));
    let simulation = simulate(&hotel, &strategy, hotel.start(), &SimulateOptions::default());
    assert!(simulation.truncation[0] > 1e9);
    assert!(simulation.payoffs[0].lower <= 3e9 && simulation.payoffs[0].upper >= 3e9);
}

#[test]
fn a_run_too_long_to_finish_owns_up_to_it() {
    let (model, strategy) = weather("0.999999999", "1/2", "9/10");
    let options = SimulateOptions { runs: 2, ..SimulateOptions::default() };
    let simulation = simulate(&model, &strategy, model.start(), &options);
    assert_eq!(simulation.steps, 10_000_000);
    assert!(simulation.truncation[0] > 0.98 * 5e9 && simulation.truncation[1] < 1e-11);
    assert!(hits(&simulation, &exact(&model, &strategy, model.start()))[0]);
    assert!(simulation.payoffs[0].upper - simulation.payoffs[0].mean > simulation.truncation[0]);
    assert!(simulation.welfare.upper - simulation.welfare.mean > simulation.truncation[0]);
}

/// A source of small random models.
struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn roll(&mut self, range: Range<u64>) -> u64 {
        range.start + self.0.next_u64() % (range.end - range.start)
    }

    /// Positive fractions that sum to 1.
    fn shares(&mut self, n: usize) -> Vec<Rational> {
        let parts: Vec<u64> = (0..n).map(|_| self.roll(1..8)).collect();
        let total: u64 = parts.iter().sum();
        parts.iter().map(|&part| Rational::from(part) / Rational::from(total)).collect()
    }

    fn model(&mut self) -> Mdp {
        let n_states = self.roll(1..6) as usize;
        let n_principals = self.roll(1..4);
        let principals = (0..n_principals).map(|p| {
            let weight = ["1", "2", "-1", "1/3"][self.roll(0..4) as usize];
            principal(&format!("p{p}"), &format!("0.{}", self.roll(0..10)), weight)
        });
        let principals = principals.collect();
        let names: Vec<String> = (0..n_states).map(|s| format!("s{s}")).collect();
        let mut builder = ModelBuilder::new(principals, names.iter().map(String::as_str)).unwrap();
        for state in 0..n_states {
            for action in 0..self.roll(1..4) {
                let rewards: Vec<Rational> =
                    (0..n_principals).map(|_| Rational::from(self.roll(0..19)) - Rational::from(9)).collect();
                let n_targets = self.roll(1..4).min(n_states as u64) as usize;
                let first = self.roll(0..n_states as u64) as usize;
                let targets = (0..n_targets).map(|k| StateId::from((first + k) % n_states));
                let transitions: Vec<_> = targets.zip(self.shares(n_targets)).collect();
                builder.choice(state.into(), &action.to_string(), rewards, transitions).unwrap();
            }
        }
        builder.finish().unwrap()
    }

    fn choice(&mut self, model: &Mdp, state: StateId) -> ChoiceId {
        let nth = self.roll(0..model.choices(state).len() as u64) as usize;
        model.choices(state).nth(nth).unwrap()
    }

    fn counting(&mut self, model: &Mdp) -> Strategy {
        let changes = model.states().map(|state| {
            let mut step = 0;
            let changes = (0..self.roll(1..5)).map(|_| {
                let from = Step::from(step);
                step += self.roll(1..4);
                Change { from, choice: self.choice(model, state) }
            });
            changes.collect()
        });
        let changes = changes.collect();
        Strategy::Counting(CountingStrategy::from_changes(model, changes))
    }

    fn stationary(&mut self, model: &Mdp) -> Strategy {
        let mix = model.states().map(|state| {
            let n = model.choices(state).len();
            model.choices(state).zip(self.shares(n)).collect()
        });
        let mix = mix.collect();
        Strategy::Stationary(Stationary::new(model, mix))
    }
}

/// The probability of more than `m` successes in `n` independent trials of probability `p`.
fn binomial_tail(n: u32, p: f64, m: u32) -> f64 {
    let mut term = (1.0 - p).powi(n as i32);
    let mut up_to = 0.0;
    for k in 0..=m {
        up_to += term;
        term *= p / (1.0 - p) * f64::from(n - k) / f64::from(k + 1);
    }
    1.0 - up_to
}

#[test]
fn intervals_contain_the_exact_payoffs_of_random_models() {
    const MODELS: u32 = 200;
    let plausible = (0..).find(|&m| binomial_tail(MODELS, 0.001, m) < 1e-5).unwrap();
    let mut dice = Dice(Xoshiro256PlusPlus::seed_from_u64(20));
    let (mut misses, mut by_chance) = ([0; 2], 0);
    for k in 0..MODELS {
        let model = dice.model();
        let strategy = if k % 2 == 0 { dice.counting(&model) } else { dice.stationary(&model) };
        let start = StateId::from(dice.roll(0..model.n_states() as u64) as usize);
        let options = SimulateOptions { runs: 1500, seed: k.into(), confidence: 0.999, ..SimulateOptions::default() };
        let simulation = simulate(&model, &strategy, start, &options);
        let hits = hits(&simulation, &exact(&model, &strategy, start));
        // The principals of one model share their runs: only the first is counted, and the welfare.
        misses[0] += u32::from(!hits[0]);
        misses[1] += u32::from(!hits[hits.len() - 1]);
        by_chance += u32::from(simulation.welfare.standard_error > 0.0);
        assert!(simulation.truncation.iter().all(|&tail| tail < 1e-9));
    }
    assert!(misses.iter().all(|&misses| misses <= plausible), "{misses:?} misses, {plausible} are plausible");
    assert!(by_chance > MODELS / 2, "{by_chance} models leave something to chance");
}

/// A lottery: with this probability the next step pays `prize` once, and then nothing happens.
fn lottery(probability: &str, prize: &str) -> (Mdp, Strategy) {
    let mut lottery = ModelBuilder::new(vec![principal("p", "9/10", "1")], ["play", "won", "over"]).unwrap();
    let win = number(probability);
    let lose = Rational::ONE - &win;
    lottery.choice(0.into(), "play", [number("0")], [(1.into(), win), (2.into(), lose)]).unwrap();
    lottery.choice(1.into(), "cash", [number(prize)], [(2.into(), number("1"))]).unwrap();
    lottery.choice(2.into(), "rest", [number("0")], [(2.into(), number("1"))]).unwrap();
    let strategy = CountingStrategy::positional((0..3).map(ChoiceId::from));
    (lottery.finish().unwrap(), Strategy::Counting(strategy))
}

/// How many of a thousand seeds give intervals that all contain their exact values.
fn covered((model, strategy): &(Mdp, Strategy), runs: u64, confidence: f64) -> u32 {
    let exact = exact(model, strategy, model.start());
    let holds = |seed: u64| {
        let options = SimulateOptions { runs, seed, confidence, ..SimulateOptions::default() };
        hits(&simulate(model, strategy, model.start(), &options), &exact).iter().all(|&hit| hit)
    };
    (0..1000).map(|seed| u32::from(holds(seed))).sum()
}

/// For every distribution and number of runs. An interval by the central limit theorem covers 11 %, 89 % and 78 % here.
#[test]
fn intervals_hold_for_rare_events_and_for_few_runs() {
    assert!(covered(&lottery("1/100000", "100000"), 1_000, 0.99) >= 990);
    assert!(covered(&lottery("1/5000", "1"), 10_000, 0.99) >= 990);
    assert!(covered(&lottery("1/3", "1"), 3, 0.95) >= 950);
    assert!(covered(&weather("1/2", "4/5", "3/5"), 3, 0.95) >= 950);
    assert!(covered(&weather("1/2", "4/5", "3/5"), 1, 0.95) >= 950);
    assert!(covered(&weather("1/2", "4/5", "3/5"), 600, 0.9) >= 900);
}

/// The greatest and the least value of a run are those of a run that always wins, or never.
#[test]
fn a_run_without_a_win_bounds_what_may_be_won() {
    let (model, strategy) = lottery("1/100000", "100000");
    let options = SimulateOptions { runs: 1_000, ..SimulateOptions::default() };
    let estimate = simulate(&model, &strategy, model.start(), &options).welfare;
    assert_eq!((estimate.mean, estimate.standard_error), (0.0, 0.0));
    // kl(0, μ) = −ln(1 − μ) = ln(4/0.01)/1000, and a win is worth 90,000.
    let expected = 90_000.0 * -(-(400.0f64.ln()) / 1000.0).exp_m1();
    assert!(estimate.lower <= 0.0 && estimate.lower >= -1e-5, "{estimate:?}");
    assert!((estimate.upper / expected - 1.0).abs() < 1e-6, "{estimate:?} {expected}");
}

/// With many runs an interval is not much wider than the normal one.
#[test]
fn with_many_runs_intervals_are_narrow() {
    let (model, strategy) = weather("1/2", "4/5", "3/5");
    let simulation = simulate(&model, &strategy, model.start(), &SimulateOptions::default());
    for estimate in simulation.payoffs.iter().chain([&simulation.welfare]) {
        let normal = 2.576 * estimate.standard_error;
        let half = (estimate.upper - estimate.lower) / 2.0;
        assert!(half > normal && half < 2.5 * normal, "{half} {normal}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing_and_the_seed_does() {
    let (model, strategy) = weather("1/2", "4/5", "3/5");
    let on_threads = |n: usize, seed: u64| {
        let options = SimulateOptions { runs: 5000, seed, ..SimulateOptions::default() };
        parallel::on_threads(Some(n), || simulate(&model, &strategy, model.start(), &options))
    };
    assert_eq!(on_threads(1, 7), on_threads(2, 7));
    assert_ne!(on_threads(1, 7).welfare.mean, on_threads(1, 8).welfare.mean);
    assert_eq!(on_threads(1, 7).runs, 5000);
}

#[test]
fn a_stop_before_the_first_run_leaves_everything_open() {
    let (model, strategy) = weather("1/2", "4/5", "3/5");
    let options = SimulateOptions::default();
    options.stop.raise();
    let simulation = simulate(&model, &strategy, model.start(), &options);
    assert_eq!((simulation.runs, simulation.stopped), (0, Some(StopReason::Interrupted)));
    for estimate in simulation.payoffs.iter().chain([&simulation.welfare]) {
        assert!(estimate.mean.is_nan());
        assert_eq!((estimate.lower, estimate.upper), (f64::NEG_INFINITY, f64::INFINITY));
    }
    // One run gives a mean and a wide interval.
    let one = SimulateOptions { runs: 1, ..SimulateOptions::default() };
    let simulation = simulate(&model, &strategy, model.start(), &one);
    assert!(simulation.welfare.mean.is_finite() && simulation.welfare.standard_error == f64::INFINITY);
    assert_eq!(hits(&simulation, &exact(&model, &strategy, model.start())), [true; 4]);
}

#[test]
fn a_stop_on_the_way_keeps_the_runs_done() {
    let (model, strategy) = weather("1/2", "4/5", "3/5");
    let options = SimulateOptions { runs: u64::MAX, ..SimulateOptions::default() };
    let done = || match options.stop.reached() {
        Some(Reached::Simulating { runs, of: u64::MAX }) => runs,
        None => 0,
        other => panic!("{other:?}"),
    };
    let simulation = std::thread::scope(|scope| {
        scope.spawn(|| {
            while done() < 1000 {
                std::thread::yield_now();
            }
            options.stop.raise();
        });
        simulate(&model, &strategy, model.start(), &options)
    });
    assert_eq!(simulation.stopped, Some(StopReason::Interrupted));
    assert!(simulation.runs >= 1000);
    assert_eq!(simulation.runs, done());
    assert!(simulation.welfare.upper.is_finite());
}

#[test]
fn draws_come_as_often_as_their_probability_says() {
    let shares = [number("1/7"), number("1e-30"), number("2/7"), number("4/7") - number("1e-30")];
    let mut builder = ModelBuilder::new(vec![principal("p", "0", "1")], ["s", "a", "b", "c"]).unwrap();
    builder.choice(0.into(), "go", [number("0")], (0..4).map(StateId::from).zip(shares)).unwrap();
    for state in 1..4 {
        builder.choice(state.into(), "stay", [number("0")], [(state.into(), number("1"))]).unwrap();
    }
    let model = builder.finish().unwrap();
    let strategy = Strategy::Counting(CountingStrategy::positional((0..4).map(ChoiceId::from)));
    let chain = Chain::new(&model, &strategy, model.start(), &[0]);
    let outcomes = chain.outcomes(chain.decision(chain.only_start().expect("one start"), 0));
    let target = |number: u64| draw(outcomes, number).target;
    let (one, three) = ((1u128 << 64) / 7, (1u128 << 64) * 3 / 7);
    // Rounded down, outcome by outcome: the third begins where the first ends, and ends at most one number early.
    assert_eq!((target(0), target(one as u64 - 1), target(one as u64)), (0, 0, 2));
    assert_eq!((target(three as u64 - 2), target(three as u64), target(u64::MAX)), (2, 3, 3));
}

/// Weights near or below the underflow limit, and payoffs whose squares underflow.
#[test]
fn tiny_weights_and_rewards_keep_their_intervals_true() {
    for (weight, reward) in
        [("1e-320", "1"), ("-1e-320", "3"), ("1e-400", "1"), ("1e-310", "1e10"), ("1e-300", "1e-20"), ("1", "1e-200")]
    {
        let principals = vec![principal("tiny", "1/2", weight), principal("none", "1/3", "0")];
        let mut coin = ModelBuilder::new(principals, ["toss", "won", "lost"]).unwrap();
        let half = |to: usize| (to.into(), number("1/2"));
        coin.choice(0.into(), "toss", [number("0"), number("0")], [half(1), half(2)]).unwrap();
        coin.choice(1.into(), "stay", [number(reward), number("0")], [(1.into(), number("1"))]).unwrap();
        coin.choice(2.into(), "stay", [number("0"), number("0")], [(2.into(), number("1"))]).unwrap();
        let coin = coin.finish().unwrap();
        let strategy = Strategy::Counting(CountingStrategy::positional([0, 1, 2].map(ChoiceId::from)));
        let right = exact(&coin, &strategy, 0.into());
        let certain = exact(&coin, &strategy, 1.into());
        let mut missed = 0;
        for seed in 0..100 {
            let options = SimulateOptions { runs: 200, seed, ..SimulateOptions::default() };
            missed += usize::from(hits(&simulate(&coin, &strategy, 0.into(), &options), &right).contains(&false));
            // Nothing is random from here on.
            let walked = hits(&simulate(&coin, &strategy, 1.into(), &options), &certain);
            assert!(!walked.contains(&false), "{weight} times {reward}");
        }
        assert!(missed <= 4, "{weight} times {reward}: {missed} of 100 for a confidence of 99%");
    }
}

/// The model of [`weather`] whose `far` discounts as stated, or a machine that changes its state at every step if nothing is random.
fn weather_of(preference: &str, is_random: bool) -> (Mdp, Strategy) {
    let stated = crate::io::read_preference("far", preference).unwrap();
    let principals = vec![principal("near", "1/2", "1"), Principal::stating("far", stated).unwrap()];
    let mut weather = ModelBuilder::new(principals, ["sun", "rain"]).unwrap();
    let moves = |stay: usize, leave: usize| {
        if is_random {
            vec![(stay.into(), number("2/3")), (leave.into(), number("1/3"))]
        } else {
            vec![(leave.into(), number("1"))]
        }
    };
    weather.choice(0.into(), "walk", [number("5"), number("4")], moves(0, 1)).unwrap();
    weather.choice(1.into(), "read", [number("0"), number("-2")], moves(1, 0)).unwrap();
    let strategy = CountingStrategy::positional([ChoiceId::from(0), ChoiceId::from(1)]);
    (weather.finish().unwrap(), Strategy::Counting(strategy))
}

/// The weights of a gamma preference fall so slowly that no run is long enough: random runs are cut where their number cannot
/// tell the difference, and the intervals include what is cut off.
#[test]
fn random_runs_of_approximated_preferences_are_cut_in_time() {
    let entry = "{gamma: {mean: 4%, sd: 3%}, error: 1e-3}";
    let (model, strategy) = weather_of(entry, true);
    let exact = exact(&model.of_mixtures(), &strategy, model.start());
    let mut steps = Vec::new();
    for runs in [10, 1000] {
        let simulation = simulate(&model, &strategy, model.start(), &SimulateOptions { runs, ..Default::default() });
        assert_eq!((simulation.runs, simulation.stopped), (runs, None));
        assert_eq!(hits(&simulation, &exact), [true; 3]);
        // All that is cut off is part of the interval: the rewards of `far` after a run are worth up to this.
        let far = simulation.payoffs[1];
        let cut_off = simulation.truncation[1];
        assert!(
            cut_off > 0.0 && far.upper - far.mean >= cut_off && far.mean - far.lower >= cut_off,
            "{far:?} {cut_off}"
        );
        steps.push(simulation.steps);
    }
    assert!(steps[0] < steps[1] && steps[1] < 100_000, "{steps:?}");
    // What is not random is run once, and as long as ever.
    let (model, strategy) = weather_of(entry, false);
    let simulation = simulate(&model, &strategy, model.start(), &SimulateOptions::default());
    assert!(simulation.steps > steps[1], "{}", simulation.steps);
}

/// Thinned runs have the same expectation as long ones: over 40 samples of 500 runs each, the mean is as near to the exact payoff as its
/// standard error and what is cut off allow. Without counting later steps for the runs that end, it would be a twentieth too small.
#[test]
fn most_runs_of_approximated_preferences_are_short_and_the_others_count_for_them() {
    let (model, strategy) = weather_of("{gamma: {mean: 4%, sd: 3%}, error: 1e-3}", true);
    let exact = exact(&model.of_mixtures(), &strategy, model.start());
    let far = exact[1].clone();
    let (mut means, mut cut_off, mut longest) = (Vec::new(), 0.0f64, 0);
    for seed in 0..40 {
        let options = SimulateOptions { runs: 500, seed, ..Default::default() };
        let simulation = simulate(&model, &strategy, model.start(), &options);
        assert_eq!(hits(&simulation, &exact), [true; 3], "{seed}");
        means.push(simulation.payoffs[1].mean);
        (cut_off, longest) = (simulation.truncation[1], simulation.steps);
    }
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    let right = far.to_f64();
    assert!((mean - right).abs() <= 4.0 * error + cut_off, "{mean} {right} {error} {cut_off}");
    assert!(4.0 * error + cut_off < 0.03 * right, "the test can tell: {error} {cut_off} {right}");
    // Most runs end long before the last step: together they take a fifth of the steps.
    let options = SimulateOptions { runs: 500, ..Default::default() };
    let paths = sample_paths(&model, &strategy, model.start(), &options, [500, longest]);
    let walked: usize = paths.iter().map(Vec::len).sum();
    assert!((walked as u64) < 500 * longest / 4, "{walked} of {longest} steps each");
}

/// A strategy whose first random draw comes after random runs are cut: where a run ends is random all the same, so that one run does
/// not stand for all. Every step earns 1, whatever happens.
#[test]
fn thinned_runs_are_random_where_their_first_draw_comes_after_the_cut() {
    let text = "principals: {a: {gamma: {mean: 6%, sd: 1%}}}
states:
  s0: {wait: {reward: 1, to: s0}, toss: {reward: 1, to: {s0: 1/2, s1: 1/2}}}
  s1: {stay: {reward: 1, to: s1}}";
    let model = crate::io::read_model(text).unwrap();
    let of_choice = |from: u64, choice: usize| Change { from: Step::from(from), choice: choice.into() };
    let changes = vec![vec![of_choice(0, 0), of_choice(200, 1)], vec![of_choice(0, 2)]];
    let strategy = Strategy::Counting(CountingStrategy::from_changes(&model, changes));
    let exact = exact(&model.of_mixtures(), &strategy, model.start());
    for seed in 0..30 {
        let options = SimulateOptions { runs: 100, seed, ..Default::default() };
        let simulation = simulate(&model, &strategy, model.start(), &options);
        assert_eq!(hits(&simulation, &exact), [true; 2], "{seed}: {:?}", simulation.payoffs);
    }
}

/// A long run of many discounts, and the bounds of what runs can be worth, are left at the poll at which the signal is raised.
#[test]
fn a_signal_is_heard_within_a_run_and_between_the_passes_over_a_chain() {
    for (is_random, polls) in [(false, 0), (false, 3), (false, 40), (true, 0), (true, 2)] {
        let (model, strategy) = weather_of("{hyperbolic: 0.1, hazard: 0.01%}", is_random);
        let options = SimulateOptions { stop: StopSignal::after_polls(polls), runs: 1_000_000, ..Default::default() };
        let simulation = simulate(&model, &strategy, model.start(), &options);
        assert_eq!(simulation.stopped, Some(StopReason::Interrupted), "{is_random}, {polls}");
        assert!(simulation.runs < 1_000_000);
        // One look each of the walk, of the run and of every pass over the chain, which then ends.
        let n_parts = model.principals().iter().map(|own| own.last().parts.len() as i64).sum::<i64>();
        assert!(options.stop.polls_left() >= -(4 * n_parts + 1200), "{}", options.stop.polls_left());
    }
}

/// With a standard deviation near the mean, the weights fall so slowly that a twentieth of them is left after ten million steps. Runs
/// end all the same after some thousand steps on average, and what is cut off is part of the intervals.
#[test]
fn runs_of_weights_that_fall_slowly_end_too() {
    let (model, strategy) = weather_of("{gamma: {mean: 4%, sd: 3.6%}, error: 1e-2}", true);
    let exact = exact(&model.of_mixtures(), &strategy, model.start());
    let n_parts = model.principals().iter().map(|own| own.last().parts.len()).sum::<usize>();
    let mut means = Vec::new();
    for seed in 0..20 {
        let options = SimulateOptions { runs: 300, seed, ..Default::default() };
        let simulation = simulate(&model, &strategy, model.start(), &options);
        assert_eq!(hits(&simulation, &exact), [true; 3], "{seed}: {simulation:?}");
        let far = simulation.payoffs[1];
        assert!(far.upper - far.mean >= simulation.truncation[1] && far.mean - far.lower >= simulation.truncation[1]);
        means.push((far.mean, simulation.truncation[1]));
        if seed == 0 {
            let paths = sample_paths(&model, &strategy, model.start(), &options, [300, simulation.steps]);
            let walked: usize = paths.iter().map(Vec::len).sum();
            assert!(walked * n_parts < 300 * 2_000_000, "{walked} steps of {n_parts} parts");
        }
    }
    // The mean leaves out no more than what is said to be cut off.
    let n = means.len() as f64;
    let mean = means.iter().map(|own| own.0).sum::<f64>() / n;
    let error = (means.iter().map(|own| (own.0 - mean).powi(2)).sum::<f64>() / (n * (n - 1.0))).sqrt();
    let right = exact[1].to_f64();
    assert!((mean - right).abs() <= 4.0 * error + means[0].1, "{mean} {right} {error} {}", means[0].1);
}
