//! The certified engine on several ranks, here threads of one process: whatever is reported is the same, bit by bit, as that
//! of the engine on one, wherever the model is cut.

use commonweal::internals::certified::{self, SharedModel};
use commonweal::internals::families::{LargeFamily, Neighbourhood};
use commonweal::internals::model::{Mdp, OwnStates, PrincipalId, StateId};
use commonweal::internals::number::parse_rational;
use commonweal::internals::ranks::Ranks;
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::{Answer, Claim, Options};
use std::ops::Range;
use std::sync::{Barrier, Mutex};

const GAP: f64 = 1e-9;

/// Where the ranks of a test meet: each puts down what it has, and takes what it needs of all.
struct Table {
    barrier: Barrier,
    numbers: Mutex<Vec<Vec<u64>>>,
}

impl Table {
    fn new(n_ranks: usize) -> Table {
        Table { barrier: Barrier::new(n_ranks), numbers: Mutex::new(vec![Vec::new(); n_ranks]) }
    }
}

struct Rank<'a> {
    table: &'a Table,
    rank: usize,
    ranges: &'a [Range<u64>],
    ghosts: &'a [u64],
    setting: Setting,
}

/// How ranks work together.
#[derive(Clone, Copy)]
struct Setting {
    most_together: u64,
    /// Whether each rank adds up its own numbers first, as plain reductions do.
    plain_sums: bool,
}

const TOGETHER: Setting = Setting { most_together: 1 << 20, plain_sums: false };
const APART: Setting = Setting { most_together: 0, plain_sums: false };

impl Rank<'_> {
    /// What `of` makes of the numbers of all ranks.
    fn meet<T>(&self, numbers: Vec<u64>, of: impl FnOnce(&[Vec<u64>]) -> T) -> T {
        self.table.numbers.lock().unwrap()[self.rank] = numbers;
        self.table.barrier.wait();
        let found = of(&self.table.numbers.lock().unwrap());
        self.table.barrier.wait();
        found
    }

    fn n_own(&self) -> usize {
        (self.ranges[self.rank].end - self.ranges[self.rank].start) as usize
    }
}

impl Ranks for Rank<'_> {
    fn n_ghosts(&self) -> usize {
        self.ghosts.len()
    }

    fn refresh(&self, values: &mut [f64], width: usize) {
        let own = values[..self.n_own() * width].iter().map(|x| x.to_bits()).collect();
        let fetched = self.meet(own, |all| {
            let of_ghost = |&ghost: &u64| {
                let rank = self.ranges.iter().position(|range| range.contains(&ghost)).unwrap();
                let at = (ghost - self.ranges[rank].start) as usize * width;
                all[rank][at..at + width].to_vec()
            };
            self.ghosts.iter().flat_map(of_ghost).collect::<Vec<u64>>()
        });
        let room = &mut values[self.n_own() * width..];
        assert_eq!(room.len(), fetched.len(), "room for every ghost");
        room.iter_mut().zip(fetched).for_each(|(value, bits)| *value = f64::from_bits(bits));
    }

    fn refresh_steps(&self, steps: &mut [u64]) {
        let mut values: Vec<f64> = steps.iter().map(|&step| f64::from_bits(step)).collect();
        self.refresh(&mut values, 1);
        steps.iter_mut().zip(values).for_each(|(step, value)| *step = value.to_bits());
    }

    fn greatest(&self, numbers: &mut [f64]) {
        assert!(numbers.iter().all(|x| !x.is_nan()), "a maximum of NaN");
        let greatest = self.meet(numbers.iter().map(|x| x.to_bits()).collect(), |all| {
            let at = |i: usize| all.iter().map(|own| f64::from_bits(own[i])).fold(f64::NEG_INFINITY, f64::max);
            (0..numbers.len()).map(at).collect::<Vec<f64>>()
        });
        numbers.copy_from_slice(&greatest);
    }

    fn sum(&self, number: u64) -> u64 {
        self.meet(vec![number], |all| all.iter().map(|own| own[0]).sum())
    }

    fn in_order(&self, numbers: Vec<f64>) -> Vec<f64> {
        let numbers = if self.setting.plain_sums { vec![numbers.iter().sum()] } else { numbers };
        self.meet(numbers.iter().map(|x| x.to_bits()).collect(), |all| {
            all.iter().flatten().map(|&bits| f64::from_bits(bits)).collect()
        })
    }

    fn position(&self, state: usize) -> usize {
        match state.checked_sub(self.n_own()) {
            None => self.ranges[self.rank].start as usize + state,
            Some(ghost) => self.ghosts[ghost] as usize,
        }
    }

    fn most_together(&self) -> Option<u64> {
        Some(self.setting.most_together)
    }

    fn stop_reason(&self, stop: &StopSignal) -> Option<StopReason> {
        let stops = self.sum(stop.reason().is_some().into()) > 0;
        stops.then_some(StopReason::Interrupted)
    }
}

/// Everything that is said of a state.
fn said(model: &Mdp<f64>, answer: &Answer, state: StateId) -> String {
    let first = model.choices(state).next().unwrap().index();
    let changes = answer.strategy().changes(state).iter();
    let decisions: Vec<String> =
        changes.map(|change| format!("{}: {}", change.from, change.choice.index() - first)).collect();
    let payoffs: Vec<_> = (0..model.n_principals())
        .map(|p| (answer.payoff(PrincipalId::from(p), state), answer.long_term_payoff(PrincipalId::from(p), state)))
        .collect();
    let long_term: Vec<usize> = answer.long_term_choices(state).iter().map(|choice| choice.index() - first).collect();
    let (welfare, memory) = (answer.welfare(state), answer.memory(state));
    format!("{welfare:?} {payoffs:?} {long_term:?} {memory} {decisions:?}")
}

/// What each state is told by `n_ranks` ranks, and the claims.
fn on_ranks(model: &Mdp<f64>, n_ranks: usize, setting: Setting, options: &Options) -> (Vec<String>, Claim, String) {
    let ranges: Vec<Range<u64>> =
        (0..n_ranks).map(|rank| OwnStates::range(model.n_states() as u64, rank, n_ranks)).collect();
    let table = Table::new(n_ranks);
    let of_rank = |rank: usize| {
        let own = OwnStates::of(model, ranges[rank].clone()).unwrap();
        let ranks = Rank { table: &table, rank, ranges: &ranges, ghosts: &own.ghosts, setting };
        let answer = certified::solve_shared(SharedModel { model: &own.model, ranks: &ranks }, GAP, options);
        let of_states: Vec<String> = own.model.states().map(|state| said(&own.model, &answer, state)).collect();
        (of_states, answer.claim(), format!("{} {:?}", answer.horizon(), answer.long_term_is_proven()))
    };
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_ranks).map(|rank| scope.spawn(move || of_rank(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (_, claim, horizon) = found[0].clone();
    assert!(found.iter().all(|one| one.1 == claim && one.2 == horizon), "all ranks say the same");
    (found.into_iter().flat_map(|one| one.0).collect(), claim, horizon)
}

fn family(neighbourhood: Neighbourhood, n_states: usize, discounts: &[&str]) -> Mdp<f64> {
    let discounts = discounts.iter().map(|discount| parse_rational(discount).unwrap()).collect();
    LargeFamily { neighbourhood, n_states, n_actions: 2, n_successors: 5, discounts, seed: 3 }.model().unwrap()
}

/// Two blocks and a bit more, three and a bit more, and fewer blocks than ranks.
#[test]
fn any_number_of_ranks_says_the_same_as_one() {
    use Neighbourhood::{Band, Uniform};
    let options = Options::default();
    for (what, model) in [
        ("uniform", family(Uniform, 9_000, &["0.95", "0.8", "0.65", "0.5", "0.35", "0.2"])),
        ("band", family(Band, 13_000, &["0.99", "0.9"])),
        ("patient band", family(Band, 9_000, &["0.9999", "0.9998", "0.9997"])),
        ("shared discounts", family(Uniform, 9_000, &["0.9", "0.5", "0.9", "0.5"])),
    ] {
        let whole = certified::solve(&model, GAP, &options);
        let expected: Vec<String> = model.states().map(|state| said(&model, &whole, state)).collect();
        for n_ranks in [1, 2, 3, 4] {
            let (found, claim, horizon) = on_ranks(&model, n_ranks, TOGETHER, &options);
            assert_eq!(
                (claim, &*horizon),
                (whole.claim(), &*format!("{} {:?}", whole.horizon(), whole.long_term_is_proven()))
            );
            for (state, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found, expected, "{what}, state {state}, {n_ranks} ranks");
            }
            assert_eq!(found.len(), expected.len());
        }
    }
}

/// Where no rank may hold all rows, BiCGStab goes by inner products alone: the same on any number of ranks, because these are
/// added up in one order. Added up rank by rank they are not.
#[test]
fn inner_products_do_not_depend_on_the_number_of_ranks() {
    let model = family(Neighbourhood::Band, 13_000, &["0.99", "0.9"]);
    let options = Options::default();
    let on_one = on_ranks(&model, 1, APART, &options);
    assert!(on_one.1.is_within());
    for n_ranks in [2, 3, 4] {
        assert!(on_ranks(&model, n_ranks, APART, &options) == on_one, "{n_ranks} ranks");
    }
    let plain = Setting { plain_sums: true, ..APART };
    assert!(on_ranks(&model, 3, plain, &options).0 != on_one.0, "plain sums depend on the number of ranks");
}

/// What is stopped says so everywhere, and its bounds hold.
#[test]
fn ranks_stop_together() {
    let model = family(Neighbourhood::Uniform, 9_000, &["0.95", "0.8"]);
    let stop = StopSignal::default();
    stop.raise();
    let (_, claim, _) = on_ranks(&model, 3, TOGETHER, &Options { stop, ..Options::default() });
    assert_eq!(claim, Claim::Stopped(StopReason::Interrupted));
}

#[test]
fn shares_cover_all_states_and_their_ghosts_are_those_of_others() {
    let model = family(Neighbourhood::Band, 13_000, &["1/2"]);
    for n_ranks in 1..6 {
        let mut next = 0;
        for rank in 0..n_ranks {
            let range = OwnStates::range(13_000, rank, n_ranks);
            assert_eq!(range.start, next);
            next = range.end;
            let own = OwnStates::of(&model, range.clone()).unwrap();
            let position = |target: StateId| match (target.index() as u64).checked_sub(range.end - range.start) {
                None => range.start + target.index() as u64,
                Some(ghost) => own.ghosts[ghost as usize],
            };
            for state in own.model.states() {
                let whole = StateId::from((range.start + state.index() as u64) as usize);
                assert_eq!(own.model.state_name(state), model.state_name(whole));
                for (choice, all) in own.model.choices(state).zip(model.choices(whole)) {
                    let found: Vec<u64> = own.model.targets(choice).iter().map(|&target| position(target)).collect();
                    let expected: Vec<u64> = model.targets(all).iter().map(|target| target.index() as u64).collect();
                    assert_eq!(found, expected);
                    assert_eq!(own.model.probabilities(choice), model.probabilities(all));
                    assert_eq!(own.model.rewards(choice), model.rewards(all));
                }
            }
            // The band leads 20 states past either end, and no further.
            assert!(own.ghosts.len() <= 40 && own.ghosts.iter().all(|ghost| !range.contains(ghost)));
        }
        assert_eq!(next, 13_000);
    }
}
