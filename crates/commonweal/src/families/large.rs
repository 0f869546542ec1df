//! Large random models in doubles: the families on which solvers are compared.
//!
//! Every choice has k successors with probabilities drawn from Dirichlet(1, …, 1), and rewards uniform in [−10, 10]. The
//! probabilities are the gaps between k − 1 cuts, drawn uniformly from the multiples of 2^-53, so that they are doubles and
//! sum to exactly 1. Cost: O(k log k) for each choice.

use super::Seeded;
use crate::model::{Mdp, ModelBuilder, ModelError, Principal, StateId};
use crate::number::Rational;

/// The bits of a double.
const BITS: u32 = 53;
/// Rewards lie between this and its negative.
const LARGEST_REWARD: f64 = 10.0;
/// How far the band reaches, to either side.
const BAND: u64 = 20;

/// Where the successors of a choice are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbourhood {
    /// Anywhere: such a model mixes within a few steps.
    Uniform,
    /// Within 20 states to either side on a ring: such a model mixes slowly.
    Band,
}

/// What a large random model looks like. The same family and seed give the same model, for ever.
#[derive(Debug, Clone)]
pub struct LargeFamily {
    /// Where successors are.
    pub neighbourhood: Neighbourhood,
    /// The number of states; at least 1.
    pub n_states: usize,
    /// The number of actions in every state; at least 1.
    pub n_actions: usize,
    /// The number of different successors of every choice; fewer if there are fewer states in reach.
    pub n_successors: usize,
    /// The principals' discounts; their names are p0, p1, …
    pub discounts: Vec<Rational>,
    /// Chooses the model.
    pub seed: u64,
}

impl LargeFamily {
    /// How many states are in reach of a choice.
    pub fn n_in_reach(&self) -> usize {
        match self.neighbourhood {
            Neighbourhood::Uniform => self.n_states,
            Neighbourhood::Band => self.n_states.min(2 * BAND as usize + 1),
        }
    }

    /// The model of this family and seed. Its states are numbered.
    pub fn model(&self) -> Result<Mdp<f64>, ModelError> {
        let principals = Principal::numbered(&self.discounts)?;
        let actions: Vec<String> = (0..self.n_actions).map(|action| format!("a{action}")).collect();
        let (n_states, in_reach) = (self.n_states as u64, self.n_in_reach() as u64);
        let n_successors = (self.n_successors as u64).clamp(1, in_reach.max(1));
        let mut builder = ModelBuilder::numbered(principals, self.n_states)?;
        let n_choices = self.n_states.saturating_mul(self.n_actions);
        builder.reserve(n_choices, n_choices.saturating_mul(n_successors as usize));
        let mut random = Seeded::new(self.seed);
        let mut row: Vec<(StateId, f64)> = Vec::new();
        let mut cuts: Vec<u64> = Vec::new();
        for state in 0..n_states {
            // On the ring the states in reach begin here.
            let first = match self.neighbourhood {
                Neighbourhood::Uniform => 0,
                Neighbourhood::Band => (state + n_states - in_reach / 2) % n_states,
            };
            for action in &actions {
                let targets = random.distinct(n_successors, in_reach);
                random.cut(n_successors, &mut cuts);
                let probability = |share: &u64| *share as f64 / (1u64 << BITS) as f64;
                let target = |offset: u64| StateId::from(((first + offset) % n_states) as usize);
                row.clear();
                row.extend(targets.into_iter().map(target).zip(cuts.iter().map(probability)));
                let rewards = self.discounts.iter().map(|_| random.reward());
                builder.choice(StateId::from(state as usize), action, rewards, row.iter().copied())?;
            }
        }
        builder.finish()
    }
}

impl Seeded {
    /// Cuts 2^53 into positive parts, uniformly over all ways.
    fn cut(&mut self, parts: u64, cuts: &mut Vec<u64>) {
        const WHOLE: u64 = 1 << BITS;
        loop {
            cuts.clear();
            cuts.extend((1..parts).map(|_| self.bits() >> (64 - BITS)));
            cuts.sort_unstable();
            cuts.push(WHOLE);
            let mut before = 0;
            // In place: each cut becomes the part that ends there.
            cuts.iter_mut().for_each(|cut| (*cut, before) = (*cut - before, *cut));
            // Equal cuts leave a part of 0. Once in 10^15 times, the cuts are drawn again.
            if cuts.iter().all(|&part| part > 0) {
                return;
            }
        }
    }

    /// A number from −10 to 10.
    fn reward(&mut self) -> f64 {
        let fraction = (self.bits() >> (64 - BITS)) as f64 / (1u64 << BITS) as f64;
        (2.0 * fraction - 1.0) * LARGEST_REWARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::sum;

    fn family(neighbourhood: Neighbourhood, n_states: usize) -> LargeFamily {
        let discounts = vec![Rational::from_quotient(9, 10), Rational::ZERO];
        LargeFamily { neighbourhood, n_states, n_actions: 2, n_successors: 5, discounts, seed: 7 }
    }

    #[test]
    fn rows_sum_to_exactly_one_and_rewards_keep_their_range() {
        for neighbourhood in [Neighbourhood::Uniform, Neighbourhood::Band] {
            let model = family(neighbourhood, 300).model().unwrap();
            assert_eq!((model.n_choices(), model.n_transitions(), model.n_principals()), (600, 3000, 2));
            let mut rewards = Vec::new();
            for choice in (0..600).map(crate::model::ChoiceId::from) {
                let exact = model.probabilities(choice).iter().map(|&p| Rational::try_from(p).unwrap());
                assert_eq!(sum(exact), Rational::ONE);
                rewards.extend_from_slice(model.rewards(choice));
            }
            assert!(rewards.iter().all(|reward| reward.abs() <= 10.0));
            // 1,200 uniform numbers have a mean of 0 and a standard deviation of 5.77, within what chance does.
            let mean = rewards.iter().sum::<f64>() / 1200.0;
            let deviation = (rewards.iter().map(|reward| reward * reward).sum::<f64>() / 1200.0).sqrt();
            assert!(mean.abs() < 0.7 && (deviation - 5.77).abs() < 0.4, "{mean} {deviation}");
        }
    }

    #[test]
    fn the_band_is_narrow_and_goes_round() {
        let model = family(Neighbourhood::Band, 300).model().unwrap();
        let mut widest = 0;
        for state in model.states() {
            for target in model.choices(state).flat_map(|choice| model.targets(choice)) {
                let distance = target.index().abs_diff(state.index());
                widest = widest.max(distance.min(300 - distance));
            }
        }
        assert_eq!(widest, 20);
        // A ring shorter than the band is reached as a whole.
        for n_states in [1, 2, 3, 40, 41, 42] {
            for neighbourhood in [Neighbourhood::Uniform, Neighbourhood::Band] {
                let model = family(neighbourhood, n_states).model().unwrap();
                assert_eq!(model.n_transitions(), 2 * n_states * n_states.min(5));
            }
        }
    }

    #[test]
    fn the_model_of_a_seed_stays_the_same() {
        let model = family(Neighbourhood::Uniform, 10).model().unwrap();
        let first: Vec<usize> = model.targets(0.into()).iter().map(|target| target.index()).collect();
        assert_eq!(first, [2, 0, 7, 5, 4]);
        assert_eq!(model, family(Neighbourhood::Uniform, 10).model().unwrap());
        assert_ne!(model, LargeFamily { seed: 8, ..family(Neighbourhood::Uniform, 10) }.model().unwrap());
    }
}
