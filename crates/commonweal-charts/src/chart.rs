//! Charts: series over two axes.

use super::axis::{Ruler, Ticks, has_place};
use super::drawing::{Drawing, LEADING, MARGIN, SIZE, WIDTH, polyline};
use super::legend;
use super::picture::{Anchor, Picture};
use super::text::{width, wrapped};

const HEIGHT: f64 = 320.0;
/// A tick, and the space between it and its label.
pub(super) const TICK: f64 = 5.0;

/// How numbers are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart; only positive numbers have a place.
    Log,
}

/// What an axis shows, and how.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The quantity, with its unit if it has one.
    pub label: String,
    /// How its numbers are spread.
    pub scale: Scale,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// A symbol at each point.
    Points,
    /// A line, and a symbol at each point.
    LineAndPoints,
    /// A dashed line through the points.
    Dashed,
}

/// Points that belong together.
#[derive(Debug, Clone)]
pub struct Series {
    /// The name in the legend; a series without a name is not in the legend.
    pub name: String,
    /// Which of the colours, and which symbol: series with the same number have the same, in one chart and in several.
    pub colour: usize,
    /// Each point as (x, y), in the order of the line. A point that is NaN in both interrupts the line: [`BREAK`].
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub mark: Mark,
}

/// A gap (NaN): the line of a series ends before it and begins again after it.
pub const BREAK: (f64, f64) = (f64::NAN, f64::NAN);

pub(super) fn is_break((x, y): (f64, f64)) -> bool {
    x.is_nan() && y.is_nan()
}

/// A chart of series over two axes, whose ranges are those of the data.
#[derive(Debug, Clone)]
pub struct Chart {
    /// The line above the chart.
    pub title: String,
    /// A sentence or two below the chart.
    pub caption: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, the last on top.
    pub series: Vec<Series>,
    /// Numbers on the horizontal axis that a line across the chart marks, each with its name.
    pub marks: Vec<(f64, String)>,
}

impl Chart {
    /// The chart as one `<svg>` element. Points that have no place on the axes are left out, and the caption says so.
    pub fn svg(&self) -> String {
        self.picture().svg()
    }

    /// The same, to be written as SVG, PNG or PDF.
    pub fn picture(&self) -> Picture {
        let has_place = |&(x, y): &(f64, f64)| has_place(self.x.scale, x) && has_place(self.y.scale, y);
        let all = || self.series.iter().flat_map(|series| &series.points).copied();
        let placed = || all().filter(has_place);
        let x_ruler = Ruler::over(self.x.scale, placed().map(|(x, _)| x).chain(self.marks.iter().map(|(x, _)| *x)));
        let y_ruler = Ruler::over(self.y.scale, placed().map(|(_, y)| y));
        let mut drawing = Drawing::titled(&self.title);
        legend::draw(&mut drawing, &self.series);
        let frame = Frame::below(&mut drawing, &self.x, &self.y, (x_ruler, y_ruler), WIDTH - MARGIN, HEIGHT);
        frame.draw_grid(&mut drawing);
        for series in &self.series {
            drawing.open_series(series.colour);
            draw_series(&mut drawing, &frame, series);
            drawing.close();
        }
        self.draw_marks(&mut drawing, &frame);
        frame.draw_axes(&mut drawing);
        let unplaced = all().filter(|&point| !has_place(&point) && !is_break(point)).count();
        let notes = [self.caption.clone(), left_out(unplaced)];
        let caption = notes.into_iter().flatten().collect::<Vec<_>>().join(" ");
        drawing.finish(&self.title, &self.description(&caption), &caption)
    }

    fn draw_marks(&self, drawing: &mut Drawing, frame: &Frame) {
        for (x, name) in &self.marks {
            let Some(x) = frame.x_at(*x) else { continue };
            drawing.dashed_path("axis", &polyline([(x, frame.top), (x, frame.bottom)]), (3, 3));
            let right = x + 6.0 + width(name, SIZE) <= frame.right;
            let (at, anchor) = if right { (x + 6.0, Anchor::Start) } else { (x - 6.0, Anchor::End) };
            drawing.text_with_halo((at, frame.top + SIZE), anchor, name);
        }
    }

    fn description(&self, caption: &str) -> String {
        let names: Vec<&str> =
            self.series.iter().map(|series| series.name.trim()).filter(|name| !name.is_empty()).collect();
        let series = if names.is_empty() { String::new() } else { format!(" Series: {}.", names.join("; ")) };
        format!("{} {}{series} {caption}", described("Horizontal", &self.x), described("Vertical", &self.y))
            .trim_end()
            .to_owned()
    }
}

/// A sentence on points that have no place on the axes.
pub(super) fn left_out(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("One point is left out: it is not finite, or not positive on a logarithmic axis.".to_owned()),
        _ => Some(format!("{count} points are left out: they are not finite, or not positive on a logarithmic axis.")),
    }
}

pub(super) fn described(direction: &str, axis: &Axis) -> String {
    let scale = if axis.scale == Scale::Log { ", logarithmic" } else { "" };
    format!("{direction} axis: {}{scale}.", axis.label)
}

fn draw_series(drawing: &mut Drawing, frame: &Frame, series: &Series) {
    // A point without a place interrupts the line.
    let mut pieces: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for &point in &series.points {
        match frame.place(point) {
            Some(place) => pieces.last_mut().expect("at least one piece").push(place),
            None => pieces.push(Vec::new()),
        }
    }
    for piece in pieces.iter().filter(|piece| piece.len() > 1) {
        match series.mark {
            Mark::Points => {}
            Mark::Line | Mark::LineAndPoints => drawing.path("line", &polyline(piece.iter().copied())),
            Mark::Dashed => drawing.dashed_path("line", &polyline(piece.iter().copied()), legend::DASHES),
        }
    }
    let with_symbols = matches!(series.mark, Mark::Points | Mark::LineAndPoints);
    let lone = |piece: &&Vec<(f64, f64)>| with_symbols || piece.len() == 1;
    let symbols: String =
        pieces.iter().filter(lone).flatten().map(|&place| legend::symbol(series.colour, place)).collect();
    if !symbols.is_empty() {
        drawing.path("mark", &symbols);
    }
}

/// The rectangle that data are drawn in, with its axes.
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
    rulers: (Ruler, Ruler),
    ticks: (Ticks, Ticks),
}

impl Frame {
    /// Draws the labels of both axes below what is drawn so far, and leaves room for the data and for a caption.
    pub fn below(drawing: &mut Drawing, x: &Axis, y: &Axis, rulers: (Ruler, Ruler), right: f64, height: f64) -> Frame {
        let top = drawing.y + 12.0;
        let bottom = top + height;
        let y_ticks = rulers.1.ticks(6);
        let widest = y_ticks.major.iter().map(|(_, label)| width(label, SIZE)).fold(0.0, f64::max);
        let y_lines = wrapped(&y.label, SIZE, height);
        let left = MARGIN + y_lines.len() as f64 * SIZE * LEADING + 6.0 + widest + TICK + 3.0;
        for (row, line) in y_lines.iter().enumerate() {
            let baseline = MARGIN + SIZE + row as f64 * SIZE * LEADING;
            drawing.upward_text((baseline, (top + bottom) / 2.0), line);
        }
        let x_ticks = fitting(&rulers.0, right - left);
        drawing.y = bottom + TICK + SIZE + 6.0;
        for line in wrapped(&x.label, SIZE, right - left) {
            drawing.y += SIZE * LEADING;
            let y = drawing.y;
            drawing.text("ink", ((left + right) / 2.0, y), Anchor::Middle, &line);
        }
        drawing.y += 8.0;
        Frame { left, top, right, bottom, rulers, ticks: (x_ticks, y_ticks) }
    }

    /// Where a point is drawn; `None` if it has no place.
    pub fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let (x, y) = (self.rulers.0.place(x)?, self.rulers.1.place(y)?);
        Some((self.left + x * (self.right - self.left), self.bottom - y * (self.bottom - self.top)))
    }

    fn x_at(&self, x: f64) -> Option<f64> {
        Some(self.left + self.rulers.0.place(x)? * (self.right - self.left))
    }

    fn y_at(&self, y: f64) -> Option<f64> {
        Some(self.bottom - self.rulers.1.place(y)? * (self.bottom - self.top))
    }

    pub fn draw_grid(&self, drawing: &mut Drawing) {
        let vertical = |x: f64| polyline([(x, self.top), (x, self.bottom)]);
        let horizontal = |y: f64| polyline([(self.left, y), (self.right, y)]);
        let minor: String = self.ticks.0.minor.iter().filter_map(|&x| self.x_at(x)).map(vertical).collect();
        let minor: String =
            minor + &self.ticks.1.minor.iter().filter_map(|&y| self.y_at(y)).map(horizontal).collect::<String>();
        let major: String = self.ticks.0.major.iter().filter_map(|(x, _)| self.x_at(*x)).map(vertical).collect();
        let major: String =
            major + &self.ticks.1.major.iter().filter_map(|(y, _)| self.y_at(*y)).map(horizontal).collect::<String>();
        for (class, lines) in [("fine", minor), ("grid", major)] {
            if !lines.is_empty() {
                drawing.path(class, &lines);
            }
        }
    }

    pub fn draw_axes(&self, drawing: &mut Drawing) {
        let mut lines = polyline([(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)]);
        for (x, label) in &self.ticks.0.major {
            let Some(x) = self.x_at(*x) else { continue };
            lines += &polyline([(x, self.bottom), (x, self.bottom + TICK)]);
            drawing.text("ink", (x, self.bottom + TICK + SIZE + 2.0), Anchor::Middle, label);
        }
        for (y, label) in &self.ticks.1.major {
            let Some(y) = self.y_at(*y) else { continue };
            lines += &polyline([(self.left - TICK, y), (self.left, y)]);
            drawing.text("ink", (self.left - TICK - 3.0, y + 0.36 * SIZE), Anchor::End, label);
        }
        for x in self.ticks.0.minor.iter().filter_map(|&x| self.x_at(x)) {
            lines += &polyline([(x, self.bottom), (x, self.bottom + 0.5 * TICK)]);
        }
        for y in self.ticks.1.minor.iter().filter_map(|&y| self.y_at(y)) {
            lines += &polyline([(self.left - 0.5 * TICK, y), (self.left, y)]);
        }
        drawing.path("axis", &lines);
    }
}

/// Ticks along the horizontal axis whose labels do not touch.
fn fitting(ruler: &Ruler, room: f64) -> Ticks {
    let touch = |ticks: &Ticks| {
        let placed: Vec<(f64, f64)> =
            ticks.major.iter().filter_map(|(x, label)| Some((ruler.place(*x)? * room, width(label, SIZE)))).collect();
        placed.windows(2).any(|pair| pair[1].0 - pair[0].0 < (pair[0].1 + pair[1].1) / 2.0 + 8.0)
    };
    let mut ticks = ruler.ticks(9);
    for wanted in (2..9).rev() {
        if !touch(&ticks) {
            break;
        }
        ticks = ruler.ticks(wanted);
    }
    while touch(&ticks) && ticks.major.len() > 1 {
        let mut keep = false;
        ticks.major.retain(|_| {
            keep = !keep;
            keep
        });
    }
    ticks
}
