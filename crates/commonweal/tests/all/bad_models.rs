//! Errors of invalid model files: each file under `bad_models/` has its expected error.
//!
//! `UPDATE_EXPECT=1` rewrites the expectations.

use commonweal::internals::io::{ParseError, read_model, read_model_bytes};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

#[test]
fn every_bad_model_gets_the_error_that_stands_beside_it() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_models");
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    assert!(paths.len() >= 100, "{} files", paths.len());
    let mut wrong = String::new();
    for path in paths {
        let bytes = fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let rendered = match read_model_bytes(&bytes) {
            Ok(_) => "no error\n".to_owned(),
            Err(error) => {
                assert!(error.help.is_some(), "{name} says how to mend it");
                error.render(name, &String::from_utf8_lossy(&bytes))
            }
        };
        let expectation = path.with_extension("expected");
        if update {
            fs::write(&expectation, &rendered).unwrap();
        }
        let expected = fs::read_to_string(&expectation).unwrap_or_default();
        if rendered != expected || rendered == "no error\n" {
            wrong += &format!("--- {name}, expected\n{expected}--- but got\n{rendered}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The error for a text that must be refused in under a second.
fn quick_error(text: &str) -> ParseError {
    let begin = Instant::now();
    let error = read_model(text).expect_err("it is refused");
    assert!(begin.elapsed() < Duration::from_secs(1), "took {:?}", begin.elapsed());
    error
}

#[test]
fn aliases_that_unfold_without_end_are_refused() {
    // Every state shares all actions, every action all targets: the square of the file's length.
    let n = 3_000;
    let mut text = String::from("principals: {alice: 1/2}\nstates:\n  s0: &actions\n");
    for action in 0..n {
        text += &format!("    a{action}: {{to: s0}}\n");
    }
    for state in 1..n {
        text += &format!("  s{state}: *actions\n");
    }
    let error = quick_error(&text);
    assert_eq!(error.message, "the aliases of this file expand to far more than the file itself");

    let mut laughs = String::from("a: &a0 {lol: lol}\n");
    for level in 1..100 {
        let inner = format!("*a{}", level - 1);
        laughs +=
            &format!("b{level}: &a{level} {{{}}}\n", ["x", "y", "z"].map(|key| format!("{key}: {inner}")).join(", "));
    }
    quick_error(&laughs);
    quick_error(&format!("principals: &a {{alice: 1/2}}\nstates: &all {{s0: {{a: {{to: {{s0: *all}}}}}}}}\n{laughs}"));
}

#[test]
fn a_few_aliases_are_welcome() {
    let text = "
principals: {alice: &patient 9/10, bob: *patient}
states:
  s0: &moves
    left: {reward: &both {alice: 1, bob: 2}, to: &spread {s0: 1/2, &second s1: 1/2}}
    right: {reward: *both, to: *spread}
    up: {to: *second}
  *second : *moves
";
    let model = read_model(text).unwrap_or_else(|error| panic!("{}", error.render("text", text)));
    assert_eq!((model.n_states(), model.n_choices(), model.n_transitions()), (2, 6, 10));
}

#[test]
fn deep_nesting_is_refused() {
    let deep = 100_000;
    quick_error(&"[".repeat(deep));
    quick_error(&"{".repeat(deep));
    quick_error(&"{a: ".repeat(deep));
    quick_error(&"- ".repeat(deep));
    quick_error(&"? ".repeat(deep));
    quick_error(&(0..2_000).map(|level| " ".repeat(level) + "a:\n").collect::<String>());
    quick_error(&format!("principals: {{alice: 1/2}}\nstates: {{s0: {{a: {{reward: {}", "{a: ".repeat(deep)));
    quick_error(&format!("principals: &p {}", "&a [".repeat(deep)));
    quick_error(&format!("principals: {{{}: 1/2}}", "[".repeat(deep)));
}

#[test]
fn what_is_long_is_refused_or_read_quickly() {
    let head = "principals: {alice: 1/2}\nstates: {s0: {a: {to: ";
    quick_error(&format!("{head}{}", "x".repeat(1 << 20)));
    quick_error(&format!("{head}\"{}", "\\u0041".repeat(1 << 18)));
    quick_error(&format!("{head}{{s0: {}}}", "9".repeat(1 << 20)));
    quick_error(&format!("{head}{{s0: 1e{}}}", "9".repeat(1 << 20)));
    quick_error(&"#".repeat(1 << 20));
    quick_error(&"\n".repeat(1 << 20));
    quick_error(&"&a ".repeat(1 << 18));
    quick_error(&"!!str ".repeat(1 << 18));
    quick_error(&"a: *".repeat(1 << 18));
    // Fractions with long denominators that have no common factor.
    let fractions: Vec<String> = (0..40).map(|k| format!("s{k}: 1/{}{}", "7".repeat(9_990), 2 * k + 1)).collect();
    let error = quick_error(&format!("{head}{{{}}}}}}}}}", fractions.join(", ")));
    assert!(error.message.ends_with("the probabilities are too long to be added up"), "{}", error.message);
}
