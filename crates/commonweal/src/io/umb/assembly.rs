//! The model that the files of a UMB archive make up.

use super::super::{
    DiscountError, Loaded, ReadError, ReadOptions, UNNAMED_ACTION,
    parse_error::shown,
    row::{RowFault, Rows, Written, expectation},
};
use super::arrays::word;
use super::index::{Index, RewardIndex};
use super::numbers::{NumberType, Purpose};
use super::reader::{Action, Files, Rewards, not_a_number};
use super::{BRANCHES, CHOICES, PROBABILITIES, STRING_OFFSETS, STRINGS, TARGETS};
use crate::model::{ModelArrays, ModelError, NameTable, StateId};
use crate::number::{ModelNumber, Rational};
use std::ops::Range;

impl<N: ModelNumber> Files<N> {
    /// The model, once all files are read.
    pub fn model(mut self, options: &ReadOptions) -> Result<Loaded<N>, ReadError> {
        // The file of targets is as long as the model is large, so the other claims of the index are no larger than what was read.
        if self.target.is_none() && self.index.n_branches != 1 {
            return Err(missing(TARGETS));
        }
        let state_names = self.state_names()?;
        let start = self.start(options, &state_names)?;
        let mut rows = Rows::new(options.strict);
        let arrays = self.settled(state_names, start, &mut rows)?;
        let model = arrays.finish_settled().map_err(|error| match error {
            ModelError::DiscountOutOfRange { .. } => ReadError::Discounts(DiscountError::Invalid(error)),
            error => error.into(),
        })?;
        Ok(Loaded { model, left_out: self.selection.left_out, divided: rows.divided })
    }

    /// The names of the states.
    pub fn state_names(&self) -> Result<NameTable, ReadError> {
        let n_states = self.index.n_states;
        Ok(match &self.index.valuations {
            Some(valuations) => valuations.names(n_states, &self.valuations)?.table(n_states),
            None => NameTable::numbered(n_states),
        })
    }

    /// The state to start in.
    pub fn start(&self, options: &ReadOptions, names: &NameTable) -> Result<usize, ReadError> {
        let (n_initial, initial) = self.initial.unwrap_or((0, None));
        options.start_among(names, initial, n_initial)
    }

    /// The arrays of states that have these names, of which one is the start.
    pub fn arrays(
        mut self,
        options: &ReadOptions,
        names: NameTable,
        start: usize,
    ) -> Result<ModelArrays<N>, ReadError> {
        self.settled(names, start, &mut Rows::new(options.strict))
    }

    fn settled(&mut self, state_names: NameTable, start: usize, rows: &mut Rows) -> Result<ModelArrays<N>, ReadError> {
        let Index { n_states, n_choices, n_branches, .. } = self.index;
        let target = match self.target.take() {
            Some(target) => target,
            None if n_branches == 1 => vec![StateId::from(0)],
            None => return Err(missing(TARGETS)),
        };
        let first_choice = or_one_each(self.first_choice.take(), CHOICES, n_states, n_choices)?;
        let first_transition = or_one_each(self.first_branch.take(), BRANCHES, n_choices, n_branches)?;
        if let Some(state) = (0..n_states).find(|&state| first_choice[state] == first_choice[state + 1]) {
            let help = "a run must go on: give it a choice that stays";
            return Err(ReadError::archive(Some(CHOICES), format!("state {state} has no choice"), help));
        }
        let probability = match (self.probability.take(), self.index.probability) {
            (Some(probability), _) => probability,
            (None, None) => vec![N::ONE; n_branches],
            (None, Some(_)) => return Err(missing(PROBABILITIES)),
        };
        let (action_names, action) = self.actions(&first_choice)?;
        let mut arrays = ModelArrays {
            start: StateId::from(start),
            principals: std::mem::take(&mut self.selection.principals),
            state_names,
            action_names,
            action,
            first_choice,
            first_transition,
            target,
            probability,
            reward: Vec::new(),
        };
        arrays.reward = self.reward(&arrays)?;
        let written = match self.index.probability {
            Some(NumberType::Rational(_)) => Written::Fractions,
            _ => Written::Doubles,
        };
        settle(&mut arrays, rows, written)?;
        Ok(arrays)
    }

    /// The names of actions, and which one each choice has.
    fn actions(&mut self, first_choice: &[u32]) -> Result<(NameTable, Vec<u32>), ReadError> {
        if self.index.n_actions == 0 {
            // By their position in the state.
            let lengths = first_choice.windows(2).map(|pair| pair[1] - pair[0]);
            let most = lengths.clone().max().unwrap_or(0);
            return Ok((NameTable::numbered(most as usize), lengths.flat_map(|length| 0..length).collect()));
        }
        let actions = self.action.take().unwrap_or_else(|| vec![Action(0); self.index.n_choices]);
        let mut names = NameTable::default();
        let Some(offsets) = self.string_offsets.take() else {
            // As Storm calls them.
            let named = actions.iter().map(|action| names.intern(&format!("a{}", action.0)) as u32).collect();
            return Ok((names, named));
        };
        let strings = self.strings.take().ok_or_else(|| missing(STRINGS))?;
        let offset = |index: usize| word(&offsets[8 * index..8 * index + 8]) as usize;
        // Names are kept in the order of their first use, as other readers keep them.
        let mut name_of: Vec<Option<u32>> = vec![None; self.index.n_actions];
        let mut named = Vec::with_capacity(actions.len());
        for Action(action) in actions {
            let action = action as usize;
            let name = match name_of[action] {
                Some(name) => name,
                None => {
                    let bytes = strings.get(offset(action)..offset(action + 1));
                    let name = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).ok_or_else(|| {
                        let message = format!("the name of action {action} is not in `strings.bin`, or not UTF-8");
                        ReadError::archive(Some(STRING_OFFSETS), message, "write the file anew")
                    })?;
                    *name_of[action].insert(names.intern(if name.is_empty() { UNNAMED_ACTION } else { name }) as u32)
                }
            };
            named.push(name);
        }
        Ok((names, named))
    }

    /// What each choice is worth to each principal, a choice's rewards side by side.
    fn reward(&mut self, arrays: &ModelArrays<N>) -> Result<Vec<N>, ReadError> {
        let n = self.rewards.len();
        let mut sums = vec![N::ZERO; self.index.n_choices * n];
        for (principal, mut rewards) in std::mem::take(&mut self.rewards).into_iter().enumerate() {
            if rewards.states.is_none() && rewards.choices.is_none() && rewards.branches.is_none() {
                let RewardIndex { name, folder, .. } = &self.index.rewards[rewards.structure];
                let message = format!("reward structure {} has no values in the archive", shown(name));
                return Err(ReadError::archive(Some(folder), message, "write the file anew, or give it no discount"));
            }
            if let Some(choices) = rewards.choices.take() {
                choices.into_iter().enumerate().for_each(|(choice, reward)| sums[choice * n + principal] = reward);
            }
            if rewards.branches.is_some() {
                let own = sums.iter_mut().skip(principal).step_by(n);
                self.add_expected(arrays, &rewards, own)?;
                continue;
            }
            for (state, reward) in rewards.states.iter().flatten().enumerate().filter(|(_, reward)| **reward != N::ZERO)
            {
                for choice in range(&arrays.first_choice, state) {
                    let sum = &mut sums[choice * n + principal];
                    *sum = sum.plus(reward);
                }
            }
        }
        Ok(sums)
    }

    /// Adds to the rewards of choices those of states and the expected ones of branches: exactly, and rounded once.
    fn add_expected<'s>(
        &self,
        arrays: &ModelArrays<N>,
        rewards: &Rewards<N>,
        mut sums: impl Iterator<Item = &'s mut N>,
    ) -> Result<(), ReadError> {
        let index = &self.index.rewards[rewards.structure];
        let stored = rewards.branches.as_deref().unwrap_or_default();
        let reward = |branch: usize| {
            let file = || format!("{}/branches/values.bin", index.folder);
            decoded(stored, branch, index.number, Purpose::Reward).ok_or_else(|| not_a_number(&file(), branch))
        };
        for state in 0..self.index.n_states {
            let of_state = rewards.states.as_ref().map_or(N::ZERO, |states| states[state].clone());
            for choice in range(&arrays.first_choice, state) {
                let row = range(&arrays.first_transition, choice);
                let sum = sums.next().expect("a sum for each choice");
                let rewards: Vec<Rational> = row.clone().map(reward).collect::<Result<_, _>>()?;
                let probabilities: Vec<Rational> = row.map(|branch| self.exact_probability(arrays, branch)).collect();
                let total = Rational::row_sum(&probabilities).filter(|total| !total.is_zero());
                // A row without a sum is refused when it is settled.
                let expected = total.map_or(Rational::ZERO, |total| expectation(&probabilities, &rewards) / total);
                *sum = match (sum.to_exact(), of_state.to_exact()) {
                    (Some(of_choice), Some(of_state)) => N::from_reward(of_choice + of_state + expected),
                    // Too large already.
                    _ => sum.plus(&of_state),
                };
            }
        }
        Ok(())
    }

    fn exact_probability(&self, arrays: &ModelArrays<N>, branch: usize) -> Rational {
        let stored = self.stored_probability.as_deref().zip(self.index.probability);
        let stored = stored.and_then(|(stored, number)| decoded(stored, branch, number, Purpose::Probability));
        stored.or_else(|| arrays.probability[branch].to_exact()).expect("a number that was read")
    }
}

/// The number at a position of an array as it is stored; `None` if the bytes do not encode a number.
fn decoded(stored: &[u8], position: usize, number: NumberType, purpose: Purpose) -> Option<Rational> {
    number.decode(&stored[position * number.size()..(position + 1) * number.size()], purpose)
}

/// Makes every row one of probabilities. Rows that become shorter are moved together.
fn settle<N: ModelNumber>(arrays: &mut ModelArrays<N>, rows: &mut Rows, written: Written) -> Result<(), ReadError> {
    let mut end = 0;
    for choice in 0..arrays.action.len() {
        let row = arrays.first_transition[choice] as usize..arrays.first_transition[choice + 1] as usize;
        let settled = rows.settle(&mut arrays.target[row.clone()], &mut arrays.probability[row.clone()], written);
        let length = settled.map_err(|fault| row_fault(&fault, arrays, choice))?;
        // The offset of this row is not needed any more, that of the next one is.
        arrays.first_transition[choice] = end as u32;
        for entry in 0..length {
            arrays.target.swap(end + entry, row.start + entry);
            arrays.probability.swap(end + entry, row.start + entry);
        }
        end += length;
    }
    if let Some(last) = arrays.first_transition.last_mut() {
        *last = end as u32;
    }
    arrays.target.truncate(end);
    arrays.probability.truncate(end);
    Ok(())
}

fn row_fault<N>(fault: &RowFault, arrays: &ModelArrays<N>, choice: usize) -> ReadError {
    let state = arrays.first_choice.partition_point(|&first| first as usize <= choice) - 1;
    let position = choice - arrays.first_choice[state] as usize;
    let action = arrays.action_names.get(arrays.action[choice] as usize);
    let (message, help) = fault.message();
    let message = format!("state {state}, choice {position} (`{action}`): {message}");
    ReadError::archive(Some(PROBABILITIES), message, help)
}

/// The offsets, or one target for each source if there are none.
fn or_one_each(offsets: Option<Vec<u32>>, file: &str, n: usize, end: usize) -> Result<Vec<u32>, ReadError> {
    match offsets {
        Some(offsets) => Ok(offsets),
        None if n == end => Ok((0..=n as u32).collect()),
        None => Err(missing(file)),
    }
}

fn range(offsets: &[u32], index: usize) -> Range<usize> {
    offsets[index] as usize..offsets[index + 1] as usize
}

pub(super) fn missing(file: &str) -> ReadError {
    ReadError::archive(None, format!("the archive has no `{file}`"), "the file is not whole; write it anew")
}
