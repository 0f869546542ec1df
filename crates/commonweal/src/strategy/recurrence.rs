//! Where a positional strategy stays for ever: its recurrent classes, and the phases in which it goes round in them.
//!
//! A class of period d falls into d *phases*; one step leads from each to the next and from the last to the first. A class
//! of period 1 is one phase. Cost: a pass over the strategy's rows, depth first, and one over those of recurrent states.

use super::components::components;
use crate::model::StateId;

/// The phases of all recurrent classes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Recurrence {
    /// Per state its phase; `None` for a state that is left for ever.
    pub phase: Vec<Option<usize>>,
    /// Per phase the one that follows.
    pub next: Vec<usize>,
    /// After how many steps every phase is back; `None` if that is more than a thousand.
    pub period: Option<usize>,
}

const LONGEST: usize = 1000;

impl Recurrence {
    /// The phases of a chain, given where each of its states may lead.
    pub fn of<'a>(n_states: usize, targets: impl Fn(StateId) -> &'a [StateId]) -> Recurrence {
        let target = |state: usize, place: usize| targets(state.into()).get(place).map(|target| target.index());
        let component: Vec<usize> = components(n_states, target).into_iter().map(|number| number as usize).collect();
        let n_components = component.iter().max().map_or(0, |last| last + 1);
        let mut is_left = vec![false; n_components];
        for state in (0..n_states).map(StateId::from) {
            let own = component[state.index()];
            is_left[own] |= targets(state).iter().any(|target| component[target.index()] != own);
        }
        let mut recurrence = Recurrence { phase: vec![None; n_states], next: Vec::new(), period: Some(1) };
        // A component is entered at its first state, so classes are numbered in the order of states.
        for state in (0..n_states).map(StateId::from) {
            if !is_left[component[state.index()]] && recurrence.phase[state.index()].is_none() {
                recurrence.add_class(state, &targets);
            }
        }
        recurrence
    }

    /// Adds the class of a recurrent state.
    fn add_class<'a>(&mut self, root: StateId, targets: &impl Fn(StateId) -> &'a [StateId]) {
        // Steps from the root; whatever closes a cycle has a length that the period divides.
        let mut distance = std::collections::BTreeMap::from([(root, 0usize)]);
        let mut queue = std::collections::VecDeque::from([root]);
        let mut period = 0;
        while let Some(state) = queue.pop_front() {
            let next = distance[&state] + 1;
            for &target in targets(state) {
                match distance.get(&target) {
                    Some(&known) => period = greatest_divisor(period, known.abs_diff(next)),
                    None => {
                        distance.insert(target, next);
                        queue.push_back(target);
                    }
                }
            }
        }
        let first = self.next.len();
        for (state, steps) in distance {
            self.phase[state.index()] = Some(first + steps % period);
        }
        self.next.extend((0..period).map(|phase| first + (phase + 1) % period));
        let common = self.period.map(|known| known / greatest_divisor(known, period) * period);
        self.period = common.filter(|&period| period <= LONGEST);
    }
}

fn greatest_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[usize]]) -> Recurrence {
        let rows: Vec<Vec<StateId>> = rows.iter().map(|row| row.iter().map(|&t| StateId::from(t)).collect()).collect();
        Recurrence::of(rows.len(), |state| &rows[state.index()])
    }

    #[test]
    fn classes_fall_into_phases_and_what_leads_to_them_is_in_none() {
        // 0 leads to a cycle of two, 1 and 2, and to 3, which stays.
        let found = of(&[&[0, 1, 3], &[2], &[1], &[3]]);
        assert_eq!(found.phase, [None, Some(0), Some(1), Some(2)]);
        assert_eq!((found.next, found.period), (vec![1, 0, 2], Some(2)));
        // Cycles of two and of three through one state: period 1.
        let found = of(&[&[1, 2], &[0], &[3], &[0]]);
        assert_eq!((found.phase, found.next), (vec![Some(0); 4], vec![0]));
        // Period 2 with three states in a phase.
        let found = of(&[&[1, 3], &[2], &[1, 3], &[0]]);
        assert_eq!((found.phase, found.period), (vec![Some(0), Some(1), Some(0), Some(1)], Some(2)));
        // A cycle of four and one of six: all are back after twelve steps.
        let found = of(&[&[1], &[2], &[3], &[0], &[5], &[6], &[7], &[8], &[9], &[4]]);
        assert_eq!((found.next.len(), found.period), (10, Some(12)));
    }

    /// Against the definition: a state is recurrent if whatever it reaches leads back; d divides every way back.
    #[test]
    fn random_chains_fall_into_the_phases_of_the_definition() {
        let mut seed = 7u64;
        let mut below = |n: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % n
        };
        for _ in 0..300 {
            let n = 1 + below(7);
            let rows: Vec<Vec<StateId>> =
                (0..n).map(|_| (0..=below(2)).map(|_| StateId::from(below(n))).collect()).collect();
            let found = Recurrence::of(n, |state| &rows[state.index()]);
            // after[k][s]: what s reaches in exactly k steps.
            let mut after = vec![(0..n).map(|s| 1u64 << s).collect::<Vec<_>>()];
            for k in 0..200 {
                let step = |s: usize| rows[s].iter().fold(0, |set, target| set | after[k][target.index()]);
                after.push((0..n).map(step).collect());
            }
            let ever = |s: usize| after.iter().fold(0, |set, row| set | row[s]);
            for s in 0..n {
                let is_recurrent = (0..n).all(|u| ever(s) >> u & 1 == 0 || ever(u) >> s & 1 == 1);
                assert_eq!(found.phase[s].is_some(), is_recurrent, "{rows:?}");
                let Some(phase) = found.phase[s] else { continue };
                let ways_back = (1..200).filter(|&k| after[k][s] >> s & 1 == 1);
                let period = ways_back.fold(0, greatest_divisor);
                let round = (1..).scan(phase, |at, k| {
                    *at = found.next[*at];
                    Some((k, *at))
                });
                assert_eq!(round.into_iter().find(|(_, at)| *at == phase).map(|(k, _)| k), Some(period), "{rows:?}");
                for target in &rows[s] {
                    assert_eq!(found.phase[target.index()], Some(found.next[phase]), "{rows:?}");
                }
            }
        }
    }
}
