//! What it costs that two discounts are close. [RQ3]
//!
//! Random models with 30 states, 2 actions and 5 successors, λ_0 = 9/10 and a ratio λ_0/λ_1 from 16 down to 1 + 10^-9: as
//! the ratio falls the horizon grows without end, and a walk over every step before it becomes impossible. Each row gives
//! medians over the seeds of the horizon, the layers walked, the changes of choice, the jumps, and the time of a whole
//! solve; where the horizon allows it, also the time of the walk without jumps.
//!
//! `cargo bench --bench closeness` prints the table. With `-- --write` it also writes `docs/figures/closeness.svg` and
//! `.csv`; a number among the arguments is the number of seeds.

#[path = "closeness/figure.rs"]
mod figure;

use commonweal::internals::exact::solve;
use commonweal::internals::families::RandomFamily;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::strategy::Step;
use commonweal::{Claim, Options};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// λ_0/λ_1 − 1.
const SPACINGS: [&str; 14] =
    ["15", "7", "3", "1", "0.32", "0.1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9"];
/// Horizons beyond this are not walked step by step.
const MAX_PLAIN: u64 = 200_000;

/// Medians over the seeds.
struct Row {
    /// λ_0/λ_1 − 1, as it is written and as a double.
    written: &'static str,
    spacing: f64,
    horizon: f64,
    layers: f64,
    changes: f64,
    jumps: f64,
    seconds: f64,
    /// Without jumps, where every seed's horizon allows that.
    plain_seconds: Option<f64>,
}

fn main() {
    let n_seeds = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(7);
    println!("random models: 30 states, 2 actions, 5 successors, λ_0 = 9/10; medians over {n_seeds} seeds");
    println!("{}", Row::header());
    let rows: Vec<Row> = SPACINGS.iter().map(|spacing| row(spacing, n_seeds)).collect();
    if std::env::args().any(|argument| argument == "--write") {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/figures");
        std::fs::create_dir_all(&folder).expect("a folder for the figure");
        std::fs::write(folder.join("closeness.svg"), figure::svg(&rows)).expect("the figure can be written");
        std::fs::write(folder.join("closeness.csv"), csv(&rows)).expect("the table can be written");
    }
}

fn row(spacing: &'static str, n_seeds: u64) -> Row {
    let mut columns: [Vec<f64>; 6] = Default::default();
    for seed in 1..=n_seeds {
        let model = model(spacing, seed);
        let began = Instant::now();
        let solution = solve(&model, &Options::default());
        let seconds = began.elapsed().as_secs_f64();
        assert_eq!(solution.claim(), Claim::Optimal, "spacing {spacing}, seed {seed}");
        let changes: usize = model.states().map(|state| solution.strategy().changes(state).len() - 1).sum();
        let walk = solution.effort();
        let horizon = solution.horizon().to_f64();
        let mut values = vec![horizon, walk.n_layers as f64, changes as f64, walk.n_jumps as f64, seconds];
        if *solution.horizon() <= Step::from(MAX_PLAIN) {
            let began = Instant::now();
            let plain = solve(&model, &Options { jumps: false, ..Options::default() });
            values.push(began.elapsed().as_secs_f64());
            assert_eq!(plain.strategy(), solution.strategy(), "spacing {spacing}, seed {seed}");
        }
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
    let [horizon, layers, changes, jumps, seconds, plain] = columns;
    let row = Row {
        written: spacing,
        spacing: parse_rational(spacing).expect("a number").to_f64(),
        horizon: median(horizon),
        layers: median(layers),
        changes: median(changes),
        jumps: median(jumps),
        seconds: median(seconds),
        plain_seconds: (plain.len() as u64 == n_seeds).then(|| median(plain)),
    };
    println!("{}", row.in_words());
    row
}

fn model(spacing: &str, seed: u64) -> Mdp {
    let number = |text| parse_rational(text).expect("a number");
    let greatest = number("9/10");
    let other = &greatest / (Rational::ONE + number(spacing));
    let family = RandomFamily {
        n_states: 30,
        n_actions: 2,
        n_successors: 5,
        discounts: vec![greatest, other],
        max_denominator: 100,
        max_reward: 100,
        seed,
    };
    family.model().expect("a valid family")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Row {
    fn header() -> String {
        format!(
            "{:>9} {:>13} {:>7} {:>8} {:>6} {:>10} {:>12} {:>11}",
            "λ_0/λ_1−1", "horizon", "layers", "changes", "jumps", "time (ms)", "plain (ms)", "plain/jumps"
        )
    }

    fn in_words(&self) -> String {
        let plain = self.plain_seconds.map_or("–".to_owned(), |plain| format!("{:.1}", plain * 1e3));
        let ratio = self.plain_seconds.map_or("–".to_owned(), |plain| format!("{:.1}", plain / self.seconds));
        format!(
            "{:>9} {:>13} {:>7} {:>8} {:>6} {:>10.1} {:>12} {:>11}",
            self.written,
            self.horizon,
            self.layers,
            self.changes,
            self.jumps,
            self.seconds * 1e3,
            plain,
            ratio
        )
    }
}

fn csv(rows: &[Row]) -> String {
    let mut text = String::from("spacing,horizon,layers,changes,jumps,seconds,plain_seconds\n");
    for row in rows {
        let plain = row.plain_seconds.map_or(String::new(), |plain| format!("{plain:.6}"));
        let Row { written, horizon, layers, changes, jumps, seconds, .. } = row;
        let _ = writeln!(text, "{written},{horizon},{layers},{changes},{jumps},{seconds:.6},{plain}");
    }
    text
}
