//! One line on standard error for each request.

use axum::http::StatusCode;
use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A request that is being answered. One that is dropped before has lost its client, and is logged as cancelled.
#[derive(Debug)]
pub struct Request {
    method: String,
    path: String,
    began: Instant,
    is_answered: bool,
}

impl Request {
    /// A new request. Its path is untrusted, so it is truncated and made printable.
    pub fn new(method: &str, path: &str) -> Request {
        const SHOWN: usize = 60;
        let printable = |c: char| if c.is_ascii_graphic() { c } else { '?' };
        let text = |text: &str| text.chars().take(SHOWN).map(printable).collect();
        Request { method: text(method), path: text(path), began: Instant::now(), is_answered: false }
    }

    /// Logs the answer.
    pub fn answered(mut self, status: StatusCode, bytes: Option<u64>) {
        let size = bytes.map_or_else(String::new, |bytes| format!(", {bytes} bytes"));
        self.is_answered = true;
        self.write(&format!("{} in", status.as_u16()), &size);
    }

    fn write(&self, result: &str, size: &str) {
        let took = self.began.elapsed().as_secs_f64() * 1e3;
        let line = format!("{} {} {} {result} {took:.1} ms{size}\n", clock(), self.method, self.path);
        // A closed standard error is ignored.
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if !self.is_answered {
            self.write("cancelled after", "");
        }
    }
}

/// The time of day, UTC.
fn clock() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}
