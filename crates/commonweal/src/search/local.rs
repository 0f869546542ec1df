//! Local search: better strategies by changing one state at a time, in doubles.
//!
//! Let M_i = (I − λ_i P_σ)^-1. Moving the share θ of state s from choice b to choice a changes the welfare by
//!
//! ```text
//! Σ_i  x_i(s) · θ D_i / (1 − θ c_i),    D_i = Q_i(s,a) − Q_i(s,b),   c_i = λ_i Σ_t (P(t|s,a) − P(t|s,b)) M_i(t,s)
//! ```
//!
//! with x_i(s) = M_i(s_0,s) (Sherman and Morrison): exact in θ, so that a whole move costs one row. After a move every M_i
//! is updated in O(S²). The caller evaluates what is found exactly.

use super::action_box::ActionBox;
use super::dense::inverse;
use super::doubles::Doubles;
use crate::model::{ChoiceId, StateId};
use crate::stop::{Pace, StopSignal};

/// The largest number of states; larger inverses take too long.
const LARGEST: usize = 300;
/// Moves end when none gains more than this part of the welfare.
const NOTICEABLE: f64 = 1e-12;
/// Inverses are computed afresh after this many updates.
const FRESH: usize = 100;

/// A strategy with all that its moves need.
pub(super) struct Local<'a> {
    model: &'a Doubles,
    reach: &'a [StateId],
    position: Vec<usize>,
    pub mix: Vec<f64>,
    /// M_i, part after part, row after row; a row per state of `reach`.
    inverse: Vec<Vec<f64>>,
    /// The values of `mix` to each part, per state of `reach`.
    values: Vec<Vec<f64>>,
    updates: usize,
    /// Ends the improvement.
    stop: &'a StopSignal,
}

/// θ of a move from one choice to another, and what it gains.
#[derive(Clone, Copy)]
struct Move {
    state: StateId,
    from: ChoiceId,
    to: ChoiceId,
    share: f64,
    gain: f64,
}

impl<'a> Local<'a> {
    /// A strategy to improve; `None` if the model is too large for that, or if `stop` is raised.
    pub fn new(model: &'a Doubles, reach: &'a [StateId], mix: Vec<f64>, stop: &'a StopSignal) -> Option<Local<'a>> {
        if reach.len() > LARGEST {
            return None;
        }
        let (position, inverse, values) = (model.positions(reach), Vec::new(), Vec::new());
        let mut local = Local { model, reach, position, mix, inverse, values, updates: 0, stop };
        local.refresh().then_some(local)
    }

    /// About the welfare from the start.
    pub fn welfare(&self) -> f64 {
        self.values.iter().map(|values| values[self.position[self.model.start.index()]]).sum()
    }

    /// The states that the strategy may reach.
    pub fn reach(&self) -> &[StateId] {
        self.reach
    }

    /// The place of a state among those.
    pub fn position(&self, state: StateId) -> usize {
        self.position[state.index()]
    }

    /// About the values to a part, per state of `reach`.
    pub fn values(&self, i: usize) -> &[f64] {
        &self.values[i]
    }

    /// About the discounted visits from the start, per state of `reach`.
    pub fn visits(&self, i: usize) -> Vec<f64> {
        let (size, start) = (self.reach.len(), self.position[self.model.start.index()]);
        self.inverse[i][start * size..(start + 1) * size].to_vec()
    }

    /// About the discounted visits to one state of `reach`, from each of them.
    pub fn visits_to(&self, i: usize, goal: usize) -> Vec<f64> {
        let size = self.reach.len();
        (0..size).map(|row| self.inverse[i][row * size + goal]).collect()
    }

    /// Takes the best move to another pure choice until none is left, or it is stopped.
    pub fn improve_positional(&mut self, within: &ActionBox) {
        let stop = self.stop;
        let mut pace = Pace::of(stop);
        for _ in 0..4 * self.reach.len() + 20 {
            if pace.stops_after(self.work_of_move()) {
                return;
            }
            let mut best: Option<Move> = None;
            for &state in self.reach {
                let choices = self.model.choices(state);
                let Some(from) = choices.clone().find(|&choice| self.mix[choice.index()] > 0.0) else { continue };
                for to in choices.filter(|&to| to != from && within.allows(to)) {
                    let gain = self.terms(state, from, to).gain(1.0);
                    if best.is_none_or(|best| gain > best.gain) {
                        best = Some(Move { state, from, to, share: 1.0, gain });
                    }
                }
            }
            match best {
                Some(best) if best.gain > NOTICEABLE * (1.0 + self.welfare().abs()) => self.take(best),
                _ => return,
            }
        }
    }

    /// Improves the mix of one state after the other until no pair of choices gains, or it is stopped.
    pub fn improve_stationary(&mut self, within: &ActionBox, rounds: usize) {
        let stop = self.stop;
        let mut pace = Pace::of(stop);
        for _ in 0..rounds {
            let before = self.welfare();
            for &state in self.reach {
                if pace.stops_after(self.work_of_move()) {
                    return;
                }
                let choices = self.model.choices(state);
                for from in choices.clone() {
                    for to in choices.clone().filter(|&to| to != from) {
                        let room = (within.upper[to.index()] - self.mix[to.index()])
                            .min(self.mix[from.index()] - within.lower[from.index()]);
                        if room <= 0.0 {
                            continue;
                        }
                        let (share, gain) = self.terms(state, from, to).best(room);
                        if gain > NOTICEABLE * 1e-2 * (1.0 + before.abs()) {
                            self.take(Move { state, from, to, share, gain });
                        }
                    }
                }
            }
            if self.welfare() - before <= NOTICEABLE * (1.0 + before.abs()) {
                return;
            }
        }
    }

    /// About the products of a move, and of looking for it.
    fn work_of_move(&self) -> usize {
        self.model.n * self.reach.len() * self.reach.len()
    }

    fn terms(&self, state: StateId, from: ChoiceId, to: ChoiceId) -> MoveTerms {
        let (size, at) = (self.reach.len(), self.position[state.index()]);
        let start = self.position[self.model.start.index()];
        let of = |i: usize| {
            let discount = self.model.discount[i];
            let (values, inverse) = (&self.values[i], &self.inverse[i]);
            let expected = |choice: ChoiceId| {
                self.model.row(choice).fold((0.0, 0.0), |(value, visits), (target, probability)| {
                    let row = self.position[target.index()];
                    (value + probability * values[row], visits + probability * inverse[row * size + at])
                })
            };
            let ((value_to, visits_to), (value_from, visits_from)) = (expected(to), expected(from));
            let rewards = self.model.rewards(to)[i] - self.model.rewards(from)[i];
            (
                inverse[start * size + at] * (rewards + discount * (value_to - value_from)),
                discount * (visits_to - visits_from),
            )
        };
        MoveTerms((0..self.model.n).map(of).collect())
    }

    /// Makes a move and brings inverses and values up to date.
    fn take(&mut self, Move { state, from, to, share, .. }: Move) {
        // A choice that gives up all its probability gets exactly 0.
        self.mix[from.index()] = if share >= self.mix[from.index()] { 0.0 } else { self.mix[from.index()] - share };
        self.mix[to.index()] = (self.mix[to.index()] + share).min(1.0);
        self.updates += 1;
        if self.updates.is_multiple_of(FRESH) && self.refresh() {
            return;
        }
        let (size, at) = (self.reach.len(), self.position[state.index()]);
        for i in 0..self.model.n {
            let discount = self.model.discount[i];
            let inverse = &mut self.inverse[i];
            let mut changed = vec![0.0; size];
            let mut reward = share * (self.model.rewards(to)[i] - self.model.rewards(from)[i]);
            for (choice, sign) in [(to, share), (from, -share)] {
                for (target, probability) in self.model.row(choice) {
                    let row = self.position[target.index()];
                    let factor = sign * discount * probability;
                    reward += factor * self.values[i][row];
                    for (changed, entry) in changed.iter_mut().zip(&inverse[row * size..(row + 1) * size]) {
                        *changed += factor * entry;
                    }
                }
            }
            let denominator = 1.0 - changed[at];
            for row in 0..size {
                let factor = inverse[row * size + at] / denominator;
                if factor != 0.0 {
                    self.values[i][row] += factor * reward;
                    for (entry, changed) in inverse[row * size..(row + 1) * size].iter_mut().zip(&changed) {
                        *entry += factor * changed;
                    }
                }
            }
        }
    }

    /// Recomputes inverses and values from the mix. `false`, and nothing changed, if the doubles break down or it is stopped.
    fn refresh(&mut self) -> bool {
        let (model, size) = (self.model, self.reach.len());
        let (mut inverses, mut all_values) = (Vec::new(), Vec::new());
        let mut pace = Pace::of(self.stop);
        for i in 0..model.n {
            if pace.stops_after(2 * size.pow(3)) {
                return false;
            }
            let mut rows = vec![0.0; size * size];
            let mut rewards = vec![0.0; size];
            for (index, &state) in self.reach.iter().enumerate() {
                rows[index * size + index] = 1.0;
                for choice in model.choices(state).filter(|&choice| self.mix[choice.index()] > 0.0) {
                    rewards[index] += self.mix[choice.index()] * model.rewards(choice)[i];
                    for (target, probability) in model.row(choice) {
                        rows[index * size + self.position[target.index()]] -=
                            self.mix[choice.index()] * model.discount[i] * probability;
                    }
                }
            }
            let Some(inverse) = inverse(size, rows) else { return false };
            let value = |row: &[f64]| row.iter().zip(&rewards).map(|(a, r)| a * r).sum();
            all_values.push(inverse.chunks_exact(size).map(value).collect());
            inverses.push(inverse);
        }
        (self.inverse, self.values) = (inverses, all_values);
        true
    }
}

/// Per part `x_i(s) D_i` and `c_i` of a move.
struct MoveTerms(Vec<(f64, f64)>);

impl MoveTerms {
    fn gain(&self, share: f64) -> f64 {
        self.0.iter().map(|(gain, returns)| share * gain / (1.0 - share * returns)).sum()
    }

    /// The best share up to `room`, and its gain: a few samples, then a narrowing search around the best.
    fn best(&self, room: f64) -> (f64, f64) {
        const SAMPLES: usize = 8;
        let share = |k: usize| room * k as f64 / SAMPLES as f64;
        let best = (0..=SAMPLES).max_by(|&a, &b| self.gain(share(a)).total_cmp(&self.gain(share(b)))).unwrap_or(0);
        let (mut low, mut high) = (share(best.saturating_sub(1)), share((best + 1).min(SAMPLES)));
        for _ in 0..60 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if self.gain(left) < self.gain(right) { low = left } else { high = right }
        }
        let candidates = [(low + high) / 2.0, share(best)];
        let found = if self.gain(candidates[0]) > self.gain(candidates[1]) { candidates[0] } else { candidates[1] };
        (found, self.gain(found))
    }
}
