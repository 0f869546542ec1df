//! `index.json`: the kind of the model, its size, and the types of its numbers.

use super::super::{ReadError, parse_error::shown};
use super::numbers::NumberType;
use super::valuations::{Valuations, ValuationsFile};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The name of the index in the archive.
pub(super) const INDEX: &str = "index.json";
/// The largest index that is read, in bytes.
const LARGEST: u64 = 64 << 20;
/// The version of the format that is read.
const VERSION: u64 = 1;

#[derive(Debug, Deserialize)]
struct IndexFile {
    #[serde(rename = "format-version")]
    format_version: u64,
    #[serde(rename = "transition-system")]
    transition_system: TransitionSystem,
    #[serde(default)]
    annotations: Map<String, Value>,
    valuations: Option<ValuationsFile>,
}

#[derive(Debug, Deserialize)]
struct TransitionSystem {
    time: String,
    #[serde(rename = "#players")]
    players: u64,
    #[serde(rename = "#states")]
    states: u64,
    #[serde(rename = "#choices")]
    choices: u64,
    #[serde(rename = "#choice-actions", default)]
    choice_actions: u64,
    #[serde(rename = "#branches")]
    branches: u64,
    #[serde(rename = "#observations", default)]
    observations: u64,
    #[serde(rename = "branch-probability-type")]
    branch_probability_type: Option<TypeFile>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TypeFile {
    pub r#type: String,
    pub size: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct AnnotationFile {
    alias: Option<String>,
    #[serde(rename = "applies-to", default)]
    applies_to: Vec<String>,
    r#type: TypeFile,
    #[serde(rename = "probability-type")]
    probability_type: Option<TypeFile>,
}

/// The index of a model that can be read.
#[derive(Debug)]
pub(super) struct Index {
    pub n_states: usize,
    pub n_choices: usize,
    pub n_branches: usize,
    /// How many states branches may lead to: all of them, also where only some are read.
    pub n_targets: usize,
    pub n_actions: usize,
    /// `None` if no branch has a probability, as where all have 1.
    pub probability: Option<NumberType>,
    /// In the file's order.
    pub rewards: Vec<RewardIndex>,
    /// The variables that name the states.
    pub valuations: Option<Valuations>,
}

/// A reward structure.
#[derive(Debug)]
pub(super) struct RewardIndex {
    pub name: String,
    /// The folder of its files.
    pub folder: String,
    pub number: NumberType,
    pub has_branches: bool,
}

impl Index {
    /// The index in these bytes, which are those of the whole file.
    pub fn parse(bytes: &[u8]) -> Result<Index, ReadError> {
        let file: IndexFile = serde_json::from_slice(bytes).map_err(|error| {
            fault(error.to_string(), "the index of a UMB file is JSON with the keys of the format's specification")
        })?;
        if file.format_version != VERSION {
            let message = format!("the file has version {} of the format", file.format_version);
            return Err(fault(message, format!("this program reads version {VERSION}")));
        }
        let system = file.transition_system;
        check_kind(&system)?;
        let index = Index {
            n_states: size(system.states, "states")?,
            n_choices: system.choices as usize,
            n_branches: system.branches as usize,
            n_targets: size(system.states, "states")?,
            n_actions: size(system.choice_actions, "actions")?,
            probability: system.branch_probability_type.map(|file| number_type(&file, "probabilities")).transpose()?,
            rewards: rewards(file.annotations)?,
            valuations: Valuations::described(file.valuations)?,
        };
        index.check_counts()?;
        Ok(index)
    }

    /// The types of all numbers.
    pub fn numbers(&self) -> impl Iterator<Item = NumberType> {
        self.probability.into_iter().chain(self.rewards.iter().map(|reward| reward.number))
    }

    /// Refuses more rows than are read at once.
    pub fn check_rows(&self) -> Result<(), ReadError> {
        size(self.n_choices as u64, "choices")?;
        size(self.n_branches as u64, "branches").map(drop)
    }

    /// Refuses an index that is too long to be one.
    pub fn check_size(size: u64) -> Result<(), ReadError> {
        if size <= LARGEST {
            Ok(())
        } else {
            Err(fault(format!("the index has {size} bytes"), format!("this program reads at most {LARGEST}")))
        }
    }

    fn check_counts(&self) -> Result<(), ReadError> {
        if self.n_states == 0 {
            return Err(fault("the model has no states", "give it at least one"));
        }
        if self.n_choices < self.n_states {
            let message = format!("{} choices are too few for {} states", self.n_choices, self.n_states);
            return Err(fault(message, "a run must go on: every state needs a choice, such as one that stays"));
        }
        if self.n_branches < self.n_choices {
            let message = format!("{} branches are too few for {} choices", self.n_branches, self.n_choices);
            return Err(fault(message, "every choice must lead somewhere"));
        }
        Ok(())
    }
}

/// A count that identifiers have room for.
fn size(count: u64, what: &str) -> Result<usize, ReadError> {
    match usize::try_from(count) {
        Ok(size) if count < u64::from(u32::MAX) => Ok(size),
        _ => Err(fault(format!("the model has {count} {what}"), format!("this program reads fewer than {}", u32::MAX))),
    }
}

fn check_kind(system: &TransitionSystem) -> Result<(), ReadError> {
    if system.time != "discrete" {
        let message = format!("the model's time is {}", shown(&system.time));
        return Err(fault(message, "models in steps are read, whose time is `discrete`"));
    }
    if system.players > 1 {
        let message = format!("the model is a game of {} players", system.players);
        return Err(fault(message, "models in which one agent decides are read"));
    }
    match system.observations {
        0 => Ok(()),
        _ => Err(fault("the agent of this model does not see the state", "models whose state is known are read")),
    }
}

fn rewards(mut annotations: Map<String, Value>) -> Result<Vec<RewardIndex>, ReadError> {
    let Some(rewards) = annotations.remove("rewards") else { return Ok(Vec::new()) };
    let Value::Object(rewards) = rewards else {
        return Err(fault("`rewards` is not a map", "it maps names to descriptions"));
    };
    let mut found: Vec<RewardIndex> = Vec::new();
    for (identifier, value) in rewards {
        let what = format!("reward structure {}", shown(&identifier));
        let file: AnnotationFile = serde_json::from_value(value)
            .map_err(|error| fault(format!("{what}: {error}"), "describe it as the format's specification says"))?;
        if file.probability_type.is_some() {
            return Err(fault(format!("{what} is random"), "give the rewards as numbers, such as their expectations"));
        }
        if let Some(other) = file.applies_to.iter().find(|to| !["states", "choices", "branches"].contains(&to.as_str()))
        {
            let message = format!("{what} belongs to {}", shown(other));
            return Err(fault(message, "rewards of states, choices and branches are read"));
        }
        let name = file.alias.unwrap_or_else(|| identifier.clone());
        if found.iter().any(|earlier| earlier.name == name) {
            return Err(fault(format!("there are two reward structures called {}", shown(&name)), "rename one"));
        }
        let number = number_type(&file.r#type, &what)?;
        let has_branches = file.applies_to.iter().any(|to| to == "branches");
        found.push(RewardIndex { name, folder: format!("annotations/rewards/{identifier}"), number, has_branches });
    }
    Ok(found)
}

fn number_type(file: &TypeFile, what: &str) -> Result<NumberType, ReadError> {
    NumberType::new(&file.r#type, file.size).ok_or_else(|| {
        let size = file.size.map(|size| format!(" of {size} bits")).unwrap_or_default();
        let message = format!("the type of {what} is {}{size}", shown(&file.r#type));
        fault(message, "doubles of 64 bits are read, and rationals of up to 100000 bits, a multiple of 16")
    })
}

fn fault(message: impl Into<String>, help: impl Into<String>) -> ReadError {
    ReadError::archive(Some(INDEX), message, help)
}
