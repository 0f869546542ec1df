//! Certificates of kind bounds (§4, §7).
//!
//! Any values, strategy and horizon give a true certificate: what the strategy earns at least and nobody exceeds is
//! computed here, with the arithmetic that checkers use. Cost: two passes over the model for each layer.

use super::outward::Outward;
use super::text::{changes, double, write_layers, write_tail};
use crate::model::{ChoiceId, StateId};
use crate::number::Rational;
use crate::principals::OrderedModel;
use crate::strategy::{CountingStrategy, Step};
use std::io::{self, Write};

/// What a certificate with bounds is made from.
#[derive(Debug, Clone)]
pub struct BoundsCertificate<'a> {
    /// About what each principal gets, most patient first, equal discounts merged. The nearer to the best, the narrower the
    /// bounds; they hold for any finite numbers.
    pub values: Vec<Vec<f64>>,
    /// What is done from the horizon on.
    pub tail: Vec<ChoiceId>,
    /// The first step of the tail.
    pub horizon: u64,
    /// What is done before the horizon.
    pub strategy: &'a CountingStrategy,
}

/// L and U of a step, per state.
struct Layer {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

struct Arithmetic<'a> {
    model: &'a OrderedModel<'a>,
    probabilities: Vec<Vec<Outward>>,
    /// Δ, by choice and principal.
    advantages: Vec<Vec<Outward>>,
    discount: Outward,
}

impl BoundsCertificate<'_> {
    /// Writes the certificate.
    pub fn write(&self, model: &OrderedModel, out: &mut dyn Write) -> io::Result<()> {
        let horizon = Step::from(self.horizon);
        writeln!(out, "commonweal-certificate 1\nmodel {}\nkind bounds\nnumbers doubles", super::model_hash(model))?;
        writeln!(out, "horizon {horizon}")?;
        write_tail(model, &self.tail, out)?;
        writeln!(out, "values")?;
        self.values.iter().flatten().try_for_each(|&value| writeln!(out, "{}", double(value)))?;
        let changes = changes(self.strategy, &self.tail, &horizon);
        if self.horizon > 0 {
            write_layers(model, &changes, &Step::ZERO, &horizon, out)?;
        }
        writeln!(out, "welfare")?;
        for (lower, upper) in self.bounds(model)? {
            writeln!(out, "between {} {}", double(lower), double(upper))?;
        }
        writeln!(out, "end")
    }

    /// What the strategy earns at least and nobody exceeds, per state.
    pub fn bounds(&self, model: &OrderedModel) -> io::Result<Vec<(f64, f64)>> {
        let arithmetic = Arithmetic::new(model, &self.values);
        let mut layer = arithmetic.after_horizon(self.horizon, &self.tail);
        for step in (0..self.horizon).rev() {
            let now = Step::from(step);
            layer = arithmetic.before(&layer, step, |state| self.strategy.choice(state, &now));
        }
        let of_state = |s: usize| {
            let values = self.values.iter().map(|values| Outward::point(values[s]));
            let base = values.fold(Outward::ZERO, Outward::plus);
            let end = |bound: f64| base.plus(Outward::point(bound));
            (end(layer.lower[s]).lower, end(layer.upper[s]).upper)
        };
        let bounds: Vec<(f64, f64)> = (0..model.n_states()).map(of_state).collect();
        match bounds.iter().all(|(lower, upper)| lower.is_finite() && upper.is_finite()) {
            true => Ok(bounds),
            false => Err(io::Error::other("its numbers lie beyond the doubles, and so does its certificate")),
        }
    }
}

impl<'a> Arithmetic<'a> {
    fn new(model: &'a OrderedModel, values: &[Vec<f64>]) -> Arithmetic<'a> {
        let choices = || (0..model.n_choices()).map(ChoiceId::from);
        let mut sorted: Vec<Vec<Outward>> = Vec::with_capacity(model.n_choices());
        sorted.extend(choices().map(|choice| model.probabilities(choice).iter().map(Outward::of).collect()));
        let discounts: Vec<Outward> = (0..model.n()).map(|i| Outward::of(model.discount(i))).collect();
        let mut arithmetic =
            Arithmetic { model, probabilities: sorted, advantages: Vec::new(), discount: discounts[0] };
        let advantages = |state: StateId, choice: ChoiceId| {
            let of_principal = |i: usize| {
                let later = arithmetic.expected(choice, |target| values[i][target]).times(discounts[i]);
                let now = Outward::of(&model.ordered_rewards(choice)[i]);
                later.plus(now).plus(Outward::point(-values[i][state.index()]))
            };
            (0..model.n()).map(of_principal).collect()
        };
        let of_state = |state| model.choices(state).map(move |choice| (state, choice));
        let all = model.states().flat_map(of_state).map(|(state, choice)| advantages(state, choice)).collect();
        arithmetic.advantages = all;
        arithmetic
    }

    /// Σ_u P(u|c) x(u), targets increasing.
    fn expected(&self, choice: ChoiceId, of: impl Fn(usize) -> f64) -> Outward {
        let targets = self.model.targets(choice);
        let term = |k: usize| Outward::point(of(targets[k].index())).times(self.probabilities[choice.index()][k]);
        if targets.is_sorted_by_key(|target| target.index()) {
            return (0..targets.len()).map(term).fold(Outward::ZERO, Outward::plus);
        }
        let mut order: Vec<usize> = (0..targets.len()).collect();
        order.sort_unstable_by_key(|&k| targets[k].index());
        order.into_iter().map(term).fold(Outward::ZERO, Outward::plus)
    }

    /// ρ_i^t.
    fn weights(&self, step: u64) -> Vec<Outward> {
        let first = self.model.discount(0);
        let weight = |i: usize| match i {
            0 => Outward::point(1.0),
            _ if self.model.discount(i).is_zero() && step > 0 => Outward::ZERO,
            _ => Outward::power(&(self.model.discount(i) / first), step),
        };
        (0..self.model.n()).map(weight).collect()
    }

    /// Σ_{i≤k} ρ_i^t Δ_i(c) for every k.
    fn prefix_sums(&self, weights: &[Outward], choice: ChoiceId) -> impl Iterator<Item = Outward> {
        let terms =
            self.advantages[choice.index()].iter().zip(weights).map(|(advantage, weight)| advantage.times(*weight));
        terms.scan(Outward::ZERO, |sum, term| {
            *sum = sum.plus(term);
            Some(*sum)
        })
    }

    /// U_H = T(κ) and L_H = −T(κ').
    fn after_horizon(&self, horizon: u64, tail: &[ChoiceId]) -> Layer {
        let model = self.model;
        let weights = self.weights(horizon);
        let (mut gain, mut loss) = (vec![0.0; model.n()], vec![0.0; model.n()]);
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            self.prefix_sums(&weights, choice)
                .zip(&mut gain)
                .for_each(|(sum, gain)| *gain = f64::max(*gain, sum.upper));
        }
        for &choice in tail {
            self.prefix_sums(&weights, choice)
                .zip(&mut loss)
                .for_each(|(sum, loss)| *loss = f64::max(*loss, -sum.lower));
        }
        let forever = |k: usize| Rational::ONE / (Rational::ONE - model.discount(k));
        let factor = |k: usize| if k + 1 < model.n() { forever(k) - forever(k + 1) } else { forever(k) };
        let total = |bounds: &[f64]| {
            let terms = (0..model.n()).map(|k| Outward::point(bounds[k]).times(Outward::of(&factor(k))));
            terms.fold(Outward::ZERO, Outward::plus).upper
        };
        Layer { lower: vec![-total(&loss); model.n_states()], upper: vec![total(&gain); model.n_states()] }
    }

    /// The layer at `step`, given the one after it.
    fn before(&self, after: &Layer, step: u64, decision: impl Fn(StateId) -> ChoiceId) -> Layer {
        let weights = self.weights(step);
        let worth = |choice: ChoiceId, bound: &[f64]| {
            let now = self.prefix_sums(&weights, choice).last().expect("there is a principal");
            now.plus(self.expected(choice, |target| bound[target]).times(self.discount))
        };
        let of_state = |state: StateId| {
            let lower = worth(decision(state), &after.lower).lower;
            let greatest = |most: f64, choice| {
                let upper = worth(choice, &after.upper).upper;
                // Not a number must not be lost.
                if upper > most || upper.is_nan() { upper } else { most }
            };
            (lower, self.model.choices(state).fold(f64::NEG_INFINITY, greatest))
        };
        let (lower, upper) = self.model.states().map(of_state).unzip();
        Layer { lower, upper }
    }
}
