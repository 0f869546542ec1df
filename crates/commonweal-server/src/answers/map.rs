//! `/api/map`: the document of `map --json`, with outlines to draw. `/api/sketch`: a quick version by cells.

use super::{Context, Reply, Unanswered, options};
use crate::fields::Fields;
use crate::limits::Limits;
use crate::memory::Held;
use crate::problem::Problem;
use crate::program::Pictured;
use crate::request::{Asked, number, principal};
use commonweal::documents::{self, Double, DrawnRegion};
use commonweal::limits::{StopReason, on_threads};
use commonweal::questions::{
    Grid, Play, Quantity, RegionClass, StrategyMap, key, letter, map_classes, map_shares, strategy_map, varied,
};
use commonweal::structure::PrincipalId;
use commonweal::{Claim, Model, Options, Rational, StopSignal, solve};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The default number of cells per side.
const RESOLUTION: u64 = 12;
/// More cells are not sketched for a page.
const FINEST_SKETCH: u64 = 64;
/// More are not mapped. The hotel, of whose regions there are infinitely many, takes half a second of a processor for each: what
/// would run into the time limit is refused before it begins.
pub const FINEST_MAP: u64 = 16;
/// The largest model: a map takes thousands of solves.
const MOST_STATES: usize = 1_000;

pub fn answer(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    let axes = Axes::take(&mut fields, FINEST_MAP)?;
    fields.done()?;
    let model = super::model(&asked, context, |_| Held::default())?;
    let options = options(asked.engine, stop);
    let mapped = axes.map(&model, &context.limits, &options)?;
    let shares = map_shares(&model, &mapped.map, &options);
    let document = Drawn {
        document: documents::StrategyMap::new(model.structure(), &mapped.map).with_shares(&mapped.map, &shares),
        drawn: DrawnRegion::all(model.structure(), &mapped.map, &mapped.classes),
    };
    Ok(Reply::document(&document, mapped.map.stopped))
}

/// The axes, the ranges and the resolution of a map.
pub struct Axes {
    names: [String; 2],
    ends: [Option<Rational>; 2],
    resolution: u64,
}

/// A map, and its regions in the classes that a picture shows.
pub struct Mapped {
    pub map: StrategyMap,
    pub classes: Vec<RegionClass>,
}

impl Axes {
    /// Two principals, and at most `finest` cells on each side.
    pub fn take(fields: &mut Fields, finest: u64) -> Result<Axes, Problem> {
        let mut name = |key: &str| {
            let missing =
                || Problem::bad_request(format!("`{key}` is missing")).help("name the principal of each axis");
            fields.text(key)?.ok_or_else(missing)
        };
        let names = [name("x")?, name("y")?];
        let mut end = |key: &str| fields.number(key)?.map(|text| number(key, &text)).transpose();
        let ends = [end("least")?, end("greatest")?];
        let resolution = fields.count("resolution", 2..=finest)?.unwrap_or(RESOLUTION);
        Ok(Axes { names, ends, resolution })
    }

    /// The principals and their ranges, of a model that is not too large for a map.
    fn checked(&self, model: &Model) -> Result<([PrincipalId; 2], [Grid; 2]), Problem> {
        if model.n_states() > MOST_STATES {
            return Err(Problem::unprocessable(format!(
                "this model has {} states; a map solves it thousands of times, which is done up to {MOST_STATES}",
                model.n_states()
            ))
            .help("use the command line: `commonweal map`"));
        }
        let stated = self.names.each_ref().map(|name| varied(model.structure(), name).ok());
        let is_rate = |at: usize| matches!(stated[at], Some((_, Quantity::Rate)));
        let owner = |at: usize| match stated[at] {
            Some((principal, Quantity::Discount | Quantity::Rate)) => {
                model.structure().principals()[principal.index()].name.clone()
            }
            _ => self.names[at].clone(),
        };
        let principals = two(model, &[owner(0), owner(1)])?;
        if is_rate(0) != is_rate(1) {
            return Err(Problem::unprocessable("one axis is a rate and the other a discount")
                .help("write `.rate` behind both names, or behind none"));
        }
        let quantity = if is_rate(0) { Quantity::Rate } else { Quantity::Discount };
        let grid = self.grid(quantity)?;
        Ok((principals, [grid.clone(), grid]))
    }

    /// The range of both axes: discounts from 0 to almost 1, or rates, unless it is given.
    fn grid(&self, quantity: Quantity) -> Result<Grid, Problem> {
        let usual = match quantity {
            Quantity::Rate => [Rational::from_quotient(1, 1000), Rational::from_quotient(1, 5)],
            Quantity::Discount | Quantity::Weight => [Rational::ZERO, Rational::from_quotient(99, 100)],
        };
        let [from, to] = [0, 1].map(|at| self.ends[at].clone().unwrap_or_else(|| usual[at].clone()));
        let is_one = |end: &Rational| match quantity {
            Quantity::Rate => *end > Rational::ZERO && *end <= Rational::ONE,
            Quantity::Discount | Quantity::Weight => *end >= Rational::ZERO && *end < Rational::ONE,
        };
        if !is_one(&from) || !is_one(&to) || from >= to {
            let message = "`least` and `greatest` are no range of this axis";
            return Err(Problem::unprocessable(message).help(match quantity {
                Quantity::Rate => "a rate is above 0 and at most 1; `least` is below `greatest`",
                Quantity::Discount | Quantity::Weight => {
                    "a discount is at least 0 and below 1; `least` is below `greatest`"
                }
            }));
        }
        Ok(Grid::new(from, to, self.resolution).of(quantity).for_pictures())
    }

    /// The map over the ranges of its axes.
    pub fn map(&self, model: &Model, limits: &Limits, options: &Options) -> Result<Mapped, Problem> {
        let (axes, grids) = self.checked(model)?;
        // One thread is left for slider requests.
        let threads = limits.threads.saturating_sub(1).max(1);
        Ok(on_threads(Some(threads), || {
            let map = strategy_map(model, axes, grids, options);
            let classes = map_classes(model, &map, DrawnRegion::MOST, options);
            Mapped { map, classes }
        }))
    }
}

/// Two different principals.
pub fn two(model: &Model, names: &[String; 2]) -> Result<[PrincipalId; 2], Problem> {
    let axes = [principal(model, "x", &names[0])?, principal(model, "y", &names[1])?];
    if axes[0] == axes[1] {
        return Err(Problem::unprocessable("`x` and `y` name the same principal").help("give them different ones"));
    }
    Ok(axes)
}

/// The document, and what to draw.
#[derive(Debug, Serialize)]
struct Drawn {
    #[serde(flatten)]
    document: documents::StrategyMap,
    /// The regions in the order of their shades, the last perhaps all others together.
    drawn: Vec<DrawnRegion>,
}

/// The best strategy in the middle of each cell; boundaries are not located. What is known when the time is over is the answer.
pub fn sketch(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    let axes = Axes::take(&mut fields, FINEST_SKETCH)?;
    fields.done()?;
    Ok(sketched(&asked, axes, context, stop)?.reply(stop.reason()))
}

/// A sketch as a picture, which `file` makes.
pub fn sketch_picture(
    asked: &Asked,
    mut fields: Fields,
    context: &Context,
    stop: &StopSignal,
    file: impl Fn(&Pictured) -> Result<Reply, Unanswered>,
) -> Result<Reply, Unanswered> {
    let axes = Axes::take(&mut fields, FINEST_SKETCH)?;
    fields.done()?;
    let sketch = sketched(asked, axes, context, stop)?;
    if let Some(reason) = stop.reason() {
        return Err(Unanswered::Stopped(sketch.reply(Some(reason))));
    }
    let (model, axes, grid) = (&sketch.model, sketch.principals, &sketch.grid);
    file(&Pictured::Sketch { model, axes, grid, regions: &sketch.drawn() })
}

fn sketched(asked: &Asked, axes: Axes, context: &Context, stop: &StopSignal) -> Result<Arc<Sketched>, Unanswered> {
    let model = super::model(asked, context, |_| Held::default())?;
    let (principals, [grid, _]) = axes.checked(&model)?;
    let n = axes.resolution;
    let plays = Mutex::new(vec![None; (n * n) as usize]);
    let sketch = Arc::new(Sketched { model, axes, principals, grid, plays });
    let growing = Arc::clone(&sketch);
    context.so_far.keep_what(move || growing.reply(Some(StopReason::TimeLimit)));
    let play = |cell: u64| -> Option<Play> {
        let at = [sketch.middle(cell % n), sketch.middle(cell / n)];
        let moved =
            principals.iter().zip(&at).try_fold(sketch.model.clone(), |model, (&p, at)| model.with_discount(p, at));
        let moved = moved.expect("discounts of a map lie between 0 and 1");
        let answer = solve(&moved, &options(asked.engine, stop));
        let is_known = !matches!(answer.claim(), Claim::Stopped(_));
        is_known.then(|| Play::of(moved.structure(), answer.strategy(), moved.start()))
    };
    let next = AtomicU64::new(0);
    let work = || {
        while stop.reason().is_none() {
            let cell = next.fetch_add(1, Ordering::Relaxed);
            if cell >= n * n {
                return;
            }
            let found = play(cell);
            sketch.plays.lock().expect("nobody panics with it")[cell as usize] = found;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..context.limits.threads {
            scope.spawn(work);
        }
    });
    Ok(sketch)
}

/// A sketch that is being made.
struct Sketched {
    model: Model,
    axes: Axes,
    principals: [PrincipalId; 2],
    grid: Grid,
    /// By cell, row by row from the origin; `None` for what is not solved yet.
    plays: Mutex<Vec<Option<Play>>>,
}

impl Sketched {
    /// The discount in the middle of a row or a column.
    fn middle(&self, at: u64) -> Rational {
        let half = (&self.grid.to - &self.grid.from) / Rational::from(2 * self.axes.resolution);
        let place = &self.grid.from + &half * Rational::from(2 * at + 1);
        self.grid.quantity.discount(&place).expect("no axis is a weight")
    }

    /// What is known, as a document.
    fn reply(&self, stopped: Option<StopReason>) -> Reply {
        let document = documents::Sketch::new(self.axes.names.clone(), self.axes.resolution, self.drawn());
        Reply::document(&document, stopped)
    }

    /// What is known, as regions.
    fn drawn(&self) -> Vec<DrawnRegion> {
        let plays = self.plays.lock().expect("nobody panics with it");
        let mut cells: BTreeMap<Option<&Play>, Vec<u64>> = BTreeMap::new();
        for (cell, play) in plays.iter().enumerate() {
            cells.entry(play.as_ref()).or_default().push(cell as u64);
        }
        let unsolved = cells.remove(&None);
        let mut regions: Vec<(&Play, Vec<u64>)> =
            cells.into_iter().filter_map(|(play, cells)| Some((play?, cells))).collect();
        regions.sort_by_key(|(play, _)| (play.n_steps(), *play));
        // Regions with few cells have no colour of their own.
        let mut by_size: Vec<usize> = (0..regions.len()).collect();
        by_size.sort_by_key(|&at| std::cmp::Reverse(regions[at].1.len()));
        by_size.truncate(DrawnRegion::MOST);
        let (large, small): (Vec<_>, Vec<_>) =
            regions.into_iter().enumerate().partition(|(at, _)| by_size.contains(at));
        let [large, small] = [large, small].map(|list| list.into_iter().map(|(_, region)| region).collect::<Vec<_>>());
        let solved: Vec<&Play> = large.iter().map(|(play, _)| *play).collect();
        let words = key(self.model.structure(), &solved);
        let mut drawn = Vec::new();
        for (at, (words, (_, cells))) in words.into_iter().zip(&large).enumerate() {
            let outline = squares(cells, &self.grid);
            drawn.push(DrawnRegion { name: letter(at), words, is_rest: false, outline });
        }
        let rest = |words: String, cells: &[u64]| DrawnRegion {
            name: String::new(),
            words,
            is_rest: true,
            outline: squares(cells, &self.grid),
        };
        if !small.is_empty() {
            let mut others: Vec<u64> = small.iter().flat_map(|(_, cells)| cells.iter().copied()).collect();
            others.sort_unstable();
            drawn.push(rest(format!("{} other strategies", small.len()), &others));
        }
        if let Some(cells) = unsolved {
            drawn.push(rest("not solved".to_owned(), &cells));
        }
        drawn
    }
}

/// Cells as squares, neighbours in a row as one rectangle.
fn squares(cells: &[u64], grid: &Grid) -> Vec<Vec<[Double; 2]>> {
    let n = grid.steps;
    let (from, to) = (grid.from.to_f64(), grid.to.to_f64());
    let place = |at: u64| Double(from + (to - from) * at as f64 / n as f64);
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &cell in cells {
        match runs.last_mut() {
            Some((_, end)) if *end == cell && cell % n != 0 => *end += 1,
            _ => runs.push((cell, cell + 1)),
        }
    }
    let rectangle = |(from, end): (u64, u64)| {
        let (left, right) = (place(from % n), place((end - 1) % n + 1));
        let (low, high) = (place(from / n), place(from / n + 1));
        vec![[left, low], [right, low], [right, high], [left, high]]
    };
    runs.into_iter().map(rectangle).collect()
}
