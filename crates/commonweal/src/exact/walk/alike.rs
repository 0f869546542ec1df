//! States that are alike: whatever one of them can do, the other can do with the same rewards and the same chances of
//! states that are alike.
//!
//! From such states the same welfare can be earned from every step on, so two choices that differ only in which of them
//! they lead to tie for ever. No enclosure shows that, and fractions do only where the horizon is near. The coarsest such
//! classes are found by refinement: first by rewards, then again by the chances of each class, for the states that lead to
//! one that was just told apart. The greater part of a class keeps its number, so the cost is O(transitions · log states)
//! comparisons of rows.

use crate::model::{ChoiceId, StateId};
use crate::number::Rational;
use crate::principals::OrderedModel;
use std::collections::HashMap;

/// The class of every state.
#[derive(Debug)]
pub(crate) struct Alike {
    class: Vec<usize>,
    /// The first state of each class.
    first: Vec<StateId>,
}

/// What a state can do: its choices' rewards, by number, with their chances of each class.
type Abilities = Vec<(usize, Vec<(usize, Rational)>)>;

impl Alike {
    pub(crate) fn of(model: &OrderedModel) -> Alike {
        let mut numbers = HashMap::new();
        let mut number = |choice: ChoiceId| {
            let next = numbers.len();
            *numbers.entry(model.rewards(choice)).or_insert(next)
        };
        let rewards: Vec<usize> = (0..model.n_choices()).map(|choice| number(choice.into())).collect();
        let mut alike = Alike { class: vec![0; model.n_states()], first: vec![StateId::from(0)] };
        let of_rewards = |state: StateId| {
            let mut rewards: Vec<usize> = model.choices(state).map(|choice| rewards[choice.index()]).collect();
            rewards.sort_unstable();
            rewards.dedup();
            rewards
        };
        alike.split(model.states().collect(), model.n_states(), of_rewards);
        let mut leading_to = vec![Vec::new(); model.n_states()];
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            model.targets(choice).iter().for_each(|target| leading_to[target.index()].push(model.state_of(choice)));
        }
        let mut sizes = alike.sizes();
        let mut affected: Vec<StateId> = model.states().collect();
        while !affected.is_empty() && sizes.len() < model.n_states() {
            let mut members: Vec<Vec<StateId>> = vec![Vec::new(); sizes.len()];
            affected.iter().for_each(|state| members[alike.class[state.index()]].push(*state));
            let old = Alike { class: alike.class.clone(), first: Vec::new() };
            let mut told_apart = Vec::new();
            for (class, members) in members.into_iter().enumerate().filter(|(class, _)| sizes[*class] > 1) {
                let abilities = |state| old.abilities(model, &rewards, state);
                told_apart.extend(alike.split(members, sizes[class], abilities));
            }
            sizes = alike.sizes();
            affected = told_apart.iter().flat_map(|state| leading_to[state.index()].iter().copied()).collect();
            affected.sort_unstable();
            affected.dedup();
        }
        for state in (0..model.n_states()).rev().map(StateId::from) {
            alike.first[alike.class[state.index()]] = state;
        }
        alike
    }

    /// Tells these members of one class, which has `size` of them, apart by what `of` says; returns those that got a new
    /// class. The others of the class are unlike all of these: the states that these lead to have just changed.
    fn split<K: std::hash::Hash + Eq>(
        &mut self,
        members: Vec<StateId>,
        size: usize,
        of: impl Fn(StateId) -> K,
    ) -> Vec<StateId> {
        let mut parts: Vec<Vec<StateId>> = Vec::new();
        let mut known = HashMap::new();
        let whole = members.len() == size;
        for state in members {
            let part = *known.entry(of(state)).or_insert(parts.len());
            if part == parts.len() {
                parts.push(Vec::new());
            }
            parts[part].push(state);
        }
        if whole {
            let greatest = (0..parts.len()).max_by_key(|&part| (parts[part].len(), usize::MAX - part));
            parts.remove(greatest.expect("a class has members"));
        }
        for part in &parts {
            part.iter().for_each(|state| self.class[state.index()] = self.first.len());
            self.first.push(part[0]);
        }
        parts.concat()
    }

    fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.first.len()];
        self.class.iter().for_each(|&class| sizes[class] += 1);
        sizes
    }

    fn abilities(&self, model: &OrderedModel, rewards: &[usize], state: StateId) -> Abilities {
        let of_choice = |choice: ChoiceId| (rewards[choice.index()], self.row(model, choice));
        let mut abilities: Abilities = model.choices(state).map(of_choice).collect();
        abilities.sort_unstable();
        abilities.dedup();
        abilities
    }

    /// The chances of each class after a choice, in the order of classes.
    fn row(&self, model: &OrderedModel, choice: ChoiceId) -> Vec<(usize, Rational)> {
        let chance = |(target, chance): (StateId, &Rational)| (self.class[target.index()], chance.clone());
        let mut row: Vec<_> = model.transitions(choice).map(chance).collect();
        row.sort_unstable_by_key(|(class, _)| *class);
        row.dedup_by(|next, last| {
            let same = next.0 == last.0;
            if same {
                last.1 += &next.1;
            }
            same
        });
        row
    }

    /// By how much the chances after one choice exceed those after another, for each class where they differ: its first
    /// state stands for it.
    pub(crate) fn row_difference(
        &self,
        model: &OrderedModel,
        one: ChoiceId,
        other: ChoiceId,
    ) -> Vec<(StateId, Rational)> {
        let negated = self.row(model, other).into_iter().map(|(class, chance)| (class, -chance));
        let mut both: Vec<_> = self.row(model, one).into_iter().chain(negated).collect();
        both.sort_by_key(|(class, _)| *class);
        both.dedup_by(|next, last| {
            let same = next.0 == last.0;
            if same {
                last.1 += &next.1;
            }
            same
        });
        both.retain(|(_, chance)| !chance.is_zero());
        both.into_iter().map(|(class, chance)| (self.first[class], chance)).collect()
    }

    /// Whether two choices earn the same at once and lead to states that are alike: they tie at every step.
    pub(crate) fn same(&self, model: &OrderedModel, one: ChoiceId, other: ChoiceId) -> bool {
        model.rewards(one) == model.rewards(other) && self.row(model, one) == self.row(model, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::RandomFamily;
    use crate::io::read_model;
    use crate::principals::order;

    fn classes(text: &str) -> Vec<usize> {
        let model = read_model(text).expect("a model");
        let alike = Alike::of(&order(&model));
        alike.class.iter().map(|&class| alike.first[class].index()).collect()
    }

    #[test]
    fn twins_are_alike_and_their_chances_add_up() {
        let text = "principals: {p: 1/2, q: 1/3}\nstates:\n  hub: {left: {to: {one: 1/2, two: 1/2}}, right: {to: two}}\n  \
                    one: {go: {reward: 1, to: {hub: 1/3, one: 2/3}}}\n  two: {go: {reward: 1, to: {hub: 1/3, one: 1/3, two: 1/3}}}\n";
        assert_eq!(classes(text), [0, 1, 1]);
    }

    /// Nine states of a chain with one reward at its end: each is told apart by its distance from the end, one a round.
    #[test]
    fn a_chain_is_told_apart_from_its_end() {
        let states = (0..9).map(|s| format!("  s{s}: {{go: {{to: s{}}}}}\n", s + 1)).collect::<String>();
        let text = format!("principals: {{p: 1/2}}\nstates:\n{states}  s9: {{go: {{reward: 1, to: s9}}}}\n");
        assert_eq!(classes(&text), (0..10).collect::<Vec<_>>());
    }

    /// Against a refinement of all states in every round, which knows of no affected ones.
    #[test]
    fn classes_are_those_of_plain_refinement() {
        let mut coarse = 0;
        for seed in 0..200 {
            let family = RandomFamily {
                n_states: 3 + seed as usize % 12,
                n_actions: 1 + seed as usize % 3,
                n_successors: 1 + seed as usize % 2,
                discounts: vec![Rational::from_quotient(1, 2)],
                max_denominator: 2,
                max_reward: u64::from(seed % 5 == 0),
                seed,
            };
            let model = family.model().expect("a model");
            let model = order(&model);
            let mut plain = vec![0usize; model.n_states()];
            loop {
                let sign = |state: StateId| {
                    let of_choice = |choice| {
                        let mut row = std::collections::BTreeMap::new();
                        for (target, p) in model.transitions(choice) {
                            *row.entry(plain[target.index()]).or_insert(Rational::ZERO) += p;
                        }
                        (model.rewards(choice).to_vec(), row.into_iter().collect::<Vec<_>>())
                    };
                    let set: std::collections::BTreeSet<_> = model.choices(state).map(of_choice).collect();
                    (plain[state.index()], set)
                };
                let signs: Vec<_> = model.states().map(sign).collect();
                let next: Vec<usize> =
                    signs.iter().map(|sign| signs.iter().position(|s| s == sign).expect("itself")).collect();
                if next == plain {
                    break;
                }
                plain = next;
            }
            let alike = Alike::of(&model);
            let said: Vec<usize> = alike.class.iter().map(|&class| alike.first[class].index()).collect();
            assert_eq!(said, plain, "seed {seed}");
            coarse += usize::from((0..said.len()).any(|s| said[s] != s));
        }
        assert!(coarse > 40, "only {coarse} models have states that are alike");
    }
}
