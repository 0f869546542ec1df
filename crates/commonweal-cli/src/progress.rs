//! A progress line on standard error, if that is a terminal.

use crate::report::numbers::{at_least, at_most, counted, steps};
use commonweal::StopSignal;
use commonweal::limits::Reached;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often the line changes.
const BEAT: Duration = Duration::from_millis(200);

/// What `compute` returns, with a line about it while it runs.
pub fn shown<T>(stop: &StopSignal, quiet: bool, compute: impl FnOnce() -> T) -> T {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if quiet || line.is_hidden() {
        return compute();
    }
    stop.watch();
    line.set_style(style("{spinner} {elapsed} {msg}"));
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watched = stop.clone();
        scope.spawn(move || {
            let mut began = None;
            while wait.recv_timeout(BEAT) == Err(mpsc::RecvTimeoutError::Timeout) {
                match watched.reached() {
                    Some(Reached::Simulating { runs, of }) => {
                        // The remaining time is estimated from the runs so far: a bar from the first one on.
                        if line.length().is_none() {
                            line.set_style(style("{bar:30} {human_pos} of {human_len} runs, {eta} left"));
                            line.set_length(of);
                        }
                        line.set_position(runs);
                    }
                    Some(reached) => line.set_message(in_words(reached, &mut began)),
                    None => {}
                }
                line.tick();
            }
            line.finish_and_clear();
        });
        let computed = compute();
        drop(done);
        computed
    })
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a valid template")
}

/// `unravelling: step 1,203 of 2,465, about 12 s left`. `began` is the first observed step of the walk and its time.
fn in_words(reached: Reached, began: &mut Option<(u64, Instant)>) -> String {
    match reached {
        Reached::LongTerm { residual, target } => {
            format!("long-term strategy: residual {residual:.1e}, small enough at {target:.1e}")
        }
        Reached::Unravelling { step, horizon } => {
            // Another engine begins anew.
            let (first, since) =
                *began.insert(began.filter(|(first, _)| step <= *first).unwrap_or((step, Instant::now())));
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
        Reached::Searching { nodes, open, bounds } => {
            let (nodes, open) = (counted(&nodes.into(), "node", "nodes"), steps(&open.into()));
            format!("{nodes}, {open} open, between {} and {}", at_least(bounds.lower()), at_most(bounds.upper()))
        }
        Reached::Mixing { solves, gap } => {
            format!("{}, bounds {gap:.1e} apart", counted(&solves.into(), "solve", "solves"))
        }
        Reached::Tracing { solves, vertices, gap } => {
            let vertices = counted(&vertices.into(), "vertex", "vertices");
            format!("{vertices}, {}, to within {gap:.1e}", counted(&solves.into(), "solve", "solves"))
        }
        Reached::Surveying { solved, grid } if solved < grid => {
            format!("{} of {}", steps(&solved.into()), counted(&grid.into(), "point", "points"))
        }
        Reached::Surveying { solved, .. } => {
            format!("locating changes: {} solved", counted(&solved.into(), "model", "models"))
        }
        Reached::Simulating { runs, of } => {
            format!("{} of {}", steps(&runs.into()), counted(&of.into(), "run", "runs"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fair_rule_says_how_far_its_bounds_are_apart() {
        let told = |solves, gap| in_words(Reached::Mixing { solves, gap }, &mut None);
        assert_eq!(told(1, 0.25), "1 solve, bounds 2.5e-1 apart");
        assert_eq!(told(1_203, 1e-7), "1,203 solves, bounds 1.0e-7 apart");
        let told = |solves, vertices, gap| in_words(Reached::Tracing { solves, vertices, gap }, &mut None);
        assert_eq!(told(1_203, 610, 2e-3), "610 vertices, 1,203 solves, to within 2.0e-3");
    }

    #[test]
    fn a_survey_counts_the_points_of_its_grid_and_then_the_models_between_them() {
        let told = |solved| in_words(Reached::Surveying { solved, grid: 1_089 }, &mut None);
        assert_eq!(told(37), "37 of 1,089 points");
        assert_eq!(told(1_089), "locating changes: 1,089 models solved");
        assert_eq!(told(20_345), "locating changes: 20,345 models solved");
    }
}
