//! The kernels: one pass over the rows of the model, states shared between threads in chunks of fixed size.
//!
//! Chunks and the order of operations inside a row do not depend on the number of threads, and maxima do not depend on
//! the order they are taken in, so the same input gives the same doubles. Cost of a pass: 12 bytes a transition, one
//! gathered value each, and 8 bytes a choice for its reward.

use crate::model::{Arrays, ChoiceId, Lists, StateId};
use crate::parallel;
use crate::ranks::Ranks;
use std::hint::select_unpredictable;
use std::ops::Range;

/// States a thread takes at a time.
pub(crate) const CHUNK: usize = 1024;

/// The least and the greatest of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    pub least: f64,
    pub greatest: f64,
}

impl Span {
    pub const NOTHING: Span = Span { least: 0.0, greatest: 0.0 };
    pub const EMPTY: Span = Span { least: f64::INFINITY, greatest: f64::NEG_INFINITY };

    /// The span of many numbers.
    pub fn of(numbers: &[f64]) -> Span {
        Span::of_column(numbers, 1, 0)
    }

    /// The span of column i of rows of n numbers.
    pub fn of_column(rows: &[f64], n: usize, i: usize) -> Span {
        let of_chunk = |_, rows: &[f64]| {
            if n == 1 {
                return rows.iter().fold(Span::EMPTY, |span, &x| span.with(x));
            }
            rows.chunks_exact(n).fold(Span::EMPTY, |span, row| span.with(row[i]))
        };
        parallel::map_items(rows.chunks(CHUNK * n), of_chunk).into_iter().fold(Span::EMPTY, Span::join)
    }

    /// The span over all ranks, of which this one has these K.
    pub fn over<const K: usize>(ranks: &dyn Ranks, own: [Span; K]) -> [Span; K] {
        let mut ends = own.map(|span| [-span.least, span.greatest]);
        ranks.greatest(ends.as_flattened_mut());
        ends.map(|[least, greatest]| Span { least: -least, greatest })
    }

    /// The span of the same numbers, each greater by `constant`.
    pub fn shifted(self, constant: f64) -> Span {
        Span { least: self.least + constant, greatest: self.greatest + constant }
    }

    pub fn with(self, x: f64) -> Span {
        // Not `min` and `max`, which also test for NaN.
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

/// The spans of K columns, in a form that is computed side by side.
#[derive(Clone, Copy)]
pub(crate) struct Spans<const K: usize> {
    least: [f64; K],
    greatest: [f64; K],
}

impl<const K: usize> Spans<K> {
    pub const EMPTY: Spans<K> = Spans { least: [f64::INFINITY; K], greatest: [f64::NEG_INFINITY; K] };

    #[inline(always)]
    pub fn with(self, x: [f64; K]) -> Spans<K> {
        Spans {
            least: std::array::from_fn(|i| if x[i] < self.least[i] { x[i] } else { self.least[i] }),
            greatest: std::array::from_fn(|i| if x[i] > self.greatest[i] { x[i] } else { self.greatest[i] }),
        }
    }

    pub fn join(self, other: Spans<K>) -> Spans<K> {
        self.with(other.least).with(other.greatest)
    }

    pub fn each(self) -> [Span; K] {
        std::array::from_fn(|i| Span { least: self.least[i], greatest: self.greatest[i] })
    }
}

/// Calls `$kernel` with `$n` as a constant where it is small, so that its loops over parts are unrolled.
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
pub(crate) use specialised;

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
pub(crate) use with_row_length;

/// A kernel over one chunk of rows, given the chunk's index.
type OfChunk<'a, const K: usize> = dyn Fn(usize, &mut [[f64; K]]) -> Spans<K> + Sync + 'a;

/// The spans of `of_chunk` of every chunk, each with its index. A trait object, so that the loop over chunks is monomorphised
/// once for each width and not once for each kernel.
pub(crate) fn spans_of_chunks<const K: usize>(rows: &mut [[f64; K]], of_chunk: &OfChunk<K>) -> [Span; K] {
    parallel::map_items(rows.chunks_mut(CHUNK), of_chunk).into_iter().fold(Spans::EMPTY, Spans::join).each()
}

/// The same for a chunk of values and its policy.
type ImproveChunk<'a> = dyn Fn(usize, (&mut [f64], &mut [ChoiceId])) -> Improved + Sync + 'a;

/// Reads rows sequentially: twice as fast as indexed access. All have LENGTH transitions, unless that is 0.
pub(crate) struct RowReader<'a, const LENGTH: usize> {
    first: &'a [u32],
    target: &'a [StateId],
    probability: &'a [f64],
}

impl<'a, const LENGTH: usize> RowReader<'a, LENGTH> {
    /// Begins at `row`, where `first` says where each row's transitions begin.
    pub fn at(row: usize, first: &'a [u32], target: &'a [StateId], probability: &'a [f64]) -> RowReader<'a, LENGTH> {
        let begin = first[row] as usize;
        RowReader { first: &first[row..], target: &target[begin..], probability: &probability[begin..] }
    }

    /// The targets and the probabilities of the next row.
    #[inline(always)]
    pub fn next_row(&mut self) -> (&'a [StateId], &'a [f64]) {
        if LENGTH > 0 {
            let (targets, later_targets) = self.target.split_first_chunk::<LENGTH>().expect("a row");
            let (probabilities, later_probabilities) = self.probability.split_first_chunk::<LENGTH>().expect("a row");
            (self.target, self.probability) = (later_targets, later_probabilities);
            return (targets, probabilities);
        }
        let length = (self.first[1] - self.first[0]) as usize;
        let (targets, later_targets) = self.target.split_at(length);
        let (probabilities, later_probabilities) = self.probability.split_at(length);
        (self.first, self.target, self.probability) = (&self.first[1..], later_targets, later_probabilities);
        (targets, probabilities)
    }
}

/// The row of a choice. All have LENGTH transitions, unless that is 0.
#[inline(always)]
pub(crate) fn row_at<'a, const LENGTH: usize>(rows: &Arrays<'a, f64>, choice: ChoiceId) -> (&'a [StateId], &'a [f64]) {
    if LENGTH > 0 {
        let begin = choice.index() * LENGTH;
        let targets = rows.target[begin..].first_chunk::<LENGTH>().expect("a row");
        return (targets, rows.probability[begin..].first_chunk::<LENGTH>().expect("a row"));
    }
    let row = rows.row(choice);
    (&rows.target[row.clone()], &rows.probability[row])
}

/// The common length of all rows, if there are kernels for it; 0 otherwise.
pub(crate) fn common_length(first: &[u32]) -> usize {
    let length = first.get(1).map_or(0, |&second| second as usize);
    let all = (1..=WIDEST).contains(&length) && first.windows(2).all(|ends| (ends[1] - ends[0]) as usize == length);
    if all { length } else { 0 }
}

/// The number of transitions of the longest row.
pub(crate) fn longest_row(first: &[u32]) -> usize {
    first.windows(2).map(|ends| (ends[1] - ends[0]) as usize).max().unwrap_or(0)
}

/// The most columns of values that are kept side by side: one cache line.
pub(crate) const WIDEST: usize = 8;

/// Rows with more successors are added up in halves, so that the rounding errors of a sum grow with the logarithm of its length.
const LONG: usize = 32;

/// The roundings of a sum over a row of this length, its products included.
pub(crate) fn roundings_of_sum(length: usize) -> usize {
    // Halving ends at pieces that are no longer than this.
    let halvings = length.div_ceil(LONG).next_power_of_two().ilog2() as usize;
    length.min(LONG) + halvings
}

/// `Σ_t p(t) v(t)`.
#[inline(always)]
pub(crate) fn expectation(targets: &[StateId], probabilities: &[f64], values: &[f64]) -> f64 {
    if targets.len() > LONG {
        let [sum] = expectations_of_long_row(targets, probabilities, values.as_chunks().0);
        return sum;
    }
    targets.iter().zip(probabilities).map(|(target, p)| p * values[target.index()]).sum()
}

/// `Σ_t p(t) v(t)` of K columns that stand side by side.
#[inline(always)]
pub(crate) fn expectations<const K: usize>(
    targets: &[StateId],
    probabilities: &[f64],
    values: &[[f64; K]],
) -> [f64; K] {
    if targets.len() > LONG {
        return expectations_of_long_row(targets, probabilities, values);
    }
    let mut sums = [0.0; K];
    for (target, p) in targets.iter().zip(probabilities) {
        let value = &values[target.index()];
        for (sum, x) in sums.iter_mut().zip(value) {
            *sum += p * x;
        }
    }
    sums
}

#[inline(never)]
fn expectations_of_long_row<const K: usize>(
    targets: &[StateId],
    probabilities: &[f64],
    values: &[[f64; K]],
) -> [f64; K] {
    let middle = targets.len().div_ceil(2);
    let (targets, others) = targets.split_at(middle);
    let (probabilities, of_others) = probabilities.split_at(middle);
    let (sums, rest) = (expectations(targets, probabilities, values), expectations(others, of_others, values));
    std::array::from_fn(|i| sums[i] + rest[i])
}

/// Whether a row is added up in halves.
pub(crate) fn is_long(length: usize) -> bool {
    length > LONG
}

/// One part's view of the choices that are left.
pub(crate) struct Choices<'a> {
    pub ranks: &'a dyn Ranks,
    pub rows: &'a Arrays<'a, f64>,
    pub allowed: Option<&'a [bool]>,
    pub reward: &'a [f64],
    pub discount: f64,
    /// See [`common_length`].
    pub row_length: usize,
}

/// The result of a step of value iteration.
pub(crate) struct Improved {
    /// The span of what changed in the values.
    pub span: Span,
    /// How many states took another choice.
    pub n_changed: usize,
}

impl Choices<'_> {
    /// One step of value iteration: `next(s) = max_a R − level + λPv`, with the choice that attains it; `policy` is kept
    /// where it attains it too. Of own states alone, and with the ghosts as they are.
    pub fn improve(&self, level: f64, values: &[f64], next: &mut [f64], policy: &mut [ChoiceId]) -> Improved {
        with_row_length!(self.row_length, |LENGTH| self.improve_rows::<LENGTH>(level, values, next, policy))
    }

    fn improve_rows<const LENGTH: usize>(
        &self,
        level: f64,
        values: &[f64],
        next: &mut [f64],
        policy: &mut [ChoiceId],
    ) -> Improved {
        let first_choice = self.rows.first_choice;
        let of_chunk = |index: usize, (next, policy): (&mut [f64], &mut [ChoiceId])| {
            let first_state = index * CHUNK;
            let first = first_choice[first_state] as usize;
            // All values first, then the best of each state: a mispredicted branch between them would discard loads in flight.
            let worths = self.worths::<LENGTH>(first..first_choice[first_state + next.len()] as usize, level, values);
            let (mut span, mut n_changed) = (Span::EMPTY, 0);
            let mut begin = 0;
            let states = next.iter_mut().zip(policy).zip(&values[first_state..]).zip(&first_choice[first_state + 1..]);
            for (((next, policy), value), &end) in states {
                let end = end as usize - first;
                let (mut best, mut at) = (worths[begin], begin);
                for (choice, &worth) in worths[..end].iter().enumerate().skip(begin + 1) {
                    at = select_unpredictable(worth > best, choice, at);
                    best = select_unpredictable(worth > best, worth, best);
                }
                let changes = worths[policy.index() - first] < best;
                *policy = select_unpredictable(changes, ChoiceId::at((first + at) as u32), *policy);
                n_changed += usize::from(changes);
                *next = best;
                span = span.with(best - value);
                begin = end;
            }
            Improved { span, n_changed }
        };
        let both =
            |a: Improved, b: Improved| Improved { span: a.span.join(b.span), n_changed: a.n_changed + b.n_changed };
        // A trait object, so that the loop over chunks is monomorphised once and not once for each length of rows.
        let of_chunk: &ImproveChunk = &of_chunk;
        let chunks = next[..policy.len()].chunks_mut(CHUNK).zip(policy.chunks_mut(CHUNK));
        parallel::map_items(chunks, of_chunk).into_iter().fold(Improved { span: Span::EMPTY, n_changed: 0 }, both)
    }

    /// `R − level + λPv` of some choices; −∞ of those that are not allowed.
    fn worths<const LENGTH: usize>(&self, choices: Range<usize>, level: f64, values: &[f64]) -> Vec<f64> {
        let Choices { rows, allowed, reward, discount, .. } = *self;
        let mut reader = RowReader::<LENGTH>::at(choices.start, rows.first_transition, rows.target, rows.probability);
        let worth = |reward: &f64| {
            let (targets, probabilities) = reader.next_row();
            reward - level + discount * expectation(targets, probabilities, values)
        };
        let mut worths: Vec<f64> = reward[choices.clone()].iter().map(worth).collect();
        if let Some(allowed) = allowed {
            let forbidden = worths.iter_mut().zip(&allowed[choices]).filter(|(_, allowed)| !**allowed);
            forbidden.for_each(|(worth, _)| *worth = f64::NEG_INFINITY);
        }
        worths
    }
}

/// States in an order in which most come after their successors.
pub(crate) struct Order {
    pub states: Vec<StateId>,
    /// The position of each state.
    pub rank: Vec<u32>,
    /// Whether most transitions lead to a state that comes before, or stay.
    pub mostly_holds: bool,
}

/// The rows of one choice per state, contiguous in memory.
#[derive(Clone)]
pub(crate) struct PolicyRows {
    /// See [`common_length`].
    row_length: usize,
    first: Vec<u32>,
    target: Vec<StateId>,
    probability: Vec<f64>,
}

impl PolicyRows {
    pub fn of(rows: &Arrays<f64>, policy: &[ChoiceId]) -> PolicyRows {
        let range = |&choice: &ChoiceId| rows.row(choice);
        let mut first = Vec::with_capacity(policy.len() + 1);
        let mut end = 0;
        first.push(0);
        first.extend(policy.iter().map(|choice| {
            end += range(choice).len() as u32;
            end
        }));
        let mut target = vec![StateId::from(0); end as usize];
        let mut probability = vec![0.0; end as usize];
        let pieces = pieces(&mut target, &first).zip(pieces(&mut probability, &first)).zip(policy.chunks(CHUNK));
        parallel::for_each(pieces, |_, ((target, probability), policy)| {
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

    /// The rows of all ranks, in the order of the model.
    pub fn put_together(&self, ranks: &dyn Ranks) -> PolicyRows {
        let all = |numbers: Vec<f64>| ranks.in_order(numbers);
        let lengths = all(self.first.windows(2).map(|ends| f64::from(ends[1] - ends[0])).collect());
        let mut end = 0;
        let ends = lengths.iter().map(|&length| {
            end += length as u32;
            end
        });
        let first: Vec<u32> = std::iter::once(0).chain(ends).collect();
        let targets = all(self.target.iter().map(|target| ranks.position(target.index()) as f64).collect());
        let target = targets.into_iter().map(|position| StateId::at(position as u32)).collect();
        PolicyRows { row_length: common_length(&first), first, target, probability: all(self.probability.clone()) }
    }

    /// Takes the rows of another policy in these states; all rows anew if they do not fit.
    pub fn follow(&mut self, rows: &Arrays<f64>, changed: &[StateId], policy: &[ChoiceId]) {
        let fits = |&state: &StateId| self.range(state).len() == rows.row(policy[state.index()]).len();
        if changed.iter().all(fits) {
            changed.iter().for_each(|&state| self.replace(rows, state, policy[state.index()]))
        } else {
            *self = PolicyRows::of(rows, policy)
        }
    }

    /// Takes the row of another choice in `state`, which is as long as the one it had.
    pub fn replace(&mut self, rows: &Arrays<f64>, state: StateId, choice: ChoiceId) {
        let (own, row) = (self.range(state), rows.row(choice));
        self.target[own.clone()].copy_from_slice(&rows.target[row.clone()]);
        self.probability[own].copy_from_slice(&rows.probability[row]);
    }

    /// `next(s) = of(s, Σ_t P(t|s) v(t))` for every state; returns the spans of next − v. Of own states alone, and with the
    /// ghosts as they are.
    pub fn sweep<const K: usize>(
        &self,
        values: &[[f64; K]],
        next: &mut [[f64; K]],
        of: impl Fn(usize, [f64; K]) -> [f64; K] + Sync,
    ) -> [Span; K] {
        let of_chunk = |index: usize, next: &mut [[f64; K]]| {
            let first_state = index * CHUNK;
            self.expectations_of(first_state, values, next);
            let mut spans = Spans::EMPTY;
            for ((next, old), state) in next.iter_mut().zip(&values[first_state..]).zip(first_state..) {
                *next = of(state, *next);
                spans = spans.with(std::array::from_fn(|i| next[i] - old[i]));
            }
            spans
        };
        spans_of_chunks(&mut next[..self.n_states()], &of_chunk)
    }

    /// `Σ_t P(t|s) v(t)` for the states from `first_state` on, as many as `out` holds. Not inlined: it is 9 kernels.
    #[inline(never)]
    pub fn expectations_of<const K: usize>(&self, first_state: usize, values: &[[f64; K]], out: &mut [[f64; K]]) {
        with_row_length!(self.row_length, |LENGTH| {
            let mut reader = RowReader::<LENGTH>::at(first_state, &self.first, &self.target, &self.probability);
            for out in out {
                let (targets, probabilities) = reader.next_row();
                *out = expectations(targets, probabilities, values);
            }
        });
    }

    /// The states in post-order of a depth-first search: each after its successors, except on cycles.
    pub fn successors_first(&self) -> Order {
        const UNSEEN: u32 = u32::MAX;
        let n_states = self.n_states();
        let mut states = Vec::with_capacity(n_states);
        // Which transition of a state is followed next, while it is on the path.
        let mut next = vec![UNSEEN; n_states];
        let mut path = Vec::new();
        for root in 0..n_states {
            if next[root] == UNSEEN {
                next[root] = self.first[root];
                path.push(StateId::at(root as u32));
            }
            while let Some(&state) = path.last() {
                let transition = next[state.index()];
                if transition == self.first[state.index() + 1] {
                    states.push(state);
                    path.pop();
                    continue;
                }
                next[state.index()] += 1;
                let target = self.target[transition as usize];
                if next[target.index()] == UNSEEN {
                    next[target.index()] = self.first[target.index()];
                    path.push(target);
                }
            }
        }
        let mut rank = vec![0; n_states];
        states.iter().zip(0..).for_each(|(&state, position)| rank[state.index()] = position);
        let follows = |state: StateId| {
            self.row(state).0.iter().filter(|target| rank[target.index()] <= rank[state.index()]).count()
        };
        let of_block = |states: Range<usize>| states.map(StateId::from).map(follows).sum::<usize>();
        let n_follow: usize = parallel::map_blocks(n_states, of_block).iter().sum();
        Order { states, rank, mostly_holds: 4 * n_follow > 3 * self.target.len() }
    }

    pub fn n_states(&self) -> usize {
        self.first.len() - 1
    }

    pub fn row(&self, state: StateId) -> (&[StateId], &[f64]) {
        let range = self.range(state);
        (&self.target[range.clone()], &self.probability[range])
    }

    fn range(&self, state: StateId) -> Range<usize> {
        self.first[state.index()] as usize..self.first[state.index() + 1] as usize
    }
}

/// One list for each of `n` states, made by several threads.
pub(crate) fn lists<T: Send, L: Iterator<Item = T>>(
    n: usize,
    of_state: impl Fn(StateId) -> L + Sync + Send,
) -> Lists<T> {
    let parts = parallel::map_blocks(n, |states| states.map(StateId::from).map(&of_state).collect::<Lists<T>>());
    let mut all = Lists::with_capacity(n);
    parts.into_iter().for_each(|part| all.append(part));
    all
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
