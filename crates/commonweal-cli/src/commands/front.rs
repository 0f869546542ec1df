//! `commonweal front MODEL`

use crate::args::{EngineArgs, FrontArgs};
use crate::engine::{self, Asked};
use crate::json;
use crate::report::front as report;
use crate::report::timings::Clock;
use crate::{output, progress, range, signals};
use anyhow::{anyhow, bail};
use commonweal::limits::StopReason;
use commonweal::questions::{
    Front, FrontOptions, Hull, PayoffSet, front_axes, front_engine, front_gap, front_in, front_options, hull_in,
};
use commonweal::structure::PrincipalId;
use commonweal::{Model, Options, documents};
use commonweal_charts::Picture;
use std::process::ExitCode;

/// The picture of a model's front: exact for two principals, to the usual gap for more.
pub fn picture(model: &Model, options: &Options) -> anyhow::Result<Picture> {
    let set = PayoffSet::new(model, options);
    match front_axes(model, None)? {
        Some(axes) => {
            let found = front_in(&set, axes, &FrontOptions::default()).map_err(stopped)?;
            Ok(report::chart(&set, &found).picture())
        }
        None => {
            let gap = front_gap(&set, None, None);
            let found = hull_in(&set, &FrontOptions { gap, ..FrontOptions::default() }).map_err(stopped)?;
            Ok(report::hull_charts(&set, &found))
        }
    }
}

fn stopped(reason: StopReason) -> anyhow::Error {
    anyhow!("{reason}, before any vertex of the front was found")
}

pub fn run(args: &FrontArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    if let Some(place) = &args.out {
        output::check_picture_place(place, &args.model.model)?;
    }
    output::check_places(&[("--out", &args.out), ("--csv", &args.csv)], &args.model.model)?;
    let stop = signals::start(&args.run);
    let asked = engine::read(&EngineArgs { exact: args.engine.exact, gap: None }, &args.model, false, args.run.quiet)?;
    let Asked { model, engine } = asked;
    let engine = front_engine(&model, engine, args.engine.gap);
    clock.has_read();
    let structure = model.structure();
    let named: Option<[PrincipalId; 2]> = match (&args.x, &args.y) {
        (Some(x), Some(y)) => {
            let axes = [range::principal("--x", x, structure)?, range::principal("--y", y, structure)?];
            if axes[0] == axes[1] {
                bail!("--x and --y name the same principal; give them different ones");
            }
            Some(axes)
        }
        _ => None,
    };
    let axes = front_axes(&model, named)?;
    let options = Options { engine, stop, ..Options::default() };
    let set = PayoffSet::new(&model, &options);
    let limits = FrontOptions { vertex_limit: args.vertices as usize, ..front_options(&set, axes, args.engine.gap) };
    let (document, text, picture, csv, reason) = match axes {
        Some(axes) => {
            let found = progress::shown(&options.stop, args.run.quiet, || front_in(&set, axes, &limits));
            let found = found.unwrap_or_else(|reason| Front::nothing_known(axes, reason));
            let document = documents::Front::new(structure, &found);
            let picture = args.out.is_some().then(|| report::chart(&set, &found).picture());
            (
                document,
                report::report(structure, &found),
                picture,
                report::csv(structure, &found.vertices),
                found.stopped,
            )
        }
        None => {
            let found = progress::shown(&options.stop, args.run.quiet, || hull_in(&set, &limits));
            let found = found.unwrap_or_else(Hull::nothing_known);
            let document = documents::Front::of_hull(structure, &found);
            let picture = args.out.is_some().then(|| report::hull_charts(&set, &found));
            (document, report::hull(structure, &found), picture, report::csv(structure, &found.vertices), found.stopped)
        }
    };
    if let (Some(place), Some(picture)) = (&args.out, picture) {
        output::write_picture(place, &picture, args.run.quiet)?;
    }
    if let Some(place) = &args.csv {
        output::write_whole(place, |out| out.write_all(csv.as_bytes()))?;
    }
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print_numbers(document, &args.run, spent)?;
    } else {
        output::print(&(text + &spent.map_or_else(String::new, |spent| spent.in_words())))?;
    }
    Ok(if reason.is_some() { ExitCode::from(3) } else { ExitCode::SUCCESS })
}
