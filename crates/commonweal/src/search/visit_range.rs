//! The least and the greatest discounted visits to each state, over the mixes of a box.
//!
//! x_i^p(s) is the value of the start if every visit to s pays 1: it lies between the optima of two Markov decision processes, over
//! the mixes of the box. Policy iteration starts at the mix of a local search, whose visits are at hand. With w the values that it
//! ends with, T the optimality operator and δ ≥ λ_i δ + |T w − w| in every state, w + δ is at least the greatest optimum and w − δ
//! at most the least one: nothing else is trusted.
//!
//! Where the systems are too large for that, x^p differs from x, the visits under p̄, by d with
//! |d| ≤ λ_i |d| (P̄ + δP) + λ_i x δP + |ρ|, where δP(s,t) is the most that P_p(s,t) differs from P̄(s,t), and ρ what x lacks to
//! `e_{s_0} + λ_i x P̄`. So any r > 0 with `λ_i r (P̄ + δP) + λ_i x δP + |ρ| < r` in every state bounds it (and shows that such a
//! bound exists); only narrow boxes have one.

use super::action_box::ActionBox;
use super::dense::solve_in_place;
use super::doubles::Doubles;
use super::local::Local;
use crate::model::StateId;
use crate::number::{RoundingBudget, enough_for_sum, product_up, sum_down, sum_up};
use crate::stop::{Pace, StopSignal};

/// Bounds on the discounted visits, per principal and state of the box's reach.
#[derive(Debug)]
pub(super) struct VisitRange {
    pub low: Vec<Vec<f64>>,
    pub high: Vec<Vec<f64>>,
}

/// The largest reach for which the extremes are computed.
const LARGEST: usize = 80;
/// Policy iterations for one extreme, after the first look.
const IMPROVEMENTS: usize = 6;
/// An extreme is close enough if it is proven up to this part of the visits, or to that of their change.
const CLOSE: f64 = 1e-4;
const CLOSE_CHANGE: f64 = 0.04;
/// Iterations for r; the boxes for which it matters need fewer.
const ITERATIONS: usize = 400;
/// How much r is widened, relative to the average of its terms.
const MARGIN: f64 = 0.05;

impl VisitRange {
    /// The range of the visits of a box around the mix of `local`; `None` if there is none, or if it is stopped.
    pub fn of(model: &Doubles, within: &ActionBox, local: &Local, stop: &StopSignal) -> Option<VisitRange> {
        let pace = &mut Pace::of(stop);
        let size = local.reach().len();
        let mut range = VisitRange { low: Vec::new(), high: Vec::new() };
        if size > LARGEST {
            let changes = Changes::of(model, within, local);
            for i in 0..model.n {
                let visits = local.visits(i);
                let far = changes.visits_within(model, local, i, &visits, pace)?;
                range.low.push(visits.iter().zip(&far).map(|(x, r)| sum_down(*x, -r).max(0.0)).collect());
                range.high.push(visits.iter().zip(&far).map(|(x, r)| sum_up(*x, *r)).collect());
            }
            return Some(range);
        }
        for i in 0..model.n {
            let mut side = |sign: f64| {
                let extreme = |goal: usize| {
                    let (bound, n_solved) = Extreme::of(model, within, local, i, goal, sign).bound(pace)?;
                    stop.spend((n_solved * size.pow(3) / 3 + size * size) as u64);
                    Some(bound)
                };
                (0..size).map(extreme).collect::<Option<Vec<f64>>>()
            };
            range.low.push(side(-1.0)?);
            range.high.push(side(1.0)?);
        }
        Some(range)
    }

    /// The visits of a principal to a state at a corner: the greatest if the corner has the principal's bit.
    pub fn at_corner(&self, i: usize, position: usize, corner: u32) -> f64 {
        if corner >> i & 1 == 1 { self.high[i][position] } else { self.low[i][position] }
    }
}

/// One extreme: of the visits of principal `i` to the state at `goal`.
struct Extreme<'a> {
    model: &'a Doubles,
    within: &'a ActionBox,
    local: &'a Local<'a>,
    i: usize,
    goal: usize,
    /// 1 for the greatest, −1 for the least.
    sign: f64,
    /// About the expected visits from each state.
    visits: Vec<f64>,
}

impl<'a> Extreme<'a> {
    fn of(
        model: &'a Doubles,
        within: &'a ActionBox,
        local: &'a Local<'a>,
        i: usize,
        goal: usize,
        sign: f64,
    ) -> Extreme<'a> {
        Extreme { model, within, local, i, goal, sign, visits: local.visits_to(i, goal) }
    }

    /// The proven bound, and how many systems were solved for it; `None` if stopped.
    fn bound(mut self, pace: &mut Pace) -> Option<(f64, usize)> {
        let (model, size) = (self.model, self.visits.len());
        let start = self.local.position(model.start);
        let discount = model.discounts[self.i].upper();
        let mut mix = self.local.mix.clone();
        let before = self.visits[start];
        for n_solved in 0.. {
            if pace.stops_after(size * size * size / 3) {
                return None;
            }
            let excess = self.improve(&mut mix);
            let mut error = RoundingBudget::default();
            let largest = self.visits.iter().fold(1.0f64, |largest, x| largest.max(x.abs()));
            error.allow(excess);
            error.allow_sum(model.longest_sum + 4, 1.0 + 2.0 * largest);
            // δ with λδ + error ≤ δ.
            let shift = 1.001 * error.total() / (1.0 - discount);
            let holds = sum_up(product_up(discount, shift), error.total()) <= shift;
            if !holds {
                return Some((if self.sign > 0.0 { f64::INFINITY } else { 0.0 }, n_solved));
            }
            let change = (self.visits[start] - before).abs();
            if shift <= CLOSE * before + CLOSE_CHANGE * change || n_solved == IMPROVEMENTS || !self.evaluate(&mix) {
                let bound = if self.sign > 0.0 {
                    sum_up(self.visits[start], shift)
                } else {
                    sum_down(self.visits[start], -shift).max(0.0)
                };
                return Some((bound, n_solved));
            }
        }
        unreachable!("the last improvement returns")
    }

    /// Every state's best mix for these visits, and the most that one step of them improves a state.
    fn improve(&self, mix: &mut [f64]) -> f64 {
        let model = self.model;
        let (mut worth, mut order, mut excess) = (Vec::new(), Vec::new(), 0.0f64);
        for (position, &state) in self.local.reach().iter().enumerate() {
            let span = model.span(state);
            worth.clear();
            worth.extend(model.choices(state).map(|choice| {
                let later: f64 = model.row(choice).map(|(t, p)| p * self.visits[self.local.position(t)]).sum();
                if self.within.allows(choice) { self.sign * later } else { f64::NEG_INFINITY }
            }));
            let best = self.sign * self.within.best(span.clone(), &worth);
            let now = if position == self.goal { 1.0 } else { 0.0 } + model.discount[self.i] * best;
            excess = excess.max(self.sign * (now - self.visits[position]));
            order.clear();
            order.extend(model.choices(state).filter(|&choice| self.within.allows(choice)));
            order.sort_by(|a, b| worth[b.index() - span.start].total_cmp(&worth[a.index() - span.start]));
            self.within.fill(span, &order, mix);
        }
        excess
    }

    /// About the visits under a mix. `false`, and nothing changed, if that breaks down.
    fn evaluate(&mut self, mix: &[f64]) -> bool {
        let (model, size) = (self.model, self.visits.len());
        let width = size + 1;
        let mut rows = vec![0.0; size * width];
        for (position, &state) in self.local.reach().iter().enumerate() {
            let row = &mut rows[position * width..(position + 1) * width];
            row[position] = 1.0;
            for choice in model.choices(state).filter(|choice| mix[choice.index()] > 0.0) {
                let share = mix[choice.index()] * model.discount[self.i];
                model.row(choice).for_each(|(t, p)| row[self.local.position(t)] -= share * p);
            }
        }
        rows[self.goal * width + size] = 1.0;
        match solve_in_place(size, &mut rows) {
            Some(visits) => self.visits = visits,
            None => return false,
        }
        true
    }
}

/// How the transitions of the box differ from those of a mix, row by row over the states reached.
struct Changes {
    /// P̄ and P̄ + δP: position of the target, probability, the most.
    rows: Vec<Vec<(usize, f64, f64)>>,
}

impl Changes {
    fn of(model: &Doubles, within: &ActionBox, local: &Local) -> Changes {
        let row = |&state: &StateId| {
            let (choices, span) = (model.choices(state), model.span(state));
            let allowed = choices.clone().filter(|&choice| within.allows(choice));
            let mut targets: Vec<StateId> =
                allowed.clone().flat_map(|c| model.row(c).map(|(target, _)| target)).collect();
            targets.sort_unstable();
            targets.dedup();
            let mut to_target = vec![0.0; choices.len()];
            let entry = |target: StateId| {
                to_target.fill(0.0);
                let mut mean = 0.0;
                for choice in allowed.clone() {
                    let probability: f64 = model.row(choice).filter(|(t, _)| *t == target).map(|(_, p)| p).sum();
                    to_target[choice.index() - span.start] = probability;
                    mean += local.mix[choice.index()] * probability;
                }
                let most = within.best(span.clone(), &to_target);
                to_target.iter_mut().for_each(|probability| *probability = -*probability);
                let least = -within.best(span.clone(), &to_target);
                let mut change = RoundingBudget::default();
                change.allow((most - mean).max(mean - least).max(0.0));
                change.allow_sum(2 * model.longest_sum, 4.0);
                (local.position(target), mean, change.total())
            };
            targets.into_iter().map(entry).collect()
        };
        Changes { rows: local.reach().iter().map(row).collect() }
    }

    /// r: an upper bound on the difference between `visits` and the discounted visits under any mix of the box.
    fn visits_within(
        &self,
        model: &Doubles,
        local: &Local,
        i: usize,
        visits: &[f64],
        pace: &mut Pace,
    ) -> Option<Vec<f64>> {
        let size = visits.len();
        let n_entries = self.rows.iter().map(Vec::len).sum();
        let discount = model.discounts[i].upper();
        // λ x δP + |ρ|, rounded up.
        let mut base = vec![0.0; size];
        let mut lacks: Vec<f64> = visits.to_vec();
        lacks[local.position(model.start)] -= 1.0;
        for (row, &visits) in self.rows.iter().zip(visits) {
            for &(target, mean, change) in row {
                base[target] += discount * visits.abs() * change;
                lacks[target] -= discount * visits * mean;
            }
        }
        let total: f64 = 1.0 + visits.iter().map(|x| x.abs()).sum::<f64>();
        let mut rounding = RoundingBudget::default();
        rounding.allow_sum(2 * size + 8, 4.0 * total);
        base.iter_mut().zip(lacks).for_each(|(base, lack)| {
            *base = sum_up(sum_up(product_up(*base, enough_for_sum(size)), lack.abs()), rounding.total())
        });
        // A margin, so that the iteration need not converge fully.
        let average = MARGIN * base.iter().sum::<f64>() / size as f64;
        let mut term: Vec<f64> = base.iter().map(|base| base + average).collect();
        let mut far = term.clone();
        for _ in 0..ITERATIONS {
            if pace.stops_after(n_entries) {
                return None;
            }
            let mut next = vec![0.0; size];
            for (row, &term) in self.rows.iter().zip(&term) {
                for &(target, mean, change) in row {
                    next[target] += discount * term * (mean + change);
                }
            }
            term = next;
            far.iter_mut().zip(&term).for_each(|(far, term)| *far += term);
            if term.iter().all(|&term| term <= average / 2.0) {
                return self.holds(discount, &base, &far).then_some(far);
            }
            if far.iter().any(|far| !far.is_finite() || *far > total) {
                return None;
            }
        }
        None
    }

    /// Whether `λ r (P̄ + δP) + base < r` in every state. All terms are positive, so a small factor covers the rounding errors.
    fn holds(&self, discount: f64, base: &[f64], far: &[f64]) -> bool {
        let mut sum = base.to_vec();
        for (row, &far) in self.rows.iter().zip(far) {
            for &(target, mean, change) in row {
                sum[target] += discount * far * (mean + change);
            }
        }
        let enough = enough_for_sum(far.len());
        sum.iter().zip(far).all(|(sum, far)| sum * enough < *far)
    }
}
