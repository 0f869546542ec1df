//! Equivalent states, as the walk sees them: by their parts' rewards, in any order of their choices.
//!
//! Equivalent states have the same optimal welfare from every step on, so two choices that differ only in which of them they
//! lead to tie for ever. Enclosures cannot prove that, and fractions can only if the horizon is near.

use crate::model::{ChoiceId, StateId};
use crate::number::Rational;
use crate::principals::OrderedModel;
use crate::quotient::{Alternatives, Classes, labels};
use crate::stop::StopSignal;

/// The class of every state.
#[derive(Debug)]
pub(crate) struct Alike(Classes);

impl Alike {
    pub(crate) fn of(model: &OrderedModel) -> Alike {
        let labels = labels((0..model.n_choices()).map(|choice| model.rewards(choice.into())));
        let classes = Classes::of(model.mdp(), &labels, Alternatives::Any, &StopSignal::default());
        Alike(classes.expect("fractions are added up exactly, and nobody stops it"))
    }

    /// The probabilities of each class after a choice, in the order of classes.
    fn row(&self, model: &OrderedModel, choice: ChoiceId) -> Vec<(usize, Rational)> {
        self.0.row(model.mdp(), choice)
    }

    /// The differences of the probabilities after two choices, for each class where they differ; a class is represented by its first
    /// state.
    pub(crate) fn row_difference(
        &self,
        model: &OrderedModel,
        one: ChoiceId,
        other: ChoiceId,
    ) -> Vec<(StateId, Rational)> {
        let negated = self.row(model, other).into_iter().map(|(class, chance)| (class, -chance));
        let mut both: Vec<_> = self.row(model, one).into_iter().chain(negated).collect();
        both.sort_by_key(|(class, _)| *class);
        both.dedup_by(|next, last| {
            let same = next.0 == last.0;
            if same {
                last.1 += &next.1;
            }
            same
        });
        both.retain(|(_, chance)| !chance.is_zero());
        both.into_iter().map(|(class, chance)| (self.0.first[class], chance)).collect()
    }

    /// Whether two choices have the same rewards and lead to equivalent states: they tie at every step.
    pub(crate) fn same(&self, model: &OrderedModel, one: ChoiceId, other: ChoiceId) -> bool {
        model.rewards(one) == model.rewards(other) && self.row(model, one) == self.row(model, other)
    }
}
