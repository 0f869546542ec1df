//! The report of `map`: regions, and the points that were located on their boundaries.

use super::names::shown;
use super::numbers::double;
use super::table::table;
use commonweal::internals::landscape::{Label, StrategyMap, play_in_words};
use commonweal::internals::model::Structure;

/// The map for people: every region with its share.
pub fn report(model: &Structure, map: &StrategyMap) -> String {
    const ROWS: usize = 30;
    let name = |axis: usize| shown(&model.principals()[map.axes[axis].index()].name);
    let range = |axis: usize| format!("{} from {} to {}", name(axis), map.grids[axis].from, map.grids[axis].to);
    let mut text =
        map.stopped.map_or_else(String::new, |reason| format!("Stopped: {reason}. Parts of the map are missing.\n"));
    let start = shown(&model.state_name(model.start()));
    text += &format!("Best strategies from {start}: {}, {}\n\n", range(0), range(1));
    let row = |&label: &Label| vec![strategy(model, map, label), percent(map.share(label))];
    let rows: Vec<Vec<String>> = map.order.iter().take(ROWS).map(row).collect();
    text += &table(&["strategy", "share of the map"], &rows);
    if map.order.len() > ROWS {
        text += &format!("  … and {} more regions; --json has them all\n", map.order.len() - ROWS);
    }
    let unit = map.grids[0].unit().to_f64();
    text += &format!("\n{} points on boundaries, each located to within {}.\n", map.plane.located.len(), double(unit));
    text
}

/// A region's strategy in words.
pub fn strategy(model: &Structure, map: &StrategyMap, label: Label) -> String {
    label.map_or_else(|| "not solved".to_owned(), |id| play_in_words(model, &map.plays[id]))
}

fn percent(share: f64) -> String {
    match (share * 10_000.0).round() / 100.0 {
        0.0 => "below 0.01 %".to_owned(),
        rounded => format!("{rounded} %"),
    }
}
