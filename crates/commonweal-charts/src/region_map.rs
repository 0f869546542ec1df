//! Maps: regions of a rectangle in shades, boundaries over them, names inside where they fit and all of them beside it.

use super::axis::{Ruler, has_place};
use super::chart::{Axis, Frame, Mark, Series, described, left_out};
use super::drawing::{Drawing, LEADING, MARGIN, SIZE, WIDTH, polyline};
use super::picture::{Anchor, Picture};
use super::text::{width, wrapped};

/// Both sides of the map, nearly: it is a square but for the labels of its vertical axis.
const SIDE: f64 = 410.0;
const SWATCH: f64 = 14.0;
/// The most regions that are listed beside the map.
const LISTED: usize = 24;
/// The lightness of the palest and of the darkest region: the order is visible in greyscale too.
const LIGHTNESS: (f64, f64) = (0.93, 0.38);
/// The preferred difference in lightness of neighbours.
const STEP: f64 = 0.07;
/// The change of hue in degrees from one region to the next, so that neighbours in the order differ clearly.
const TURN: f64 = 80.0;
/// The hue of the first region, in degrees; and how colourful all are.
const HUE: f64 = 95.0;
const CHROMA: f64 = 0.1;
/// The colour of the rest.
const GREY: [f64; 3] = [128.0, 134.0, 140.0];

/// A part of the plane.
#[derive(Debug, Clone)]
pub struct Region {
    /// The name, inside the region where it fits and beside the map.
    pub name: String,
    /// The description after the name in the list; may be empty.
    pub words: String,
    /// Closed polygons of points (x, y), even-odd.
    pub outline: Vec<Vec<(f64, f64)>>,
    /// Whether it contains all regions that are not named: grey, in place of a colour.
    pub is_rest: bool,
}

impl Region {
    /// The name and its description.
    fn told(&self) -> String {
        let parts = [self.name.trim(), self.words.trim()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    }
}

/// Regions of a rectangle, with curves and named points over them.
#[derive(Debug, Clone)]
pub struct RegionMap {
    /// The line above the map.
    pub title: String,
    /// A sentence or two below the map.
    pub caption: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The least and the greatest x, the least and the greatest y.
    pub range: [(f64, f64); 2],
    /// The regions in the order of their shades, from pale to dark.
    pub regions: Vec<Region>,
    /// Lines over the regions; a curve without a name is a boundary.
    pub curves: Vec<Series>,
    /// Points (x, y), each with its name.
    pub marks: Vec<(f64, f64, String)>,
}

impl RegionMap {
    /// The map as one `<svg>` element. Points of curves that have no place on the axes are left out, and the caption says so.
    pub fn svg(&self) -> String {
        self.picture().svg()
    }

    /// The same, to be written as SVG, PNG or PDF.
    pub fn picture(&self) -> Picture {
        let mut drawing = Drawing::titled(&self.title);
        let rulers = (Ruler::between(self.x.scale, self.range[0]), Ruler::between(self.y.scale, self.range[1]));
        let frame = Frame::below(&mut drawing, &self.x, &self.y, rulers, MARGIN + 60.0 + SIDE, SIDE);
        let below_axis = drawing.y;
        let size = (frame.right - frame.left, frame.bottom - frame.top);
        drawing.clip((frame.left, frame.top), size);
        let coloured = self.regions.iter().filter(|region| !region.is_rest).count();
        let mut colours = (0..coloured).map(|index| shade(index, coloured));
        let mut shade_of = |region: &Region| if region.is_rest { GREY } else { colours.next().expect("one for each") };
        let shades: Vec<[f64; 3]> = self.regions.iter().map(&mut shade_of).collect();
        for (region, shade) in self.regions.iter().zip(&shades) {
            let path: String = placed(region, &frame).into_iter().map(|ring| polyline(ring) + "Z").collect();
            if !path.is_empty() {
                drawing.filled_path(&colour(*shade), &path);
            }
        }
        for curve in &self.curves {
            draw_curve(&mut drawing, curve, |point| frame.place(point));
        }
        drawing.close();
        let named = self.curves.iter().filter(|curve| !curve.name.trim().is_empty());
        let obstacles: Vec<Edge> = named
            .flat_map(|curve| curve.points.windows(2))
            .filter_map(|pair| Some([frame.place(pair[0])?, frame.place(pair[1])?]))
            .collect();
        for (region, shade) in self.regions.iter().zip(&shades) {
            if let Some(place) = inside(region, &obstacles, &frame) {
                drawing.text_over(ink_on(*shade), place, region.name.trim());
            }
        }
        self.draw_marks(&mut drawing, &frame);
        frame.draw_axes(&mut drawing);
        let below_list = self.draw_list(&mut drawing, &shades, (frame.right + 24.0, frame.top));
        drawing.y = below_axis.max(below_list + 8.0);
        let on_axes = |&(x, y): &(f64, f64)| has_place(self.x.scale, x) && has_place(self.y.scale, y);
        let outlines = self.regions.iter().flat_map(|region| region.outline.iter().flatten());
        let points = outlines.chain(self.curves.iter().flat_map(|curve| &curve.points));
        let marks = self.marks.iter().filter(|(x, y, _)| !on_axes(&(*x, *y))).count();
        let unplaced = points.filter(|point| !on_axes(point)).count() + marks;
        let notes = [self.caption.clone(), left_out(unplaced)];
        let caption = notes.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let names: Vec<String> = self.regions.iter().map(Region::told).collect();
        let axes = [described("Horizontal", &self.x), described("Vertical", &self.y)].join(" ");
        drawing.finish(&self.title, format!("{axes} Regions: {}. {caption}", names.join("; ")).trim_end(), &caption)
    }

    fn draw_marks(&self, drawing: &mut Drawing, frame: &Frame) {
        for (x, y, name) in &self.marks {
            let Some((x, y)) = frame.place((*x, *y)) else { continue };
            drawing.path("dot", &super::legend::symbol(0, (x, y)));
            let right = x + 8.0 + width(name, SIZE) <= frame.right;
            let (at, anchor) = if right { (x + 8.0, Anchor::Start) } else { (x - 8.0, Anchor::End) };
            drawing.text_with_halo((at, y + 0.36 * SIZE), anchor, name);
        }
    }

    /// The regions by name beside the map, and the curves that have one. Returns where the list ends.
    fn draw_list(&self, drawing: &mut Drawing, shades: &[[f64; 3]], (left, top): (f64, f64)) -> f64 {
        let room = WIDTH - MARGIN - left - SWATCH - 8.0;
        let mut y = top;
        let mut entry = |drawing: &mut Drawing, name: &str| -> f64 {
            let at = y;
            for line in wrapped(name, SIZE, room) {
                drawing.text("ink", (left + SWATCH + 8.0, y + SIZE - 1.0), Anchor::Start, &line);
                y += SIZE * LEADING;
            }
            y = y.max(at + SIZE * LEADING) + 3.0;
            at
        };
        for (region, shade) in self.regions.iter().zip(shades).take(LISTED) {
            let at = entry(drawing, &region.told());
            drawing.filled_rectangle(&colour(*shade), (left, at), (SWATCH, SIZE));
        }
        if self.regions.len() > LISTED {
            entry(drawing, &format!("… and {} more", self.regions.len() - LISTED));
        }
        for curve in self.curves.iter().filter(|curve| !curve.name.trim().is_empty()) {
            let at = entry(drawing, &curve.name);
            let sample = Series {
                name: curve.name.clone(),
                colour: curve.colour,
                points: vec![(left, at + SIZE / 2.0), (left + SWATCH, at + SIZE / 2.0)],
                mark: curve.mark,
            };
            draw_curve(drawing, &sample, Some);
        }
        y
    }
}

fn draw_curve(drawing: &mut Drawing, curve: &Series, place: impl Fn((f64, f64)) -> Option<(f64, f64)>) {
    let class = if curve.name.trim().is_empty() { "edge" } else { "curve" };
    for piece in curve.points.split(|&point| place(point).is_none()).filter(|piece| piece.len() > 1) {
        let path = polyline(piece.iter().filter_map(|&point| place(point)));
        if class == "curve" {
            drawing.path("under", &path);
        }
        if curve.mark == Mark::Dashed {
            drawing.dashed_path(class, &path, (5, 4));
        } else {
            drawing.path(class, &path);
        }
    }
}

fn placed(region: &Region, frame: &Frame) -> Vec<Vec<(f64, f64)>> {
    let ring = |ring: &Vec<(f64, f64)>| ring.iter().filter_map(|&point| frame.place(point)).collect::<Vec<_>>();
    region.outline.iter().map(ring).filter(|ring| ring.len() > 2).collect()
}

type Edge = [(f64, f64); 2];

/// Where in a region its name fits, the further from its outline and from the obstacles the better; `None` if it fits
/// nowhere.
fn inside(region: &Region, obstacles: &[Edge], frame: &Frame) -> Option<(f64, f64)> {
    const GRID: usize = 40;
    let name = region.name.trim();
    let (half_width, half_height) = (width(name, SIZE) / 2.0 + 4.0, SIZE * 0.5 + 4.0);
    let rings = placed(region, frame);
    let edges: Vec<Edge> =
        rings.iter().flat_map(|ring| (0..ring.len()).map(|at| [ring[at], ring[(at + 1) % ring.len()]])).collect();
    let mut best: Option<(f64, (f64, f64))> = None;
    for row in 1..GRID {
        for column in 1..GRID {
            let share = |at: usize| at as f64 / GRID as f64;
            let x = frame.left + share(column) * (frame.right - frame.left);
            let y = frame.top + share(row) * (frame.bottom - frame.top);
            let in_frame = x - half_width >= frame.left
                && x + half_width <= frame.right
                && y - half_height >= frame.top
                && y + half_height <= frame.bottom;
            if !in_frame || !contains(&edges, (x, y)) {
                continue;
            }
            // How far the outline is, measured in halves of the name's box: below 1 it runs through the box.
            let most = best.map_or(1.0, |(most, _)| most);
            let clearance = |clear: f64, edge: &Edge| {
                let scaled = edge.map(|(u, v)| ((u - x) / half_width, (v - y) / half_height));
                let clear = clear.min(chebyshev_to_origin(scaled, clear));
                (clear > most).then_some(clear)
            };
            if let Some(clear) = edges.iter().chain(obstacles).try_fold(f64::INFINITY, clearance) {
                best = Some((clear, (x, y + 0.36 * SIZE)));
            }
        }
    }
    best.filter(|_| !name.is_empty()).map(|(_, place)| place)
}

/// Whether a point lies inside an odd number of the rings that these edges make.
fn contains(edges: &[Edge], (x, y): (f64, f64)) -> bool {
    let crosses = |[(x0, y0), (x1, y1)]: &Edge| (*y0 > y) != (*y1 > y) && x < x0 + (y - y0) / (y1 - y0) * (x1 - x0);
    edges.iter().filter(|edge| crosses(edge)).count() % 2 == 1
}

/// The least of `max(|x|, |y|)` over an edge, or some number above `limit` if it is: along the edge this is convex, so
/// thirds close in on it.
fn chebyshev_to_origin([(x0, y0), (x1, y1)]: Edge, limit: f64) -> f64 {
    let nearest = |a: f64, b: f64| if a.signum() == b.signum() { a.abs().min(b.abs()) } else { 0.0 };
    let at_least = nearest(x0, x1).max(nearest(y0, y1));
    if at_least > limit {
        return at_least;
    }
    let at = |t: f64| (x0 + t * (x1 - x0)).abs().max((y0 + t * (y1 - y0)).abs());
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..24 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(left) < at(right) { high = right } else { low = left }
    }
    at((low + high) / 2.0)
}

/// The shade of a region among `count` regions: darker and darker, and each of another hue than those before it. Few regions keep
/// to the paler end.
fn shade(index: usize, count: usize) -> [f64; 3] {
    let step = STEP.min((LIGHTNESS.0 - LIGHTNESS.1) / (count.max(2) - 1) as f64);
    let hue = (HUE + TURN * index as f64).to_radians();
    srgb([LIGHTNESS.0 - step * index as f64, CHROMA * hue.cos(), CHROMA * hue.sin()])
}

/// A colour of the Oklab space, in which distances are those that people see, as red, green and blue from 0 to 255.
fn srgb([lightness, a, b]: [f64; 3]) -> [f64; 3] {
    let long = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let medium = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let linear = [
        4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
    ];
    linear.map(|light| {
        let light = light.clamp(0.0, 1.0);
        255.0 * if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
    })
}

fn colour(shade: [f64; 3]) -> String {
    let [red, green, blue] = shade.map(|channel| channel.round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour of text that can be read on a shade.
fn ink_on([red, green, blue]: [f64; 3]) -> &'static str {
    let luminance = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255.0;
    if luminance > 0.5 { "#16191d" } else { "#ffffff" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way back from red, green and blue to Oklab, by the published matrices.
    fn oklab(rgb: [f64; 3]) -> [f64; 3] {
        let [r, g, b] = rgb.map(|channel| {
            let c = channel.round() / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let long = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let medium = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let short = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        [
            0.210_454_255_3 * long + 0.793_617_785_0 * medium - 0.004_072_046_8 * short,
            1.977_998_495_1 * long - 2.428_592_205_0 * medium + 0.450_593_709_9 * short,
            0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766_0 * short,
        ]
    }

    #[test]
    fn regions_of_a_map_are_told_apart_and_their_order_without_colours_too() {
        for count in 1..=LISTED {
            let shades: Vec<[f64; 3]> = (0..count).map(|index| oklab(shade(index, count))).collect();
            assert!(shades.windows(2).all(|pair| pair[0][0] > pair[1][0]), "{count}: darker and darker");
            for (at, one) in shades.iter().enumerate() {
                for other in shades.iter().skip(at + 1).take(if count <= 10 { count } else { 3 }).chain([&oklab(GREY)])
                {
                    let squares: f64 = one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum();
                    assert!(squares.sqrt() > 0.07, "{count}: {one:?} {other:?}");
                }
            }
        }
    }
}
