//! Boxes of action probabilities: per choice a least and a greatest probability.
//!
//! A search over positional strategies keeps every range at [0, 1] or [0, 0]: a choice is allowed or it is not. One over
//! stationary strategies narrows the ranges. All ends are multiples of [`GRID`], so that sums of them are exact.

use super::doubles::Doubles;

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

    pub fn allows(&self, choice: usize) -> bool {
        self.upper[choice] > 0.0
    }

    /// The number of choices of a state that may have a positive probability.
    pub fn n_allowed(&self, model: &Doubles, state: usize) -> usize {
        model.choices(state).filter(|&choice| self.allows(choice)).count()
    }

    /// The box in which `state` always takes `choice`.
    pub fn fixed(&self, model: &Doubles, state: usize, choice: usize) -> ActionBox {
        let mut fixed = self.clone();
        for other in model.choices(state) {
            fixed.upper[other] = if other == choice { 1.0 } else { 0.0 };
            fixed.lower[other] = 0.0;
        }
        fixed
    }

    /// Tightens every range of a state to what the others allow. `false` if no mix is left.
    pub fn tighten(&mut self, model: &Doubles, state: usize) -> bool {
        let choices = model.choices(state);
        let least: f64 = self.lower[choices.clone()].iter().sum();
        let most: f64 = self.upper[choices.clone()].iter().sum();
        if least > 1.0 || most < 1.0 {
            return false;
        }
        for choice in choices {
            let (lower, upper) = (self.lower[choice], self.upper[choice]);
            self.lower[choice] = lower.max(1.0 - (most - upper));
            self.upper[choice] = upper.min(1.0 - (least - lower));
        }
        true
    }

    /// The widest range of a state.
    pub fn width(&self, model: &Doubles, state: usize) -> f64 {
        model.choices(state).map(|choice| self.upper[choice] - self.lower[choice]).fold(0.0, f64::max)
    }

    /// The greatest `Σ_a p_a q_a` over the mixes p of the box, a fractional knapsack: every choice gets its least probability, the
    /// rest goes to the best ones. Choices that are not allowed are ignored.
    pub fn best(&self, choices: std::ops::Range<usize>, q: &[f64]) -> f64 {
        let mut rest = 1.0;
        let mut sum = 0.0;
        let mut greatest = (f64::NEG_INFINITY, 0.0);
        for (choice, &worth) in choices.clone().zip(q) {
            let (lower, upper) = (self.lower[choice], self.upper[choice]);
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
        let mut order: Vec<usize> = choices.clone().filter(|&choice| self.allows(choice)).collect();
        order.sort_by(|&a, &b| q[b - choices.start].total_cmp(&q[a - choices.start]));
        for choice in order {
            let share = rest.min(self.upper[choice] - self.lower[choice]);
            sum += share * q[choice - choices.start];
            rest -= share;
        }
        sum
    }

    /// The greatest `Σ_a p_a |q_a|` over the mixes p of the box and over these states: an upper bound on the magnitude of any such
    /// sum. A choice with a small greatest probability contributes little.
    pub fn largest(&self, model: &Doubles, states: &[u32], q: impl Fn(usize) -> f64) -> f64 {
        let mut sizes = Vec::new();
        let of_state = |&state: &u32| {
            let choices = model.choices(state as usize);
            sizes.clear();
            sizes.extend(choices.clone().map(|choice| q(choice).abs()));
            self.best(choices, &sizes)
        };
        states.iter().map(of_state).fold(0.0, f64::max)
    }

    /// A mix of the box that prefers choices in this order.
    pub fn fill(&self, choices: std::ops::Range<usize>, order: &[usize], mix: &mut [f64]) {
        mix[choices.clone()].copy_from_slice(&self.lower[choices.clone()]);
        let mut rest = 1.0 - self.lower[choices].iter().sum::<f64>();
        for &choice in order {
            let share = rest.min(self.upper[choice] - self.lower[choice]);
            mix[choice] += share;
            rest -= share;
        }
    }

    /// Approximately the mix of the box nearest to a given one: clipped, then the difference is distributed.
    pub fn project(&self, choices: std::ops::Range<usize>, mix: &mut [f64]) {
        for choice in choices.clone() {
            mix[choice] = mix[choice].clamp(self.lower[choice], self.upper[choice]);
        }
        let mut missing = 1.0 - mix[choices.clone()].iter().sum::<f64>();
        for choice in choices {
            let room = if missing > 0.0 { self.upper[choice] } else { self.lower[choice] } - mix[choice];
            let moved = if missing > 0.0 { missing.min(room) } else { missing.max(room) };
            mix[choice] += moved;
            missing -= moved;
        }
    }
}
