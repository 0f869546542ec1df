//! `/api/map`: the document of `map --json`, with outlines to draw.

use super::{Context, Reply, options};
use crate::fields::Fields;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::request::{Asked, principal};
use commonweal::internals::landscape::Class;
use commonweal::questions::{Grid, StrategyMap, named_regions, strategy_map};
use commonweal::{Model, Options, PrincipalId, Rational, StopSignal, documents, on_threads};
use serde::Serialize;

/// How many cells each side has, where none are asked for.
const RESOLUTION: u64 = 12;
/// More are not computed for a page.
const FINEST: u64 = 64;
/// A map has thousands of solves: of a larger model they take too long.
const MOST_STATES: usize = 1_000;
/// More regions than this do not all have a colour of their own.
const DRAWN: usize = 9;

pub fn answer(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    let axes = Axes::take(&mut fields)?;
    fields.done()?;
    let model = asked.model(&context.limits)?;
    let options = options(asked.engine, stop);
    let mapped = axes.map(&model, &context.limits, &options)?;
    let document = Drawn {
        document: documents::StrategyMap::new(model.structure(), &mapped.map),
        drawn: regions(&model, &mapped.map, &mapped.classes),
    };
    Ok(Reply::document(&document, mapped.map.stopped))
}

/// What is asked of a map.
pub struct Axes {
    names: [String; 2],
    resolution: u64,
}

/// A map, and its regions in the classes that a picture shows.
pub struct Mapped {
    pub map: StrategyMap,
    pub classes: Vec<Class>,
}

impl Axes {
    pub fn take(fields: &mut Fields) -> Result<Axes, Problem> {
        let mut name = |key: &str| {
            let missing =
                || Problem::bad_request(format!("`{key}` is missing")).help("name the principal of each axis");
            fields.text(key)?.ok_or_else(missing)
        };
        let names = [name("x")?, name("y")?];
        let resolution = fields.count("resolution", 2..=FINEST)?.unwrap_or(RESOLUTION);
        Ok(Axes { names, resolution })
    }

    /// The map over discounts from 0 to almost 1.
    pub fn map(&self, model: &Model, limits: &Limits, options: &Options) -> Result<Mapped, Problem> {
        if model.n_states() > MOST_STATES {
            return Err(Problem::unprocessable(format!(
                "this model has {} states; a map solves it thousands of times, which is done up to {MOST_STATES}",
                model.n_states()
            ))
            .help("use the command line: `commonweal map`"));
        }
        let axes = two(model, &self.names)?;
        let grid = || Grid::new(Rational::ZERO, Rational::from_quotient(99, 100), self.resolution);
        Ok(on_threads(Some(limits.threads), || {
            let map = strategy_map(model, axes, [grid(), grid()], options);
            let classes = map.classes(&model.exact(), DRAWN, options);
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

#[derive(Debug, Serialize)]
struct DrawnRegion {
    /// A letter; empty of what has none.
    name: String,
    /// The strategy in words.
    words: String,
    /// Whether it is what is left when all other regions are named.
    is_rest: bool,
    /// Closed polygons of discounts [x, y], even-odd.
    outline: Vec<Vec<[f64; 2]>>,
}

fn regions(model: &Model, map: &StrategyMap, classes: &[Class]) -> Vec<DrawnRegion> {
    let named = named_regions(model.structure(), map).regions;
    let region = |class: &Class| {
        let point = |&(x, y): &(u64, u64)| [map.grids[0].double(x), map.grids[1].double(y)];
        let outline = class.outline.iter().map(|ring| ring.iter().map(point).collect()).collect();
        match class.labels.as_slice() {
            [label] => {
                let found = named.iter().find(|(other, ..)| other == label);
                let (_, name, words) = found.expect("the largest regions have names");
                DrawnRegion { name: name.clone(), words: words.clone(), is_rest: label.is_none(), outline }
            }
            labels => {
                let words = format!("{} other strategies", labels.len());
                DrawnRegion { name: String::new(), words, is_rest: true, outline }
            }
        }
    };
    classes.iter().map(region).collect()
}
