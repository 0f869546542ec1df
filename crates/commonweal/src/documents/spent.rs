//! Time and memory used: on request, the last keys of any document.

use super::pieces::nearest_double;
use serde::{Deserialize, Serialize};

/// The time and memory used for a document. It is read from the text of any document that has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Seconds by part.
    pub timings: Timings,
    /// The peak memory of the process, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

/// Seconds by part; a command without a part spends no time on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Reading files.
    #[serde(deserialize_with = "nearest_double")]
    pub read: f64,
    /// Finding and proving the long-term strategy.
    #[serde(deserialize_with = "nearest_double")]
    pub long_term: f64,
    /// Everything after it.
    #[serde(deserialize_with = "nearest_double")]
    pub unravel: f64,
    /// Checking.
    #[serde(deserialize_with = "nearest_double")]
    pub check: f64,
    /// From the beginning to the end.
    #[serde(deserialize_with = "nearest_double")]
    pub total: f64,
}
