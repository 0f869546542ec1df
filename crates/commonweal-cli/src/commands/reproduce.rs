//! `commonweal reproduce`: what the paper prints, recomputed and set beside it.
//!
//! Every figure of ours is computed on the spot; what is written down here is the paper's side alone. A claim agrees if
//! the exact value rounds to the printed digits, or an experiment bears it out. One that does not is a misprint if it is on
//! the list of [`misprints`], and otherwise a difference nobody has explained yet: exit code 1.

mod baseline;
mod claim;
mod closeness;
mod environment;
mod figure_1;
mod growth;
mod hardness;
mod introduction;
mod lab;
mod measure;
mod misprints;
mod page;
mod paper;
mod principals;
mod section;
mod spacing;
mod spacing_sweep;
mod states;
mod table;
mod three_sat;
mod worked_examples;

use crate::args::{ReproduceArgs, Reproducible};
use crate::output;
use crate::report::table::WIDTH;
use crate::report::timings::Clock;
use crate::report::{json, note};
use anyhow::Context;
use claim::{Claim, Example, Verdict};
use lab::Lab;
use section::Section;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use table::Stopped;
use unicode_width::UnicodeWidthStr;

const FORMAT: &str = "commonweal-reproduction/1";

pub fn run(args: &ReproduceArgs) -> anyhow::Result<ExitCode> {
    let clock = Clock::start();
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mut lab = Lab::new(args)?;
    if let (Err(why), true) = (&lab.baseline, args.what.is_compared() && args.python != "none" && !args.run.quiet) {
        note(&format!(
            "the baseline is not run: {why}.\n      Name a Python that has numpy with --python, or let scripts/reproduce make one."
        ));
    }
    let sections = match sections(args.what, &mut lab) {
        Ok(sections) => sections,
        Err(error) => return stopped(args, error.downcast::<Stopped>()?, &clock),
    };
    if let Some(folder) = &args.out {
        write_report(folder, &sections, &lab)?;
    }
    let examples: Vec<&Example> = sections.iter().flat_map(|section| &section.examples).collect();
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print(&ReproductionJson::new(&examples), spent)?
    } else {
        output::print(&(report(&examples) + &spent.map_or_else(String::new, |spent| spent.in_words())))?
    }
    Ok(exit_code(&examples))
}

/// What there is to say when there was no time for all of it.
fn stopped(args: &ReproduceArgs, Stopped(reason): Stopped, clock: &Clock) -> anyhow::Result<ExitCode> {
    #[derive(Serialize)]
    struct StoppedJson {
        format: &'static str,
        status: &'static str,
        reason: String,
    }
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print(&StoppedJson { format: FORMAT, status: "stopped", reason: reason.to_string() }, spent)?;
        return Ok(ExitCode::from(3));
    }
    let kept = match &args.out {
        Some(folder) => format!("What was measured is in {}; the same command goes on from there.", folder.display()),
        None => "Nothing is kept; with --out DIR, the same command would go on from there.".to_owned(),
    };
    let spent = spent.map_or_else(String::new, |spent| spent.in_words());
    output::print(&format!("Stopped: {reason}.\n{kept}\n{spent}"))?;
    Ok(ExitCode::from(3))
}

/// Everything agrees, or it is known why not.
fn exit_code(examples: &[&Example]) -> ExitCode {
    match count(examples, Verdict::Differs) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    }
}

fn sections(what: Reproducible, lab: &mut Lab) -> anyhow::Result<Vec<Section>> {
    Ok(match what {
        Reproducible::Examples => {
            let mut section = examples();
            section.examples.insert(0, introduction::example());
            section.examples.extend([spacing::example(), three_sat::example()]);
            vec![section]
        }
        Reproducible::Figure1 => vec![figure_1::section(lab)?],
        Reproducible::Rq1 => vec![states::section(lab)?],
        Reproducible::Rq2 => vec![principals::section(lab)?],
        Reproducible::Rq3 => vec![closeness::section(lab)?],
        Reproducible::Spacing => vec![spacing_sweep::section(lab)?],
        Reproducible::Hardness => vec![hardness::section(lab)?],
        Reproducible::All => vec![
            figure_1::section(lab)?,
            examples(),
            states::section(lab)?,
            principals::section(lab)?,
            closeness::section(lab)?,
            spacing_sweep::section(lab)?,
            hardness::section(lab)?,
        ],
    })
}

/// What the paper prints about its worked examples.
fn examples() -> Section {
    let mut section = Section::new("examples", "Worked examples").saying(
        "Every number that the paper prints about its examples, beside the exact value. A number agrees if the exact value \
         rounds to the printed digits.",
    );
    section.examples = worked_examples::examples();
    section
}

/// The pictures and the page that shows everything.
fn write_report(folder: &Path, sections: &[Section], lab: &Lab) -> anyhow::Result<()> {
    for figure in sections.iter().flat_map(|section| &section.figures) {
        let place = folder.join(format!("{}.svg", figure.name));
        output::write_whole(&place, |out| out.write_all(figure.svg.as_bytes()))?;
    }
    let page = page::html(sections, lab);
    output::write_whole(&folder.join("report.html"), |out| out.write_all(page.as_bytes()))
}

/// Words below a claim, each line after a new line, none wider than a terminal.
fn below(words: &str) -> String {
    const INDENT: usize = 12;
    let (mut text, mut column) = (String::new(), WIDTH);
    for word in words.split(' ') {
        if column + 1 + word.width() > WIDTH {
            text += &format!("\n{:INDENT$}{word}", "");
            column = INDENT + word.width();
        } else {
            text += &format!(" {word}");
            column += 1 + word.width();
        }
    }
    text
}

fn count(examples: &[&Example], verdict: Verdict) -> usize {
    claims(examples).filter(|claim| claim.verdict() == verdict).count()
}

fn claims<'a>(examples: &'a [&Example]) -> impl Iterator<Item = &'a Claim> {
    examples.iter().flat_map(|example| &example.claims)
}

/// One line per claim, `verdict  what  printed  exact`, with notes below where there is something to say.
fn report(examples: &[&Example]) -> String {
    let mut text = String::from("What the paper prints, beside the exact value\n");
    for example in examples {
        let _ = writeln!(text, "\n{}", example.title);
        let numeric = example.claims.iter().filter(|claim| !claim.is_long());
        let what = example.claims.iter().map(|claim| claim.what.width()).max().unwrap_or(0);
        let printed = numeric.map(|claim| claim.printed().width()).max().unwrap_or(0);
        for claim in &example.claims {
            let (verdict, what_padding) = (claim.verdict().word(), " ".repeat(what - claim.what.width()));
            let check = if claim.is_check { "check: " } else { "" };
            let beginning = format!("  {verdict:<8}  {}{what_padding}  {check}{}", claim.what, claim.printed());
            if claim.is_long() && beginning.width() > WIDTH {
                let _ = write!(text, "  {verdict:<8}  {}", claim.what);
                let whose = if claim.is_check { check } else { "paper: " };
                text += &below(&format!("{whose}{}", claim.printed()));
            } else {
                text += &beginning
            }
            if !claim.is_long() {
                let end = format!("{}  {}", " ".repeat(printed - claim.printed().width()), claim.exact());
                if beginning.width() + end.width() > WIDTH {
                    text += &(below(&format!("exactly: {}", claim.exact())) + "\n")
                } else {
                    text += &(end + "\n")
                }
            } else if claim.is_found() {
                text += &(below(&format!("ours: {}", claim.exact())) + "\n")
            } else if claim.verdict() == Verdict::Agrees {
                text.push('\n')
            } else {
                text += &(below(&format!("exactly: {}", claim.exact())) + "\n")
            }
            for note in &claim.notes {
                text += &(below(note).trim_start_matches('\n').to_owned() + "\n");
            }
        }
    }
    let _ = writeln!(text, "\n{}", summary(examples));
    text
}

/// `31 claims: 22 agree, 9 misprints`.
fn summary(examples: &[&Example]) -> String {
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
    /// Whether the clock had a say in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timed: bool,
    /// Whether it is no claim of the paper, but a check of ours.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    check: bool,
    notes: Vec<String>,
}

impl ReproductionJson {
    fn new(examples: &[&Example]) -> ReproductionJson {
        let of_claim = |claim: &Claim| ClaimJson {
            id: claim.id,
            what: claim.what.clone(),
            printed: claim.printed(),
            exact: claim.exact_in_full(),
            verdict: claim.verdict().word(),
            timed: claim.is_timed,
            check: claim.is_check,
            notes: claim.notes.clone(),
        };
        let of_example = |example: &&Example| ExampleJson {
            title: example.title.clone(),
            claims: example.claims.iter().map(of_claim).collect(),
        };
        ReproductionJson {
            format: FORMAT,
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

    /// What is claimed without an experiment.
    fn with_examples<T>(then: impl FnOnce(&[&Example]) -> T) -> T {
        let mut examples = vec![introduction::example(), spacing::example(), three_sat::example()];
        examples.extend(worked_examples::examples());
        let claims = [states::stated(), principals::stated()].into_iter().flatten().collect();
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
    fn the_report_fits_a_hundred_columns() {
        for line in with_examples(report).lines() {
            assert!(line.width() <= 100, "{} columns: {line}", line.width());
        }
    }
}
