//! The gains at the end of a stage, and bounds on their effect within the stage.
//!
//! Under the stage's strategy σ a gain g over σ's own values is only carried along: k steps earlier it is λ_0^k P_σ^k g, an
//! expectation over where σ leads. So it lies between the least and the greatest gain of all states that σ reaches, and two
//! choices differ by no more than these do. How far that is depends on how well σ's chain has mixed the gains, and not on
//! λ_0: a constant, such as what a patient principal gets whatever is chosen, is no difference at all.

use crate::model::{ChoiceId, StateId};
use crate::number::Scaled;
use crate::principals::OrderedModel;

/// The gains at the end of a stage, in units of λ_0^step.
pub(in crate::exact) struct StageEnd {
    /// Per state an enclosure that begins at the least and ends at the greatest gain of what the strategy reaches from it.
    reached: Vec<Scaled>,
}

impl StageEnd {
    /// Nothing is gained anywhere.
    pub fn without_gains(n_states: usize) -> StageEnd {
        StageEnd { reached: vec![Scaled::ZERO; n_states] }
    }

    /// The gains over the values of `strategy`, which is followed in the stage.
    pub fn of(model: &OrderedModel, strategy: &[ChoiceId], gains: &[Scaled]) -> StageEnd {
        let mut reached = gains.to_vec();
        // A state is reached after fewer steps than there are states, or never.
        for _ in 0..reached.len() {
            let with_next = |state: usize| {
                let targets = model.targets(strategy[state]).iter().map(|target| reached[target.index()]);
                targets.fold(reached[state], hull)
            };
            let next: Vec<Scaled> = (0..reached.len()).map(with_next).collect();
            let is_settled = next == reached;
            reached = next;
            if is_settled {
                break;
            }
        }
        StageEnd { reached }
    }

    /// What `choice` may be worth more than `followed` by where it leads, at the end of the stage: a point.
    pub fn slack(&self, model: &OrderedModel, choice: ChoiceId, followed: ChoiceId) -> Scaled {
        let after = |choice: ChoiceId| {
            let targets = model.targets(choice).iter().map(|target| self.reached[target.index()]);
            targets.reduce(hull).expect("a row has a target")
        };
        after(choice).upper().plus(-after(followed).lower()).upper().max(Scaled::ZERO)
    }

    /// The gain of a state where the stage begins, `shrunk` being λ_0 to its length.
    pub fn at_the_beginning(&self, state: StateId, shrunk: Scaled) -> Scaled {
        self.reached[state.index()].times(shrunk)
    }

    /// The greatest difference of gains that the strategy reaches from one state: a point.
    pub fn width(&self) -> Scaled {
        let width = |gain: &Scaled| gain.upper().plus(-gain.lower()).upper();
        self.reached.iter().map(width).fold(Scaled::ZERO, Scaled::max)
    }
}

/// The least enclosure of both numbers.
fn hull(one: Scaled, other: Scaled) -> Scaled {
    let least = -(-one).max(-other);
    least.through(one.max(other))
}
