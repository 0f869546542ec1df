//! Discounts near 1, and principals whom no choice concerns: stages are jumped over once the chain has mixed what is gained.

use commonweal::internals::certificate::{Certificate, write_canonical};
use commonweal::internals::exact::solve;
use commonweal::internals::families::RandomFamily;
use commonweal::internals::io::read_model;
use commonweal::internals::model::{Mdp, PrincipalId};
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::{Answer, Claim, Options};
use commonweal_check::{Meaning, Verdict, WORK, check};

pub(crate) fn proven(model: &Mdp) -> Answer {
    solve(model, &Options { keep_proof: true, ..Options::default() })
}

/// The canonical form of a model and the certificate of its answer.
pub(crate) fn texts(model: &Mdp, answer: &Answer) -> (String, String) {
    let (mut canonical, mut certificate) = (Vec::new(), Vec::new());
    write_canonical(model, &mut canonical).expect("memory takes every byte");
    Certificate::of_mdp(model, answer).expect("kept").write(&mut certificate).expect("memory takes every byte");
    (String::from_utf8(canonical).expect("ASCII"), String::from_utf8(certificate).expect("ASCII"))
}

pub(crate) fn verdict(model: &Mdp, answer: &Answer) -> Verdict {
    let (canonical, certificate) = texts(model, answer);
    check(canonical.as_bytes(), certificate.as_bytes(), WORK).expect("a certificate can be read")
}

/// λ_0^m alone would take 40 million layers to become small.
#[test]
fn a_chain_that_mixes_is_jumped_over_however_patient_the_principals_are() {
    let text = "principals: {p: 0.999999, q: 0.999998}\nstates:\n  \
        s: {a: {reward: {p: 1, q: 0}, to: {s: 1/2, t: 1/2}}, b: {reward: {p: 0, q: 3}, to: {t: 1/2, u: 1/2}}}\n  \
        t: {a: {reward: {p: 2, q: 1}, to: {s: 1/3, u: 2/3}}, b: {reward: {p: 1, q: 4}, to: s}}\n  \
        u: {a: {reward: {p: 0, q: 1}, to: {s: 1/4, t: 1/4, u: 1/2}}}\n";
    let model = read_model(text).expect("a model");
    let answer = proven(&model);
    assert_eq!(answer.claim(), Claim::Optimal);
    assert!(answer.effort().n_layers < 2_000, "{:?}", answer.effort());
    assert_eq!(verdict(&model, &answer), Verdict::Accepted(Meaning::Optimal));
    for principal in [0, 1].map(PrincipalId::from) {
        let payoff = answer.payoff(principal, 0.into()).enclosure;
        assert!(payoff.width() < 1e-6 * payoff.upper(), "{payoff:?}");
    }
}

/// The choice is between p1 and p2. It changes where 8000 λ_2^t falls below λ_1^t, and p0 has no part in it.
#[test]
fn a_patient_principal_whom_no_choice_concerns_costs_nothing() {
    let text = |p0: &str| {
        format!(
            "principals: {{{p0}p1: 0.4, p2: 0.399999999}}\nstates:\n  \
             s: {{a0: {{reward: {{p2: 8000}}, to: t}}, a1: {{reward: {{p1: 1}}, to: t}}}}\n  t: {{b: {{{}to: s}}}}\n",
            if p0.is_empty() { "" } else { "reward: {p0: 1}, " }
        )
    };
    let [with, without] = ["p0: 1/2, ", ""].map(|p0| read_model(&text(p0)).expect("a model"));
    let (answer, impatient) = (proven(&with), solve(&without, &Options::default()));
    assert_eq!(answer.strategy(), impatient.strategy());
    assert!(answer.effort().n_layers < 2_000, "{:?}", answer.effort());
    assert_eq!(verdict(&with, &answer), Verdict::Accepted(Meaning::Optimal));
    // p0 gets 1 in every other step, from the second on: λ/(1 − λ²) = 2/3.
    let third = parse_rational("2/3").expect("a number");
    let payoff = answer.payoff(0.into(), 0.into());
    let near = payoff.enclosure.lower() <= third.to_f64() && third.to_f64() <= payoff.enclosure.upper();
    assert!(payoff.exact.map_or(near, |exact| exact == third));
}

/// 60 random models with discounts from 0.99 to 0.999, mixing, periodic and absorbing, against a walk over every step.
#[test]
fn jumps_at_high_patience_land_where_a_walk_over_every_step_arrives() {
    let mut n_early = 0;
    for seed in 0..60u64 {
        let discounts = [["0.99", "0.98"], ["0.995", "0.993"], ["0.999", "0.9985"]][seed as usize % 3];
        let family = RandomFamily {
            n_states: 2 + seed as usize % 4,
            n_actions: 2,
            n_successors: 1 + (seed as usize / 3) % 3,
            discounts: discounts.iter().map(|text| parse_rational(text).expect("a number")).collect::<Vec<Rational>>(),
            max_denominator: 6,
            max_reward: 9,
            seed,
        };
        let model = family.model().expect("a model");
        let jumping = proven(&model);
        let walking = solve(&model, &Options { jumps: false, ..Options::default() });
        assert_eq!(jumping.claim(), walking.claim(), "seed {seed}");
        assert_eq!(jumping.horizon(), walking.horizon(), "seed {seed}");
        assert_eq!(jumping.strategy(), walking.strategy(), "seed {seed}");
        for state in model.states() {
            assert_eq!(jumping.memory(state), walking.memory(state), "seed {seed}");
            let meet = |one: commonweal::numbers::Enclosure, other: commonweal::numbers::Enclosure| {
                one.lower() <= other.upper()
                    && other.lower() <= one.upper()
                    && one.width() <= 1e-6 * one.upper().abs().max(1.0)
            };
            let (one, other) = (jumping.welfare_enclosure(state), walking.welfare_enclosure(state));
            assert!(meet(one, other), "seed {seed}: {one:?} and {other:?}");
            for principal in [0, 1].map(PrincipalId::from) {
                let (one, other) = (jumping.payoff(principal, state), walking.payoff(principal, state));
                assert!(meet(one.enclosure, other.enclosure), "seed {seed}: {one:?} and {other:?}");
            }
        }
        let said = verdict(&model, &jumping);
        assert!(matches!(said, Verdict::Accepted(_)), "seed {seed}: {said}");
        n_early +=
            usize::from(jumping.effort().n_jumps > 0 && 2 * jumping.effort().n_layers < walking.effort().n_layers);
    }
    assert!(n_early > 10, "only {n_early} models were jumped over early");
}
