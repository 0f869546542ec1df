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
//!   need not be pure, and a pure one need not exist. States that no strategy reaches from the start do not count.
//!
//! Payoffs are fractions, so that an equilibrium that was found is one. For a model with few positional strategies the search for
//! a pure one is exhaustive, and non-existence is proven. For a larger one best responses are iterated from some strategies, which
//! may miss it. Mixes are searched for state by state, which may miss one too. Preferences that are approximated count as
//! their mixtures.

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
    /// One that mixes choices: no self gains more than this by another choice.
    Mixed {
        /// The strategy.
        strategy: Stationary,
        /// An upper bound on what any self gains by another choice, at any one step.
        regret: f64,
        /// Whether it is proven that no positional one exists.
        none_pure: bool,
    },
    /// No positional one exists, and none that mixes was found.
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
    let reached: Vec<StateId> = (model.states().zip(model.reachable(model.start())))
        .filter_map(|(state, is_reached)| is_reached.then_some(state))
        .collect();
    let mut selves = Selves { later: later(model), model, reached, left: (WORK / size).min(MOST_EVALUATIONS), stop };
    let mut seen: HashSet<Vec<ChoiceId>> = HashSet::new();
    let count = selves.reached.iter().try_fold(1usize, |count, &state| count.checked_mul(model.choices(state).len()));
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
            if !next_strategy(model, &selves.reached, &mut taken) {
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
        None => match selves.mixed(seen) {
            Some((strategy, regret)) => Equilibrium::Mixed { strategy, regret, none_pure: is_small },
            None if is_small => Equilibrium::NonePure,
            None => Equilibrium::NotFound,
        },
    }
}

fn first_choice(model: &Mdp, state: StateId) -> ChoiceId {
    model.choices(state).next().expect("a state has a choice")
}

/// Advances to the next positional strategy on these states, in the order of the model; false after the last one.
fn next_strategy(model: &Mdp, states: &[StateId], taken: &mut [ChoiceId]) -> bool {
    for &state in states {
        let own = &mut taken[state.index()];
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
    /// The states that some strategy reaches from the start: the selves in others never decide.
    reached: Vec<StateId>,
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
        let mut better = taken.to_vec();
        for &state in &self.reached {
            let mut best = self.worth(taken[state.index()], &to_come);
            for choice in self.model.choices(state) {
                let worth = self.worth(choice, &to_come);
                if worth > best {
                    (best, better[state.index()]) = (worth, choice);
                }
            }
        }
        Some(better)
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

    /// A strategy near one of `seen` that mixes choices, so that none of those taken is worse than another.
    fn mixed(&mut self, seen: HashSet<Vec<ChoiceId>>) -> Option<(Stationary, f64)> {
        let mut seen: Vec<Vec<ChoiceId>> = seen.into_iter().collect();
        seen.sort();
        for taken in seen {
            if let Some(found) = self.settled(&taken)? {
                return Some(found);
            }
        }
        None
    }

    /// The mixes that selves settle on one after another from a positional strategy: the self with the most to gain mixes its best
    /// choice into what it does until it is indifferent. `Some(None)` if they do not settle, `None` at a limit.
    #[allow(clippy::option_option, reason = "a limit ends the search, a strategy that leads nowhere does not")]
    fn settled(&mut self, taken: &[ChoiceId]) -> Option<Option<(Stationary, f64)>> {
        /// The probabilities are multiples of 2 to this power.
        const BITS: isize = -40;
        /// A self that gains less than this, relative to what is at stake for it, is indifferent.
        const NEGLIGIBLE: f64 = 1e-6;
        let mut mixes: Vec<Mix> = taken.iter().map(|&choice| vec![(choice, Rational::ONE)]).collect();
        for _ in 0..2 * self.reached.len() {
            let to_come = self.yet_to_come(&self.strategy(&mixes))?;
            let most = self.most_regret(&mixes, &to_come)?;
            if most.relative <= NEGLIGIBLE {
                return Some(Some((Stationary::new(self.model, mixes), most.absolute)));
            }
            let Regret { state, best, .. } = most;
            // The lower end wants more of the best choice, the upper one less.
            let (own, mut low, mut high) = (mixes[state.index()].clone(), Rational::ZERO, Rational::ONE);
            let blend = |share: &Rational| blended(&own, best, share);
            mixes[state.index()] = blend(&high);
            if self.wants(&mixes, &own, best)? {
                continue;
            }
            while &high - &low > Rational::from(2).pow(BITS) {
                let middle = (&low + &high) / Rational::from(2);
                mixes[state.index()] = blend(&middle);
                if self.wants(&mixes, &own, best)? { low = middle } else { high = middle }
            }
            mixes[state.index()] = blend(&low);
        }
        Some(None)
    }

    fn strategy(&self, mixes: &[Mix]) -> Strategy {
        Strategy::Stationary(Stationary::new(self.model, mixes.to_vec()))
    }

    /// Whether a self is better off with `best` than with the mix `own`, if `mixes` are followed.
    fn wants(&mut self, mixes: &[Mix], own: &Mix, best: ChoiceId) -> Option<bool> {
        let to_come = self.yet_to_come(&self.strategy(mixes))?;
        Some(self.worth(best, &to_come) > self.worth_of(own, &to_come))
    }

    fn worth_of(&self, mix: &Mix, to_come: &[Rational]) -> Rational {
        sum(mix.iter().map(|(choice, share)| share * self.worth(*choice, to_come)))
    }

    /// The self that gains most by another choice, relative to what is at stake for it; `None` if there is no self.
    fn most_regret(&self, mixes: &[Mix], to_come: &[Rational]) -> Option<Regret> {
        let of_state = |&state: &StateId| {
            let worths = self.model.choices(state).map(|choice| (self.worth(choice, to_come), choice));
            let worths: Vec<(Rational, ChoiceId)> = worths.collect();
            let stake = worths.iter().map(|(worth, _)| worth.clone().abs()).max()?;
            let (most, best) = worths.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a })?;
            let gain = most - self.worth_of(&mixes[state.index()], to_come);
            let relative = if gain.is_zero() { 0.0 } else { Enclosure::from(&(&gain / stake)).upper() };
            Some(Regret { state, best, absolute: Enclosure::from(&gain).upper(), relative })
        };
        let all: Vec<Regret> = self.reached.iter().filter_map(of_state).collect();
        let absolute = all.iter().map(|own| own.absolute).fold(0.0, f64::max);
        let most = all.into_iter().reduce(|a, b| if b.relative > a.relative { b } else { a })?;
        Some(Regret { absolute, ..most })
    }
}

/// Choices of a state with their probabilities.
type Mix = Vec<(ChoiceId, Rational)>;

/// What the self in a state gains by its best choice.
struct Regret {
    state: StateId,
    best: ChoiceId,
    /// The greatest of all selves.
    absolute: f64,
    /// Of this self, relative to what is at stake for it.
    relative: f64,
}

/// A mix, with another choice taken instead with this probability.
fn blended(own: &Mix, other: ChoiceId, share: &Rational) -> Mix {
    let rest = Rational::ONE - share;
    let mut mix: Mix = own.iter().map(|(choice, own)| (*choice, own * &rest)).collect();
    match mix.iter_mut().find(|(choice, _)| *choice == other) {
        Some((_, own)) => *own += share,
        None => mix.push((other, share.clone())),
    }
    mix.retain(|(_, share)| !share.is_zero());
    mix.sort_by_key(|(choice, _)| *choice);
    mix
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
        let Equilibrium::Mixed { strategy, regret, none_pure: true } = found else { panic!("{found:?}") };
        assert!(regret < 1e-9);
        // If each goes with probability x, staying is worth x (3 − c)/(2 (1 + x)), which is 1/4 at x = 2/5.
        let [_, (_, goes)] = strategy.mix(model.start()) else { panic!("{strategy:?}") };
        assert!((goes - parse_rational("2/5").unwrap()).abs() <= Rational::from(2).pow(-39), "{goes}");
    }

    /// The model of the test above twice, started at random in one of the two: both selves must mix.
    const TWICE: &str = "
principals: {p: {beta: 1/2, delta: 1/2}}
states:
  start: {toss: {to: {h1: 1/2, h2: 1/2}}}
  h1: {stay: {reward: 0, to: h1}, go: {reward: -5/4, to: gone}}
  h2: {stay: {reward: 0, to: h2}, go: {reward: -5/4, to: gone}}
  gone: {rest: {reward: 3, to: gone}}
";

    #[test]
    fn selves_in_several_states_may_have_to_mix() {
        let (model, _, found) = of(TWICE);
        let Equilibrium::Mixed { strategy, regret, none_pure: true } = &found else { panic!("{found:?}") };
        assert!(*regret < 1e-9);
        for state in ["h1", "h2"] {
            let [_, (_, goes)] = strategy.mix(model.find_state(state).unwrap()) else { panic!("{strategy:?}") };
            assert!((goes - parse_rational("2/5").unwrap()).abs() <= Rational::from(2).pow(-38), "{goes}");
        }
    }

    #[test]
    fn states_that_are_never_met_do_not_matter() {
        let (_, _, found) = of(TWICE);
        // Large values elsewhere, and too many strategies to try them all.
        let mut text = TWICE.to_owned() + "  big: {r: {reward: 1000000000, to: big}}\n";
        for k in 0..12 {
            text += &format!("  u{k}: {{a: {{to: u{k}}}, b: {{to: big}}, c: {{reward: 1, to: gone}}}}\n");
        }
        let (model, _, same) = of(&text);
        let (Some(Strategy::Stationary(found)), Some(Strategy::Stationary(same))) = (found.strategy(), same.strategy())
        else {
            panic!("{same:?}")
        };
        assert!(model.states().take(4).all(|state| found.mix(state) == same.mix(state)), "{same:?}");
    }

    /// Held against a definition of the equilibrium that knows each step's own weight and nothing of segments: the worth of a choice
    /// now, and the worth of what follows added up step by step.
    #[test]
    fn no_self_gains_by_another_choice_in_random_models() {
        let mut n_found = [0, 0];
        for seed in 0..120u64 {
            let mut random = crate::families::Seeded::new(77_000 + seed);
            let entries = [
                "{beta: 1/2, delta: 2/3}",
                "1/2",
                "{rate: 25%, until: 3}",
                "{schedule: {0: 100%, 2: 50%}}",
                "{survey: [50%, 10%]}",
            ];
            let mut text = String::from("principals:\n");
            for p in 0..2 {
                text += &format!("  p{p}: {}\n", entries[random.below(5) as usize]);
            }
            text += "states:\n";
            for state in 0..3 {
                text += &format!("  s{state}:\n");
                for action in 0..2 {
                    let rewards = [random.below(11) as i64 - 5, random.below(11) as i64 - 5];
                    let [a, b] = rewards;
                    text += &format!("    a{action}: {{reward: {{p0: {a}, p1: {b}}}, to: s{}}}\n", random.below(3));
                }
            }
            let (model, _, found) = of(&text);
            let Some(strategy) = found.strategy() else { continue };
            let mix = |state: StateId| match &strategy {
                Strategy::Stationary(mixes) => mixes.mix(state).to_vec(),
                Strategy::Counting(pure) => vec![(pure.tail(state), Rational::ONE)],
                Strategy::Lottery(_) => unreachable!("an equilibrium is no lottery"),
            };
            n_found[usize::from(matches!(found, Equilibrium::Mixed { .. }))] += 1;
            const STEPS: u64 = 60;
            // C(t): from step 1 on, with each step's own weight, backwards.
            let mut to_come = vec![0.0; model.n_states()];
            let worth = |choice: ChoiceId, step: u64, next: &[f64]| {
                let now = model.principals().iter().zip(model.rewards(choice));
                let now: f64 = now.map(|(own, reward)| (&own.weight * own.step_weight(step) * reward).to_f64()).sum();
                now + model.transitions(choice).map(|(t, p)| p.to_f64() * next[t.index()]).sum::<f64>()
            };
            for step in (1..STEPS).rev() {
                to_come = (model.states())
                    .map(|s| mix(s).iter().map(|(c, share)| share.to_f64() * worth(*c, step, &to_come)).sum())
                    .collect();
            }
            for (state, _) in model.states().zip(model.reachable(model.start())).filter(|(_, reached)| *reached) {
                let own: f64 = mix(state).iter().map(|(c, share)| share.to_f64() * worth(*c, 0, &to_come)).sum();
                let best = model.choices(state).map(|c| worth(c, 0, &to_come)).fold(f64::MIN, f64::max);
                assert!(best - own < 1e-4, "seed {seed}: {best} beats {own} in {state:?} of\n{text}");
            }
        }
        assert!(n_found[0] > 60 && n_found[1] > 0, "{n_found:?}");
    }
}
