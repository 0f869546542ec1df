//! The body of a request: a JSON object whose keys are taken one by one; unknown keys are refused by name.

use crate::problem::Problem;
use serde_json::{Map, Value};

/// The keys that are not taken yet.
#[derive(Debug)]
pub struct Fields(Map<String, Value>);

/// How a value of the wrong kind is named.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn wrong(name: &str, expected: &str, found: &Value) -> Problem {
    Problem::bad_request(format!("`{name}` must be {expected}, not {}", kind(found)))
}

impl Fields {
    /// The keys of a body.
    pub fn of(body: &[u8]) -> Result<Fields, Problem> {
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Fields(fields)),
            Ok(other) => Err(Problem::bad_request(format!("the body must be a JSON object, not {}", kind(&other)))),
            Err(error) => Err(Problem::bad_request(format!("the body is not JSON: {error}"))
                .help("send an object such as {\"model\": \"principals: …\"}")),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, Problem> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a text", &other)),
        }
    }

    /// A number, or the text of one: kept as text, so that it is read exactly.
    pub fn number(&mut self, name: &str) -> Result<Option<String>, Problem> {
        self.take(name).map(|value| number(name, value)).transpose()
    }

    /// Yes or no.
    pub fn flag(&mut self, name: &str) -> Result<bool, Problem> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong(name, "true or false", &other)),
        }
    }

    /// A whole number in a range.
    pub fn count(&mut self, name: &str, range: std::ops::RangeInclusive<u64>) -> Result<Option<u64>, Problem> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value.as_u64().filter(|count| range.contains(count)) {
            Some(count) => Ok(Some(count)),
            None => {
                let (from, to) = (range.start(), range.end());
                Err(Problem::bad_request(format!("`{name}` must be a whole number from {from} to {to}")))
            }
        }
    }

    /// Numbers by name, each as text.
    pub fn numbers(&mut self, name: &str) -> Result<Vec<(String, String)>, Problem> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Object(entries)) => {
                entries.into_iter().map(|(key, value)| Ok((key, number(name, value)?))).collect()
            }
            Some(other) => Err(wrong(name, "an object of names and numbers", &other)),
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

fn number(name: &str, value: Value) -> Result<String, Problem> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(wrong(name, "a number or the text of one, such as \"2/3\"", &other)),
    }
}
