//! L and U of §7, the lower bound of the strategy's gain and the upper bound of any gain, from the horizon back to step 0:
//! bit for bit what a checker computes.
//!
//! Cost: two passes over the model for each layer; for a stage one pass over the advantages for each interval of steps that it is
//! divided into, and as many again each time the allowed loss is increased.

use super::outward::Outward;
use crate::answer::BoundsStage;
use crate::exponential_sum::{TailFactors, lifetime};
use crate::model::{ChoiceId, StateId};
use crate::principals::OrderedModel;
use std::ops::RangeInclusive;

/// The most cuts of a stage for one choice.
const MAX_CUTS: u32 = 10_000;

pub(super) struct Arithmetic<'a> {
    model: &'a OrderedModel<'a>,
    probabilities: Vec<Vec<Outward>>,
    discounts: Vec<Outward>,
    values: Vec<Vec<f64>>,
    /// Δ, by choice and principal.
    advantages: Vec<Vec<Outward>>,
    /// L and U of the present step, per state.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The step reached, counted from the origin of the segment.
    step: u64,
    /// Whether a number was infinite or NaN, which checkers refuse.
    pub is_beyond_doubles: bool,
}

/// What harmonic vectors say of the choices; nothing if there are none.
struct Leads {
    period: usize,
    /// δ and δ'.
    gain: f64,
    loss: f64,
    /// z_k(c), the phases of a choice side by side.
    z: Vec<f64>,
}

impl Leads {
    fn phase<'p>(&self, phases: &'p [Vec<f64>], k: u64) -> &'p [f64] {
        &phases[(k % self.period as u64) as usize]
    }

    /// y of a choice where this many steps are left, given the powers of λ_0 from the first and from the last step to the end.
    fn most(&self, choice: usize, left: RangeInclusive<u64>, [from_first, from_last]: [Outward; 2]) -> f64 {
        let own = &self.z[choice * self.period..(choice + 1) * self.period];
        let some = left.take(self.period).map(|k| own[(k % self.period as u64) as usize]);
        let z = some.fold(f64::NEG_INFINITY, f64::max);
        let shrunk = if z < 0.0 { from_first } else { from_last };
        Outward::point(z).times(shrunk).upper
    }
}

impl<'a> Arithmetic<'a> {
    /// At the horizon.
    pub fn new(model: &'a OrderedModel, values: Vec<Vec<f64>>, horizon: u64, tail: &[ChoiceId]) -> Arithmetic<'a> {
        let mut probabilities: Vec<Vec<Outward>> = Vec::with_capacity(model.n_choices());
        let choices = (0..model.n_choices()).map(ChoiceId::from);
        probabilities.extend(choices.map(|choice| model.probabilities(choice).iter().map(Outward::of).collect()));
        let discounts = (0..model.n()).map(|i| Outward::of(model.discount(i))).collect();
        let mut arithmetic = Arithmetic {
            model,
            probabilities,
            discounts,
            values,
            advantages: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            step: horizon,
            is_beyond_doubles: false,
        };
        arithmetic.find_advantages();
        arithmetic.after_horizon(horizon, tail);
        arithmetic
    }

    /// The work of a layer, in transitions.
    pub fn work_a_layer(&self) -> usize {
        2 * self.model.n_transitions() + self.model.n() * self.model.n_choices()
    }

    fn find_advantages(&mut self) {
        let model = self.model;
        let of_choice = |state: StateId, choice: ChoiceId| {
            let of_principal = |i: usize| {
                let values = &self.values[i];
                let later = self.expected(choice, |target| values[target]).times(self.discounts[i]);
                let now = Outward::of(&model.rewards(choice)[i]);
                later.plus(now).plus(Outward::point(-values[state.index()]))
            };
            (0..model.n()).map(of_principal).collect()
        };
        let of_state = |state| model.choices(state).map(move |choice| (state, choice));
        self.advantages = model.states().flat_map(of_state).map(|(state, choice)| of_choice(state, choice)).collect();
        let is_finite = |advantage: &Outward| advantage.lower.is_finite() && advantage.upper.is_finite();
        self.is_beyond_doubles |= !self.advantages.iter().flatten().all(is_finite);
    }

    fn set_bounds(&mut self, lower: Vec<f64>, upper: Vec<f64>) {
        self.is_beyond_doubles |= !lower.iter().chain(&upper).all(|bound| bound.is_finite());
        (self.lower, self.upper) = (lower, upper);
    }

    fn set_everywhere(&mut self, lower: f64, upper: f64) {
        self.set_bounds(vec![lower; self.model.n_states()], vec![upper; self.model.n_states()]);
    }

    /// Σ_u P(u|c) x(u), targets increasing.
    fn expected(&self, choice: ChoiceId, of: impl Fn(usize) -> f64) -> Outward {
        let targets = self.model.targets(choice);
        let term = |k: usize| Outward::point(of(targets[k].index())).times(self.probabilities[choice.index()][k]);
        if targets.is_sorted_by_key(|target| target.index()) {
            return (0..targets.len()).map(term).sum();
        }
        let mut order: Vec<usize> = (0..targets.len()).collect();
        order.sort_unstable_by_key(|&k| targets[k].index());
        order.into_iter().map(term).sum()
    }

    /// ρ_i^t.
    fn weights(&self, step: u64) -> Vec<Outward> {
        let first = self.model.discount(0);
        let weight = |i: usize| match i {
            0 => Outward::point(1.0),
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
    fn after_horizon(&mut self, horizon: u64, tail: &[ChoiceId]) {
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
        let factors = TailFactors::of((0..model.n()).map(|i| model.discount(i)), Outward::of);
        let total = |bounds: &[f64]| factors.bound(bounds.iter().copied().map(Outward::point)).upper;
        self.set_everywhere(-total(&loss), total(&gain));
    }

    /// Goes back to `step`, from the one after it.
    pub fn layer(&mut self, step: u64, decisions: &[ChoiceId]) {
        let weights = self.weights(step);
        let worth = |choice: ChoiceId, bound: &[f64]| {
            let now = self.prefix_sums(&weights, choice).last().expect("there is a principal");
            now.plus(self.expected(choice, |target| bound[target]).times(self.discounts[0]))
        };
        let of_state = |state: StateId| {
            let lower = worth(decisions[state.index()], &self.lower).lower;
            let greatest = |most: f64, choice| {
                let upper = worth(choice, &self.upper).upper;
                // NaN must not be lost.
                if upper > most || upper.is_nan() { upper } else { most }
            };
            (lower, self.model.choices(state).fold(f64::NEG_INFINITY, greatest))
        };
        let (lower, upper) = self.model.states().map(of_state).unzip();
        self.set_bounds(lower, upper);
        self.step = step;
    }

    /// Enters the previous segment, at its end, over its values.
    pub fn enter(&mut self, model: &'a OrderedModel, values: &[Vec<f64>], end: u64) {
        let (discount, before) = (self.model.discount(0), model.discount(0));
        let unit = if discount == before && self.step == end {
            Outward::point(1.0)
        } else {
            Outward::quotient_of_powers((discount, self.step), (before, end))
        };
        let (weights, old) = (self.weights(self.step), std::mem::replace(&mut self.values, values.to_vec()));
        (self.model, self.step) = (model, end);
        self.discounts = (0..model.n()).map(|i| Outward::of(model.discount(i))).collect();
        let weights_now = self.weights(end);
        let of_state = |(state, (&lower, &upper)): (usize, (&f64, &f64))| {
            let terms = old.iter().zip(&weights).map(|(values, weight)| Outward::point(values[state]).times(*weight));
            let welfare = terms.fold(Outward { lower, upper }, Outward::plus).times(unit);
            let terms = values.iter().zip(&weights_now);
            let terms = terms.map(|(values, weight)| Outward::point(-values[state]).times(*weight));
            let bounds = terms.fold(welfare, Outward::plus);
            (bounds.lower, bounds.upper)
        };
        let (lower, upper) = self.lower.iter().zip(&self.upper).enumerate().map(of_state).unzip();
        self.set_bounds(lower, upper);
        self.find_advantages();
    }

    /// Changes the base to other values, at `step`.
    pub fn rebase(&mut self, step: u64, values: &[Vec<f64>]) {
        let weights = self.weights(step);
        let of_state = |(state, (&lower, &upper)): (usize, (&f64, &f64))| {
            let ahead = |i: usize| Outward::point(self.values[i][state]).plus(Outward::point(-values[i][state]));
            let terms = weights.iter().enumerate().map(|(i, weight)| ahead(i).times(*weight));
            let bounds = terms.fold(Outward { lower, upper }, Outward::plus);
            (bounds.lower, bounds.upper)
        };
        let (lower, upper) = self.lower.iter().zip(&self.upper).enumerate().map(of_state).unzip();
        self.set_bounds(lower, upper);
        self.values = values.to_vec();
        self.find_advantages();
    }

    /// Goes back over a stage, between steps of the segment. Returns the allowed loss per step: `each`, or more if the stage does
    /// not pass with `each`.
    pub fn stage(&mut self, (from, until): (u64, u64), stage: &BoundsStage, decisions: &[ChoiceId]) -> f64 {
        let weights = self.weights(from);
        let drift = |size: fn(&Outward) -> f64| {
            let of_choice = |&choice: &ChoiceId| {
                let sizes = self.advantages[choice.index()].iter().map(|advantage| size(advantage).max(0.0));
                sizes.zip(&weights).map(|(size, weight)| Outward::point(size).times(*weight)).sum::<Outward>().upper
            };
            decisions.iter().map(of_choice).fold(0.0, f64::max)
        };
        let (gain, loss) = (drift(|advantage| advantage.upper), drift(|advantage| -advantage.lower));
        let gain = Outward::point(gain).plus(Outward::point(stage.patient)).upper;
        let phases = stage.harmonic.as_deref().unwrap_or(&[]);
        let leads = self.leads(phases, decisions);
        self.is_beyond_doubles |= !leads.z.iter().chain([&leads.loss]).all(|x| x.is_finite());
        let mut each = if stage.each.is_finite() { stage.each } else { 0.0 };
        while let Some(needed) = self.needed((from, until), gain, each, &leads, decisions) {
            each = 2.0 * f64::max(each, needed);
        }
        let shrunk = Outward::power(self.model.discount(0), until - from);
        let lifetime = Outward::of(&lifetime(self.model.discount(0)));
        let [gain, loss] = [gain, loss].map(|drift| Outward::point(drift).times(lifetime).upper);
        let length = Outward::point((until - from) as f64);
        let defect = |defect: f64| shrunk.times(Outward::point(defect));
        let given_away = Outward::point(each).plus(defect(leads.gain)).times(length);
        let lost = defect(-leads.loss).times(length);
        let taken_out = |bound: f64, state: usize| match phases {
            [first, ..] => Outward::point(bound).plus(Outward::point(-first[state])),
            [] => Outward::point(bound),
        };
        let most = |most: f64, (state, &upper): (usize, &f64)| most.max(taken_out(upper, state).upper);
        let greatest = self.upper.iter().enumerate().fold(f64::NEG_INFINITY, most);
        let least = |least: f64, (state, &lower): (usize, &f64)| least.min(taken_out(lower, state).lower);
        let least = self.lower.iter().enumerate().fold(f64::INFINITY, least);
        let carried = |bound: f64, state: usize, forever: f64| {
            let phase = if phases.is_empty() { 0.0 } else { leads.phase(phases, until - from)[state] };
            let at_end = Outward::point(bound).plus(Outward::point(phase));
            at_end.plus(Outward::point(-forever)).times(shrunk).plus(Outward::point(forever))
        };
        let of_state = |state: usize| {
            let (lower, upper) = (carried(least, state, -loss), carried(greatest, state, gain));
            (lower.plus(lost).lower, upper.plus(given_away).upper)
        };
        let (lower, upper) = (0..self.model.n_states()).map(of_state).unzip();
        self.set_bounds(lower, upper);
        self.step = from;
        each
    }

    /// δ, δ' and z_k(c) of harmonic vectors.
    fn leads(&self, phases: &[Vec<f64>], decisions: &[ChoiceId]) -> Leads {
        let period = phases.len();
        let mut leads = Leads { period, gain: 0.0, loss: 0.0, z: Vec::with_capacity(period * self.model.n_choices()) };
        for state in self.model.states() {
            for choice in self.model.choices(state) {
                for (k, phase) in phases.iter().enumerate() {
                    let next = Outward::point(-phases[(k + 1) % period][state.index()]);
                    let drift = self.expected(choice, |target| phase[target]).plus(next);
                    if choice == decisions[state.index()] {
                        leads.gain = leads.gain.max(drift.upper);
                        leads.loss = leads.loss.max(-drift.lower);
                    }
                    leads.z.push(drift.upper);
                }
            }
        }
        let gain = Outward::point(-leads.gain);
        leads.z.iter_mut().for_each(|drift| *drift = Outward::point(*drift).plus(gain).upper);
        leads
    }

    /// `None` if the tests prove that no choice gains more than `gain` and `each` at any step of the stage; otherwise the loss that
    /// would have to be allowed.
    fn needed(
        &self,
        (from, until): (u64, u64),
        gain: f64,
        each: f64,
        leads: &Leads,
        decisions: &[ChoiceId],
    ) -> Option<f64> {
        let others = |state: StateId| {
            let own = decisions[state.index()];
            self.model.choices(state).filter(move |&choice| choice != own)
        };
        let mut rivals: Vec<(ChoiceId, u32)> = self.model.states().flat_map(others).map(|choice| (choice, 0)).collect();
        let mut open = vec![(from, until - 1, (0..rivals.len()).collect::<Vec<_>>())];
        while let Some((u, v, left)) = open.pop() {
            let power = |exponent: u64| Outward::power(self.model.discount(0), exponent);
            let to_the_end = (leads.period > 0).then(|| [power(until - u), power(until - v)]);
            let shrunk = power(u - from);
            let (first, last) = (self.weights(u), self.weights(v));
            let mut failed = Vec::new();
            for rival in left {
                let (choice, cuts) = &mut rivals[rival];
                let weight = |i: usize, advantage: &Outward| if advantage.upper < 0.0 { last[i] } else { first[i] };
                let advantages = self.advantages[choice.index()].iter().enumerate();
                let own = advantages.map(|(i, x)| x.times(weight(i, x))).sum::<Outward>();
                let left = until - 1 - v..=until - 1 - u;
                let leads = to_the_end.map_or(0.0, |powers| leads.most(choice.index(), left, powers));
                let most = own.plus(Outward::point(leads)).upper;
                let more = Outward::point(most).plus(Outward::point(-gain)).times(shrunk).upper;
                if most <= gain || more <= each {
                    continue;
                }
                if u == v || *cuts == MAX_CUTS {
                    return Some(more);
                }
                *cuts += 1;
                failed.push(rival);
            }
            if !failed.is_empty() {
                let middle = u + (v - u) / 2;
                open.push((u, middle, failed.clone()));
                open.push((middle + 1, v, failed));
            }
        }
        None
    }

    /// The lower bound of the strategy's welfare and the upper bound of any welfare from a state, once the present step is 0.
    pub fn welfare(&self, state: StateId) -> (f64, f64) {
        let s = state.index();
        let base = self.values.iter().map(|values| Outward::point(values[s])).sum::<Outward>();
        let end = |bound: f64| base.plus(Outward::point(bound));
        (end(self.lower[s]).lower, end(self.upper[s]).upper)
    }
}
