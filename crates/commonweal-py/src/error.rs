//! Errors of the library as exceptions: the same message, with the place and the cure.
//!
//! The classes are written in Python (`commonweal/errors.py`), where their documentation is.

use commonweal::files::{DiscountError, ParseError, ReadError};
use commonweal::structure::ModelError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The contents of an exception.
#[derive(Debug, Default)]
pub struct Refusal {
    /// All of it, as the program prints it.
    pub whole: String,
    /// What is wrong, alone.
    pub message: String,
    /// The line and the column, both from 1, of a text.
    pub place: Option<(usize, usize)>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Refusal {
    /// A message without a place.
    pub fn new(message: impl Into<String>) -> Refusal {
        let message = message.into();
        Refusal { whole: message.clone(), message, ..Refusal::default() }
    }

    /// The same with a cure.
    pub fn help(self, help: impl Into<String>) -> Refusal {
        let help = help.into();
        Refusal { whole: format!("{}\nhelp: {help}", self.message), help: Some(help), ..self }
    }

    /// An error in a text, with the line that it is in.
    pub fn of_text(error: &ParseError, name: &str, text: &str) -> Refusal {
        Refusal {
            whole: error.render(name, text).trim_end().to_owned(),
            message: error.message.clone(),
            place: Some((error.line, error.column)),
            help: error.help.clone(),
        }
    }

    /// An error in a generated text: its place is not shown.
    pub fn of_entry(error: &ParseError) -> Refusal {
        let refusal = Refusal::new(error.message.clone());
        match &error.help {
            Some(help) => refusal.help(help.clone()),
            None => refusal,
        }
    }

    /// An error of a file.
    pub fn of_file(error: &ReadError) -> Refusal {
        let whole = error.to_string();
        match innermost(error) {
            ReadError::Text(inner) => Refusal { whole, ..Refusal::of_text(inner, "", "") },
            ReadError::Archive { help, .. } => {
                Refusal { message: innermost(error).to_string(), help: help.clone(), whole, place: None }
            }
            ReadError::Discounts(missing @ DiscountError::Missing { structures }) => {
                let each: Vec<String> = structures.iter().map(|name| format!("{}: 0.99", quoted(name))).collect();
                let cure = format!("discounts={{{}}} gives each one that counts a time preference", each.join(", "));
                let whole = format!("{whole}\nhelp: {cure}");
                Refusal { message: missing.to_string(), help: Some(cure), whole, place: None }
            }
            inner => Refusal { message: inner.to_string(), whole, ..Refusal::default() },
        }
    }

    /// The exception of this class of `commonweal.errors`.
    pub fn raise(self, py: Python<'_>, class: &str) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let class = py.import("commonweal.errors")?.getattr(class)?;
            let named = PyDict::new(py);
            named.set_item("message", self.message)?;
            named.set_item("line", self.place.map(|(line, _)| line))?;
            named.set_item("column", self.place.map(|(_, column)| column))?;
            named.set_item("help", self.help)?;
            Ok(PyErr::from_value(class.call((self.whole,), Some(&named))?))
        };
        made().unwrap_or_else(|error| error)
    }

    /// The exception that a model is refused with.
    pub fn model(self, py: Python<'_>) -> PyErr {
        self.raise(py, "ModelError")
    }

    /// The exception that a question is refused with.
    pub fn question(self, py: Python<'_>) -> PyErr {
        self.raise(py, "QuestionError")
    }
}

impl From<&ModelError> for Refusal {
    fn from(error: &ModelError) -> Refusal {
        let refusal = Refusal::new(error.to_string());
        match error {
            ModelError::ProbabilitySum { .. } => {
                refusal.help("the probabilities of each row sum to 1; floating point may be off by 1e-9")
            }
            _ => refusal,
        }
    }
}

/// The name as a text of Python.
fn quoted(name: &str) -> String {
    serde_json::to_string(name).expect("a name is JSON")
}

fn innermost(error: &ReadError) -> &ReadError {
    match error {
        ReadError::In { error, .. } => innermost(error),
        error => error,
    }
}

/// The exception of a question that cannot be asked.
pub fn refused(py: Python<'_>, message: impl Into<String>) -> PyErr {
    Refusal::new(message).question(py)
}
