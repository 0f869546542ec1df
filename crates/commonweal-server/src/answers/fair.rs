//! `/api/front` and `/api/fair`: the documents of `front --json` and `fair --json`.

use super::map::two;
use super::solve::bounds;
use super::{Context, Reply, Unanswered, for_page, options};
use crate::fields::Fields;
use crate::memory::Held;
use crate::problem::Problem;
use crate::request::{Asked, numbers, principal};
use commonweal::limits::{StopReason, on_threads};
use commonweal::questions::{
    self, FrontOptions, Over, PayoffSet, Proven, Rule, fair_suited, front_axes, front_engine, front_gap, front_in,
    hull_in,
};
use commonweal::structure::PrincipalId;
use commonweal::{Engine, Model, Rational, StopSignal, documents, solve};

/// The most vertices of a front on a page.
const VERTICES: usize = 400;
/// The most work for it: about three seconds of one processor.
const WORK: u64 = 3_000_000_000;

pub fn front(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    let names = (fields.text("x")?, fields.text("y")?);
    let vertex_limit = vertices(&mut fields)?.map_or(VERTICES, |most| most as usize);
    fields.done()?;
    let model = super::model(&asked, context, front_held)?;
    let axes = axes(&model, names)?;
    let (engine, gap) = engine(&asked, &model);
    let options = options(engine, stop);
    let found = on_threads(Some(context.limits.threads_for(&model)), || {
        let set = PayoffSet::new(&model, &options);
        let limits = FrontOptions { gap: front_gap(&set, axes, gap), vertex_limit, work_limit: WORK };
        Ok(match axes {
            Some(axes) => {
                let front = front_in(&set, axes, &limits)?;
                (documents::Front::new(model.structure(), &front), front.stopped)
            }
            None => {
                let hull = hull_in(&set, &limits)?;
                (documents::Front::of_hull(model.structure(), &hull), hull.stopped)
            }
        })
    });
    let (document, stopped) = found.map_err(|reason| nothing_yet(&model, stop, reason))?;
    Ok(Reply::document(&document, stopped.or(stop.reason())))
}

/// The most vertices that are asked for.
pub fn vertices(fields: &mut Fields) -> Result<Option<u64>, Problem> {
    fields.count("vertices", 2..=VERTICES as u64)
}

/// The engine for a front, and the gap of the front: a gap is that of the front first, as for `front --json`. A model that the page
/// shows in doubles has a front in doubles.
pub fn engine(asked: &Asked, model: &Model) -> (Engine, Option<f64>) {
    match for_page(asked.engine, model) {
        Engine::Within(gap) => (front_engine(model, Engine::Auto, Some(gap)), Some(gap)),
        engine => (engine, None),
    }
}

/// How large a front is: the payoffs, weights and decisions of its vertices.
pub fn front_held(model: &Model) -> Held {
    let (vertices, principals) = (VERTICES as u64, model.n_principals() as u64);
    Held { numbers: vertices * 2 * principals, names: vertices * model.n_states() as u64 }
}

/// A front that was stopped before its first vertex has the bounds of the welfare.
pub fn nothing_yet(model: &Model, stop: &StopSignal, reason: StopReason) -> Unanswered {
    Unanswered::Stopped(bounds(model, &solve(model, &options(Engine::Auto, stop)), reason))
}

/// The two principals of a front; `None` for all of three and more.
pub fn axes(model: &Model, names: (Option<String>, Option<String>)) -> Result<Option<[PrincipalId; 2]>, Problem> {
    let named = match names {
        (Some(x), Some(y)) => Some(two(model, &[x, y])?),
        (None, None) => None,
        _ => return Err(Problem::bad_request("`x` and `y` go together").help("give both, or none")),
    };
    front_axes(model, named).map_err(|error| Problem::unprocessable(error.to_string()).help("add another principal"))
}

pub fn fair(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    let missing = || Problem::bad_request("`rule` is missing").help("name a rule, such as \"max-min\"");
    let rule: Rule = fields.text("rule")?.ok_or_else(missing)?.parse().map_err(Problem::from)?;
    let over = fields.text("over")?;
    let (at_least, at_most) = (numbers(&mut fields, "at_least")?, numbers(&mut fields, "at_most")?);
    fields.done()?;
    // A mix of one strategy more than there are principals.
    let held = |model: &Model| {
        let (mixed, principals) = (model.n_principals() as u64 + 1, model.n_principals() as u64);
        Held { numbers: mixed.saturating_mul(principals), names: mixed.saturating_mul(model.n_states() as u64) }
    };
    let model = super::model(&asked, context, held)?;
    let over = match over.as_deref() {
        None => rule.usual_reference(),
        // No paths from the outside: the command line alone reads a strategy from a file.
        Some(text) => Over::read(text, model.structure(), |_| {
            let problem = Problem::unprocessable("`over`: a strategy in a file is for the command line");
            Err(problem.help("write own-worst, or a number for each principal: alice=9,bob=2"))
        })?,
    };
    let demanded = |key: &str, numbers: Vec<(String, Rational)>| -> Result<Vec<(PrincipalId, Rational)>, Problem> {
        numbers.into_iter().map(|(name, bound)| Ok((principal(&model, key, &name)?, bound))).collect()
    };
    let question = questions::Question {
        rule,
        over,
        at_least: demanded("at_least", at_least)?,
        at_most: demanded("at_most", at_most)?,
    };
    let options = options(asked.engine, stop);
    on_threads(Some(context.limits.threads_for(&model)), || {
        let set = PayoffSet::new(&model, &options);
        let found = fair_suited(&set, &question).map_err(Problem::from)?;
        let stopped = match found.proven {
            Proven::Stopped(reason) => Some(reason),
            _ => None,
        };
        Ok(Reply::document(&documents::Fair::new(model.structure(), &found, false), stopped))
    })
}
