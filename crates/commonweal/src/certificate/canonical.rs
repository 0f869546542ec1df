//! The canonical form of a model (§3) and its hash: the same for the same model, whatever format it came from.

use super::text::fraction;
use crate::model::{ChoiceId, Mdp, StateId};
use crate::number::Rational;
use crate::principals::{self, OrderedSegment};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// Writes the canonical form.
pub fn write_canonical(model: &Mdp, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "commonweal-model 1")?;
    match principals::segments(model.principals()).as_slice() {
        [_] => {
            let ordered = principals::order(model);
            let discounts = ordered.parts().iter().map(|part| &part.discount);
            writeln!(out, "discounts {}", joined(discounts))?;
            write_rows(model, |choice| ordered.rewards(choice), out)
        }
        several => {
            writeln!(out, "rewards {}", model.n_principals())?;
            several.iter().try_for_each(|segment| write_segment(segment, model.n_principals(), out))?;
            write_rows(model, |choice| model.rewards(choice), out)
        }
    }
}

/// States and choices, with the rewards that a form has.
pub(super) fn write_rows<'r>(
    model: &Mdp,
    rewards: impl Fn(ChoiceId) -> &'r [Rational],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "states {}", model.n_states())?;
    for state in model.states() {
        writeln!(out, "choices {}", model.choices(state).len())?;
        for choice in model.choices(state) {
            write!(out, "{} >", joined(rewards(choice)))?;
            for (target, probability) in sorted_row(model, choice) {
                write!(out, " {} {}", target.index(), fraction(probability))?;
            }
            writeln!(out)?;
        }
    }
    writeln!(out, "end")
}

/// Fractions with a space between them.
pub(super) fn joined<'n>(numbers: impl IntoIterator<Item = &'n Rational>) -> String {
    numbers.into_iter().map(fraction).collect::<Vec<_>>().join(" ")
}

/// A segment, and for each of its parts the discount and the weight of every principal's rewards.
fn write_segment(segment: &OrderedSegment, n_principals: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "segment {} {}", segment.from, segment.origin)?;
    for part in &segment.parts {
        write!(out, "part {}", fraction(&part.discount))?;
        for p in 0..n_principals {
            let counts = part.terms.iter().find(|(own, _)| own.index() == p).map(|(_, counts)| fraction(counts));
            write!(out, " {}", counts.as_deref().unwrap_or("0"))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Whether a weight or a discount of a segment is longer than the format allows.
pub(super) fn has_long_weights(model: &Mdp) -> bool {
    const MOST_BITS: usize = 1 << 16;
    let is_long = |number: &Rational| number.numerator_bits().max(number.denominator_bits()) > MOST_BITS;
    let segments = principals::segments(model.principals());
    let mut parts = segments.iter().flat_map(|segment| &segment.parts);
    parts.any(|part| is_long(&part.discount) || part.terms.iter().any(|(_, counts)| is_long(counts)))
}

fn sorted_row(model: &Mdp, choice: ChoiceId) -> Vec<(StateId, &Rational)> {
    let mut row: Vec<(StateId, &Rational)> = model.transitions(choice).collect();
    row.sort_unstable_by_key(|(target, _)| target.index());
    row
}

/// SHA-256 of the canonical form, in hexadecimal.
pub fn model_hash(model: &Mdp) -> String {
    hashed(|out| write_canonical(model, out))
}

/// SHA-256 of the bytes written, in hexadecimal.
pub(super) fn hashed(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    struct Hashed(Sha256);
    impl Write for Hashed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut hashed = io::BufWriter::new(Hashed(Sha256::new()));
    write(&mut hashed).expect("a hash takes every byte");
    let Ok(Hashed(hash)) = hashed.into_inner() else { unreachable!("a hash takes every byte") };
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
