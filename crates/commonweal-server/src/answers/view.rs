//! `/api/view`: all data of the page in one answer, so that a slider needs one round trip.

use super::solve::{Wanted, stopped};
use super::{Context, Reply, Unanswered, for_page, options, solve};
use crate::fields::Fields;
use crate::request::Asked;
use commonweal::documents::{self, ViewParts};
use commonweal::limits::{StopReason, on_threads};
use commonweal::{Model, Options, StopSignal};

/// A larger model is not drawn.
const MOST_STATES: usize = 2_000;
const MOST_TRANSITIONS: usize = 20_000;
const MOST_REWARDS: usize = 50_000;
/// The most rows of the timeline.
const ROWS: usize = 60;
/// A larger model is not explained: that takes as long as solving it.
const MOST_EXPLAINED: usize = 200;
/// A larger model is not checked at every move of a slider.
const MOST_CHECKED: usize = 50;
/// With more states, counted once for each principal, the curves of payoffs take too long for a page that moves with its sliders.
const MOST_ACCRUED: usize = 20_000;

pub fn answer(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let wanted = |model: &Model| Wanted {
        check: model.n_states() <= MOST_CHECKED,
        explain: model.n_states() <= MOST_EXPLAINED && rewards(model) <= MOST_REWARDS,
        only_start: true,
        ..Wanted::default()
    };
    let model = super::model(&asked, context, |model| wanted(model).held(model))?;
    let wanted = wanted(&model);
    let options = Options { keep_proof: wanted.check, ..options(for_page(asked.engine, &model), stop) };
    let reply = || {
        let answer = commonweal::solve(&model, &options);
        context.so_far.keep(solve::bounds(&model, &answer, StopReason::TimeLimit));
        let is_drawn = model.n_states() <= MOST_STATES
            && model.structure().n_transitions() <= MOST_TRANSITIONS
            && rewards(&model) <= MOST_REWARDS;
        let has_curves = model.n_states().saturating_mul(model.n_principals()) <= MOST_ACCRUED;
        let solution = solve::document(&model, &answer, &wanted, context, stop);
        let parts = ViewParts { states: is_drawn, curves: has_curves, rows: ROWS };
        let view = documents::View::new(&model, &answer, solution, parts);
        Reply::on_one_line(&view, stopped(&answer).or(stop.reason()))
    };
    Ok(on_threads(Some(context.limits.threads_for(&model)), reply))
}

/// How many rewards a model has.
fn rewards(model: &Model) -> usize {
    model.structure().n_choices().saturating_mul(model.n_principals())
}
