//! Advantages over any values: what one use of a choice changes, in doubles with an error bound.
//!
//! The strategy's own choices are not stored: their advantages are near 0, and only a bound on them is needed. All others are
//! *candidates*. Cost: one pass over the rows, 8 bytes per candidate and part.

use super::long_term::LongTerm;
use super::rounded_model::RoundedModel;
use crate::kernel::sweep::{CHUNK, RowReader, Span, WIDEST, expectations, is_long, specialised};
use crate::model::{ChoiceId, StateId};
use crate::number::UpperBound;
use crate::parallel;
use crate::ranks::BLOCK;
use std::ops::Range;

pub(super) struct Advantages {
    n: usize,
    /// Which choice a candidate is; in the model's order.
    pub choice: Vec<ChoiceId>,
    /// Which state offers it.
    pub state: Vec<StateId>,
    /// Δ_0 of each candidate.
    pub lead: Vec<f64>,
    /// Δ_1, Δ_2, … of each candidate, side by side.
    rest: Vec<f64>,
    /// Where the candidates of each chunk of states begin, and where the last ones end.
    first_of_chunk: Vec<u32>,
    /// The error bound of every Δ_i.
    pub error: Vec<UpperBound>,
    /// The greatest |Δ_i| of a choice that the strategy takes.
    pub followed: Vec<UpperBound>,
    /// The greatest |Δ_i| of a candidate.
    pub greatest: Vec<UpperBound>,
}

impl Advantages {
    pub fn over(model: &RoundedModel, long_term: &LongTerm) -> Advantages {
        let n = model.n();
        let LongTerm { strategy, values, constants, .. } = long_term;
        let rows = &model.arrays;
        let levels: Vec<f64> = constants.iter().zip(&model.impatience).map(|(c, impatience)| c * impatience).collect();
        let n_states = strategy.len();
        let n_candidates = |state: usize| rows.first_choice[state] - state as u32;
        let n_all = n_candidates(n_states) as usize;
        let first_of_chunk: Vec<u32> = (0..n_states).step_by(CHUNK).chain([n_states]).map(n_candidates).collect();
        let (mut choice, mut state) = (vec![ChoiceId::at(0); n_all], vec![StateId::at(0); n_all]);
        let (mut lead, mut rest) = (vec![0.0; n_all], vec![0.0; n_all * (n - 1)]);
        let chunks = Chunk::all(&first_of_chunk, n, &mut choice, &mut state, &mut lead, &mut rest);
        let terms = Terms { model, values, levels: &levels };
        let of_chunk = |index: usize, (strategy, mut found): (&[ChoiceId], Chunk)| {
            let first_state = index * CHUNK;
            let choices = rows.first_choice[first_state]..rows.first_choice[first_state + strategy.len()];
            let mut reader =
                RowReader::<0>::at(choices.start as usize, rows.first_transition, rows.target, rows.probability);
            let mut row = vec![0.0; n];
            for (state, &followed) in (first_state as u32..).map(StateId::at).zip(strategy) {
                for choice in rows.choices(state) {
                    let (targets, probabilities) = reader.next_row();
                    if n <= WIDEST {
                        specialised!(n, |N| terms.of_few::<N>(state, choice, targets, probabilities, &mut row))
                    } else {
                        terms.of_many(state, choice, targets, probabilities, &mut row)
                    }
                    found.add(choice, state, &row, choice == followed);
                }
            }
            (found.of_followed, found.of_candidates)
        };
        let (of_followed, of_candidates): (Vec<_>, Vec<_>) =
            parallel::map_items(strategy.chunks(CHUNK).zip(chunks), of_chunk).into_iter().unzip();
        let column = |i: usize| model.span(values, n, i).magnitude();
        let error: Vec<UpperBound> =
            (0..n).map(|i| model.advantage_error(i, constants[i], UpperBound::of(column(i)))).collect();
        let greatest = |spans: &[Vec<Span>]| -> Vec<UpperBound> {
            let span = |i| spans.iter().map(|chunk| chunk[i]).fold(Span::NOTHING, Span::join);
            let mut greatest: Vec<f64> = (0..n).map(|i| span(i).magnitude()).collect();
            model.ranks.greatest(&mut greatest);
            greatest.into_iter().zip(&error).map(|(greatest, &error)| UpperBound::of(greatest) + error).collect()
        };
        let (followed, greatest) = (greatest(&of_followed), greatest(&of_candidates));
        Advantages { n, first_of_chunk, choice, state, lead, rest, error, followed, greatest }
    }

    pub fn n_candidates(&self) -> usize {
        self.choice.len()
    }

    /// What `of` makes of the candidates of each block of states, in order.
    pub fn map_blocks<R: Send>(&self, of: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        const CHUNKS: usize = BLOCK / CHUNK;
        let n_chunks = self.first_of_chunk.len() - 1;
        let first = |chunk: usize| self.first_of_chunk[chunk.min(n_chunks)] as usize;
        let of_block = |block: usize| of(first(block * CHUNKS)..first((block + 1) * CHUNKS));
        parallel::map_each(n_chunks.div_ceil(CHUNKS), of_block)
    }

    /// The candidates of a chunk of states.
    pub fn of_chunk(&self, index: usize) -> Range<usize> {
        self.first_of_chunk[index] as usize..self.first_of_chunk[index + 1] as usize
    }

    /// Δ_i of the choice that is taken in `state` where the strategy would take `followed`.
    #[inline]
    pub fn get(&self, state: StateId, choice: ChoiceId, followed: ChoiceId, i: usize) -> f64 {
        if choice == followed {
            return 0.0;
        }
        let candidate = candidate(state, choice, followed);
        if i == 0 { self.lead[candidate] } else { self.rest(candidate)[i - 1] }
    }

    /// Δ_begin, Δ_begin+1, … of a candidate, K of them.
    #[inline]
    pub fn some<const K: usize>(&self, candidate: usize, begin: usize) -> [f64; K] {
        let rest = self.rest(candidate);
        std::array::from_fn(|i| if begin + i == 0 { self.lead[candidate] } else { rest[begin + i - 1] })
    }

    /// Δ_1, Δ_2, … of a candidate.
    #[inline]
    pub fn rest(&self, candidate: usize) -> &[f64] {
        &self.rest[candidate * (self.n - 1)..(candidate + 1) * (self.n - 1)]
    }
}

/// The candidate number of a choice of `state` other than `followed`.
#[inline]
pub(super) fn candidate(state: StateId, choice: ChoiceId, followed: ChoiceId) -> usize {
    // Each state before this one has one choice that is not a candidate.
    choice.index() - state.index() - usize::from(choice > followed)
}

/// What advantages are made of.
struct Terms<'a> {
    model: &'a RoundedModel<'a>,
    values: &'a [f64],
    levels: &'a [f64],
}

impl Terms<'_> {
    /// The advantages of a choice for N parts.
    #[inline(always)]
    fn of_few<const N: usize>(
        &self,
        state: StateId,
        choice: ChoiceId,
        targets: &[StateId],
        probabilities: &[f64],
        advantages: &mut [f64],
    ) {
        let values = self.values.as_chunks::<N>().0;
        let expected = expectations(targets, probabilities, values);
        let (reward, value) = (&self.model.reward.as_chunks::<N>().0[choice.index()], &values[state.index()]);
        let (levels, discounts) = (&self.levels[..N], &self.model.discounts[..N]);
        for (i, advantage) in advantages[..N].iter_mut().enumerate() {
            *advantage = reward[i] - levels[i] + discounts[i] * expected[i] - value[i];
        }
    }

    /// The same for any number of parts.
    fn of_many(
        &self,
        state: StateId,
        choice: ChoiceId,
        targets: &[StateId],
        probabilities: &[f64],
        advantages: &mut [f64],
    ) {
        let n = advantages.len();
        self.expected(targets, probabilities, advantages);
        let reward = &self.model.reward[choice.index() * n..(choice.index() + 1) * n];
        let value = &self.values[state.index() * n..(state.index() + 1) * n];
        for (i, advantage) in advantages.iter_mut().enumerate() {
            *advantage = reward[i] - self.levels[i] + self.model.discounts[i] * *advantage - value[i];
        }
    }
}

impl Terms<'_> {
    /// The expected values of the next state, for any number of parts; in the order in which a few are added up.
    fn expected(&self, targets: &[StateId], probabilities: &[f64], sums: &mut [f64]) {
        let n = sums.len();
        if is_long(targets.len()) {
            let middle = targets.len().div_ceil(2);
            let mut rest = vec![0.0; n];
            self.expected(&targets[..middle], &probabilities[..middle], sums);
            self.expected(&targets[middle..], &probabilities[middle..], &mut rest);
            sums.iter_mut().zip(rest).for_each(|(sum, rest)| *sum += rest);
            return;
        }
        sums.fill(0.0);
        for (target, p) in targets.iter().zip(probabilities) {
            let value = &self.values[target.index() * n..(target.index() + 1) * n];
            sums.iter_mut().zip(value).for_each(|(sum, x)| *sum += p * x);
        }
    }
}

/// Where the candidates of some states go.
struct Chunk<'a> {
    filled: usize,
    choice: &'a mut [ChoiceId],
    state: &'a mut [StateId],
    lead: &'a mut [f64],
    rest: &'a mut [f64],
    of_followed: Vec<Span>,
    of_candidates: Vec<Span>,
}

impl<'a> Chunk<'a> {
    /// The chunks, cut out of the arrays at `first`.
    fn all(
        first: &[u32],
        n: usize,
        mut choice: &'a mut [ChoiceId],
        mut state: &'a mut [StateId],
        mut lead: &'a mut [f64],
        mut rest: &'a mut [f64],
    ) -> Vec<Chunk<'a>> {
        let of_chunk = |ends: &[u32]| {
            let length = (ends[1] - ends[0]) as usize;
            Chunk {
                filled: 0,
                choice: cut(&mut choice, length),
                state: cut(&mut state, length),
                lead: cut(&mut lead, length),
                rest: cut(&mut rest, length * (n - 1)),
                of_followed: vec![Span::EMPTY; n],
                of_candidates: vec![Span::EMPTY; n],
            }
        };
        first.windows(2).map(of_chunk).collect()
    }

    fn add(&mut self, choice: ChoiceId, state: StateId, advantages: &[f64], followed: bool) {
        let spans = if followed { &mut self.of_followed } else { &mut self.of_candidates };
        spans.iter_mut().zip(advantages).for_each(|(span, &x)| *span = span.with(x));
        if !followed {
            let (at, others) = (self.filled, advantages.len() - 1);
            (self.choice[at], self.state[at], self.lead[at]) = (choice, state, advantages[0]);
            self.rest[at * others..(at + 1) * others].copy_from_slice(&advantages[1..]);
            self.filled += 1;
        }
    }
}

fn cut<'a, T>(all: &mut &'a mut [T], length: usize) -> &'a mut [T] {
    let (part, rest) = std::mem::take(all).split_at_mut(length);
    *all = rest;
    part
}
