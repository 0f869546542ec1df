//! Attempts to refute the jumps: stages in which nothing changes are skipped, and nothing may be missed in them.

mod oracle;

use commonweal::families::spaced;
use commonweal::model::{Model, StateId};
use commonweal::number::{Enclosure, Natural, Value};
use commonweal::stop::{StopReason, StopSignal};
use commonweal::strategy::Step;
use commonweal::{Outcome, Solution, SolveOptions, solve};
use num_bigint::BigInt;
use num_traits::{One, Pow, Signed, Zero};
use oracle::evaluate::{payoffs, weighted};
use oracle::plain::{Choice, Who, approximately, from_double, from_solver};
use oracle::random::name;
use oracle::{Fixed, Plain, Q, Reference, on_models, q, stages, verdict};
use std::str::FromStr;
use std::time::Duration;

fn step(text: &str) -> Step {
    Natural::from_str(text).expect("a natural number")
}

fn big(step: &Step) -> BigInt {
    BigInt::from_bytes_le(num_bigint::Sign::Plus, &step.to_le_bytes())
}

fn natural(number: &BigInt) -> Step {
    Natural::from_le_bytes(&number.magnitude().to_bytes_le())
}

fn jumping(plain: &Plain) -> Solution {
    solve(&plain.model(), &SolveOptions::default())
}

fn walking(plain: &Plain) -> Solution {
    solve(&plain.model(), &SolveOptions { jumps: false, ..SolveOptions::default() })
}

/// Per state, from which step on which choice, as a position within the state.
fn changes(plain: &Plain, solution: &Solution) -> Vec<Vec<(Step, usize)>> {
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
fn agrees_with_fixed(plain: &Plain, solution: &Solution, fixed: &Fixed) -> Result<(), String> {
    match solution.outcome() {
        Outcome::Optimal => {}
        Outcome::Undecided(_) if fixed.ties > 0 => {}
        outcome => return Err(format!("{outcome:?} with {} ties", fixed.ties)),
    }
    if *solution.horizon() != Natural::from(fixed.horizon) {
        return Err(format!("horizon {}, not {}", solution.horizon(), fixed.horizon));
    }
    let undecided = solution.outcome() != Outcome::Optimal;
    for (state, said) in changes(plain, solution).iter().enumerate() {
        let right = fixed.changes[state].iter().map(|&(from, choice)| (Natural::from(from), choice));
        let right: Vec<(Step, usize)> = right.collect();
        if !undecided && *said != right {
            return Err(format!("state {state} changes {said:?}, not {right:?}"));
        }
        let (memory, right) = (solution.memory(state.into()), fixed.memory[state]);
        if !undecided && *memory != Natural::from(right) {
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
fn agree(plain: &Plain, one: &Solution, other: &Solution) -> Result<(), String> {
    if one.horizon() != other.horizon() {
        return Err(format!("horizon {} or {}", one.horizon(), other.horizon()));
    }
    let decided = one.outcome() == Outcome::Optimal && other.outcome() == Outcome::Optimal;
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

fn spaced_model(n: &BigInt) -> Model {
    spaced(&natural(n)).expect("a valid model")
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
        let solution = solve(&model, &SolveOptions::default());
        let horizon = step(horizon);
        assert_eq!(solution.outcome(), Outcome::Optimal, "10^{exponent}");
        assert_eq!(*solution.horizon(), horizon, "10^{exponent}");
        let [p0, s1, s2] = [0, 1, 2].map(StateId::from);
        let [stay, go_on] = [1, 2].map(commonweal::model::ChoiceId::from);
        let changes: Vec<_> = solution.strategy().changes(s1).iter().map(|c| (c.from.clone(), c.choice)).collect();
        assert_eq!(changes, [(Step::ZERO, go_on), (horizon.clone(), stay)], "10^{exponent}");
        assert_eq!(solution.strategy().choice(s1, &(&horizon - Natural::ONE)), go_on);
        assert_eq!((solution.strategy().changes(p0).len(), solution.strategy().changes(s2).len()), (1, 1));
        assert_eq!((solution.memory(p0), solution.memory(s1)), (&horizon, &Natural::ONE));
        assert!(solution.memory(s2).is_zero());
        assert!(solution.walk().n_layers < 200, "10^{exponent}: {:?}", solution.walk());
        assert_eq!(solution.walk().n_undecided, 0);
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

#[test]
fn horizons_beyond_all_measure_are_exact() {
    for exponent in [3u32, 9, 15, 30, 60] {
        let n = BigInt::from(10).pow(exponent);
        let solution = solve(&spaced_model(&n), &SolveOptions::default());
        let horizon = big(solution.horizon());
        assert_eq!(solution.outcome(), Outcome::Optimal, "10^{exponent}");
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
        assert!(solution.walk().n_layers < 2000, "10^{exponent}: {:?}", solution.walk());
    }
}

// Random models.

/// What the random models did; too little of it, and the tests prove nothing.
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
    fn count(&mut self, plain: &Plain, solution: &Solution, fixed: &Fixed) {
        self.judged += 1;
        let jumped = solution.walk().n_jumps > 0;
        self.jumped += usize::from(jumped);
        let mut steps: Vec<Step> = changes(plain, solution).into_iter().flatten().map(|(from, _)| from).collect();
        steps.sort();
        steps.dedup();
        // At most one event precedes each stage jumped over; the others come after a jump.
        let events = steps.len().saturating_sub(1);
        self.events_after_jump += usize::from(jumped && events >= 3 && solution.walk().n_jumps >= 2);
        let returns = |changes: &Vec<(Step, usize)>| {
            (0..changes.len()).any(|i| changes[..i].iter().any(|earlier| earlier.1 == changes[i].1))
        };
        self.returning += usize::from(jumped && changes(plain, solution).iter().any(returns));
        self.tied += usize::from(fixed.ties > 0);
        self.undecided += usize::from(solution.outcome() != Outcome::Optimal);
        self.enclosed += usize::from(jumped && solution.welfare(0.into()).exact.is_none());
    }
}

#[test]
fn jumps_land_where_a_walk_over_every_step_arrives() {
    let mut tally = Tally::default();
    on_models(0..600, stages::short, |plain| {
        let Some(fixed) = Fixed::solve(plain, 900) else { return Ok(()) };
        let jumped = jumping(plain);
        tally.count(plain, &jumped, &fixed);
        agrees_with_fixed(plain, &jumped, &fixed)
    });
    println!("{tally:?}");
}

#[test]
fn jumps_over_thousands_of_steps_land_where_a_walk_over_every_step_arrives() {
    let mut tally = Tally::default();
    on_models(100_000..100_060, stages::long, |plain| {
        let Some(fixed) = Fixed::solve(plain, 5000) else { return Ok(()) };
        let jumped = jumping(plain);
        tally.count(plain, &jumped, &fixed);
        agrees_with_fixed(plain, &jumped, &fixed)
    });
    println!("{tally:?}");
}

#[test]
fn with_jumps_and_without_the_answer_is_the_same() {
    let mut jumps = 0;
    let mut check = |plain: &Plain| {
        let (jumped, walked) = (jumping(plain), walking(plain));
        jumps += usize::from(jumped.walk().n_jumps > 0);
        if walked.walk().n_jumps > 0 {
            return Err("a walk jumped".into());
        }
        agree(plain, &jumped, &walked)
    };
    on_models(200_000..200_400, stages::short, &mut check);
    on_models(300_000..300_030, stages::long, &mut check);
    println!("{jumps} jumped");
}

#[test]
fn jumps_land_where_the_papers_algorithm_in_fractions_arrives() {
    let (mut judged, mut jumps) = (0, 0);
    on_models(400_000..400_200, stages::short, |plain| {
        let Some(reference) = Reference::solve(plain, 300) else { return Ok(()) };
        let solution = jumping(plain);
        judged += 1;
        jumps += usize::from(solution.walk().n_jumps > 0);
        verdict::agrees_with_reference(&oracle::ask(plain)?, &reference)
    });
    println!("{judged} judged, {jumps} jumped");
}
