//! A guess at the long-term strategy, in doubles: policy iteration for one principal after the other.
//!
//! Nothing here is proven: ties are called within what rounding may do. A wrong guess costs the exact proof more steps
//! and never a wrong answer.

use crate::kernel::chain::Columns;
use crate::kernel::policy_iteration::{Optimum, all_decided};
use crate::kernel::rows::Rows;
use crate::kernel::sweep::{Choices, Span, common_length, longest_row};
use crate::model::ChoiceId;
use crate::number::{Rational, UpperBound};
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};

/// A strategy that is probably the lexicographic optimum.
pub(super) fn lexicographic(model: &OrderedModel, stop: &StopSignal) -> Result<Vec<ChoiceId>, StopReason> {
    let rows = Rows::of(model.mdp());
    let arrays = rows.arrays();
    let row_length = common_length(arrays.first_transition);
    // Several times what a row's own roundings come to.
    let precision = UpperBound::of_roundings(16.0 * longest_row(arrays.first_transition) as f64 + 128.0).get();
    let mut allowed: Option<Vec<bool>> = None;
    let mut strategy = arrays.first_choice[..model.n_states()].to_vec();
    for i in 0..model.n() {
        if all_decided(&arrays, allowed.as_deref()) {
            break;
        }
        let reward: Vec<f64> = (0..model.n_choices()).map(|choice| model.rewards(choice.into())[i].to_f64()).collect();
        let greatest = Span::of(&reward).magnitude();
        let target = |column: &Columns<1>| {
            precision * (greatest + column.levels[0].abs() + 2.0 * Span::of(column.values.as_flattened()).magnitude())
        };
        let discount = model.discount(i);
        let choices = Choices {
            rows: &arrays,
            allowed: allowed.as_deref(),
            reward: &reward,
            discount: discount.to_f64(),
            row_length,
        };
        let Optimum { column, width } = choices.optimum(&mut strategy, target, stop);
        stop.check()?;
        let near = 4.0 * (width + target(&column)) / (Rational::ONE - discount).to_f64();
        allowed = Some(choices.as_good_as_the_best(&column, near, &strategy));
    }
    Ok(strategy.into_iter().map(|choice| ChoiceId::from(choice as usize)).collect())
}
