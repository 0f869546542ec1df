//! The entry `explanation` of a solution: the steps of the computation.

use super::{Entries, Number, StepNumber};
use crate::explain;
use crate::model::{ChoiceId, StateId, Structure};
use crate::number::Value;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The steps of a solution, by principal, the most patient first. If the work for single ones is used up, the names of several that share a
/// discount are joined by `+`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The step at which a run is in the state, for `values` and for the `advantages` of `deviations`: 0, or the first one of the last
    /// segment of the time preferences. What follows counts as it does seen from step 0.
    #[serde(default)]
    pub at_step: u64,
    /// V: for each state that can be reached, the value of the long-term strategy, weights included.
    pub values: Entries<Entries<Number>>,
    /// Every choice of these states that the long-term strategy does not take.
    pub deviations: Vec<Deviation>,
    /// The layers just before the horizon, the last one first.
    pub layers: Vec<Layer>,
    /// Every change of a choice at a state and step that can be reached, the latest first.
    pub changes: Vec<ChangeOfChoice>,
    /// What holds before the last segment of the time preferences, the latest first; left out if there is one segment only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierSegment>,
}

/// A segment of the time preferences that others follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlierSegment {
    /// Its first step.
    pub from: u64,
    /// The first step of the next one.
    pub until: u64,
    /// Every choice of states that can be reached that the long-term strategy does not take; `None` if the steps are too many to look at.
    pub deviations: Option<Vec<EarlierDeviation>>,
}

/// A choice that the long-term strategy does not take, before the last segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlierDeviation {
    /// Where.
    pub state: String,
    /// What.
    pub action: String,
    /// What one use of it changes for each principal as of step 0, weights included: at `pays_from`, or the segment's first step.
    pub advantages: Entries<Number>,
    /// The first step of the segment at which it pays by itself, if there is one.
    pub pays_from: Option<u64>,
    /// The step after the last one at which it does.
    pub pays_until: Option<u64>,
}

/// A choice that the long-term strategy does not take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deviation {
    /// Where.
    pub state: String,
    /// What.
    pub action: String,
    /// Δ: what one use of it at `at_step` changes, weights included.
    pub advantages: Entries<Number>,
    /// The first step at which it pays by itself, if there is one.
    pub pays_from: Option<StepNumber>,
    /// The step after the last one at which it does.
    pub pays_until: Option<StepNumber>,
    /// Whether these two are known; left out if they are.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub pays_is_known: bool,
}

fn yes() -> bool {
    true
}

fn is_yes(known: &bool) -> bool {
    *known
}

/// What is gained from one step on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// The step.
    pub step: u64,
    /// The states that gain something and can be reached then.
    pub gains: Vec<Gain>,
}

/// What a state gains over the long-term strategy from one step on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Where.
    pub state: String,
    /// The action taken there.
    pub action: String,
    /// Its gain by itself.
    pub now: Number,
    /// What is gained from here on.
    pub total: Number,
}

/// A change of a state's choice, and the principals who prefer it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeOfChoice {
    /// The first step at which the new choice is taken.
    pub step: StepNumber,
    /// Where.
    pub state: String,
    /// The action until then.
    pub before: String,
    /// The action from then on.
    pub after: String,
    /// The principals for whom the new one is known to be better then, given the later decisions; `None` if it is not known of any
    /// principal whether it is better or worse.
    pub better_for: Option<Vec<String>>,
    /// For whom it is known to be worse.
    pub worse_for: Option<Vec<String>>,
}

impl Explanation {
    /// The entry of an explanation for this model.
    pub fn new(model: &Structure, explanation: &explain::Explanation) -> Explanation {
        let state = |state: StateId| model.state_name(state).into_owned();
        let action = |choice: ChoiceId| model.action_name(choice).into_owned();
        let by = |names: &[String], numbers: &[Value]| -> Entries<Number> {
            names.iter().cloned().zip(numbers.iter().map(Number::from)).collect()
        };
        let deviation = |deviation: &explain::Deviation| Deviation {
            state: state(deviation.state),
            action: action(deviation.choice),
            advantages: by(&explanation.names, &deviation.advantages),
            pays_from: deviation.pays.as_ref().map(|(first, _)| StepNumber(first.clone())),
            pays_until: deviation.pays.as_ref().map(|(_, end)| StepNumber(end.clone())),
            pays_is_known: deviation.pays_is_known,
        };
        let principals = || model.principals().iter().map(|principal| principal.name.clone());
        let once = |deviation: &explain::EarlierDeviation| EarlierDeviation {
            state: state(deviation.state),
            action: action(deviation.choice),
            advantages: principals().zip(deviation.changes.iter().map(|&own| Number::from(Value::from(own)))).collect(),
            pays_from: deviation.pays.map(|(first, _)| first),
            pays_until: deviation.pays.map(|(_, end)| end),
        };
        let earlier = |own: &explain::EarlierSegment| EarlierSegment {
            from: own.from,
            until: own.until,
            deviations: own.deviations.as_ref().map(|all| all.iter().map(once).collect()),
        };
        let change = |turn: &explain::ChangeOfChoice| {
            let known = turn.better.iter().any(Option::is_some);
            let who = |ordering| {
                let those =
                    turn.better.iter().zip(&explanation.judges).filter(|(better, _)| **better == Some(ordering));
                known.then(|| those.map(|(_, name)| name.clone()).collect())
            };
            ChangeOfChoice {
                step: StepNumber(turn.step.clone()),
                state: state(turn.state),
                before: action(turn.before),
                after: action(turn.after),
                better_for: who(Ordering::Greater),
                worse_for: who(Ordering::Less),
            }
        };
        let reached = explanation.reached.iter();
        Explanation {
            at_step: explanation.at_step,
            values: reached.map(|&id| (state(id), by(&explanation.names, &explanation.values[id.index()]))).collect(),
            deviations: explanation.deviations.iter().map(deviation).collect(),
            earlier: explanation.earlier.iter().map(earlier).collect(),
            layers: explanation
                .layers
                .iter()
                .map(|layer| Layer {
                    step: layer.step,
                    gains: layer
                        .gains
                        .iter()
                        .map(|gain| Gain {
                            state: state(gain.state),
                            action: action(gain.choice),
                            now: Number::from(gain.now.clone()),
                            total: Number::from(gain.total.clone()),
                        })
                        .collect(),
                })
                .collect(),
            changes: explanation.turns.iter().map(change).collect(),
        }
    }

    pub(super) fn leave_fractions_out(&mut self) {
        self.values.0.iter_mut().for_each(|(_, values)| values.leave_fractions_out());
        self.deviations.iter_mut().for_each(|deviation| deviation.advantages.leave_fractions_out());
        for gain in self.layers.iter_mut().flat_map(|layer| &mut layer.gains) {
            gain.now.leave_fraction_out();
            gain.total.leave_fraction_out();
        }
    }
}
