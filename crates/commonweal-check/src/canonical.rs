//! The beginning of the canonical form (§3): the weights of steps, and the rewards at the beginning of the choices' lines.

use crate::Unreadable;
use crate::fraction::Fraction;
use crate::preference::{Segment, later};
use crate::yaml::number_text;
use num_bigint::BigInt;
use num_traits::One;
use std::fmt::Write;

/// A principal of a model file.
pub struct Principal<'n> {
    pub name: &'n str,
    pub segments: Vec<Segment>,
    pub weight: Fraction,
}

/// What a choice's line begins with.
pub enum Rewards {
    /// One number for each discount: the weighted sum of the rewards of all principals with this discount.
    ByDiscount(Vec<Fraction>),
    /// The reward of each principal, as in the file.
    ByPrincipal,
}

/// Writes the lines before `states`.
pub fn write_preferences(principals: &[Principal], text: &mut String) -> Result<Rewards, Unreadable> {
    let mut begins: Vec<u64> = principals.iter().flat_map(|own| own.segments.iter().map(|own| own.from)).collect();
    begins.sort_unstable();
    begins.dedup();
    if begins.len() > 1 {
        let _ = writeln!(text, "rewards {}", principals.len());
        let mut before = None;
        for from in begins {
            before = Some(write_segment(principals, from, before, text)?);
        }
        return Ok(Rewards::ByPrincipal);
    }
    let parts = counted(principals).flat_map(|(_, principal)| &principal.segments[0].parts);
    let mut discounts: Vec<Fraction> = parts.map(|(_, discount)| discount.clone()).collect();
    discounts.sort_by(|left, right| right.compare(left));
    discounts.dedup_by(|left, right| left.compare(right).is_eq());
    let _ = writeln!(text, "discounts {}", discounts.iter().map(number_text).collect::<Vec<_>>().join(" "));
    Ok(Rewards::ByDiscount(discounts))
}

/// The principals of weight other than 0, or all if all weights are 0.
fn counted<'p, 'n>(principals: &'p [Principal<'n>]) -> impl Iterator<Item = (usize, &'p Principal<'n>)> {
    let nobody_counts = principals.iter().all(|principal| principal.weight.is_zero());
    principals.iter().enumerate().filter(move |(_, principal)| nobody_counts || !principal.weight.is_zero())
}

/// The segment of the model that begins at a step: its origin is the latest step at which a segment of a principal that counts
/// in it began. Takes the origin and the first discount of the segment before, and returns those of this one.
fn write_segment(
    principals: &[Principal],
    from: u64,
    before: Option<(u64, Fraction)>,
    text: &mut String,
) -> Result<(u64, Fraction), Unreadable> {
    let mut own: Vec<(usize, u64, &Fraction, &Fraction)> = Vec::new();
    for (p, principal) in counted(principals) {
        let segment = principal.segments.iter().rev().find(|segment| segment.from <= from).expect("one begins at 0");
        for (coefficient, discount) in &segment.parts {
            // The discount 0 counts one step only.
            if segment.from == from || !discount.is_zero() {
                own.push((p, segment.from, coefficient, discount));
            }
        }
    }
    let (origin_before, discount_before) =
        before.unwrap_or_else(|| (from, Fraction::new(BigInt::one(), BigInt::from(2))));
    let origin = own.iter().map(|(_, began, ..)| *began).max().unwrap_or(origin_before);
    let _ = writeln!(text, "segment {from} {origin}");
    let mut discounts: Vec<&Fraction> = own.iter().map(|(.., discount)| *discount).collect();
    discounts.sort_by(|left, right| right.compare(left));
    discounts.dedup_by(|left, right| left.compare(right).is_eq());
    // The welfare after the segment is carried back with a discount above 0; a part without rewards is added if there is none.
    if discounts.first().is_none_or(|discount| discount.is_zero()) {
        discounts.insert(0, &discount_before);
    }
    let first = discounts[0].clone();
    for discount in discounts {
        let mut counts = vec![Fraction::zero(); principals.len()];
        for (p, began, coefficient, _) in own.iter().filter(|(.., other)| other.compare(discount).is_eq()) {
            let name = principals[*p].name;
            let long = || {
                Unreadable(format!(
                    "{name}: a weight is too long; convert it first: commonweal convert MODEL model.canonical"
                ))
            };
            let then = later(coefficient, discount, origin - began).ok_or_else(long)?;
            counts[*p] = then.times(&principals[*p].weight).in_lowest_terms();
        }
        let counts: Vec<String> = counts.iter().map(number_text).collect();
        let _ = writeln!(text, "part {} {}", number_text(discount), counts.join(" "));
    }
    Ok((origin, first))
}
