//! The certified engine on several ranks, here threads of one process: whatever is reported is the same, bit by bit, as that
//! of the engine on one, wherever the model is cut.

use commonweal::internals::certified::{self, SharedModel};
use commonweal::internals::families::{LargeFamily, Neighbourhood, RandomFamily};
use commonweal::internals::io::{
    Discounts, ReadOptions, UnpackedUmb, read_preference, read_strategy_log, unpack_umb, write_umb,
};
use commonweal::internals::model::{self, Mdp, OwnStates, PrincipalId, StateId};
use commonweal::internals::number::parse_rational;
use commonweal::internals::ranks::{Archive, Moment, Ranks, Resumable};
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::internals::strategy::Strategy;
use commonweal::{Answer, Claim, Options};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::ops::Range;
use std::sync::{Barrier, Mutex, RwLock};

const GAP: f64 = 1e-9;

/// Where the ranks of a test meet: each puts down what it has, and takes what it needs of all.
struct Table {
    barrier: Barrier,
    numbers: RwLock<Vec<Vec<u64>>>,
}

impl Table {
    fn new(n_ranks: usize) -> Table {
        Table { barrier: Barrier::new(n_ranks), numbers: RwLock::new(vec![Vec::new(); n_ranks]) }
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
        self.table.numbers.write().unwrap()[self.rank] = numbers;
        self.table.barrier.wait();
        let found = of(&self.table.numbers.read().unwrap());
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

/// What each of some ranks makes of the states of its range.
fn of_ranks<T: Send>(
    model: &Mdp<f64>,
    ranges: &[Range<u64>],
    setting: Setting,
    options: &Options,
    of: impl Fn(SharedModel, Answer) -> T + Sync,
) -> Vec<T> {
    let table = Table::new(ranges.len());
    let of_rank = |rank: usize| {
        let own = OwnStates::of(model, ranges[rank].clone()).unwrap();
        let ranks = Rank { table: &table, rank, ranges, ghosts: &own.ghosts, setting };
        let shared = SharedModel { model: &own.model, ranks: &ranks };
        of(shared, certified::solve_shared(shared, GAP, options))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..ranges.len()).map(|rank| scope.spawn(move || of_rank(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// What each state is told by `n_ranks` ranks, and the claims.
fn on_ranks(model: &Mdp<f64>, n_ranks: usize, setting: Setting, options: &Options) -> (Vec<String>, Claim, String) {
    let ranges: Vec<Range<u64>> =
        (0..n_ranks).map(|rank| OwnStates::range(model.n_states() as u64, rank, n_ranks)).collect();
    let found = of_ranks(model, &ranges, setting, options, |shared, answer| {
        let of_states: Vec<String> = shared.model.states().map(|state| said(shared.model, &answer, state)).collect();
        // What all ranks put together is what each of them says; plain sums put nothing together.
        if !setting.plain_sums {
            let all = certified::put_together(shared, &answer, model);
            for (state, own) in of_states.iter().enumerate() {
                assert_eq!(said(model, &all, StateId::from(shared.ranks.position(state))), *own);
            }
        }
        (of_states, answer.claim(), format!("{} {:?}", answer.horizon(), answer.long_term_is_proven()))
    });
    let (_, claim, horizon) = found[0].clone();
    assert!(found.iter().all(|one| one.1 == claim && one.2 == horizon), "all ranks say the same");
    (found.into_iter().flat_map(|one| one.0).collect(), claim, horizon)
}

fn family(neighbourhood: Neighbourhood, n_states: usize, discounts: &[&str]) -> Mdp<f64> {
    let discounts = discounts.iter().map(|discount| parse_rational(discount).unwrap()).collect();
    LargeFamily { neighbourhood, n_states, n_actions: 2, n_successors: 5, discounts, seed: 3 }.model().unwrap()
}

/// The same with time preferences as a model file states them.
fn preferring(model: Mdp<f64>, entries: &[&str]) -> Mdp<f64> {
    let preferring = |model: Mdp<f64>, (p, entry): (usize, &&str)| {
        model.with_preference(p.into(), read_preference("p", entry).unwrap()).unwrap()
    };
    entries.iter().enumerate().fold(model, preferring)
}

/// Time preferences in segments and mixtures, beside plain ones.
const PREFERENCES: [(&str, &[&str]); 6] = [
    ("schedule", &["{schedule: {0: 20%, 3: 10%, 9: 5%}}", "{discount: 0.8}"]),
    ("until", &["{discount: 0.95, until: 7}", "{discount: 0.9}"]),
    ("nothing in the end", &["{discount: 0.95, until: 7}", "{discount: 0.9, until: 3}"]),
    ("beta-delta", &["{beta: 0.6, delta: 0.9}", "{discount: 0.8}"]),
    ("survey", &["{survey: [2%, 30%, 10%]}", "{discount: 0.8}"]),
    ("gamma", &["{gamma: {mean: 30%, sd: 20%}, error: 1e-3}", "{discount: 0.8, until: 5}"]),
];

/// Two blocks and a bit more, three and a bit more, and fewer blocks than ranks. Threads that wait for each other take long, so that
/// models take turns with 2, 3 and 4 ranks.
#[test]
fn any_number_of_ranks_says_the_same_as_one() {
    use Neighbourhood::{Band, Uniform};
    let options = Options::default();
    let preferring =
        PREFERENCES.map(|(what, entries)| (what, preferring(family(Uniform, 8_400, &["0.9", "0.8"]), entries)));
    let mut turns = [2, 3, 4].into_iter().cycle();
    for (what, model) in [
        ("uniform", family(Uniform, 8_400, &["0.95", "0.65", "0.35", "0.2"])),
        ("band", family(Band, 12_400, &["0.99", "0.9"])),
        ("patient band", family(Band, 8_400, &["0.9999", "0.9998", "0.9997"])),
        ("shared discounts", family(Uniform, 8_400, &["0.9", "0.5", "0.9", "0.5"])),
    ]
    .into_iter()
    .chain(preferring)
    {
        let whole = certified::solve(&model, GAP, &options);
        // With discounts so near to each other and to 1 doubles do not reach the gap; the bounds that they have are compared.
        assert!(whole.claim().is_within() || what == "patient band", "{what}: {:?}", whole.claim());
        let expected: Vec<String> = model.states().map(|state| said(&model, &whole, state)).collect();
        let n_ranks = if what == "shared discounts" { vec![1, 4] } else { turns.by_ref().take(1).collect() };
        for n_ranks in n_ranks {
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

/// Ranks may be cut anywhere: the bounds hold, if not with the same last digits.
#[test]
fn exact_welfare_lies_inside_the_bounds_of_three_ranks() {
    let mut n_within = 0;
    for seed in 0..300 {
        let discounts = [&["0.99", "0.9"][..], &["2/3", "1/3"], &["0.9", "0.9", "0.4"], &["0.999", "1/2", "0"]];
        let discounts = discounts[seed as usize % 4].iter().map(|text| parse_rational(text).unwrap()).collect();
        let n_states = 3 + seed as usize % 9;
        let (n_actions, n_successors) = (2 + seed as usize % 2, 1 + seed as usize % 3);
        let max_reward = 10u64.pow(1 + seed as u32 % 8);
        let family =
            RandomFamily { n_states, n_actions, n_successors, discounts, max_denominator: 12, max_reward, seed };
        let mut model = family.model().unwrap();
        if seed % 3 == 0 {
            // Without the mixture: its own error widens the bounds.
            let (_, entries) = PREFERENCES[seed as usize / 3 % 5];
            for (p, entry) in entries.iter().enumerate() {
                model = model.with_preference(p.into(), read_preference("p", entry).unwrap()).unwrap();
            }
        }
        let exact = commonweal::internals::exact::solve(&model, &Options::default());
        let doubles = model.to_doubles().unwrap();
        let cut = [0, 1 + seed % 2, n_states as u64 - 1, n_states as u64];
        let ranges: Vec<Range<u64>> = cut.windows(2).map(|ends| ends[0]..ends[1]).collect();
        let bounds = of_ranks(&doubles, &ranges, APART, &Options::default(), |shared, answer| {
            let bounds: Vec<_> = shared.model.states().map(|state| answer.welfare_enclosure(state)).collect();
            (bounds, answer.claim().is_within())
        });
        n_within += usize::from(bounds.iter().all(|(_, is_within)| *is_within));
        for (state, found) in model.states().zip(bounds.iter().flat_map(|(bounds, _)| bounds)) {
            let exact = exact.welfare_enclosure(state);
            assert!(
                found.lower() <= exact.lower() && exact.upper() <= found.upper(),
                "seed {seed}: {exact:?} {found:?}"
            );
        }
    }
    assert!(n_within > 290, "{n_within}");
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

/// The files of a stage, as words; records with their state.
#[derive(Clone, Default)]
struct Words(Vec<Vec<u64>>);

struct Saving<'a>(&'a mut Words);

impl Archive for Saving<'_> {
    fn numbers(&mut self, numbers: &mut Vec<u64>) {
        self.0.0.push(numbers.clone());
    }

    fn of_states(&mut self, numbers: &mut Vec<u64>) {
        self.0.0.push(numbers.clone());
    }

    fn records(&mut self, records: &mut Vec<(u32, [u64; 2])>) {
        self.0.0.push(records.iter().flat_map(|(state, [a, b])| [u64::from(*state), *a, *b]).collect());
    }
}

struct Loading<'a>(std::slice::Iter<'a, Vec<u64>>);

impl Archive for Loading<'_> {
    fn numbers(&mut self, numbers: &mut Vec<u64>) {
        numbers.clone_from(self.0.next().unwrap());
    }

    fn of_states(&mut self, numbers: &mut Vec<u64>) {
        numbers.clone_from(self.0.next().unwrap());
    }

    fn records(&mut self, records: &mut Vec<(u32, [u64; 2])>) {
        let words = self.0.next().unwrap().chunks_exact(3);
        *records = words.map(|word| (word[0] as u32, [word[1], word[2]])).collect();
    }
}

/// One rank that keeps checkpoints in memory, each of which is all stages so far by their names.
#[derive(Default)]
struct Keeper {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    stages: BTreeMap<String, Words>,
    n_begun: [u64; 2],
    checkpoints: Vec<BTreeMap<String, Words>>,
}

impl Known {
    fn name(&self, stage: Resumable) -> String {
        match stage {
            Resumable::LongTerm => format!("long-term-{}", self.n_begun[0]),
            Resumable::Optimum(i) => format!("long-term-{}.{i}", self.n_begun[0]),
            Resumable::Walk => format!("walk-{}", self.n_begun[1]),
        }
    }
}

impl Ranks for Keeper {
    fn keeps(&self) -> bool {
        true
    }

    fn resume(&self, stage: Resumable, load: &mut dyn FnMut(&mut dyn Archive)) -> bool {
        let mut known = self.known.lock().unwrap();
        match stage {
            Resumable::LongTerm => known.n_begun[0] += 1,
            Resumable::Optimum(_) => {}
            Resumable::Walk => known.n_begun[1] += 1,
        }
        let Some(words) = known.stages.get(&known.name(stage)).cloned() else { return false };
        load(&mut Loading(words.0.iter()));
        true
    }

    fn keep(&self, stage: Resumable, _moment: Moment, save: &mut dyn FnMut(&mut dyn Archive)) {
        let mut known = self.known.lock().unwrap();
        let mut words = Words::default();
        save(&mut Saving(&mut words));
        let name = known.name(stage);
        known.stages.insert(name, words);
        let checkpoint = known.stages.clone();
        known.checkpoints.push(checkpoint);
    }
}

/// From every checkpoint of a model in segments the computation goes on to the same answer, whatever segment it was in.
#[test]
fn every_checkpoint_leads_to_the_same_answer() {
    for (what, entries) in PREFERENCES {
        let model = preferring(family(Neighbourhood::Uniform, 300, &["0.9", "0.8"]), entries);
        let solved = |keeper: &Keeper| {
            let answer =
                certified::solve_shared(SharedModel { model: &model, ranks: keeper }, GAP, &Options::default());
            model.states().map(|state| said(&model, &answer, state)).collect::<Vec<String>>()
        };
        let keeper = Keeper::default();
        let expected = solved(&keeper);
        let checkpoints = keeper.known.into_inner().unwrap().checkpoints;
        let n_walks = |stages: &BTreeMap<String, Words>| stages.keys().filter(|name| name.starts_with("walk")).count();
        let n_segments = model.principals().iter().map(|principal| principal.segments().len()).max().unwrap();
        assert!(checkpoints.iter().any(|stages| n_walks(stages) == n_segments), "{what}");
        for (at, stages) in checkpoints.iter().enumerate() {
            // All of earlier segments, and some of the others.
            if n_walks(stages) < 2 && at % 7 != 0 {
                continue;
            }
            let keeper = Keeper { known: Mutex::new(Known { stages: stages.clone(), ..Known::default() }) };
            assert_eq!(solved(&keeper), expected, "{what}, checkpoint {at} of {}", checkpoints.len());
        }
    }
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

/// What a rank reads of a UMB file is what it keeps of the whole model, and an archive that does not fit its index is refused.
#[test]
fn a_rank_reads_its_part_of_a_umb_file() {
    let model = family(Neighbourhood::Uniform, 9_000, &["0.9", "0.5"]);
    let mut bytes = Vec::new();
    write_umb(&model, &mut bytes).unwrap();
    let options =
        ReadOptions::new(Discounts::InOrder(["0.9", "0.5"].map(|text| parse_rational(text).unwrap()).to_vec()));
    let read_of = |bytes: &[u8], at: u64, room: &mut [u8]| match bytes.get(at as usize..at as usize + room.len()) {
        Some(part) => {
            room.copy_from_slice(part);
            Ok(())
        }
        None => Err("the file ends early".to_owned()),
    };
    let found = UnpackedUmb::find(Cursor::new(&bytes)).unwrap().expect("it is not packed");
    assert_eq!(found.n_states(), 9_000);
    for n_ranks in 1..4 {
        for rank in 0..n_ranks {
            let range = OwnStates::range(9_000, rank, n_ranks);
            let slice = found.slice(range.clone(), &options, &|at, room| read_of(&bytes, at, room)).unwrap();
            let [of_slice, of_whole] =
                [&slice as &dyn model::StateSource, &model].map(|source| OwnStates::of(source, range.clone()).unwrap());
            assert_eq!(
                (model::StateSource::start(&slice), model::StateSource::start_name(&slice)),
                (0, "0".to_owned())
            );
            assert_eq!(of_slice.ghosts, of_whole.ghosts);
            for (one, other) in of_slice.model.states().zip(of_whole.model.states()) {
                assert!(of_slice.model.choices(one).eq(of_whole.model.choices(other)));
                for choice in of_slice.model.choices(one) {
                    assert_eq!(of_slice.model.action_name(choice), of_whole.model.action_name(choice));
                    assert_eq!(of_slice.model.targets(choice), of_whole.model.targets(choice));
                    assert_eq!(of_slice.model.probabilities(choice), of_whole.model.probabilities(choice));
                    assert_eq!(of_slice.model.rewards(choice), of_whole.model.rewards(choice));
                }
            }
        }
    }
    // A packed file has no parts, and a file that ends early is refused, wherever that is noticed.
    assert!(UnpackedUmb::find(Cursor::new(b"\x1f\x8b\x08 and so on")).unwrap().is_none());
    assert!(UnpackedUmb::find(Cursor::new(&bytes[..bytes.len() / 2])).is_err());
    let short = |at: u64, room: &mut [u8]| read_of(&bytes[..bytes.len() / 2], at, room);
    assert!(found.slice(0..9_000, &options, &short).is_err());
    // Offsets that decrease.
    let at = (0..bytes.len()).step_by(512).find(|&at| bytes[at..].starts_with(b"state-to-choices.bin")).unwrap() + 512;
    let mut spoilt = bytes.clone();
    spoilt[at + 80..at + 88].copy_from_slice(&1u64.to_le_bytes());
    let error = found.slice(0..9_000, &options, &|at, room| read_of(&spoilt, at, room)).unwrap_err();
    assert!(error.to_string().contains("state-to-choices.bin: offset 10 is 1"), "{error}");
}

/// Unpacking writes what was packed, and the strategy log of a folder is the strategy.
#[test]
fn files_of_ranks_are_read_back() {
    let model = family(Neighbourhood::Band, 500, &["0.99", "0.5"]);
    let mut bytes = Vec::new();
    write_umb(&model, &mut bytes).unwrap();
    let mut unpacked = Vec::new();
    unpack_umb(&bytes[..], &mut unpacked).unwrap();
    assert_eq!(bytes, unpacked);
    assert!(unpack_umb(&bytes[..bytes.len() - 2_000], &mut Vec::new()).is_err());

    let answer = certified::solve(&model, GAP, &Options::default());
    let (mut firsts, mut records) = (Vec::new(), Vec::new());
    for state in model.states() {
        let first = model.choices(state).next().unwrap().index();
        firsts.extend((records.len() as u64 / 16).to_le_bytes());
        for change in answer.strategy().changes(state) {
            records.extend(u64::try_from(&change.from).unwrap().to_le_bytes());
            records.extend(((change.choice.index() - first) as u64).to_le_bytes());
        }
    }
    let read = read_strategy_log(model.structure(), &firsts, &records).unwrap();
    assert_eq!(read, Strategy::Counting(answer.strategy().clone()));
    let refused =
        |firsts: &[u8], records: &[u8]| read_strategy_log(model.structure(), firsts, records).unwrap_err().to_string();
    assert!(refused(&firsts[8..], &records).contains("500 states"));
    assert!(refused(&firsts, &records[..records.len() - 1]).contains("middle of a record"));
    assert!(refused(&firsts, &records[..records.len() - 16]).contains("state 499 has no records"));
    let mut other = records.clone();
    other[8] = 9;
    assert!(refused(&firsts, &other).contains("state 0 takes an action that it does not have"));
    other = records.clone();
    other[0] = 1;
    assert!(refused(&firsts, &other).contains("state 0 has records that are not in the order"));
}
