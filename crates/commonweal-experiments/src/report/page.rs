//! The report as one self-contained HTML page with pictures and style, and without scripts.

use super::{Reproduction, checks, claims, count, summary, summary_of_checks};
use crate::claim::{Claim, Example, Verdict};
use crate::lab::table::Table;
use crate::section::Section;
use commonweal_charts::page::{begin, escaped, figures, tiles};
use std::fmt::Write;

pub fn html(reproduction: &Reproduction) -> String {
    let (sections, examples) = (&reproduction.sections, reproduction.examples());
    let mut page = begin("Social Welfare under Heterogeneous Time Preferences, reproduced");
    page.push_str(
        "<header>\n<p class=\"over\">commonweal reproduce</p>\n\
         <h1>Social Welfare under Heterogeneous Time Preferences, reproduced</h1>\n\
         <p class=\"lead\">What the paper by Bahmani, Paul, Schewe, Tasdighi Kalat and Trivedi prints and claims, each beside \
         what was computed in this run.</p>\n",
    );
    let number = |verdict| count(&examples, verdict).to_string();
    page += &tiles(&[
        (claims(&examples).count().to_string(), "claims of the paper"),
        (number(Verdict::Agrees), "agree"),
        (number(Verdict::Misprint), "misprints, exact value given"),
        (number(Verdict::Open), "left open by this run"),
        (number(Verdict::Differs), "DIFFER"),
    ]);
    let _ = writeln!(page, "<p>{}.", summary(&examples));
    if let Some(checks) = summary_of_checks(&examples) {
        let _ = writeln!(page, "{checks}.");
    }
    page.push_str("</p>\n<nav aria-label=\"Contents\"><ul>\n");
    for section in sections {
        let (name, title) = (section.name, escaped(&section.title));
        let examples: Vec<&Example> = section.examples.iter().collect();
        let _ = writeln!(page, "<li><a href=\"#{name}\">{title}</a> {}</li>", chips(&examples));
    }
    page.push_str("</ul></nav>\n</header>\n<main>\n");
    sections.iter().for_each(|section| add_section(&mut page, section));
    add_environment(&mut page, reproduction);
    page.push_str(
        "</main>\n<footer><p>A number agrees if the exact value rounds to the printed digits, a statement if this run supports it. \
         A misprint is a number or statement that cannot be right; the paper map of the project proves each. Open is a statement on \
         growth whose confidence interval reaches beyond what it says.</p></footer>\n</body>\n</html>\n",
    );
    page
}

/// `12 agree · 3 misprints`, and the checks.
fn chips(examples: &[&Example]) -> String {
    let chip = |verdict: Verdict| match count(examples, verdict) {
        0 => String::new(),
        n => {
            let word = match verdict {
                _ if n == 1 => verdict.word(),
                Verdict::Agrees => "agree",
                Verdict::Misprint => "misprints",
                Verdict::Differs => "DIFFER",
                Verdict::Open => verdict.word(),
            };
            format!("<span class=\"chip {}\">{n} {word}</span> ", verdict.word())
        }
    };
    let chips = [Verdict::Agrees, Verdict::Misprint, Verdict::Open, Verdict::Differs].map(chip).concat();
    let checks = match checks(examples).count() {
        0 => String::new(),
        1 => "<span class=\"chip\">1 check</span>".to_owned(),
        n => format!("<span class=\"chip\">{n} checks</span>"),
    };
    format!("<span>{}</span>", (chips + &checks).trim_end())
}

fn add_section(page: &mut String, section: &Section) {
    let _ = writeln!(page, "<section id=\"{}\">\n<h2>{}</h2>", section.name, escaped(&section.title));
    for paragraph in &section.about {
        let _ = writeln!(page, "<p>{}</p>", typeset(paragraph));
    }
    page.push_str(&figures(section.figures.iter().map(|figure| figure.svg.as_str())));
    section.examples.iter().for_each(|example| add_claims(page, example));
    section.tables.iter().for_each(|table| add_table(page, table));
    page.push_str("</section>\n");
}

fn add_claims(page: &mut String, example: &Example) {
    let _ = write!(
        page,
        "<h3>{}</h3>\n<div class=\"scroll\"><table class=\"claims\"><colgroup><col><col><col><col></colgroup>\n\
         <thead><tr><th>Verdict</th><th>Claim</th><th>The paper</th><th>Ours</th></tr></thead>\n<tbody>\n",
        typeset(&example.title)
    );
    for claim in &example.claims {
        add_claim(page, claim);
    }
    page.push_str("</tbody></table></div>\n");
}

fn add_claim(page: &mut String, claim: &Claim) {
    let verdict = claim.verdict();
    let note = |text: &str| format!("<span class=\"note\">{text}</span>");
    let notes: String = claim.notes.iter().map(|text| note(&typeset(text))).collect();
    let check = if claim.is_check { "check: " } else { "" };
    let _ = writeln!(
        page,
        "<tr><td><span class=\"chip {}\">{}</span></td><td>{}</td><td>{check}{}</td><td>{}{notes}</td></tr>",
        verdict.word(),
        verdict.word(),
        typeset(claim.what.trim_start()),
        typeset(&claim.printed()),
        typeset(&claim.exact()),
    );
}

/// A table behind a line that opens it.
fn add_table(page: &mut String, table: &Table) {
    let row = |cells: &mut dyn Iterator<Item = &str>, tag: &str| {
        let cells: String = cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = row(&mut table.columns.iter().copied(), "th").replace('_', " ");
    let body: String = table.rows.iter().map(|fields| row(&mut fields.iter().map(String::as_str), "td")).collect();
    let (name, n) = (table.name, table.rows.len());
    let _ = writeln!(
        page,
        "<details><summary>{n} rows of {name}.csv</summary>\n<div class=\"scroll\"><table class=\"data\">\n<thead>{head}</thead>\n<tbody>\n{body}</tbody></table></div></details>"
    );
}

fn add_environment(page: &mut String, reproduction: &Reproduction) {
    page.push_str("<section id=\"environment\">\n<h2>Environment</h2>\n<table class=\"facts\"><tbody>\n");
    for (what, value) in &reproduction.environment {
        let _ = writeln!(page, "<tr><th scope=\"row\">{what}</th><td>{}</td></tr>", escaped(value));
    }
    page.push_str("</tbody></table>\n");
    if reproduction.is_timed {
        page.push_str(
            "<p class=\"note\">Times are those of one thread, ours and the baseline's, the best of a few runs, on the same models in \
             the same run. Long ones are of the processor, so that other programs on the machine matter little. Seconds that the \
             paper prints belong to its machine and its program: such a claim agrees if ours takes no longer.</p>\n",
        );
    }
    page.push_str("</section>\n");
}

/// The text with `^k`, `^(k+1)` raised and `λ_0` lowered.
fn typeset(text: &str) -> String {
    let mut html = String::new();
    let mut rest = text;
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let tag = match c {
            '^' => Some("sup"),
            '_' if last.is_alphabetic() => Some("sub"),
            _ => None,
        };
        let moved = tag.and_then(|tag| Some((tag, moved(rest)?)));
        match moved {
            Some((tag, (inner, after))) => {
                let _ = write!(html, "<{tag}>{}</{tag}>", escaped(inner));
                rest = after;
            }
            None => html.push_str(&escaped(&c.to_string())),
        }
        last = c;
    }
    html
}

/// What is raised or lowered, in brackets, a number or one letter, and what follows it.
fn moved(text: &str) -> Option<(&str, &str)> {
    if let Some(inside) = text.strip_prefix('(') {
        return inside.split_once(')');
    }
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    // The point at the end of a sentence belongs to the sentence.
    let digits = text[..text.len() - after.len()].trim_end_matches('.').len();
    let end = if digits > 0 { digits } else { text.chars().next().filter(|c| c.is_alphabetic())?.len_utf8() };
    Some(text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_raised_indices_lowered_and_nothing_breaks_out() {
        for (text, html) in [
            ("a^k b^ω, λ^(k+1)", "a<sup>k</sup> b<sup>ω</sup>, λ<sup>k+1</sup>"),
            ("V_0(s0) < λ_1/λ_2", "V<sub>0</sub>(s0) &lt; λ<sub>1</sub>/λ<sub>2</sub>"),
            ("10^0.25.", "10<sup>0.25</sup>."),
            ("a ^ b _ c_", "a ^ b _ c_"),
            ("x^(<b>)", "x<sup>&lt;b&gt;</sup>"),
        ] {
            assert_eq!(typeset(text), html);
        }
    }
}
