//! `commonweal-sketch/1`: the strategy that is best in the middle of each cell of two discounts.

use super::{Document, Double, Format};
use crate::landscape::{RegionClass, Spot, StrategyMap, named_classes};
use crate::model::Structure;
use serde::{Deserialize, Serialize};

/// A coarse map of which strategy is best; its boundaries are not located.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sketch {
    format: Format<Sketch>,
    /// The principal whose discount goes to the right.
    pub x: String,
    /// The principal whose discount goes upward.
    pub y: String,
    /// How many cells each side has.
    pub resolution: u64,
    /// The regions in the order of their shades, the last perhaps all others together.
    pub drawn: Vec<DrawnRegion>,
}

/// A region of a map or a sketch, as it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawnRegion {
    /// A letter; empty for the rest.
    pub name: String,
    /// The strategy in words.
    pub words: String,
    /// Whether it contains all regions that are not named.
    pub is_rest: bool,
    /// Closed polygons of places [x, y], even-odd.
    pub outline: Vec<Vec<[Double; 2]>>,
}

impl DrawnRegion {
    /// The most regions with a colour of their own.
    pub const MOST: usize = 9;

    /// The regions of a map, in these classes.
    pub fn all(model: &Structure, map: &StrategyMap, classes: &[RegionClass]) -> Vec<DrawnRegion> {
        let point = |&(x, y): &Spot| [Double(map.grids[0].double(x)), Double(map.grids[1].double(y))];
        let region = |(class, (name, words)): (&RegionClass, (String, String))| {
            let outline = class.outline.iter().map(|ring| ring.iter().map(point).collect()).collect();
            DrawnRegion { name, words, is_rest: !matches!(class.labels[..], [Some(_)]), outline }
        };
        classes.iter().zip(named_classes(model, map, classes)).map(region).collect()
    }
}

impl Document for Sketch {
    const FORMAT: &'static str = "commonweal-sketch/1";
}

impl Sketch {
    /// The sketch of these regions over the discounts of two principals.
    pub fn new(axes: [String; 2], resolution: u64, drawn: Vec<DrawnRegion>) -> Sketch {
        let [x, y] = axes;
        Sketch { format: Format::default(), x, y, resolution, drawn }
    }
}
