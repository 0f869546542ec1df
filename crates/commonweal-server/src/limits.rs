//! The limits of a request: bytes, time, memory, and the length of the queue. [`memory`](crate::memory) estimates what one needs.

use commonweal::Model;
use std::time::Duration;

/// The limits of a server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most bytes of a request's body. Default: 8 MiB.
    pub body_bytes: usize,
    /// How many requests are computed at the same time. Default: one for each core, and two at least.
    pub running: usize,
    /// How many more may wait for their turn. Default: 128.
    pub waiting: usize,
    /// How long a request may compute before its answer is the bounds so far. Default: 30 seconds.
    pub time: Duration,
    /// How long a request may wait for its turn. Default: 30 seconds.
    pub wait: Duration,
    /// How many threads one request computes on. Default: one for each core.
    pub threads: usize,
    /// A request that seems to need more memory than this, its answer included, is refused. Default: 2 GiB.
    pub memory_bytes: u64,
    /// How many connections are open at the same time. Default: 512.
    pub connections: usize,
    /// How long a client may take to send the head of a request, again for its body, and for each 64 kB of the answer that it
    /// reads. Default: 10 seconds.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Limits {
            body_bytes: 8 << 20,
            running: cores.max(2),
            waiting: 128,
            time: Duration::from_secs(30),
            wait: Duration::from_secs(30),
            threads: cores,
            memory_bytes: 2 << 30,
            connections: 512,
            patience: Duration::from_secs(10),
        }
    }
}

/// A model with fewer states is solved on one thread.
const FEW_STATES: usize = 200;

impl Limits {
    /// The number of threads for this model.
    pub(crate) fn threads_for(&self, model: &Model) -> usize {
        if model.n_states() < FEW_STATES { 1 } else { self.threads }
    }
}

/// A number of bytes with a unit.
pub(crate) fn in_words(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..=0xf_ffff => (1 << 10, "kB"),
        0x10_0000..=0x3fff_ffff => (1 << 20, "MB"),
        _ => (1 << 30, "GB"),
    };
    let amount = bytes as f64 / f64::from(unit);
    if amount < 10.0 { format!("{amount:.1} {name}") } else { format!("{amount:.0} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        assert_eq!(in_words(1 << 10), "1.0 kB");
        assert_eq!(in_words(8 << 20), "8.0 MB");
        assert_eq!(in_words(20 << 30), "20 GB");
    }
}
