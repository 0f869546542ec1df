//! A model from its arrays, for readers that fill them directly.

use super::{
    Model, ModelError, NameTable, Principal, StateId,
    builder::{check_principals, check_size, first_repeated},
};
use crate::number::ModelNumber;

/// The arrays of a model that nobody has checked yet; see [`Model`] for their meaning.
#[derive(Debug)]
#[allow(missing_docs, reason = "the fields are those of the model")]
pub struct ModelArrays<N> {
    pub start: StateId,
    pub principals: Vec<Principal>,
    pub state_names: NameTable,
    pub action_names: NameTable,
    pub action: Vec<u32>,
    pub first_choice: Vec<u32>,
    pub first_transition: Vec<u32>,
    pub target: Vec<StateId>,
    pub probability: Vec<N>,
    pub reward: Vec<N>,
}

impl<N: ModelNumber> ModelArrays<N> {
    /// The model, if it is one. The offsets must not decrease, and every index must lie inside the array it points into.
    pub fn finish(self) -> Result<Model<N>, ModelError> {
        check_principals(&self.principals)?;
        let n_states = self.state_names.len();
        if n_states == 0 {
            return Err(ModelError::NoStates);
        }
        check_size("states", n_states - 1)?;
        check_size("choices", self.action.len())?;
        check_size("transitions", self.target.len())?;
        assert_offsets(&self.first_choice, n_states, self.action.len());
        assert_offsets(&self.first_transition, self.action.len(), self.target.len());
        assert_eq!(self.probability.len(), self.target.len(), "a probability for each transition");
        assert_eq!(
            self.reward.len(),
            self.action.len() * self.principals.len(),
            "a reward for each choice and principal"
        );
        assert!(self.start.index() < n_states, "the start state is one of the model's");
        let ModelArrays { start, principals, state_names, action_names, action, .. } = self;
        let model = Model {
            start,
            principals,
            state_names,
            action_names,
            action,
            first_choice: self.first_choice,
            first_transition: self.first_transition,
            target: self.target,
            probability: self.probability,
            reward: self.reward,
        };
        model.check()?;
        Ok(model)
    }
}

impl<N: ModelNumber> Model<N> {
    fn check(&self) -> Result<(), ModelError> {
        assert!(self.action.iter().all(|&name| (name as usize) < self.action_names.len()), "actions have names");
        let mut sorted = Vec::new();
        for state in self.states() {
            if self.choices(state).len() == 0 {
                return Err(ModelError::NoChoice { state: self.state_name(state).into_owned() });
            }
            for choice in self.choices(state) {
                let place = || (self.state_name(state).into_owned(), self.action_name(choice).into_owned());
                if let Some(at) = self.rewards(choice).iter().position(|reward| !reward.is_number()) {
                    let (state, action) = place();
                    let principal = self.principals[at].name.clone();
                    return Err(ModelError::RewardOutOfRange { state, action, principal });
                }
                let targets = self.targets(choice);
                assert!(targets.iter().all(|target| target.index() < self.n_states()), "a transition leads to a state");
                if let Some((target, probability)) = self.transitions(choice).find(|(_, p)| !p.is_probability()) {
                    let (state, action) = place();
                    let (target, probability) = (self.state_name(target).into_owned(), probability.to_string());
                    return Err(ModelError::NonPositiveProbability { state, action, target, probability });
                }
                if let Some(target) = first_repeated(targets, &mut sorted) {
                    let (state, action) = place();
                    return Err(ModelError::DuplicateTarget {
                        state,
                        action,
                        target: self.state_name(target).into_owned(),
                    });
                }
                if let Err(sum) = N::check_row(self.probabilities(choice)) {
                    let (state, action) = place();
                    return Err(ModelError::ProbabilitySum { state, action, sum });
                }
            }
        }
        Ok(())
    }
}

fn assert_offsets(offsets: &[u32], n: usize, end: usize) {
    assert_eq!(offsets.len(), n + 1, "an offset for each, and one for the end");
    assert!(
        offsets.first() == Some(&0) && offsets.last() == Some(&(end as u32)) && offsets.is_sorted(),
        "offsets in order"
    );
}
