//! Best stationary strategies, against grids of mixes and blind climbers.

use crate::oracle;
use crate::oracle::plain::{Plain, Q, from_double, from_solver};
use crate::oracle::rough::Rough;
use commonweal::internals::evaluation::evaluate;
use commonweal::internals::families::{RandomFamily, Seeded};
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::search::{Search, SearchOptions, SearchOutcome, ThresholdAnswer, positional, stationary};
use commonweal::internals::stop::StopSignal;
use commonweal::internals::strategy::Strategy;
use commonweal::limits::on_threads;
use num_bigint::BigInt;

fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

fn search(model: &Mdp, gap: &str) -> Search {
    let search = stationary(model, &SearchOptions { gap: Some(number(gap)), ..SearchOptions::default() });
    let exact = search.welfare.exact.as_ref().expect("an evaluated strategy");
    let payoffs = evaluate(model, &search.strategy, &StopSignal::default()).expect("nobody stops it");
    assert_eq!(payoffs.welfare(model.start()).exact.as_ref(), Some(exact), "the witness earns what it is said to earn");
    assert!(from_solver(exact) <= from_double(search.upper));
    search
}

fn hotel() -> Mdp {
    Plain::parse("2/3 1/3", &["s0 a 3 -> s0", "s0 b -1 -> s1", "s1 b 6 -> s1"]).model()
}

#[test]
fn the_hotel_mixes_and_earns_twenty_minus_twice_the_root_of_ten() {
    let search = search(&hotel(), "1e-8");
    assert_eq!(search.outcome, SearchOutcome::WithinGap);
    // v ≤ 20 − 2√10 if and only if v ≤ 20 and (20 − v)² ≥ 40.
    let is_at_most_the_best = |v: &Q| *v <= oracle::q(20, 1) && (oracle::q(20, 1) - v).pow(2) >= oracle::q(40, 1);
    let (lower, upper) = (from_solver(search.welfare.exact.as_ref().unwrap()), from_double(search.upper));
    let millionth = oracle::q(1, 1_000_000);
    assert!(is_at_most_the_best(&lower) && !is_at_most_the_best(&(&lower + &millionth)));
    assert!(!is_at_most_the_best(&upper) && is_at_most_the_best(&(&upper - &millionth)));
    let Strategy::Stationary(strategy) = &search.strategy else { panic!("a mix") };
    let share = &strategy.mix(0.into())[0].1;
    assert!(number("0.80628") < *share && *share < number("0.80630"), "{share}");
}

#[test]
fn the_hotel_meets_what_the_papers_coin_earns_and_not_a_hair_above_its_best() {
    let ask = |threshold: &str| {
        let options = SearchOptions { threshold: Some(number(threshold)), ..SearchOptions::default() };
        stationary(&hotel(), &options).answer
    };
    assert_eq!(ask("41/3"), Some(ThresholdAnswer::Yes));
    assert_eq!(ask("13.6754446796"), Some(ThresholdAnswer::Yes));
    assert_eq!(ask("13.6754446797"), Some(ThresholdAnswer::No));
    assert_eq!(ask("14"), Some(ThresholdAnswer::No));
}

/// A large reward of a dominated action does not matter: the same bounds and the same answers as without it.
#[test]
fn an_action_that_nobody_would_take_changes_nothing() {
    let lines = |(zeros, to): (usize, &str)| format!("s0 never -1{} -> {to}", "0".repeat(zeros));
    let all = [(9, "s0"), (9, "s1"), (12, "s0"), (15, "s1"), (30, "s0")].map(lines);
    for never in &all {
        let hotel = Plain::parse("2/3 1/3", &["s0 a 3 -> s0", "s0 b -1 -> s1", never, "s1 b 6 -> s1"]).model();
        let found = search(&hotel, "1e-8");
        assert_eq!(found.outcome, SearchOutcome::WithinGap, "{never}");
        let lower = found.welfare.enclosure.lower();
        assert!(lower > 13.675_444 && found.upper - lower <= 1e-8 * 14.2, "{never}: {lower} {}", found.upper);
        let best = positional(&hotel, &SearchOptions::default());
        assert!(found.welfare.exact >= best.welfare.exact, "{never}");
        let ask = |threshold: &str| {
            let options = SearchOptions { threshold: Some(number(threshold)), ..SearchOptions::default() };
            stationary(&hotel, &options).answer
        };
        assert_eq!(ask("13.2"), Some(ThresholdAnswer::Yes), "{never}");
        assert_eq!(ask("13.67544"), Some(ThresholdAnswer::Yes), "{never}");
        assert_eq!(ask("13.67545"), Some(ThresholdAnswer::No), "{never}");
    }
}

/// A principal who does not look ahead takes 6; that 10^9 is lost elsewhere is not of interest.
#[test]
fn an_action_that_nobody_would_take_elsewhere_changes_nothing() {
    let lines =
        ["s0 a 6 -> s1", "s0 b 3 -> s0:1/2 s1:1/2", "s1 a 2 -> s0", "s1 c 3 -> s1", "s1 never -1000000000 -> s0"];
    let found = search(&Plain::parse("0", &lines).model(), "1e-8");
    assert!(matches!(found.outcome, SearchOutcome::Optimal | SearchOutcome::WithinGap), "{:?}", found.outcome);
    assert!(found.upper < 6.000_001, "{}", found.upper);
}

/// If the optimal welfare is 0, the gap is only the rounding error.
#[test]
fn the_best_that_earns_nothing_is_found() {
    let model = Plain::parse("2/3 1/3", &["s0 rest 0 -> s0", "s0 work -5 -> s1", "s1 work -1 -> s0"]).model();
    let found = search(&model, "1e-8");
    assert!(matches!(found.outcome, SearchOutcome::Optimal | SearchOutcome::WithinGap), "{:?}", found.outcome);
    assert!(found.welfare.exact == Some(Rational::ZERO) && found.upper < 1e-7, "{}", found.upper);
}

fn random(seed: u64, n_states: usize, n_actions: usize) -> Mdp {
    let mut random = Seeded::new(seed);
    let n = 2 + random.below(2);
    let discounts = random.distinct(n, 19);
    RandomFamily {
        n_states,
        n_actions,
        n_successors: (1 + random.below(3) as usize).min(n_states),
        discounts: discounts.iter().map(|&twentieth| Rational::from(twentieth) / Rational::from(20)).collect(),
        max_denominator: 12,
        max_reward: 10,
        seed: random.bits(),
    }
    .model()
    .expect("a model")
}

/// The exact welfare of a mix whose shares are multiples of one over `denominator`.
fn exact_welfare(plain: &Plain, parts: &[Vec<u64>], denominator: u64) -> Q {
    let fraction = |&share: &u64| Q::new(BigInt::from(share), BigInt::from(denominator));
    let mix: Vec<Vec<Q>> = parts.iter().map(|state| state.iter().map(fraction).collect()).collect();
    let of = |i: usize| {
        let who = &plain.principals[i];
        let reward = |state: usize, choice: usize| &plain.states[state][choice].rewards[i] * &who.weight;
        oracle::evaluate::stationary(plain, &mix, &who.discount, reward)[0].clone()
    };
    (0..plain.principals.len()).map(of).sum()
}

#[test]
fn no_mix_of_a_dense_grid_exceeds_the_upper_bound() {
    const STEPS: u64 = 40;
    for seed in 0..150 {
        let model = random(seed, 3, 2);
        let plain = Plain::of(&model);
        let mut rough = Rough::of(&plain);
        let mut mix = vec![vec![0.0; 2]; 3];
        let share = |point: u64, state: u32| point / (STEPS + 1).pow(state) % (STEPS + 1);
        let (mut greatest, mut best) = (f64::NEG_INFINITY, 0);
        for point in 0..(STEPS + 1).pow(3) {
            for (state, shares) in (0..).zip(&mut mix) {
                let share = share(point, state);
                shares[0] = share as f64 / STEPS as f64;
                shares[1] = (STEPS - share) as f64 / STEPS as f64;
            }
            let welfare = rough.mixed(&mix);
            if welfare > greatest {
                (greatest, best) = (welfare, point);
            }
        }
        let parts: Vec<Vec<u64>> = (0..3).map(|state| vec![share(best, state), STEPS - share(best, state)]).collect();
        let grid = exact_welfare(&plain, &parts, STEPS);
        let search = search(&model, "1e-6");
        assert_eq!(search.outcome, SearchOutcome::WithinGap, "seed {seed}");
        assert!(grid <= from_double(search.upper), "seed {seed}: {plain}");
    }
}

#[test]
fn a_thousand_climbers_find_nothing_above_the_upper_bound() {
    const PARTS: u64 = 1_000_000;
    for seed in 0..12 {
        let model = random(1_000 + seed, 2 + (seed as usize % 5), 3);
        let plain = Plain::of(&model);
        let mut rough = Rough::of(&plain);
        let mut random = Seeded::new(seed);
        let mut uniform = move || random.below(1 << 53) as f64 / (1u64 << 53) as f64;
        let mut best: Option<(f64, Vec<Vec<f64>>)> = None;
        for _ in 0..1_000 {
            let mut mix: Vec<Vec<f64>> = plain
                .states
                .iter()
                .map(|choices| {
                    let weights: Vec<f64> = choices.iter().map(|_| -uniform().max(1e-300).ln()).collect();
                    let total: f64 = weights.iter().sum();
                    weights.iter().map(|weight| weight / total).collect()
                })
                .collect();
            let mut welfare = rough.mixed(&mix);
            let mut step: f64 = 0.5;
            while step > 1e-4 {
                let mut improved = false;
                for state in 0..mix.len() {
                    let n = mix[state].len();
                    for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
                        let moved = step.min(mix[state][from]);
                        if from == to || moved == 0.0 {
                            continue;
                        }
                        let before = (mix[state][from], mix[state][to]);
                        mix[state][from] -= moved;
                        mix[state][to] += moved;
                        let new = rough.mixed(&mix);
                        if new > welfare {
                            (welfare, improved) = (new, true);
                        } else {
                            (mix[state][from], mix[state][to]) = before;
                        }
                    }
                }
                if !improved {
                    step /= 4.0;
                }
            }
            if best.as_ref().is_none_or(|(greatest, _)| welfare > *greatest) {
                best = Some((welfare, mix));
            }
        }
        let to_parts = |shares: &Vec<f64>| {
            let mut parts: Vec<u64> = shares.iter().map(|share| (share * PARTS as f64) as u64).collect();
            parts[0] += PARTS - parts.iter().sum::<u64>();
            parts
        };
        let parts: Vec<Vec<u64>> = best.expect("a climber").1.iter().map(to_parts).collect();
        let climbed = exact_welfare(&plain, &parts, PARTS);
        let search = search(&model, "1e-6");
        assert_eq!(search.outcome, SearchOutcome::WithinGap, "seed {seed}");
        assert!(climbed <= from_double(search.upper), "seed {seed}: {plain}");
    }
}

#[test]
fn mixing_never_costs_anything() {
    for seed in 0..60 {
        let model = random(2_000 + seed, 2 + seed as usize % 4, 3);
        let mixed = search(&model, "1e-4");
        let pure = positional(&model, &SearchOptions::default());
        let pure = from_solver(pure.welfare.exact.as_ref().expect("an exact optimum"));
        assert!(pure <= from_double(mixed.upper), "seed {seed}");
        // Within the gap, which is relative to the welfare of the best strategy of any kind.
        assert_eq!(mixed.outcome, SearchOutcome::WithinGap, "seed {seed}");
    }
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    for seed in 0..5 {
        let model = random(3_000 + seed, 5, 3);
        let with = |threads: usize| {
            let answer = |search: Search| (search.strategy, search.welfare, search.upper.to_bits(), search.nodes);
            on_threads(Some(threads), || {
                (answer(search(&model, "1e-5")), answer(positional(&model, &SearchOptions::default())))
            })
        };
        assert_eq!(with(1), with(3), "seed {seed}");
    }
}

#[test]
fn a_search_that_is_cut_short_still_has_bounds() {
    for seed in 0..20 {
        let model = random(4_000 + seed, 4, 3);
        let whole = search(&model, "1e-5");
        let options = SearchOptions { gap: Some(number("1e-5")), node_limit: 5, ..SearchOptions::default() };
        let cut = stationary(&model, &options);
        assert!(cut.nodes <= 5);
        // The whole search comes within 1e-5 of the best there is; nothing that was found before may pass that.
        assert!(from_solver(cut.welfare.exact.as_ref().unwrap()) <= from_double(whole.upper));
        assert!(from_solver(whole.welfare.exact.as_ref().unwrap()) <= from_double(cut.upper));
    }
}

/// All weights 0: there is nothing to bound but rounding errors.
#[test]
fn where_nothing_counts_the_best_is_0_at_once() {
    let text = "principals: {alice: {discount: 2/3, weight: 0}, bob: {discount: 1/3, weight: 0}}\nstates: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}\n";
    let model = commonweal::internals::io::read_model(text).unwrap();
    let search = stationary(&model, &SearchOptions { node_limit: 100, ..SearchOptions::default() });
    assert_eq!((search.upper, search.welfare.exact), (0.0, Some(commonweal::Rational::ZERO)));
}
