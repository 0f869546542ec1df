//! A guess at the long-term strategy, in doubles.
//!
//! Nothing here is proven: choices within rounding errors count as ties. A wrong guess costs the exact proof more steps and
//! never makes an answer wrong.

use crate::kernel::chain::Columns;
use crate::kernel::policy_iteration::{self, Optimum, Served};
use crate::kernel::rows::Rows;
use crate::kernel::sweep::{Span, longest_row};
use crate::model::ChoiceId;
use crate::number::{Rational, UpperBound};
use crate::principals::OrderedModel;
use crate::ranks::OneRank;
use crate::stop::{StopReason, StopSignal};

/// A strategy that is probably the lexicographic optimum.
pub(super) fn lexicographic(model: &OrderedModel, stop: &StopSignal) -> Result<Vec<ChoiceId>, StopReason> {
    let rows = Rows::of(model.mdp());
    let arrays = rows.arrays();
    let mut strategy: Vec<ChoiceId> = arrays.first_choices().collect();
    // Several times the rounding error of a row.
    let precision = UpperBound::of_roundings(16.0 * longest_row(arrays.first_transition) as f64 + 128.0).get();
    policy_iteration::lexicographic(&OneRank, &arrays, &mut strategy, &mut Guess::of(model, precision), stop);
    stop.check()?;
    Ok(strategy)
}

/// The parts of an exact model, served as precisely as doubles can.
struct Guess<'a> {
    model: &'a OrderedModel<'a>,
    precision: f64,
    greatest_reward: Vec<f64>,
}

impl Guess<'_> {
    fn of<'a>(model: &'a OrderedModel, precision: f64) -> Guess<'a> {
        let mut greatest_reward = vec![0.0f64; model.n()];
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            let rewards = model.rewards(choice).iter();
            greatest_reward.iter_mut().zip(rewards).for_each(|(own, reward)| *own = own.max(reward.to_f64().abs()));
        }
        Guess { model, precision, greatest_reward }
    }
}

impl Served for Guess<'_> {
    fn n(&self) -> usize {
        self.model.n()
    }

    fn rewards(&self, i: usize) -> Vec<f64> {
        (0..self.model.n_choices()).map(|choice| self.model.rewards(choice.into())[i].to_f64()).collect()
    }

    fn discount(&self, i: usize) -> f64 {
        self.model.discount(i).to_f64()
    }

    fn target(&self, i: usize, column: &Columns<1>) -> f64 {
        let values = Span::of(column.values.as_flattened()).magnitude();
        self.precision * (self.greatest_reward[i] + column.levels[0].abs() + 2.0 * values)
    }

    fn near(&self, i: usize, optimum: &Optimum) -> f64 {
        let off = optimum.width + self.target(i, &optimum.column);
        4.0 * off / (Rational::ONE - self.model.discount(i)).to_f64()
    }

    fn serve(&mut self, _: usize, _: &Columns<1>, _: f64) {}
}
