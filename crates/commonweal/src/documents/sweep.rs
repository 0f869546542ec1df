//! `commonweal-sweep/1`: the best strategies along a range of one discount.

use super::{Document, Entries, Format, LongTerm, Number, Status, StepNumber};
use crate::landscape::{self, Quantity, play_in_words};
use crate::model::Structure;
use serde::{Deserialize, Serialize};

/// Solutions along a range of one principal's discount, and where the strategy changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    format: Format<Sweep>,
    /// Whose discount varies.
    pub principal: String,
    /// What varies: `rate` or `weight`; left out for a discount.
    #[serde(default, skip_serializing_if = "Quantity::is_discount")]
    pub quantity: Quantity,
    /// The least discount or rate.
    pub from: String,
    /// The greatest discount or rate.
    pub to: String,
    /// How many steps lead from one to the other.
    pub steps: u64,
    /// The start state.
    pub start: String,
    /// The greatest distance between the two sides of a change.
    pub width: String,
    /// `stopped`, if it was: points or changes may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The discounts that were solved, in increasing order.
    pub points: Vec<Point>,
}

/// One discount, and what is best there. A line of `sweep --shard`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Its index in the range, from 0.
    pub index: u64,
    /// The discount, unless the weight is what varies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount: Option<String>,
    /// The rate, if that is what varies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// The weight, if that is what varies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// The strategy in words; `None` if it is not known.
    pub strategy: Option<String>,
    /// The optimal welfare.
    pub welfare: Number,
    /// What the long-term strategy earns.
    pub long_term_welfare: Number,
    /// Whether it is proven to be the long-term strategy.
    pub long_term: LongTerm,
    /// What each principal of the file gets, before its weight.
    pub payoffs: Entries<Number>,
    /// The least step from which no deviation pays.
    pub horizon: StepNumber,
    /// The first step from which the strategy is the long-term one for ever.
    pub memory: StepNumber,
    /// The changes between this point and the next.
    pub changes: Vec<ChangeOfStrategy>,
}

/// Where the strategy changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeOfStrategy {
    /// The discount or rate itself, where both strategies earn the same there and it is a short fraction.
    pub at: Option<String>,
    /// A discount or rate before the change.
    pub low: String,
    /// One after it.
    pub high: String,
    /// The strategy before it, in words.
    pub before: String,
    /// The strategy after it, in words.
    pub after: String,
    /// Whether further strategies lie between the two.
    pub crowded: bool,
    /// Whether the strategy before is known to be as good at `high`; left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tie: bool,
}

impl Document for Sweep {
    const FORMAT: &'static str = "commonweal-sweep/1";

    fn leave_fractions_out(&mut self) {
        for point in &mut self.points {
            point.welfare.leave_fraction_out();
            point.long_term_welfare.leave_fraction_out();
            point.payoffs.leave_fractions_out();
        }
    }
}

impl Sweep {
    /// The document of a sweep over this model.
    pub fn new(model: &Structure, sweep: &landscape::Sweep) -> Sweep {
        Sweep {
            format: Format::default(),
            principal: model.principals()[sweep.principal.index()].name.clone(),
            quantity: sweep.grid.quantity,
            from: sweep.grid.from.to_string(),
            to: sweep.grid.to.to_string(),
            steps: sweep.grid.steps,
            start: model.state_name(model.start()).into_owned(),
            width: sweep.width().to_string(),
            status: sweep.stopped.map(|_| Status::Stopped),
            reason: sweep.stopped.map(|reason| reason.to_string()),
            points: Point::all(model, sweep),
        }
    }
}

impl Point {
    /// The points of a sweep over this model.
    pub fn all(model: &Structure, sweep: &landscape::Sweep) -> Vec<Point> {
        sweep.points.iter().map(|point| Point::new(model, sweep, point)).collect()
    }

    fn new(model: &Structure, sweep: &landscape::Sweep, point: &landscape::SweepPoint) -> Point {
        let words = |id| play_in_words(model, &sweep.plays[id]);
        let change = |change: &landscape::SweepChange| ChangeOfStrategy {
            at: change.at.as_ref().map(|at| at.to_string()),
            low: change.low.to_string(),
            high: change.high.to_string(),
            before: words(change.before),
            after: words(change.after),
            crowded: change.crowded,
            tie: change.is_tie,
        };
        let names = model.principals().iter().map(|principal| principal.name.clone());
        Point {
            index: point.index,
            discount: sweep.grid.quantity.discount(&point.discount).map(|discount| discount.to_string()),
            rate: (sweep.grid.quantity == Quantity::Rate).then(|| point.discount.to_string()),
            weight: (sweep.grid.quantity == Quantity::Weight).then(|| point.discount.to_string()),
            strategy: point.label.map(words),
            welfare: Number::from(&point.earned.welfare),
            long_term_welfare: Number::from(&point.earned.long_term_welfare),
            long_term: LongTerm::of(point.earned.long_term_is_proven),
            payoffs: names.zip(point.earned.payoffs.iter().map(Number::from)).collect(),
            horizon: StepNumber(point.horizon.clone()),
            memory: StepNumber(point.memory.clone()),
            changes: point.changes.iter().map(change).collect(),
        }
    }
}
