//! `/api/solve`: the document of `solve --json`.

use super::{Context, Reply, options};
use crate::fields::Fields;
use crate::problem::Problem;
use crate::request::Asked;
use commonweal::documents::{self, Document, listed_states};
use commonweal::limits::{StopReason, on_threads};
use commonweal::questions::{alternatives, compare, explain, own_best};
use commonweal::{Answer, Claim, Model, Options, StopSignal, solve};

/// The most layers and changes of an explanation.
const LAYERS: u64 = 25;
const TURNS: usize = 40;

pub fn answer(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    let wanted = Wanted {
        check: true,
        compare: fields.flag("compare")?,
        explain: fields.flag("explain")?,
        only_start: false,
        all_states: fields.flag("all_states")?,
        no_exact: fields.flag("no_exact")?,
    };
    fields.done()?;
    let model = asked.model(&context.limits)?;
    let options = Options { keep_proof: true, ..options(asked.engine, stop) };
    let reply = || {
        let answer = solve(&model, &options);
        let document = document(&model, &answer, &wanted, context, stop);
        Reply::document(&document, stopped(&answer))
    };
    Ok(on_threads(Some(context.limits.threads_for(&model)), reply))
}

/// The optional parts of the document.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// Whether a checker has accepted it.
    pub check: bool,
    pub compare: bool,
    pub explain: bool,
    /// The start state alone, whatever the model's size.
    pub only_start: bool,
    pub all_states: bool,
    pub no_exact: bool,
}

/// Why an answer was stopped, if it was.
pub fn stopped(answer: &Answer) -> Option<StopReason> {
    match answer.claim() {
        Claim::Stopped(reason) => Some(reason),
        Claim::Optimal | Claim::Within { .. } | Claim::Undecided(_) => None,
    }
}

/// The document of an answer.
pub fn document(
    model: &Model,
    answer: &Answer,
    wanted: &Wanted,
    context: &Context,
    stop: &StopSignal,
) -> documents::Solution {
    let structure = model.structure();
    let checked = wanted.check && context.program.accepts(model, answer);
    let states = if wanted.only_start { vec![structure.start()] } else { listed_states(structure, wanted.all_states) };
    let own = own_best(model, answer, stop);
    let mut document = documents::Solution::new(structure, answer, &own, &states, checked);
    document.set_alternatives(structure, &alternatives(model, answer, stop));
    if wanted.compare {
        document.comparison = Some(documents::Compared::all(structure, &compare(model, answer, stop)));
    }
    if wanted.explain && stopped(answer).is_none() && answer.scale().is_none() {
        let found = explain(model, answer, LAYERS, TURNS, stop).ok();
        document.explanation = found.map(|found| documents::Explanation::new(structure, &found));
    }
    if wanted.no_exact {
        document.leave_fractions_out();
    }
    document
}
