//! Building a model, state by state. Linear in its size, however long its rows.

use super::{About, ChoiceId, Mdp, ModelError, NameTable, Principal, StateId, Structure};
use crate::number::{ModelNumber, Rational};
use std::collections::HashSet;
use std::sync::Arc;

/// A row of at most this many targets is searched for a repeated one as it is; a longer row is sorted first.
const SHORT_ROW: usize = 32;

/// Collects choices in the order of their states, then checks what is left to check.
///
/// ```
/// use commonweal::structure::Principal;
/// use commonweal::{ModelBuilder, Options, Rational, solve};
/// let alice = Principal::new("alice", Rational::from_quotient(1, 2))?;
/// let mut builder = ModelBuilder::new(vec![alice], ["s0"])?;
/// builder.choice(0.into(), "stay", [Rational::ONE], [(0.into(), Rational::ONE)])?;
/// let model = builder.build()?;
/// assert_eq!(solve(&model, &Options::default()).welfare(model.start()).to_string(), "2");
/// # Ok::<(), commonweal::structure::ModelError>(())
/// ```
#[derive(Debug)]
pub struct ModelBuilder<N = Rational> {
    structure: Structure,
    probability: Vec<N>,
    reward: Vec<N>,
    n_states: usize,
    /// The targets of a long row, in order.
    sorted: Vec<StateId>,
}

impl<N: ModelNumber> ModelBuilder<N> {
    /// A model with these principals and states and no choices yet. It starts in the first state.
    pub fn new<'a>(
        principals: Vec<Principal>,
        states: impl IntoIterator<Item = &'a str>,
    ) -> Result<ModelBuilder<N>, ModelError> {
        check_principals(&principals)?;
        let mut state_names = NameTable::default();
        for state in states {
            let expected = state_names.len();
            check_size("states", expected)?;
            if state_names.intern(state) != expected {
                return Err(ModelError::DuplicateState { state: state.to_owned() });
            }
        }
        ModelBuilder::with_names(principals, state_names)
    }

    /// A model with these principals and states called `0`, `1`, …, whose names take no memory.
    pub fn numbered(principals: Vec<Principal>, n_states: usize) -> Result<ModelBuilder<N>, ModelError> {
        check_principals(&principals)?;
        check_size("states", n_states.saturating_sub(1))?;
        ModelBuilder::with_names(principals, NameTable::numbered(n_states))
    }

    fn with_names(principals: Vec<Principal>, state_names: NameTable) -> Result<ModelBuilder<N>, ModelError> {
        let n_states = state_names.len();
        if n_states == 0 {
            return Err(ModelError::NoStates);
        }
        let structure = Structure {
            about: About::default(),
            start: StateId::from(0),
            principals,
            state_names,
            action_names: NameTable::default(),
            action: Vec::new(),
            first_choice: vec![0],
            first_transition: vec![0],
            target: Vec::new(),
        };
        Ok(ModelBuilder { structure, probability: Vec::new(), reward: Vec::new(), n_states, sorted: Vec::new() })
    }

    /// Reserves memory for this many choices and transitions. The caller knows that there will be about as many.
    pub fn reserve(&mut self, n_choices: usize, n_transitions: usize) {
        let model = &mut self.structure;
        model.first_choice.reserve_exact(self.n_states);
        model.action.reserve_exact(n_choices);
        model.first_transition.reserve_exact(n_choices);
        self.reward.reserve_exact(n_choices.saturating_mul(model.principals.len()));
        model.target.reserve_exact(n_transitions);
        self.probability.reserve_exact(n_transitions);
    }

    /// Calls the states by other names, as many as there are states.
    pub(crate) fn name_states(&mut self, names: NameTable) {
        assert_eq!(names.len(), self.n_states, "a name for each state");
        self.structure.state_names = names;
    }

    /// The state in which runs start.
    pub fn start(&mut self, state: StateId) {
        assert!(state.index() < self.n_states, "the start state is one of the model's");
        self.structure.start = state;
    }

    /// Adds a choice to `state`, which must not come before the state of the choice added last. After an error the builder is
    /// as it was, but for the states before `state`, which are closed.
    ///
    /// # Panics
    /// If `state` or a target is no state of the model, or `state` comes before the one of the choice added last.
    pub fn choice(
        &mut self,
        state: StateId,
        action: &str,
        rewards: impl IntoIterator<Item = N>,
        transitions: impl IntoIterator<Item = (StateId, N)>,
    ) -> Result<ChoiceId, ModelError> {
        self.open(state)?;
        let (n_rewards, n_transitions) = (self.reward.len(), self.structure.target.len());
        let added = self.add(state, action, rewards, transitions);
        if added.is_err() {
            self.reward.truncate(n_rewards);
            self.probability.truncate(n_transitions);
            self.structure.target.truncate(n_transitions);
        }
        added
    }

    fn add(
        &mut self,
        state: StateId,
        action: &str,
        rewards: impl IntoIterator<Item = N>,
        transitions: impl IntoIterator<Item = (StateId, N)>,
    ) -> Result<ChoiceId, ModelError> {
        let model = &mut self.structure;
        let place = |model: &Structure| (model.state_name(state).into_owned(), action.to_owned());
        check_size("choices", model.action.len())?;
        let first_reward = self.reward.len();
        self.reward.extend(rewards);
        let found = self.reward.len() - first_reward;
        if found != model.principals.len() {
            let (state, action) = place(model);
            return Err(ModelError::WrongRewardCount { state, action, found, expected: model.principals.len() });
        }
        if let Some(at) = self.reward[first_reward..].iter().position(|reward| !reward.is_number()) {
            let (state, action) = place(model);
            let principal = model.principals[at].name.clone();
            return Err(ModelError::of_reward(&self.reward[first_reward + at], state, action, principal));
        }
        let first = model.target.len();
        for (target, probability) in transitions {
            assert!(target.index() < self.n_states, "a transition leads to one of the model's states");
            check_size("transitions", model.target.len())?;
            if !probability.is_probability() {
                let (state, action) = place(model);
                let (target, probability) = (model.state_name(target).into_owned(), probability.to_string());
                return Err(ModelError::NonPositiveProbability { state, action, target, probability });
            }
            model.target.push(target);
            self.probability.push(probability);
        }
        if let Some(target) = first_repeated(&model.target[first..], &mut self.sorted) {
            let (state, action) = place(model);
            return Err(ModelError::DuplicateTarget { state, action, target: model.state_name(target).into_owned() });
        }
        if let Err(sum) = N::check_row(&self.probability[first..]) {
            let (state, action) = place(model);
            return Err(ModelError::ProbabilitySum { state, action, sum });
        }
        let choice = ChoiceId::from(model.action.len());
        let name = model.action_names.intern(action);
        model.action.push(name as u32);
        model.first_transition.push(model.target.len() as u32);
        Ok(choice)
    }

    /// The model in its numbers, if every state has a choice. [`build`](Self::build) makes a `Model`.
    #[doc(hidden)]
    pub fn finish(mut self) -> Result<Mdp<N>, ModelError> {
        self.close_up_to(self.n_states)?;
        Ok(Mdp { structure: Arc::new(self.structure), probability: self.probability, reward: self.reward })
    }

    /// Goes on to `state`, which is the one that was open last or comes after it.
    fn open(&mut self, state: StateId) -> Result<(), ModelError> {
        let open = self.structure.first_choice.len() - 1;
        assert!(
            state.index() < self.n_states && state.index() >= open.saturating_sub(1),
            "choices come in state order"
        );
        self.close_up_to(state.index())
    }

    /// Closes the states before `end`. `first_choice` ends with the first choice of the open state.
    fn close_up_to(&mut self, end: usize) -> Result<(), ModelError> {
        let model = &mut self.structure;
        while model.first_choice.len() <= end {
            let closed = model.first_choice.len() - 1;
            if model.first_choice[closed] as usize == model.action.len() {
                return Err(ModelError::NoChoice { state: model.state_names.get(closed).into_owned() });
            }
            model.first_choice.push(model.action.len() as u32);
        }
        Ok(())
    }
}

/// The first target that stands in the row a second time. `sorted` is overwritten.
pub(crate) fn first_repeated(row: &[StateId], sorted: &mut Vec<StateId>) -> Option<StateId> {
    if row.is_sorted_by(|a, b| a < b) {
        return None;
    }
    if row.len() <= SHORT_ROW {
        return (1..row.len()).find(|&at| row[..at].contains(&row[at])).map(|at| row[at]);
    }
    sorted.clear();
    sorted.extend_from_slice(row);
    sorted.sort_unstable();
    if sorted.is_sorted_by(|a, b| a < b) {
        return None;
    }
    let mut seen = HashSet::new();
    row.iter().copied().find(|&target| !seen.insert(target))
}

pub(super) fn check_principals(principals: &[Principal]) -> Result<(), ModelError> {
    for (index, principal) in principals.iter().enumerate() {
        if principals[..index].iter().any(|earlier| earlier.name == principal.name) {
            return Err(ModelError::DuplicatePrincipal { principal: principal.name.clone() });
        }
    }
    if principals.is_empty() { Err(ModelError::NoPrincipals) } else { check_segments(principals) }
}

/// Within a segment, powers are computed up to the steps at which segments of other principals begin: an error if they would be
/// too long.
fn check_segments(principals: &[Principal]) -> Result<(), ModelError> {
    /// Fractions of this length are still read and written quickly.
    const MOST_BITS: u64 = 1 << 20;
    let counting = |principal: &'_ Principal| -> Vec<u64> {
        principal.segments().iter().filter(|segment| !segment.parts.is_empty()).map(|segment| segment.from).collect()
    };
    let mut begin: Vec<u64> = principals.iter().flat_map(counting).collect();
    begin.sort_unstable();
    for principal in principals {
        let segments = principal.segments();
        for (k, segment) in segments.iter().enumerate() {
            let until = segments.get(k + 1).map_or(u64::MAX, |next| next.from);
            let last = begin[..begin.partition_point(|&from| from < until)].last().copied().unwrap_or(0);
            let steps = last.saturating_sub(segment.from);
            let bits = segment.parts.iter().map(|part| part.discount.bits() as u64).max().unwrap_or(0);
            if steps.saturating_mul(bits) > MOST_BITS {
                return Err(ModelError::SegmentsTooFarApart {
                    principal: principal.name.clone(),
                    from: segment.from,
                    last,
                });
            }
        }
    }
    Ok(())
}

pub(super) fn check_size(what: &'static str, next: usize) -> Result<(), ModelError> {
    const LIMIT: usize = u32::MAX as usize - 1;
    if next < LIMIT { Ok(()) } else { Err(ModelError::TooLarge { what, limit: LIMIT }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principals() -> Vec<Principal> {
        vec![Principal::new("p", Rational::ZERO).unwrap()]
    }

    #[test]
    fn a_refused_choice_leaves_nothing_behind() {
        let build = |refused: bool| {
            let mut builder = ModelBuilder::<f64>::numbered(principals(), 2).unwrap();
            if refused {
                assert!(builder.choice(0.into(), "few", [], [(0.into(), 1.0)]).is_err());
                assert!(builder.choice(0.into(), "nan", [f64::NAN], [(0.into(), 1.0)]).is_err());
                assert!(builder.choice(0.into(), "half", [7.0], [(1.into(), 0.5)]).is_err());
                assert!(builder.choice(0.into(), "twice", [7.0], [(1.into(), 0.5), (1.into(), 0.5)]).is_err());
                assert!(builder.choice(0.into(), "less", [7.0], [(0.into(), 1.5), (1.into(), -0.5)]).is_err());
            }
            builder.choice(0.into(), "go", [1.0], [(1.into(), 1.0)]).unwrap();
            builder.choice(1.into(), "stay", [2.0], [(1.into(), 1.0)]).unwrap();
            builder.finish().unwrap()
        };
        assert_eq!(build(true), build(false));
    }

    /// A model of `n` states whose first has one choice with these transitions, and the others a self-loop.
    fn built(n: usize, row: &[(usize, f64)]) -> Result<Mdp<f64>, ModelError> {
        let mut builder = ModelBuilder::numbered(principals(), n)?;
        builder.choice(0.into(), "go", [0.0], row.iter().map(|&(target, p)| (target.into(), p)))?;
        for state in (1..n).map(StateId::from) {
            builder.choice(state, "stay", [0.0], [(state, 1.0)])?;
        }
        builder.finish()
    }

    #[test]
    fn a_target_that_is_listed_twice_is_found_in_rows_of_any_length() {
        for n in [2, 5, SHORT_ROW, SHORT_ROW + 1, 1000] {
            let probability = 1.0 / n as f64;
            let row = |targets: &[usize]| targets.iter().map(|&target| (target, probability)).collect::<Vec<_>>();
            let mut targets: Vec<usize> = (0..n).rev().collect();
            assert!(built(n, &row(&targets)).is_ok(), "{n}");
            targets[n - 1] = targets[(n - 1) / 2];
            let expected = ModelError::DuplicateTarget {
                state: "0".into(),
                action: "go".into(),
                target: targets[(n - 1) / 2].to_string(),
            };
            assert_eq!(built(n, &row(&targets)).unwrap_err(), expected, "{n}");
        }
    }

    #[test]
    fn doubles_sum_to_one_within_their_rounding() {
        let third = 1.0 / 3.0;
        assert!(built(3, &[(0, third), (1, third), (2, third)]).is_ok());
        assert!(built(2, &[(0, 0.1), (1, 0.9)]).is_ok());
        assert!(built(2, &[(0, 1.0), (1, f64::from_bits(1))]).is_ok());
        // Ten thousand correctly rounded numbers whose plain sum is off by much more than one unit.
        let row: Vec<(usize, f64)> = (0..10_000).map(|target| (target, 1e-4)).collect();
        assert!(built(10_000, &row).is_ok());
        for wrong in [0.333_333_333_3, third.next_down().next_down().next_down(), 0.5, f64::INFINITY] {
            let sum = built(3, &[(0, wrong), (1, wrong), (2, wrong)]).unwrap_err();
            assert!(matches!(sum, ModelError::ProbabilitySum { .. }), "{wrong}: {sum}");
        }
        for wrong in [0.0, -0.0, -0.5, f64::NAN] {
            let refused = built(2, &[(0, 1.0), (1, wrong)]).unwrap_err();
            assert!(matches!(refused, ModelError::NonPositiveProbability { .. }), "{wrong}: {refused}");
        }
    }

    #[test]
    fn a_reward_is_a_number() {
        for wrong in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let mut builder = ModelBuilder::numbered(principals(), 1).unwrap();
            let refused = builder.choice(0.into(), "stay", [wrong], [(0.into(), 1.0)]).unwrap_err();
            let expected = if wrong.is_nan() {
                "the reward of `p` is NaN;"
            } else {
                "the reward of `p` is too large for a double;"
            };
            assert!(refused.to_string().contains(expected), "{refused}");
            let mut action_names = NameTable::default();
            action_names.intern("stay");
            let arrays = super::super::ModelArrays {
                principals: principals(),
                start: 0.into(),
                state_names: NameTable::numbered(1),
                action_names,
                action: vec![0],
                first_choice: vec![0, 1],
                first_transition: vec![0, 1],
                target: vec![0.into()],
                probability: vec![1.0],
                reward: vec![wrong],
            };
            assert_eq!(arrays.finish().unwrap_err(), refused);
        }
    }
}
