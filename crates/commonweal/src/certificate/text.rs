//! Numbers as certificates write them (§2), and what both kinds have in common (§4).

use crate::model::{ChoiceId, Mdp, StateId};
use crate::number::{Integer, Rational};
use crate::strategy::{CountingStrategy, Step};
use dashu_base::{BitTest, Sign};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// An integer: decimal below 2^64, hexadecimal from there on.
pub(super) fn integer(value: &Integer) -> String {
    if value.bit_len() <= 64 {
        return value.to_string();
    }
    let sign = if value.sign() == Sign::Negative { "-" } else { "" };
    const DIGITS: usize = dashu_int::Word::BITS as usize / 4;
    let words = value.as_sign_words().1;
    let mut text = String::with_capacity(3 + DIGITS * words.len());
    let mut width = 0;
    text.push_str(sign);
    text.push_str("0x");
    for word in words.iter().rev() {
        write!(text, "{word:0width$x}").expect("a text takes every digit");
        width = DIGITS;
    }
    text
}

/// A fraction in lowest terms.
pub fn fraction(value: &Rational) -> String {
    if value.is_whole() {
        integer(value.numerator())
    } else {
        format!("{}/{}", integer(value.numerator()), integer(&value.denominator().clone().into()))
    }
}

/// A finite double in hexadecimal.
pub fn double(value: f64) -> String {
    if value == 0.0 {
        return "0x0p+0".to_owned();
    }
    let bits = value.to_bits();
    let sign = if value < 0.0 { "-" } else { "" };
    let digits = format!("{:013x}", bits & ((1 << 52) - 1));
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    match (bits >> 52) & 0x7ff {
        0 => format!("{sign}0x0{point}{digits}p-1022"),
        biased => format!("{sign}0x1{point}{digits}p{:+}", biased as i64 - 1023),
    }
}

/// The tail, equal choices in a row counted.
pub fn write_tail(model: &Mdp, tail: &[ChoiceId], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "tail")?;
    let numbers = tail.iter().enumerate().map(|(state, &choice)| number(model, state.into(), choice));
    let mut run: Option<(usize, usize)> = None;
    for number in numbers {
        run = match run {
            Some((length, same)) if same == number => Some((length + 1, same)),
            other => {
                if let Some((length, number)) = other {
                    writeln!(out, "{length} {number}")?;
                }
                Some((1, number))
            }
        };
    }
    run.map_or(Ok(()), |(length, number)| writeln!(out, "{length} {number}"))
}

/// Which states change to which choice, going back, by step.
pub type Changes = BTreeMap<Step, Vec<(StateId, ChoiceId)>>;

/// The changes from `tail` at `horizon`.
pub fn changes(strategy: &CountingStrategy, tail: &[ChoiceId], horizon: &Step) -> Changes {
    let mut changes = Changes::new();
    for (index, &tail) in tail.iter().enumerate() {
        let state = StateId::from(index);
        let mut later = tail;
        let mut until = horizon.clone();
        for change in strategy.changes(state).iter().rev().filter(|change| change.from < *horizon) {
            if change.choice != later {
                changes.entry(&until - 1).or_default().push((state, change.choice));
                later = change.choice;
            }
            until = change.from.clone();
        }
    }
    changes
}

/// The layers from `until` back to `from`, if there are any.
pub fn write_layers(model: &Mdp, changes: &Changes, from: &Step, until: &Step, out: &mut dyn Write) -> io::Result<()> {
    if from == until {
        return Ok(());
    }
    writeln!(out, "layers {from}")?;
    for (step, changes) in changes.range(from..until).rev() {
        writeln!(out, "at {step}")?;
        for &(state, choice) in changes {
            writeln!(out, "{} {}", state.index(), number(model, state, choice))?;
        }
    }
    Ok(())
}

/// The position of a choice within its state.
fn number(model: &Mdp, state: StateId, choice: ChoiceId) -> usize {
    choice.index() - model.choices(state).next().expect("a state has a choice").index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Natural;

    #[test]
    fn doubles_are_written_as_c_writes_them() {
        let written = [0.1, -3.0, 1.0, 5e-324, f64::MAX, f64::MIN_POSITIVE, -0.0].map(double);
        let expected = [
            "0x1.999999999999ap-4",
            "-0x1.8p+1",
            "0x1p+0",
            "0x0.0000000000001p-1022",
            "0x1.fffffffffffffp+1023",
            "0x1p-1022",
            "0x0p+0",
        ];
        assert_eq!(written, expected);
    }

    #[test]
    fn integers_turn_hexadecimal_at_two_to_the_64() {
        let power = |exponent: usize| Integer::from(Natural::ONE << exponent);
        assert_eq!(integer(&(power(64) - Integer::ONE)), "18446744073709551615");
        assert_eq!(integer(&power(64)), "0x10000000000000000");
        assert_eq!(integer(&-power(70)), "-0x400000000000000000");
    }
}
