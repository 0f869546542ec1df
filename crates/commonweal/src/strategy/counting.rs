//! Counting strategies, stored as the steps at which a state's choice changes.

use super::{OtherModel, Step, check_choices};
use crate::model::{ChoiceId, Lists, StateId, Structure};

/// From this step on, a state takes this choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The first step at which the choice is taken.
    pub from: Step,
    /// The choice that is taken until the next change, or for ever if there is none.
    pub choice: ChoiceId,
}

/// One choice per state and step; from some step on the same choice for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountingStrategy {
    /// Per state, in increasing steps; the first change is at step 0, neighbours differ.
    changes: Lists<Change>,
}

impl CountingStrategy {
    /// The strategy that takes these choices, one per state, at every step.
    pub fn positional(choices: impl IntoIterator<Item = ChoiceId>) -> CountingStrategy {
        let forever = |choice| Change { from: Step::ZERO, choice };
        CountingStrategy { changes: Lists::of_one_each(choices.into_iter().map(forever).collect()) }
    }

    /// A strategy from each state's changes. Repeated choices are joined.
    ///
    /// # Panics
    /// If a state's changes do not start at step 0 and increase, or take another state's choice.
    pub fn from_changes(model: &Structure, changes: Vec<Vec<Change>>) -> CountingStrategy {
        assert_eq!(changes.len(), model.n_states(), "one list of changes per state");
        let joined = model.states().zip(changes).map(|(state, mut list)| {
            assert!(list.first().is_some_and(|first| first.from.is_zero()), "the first change is at step 0");
            assert!(list.windows(2).all(|pair| pair[0].from < pair[1].from), "changes come in increasing steps");
            assert!(list.iter().all(|change| model.state_of(change.choice) == state), "a state takes its own choices");
            list.dedup_by_key(|change| change.choice);
            list
        });
        CountingStrategy { changes: joined.collect() }
    }

    /// A strategy from each state's changes, which are known to be valid.
    pub(crate) fn from_valid_changes(changes: Lists<Change>) -> CountingStrategy {
        CountingStrategy { changes }
    }

    /// An error if the strategy does not decide for the states of `model`, by choices that they offer.
    pub fn check(&self, model: &Structure) -> Result<(), OtherModel> {
        check_choices(model, self.n_states(), |state| self.changes(state).iter().map(|change| change.choice))
    }

    /// The number of states that it decides for.
    pub fn n_states(&self) -> usize {
        self.changes.len()
    }

    /// The choice taken in `state` at `step`.
    pub fn choice(&self, state: StateId, step: &Step) -> ChoiceId {
        let changes = self.changes(state);
        changes[changes.partition_point(|change| change.from <= *step) - 1].choice
    }

    /// The changes of a state in increasing steps; the first is at step 0, the last holds for ever.
    pub fn changes(&self, state: StateId) -> &[Change] {
        self.changes.get(state.index())
    }

    /// The choice that `state` takes for ever after its last change.
    pub fn tail(&self, state: StateId) -> ChoiceId {
        self.changes(state).last().expect("every state has a change at step 0").choice
    }

    /// The same strategy with another choice in one state at one step.
    pub(crate) fn with_choice_at(
        &self,
        model: &Structure,
        state: StateId,
        step: &Step,
        choice: ChoiceId,
    ) -> CountingStrategy {
        let next = step + 1;
        let own = self.changes(state);
        let before = own.iter().filter(|change| change.from < *step).cloned();
        let after = own.iter().filter(|change| change.from > next).cloned();
        let here =
            [Change { from: step.clone(), choice }, Change { from: next.clone(), choice: self.choice(state, &next) }];
        let own: Vec<Change> = before.chain(here).chain(after).collect();
        let changes = |other: StateId| if other == state { own.clone() } else { self.changes(other).to_vec() };
        CountingStrategy::from_changes(model, model.states().map(changes).collect())
    }

    /// The first step from which no state changes its choice any more.
    pub fn settled_from(&self) -> Step {
        let last = |changes: &[Change]| changes.last().expect("every state has a change at step 0").from.clone();
        self.changes.iter().map(last).max().unwrap_or(Step::ZERO)
    }
}
