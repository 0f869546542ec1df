//! The bodies of the fuzzers. Fuzzing needs a nightly compiler; the test `corpus` of the library replays the corpus with any
//! compiler.

use commonweal::internals::certificate::{Certificate, model_hash, write_canonical};
use commonweal::internals::exact::solve;
use commonweal::internals::io::{Discounts, Format, ReadOptions, read_drn, read_model_bytes, read_umb};
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Enclosure, parse_rational};
use commonweal::internals::stop::StopSignal;
use commonweal::limits::Limits;
use commonweal::{Claim, Options};
use commonweal_check::{Verdict, canonical_form, check};
use std::sync::OnceLock;
use std::time::Duration;

/// The readers of models: no panic, what is read has a canonical form that the checker reads, and the readers of YAML agree.
pub fn model(bytes: &[u8]) {
    let mut options = ReadOptions::new(Discounts::Unspecified);
    options.bytes = Some(bytes.len() as u64);
    let read = match Format::of_contents(bytes) {
        Some(Format::Drn) => {
            _ = read_drn::<f64>(bytes, &options);
            read_drn(bytes, &options).ok().map(|loaded| loaded.model)
        }
        Some(Format::Umb) => {
            _ = read_umb::<f64>(bytes, &options);
            read_umb(bytes, &options).ok().map(|loaded| loaded.model)
        }
        _ => {
            readers(bytes);
            return;
        }
    };
    if let Some(read) = read {
        assert!(canonical_form(bytes).is_err(), "the checker takes a file of another tool for YAML");
        is_read(&canonical(&read)).expect("the checker reads every canonical form");
    }
}

/// The result of the readers on a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Reading {
    /// The solver and the checker see this canonical form.
    Same(String),
    /// The checker sends the user to `convert`, which gives this canonical form.
    OnlySolver(String),
    /// A canonical form, which is for checkers alone.
    OnlyChecker,
    /// Both refuse it.
    Neither,
}

/// The solver's reader of YAML against the checker's. Different models from one file are a panic, and so is a file that only the
/// checker reads: a certificate would then be for a model that was not solved.
pub fn readers(bytes: &[u8]) -> Reading {
    let solver = read_model_bytes(bytes).ok().map(|model| canonical(&model));
    let checker = is_read(bytes).and_then(|()| canonical_form(bytes).map_err(|error| error.to_string()));
    let text = |canonical: &[u8]| String::from_utf8(canonical.to_vec()).expect("ASCII");
    match (solver, checker) {
        (Some(solver), Ok(checker)) => {
            assert_eq!(text(&checker), text(&solver), "the checker sees another model than the solver");
            Reading::Same(text(&solver))
        }
        (Some(solver), Err(_)) => {
            // Weights times rewards may be longer than a certificate can hold.
            let long = |word: &str| word.len() > "-0x".len() + (1 << 14);
            if !text(&solver).split([' ', '/', '\n']).any(long) {
                is_read(&solver).expect("the checker reads every canonical form");
            }
            Reading::OnlySolver(text(&solver))
        }
        (None, Ok(checker)) => {
            assert!(*checker == *bytes, "the checker reads what the solver refuses:\n{}", text(&checker));
            Reading::OnlyChecker
        }
        (None, Err(_)) => Reading::Neither,
    }
}

/// Whether the checker reads a model; why not, otherwise.
fn is_read(model: &[u8]) -> Result<(), String> {
    let error = check(model, &b""[..], 0).expect_err("there is no certificate").to_string();
    if error.starts_with("certificate: ") { Ok(()) } else { Err(error) }
}

/// The checker on certificates of the models that its tests use: no panic, no hang, and only true certificates are accepted.
pub fn certificate(bytes: &[u8]) {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| MODELS.iter().map(|model| Known::of(model)).collect());
    let names =
        |known: &&Known| bytes.windows(known.hash.len()).take(100).any(|window| window == known.hash.as_bytes());
    let known = known.iter().find(names).unwrap_or(&known[0]);
    if !matches!(check(&known.canonical, bytes, 20_000_000), Ok(Verdict::Accepted(_))) {
        return;
    }
    let text = std::str::from_utf8(bytes).expect("what is accepted is ASCII");
    let stated: Vec<&str> = text.lines().skip_while(|line| *line != "welfare").skip(1).collect();
    for (stated, best) in stated.iter().zip(&known.best) {
        match stated.split(' ').collect::<Vec<_>>()[..] {
            ["between", lower, upper] => {
                assert!(double(lower) <= best.upper() && best.lower() <= double(upper), "{text}");
            }
            // Long numbers are in hexadecimal, and left out here.
            ["exact", stated] if !stated.contains('x') => {
                let stated = Enclosure::from(&parse_rational(stated).expect("a fraction"));
                assert!(stated.lower() <= best.upper() && best.lower() <= stated.upper(), "{text}");
            }
            ["exact", _] => {}
            _ => panic!("{text}"),
        }
    }
}

/// The certificate of every model solved to optimality is accepted, or exceeds the work limit.
pub fn solve_then_check(bytes: &[u8]) {
    let Ok(model) = read_model_bytes(bytes) else { return };
    if model.n_choices() > 40 || bytes.len() > 4_000 {
        return;
    }
    // A small limit, so that a busy machine does not count as a hang.
    let stop = StopSignal::after(Duration::from_millis(500));
    let options = Options { keep_proof: true, limits: Limits { layers: 500, events: 100 }, stop, ..Options::default() };
    let solution = solve(&model, &options);
    if solution.claim() != Claim::Optimal {
        return;
    }
    let mut certificate = Vec::new();
    let proven = Certificate::of_mdp(&model, &solution).expect("kept");
    proven.write(&mut certificate).expect("memory takes every byte");
    if let Ok(Verdict::Refused(why)) = check(&canonical(&model), certificate.as_slice(), 50_000_000) {
        panic!("{why}\n{}", String::from_utf8_lossy(&certificate));
    }
}

/// Those that are solved in a moment. The first is the one for certificates that name none of them.
const MODELS: [&str; 10] = [
    include_str!("../crates/commonweal-check/tests/models/hotel.yaml"),
    include_str!("../crates/commonweal-check/tests/models/close.yaml"),
    include_str!("../crates/commonweal-check/tests/models/first-step.yaml"),
    include_str!("../crates/commonweal-check/tests/models/moment.yaml"),
    include_str!("../crates/commonweal-check/tests/models/patient.yaml"),
    include_str!("../crates/commonweal-check/tests/models/returns.yaml"),
    include_str!("../crates/commonweal-check/tests/models/root.yaml"),
    include_str!("../crates/commonweal-check/tests/models/spaced.yaml"),
    include_str!("../crates/commonweal-check/tests/models/ties.yaml"),
    include_str!("../crates/commonweal-check/tests/models/window.yaml"),
];

/// A model whose best welfare is known.
struct Known {
    canonical: Vec<u8>,
    hash: String,
    best: Vec<Enclosure>,
}

impl Known {
    fn of(yaml: &str) -> Known {
        let model = read_model_bytes(yaml.as_bytes()).expect("a model");
        let solution = solve(&model, &Options::default());
        let best = model.states().map(|state| solution.welfare_enclosure(state)).collect();
        Known { canonical: canonical(&model), hash: model_hash(&model), best }
    }
}

fn canonical(model: &Mdp) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_canonical(model, &mut bytes).expect("memory takes every byte");
    bytes
}

/// A double in hexadecimal notation that the checker has let through.
fn double(word: &str) -> f64 {
    let (mantissa, exponent) = word.trim_start_matches('-').trim_start_matches("0x").split_once('p').expect("a power");
    let (leading, digits) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let number = |digits: &str| u64::from_str_radix(digits, 16).expect("digits") as f64;
    let magnitude = number(&format!("{leading}{digits:0<13}")) * 2f64.powi(-52);
    let magnitude = magnitude * 2f64.powi(exponent.parse().expect("an exponent"));
    if word.starts_with('-') { -magnitude } else { magnitude }
}
