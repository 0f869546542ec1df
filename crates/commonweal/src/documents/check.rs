//! `commonweal-check/1`: a checker's verdict on a certificate.

use super::{Document, Entries, Format, Number};
use serde::{Deserialize, Serialize};

/// The verdict of a checker on a certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    format: Format<Check>,
    /// The verdict.
    pub verdict: Verdict,
    /// What is proven, the claim that could not be verified, or why there is no verdict.
    pub says: String,
    /// Of an accepted certificate, the state that the figures are for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The greatest welfare from there, or bounds on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub welfare: Option<Number>,
    /// What each principal gets by the lottery of a fair certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payoffs: Option<Entries<Number>>,
}

/// Whether a certificate proves what it states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does.
    Accepted,
    /// A claim could not be verified.
    Refused,
    /// The checker was stopped before it knew.
    Stopped,
}

impl Document for Check {
    const FORMAT: &'static str = "commonweal-check/1";
}

impl Check {
    /// The verdict with what is to be said of it.
    pub fn new(verdict: Verdict, says: impl Into<String>) -> Check {
        Check { format: Format::default(), verdict, says: says.into(), start: None, welfare: None, payoffs: None }
    }
}
