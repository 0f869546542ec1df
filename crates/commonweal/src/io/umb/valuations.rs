//! The variables of the states of a UMB file: `valuations/states/…`, bits packed as the index describes.
//!
//! A state has the name that Storm writes below it in DRN: `!failure & col=0 & c1=2`, the variables in the file's order.

use super::super::{ReadError, parse_error::shown, state_names::StateNames};
use super::arrays::word;
use super::index::{INDEX, TypeFile};
use super::{VALUATION_CLASSES, VALUATION_OFFSETS, VALUATION_STRINGS, VALUATIONS};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct ValuationsFile {
    states: Option<DescriptionFile>,
}

#[derive(Debug, Deserialize)]
struct DescriptionFile {
    classes: Vec<ClassFile>,
}

#[derive(Debug, Deserialize)]
struct ClassFile {
    variables: Vec<VariableFile>,
}

#[derive(Debug, Deserialize)]
struct VariableFile {
    padding: Option<u64>,
    name: Option<String>,
    #[serde(rename = "is-optional", default)]
    is_optional: bool,
    r#type: Option<TypeFile>,
    #[serde(default)]
    offset: i64,
}

/// How the values of a state's variables are packed, class by class.
#[derive(Debug)]
pub(super) struct Valuations {
    classes: Vec<ValuationClass>,
}

/// States with the same variables.
#[derive(Debug)]
struct ValuationClass {
    fields: Vec<Field>,
    bytes: usize,
}

#[derive(Debug)]
enum Field {
    Padding(usize),
    Variable { name: String, is_optional: bool, kind: Kind, bits: usize, offset: i64 },
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Bool,
    Int,
    Uint,
    Double,
    String,
}

/// The files about states' variables, as far as they have been read.
#[derive(Debug, Default)]
pub(super) struct ValuationFiles {
    pub values: Option<Vec<u8>>,
    pub classes: Option<Vec<u8>>,
    pub string_offsets: Option<Vec<u8>>,
    pub strings: Option<Vec<u8>>,
}

impl Valuations {
    /// The valuations that an index describes; `None` if it describes none of states, or such as have no short text.
    pub fn described(file: Option<ValuationsFile>) -> Result<Option<Valuations>, ReadError> {
        let Some(states) = file.and_then(|file| file.states) else { return Ok(None) };
        let mut classes = Vec::new();
        for (index, class) in states.classes.into_iter().enumerate() {
            let mut fields = Vec::new();
            for variable in class.variables {
                match variable.field(index)? {
                    Some(field) => fields.push(field),
                    None => return Ok(None),
                }
            }
            let bits = fields.iter().fold(0usize, |sum, field| sum.saturating_add(field.bits()));
            if bits % 8 != 0 {
                let message = format!("the variables of states of class {index} have {bits} bits");
                return Err(fault(message, "whole bytes are needed; add `padding`"));
            }
            classes.push(ValuationClass { fields, bytes: bits / 8 });
        }
        Ok((!classes.is_empty()).then_some(Valuations { classes }))
    }

    /// The names of all states.
    pub fn names(&self, n_states: usize, files: &ValuationFiles) -> Result<StateNames, ReadError> {
        let mut names = StateNames::default();
        let Some(values) = &files.values else { return Ok(names) };
        let mut rest = values.as_slice();
        for state in 0..n_states {
            let class = files.classes.as_ref().map_or(0, |classes| half_word(&classes[4 * state..4 * state + 4]));
            let class = self.classes.get(class).ok_or_else(|| {
                let message = format!("state {state} is of class {class}, but there are only {}", self.classes.len());
                misfit(VALUATION_CLASSES, message)
            })?;
            let (own, later) = rest.split_at_checked(class.bytes).ok_or_else(|| {
                let message = format!("the file has {} bytes and ends in state {state}", values.len());
                misfit(VALUATIONS, message)
            })?;
            rest = later;
            if !names.is_full() {
                names.name(state, &class.text(own, files)?);
            }
        }
        if !rest.is_empty() {
            let message = format!("the file has {} bytes more than its {n_states} states need", rest.len());
            return Err(misfit(VALUATIONS, message));
        }
        Ok(names)
    }
}

impl VariableFile {
    /// What is packed here; `None` if its values have no short text.
    fn field(self, class: usize) -> Result<Option<Field>, ReadError> {
        let (name, r#type) = match (self.padding, self.name, self.r#type) {
            (Some(bits), ..) => return Ok(Some(Field::Padding(usize::try_from(bits).unwrap_or(usize::MAX)))),
            (None, Some(name), Some(r#type)) => (name, r#type),
            _ => {
                let message = format!("a variable of states of class {class} lacks its name or its type");
                return Err(fault(message, "give it both, or `padding`"));
            }
        };
        let (kind, usual, most) = match r#type.r#type.as_str() {
            "bool" => (Kind::Bool, 1, 64),
            "int" => (Kind::Int, 64, 64),
            "uint" => (Kind::Uint, 64, 64),
            "double" => (Kind::Double, 64, 64),
            "string" => (Kind::String, 64, 64),
            _ => return Ok(None),
        };
        let bits = r#type.size.unwrap_or(usual);
        let fixed = matches!(kind, Kind::Double | Kind::String);
        if bits == 0 || (fixed && bits != 64) {
            let message = format!("the variable {} has a {} of {bits} bits", shown(&name), r#type.r#type);
            return Err(fault(message, format!("give it the usual size, {usual}")));
        }
        if bits > most {
            return Ok(None);
        }
        let (is_optional, offset) = (self.is_optional, self.offset);
        Ok(Some(Field::Variable { name, is_optional, kind, bits: bits as usize, offset }))
    }
}

impl Field {
    fn bits(&self) -> usize {
        match self {
            Field::Padding(bits) => *bits,
            Field::Variable { bits, is_optional, .. } => bits + usize::from(*is_optional),
        }
    }
}

impl ValuationClass {
    /// The values of the variables as text. An optional one that is absent is left out.
    fn text(&self, bytes: &[u8], files: &ValuationFiles) -> Result<String, ReadError> {
        let mut text = String::new();
        let mut at = 0;
        for field in &self.fields {
            let begin = at;
            at += field.bits();
            let Field::Variable { name, is_optional, kind, bits, offset } = field else { continue };
            if *is_optional && bits_at(bytes, begin, 1) == 0 {
                continue;
            }
            let value = bits_at(bytes, at - bits, *bits);
            if !text.is_empty() {
                text += " & ";
            }
            match kind {
                Kind::Bool if value == 0 => text += &format!("!{name}"),
                Kind::Bool => text += name,
                Kind::Uint => text += &format!("{name}={}", i128::from(value) + i128::from(*offset)),
                Kind::Int => {
                    let unused = 64 - *bits as u32;
                    let signed = (value << unused).cast_signed() >> unused;
                    text += &format!("{name}={}", i128::from(signed) + i128::from(*offset));
                }
                Kind::Double => text += &format!("{name}={}", f64::from_bits(value)),
                Kind::String => text += &format!("{name}={}", string(value, files)?),
            }
        }
        Ok(text)
    }
}

/// A text by its number.
fn string(index: u64, files: &ValuationFiles) -> Result<&str, ReadError> {
    let offsets = files.string_offsets.as_deref().unwrap_or_default();
    let offset = |index: usize| {
        let bytes = offsets.get(index.checked_mul(8)?..)?.get(..8)?;
        usize::try_from(word(bytes)).ok()
    };
    let found = || {
        let index = usize::try_from(index).ok()?;
        let bytes = files.strings.as_deref()?.get(offset(index)?..offset(index.checked_add(1)?)?)?;
        std::str::from_utf8(bytes).ok()
    };
    let message = || format!("text {index} is not in `{VALUATION_STRINGS}`, or not UTF-8");
    found().ok_or_else(|| misfit(VALUATION_OFFSETS, message()))
}

/// At most 64 bits from a position on; the first bit is the lowest of the first byte.
fn bits_at(bytes: &[u8], at: usize, n: usize) -> u64 {
    let last = (at + n).div_ceil(8);
    let wide = bytes[at / 8..last].iter().rev().fold(0u128, |wide, &byte| wide << 8 | u128::from(byte));
    let mask = if n == 64 { u64::MAX } else { (1 << n) - 1 };
    (wide >> (at % 8)) as u64 & mask
}

fn half_word(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize
}

fn fault(message: impl Into<String>, help: impl Into<String>) -> ReadError {
    ReadError::archive(Some(INDEX), message, help)
}

fn misfit(file: &str, message: impl Into<String>) -> ReadError {
    ReadError::archive(Some(file), message, "the file does not fit its `index.json`; write it anew")
}
