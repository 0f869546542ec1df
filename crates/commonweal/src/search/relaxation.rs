//! The counting relaxation: an upper bound for every stationary strategy inside a box of action probabilities.
//!
//! Let the mix vary with time, but keep it inside the box. For any vectors V_i, with Δ_i(s,a) = R_i + λ_i P V_i − V_i(s) and
//! D_j = Σ_i λ_i^j Δ_i, such a strategy earns `Σ_i V_i(s_0) + E Σ_j D_j(s_j, a_j)` (telescoping), so at most
//! `Σ_i V_i(s_0) + U_0(s_0)` where
//!
//! ```text
//! U_j(s) = max_{p ∈ box(s)} Σ_a p_a ( D_j(s,a) + Σ_t P(t|s,a) U_{j+1}(t) ),      U_H = T(κ)
//! ```
//!
//! and T(κ) bounds what any mix of the box gains from step H on ([`TailFactors`](crate::exponential_sum::TailFactors)).
//! The maximum is a fractional knapsack. V_i are the values of a mix close to the lexicographic optimum inside the box; a bad V or
//! H makes the bound wider, not false. The recursion runs in doubles; since every row of P sums to 1, the error of one layer is
//! carried to the next without growing, and all errors add up to one number.
//! Cost: O(H · (n · choices + transitions)) over the states that the box reaches, besides the values.

use super::action_box::ActionBox;
use super::doubles::Doubles;
use super::notes::Notes;
use super::values::lexicographic_values;
use crate::model::{ChoiceId, StateId};
use crate::number::{Enclosure, RoundingBudget, UpperBound};
use crate::stop::{Pace, StopSignal};
use std::sync::Arc;

/// The model and the powers of its discounts.
#[derive(Debug, Clone)]
pub(super) struct Relaxer<'m> {
    pub model: &'m Doubles,
    /// λ_i^j, step by step, parts side by side.
    power: Arc<[f64]>,
    /// The error bound of each.
    power_error: Arc<[f64]>,
    /// The most layers.
    pub most_layers: usize,
    /// Counts the work, and stops it.
    pub stop: StopSignal,
}

/// The position of a state that the box does not reach.
const OUT_OF_REACH: u32 = u32::MAX;

/// The relaxation of one box. Numbers are in the units of [`Doubles`].
#[derive(Debug)]
pub(super) struct Relaxed {
    /// No strategy inside the box earns more.
    pub bound: f64,
    /// The value of the relaxation is at least the bound minus this, up to the bound of the tail.
    pub slack: f64,
    /// The values V_i, part after part.
    pub values: Vec<f64>,
    /// The mix whose values these are, per choice.
    pub mix: Vec<f64>,
    /// The states that the box reaches, in increasing order.
    pub reach: Vec<StateId>,
    /// Δ_i per choice, parts side by side.
    pub advantage: Vec<f64>,
    /// Per part the largest magnitude of Δ_i under a mix of the box, and its error bound.
    largest_advantage: Vec<f64>,
    advantage_error: Vec<f64>,
    /// The first step of the tail.
    pub horizon: usize,
    /// An upper bound on the gain from the horizon on.
    tail: f64,
    /// The largest magnitude of anything above.
    scale: f64,
    /// U_j of the states of `reach`, layer after layer, without the error.
    gains: Vec<f64>,
    /// Where each state is in `reach`, or `OUT_OF_REACH`.
    position: Vec<u32>,
}

/// The relative weight below which later layers are negligible in doubles.
const NEGLIGIBLE: f64 = 1e-16;
/// A tail bound is small enough if it is below this part of the largest value.
const SHORT_TAIL: f64 = 1e-13;
/// What a product of the recursion takes, in about nanoseconds.
pub(super) const TERM: u64 = 2;
/// The most numbers that the layers of one relaxation may hold.
const MOST_NUMBERS: usize = 4_000_000;

impl<'m> Relaxer<'m> {
    /// What relaxations of the model need; `stop` counts their work and stops it.
    pub fn new(model: &'m Doubles, stop: &StopSignal) -> Relaxer<'m> {
        const MOST_LAYERS: f64 = 40_000.0;
        let patient = model.discount[0];
        let enough = (NEGLIGIBLE * (1.0 - patient)).ln() / patient.ln();
        let enough = if enough.is_finite() { enough.clamp(4.0, MOST_LAYERS) } else { MOST_LAYERS };
        // Each layer has a number for every state, and a weight for every part.
        let affordable = MOST_NUMBERS / model.n_states.max(model.n);
        let most_layers = if patient == 0.0 { 1 } else { (enough as usize).min(affordable).max(1) };
        let (mut power, mut power_error) = (Vec::new(), Vec::new());
        let mut pace = Pace::of(stop);
        let mut reached = 0;
        // λ^(64k + r) is a product of two powers, so that each takes one product in place of one for each digit of the step.
        const STRIDE: u64 = 64;
        let mut strides: Vec<Enclosure> = Vec::new();
        let short: Vec<Enclosure> =
            (0..STRIDE).flat_map(|step| model.discounts.iter().map(move |discount| discount.power(step))).collect();
        for step in 0..=most_layers as u64 {
            // Stopped, relaxations go no further than this.
            if pace.stops_after(model.n) && step > 1 {
                break;
            }
            reached = step as usize;
            let within = step % STRIDE;
            if within == 0 {
                strides = model.discounts.iter().map(|discount| discount.power(step)).collect();
            }
            let short = &short[within as usize * model.n..];
            for (stride, short) in strides.iter().zip(short) {
                let weight = stride.times(*short);
                power.push(weight.upper());
                power_error.push(weight.width());
            }
        }
        let (power, power_error) = (power.into(), power_error.into());
        Relaxer { model, power, power_error, most_layers: reached, stop: stop.clone() }
    }

    /// The relaxation of a box. `near` are the values and the mix of a similar box. Stopped, it is the tail alone, from step 0 on:
    /// a wider bound.
    pub fn relax(&self, within: &ActionBox, near: Option<(&[f64], &[f64])>) -> Relaxed {
        let model = self.model;
        let reach = model.reachable(|choice| within.allows(choice));
        let (values, mix) = lexicographic_values(model, within, &reach, near, &self.stop);
        let (advantage, advantage_error) = self.advantages(within, &reach, &values);
        let most = |i: usize| within.largest(model, &reach, |choice| advantage[choice.index() * model.n + i]);
        let largest_advantage: Vec<f64> = (0..model.n).map(most).collect();
        let layer = Layer { relaxer: self, within, reach: &reach, advantage: &advantage };
        let scale: f64 = largest(&values, &reach, model).iter().sum::<f64>() + largest_advantage.iter().sum::<f64>();

        let error_at = |step: usize| self.weighted_error(step, &largest_advantage, &advantage_error);
        let (horizon, tail) = self.horizon(&layer, &error_at, SHORT_TAIL * scale);
        self.stop.spend(TERM * (horizon * layer.n_terms()) as u64);
        let walked = self.walk_back(&layer, horizon, tail, &largest_advantage, &error_at);
        let Walked { horizon, tail, gains, next, magnitude, mut budget } =
            walked.unwrap_or_else(|| Walked::nowhere(model, layer.tail(0, error_at(0))));
        let at_start = |i: usize| values[i * model.n_states + model.start.index()];
        let sum = (0..model.n).map(at_start).fold(next[model.start.index()], |sum, value| sum + value);
        let magnitudes = (0..model.n).map(|i| at_start(i).abs()).sum::<f64>() + magnitude;
        budget.allow_sum(model.n + 1, magnitudes);
        let bound = budget.above(sum);
        let bound = if bound.is_nan() { f64::INFINITY } else { bound };
        let mut position = vec![OUT_OF_REACH; model.n_states];
        reach.iter().enumerate().for_each(|(index, &state)| position[state.index()] = index as u32);
        let slack = 2.0 * budget.total();
        Relaxed {
            bound,
            slack,
            values,
            mix,
            reach,
            advantage,
            largest_advantage,
            advantage_error,
            horizon,
            tail,
            scale,
            gains,
            position,
        }
    }

    /// The recursion from the horizon to step 0; `None` if it is stopped.
    fn walk_back(
        &self,
        layer: &Layer,
        horizon: usize,
        tail: f64,
        largest_advantage: &[f64],
        error_at: &impl Fn(usize) -> f64,
    ) -> Option<Walked> {
        let (model, reach) = (self.model, layer.reach);
        let mut walked = Walked::nowhere(model, tail);
        walked.horizon = horizon;
        walked.gains = vec![0.0; horizon * reach.len()];
        let (mut pace, n_terms) = (Pace::of(&self.stop), layer.n_terms());
        for step in (0..horizon).rev() {
            if pace.stops_after(n_terms) {
                return None;
            }
            let row = &mut walked.gains[step * reach.len()..(step + 1) * reach.len()];
            layer.step_back(step, &walked.next, row);
            let weights = self.powers(step);
            let advantages: f64 = weights.iter().zip(largest_advantage).map(|(w, a)| w * a).sum();
            walked.budget.allow(error_at(step));
            walked.budget.allow_sum(2 * model.longest_sum + 2, 2.0 * (advantages + walked.magnitude));
            walked.magnitude = 0.0;
            for (&state, &gain) in reach.iter().zip(row.iter()) {
                walked.next[state.index()] = gain;
                walked.magnitude = walked.magnitude.max(gain.abs());
            }
        }
        Some(walked)
    }

    /// A bound for a part of a relaxed box that differs from it in one state, from the same values and tail.
    ///
    /// Only states whose gain decreases are computed anew: few, if few states lead to `state`. The bound is as good as that of
    /// [`relax`](Self::relax) if the part contains the mix of the tail, and weaker otherwise. Stopped, there is none: infinity.
    pub fn probe(
        &self,
        part: &ActionBox,
        relaxed: &Relaxed,
        state: StateId,
        notes: &mut Notes,
        pace: &mut Pace,
    ) -> f64 {
        const FURTHER: usize = 8;
        const NOTICEABLE: f64 = 1e-15;
        let model = self.model;
        let layer = Layer { relaxer: self, within: part, reach: &relaxed.reach, advantage: &relaxed.advantage };
        let mut budget = RoundingBudget::default();
        budget.allow(relaxed.tail);
        let mut magnitude = relaxed.scale;
        let (mut worths, mut n_terms) = (Vec::new(), 0);
        let mut looked = 0;
        notes.clear();
        for step in (0..(relaxed.horizon + FURTHER).min(self.most_layers)).rev() {
            if pace.stops_after(n_terms - std::mem::replace(&mut looked, n_terms)) {
                return f64::INFINITY;
            }
            let weights = self.powers(step);
            notes.begin_layer();
            notes.ask(state);
            for index in 0..notes.changed_next.len() {
                let changed = notes.changed_next[index];
                for &choice in model.choices_into(changed) {
                    if part.allows(choice) && relaxed.is_reached(model.state_of(choice)) {
                        notes.ask(model.state_of(choice));
                    }
                }
            }
            for index in 0..notes.asked.len() {
                let asked = notes.asked[index];
                let next = |target: StateId| notes.next(target).unwrap_or_else(|| relaxed.gain(step + 1, target));
                n_terms += model.n_terms(asked);
                worths.clear();
                worths.extend(model.choices(asked).map(|choice| {
                    if part.allows(choice) { layer.worth(choice, weights, next) } else { f64::NEG_INFINITY }
                }));
                let gain = part.best(model.span(asked), &worths);
                // A gain that does not decrease keeps its old value, which is an upper bound.
                if gain < relaxed.gain(step, asked) - NOTICEABLE * relaxed.scale {
                    magnitude = magnitude.max(gain.abs());
                    notes.change(asked, gain);
                }
            }
            let largest: f64 = weights.iter().zip(&relaxed.largest_advantage).map(|(w, a)| w * a).sum();
            budget.allow(self.weighted_error(step, &relaxed.largest_advantage, &relaxed.advantage_error));
            budget.allow_sum(2 * model.longest_sum + 2, 2.0 * (largest + magnitude));
            notes.end_layer();
        }
        self.stop.spend(TERM * n_terms as u64);
        let gain = notes.next(model.start).unwrap_or_else(|| relaxed.gain(0, model.start));
        let sum =
            (0..model.n).map(|i| relaxed.values[i * model.n_states + model.start.index()]).fold(gain, |sum, v| sum + v);
        budget.allow_sum(model.n + 1, magnitude * (model.n + 1) as f64);
        let bound = budget.above(sum);
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    /// A lower bound on what a mix of whole choices earns, from about its values: Σ_i V_i(s_0) less what T(κ) bounds for −Δ_i.
    pub fn at_least(&self, mix: &[f64], values: &[f64]) -> f64 {
        let model = self.model;
        let within = ActionBox { lower: mix.to_vec(), upper: mix.to_vec() };
        let reach = model.reachable(|choice| within.allows(choice));
        let (mut loss, error) = self.advantages(&within, &reach, values);
        loss.iter_mut().for_each(|advantage| *advantage = -*advantage);
        let most = |i: usize| within.largest(model, &reach, |choice| loss[choice.index() * model.n + i]);
        let largest: Vec<f64> = (0..model.n).map(most).collect();
        let layer = Layer { relaxer: self, within: &within, reach: &reach, advantage: &loss };
        let mut budget = RoundingBudget::default();
        budget.allow(layer.tail(0, self.weighted_error(0, &largest, &error)));
        let at_start = |i: usize| values[i * model.n_states + model.start.index()];
        budget.allow_sum(model.n, (0..model.n).map(|i| at_start(i).abs()).sum());
        let lower = -budget.above(-(0..model.n).map(at_start).sum::<f64>());
        if lower.is_nan() { f64::NEG_INFINITY } else { lower }
    }

    /// λ_i^j, most patient part first.
    pub fn powers(&self, step: usize) -> &[f64] {
        &self.power[step * self.model.n..(step + 1) * self.model.n]
    }

    /// Δ_i of every choice of the box, and per part the error bound of its mixes.
    fn advantages(&self, within: &ActionBox, reach: &[StateId], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let model = self.model;
        let mut advantage = vec![0.0; model.n_choices * model.n];
        let largest = largest(values, reach, model);
        for i in 0..model.n {
            let values = &values[i * model.n_states..(i + 1) * model.n_states];
            for &state in reach {
                for choice in model.choices(state).filter(|&choice| within.allows(choice)) {
                    let later = model.discount[i] * model.expected(choice, values);
                    advantage[choice.index() * model.n + i] = model.rewards(choice)[i] + later - values[state.index()];
                }
            }
        }
        let error = |i: usize| {
            let mut budget = RoundingBudget::default();
            let largest_reward = within.largest(model, reach, |choice| model.rewards(choice)[i]);
            budget.allow_sum(model.longest_sum + 4, largest_reward + 2.0 * largest[i]);
            budget.total()
        };
        (advantage, (0..model.n).map(error).collect())
    }

    /// The error bound of Σ_i λ_i^j Δ_i, or of a prefix of it.
    fn weighted_error(&self, step: usize, largest_advantage: &[f64], advantage_error: &[f64]) -> f64 {
        let n = self.model.n;
        let errors = &self.power_error[step * n..(step + 1) * n];
        let mut budget = RoundingBudget::default();
        let mut magnitude = 0.0;
        for (i, (weight, error)) in self.powers(step).iter().zip(errors).enumerate() {
            budget.allow_product(*error, largest_advantage[i] + advantage_error[i]);
            budget.allow_product(*weight, advantage_error[i]);
            magnitude += weight * largest_advantage[i];
        }
        budget.allow_sum(2 * n + self.model.longest_sum, magnitude);
        budget.total()
    }

    /// The first of a few steps at which the tail is short, or hardly longer than it ever gets, with the tail.
    fn horizon(&self, layer: &Layer, error_at: &impl Fn(usize) -> f64, short: f64) -> (usize, f64) {
        /// What rounding errors leave of a tail next to a discount of 1 does not become less with more layers.
        const HARDLY_MORE: f64 = 1.01;
        let (mut step, mut pace) = (1, Pace::of(&self.stop));
        let short = short.max(HARDLY_MORE * layer.tail(self.most_layers, error_at(self.most_layers)));
        loop {
            let tail = layer.tail(step, error_at(step));
            if tail <= short || step >= self.most_layers || pace.stops_after(layer.n_terms()) {
                return (step, tail);
            }
            step = (step + 1 + step / 4).min(self.most_layers);
        }
    }
}

impl Relaxed {
    /// U_j of every reached state, without the error.
    pub fn gains_into(&self, step: usize, into: &mut [f64]) {
        if step >= self.horizon {
            self.reach.iter().for_each(|&state| into[state.index()] = 0.0);
            return;
        }
        let row = &self.gains[step * self.reach.len()..(step + 1) * self.reach.len()];
        self.reach.iter().zip(row).for_each(|(&state, &gain)| into[state.index()] = gain);
    }

    /// U_j of a reached state, without the error.
    fn gain(&self, step: usize, state: StateId) -> f64 {
        if step >= self.horizon {
            0.0
        } else {
            self.gains[step * self.reach.len() + self.position[state.index()] as usize]
        }
    }

    fn is_reached(&self, state: StateId) -> bool {
        self.position[state.index()] != OUT_OF_REACH
    }

    /// Values and mix, to start the relaxation of a similar box from.
    pub fn near(&self) -> (&[f64], &[f64]) {
        (&self.values, &self.mix)
    }
}

/// The recursion, from the horizon back to step 0.
struct Walked {
    horizon: usize,
    /// An upper bound on the gain from the horizon on.
    tail: f64,
    /// U_j of the states that the box reaches, layer after layer.
    gains: Vec<f64>,
    /// U_0 of every state.
    next: Vec<f64>,
    /// Its largest magnitude.
    magnitude: f64,
    /// The errors, and the tail.
    budget: RoundingBudget,
}

impl Walked {
    /// No layer at all: the tail begins at once.
    fn nowhere(model: &Doubles, tail: f64) -> Walked {
        let mut budget = RoundingBudget::default();
        budget.allow(tail);
        Walked { horizon: 0, tail, gains: Vec::new(), next: vec![0.0; model.n_states], magnitude: 0.0, budget }
    }
}

/// The recursion's data.
pub(super) struct Layer<'a> {
    pub relaxer: &'a Relaxer<'a>,
    pub within: &'a ActionBox,
    pub reach: &'a [StateId],
    pub advantage: &'a [f64],
}

impl Layer<'_> {
    /// The products of one step of the recursion.
    pub fn n_terms(&self) -> usize {
        self.reach.iter().map(|&state| self.relaxer.model.n_terms(state)).sum()
    }

    /// `D_j(s,a) + Σ_t P(t|s,a) next(t)` for every choice of a state; −∞ where the box does not allow it.
    pub fn worths(&self, state: StateId, weights: &[f64], next: &[f64], worth: &mut Vec<f64>) {
        let model = self.relaxer.model;
        worth.clear();
        worth.extend(model.choices(state).map(|choice| {
            if self.within.allows(choice) {
                self.worth(choice, weights, |target| next[target.index()])
            } else {
                f64::NEG_INFINITY
            }
        }));
    }

    fn worth(&self, choice: ChoiceId, weights: &[f64], next: impl Fn(StateId) -> f64) -> f64 {
        let model = self.relaxer.model;
        let advantages = &self.advantage[choice.index() * model.n..(choice.index() + 1) * model.n];
        let now: f64 = advantages.iter().zip(weights).map(|(a, w)| a * w).sum();
        now + model.row(choice).map(|(target, probability)| probability * next(target)).sum::<f64>()
    }

    /// One step of the recursion, for the states of `reach`.
    fn step_back(&self, step: usize, next: &[f64], row: &mut [f64]) {
        let weights = self.relaxer.powers(step);
        let mut worth = Vec::new();
        for (&state, gain) in self.reach.iter().zip(row) {
            self.worths(state, weights, next, &mut worth);
            *gain = self.within.best(self.relaxer.model.span(state), &worth);
        }
    }

    /// T(κ): an upper bound on the gain of any mix of the box from `step` on.
    fn tail(&self, step: usize, error: f64) -> f64 {
        let model = self.relaxer.model;
        let weights = self.relaxer.powers(step);
        let mut slack = vec![0.0f64; model.n];
        let mut prefix = Vec::new();
        for &state in self.reach {
            let (choices, span) = (model.choices(state), model.span(state));
            prefix.clear();
            prefix.resize(choices.len(), 0.0);
            for k in 0..model.n {
                for (sum, choice) in prefix.iter_mut().zip(choices.clone()) {
                    *sum += self.advantage[choice.index() * model.n + k] * weights[k];
                }
                slack[k] = slack[k].max(self.within.best(span.clone(), &prefix));
            }
        }
        let kappa = slack.iter().map(|&slack| UpperBound::of(slack) + UpperBound::of(error));
        model.tail_factors.bound(kappa).get()
    }
}

/// The largest magnitude of each part's values.
fn largest(values: &[f64], reach: &[StateId], model: &Doubles) -> Vec<f64> {
    let of = |i: usize| reach.iter().map(|&state| values[i * model.n_states + state.index()].abs()).fold(0.0, f64::max);
    (0..model.n).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_model;
    use crate::principals;

    /// The weights of a thousand parts over every layer would take gigabytes and longer than any limit.
    #[test]
    fn many_parts_have_fewer_layers_and_a_raised_signal_ends_them() {
        let parts: Vec<String> = (0..1_000).map(|i| format!("p{i}: {}/10000", 9_999 - i)).collect();
        let text = format!("principals: {{{}}}\nstates: {{s: {{a: {{reward: 1, to: s}}}}}}\n", parts.join(", "));
        let model = read_model(&text).expect("a model");
        let ordered = principals::order(&model);
        let doubles = Doubles::of(&ordered, &StopSignal::default()).expect("nobody stops it");
        let unhurried = Relaxer::new(&doubles, &StopSignal::default());
        assert_eq!(unhurried.power.len(), (unhurried.most_layers + 1) * 1_000);
        assert!((2..=MOST_NUMBERS / 1_000).contains(&unhurried.most_layers), "{}", unhurried.most_layers);
        let stopped = Relaxer::new(&doubles, &StopSignal::after_polls(2));
        assert!((1..1_000).contains(&stopped.most_layers), "{}", stopped.most_layers);
        assert_eq!(stopped.power[..], unhurried.power[..stopped.power.len()]);
        assert_eq!(stopped.power.len(), (stopped.most_layers + 1) * 1_000);
    }
}
