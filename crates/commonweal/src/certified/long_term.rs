//! The long-term strategy in doubles: policy iteration for the most patient part, then for the next one among the
//! choices that are as good as the best for all before, and so on.
//!
//! Two choices whose values differ by less than a tolerance count as equally good. If that is wrong, the proven interval is a
//! little wider: nothing here is trusted. Once every state has one choice left, which is usual after the first part, the
//! values of all other parts are computed together in one pass over the rows.

use super::rounded_model::RoundedModel;
use crate::kernel::chain::{Chain, Columns, Table, TableMut, choose_rows, copy_columns};
use crate::kernel::policy_iteration::{Optimum, Served, lexicographic, pass_choices};
use crate::kernel::sweep::{PolicyRows, Span, WIDEST, specialised};
use crate::model::ChoiceId;
use crate::number::UpperBound;
use crate::parallel;
use crate::ranks::{Archive, Moment, Resumable};
use crate::stop::StopSignal;

/// A strategy, and values that are near its own.
#[derive(Clone)]
pub(super) struct LongTerm {
    /// One choice per state.
    pub strategy: Vec<ChoiceId>,
    /// Two choices whose Δ_i differ by less count as equally good for part i.
    pub near: Vec<f64>,
    /// A state's values side by side, less the constants.
    pub values: Vec<f64>,
    /// The constants: V_i(s) = constants[i] + values[s][i].
    pub constants: Vec<f64>,
}

/// The relative residual to which values are solved again after their constant changes.
const AS_BEFORE: f64 = 1e-3;

/// The long-term strategy of `model`, precise enough for a welfare within `gap` of its scale.
pub(super) fn solve(model: &RoundedModel, gap: f64, stop: &StopSignal) -> LongTerm {
    let n = model.n();
    let mut found = LongTerm {
        strategy: model.arrays.first_choices().collect(),
        near: vec![0.0; n],
        values: vec![0.0; model.n_values() * n],
        constants: vec![0.0; n],
    };
    if model.ranks.resume(Resumable::LongTerm, &mut |archive| found.pass(model, archive)) {
        return found;
    }
    let mut strategy = std::mem::take(&mut found.strategy);
    let mut parts = Rounded { model, gap, scale: 0.0, found };
    let served = lexicographic(model.ranks, &model.arrays, &mut strategy, &mut parts, stop);
    let mut long_term = LongTerm { strategy, ..parts.found };
    long_term.evaluate_from(model, served, gap, parts.scale, stop);
    (0..n).for_each(|i| long_term.recentre(model, i, stop));
    // Values that were left on the way because of a stop are not those of a run that is not stopped.
    if model.ranks.keeps() && model.ranks.stop_reason(stop).is_none() {
        model.ranks.keep(Resumable::LongTerm, Moment::Done, &mut |archive| long_term.pass(model, archive));
    }
    long_term
}

/// The values of one choice per state, for every part.
pub(super) fn values_of_strategy(model: &RoundedModel, strategy: &[ChoiceId], gap: f64, stop: &StopSignal) -> LongTerm {
    let n = model.n();
    let values = vec![0.0; model.n_values() * n];
    let mut own = LongTerm { strategy: strategy.to_vec(), near: vec![0.0; n], values, constants: vec![0.0; n] };
    own.evaluate_from(model, 0, gap, 0.0, stop);
    (0..n).for_each(|i| own.recentre(model, i, stop));
    own
}

impl LongTerm {
    /// To an archive, or back.
    pub fn pass(&mut self, model: &RoundedModel, archive: &mut dyn Archive) {
        pass_choices(archive, &mut self.strategy, model.arrays.first_choice);
        archive.doubles(&mut self.near);
        archive.doubles(&mut self.constants);
        archive.values(&mut self.values, model.n_states(), model.n_values());
    }

    /// Fills in the values of all parts from `begin` on.
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

/// Values smaller than their terms by this factor have lost that factor of precision by cancellation.
const CANCELLED: f64 = 64.0;

impl LongTerm {
    /// Re-centres the values of part i if they are small and their constant is large. This happens if runs soon stop earning:
    /// the constant that sweeps find is then meaningless. A further solve recovers the lost precision.
    fn recentre(&mut self, model: &RoundedModel, i: usize, stop: &StopSignal) {
        let n = model.n();
        let mut values: Vec<[f64; 1]> = self.values.iter().skip(i).step_by(n).map(|&value| [value]).collect();
        let counted = model.span(values.as_flattened(), 1, 0);
        let own = counted.shifted(self.constants[i]);
        if counted.magnitude() <= CANCELLED * own.magnitude() {
            return;
        }
        let (middle, discount) = (own.middle(), model.discounts[i]);
        let shift = self.constants[i] - middle;
        parallel::update(&mut values, |_, [value]| *value += shift);
        model.ranks.refresh(values.as_flattened_mut(), 1);
        let rows = PolicyRows::of(&model.arrays, &self.strategy);
        let level = middle * model.impatience[i];
        let reward = |state: usize| model.reward[self.strategy[state].index() * n + i];
        let mut residual = vec![[0.0]; model.n_states()];
        rows.sweep(&values, &mut residual, |state, [expected]| {
            [reward(state) - level + discount * expected - values[state][0]]
        });
        let span = model.span(residual.as_flattened(), 1, 0);
        let chain = Chain { ranks: model.ranks, rows: &rows, rewards: &residual, discounts: [discount] };
        let mut column = Columns { values: vec![[0.0]; values.len()], levels: [span.middle()] };
        chain.evaluate(&mut column, &mut vec![[0.0]; values.len()], [AS_BEFORE * span.width()], stop);
        let constant = column.levels[0] / model.impatience[i];
        parallel::update(&mut values, |state, [value]| *value += constant + column.values[state][0]);
        put(&mut self.values, n, i, Table::of(&values));
        self.constants[i] = middle;
    }
}

/// The share of the gap for one part's residual. A single part has no tail and no layers to share it with.
fn share(n: usize) -> f64 {
    if n == 1 { 0.4 } else { 0.2 / n as f64 }
}

fn put(values: &mut [f64], n: usize, begin: usize, columns: Table) {
    copy_columns(columns, TableMut::flat(values, n), begin);
}

/// The values of `strategy` for K parts from `begin` on.
fn values_of<const K: usize>(
    model: &RoundedModel,
    rows: &PolicyRows,
    strategy: &[ChoiceId],
    begin: usize,
    gap: f64,
    scale: &mut f64,
    stop: &StopSignal,
) -> (Columns<K>, [f64; K]) {
    let n = model.n();
    let mut rewards = vec![[0.0; K]; strategy.len()];
    choose_rows(Table::flat(&model.reward, n), strategy, TableMut::of(&mut rewards), begin);
    let discounts: [f64; K] = std::array::from_fn(|i| model.discounts[begin + i]);
    let chain = Chain { ranks: model.ranks, rows, rewards: &rewards, discounts };
    let mut columns = Columns { values: vec![[0.0; K]; model.n_values()], levels: [0.0; K] };
    let own = std::array::from_fn(|i| rewards.iter().fold(Span::EMPTY, |span, reward| span.with(reward[i])));
    let spans: [Span; K] = Span::over(model.ranks, own);
    columns.levels = spans.map(Span::middle);
    spans.iter().for_each(|span| *scale += span.magnitude());
    // The error of a part's values is its residual times its lifetime.
    let targets = std::array::from_fn(|i| {
        let target = share(n) * gap * model.impatience[begin + i] * *scale;
        target.max(floor(model, begin + i, columns.levels[i]))
    });
    chain.evaluate(&mut columns, &mut vec![[0.0; K]; model.n_values()], targets, stop);
    (columns, targets)
}

/// The residual caused by rounding alone.
fn floor(model: &RoundedModel, i: usize, level: f64) -> f64 {
    model.advantage_error(i, level / model.impatience[i], UpperBound::ZERO).get()
}

/// The parts of a model in doubles, each served as precisely as the gap asks for.
struct Rounded<'a> {
    model: &'a RoundedModel<'a>,
    gap: f64,
    /// The magnitude of the values of all who have been served.
    scale: f64,
    /// What was found, but for the strategy.
    found: LongTerm,
}

impl Served for Rounded<'_> {
    fn n(&self) -> usize {
        self.model.n()
    }

    fn rewards(&self, i: usize) -> Vec<f64> {
        self.model.reward.iter().skip(i).step_by(self.n()).copied().collect()
    }

    fn discount(&self, i: usize) -> f64 {
        self.model.discounts[i]
    }

    fn target(&self, i: usize, column: &Columns<1>) -> f64 {
        let impatience = self.model.impatience[i];
        let constant = column.levels[0] / impatience;
        let values = self.model.span(column.values.as_flattened(), 1, 0);
        let error = self.model.advantage_error(i, constant, UpperBound::of(values.magnitude()));
        let share = share(self.n()) * self.gap * impatience;
        (share * (self.scale + values.shifted(constant).magnitude())).max(error.get())
    }

    fn near(&self, i: usize, Optimum { column, width }: &Optimum) -> f64 {
        let impatience = self.model.impatience[i];
        let greatest = UpperBound::of(self.model.span(column.values.as_flattened(), 1, 0).magnitude());
        let error = self.model.advantage_error(i, column.levels[0] / impatience, greatest).get();
        4.0 * (width + error) / impatience
    }

    fn serve(&mut self, i: usize, column: &Columns<1>, near: f64) {
        let n = self.n();
        let LongTerm { near: nears, values, constants, .. } = &mut self.found;
        constants[i] = column.levels[0] / self.model.impatience[i];
        self.scale += self.model.span(column.values.as_flattened(), 1, 0).shifted(constants[i]).magnitude();
        nears[i] = near;
        put(values, n, i, Table::of(&column.values));
    }
}
