//! Certificates of answers, and checking them in the run that found them.

use crate::output;
use crate::report::checked::BOUNDS_UNCHECKED;
pub use crate::report::checked::Checked;
use crate::report::note;
use commonweal::answers::{Certificate, NoCertificate};
use commonweal::limits::StopReason;
use commonweal::{Answer, Claim, Model, StopSignal};
use commonweal_check::{Unreadable, Verdict, check};
use std::path::Path;
use std::time::{Duration, Instant};

/// A model with more states is checked in the same run only if its certificate was asked for.
const FEW_STATES: usize = 1_000;
/// The longest values, in bits over all states and principals, that are checked in the same run: 8 MB.
const MAX_VALUE_BITS: usize = 1 << 26;
/// The work that a check in the same run may take: about a second. Work and not time, so that the same input gives the same
/// output.
const WORK: u64 = 1_000_000_000;
/// The bits of a certificate whose first attempt is too coarse to be accepted.
const FINE: u32 = 2_048;

/// Whether an answer should keep what a certificate needs.
pub fn needs_proof(model: &Model, certificate: Option<&Path>) -> bool {
    certificate.is_some() || (model.is_exact() && model.n_states() <= FEW_STATES)
}

/// Writes the certificate, if it was asked for, unless `stop` is raised meanwhile, and checks an optimal answer if that is
/// affordable.
pub fn certify(model: &Model, answer: &Answer, place: Option<&Path>, stop: &StopSignal) -> anyhow::Result<Certified> {
    let began = Instant::now();
    let mut certificate = match answer.certificate(model) {
        Ok(certificate) => certificate,
        Err(why) => {
            if place.is_some() {
                // The bounds of an answer that was stopped are still printed.
                if why != NoCertificate::Stopped {
                    return Err(why.into());
                }
                note(&format!("no certificate: {why}; nothing was written"));
            }
            let why = match why {
                NoCertificate::NotKept | NoCertificate::Stopped => not_optimal(answer, place)
                    .unwrap_or_else(|| "the model is large (--certificate proves it)".to_owned()),
                why => why.to_string(),
            };
            return Ok(Certified { checked: Checked::No(why), took: began.elapsed(), is_missing: place.is_some() });
        }
    };
    let mut checked = attempt(model, answer, &certificate, place)?;
    if let Attempt::Refused(_) = checked {
        certificate.precision = FINE;
        checked = attempt(model, answer, &certificate, place)?;
    }
    let took = began.elapsed();
    let mut is_missing = false;
    if let Some(place) = place {
        certificate.stop = stop.clone();
        if let Err(error) = output::write_whole(place, |out| certificate.write(out)) {
            let Some(reason) = stopped(&error) else { return Err(error) };
            note(&format!("no certificate: {reason}; nothing was written"));
            is_missing = true;
        }
    }
    let checked = match checked {
        Attempt::Accepted if answer.is_approximated() => Checked::ForMixtures,
        Attempt::Accepted => Checked::Yes,
        Attempt::Refused(why) => Checked::No(format!("the checker could not follow it ({why})")),
        Attempt::Not(_) if is_missing => Checked::No("its certificate was not written".to_owned()),
        Attempt::Not(why) => Checked::No(why),
    };
    Ok(Certified { checked, took, is_missing })
}

/// The stop reason, if a file was not completed because of a stop.
fn stopped(error: &anyhow::Error) -> Option<StopReason> {
    let inside = |cause: &'_ (dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref::<StopReason>().copied()
    };
    error.chain().find_map(inside)
}

/// The result of certifying an answer.
pub struct Certified {
    pub checked: Checked,
    /// How long the check took.
    pub took: Duration,
    /// Whether a certificate was asked for and there is none.
    pub is_missing: bool,
}

const TAKES_LONG: &str = "it would take long (--certificate proves it)";

/// The result of checking a certificate in the run that wrote it.
enum Attempt {
    Accepted,
    /// The checker's reason. Floats with more bits may be accepted.
    Refused(String),
    /// Why it was not tried or not completed.
    Not(String),
}

fn attempt(model: &Model, answer: &Answer, certificate: &Certificate, place: Option<&Path>) -> anyhow::Result<Attempt> {
    let not = |why: &str| Ok(Attempt::Not(why.to_owned()));
    if let Some(why) = not_optimal(answer, place) {
        return not(&why);
    }
    if certificate.value_bits() > MAX_VALUE_BITS {
        return not("its numbers are long (--certificate proves it)");
    }
    if !certificate.claims_optimality() {
        return not("it has ties too far away for the checker (--certificate proves bounds)");
    }
    if certificate.check_work() > WORK {
        return not(TAKES_LONG);
    }
    match check(&model.canonical(), certificate.to_bytes()?.as_slice(), WORK) {
        Ok(Verdict::Accepted(_)) => Ok(Attempt::Accepted),
        Ok(Verdict::Refused(why)) => Ok(Attempt::Refused(why)),
        Err(Unreadable(_)) => not(TAKES_LONG),
    }
}

/// Why an answer that is not optimal is not checked here.
fn not_optimal(answer: &Answer, place: Option<&Path>) -> Option<String> {
    match (answer.claim_for_mixtures(), answer.scale(), place) {
        (Claim::Optimal, ..) => None,
        (_, Some(_), Some(place)) => Some(format!("`commonweal check MODEL {}` checks these bounds", place.display())),
        (_, Some(_), None) => Some(BOUNDS_UNCHECKED.to_owned()),
        (_, None, _) => Some("bounds are checked by `commonweal check` alone".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_was_stopped_is_told_from_one_that_cannot_be_written() {
        let place = std::env::temp_dir().join(format!("commonweal-stopped-{}", std::process::id()));
        let written = |error: std::io::Error| output::write_whole(&place, |_| Err(error)).unwrap_err();
        for reason in [StopReason::TimeLimit, StopReason::Interrupted] {
            assert_eq!(stopped(&written(std::io::Error::other(reason))), Some(reason));
        }
        assert_eq!(stopped(&written(std::io::Error::other("the disk is full"))), None);
        assert!(!place.exists());
    }
}
