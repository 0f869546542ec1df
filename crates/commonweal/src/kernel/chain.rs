//! Values of one choice per state: approximate solutions of `(I − λP) V = R` for several parts at once.
//!
//! Nothing here is trusted: the proven bounds hold for any result. It should be close, and fast.
//!
//! Values are stored as `V = level/(1−λ) + v`. A sweep `v ← R − level + λPv` leaves a residual d whose middle is a constant
//! that would take 1/(1−λ) sweeps to accumulate; it is added to the level at once (`level += λ · middle(d)`), and the rest
//! shrinks at the mixing rate of the chain. If that is slow, Gauss–Seidel sweeps are tried, successors first, and then
//! BiCGStab.
//!
//! That order is one over all states, so ranks that share a chain put it together, and each finds what its own states need, as
//! long as it is not too large. BiCGStab without the order needs no more than inner products, and serves the others.

use super::gauss_seidel::sweep_in_place;
use super::rows::leaving;
use super::sweep::{CHUNK, Order, PolicyRows, Span, specialised};
use crate::model::{ChoiceId, StateId};
use crate::parallel;
use crate::ranks::Ranks;
use crate::stop::{StopReason, StopSignal};
use std::cmp::Ordering;

/// Some parts' values of one choice per state.
#[derive(Clone)]
pub(crate) struct Columns<const K: usize> {
    pub values: Vec<[f64; K]>,
    /// (1 − λ) times the constant that belongs to the values.
    pub levels: [f64; K],
}

/// The system that the values solve.
pub(crate) struct Chain<'a, const K: usize> {
    pub ranks: &'a dyn Ranks,
    pub rows: &'a PolicyRows,
    pub rewards: &'a [[f64; K]],
    pub discounts: [f64; K],
}

/// Sweeps between two measurements of the convergence rate.
const LOOK: usize = 8;
/// If more sweeps than this remain, another method is tried.
const MANY_SWEEPS: f64 = 48.0;

impl<const K: usize> Chain<'_, K> {
    /// Improves the values until the residual's span is at most `targets`, or limited by rounding. `next` is scratch space for as
    /// many values.
    pub fn evaluate(&self, columns: &mut Columns<K>, next: &mut Vec<[f64; K]>, targets: [f64; K], stop: &StopSignal) {
        let mut earlier = [f64::INFINITY; K];
        for sweep in 1.. {
            let spans = self.sweep(columns, next);
            let widths = spans.map(Span::width);
            let open = |i: &usize| widths[*i] > targets[*i];
            if (0..K).all(|i| !open(&i)) || self.ranks.stop_reason(stop).is_some() {
                return;
            }
            if sweep % LOOK == 0 {
                let slow = |i| sweeps_left(widths[i], targets[i], widths[i] / earlier[i]) > MANY_SWEEPS;
                if (0..K).filter(open).any(slow) {
                    return self.evaluate_slow_columns(columns, targets, stop);
                }
                // A less patient part converges sooner.
                let n_open = (0..K).rfind(open).map_or(0, |last| last + 1);
                if n_open < K {
                    return self.evaluate_first(n_open, columns, &targets, stop);
                }
                earlier = widths;
            }
        }
    }

    fn sweep(&self, columns: &mut Columns<K>, next: &mut Vec<[f64; K]>) -> [Span; K] {
        let Columns { values, levels } = columns;
        self.ranks.refresh(values.as_flattened_mut(), K);
        let of = |state: usize, expected: [f64; K]| -> [f64; K] {
            std::array::from_fn(|i| self.rewards[state][i] - levels[i] + self.discounts[i] * expected[i])
        };
        let spans = Span::over(self.ranks, self.rows.sweep(values, next, of));
        std::mem::swap(values, next);
        for i in 0..K {
            levels[i] += self.discounts[i] * spans[i].middle();
        }
        spans
    }

    /// Continues with the first `n_open` columns, fewer than all.
    fn evaluate_first(&self, n_open: usize, columns: &mut Columns<K>, targets: &[f64; K], stop: &StopSignal) {
        let all = AllColumns {
            ranks: self.ranks,
            rows: self.rows,
            rewards: Table::of(self.rewards),
            discounts: &self.discounts,
            values: TableMut::of(&mut columns.values),
            levels: &mut columns.levels,
        };
        specialised!(n_open, |OPEN| all.evaluate_first::<OPEN>(targets, stop));
    }

    fn evaluate_slow_columns(&self, columns: &mut Columns<K>, targets: [f64; K], stop: &StopSignal) {
        for i in 0..K {
            let rewards: Vec<[f64; 1]> = self.rewards.iter().map(|reward| [reward[i]]).collect();
            let chain = Chain { ranks: self.ranks, rows: self.rows, rewards: &rewards, discounts: [self.discounts[i]] };
            let values = columns.values.iter().map(|value| [value[i]]).collect();
            let mut column = Columns { values, levels: [columns.levels[i]] };
            chain.evaluate_slow_column(&mut column, targets[i], stop);
            columns.levels[i] = column.levels[0];
            for (value, [own]) in columns.values.iter_mut().zip(column.values) {
                value[i] = own;
            }
        }
    }
}

/// A chain and its columns, in any number. Type-erased, so that not every pair of two widths is monomorphised.
struct AllColumns<'a> {
    ranks: &'a dyn Ranks,
    rows: &'a PolicyRows,
    rewards: Table<'a>,
    discounts: &'a [f64],
    values: TableMut<'a>,
    levels: &'a mut [f64],
}

impl AllColumns<'_> {
    /// Evaluates the first OPEN columns.
    fn evaluate_first<const OPEN: usize>(self, targets: &[f64], stop: &StopSignal) {
        let first = |of_all: &[f64]| -> [f64; OPEN] { std::array::from_fn(|i| of_all[i]) };
        let (n_states, n_values) = (self.rewards.n_rows(), self.values.numbers.len() / self.values.width);
        let (mut rewards, mut values) = (vec![[0.0; OPEN]; n_states], vec![[0.0; OPEN]; n_values]);
        copy_columns(self.rewards, TableMut::of(&mut rewards), 0);
        copy_columns(Table::flat(self.values.numbers, self.values.width), TableMut::of(&mut values), 0);
        let discounts = first(self.discounts);
        let chain = Chain { ranks: self.ranks, rows: self.rows, rewards: &rewards, discounts };
        let mut open = Columns { values, levels: first(self.levels) };
        chain.evaluate(&mut open, &mut vec![[0.0; OPEN]; n_values], first(targets), stop);
        self.levels[..OPEN].copy_from_slice(&open.levels);
        copy_columns(Table::of(&open.values), self.values, 0);
    }
}

/// Rows of numbers, of one width. Code that only copies numbers is not generic over the width.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    numbers: &'a [f64],
    width: usize,
}

/// The same, to be written to.
pub(crate) struct TableMut<'a> {
    numbers: &'a mut [f64],
    width: usize,
}

impl<'a> Table<'a> {
    pub fn of<const K: usize>(rows: &'a [[f64; K]]) -> Table<'a> {
        Table { numbers: rows.as_flattened(), width: K }
    }

    /// `numbers` in rows of `width`.
    pub fn flat(numbers: &'a [f64], width: usize) -> Table<'a> {
        Table { numbers, width }
    }

    fn n_rows(&self) -> usize {
        self.numbers.len() / self.width
    }
}

impl<'a> TableMut<'a> {
    pub fn of<const K: usize>(rows: &'a mut [[f64; K]]) -> TableMut<'a> {
        TableMut { numbers: rows.as_flattened_mut(), width: K }
    }

    /// `numbers` in rows of `width`.
    pub fn flat(numbers: &'a mut [f64], width: usize) -> TableMut<'a> {
        TableMut { numbers, width }
    }
}

/// Copies every row of `from` into the row of `to` beside it, from column `begin` on, as far as both reach.
pub(crate) fn copy_columns(from: Table, to: TableMut, begin: usize) {
    let width = from.width.min(to.width - begin);
    let chunks = from.numbers.chunks(CHUNK * from.width).zip(to.numbers.chunks_mut(CHUNK * to.width));
    parallel::for_each(chunks, |_, (from_rows, to_rows)| {
        for (row, to) in from_rows.chunks_exact(from.width).zip(to_rows.chunks_exact_mut(to.width)) {
            to[begin..begin + width].copy_from_slice(&row[..width]);
        }
    });
}

/// Fills every row of `to` from the row of `from` that `chosen` names, from column `begin` on.
pub(crate) fn choose_rows(from: Table, chosen: &[ChoiceId], to: TableMut, begin: usize) {
    let chunks = to.numbers.chunks_mut(CHUNK * to.width).zip(chosen.chunks(CHUNK));
    parallel::for_each(chunks, |_, (rows, chosen)| {
        for (row, &choice) in rows.chunks_exact_mut(to.width).zip(chosen) {
            let begin = choice.index() * from.width + begin;
            row.copy_from_slice(&from.numbers[begin..begin + to.width]);
        }
    });
}

/// How many sweeps bring `width` down to `target`, if `LOOK` of them shrink it by `per_look`.
fn sweeps_left(width: f64, target: f64, per_look: f64) -> f64 {
    if width <= target {
        return 0.0;
    }
    (target.max(f64::MIN_POSITIVE) / width).ln() / per_look.min(0.999_999).ln() * LOOK as f64
}

/// Ranks that each do the same, with all states: they need nothing of one another but to stop together.
struct Together<'a>(&'a dyn Ranks);

impl Ranks for Together<'_> {
    fn stop_reason(&self, stop: &StopSignal) -> Option<StopReason> {
        self.0.stop_reason(stop)
    }
}

impl Chain<'_, 1> {
    fn evaluate_slow_column(&self, column: &mut Columns<1>, target: f64, stop: &StopSignal) {
        let Chain { ranks, rows, rewards, discounts } = *self;
        let n_own = rows.n_states();
        match ranks.most_together() {
            None => return self.evaluate_slow(column, target, Some(&rows.successors_first()), stop),
            Some(most) if ranks.sum(n_own as u64) > most => return self.evaluate_slow(column, target, None, stop),
            Some(_) => {}
        }
        let whole = rows.put_together(ranks);
        let all = |own: &[[f64; 1]]| ranks.in_order(own.as_flattened().to_vec()).into_iter().map(|x| [x]).collect();
        let all_rewards: Vec<[f64; 1]> = all(rewards);
        let mut all_values = Columns { values: all(&column.values[..n_own]), levels: column.levels };
        let chain = Chain { ranks: &Together(ranks), rows: &whole, rewards: &all_rewards, discounts };
        chain.evaluate_slow(&mut all_values, target, Some(&whole.successors_first()), stop);
        let of_own = |(state, value): (usize, &mut [f64; 1])| *value = all_values.values[ranks.position(state)];
        column.values.iter_mut().enumerate().for_each(of_own);
        column.levels = all_values.levels;
    }

    /// Without an order, by BiCGStab alone.
    fn evaluate_slow(&self, column: &mut Columns<1>, target: f64, order: Option<&Order>, stop: &StopSignal) {
        let mut next = vec![[0.0]; column.values.len()];
        let mut width = self.sweep(column, &mut next)[0].width();
        // In-place sweeps are effective if most transitions follow the order; otherwise they are not tried.
        let order_to_solve = order.filter(|order| order.mostly_holds);
        let mut in_place = order_to_solve;
        // A solve may diverge, and sweeps in place may undo what it gained: progress is measured against the best so far.
        let (mut best, mut least) = (column.clone(), width);
        let mut idle = 0;
        while width > target && idle < 3 && self.ranks.stop_reason(stop).is_none() {
            let before = width;
            match in_place {
                Some(order) => (0..LOOK).for_each(|_| self.sweep_in_place(column, order)),
                None => self.bicgstab(column, target, order_to_solve, stop),
            }
            width = self.sweep(column, &mut next)[0].width();
            if in_place.is_none() && (width >= before || width.is_nan()) {
                column.clone_from(&best);
                width = least;
            }
            idle = if width < 0.9 * least { 0 } else { idle + 1 };
            if width < least {
                best.clone_from(column);
                least = width;
            }
            // In-place sweeps continue while they make progress; they also follow a solve that failed.
            let go_on = match in_place {
                Some(_) => sweeps_left(width, target, width / before) <= 4.0 * MANY_SWEEPS,
                None => idle > 0,
            };
            in_place = order.filter(|_| go_on);
        }
        if width > least || width.is_nan() {
            *column = best;
        }
    }

    /// Gauss–Seidel, in an order in which most states come after their successors.
    fn sweep_in_place(&self, column: &mut Columns<1>, order: &Order) {
        let Columns { values, levels: [level] } = column;
        let discount = self.discounts[0];
        let solved = |state: StateId, values: &[f64]| {
            let (targets, probabilities) = self.rows.row(state);
            let (expected, stays) = leaving(state, targets, probabilities, values);
            (self.rewards[state.index()][0] - *level + discount * expected) / (1.0 - discount * stays)
        };
        let rows = order.states.iter().map(|&state| (state.index(), state));
        let swept = sweep_in_place(rows, values.as_flattened_mut(), solved);
        *level += (1.0 - discount) * swept.changes.middle();
    }

    /// `y ← (I − λF)^-1 y`, where F are the transitions that stay or lead to states that come first in the order.
    fn solve_forward(&self, y: &mut [f64], order: &Order) {
        let discount = self.discounts[0];
        let solved = |state: StateId, y: &[f64]| {
            let (targets, probabilities) = self.rows.row(state);
            let (mut expected, mut stays) = (0.0, 0.0);
            for (target, p) in targets.iter().zip(probabilities) {
                match order.rank[target.index()].cmp(&order.rank[state.index()]) {
                    Ordering::Less => expected += p * y[target.index()],
                    Ordering::Equal => stays = *p,
                    Ordering::Greater => {}
                }
            }
            (y[state.index()] + discount * expected) / (1.0 - discount * stays)
        };
        sweep_in_place(order.states.iter().map(|&state| (state.index(), state)), y, solved);
    }

    /// BiCGStab on the residual of `column`, until its greatest entry is at most half of `target`. The transitions that follow
    /// the order, if there is one, are solved for exactly in every step, and only the others are left to iterate on.
    fn bicgstab(&self, column: &mut Columns<1>, target: f64, order: Option<&Order>, stop: &StopSignal) {
        const LONGEST: usize = 400;
        let (n, n_values) = (self.rows.n_states(), column.values.len());
        let Chain { ranks, discounts: [discount], .. } = *self;
        let dot = |x: &[f64], y: &[f64]| ranks.sum_in_order(products(&x[..n], &y[..n]));
        let apply = |x: &[f64], out: &mut [f64]| {
            let (x, _) = x.as_chunks::<1>();
            let (out, _) = out.as_chunks_mut::<1>();
            self.rows.sweep(x, out, |state, [expected]| [x[state][0] - discount * expected]);
        };
        let values = column.values.as_flattened_mut();
        let level = column.levels[0];
        // Vectors that rows are read with have room for ghosts.
        let mut residual = vec![0.0; n_values];
        ranks.refresh(values, 1);
        apply(values, &mut residual);
        parallel::update(&mut residual[..n], |state, r| *r = self.rewards[state][0] - level - *r);
        let shadow = residual.clone();
        let (mut direction, mut image, mut image_of_half) = (vec![0.0; n_values], vec![0.0; n], vec![0.0; n]);
        // The preconditioned vectors; the vectors themselves if there is no preconditioner.
        let (mut solved_direction, mut solved_half) = (Vec::new(), Vec::new());
        let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
        let mut next_rho = dot(&residual, &shadow);
        for _ in 0..LONGEST {
            let beta = next_rho / rho * (alpha / omega);
            rho = next_rho;
            parallel::for_each(chunks(&mut direction, &residual, &image), |_, (p, r, v)| {
                p.iter_mut().zip(r).zip(v).for_each(|((p, r), v)| *p = r + beta * (*p - omega * v));
            });
            ranks.refresh(&mut direction, 1);
            let along = self.precondition(&direction, &mut solved_direction, order);
            apply(along, &mut image);
            alpha = rho / dot(&shadow, &image);
            if !alpha.is_finite() {
                return;
            }
            parallel::for_each(residual.chunks_mut(CHUNK).zip(image.chunks(CHUNK)), |_, (r, v)| {
                r.iter_mut().zip(v).for_each(|(r, v)| *r -= alpha * v);
            });
            ranks.refresh(&mut residual, 1);
            let half = self.precondition(&residual, &mut solved_half, order);
            apply(half, &mut image_of_half);
            let squared = dot(&image_of_half, &image_of_half);
            omega = dot(&image_of_half, &residual) / squared;
            // If the half step was exact there is no second half.
            let second = if omega.is_finite() { omega } else { 0.0 };
            parallel::for_each(chunks(values, along, half), |_, (x, p, s)| {
                x.iter_mut().zip(p).zip(s).for_each(|((x, p), s)| *x += alpha * p + second * s);
            });
            let greatest;
            (next_rho, greatest) = self.leave(&mut residual, &image_of_half, second, &shadow);
            if second == 0.0 || greatest <= target / 2.0 || ranks.stop_reason(stop).is_some() {
                return;
            }
        }
    }

    /// What the order's own transitions make of `x`; `x` itself without an order.
    fn precondition<'a>(&self, x: &'a [f64], room: &'a mut Vec<f64>, order: Option<&Order>) -> &'a [f64] {
        let Some(order) = order else { return x };
        room.clear();
        room.extend_from_slice(x);
        self.solve_forward(room, order);
        room
    }

    /// `residual ← residual − part · image`; returns its product with `shadow`, and its greatest magnitude.
    fn leave(&self, residual: &mut [f64], image: &[f64], part: f64, shadow: &[f64]) -> (f64, f64) {
        let of_chunk = |_, (residual, image, shadow): (&mut [f64], &[f64], &[f64])| {
            residual.iter_mut().zip(image).zip(shadow).fold((0.0, 0.0f64), |(product, greatest), ((r, t), s)| {
                *r -= part * t;
                (product + *r * s, if r.abs() > greatest { r.abs() } else { greatest })
            })
        };
        let parts = parallel::map_items(chunks(residual, image, shadow), of_chunk);
        let (products, greatest): (Vec<f64>, Vec<f64>) = parts.into_iter().unzip();
        let greatest = greatest.into_iter().fold(0.0, f64::max);
        (self.ranks.sum_in_order(products), self.ranks.greatest_of(greatest))
    }
}

/// The chunks of three vectors of the same length, side by side.
fn chunks<'a>(
    x: &'a mut [f64],
    y: &'a [f64],
    z: &'a [f64],
) -> impl Iterator<Item = (&'a mut [f64], &'a [f64], &'a [f64])> {
    x.chunks_mut(CHUNK).zip(y.chunks(CHUNK)).zip(z.chunks(CHUNK)).map(|((x, y), z)| (x, y, z))
}

/// The inner products of the chunks of two vectors: added up in order, they depend neither on threads nor on ranks.
fn products(x: &[f64], y: &[f64]) -> Vec<f64> {
    let of_chunk = |_, (x, y): (&[f64], &[f64])| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    parallel::map_items(x.chunks(CHUNK).zip(y.chunks(CHUNK)), of_chunk)
}
