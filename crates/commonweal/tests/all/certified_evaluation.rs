//! Certified payoffs of random strategies, held against the exact ones.

use crate::oracle::random::{self, Rng};
use commonweal::Claim;
use commonweal::internals::certified;
use commonweal::internals::evaluation::{Payoffs, evaluate};
use commonweal::internals::model::{ChoiceId, Mdp, PrincipalId};
use commonweal::internals::number::{Enclosure, Rational, parse_rational};
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::internals::strategy::{Change, CountingStrategy, Stationary, Step, Strategy};

const GAP: f64 = 1e-9;

/// A random model in which some discounts are near 1 or equal to others.
fn model(seed: u64, rng: &mut Rng) -> Mdp {
    let mut model = random::model(seed).model();
    for p in (0..model.n_principals()).map(PrincipalId::from) {
        let discount = match rng.index(8) {
            0 => "0.999999",
            1 => "0.99999999",
            2 => "0",
            3 => "2/3",
            _ => continue,
        };
        model = model.with_discount(p, parse_rational(discount).unwrap()).unwrap();
    }
    model
}

fn any_choice(model: &Mdp, state: usize, rng: &mut Rng) -> ChoiceId {
    let choices: Vec<ChoiceId> = model.choices(state.into()).collect();
    rng.pick(&choices)
}

/// Choices that change at steps below `latest`.
fn counting(model: &Mdp, latest: i64, rng: &mut Rng) -> CountingStrategy {
    let of_state = |state: usize| {
        let mut steps: Vec<i64> = (0..rng.index(4)).map(|_| rng.within(1, latest)).collect();
        steps.sort_unstable();
        steps.dedup();
        let steps: Vec<i64> = std::iter::once(0).chain(steps).collect();
        let change = |&step: &i64| Change { from: Step::from(step as u64), choice: any_choice(model, state, rng) };
        steps.iter().map(change).collect()
    };
    CountingStrategy::from_changes(model, (0..model.n_states()).map(of_state).collect())
}

fn mixed(model: &Mdp, rng: &mut Rng) -> Stationary {
    let of_state = |state: usize| {
        let shares: Vec<i64> = model.choices(state.into()).map(|_| rng.within(0, 6)).collect();
        let total: i64 = shares.iter().sum();
        match total {
            0 => vec![(any_choice(model, state, rng), Rational::ONE)],
            _ => {
                let share = |&part: &i64| Rational::from_quotient(part, total as u64);
                let parts = model.choices(state.into()).zip(shares.iter().map(share));
                parts.filter(|(_, share)| !share.is_zero()).collect()
            }
        }
    };
    Stationary::new(model, (0..model.n_states()).map(of_state).collect())
}

/// What no payoff of a principal, and no advantage over payoffs, exceeds.
fn most(model: &Mdp, p: PrincipalId) -> f64 {
    let rewards = (0..model.n_choices()).map(|choice| model.rewards(choice.into())[p.index()].to_f64().abs());
    let lifetime = Rational::ONE / (Rational::ONE - model.principals()[p.index()].patience());
    2.0 * rewards.fold(0.0, f64::max) * lifetime.to_f64()
}

fn assert_inside(exact: Enclosure, bounds: Enclosure, what: &str) {
    // The tightest doubles around the exact number lie between the bounds if and only if the number does.
    assert!(bounds.lower() <= exact.lower() && exact.upper() <= bounds.upper(), "{what}: {exact:?} not in {bounds:?}");
}

/// Holds certified payoffs against the exact ones. Returns whether they are as near as asked.
fn judge(model: &Mdp, strategy: &Strategy, exact: &Payoffs, what: &str) -> bool {
    let Ok(doubles) = model.to_doubles() else { return false };
    let evaluation = certified::evaluate(&doubles, strategy, GAP, &StopSignal::default()).expect("nobody stops it");
    for state in model.states() {
        let welfare = evaluation.payoffs.welfare(state).enclosure;
        assert_inside(exact.welfare(state).enclosure, welfare, what);
        let is_narrow = welfare.width() <= (GAP * evaluation.scale).max(1e-300);
        assert!(is_narrow || !evaluation.claim.is_within(), "{what}: {welfare:?} is called near enough");
        for p in (0..model.n_principals()).map(PrincipalId::from) {
            let bounds = evaluation.payoffs.payoff(p, state).enclosure;
            assert_inside(exact.payoff(p, state).enclosure, bounds, what);
            // If the scale is 0, a negligible width is enough.
            let is_narrow = bounds.width() <= (GAP * most(model, p)).max(1e-300);
            assert!(is_narrow || !evaluation.claim.is_within(), "{what}: {bounds:?} is called near enough");
        }
    }
    evaluation.claim.is_within()
}

#[test]
fn the_exact_payoffs_of_random_strategies_lie_inside() {
    // Rounding alone leaves about 10^-15/(1 − λ) of a payoff open where a chain keeps apart what it began with: next to a
    // discount of 1 an interval is true, but need not be as narrow as asked.
    let mut within = 0;
    for seed in 0..1000 {
        let rng = &mut Rng::new(seed);
        let model = model(seed, rng);
        let strategy = match rng.index(4) {
            0 => Strategy::Stationary(mixed(&model, rng)),
            1 => Strategy::Counting(counting(&model, 300, rng)),
            _ => Strategy::Counting(counting(&model, 12, rng)),
        };
        let exact = evaluate(&model, &strategy, &StopSignal::default()).expect("few steps");
        within += usize::from(judge(&model, &strategy, &exact, &format!("seed {seed}")));
    }
    assert!(within >= 750, "only {within} of 1000 were as near as asked");
}

#[test]
fn numbers_at_the_ends_of_the_doubles_never_make_an_interval_false() {
    for seed in 0..500 {
        let rng = &mut Rng::new(seed);
        let model = random::extreme(seed).model();
        let strategy = if rng.chance(2) {
            Strategy::Stationary(mixed(&model, rng))
        } else {
            Strategy::Counting(counting(&model, 9, rng))
        };
        let exact = evaluate(&model, &strategy, &StopSignal::default()).expect("few steps");
        judge(&model, &strategy, &exact, &format!("seed {seed}"));
    }
}

/// Two states, one of which pays and one of which does not.
fn two_rooms(discount: &str) -> Mdp {
    let text = format!(
        "principals: {{p: {discount}}}\nstates: {{s: {{a: {{reward: 1, to: s}}, b: {{to: t}}}}, t: {{c: {{reward: -1, to: t}}}}}}"
    );
    commonweal::internals::io::read_model(&text).unwrap()
}

fn first_until(model: &Mdp, step: Step) -> Strategy {
    let late = vec![Change { from: Step::ZERO, choice: 0.into() }, Change { from: step, choice: 1.into() }];
    let other = vec![Change { from: Step::ZERO, choice: 2.into() }];
    Strategy::Counting(CountingStrategy::from_changes(model, vec![late, other]))
}

#[test]
fn a_change_that_matters_to_nobody_costs_nothing() {
    for (step, discount) in [("1000000000", "0.99"), ("100000000000000000000000000000", "0.9999")] {
        let model = two_rooms(discount);
        let strategy = first_until(&model, step.parse().unwrap());
        let doubles = model.to_doubles().unwrap();
        let found = certified::evaluate(&doubles, &strategy, GAP, &StopSignal::default()).unwrap();
        assert!(found.claim.is_within());
        // What comes after that many steps is worth less than 1e-300: the payoff is 1/(1 − λ), but for that.
        let bounds = found.payoffs.payoff(0.into(), 0.into()).enclosure;
        let forever = 1.0 / (1.0 - discount.parse::<f64>().unwrap());
        assert!(bounds.lower() <= forever && forever <= bounds.upper(), "{bounds:?}");
        assert!(bounds.width() <= 2.0 * GAP * forever, "{bounds:?}");
    }
}

#[test]
fn a_change_that_matters_and_is_too_late_gives_wide_bounds_that_hold() {
    // At step 2·10^7, with 1/(1 − λ) = 10^7: a part of e^-2 is still to come.
    let model = two_rooms("0.9999999");
    let strategy = first_until(&model, Step::from(20_000_000u64));
    let doubles = model.to_doubles().unwrap();
    let found = certified::evaluate(&doubles, &strategy, GAP, &StopSignal::default()).unwrap();
    assert_eq!(found.claim, Claim::Stopped(StopReason::LayerLimit));
    // (1 − λ^k − λ^(k+1)) / (1 − λ) with λ^k = e^(k ln λ).
    let left = (20_000_000.0 * 0.9999999f64.ln()).exp();
    let about = (1.0 - 2.0 * left) * 1e7;
    let bounds = found.payoffs.payoff(0.into(), 0.into()).enclosure;
    assert!(bounds.lower() < about - 10.0 && about + 10.0 < bounds.upper(), "{about} in {bounds:?}");
    // Exactly the bounds from the rewards.
    assert!(bounds.lower() >= -1.0001e7 && bounds.upper() <= 1.0001e7, "{bounds:?}");
}

#[test]
fn rewards_that_cancel_in_a_mix_are_still_off_by_as_much_as_before() {
    // In fractions the mix pays 1/3 − 1/10 a step and 1e15 cancels; the doubles of the two rewards differ by something else.
    let text = "principals: {p: 1/2}\nstates: {s: {a: {reward: 3000000000000001/3, to: s}, b: {reward: -10000000000000001/10, to: s}}}";
    let model = commonweal::internals::io::read_model(text).unwrap();
    let half = || Rational::from_quotient(1, 2);
    let mix = Stationary::new(&model, vec![vec![(0.into(), half()), (1.into(), half())]]);
    let strategy = Strategy::Stationary(mix);
    let exact = evaluate(&model, &strategy, &StopSignal::default()).unwrap();
    assert!(!judge(&model, &strategy, &exact, "a mix that cancels"), "doubles cannot know it as near as asked");
}

#[test]
fn a_stop_is_obeyed() {
    let model = two_rooms("0.9");
    let stop = StopSignal::default();
    stop.raise();
    let strategy = first_until(&model, Step::from(5u8));
    let stopped = certified::evaluate(&model.to_doubles().unwrap(), &strategy, GAP, &stop);
    assert!(stopped.is_err());
}
