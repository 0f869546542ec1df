//! The states of a model that one rank owns, as a model of their own whose rows may lead to ghosts.
//!
//! States come from a [`StateSource`]: a generator, a file, or a model that is in memory. It is asked twice for every own state:
//! first for its targets, to number the ghosts, then for its rows, which go into the arrays in their final form. So the peak of
//! memory is the model itself, and two bits for each state of all ranks.

use super::builder::{check_principals, check_size};
use super::{About, Mdp, ModelError, NameTable, Principal, StateId, Structure};
use crate::number::ModelNumber;
use crate::ranks::BLOCK;
use std::ops::Range;
use std::sync::Arc;

/// One choice of a state. Targets are positions among all states.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the fields are those of a choice")]
pub struct SourceChoice<'a> {
    /// A position among the names of actions.
    pub action: u32,
    /// One for each principal.
    pub rewards: &'a [f64],
    pub targets: &'a [u64],
    pub probabilities: &'a [f64],
}

/// A model that is asked for one state at a time. The same question has the same answer for every rank.
pub trait StateSource {
    /// How many states there are.
    fn n_states(&self) -> u64;
    /// The position of the start state.
    fn start(&self) -> u64;
    /// What the start state is called.
    fn start_name(&self) -> String {
        self.start().to_string()
    }
    /// What the model is called, and its steps.
    fn about(&self) -> About {
        About::default()
    }
    /// What the states are called, where they have names and are few.
    fn state_names(&self) -> Option<NameTable> {
        None
    }
    /// Who is concerned.
    fn principals(&self) -> &[Principal];
    /// What actions are called.
    fn action_names(&self) -> NameTable;
    /// Calls `visit` with each choice of a state, in order; at least one.
    fn choices(&self, state: u64, visit: &mut dyn FnMut(SourceChoice));
}

/// The own states of a rank.
#[derive(Debug)]
pub struct OwnStates {
    /// The model of these states. A target is an own state, or the number of own states plus the position of a ghost. States
    /// are called by their positions among all states.
    pub model: Mdp<f64>,
    /// Which of all states are the own ones.
    pub range: Range<u64>,
    /// The other states that rows lead to, in order.
    pub ghosts: Vec<u64>,
}

impl OwnStates {
    /// The states that rank `rank` of `n_ranks` owns: whole blocks, as evenly as they go.
    pub fn range(n_states: u64, rank: usize, n_ranks: usize) -> Range<u64> {
        let n_blocks = u128::from(n_states.div_ceil(BLOCK as u64));
        let at = |rank: usize| ((n_blocks * rank as u128 / n_ranks as u128) as u64 * BLOCK as u64).min(n_states);
        at(rank)..at(rank + 1)
    }

    /// The states of `range`, which is that of a rank.
    pub fn of(source: &dyn StateSource, range: Range<u64>) -> Result<OwnStates, ModelError> {
        check_principals(source.principals())?;
        let ghosts = Ghosts::of(source, &range)?;
        let n_own = (range.end - range.start) as usize;
        check_size("states", n_own + ghosts.listed.len())?;
        let (mut first_choice, mut first_transition) = (Vec::with_capacity(n_own + 1), vec![0]);
        first_choice.push(0);
        let (mut action, mut target) = (Vec::new(), Vec::new());
        let (mut probability, mut reward) = (Vec::new(), Vec::new());
        for state in range.clone() {
            source.choices(state, &mut |choice| {
                action.push(choice.action);
                target.extend(choice.targets.iter().map(|target| {
                    let is_own = range.contains(target);
                    let local = if is_own { (target - range.start) as usize } else { n_own + ghosts.position(*target) };
                    StateId::at(local as u32)
                }));
                probability.extend_from_slice(choice.probabilities);
                reward.extend_from_slice(choice.rewards);
                first_transition.push(target.len() as u32);
            });
            check_size("transitions", target.len())?;
            first_choice.push(action.len() as u32);
        }
        let start = if range.contains(&source.start()) { (source.start() - range.start) as u32 } else { 0 };
        let structure = Structure {
            about: source.about(),
            start: StateId::at(start),
            principals: source.principals().to_vec(),
            state_names: match source.state_names() {
                Some(names) if n_own == names.len() => names,
                _ => NameTable::numbered_from(range.start as usize, n_own),
            },
            action_names: source.action_names(),
            action,
            first_choice,
            first_transition,
            target,
        };
        let model = Mdp { structure: Arc::new(structure), probability, reward };
        Ok(OwnStates { model, range, ghosts: ghosts.listed })
    }
}

/// The states of other ranks that some rows lead to.
struct Ghosts {
    /// A bit for each state of all ranks.
    is_ghost: Vec<u64>,
    /// For each word of these, how many bits the words before it have.
    before: Vec<u32>,
    listed: Vec<u64>,
}

impl Ghosts {
    /// Checks the states of `range`, and finds where they lead.
    fn of(source: &dyn StateSource, range: &Range<u64>) -> Result<Ghosts, ModelError> {
        let n_states = source.n_states();
        let mut is_ghost = vec![0u64; n_states.div_ceil(64) as usize];
        let names = source.action_names();
        let mut sorted = Vec::new();
        for state in range.clone() {
            let (mut found, mut n_choices) = (Ok(()), 0);
            source.choices(state, &mut |choice| {
                n_choices += 1;
                if found.is_ok() {
                    found = check(source, state, &names, &choice, &mut sorted);
                }
                for &target in choice.targets.iter().filter(|target| !range.contains(target) && **target < n_states) {
                    is_ghost[(target / 64) as usize] |= 1 << (target % 64);
                }
            });
            found?;
            if n_choices == 0 {
                return Err(ModelError::NoChoice { state: state.to_string() });
            }
        }
        let (mut before, mut listed) = (Vec::with_capacity(is_ghost.len()), Vec::new());
        for (word, &bits) in is_ghost.iter().enumerate() {
            before.push(listed.len() as u32);
            let mut left = bits;
            while left != 0 {
                listed.push(word as u64 * 64 + u64::from(left.trailing_zeros()));
                left &= left - 1;
            }
        }
        Ok(Ghosts { is_ghost, before, listed })
    }

    /// The position of a ghost among them.
    fn position(&self, state: u64) -> usize {
        let (word, bit) = ((state / 64) as usize, state % 64);
        let earlier = self.is_ghost[word] & ((1 << bit) - 1);
        (self.before[word] + earlier.count_ones()) as usize
    }
}

/// Refuses a choice that is not valid.
fn check(
    source: &dyn StateSource,
    state: u64,
    names: &NameTable,
    choice: &SourceChoice,
    sorted: &mut Vec<u64>,
) -> Result<(), ModelError> {
    let SourceChoice { action, rewards, targets, probabilities } = *choice;
    assert!((action as usize) < names.len(), "actions have names");
    assert_eq!((targets.len(), source.principals().len()), (probabilities.len(), rewards.len()), "a number for each");
    let place = || (state.to_string(), names.get(action as usize).into_owned());
    if let Some((target, probability)) = targets.iter().zip(probabilities).find(|(_, p)| !p.is_probability()) {
        let ((state, action), target, probability) = (place(), target.to_string(), probability.to_string());
        return Err(ModelError::NonPositiveProbability { state, action, target, probability });
    }
    sorted.clear();
    sorted.extend_from_slice(targets);
    sorted.sort_unstable();
    assert!(sorted.last().is_none_or(|&last| last < source.n_states()), "transitions lead to states");
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let ((state, action), target) = (place(), twice[0].to_string());
        return Err(ModelError::DuplicateTarget { state, action, target });
    }
    if let Err(sum) = f64::check_row(probabilities) {
        let (state, action) = place();
        return Err(ModelError::ProbabilitySum { state, action, sum });
    }
    match rewards.iter().position(|reward| !reward.is_number()) {
        None => Ok(()),
        Some(p) => {
            let ((state, action), principal) = (place(), source.principals()[p].name.clone());
            Err(ModelError::of_reward(&rewards[p], state, action, principal))
        }
    }
}

impl StateSource for Mdp<f64> {
    fn n_states(&self) -> u64 {
        self.structure().n_states() as u64
    }

    fn start(&self) -> u64 {
        self.structure().start().index() as u64
    }

    fn start_name(&self) -> String {
        self.state_name(self.structure().start()).into_owned()
    }

    fn about(&self) -> About {
        self.structure().about.clone()
    }

    fn state_names(&self) -> Option<NameTable> {
        Some(self.structure().state_names.clone())
    }

    fn principals(&self) -> &[Principal] {
        self.structure().principals()
    }

    fn action_names(&self) -> NameTable {
        self.action_names.clone()
    }

    fn choices(&self, state: u64, visit: &mut dyn FnMut(SourceChoice)) {
        let mut targets = Vec::new();
        for choice in self.structure().choices(StateId::from(state as usize)) {
            targets.clear();
            targets.extend(self.targets(choice).iter().map(|target| target.index() as u64));
            visit(SourceChoice {
                action: self.action[choice.index()],
                rewards: self.rewards(choice),
                targets: &targets,
                probabilities: self.probabilities(choice),
            });
        }
    }
}
