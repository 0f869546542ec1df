//! Certificates of answers, and checking them in the run that found them.

use crate::output;
use crate::report::note;
use commonweal::certificate::{BoundsCertificate, Kind, PRECISION, kind, write_canonical, write_certificate};
use commonweal::model::Mdp;
use commonweal::principals;
use commonweal::{Answer, Claim, Proof};
use commonweal_check::{Unreadable, Verdict, check};
use std::path::Path;
use std::time::{Duration, Instant};

/// A model with more states is checked in the same run only if its certificate was asked for.
const FEW_STATES: usize = 1_000;
/// The longest values, in bits over all states and principals, that are checked in the same run: 8 MB.
const MAX_VALUE_BITS: usize = 1 << 26;
/// The work that a check in the same run may take: about a second. Work and not time, so that the same input gives the same
/// output.
const WORK: u64 = 200_000_000;
/// The bits of a certificate whose first attempt is too coarse to be accepted.
const FINE: u32 = 2_048;

/// Whether an answer has passed the checker.
pub enum Checked {
    Yes,
    /// Why not.
    No(String),
}

impl Checked {
    pub fn in_words(&self) -> String {
        match self {
            Checked::Yes => "\nChecked: an independent checker accepts this strategy as optimal.\n".to_owned(),
            Checked::No(why) => format!("\nNot checked: {why}.\n"),
        }
    }
}

/// Whether a solution should keep what a certificate needs.
pub fn needs_proof(model: &Mdp, certificate: Option<&Path>) -> bool {
    certificate.is_some() || model.n_states() <= FEW_STATES
}

/// Writes the certificate, if it was asked for, and checks an optimal answer if that is affordable. Says how long the
/// check took.
pub fn certify(model: &Mdp, solution: &Answer, place: Option<&Path>) -> anyhow::Result<(Checked, Duration)> {
    let began = Instant::now();
    let mut checked = Checked::No(String::new());
    let mut precision = PRECISION;
    for attempt in [PRECISION, FINE] {
        precision = attempt;
        checked = attempt_check(model, solution, precision)?;
        if !matches!(&checked, Checked::No(why) if why.starts_with(REFUSED)) {
            break;
        }
    }
    let took = began.elapsed();
    match place {
        // The bounds are worth more than the complaint.
        Some(_) if kind(solution).is_none() => note("no certificate: the long-term strategy is not known yet"),
        Some(place) => output::write_whole(place, |out| write_certificate(model, solution, precision, out))?,
        None => {}
    }
    Ok((checked, took))
}

/// Writes the certificate of bounds that were proven in doubles.
pub fn certify_bounds(model: &Mdp, solution: &Answer, place: &Path) -> anyhow::Result<()> {
    let proof = solution.proof_in_doubles().expect("a certificate was asked for, so it was kept");
    let certificate = BoundsCertificate {
        values: proof.values.clone(),
        tail: model.states().map(|state| solution.strategy().tail(state)).collect(),
        horizon: u64::try_from(solution.horizon()).expect("the certified engine counts steps in 64 bits"),
        strategy: solution.strategy(),
        stages: &proof.stages,
    };
    output::write_whole(place, |out| certificate.write(&principals::order(model), out))
}

const REFUSED: &str = "the checker could not follow it";

fn attempt_check(model: &Mdp, solution: &Answer, precision: u32) -> anyhow::Result<Checked> {
    let no = |why: &str| Ok(Checked::No(why.to_owned()));
    if solution.claim() != Claim::Optimal {
        return no("bounds are checked by `commonweal check` alone");
    }
    if solution.proof().is_some_and(|proof| value_bits(proof) > MAX_VALUE_BITS) {
        return no("its numbers are long (--certificate proves it)");
    }
    if kind(solution) != Some(Kind::Exact) {
        return no("the model is large (--certificate proves it)");
    }
    let (mut canonical, mut certificate) = (Vec::new(), Vec::new());
    write_canonical(model, &mut canonical)?;
    write_certificate(model, solution, precision, &mut certificate)?;
    match check(&canonical, certificate.as_slice(), WORK) {
        Ok(Verdict::Accepted(_)) => Ok(Checked::Yes),
        Ok(Verdict::Refused(why)) => no(&format!("{REFUSED} ({why})")),
        Err(Unreadable(_)) => no("it would take long (--certificate proves it)"),
    }
}

fn value_bits(proof: &Proof) -> usize {
    let stages = proof.stages.iter().filter_map(|stage| stage.values.as_deref());
    let vectors = stages.chain([&proof.values[..]]).flatten();
    vectors.map(|values| values.len() * values.bits()).sum()
}
