//! The states, actions and transitions of a DRN file, line by line into the model's arrays.

use super::super::{
    DiscountError, Loaded, ReadError, ReadOptions, UNNAMED_ACTION,
    discounts::Selection,
    parse_error::shown,
    row::{RowFault, Rows, Written},
    state_names::StateNames,
};
use super::header::Header;
use super::lines::{KeptLine, Line};
use crate::model::{ModelBuilder, StateId};
use crate::number::{ModelNumber, NumberError};

/// The label of an action without a name.
pub(super) const NO_LABEL: &str = "__NOLABEL__";
/// The action of a state whose transitions follow without one.
const ONLY_ACTION: &str = "0";
const NUMBERS: &str = "write an integer, a decimal such as 0.25 or 1e-3, or a fraction such as 2/3";

/// A model that is being read.
pub(super) struct Body<'o, N: ModelNumber> {
    header: Header,
    options: &'o ReadOptions,
    /// Known once the first list of rewards, or the first whole choice, has been read.
    built: Option<Built<N>>,
    trusted: u64,
    /// The number of states that have begun.
    n_begun: usize,
    n_choices: usize,
    /// Whether the last state has a whole choice.
    has_choice: bool,
    is_open: bool,
    choice: Choice<N>,
    state_rewards: Vec<N>,
    state_line: KeptLine,
    rows: Rows,
    names: StateNames,
    initial: Option<usize>,
    n_initial: usize,
}

struct Built<N: ModelNumber> {
    builder: ModelBuilder<N>,
    selection: Selection,
}

/// The choice whose transitions are being read.
struct Choice<N> {
    action: String,
    rewards: Vec<N>,
    targets: Vec<StateId>,
    probabilities: Vec<N>,
    written: Written,
    line: KeptLine,
}

impl<'o, N: ModelNumber> Body<'o, N> {
    /// The states that follow this head. Memory for them is allocated at once, but for no more bytes of the file than `trusted`.
    pub fn new(header: Header, options: &'o ReadOptions, trusted: u64) -> Self {
        let choice = Choice {
            action: String::new(),
            rewards: Vec::new(),
            targets: Vec::new(),
            probabilities: Vec::new(),
            written: Written::Decimals,
            line: KeptLine::default(),
        };
        Body {
            header,
            options,
            built: None,
            trusted,
            n_begun: 0,
            n_choices: 0,
            has_choice: false,
            is_open: false,
            choice,
            state_rewards: Vec::new(),
            state_line: KeptLine::default(),
            rows: Rows::new(options.strict),
            names: StateNames::default(),
            initial: None,
            n_initial: 0,
        }
    }

    /// Reads a line.
    pub fn line(&mut self, line: Line) -> Result<(), ReadError> {
        const SHAPE: &str = "a line begins with `state`, with `action`, or is a transition such as `0 : 1/2`";
        let text = line.bytes.trim_ascii_start();
        match text.first() {
            Some(b'0'..=b'9') => self.transition(line, text),
            Some(b'a') if is_word(text, b"action") => self.action(line, text),
            Some(b's') if is_word(text, b"state") => self.state(line, text),
            None => Ok(()),
            Some(b'/') if text.starts_with(b"//") => {
                self.comment(&text[2..]);
                Ok(())
            }
            Some(_) => Err(line.fault_here("this line has no meaning in a DRN file", SHAPE)),
        }
    }

    /// The comment right below a state, before its actions, says what it is called: `//[col=0 & c1=2]`.
    fn comment(&mut self, text: &[u8]) {
        let Some(state) = self.n_begun.checked_sub(1) else { return };
        if !self.has_choice && !self.is_open && !self.names.has(state) {
            self.names.name(state, &String::from_utf8_lossy(text));
        }
    }

    /// `state 7 [1, 0] init done`
    fn state(&mut self, line: Line, text: &[u8]) -> Result<(), ReadError> {
        self.finish_state()?;
        let text = text[b"state".len()..].trim_ascii_start();
        let (number, mut rest) = split_at_blank(text);
        let expected = self.n_begun;
        if whole_number(number) != Some(expected) {
            let message =
                format!("state {} is where state {expected} should be", shown(&String::from_utf8_lossy(number)));
            return Err(line.fault(number, message, "states are numbered from 0, in order and without gaps"));
        }
        if expected == self.header.n_states {
            let message = format!("the file claims {expected} states, but here is one more");
            return Err(line.fault(number, message, "correct the number under `@nr_states`"));
        }
        match rest.first() {
            Some(b'!') => {
                return Err(line.fault(rest, "this state has a rate", "models in steps are read: MDP and DTMC"));
            }
            Some(b'{') => {
                return Err(line.fault(
                    rest,
                    "this state has an observation",
                    "models whose state is known are read: MDP and DTMC",
                ));
            }
            _ => {}
        }
        self.state_rewards.clear();
        if rest.starts_with(b"[") {
            let mut rewards = std::mem::take(&mut self.state_rewards);
            rest = self.rewards(line, rest, &mut rewards)?;
            self.state_rewards = rewards;
        }
        if labels(rest).any(|label| label == b"init") {
            self.n_initial += 1;
            self.initial.get_or_insert(expected);
        }
        self.state_line.keep(line);
        self.has_choice = false;
        self.n_begun += 1;
        Ok(())
    }

    /// `action tick [1, 0]`
    fn action(&mut self, line: Line, text: &[u8]) -> Result<(), ReadError> {
        self.finish_choice()?;
        if self.n_begun == 0 {
            return Err(line.fault_here("there is an action before the first state", "begin with `state 0`"));
        }
        if self.header.is_chain && self.has_choice {
            let message = "a state of a DTMC has a second action";
            return Err(line.fault_here(message, "write `@type: MDP` if there is a choice"));
        }
        let text = text[b"action".len()..].trim_ascii();
        // A name may hold brackets: the list is at the end.
        let list = if text.ends_with(b"]") {
            text.iter().rposition(|&byte| byte == b'[').unwrap_or(text.len())
        } else {
            text.len()
        };
        let name = line.text(text[..list].trim_ascii_end())?;
        self.choice.rewards.clear();
        if list < text.len() {
            let mut rewards = std::mem::take(&mut self.choice.rewards);
            self.rewards(line, &text[list..], &mut rewards)?;
            self.choice.rewards = rewards;
        }
        self.open_choice(line, if name.is_empty() || name == NO_LABEL { UNNAMED_ACTION } else { name });
        Ok(())
    }

    fn open_choice(&mut self, line: Line, name: &str) {
        self.choice.action.clear();
        self.choice.action.push_str(name);
        self.choice.written = Written::Decimals;
        self.choice.line.keep(line);
        self.is_open = true;
    }

    /// `3 : 1/2`
    fn transition(&mut self, line: Line, text: &[u8]) -> Result<(), ReadError> {
        const SHAPE: &str = "write a target and its probability, such as `0 : 1/2`";
        if !self.is_open {
            if self.n_begun == 0 {
                return Err(line.fault_here(
                    "there is a transition before the first state",
                    "begin with `state 0` and `action stay`",
                ));
            }
            self.choice.rewards.clear();
            self.open_choice(line, ONLY_ACTION);
        }
        let digits = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
        let rest = text[digits..].trim_ascii_start();
        let Some(value) = rest.strip_prefix(b":") else {
            return Err(line.fault_here("this is not a transition", SHAPE));
        };
        let target = whole_number(&text[..digits]).filter(|&target| target < self.header.n_states);
        let Some(target) = target else {
            let message = format!("there is no state {}", shown(&String::from_utf8_lossy(&text[..digits])));
            let help = format!("the file has the states 0 to {}", self.header.n_states - 1);
            return Err(line.fault(&text[..digits], message, help));
        };
        let value = value.trim_ascii();
        let number = self.resolve(line, value)?;
        let is_fraction = number.contains('/');
        let probability =
            N::parse_probability(number).map_err(|error| number_fault(line, value, "the probability", &error))?;
        if !probability.is_probability() && probability != N::ZERO {
            return Err(line.fault(
                value,
                format!("the probability {} is negative", shown(number)),
                "write one above 0",
            ));
        }
        self.choice.targets.push(StateId::from(target));
        self.choice.probabilities.push(probability);
        if is_fraction {
            self.choice.written = Written::Fractions;
        }
        Ok(())
    }

    /// Reads the list of rewards at the beginning of `text`; what follows it. They are put in the principals' order.
    fn rewards<'l>(&mut self, line: Line<'l>, text: &'l [u8], rewards: &mut Vec<N>) -> Result<&'l [u8], ReadError> {
        let Some(end) = text.iter().position(|&byte| byte == b']') else {
            return Err(line.fault(text, "this list of rewards has no end", "close it with `]`"));
        };
        let list = &text[1..end];
        let n_rewards = if list.trim_ascii().is_empty() { 0 } else { list.split(|&byte| byte == b',').count() };
        let n_structures = self.built(Some(n_rewards))?.selection.principal_of.len();
        if n_rewards != n_structures {
            let message = format!("there are {n_rewards} rewards for {n_structures} reward structures");
            return Err(line.fault(
                &text[..=end],
                message,
                "write one for each name under `@reward_models`, 0 included",
            ));
        }
        for (index, value) in list.split(|&byte| byte == b',').enumerate().take(n_rewards) {
            let Some(built) = &self.built else { unreachable!("built above") };
            if built.selection.principal_of[index].is_none() {
                continue;
            }
            let value = value.trim_ascii();
            let number = self.resolve(line, value)?;
            rewards.push(N::parse_reward(number).map_err(|error| number_fault(line, value, "the reward", &error))?);
        }
        Ok(text[end + 1..].trim_ascii_start())
    }

    /// The text of a number, which may be a placeholder.
    fn resolve<'s>(&'s self, line: Line<'s>, value: &'s [u8]) -> Result<&'s str, ReadError> {
        let text = line.text(value)?;
        match text.strip_prefix('$') {
            None => Ok(text),
            Some(name) => self.header.placeholders.get(name).map(String::as_str).ok_or_else(|| {
                let message = format!("there is no placeholder {}", shown(text));
                line.fault(value, message, "define it under `@placeholders`")
            }),
        }
    }

    /// The builder, made now if it is not there yet.
    fn built(&mut self, n_rewards: Option<usize>) -> Result<&mut Built<N>, ReadError> {
        if self.built.is_none() {
            let names = self.header.reward_names(n_rewards)?;
            let selection = self.options.discounts.select(&names)?;
            let mut builder = ModelBuilder::numbered(selection.principals.clone(), self.header.n_states)
                .map_err(DiscountError::Invalid)?;
            if self.header.check_size(Some(self.trusted)).is_ok() {
                builder.reserve(self.header.n_choices.unwrap_or(self.header.n_states), 0);
            }
            self.built = Some(Built { builder, selection });
        }
        Ok(self.built.as_mut().expect("made above"))
    }

    /// Adds the open choice to the model, if there is one.
    fn finish_choice(&mut self) -> Result<(), ReadError> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        let Choice { targets, probabilities, written, .. } = &mut self.choice;
        let settled = self.rows.settle(targets, probabilities, *written);
        let length = settled.map_err(|fault| row_fault(&fault, self.n_begun - 1, &self.choice))?;
        let state = StateId::from(self.n_begun - 1);
        self.built(None)?;
        let built = self.built.as_mut().expect("made above");
        let Choice { action, rewards, targets, probabilities, line, .. } = &mut self.choice;
        let reward = |principal: usize| match (self.state_rewards.get(principal), rewards.get(principal)) {
            (Some(state), Some(action)) => state.plus(action),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => N::ZERO,
        };
        let row = targets.drain(..).zip(probabilities.drain(..)).take(length);
        let added = built.builder.choice(state, action, (0..built.selection.principals.len()).map(reward), row);
        added.map_err(|error| line.line().fault_here(error.to_string(), "see this action"))?;
        self.has_choice = true;
        self.n_choices += 1;
        Ok(())
    }

    fn finish_state(&mut self) -> Result<(), ReadError> {
        self.finish_choice()?;
        if self.n_begun == 0 || self.has_choice {
            return Ok(());
        }
        let state = self.n_begun - 1;
        let help = format!("a run must go on: give it an action that stays, `action stay` with `{state} : 1`");
        Err(self.state_line.line().fault_here(format!("state {state} has no action"), help))
    }

    /// The model, once the last line is read.
    pub fn finish(mut self, last: Line) -> Result<Loaded<N>, ReadError> {
        self.finish_state()?;
        let short = |found: usize, claim: usize, what: &str| {
            let message = format!("the file ends after {found} of {claim} {what}");
            last.fault_here(message, format!("correct the number under `@nr_{what}`, or get the whole file"))
        };
        if self.n_begun < self.header.n_states {
            return Err(short(self.n_begun, self.header.n_states, "states"));
        }
        match self.header.n_choices {
            Some(claim) if self.n_choices < claim => return Err(short(self.n_choices, claim, "choices")),
            Some(claim) if self.n_choices > claim => {
                let message = format!("the file has {} choices and claims {claim}", self.n_choices);
                return Err(last.fault_here(message, "correct the number under `@nr_choices`"));
            }
            _ => {}
        }
        let names = self.names.table(self.header.n_states);
        let start = self.options.start_among(&names, self.initial, self.n_initial)?;
        let Built { mut builder, selection } = self.built.expect("a model has a choice");
        builder.name_states(names);
        builder.start(StateId::from(start));
        Ok(Loaded { model: builder.finish()?, left_out: selection.left_out, divided: self.rows.divided })
    }
}

fn row_fault<N>(fault: &RowFault, state: usize, choice: &Choice<N>) -> ReadError {
    let (message, help) = fault.message();
    choice.line.line().fault_here(format!("state {state}, action {}: {message}", shown(&choice.action)), help)
}

fn number_fault(line: Line, part: &[u8], what: &str, error: &NumberError) -> ReadError {
    if part.is_empty() {
        return line.fault(part, format!("{what} is missing"), NUMBERS);
    }
    let text = shown(&String::from_utf8_lossy(part));
    match error {
        NumberError::ZeroDenominator(_) => {
            line.fault(part, format!("{what} {text} divides by zero"), "write another denominator")
        }
        NumberError::TooLong(_) => {
            let message = format!("{what} {text} has more than 10,000 digits when written out");
            line.fault(part, message, "write it with fewer digits")
        }
        _ => line.fault(part, format!("{what} {text} is not a number"), NUMBERS),
    }
}

/// Whether a text begins with a word.
fn is_word(text: &[u8], word: &[u8]) -> bool {
    text.strip_prefix(word).is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// The text up to the first blank, and what follows the blanks.
fn split_at_blank(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii())
}

fn whole_number(digits: &[u8]) -> Option<usize> {
    let (first, rest) = digits.split_first()?;
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| usize::from(byte - b'0'));
    rest.iter().try_fold(digit(first)?, |number, byte| number.checked_mul(10)?.checked_add(digit(byte)?))
}

/// The labels of a state: words, or anything in quotation marks.
fn labels(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        text = text.trim_ascii_start();
        let label = match text.first()? {
            b'"' => text[1..].split(|&byte| byte == b'"').next()?,
            _ => split_at_blank(text).0,
        };
        let quotes = if text[0] == b'"' { 2 } else { 0 };
        text = &text[(label.len() + quotes).min(text.len())..];
        Some(label)
    })
}
