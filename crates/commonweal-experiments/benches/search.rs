//! Best simple strategies of random models by size: nodes, time and gap; branch and bound beside the mixed-integer program.
//!
//! `cargo bench -p commonweal-experiments --bench search` prints the tables of `docs/benchmarks.md`; sizes may be given.

use commonweal::internals::families::RandomFamily;
use commonweal::internals::number::parse_rational;
use commonweal::questions::{Search, SearchOptions, SearchOutcome, positional, stationary};
use commonweal::{Model, StopSignal};
use commonweal_experiments::positional_by_milp;
use std::time::{Duration, Instant};

const SEEDS: u64 = 5;
const LIMIT: Duration = Duration::from_secs(20);

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![2, 5, 10, 20, 30, 40] } else { sizes };
    println!("Random models, 3 actions, 4 successors, {SEEDS} seeds: medians, and the slowest in brackets.\n");
    println!(
        "| states | discounts | nodes | positional (s) | program (s) | ratio | stationary: nodes | time (s) | gap |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for n_states in sizes {
        for discounts in ["9/10,3/10", "19/20,9/10", "9/10,3/5,1/5"] {
            row(n_states, discounts);
        }
    }
}

fn row(n_states: usize, discounts: &str) {
    let (mut pure, mut program, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 1..=SEEDS {
        let model = model(n_states, discounts, seed);
        let (search, time) = timed(|stop| positional(&model, &SearchOptions { stop, ..SearchOptions::default() }));
        let exact = search.welfare.exact.clone();
        let best = (search.outcome == SearchOutcome::Optimal).then_some(exact).flatten();
        pure.push((search.nodes as f64, time));
        let (claimed, time) =
            timed(|stop| positional_by_milp(&model, &SearchOptions { stop, ..SearchOptions::default() }));
        match (claimed, best) {
            (Ok(claimed), Some(best)) if claimed.outcome == SearchOutcome::Claimed => {
                assert_eq!(
                    claimed.welfare.exact,
                    Some(best),
                    "the two methods disagree: {n_states} {discounts} {seed}"
                );
            }
            (Err(error), _) => eprintln!("{n_states} {discounts} {seed}: {error}"),
            _ => {}
        }
        program.push(time);
        let gap = parse_rational("1e-6").expect("a number");
        let (search, time) =
            timed(|stop| stationary(&model, &SearchOptions { gap: Some(gap), stop, ..SearchOptions::default() }));
        mixed.push((search.nodes as f64, time, relative_gap(&search)));
    }
    let nodes = shown(pure.iter().map(|(nodes, _)| *nodes), 0);
    let times = shown(pure.iter().map(|(_, time)| *time), 3);
    let program_times = shown(program.iter().copied(), 3);
    let ratio = median(program.iter().copied()) / median(pure.iter().map(|(_, time)| *time));
    let mixed_nodes = shown(mixed.iter().map(|(nodes, ..)| *nodes), 0);
    let mixed_times = shown(mixed.iter().map(|(_, time, _)| *time), 2);
    let worst = mixed.iter().map(|(.., gap)| *gap).fold(0.0, f64::max);
    println!(
        "| {n_states} | {} | {nodes} | {times} | {program_times} | {ratio:.0} | {mixed_nodes} | {mixed_times} | {worst:.0e} |",
        discounts.replace(',', ", ")
    );
}

fn model(n_states: usize, discounts: &str, seed: u64) -> Model {
    let family = RandomFamily {
        n_states,
        n_actions: 3,
        n_successors: 4.min(n_states),
        discounts: discounts.split(',').map(|text| parse_rational(text).expect("a discount")).collect(),
        max_denominator: 100,
        max_reward: 100,
        seed,
    };
    family.model().expect("a model").into()
}

fn timed<T>(search: impl FnOnce(StopSignal) -> T) -> (T, f64) {
    let began = Instant::now();
    let found = search(StopSignal::after(LIMIT));
    (found, began.elapsed().as_secs_f64())
}

fn relative_gap(search: &Search) -> f64 {
    let lower = search.welfare.enclosure.lower();
    (search.upper - lower) / lower.abs().max(search.upper.abs())
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// The median, and the largest in brackets.
fn shown(numbers: impl Iterator<Item = f64> + Clone, digits: usize) -> String {
    let largest = numbers.clone().fold(0.0, f64::max);
    format!("{:.digits$} ({largest:.digits$})", median(numbers))
}
