//! The model as the certified engine sees it: in doubles, with error bounds.
//!
//! A probability of a [`Mdp<f64>`] is within (row length + 3) roundings of the true one, and within as many as the sum of its row is
//! from 1 and a few more (`number::model_number`); a reward is within a few, a discount within one. For any doubles v and any constant c the engine computes, per choice and part,
//!
//! ```text
//! Δ(s,a) = R(s,a) − (1−λ)c + λ Σ_t P(t|s,a) v(t) − v(s)         that is, R + λPV − V with V = c + v
//! ```
//!
//! Every intermediate result is at most M = max|R| + |(1−λ)c| + 2 max|v|. A row of b successors takes 2b + 9 roundings if b is
//! small, those of its numbers included: b for the sum, b + 3 for the probabilities. A longer row is added up in halves, and its sum is
//! looked at, so that it takes a few dozen, whatever b is. What is computed is within that many and seven more, times 2^-53 · M, of the
//! truth, and the reward's own error. That is the a-priori error of a row; single operations need no error analysis. All rows have
//! the error of the worst, so one row with thousands of successors must not have much more than the others.

use crate::evaluation::Payoffs;
use crate::kernel::sweep::{CHUNK, Span, common_length, is_long, roundings_of_sum};
use crate::model::{Arrays, Mdp, PrincipalId, StateId};
use crate::number::{Enclosure, ModelNumber, Rational, UpperBound, Values, WideEnclosure};
use crate::parallel;
use crate::principals::{Alone, OrderedPart};
use crate::ranks::{OneRank, Ranks};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The states of a model that a rank owns, with their rows, and the ranks that have the others.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the fields are what the type is")]
pub struct SharedModel<'m> {
    pub model: &'m Mdp<f64>,
    pub ranks: &'m dyn Ranks,
}

impl<'m> SharedModel<'m> {
    /// A whole model.
    pub fn whole(model: &'m Mdp<f64>) -> SharedModel<'m> {
        SharedModel { model, ranks: &OneRank }
    }

    /// Payoffs from own states. The error of approximated preferences is that of all states.
    pub(super) fn payoffs(&self, values: Vec<Values>) -> Payoffs {
        let mut margins = self.model.margins();
        if let Some(margins) = &mut margins {
            self.ranks.greatest(margins);
        }
        Payoffs::with_margins(self.model, values, margins)
    }
}

pub(super) struct RoundedModel<'m> {
    pub model: &'m Mdp<f64>,
    pub ranks: &'m dyn Ranks,
    pub arrays: Arrays<'m, f64>,
    /// Distinct discounts, most patient first, unless the parts are evaluated separately.
    pub parts: Vec<OrderedPart>,
    /// λ_i, to the nearest.
    pub discounts: Vec<f64>,
    /// 1 − λ_i, to the nearest.
    pub impatience: Vec<f64>,
    /// A choice's rewards side by side, in the order of `parts`.
    pub reward: Cow<'m, [f64]>,
    /// By principal of the file.
    reward_spans: Vec<Span>,
    greatest_reward: Vec<UpperBound>,
    reward_error: Vec<UpperBound>,
    row_error: UpperBound,
    /// The roundings that rows are counted for.
    pub roundings: RowRoundings,
    /// The number of successors that all choices have, if it is the same and small; 0 otherwise.
    pub row_length: usize,
    /// The states that can be met from the start, once somebody asks.
    met: OnceLock<Vec<bool>>,
}

impl<'m> RoundedModel<'m> {
    /// The model as these parts see it.
    pub fn new(shared: SharedModel<'m>, parts: Vec<OrderedPart>) -> RoundedModel<'m> {
        let SharedModel { model, ranks } = shared;
        let arrays = model.arrays();
        let (n, n_file) = (parts.len(), model.n_principals());
        let term = |(principal, counts): &(PrincipalId, Rational)| (principal.index(), nearest(counts));
        let terms: Vec<Vec<(usize, f64)>> = parts.iter().map(|part| part.terms.iter().map(term).collect()).collect();
        let as_in_file = n == n_file && terms.iter().enumerate().all(|(i, terms)| *terms == [(i, 1.0)]);
        let reward: Cow<[f64]> = if as_in_file {
            Cow::Borrowed(arrays.reward)
        } else {
            // 0 times an infinite weight is 0; a sum that overflows becomes 0 with an infinite error.
            let term = |reward: f64, weight: f64| if reward == 0.0 { 0.0 } else { weight * reward };
            let merged = |rewards: &[f64], i: usize| {
                let sum = terms[i].iter().map(|&(m, w)| term(rewards[m], w)).sum::<f64>();
                if sum.is_finite() { sum } else { 0.0 }
            };
            let mut reward = vec![0.0; arrays.reward.len() / n_file * n];
            parallel::for_each(reward.chunks_mut(CHUNK * n), |chunk, reward| {
                let rewards = arrays.reward[chunk * CHUNK * n_file..].chunks_exact(n_file);
                for (own, rewards) in reward.chunks_exact_mut(n).zip(rewards) {
                    own.iter_mut().enumerate().for_each(|(i, own)| *own = merged(rewards, i));
                }
            });
            Cow::Owned(reward)
        };
        // An upper bound on the sum of the terms' rewards, without cancellation.
        let reward_spans = spans_of_columns(ranks, arrays.reward, n_file);
        let mut greatest_reward = vec![UpperBound::ZERO; n];
        for (i, terms) in terms.iter().enumerate() {
            for &(principal, weight) in terms {
                // A weight or a reward that underflows is still bounded.
                let weight = UpperBound::of(weight) + UpperBound::UNDERFLOW;
                let largest = UpperBound::of(reward_spans[principal].magnitude()) + UpperBound::UNDERFLOW;
                greatest_reward[i] = greatest_reward[i] + weight * largest;
            }
        }
        let roundings = |count: usize| UpperBound::of_roundings(count as f64);
        let reward_error = (terms.iter().zip(&greatest_reward))
            .map(|(terms, &greatest)| roundings(terms.len() + 8) * greatest + UpperBound::UNDERFLOW)
            .collect();
        let own = RowRoundings::of(&arrays);
        let roundings_of_rows = RowRoundings {
            of_probabilities: ranks.greatest_of(own.of_probabilities),
            of_sums: ranks.greatest_of(own.of_sums),
        };
        RoundedModel {
            model,
            ranks,
            arrays,
            discounts: parts.iter().map(|part| nearest(&part.discount)).collect(),
            impatience: parts.iter().map(|part| nearest(&(Rational::ONE - &part.discount))).collect(),
            parts,
            reward,
            reward_spans,
            greatest_reward,
            reward_error,
            row_error: roundings_of_rows.error(),
            roundings: roundings_of_rows,
            row_length: common_length(arrays.first_transition),
            met: OnceLock::new(),
        }
    }

    /// The model as each of these sees it by itself.
    pub fn alone(shared: SharedModel<'m>, alone: &[Alone]) -> RoundedModel<'m> {
        let part =
            |one: &Alone| OrderedPart { discount: one.discount.clone(), terms: vec![(one.principal, Rational::ONE)] };
        RoundedModel::new(shared, alone.iter().map(part).collect())
    }

    /// The same with probabilities that come from rows with these roundings, and one rounding more.
    pub fn with_rows_of(self, rows: RowRoundings) -> RoundedModel<'m> {
        let roundings = self.roundings.join(rows);
        RoundedModel { row_error: roundings.error(), roundings, ..self }
    }

    /// The same for rows and rewards that are mixes of those of `parts`: distances from 1 and rewards may cancel, their errors do not.
    pub fn mixed_from(self, parts: &RoundedModel) -> RoundedModel<'m> {
        let (greatest_reward, reward_error) = (parts.greatest_reward.clone(), parts.reward_error.clone());
        // Short rows are counted by their length, and a mix is as long as the rows that are mixed.
        let are_short = !self.roundings.has_long_rows() && !parts.roundings.has_long_rows();
        let rows = if are_short { self.roundings } else { parts.roundings };
        RoundedModel { greatest_reward, reward_error, ..self.with_rows_of(rows) }
    }

    /// The least and the greatest reward of a principal of the file.
    pub fn reward_span(&self, principal: PrincipalId) -> Span {
        self.reward_spans[principal.index()]
    }

    /// At least every |R_i|.
    pub fn greatest_reward(&self, i: usize) -> UpperBound {
        self.greatest_reward[i]
    }

    /// How far a reward may be from the true one.
    pub fn reward_error(&self, i: usize) -> UpperBound {
        self.reward_error[i]
    }

    pub fn n(&self) -> usize {
        self.parts.len()
    }

    /// The number of own states.
    pub fn n_states(&self) -> usize {
        self.model.n_states()
    }

    /// The same with ghosts: as many values as rows are read with.
    pub fn n_values(&self) -> usize {
        self.n_states() + self.ranks.n_ghosts()
    }

    pub fn shared(&self) -> SharedModel<'m> {
        SharedModel { model: self.model, ranks: self.ranks }
    }

    /// The span of column i of the values of all states, n numbers for each.
    pub fn span(&self, values: &[f64], n: usize, i: usize) -> Span {
        let [span] = Span::over(self.ranks, [Span::of_column(&values[..self.n_states() * n], n, i)]);
        span
    }

    /// The greatest over all states of what `of` says of one; 0 at least.
    pub fn greatest(&self, of: impl Fn(StateId) -> f64 + Sync) -> f64 {
        self.ranks.greatest_of(parallel::greatest(self.n_states(), |state| of(state.into())))
    }

    /// The same over the states that can be met from the start; over all of them where ranks share the model, since no rank has all
    /// rows.
    pub fn greatest_met(&self, of: impl Fn(StateId) -> f64 + Sync) -> f64 {
        self.greatest(|state| if self.is_met(state) { of(state) } else { 0.0 })
    }

    /// Whether a state can be met from the start, as far as this rank knows.
    fn is_met(&self, state: StateId) -> bool {
        let is_shared = self.ranks.most_together().is_some();
        is_shared || self.met.get_or_init(|| self.model.reachable(self.model.start()))[state.index()]
    }

    /// The greatest size of payoffs of the states that can be met: a lower bound on Σ |weight · payoff|.
    pub fn greatest_payoffs(&self, payoffs: &Payoffs) -> f64 {
        self.greatest_met(payoffs.magnitude_from())
    }

    /// The greatest of the bounds that ranks have.
    pub fn greatest_bound(&self, own: UpperBound) -> UpperBound {
        UpperBound::of(self.ranks.greatest_of(own.get()))
    }

    /// What `of` says of the first of all states.
    pub fn of_first_state(&self, of: impl Fn(StateId) -> f64) -> f64 {
        let is_own = self.n_states() > 0 && self.ranks.position(0) == 0;
        let own = if is_own { of(StateId::at(0)) } else { f64::NEG_INFINITY };
        self.ranks.greatest_of(if own.is_nan() { f64::INFINITY } else { own })
    }

    /// What `of` says of each own state.
    pub fn map_states<T: Send>(&self, of: impl Fn(StateId) -> T + Sync) -> Vec<T> {
        parallel::map_many(self.n_states(), |state| of(state.into()))
    }

    /// How far a computed Δ_i may be from the true one, for values `constant` + v with |v| at most `greatest_value`.
    pub fn advantage_error(&self, i: usize, constant: f64, greatest_value: UpperBound) -> UpperBound {
        let level = UpperBound::of(constant) * UpperBound::of(self.impatience[i]);
        let two = UpperBound::of(2.0);
        self.rounding_of_row(self.greatest_reward[i] + level + two * greatest_value) + self.reward_error[i]
    }

    /// How far a row that is computed from numbers of this magnitude may be from the true one.
    pub fn rounding_of_row(&self, magnitude: UpperBound) -> UpperBound {
        self.row_error * (magnitude + UpperBound::UNDERFLOW) + UpperBound::UNDERFLOW
    }

    /// At least λ_i.
    pub fn discount_bound(&self, i: usize) -> UpperBound {
        UpperBound::of_nearest(self.discounts[i])
    }

    /// λ_i^length.
    pub fn power(&self, i: usize, length: u64) -> Enclosure {
        // In doubles the relative error of λ_i would be multiplied by the length.
        let discount = WideEnclosure::of(&self.parts[i].discount, 128 + 2 * u64::BITS as usize);
        discount.power(&length.into()).to_scaled().to_doubles()
    }

    /// At least 1/(1 − λ_i).
    pub fn lifetime_bound(&self, i: usize) -> UpperBound {
        UpperBound::of_inverse(self.impatience[i])
    }
}

/// How many roundings the rows of a model have at most.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RowRoundings {
    /// From a probability to the true one.
    pub of_probabilities: f64,
    /// Of the sum over a row.
    of_sums: f64,
}

impl RowRoundings {
    /// Those of these rows.
    pub fn of(rows: &Arrays<f64>) -> RowRoundings {
        let of_row = |choice: usize| {
            let row = rows.first_transition[choice] as usize..rows.first_transition[choice + 1] as usize;
            let length = row.len();
            let of_probabilities = if is_long(length) {
                // The true row is the written one divided by its sum. Rounding a number, and the sum, are a few more.
                let sum = f64::row_sum(&rows.probability[row]).unwrap_or(f64::NAN);
                UpperBound::of_difference(sum.max(1.0), sum.min(1.0)).rounded().get() + 8.0
            } else {
                length as f64 + 3.0
            };
            RowRoundings { of_probabilities, of_sums: roundings_of_sum(length) as f64 }
        };
        let of_block =
            |choices: std::ops::Range<usize>| choices.map(of_row).fold(RowRoundings::default(), RowRoundings::join);
        let n_choices = rows.first_transition.len() - 1;
        parallel::map_blocks(n_choices, of_block).into_iter().fold(RowRoundings::default(), RowRoundings::join)
    }

    fn has_long_rows(self) -> bool {
        is_long(self.of_sums as usize)
    }

    fn join(self, other: RowRoundings) -> RowRoundings {
        RowRoundings {
            of_probabilities: self.of_probabilities.max(other.of_probabilities),
            of_sums: self.of_sums.max(other.of_sums),
        }
    }

    /// The relative error of a row, to the greatest of the numbers that it is made of.
    fn error(self) -> UpperBound {
        UpperBound::of_roundings(self.of_probabilities + self.of_sums + 13.0)
    }
}

/// The spans of the `n` columns that stand side by side in `rows`, over all ranks.
fn spans_of_columns(ranks: &dyn Ranks, rows: &[f64], n: usize) -> Vec<Span> {
    let with = |mut spans: Vec<Span>, row: &[f64]| {
        spans.iter_mut().zip(row).for_each(|(span, &x)| *span = span.with(x));
        spans
    };
    let of_chunk = |_, chunk: &[f64]| chunk.chunks_exact(n).fold(vec![Span::EMPTY; n], with);
    let join = |all: Vec<Span>, own: Vec<Span>| all.into_iter().zip(own).map(|(a, b)| a.join(b)).collect();
    let own = parallel::map_items(rows.chunks(n * CHUNK), of_chunk).into_iter().fold(vec![Span::EMPTY; n], join);
    let mut ends: Vec<f64> = own.iter().flat_map(|span| [-span.least, span.greatest]).collect();
    ranks.greatest(&mut ends);
    ends.as_chunks::<2>().0.iter().map(|&[least, greatest]| Span { least: -least, greatest }).collect()
}

fn nearest(number: &Rational) -> f64 {
    number.to_f64()
}
