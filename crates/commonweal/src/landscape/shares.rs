//! How much of a map each region takes, between bounds.
//!
//! The polygons of a map are chains of chords: their areas are off by what lies between a chord and the true boundary, and where
//! boundaries meet that are not separated, by more. Therefore the model is solved at n places drawn at random, independently of each
//! other, and what is best there is compared with the polygon that holds the place. With p the chance that a place is of the regions
//! asked about but outside their polygons, and q the chance of the reverse,
//!
//! ```text
//! share = the area of the polygons + p − q.
//! ```
//!
//! Of m hits in n independent draws, Chernoff's bound says that n · KL(m/n ‖ p) > L has a chance of at most exp(−L) on either side,
//! for every n and p, also if m is 0. So the bounds hold whatever the polygons are; good polygons only make them narrow. The places
//! are the same in every run.

use super::map::{MOST_WORK, StrategyMap, varied};
use super::plane::Spot;
use super::survey::Survey;
use super::{Label, Play};
use crate::model::Mdp;
use crate::number::Rational;
use crate::solve::Options;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

/// The most places.
const MOST_DRAWN: usize = 1 << 15;
/// The places of the first batch; the next ones have as many as there are by then.
const FEW: usize = 32;
/// The chance that some share of a map lies outside its bounds.
const DOUBT: f64 = 1e-3;

/// What is best at places drawn at random, beside the region of the map that holds each.
#[derive(Debug, Clone, PartialEq)]
pub struct MapShares {
    /// Per place, the label that is best, and that of its polygon. `None` outside: a strategy that the map does not have.
    drawn: Vec<(Option<Label>, Label)>,
    /// The regions, and their polygons' areas.
    areas: Vec<(Label, f64)>,
}

/// The share of a map that some regions take is in this range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareRange {
    /// At least this.
    pub least: f64,
    /// At most this.
    pub most: f64,
}

impl MapShares {
    /// Draws places and solves the model there, as long as that takes no more work than the map may.
    pub(super) fn of(model: &Mdp, map: &StrategyMap, options: &Options) -> MapShares {
        let areas = map.order.iter().map(|&label| (label, map.share(label).max(0.0))).collect();
        let ids: HashMap<&Play, Label> = map.plays.iter().enumerate().map(|(id, play)| (play, Some(id))).collect();
        let mut survey = Survey::new(model, varied(map.axes, &map.grids), 0, options);
        let work = survey.work();
        let sides = [0, 1].map(|axis: usize| map.grids[axis].units() as u64);
        let mut draws = Draws(0);
        let mut drawn: Vec<(Option<Label>, Label)> = Vec::new();
        while drawn.len() < MOST_DRAWN && work.load(Ordering::Relaxed) < MOST_WORK && !survey.is_stopped() {
            let n = drawn.len().max(FEW).min(MOST_DRAWN - drawn.len());
            let spots: Vec<Spot> = (0..n).map(|_| (draws.below(sides[0]), draws.below(sides[1]))).collect();
            let points: Vec<Vec<Rational>> = spots.iter().map(|&spot| map.discounts(spot).to_vec()).collect();
            let best = survey.labels(&points);
            if survey.is_stopped() {
                // Which places of a batch were solved by then is no matter of chance.
                break;
            }
            let known = |label: Label| match label {
                Some(id) => ids.get(survey.play(id)).copied(),
                None => Some(None),
            };
            drawn.extend(spots.iter().zip(best).map(|(&spot, label)| (known(label), map.plane.label_at(spot))));
        }
        MapShares { drawn, areas }
    }

    /// The number of places.
    pub fn n_drawn(&self) -> usize {
        self.drawn.len()
    }

    /// The share of the regions with these labels; with `others`, of all that the map does not have, too.
    pub fn range(&self, labels: &[Label], others: bool) -> ShareRange {
        let area: f64 = self.areas.iter().filter(|(label, _)| labels.contains(label)).map(|(_, area)| area).sum();
        let is_best = |best: &Option<Label>| best.map_or(others, |label| labels.contains(&label));
        let count = |is: &dyn Fn(bool, bool) -> bool| {
            let hits = self.drawn.iter().filter(|(best, polygon)| is(is_best(best), labels.contains(polygon)));
            self.chance(hits.count())
        };
        let more = count(&|best, polygon| best && !polygon);
        let less = count(&|best, polygon| !best && polygon);
        let all = count(&|best, _| best);
        let [least, most] = [area + more.least - less.most, area + more.most - less.least];
        ShareRange { least: least.max(all.least), most: most.min(all.most) }
    }

    /// The chance of something that happened this often.
    fn chance(&self, hits: usize) -> ShareRange {
        let n = self.drawn.len();
        if n == 0 {
            return ShareRange { least: 0.0, most: 1.0 };
        }
        // Three chances with two sides each, for every region, for all others and for one more question.
        let statements = 6 * (self.areas.len() + 2);
        let allowed = (statements as f64 / DOUBT).ln() / n as f64;
        let rate = hits as f64 / n as f64;
        ShareRange { least: 1.0 - greatest_chance(1.0 - rate, allowed), most: greatest_chance(rate, allowed) }
    }
}

/// The greatest p with KL(rate ‖ p) ≤ allowed, from above.
fn greatest_chance(rate: f64, allowed: f64) -> f64 {
    let term = |x: f64, p: f64| if x > 0.0 { x * (x / p).ln() } else { 0.0 };
    let divergence = |p: f64| term(rate, p) + term(1.0 - rate, 1.0 - p);
    let (mut below, mut above) = (rate, 1.0);
    for _ in 0..60 {
        let middle = (below + above) / 2.0;
        if divergence(middle) <= allowed { below = middle } else { above = middle }
    }
    above
}

/// A stream of numbers that look random: SplitMix64.
struct Draws(u64);

impl Draws {
    /// One below `n`. The ranges of maps are so much smaller than 2^64 that the remainder hardly matters.
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % n
    }
}
