//! What all experiments share: where tables go, the seed, the sizes, the clock, the baseline.

use super::baseline::Baseline;
use super::table::Table;
use crate::args::ReproduceArgs;
use commonweal::Answer;
use commonweal::internals::answer::Timings;
use commonweal::internals::stop::StopSignal;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::Path;
use std::time::{Duration, Instant};

pub struct Lab<'a> {
    /// Smaller sizes, fewer repeats.
    pub is_quick: bool,
    pub seed: u64,
    /// Whether the clock is looked at. Without it, the same arguments give the same bytes.
    pub is_timed: bool,
    /// The baseline, or why there is none.
    pub baseline: Result<Baseline, String>,
    folder: Option<&'a Path>,
    stop: StopSignal,
    is_quiet: bool,
    /// Ours has one thread, as the baseline has.
    thread: rayon::ThreadPool,
}

impl<'a> Lab<'a> {
    pub fn new(args: &'a ReproduceArgs) -> anyhow::Result<Lab<'a>> {
        let baseline = if args.what.is_compared() && args.python != "none" {
            Baseline::start(&args.python).map_err(|error| format!("{error:#}"))
        } else {
            Err("not asked for".to_owned())
        };
        Ok(Lab {
            is_quick: args.quick,
            seed: args.seed,
            is_timed: !args.untimed,
            baseline,
            folder: args.out.as_deref(),
            stop: args.run.start(),
            is_quiet: args.run.quiet || args.run.json,
            thread: rayon::ThreadPoolBuilder::new().num_threads(1).build()?,
        })
    }

    /// The table of that name, with what an earlier run of the same kind left of it.
    pub fn table(&self, name: &'static str, columns: &[&'static str]) -> anyhow::Result<Table> {
        let sizes = if self.is_quick { "quick" } else { "full" };
        let times = if self.is_timed { "timed" } else { "untimed" };
        let baseline = self.baseline.as_ref().map_or("no baseline", |baseline| &baseline.versions);
        let version = env!("CARGO_PKG_VERSION");
        let made_by = format!("commonweal {version}; {name}; seed {}; {sizes} sizes; {times}; {baseline}", self.seed);
        Table::open(self.folder, name, &made_by, columns.to_vec(), self.stop.clone())
    }

    /// The seed of an experiment's instance.
    pub fn seed_of(&self, instance: usize) -> u64 {
        self.seed.wrapping_mul(1000).wrapping_add(instance as u64)
    }

    /// A bar on standard error, if that is a terminal.
    pub fn progress(&self, what: &str, n: usize) -> ProgressBar {
        let target = if self.is_quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(n as u64), target);
        let style = ProgressStyle::with_template("{prefix:>12} {bar:30} {pos}/{len} {elapsed} (about {eta} left)");
        bar.set_style(style.expect("a valid template"));
        bar.set_prefix(what.to_owned());
        bar
    }

    /// A solution on one thread, and the best times of a few runs; of one run where times do not matter.
    pub fn best(&self, solve: impl Fn() -> Answer + Sync) -> (Answer, Timings) {
        const ENOUGH: Duration = Duration::from_secs(1);
        const MOST_RUNS: usize = 5;
        self.thread.install(|| {
            let began = Instant::now();
            let (solution, mut best) = timed(&solve);
            for _ in 1..MOST_RUNS {
                if !self.is_timed || began.elapsed() >= ENOUGH {
                    break;
                }
                let (_, again) = timed(&solve);
                best.long_term = best.long_term.min(again.long_term);
                best.unravel = best.unravel.min(again.unravel);
            }
            (solution, best)
        })
    }

    /// A time as a field of a table: empty where times do not matter.
    pub fn seconds(&self, time: Duration) -> String {
        if self.is_timed { format!("{:.7}", time.as_secs_f64()) } else { String::new() }
    }
}

/// A solution and its times: of the processor where that is known and the solve is long, so that other programs on the
/// machine matter little.
fn timed(solve: impl Fn() -> Answer) -> (Answer, Timings) {
    /// The system counts processor time in steps of about a millisecond.
    const LONG: Duration = Duration::from_millis(10);
    let (began, processor_began) = (Instant::now(), processor_time());
    let solution = solve();
    let (elapsed, processor_ended) = (began.elapsed(), processor_time());
    let mut times = solution.timings();
    let processor = processor_began.zip(processor_ended).map(|(from, until)| until.saturating_sub(from));
    if let Some(processor) = processor.filter(|processor| (LONG..elapsed).contains(processor)) {
        let share = processor.as_secs_f64() / elapsed.as_secs_f64();
        times.long_term = times.long_term.mul_f64(share);
        times.unravel = times.unravel.mul_f64(share);
    }
    (solution, times)
}

/// How long this thread has had a processor, where the system tells.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
