//! Certificates of kind exact (§4, §6).

use super::text::{changes, double, fraction, integer, write_layers, write_tail};
use super::{Patience, n_parts};
use crate::answer::{Answer, ExactProof};
use crate::model::{Mdp, StateId};
use crate::number::{ExactVector, Rational};
use crate::stop::StopSignal;
use crate::strategy::Step;
use dashu_base::BitTest;
use std::io::{self, Write};

/// A welfare with more bits than this is not reduced to lowest terms, which a certificate does not require.
const SHORT: usize = 4_096;

/// Writes the certificate of an optimal solution.
pub(super) fn write(
    mdp: &Mdp,
    solution: &Answer,
    proof: &ExactProof,
    precision: u32,
    stop: &StopSignal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut patience = Patience { stop, spent: 0 };
    patience.spend(8 * (mdp.n_transitions() + n_parts(mdp) * mdp.n_choices()))?;
    let horizon = solution.horizon();
    let is_exact = carries_exact_gains(mdp, solution, proof);
    writeln!(out, "commonweal-certificate 1\nmodel {}\nkind exact", super::model_hash(mdp))?;
    writeln!(out, "numbers {}", if is_exact { "exact" } else { "enclosed" })?;
    writeln!(out, "precision {precision}\nhorizon {horizon}")?;
    write_tail(mdp, &proof.tail, out)?;
    write_values(&proof.values, &mut patience, out)?;
    let changes = changes(solution.strategy(), &proof.tail, horizon);
    let mut step = horizon.clone();
    let ends = proof.segments.iter().map(|segment| Step::from(segment.until)).chain([Step::ZERO]);
    let all_stages = std::iter::once(&proof.stages).chain(proof.segments.iter().map(|segment| &segment.stages));
    for (k, (first, stages)) in ends.zip(all_stages).enumerate() {
        if let Some(segment) = k.checked_sub(1).map(|before| &proof.segments[before]) {
            writeln!(out, "segment")?;
            write_values(&segment.values, &mut patience, out)?;
        }
        // Exact gains cannot be carried over a stage. They need not be: the horizon is near.
        let stages = if is_exact { &[][..] } else { stages };
        for stage in stages {
            write_layers(mdp, &changes, &stage.until, &step, out)?;
            if let Some(values) = &stage.values {
                write_values(values, &mut patience, out)?;
            }
            if let Some(harmonic) = &stage.harmonic {
                write_harmonic(harmonic, mdp.n_states(), &mut patience, out)?;
            }
            writeln!(out, "stage {}", stage.from)?;
            step = stage.from.clone();
        }
        write_layers(mdp, &changes, &first, &step, out)?;
        step = first;
    }
    writeln!(out, "welfare")?;
    for state in mdp.states() {
        let text = welfare(solution, is_exact, state);
        // Computing it takes time quadratic in its length.
        patience.spend((text.len() / 16).pow(2))?;
        writeln!(out, "{text}")?;
    }
    writeln!(out, "end")
}

/// An estimate of the checker's work at `precision` bits, in operations on machine words (§9).
pub(super) fn check_work(mdp: &Mdp, solution: &Answer, proof: &ExactProof, precision: u32) -> u64 {
    let n_parts = n_parts(mdp) as u64;
    let [n_transitions, n_choices, n_states] =
        [mdp.n_transitions(), mdp.n_choices(), mdp.n_states()].map(|count| count as u64);
    let words = u64::from(precision) / 64 + 1;
    let an_operation = 100 + words * words;
    let horizon = n_choices.saturating_mul(n_parts * n_parts).saturating_mul(an_operation);
    let walked = solution.effort().n_layers;
    let walk = walked.saturating_mul((n_transitions + n_choices * (n_parts + 1)) * 2 * an_operation);
    let a_layer = n_transitions + n_states;
    let (n_layers, words) = if carries_exact_gains(mdp, solution, proof) {
        let last_change = mdp.states().filter_map(|state| solution.strategy().changes(state).last());
        let n_layers = last_change.map(|change| u64::try_from(&change.from).unwrap_or(u64::MAX)).max().unwrap_or(0);
        // Gains grow by the same number of bits at every layer.
        (n_layers, n_layers.saturating_mul(proof.bits_a_layer) / 128 + 1)
    } else {
        // Stages are jumped over; each is tested at a few hundred steps.
        (500 * solution.effort().n_jumps, 1)
    };
    let further = n_layers.saturating_mul(a_layer * n_parts).saturating_mul(words);
    horizon.saturating_add(walk).saturating_add(further)
}

pub(super) fn write_values(values: &[ExactVector], patience: &mut Patience, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "values")?;
    values.iter().try_for_each(|values| write_vector(values, patience, out))
}

/// What a stage's strategy mixes the gains to.
fn write_harmonic(
    (values, exponent): &(ExactVector, i128),
    n_states: usize,
    patience: &mut Patience,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "harmonic {} {}", values.len() / n_states, integer(&(*exponent).into()))?;
    write_vector(values, patience, out)
}

fn write_vector(values: &ExactVector, patience: &mut Patience, out: &mut dyn Write) -> io::Result<()> {
    patience.spend(values.len() * (values.bits() / 64 + 1))?;
    writeln!(out, "denominator {}", integer(&values.denominator.clone().into()))?;
    values.numerators.iter().try_for_each(|numerator| writeln!(out, "{}", integer(numerator)))
}

/// Whether the checker must carry gains exactly: to state the welfare as a fraction, or to decide a comparison that enclosures
/// left to exact arithmetic. Otherwise enclosures are cheaper to check.
fn carries_exact_gains(mdp: &Mdp, solution: &Answer, proof: &ExactProof) -> bool {
    let needed =
        || proof.has_ties || solution.effort().n_judged > 0 || solution.welfare_quotient(mdp.start()).is_some();
    proof.exact_is_affordable && needed()
}

fn welfare(solution: &Answer, is_exact: bool, state: StateId) -> String {
    match solution.welfare_quotient(state).filter(|_| is_exact) {
        Some((numerator, denominator)) if denominator.bit_len() <= SHORT => {
            format!("exact {}", fraction(&Rational::from_parts(numerator, denominator.clone())))
        }
        Some((numerator, denominator)) => {
            format!("exact {}/{}", integer(&numerator), integer(&denominator.clone().into()))
        }
        None => {
            // Where the welfare is a double, a checker that carries enclosures needs room for its roundings.
            let bounds = solution.welfare_enclosure(state).outward();
            format!("between {} {}", double(bounds.lower()), double(bounds.upper()))
        }
    }
}
