//! Where the time went, and how much memory it took: on request, the last keys of any document.

use serde::{Deserialize, Serialize};

/// What it took to compute a document. It is read from the text of any document that has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Seconds by part.
    pub timings: Timings,
    /// The most memory that the process has held, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

/// Seconds by part; a command without a part spends no time on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Reading files.
    pub read: f64,
    /// Finding and proving the long-term strategy.
    pub long_term: f64,
    /// Everything after it.
    pub unravel: f64,
    /// Checking.
    pub check: f64,
    /// From the beginning to the end.
    pub total: f64,
}
