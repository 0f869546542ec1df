//! Some states of a UMB file, read without the others: a file that is not packed is arrays, and their slices stand next to each
//! other. Memory: the slice, and one array of it as it is stored.

use super::super::{Discounts, ReadError, ReadOptions};
use super::arrays::{Source, word};
use super::index::{INDEX, Index};
use super::numbers::NumberType;
use super::reader::Files;
use super::tar::{Archive, Member};
use super::{
    ACTIONS, BRANCHES, CHOICES, INITIAL, PROBABILITIES, STRING_OFFSETS, STRINGS, TARGETS, VALUATION_CLASSES,
    VALUATION_OFFSETS, VALUATION_STRINGS, VALUATIONS,
};
use crate::model::{ModelArrays, NameTable, Principal, SourceChoice, StateSource};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

/// Reads the bytes of the file from this position on.
pub type ReadAt<'a> = dyn Fn(u64, &mut [u8]) -> Result<(), String> + 'a;

/// A UMB file that is not packed: where its arrays are.
#[derive(Debug)]
pub struct UnpackedUmb {
    members: Vec<(Member, u64)>,
    index: Vec<u8>,
    n_states: u64,
}

impl UnpackedUmb {
    /// Finds the arrays of a file; `None` if it is packed, or no archive at all.
    pub fn find(input: impl Read + Seek) -> Result<Option<UnpackedUmb>, ReadError> {
        let mut input = BufReader::new(input);
        let mut magic = [0; 6];
        input.read_exact(&mut magic).ok();
        if magic.starts_with(b"\x1f\x8b") || magic == *b"\xfd7zXZ\0" {
            return Ok(None);
        }
        let (mut members, mut at) = (Vec::new(), 0);
        loop {
            input.seek(SeekFrom::Start(at))?;
            let Some(member) = Archive::new(&mut input).next()? else { break };
            let begin = input.stream_position()?;
            at = begin + member.size.next_multiple_of(512);
            members.push((member, begin));
        }
        let Some((member, begin)) = members.iter().find(|(member, _)| member.name == INDEX) else { return Ok(None) };
        Index::check_size(member.size)?;
        let mut index = vec![0; member.size as usize];
        input.seek(SeekFrom::Start(*begin))?;
        input.read_exact(&mut index)?;
        let n_states = Index::parse(&index)?.n_states as u64;
        Ok(Some(UnpackedUmb { members, index, n_states }))
    }

    /// How many states the file has.
    pub fn n_states(&self) -> u64 {
        self.n_states
    }

    /// The states of `range`, which are read by `read`.
    pub fn slice(&self, range: Range<u64>, options: &ReadOptions, read: &ReadAt) -> Result<UmbSlice, ReadError> {
        let mut index = Index::parse(&self.index)?;
        let (n_states, n_choices, n_branches) = (self.n_states, index.n_choices as u64, index.n_branches as u64);
        let part = |name: &str, from: u64, bytes: u64, n: u64, size: u64| -> Result<Option<Vec<u8>>, ReadError> {
            let Some((member, begin)) = self.members.iter().find(|(member, _)| member.name == name) else {
                return Ok(None);
            };
            if member.size != n * size {
                let message = format!("the file has {} bytes, not {}: {n} entries of {size}", member.size, n * size);
                return Err(ReadError::archive(
                    Some(name),
                    message,
                    "the file does not fit its `index.json`; write it anew",
                ));
            }
            let mut contents = vec![0; bytes as usize];
            read(begin + from, &mut contents)
                .map_err(|error| ReadError::archive(Some(name), error, "get the whole file"))?;
            Ok(Some(contents))
        };
        let items = |name: &str, range: &Range<u64>, n: u64, size: u64| {
            part(name, range.start * size, (range.end - range.start) * size, n, size)
        };
        // Offsets of the slice begin with 0, as those of a whole file do.
        let offsets =
            |name: &str, range: &Range<u64>, n: u64, last: u64| -> Result<(Option<Vec<u8>>, Range<u64>), ReadError> {
                let Some(mut bytes) = items(name, &(range.start..range.end + 1), n + 1, 8)? else {
                    return if n == last { Ok((None, range.clone())) } else { Err(super::assembly::missing(name)) };
                };
                let first = word(&bytes[..8]);
                let mut end = first;
                for (at, bytes) in bytes.chunks_exact_mut(8).enumerate() {
                    let offset = word(bytes);
                    if offset < end || offset > last {
                        let message =
                            format!("offset {} is {offset}, not between {end} and {last}", range.start + at as u64);
                        return Err(ReadError::archive(Some(name), message, "write the file anew"));
                    }
                    end = offset;
                    bytes.copy_from_slice(&(offset - first).to_le_bytes());
                }
                Ok((Some(bytes), first..end))
            };
        let (first_choice, choices) = offsets(CHOICES, &range, n_states, n_choices)?;
        let (first_branch, branches) = offsets(BRANCHES, &choices, n_choices, n_branches)?;
        let count = |range: &Range<u64>| (range.end - range.start) as usize;
        (index.n_states, index.n_choices, index.n_branches) = (count(&range), count(&choices), count(&branches));
        index.n_targets = n_states as usize;
        index.check_rows()?;
        let n_actions = index.n_actions as u64;
        let probability = index.probability.map_or(8, NumberType::size) as u64;
        let rewards: Vec<(String, u64)> =
            index.rewards.iter().map(|reward| (reward.folder.clone(), reward.number.size() as u64)).collect();
        let mut files: Files<f64> = Files::new(index, options)?;
        let mut take = |name: &str, contents: Option<Vec<u8>>| match contents {
            None => Ok(()),
            Some(bytes) => {
                let member = Member { name: name.to_owned(), size: bytes.len() as u64 };
                files.take(Source { archive: &mut Archive::inside(&bytes[..]), member: &member, trusted: member.size })
            }
        };
        take(CHOICES, first_choice)?;
        take(BRANCHES, first_branch)?;
        take(TARGETS, items(TARGETS, &branches, n_branches, 8)?)?;
        take(PROBABILITIES, items(PROBABILITIES, &branches, n_branches, probability)?)?;
        if n_actions > 0 {
            take(ACTIONS, items(ACTIONS, &choices, n_choices, 4)?)?;
            take(STRING_OFFSETS, items(STRING_OFFSETS, &(0..n_actions + 1), n_actions + 1, 8)?)?;
            take(STRINGS, self.whole(STRINGS, read)?)?;
        }
        for (folder, size) in &rewards {
            for (kind, range, n) in
                [("states", &range, n_states), ("choices", &choices, n_choices), ("branches", &branches, n_branches)]
            {
                let name = format!("{folder}/{kind}/values.bin");
                take(&name, items(&name, range, n, *size)?)?;
            }
        }
        let (start, start_name) = self.start(options, read)?;
        let arrays = files.arrays(options, NameTable::numbered_from(range.start as usize, count(&range)), 0)?;
        Ok(UmbSlice { range, n_states, start, start_name, arrays })
    }

    /// The start state and its name. Names are those of all states.
    fn start(&self, options: &ReadOptions, read: &ReadAt) -> Result<(u64, String), ReadError> {
        let mut all: Files<f64> = Files::new(Index::parse(&self.index)?, &ReadOptions::new(Discounts::Unspecified))?;
        for name in [INITIAL, VALUATIONS, VALUATION_CLASSES, VALUATION_OFFSETS, VALUATION_STRINGS] {
            let Some(bytes) = self.whole(name, read)? else { continue };
            let member = Member { name: name.to_owned(), size: bytes.len() as u64 };
            all.take(Source { archive: &mut Archive::inside(&bytes[..]), member: &member, trusted: member.size })?;
        }
        let names = all.state_names()?;
        let start = all.start(options, &names)?;
        Ok((start as u64, names.get(start).into_owned()))
    }

    fn whole(&self, name: &str, read: &ReadAt) -> Result<Option<Vec<u8>>, ReadError> {
        let Some((member, begin)) = self.members.iter().find(|(member, _)| member.name == name) else {
            return Ok(None);
        };
        super::reader::check_strings(member)?;
        let mut bytes = vec![0; member.size as usize];
        read(*begin, &mut bytes).map_err(|error| ReadError::archive(Some(name), error, "get the whole file"))?;
        Ok(Some(bytes))
    }
}

/// Some states of a UMB file, which may be asked for.
#[derive(Debug)]
pub struct UmbSlice {
    range: Range<u64>,
    n_states: u64,
    start: u64,
    start_name: String,
    /// Targets are positions among all states.
    arrays: ModelArrays<f64>,
}

impl UmbSlice {
    /// Who is concerned, to change their weights.
    pub fn principals_mut(&mut self) -> &mut [Principal] {
        &mut self.arrays.principals
    }
}

impl StateSource for UmbSlice {
    fn n_states(&self) -> u64 {
        self.n_states
    }

    fn start(&self) -> u64 {
        self.start
    }

    fn start_name(&self) -> String {
        self.start_name.clone()
    }

    fn principals(&self) -> &[Principal] {
        &self.arrays.principals
    }

    fn action_names(&self) -> NameTable {
        self.arrays.action_names.clone()
    }

    fn choices(&self, state: u64, visit: &mut dyn FnMut(SourceChoice)) {
        let ModelArrays { first_choice, first_transition, action, reward, target, probability, principals, .. } =
            &self.arrays;
        let (state, n) = ((state - self.range.start) as usize, principals.len());
        let mut targets = Vec::new();
        for choice in first_choice[state] as usize..first_choice[state + 1] as usize {
            let row = first_transition[choice] as usize..first_transition[choice + 1] as usize;
            targets.clear();
            targets.extend(target[row.clone()].iter().map(|target| target.index() as u64));
            visit(SourceChoice {
                action: action[choice],
                rewards: &reward[choice * n..(choice + 1) * n],
                targets: &targets,
                probabilities: &probability[row],
            });
        }
    }
}
