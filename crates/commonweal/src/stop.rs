//! Asking a long computation to stop, and how far it has come: one signal for solving, searching and simulating.

use crate::number::Enclosure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// A signal that a computation looks at between its steps: raised by hand (Ctrl-C) or by a deadline.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    raised: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
    watched: Arc<AtomicBool>,
    reached: Arc<Mutex<Option<Reached>>>,
}

/// How far a computation has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reached {
    /// Looking for the long-term strategy.
    LongTerm {
        /// What the values still change by, from step to step, over what is small enough.
        residual: f64,
        /// What is small enough.
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
        /// What the best strategy so far earns, and what none exceeds.
        bounds: Enclosure,
    },
    /// Solving a model at many discounts.
    Surveying {
        /// Models solved.
        solved: u64,
        /// Models of the grid. Those beyond it locate the changes between its points, and nobody knows how many they are.
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
    /// What is left to decide is finer than doubles can tell.
    Precision,
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            StopReason::Interrupted => "interrupted",
            StopReason::TimeLimit => "the time limit ran out",
            StopReason::LayerLimit => "the answer is beyond the limit on layers",
            StopReason::EventLimit => "the answer is beyond the limit on events",
            StopReason::NodeLimit => "the answer is beyond the limit on nodes",
            StopReason::Precision => "what is left is finer than doubles can tell",
        })
    }
}

impl std::error::Error for StopReason {}

impl StopSignal {
    /// A signal that is raised by itself after `limit` from now.
    pub fn after(limit: Duration) -> StopSignal {
        let signal = StopSignal::default();
        // A limit past the end of the clock never passes.
        if let Some(deadline) = Instant::now().checked_add(limit) {
            signal.deadline.set(deadline).expect("a new signal has no deadline");
        }
        signal
    }

    /// Asks the computation to stop.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// The same signal for a part of a computation that does not say how far it has come: the whole does.
    pub(crate) fn for_part(&self) -> StopSignal {
        StopSignal { raised: self.raised.clone(), deadline: self.deadline.clone(), ..StopSignal::default() }
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

    /// Why to stop, if there is a reason.
    pub fn reason(&self) -> Option<StopReason> {
        if self.raised.load(Ordering::Relaxed) {
            return Some(StopReason::Interrupted);
        }
        let passed = self.deadline.get().is_some_and(|&deadline| Instant::now() >= deadline);
        passed.then_some(StopReason::TimeLimit)
    }

    /// An error if there is a reason to stop.
    pub fn check(&self) -> Result<(), StopReason> {
        self.reason().map_or(Ok(()), Err)
    }
}
