//! Kind bounds (§7): what the strategy earns at least, and nobody exceeds, recomputed in doubles that round outward.
//!
//! Cost: two passes over the model for each layer.

use crate::certificate::{between, layers, tail};
use crate::doubles::Interval;
use crate::enclosure::{Enclosure, Precision};
use crate::fraction::Fraction;
use crate::model::Model;
use crate::text::{Lines, double, step};
use crate::work::{Work, digits};
use crate::{Stop, Unreadable, refuse};
use std::io::BufRead;

/// The precision of the weights ρ_i^t before they become doubles.
const PRECISION: Precision = Precision(128);
/// The latest horizon.
const MAX_HORIZON: u128 = 1 << 32;
/// What an operation costs, beside one on a machine word.
const COST: u64 = 4;

struct Checker<'m> {
    model: &'m Model,
    work: Work,
    ratios: Vec<Enclosure>,
    discounts: Vec<Interval>,
    numbers: Vec<Interval>,
    /// V_i(s), a principal's states side by side.
    values: Vec<Vec<f64>>,
    /// Δ_i(c), a choice's principals side by side.
    advantages: Vec<Interval>,
    /// L and U of the present step.
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// Checks a certificate from the line after `kind bounds`.
pub fn check<R: BufRead>(model: &Model, mut lines: Lines<R>, work: Work) -> Result<(), Stop> {
    lines.entry("numbers", |rest| (rest == "doubles").then_some(()), "`doubles`")?;
    let horizon = lines.entry("horizon", |rest| step(rest).filter(|&horizon| horizon <= MAX_HORIZON), "a step")?;
    let mut decisions = tail(model, &mut lines)?;
    let values = read_values(model, &mut lines)?;
    let ratio = |discount: &Fraction| PRECISION.fraction(&discount.over(&model.discounts[0]));
    let mut checker = Checker {
        model,
        work,
        ratios: if model.n() == 1 { Vec::new() } else { model.discounts[1..].iter().map(ratio).collect() },
        discounts: model.discounts.iter().map(interval).collect::<Result<_, _>>()?,
        numbers: model.numbers.iter().map(interval).collect::<Result<_, _>>()?,
        values,
        advantages: Vec::new(),
        lower: Vec::new(),
        upper: Vec::new(),
    };
    checker.find_advantages()?;
    checker.after_horizon(horizon, &decisions)?;
    let mut present = horizon;
    while present > 0 {
        let until = present;
        let earlier = |rest: &str| step(rest).filter(|&from| from < until);
        present = lines.entry("layers", earlier, "an earlier step")?;
        layers(model, &mut lines, (present, until), &mut decisions, |t, decisions| checker.layer(t, decisions))?;
    }
    checker.welfare(lines)
}

fn read_values<R: BufRead>(model: &Model, lines: &mut Lines<R>) -> Result<Vec<Vec<f64>>, Unreadable> {
    lines.word("values")?;
    let mut of_principal = || (0..model.n_states()).map(|_| lines.take(double, "a double")).collect();
    (0..model.n()).map(|_| of_principal()).collect()
}

fn interval(x: &Fraction) -> Result<Interval, Stop> {
    Interval::of(x).map_or_else(|| beyond("model"), Ok)
}

fn beyond<T>(place: &str) -> Result<T, Stop> {
    refuse(format!("{place}: a number lies beyond the doubles; not finite, must be"))
}

impl Checker<'_> {
    /// ρ_i^t.
    fn weights(&mut self, t: u128) -> Result<Vec<Interval>, Stop> {
        self.work.spend(self.model.n() as u64, 64 * digits(t))?;
        // A ratio of 0 has the powers 1, 0, 0, …, as it should.
        let others = self.ratios.iter().map(|ratio| Interval::around(&PRECISION.power(ratio, t)));
        let weights = [Some(Interval::point(1.0))].into_iter().chain(others).collect::<Option<Vec<_>>>();
        weights.map_or_else(|| beyond("model"), Ok)
    }

    fn find_advantages(&mut self) -> Result<(), Stop> {
        let model = self.model;
        self.work.spend((model.n() * (model.n_transitions() + model.n_choices())) as u64, COST)?;
        for state in 0..model.n_states() {
            for choice in model.choices(state) {
                for i in 0..model.n() {
                    let values = &self.values[i];
                    let later = self.expected(choice, |target| values[target]).times(self.discounts[i]);
                    let now = self.numbers[model.rewards(choice)[i] as usize];
                    let advantage = later.plus(now).plus(Interval::point(-values[state]));
                    if !advantage.is_finite() {
                        return beyond(&format!("state {state}, choice {}", choice - model.choices(state).start));
                    }
                    self.advantages.push(advantage);
                }
            }
        }
        Ok(())
    }

    fn expected(&self, choice: usize, of: impl Fn(usize) -> f64) -> Interval {
        let (targets, probabilities) = self.model.row(choice);
        let term = |(&target, &p): (&u32, &u32)| Interval::point(of(target as usize)).times(self.numbers[p as usize]);
        targets.iter().zip(probabilities).map(term).fold(Interval::ZERO, Interval::plus)
    }

    /// Σ_{i≤k} ρ_i^t Δ_i(c) for every k.
    fn prefix_sums(&self, weights: &[Interval], choice: usize) -> impl Iterator<Item = Interval> {
        let advantages = &self.advantages[choice * self.model.n()..];
        weights.iter().zip(advantages).scan(Interval::ZERO, |sum, (weight, advantage)| {
            *sum = sum.plus(advantage.times(*weight));
            Some(*sum)
        })
    }

    /// U_H and L_H.
    fn after_horizon(&mut self, horizon: u128, tail: &[usize]) -> Result<(), Stop> {
        let model = self.model;
        let weights = self.weights(horizon)?;
        self.work.spend((model.n() * model.n_choices()) as u64, COST)?;
        let (mut gain, mut loss) = (vec![0.0; model.n()], vec![0.0; model.n()]);
        for choice in 0..model.n_choices() {
            for (k, sum) in self.prefix_sums(&weights, choice).enumerate() {
                gain[k] = f64::max(gain[k], sum.hi);
            }
        }
        for &choice in tail {
            for (k, sum) in self.prefix_sums(&weights, choice).enumerate() {
                loss[k] = f64::max(loss[k], -sum.lo);
            }
        }
        let forever = |discount: &Fraction| Fraction::one().over(&Fraction::one().minus(discount));
        let factor = |k: usize| match model.discounts.get(k + 1) {
            Some(next) => interval(&forever(&model.discounts[k]).minus(&forever(next))),
            None => interval(&forever(&model.discounts[k])),
        };
        let factors = (0..model.n()).map(factor).collect::<Result<Vec<_>, _>>()?;
        let total = |bounds: &[f64]| {
            let terms = factors.iter().zip(bounds).map(|(factor, &bound)| Interval::point(bound).times(*factor));
            terms.fold(Interval::ZERO, Interval::plus).hi
        };
        let (upper, lower) = (total(&gain), -total(&loss));
        if ![upper, lower].iter().all(|bound| bound.is_finite()) {
            return beyond(&format!("horizon {horizon}"));
        }
        self.upper = vec![upper; model.n_states()];
        self.lower = vec![lower; model.n_states()];
        Ok(())
    }

    /// U_t and L_t from those of the step after.
    fn layer(&mut self, t: u128, decisions: &[usize]) -> Result<(), Stop> {
        let model = self.model;
        let weights = self.weights(t)?;
        self.work.spend((2 * model.n_transitions() + model.n() * model.n_choices()) as u64, COST)?;
        let worth = |choice: usize, bound: &[f64]| {
            let now = self.prefix_sums(&weights, choice).last().unwrap_or(Interval::ZERO);
            now.plus(self.expected(choice, |target| bound[target]).times(self.discounts[0]))
        };
        let mut next = Vec::with_capacity(model.n_states());
        for (state, &decision) in decisions.iter().enumerate() {
            let lower = worth(decision, &self.lower).lo;
            let mut upper = f64::NEG_INFINITY;
            for choice in model.choices(state) {
                let worth = worth(choice, &self.upper).hi;
                if ![worth, lower].iter().all(|bound| bound.is_finite()) {
                    return beyond(&format!("step {t}, state {state}"));
                }
                upper = upper.max(worth);
            }
            next.push((lower, upper));
        }
        (self.lower, self.upper) = next.into_iter().unzip();
        Ok(())
    }

    fn welfare<R: BufRead>(&mut self, mut lines: Lines<R>) -> Result<(), Stop> {
        lines.word("welfare")?;
        for state in 0..self.model.n_states() {
            let (lower, upper) = between(&mut lines)?;
            let values = self.values.iter().map(|values| Interval::point(values[state]));
            let base = values.fold(Interval::ZERO, Interval::plus);
            let found =
                [base.plus(Interval::point(self.lower[state])).lo, base.plus(Interval::point(self.upper[state])).hi];
            if !found.iter().all(|found| found.is_finite()) {
                return beyond(&format!("welfare, state {state}"));
            }
            for (holds, side, found, stated) in [
                (lower <= found[0], "the strategy may earn less than the lower bound", found[0], lower),
                (found[1] <= upper, "somebody may earn more than the upper bound", found[1], upper),
            ] {
                if !holds {
                    return refuse(format!("welfare, state {state}: {side}; found {found:e}, stated {stated:e}"));
                }
            }
        }
        Ok(lines.end()?)
    }
}
