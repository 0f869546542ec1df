//! A base: a positional strategy and its values, relative to which gains are measured. It is the long-term strategy at first,
//! the strategy of a stage later.

use super::Advantages;
use super::walk::{PlainAdvantages, Problem};
use crate::model::{ChoiceId, IntegerRows};
use crate::number::ExactVector;
use crate::principals::OrderedModel;
use crate::strategy::Step;

/// A positional strategy, relative to whose values the induction measures gains.
pub struct Base<'a> {
    /// One choice per state.
    pub strategy: Vec<ChoiceId>,
    /// Δ against the strategy's values; `None` means those of the long-term strategy.
    pub(super) own: Option<Advantages<'a>>,
    /// The same advantages as plain doubles, if none overflows or underflows.
    pub(super) plain: Option<PlainAdvantages>,
    /// From this step back the base is in use.
    pub from: Step,
    /// For how many steps from there the strategy is followed; `None` means for ever.
    pub followed_for: Option<Step>,
}

impl<'a> Base<'a> {
    /// The long-term strategy, followed from step `from` for ever.
    pub fn long_term(problem: Problem<'a>, from: Step) -> Base<'a> {
        Base {
            strategy: problem.long_term.strategy.clone(),
            own: None,
            plain: PlainAdvantages::of(problem.model.mdp(), problem.advantages),
            from,
            followed_for: None,
        }
    }

    /// A strategy with these values, in use from step `from` back.
    pub(super) fn of_strategy(
        model: &'a OrderedModel,
        rows: &'a IntegerRows,
        strategy: &[ChoiceId],
        values: Vec<ExactVector>,
        from: Step,
    ) -> Base<'a> {
        let own = Advantages::over(model, rows, values, |choice| strategy[model.state_of(choice).index()] == choice);
        let plain = PlainAdvantages::of(model.mdp(), &own);
        Base { strategy: strategy.to_vec(), own: Some(own), plain, from, followed_for: None }
    }

    /// The advantages over the base, given those over the long-term strategy.
    pub fn advantages<'b>(&'b self, over_long_term: &'b Advantages<'a>) -> &'b Advantages<'a> {
        self.own.as_ref().unwrap_or(over_long_term)
    }
}
