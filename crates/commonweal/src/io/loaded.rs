//! What files of other tools are read with, and what comes back besides the model.

use super::{Discounts, ReadError};
use crate::model::{Mdp, NameTable};
use crate::number::Divided;

/// The name of an action that has none in the file.
pub(super) const UNNAMED_ACTION: &str = "unnamed";

/// What a file is read with.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Whose rewards they are.
    pub discounts: Discounts,
    /// The name of the state to start in, in place of the file's initial state. A file that has not exactly one needs it.
    pub start: Option<String>,
    /// The size of the file as it is stored, if it is known: no more memory is taken in advance than it can fill.
    pub bytes: Option<u64>,
    /// Refuses rows of decimals that floating point has rounded, in place of scaling them to 1.
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

    /// The state to start in, of a file with these states and that many initial ones. A number that is no name counts from 0.
    pub(super) fn start_among(
        &self,
        names: &NameTable,
        initial: Option<usize>,
        n_initial: usize,
    ) -> Result<usize, ReadError> {
        match (&self.start, initial) {
            (Some(name), _) => names
                .find(name)
                .or_else(|| NameTable::numbered(names.len()).find(name))
                .ok_or_else(|| ReadError::UnknownStart { name: name.clone(), last: names.len() - 1 }),
            (None, Some(initial)) if n_initial == 1 => Ok(initial),
            (None, _) => Err(ReadError::Start { count: n_initial }),
        }
    }
}

/// A model with what its reader made of the file.
#[derive(Debug)]
pub struct Loaded<N> {
    /// The model.
    pub model: Mdp<N>,
    /// The reward structures that got no discount and are left out.
    pub left_out: Vec<String>,
    /// The rows that did not sum to exactly 1.
    pub divided: Divided,
}

/// What the beginning of a file says of the model in it.
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
