//! The coarsest bisimulation: two states are equivalent if every choice of one has a counterpart in the other with the same
//! rewards and the same probabilities of equivalent states.
//!
//! States and choices are refined in turn. Choices are split by their rewards, then by their probabilities of each block of
//! states; states by the blocks of their choices. A block is used as a splitter once. When it is split later, all parts but the
//! largest are used again: the probability of the largest part follows from the others. So every transition is visited
//! O(log states) times. Numbers are added and compared exactly.

use super::partition::{Part, Partition};
use crate::model::{ChoiceId, Mdp, StateId};
use crate::number::Rational;
use crate::stop::{Pace, StopSignal};
use std::collections::HashMap;
use std::hash::Hash;

/// How the choices of equivalent states correspond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alternatives {
    /// One by one, in the listed order. Then ties are decided in the same way too.
    Listed,
    /// Each choice of one state has a counterpart among the choices of the other. Here every part of a split block of choices is
    /// used as a splitter again: a choice in the union of two parts says nothing about either part.
    Any,
}

/// A probability that is added up exactly.
pub(crate) trait Chance {
    type Sum: Clone + Ord;

    /// The probability as a sum of one term; `None` if sums of such numbers are not exact.
    fn exactly(&self) -> Option<Self::Sum>;

    fn add(sum: &mut Self::Sum, term: &Self::Sum);
}

impl Chance for Rational {
    type Sum = Rational;

    fn exactly(&self) -> Option<Rational> {
        Some(self.clone())
    }

    fn add(sum: &mut Rational, term: &Rational) {
        *sum += term;
    }
}

/// Doubles are added as multiples of 2^-120. Doubles of at least 2^-68 are such multiples, and sums of probabilities do not overflow.
pub(super) const FIXED_BITS: i32 = 120;

impl Chance for f64 {
    type Sum = u128;

    fn exactly(&self) -> Option<u128> {
        const MANTISSA: i32 = 52;
        let bits = self.to_bits();
        let shift = (bits >> MANTISSA) as i32 - 1075 + FIXED_BITS;
        let mantissa = u128::from(bits & ((1 << MANTISSA) - 1) | 1 << MANTISSA);
        (*self <= 1.0 && shift >= 0).then(|| mantissa << shift)
    }

    fn add(sum: &mut u128, term: &u128) {
        *sum += term;
    }
}

/// The class of every state. Classes are numbered by their first states.
#[derive(Debug)]
pub(crate) struct Classes {
    pub(crate) class_of: Vec<u32>,
    /// The first state of each class.
    pub(crate) first: Vec<StateId>,
}

impl Classes {
    /// The coarsest classes of equivalent states, if choices with equal `labels` have equal rewards. `None` if some probability
    /// cannot be added exactly, or if `stop` is raised on the way.
    pub(crate) fn of<N: Chance>(
        model: &Mdp<N>,
        labels: &[u32],
        alternatives: Alternatives,
        stop: &StopSignal,
    ) -> Option<Classes> {
        let chances = model.arrays().probability.iter().map(N::exactly).collect::<Option<Vec<N::Sum>>>()?;
        Refinement::new(model, labels, alternatives, chances).classes(stop)
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }

    pub(crate) fn of_state(&self, state: StateId) -> usize {
        self.class_of[state.index()] as usize
    }

    /// The probability of each class after a choice, in the order of classes.
    pub(crate) fn row<N: Chance>(&self, model: &Mdp<N>, choice: ChoiceId) -> Vec<(usize, N::Sum)> {
        let exactly = |chance: &N| chance.exactly().expect("all chances of a refined model are exact");
        let chance = |(target, chance): (StateId, &N)| (self.of_state(target), exactly(chance));
        let mut row: Vec<_> = model.transitions(choice).map(chance).collect();
        row.sort_by_key(|(class, _)| *class);
        row.dedup_by(|next, last| {
            let same = next.0 == last.0;
            if same {
                N::add(&mut last.1, &next.1);
            }
            same
        });
        row
    }
}

/// A number for each choice, the same for those whose keys are equal.
pub(crate) fn labels<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Vec<u32> {
    let mut known = HashMap::new();
    let label = |key: K| {
        let next = known.len() as u32;
        *known.entry(key).or_insert(next)
    };
    keys.map(label).collect()
}

/// A block by which others are split.
#[derive(Debug, Clone, Copy)]
enum Splitter {
    States(usize),
    Choices(usize),
}

struct Refinement<'a, N, W> {
    model: &'a Mdp<N>,
    alternatives: Alternatives,
    /// The probability of every transition.
    chances: Vec<W>,
    states: Partition,
    choices: Partition,
    /// For each state the transitions that lead to it: where they begin, and each with its choice.
    first_into: Vec<u32>,
    into: Vec<(ChoiceId, u32)>,
    waiting: Vec<Splitter>,
    /// For each block of choices, whether it is in the queue.
    waits: Vec<bool>,
}

impl<'a, N: Chance> Refinement<'a, N, N::Sum> {
    fn new(model: &'a Mdp<N>, labels: &[u32], alternatives: Alternatives, chances: Vec<N::Sum>) -> Self {
        let states = Partition::by(&vec![0; model.n_states()]);
        let choices = match alternatives {
            Alternatives::Any => Partition::by(labels),
            Alternatives::Listed => {
                let places = model.states().flat_map(|state| 0..model.choices(state).len());
                Partition::by(&self::labels(places.zip(labels)))
            }
        };
        let (first_into, into) = transitions_into(model);
        let waiting = (0..choices.n_blocks()).map(Splitter::Choices).chain([Splitter::States(0)]).collect();
        let waits = vec![true; choices.n_blocks()];
        Refinement { model, alternatives, chances, states, choices, first_into, into, waiting, waits }
    }

    fn classes(mut self, stop: &StopSignal) -> Option<Classes> {
        // What a member of a block takes, in products of doubles: lookups in a hash table, additions of long numbers.
        const MEMBER: usize = 100;
        let mut pace = Pace::of(stop);
        // Once all states are separate there is nothing left to split.
        while self.states.n_blocks() < self.model.n_states()
            && let Some(splitter) = self.waiting.pop()
        {
            let members = match splitter {
                Splitter::States(block) => self.states.members(block),
                Splitter::Choices(block) => self.choices.members(block),
            };
            if pace.stops_after(MEMBER * members.len()) {
                return None;
            }
            match splitter {
                Splitter::States(block) => self.split_choices(block),
                Splitter::Choices(block) => self.split_states(block),
            }
        }
        const NOT_YET: u32 = u32::MAX;
        let mut class_of_block = vec![NOT_YET; self.states.n_blocks()];
        let mut first = Vec::with_capacity(self.states.n_blocks());
        let number = |state: StateId| {
            let class = &mut class_of_block[self.states.block_of(state.index())];
            if *class == NOT_YET {
                *class = first.len() as u32;
                first.push(state);
            }
            *class
        };
        let class_of = self.model.states().map(number).collect();
        Some(Classes { class_of, first })
    }

    /// Splits choices by their probabilities of a block of states.
    fn split_choices(&mut self, block: usize) {
        let mut chances: HashMap<ChoiceId, N::Sum> = HashMap::new();
        for &state in self.states.members(block) {
            let into = self.first_into[state as usize] as usize..self.first_into[state as usize + 1] as usize;
            for &(choice, transition) in &self.into[into] {
                let chance = &self.chances[transition as usize];
                let add = |sum: &mut N::Sum| N::add(sum, chance);
                chances.entry(choice).and_modify(add).or_insert_with(|| chance.clone());
            }
        }
        let keyed = chances.into_iter().map(|(choice, sum)| (choice.index() as u32, sum)).collect();
        let Refinement { choices, waiting, waits, alternatives, .. } = self;
        choices.split(keyed, |part| match part {
            Part::New(block) => {
                waits.push(true);
                waiting.push(Splitter::Choices(block));
            }
            Part::Largest(block) if *alternatives == Alternatives::Any && !waits[block] => {
                waits[block] = true;
                waiting.push(Splitter::Choices(block));
            }
            Part::Largest(_) => {}
        });
    }

    /// Splits states by whether they have a choice in a block.
    fn split_states(&mut self, block: usize) {
        self.waits[block] = false;
        let state_of = |&choice: &u32| self.model.state_of(ChoiceId::at(choice)).index() as u32;
        let mut keyed: Vec<(u32, ())> =
            self.choices.members(block).iter().map(|choice| (state_of(choice), ())).collect();
        keyed.sort_unstable();
        keyed.dedup();
        let waiting = &mut self.waiting;
        self.states.split(keyed, |part| {
            if let Part::New(block) = part {
                waiting.push(Splitter::States(block));
            }
        });
    }
}

/// For each state the transitions that lead to it: where they begin, and each with its choice.
fn transitions_into<N>(model: &Mdp<N>) -> (Vec<u32>, Vec<(ChoiceId, u32)>) {
    let rows = model.arrays();
    let mut first = vec![0u32; model.n_states() + 1];
    rows.target.iter().for_each(|target| first[target.index() + 1] += 1);
    for state in 0..model.n_states() {
        first[state + 1] += first[state];
    }
    let mut next = first.clone();
    let mut into = vec![(ChoiceId::at(0), 0); rows.target.len()];
    for choice in (0..model.n_choices() as u32).map(ChoiceId::at) {
        for transition in rows.row(choice) {
            let place = &mut next[rows.target[transition].index()];
            into[*place as usize] = (choice, transition as u32);
            *place += 1;
        }
    }
    (first, into)
}
