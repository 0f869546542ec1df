//! The map of a model's best strategies over two discounts, drawn as regions.

use crate::report::names::shown;
use crate::report::sweep::{axis_label, drawn_scale};
use commonweal::questions::{Quantity, RegionClass, Spot, StrategyMap, named_classes};
use commonweal::structure::Structure;
use commonweal_charts::{Axis, Mark, Region, RegionMap, Scale, Series};

/// The most regions with a colour of their own.
pub const DRAWN: usize = 9;

/// The map as a picture, in these classes.
pub fn region_map(model: &Structure, map: &StrategyMap, classes: &[RegionClass]) -> RegionMap {
    let scales = map.grids.each_ref().map(|grid| drawn_scale(grid.quantity));
    let point = |&(x, y): &Spot| (scales[0] * map.grids[0].double(x), scales[1] * map.grids[1].double(y));
    let region = |(class, (name, words)): (&RegionClass, (String, String))| {
        let outline = class.outline.iter().map(|ring| ring.iter().map(point).collect()).collect();
        Region { name, words, outline, is_rest: !matches!(class.labels[..], [Some(_)]) }
    };
    let regions: Vec<Region> = classes.iter().zip(named_classes(model, map, classes)).map(region).collect();
    // A map that ends just below 1 is drawn up to 1.
    let ends = map.grids.each_ref().map(|grid| {
        let scale = drawn_scale(grid.quantity);
        let (from, to) = (scale * grid.from.to_f64(), scale * grid.to.to_f64());
        (from, if to >= 0.99 && grid.quantity == Quantity::Discount { 1.0 } else { to })
    });
    let mut curves = Vec::new();
    let (low, high) = (ends[0].0.max(ends[1].0), ends[0].1.min(ends[1].1));
    let quantities = map.grids.each_ref().map(|grid| grid.quantity);
    if low < high && quantities[0] == quantities[1] {
        curves.push(Series {
            name: format!("equal {}s", quantities[0].name()),
            colour: 0,
            points: vec![(low, low), (high, high)],
            mark: Mark::Dashed,
        });
    }
    let principals = map.axes.map(|p| &model.principals()[p.index()]);
    let own = [0, 1].map(|axis| quantities[axis].of(principals[axis]).map(|own| scales[axis] * own.to_f64()));
    let inside = |axis: usize| own[axis].filter(|own| (ends[axis].0..=ends[axis].1).contains(own));
    let marks = inside(0).zip(inside(1)).map(|(x, y)| (x, y, "the model".to_owned())).into_iter().collect();
    let names = principals.map(|principal| shown(&principal.name));
    let axis = |axis: usize| Axis { label: axis_label(quantities[axis], &names[axis]), scale: Scale::Linear };
    let steps = map.grids[0].steps;
    let incomplete = match map.stopped {
        None => String::new(),
        Some(reason) => format!("Stopped: {reason}. The map is incomplete. "),
    };
    RegionMap {
        title: format!(
            "Best strategy from {} by {}",
            shown(&model.state_name(model.start())),
            match quantities {
                [x, y] if x == y => format!("the {}s of {} and {}", x.name(), names[0], names[1]),
                [x, y] => format!("the {} of {} and the {} of {}", x.name(), names[0], y.name(), names[1]),
            }
        ),
        caption: Some(format!(
            "{incomplete}Boundaries pass through points that are located by exact solutions, along the edges of {steps} × {steps} cells \
             and of finer ones where boundaries meet."
        )),
        x: axis(0),
        y: axis(1),
        range: ends,
        regions,
        curves,
        marks,
    }
}
