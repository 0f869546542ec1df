//! Searches that are stopped on the way: soon, and with bounds that hold.

use super::{Search, SearchOptions, SearchOutcome, positional, stationary};
use crate::evaluation::evaluate;
use crate::model::{Mdp, ModelArrays, NameTable, Principal};
use crate::number::Rational;
use crate::stop::{StopReason, StopSignal};

/// States on a ring, two choices each, three successors nearby, rewards that disagree.
fn ring(n: usize) -> Mdp {
    let mut seed = 7u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let principal = |name: &str, discount: &str| Principal::new(name, discount.parse().unwrap()).unwrap();
    let (mut target, mut probability, mut reward) = (Vec::new(), Vec::new(), Vec::new());
    for state in 0..n {
        for _ in 0..2 {
            let first = state + draw(5) as usize;
            let share = 1 + draw(7);
            for (k, tenths) in [(1, share), (2, 1), (3, 9 - share)] {
                if tenths > 0 {
                    target.push(((first + k) % n).into());
                    probability.push(Rational::from_quotient(tenths as i64, 10u64));
                }
            }
            reward.extend((0..2).map(|_| Rational::from(draw(21) as i64 - 10)));
        }
    }
    let choices = |per_state: u32| (0..=n as u32).map(|state| state * per_state).collect();
    let arrays = ModelArrays {
        start: 0.into(),
        principals: vec![principal("patient", "99/100"), principal("other", "1/2")],
        state_names: NameTable::numbered(n),
        action_names: NameTable::numbered(2),
        action: [0, 1].repeat(n),
        first_choice: choices(2),
        first_transition: (0..=2 * n as u32).map(|choice| 3 * choice).collect(),
        target,
        probability,
        reward,
    };
    arrays.finish().unwrap()
}

type Ask = fn(&Mdp, &SearchOptions) -> Search;
const BOTH: [(Ask, &str); 2] = [(positional, "positional"), (stationary, "stationary")];

fn stopped_after(model: &Mdp, ask: Ask, polls: i64) -> (Search, i64) {
    let stop = StopSignal::after_polls(polls);
    let options = SearchOptions { node_limit: 40, stop: stop.clone(), ..SearchOptions::stationary() };
    let found = ask(model, &options);
    (found, stop.polls_left())
}

/// Wherever a search is stopped, its bounds hold: the upper one for the best strategy known, the lower one for its own strategy.
#[test]
fn bounds_hold_wherever_a_search_is_stopped_and_it_ends_within_a_few_polls() {
    /// Eight nodes are expanded at a time; each looks a few times until it is left.
    const FEW: i64 = 60;
    let model = ring(250);
    for (ask, name) in BOTH {
        let (best, left) = stopped_after(&model, ask, i64::MAX / 2);
        let in_all = i64::MAX / 2 - left;
        assert!(in_all > 80, "{name} polls {in_all} times");
        let mut widths = Vec::new();
        for part in 0..40 {
            let (found, left) = stopped_after(&model, ask, in_all * part / 40);
            assert!(left >= -FEW, "{name}: {} polls after it was raised", -left);
            assert_eq!(found.outcome, SearchOutcome::Stopped(StopReason::Interrupted), "{name}, part {part}");
            let (lower, upper) = (found.welfare.enclosure.lower(), found.upper);
            assert!(upper >= best.welfare.enclosure.lower(), "{name}: {upper} is below the best strategy");
            let worth = evaluate(&model, &found.strategy, &StopSignal::default()).unwrap().welfare(model.start());
            assert!(lower <= worth.enclosure.upper(), "{name}: {lower} is more than the strategy's {worth}");
            assert!(best.upper >= lower, "{name}: {lower} is more than any strategy earns");
            widths.push(upper - lower);
        }
        assert!(widths[39] < widths[0] / 4.0, "{name}: what was proven by then is kept: {widths:?}");
    }
}

/// The first passes over a large model are left too: the bounds are then those of a few sweeps, not of all of them.
#[test]
fn a_large_model_is_left_during_the_first_sweeps() {
    let model = ring(4_000);
    for (ask, name) in BOTH {
        let (early, left) = stopped_after(&model, ask, 3);
        assert!(left >= -10, "{name}: {} polls after it was raised", -left);
        let (late, _) = stopped_after(&model, ask, 400);
        let width = |search: &Search| search.upper - search.welfare.enclosure.lower();
        assert!(width(&early) > 4.0 * width(&late), "{name}: {} and {}", width(&early), width(&late));
        assert!(early.upper >= late.welfare.enclosure.lower() && late.upper >= early.welfare.enclosure.lower());
    }
}
