//! The map of a model's best strategies over two discounts, drawn as regions.

use crate::report::map::strategy;
use crate::report::names::shown;
use commonweal::internals::landscape::{DEPTH, Label, Spot, StrategyMap};
use commonweal::internals::model::Structure;
use commonweal_charts::{Axis, Mark, Region, RegionMap, Scale, Series};

/// More regions than this do not all have a shade of their own.
const DRAWN: usize = 9;

/// The map as a picture.
pub fn region_map(model: &Structure, map: &StrategyMap) -> RegionMap {
    let point = |&(x, y): &Spot| (map.grids[0].double(x), map.grids[1].double(y));
    let points = |spots: &Vec<Spot>| spots.iter().map(point).collect::<Vec<_>>();
    // The largest regions have shades of their own; the others, which may be very many, share one.
    let mut by_share: Vec<(f64, Label)> = map.order.iter().map(|&label| (map.share(label), label)).collect();
    by_share.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let many = by_share.len() > DRAWN + 1;
    let small: Vec<Label> =
        by_share.iter().skip(if many { DRAWN } else { usize::MAX }).map(|&(_, label)| label).collect();
    let rings = |label: &Label| map.plane.outlines[label].iter().map(points).collect::<Vec<_>>();
    let large = map.order.iter().filter(|label| !small.contains(label));
    let mut regions: Vec<Region> =
        large.map(|label| Region { name: strategy(model, map, *label), outline: rings(label) }).collect();
    if many {
        let name = format!("{} other strategies", small.len());
        regions.push(Region { name, outline: small.iter().flat_map(rings).collect() });
    }
    let is_seen = |pair: &[Label; 2]| !(small.contains(&pair[0]) && small.contains(&pair[1]));
    let boundary = |spots: &Vec<Spot>| Series { name: String::new(), points: points(spots), mark: Mark::Line };
    // A map that all but reaches 1 is drawn up to 1.
    let ends = map.grids.each_ref().map(|grid| {
        let (from, to) = (grid.from.to_f64(), grid.to.to_f64());
        (from, if to >= 0.99 { 1.0 } else { to })
    });
    let seen = map.plane.boundaries.iter().filter(|(pair, _)| is_seen(pair));
    let mut curves: Vec<Series> = seen.map(|(_, spots)| boundary(spots)).collect();
    let (low, high) = (ends[0].0.max(ends[1].0), ends[0].1.min(ends[1].1));
    if low < high {
        curves.push(Series {
            name: "equal discounts".to_owned(),
            points: vec![(low, low), (high, high)],
            mark: Mark::Dashed,
        });
    }
    let principals = map.axes.map(|p| &model.principals()[p.index()]);
    let own = principals.map(|principal| principal.patience().to_f64());
    let inside = (0..2).all(|axis| (ends[axis].0..=ends[axis].1).contains(&own[axis]));
    let marks = if inside { vec![(own[0], own[1], "the model".to_owned())] } else { Vec::new() };
    let names = principals.map(|principal| shown(&principal.name));
    let axis = |axis: usize| Axis { label: format!("discount of {}", names[axis]), scale: Scale::Linear };
    let steps = map.grids[0].steps;
    RegionMap {
        title: format!(
            "Best strategy from {} by the discounts of {} and {}",
            shown(&model.state_name(model.start())),
            names[0],
            names[1]
        ),
        caption: Some(format!(
            "Boundaries pass through {} points, each located to 2^-40 of 1/{steps} of the range by exact solutions. \
             Regions thinner than 1/{} of the range are not drawn.",
            map.plane.located.len(),
            steps << DEPTH
        )),
        x: axis(0),
        y: axis(1),
        range: ends,
        regions,
        curves,
        marks,
    }
}
