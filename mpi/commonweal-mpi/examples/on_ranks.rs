//! The engine on ranks, asked what the program cannot be asked:
//! - `mpirun -n 3 on_ranks exact 500`: whether the exact welfare of 500 small models lies inside the bounds, in one start. Every
//!   model is cut anywhere, so that all ranks have some of its few states. `on_ranks exact 500 wrong` makes the values of ghosts a
//!   millionth larger, and must fail.
//! - `mpirun -n 3 on_ranks sums 20000`: a number that depends on every bit of the bounds of a band, which does not depend on the
//!   number of ranks. `on_ranks sums 20000 plain` adds up inner products rank by rank, as plain reductions do, and it does.

#[allow(dead_code)]
#[path = "../src/checkpoint.rs"]
mod checkpoint;
#[path = "../src/ranks.rs"]
mod ranks;

use checkpoint::{Checkpoints, mixed};
use commonweal::internals::certified::{SharedModel, solve_shared};
use commonweal::internals::exact;
use commonweal::internals::families::{LargeFamily, Neighbourhood, Seeded};
use commonweal::internals::model::{Mdp, ModelBuilder, OwnStates, Principal, StateId, StateSource};
use commonweal::internals::number::parse_rational;
use commonweal::internals::ranks::Ranks;
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::structure::PrincipalId;
use commonweal::{Answer, Options, Rational};
use petsc_shim::{Halo, Job};
use ranks::MpiRanks;
use std::ops::Range;

const GAP: f64 = 1e-9;

fn main() {
    let job = Job::begin();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse().expect("a number");
    match *arguments.as_slice() {
        ["exact", n] => exact_is_inside(&job, number(n), Fault::None),
        ["exact", n, "wrong"] => exact_is_inside(&job, number(n), Fault::WrongGhosts),
        ["sums", n] => bits_of_a_band(&job, number(n), Fault::None),
        ["sums", n, "plain"] => bits_of_a_band(&job, number(n), Fault::PlainSums),
        _ => panic!("exact N [wrong], or sums STATES [plain]"),
    }
}

/// What is wrong with the ranks, on purpose.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// The values of ghosts are a millionth too large.
    WrongGhosts,
    /// Each rank adds up its own numbers first.
    PlainSums,
}

/// The ranks of the program, with a fault.
struct Faulty<'a> {
    ranks: MpiRanks<'a>,
    fault: Fault,
}

impl Ranks for Faulty<'_> {
    fn n_ghosts(&self) -> usize {
        self.ranks.n_ghosts()
    }

    fn refresh(&self, values: &mut [f64], width: usize) {
        self.ranks.refresh(values, width);
        if self.fault == Fault::WrongGhosts {
            let ghosts = values.len() - self.n_ghosts() * width;
            values[ghosts..].iter_mut().for_each(|value| *value *= 1.0 + 1e-6);
        }
    }

    fn refresh_steps(&self, steps: &mut [u64]) {
        self.ranks.refresh_steps(steps);
    }

    fn greatest(&self, numbers: &mut [f64]) {
        self.ranks.greatest(numbers);
    }

    fn sum(&self, number: u64) -> u64 {
        self.ranks.sum(number)
    }

    fn in_order(&self, numbers: Vec<f64>) -> Vec<f64> {
        self.ranks.in_order(if self.fault == Fault::PlainSums { vec![numbers.iter().sum()] } else { numbers })
    }

    fn position(&self, state: usize) -> usize {
        self.ranks.position(state)
    }

    fn most_together(&self) -> Option<u64> {
        self.ranks.most_together()
    }

    fn stop_reason(&self, stop: &StopSignal) -> Option<StopReason> {
        self.ranks.stop_reason(stop)
    }
}

/// What the engine makes of the own states of `range`, and what is made of that.
fn solved<T>(
    job: &Job,
    source: &dyn StateSource,
    range: Range<u64>,
    (fault, most_together): (Fault, u64),
    of: impl Fn(&OwnStates, Answer) -> T,
) -> T {
    let own = OwnStates::of(source, range).expect("the model is valid");
    let halo = Halo::new(job, own.model.structure().n_states(), &own.ghosts);
    let checkpoints = Checkpoints::new(job, None, u64::MAX, 0, &own);
    let ranks = MpiRanks { job, halo: &halo, own: &own, checkpoints: &checkpoints, most_together };
    let ranks = Faulty { ranks, fault };
    let shared = SharedModel { model: &own.model, ranks: &ranks };
    of(&own, solve_shared(shared, GAP, &Options::default()))
}

/// Solves small models on ranks, all together, and in fractions, each rank some of them.
fn exact_is_inside(job: &Job, n_models: u64, fault: Fault) {
    let (mut n_shared, mut n_within) = (0, 0);
    let mut bounds = Vec::new();
    for seed in 0..n_models {
        let model = small_model(seed).to_doubles().expect("rewards are small");
        let n_states = model.n_states() as u64;
        // The first ranks have one state each, or two of every second model; the last has the others.
        let at = |rank: usize| match rank == job.size() {
            true => n_states,
            false => (rank as u64 * (1 + seed % 2)).min(n_states),
        };
        // Every third model is evaluated by inner products alone.
        let setting = (fault, if seed % 3 == 0 { 0 } else { 1 << 20 });
        let (is_shared, is_within, own) =
            solved(job, &model, at(job.rank())..at(job.rank() + 1), setting, |own, answer| {
                let ends = own.model.states().map(|state| answer.welfare_enclosure(state));
                let ends: Vec<f64> = ends.flat_map(|bounds| [bounds.lower(), bounds.upper()]).collect();
                (job.sum((!own.ghosts.is_empty()).into()) == job.size() as u64, answer.claim().is_within(), ends)
            });
        bounds.push(job.gather(&own));
        n_shared += u64::from(is_shared);
        n_within += u64::from(is_within);
    }
    let (mut n_fractions, mut n_enclosed, mut n_outside) = (0, 0, 0);
    for (seed, bounds) in (0..).zip(&bounds).skip(job.rank()).step_by(job.size()) {
        let exact = exact::solve(&small_model(seed), &Options::default());
        for (state, ends) in bounds.chunks(2).enumerate() {
            let welfare = exact.welfare(StateId::from(state));
            let is_inside = match &welfare.exact {
                Some(exact) => {
                    n_fractions += 1;
                    let [lower, upper] = [ends[0], ends[1]].map(Rational::try_from);
                    lower.is_ok_and(|lower| lower <= *exact) && upper.is_ok_and(|upper| *exact <= upper)
                }
                // Of long strategies the exact engine knows close bounds.
                None => {
                    n_enclosed += 1;
                    ends[0] <= welfare.enclosure.upper() && welfare.enclosure.lower() <= ends[1]
                }
            };
            n_outside += u64::from(!is_inside);
        }
    }
    let [n_fractions, n_enclosed, n_outside] = [n_fractions, n_enclosed, n_outside].map(|n| job.sum(n));
    if job.rank() == 0 {
        println!(
            "{n_models} models, of which {n_shared} have ghosts on every rank, {n_within} within the gap: {n_outside} of {} states have a welfare \
             outside the bounds; it is known as a fraction for {n_fractions}",
            n_fractions + n_enclosed
        );
    }
    assert!(job.size() == 1 || 4 * n_shared > 3 * n_models, "models are shared: {n_shared}");
    assert!(fault != Fault::None || 4 * n_within > 3 * n_models, "bounds are narrow: {n_within}");
    assert!(2 * n_fractions > n_enclosed, "fractions are known: {n_fractions}");
    assert!(n_outside == 0, "the exact welfare is inside the bounds, but for {n_outside} states");
}

/// A small model of any shape, with costs, ties, discounts of 0, of nearly 1, and ones that principals share.
fn small_model(seed: u64) -> Mdp {
    // One patient principal, or some who share that discount: walks are short, and many models are solved in a minute.
    const PATIENT: [&str; 6] = ["2/3", "0.9", "0.99", "0.999", "99999/100000", "0.9999999"];
    const OTHERS: [&str; 6] = ["0", "1/10", "1/3", "1/2", "2/3", "3/4"];
    const WEIGHTS: [i64; 5] = [1, 1, 1, -1, 2];
    let mut random = Seeded::new(seed);
    let mut below = |end: usize| random.below(end as u64) as usize;
    let n_principals = 1 + below(5);
    let principal = |i: usize, discount: &str| {
        let discount = parse_rational(discount).expect("a number");
        Principal::new(format!("p{i}"), discount).expect("a discount")
    };
    let patient = PATIENT[below(PATIENT.len())];
    let discounts = (0..n_principals).map(|i| match i == 0 || below(5) == 0 {
        true => principal(i, patient),
        false => principal(i, OTHERS[below(OTHERS.len())]),
    });
    let principals = discounts.collect();
    let weights: Vec<i64> = (0..n_principals).map(|_| WEIGHTS[below(WEIGHTS.len())]).collect();
    let n_states = 5 + below(12);
    let shape = below(5);
    // Few different rewards make ties.
    let most = [1, 2, 10, 1_000_000][below(4)];
    let names: Vec<String> = (0..n_states).map(|state| format!("s{state}")).collect();
    let mut builder = ModelBuilder::new(principals, names.iter().map(String::as_str)).expect("a model");
    for state in 0..n_states {
        for action in 0..1 + below(3) {
            let next = (state + 1) % n_states;
            let mut targets = match shape {
                // A chain that goes on or back, ends that are never left, a ring, and anything.
                0 => vec![(next + below(2) * (n_states - 1)) % n_states],
                1 if state + 2 >= n_states => vec![state],
                2 => vec![next, (state + n_states - 1) % n_states],
                _ => (0..1 + below(4)).map(|_| below(n_states)).collect(),
            };
            targets.sort_unstable();
            targets.dedup();
            let shares: Vec<usize> = targets.iter().map(|_| 1 + below(6)).collect();
            let whole = Rational::from(shares.iter().sum::<usize>());
            let row = targets.into_iter().zip(shares);
            let row = row.map(|(target, share)| (StateId::from(target), Rational::from(share) / whole.clone()));
            let rewards = (0..n_principals).map(|_| Rational::from(below(2 * most + 1)) - Rational::from(most));
            let (rewards, row): (Vec<_>, Vec<_>) = (rewards.collect(), row.collect());
            builder.choice(StateId::from(state), &format!("a{action}"), rewards, row).expect("a choice");
        }
    }
    let mut model = builder.finish().expect("every state has a choice");
    for (p, weight) in weights.into_iter().enumerate() {
        model = model.with_weight(PrincipalId::from(p), Rational::from(weight));
    }
    model
}

/// A number from all bits of the bounds of a band, on this number of ranks.
fn bits_of_a_band(job: &Job, n_states: u64, fault: Fault) {
    let discounts = ["0.99", "0.9"].map(|text| parse_rational(text).expect("a number")).to_vec();
    let neighbourhood = Neighbourhood::Band;
    let size = usize::try_from(n_states).expect("a size");
    let family = LargeFamily { neighbourhood, n_states: size, n_actions: 2, n_successors: 5, discounts, seed: 5 };
    let source = family.state_by_state().expect("a family");
    let range = OwnStates::range(n_states, job.rank(), job.size());
    let bits = solved(job, &source, range, (fault, 0), |own, answer| {
        let of_state = |state: StateId| {
            let bounds = answer.welfare_enclosure(state);
            let of_all = mixed(own.range.start + state.index() as u64);
            mixed(mixed(of_all ^ bounds.lower().to_bits()) ^ bounds.upper().to_bits())
        };
        job.sum(own.model.states().map(of_state).fold(0, u64::wrapping_add))
    });
    if job.rank() == 0 {
        println!("{bits:016x}");
    }
}
