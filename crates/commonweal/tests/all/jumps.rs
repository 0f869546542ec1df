//! Tests of the jumps: stages without changes are skipped, and no change may be missed.
//!
//! Random models with 2 to 6 principals, many of which take up an action again, 5,170 in all:
//!
//! | Models | discounts | against |
//! |---|---|---|
//! | 2,600 | small, events within 150 steps | a walk over every step in fixed point ([`Fixed`]) |
//! | 800 | as close as 0.5 and 0.49, events within 280 steps | the same |
//! | 50 | as close as 0.9 and 0.8999, events within 2,200 steps | the same |
//! | 1,000, 500 and 20 | the same three | the engine without jumps: every fraction and every step |
//! | 200 | as close as 0.5 and 0.49 | the paper's algorithm in fractions ([`Reference`]) |

use crate::oracle;
use crate::oracle::plain::{Choice, Who, approximately, from_double, from_solver, to_solver};
use crate::oracle::random::name;
use crate::oracle::{Fixed, Plain, Q, Reference, on_models, q, stages, verdict};
use crate::patience::{proven, verdict as checked};
use commonweal::internals::exact::solve;
use commonweal::internals::families::{parametric, spaced};
use commonweal::internals::model::{Mdp, StateId};
use commonweal::internals::number::{Enclosure, Value};
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::internals::strategy::Step;
use commonweal::limits::Limits;
use commonweal::{Answer, Claim, Options};
use commonweal_check::{Meaning, Verdict};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::time::Duration;

fn step(text: &str) -> Step {
    text.parse().expect("a step")
}

fn big(step: &Step) -> BigInt {
    BigInt::from_bytes_le(num_bigint::Sign::Plus, &step.to_le_bytes())
}

fn jumping(plain: &Plain) -> Answer {
    solve(&plain.model(), &Options::default())
}

fn walking(plain: &Plain) -> Answer {
    solve(&plain.model(), &Options { jumps: false, ..Options::default() })
}

/// Per state, from which step on which choice, as a position within the state.
fn changes(plain: &Plain, solution: &Answer) -> Vec<Vec<(Step, usize)>> {
    let of_state = |state: usize| {
        let changes = solution.strategy().changes(StateId::from(state)).iter();
        changes.map(|change| (change.from.clone(), change.choice.index() - plain.first_choice(state))).collect()
    };
    (0..plain.states.len()).map(of_state).collect()
}

/// The figure holds `right`, which is known up to `error`; a figure that claims to be exact is within the error.
fn holds(value: &Value, right: &Q, error: &Q, what: &str) -> Result<(), String> {
    let (lower, upper) = (from_double(value.enclosure.lower()), from_double(value.enclosure.upper()));
    if lower > right + error || upper < right - error {
        return Err(format!("{what} is {}, not in {:?}", approximately(right), value.enclosure));
    }
    match &value.exact {
        Some(exact) if (from_solver(exact) - right).abs() > *error => {
            Err(format!("{what} is {}, not {}", approximately(right), approximately(&from_solver(exact))))
        }
        _ => Ok(()),
    }
}

/// The enclosure is as narrow as a part in 10^9.
fn is_narrow(enclosure: &Enclosure) -> bool {
    enclosure.width() <= 1e-9 * enclosure.midpoint().abs().max(1.0)
}

/// The answer says of horizon, decisions at every step, memory, welfare and payoffs what a walk over every step finds.
fn agrees_with_fixed(plain: &Plain, solution: &Answer, fixed: &Fixed) -> Result<(), String> {
    match solution.claim() {
        Claim::Optimal => {}
        Claim::Undecided(_) if fixed.ties > 0 => {}
        outcome => return Err(format!("{outcome:?} with {} ties", fixed.ties)),
    }
    if *solution.horizon() != Step::from(fixed.horizon) {
        return Err(format!("horizon {}, not {}", solution.horizon(), fixed.horizon));
    }
    let undecided = solution.claim() != Claim::Optimal;
    for (state, said) in changes(plain, solution).iter().enumerate() {
        let right = fixed.changes[state].iter().map(|&(from, choice)| (Step::from(from), choice));
        let right: Vec<(Step, usize)> = right.collect();
        if !undecided && *said != right {
            return Err(format!("state {state} changes {said:?}, not {right:?}"));
        }
        let (memory, right) = (solution.memory(state.into()), fixed.memory[state]);
        if !undecided && *memory != Step::from(right) {
            return Err(format!("memory {memory} from state {state}, not {right}"));
        }
        let welfare = solution.welfare(state.into());
        holds(&welfare, &fixed.welfare[state], &fixed.error, &format!("welfare of state {state}"))?;
        if !is_narrow(&welfare.enclosure) {
            return Err(format!("the welfare of state {state} is known to {:?} only", welfare.enclosure));
        }
        let mut order: Vec<usize> = (0..plain.principals.len()).collect();
        order.sort_by(|&a, &b| plain.principals[b].discount.cmp(&plain.principals[a].discount));
        for (i, principal) in order.into_iter().enumerate().filter(|_| !undecided) {
            let payoff = solution.payoff(principal.into(), state.into());
            let what = format!("payoff of principal {principal} from state {state}");
            holds(&payoff, &(&fixed.payoffs[i][state] / &plain.principals[principal].weight), &fixed.error, &what)?;
        }
    }
    Ok(())
}

/// Two answers about one model say the same.
fn agree(plain: &Plain, one: &Answer, other: &Answer) -> Result<(), String> {
    if one.horizon() != other.horizon() {
        return Err(format!("horizon {} or {}", one.horizon(), other.horizon()));
    }
    let decided = one.claim() == Claim::Optimal && other.claim() == Claim::Optimal;
    if decided && changes(plain, one) != changes(plain, other) {
        return Err(format!("changes {:?} or {:?}", changes(plain, one), changes(plain, other)));
    }
    for state in (0..plain.states.len()).map(StateId::from) {
        if decided && one.memory(state) != other.memory(state) {
            return Err(format!("memory {} or {} from {state:?}", one.memory(state), other.memory(state)));
        }
        let (one, other) = (one.welfare(state), other.welfare(state));
        let apart = match (&one.exact, &other.exact) {
            (Some(one), Some(other)) => one != other,
            _ => one.enclosure.lower() > other.enclosure.upper() || other.enclosure.lower() > one.enclosure.upper(),
        };
        if apart {
            return Err(format!("welfare {one:?} or {other:?} from {state:?}"));
        }
    }
    Ok(())
}

// The family of the paper with discounts n/(2n−1) and (n+1)/(2n+1).

fn spaced_model(n: &BigInt) -> Mdp {
    spaced(&to_solver(&Q::from(n.clone()))).expect("a valid model")
}

#[test]
fn the_spacing_family_changes_its_mind_exactly_where_the_sign_does() {
    let known = [
        (1, "761", "2.204608294930875576"),
        (2, "120324", "2.020044594082365270"),
        (3, "16595388", "2.002000444592740823"),
        (6, "30403624039964", "2.000002000000444444"),
        (9, "44219120417242163736", "2.000000002000000000"),
    ];
    for (exponent, horizon, welfare) in known {
        let model = spaced_model(&BigInt::from(10).pow(exponent as u32));
        let solution = solve(&model, &Options::default());
        let horizon = step(horizon);
        assert_eq!(solution.claim(), Claim::Optimal, "10^{exponent}");
        assert_eq!(*solution.horizon(), horizon, "10^{exponent}");
        let [p0, s1, s2] = [0, 1, 2].map(StateId::from);
        let [stay, go_on] = [1, 2].map(commonweal::internals::model::ChoiceId::from);
        let changes: Vec<_> = solution.strategy().changes(s1).iter().map(|c| (c.from.clone(), c.choice)).collect();
        assert_eq!(changes, [(Step::ZERO, go_on), (horizon.clone(), stay)], "10^{exponent}");
        assert_eq!(solution.strategy().choice(s1, &(&horizon - 1)), go_on);
        assert_eq!((solution.strategy().changes(p0).len(), solution.strategy().changes(s2).len()), (1, 1));
        assert_eq!((solution.memory(p0), solution.memory(s1)), (&horizon, &Step::ONE));
        assert!(solution.memory(s2).is_zero());
        assert!(solution.effort().n_layers < 200, "10^{exponent}: {:?}", solution.effort());
        assert_eq!(solution.effort().n_undecided, 0);
        let enclosure = solution.welfare_enclosure(p0);
        assert!(enclosure.width() < 1e-12, "10^{exponent}: {enclosure:?}");
        // What starts with these decimals lies between them and one more in the last place.
        let decimals: Q = welfare.replace('.', "").parse::<Q>().expect("digits") / Q::from(BigInt::from(10).pow(18u32));
        let next = &decimals + Q::one() / Q::from(BigInt::from(10).pow(18u32));
        let (lower, upper) = (from_double(enclosure.lower()), from_double(enclosure.upper()));
        assert!(lower <= next && decimals <= upper, "10^{exponent}: {enclosure:?} without {welfare}");
        if let Some(exact) = solution.welfare(p0).exact {
            assert!(decimals <= from_solver(&exact) && from_solver(&exact) < next, "10^{exponent}");
        }
    }
}

/// Bounds of (numerator/denominator)^exponent, as integers over 2^bits.
fn power_bounds(ratio: &Q, exponent: &BigInt, bits: usize) -> (BigInt, BigInt) {
    let unit: BigInt = BigInt::one() << bits;
    let down = |x: BigInt| x >> bits;
    let up = |x: BigInt| (x + (&unit - 1)) >> bits;
    let mut base = (&unit * ratio.numer() / ratio.denom(), &unit * ratio.numer() / ratio.denom() + 1);
    let mut result = (unit.clone(), unit.clone());
    for bit in 0..exponent.bits() {
        if exponent.bit(bit) {
            result = (down(&result.0 * &base.0), up(&result.1 * &base.1));
        }
        base = (down(&base.0 * &base.0), up(&base.1 * &base.1));
    }
    result
}

/// The sign of `Σᵢ cᵢ λᵢ^t`, with as many bits as it takes.
fn sign(coefficients: &[Q], discounts: &[Q], t: &BigInt) -> i32 {
    let mut bits = 512 + 4 * t.bits() as usize;
    loop {
        assert!(bits < 1 << 17, "a sum that is 0 or nearly so");
        let (mut lower, mut upper) = (Q::zero(), Q::zero());
        for (coefficient, discount) in coefficients.iter().zip(discounts) {
            let (low, high) = power_bounds(&(discount / &discounts[0]), t, bits);
            let (low, high) = if coefficient.is_negative() { (high, low) } else { (low, high) };
            lower += coefficient * Q::from(low);
            upper += coefficient * Q::from(high);
        }
        match (lower.is_positive(), upper.is_negative()) {
            (true, _) => return 1,
            (_, true) => return -1,
            _ if lower.is_zero() && upper.is_zero() => return 0,
            _ => bits *= 2,
        }
    }
}

/// The tangent of x² at p.
fn tangent(p: &Q, x: &Q) -> Q {
    (q(2, 1) * x - p) * p
}

/// The greatest tangent of x² at the even (or odd) multiples of 2^-level in [0, 2], and whether no other one is as great.
fn greatest_tangent(level: usize, odd: bool, x: &Q) -> (Q, bool) {
    let unit = q(1, 1) / Q::from(BigInt::from(2).pow(level as u32));
    let multiples = (0..=1u64 << (level + 1)).filter(|multiple| (multiple % 2 == 1) == odd);
    let all: Vec<Q> = multiples.map(|multiple| tangent(&(Q::from(BigInt::from(multiple)) * &unit), x)).collect();
    let greatest = all.iter().max().expect("a tangent").clone();
    let is_alone = all.iter().filter(|one| **one == greatest).count() == 1;
    (greatest, is_alone)
}

/// The family whose plan changes 2^n times in one state: every change against the tangents that it is made of, in fractions.
#[test]
fn the_parametric_family_changes_its_mind_two_to_the_n_times() {
    for n in 1..=10usize {
        let model = parametric(n).expect("a model");
        assert_eq!(model.n_states(), 2 * n + 3);
        let solution = solve(&model, &Options::default());
        assert_eq!(solution.claim(), Claim::Optimal, "{n} levels");
        let top = StateId::from(1);
        assert_eq!(model.state_name(top), format!("u{n}"));
        let changes = solution.strategy().changes(top);
        // The last entry is the decision for ever; before it there are as many changes as breaks of the tangents.
        assert_eq!(changes.len(), (1 << n) + 1, "{n} levels");
        let settled = changes.last().expect("a decision").from.clone();
        assert_eq!(*solution.memory(0.into()), settled, "{n} levels: the start waits for any number of steps");
        if n <= 6 {
            // What is entered at step j is paid at step j + n.
            let ratio = q(1, 1) - q(1, 2 << n);
            let mut x = q(3, 1) * num_traits::pow(ratio.clone(), n);
            let mut step = Step::ZERO;
            while step <= settled {
                let [even, odd] = [false, true].map(|odd| greatest_tangent(n - 1, odd, &x));
                assert!(even.0 != odd.0 && (even.1 || odd.1), "{n} levels, step {step}: a tie");
                let chosen = model.action_name(solution.strategy().choice(top, &step));
                assert_eq!(chosen, if even.0 > odd.0 { "even" } else { "odd" }, "{n} levels, step {step}");
                x *= &ratio;
                step += &Step::ONE;
            }
            assert!(x < q(1, 1 << n), "after the last break");
        }
        if n <= 8 {
            assert_eq!(checked(&model, &proven(&model)), Verdict::Accepted(Meaning::Optimal), "{n} levels");
        }
    }
}

/// The welfare is what tossing coins makes of tangents: Σ_j 2^-j λ_0^j u_n(x_j), in units of what is paid.
#[test]
fn the_parametric_family_earns_what_its_tangents_are_worth() {
    let n = 4;
    let solution = solve(&parametric(n).expect("a model"), &Options::default());
    let ratio = q(1, 1) - q(1, 2 << n);
    let mut x = q(3, 1) * num_traits::pow(ratio.clone(), n);
    // Paid 8^n at λ_0^n: 4^n; and a step later with half the chance and half the weight.
    let mut weight = q(256, 1);
    let mut sum = Q::zero();
    for _ in 1..=60 {
        x *= &ratio;
        weight *= &q(1, 4);
        sum += &weight * greatest_tangent(n, false, &x).0;
    }
    let welfare = solution.welfare_enclosure(0.into());
    let (lower, upper) = (from_double(welfare.lower()), from_double(welfare.upper()));
    assert!(lower <= &sum + q(1, 1 << 60) && sum <= upper + q(1, 1 << 60), "{welfare:?}");
    assert!(welfare.width() < 1e-9);
}

/// No method lists 2^40 changes: a limit on layers ends it, with bounds.
#[test]
fn a_parametric_model_too_large_to_be_listed_has_bounds() {
    let limits = Limits { layers: 2_000, events: 1_000 };
    let solution = solve(&parametric(40).expect("a model"), &Options { limits, ..Options::default() });
    assert!(matches!(solution.claim(), Claim::Stopped(_)), "{:?}", solution.claim());
    let bounds = solution.welfare_enclosure(0.into());
    assert!(bounds.lower().is_finite() && bounds.upper().is_finite() && bounds.lower() < bounds.upper());
}

#[test]
fn horizons_beyond_all_measure_are_exact() {
    for exponent in [3u32, 9, 15, 30, 60] {
        let n = BigInt::from(10).pow(exponent);
        let solution = solve(&spaced_model(&n), &Options::default());
        let horizon = big(solution.horizon());
        assert_eq!(solution.claim(), Claim::Optimal, "10^{exponent}");
        let n = Q::from(n);
        let two = q(2, 1);
        let discounts = [&n / (&two * &n - Q::one()), (&n + Q::one()) / (&two * &n + Q::one())];
        // Moving costs the first principal its ones and earns the second its twos.
        let gains = [&two - Q::one() / (Q::one() - &discounts[0]), &two / (Q::one() - &discounts[1])];
        assert!(gains[0].is_negative());
        assert_eq!(sign(&gains, &discounts, &(&horizon - 1)), 1, "10^{exponent}");
        assert_eq!(sign(&gains, &discounts, &horizon), -1, "10^{exponent}");
        assert_eq!(solution.strategy().settled_from(), *solution.horizon(), "10^{exponent}");
        assert_eq!(solution.memory(0.into()), solution.horizon());
        assert!(is_narrow(&solution.welfare_enclosure(0.into())), "10^{exponent}");
        assert!(solution.effort().n_layers < 2000, "10^{exponent}: {:?}", solution.effort());
    }
}

// Random models.

/// Statistics of the random models; the tests require enough events and jumps.
#[derive(Debug, Default)]
struct Tally {
    judged: usize,
    jumped: usize,
    events_after_jump: usize,
    returning: usize,
    tied: usize,
    undecided: usize,
    enclosed: usize,
}

impl Tally {
    fn count(&mut self, plain: &Plain, solution: &Answer, fixed: &Fixed) {
        self.judged += 1;
        let jumped = solution.effort().n_jumps > 0;
        self.jumped += usize::from(jumped);
        let mut steps: Vec<Step> = changes(plain, solution).into_iter().flatten().map(|(from, _)| from).collect();
        steps.sort();
        steps.dedup();
        // At most one event precedes each stage jumped over; the others come after a jump.
        let events = steps.len().saturating_sub(1);
        self.events_after_jump += usize::from(jumped && events >= 3 && solution.effort().n_jumps >= 2);
        let returns = |changes: &Vec<(Step, usize)>| {
            (0..changes.len()).any(|i| changes[..i].iter().any(|earlier| earlier.1 == changes[i].1))
        };
        self.returning += usize::from(jumped && changes(plain, solution).iter().any(returns));
        self.tied += usize::from(fixed.ties > 0);
        self.undecided += usize::from(solution.claim() != Claim::Optimal);
        self.enclosed += usize::from(jumped && solution.welfare(0.into()).exact.is_none());
    }
}

#[test]
fn jumps_land_where_a_walk_over_every_step_arrives() {
    let mut tally = Tally::default();
    on_models(0..800, stages::short, |plain| {
        let Some(fixed) = Fixed::solve(plain, 900) else { return Ok(()) };
        let jumped = jumping(plain);
        tally.count(plain, &jumped, &fixed);
        agrees_with_fixed(plain, &jumped, &fixed)
    });
    let Tally { judged, jumped, events_after_jump, returning, tied, .. } = tally;
    let enough = judged > 760 && jumped > 360 && events_after_jump > 120 && returning > 95 && tied > 160;
    assert!(enough, "hardly tried: {tally:?}");
}

#[test]
fn early_jumps_land_where_a_walk_over_every_step_arrives() {
    let mut tally = Tally::default();
    on_models(600_000..602_600, stages::brief, |plain| {
        let Some(fixed) = Fixed::solve(plain, 600) else { return Ok(()) };
        let jumped = jumping(plain);
        tally.count(plain, &jumped, &fixed);
        agrees_with_fixed(plain, &jumped, &fixed)
    });
    let Tally { judged, jumped, events_after_jump, returning, tied, .. } = tally;
    let enough = judged > 2500 && jumped > 1700 && events_after_jump > 200 && returning > 450 && tied > 500;
    assert!(enough, "hardly tried: {tally:?}");
}

#[test]
fn jumps_over_thousands_of_steps_land_where_a_walk_over_every_step_arrives() {
    let mut tally = Tally::default();
    on_models(100_000..100_050, stages::long, |plain| {
        let Some(fixed) = Fixed::solve(plain, 5000) else { return Ok(()) };
        let jumped = jumping(plain);
        tally.count(plain, &jumped, &fixed);
        agrees_with_fixed(plain, &jumped, &fixed)
    });
    let Tally { judged, jumped, events_after_jump, returning, tied, enclosed, .. } = tally;
    let enough = judged > 45 && jumped > 28 && events_after_jump > 15 && returning > 8 && tied > 8 && enclosed > 3;
    assert!(enough, "hardly tried: {tally:?}");
}

#[test]
fn with_jumps_and_without_the_answer_is_the_same() {
    let mut jumps = 0;
    let mut check = |plain: &Plain| {
        let (jumped, walked) = (jumping(plain), walking(plain));
        jumps += usize::from(jumped.effort().n_jumps > 0);
        if walked.effort().n_jumps > 0 {
            return Err("a walk jumped".into());
        }
        agree(plain, &jumped, &walked)
    };
    on_models(200_000..200_500, stages::short, &mut check);
    on_models(300_000..300_020, stages::long, &mut check);
    on_models(700_000..701_000, stages::brief, &mut check);
    assert!(jumps > 850, "only {jumps} models jumped");
}

#[test]
fn jumps_land_where_the_papers_algorithm_in_fractions_arrives() {
    let (mut judged, mut jumps) = (0, 0);
    on_models(400_000..400_200, stages::short, |plain| {
        let Some(reference) = Reference::solve(plain, 300) else { return Ok(()) };
        let solution = jumping(plain);
        judged += 1;
        jumps += usize::from(solution.effort().n_jumps > 0);
        verdict::agrees_with_reference(&oracle::ask(plain)?, &reference)
    });
    assert!(judged > 100 && jumps > 50, "only {judged} models were judged, {jumps} jumped");
}

// Models built by hand.

/// States in which one loop earns nothing, and another these rewards: at every step the sign of `Σᵢ cᵢ λᵢ^t` decides. The
/// first state leads to all of them at random.
fn loops(discounts: &[Q], rewards: &[Vec<Q>]) -> Plain {
    let nothing = vec![Q::zero(); discounts.len()];
    let choice = |rewards: &[Q], to: Vec<(usize, Q)>| Choice { name: String::new(), rewards: rewards.to_vec(), to };
    let share = q(1, rewards.len() as i64 + 1);
    let mut states = vec![vec![choice(&nothing, (0..=rewards.len()).map(|state| (state, share.clone())).collect())]];
    for (index, rewards) in rewards.iter().enumerate() {
        let stay = || vec![(index + 1, Q::one())];
        states.push(vec![choice(&nothing, stay()), choice(rewards, stay())]);
    }
    let who = |discount: &Q| Who { name: String::new(), discount: discount.clone(), weight: Q::one() };
    let principals = discounts.iter().map(who).collect();
    let mut plain = Plain { principals, names: vec![String::new(); states.len()], states };
    name(&mut plain);
    plain
}

/// Every loop is left and taken up where the sign of its sum changes, and nowhere else.
fn follows_the_signs(discounts: &[Q], rewards: &[Vec<Q>]) -> Answer {
    let plain = loops(discounts, rewards);
    let solution = jumping(&plain);
    assert_eq!(solution.claim(), Claim::Optimal, "{plain}");
    let changes = changes(&plain, &solution);
    for (index, rewards) in rewards.iter().enumerate() {
        let changes = &changes[index + 1];
        // As many sign changes as the sum can have, so there are no others.
        assert_eq!(changes.len(), discounts.len(), "{changes:?} in loop {index} of {plain}");
        for (i, (from, choice)) in changes.iter().enumerate() {
            let taken = if *choice == 1 { 1 } else { -1 };
            assert_eq!(sign(rewards, discounts, &big(from)), taken, "loop {index} at {from} of {plain}");
            if i > 0 {
                let before = big(from) - 1;
                assert_eq!(sign(rewards, discounts, &before), -taken, "loop {index} at {before} of {plain}");
            }
        }
        let last = &changes.last().expect("a change").0;
        assert_eq!(solution.memory(StateId::from(index + 1)), last, "loop {index} of {plain}");
    }
    let latest = changes.iter().flatten().map(|(from, _)| from).max().expect("a change");
    assert_eq!(solution.memory(0.into()), latest, "{plain}");
    for state in 0..plain.states.len() {
        assert!(is_narrow(&solution.welfare_enclosure(state.into())), "{plain}");
    }
    solution
}

#[test]
fn a_loss_at_once_and_a_gain_later_is_found() {
    let plain = Plain::parse("3/4 1/2 1/4", &["s a 0 -> s", "s b -1,4,-4 -> s"]);
    let solution = jumping(&plain);
    assert_eq!(*solution.horizon(), Step::from(4u8));
    let right = [(0u8, 0), (1, 1), (4, 0)].map(|(from, choice)| (Step::from(from), choice));
    assert_eq!(changes(&plain, &solution), [right]);
    assert_eq!(solution.welfare(0.into()).exact.as_ref().map(from_solver), Some(q(29, 64)));
}

#[test]
fn actions_that_return_thousands_of_steps_later_return_exactly_there() {
    let close: [&[Q]; 4] = [
        &[q(1, 2), q(4999, 10000), q(4998, 10000)],
        &[q(9, 10), q(8999, 10000), q(8997, 10000), q(8990, 10000)],
        &[q(1, 2), q(499_999, 1_000_000), q(499_998, 1_000_000), q(499_997, 1_000_000), q(499_996, 1_000_000)],
        &[q(3, 10), q(29999, 100_000), q(29998, 100_000), q(29997, 100_000), q(29996, 100_000), q(29995, 100_000)],
    ];
    let roots = [100, 1703, 4001, 9999, 20_011];
    let mut jumps = 0;
    for discounts in close {
        let n = discounts.len() - 1;
        // Steps a little after the roots: on them the sum is all but 0.
        for scale in [1, 7] {
            let roots: Vec<i64> = roots[..n].iter().map(|root| root * scale).collect();
            let solution = follows_the_signs(discounts, &[stages::with_roots(discounts, &roots)]);
            jumps += solution.effort().n_jumps;
            assert!(solution.effort().n_layers < 40_000, "{discounts:?}: {:?}", solution.effort());
        }
    }
    assert!(jumps > 8, "only {jumps} jumps");
}

#[test]
fn discounts_that_agree_in_twenty_digits_overflow_nothing() {
    for digits in [20usize, 25, 40] {
        let almost = "3".repeat(digits).parse::<Q>().expect("digits") / Q::from(BigInt::from(10).pow(digits as u32));
        // At step 0 the principal with discount 0 loses, then there are about 0.69 · 10^digits steps that gain.
        let solution = follows_the_signs(&[q(1, 3), almost, Q::zero()], &[vec![q(-1, 1), q(2, 1), q(-5, 1)]]);
        let last = big(&solution.strategy().changes(1.into())[2].from);
        assert!(last > BigInt::from(10).pow(digits as u32 - 1), "{last}");
        assert!(solution.effort().n_layers < 2000, "{:?}", solution.effort());
    }
}

#[test]
fn many_loops_with_steps_of_their_own_are_all_met() {
    let discounts = [q(1, 2), q(499_999, 1_000_000)];
    let rewards: Vec<Vec<Q>> = (1..=12).map(|k| stages::with_roots(&discounts, &[k * k * 10_007 + 3 * k])).collect();
    let solution = follows_the_signs(&discounts, &rewards);
    assert!(solution.effort().n_jumps >= 11, "{:?}", solution.effort());
    let discounts = [q(3, 10), q(2999, 10000), q(2997, 10000)];
    let roots = |k: i64| [k * 977, k * 977 + 4000 + 100 * k * k];
    let rewards: Vec<Vec<Q>> = (1..=6).map(|k| stages::with_roots(&discounts, &roots(k))).collect();
    let solution = follows_the_signs(&discounts, &rewards);
    assert!(solution.effort().n_jumps >= 8, "{:?}", solution.effort());
    // Neighbouring steps, and all at once.
    let rewards: Vec<Vec<Q>> = (0..5).map(|k| stages::with_roots(&discounts, &[3000 + k, 9000 - 2 * k])).collect();
    follows_the_signs(&discounts, &rewards);
    let rewards: Vec<Vec<Q>> = (0..3).map(|_| stages::with_roots(&discounts, &[3000, 9000])).collect();
    follows_the_signs(&discounts, &rewards);
}

/// Against every oracle that can handle the model.
fn is_right(plain: &Plain) -> Answer {
    let fixed = Fixed::solve(plain, 20_000).expect("a horizon that can be walked");
    let (jumped, walked) = (jumping(plain), walking(plain));
    assert_eq!(agrees_with_fixed(plain, &jumped, &fixed), Ok(()), "{plain}");
    assert_eq!(agree(plain, &jumped, &walked), Ok(()), "{plain}");
    jumped
}

#[test]
fn an_event_sets_off_others_up_the_chain() {
    // Every state of the chain may wait or pass on; the last one changes its choice, and the others follow in turn.
    let mut lines = vec!["end quit 3/100,0 -> end".to_owned(), "end work 0,3/10 -> end".to_owned()];
    for k in 0..5 {
        let next = if k == 0 { "end".to_owned() } else { format!("c{}", k - 1) };
        lines.push(format!("c{k} pass 0,{}/50 -> {next}", k - 2));
        lines.push(format!("c{k} wait 1/{},1/{} -> c{k}:1/2 {next}:1/2", 90 + 7 * k, 5 + k));
        lines.push(format!("c{k} skip 0,1/{} -> c{}", 7 + k, (k + 2) % 5));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut events = 0;
    for discounts in ["1/2 499/1000", "3/10 299/1000", "9/10 899/1000"] {
        let solution = is_right(&Plain::parse(discounts, &lines));
        assert!(solution.effort().n_jumps > 0, "{:?}", solution.effort());
        events += (0..6).map(|state| solution.strategy().changes(StateId::from(state)).len() - 1).sum::<usize>();
    }
    assert!(events >= 6, "only {events} events");
}

/// Against the stage's own values two choices tie, or nearly so; what is left of the time after the stage decides, and it
/// is a power of the discount.
#[test]
fn what_is_left_of_the_time_after_a_stage_decides_between_equals() {
    is_right(&Plain::parse(
        "499/1000 249/500",
        &[
            "s0 a0 -1299/400,-849/100 -> s2",
            "s1 a0 2,-3 -> s1",
            "s1 a1 1499/500,186/125 -> s0",
            "s1 a2 3509/4000,-4743/2000 -> s2:1/2 s1:1/2",
            "s2 a1 501/400,251/100 -> s2",
        ],
    ));
    // Both ways lead to a prize that is worth taking after some 2000 steps only. Many steps before that, the way that
    // is hardly ever lost is better than the way to a prize a million times as large; against the stage's own values,
    // which know of no prize, the two tie for ever.
    let solution = is_right(&Plain::parse(
        "1/2 499/1000",
        &[
            "hub large 0 -> large",
            "hub small 0 -> small",
            "large wait 0 -> large:8/10 rest:2/10",
            "large take 1000000,-55000000 -> rest",
            "small wait 0 -> small:9/10 rest:1/10",
            "small take 1,-55 -> rest",
            "rest stay 0 -> rest",
        ],
    ));
    let hub = solution.strategy().changes(0.into());
    assert_eq!(hub.len(), 2, "{hub:?}");
    let apart = solution.horizon() - &hub[1].from;
    assert!(apart > Step::from(100u8) && apart < Step::from(1000u16), "{hub:?}, {}", solution.horizon());
}

/// Cycles of these lengths; the first state of each may deviate, and does so early on.
fn cycles(discounts: &str, lengths: &[usize]) -> Plain {
    let mut lines = vec!["rest stay 0 -> rest".to_owned()];
    for &length in lengths {
        for position in 0..length {
            let next = (position + 1) % length;
            lines.push(format!("c{length}x{position} go 1,0 -> c{length}x{next}"));
        }
        lines.push(format!("c{length}x0 stray {}/10,2 -> c{length}x{}", 9 - length % 5, 1 % length));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    Plain::parse(discounts, &lines)
}

#[test]
fn memory_knows_the_parity_of_a_cycle() {
    for lengths in [&[2][..], &[3], &[2, 3], &[4, 6, 5], &[2, 3, 5, 7]] {
        let solution = is_right(&cycles("1/2 499/1000", lengths));
        assert!(solution.effort().n_jumps > 0, "{lengths:?}: {:?}", solution.effort());
        let distinct: std::collections::BTreeSet<_> = (1..=lengths[0]).map(|s| solution.memory(s.into())).collect();
        assert_eq!(distinct.len(), lengths[0], "{lengths:?}");
    }
}

#[test]
fn memory_is_exact_where_the_cycles_meet_after_thirty_thousand_steps_only() {
    let plain = cycles("1/2 4999/10000", &[2, 3, 5, 7, 11, 13]);
    let (jumped, walked) = (jumping(&plain), walking(&plain));
    assert!(jumped.effort().n_jumps > 0, "{:?}", jumped.effort());
    assert!(jumped.memory(0.into()).is_zero(), "nobody deviates at rest, not even until {}", jumped.memory(0.into()));
    assert_eq!(agree(&plain, &jumped, &walked), Ok(()));
}

// Answers that stopped.

fn bounds_hold(what: &str, stopped: &Answer, full: &Answer, n_states: usize) {
    for state in (0..n_states).map(StateId::from) {
        let (bounds, truth) = (stopped.welfare_enclosure(state), full.welfare_enclosure(state));
        let hold = bounds.lower() <= truth.upper() && truth.lower() <= bounds.upper();
        assert!(hold, "{what}: {bounds:?} without {truth:?} from {state:?}");
    }
}

#[test]
fn bounds_of_an_answer_that_stopped_contain_the_welfare_after_the_longest_of_jumps() {
    let mut models: Vec<(String, Mdp)> =
        [1u32, 3, 6, 15].map(|e| (format!("n = 10^{e}"), spaced_model(&BigInt::from(10).pow(e)))).into();
    let discounts = [q(9, 10), q(8999, 10000), q(8990, 10000)];
    let rewards: Vec<Vec<Q>> = (1..4).map(|k| stages::with_roots(&discounts, &[k * 500, k * 9000])).collect();
    models.push(("loops".into(), loops(&discounts, &rewards).model()));
    for seed in 500_000..500_025 {
        models.push((format!("seed {seed}"), stages::short(seed).model()));
    }
    let mut stopped = [0; 3];
    for (what, model) in &models {
        let full = solve(model, &Options::default());
        assert_eq!(full.claim(), Claim::Optimal, "{what}");
        for layer_limit in [0, 1, 2, 10, 60, 200] {
            let solution = solve(model, &Options { limits: Limits::of_layers(layer_limit), ..Options::default() });
            stopped[0] += usize::from(solution.claim() == Claim::Stopped(StopReason::LayerLimit));
            bounds_hold(what, &solution, &full, model.n_states());
            let walked = Options { limits: Limits::of_layers(layer_limit), jumps: false, ..Options::default() };
            bounds_hold(what, &solve(model, &walked), &full, model.n_states());
        }
        let stop = StopSignal::after(Duration::ZERO);
        let solution = solve(model, &Options { stop, ..Options::default() });
        stopped[1] += usize::from(solution.claim() == Claim::Stopped(StopReason::TimeLimit));
        bounds_hold(what, &solution, &full, model.n_states());
        let stop = StopSignal::default();
        stop.raise();
        let solution = solve(model, &Options { stop, ..Options::default() });
        stopped[2] += usize::from(solution.claim() == Claim::Stopped(StopReason::Interrupted));
        bounds_hold(what, &solution, &full, model.n_states());
        // Stopped somewhere on the way, wherever that is.
        for microseconds in [100, 400, 1600] {
            let stop = StopSignal::after(Duration::from_micros(microseconds));
            bounds_hold(what, &solve(model, &Options { stop, ..Options::default() }), &full, model.n_states());
        }
    }
    assert!(stopped[0] > 70 && stopped[1] > 20 && stopped[2] > 20, "only {stopped:?} were stopped");
}

/// Where the horizon is too far for fractions everywhere, they are short where nothing is done but what is done in the end.
#[test]
fn short_fractions_are_given_however_far_the_horizon_is() {
    let model = spaced_model(&BigInt::from(100));
    let answer = solve(&model, &Options::default());
    let exact = |value: Value| value.exact.map(|exact| exact.to_string());
    assert_eq!(exact(answer.welfare(2.into())).as_deref(), Some("201/50"));
    assert_eq!(exact(answer.payoff(0.into(), 2.into())).as_deref(), Some("0"));
    assert_eq!(exact(answer.payoff(1.into(), 2.into())).as_deref(), Some("201/50"));
    assert_eq!(exact(answer.welfare(0.into())), None);
    // A way into that state, taken at once and for ever: 7 for both, then 201/50 at the second one's discount.
    let mut plain = Plain::of(&model);
    plain.states.push(vec![Choice { name: "go".to_owned(), rewards: vec![q(7, 1); 2], to: vec![(2, Q::one())] }]);
    plain.names.push("door".to_owned());
    let answer = jumping(&plain);
    let right = q(14, 1) + q(101, 201) * q(201, 50);
    assert_eq!(answer.welfare(3.into()).exact.map(|exact| from_solver(&exact)), Some(right));
    // The same way through 300 doors: a geometric sum of 7 at both discounts, then 201/50 at the second one's.
    let mut plain = Plain::of(&model);
    for door in 0..300 {
        let to = if door == 299 { 2 } else { 4 + door };
        plain.states.push(vec![Choice { name: "go".to_owned(), rewards: vec![q(7, 1); 2], to: vec![(to, Q::one())] }]);
        plain.names.push(format!("door{door}"));
    }
    let answer = jumping(&plain);
    let power = |discount: &Q| (0..300).fold(Q::one(), |power, _| power * discount);
    let in_all = |discount: Q| q(7, 1) * (Q::one() - power(&discount)) / (Q::one() - discount);
    let right = in_all(q(100, 199)) + in_all(q(101, 201)) + power(&q(101, 201)) * q(201, 50);
    assert_eq!(answer.welfare(3.into()).exact.map(|exact| from_solver(&exact)), Some(right));
}

#[test]
fn ways_to_twins_tie_however_far_the_horizon_is() {
    let twins = Plain::parse(
        "100/199 101/201",
        &[
            "hub left 0 -> one:1/2 hub:1/2",
            "hub right 0 -> two:1/2 hub:1/2",
            "one stay 1,0 -> one",
            "one move 2,2 -> end",
            "two move 2,2 -> end",
            "two stay 1,0 -> two",
            "end stay 0,2 -> end",
        ],
    );
    let (tied, alone) = (jumping(&twins), solve(&spaced_model(&BigInt::from(100)), &Options::default()));
    assert_eq!((tied.claim(), tied.effort().n_judged), (Claim::Optimal, 0));
    assert_eq!(tied.horizon(), alone.horizon());
    assert_eq!(changes(&twins, &tied)[0], [(Step::ZERO, 0)]);
}

#[test]
fn a_tie_too_far_away_to_be_judged_leaves_the_bounds_true() {
    // Two ways to what are twins but for a choice that is never made: they tie at every step, nothing but fractions shows
    // it, and the horizon is too far for them.
    let twins = Plain::parse(
        "100/199 101/201",
        &[
            "hub left 0 -> one:1/2 hub:1/2",
            "hub right 0 -> two:1/2 hub:1/2",
            "one stay 1,0 -> one",
            "one move 2,2 -> end",
            "two stay 1,0 -> two",
            "two move 2,2 -> end",
            "two never -100 -> two",
            "end stay 0,2 -> end",
        ],
    );
    let (tied, alone) = (jumping(&twins), solve(&spaced_model(&BigInt::from(100)), &Options::default()));
    assert!(matches!(tied.claim(), Claim::Undecided(_)), "{:?}: the test proves nothing", tied.claim());
    // The welfare of the single model begins with these decimals.
    let unit = Q::one() / Q::from(BigInt::from(10).pow(18u32));
    let decimals = Q::from(BigInt::from(2_020_044_594_082_365_270i64)) * &unit;
    let bounds = tied.welfare_enclosure(0.into());
    let hold = from_double(bounds.lower()) <= &decimals + &unit && decimals <= from_double(bounds.upper());
    assert!(hold, "{bounds:?}");
    assert_eq!(tied.horizon(), alone.horizon());
    for (twin, single) in [(0, 0), (1, 1), (2, 1), (3, 2)] {
        let (twin, single) = (tied.welfare_enclosure(twin.into()), alone.welfare_enclosure(single.into()));
        assert!(twin.lower() <= single.upper() && single.lower() <= twin.upper(), "{twin:?} without {single:?}");
        assert!(is_narrow(&twin), "{twin:?}");
    }
}
