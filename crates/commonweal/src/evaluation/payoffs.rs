//! Each principal's payoff, and the welfare, their weighted sum.

use crate::model::{Mdp, PrincipalId, StateId};
use crate::number::{
    CommonDenominator, Enclosure, Integer, ModelNumber, Natural, Rational, Value, Values, weighted_enclosure,
};
use crate::parallel;
use std::sync::OnceLock;

/// Per principal of the file and start state, the expected payoff, before its weight.
///
/// If a principal's time preference is approximated by a mixture, the values are those of the mixture, and the bounds include
/// the approximation error: the sum of the differences of the weights, times the greatest absolute reward.
#[derive(Debug, Clone)]
pub struct Payoffs {
    weights: Vec<Rational>,
    values: Vec<Values>,
    margins: Margins,
    /// The same of the welfare; 0 if no preference is approximated.
    welfare_margin: f64,
    /// Whether some time preference has several segments.
    has_segments: bool,
    /// What exact values are summed over, once that is asked for; `None` inside unless all are exact.
    common: OnceLock<Option<CommonDenominator>>,
}

/// By how much the `error` of approximated preferences would have to be multiplied so that bounds `width` apart have room for it: half
/// of the width is for the engine, and the margin, the approximation error of the welfare, widens them on both sides.
pub(crate) fn error_factor(width: f64, margin: f64) -> f64 {
    width / (4.0 * margin)
}

/// Per principal, an upper bound on the approximation error of its payoffs; `None` if no preference is approximated.
type Margins = Option<Vec<f64>>;

impl Payoffs {
    /// Payoffs in the order of the model's principals.
    pub fn new<N: ModelNumber>(model: &Mdp<N>, values: Vec<Values>) -> Payoffs {
        Payoffs::with_margins(model, values, model.margins())
    }

    /// The same, given an upper bound on the approximation error of each principal's payoffs.
    pub(crate) fn with_margins<N: ModelNumber>(model: &Mdp<N>, values: Vec<Values>, margins: Margins) -> Payoffs {
        assert_eq!(values.len(), model.n_principals(), "one payoff per principal");
        let weights = model.principals().iter().map(|principal| principal.weight.clone()).collect();
        let has_segments = model.principals().iter().any(|principal| principal.parts().is_none());
        let welfare_margin = model.weighted_margin(margins.as_deref());
        Payoffs { weights, values, margins, welfare_margin, has_segments, common: OnceLock::new() }
    }

    /// The same, with `of` applied to each principal's values.
    pub(crate) fn map(&self, of: impl Fn(PrincipalId, &Values) -> Values) -> Payoffs {
        let values = self.values.iter().enumerate().map(|(p, values)| of(p.into(), values)).collect();
        let (weights, margins) = (self.weights.clone(), self.margins.clone());
        Payoffs { weights, values, margins, common: OnceLock::new(), ..*self }
    }

    /// The payoffs by the mixtures themselves, without the approximation error.
    pub(crate) fn of_mixtures(&self) -> Payoffs {
        Payoffs { margins: None, welfare_margin: 0.0, ..self.clone() }
    }

    /// Whether some time preference has several segments.
    pub(crate) fn has_segments(&self) -> bool {
        self.has_segments
    }

    /// An upper bound on the approximation error of the welfare; 0 if no preference is approximated.
    pub(crate) fn welfare_margin(&self) -> f64 {
        self.welfare_margin
    }

    /// Whether a preference is approximated.
    pub(crate) fn is_approximated(&self) -> bool {
        self.margins.is_some()
    }

    /// What a principal gets from `state`, before its weight; in lowest terms where it is exact.
    pub fn payoff(&self, principal: PrincipalId, state: StateId) -> Value {
        let values = &self.values[principal.index()];
        match self.margins.as_ref().map_or(0.0, |margins| margins[principal.index()]) {
            0.0 => values.value(state.index()),
            margin => Value::from(values.enclosure(state.index()).widened(margin)),
        }
    }

    /// The weighted sum of all payoffs from `state`; in lowest terms where it is exact.
    pub fn welfare(&self, state: StateId) -> Value {
        match self.welfare_quotient(state) {
            Some((numerator, denominator)) => Value::from(Rational::from_parts(numerator, denominator.clone())),
            None => Value::from(self.welfare_enclosure(state)),
        }
    }

    /// The weighted sum of all payoffs from `state` as a quotient, not in lowest terms; `None` unless all are exact.
    pub(crate) fn welfare_quotient(&self, state: StateId) -> Option<(Integer, &Natural)> {
        if self.is_approximated() { None } else { self.quotient_of_mixtures(state) }
    }

    fn quotient_of_mixtures(&self, state: StateId) -> Option<(Integer, &Natural)> {
        let common = self.common.get_or_init(|| CommonDenominator::of(self.terms())).as_ref()?;
        Some(common.quotient(self.values.iter(), state.index()))
    }

    /// An enclosure of the welfare, the tightest where it is exact, without the cost of lowest terms.
    pub fn welfare_enclosure(&self, state: StateId) -> Enclosure {
        let of_mixtures = match self.quotient_of_mixtures(state) {
            Some((numerator, denominator)) => Enclosure::of_quotient(&numerator, denominator),
            None => weighted_enclosure(self.terms(), state.index()),
        };
        of_mixtures.widened(self.welfare_margin())
    }

    /// A lower bound on the greatest Σ |weight · payoff| over all states.
    pub(crate) fn magnitude(&self, n_states: usize) -> f64 {
        let of_state = self.magnitude_from();
        parallel::greatest(n_states, |state| of_state(state.into()))
    }

    /// A lower bound on Σ |weight · payoff| from a state.
    pub(crate) fn magnitude_from(&self) -> impl Fn(StateId) -> f64 + Sync + '_ {
        let weights: Vec<f64> = self.weights.iter().map(|weight| weight.to_f64().abs()).collect();
        let of_principal = |(weight, values): (&f64, &Values), state: StateId| {
            let payoff = values.enclosure(state.index());
            weight * payoff.lower().max(-payoff.upper()).max(0.0)
        };
        move |state| weights.iter().zip(&self.values).map(|own| of_principal(own, state)).sum::<f64>()
    }

    fn terms(&self) -> impl Iterator<Item = (&Rational, &Values)> {
        self.weights.iter().zip(&self.values)
    }
}
