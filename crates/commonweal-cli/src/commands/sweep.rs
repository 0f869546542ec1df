//! `commonweal sweep MODEL --vary PRINCIPAL=FROM..TO`

use crate::args::SweepArgs;
use crate::json;
use crate::report::sweep::{chart, csv, report};
use crate::report::timings::Clock;
use crate::{input, output, progress, range, signals};
use commonweal::questions::{Shard, own_play, sweep};
use commonweal::{Options, documents};
use std::process::ExitCode;

pub fn run(args: &SweepArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    if let Some(place) = &args.out {
        output::check_picture_place(place, &args.model.model)?;
    }
    output::check_places(&[("--out", &args.out), ("--csv", &args.csv)], &args.model.model)?;
    let stop = signals::start(&args.run);
    let varied = args.vary.rsplit_once('=').map_or("", |(name, _)| name);
    let model = signals::while_reading(|| input::varied_model(&args.model, &[varied], args.run.quiet))?;
    clock.has_read();
    let structure = model.structure();
    let (principal, quantity, range) = range::assigned("--vary", &args.vary, structure)?;
    let grid = range::grid("--vary", range, quantity, args.steps)?;
    if !args.run.quiet {
        range::note_replaced(model.structure(), principal, quantity);
    }
    let grid = if args.changes { grid } else { grid.between_points() };
    let options = Options { engine: args.engine.engine(), stop, ..Options::default() };
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let sweep = progress::shown(&options.stop, args.run.quiet, || sweep(&model, principal, grid, shard, &options));
    if let Some(place) = &args.csv {
        output::write_whole(place, |out| out.write_all(csv(structure, &sweep).as_bytes()))?;
    }
    if let Some(place) = &args.out {
        output::write_picture(place, &chart(structure, &sweep).picture(), args.run.quiet)?;
    }
    if args.shard.is_some() {
        json::print_lines(documents::Point::all(structure, &sweep))?;
    } else if args.run.json {
        json::print_numbers(documents::Sweep::new(structure, &sweep), &args.run, clock.spent(args.run.timings))?;
    } else {
        let spent = clock.spent(args.run.timings).map_or_else(String::new, |spent| spent.in_words());
        let own = progress::shown(&options.stop, args.run.quiet, || own_play(&model, &options));
        output::print(&(report(structure, &sweep, own.as_ref()) + &spent))?;
    }
    Ok(if sweep.is_complete() { ExitCode::SUCCESS } else { ExitCode::from(3) })
}
