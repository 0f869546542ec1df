//! A state's choices without repetitions.

use crate::model::{ChoiceId, StateId};
use crate::principals::OrderedModel;

/// Per state the choices that can win. A choice with the same row and rewards as an earlier one never wins a tie against
/// it, and would otherwise cost an exact judgement at every layer.
#[derive(Debug)]
pub(crate) struct Candidates {
    first: Vec<usize>,
    choices: Vec<ChoiceId>,
}

impl Candidates {
    pub(crate) fn of(model: &OrderedModel) -> Candidates {
        let mut candidates = Candidates { first: vec![0], choices: Vec::with_capacity(model.n_choices()) };
        let same = |a: ChoiceId, b: ChoiceId| {
            model.rewards(a) == model.rewards(b)
                && model.targets(a).len() == model.targets(b).len()
                && model.transitions(a).all(|(target, p)| model.transitions(b).any(|other| other == (target, p)))
        };
        for state in model.states() {
            let start = candidates.choices.len();
            for choice in model.choices(state) {
                if !candidates.choices[start..].iter().any(|&earlier| same(earlier, choice)) {
                    candidates.choices.push(choice);
                }
            }
            candidates.first.push(candidates.choices.len());
        }
        candidates
    }

    pub(crate) fn of_state(&self, state: StateId) -> &[ChoiceId] {
        &self.choices[self.first[state.index()]..self.first[state.index() + 1]]
    }
}
