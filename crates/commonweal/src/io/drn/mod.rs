//! DRN, the explicit text format of the Storm model checker, plain or gzipped.
//!
//! ```text
//! @type: MDP
//! @value_type: rational
//! @parameters
//!
//! @reward_models
//! alice bob
//! @nr_states
//! 2
//! @nr_choices
//! 3
//! @model
//! state 0 [0, 0] init          rewards of the state, labels
//! //s0                         a comment
//!     action a [3, 3]          rewards of the action
//!         0 : 1                target : probability
//!     action b [-1, -1]
//!         1 : 1
//! state 1
//!     action b [6, 6]
//!         1 : 1
//! ```
//!
//! Every reward structure is a principal, state and action rewards add up, and a state is named by the comment below it, or by
//! its number. A file is read line by line directly into the model's arrays, exactly or in doubles.

mod body;
mod header;
mod lines;
mod writer;

pub use writer::{DrnNumber, drn_reward_names, write_drn};

use super::compression::{Plain, plain};
use super::{Discounts, Loaded, Overview, ReadError, ReadOptions};
use crate::number::ModelNumber;
use body::Body;
use header::Header;
use lines::Lines;
use std::io::BufRead;

/// The model in a DRN file, plain or gzipped.
///
/// ```
/// use commonweal::internals::{io::{Discounts, ReadOptions, read_drn}, model::Mdp, number::Rational};
/// let text = "@type: MDP\n@reward_models\nalice\n@nr_states\n1\n@model\nstate 0 init\n\taction stay [3]\n\t\t0 : 1\n";
/// let options = ReadOptions::new(Discounts::InOrder(vec![Rational::from_quotient(2, 3)]));
/// let model: Mdp<f64> = read_drn(text.as_bytes(), &options)?.model;
/// assert_eq!((model.rewards(0.into()), model.principals()[0].name.as_str()), (&[3.0][..], "alice"));
/// # Ok::<(), commonweal::internals::io::ReadError>(())
/// ```
pub fn read_drn<N: ModelNumber>(input: impl BufRead, options: &ReadOptions) -> Result<Loaded<N>, ReadError> {
    let Plain { input, limit, trusted } = plain(input, options)?;
    let mut lines = Lines::new(input);
    let header = Header::read(&mut lines)?;
    header.check_size(limit)?;
    let mut body = Body::new(header, options, trusted);
    while let Some(line) = lines.next()? {
        body.line(line)?;
    }
    body.finish(lines.last())
}

/// The size of the model according to the head of a DRN file. The rest is not read.
pub fn drn_overview(input: impl BufRead) -> Result<Overview, ReadError> {
    let Plain { input, .. } = plain(input, &ReadOptions::new(Discounts::Unspecified))?;
    let header = Header::read(&mut Lines::new(input))?;
    Ok(Overview {
        states: header.n_states as u64,
        choices: header.n_choices.map(|n| n as u64),
        transitions: None,
        exact: header.is_exact,
    })
}
