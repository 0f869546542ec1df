//! Checks of nodes: a name, a number, a map, one of a few keys. The error says how to fix it.
//!
//! Each check takes a closure that says what is being checked, called only for a message: a large model passes through
//! here millions of times.

use super::{
    parse_error::{Fault, Span, shown},
    yaml_events::{Kind, Node},
};
use crate::{
    model::nearest,
    number::{NumberError, Rational, parse_rational},
};
use std::borrow::Cow;

const NUMBERS: &str = "write an integer, a decimal such as 0.25 or 1e-3, or a fraction such as 2/3";

/// A name as it stands in the file.
pub(super) struct Name<'t> {
    pub text: Cow<'t, str>,
    pub span: Span,
}

impl<'t> Node<'t> {
    /// The node as a name.
    pub fn into_name(self, what: impl Fn() -> String, help: &str) -> Result<Name<'t>, Fault> {
        if self.is_missing() {
            return Err(Fault::new(self.span, format!("{} is missing", what()), help));
        }
        match self.kind {
            Kind::Scalar { text, .. } => Ok(Name { text, span: self.span }),
            _ => Err(Fault::new(self.span, format!("{} must be a name, not {}", what(), self.noun()), help)),
        }
    }

    /// The node as a key of a map whose keys are names of things; `what` is one of them.
    pub fn into_entry(self, what: &str) -> Result<Name<'t>, Fault> {
        if matches!(&self.kind, Kind::Scalar { text, plain: true } if text == "<<") {
            let help = format!("write the entries out; if {what} is really called that, put the name in quotes");
            return Err(Fault::new(self.span, "merge keys `<<` are not supported", help));
        }
        self.into_name(|| format!("the name of {what}"), "write a name before the colon")
    }

    /// The node as an exact number.
    pub fn number(&self, what: impl Fn() -> String) -> Result<Rational, Fault> {
        let fault = |message: String, help: &str| Err(Fault::new(self.span, message, help));
        let Kind::Scalar { text, .. } = &self.kind else {
            return fault(format!("{} must be a number, not {}", what(), self.noun()), NUMBERS);
        };
        if self.is_null() {
            return fault(format!("{} has no value", what()), NUMBERS);
        }
        match parse_rational(text) {
            Ok(number) => Ok(number),
            Err(NumberError::ZeroDenominator(_)) => {
                fault(format!("{}: {} divides by zero", what(), shown(text)), "write another denominator")
            }
            Err(NumberError::TooLong(_)) => fault(
                format!("{}: {} has more than 10,000 digits when written out", what(), shown(text)),
                "write it with fewer digits",
            ),
            Err(_) => fault(format!("{} is not a number: {}", what(), shown(text)), &mend_number(text)),
        }
    }

    /// Checks that the node begins a map. `wanted` says what is allowed there, `source` is the whole file.
    pub fn expect_map(&self, source: &str, what: impl Fn() -> String, wanted: &str, help: &str) -> Result<(), Fault> {
        if matches!(self.kind, Kind::Map) {
            return Ok(());
        }
        if self.is_null() {
            return Err(Fault::new(self.span, format!("{} has no value", what()), help));
        }
        let message = format!("{} must be {wanted}, not {}", what(), self.noun());
        let own = &source[self.span.start as usize..self.span.end as usize];
        match (&self.kind, own.split_once(['\n', '\r'])) {
            // Without its colon, a key runs on into the next line.
            (Kind::Scalar { plain: true, .. }, Some((key, _))) => {
                Err(Fault::new(self.span, message, format!("put a colon behind {}", shown(key.trim_end()))))
            }
            _ => Err(Fault::new(self.span, message, help)),
        }
    }
}

/// The keys that a map may have, and where each has been seen.
pub(super) struct Keys<const N: usize> {
    whose: &'static str,
    names: [&'static str; N],
    /// What to write in place of an unknown key that is a known mistake.
    cure: fn(&str) -> Option<String>,
    pub seen: [Option<Span>; N],
}

impl<const N: usize> Keys<N> {
    pub fn new(whose: &'static str, names: [&'static str; N]) -> Self {
        Keys { whose, names, cure: |_| None, seen: [None; N] }
    }

    pub fn with_cure(self, cure: fn(&str) -> Option<String>) -> Self {
        Keys { cure, ..self }
    }

    pub fn name(&self, key: usize) -> &'static str {
        self.names[key]
    }

    /// The position of a key among those that the map may have.
    pub fn find(&self, name: &Name) -> Result<usize, Fault> {
        match self.names.iter().position(|known| **known == name.text) {
            Some(key) => Ok(key),
            None => {
                let message = format!("{} has no key {}", self.whose, shown(&name.text));
                Err(Fault::new(name.span, message, self.mend(&name.text)))
            }
        }
    }

    fn mend(&self, name: &str) -> String {
        if name == "<<" {
            return "merge keys are not supported: write the entries out".into();
        }
        if let Some(cure) = (self.cure)(name) {
            return cure;
        }
        // YAML takes `key:value` for one name.
        let squeezed = name.split_once(':').map(|(key, _)| key).filter(|key| self.names.contains(key));
        match (squeezed, nearest(name, self.names)) {
            (Some(key), _) => format!("put a space behind the colon of `{key}:`"),
            (None, Some(candidate)) => format!("did you mean `{candidate}`?"),
            (None, None) => {
                let names = self.names.map(|name| format!("`{name}`"));
                format!("the keys of {} are {}", self.whose, names.join(", "))
            }
        }
    }
}

/// How to mend a text that is not a number.
fn mend_number(text: &str) -> String {
    let is_number = |text: &str| parse_rational(text).is_ok();
    let last_word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    if text.contains(char::is_whitespace) && matches!(last_word, "to" | "reward" | "weight" | "discount") {
        return format!("put a comma before `{last_word}`");
    }
    if let Some(percent) = text.strip_suffix('%').filter(|number| is_number(number)) {
        return format!("write {}", shown(&format!("{}/100", percent.trim())));
    }
    let with_point = text.replacen(',', ".", 1);
    if is_number(&with_point) {
        return format!("write {}, with a point", shown(&with_point));
    }
    let unseparated = text.replace(['_', ' ', '\''], "");
    if is_number(&unseparated) {
        return format!("write {}, without separators", shown(&unseparated));
    }
    NUMBERS.into()
}
