//! A second bound, from the slope of the welfare and the range of the discounted visits.
//!
//! For any vectors V_i, with Δ_i as in the relaxation and x_i^p the discounted visits under a mix p of the box, telescoping gives
//!
//! ```text
//! welfare(p) = Σ_i V_i(s_0) + Σ_s Σ_i x_i^p(s) p(s)·Δ_i(s)
//!            ≤ Σ_i V_i(s_0) + Σ_s max { Σ_i y_i p(s)·Δ_i(s) : p(s) in the box, low_i(s) ≤ y_i ≤ high_i(s) }
//! ```
//!
//! if low_i ≤ x_i^p ≤ high_i for every p of the box. Each maximum is over a product of two boxes and linear in both factors: it is
//! attained at a corner of the visits, and there it is a fractional knapsack. All principals share the mix of a state; that is what
//! the counting relaxation does not see. If V_i are the values of a best mix p̄ of the box, p̄·Δ_i = 0 and both the differences of
//! the visits and those of the mixes shrink with the box: the error is quadratic in its width. A few steps of a subgradient
//! method improve V_i further. [`VisitRange`] computes the range of the visits.
//!
//! The bound is a sum over states, so that replacing one state's term bounds a part of the box in which only the mixes of that
//! state are restricted: ranges of probabilities are narrowed and divisions compared for the price of a few knapsacks.

use super::action_box::{ActionBox, GRID};
use super::branch_and_bound::Cutoff;
use super::doubles::Doubles;
use super::local::Local;
use super::relaxation::TERM;
use super::visit_range::VisitRange;
use crate::model::{ChoiceId, StateId};
use crate::number::RoundingBudget;
use crate::stop::{Pace, StopSignal};

/// The bound of a box, as a sum over states.
#[derive(Debug)]
pub(super) struct Slope {
    /// No strategy inside the box earns more.
    pub bound: f64,
    range: VisitRange,
    /// Δ_i per choice, principals side by side.
    advantage: Vec<f64>,
    /// Per state its term of the sum.
    term: Vec<f64>,
    /// Σ_i V_i(s_0) and the sum of all terms.
    total: f64,
    errors: RoundingBudget,
}

/// Steps of the subgradient method.
const STEPS: usize = 40;
/// The step's length, relative to the one that would reach the target if the bound were linear.
const LENGTH: f64 = 0.7;
/// The part of the last direction that is kept.
const KEPT: f64 = 0.6;
/// Above this number of principals the corners are too many: every principal's visits are taken at their worst by themselves.
const MOST_CORNERED: usize = 5;

/// The bound around the mix of `local`; `None` if the box is too wide for it, or if `stop` is raised. `target` is what it would be
/// good to prove.
pub(super) fn slope_bound(
    model: &Doubles,
    within: &ActionBox,
    local: &Local,
    target: f64,
    stop: &StopSignal,
) -> Option<Slope> {
    let mut pace = Pace::of(stop);
    let range = VisitRange::of(model, within, local, stop)?;
    let mut terms = Terms::of(model, within, local, &range);
    let mut values: Vec<Vec<f64>> = (0..model.n).map(|i| local.values(i).to_vec()).collect();
    let mut best = (terms.sum(&values), values.clone());
    let mut direction = vec![vec![0.0; local.reach().len()]; model.n];
    for _ in 0..STEPS {
        stop.spend(TERM * terms.n_terms as u64);
        if pace.stops_after(terms.n_terms) {
            break;
        }
        terms.slope_into(&mut direction);
        let length: f64 = direction.iter().flatten().map(|d| d * d).sum();
        let excess = best.0.min(terms.total) - target;
        if excess <= 0.0 || length <= 0.0 || !length.is_finite() {
            break;
        }
        let step = LENGTH * excess / length;
        values.iter_mut().flatten().zip(direction.iter().flatten()).for_each(|(value, d)| *value -= step * d);
        let total = terms.sum(&values);
        if total < best.0 {
            best = (total, values.clone());
        }
    }
    let total = terms.sum(&best.1);
    let errors = terms.errors(&best.1);
    let bound = errors.above(total);
    let Terms { advantage, term, .. } = terms;
    bound.is_finite().then_some(Slope { bound, range, advantage, term, total, errors })
}

impl Slope {
    /// The bound of the part of the box that differs from it in one state only.
    pub fn of_part(&self, model: &Doubles, part: &ActionBox, local: &Local, state: StateId) -> f64 {
        let (own, now) = (self.term[state.index()], self.term_of(model, part, local, state));
        let mut errors = self.errors;
        errors.allow_sum(4, self.total.abs() + own.abs() + now.abs());
        let bound = errors.above(self.total - own + now);
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    /// Per state, how much less the bound would be if the state took the mix of `local`.
    pub fn opens(&self, model: &Doubles, local: &Local) -> Vec<f64> {
        let point = ActionBox { lower: local.mix.clone(), upper: local.mix.clone() };
        let mut opens = vec![0.0; model.n_states];
        for &state in local.reach() {
            opens[state.index()] = self.term[state.index()] - self.term_of(model, &point, local, state);
        }
        opens
    }

    fn term_of(&self, model: &Doubles, part: &ActionBox, local: &Local, state: StateId) -> f64 {
        let mut worth = Vec::new();
        let position = local.position(state);
        greatest(model, part, &self.range, &self.advantage, state, position, &mut worth).0
    }

    /// Takes from every range of probabilities what the bound proves to be below the cutoff. Returns the greatest bound of what was
    /// taken, if anything was, and whether some range has become much narrower.
    pub fn narrow(
        &self,
        model: &Doubles,
        within: &mut ActionBox,
        local: &Local,
        cutoff: Cutoff,
    ) -> (Option<f64>, bool) {
        /// A range is only narrowed if at most this part of it is left.
        const WORTHWHILE: f64 = 0.95;
        /// It has become much narrower if at most this part of it is left.
        const MUCH: f64 = 0.7;
        /// Halvings of a range in search of the place to cut.
        const HALVINGS: usize = 8;
        let (mut dropped, mut much) = (None, false);
        let mut part = within.clone();
        for &state in local.reach() {
            let span = model.span(state);
            for at in span.clone() {
                for takes_top in [true, false] {
                    let (lower, upper) = (within.lower[at], within.upper[at]);
                    let width = upper - lower;
                    if width <= 8.0 * GRID {
                        continue;
                    }
                    // The bound of the mixes on the far side of the cut, if it is below the cutoff.
                    let mut below = |cut: f64| {
                        part.lower[span.clone()].copy_from_slice(&within.lower[span.clone()]);
                        part.upper[span.clone()].copy_from_slice(&within.upper[span.clone()]);
                        if takes_top {
                            part.lower[at] = cut
                        } else {
                            part.upper[at] = cut
                        }
                        if !part.tighten(model, state) {
                            return Some(f64::NEG_INFINITY);
                        }
                        Some(self.of_part(model, &part, local, state)).filter(|bound| cutoff.drops(*bound))
                    };
                    let (mut stays, mut goes) = if takes_top { (lower, upper) } else { (upper, lower) };
                    let Some(mut bound) = below(goes) else { continue };
                    for _ in 0..HALVINGS {
                        let middle = ((stays + goes) / 2.0 / GRID).round() * GRID;
                        match below(middle) {
                            Some(of_part) => (goes, bound) = (middle, of_part),
                            None => stays = middle,
                        }
                    }
                    let left = if takes_top { goes - lower } else { upper - goes };
                    if left > WORTHWHILE * width {
                        continue;
                    }
                    let before = (within.lower[span.clone()].to_vec(), within.upper[span.clone()].to_vec());
                    if takes_top {
                        within.upper[at] = goes
                    } else {
                        within.lower[at] = goes
                    }
                    if !within.tighten(model, state) {
                        // Nothing is left of the box: leave that to the bound of the whole.
                        within.lower[span.clone()].copy_from_slice(&before.0);
                        within.upper[span.clone()].copy_from_slice(&before.1);
                        continue;
                    }
                    dropped = Some(dropped.unwrap_or(f64::NEG_INFINITY).max(bound));
                    much |= left <= MUCH * width;
                }
            }
            part.lower[span.clone()].copy_from_slice(&within.lower[span.clone()]);
            part.upper[span.clone()].copy_from_slice(&within.upper[span]);
        }
        (dropped, much)
    }
}

/// The bound as a function of the vectors V_i.
struct Terms<'a> {
    model: &'a Doubles,
    within: &'a ActionBox,
    local: &'a Local<'a>,
    range: &'a VisitRange,
    advantage: Vec<f64>,
    /// Per state its term, and the corner of the visits at which it is attained.
    term: Vec<f64>,
    corner: Vec<u32>,
    total: f64,
    /// The products of one evaluation.
    n_terms: usize,
}

impl<'a> Terms<'a> {
    fn of(model: &'a Doubles, within: &'a ActionBox, local: &'a Local<'a>, range: &'a VisitRange) -> Terms<'a> {
        let n_terms = local.reach().iter().map(|&state| model.n_terms(state) * model.n).sum();
        let advantage = vec![0.0; model.n_choices * model.n];
        let (term, corner) = (vec![0.0; model.n_states], vec![0; model.n_states]);
        Terms { model, within, local, range, advantage, term, corner, total: 0.0, n_terms }
    }

    /// Σ_i V_i(s_0) and all terms, for these V_i.
    fn sum(&mut self, values: &[Vec<f64>]) -> f64 {
        let (model, local) = (self.model, self.local);
        let mut worth = Vec::new();
        let start = local.position(model.start);
        let mut total: f64 = values.iter().map(|own| own[start]).sum();
        for (position, &state) in local.reach().iter().enumerate() {
            for choice in model.choices(state).filter(|&choice| self.within.allows(choice)) {
                let own = &mut self.advantage[choice.index() * model.n..(choice.index() + 1) * model.n];
                for (i, (own, values)) in own.iter_mut().zip(values).enumerate() {
                    let later: f64 = model.row(choice).map(|(t, p)| p * values[local.position(t)]).sum();
                    *own = model.rewards(choice)[i] + model.discount[i] * later - values[position];
                }
            }
            let (term, corner) = greatest(model, self.within, self.range, &self.advantage, state, position, &mut worth);
            self.term[state.index()] = term;
            self.corner[state.index()] = corner;
            total += term;
        }
        self.total = total;
        total
    }

    /// A subgradient of the sum at the V_i of the last evaluation, averaged with the direction before: what the visits at which the
    /// terms are attained lack to a flow from the start.
    fn slope_into(&self, direction: &mut [Vec<f64>]) {
        let (model, local) = (self.model, self.local);
        let start = local.position(model.start);
        let (mut worth, mut order, mut mix) = (Vec::new(), Vec::new(), vec![0.0; model.n_choices]);
        direction.iter_mut().flatten().for_each(|entry| *entry *= KEPT);
        let new = 1.0 - KEPT;
        direction.iter_mut().for_each(|own| own[start] += new);
        for (position, &state) in local.reach().iter().enumerate() {
            let (span, corner) = (model.span(state), self.corner[state.index()]);
            let visits = |i: usize| self.range.at_corner(i, position, corner);
            worths(model, self.within, &self.advantage, state, visits, &mut worth);
            order.clear();
            order.extend(model.choices(state).filter(|&choice| self.within.allows(choice)));
            order.sort_by(|a, b| worth[b.index() - span.start].total_cmp(&worth[a.index() - span.start]));
            self.within.fill(span, &order, &mut mix);
            for choice in model.choices(state).filter(|choice| mix[choice.index()] > 0.0) {
                for (i, own) in direction.iter_mut().enumerate() {
                    let visits = new * visits(i) * mix[choice.index()];
                    own[position] -= visits;
                    for (target, probability) in model.row(choice) {
                        own[local.position(target)] += model.discount[i] * visits * probability;
                    }
                }
            }
        }
    }

    /// The rounding errors of the last evaluation, at these V_i.
    fn errors(&self, values: &[Vec<f64>]) -> RoundingBudget {
        let (model, local, within) = (self.model, self.local, self.within);
        let mut errors = RoundingBudget::default();
        let mut magnitude = 0.0f64;
        for (i, values) in values.iter().enumerate() {
            let largest_value = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
            let largest_reward = within.largest(model, local.reach(), |choice| model.rewards(choice)[i]);
            let mut of_advantage = RoundingBudget::default();
            of_advantage.allow_sum(model.longest_sum + 4, largest_reward + 2.0 * largest_value);
            for (position, &state) in local.reach().iter().enumerate() {
                let most = self.range.high[i][position];
                errors.allow_product(most, of_advantage.total());
                let advantage = |choice: ChoiceId| self.advantage[choice.index() * model.n + i];
                magnitude += most * within.largest(model, &[state], advantage);
            }
            magnitude += largest_value;
        }
        let n_sums = local.reach().len() * (2 * model.n + 2) + model.n * (model.longest_sum + 4);
        errors.allow_sum(n_sums, 4.0 * magnitude);
        errors
    }
}

/// Σ_i y_i Δ_i of every choice of a state.
fn worths(
    model: &Doubles,
    within: &ActionBox,
    advantage: &[f64],
    state: StateId,
    visits: impl Fn(usize) -> f64,
    worth: &mut Vec<f64>,
) {
    worth.clear();
    worth.extend(model.choices(state).map(|choice| {
        if !within.allows(choice) {
            return f64::NEG_INFINITY;
        }
        let own = &advantage[choice.index() * model.n..(choice.index() + 1) * model.n];
        own.iter().enumerate().map(|(i, own)| visits(i) * own).sum()
    }));
}

/// The greatest Σ_i y_i p·Δ_i over the mixes p of a state and the visits y in their range, and the corner of the visits.
fn greatest(
    model: &Doubles,
    within: &ActionBox,
    range: &VisitRange,
    advantage: &[f64],
    state: StateId,
    position: usize,
    worth: &mut Vec<f64>,
) -> (f64, u32) {
    let span = model.span(state);
    if model.n <= MOST_CORNERED {
        let mut greatest = (f64::NEG_INFINITY, 0);
        for corner in 0..1u32 << model.n {
            worths(model, within, advantage, state, |i| range.at_corner(i, position, corner), worth);
            let term = within.best(span.clone(), worth);
            if term > greatest.0 {
                greatest = (term, corner);
            }
        }
        return greatest;
    }
    // Every principal's visits from their least to their greatest, one principal after the other.
    worths(model, within, advantage, state, |i| range.low[i][position], worth);
    let mut term = within.best(span.clone(), worth);
    for i in 0..model.n {
        let only = |k: usize| if k == i { range.high[i][position] - range.low[i][position] } else { 0.0 };
        worths(model, within, advantage, state, only, worth);
        term += within.best(span.clone(), worth).max(0.0);
    }
    (term, 0)
}
