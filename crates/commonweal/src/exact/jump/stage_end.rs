//! The gains at the end of a stage, and bounds on their effect within the stage.
//!
//! Under the stage's strategy σ a gain g over σ's own values is only carried along: k steps earlier it is λ_0^k P_σ^k g, an
//! expectation over where σ leads. What σ's chain mixes the gain to, h, is taken out of it ([`Harmonic`]), and what is left,
//! e = g − h, lies between the least and the greatest of all states that σ reaches: two choices differ by no more than these
//! do. How far that is depends on how well σ's chain has mixed the gains, and not on λ_0. A constant, such as what a patient
//! principal gets whatever is chosen, is no difference at all.

use super::harmonic::Harmonic;
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::{Scaled, WideEnclosure};
use crate::principals::OrderedModel;
use crate::strategy::Step;
use std::cmp::Ordering;

/// The gains at the end of a stage, in units of λ_0^step.
pub(in crate::exact) struct StageEnd {
    /// Per state an enclosure that begins at the least and ends at the greatest e of the states that the strategy reaches from it.
    reached: Vec<WideEnclosure>,
    /// h, where it is not 0, and by how much each choice leads to more of it than the strategy does.
    harmonic: Option<(Harmonic, Vec<Scaled>)>,
}

/// How much more than the choice that is followed another one may be worth by where it leads, in units of the end of the stage.
pub(super) struct Rival {
    /// If k steps of the stage are left after the choice: entry k modulo the number of entries. Points.
    more: Vec<Scaled>,
    /// Whether the choice may tie although the slack is 0, and must lose.
    pub must_lose: bool,
}

impl StageEnd {
    /// Nothing is gained anywhere.
    pub fn without_gains(n_states: usize, bits: usize) -> StageEnd {
        StageEnd { reached: vec![WideEnclosure::zero(bits); n_states], harmonic: None }
    }

    /// The gains over the values of `strategy`, which is followed in the stage.
    pub fn of(model: &OrderedModel, strategy: &[ChoiceId], gains: &[WideEnclosure]) -> StageEnd {
        let mut sources = vec![Vec::new(); strategy.len()];
        for (state, &choice) in strategy.iter().enumerate() {
            model.targets(choice).iter().for_each(|target| sources[target.index()].push(state));
        }
        let least = extremes(&sources, |one, other| gains[one].compare_lower(&gains[other]));
        let greatest = extremes(&sources, |one, other| gains[other].compare_upper(&gains[one]));
        let reached = least.into_iter().zip(greatest).map(|(least, greatest)| gains[least].through(&gains[greatest]));
        StageEnd { reached: reached.collect(), harmonic: None }
    }

    /// The same with h taken out of them.
    pub fn without(
        model: &OrderedModel,
        rows: &IntegerRows,
        strategy: &[ChoiceId],
        gains: &[WideEnclosure],
        harmonic: Harmonic,
    ) -> StageEnd {
        let left =
            |(state, gain): (usize, &WideEnclosure)| gain.minus(&harmonic.value(0, state.into(), gain.precision()));
        let left: Vec<WideEnclosure> = gains.iter().enumerate().map(left).collect();
        let drifts = harmonic.drifts(model, rows);
        StageEnd { harmonic: Some((harmonic, drifts)), ..StageEnd::of(model, strategy, &left) }
    }

    /// How much more than `followed` the choice may be worth by where it leads; whether it wins ties.
    pub(super) fn rival(&self, model: &OrderedModel, choice: ChoiceId, followed: ChoiceId, wins_ties: bool) -> Rival {
        let after = |choice: ChoiceId| {
            let targets = model.targets(choice).iter().map(|target| self.reached[target.index()].clone());
            targets.reduce(|one, other| one.join(&other)).expect("a row has a target")
        };
        let slack = after(choice).minus(&after(followed)).to_scaled().upper().max(Scaled::ZERO);
        match &self.harmonic {
            None => Rival { more: vec![slack], must_lose: slack.is_zero() && wins_ties },
            Some((harmonic, drifts)) => {
                let period = harmonic.period();
                let drifts = &drifts[choice.index() * period..(choice.index() + 1) * period];
                Rival {
                    more: drifts.iter().map(|drift| drift.plus(slack).upper()).collect(),
                    must_lose: slack.is_zero() && (wins_ties || drifts.iter().any(|drift| !drift.is_zero())),
                }
            }
        }
    }

    /// The gain of a state where the stage of this length begins, `shrunk` being λ_0 to its length.
    pub fn at_the_beginning(&self, state: StateId, length: &Step, shrunk: &WideEnclosure) -> WideEnclosure {
        let left = &self.reached[state.index()];
        match &self.harmonic {
            Some((harmonic, _)) => {
                let phase = length.modulo(harmonic.period());
                left.plus(&harmonic.value(phase, state, left.precision())).times(shrunk)
            }
            None => left.times(shrunk),
        }
    }

    /// Whether what is left differs by no more than `allowed` among the states that the strategy reaches from one state.
    pub fn is_within(&self, allowed: Scaled) -> bool {
        self.reached.iter().all(|left| matches!(left.width().compare(&allowed), Some(Ordering::Less | Ordering::Equal)))
    }

    /// h, if any was taken out.
    pub fn harmonic(&self) -> Option<&Harmonic> {
        self.harmonic.as_ref().map(|(harmonic, _)| harmonic)
    }
}

/// Per state the first, in this order, of all states that are reached from it: in sorted order, each is passed on to all states that
/// reach it and have none yet.
fn extremes(sources: &[Vec<usize>], order: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..sources.len()).collect();
    sorted.sort_by(|&one, &other| order(one, other));
    let mut found = vec![None; sources.len()];
    for extreme in sorted {
        let mut open = vec![extreme];
        while let Some(state) = open.pop() {
            if found[state].is_none() {
                found[state] = Some(extreme);
                open.extend(&sources[state]);
            }
        }
    }
    found.into_iter().map(|extreme| extreme.expect("a state reaches itself")).collect()
}

impl Rival {
    /// A choice that may be worth this much more, whatever the step.
    #[cfg(test)]
    pub fn by(slack: Scaled) -> Rival {
        Rival { more: vec![slack], must_lose: false }
    }

    /// The greatest of what it may be worth more at the steps from `from` to `to` of a stage that ends at `end`.
    pub fn greatest(&self, from: &Step, to: &Step, end: &Step) -> Scaled {
        let period = self.more.len();
        let all = if period == 1 || to - from >= Step::from(period) {
            0..period
        } else {
            // At step t, end − t − 1 steps are left.
            let first = (&(end - to) - 1).modulo(period);
            let n_steps = u64::try_from(&(to - from)).expect("fewer than a period") as usize + 1;
            first..first + n_steps
        };
        all.map(|k| self.more[k % period]).reduce(Scaled::max).expect("a stage has a step")
    }
}
