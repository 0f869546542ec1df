//! Time and memory used: on request only, because all other output is independent of the clock.

use super::numbers::steps;
use super::table::wrapped;
use commonweal::documents;
use std::time::{Duration, Instant};

/// The time that a command has used so far.
pub struct Clock {
    began: Instant,
    read: Duration,
    pub solving: commonweal::answers::Timings,
    pub check: Duration,
}

impl Clock {
    pub fn start() -> Clock {
        Clock {
            began: Instant::now(),
            read: Duration::ZERO,
            solving: commonweal::answers::Timings::default(),
            check: Duration::ZERO,
        }
    }

    /// Everything that is to be read has been read.
    pub fn has_read(&mut self) {
        self.read = self.began.elapsed();
    }

    /// What has passed since then.
    pub fn since_reading(&self) -> Duration {
        self.began.elapsed() - self.read
    }

    /// The time and memory used, if `wanted`.
    pub fn spent(&self, wanted: bool) -> Option<Spent> {
        let timings = || documents::Timings {
            read: self.read.as_secs_f64(),
            long_term: self.solving.long_term.as_secs_f64(),
            unravel: self.solving.unravel.as_secs_f64(),
            check: self.check.as_secs_f64(),
            total: self.began.elapsed().as_secs_f64(),
        };
        wanted.then(|| Spent(documents::Spent { timings: timings(), peak_memory_bytes: peak_memory_bytes() }))
    }
}

/// Seconds spent, and memory used.
pub struct Spent(documents::Spent);

impl Spent {
    /// The last keys of a JSON document.
    pub fn document(&self) -> &documents::Spent {
        &self.0
    }

    /// The lines below a report; parts that took no time are left out.
    pub fn in_words(&self) -> String {
        let documents::Spent { timings: documents::Timings { read, long_term, unravel, check, total }, .. } = &self.0;
        let other = total - read - long_term - unravel - check;
        let parts =
            [("read", read), ("long-term", long_term), ("unravel", unravel), ("check", check), ("other", &other)];
        let parts = parts.iter().filter(|(part, seconds)| **seconds > if *part == "other" { 0.0005 } else { 0.0 });
        let parts: Vec<String> = parts.map(|(part, seconds)| format!("{part} {seconds:.3}")).collect();
        let memory = self.0.peak_memory_bytes;
        let memory = memory
            .map_or_else(String::new, |bytes| format!("Peak memory: {} MB\n", steps(&(bytes / 1_000_000).into())));
        wrapped(&format!("\nTime: {total:.3} s ({})", parts.join(", ")), 2) + &memory
    }
}

/// The peak memory of this process, if the system reports it.
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
