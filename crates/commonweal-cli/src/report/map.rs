//! The report of `map`: regions, and the points that were located on their boundaries.

use super::names::shown;
use super::numbers::double;
use super::table::table;
use crate::strategy_map::StrategyMap;
use commonweal::internals::landscape::UNKNOWN;
use commonweal::internals::stop::StopReason;
use serde::Serialize;

/// The map for people: every region with its share.
pub fn report(map: &StrategyMap, stopped: Option<StopReason>) -> String {
    const ROWS: usize = 30;
    let range = |axis: usize| format!("{} from {} to {}", map.names[axis], map.grids[axis].from, map.grids[axis].to);
    let mut text =
        stopped.map_or_else(String::new, |reason| format!("Stopped: {reason}. Parts of the map are missing.\n"));
    text += &format!("Best strategies from {}: {}, {}\n\n", shown(&map.start), range(0), range(1));
    let row = |&label: &usize| vec![map.words(label).to_owned(), percent(map.share(label))];
    let rows: Vec<Vec<String>> = map.order.iter().take(ROWS).map(row).collect();
    text += &table(&["strategy", "share of the map"], &rows);
    if map.order.len() > ROWS {
        text += &format!("  … and {} more regions; --json has them all\n", map.order.len() - ROWS);
    }
    let unit = map.grids[0].unit().to_f64();
    text += &format!("\n{} points on boundaries, each located to within {}.\n", map.plane.located.len(), double(unit));
    text
}

fn percent(share: f64) -> String {
    match (share * 10_000.0).round() / 100.0 {
        0.0 => "below 0.01 %".to_owned(),
        rounded => format!("{rounded} %"),
    }
}

/// One line of a shard.
#[derive(Serialize)]
pub struct NodeLine {
    pub index: u64,
    pub x: String,
    pub y: String,
    pub strategy: Option<String>,
    pub right: Vec<ChangeLine>,
    pub up: Vec<ChangeLine>,
}

/// A change on the way from a point of the grid to its neighbour.
#[derive(Serialize)]
pub struct ChangeLine {
    pub low: String,
    pub high: String,
    pub before: Option<String>,
    pub after: Option<String>,
    pub crowded: bool,
}

/// The whole map as one JSON document.
#[derive(Serialize)]
pub struct MapJson<'a> {
    format: &'static str,
    x: AxisJson<'a>,
    y: AxisJson<'a>,
    start: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    regions: Vec<RegionJson<'a>>,
    located: Vec<LocatedJson<'a>>,
}

#[derive(Serialize)]
struct AxisJson<'a> {
    principal: &'a str,
    from: String,
    to: String,
    steps: u64,
    /// How near to each other the two sides of a located point are.
    width: String,
}

#[derive(Serialize)]
struct RegionJson<'a> {
    strategy: Option<&'a str>,
    share: f64,
}

/// A point on a boundary: between these two places the strategy changes.
#[derive(Serialize)]
struct LocatedJson<'a> {
    low: [String; 2],
    high: [String; 2],
    before: &'a str,
    after: &'a str,
    crowded: bool,
}

impl MapJson<'_> {
    pub fn new(map: &StrategyMap, stopped: Option<StopReason>) -> MapJson<'_> {
        let axis = |axis: usize| AxisJson {
            principal: &map.names[axis],
            from: map.grids[axis].from.to_string(),
            to: map.grids[axis].to.to_string(),
            steps: map.grids[axis].steps,
            width: map.grids[axis].unit().to_string(),
        };
        let region = |&label: &usize| RegionJson {
            strategy: (label != UNKNOWN).then(|| map.words(label)),
            // No -0 where nothing is left.
            share: map.share(label).max(0.0),
        };
        let located = map.located().map(|(low, high, change)| LocatedJson {
            low: low.map(|discount| discount.to_string()),
            high: high.map(|discount| discount.to_string()),
            before: map.words(change.before),
            after: map.words(change.after),
            crowded: change.crowded,
        });
        MapJson {
            format: "commonweal-map/1",
            x: axis(0),
            y: axis(1),
            start: &map.start,
            status: stopped.map(|_| "stopped"),
            reason: stopped.map(|reason| reason.to_string()),
            regions: map.order.iter().map(region).collect(),
            located: located.collect(),
        }
    }
}
