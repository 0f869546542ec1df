//! What each principal gets, and the welfare that adds up to.

use crate::model::{PrincipalId, StateId, Structure};
use crate::number::{Enclosure, Integer, Natural, Rational, Value, Values, weighted_enclosure, weighted_quotient};
use crate::parallel;

/// Per principal of the file and start state, what it expects to get, before its weight.
#[derive(Debug, Clone)]
pub struct Payoffs {
    weights: Vec<Rational>,
    values: Vec<Values>,
}

impl Payoffs {
    /// Payoffs in the order of the model's principals.
    pub fn new(model: &Structure, values: Vec<Values>) -> Payoffs {
        assert_eq!(values.len(), model.n_principals(), "one payoff per principal");
        Payoffs { weights: model.principals().iter().map(|principal| principal.weight.clone()).collect(), values }
    }

    /// The same, with what `of` makes of each principal's values.
    pub(crate) fn map(&self, model: &Structure, of: impl Fn(PrincipalId, &Values) -> Values) -> Payoffs {
        let values = self.values.iter().enumerate().map(|(p, values)| of(p.into(), values));
        Payoffs::new(model, values.collect())
    }

    /// What a principal gets from `state`, before its weight; in lowest terms where it is exact.
    pub fn payoff(&self, principal: PrincipalId, state: StateId) -> Value {
        self.values[principal.index()].value(state.index())
    }

    /// The weighted sum of all payoffs from `state`; in lowest terms where it is exact.
    pub fn welfare(&self, state: StateId) -> Value {
        match weighted_quotient(self.terms(), state.index()) {
            Some((numerator, denominator)) => Value::from(Rational::from_parts(numerator, denominator)),
            None => Value::from(weighted_enclosure(self.terms(), state.index())),
        }
    }

    /// The weighted sum of all payoffs from `state` as a quotient, not in lowest terms; `None` unless all are exact.
    pub(crate) fn welfare_quotient(&self, state: StateId) -> Option<(Integer, Natural)> {
        weighted_quotient(self.terms(), state.index())
    }

    /// An enclosure of the welfare, the tightest where it is exact, without the cost of lowest terms.
    pub fn welfare_enclosure(&self, state: StateId) -> Enclosure {
        match weighted_quotient(self.terms(), state.index()) {
            Some((numerator, denominator)) => Enclosure::of_quotient(&numerator, &denominator),
            None => weighted_enclosure(self.terms(), state.index()),
        }
    }

    /// What the principals get at least in absolute terms, Σ |weight · payoff|, from the state where that is most.
    pub(crate) fn magnitude(&self, n_states: usize) -> f64 {
        let weights: Vec<f64> = self.weights.iter().map(|weight| weight.to_f64().abs()).collect();
        let of_principal = |(weight, values): (&f64, &Values), state: usize| {
            let payoff = values.enclosure(state);
            weight * payoff.lower().max(-payoff.upper()).max(0.0)
        };
        let of_state = |state: usize| weights.iter().zip(&self.values).map(|own| of_principal(own, state)).sum::<f64>();
        parallel::greatest(n_states, of_state)
    }

    fn terms(&self) -> impl Iterator<Item = (&Rational, &Values)> {
        self.weights.iter().zip(&self.values)
    }
}
