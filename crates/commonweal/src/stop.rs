//! Stopping a long computation and reading its progress: one signal for solving, searching and simulating.

use crate::number::Enclosure;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// A signal that a computation polls between its steps: raised by hand (Ctrl-C) or by a deadline.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    raised: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
    watched: Arc<AtomicBool>,
    reached: Arc<Mutex<Option<Reached>>>,
    budget: Option<Arc<Budget>>,
    /// How many more times the signal may be polled before it raises itself.
    #[cfg(test)]
    polls: Option<Arc<std::sync::atomic::AtomicI64>>,
}

/// A work limit, in units of about a nanosecond of processor time. Work is counted, not timed, so that stopping is
/// deterministic.
#[derive(Debug)]
struct Budget {
    spent: AtomicU64,
    /// This much may be spent in any case.
    first: u64,
    /// The limit. Between `first` and this a walk continues while it is expected to end within it.
    most: u64,
}

/// The progress of a computation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reached {
    /// Looking for the long-term strategy.
    LongTerm {
        /// The residual of the values.
        residual: f64,
        /// The residual at which it ends.
        target: f64,
    },
    /// Going back from the horizon.
    Unravelling {
        /// The step reached.
        step: u64,
        /// Where it began.
        horizon: u64,
    },
    /// Searching for the best strategy of a class.
    Searching {
        /// Nodes expanded.
        nodes: u64,
        /// Nodes waiting.
        open: usize,
        /// The welfare of the best strategy so far, and the upper bound.
        bounds: Enclosure,
    },
    /// Looking for the fairest lottery.
    Mixing {
        /// Models solved, each with its own weights.
        solves: u64,
        /// How far the bounds of the present program are apart.
        gap: f64,
    },
    /// Finding the Pareto front.
    Tracing {
        /// Models solved, each with its own weights.
        solves: u64,
        /// Vertices found.
        vertices: usize,
        /// How far the front may exceed the vertices, if that is known.
        gap: f64,
    },
    /// Solving a model at many discounts.
    Surveying {
        /// Models solved.
        solved: u64,
        /// Models of the grid. Further models locate the changes between its points; their number is not known in advance.
        grid: u64,
    },
    /// Simulating.
    Simulating {
        /// Runs done.
        runs: u64,
        /// Runs asked for.
        of: u64,
    },
}

/// Why a computation stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The signal was raised by hand.
    Interrupted,
    /// The time limit ran out.
    TimeLimit,
    /// More steps would have to be walked one by one than the limit allows.
    LayerLimit,
    /// More stages would have to be jumped over than the limit allows.
    EventLimit,
    /// A search tree has more nodes than the limit, or the memory for them, allows.
    NodeLimit,
    /// A front has as many vertices as the limit allows, and is not whole.
    VertexLimit,
    /// A rule takes more solves than the limit allows.
    SolveLimit,
    /// Doubles cannot reach the gap asked for.
    Precision,
    /// The fractions of an exact answer become too long.
    Digits,
    /// The bounds include the error of approximated time preferences, which is too large for what was asked.
    Approximation,
    /// The work limit is exceeded, or expected to be. Only parts of a computation are stopped for this.
    Work,
}

impl StopReason {
    /// Whether the limit is on the whole answer: another way to it would be stopped too.
    pub(crate) fn ends_all(self) -> bool {
        matches!(self, StopReason::Interrupted | StopReason::TimeLimit | StopReason::Work)
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            StopReason::Interrupted => "interrupted",
            StopReason::TimeLimit => "the time limit was reached",
            StopReason::LayerLimit => "the limit on layers was reached",
            StopReason::EventLimit => "the limit on events was reached",
            StopReason::NodeLimit => "the limit on nodes was reached",
            StopReason::VertexLimit => "the limit on vertices was reached",
            StopReason::SolveLimit => "the limit on solves was reached",
            StopReason::Precision => "doubles cannot reach the gap asked for",
            StopReason::Digits => "the fractions become too long",
            StopReason::Approximation => {
                "the error of approximated time preferences, which the bounds include, is too large; a smaller `error` narrows them"
            }
            StopReason::Work => "the answer takes more work than is allowed",
        })
    }
}

impl std::error::Error for StopReason {}

impl StopSignal {
    /// A signal that is raised by itself after `limit` from now.
    pub fn after(limit: Duration) -> StopSignal {
        let signal = StopSignal::default();
        // A deadline past the end of the clock is never reached.
        if let Some(deadline) = Instant::now().checked_add(limit) {
            signal.deadline.set(deadline).expect("a new signal has no deadline");
        }
        signal
    }

    /// A signal that is raised already: a question that gets it says at once what can be said without work.
    pub fn raised() -> StopSignal {
        let signal = StopSignal::default();
        signal.raise();
        signal
    }

    /// Asks the computation to stop.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// The same signal for a part of a computation that does not say how far it has come: the whole does.
    pub(crate) fn for_part(&self) -> StopSignal {
        StopSignal { watched: Arc::default(), reached: Arc::default(), ..self.clone() }
    }

    /// The same signal for a part of a computation that may spend some work: `first` in any case, and up to `most` while a walk
    /// seems to end within that.
    pub(crate) fn with_budget(&self, first: u64, most: u64) -> StopSignal {
        let budget = Budget { spent: AtomicU64::new(0), first, most: most.max(first) };
        // What another part has reached says nothing of this one.
        *self.reached.lock().expect("nobody panics while they hold it") = None;
        StopSignal { budget: Some(Arc::new(budget)), ..self.clone() }
    }

    /// Whether there is a time limit.
    pub(crate) fn has_time_limit(&self) -> bool {
        self.deadline.get().is_some()
    }

    /// The same signal for a part of a computation that may take this share of the time that is left; without a time limit, all it needs.
    pub(crate) fn for_share_of_time(&self, share: f64) -> StopSignal {
        let now = Instant::now();
        let until = |deadline: &Instant| now + deadline.saturating_duration_since(now).mul_f64(share);
        let deadline = self.deadline.get().map(until).map_or_else(OnceLock::new, OnceLock::from);
        StopSignal { deadline: Arc::new(deadline), ..self.clone() }
    }

    /// The same signal without a limit of work.
    pub(crate) fn without_budget(&self) -> StopSignal {
        StopSignal { budget: None, ..self.clone() }
    }

    /// The same signal for a part of a computation whose work is counted and not limited.
    pub(crate) fn counting(&self) -> StopSignal {
        self.with_budget(u64::MAX, u64::MAX)
    }

    /// Says that this much work was done, in about nanoseconds of one processor. Several threads may say so at once: the sum is
    /// the same in any order.
    pub(crate) fn spend(&self, work: u64) {
        if let Some(budget) = &self.budget {
            let more = |spent: u64| Some(spent.saturating_add(work));
            let _ = budget.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }

    /// The work that may still be spent.
    pub(crate) fn left(&self) -> u64 {
        self.budget.as_ref().map_or(u64::MAX, |budget| budget.most.saturating_sub(self.spent()))
    }

    /// The work that was spent since somebody began to count it.
    pub(crate) fn spent(&self) -> u64 {
        self.budget.as_ref().map_or(0, |budget| budget.spent.load(Ordering::Relaxed))
    }

    /// Whether more work is left than may be spent, or seems to be.
    fn is_over_budget(&self) -> bool {
        let Some(budget) = &self.budget else { return false };
        let spent = budget.spent.load(Ordering::Relaxed);
        if spent <= budget.first {
            return false;
        }
        let seems_long = || match self.reached() {
            Some(Reached::Unravelling { step, horizon }) => {
                let walked = horizon.saturating_sub(step);
                u128::from(spent) * u128::from(horizon) > u128::from(budget.most) * u128::from(walked)
            }
            _ => false,
        };
        spent > budget.most || seems_long()
    }

    /// Asks the computation to say how far it has come, even where that takes time to find out.
    pub fn watch(&self) {
        self.watched.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asks how far the computation has come.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Says how far the computation has come.
    pub(crate) fn reach(&self, reached: Reached) {
        *self.reached.lock().expect("nobody panics while they hold it") = Some(reached);
    }

    /// How far the computation has come, if it has said so.
    pub fn reached(&self) -> Option<Reached> {
        *self.reached.lock().expect("nobody panics while they hold it")
    }

    /// Whether it is raised by itself at some time.
    pub(crate) fn has_deadline(&self) -> bool {
        self.deadline.get().is_some()
    }

    /// Why to stop, if there is a reason.
    pub fn reason(&self) -> Option<StopReason> {
        #[cfg(test)]
        if self.polls.as_ref().is_some_and(|left| left.fetch_sub(1, Ordering::Relaxed) <= 0) {
            return Some(StopReason::Interrupted);
        }
        if self.raised.load(Ordering::Relaxed) {
            return Some(StopReason::Interrupted);
        }
        if self.deadline.get().is_some_and(|&deadline| Instant::now() >= deadline) {
            return Some(StopReason::TimeLimit);
        }
        self.is_over_budget().then_some(StopReason::Work)
    }

    /// An error if there is a reason to stop.
    pub fn check(&self) -> Result<(), StopReason> {
        self.reason().map_or(Ok(()), Err)
    }
}

/// What a number of a model in fractions takes, in products of doubles.
pub(crate) const FRACTION: usize = 100;
/// This many numbers in fractions are prepared even after the signal is raised: they take a small part of a second, and bounds need
/// them.
pub(crate) const FEW_FRACTIONS: usize = 50_000;

/// Polls a signal at intervals of work, for loops whose single passes may be long or short: a look at the clock for each short
/// one would take longer than the pass.
pub(crate) struct Pace<'s> {
    stop: &'s StopSignal,
    /// The work done since the last poll.
    done: usize,
    is_stopped: bool,
}

impl Pace<'_> {
    /// The work between two polls, in products of doubles: less than a millisecond.
    const INTERVAL: usize = 100_000;

    /// A pace at which `stop` is polled.
    pub fn of(stop: &StopSignal) -> Pace<'_> {
        Pace { stop, done: 0, is_stopped: false }
    }

    /// Says that about this many products of doubles were computed. Returns whether there is a reason to stop; once there is one,
    /// it stays.
    pub fn stops_after(&mut self, work: usize) -> bool {
        self.done = self.done.saturating_add(work);
        if !self.is_stopped && self.done >= Self::INTERVAL {
            self.done = 0;
            self.is_stopped = self.stop.reason().is_some();
        }
        self.is_stopped
    }
}

#[cfg(test)]
impl StopSignal {
    /// A signal that is raised by itself at the poll after the first `n`, whatever the clock says.
    pub(crate) fn after_polls(n: i64) -> StopSignal {
        StopSignal { polls: Some(Arc::new(std::sync::atomic::AtomicI64::new(n))), ..StopSignal::default() }
    }

    /// How many polls are left, below 0 if it was polled after it was raised.
    pub(crate) fn polls_left(&self) -> i64 {
        self.polls.as_ref().map_or(0, |left| left.load(Ordering::Relaxed))
    }
}
