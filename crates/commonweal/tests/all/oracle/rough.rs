//! A model in doubles, to preselect strategies before fractions decide between the rest.

use super::plain::{Choice, Plain, approximately};

/// The model, and the room for one elimination, so that sifting asks for no memory.
pub struct Rough {
    discounts: Vec<f64>,
    /// Per state and choice, the weighted reward of each principal and the probability of each state.
    states: Vec<Vec<(Vec<f64>, Vec<f64>)>>,
    /// The rows of a system, the right side last.
    system: Vec<f64>,
}

impl Rough {
    pub fn of(plain: &Plain) -> Rough {
        let n = plain.states.len();
        let choice = |choice: &Choice| {
            let weighted = choice.rewards.iter().zip(&plain.principals);
            let mut row = vec![0.0; n];
            choice.to.iter().for_each(|(target, p)| row[*target] += approximately(p));
            (weighted.map(|(reward, who)| approximately(&(reward * &who.weight))).collect(), row)
        };
        Rough {
            discounts: plain.principals.iter().map(|who| approximately(&who.discount)).collect(),
            states: plain.states.iter().map(|choices| choices.iter().map(choice).collect()).collect(),
            system: vec![0.0; n * (n + 1)],
        }
    }

    /// About the welfare of a mix per state, held for ever, from the first state.
    pub fn mixed(&mut self, mix: &[Vec<f64>]) -> f64 {
        self.welfare(|state| mix[state].iter().copied().enumerate())
    }

    /// About the welfare of a choice per state, held for ever, from the first state.
    pub fn positional(&mut self, policy: &[usize]) -> f64 {
        self.welfare(|state| std::iter::once((policy[state], 1.0)))
    }

    /// By elimination from the last state up: the value of the first one is left.
    fn welfare<I: Iterator<Item = (usize, f64)>>(&mut self, shares: impl Fn(usize) -> I) -> f64 {
        let n = self.states.len();
        let mut welfare = 0.0;
        for (i, discount) in self.discounts.iter().enumerate() {
            self.system.fill(0.0);
            for (state, line) in self.system.chunks_exact_mut(n + 1).enumerate() {
                line[state] = 1.0;
                for (choice, share) in shares(state) {
                    let (rewards, row) = &self.states[state][choice];
                    line[n] += share * rewards[i];
                    line.iter_mut().zip(row).for_each(|(entry, p)| *entry -= share * discount * p);
                }
            }
            for column in (1..n).rev() {
                let (above, pivot) = self.system.split_at_mut(column * (n + 1));
                for row in above.chunks_exact_mut(n + 1) {
                    let factor = row[column] / pivot[column];
                    row.iter_mut().zip(&*pivot).for_each(|(entry, other)| *entry -= factor * other);
                }
            }
            welfare += self.system[n] / self.system[0];
        }
        welfare
    }
}
