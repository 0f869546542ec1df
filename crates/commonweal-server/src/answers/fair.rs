//! `/api/front` and `/api/fair`: the documents of `front --json` and `fair --json`.

use super::map::two;
use super::{Context, Reply, options};
use crate::fields::Fields;
use crate::problem::Problem;
use crate::request::{Asked, numbers, principal};
use commonweal::limits::{StopReason, on_threads};
use commonweal::questions::{
    self, FairError, FrontOptions, Over, PayoffSet, Proven, Rule, fair_in, front_engine, front_gap, front_in, hull_in,
};
use commonweal::structure::PrincipalId;
use commonweal::{Engine, Model, Rational, StopSignal, documents};

/// The most vertices of a front on a page.
const VERTICES: usize = 400;

pub fn front(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    let names = (fields.text("x")?, fields.text("y")?);
    fields.done()?;
    let model = asked.model(&context.limits)?;
    let axes = axes(&model, names)?;
    // A gap is that of the front first, as for `front --json`.
    let (engine, gap) = match asked.engine {
        Engine::Within(gap) => (Engine::Auto, Some(gap)),
        engine => (engine, None),
    };
    let options = options(front_engine(&model, engine, gap), stop);
    let found = on_threads(Some(context.limits.threads_for(&model)), || {
        let set = PayoffSet::new(&model, &options);
        let limits = FrontOptions { gap: front_gap(&set, axes, gap), vertex_limit: VERTICES };
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
    let (document, stopped) = found.map_err(|reason: StopReason| Problem::out_of_time(reason))?;
    Ok(Reply::document(&document, stopped))
}

/// The two principals of a front; `None` for all of three and more.
pub fn axes(model: &Model, names: (Option<String>, Option<String>)) -> Result<Option<[PrincipalId; 2]>, Problem> {
    match (names, model.n_principals()) {
        ((Some(x), Some(y)), _) => two(model, &[x, y]).map(Some),
        ((None, None), 1) => Err(Problem::unprocessable("a front needs at least two principals")
            .help("this model has one principal; add another")),
        ((None, None), 2) => Ok(Some([0.into(), 1.into()])),
        ((None, None), _) => Ok(None),
        _ => Err(Problem::bad_request("`x` and `y` go together").help("give both, or none")),
    }
}

pub fn fair(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    let missing = || Problem::bad_request("`rule` is missing").help("name a rule, such as \"max-min\"");
    let rule: Rule = fields.text("rule")?.ok_or_else(missing)?.parse().map_err(refused)?;
    let over = fields.text("over")?;
    let (at_least, at_most) = (numbers(&mut fields, "at_least")?, numbers(&mut fields, "at_most")?);
    fields.done()?;
    let model = asked.model(&context.limits)?;
    let over = match over.as_deref() {
        None => rule.usual_reference(),
        Some("own-worst") => Over::OwnWorst,
        // No paths from the outside: the command line alone reads a strategy from a file.
        Some(text) if text.starts_with("strategy:") => {
            return Err(Problem::unprocessable("`over`: a strategy in a file is for the command line")
                .help("write own-worst, or a number for each principal: alice=9,bob=2"));
        }
        Some(text) => Over::Given(questions::reference_numbers(model.structure(), text).map_err(refused)?),
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
        let found = fair_in(&set, &question).map_err(refused)?;
        let engine = if set.gap().is_some() { documents::Engine::Certified } else { documents::Engine::Exact };
        let stopped = match found.proven {
            Proven::Stopped(reason) => Some(reason),
            _ => None,
        };
        Ok(Reply::document(&documents::Fair::new(model.structure(), &found, engine, false), stopped))
    })
}

fn refused(error: FairError) -> Problem {
    Problem::unprocessable(error.to_string())
}
