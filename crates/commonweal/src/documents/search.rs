//! `commonweal-search/1` and `commonweal-sat/1`: the best strategies of simple classes, and what they decide.

use super::{Document, Double, Entries, Format, Fraction, Number, Strategy};
use crate::evaluate::Evaluation;
use crate::model::Structure;
use crate::number::{Enclosure, Value};
use crate::search::{self, SearchOutcome, ThresholdAnswer};
use serde::{Deserialize, Serialize};

/// The best positional or stationary strategy found, with proven bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    format: Format<Search>,
    /// The start state.
    pub start: String,
    /// The strategy earns at least this.
    pub lower: Double,
    /// No strategy of the class earns more.
    pub upper: Double,
    /// What the strategy earns, as a fraction.
    #[serde(default, skip_serializing_if = "Fraction::is_left_out")]
    pub exact: Fraction,
    /// The double nearest to the middle between `lower` and `upper`.
    pub value: Double,
    /// What each principal gets under the strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payoffs: Option<Entries<Number>>,
    /// The strategy.
    pub strategy: Strategy,
    /// Nodes expanded.
    pub nodes: u64,
    /// What is proven of the bounds.
    pub status: SearchStatus,
    /// Why no more is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The answer, if a threshold was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ThresholdAnswer>,
}

/// What is proven of the bounds of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchStatus {
    /// No strategy of the class earns more than the one found.
    #[serde(rename = "optimal")]
    Optimal,
    /// The bounds are within the gap asked for. If no gap was asked for and time preferences are approximated, the bounds are as
    /// close as their error allows.
    #[serde(rename = "within gap")]
    WithinGap,
    /// The lower bound holds; the upper one is the claim of a solver in doubles, without proof.
    #[serde(rename = "claimed")]
    Claimed,
    /// The bounds hold, but are further apart than asked for.
    #[serde(rename = "stopped")]
    Stopped,
}

impl Document for Search {
    const FORMAT: &'static str = "commonweal-search/1";

    fn leave_fractions_out(&mut self) {
        self.exact = Fraction::LeftOut;
        self.payoffs.iter_mut().for_each(Entries::leave_fractions_out);
    }
}

impl Search {
    /// The document of a search from the model's start, with the payoffs of its strategy if they are known.
    pub fn new(model: &Structure, search: &search::Search, payoffs: Option<&Evaluation>) -> Search {
        let start = model.start();
        let payoffs = payoffs.map(|payoffs| {
            let payoff = |p: usize| (model.principals()[p].name.clone(), payoffs.payoff(p.into(), start).into());
            (0..model.n_principals()).map(payoff).collect()
        });
        let (status, reason) = match search.outcome {
            SearchOutcome::Optimal => (SearchStatus::Optimal, None),
            SearchOutcome::WithinGap => (SearchStatus::WithinGap, None),
            SearchOutcome::Claimed => {
                (SearchStatus::Claimed, Some("the upper bound is a floating-point solver's claim".to_owned()))
            }
            SearchOutcome::Decided => (SearchStatus::Stopped, Some("the threshold is decided".to_owned())),
            SearchOutcome::Stopped(reason) => (SearchStatus::Stopped, Some(reason.to_string())),
        };
        // Of an optimal strategy the bounds are the number itself.
        let value = match status {
            SearchStatus::Optimal => search.welfare.clone(),
            SearchStatus::WithinGap | SearchStatus::Claimed | SearchStatus::Stopped => {
                Value::from(Enclosure::new(search.welfare.enclosure.lower(), search.upper))
            }
        };
        Search {
            format: Format::default(),
            start: model.state_name(start).into_owned(),
            lower: Double(search.welfare.enclosure.lower()),
            upper: Double(search.upper),
            exact: search.welfare.exact.as_ref().into(),
            value: Double(value.nearest_double()),
            payoffs,
            strategy: Strategy::new(model, &search.strategy),
            nodes: search.nodes,
            status,
            reason,
            answer: search.answer,
        }
    }
}

/// Whether a formula can be satisfied, decided through a search for a positional strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Satisfiability {
    format: Format<Satisfiability>,
    /// Whether it can.
    pub answer: ThresholdAnswer,
    /// The variables in order, if it can.
    pub assignment: Option<Vec<bool>>,
    /// Nodes expanded.
    pub nodes: u64,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Document for Satisfiability {
    const FORMAT: &'static str = "commonweal-sat/1";
}

impl Satisfiability {
    /// The document of a search for the formula's threshold, with the assignment of its strategy.
    pub fn new(search: &search::Search, assignment: Option<&[bool]>) -> Satisfiability {
        let reason = match search.outcome {
            SearchOutcome::Stopped(reason) => Some(reason.to_string()),
            _ => None,
        };
        Satisfiability {
            format: Format::default(),
            answer: search.answer.unwrap_or(ThresholdAnswer::Unknown),
            assignment: assignment.map(<[bool]>::to_vec),
            nodes: search.nodes,
            reason,
        }
    }
}
