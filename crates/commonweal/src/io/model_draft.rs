//! A model whose names are not resolved yet.
//!
//! The arrays are those of the model, with the position of each name in a table of names in place of its id: a state may
//! be a target before it is defined, and a principal may have rewards before it has a discount. What is known at once
//! (a probability sum, a duplicate) is checked by the reader; what depends on the whole file is checked here, and of
//! several such errors the first in the file is reported.

use super::parse_error::{Fault, Span, shown};
use crate::{
    model::{About, Mdp, ModelBuilder, ModelError, Principal, StateId, nearest},
    number::Rational,
};
use std::{borrow::Cow, collections::HashMap};

/// The pseudo-principal of a reward that every principal gets.
pub(super) const EVERYBODY: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX;
/// The most names that a help lists.
const LISTED: usize = 5;

/// The names of one kind, each once.
#[derive(Default)]
pub(super) struct Names<'t> {
    position: HashMap<Cow<'t, str>, u32>,
    entries: Vec<Entry<'t>>,
}

struct Entry<'t> {
    name: Cow<'t, str>,
    first_use: Span,
    /// The number of the map in which the name was seen last.
    seen_in: u32,
    /// The position among the definitions, or `NOWHERE`.
    defined: u32,
}

impl<'t> Names<'t> {
    /// The position of a name, which is added if it is new.
    pub fn intern(&mut self, name: Cow<'t, str>, span: Span) -> u32 {
        if let Some(&id) = self.position.get(&name) {
            return id;
        }
        let id = self.entries.len() as u32;
        self.entries.push(Entry { name: name.clone(), first_use: span, seen_in: NOWHERE, defined: NOWHERE });
        self.position.insert(name, id);
        id
    }

    pub fn get(&self, id: u32) -> &str {
        &self.entries[id as usize].name
    }

    /// Records that a name is in the map of that number. False if it was there before.
    pub fn enter(&mut self, id: u32, map: u32) -> bool {
        std::mem::replace(&mut self.entries[id as usize].seen_in, map) != map
    }

    /// The position among the definitions, if the name has been defined.
    pub fn definition(&self, id: u32) -> Option<usize> {
        Some(self.entries[id as usize].defined).filter(|&at| at != NOWHERE).map(|at| at as usize)
    }

    pub fn define(&mut self, id: u32, definition: usize) {
        self.entries[id as usize].defined = definition as u32;
    }

    /// The first name in the file that is used and not defined.
    fn first_undefined(&self) -> Option<(&str, Span)> {
        let undefined = self.entries.iter().filter(|entry| entry.defined == NOWHERE);
        undefined.map(|entry| (&*entry.name, entry.first_use)).min_by_key(|(_, span)| span.start)
    }

    /// The names that are defined, in the order of their first use.
    fn defined(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| entry.defined != NOWHERE).map(|entry| &*entry.name)
    }

    /// What to write in place of a name that is not defined.
    fn suggestion(&self, name: &str, otherwise: &str) -> String {
        if let Some(candidate) = nearest(name, self.defined()) {
            return format!("did you mean {}?", shown(candidate));
        }
        let mut listed: Vec<String> = self.defined().take(LISTED).map(shown).collect();
        if self.defined().nth(LISTED).is_some() {
            listed.push("…".into());
        }
        format!("{otherwise}: {}", listed.join(", "))
    }
}

/// A list that is filled once and then consumed, and whose memory is given back as it is consumed: the model's arrays
/// grow while these shrink.
pub(super) struct Segments<T> {
    segments: Vec<Vec<T>>,
}

impl<T> Segments<T> {
    pub fn push(&mut self, item: T) {
        const SMALLEST: usize = 64;
        const LARGEST: usize = 1 << 20;
        match self.segments.last_mut() {
            Some(segment) if segment.len() < segment.capacity() => segment.push(item),
            last => {
                let capacity = last.map_or(SMALLEST, |segment| (2 * segment.capacity()).min(LARGEST));
                let mut segment = Vec::with_capacity(capacity);
                segment.push(item);
                self.segments.push(segment);
            }
        }
    }

    fn into_iter(self) -> impl Iterator<Item = T> {
        self.segments.into_iter().flatten()
    }
}

impl<T> Default for Segments<T> {
    fn default() -> Self {
        Segments { segments: Vec::new() }
    }
}

/// An entry of `principals`.
pub(super) struct DraftPrincipal {
    pub span: Span,
    pub principal: Principal,
}

/// An entry of `states`.
pub(super) struct DraftState {
    pub name: u32,
    pub span: Span,
    pub n_choices: u32,
}

/// An action of a state. Its rewards and targets follow those of the choice before it.
pub(super) struct DraftChoice {
    pub action: u32,
    pub n_rewards: u32,
    pub n_targets: u32,
}

/// The arrays of a model to be.
#[derive(Default)]
pub(super) struct Draft<'t> {
    pub about: About,
    /// The name of the start state.
    pub start: Option<u32>,
    pub principal_names: Names<'t>,
    pub state_names: Names<'t>,
    pub action_names: Names<'t>,
    pub principals: Vec<DraftPrincipal>,
    pub states: Vec<DraftState>,
    pub choices: Segments<DraftChoice>,
    pub n_choices: u32,
    /// Principal, or `EVERYBODY`, and reward.
    pub rewards: Segments<(u32, Rational)>,
    /// Target and probability.
    pub targets: Segments<(u32, Rational)>,
}

impl Draft<'_> {
    /// The model, if every name that it uses is defined.
    pub fn finish(self) -> Result<Mdp, Fault> {
        if let Some(fault) = self.unresolved() {
            return Err(fault);
        }
        let Draft { start, principal_names, state_names, action_names, principals, states, .. } = self;
        let start = start.and_then(|name| state_names.definition(name)).unwrap_or(0);
        let principals = principals.into_iter().map(|entry| entry.principal).collect();
        let names = states.iter().map(|state| state_names.get(state.name));
        let mut builder = ModelBuilder::new(principals, names).map_err(invalid)?;
        builder.start(StateId::from(start));

        let resolved = |names: Names| names.entries.into_iter().map(|entry| entry.defined).collect::<Vec<_>>();
        let state_of = resolved(state_names);
        let principal_of = resolved(principal_names);
        let n_principals = principal_of.len();
        let mut choices = self.choices.into_iter();
        let mut rewards = self.rewards.into_iter();
        let mut targets = self.targets.into_iter();
        for (index, state) in states.iter().enumerate() {
            for choice in choices.by_ref().take(state.n_choices as usize) {
                let mut reward = vec![Rational::ZERO; n_principals];
                for (principal, value) in rewards.by_ref().take(choice.n_rewards as usize) {
                    match principal {
                        EVERYBODY => reward.fill(value),
                        principal => reward[principal_of[principal as usize] as usize] = value,
                    }
                }
                let own = targets.by_ref().take(choice.n_targets as usize);
                let own = own.map(|(name, probability)| (StateId::from(state_of[name as usize] as usize), probability));
                builder.choice(StateId::from(index), action_names.get(choice.action), reward, own).map_err(invalid)?;
            }
        }
        Ok(builder.finish().map_err(invalid)?.with_about(self.about))
    }

    /// The error for the first name in the file that is used and not defined.
    fn unresolved(&self) -> Option<Fault> {
        let fault = |names: &Names, kind: &str, otherwise: &str| {
            let (name, span) = names.first_undefined()?;
            let message = format!("there is no {kind} {}", shown(name));
            Some(Fault::new(span, message, names.suggestion(name, otherwise)))
        };
        let define = "define it under `states`, or name one of those that are there";
        let state = fault(&self.state_names, "state", define);
        let define = "give it a discount under `principals`, or name one of those that are there";
        let principal = fault(&self.principal_names, "principal", define);
        state.into_iter().chain(principal).min_by_key(|fault| fault.span.start)
    }
}

/// The reader has checked everything that the builder checks but the number of entries.
fn invalid(error: ModelError) -> Fault {
    Fault { span: Span::default(), message: error.to_string(), help: None }
}
