//! Advantages: what one use of a choice changes against the long-term values. [Eq. 4]
//!
//! `Δ_i(s,a) = R_i(s,a) + λ_i Σ_t P(t|s,a) V_i(t) − V_i(s)`
//!
//! Each is computed exactly once and kept as an enclosure; the exact number is computed again on the rare occasion that
//! an enclosure cannot decide. Cost: one exact pass over the rows per principal; 16 bytes a choice and principal.

use crate::long_term::{LongTerm, exact_advantage};
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::{Enclosure, Integer, Natural};
use crate::parallel;
use crate::principals::OrderedModel;

/// Δ of every choice and principal, against the long-term values.
#[derive(Debug)]
pub struct Advantages<'a> {
    model: &'a OrderedModel<'a>,
    rows: &'a IntegerRows,
    long_term: &'a LongTerm,
    /// A choice's advantages side by side, most patient principal first.
    enclosures: Vec<Enclosure>,
}

impl<'a> Advantages<'a> {
    /// The advantages over `long_term`.
    pub fn over(model: &'a OrderedModel, rows: &'a IntegerRows, long_term: &'a LongTerm) -> Advantages<'a> {
        let mut advantages = Advantages { model, rows, long_term, enclosures: Vec::new() };
        let of_state = |state: StateId| {
            let advantages = &advantages;
            let of_choice = move |choice: ChoiceId| {
                (0..model.n()).map(move |i| match long_term.allowed[choice.index()] {
                    true => Enclosure::ZERO,
                    false => {
                        let (numerator, denominator) = advantages.exact(state, choice, i);
                        Enclosure::of_quotient(&numerator, &denominator)
                    }
                })
            };
            model.choices(state).flat_map(of_choice)
        };
        advantages.enclosures = parallel::flat_map(model.n_states(), |index| of_state(index.into()));
        advantages
    }

    /// Enclosures of Δ_i(s,a), most patient principal first. Exactly 0 is the point 0, and nothing else is.
    pub fn of(&self, choice: ChoiceId) -> &[Enclosure] {
        let n = self.model.n();
        &self.enclosures[choice.index() * n..(choice.index() + 1) * n]
    }

    /// Δ_i(s,a) as a quotient of integers, not in lowest terms.
    pub fn exact(&self, state: StateId, choice: ChoiceId, i: usize) -> (Integer, Natural) {
        let values = &self.long_term.values[i];
        let reward = &self.model.ordered_rewards(choice)[i];
        let discount = self.model.discount(i);
        let (numerator, scale) = exact_advantage(self.model, self.rows, state, choice, discount, reward, values);
        (numerator, scale * &values.denominator)
    }

    /// Whether the choice belongs to the long-term strategy: then all its advantages are 0, and only then.
    pub fn is_long_term(&self, choice: ChoiceId) -> bool {
        self.long_term.allowed[choice.index()]
    }
}
