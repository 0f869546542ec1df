//! Long questions: answered on a thread of their own, while Python continues.
//!
//! The interpreter is let go while a question is being answered, so other Python threads run. Ctrl-C raises the question's
//! [`StopSignal`]; an answer that comes soon after it, with the bounds known by then, is returned as any other. A question
//! that does not look at its signal in time is left behind: what is known without it is returned, or, if nothing is known in time
//! either, Ctrl-C is what it always is: `KeyboardInterrupt`. So is a second Ctrl-C soon after the first, also where the
//! first one stopped an earlier question: loops over many questions can be left.

use commonweal::StopSignal;
use commonweal::limits::on_threads;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often signals are polled.
const TICK: Duration = Duration::from_millis(20);
/// How long an answer is waited for after Ctrl-C before what is known without it is prepared, and how long until that is returned.
const SOON: Duration = Duration::from_millis(150);
const PATIENCE: Duration = Duration::from_millis(700);
/// How long it is waited for anything to return.
const LAST: Duration = Duration::from_secs(3);
/// A Ctrl-C that comes sooner after the one before means: leave everything.
const TWICE: Duration = Duration::from_secs(1);
/// As much as a program's first thread has.
const STACK: usize = 8 << 20;

/// When Ctrl-C was last heard by a question.
static HEARD: Mutex<Option<Instant>> = Mutex::new(None);

/// A way to say something without the work that was asked for.
pub type Otherwise<T> = Box<dyn FnOnce() -> Option<T> + Send>;

/// What `work` returns, from a thread pool for this call only. A shared pool would not survive a fork of the Python process.
/// A part of it would say nothing, so Ctrl-C raises `stop` and is `KeyboardInterrupt` at once.
pub fn ask<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &StopSignal,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let mut answer = begin(threads, work)?;
    loop {
        if let Some(answered) = answer.wait(py) {
            return answered;
        }
        py.check_signals().inspect_err(|_| stop.raise())?;
    }
}

/// Work that was begun on a thread of its own.
struct Begun<T>(Mutex<Receiver<std::thread::Result<T>>>);

impl<T: Send> Begun<T> {
    /// The answer, if it comes within a tick. Python continues meanwhile.
    fn wait(&mut self, py: Python<'_>) -> Option<PyResult<T>> {
        match py.detach(|| self.0.lock().expect("nobody else waits").recv_timeout(TICK)) {
            Ok(Ok(answer)) => Some(Ok(answer)),
            Ok(Err(panic)) => Some(Err(bug(&*panic))),
            Err(RecvTimeoutError::Disconnected) => Some(Err(PyRuntimeError::new_err("the question was lost"))),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }
}

fn begin<T: Send + 'static>(threads: Option<usize>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<Begun<T>> {
    let threads = threads.filter(|&n| n > 0).unwrap_or_else(cores);
    let (send, receive) = channel();
    spawn(move || {
        let answered = catch_unwind(AssertUnwindSafe(|| on_threads(Some(threads), work)));
        // The receiver may be gone.
        let _ = send.send(answered);
    })?;
    Ok(Begun(Mutex::new(receive)))
}

/// The same for work that can be stopped with bounds, where `otherwise` are ways to say something without the work, each better and
/// slower than the one before: what the last of them says in time is returned if the work is late after Ctrl-C.
pub fn ask_or<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &StopSignal,
    otherwise: Vec<Otherwise<T>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let mut answer = begin(threads, work)?;
    let mut interrupted: Option<(Instant, PyErr)> = None;
    let mut otherwise = Some(otherwise);
    let (send_instead, instead) = channel();
    let mut send_instead = Some(send_instead);
    loop {
        if let Some(answered) = answer.wait(py) {
            return answered;
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
                    && let (Some(ways), Some(send)) = (otherwise.take(), send_instead.take())
                {
                    // These may be late too, and a bug there is no answer.
                    let say = move || {
                        for known in ways {
                            let said = catch_unwind(AssertUnwindSafe(|| on_threads(Some(1), known)));
                            if let Ok(Some(known)) = said
                                && send.send(known).is_err()
                            {
                                break;
                            }
                        }
                    };
                    spawn(say)?;
                }
                if since.elapsed() > PATIENCE {
                    // On a busy machine even these are late, and late bounds are better than none.
                    match instead.try_iter().last() {
                        Some(known) => return Ok(known),
                        None if since.elapsed() > LAST => return Err(error.clone_ref(py)),
                        None => {}
                    }
                }
            }
        }
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> PyResult<()> {
    let spawned = std::thread::Builder::new().name("commonweal".to_owned()).stack_size(STACK).spawn(work);
    spawned.map(drop).map_err(|error| PyMemoryError::new_err(format!("no thread for this question: {error}")))
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
