//! How a question is to be answered, as Python gives it.

use crate::error::refused;
use commonweal::{Engine, Options, StopSignal};
use pyo3::prelude::*;
use std::time::Duration;

/// How an answer is to be found, and how long that may take.
#[derive(FromPyObject)]
pub struct Limits {
    /// Whether fractions are asked for.
    pub exact: Option<bool>,
    /// How near the bounds are to be.
    pub gap: Option<f64>,
    /// The size of the thread pool.
    pub threads: Option<usize>,
    time_limit: Option<f64>,
}

impl Limits {
    /// The engine that is asked for.
    pub fn engine(py: Python<'_>, exact: Option<bool>, gap: Option<f64>) -> PyResult<Engine> {
        let engine = Engine::asked(exact, gap).ok_or_else(|| refused(py, "exact=True has no gap; give one of them"))?;
        match gap {
            Some(gap) if !(gap > 0.0 && gap <= 1.0) => {
                Err(refused(py, format!("gap is {gap}; it must be above 0 and at most 1, such as 1e-6")))
            }
            _ => Ok(engine),
        }
    }

    /// The signal that the time limit raises.
    pub fn stop(&self, py: Python<'_>) -> PyResult<StopSignal> {
        match self.time_limit {
            None => Ok(StopSignal::default()),
            Some(seconds) => match Duration::try_from_secs_f64(seconds) {
                Ok(limit) => Ok(StopSignal::after(limit)),
                // Beyond the range of the clock.
                Err(_) if seconds > 0.0 => Ok(StopSignal::default()),
                Err(_) => Err(refused(py, format!("time_limit is {seconds}; it is a number of seconds, from 0"))),
            },
        }
    }

    pub fn options(&self, py: Python<'_>) -> PyResult<Options> {
        let engine = Limits::engine(py, self.exact, self.gap)?;
        // The thread pool is set up for the whole question.
        Ok(Options { engine, stop: self.stop(py)?, ..Options::default() })
    }
}
