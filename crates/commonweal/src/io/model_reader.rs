//! The model file, read from its nodes in one pass.
//!
//! One function for each kind of entry: each is called with the first node of the entry and leaves off behind its last.
//! The format has a fixed depth, so the functions never call themselves, whatever the file nests.

use super::{
    ParseError,
    model_draft::{Draft, DraftChoice, DraftPrincipal, DraftState, EVERYBODY},
    parse_error::{Fault, Span, line_and_column, shown},
    yaml_events::{Events, Kind, Node},
};
use crate::{
    model::{Model, nearest},
    number::{NumberError, Rational, parse_rational},
};
use dashu_base::BitTest;
use std::borrow::Cow;

/// The largest model file that is read, in bytes.
pub const MAX_MODEL_BYTES: usize = 1 << 30;
/// The longest denominator, in bits, over which the probabilities of one action are added up.
const MAX_SUM_BITS: usize = 200_000;

/// The model that a YAML or JSON text describes.
///
/// ```
/// let text = "
/// principals: {alice: 2/3, bob: 1/3}
/// states:
///   s0:
///     a: {reward: 3, to: s0}
///     b: {reward: -1, to: s1}
///   s1:
///     b: {reward: 6, to: s1}
/// ";
/// let model = commonweal::io::read_model(text)?;
/// assert_eq!((model.n_states(), model.n_choices()), (2, 3));
/// # Ok::<(), commonweal::io::ParseError>(())
/// ```
pub fn read_model(text: &str) -> Result<Model, ParseError> {
    if text.len() > MAX_MODEL_BYTES {
        return Err(too_large().locate(""));
    }
    let read = Events::new(text).and_then(|events| Reader { text, events, draft: Draft::default() }.model());
    read.map_err(|fault| fault.locate(text))
}

/// The model that the bytes of a file describe. They must be UTF-8.
pub fn read_model_bytes(bytes: &[u8]) -> Result<Model, ParseError> {
    if bytes.len() > MAX_MODEL_BYTES {
        return Err(too_large().locate(""));
    }
    read_model(utf8(bytes)?)
}

/// The text of a file that must be UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, ParseError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("valid up to there");
        let byte = bytes[good.len()];
        let fault = Fault::new(
            Span::new(good.len(), good.len()),
            format!("the file is not UTF-8: byte {byte:#04x} stands here"),
            "save the file as UTF-8",
        );
        fault.locate(good)
    })
}

fn too_large() -> Fault {
    let limit = MAX_MODEL_BYTES >> 20;
    Fault::new(
        Span::default(),
        format!("the file is larger than {limit} MiB"),
        "a model of that size belongs in a `.drn` or `.umb` file",
    )
}

struct Reader<'t> {
    text: &'t str,
    events: Events<'t>,
    draft: Draft<'t>,
}

/// A name as it stands in the file.
struct Name<'t> {
    text: Cow<'t, str>,
    span: Span,
}

/// The state and the action that are being read, by the positions of their names.
#[derive(Clone, Copy)]
struct Place {
    state: u32,
    action: u32,
}

/// The keys that a map may have, and where each has been seen.
struct Keys<const N: usize> {
    names: [&'static str; N],
    seen: [Option<Span>; N],
}

impl<const N: usize> Keys<N> {
    fn new(names: [&'static str; N]) -> Self {
        Keys { names, seen: [None; N] }
    }
}

impl<'t> Reader<'t> {
    fn model(mut self) -> Result<Model, Fault> {
        const SHAPE: &str = "a model is a map with the keys `principals` and `states`, and `start` if you like";
        let root = self.events.next()?;
        if root.is_null() {
            return Err(Fault::new(root.span, "the model has no value", SHAPE));
        }
        self.expect_map(&root, || "the model".into(), SHAPE)?;
        let mut keys = Keys::new(["start", "principals", "states"]);
        while let Some(key) = self.key(&mut keys, "the model")? {
            let value = self.events.next()?;
            match key {
                0 => self.start(value)?,
                1 => self.principals(value)?,
                _ => self.states(value)?,
            }
        }
        let missing = |message: &str, help: &str| Err(Fault::new(root.span, message, help));
        match keys.seen {
            [_, None, _] => {
                return missing("the model has no `principals`", "add for example `principals: {alice: 2/3}`");
            }
            [_, _, None] => {
                return missing("the model has no `states`", "add for example `states: {s0: {stay: {to: s0}}}`");
            }
            _ => {}
        }
        self.events.finish()?;
        self.draft.finish()
    }

    fn start(&mut self, value: Node<'t>) -> Result<(), Fault> {
        let name = self.name(value, || "`start`".into(), "name the state in which runs begin, such as `start: s0`")?;
        self.draft.state_names.intern(name.text.clone(), name.span);
        self.draft.start = Some((name.text, name.span));
        Ok(())
    }

    fn principals(&mut self, value: Node<'t>) -> Result<(), Fault> {
        const SHAPE: &str = "write names with their discounts, such as `principals: {alice: 2/3, bob: 1/3}`";
        self.expect_map(&value, || "`principals`".into(), SHAPE)?;
        while let Some(name) = self.entry("a principal")? {
            let span = name.span;
            let id = self.draft.principal_names.intern(name.text, span);
            if let Some(first) = self.draft.principal_names.definition(id) {
                let first = self.draft.principals[first].span;
                return Err(self.duplicate(
                    &format!("principal {}", shown(self.principal(id))),
                    span,
                    first,
                    "rename one",
                ));
            }
            let value = self.events.next()?;
            let (discount, weight) = self.principal_entry(value, id, span)?;
            self.draft.principal_names.define(id, self.draft.principals.len());
            self.draft.principals.push(DraftPrincipal { name: id, span, discount, weight });
        }
        match self.draft.principals.is_empty() {
            true => Err(Fault::new(value.span, "`principals` is empty", SHAPE)),
            false => Ok(()),
        }
    }

    /// A discount, or a map with a discount and perhaps a weight.
    fn principal_entry(&mut self, value: Node<'t>, id: u32, name: Span) -> Result<(Rational, Rational), Fault> {
        if matches!(value.kind, Kind::Scalar { .. }) {
            return Ok((self.discount(&value, id)?, Rational::ONE));
        }
        let whose = |reader: &Self| format!("principal {}", shown(reader.principal(id)));
        self.expect_map(&value, || whose(self), "write a discount, such as 2/3, or `{discount: 2/3, weight: 2}`")?;
        let (mut discount, mut weight) = (None, Rational::ONE);
        let mut keys = Keys::new(["discount", "weight"]);
        while let Some(key) = self.key(&mut keys, "a principal")? {
            let value = self.events.next()?;
            if key == 0 {
                discount = Some(self.discount(&value, id)?);
                continue;
            }
            weight = self.number(&value, || format!("the weight of {}", shown(self.principal(id))))?;
            if weight.is_zero() {
                let message = format!("the weight of {} is 0", shown(self.principal(id)));
                return Err(Fault::new(value.span, message, "leave the principal out, or give it another weight"));
            }
        }
        match discount {
            Some(discount) => Ok((discount, weight)),
            None => {
                let message = format!("{} has no `discount`", whose(self));
                Err(Fault::new(name, message, "add one, such as `discount: 2/3`"))
            }
        }
    }

    fn discount(&self, value: &Node<'t>, id: u32) -> Result<Rational, Fault> {
        let what = || format!("the discount of {}", shown(self.principal(id)));
        let discount = self.number(value, what)?;
        if discount < Rational::ZERO || discount >= Rational::ONE {
            let message = format!("{} is {}, outside [0, 1)", what(), brief(&discount));
            return Err(Fault::new(value.span, message, "a discount is at least 0 and below 1, such as 9/10"));
        }
        Ok(discount)
    }

    fn states(&mut self, value: Node<'t>) -> Result<(), Fault> {
        const SHAPE: &str = "write states with their actions, such as `states: {s0: {stay: {to: s0}}}`";
        self.expect_map(&value, || "`states`".into(), SHAPE)?;
        while let Some(name) = self.entry("a state")? {
            let span = name.span;
            let id = self.draft.state_names.intern(name.text, span);
            if let Some(first) = self.draft.state_names.definition(id) {
                let first = self.draft.states[first].span;
                let what = format!("state {}", shown(self.draft.state_names.get(id)));
                return Err(self.duplicate(&what, span, first, "rename one, or put all actions under the first"));
            }
            self.draft.state_names.define(id, self.draft.states.len());
            self.draft.states.push(DraftState { name: id, span, n_choices: 0 });
            self.state(id, span)?;
        }
        match self.draft.states.is_empty() {
            true => Err(Fault::new(value.span, "`states` is empty", SHAPE)),
            false => Ok(()),
        }
    }

    fn state(&mut self, id: u32, name: Span) -> Result<(), Fault> {
        let what = |reader: &Self| format!("state {}", shown(reader.draft.state_names.get(id)));
        let value = self.events.next()?;
        let no_action = |reader: &Self| {
            let help = format!("give it at least one, such as `stay: {{to: {}}}`", reader.draft.state_names.get(id));
            Fault::new(name, format!("{} has no action", what(reader)), help)
        };
        if value.is_null() {
            return Err(no_action(self));
        }
        self.expect_map(&value, || what(self), "write its actions, such as `stay: {reward: 1, to: s0}`")?;
        let number = (self.draft.states.len() - 1) as u32;
        let first_choice = self.draft.n_choices;
        let mut spans = Vec::new();
        while let Some(action) = self.entry("an action")? {
            let span = action.span;
            let action = self.draft.action_names.intern(action.text, span);
            if !self.draft.action_names.enter(action, number) {
                let first = spans.iter().find(|&&(other, _)| other == action).expect("entered before").1;
                let what = format!("action {} of {}", shown(self.draft.action_names.get(action)), what(self));
                return Err(self.duplicate(&what, span, first, "rename one"));
            }
            spans.push((action, span));
            self.choice(Place { state: id, action }, span)?;
        }
        let n_choices = self.draft.n_choices - first_choice;
        self.draft.states.last_mut().expect("pushed by the caller").n_choices = n_choices;
        match n_choices {
            0 => Err(no_action(self)),
            _ => Ok(()),
        }
    }

    fn choice(&mut self, place: Place, name: Span) -> Result<(), Fault> {
        const SHAPE: &str = "write where it leads, such as `{to: s0}`, and what it earns: `{reward: 1, to: s0}`";
        let value = self.events.next()?;
        self.expect_map(&value, || self.place(place), SHAPE)?;
        let mut choice = DraftChoice { action: place.action, n_rewards: 0, n_targets: 0 };
        let mut keys = Keys::new(["reward", "to"]);
        while let Some(key) = self.key(&mut keys, "an action")? {
            let value = self.events.next()?;
            match key {
                0 => choice.n_rewards = self.rewards(value, place)?,
                _ => choice.n_targets = self.targets(value, place)?,
            }
        }
        if keys.seen[1].is_none() {
            let message = format!("{} has no `to`", self.place(place));
            return Err(Fault::new(name, message, "say where it leads, such as `to: s0` or `to: {s0: 1/2, s1: 1/2}`"));
        }
        self.draft.choices.push(choice);
        self.draft.n_choices += 1;
        Ok(())
    }

    /// One number for everybody, or a map by principal. The number of entries.
    fn rewards(&mut self, value: Node<'t>, place: Place) -> Result<u32, Fault> {
        let what = |reader: &Self| format!("the reward of {}", reader.place(place));
        if value.is_null() {
            let message = format!("{} has no value", what(self));
            return Err(Fault::new(value.span, message, "write a number, or leave `reward` out for 0"));
        }
        if matches!(value.kind, Kind::Scalar { .. }) {
            let reward = self.number(&value, || what(self))?;
            self.draft.rewards.push((EVERYBODY, reward));
            return Ok(1);
        }
        self.expect_map(
            &value,
            || what(self),
            "write one number for everybody, or a map such as `{alice: 3, bob: -1}`",
        )?;
        let mut spans = Vec::new();
        while let Some(name) = self.entry("a principal")? {
            let span = name.span;
            let id = self.draft.principal_names.intern(name.text, span);
            if !self.draft.principal_names.enter(id, self.draft.n_choices) {
                let first = spans.iter().find(|&&(other, _)| other == id).expect("entered before").1;
                let what = format!("principal {} in {}", shown(self.principal(id)), what(self));
                return Err(self.duplicate(&what, span, first, "keep one"));
            }
            spans.push((id, span));
            let value = self.events.next()?;
            let reward = self.number(&value, || format!("the reward of {}", shown(self.principal(id))))?;
            self.draft.rewards.push((id, reward));
        }
        Ok(spans.len() as u32)
    }

    /// One state, or a map of states to probabilities. The number of targets.
    fn targets(&mut self, value: Node<'t>, place: Place) -> Result<u32, Fault> {
        const SHAPE: &str = "name a state, or give probabilities such as `{s0: 1/2, s1: 1/2}`";
        if !matches!(value.kind, Kind::Map) {
            let what = || format!("`to` of {}", self.place(place));
            let name = self.name(value, what, SHAPE)?;
            let target = self.draft.state_names.intern(name.text, name.span);
            self.draft.targets.push((target, Rational::ONE));
            return Ok(1);
        }
        let mut spans = Vec::new();
        let mut sum = Rational::ZERO;
        while let Some(name) = self.entry("a state")? {
            let span = name.span;
            let id = self.draft.state_names.intern(name.text, span);
            if !self.draft.state_names.enter(id, self.draft.n_choices) {
                let first = spans.iter().find(|&&(other, _)| other == id).expect("entered before").1;
                let what = format!("target {} of {}", shown(self.draft.state_names.get(id)), self.place(place));
                return Err(self.duplicate(&what, span, first, "add the two probabilities up"));
            }
            spans.push((id, span));
            let value = self.events.next()?;
            let what = || format!("the probability of {}", shown(self.draft.state_names.get(id)));
            let probability = self.number(&value, what)?;
            if probability <= Rational::ZERO {
                let message = format!("{} is {}, not positive", what(), brief(&probability));
                return Err(Fault::new(value.span, message, "leave the target out, or give it a positive probability"));
            }
            if sum.denominator().bit_len() + probability.denominator().bit_len() > MAX_SUM_BITS {
                let message = format!("{}: the probabilities are too long to be added up", self.place(place));
                return Err(Fault::new(value.span, message, "write them with fewer digits, over a common denominator"));
            }
            sum += &probability;
            self.draft.targets.push((id, probability));
        }
        if !sum.is_one() {
            let message = format!("{}: the probabilities sum to {}, not 1", self.place(place), brief(&sum));
            return Err(Fault::new(self.whole(value.span), message, mend_sum(&sum)));
        }
        Ok(spans.len() as u32)
    }

    /// The position of the next key among those that the map may have; `None` at the map's end.
    fn key<const N: usize>(&mut self, keys: &mut Keys<N>, whose: &str) -> Result<Option<usize>, Fault> {
        let node = self.events.next()?;
        if matches!(node.kind, Kind::End) {
            return Ok(None);
        }
        let listed = || keys.names.map(|name| format!("`{name}`")).join(", ");
        let name = self.name(node, || "a key".into(), &format!("the keys of {whose} are {}", listed()))?;
        let Some(key) = keys.names.iter().position(|known| **known == name.text) else {
            let help = match (squeezed(&name.text, &keys.names), nearest(&name.text, keys.names)) {
                _ if name.text == "<<" => "merge keys are not supported: write the entries out".into(),
                (Some(key), _) => format!("put a space behind the colon of `{key}:`"),
                (None, Some(candidate)) => format!("did you mean `{candidate}`?"),
                (None, None) => format!("the keys of {whose} are {}", listed()),
            };
            return Err(Fault::new(name.span, format!("{whose} has no key {}", shown(&name.text)), help));
        };
        if let Some(first) = keys.seen[key].replace(name.span) {
            return Err(self.duplicate(&format!("key `{}`", keys.names[key]), name.span, first, "keep one"));
        }
        Ok(Some(key))
    }

    /// The next key of a map whose keys are names; `None` at the map's end.
    fn entry(&mut self, what: &str) -> Result<Option<Name<'t>>, Fault> {
        let node = self.events.next()?;
        match &node.kind {
            Kind::End => Ok(None),
            Kind::Scalar { text, plain: true } if text == "<<" => Err(Fault::new(
                node.span,
                "merge keys `<<` are not supported",
                format!("write the entries out; if {what} is really called that, put the name in quotes"),
            )),
            _ => self.name(node, || format!("the name of {what}"), "write a name before the colon").map(Some),
        }
    }

    /// The node as a name.
    fn name(&self, node: Node<'t>, what: impl Fn() -> String, help: &str) -> Result<Name<'t>, Fault> {
        if node.is_missing() {
            return Err(Fault::new(node.span, format!("{} is missing", what()), help));
        }
        match node.kind {
            Kind::Scalar { text, .. } => Ok(Name { text, span: node.span }),
            _ => Err(Fault::new(node.span, format!("{} must be a name, not {}", what(), node.noun()), help)),
        }
    }

    /// The node as an exact number.
    fn number(&self, node: &Node<'t>, what: impl Fn() -> String) -> Result<Rational, Fault> {
        const FORMS: &str = "write an integer, a decimal such as 0.25 or 1e-3, or a fraction such as 2/3";
        let Kind::Scalar { text, .. } = &node.kind else {
            return Err(Fault::new(node.span, format!("{} must be a number, not {}", what(), node.noun()), FORMS));
        };
        if node.is_null() {
            let help =
                if node.is_missing() && self.text[..node.span.start as usize].ends_with(|c: char| c.is_ascii_digit()) {
                    "put a space behind the colon, as in `s0: 1/2`"
                } else {
                    FORMS
                };
            return Err(Fault::new(node.span, format!("{} has no value", what()), help));
        }
        parse_rational(text).map_err(|error| {
            let (what, text) = (what(), shown(text));
            match error {
                NumberError::ZeroDenominator(_) => {
                    Fault::new(node.span, format!("{what}: {text} divides by zero"), "write another denominator")
                }
                NumberError::TooLong(_) => Fault::new(
                    node.span,
                    format!("{what}: {text} has more than 10,000 digits when written out"),
                    "write it with fewer digits",
                ),
                _ => Fault::new(node.span, format!("{what} is not a number: {text}"), mend_number(node, FORMS)),
            }
        })
    }

    fn expect_map(&self, node: &Node<'t>, what: impl Fn() -> String, help: &str) -> Result<(), Fault> {
        match node.kind {
            Kind::Map => Ok(()),
            _ if node.is_null() => Err(Fault::new(node.span, format!("{} has no value", what()), help)),
            _ => Err(Fault::new(node.span, format!("{} must be a map, not {}", what(), node.noun()), help)),
        }
    }

    fn duplicate(&self, what: &str, second: Span, first: Span, help: &str) -> Fault {
        let (line, _) = line_and_column(self.text, first.start as usize);
        Fault::new(second, format!("{what} is there twice, first on line {line}"), help)
    }

    fn place(&self, place: Place) -> String {
        let (state, action) = (self.draft.state_names.get(place.state), self.draft.action_names.get(place.action));
        format!("state {}, action {}", shown(state), shown(action))
    }

    fn principal(&self, id: u32) -> &str {
        self.draft.principal_names.get(id)
    }

    /// A map in braces from its first brace to its last, if both are on one line.
    fn whole(&self, start: Span) -> Span {
        let rest = &self.text[start.start as usize..];
        match (rest.starts_with('{'), rest.find(['}', '\n', '\r'])) {
            (true, Some(length)) => start.to(Span::new(0, start.start as usize + length + 1)),
            _ => start,
        }
    }
}

/// The key of `key:value`, which YAML reads as one name.
fn squeezed<'n>(name: &'n str, keys: &[&str]) -> Option<&'n str> {
    name.split_once(':').map(|(key, _)| key).filter(|key| keys.contains(key))
}

/// How to mend a text that is not a number.
fn mend_number(node: &Node, forms: &str) -> String {
    let Kind::Scalar { text, .. } = &node.kind else { return forms.into() };
    let is_number = |text: &str| parse_rational(text).is_ok();
    let last_word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    if text.contains(char::is_whitespace) && matches!(last_word, "to" | "reward" | "weight" | "discount") {
        return format!("put a comma before `{last_word}`");
    }
    if let Some(percent) = text.strip_suffix('%').filter(|number| is_number(number.trim_end())) {
        return format!("write {}/100", percent.trim_end());
    }
    if is_number(&text.replacen(',', ".", 1)) {
        return format!("write {}, with a point", text.replacen(',', ".", 1));
    }
    if is_number(&text.replace(['_', ' ', '\''], "")) {
        return format!("write {}, without separators", text.replace(['_', ' ', '\''], ""));
    }
    forms.into()
}

/// How to mend probabilities that do not sum to 1.
fn mend_sum(sum: &Rational) -> String {
    let gap = Rational::ONE - sum;
    let rounding = Rational::from_parts(1.into(), 100u8.into());
    if sum.is_zero() {
        return "name at least one target".into();
    }
    let step = match gap > Rational::ZERO {
        true => format!("add {}", brief(&gap)),
        false => format!("take away {}", brief(&-gap.clone())),
    };
    match gap < rounding && -gap < rounding {
        true => format!("{step}; numbers are read exactly, so write a third as 1/3, not as 0.333"),
        false => step,
    }
}

/// A number in a message: the beginning of a long one.
fn brief(number: &Rational) -> String {
    let text = number.to_string();
    match text.len() <= 40 {
        true => text,
        false => format!("{}…", &text[..40]),
    }
}
