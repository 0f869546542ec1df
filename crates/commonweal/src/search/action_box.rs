//! Boxes of action probabilities: per choice a least and a greatest probability.
//!
//! A search over positional strategies keeps every range at [0, 1] or [0, 0]: a choice is allowed or it is not. One over
//! stationary strategies narrows the ranges. All ends are multiples of [`GRID`], so that sums of them are exact.

use super::doubles::Doubles;
use crate::model::{ChoiceId, StateId};
use std::ops::Range;

/// Every end of a range is a multiple of this power of two: sums of up to 2^12 of them are doubles.
pub(super) const GRID: f64 = 1.0 / (1u64 << 40) as f64;

/// Per choice, the range of its probability. In every state some mix that sums to 1 fits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ActionBox {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

impl ActionBox {
    /// Everything is allowed.
    pub fn whole(model: &Doubles) -> ActionBox {
        ActionBox { lower: vec![0.0; model.n_choices], upper: vec![1.0; model.n_choices] }
    }

    /// The smallest box that holds this mix.
    pub fn around(model: &Doubles, mix: &[f64]) -> ActionBox {
        let ends = |round: fn(f64) -> f64| mix.iter().map(|p| round(p.clamp(0.0, 1.0) / GRID) * GRID).collect();
        let mut around = ActionBox { lower: ends(f64::floor), upper: ends(f64::ceil) };
        for state in model.states() {
            let span = model.span(state);
            // Rounding errors of the mix.
            if around.upper[span.clone()].iter().sum::<f64>() < 1.0
                || around.lower[span.clone()].iter().sum::<f64>() > 1.0
            {
                around.lower[span.clone()].iter_mut().for_each(|lower| *lower = (*lower - GRID).max(0.0));
                around.upper[span]
                    .iter_mut()
                    .filter(|upper| **upper > 0.0)
                    .for_each(|upper| *upper = (*upper + GRID).min(1.0));
            }
        }
        around
    }

    pub fn allows(&self, choice: ChoiceId) -> bool {
        self.upper[choice.index()] > 0.0
    }

    /// The number of choices of a state that may have a positive probability.
    pub fn n_allowed(&self, model: &Doubles, state: StateId) -> usize {
        model.choices(state).filter(|&choice| self.allows(choice)).count()
    }

    /// The box in which `state` always takes `choice`.
    pub fn fixed(&self, model: &Doubles, state: StateId, choice: ChoiceId) -> ActionBox {
        let mut fixed = self.clone();
        for other in model.choices(state) {
            fixed.upper[other.index()] = if other == choice { 1.0 } else { 0.0 };
            fixed.lower[other.index()] = 0.0;
        }
        fixed
    }

    /// Tightens every range of a state to what the others allow. `false` if no mix is left.
    pub fn tighten(&mut self, model: &Doubles, state: StateId) -> bool {
        let span = model.span(state);
        let least: f64 = self.lower[span.clone()].iter().sum();
        let most: f64 = self.upper[span.clone()].iter().sum();
        if least > 1.0 || most < 1.0 {
            return false;
        }
        for position in span {
            let (lower, upper) = (self.lower[position], self.upper[position]);
            self.lower[position] = lower.max(1.0 - (most - upper));
            self.upper[position] = upper.min(1.0 - (least - lower));
        }
        true
    }

    /// The widest range of a state.
    pub fn width(&self, model: &Doubles, state: StateId) -> f64 {
        model.choices(state).map(|choice| self.upper[choice.index()] - self.lower[choice.index()]).fold(0.0, f64::max)
    }

    /// The greatest `Σ_a p_a q_a` over the mixes p of the box, a fractional knapsack: every choice gets its least probability, the
    /// rest goes to the best ones. Choices that are not allowed are ignored.
    pub fn best(&self, span: Range<usize>, q: &[f64]) -> f64 {
        let mut rest = 1.0;
        let mut sum = 0.0;
        let mut greatest = (f64::NEG_INFINITY, 0.0);
        for (position, &worth) in span.clone().zip(q) {
            let (lower, upper) = (self.lower[position], self.upper[position]);
            if upper > 0.0 && worth.is_nan() {
                // NaN: there is no bound.
                return f64::INFINITY;
            }
            if lower > 0.0 {
                rest -= lower;
                sum += lower * worth;
            }
            if upper > lower && worth > greatest.0 {
                greatest = (worth, upper - lower);
            }
        }
        let (worth, room) = greatest;
        if rest <= 0.0 {
            return sum;
        }
        if room >= rest {
            return sum + rest * worth;
        }
        let mut order: Vec<usize> = span.clone().filter(|&position| self.upper[position] > 0.0).collect();
        order.sort_by(|&a, &b| q[b - span.start].total_cmp(&q[a - span.start]));
        for position in order {
            let share = rest.min(self.upper[position] - self.lower[position]);
            sum += share * q[position - span.start];
            rest -= share;
        }
        sum
    }

    /// The greatest `Σ_a p_a |q_a|` over the mixes p of the box and over these states: an upper bound on the magnitude of any such
    /// sum. A choice with a small greatest probability contributes little.
    pub fn largest(&self, model: &Doubles, states: &[StateId], q: impl Fn(ChoiceId) -> f64) -> f64 {
        let mut sizes = Vec::new();
        let of_state = |&state: &StateId| {
            sizes.clear();
            sizes.extend(model.choices(state).map(|choice| q(choice).abs()));
            self.best(model.span(state), &sizes)
        };
        states.iter().map(of_state).fold(0.0, f64::max)
    }

    /// A mix of the box that prefers choices in this order.
    pub fn fill(&self, span: Range<usize>, order: &[ChoiceId], mix: &mut [f64]) {
        mix[span.clone()].copy_from_slice(&self.lower[span.clone()]);
        let mut rest = 1.0 - self.lower[span].iter().sum::<f64>();
        for &choice in order {
            let share = rest.min(self.upper[choice.index()] - self.lower[choice.index()]);
            mix[choice.index()] += share;
            rest -= share;
        }
    }

    /// Approximately the mix of the box nearest to a given one: clipped, then the difference is distributed.
    pub fn project(&self, span: Range<usize>, mix: &mut [f64]) {
        for position in span.clone() {
            mix[position] = mix[position].clamp(self.lower[position], self.upper[position]);
        }
        let mut missing = 1.0 - mix[span.clone()].iter().sum::<f64>();
        for position in span {
            let room = if missing > 0.0 { self.upper[position] } else { self.lower[position] } - mix[position];
            let moved = if missing > 0.0 { missing.min(room) } else { missing.max(room) };
            mix[position] += moved;
            missing -= moved;
        }
    }
}
