//! The transitions of one choice as files of other tools write them, made into a row of probabilities.
//!
//! Such files round: Storm writes ten digits unless told otherwise, and doubles hold no third. A row whose sum is within
//! 10^-6 of 1 is therefore divided by its sum, and the reader reports it. A target that is listed twice stands for
//! the sum of the two, and a probability of 0 for nothing.

use crate::{
    model::{StateId, first_repeated},
    number::{ModelNumber, Rational, sum},
};
use std::collections::HashMap;

/// A row that is further from 1 is an error, not a rounding.
const FURTHEST: f64 = 1e-6;
/// The most bits that all quotients of a row may take together.
const MAX_QUOTIENT_BITS: usize = 1 << 28;

/// The rows of a file that did not sum to exactly 1 and were divided by their sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Divided {
    /// How many there were.
    pub rows: usize,
    /// The furthest that a sum was from 1.
    pub largest: f64,
}

/// What keeps numbers from being a row of probabilities.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RowFault {
    /// This entry is negative.
    Negative(usize),
    /// No entry is above 0.
    Empty,
    /// The sum is not near 1.
    Sum(String),
    /// The exact numbers are too long to work with.
    TooLong,
}

impl RowFault {
    /// What is wrong, after the place, and how to mend it.
    pub fn message(&self) -> (String, &'static str) {
        match self {
            RowFault::Negative(_) => ("a probability is negative".into(), "probabilities are above 0"),
            RowFault::Empty => (
                "there is no transition with a probability above 0".into(),
                "say where it leads; a state may lead to itself",
            ),
            RowFault::Sum(sum) => (
                format!("the probabilities sum to {sum}, not 1"),
                "sums within a millionth of 1 are taken for rounding; this one is not",
            ),
            RowFault::TooLong => {
                ("the probabilities are too long to be added up".into(), "write them with fewer digits")
            }
        }
    }
}

/// Makes rows of probabilities, and counts what it did.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub divided: Divided,
    sorted: Vec<StateId>,
}

impl Rows {
    /// Makes the entries a row of probabilities in place, at the front; how many are left. What is behind is junk.
    pub fn settle<N: ModelNumber>(&mut self, targets: &mut [StateId], row: &mut [N]) -> Result<usize, RowFault> {
        debug_assert_eq!(targets.len(), row.len());
        let mut length = row.len();
        if !row.iter().all(N::is_probability) {
            length = without_zeros(targets, row)?;
        }
        if length == 0 {
            return Err(RowFault::Empty);
        }
        if first_repeated(&targets[..length], &mut self.sorted).is_some() {
            return self.merge(&mut targets[..length], &mut row[..length]);
        }
        let row = &mut row[..length];
        let sum = N::row_sum(row).ok_or(RowFault::TooLong)?;
        if self.is_off(&sum, length)? {
            if sum.to_exact().is_some_and(|sum| too_long(&sum, length)) {
                return Err(RowFault::TooLong);
            }
            row.iter_mut().for_each(|entry| *entry = entry.divided_by(&sum));
        }
        Ok(length)
    }

    /// Whether the sum of a row is off 1 and the row is to be divided by it, which is counted.
    fn is_off<N: ModelNumber>(&mut self, sum: &N, length: usize) -> Result<bool, RowFault> {
        let distance = N::distance_from_one(sum, length);
        if distance.is_nan() || distance > FURTHEST {
            return Err(RowFault::Sum(brief(sum)));
        }
        if distance > 0.0 {
            self.divided.rows += 1;
            self.divided.largest = self.divided.largest.max(distance);
        }
        Ok(distance > 0.0)
    }

    /// Adds up the entries of each target, exactly, and divides by their exact sum: rounded once, after all of it.
    fn merge<N: ModelNumber>(&mut self, targets: &mut [StateId], row: &mut [N]) -> Result<usize, RowFault> {
        let mut place = HashMap::new();
        let mut merged: Vec<Rational> = Vec::new();
        for at in 0..row.len() {
            let exact = row[at].to_exact().ok_or_else(|| RowFault::Sum(row[at].to_string()))?;
            let target = targets[at];
            let to = *place.entry(target).or_insert(merged.len());
            match merged.get_mut(to) {
                Some(sum) => *sum += exact,
                None => {
                    merged.push(exact);
                    targets[to] = target;
                }
            }
        }
        let total = Rational::row_sum(&merged).ok_or(RowFault::TooLong)?;
        self.is_off(&N::from_probability(total.clone()), merged.len())?;
        if !total.is_one() && too_long(&total, merged.len()) {
            return Err(RowFault::TooLong);
        }
        let length = merged.len();
        for (entry, exact) in row.iter_mut().zip(merged) {
            *entry = N::from_probability(exact / &total);
        }
        Ok(length)
    }
}

/// Moves the positive entries to the front; how many there are.
fn without_zeros<N: ModelNumber>(targets: &mut [StateId], row: &mut [N]) -> Result<usize, RowFault> {
    let mut length = 0;
    for at in 0..row.len() {
        if row[at].is_probability() {
            row.swap(length, at);
            targets.swap(length, at);
            length += 1;
        } else if row[at] != N::ZERO {
            return Err(RowFault::Negative(at));
        }
    }
    Ok(length)
}

fn too_long(sum: &Rational, length: usize) -> bool {
    sum.bits().saturating_mul(length) > MAX_QUOTIENT_BITS
}

/// A number in a message: the beginning of a long one.
fn brief(number: &impl ModelNumber) -> String {
    const SHOWN: usize = 40;
    let text = number.to_string();
    if text.len() <= SHOWN { text } else { format!("{}…", &text[..SHOWN]) }
}

/// `Σ_t P(t) · reward(t)`, exactly.
pub(super) fn expectation(probabilities: &[Rational], rewards: &[Rational]) -> Rational {
    sum(probabilities.iter().zip(rewards).map(|(probability, reward)| probability * reward))
}
