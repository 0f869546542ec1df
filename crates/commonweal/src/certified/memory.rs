//! Memory: per start state, the first step from which no decision on anything reachable leaves the long-term choices.
//!
//! `m_t(s) = max(t + 1 if σ_t(s) deviates, m_{t+1}(u) over successors u)`, backwards through the layers that switch; the
//! layers between two of them are alike, and are followed until nothing changes or they are through.

use super::layers::Switches;
use super::rounded_model::RoundedModel;
use super::sweep::CHUNK;
use crate::model::{ChoiceId, Lists};
use crate::strategy::Step;
use rayon::prelude::*;

/// The memory of the decisions that `layers` describe, by start state. Where the decisions are alike for very many steps
/// it is not less than the true memory, and may be more.
pub(super) fn of(
    model: &RoundedModel,
    tail: &[u32],
    long_term: &Lists<ChoiceId>,
    layers: &[Switches],
    horizon: u64,
) -> Vec<Step> {
    let mut decisions = tail.to_vec();
    let mut memory = vec![0u64; tail.len()];
    // The decisions hold from the step of their layer up to the step of the layer before it in the list.
    let mut until = horizon;
    for (index, Switches { step, switches }) in layers.iter().enumerate() {
        if index == 0 {
            until = step + 1;
        }
        switches.iter().for_each(|switch| decisions[switch.state as usize] = switch.choice);
        let first = layers.get(index + 1).map_or(0, |next| next.step + 1);
        stage(model, tail, long_term, &decisions, first, until, &mut memory);
        // If the same step is last for all states, it is so from every earlier step too.
        if memory.iter().all(|&last| last == memory[0] && last > first) {
            break;
        }
        until = first;
    }
    memory.into_iter().map(Step::from).collect()
}

/// Layers that are followed one by one before what can be reached at all stands for what is reached in exactly so many.
const FOLLOWED: u64 = 4096;

/// Goes back from step `until` to step `first` with the same decisions at each.
fn stage(
    model: &RoundedModel,
    tail: &[u32],
    long_term: &Lists<ChoiceId>,
    decisions: &[u32],
    first: u64,
    until: u64,
    memory: &mut Vec<u64>,
) {
    let rows = &model.arrays;
    let deviates: Vec<bool> = (0..tail.len())
        .into_par_iter()
        .map(|state| {
            let choice = decisions[state];
            choice != tail[state] && !long_term.get(state).iter().any(|c| c.index() == choice as usize)
        })
        .collect();
    let mut next = vec![0; memory.len()];
    let back = |memory: &[u64], next: &mut [u64], step: u64, keep: bool| {
        next.par_chunks_mut(CHUNK).enumerate().for_each(|(index, next)| {
            for (offset, next) in next.iter_mut().enumerate() {
                let state = index * CHUNK + offset;
                let later = rows.target[rows.row(decisions[state])].iter().map(|target| memory[target.index()]);
                let mut latest = if keep { memory[state] } else { 0 };
                later.for_each(|later| latest = latest.max(later));
                *next = if deviates[state] { latest.max(step + 1) } else { latest };
            }
        });
    };
    for step in (first..until).rev() {
        let far = until - step > FOLLOWED;
        back(memory, &mut next, step, far);
        let settled = next == *memory || next.iter().all(|&last| last == next[0] && last > step);
        std::mem::swap(memory, &mut next);
        if settled {
            return;
        }
    }
}
