//! `commonweal-strategy/1`: a whole strategy, by the names of states and actions.

use super::{CoinDecision, Document, Entries, Format, StepNumber};
use crate::io::{ParseError, read_strategy};
use crate::model::{ChoiceId, StateId, Structure};
use crate::number::Rational;
use crate::strategy::{self, Change, CountingStrategy, Lottery, Stationary, Step, Tossing};
use serde::{Deserialize, Deserializer, Serialize};

/// A counting strategy, with `decisions` and perhaps `coins`, a stationary one, with a `mix`, or a `lottery` over counting ones.
///
/// Programs write every state. Hand-written files may leave out states with a single action, and have one action in place of a
/// list; both are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    format: Format<Strategy>,
    /// What a counting strategy does in each state.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "long_form")]
    pub decisions: Option<Entries<Vec<Decision>>>,
    /// The decisions of a counting strategy that are randomised instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coins: Vec<CoinDecision>,
    /// The probabilities of a stationary strategy's actions in each state, as fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mix: Option<Entries<Entries<String>>>,
    /// The strategies of a lottery, one of which is drawn at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lottery: Option<Vec<LotteryShare>>,
}

/// A strategy of a lottery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LotteryShare {
    /// How likely it is drawn, as a fraction.
    pub probability: String,
    /// What it does in each state.
    pub decisions: Entries<Vec<Decision>>,
}

/// From this step on a state takes this action: until the next decision, or for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The first step.
    pub from: StepNumber,
    /// The action.
    pub action: String,
}

/// Lists of decisions, each of which may be written as one action.
fn long_form<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Entries<Vec<Decision>>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<Decision>),
    }
    let list = |(state, decisions): (String, OneOrMany)| match decisions {
        OneOrMany::One(action) => (state, vec![Decision { from: StepNumber(Step::ZERO), action }]),
        OneOrMany::Many(list) => (state, list),
    };
    let short: Option<Entries<OneOrMany>> = Deserialize::deserialize(deserializer)?;
    Ok(short.map(|Entries(states)| states.into_iter().map(list).collect()))
}

impl Document for Strategy {
    const FORMAT: &'static str = "commonweal-strategy/1";
}

impl Strategy {
    /// The document of a strategy of either kind.
    pub fn new(model: &Structure, strategy: &strategy::Strategy) -> Strategy {
        match strategy {
            strategy::Strategy::Counting(strategy) => Strategy::counting(model, strategy),
            strategy::Strategy::Stationary(strategy) => Strategy::stationary(model, strategy),
            strategy::Strategy::Lottery(lottery) => Strategy::lottery(model, lottery),
        }
    }

    /// The document of a counting strategy.
    pub fn counting(model: &Structure, strategy: &CountingStrategy) -> Strategy {
        let decisions = Some(every_state(model, strategy));
        Strategy { format: Format::default(), decisions, coins: Vec::new(), mix: None, lottery: None }
    }

    /// The document of a counting strategy that tosses coins.
    pub fn tossing(model: &Structure, tossing: &Tossing) -> Strategy {
        let coins = tossing.coins.iter().map(|coin| CoinDecision::new(model, coin)).collect();
        Strategy { coins, ..Strategy::counting(model, &tossing.strategy) }
    }

    /// The document of a lottery.
    pub fn lottery(model: &Structure, lottery: &Lottery) -> Strategy {
        let share = |(share, strategy): &(Rational, CountingStrategy)| LotteryShare {
            probability: share.to_string(),
            decisions: every_state(model, strategy),
        };
        let lottery = Some(lottery.shares().iter().map(share).collect());
        Strategy { format: Format::default(), decisions: None, coins: Vec::new(), mix: None, lottery }
    }

    /// The document of a stationary strategy.
    pub fn stationary(model: &Structure, strategy: &Stationary) -> Strategy {
        let share =
            |(choice, share): &(ChoiceId, Rational)| (model.action_name(*choice).into_owned(), share.to_string());
        let of_state = |state| {
            (model.state_name(state).into_owned(), strategy.mix(state).iter().map(share).collect::<Entries<_>>())
        };
        let mix = Some(model.states().map(of_state).collect());
        Strategy { format: Format::default(), decisions: None, coins: Vec::new(), mix, lottery: None }
    }

    /// The strategy for `model` that the document describes.
    pub fn resolve(&self, model: &Structure) -> Result<strategy::Strategy, ParseError> {
        read_strategy(model, self.to_json().as_bytes())
    }
}

fn every_state(model: &Structure, strategy: &CountingStrategy) -> Entries<Vec<Decision>> {
    model.states().map(|state| (model.state_name(state).into_owned(), decisions(model, strategy, state))).collect()
}

/// What a counting strategy does in one state.
pub(super) fn decisions(model: &Structure, strategy: &CountingStrategy, state: StateId) -> Vec<Decision> {
    let decision = |change: &Change| Decision {
        from: StepNumber(change.from.clone()),
        action: model.action_name(change.choice).into_owned(),
    };
    strategy.changes(state).iter().map(decision).collect()
}
