//! Certificates: answers with everything that a reader needs to check them without this program.
//!
//! The format is `docs/formats/certificate-v1.md`; comments here cite its sections. The checker is a crate of its own that
//! shares no code with this one.

mod arithmetic;
mod bounds;
mod canonical;
mod exact;
mod outward;
mod text;

pub use bounds::BoundsCertificate;
pub use canonical::{model_hash, write_canonical};

use crate::model::Mdp;
use crate::principals;
use crate::solve::{Answer, Claim};
use std::io::{self, Write};

/// The bits of a certificate's floats unless its discounts are very close.
pub const PRECISION: u32 = 256;

/// What a certificate would claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The strategy is optimal in every state and at every step.
    Exact,
    /// The strategy earns at least the lower bound, and nobody more than the upper one.
    Bounds,
}

/// What a certificate of `solution` would claim; `None` if it kept no proof or has none: a solution that was stopped before
/// the long-term strategy was known.
pub fn kind(solution: &Answer) -> Option<Kind> {
    solution.proof()?;
    Some(match solution.claim() {
        Claim::Optimal => Kind::Exact,
        Claim::Within | Claim::Undecided(_) | Claim::Stopped(_) => Kind::Bounds,
    })
}

/// Writes the certificate of a solution of `model`, with floats of `precision` bits where it needs any. There is one if
/// [`kind`] says so.
///
/// Of a solution that is not proven optimal, the certificate holds the first steps of its strategy and the
/// long-term strategy after them, with bounds for that.
pub fn write_certificate(model: &Mdp, solution: &Answer, precision: u32, out: &mut dyn Write) -> io::Result<()> {
    let Some((kind, proof)) = kind(solution).zip(solution.proof()) else {
        return Err(io::Error::other("this solution has no certificate"));
    };
    let ordered = principals::order(model);
    match kind {
        Kind::Exact => exact::write(&ordered, solution, proof, precision, out),
        Kind::Bounds => {
            let horizon = u64::try_from(solution.horizon()).unwrap_or(u64::MAX).min(proof.n_layers_for_bounds);
            let values = proof.values.iter().map(|values| {
                let nearest = |state: usize| values.enclosure(state).midpoint();
                (0..values.len()).map(nearest).collect()
            });
            let certificate = BoundsCertificate {
                values: values.collect(),
                tail: proof.tail.clone(),
                horizon,
                strategy: solution.strategy(),
                stages: &[],
            };
            certificate.write(&ordered, out)
        }
    }
}
