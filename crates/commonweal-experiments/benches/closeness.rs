//! Running time for close discounts. [RQ3]
//!
//! The models of `commonweal reproduce rq3`, with a ratio λ_0/λ_1 from 16 down to 1 + 10^-9: as the ratio falls the horizon
//! grows without bound, and a walk over every step before it becomes impossible. Each row gives medians over the seeds of the
//! horizon, the layers walked, the changes of choice, the jumps, and the time of a whole solve; where the horizon allows
//! it, also the time of the walk without jumps.
//!
//! `cargo bench -p commonweal-experiments --bench closeness` prints the table. With `-- --write` it also writes
//! `docs/figures/closeness.csv` and `.svg`; with `-- --draw` it measures nothing and draws the picture from that table. A
//! number among the arguments is the number of seeds.

use commonweal::internals::exact::solve;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::strategy::Step;
use commonweal::{Claim, Options};
use commonweal_charts::{Mark, Series, stacked};
use commonweal_experiments::{closeness, colours};
use std::path::Path;
use std::time::Instant;

/// λ_0/λ_1 − 1.
const SPACINGS: [&str; 14] =
    ["15", "7", "3", "1", "0.32", "0.1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9"];
/// Horizons beyond this are not walked step by step.
const MAX_PLAIN: u64 = 200_000;
/// The columns of the table; the last one is empty where some horizon is not walked step by step.
const COLUMNS: [&str; 7] = ["spacing", "horizon", "layers", "changes", "jumps", "seconds", "plain_seconds"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_given = |name: &str| arguments.iter().any(|argument| argument == name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/figures");
    if !is_given("--draw") {
        let table = measured(arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(7));
        if !is_given("--write") {
            return;
        }
        std::fs::write(folder.join("closeness.csv"), table).expect("the table can be written");
    }
    let table = std::fs::read_to_string(folder.join("closeness.csv")).expect("a table that was written before");
    std::fs::write(folder.join("closeness.svg"), picture(&table)).expect("the picture can be written");
}

/// The table as CSV. Its rows are printed as they are measured.
fn measured(n_seeds: u64) -> String {
    println!("random models: 30 states, 2 actions, 5 successors, λ_0 = 9/10; medians over {n_seeds} seeds");
    println!("{}", COLUMNS.map(|column| format!("{column:>13}")).concat());
    let mut table = COLUMNS.join(",") + "\n";
    for spacing in SPACINGS {
        let row = row(spacing, n_seeds);
        println!("{}", row.iter().map(|field| format!("{field:>13}")).collect::<String>());
        table += &(row.join(",") + "\n");
    }
    table
}

/// The fields of a row: medians over the seeds.
fn row(spacing: &str, n_seeds: u64) -> Vec<String> {
    let ratio = Rational::ONE + parse_rational(spacing).expect("a number");
    let (mut counts, mut seconds, mut plain_seconds): ([Vec<f64>; 4], Vec<f64>, Vec<f64>) = Default::default();
    for seed in 1..=n_seeds {
        let model = closeness::model(&ratio, seed);
        let began = Instant::now();
        let solution = solve(&model, &Options::default());
        seconds.push(began.elapsed().as_secs_f64());
        assert_eq!(solution.claim(), Claim::Optimal, "spacing {spacing}, seed {seed}");
        let horizon = solution.horizon().to_f64();
        let changes: usize = model.states().map(|state| solution.strategy().changes(state).len() - 1).sum();
        let effort = solution.effort();
        let values = [horizon, effort.n_layers as f64, changes as f64, effort.n_jumps as f64];
        counts.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        if *solution.horizon() <= Step::from(MAX_PLAIN) {
            let began = Instant::now();
            let plain = solve(&model, &Options { jumps: false, ..Options::default() });
            plain_seconds.push(began.elapsed().as_secs_f64());
            assert_eq!(plain.strategy(), solution.strategy(), "spacing {spacing}, seed {seed}");
        }
    }
    let is_walked = plain_seconds.len() == seconds.len();
    let plain = if is_walked { format!("{:.6}", median(plain_seconds)) } else { String::new() };
    let counts = counts.map(|column| median(column).to_string());
    [vec![spacing.to_owned()], counts.to_vec(), vec![format!("{:.6}", median(seconds)), plain]].concat()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Horizon and layers, and below them the times, over the closeness of the discounts.
fn picture(table: &str) -> String {
    let series = |name: &str, colour: usize, column: &str, mark| {
        let at = COLUMNS.iter().position(|other| *other == column).expect("a column of the table");
        let point = |row: &str| {
            let fields: Vec<&str> = row.split(',').collect();
            Some((fields[0].parse().ok()?, fields[at].parse().ok()?))
        };
        Series { name: name.to_owned(), colour, points: table.lines().skip(1).filter_map(point).collect(), mark }
    };
    let steps = closeness::chart(
        "The horizon grows with the closeness, the layers walked level off",
        "Random models with 30 states, λ₀ = 9/10; medians over 7 seeds.",
        "steps",
        vec![
            series("layers walked, with jumps", colours::WALKED, "layers", Mark::LineAndPoints),
            series("horizon", colours::HORIZON, "horizon", Mark::LineAndPoints),
        ],
    );
    let exact = series("ours, exact", colours::EXACT, "seconds", Mark::LineAndPoints);
    let times = closeness::chart(
        "Time of a solve",
        &format!(
            "Every layer is walked up to a horizon of 200,000. {}",
            closeness::peak(&exact.points).unwrap_or_default()
        ),
        "seconds",
        vec![
            exact.clone(),
            series("ours, every layer walked", colours::EVERY_LAYER, "plain_seconds", Mark::LineAndPoints),
        ],
    );
    stacked([steps.picture(), times.picture()]).svg()
}
