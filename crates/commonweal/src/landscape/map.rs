//! Which strategy is best over two discounts: regions with located boundaries, or the points of a grid one by one.

use super::grid::{CROWD, PICTURE_BITS, UNITS};
use super::line::{Bracket, LabelChange, changes};
use super::plane::{Finer, Plane, PlaneOptions, Spot, plane};
use super::survey::Survey;
use super::{Grid, Label, MapShares, Play, Quantity, Shard};
use crate::model::{Mdp, PrincipalId};
use crate::number::Rational;
use crate::solve::Options;
use crate::stop::StopReason;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

/// How often a cell of a map is divided into four if boundaries meet in it.
pub const DEPTH: u32 = 3;

/// The work, in about nanoseconds, after which no cell of a map for pictures is cut further. Infinitely many regions can meet in
/// one point, so that no amount of work separates them all.
pub(super) const MOST_WORK: u64 = 2_000_000_000;
/// The same after which no boundary of such a map is located more precisely.
const MOST_LOCATING: u64 = 4 * MOST_WORK;

/// Whether a map that took this work may become finer.
fn may_be(finer: Finer, work: &AtomicU64) -> bool {
    let most = match finer {
        Finer::Cut => MOST_WORK,
        Finer::Halve => MOST_LOCATING,
    };
    work.load(Ordering::Relaxed) < most
}

/// Regions of two discounts in which the same strategy is best from the start state.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyMap {
    /// Whose discounts go to the right and upward.
    pub axes: [PrincipalId; 2],
    /// The discounts; each step is a cell before any is divided.
    pub grids: [Grid; 2],
    /// The regions, in units from the lower left corner.
    pub plane: Plane,
    /// The plays that labels refer to.
    pub plays: Vec<Play>,
    /// The labels in the order of their regions: unknown ones first, then by the step at which the play settles.
    pub order: Vec<Label>,
    /// Why parts of the map are missing, if a signal stopped it.
    pub stopped: Option<StopReason>,
    /// Every place that was solved.
    known: HashMap<Spot, Label>,
}

/// The regions that a picture of a map shows in one colour.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionClass {
    /// Its strategies: one, or all those that have no class of their own.
    pub labels: Vec<Label>,
    /// Closed polygons that bound it, in units from the lower left corner, even-odd.
    pub outline: Vec<Vec<Spot>>,
}

/// The principals and quantities that vary.
pub(super) fn varied(axes: [PrincipalId; 2], grids: &[Grid; 2]) -> Vec<(PrincipalId, Quantity)> {
    axes.into_iter().zip(grids.iter().map(|grid| grid.quantity)).collect()
}

/// The map over two principals' discounts, each with as many cells as its grid has steps; the grids have equally many.
///
/// # Panics
/// If a grid reaches outside [0, 1).
pub fn strategy_map(model: &Mdp, axes: [PrincipalId; 2], grids: [Grid; 2], options: &Options) -> StrategyMap {
    let mut survey = Survey::new(model, varied(axes, &grids), grids[0].n_points() * grids[1].n_points(), options);
    let mut known = HashMap::new();
    let (work, within) = (survey.work(), grids[0].within());
    // A map that is to be fine takes as long as it takes.
    let may = |finer: Finer| within == 1 || may_be(finer, &work);
    let label = |spots: &[Spot]| {
        if survey.is_stopped() {
            return vec![None; spots.len()];
        }
        let points: Vec<Vec<Rational>> = spots.iter().map(|&spot| place(&grids, spot).to_vec()).collect();
        let labels = survey.labels(&points);
        known.extend(spots.iter().copied().zip(labels.iter().copied()));
        labels
    };
    let plane = plane(plane_options(&grids), label, may);
    let stopped = options.stop.reason();
    let plays = survey.into_plays();
    let mut order: Vec<Label> = plane.outlines.keys().copied().collect();
    // By how long it takes until the strategy settles.
    order.sort_by_key(|label| label.map(|id| (plays[id].n_steps(), plays[id].clone())));
    StrategyMap { axes, grids, plane, plays, order, stopped, known }
}

fn plane_options(grids: &[Grid; 2]) -> PlaneOptions {
    // Strips thinner than the smallest cell are not separated.
    PlaneOptions { cells: grids[0].steps, units: UNITS, depth: DEPTH, thin: UNITS >> DEPTH, within: grids[0].within() }
}

fn place(grids: &[Grid; 2], (x, y): Spot) -> [Rational; 2] {
    [grids[0].place(0, x), grids[1].place(0, y)]
}

impl StrategyMap {
    /// A map that a signal stopped before the first place.
    pub(crate) fn not_begun(axes: [PrincipalId; 2], grids: [Grid; 2], reason: StopReason) -> StrategyMap {
        let plane = plane(plane_options(&grids), |spots: &[Spot]| vec![None; spots.len()], |_| false);
        let order = plane.outlines.keys().copied().collect();
        StrategyMap { axes, grids, plane, plays: Vec::new(), order, stopped: Some(reason), known: HashMap::new() }
    }

    /// Whether every place is solved.
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none() && !self.order.contains(&None)
    }

    /// The discounts at a spot.
    pub fn discounts(&self, spot: Spot) -> [Rational; 2] {
        place(&self.grids, spot)
    }

    /// How near to each other the two sides of every located change are along an axis: as the grid asks, unless the map was ended
    /// before.
    pub fn width(&self, axis: usize) -> Rational {
        let units = |(low, high, _): &(Spot, Spot, LabelChange)| (high.0 - low.0).max(high.1 - low.1);
        let widest = self.plane.located.iter().map(units).max().unwrap_or(0);
        self.grids[axis].length(widest.max(self.grids[axis].within()))
    }

    /// Whether changes are located as precisely as the grids ask.
    pub fn is_located(&self) -> bool {
        self.width(0) == self.grids[0].width()
    }

    /// The share of the map in which boundaries meet that are not separated: there the regions are as coarse as the cells.
    pub fn coarse_share(&self) -> f64 {
        let side = self.grids[0].units();
        self.plane.coarse.iter().map(|&(_, size)| (size as f64 / side).powi(2)).sum()
    }

    /// The places at which boundaries meet that are not separated: the least and the greatest value along an axis.
    pub fn coarse_range(&self, axis: usize) -> Option<[Rational; 2]> {
        let along = |spot: Spot| if axis == 0 { spot.0 } else { spot.1 };
        let cells = || self.plane.coarse.iter().map(|&(corner, size)| (along(corner), along(corner) + size));
        let (least, most) = (cells().map(|(from, _)| from).min()?, cells().map(|(_, to)| to).max()?);
        Some([least, most].map(|units| self.grids[axis].place(0, units)))
    }

    /// What share of the map its regions take, by solutions at places drawn at random.
    pub(crate) fn shares(&self, model: &Mdp, options: &Options) -> MapShares {
        MapShares::of(model, self, options)
    }

    /// The area of a region's polygons, as a share of the map: the region's own share up to what lies between chords and boundaries,
    /// and up to the parts that are not separated. [`MapShares`] has bounds.
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

    /// The map in few classes, as a picture shows it: the `n` largest regions in their order, then all others as one. Between
    /// classes every boundary is located, precisely enough for a picture, and mostly from known solutions.
    pub(crate) fn classes(&self, model: &Mdp, n: usize, options: &Options) -> Vec<RegionClass> {
        let mut by_share: Vec<(f64, Label)> = self.order.iter().map(|&label| (self.share(label), label)).collect();
        by_share.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // One region alone needs no class for others.
        let n = if by_share.len() == n + 1 { n + 1 } else { n };
        let large: Vec<Label> = by_share.iter().take(n).map(|&(_, label)| label).collect();
        let (own, others): (Vec<Label>, Vec<Label>) = self.order.iter().partition(|label| large.contains(label));
        let mut classes: Vec<Vec<Label>> = own.into_iter().map(|label| vec![label]).collect();
        if !others.is_empty() {
            classes.push(others);
        }
        if self.stopped.is_some() {
            let rings = |labels: &[Label]| labels.iter().flat_map(|label| self.plane.outlines[label].clone()).collect();
            return classes.into_iter().map(|labels| RegionClass { outline: rings(&labels), labels }).collect();
        }
        // A strategy that appears here for the first time belongs to the others.
        let class_of: HashMap<Label, usize> = classes
            .iter()
            .enumerate()
            .flat_map(|(class, labels)| labels.iter().map(move |&label| (label, class)))
            .collect();
        let ids: HashMap<&Play, Label> = self.plays.iter().enumerate().map(|(id, play)| (play, Some(id))).collect();
        let rest = if classes.len() > n { n } else { classes.len() };
        let class =
            |label: Option<&Label>| Some(label.and_then(|label| class_of.get(label)).map_or(rest, |&class| class));
        let mut survey = Survey::new(model, varied(self.axes, &self.grids), 0, options);
        let work = survey.work();
        let (cells, within) = (self.grids[0].steps, UNITS >> PICTURE_BITS);
        let options = PlaneOptions { cells, units: UNITS, depth: DEPTH + 1, thin: 0, within };
        let label = |spots: &[Spot]| -> Vec<Label> {
            let new: Vec<Spot> = spots.iter().copied().filter(|spot| !self.known.contains_key(spot)).collect();
            let points: Vec<Vec<Rational>> = new.iter().map(|&spot| self.discounts(spot).to_vec()).collect();
            let labels = survey.labels(&points);
            let found: HashMap<Spot, Label> = new
                .into_iter()
                .zip(labels)
                .map(|(spot, label)| (spot, class(label.and_then(|id| ids.get(survey.play(id))))))
                .collect();
            spots.iter().map(|spot| found.get(spot).copied().unwrap_or_else(|| class(self.known.get(spot)))).collect()
        };
        let mut plane = plane(options, label, |finer| may_be(finer, &work));
        // Strategies that are met only here are a class too, so that no part of the picture is blank.
        if classes.len() == rest && plane.outlines.contains_key(&Some(rest)) {
            classes.push(Vec::new());
        }
        let outline = |class: usize| plane.outlines.remove(&Some(class)).unwrap_or_default();
        let outlines: Vec<Vec<Vec<Spot>>> = (0..classes.len()).map(outline).collect();
        classes.into_iter().zip(outlines).map(|(labels, outline)| RegionClass { labels, outline }).collect()
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
    let mut survey = Survey::new(model, varied(axes, grids), needed.len() as u64, options);
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
    let found = changes(
        &brackets,
        CROWD,
        grids[0].within(),
        || true,
        |places| {
            let points: Vec<Vec<Rational>> = places.iter().map(|&(line, units)| at(line, units)).collect();
            survey.labels(&points)
        },
    );
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_model_bytes;
    use crate::number::parse_rational;

    const HOTEL: &str = "principals: {alice: 2/3, bob: 1/3}\nstates:\n  s0:\n    a: {reward: 3, to: s0}\n    \
                         b: {reward: -1, to: s1}\n  s1:\n    b: {reward: 6, to: s1}\n";

    /// The hotel's best delay by its closed form: the first k with α^k (7α − 4) + β^k (7β − 4) ≥ 0; none if neither exceeds 4/7.
    fn delay(alpha: f64, beta: f64) -> Option<i32> {
        let urge = |k: i32| alpha.powi(k) * (7.0 * alpha - 4.0) + beta.powi(k) * (7.0 * beta - 4.0);
        (alpha.max(beta) > 4.0 / 7.0).then(|| (0..10_000).find(|&k| urge(k) >= 0.0).unwrap_or(10_000))
    }

    #[test]
    fn classes_of_a_picture_are_whole_however_thin_and_have_the_areas_of_the_closed_form() {
        let model = read_model_bytes(HOTEL.as_bytes()).unwrap();
        let end = parse_rational("0.999").unwrap();
        let grid = || Grid::new(Rational::ZERO, end.clone(), 8);
        let map = strategy_map(&model, [0.into(), 1.into()], [grid(), grid()], &Options::default());
        let classes = map.classes(&model, 5, &Options::default());
        assert_eq!(classes.len(), 6, "five, and the others");
        // The closed form at the middles of a fine grid.
        const FINE: usize = 1_000;
        let mut counts: HashMap<Option<i32>, usize> = HashMap::new();
        let place = |at: usize| (at as f64 + 0.5) / FINE as f64 * 0.999;
        for x in 0..FINE {
            for y in 0..FINE {
                *counts.entry(delay(place(x), place(y))).or_default() += 1;
            }
        }
        let side = map.grids[0].units();
        let area = |ring: &Vec<Spot>| -> f64 {
            let pairs = (0..ring.len()).map(|at| (ring[at], ring[(at + 1) % ring.len()]));
            let twice = |((x0, y0), (x1, y1)): (Spot, Spot)| x0 as f64 * y1 as f64 - x1 as f64 * y0 as f64;
            pairs.map(twice).sum::<f64>() / 2.0 / side / side
        };
        // The map's order: what never changes first, then by the time until the strategy settles.
        for (class, delay) in classes.iter().zip([None, Some(0), Some(1), Some(2), Some(3)]) {
            let found: f64 = class.outline.iter().map(area).sum();
            let expected = counts[&delay] as f64 / (FINE * FINE) as f64;
            assert!((found - expected).abs() < 0.01, "{delay:?}: {found} {expected}");
            // A region with its mirror image, or a symmetric one: no spurious pieces.
            let large = class.outline.iter().filter(|ring| area(ring).abs() > 1e-6).count();
            assert!(large <= 2, "{delay:?} falls into {large} parts");
        }
        let total: f64 = classes.iter().flat_map(|class| &class.outline).map(area).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
    }
}
