//! The play of a strategy from one state: the set of choices that can be taken at each step.
//!
//! With `C_0 = {σ_0(s)}` and `C_{t+1} = {σ_{t+1}(u) : u a successor of a choice in C_t}`, the play is the sequence of these
//! sets. It is kept as phases, sets with the number of steps they last, and a cycle of sets that follows them for ever; both
//! as short as can be, so that two plays are equal if and only if the sequences are. Cost: O(transitions) for each step at
//! which the set changes.

use crate::model::{ChoiceId, StateId, Structure};
use crate::stop::StopSignal;
use crate::strategy::{CountingStrategy, Meetings, Step};
use std::collections::{BTreeSet, HashMap};
use std::mem::replace;

/// The most steps that are followed one by one.
const MAX_STEPS: usize = 20_000;
/// The most choices that a play keeps, over all its sets: 64 MB.
const MAX_KEPT: usize = 1 << 24;

/// Choices that can be taken at a number of steps in a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phase {
    /// The choices, one for each state that can be reached then, in the model's order.
    pub choices: Vec<ChoiceId>,
    /// For how many steps.
    pub steps: Step,
}

/// The choices that a strategy can take at each step, from one start state.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Play {
    phases: Vec<Phase>,
    cycle: Vec<Vec<ChoiceId>>,
    /// The states that count as reached at every step, in the order in which they may be met first; none if the steps are known.
    at_every_step: Vec<StateId>,
    /// How many more there are, left out because there are too many changes to keep.
    left_out: usize,
}

impl Play {
    /// The play of `strategy` from `start`. If it changes for too long to be followed, every state counts as reached; if its sets
    /// are then too large to be kept, those that are met first.
    pub fn of(model: &Structure, strategy: &CountingStrategy, start: StateId) -> Play {
        let stop = StopSignal::default();
        followed(model, strategy, vec![start], Some(MAX_STEPS), &stop).unwrap_or_else(|| {
            let (at_every_step, left_out) = first_met(model, strategy, start);
            let mut states = at_every_step.clone();
            states.sort_unstable();
            let play = followed(model, strategy, states, None, &stop).expect("nobody stops it");
            Play { at_every_step, left_out, ..play }
        })
    }

    /// The same with every state in the end; `None` if it is stopped.
    pub(super) fn unless_stopped(
        model: &Structure,
        strategy: &CountingStrategy,
        start: StateId,
        stop: &StopSignal,
    ) -> Option<Play> {
        let met = followed(model, strategy, vec![start], Some(MAX_STEPS), stop);
        // Over all states there are as many phases as changes, and then one set for ever.
        met.or_else(|| followed(model, strategy, model.states().collect(), None, stop))
    }

    /// The phases before the cycle begins.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// The sets that are repeated for ever.
    pub fn cycle(&self) -> &[Vec<ChoiceId>] {
        &self.cycle
    }

    /// The number of steps before the cycle begins.
    pub fn n_steps(&self) -> Step {
        self.phases.iter().fold(Step::ZERO, |sum, phase| sum + &phase.steps)
    }

    /// The states that are reached, in order of the first step; at the same step in the model's order.
    pub fn states(&self, model: &Structure) -> Vec<StateId> {
        if !self.at_every_step.is_empty() {
            return self.at_every_step.clone();
        }
        let mut met = BTreeSet::new();
        let sets = self.phases.iter().map(|phase| &phase.choices).chain(&self.cycle);
        let states = sets.flatten().map(|&choice| model.state_of(choice));
        states.filter(|&state| met.insert(state)).collect()
    }

    /// How many states that may be reached have no place in the play, because too many changes would be kept.
    pub fn n_left_out(&self) -> usize {
        self.left_out
    }

    /// The choices of a state by step: a choice, or `None` while it cannot be reached. The first entry is of step 0, the last holds
    /// for ever; a state that is reached periodically in the cycle counts as reached there. If there are many gaps, those between
    /// equal choices are left out.
    pub fn runs(&self, model: &Structure, state: StateId) -> Vec<(Step, Option<ChoiceId>)> {
        const MANY: usize = 100;
        let first = model.choices(state).next();
        // The choices of a set are in the model's order.
        let taken = |choices: &[ChoiceId]| {
            let at = choices.partition_point(|&choice| Some(choice) < first);
            choices.get(at).copied().filter(|&choice| model.state_of(choice) == state)
        };
        let mut runs: Vec<(Step, Option<ChoiceId>)> = Vec::new();
        let mut step = Step::ZERO;
        for phase in &self.phases {
            runs.push((step.clone(), taken(&phase.choices)));
            step += &phase.steps;
        }
        runs.push((step, self.cycle.iter().find_map(|choices| taken(choices))));
        runs.dedup_by_key(|(_, choice)| *choice);
        if runs.len() > MANY {
            let (mut at, last) = (0.., runs.len() - 1);
            let is_end = |at: Option<usize>| at == Some(0) || at == Some(last);
            runs.retain(|(_, choice)| is_end(at.next()) || choice.is_some());
            runs.dedup_by_key(|(_, choice)| *choice);
        }
        runs
    }

    /// Whether different choices alternate for ever.
    pub fn takes_turns(&self) -> bool {
        self.cycle.len() > 1
    }

    /// Whether the play counts every state as reached, because it changes for too long to be followed.
    pub fn is_over_all_states(&self) -> bool {
        self.phases.first().map_or(&self.cycle[0], |phase| &phase.choices).len() > 1
    }

    /// The choices in their order, each with the number of successive steps, and the one that is taken for ever; `None` if chance
    /// decides between them, or if no single choice is taken for ever.
    pub fn path(&self) -> Option<(Vec<(ChoiceId, Step)>, ChoiceId)> {
        let one = |choices: &[ChoiceId]| if let [choice] = choices { Some(*choice) } else { None };
        let last = if let [choices] = &self.cycle[..] { one(choices)? } else { return None };
        let phase = |phase: &Phase| Some((one(&phase.choices)?, phase.steps.clone()));
        Some((self.phases.iter().map(phase).collect::<Option<_>>()?, last))
    }
}

/// The first difference between two plays.
pub(super) struct Difference {
    /// The first step at which they take different choices.
    pub step: Step,
    /// The choices there, of the one and of the other, for each state in which they differ.
    pub choices: Vec<(ChoiceId, ChoiceId)>,
}

impl Play {
    /// The first difference from another play of the same model and start; `None` if there is none, or it is too late to be
    /// followed.
    pub(super) fn parts_from(&self, other: &Play) -> Option<Difference> {
        let (mut own, mut others) = (self.walk(), other.walk());
        let (mut here, mut there) = (own.next()?, others.next()?);
        let mut step = Step::ZERO;
        for _ in 0..MAX_STEPS {
            if here.0 != there.0 {
                let pairs = here.0.iter().zip(there.0);
                let choices = pairs.filter(|(own, other)| own != other).map(|(&own, &other)| (own, other)).collect();
                return Some(Difference { step, choices });
            }
            // To the end of the phase that ends first; one that has no end never does.
            let steps = match (&here.1, &there.1) {
                (Some(own), Some(other)) => own.min(other).clone(),
                (Some(steps), None) | (None, Some(steps)) => steps.clone(),
                (None, None) => return None,
            };
            for (part, walk) in [(&mut here, &mut own as &mut dyn Iterator<Item = _>), (&mut there, &mut others)] {
                match &mut part.1 {
                    Some(left) if *left == steps => *part = walk.next()?,
                    Some(left) => *left = &*left - &steps,
                    None => {}
                }
            }
            step += steps;
        }
        None
    }

    /// The sets of choices in their order, each with the number of steps it lasts: `None` for ever.
    fn walk(&self) -> impl Iterator<Item = (&[ChoiceId], Option<Step>)> {
        let phases = self.phases.iter().map(|phase| (phase.choices.as_slice(), Some(phase.steps.clone())));
        let steps = (self.cycle.len() > 1).then_some(Step::ONE);
        phases.chain(self.cycle.iter().cycle().map(move |choices| (choices.as_slice(), steps.clone())))
    }
}

/// The states that may be met, as many of the first ones as a play over them can keep, and how many are left out.
fn first_met(model: &Structure, strategy: &CountingStrategy, start: StateId) -> (Vec<StateId>, usize) {
    let meetings = Meetings::of(model, strategy, start);
    let mut steps = BTreeSet::new();
    let fits = |&(at, &state): &(usize, &StateId)| {
        steps.extend(strategy.changes(state).iter().map(|change| &change.from));
        at * steps.len() < MAX_KEPT
    };
    let states: Vec<StateId> = meetings.states().iter().enumerate().take_while(fits).map(|(_, &state)| state).collect();
    let left_out = meetings.states().len() - states.len();
    (states, left_out)
}

/// The play over these states, given in the model's order; `None` if it takes more than `max_steps` or keeps too much, or if it is stopped. Without a limit the states
/// all stay reached.
fn followed(
    model: &Structure,
    strategy: &CountingStrategy,
    start: Vec<StateId>,
    max_steps: Option<usize>,
    stop: &StopSignal,
) -> Option<Play> {
    let whole = max_steps.is_none();
    let mut phases: Vec<Phase> = Vec::new();
    let mut reached = start;
    let mut step = Step::ZERO;
    let mut n_kept = 0;
    let mut listed = vec![false; model.n_states()];
    // After the last change the set alone determines the next one.
    let mut seen: HashMap<Vec<ChoiceId>, usize> = HashMap::new();
    for _ in 0..max_steps.unwrap_or(usize::MAX) {
        if stop.reason().is_some() {
            return None;
        }
        n_kept += reached.len();
        if !whole && n_kept > MAX_KEPT {
            return None;
        }
        let choices: Vec<ChoiceId> = reached.iter().map(|&state| strategy.choice(state, &step)).collect();
        let later = |state: &StateId| {
            let changes = strategy.changes(*state);
            changes.get(changes.partition_point(|change| change.from <= step)).map(|change| change.from.clone())
        };
        let next_change = reached.iter().filter_map(later).min();
        let next: Vec<StateId> = if whole {
            reached.clone()
        } else {
            let successors = choices.iter().flat_map(|&choice| model.targets(choice)).copied();
            let mut next: Vec<StateId> =
                successors.filter(|state| !replace(&mut listed[state.index()], true)).collect();
            next.iter().for_each(|state| listed[state.index()] = false);
            next.sort_unstable();
            next
        };
        let settled = || next.iter().chain(&reached).all(|state| later(state).is_none());
        if next_change.is_none() && settled() {
            if let Some(&first) = seen.get(&choices) {
                return Some(shortest(phases, first));
            }
            seen.insert(choices.clone(), phases.len());
        } else {
            seen.clear();
        }
        let steps = match next_change {
            Some(change) if next == reached => change - &step,
            _ => Step::ONE,
        };
        step += &steps;
        phases.push(Phase { choices, steps });
        reached = next;
    }
    None
}

/// The play whose phases from `first` on repeat for ever, in its shortest form. The repeating ones last one step each.
fn shortest(mut phases: Vec<Phase>, first: usize) -> Play {
    let mut cycle: Vec<Vec<ChoiceId>> = phases.drain(first..).map(|phase| phase.choices).collect();
    let mut joined: Vec<Phase> = Vec::new();
    for phase in phases {
        match joined.last_mut() {
            Some(last) if last.choices == phase.choices => last.steps += phase.steps,
            _ => joined.push(phase),
        }
    }
    // The phase before the cycle may be its last set.
    while let (Some(phase), Some(last)) = (joined.last_mut(), cycle.last()) {
        if phase.choices != *last {
            break;
        }
        if cycle.len() == 1 || phase.steps.is_one() {
            joined.pop();
        } else {
            phase.steps -= 1;
        }
        cycle.rotate_right(1);
    }
    Play { phases: joined, cycle, at_every_step: Vec::new(), left_out: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_model_bytes;
    use crate::model::Mdp;
    use crate::strategy::Change;

    fn model(text: &str) -> Mdp {
        read_model_bytes(text.as_bytes()).unwrap()
    }

    const HOTEL: &str =
        "principals: {p: 1/2}\nstates:\n  s0:\n    a: {to: s0}\n    b: {to: s1}\n  s1:\n    b: {to: s1}\n";

    fn strategy(model: &Mdp, changes: &[&[(u64, usize)]]) -> CountingStrategy {
        let list = |list: &&[(u64, usize)]| {
            list.iter().map(|&(from, choice)| Change { from: from.into(), choice: choice.into() }).collect()
        };
        CountingStrategy::from_changes(model, changes.iter().map(list).collect())
    }

    #[test]
    fn waiting_twice_is_two_phases_and_then_the_same_for_ever() {
        let hotel = model(HOTEL);
        let play = Play::of(&hotel, &strategy(&hotel, &[&[(0, 0), (2, 1)], &[(0, 2)]]), 0.into());
        let (phases, last) = play.path().unwrap();
        assert_eq!(phases, [(0.into(), 2u8.into()), (1.into(), 1u8.into())]);
        assert_eq!(last, 2.into());
        let far = Play::of(&hotel, &strategy(&hotel, &[&[(0, 0), (1 << 60, 1)], &[(0, 2)]]), 0.into());
        assert_eq!(far.n_steps(), Step::from((1u64 << 60) + 1));
    }

    #[test]
    fn decisions_that_are_never_met_make_no_difference() {
        let hotel = model(HOTEL);
        let play = |changes: &[&[(u64, usize)]]| Play::of(&hotel, &strategy(&hotel, changes), 0.into());
        assert_eq!(play(&[&[(0, 1)], &[(0, 2)]]), play(&[&[(0, 1), (5, 0)], &[(0, 2)]]));
        assert_ne!(play(&[&[(0, 1)], &[(0, 2)]]), play(&[&[(0, 0), (5, 1)], &[(0, 2)]]));
    }

    #[test]
    fn where_two_plays_part_is_their_first_difference() {
        let hotel = model(HOTEL);
        let waiting = |steps: u64| Play::of(&hotel, &strategy(&hotel, &[&[(0, 0), (steps, 1)], &[(0, 2)]]), 0.into());
        let difference = waiting(1 << 50).parts_from(&waiting(3)).unwrap();
        assert_eq!((difference.step, difference.choices), (3u8.into(), vec![(0.into(), 1.into())]));
        assert!(waiting(4).parts_from(&waiting(4)).is_none());
    }

    #[test]
    fn a_cycle_is_found_wherever_it_is_entered() {
        let text =
            "principals: {p: 1/2}\nstates:\n  s0:\n    go: {to: s1}\n    stay: {to: s0}\n  s1:\n    go: {to: s0}\n";
        let ring = model(text);
        let always = Play::of(&ring, &strategy(&ring, &[&[(0, 0)], &[(0, 2)]]), 0.into());
        assert_eq!((always.phases().len(), always.cycle().len()), (0, 2));
        // At step 7 the run is in s1, so that what s0 would do then does not matter.
        let same = Play::of(&ring, &strategy(&ring, &[&[(0, 0), (7, 1), (8, 0)], &[(0, 2)]]), 0.into());
        assert_eq!(always, same);
        let other = Play::of(&ring, &strategy(&ring, &[&[(0, 0), (6, 1), (7, 0)], &[(0, 2)]]), 0.into());
        assert_eq!((other.n_steps(), other.cycle().len()), (7u8.into(), 2));
        assert!(always.path().is_none());
    }

    /// Rings of coprime lengths that are entered at once: the sets repeat only after the product of the lengths.
    #[test]
    fn a_play_that_is_too_long_to_be_kept_has_the_states_that_are_met_first() {
        use std::fmt::Write;
        const RINGS: [usize; 5] = [23, 29, 31, 37, 5003];
        let mut text = "principals: {p: 1/2}\nstart: hub\nstates:\n".to_owned();
        for ring in RINGS {
            for at in 0..ring {
                writeln!(text, "  r{ring}_{at}: {{a: {{to: r{ring}_{}}}, b: {{to: r{ring}_{at}}}}}", (at + 1) % ring)
                    .unwrap();
            }
        }
        let entries = RINGS.map(|ring| format!("r{ring}_5: 1/5")).join(", ");
        writeln!(text, "  hub: {{go: {{to: {{{entries}}}}}}}").unwrap();
        let model = model(&text);
        let hub = model.n_states() - 1;
        let changes = |state: usize| {
            let first = model.choices(state.into()).next().unwrap();
            // In the last ring, at steps of its own, for a while.
            let until = if state > 200 && state < hub { 100_000 + 7 * state } else { 0 };
            let b = Change { from: Step::from(until as u64), choice: (first.index() + 1).into() };
            let a = Change { from: Step::ZERO, choice: first };
            if until > 0 { vec![a, b] } else { vec![a] }
        };
        let strategy = CountingStrategy::from_changes(&model, (0..=hub).map(changes).collect());
        let play = Play::of(&model, &strategy, hub.into());
        let met = play.states(&model);
        // The hub, the five entries, the five after them.
        assert_eq!((met[0], play.is_over_all_states()), (hub.into(), true));
        assert!(met[1..6].iter().all(|state| model.state_name(*state).ends_with("_5")), "{met:?}");
        assert!(met[6..11].iter().all(|state| model.state_name(*state).ends_with("_6")), "{met:?}");
        assert!(play.n_left_out() > 0);
        assert_eq!(met.len() + play.n_left_out(), model.n_states());
        for &state in &met {
            let runs = play.runs(&model, state);
            let own: Vec<_> =
                strategy.changes(state).iter().map(|change| (change.from.clone(), Some(change.choice))).collect();
            assert_eq!(runs, own);
        }
        let kept: usize = play.phases().iter().map(|phase| phase.choices.len()).sum();
        assert!(kept <= MAX_KEPT);
    }
}
