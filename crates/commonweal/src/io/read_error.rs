//! Why a file of another tool is not read.

use super::{DiscountError, ParseError};
use crate::model::ModelError;
use std::path::Path;

/// An error in a model file, or in the options for reading it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A line of a text file.
    #[error(transparent)]
    Text(#[from] ParseError),
    /// Something in an archive.
    #[error("{}{message}", member.as_ref().map(|member| format!("{member}: ")).unwrap_or_default())]
    Archive {
        /// The file in the archive, if the error is in one.
        member: Option<String>,
        /// What is wrong.
        message: String,
        /// How to mend it.
        help: Option<String>,
    },
    /// The file cannot be read, or not be unpacked.
    #[error("cannot be read: {0}")]
    Input(#[from] std::io::Error),
    /// The discounts do not fit the file's reward structures.
    #[error(transparent)]
    Discounts(#[from] DiscountError),
    /// There is not exactly one initial state, and no other state to start in was named.
    #[error("{}", initial_states(*count))]
    Start {
        /// How many states are initial.
        count: usize,
    },
    /// The model has no state of the name that was given to start in.
    #[error("there is no state `{name}`; the states are 0 to {last}")]
    UnknownStart {
        /// The name that was given.
        name: String,
        /// The greatest number of a state.
        last: usize,
    },
    /// What was read is not a valid model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Any of these, with the file that it is about.
    #[error("{}", error.render(file).trim_end())]
    In {
        /// The file's name.
        file: String,
        /// What is wrong.
        error: Box<ReadError>,
    },
    /// The file itself: it is not there, or not what its name says.
    #[error("{message}")]
    File {
        /// What is wrong; it names the file.
        message: String,
    },
}

impl ReadError {
    /// Something in an archive, outside its files or in one of them.
    pub(super) fn archive(member: Option<&str>, message: impl Into<String>, help: impl Into<String>) -> ReadError {
        ReadError::Archive { member: member.map(str::to_owned), message: message.into(), help: Some(help.into()) }
    }

    /// The same error, which names the file.
    pub(crate) fn of_file(self, file: &str) -> ReadError {
        match self {
            ReadError::File { .. } | ReadError::In { .. } => self,
            error => ReadError::In { file: file.to_owned(), error: Box::new(error) },
        }
    }

    pub(super) fn file(message: String) -> ReadError {
        ReadError::File { message }
    }

    pub(super) fn unreadable(path: &Path, error: std::io::Error) -> ReadError {
        ReadError::file(format!("cannot read {}: {error}", path.display()))
    }

    /// The error as text: the file and the place in it, the problem, and the cure.
    pub fn render(&self, file: &str) -> String {
        match self {
            // Its line came with it.
            ReadError::Text(error) => error.render(file, ""),
            ReadError::Archive { help: Some(help), .. } => format!("{file}: {self}\nhelp: {help}\n"),
            // They name the file themselves.
            ReadError::File { message } => format!("{message}\n"),
            ReadError::In { .. } => format!("{self}\n"),
            _ => format!("{file}: {self}\n"),
        }
    }
}

fn initial_states(count: usize) -> String {
    match count {
        0 => "no state is initial; name the state to start in".to_owned(),
        _ => format!("{count} states are initial; name the one to start in"),
    }
}
