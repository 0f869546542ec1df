//! The model: states, choices, transitions, rewards and principals, in flat arrays.
//!
//! A [`Mdp`] is valid once built: every state offers a choice, every choice's probabilities are positive and sum to
//! exactly 1 (in doubles: up to rounding), every discount lies in [0, 1). States own a range of choices, choices own a range of
//! transitions:
//!
//! ```text
//! first_choice      state  → its first choice      4 bytes a state
//! first_transition  choice → its first transition  4 bytes a choice
//! target            transition → state             4 bytes a transition
//! probability       transition → number            one N a transition (8 bytes as f64, 48 as Rational)
//! reward            choice × principal → number    one N each, a choice's rewards side by side
//! ```

mod about;
mod arrays;
mod builder;
mod doubles;
mod error;
mod ids;
mod integer_rows;
mod lists;
mod names;
mod parameters;
mod preference;
mod principal;
mod share;
mod structure;

pub use about::About;
pub use arrays::ModelArrays;
pub use builder::ModelBuilder;
pub(crate) use builder::first_repeated;
pub use error::ModelError;
pub use ids::{ChoiceId, PrincipalId, StateId};
pub use integer_rows::IntegerRows;
pub(crate) use integer_rows::least_common_multiple;
pub use lists::Lists;
pub use names::{NameTable, nearest};
pub use parameters::{Parameter, ParameterKind};
pub use preference::{Approximation, DEFAULT_ERROR, GREEN_BOOK, LATEST, Preference, PreferenceError, Schedule};
pub(crate) use preference::{Entry, as_rate, discount_of};
pub use principal::{Part, Principal, Segment};
pub use share::{OwnStates, SourceChoice, StateSource};
pub use structure::Structure;

use crate::number::{Enclosure, ModelNumber, Rational};
use std::borrow::Cow;
use std::ops::{MulAssign, Range};
use std::sync::Arc;

/// A Markov decision process with one reward per choice and principal, over numbers `N`.
///
/// [`Rational`] numbers serve the exact engine; the same arrays hold doubles for a certified one. A model in doubles
/// represents an exact one: each probability is within (number of successors + 3) units of the true one, where a unit is 2^-53
/// times it, or 2^-1074 if that is more, and the true ones sum to exactly 1. Each reward is the double nearest to the true one,
/// or the sum of two such doubles, rounded once more. Discounts and weights are exact in both.
///
/// It is its [`Structure`], which a model in fractions and the same one in doubles share, and two arrays of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mdp<N = Rational> {
    structure: Arc<Structure>,
    probability: Vec<N>,
    reward: Vec<N>,
}

impl<N> std::ops::Deref for Mdp<N> {
    type Target = Structure;
    fn deref(&self) -> &Structure {
        &self.structure
    }
}

/// The flat arrays of a model, as the head of this module describes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrays<'m, N> {
    pub first_choice: &'m [u32],
    pub first_transition: &'m [u32],
    pub target: &'m [StateId],
    pub probability: &'m [N],
    pub reward: &'m [N],
}

impl<N> Arrays<'_, N> {
    /// The transitions of a choice.
    #[inline(always)]
    pub fn row(&self, choice: ChoiceId) -> Range<usize> {
        self.first_transition[choice.index()] as usize..self.first_transition[choice.index() + 1] as usize
    }

    /// The choices of a state.
    #[inline]
    pub fn choices(&self, state: StateId) -> impl Iterator<Item = ChoiceId> + use<N> {
        (self.first_choice[state.index()]..self.first_choice[state.index() + 1]).map(ChoiceId::at)
    }

    /// Each state's first choice.
    pub fn first_choices(&self) -> impl Iterator<Item = ChoiceId> + '_ {
        let n_states = self.first_choice.len() - 1;
        self.first_choice[..n_states].iter().map(|&first| ChoiceId::at(first))
    }
}

impl<N> Mdp<N> {
    /// Everything but the probabilities and rewards.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The same, shared, for values that outlive the model.
    pub(crate) fn shared_structure(&self) -> Arc<Structure> {
        Arc::clone(&self.structure)
    }

    /// The probabilities of a choice's successors, beside its [targets](Structure::targets).
    pub fn probabilities(&self, choice: ChoiceId) -> &[N] {
        &self.probability[self.transition_range(choice)]
    }

    /// The successors of a choice with their probabilities.
    pub fn transitions(&self, choice: ChoiceId) -> impl ExactSizeIterator<Item = (StateId, &N)> {
        self.targets(choice).iter().copied().zip(self.probabilities(choice))
    }

    /// What each principal of the file gets for taking a choice, before its weight.
    pub fn rewards(&self, choice: ChoiceId) -> &[N] {
        let n = self.principals.len();
        &self.reward[choice.index() * n..(choice.index() + 1) * n]
    }

    /// The same model with another start state.
    pub fn with_start(mut self, start: StateId) -> Self {
        assert!(start.index() < self.n_states(), "the start state is one of the model's");
        self.structure_mut().start = start;
        self
    }

    /// The same model with this name, description and step.
    pub fn with_about(mut self, about: About) -> Self {
        self.structure_mut().about = about;
        self
    }

    /// The same model with another discount for one principal.
    pub fn with_discount(mut self, principal: PrincipalId, discount: Rational) -> Result<Self, ModelError> {
        let principal = &mut self.structure_mut().principals[principal.index()];
        *principal = principal.discounting(discount)?;
        Ok(self)
    }

    /// The same model with another time preference for one principal.
    pub fn with_preference(mut self, principal: PrincipalId, preference: Preference) -> Result<Self, ModelError> {
        let principal = &mut self.structure_mut().principals[principal.index()];
        *principal = principal.preferring(preference)?;
        Ok(self)
    }

    /// The same model with these principals, as many as there are.
    pub(crate) fn with_principals(mut self, principals: Vec<Principal>) -> Self {
        assert_eq!(principals.len(), self.n_principals(), "a principal for each");
        self.structure_mut().principals = principals;
        self
    }

    /// The same model in which the payoff of one principal counts `weight` times.
    pub fn with_weight(mut self, principal: PrincipalId, weight: Rational) -> Self {
        self.structure_mut().principals[principal.index()].weight = weight;
        self
    }

    /// The same model with these weights, one per principal.
    pub(crate) fn with_weights(mut self, weights: &[Rational]) -> Self {
        let principals = &mut self.structure_mut().principals;
        principals.iter_mut().zip(weights).for_each(|(principal, weight)| principal.weight = weight.clone());
        self
    }

    /// The model as of step `step`, not before the last segment of any principal. A principal without weight by then gets a part of
    /// discount 0, which must not be counted.
    pub(crate) fn as_of(&self, step: u64) -> Self
    where
        N: Clone,
    {
        let mut later = self.clone();
        for principal in &mut later.structure_mut().principals {
            *principal = principal.as_of(step);
        }
        later
    }

    /// The same model for the mixtures that approximate preferences: nothing in it is approximated.
    pub fn of_mixtures(&self) -> Cow<'_, Self>
    where
        N: Clone,
    {
        if self.principals.iter().all(|principal| principal.approximation().is_none()) {
            return Cow::Borrowed(self);
        }
        let mut mixed = self.clone();
        for principal in &mut mixed.structure_mut().principals {
            *principal = principal.clone().of_mixture();
        }
        Cow::Owned(mixed)
    }

    /// Per principal, an upper bound on the error of any payoff caused by the approximation of its preference: the proven error of
    /// the mixture times the greatest absolute reward. `None` if no preference is approximated.
    pub(crate) fn margins(&self) -> Option<Vec<f64>>
    where
        N: ModelNumber,
    {
        let n = self.principals.len();
        // A reward in doubles is two roundings from the true one.
        let roundings = Rational::ONE + Rational::from(2).pow(-50);
        let margin = |(p, principal): (usize, &Principal)| match principal.approximation() {
            None => 0.0,
            Some(Approximation { error, .. }) => {
                let rewards = self.reward.iter().skip(p).step_by(n).filter_map(N::to_exact).map(Rational::abs);
                let greatest = rewards.max().unwrap_or(Rational::ZERO);
                Enclosure::from(&(greatest * &roundings * error)).upper()
            }
        };
        let is_approximated = self.principals.iter().any(|principal| principal.approximation().is_some());
        is_approximated.then(|| self.principals.iter().enumerate().map(margin).collect())
    }

    /// An upper bound on the error of any welfare caused by the approximation of preferences; 0 if none is approximated.
    pub(crate) fn welfare_margin(&self) -> f64
    where
        N: ModelNumber,
    {
        self.weighted_margin(self.margins().as_deref())
    }

    /// The same, given those of the principals.
    pub(crate) fn weighted_margin(&self, margins: Option<&[f64]>) -> f64 {
        let weight = |principal: &Principal| Enclosure::from(&principal.weight.clone().abs());
        let weighted =
            |(&margin, principal): (&f64, &Principal)| Enclosure::new(margin, margin).times(weight(principal));
        let margins = margins.into_iter().flatten().zip(&self.principals);
        margins.map(weighted).fold(Enclosure::ZERO, Enclosure::plus).upper()
    }

    /// The flat arrays, for kernels that run over all of them.
    pub(crate) fn arrays(&self) -> Arrays<'_, N> {
        self.structure.arrays(&self.probability, &self.reward)
    }

    /// The same model with each principal's weight multiplied into its rewards. The welfare is the same.
    pub fn with_weights_in_rewards(mut self) -> Self
    where
        N: for<'w> MulAssign<&'w Rational>,
    {
        let Mdp { structure, reward, .. } = &mut self;
        let principals = &mut Arc::make_mut(structure).principals;
        let n = principals.len();
        for (index, principal) in principals.iter_mut().enumerate() {
            let weight = std::mem::replace(&mut principal.weight, Rational::ONE);
            if !weight.is_one() {
                reward.iter_mut().skip(index).step_by(n).for_each(|reward| *reward *= &weight);
            }
        }
        self
    }

    /// The model of one principal alone, whose payoff is then the welfare, negated if its weight is negative.
    pub(crate) fn only(&self, principal: PrincipalId) -> Self
    where
        N: Clone,
    {
        let own = &self.principals[principal.index()];
        let own = own.clone().weighted(own.direction());
        let structure = Structure { principals: vec![own], ..(*self.structure).clone() };
        let reward = self.reward.iter().skip(principal.index()).step_by(self.n_principals()).cloned().collect();
        Mdp { structure: Arc::new(structure), probability: self.probability.clone(), reward }
    }

    fn structure_mut(&mut self) -> &mut Structure {
        Arc::make_mut(&mut self.structure)
    }
}
