//! The components of documents: formats, numbers, steps, ordered maps.

use super::Document;
use crate::answer::Method;
use crate::number::{Enclosure, NumberError, Rational, Value, parse_rational};
use crate::strategy::Step;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;
use std::marker::PhantomData;

/// A fraction with more digits than this is left out.
const MAX_DIGITS: usize = 10_000;

/// The `format` of a document: written as its type says, and refused if another one is read.
pub struct Format<D>(PhantomData<fn() -> D>);

impl<D> Default for Format<D> {
    fn default() -> Self {
        Format(PhantomData)
    }
}

impl<D> Clone for Format<D> {
    fn clone(&self) -> Self {
        Format::default()
    }
}

impl<D> PartialEq for Format<D> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<D: Document> fmt::Debug for Format<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(D::FORMAT)
    }
}

impl<D: Document> Serialize for Format<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(D::FORMAT)
    }
}

impl<'de, D: Document> Deserialize<'de> for Format<D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let format = String::deserialize(deserializer)?;
        if format == D::FORMAT {
            Ok(Format::default())
        } else {
            Err(R::Error::custom(format!("the format is {format:?}, not {:?}", D::FORMAT)))
        }
    }
}

/// Which engine computed the numbers of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// In fractions.
    Exact,
    /// In doubles, between proven bounds.
    Certified,
}

impl From<Method> for Engine {
    fn from(method: Method) -> Engine {
        match method {
            Method::Exact => Engine::Exact,
            Method::Certified { .. } => Engine::Certified,
        }
    }
}

/// A map from names that keeps its order.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<T>(pub Vec<(String, T)>);

impl<T> Entries<T> {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

impl Entries<Number> {
    /// Leaves the fractions out.
    pub fn leave_fractions_out(&mut self) {
        self.0.iter_mut().for_each(|(_, number)| number.leave_fraction_out());
    }
}

impl<T> FromIterator<(String, T)> for Entries<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        Entries(entries.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

/// A number with proven bounds: `{"exact": "127/9", "lower": 14.1…, "upper": 14.1…, "value": 14.1…}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// The fraction.
    #[serde(default, skip_serializing_if = "Fraction::is_left_out")]
    pub exact: Fraction,
    /// A double that is no greater than the number.
    pub lower: Double,
    /// A double that is no less than the number.
    pub upper: Double,
    /// The double nearest to the fraction, or to the middle between the two where that is not known.
    pub value: Double,
}

/// A fraction as documents have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Fraction {
    /// Its text.
    Text(String),
    /// `null`: it is not known, or longer than 10,000 digits.
    Unknown,
    /// The document has no fractions: the key is not there.
    #[default]
    LeftOut,
}

impl Fraction {
    /// The text, if it is there.
    pub fn text(&self) -> Option<&str> {
        match self {
            Fraction::Text(text) => Some(text),
            Fraction::Unknown | Fraction::LeftOut => None,
        }
    }

    /// Whether the document has no fractions.
    pub fn is_left_out(&self) -> bool {
        *self == Fraction::LeftOut
    }
}

impl From<Option<&Rational>> for Fraction {
    fn from(exact: Option<&Rational>) -> Fraction {
        exact.and_then(exact_text).map_or(Fraction::Unknown, Fraction::Text)
    }
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.map_or(Fraction::Unknown, Fraction::Text))
    }
}

impl From<&Value> for Number {
    fn from(value: &Value) -> Number {
        Number {
            exact: value.exact.as_ref().into(),
            lower: Double(value.enclosure.lower()),
            upper: Double(value.enclosure.upper()),
            value: Double(value.nearest_double()),
        }
    }
}

impl From<Value> for Number {
    fn from(value: Value) -> Number {
        Number::from(&value)
    }
}

impl Number {
    /// Leaves the fraction out.
    pub fn leave_fraction_out(&mut self) {
        self.exact = Fraction::LeftOut;
    }

    /// The number as results have it; an error if `exact` is no fraction.
    pub fn value(&self) -> Result<Value, NumberError> {
        let exact = self.exact.text().map(parse_rational).transpose()?;
        Ok(Value { exact, enclosure: Enclosure::new(self.lower.0, self.upper.0) })
    }
}

/// The fraction as text, unless it is too long.
pub fn exact_text(exact: &Rational) -> Option<String> {
    // A digit takes more than three bits: a number that is far too long is rejected by its length.
    if exact.bits() / 4 > MAX_DIGITS {
        return None;
    }
    let text = exact.to_string();
    (text.bytes().filter(u8::is_ascii_digit).count() <= MAX_DIGITS).then_some(text)
}

/// A double. JSON has no infinities: they are written as `1e999` and `-1e999`, which every reader rounds to them, and NaN
/// as `null`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Double(pub f64);

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let infinite = |text: &str| RawValue::from_string(text.to_owned()).expect("a JSON number");
        match self.0 {
            f64::INFINITY => infinite("1e999").serialize(serializer),
            f64::NEG_INFINITY => infinite("-1e999").serialize(serializer),
            // Never a negative zero.
            other => serializer.serialize_f64(other + 0.0),
        }
    }
}

impl<'de> Deserialize<'de> for Double {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As text: a reader of doubles would refuse a number that overflows.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        match raw.get() {
            "null" => Ok(Double(f64::NAN)),
            text => text.parse().map(Double).map_err(|_| D::Error::custom(format!("{text} is not a number"))),
        }
    }
}

/// Reads the nearest double: serde_json's fast reader may be off by one unit in the last place.
pub(super) fn nearest_double<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Double::deserialize(deserializer).map(|double| double.0)
}

/// A step: a JSON number up to 2^53 − 1, a string of digits beyond.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepNumber(pub Step);

impl Serialize for StepNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const LAST_EXACT: u64 = (1 << 53) - 1;
        match u64::try_from(&self.0) {
            Ok(step) if step <= LAST_EXACT => serializer.serialize_u64(step),
            _ => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for StepNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrDigits;
        impl Visitor<'_> for NumberOrDigits {
            type Value = StepNumber;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a step: a whole number from 0, or a string of its digits")
            }

            fn visit_u64<E: Error>(self, step: u64) -> Result<StepNumber, E> {
                Ok(StepNumber(Step::from(step)))
            }

            fn visit_str<E: Error>(self, digits: &str) -> Result<StepNumber, E> {
                digits.parse().map(StepNumber).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(NumberOrDigits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_past_what_doubles_count_is_a_string() {
        for (step, text) in [
            (Step::from(761u32), "761".to_owned()),
            (Step::from((1u64 << 53) - 1), "9007199254740991".to_owned()),
            (Step::from(1u64 << 53), "\"9007199254740992\"".to_owned()),
            (format!("1{}", "0".repeat(30)).parse().unwrap(), format!("\"1{}\"", "0".repeat(30))),
        ] {
            let step = StepNumber(step);
            assert_eq!(serde_json::to_string(&step).unwrap(), text);
            assert_eq!(serde_json::from_str::<StepNumber>(&text).unwrap(), step);
        }
        for text in ["-1", "1.5", "\"\"", "\"-1\"", "\"1e3\"", "null"] {
            assert!(serde_json::from_str::<StepNumber>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_double_is_written_and_read_back() {
        let written = |x: f64| serde_json::to_string(&Double(x)).unwrap();
        assert_eq!(written(-0.0), "0.0");
        assert_eq!(written(f64::INFINITY), "1e999");
        assert_eq!(written(f64::NEG_INFINITY), "-1e999");
        for x in [0.0, 5e-324, -1.5, 0.1, 127.0 / 9.0, f64::MAX, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(serde_json::from_str::<Double>(&written(x)).unwrap(), Double(x));
        }
        assert!(serde_json::from_str::<Double>(&written(f64::NAN)).unwrap().0.is_nan());
        for text in ["\"1\"", "true", "[]", "{}"] {
            assert!(serde_json::from_str::<Double>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_fraction_of_too_many_digits_is_left_out() {
        let power = |digits: isize| Rational::from(10).pow(digits - 1);
        assert_eq!(exact_text(&power(9_999)).map(|text| text.len()), Some(9_999));
        assert_eq!(exact_text(&power(10_001)), None);
        assert_eq!(exact_text(&power(1_000_000)), None);
    }

    #[test]
    fn a_value_is_read_back_as_it_was_written() {
        for text in ["127/9", "-3", "1/3000000", "1e-400", "1e400"] {
            let value = Value::from(parse_rational(text).unwrap());
            let number = Number::from(&value);
            let json = serde_json::to_string(&number).unwrap();
            assert_eq!(serde_json::from_str::<Number>(&json).unwrap(), number);
            assert_eq!(number.value().unwrap(), value, "{json}");
        }
    }

    #[test]
    fn the_value_is_the_double_that_a_reader_of_the_decimal_gets() {
        for text in ["0.11", "127/9", "-0.3", "1e-320", "1/7"] {
            let exact = parse_rational(text).unwrap();
            let number = Number::from(&Value::from(exact.clone()));
            assert_eq!(number.value.0, exact.to_f64(), "{text}");
            assert!(number.lower.0 <= number.value.0 && number.value.0 <= number.upper.0);
        }
        let between = Number::from(&Value::from(Enclosure::new(1.0, 4.0)));
        assert_eq!((between.value, between.exact), (Double(2.5), Fraction::Unknown));
        let beyond = Number::from(&Value::from(parse_rational("1e400").unwrap()));
        assert_eq!(beyond.value, Double(f64::MAX));
    }

    #[test]
    fn a_fraction_that_is_left_out_leaves_no_key() {
        let mut number = Number::from(&Value::from(parse_rational("1/2").unwrap()));
        number.leave_fraction_out();
        let json = serde_json::to_string(&number).unwrap();
        assert_eq!(json, r#"{"lower":0.5,"upper":0.5,"value":0.5}"#);
        assert_eq!(serde_json::from_str::<Number>(&json).unwrap(), number);
    }
}
