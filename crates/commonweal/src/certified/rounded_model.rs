//! The model as the certified engine sees it: in doubles, with error bounds.
//!
//! A probability of a [`Mdp<f64>`] is within (row length + 3) roundings of the true one, a reward within a few, a
//! discount within one. For any doubles v and any constant c the engine computes, per choice and part,
//!
//! ```text
//! Δ(s,a) = R(s,a) − (1−λ)c + λ Σ_t P(t|s,a) v(t) − v(s)         that is, R + λPV − V with V = c + v
//! ```
//!
//! Every intermediate result is at most M = max|R| + |(1−λ)c| + 2 max|v|. A row of b successors takes 2b + 9 roundings,
//! those of its numbers included, so what is computed is within (2b + 16) · 2^-53 · M of the truth, and the reward's own
//! error. That is the a-priori error of a row; single operations need no error analysis.

use crate::evaluation::Payoffs;
use crate::kernel::sweep::{CHUNK, Span, common_length, longest_row};
use crate::model::{Arrays, Mdp, PrincipalId, StateId};
use crate::number::{Enclosure, Rational, UpperBound, Values, WideEnclosure};
use crate::parallel;
use crate::principals::{Alone, OrderedPart};
use crate::ranks::{OneRank, Ranks};
use std::borrow::Cow;

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
    greatest_reward: Vec<UpperBound>,
    reward_error: Vec<UpperBound>,
    row_error: UpperBound,
    /// The length of the rows that errors are counted for: at least that of the longest.
    pub longest_row: usize,
    /// The number of successors that all choices have, if it is the same and small; 0 otherwise.
    pub row_length: usize,
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
        let mut largest_reward = largest_in_columns(arrays.reward, n_file);
        ranks.greatest(&mut largest_reward);
        let mut greatest_reward = vec![UpperBound::ZERO; n];
        for (i, terms) in terms.iter().enumerate() {
            for &(principal, weight) in terms {
                // A weight or a reward that underflows is still bounded.
                let weight = UpperBound::of(weight) + UpperBound::UNDERFLOW;
                let largest = UpperBound::of(largest_reward[principal]) + UpperBound::UNDERFLOW;
                greatest_reward[i] = greatest_reward[i] + weight * largest;
            }
        }
        let roundings = |count: usize| UpperBound::of_roundings(count as f64);
        let reward_error = (terms.iter().zip(&greatest_reward))
            .map(|(terms, &greatest)| roundings(terms.len() + 8) * greatest + UpperBound::UNDERFLOW)
            .collect();
        let longest_row = ranks.greatest_of(longest_row(arrays.first_transition) as f64) as usize;
        RoundedModel {
            model,
            ranks,
            arrays,
            discounts: parts.iter().map(|part| nearest(&part.discount)).collect(),
            impatience: parts.iter().map(|part| nearest(&(Rational::ONE - &part.discount))).collect(),
            parts,
            reward,
            greatest_reward,
            reward_error,
            row_error: roundings(2 * longest_row + 16),
            longest_row,
            row_length: common_length(arrays.first_transition),
        }
    }

    /// The model as each of these sees it by itself.
    pub fn alone(shared: SharedModel<'m>, alone: &[Alone]) -> RoundedModel<'m> {
        let part =
            |one: &Alone| OrderedPart { discount: one.discount.clone(), terms: vec![(one.principal, Rational::ONE)] };
        RoundedModel::new(shared, alone.iter().map(part).collect())
    }

    /// The same with the error of probabilities of rows of `longest_row` successors, and one rounding more.
    pub fn with_rows_of(self, longest_row: usize) -> RoundedModel<'m> {
        let longest_row = longest_row.max(self.longest_row);
        RoundedModel { row_error: UpperBound::of_roundings((2 * longest_row + 16) as f64), longest_row, ..self }
    }

    /// The same for rewards that are mixes of those of `parts`: rewards may cancel, their errors do not.
    pub fn mixed_from(self, parts: &RoundedModel) -> RoundedModel<'m> {
        let (greatest_reward, reward_error) = (parts.greatest_reward.clone(), parts.reward_error.clone());
        RoundedModel { greatest_reward, reward_error, ..self }
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

/// The greatest magnitude in each of the `n` columns that stand side by side in `rows`.
fn largest_in_columns(rows: &[f64], n: usize) -> Vec<f64> {
    let larger = |mut largest: Vec<f64>, row: &[f64]| {
        largest.iter_mut().zip(row).for_each(|(largest, x)| *largest = largest.max(x.abs()));
        largest
    };
    let of_chunk = |_, chunk: &[f64]| chunk.chunks_exact(n).fold(vec![0.0f64; n], larger);
    parallel::map_items(rows.chunks(n * CHUNK), of_chunk).iter().fold(vec![0.0; n], |a, b| larger(a, b))
}

fn nearest(number: &Rational) -> f64 {
    number.to_f64()
}
