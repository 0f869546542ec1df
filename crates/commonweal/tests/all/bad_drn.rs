//! Errors of invalid DRN files: each file under `bad_drn/` has its expected error.
//!
//! `UPDATE_EXPECT=1` rewrites the expectations.

use commonweal::internals::io::{Discounts, ReadError, ReadOptions, read_drn};
use commonweal::internals::model::Mdp;
use commonweal::internals::number::Rational;
use std::fs;
use std::path::PathBuf;

fn read(bytes: &[u8]) -> Result<Mdp, ReadError> {
    let mut options = ReadOptions::new(Discounts::Unspecified);
    options.bytes = Some(bytes.len() as u64);
    // What is refused exactly is refused in doubles, with the same words.
    let (exact, doubles) = (read_drn::<Rational>(bytes, &options), read_drn::<f64>(bytes, &options));
    let message = |error: &ReadError| error.render("file");
    let (exact_message, message) = (exact.as_ref().err().map(message), doubles.as_ref().err().map(message));
    assert!(exact_message == message || message.is_some_and(|message| message.contains("sum to")), "{exact_message:?}");
    exact.map(|loaded| loaded.model)
}

#[test]
fn every_bad_file_gets_the_error_that_stands_beside_it() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_drn");
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "drn"));
    paths.sort();
    assert!(paths.len() >= 60, "{} files", paths.len());
    let mut wrong = String::new();
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        let rendered = match read(&fs::read(&path).unwrap()) {
            Ok(_) => "no error\n".to_owned(),
            Err(error) => error.render(name),
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
