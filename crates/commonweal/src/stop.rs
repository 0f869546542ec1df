//! Asking a long computation to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A signal that a computation looks at between its steps: raised by hand (Ctrl-C) or by a deadline.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    raised: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
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
    /// There are more changes of mind than the limit allows.
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

impl StopSignal {
    /// A signal that is raised by itself after `limit` from now.
    pub fn after(limit: Duration) -> StopSignal {
        let signal = StopSignal::default();
        // A limit past the end of the clock is none.
        if let Some(deadline) = Instant::now().checked_add(limit) {
            signal.deadline.set(deadline).expect("a new signal has no deadline");
        }
        signal
    }

    /// Asks the computation to stop.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
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
