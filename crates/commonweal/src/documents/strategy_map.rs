//! `commonweal-map/1`: which strategy is best over two discounts.

use super::pieces::nearest_double;
use super::{Document, Format, Status};
use crate::landscape::{self, Label, MapChange, MapPoint, MapShares, Play, Quantity, ShareRange, play_in_words};
use crate::model::Structure;
use serde::{Deserialize, Serialize};

/// Regions of two discounts in which the same strategy is best, and points on their boundaries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyMap {
    format: Format<StrategyMap>,
    /// The discount that goes to the right.
    pub x: Axis,
    /// The discount that goes upward.
    pub y: Axis,
    /// The start state.
    pub start: String,
    /// `stopped`, if it was: parts of the map are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The share of the map in which boundaries meet that are not separated; left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarse_share: Option<f64>,
    /// The strategies, in the order of how long they take to settle.
    pub regions: Vec<Region>,
    /// The points that were located on boundaries.
    pub located: Vec<Located>,
}

/// A range of one principal's discount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// Whose discount it is.
    pub principal: String,
    /// What varies: `rate`; left out for a discount.
    #[serde(default, skip_serializing_if = "Quantity::is_discount")]
    pub quantity: Quantity,
    /// The least discount or rate.
    pub from: String,
    /// The greatest discount or rate.
    pub to: String,
    /// How many cells lead from one to the other.
    pub steps: u64,
    /// The distance between the two sides of a located point.
    pub width: String,
}

/// Where a strategy is best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The strategy in words; `None` where it is not known.
    pub strategy: Option<String>,
    /// The share of the map that the polygons of the region take.
    #[serde(deserialize_with = "nearest_double")]
    pub share: f64,
    /// The region's own share is at least this; left out if no places were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_lower: Option<f64>,
    /// And at most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_upper: Option<f64>,
}

/// A point on a boundary: between these two places the strategy changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located {
    /// The discounts just before the change.
    pub low: [String; 2],
    /// The discounts just after it.
    pub high: [String; 2],
    /// The strategy before it, in words.
    pub before: String,
    /// The strategy after it, in words.
    pub after: String,
    /// Whether further strategies lie between the two.
    pub crowded: bool,
}

impl Document for StrategyMap {
    const FORMAT: &'static str = "commonweal-map/1";
}

impl StrategyMap {
    /// The document of a map over this model.
    pub fn new(model: &Structure, map: &landscape::StrategyMap) -> StrategyMap {
        let axis = |axis: usize| Axis {
            principal: model.principals()[map.axes[axis].index()].name.clone(),
            quantity: map.grids[axis].quantity,
            from: map.grids[axis].from.to_string(),
            to: map.grids[axis].to.to_string(),
            steps: map.grids[axis].steps,
            width: map.width(axis).to_string(),
        };
        let all_words: Vec<String> = map.plays.iter().map(|play| play_in_words(model, play)).collect();
        let words = |label: Label| label.map(|id| all_words[id].clone());
        // No -0 where nothing is left.
        let region = |&label: &Label| Region {
            strategy: words(label),
            share: map.share(label).max(0.0),
            share_lower: None,
            share_upper: None,
        };
        let or_unknown = |label: Label| words(label).unwrap_or_else(|| NOT_SOLVED.to_owned());
        let located = map.located().map(|(low, high, change)| Located {
            low: low.map(|discount| discount.to_string()),
            high: high.map(|discount| discount.to_string()),
            before: or_unknown(change.before),
            after: or_unknown(change.after),
            crowded: change.crowded,
        });
        StrategyMap {
            format: Format::default(),
            x: axis(0),
            y: axis(1),
            start: model.state_name(model.start()).into_owned(),
            status: map.stopped.map(|_| Status::Stopped),
            reason: map.stopped.map(|reason| reason.to_string()),
            coarse_share: (!map.plane.coarse.is_empty()).then(|| map.coarse_share()),
            regions: map.order.iter().map(region).collect(),
            located: located.collect(),
        }
    }
}

impl StrategyMap {
    /// The same with bounds on the shares.
    pub fn with_shares(mut self, map: &landscape::StrategyMap, shares: &MapShares) -> StrategyMap {
        for (region, label) in self.regions.iter_mut().zip(&map.order) {
            let ShareRange { least, most } = shares.range(&[*label], false);
            (region.share_lower, region.share_upper) = (Some(least), Some(most));
        }
        self
    }
}

/// The text for a strategy on a side of a located change that was not solved.
const NOT_SOLVED: &str = "not solved";

/// A point of the grid, what is best there, and the changes on the way to its neighbours. A line of `map --shard`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridPoint {
    /// Its index in the grid, row by row from 0.
    pub index: u64,
    /// The discount to the right.
    pub x: String,
    /// The discount upward.
    pub y: String,
    /// The strategy in words; `None` if it is not known.
    pub strategy: Option<String>,
    /// The changes on the way to the right neighbour.
    pub right: Vec<GridChange>,
    /// The changes on the way to the upper neighbour.
    pub up: Vec<GridChange>,
}

/// A change on the way from a point of the grid to its neighbour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridChange {
    /// The discount just before the change.
    pub low: String,
    /// The discount just after it.
    pub high: String,
    /// The strategy before it, in words; `None` if it is not known.
    pub before: Option<String>,
    /// The strategy after it, in words; `None` if it is not known.
    pub after: Option<String>,
    /// Whether further strategies lie between the two.
    pub crowded: bool,
}

impl GridPoint {
    /// The line of a point that was computed for this model, with the plays that labels stand for.
    pub fn new(model: &Structure, plays: &[Play], point: &MapPoint) -> GridPoint {
        let words = |label: Label| label.map(|id| play_in_words(model, &plays[id]));
        let change = |change: &MapChange| GridChange {
            low: change.low.to_string(),
            high: change.high.to_string(),
            before: words(change.before),
            after: words(change.after),
            crowded: change.crowded,
        };
        GridPoint {
            index: point.index,
            x: point.discounts[0].to_string(),
            y: point.discounts[1].to_string(),
            strategy: words(point.label),
            right: point.right.iter().map(change).collect(),
            up: point.up.iter().map(change).collect(),
        }
    }
}
