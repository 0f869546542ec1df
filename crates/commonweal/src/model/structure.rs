//! Everything of a model except its numbers: principals, states, choices and transitions.

use super::{About, Arrays, ChoiceId, NameTable, Principal, PrincipalId, StateId};
use std::borrow::Cow;
use std::ops::Range;

/// The states, choices and transitions of a model with their names, and its principals. Reports and documents need no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    pub(super) about: About,
    pub(super) start: StateId,
    pub(super) principals: Vec<Principal>,
    pub(super) state_names: NameTable,
    /// Each distinct action name once; `action` says which one a choice has.
    pub(super) action_names: NameTable,
    pub(super) action: Vec<u32>,
    pub(super) first_choice: Vec<u32>,
    pub(super) first_transition: Vec<u32>,
    pub(super) target: Vec<StateId>,
}

impl Structure {
    /// The name, the description and the step's name.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The state in which a run starts unless told otherwise.
    pub fn start(&self) -> StateId {
        self.start
    }

    /// The flat arrays of a model with these numbers.
    pub(crate) fn arrays<'m, N>(&'m self, probability: &'m [N], reward: &'m [N]) -> Arrays<'m, N> {
        Arrays {
            first_choice: &self.first_choice,
            first_transition: &self.first_transition,
            target: &self.target,
            probability,
            reward,
        }
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

    /// The number of geometric parts of the principals' time preferences, over all segments.
    pub fn n_parts(&self) -> usize {
        self.principals.iter().flat_map(Principal::segments).map(|segment| segment.parts.len()).sum()
    }

    /// All states, in the model's order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + Clone + use<> {
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
    ) -> impl ExactSizeIterator<Item = ChoiceId> + DoubleEndedIterator + Clone + use<> {
        self.choice_range(state).map(ChoiceId::from)
    }

    /// Each state's first choice.
    pub(crate) fn first_choices(&self) -> impl ExactSizeIterator<Item = ChoiceId> + '_ {
        self.first_choice[..self.n_states()].iter().map(|&first| ChoiceId::at(first))
    }

    /// The state that offers a choice.
    pub fn state_of(&self, choice: ChoiceId) -> StateId {
        StateId::from(self.first_choice.partition_point(|&first| first as usize <= choice.index()) - 1)
    }

    /// The successors of a choice; at least one, each once.
    pub fn targets(&self, choice: ChoiceId) -> &[StateId] {
        &self.target[self.transition_range(choice)]
    }

    /// Per state, whether some strategy can reach it from `start`.
    pub fn reachable(&self, start: StateId) -> Vec<bool> {
        let mut reachable = vec![false; self.n_states()];
        reachable[start.index()] = true;
        let mut waiting = vec![start];
        while let Some(state) = waiting.pop() {
            for &target in self.choices(state).flat_map(|choice| self.targets(choice)) {
                if !std::mem::replace(&mut reachable[target.index()], true) {
                    waiting.push(target);
                }
            }
        }
        reachable
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

    /// The name of a choice's action, which no other choice of the state has. Labels may repeat within a state in models
    /// that come from other tools; the second `tick` of a state is shown as `tick#2`, unless that is a label there.
    pub fn action_name(&self, choice: ChoiceId) -> Cow<'_, str> {
        let name = self.action_label(choice);
        let choices = self.choice_range(self.state_of(choice));
        let own = self.action[choice.index()];
        let earlier = self.action[choices.start..choice.index()].iter().filter(|&&other| other == own).count();
        if earlier == 0 {
            return name;
        }
        let is_label = |shown: &str| {
            self.action_names.find(shown).is_some_and(|label| self.action[choices.clone()].contains(&(label as u32)))
        };
        let mut numbered = (2..).map(|k: u32| format!("{name}#{k}")).filter(|shown| !is_label(shown));
        numbered.nth(earlier - 1).expect("there are more numbers than labels").into()
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

    pub(crate) fn choice_range(&self, state: StateId) -> Range<usize> {
        self.first_choice[state.index()] as usize..self.first_choice[state.index() + 1] as usize
    }

    pub(crate) fn transition_range(&self, choice: ChoiceId) -> Range<usize> {
        self.first_transition[choice.index()] as usize..self.first_transition[choice.index() + 1] as usize
    }
}
