//! The paper's own examples, against exact figures.

use crate::oracle::reference::{Ordered, Unravelling, long_term};
use crate::oracle::{Plain, Q, Reference, ask, verdict};

/// The hotel of the introduction and worked example 1.
fn hotel() -> Plain {
    Plain::parse("2/3 1/3", &["s0 a 3 -> s0", "s0 b -1 -> s1", "s1 b 6 -> s1"])
}

/// Worked example 2; the figure leaves out the reward of b in s0.
fn example_2(reward_of_b: &str) -> Plain {
    Plain::parse(
        "9/10 3/10",
        &[
            "s0 a 11/4 -> s1:1/2 s2:1/2",
            &format!("s0 b {reward_of_b} -> s0:3/5 s3:2/5"),
            "s1 c 3 -> s1:3/10 s2:2/5 s3:3/10",
            "s1 d -1/2 -> s0:1/2 s3:1/2",
            "s2 e 1 -> s2",
            "s3 f 5/2 -> s3",
        ],
    )
}

fn example_3() -> Plain {
    Plain::parse(
        "99/100 1/100",
        &[
            "s0 a 1 -> s4",
            "s0 b 0 -> s1",
            "s1 c 10 -> s1",
            "s1 d 0 -> s2",
            "s2 e 7 -> s2",
            "s2 f 5 -> s3",
            "s3 g 11 -> s3",
            "s4 h 0 -> s5",
            "s4 j -2 -> s1",
            "s5 k 0 -> s3",
        ],
    )
}

fn example_4() -> Plain {
    Plain::parse(
        "22/25 3/20",
        &[
            "s0 a 21/2 -> s4",
            "s0 b 0 -> s1",
            "s1 c 10 -> s1",
            "s1 d 0 -> s2",
            "s2 e 7 -> s2",
            "s2 f 5 -> s3",
            "s3 g 20 -> s3",
            "s4 h 0 -> s5",
            "s4 j -2 -> s1",
            "s5 k 0 -> s6",
            "s6 m 0 -> s3",
        ],
    )
}

/// The family in which the horizon grows with the closeness of two discounts.
fn spaced(n: u32) -> Plain {
    Plain::parse(
        &format!("{n}/{} {}/{}", 2 * n - 1, n + 1, 2 * n + 1),
        &["P0 go 0,0 -> P0:1/2 S1:1/2", "S1 stay 1,0 -> S1", "S1 move 2,2 -> S2", "S2 stay 0,2 -> S2"],
    )
}

struct Printed {
    welfare: &'static str,
    long_term_welfare: Option<&'static str>,
    horizon: usize,
    memory: usize,
    /// The actions of the start state at steps 0, 1, 2, …
    actions: &'static [&'static str],
    /// The long-term actions, state by state.
    long_term: &'static [&'static str],
}

fn holds(plain: &Plain, printed: Printed) {
    let answer = ask(plain).expect("a paper example is solved");
    let reference = Reference::solve(plain, 1000).expect("a paper example has a short horizon");
    assert_eq!(verdict::agrees_with_reference(&answer, &reference), Ok(()));
    assert_eq!(verdict::fits_itself(plain, &answer), Ok(()));
    assert_eq!(verdict::lies_within_truncation(plain, &answer), Ok(()));
    assert_eq!(answer.exact_welfare()[0], printed.welfare.parse::<Q>().expect("a fraction"));
    if let Some(figure) = printed.long_term_welfare {
        assert_eq!(answer.long_term_welfare[0].exact, Some(figure.parse::<Q>().expect("a fraction")));
    }
    assert_eq!((answer.horizon, answer.memory[0]), (printed.horizon, printed.memory));
    for (step, action) in printed.actions.iter().enumerate() {
        assert_eq!(plain.states[0][answer.decision(step, 0)].name, *action, "at step {step}");
    }
    for (state, action) in printed.long_term.iter().enumerate() {
        let names: Vec<&str> = answer.long_term[state].iter().map(|&c| plain.states[state][c].name.as_str()).collect();
        assert_eq!(names, [*action], "in state {state}");
    }
}

#[test]
fn hotel_stays_twice_and_gains_ten_ninths() {
    let printed = Printed {
        welfare: "127/9",
        long_term_welfare: Some("13"),
        horizon: 2,
        memory: 2,
        actions: &["a", "a", "b", "b"],
        long_term: &["b", "b"],
    };
    holds(&hotel(), printed);
    let payoffs = ask(&hotel()).expect("the hotel is solved").exact_payoffs();
    // Twice 3 a year, then the values 11 and 2 of investing, two years later.
    let alice = Q::from(num_bigint::BigInt::from(5)) + "44/9".parse::<Q>().expect("a fraction");
    let bob = Q::from(num_bigint::BigInt::from(4)) + "2/9".parse::<Q>().expect("a fraction");
    assert_eq!((&payoffs[0][0], &payoffs[1][0]), (&alice, &bob));
}

#[test]
fn example_2_never_deviates_with_the_reward_that_the_printed_figures_imply() {
    let printed = Printed {
        welfare: "155896/6601",
        long_term_welfare: Some("155896/6601"),
        horizon: 1,
        memory: 0,
        actions: &["b", "b"],
        long_term: &["b", "d", "e", "f"],
    };
    holds(&example_2("26/25"), printed);
}

#[test]
fn example_2_as_drawn_has_the_values_of_the_errata() {
    let plain = example_2("0");
    let answer = ask(&plain).expect("example 2 is solved");
    let reference = Reference::solve(&plain, 100).expect("example 2 has a short horizon");
    assert_eq!(verdict::agrees_with_reference(&answer, &reference), Ok(()));
    assert_eq!(verdict::lies_within_truncation(&plain, &answer), Ok(()));
    // V_0 = 19.5652… = 450/23 and V_1 = 0.5226…, whose sum is the long-term welfare.
    let figure = &answer.long_term_welfare[0];
    assert!(figure.lower > 20.087 && figure.upper < 20.089, "{figure:?}");
}

#[test]
fn example_3_follows_the_long_term_strategy_from_the_start() {
    let printed = Printed {
        welfare: "24125173/22500",
        long_term_welfare: Some("24125173/22500"),
        horizon: 1,
        memory: 0,
        actions: &["b", "b"],
        long_term: &["b", "d", "f", "g", "h", "k"],
    };
    holds(&example_3(), printed);
}

#[test]
fn example_4_deviates_once() {
    let printed = Printed {
        welfare: "1247718809/10200000",
        long_term_welfare: None,
        horizon: 1,
        memory: 1,
        actions: &["a", "b"],
        long_term: &["b", "d", "f", "g", "j", "k", "m"],
    };
    let answer = ask(&example_4()).expect("example 4 is solved");
    let gain = &answer.exact_welfare()[0] - answer.long_term_welfare[0].exact.as_ref().expect("an exact answer");
    assert_eq!(gain, "4682795/1000000".parse::<Q>().expect("a fraction"));
    holds(&example_4(), printed);
}

#[test]
fn spacing_example_needs_761_steps_for_ten() {
    let plain = spaced(10);
    let answer = ask(&plain).expect("the spacing example is solved");
    let reference = Reference::solve(&plain, 1000).expect("761 steps");
    assert_eq!(answer.horizon, 761);
    assert_eq!(verdict::agrees_with_reference(&answer, &reference), Ok(()));
    assert_eq!(verdict::fits_itself(&plain, &answer), Ok(()));
    assert_eq!(verdict::lies_within_truncation(&plain, &answer), Ok(()));
}

#[test]
fn spacing_example_horizon_of_a_hundred_is_where_the_prefix_test_begins_to_pass() {
    let plain = spaced(100);
    let ordered = Ordered::of(&plain);
    let (_, values) = long_term(&plain, &ordered);
    let unravelling = Unravelling::of(&plain, &ordered, &values);
    assert!(!unravelling.passes_at(120_323) && unravelling.passes_at(120_324));
}
