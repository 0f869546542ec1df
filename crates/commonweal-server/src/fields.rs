//! The body of a request: a JSON object whose keys are taken one by one; unknown keys are refused by name.

use crate::problem::Problem;
use commonweal::documents::Entries;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Numbers by name, each as text.
pub type Texts = Vec<(String, String)>;

/// The keys that are not taken yet, each with its value as it is written: a number that went through a double would no longer be
/// the number of the request.
#[derive(Debug)]
pub struct Fields(BTreeMap<String, Box<RawValue>>);

/// How a value of the wrong kind is named.
fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        Some(b'"') => "a text",
        Some(b'[') => "a list",
        Some(b'{') => "an object",
        _ => "a number",
    }
}

fn wrong(name: &str, expected: &str, found: &RawValue) -> Problem {
    Problem::bad_request(format!("`{name}` must be {expected}, not {}", kind(found)))
}

fn not_json(error: &serde_json::Error) -> Problem {
    Problem::bad_request(format!("the body is not JSON: {error}"))
        .help("send an object such as {\"model\": \"principals: …\"}")
}

/// The value of a text that is JSON of the right kind. An error is one within it, such as a lone surrogate.
fn read<T: DeserializeOwned>(value: &RawValue) -> Result<T, Problem> {
    serde_json::from_str(value.get()).map_err(|error| not_json(&error))
}

/// The entries of an object. One that is given twice is refused: which of the two counts would be a guess.
fn object(value: &RawValue) -> Result<BTreeMap<String, Box<RawValue>>, Problem> {
    let entries: Entries<Box<RawValue>> = read(value)?;
    let mut all = BTreeMap::new();
    for (key, value) in entries.0 {
        let shown: String = key.chars().take(40).collect();
        if all.insert(key, value).is_some() {
            return Err(Problem::bad_request(format!("the key `{shown}` is given twice")).help("keep one of them"));
        }
    }
    Ok(all)
}

impl Fields {
    /// The keys of a body.
    pub fn of(body: &[u8]) -> Result<Fields, Problem> {
        let body: &RawValue = serde_json::from_slice(body).map_err(|error| not_json(&error))?;
        match kind(body) {
            "an object" => object(body).map(Fields),
            other => Err(Problem::bad_request(format!("the body must be a JSON object, not {other}"))),
        }
    }

    fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        self.0.remove(name)
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, Problem> {
        match self.take(name) {
            None => Ok(None),
            Some(value) if kind(&value) == "a text" => read(&value).map(Some),
            Some(other) => Err(wrong(name, "a text", &other)),
        }
    }

    /// A number, or the text of one: kept as text, so that it is read exactly.
    pub fn number(&mut self, name: &str) -> Result<Option<String>, Problem> {
        self.take(name).map(|value| number(name, &value)).transpose()
    }

    /// Yes or no.
    pub fn flag(&mut self, name: &str) -> Result<bool, Problem> {
        match self.take(name) {
            None => Ok(false),
            Some(value) if kind(&value) == "true or false" => read(&value),
            Some(other) => Err(wrong(name, "true or false", &other)),
        }
    }

    /// A whole number in a range.
    pub fn count(&mut self, name: &str, range: std::ops::RangeInclusive<u64>) -> Result<Option<u64>, Problem> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match serde_json::from_str(value.get()).ok().filter(|count| range.contains(count)) {
            Some(count) => Ok(Some(count)),
            None => {
                let (from, to) = (range.start(), range.end());
                Err(Problem::bad_request(format!("`{name}` must be a whole number from {from} to {to}")))
            }
        }
    }

    /// Numbers by name, each as text.
    pub fn numbers(&mut self, name: &str) -> Result<Texts, Problem> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(value) if kind(&value) == "an object" => {
                object(&value)?.into_iter().map(|(key, value)| Ok((key, number(name, &value)?))).collect()
            }
            Some(other) => Err(wrong(name, "an object of names and numbers", &other)),
        }
    }

    /// Objects of numbers by name, each number as text.
    pub fn objects_of_numbers(&mut self, name: &str) -> Result<Vec<(String, Texts)>, Problem> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(value) if kind(&value) == "an object" => {
                let entries = object(&value)?;
                let one = |(owner, value): (String, Box<RawValue>)| {
                    let mut inner = Fields(BTreeMap::from([(name.to_owned(), value)]));
                    Ok((owner, inner.numbers(name)?))
                };
                entries.into_iter().map(one).collect()
            }
            Some(other) => Err(wrong(name, "an object of names and objects of numbers", &other)),
        }
    }

    /// Refuses keys that were not taken.
    pub fn done(self) -> Result<(), Problem> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(key) => {
                let shown: String = key.chars().take(40).collect();
                Err(Problem::bad_request(format!("there is no key `{shown}`")).help("docs/api.md lists the keys"))
            }
        }
    }
}

fn number(name: &str, value: &RawValue) -> Result<String, Problem> {
    match kind(value) {
        "a text" => read(value),
        "a number" => Ok(value.get().to_owned()),
        _ => Err(wrong(name, "a number or the text of one, such as \"2/3\"", value)),
    }
}
