//! Best positional strategies of random models by size: nodes, time and gap.
//!
//! `cargo bench -p commonweal --bench search -- 10 20 30 40`

use commonweal::families::RandomFamily;
use commonweal::number::parse_rational;
use commonweal::search::{SearchOptions, positional};
use commonweal::stop::StopSignal;
use std::time::{Duration, Instant};

const SEEDS: u64 = 5;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![2, 5, 10, 20, 30, 40] } else { sizes };
    println!("| states | discounts | seed | nodes | time (s) | gap | outcome |");
    for n_states in sizes {
        for discounts in ["9/10,3/10", "19/20,9/10", "9/10,3/5,1/5"] {
            for seed in 1..=SEEDS {
                let family = RandomFamily {
                    n_states,
                    n_actions: 3,
                    n_successors: 4.min(n_states),
                    discounts: discounts.split(',').map(|text| parse_rational(text).expect("a discount")).collect(),
                    max_denominator: 100,
                    max_reward: 100,
                    seed,
                };
                let model = family.model().expect("a model");
                let options =
                    SearchOptions { stop: StopSignal::after(Duration::from_secs(20)), ..SearchOptions::default() };
                let began = Instant::now();
                let search = positional(&model, &options);
                let took = began.elapsed().as_secs_f64();
                let gap = search.upper - search.welfare.enclosure.lower();
                println!(
                    "| {n_states} | {discounts} | {seed} | {} | {took:.3} | {gap:.2e} | {:?} |",
                    search.nodes, search.outcome
                );
            }
        }
    }
}
