//! The result of an experiment as text, as a JSON document, and as an HTML page.

pub mod document;
mod environment;
mod page;
mod text;

use crate::claim::{Claim, Example, Verdict};
use crate::lab::Lab;
use crate::section::Section;
use document::Document;

/// The format of the JSON document, under its key `format`.
pub const FORMAT: &str = "commonweal-reproduction/1";

/// The paper's claims beside ours, with tables and pictures.
pub struct Reproduction {
    sections: Vec<Section>,
    /// What the experiments ran on: the name of each fact and its value.
    environment: Vec<(&'static str, String)>,
    is_timed: bool,
}

impl Reproduction {
    pub(crate) fn new(sections: Vec<Section>, lab: &Lab) -> Reproduction {
        Reproduction { sections, environment: environment::facts(lab), is_timed: lab.is_timed() }
    }

    /// The number of the paper's claims with a verdict. Checks of ours are not among them.
    pub fn count(&self, verdict: Verdict) -> usize {
        count(&self.examples(), verdict)
    }

    /// Whether every figure agrees or is a known misprint, and every check of ours holds. Claims that depend on measured times are
    /// ignored, because times differ between machines.
    pub fn stands(&self) -> bool {
        let examples = self.examples();
        claims(&examples).chain(checks(&examples)).all(|claim| claim.is_timed || claim.verdict() != Verdict::Differs)
    }

    /// One line per claim, `verdict  what  printed  exact`, with notes below where there is something to say. No line
    /// is wider than `width` columns, unless a single number is.
    pub fn text(&self, width: usize) -> String {
        text::text(&self.examples(), width)
    }

    /// The claims as one JSON document.
    pub fn document(&self) -> Document {
        Document::new(&self.examples())
    }

    /// The pictures and the page that shows everything, each with the name of its file.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let figures = self.sections.iter().flat_map(|section| &section.figures);
        let pictures = figures.map(|figure| (format!("{}.svg", figure.name), figure.svg.clone()));
        pictures.chain([("report.html".to_owned(), page::html(self))]).collect()
    }

    fn examples(&self) -> Vec<&Example> {
        self.sections.iter().flat_map(|section| &section.examples).collect()
    }
}

fn count(examples: &[&Example], verdict: Verdict) -> usize {
    claims(examples).filter(|claim| claim.verdict() == verdict).count()
}

/// The claims of the paper.
fn claims<'a>(examples: &'a [&Example]) -> impl Iterator<Item = &'a Claim> {
    examples.iter().flat_map(|example| &example.claims).filter(|claim| !claim.is_check)
}

/// The checks of ours.
fn checks<'a>(examples: &'a [&Example]) -> impl Iterator<Item = &'a Claim> {
    examples.iter().flat_map(|example| &example.claims).filter(|claim| claim.is_check)
}

/// `31 claims of the paper: 22 agree, 9 misprints`.
fn summary(examples: &[&Example]) -> String {
    let counts = [
        (Verdict::Agrees, "agrees", "agree"),
        (Verdict::Misprint, "misprint", "misprints"),
        (Verdict::Open, "open", "open"),
        (Verdict::Differs, "DIFFERS", "DIFFER"),
    ];
    let count = |(verdict, one, many)| match count(examples, verdict) {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let parts: Vec<String> = counts.into_iter().filter_map(count).collect();
    format!("{} of the paper: {}", counted(claims(examples).count(), "claim"), parts.join(", "))
}

/// `4 checks of ours: all agree`; nothing if there is none.
fn summary_of_checks(examples: &[&Example]) -> Option<String> {
    let n = checks(examples).count();
    let differing = checks(examples).filter(|check| check.verdict() != Verdict::Agrees).count();
    let outcome = match (n, differing) {
        (0, _) => return None,
        (1, 0) => "agrees".to_owned(),
        (_, 0) => "all agree".to_owned(),
        (_, 1) => "1 DIFFERS".to_owned(),
        (_, differing) => format!("{differing} DIFFER"),
    };
    Some(format!("{} of ours: {outcome}", counted(n, "check")))
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::misprints;
    use crate::results::{figure_2, introduction, rq1, rq2, spacing_example, worked_examples};

    /// The claims without an experiment.
    fn with_examples<T>(then: impl FnOnce(&[&Example]) -> T) -> T {
        let mut examples = vec![introduction::example(), spacing_example::example(), figure_2::example()];
        examples.extend(worked_examples::examples());
        let claims = [rq1::stated(), rq2::stated()].into_iter().flatten().collect();
        examples.push(Example { title: String::new(), claims });
        then(&examples.iter().collect::<Vec<_>>())
    }

    #[test]
    fn every_claim_agrees_or_is_a_known_misprint_and_every_known_misprint_is_met() {
        with_examples(|examples| {
            let met = |verdict| {
                let mut ids: Vec<_> = claims(examples).filter(|c| c.verdict() == verdict).map(|c| c.id).collect();
                ids.sort();
                ids
            };
            assert_eq!(met(Verdict::Differs), Vec::<&str>::new());
            let mut known = misprints::KNOWN.to_vec();
            known.sort();
            assert_eq!(met(Verdict::Misprint), known);
        });
    }

    #[test]
    fn ids_are_distinct() {
        with_examples(|examples| {
            let mut ids: Vec<_> = claims(examples).map(|claim| claim.id).collect();
            let n = ids.len();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), n);
        });
    }

    #[test]
    fn the_text_fits_a_hundred_columns() {
        use unicode_width::UnicodeWidthStr;
        for line in with_examples(|examples| text::text(examples, 80)).lines() {
            assert!(line.width() <= 100, "{} columns: {line}", line.width());
        }
    }
}
