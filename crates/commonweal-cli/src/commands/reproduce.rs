//! `commonweal reproduce`: what the paper prints about its examples, recomputed and set beside it.
//!
//! Every figure of ours is computed on the spot; what is written down here is the paper's side alone. A claim agrees if
//! the exact value rounds to the printed digits. One that does not is a misprint if it is on the list of
//! [`misprints`], and otherwise a difference nobody has explained yet: exit code 1.

mod claim;
mod introduction;
mod misprints;
mod paper;
mod spacing;
mod three_sat;
mod worked_examples;

use crate::args::{ReproduceArgs, Reproducible};
use crate::output;
use crate::report::json;
use claim::{Claim, Example, Verdict};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;
use unicode_width::UnicodeWidthStr;

pub fn run(args: &ReproduceArgs) -> anyhow::Result<ExitCode> {
    let Reproducible::Examples = args.what;
    let examples = examples();
    match args.json {
        true => json::print(&ReproductionJson::new(&examples), None)?,
        false => output::print(&report(&examples))?,
    }
    Ok(match count(&examples, Verdict::Differs) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}

fn examples() -> Vec<Example> {
    let mut examples = vec![introduction::example()];
    examples.extend(worked_examples::examples());
    examples.push(spacing::example());
    examples.push(three_sat::example());
    examples
}

fn count(examples: &[Example], verdict: Verdict) -> usize {
    claims(examples).filter(|claim| claim.verdict() == verdict).count()
}

fn claims(examples: &[Example]) -> impl Iterator<Item = &Claim> {
    examples.iter().flat_map(|example| &example.claims)
}

/// One line per claim, `verdict  what  printed  exact`, with notes below where there is something to say.
fn report(examples: &[Example]) -> String {
    let numeric = || claims(examples).filter(|claim| !claim.is_long());
    let what = claims(examples).map(|claim| claim.what.width()).max().unwrap_or(0);
    let printed = numeric().map(|claim| claim.printed().width()).max().unwrap_or(0);
    let mut text = String::from("What the paper prints about its examples, beside the exact value\n");
    for example in examples {
        let _ = writeln!(text, "\n{}", example.title);
        for claim in &example.claims {
            let (verdict, what_padding) = (claim.verdict().word(), " ".repeat(what - claim.what.width()));
            let _ = write!(text, "  {verdict:<8}  {}{what_padding}  {}", claim.what, claim.printed());
            match claim.is_long() {
                true if claim.verdict() == Verdict::Agrees => text.push('\n'),
                true => _ = writeln!(text, "\n{:12}exactly: {}", "", claim.exact()),
                false => {
                    let padding = " ".repeat(printed - claim.printed().width());
                    let _ = writeln!(text, "{padding}  {}", claim.exact());
                }
            }
            for note in &claim.notes {
                let _ = writeln!(text, "{:12}{note}", "");
            }
        }
    }
    let _ = writeln!(text, "\n{}", summary(examples));
    text
}

/// `31 claims: 22 agree, 9 misprints`.
fn summary(examples: &[Example]) -> String {
    let mut text = format!("{} claims: {} agree", claims(examples).count(), count(examples, Verdict::Agrees));
    for (verdict, one, many) in [(Verdict::Misprint, "misprint", "misprints"), (Verdict::Differs, "DIFFERS", "DIFFER")]
    {
        match count(examples, verdict) {
            0 => {}
            1 => _ = write!(text, ", 1 {one}"),
            n => _ = write!(text, ", {n} {many}"),
        }
    }
    text
}

#[derive(Serialize)]
struct ReproductionJson {
    format: &'static str,
    examples: Vec<ExampleJson>,
    claims: usize,
    agree: usize,
    misprints: usize,
    differ: usize,
}

#[derive(Serialize)]
struct ExampleJson {
    title: String,
    claims: Vec<ClaimJson>,
}

#[derive(Serialize)]
struct ClaimJson {
    id: &'static str,
    what: String,
    printed: String,
    exact: String,
    verdict: &'static str,
    notes: Vec<String>,
}

impl ReproductionJson {
    fn new(examples: &[Example]) -> ReproductionJson {
        let of_claim = |claim: &Claim| ClaimJson {
            id: claim.id,
            what: claim.what.clone(),
            printed: claim.printed(),
            exact: claim.exact_in_full(),
            verdict: claim.verdict().word(),
            notes: claim.notes.clone(),
        };
        let of_example = |example: &Example| ExampleJson {
            title: example.title.clone(),
            claims: example.claims.iter().map(of_claim).collect(),
        };
        ReproductionJson {
            format: "commonweal-reproduction/1",
            examples: examples.iter().map(of_example).collect(),
            claims: claims(examples).count(),
            agree: count(examples, Verdict::Agrees),
            misprints: count(examples, Verdict::Misprint),
            differ: count(examples, Verdict::Differs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_agrees_or_is_a_known_misprint_and_every_known_misprint_is_met() {
        let examples = examples();
        let met = |verdict| {
            let mut ids: Vec<_> = claims(&examples).filter(|c| c.verdict() == verdict).map(|c| c.id).collect();
            ids.sort();
            ids
        };
        assert_eq!(met(Verdict::Differs), Vec::<&str>::new());
        let mut known = misprints::KNOWN.to_vec();
        known.sort();
        assert_eq!(met(Verdict::Misprint), known);
    }

    #[test]
    fn ids_are_distinct() {
        let examples = examples();
        let mut ids: Vec<_> = claims(&examples).map(|claim| claim.id).collect();
        let n = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), n);
    }

    #[test]
    fn the_report_fits_a_hundred_columns() {
        for line in report(&examples()).lines() {
            assert!(line.width() <= 100, "{} columns: {line}", line.width());
        }
    }
}
