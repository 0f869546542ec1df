//! A printed statement, the exact value, and the verdict.

use crate::misprints;
use commonweal::internals::number::{Rational, Value, parse_rational};
use commonweal::internals::text::numbers::exact_and_decimal;

/// The claims about one example.
pub struct Example {
    pub title: String,
    pub claims: Vec<Claim>,
}

/// One statement of the paper, and what it should say.
pub struct Claim {
    /// A name for the list of misprints.
    pub id: &'static str,
    pub what: String,
    printed: Printed,
    exact: Exact,
    /// A remark in brackets.
    beside: Option<String>,
    /// Notes.
    pub notes: Vec<String>,
    /// Whether it depends on measured times.
    pub is_timed: bool,
    /// Whether it is a check of ours, not a claim of the paper.
    pub is_check: bool,
}

/// The paper's side.
pub enum Printed {
    /// A number, perhaps in two forms, `4/75 = 0.053̄`. A line over the last digit repeats it for ever.
    Number(&'static str),
    /// A formula, and its value in each of the cases that ours gives.
    Formula(&'static str, Vec<Rational>),
    /// A property of the number, such as `> 0`.
    Property(&'static str, fn(&Rational) -> bool),
    /// Words, such as a strategy.
    Words(&'static str),
    /// Something that an experiment shows to hold or not.
    Statement(String),
}

/// Our side.
pub enum Exact {
    /// The value in each case; mostly there is one.
    Values(Vec<Rational>),
    /// The paper's word can be read in several ways: each with its value. One that agrees is enough.
    Readings(Vec<(&'static str, Rational)>),
    /// Not a fraction, but strictly between these two, in each case.
    Between(Vec<(Rational, Rational)>),
    Words(String),
    /// The result of an experiment, and its verdict on the statement.
    Found(String, Finding),
}

/// The verdict of an experiment on a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// The experiment does not decide it: the confidence interval is not contained in the stated range.
    Open,
}

impl Finding {
    /// It holds or it does not.
    pub fn of(holds: bool) -> Finding {
        if holds { Finding::Holds } else { Finding::Fails }
    }
}

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The exact value rounds to the printed digits, or an experiment supports the claim.
    Agrees,
    /// It does not agree, and the misprint is known.
    Misprint,
    /// It does not agree, and there is no explanation yet.
    Differs,
    /// This run neither supports nor refutes it.
    Open,
}

impl Verdict {
    /// The verdict in a word, as the text, the page and the document have it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Misprint => "misprint",
            Verdict::Differs => "DIFFERS",
            Verdict::Open => "open",
        }
    }
}

impl Claim {
    pub fn new(id: &'static str, what: impl Into<String>, printed: Printed, exact: Exact) -> Claim {
        let what = what.into();
        Claim { id, what, printed, exact, beside: None, notes: Vec::new(), is_timed: false, is_check: false }
    }

    /// A claim about an experiment: the paper's statement, the result, and whether it supports the claim.
    pub fn found(
        id: &'static str,
        what: impl Into<String>,
        statement: impl Into<String>,
        found: String,
        holds: bool,
    ) -> Claim {
        Claim::measured(id, what, statement, found, Finding::of(holds))
    }

    /// A claim about an experiment that may be undecided: the paper's statement, the result, and its verdict.
    pub fn measured(
        id: &'static str,
        what: impl Into<String>,
        statement: impl Into<String>,
        found: String,
        finding: Finding,
    ) -> Claim {
        Claim::new(id, what, Printed::Statement(statement.into()), Exact::Found(found, finding))
    }

    /// A check of our own: the condition, the result, and whether it holds.
    pub fn check(
        id: &'static str,
        what: impl Into<String>,
        should: impl Into<String>,
        found: String,
        holds: bool,
    ) -> Claim {
        Claim { is_check: true, ..Claim::found(id, what, should, found, holds) }
    }

    /// The same claim, marked as one that depends on measured times.
    pub fn timed(mut self) -> Claim {
        self.is_timed = true;
        self
    }

    /// A claim that prints one number.
    pub fn number(id: &'static str, what: impl Into<String>, printed: &'static str, exact: Rational) -> Claim {
        Claim::new(id, what, Printed::Number(printed), Exact::Values(vec![exact]))
    }

    /// A claim in words.
    pub fn words(id: &'static str, what: impl Into<String>, printed: &'static str, exact: String) -> Claim {
        Claim::new(id, what, Printed::Words(printed), Exact::Words(exact))
    }

    /// The same claim with a note below it.
    pub fn noting(mut self, note: impl Into<Option<String>>) -> Claim {
        self.notes.extend(note.into());
        self
    }

    /// The same claim with something in brackets behind our side.
    pub fn beside(mut self, text: String) -> Claim {
        self.beside = Some(text);
        self
    }

    pub fn verdict(&self) -> Verdict {
        if matches!(self.exact, Exact::Found(_, Finding::Open)) {
            Verdict::Open
        } else if self.agrees() {
            Verdict::Agrees
        } else if misprints::KNOWN.contains(&self.id) {
            Verdict::Misprint
        } else {
            Verdict::Differs
        }
    }

    fn agrees(&self) -> bool {
        match (&self.printed, &self.exact) {
            (Printed::Number(text), Exact::Values(values)) => values.iter().all(|value| prints_as(value, text)),
            (Printed::Number(text), Exact::Readings(readings)) => {
                readings.iter().any(|(_, value)| prints_as(value, text))
            }
            (Printed::Formula(_, printed), Exact::Values(values)) => printed == values,
            (Printed::Formula(_, printed), Exact::Between(ends)) => {
                printed.iter().zip(ends).all(|(printed, (lower, upper))| lower < printed && printed < upper)
            }
            (Printed::Property(_, holds), Exact::Values(values)) => values.iter().all(holds),
            (Printed::Words(printed), Exact::Words(words)) => printed == words,
            (Printed::Statement(_), Exact::Found(_, finding)) => *finding == Finding::Holds,
            _ => unreachable!("claim {} compares two different kinds of things", self.id),
        }
    }

    /// Whether the claim is too wide for columns.
    pub fn is_long(&self) -> bool {
        matches!(self.printed, Printed::Words(_) | Printed::Statement(_))
    }

    /// Whether our side is shown even if it agrees, because it does not repeat the printed one.
    pub fn is_found(&self) -> bool {
        matches!(self.exact, Exact::Found(..))
    }

    pub fn printed(&self) -> String {
        match &self.printed {
            Printed::Number(text) | Printed::Formula(text, _) | Printed::Property(text, _) | Printed::Words(text) => {
                (*text).to_owned()
            }
            Printed::Statement(text) => text.clone(),
        }
    }

    /// Our side as the report shows it: the fraction and the decimal of one number, the fractions of several.
    pub fn exact(&self) -> String {
        let exact = match &self.exact {
            Exact::Values(values) if values.len() == 1 => exact_and_decimal(&Value::from(values[0].clone())),
            Exact::Between(ends) => {
                let upper: Vec<String> = ends.iter().map(|(_, upper)| format!("< {upper}")).collect();
                upper.join(", ")
            }
            _ => self.exact_in_full(),
        };
        self.beside.iter().fold(exact, |exact, beside| format!("{exact} ({beside})"))
    }

    /// Our side without any decimals.
    pub fn exact_in_full(&self) -> String {
        let fractions: Vec<String> = match &self.exact {
            Exact::Values(values) => values.iter().map(Rational::to_string).collect(),
            Exact::Readings(readings) => readings.iter().map(|(name, value)| format!("{name} {value}")).collect(),
            Exact::Between(ends) => ends.iter().map(|(lower, upper)| format!("{lower} … {upper}")).collect(),
            Exact::Words(words) | Exact::Found(words, _) => vec![words.clone()],
        };
        fractions.join(", ")
    }
}

/// Whether `value` is what `text` prints: equal to an integer, a fraction or a repeating decimal, and within half a unit
/// of the last place of any other decimal. Of several forms, each.
pub fn prints_as(value: &Rational, text: &str) -> bool {
    text.split(['=', '≈']).all(|form| {
        let form = form.trim().replace('−', "-");
        let last_place = match form.split_once('.') {
            Some((_, digits)) if !repeats(&form) => Some(digits.len()),
            _ => None,
        };
        let printed = printed_number(&form);
        match last_place {
            None => printed == *value,
            Some(digits) => {
                let half_unit = Rational::from(10).pow(-(digits as isize)) / Rational::from(2);
                value >= &(&printed - &half_unit) && value <= &(printed + half_unit)
            }
        }
    })
}

/// Marks over a digit: macron and overline.
const REPEATED: [char; 2] = ['\u{304}', '\u{305}'];

fn repeats(form: &str) -> bool {
    form.ends_with(REPEATED)
}

/// The number that the paper prints; a mark over the last digit repeats it for ever.
fn printed_number(form: &str) -> Rational {
    let number = |text: &str| parse_rational(text).expect("a number as the paper prints it");
    match form.strip_suffix(REPEATED) {
        None => number(form),
        Some(once) => {
            // 0.12̄ is 0.1 and a ninth of 0.2, tenfold: with the digit d at place k, d/10^k · 10/9.
            let without = &once[..once.len() - 1];
            number(without) + (number(once) - number(without)) * number("10/9")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_agrees_if_it_rounds_to_the_printed_digits() {
        let prints = |value: &str, text: &str| prints_as(&parse_rational(value).unwrap(), text);
        for (value, text) in [
            ("41/3", "13.6̄"),
            ("502/23", "21.83"),
            ("90001/90000", "1.00001̄"),
            ("-4/75", "−4/75 = −0.053̄"),
            ("11", "11"),
            ("1/2", "0.50"),
            ("0.125", "0.12"),
            ("0.125", "0.13"),
        ] {
            assert!(prints(value, text), "{value} {text}");
        }
        for (value, text) in
            [("127/9", "14.2"), ("41/3", "13.6"), ("13.6", "13.6̄"), ("10.9", "11"), ("0.1251", "0.12"), ("1", "−1")]
        {
            assert!(!prints(value, text), "{value} {text}");
        }
    }

    #[test]
    fn only_what_is_on_the_list_is_a_misprint() {
        let claim = |id, printed| Claim::number(id, "", printed, parse_rational("127/9").unwrap());
        assert_eq!(claim("1/welfare", "14.1").verdict(), Verdict::Agrees);
        assert_eq!(claim("1/welfare", "14.2").verdict(), Verdict::Misprint);
        assert_eq!(claim("4/welfare", "14.2").verdict(), Verdict::Differs);
    }
}
