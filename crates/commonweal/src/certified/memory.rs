//! Memory: per start state, the first step from which no decision on anything reachable leaves the long-term choices. The
//! layers between two with changes are a stage.

use super::rounded_model::RoundedModel;
use super::walk::LayerChanges;
use crate::model::{ChoiceId, Lists, StateId};
use crate::parallel;
use crate::ranks::Ranks;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use crate::strategy::memory::{Last, Stage};

/// The memory of the decisions that `layers` describe, by start state.
pub(super) fn of(
    model: &RoundedModel,
    tail: &[ChoiceId],
    long_term: &Lists<ChoiceId>,
    layers: &[LayerChanges],
    stop: &StopSignal,
) -> Result<Vec<Step>, StopReason> {
    let (rows, ranks) = (&model.arrays, model.ranks);
    let mut decisions = tail.to_vec();
    let (mut memory, mut next) = (vec![0u64; model.n_values()], vec![0; model.n_values()]);
    // The decisions hold from the step of their layer up to the step of the layer before it in the list.
    let mut until = layers.first().map_or(0, |first| first.step + 1);
    for (index, LayerChanges { changes, .. }) in layers.iter().enumerate() {
        changes.iter().for_each(|&(state, choice)| decisions[state.index()] = choice);
        let from = layers.get(index + 1).map_or(0, |later| later.step + 1);
        let deviates = |state: StateId| {
            let choice = decisions[state.index()];
            choice != tail[state.index()] && !long_term.get(state.index()).contains(&choice)
        };
        let targets = |state: StateId| &rows.target[rows.row(decisions[state.index()])];
        match until - from {
            1 => {
                ranks.refresh_steps(&mut memory);
                parallel::update(&mut next[..tail.len()], |index, next| {
                    let state = StateId::from(index);
                    let later = targets(state).iter().map(|target| memory[target.index()]).fold(0, u64::max);
                    *next = if deviates(state) { later.max(until) } else { later };
                });
                std::mem::swap(&mut memory, &mut next);
            }
            length => {
                let deviates = model.map_states(deviates);
                let lasts = Stage { ranks, targets, deviates }.before(&Step::from(length), memory, stop)?;
                let step_of = |last: Last| match last {
                    Last::Never => 0,
                    Last::In(j) => from + j + 1,
                    Last::At(left) => until - left,
                    Last::After(step) => step,
                };
                memory = lasts.into_iter().map(step_of).collect();
            }
        }
        // If the same step is last for all states, it is so from every earlier step too.
        let own = &memory[..tail.len()];
        let is_one = own.iter().all(|&last| last == own[0] && last > from);
        if ranks.sum((!is_one).into()) == 0 && is_one_number(ranks, own.first().copied()) {
            break;
        }
        until = from;
    }
    memory.truncate(tail.len());
    Ok(memory.into_iter().map(Step::from).collect())
}

/// Whether the ranks that have a number have the same one.
fn is_one_number(ranks: &dyn Ranks, number: Option<u64>) -> bool {
    let mut ends = number.map_or([f64::NEG_INFINITY; 2], |number| [number as f64, -(number as f64)]);
    ranks.greatest(&mut ends);
    ends[0] == -ends[1]
}
