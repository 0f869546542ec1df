//! A state's choices without those that always tie with an earlier one.

use super::Alike;
use crate::model::{ChoiceId, StateId};
use crate::principals::OrderedModel;

/// Per state the choices that can win. A choice with the same rewards as an earlier one, and the same probabilities of
/// equivalent states, never wins a tie against it, and would otherwise cost an exact comparison at every layer.
#[derive(Debug)]
pub(crate) struct Candidates {
    first: Vec<usize>,
    choices: Vec<ChoiceId>,
    /// Whether a choice with another row than the earlier one was left out: only fractions prove that the two tie.
    pub(crate) left_out_unlike_rows: bool,
}

impl Candidates {
    pub(crate) fn of(model: &OrderedModel, alike: &Alike) -> Candidates {
        let choices = Vec::with_capacity(model.n_choices());
        let mut candidates = Candidates { first: vec![0], choices, left_out_unlike_rows: false };
        let same_row = |a: ChoiceId, b: ChoiceId| {
            model.targets(a).len() == model.targets(b).len()
                && model.transitions(a).all(|(target, p)| model.transitions(b).any(|other| other == (target, p)))
        };
        for state in model.states() {
            let start = candidates.choices.len();
            for choice in model.choices(state) {
                match candidates.choices[start..].iter().find(|&&earlier| alike.same(model, earlier, choice)) {
                    Some(&earlier) => candidates.left_out_unlike_rows |= !same_row(earlier, choice),
                    None => candidates.choices.push(choice),
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
