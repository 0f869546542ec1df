//! Certificates: answers with everything needed to check them independently.
//!
//! The format is `docs/formats/certificate-v1.md`; comments here cite its sections. The checker is a crate of its own that
//! shares no code with this one.

mod arithmetic;
mod bounds;
mod canonical;
mod exact;
mod fair;
mod outward;
mod text;

pub use bounds::BoundsCertificate;
use canonical::{hashed, joined, write_rows};
pub use canonical::{model_hash, write_canonical};
pub use fair::{FairCertificate, write_principals};

use crate::answer::{Answer, BoundsProof, BoundsSegment, Claim, ExactProof, ExactSegment, Proof};
use crate::any_model::Model;
use crate::model::Mdp;
use crate::number::ExactVector;
use crate::principals;
use crate::stop::StopSignal;
use crate::strategy::OtherModel;
use std::borrow::Cow;
use std::io::{self, Write};

/// The bits of a certificate's floats unless its discounts are very close.
pub const PRECISION: u32 = 256;

/// A proof of an answer, for a checker that shares no code with this library. It is written on request: it may be long.
#[derive(Debug, Clone)]
pub struct Certificate<'a> {
    model: Cow<'a, Mdp>,
    answer: Cow<'a, Answer>,
    proof: &'a Proof,
    /// The bits of its floats, where it needs any.
    pub precision: u32,
    /// Once this is raised, writing ends with an error whose source is the [`StopReason`](crate::limits::StopReason); a
    /// short certificate is written all the same.
    pub stop: StopSignal,
}

/// Why an answer has no certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCertificate {
    /// `Options::keep_proof` was not set.
    #[error("the answer kept no proof; solve with `keep_proof`")]
    NotKept,
    /// The solve was stopped before there was anything to certify, or its bounds are those of a short look in doubles.
    #[error("the solve was stopped, and its bounds have no proof")]
    Stopped,
    /// The answer is for a model with other states or choices.
    #[error(transparent)]
    OtherModel(#[from] OtherModel),
    /// The certificate is about the numbers as they are written, and they were rounded.
    #[error("the model was read in doubles, and a certificate is about the numbers of the file; read it in fractions")]
    Rounded,
    /// A number of the canonical form is longer than the format allows.
    #[error(
        "the weights of a time preference take more than 2^16 bits in the canonical form, which no checker reads; rates of fewer \
         digits, fewer or shorter segments, and for a mixture a larger `error`, make them shorter"
    )]
    LongWeights,
    /// A fair answer whose bounds have no single proof.
    #[error("the answer is not proven; one that is stopped, or between bounds that leave it open, has no certificate")]
    NotProven,
    /// A fair answer to a rule by which all strategies are equal.
    #[error("nobody can gain, so there is nothing to prove")]
    NothingToProve,
    /// A strategy changes too late for a checker to walk there.
    #[error("a strategy of the lottery changes after step {most}, too late for a checker to walk there")]
    TooManySteps {
        /// The latest step.
        most: u64,
    },
    /// A fair certificate does not support time preferences with segments.
    #[error("fair certificates do not support schedules and terms of office yet")]
    Segments,
    /// In doubles, a fair certificate has one discount for each principal.
    #[error("in doubles a fair certificate needs principals with one discount each; an exact answer has one for all")]
    SeveralParts,
    /// In doubles, leximin and who cannot gain by a smooth rule have no certificate.
    #[error(
        "in doubles the bounds of this answer are proven in a way that a certificate cannot tell; an exact answer has one"
    )]
    InDoubles,
}

impl<'a> Certificate<'a> {
    /// The certificate of an answer for `model`.
    pub(crate) fn of(model: &'a Model, answer: &'a Answer) -> Result<Certificate<'a>, NoCertificate> {
        if model.notes().rounded {
            return Err(NoCertificate::Rounded);
        }
        Certificate::about(model.exact(), answer)
    }

    /// The certificate of an answer for a model in fractions.
    #[doc(hidden)]
    pub fn of_mdp(model: &'a Mdp, answer: &'a Answer) -> Result<Certificate<'a>, NoCertificate> {
        Certificate::about(Cow::Borrowed(model), answer)
    }

    fn about(model: Cow<'a, Mdp>, answer: &'a Answer) -> Result<Certificate<'a>, NoCertificate> {
        answer.strategy().check(&model)?;
        if answer.proof().is_none() && matches!(answer.claim(), Claim::Stopped(_)) {
            return Err(NoCertificate::Stopped);
        }
        if canonical::has_long_weights(&model) {
            return Err(NoCertificate::LongWeights);
        }
        let proof = answer.proof().ok_or(NoCertificate::NotKept)?;
        // The certificate is about the mixtures of the model's canonical form.
        let answer = if answer.is_approximated() { Cow::Owned(answer.of_mixtures()) } else { Cow::Borrowed(answer) };
        Ok(Certificate { model, answer, proof, precision: PRECISION, stop: StopSignal::default() })
    }

    /// Whether it claims that the strategy is optimal in every state and at every step. Otherwise it claims bounds: the strategy
    /// earns at least the lower one, and no strategy more than the upper one.
    pub fn claims_optimality(&self) -> bool {
        match (self.proof, self.answer.claim()) {
            // A checker that does not carry exact gains cannot prove a tie.
            (Proof::Exact(proof), Claim::Optimal) => proof.exact_is_affordable || !proof.has_ties,
            _ => false,
        }
    }

    /// About the total length of its values, in bits.
    pub fn value_bits(&self) -> usize {
        match self.proof {
            Proof::Exact(proof) => {
                let stages = proof.stages.iter().filter_map(|stage| stage.values.as_deref());
                let vectors = stages.chain([&proof.values[..]]).flatten();
                vectors.map(|values| values.len() * values.bits()).sum()
            }
            Proof::Bounds(proof) => proof.values.iter().map(|values| 64 * values.len()).sum(),
        }
    }

    /// The whole text.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes it.
    ///
    /// Of an answer that is not proven optimal, the certificate holds the first steps of its strategy and the long-term
    /// strategy after them, with bounds for that.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Certificate { model, answer, proof, precision, stop } = self;
        match proof {
            Proof::Exact(proof) if self.claims_optimality() => {
                exact::write(model, answer, proof, *precision, stop, out)
            }
            Proof::Exact(proof) => stopped(answer, proof).write(model, stop, out),
            Proof::Bounds(proof) => bounds(model, answer, proof).write(model, stop, out),
        }
    }

    /// An estimate of the checker's work, in operations on machine words; at most a small factor too low.
    pub fn check_work(&self) -> u64 {
        match self.proof {
            Proof::Exact(proof) if self.claims_optimality() => {
                exact::check_work(&self.model, &self.answer, proof, self.precision)
            }
            Proof::Exact(_) | Proof::Bounds(_) => {
                let n_layers = u64::try_from(self.answer.horizon()).unwrap_or(u64::MAX);
                n_layers.saturating_mul((self.model.n_transitions() + self.model.n_choices()) as u64)
            }
        }
    }
}

/// The most parts that any segment of a model has.
fn n_parts(mdp: &Mdp) -> usize {
    let segments = principals::segments(mdp.principals());
    segments.iter().map(|segment| segment.parts.len()).max().expect("at least one segment")
}

/// Work, in transitions, that is done even if the stop signal is raised.
const MOMENT: u64 = 20_000_000;

/// Polls a signal after some work. Work is counted, not timed, so that a short certificate is always written.
struct Patience<'s> {
    stop: &'s StopSignal,
    spent: u64,
}

impl Patience<'_> {
    fn spend(&mut self, work: usize) -> io::Result<()> {
        self.spent = self.spent.saturating_add(work as u64);
        match self.stop.reason() {
            Some(reason) if self.spent > MOMENT => Err(io::Error::other(reason)),
            _ => Ok(()),
        }
    }
}

/// The bounds of an exact answer that was stopped.
fn stopped<'a>(answer: &'a Answer, proof: &ExactProof) -> BoundsCertificate<'a> {
    let horizon = u64::try_from(answer.horizon()).unwrap_or(u64::MAX);
    // The tail does not begin before the last segment does.
    let most = proof.segments.first().map_or(proof.n_layers_for_bounds, |last| last.until.max(horizon));
    let nearest = |vectors: &[ExactVector]| -> Vec<Vec<f64>> {
        let of_part = |values: &ExactVector| (0..values.len()).map(|s| values.enclosure(s).midpoint()).collect();
        vectors.iter().map(of_part).collect()
    };
    let segment = |segment: &ExactSegment| BoundsSegment {
        until: segment.until,
        values: nearest(&segment.values),
        stages: Vec::new(),
    };
    BoundsCertificate {
        values: nearest(&proof.values),
        tail: proof.tail.clone(),
        horizon: horizon.min(most),
        strategy: answer.strategy(),
        stages: &[],
        segments: proof.segments.iter().map(segment).collect(),
    }
}

/// The bounds of a certified answer.
fn bounds<'a>(model: &Mdp, answer: &'a Answer, proof: &'a BoundsProof) -> BoundsCertificate<'a> {
    BoundsCertificate {
        values: proof.values.clone(),
        tail: model.states().map(|state| answer.strategy().tail(state)).collect(),
        horizon: u64::try_from(answer.horizon()).expect("the certified engine counts steps in 64 bits"),
        strategy: answer.strategy(),
        stages: &proof.stages,
        segments: proof.segments.clone(),
    }
}
