//! Large random models in doubles: the families on which solvers are compared.
//!
//! Every choice has k successors with probabilities drawn from Dirichlet(1, …, 1), and rewards uniform in [−10, 10]. The
//! probabilities are the gaps between k − 1 cuts, drawn uniformly from the multiples of 2^-53, so that they are doubles and
//! sum to exactly 1. Cost: O(k log k) for each choice.

use super::Seeded;
use crate::model::{Mdp, ModelBuilder, ModelError, NameTable, Principal, SourceChoice, StateId, StateSource};
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
        let actions: Vec<String> = self.actions().collect();
        let mut builder = ModelBuilder::numbered(principals, self.n_states)?;
        let n_choices = self.n_states.saturating_mul(self.n_actions);
        builder.reserve(n_choices, n_choices.saturating_mul(self.n_drawn() as usize));
        let (mut random, mut drawn) = (Seeded::new(self.seed), Drawn::default());
        for state in 0..self.n_states {
            for action in &actions {
                drawn.draw(self, state as u64, &mut random);
                let targets = drawn.targets.iter().map(|&target| StateId::from(target as usize));
                let row = targets.zip(drawn.probabilities.iter().copied());
                builder.choice(StateId::from(state), action, drawn.rewards.iter().copied(), row)?;
            }
        }
        builder.finish()
    }

    /// Models like these that are asked for one state at a time. Every state is drawn by itself, so that a seed stands for
    /// another model than that of [`LargeFamily::model`].
    pub fn state_by_state(self) -> Result<StateByState, ModelError> {
        Ok(StateByState { principals: Principal::numbered(&self.discounts)?, family: self })
    }

    fn actions(&self) -> impl Iterator<Item = String> {
        (0..self.n_actions).map(|action| format!("a{action}"))
    }

    /// How many successors are drawn for a choice.
    fn n_drawn(&self) -> u64 {
        (self.n_successors as u64).clamp(1, (self.n_in_reach() as u64).max(1))
    }
}

/// A choice, as it was drawn.
#[derive(Default)]
struct Drawn {
    targets: Vec<u64>,
    cuts: Vec<u64>,
    probabilities: Vec<f64>,
    rewards: Vec<f64>,
}

impl Drawn {
    fn draw(&mut self, family: &LargeFamily, state: u64, random: &mut Seeded) {
        let (n_states, in_reach, n_drawn) = (family.n_states as u64, family.n_in_reach() as u64, family.n_drawn());
        // On the ring the states in reach begin here.
        let first = match family.neighbourhood {
            Neighbourhood::Uniform => 0,
            Neighbourhood::Band => (state + n_states - in_reach / 2) % n_states,
        };
        self.targets.clear();
        self.targets.extend(random.distinct(n_drawn, in_reach).into_iter().map(|offset| (first + offset) % n_states));
        random.cut(n_drawn, &mut self.cuts);
        self.probabilities.clear();
        self.probabilities.extend(self.cuts.iter().map(|&part| part as f64 / (1u64 << BITS) as f64));
        self.rewards.clear();
        self.rewards.extend(family.discounts.iter().map(|_| random.reward()));
    }
}

/// A model of a family whose states are drawn when they are asked for: an example of a [`StateSource`].
#[derive(Debug, Clone)]
pub struct StateByState {
    family: LargeFamily,
    principals: Vec<Principal>,
}

impl StateSource for StateByState {
    fn n_states(&self) -> u64 {
        self.family.n_states as u64
    }

    fn start(&self) -> u64 {
        0
    }

    fn principals(&self) -> &[Principal] {
        &self.principals
    }

    fn action_names(&self) -> NameTable {
        let mut names = NameTable::default();
        self.family.actions().for_each(|action| _ = names.intern(&action));
        names
    }

    fn choices(&self, state: u64, visit: &mut dyn FnMut(SourceChoice)) {
        /// An odd number without a pattern, so that the seeds of neighbours have little in common.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut random = Seeded::new(self.family.seed ^ (state + 1).wrapping_mul(SPREAD));
        let mut drawn = Drawn::default();
        for action in 0..self.family.n_actions {
            drawn.draw(&self.family, state, &mut random);
            let Drawn { targets, probabilities, rewards, .. } = &drawn;
            visit(SourceChoice { action: action as u32, rewards, targets, probabilities });
        }
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
            for target in model.structure().choices(state).flat_map(|choice| model.targets(choice)) {
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
