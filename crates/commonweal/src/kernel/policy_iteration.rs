//! The lexicographic optimum in doubles: policy iteration for one part after the other, each among the choices that the
//! ones before it leave. [Alg. 1]
//!
//! Nothing here is trusted. The exact engine proves the guess, the certified engine bounds the error of the values. Both
//! define the residual they need and which values count as equal ([`Served`]).
//!
//! Value iteration finds most choices. Then each step evaluates the choices ([`Chain`]) only to a useful precision before they
//! are improved again. Cost: a pass over all rows per step, and one over the chosen rows per sweep of the evaluation.

use super::chain::{Chain, Columns};
use super::sweep::{Choices, Improved, PolicyRows, Span, common_length, expectation};
use crate::model::{Arrays, ChoiceId, StateId};
use crate::parallel;
use crate::ranks::{Archive, Moment, Ranks, Resumable};
use crate::stop::{Reached, StopSignal};

/// The relative residual of an evaluation while many choices change.
const EVALUATED: f64 = 0.05;
/// The same while few change.
const WELL_EVALUATED: f64 = 1e-3;
/// The same when none changed: some may still change, and then a full evaluation would have been wasted.
const ALL_BUT_EVALUATED: f64 = 1e-5;
/// Value iteration ends when fewer than one state in this many changes its choice.
const MOST: usize = 64;
/// Fewer than one state in this many counts as few.
const FEW: usize = 4096;
/// Value iteration also ends if four steps leave more than this part of the residual.
const SLOW: f64 = 0.7;

/// Values near the greatest ones.
pub(crate) struct Optimum {
    pub column: Columns<1>,
    /// The span of the last residual.
    pub width: f64,
}

/// Passes one choice of each own state to an archive, or back: by its position among those of the state.
pub(crate) fn pass_choices(archive: &mut dyn Archive, choices: &mut [ChoiceId], first_choice: &[u32]) {
    let own = choices.iter().zip(first_choice);
    let mut words = own.map(|(choice, &first)| choice.index() as u64 - u64::from(first)).collect();
    archive.of_states(&mut words);
    for ((choice, word), &first) in choices.iter_mut().zip(words).zip(first_choice) {
        *choice = ChoiceId::at(first + word as u32);
    }
}

/// How far a policy iteration has come.
#[derive(Clone, Copy)]
struct Iteration {
    /// The span of the last residual, and the least so far.
    width: f64,
    least: f64,
    /// Steps since that shrank.
    idle: u64,
    /// How many states changed their choice in the last step.
    n_changed: u64,
    is_done: bool,
}

impl Iteration {
    fn pass(&mut self, archive: &mut dyn Archive) {
        let mut is_done = self.is_done.into();
        archive.words(&mut [&mut self.idle, &mut self.n_changed, &mut is_done]);
        self.is_done = is_done == 1;
        let mut doubles = [self.width, self.least];
        archive.doubles(&mut doubles);
        [self.width, self.least] = doubles;
    }
}

/// Parts as they are served one after the other, most patient first.
pub(crate) trait Served {
    /// How many there are.
    fn n(&self) -> usize;
    /// The i-th part's reward of each choice.
    fn rewards(&self, i: usize) -> Vec<f64>;
    /// λ_i, to the nearest.
    fn discount(&self, i: usize) -> f64;
    /// The residual's span that is small enough for values like these.
    fn target(&self, i: usize, column: &Columns<1>) -> f64;
    /// The tolerance within which two choices count as equally good.
    fn near(&self, i: usize, optimum: &Optimum) -> f64;
    /// Records the result for the i-th.
    fn serve(&mut self, i: usize, column: &Columns<1>, near: f64);
}

/// Computes approximately the lexicographic optimum into `strategy`. Returns the number of parts served; for the others no
/// state has a choice left.
pub(crate) fn lexicographic(
    ranks: &dyn Ranks,
    rows: &Arrays<f64>,
    strategy: &mut [ChoiceId],
    parts: &mut impl Served,
    stop: &StopSignal,
) -> usize {
    let row_length = common_length(rows.first_transition);
    let mut allowed: Option<Vec<bool>> = None;
    for i in 0..parts.n() {
        if all_decided(ranks, rows, allowed.as_deref()) {
            return i;
        }
        let reward = parts.rewards(i);
        let (allowed_now, discount) = (allowed.as_deref(), parts.discount(i));
        let choices = Choices { ranks, rows, allowed: allowed_now, reward: &reward, discount, row_length };
        let mut optimum = choices.optimum(Resumable::Optimum(i), strategy, |column| parts.target(i, column), stop);
        let near = parts.near(i, &optimum);
        let as_good = (i + 1 < parts.n()).then(|| choices.as_good_as_the_best(&mut optimum.column, near, strategy));
        parts.serve(i, &optimum.column, near);
        allowed = as_good;
    }
    parts.n()
}

/// Whether every state has one choice left.
fn all_decided(ranks: &dyn Ranks, rows: &Arrays<f64>, allowed: Option<&[bool]>) -> bool {
    let n_states = rows.first_choice.len() - 1;
    let n_left = match allowed {
        None => *rows.first_choice.last().expect("an end") as usize,
        Some(allowed) => allowed.iter().filter(|&&allowed| allowed).count(),
    };
    ranks.sum((n_left - n_states) as u64) == 0
}

impl Choices<'_> {
    /// The greatest values over the allowed choices, and in `strategy` choices that attain them: modified policy
    /// iteration, until the residual's span is at most `target_of` the values, or limited by rounding.
    fn optimum(
        &self,
        stage: Resumable,
        strategy: &mut [ChoiceId],
        target_of: impl Fn(&Columns<1>) -> f64,
        stop: &StopSignal,
    ) -> Optimum {
        let &Choices { ranks, rows: all_rows, reward, discount, .. } = self;
        let [span] = Span::over(ranks, [Span::of(reward)]);
        let n_values = strategy.len() + ranks.n_ghosts();
        let mut column = Columns { values: vec![[0.0]; n_values], levels: [span.middle()] };
        let mut next = vec![[0.0]; n_values];
        let n_states = ranks.sum(strategy.len() as u64) as usize;
        let few = (n_states / FEW) as u64;
        let mut on =
            Iteration { width: f64::INFINITY, least: f64::INFINITY, idle: 0, n_changed: u64::MAX, is_done: false };
        let (n_own, keeps) = (strategy.len(), ranks.keeps());
        let first_choice = all_rows.first_choice;
        let pass =
            |on: &mut Iteration, column: &mut Columns<1>, strategy: &mut [ChoiceId], archive: &mut dyn Archive| {
                on.pass(archive);
                archive.doubles(&mut column.levels);
                let mut values = std::mem::take(&mut column.values).into_flattened();
                archive.values(&mut values, n_own, n_values);
                column.values = values.as_chunks::<1>().0.to_vec();
                pass_choices(archive, strategy, first_choice);
            };
        let is_resumed = ranks.resume(stage, &mut |archive| pass(&mut on, &mut column, &mut *strategy, archive));
        if on.is_done {
            return Optimum { column, width: on.width };
        }
        // Value iteration until most states have found their choice, or it converges too slowly.
        let mut widths = [f64::INFINITY; 4];
        let most_sweeps = if is_resumed { 0 } else { usize::MAX };
        for sweep in 0..most_sweeps {
            let Improved { span, n_changed } = self.step(&mut column, &mut next, strategy);
            stop.reach(Reached::LongTerm { residual: span.width(), target: target_of(&column) });
            let slow = sweep >= 8 && span.width() > SLOW * widths[3];
            widths.rotate_right(1);
            widths[0] = span.width();
            on.width = span.width();
            if n_changed <= n_states / MOST || slow || span.width() == 0.0 || ranks.stop_reason(stop).is_some() {
                break;
            }
        }
        // Policy iteration: evaluate the choices, then improve them.
        let mut rows = PolicyRows::of(all_rows, strategy);
        let mut rewards = parallel::map_many(strategy.len(), |state| [reward[strategy[state].index()]]);
        let mut old = strategy.to_vec();
        let mut target = target_of(&column);
        loop {
            // Kept before the evaluation: one that a stop cuts short is not one to go on from.
            if keeps && ranks.stop_reason(stop).is_none() {
                ranks.keep(stage, Moment::Step, &mut |archive| pass(&mut on, &mut column, &mut *strategy, archive));
            }
            let chain = Chain { ranks, rows: &rows, rewards: &rewards, discounts: [discount] };
            let part = match on.n_changed {
                0 => ALL_BUT_EVALUATED,
                n if n <= few => WELL_EVALUATED,
                _ => EVALUATED,
            };
            let wanted = (part * on.width).max(target);
            chain.evaluate(&mut column, &mut next, [wanted], stop);
            let improved = self.step(&mut column, &mut next, strategy);
            on.n_changed = improved.n_changed as u64;
            on.width = improved.span.width();
            target = target_of(&column);
            stop.reach(Reached::LongTerm { residual: on.width, target });
            // Rounding may keep the residual above the target for ever.
            on.idle = if on.width < 0.9 * on.least { 0 } else { on.idle + 1 };
            on.least = on.least.min(on.width);
            let stops = ranks.stop_reason(stop).is_some();
            on.is_done = on.width <= target || on.idle > 20;
            if keeps && on.is_done && !stops {
                ranks.keep(stage, Moment::Done, &mut |archive| pass(&mut on, &mut column, &mut *strategy, archive));
            }
            if on.is_done || stops {
                return Optimum { column, width: on.width };
            }
            if on.n_changed > 0 {
                let changes = |state: &StateId| old[state.index()] != strategy[state.index()];
                let changed: Vec<StateId> = (0..old.len() as u32).map(StateId::at).filter(changes).collect();
                rows.follow(all_rows, &changed, strategy);
                for state in changed.into_iter().map(StateId::index) {
                    old[state] = strategy[state];
                    rewards[state] = [reward[strategy[state].index()]];
                }
            }
        }
    }

    /// One step of value iteration, over all ranks.
    fn step(&self, column: &mut Columns<1>, next: &mut Vec<[f64; 1]>, strategy: &mut [ChoiceId]) -> Improved {
        self.ranks.refresh(column.values.as_flattened_mut(), 1);
        let (level, values) = (column.levels[0], column.values.as_flattened());
        let own = self.improve(level, values, next.as_flattened_mut(), strategy);
        std::mem::swap(&mut column.values, next);
        let [span] = Span::over(self.ranks, [own.span]);
        column.levels[0] += self.discount * span.middle();
        Improved { span, n_changed: self.ranks.sum(own.n_changed as u64) as usize }
    }

    /// Which of the allowed choices are worth as much as the best of their state.
    fn as_good_as_the_best(&self, column: &mut Columns<1>, near: f64, strategy: &[ChoiceId]) -> Vec<bool> {
        let &Choices { ranks, rows, allowed, reward, discount, .. } = self;
        ranks.refresh(column.values.as_flattened_mut(), 1);
        let values = column.values.as_flattened();
        let worth = |choice: ChoiceId| {
            let row = rows.row(choice);
            reward[choice.index()] + discount * expectation(&rows.target[row.clone()], &rows.probability[row], values)
        };
        let of_state = |state: StateId| {
            let is_allowed = move |choice: &ChoiceId| allowed.is_none_or(|allowed| allowed[choice.index()]);
            let only = rows.choices(state).filter(is_allowed).count() == 1;
            let best = if only { f64::NEG_INFINITY } else { worth(strategy[state.index()]) };
            // If values overflow, comparisons with NaN are false and no choice is dropped.
            let worse = move |choice: ChoiceId| !only && worth(choice) < best - near;
            rows.choices(state).map(move |choice| is_allowed(&choice) && !worse(choice))
        };
        parallel::map_blocks(strategy.len(), |states| states.map(StateId::from).flat_map(of_state).collect::<Vec<_>>())
            .concat()
    }
}
