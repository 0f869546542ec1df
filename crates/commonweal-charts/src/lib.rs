//! Pictures as SVG, from plain data.
//!
//! Four kinds of pictures: a [`Chart`] of series over two axes, a [`RegionMap`] of the plane, [`Bars`] to both sides of
//! zero, and a [`Timeline`] of actions. Each is a struct of public fields, and its method `svg` draws it.
//!
//! ```
//! use commonweal_charts::{Axis, Chart, Mark, Scale, Series};
//!
//! let chart = Chart {
//!     title: "Squares".to_owned(),
//!     caption: Some("The first hundred.".to_owned()),
//!     x: Axis { label: "n".to_owned(), scale: Scale::Linear },
//!     y: Axis { label: "n²".to_owned(), scale: Scale::Log },
//!     series: vec![Series {
//!         name: "n²".to_owned(),
//!         colour: 0,
//!         points: (1..=100).map(|n| (f64::from(n), f64::from(n * n))).collect(),
//!         mark: Mark::Line,
//!     }],
//!     marks: Vec::new(),
//! };
//! let svg = chart.svg();
//! assert!(svg.starts_with("<svg ") && svg.contains("<title>Squares</title>"));
//! assert_eq!(svg, chart.svg());
//! ```
//!
//! Properties of every picture:
//!
//! - It is one self-contained `<svg>` element: no script, no font, no style sheet.
//! - It follows the reader's light or dark colour scheme.
//! - Its class names have a prefix derived from its contents, so any number of pictures can be in one HTML page.
//! - It has a title and a description for readers who cannot see it. Series differ in shape as well as in colour.
//! - The same data give the same bytes.
//! - Any text is safe in it: names are escaped, long ones are broken, and nothing is cut off.
//! - Any numbers are safe in it: points that are NaN or infinite, or not positive on a logarithmic axis, are left out, and
//!   the caption of a chart or map counts them.
//!
//! The crate knows nothing of models and strategies, and draws everything itself: there is no plotting library below it.

mod axis;
mod bars;
mod canvas;
mod chart;
mod drawing;
mod font;
mod legend;
pub mod page;
mod pdf;
mod picture;
mod png;
mod region_map;
mod style;
mod svg;
mod text;
mod timeline;

pub use bars::Bars;
pub use chart::{Axis, BREAK, Chart, Mark, Scale, Series};
pub use picture::{Picture, stacked};
pub use region_map::{Region, RegionMap};
pub use timeline::{Timeline, TimelineRow};

#[cfg(test)]
mod tests;
