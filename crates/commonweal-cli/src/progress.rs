//! One line on standard error that says how far a solve has come, if that is a terminal.

use crate::report::numbers::steps;
use commonweal::internals::stop::{Reached, StopSignal};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often the line changes.
const BEAT: Duration = Duration::from_millis(200);

/// What `solve` returns, with a line about it while it runs.
pub fn shown<T>(stop: &StopSignal, quiet: bool, solve: impl FnOnce() -> T) -> T {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if quiet || line.is_hidden() {
        return solve();
    }
    line.set_style(ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("a valid template"));
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watched = stop.clone();
        scope.spawn(move || {
            let mut began = None;
            while wait.recv_timeout(BEAT) == Err(mpsc::RecvTimeoutError::Timeout) {
                if let Some(reached) = watched.reached() {
                    line.set_message(in_words(reached, &mut began));
                }
                line.tick();
            }
            line.finish_and_clear();
        });
        let solved = solve();
        drop(done);
        solved
    })
}

/// `unravelling: step 1,203 of 2,465, about 12 s left`. `began` remembers where and when the walk was first seen.
fn in_words(reached: Reached, began: &mut Option<(u64, Instant)>) -> String {
    match reached {
        Reached::LongTerm { residual, target } => {
            format!("long-term strategy: residual {residual:.1e}, small enough at {target:.1e}")
        }
        Reached::Unravelling { step, horizon } => {
            let (first, since) = *began.get_or_insert((step, Instant::now()));
            let walked = first.saturating_sub(step);
            let left = match walked {
                0 => String::new(),
                _ => {
                    let seconds = since.elapsed().as_secs_f64() / walked as f64 * step as f64;
                    format!(", at most about {seconds:.0} s left")
                }
            };
            format!("unravelling: step {} of {}{left}", steps(&step.into()), steps(&horizon.into()))
        }
    }
}
