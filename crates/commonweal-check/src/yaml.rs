//! Models in a strict subset of YAML, turned into the canonical form.
//!
//! `docs/formats/models.md` lists what this reader accepts: mappings in block and flow style, plain and quoted scalars
//! that stay on one line, comments. Anything else (anchors, sequences, tags, several documents, scalars over several lines,
//! `?` keys) is refused, but for scalars in brackets, and left to `commonweal convert`.
//!
//! A misreading here would be unsound: a certificate of the misread model would be accepted for the model that the solver
//! reads. So input on which YAML readers disagree is refused, in particular ambiguous line ends.

use crate::Unreadable;
use crate::canonical::{Principal, Rewards, write_preferences};
use crate::fraction::{Fraction, lcm};
use crate::preference;
use crate::text::integer_text;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Pow, Signed, Zero};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// The largest file, in bytes.
const MAX_BYTES: usize = 1 << 30;
/// The longest key, in characters from its first one to its colon, quotes and escapes included.
const MAX_KEY: usize = 1 << 16;
/// The most digits of a number once it is written out.
const MAX_DIGITS: usize = 10_000;
/// The longest sum of rewards, in bits.
const MAX_SUM_BITS: u64 = 1 << 16;
/// The most levels of mappings in each other; the format has five.
const MAX_DEPTH: usize = 6;

pub enum Node {
    Scalar(String),
    Mapping(Vec<(String, Node)>),
    /// Scalars in brackets.
    List(Vec<String>),
}

/// The canonical form of the model in a YAML or JSON file.
pub fn canonical_form(text: &str) -> Result<String, Unreadable> {
    render(&read(text)?)
}

/// The form by principals of the same.
pub fn principals_form(text: &str) -> Result<String, Unreadable> {
    render_principals(&read(text)?)
}

fn read(text: &str) -> Result<Node, Unreadable> {
    if is_too_large(text.len()) {
        return Err(Unreadable(format!("larger than {MAX_BYTES} bytes, which only the canonical form may be")));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { rest: text, line: 1, column: 0, indented: true };
    reader.check_characters()?;
    reader.skip()?;
    if reader.rest.is_empty() {
        return reader.fault("the file is empty");
    }
    let root = reader.node(0, 0)?;
    reader.skip()?;
    if !reader.rest.is_empty() {
        return reader.fault("not part of the model");
    }
    Ok(root)
}

/// Whether a text of this many bytes is too large to be read.
fn is_too_large(n_bytes: usize) -> bool {
    n_bytes > MAX_BYTES
}

#[derive(Clone)]
struct Reader<'t> {
    rest: &'t str,
    line: usize,
    column: usize,
    /// Whether nothing but spaces stands before this place on its line.
    indented: bool,
}

impl Reader<'_> {
    /// Refuses characters that are line ends only for some YAML readers, and those that YAML does not allow, in comments too. After
    /// this check a line ends with a line feed, and only there.
    fn check_characters(&self) -> Result<(), Unreadable> {
        let why = |at: usize, c: char| match c {
            '\r' if self.rest[at + 1..].starts_with('\n') => None,
            '\r' => Some("a carriage return without a line feed, which ends a line in YAML".to_owned()),
            '\t' | '\n' | ' '..='~' => None,
            '\u{85}' | '\u{2028}' | '\u{2029}' => Some(format!("U+{:04X}, a line's end in some YAML", u32::from(c))),
            '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'.. => None,
            _ => Some(format!("U+{:04X}, which has no place in YAML", u32::from(c))),
        };
        let found = self.rest.char_indices().find_map(|(at, c)| Some((at, why(at, c)?)));
        let Some((at, why)) = found else { return Ok(()) };
        let mut place = self.clone();
        self.rest[..at].chars().for_each(|_| place.bump());
        place.fault(&why)
    }

    fn fault<T>(&self, why: &str) -> Result<T, Unreadable> {
        let place = format!("line {}, column {}", self.line, self.column + 1);
        Err(Unreadable(format!("{place}: {why}; convert it first: commonweal convert MODEL model.canonical")))
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) {
        if let Some(c) = self.peek() {
            self.rest = &self.rest[c.len_utf8()..];
            self.indented = c == '\n' || (self.indented && c == ' ');
            (self.line, self.column) = if c == '\n' { (self.line + 1, 0) } else { (self.line, self.column + 1) };
        }
    }

    /// Goes past spaces, line ends and comments.
    fn skip(&mut self) -> Result<(), Unreadable> {
        let mut after_space = self.column == 0;
        loop {
            match self.peek() {
                Some(' ' | '\n' | '\r') => after_space = true,
                Some('#') if after_space => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.bump();
                    }
                    continue;
                }
                Some('\t') => return self.fault("a tab"),
                _ => return Ok(()),
            }
            self.bump();
        }
    }

    /// Goes past what may stand between a key or value and the end of its line.
    fn same_line(&mut self) -> Result<bool, Unreadable> {
        let line = self.line;
        self.skip()?;
        Ok(self.line == line)
    }

    /// The node that begins here: a flow mapping, or a block mapping indented by at least `indent`.
    fn node(&mut self, indent: usize, depth: usize) -> Result<Node, Unreadable> {
        if depth > MAX_DEPTH {
            return self.fault("nested too deeply");
        }
        if self.column < indent {
            return self.fault("a value is missing");
        }
        if self.peek() == Some('{') { self.flow_mapping(depth) } else { self.block_mapping(depth) }
    }

    fn block_mapping(&mut self, depth: usize) -> Result<Node, Unreadable> {
        let margin = self.column;
        let mut entries = Vec::new();
        loop {
            let key = self.key(false)?;
            let on_key_line = self.same_line()?;
            let value = if !on_key_line {
                self.node(margin + 1, depth + 1)?
            } else {
                match self.peek() {
                    Some('{') => self.flow_mapping(depth + 1)?,
                    Some('[') => self.flow_list()?,
                    _ => Node::Scalar(self.scalar(false)?),
                }
            };
            entries.push((key, value));
            self.skip()?;
            if self.rest.is_empty() || (self.indented && self.column < margin) {
                return Ok(Node::Mapping(entries));
            }
            if !self.indented || self.column != margin {
                return self.fault("not at the place of an entry");
            }
        }
    }

    fn flow_mapping(&mut self, depth: usize) -> Result<Node, Unreadable> {
        if depth > MAX_DEPTH {
            return self.fault("nested too deeply");
        }
        let mut entries = Vec::new();
        self.bump();
        loop {
            self.skip()?;
            if self.peek() == Some('}') {
                self.bump();
                return Ok(Node::Mapping(entries));
            }
            let key = self.key(true)?;
            self.skip()?;
            let value = match self.peek() {
                Some('{') => self.flow_mapping(depth + 1)?,
                Some('[') => self.flow_list()?,
                _ => Node::Scalar(self.scalar(true)?),
            };
            entries.push((key, value));
            self.skip()?;
            match self.peek() {
                Some(',') => self.bump(),
                Some('}') => {}
                _ => return self.fault("expected `,` or `}`"),
            }
        }
    }

    /// Scalars in brackets; nothing in the format nests there.
    fn flow_list(&mut self) -> Result<Node, Unreadable> {
        let mut words = Vec::new();
        self.bump();
        loop {
            self.skip()?;
            if self.peek() == Some(']') {
                self.bump();
                return Ok(Node::List(words));
            }
            words.push(self.scalar(true)?);
            self.skip()?;
            match self.peek() {
                Some(',') => self.bump(),
                Some(']') => {}
                _ => return self.fault("expected `,` or `]`"),
            }
        }
    }

    /// A key and its colon, on one line.
    fn key(&mut self, in_flow: bool) -> Result<String, Unreadable> {
        let start = self.rest;
        let key = self.scalar(in_flow)?;
        let is_quoted = start.starts_with(['"', '\'']);
        if key == "<<" && !is_quoted {
            return self.fault("a merge key; put a name in quotes");
        }
        // JSON has the value right behind the colon of a quoted key.
        let is_json = in_flow && is_quoted && self.peek() == Some(':');
        while in_flow && self.peek() == Some(' ') {
            self.bump();
        }
        if self.peek() != Some(':') {
            return self.fault("expected a key and `:`");
        }
        let length = start.len() - self.rest.len();
        if start[..length].chars().count() > MAX_KEY {
            return self.fault("a key that is longer than 2^16 characters");
        }
        self.bump();
        if is_json || matches!(self.peek(), None | Some(' ' | '\n' | '\r')) {
            Ok(key)
        } else {
            self.fault("expected a space behind the colon")
        }
    }

    fn scalar(&mut self, in_flow: bool) -> Result<String, Unreadable> {
        match self.peek() {
            Some('"') => self.double_quoted(),
            Some('\'') => self.single_quoted(),
            _ => self.plain(in_flow),
        }
    }

    fn plain(&mut self, in_flow: bool) -> Result<String, Unreadable> {
        let ends = |at: usize, c: char| {
            let next = self.rest[at + c.len_utf8()..].chars().next();
            let before = self.rest[..at].chars().next_back();
            matches!(c, '\n' | '\r')
                || (in_flow && matches!(c, ',' | '{' | '}' | '[' | ']'))
                || (c == '#' && before == Some(' '))
                || (c == ':' && next.is_none_or(|c| matches!(c, ' ' | '\n' | '\r') || (in_flow && ",{}[]".contains(c))))
        };
        let end = self.rest.char_indices().find(|&(at, c)| ends(at, c)).map_or(self.rest.len(), |(at, _)| at);
        let word = self.rest[..end].trim_end_matches(' ').to_owned();
        let special = |c: char| ",[]{}#&*!|>%@`\"'".contains(c);
        let indicator = ["- ", "? "].iter().any(|start| word.starts_with(start)) || word == "-" || word == "?";
        let marker = self.column == 0 && (word.starts_with("---") || word.starts_with("..."));
        if word.is_empty() || word.starts_with(special) || indicator || marker || word.chars().any(char::is_control) {
            return self.fault("not a plain or quoted word");
        }
        word.chars().for_each(|_| self.bump());
        Ok(word)
    }

    fn single_quoted(&mut self) -> Result<String, Unreadable> {
        let mut word = String::new();
        self.bump();
        loop {
            match self.peek() {
                Some('\'') if self.rest.starts_with("''") => {
                    word.push('\'');
                    self.bump();
                }
                Some('\'') => {
                    self.bump();
                    return Ok(word);
                }
                Some(c) if !c.is_control() => word.push(c),
                _ => return self.fault("a quoted word that does not end on its line"),
            }
            self.bump();
        }
    }

    fn double_quoted(&mut self) -> Result<String, Unreadable> {
        let mut word = String::new();
        self.bump();
        loop {
            match self.peek() {
                Some('"') => {
                    self.bump();
                    return Ok(word);
                }
                Some('\\') => {
                    self.bump();
                    match self.peek() {
                        Some(c @ ('"' | '\\' | '/')) => word.push(c),
                        Some('n') => word.push('\n'),
                        Some('t') => word.push('\t'),
                        Some('r') => word.push('\r'),
                        Some('u') => {
                            let digits = self.rest.get(1..5).filter(|digits| !digits.starts_with('+'));
                            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                            let Some(c) = code.and_then(char::from_u32) else {
                                return self.fault("an escape that is not understood here");
                            };
                            word.push(c);
                            (0..4).for_each(|_| self.bump());
                        }
                        _ => return self.fault("an escape that is not understood here"),
                    }
                }
                Some(c) if !c.is_control() => word.push(c),
                _ => return self.fault("a quoted word that does not end on its line"),
            }
            self.bump();
        }
    }
}

/// A mapping whose keys differ.
pub fn entries<'n>(node: &'n Node, what: &str) -> Result<&'n [(String, Node)], Unreadable> {
    let Node::Mapping(entries) = node else { return Err(Unreadable(format!("{what}: expected a mapping"))) };
    let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Unreadable(format!("{what}: `{}` stands there twice", pair[0]))),
        None => Ok(entries),
    }
}

/// The value of every key in `known`; other keys are errors.
pub fn fields<'n, const N: usize>(
    node: &'n Node,
    known: [&str; N],
    what: &str,
) -> Result<[Option<&'n Node>; N], Unreadable> {
    let mut found = [None; N];
    for (key, value) in entries(node, what)? {
        match known.iter().position(|known| known == key) {
            Some(position) => found[position] = Some(value),
            None => return Err(Unreadable(format!("{what}: unknown key `{key}`"))),
        }
    }
    Ok(found)
}

/// The parts of a model, as far as both forms need them.
struct Parts<'n> {
    principals: Vec<Principal<'n>>,
    named: HashMap<&'n str, usize>,
    states: &'n [(String, Node)],
    positions: HashMap<&'n str, usize>,
}

fn parts(root: &Node) -> Result<Parts<'_>, Unreadable> {
    let missing = |what: &str| Unreadable(format!("there are no `{what}`"));
    let keys = ["start", "principals", "states", "name", "description", "step"];
    let [start, principals, states, said @ ..] = fields(root, keys, "model")?;
    if said.iter().any(|text| matches!(text, Some(Node::Mapping(_) | Node::List(_)))) {
        return Err(Unreadable("name, description, step: expected text".to_owned()));
    }
    let states = entries(states.ok_or_else(|| missing("states"))?, "states")?;
    let positions: HashMap<&str, usize> =
        states.iter().enumerate().map(|(position, (name, _))| (name.as_str(), position)).collect();
    let state =
        |name: &str| positions.get(name).copied().ok_or_else(|| Unreadable(format!("there is no state `{name}`")));
    match start {
        None => {}
        Some(Node::Scalar(name)) => _ = state(name)?,
        Some(_) => return Err(Unreadable("start: expected a state".to_owned())),
    }
    let principals = read_principals(principals.ok_or_else(|| missing("principals"))?)?;
    let named = principals.iter().enumerate().map(|(position, principal)| (principal.name, position)).collect();
    Ok(Parts { principals, named, states, positions })
}

fn render_principals(root: &Node) -> Result<String, Unreadable> {
    let parts = parts(root)?;
    let mut text = String::from(crate::principals::HEADER);
    let _ = writeln!(text, "principals {}", parts.principals.len());
    for principal in &parts.principals {
        let [whole] = &principal.segments[..] else {
            return Err(Unreadable(format!("{}: a fair certificate knows no schedules and no terms", principal.name)));
        };
        let mut terms: Vec<&(Fraction, Fraction)> = whole.parts.iter().collect();
        terms.sort_by(|left, right| right.1.compare(&left.1));
        let term = |(coefficient, discount): &&(Fraction, Fraction)| {
            format!("{} {}", number_text(coefficient), number_text(discount))
        };
        let _ = writeln!(text, "{}", terms.iter().map(term).collect::<Vec<_>>().join(" "));
    }
    render_states(&parts, text, |rewards, _| {
        let mut own = vec![Fraction::zero(); parts.principals.len()];
        rewards.into_iter().for_each(|(p, reward)| own[p] = reward);
        Ok(own)
    })
}

fn render(root: &Node) -> Result<String, Unreadable> {
    let parts = parts(root)?;
    let mut text = String::from(crate::model::HEADER);
    let form = write_preferences(&parts.principals, &mut text)?;
    render_states(&parts, text, |rewards, what| merged(&form, &parts.principals, rewards, what))
}

/// The states and choices of a form, which makes its own rewards of those by principal.
fn render_states(
    parts: &Parts,
    mut text: String,
    rewards_of: impl Fn(Vec<(usize, Fraction)>, &str) -> Result<Vec<Fraction>, Unreadable>,
) -> Result<String, Unreadable> {
    let Parts { named, states, positions, .. } = parts;
    let state =
        |name: &str| positions.get(name).copied().ok_or_else(|| Unreadable(format!("there is no state `{name}`")));
    let _ = writeln!(text, "states {}", states.len());
    for (name, choices) in *states {
        let choices = entries(choices, name)?;
        let _ = writeln!(text, "choices {}", choices.len());
        for (action, choice) in choices {
            let what = format!("state `{name}`, action `{action}`");
            let [reward, to] = fields(choice, ["reward", "to"], &what)?;
            let merged = rewards_of(read_rewards(reward, named, &what)?, &what)?;
            let mut row: Vec<(usize, Fraction)> = match to {
                None => return Err(Unreadable(format!("{what}: `to` is missing"))),
                Some(Node::Scalar(target)) => vec![(state(target)?, Fraction::one())],
                Some(row) => {
                    let row = entries(row, &what)?;
                    let targets = row.iter().map(|(target, _)| state(target)).collect::<Result<Vec<_>, _>>()?;
                    targets.into_iter().zip(probabilities(row, &what)?).collect()
                }
            };
            row.sort_by_key(|(target, _)| *target);
            let mut words: Vec<String> = merged.iter().map(number_text).collect();
            words.push(">".to_owned());
            words.extend(row.iter().flat_map(|(target, probability)| [target.to_string(), number_text(probability)]));
            text += &words.join(" ");
            text += "\n";
        }
    }
    text += "end\n";
    Ok(text)
}

/// What a choice's line begins with, of the rewards that it names by the position of the principal.
fn merged(
    form: &Rewards,
    principals: &[Principal],
    rewards: Vec<(usize, Fraction)>,
    what: &str,
) -> Result<Vec<Fraction>, Unreadable> {
    let Rewards::ByDiscount(discounts) = form else {
        let mut own = vec![Fraction::zero(); principals.len()];
        rewards.into_iter().for_each(|(p, reward)| own[p] = reward);
        return Ok(own);
    };
    let mut merged = vec![Fraction::zero(); discounts.len()];
    for (p, reward) in rewards {
        let Principal { segments, weight, .. } = &principals[p];
        if weight.is_zero() {
            continue;
        }
        let weighted = weight.times(&reward);
        for (coefficient, own) in &segments[0].parts {
            let part = discounts.partition_point(|discount| discount.compare(own).is_gt());
            let sum = merged[part].plus(&coefficient.times(&weighted));
            if sum.denominator.bits() + sum.numerator.bits() > MAX_SUM_BITS {
                return Err(Unreadable(format!("{what}: the rewards' sum is too long")));
            }
            merged[part] = sum.in_lowest_terms();
        }
    }
    Ok(merged)
}

fn read_principals(node: &Node) -> Result<Vec<Principal<'_>>, Unreadable> {
    let principals = entries(node, "principals")?.iter().map(|(name, entry)| {
        let (segments, weight) = preference::read(entry, name)?;
        Ok(Principal { name, segments, weight })
    });
    principals.collect()
}

/// The rewards that an action names, by the position of the principal.
fn read_rewards(
    node: Option<&Node>,
    named: &HashMap<&str, usize>,
    what: &str,
) -> Result<Vec<(usize, Fraction)>, Unreadable> {
    match node {
        None => Ok(Vec::new()),
        Some(scalar @ Node::Scalar(_)) => {
            let reward = number(scalar, what)?;
            Ok((0..named.len()).map(|principal| (principal, reward.clone())).collect())
        }
        Some(by_name) => {
            let read = |(name, reward): &(String, Node)| {
                let nobody = || Unreadable(format!("{what}: there is no principal `{name}`"));
                Ok((*named.get(name.as_str()).ok_or_else(nobody)?, number(reward, what)?))
            };
            entries(by_name, what)?.iter().map(read).collect()
        }
    }
}

/// The probabilities of a row. One of decimals alone whose sum S is not 1 but within 10^-9 of it is divided by S.
fn probabilities(row: &[(String, Node)], what: &str) -> Result<Vec<Fraction>, Unreadable> {
    let is_fraction = |(_, node): &(String, Node)| matches!(node, Node::Scalar(word) if word.contains('/'));
    let numbers = row.iter().map(|(_, probability)| number(probability, what)).collect::<Result<Vec<_>, _>>()?;
    if row.iter().any(is_fraction) {
        return Ok(numbers);
    }
    // Every denominator divides a power of ten, so this one is not long.
    let common = numbers.iter().fold(BigInt::one(), |common, number| lcm(&common, &number.denominator));
    let part = |number: &Fraction| &number.numerator * (&common / &number.denominator);
    let parts: Vec<BigInt> = numbers.iter().map(part).collect();
    let sum: BigInt = parts.iter().sum();
    let distance = (&sum - &common).abs();
    if distance.is_zero() || distance * 1_000_000_000 > common {
        return Ok(numbers);
    }
    Ok(parts.into_iter().map(|part| Fraction::new(part, sum.clone()).in_lowest_terms()).collect())
}

pub fn number_text(number: &Fraction) -> String {
    if number.denominator.is_one() {
        integer_text(&number.numerator)
    } else {
        format!("{}/{}", integer_text(&number.numerator), integer_text(&number.denominator))
    }
}

/// The exact number that a scalar writes, in lowest terms.
pub fn number(node: &Node, what: &str) -> Result<Fraction, Unreadable> {
    let Node::Scalar(word) = node else { return Err(Unreadable(format!("{what}: expected a number"))) };
    number_of(word, what)
}

/// The exact number that a word writes, in lowest terms.
pub fn number_of(word: &str, what: &str) -> Result<Fraction, Unreadable> {
    let read = || {
        let word = word.trim();
        let value = match word.split_once('/') {
            None => decimal(word)?,
            Some((numerator, denominator)) => {
                let (above, below) = (decimal(numerator.trim_end())?, decimal(denominator.trim_start())?);
                match below.numerator.sign() {
                    Sign::NoSign => return None,
                    Sign::Minus => above.negated().over(&below.negated()),
                    Sign::Plus => above.over(&below),
                }
            }
        };
        Some(value.in_lowest_terms()).filter(|value| !is_long(&value.numerator) && !is_long(&value.denominator))
    };
    read().ok_or_else(|| Unreadable(format!("{what}: `{}` is not a number", word.chars().take(40).collect::<String>())))
}

/// Whether an integer has more than `MAX_DIGITS` digits.
fn is_long(number: &BigInt) -> bool {
    static LEAST: LazyLock<BigUint> = LazyLock::new(|| BigUint::from(10u8).pow(MAX_DIGITS as u32));
    *number.magnitude() >= *LEAST
}

fn decimal(word: &str) -> Option<Fraction> {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, 0),
        Some((mantissa, power)) => (mantissa, exponent(power)?),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.len() > MAX_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let magnitude = BigInt::parse_bytes(digits.as_bytes(), 10)?;
    let value = if word.starts_with('-') { -magnitude } else { magnitude };
    let power = exponent - fraction.len() as i64;
    if value.is_zero() {
        return Some(Fraction::zero());
    }
    if power.unsigned_abs() > MAX_DIGITS as u64 {
        return None;
    }
    let ten_to_power: BigInt = BigInt::from(10).pow(power.unsigned_abs());
    Some(if power >= 0 {
        Fraction::new(value * ten_to_power, BigInt::one())
    } else {
        Fraction::new(value, ten_to_power)
    })
}

/// An integer; 2^32 with its sign if it is larger. No number has 2^32 digits, and differences of such integers do not overflow.
fn exponent(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse::<u32>().map_or(1 << 32, i64::from);
    Some(if word.starts_with('-') { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::is_too_large;

    #[test]
    fn a_file_has_at_most_so_many_bytes() {
        assert_eq!([0, 1 << 30, (1 << 30) + 1, usize::MAX].map(is_too_large), [false, false, true, true]);
    }
}
