//! Memory: from which step on a strategy, started here and now, stays within the long-term choices for ever.
//!
//! Backwards, one step: `m_t(s) = max(t + 1 if σ_t(s) deviates, m_{t+1}(u) over successors u)`, 0 where nothing deviates
//! any more. Over a stage of L steps with one strategy the same is a question of which states are reached in *exactly* j
//! steps: the last deviation inside the stage is at the largest j < L at which a deviating state can be reached, and what
//! follows the stage is the greatest m among the states reached in exactly L. Both sequences in j are periodic after a
//! while, and are computed until they are.

use crate::model::{ChoiceId, Model, StateId};
use crate::number::Natural;
use crate::strategy::Step;
use std::collections::HashMap;

/// The most states times steps that are kept while waiting for the sequences to repeat.
const MAX_KEPT: usize = 1 << 22;

/// m at step `from`, given m at step `from + length` and that `strategy` is followed in between. `None` if the sequences
/// do not repeat for so long that walking is the better way.
pub(super) fn before_stage(
    model: &Model,
    strategy: &[ChoiceId],
    deviates: impl Fn(ChoiceId) -> bool,
    from: &Step,
    length: &Natural,
    after: &[Step],
) -> Option<Vec<Step>> {
    let n = model.n_states();
    let step_back = |(now, later): &(Vec<bool>, Vec<Step>)| -> (Vec<bool>, Vec<Step>) {
        let targets = |s: usize| model.targets(strategy[s]).iter().map(|target| target.index());
        let now = (0..n).map(|s| targets(s).any(|t| now[t])).collect();
        let latest = |s: usize| targets(s).map(|t| &later[t]).max().expect("a choice has a successor").clone();
        (now, (0..n).map(latest).collect())
    };
    // reached[j] = (which states reach a deviation in exactly j steps, the greatest m reached in exactly j steps)
    let start: Vec<bool> = strategy.iter().map(|&choice| deviates(choice)).collect();
    let mut reached = vec![(start, after.to_vec())];
    let mut seen = HashMap::from([(reached[0].clone(), 0)]);
    let mut period = None;
    while Natural::from(reached.len() - 1) < *length {
        let next = step_back(&reached[reached.len() - 1]);
        if let Some(&earlier) = seen.get(&next) {
            period = Some((earlier, reached.len() - earlier));
            break;
        }
        if reached.len() * n > MAX_KEPT {
            return None;
        }
        seen.insert(next.clone(), reached.len());
        reached.push(next);
    }
    // Where the sequence at j is kept.
    let index = |j: &Natural| match period {
        Some((start, length)) if *j >= Natural::from(start) => {
            let beyond: usize =
                ((j - Natural::from(start)) % Natural::from(length)).try_into().expect("below a period");
            start + beyond
        }
        _ => usize::try_from(j).expect("the sequence is kept up to its period"),
    };
    let looked_at = Natural::from(reached.len());
    let earliest = if *length > looked_at { length - &looked_at } else { Natural::ZERO };
    let memory = |s: usize| {
        let later = reached[index(length)].1[s].clone();
        // The last j < length at which a deviation is reached: among the last whole period, or before the periods begin.
        let mut j = length.clone();
        let mut last = None;
        while j > earliest && last.is_none() {
            j -= Natural::ONE;
            last = reached[index(&j)].0[s].then(|| j.clone());
        }
        if last.is_none() {
            last = (0..reached.len()).rev().map(Natural::from).find(|j| j < length && reached[index(j)].0[s]);
        }
        later.max(last.map_or(Step::ZERO, |j| from + j + Natural::ONE))
    };
    Some((0..n).map(memory).collect())
}

/// m at `step`, given m at the step after and the choices at `step`.
pub(super) fn before_layer(
    model: &Model,
    decisions: &[ChoiceId],
    deviates: impl Fn(ChoiceId) -> bool,
    step: &Step,
    after: &[Step],
) -> Vec<Step> {
    let of_state = |state: StateId| {
        let choice = decisions[state.index()];
        let later = model.targets(choice).iter().map(|target| &after[target.index()]).max();
        let later = later.expect("a choice has a successor").clone();
        if deviates(choice) { later.max(step + Natural::ONE) } else { later }
    };
    model.states().map(of_state).collect()
}
