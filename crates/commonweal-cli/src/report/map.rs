//! The report of `map`: regions, and the points that were located on their boundaries.

use super::fair::by_state;
use super::names::shown;
use super::numbers::{self, discount, double};
use super::table::{listed, wrapped};
use commonweal::questions::{Grid, Label, NamedRegions, Play, Quantity, StrategyMap, named_regions, play_in_brief};
use commonweal::structure::Structure;
use commonweal::text::rate_text;

/// The map for people: every region with its share, and what is best under the model's own preferences.
pub fn report(model: &Structure, map: &StrategyMap, own: Option<&Play>) -> String {
    let name = |axis: usize| shown(&model.principals()[map.axes[axis].index()].name);
    let range = |axis: usize| {
        let Grid { quantity, from, to, .. } = &map.grids[axis];
        match quantity {
            Quantity::Discount => format!("{} from {from} to {to}", name(axis)),
            Quantity::Weight => format!("weight of {} from {from} to {to}", name(axis)),
            Quantity::Rate => format!("rate of {} from {} to {}", name(axis), rate_text(from), rate_text(to)),
        }
    };
    let mut text = match map.stopped {
        None => String::new(),
        Some(reason) => format!("Stopped: {reason}. Parts of the map are missing.\n"),
    };
    let start = shown(&model.state_name(model.start()));
    text += &wrapped(&format!("Best strategies from {start}: {}, {}", range(0), range(1)), 2);
    text.push('\n');
    let named = named_regions(model, map);
    let coarse_share = map.coarse_share();
    // Of a map that is incomplete, or coarse somewhere, shares are not final.
    let is_final = map.stopped.is_none() && coarse_share == 0.0;
    let share = |share: f64| match percent(share) {
        percent if is_final || percent.starts_with("below") => percent,
        percent => format!("≈ {percent}"),
    };
    let row = |(label, letter, words): &(Label, String, String)| {
        (format!("{letter:<2}  {:>12}", share(map.share(*label))), words.clone())
    };
    text += "      share of map  strategy\n";
    text += &listed(named.regions.iter().map(row));
    text += &by_state(named.regions.iter().map(|(.., words)| words));
    if named.others > 0 {
        let shares: f64 = named.regions.iter().map(|(label, ..)| map.share(*label)).sum();
        let others = numbers::steps(&(named.others as u64).into());
        let others = if coarse_share > 0.0 { format!("{others} or more") } else { others };
        text += &format!("      {:>12}  {others} others; --json has them all\n", share(1.0 - shares));
    }
    text += &own.map_or_else(String::new, |play| own_point(model, map, &named, play));
    let unit = map.width(0).to_f64();
    let unit = match map.grids[0].quantity {
        Quantity::Rate => format!("{}%", double(100.0 * unit)),
        Quantity::Discount | Quantity::Weight => double(unit),
    };
    let located = numbers::steps(&(map.plane.located.len() as u64).into());
    let finer = if map.is_located() || map.stopped.is_some() { "" } else { "; --changes goes on" };
    text += &wrapped(&format!("\n{located} points on boundaries, each located to within {unit}{finer}."), 0);
    if coarse_share > 0.0 {
        let note = format!(
            "In {} of the map, where boundaries meet, regions thinner than a cell are not separated; --changes goes on.",
            percent(coarse_share)
        );
        text += &wrapped(&note, 0);
    }
    text
}

/// Which region the model itself lies in, if it lies on the map.
fn own_point(model: &Structure, map: &StrategyMap, named: &NamedRegions, play: &Play) -> String {
    let own = |axis: usize| {
        let Grid { quantity, from, to, .. } = &map.grids[axis];
        let own = quantity.of(&model.principals()[map.axes[axis].index()])?;
        let is_rate = matches!(quantity, Quantity::Rate);
        (*from <= own && own <= *to).then(|| if is_rate { rate_text(&own) } else { discount(&own) })
    };
    let (Some(x), Some(y)) = (own(0), own(1)) else { return String::new() };
    let is_own = |(label, ..): &&(Label, String, String)| label.is_some_and(|id| map.plays[id] == *play);
    let has = match named.regions.iter().find(is_own) {
        Some((_, letter, _)) => format!("lies in {letter}"),
        None => format!("lies in another region: {}", play_in_brief(model, play)),
    };
    wrapped(&format!("  The model itself, at ({x}, {y}), {has}."), 2)
}

fn percent(share: f64) -> String {
    match (share * 10_000.0).round() / 100.0 {
        0.0 => "below 0.01 %".to_owned(),
        rounded => format!("{rounded} %"),
    }
}
