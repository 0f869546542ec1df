//! What a search over stationary strategies leaves open: nodes, user time, bounds and gap on random models, model by model.
//!
//! `cargo bench -p commonweal --bench stationary -- 1000 20 30 40` searches for at most 1,000 nodes and 20 s of the process's own
//! time in models of 20, 30 and 40 states. Nodes do not depend on what else the machine does. `SEEDS` and `DISCOUNTS` choose models.

use commonweal::internals::families::RandomFamily;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::parse_rational;
use commonweal::internals::search::{SearchOptions, stationary};
use commonweal::internals::stop::StopSignal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Seconds of the process's own time for one search.
const LIMIT: f64 = 20.0;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let (nodes, sizes) = match numbers.split_first() {
        Some((nodes, sizes)) if !sizes.is_empty() => (*nodes as u64, sizes.to_vec()),
        _ => (1_000, vec![20, 30, 40]),
    };
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let discounts = std::env::var("DISCOUNTS").unwrap_or("9/10,3/10;19/20,9/10;9/10,3/5,1/5".to_owned());
    println!("Random models, 3 actions, 4 successors; at most {nodes} nodes and {LIMIT} s.\n");
    println!("| states | discounts | seed | nodes | user (s) | at least | at most | gap |");
    println!("|---|---|---|---|---|---|---|---|");
    for n_states in sizes {
        for discounts in discounts.split(';') {
            (1..=seeds).for_each(|seed| row(n_states, discounts, seed, nodes));
        }
    }
}

fn row(n_states: usize, discounts: &str, seed: u64, node_limit: u64) {
    let model = model(n_states, discounts, seed);
    let options = SearchOptions {
        gap: Some(parse_rational("1e-6").expect("a number")),
        node_limit,
        stop: StopSignal::default(),
        ..SearchOptions::default()
    };
    let began = user_seconds();
    let ended = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(50));
                if user_seconds() - began > LIMIT {
                    options.stop.raise();
                }
            }
        });
        let found = stationary(&model, &options);
        ended.store(true, Ordering::Relaxed);
        found
    });
    let (lower, upper) = (found.welfare.enclosure.lower(), found.upper);
    println!(
        "| {n_states} | {} | {seed} | {} | {:.2} | {lower:.6} | {upper:.6} | {:.1e} |",
        discounts.replace(',', ", "),
        found.nodes,
        user_seconds() - began,
        (upper - lower) / lower.abs().max(upper.abs())
    );
}

fn model(n_states: usize, discounts: &str, seed: u64) -> Mdp {
    let family = RandomFamily {
        n_states,
        n_actions: 3,
        n_successors: 4.min(n_states),
        discounts: discounts.split(',').map(|text| parse_rational(text).expect("a discount")).collect(),
        max_denominator: 100,
        max_reward: 100,
        seed,
    };
    family.model().expect("a model")
}

/// What this process has computed so far, in seconds, by the kernel's clock of 100 ticks; 0 where nobody says.
fn user_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    after_name.split(' ').nth(11).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0) / 100.0
}
