//! The map of a model's best strategies over two discounts: surveyed by the library, drawn as regions.

use crate::range::{Grid, UNITS};
use crate::report::names::shown;
use crate::report::play;
use commonweal::Options;
use commonweal::internals::landscape::{Change, Label, Plane, PlaneOptions, Spot, Survey, UNKNOWN, plane};
use commonweal::internals::model::{Mdp, PrincipalId};
use commonweal::internals::number::Rational;
use commonweal_charts::{Axis, Mark, Region, RegionMap, Scale, Series};

/// How often a cell of the map is cut into four where boundaries meet.
const DEPTH: u32 = 3;
/// More regions than this do not all have a shade of their own.
const DRAWN: usize = 9;

/// Regions of two discounts in which the same strategy is best from the start state.
pub(crate) struct StrategyMap {
    pub names: [String; 2],
    pub grids: [Grid; 2],
    pub start: String,
    /// The model's own discounts.
    own: [f64; 2],
    pub plane: Plane,
    /// Each label's strategy in words.
    words: Vec<String>,
    /// The labels in the order of their regions.
    pub order: Vec<Label>,
}

/// The map over two principals' discounts, each with as many cells as its grid has steps; the grids have equally many.
pub(crate) fn strategy_map(model: &Mdp, axes: [PrincipalId; 2], grids: [Grid; 2], options: &Options) -> StrategyMap {
    let mut survey = Survey::new(model, axes.to_vec(), options.clone());
    let plane_options = PlaneOptions { cells: grids[0].steps, units: UNITS, depth: DEPTH, unknown: UNKNOWN };
    let plane = plane(plane_options, |spots| {
        let points: Vec<Vec<Rational>> = spots.iter().map(|&spot| place(&grids, spot).to_vec()).collect();
        survey.labels(&points)
    });
    let mut order: Vec<Label> = plane.outlines.keys().copied().collect();
    // By how long it takes until the strategy settles.
    order.sort_by_key(|&label| (label != UNKNOWN).then(|| (survey.play(label).n_steps(), survey.play(label).clone())));
    let principal = |p: PrincipalId| &model.principals()[p.index()];
    StrategyMap {
        names: axes.map(|p| shown(&principal(p).name)),
        start: model.state_name(model.start()).into_owned(),
        own: axes.map(|p| principal(p).patience().to_f64()),
        words: (0..survey.n_plays()).map(|label| play::in_words(model, survey.play(label))).collect(),
        grids,
        plane,
        order,
    }
}

fn place(grids: &[Grid; 2], (x, y): Spot) -> [Rational; 2] {
    [grids[0].place(0, x), grids[1].place(0, y)]
}

impl StrategyMap {
    /// A label's strategy in words.
    pub fn words(&self, label: Label) -> &str {
        self.words.get(label).map_or("not solved", String::as_str)
    }

    /// The discounts at a spot.
    pub fn discounts(&self, spot: Spot) -> [Rational; 2] {
        place(&self.grids, spot)
    }

    /// The share of the map that a region takes.
    pub fn share(&self, label: Label) -> f64 {
        let side = self.grids[0].steps as f64 * UNITS as f64;
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
    pub fn located(&self) -> impl Iterator<Item = ([Rational; 2], [Rational; 2], &Change)> {
        self.plane.located.iter().map(|(low, high, change)| (self.discounts(*low), self.discounts(*high), change))
    }

    /// Places along an axis as doubles.
    fn point(&self, (x, y): Spot) -> (f64, f64) {
        let along = |grid: &Grid, units: u64| {
            let (from, to) = (grid.from.to_f64(), grid.to.to_f64());
            from + (to - from) * (units as f64 / (grid.steps as f64 * UNITS as f64))
        };
        (along(&self.grids[0], x), along(&self.grids[1], y))
    }

    /// The map as a picture.
    pub fn region_map(&self) -> RegionMap {
        let points = |spots: &Vec<Spot>| spots.iter().map(|&spot| self.point(spot)).collect::<Vec<_>>();
        // The largest regions have shades of their own; the others, often countless, share one.
        let mut by_share: Vec<(f64, Label)> = self.order.iter().map(|&label| (self.share(label), label)).collect();
        by_share.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let many = by_share.len() > DRAWN + 1;
        let small: Vec<Label> =
            by_share.iter().skip(if many { DRAWN } else { usize::MAX }).map(|&(_, label)| label).collect();
        let rings = |label: &Label| self.plane.outlines[label].iter().map(points).collect::<Vec<_>>();
        let large = self.order.iter().filter(|label| !small.contains(label));
        let mut regions: Vec<Region> =
            large.map(|label| Region { name: self.words(*label).to_owned(), outline: rings(label) }).collect();
        if many {
            let name = format!("{} other strategies", small.len());
            regions.push(Region { name, outline: small.iter().flat_map(rings).collect() });
        }
        let is_seen = |pair: &[Label; 2]| !(small.contains(&pair[0]) && small.contains(&pair[1]));
        let boundary = |spots: &Vec<Spot>| Series { name: String::new(), points: points(spots), mark: Mark::Line };
        // A map that all but reaches 1 is drawn up to 1.
        let ends = self.grids.each_ref().map(|grid| {
            let (from, to) = (grid.from.to_f64(), grid.to.to_f64());
            (from, if to >= 0.99 { 1.0 } else { to })
        });
        let seen = self.plane.boundaries.iter().filter(|(pair, _)| is_seen(pair));
        let mut curves: Vec<Series> = seen.map(|(_, spots)| boundary(spots)).collect();
        let (low, high) = (ends[0].0.max(ends[1].0), ends[0].1.min(ends[1].1));
        if low < high {
            curves.push(Series {
                name: "equal discounts".to_owned(),
                points: vec![(low, low), (high, high)],
                mark: Mark::Dashed,
            });
        }
        let inside = (0..2).all(|axis| (ends[axis].0..=ends[axis].1).contains(&self.own[axis]));
        let marks = if inside { vec![(self.own[0], self.own[1], "the model".to_owned())] } else { Vec::new() };
        let axis = |axis: usize| Axis { label: format!("discount of {}", self.names[axis]), scale: Scale::Linear };
        let steps = self.grids[0].steps;
        RegionMap {
            title: format!(
                "Best strategy from {} by the discounts of {} and {}",
                shown(&self.start),
                self.names[0],
                self.names[1]
            ),
            caption: Some(format!(
                "Boundaries pass through {} points, each located to 2^-40 of 1/{steps} of the range by exact solutions. \
                 Regions thinner than 1/{} of the range are not drawn.",
                self.plane.located.len(),
                steps << DEPTH
            )),
            x: axis(0),
            y: axis(1),
            range: ends,
            regions,
            curves,
            marks,
        }
    }
}
