//! Models as YAML and as JSON, in a readable layout.
//!
//! Both have the same structure and one line for each action, unless the line would be long. Numbers are exact: integers and
//! fractions `p/q`, which JSON has to put in quotes. [`read_model`](super::read_model) reads the same model back, if no number
//! has more than 10,000 digits.

use crate::{
    model::{About, ChoiceId, Entry, Mdp, Preference, Principal, StateId},
    number::{Rational, rate_text},
};
use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write},
};

/// A line of YAML that would be longer is broken up.
const LONGEST_LINE: usize = 100;
/// YAML wants a longer key to be marked by `?`.
const LONGEST_KEY: usize = 1_000;

/// Writes the model as YAML.
///
/// An action name that repeats within a state, as other formats allow, is written as `tick#2`.
pub fn write_yaml(model: &Mdp, out: &mut dyn Write) -> io::Result<()> {
    for (key, text) in said(model) {
        write!(out, "{}", yaml_entry(0, key, &yaml_name(text)))?;
    }
    writeln!(out, "start: {}", yaml_name(&model.state_name(model.start())))?;
    writeln!(out, "principals:")?;
    for principal in model.principals() {
        let value = principal_value(principal, Notation::Yaml)?;
        write!(out, "{}", yaml_entry(2, &principal.name, &value))?;
    }
    writeln!(out, "states:")?;
    let mut text = String::new();
    for state in model.states() {
        text.clear();
        text += &yaml_key(2, &model.state_name(state));
        text += "\n";
        for (name, choice) in action_names(model, state) {
            let line = yaml_entry(4, &name, &choice_value(model, choice, Notation::Yaml));
            if line.chars().count() <= LONGEST_LINE {
                text += &line
            } else {
                push_block_choice(&mut text, model, &name, choice)
            }
        }
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// Writes the model as JSON: the structure of the YAML, with every number that is not a small integer as a string.
pub fn write_json(model: &Mdp, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{{")?;
    for (key, text) in said(model) {
        writeln!(out, "  \"{key}\": {},", quoted(text))?;
    }
    writeln!(out, "  \"start\": {},", quoted(&model.state_name(model.start())))?;
    writeln!(out, "  \"principals\": {{")?;
    let last = model.n_principals() - 1;
    for (index, principal) in model.principals().iter().enumerate() {
        let value = principal_value(principal, Notation::Json)?;
        writeln!(out, "    {}: {value}{}", quoted(&principal.name), comma_unless(index == last))?;
    }
    writeln!(out, "  }},\n  \"states\": {{")?;
    for state in model.states() {
        let mut text = format!("    {}: {{\n", quoted(&model.state_name(state)));
        let last = model.choices(state).len() - 1;
        for (index, (name, choice)) in action_names(model, state).into_iter().enumerate() {
            let value = choice_value(model, choice, Notation::Json);
            text += &format!("      {}: {value}{}\n", quoted(&name), comma_unless(index == last));
        }
        text += &format!("    }}{}\n", comma_unless(state.index() + 1 == model.n_states()));
        out.write_all(text.as_bytes())?;
    }
    writeln!(out, "  }}\n}}")
}

/// The name, the description and the step's name, by key.
fn said(model: &Mdp) -> impl Iterator<Item = (&'static str, &str)> {
    let About { name, description, step } = model.about();
    let entries = [("name", name), ("description", description), ("step", step)];
    entries.into_iter().filter_map(|(key, text)| Some((key, text.as_deref()?)))
}

#[derive(Clone, Copy)]
enum Notation {
    Yaml,
    Json,
}

impl Notation {
    fn name(self, name: &str) -> Cow<'_, str> {
        match self {
            Notation::Yaml => yaml_name(name),
            Notation::Json => quoted(name).into(),
        }
    }

    fn number(self, number: &Rational) -> String {
        /// Other readers of JSON round larger integers.
        const LARGEST: u64 = (1 << 53) - 1;
        let plain = number.is_whole() && number.clone().abs() <= Rational::from(LARGEST);
        match self {
            Notation::Json if !plain => format!("\"{number}\""),
            _ => number.to_string(),
        }
    }

    /// A rate in per cent, which JSON has to put in quotes.
    fn rate(self, rate: &Rational) -> String {
        match self {
            Notation::Yaml => rate_text(rate),
            Notation::Json => quoted(&rate_text(rate)),
        }
    }

    /// The value of a key of a principal's entry.
    fn entry(self, entry: &Entry) -> String {
        let joined = |parts: Vec<String>| parts.join(", ");
        match entry {
            Entry::Number(number) => self.number(number),
            Entry::Rate(rate) => self.rate(rate),
            Entry::Steps(steps) => steps.to_string(),
            Entry::Word(word) => self.name(word).into_owned(),
            Entry::Rates(rates) => {
                let rate = |(key, rate): &(String, Rational)| format!("{}: {}", self.name(key), self.rate(rate));
                format!("{{{}}}", joined(rates.iter().map(rate).collect()))
            }
            Entry::List(rates) => format!("[{}]", joined(rates.iter().map(|rate| self.rate(rate)).collect())),
        }
    }

    /// A map of numbers on one line.
    fn map<'n, K: AsRef<str>>(self, entries: impl IntoIterator<Item = (K, &'n Rational)>) -> String {
        let entry = |(name, number): (K, &Rational)| format!("{}: {}", self.name(name.as_ref()), self.number(number));
        let entries = entries.into_iter().map(entry);
        format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
    }
}

/// The entry that states a time preference, in braces; `None` if a file has none for it.
pub fn preference_text(preference: &Preference) -> Option<String> {
    let entry = |(key, entry): (&str, Entry)| format!("{key}: {}", Notation::Yaml.entry(&entry));
    let entries: Vec<String> = preference.entries()?.into_iter().map(entry).collect();
    Some(format!("{{{}}}", entries.join(", ")))
}

/// The entry of a principal: its discount alone if that is all, otherwise its preference and its weight.
fn principal_value(principal: &Principal, notation: Notation) -> io::Result<String> {
    let preference = principal.preference();
    if let (Some(discount), true) = (preference.plain_discount(), principal.weight.is_one()) {
        return Ok(notation.number(discount));
    }
    let Some(mut entries) = preference.entries() else {
        let message = format!("principal `{}`: the file has no entry for parts and segments", principal.name);
        return Err(io::Error::other(message));
    };
    if !principal.weight.is_one() {
        entries.push(("weight", Entry::Number(principal.weight.clone())));
    }
    let entry = |(key, entry): (&str, Entry)| format!("{}: {}", notation.name(key), notation.entry(&entry));
    Ok(format!("{{{}}}", entries.into_iter().map(entry).collect::<Vec<_>>().join(", ")))
}

/// The entry of an action, on one line.
fn choice_value(model: &Mdp, choice: ChoiceId, notation: Notation) -> String {
    let reward = match Reward::of(model, choice) {
        Reward::Nothing => String::new(),
        Reward::Same(reward) => format!("{}: {}, ", notation.name("reward"), notation.number(reward)),
        Reward::ByName(entries) => format!("{}: {}, ", notation.name("reward"), notation.map(entries)),
    };
    let target = match sure_target(model, choice) {
        Some(target) => notation.name(&target).into_owned(),
        None => notation.map(named_targets(model, choice)),
    };
    format!("{{{reward}{}: {target}}}", notation.name("to"))
}

/// The entry of an action in YAML, over several lines.
fn push_block_choice(text: &mut String, model: &Mdp, name: &str, choice: ChoiceId) {
    *text += &yaml_key(4, name);
    *text += "\n";
    match Reward::of(model, choice) {
        Reward::Nothing => {}
        Reward::Same(reward) => *text += &yaml_entry(6, "reward", &Notation::Yaml.number(reward)),
        Reward::ByName(entries) => push_block_map(text, "reward", &entries.collect::<Vec<_>>()),
    }
    match sure_target(model, choice) {
        Some(target) => *text += &yaml_entry(6, "to", &yaml_name(&target)),
        None => push_block_map(text, "to", &named_targets(model, choice).collect::<Vec<_>>()),
    }
}

/// A map of numbers in YAML: on one line if it fits, otherwise one line for each entry.
fn push_block_map<K: AsRef<str>>(text: &mut String, key: &str, entries: &[(K, &Rational)]) {
    let line = yaml_entry(6, key, &Notation::Yaml.map(entries.iter().map(|(name, number)| (name, *number))));
    if line.chars().count() <= LONGEST_LINE {
        *text += &line;
        return;
    }
    *text += &yaml_key(6, key);
    *text += "\n";
    for (name, number) in entries {
        *text += &yaml_entry(8, name.as_ref(), &Notation::Yaml.number(number));
    }
}

/// The rewards of a choice in the shortest form.
enum Reward<'m, I> {
    Nothing,
    Same(&'m Rational),
    ByName(I),
}

impl<'m> Reward<'m, ()> {
    fn of(model: &'m Mdp, choice: ChoiceId) -> Reward<'m, impl Iterator<Item = (&'m str, &'m Rational)>> {
        let rewards = model.rewards(choice);
        if rewards.iter().any(|reward| *reward != rewards[0]) {
            let named = model.principals().iter().map(|principal| &*principal.name).zip(rewards);
            Reward::ByName(named.filter(|(_, reward)| !reward.is_zero()))
        } else if rewards[0].is_zero() {
            Reward::Nothing
        } else {
            Reward::Same(&rewards[0])
        }
    }
}

/// The successor of a choice, if there is exactly one.
fn sure_target(model: &Mdp, choice: ChoiceId) -> Option<Cow<'_, str>> {
    match model.targets(choice) {
        [target] => Some(model.state_name(*target)),
        _ => None,
    }
}

fn named_targets(model: &Mdp, choice: ChoiceId) -> impl Iterator<Item = (Cow<'_, str>, &Rational)> {
    model.transitions(choice).map(|(state, probability)| (model.state_name(state), probability))
}

/// The names of a state's actions, all different.
fn action_names(model: &Mdp, state: StateId) -> Vec<(Cow<'_, str>, ChoiceId)> {
    model.choices(state).map(|choice| (model.action_name(choice), choice)).collect()
}

fn comma_unless(last: bool) -> &'static str {
    if last { "" } else { "," }
}

/// `key: value` on a line of its own.
fn yaml_entry(indent: usize, key: &str, value: &str) -> String {
    format!("{} {value}\n", yaml_key(indent, key))
}

fn yaml_key(indent: usize, key: &str) -> String {
    let name = yaml_name(key);
    let margin = " ".repeat(indent);
    if name.chars().count() <= LONGEST_KEY {
        format!("{margin}{name}:")
    } else {
        format!("{margin}? {name}\n{margin}:")
    }
}

/// The name in YAML: in quotes only if this or another program could read it as something else.
fn yaml_name(name: &str) -> Cow<'_, str> {
    if is_plain(name) { name.into() } else { quoted(name).into() }
}

fn is_plain(name: &str) -> bool {
    const WORDS: [&str; 10] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan"];
    let inner = |c: char| c.is_alphanumeric() || "_-+./'".contains(c);
    let words_fit = name.split(' ').all(|word| !word.is_empty() && word.chars().all(inner));
    let first_fits = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(name));
    (first_fits && words_fit && !is_word) || is_short_integer(name)
}

/// An integer in its usual form, which every program shows as it is written here.
fn is_short_integer(name: &str) -> bool {
    let digits_only = name.bytes().all(|byte| byte.is_ascii_digit());
    digits_only && (1..=15).contains(&name.len()) && (name == "0" || !name.starts_with('0'))
}

/// The name in double quotes, with escapes that YAML and JSON share.
fn quoted(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    text.push('"');
    for character in name.chars() {
        match character {
            '"' => text += "\\\"",
            '\\' => text += "\\\\",
            '\n' => text += "\\n",
            '\t' => text += "\\t",
            '\r' => text += "\\r",
            // Characters that YAML does not print, breaks lines at, or that hide themselves or their neighbours.
            c if c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
                || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                let _ = write!(text, "\\u{:04x}", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}
