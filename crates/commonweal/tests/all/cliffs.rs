//! A search for wrong answers around the models that once took long: patience near 1, several classes of states that are never left,
//! cycles, copies, principals whom no choice concerns, discounts that are close to each other.

use crate::patience::{proven, texts};
use crate::patience_classes::{Draws, certified_beside_exact, compared, patient, states};
use crate::spoil::{read_double, write_double};
use commonweal::internals::certified;
use commonweal::internals::exact::solve;
use commonweal::internals::io::read_model;
use commonweal::internals::model::Mdp;
use commonweal::{Claim, Options};
use commonweal_check::{Verdict, WORK, check};

/// Discounts at which every step can be walked, and those at which only jumps answer.
const WALKED: [&[&str]; 6] = [
    &["0.99", "0.98"],
    &["0.99", "0.98999"],
    &["0.995", "0.993"],
    &["0.998", "0.997", "0.99"],
    &["0.999", "0.998"],
    &["0.99", "0.98", "0.97", "0.5", "0.4"],
];
const JUMPED: [&[&str]; 6] = [
    &["0.9999", "0.9998"],
    &["0.9999", "0.99989", "0.999"],
    &["0.99999", "0.99998"],
    &["0.999999", "0.999998"],
    &["0.999999", "0.9999", "0.99"],
    &["0.999999", "0.99", "0.989999"],
];

/// The model of a seed, and whether every step of it can be walked.
fn model(seed: u64) -> (Mdp, bool) {
    let mut draws = Draws(seed ^ 0x5eed_0c11);
    let is_walked = draws.below(2) == 0;
    let all = if is_walked { WALKED } else { JUMPED };
    let discounts = all[draws.below(all.len() as u64) as usize];
    let periods: Vec<u64> = (0..=draws.below(3)).map(|_| 1 + draws.below(6)).collect();
    let mut principals: Vec<String> = discounts.iter().enumerate().map(|(i, own)| format!("p{i}: {own}")).collect();
    let n_left = draws.below(4);
    let own = |prefix: &str| states(prefix, discounts.len(), &periods, n_left, seed);
    let mut text = own("");
    match draws.below(4) {
        // Two copies, between which a coin or the agent chooses.
        0 => {
            text = own("x") + &own("y");
            text += "  in: {coin: {to: {xc0p0s0: 1/2, yc0p0s0: 1/2}}, one: {to: xc0p0s0}, other: {to: yc0p0s0}}\n";
        }
        // A principal who is more patient than all others and gets the same whatever is done.
        1 => {
            principals.push(format!("idle: {}", if is_walked { "0.9991" } else { "0.9999995" }));
            text = text.replace("reward: {", "reward: {idle: 7, ");
        }
        // Rewards of very different sizes.
        2 => principals[0] = format!("p0: {{discount: {}, weight: 1e-6}}", discounts[0]),
        _ => {}
    }
    let text = format!("principals: {{{}}}\nstates:\n{text}", principals.join(", "));
    (read_model(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}")), is_walked)
}

/// The certificate with one claim on the welfare made false.
fn spoilt(certificate: &str, draws: &mut Draws) -> String {
    let mut lines: Vec<String> = certificate.lines().map(str::to_owned).collect();
    let first = lines.iter().position(|line| line == "welfare").expect("it states the welfare") + 1;
    let stated = lines[first..].iter().take_while(|line| line.starts_with("between ") || line.starts_with("exact "));
    let at = first + draws.below(stated.count() as u64) as usize;
    lines[at] = match lines[at].split(' ').collect::<Vec<_>>()[..] {
        ["between", lower, upper] => {
            let (lower, upper) = (read_double(lower), read_double(upper));
            let past = (upper - lower).max(1e-3 * upper.abs()).max(1e-3);
            let [from, to] = if draws.below(2) == 0 {
                [upper + past, upper + 2.0 * past]
            } else {
                [lower - 2.0 * past, lower - past]
            };
            format!("between {} {}", write_double(from), write_double(to))
        }
        _ => {
            let last = lines[at].chars().last().expect("a digit").to_digit(16).expect("a digit");
            format!("{}{:x}", &lines[at][..lines[at].len() - 1], (last + 1) % 16)
        }
    };
    lines.join("\n") + "\n"
}

fn is_accepted(canonical: &str, certificate: &str) -> bool {
    let said = check(canonical.as_bytes(), certificate.as_bytes(), WORK).expect("a certificate can be read");
    matches!(said, Verdict::Accepted(_))
}

/// What the search found.
#[derive(Debug, Default)]
struct Found {
    n_walked: usize,
    n_optimal: usize,
    n_refused: usize,
    layers_jumping: u64,
    layers_walking: u64,
    layers_certified: u64,
}

fn search(seeds: std::ops::Range<u64>) -> Found {
    let mut found = Found::default();
    for seed in seeds {
        let what = format!("seed {seed}");
        let (model, is_walked) = model(seed);
        if is_walked {
            let (jumping, walking) = compared(&model, &what);
            found.layers_jumping += jumping;
            found.layers_walking += walking;
            found.n_walked += 1;
        }
        found.layers_certified += certified_beside_exact(&model, if is_walked { 1e-7 } else { 1e-6 }, &what).0;
        let exact = proven(&model);
        found.n_optimal += usize::from(exact.claim() == Claim::Optimal);
        let (canonical, certificate) = texts(&model, &exact);
        assert!(is_accepted(&canonical, &certificate), "{what}: the certificate of the exact answer");
        let doubles = model.to_doubles().expect("ordinary rewards");
        let bounds = certified::solve(&doubles, 1e-6, &Options { keep_proof: true, ..Options::default() });
        let mut draws = Draws(seed);
        for (true_one, kind) in [(certificate, "exact"), (texts(&model, &bounds).1, "bounds")] {
            let spoilt = spoilt(&true_one, &mut draws);
            assert!(!is_accepted(&canonical, &spoilt), "{what}: a spoilt certificate of kind {kind}\n{spoilt}");
            found.n_refused += 1;
        }
    }
    found
}

#[test]
#[ignore = "ends at a certificate that takes more work to check than is allowed: the search does not go through yet"]
fn around_the_cliffs_the_engines_agree_and_spoilt_certificates_are_refused() {
    let found = search(0..120);
    assert!(found.n_walked > 40 && found.n_optimal > 100 && found.n_refused == 240, "{found:?}");
    assert!(2 * found.layers_jumping < found.layers_walking, "{found:?}");
}

#[test]
#[ignore = "an hour or so: the same on 10,000 models; CLIFFS_FROM and CLIFFS_MODELS say which"]
fn ten_thousand_models_around_the_cliffs() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let first = number("CLIFFS_FROM", 1_000_000);
    let all = first..first + number("CLIFFS_MODELS", 10_000);
    println!("{all:?}: {:?}", search(all.clone()));
}

#[test]
fn a_jump_is_charged_for_its_own_steps_alone() {
    // Each of several jumps was charged for a whole lifetime of the errors of its values: doubles then missed a gap of 1e-6, and walked
    // a million layers in its place, where they reached 1e-9 in a hundred.
    let mut layers = Vec::new();
    for seed in 0..6 {
        let family = commonweal::internals::families::RandomFamily {
            n_states: 30,
            n_actions: 2,
            n_successors: 5,
            discounts: ["0.999999", "0.999998"].map(|text| text.parse().expect("a number")).to_vec(),
            max_denominator: 100,
            max_reward: 100,
            seed,
        };
        let doubles = family.model().expect("a model").to_doubles().expect("ordinary rewards");
        let answer = certified::solve(&doubles, 1e-6, &Options::default());
        assert!(answer.claim().is_within(), "seed {seed}: {:?}", answer.claim());
        layers.push(answer.effort().n_layers);
    }
    assert!(layers.iter().all(|&n| n < 20_000), "{layers:?}");
}

#[test]
#[ignore = "as the search"]
fn the_generator_makes_what_the_search_is_about() {
    let all: Vec<(Mdp, bool)> = (0..120).map(model).collect();
    let n_alike =
        all.iter().filter(|(model, _)| solve(model, &Options::default()).n_up_to_symmetry().is_some()).count();
    let most_patient = |model: &Mdp| model.principals().iter().any(|principal| principal.name == "idle");
    let n_idle = all.iter().filter(|(model, _)| most_patient(model)).count();
    let n_walked = all.iter().filter(|(_, is_walked)| *is_walked).count();
    assert!(n_alike > 10 && n_idle > 10 && (40..80).contains(&n_walked), "{n_alike}, {n_idle}, {n_walked}");
}

#[test]
#[ignore = "prints a table: layers in doubles of models with several classes at 0.999999"]
fn layers_of_several_classes_at_high_patience() {
    for seed in 0..12 {
        let model = patient(seed);
        let doubles = model.to_doubles().expect("ordinary rewards");
        let of = |gap: f64| {
            let answer = certified::solve(&doubles, gap, &Options::default());
            format!("{:?} {} of {}", answer.claim(), answer.effort().n_layers, answer.horizon())
        };
        println!("seed {seed}: {} | {}", of(1e-6), of(1e-7));
    }
}
