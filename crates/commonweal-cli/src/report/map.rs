//! The report of `map`: regions, and the points that were located on their boundaries.

use super::fair::by_state;
use super::names::{AS_AT_START, shown};
use super::numbers::{self, discount, double};
use super::table::{listed, wrapped};
use commonweal::Rational;
use commonweal::questions::{
    Grid, Label, MapShares, NamedRegions, Play, Quantity, ShareRange, StrategyMap, named_regions, play_in_brief,
};
use commonweal::structure::Structure;
use commonweal::text::rate_text;

/// The map for people: every region with its share, and what is best under the model's own preferences.
pub fn report(model: &Structure, map: &StrategyMap, shares: &MapShares, own: Option<&Play>) -> String {
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
    let are_drawn = map.stopped.is_none() && shares.n_drawn() > 0;
    let share = |label: Label| {
        if are_drawn { between(shares.range(&[label], false)) } else { format!("≈ {}", percent(map.share(label))) }
    };
    let row = |(label, letter, words): &(Label, String, String)| {
        (format!("{letter:<2}  {:>16}", share(*label)), words.clone())
    };
    text += "          share of map  strategy\n";
    text += &listed(named.regions.iter().map(row));
    let is_named = |label: &Label| named.regions.iter().any(|(named, ..)| named == label);
    let others: Vec<Label> = map.order.iter().copied().filter(|label| !is_named(label)).collect();
    let of_others = shares.range(&others, true);
    if named.others > 0 || (are_drawn && of_others.least > 0.0) {
        let n = numbers::steps(&(named.others as u64).into());
        let n = match named.others {
            0 => "other strategies".to_owned(),
            _ if coarse_share > 0.0 => format!("{n} or more others; --json has them all"),
            _ => format!("{n} others; --json has them all"),
        };
        let area: f64 = others.iter().map(|&label| map.share(label)).sum();
        let all = if are_drawn { between(of_others) } else { format!("≈ {}", percent(area)) };
        text += &format!("      {all:>16}  {n}\n");
    }
    text += &by_state(named.regions.iter().map(|(.., words)| words));
    text += &own.map_or_else(String::new, |play| own_point(model, map, &named, play));
    if text.contains(&format!(" in {AS_AT_START}")) {
        text += "  (… abbreviates what is as in the start state)\n";
    }
    let unit = map.width(0).to_f64();
    let unit = match map.grids[0].quantity {
        Quantity::Rate => format!("{}%", double(100.0 * unit)),
        Quantity::Discount | Quantity::Weight => double(unit),
    };
    let located = numbers::steps(&(map.plane.located.len() as u64).into());
    let finer = if map.is_located() || map.stopped.is_some() { "" } else { "; --changes goes on" };
    text += &wrapped(&format!("\n{located} points on boundaries, each located to within {unit}{finer}."), 0);
    if coarse_share > 0.0 {
        let shown = |axis: usize| {
            let [from, to] = map.coarse_range(axis).expect("a cell is coarse");
            let number = |x: &Rational| match map.grids[axis].quantity {
                Quantity::Rate => rate_text(x),
                Quantity::Discount | Quantity::Weight => discount(x),
            };
            format!("{} {} to {}", name(axis), number(&from), number(&to))
        };
        let note = format!(
            "In {} of the map, where boundaries meet, regions thinner than a cell are not separated: there may be more strategies, \
             even infinitely many. These places lie within {}, {}; --changes goes on.",
            percent(coarse_share),
            shown(0),
            shown(1)
        );
        text += &wrapped(&note, 0);
    }
    if are_drawn {
        let note = format!(
            "Shares are estimated from solutions at {} random places: with 99.9 % confidence all of them are this close.",
            numbers::steps(&(shares.n_drawn() as u64).into())
        );
        text += &wrapped(&note, 0);
    }
    text
}

/// A share in per cent with as many digits as its range allows: every number of the range lies within what is printed.
fn between(ShareRange { least, most }: ShareRange) -> String {
    let (least, most) = (100.0 * least, 100.0 * most);
    let decimals = (0..4).find(|&decimals| (most - least) / 2.0 > 10f64.powi(-decimals)).unwrap_or(4) as usize;
    let unit = 10f64.powi(-(decimals as i32));
    let upward = |x: f64| (x / unit).ceil() * unit;
    let center = ((least + most) / 2.0 / unit).round() * unit;
    let off = upward((most - center).max(center - least));
    if least <= 0.0 || off >= center {
        format!("at most {:.decimals$} %", upward(most).min(100.0))
    } else if most >= 100.0 {
        format!("at least {:.decimals$} %", (least / unit).floor() * unit)
    } else {
        format!("{center:.decimals$} ± {off:.decimals$} %")
    }
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

/// A share in per cent, to two decimals.
pub fn percent(share: f64) -> String {
    match (share * 10_000.0).round() / 100.0 {
        0.0 => "below 0.01 %".to_owned(),
        rounded => format!("{rounded} %"),
    }
}
