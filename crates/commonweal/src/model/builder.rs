//! Building a model, state by state.

use super::{ChoiceId, Model, ModelError, NameTable, Principal, StateId, error::check_discount};
use crate::number::Rational;

/// Collects choices in the order of their states, then checks what is left to check.
///
/// ```
/// use commonweal::{model::{ModelBuilder, Principal}, number::Rational};
/// let alice = Principal { name: "alice".into(), discount: Rational::from_parts(1.into(), 2u8.into()), weight: Rational::ONE };
/// let mut builder = ModelBuilder::new(vec![alice], ["s0"])?;
/// builder.choice(0.into(), "stay", [Rational::ONE], [(0.into(), Rational::ONE)])?;
/// assert_eq!(builder.finish()?.n_choices(), 1);
/// # Ok::<(), commonweal::model::ModelError>(())
/// ```
#[derive(Debug)]
pub struct ModelBuilder {
    model: Model<Rational>,
    n_states: usize,
}

impl ModelBuilder {
    /// A model with these principals and states and no choices yet. It starts in the first state.
    pub fn new<'a>(
        principals: Vec<Principal>,
        states: impl IntoIterator<Item = &'a str>,
    ) -> Result<ModelBuilder, ModelError> {
        for (index, principal) in principals.iter().enumerate() {
            check_discount(&principal.name, &principal.discount)?;
            if principal.weight.is_zero() {
                return Err(ModelError::ZeroWeight { principal: principal.name.clone() });
            }
            if principals[..index].iter().any(|earlier| earlier.name == principal.name) {
                return Err(ModelError::DuplicatePrincipal { principal: principal.name.clone() });
            }
        }
        if principals.is_empty() {
            return Err(ModelError::NoPrincipals);
        }
        let mut state_names = NameTable::default();
        for state in states {
            let expected = state_names.len();
            check_size("states", expected)?;
            if state_names.intern(state) != expected {
                return Err(ModelError::DuplicateState { state: state.to_owned() });
            }
        }
        let n_states = state_names.len();
        if n_states == 0 {
            return Err(ModelError::NoStates);
        }
        let model = Model {
            start: StateId::from(0),
            principals,
            state_names,
            action_names: NameTable::default(),
            action: Vec::new(),
            first_choice: vec![0],
            first_transition: vec![0],
            target: Vec::new(),
            probability: Vec::new(),
            reward: Vec::new(),
        };
        Ok(ModelBuilder { model, n_states })
    }

    /// The state in which runs start.
    pub fn start(&mut self, state: StateId) {
        assert!(state.index() < self.n_states, "the start state is one of the model's");
        self.model.start = state;
    }

    /// Adds a choice to `state`, which must not come before the state of the choice added last.
    pub fn choice(
        &mut self,
        state: StateId,
        action: &str,
        rewards: impl IntoIterator<Item = Rational>,
        transitions: impl IntoIterator<Item = (StateId, Rational)>,
    ) -> Result<ChoiceId, ModelError> {
        let model = &mut self.model;
        let open = model.first_choice.len() - 1;
        assert!(
            state.index() < self.n_states && state.index() >= open.saturating_sub(1),
            "choices come in state order"
        );
        // Close the states before this one. `first_choice` ends with the first choice of the open state.
        while model.first_choice.len() <= state.index() {
            let closed = model.first_choice.len() - 1;
            if model.first_choice[closed] as usize == model.action.len() {
                return Err(ModelError::NoChoice { state: model.state_names.get(closed).to_owned() });
            }
            model.first_choice.push(model.action.len() as u32);
        }
        let place = |model: &Model| (model.state_names.get(state.index()).to_owned(), action.to_owned());
        check_size("choices", model.action.len())?;
        let first_reward = model.reward.len();
        model.reward.extend(rewards);
        let found = model.reward.len() - first_reward;
        if found != model.principals.len() {
            let (state, action) = place(model);
            return Err(ModelError::WrongRewardCount { state, action, found, expected: model.principals.len() });
        }
        let first = model.target.len();
        let mut sum = Rational::ZERO;
        for (target, probability) in transitions {
            assert!(target.index() < self.n_states, "a transition leads to one of the model's states");
            check_size("transitions", model.target.len())?;
            let target_name = || model.state_names.get(target.index()).to_owned();
            if probability <= Rational::ZERO {
                let (state, action) = place(model);
                return Err(ModelError::NonPositiveProbability { state, action, target: target_name(), probability });
            }
            if model.target[first..].contains(&target) {
                let (state, action) = place(model);
                return Err(ModelError::DuplicateTarget { state, action, target: target_name() });
            }
            sum += &probability;
            model.target.push(target);
            model.probability.push(probability);
        }
        if !sum.is_one() {
            let (state, action) = place(model);
            return Err(ModelError::ProbabilitySum { state, action, sum });
        }
        let choice = ChoiceId::from(model.action.len());
        let name = model.action_names.intern(action);
        model.action.push(name as u32);
        model.first_transition.push(model.target.len() as u32);
        Ok(choice)
    }

    /// The model, if every state has a choice.
    pub fn finish(self) -> Result<Model, ModelError> {
        let mut model = self.model;
        for state in model.first_choice.len() - 1..self.n_states {
            if model.first_choice[state] as usize == model.action.len() {
                return Err(ModelError::NoChoice { state: model.state_names.get(state).to_owned() });
            }
            model.first_choice.push(model.action.len() as u32);
        }
        Ok(model)
    }
}

fn check_size(what: &'static str, next: usize) -> Result<(), ModelError> {
    const LIMIT: usize = u32::MAX as usize - 1;
    match next < LIMIT {
        true => Ok(()),
        false => Err(ModelError::TooLarge { what, limit: LIMIT }),
    }
}
