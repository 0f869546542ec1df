//! The gains at the end of a stage, and bounds on their effect within the stage.
//!
//! Under the stage's strategy σ a gain g over σ's own values is only carried along: k steps earlier it is λ_0^k P_σ^k g, an
//! expectation over where σ leads. What σ's chain mixes the gain to, h, is taken out of it ([`Harmonic`]), and what is left,
//! e = g − h, lies between the least and the greatest of all states that σ reaches: two choices differ by no more than these
//! do. How far that is depends on how well σ's chain has mixed the gains, and not on λ_0. A constant, such as what a patient
//! principal gets whatever is chosen, is no difference at all.

use super::harmonic::Harmonic;
use crate::model::{ChoiceId, IntegerRows, StateId};
use crate::number::Scaled;
use crate::principals::OrderedModel;
use crate::strategy::Step;

/// The gains at the end of a stage, in units of λ_0^step.
pub(in crate::exact) struct StageEnd {
    /// Per state an enclosure that begins at the least and ends at the greatest e of what the strategy reaches from it.
    reached: Vec<Scaled>,
    /// h, where it is not 0, and what each choice leads to more of it than the strategy does.
    harmonic: Option<(Harmonic, Vec<Scaled>)>,
}

/// What a choice may be worth more than the one that is followed by where it leads, in units of the end of the stage.
pub(super) struct Rival {
    /// If k steps of the stage are left after the choice: entry k modulo their number. Points.
    more: Vec<Scaled>,
    /// Whether the choice may tie though nothing is left open, and must then lose.
    pub must_lose: bool,
}

impl StageEnd {
    /// Nothing is gained anywhere.
    pub fn without_gains(n_states: usize) -> StageEnd {
        StageEnd { reached: vec![Scaled::ZERO; n_states], harmonic: None }
    }

    /// The gains over the values of `strategy`, which is followed in the stage.
    pub fn of(model: &OrderedModel, strategy: &[ChoiceId], gains: &[Scaled]) -> StageEnd {
        let mut reached = gains.to_vec();
        // A state is reached after fewer steps than there are states, or never.
        for _ in 0..reached.len() {
            let with_next = |state: usize| {
                let targets = model.targets(strategy[state]).iter().map(|target| reached[target.index()]);
                targets.fold(reached[state], Scaled::join)
            };
            let next: Vec<Scaled> = (0..reached.len()).map(with_next).collect();
            let is_settled = next == reached;
            reached = next;
            if is_settled {
                break;
            }
        }
        StageEnd { reached, harmonic: None }
    }

    /// The same with h taken out of them.
    pub fn without(
        model: &OrderedModel,
        rows: &IntegerRows,
        strategy: &[ChoiceId],
        gains: &[Scaled],
        harmonic: Harmonic,
    ) -> StageEnd {
        let left = |(state, gain): (usize, &Scaled)| gain.plus(-harmonic.value(0, state));
        let left: Vec<Scaled> = gains.iter().enumerate().map(left).collect();
        let drifts = harmonic.drifts(model, rows);
        StageEnd { harmonic: Some((harmonic, drifts)), ..StageEnd::of(model, strategy, &left) }
    }

    /// What `choice` may be worth more than `followed` by where it leads.
    pub(super) fn rival(&self, model: &OrderedModel, choice: ChoiceId, followed: ChoiceId) -> Rival {
        let after = |choice: ChoiceId| {
            let targets = model.targets(choice).iter().map(|target| self.reached[target.index()]);
            targets.reduce(Scaled::join).expect("a row has a target")
        };
        let slack = after(choice).upper().plus(-after(followed).lower()).upper().max(Scaled::ZERO);
        match &self.harmonic {
            None => Rival { more: vec![slack], must_lose: false },
            Some((harmonic, drifts)) => {
                let period = harmonic.period();
                let drifts = &drifts[choice.index() * period..(choice.index() + 1) * period];
                Rival {
                    more: drifts.iter().map(|drift| drift.plus(slack).upper()).collect(),
                    must_lose: slack.is_zero() && drifts.iter().any(|drift| !drift.is_zero()),
                }
            }
        }
    }

    /// The gain of a state where the stage of this length begins, `shrunk` being λ_0 to its length.
    pub fn at_the_beginning(&self, state: StateId, length: &Step, shrunk: Scaled) -> Scaled {
        let left = self.reached[state.index()];
        let gain = match &self.harmonic {
            Some((harmonic, _)) => left.plus(harmonic.value(length.modulo(harmonic.period()), state.index())),
            None => left,
        };
        gain.times(shrunk)
    }

    /// The greatest difference of what is left that the strategy reaches from one state: a point.
    pub fn width(&self) -> Scaled {
        let width = |gain: &Scaled| gain.upper().plus(-gain.lower()).upper();
        self.reached.iter().map(width).fold(Scaled::ZERO, Scaled::max)
    }

    /// h, if any was taken out.
    pub fn harmonic(&self) -> Option<&Harmonic> {
        self.harmonic.as_ref().map(|(harmonic, _)| harmonic)
    }
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
