//! `commonweal-evaluation/1`: what a given strategy is worth.

use super::{Document, Double, Engine, Entries, Format, Number, Status};
use crate::evaluate;
use crate::model::{StateId, Structure};
use serde::{Deserialize, Serialize};

/// What a strategy is worth to each principal, exactly or between bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    format: Format<Evaluation>,
    /// Which engine answered.
    pub engine: Engine,
    /// What a gap is relative to, of a certified evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<Double>,
    /// `stopped`, if it was: its bounds hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The start state.
    pub start: String,
    /// The states that are listed.
    pub states: Entries<Worth>,
}

/// What a strategy is worth from one start state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    /// The weighted sum of the payoffs.
    pub welfare: Number,
    /// What each principal of the file gets, before its weight.
    pub payoffs: Entries<Number>,
}

impl Document for Evaluation {
    const FORMAT: &'static str = "commonweal-evaluation/1";

    fn leave_fractions_out(&mut self) {
        for (_, worth) in &mut self.states.0 {
            worth.welfare.leave_fraction_out();
            worth.payoffs.leave_fractions_out();
        }
    }
}

impl Evaluation {
    /// The document of an evaluation for this model, with these states.
    pub fn new(model: &Structure, evaluation: &evaluate::Evaluation, states: &[StateId]) -> Evaluation {
        let of_state = |&state: &StateId| {
            let payoff = |p: usize| (model.principals()[p].name.clone(), evaluation.payoff(p.into(), state).into());
            let worth = Worth {
                welfare: evaluation.welfare(state).into(),
                payoffs: (0..model.n_principals()).map(payoff).collect(),
            };
            (model.state_name(state).into_owned(), worth)
        };
        Evaluation {
            format: Format::default(),
            engine: Engine::from(evaluation.method),
            scale: evaluation.method.scale().map(Double),
            status: evaluation.stopped().map(|_| Status::Stopped),
            reason: evaluation.stopped().map(|reason| reason.to_string()),
            start: model.state_name(model.start()).into_owned(),
            states: states.iter().map(of_state).collect(),
        }
    }
}
