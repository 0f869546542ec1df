//! Own bests and alternatives of an answer, compared with all positional strategies, evaluated by the oracle.

use crate::oracle::enumeration::all_policies;
use crate::oracle::evaluate::{payoffs, positional, weighted};
use crate::oracle::plain::{Plain, Q, from_double, from_solver};
use crate::oracle::random;
use commonweal::questions::{alternatives, own_best};
use commonweal::{Engine, Model, Options, StopSignal, Value, solve};

const MOST_POLICIES: usize = 400;

/// Small models of the oracle, with weights of either sign and 0.
fn models() -> impl Iterator<Item = (u64, Plain)> {
    (0..120).filter_map(|seed| {
        let mut plain = random::model(seed);
        let n = plain.principals.len() as u64;
        for (p, who) in plain.principals.iter_mut().enumerate() {
            match (seed + p as u64) % (n + 2) {
                0 => who.weight = -who.weight.clone(),
                1 if p > 0 => who.weight = Q::new(0.into(), 1.into()),
                _ => {}
            }
        }
        let policies: usize = plain.states.iter().map(Vec::len).product();
        (policies <= MOST_POLICIES).then_some((seed, plain))
    })
}

fn encloses(value: &Value, right: &Q) -> bool {
    from_double(value.enclosure.lower()) <= *right && *right <= from_double(value.enclosure.upper())
}

/// With one discount a positional strategy is the best there is: the most, or the least if it counts against the welfare.
#[test]
fn own_best_is_the_best_of_all_positional_strategies() {
    let mut least = 0;
    for (seed, plain) in models() {
        let model = Model::from(plain.model());
        let start = model.start().index();
        let never = StopSignal::default();
        let raised = StopSignal::default();
        raised.raise();
        let exact = solve(&model, &Options { engine: Engine::Exact, ..Options::default() });
        let own = own_best(&model, &exact, &never);
        let bounds = own_best(&model, &exact, &raised);
        let certified = solve(&model, &Options { engine: Engine::Within(1e-7), ..Options::default() });
        let narrow = own_best(&model, &certified, &never);
        for (p, who) in plain.principals.iter().enumerate() {
            let reward = |state: usize, choice: usize| plain.states[state][choice].rewards[p].clone();
            let worth = |policy: Vec<usize>| positional(&plain, &policy, &who.discount, reward)[start].clone();
            let all = all_policies(&plain).into_iter().map(worth);
            let right = if who.weight.is_negative() { all.min() } else { all.max() }.expect("a strategy");
            least += usize::from(who.weight.is_negative());
            assert_eq!(own[p].exact.as_ref().map(from_solver), Some(right.clone()), "seed {seed}, principal {p}");
            assert!(encloses(&narrow[p], &right), "seed {seed}, principal {p}: {:?} and {right}", narrow[p]);
            assert!(encloses(&bounds[p], &right), "seed {seed}, principal {p}: {:?} and {right}", bounds[p]);
        }
    }
    assert!(least > 20, "{least} principals with a negative weight");
}

/// A positional strategy that is said to be as good earns the optimum, and one that earns it is found.
#[test]
fn counting_is_called_unneeded_if_and_only_if_a_positional_strategy_earns_the_optimum() {
    let (mut found, mut counted) = (0, 0);
    for (seed, plain) in models() {
        let model = Model::from(plain.model());
        let start = model.start();
        let answer = solve(&model, &Options { engine: Engine::Exact, ..Options::default() });
        let Some(best) = answer.welfare(start).exact.as_ref().map(from_solver) else { continue };
        let earns = |policy: &Vec<usize>| weighted(&plain, &payoffs(&plain, &[], policy))[start.index()].clone();
        let exists = all_policies(&plain).iter().any(|policy| earns(policy) == best);
        let beside = alternatives(&model, &answer, &StopSignal::default());
        assert_eq!(beside.positional.is_some(), exists, "seed {seed}");
        if let Some(strategy) = &beside.positional {
            let position = |state: usize| strategy.tail(state.into()).index() - plain.first_choice(state);
            let policy: Vec<usize> = (0..plain.states.len()).map(position).collect();
            assert_eq!(earns(&policy), best, "seed {seed}");
        }
        if let Some(other) = &beside.payoffs {
            let exact = other.iter().map(|payoff| from_solver(payoff.exact.as_ref().expect("exact payoffs")));
            let welfare = exact
                .zip(&plain.principals)
                .fold(Q::new(0.into(), 1.into()), |sum, (payoff, who)| sum + payoff * &who.weight);
            assert_eq!(welfare, best, "seed {seed}");
            let own: Vec<Value> = (0..other.len()).map(|p| answer.payoff(p.into(), start)).collect();
            assert_ne!(*other, own, "seed {seed}");
        }
        found += usize::from(exists);
        counted += usize::from(!exists);
    }
    assert!(found > 20 && counted > 20, "{found} without counting, {counted} with");
}
