//! Long questions: answered on a thread of their own, while Python continues.
//!
//! The interpreter's lock is released while a question is answered, so other Python threads run. Ctrl-C raises the question's
//! [`StopSignal`]; an answer that comes soon after it, with the bounds known by then, is returned as usual. If the question does
//! not react to its signal in time, it is abandoned and Ctrl-C raises `KeyboardInterrupt`.

use commonweal::{StopSignal, on_threads};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often signals are polled.
const TICK: Duration = Duration::from_millis(20);
/// How long to wait for an answer after Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(700);
/// As much as a program's first thread has.
const STACK: usize = 8 << 20;

/// What `work` returns, from a thread pool for this call only. A shared pool would not survive a fork of the Python process.
pub fn ask<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &StopSignal,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (send, receive) = channel();
    let threads = threads.filter(|&n| n > 0).unwrap_or_else(cores);
    let asked = move || {
        let answered = catch_unwind(AssertUnwindSafe(|| on_threads(Some(threads), work)));
        // The receiver may be gone.
        let _ = send.send(answered);
    };
    let spawned = std::thread::Builder::new().name("commonweal".to_owned()).stack_size(STACK).spawn(asked);
    spawned.map_err(|error| PyMemoryError::new_err(format!("no thread for this question: {error}")))?;
    let receive = Mutex::new(receive);
    let mut interrupted: Option<(Instant, PyErr)> = None;
    loop {
        let received = py.detach(|| receive.lock().expect("nobody else waits").recv_timeout(TICK));
        match received {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(panic)) => return Err(bug(&*panic)),
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the question was lost")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match (&interrupted, py.check_signals()) {
            (None, Ok(())) => {}
            (None, Err(error)) => {
                stop.raise();
                interrupted = Some((Instant::now(), error));
            }
            // A second Ctrl-C ends the wait at once.
            (Some(_), Err(error)) => return Err(error),
            (Some((since, error)), Ok(())) if since.elapsed() > PATIENCE => return Err(error.clone_ref(py)),
            (Some(_), Ok(())) => {}
        }
    }
}

/// As many threads as there are cores.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The exception for a panic, which is a bug of ours.
fn bug(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!(
        "a bug in commonweal: {}; please report it, with the model",
        text.unwrap_or("it stopped without a word")
    ))
}
