//! Principals whose time preference has several parts, and principals who are reported but not counted.
//!
//! | models | compared with |
//! |---|---|
//! | 300, every principal of one to three parts, shared discounts, weights of either sign and 0 | the model in which every part is a principal of its own: welfare, decisions and payoffs, in fractions |
//! | the same, certified to 1e-7 | the exact welfare and payoffs |
//! | the same strategies, evaluated and simulated | the payoffs of the solve |
//! | 100 of them, stopped at once or after one layer by either engine | the optimum, and the exact payoffs of the strategy that the answer has |
//! | two parts so close that payoffs are enclosed, not exact | the exact payoffs of the same strategy |
//! | 100 of them, exact and certified, with their certificates | the separate checker |

use commonweal::internals::certificate::{Certificate, write_canonical};
use commonweal::internals::certified;
use commonweal::internals::evaluation::{SimulateOptions, evaluate, simulate};
use commonweal::internals::exact::{own_best, solve};
use commonweal::internals::families::{RandomFamily, Seeded, spaced};
use commonweal::internals::model::{Mdp, ModelBuilder};
use commonweal::internals::number::{Enclosure, ModelNumber};
use commonweal::limits::Limits;
use commonweal::preferences::Part;
use commonweal::structure::Principal;
use commonweal::{Answer, Claim, Options, Rational, StopSignal, Strategy};
use commonweal_check::{Verdict, WORK, check};

fn fraction(numerator: i64, denominator: u64) -> Rational {
    Rational::from_quotient(numerator, denominator)
}

/// The same states and choices with these principals, each with the rewards of one of the model's own.
fn with_principals(model: &Mdp, principals: Vec<(Principal, usize)>) -> Mdp {
    let columns: Vec<usize> = principals.iter().map(|&(_, column)| column).collect();
    let names: Vec<String> = model.states().map(|state| model.state_name(state).into_owned()).collect();
    let principals = principals.into_iter().map(|(principal, _)| principal).collect();
    let mut builder = ModelBuilder::new(principals, names.iter().map(String::as_str)).expect("distinct names");
    for state in model.states() {
        for choice in model.choices(state) {
            let rewards = columns.iter().map(|&column| model.rewards(choice)[column].clone());
            let row = model.transitions(choice).map(|(target, probability)| (target, probability.clone()));
            builder.choice(state, &model.action_name(choice), rewards, row).expect("a valid row");
        }
    }
    builder.finish().expect("a valid model")
}

/// A model whose principals have several parts, and the one in which every part is a principal.
struct Pair {
    mixed: Mdp,
    split: Mdp,
    /// Per principal of `mixed`, its parts: which principal of `split`, and its coefficient.
    parts: Vec<Vec<(usize, Rational)>>,
}

fn pair(seed: u64) -> Pair {
    let discounts = [(9, 10), (3, 4), (2, 3), (1, 2), (1, 3), (0, 1)].map(|(n, d)| fraction(n, d));
    let coefficients = [(1, 1), (7, 10), (3, 10), (-1, 2), (2, 1)].map(|(n, d)| fraction(n, d));
    let weights = [(1, 1), (1, 1), (2, 1), (-1, 1), (0, 1)].map(|(n, d)| fraction(n, d));
    let n_principals = 2 + seed as usize % 2;
    let family = RandomFamily {
        n_states: 4,
        n_actions: 2,
        n_successors: 2,
        discounts: vec![Rational::ZERO; n_principals],
        max_denominator: 4,
        max_reward: 5,
        seed,
    };
    let model = family.model().expect("a valid family");
    let mut random = Seeded::new(seed + 1_000_000);
    let (mut mixed, mut split, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for p in 0..n_principals {
        let drawn = random.distinct(1 + random.clone().below(3), discounts.len() as u64);
        let own: Vec<Part> = drawn
            .into_iter()
            .map(|index| Part {
                coefficient: coefficients[random.below(coefficients.len() as u64) as usize].clone(),
                discount: discounts[index as usize].clone(),
            })
            .collect();
        let weight = weights[random.below(weights.len() as u64) as usize].clone();
        let mut of_principal = Vec::new();
        for (k, part) in own.iter().enumerate() {
            let alone = Principal::new(format!("p{p}-{k}"), part.discount.clone()).expect("a discount");
            of_principal.push((split.len(), part.coefficient.clone()));
            split.push((alone.weighted(&weight * &part.coefficient), p));
        }
        parts.push(of_principal);
        mixed.push((Principal::with_parts(format!("p{p}"), own).expect("parts").weighted(weight), p));
    }
    Pair { mixed: with_principals(&model, mixed), split: with_principals(&model, split), parts }
}

fn contains(enclosure: Enclosure, exact: &Rational) -> bool {
    let end = |double: f64| double.to_exact().expect("a finite bound");
    end(enclosure.lower()) <= *exact && *exact <= end(enclosure.upper())
}

fn sum(terms: impl Iterator<Item = Rational>) -> Rational {
    terms.fold(Rational::ZERO, |sum, term| sum + term)
}

#[test]
fn parts_are_principals_of_their_own_for_the_welfare_and_add_up_to_payoffs() {
    let options = Options::default();
    let mut several = 0;
    for seed in 0..300 {
        let Pair { mixed, split, parts } = pair(seed);
        let (ours, theirs) = (solve(&mixed, &options), solve(&split, &options));
        assert_eq!((ours.claim(), theirs.claim()), (Claim::Optimal, Claim::Optimal), "seed {seed}");
        assert_eq!(ours.strategy(), theirs.strategy(), "seed {seed}");
        several += usize::from(parts.iter().any(|own| own.len() > 1));
        let doubles = mixed.to_doubles().expect("ordinary rewards");
        let certified = certified::solve(&doubles, 1e-7, &options);
        assert!(certified.claim().is_within(), "seed {seed}: {:?}", certified.claim());
        let strategy = Strategy::Counting(ours.strategy().clone());
        let evaluated = evaluate(&mixed, &strategy, &StopSignal::default()).expect("a short horizon");
        let near = certified::evaluate(&doubles, &strategy, 1e-7, &StopSignal::default()).expect("a short horizon");
        for state in mixed.states() {
            let exact = ours.welfare(state).exact.expect("an exact answer");
            assert_eq!(Some(&exact), theirs.welfare(state).exact.as_ref(), "seed {seed}");
            assert!(contains(certified.welfare_enclosure(state), &exact), "seed {seed}");
            for (p, own) in parts.iter().enumerate() {
                let part = |(q, coefficient): &(usize, Rational)| {
                    theirs.payoff((*q).into(), state).exact.expect("an exact answer") * coefficient
                };
                let payoff = sum(own.iter().map(part));
                assert_eq!(ours.payoff(p.into(), state).exact, Some(payoff.clone()), "seed {seed}, principal {p}");
                assert_eq!(evaluated.payoff(p.into(), state).exact, Some(payoff.clone()), "seed {seed}");
                assert!(contains(near.payoffs.payoff(p.into(), state).enclosure, &payoff), "seed {seed}");
                // Ties are decided alike, unless doubles cannot tell: then another strategy earns as much.
                if certified.strategy() == ours.strategy() {
                    assert!(contains(certified.payoff(p.into(), state).enclosure, &payoff), "seed {seed}");
                }
            }
        }
    }
    assert!(several > 200, "{several} models have a principal with several parts");
}

#[test]
fn a_principal_of_weight_0_changes_nothing_and_is_reported() {
    for seed in 0..100 {
        let Pair { mixed, .. } = pair(seed);
        let counted: Vec<(Principal, usize)> = mixed.principals().iter().cloned().zip(0..).collect();
        let bystander = Principal::new("bystander", fraction(4, 5)).expect("a discount").weighted(Rational::ZERO);
        let mut all = counted.clone();
        all.push((bystander, 0));
        let (with, without) = (with_principals(&mixed, all), with_principals(&mixed, counted));
        let (a, b) = (solve(&with, &Options::default()), solve(&without, &Options::default()));
        assert_eq!((a.strategy(), a.horizon()), (b.strategy(), b.horizon()), "seed {seed}");
        let payoffs = evaluate(&with, &Strategy::Counting(a.strategy().clone()), &StopSignal::default());
        let payoffs = payoffs.expect("a short horizon");
        let last = (with.n_principals() - 1).into();
        for state in with.states() {
            assert_eq!(a.welfare(state), b.welfare(state), "seed {seed}");
            assert_eq!(a.payoff(last, state), payoffs.payoff(last, state), "seed {seed}");
        }
    }
}

#[test]
fn the_best_for_one_principal_with_several_parts_is_the_solve_of_its_own_model() {
    for seed in 0..60 {
        let Pair { mixed, split, parts } = pair(seed);
        for (p, own) in parts.iter().enumerate() {
            // The most, or the least of a principal who counts against the welfare.
            let direction = mixed.principals()[p].direction();
            let part = |(q, coefficient): &(usize, Rational)| {
                (split.principals()[*q].clone().weighted(coefficient * &direction), *q)
            };
            let alone = solve(&with_principals(&split, own.iter().map(part).collect()), &Options::default());
            let best = own_best(&mixed, p.into(), &StopSignal::default()).expect("nothing stops it");
            for state in mixed.states() {
                let welfare = alone.welfare(state);
                let expected = if direction.is_one() { welfare } else { welfare.negated() };
                assert_eq!(best.payoffs.value(state.index()), expected, "seed {seed}, principal {p}");
            }
        }
    }
}

#[test]
fn runs_count_every_part() {
    let options = SimulateOptions { runs: 400, confidence: 0.999_999, ..SimulateOptions::default() };
    for seed in 0..40 {
        let Pair { mixed, .. } = pair(seed);
        let answer = solve(&mixed, &Options::default());
        let strategy = Strategy::Counting(answer.strategy().clone());
        let start = mixed.start();
        let played = simulate(&mixed, &strategy, start, &options);
        for (p, estimate) in played.payoffs.iter().enumerate() {
            let exact = answer.payoff(p.into(), start).exact.expect("an exact answer").to_f64();
            assert!(estimate.lower <= exact && exact <= estimate.upper, "seed {seed}: {exact}, {estimate:?}");
        }
    }
}

/// What an answer says encloses what its own strategy earns, and its upper welfare is at least the optimum.
fn bounds_hold(model: &Mdp, answer: &Answer, best: &Answer, what: &str) {
    let strategy = Strategy::Counting(answer.strategy().clone());
    let own = evaluate(model, &strategy, &StopSignal::default()).expect("a short horizon");
    for state in model.states() {
        let (bounds, optimum) = (answer.welfare_enclosure(state), best.welfare(state).exact.expect("an exact answer"));
        let earned = own.welfare(state).exact.expect("exact");
        let end = |double: f64| double.to_exact();
        assert!(end(bounds.lower()).is_none_or(|lower| lower <= earned), "{what}: {bounds:?} earns {earned}");
        assert!(end(bounds.upper()).is_none_or(|upper| upper >= optimum), "{what}: {bounds:?} below {optimum}");
        for p in 0..model.n_principals() {
            let payoff = own.payoff(p.into(), state).exact.expect("exact");
            let said = answer.payoff(p.into(), state).enclosure;
            assert!(contains(said, &payoff), "{what}, principal {p}: {said:?} is not {payoff}");
        }
    }
}

#[test]
fn stopped_answers_count_every_part_in_the_range_of_the_rewards() {
    let mut n_stopped = 0;
    for seed in 0..100 {
        let Pair { mixed, .. } = pair(seed);
        let best = solve(&mixed, &Options::default());
        let doubles = mixed.to_doubles().expect("ordinary rewards");
        let stop = StopSignal::default();
        stop.raise();
        let at_once = Options { stop, ..Options::default() };
        let after_one = Options { limits: Limits { layers: 1, events: 0 }, ..Options::default() };
        for options in [at_once, after_one] {
            for answer in [solve(&mixed, &options), certified::solve(&doubles, 1e-7, &options)] {
                n_stopped += usize::from(matches!(answer.claim(), Claim::Stopped(_)));
                bounds_hold(&mixed, &answer, &best, &format!("seed {seed}, {:?}", answer.claim()));
            }
        }
    }
    assert!(n_stopped > 250, "{n_stopped} answers were stopped");
}

/// Alice counts 2 · λ^j + 1/10 · 4^-j and Bob 2 · μ^j − 1/10 · 4^-j, with λ and μ so close that they wait for long.
#[test]
fn enclosed_payoffs_add_up_the_parts_at_long_horizons() {
    let n: i64 = 45;
    let mut n_enclosed = 0;
    let (patient, impatient) = (fraction(n, 2 * n as u64 - 1), fraction(n + 1, 2 * n as u64 + 1));
    let part =
        |(n, d): (i64, u64), discount: &Rational| Part { coefficient: fraction(n, d), discount: discount.clone() };
    let alice = vec![part((2, 1), &patient), part((1, 10), &fraction(1, 4))];
    let bob = vec![part((2, 1), &impatient), part((-1, 10), &fraction(1, 4))];
    let principals =
        vec![Principal::with_parts("alice", alice).expect("parts"), Principal::with_parts("bob", bob).expect("parts")];
    let model = spaced(&fraction(n, 1)).expect("a model");
    assert_eq!(model.n_principals(), 2);
    let model = with_principals(&model, principals.into_iter().zip(0..).collect());
    let answer = solve(&model, &Options::default());
    assert_eq!(answer.claim(), Claim::Optimal);
    let strategy = Strategy::Counting(answer.strategy().clone());
    let exact = evaluate(&model, &strategy, &StopSignal::default()).expect("a horizon that can be walked");
    for state in model.states() {
        for p in 0..2 {
            let payoff = exact.payoff(p.into(), state).exact.expect("exact");
            let said = answer.payoff(p.into(), state);
            n_enclosed += usize::from(said.exact.is_none());
            assert!(contains(said.enclosure, &payoff), "principal {p}: {said} is not {}", payoff.to_f64());
        }
    }
    assert!(n_enclosed > 0, "some payoffs are known between bounds only");
}

#[test]
fn certificates_of_models_with_parts_and_weights_of_0_are_accepted() {
    for seed in 0..100 {
        let Pair { mixed, .. } = pair(seed);
        let mut canonical = Vec::new();
        write_canonical(&mixed, &mut canonical).expect("memory takes every byte");
        let options = Options { keep_proof: true, ..Options::default() };
        let doubles = mixed.to_doubles().expect("ordinary rewards");
        for answer in [solve(&mixed, &options), certified::solve(&doubles, 1e-7, &options)] {
            let text = Certificate::of_mdp(&mixed, &answer).expect("kept").to_bytes().expect("memory");
            let verdict = check(&canonical, text.as_slice(), WORK);
            assert!(matches!(verdict, Ok(Verdict::Accepted(_))), "seed {seed}: {verdict:?}");
        }
    }
}
