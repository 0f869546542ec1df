//! Replays the fuzzers' corpus in `fuzz/corpus`, with any compiler.

use crate::bodies;
use std::path::Path;

/// Hands every file of a corpus to the body of its fuzzer.
fn replay(name: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let entries = std::fs::read_dir(&folder).expect("a corpus").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.collect();
    files.sort();
    assert!(files.len() >= 100, "{} files in {}", files.len(), folder.display());
    for file in files {
        // Shown if the body panics.
        println!("{}", file.display());
        body(&std::fs::read(&file).expect("a file"));
    }
}

#[test]
fn the_corpus_of_models_breaks_no_reader() {
    replay("model", bodies::model);
}

#[test]
fn the_corpus_of_readers_has_one_model_in_every_file() {
    replay("readers", |bytes| _ = bodies::readers(bytes));
}

#[test]
fn the_corpus_of_certificates_fools_no_checker() {
    replay("certificate", bodies::certificate);
}

#[test]
fn the_corpus_of_solved_models_is_certified() {
    replay("solve_then_check", bodies::solve_then_check);
}
