//! Long questions: answered on a thread of their own, while Python continues.
//!
//! The interpreter is let go while a question is being answered, so other Python threads run. Ctrl-C raises the question's
//! [`StopSignal`]; an answer that comes soon after it, with the bounds known by then, is returned as any other. A question
//! that does not look at its signal in time is left behind: what is known without it is returned, or, of a question of which
//! nothing is, Ctrl-C is what it always is: `KeyboardInterrupt`. So is a second Ctrl-C soon after the first, also where the
//! first one stopped an earlier question: loops over many questions can be left.

use commonweal::{StopSignal, on_threads};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often signals are polled.
const TICK: Duration = Duration::from_millis(20);
/// How long an answer is waited for after Ctrl-C before what is known without it is prepared, and how long until that is returned.
const SOON: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_millis(700);
/// A Ctrl-C that comes sooner after the one before means: leave everything.
const TWICE: Duration = Duration::from_secs(1);
/// As much as a program's first thread has.
const STACK: usize = 8 << 20;

/// When Ctrl-C was last heard by a question.
static HEARD: Mutex<Option<Instant>> = Mutex::new(None);

/// What `work` returns, from a thread pool for this call only. A shared pool would not survive a fork of the Python process.
pub fn ask<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &StopSignal,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    ask_or(py, threads, stop, || None, work)
}

/// The same, where `otherwise` is what is known without the work: returned if this is late after Ctrl-C.
pub fn ask_or<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &StopSignal,
    otherwise: impl FnOnce() -> Option<T> + Send,
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
    let (mut otherwise, mut instead) = (Some(otherwise), None);
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
                if is_second(Instant::now()) {
                    return Err(error);
                }
                interrupted = Some((Instant::now(), error));
            }
            (Some(_), Err(error)) => return Err(error),
            (Some((since, error)), Ok(())) => {
                if since.elapsed() > SOON
                    && let Some(known) = otherwise.take()
                {
                    instead = py.detach(known);
                }
                if since.elapsed() > PATIENCE {
                    return instead.ok_or_else(|| error.clone_ref(py));
                }
            }
        }
    }
}

/// Whether Ctrl-C was heard a moment before `now` already.
fn is_second(now: Instant) -> bool {
    let before = HEARD.lock().expect("nobody panics while they hold it").replace(now);
    before.is_some_and(|before| now.duration_since(before) < TWICE)
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
