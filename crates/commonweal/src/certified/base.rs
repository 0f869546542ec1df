//! A base: a strategy and approximate values of it, relative to which gains are measured.

use super::advantage::Advantages;
use super::long_term::{self, LongTerm};
use super::rounded_model::RoundedModel;
use crate::model::{ChoiceId, StateId};
use crate::number::{Enclosure, UpperBound};
use crate::ranks::Archive;
use crate::stop::StopSignal;

/// The base of gains: first the long-term strategy, after a jump the strategy of the stage jumped over.
pub(super) struct Base<'m> {
    pub model: &'m RoundedModel<'m>,
    pub followed: LongTerm,
    pub advantages: Advantages,
}

impl<'m> Base<'m> {
    pub fn of(model: &'m RoundedModel<'m>, mut followed: LongTerm) -> Base<'m> {
        followed.make_finite();
        model.ranks.refresh(&mut followed.values, model.n());
        let advantages = Advantages::over(model, &followed);
        Base { model, followed, advantages }
    }

    /// To an archive, or back; the advantages are not passed.
    pub fn pass(&mut self, archive: &mut dyn Archive) {
        self.followed.pass(self.model, archive);
    }

    /// The base of another strategy.
    pub fn of_strategy(model: &'m RoundedModel<'m>, strategy: &[ChoiceId], gap: f64, stop: &StopSignal) -> Base<'m> {
        Base::of(model, long_term::values_of_strategy(model, strategy, gap, stop))
    }

    /// About V_i(s).
    pub fn value(&self, state: StateId, i: usize) -> f64 {
        let LongTerm { values, constants, .. } = &self.followed;
        values[state.index() * constants.len() + i] + constants[i]
    }

    /// V_i(s), with its rounding error.
    pub fn enclosed_value(&self, state: StateId, i: usize) -> Enclosure {
        let LongTerm { values, constants, .. } = &self.followed;
        let point = |x: f64| Enclosure::new(x, x);
        point(values[state.index() * constants.len() + i]).plus(point(constants[i]))
    }

    /// At least every |V_i(s)|.
    pub fn greatest_value(&self, i: usize) -> UpperBound {
        let n = self.followed.constants.len();
        let span = self.model.span(&self.followed.values, n, i);
        UpperBound::of(span.magnitude()) + UpperBound::of(self.followed.constants[i])
    }

    /// An upper bound on the difference of V_i and part i's value of following the strategy for ever.
    pub fn off(&self, i: usize) -> UpperBound {
        self.advantages.followed[i] * self.model.lifetime_bound(i)
    }

    /// The same of `length` steps, as of the first of them.
    pub fn off_over(&self, i: usize, length: u64) -> UpperBound {
        let (steps, lifetime) = (UpperBound::of(length as f64), self.model.lifetime_bound(i));
        self.advantages.followed[i] * if steps < lifetime { steps } else { lifetime }
    }

    /// An upper bound on part i's gain or loss under any strategy.
    pub fn at_most(&self, i: usize) -> UpperBound {
        self.advantages.followed[i].max(self.advantages.greatest[i]) * self.model.lifetime_bound(i)
    }

    /// `V_i(s) − other V_i(s)`, rounded.
    pub fn ahead_of(&self, other: &Base, state: StateId, i: usize) -> f64 {
        let at = state.index() * self.followed.constants.len() + i;
        let constants = self.followed.constants[i] - other.followed.constants[i];
        constants + (self.followed.values[at] - other.followed.values[at])
    }

    /// The error bound of `ahead_of`.
    pub fn ahead_error(&self, other: &Base, i: usize) -> UpperBound {
        let magnitude = self.greatest_value(i) + other.greatest_value(i);
        UpperBound::of_roundings(4.0) * magnitude + UpperBound::UNDERFLOW
    }
}
