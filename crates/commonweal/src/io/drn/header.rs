//! The head of a DRN file, up to `@model`.

use super::super::{ReadError, parse_error::shown};
use super::lines::{KeptLine, Line, Lines};
use std::collections::HashMap;
use std::io::BufRead;

/// The contents of the head.
pub(super) struct Header {
    /// Whether every state has one action.
    pub is_chain: bool,
    /// Unless the file says that its numbers are doubles.
    pub is_exact: bool,
    /// The names of the reward structures, separated by single blanks: one of them may be empty.
    names: Vec<String>,
    pub n_states: usize,
    pub n_choices: Option<usize>,
    /// The value of each `$name`.
    pub placeholders: HashMap<String, String>,
    states_line: KeptLine,
    choices_line: KeptLine,
    names_line: KeptLine,
}

impl Header {
    /// Reads up to `@model` and no further.
    pub fn read(lines: &mut Lines<impl BufRead>) -> Result<Header, ReadError> {
        let mut header = Header {
            is_chain: false,
            is_exact: true,
            names: Vec::new(),
            n_states: 0,
            n_choices: None,
            placeholders: HashMap::new(),
            states_line: KeptLine::default(),
            choices_line: KeptLine::default(),
            names_line: KeptLine::default(),
        };
        let mut seen: Vec<String> = Vec::new();
        // The key to which lines without `@` belong.
        let mut key = String::new();
        while let Some(line) = lines.next()? {
            let text = line.trimmed();
            if text.starts_with(b"//") {
                continue;
            }
            if !text.starts_with(b"@") {
                header.value(&mut key, line)?;
                continue;
            }
            let (name, value) = match text.iter().position(|&byte| byte == b':') {
                Some(colon) => (&text[..colon], text[colon + 1..].trim_ascii()),
                None => (text, &text[text.len()..]),
            };
            key = line.text(name)?.to_owned();
            if seen.contains(&key) {
                return Err(line.fault(name, format!("{} is there twice", shown(&key)), "keep one"));
            }
            seen.push(key.clone());
            match key.as_str() {
                "@type" => header.model_type(line, value)?,
                "@value_type" => header.value_type(line, value)?,
                "@parameters" | "@placeholders" | "@reward_models" | "@nr_states" | "@nr_choices" => {}
                "@model" => {
                    header.check_complete(line, &seen)?;
                    return Ok(header);
                }
                _ => {
                    let known = "`@type`, `@value_type`, `@parameters`, `@placeholders`, `@reward_models`, `@nr_states`, \
                                 `@nr_choices` and `@model`";
                    return Err(line.fault(
                        name,
                        format!("{} means nothing here", shown(&key)),
                        format!("a DRN file has {known}"),
                    ));
                }
            }
        }
        let message = if seen.is_empty() { "this is not a DRN file" } else { "the file ends before its `@model`" };
        Err(lines.last().fault_here(message, "a DRN file begins with `@type: MDP` and has its states after `@model`"))
    }

    fn model_type(&mut self, line: Line, value: &[u8]) -> Result<(), ReadError> {
        match line.text(value)?.to_ascii_lowercase().as_str() {
            "mdp" => Ok(()),
            "dtmc" => {
                self.is_chain = true;
                Ok(())
            }
            "ctmc" | "ma" | "markov automaton" | "markov-automaton" => {
                Err(line.fault(value, "this model has continuous time", "models in steps are read: MDP and DTMC"))
            }
            "pomdp" => Err(line.fault(
                value,
                "the agent of this model does not see the state",
                "models whose state is known are read: MDP and DTMC",
            )),
            _ => {
                let message = format!("models of type {} are not read", shown(&String::from_utf8_lossy(value)));
                Err(line.fault(value, message, "write `@type: MDP` or `@type: DTMC`"))
            }
        }
    }

    fn value_type(&mut self, line: Line, value: &[u8]) -> Result<(), ReadError> {
        match value {
            b"rational" => Ok(()),
            b"double" => {
                self.is_exact = false;
                Ok(())
            }
            b"parametric" => {
                Err(line.fault(value, "this model has parameters", "give them values in the tool that wrote the file"))
            }
            _ => {
                let message = format!("values of type {} are not read", shown(&String::from_utf8_lossy(value)));
                Err(line.fault(value, message, "write `@value_type: double` or `@value_type: rational`"))
            }
        }
    }

    /// A line under a key that has its value there.
    fn value(&mut self, key: &mut String, line: Line) -> Result<(), ReadError> {
        let text = line.trimmed();
        match key.as_str() {
            "@reward_models" => {
                // Storm puts a blank behind every name, also behind the name of a structure that has none.
                let names = line.text(line.bytes)?;
                let names = names.strip_suffix([' ', '\t']).unwrap_or(names);
                if !names.is_empty() {
                    self.names = names.split([' ', '\t']).map(str::to_owned).collect();
                }
                self.names_line.keep(line);
            }
            "@nr_states" => {
                self.n_states = count(line, "states")?;
                self.states_line.keep(line);
            }
            "@nr_choices" => {
                self.n_choices = Some(count(line, "choices")?);
                self.choices_line.keep(line);
            }
            "@parameters" if !text.is_empty() => {
                return Err(
                    line.fault_here("this model has parameters", "give them values in the tool that wrote the file")
                );
            }
            "@placeholders" if !text.is_empty() => return self.placeholder(line),
            "@parameters" | "@placeholders" => return Ok(()),
            _ if text.is_empty() => return Ok(()),
            "" => return Err(line.fault_here("this is not a DRN file", "a DRN file begins with `@type: MDP`")),
            _ => {
                return Err(
                    line.fault_here("nothing is expected here", "the states of a DRN file follow a line `@model`")
                );
            }
        }
        key.push_str(" done");
        Ok(())
    }

    /// `$name : value`
    fn placeholder(&mut self, line: Line) -> Result<(), ReadError> {
        const SHAPE: &str = "write `$name : value`";
        let text = line.text(line.trimmed())?;
        let (name, value) = text.split_once(':').ok_or_else(|| line.fault_here("this is not a placeholder", SHAPE))?;
        let name =
            name.trim_end().strip_prefix('$').ok_or_else(|| line.fault_here("this is not a placeholder", SHAPE))?;
        match self.placeholders.insert(name.to_owned(), value.trim_start().to_owned()) {
            None => Ok(()),
            Some(_) => Err(line.fault_here(format!("the placeholder {} is there twice", shown(name)), "keep one")),
        }
    }

    fn check_complete(&self, line: Line, seen: &[String]) -> Result<(), ReadError> {
        for (key, example) in
            [("@type", "`@type: MDP`"), ("@nr_states", "`@nr_states` with their number in the next line")]
        {
            if !seen.iter().any(|known| known == key) {
                return Err(line.fault_here(format!("`{key}` is missing"), format!("write {example} before `@model`")));
            }
        }
        match self.n_states {
            0 => Err(line.fault_here("the model has no states", "write their number under `@nr_states`, at least 1")),
            _ => Ok(()),
        }
    }

    /// Refuses numbers of states and choices that do not fit into a file of at most `limit` bytes.
    pub fn check_size(&self, limit: Option<u64>) -> Result<(), ReadError> {
        /// `state 0` and a transition `0 : 1`, each with the end of its line.
        const STATE_BYTES: u64 = 14;
        const CHOICE_BYTES: u64 = 6;
        let Some(limit) = limit else { return Ok(()) };
        let refuse = |line: &KeptLine, claim: usize, what: &str| {
            let message = format!("the file claims {claim} {what}, but is too short for them");
            let help = format!("correct the number under `@nr_{what}`, or get the whole file");
            line.line().fault_here(message, help)
        };
        if self.n_states as u64 > limit / STATE_BYTES {
            return Err(refuse(&self.states_line, self.n_states, "states"));
        }
        match self.n_choices {
            Some(n) if n as u64 > limit / CHOICE_BYTES => Err(refuse(&self.choices_line, n, "choices")),
            _ => Ok(()),
        }
    }

    /// The names of the reward structures of a file whose lists of rewards have this many entries.
    pub fn reward_names(&self, n_rewards: Option<usize>) -> Result<Vec<String>, ReadError> {
        let named: Vec<String> = self.names.iter().filter(|name| !name.is_empty()).cloned().collect();
        let names = match n_rewards {
            // As Storm calls them.
            Some(n) if named.is_empty() && n > 1 => (0..n).map(|index| format!("rew{index}")).collect(),
            Some(n) if n == self.names.len().max(1) && n > named.len() => {
                let names = if self.names.is_empty() { vec![String::new()] } else { self.names.clone() };
                names.into_iter().map(|name| if name.is_empty() { UNNAMED.to_owned() } else { name }).collect()
            }
            _ => named,
        };
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                let message = format!("there are two reward structures called {}", shown(name));
                return Err(self.names_line.line().fault_here(message, "rename one, here"));
            }
        }
        Ok(names)
    }
}

/// The name of a reward structure that has none; Storm calls it so in UMB files.
const UNNAMED: &str = "default";

fn count(line: Line, what: &str) -> Result<usize, ReadError> {
    let text = line.trimmed();
    let digits = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| {
        if text.is_empty() {
            return line
                .fault_here(format!("the number of {what} is missing"), format!("write how many {what} there are"));
        }
        let message =
            format!("the number of {what} must be a whole number, not {}", shown(&String::from_utf8_lossy(text)));
        line.fault_here(message, format!("write how many {what} there are"))
    })
}
