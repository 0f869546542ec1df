//! Random models.

use crate::model::{Mdp, ModelBuilder, ModelError, Principal, StateId};
use crate::number::Rational;

/// What a random model looks like. The same family and seed give the same model, for ever.
#[derive(Debug, Clone)]
pub struct RandomFamily {
    /// The number of states; at least 1.
    pub n_states: usize,
    /// The number of actions in every state; at least 1.
    pub n_actions: usize,
    /// The number of successors of every choice, drawn without repetition; fewer if there are fewer states.
    pub n_successors: usize,
    /// The principals' discounts; their names are p0, p1, …
    pub discounts: Vec<Rational>,
    /// Probabilities have a denominator drawn from n_successors to this.
    pub max_denominator: u64,
    /// Rewards are whole numbers from −`max_reward` to `max_reward`.
    pub max_reward: u64,
    /// Chooses the model.
    pub seed: u64,
}

impl RandomFamily {
    /// The model of this family and seed.
    pub fn model(&self) -> Result<Mdp, ModelError> {
        let mut random = Seeded::new(self.seed);
        let principals = Principal::numbered(&self.discounts)?;
        let states: Vec<String> = (0..self.n_states).map(|state| format!("s{state}")).collect();
        let actions: Vec<String> = (0..self.n_actions).map(|action| format!("a{action}")).collect();
        let n_successors = self.n_successors.clamp(1, self.n_states.max(1)) as u64;
        let mut builder = ModelBuilder::new(principals, states.iter().map(String::as_str))?;
        for state in (0..self.n_states).map(StateId::from) {
            for action in &actions {
                let targets = random.distinct(n_successors, self.n_states as u64);
                let denominator =
                    n_successors + random.below((self.max_denominator.max(n_successors) - n_successors) + 1);
                let shares = random.composition(denominator, n_successors);
                let transitions = targets.into_iter().zip(shares).map(|(target, share)| {
                    (StateId::from(target as usize), Rational::from(share) / Rational::from(denominator))
                });
                let transitions: Vec<_> = transitions.collect();
                let reward = |_: &Rational| {
                    let drawn = random.below(2 * self.max_reward + 1);
                    Rational::from(drawn) - Rational::from(self.max_reward)
                };
                let rewards: Vec<Rational> = self.discounts.iter().map(reward).collect();
                builder.choice(state, action, rewards, transitions)?;
            }
        }
        builder.finish()
    }
}

/// SplitMix64: a small generator whose numbers never change, unlike those of a library.
#[derive(Debug, Clone)]
pub struct Seeded(u64);

impl Seeded {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Seeded {
        Seeded(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, uniform up to 2^-64 per value; `end` is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// `count` distinct numbers below `end`, in the order drawn (Floyd).
    pub fn distinct(&mut self, count: u64, end: u64) -> Vec<u64> {
        let mut drawn: Vec<u64> = Vec::with_capacity(count as usize);
        for last in end - count..end {
            let next = self.below(last + 1);
            drawn.push(if drawn.contains(&next) { last } else { next });
        }
        drawn
    }

    /// `parts` positive whole numbers that sum to `total`, uniform over all such; `total` is at least `parts`.
    fn composition(&mut self, total: u64, parts: u64) -> Vec<u64> {
        let mut cuts: Vec<u64> = self.distinct(parts - 1, total - 1).into_iter().map(|cut| cut + 1).collect();
        cuts.sort_unstable();
        cuts.push(total);
        let mut before = 0;
        cuts.into_iter().map(|cut| std::mem::replace(&mut before, cut).abs_diff(cut)).collect()
    }
}
