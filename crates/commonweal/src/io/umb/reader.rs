//! A model from a UMB archive.

use super::super::{
    Loaded, Overview, ReadError, ReadOptions,
    compression::{Plain, plain},
    discounts::{Discounts, Selection},
};
use super::arrays::Source;
use super::index::{INDEX, Index};
use super::numbers::{NumberType, Purpose};
use super::tar::{Archive, Member};
use super::valuations::ValuationFiles;
use super::{
    BRANCHES, CHOICES, INITIAL, PROBABILITIES, STRING_OFFSETS, STRINGS, TARGETS, VALUATION_CLASSES, VALUATION_OFFSETS,
    VALUATION_STRINGS, VALUATIONS,
};
use crate::model::StateId;
use crate::number::ModelNumber;
use std::io::BufRead;

/// The most bytes of files that are kept because they come before the index.
const LARGEST_EARLY: u64 = 1 << 30;
/// The most bytes that the names of actions may have together, and the variables of states: those of larger models have none.
const LARGEST_STRINGS: u64 = 1 << 30;

/// The model in a UMB file, packed or not.
pub fn read_umb<N: ModelNumber>(input: impl BufRead, options: &ReadOptions) -> Result<Loaded<N>, ReadError> {
    let Plain { input, trusted, .. } = plain(input, options)?;
    let mut archive = Archive::new(input);
    // The index comes first, unless the archive was packed again by another tool.
    let mut early: Vec<(Member, Vec<u8>)> = Vec::new();
    let mut kept = 0;
    let mut files: Option<Files<N>> = None;
    while let Some(member) = archive.next()? {
        let source = Source { archive: &mut archive, member: &member, trusted };
        match &mut files {
            Some(files) => files.take(source)?,
            None if member.name == INDEX => {
                Index::check_size(member.size)?;
                let index = Index::parse(&source.bytes()?)?;
                index.check_rows()?;
                let mut read = Files::new(index, options)?;
                for (member, bytes) in early.drain(..) {
                    read.take(Source {
                        archive: &mut Archive::inside(&bytes[..]),
                        member: &member,
                        trusted: member.size,
                    })?;
                }
                files = Some(read);
            }
            None => {
                kept += member.size;
                if kept > LARGEST_EARLY {
                    let help = "pack the archive with the index first";
                    return Err(ReadError::archive(None, format!("`{INDEX}` does not come first"), help));
                }
                let bytes = source.bytes()?;
                early.push((member, bytes));
            }
        }
    }
    files.ok_or_else(no_index)?.model(options)
}

/// The size of the model according to the index of a UMB file. The arrays are not read.
pub fn umb_overview(input: impl BufRead) -> Result<Overview, ReadError> {
    let Plain { input, .. } = plain(input, &ReadOptions::new(Discounts::Unspecified))?;
    let mut archive = Archive::new(input);
    while let Some(member) = archive.next()? {
        if member.name == INDEX {
            Index::check_size(member.size)?;
            let index = Index::parse(&Source { archive: &mut archive, member: &member, trusted: 0 }.bytes()?)?;
            index.check_rows()?;
            let exact = !index.numbers().any(|number| number == NumberType::Double);
            return Ok(Overview {
                states: index.n_states as u64,
                choices: Some(index.n_choices as u64),
                transitions: Some(index.n_branches as u64),
                exact,
            });
        }
    }
    Err(no_index())
}

pub(super) fn no_index() -> ReadError {
    ReadError::archive(None, format!("the archive has no `{INDEX}`"), "is this a UMB file?")
}

/// The files of an archive, as far as they have been read.
pub(super) struct Files<N> {
    pub index: Index,
    pub selection: Selection,
    pub first_choice: Option<Vec<u32>>,
    pub first_branch: Option<Vec<u32>>,
    pub target: Option<Vec<StateId>>,
    pub probability: Option<Vec<N>>,
    /// The probabilities as they are stored, where these are needed exactly and `N` rounds them.
    pub stored_probability: Option<Vec<u8>>,
    /// How many states are initial, and the first of them.
    pub initial: Option<(usize, Option<usize>)>,
    pub action: Option<Vec<Action>>,
    pub string_offsets: Option<Vec<u8>>,
    pub strings: Option<Vec<u8>>,
    /// One for each principal.
    pub rewards: Vec<Rewards<N>>,
    pub valuations: ValuationFiles,
}

/// The number of an action.
#[derive(Clone, Copy)]
pub(super) struct Action(pub u32);

impl From<usize> for Action {
    fn from(index: usize) -> Action {
        Action(index as u32)
    }
}

/// The rewards of a principal.
pub(super) struct Rewards<N> {
    pub structure: usize,
    pub states: Option<Vec<N>>,
    pub choices: Option<Vec<N>>,
    /// As they are stored.
    pub branches: Option<Vec<u8>>,
}

impl<N: ModelNumber> Files<N> {
    pub fn new(index: Index, options: &ReadOptions) -> Result<Files<N>, ReadError> {
        let names: Vec<String> = index.rewards.iter().map(|reward| reward.name.clone()).collect();
        let selection = options.discounts.select(&names)?;
        let selected = (0..names.len()).filter(|&structure| selection.principal_of[structure].is_some());
        let rewards =
            selected.map(|structure| Rewards { structure, states: None, choices: None, branches: None }).collect();
        Ok(Files {
            index,
            selection,
            first_choice: None,
            first_branch: None,
            target: None,
            probability: None,
            stored_probability: None,
            initial: None,
            action: None,
            string_offsets: None,
            strings: None,
            rewards,
            valuations: ValuationFiles::default(),
        })
    }

    /// Reads a file, if it is one that matters.
    pub fn take<R: BufRead>(&mut self, source: Source<R>) -> Result<(), ReadError> {
        let Index { n_states, n_choices, n_branches, n_targets, n_actions, .. } = self.index;
        let member = source.member;
        match member.name.as_str() {
            CHOICES => set(&mut self.first_choice, member, source.offsets(n_states, n_choices)?),
            BRANCHES => set(&mut self.first_branch, member, source.offsets(n_choices, n_branches)?),
            TARGETS => set(&mut self.target, member, source.indices(n_branches, 8, n_targets, "states")?),
            PROBABILITIES => self.take_probabilities(source),
            INITIAL => set(&mut self.initial, member, source.bits(n_states)?),
            super::ACTIONS => set(&mut self.action, member, source.indices(n_choices, 4, n_actions, "actions")?),
            STRING_OFFSETS => {
                set(&mut self.string_offsets, member, source.raw(n_actions + 1, NumberType::Uint.size())?)
            }
            STRINGS => {
                check_strings(member)?;
                set(&mut self.strings, member, source.bytes()?)
            }
            name if name.starts_with("annotations/rewards/") => self.take_rewards(source),
            _ if self.index.valuations.is_none() || member.size > LARGEST_STRINGS => Ok(()),
            VALUATIONS => set(&mut self.valuations.values, member, source.bytes()?),
            VALUATION_CLASSES => set(&mut self.valuations.classes, member, source.raw(n_states, 4)?),
            VALUATION_OFFSETS => set(&mut self.valuations.string_offsets, member, source.bytes()?),
            VALUATION_STRINGS => set(&mut self.valuations.strings, member, source.bytes()?),
            _ => Ok(()),
        }
    }

    fn take_probabilities<R: BufRead>(&mut self, source: Source<R>) -> Result<(), ReadError> {
        let member = source.member;
        let n = self.index.n_branches;
        let Some(number) = self.index.probability else {
            let help = format!("give `branch-probability-type` in `{INDEX}`");
            return Err(ReadError::archive(Some(&member.name), "the index does not say what these numbers are", help));
        };
        let has_branch_rewards = self.rewards.iter().any(|rewards| self.index.rewards[rewards.structure].has_branches);
        if !has_branch_rewards || number == NumberType::Double {
            return set(&mut self.probability, member, source.numbers(n, number, Purpose::Probability)?);
        }
        let stored = source.raw(n, number.size())?;
        let decode = |(position, bytes): (usize, &[u8])| {
            number.decode(bytes, Purpose::Probability).ok_or_else(|| not_a_number(PROBABILITIES, position))
        };
        let decoded = stored.chunks_exact(number.size()).enumerate().map(decode).collect::<Result<_, _>>()?;
        set(&mut self.probability, member, decoded)?;
        set(&mut self.stored_probability, member, stored)
    }

    fn take_rewards<R: BufRead>(&mut self, source: Source<R>) -> Result<(), ReadError> {
        let member = source.member;
        let Index { n_states, n_choices, n_branches, .. } = self.index;
        for rewards in &mut self.rewards {
            let index = &self.index.rewards[rewards.structure];
            let Some(file) = member.name.strip_prefix(&*index.folder) else { continue };
            match file {
                "/states/values.bin" => {
                    return set(&mut rewards.states, member, source.numbers(n_states, index.number, Purpose::Reward)?);
                }
                "/choices/values.bin" => {
                    return set(
                        &mut rewards.choices,
                        member,
                        source.numbers(n_choices, index.number, Purpose::Reward)?,
                    );
                }
                "/branches/values.bin" => {
                    return set(&mut rewards.branches, member, source.raw(n_branches, index.number.size())?);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Refuses names that are too long to be kept.
pub(super) fn check_strings(member: &Member) -> Result<(), ReadError> {
    if member.size <= LARGEST_STRINGS {
        return Ok(());
    }
    let message = format!("the names have {} bytes", member.size);
    Err(ReadError::archive(Some(&member.name), message, format!("this program reads at most {LARGEST_STRINGS}")))
}

/// Stores the contents of a file, which must not appear twice.
fn set<T>(place: &mut Option<T>, member: &Member, value: T) -> Result<(), ReadError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(ReadError::archive(Some(&member.name), "the archive has this file twice", "keep one")),
    }
}

pub(super) fn not_a_number(file: &str, position: usize) -> ReadError {
    ReadError::archive(Some(file), format!("entry {position} is not a number"), "write the file anew")
}
