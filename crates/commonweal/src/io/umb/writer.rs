//! Models as UMB: a tar archive that is not packed.

use super::super::UNNAMED_ACTION;
use super::index::INDEX;
use super::numbers::{encode, half_size};
use super::tar::{write_end, write_member};
use super::{ACTIONS, BRANCHES, CHOICES, INITIAL, PROBABILITIES, STRING_OFFSETS, STRINGS, TARGETS};
use crate::model::{ChoiceId, Mdp};
use crate::number::{ModelNumber, Rational};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The bytes that are put together before they are written, about.
const CHUNK: usize = 1 << 16;

/// A number as UMB has it.
pub trait UmbNumber: ModelNumber {
    /// What the numbers are called.
    const TYPE: &'static str;

    /// How many bytes each of them takes, so that all fit.
    fn size_of_all<'n>(numbers: impl Iterator<Item = &'n Self>) -> usize;

    /// Adds the number to the bytes, in `size` of them.
    fn encode(&self, size: usize, bytes: &mut Vec<u8>);
}

impl UmbNumber for f64 {
    const TYPE: &'static str = "double";

    fn size_of_all<'n>(_: impl Iterator<Item = &'n f64>) -> usize {
        8
    }

    fn encode(&self, _: usize, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

impl UmbNumber for Rational {
    const TYPE: &'static str = "rational";

    fn size_of_all<'n>(numbers: impl Iterator<Item = &'n Rational>) -> usize {
        2 * numbers.map(half_size).max().unwrap_or(8)
    }

    fn encode(&self, size: usize, bytes: &mut Vec<u8>) {
        encode(self, size / 2, bytes);
    }
}

/// Writes the model as UMB: fractions as fractions, all of a kind as long as the longest needs, and doubles as doubles.
///
/// Rewards are written as they are, without the principals' weights, and discounts not at all. States are numbered.
pub fn write_umb<N: UmbNumber>(model: &Mdp<N>, out: &mut dyn Write) -> io::Result<()> {
    let choices = || (0..model.n_choices()).map(ChoiceId::from);
    let probabilities = || choices().flat_map(|choice| model.probabilities(choice));
    let rewards = |principal: usize| choices().map(move |choice| &model.rewards(choice)[principal]);
    let probability_size = N::size_of_all(probabilities());
    let reward_sizes: Vec<usize> = (0..model.n_principals()).map(|p| N::size_of_all(rewards(p))).collect();
    let identifiers = identifiers(model);
    let actions = Actions::of(model);

    let index = index(model, probability_size, &identifiers, &reward_sizes, actions.names.len());
    let index = serde_json::to_string_pretty(&index)? + "\n";
    write_member(out, INDEX, index.len() as u64, |out| out.write_all(index.as_bytes()))?;

    let offsets = |lengths: &mut dyn Iterator<Item = usize>| {
        let mut end = 0;
        let ends = lengths.map(|length| {
            end += length as u64;
            end
        });
        std::iter::once(0).chain(ends).collect::<Vec<u64>>()
    };
    words(out, CHOICES, offsets(&mut model.states().map(|state| model.choices(state).len())).into_iter())?;
    let mut initial = vec![0u64; model.n_states().div_ceil(64)];
    initial[model.start().index() / 64] |= 1 << (model.start().index() % 64);
    words(out, INITIAL, initial.into_iter())?;
    words(out, BRANCHES, offsets(&mut choices().map(|choice| model.targets(choice).len())).into_iter())?;
    let targets = choices().flat_map(|choice| model.targets(choice)).map(|target| target.index() as u64);
    array(out, TARGETS, model.n_transitions(), 8, targets, |target, bytes| bytes.extend(target.to_le_bytes()))?;
    let n = model.n_transitions();
    array(out, PROBABILITIES, n, probability_size, probabilities(), |p, bytes| p.encode(probability_size, bytes))?;
    let n = model.n_choices();
    array(out, ACTIONS, n, 4, actions.of_choice.iter(), |action, bytes| bytes.extend(action.to_le_bytes()))?;
    words(out, STRING_OFFSETS, offsets(&mut actions.names.iter().map(String::len)).into_iter())?;
    let strings = actions.names.concat();
    write_member(out, STRINGS, strings.len() as u64, |out| out.write_all(strings.as_bytes()))?;
    for (principal, (identifier, size)) in identifiers.iter().zip(reward_sizes).enumerate() {
        let name = format!("annotations/rewards/{identifier}/choices/values.bin");
        array(out, &name, n, size, rewards(principal), |reward, bytes| reward.encode(size, bytes))?;
    }
    write_end(out)
}

fn index<N: UmbNumber>(
    model: &Mdp<N>,
    probability_size: usize,
    identifiers: &[String],
    reward_sizes: &[usize],
    n_actions: usize,
) -> Value {
    let number = |size: usize| json!({"type": N::TYPE, "size": 8 * size});
    let mut rewards = Map::new();
    for ((principal, identifier), &size) in model.principals().iter().zip(identifiers).zip(reward_sizes) {
        let reward = json!({"alias": principal.name, "applies-to": ["choices"], "type": number(size)});
        rewards.insert(identifier.clone(), reward);
    }
    json!({
        "format-version": 1,
        "format-revision": 0,
        "file-data": {"tool": "commonweal", "tool-version": env!("CARGO_PKG_VERSION")},
        "transition-system": {
            "time": "discrete",
            "#players": 1,
            "#states": model.n_states(),
            "#initial-states": 1,
            "#choices": model.n_choices(),
            "#choice-actions": n_actions,
            "#branches": model.n_transitions(),
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": number(probability_size),
        },
        "annotations": {"rewards": rewards},
    })
}

/// The actions that choices have, each once, in the order of their first use.
struct Actions {
    names: Vec<String>,
    of_choice: Vec<u32>,
}

impl Actions {
    fn of<N>(model: &Mdp<N>) -> Actions {
        let mut actions = Actions { names: Vec::new(), of_choice: Vec::with_capacity(model.n_choices()) };
        let mut number_of = std::collections::HashMap::new();
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            let label = model.action_label(choice);
            let number = *number_of.entry(label).or_insert_with_key(|label| {
                // An action without a name has an empty one.
                actions.names.push(if label == UNNAMED_ACTION { String::new() } else { label.clone().into_owned() });
                actions.names.len() as u32 - 1
            });
            actions.of_choice.push(number);
        }
        actions
    }
}

/// The names of the principals' folders: lower-case letters, digits, `_` and `-`; other characters in hexadecimal,
/// as Storm writes it.
fn identifiers<N>(model: &Mdp<N>) -> Vec<String> {
    let mut identifiers: Vec<String> = Vec::new();
    for principal in model.principals() {
        let mut identifier = String::new();
        for character in principal.name.chars() {
            match character {
                'a'..='z' | '0'..='9' | '_' | '-' => identifier.push(character),
                other => identifier += &format!("0x{:02x}", other as u32),
            }
        }
        while identifier.is_empty() || identifiers.contains(&identifier) {
            identifier.push('_');
        }
        identifiers.push(identifier);
    }
    identifiers
}

fn words(out: &mut dyn Write, name: &str, words: impl ExactSizeIterator<Item = u64>) -> io::Result<()> {
    array(out, name, words.len(), 8, words, |word, bytes| bytes.extend(word.to_le_bytes()))
}

/// Writes an array of `n` items of equal size.
fn array<T>(
    out: &mut dyn Write,
    name: &str,
    n: usize,
    size: usize,
    items: impl Iterator<Item = T>,
    encode: impl Fn(T, &mut Vec<u8>),
) -> io::Result<()> {
    write_member(out, name, n as u64 * size as u64, |out| {
        let mut bytes = Vec::with_capacity(CHUNK + size);
        for item in items {
            encode(item, &mut bytes);
            if bytes.len() >= CHUNK {
                out.write_all(&bytes)?;
                bytes.clear();
            }
        }
        out.write_all(&bytes)
    })
}
