//! An exact model in doubles, for the certified engine, and back.

use super::{ChoiceId, Mdp, ModelError};
use crate::number::{ModelNumber, Rational};
use crate::stop::{FEW_FRACTIONS, FRACTION, Pace, StopReason, StopSignal};

impl Mdp<Rational> {
    /// The same model with every number rounded to the nearest double. An error if a reward is too large for one.
    pub fn to_doubles(&self) -> Result<Mdp<f64>, ModelError> {
        let reward: Vec<f64> = self.reward.iter().cloned().map(f64::from_reward).collect();
        if let Some(at) = reward.iter().position(|reward| !reward.is_number()) {
            return Err(self.refused_reward(at, &reward[at]));
        }
        let probability = self.probability.iter().cloned().map(f64::from_probability).collect();
        Ok(Mdp { structure: self.structure.clone(), probability, reward })
    }
}

impl Mdp<f64> {
    /// The exact model whose numbers are these doubles, and each row divided by its sum.
    pub fn to_fractions(&self) -> Mdp<Rational> {
        self.to_fractions_unless(&StopSignal::default()).expect("nobody raises the signal")
    }

    /// The same, unless `stop` is raised: of millions of numbers it takes seconds.
    pub fn to_fractions_unless(&self, stop: &StopSignal) -> Result<Mdp<Rational>, StopReason> {
        let exact = |double: &f64| double.to_exact().expect("a model's numbers are finite");
        let never = StopSignal::default();
        let few = self.n_transitions() + self.reward.len() <= FEW_FRACTIONS;
        let mut pace = Pace::of(if few { &never } else { stop });
        let mut probability: Vec<Rational> = Vec::with_capacity(self.n_transitions());
        let mut reward: Vec<Rational> = Vec::with_capacity(self.reward.len());
        for choice in (0..self.n_choices()).map(ChoiceId::from) {
            let row = probability.len();
            probability.extend(self.probabilities(choice).iter().map(exact));
            let sum = probability[row..].iter().fold(Rational::ZERO, |sum, entry| sum + entry);
            if !sum.is_one() {
                probability[row..].iter_mut().for_each(|entry| *entry /= &sum);
            }
            reward.extend(self.rewards(choice).iter().map(exact));
            if pace.stops_after(FRACTION * (probability.len() - row + self.n_principals())) {
                return Err(stop.reason().expect("a raised signal stays raised"));
            }
        }
        Ok(Mdp { structure: self.structure.clone(), probability, reward })
    }
}

#[cfg(test)]
mod tests {
    use crate::io::read_model;

    #[test]
    fn every_number_becomes_the_nearest_double() {
        let text = "principals: {a: 1/3, b: {discount: 0.1, weight: 2/3}}
states: {s: {x: {reward: {a: 2/3, b: 1e-400}, to: {s: 1/3, t: 2/3}}, x y: {reward: -1e23, to: t}}, t: {z: {to: t}}}";
        let exact = read_model(text).unwrap();
        let doubles = exact.to_doubles().unwrap();
        assert_eq!(doubles.rewards(0.into()), [2.0 / 3.0, 0.0]);
        assert_eq!(doubles.rewards(1.into()), [-1e23, -1e23]);
        assert_eq!(doubles.probabilities(0.into()), [1.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(doubles.principals(), exact.principals());
        assert_eq!((doubles.state_name(1.into()), doubles.action_name(1.into())), ("t".into(), "x y".into()));
        assert_eq!(doubles.targets(0.into()), exact.targets(0.into()));
        // Thirds are not doubles, but rows that sum to 1 are left as they are: back in doubles nothing has changed.
        assert_eq!(doubles.to_fractions().to_doubles().unwrap(), doubles);
    }

    #[test]
    fn no_transition_is_lost_and_no_reward_is_infinite() {
        let text = format!(
            "principals: {{a: 0}}\nstates: {{s: {{x: {{to: {{s: 1e-400, t: 0.{}}}}}}}, t: {{z: {{to: t}}}}}}",
            "9".repeat(400)
        );
        let doubles = read_model(&text).unwrap().to_doubles().unwrap();
        assert_eq!(doubles.probabilities(0.into()), [f64::from_bits(1), 1.0]);
        let large = read_model("principals: {a: 0}\nstates: {s: {x: {reward: 1e309, to: s}}}").unwrap();
        let message = large.to_doubles().unwrap_err().to_string();
        assert!(message.starts_with("state `s`, action `x`: the reward of `a` is too large"), "{message}");
    }
}
