//! Regions of a rectangle by label, with boundaries that are located to the unit.
//!
//! The rectangle is divided into cells. Along every edge of a cell whose ends have different labels, bisection finds where the
//! labels change ([`changes`]). Inside a cell, changes between the same two labels are joined by chords, so that a boundary is a
//! chain of chords between located points. A cell is divided into four if chords would have to cross, or if a strip between two
//! chords has another label in its middle than at its ends: there boundaries meet. After `depth` divisions, the remaining
//! crossings are joined in the middle of the cell. A region that touches no edge with different ends is not found.
//!
//! Cost: one label for each corner, and log₂ of the edge's units for each change.

use super::Label;
use super::line::{Bracket, LabelChange, changes};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// A place in units from the lower left corner.
pub type Spot = (u64, u64);

/// The resolution.
#[derive(Debug, Clone, Copy)]
pub struct PlaneOptions {
    /// The cells in a row and in a column, before any is divided.
    pub cells: u64,
    /// The units along an edge of such a cell; a power of two.
    pub units: u64,
    /// How often a cell is divided into four at most.
    pub depth: u32,
    /// Strips that an edge crosses in fewer units than this are not separated.
    pub thin: u64,
    /// The distance between the two sides of a located change, in units.
    pub within: u64,
}

/// The regions of a rectangle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plane {
    /// Per label, closed polygons that bound its region, even-odd.
    pub outlines: BTreeMap<Label, Vec<Vec<Spot>>>,
    /// Chains of points on the boundary between two labels.
    pub boundaries: Vec<([Label; 2], Vec<Spot>)>,
    /// Every change that was located on an edge: the place just before it, the place just after, and the change.
    pub located: Vec<(Spot, Spot, LabelChange)>,
    /// Cells in which boundaries meet that were left as they are: the lower left corner and the length of a side.
    pub coarse: Vec<(Spot, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    corner: Spot,
    size: u64,
}

/// A straight line of edges: all that have the same y (`across`), or the same x.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Line {
    across: bool,
    at: u64,
}

impl Line {
    fn spot(self, along: u64) -> Spot {
        if self.across { (along, self.at) } else { (self.at, along) }
    }
}

/// What is known of the labels along the lines.
struct Atlas<L, M> {
    labels: L,
    may: M,
    options: PlaneOptions,
    nodes: HashMap<Spot, Label>,
    /// The nodes along each line.
    lines: BTreeMap<Line, BTreeSet<u64>>,
    /// The changes on the edge that begins at a node of a line, with the node at which it ends.
    edges: HashMap<(Line, u64), (u64, Vec<LabelChange>)>,
}

/// What makes a plane finer, and takes labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finer {
    /// A cell is cut into four.
    Cut,
    /// A change is located twice as precisely.
    Halve,
}

/// The regions by label, where `labels` tells the labels of any places.
/// Cells are cut and changes located as long as `may` allows it; the plane says which cells it did not cut.
pub fn plane(options: PlaneOptions, labels: impl FnMut(&[Spot]) -> Vec<Label>, may: impl Fn(Finer) -> bool) -> Plane {
    let (nodes, lines, edges) = (HashMap::new(), BTreeMap::new(), HashMap::new());
    let mut atlas = Atlas { labels, may, options, nodes, lines, edges };
    let each = |index: u64| index * options.units;
    let mut cells: Vec<Cell> = (0..options.cells)
        .flat_map(|row| {
            (0..options.cells).map(move |column| Cell { corner: (each(column), each(row)), size: options.units })
        })
        .collect();
    loop {
        atlas.visit(&cells);
        let cut = atlas.cells_to_cut(&cells);
        if cut.is_empty() || !(atlas.may)(Finer::Cut) {
            let coarse = cut.iter().map(|cell| (cell.corner, cell.size)).collect();
            return Plane { coarse, ..atlas.assemble(&cells) };
        }
        cells =
            cells.into_iter().flat_map(|cell| if cut.contains(&cell) { cell.quarters() } else { vec![cell] }).collect();
    }
}

impl Plane {
    /// The label of the polygons that hold a place. On a side, that of the polygon above it or to the right.
    pub fn label_at(&self, (x, y): Spot) -> Label {
        // The crossings of the ray to the right, exactly: units have up to 50 bits.
        let is_crossed = |&((x0, y0), (x1, y1)): &(Spot, Spot)| {
            let [x0, y0, x1, y1, x, y] = [x0, y0, x1, y1, x, y].map(i128::from);
            let turn = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0);
            (y0 <= y) != (y1 <= y) && if y1 > y0 { turn > 0 } else { turn < 0 }
        };
        let holds = |rings: &Vec<Vec<Spot>>| {
            let sides = rings.iter().flat_map(|ring| (0..ring.len()).map(|at| (ring[at], ring[(at + 1) % ring.len()])));
            !sides.filter(is_crossed).count().is_multiple_of(2)
        };
        self.outlines.iter().find(|(_, rings)| holds(rings)).and_then(|(label, _)| *label)
    }
}

impl Cell {
    fn quarters(self) -> Vec<Cell> {
        let size = self.size / 2;
        let (x, y) = self.corner;
        [(x, y), (x + size, y), (x, y + size), (x + size, y + size)].map(|corner| Cell { corner, size }).to_vec()
    }

    fn corners(self) -> [Spot; 4] {
        let ((x, y), size) = (self.corner, self.size);
        [(x, y), (x + size, y), (x + size, y + size), (x, y + size)]
    }

    /// The sides in counter-clockwise order: the line, the part of it, and whether it is walked backwards.
    fn sides(self) -> [(Line, Range<u64>, bool); 4] {
        let ((x, y), size) = (self.corner, self.size);
        let line = |across, at| Line { across, at };
        [
            (line(true, y), x..x + size, false),
            (line(false, x + size), y..y + size, false),
            (line(true, y + size), x..x + size, true),
            (line(false, x), y..y + size, true),
        ]
    }
}

/// A change on the perimeter of a cell.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    /// Its place among the vertices of the cell.
    vertex: usize,
    before: Label,
    after: Label,
}

/// The perimeter of a cell, counter-clockwise.
struct Perimeter {
    vertices: Vec<Spot>,
    crossings: Vec<Crossing>,
    /// The label at the first vertex.
    first: Label,
}

impl<L: FnMut(&[Spot]) -> Vec<Label>, M: Fn(Finer) -> bool> Atlas<L, M> {
    /// Computes the labels of all corners, and the changes on all edges between neighbouring nodes.
    fn visit(&mut self, cells: &[Cell]) {
        let new: BTreeSet<Spot> =
            cells.iter().flat_map(|cell| cell.corners()).filter(|spot| !self.nodes.contains_key(spot)).collect();
        let new: Vec<Spot> = new.into_iter().collect();
        let labels = (self.labels)(&new);
        for (&(x, y), label) in new.iter().zip(labels) {
            self.nodes.insert((x, y), label);
            self.lines.entry(Line { across: true, at: y }).or_default().insert(x);
            self.lines.entry(Line { across: false, at: x }).or_default().insert(y);
        }
        let mut open: BTreeMap<(Line, u64), u64> = BTreeMap::new();
        for (line, range, _) in cells.iter().flat_map(|cell| cell.sides()) {
            for (from, to) in self.edges_of(line, &range) {
                if self.edges.get(&(line, from)).is_none_or(|(end, _)| *end != to) {
                    open.insert((line, from), to);
                }
            }
        }
        let places: Vec<(Line, u64, u64)> = open.iter().map(|(&(line, from), &to)| (line, from, to)).collect();
        let brackets: Vec<Bracket> = places
            .iter()
            .enumerate()
            .map(|(index, &(line, from, to))| Bracket {
                line: index,
                ends: [from, to],
                labels: [self.nodes[&line.spot(from)], self.nodes[&line.spot(to)]],
            })
            .collect();
        let PlaneOptions { thin, within, .. } = self.options;
        let Atlas { labels, may, .. } = self;
        let found = changes(
            &brackets,
            thin,
            within,
            || may(Finer::Halve),
            |middles| {
                let spots: Vec<Spot> = middles.iter().map(|&(index, along)| places[index].0.spot(along)).collect();
                labels(&spots)
            },
        );
        for (&(line, from, to), found) in places.iter().zip(found) {
            self.edges.insert((line, from), (to, without_thin(found, thin)));
        }
    }

    /// The edges between neighbouring nodes on part of a line.
    fn edges_of(&self, line: Line, range: &Range<u64>) -> Vec<(u64, u64)> {
        let nodes: Vec<u64> = self.lines[&line].range(range.start..=range.end).copied().collect();
        nodes.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    fn perimeter(&self, cell: Cell) -> Perimeter {
        let mut perimeter = Perimeter { vertices: Vec::new(), crossings: Vec::new(), first: self.nodes[&cell.corner] };
        for (line, range, backwards) in cell.sides() {
            let mut edges = self.edges_of(line, &range);
            if backwards {
                edges.reverse();
            }
            for (from, to) in edges {
                perimeter.vertices.push(line.spot(if backwards { to } else { from }));
                let changes = &self.edges[&(line, from)].1;
                let mut crossing = |change: &LabelChange| {
                    let (before, after) =
                        if backwards { (change.after, change.before) } else { (change.before, change.after) };
                    perimeter.crossings.push(Crossing { vertex: perimeter.vertices.len(), before, after });
                    perimeter.vertices.push(line.spot(change.low));
                };
                if backwards {
                    changes.iter().rev().for_each(&mut crossing)
                } else {
                    changes.iter().for_each(&mut crossing)
                }
            }
        }
        perimeter
    }

    /// The cells in which chords do not fit, as long as they may be divided.
    fn cells_to_cut(&mut self, cells: &[Cell]) -> BTreeSet<Cell> {
        let least = self.options.units >> self.options.depth;
        let mut cut = BTreeSet::new();
        let (mut strips, mut middles) = (Vec::new(), Vec::new());
        for &cell in cells.iter().filter(|cell| cell.size > least) {
            let perimeter = self.perimeter(cell);
            let partners = partners(&perimeter.crossings);
            if partners.iter().any(Option::is_none) {
                cut.insert(cell);
                continue;
            }
            for (label, middle) in perimeter.strips(&partners) {
                strips.push((cell, label));
                middles.push(middle);
            }
        }
        let labels = (self.labels)(&middles);
        cut.extend(
            strips.iter().zip(labels).filter(|((_, expected), label)| expected != label).map(|((cell, _), _)| *cell),
        );
        cut
    }

    fn assemble(&self, cells: &[Cell]) -> Plane {
        let mut sides: BTreeMap<Label, BTreeSet<(Spot, Spot)>> = BTreeMap::new();
        let mut chords: BTreeMap<[Label; 2], Vec<(Spot, Spot)>> = BTreeMap::new();
        for &cell in cells {
            let perimeter = self.perimeter(cell);
            let partners = partners(&perimeter.crossings);
            for (label, face) in perimeter.faces(&partners) {
                let own = sides.entry(label).or_default();
                for (at, &from) in face.iter().enumerate() {
                    let to = face[(at + 1) % face.len()];
                    // A side shared by two faces lies inside the region.
                    if from != to && !own.remove(&(to, from)) {
                        own.insert((from, to));
                    }
                }
            }
            for (pair, chord) in perimeter.chords(&partners) {
                chords.entry(pair).or_default().push(chord);
            }
        }
        let mut edges: Vec<_> =
            self.edges.iter().filter(|((line, from), (to, _))| self.is_edge(*line, *from, *to)).collect();
        edges.sort_by_key(|(key, _)| **key);
        let located = edges.into_iter().flat_map(|((line, _), (_, changes))| {
            changes.iter().map(|change| (line.spot(change.low), line.spot(change.high), *change))
        });
        Plane {
            outlines: sides.into_iter().map(|(label, sides)| (label, rings(sides))).collect(),
            boundaries: chords
                .into_iter()
                .flat_map(|(pair, chords)| chains(&chords).into_iter().map(move |chain| (pair, chain)))
                .collect(),
            located: located.collect(),
            coarse: Vec::new(),
        }
    }

    /// Whether there is no node between the ends of an edge: an edge that was divided has been replaced.
    fn is_edge(&self, line: Line, from: u64, to: u64) -> bool {
        self.lines[&line].range(from + 1..to).next().is_none()
    }
}

/// The changes without those that enclose a strip thinner than `least`.
fn without_thin(changes: Vec<LabelChange>, least: u64) -> Vec<LabelChange> {
    let mut kept: Vec<LabelChange> = Vec::new();
    for change in changes {
        match kept.last_mut() {
            Some(last) if change.low - last.low < least => {
                last.after = change.after;
                last.crowded = true;
            }
            _ => kept.push(change),
        }
    }
    kept.retain(|change| change.before != change.after);
    kept
}

/// For each crossing the one that a chord joins it to: the nearest one on the perimeter that reverses it. `None` if chords would
/// cross.
fn partners(crossings: &[Crossing]) -> Vec<Option<usize>> {
    let mut partners = vec![None; crossings.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, crossing) in crossings.iter().enumerate() {
        match open.last() {
            Some(&last) if crossings[last].before == crossing.after && crossings[last].after == crossing.before => {
                partners[last] = Some(at);
                partners[at] = Some(last);
                open.pop();
            }
            _ => open.push(at),
        }
    }
    // The perimeter is cyclic: the remaining crossings may pair across its first vertex.
    while let (Some(&first), Some(&last)) = (open.first(), open.last()) {
        let (a, b) = (&crossings[first], &crossings[last]);
        if first == last || a.before != b.after || a.after != b.before {
            break;
        }
        partners[first] = Some(last);
        partners[last] = Some(first);
        open.pop();
        open.remove(0);
    }
    partners
}

impl Perimeter {
    /// The faces into which chords divide the cell, each with its label and its vertices counter-clockwise.
    fn faces(&self, partners: &[Option<usize>]) -> Vec<(Label, Vec<Spot>)> {
        let n = self.crossings.len();
        if n == 0 {
            return vec![(self.first, self.vertices.clone())];
        }
        let unjoined: Vec<usize> = (0..n).filter(|&at| partners[at].is_none()).collect();
        let middle = self.middle(&unjoined);
        // The crossing at which a face continues after one of its arcs.
        let next = |at: usize| match partners[at] {
            Some(partner) => partner,
            None => {
                let place = unjoined.iter().position(|&other| other == at).expect("an unjoined crossing");
                unjoined[(place + unjoined.len() - 1) % unjoined.len()]
            }
        };
        let mut done = vec![false; n];
        let mut faces = Vec::new();
        for start in 0..n {
            if done[start] {
                continue;
            }
            // The arc that follows crossing `at`.
            let (mut at, mut face) = (start, Vec::new());
            while !done[at] {
                done[at] = true;
                let end = (at + 1) % n;
                let (from, to) = (self.crossings[at].vertex, self.crossings[end].vertex);
                let length = (to + self.vertices.len() - from) % self.vertices.len();
                let length = if length == 0 { self.vertices.len() } else { length };
                face.extend((0..=length).map(|offset| self.vertices[(from + offset) % self.vertices.len()]));
                if partners[end].is_none() {
                    face.push(middle);
                }
                at = next(end);
            }
            faces.push((self.crossings[start].after, face));
        }
        faces
    }

    fn middle(&self, crossings: &[usize]) -> Spot {
        let count = crossings.len().max(1) as u64;
        let spots = || crossings.iter().map(|&at| self.vertices[self.crossings[at].vertex]);
        (spots().map(|(x, _)| x / count).sum(), spots().map(|(_, y)| y / count).sum())
    }

    /// The strips between two chords: their label, and the middle of their four ends.
    fn strips(&self, partners: &[Option<usize>]) -> Vec<(Label, Spot)> {
        let n = self.crossings.len();
        let mut strips = Vec::new();
        for at in 0..n {
            // From a crossing to the next, over by its chord, and back: a strip has two arcs.
            let next = (at + 1) % n;
            let (Some(over), Some(back)) = (partners[next], partners[at]) else { continue };
            if (over + 1) % n == back && over != at && at < over {
                strips.push((self.crossings[at].after, self.middle(&[at, next, over, back])));
            }
        }
        strips
    }

    fn chords(&self, partners: &[Option<usize>]) -> Vec<([Label; 2], (Spot, Spot))> {
        let unjoined: Vec<usize> = (0..partners.len()).filter(|&at| partners[at].is_none()).collect();
        let middle = self.middle(&unjoined);
        let spot = |at: usize| self.vertices[self.crossings[at].vertex];
        let pair = |at: usize| {
            let Crossing { before, after, .. } = self.crossings[at];
            [before.min(after), before.max(after)]
        };
        let joined = partners
            .iter()
            .enumerate()
            .filter_map(|(at, partner)| partner.filter(|&other| at < other).map(|other| (at, other)));
        let chords = joined.map(|(at, other)| (pair(at), (spot(at), spot(other))));
        chords.chain(unjoined.iter().map(|&at| (pair(at), (spot(at), middle)))).collect()
    }
}

/// Closed polygons from directed sides, without the vertices on straight lines.
fn rings(sides: BTreeSet<(Spot, Spot)>) -> Vec<Vec<Spot>> {
    let mut sides = sides;
    let mut rings = Vec::new();
    while let Some(&(start, mut to)) = sides.first() {
        sides.remove(&(start, to));
        let mut ring = vec![start];
        while to != start {
            ring.push(to);
            let Some(&side) = sides.range((to, (0, 0))..=(to, (u64::MAX, u64::MAX))).next() else { break };
            sides.remove(&side);
            to = side.1;
        }
        rings.push(straightened(&ring));
    }
    rings.retain(|ring| ring.len() > 2);
    rings
}

fn straightened(ring: &[Spot]) -> Vec<Spot> {
    let n = ring.len();
    let needed = |at: &usize| {
        let (before, here, after) = (ring[(at + n - 1) % n], ring[*at], ring[(at + 1) % n]);
        !((before.0 == here.0 && here.0 == after.0) || (before.1 == here.1 && here.1 == after.1))
    };
    (0..n).filter(needed).map(|at| ring[at]).collect()
}

/// Chains of segments that share their ends.
fn chains(segments: &[(Spot, Spot)]) -> Vec<Vec<Spot>> {
    let mut at: BTreeMap<Spot, Vec<usize>> = BTreeMap::new();
    for (index, &(from, to)) in segments.iter().enumerate() {
        at.entry(from).or_default().push(index);
        at.entry(to).or_default().push(index);
    }
    let mut used = vec![false; segments.len()];
    let mut chains = Vec::new();
    // Open chains begin at their ends; the rest are closed.
    let ends = at
        .iter()
        .filter(|(_, here)| here.len() != 2)
        .flat_map(|(spot, here)| here.iter().map(move |&index| (*spot, index)));
    let all = segments.iter().enumerate().map(|(index, &(from, _))| (from, index));
    for (start, first) in ends.chain(all).collect::<Vec<_>>() {
        if used[first] {
            continue;
        }
        let mut chain = vec![start];
        let mut next = Some(first);
        while let Some(index) = next {
            used[index] = true;
            let (from, to) = segments[index];
            let here = if chain.last() == Some(&from) { to } else { from };
            chain.push(here);
            let others = &at[&here];
            next = others.iter().copied().find(|&other| !used[other]).filter(|_| others.len() == 2);
        }
        chains.push(chain);
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: PlaneOptions = PlaneOptions { cells: 8, units: 1 << 20, depth: 5, thin: 1 << 15, within: 1 };

    fn area(rings: &[Vec<Spot>]) -> f64 {
        let twice = |ring: &Vec<Spot>| -> f64 {
            let pairs = (0..ring.len()).map(|at| (ring[at], ring[(at + 1) % ring.len()]));
            pairs.map(|((x0, y0), (x1, y1))| x0 as f64 * y1 as f64 - x1 as f64 * y0 as f64).sum()
        };
        rings.iter().map(twice).sum::<f64>() / 2.0 / (8.0 * OPTIONS.units as f64).powi(2)
    }

    fn share(spot: Spot) -> (f64, f64) {
        let side = (8 * OPTIONS.units) as f64;
        (spot.0 as f64 / side, spot.1 as f64 / side)
    }

    fn of(label: impl Fn(f64, f64) -> usize) -> Plane {
        let label = |spots: &[Spot]| spots.iter().map(|&spot| share(spot)).map(|(x, y)| Some(label(x, y))).collect();
        plane(OPTIONS, label, |_| true)
    }

    #[test]
    fn a_circle_has_its_area_and_its_points_lie_on_it() {
        let plane = of(|x, y| usize::from((x - 0.47).powi(2) + (y - 0.52).powi(2) < 0.11));
        let circle = std::f64::consts::PI * 0.11;
        assert!((area(&plane.outlines[&Some(1)]) - circle).abs() < 0.01, "{}", area(&plane.outlines[&Some(1)]));
        assert!((area(&plane.outlines[&Some(0)]) + area(&plane.outlines[&Some(1)]) - 1.0).abs() < 1e-12);
        for (low, high, _) in &plane.located {
            let radius = |&spot: &Spot| {
                let (x, y) = share(spot);
                (x - 0.47).powi(2) + (y - 0.52).powi(2) < 0.11
            };
            assert_ne!(radius(low), radius(high));
            assert_eq!(low.0.abs_diff(high.0) + low.1.abs_diff(high.1), 1);
        }
        assert_eq!(plane.boundaries.len(), 1, "one closed curve");
    }

    #[test]
    fn regions_fill_the_square_wherever_many_of_them_meet() {
        // Sectors around a point, and stripes that get thinner and thinner.
        let sectors = of(|x, y| ((((y - 0.4142).atan2(x - 0.5772) + 4.0) * 3.0) as usize).min(30));
        let stripes = of(|x, _| (1.0 / (x + 0.01)) as usize);
        for plane in [sectors, stripes] {
            let total: f64 = plane.outlines.values().map(|rings| area(rings)).sum();
            assert!((total - 1.0).abs() < 1e-12, "{total}");
            let least = plane.outlines.values().map(|rings| area(rings)).fold(1.0, f64::min);
            assert!(least >= 0.0, "no region is inside out: {least}");
            assert!(plane.outlines.len() > 10);
            // Every place lies in one polygon.
            for (x, y) in [(1, 1), (4 << 20, 3 << 20), (12_345, 6_789_012), (8_000_000, 77)] {
                let label = plane.label_at((x, y));
                let mut other = plane.clone();
                other.outlines.remove(&label);
                assert_eq!(other.label_at((x, y)), None, "{x}, {y}: {label:?} and another");
                assert!(label.is_some(), "{x}, {y} lies in none");
            }
        }
    }
}
