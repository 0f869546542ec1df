//! Whole exact solves of random models, and what part of them is the exact linear solves.
//!
//! `cargo bench --bench exact` prints one row per model: the time of the whole solve, the time of the exact linear
//! solves that any such solve must make (the values of the long-term strategy to each principal), and their ratio, all
//! from the same run. `cargo bench --bench exact -- 1000 3000` chooses the sizes.

use commonweal::Options;
use commonweal::internals::exact::long_term::value_of;
use commonweal::internals::exact::solve;
use commonweal::internals::families::RandomFamily;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::principals;
use commonweal::internals::stop::StopSignal;
use commonweal::internals::strategy::CountingStrategy;
use rayon::prelude::*;
use std::time::{Duration, Instant};

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![300, 1_000, 3_000, 10_000] } else { sizes };
    println!("random models: 2 actions, 5 successors, denominators ≤ 100, discounts 9/10 and 3/10");
    println!("{:>8} {:>8} {:>10} {:>14} {:>7}", "states", "horizon", "solve (s)", "linear (s)", "ratio");
    for n_states in sizes {
        let model = random(n_states, ["9/10", "3/10"], 1);
        row(&model);
    }
    println!("long horizons: 50 states, close discounts");
    println!("{:>8} {:>8} {:>10} {:>14} {:>7}", "states", "horizon", "solve (s)", "linear (s)", "ratio");
    for discounts in [["0.9", "0.89"], ["0.9", "0.895"], ["0.95", "0.945"]] {
        row(&random(50, discounts, 1));
    }
}

fn random(n_states: usize, discounts: [&str; 2], seed: u64) -> Mdp {
    let discounts = discounts.map(|text| parse_rational(text).expect("a discount")).to_vec();
    let family = RandomFamily {
        n_states,
        n_actions: 2,
        n_successors: 5,
        discounts,
        max_denominator: 100,
        max_reward: 100,
        seed,
    };
    family.model().expect("a valid family")
}

fn row(model: &Mdp) {
    let (solution, whole) = timed(|| solve(model, &Options::default()));
    let (_, linear) = timed(|| linear_solves(model, solution.strategy()));
    println!(
        "{:>8} {:>8} {:>10.3} {:>14.3} {:>7.2}",
        model.n_states(),
        solution.horizon().to_string(),
        whole.as_secs_f64(),
        linear.as_secs_f64(),
        whole.as_secs_f64() / linear.as_secs_f64(),
    );
}

/// The exact values of the strategy's tail to every principal, solved side by side as the solver does.
fn linear_solves(model: &Mdp, strategy: &CountingStrategy) -> Vec<Rational> {
    let ordered = principals::order(model);
    let tail: Vec<_> = model.states().map(|state| strategy.tail(state)).collect();
    let value = |i| value_of(&ordered, &tail, i, &StopSignal::default()).expect("nobody stops it").get(0);
    (0..ordered.n()).into_par_iter().map(value).collect()
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let done = work();
    (done, began.elapsed())
}
