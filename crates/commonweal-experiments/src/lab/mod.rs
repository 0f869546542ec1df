//! The common parts of all experiments: the seed, the sizes, the clock, the baseline, and the archive of tables.

pub mod archive;
pub mod baseline;
pub mod growth;
pub mod measure;
pub mod table;

use crate::error::Error;
use archive::Archive;
use baseline::{Baseline, BaselineError};
use commonweal::internals::answer::Timings;
use commonweal::limits::on_threads;
use commonweal::{Answer, StopSignal};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use table::Table;

/// What a user may choose about an experiment.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Smaller sizes and fewer repeats. Default: no.
    pub is_quick: bool,
    /// Another seed draws other models. Default: 1.
    pub seed: u64,
    /// Whether times are measured. Without them, the same settings give the same bytes. Default: yes.
    pub is_timed: bool,
    /// The Python with numpy that runs the baseline, for experiments that are compared with it. Default: none.
    pub python: Option<String>,
    /// Once raised, no further row of a table is computed. Default: never raised.
    pub stop: StopSignal,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { is_quick: false, seed: 1, is_timed: true, python: None, stop: StopSignal::default() }
    }
}

/// The progress of a part of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The part, in a word or two.
    pub what: &'a str,
    /// The models that are done; 0 when the part begins, `of` when it ends.
    pub done: usize,
    /// All models of the part.
    pub of: usize,
}

/// The place where an experiment runs.
pub struct Lab {
    settings: Settings,
    /// The baseline, or why there is none.
    pub(crate) baseline: Result<Baseline, NoBaseline>,
    archive: Option<Rc<dyn Archive>>,
    watcher: Rc<dyn Fn(Progress<'_>)>,
}

/// Why the baseline does not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoBaseline {
    #[error("not asked for")]
    NotAskedFor,
    #[error("{0}")]
    Failed(BaselineError),
}

impl Lab {
    /// A lab with these settings. If they name a Python, the baseline starts here.
    pub fn new(settings: Settings) -> Lab {
        let baseline = match &settings.python {
            Some(python) => Baseline::start(python).map_err(NoBaseline::Failed),
            None => Err(NoBaseline::NotAskedFor),
        };
        Lab { settings, baseline, archive: None, watcher: Rc::new(|_| {}) }
    }

    /// The same lab, with a place to keep tables, pictures and the page.
    pub fn with_archive(self, archive: impl Archive + 'static) -> Lab {
        Lab { archive: Some(Rc::new(archive)), ..self }
    }

    /// The same lab, with a progress callback.
    pub fn with_progress(self, watcher: impl Fn(Progress<'_>) + 'static) -> Lab {
        Lab { watcher: Rc::new(watcher), ..self }
    }

    /// Why the baseline does not run, if one was wanted.
    pub fn baseline_failure(&self) -> Option<String> {
        match &self.baseline {
            Err(NoBaseline::Failed(error)) => Some(error.to_string()),
            Err(NoBaseline::NotAskedFor) | Ok(_) => None,
        }
    }

    pub(crate) fn is_quick(&self) -> bool {
        self.settings.is_quick
    }

    pub(crate) fn is_timed(&self) -> bool {
        self.settings.is_timed
    }

    pub(crate) fn seed(&self) -> u64 {
        self.settings.seed
    }

    /// Keeps a text, if there is an archive.
    pub(crate) fn keep(&self, name: &str, text: &str) -> Result<(), Error> {
        self.archive.as_ref().map_or(Ok(()), |archive| archive.write(name, text)).map_err(Error::Archive)
    }

    /// The table of that name, with the rows of an earlier run with the same settings.
    pub(crate) fn table(&self, name: &'static str, columns: &[&'static str]) -> Result<Table, Error> {
        let sizes = if self.is_quick() { "quick" } else { "full" };
        let times = if self.is_timed() { "timed" } else { "untimed" };
        let baseline = self.baseline.as_ref().map_or("no baseline", |baseline| &baseline.versions);
        let version = env!("CARGO_PKG_VERSION");
        let made_by = format!("commonweal {version}; {name}; seed {}; {sizes} sizes; {times}; {baseline}", self.seed());
        Table::open(self.archive.clone(), name, &made_by, columns.to_vec(), self.settings.stop.clone())
    }

    /// The seed of an experiment's instance.
    pub(crate) fn seed_of(&self, instance: usize) -> u64 {
        self.seed().wrapping_mul(1000).wrapping_add(instance as u64)
    }

    /// Announces a part of `n` models.
    pub(crate) fn progress(&self, what: &'static str, n: usize) -> Bar {
        let bar = Bar { what, done: Cell::new(0), of: n, watcher: self.watcher.clone() };
        bar.tell();
        bar
    }

    /// A solution on one thread, like the baseline, and the best times of a few runs; of one run if times are not measured.
    pub(crate) fn best(&self, solve: impl Fn() -> Answer + Sync) -> (Answer, Timings) {
        const ENOUGH: Duration = Duration::from_secs(1);
        const MOST_RUNS: usize = 5;
        let is_timed = self.is_timed();
        on_threads(Some(1), || {
            let began = Instant::now();
            let (solution, mut best) = timed(&solve);
            for _ in 1..MOST_RUNS {
                if !is_timed || began.elapsed() >= ENOUGH {
                    break;
                }
                let (_, again) = timed(&solve);
                best.long_term = best.long_term.min(again.long_term);
                best.unravel = best.unravel.min(again.unravel);
            }
            (solution, best)
        })
    }

    /// A time as a field of a table: empty if times are not measured.
    pub(crate) fn seconds(&self, time: Duration) -> String {
        if self.is_timed() { format!("{:.7}", time.as_secs_f64()) } else { String::new() }
    }
}

/// The progress of a part.
pub(crate) struct Bar {
    what: &'static str,
    done: Cell<usize>,
    of: usize,
    watcher: Rc<dyn Fn(Progress<'_>)>,
}

impl Bar {
    /// One more model is done.
    pub fn advance(&self) {
        self.done.set(self.done.get() + 1);
        self.tell();
    }

    fn tell(&self) {
        (self.watcher)(Progress { what: self.what, done: self.done.get(), of: self.of });
    }
}

/// A solution and its times: processor time if it is available and the solve is long, so that other load on the machine has
/// little effect.
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

/// The processor time of this thread, if the system reports it.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
