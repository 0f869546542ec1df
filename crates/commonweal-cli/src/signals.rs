//! Ctrl-C and SIGTERM: a computation is asked to stop and prints its bounds; no file is left half written.

use crate::args::RunArgs;
use commonweal::StopSignal;
use commonweal::limits::StopReason;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The exit code after a signal.
const ENDED: i32 = 130;

/// What can be asked to stop, and the files that are being written.
static RUNNING: Mutex<Running> =
    Mutex::new(Running { stop: None, asked: None, unfinished: Vec::new(), is_reading: false, is_printing: false });

struct Running {
    stop: Option<StopSignal>,
    /// When the first signal came.
    asked: Option<Instant>,
    unfinished: Vec<PathBuf>,
    /// Whether a file is being read: there are no bounds yet.
    is_reading: bool,
    /// Whether a document is on its way to standard output.
    is_printing: bool,
}

/// A wrapper such as `timeout` sends a signal to the program and then to its group: signals within this time are one.
const AS_ONE: Duration = Duration::from_millis(200);

/// The signal that Ctrl-C and the time limit raise. The time begins now.
pub fn start(run: &RunArgs) -> StopSignal {
    let stop = run.time_limit.map_or_else(StopSignal::default, StopSignal::after);
    raise_on_signal(&stop);
    stop
}

/// Installs the signal handler. The first signal asks a computation to stop; without a computation, while a model is
/// read, or at the second signal, the program ends at once, unless it is printing its answer. Under `nohup` no handler is set, because it would treat the end
/// of the terminal as a request; signals keep their default actions.
pub fn listen() -> anyhow::Result<()> {
    if ignores_hangup() {
        return Ok(());
    }
    ctrlc::set_handler(|| {
        let mut running = running();
        match &running.stop {
            Some(stop) if !running.is_reading && stop.reason() != Some(StopReason::Interrupted) => {
                stop.raise();
                running.asked = Some(Instant::now());
            }
            Some(_) if !running.is_reading && running.asked.is_some_and(|asked| asked.elapsed() < AS_ONE) => {}
            // A document that is being printed is completed.
            _ if running.is_printing => {}
            _ => {
                running.unfinished.iter().for_each(|path| _ = std::fs::remove_file(path));
                // The lock is held until the end, so that no file is renamed meanwhile.
                std::process::exit(ENDED);
            }
        }
    })?;
    Ok(())
}

/// Whether the program was started with SIGHUP ignored, if the system reports it.
fn ignores_hangup() -> bool {
    const HANGUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & HANGUP != 0)
}

/// What `read` returns. A signal ends the program meanwhile: nothing is known that could be printed.
pub fn while_reading<T>(read: impl FnOnce() -> T) -> T {
    running().is_reading = true;
    let found = read();
    running().is_reading = false;
    found
}

/// Signals raise this from now on.
pub fn raise_on_signal(stop: &StopSignal) {
    running().stop = Some(stop.clone());
}

/// What `write` returns, which makes the file at `path` and moves it away at the end. A signal removes it.
pub fn unfinished<T>(path: &Path, write: impl FnOnce() -> T) -> T {
    running().unfinished.push(path.to_owned());
    let written = write();
    running().unfinished.retain(|other| other != path);
    written
}

/// What `print` returns, which prints a whole document. No signal comes between its first byte and its last.
pub fn unbroken<T>(print: impl FnOnce() -> T) -> T {
    running().is_printing = true;
    let printed = print();
    running().is_printing = false;
    printed
}

fn running() -> std::sync::MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
