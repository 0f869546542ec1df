//! `commonweal-view/1`: a model and its answer, with all that a page draws of them.

use super::pieces::nearest_double;
use super::{Document, Double, Entries, Format, Solution, StepNumber, Strategy, exact_text};
use crate::answer::Answer;
use crate::any_model::Model;
use crate::landscape::Play;
use crate::model::{ChoiceId, Parameter, ParameterKind, Principal, StateId, Structure};
use crate::number::Rational;
use crate::questions::accrued;
use crate::strategy::CountingStrategy;
use serde::{Deserialize, Serialize};

/// A model, its answer, what to do when, and how the payoffs accrue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    format: Format<View>,
    /// The model.
    pub model: Outline,
    /// The answer, of the start state only.
    pub solution: Solution,
    /// What the strategy does in every state; `None` of a large model.
    pub strategy: Option<Strategy>,
    /// What to do when.
    pub timeline: Timeline,
    /// `None` of a large model, and where rewards are too large for doubles.
    pub accrued: Option<Accrued>,
}

/// The model as it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// How it is called.
    pub name: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What one step is called.
    pub step: String,
    /// The start state.
    pub start: String,
    /// The number of states.
    pub n_states: usize,
    /// The number of choices in all states.
    pub n_choices: usize,
    /// The number of transitions of all choices.
    pub n_transitions: usize,
    /// The principals of the file.
    pub principals: Vec<OutlinePrincipal>,
    /// The states; `None` of a large model.
    pub states: Option<Vec<OutlineState>>,
}

/// A principal of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlinePrincipal {
    /// How it is called.
    pub name: String,
    /// The time preference as it is stated.
    pub stated: String,
    /// Whether it is stated as a rate, or by several.
    pub is_rate: bool,
    /// The discount; `None` where the time preference is not a single one.
    pub discount: Option<String>,
    /// The greatest discount of the last segment.
    pub patience: String,
    /// The weight of its payoff.
    pub weight: String,
    /// The numbers of the time preference.
    pub parameters: Vec<OutlineParameter>,
}

/// A number of a time preference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineParameter {
    /// Its name, such as `rate`, `mean` or `from 31`.
    pub name: String,
    /// `factor`, `rate`, `steps` or `number`.
    pub kind: String,
    /// The number.
    pub value: String,
}

/// A state with its actions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineState {
    /// How it is called.
    pub name: String,
    /// Its actions.
    pub actions: Vec<OutlineAction>,
}

/// An action of a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineAction {
    /// How it is called.
    pub name: String,
    /// The reward of each principal.
    pub rewards: Vec<String>,
    /// The next states.
    pub to: Vec<OutlineTarget>,
    /// Whether the long-term strategy allows it.
    pub is_long_term: bool,
}

/// A next state by its index, with its probability, exactly and as a double. Written as a list of the three.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineTarget(
    /// The index of the state.
    pub usize,
    /// The probability as a fraction.
    pub String,
    /// The probability.
    #[serde(deserialize_with = "nearest_double")]
    pub f64,
);

/// The actions of each state that can be reached, in the order in which they are reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The states that are reached first.
    pub rows: Vec<TimelineRow>,
    /// The number of states reached, including those without a row.
    pub n_met: usize,
    /// Whether states alternate periodically after the last change.
    pub takes_turns: bool,
    /// Whether all states are shown at all steps, because reachability by step takes too long.
    pub over_all_states: bool,
}

/// The actions of a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineRow {
    /// The state.
    pub state: String,
    /// Its actions by step.
    pub runs: Vec<TimelineRun>,
}

/// The action from a step on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineRun {
    /// The first step.
    pub from: StepNumber,
    /// The action; `None` while the state cannot be reached.
    pub action: Option<String>,
}

/// What each principal has got after 0, 1, … steps, in doubles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accrued {
    /// Under the strategy.
    pub plan: Entries<Vec<Double>>,
    /// Under the long-term strategy from the start on.
    pub long_term: Entries<Vec<Double>>,
}

impl Document for View {
    const FORMAT: &'static str = "commonweal-view/1";
}

/// Which parts of a view a large model has, and how long they are.
#[derive(Debug, Clone, Copy)]
pub struct ViewParts {
    /// Whether the states and the whole strategy are listed.
    pub states: bool,
    /// Whether there are curves of the payoffs.
    pub curves: bool,
    /// The most rows of the timeline.
    pub rows: usize,
}

impl View {
    /// The view of an answer for this model, whose document is given.
    pub fn new(model: &Model, answer: &Answer, solution: Solution, parts: ViewParts) -> View {
        let structure = model.structure();
        View {
            format: Format::default(),
            model: Outline::new(model, parts.states.then_some(answer)),
            solution,
            strategy: parts.states.then(|| Strategy::counting(structure, answer.strategy())),
            timeline: Timeline::new(structure, answer, parts.rows),
            accrued: parts.curves.then(|| Accrued::new(model, answer)).flatten(),
        }
    }
}

impl Outline {
    /// The outline of a model; with its states if their answer is given.
    fn new(model: &Model, listed: Option<&Answer>) -> Outline {
        let structure = model.structure();
        let about = structure.about();
        let parameter = |parameter: &Parameter| OutlineParameter {
            name: parameter.name.clone(),
            kind: match parameter.kind {
                ParameterKind::Factor => "factor",
                ParameterKind::Rate => "rate",
                ParameterKind::Steps => "steps",
                ParameterKind::Number => "number",
            }
            .to_owned(),
            value: shown(&parameter.value),
        };
        let principal = |principal: &Principal| OutlinePrincipal {
            name: principal.name.clone(),
            stated: principal.preference().to_string(),
            is_rate: principal.preference().is_in_rates(),
            discount: principal.discount().map(shown),
            patience: shown(principal.patience()),
            weight: shown(&principal.weight),
            parameters: principal.preference().parameters().iter().map(parameter).collect(),
        };
        Outline {
            name: about.name.clone(),
            description: about.description.clone(),
            step: about.step().to_owned(),
            start: structure.state_name(structure.start()).into_owned(),
            n_states: structure.n_states(),
            n_choices: structure.n_choices(),
            n_transitions: structure.n_transitions(),
            principals: structure.principals().iter().map(principal).collect(),
            states: listed.map(|answer| states(model, answer)),
        }
    }
}

fn states(model: &Model, answer: &Answer) -> Vec<OutlineState> {
    let (arrays, model) = (model.to_arrays(), model.structure());
    let target = |(state, chance): (StateId, &Rational)| OutlineTarget(state.index(), shown(chance), chance.to_f64());
    let action = |choice: ChoiceId| OutlineAction {
        name: model.action_name(choice).into_owned(),
        rewards: arrays.rewards(choice).iter().map(shown).collect(),
        to: arrays.transitions(choice).map(target).collect(),
        is_long_term: answer.long_term_choices(model.state_of(choice)).contains(&choice),
    };
    let state = |state: StateId| OutlineState {
        name: model.state_name(state).into_owned(),
        actions: model.choices(state).map(action).collect(),
    };
    model.states().map(state).collect()
}

/// The fraction, or a decimal where it is too long to be read.
fn shown(number: &Rational) -> String {
    const LONG: usize = 60;
    exact_text(number).filter(|text| text.len() <= LONG).unwrap_or_else(|| format!("{:e}", number.to_f64()))
}

impl Timeline {
    fn new(model: &Structure, answer: &Answer, rows: usize) -> Timeline {
        let play = Play::of(model, answer.strategy(), model.start());
        let states = play.states(model);
        let action = |choice: ChoiceId| model.action_name(choice).into_owned();
        let row = |&state: &StateId| {
            let runs = play.runs(model, state).into_iter();
            let run = runs.map(|(from, choice)| TimelineRun { from: StepNumber(from), action: choice.map(action) });
            TimelineRow { state: model.state_name(state).into_owned(), runs: run.collect() }
        };
        Timeline {
            rows: states.iter().take(rows).map(row).collect(),
            n_met: states.len() + play.n_left_out(),
            takes_turns: play.takes_turns(),
            over_all_states: play.is_over_all_states(),
        }
    }
}

impl Accrued {
    fn new(model: &Model, answer: &Answer) -> Option<Accrued> {
        let steps = telling_steps(model, answer);
        let structure = model.structure();
        let tail = CountingStrategy::positional(structure.states().map(|state| answer.strategy().tail(state)));
        let entries = |strategy: &CountingStrategy| -> Option<Entries<Vec<Double>>> {
            let curves = accrued(model, strategy, steps).ok()?.into_iter();
            let curves = curves.map(|curve| curve.into_iter().map(Double).collect());
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
