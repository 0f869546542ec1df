//! The entries of `comparison`: other strategies compared with a solution.

use super::{Double, Entries, Number, Status};
use crate::commitment::Equilibrium;
use crate::compare::{self, Class, Comparison};
use crate::model::{StateId, Structure};
use crate::number::Rational;
use crate::strategy::Strategy;
use serde::{Deserialize, Serialize};

/// One strategy of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Which one: `counting`, `stationary`, `positional`, `long-term`, `re-planned`, `no commitment`, `best for principal` or
    /// `fair`.
    pub strategy: String,
    /// The rule by which it is the fairest lottery, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Whom it is best for, of a strategy that serves one principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// What it earns from the start.
    pub welfare: Number,
    /// An upper bound for its class, unless it is known to be the best of its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<Double>,
    /// What each principal gets.
    pub payoffs: Entries<Number>,
    /// Of a strategy that no later decision-maker would change: in each state that is met, the probability of each action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<Entries<Entries<String>>>,
    /// What a later decision-maker gains at most by another action; 0 if it does not randomise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<Double>,
    /// `stopped`, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Compared {
    /// The entries of a comparison, the strategy without commitment written out.
    pub fn all(model: &Structure, comparison: &Comparison) -> Vec<Compared> {
        let mut all: Vec<Compared> = comparison.strategies.iter().map(|one| Compared::new(model, one)).collect();
        let uncommitted = comparison.strategies.iter().position(|one| one.class == Class::NoCommitment);
        if let (Some(at), Some(strategy)) = (uncommitted, comparison.equilibrium.strategy()) {
            all[at].mix = Some(mix(model, &strategy));
            let regret = if let Equilibrium::Mixed { regret, .. } = comparison.equilibrium { regret } else { 0.0 };
            all[at].regret = Some(Double(regret));
        }
        all
    }

    /// The entry of a strategy for this model.
    pub fn new(model: &Structure, compared: &compare::Compared) -> Compared {
        let (strategy, principal) = match compared.class {
            Class::Counting => ("counting", None),
            Class::Stationary => ("stationary", None),
            Class::Positional => ("positional", None),
            Class::LongTerm => ("long-term", None),
            Class::Replanned => ("re-planned", None),
            Class::NoCommitment => ("no commitment", None),
            Class::BestFor(p) => ("best for principal", Some(model.principals()[p.index()].name.clone())),
            Class::Fair(_) => ("fair", None),
        };
        let rule = if let Class::Fair(rule) = compared.class { Some(rule.name().to_owned()) } else { None };
        let names = model.principals().iter().map(|principal| principal.name.clone());
        Compared {
            strategy: strategy.to_owned(),
            rule,
            principal,
            welfare: Number::from(&compared.welfare),
            upper: compared.upper.map(Double),
            payoffs: names.zip(compared.payoffs.iter().map(Number::from)).collect(),
            mix: None,
            regret: None,
            status: compared.stopped.map(|_| Status::Stopped),
            reason: compared.stopped.map(|reason| reason.to_string()),
        }
    }
}

/// The probability of each action in the states that can be met from the start.
fn mix(model: &Structure, strategy: &Strategy) -> Entries<Entries<String>> {
    let own = |state: StateId| match strategy {
        Strategy::Stationary(mixes) => mixes.mix(state).to_vec(),
        Strategy::Counting(pure) => vec![(pure.tail(state), Rational::ONE)],
        Strategy::Lottery(_) => Vec::new(),
    };
    let reached = model.states().zip(model.reachable(model.start())).filter(|(_, is_reached)| *is_reached);
    let named = |(choice, share)| (model.action_name(choice).into_owned(), Rational::to_string(&share));
    reached
        .map(|(state, _)| (model.state_name(state).into_owned(), own(state).into_iter().map(named).collect()))
        .collect()
}
