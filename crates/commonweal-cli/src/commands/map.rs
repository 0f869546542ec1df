//! `commonweal map MODEL --x PRINCIPAL --y PRINCIPAL`

use crate::args::MapArgs;
use crate::json;
use crate::report::map::report;
use crate::report::timings::Clock;
use crate::strategy_map::region_map;
use crate::{input, output, progress, range, signals};
use anyhow::bail;
use commonweal::Options;
use commonweal::documents::{self, DrawnRegion, GridPoint};
use commonweal::questions::{Quantity, map_classes, map_shard, map_shares, own_play, strategy_map};
use std::process::ExitCode;

pub fn run(args: &MapArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    if let Some(place) = &args.out {
        output::check_picture_place(place, &args.model.model)?;
    }
    let stop = signals::start(&args.run);
    let model = signals::while_reading(|| input::varied_model(&args.model, &[&args.x, &args.y], args.run.quiet))?;
    clock.has_read();
    let structure = model.structure();
    let varied = [range::varied("--x", &args.x, structure)?, range::varied("--y", &args.y, structure)?];
    let axes = varied.map(|(principal, _)| principal);
    if axes[0] == axes[1] {
        bail!("--x and --y name the same principal; a map needs two");
    }
    let grid = |option: &str, range: &Option<String>, (_, quantity): (_, Quantity)| {
        let range = range.clone().unwrap_or_else(|| quantity.usual_range().join(".."));
        let grid = range::grid(option, &range, quantity, args.resolution)?;
        Ok::<_, anyhow::Error>(if args.changes { grid } else { grid.for_pictures() })
    };
    let grids = [grid("--x-range", &args.x_range, varied[0])?, grid("--y-range", &args.y_range, varied[1])?];
    for (grid, option) in grids.iter().zip(["--x-range", "--y-range"]) {
        if grid.steps == 0 {
            bail!(
                "{option}: {0}..{0} is a single {1}; a map needs two different ends, or use `sweep`",
                grid.from,
                grid.quantity.name()
            );
        }
    }
    if !args.run.quiet {
        varied.iter().for_each(|(principal, quantity)| range::note_replaced(model.structure(), *principal, *quantity));
    }
    let options = Options { engine: args.engine.engine(), stop, ..Options::default() };
    if let Some(shard) = args.shard {
        let part = progress::shown(&options.stop, args.run.quiet, || map_shard(&model, axes, &grids, shard, &options));
        json::print_lines(part.points.iter().map(|point| GridPoint::new(structure, &part.plays, point)))?;
        let solved = part.points.iter().all(|point| point.label.is_some());
        return Ok(if solved { ExitCode::SUCCESS } else { ExitCode::from(3) });
    }
    let (map, classes) = progress::shown(&options.stop, args.run.quiet, || {
        let map = strategy_map(&model, axes, grids, &options);
        let classes = args.out.is_some().then(|| map_classes(&model, &map, DrawnRegion::MOST, &options));
        (map, classes)
    });
    if let Some((place, classes)) = args.out.as_ref().zip(classes) {
        output::write_picture(place, &region_map(structure, &map, &classes).picture(), args.run.quiet)?;
    }
    let shares = progress::shown(&options.stop, args.run.quiet, || map_shares(&model, &map, &options));
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print(&documents::StrategyMap::new(structure, &map).with_shares(&map, &shares), spent)?
    } else {
        let own = progress::shown(&options.stop, args.run.quiet, || own_play(&model, &options));
        output::print(
            &(report(structure, &map, &shares, own.as_ref())
                + &spent.map_or_else(String::new, |spent| spent.in_words())),
        )?
    }
    Ok(if map.is_complete() { ExitCode::SUCCESS } else { ExitCode::from(3) })
}
