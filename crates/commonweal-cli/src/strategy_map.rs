//! The map of a model's best strategies over two discounts, drawn as regions.

use crate::report::map::percent;
use crate::report::names::shown;
use crate::report::sweep::{axis_label, drawn_scale};
use commonweal::documents::{Double, DrawnRegion};
use commonweal::questions::{Grid, Quantity, RegionClass, StrategyMap};
use commonweal::structure::{PrincipalId, Structure};
use commonweal_charts::{Axis, Mark, Region, RegionMap, Scale, Series};

/// The map as a picture, in these classes.
pub fn region_map(model: &Structure, map: &StrategyMap, classes: &[RegionClass]) -> RegionMap {
    let regions = DrawnRegion::all(model, map, classes);
    let steps = map.grids[0].steps;
    let incomplete = match map.stopped {
        None => String::new(),
        Some(reason) => format!("Stopped: {reason}. The map is incomplete. "),
    };
    let caption = format!(
        "{incomplete}Boundaries pass through points that are located by exact solutions, along the edges of {steps} × {steps} cells \
         and of finer ones where boundaries meet.{}",
        if map.plane.coarse.is_empty() {
            String::new()
        } else {
            format!(
                " In {} of the map, where boundaries meet, thinner regions are not separated.",
                percent(map.coarse_share())
            )
        }
    );
    drawn(model, map.axes, map.grids.each_ref(), &regions, caption)
}

/// A sketch as a picture: the best strategy in the middle of each cell.
pub fn sketched_map(model: &Structure, axes: [PrincipalId; 2], grid: &Grid, regions: &[DrawnRegion]) -> RegionMap {
    let steps = grid.steps;
    let caption = format!(
        "A sketch: each of {steps} × {steps} cells has the colour of the strategy that is best in its middle. Bands thinner than a \
         cell may be missing."
    );
    drawn(model, axes, [grid; 2], regions, caption)
}

fn drawn(
    model: &Structure,
    axes: [PrincipalId; 2],
    grids: [&Grid; 2],
    regions: &[DrawnRegion],
    caption: String,
) -> RegionMap {
    let scales = grids.map(|grid| drawn_scale(grid.quantity));
    let region = |region: &DrawnRegion| {
        let place = |[x, y]: &[Double; 2]| (scales[0] * x.0, scales[1] * y.0);
        let outline = region.outline.iter().map(|ring| ring.iter().map(place).collect()).collect();
        Region { name: region.name.clone(), words: region.words.clone(), outline, is_rest: region.is_rest }
    };
    // A map that ends just below 1 is drawn up to 1.
    let ends = grids.map(|grid| {
        let scale = drawn_scale(grid.quantity);
        let (from, to) = (scale * grid.from.to_f64(), scale * grid.to.to_f64());
        (from, if to >= 0.99 && grid.quantity == Quantity::Discount { 1.0 } else { to })
    });
    let mut curves = Vec::new();
    let (low, high) = (ends[0].0.max(ends[1].0), ends[0].1.min(ends[1].1));
    let quantities = grids.map(|grid| grid.quantity);
    if low < high && quantities[0] == quantities[1] {
        curves.push(Series {
            name: format!("equal {}s", quantities[0].name()),
            colour: 0,
            points: vec![(low, low), (high, high)],
            mark: Mark::Dashed,
        });
    }
    let principals = axes.map(|p| &model.principals()[p.index()]);
    let own = [0, 1].map(|axis| quantities[axis].of(principals[axis]).map(|own| scales[axis] * own.to_f64()));
    let inside = |axis: usize| own[axis].filter(|own| (ends[axis].0..=ends[axis].1).contains(own));
    let marks = inside(0).zip(inside(1)).map(|(x, y)| (x, y, "the model".to_owned())).into_iter().collect();
    let names = principals.map(|principal| shown(&principal.name));
    let axis = |axis: usize| Axis { label: axis_label(quantities[axis], &names[axis]), scale: Scale::Linear };
    RegionMap {
        title: format!(
            "Best strategy from {} by {}",
            shown(&model.state_name(model.start())),
            match quantities {
                [x, y] if x == y => format!("the {}s of {} and {}", x.name(), names[0], names[1]),
                [x, y] => format!("the {} of {} and the {} of {}", x.name(), names[0], y.name(), names[1]),
            }
        ),
        caption: Some(caption),
        x: axis(0),
        y: axis(1),
        range: ends,
        regions: regions.iter().map(region).collect(),
        curves,
        marks,
    }
}
