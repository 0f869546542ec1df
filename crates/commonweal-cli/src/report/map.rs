//! The report of `map`: regions, and the points that were located on their boundaries.

use super::names::shown;
use super::numbers::{self, double};
use super::table::listed;
use commonweal::internals::landscape::{Grid, Label, Play, Quantity, StrategyMap, key, letter};
use commonweal::internals::model::Structure;
use commonweal::internals::number::rate_text;

/// The regions that reports and pictures name, with their names: the largest, in the map's order.
pub struct Named {
    /// The label of each region, its letter, and its strategy in words.
    pub regions: Vec<(Label, String, String)>,
    /// How many more there are.
    pub others: usize,
}

/// More regions than this are not named.
pub const NAMED: usize = 26;

/// The names of a map's regions.
pub fn named(model: &Structure, map: &StrategyMap) -> Named {
    let mut by_share: Vec<Label> = map.order.clone();
    by_share.sort_by(|a, b| map.share(*b).total_cmp(&map.share(*a)).then(a.cmp(b)));
    by_share.truncate(NAMED);
    let labels: Vec<Label> = map.order.iter().copied().filter(|label| by_share.contains(label)).collect();
    let solved: Vec<&Play> = labels.iter().filter_map(|label| Some(&map.plays[(*label)?])).collect();
    let mut words = key(model, &solved).into_iter().enumerate().map(|(at, words)| (letter(at), words));
    let mut entry = |label: Label| match label {
        Some(_) => words.next().map(|(letter, words)| (label, letter, words)).expect("one for each"),
        None => (label, "–".to_owned(), "not solved".to_owned()),
    };
    Named { others: map.order.len() - labels.len(), regions: labels.into_iter().map(&mut entry).collect() }
}

/// The map for people: every region with its share.
pub fn report(model: &Structure, map: &StrategyMap) -> String {
    let name = |axis: usize| shown(&model.principals()[map.axes[axis].index()].name);
    let range = |axis: usize| {
        let Grid { quantity, from, to, .. } = &map.grids[axis];
        match quantity {
            Quantity::Discount => format!("{} from {from} to {to}", name(axis)),
            Quantity::Rate => format!("rate of {} from {} to {}", name(axis), rate_text(from), rate_text(to)),
        }
    };
    let mut text =
        map.stopped.map_or_else(String::new, |reason| format!("Stopped: {reason}. Parts of the map are missing.\n"));
    let start = shown(&model.state_name(model.start()));
    text += &format!("Best strategies from {start}: {}, {}\n\n", range(0), range(1));
    let named = named(model, map);
    let row = |(label, letter, words): &(Label, String, String)| {
        (format!("{letter:<2}  {:>12}", percent(map.share(*label))), words.clone())
    };
    text += "      share of map  strategy\n";
    text += &listed(named.regions.iter().map(row));
    if named.others > 0 {
        let shares: f64 = named.regions.iter().map(|(label, ..)| map.share(*label)).sum();
        let others = numbers::steps(&(named.others as u64).into());
        text += &format!("      {:>12}  {others} others; --json has them all\n", percent(1.0 - shares));
    }
    let unit = map.grids[0].unit().to_f64();
    let located = numbers::steps(&(map.plane.located.len() as u64).into());
    text += &format!("\n{located} points on boundaries, each located to within {}.\n", double(unit));
    text
}

fn percent(share: f64) -> String {
    match (share * 10_000.0).round() / 100.0 {
        0.0 => "below 0.01 %".to_owned(),
        rounded => format!("{rounded} %"),
    }
}
