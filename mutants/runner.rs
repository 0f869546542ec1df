//! The folders of certificates, the cheap ones first, until a verdict is not the expected one: exit code 1. With the argument `quick` the
//! few that take long are left out.

use commonweal_check::{WORK, check};
use std::path::{Path, PathBuf};

fn main() {
    let is_quick = std::env::args().nth(1).is_some();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let table = std::fs::read_to_string(tests.join("work.txt")).expect("the work of every accepted certificate");
    let work = |line: &str| line.split_once(' ').map(|(name, work)| (work.parse::<u64>().expect("a number"), name.to_owned()));
    let mut accepted: Vec<(u64, String)> = table.lines().filter_map(work).collect();
    accepted.sort();
    let entries = std::fs::read_dir(tests.join("rejected")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut rejected: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "cert")).collect();
    rejected.sort();
    for slow in if is_quick { vec![false] } else { vec![false, true] } {
        let chosen = |name: &str| (name.starts_with("prizes") || name.starts_with("touching")) == slow;
        for (work, name) in accepted.iter().filter(|(_, name)| chosen(name)) {
            let path = tests.join("accepted").join(name).with_extension("cert");
            expect(&path, *work, "accepted");
            expect(&path, work - 1, "unreadable: checking it would take more work than is allowed");
        }
        for path in rejected.iter().filter(|path| chosen(&path.file_name().expect("a name").to_string_lossy())) {
            let reason = std::fs::read_to_string(path.with_extension("reason")).expect("a reason");
            expect(path, WORK, reason.trim_end());
        }
    }
}

fn expect(certificate: &Path, work: u64, expected: &str) {
    let stem = certificate.file_stem().expect("a name").to_string_lossy();
    let (model, _) = stem.split_once("--").expect("MODEL--CASE");
    let model = certificate.with_file_name("../models").join(model).with_extension("yaml");
    let read = |path: &Path| std::fs::read(path).expect("a file");
    let found = match check(&read(&model), read(certificate).as_slice(), work) {
        Ok(verdict) => verdict.to_string(),
        Err(error) => format!("unreadable: {}", error.to_string().trim_start_matches("certificate: ")),
    };
    if found.split(';').next() != Some(expected) {
        println!("{stem}");
        std::process::exit(1);
    }
}
