//! `accepted/` and `rejected/`: certificates named MODEL--CASE.cert for the models in `models/`, the rejected ones beside
//! the expected reason, compared up to the numbers. Every rejected one is false, not a certificate, or claims more than it
//! proves. `checkers/python` is tested on the same folders.

use commonweal_check::{Meaning, Verdict, WORK, check};
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The certificates of a folder with their models.
fn cases(name: &str) -> Vec<(PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(folder(name)).expect("a folder of cases");
    let mut certificates: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    certificates.retain(|path| path.extension().is_some_and(|ending| ending == "cert"));
    certificates.sort();
    certificates.iter().map(|certificate| with_model(certificate)).collect()
}

fn with_model(certificate: &Path) -> (PathBuf, PathBuf) {
    let stem = certificate.file_stem().expect("a name").to_string_lossy();
    let (model, _) = stem.split_once("--").expect("MODEL--CASE");
    (folder("models").join(model).with_extension("yaml"), certificate.to_owned())
}

fn verdict(model: &Path, certificate: &Path) -> String {
    verdict_within(model, certificate, WORK)
}

fn verdict_within(model: &Path, certificate: &Path, work: u64) -> String {
    let read = |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match check(&read(model), read(certificate).as_slice(), work) {
        Ok(verdict) => verdict.to_string(),
        Err(error) => format!("unreadable: {}", error.to_string().trim_start_matches("certificate: ")),
    }
}

#[test]
fn every_certificate_in_the_accepted_folder_is_accepted() {
    let cases = cases("accepted");
    assert!(cases.len() >= 25, "{} cases", cases.len());
    for (model, certificate) in cases {
        assert_eq!(verdict(&model, &certificate), "accepted", "{}", certificate.display());
    }
}

#[test]
fn every_certificate_in_the_rejected_folder_is_rejected_for_its_reason() {
    let cases = cases("rejected");
    assert!(cases.len() >= 80, "{} cases", cases.len());
    for (model, certificate) in cases {
        let expected = std::fs::read_to_string(certificate.with_extension("reason")).expect("a reason beside it");
        let found = verdict(&model, &certificate);
        let claim = found.split(';').next().expect("a claim");
        assert_eq!(claim, expected.trim_end(), "{}", certificate.display());
    }
}

/// `work.txt` lists every accepted certificate with its work as `checkers/python` counts it. This checker must count the
/// same.
#[test]
fn the_work_of_a_check_is_what_the_document_says() {
    let table = include_str!("../work.txt");
    let mut names = Vec::new();
    for line in table.lines() {
        let (name, work) = line.split_once(' ').expect("a name and its work");
        let work: u64 = work.parse().expect("a number");
        let (model, certificate) = with_model(&folder("accepted").join(name).with_extension("cert"));
        assert_eq!(verdict_within(&model, &certificate, work), "accepted", "{name}");
        let less = verdict_within(&model, &certificate, work - 1);
        assert_eq!(less, "unreadable: checking it would take more work than is allowed", "{name}");
        names.push(certificate);
    }
    let all: Vec<PathBuf> = cases("accepted").into_iter().map(|(_, certificate)| certificate).collect();
    assert_eq!(names, all);
}

/// The first few numbers that differ.
#[test]
fn a_refusal_shows_both_numbers() {
    let shown = |case: &str| {
        let (model, certificate) = (folder("models/hotel.yaml"), folder(&format!("rejected/hotel--{case}.cert")));
        verdict(&model, &certificate)
    };
    assert!(shown("wrong-welfare").ends_with("found 127/9, stated 128/9"), "{}", shown("wrong-welfare"));
    assert!(shown("swapped-action").ends_with("worth 73/6 against 12"), "{}", shown("swapped-action"));
    assert!(shown("tampered-value").ends_with("advantage -1, not 0"), "{}", shown("tampered-value"));
    let found = shown("stage-that-is-none");
    assert!(found.ends_with("gain ≈ 1.6666666666666666e-1, not ≤ 0"), "{found}");
    assert!(
        shown("truncated-horizon").ends_with("sum ≈ 1.6666666666666666e-1, not ≤ 0"),
        "{}",
        shown("truncated-horizon")
    );
}

#[test]
fn the_program_says_its_verdict_in_words_and_in_its_exit_code() {
    let run = |arguments: &[&Path]| {
        let output = Command::new(env!("CARGO_BIN_EXE_commonweal-check")).args(arguments).output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let model = folder("models/hotel.yaml");
    let (code, out, note) = run(&[&model, &folder("accepted/hotel--exact.cert")]);
    assert_eq!((code, out.as_str()), (Some(0), "accepted\n"));
    assert!(note.contains("optimal in every state"), "{note}");
    let (code, out, note) = run(&[&model, &folder("accepted/hotel--bounds.cert")]);
    assert_eq!((code, out.as_str()), (Some(0), "accepted\n"));
    assert!(note.contains("at least the lower bound"), "{note}");
    let (code, out, _) = run(&[&model, &folder("rejected/hotel--wrong-welfare.cert")]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("refused: welfare, state 0: "), "{out}");
    for arguments in [
        &[model.as_path(), &folder("rejected/hotel--malformed-version.cert")][..],
        &[&folder("models/no-such-model.yaml"), &folder("accepted/hotel--exact.cert")],
        &[&model, &folder("accepted/no-such.cert")],
        &[&model],
        &[Path::new("--work"), Path::new("10"), &model, &folder("accepted/hotel--exact.cert")],
        &[Path::new("--work"), Path::new("ten"), &model, &folder("accepted/hotel--exact.cert")],
    ] {
        let (code, out, error) = run(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(error.starts_with("error: "), "{error}");
    }
    let (code, out, _) =
        run(&[Path::new("--work"), Path::new("1000000"), &model, &folder("accepted/hotel--exact.cert")]);
    assert_eq!((code, out.as_str()), (Some(0), "accepted\n"));
    for (arguments, expected) in [
        (&[Path::new("--work")][..], "--work: expected a number of operations"),
        (&[Path::new("--work"), Path::new("ten"), &model, &model], "--work: expected a number of operations"),
        (&[Path::new("-"), Path::new("-")], "the model must be a file"),
        (&[&model], "expected a model and a certificate"),
        (&[&model, &folder("accepted/no-such.cert")], "no-such.cert: "),
    ] {
        let (_, _, error) = run(arguments);
        assert!(error.contains(expected), "{error}");
    }
    for asked in ["--help", "-h"] {
        let (code, help, note) = run(&[&model, Path::new(asked)]);
        assert!(code == Some(0) && help.starts_with("Usage: commonweal-check") && note.is_empty(), "{help}{note}");
    }
    for asked in ["--version", "-V"] {
        let (code, version, note) = run(&[&model, Path::new(asked)]);
        let expected = concat!("commonweal-check ", env!("CARGO_PKG_VERSION"), "\n");
        assert_eq!((code, version.as_str(), note.as_str()), (Some(0), expected, ""));
    }
}

#[test]
fn the_program_takes_a_certificate_from_standard_input() {
    let run = |certificate: &str| {
        let input = std::fs::File::open(folder(certificate)).expect("a certificate");
        let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal-check"));
        let output = program.arg(folder("models/hotel.yaml")).arg("-").stdin(input).output().expect("it runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    assert_eq!(run("accepted/hotel--exact.cert"), (Some(0), "accepted\n".to_owned()));
    let (code, out) = run("rejected/hotel--wrong-welfare.cert");
    assert!(code == Some(1) && out.starts_with("refused: welfare, state 0: "), "{out}");
}

/// In YAML, and so for the solver, the carriage return ends the comment, and `c` is an action that earns 450.
#[test]
fn the_program_takes_no_action_for_a_comment() {
    let hotel = std::fs::read_to_string(folder("models/hotel.yaml")).expect("the hotel");
    let hidden = hotel.replacen("    b: {", "    # a note\r    c: {reward: 100, to: s0}\n    b: {", 1);
    assert_ne!(hidden, hotel);
    let path = std::env::temp_dir().join(format!("commonweal-check-hidden-{}.yaml", std::process::id()));
    std::fs::write(&path, hidden).expect("a file for the test");
    let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal-check"));
    let output = program.arg(&path).arg(folder("accepted/hotel--exact.cert")).output().expect("it runs");
    std::fs::remove_file(&path).expect("the file is there");
    assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()));
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(error.starts_with("error: model: line 7, column 13: a carriage return without a line feed"), "{error}");
    assert!(error.contains("convert it first: commonweal convert MODEL model.canonical"), "{error}");
}

#[test]
fn what_is_proven_depends_on_the_kind() {
    let meaning = |case: &str| {
        let read = |path: PathBuf| std::fs::read(path).expect("a file");
        let (model, certificate) = (read(folder("models/hotel.yaml")), read(folder(&format!("accepted/{case}.cert"))));
        check(&model, certificate.as_slice(), WORK)
    };
    assert_eq!(meaning("hotel--exact"), Ok(Verdict::Accepted(Meaning::Optimal)));
    assert_eq!(meaning("hotel--bounds"), Ok(Verdict::Accepted(Meaning::Bounds)));
    assert_eq!(meaning("hotel--fair-max-min"), Ok(Verdict::Accepted(Meaning::Fairest)));
    assert_eq!(meaning("hotel--fair-max-min-doubles"), Ok(Verdict::Accepted(Meaning::FairBounds)));
    assert_eq!(meaning("hotel--fair-infeasible"), Ok(Verdict::Accepted(Meaning::Infeasible)));
}
