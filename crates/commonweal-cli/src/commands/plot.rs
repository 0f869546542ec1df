//! `commonweal plot MODEL`

use super::front;
use crate::args::{PlotArgs, PlotKind};
use crate::report::note;
use crate::report::pictures::{Drawn, expected_rewards, gains, likely_states, payoffs, rates, timeline};
use crate::{input, output, progress};
use anyhow::{Context, bail};
use commonweal::internals::certified;
use commonweal::internals::exact;
use commonweal::{Answer, Claim, DEFAULT_GAP, Engine, Model, Options, Strategy, evaluate};
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
    let stop = args.run.start();
    let model = input::model(&args.model, args.run.quiet)?;
    let read = |path: &PathBuf| anyhow::Ok((path.clone(), input::strategy_file(&model, path)?));
    let given = args.strategy.as_ref().map(read).transpose()?;
    if let Some((path, Strategy::Stationary(_) | Strategy::Lottery(_))) = &given {
        bail!(
            "{}: a randomised strategy cannot be drawn; `commonweal evaluate` computes its payoffs, \
             `commonweal simulate` plays it",
            path.display()
        );
    }
    let doubles = model.to_doubles().with_context(|| args.model.model.display().to_string())?;
    let options = Options { stop, ..Options::default() };
    // Fractions gain little if preferences are approximated.
    let is_approximated = model.principals().iter().any(|principal| principal.approximation().is_some());
    let gap = args.gap.or(is_approximated.then_some(DEFAULT_GAP));
    let solution: Answer = progress::shown(&options.stop, args.run.quiet, || match gap {
        Some(gap) => certified::solve(&doubles, gap, &options),
        None => exact::solve(&model, &options),
    });
    let drawn = match &given {
        Some((path, strategy @ Strategy::Counting(counting))) => {
            let options = Options { engine: args.gap.map_or(Engine::Auto, Engine::Within), ..options.clone() };
            let evaluated = || evaluate(&Model::from(model.clone()), strategy, &options);
            let evaluation = progress::shown(&options.stop, args.run.quiet, evaluated);
            Drawn::given(&model, counting, &evaluation.with_context(|| path.display().to_string())?, &solution)
        }
        _ => Drawn::answer(&model, &solution),
    };
    let draw = |kind: &PlotKind| -> anyhow::Result<Picture> {
        Ok(match kind {
            PlotKind::Timeline => timeline(&model, &drawn).picture(),
            PlotKind::Payoffs => payoffs(&doubles, &drawn).picture(),
            PlotKind::Gains => {
                let own_best = gap.is_none().then(|| exact::own_best_from_start(&model, &options.stop).ok()).flatten();
                gains(&model, &drawn, own_best.as_deref()).picture()
            }
            PlotKind::Front => {
                let model = Model::from(model.clone());
                front::picture(&model, &options)?
            }
            PlotKind::Rates => rates(&model, &drawn).picture(),
            PlotKind::States => likely_states(&doubles, &drawn).picture(),
            PlotKind::Rewards => expected_rewards(&doubles, &drawn).picture(),
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
