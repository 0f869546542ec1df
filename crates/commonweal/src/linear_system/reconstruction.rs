//! From a solution known to some precision to the solution in fractions.
//!
//! An [`Expansion`] knows x modulo a growing modulus M, in one of two senses: modulo a prime power, or as the integer nearest
//! to M·x. In both, a vector N / den with a common denominator is the one where `den·X` is *small* modulo M: small
//! numerators in the first sense, small errors in the second. So both are reconstructed alike:
//!
//! 1. One random combination Σ u_i X_i has nearly all of the common denominator; the Euclidean algorithm finds it. It stops at
//!    remainders of half M's length, and unless the next quotient would be huge, the precision does not suffice yet.
//! 2. Component by component `den·X_i` must be small; where it is not, a short factor of den is missing, and is found in the same
//!    way.
//! 3. The answer counts only once A·N = den·b holds in integers, so neither chance nor rounding can make it wrong.
//!
//! Attempts are made at precisions that grow by a quarter, up to the bound from the determinant. A failed attempt costs one
//! Euclidean algorithm; all of them together take less than a tenth of the lifting, and real models often end early.
//!
//! Cost: one product of den's length for each component.

use super::euclid::{Words, bit_length, small_multiple};
use super::obstacle::Obstacle;
use super::rows::{Entry, Rows, is_worth_threads};
use crate::number::{ExactVector, Integer, Natural, product};
use crate::parallel;
use dashu_base::BitTest;
use std::ops::Range;

/// Bits by which the Euclidean algorithm's next quotient must stand out: a false denominator passes once in 2^32.
const MARGIN: usize = 32;
/// Bits of precision beyond the denominator's length that each component is held against. A third of them may go into
/// factors that the combination lost, which is a prime ℓ once in ℓ times: seldom more than a few bits.
const CHECK: usize = 96;
/// The same where a longer factor was lost.
const LONG_CHECK: usize = 288;
/// The precision of the first attempt.
const FIRST_ATTEMPT: usize = 144;

/// A solution that is known ever more precisely.
pub(super) trait Expansion: Sync {
    type Prefix<'a>: Prefix
    where
        Self: 'a;

    /// One step more of precision.
    fn advance(&mut self) -> Result<(), Obstacle>;

    /// The bits of the modulus reached so far.
    fn precision(&self) -> usize;

    /// The modulus reached so far and, modulo it, a random combination of the components.
    fn combination(&self) -> (Words, Words);

    /// At least `bits` bits of every component, if that many have been reached and kept.
    fn prefix(&self, bits: usize) -> Option<Self::Prefix<'_>>;
}

/// All components to the same precision.
pub(super) trait Prefix: Sync {
    /// X_i for a range of components.
    fn components(&self, range: Range<usize>) -> Vec<Integer>;

    /// The numerator that a multiple `den·X_i` stands for, and how many bits it is away from standing for it exactly.
    fn split(&self, multiple: Integer) -> (Integer, usize);

    /// The modulus and, modulo it, the multiple.
    fn congruence(&self, multiple: Integer) -> (Words, Words);
}

/// The precision that a system needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    /// Bits that the common denominator has at most.
    denominator: usize,
    /// Bits by which `den·X` may be longer than den.
    pub(super) slack: usize,
}

impl Demand {
    pub(super) fn new<E: Entry>(rows: &Rows<E>, log2_slack: f64) -> Demand {
        // A few bits more for the errors of the logarithms.
        Demand { denominator: rows.log2_determinant() as usize + 4, slack: log2_slack.max(0.0) as usize + 4 }
    }

    /// Bits at which the first attempt is made.
    fn first(&self) -> usize {
        self.sufficient().min(FIRST_ATTEMPT + self.slack)
    }

    /// Bits for the attempt after one at `precision`, if more can help.
    fn after(&self, precision: usize) -> Option<usize> {
        let sufficient = self.sufficient();
        if precision < sufficient {
            Some(sufficient.min(precision + precision / 4))
        } else {
            Some(self.kept()).filter(|&kept| precision < kept)
        }
    }

    /// Bits with which the combination determines every possible denominator, and components can be checked.
    fn sufficient(&self) -> usize {
        (2 * self.denominator + MARGIN + 4).max(self.denominator + CHECK) + self.slack
    }

    /// Bits beyond which the components' own digits are never needed.
    pub(super) fn kept(&self) -> usize {
        self.denominator + LONG_CHECK + self.slack
    }
}

/// Lifts until the fractions are found and proven.
pub(super) fn lift<X: Expansion, E: Entry>(
    mut expansion: X,
    rows: &Rows<E>,
    demand: Demand,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<ExactVector, Obstacle> {
    let mut target = demand.first();
    loop {
        while expansion.precision() < target {
            if stop() {
                return Err(Obstacle::Stopped);
            }
            expansion.advance()?;
        }
        if let Some(solution) = attempt(&expansion, rows, demand.slack, stop)? {
            return Ok(solution);
        }
        target = demand.after(target).ok_or(Obstacle::Unverified)?;
    }
}

fn attempt<X: Expansion, E: Entry>(
    expansion: &X,
    rows: &Rows<E>,
    slack: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<ExactVector>, Obstacle> {
    let (modulus, combination) = expansion.combination();
    let precision = bit_length(&modulus);
    let found = small_multiple(modulus, combination, (precision + slack) / 2);
    let denominator_bits = bit_length(&found.multiplier);
    if denominator_bits + bit_length(&found.remainder) + MARGIN > precision {
        return Ok(None);
    }
    let numerators = Numerators::over(Natural::from_words(&found.multiplier), slack);
    let solution = numerators.complete(expansion, rows.len(), stop)?;
    Ok(solution.filter(|solution| rows.are_solved_by(&solution.numerators, &solution.denominator)))
}

/// The numerators found so far, over a denominator that may still lack a factor.
struct Numerators {
    numerators: Vec<Integer>,
    denominator: Natural,
    slack: usize,
}

impl Numerators {
    fn over(denominator: Natural, slack: usize) -> Numerators {
        Numerators { numerators: Vec::new(), denominator, slack }
    }

    /// All `n` numerators, or `None` if some component does not fit the denominator.
    fn complete<X: Expansion>(
        mut self,
        expansion: &X,
        n: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<ExactVector>, Obstacle> {
        let read = |numerators: &Numerators, check: usize| {
            let bits = numerators.denominator.bit_len();
            Some((expansion.prefix(bits + numerators.slack + check)?, bits + check / 3))
        };
        let Some((mut prefix, mut most_bits)) = read(&self, CHECK) else { return Ok(None) };
        self.numerators.reserve(n);
        // A false denominator shows at the first component, so that one is tried alone.
        let mut batch = 1;
        let mut read_closely = None;
        while self.numerators.len() < n {
            if stop() {
                return Err(Obstacle::Stopped);
            }
            let start = self.numerators.len();
            let end = n.min(start + batch);
            self.append(&prefix, start..end);
            batch = 512;
            let next = self.numerators.len();
            if next == end || self.extend_denominator(&prefix, most_bits) {
                continue;
            }
            // The factor that is missing may be too long for the digits that were read.
            match read(&self, LONG_CHECK) {
                Some(longer) if read_closely != Some(next) => (prefix, most_bits) = longer,
                _ => return Ok(None),
            }
            read_closely = Some(next);
        }
        Ok(Some(ExactVector { numerators: self.numerators, denominator: self.denominator }))
    }

    /// Adds the numerators of a range of components, up to the first that does not fit the denominator.
    fn append<P: Prefix>(&mut self, prefix: &P, range: Range<usize>) {
        /// Components that are read side by side, so that each cache line of digits is fetched once.
        const BLOCK: usize = 8;
        let most_bits = self.denominator.bit_len() + self.slack;
        let denominator = Integer::from(self.denominator.clone());
        let fitting = |_: usize, start: usize| {
            let components = prefix.components(start..range.end.min(start + BLOCK)).into_iter();
            let split = components.map(|component| prefix.split(product(&component, &denominator)));
            split.map(|(numerator, bits)| (bits <= most_bits).then_some(numerator)).collect::<Vec<_>>()
        };
        let length = denominator.bit_len() / 64 + 1;
        let starts = range.clone().step_by(BLOCK);
        let blocks: Vec<_> = if is_worth_threads(range.len() * length * length) {
            parallel::map_items(starts, fitting)
        } else {
            starts.map(|start| fitting(0, start)).collect()
        };
        self.numerators.extend(blocks.into_iter().flatten().map_while(|numerator| numerator));
    }

    /// Takes the factor that the next component lacks into the denominator, unless that would grow beyond `most_bits` bits.
    fn extend_denominator<P: Prefix>(&mut self, prefix: &P, most_bits: usize) -> bool {
        let next = self.numerators.len();
        let component = prefix.components(next..next + 1).pop().expect("one component was asked for");
        let multiple = product(&component, &Integer::from(self.denominator.clone()));
        let (modulus, residue) = prefix.congruence(multiple);
        let room = most_bits.saturating_sub(self.denominator.bit_len());
        let remainder_bits = bit_length(&modulus).saturating_sub(room + 8);
        let found = small_multiple(modulus, residue, remainder_bits);
        let factor = Natural::from_words(&found.multiplier);
        let extended = &self.denominator * &factor;
        let fits = bit_length(&found.remainder) <= extended.bit_len() + self.slack;
        if !fits || factor.is_one() || extended.bit_len() > most_bits {
            return false;
        }
        self.denominator = extended;
        let factor = Integer::from(factor);
        self.numerators.iter_mut().for_each(|numerator| *numerator *= &factor);
        true
    }
}
