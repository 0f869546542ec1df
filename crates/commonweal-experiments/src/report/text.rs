//! The claims as plain text.

use super::{summary, summary_of_checks};
use crate::claim::{Claim, Example, Verdict};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// One line per claim, `verdict  what  printed  exact`, with notes below where there is something to say.
pub fn text(examples: &[&Example], width: usize) -> String {
    let mut text = String::from("What the paper prints, beside the exact value\n");
    for example in examples {
        let _ = writeln!(text, "\n{}", example.title);
        let columns = Columns::of(example, width);
        example.claims.iter().for_each(|claim| columns.add(&mut text, claim));
    }
    let _ = writeln!(text, "\n{}", summary(examples));
    if let Some(checks) = summary_of_checks(examples) {
        let _ = writeln!(text, "{checks}");
    }
    text
}

/// The widths of the columns of an example.
struct Columns {
    /// The widest name of a claim.
    what: usize,
    /// The widest number that is printed.
    printed: usize,
    /// The columns of a terminal.
    width: usize,
}

impl Columns {
    fn of(example: &Example, width: usize) -> Columns {
        let numeric = example.claims.iter().filter(|claim| !claim.is_long());
        Columns {
            what: example.claims.iter().map(|claim| claim.what.width()).max().unwrap_or(0),
            printed: numeric.map(|claim| claim.printed().width()).max().unwrap_or(0),
            width,
        }
    }

    fn add(&self, text: &mut String, claim: &Claim) {
        let (verdict, what_padding) = (claim.verdict().word(), " ".repeat(self.what - claim.what.width()));
        let check = if claim.is_check { "check: " } else { "" };
        let beginning = format!("  {verdict:<8}  {}{what_padding}  {check}{}", claim.what, claim.printed());
        if claim.is_long() && beginning.width() > self.width {
            let _ = write!(text, "  {verdict:<8}  {}", claim.what);
            let whose = if claim.is_check { check } else { "paper: " };
            *text += &self.below(&format!("{whose}{}", claim.printed()));
        } else {
            *text += &beginning;
        }
        *text += &self.ours(claim, beginning.width());
        text.push('\n');
        for note in &claim.notes {
            *text += self.below(note).trim_start_matches('\n');
            text.push('\n');
        }
    }

    /// Our side of a claim whose line fills `used` columns: behind it, below it, or nothing where words agree.
    fn ours(&self, claim: &Claim, used: usize) -> String {
        let exactly = || self.below(&format!("exactly: {}", claim.exact()));
        if !claim.is_long() {
            let end = format!("{}  {}", " ".repeat(self.printed - claim.printed().width()), claim.exact());
            if used + end.width() > self.width { exactly() } else { end }
        } else if claim.is_found() {
            self.below(&format!("ours: {}", claim.exact()))
        } else if claim.verdict() == Verdict::Agrees {
            String::new()
        } else {
            exactly()
        }
    }

    /// Words below a claim, each line after a new line, none wider than a terminal.
    fn below(&self, words: &str) -> String {
        const INDENT: usize = 12;
        let (mut text, mut column) = (String::new(), self.width);
        for word in words.split(' ') {
            if column + 1 + word.width() > self.width {
                text += &format!("\n{:INDENT$}{word}", "");
                column = INDENT + word.width();
            } else {
                text += &format!(" {word}");
                column += 1 + word.width();
            }
        }
        text
    }
}
