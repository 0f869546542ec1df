//! The long-term strategy in doubles: policy iteration for the most patient principal, then for the next one among the
//! choices that are as good as the best for all before, and so on.
//!
//! Two choices whose worth differs by less than what is asked for count as equally good. That may be wrong, and then the
//! proven interval is a little wider: nothing here is trusted. Once every state has one choice left, as is usual after
//! the first principal, all others need no more than their values, side by side in one pass over the rows.

use super::rounded_model::RoundedModel;
use crate::kernel::chain::{Chain, Columns, Table, TableMut, choose_rows, copy_columns};
use crate::kernel::sweep::{Choices, Improved, PolicyRows, Span, WIDEST, expectation, specialised};
use crate::number::UpperBound;
use crate::parallel::prelude::*;
use crate::stop::{Reached, StopSignal};

/// A strategy, and values that are near its own.
pub(super) struct LongTerm {
    /// One choice per state.
    pub strategy: Vec<u32>,
    /// Two choices whose Δ_i differ by less count as equally good for principal i.
    pub near: Vec<f64>,
    /// A state's values side by side, less the constants.
    pub values: Vec<f64>,
    /// The constants: V_i(s) = constants[i] + values[s][i].
    pub constants: Vec<f64>,
}

/// How much of an evaluation is worth doing before the choices are looked at again, while many change.
const EVALUATED: f64 = 0.05;
/// The same, while few do.
const WELL_EVALUATED: f64 = 1e-3;
/// The same, when none did: some may yet, and then a full evaluation would have been for nothing.
const ALL_BUT_EVALUATED: f64 = 1e-5;
/// Value iteration has found most of the strategy when fewer than one state in this many changes its choice.
const MOST: usize = 64;
/// Few states change their choice when it is fewer than one in this many.
const FEW: usize = 4096;
/// Four steps of value iteration that leave more than this much of the residual get nowhere.
const SLOW: f64 = 0.7;

/// The long-term strategy of `model`, near enough for a welfare within `gap` of its scale.
pub(super) fn solve(model: &RoundedModel, gap: f64, stop: &StopSignal) -> LongTerm {
    let n_states = model.n_states();
    let n = model.n();
    let mut strategy: Vec<u32> = model.arrays.first_choice[..n_states].to_vec();
    let mut allowed: Option<Vec<bool>> = None;
    let mut values = vec![0.0; n_states * n];
    let mut constants = vec![0.0; n];
    let mut near = vec![0.0; n];
    let mut scale = 0.0;
    let mut solved = 0;
    while solved < n && !all_decided(model, allowed.as_deref()) {
        let i = solved;
        let reward: Vec<f64> = model.reward.iter().skip(i).step_by(n).copied().collect();
        let one = OnePrincipal { model, i, reward: &reward, share: share(n) * gap * model.impatience[i] };
        let Solved { column, width } = one.optimum(&mut strategy, allowed.as_deref(), scale, stop);
        constants[i] = column.levels[0] / model.impatience[i];
        scale += Span::of(column.values.as_flattened()).shifted(constants[i]).magnitude();
        near[i] = one.near(&column, width);
        if i + 1 < n {
            allowed = Some(one.as_good_as_the_best(&column, near[i], &strategy, allowed.as_deref()));
        }
        put(&mut values, n, i, Table::of(&column.values));
        solved += 1;
    }
    let mut long_term = LongTerm { strategy, near, values, constants };
    long_term.evaluate_from(model, solved, gap, scale, stop);
    (0..n).for_each(|i| long_term.recentre(model, i, stop));
    long_term
}

/// The values of one choice per state, for every principal.
pub(super) fn values_of_strategy(model: &RoundedModel, strategy: &[u32], gap: f64, stop: &StopSignal) -> LongTerm {
    let n = model.n();
    let values = vec![0.0; strategy.len() * n];
    let mut own = LongTerm { strategy: strategy.to_vec(), near: vec![0.0; n], values, constants: vec![0.0; n] };
    own.evaluate_from(model, 0, gap, 0.0, stop);
    (0..n).for_each(|i| own.recentre(model, i, stop));
    own
}

impl LongTerm {
    /// Fills in the values of all principals from `begin` on.
    fn evaluate_from(&mut self, model: &RoundedModel, begin: usize, gap: f64, mut scale: f64, stop: &StopSignal) {
        let n = model.n();
        if begin == n {
            return;
        }
        let rows = PolicyRows::of(&model.arrays, &self.strategy);
        for begin in (begin..n).step_by(WIDEST) {
            let width = (n - begin).min(WIDEST);
            specialised!(width, |WIDTH| {
                let (columns, targets) = values_of::<WIDTH>(model, &rows, &self.strategy, begin, gap, &mut scale, stop);
                for (i, (level, target)) in columns.levels.iter().zip(targets).enumerate() {
                    self.constants[begin + i] = level / model.impatience[begin + i];
                    self.near[begin + i] = 4.0 * target / model.impatience[begin + i];
                }
                put(&mut self.values, n, begin, Table::of(&columns.values));
            });
        }
    }
}

/// Values this many times smaller than the terms that they are sums of have lost as much of their precision.
const CANCELLED: f64 = 64.0;

impl LongTerm {
    /// Counts the values of principal i from their own middle where they are small and their constant is not: where a run
    /// soon earns no more, the constant that sweeps find means nothing. What that cost in precision is solved for again.
    fn recentre(&mut self, model: &RoundedModel, i: usize, stop: &StopSignal) {
        let n = model.n();
        let mut values: Vec<[f64; 1]> = self.values.iter().skip(i).step_by(n).map(|&value| [value]).collect();
        let counted = Span::of(values.as_flattened());
        let own = counted.shifted(self.constants[i]);
        if counted.magnitude() <= CANCELLED * own.magnitude() {
            return;
        }
        let (middle, discount) = (own.middle(), model.discounts[i]);
        let shift = self.constants[i] - middle;
        values.par_iter_mut().for_each(|[value]| *value += shift);
        let rows = PolicyRows::of(&model.arrays, &self.strategy);
        let level = middle * model.impatience[i];
        let reward = |state: usize| model.reward[self.strategy[state] as usize * n + i];
        let mut residual = vec![[0.0]; values.len()];
        rows.sweep(&values, &mut residual, |state, [expected]| {
            [reward(state) - level + discount * expected - values[state][0]]
        });
        let span = Span::of(residual.as_flattened());
        let chain = Chain { rows: &rows, rewards: &residual, discounts: [discount] };
        let mut column = Columns { values: vec![[0.0]; values.len()], levels: [span.middle()] };
        chain.evaluate(&mut column, &mut vec![[0.0]; values.len()], [WELL_EVALUATED * span.width()], stop);
        let constant = column.levels[0] / model.impatience[i];
        values.par_iter_mut().zip(&column.values).for_each(|([value], [more])| *value += constant + more);
        put(&mut self.values, n, i, Table::of(&values));
        self.constants[i] = middle;
    }
}

/// The part of the gap that one principal's residual may take up. A single one has no tail and no layers to share with.
fn share(n: usize) -> f64 {
    if n == 1 { 0.4 } else { 0.2 / n as f64 }
}

fn all_decided(model: &RoundedModel, allowed: Option<&[bool]>) -> bool {
    let first = model.arrays.first_choice;
    match allowed {
        None => first.len() - 1 == *first.last().expect("an end") as usize,
        Some(allowed) => allowed.iter().filter(|&&allowed| allowed).count() == model.n_states(),
    }
}

fn put(values: &mut [f64], n: usize, begin: usize, columns: Table) {
    copy_columns(columns, TableMut::flat(values, n), begin);
}

/// The values of `strategy` for K principals from `begin` on.
fn values_of<const K: usize>(
    model: &RoundedModel,
    rows: &PolicyRows,
    strategy: &[u32],
    begin: usize,
    gap: f64,
    scale: &mut f64,
    stop: &StopSignal,
) -> (Columns<K>, [f64; K]) {
    let n = model.n();
    let mut rewards = vec![[0.0; K]; strategy.len()];
    choose_rows(Table::flat(&model.reward, n), strategy, TableMut::of(&mut rewards), begin);
    let discounts: [f64; K] = std::array::from_fn(|i| model.discounts[begin + i]);
    let chain = Chain { rows, rewards: &rewards, discounts };
    let mut columns = Columns { values: vec![[0.0; K]; strategy.len()], levels: [0.0; K] };
    for i in 0..K {
        let span = rewards.iter().fold(Span::EMPTY, |span, reward| span.with(reward[i]));
        columns.levels[i] = span.middle();
        *scale += span.magnitude();
    }
    // What a principal's values are off by adds up over its own lifetime.
    let targets = std::array::from_fn(|i| {
        let target = share(n) * gap * model.impatience[begin + i] * *scale;
        target.max(floor(model, begin + i, columns.levels[i]))
    });
    chain.evaluate(&mut columns, &mut vec![[0.0; K]; strategy.len()], targets, stop);
    (columns, targets)
}

/// A residual that rounding alone may leave.
fn floor(model: &RoundedModel, i: usize, level: f64) -> f64 {
    model.advantage_error(i, level / model.impatience[i], UpperBound::ZERO).get()
}

struct OnePrincipal<'a> {
    model: &'a RoundedModel<'a>,
    i: usize,
    /// Its reward of every choice.
    reward: &'a [f64],
    /// The part of the scale that the residual may be.
    share: f64,
}

struct Solved {
    column: Columns<1>,
    /// The span of the last residual.
    width: f64,
}

impl OnePrincipal<'_> {
    /// The principal's optimum over the allowed choices: modified policy iteration.
    fn optimum(&self, strategy: &mut [u32], allowed: Option<&[bool]>, scale: f64, stop: &StopSignal) -> Solved {
        let &OnePrincipal { model, i, reward, .. } = self;
        let discount = model.discounts[i];
        let span = Span::of(reward);
        let mut column = Columns { values: vec![[0.0]; strategy.len()], levels: [span.middle()] };
        let row_length = model.row_length;
        let choices = Choices { rows: &model.arrays, allowed, reward, discount, row_length };
        let mut next = vec![[0.0]; strategy.len()];
        let few = strategy.len() / FEW;
        // Value iteration until most states have found their choice, or it gets nowhere.
        let mut widths = [f64::INFINITY; 4];
        for sweep in 0.. {
            let (level, values) = (column.levels[0], column.values.as_flattened());
            let Improved { span, n_changed } = choices.improve(level, values, next.as_flattened_mut(), strategy);
            std::mem::swap(&mut column.values, &mut next);
            column.levels[0] += discount * span.middle();
            stop.reach(Reached::LongTerm { residual: span.width(), target: self.target(&column, scale) });
            let slow = sweep >= 8 && span.width() > SLOW * widths[3];
            widths.rotate_right(1);
            widths[0] = span.width();
            if n_changed <= strategy.len() / MOST || slow || span.width() == 0.0 || stop.reason().is_some() {
                break;
            }
        }
        // Policy iteration: the values of the choices found, then a look at all choices.
        let (mut least, mut idle, mut n_changed) = (f64::INFINITY, 0, usize::MAX);
        let mut rows = PolicyRows::of(&model.arrays, strategy);
        let mut rewards: Vec<[f64; 1]> = strategy.par_iter().map(|&choice| [reward[choice as usize]]).collect();
        let mut old = strategy.to_vec();
        let mut target = self.target(&column, scale);
        loop {
            let chain = Chain { rows: &rows, rewards: &rewards, discounts: [discount] };
            let part = match n_changed {
                0 => ALL_BUT_EVALUATED,
                n if n <= few => WELL_EVALUATED,
                _ => EVALUATED,
            };
            let wanted = (part * widths[0]).max(target);
            chain.evaluate(&mut column, &mut next, [wanted], stop);
            let (level, values) = (column.levels[0], column.values.as_flattened());
            let improved = choices.improve(level, values, next.as_flattened_mut(), strategy);
            std::mem::swap(&mut column.values, &mut next);
            column.levels[0] += discount * improved.span.middle();
            n_changed = improved.n_changed;
            let width = improved.span.width();
            target = self.target(&column, scale);
            stop.reach(Reached::LongTerm { residual: width, target });
            // Rounding may keep the residual above the target for ever.
            idle = if width < 0.9 * least { 0 } else { idle + 1 };
            least = least.min(width);
            if width <= target || idle > 20 || stop.reason().is_some() {
                return Solved { column, width };
            }
            widths[0] = width;
            if n_changed > 0 {
                let changes = |&state: &u32| old[state as usize] != strategy[state as usize];
                let changed: Vec<u32> = (0..old.len() as u32).into_par_iter().filter(changes).collect();
                rows.follow(&model.arrays, &changed, strategy);
                for state in changed.into_iter().map(|state| state as usize) {
                    old[state] = strategy[state];
                    rewards[state] = [reward[strategy[state] as usize]];
                }
            }
        }
    }

    /// The residual that is small enough.
    fn target(&self, column: &Columns<1>, scale: f64) -> f64 {
        let constant = column.levels[0] / self.model.impatience[self.i];
        let values = Span::of(column.values.as_flattened());
        let error = self.model.advantage_error(self.i, constant, UpperBound::of(values.magnitude()));
        (self.share * (scale + values.shifted(constant).magnitude())).max(error.get())
    }

    /// How far apart the worths of two equally good choices may seem, given the span of the residual.
    fn near(&self, column: &Columns<1>, width: f64) -> f64 {
        let &OnePrincipal { model, i, .. } = self;
        let greatest = UpperBound::of(Span::of(column.values.as_flattened()).magnitude());
        let error = model.advantage_error(i, column.levels[0] / model.impatience[i], greatest).get();
        4.0 * (width + error) / model.impatience[i]
    }

    /// Which of the allowed choices are worth as much as the best of their state.
    fn as_good_as_the_best(
        &self,
        column: &Columns<1>,
        near: f64,
        strategy: &[u32],
        allowed: Option<&[bool]>,
    ) -> Vec<bool> {
        let &OnePrincipal { model, i, reward, .. } = self;
        let rows = &model.arrays;
        let values = column.values.as_flattened();
        let worth = |choice: usize| {
            let row = rows.first_transition[choice] as usize..rows.first_transition[choice + 1] as usize;
            reward[choice] + model.discounts[i] * expectation(&rows.target[row.clone()], &rows.probability[row], values)
        };
        let of_state = |state: usize| {
            let choices = rows.first_choice[state] as usize..rows.first_choice[state + 1] as usize;
            let is_allowed = move |choice: &usize| allowed.is_none_or(|allowed| allowed[*choice]);
            let only = choices.clone().filter(is_allowed).count() == 1;
            let best = if only { f64::NEG_INFINITY } else { worth(strategy[state] as usize) };
            choices.map(move |choice| is_allowed(&choice) && (only || worth(choice) >= best - near))
        };
        (0..model.n_states())
            .into_par_iter()
            .with_min_len(crate::kernel::sweep::CHUNK)
            .flat_map_iter(of_state)
            .collect()
    }
}
