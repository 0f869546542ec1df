//! The entries of `comparison`: other strategies compared with a solution.

use super::{Double, Entries, Number, Status};
use crate::compare::{self, Class};
use crate::model::Structure;
use serde::{Deserialize, Serialize};

/// One strategy of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Which one: `counting`, `stationary`, `positional`, `long-term`, `re-planned`, `no commitment`, `best for principal` or
    /// `fair`.
    pub strategy: String,
    /// The rule by which it is the fairest lottery, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Whom it is best for, of a strategy that serves one principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// What it earns from the start.
    pub welfare: Number,
    /// An upper bound for its class, unless it is known to be the best of its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<Double>,
    /// What each principal gets.
    pub payoffs: Entries<Number>,
    /// `stopped`, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Compared {
    /// The entry of a strategy for this model.
    pub fn new(model: &Structure, compared: &compare::Compared) -> Compared {
        let (strategy, principal) = match compared.class {
            Class::Counting => ("counting", None),
            Class::Stationary => ("stationary", None),
            Class::Positional => ("positional", None),
            Class::LongTerm => ("long-term", None),
            Class::Replanned => ("re-planned", None),
            Class::NoCommitment => ("no commitment", None),
            Class::BestFor(p) => ("best for principal", Some(model.principals()[p.index()].name.clone())),
            Class::Fair(_) => ("fair", None),
        };
        let rule = if let Class::Fair(rule) = compared.class { Some(rule.name().to_owned()) } else { None };
        let names = model.principals().iter().map(|principal| principal.name.clone());
        Compared {
            strategy: strategy.to_owned(),
            rule,
            principal,
            welfare: Number::from(&compared.welfare),
            upper: compared.upper.map(Double),
            payoffs: names.zip(compared.payoffs.iter().map(Number::from)).collect(),
            status: compared.stopped.map(|_| Status::Stopped),
            reason: compared.stopped.map(|reason| reason.to_string()),
        }
    }
}
