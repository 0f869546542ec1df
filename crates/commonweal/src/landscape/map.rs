//! Which strategy is best over two discounts: regions with located boundaries, or the points of a grid one by one.

use super::grid::{CROWD, UNITS};
use super::line::{Bracket, LabelChange, changes};
use super::plane::{Plane, PlaneOptions, Spot, plane};
use super::survey::Survey;
use super::{Grid, Label, Play, Shard};
use crate::model::{Mdp, PrincipalId};
use crate::number::Rational;
use crate::solve::Options;
use crate::stop::StopReason;
use std::collections::BTreeMap;

/// How often a cell of a map is cut into four where boundaries meet.
pub const DEPTH: u32 = 3;

/// Regions of two discounts in which the same strategy is best from the start state.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyMap {
    /// Whose discounts go to the right and upward.
    pub axes: [PrincipalId; 2],
    /// The discounts; each step is a cell before any is cut.
    pub grids: [Grid; 2],
    /// The regions, in units from the lower left corner.
    pub plane: Plane,
    /// The plays that labels refer to.
    pub plays: Vec<Play>,
    /// The labels in the order of their regions: what is not known, then the plays that settle first.
    pub order: Vec<Label>,
    /// Why parts of the map are missing, if a signal stopped it.
    pub stopped: Option<StopReason>,
}

/// The map over two principals' discounts, each with as many cells as its grid has steps; the grids have equally many.
///
/// # Panics
/// If a grid reaches outside [0, 1).
pub fn strategy_map(model: &Mdp, axes: [PrincipalId; 2], grids: [Grid; 2], options: &Options) -> StrategyMap {
    let mut survey = Survey::new(model, axes.to_vec(), options.clone());
    let plane_options = PlaneOptions { cells: grids[0].steps, units: UNITS, depth: DEPTH };
    let plane = plane(plane_options, |spots| {
        let points: Vec<Vec<Rational>> = spots.iter().map(|&spot| place(&grids, spot).to_vec()).collect();
        survey.labels(&points)
    });
    let plays = survey.into_plays();
    let mut order: Vec<Label> = plane.outlines.keys().copied().collect();
    // By how long it takes until the strategy settles.
    order.sort_by_key(|label| label.map(|id| (plays[id].n_steps(), plays[id].clone())));
    StrategyMap { axes, grids, plane, plays, order, stopped: options.stop.reason() }
}

fn place(grids: &[Grid; 2], (x, y): Spot) -> [Rational; 2] {
    [grids[0].place(0, x), grids[1].place(0, y)]
}

impl StrategyMap {
    /// Whether every place is solved.
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none() && !self.order.contains(&None)
    }

    /// The discounts at a spot.
    pub fn discounts(&self, spot: Spot) -> [Rational; 2] {
        place(&self.grids, spot)
    }

    /// The share of the map that a region takes.
    pub fn share(&self, label: Label) -> f64 {
        let side = self.grids[0].units();
        let twice = |ring: &Vec<Spot>| -> f64 {
            let pairs = (0..ring.len()).map(|at| (ring[at], ring[(at + 1) % ring.len()]));
            pairs
                .map(|((x0, y0), (x1, y1))| {
                    (x0 as f64 / side) * (y1 as f64 / side) - (x1 as f64 / side) * (y0 as f64 / side)
                })
                .sum()
        };
        self.plane.outlines[&label].iter().map(twice).sum::<f64>() / 2.0
    }

    /// The changes that were located, each with the discounts on its two sides.
    pub fn located(&self) -> impl Iterator<Item = ([Rational; 2], [Rational; 2], &LabelChange)> {
        self.plane.located.iter().map(|(low, high, change)| (self.discounts(*low), self.discounts(*high), change))
    }
}

/// The points of a grid that a shard takes.
#[derive(Debug, Clone, PartialEq)]
pub struct MapShard {
    /// The points, row by row.
    pub points: Vec<MapPoint>,
    /// The plays that labels refer to.
    pub plays: Vec<Play>,
}

/// A point of the grid with the changes on the way to its neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPoint {
    /// Its index in the grid, row by row.
    pub index: u64,
    /// Its two discounts.
    pub discounts: [Rational; 2],
    /// The play of the best strategy; `None` if the solution was stopped.
    pub label: Label,
    /// The changes on the way to the right neighbour.
    pub right: Vec<MapChange>,
    /// The changes on the way to the upper neighbour.
    pub up: Vec<MapChange>,
}

/// A change on the way from a point of the grid to its neighbour.
#[derive(Debug, Clone, PartialEq)]
pub struct MapChange {
    /// The discount that varies, just before the change.
    pub low: Rational,
    /// The same just after it.
    pub high: Rational,
    /// The play before it.
    pub before: Label,
    /// The play after it.
    pub after: Label,
    /// Whether further plays lie between the two.
    pub crowded: bool,
}

/// The points that fall to a shard: their plays, and the changes on the way to their right and upper neighbours.
///
/// # Panics
/// If a grid reaches outside [0, 1).
pub fn map_shard(model: &Mdp, axes: [PrincipalId; 2], grids: &[Grid; 2], shard: Shard, options: &Options) -> MapShard {
    let mut survey = Survey::new(model, axes.to_vec(), options.clone());
    let columns = grids[0].n_points();
    let spot = |index: u64| (index % columns, index / columns);
    let point = |(column, row): (u64, u64)| [grids[0].point(column), grids[1].point(row)];
    let own: Vec<u64> = shard.indices(0..columns * grids[1].n_points()).collect();
    let right = |index: u64| (spot(index).0 + 1 < columns).then_some(index + 1);
    let above = |index: u64| (spot(index).1 + 1 < grids[1].n_points()).then_some(index + columns);
    let mut needed: Vec<u64> =
        own.iter().flat_map(|&index| [Some(index), right(index), above(index)]).flatten().collect();
    needed.sort_unstable();
    needed.dedup();
    let points: Vec<Vec<Rational>> = needed.iter().map(|&index| point(spot(index)).to_vec()).collect();
    let labels: BTreeMap<u64, Label> = needed.iter().copied().zip(survey.labels(&points)).collect();
    // Lines 2k and 2k + 1 lead from the k-th own point to the right and upward.
    let bracket = |line: usize, from: u64, to: Option<u64>| {
        Some(Bracket { line, ends: [0, UNITS], labels: [labels[&from], labels[&to?]] })
    };
    let brackets: Vec<Bracket> = own
        .iter()
        .enumerate()
        .flat_map(|(k, &index)| [bracket(2 * k, index, right(index)), bracket(2 * k + 1, index, above(index))])
        .flatten()
        .collect();
    let at = |line: usize, units: u64| {
        let (column, row) = spot(own[line / 2]);
        if line.is_multiple_of(2) {
            vec![grids[0].place(column, units), grids[1].point(row)]
        } else {
            vec![grids[0].point(column), grids[1].place(row, units)]
        }
    };
    let found = changes(&brackets, CROWD, |places| {
        let points: Vec<Vec<Rational>> = places.iter().map(|&(line, units)| at(line, units)).collect();
        survey.labels(&points)
    });
    let by_line: BTreeMap<usize, &Vec<LabelChange>> = brackets.iter().map(|bracket| bracket.line).zip(&found).collect();
    let changes_on = |line: usize| {
        let list = by_line.get(&line).map(|list| list.as_slice()).unwrap_or_default();
        let own_axis = line % 2;
        let located = |change: &LabelChange| MapChange {
            low: at(line, change.low).swap_remove(own_axis),
            high: at(line, change.high).swap_remove(own_axis),
            before: change.before,
            after: change.after,
            crowded: change.crowded,
        };
        list.iter().map(located).collect()
    };
    let of_point = |(k, &index): (usize, &u64)| MapPoint {
        index,
        discounts: point(spot(index)),
        label: labels[&index],
        right: changes_on(2 * k),
        up: changes_on(2 * k + 1),
    };
    MapShard { points: own.iter().enumerate().map(of_point).collect(), plays: survey.into_plays() }
}
