//! Formulas in DIMACS form, as SAT solvers and SATLIB have them.
//!
//! ```text
//! c a comment: any line that begins with c
//! p cnf 3 2
//! 1 -2 3 0
//! -1 2
//! 0
//! %
//! ```
//!
//! Clauses end with 0 and may stretch over lines. A line that begins with `%` ends the formula, as in SATLIB's random
//! families.

use super::parse_error::{Fault, Span};
use super::{ParseError, utf8};
use crate::reductions::three_sat::Formula;

/// The most variables, and the most clauses, of a formula that is read.
pub const MAX_DIMACS: usize = 1_000_000;

/// The formula in a DIMACS file, or what is wrong with it and where.
pub fn read_dimacs(bytes: &[u8]) -> Result<Formula, ParseError> {
    let text = utf8(bytes)?;
    read(text).map_err(|fault| fault.locate(text))
}

fn read(text: &str) -> Result<Formula, Fault> {
    let mut header: Option<(usize, usize)> = None;
    let mut clauses: Vec<Vec<i32>> = Vec::new();
    let mut clause: Vec<i32> = Vec::new();
    let end = Span::new(text.len().saturating_sub(1), text.len());
    let mut last = end;
    for line in lines(text) {
        let trimmed = line.text.trim_start();
        if trimmed.starts_with('c') || trimmed.is_empty() {
            continue;
        }
        if trimmed.starts_with('%') {
            break;
        }
        if trimmed.starts_with('p') {
            if header.is_some() {
                return Err(Fault::new(line.span(), "a second line `p cnf …`", "keep the first one"));
            }
            header = Some(read_header(&line)?);
            continue;
        }
        let Some((n_variables, n_clauses)) = header else {
            let help = "begin with `p cnf VARIABLES CLAUSES`";
            return Err(Fault::new(line.span(), "a clause before the line `p cnf …`", help));
        };
        for (word, span) in line.words() {
            last = span;
            let is_literal = |literal: &i32| *literal != i32::MIN && (*literal != 0 || word == "0");
            let literal: i32 = word.parse().ok().filter(is_literal).ok_or_else(|| {
                let help = "a clause is a list of whole numbers that ends with 0";
                Fault::new(span, format!("`{word}` is not a literal"), help)
            })?;
            if literal.unsigned_abs() as usize > n_variables {
                let help = format!("raise the number of variables in `p cnf {n_variables} {n_clauses}`, or correct it");
                return Err(Fault::new(span, format!("there is no variable {}", literal.unsigned_abs()), help));
            }
            if literal != 0 {
                clause.push(literal);
                continue;
            }
            if clauses.len() == n_clauses {
                let help = "raise the number in the line `p cnf …`, or take the clause out";
                return Err(Fault::new(
                    span,
                    format!("a clause more than the {n_clauses} of the line `p cnf …`"),
                    help,
                ));
            }
            clauses.push(std::mem::take(&mut clause));
        }
    }
    let Some((n_variables, n_clauses)) = header else {
        return Err(Fault::new(end, "there is no line `p cnf …`", "begin with `p cnf VARIABLES CLAUSES`"));
    };
    if !clause.is_empty() {
        return Err(Fault::new(last, "the last clause does not end", "end it with 0"));
    }
    if clauses.len() < n_clauses {
        let noun = if clauses.len() == 1 { "clause" } else { "clauses" };
        let message = format!("{} {noun}, not {n_clauses} as the line `p cnf …` says", clauses.len());
        return Err(Fault::new(last, message, "add what is missing, or correct that line"));
    }
    Ok(Formula::new(n_variables, clauses))
}

fn read_header(line: &Line) -> Result<(usize, usize), Fault> {
    let words: Vec<(&str, Span)> = line.words().collect();
    let help = "write `p cnf VARIABLES CLAUSES`, such as `p cnf 3 2`";
    let [("p", _), ("cnf", _), variables, clauses] = words[..] else {
        return Err(Fault::new(line.span(), "not a line `p cnf VARIABLES CLAUSES`", help));
    };
    let number = |(word, span): (&str, Span), what: &str| {
        let number: u64 =
            word.parse().map_err(|_| Fault::new(span, format!("`{word}` is not a number of {what}"), help))?;
        let within = usize::try_from(number).ok().filter(|&number| number <= MAX_DIMACS);
        let too_many =
            || Fault::new(span, format!("{number} {what}"), format!("this program reads at most {MAX_DIMACS} {what}"));
        within.ok_or_else(too_many)
    };
    Ok((number(variables, "variables")?, number(clauses, "clauses")?))
}

/// A line with its place in the text.
pub(super) struct Line<'t> {
    pub text: &'t str,
    pub start: usize,
}

/// The lines of a text. A byte-order mark is part of none.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive(['\n', '\r']).map(move |line| {
        let begin = start;
        start += line.len();
        let text = line.trim_end_matches(['\n', '\r']);
        let mark = if begin == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Line { text: &text[mark..], start: begin + mark }
    })
}

impl<'t> Line<'t> {
    pub fn span(&self) -> Span {
        let trimmed = self.text.trim();
        let start = self.start + (self.text.len() - self.text.trim_start().len());
        Span::new(start, start + trimmed.len())
    }

    /// The words between spaces, with their places.
    pub fn words(&self) -> impl Iterator<Item = (&'t str, Span)> + use<'t> {
        let (text, start) = (self.text, self.start);
        text.split_whitespace().map(move |word| {
            let at = start + (word.as_ptr() as usize - text.as_ptr() as usize);
            (word, Span::new(at, at + word.len()))
        })
    }
}
