//! Pictures as SVG, drawn by hand: charts, and maps of regions.
//!
//! A picture is one self-contained `<svg>` element. It follows the reader's light or dark scheme, and its class names carry
//! a prefix made from its own contents, so that any number of pictures can stand in one HTML page. The same data give the
//! same bytes.

mod axis;
mod bars;
mod chart;
mod drawing;
mod legend;
mod region_map;
mod text;
mod timeline;

pub use bars::Bars;
pub use drawing::stacked;
pub use timeline::{Timeline, TimelineRow};

/// How numbers are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear,
    /// Powers of ten are equally far apart; only positive numbers have a place.
    Log,
}

/// What an axis shows, and how.
#[derive(Debug, Clone)]
pub struct Axis {
    pub label: String,
    pub scale: Scale,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Line,
    Points,
    LineAndPoints,
    Dashed,
}

/// Points that belong together. One without a name is not in the legend.
#[derive(Debug, Clone)]
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub mark: Mark,
}

/// A chart of series over two axes, whose ranges are those of the data.
#[derive(Debug, Clone)]
pub struct Chart {
    pub title: String,
    pub caption: Option<String>,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

/// A part of the plane: closed polygons, where what lies inside an even number of them is outside.
#[derive(Debug, Clone)]
pub struct Region {
    pub name: String,
    pub outline: Vec<Vec<(f64, f64)>>,
}

/// Regions of a rectangle, in the order of their shades, with curves and named points over them.
#[derive(Debug, Clone)]
pub struct RegionMap {
    pub title: String,
    pub caption: Option<String>,
    pub x: Axis,
    pub y: Axis,
    /// The least and the greatest x, the least and the greatest y.
    pub range: [(f64, f64); 2],
    pub regions: Vec<Region>,
    /// A curve without a name is a boundary.
    pub curves: Vec<Series>,
    pub marks: Vec<(f64, f64, String)>,
}

/// What to say of points that have no place on the axes.
fn left_out(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("One point is left out: it is not finite, or not positive on a logarithmic axis.".to_owned()),
        _ => Some(format!("{count} points are left out: they are not finite, or not positive on a logarithmic axis.")),
    }
}

#[cfg(test)]
mod tests;
