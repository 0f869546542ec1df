//! A model from its arrays, for readers that fill them directly.

use super::{
    About, ChoiceId, Mdp, ModelError, NameTable, Principal, StateId, Structure,
    builder::{check_principals, check_size, first_repeated},
};
use crate::number::{Divided, ModelNumber, Rational, parse_rational};
use std::sync::Arc;

/// The unchecked arrays of a model.
///
/// `first_choice` has the position of each state's first choice and the number of choices at its end, `first_transition` the
/// same for the transitions of each choice; `action` has a position in `action_names` for each choice; `reward` has a choice's
/// rewards side by side, in the order of the principals.
#[derive(Debug)]
#[allow(missing_docs, reason = "the fields are those of the model")]
pub struct ModelArrays<N> {
    pub start: StateId,
    pub principals: Vec<Principal>,
    pub state_names: NameTable,
    pub action_names: NameTable,
    pub action: Vec<u32>,
    pub first_choice: Vec<u32>,
    pub first_transition: Vec<u32>,
    pub target: Vec<StateId>,
    pub probability: Vec<N>,
    pub reward: Vec<N>,
}

impl<N> ModelArrays<N> {
    /// The rewards of a choice, in the order of the principals.
    pub fn rewards(&self, choice: ChoiceId) -> &[N] {
        let n = self.principals.len();
        &self.reward[choice.index() * n..][..n]
    }

    /// The next states of a choice, each with its probability.
    pub fn transitions(&self, choice: ChoiceId) -> impl ExactSizeIterator<Item = (StateId, &N)> {
        let row = self.first_transition[choice.index()] as usize..self.first_transition[choice.index() + 1] as usize;
        self.target[row.clone()].iter().copied().zip(&self.probability[row])
    }

    /// The arrays of a model.
    pub(crate) fn of(model: &Mdp<N>) -> ModelArrays<N>
    where
        N: Clone,
    {
        ModelArrays {
            start: model.start,
            principals: model.principals.clone(),
            state_names: model.state_names.clone(),
            action_names: model.action_names.clone(),
            action: model.action.clone(),
            first_choice: model.first_choice.clone(),
            first_transition: model.first_transition.clone(),
            target: model.target.clone(),
            probability: model.probability.clone(),
            reward: model.reward.clone(),
        }
    }
}

impl<N: ModelNumber> ModelArrays<N> {
    /// The model, if it is one. The offsets must not decrease, and every index must lie inside the array it points into.
    #[doc(hidden)]
    pub fn finish(self) -> Result<Mdp<N>, ModelError> {
        let model = self.finish_settled()?;
        model.check_rows()?;
        Ok(model)
    }

    /// The same, with rows that floating point has rounded divided by their sums; how many there were.
    pub(crate) fn finish_scaled(self) -> Result<(Mdp<N>, Divided), ModelError> {
        let mut model = self.finish_settled()?;
        let mut divided = Divided::default();
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            let row = model.transition_range(choice);
            let row = &mut model.probability[row];
            let distance = if row.iter().all(N::is_probability) { N::scale_row(row) } else { None };
            distance.into_iter().for_each(|distance| divided.count(distance));
        }
        model.check_rows()?;
        Ok((model, divided))
    }

    /// The same where every row is known to be one of probabilities.
    pub(crate) fn finish_settled(self) -> Result<Mdp<N>, ModelError> {
        check_principals(&self.principals)?;
        let n_states = self.state_names.len();
        if n_states == 0 {
            return Err(ModelError::NoStates);
        }
        check_size("states", n_states - 1)?;
        check_size("choices", self.action.len())?;
        check_size("transitions", self.target.len())?;
        assert_offsets(&self.first_choice, n_states, self.action.len());
        assert_offsets(&self.first_transition, self.action.len(), self.target.len());
        assert_eq!(self.probability.len(), self.target.len(), "a probability for each transition");
        assert_eq!(
            self.reward.len(),
            self.action.len() * self.principals.len(),
            "a reward for each choice and principal"
        );
        assert!(self.start.index() < n_states, "the start state is one of the model's");
        let ModelArrays { start, principals, state_names, action_names, action, .. } = self;
        let structure = Structure {
            about: About::default(),
            start,
            principals,
            state_names,
            action_names,
            action,
            first_choice: self.first_choice,
            first_transition: self.first_transition,
            target: self.target,
        };
        let model = Mdp { structure: Arc::new(structure), probability: self.probability, reward: self.reward };
        model.check_choices()?;
        Ok(model)
    }
}

impl ModelArrays<f64> {
    /// The same in fractions: each double stands for the shortest decimal that is read as it, so 0.1 is 1/10. Rows that
    /// floating point has rounded are divided by their sums; how many there were.
    pub(crate) fn finish_decimals(self) -> Result<(Mdp, Divided), ModelError> {
        // NaN and infinities have no decimal; the check in doubles reports them.
        let doubles = self.finish_settled()?;
        let decimals = |doubles: &[f64]| doubles.iter().map(|&double| decimal(double)).collect::<Option<Vec<_>>>();
        let Some(mut probability) = decimals(&doubles.probability) else {
            return Err(doubles.check_rows().expect_err("a row with NaN or an infinity is refused"));
        };
        let reward = decimals(&doubles.reward).expect("rewards are checked");
        let mut divided = Divided::default();
        for choice in (0..doubles.n_choices()).map(ChoiceId::from) {
            let row = &mut probability[doubles.transition_range(choice)];
            if let Some(sum) = Rational::row_sum(row).filter(|sum| !sum.is_one() && Rational::is_near_one(sum)) {
                divided.count(Rational::distance_from_one(&sum, row.len()));
                row.iter_mut().for_each(|entry| *entry /= &sum);
            }
        }
        let model = Mdp { structure: doubles.structure, probability, reward };
        model.check_rows()?;
        Ok((model, divided))
    }
}

/// The shortest decimal that is read as this double; `None` if it is NaN or infinite.
fn decimal(double: f64) -> Option<Rational> {
    double.is_finite().then(|| parse_rational(&format!("{double:e}")).expect("a decimal is a number"))
}

impl<N: ModelNumber> Mdp<N> {
    /// Checks that every state has choices, every choice an action and rewards, and every transition a target.
    fn check_choices(&self) -> Result<(), ModelError> {
        if let Some(state) = self.states().find(|&state| self.choices(state).len() == 0) {
            return Err(ModelError::NoChoice { state: self.state_name(state).into_owned() });
        }
        assert!(self.action.iter().all(|&name| (name as usize) < self.action_names.len()), "actions have names");
        assert!(self.target.iter().all(|target| target.index() < self.n_states()), "transitions lead to states");
        match self.reward.iter().position(|reward| !reward.is_number()) {
            None => Ok(()),
            Some(at) => Err(self.refused_reward(at, &self.reward[at])),
        }
    }

    /// The error of a reward at this position that is NaN or infinite.
    pub(super) fn refused_reward<R: ModelNumber>(&self, at: usize, reward: &R) -> ModelError {
        let choice = (at / self.n_principals()).into();
        let (state, action) = (self.state_name(self.state_of(choice)), self.action_name(choice));
        let principal = self.principals[at % self.n_principals()].name.clone();
        ModelError::of_reward(reward, state.into_owned(), action.into_owned(), principal)
    }

    fn check_rows(&self) -> Result<(), ModelError> {
        let mut sorted = Vec::new();
        for state in self.states() {
            for choice in self.choices(state) {
                let place = || (self.state_name(state).into_owned(), self.action_name(choice).into_owned());
                let targets = self.targets(choice);
                if let Some((target, probability)) = self.transitions(choice).find(|(_, p)| !p.is_probability()) {
                    let (state, action) = place();
                    let (target, probability) = (self.state_name(target).into_owned(), probability.to_string());
                    return Err(ModelError::NonPositiveProbability { state, action, target, probability });
                }
                if let Some(target) = first_repeated(targets, &mut sorted) {
                    let (state, action) = place();
                    return Err(ModelError::DuplicateTarget {
                        state,
                        action,
                        target: self.state_name(target).into_owned(),
                    });
                }
                if let Err(sum) = N::check_row(self.probabilities(choice)) {
                    let (state, action) = place();
                    return Err(ModelError::ProbabilitySum { state, action, sum });
                }
            }
        }
        Ok(())
    }
}

fn assert_offsets(offsets: &[u32], n: usize, end: usize) {
    assert_eq!(offsets.len(), n + 1, "an offset for each, and one for the end");
    assert!(
        offsets.first() == Some(&0) && offsets.last() == Some(&(end as u32)) && offsets.is_sorted(),
        "offsets in order"
    );
}
