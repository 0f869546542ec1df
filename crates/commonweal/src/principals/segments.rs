//! A model in segments: stretches of steps over which every principal is a sum of powers.
//!
//! A segment of the model ends where a segment of some principal ends. Within one, step j is worth `Σ_i λ_i^(j − origin) R_i`,
//! with the parts of that segment. The origin is the latest step at which a segment of a principal that counts in it began: if a
//! term of office ends after a million steps, the other principals' preferences need no powers with exponent a million.

use super::OrderedPart;
use crate::model::{Part, Principal, PrincipalId};
use crate::number::Rational;

/// A stretch of steps with the parts that count in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedSegment {
    /// The first step. The segment ends where the next one begins; the last one holds for ever.
    pub from: u64,
    /// Where its parts count from: at step j each counts λ^(j − origin). Not after `from`.
    pub origin: u64,
    /// Its parts, the most patient first; at least one. If the model has several segments, at least one part has a discount above
    /// 0; if necessary a part without rewards is added. The welfare after the segment is carried back in its units.
    pub parts: Vec<OrderedPart>,
}

impl OrderedSegment {
    /// How far after its origin a step is.
    pub fn local(&self, step: u64) -> u64 {
        step - self.origin
    }

    /// The first step, counted from the origin.
    pub fn first(&self) -> u64 {
        self.local(self.from)
    }
}

/// The segments of a model with these principals: one begins at every step at which a segment of some principal begins, also of
/// weight 0.
pub fn segments(principals: &[Principal]) -> Vec<OrderedSegment> {
    let mut from: Vec<u64> = principals.iter().flat_map(|own| own.segments().iter().map(|own| own.from)).collect();
    from.sort_unstable();
    from.dedup();
    let nobody_counts = principals.iter().all(|principal| principal.weight.is_zero());
    let counted: Vec<(PrincipalId, &Principal)> = (principals.iter().enumerate())
        .filter(|(_, principal)| nobody_counts || !principal.weight.is_zero())
        .map(|(index, principal)| (index.into(), principal))
        .collect();
    let is_whole = from.len() == 1;
    let mut segments: Vec<OrderedSegment> = Vec::with_capacity(from.len());
    for from in from {
        let mut segment = of_step(&counted, from, segments.last());
        if !is_whole && segment.parts.first().is_none_or(|part| part.discount.is_zero()) {
            // If all weights are 0, the later welfare is carried back in the units of the previous segment.
            let discount =
                segments.last().map_or_else(|| Rational::from_quotient(1, 2), |b| b.parts[0].discount.clone());
            segment.parts.insert(0, OrderedPart { discount, terms: Vec::new() });
        }
        segments.push(segment);
    }
    segments
}

/// The same with other weights, in the file's order; none if all of these are 0.
pub fn segments_weighted(principals: &[Principal], weights: &[Rational]) -> Vec<OrderedSegment> {
    if weights.iter().all(Rational::is_zero) {
        return Vec::new();
    }
    let weighted = |(principal, weight): (&Principal, &Rational)| principal.clone().weighted(weight.clone());
    segments(&principals.iter().zip(weights).map(weighted).collect::<Vec<_>>())
}

/// The segment that begins at step `from`, after `before`.
fn of_step(counted: &[(PrincipalId, &Principal)], from: u64, before: Option<&OrderedSegment>) -> OrderedSegment {
    let mut own: Vec<(PrincipalId, u64, &Part)> = Vec::new();
    for (index, principal) in counted {
        let segment = principal.segment_at(from);
        // A discount of 0 counts one step only.
        let counts = |part: &&Part| segment.from == from || !part.discount.is_zero();
        own.extend(segment.parts.iter().filter(counts).map(|part| (*index, segment.from, part)));
    }
    let began = own.iter().map(|(_, began, _)| *began);
    let origin = began.max().unwrap_or_else(|| before.map_or(from, |before| before.origin));
    let weight = |index: PrincipalId| &counted.iter().find(|(own, _)| *own == index).expect("it counts").1.weight;
    let mut parts: Vec<OrderedPart> = Vec::new();
    for (index, began, part) in own {
        let term = (index, part.coefficient_after(origin - began) * weight(index));
        match parts.iter_mut().find(|other| other.discount == part.discount) {
            Some(other) => other.terms.push(term),
            None => parts.push(OrderedPart { discount: part.discount.clone(), terms: vec![term] }),
        }
    }
    parts.sort_by(|a, b| b.discount.cmp(&a.discount));
    OrderedSegment { from, origin, parts }
}
