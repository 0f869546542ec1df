//! Leaves out choices with large rewards that another choice of the state beats for everybody, whatever follows.
//!
//! The error of a row is proportional to the greatest reward of the model, so one penalty of −10^6 that nobody would pay makes
//! every interval wide. Let A be a set of choices, and let each a ∈ A have another choice b ∉ A of its state with
//!
//! ```text
//! R_i(s,b) − R_i(s,a) > λ_i (M_i − m_i)        for every part i,
//! ```
//!
//! where M_i and m_i bound what part i is worth from any state under any strategy that takes no choice of A. Then no best strategy
//! takes a choice of A, at any step: `search::dominance` has the proof. The long-term strategy takes none either, since a is worse
//! for every part.

use super::rounded_model::{RoundedModel, SharedModel};
use crate::answer::{Answer, LongTermAnswer};
use crate::kernel::sweep::Span;
use crate::model::{ChoiceId, Mdp, ModelArrays, StateId};
use crate::number::{UpperBound, sum_down};
use crate::principals;
use crate::strategy::{Change, CountingStrategy};

/// Choices are left out only if the greatest reward of some part falls by this factor.
const FACTOR: f64 = 16.0;

/// A model without the choices that are left out.
pub(super) struct WithoutDominated {
    pub model: Mdp<f64>,
    /// Which choice of the whole model each choice is.
    pub choice: Vec<ChoiceId>,
}

impl WithoutDominated {
    /// `None` if nothing is gained. The preferences have one segment.
    pub fn of(model: &Mdp<f64>) -> Option<WithoutDominated> {
        let rounded = RoundedModel::new(SharedModel::whole(model), principals::parts(model.principals()));
        let rewards = Rewards { model: &rounded };
        let is_large = rewards.large();
        let mut better: Vec<Option<ChoiceId>> = vec![None; model.n_choices()];
        for state in model.states() {
            for large in model.choices(state).filter(|choice| is_large[choice.index()]) {
                let usual = model.choices(state).filter(|choice| !is_large[choice.index()]);
                better[large.index()] =
                    usual.max_by(|&a, &b| rewards.lead(a, large).total_cmp(&rewards.lead(b, large)));
            }
        }
        // Fewer choices left out make the ranges wider, so the set only shrinks.
        loop {
            if better.iter().all(Option::is_none) {
                return None;
            }
            let spread = rewards.spread(|choice| better[choice.index()].is_none());
            let is_back = |a: &ChoiceId| better[a.index()].is_some_and(|b| !rewards.beats(b, *a, &spread));
            let back: Vec<ChoiceId> = all_choices(model).filter(is_back).collect();
            if back.is_empty() {
                break;
            }
            back.into_iter().for_each(|choice| better[choice.index()] = None);
        }
        let is_kept = |choice: ChoiceId| better[choice.index()].is_none();
        let greatest = rewards.spans(is_kept);
        let falls = |i: usize| FACTOR * greatest[i].magnitude() < rounded.greatest_reward(i).get();
        (0..rounded.n()).any(falls).then(|| WithoutDominated::keeping(model, is_kept))
    }

    fn keeping(model: &Mdp<f64>, is_kept: impl Fn(ChoiceId) -> bool) -> WithoutDominated {
        let choice: Vec<ChoiceId> = all_choices(model).filter(|&choice| is_kept(choice)).collect();
        let whole = ModelArrays::of(model);
        let mut arrays = ModelArrays {
            action: choice.iter().map(|choice| whole.action[choice.index()]).collect(),
            first_choice: vec![0],
            first_transition: vec![0],
            target: Vec::new(),
            probability: Vec::new(),
            reward: Vec::new(),
            ..whole
        };
        for state in model.states() {
            for choice in model.choices(state).filter(|&choice| is_kept(choice)) {
                arrays.target.extend_from_slice(model.targets(choice));
                arrays.probability.extend_from_slice(model.probabilities(choice));
                arrays.reward.extend_from_slice(model.rewards(choice));
                arrays.first_transition.push(arrays.target.len() as u32);
            }
            arrays.first_choice.push(arrays.first_transition.len() as u32 - 1);
        }
        let model = arrays.finish_settled().expect("every state keeps a choice");
        WithoutDominated { model, choice }
    }

    /// The answer for the whole model.
    pub fn lift(&self, answer: Answer) -> Answer {
        let choice = |choice: ChoiceId| self.choice[choice.index()];
        let states = || (0..self.model.n_states()).map(StateId::from);
        let of_state = |state: StateId| {
            let changes = answer.strategy.changes(state).iter();
            changes.map(move |change| Change { from: change.from.clone(), choice: choice(change.choice) })
        };
        let strategy = CountingStrategy::from_valid_changes(states().map(of_state).collect());
        let long_term =
            |state: StateId| answer.long_term.choices.get(state.index()).iter().map(move |&own| choice(own));
        let long_term = LongTermAnswer { choices: states().map(long_term).collect(), ..answer.long_term.clone() };
        Answer { strategy, long_term, ..answer }
    }
}

fn all_choices(model: &Mdp<f64>) -> impl Iterator<Item = ChoiceId> {
    (0..model.n_choices()).map(ChoiceId::from)
}

/// The rewards of each choice, by part.
struct Rewards<'a> {
    model: &'a RoundedModel<'a>,
}

impl Rewards<'_> {
    fn of(&self, choice: ChoiceId) -> &[f64] {
        let n = self.model.n();
        &self.model.reward[choice.index() * n..(choice.index() + 1) * n]
    }

    /// For each choice, whether a reward of it is much greater than every state could avoid.
    fn large(&self) -> Vec<bool> {
        let RoundedModel { model, .. } = self.model;
        let mut usual = vec![0.0f64; self.model.n()];
        for state in model.states() {
            for (i, usual) in usual.iter_mut().enumerate() {
                let least = model.choices(state).map(|choice| self.of(choice)[i].abs()).fold(f64::INFINITY, f64::min);
                *usual = usual.max(least);
            }
        }
        let is_large = |choice| self.of(choice).iter().zip(&usual).any(|(own, usual)| own.abs() > FACTOR * usual);
        all_choices(model).map(is_large).collect()
    }

    /// The least that a choice earns more than another, over all parts.
    fn lead(&self, choice: ChoiceId, other: ChoiceId) -> f64 {
        self.of(choice).iter().zip(self.of(other)).map(|(own, other)| own - other).fold(f64::INFINITY, f64::min)
    }

    /// The rewards of the choices that are kept, by part.
    fn spans(&self, is_kept: impl Fn(ChoiceId) -> bool) -> Vec<Span> {
        let mut spans = vec![Span::EMPTY; self.model.n()];
        for choice in all_choices(self.model.model).filter(|&choice| is_kept(choice)) {
            spans.iter_mut().zip(self.of(choice)).for_each(|(span, &own)| *span = span.with(own));
        }
        spans
    }

    /// At least λ_i (M_i − m_i) of the choices that are kept, with twice the error of a reward.
    fn spread(&self, is_kept: impl Fn(ChoiceId) -> bool) -> Vec<UpperBound> {
        let of_part = |(i, span): (usize, Span)| {
            let error = UpperBound::of(2.0) * self.model.reward_error(i);
            let width = UpperBound::of_difference(span.greatest, span.least) + error;
            width * self.model.discount_bound(i) * self.model.lifetime_bound(i) + error
        };
        self.spans(is_kept).into_iter().enumerate().map(of_part).collect()
    }

    fn beats(&self, better: ChoiceId, choice: ChoiceId, spread: &[UpperBound]) -> bool {
        let both = self.of(better).iter().zip(self.of(choice));
        both.zip(spread).all(|((better, own), spread)| sum_down(*better, -own) > spread.get())
    }
}
