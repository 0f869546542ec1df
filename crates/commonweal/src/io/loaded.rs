//! The options for reading files of other tools, and the result besides the model.

use super::{Discounts, ReadError};
use crate::model::{Mdp, NameTable};
use crate::number::Divided;

/// The name of an action that has none in the file.
pub(super) const UNNAMED_ACTION: &str = "unnamed";

/// The options for reading a file.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The time preferences of the reward structures.
    pub discounts: Discounts,
    /// The name of the state to start in, in place of the file's initial state. A file that has not exactly one needs it.
    pub start: Option<String>,
    /// The size of the file, if it is known: no more memory is allocated in advance than it can fill.
    pub bytes: Option<u64>,
    /// Refuses rows of decimals with rounding errors, in place of scaling them to 1.
    pub strict: bool,
}

impl ReadOptions {
    /// These discounts, the file's initial state, a file of unknown size.
    pub fn new(discounts: Discounts) -> ReadOptions {
        ReadOptions { discounts, ..ReadOptions::default() }
    }

    /// The same, starting in the state of this name if one is given.
    pub fn from(self, start: Option<&str>) -> ReadOptions {
        ReadOptions { start: start.map(str::to_owned), ..self }
    }

    /// The same, refusing rows that would have to be scaled if `strict` says so.
    pub fn strict(self, strict: bool) -> ReadOptions {
        ReadOptions { strict, ..self }
    }

    /// The state to start in, for a file with these states and this many initial ones. A number that is not a name is an index
    /// from 0, with `#` before it or without.
    pub(super) fn start_among(
        &self,
        names: &NameTable,
        initial: Option<usize>,
        n_initial: usize,
    ) -> Result<usize, ReadError> {
        match (&self.start, initial) {
            (Some(name), _) => names
                .find_or_numbered(name)
                .or_else(|| NameTable::numbered(names.len()).find(name))
                .ok_or_else(|| ReadError::UnknownStart { name: name.clone(), last: names.len() - 1 }),
            (None, Some(initial)) if n_initial == 1 => Ok(initial),
            (None, _) => Err(ReadError::Start { count: n_initial }),
        }
    }
}

/// A model, and what was changed or left out when it was read.
#[derive(Debug)]
pub struct Loaded<N> {
    /// The model.
    pub model: Mdp<N>,
    /// The reward structures that got no discount and are left out.
    pub left_out: Vec<String>,
    /// The rows that did not sum to exactly 1.
    pub divided: Divided,
}

/// The size of a model according to the beginning of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overview {
    /// The number of states.
    pub states: u64,
    /// The number of choices, if the file says so.
    pub choices: Option<u64>,
    /// The number of transitions, if the file says so.
    pub transitions: Option<u64>,
    /// Whether the numbers are fractions, not doubles.
    pub exact: bool,
}
