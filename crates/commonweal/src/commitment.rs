//! Strategies without commitment to the plan.
//!
//! The optimal counting strategy is a plan made at step 0. With several time preferences the plan that is best at step 1 is in
//! general another one. There are two strategies without commitment:
//!
//! - *Re-planned every step*: at each step the decision-maker makes the best plan anew, as if it would be kept, and takes its
//!   first decision. That is a positional strategy: the decisions of step 0.
//! - *No commitment*: there is one decision-maker, or self, per step, who knows that later selves decide for themselves. A
//!   stationary strategy σ is an equilibrium if no self gains by another choice: with C^σ(t) the value of the later steps under
//!   σ from state t, `Σ_p w_p d_p(0) R_p(s,a) + Σ_t P(t|s,a) C^σ(t)` is greatest at a = σ(s), in every state s. An equilibrium
//!   need not be pure, and a pure one need not exist.
//!
//! The search is exact: payoffs are fractions. For a model with few positional strategies the search is exhaustive, so that
//! non-existence is proven. For a larger one best responses are iterated from some strategies, which may miss an equilibrium.

use crate::answer::Answer;
use crate::evaluation::evaluate;
use crate::model::{ChoiceId, Mdp, Principal, StateId};
use crate::number::{Enclosure, Rational, sum};
use crate::stop::StopSignal;
use crate::strategy::{CountingStrategy, Stationary, Step, Strategy};
use std::collections::HashSet;

/// The result of the search for a strategy that no later self would change.
#[derive(Debug, Clone, PartialEq)]
pub enum Equilibrium {
    /// The best positional one found.
    Pure(CountingStrategy),
    /// One that mixes two choices in one state: no self gains more than this by another choice.
    Mixed {
        /// The strategy.
        strategy: Stationary,
        /// An upper bound on what any self gains by another choice, at any one step.
        regret: f64,
    },
    /// No positional one exists, and none that mixes in one state was found.
    NonePure,
    /// None was found; one may exist.
    NotFound,
}

impl Equilibrium {
    /// The strategy, if one was found.
    pub fn strategy(&self) -> Option<Strategy> {
        match self {
            Equilibrium::Pure(strategy) => Some(Strategy::Counting(strategy.clone())),
            Equilibrium::Mixed { strategy, .. } => Some(Strategy::Stationary(strategy.clone())),
            Equilibrium::NonePure | Equilibrium::NotFound => None,
        }
    }
}

/// The strategy of an agent that makes the plan of `answer` anew at every step: its first decisions, for ever.
pub fn replanned(model: &Mdp, answer: &Answer) -> CountingStrategy {
    CountingStrategy::positional(model.states().map(|state| answer.strategy().choice(state, &Step::ZERO)))
}

/// A strategy that no self would change, given that the later ones follow it; the search begins from `starts`.
pub fn equilibrium(model: &Mdp, starts: &[CountingStrategy], stop: &StopSignal) -> Equilibrium {
    /// Linear systems times their size: seconds at most. Work and not time, so that the same input gives the same answer.
    const WORK: usize = 3_000_000;
    const MOST_EVALUATIONS: usize = 3_000;
    let parts: usize = model.principals().iter().flat_map(|p| p.segments()).map(|segment| segment.parts.len()).sum();
    let size = parts * (model.n_states() + 2) * (model.n_states() + 2);
    let mut selves = Selves { later: later(model), model, left: (WORK / size).min(MOST_EVALUATIONS), stop };
    let mut seen: HashSet<Vec<ChoiceId>> = HashSet::new();
    let count = model.states().try_fold(1usize, |count, state| count.checked_mul(model.choices(state).len()));
    let is_small = count.is_some_and(|count| count <= selves.left / 2);
    let mut found: Vec<Vec<ChoiceId>> = Vec::new();
    if is_small {
        let mut taken: Vec<ChoiceId> = model.states().map(|state| first_choice(model, state)).collect();
        loop {
            let Some(better) = selves.better(&taken) else { return Equilibrium::NotFound };
            seen.insert(taken.clone());
            if better == taken {
                found.push(taken.clone());
            }
            if !next_strategy(model, &mut taken) {
                break;
            }
        }
    } else {
        for start in starts {
            let mut taken: Vec<ChoiceId> = model.states().map(|state| start.tail(state)).collect();
            while seen.insert(taken.clone()) {
                let Some(better) = selves.better(&taken) else { break };
                if better == taken {
                    found.push(taken.clone());
                    break;
                }
                taken = better;
            }
        }
    }
    match selves.best_of(found) {
        Some(best) => Equilibrium::Pure(CountingStrategy::positional(best)),
        None => selves.mixed(seen).unwrap_or(if is_small { Equilibrium::NonePure } else { Equilibrium::NotFound }),
    }
}

fn first_choice(model: &Mdp, state: StateId) -> ChoiceId {
    model.choices(state).next().expect("a state has a choice")
}

/// Advances to the next positional strategy, in the order of the model; false after the last one.
fn next_strategy(model: &Mdp, taken: &mut [ChoiceId]) -> bool {
    for (state, own) in model.states().zip(taken) {
        let next = ChoiceId::from(own.index() + 1);
        if model.choices(state).any(|choice| choice == next) {
            *own = next;
            return true;
        }
        *own = first_choice(model, state);
    }
    false
}

/// The model as the self of the next step sees it, with the weights of the steps that follow; `None` if nothing counts then.
fn later(model: &Mdp) -> Option<Mdp> {
    let one_step_later = |principal: &Principal| match principal.later(1) {
        Some(later) => later,
        None => principal.clone().weighted(Rational::ZERO),
    };
    let principals: Vec<Principal> = model.principals().iter().map(one_step_later).collect();
    let counts = principals.iter().any(|principal| !principal.weight.is_zero());
    counts.then(|| model.clone().with_principals(principals))
}

/// Selves that decide one step each.
struct Selves<'m> {
    model: &'m Mdp,
    later: Option<Mdp>,
    /// How many strategies may still be evaluated.
    left: usize,
    stop: &'m StopSignal,
}

impl Selves<'_> {
    /// What the steps after this one are worth from every state, if `strategy` is followed; `None` at a limit.
    fn yet_to_come(&mut self, strategy: &Strategy) -> Option<Vec<Rational>> {
        let Some(later) = &self.later else { return Some(vec![Rational::ZERO; self.model.n_states()]) };
        self.left = self.left.checked_sub(1)?;
        let payoffs = evaluate(later, strategy, self.stop).ok()?;
        self.model.states().map(|state| payoffs.welfare(state).exact).collect()
    }

    /// What a choice is worth to the self that takes it.
    fn worth(&self, choice: ChoiceId, to_come: &[Rational]) -> Rational {
        let now = self.model.principals().iter().zip(self.model.rewards(choice));
        let now = sum(now.map(|(principal, reward)| &principal.weight * principal.step_weight(0) * reward));
        let ahead = self.model.transitions(choice).map(|(target, probability)| probability * &to_come[target.index()]);
        now + sum(ahead)
    }

    /// The best choice of every self, its own where no other is better.
    fn better(&mut self, taken: &[ChoiceId]) -> Option<Vec<ChoiceId>> {
        let strategy = Strategy::Counting(CountingStrategy::positional(taken.iter().copied()));
        let to_come = self.yet_to_come(&strategy)?;
        let best = |state: StateId| {
            let own = taken[state.index()];
            let mut best = (self.worth(own, &to_come), own);
            for choice in self.model.choices(state) {
                let worth = self.worth(choice, &to_come);
                if worth > best.0 {
                    best = (worth, choice);
                }
            }
            best.1
        };
        Some(self.model.states().map(best).collect())
    }

    /// The strategy that earns most from the start; the first of equals.
    fn best_of(&self, found: Vec<Vec<ChoiceId>>) -> Option<Vec<ChoiceId>> {
        let welfare = |taken: &Vec<ChoiceId>| {
            let strategy = Strategy::Counting(CountingStrategy::positional(taken.iter().copied()));
            let payoffs = evaluate(self.model, &strategy, self.stop).ok()?;
            Some(payoffs.welfare_enclosure(self.model.start()).midpoint())
        };
        let mut best: Option<(f64, Vec<ChoiceId>)> = None;
        for taken in found {
            let Some(welfare) = welfare(&taken) else { continue };
            if best.as_ref().is_none_or(|(most, _)| welfare > *most) {
                best = Some((welfare, taken));
            }
        }
        best.map(|(_, taken)| taken)
    }

    /// A strategy near one of `seen` that mixes two choices in one state, so that neither is better.
    fn mixed(&mut self, seen: HashSet<Vec<ChoiceId>>) -> Option<Equilibrium> {
        /// The probabilities are multiples of 2 to this power.
        const BITS: isize = -40;
        /// A strategy with more regret than this, relative to what is at stake, is not an equilibrium.
        const NEGLIGIBLE: f64 = 1e-6;
        let mut seen: Vec<Vec<ChoiceId>> = seen.into_iter().collect();
        seen.sort();
        for taken in seen {
            for state in self.model.states() {
                let others: Vec<ChoiceId> =
                    self.model.choices(state).filter(|choice| *choice != taken[state.index()]).collect();
                for other in others {
                    // The lower end wants more of the other choice, the upper one less.
                    let (mut low, mut high) = (Rational::ZERO, Rational::ONE);
                    if !self.wants(&taken, state, other, &low)? || self.wants(&taken, state, other, &high)? {
                        continue;
                    }
                    while &high - &low > Rational::from(2).pow(BITS) {
                        let middle = (&low + &high) / Rational::from(2);
                        if self.wants(&taken, state, other, &middle)? { low = middle } else { high = middle }
                    }
                    let strategy = self.mix(&taken, state, other, &low);
                    let (regret, stake) = self.regret(&strategy)?;
                    if regret <= NEGLIGIBLE * stake {
                        return Some(Equilibrium::Mixed { strategy, regret });
                    }
                }
            }
        }
        None
    }

    /// `taken`, but for one state, which takes `other` with this probability.
    fn mix(&self, taken: &[ChoiceId], state: StateId, other: ChoiceId, share: &Rational) -> Stationary {
        let of = |at: StateId| {
            let own = taken[at.index()];
            let mix = if at == state {
                vec![(own, Rational::ONE - share), (other, share.clone())]
            } else {
                vec![(own, Rational::ONE)]
            };
            mix.into_iter().filter(|(_, share)| !share.is_zero()).collect()
        };
        Stationary::new(self.model, self.model.states().map(of).collect())
    }

    /// Whether the self in `state` prefers `other` to the choice of `taken`, if `other` has this probability there.
    fn wants(&mut self, taken: &[ChoiceId], state: StateId, other: ChoiceId, share: &Rational) -> Option<bool> {
        let to_come = self.yet_to_come(&Strategy::Stationary(self.mix(taken, state, other, share)))?;
        Some(self.worth(other, &to_come) > self.worth(taken[state.index()], &to_come))
    }

    /// An upper bound on what any self gains by another choice, and what is at stake for the self with the greatest gain.
    fn regret(&mut self, strategy: &Stationary) -> Option<(f64, f64)> {
        let to_come = self.yet_to_come(&Strategy::Stationary(strategy.clone()))?;
        let (mut regret, mut stake) = (Rational::ZERO, Rational::ZERO);
        for state in self.model.states() {
            let worths = self.model.choices(state).map(|choice| self.worth(choice, &to_come));
            let best = worths.max().expect("a state has a choice");
            let own = sum(strategy.mix(state).iter().map(|(choice, share)| share * self.worth(*choice, &to_come)));
            stake = stake.max(best.clone().abs());
            regret = regret.max(best - own);
        }
        Some((Enclosure::from(&regret).upper(), Enclosure::from(&stake).upper()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::solve;
    use crate::io::read_model;
    use crate::number::parse_rational;
    use crate::solve::Options;

    fn of(text: &str) -> (Mdp, Answer, Equilibrium) {
        let model = read_model(text).unwrap();
        let answer = solve(&model, &Options::default());
        let found = equilibrium(&model, &[replanned(&model, &answer)], &StopSignal::default());
        (model, answer, found)
    }

    #[test]
    fn the_hotel_is_never_rebuilt_without_commitment() {
        let (model, answer, found) = of(
            "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}",
        );
        let stays = replanned(&model, &answer);
        assert_eq!(found, Equilibrium::Pure(stays.clone()));
        let payoffs = evaluate(&model, &Strategy::Counting(stays), &StopSignal::default()).unwrap();
        let lost = answer.welfare(model.start()).exact.unwrap() - payoffs.welfare(model.start()).exact.unwrap();
        assert_eq!(lost, parse_rational("11/18").unwrap());
    }

    #[test]
    fn where_no_pure_equilibrium_exists_one_that_mixes_is_found() {
        // Worked by hand: d(j) = 1, 1/4, 1/8, …, so going at a cost of c is worth 3/2 − c.
        let text = "
principals: {p: {beta: 1/2, delta: 1/2}}
states:
  here: {stay: {reward: 0, to: here}, go: {reward: -1, to: gone}}
  gone: {rest: {reward: 3, to: gone}}";
        let (model, _, found) = of(text);
        // If the next self goes, staying is worth (3 − c)/4: with c = 1 a tie, so that going is an equilibrium.
        assert!(matches!(&found, Equilibrium::Pure(strategy) if strategy.tail(model.start()) == ChoiceId::from(1)));
        // With c = 5/4 staying is better if the next self goes, and worse if none ever does.
        let text = text.replace("{reward: -1, to: gone}", "{reward: -5/4, to: gone}");
        let (model, _, found) = of(&text);
        let Equilibrium::Mixed { strategy, regret } = found else { panic!("{found:?}") };
        assert!(regret < 1e-9);
        // If each goes with probability x, staying is worth x (3 − c)/(2 (1 + x)), which is 1/4 at x = 2/5.
        let [_, (_, goes)] = strategy.mix(model.start()) else { panic!("{strategy:?}") };
        assert!((goes - parse_rational("2/5").unwrap()).abs() <= Rational::from(2).pow(-39), "{goes}");
    }
}
