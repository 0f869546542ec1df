//! Memory: the step from which a strategy, started in a state at a step, stays within the long-term choices for ever.
//!
//! Backwards, one step: `m_t(s) = max(t + 1 if σ_t(s) deviates, m_{t+1}(u) over successors u)`, 0 without later deviations. Over
//! a stage with one strategy the last deviation that a state reaches is one of three: *after* the stage, *at* a step counted
//! from its end, or *in* some steps counted from now. In this representation a step back is
//!
//! ```text
//! last(s) = max(in 0 if σ(s) deviates, last(u) over successors u with "in j" made "in j + 1")
//! ```
//!
//! independent of the step: once all states repeat with period p they do so for ever, and the rest of the stage is reduced
//! modulo p. A deviation whose j grows for ever is at a fixed step: after 1, 2, 4, … steps an "in j" with j more than half of
//! the steps so far is rewritten as "at". Every "at" is then later than every "in", and stays so, as one step back adds at most
//! 1 to any j.
//!
//! Cost: a pass over the strategy's rows for each step; at most about three times the pre-period plus the period.

use crate::model::StateId;
use crate::parallel;
use crate::ranks::Ranks;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;

/// The last deviation that a state reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    Never,
    /// This many steps from now.
    In(u64),
    /// The stage has this many steps after it.
    At(u64),
    /// After the stage, by the number that the caller gave it; greater is later.
    After(u64),
}

/// The same as a number that is the greater, the later the deviation is.
type Code = u64;
/// Codes below are 0, for never, or 1 + j, for "in j".
const AT: Code = 1 << 62;
const AFTER: Code = 1 << 63;

/// States whose codes are found together.
const CHUNK: usize = 4096;
/// Steps between two polls of the stop signal.
const UNTIL_CHECK: u64 = 64;

/// A stage: the successors under the strategy, and the states in which it deviates.
pub(crate) struct Stage<'r, T> {
    pub ranks: &'r dyn Ranks,
    pub targets: T,
    pub deviates: Vec<bool>,
}

impl<'a, T: Fn(StateId) -> &'a [StateId] + Sync> Stage<'_, T> {
    /// The last deviations from the first step of the stage on, given those after it by their numbers, 0 for none; both with
    /// room for ghosts.
    pub fn before(&self, length: &Step, after: Vec<u64>, stop: &StopSignal) -> Result<Vec<Last>, StopReason> {
        let mut codes: Vec<Code> = after.into_iter().map(|after| if after > 0 { AFTER + after } else { 0 }).collect();
        let mut next = vec![0; codes.len()];
        let all = u64::try_from(length).unwrap_or(u64::MAX);
        let (mut taken, mut round) = (0, 1u64);
        while taken < all {
            codes.iter_mut().for_each(|code| *code = told_anew(*code, taken));
            let begun = codes.clone();
            let mut step_back = |codes: &mut Vec<Code>, count: u64| {
                self.step_back(codes, &mut next);
                if count.is_multiple_of(UNTIL_CHECK) { self.ranks.check(stop) } else { Ok(()) }
            };
            for gone in 1..=round.min(all - taken) {
                step_back(&mut codes, gone)?;
                let n_own = self.deviates.len();
                let moved = codes[..n_own] != begun[..n_own];
                if self.ranks.sum(moved.into()) == 0 {
                    let left = (length - (taken + gone)).as_natural() % gone;
                    for count in 1..=left {
                        step_back(&mut codes, count)?;
                    }
                    return Ok(codes.into_iter().map(Last::from_code).collect());
                }
            }
            taken += round.min(all - taken);
            round *= 2;
        }
        Ok(codes.into_iter().map(Last::from_code).collect())
    }

    fn step_back(&self, codes: &mut Vec<Code>, next: &mut Vec<Code>) {
        self.ranks.refresh_steps(codes);
        let of_state = |state: StateId| {
            let later = (self.targets)(state).iter().map(|target| older(codes[target.index()]));
            later.fold(u64::from(self.deviates[state.index()]), Code::max)
        };
        parallel::for_each(next[..self.deviates.len()].chunks_mut(CHUNK), |index, next| {
            next.iter_mut().enumerate().for_each(|(offset, next)| *next = of_state((index * CHUNK + offset).into()));
        });
        std::mem::swap(codes, next);
    }
}

/// The code of a successor, seen from one step earlier.
fn older(code: Code) -> Code {
    code + Code::from(code.wrapping_sub(1) < AT - 1)
}

/// "In j" as "at", where j is more than half of the steps that were taken.
fn told_anew(code: Code, taken: u64) -> Code {
    match Last::from_code(code) {
        Last::In(j) if j > taken / 2 => 2 * AT - (taken - j),
        _ => code,
    }
}

impl Last {
    fn from_code(code: Code) -> Last {
        match code {
            0 => Last::Never,
            1..AT => Last::In(code - 1),
            AT..AFTER => Last::At(AFTER - 1 - code),
            AFTER.. => Last::After(code - AFTER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::OneRank;

    fn ids(states: &[usize]) -> Vec<StateId> {
        states.iter().map(|&state| StateId::from(state)).collect()
    }

    /// The definition: step by step, in numbers of steps.
    fn walked(targets: &[Vec<StateId>], deviates: &[bool], (from, until): (u64, u64), after: &[u64]) -> Vec<u64> {
        (from..until).rev().fold(after.to_vec(), |later, step| {
            let of_state = |state: usize| {
                let last = targets[state].iter().map(|target| later[target.index()]).max().unwrap();
                if deviates[state] { last.max(step + 1) } else { last }
            };
            (0..later.len()).map(of_state).collect()
        })
    }

    fn found(targets: &[Vec<StateId>], deviates: &[bool], (from, until): (u64, u64), after: &[u64]) -> Vec<u64> {
        let stage = Stage {
            ranks: &OneRank,
            targets: |state: StateId| &targets[state.index()][..],
            deviates: deviates.to_vec(),
        };
        let lasts = stage.before(&Step::from(until - from), after.to_vec(), &StopSignal::default()).unwrap();
        let step_of = |last| match last {
            Last::Never => 0,
            Last::In(j) => from + j + 1,
            Last::At(left) => until - left,
            Last::After(step) => step,
        };
        lasts.into_iter().map(step_of).collect()
    }

    #[test]
    fn a_stage_leaves_what_walking_it_leaves() {
        let mut seed = 11u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for _ in 0..3000 {
            let n = 1 + random(9);
            let sparse = random(2) == 0;
            let targets: Vec<Vec<StateId>> = (0..n)
                .map(|_| ids(&(0..=(if sparse { 0 } else { random(2) })).map(|_| random(n)).collect::<Vec<_>>()))
                .collect();
            let deviates: Vec<bool> = (0..n).map(|_| random(4) == 0).collect();
            let span = (random(5) as u64, 5 + random(200) as u64);
            let after: Vec<u64> =
                (0..n).map(|_| if random(3) == 0 { span.1 + 1 + random(9) as u64 } else { 0 }).collect();
            let case = || format!("{targets:?}, {deviates:?}, {span:?}, {after:?}");
            assert_eq!(
                found(&targets, &deviates, span, &after),
                walked(&targets, &deviates, span, &after),
                "{}",
                case()
            );
        }
    }

    /// Cycles of 2, 3, 5 and 7 states, and one state that leads into all of them: alike after 210 steps.
    #[test]
    fn what_comes_round_is_told_at_its_step_however_long_the_stage_is() {
        let (mut targets, mut entries) = (vec![vec![]], vec![]);
        for length in [2, 3, 5, 7] {
            let first = targets.len();
            entries.push(first);
            targets.extend((0..length).map(|position| ids(&[first + (position + 1) % length])));
        }
        targets[0] = ids(&entries);
        let deviates: Vec<bool> = (0..targets.len()).map(|state| entries.contains(&state)).collect();
        let after: Vec<u64> = (0..targets.len()).map(|state| if state == 1 { 1 << 41 } else { 0 }).collect();
        let until = 1 << 40;
        for from in [until - 10_007, until - 4096, until - 209] {
            let near = walked(&targets, &deviates, (from, until), &after);
            assert_eq!(found(&targets, &deviates, (from, until), &after), near);
            // A whole number of periods earlier it is the same.
            assert_eq!(found(&targets, &deviates, (from - 210_000_000, until), &after), near);
        }
    }

    #[test]
    fn who_is_asked_to_stop_stops() {
        let signal = StopSignal::default();
        signal.raise();
        let targets = [ids(&[1]), ids(&[0])];
        let stage = Stage {
            ranks: &OneRank,
            targets: |state: StateId| &targets[state.index()][..],
            deviates: vec![true, false],
        };
        // Two states repeat at once; a long cycle does not.
        assert!(stage.before(&Step::from(1000u32), vec![0; 2], &signal).is_ok());
        let ring: Vec<Vec<StateId>> = (0..500).map(|state| ids(&[(state + 1) % 500])).collect();
        let mut deviates = vec![false; 500];
        deviates[7] = true;
        let stage = Stage { ranks: &OneRank, targets: |state: StateId| &ring[state.index()][..], deviates };
        assert_eq!(stage.before(&Step::from(1000u32), vec![0; 500], &signal), Err(StopReason::Interrupted));
    }
}
