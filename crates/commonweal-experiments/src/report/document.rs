//! The claims as a JSON document: `commonweal-reproduction/1`.

use super::{FORMAT, checks, claims, count};
use crate::claim::{Claim, Example, Verdict};
use serde::Serialize;

/// A document of the format [`FORMAT`]: all claims by example, how many of the paper's have each verdict, and how many checks
/// of ours there are.
#[derive(Debug, Serialize)]
pub struct Document {
    format: &'static str,
    examples: Vec<ExampleDocument>,
    claims: usize,
    agree: usize,
    misprints: usize,
    differ: usize,
    open: usize,
    checks: usize,
    checks_differ: usize,
}

#[derive(Debug, Serialize)]
struct ExampleDocument {
    title: String,
    claims: Vec<ClaimDocument>,
}

#[derive(Debug, Serialize)]
struct ClaimDocument {
    id: &'static str,
    what: String,
    printed: String,
    exact: String,
    verdict: &'static str,
    /// Whether it rests on measured times.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timed: bool,
    /// Whether it is a check of ours and no claim of the paper.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    check: bool,
    notes: Vec<String>,
}

impl Document {
    pub(crate) fn new(examples: &[&Example]) -> Document {
        let of_claim = |claim: &Claim| ClaimDocument {
            id: claim.id,
            what: claim.what.clone(),
            printed: claim.printed(),
            exact: claim.exact_in_full(),
            verdict: claim.verdict().word(),
            timed: claim.is_timed,
            check: claim.is_check,
            notes: claim.notes.clone(),
        };
        let of_example = |example: &&Example| ExampleDocument {
            title: example.title.clone(),
            claims: example.claims.iter().map(of_claim).collect(),
        };
        Document {
            format: FORMAT,
            examples: examples.iter().map(of_example).collect(),
            claims: claims(examples).count(),
            agree: count(examples, Verdict::Agrees),
            misprints: count(examples, Verdict::Misprint),
            differ: count(examples, Verdict::Differs),
            open: count(examples, Verdict::Open),
            checks: checks(examples).count(),
            checks_differ: checks(examples).filter(|check| check.verdict() != Verdict::Agrees).count(),
        }
    }
}
