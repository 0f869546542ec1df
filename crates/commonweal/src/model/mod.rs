//! The model: states, choices, transitions, rewards and principals, in flat arrays.
//!
//! A [`Model`] is valid once built: every state offers a choice, every choice's probabilities are positive and sum to
//! exactly 1 (doubles: but for their rounding), every discount lies in [0, 1). States own a range of choices, choices own a range of transitions:
//!
//! ```text
//! first_choice      state  → its first choice      4 bytes a state
//! first_transition  choice → its first transition  4 bytes a choice
//! target            transition → state             4 bytes a transition
//! probability       transition → number            one N a transition (8 bytes as f64, 48 as Rational)
//! reward            choice × principal → number    one N each, a choice's rewards side by side
//! ```

mod arrays;
mod builder;
mod doubles;
mod error;
mod ids;
mod integer_rows;
mod lists;
mod names;

pub use arrays::ModelArrays;
pub use builder::ModelBuilder;
pub(crate) use builder::first_repeated;
pub use error::ModelError;
pub use ids::{ChoiceId, PrincipalId, StateId};
pub use integer_rows::{IntegerRows, least_common_multiple};
pub use lists::Lists;
pub use names::{NameTable, nearest};

use crate::number::Rational;
use std::borrow::Cow;
use std::ops::{MulAssign, Range};

/// One who has rewards and a patience of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name that the model gives them.
    pub name: String,
    /// The discount factor λ, at least 0 and below 1.
    pub discount: Rational,
    /// What their rewards count for in the welfare; 1 unless the model says otherwise, never 0.
    pub weight: Rational,
}

/// A Markov decision process with one reward per choice and principal, over numbers `N`.
///
/// [`Rational`] numbers serve the exact engine; the same arrays hold doubles for a certified one. A model in doubles
/// stands for an exact one: each probability is within (number of successors + 3) units of the true one, where a unit is
/// 2^-53 of it, or 2^-1074 where that is more, and the true ones sum to exactly 1. Each reward is the double nearest to the
/// true one, or the sum of two such, rounded once more. Discounts and weights are exact in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model<N = Rational> {
    start: StateId,
    principals: Vec<Principal>,
    state_names: NameTable,
    /// Each distinct action name once; `action` says which one a choice has.
    action_names: NameTable,
    action: Vec<u32>,
    first_choice: Vec<u32>,
    first_transition: Vec<u32>,
    target: Vec<StateId>,
    probability: Vec<N>,
    reward: Vec<N>,
}

/// The flat arrays of a model, as the head of this module describes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrays<'m, N> {
    pub first_choice: &'m [u32],
    pub first_transition: &'m [u32],
    pub target: &'m [StateId],
    pub probability: &'m [N],
    pub reward: &'m [N],
}

impl<N> Arrays<'_, N> {
    /// The transitions of a choice.
    #[inline(always)]
    pub fn row(&self, choice: u32) -> Range<usize> {
        self.first_transition[choice as usize] as usize..self.first_transition[choice as usize + 1] as usize
    }
}

impl<N> Model<N> {
    /// The state in which a run starts unless told otherwise.
    pub fn start(&self) -> StateId {
        self.start
    }

    /// The number of states; at least 1.
    pub fn n_states(&self) -> usize {
        self.first_choice.len() - 1
    }

    /// The number of choices: pairs of a state and one of its actions.
    pub fn n_choices(&self) -> usize {
        self.first_transition.len() - 1
    }

    /// The number of transitions with a positive probability.
    pub fn n_transitions(&self) -> usize {
        self.target.len()
    }

    /// The number of principals in the file; at least 1.
    pub fn n_principals(&self) -> usize {
        self.principals.len()
    }

    /// All states, in the model's order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + Clone + use<N> {
        (0..self.n_states()).map(StateId::from)
    }

    /// The principals, in the model's order.
    pub fn principals(&self) -> &[Principal] {
        &self.principals
    }

    /// The choices of a state, in the model's order; at least one.
    pub fn choices(
        &self,
        state: StateId,
    ) -> impl ExactSizeIterator<Item = ChoiceId> + DoubleEndedIterator + Clone + use<N> {
        let range = self.first_choice[state.index()] as usize..self.first_choice[state.index() + 1] as usize;
        range.map(ChoiceId::from)
    }

    /// The state that offers a choice.
    pub fn state_of(&self, choice: ChoiceId) -> StateId {
        StateId::from(self.first_choice.partition_point(|&first| first as usize <= choice.index()) - 1)
    }

    /// The successors of a choice; at least one, each once.
    pub fn targets(&self, choice: ChoiceId) -> &[StateId] {
        &self.target[self.transition_range(choice)]
    }

    /// The probabilities of a choice's successors, beside [`targets`](Self::targets).
    pub fn probabilities(&self, choice: ChoiceId) -> &[N] {
        &self.probability[self.transition_range(choice)]
    }

    /// The successors of a choice with their probabilities.
    pub fn transitions(&self, choice: ChoiceId) -> impl ExactSizeIterator<Item = (StateId, &N)> {
        self.targets(choice).iter().copied().zip(self.probabilities(choice))
    }

    /// What each principal of the file gets for taking a choice, before its weight.
    pub fn rewards(&self, choice: ChoiceId) -> &[N] {
        let n = self.principals.len();
        &self.reward[choice.index() * n..(choice.index() + 1) * n]
    }

    /// The name of a state.
    pub fn state_name(&self, state: StateId) -> Cow<'_, str> {
        self.state_names.get(state.index())
    }

    /// The state of that name.
    pub fn find_state(&self, name: &str) -> Option<StateId> {
        self.state_names.find(name).map(StateId::from)
    }

    /// The state names, in the model's order.
    pub fn state_names(&self) -> &NameTable {
        &self.state_names
    }

    /// The name of a choice's action. Names may repeat within a state in models that come from other tools; the
    /// second `tick` of a state is shown as `tick#2`.
    pub fn action_name(&self, choice: ChoiceId) -> Cow<'_, str> {
        let name = self.action_label(choice);
        let first = self.first_choice[self.state_of(choice).index()] as usize;
        let own = self.action[choice.index()];
        match self.action[first..choice.index()].iter().filter(|&&other| other == own).count() {
            0 => name,
            earlier => format!("{name}#{}", earlier + 1).into(),
        }
    }

    /// The name of a choice's action as its file has it, whether it repeats or not.
    pub fn action_label(&self, choice: ChoiceId) -> Cow<'_, str> {
        self.action_names.get(self.action[choice.index()] as usize)
    }

    /// The choice of `state` whose action has that name.
    pub fn find_choice(&self, state: StateId, action: &str) -> Option<ChoiceId> {
        self.choices(state).find(|&choice| self.action_name(choice) == action)
    }

    /// The principal of that name.
    pub fn find_principal(&self, name: &str) -> Option<PrincipalId> {
        self.principals.iter().position(|principal| principal.name == name).map(PrincipalId::from)
    }

    /// The same model with another start state.
    pub fn with_start(mut self, start: StateId) -> Self {
        assert!(start.index() < self.n_states(), "the start state is one of the model's");
        self.start = start;
        self
    }

    /// The same model with another discount for one principal.
    pub fn with_discount(mut self, principal: PrincipalId, discount: Rational) -> Result<Self, ModelError> {
        let principal = &mut self.principals[principal.index()];
        error::check_discount(&principal.name, &discount)?;
        principal.discount = discount;
        Ok(self)
    }

    /// The flat arrays, for kernels that run over all of them.
    pub(crate) fn arrays(&self) -> Arrays<'_, N> {
        Arrays {
            first_choice: &self.first_choice,
            first_transition: &self.first_transition,
            target: &self.target,
            probability: &self.probability,
            reward: &self.reward,
        }
    }

    /// The same model with each principal's weight multiplied into its rewards. The welfare is the same.
    pub fn with_weights_in_rewards(mut self) -> Self
    where
        N: for<'w> MulAssign<&'w Rational>,
    {
        let n = self.principals.len();
        for (index, principal) in self.principals.iter_mut().enumerate() {
            let weight = std::mem::replace(&mut principal.weight, Rational::ONE);
            if !weight.is_one() {
                self.reward.iter_mut().skip(index).step_by(n).for_each(|reward| *reward *= &weight);
            }
        }
        self
    }

    fn transition_range(&self, choice: ChoiceId) -> Range<usize> {
        self.first_transition[choice.index()] as usize..self.first_transition[choice.index() + 1] as usize
    }
}
