//! The entry `outlook` of a solution: annuities, implied rates, and trajectories.

use super::{Double, Entries, Number};
use crate::answer::Answer;
use crate::any_model::Model;
use crate::model::{ModelError, Principal, PrincipalId};
use crate::outlook::{WeightsByStep, annuity, half_life, social_rates, total_weight, trajectory};
use serde::{Deserialize, Serialize};

/// Annuities, implied rates and trajectories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outlook {
    /// What one step is called.
    pub step: String,
    /// Every principal of the file.
    pub principals: Entries<Patience>,
    /// The first steps.
    pub steps: Vec<OutlookStep>,
}

/// A principal's annuity and measures of its patience.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Patience {
    /// The constant reward per step of the same value as the payoff.
    pub annuity: Number,
    /// The sum of the weights of all steps.
    pub total_weight: Number,
    /// The first step that counts at most half of step 0; `None` if it is late.
    pub half_life: Option<u64>,
}

/// What is expected at one step, in doubles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlookStep {
    /// The step, from 0.
    pub step: u64,
    /// The rate at which the sum of all weights falls to the next step; `None` if all weights are 0 then.
    pub social_rate: Option<Double>,
    /// The weight of the step for each principal, before its own weight.
    pub weights: Entries<Double>,
    /// The expected reward of each principal, not discounted.
    pub rewards: Entries<Double>,
    /// The probability of each state that is met.
    pub states: Entries<Double>,
}

/// The longest half-life that is searched for.
const FAR: u64 = 100_000;

impl Outlook {
    /// The outlook over the first `n` steps of an answer for this model. An error if a reward overflows a double.
    pub fn new(model: &Model, answer: &Answer, n: usize) -> Result<Outlook, ModelError> {
        let model = model.doubles()?;
        let name = |principal: &Principal| principal.name.clone();
        let patience = |(p, principal): (usize, &Principal)| {
            let payoff = answer.payoff(PrincipalId::from(p), model.start());
            let own = Patience {
                annuity: annuity(principal, &payoff).into(),
                total_weight: total_weight(principal).into(),
                half_life: half_life(principal, FAR),
            };
            (name(principal), own)
        };
        let expected = trajectory(model, answer.strategy(), n);
        let rates = social_rates(model.principals(), n);
        let mut weights: Vec<WeightsByStep> = model.principals().iter().map(WeightsByStep::of).collect();
        let by_principal = |values: &[f64]| -> Entries<Double> {
            model.principals().iter().map(name).zip(values.iter().map(|value| Double(*value))).collect()
        };
        let mut steps = Vec::with_capacity(n);
        for (step, (states, rewards)) in expected.states.iter().zip(&expected.rewards).enumerate() {
            let counts: Vec<f64> =
                weights.iter_mut().map(|weights| weights.next().expect("there is no last step")).collect();
            let met = model.states().filter(|state| states[state.index()] > 0.0);
            steps.push(OutlookStep {
                step: step as u64,
                social_rate: rates[step].map(Double),
                weights: by_principal(&counts),
                rewards: by_principal(rewards),
                states: met
                    .map(|state| (model.state_name(state).into_owned(), Double(states[state.index()])))
                    .collect(),
            });
        }
        Ok(Outlook {
            step: model.about().step().to_owned(),
            principals: model.principals().iter().enumerate().map(patience).collect(),
            steps,
        })
    }
}
