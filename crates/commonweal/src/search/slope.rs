//! A second bound for narrow boxes, from the slope of the welfare.
//!
//! Let p̄ be a mix of the box, V_i about its values and x_i about its discounted visits. Telescoping gives, for every mix p of
//! the box, with x_i^p the discounted visits under p and Δ_i as in the relaxation,
//!
//! ```text
//! welfare(p) = Σ_i V_i(s_0) + Σ_s Σ_i x_i^p(s) p(s)·Δ_i(s)
//!            ≤ Σ_i V_i(s_0) + Σ_s ( max_p p·g(s) + Σ_i r_i(s) max_p |p·Δ_i(s)| ),      g(s,a) = Σ_i x_i(s) Δ_i(s,a)
//! ```
//!
//! if r_i ≥ |x_i^p − x_i| for every p of the box. With δP(s,t) the most that P_p(s,t) differs from P̄(s,t), and ρ_i what x_i
//! lacks to `e_{s_0} + λ_i x_i P̄`, the difference d satisfies |d| ≤ λ_i |d| (P̄ + δP) + λ_i x_i δP + |ρ_i|; so any r > 0 that
//! satisfies `λ_i r (P̄ + δP) + λ_i x_i δP + |ρ_i| < r` in every state will do (and shows that such a bound exists). At a
//! best mix p̄ of the box the first maximum is about 0, and Δ_i and r_i both shrink with the box: the error is quadratic in its
//! width.

use super::action_box::ActionBox;
use super::doubles::Doubles;
use super::local::Local;
use crate::number::{RoundingBudget, enough_for_sum, product_up, sum_up};
use crate::stop::{Pace, StopSignal};

/// The bound of a box, and the contribution of each state.
#[derive(Debug)]
pub(super) struct Slope {
    /// No strategy inside the box earns more.
    pub bound: f64,
    /// Per state its contribution to the bound.
    pub opens: Vec<f64>,
}

/// Iterations for r; the boxes for which it matters need fewer.
const ITERATIONS: usize = 400;
/// How much r is widened, relative to the average of its terms.
const MARGIN: f64 = 0.05;

/// The slope bound around the mix of `local`; `None` if the box is too wide for it, or if `stop` is raised.
pub(super) fn slope_bound(model: &Doubles, within: &ActionBox, local: &Local, stop: &StopSignal) -> Option<Slope> {
    let reach = local.reach();
    let changes = Changes::of(model, within, local);
    let mut bound = RoundingBudget::default();
    let mut opens = vec![0.0; model.n_states];
    let mut slopes = vec![0.0; model.n_choices];
    let mut magnitude = 0.0f64;
    let mut pace = Pace::of(stop);
    for i in 0..model.n {
        let values = local.values(i);
        let visits = local.visits(i);
        let far = changes.visits_within(model, local, i, &visits, &mut pace)?;
        let largest_value = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
        let mut advantage_error = RoundingBudget::default();
        let largest_reward = within.largest(model, reach, |choice| model.rewards(choice)[i]);
        advantage_error.allow_sum(model.longest_sum + 4, largest_reward + 2.0 * largest_value);
        let mut advantages = Vec::new();
        for (position, &state) in reach.iter().enumerate() {
            let choices = model.choices(state as usize);
            advantages.clear();
            advantages.extend(choices.clone().map(|choice| {
                if within.allows(choice) {
                    let later: f64 = model.row(choice).map(|(t, p)| p * values[local.position(t)]).sum();
                    model.rewards(choice)[i] + model.discount[i] * later - values[position]
                } else {
                    0.0
                }
            }));
            for (choice, advantage) in choices.clone().zip(&advantages) {
                slopes[choice] += visits[position] * advantage;
            }
            let largest = within.largest(model, &[state], |choice| advantages[choice - choices.start]);
            let most = within.best(choices.clone(), &advantages);
            advantages.iter_mut().for_each(|advantage| *advantage = -*advantage);
            let least = within.best(choices, &advantages);
            let remainder = far[position] * most.max(least).max(0.0);
            opens[state as usize] += remainder;
            let weight = visits[position].abs() + far[position];
            bound.allow_product(weight, advantage_error.total());
            magnitude += weight * largest;
        }
        magnitude += largest_value;
    }
    for &state in reach {
        let choices = model.choices(state as usize);
        opens[state as usize] += within.best(choices.clone(), &slopes[choices]);
    }
    bound.allow_sum(reach.len() * (model.n + 2) + model.n * (model.longest_sum + 4), 2.0 * magnitude);
    let total: f64 = reach.iter().map(|&state| opens[state as usize]).sum::<f64>() + local.welfare();
    let bound = bound.above(total);
    bound.is_finite().then_some(Slope { bound, opens })
}

/// How the transitions of the box differ from those of a mix, row by row over the states reached.
struct Changes {
    /// P̄ and P̄ + δP: position of the target, probability, the most.
    rows: Vec<Vec<(usize, f64, f64)>>,
}

impl Changes {
    fn of(model: &Doubles, within: &ActionBox, local: &Local) -> Changes {
        let row = |&state: &u32| {
            let choices = model.choices(state as usize);
            let allowed = choices.clone().filter(|&choice| within.allows(choice));
            let mut targets: Vec<usize> =
                allowed.clone().flat_map(|c| model.row(c).map(|(target, _)| target)).collect();
            targets.sort_unstable();
            targets.dedup();
            let mut to_target = vec![0.0; choices.len()];
            let entry = |target: usize| {
                to_target.fill(0.0);
                let mut mean = 0.0;
                for choice in allowed.clone() {
                    let probability: f64 = model.row(choice).filter(|(t, _)| *t == target).map(|(_, p)| p).sum();
                    to_target[choice - choices.start] = probability;
                    mean += local.mix[choice] * probability;
                }
                let most = within.best(choices.clone(), &to_target);
                to_target.iter_mut().for_each(|probability| *probability = -*probability);
                let least = -within.best(choices.clone(), &to_target);
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
        /// More than the rounding errors of a sum of this many terms, which are not negative: size · 2^-53, relative to it.
        const OF_A_SUM: f64 = 1.0 + 1e-9;
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
        base.iter_mut()
            .zip(lacks)
            .for_each(|(base, lack)| *base = sum_up(sum_up(product_up(*base, OF_A_SUM), lack.abs()), rounding.total()));
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
