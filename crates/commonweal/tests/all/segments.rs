//! Time preferences in segments: schedules, terms of office, whatever is geometric piece by piece.
//!
//! | models | compared with |
//! |---|---|
//! | 2,000, one to four segments a principal, shared discounts, weights of either sign, nobody left in the end | backward induction with every step's own weights, in fractions: welfare, decisions, payoffs, memory, horizon |
//! | 600 of them, certified to 1e-7, and their strategies evaluated | the same |
//! | 300 of them, exact and certified, with their certificates | the separate checker, which refuses them with another welfare, another decision, another segment's values |
//! | terms of office of 3,000 and 1,000,000 steps | a walk over every layer; the exact payoffs of the same strategy |
//! | the Green Book's schedule | the factors that it prints, and a public investment in closed form |
//! | a solve that is stopped at once or after some layers | the optimum |
//! | 150 of the models, best positional strategy | every positional strategy, evaluated |
//! | 40 tiny ones, best stationary strategy | random mixes, evaluated: none exceeds the bounds |
//! | 60, simulated | the exact payoffs |
//! | 150, best by other weights, some of them 0 | the oracle with those weights |
//! | 300, explained | payoffs of runs that arrive in a state at a step, and of the strategy with one decision changed |
//! | 600 without segments, explained; the same stated by segments | the payoffs of the strategy with one decision changed |

use crate::oracle::timed::{Timed, Truth};
use crate::oracle::{
    self,
    plain::{from_double, from_solver},
};
use commonweal::internals::certificate::{Certificate, model_hash, write_canonical};
use commonweal::internals::certified;
use commonweal::internals::evaluation::{SimulateOptions, accrued, evaluate, simulate};
use commonweal::internals::exact::{own_best, solve};
use commonweal::internals::explain::{Explanation, explain};
use commonweal::internals::model::{ChoiceId, Mdp, ModelBuilder, StateId};
use commonweal::internals::search::{SearchOptions, SearchOutcome, positional, stationary};
use commonweal::limits::Limits;
use commonweal::numbers::Enclosure;
use commonweal::preferences::{Part, Segment};
use commonweal::questions::PayoffSet;
use commonweal::strategies::{Change, CountingStrategy, Stationary};
use commonweal::structure::Principal;
use commonweal::{Answer, Claim, Model, Options, Rational, Step, StopSignal, Strategy};
use commonweal_check::{Verdict, WORK, check};
use num_traits::Zero;
use std::cmp::Ordering;

/// The position of the choice that an answer takes.
fn decision(model: &Mdp, answer: &Answer, state: usize, step: usize) -> usize {
    let choice = answer.strategy().choice(state.into(), &step.into());
    model.choices(state.into()).position(|own| own == choice).expect("a choice of the state")
}

fn same_decisions(model: &Mdp, answer: &Answer, truth: &Truth, seed: u64) {
    for step in 0..truth.layers.len() + 3 {
        for state in 0..model.n_states() {
            let said = decision(model, answer, state, step);
            assert_eq!(said, truth.decision(step, state), "seed {seed}: state {state} at step {step}");
        }
    }
}

fn contains(enclosure: Enclosure, exact: &crate::oracle::Q) -> bool {
    from_double(enclosure.lower()) <= *exact && *exact <= from_double(enclosure.upper())
}

#[test]
fn every_step_is_decided_with_its_own_weights() {
    let (mut n, mut deviating, mut over) = (0, 0, 0);
    for seed in 0..2_000 {
        let timed = Timed::random(seed);
        let Some(truth) = timed.solve(300) else { continue };
        let model = timed.model();
        let answer = solve(&model, &Options::default());
        assert_eq!(answer.claim(), Claim::Optimal, "seed {seed}");
        same_decisions(&model, &answer, &truth, seed);
        assert_eq!(u64::try_from(answer.horizon()), Ok(truth.horizon), "seed {seed}");
        for state in model.states() {
            let welfare = answer.welfare(state).exact.expect("a near horizon");
            assert_eq!(from_solver(&welfare), truth.welfare[state.index()], "seed {seed}, state {state:?}");
            let memory = u64::try_from(answer.memory(state));
            assert_eq!(memory, Ok(truth.memory[state.index()]), "seed {seed}, state {state:?}");
            for (p, payoffs) in truth.payoffs.iter().enumerate() {
                let payoff = answer.payoff(p.into(), state).exact.expect("a near horizon");
                assert_eq!(from_solver(&payoff), payoffs[state.index()], "seed {seed}, state {state:?}, {p}");
            }
        }
        n += 1;
        deviating += usize::from(truth.memory.iter().any(|&memory| memory > 0));
        over += usize::from(timed.preferences.iter().all(|own| own.last().is_some_and(|(_, parts)| parts.is_empty())));
    }
    assert!(n > 1_500 && deviating > 500 && over > 50, "{n} models, {deviating} deviate, {over} are over");
}

#[test]
fn certified_bounds_and_evaluations_enclose_the_truth() {
    let mut same = 0;
    for seed in 0..600 {
        let timed = Timed::random(seed);
        let Some(truth) = timed.solve(300) else { continue };
        let model = timed.model();
        let doubles = model.to_doubles().expect("ordinary rewards");
        let certified = certified::solve(&doubles, 1e-7, &Options::default());
        // Where nothing can be earned from the start, no bound is a part of it.
        let earns_nothing = certified.scale().is_some_and(|scale| scale < 1e-9);
        assert!(certified.claim().is_within() || earns_nothing, "seed {seed}: {:?}", certified.claim());
        let exact = solve(&model, &Options::default());
        let strategy = Strategy::Counting(exact.strategy().clone());
        let evaluated = evaluate(&model, &strategy, &StopSignal::default()).expect("a short horizon");
        let near = certified::evaluate(&doubles, &strategy, 1e-7, &StopSignal::default()).expect("a short horizon");
        let alike = certified.strategy() == exact.strategy();
        same += usize::from(alike);
        for state in model.states() {
            let welfare = &truth.welfare[state.index()];
            assert!(contains(certified.welfare_enclosure(state), welfare), "seed {seed}, state {state:?}");
            for (p, payoffs) in truth.payoffs.iter().enumerate() {
                let right = &payoffs[state.index()];
                let payoff = evaluated.payoff(p.into(), state).exact.expect("an exact evaluation");
                assert_eq!(from_solver(&payoff), *right, "seed {seed}, principal {p}");
                assert!(contains(near.payoffs.payoff(p.into(), state).enclosure, right), "seed {seed}, principal {p}");
                if alike {
                    assert!(contains(certified.payoff(p.into(), state).enclosure, right), "seed {seed}, {p}");
                }
            }
        }
    }
    assert!(same > 200, "only {same} certified strategies are those of fractions");
}

fn verdict(model: &Mdp, certificate: &[u8]) -> Result<Verdict, String> {
    let mut canonical = Vec::new();
    write_canonical(model, &mut canonical).expect("memory");
    check(&canonical, certificate, WORK).map_err(|error| error.0)
}

#[test]
fn certificates_are_accepted_and_spoilt_ones_refused() {
    let [n, spoilt] = certificates(0..300, |_, _, _| ());
    assert!(n > 300 && spoilt > 900, "{n} certificates, {spoilt} spoilt");
}

/// With `CASES=FILE` every case is written there as a line of JSON, for other checkers.
#[test]
#[ignore = "scripts/compare-checkers runs it and holds the Python checker against it"]
fn a_thousand_models_in_segments_for_other_checkers() {
    let mut cases = Vec::new();
    certificates(1_000..2_000, |model, certificate, verdict| {
        serde_json::to_writer(&mut cases, &[model, certificate, verdict]).expect("memory takes every byte");
        cases.push(b'\n');
    });
    if let Some(path) = std::env::var_os("CASES") {
        std::fs::write(path, &cases).expect("the file takes every byte");
    }
}

/// Checks the certificates of the models of these seeds, and spoilt ones. Returns how many there were of both.
fn certificates(seeds: std::ops::Range<u64>, mut record: impl FnMut(&str, &str, &str)) -> [usize; 2] {
    let (mut n, mut spoilt) = (0, 0);
    for seed in seeds {
        let timed = Timed::random(seed);
        let Some(truth) = timed.solve(60) else { continue };
        if timed.last_segment() == 0 {
            continue;
        }
        let model = timed.model();
        let options = Options { keep_proof: true, ..Options::default() };
        let exact = solve(&model, &options);
        let bounds = certified::solve(&model.to_doubles().expect("ordinary rewards"), 1e-7, &options);
        let canonical = |model: &Mdp| {
            let mut canonical = Vec::new();
            write_canonical(model, &mut canonical).expect("memory");
            String::from_utf8(canonical).expect("ASCII")
        };
        let neighbours = neighbours(&timed);
        for answer in [&exact, &bounds] {
            let certificate = Certificate::of_mdp(&model, answer).expect("a proof");
            let text = String::from_utf8(certificate.to_bytes().expect("a short certificate")).expect("ASCII");
            let mut verdict_on = |model: &str, text: &str| {
                let said = match check(model.as_bytes(), text.as_bytes(), WORK) {
                    Ok(verdict) => verdict.to_string(),
                    Err(error) => format!("unreadable: {error}"),
                };
                record(model, text, &said);
                said
            };
            let said = verdict_on(&canonical(&model), &text);
            assert_eq!(said, "accepted", "seed {seed}\n{text}");
            n += 1;
            for wrong in spoil(&text) {
                assert_ne!(verdict_on(&canonical(&model), &wrong), "accepted", "seed {seed}\n{wrong}");
                spoilt += 1;
            }
            // The least horizon, and less.
            let horizon = u64::try_from(exact.horizon()).expect("a near horizon");
            if text.contains("\nexact ") {
                let earlier =
                    text.replacen(&format!("\nhorizon {horizon}\n"), &format!("\nhorizon {}\n", horizon - 1), 1);
                assert_ne!(earlier, text);
                assert_ne!(verdict_on(&canonical(&model), &earlier), "accepted", "seed {seed}\n{earlier}");
                spoilt += 1;
            }
            // The same claims of a model of which a segment begins a step later or earlier, where its welfare is another.
            for (other, welfare) in &neighbours {
                let differs = |(one, other): (&oracle::Q, &oracle::Q)| {
                    let difference = (one - other).abs();
                    if text.contains("\nexact ") { !difference.is_zero() } else { difference > oracle::q(1, 1000) }
                };
                if !truth.welfare.iter().zip(welfare).any(differs) {
                    continue;
                }
                let forged = text.replacen(&model_hash(&model), &model_hash(other), 1);
                assert_ne!(verdict_on(&canonical(other), &forged), "accepted", "seed {seed}\n{forged}");
                spoilt += 1;
            }
        }
    }
    [n, spoilt]
}

/// The models of which one segment begins a step later or earlier, with their welfare.
fn neighbours(timed: &Timed) -> Vec<(Mdp, Vec<oracle::Q>)> {
    let mut begins: Vec<u64> =
        timed.preferences.iter().flatten().map(|(from, _)| *from).filter(|from| *from > 0).collect();
    begins.sort_unstable();
    begins.dedup();
    let moved = |(begin, to): (u64, u64)| {
        let mut other = timed.clone();
        other.preferences.iter_mut().flatten().filter(|(from, _)| *from == begin).for_each(|(from, _)| *from = to);
        let is_valid = other.preferences.iter().all(|own| own.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let truth = is_valid.then(|| other.solve(60)).flatten()?;
        Some((other.model(), truth.welfare))
    };
    begins.into_iter().flat_map(|begin| [(begin, begin - 1), (begin, begin + 1)]).filter_map(moved).collect()
}

/// The same certificate with one thing wrong: a segment left out or beside its step, or the welfare of the first state.
fn spoil(text: &str) -> Vec<String> {
    let without_segment = text.replacen("segment\n", "", 1);
    let (head, welfare) = text.split_once("welfare\n").expect("a welfare");
    let (first, rest) = welfare.split_once('\n').expect("a line a state");
    let wrong = match first.split_once(' ').expect("two words") {
        ("exact", _) => "exact 123456789/7".to_owned(),
        _ => "between 0x1p+100 0x1p+101".to_owned(),
    };
    let mut all = vec![format!("{head}welfare\n{wrong}\n{rest}")];
    if without_segment != text {
        all.push(without_segment);
    }
    if let Some((before, after)) = text.split_once("\nsegment\n")
        && let Some((head, step)) = before.rsplit_once("\nlayers ")
        && let Ok(step) = step.parse::<u64>()
    {
        all.extend([step.saturating_sub(1), step + 1].map(|step| format!("{head}\nlayers {step}\nsegment\n{after}")));
    }
    all
}

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn plain(name: &str, discount: &str) -> Principal {
    Principal::new(name, number(discount)).expect("a discount")
}

fn part(coefficient: Rational, discount: &str) -> Part {
    Part { coefficient, discount: number(discount) }
}

/// One with this discount until a step.
fn until(name: &str, discount: &str, step: u64) -> Principal {
    let parts = vec![part(Rational::ONE, discount)];
    Principal::with_segments(name, vec![Segment { from: 0, parts }, Segment { from: step, parts: vec![] }])
        .expect("segments")
}

/// Wear and repair: a machine that pays its owner today and its neighbours tomorrow.
fn machine(principals: Vec<Principal>) -> Mdp {
    let n = principals.len();
    let rewards = |values: &[i64]| values.iter().copied().cycle().take(n).map(Rational::from).collect::<Vec<_>>();
    let half = || Rational::from_quotient(1, 2);
    let mut builder = ModelBuilder::new(principals, ["new", "worn", "broken"]).expect("a model");
    let mut choice = |state: usize, name: &str, pays: &[i64], to: &[(usize, Rational)]| {
        let to = to.iter().map(|(target, p)| ((*target).into(), p.clone()));
        builder.choice(state.into(), name, rewards(pays), to).expect("a choice");
    };
    choice(0, "care", &[3, 4, 2], &[(0, half()), (1, half())]);
    choice(0, "run", &[7, 3, -1], &[(1, half()), (2, half())]);
    choice(1, "repair", &[-2, 1, 3], &[(0, Rational::ONE)]);
    choice(1, "run", &[4, 0, 1], &[(1, half()), (2, half())]);
    choice(2, "rest", &[0, 0, 0], &[(2, Rational::ONE)]);
    choice(2, "rebuild", &[-9, -1, 2], &[(0, Rational::ONE)]);
    builder.finish().expect("a model")
}

/// Whatever is jumped over is what a walk over every layer finds.
#[test]
fn long_terms_of_office_are_jumped_over() {
    let models = [
        machine(vec![until("minister", "9/10", 3_000), plain("people", "4/5")]),
        machine(vec![until("minister", "4/5", 3_000), plain("people", "9/10"), until("deputy", "3/4", 2_000)]),
        machine(vec![until("minister", "9/10", 3_000)]),
        machine(vec![until("minister", "9/10", 3_000), until("deputy", "4/5", 4_000)]),
    ];
    let mut jumps = 0;
    for (index, model) in models.iter().enumerate() {
        let jumped = solve(model, &Options::default());
        let walked = solve(model, &Options { jumps: false, ..Options::default() });
        jumps += jumped.effort().n_jumps;
        assert_eq!((jumped.claim(), walked.claim()), (Claim::Optimal, Claim::Optimal), "model {index}");
        assert_eq!(jumped.strategy(), walked.strategy(), "model {index}");
        assert_eq!(jumped.horizon(), walked.horizon(), "model {index}");
        let strategy = Strategy::Counting(jumped.strategy().clone());
        let exact = evaluate(model, &strategy, &StopSignal::default()).expect("a few thousand steps");
        let doubles = model.to_doubles().expect("ordinary rewards");
        let near =
            certified::evaluate(&doubles, &strategy, 1e-9, &StopSignal::default()).expect("a few thousand steps");
        let bounds = certified::solve(&doubles, 1e-9, &Options::default());
        assert!(bounds.claim().is_within(), "model {index}: {:?}", bounds.claim());
        for state in model.states() {
            assert_eq!(jumped.memory(state), walked.memory(state), "model {index}");
            let right = from_solver(&exact.welfare(state).exact.expect("an exact evaluation"));
            for answer in [&jumped, &walked, &bounds] {
                let enclosure = answer.welfare_enclosure(state);
                assert!(contains(enclosure, &right), "model {index}");
                assert!(enclosure.width() <= 1e-6, "model {index}: {enclosure:?}");
            }
            for p in 0..model.n_principals() {
                let right = from_solver(&exact.payoff(p.into(), state).exact.expect("an exact evaluation"));
                let payoff = jumped.payoff(p.into(), state).enclosure;
                assert!(contains(payoff, &right) && payoff.width() <= 1e-6, "model {index}, principal {p}: {payoff:?}");
                assert!(contains(near.payoffs.payoff(p.into(), state).enclosure, &right), "model {index}, {p}");
            }
        }
    }
    assert!(jumps >= 4, "{jumps} jumps");
}

/// At the last step of the term both choices earn the same, and no power of the rate is short enough to see it in fractions.
/// The best: to leave at once, so that b gets 1 for ever, and a gets it from step 1 to the end of the term.
#[test]
fn a_tie_at_the_end_of_a_long_term_does_not_take_for_ever() {
    let text = "principals: {a: {rate: 3%, until: 200000}, b: {rate: 3%}}
states:
  s: {x: {reward: {a: 1}, to: s}, y: {reward: {b: 1}, to: t}}
  t: {z: {reward: 1, to: t}}";
    let model = Model::from_yaml(text).expect("a model");
    let answer = commonweal::solve(&model, &Options::default());
    // 103/3 for b, 100/3 for a but for what is left of it after 200,000 years.
    let (welfare, expected) = (answer.welfare(model.start()).enclosure, 203.0 / 3.0);
    assert!(welfare.lower() <= expected && expected <= welfare.upper() + 1e-12, "{welfare:?}");
    assert!(welfare.width() < 1e-9, "{:?} {welfare:?}", answer.claim());
}

#[test]
fn a_term_of_a_million_steps_takes_a_few_layers() {
    let model = machine(vec![until("minister", "99/100", 1_000_000), plain("people", "98/100")]);
    let options = Options { keep_proof: true, ..Options::default() };
    let answer = solve(&model, &options);
    assert_eq!(answer.claim(), Claim::Optimal);
    assert!(answer.effort().n_layers < 20_000, "{:?}", answer.effort());
    let doubles = model.to_doubles().expect("ordinary rewards");
    let bounds = certified::solve(&doubles, 1e-9, &options);
    assert!(bounds.claim().is_within(), "{:?}", bounds.claim());
    assert!(bounds.effort().n_layers < 100_000, "{:?}", bounds.effort());
    for state in model.states() {
        let (exact, near) = (answer.welfare_enclosure(state), bounds.welfare_enclosure(state));
        assert!(exact.lower() <= near.upper() && near.lower() <= exact.upper(), "{exact:?} {near:?}");
        assert!(exact.width() < 1e-9, "{exact:?}");
    }
    for answer in [&answer, &bounds] {
        let certificate = Certificate::of_mdp(&model, answer).expect("a proof").to_bytes().expect("a certificate");
        let said = verdict(&model, &certificate);
        assert!(matches!(said, Ok(Verdict::Accepted(_))), "{said:?}\n{}", String::from_utf8_lossy(&certificate));
    }
}

/// The rates of a schedule as segments: step k has the rate of the last entry that is not after it.
fn schedule(name: &str, rates: &[(u64, &str)]) -> Principal {
    let mut counts = Rational::ONE;
    let mut segments: Vec<Segment> = Vec::new();
    for (index, &(from, rate)) in rates.iter().enumerate() {
        let factor = Rational::ONE / (Rational::ONE + number(rate));
        // The segment says what its first step counts for, which has its rate already.
        let first = if index == 0 { Rational::ONE } else { &counts * &factor };
        segments.push(Segment { from, parts: vec![Part { coefficient: first.clone(), discount: factor.clone() }] });
        if let Some((next, _)) = rates.get(index + 1) {
            counts = first * factor.pow((next - 1 - from) as isize);
        }
    }
    Principal::with_segments(name, segments).expect("segments")
}

const GREEN_BOOK: [(u64, &str); 6] =
    [(0, "0.035"), (31, "0.03"), (76, "0.025"), (126, "0.02"), (201, "0.015"), (301, "0.01")];

#[test]
fn the_green_book_counts_what_it_prints() {
    let treasury = schedule("treasury", &GREEN_BOOK);
    for (year, factor) in
        [(1, ".9662"), (30, ".3563"), (31, ".3459"), (50, ".1973"), (75, ".0942"), (125, ".0274"), (300, ".0014")]
    {
        assert_eq!(format!("{:.4}", treasury.step_weight(year).to_f64()), format!("0{factor}"), "year {year}");
    }
}

/// Cost 1, a perpetual yield from the year after on.
fn investment(yields: &str) -> Mdp {
    let mut builder = ModelBuilder::new(vec![schedule("treasury", &GREEN_BOOK)], ["idle", "built"]).expect("a model");
    builder.choice(0.into(), "wait", [Rational::ZERO], [(0.into(), Rational::ONE)]).expect("a choice");
    builder.choice(0.into(), "build", [number("-1")], [(1.into(), Rational::ONE)]).expect("a choice");
    builder.choice(1.into(), "earn", [number(yields)], [(1.into(), Rational::ONE)]).expect("a choice");
    builder.finish().expect("a model")
}

#[test]
fn a_public_investment_waits_for_the_rate_to_fall() {
    for (yields, year) in [("0.032", 30), ("0.028", 75), ("0.022", 125)] {
        let model = investment(yields);
        let answer = solve(&model, &Options::default());
        assert_eq!(answer.claim(), Claim::Optimal);
        let built = (0..400).find(|&step| decision(&model, &answer, 0, step) == 1);
        assert_eq!(built, Some(year), "{yields}");
        if year == 30 {
            assert_eq!(format!("{:.10}", answer.welfare(0.into()).nearest_double()), "0.0574268169");
            let now = CountingStrategy::positional([1.into(), 2.into()]);
            let now = evaluate(&model, &Strategy::Counting(now), &StopSignal::default()).expect("a strategy");
            assert_eq!(format!("{:.10}", now.welfare(0.into()).nearest_double()), "0.0022506807");
        }
        let bounds = certified::solve(&model.to_doubles().expect("ordinary rewards"), 1e-9, &Options::default());
        assert!(bounds.claim().is_within(), "{yields}: {:?}", bounds.claim());
        let exact = from_solver(&answer.welfare(0.into()).exact.expect("a short fraction"));
        assert!(contains(bounds.welfare_enclosure(0.into()), &exact), "{yields}");
    }
}

#[test]
fn a_stopped_solve_encloses_the_optimum() {
    for seed in 0..100 {
        let timed = Timed::random(seed);
        let Some(truth) = timed.solve(100) else { continue };
        if timed.last_segment() == 0 {
            continue;
        }
        let model = timed.model();
        let doubles = model.to_doubles().expect("ordinary rewards");
        let raised = StopSignal::default();
        raised.raise();
        for options in [
            Options { stop: raised.clone(), ..Options::default() },
            Options { limits: Limits::of_layers(1), ..Options::default() },
            Options { limits: Limits::of_layers(4), ..Options::default() },
        ] {
            for answer in [solve(&model, &options), certified::solve(&doubles, 1e-7, &options)] {
                for state in model.states() {
                    let welfare = answer.welfare_enclosure(state);
                    assert!(contains(welfare, &truth.welfare[state.index()]), "seed {seed}: {welfare:?}");
                }
                // What the strategy earns is no less than the lower bound.
                let strategy = Strategy::Counting(answer.strategy().clone());
                let earned = evaluate(&model, &strategy, &StopSignal::default()).expect("a few steps");
                for state in model.states() {
                    let earns = from_solver(&earned.welfare(state).exact.expect("an exact evaluation"));
                    let lower = from_double(answer.welfare_enclosure(state).lower());
                    assert!(lower <= earns, "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn each_principal_s_own_best_is_its_problem_alone() {
    for seed in 0..200 {
        let timed = Timed::random(seed);
        let model = timed.model();
        for p in 0..model.n_principals() {
            let mut alone = timed.clone();
            for (other, who) in alone.plain.principals.iter_mut().enumerate() {
                let direction = if who.weight.is_negative() { -1 } else { 1 };
                who.weight = crate::oracle::q(if other == p { direction } else { 0 }, 1);
            }
            let Some(truth) = alone.solve(200) else { continue };
            let best = own_best(&model, p.into(), &StopSignal::default()).expect("nobody stops it");
            for state in model.states() {
                let said = best.payoffs.value(state.index()).exact.expect("a near horizon");
                assert_eq!(from_solver(&said), truth.payoffs[p][state.index()], "seed {seed}, principal {p}");
            }
        }
    }
}

/// All positional strategies, as one choice per state.
fn all_positional(model: &Mdp) -> Vec<Vec<commonweal::structure::ChoiceId>> {
    model.states().fold(vec![Vec::new()], |all, state| {
        let with = |chosen: &Vec<commonweal::structure::ChoiceId>| {
            let chosen = chosen.clone();
            model.choices(state).map(move |choice| chosen.iter().copied().chain([choice]).collect::<Vec<_>>())
        };
        all.iter().flat_map(with).collect()
    })
}

#[test]
fn the_best_positional_strategy_is_the_best_of_all() {
    let mut n = 0;
    for seed in 0..150 {
        let timed = Timed::random(seed);
        let model = timed.model();
        let all = all_positional(&model);
        if all.len() > 64 || timed.last_segment() == 0 {
            continue;
        }
        let start = model.start();
        let earns = |chosen: &Vec<commonweal::structure::ChoiceId>| {
            let strategy = Strategy::Counting(CountingStrategy::positional(chosen.iter().copied()));
            let payoffs = evaluate(&model, &strategy, &StopSignal::default()).expect("a positional strategy");
            payoffs.welfare(start).exact.expect("an exact evaluation")
        };
        let best = all.iter().map(earns).max().expect("a strategy");
        let found = positional(&model, &SearchOptions::default());
        assert_eq!((found.welfare.exact, found.outcome), (Some(best), SearchOutcome::Optimal), "seed {seed}");
        n += 1;
    }
    assert!(n > 60, "{n} models");
}

#[test]
fn no_mix_exceeds_the_bounds_of_the_best_stationary_strategy() {
    let (mut n, mut within) = (0, 0);
    for seed in 0..200 {
        let timed = Timed::random(seed);
        let model = timed.model();
        if model.n_states() > 2 || model.n_choices() > 5 || timed.last_segment() == 0 || n == 40 {
            continue;
        }
        let options = SearchOptions { gap: Some(number("1/100")), node_limit: 400, ..SearchOptions::default() };
        let found = stationary(&model, &options);
        let lower = found.welfare.exact.clone().expect("an exact evaluation");
        for k in 0..12u64 {
            let mix = model.states().map(|state| {
                let choices: Vec<_> = model.choices(state).collect();
                let weights: Vec<u64> = (0..choices.len() as u64)
                    .map(|c| (seed + 7 * k + 3 * c * (k + 1)) % 5 + u64::from(c == 0))
                    .collect();
                let total: u64 = weights.iter().sum();
                let share = |w: &u64| Rational::from(*w) / Rational::from(total);
                choices.into_iter().zip(weights.iter().map(share)).filter(|(_, share)| !share.is_zero()).collect()
            });
            let strategy = Strategy::Stationary(Stationary::new(&model, mix.collect()));
            let payoffs = evaluate(&model, &strategy, &StopSignal::default()).expect("a mix");
            let earns = payoffs.welfare(model.start()).exact.expect("an exact evaluation");
            assert!(from_solver(&earns) <= from_double(found.upper), "seed {seed}: {earns} above {}", found.upper);
            let near = certified::evaluate(&model.to_doubles().unwrap(), &strategy, 1e-7, &StopSignal::default());
            let near = near.expect("a mix").payoffs.welfare_enclosure(model.start());
            assert!(contains(near, &from_solver(&earns)), "seed {seed}: {near:?}");
        }
        let earned = evaluate(&model, &found.strategy, &StopSignal::default()).expect("a mix").welfare(model.start());
        assert_eq!(earned.exact, Some(lower), "seed {seed}");
        n += 1;
        within += usize::from(matches!(found.outcome, SearchOutcome::WithinGap | SearchOutcome::Optimal));
    }
    assert!(n >= 30 && within * 2 > n, "{within} of {n} within the gap");
}

#[test]
fn simulated_payoffs_are_near_the_exact_ones() {
    for seed in 0..60 {
        let timed = Timed::random(seed);
        let model = timed.model();
        let answer = solve(&model, &Options::default());
        let strategy = Strategy::Counting(answer.strategy().clone());
        let options = SimulateOptions { runs: 200, confidence: 1.0 - 1e-9, seed, ..SimulateOptions::default() };
        let simulation = simulate(&model, &strategy, model.start(), &options);
        let within = |estimate: &commonweal::questions::Estimate, exact: &Rational| {
            let right = from_solver(exact);
            from_double(estimate.lower) <= right && right <= from_double(estimate.upper)
        };
        for (p, estimate) in simulation.payoffs.iter().enumerate() {
            let exact = answer.payoff(p.into(), model.start()).exact.expect("a near horizon");
            assert!(within(estimate, &exact), "seed {seed}, principal {p}: {estimate:?}, {exact}");
        }
        let exact = answer.welfare(model.start()).exact.expect("a near horizon");
        assert!(within(&simulation.welfare, &exact), "seed {seed}: {:?}, {exact}", simulation.welfare);
        // After many steps the picture of who has got what shows the payoffs.
        let got = accrued(&model.to_doubles().expect("ordinary rewards"), answer.strategy(), 400);
        for (p, got) in got.iter().enumerate() {
            let payoff = answer.payoff(p.into(), model.start()).nearest_double();
            let last = got.last().expect("a step");
            assert!((last - payoff).abs() <= 1e-6 * (1.0 + payoff.abs()), "seed {seed}: {last} {payoff}");
        }
    }
}

#[test]
fn other_weights_have_their_own_best() {
    for seed in 0..150u64 {
        let timed = Timed::random(seed);
        let n = timed.plain.principals.len();
        let weights: Vec<i64> = (0..n as u64).map(|p| ((seed / (p + 1)) % 3) as i64).collect();
        if weights.iter().all(|&weight| weight == 0) {
            continue;
        }
        let mut other = timed.clone();
        for (who, &weight) in other.plain.principals.iter_mut().zip(&weights) {
            who.weight = crate::oracle::q(weight, 1);
        }
        let Some(truth) = other.solve(200) else { continue };
        let model = Model::from(timed.model());
        let options = Options::default();
        let set = PayoffSet::new(&model, &options);
        let best = set.best(&weights.iter().map(|&weight| Rational::from(weight)).collect()).expect("nobody stops it");
        assert_eq!(from_solver(&best.most), truth.welfare[0], "seed {seed}");
        let strategy = Strategy::Counting(best.point.strategy.clone());
        let earned = evaluate(&timed.model(), &strategy, &StopSignal::default()).expect("a strategy");
        for (p, payoff) in best.point.payoffs.iter().enumerate() {
            assert_eq!(earned.payoff(p.into(), 0.into()).exact, payoff.exact, "seed {seed}");
        }
    }
}

/// `explain` tells of every segment which deviations pay when, and of every change whose interest it is in.
#[test]
fn every_segment_is_explained() {
    let (mut n_changes, mut n_paying, mut opposed, mut n_last) = (0, 0, 0, 0);
    for seed in 0..300 {
        let timed = Timed::random(seed);
        let model = timed.model();
        let answer = solve(&model, &Options::default());
        if answer.claim() != Claim::Optimal || answer.horizon() > &200u64.into() {
            continue;
        }
        let explained = explain(&model, &answer, 0, usize::MAX, &StopSignal::default()).unwrap();
        let mut begins: Vec<u64> =
            model.principals().iter().flat_map(|own| own.segments()).map(|segment| segment.from).collect();
        begins.sort_unstable();
        begins.dedup();
        let told: Vec<u64> = explained.earlier.iter().rev().map(|own| own.from).collect();
        assert_eq!(told, begins[..begins.len() - 1], "seed {seed}");
        for (segment, until) in explained.earlier.iter().rev().zip(&begins[1..]) {
            assert_eq!(segment.until, *until, "seed {seed}");
            for deviation in segment.deviations.as_ref().expect("they are few") {
                let change = |step: u64| once(&model, &answer, step, deviation.state, deviation.choice);
                let total = |step: u64| change(step).into_iter().fold(Rational::ZERO, |sum, own| sum + own);
                let pays = |step: u64| total(step) > Rational::ZERO;
                let paying: Vec<u64> = (segment.from..segment.until).filter(|step| pays(*step)).collect();
                let expected = paying.first().zip(paying.last()).map(|(first, last)| (*first, last + 1));
                assert_eq!(deviation.pays, expected, "seed {seed}, from {}", segment.from);
                let throughout = paying.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                assert_eq!(deviation.pays_throughout, throughout, "seed {seed}, from {}", segment.from);
                let at = expected.map_or(segment.from, |(first, _)| first);
                for (told, change) in deviation.changes.iter().zip(change(at)) {
                    assert!(contains(*told, &from_solver(&change)), "seed {seed}: {told:?} {change}");
                }
                n_paying += usize::from(expected.is_some());
            }
        }
        n_last += last_segment_is_explained(&model, &answer, &explained, *begins.last().unwrap());
        let told = changes_are_judged(&model, &answer, &explained);
        n_changes += told.len();
        opposed += told.iter().filter(|better| better.contains(&Some(Ordering::Less))).count();
    }
    assert!(n_changes > 300 && n_paying > 100 && opposed > 100, "{n_changes} {n_paying} {opposed}");
    assert!(n_last > 300, "{n_last} deviations in last segments");
}

/// Whether what is told of the last segment is so: values, what one use of a deviation changes, and when it pays. Returns the number of
/// deviations.
fn last_segment_is_explained(model: &Mdp, answer: &Answer, explained: &Explanation, from: u64) -> usize {
    const LOOKED_AT: u64 = 8;
    assert_eq!(explained.at_step, from);
    // Each column is about one principal, also where several share a discount.
    let of_column = |name: &str, of: &[Rational]| {
        let own = model.principals().iter().zip(of).find(|(own, _)| name == own.name);
        own.unwrap_or_else(|| panic!("no principal has the name {name}")).1.clone()
    };
    let tail = |state: StateId| answer.strategy().tail(state);
    for &state in &explained.reached {
        let (earned, _) = arriving(model, answer, from, state, tail(state), tail(state));
        for (name, value) in explained.names.iter().zip(&explained.values[state.index()]) {
            assert_eq!(value.exact, Some(of_column(name, &earned)), "V({name}) in {state:?} as of step {from}");
        }
    }
    for own in &explained.deviations {
        let change = |step: u64| once(model, answer, step, own.state, own.choice);
        let now = change(from);
        for (name, value) in explained.names.iter().zip(&own.advantages) {
            assert_eq!(value.exact, Some(of_column(name, &now)), "Δ({name}) of {own:?} as of step {from}");
        }
        let number = |step: &Step| u64::try_from(step).expect("a near step");
        let settled = number(own.settled_from.as_ref().expect("little work"));
        assert!(settled >= from && own.pays_is_known, "{own:?}");
        for step in from..(from + LOOKED_AT).max(settled.min(from + 2 * LOOKED_AT)) {
            let total = change(step).into_iter().fold(Rational::ZERO, |sum, own| sum + own);
            let pays = total > Rational::ZERO;
            let told = own.pays.as_ref().is_some_and(|(first, end)| (number(first)..number(end)).contains(&step));
            let is_end = own.pays.as_ref().is_some_and(|(first, end)| [number(first), number(end) - 1].contains(&step));
            assert!(!pays || told, "{own:?} pays at step {step}");
            assert!(pays || !told || !(own.pays_throughout || is_end), "{own:?} does not pay at step {step}");
        }
    }
    explained.deviations.len()
}

/// Whether each change is told to be better for those who get more from the start than if the old choice were taken at its step. Returns
/// what is told of the changes that could be compared.
fn changes_are_judged(model: &Mdp, answer: &Answer, explained: &Explanation) -> Vec<Vec<Option<Ordering>>> {
    let mut told = Vec::new();
    let payoffs = |strategy: CountingStrategy| {
        let payoffs = evaluate(model, &Strategy::Counting(strategy), &StopSignal::default()).unwrap();
        let own = |p: usize| payoffs.payoff(p.into(), model.start()).exact.unwrap();
        (0..model.n_principals()).map(own).collect::<Vec<Rational>>()
    };
    let whole = payoffs(answer.strategy().clone());
    for turn in &explained.turns {
        // The same strategy, but for the old choice at this step.
        let at = u64::try_from(&turn.step).unwrap();
        // A state that is met before and after the step, but not at it, tells nothing from the start.
        if !is_met(model, answer.strategy(), turn.state, at) {
            continue;
        }
        let mut changes: Vec<Vec<Change>> =
            model.states().map(|state| answer.strategy().changes(state).to_vec()).collect();
        let own = &mut changes[turn.state.index()];
        own.retain(|change| change.from != turn.step);
        let back = Change { from: (at + 1).into(), choice: answer.strategy().choice(turn.state, &(at + 1).into()) };
        own.retain(|change| change.from != back.from);
        own.push(Change { from: turn.step.clone(), choice: turn.before });
        own.push(back);
        own.sort_by(|a, b| a.from.cmp(&b.from));
        let other = payoffs(CountingStrategy::from_changes(model, changes));
        for (name, better) in explained.judges.iter().zip(&turn.better) {
            let named = model.principals().iter().position(|own| *name == own.name);
            let p = named.unwrap_or_else(|| panic!("no principal has the name {name}"));
            let own = &model.principals()[p];
            let counts = if own.weight.is_zero() { Rational::ONE } else { own.weight.clone() };
            let difference = (&whole[p] - &other[p]) * counts;
            let right = difference.cmp(&Rational::ZERO);
            // Without segments it is told by enclosures, which do not tell that a difference is 0.
            let may_be_open = explained.earlier.is_empty() && right == Ordering::Equal;
            assert!(better.map_or(may_be_open, |better| better == right), "step {at}, {name}: {turn:?}");
        }
        told.push(turn.better.clone());
    }
    told
}

/// Preferences of several discounts and one segment: whose interest a change is in depends on the step. Stated by segments that say the same,
/// they are explained alike.
#[test]
fn changes_by_principals_with_several_discounts_are_judged_as_of_their_step() {
    let (mut n_changes, mut opposed, mut n_same) = (0, 0, 0);
    for seed in 0..600 {
        let mut timed = Timed::random(seed);
        timed.preferences.iter_mut().for_each(|own| own.truncate(1));
        let model = timed.model();
        let answer = solve(&model, &Options::default());
        if answer.claim() != Claim::Optimal || answer.horizon() > &200u64.into() {
            continue;
        }
        let explained = explain(&model, &answer, 0, usize::MAX, &StopSignal::default()).unwrap();
        if seed % 4 == 0 {
            last_segment_is_explained(&model, &answer, &explained, 0);
        }
        let told = changes_are_judged(&model, &answer, &explained);
        n_changes += told.len();
        opposed += told.iter().filter(|better| better.contains(&Some(Ordering::Less))).count();
        // Step 0 by itself, and the parts from step 1 on.
        for own in &mut timed.preferences {
            let parts = own[0].1.clone();
            let now = parts.iter().fold(oracle::q(0, 1), |sum, (c, _)| sum + c);
            own[0].1 = vec![(now, oracle::q(0, 1))];
            own.push((1, parts.into_iter().map(|(c, discount)| (c * &discount, discount)).collect()));
        }
        let stated = timed.model();
        let again = solve(&stated, &Options::default());
        if stated.principals().iter().all(|own| own.parts().is_some()) || again.strategy() != answer.strategy() {
            continue;
        }
        let again = explain(&stated, &again, 0, usize::MAX, &StopSignal::default()).unwrap();
        assert_eq!(again.turns.len(), explained.turns.len(), "seed {seed}");
        for (one, other) in explained.turns.iter().zip(&again.turns) {
            for (name, better) in explained.judges.iter().zip(&one.better) {
                let Some(judge) = again.judges.iter().position(|judge| judge == name) else { continue };
                let is_counted = !stated.principals()[judge].weight.is_zero();
                assert!(!is_counted || better.is_none() || *better == other.better[judge], "seed {seed}: {name}");
                n_same += 1;
            }
        }
    }
    assert!(n_changes > 100 && opposed > 50 && n_same > 100, "{n_changes} {opposed} {n_same}");
}

/// Whether a strategy can be in a state at just this step.
fn is_met(model: &Mdp, strategy: &CountingStrategy, state: StateId, step: u64) -> bool {
    let mut here = vec![false; model.n_states()];
    here[model.start().index()] = true;
    for at in 0..step {
        let mut next = vec![false; model.n_states()];
        for from in model.states().filter(|from| here[from.index()]) {
            model.targets(strategy.choice(from, &at.into())).iter().for_each(|target| next[target.index()] = true);
        }
        here = next;
    }
    here[state.index()]
}

/// What each principal gains, weight included and as of step 0, if a choice is taken once at a step, and the long-term strategy otherwise.
fn once(model: &Mdp, answer: &Answer, step: u64, state: StateId, choice: ChoiceId) -> Vec<Rational> {
    let (with, without) = arriving(model, answer, step, state, choice, answer.strategy().tail(state));
    with.into_iter().zip(without).map(|(with, without)| with - without).collect()
}

/// What each principal gets, weight included and as of step 0, from a run that earns nothing on its way to the state and arrives there at that
/// step: with one choice at first and the long-term strategy afterwards, and with another one.
fn arriving(
    model: &Mdp,
    answer: &Answer,
    step: u64,
    state: StateId,
    choice: ChoiceId,
    other: ChoiceId,
) -> (Vec<Rational>, Vec<Rational>) {
    let n_states = model.n_states();
    let mut builder = ModelBuilder::numbered(model.principals().to_vec(), n_states + step as usize).unwrap();
    for at in model.states() {
        for own in model.choices(at) {
            let row = model.transitions(own).map(|(target, share)| (target, share.clone()));
            builder.choice(at, &model.action_name(own), model.rewards(own).iter().cloned(), row).unwrap();
        }
    }
    for on_the_way in 0..step as usize {
        let next = if on_the_way == 0 { state } else { StateId::from(n_states + on_the_way - 1) };
        let nothing = vec![Rational::ZERO; model.n_principals()];
        builder.choice((n_states + on_the_way).into(), "go", nothing, [(next, Rational::ONE)]).unwrap();
    }
    let longer = builder.finish().unwrap();
    let start = if step == 0 { state } else { StateId::from(n_states + step as usize - 1) };
    let earned = |taken: ChoiceId| {
        let list = |at: StateId| {
            let tail =
                if at.index() < n_states { answer.strategy().tail(at) } else { longer.choices(at).next().unwrap() };
            let mut changes = vec![Change { from: 0u64.into(), choice: tail }];
            if at == state {
                changes.retain(|_| step > 0);
                changes.push(Change { from: step.into(), choice: taken });
                changes.push(Change { from: (step + 1).into(), choice: tail });
            }
            changes
        };
        let strategy = CountingStrategy::from_changes(&longer, longer.states().map(list).collect());
        let payoffs = evaluate(&longer, &Strategy::Counting(strategy), &StopSignal::default()).unwrap();
        let own =
            |(p, principal): (usize, &Principal)| payoffs.payoff(p.into(), start).exact.unwrap() * &principal.weight;
        model.principals().iter().enumerate().map(own).collect::<Vec<Rational>>()
    };
    (earned(choice), earned(other))
}
