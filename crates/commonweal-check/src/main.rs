//! `commonweal-check MODEL CERTIFICATE`: `accepted` (exit code 0), `refused: …` (1), or why a file cannot be read (2).

use commonweal_check::{Figure, Figures, MAX_MODEL_BYTES, Unreadable, Verdict, WORK, check_from};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::process::ExitCode;

const USAGE: &str = "Usage: commonweal-check [--work N] MODEL CERTIFICATE

Checks a certificate that `commonweal solve --certificate` wrote against its model.
MODEL is a .yaml or .json model, or the canonical form that `commonweal convert MODEL OUT.canonical` writes.
CERTIFICATE is a file, or - for standard input.
--work N allows N operations on machine words [default: 200000000000]

Prints `accepted` (exit code 0) or `refused: …` with the first claim that does not hold (exit code 1).
Exit code 2: a file cannot be read as what it should be, or checking it takes more work than allowed.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return print(USAGE, ExitCode::SUCCESS);
    }
    if arguments.iter().any(|argument| argument == "--version" || argument == "-V") {
        return print(concat!("commonweal-check ", env!("CARGO_PKG_VERSION")), ExitCode::SUCCESS);
    }
    match run(&arguments) {
        Ok((verdict, figures)) => {
            let code = match &verdict {
                Verdict::Accepted(_) => ExitCode::SUCCESS,
                Verdict::Refused(_) => ExitCode::from(1),
            };
            let printed = print(&verdict.to_string(), code);
            if let Verdict::Accepted(meaning) = verdict {
                say(&meaning.to_string());
                figures.iter().flat_map(in_words).for_each(|line| say(&line));
            }
            printed
        }
        Err(Unreadable(why)) => {
            say(&format!("error: {why}"));
            ExitCode::from(2)
        }
    }
}

/// The figures that are proven: the welfare of the first state, as names are not known here, or the payoffs of a lottery.
fn in_words(figures: &Figures) -> Vec<String> {
    let number = |figure: &Figure| match &figure.exact {
        Some(exact) => exact.clone(),
        None => format!("between {} and {}", figure.lower, figure.upper),
    };
    let state = figures.state;
    let welfare = figures.welfare.iter().map(|welfare| format!("state {state}: welfare {}", number(welfare)));
    let payoffs = figures.payoffs.iter().enumerate();
    welfare.chain(payoffs.map(|(p, payoff)| format!("state {state}: principal {p} gets {}", number(payoff)))).collect()
}

fn run(arguments: &[String]) -> Result<(Verdict, Option<Figures>), Unreadable> {
    let (work, files) = match arguments {
        [option, rest @ ..] if option == "--work" => {
            let work = rest.first().and_then(|work| work.parse().ok());
            let wrong = || Unreadable("--work: expected a number of operations, such as --work 1000000".to_owned());
            (work.ok_or_else(wrong)?, &rest[1..])
        }
        files => (WORK, files),
    };
    let [model, certificate] = files else {
        return Err(Unreadable(format!("expected a model and a certificate\n\n{USAGE}")));
    };
    if model == "-" {
        return Err(Unreadable("the model must be a file; only the certificate may be standard input".to_owned()));
    }
    let cannot = |path: &str, error: std::io::Error| Unreadable(format!("cannot read {path}: {error}"));
    let bytes = File::open(model).and_then(|file| read_past(MAX_MODEL_BYTES, file));
    let bytes = bytes.map_err(|error| cannot(model, error))?;
    if certificate == "-" {
        return check_from(&bytes, std::io::stdin().lock(), work, 0);
    }
    let certificate = File::open(certificate).map_err(|error| cannot(certificate, error))?;
    check_from(&bytes, BufReader::new(certificate), work, 0)
}

/// The whole input, but at most one byte more than the limit, which shows that it is too long.
fn read_past(limit: u64, input: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Prints a line; a closed pipe does not change the verdict.
fn print(line: &str, code: ExitCode) -> ExitCode {
    let _ = writeln!(std::io::stdout(), "{line}");
    code
}

/// Prints a line on standard error; a closed stream is ignored.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::read_past;

    #[test]
    fn no_more_is_read_than_shows_that_it_is_too_much() {
        let read = |n_bytes: usize| read_past(10, vec![b'a'; n_bytes].as_slice()).expect("bytes").len();
        assert_eq!([0, 9, 10, 11, 12, 1_000].map(read), [0, 9, 10, 11, 11, 11]);
    }
}
