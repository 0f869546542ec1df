//! The certified engine on the paper's large instances, both phases: uniform random models with 2 actions, 5 successors and 6
//! principals, from 3 states on in powers of √10; peak memory; and one pass over the rows beside a triad on plain arrays.
//!
//! `cargo bench -p commonweal --bench certified [-- LARGEST [SMALLEST]]`, from 3 to 10^5 states unless told otherwise.
//!
//! With `-- solve FILE.umb TIMES NAME=DISCOUNT …` it solves that model that many times and prints the best times as JSON:
//! `scripts/bench-peers` holds them against peers that are measured in the same way.

use commonweal::Options;
use commonweal::internals::certified;
use commonweal::internals::families::{LargeFamily, Neighbourhood};
use commonweal::internals::io::{Discounts, ReadOptions, read_umb};
use commonweal::internals::kernel::one_pass;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::parse_rational;
use commonweal::limits::PayoffsFrom;
use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::time::{Duration, Instant};

const SIX: [&str; 6] = ["0.95", "0.8", "0.65", "0.5", "0.35", "0.2"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, file, times, gap, payoffs, discounts @ ..] = &arguments[..]
        && command == "solve"
    {
        let payoffs = if payoffs == "start" { PayoffsFrom::Start } else { PayoffsFrom::EveryState };
        let options = Options { payoffs, ..Options::default() };
        let (times, gap) = (times.parse().expect("a number of times"), gap.parse().expect("a gap"));
        return solve_file(file, times, gap, &options, discounts);
    }
    // Cargo adds an argument of its own.
    let mut sizes = arguments.iter().filter_map(|argument| argument.parse().ok());
    let (largest, smallest) = (sizes.next().unwrap_or(100_000), sizes.next().unwrap_or(1));
    println!("   states   horizon  long-term s    unravel s  outcome   peak MB");
    for exponent in 1.. {
        let n_states = 10f64.powf(f64::from(exponent) / 2.0).floor() as usize;
        if n_states > largest {
            break;
        }
        if n_states < smallest {
            continue;
        }
        let model = model(n_states, &SIX);
        let times = if n_states > 1_000_000 { 1 } else { 3 };
        let best = (0..times).map(|_| certified::solve(&model, 1e-9, &Options::default()));
        let best = best.min_by_key(|solution| solution.timings().long_term + solution.timings().unravel);
        let solution = best.expect("at least one run");
        let timings = solution.timings();
        println!(
            "{n_states:>9} {:>9} {:>12.6} {:>12.6}  {:?}  {:>8.1}",
            solution.horizon().to_string(),
            timings.long_term.as_secs_f64(),
            timings.unravel.as_secs_f64(),
            solution.claim(),
            peak_memory() / 1e6
        );
    }
    bandwidth(&model(largest, &SIX[..1]));
}

fn solve_file(file: &str, times: usize, gap: f64, asked: &Options, discounts: &[String]) {
    let by_name = discounts.iter().map(|text| {
        let (name, discount) = text.rsplit_once('=').expect("NAME=DISCOUNT");
        (name.to_owned(), parse_rational(discount).expect("a number"))
    });
    let options = ReadOptions::new(Discounts::Named(by_name.collect()));
    let input = BufReader::with_capacity(1 << 16, File::open(file).expect("a file"));
    let model: Mdp<f64> = read_umb(input, &options).expect("a model").model;
    let best = (0..times).map(|_| certified::solve(&model, gap, asked));
    let best = best.min_by_key(|solution| solution.timings().long_term + solution.timings().unravel);
    let solution = best.expect("at least one run");
    assert!(solution.claim().is_within(), "the gap was not reached");
    let welfare = solution.welfare_enclosure(model.start());
    println!(
        r#"{{"long_term": {}, "unravel": {}, "lower": {}, "upper": {}}}"#,
        solution.timings().long_term.as_secs_f64(),
        solution.timings().unravel.as_secs_f64(),
        welfare.lower(),
        welfare.upper()
    );
}

fn model(n_states: usize, discounts: &[&str]) -> Mdp<f64> {
    LargeFamily {
        n_states,
        n_actions: 2,
        n_successors: 5,
        discounts: discounts.iter().map(|text| parse_rational(text).expect("a number")).collect(),
        neighbourhood: Neighbourhood::Uniform,
        seed: 1,
    }
    .model()
    .expect("a valid model")
}

/// Bytes a second of one pass over all rows, and of `a = b + 3c` over arrays as large.
fn bandwidth(model: &Mdp<f64>) {
    let pass = best_of(10, || one_pass(model));
    let bytes = 12 * model.n_transitions() + 16 * model.n_choices() + 16 * model.n_states();
    let n = bytes / 24;
    let (mut a, b, c) = (vec![0.0f64; n], vec![1.0f64; n], vec![2.0f64; n]);
    let triad = best_of(10, || {
        let half = n / 2;
        let triad = |a: &mut [f64], b: &[f64], c: &[f64]| {
            a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + 3.0 * c);
        };
        let (left, right) = a.split_at_mut(half);
        rayon::join(|| triad(left, &b[..half], &c[..half]), || triad(right, &b[half..], &c[half..]));
        black_box(&a);
    });
    let rate = |took: Duration| bytes as f64 / took.as_secs_f64() / 1e9;
    println!(
        "\none pass over {} transitions: {:.2} GB/s beside its gathered values; triad {:.2} GB/s; ratio {:.2}",
        model.n_transitions(),
        rate(pass),
        rate(triad),
        rate(pass) / rate(triad)
    );
}

fn best_of(times: usize, mut run: impl FnMut()) -> Duration {
    let timed = |_| {
        let began = Instant::now();
        run();
        began.elapsed()
    };
    (0..times).map(timed).min().expect("at least one run")
}

/// The most memory this process has held, in bytes, where the system tells.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap_or(0.0) * 1024.0
}
