//! Certificates of random models: true ones are accepted, spoilt ones are not.

use crate::oracle::evaluate::{payoffs, positional, weighted};
use crate::oracle::plain::{from_double, from_solver};
use crate::oracle::random::Rng;
use crate::oracle::{Plain, Q, random, stages};
use crate::spoil;
use crate::spoil::{Certificate, Spoiler, Spoilt, read_double, read_fraction};
use commonweal::internals::answer::{BoundsStage, Proof};
use commonweal::internals::certificate::{BoundsCertificate, Certificate as Proven, model_hash, write_canonical};
use commonweal::internals::certified;
use commonweal::internals::exact::solve;
use commonweal::internals::families::{RandomFamily, spaced};
use commonweal::internals::model::{Mdp, StateId};
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::proof;
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::internals::strategy::Step;
use commonweal::limits::Limits;
use commonweal::{Answer, Claim, Options};
use commonweal_check::{Verdict, WORK, check};
use num_traits::Zero;
use std::io::Write;

fn canonical(model: &Mdp) -> String {
    let mut bytes = Vec::new();
    write_canonical(model, &mut bytes).expect("memory takes every byte");
    String::from_utf8(bytes).expect("ASCII")
}

fn proven(model: &Mdp) -> Answer {
    solve(model, &Options { keep_proof: true, ..Options::default() })
}

fn certificate(model: &Mdp, solution: &Answer) -> String {
    let mut bytes = Vec::new();
    let certificate = Proven::of_mdp(model, solution).expect("kept");
    certificate.write(&mut bytes).expect("memory takes every byte");
    String::from_utf8(bytes).expect("ASCII")
}

/// `accepted`, `refused: …` or `unreadable: …`.
fn verdict(model: &str, certificate: &str) -> String {
    match check(model.as_bytes(), certificate.as_bytes(), WORK) {
        Ok(verdict) => verdict.to_string(),
        Err(unreadable) => format!("unreadable: {unreadable}"),
    }
}

/// Values with errors, the strategy cut off at a random horizon, and stages wherever no choice changes: bounds that are true all
/// the same.
fn bounds_certificate(model: &Mdp, solution: &Answer, rng: &mut Rng) -> String {
    let Some(Proof::Exact(proof)) = proof(solution) else { panic!("kept") };
    let horizon = u64::try_from(solution.horizon()).expect("a short horizon");
    let error = [0.0, 1e-12, 0.5][rng.index(3)];
    let values = |error: f64| -> Vec<Vec<f64>> {
        let of_principal = proof.values.iter().map(|values| {
            let near = |state: usize| values.enclosure(state).midpoint() * (1.0 + error) + error;
            (0..values.len()).map(near).collect()
        });
        of_principal.collect()
    };
    let horizon = rng.within(0, horizon as i64 + 3) as u64;
    let decision = |state: StateId, step: u64| {
        if step < horizon { solution.strategy().choice(state, &step.into()) } else { proof.tail[state.index()] }
    };
    let mut stages = Vec::new();
    let mut present = horizon;
    while present > 0 && !rng.chance(4) {
        let until = rng.within(1, present as i64) as u64;
        let from = rng.within(0, until as i64 - 1) as u64;
        let stays = |step: u64| model.states().all(|state| decision(state, step) == decision(state, until));
        if (from..until).all(stays) {
            let values = rng.chance(2).then(|| values([0.0, 1e-3, 0.1][rng.index(3)]));
            // Any harmonic numbers will do: how far the decisions are from keeping them is measured.
            let period = rng.index(4);
            let mut phase = || model.states().map(|_| rng.within(-9, 9) as f64 / 8.0).collect::<Vec<f64>>();
            let phases: Vec<Vec<f64>> = (0..period).map(|_| phase()).collect();
            stages.push(BoundsStage {
                from,
                until,
                values,
                each: [0.0, 1e-9, 0.1, 5.0][rng.index(4)],
                patient: [0.0, 1e-6, 0.2][rng.index(3)],
                harmonic: (period > 0).then_some(phases),
            });
        }
        present = from;
    }
    let bounds = BoundsCertificate {
        values: values(error),
        tail: proof.tail.clone(),
        horizon,
        strategy: solution.strategy(),
        stages: &stages,
        segments: Vec::new(),
    };
    let mut bytes = Vec::new();
    bounds.write(model, &StopSignal::default(), &mut bytes).expect("within the doubles");
    String::from_utf8(bytes).expect("ASCII")
}

/// Whether a strategy is optimal at every step and in every state, by the principle of one deviation: with its exact values
/// from each step on, no single other choice helps. Nothing here telescopes. The tail is tried for some steps only.
fn is_optimal(plain: &Plain, layers: &[Vec<usize>], tail: &[usize]) -> bool {
    const TAIL_STEPS: usize = 40;
    let of_tail =
        |i: usize| positional(plain, tail, &plain.principals[i].discount, |s, c| plain.states[s][c].rewards[i].clone());
    let mut later: Vec<Vec<Q>> = (0..plain.principals.len()).map(of_tail).collect();
    for step in (0..layers.len() + TAIL_STEPS).rev() {
        let decisions = layers.get(step).map_or(tail, |layer| layer.as_slice());
        let value = |i: usize, s: usize, c: usize| {
            let choice = &plain.states[s][c];
            let expected = choice.to.iter().fold(Q::zero(), |sum, (target, p)| sum + p * &later[i][*target]);
            &choice.rewards[i] + &plain.principals[i].discount * expected
        };
        let worth = |s: usize, c: usize| {
            let terms = plain.principals.iter().enumerate().map(|(i, who)| {
                let weight = who.discount.pow(step as u32);
                &who.weight * weight * value(i, s, c)
            });
            terms.fold(Q::zero(), |sum, term| sum + term)
        };
        let best = |s: usize| {
            let own = worth(s, decisions[s]);
            (0..plain.states[s].len()).all(|c| worth(s, c) <= own)
        };
        if !(0..plain.states.len()).all(best) {
            return false;
        }
        let now = |i: usize| (0..plain.states.len()).map(|s| value(i, s, decisions[s])).collect::<Vec<Q>>();
        later = (0..plain.principals.len()).map(now).collect();
    }
    true
}

/// Whether what a certificate states is true, by means of the oracles. `best` is the welfare of the optimum.
fn is_true(plain: &Plain, certificate: &Certificate, best: &[Q]) -> bool {
    let layers = certificate.layers();
    let earned = weighted(plain, &payoffs(plain, &layers, &certificate.tail));
    let kind_is_bounds = certificate.head.iter().any(|line| line == "kind bounds");
    let claim = |(state, line): (usize, &String)| match line.split(' ').collect::<Vec<_>>()[..] {
        ["exact", exact] => read_fraction(exact) == earned[state],
        ["between", lower, upper] => {
            let greatest = if kind_is_bounds { &best[state] } else { &earned[state] };
            from_double(read_double(lower)) <= earned[state] && *greatest <= from_double(read_double(upper))
        }
        _ => false,
    };
    certificate.welfare.iter().enumerate().all(claim)
        && (kind_is_bounds || is_optimal(plain, &layers, &certificate.tail))
}

/// The longest horizon at which the oracles still answer in a moment.
const LONGEST: u64 = 24;

/// The result of a search.
#[derive(Default, Debug)]
struct Tally {
    certificates: usize,
    spoilt: usize,
    true_all_the_same: usize,
}

/// Solves the models of these seeds, checks their certificates, and spoils each of them `forgeries` times. Every case is
/// handed to `record` with the verdict.
fn search(seeds: std::ops::Range<u64>, forgeries: usize, mut record: impl FnMut(&str, &str, &str)) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let plain = match seed % 4 {
            0 => random::tiny(seed),
            _ => random::model(seed),
        };
        let model = plain.model();
        let solution = proven(&model);
        if solution.claim() != Claim::Optimal || *solution.horizon() > Step::from(LONGEST) {
            continue;
        }
        let mut rng = Rng::new(seed);
        let text = canonical(&model);
        let best: Vec<Q> = model.states().map(|s| from_solver(&solution.welfare(s).exact.expect("short"))).collect();
        for certificate in [certificate(&model, &solution), bounds_certificate(&model, &solution, &mut rng)] {
            let found = verdict(&text, &certificate);
            assert_eq!(found, "accepted", "seed {seed}: a true certificate is refused\n{text}{certificate}");
            record(&text, &certificate, &found);
            tally.certificates += 1;
            let parts = Certificate::parse(&certificate);
            assert_eq!(verdict(&text, &parts.text()), "accepted", "seed {seed}: the parts make the whole");
            let spoiler = Spoiler { plain: &plain, model: &text, certificate: &parts };
            for _ in 0..forgeries {
                let Some(Spoilt { how, text, model, may_be_true }) = spoiler.spoil(&mut rng) else { continue };
                let found = verdict(&model, &text);
                record(&model, &text, &found);
                tally.spoilt += 1;
                if found != "accepted" {
                    continue;
                }
                let true_all_the_same = may_be_true && is_true(&plain, &Certificate::parse(&text), &best);
                assert!(true_all_the_same, "seed {seed}: accepted although it has {how}\n{model}{text}");
                tally.true_all_the_same += 1;
            }
        }
    }
    tally
}

#[test]
fn true_certificates_are_accepted_and_spoilt_ones_are_not() {
    let tally = search(0..400, 8, |_, _, _| {});
    assert!(tally.certificates > 500 && tally.spoilt > 4_000, "{tally:?}");
    // Ties, bounds that are not tight, layers instead of a stage: some forgeries are true.
    assert!(tally.true_all_the_same * 6 < tally.spoilt, "{tally:?}");
}

/// 100,000 forgeries. With `CASES=FILE` every case is written there as a line of JSON, for other checkers.
#[test]
#[ignore = "takes minutes; scripts/compare-checkers runs it and holds the Python checker against it"]
fn a_hundred_thousand_spoilt_certificates_are_refused() {
    let mut file = std::env::var_os("CASES").map(|path| std::fs::File::create(path).expect("a file to write"));
    let mut cases = std::io::BufWriter::new(Vec::new());
    let mut record = |model: &str, certificate: &str, verdict: &str| {
        if file.is_some() {
            serde_json::to_writer(&mut cases, &[model, certificate, verdict]).expect("memory takes every byte");
            cases.write_all(b"\n").expect("memory takes every byte");
        }
    };
    let tally = search(10_000..17_500, 12, &mut record);
    let (n_jumped, bent) = walks(1_000..2_000, &mut record);
    println!("{tally:?}\n{n_jumped} walks jumped; {bent:?} of their certificates, bent, were not and were accepted");
    if let Some(file) = &mut file {
        file.write_all(&cases.into_inner().expect("memory takes every byte")).expect("the file takes every byte");
    }
    assert!(tally.spoilt - tally.true_all_the_same >= 100_000 && n_jumped >= 250, "{tally:?}, {n_jumped}");
}

/// Solves the models of these seeds in doubles, and checks the certificates of those whose walks jump: they are accepted, and the exact
/// engine's welfare lies within. Bent ones are handed to `record` with the verdict, too; none that is accepted states less than
/// the best. Returns how many walks jumped, and how many bent ones were accepted and not.
fn walks(seeds: std::ops::Range<u64>, mut record: impl FnMut(&str, &str, &str)) -> (usize, [usize; 2]) {
    let (mut n_jumped, mut bent) = (0, [0, 0]);
    for seed in seeds {
        let model = patient(seed);
        let doubles = model.to_doubles().expect("ordinary rewards");
        let options = Options { keep_proof: true, ..Options::default() };
        let gap = [1e-4, 1e-6, 1e-9][seed as usize % 3];
        let solution = certified::solve(&doubles, gap, &options);
        let Some(Proof::Bounds(proof)) = proof(&solution) else { panic!("kept") };
        let exact = solve(&model, &Options::default());
        if proof.stages.is_empty() || exact.claim() != Claim::Optimal {
            continue;
        }
        n_jumped += 1;
        let certificate = BoundsCertificate {
            values: proof.values.clone(),
            tail: model.states().map(|state| solution.strategy().tail(state)).collect(),
            horizon: u64::try_from(solution.horizon()).expect("a short horizon"),
            strategy: solution.strategy(),
            stages: &proof.stages,
            segments: Vec::new(),
        };
        let (text, mut original) = (canonical(&model), Vec::new());
        certificate.write(&model, &StopSignal::default(), &mut original).expect("within the doubles");
        let original = String::from_utf8(original).expect("ASCII");
        let found = verdict(&text, &original);
        assert_eq!(found, "accepted", "seed {seed}: a true certificate is refused\n{text}{original}");
        record(&text, &original, &found);
        let parts = Certificate::parse(&original);
        // A fraction lies inside; of an enclosure no more can be asked than that it overlaps.
        let within = |parts: &Certificate, is_above: bool| {
            let mut states = parts.welfare.iter().zip(model.states());
            states.all(|(line, state)| {
                let words: Vec<&str> = line.split(' ').collect();
                let (lower, upper, best) =
                    (read_double(words[1]), read_double(words[2]), exact.welfare_enclosure(state));
                let (least, greatest) = match exact.welfare(state).exact {
                    Some(_) => (best.upper(), best.lower()),
                    None => (best.lower(), best.upper()),
                };
                least <= upper && (is_above || lower <= greatest)
            })
        };
        assert!(within(&parts, false), "seed {seed}: the exact welfare lies outside\n{text}{original}");
        let scale = solution.scale().expect("a certified answer");
        let width = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            read_double(words[2]) - read_double(words[1])
        };
        let widest = parts.welfare.iter().map(width).fold(0.0, f64::max);
        assert!(widest <= gap * scale, "seed {seed}: {} of the gap", widest / (gap * scale));
        let mut rng = Rng::new(seed);
        for way in 0..6 {
            let state = rng.index(model.n_states());
            let Some((how, forged)) = parts.clone().bent(way, state, &mut rng) else { continue };
            let found = verdict(&text, &forged.text());
            record(&text, &forged.text(), &found);
            bent[usize::from(found == "accepted")] += 1;
            let lies = found == "accepted" && !within(&forged, true);
            assert!(!lies, "seed {seed}: accepted although it has {how}\n{text}{}", forged.text());
        }
    }
    (n_jumped, bent)
}

/// A random model whose most patient principal looks hundreds or thousands of steps ahead.
fn patient(seed: u64) -> Mdp {
    let discounts = ["0.99,0.98", "0.995,0.9949", "0.998,0.9,0", "0.99,0.98999,0.9", "0.999,0.99,0.5", "0.9995,0.9994"];
    let parsed = |text: &str| parse_rational(text).expect("a number");
    let family = RandomFamily {
        n_states: 2 + seed as usize % 4,
        n_actions: 2 + seed as usize % 2,
        n_successors: 1 + seed as usize % 3,
        discounts: discounts[seed as usize % discounts.len()].split(',').map(parsed).collect(),
        max_denominator: 10,
        max_reward: 10u64.pow(1 + seed as u32 % 4),
        seed,
    };
    family.model().expect("a model")
}

#[test]
fn bounds_with_stages_are_accepted_and_hold_the_exact_welfare() {
    let (n_jumped, bent) = walks(0..60, |_, _, _| {});
    assert!(n_jumped > 20 && bent[0] > 20, "{n_jumped} jumped, {bent:?} bent");
}

/// A random model with close discounts, whose decisions change at a few steps far apart.
fn close(seed: u64, kind: u64) -> Mdp {
    let discounts: &[&str] =
        [&["9/10", "8999/10000"][..], &["9/10", "899999/1000000", "1/2"], &["4/5", "79999/100000", "7999/10000", "0"]]
            [kind as usize - 2];
    let discounts = discounts.iter().map(|text| parse_rational(text).expect("a fraction")).collect();
    let (n_states, n_successors) = (3 + seed as usize % 3, 2);
    let family =
        RandomFamily { n_states, n_actions: 2, n_successors, discounts, max_denominator: 10, max_reward: 10, seed };
    family.model().expect("a model")
}

/// Stages: a change that is shifted by a step, or a modified stage, is refused, unless the strategy stays the same.
#[test]
fn certificates_with_stages_are_accepted_and_shifted_ones_are_not() {
    let (mut with_stages, mut shifted) = (0, 0);
    for seed in 0..75 {
        let model = match seed % 5 {
            0 => stages::long(seed).model(),
            1 => stages::short(seed).model(),
            kind => close(seed, kind),
        };
        let solution = proven(&model);
        if solution.claim() != Claim::Optimal {
            continue;
        }
        let text = canonical(&model);
        let original = certificate(&model, &solution);
        assert_eq!(verdict(&text, &original), "accepted", "seed {seed}\n{text}{original}");
        let parts = Certificate::parse(&original);
        if !parts.sections.iter().any(|section| matches!(section, spoil::Section::Stage(..))) {
            continue;
        }
        with_stages += 1;
        let mut rng = Rng::new(seed);
        for _ in 0..12 {
            let mut forged = parts.clone();
            let section = rng.index(forged.sections.len());
            let up = rng.chance(2);
            let moved = |step: u128| if up { step + 1 } else { step.saturating_sub(1) };
            let mut lies = false;
            match &mut forged.sections[section] {
                spoil::Section::Stage(from, ..) => *from = moved(*from),
                spoil::Section::Layers(_, changes) => {
                    *changes =
                        std::mem::take(changes).into_iter().map(|(step, change)| (moved(step), change)).collect();
                }
                spoil::Section::Values(_, values) => {
                    let line = rng.index(values.len());
                    values[line] = match values[line].strip_prefix("denominator ") {
                        Some(denominator) => {
                            format!("denominator {}", spoil::integer(&(spoil::read_integer(denominator) * 2)))
                        }
                        None => spoil::integer(&(spoil::read_integer(&values[line]) + 1)),
                    };
                    lies = values.iter().any(|value| value != "0");
                }
            }
            shifted += 1;
            let found = verdict(&text, &forged.text());
            let same = forged.strategy() == parts.strategy() && !lies;
            assert!(found != "accepted" || same, "seed {seed}: accepted although shifted\n{text}{}", forged.text());
        }
    }
    assert!(with_stages > 20 && shifted > 240, "{with_stages} with stages, {shifted} shifted");
}

#[test]
fn the_paper_s_family_at_a_billion_fits_on_a_page() {
    let model = spaced(&Rational::from(1_000_000_000u64)).expect("a model");
    let solution = proven(&model);
    let certificate = certificate(&model, &solution);
    assert!(certificate.len() < 10_000, "{} bytes", certificate.len());
    assert!(certificate.contains("horizon 44219120417242163736\n"));
    assert_eq!(verdict(&canonical(&model), &certificate), "accepted");
    // One step earlier or later is refused: the change is at exactly that step.
    for (from, to) in [("stage 0", "stage 1"), ("horizon 44219120417242163736", "horizon 44219120417242163735")] {
        assert_ne!(verdict(&canonical(&model), &certificate.replace(from, to)), "accepted", "{to}");
    }
}

#[test]
fn an_answer_that_was_stopped_has_a_certificate_of_its_bounds() {
    let model = spaced(&Rational::from(1000u32)).expect("a model");
    let options = Options { keep_proof: true, limits: Limits::of_layers(30), ..Options::default() };
    let solution = solve(&model, &options);
    assert!(matches!(solution.claim(), Claim::Stopped(_)));
    let certificate = certificate(&model, &solution);
    assert!(certificate.contains("kind bounds\n"));
    assert_eq!(verdict(&canonical(&model), &certificate), "accepted");
    let proven = proven(&model);
    for (line, state) in Certificate::parse(&certificate).welfare.iter().zip(model.states()) {
        let [_, lower, upper] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let best = proven.welfare_enclosure(state);
        assert!(read_double(lower) <= best.upper() && best.lower() <= read_double(upper), "{line}");
    }
}

#[test]
fn both_sides_hash_a_model_alike_whatever_it_was_written_in() {
    let yaml = "start: b\nprincipals: {p: 0.5, q: {discount: 1/2, weight: -2}, r: 1e-1}\nstates:\n  a:\n    \
                x: {reward: {p: 1, q: 0.25, r: 3}, to: {b: 0.5, a: 2/4}}\n  b: {y: {to: b}}\n";
    let model = commonweal::internals::io::read_model(yaml).expect("a model");
    let expected = "commonweal-model 1\ndiscounts 1/2 1/10\nstates 2\nchoices 1\n1/2 3 > 0 1/2 1 1/2\nchoices 1\n\
                    0 0 > 1 1\nend\n";
    assert_eq!(canonical(&model), expected);
    let read = |bytes: &[u8]| String::from_utf8(commonweal_check::canonical_form(bytes).expect("simple").into_owned());
    assert_eq!(read(yaml.as_bytes()).as_deref(), Ok(expected));
    assert_eq!(model_hash(&model), commonweal_check::hash(expected.as_bytes()));
    for seed in 0..300 {
        let model = if seed % 5 == 0 { random::extreme(seed) } else { random::model(seed) }.model();
        let canonical = canonical(&model);
        for write in [commonweal::internals::io::write_yaml, commonweal::internals::io::write_json] {
            let mut written = Vec::new();
            write(&model, &mut written).expect("memory takes every byte");
            assert_eq!(read(&written).as_ref(), Ok(&canonical), "seed {seed}");
        }
        assert_eq!(model_hash(&model), commonweal_check::hash(canonical.as_bytes()));
    }
}

/// The work is bounded, whatever a certificate asks for.
#[test]
fn a_certificate_that_asks_for_too_much_is_not_read() {
    let model = "commonweal-model 1\ndiscounts 1/2\nstates 1\nchoices 2\n0 > 0 1\n0 > 0 1\nend\n";
    let head = format!("commonweal-certificate 1\nmodel {}\nkind exact\n", commonweal_check::hash(model.as_bytes()));
    let far = format!(
        "{head}numbers enclosed\nprecision 64\nhorizon {}\ntail\n1 0\nvalues\ndenominator 1\n0\nlayers 0\n",
        1u128 << 96
    );
    let error = check(model.as_bytes(), far.as_bytes(), 1_000_000).expect_err("too far");
    assert!(error.to_string().contains("more work than is allowed"), "{error}");
    assert!(matches!(
        check(
            model.as_bytes(),
            far.replace("layers", "stage")
                .replace("stage 0\n", "stage 0\nwelfare\nbetween 0x0p+0 0x0p+0\nend\n")
                .as_bytes(),
            WORK
        ),
        Ok(Verdict::Accepted(_))
    ));
}

/// Some hundred thousand layers to write down: seconds, in which the signal is looked at.
#[test]
fn writing_a_long_certificate_ends_when_it_is_asked_to() {
    let state = |s: usize| {
        let next = (s + 1) % 20;
        format!("  s{s}: {{rest: {{to: s{next}}}, work: {{reward: {{p: -1/1000, q: 1}}, to: s{s}}}}}\n")
    };
    let states: String = (0..20).map(state).collect();
    let text = format!("principals: {{p: 0.99999, q: 0.99998}}\nstates:\n{states}");
    let model = commonweal::internals::io::read_model(&text).expect("a model");
    let doubles = model.to_doubles().expect("doubles");
    let options = Options { keep_proof: true, jumps: false, ..Options::default() };
    let answer = certified::solve(&doubles, 1e-6, &options);
    let mut certificate = Proven::of_mdp(&model, &answer).expect("a certificate");
    let mut bytes = Vec::new();
    certificate.stop.raise();
    let error = certificate.write(&mut bytes).expect_err("the signal is raised");
    let reason = error.get_ref().and_then(|source| source.downcast_ref::<StopReason>());
    assert_eq!(reason, Some(&StopReason::Interrupted), "{error}");
    // A short certificate is written all the same.
    let brief = certified::solve(&doubles, 1e-6, &Options { limits: Limits::of_layers(10), ..options });
    certificate = Proven::of_mdp(&model, &brief).expect("a certificate");
    certificate.stop.raise();
    assert!(certificate.write(&mut Vec::new()).is_ok());
}

/// Payoffs share most of their denominators. Their product is as long as all of them together, 40 times as long here.
#[test]
fn the_welfare_of_many_principals_is_a_short_fraction_in_a_certificate() {
    let discounts: Vec<Rational> = (0..40).map(|i| Rational::from_quotient(950 - 5 * i, 1_000)).collect();
    let family = RandomFamily {
        n_states: 4,
        n_actions: 2,
        n_successors: 2,
        discounts,
        max_denominator: 10,
        max_reward: 100,
        seed: 1,
    };
    let model = family.model().expect("a model");
    let answer = proven(&model);
    assert!(*answer.horizon() > Step::from(100u64), "{}", answer.horizon());
    let text = certificate(&model, &answer);
    assert_eq!(verdict(&canonical(&model), &text), "accepted");
    let welfare = text.lines().skip_while(|line| *line != "welfare").filter(|line| line.starts_with("exact "));
    let lengths: Vec<usize> = welfare.map(str::len).collect();
    let longest_payoff = (0..40)
        .map(|p| answer.payoff(p.into(), StateId::from(0)).exact.expect("an exact answer").to_string().len())
        .max()
        .expect("principals");
    assert_eq!(lengths.len(), 4);
    assert!(lengths.iter().all(|&length| length < 10 * longest_payoff), "{lengths:?} beside {longest_payoff}");
}

/// By the estimate a run decides whether it checks its own answer. If it is too low, the check gives up after its time is spent.
#[test]
fn the_estimate_of_a_check_is_near_its_work() {
    let discounts: Vec<Rational> = (0..100).map(|i| Rational::from_quotient(5_000 + 45 * i, 10_000)).collect();
    let (n_states, n_actions, n_successors) = (30, 2, 5);
    let (max_denominator, max_reward, seed) = (100, 100, 1);
    let family = RandomFamily { n_states, n_actions, n_successors, discounts, max_denominator, max_reward, seed };
    let model = family.model().expect("a model");
    let answer = proven(&model);
    let estimate = Proven::of_mdp(&model, &answer).expect("kept").check_work();
    let (model, text) = (canonical(&model), certificate(&model, &answer));
    assert!(text.contains("\nnumbers enclosed\n"));
    let with = |work: u64| check(model.as_bytes(), text.as_bytes(), work).map(|verdict| verdict.to_string());
    assert_eq!(with(2 * estimate).as_deref(), Ok("accepted"), "{estimate}");
    assert!(with(estimate / 2).is_err(), "{estimate}");
}
