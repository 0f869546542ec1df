//! `commonweal map MODEL --x PRINCIPAL --y PRINCIPAL`

use crate::args::MapArgs;
use crate::range::{self, CROWD, Grid, Shard, UNITS};
use crate::report::map::{ChangeLine, MapJson, NodeLine, report};
use crate::report::timings::Clock;
use crate::report::{json, play};
use crate::strategy_map::strategy_map;
use crate::{input, output};
use anyhow::bail;
use commonweal::Options;
use commonweal::internals::landscape::{Bracket, Change, Label, Survey, UNKNOWN, changes};
use commonweal::internals::model::{Mdp, PrincipalId};
use commonweal::internals::number::Rational;
use std::collections::BTreeMap;
use std::process::ExitCode;

pub fn run(args: &MapArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    if let Some(place) = &args.out {
        output::check_picture_place(place, &args.model.model)?;
    }
    let stop = args.run.start()?;
    let model = input::model(&args.model, args.run.quiet)?;
    clock.has_read();
    let axes = [range::principal("--x", &args.x, &model)?, range::principal("--y", &args.y, &model)?];
    if axes[0] == axes[1] {
        bail!("--x and --y name the same principal; a map needs two");
    }
    let grids = [
        Grid::over("--x-range", &args.x_range, args.resolution)?,
        Grid::over("--y-range", &args.y_range, args.resolution)?,
    ];
    for (grid, option) in grids.iter().zip(["--x-range", "--y-range"]) {
        if grid.steps == 0 {
            bail!("{option}: {0}..{0} is a single discount; a map needs two different ends, or use `sweep`", grid.from);
        }
    }
    let options = Options { stop: stop.clone(), ..Options::default() };
    if let Some(shard) = args.shard {
        return print_shard(&model, axes, &grids, shard, options);
    }
    let map = strategy_map(&model, axes, grids, &options);
    if let Some(place) = &args.out {
        let svg = map.region_map().svg();
        output::write_whole(place, |out| out.write_all(svg.as_bytes()))?;
    }
    let stopped = stop.reason();
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print(&MapJson::new(&map, stopped), spent)?
    } else {
        output::print(&(report(&map, stopped) + &spent.map_or_else(String::new, |spent| spent.in_words())))?
    }
    Ok(if stopped.is_some() || map.order.contains(&UNKNOWN) { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// One line for each point of the grid that falls to the shard: its strategy, and the changes on the way to its right and
/// upper neighbours.
fn print_shard(
    model: &Mdp,
    axes: [PrincipalId; 2],
    grids: &[Grid; 2],
    shard: Shard,
    options: Options,
) -> anyhow::Result<ExitCode> {
    let mut survey = Survey::new(model, axes.to_vec(), options);
    let columns = grids[0].n_points();
    let spot = |index: u64| (index % columns, index / columns);
    let point = |(column, row): (u64, u64)| vec![grids[0].point(column), grids[1].point(row)];
    let own: Vec<u64> = shard.indices(0..columns * grids[1].n_points()).collect();
    let right = |index: u64| (spot(index).0 + 1 < columns).then_some(index + 1);
    let above = |index: u64| (spot(index).1 + 1 < grids[1].n_points()).then_some(index + columns);
    let mut needed: Vec<u64> =
        own.iter().flat_map(|&index| [Some(index), right(index), above(index)]).flatten().collect();
    needed.sort_unstable();
    needed.dedup();
    let points: Vec<Vec<Rational>> = needed.iter().map(|&index| point(spot(index))).collect();
    let labels: BTreeMap<u64, Label> = needed.iter().copied().zip(survey.labels(&points)).collect();
    // Lines 2k and 2k + 1 lead from the k-th own point to the right and upward.
    let bracket = |line: usize, from: u64, to: Option<u64>| {
        Some(Bracket { line, ends: [0, UNITS], labels: [labels[&from], labels[&to?]] })
    };
    let brackets: Vec<Bracket> = own
        .iter()
        .enumerate()
        .flat_map(|(k, &index)| [bracket(2 * k, index, right(index)), bracket(2 * k + 1, index, above(index))])
        .flatten()
        .collect();
    let at = |line: usize, units: u64| {
        let (column, row) = spot(own[line / 2]);
        if line.is_multiple_of(2) {
            vec![grids[0].place(column, units), grids[1].point(row)]
        } else {
            vec![grids[0].point(column), grids[1].place(row, units)]
        }
    };
    let found = changes(&brackets, CROWD, UNKNOWN, |places| {
        let points: Vec<Vec<Rational>> = places.iter().map(|&(line, units)| at(line, units)).collect();
        survey.labels(&points)
    });
    let by_line: BTreeMap<usize, &Vec<Change>> = brackets.iter().map(|bracket| bracket.line).zip(&found).collect();
    let words = |label: Label| (label != UNKNOWN).then(|| play::in_words(model, survey.play(label)));
    let change = |line: usize| {
        let list = by_line.get(&line).map(|list| list.as_slice()).unwrap_or_default();
        let own_axis = line % 2;
        let line_of = |change: &Change| ChangeLine {
            low: at(line, change.low)[own_axis].to_string(),
            high: at(line, change.high)[own_axis].to_string(),
            before: words(change.before),
            after: words(change.after),
            crowded: change.crowded,
        };
        list.iter().map(line_of).collect()
    };
    let mut lines = String::new();
    for (k, &index) in own.iter().enumerate() {
        let discounts = point(spot(index));
        let node = NodeLine {
            index,
            x: discounts[0].to_string(),
            y: discounts[1].to_string(),
            strategy: words(labels[&index]),
            right: change(2 * k),
            up: change(2 * k + 1),
        };
        lines += &serde_json::to_string(&node)?;
        lines.push('\n');
    }
    output::print(&lines)?;
    let solved = own.iter().all(|index| labels[index] != UNKNOWN);
    Ok(if solved { ExitCode::SUCCESS } else { ExitCode::from(3) })
}
