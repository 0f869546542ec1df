//! The compiled half of the Python package `commonweal`.
//!
//! It holds models, answers and strategies, runs the library's questions on threads of their own, and returns the answers as the
//! library's JSON documents. The public API is in `python/commonweal/`, typed and documented there.

mod answer;
mod arrays;
mod ask;
mod error;
mod limits;
mod model;
mod questions;
mod strategy;

use pyo3::prelude::*;

/// The compiled half of the package; use `import commonweal`.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::answer::{PyAnswer, timeline_svg};
    #[pymodule_export]
    use crate::model::PyModel;
    #[pymodule_export]
    use crate::questions::{check, evaluate, fair, front, search, simulate, solve, strategy_map, sweep};
    #[pymodule_export]
    use crate::strategy::PyStrategy;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
