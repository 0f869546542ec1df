//! `/api/view`: all data of the page in one answer, so that a slider needs one round trip.

use super::solve::{Wanted, stopped};
use super::{Context, Reply, options, solve};
use crate::fields::Fields;
use crate::problem::Problem;
use crate::request::Asked;
use commonweal::documents::{self, Entries, StepNumber, exact_text};
use commonweal::limits::on_threads;
use commonweal::preferences::Preference;
use commonweal::questions::{Play, accrued};
use commonweal::strategies::CountingStrategy;
use commonweal::structure::{ChoiceId, StateId, Structure};
use commonweal::{Answer, Model, Options, Rational, StopSignal};
use serde::Serialize;

/// A larger model is not drawn.
const MOST_STATES: usize = 2_000;
const MOST_TRANSITIONS: usize = 20_000;
/// The most rows of the timeline.
const ROWS: usize = 60;
/// A larger model is not explained: that takes as long as solving it.
const MOST_EXPLAINED: usize = 200;
/// A larger model is not checked at every move of a slider.
const MOST_CHECKED: usize = 50;
/// In a larger model the curves of payoffs take too long for a page that moves with its sliders.
const MOST_ACCRUED: usize = 20_000;

pub fn answer(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let model = asked.model(&context.limits)?;
    let check = model.n_states() <= MOST_CHECKED;
    let options = Options { keep_proof: check, ..options(asked.engine, stop) };
    let reply = || {
        let answer = commonweal::solve(&model, &options);
        let explain = model.n_states() <= MOST_EXPLAINED;
        let wanted = Wanted { check, explain, only_start: true, ..Wanted::default() };
        let is_drawn = model.n_states() <= MOST_STATES && model.structure().n_transitions() <= MOST_TRANSITIONS;
        let view = View {
            format: "commonweal-view/1",
            model: Outline::of(&model, is_drawn.then_some(&answer)),
            strategy: is_drawn.then(|| documents::Strategy::counting(model.structure(), answer.strategy())),
            timeline: Timeline::of(model.structure(), &answer),
            accrued: (model.n_states() <= MOST_ACCRUED).then(|| Accrued::of(&model, &answer)).flatten(),
            solution: solve::document(&model, &answer, &wanted, context, stop),
        };
        Reply::on_one_line(&view, stopped(&answer))
    };
    Ok(on_threads(Some(context.limits.threads_for(&model)), reply))
}

/// All of it.
#[derive(Debug, Serialize)]
struct View {
    format: &'static str,
    model: Outline,
    /// As `/api/solve` has it, with the start state only.
    solution: documents::Solution,
    /// What the strategy does in every state; `None` of a large model.
    strategy: Option<documents::Strategy>,
    timeline: Timeline,
    /// `None` of a large model, and where rewards are too large for doubles.
    accrued: Option<Accrued>,
}

/// The model as the page draws it.
#[derive(Debug, Serialize)]
struct Outline {
    name: Option<String>,
    description: Option<String>,
    /// What one step is called.
    step: String,
    start: String,
    n_states: usize,
    n_choices: usize,
    n_transitions: usize,
    principals: Vec<Whom>,
    /// The states; `None` of a large model.
    states: Option<Vec<Place>>,
}

/// A principal of the file.
#[derive(Debug, Serialize)]
struct Whom {
    name: String,
    /// The time preference as it is stated.
    stated: String,
    /// Whether it is stated as a rate, or by several.
    is_rate: bool,
    /// The discount; `None` where the time preference is not a single one.
    discount: Option<String>,
    /// The greatest discount of the last segment.
    patience: String,
    weight: String,
}

/// A state.
#[derive(Debug, Serialize)]
struct Place {
    name: String,
    actions: Vec<Row>,
}

/// An action of a state.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    rewards: Vec<String>,
    /// The next states by their index, each with its probability, exactly and as a double.
    to: Vec<(usize, String, f64)>,
    /// Whether the long-term strategy allows it.
    is_long_term: bool,
}

impl Outline {
    /// The outline of a model; with its states if their answer is given.
    fn of(model: &Model, drawn: Option<&Answer>) -> Outline {
        let structure = model.structure();
        let about = structure.about();
        let whom = |principal: &commonweal::structure::Principal| Whom {
            name: principal.name.clone(),
            stated: principal.preference().to_string(),
            is_rate: matches!(
                principal.preference(),
                Preference::Rate { .. } | Preference::Schedule(_) | Preference::Gamma { .. } | Preference::Survey(_)
            ),
            discount: principal.discount().map(shown),
            patience: shown(principal.patience()),
            weight: shown(&principal.weight),
        };
        Outline {
            name: about.name.clone(),
            description: about.description.clone(),
            step: about.step().to_owned(),
            start: structure.state_name(structure.start()).into_owned(),
            n_states: structure.n_states(),
            n_choices: structure.n_choices(),
            n_transitions: structure.n_transitions(),
            principals: structure.principals().iter().map(whom).collect(),
            states: drawn.map(|answer| places(model, answer)),
        }
    }
}

fn places(model: &Model, answer: &Answer) -> Vec<Place> {
    let (arrays, model) = (model.to_arrays(), model.structure());
    let row = |choice: ChoiceId| Row {
        name: model.action_name(choice).into_owned(),
        rewards: arrays.rewards(choice).iter().map(shown).collect(),
        to: arrays.transitions(choice).map(|(state, chance)| (state.index(), shown(chance), chance.to_f64())).collect(),
        is_long_term: answer.long_term_choices(model.state_of(choice)).contains(&choice),
    };
    let place = |state: StateId| Place {
        name: model.state_name(state).into_owned(),
        actions: model.choices(state).map(row).collect(),
    };
    model.states().map(place).collect()
}

/// The fraction, or a decimal where it is too long to be read.
fn shown(number: &Rational) -> String {
    const LONG: usize = 60;
    exact_text(number).filter(|text| text.len() <= LONG).unwrap_or_else(|| format!("{:e}", number.to_f64()))
}

/// The actions of each state that can be reached, in the order in which they are reached.
#[derive(Debug, Serialize)]
struct Timeline {
    rows: Vec<TimelineRow>,
    /// The number of states reached, including those without a row.
    n_met: usize,
    /// Whether states alternate periodically after the last change.
    takes_turns: bool,
    /// Whether all states are shown at all steps, because reachability by step takes too long.
    over_all_states: bool,
}

#[derive(Debug, Serialize)]
struct TimelineRow {
    state: String,
    runs: Vec<Run>,
}

/// The action from a step on; `None` while the state cannot be reached.
#[derive(Debug, Serialize)]
struct Run {
    from: StepNumber,
    action: Option<String>,
}

impl Timeline {
    fn of(model: &Structure, answer: &Answer) -> Timeline {
        let play = Play::of(model, answer.strategy(), model.start());
        let states = play.states(model);
        let action = |choice: ChoiceId| model.action_name(choice).into_owned();
        let row = |&state: &StateId| {
            let runs = play.runs(model, state).into_iter();
            let run = |(from, choice): (commonweal::Step, Option<ChoiceId>)| Run {
                from: StepNumber(from),
                action: choice.map(action),
            };
            TimelineRow { state: model.state_name(state).into_owned(), runs: runs.map(run).collect() }
        };
        Timeline {
            rows: states.iter().take(ROWS).map(row).collect(),
            n_met: states.len(),
            takes_turns: play.takes_turns(),
            over_all_states: play.is_over_all_states(),
        }
    }
}

/// What each principal has got after 0, 1, … steps, in doubles.
#[derive(Debug, Serialize)]
struct Accrued {
    plan: Entries<Vec<f64>>,
    long_term: Entries<Vec<f64>>,
}

impl Accrued {
    fn of(model: &Model, answer: &Answer) -> Option<Accrued> {
        let steps = telling_steps(model, answer);
        let structure = model.structure();
        let tail = CountingStrategy::positional(structure.states().map(|state| answer.strategy().tail(state)));
        let entries = |strategy: &CountingStrategy| -> Option<Entries<Vec<f64>>> {
            let curves = accrued(model, strategy, steps).ok()?;
            Some(structure.principals().iter().map(|principal| principal.name.clone()).zip(curves).collect())
        };
        Some(Accrued { plan: entries(answer.strategy())?, long_term: entries(&tail)? })
    }
}

/// The steps until the rest is negligible, and a few steps beyond the strategy's last change if that is soon.
fn telling_steps(model: &Model, answer: &Answer) -> usize {
    const LITTLE: f64 = 0.005;
    const FEWEST: f64 = 8.0;
    const MOST: f64 = 240.0;
    let patience = model.principals().iter().map(|principal| principal.patience().to_f64()).fold(0.0, f64::max);
    let until_little = if patience > 0.0 { LITTLE.ln() / patience.ln() } else { 0.0 };
    let settled = answer.memory(model.start()).to_f64() + 3.0;
    until_little.max(if settled < MOST { settled } else { 0.0 }).clamp(FEWEST, MOST) as usize
}
