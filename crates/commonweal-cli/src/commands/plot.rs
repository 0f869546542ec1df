//! `commonweal plot MODEL`

use super::front;
use crate::args::{PlotArgs, PlotKind};
use crate::report::note;
use crate::report::pictures::{Drawn, expected_rewards, gains, likely_states, payoffs, rates, timeline};
use crate::{input, output, progress, signals};
use anyhow::{Context, bail};
use commonweal::answers::DEFAULT_GAP;
use commonweal::questions::{evaluate, own_best};
use commonweal::{Claim, Engine, Options, Strategy, solve};
use commonweal_charts::{Picture, stacked};
use std::path::PathBuf;
use std::process::ExitCode;

pub fn run(args: &PlotArgs) -> anyhow::Result<ExitCode> {
    if args.run.json {
        bail!("--json: a picture is not JSON; `commonweal solve --json` has the numbers");
    }
    if let Some(place) = &args.out {
        output::check_picture_place(place, &args.model.model)?;
    }
    if let (Some(place), Some(strategy)) = (&args.out, &args.strategy) {
        output::check_apart(place, strategy)?;
    }
    let stop = signals::start(&args.run);
    let model = signals::while_reading(|| input::model(&args.model, args.run.quiet))?;
    let structure = model.structure();
    let read = |path: &PathBuf| anyhow::Ok((path.clone(), input::strategy_file(&model, path)?));
    let given = args.strategy.as_ref().map(read).transpose()?;
    if let Some((path, Strategy::Stationary(_) | Strategy::Lottery(_))) = &given {
        bail!(
            "{}: a randomised strategy cannot be drawn; `commonweal evaluate` computes its payoffs, \
             `commonweal simulate` plays it",
            path.display()
        );
    }
    model.check_doubles().with_context(|| args.model.model.display().to_string())?;
    // Fractions gain little if preferences are approximated.
    let gap = args.gap.or(model.is_approximated().then_some(DEFAULT_GAP));
    let options = Options { engine: gap.map_or(Engine::Exact, Engine::Within), stop, ..Options::default() };
    let solution = progress::shown(&options.stop, args.run.quiet, || solve(&model, &options));
    let drawn = match &given {
        Some((path, strategy @ Strategy::Counting(counting))) => {
            let options = Options { engine: args.gap.map_or(Engine::Auto, Engine::Within), ..options.clone() };
            let evaluated = || evaluate(&model, strategy, &options);
            let evaluation = progress::shown(&options.stop, args.run.quiet, evaluated);
            Drawn::given(structure, counting, &evaluation.with_context(|| path.display().to_string())?, &solution)
        }
        _ => Drawn::answer(structure, &solution),
    };
    let draw = |kind: &PlotKind| -> anyhow::Result<Picture> {
        Ok(match kind {
            PlotKind::Timeline => timeline(structure, &drawn).picture(),
            PlotKind::Payoffs => payoffs(&model, &drawn)?.picture(),
            PlotKind::Gains => {
                let own_best = gap.is_none().then(|| own_best(&model, &solution, &options.stop));
                // Stopped, they are known between wide bounds only.
                let own_best = own_best.filter(|_| options.stop.reason().is_none());
                gains(structure, &drawn, own_best.as_deref()).picture()
            }
            PlotKind::Front => front::picture(&model, &Options { engine: Engine::Auto, ..options.clone() })?,
            PlotKind::Rates => rates(structure, &drawn).picture(),
            PlotKind::States => likely_states(&model, &drawn)?.picture(),
            PlotKind::Rewards => expected_rewards(&model, &drawn)?.picture(),
        })
    };
    let kinds =
        if args.kind.is_empty() { &[PlotKind::Timeline, PlotKind::Payoffs, PlotKind::Gains][..] } else { &args.kind };
    let picture = stacked(kinds.iter().map(draw).collect::<anyhow::Result<Vec<_>>>()?);
    match &args.out {
        Some(place) => output::write_picture(place, &picture, args.run.quiet)?,
        None => output::print(&picture.svg())?,
    }
    if gap.is_some() && kinds.contains(&PlotKind::Gains) && !args.run.quiet {
        note("in doubles, what each principal would get alone is not drawn");
    }
    let Claim::Stopped(reason) = solution.claim() else { return Ok(ExitCode::SUCCESS) };
    note(&format!("{reason}: the picture shows the best strategy found until then"));
    Ok(ExitCode::from(3))
}
