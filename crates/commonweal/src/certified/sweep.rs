//! The kernels: one pass over the rows of the model, states shared between threads in chunks of fixed size.
//!
//! Chunks and the order of operations inside a row do not depend on the number of threads, and maxima do not depend on
//! the order they are taken in, so the same input gives the same doubles. Cost of a pass: 12 bytes a transition, one
//! gathered value each, and 8 bytes a choice for its reward.

use crate::model::{Arrays, StateId};
use rayon::prelude::*;
use std::ops::Range;

/// States a thread takes at a time.
pub(super) const CHUNK: usize = 4096;

/// The least and the greatest of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub least: f64,
    pub greatest: f64,
}

impl Span {
    pub const NOTHING: Span = Span { least: 0.0, greatest: 0.0 };
    pub const EMPTY: Span = Span { least: f64::INFINITY, greatest: f64::NEG_INFINITY };

    /// The span of many numbers.
    pub fn of(numbers: &[f64]) -> Span {
        let of_chunk = |chunk: &[f64]| chunk.iter().fold(Span::EMPTY, |span, &x| span.with(x));
        numbers.par_chunks(CHUNK).map(of_chunk).reduce(|| Span::EMPTY, Span::join)
    }

    /// The span of the same numbers, each greater by `constant`.
    pub fn shifted(self, constant: f64) -> Span {
        Span { least: self.least + constant, greatest: self.greatest + constant }
    }

    pub fn with(self, x: f64) -> Span {
        // Not `min` and `max`, which look for numbers that are none.
        Span {
            least: if x < self.least { x } else { self.least },
            greatest: if x > self.greatest { x } else { self.greatest },
        }
    }

    pub fn join(self, other: Span) -> Span {
        Span { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest) }
    }

    pub fn width(self) -> f64 {
        self.greatest - self.least
    }

    pub fn middle(self) -> f64 {
        self.least / 2.0 + self.greatest / 2.0
    }

    pub fn magnitude(self) -> f64 {
        self.least.abs().max(self.greatest.abs())
    }
}

/// Calls `$kernel` with `$n` as a constant where it is small, so that its loops over principals are unrolled.
macro_rules! specialised {
    ($n:expr, |$width:ident| $kernel:expr) => {
        match $n {
            1 => {
                const $width: usize = 1;
                $kernel
            }
            2 => {
                const $width: usize = 2;
                $kernel
            }
            3 => {
                const $width: usize = 3;
                $kernel
            }
            4 => {
                const $width: usize = 4;
                $kernel
            }
            5 => {
                const $width: usize = 5;
                $kernel
            }
            6 => {
                const $width: usize = 6;
                $kernel
            }
            7 => {
                const $width: usize = 7;
                $kernel
            }
            _ => {
                const $width: usize = 8;
                $kernel
            }
        }
    };
}
pub(super) use specialised;

/// Calls `$kernel` with the length that all rows have as a constant, if they have one in common and it is small, or with 0.
macro_rules! with_row_length {
    ($length:expr, |$constant:ident| $kernel:expr) => {
        match $length {
            0 => {
                const $constant: usize = 0;
                $kernel
            }
            length => specialised!(length, |$constant| $kernel),
        }
    };
}

/// The transitions of a row, where all rows have LENGTH transitions, or `first` says where each begins.
#[inline(always)]
fn row<const LENGTH: usize>(first: &[u32], row: usize) -> Range<usize> {
    match LENGTH {
        0 => first[row] as usize..first[row + 1] as usize,
        _ => row * LENGTH..row * LENGTH + LENGTH,
    }
}

/// The length that all rows have in common, if it is one that kernels are made for; 0 otherwise.
pub(super) fn common_length(first: &[u32]) -> usize {
    let length = first.get(1).map_or(0, |&second| second as usize);
    let all = (1..=WIDEST).contains(&length) && first.par_windows(2).all(|ends| (ends[1] - ends[0]) as usize == length);
    if all { length } else { 0 }
}

/// The most columns of values that are kept side by side: one cache line.
pub(super) const WIDEST: usize = 8;

/// `Σ_t p(t) v(t)`.
#[inline(always)]
pub(super) fn expectation(targets: &[StateId], probabilities: &[f64], values: &[f64]) -> f64 {
    targets.iter().zip(probabilities).map(|(target, p)| p * values[target.index()]).sum()
}

/// `Σ_t p(t) v(t)` of K columns that stand side by side.
#[inline(always)]
pub(super) fn expectations<const K: usize>(
    targets: &[StateId],
    probabilities: &[f64],
    values: &[[f64; K]],
) -> [f64; K] {
    let mut sums = [0.0; K];
    for (target, p) in targets.iter().zip(probabilities) {
        let value = &values[target.index()];
        for (sum, x) in sums.iter_mut().zip(value) {
            *sum += p * x;
        }
    }
    sums
}

/// One principal's view of the choices that are left.
pub(super) struct Choices<'a> {
    pub rows: &'a Arrays<'a, f64>,
    pub allowed: Option<&'a [bool]>,
    pub reward: &'a [f64],
    pub discount: f64,
    /// See [`common_length`].
    pub row_length: usize,
}

/// What a step of value iteration did.
pub(super) struct Improved {
    /// The span of what changed in the values.
    pub span: Span,
    /// How many states took another choice.
    pub n_changed: usize,
}

/// What belongs to a chunk of states.
struct Part<'a> {
    next: &'a mut [f64],
    policy: &'a mut [u32],
    gaps: &'a mut [f32],
}

impl Choices<'_> {
    /// One step of value iteration: `next(s) = max_a R − level + λPv`, with the choice that attains it; `policy` is kept
    /// where it attains it too. `gaps` remembers by how much each choice lost when it was last looked at, and one that
    /// lost by more than `hopeless` is not looked at again.
    pub fn improve(
        &self,
        level: f64,
        values: &[f64],
        next: &mut [f64],
        policy: &mut [u32],
        gaps: &mut [f32],
        hopeless: f32,
    ) -> Improved {
        with_row_length!(self.row_length, |LENGTH| {
            self.improve_rows::<LENGTH>(level, values, next, policy, gaps, hopeless)
        })
    }

    fn improve_rows<const LENGTH: usize>(
        &self,
        level: f64,
        values: &[f64],
        next: &mut [f64],
        policy: &mut [u32],
        gaps: &mut [f32],
        hopeless: f32,
    ) -> Improved {
        let Choices { rows, allowed, reward, discount, .. } = *self;
        let of_chunk = |(index, Part { next, policy, gaps }): (usize, Part)| {
            let (mut span, mut n_changed) = (Span::EMPTY, 0);
            let first_state = index * CHUNK;
            let first_choice = rows.first_choice[first_state] as usize;
            let mut choice = first_choice;
            for (offset, (next, policy)) in next.iter_mut().zip(policy.iter_mut()).enumerate() {
                let state = first_state + offset;
                let (first, end) = (choice, rows.first_choice[state + 1] as usize);
                let (mut best, mut best_choice, mut followed) = (f64::NEG_INFINITY, first, f64::NEG_INFINITY);
                while choice < end {
                    let gap = &mut gaps[choice - first_choice];
                    let is_followed = choice == *policy as usize;
                    if (*gap <= hopeless || is_followed) && allowed.is_none_or(|allowed| allowed[choice]) {
                        let row = row::<LENGTH>(rows.first_transition, choice);
                        let expected = expectation(&rows.target[row.clone()], &rows.probability[row], values);
                        let worth = reward[choice] - level + discount * expected;
                        if worth > best {
                            (best, best_choice) = (worth, choice);
                        }
                        if is_followed {
                            followed = worth;
                        }
                        *gap = -worth as f32;
                    } else {
                        // Comes out of the next loop as it went in, or as hopeless.
                        *gap = f32::INFINITY;
                    }
                    choice += 1;
                }
                for gap in &mut gaps[first - first_choice..end - first_choice] {
                    *gap += best as f32;
                }
                if followed < best {
                    *policy = best_choice as u32;
                    n_changed += 1;
                }
                *next = best;
                span = span.with(best - values[state]);
            }
            Improved { span, n_changed }
        };
        let both =
            |a: Improved, b: Improved| Improved { span: a.span.join(b.span), n_changed: a.n_changed + b.n_changed };
        let states = next.chunks_mut(CHUNK).zip(policy.chunks_mut(CHUNK));
        let parts = states.zip(pieces(gaps, rows.first_choice));
        let parts: Vec<Part> = parts.map(|((next, policy), gaps)| Part { next, policy, gaps }).collect();
        parts.into_par_iter().enumerate().map(of_chunk).reduce(|| Improved { span: Span::EMPTY, n_changed: 0 }, both)
    }
}

/// States in an order in which most come after their successors.
pub(super) struct Order {
    pub states: Vec<u32>,
    /// The position of each state.
    pub rank: Vec<u32>,
    /// Whether most transitions lead to a state that comes before, or stay.
    pub mostly_holds: bool,
}

/// The rows of one choice per state, side by side: half the bytes of two choices a state, and nothing to skip.
pub(super) struct PolicyRows {
    /// See [`common_length`].
    row_length: usize,
    first: Vec<u32>,
    target: Vec<StateId>,
    probability: Vec<f64>,
}

impl PolicyRows {
    pub fn of(rows: &Arrays<f64>, policy: &[u32]) -> PolicyRows {
        let range = |&choice: &u32| {
            rows.first_transition[choice as usize] as usize..rows.first_transition[choice as usize + 1] as usize
        };
        let mut first = Vec::with_capacity(policy.len() + 1);
        let mut end = 0;
        first.push(0);
        first.extend(policy.iter().map(|choice| {
            end += range(choice).len() as u32;
            end
        }));
        let mut target = vec![StateId::from(0); end as usize];
        let mut probability = vec![0.0; end as usize];
        let pieces = pieces(&mut target, &first).zip(pieces(&mut probability, &first)).collect::<Vec<_>>();
        pieces.into_par_iter().zip(policy.par_chunks(CHUNK)).for_each(|((target, probability), policy)| {
            let mut begin = 0;
            for choice in policy {
                let range = range(choice);
                let end = begin + range.len();
                target[begin..end].copy_from_slice(&rows.target[range.clone()]);
                probability[begin..end].copy_from_slice(&rows.probability[range]);
                begin = end;
            }
        });
        PolicyRows { row_length: common_length(&first), first, target, probability }
    }

    /// The rows of another policy, written over the old ones where they fit.
    pub fn follow(&mut self, rows: &Arrays<f64>, old: &[u32], new: &[u32]) {
        let changed = || (0..old.len()).filter(|&state| old[state] != new[state]);
        if changed().any(|state| rows.row(old[state]).len() != rows.row(new[state]).len()) {
            *self = PolicyRows::of(rows, new);
            return;
        }
        for state in changed() {
            let (own, row) = (self.first[state] as usize..self.first[state + 1] as usize, rows.row(new[state]));
            self.target[own.clone()].copy_from_slice(&rows.target[row.clone()]);
            self.probability[own].copy_from_slice(&rows.probability[row]);
        }
    }

    /// `next(s) = of(s, Σ_t P(t|s) v(t))` for every state; returns the spans of next − v.
    pub fn sweep<const K: usize>(
        &self,
        values: &[[f64; K]],
        next: &mut [[f64; K]],
        of: impl Fn(usize, [f64; K]) -> [f64; K] + Sync,
    ) -> [Span; K] {
        let of_chunk = |(index, next): (usize, &mut [[f64; K]])| {
            let first_state = index * CHUNK;
            self.expectations_of(first_state, values, next);
            let mut spans = [Span::EMPTY; K];
            for (offset, next) in next.iter_mut().enumerate() {
                let state = first_state + offset;
                *next = of(state, *next);
                for (span, (new, old)) in spans.iter_mut().zip(next.iter().zip(&values[state])) {
                    *span = span.with(new - old);
                }
            }
            spans
        };
        let joined = |a: [Span; K], b: [Span; K]| std::array::from_fn(|i| a[i].join(b[i]));
        next.par_chunks_mut(CHUNK).enumerate().map(of_chunk).reduce(|| [Span::EMPTY; K], joined)
    }

    /// `Σ_t P(t|s) v(t)` for the states from `first_state` on, as many as `out` holds.
    pub fn expectations_of<const K: usize>(&self, first_state: usize, values: &[[f64; K]], out: &mut [[f64; K]]) {
        with_row_length!(self.row_length, |LENGTH| {
            for (offset, out) in out.iter_mut().enumerate() {
                let row = row::<LENGTH>(&self.first, first_state + offset);
                *out = expectations(&self.target[row.clone()], &self.probability[row], values);
            }
        });
    }

    /// The states in the order in which a search in depth leaves them: each after its successors, but for cycles.
    pub fn successors_first(&self) -> Order {
        const UNSEEN: u32 = u32::MAX;
        let n_states = self.first.len() - 1;
        let mut states = Vec::with_capacity(n_states);
        // Which transition of a state is followed next, while it is on the path.
        let mut next = vec![UNSEEN; n_states];
        let mut path = Vec::new();
        for root in 0..n_states {
            if next[root] == UNSEEN {
                next[root] = self.first[root];
                path.push(root as u32);
            }
            while let Some(&state) = path.last() {
                let transition = next[state as usize];
                if transition == self.first[state as usize + 1] {
                    states.push(state);
                    path.pop();
                    continue;
                }
                next[state as usize] += 1;
                let target = self.target[transition as usize].index();
                if next[target] == UNSEEN {
                    next[target] = self.first[target];
                    path.push(target as u32);
                }
            }
        }
        let mut rank = vec![0; n_states];
        states.iter().zip(0..).for_each(|(&state, position)| rank[state as usize] = position);
        let follows =
            |state: usize| self.row(state).0.iter().filter(|target| rank[target.index()] <= rank[state]).count();
        let n_follow: usize = (0..n_states).into_par_iter().map(follows).sum();
        Order { states, rank, mostly_holds: 4 * n_follow > 3 * self.target.len() }
    }

    pub fn row(&self, state: usize) -> (&[StateId], &[f64]) {
        let range = self.first[state] as usize..self.first[state + 1] as usize;
        (&self.target[range.clone()], &self.probability[range])
    }
}

/// The parts of `all` that belong to each chunk of states, where `first` says where each state's part begins.
fn pieces<'a, T>(mut all: &'a mut [T], first: &'a [u32]) -> impl Iterator<Item = &'a mut [T]> {
    let n_states = first.len() - 1;
    (0..n_states).step_by(CHUNK).map(move |state| {
        let end = (state + CHUNK).min(n_states);
        let (piece, rest) = std::mem::take(&mut all).split_at_mut((first[end] - first[state]) as usize);
        all = rest;
        piece
    })
}
