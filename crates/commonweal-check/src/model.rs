//! The canonical form of a model (§3), read strictly.
//!
//! Flat arrays; every distinct number once, the others by position: 4 bytes a probability or reward, 4 a target.

use crate::Unreadable;
use crate::fraction::{Fraction, lcm};
use crate::text::{Lines, canonical_fraction, count};
use crate::work::words;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::collections::HashMap;
use std::ops::Range;

/// The first line.
pub const HEADER: &str = "commonweal-model 1\n";
/// The longest common denominator of a row, in bits.
const MAX_ROW_BITS: u64 = 1 << 18;

/// A model in the order of its canonical form.
pub struct Model {
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

    /// Where in `numbers` the rewards of a choice stand, most patient principal first.
    pub fn rewards(&self, choice: usize) -> &[u32] {
        &self.reward[choice * self.n()..(choice + 1) * self.n()]
    }

    pub fn reward(&self, choice: usize, principal: usize) -> &Fraction {
        &self.numbers[self.rewards(choice)[principal] as usize]
    }

    /// The successors of a choice, and where in `numbers` their probabilities stand.
    pub fn row(&self, choice: usize) -> (&[u32], &[u32]) {
        let range = self.first_transition[choice]..self.first_transition[choice + 1];
        (&self.target[range.clone()], &self.probability[range])
    }

    pub fn targets(&self, choice: usize) -> impl Iterator<Item = usize> {
        self.row(choice).0.iter().map(|&target| target as usize)
    }

    /// Whether two choices pay and lead the same.
    pub fn same(&self, left: usize, right: usize) -> bool {
        self.rewards(left) == self.rewards(right) && self.row(left) == self.row(right)
    }

    /// What is refused where a choice of a state may be worth more than the stated one.
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

    /// The model of a canonical form.
    pub fn read(canonical: &[u8]) -> Result<Model, Unreadable> {
        let mut lines = Lines::new(canonical)?;
        lines.word(HEADER.trim_end())?;
        let discounts = |rest: &str| rest.split(' ').map(canonical_fraction).collect::<Option<Vec<Fraction>>>();
        let discounts = lines.entry("discounts", discounts, "fractions in lowest terms")?;
        let below_one = discounts.iter().all(|discount| discount.numerator < discount.denominator);
        let falling = discounts.windows(2).all(|pair| pair[0].compare(&pair[1]).is_gt());
        if !below_one || !falling || discounts.iter().any(|discount| discount.numerator.is_negative()) {
            return Err(Unreadable("the discounts do not fall strictly within [0, 1)".to_owned()));
        }
        Model::read_states(lines, discounts)
    }

    /// The states and choices of a form, with one reward for each of these discounts.
    pub fn read_states(mut lines: Lines<&[u8]>, discounts: Vec<Fraction>) -> Result<Model, Unreadable> {
        let n_states = lines.entry("states", count, "their number")?;
        let mut model = Model {
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
                if model.read_choice(lines.line(), n_states, &mut known).is_none() {
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
            numbers: self.numbers.clone(),
            first_choice: self.first_choice.clone(),
            first_transition: self.first_transition.clone(),
            reward: (0..self.n_choices()).flat_map(of_choice).collect(),
            target: self.target.clone(),
            probability: self.probability.clone(),
            row_denominator: self.row_denominator.clone(),
            words: 0,
        };
        model.words = model.longest();
        model
    }

    /// Reads one choice; `None` if the line is not one.
    fn read_choice(&mut self, line: &str, n_states: usize, known: &mut HashMap<String, u32>) -> Option<()> {
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
        (sum == common && self.reward.len() - before == self.n()).then(|| {
            self.row_denominator.push(common);
            self.first_transition.push(self.target.len());
        })
    }
}
