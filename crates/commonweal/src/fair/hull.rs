//! The front of three and more principals, between the points found and the half-spaces that contain the payoff set.
//!
//! For weights w in a cell with corners w_1, …, w_n, the support function is bounded by the corners: h is convex, so
//! `h(Σ a_k w_k) ≤ Σ a_k h(w_k)`. The points x_j found attain `max_j w·x_j`. So inside the cell the set exceeds the points by at most
//!
//! ```text
//! max over a of min over j of Σ a_k D_kj,   D_kj = h(w_k) − w_k·x_j ≥ 0,
//! ```
//!
//! the value of a matrix game, which is a small linear program. The cell with the greatest value is divided at the weights Σ a_k w_k that attain
//! it: there the points tie, so a front with few vertices is found exactly, with about one question for each of its faces. It ends
//! when the greatest value is below the gap.

use super::Weights;
use super::front::{FrontOptions, Vertex, within_work};
use super::payoff_set::{PayoffSet, Point};
use super::simplex::{LinearProgram, Optimum, Outcome, Row, Sense};
use crate::number::{Rational, rounded_down, sum};
use crate::stop::StopReason;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// The front of three and more principals, from inside and outside.
#[derive(Debug, Clone)]
pub struct Hull {
    /// Vertices of the set, each the best for its weights.
    pub vertices: Vec<Vertex>,
    /// For all weights in the direction of each principal whose magnitudes sum to 1, the support function exceeds the best vertex by at most this.
    pub gap: Rational,
    /// Whether the gap asked for was reached.
    pub reached: bool,
    /// Why it is not.
    pub stopped: Option<StopReason>,
    /// The number of solves.
    pub calls: u64,
}

impl Hull {
    /// What is known of a front whose search was stopped before it found a vertex.
    pub fn nothing_known(reason: StopReason) -> Hull {
        Hull { vertices: Vec::new(), gap: Rational::ZERO, reached: false, stopped: Some(reason), calls: 0 }
    }
}

/// A corner of cells: weights, the upper bound of the support function, and points that are best there, or nearly.
struct Corner {
    weights: Weights,
    most: Rational,
    points: Vec<usize>,
}

/// A cell: its corners, the greatest excess inside, the shares of the corners in the weights that attain it, and the points that tie there.
struct Cell {
    corners: Vec<usize>,
    open: Rational,
    shares: Vec<Rational>,
    ties: Vec<usize>,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Cell) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Cell) -> Ordering {
        self.open.cmp(&other.open).then_with(|| other.corners.cmp(&self.corners))
    }
}

struct Builder<'a, 'm> {
    set: &'a PayoffSet<'m>,
    corners: Vec<Corner>,
    by_weights: BTreeMap<Weights, usize>,
    vertices: Vec<Vertex>,
}

/// The front of all principals, to a gap.
pub fn hull(set: &PayoffSet, options: &FrontOptions) -> Result<Hull, StopReason> {
    within_work(set, options, enclose, |hull| hull.stopped)
}

fn enclose(set: &PayoffSet, options: &FrontOptions) -> Result<Hull, StopReason> {
    let n = set.n();
    let mut builder = Builder { set, corners: Vec::new(), by_weights: BTreeMap::new(), vertices: Vec::new() };
    let first: Vec<usize> = (0..n).map(|p| builder.corner(set.own_way(p), &[])).collect::<Result<_, _>>()?;
    let mut open = BinaryHeap::from([builder.cell(first)?]);
    let scale = builder.vertices.iter().flat_map(|vertex| &vertex.point.payoffs);
    let scale = scale.map(|payoff| payoff.enclosure.midpoint().abs()).fold(0.0, f64::max);
    let allowed = &options.gap * Rational::try_from(scale).unwrap_or(Rational::ZERO);
    let mut stopped = None;
    while let Some(cell) = open.peek().filter(|cell| cell.open > allowed) {
        if builder.vertices.len() >= options.vertex_limit || builder.corners.len() >= 40 * options.vertex_limit {
            stopped = Some(StopReason::VertexLimit);
            break;
        }
        match builder.divided(cell) {
            Ok(parts) => {
                open.pop();
                open.extend(parts);
            }
            Err(reason) => {
                stopped = Some(reason);
                break;
            }
        }
        let gap = open.peek().map_or(0.0, |cell| cell.open.to_f64());
        set.tell_vertices(builder.vertices.len(), gap);
    }
    let gap = open.peek().map_or(Rational::ZERO, |cell| cell.open.clone());
    Ok(Hull { vertices: builder.vertices, reached: gap <= allowed, gap, stopped, calls: set.calls() })
}

impl Builder<'_, '_> {
    /// The corner of these weights, solved for once. The points of `ties` may be best there too.
    fn corner(&mut self, weights: Weights, ties: &[usize]) -> Result<usize, StopReason> {
        let index = match self.by_weights.get(&weights) {
            Some(&known) => known,
            None => self.new_corner(weights)?,
        };
        let points = &mut self.corners[index].points;
        points.extend(ties);
        points.sort_unstable();
        points.dedup();
        Ok(index)
    }

    fn new_corner(&mut self, weights: Weights) -> Result<usize, StopReason> {
        let best = self.set.best_of_front(&weights)?;
        if let Some(reason) = best.stopped {
            return Err(reason);
        }
        // In doubles the same strategy has slightly other payoffs each time.
        let same = |own: &Point| own.payoffs == best.point.payoffs || own.strategy == best.point.strategy;
        let known = self.vertices.iter().position(|vertex| same(&vertex.point));
        let point = known.unwrap_or(self.vertices.len());
        if known.is_none() {
            self.vertices.push(Vertex { point: best.point, weights: weights.clone() });
        }
        self.by_weights.insert(weights.clone(), self.corners.len());
        self.corners.push(Corner { weights, most: best.most, points: vec![point] });
        Ok(self.corners.len() - 1)
    }

    /// A cell with its greatest excess, rounded up a little where fractions are long.
    fn cell(&self, corners: Vec<usize>) -> Result<Cell, StopReason> {
        let mut points: Vec<usize> = corners.iter().flat_map(|&k| self.corners[k].points.iter().copied()).collect();
        points.sort_unstable();
        points.dedup();
        let excess = |k: usize, point: usize| {
            let Corner { weights, most, .. } = &self.corners[k];
            short_above((most - self.vertices[point].point.least(weights)).max(Rational::ZERO))
        };
        // Maximise t with Σ a_k D_kj ≥ t for every point j, and Σ a_k = 1.
        let n = corners.len();
        let mut objective = vec![Rational::ZERO; n];
        objective.push(Rational::ONE);
        let row = |&point: &usize| {
            let mut left: Vec<Rational> = corners.iter().map(|&k| excess(k, point)).collect();
            left.push(Rational::NEG_ONE);
            Row { left, sense: Sense::AtLeast, right: Rational::ZERO }
        };
        let mut rows: Vec<Row> = points.iter().map(row).collect();
        let mut certain = vec![Rational::ONE; n];
        certain.push(Rational::ZERO);
        rows.push(Row { left: certain, sense: Sense::Equal, right: Rational::ONE });
        let solved = LinearProgram { objective, rows }.solve(&self.set.options().stop)?;
        let Outcome::Optimal(Optimum { value, mut primal, dual }) = solved else { unreachable!("a game has a value") };
        primal.truncate(n);
        let ties = points.into_iter().zip(dual).filter(|(_, share)| !share.is_zero()).map(|(point, _)| point).collect();
        Ok(Cell { corners, open: value, shares: primal, ties })
    }

    /// The parts of a cell around the weights of its greatest excess: each has these in place of one corner.
    fn divided(&mut self, cell: &Cell) -> Result<Vec<Cell>, StopReason> {
        let shares = self.well_inside(cell);
        let n = self.set.n();
        let entry =
            |p: usize| sum(cell.corners.iter().zip(&shares).map(|(&k, share)| &self.corners[k].weights[p] * share));
        let weights: Weights = (0..n).map(entry).collect();
        let middle = self.corner(weights, &cell.ties)?;
        let replaced = (0..shares.len()).filter(|&place| !shares[place].is_zero());
        let part = |place: usize| {
            let mut corners = cell.corners.clone();
            corners[place] = middle;
            self.cell(corners)
        };
        replaced.map(part).collect()
    }

    /// The shares of a cell's corners in the weights at which it is divided. They are simple fractions where the exact ones are long, and the middle of
    /// two corners where the exact ones are next to a corner: parts as thin as that would never end.
    fn well_inside(&self, cell: &Cell) -> Vec<Rational> {
        /// A share of a corner that is next to 1.
        const MOST: f64 = 0.999;
        /// The longest weights that are divided exactly, in bits.
        const LONG: usize = 1_024;
        const PLACES: i64 = 1 << 12;
        let mut order: Vec<usize> = (0..cell.shares.len()).collect();
        order.sort_by(|&a, &b| cell.shares[b].cmp(&cell.shares[a]).then(a.cmp(&b)));
        let mut shares = vec![Rational::ZERO; cell.shares.len()];
        if cell.shares[order[0]].to_f64() > MOST {
            let half = Rational::from_quotient(1, 2);
            (shares[order[0]], shares[order[1]]) = (half.clone(), half);
            return shares;
        }
        let bits = |&k: &usize| self.corners[k].weights.iter().map(Rational::bits).max().unwrap_or(0);
        let longest = cell.corners.iter().map(bits).max().unwrap_or(0);
        if longest + cell.shares.iter().map(Rational::bits).max().unwrap_or(0) <= LONG {
            return cell.shares.clone();
        }
        let places = Rational::from(PLACES);
        let rounded = cell.shares.iter().map(|share| (share * &places).floor() / &places);
        shares = rounded.collect();
        let rest = Rational::ONE - sum(shares.iter().cloned());
        shares[order[0]] += rest;
        shares
    }
}

/// The number itself, or the least above it with few bits.
fn short_above(number: Rational) -> Rational {
    const BITS: usize = 96;
    if number.bits() <= 2 * BITS { number } else { -rounded_down(&-number, BITS as isize) }
}
