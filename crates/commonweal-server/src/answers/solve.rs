//! `/api/solve`: the document of `solve --json`.

use super::{Context, Reply, Unanswered, options};
use crate::fields::Fields;
use crate::memory::Held;
use crate::request::Asked;
use commonweal::documents::{self, Document, listed_states};
use commonweal::limits::{StopReason, on_threads};
use commonweal::questions::{alternatives, compare, explain, own_best};
use commonweal::structure::StateId;
use commonweal::{Answer, Claim, Model, Options, StopSignal, solve};

/// The most layers and changes of an explanation.
const LAYERS: u64 = 25;
const TURNS: usize = 40;

pub fn answer(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
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
    let model = super::model(&asked, context, |model| wanted.held(model))?;
    let options = Options { keep_proof: true, ..options(asked.engine, stop) };
    on_threads(Some(context.limits.threads_for(&model)), || {
        let answer = solve(&model, &options);
        context.so_far.keep(bounds(&model, &answer, StopReason::TimeLimit));
        if !wanted.no_exact {
            context.limits.check_fractions(&model, digits(&model, &answer, &wanted))?;
        }
        let document = document(&model, &answer, &wanted, context, stop);
        Ok(Reply::document(&document, stopped(&answer).or(stop.reason())))
    })
}

/// The bounds of an answer from the start, for a request whose time is over before its own answer is made.
pub fn bounds(model: &Model, answer: &Answer, reason: StopReason) -> Reply {
    let structure = model.structure();
    let mut document = documents::Solution::of_start(structure, answer, &[], &structure.state_name(structure.start()));
    for (_, state) in &mut document.states.0 {
        state.own_best = None;
    }
    Reply::stopped(&document, reason)
}

/// About how many digits the fractions of a document have: a payoff has no more than the welfare, mostly.
fn digits(model: &Model, answer: &Answer, wanted: &Wanted) -> u64 {
    /// Longer fractions are left out.
    const MOST: u64 = 10_000;
    let of_bits = |bits: u64| Some(2 * bits * 3 / 10).filter(|&digits| digits <= MOST).unwrap_or(0);
    let of_state = |state| answer.welfare(state).exact.map_or(0, |welfare| of_bits(welfare.bits() as u64));
    let fractions = model.n_principals() as u64 + 2;
    wanted.listed(model).into_iter().map(of_state).fold(0, u64::saturating_add).saturating_mul(fractions)
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

impl Wanted {
    fn listed(&self, model: &Model) -> Vec<StateId> {
        let structure = model.structure();
        if self.only_start { vec![structure.start()] } else { listed_states(structure, self.all_states) }
    }

    /// How large the document is.
    pub fn held(&self, model: &Model) -> Held {
        /// The other classes of a comparison: stationary, positional, fair rules and the like.
        const CLASSES: u64 = 16;
        let (listed, principals) = (self.listed(model).len() as u64, model.n_principals() as u64);
        let choices = model.structure().n_choices() as u64;
        // Payoffs of every state, and three further ones of the start.
        let mut numbers = listed * (principals + 2) + 3 * principals;
        if self.compare {
            numbers = numbers.saturating_add(principals.saturating_mul(principals + CLASSES));
        }
        if self.explain {
            numbers = numbers.saturating_add(choices.saturating_mul(2 * principals));
        }
        Held { numbers, names: listed }
    }
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
    // A check takes a second at most: it is not begun after the end.
    let checked = wanted.check && stop.reason().is_none() && context.program.accepts(model, answer);
    let states = wanted.listed(model);
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
