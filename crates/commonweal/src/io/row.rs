//! Rows of probabilities from the transitions of one choice in files of other tools.
//!
//! Such files have rounding errors: Storm writes ten digits by default, and 1/3 is not a double. A row of decimals whose sum is
//! within 10^-9 of 1 is therefore divided by its sum, as in every other format, and the reader reports it. A row with a fraction
//! is never scaled. The probabilities of a target that is listed twice are added, and a probability of 0 is ignored.

use crate::{
    model::{StateId, first_repeated},
    number::{Divided, ModelNumber, Rational, sum},
};
use std::collections::HashMap;

/// The most bits that all quotients of a row may take together.
const MAX_QUOTIENT_BITS: usize = 1 << 28;

/// How the numbers of a row are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// As integers and decimals, which a program may have rounded.
    Decimals,
    /// As doubles, which a program may have rounded. What the reader holds is what the file says, in doubles too.
    Doubles,
    /// Some of them as fractions, which are exact.
    Fractions,
}

/// What to do with a row whose sum is not 1, and the help if it is not scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OffOne {
    /// A row of decimals: divide it by its sum.
    Scaled,
    /// The same, but the reader is strict.
    Strict,
    /// Not near 1, or fractions: an error.
    Wrong(Written),
}

impl OffOne {
    /// Of a row with this sum, which is not 1.
    pub fn of<N: ModelNumber>(sum: &N, written: Written, strict: bool) -> OffOne {
        if written == Written::Fractions || !N::is_near_one(sum) {
            OffOne::Wrong(written)
        } else if strict {
            OffOne::Strict
        } else {
            OffOne::Scaled
        }
    }

    /// How to mend it.
    pub fn help(self) -> &'static str {
        match self {
            OffOne::Scaled | OffOne::Strict => {
                "strict reading refuses rows with rounding errors; otherwise this row is scaled to 1"
            }
            OffOne::Wrong(Written::Fractions) => "a row with a fraction is never scaled",
            OffOne::Wrong(Written::Decimals | Written::Doubles) => {
                "decimals are scaled where their sum is within 1e-9 of 1; this one is not"
            }
        }
    }
}

/// Why numbers are not a row of probabilities.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RowFault {
    /// This entry is negative.
    Negative(usize),
    /// No entry is above 0.
    Empty,
    /// The sum is not 1.
    Sum(String, OffOne),
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
            RowFault::Sum(sum, why) => (format!("the probabilities sum to {sum}, not 1"), why.help()),
            RowFault::TooLong => {
                ("the probabilities are too long to be added up".into(), "write them with fewer digits")
            }
        }
    }
}

/// Makes rows of probabilities, and counts the scaled ones.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub divided: Divided,
    strict: bool,
    sorted: Vec<StateId>,
}

impl Rows {
    /// Those of a file that is read strictly, or not.
    pub fn new(strict: bool) -> Rows {
        Rows { strict, ..Rows::default() }
    }

    /// Makes the entries a row of probabilities in place, at the front; returns how many are left. The rest is garbage.
    pub fn settle<N: ModelNumber>(
        &mut self,
        targets: &mut [StateId],
        row: &mut [N],
        written: Written,
    ) -> Result<usize, RowFault> {
        debug_assert_eq!(targets.len(), row.len());
        let mut length = row.len();
        if !row.iter().all(N::is_probability) {
            length = without_zeros(targets, row)?;
        }
        if length == 0 {
            return Err(RowFault::Empty);
        }
        if first_repeated(&targets[..length], &mut self.sorted).is_some() {
            return self.merge(&mut targets[..length], &mut row[..length], written);
        }
        let row = &mut row[..length];
        if self.strict && written == Written::Doubles {
            exactly_one(row)?;
        }
        let sum = N::row_sum(row).ok_or(RowFault::TooLong)?;
        if self.is_off(&sum, length, written)? {
            if sum.to_exact().is_some_and(|sum| too_long(&sum, length)) {
                return Err(RowFault::TooLong);
            }
            row.iter_mut().for_each(|entry| *entry = entry.divided_by(&sum));
        }
        Ok(length)
    }

    /// Whether the sum of a row is off 1 and the row is to be divided by it, which is counted.
    fn is_off<N: ModelNumber>(&mut self, sum: &N, length: usize, written: Written) -> Result<bool, RowFault> {
        let distance = N::distance_from_one(sum, length);
        if distance == 0.0 {
            return Ok(false);
        }
        match OffOne::of(sum, written, self.strict) {
            OffOne::Scaled => {
                self.divided.count(distance);
                Ok(true)
            }
            why => Err(RowFault::Sum(brief(sum), why)),
        }
    }

    /// Adds up the entries of each target, exactly, and divides by their exact sum: rounded once, after all of it.
    fn merge<N: ModelNumber>(
        &mut self,
        targets: &mut [StateId],
        row: &mut [N],
        written: Written,
    ) -> Result<usize, RowFault> {
        let mut place = HashMap::new();
        let mut merged: Vec<Rational> = Vec::new();
        for at in 0..row.len() {
            let infinite = || RowFault::Sum(row[at].to_string(), OffOne::Wrong(written));
            let exact = row[at].to_exact().ok_or_else(infinite)?;
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
        self.is_off(&N::from_probability(total.clone()), merged.len(), written)?;
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

/// An error if the exact sum of a row is near 1 and not 1. In doubles a rounding error of the sum would hide that.
fn exactly_one<N: ModelNumber>(row: &[N]) -> Result<(), RowFault> {
    let exact: Option<Vec<Rational>> = row.iter().map(N::to_exact).collect();
    let off = exact.map_or(Rational::ZERO, |exact| sum(exact) - Rational::ONE);
    if off.is_zero() || !Rational::is_near_one(&(&off + Rational::ONE)) {
        return Ok(());
    }
    let sign = if off < Rational::ZERO { '−' } else { '+' };
    Err(RowFault::Sum(format!("1 {sign} {:.1e}", off.to_f64().abs()), OffOne::Strict))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn settled<N: ModelNumber>(row: &[N], written: Written, strict: bool) -> Result<usize, RowFault> {
        let mut targets: Vec<StateId> = (0..row.len()).map(StateId::from).collect();
        Rows::new(strict).settle(&mut targets, &mut row.to_vec(), written)
    }

    /// In binary 0.1 + 0.2 + 0.7 is 1 less 2^-54 or so, which disappears if doubles are added.
    #[test]
    fn a_strict_reader_adds_doubles_exactly_and_trusts_decimals() {
        let row = [0.1, 0.2, 0.7];
        assert_eq!(settled(&row, Written::Doubles, false), Ok(3));
        assert_eq!(settled(&row, Written::Decimals, true), Ok(3), "the decimals sum to 1");
        let Err(RowFault::Sum(sum, OffOne::Strict)) = settled(&row, Written::Doubles, true) else {
            panic!("not refused")
        };
        assert!(sum.starts_with("1 − ") && sum.ends_with("e-17"), "{sum}");
        assert_eq!(settled(&[0.25, 0.75], Written::Doubles, true), Ok(2));
    }
}
