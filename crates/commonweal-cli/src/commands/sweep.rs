//! `commonweal sweep MODEL --vary PRINCIPAL=FROM..TO`

use crate::args::SweepArgs;
use crate::range::{self, CROWD, Grid, Shard, UNITS};
use crate::report::sweep::{ChangeJson, Point, SweepJson, chart, csv, report};
use crate::report::timings::Clock;
use crate::report::{json, play};
use crate::{input, output};
use anyhow::bail;
use commonweal::Options;
use commonweal::internals::evaluation::evaluate;
use commonweal::internals::landscape::{Bracket, Change, Label, Survey, UNKNOWN, changes};
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Rational, Value};
use commonweal::internals::stop::StopSignal;
use commonweal::internals::strategy::Strategy;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// So many points are solved at a time, so that not all solutions are in memory at once.
const BATCH: usize = 64;

pub fn run(args: &SweepArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    if let Some(place) = &args.out {
        output::check_picture_place(place, &args.model.model)?;
    }
    if let Some(place) = &args.csv {
        output::check_place(place)?;
        output::check_apart(place, &args.model.model)?;
    }
    if args.out.is_some() && args.out == args.csv {
        bail!("--out and --csv name the same file; give them different ones");
    }
    let stop = args.run.start()?;
    let model = input::model(&args.model, args.run.quiet)?;
    clock.has_read();
    let (principal, range) = range::assigned("--vary", &args.vary, &model)?;
    let grid = Grid::over("--vary", range, args.steps)?;
    let name = model.principals()[principal.index()].name.clone();
    let options = Options { stop: stop.clone(), ..Options::default() };
    let mut survey = Survey::new(&model, vec![principal], options);
    let points = points(&model, &mut survey, &grid, args.shard.unwrap_or(Shard::WHOLE), &stop);
    let stopped = stop.reason();
    let solved = stopped.is_none() && points.iter().all(|point| point.strategy.is_some());
    if let Some(place) = &args.csv {
        output::write_whole(place, |out| out.write_all(csv(&model, &points).as_bytes()))?;
    }
    if let Some(place) = &args.out {
        let svg = chart(&model, &name, &points).svg();
        output::write_whole(place, |out| out.write_all(svg.as_bytes()))?;
    }
    if args.shard.is_some() {
        let mut lines = String::new();
        for point in &points {
            lines += &serde_json::to_string(point)?;
            lines.push('\n');
        }
        output::print(&lines)?;
    } else if args.run.json {
        let document = SweepJson {
            format: "commonweal-sweep/1",
            principal: &name,
            from: grid.from.to_string(),
            to: grid.to.to_string(),
            steps: grid.steps,
            start: model.state_name(model.start()).into_owned(),
            width: grid.unit().to_string(),
            status: stopped.map(|_| "stopped"),
            reason: stopped.map(|reason| reason.to_string()),
            points: &points,
        };
        json::print(&document, clock.spent(args.run.timings))?;
    } else {
        let spent = clock.spent(args.run.timings).map_or_else(String::new, |spent| spent.in_words());
        output::print(&(report(&model, &name, &points, stopped) + &spent))?;
    }
    Ok(if solved { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

/// The points of a shard, each with the changes between it and the next point of the grid.
fn points(model: &Mdp, survey: &mut Survey, grid: &Grid, shard: Shard, stop: &StopSignal) -> Vec<Point> {
    let own: Vec<u64> = shard.indices(0..grid.n_points()).collect();
    let mut labels: BTreeMap<u64, Label> = BTreeMap::new();
    let mut points = Vec::with_capacity(own.len());
    for batch in own.chunks(BATCH) {
        let places: Vec<Vec<Rational>> = batch.iter().map(|&index| vec![grid.point(index)]).collect();
        for (&index, solution) in batch.iter().zip(survey.solutions(&places)) {
            let label = survey.label(&solution);
            labels.insert(index, label);
            let words = (label != UNKNOWN).then(|| play::in_words(model, survey.play(label)));
            points.push(Point::new(model, &solution, index, Value::from(grid.point(index)), words));
        }
    }
    // The point after the last one of a run may be another shard's.
    let next = |index: &u64| index + 1;
    let others: Vec<u64> =
        own.iter().map(next).filter(|index| *index < grid.n_points() && !labels.contains_key(index)).collect();
    let places: Vec<Vec<Rational>> = others.iter().map(|&index| vec![grid.point(index)]).collect();
    labels.extend(others.iter().copied().zip(survey.labels(&places)));
    let brackets: Vec<Bracket> = own
        .iter()
        .enumerate()
        .filter_map(|(line, index)| {
            Some(Bracket { line, ends: [0, UNITS], labels: [labels[index], *labels.get(&(index + 1))?] })
        })
        .collect();
    let found = changes(&brackets, CROWD, UNKNOWN, |places| {
        let place = |&(line, units): &(usize, u64)| vec![grid.place(own[line], units)];
        survey.labels(&places.iter().map(place).collect::<Vec<_>>())
    });
    for (bracket, found) in brackets.iter().zip(found) {
        let located = found.iter().filter(|change| change.before != UNKNOWN && change.after != UNKNOWN);
        points[bracket.line].changes =
            located.map(|change| located_change(model, survey, grid, own[bracket.line], change, stop)).collect();
    }
    points
}

fn located_change(
    model: &Mdp,
    survey: &Survey,
    grid: &Grid,
    index: u64,
    change: &Change,
    stop: &StopSignal,
) -> ChangeJson {
    let (low, high) = (grid.place(index, change.low), grid.place(index, change.high));
    let exact = (!change.crowded).then(|| tie_between(survey, change, &low, &high, stop)).flatten();
    let welfare = survey.solutions(&[vec![low.clone()]])[0].welfare(model.start());
    ChangeJson {
        place: exact.as_ref().unwrap_or(&low).to_f64(),
        at: exact.map(|exact| exact.to_string()),
        low: low.to_string(),
        high: high.to_string(),
        before: play::in_words(model, survey.play(change.before)),
        after: play::in_words(model, survey.play(change.after)),
        crowded: change.crowded,
        welfare: welfare.enclosure.midpoint(),
    }
}

/// The simplest fraction between two discounts, if the strategies before and after earn exactly the same there.
fn tie_between(
    survey: &Survey,
    change: &Change,
    low: &Rational,
    high: &Rational,
    stop: &StopSignal,
) -> Option<Rational> {
    /// Longer strategies are not evaluated for this.
    const MAX_STEPS: u64 = 1_000;
    /// Nor for a longer denominator.
    const SHORT_BITS: usize = 20;
    let simplest = Rational::simplest_between(low.clone(), high.clone());
    let is_short = simplest.denominator_bits() <= SHORT_BITS;
    let strategies = [change.before, change.after].map(|label| survey.strategy(label));
    if !is_short || strategies.iter().any(|strategy| strategy.settled_from() > MAX_STEPS.into()) {
        return None;
    }
    let model = survey.model_at(std::slice::from_ref(&simplest)).ok()?;
    let welfare = |strategy: &commonweal::internals::strategy::CountingStrategy| {
        let payoffs = evaluate(&model, &Strategy::Counting(strategy.clone()), stop).ok()?;
        payoffs.welfare(model.start()).exact
    };
    let [before, after] = strategies.map(welfare);
    (before.is_some() && before == after).then_some(simplest)
}
