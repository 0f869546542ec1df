//! Extreme numbers: gains after a stage that decide by few bits, probabilities that underflow doubles, horizons too long to be
//! found.

use crate::oracle;
use crate::oracle::plain::{Choice, Who, from_double};
use crate::oracle::random::Rng;
use crate::oracle::{Fixed, Plain, Q, Reference, q};
use commonweal::internals::exact::solve;
use commonweal::internals::model::StateId;
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::internals::strategy::Step;
use commonweal::{Claim, Options};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// What a walk over every step in fixed point decides.
fn changes(plain: &Plain) -> Vec<Vec<(usize, usize)>> {
    Fixed::solve(plain, 20_000).expect("a horizon that can be walked").changes
}

/// Both ways lead to a prize that is worth taking after some 2,000 steps only. About 118 steps before that the way that is
/// hardly ever lost becomes better than the way to a prize a million times as large, but it costs 2^-165: a few
/// steps farther back nothing that is left of the prize is worth that much. A jump that takes the values of the stage for
/// nearer to their limit than they are misses all of it.
#[test]
fn a_choice_that_pays_for_a_dozen_steps_in_the_middle_of_a_stage_is_met() {
    let least = format!("hub small -1/{},0 -> small", BigInt::one() << 165);
    let plain = Plain::parse(
        "1/2 499/1000",
        &[
            "hub large 0 -> large",
            &least,
            "large wait 0 -> large:8/10 rest:2/10",
            "large take 1000000,-55000000 -> rest",
            "small wait 0 -> small:9/10 rest:1/10",
            "small take 1,-55 -> rest",
            "rest stay 0 -> rest",
        ],
    );
    let solution = solve(&plain.model(), &Options::default());
    assert_eq!(solution.claim(), Claim::Optimal);
    let right = changes(&plain);
    assert_eq!(right[0].len(), 3, "{right:?}");
    let taken = right[0][2].0 - right[0][1].0;
    assert!((8..30).contains(&taken), "{right:?}");
    for (state, right) in right.iter().enumerate() {
        let said = solution.strategy().changes(StateId::from(state)).iter();
        let said: Vec<_> = said.map(|c| (c.from.clone(), c.choice.index() - plain.first_choice(state))).collect();
        let right: Vec<_> = right.iter().map(|&(from, choice)| (Step::from(from), choice)).collect();
        assert_eq!(said, right, "state {state}");
    }
    // What is left to walk after that is jumped over: some 1,700 steps.
    assert!(solution.effort().n_jumps >= 1 && solution.effort().n_layers < 600, "{:?}", solution.effort());
}

/// Until some step one waits and earns nothing, from then on one takes. Against waiting for ever, which is what the jump
/// measures against, that step's reward is all there is; it is a power of the discount and not 0.
#[test]
fn payoffs_beyond_a_jump_are_not_taken_for_those_of_the_stage() {
    // Discounts of so many digits that fractions are not affordable.
    let little = q(1, 1) / Q::from(BigInt::from(10).pow(60u32));
    let [first, second] = [q(9, 10) + &little, q(8999, 10_000) + &little];
    let discounts = format!("{}/{} {}/{}", first.numer(), first.denom(), second.numer(), second.denom());
    let plain = Plain::parse(&discounts, &["s wait 0 -> s", "s take 1,-9/8 -> end", "end stay 0 -> end"]);
    let solution = solve(&plain.model(), &Options::default());
    assert_eq!(solution.claim(), Claim::Optimal);
    assert!(solution.effort().n_jumps > 0, "{:?}", solution.effort());
    let waits = solution.strategy().changes(0.into());
    assert_eq!(waits.len(), 2, "{waits:?}");
    let waits = u32::try_from(&waits[1].from).expect("a short wait");
    // As quotients that are not brought to lowest terms: that would take longer than all the rest.
    let payoffs = |steps: u32| -> [Q; 2] { [first.pow(steps), second.pow(steps) * q(-9, 8)] };
    // One takes as soon as that is better than to take a step later.
    let pays = |steps: u32| {
        let ([now, and_now], [later, and_later]) = (payoffs(steps), payoffs(steps + 1));
        let gained = |x: &Q, y: &Q| (x.numer() * y.denom() - y.numer() * x.denom(), x.denom() * y.denom());
        let (first, second) = (gained(&now, &later), gained(&and_now, &and_later));
        first.0 * second.1 + second.0 * first.1 > BigInt::zero()
    };
    assert!(pays(waits) && !pays(waits - 1), "{waits}");
    let right = payoffs(waits);
    for (principal, right) in right.iter().enumerate() {
        let said = solution.payoff(principal.into(), 0.into());
        assert!(said.exact.is_none(), "fractions are affordable, and the test proves nothing");
        assert!(!right.is_zero());
        let (lower, upper) = (from_double(said.enclosure.lower()), from_double(said.enclosure.upper()));
        assert!(lower <= *right && *right <= upper, "principal {principal}: {:?}", said.enclosure);
    }
}

/// The horizon has some 3,000 digits and would take hours to find.
#[test]
fn a_signal_that_is_raised_on_the_way_ends_the_search_for_the_longest_horizon() {
    let discounts = format!("1/2 4{}/1{}", "9".repeat(3_000), "0".repeat(3_001));
    let plain = Plain::parse(&discounts, &["s stay 0 -> s", "s loop -1,2 -> s"]);
    let model = plain.model();
    let stop = StopSignal::default();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let raise = stop.clone();
    let waiting = std::thread::spawn(move || {
        // However late this comes, the search is still going on.
        let _ = is_done.recv_timeout(std::time::Duration::from_millis(100));
        raise.raise();
    });
    let solution = solve(&model, &Options { stop, ..Options::default() });
    drop(done);
    waiting.join().expect("a thread that only waits");
    assert_eq!(solution.claim(), Claim::Stopped(StopReason::Interrupted));
    // The loop earns 2 λ₁^t − λ₀^t at step t, at most λ₀^t and hardly less: 2 in all, but for 3,000 digits.
    let bounds = solution.welfare_enclosure(0.into());
    assert!(bounds.lower() <= 2.0 && 2.0 <= bounds.upper() && bounds.width() < 1e-9, "{bounds:?}");
}

/// Probabilities below 1e-150, subnormal ones and ones that underflow, with rewards that make them matter.
#[test]
fn the_least_probabilities_count_as_in_fractions() {
    let power = |exponent: i64| {
        if exponent < 0 {
            Q::one() / Q::from(BigInt::from(10).pow(-exponent as u32))
        } else {
            Q::from(BigInt::from(10).pow(exponent as u32))
        }
    };
    let make = |seed: u64| {
        let mut rng = Rng::new(seed);
        let rng = &mut rng;
        let mut choice = |state: usize| {
            let least = power(-rng.pick(&[149, 151, 160, 310, 323, 400])) * q(rng.within(1, 9), 1);
            let target = rng.index(3);
            let to = if target == state || rng.chance(4) {
                vec![(target, Q::one())]
            } else {
                vec![(state, Q::one() - &least), (target, least)]
            };
            let reward = |rng: &mut Rng| q(rng.within(-3, 3), 1) * power(rng.pick(&[0, 0, 150, 160, 310, -160]));
            Choice { name: String::new(), rewards: (0..2).map(|_| reward(rng)).collect(), to }
        };
        let states = (0..3).map(|state| (0..2).map(|_| choice(state)).collect()).collect();
        let discounts = rng.pick(&[[q(1, 2), q(1, 3)], [q(3, 4), q(1, 4)], [q(1, 2), q(0, 1)]]);
        let who = |discount: Q| Who { name: String::new(), discount, weight: Q::one() };
        let principals = discounts.into_iter().map(who).collect();
        let mut plain = Plain { principals, names: vec![String::new(); 3], states };
        oracle::random::name(&mut plain);
        plain
    };
    let (mut judged, mut deviating) = (0, 0);
    oracle::on_models(0..150, make, |plain| {
        let Some(reference) = Reference::solve(plain, 120) else { return Ok(()) };
        judged += 1;
        deviating += usize::from(reference.memory.iter().any(|&memory| memory > 0));
        oracle::verdict::agrees_with_reference(&oracle::ask(plain)?, &reference)
    });
    assert!(judged > 60 && deviating > 15, "only {judged} were judged, {deviating} deviate");
}
