//! The front of three and more principals, between the points found and the half-spaces that contain the payoff set.
//!
//! For weights w in a cell with corners w_1, …, w_n, the support function is bounded by the corners: h is convex, so
//! `h(Σ a_k w_k) ≤ Σ a_k h(w_k)`. Any point x found attains `w·x`. So inside the cell the set exceeds x by at most
//! `max_k h(w_k) − w_k·x`. Cells are halved along their longest edge until that is below the gap for some x of each.

use super::front::{FrontOptions, Vertex};
use super::payoff_set::{PayoffSet, Point, Weights};
use crate::number::Rational;
use crate::stop::StopReason;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

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

/// A corner of cells: weights, the upper bound of the support function, and the point found.
struct Corner {
    weights: Weights,
    most: Rational,
    point: usize,
}

/// A cell: its corners, and the greatest excess inside.
struct Cell {
    corners: Vec<usize>,
    open: Rational,
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
    vertices: Vec<Vertex>,
}

/// The front of all principals, to a gap.
pub fn hull(set: &PayoffSet, options: &FrontOptions) -> Result<Hull, StopReason> {
    let n = set.n();
    let mut builder = Builder { set, corners: Vec::new(), vertices: Vec::new() };
    let first: Vec<usize> = (0..n).map(|p| builder.corner(set.own_way(p))).collect::<Result<_, _>>()?;
    let mut open = BinaryHeap::from([builder.cell(first)]);
    let scale = builder.vertices.iter().flat_map(|vertex| &vertex.point.payoffs);
    let scale = scale.map(|payoff| payoff.enclosure.midpoint().abs()).fold(0.0, f64::max);
    let allowed = &options.gap * Rational::try_from(scale).unwrap_or(Rational::ZERO);
    let mut stopped = None;
    while let Some(cell) = open.peek().filter(|cell| cell.open > allowed) {
        if builder.vertices.len() >= options.vertex_limit || builder.corners.len() >= 40 * options.vertex_limit {
            stopped = Some(StopReason::NodeLimit);
            break;
        }
        let corners = cell.corners.clone();
        match builder.halves(&corners) {
            Ok(halves) => {
                open.pop();
                open.extend(halves.map(|half| builder.cell(half)));
            }
            Err(reason) => {
                stopped = Some(reason);
                break;
            }
        }
    }
    let gap = open.peek().map_or(Rational::ZERO, |cell| cell.open.clone());
    Ok(Hull { vertices: builder.vertices, reached: gap <= allowed, gap, stopped, calls: set.calls() })
}

impl Builder<'_, '_> {
    /// The corner of these weights, solved for once.
    fn corner(&mut self, weights: Weights) -> Result<usize, StopReason> {
        if let Some(known) = self.corners.iter().position(|corner| corner.weights == weights) {
            return Ok(known);
        }
        let best = self.set.best(&weights)?;
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
        self.corners.push(Corner { weights, most: best.most, point });
        Ok(self.corners.len() - 1)
    }

    fn cell(&self, corners: Vec<usize>) -> Cell {
        let beyond = |point: usize| {
            let open = |&k: &usize| &self.corners[k].most - self.vertices[point].point.least(&self.corners[k].weights);
            corners.iter().map(open).fold(Rational::ZERO, Rational::max)
        };
        let open = corners.iter().map(|&k| beyond(self.corners[k].point)).min().expect("a cell has corners");
        Cell { corners, open }
    }

    /// The two halves of a cell, cut in the middle of its longest edge.
    fn halves(&mut self, corners: &[usize]) -> Result<[Vec<usize>; 2], StopReason> {
        let length = |a: usize, b: usize| {
            let sides = self.corners[a].weights.iter().zip(&self.corners[b].weights);
            sides.fold(Rational::ZERO, |sum, (a, b)| sum + (a - b).abs())
        };
        let mut longest = (0, 1, Rational::ZERO);
        for i in 0..corners.len() {
            for j in i + 1..corners.len() {
                let own = length(corners[i], corners[j]);
                if own > longest.2 {
                    longest = (i, j, own);
                }
            }
        }
        let (i, j, _) = longest;
        let ends = self.corners[corners[i]].weights.iter().zip(&self.corners[corners[j]].weights);
        let middle = ends.map(|(a, b)| (a + b) * Rational::from_quotient(1, 2)).collect();
        let middle = self.corner(middle)?;
        let half = |replaced: usize| {
            let mut half = corners.to_vec();
            half[replaced] = middle;
            half
        };
        Ok([half(i), half(j)])
    }
}
