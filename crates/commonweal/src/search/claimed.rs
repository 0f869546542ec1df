//! What a solver outside this library claims: its strategy is evaluated here, its upper bound stays a claim.

use super::branch_and_bound::{Search, SearchOptions, SearchOutcome};
use super::doubles::Doubles;
use super::exact::{positional_welfare, welfare_range};
use crate::model::{ChoiceId, Mdp};
use crate::number::{Enclosure, Value};
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Strategy};

/// The positional strategy that takes `chosen`, a choice for each state, with its exact welfare and the upper bound that a solver
/// claims of the mixtures of `model`, in the units of [`Doubles`]. A solver that was stopped claims nothing: the upper bound is
/// then that of the rewards, which holds.
pub fn claimed(
    model: &Mdp,
    (mixtures, doubles): (&OrderedModel, &Doubles),
    chosen: Vec<ChoiceId>,
    claimed: Result<f64, StopReason>,
    nodes: u64,
    options: &SearchOptions,
) -> Search {
    let welfare = positional_welfare(mixtures.mdp(), doubles, &chosen, &StopSignal::default());
    let welfare = Value::from(welfare.expect("nobody raises the signal"));
    let (upper, outcome) = match claimed {
        Ok(claimed) => (doubles.unscaled_above(claimed).max(welfare.enclosure.upper()), SearchOutcome::Claimed),
        Err(reason) => {
            let [_, greatest] = welfare_range(mixtures, &doubles.met(|_| true));
            (Enclosure::from(&greatest).upper(), SearchOutcome::Stopped(reason))
        }
    };
    let strategy = Strategy::Counting(CountingStrategy::positional(chosen));
    let found = Search { strategy, welfare, upper, nodes, outcome, answer: None, misses_gap: None };
    found.of_preferences(model.welfare_margin(), options)
}
