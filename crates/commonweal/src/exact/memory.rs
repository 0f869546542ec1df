//! Memory: per start state, the first step from which the strategy stays within the long-term choices for ever.
//!
//! The walk carries m along: one step back over a layer, many at once over a stage
//! ([`strategy::memory`](crate::strategy::memory) has the recursion).

use crate::model::{ChoiceId, StateId, Structure};
use crate::ranks::OneRank;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use crate::strategy::memory::{Last, Stage};

/// m at `step`, given m at the step after and the choices at `step`.
pub(super) fn before_layer(
    model: &Structure,
    decisions: &[ChoiceId],
    deviates: impl Fn(ChoiceId) -> bool,
    step: &Step,
    after: &[Step],
) -> Vec<Step> {
    let of_state = |state: StateId| {
        let choice = decisions[state.index()];
        let later = model.targets(choice).iter().map(|target| &after[target.index()]).max();
        let later = later.expect("a choice has a successor").clone();
        if deviates(choice) { later.max(step + 1) } else { later }
    };
    model.states().map(of_state).collect()
}

/// m at step `from`, given m at step `until` and that `strategy` is followed in between.
pub(super) fn before_stage(
    model: &Structure,
    strategy: &[ChoiceId],
    deviates: impl Fn(ChoiceId) -> bool,
    (from, until): (&Step, &Step),
    after: &[Step],
    stop: &StopSignal,
) -> Result<Vec<Step>, StopReason> {
    let mut distinct: Vec<&Step> = after.iter().filter(|after| !after.is_zero()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let stage = Stage {
        ranks: &OneRank,
        targets: |state: StateId| model.targets(strategy[state.index()]),
        deviates: strategy.iter().map(|&choice| deviates(choice)).collect(),
    };
    let ranks = after.iter().map(|after| distinct.binary_search(&after).map_or(0, |rank| rank as u64 + 1)).collect();
    let step_of = |last: Last| match last {
        Last::Never => Step::ZERO,
        Last::In(j) => from + j + 1,
        Last::At(left) => until - left,
        Last::After(rank) => distinct[rank as usize - 1].clone(),
    };
    Ok(stage.before(&(until - from), ranks, stop)?.into_iter().map(step_of).collect())
}
