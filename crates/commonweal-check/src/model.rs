//! The canonical form of a model (§3), read strictly.
//!
//! Flat arrays; every distinct number once, the others by position: 4 bytes a probability or reward, 4 a target.

use crate::Unreadable;
use crate::fraction::{Fraction, lcm};
use crate::text::{Lines, canonical_fraction, count, pair, step};
use crate::work::words;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::collections::HashMap;
use std::ops::Range;

/// The first line.
pub const HEADER: &str = "commonweal-model 1\n";
/// The longest common denominator of a row, in bits.
const MAX_ROW_BITS: u64 = 1 << 18;
/// The latest step at which a segment begins.
const MAX_SEGMENT: u128 = 1 << 53;

/// A model in the order of its canonical form, or one segment of it.
#[derive(Clone)]
pub struct Model {
    /// The first step of the segment, and the step that its powers are counted from.
    pub from: u128,
    pub origin: u128,
    /// λ_0 > λ_1 > …
    pub discounts: Vec<Fraction>,
    /// Every number that occurs as a reward or a probability.
    pub numbers: Vec<Fraction>,
    first_choice: Vec<u32>,
    first_transition: Vec<usize>,
    reward: Vec<u32>,
    target: Vec<u32>,
    probability: Vec<u32>,
    /// The least common denominator of each choice's probabilities.
    pub row_denominator: Vec<BigInt>,
    /// The machine words of the longest number or row denominator.
    pub words: u64,
}

impl Model {
    /// The number of principals.
    pub fn n(&self) -> usize {
        self.discounts.len()
    }

    pub fn n_states(&self) -> usize {
        self.first_choice.len() - 1
    }

    pub fn n_choices(&self) -> usize {
        self.first_transition.len() - 1
    }

    pub fn n_transitions(&self) -> usize {
        self.target.len()
    }

    /// The choices of a state.
    pub fn choices(&self, state: usize) -> Range<usize> {
        self.first_choice[state] as usize..self.first_choice[state + 1] as usize
    }

    /// The positions in `numbers` of the rewards of a choice, most patient principal first.
    pub fn rewards(&self, choice: usize) -> &[u32] {
        &self.reward[choice * self.n()..(choice + 1) * self.n()]
    }

    pub fn reward(&self, choice: usize, principal: usize) -> &Fraction {
        &self.numbers[self.rewards(choice)[principal] as usize]
    }

    /// The successors of a choice, and the positions in `numbers` of their probabilities.
    pub fn row(&self, choice: usize) -> (&[u32], &[u32]) {
        let range = self.first_transition[choice]..self.first_transition[choice + 1];
        (&self.target[range.clone()], &self.probability[range])
    }

    pub fn targets(&self, choice: usize) -> impl Iterator<Item = usize> {
        self.row(choice).0.iter().map(|&target| target as usize)
    }

    /// Whether two choices have the same rewards and the same row.
    pub fn same(&self, left: usize, right: usize) -> bool {
        self.rewards(left) == self.rewards(right) && self.row(left) == self.row(right)
    }

    /// The refusal if a choice of a state may be better than the stated one.
    pub fn rivalry(&self, state: usize, choice: usize, stated: usize) -> String {
        let first = self.choices(state).start;
        format!("choice {} may beat the stated choice {}", choice - first, stated - first)
    }

    /// `Σ_u P(u|choice) · numerators[u]` times the row's denominator.
    pub fn dot(&self, choice: usize, numerators: &[BigInt]) -> BigInt {
        let (targets, probabilities) = self.row(choice);
        let mut sum = BigInt::zero();
        for (&target, &probability) in targets.iter().zip(probabilities) {
            let numerator = &numerators[target as usize];
            if !numerator.is_zero() {
                let Fraction { numerator: p, denominator: q } = &self.numbers[probability as usize];
                sum += numerator * (p * (&self.row_denominator[choice] / q));
            }
        }
        sum
    }

    /// The segments of a canonical form, each a model; most have one.
    pub fn read(canonical: &[u8]) -> Result<Vec<Model>, Unreadable> {
        let mut lines = Lines::new(canonical)?;
        lines.word(HEADER.trim_end())?;
        let mut segments = Vec::new();
        let (discounts, n_rewards) = if lines.line().starts_with("discounts ") {
            let discounts = lines.entry("discounts", fractions, "fractions in lowest terms")?;
            check_discounts(discounts.iter())?;
            let n_rewards = discounts.len();
            (discounts, n_rewards)
        } else {
            let n_rewards = lines.entry("rewards", count, "their number, if not `discounts` and fractions")?;
            segments = read_segments(&mut lines, n_rewards)?;
            (Vec::new(), n_rewards)
        };
        let model = Model::read_states(lines, discounts, n_rewards)?;
        let mut models = match segments.as_slice() {
            [] => vec![model],
            segments => segments.iter().map(|segment| model.in_segment(segment, n_rewards)).collect(),
        };
        models.iter_mut().for_each(|model| model.words = model.longest());
        Ok(models)
    }

    /// The states and choices of a form, with a fixed number of rewards for each choice.
    pub fn read_states(
        mut lines: Lines<&[u8]>,
        discounts: Vec<Fraction>,
        n_rewards: usize,
    ) -> Result<Model, Unreadable> {
        let n_states = lines.entry("states", count, "their number")?;
        let mut model = Model {
            from: 0,
            origin: 0,
            discounts,
            numbers: Vec::new(),
            first_choice: vec![0],
            first_transition: vec![0],
            reward: Vec::new(),
            target: Vec::new(),
            probability: Vec::new(),
            row_denominator: Vec::new(),
            words: 0,
        };
        let mut known = HashMap::new();
        // A file has a line for every state and choice, so the vectors never outgrow it, whatever the counts say.
        for _ in 0..n_states {
            let n_choices = lines.entry("choices", count, "their number, at least 1")?;
            if n_choices == 0 {
                return Err(Unreadable("a state has no choice".to_owned()));
            }
            for _ in 0..n_choices {
                if model.read_choice(lines.line(), (n_states, n_rewards), &mut known).is_none() {
                    return Err(lines.fault("expected rewards, `>`, and a row of probabilities with sum 1"));
                }
                lines.advance()?;
            }
            let n_choices = u32::try_from(model.n_choices());
            model.first_choice.push(n_choices.map_err(|_| Unreadable("more than 2^32 choices".to_owned()))?);
        }
        lines.end()?;
        if n_states == 0 {
            return Err(Unreadable("there is no state".to_owned()));
        }
        model.words = model.longest();
        Ok(model)
    }

    /// The model of one segment: R_i(c) is the weighted sum of the rewards of the form for its i-th part.
    fn in_segment(&self, segment: &Segment, n_rewards: usize) -> Model {
        let mut reward = Vec::with_capacity(self.n_choices() * segment.parts.len());
        // Only the numbers that this segment has: how long they are is part of what checking costs.
        let (mut numbers, mut known) = (Vec::new(), HashMap::new());
        let mut put = |number: Fraction| {
            let key = (number.numerator.clone(), number.denominator.clone());
            *known.entry(key).or_insert_with(|| {
                numbers.push(number);
                numbers.len() as u32 - 1
            })
        };
        let probability = self.probability.iter().map(|&p| put(self.numbers[p as usize].clone())).collect();
        for choice in 0..self.n_choices() {
            let rewards = &self.reward[choice * n_rewards..(choice + 1) * n_rewards];
            for (_, counts) in &segment.parts {
                let terms = counts.iter().zip(rewards).map(|(counts, &at)| counts.times(&self.numbers[at as usize]));
                reward.push(put(terms.fold(Fraction::zero(), |sum, term| sum.plus(&term)).in_lowest_terms()));
            }
        }
        let discounts = segment.parts.iter().map(|(discount, _)| discount.clone()).collect();
        Model { from: segment.from, origin: segment.origin, discounts, numbers, reward, probability, ..self.clone() }
    }

    fn longest(&self) -> u64 {
        let numbers = self.discounts.iter().chain(&self.numbers);
        let parts = numbers.flat_map(|number| [&number.numerator, &number.denominator]);
        parts.chain(&self.row_denominator).map(words).max().unwrap_or(1)
    }

    /// The same states and choices with other discounts, each beside the principal whose rewards it counts.
    pub fn with_terms(&self, terms: &[(usize, Fraction)]) -> Model {
        let of_choice = |choice: usize| terms.iter().map(move |(principal, _)| self.rewards(choice)[*principal]);
        let mut model = Model {
            discounts: terms.iter().map(|(_, discount)| discount.clone()).collect(),
            reward: (0..self.n_choices()).flat_map(of_choice).collect(),
            ..self.clone()
        };
        model.words = model.longest();
        model
    }

    /// Reads one choice; `None` if the line is not one.
    fn read_choice(
        &mut self,
        line: &str,
        (n_states, n_rewards): (usize, usize),
        known: &mut HashMap<String, u32>,
    ) -> Option<()> {
        let (rewards, row) = line.split_once(" > ")?;
        let mut number = |numbers: &mut Vec<Fraction>, word: &str| {
            if let Some(&position) = known.get(word) {
                return Some(position);
            }
            let position = u32::try_from(numbers.len()).ok()?;
            numbers.push(canonical_fraction(word)?);
            known.insert(word.to_owned(), position);
            Some(position)
        };
        let before = self.reward.len();
        for word in rewards.split(' ') {
            self.reward.push(number(&mut self.numbers, word)?);
        }
        let first = self.target.len();
        let mut words = row.split(' ');
        while let Some(target) = words.next() {
            let target = u32::try_from(count(target).filter(|&target| target < n_states)?).ok()?;
            if self.target[first..].last().is_some_and(|&before| before >= target) {
                return None;
            }
            self.target.push(target);
            self.probability.push(number(&mut self.numbers, words.next()?)?);
        }
        let row = self.probability[first..].iter().map(|&probability| &self.numbers[probability as usize]);
        let mut common = BigInt::one();
        for probability in row.clone() {
            common = lcm(&common, &probability.denominator);
            if !probability.numerator.is_positive() || common.bits() > MAX_ROW_BITS {
                return None;
            }
        }
        let sum: BigInt = row.map(|probability| &probability.numerator * (&common / &probability.denominator)).sum();
        (sum == common && self.reward.len() - before == n_rewards).then(|| {
            self.row_denominator.push(common);
            self.first_transition.push(self.target.len());
        })
    }
}

/// A segment: its first step, its origin, and for each part its discount and the weight of each reward.
struct Segment {
    from: u128,
    origin: u128,
    parts: Vec<(Fraction, Vec<Fraction>)>,
}

fn read_segments(lines: &mut Lines<&[u8]>, n_rewards: usize) -> Result<Vec<Segment>, Unreadable> {
    let mut segments: Vec<Segment> = Vec::new();
    while lines.line().starts_with("segment ") {
        let step = |word: &str| step(word).filter(|&step| step <= MAX_SEGMENT);
        let both = |rest: &str| pair(rest).and_then(|(from, origin)| Some((step(from)?, step(origin)?)));
        let (from, origin) = lines.entry("segment", both, "two steps")?;
        let is_next = segments.last().map_or(from == 0, |before| before.from < from);
        if origin > from || !is_next {
            let order = "the segments do not begin one after the other, from step 0 on";
            return Err(Unreadable(order.to_owned()));
        }
        let mut parts = Vec::new();
        while lines.line().starts_with("part ") {
            let part = |rest: &str| fractions(rest).filter(|numbers| numbers.len() == n_rewards + 1);
            let mut numbers = lines.entry("part", part, "a discount and a number for each reward")?;
            let counts = numbers.split_off(1);
            parts.push((numbers.swap_remove(0), counts));
        }
        check_discounts(parts.iter().map(|(discount, _)| discount))?;
        if parts.first().is_none_or(|(discount, _)| discount.is_zero()) {
            return Err(Unreadable("the first part of a segment has a discount above 0".to_owned()));
        }
        segments.push(Segment { from, origin, parts });
    }
    if segments.len() < 2 { Err(Unreadable("there are two segments at least".to_owned())) } else { Ok(segments) }
}

fn fractions(rest: &str) -> Option<Vec<Fraction>> {
    rest.split(' ').map(canonical_fraction).collect()
}

fn check_discounts<'f>(discounts: impl Iterator<Item = &'f Fraction> + Clone) -> Result<(), Unreadable> {
    let mut pairs = discounts.clone().zip(discounts.clone().skip(1));
    let falling = pairs.all(|(left, right)| left.compare(right).is_gt());
    let within = |discount: &Fraction| !discount.numerator.is_negative() && discount.numerator < discount.denominator;
    if falling && discounts.clone().all(within) {
        Ok(())
    } else {
        Err(Unreadable("the discounts do not fall strictly within [0, 1)".to_owned()))
    }
}
