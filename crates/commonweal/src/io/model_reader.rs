//! The model file, read from its nodes in one pass.
//!
//! One function for each kind of entry: each is called with the first node of the entry and leaves off behind its last.
//! The format has a fixed depth, so the functions never call themselves, whatever the file nests.

use super::{
    Loaded, ParseError,
    model_draft::{Draft, DraftChoice, DraftPrincipal, DraftState, EVERYBODY, Names},
    node_values::{Keys, Name},
    parse_error::{Fault, Span, line_and_column, shown},
    row::{OffOne, Written},
    yaml_events::{Events, Kind, Node},
};
use crate::{
    model::{Mdp, least_common_multiple},
    number::{Divided, ModelNumber, Natural, Rational},
};
use dashu_base::BitTest;

/// The largest model file that is read, in bytes.
pub const MAX_MODEL_BYTES: usize = 1 << 30;
/// The longest least common denominator of the probabilities of one action, in bits: what the canonical form allows.
const MAX_ROW_BITS: usize = 1 << 18;

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
/// let model = commonweal::internals::io::read_model(text)?;
/// assert_eq!((model.n_states(), model.n_choices()), (2, 3));
/// # Ok::<(), commonweal::internals::io::ParseError>(())
/// ```
pub fn read_model(text: &str) -> Result<Mdp, ParseError> {
    load_model(text, false).map(|loaded| loaded.model)
}

/// The same with a report of scaled rows. If `strict`, rows with rounding errors are refused, not scaled.
pub fn load_model(text: &str, strict: bool) -> Result<Loaded<Rational>, ParseError> {
    load_model_within(text, strict, &TextLimits::default())
}

/// How much a text may describe; everything by default. Who reads texts of others sets limits: 1 MB has room for 30,000 actions and
/// as many principals, and for 15,000 time preferences that are approximated.
#[derive(Debug, Clone)]
pub struct TextLimits {
    /// The most rewards, one for each action and principal.
    pub rewards: u64,
    /// The most time preferences that are approximated, `gamma` and `hyperbolic`. Each takes about 15 milliseconds.
    pub approximated: usize,
}

impl Default for TextLimits {
    fn default() -> TextLimits {
        TextLimits { rewards: u64::MAX, approximated: usize::MAX }
    }
}

/// The same for a model within these limits.
pub fn load_model_within(text: &str, strict: bool, limits: &TextLimits) -> Result<Loaded<Rational>, ParseError> {
    check_size(text.len())?;
    const SHAPE: &str = "a model has `principals` with discounts, and `states` with actions";
    let read = Events::new(text, SHAPE).and_then(|events| Reader::new(text, events, strict, limits).model());
    read.map_err(|fault| fault.locate(text))
}

/// The model that the bytes of a file describe. They must be UTF-8.
pub fn read_model_bytes(bytes: &[u8]) -> Result<Mdp, ParseError> {
    load_model_bytes(bytes, false).map(|loaded| loaded.model)
}

/// The same with a report of scaled rows.
pub(super) fn load_model_bytes(bytes: &[u8], strict: bool) -> Result<Loaded<Rational>, ParseError> {
    check_size(bytes.len())?;
    load_model(utf8(bytes)?, strict)
}

/// The text of a file that must be UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, ParseError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("valid up to there");
        let message = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16, not UTF-8".into(),
            _ => format!("the file is not UTF-8: it has the byte {:#04x} here", bytes[good.len()]),
        };
        Fault::new(Span::new(good.len(), good.len()), message, "save the file as UTF-8").locate(good)
    })
}

fn check_size(n_bytes: usize) -> Result<(), ParseError> {
    if n_bytes <= MAX_MODEL_BYTES {
        return Ok(());
    }
    let message = format!("the file is larger than {} MiB", MAX_MODEL_BYTES >> 20);
    Err(Fault::new(Span::default(), message, "a model of that size belongs in a `.drn` or `.umb` file").locate(""))
}

pub(super) struct Reader<'t> {
    pub text: &'t str,
    pub events: Events<'t>,
    pub draft: Draft<'t>,
    strict: bool,
    pub limits: &'t TextLimits,
    /// The approximated time preferences so far.
    pub n_approximated: usize,
    divided: Divided,
}

/// The state and the action that are being read, by the positions of their names.
#[derive(Clone, Copy)]
struct Place {
    state: u32,
    action: u32,
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str, events: Events<'t>, strict: bool, limits: &'t TextLimits) -> Reader<'t> {
        Reader { text, events, draft: Draft::default(), strict, limits, n_approximated: 0, divided: Divided::default() }
    }

    fn model(mut self) -> Result<Loaded<Rational>, Fault> {
        const SHAPE: &str = "a model is a map with the keys `principals` and `states`, and `start` if you like";
        let root = self.events.next()?;
        root.expect_map(self.text, || "the model".into(), "a map", SHAPE)?;
        let mut keys = Keys::new("the model", ["start", "principals", "states", "name", "description", "step"]);
        while let Some(key) = self.key(&mut keys)? {
            let value = self.events.next()?;
            match key {
                0 => self.start(value)?,
                1 => self.principals(value)?,
                2 => self.states(value)?,
                3 => {
                    self.draft.about.name =
                        Some(text(value, "name", "give the model a name, such as `name: The hotel`")?)
                }
                4 => {
                    let help = "say what the model is about, or leave the key out";
                    self.draft.about.description = Some(text(value, "description", help)?);
                }
                _ => self.draft.about.step = Some(text(value, "step", "say what one step is, such as `step: year`")?),
            }
        }
        let missing = |message: &str, help: &str| Err(Fault::new(root.span, message, help));
        let [_, principals, states, ..] = keys.seen;
        if principals.is_none() {
            return missing("the model has no `principals`", "add for example `principals: {alice: 2/3}`");
        }
        if states.is_none() {
            return missing("the model has no `states`", "add for example `states: {s0: {stay: {to: s0}}}`");
        }
        self.events.finish()?;
        let (n_choices, n_principals) = (self.draft.n_choices, self.draft.principals.len());
        let n_rewards = u64::from(n_choices) * n_principals as u64;
        let most_rewards = self.limits.rewards;
        if n_rewards > most_rewards {
            let message = format!(
                "the model has {n_choices} actions and {n_principals} principals, so {n_rewards} rewards: more than the {most_rewards} that are read here"
            );
            return missing(&message, "write a smaller model, or use the command line");
        }
        Ok(Loaded { model: self.draft.finish()?, left_out: Vec::new(), divided: self.divided })
    }

    fn start(&mut self, value: Node<'t>) -> Result<(), Fault> {
        const SHAPE: &str = "name the state in which runs begin, such as `start: s0`";
        let name = value.into_name(|| "the value of `start`".into(), SHAPE)?;
        self.draft.start = Some(self.draft.state_names.intern(name.text, name.span));
        Ok(())
    }

    fn principals(&mut self, value: Node<'t>) -> Result<(), Fault> {
        const SHAPE: &str = "write names with their discounts, such as `principals: {alice: 2/3, bob: 1/3}`";
        value.expect_map(self.text, || "`principals`".into(), "a map", SHAPE)?;
        while let Some(name) = self.entry("a principal")? {
            let span = name.span;
            let id = self.draft.principal_names.intern(name.text, span);
            if let Some(first) = self.draft.principal_names.definition(id) {
                let first = self.draft.principals[first].span;
                return Err(self.duplicate(&self.principal(id), span, first, "rename one"));
            }
            let principal = self.principal_entry(id, span)?;
            self.draft.principal_names.define(id, self.draft.principals.len());
            self.draft.principals.push(DraftPrincipal { span, principal });
        }
        if self.draft.principals.is_empty() {
            Err(Fault::new(value.span, "`principals` is empty", SHAPE))
        } else {
            Ok(())
        }
    }

    fn states(&mut self, value: Node<'t>) -> Result<(), Fault> {
        const SHAPE: &str = "write states with their actions, such as `states: {s0: {stay: {to: s0}}}`";
        value.expect_map(self.text, || "`states`".into(), "a map", SHAPE)?;
        while let Some(name) = self.entry("a state")? {
            let span = name.span;
            let id = self.draft.state_names.intern(name.text, span);
            if let Some(first) = self.draft.state_names.definition(id) {
                let first = self.draft.states[first].span;
                let help = "rename one, or put all actions under the first";
                return Err(self.duplicate(&self.state_name(id), span, first, help));
            }
            let index = self.draft.states.len();
            self.draft.state_names.define(id, index);
            self.draft.states.push(DraftState { name: id, span, n_choices: 0 });
            self.draft.states[index].n_choices = self.actions(id, span, index as u32)?;
        }
        if self.draft.states.is_empty() { Err(Fault::new(value.span, "`states` is empty", SHAPE)) } else { Ok(()) }
    }

    /// The actions of the state of that name and index; how many there are.
    fn actions(&mut self, state: u32, name: Span, index: u32) -> Result<u32, Fault> {
        const SHAPE: &str = "write its actions, such as `stay: {reward: 1, to: s0}`";
        let value = self.events.next()?;
        if !value.is_null() {
            value.expect_map(self.text, || self.state_name(state), "a map of actions", SHAPE)?;
            let mut spans = Vec::new();
            while let Some(name) = self.entry("an action")? {
                let span = name.span;
                let action = self.draft.action_names.intern(name.text, span);
                let place = Place { state, action };
                if let Some(first) = seen_before(&mut self.draft.action_names, &mut spans, (action, span), index) {
                    return Err(self.duplicate(&self.place(place), span, first, "rename one"));
                }
                self.choice(place, span)?;
            }
            if !spans.is_empty() {
                return Ok(spans.len() as u32);
            }
        }
        let help = "give it at least one, such as a self-loop: `stay: {to: …}`";
        Err(Fault::new(name, format!("{} has no action", self.state_name(state)), help))
    }

    fn choice(&mut self, place: Place, name: Span) -> Result<(), Fault> {
        const SHAPE: &str = "write where it leads, such as `{to: s0}`, and what it earns: `{reward: 1, to: s0}`";
        let value = self.events.next()?;
        value.expect_map(self.text, || self.place(place), "a map", SHAPE)?;
        let mut choice = DraftChoice { action: place.action, n_rewards: 0, n_targets: 0 };
        let mut keys = Keys::new("an action", ["reward", "to"]);
        while let Some(key) = self.key(&mut keys)? {
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
        const SHAPE: &str = "write one number for everybody, or a map such as `{alice: 3, bob: -1}`";
        let what = |reader: &Self| format!("the reward of {}", reader.place(place));
        if value.is_null() {
            let message = format!("{} has no value", what(self));
            return Err(Fault::new(value.span, message, "write a number, or leave `reward` out for 0"));
        }
        if matches!(value.kind, Kind::Scalar { .. }) {
            self.draft.rewards.push((EVERYBODY, value.number(|| what(self))?));
            return Ok(1);
        }
        value.expect_map(self.text, || what(self), "a number or a map", SHAPE)?;
        let map = self.draft.n_choices;
        let mut spans = Vec::new();
        while let Some(name) = self.entry("a principal")? {
            let span = name.span;
            let id = self.draft.principal_names.intern(name.text, span);
            if let Some(first) = seen_before(&mut self.draft.principal_names, &mut spans, (id, span), map) {
                let what = format!("{} in {}", self.principal(id), what(self));
                return Err(self.duplicate(&what, span, first, "keep one"));
            }
            let reward = self.events.next()?.number(|| format!("the reward of {}", self.principal(id)))?;
            self.draft.rewards.push((id, reward));
        }
        Ok(spans.len() as u32)
    }

    /// One state, or a map of states to probabilities. The number of targets.
    fn targets(&mut self, value: Node<'t>, place: Place) -> Result<u32, Fault> {
        const SHAPE: &str = "name a state, or give probabilities such as `{s0: 1/2, s1: 1/2}`";
        if !matches!(value.kind, Kind::Map) {
            let name = value.into_name(|| format!("the target of {}", self.place(place)), SHAPE)?;
            let target = self.draft.state_names.intern(name.text, name.span);
            self.draft.targets.push((target, Rational::ONE));
            return Ok(1);
        }
        let map = self.draft.n_choices;
        let mut spans = Vec::new();
        let mut row: Vec<(u32, Rational)> = Vec::new();
        let (mut sum, mut common, mut written) = (Rational::ZERO, Natural::ONE, Written::Decimals);
        while let Some(name) = self.entry("a state")? {
            let span = name.span;
            let id = self.draft.state_names.intern(name.text, span);
            if let Some(first) = seen_before(&mut self.draft.state_names, &mut spans, (id, span), map) {
                let what = format!("{} in the targets of {}", self.state_name(id), self.place(place));
                return Err(self.duplicate(&what, span, first, "add the two probabilities up"));
            }
            let value = self.events.next()?;
            let probability = self.probability(&value, id)?;
            if matches!(&value.kind, Kind::Scalar { text, .. } if text.contains('/')) {
                written = Written::Fractions;
            }
            common = least_common_multiple(&common, probability.denominator());
            if common.bit_len() > MAX_ROW_BITS {
                let message = format!("{}: the probabilities are too long to be added up", self.place(place));
                return Err(Fault::new(value.span, message, "write them with fewer digits, over a common denominator"));
            }
            sum += &probability;
            row.push((id, probability));
        }
        if !sum.is_one() {
            match OffOne::of(&sum, written, self.strict) {
                OffOne::Scaled => {
                    self.divided.count(Rational::distance_from_one(&sum, row.len()));
                    row.iter_mut().for_each(|(_, probability)| *probability /= &sum);
                }
                why => {
                    let message = format!("{}: the probabilities sum to {}, not 1", self.place(place), brief(&sum));
                    return Err(Fault::new(self.whole_map(value.span), message, mend_sum(&sum, why)));
                }
            }
        }
        row.into_iter().for_each(|entry| self.draft.targets.push(entry));
        Ok(spans.len() as u32)
    }

    fn probability(&self, value: &Node<'t>, target: u32) -> Result<Rational, Fault> {
        let what = || format!("the probability of {}", self.state_name(target));
        if value.is_missing() && self.draft.state_names.get(target).contains(':') {
            let help = "put a space behind the colon, as in `s0: 1/2`";
            return Err(Fault::new(value.span, format!("{} has no value", what()), help));
        }
        let probability = value.number(what)?;
        if probability <= Rational::ZERO {
            let message = format!("{} is {}, not positive", what(), brief(&probability));
            return Err(Fault::new(value.span, message, "leave the target out, or give it a positive probability"));
        }
        Ok(probability)
    }

    /// The next key of a map with fixed keys, by its position among them; `None` at the map's end.
    pub(super) fn key<const N: usize>(&mut self, keys: &mut Keys<N>) -> Result<Option<usize>, Fault> {
        let node = self.events.next()?;
        if matches!(node.kind, Kind::End) {
            return Ok(None);
        }
        let name = node.into_name(|| "the key".into(), "write a key before the colon")?;
        let key = keys.find(&name)?;
        match keys.seen[key].replace(name.span) {
            None => Ok(Some(key)),
            Some(first) => Err(self.duplicate(&format!("key `{}`", keys.name(key)), name.span, first, "keep one")),
        }
    }

    /// The next key of a map whose keys are names; `None` at the map's end.
    pub(super) fn entry(&mut self, what: &str) -> Result<Option<Name<'t>>, Fault> {
        let node = self.events.next()?;
        match node.kind {
            Kind::End => Ok(None),
            _ => node.into_entry(what).map(Some),
        }
    }

    fn duplicate(&self, what: &str, second: Span, first: Span, help: &str) -> Fault {
        let (line, _) = line_and_column(self.text, first.start as usize);
        Fault::new(second, format!("{what} is there twice, first on line {line}"), help)
    }

    pub(super) fn principal(&self, id: u32) -> String {
        format!("principal {}", shown(self.draft.principal_names.get(id)))
    }

    fn state_name(&self, id: u32) -> String {
        format!("state {}", shown(self.draft.state_names.get(id)))
    }

    fn place(&self, place: Place) -> String {
        format!("{}, action {}", self.state_name(place.state), shown(self.draft.action_names.get(place.action)))
    }

    /// A map in braces from its first brace to its last, if both are on one line.
    fn whole_map(&self, start: Span) -> Span {
        let rest = &self.text[start.start as usize..];
        match (rest.starts_with('{'), rest.find(['}', '\n', '\r'])) {
            (true, Some(length)) => Span::new(start.start as usize, start.start as usize + length + 1),
            _ => start,
        }
    }
}

/// The value of a key that takes any text.
fn text(value: Node, key: &str, help: &str) -> Result<String, Fault> {
    Ok(value.into_name(|| format!("the value of `{key}`"), help)?.text.into_owned())
}

/// The earlier position of a name in the map of that number. If there is none, it is recorded in `spans`.
fn seen_before(names: &mut Names, spans: &mut Vec<(u32, Span)>, name: (u32, Span), map: u32) -> Option<Span> {
    if names.enter(name.0, map) {
        spans.push(name);
        return None;
    }
    spans.iter().find(|(id, _)| *id == name.0).map(|&(_, span)| span)
}

/// How to mend probabilities that do not sum to 1.
fn mend_sum(sum: &Rational, why: OffOne) -> String {
    let gap = Rational::ONE - sum;
    if sum.is_zero() {
        return "name at least one target".into();
    }
    if Rational::is_near_one(sum) {
        return why.help().into();
    }
    let (step, distance) = if gap > Rational::ZERO { ("add", gap) } else { ("take away", -gap) };
    let rounding = Rational::from_quotient(1, 100);
    let reason =
        if distance < rounding { "; numbers are read exactly, so write a third as 1/3, not as 0.333" } else { "" };
    format!("{step} {}{reason}", brief(&distance))
}

/// A number in a message: the beginning of a long one.
fn brief(number: &Rational) -> String {
    let text = number.to_string();
    if text.len() <= 40 { text } else { format!("{}…", &text[..40]) }
}
