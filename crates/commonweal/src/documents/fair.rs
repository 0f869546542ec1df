//! `commonweal-fair/1`: the fairest lottery by a rule.

use super::strategy::decisions;
use super::{Decision, Document, Engine, Entries, Format, Number, StepNumber, exact_text, listed_states};
use crate::fair::{self, Proven, Weights};
use crate::model::{PrincipalId, Structure};
use crate::number::{Rational, Value};
use crate::stop::StopReason;
use crate::strategy::{Coin, CountingStrategy};
use serde::{Deserialize, Serialize};

/// The fairest lottery over strategies by a rule, with the weights that prove it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fair {
    format: Format<Fair>,
    /// The rule, as it is written on the command line.
    pub rule: String,
    /// The start state.
    pub start: String,
    /// Which engine answered.
    pub engine: Engine,
    /// What is proven.
    pub status: FairStatus,
    /// Why no more is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Bounds on the optimal value by the rule; `None` if the demands are infeasible.
    pub value: Option<Number>,
    /// The greatest shortfall of infeasible demands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infeasible_by: Option<Number>,
    /// What each principal gets, before its weight.
    pub payoffs: Entries<Number>,
    /// For leximin: the levels, the worst-off first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Principals who cannot gain over the reference point: the rule does not count them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<String>,
    /// Principals with a negative weight, if the rule is not the sum: it looks at payoffs before weights, so more is better.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs_as_gains: Vec<String>,
    /// Principals of whom doubles do not tell whether they can gain over the reference point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<String>,
    /// By how much every floor was lowered and every ceiling raised, because doubles do not decide whether they can be met exactly; the answer
    /// is that of the relaxed demands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relaxed_by: Option<String>,
    /// The reference point.
    pub over: Entries<String>,
    /// The lottery, drawn once at the start; with `coins`, strategies that differ only in these decisions.
    pub mix: Vec<Drawn>,
    /// The randomised decisions, in place of the draw at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coins: Vec<CoinDecision>,
    /// The weights of a half-space that proves it.
    pub weights: Entries<String>,
    /// Further weights, in lexicographic order, if several lotteries are optimal for the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Entries<String>>,
    /// The number of solves.
    pub questions: u64,
}

/// What is proven of a fair answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FairStatus {
    /// No strategy does better by the rule.
    #[serde(rename = "optimal")]
    Optimal,
    /// The bounds are within the gap asked for.
    #[serde(rename = "within gap")]
    WithinGap,
    /// No strategy meets the demands.
    #[serde(rename = "infeasible")]
    Infeasible,
    /// The bounds hold, but are further apart than asked for.
    #[serde(rename = "stopped")]
    Stopped,
}

/// A level of leximin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The principals who gain the same there.
    pub principals: Vec<String>,
    /// What they gain: the lower bound is reached, the upper one holds for all lotteries that give at least as much at the levels before.
    pub value: Number,
}

/// A randomised decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoinDecision {
    /// In which state.
    pub state: String,
    /// At which step.
    pub step: StepNumber,
    /// The actions with their probabilities.
    pub actions: Entries<String>,
}

/// A strategy of a lottery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawn {
    /// How likely it is drawn.
    pub probability: String,
    /// What it gives each principal.
    pub payoffs: Entries<Number>,
    /// What it does in each state that is listed.
    pub decisions: Entries<Vec<Decision>>,
}

/// That there is no coin at a decision, and why.
pub fn no_coin(reason: StopReason) -> String {
    format!("no coin at a decision was found: {reason}; the lottery is drawn at the start")
}

impl Document for Fair {
    const FORMAT: &'static str = "commonweal-fair/1";

    fn leave_fractions_out(&mut self) {
        self.value.iter_mut().chain(&mut self.infeasible_by).for_each(Number::leave_fraction_out);
        self.payoffs.leave_fractions_out();
        self.levels.iter_mut().for_each(|level| level.value.leave_fraction_out());
        self.mix.iter_mut().for_each(|drawn| drawn.payoffs.leave_fractions_out());
    }
}

impl Fair {
    /// Says that a limit ended the search for coins at decisions.
    pub fn tell_no_coin(&mut self, reason: StopReason) {
        if matches!(self.status, FairStatus::Optimal | FairStatus::WithinGap) {
            (self.status, self.reason) = (FairStatus::Stopped, Some(no_coin(reason)));
        }
    }

    /// The document of an answer for this model; a large model lists all states if they are asked for.
    pub fn new(model: &Structure, fair: &fair::Fair, all_states: bool) -> Fair {
        let (status, reason) = match fair.proven {
            Proven::Optimal => (FairStatus::Optimal, None),
            Proven::WithinGap => (FairStatus::WithinGap, None),
            Proven::Infeasible => (FairStatus::Infeasible, None),
            Proven::Stopped(reason) => (FairStatus::Stopped, Some(reason.to_string())),
        };
        let infeasible = status == FairStatus::Infeasible;
        let names = |who: &[PrincipalId]| who.iter().map(|p| model.principals()[p.index()].name.clone()).collect();
        let value = Number::from(&fair.value);
        Fair {
            format: Format::default(),
            rule: fair.rule.to_string(),
            start: model.state_name(model.start()).into_owned(),
            engine: if fair.gap.is_some() { Engine::Certified } else { Engine::Exact },
            status,
            reason,
            value: (!infeasible).then(|| value.clone()),
            infeasible_by: infeasible.then_some(value),
            payoffs: payoffs(model, &fair.payoffs),
            levels: fair.levels.iter().map(|level| Level::new(model, level)).collect(),
            not_counted: names(&fair.not_counted),
            costs_as_gains: names(&fair.costs_as_gains(model)),
            doubtful: names(&fair.doubtful),
            relaxed_by: (!fair.relaxed_by.is_zero()).then(|| text(&fair.relaxed_by)),
            over: fractions(model, &fair.over),
            coins: Vec::new(),
            mix: fair.mix.iter().map(|share| Drawn::new(model, share, all_states)).collect(),
            weights: fractions(model, &fair.weights),
            questions: fair.calls,
            then: fair.then.iter().map(|weights| fractions(model, weights)).collect(),
        }
    }
}

impl Level {
    fn new(model: &Structure, level: &fair::Level) -> Level {
        let name = |p: &PrincipalId| model.principals()[p.index()].name.clone();
        Level { principals: level.who.iter().map(name).collect(), value: Number::from(&level.value) }
    }
}

impl CoinDecision {
    /// The decision of a coin in this model.
    pub fn new(model: &Structure, coin: &Coin) -> CoinDecision {
        let action = |(choice, share): &(crate::model::ChoiceId, Rational)| {
            (model.action_name(*choice).into_owned(), share.to_string())
        };
        CoinDecision {
            state: model.state_name(coin.state).into_owned(),
            step: StepNumber(coin.step.clone()),
            actions: coin.choices.iter().map(action).collect(),
        }
    }
}

impl Drawn {
    fn new(model: &Structure, share: &fair::Share, all_states: bool) -> Drawn {
        Drawn {
            probability: share.probability.to_string(),
            payoffs: payoffs(model, &share.payoffs),
            decisions: all_decisions(model, &share.strategy, all_states),
        }
    }
}

pub(super) fn payoffs(model: &Structure, payoffs: &[Value]) -> Entries<Number> {
    let names = model.principals().iter().map(|principal| principal.name.clone());
    names.zip(payoffs.iter().map(Number::from)).collect()
}

pub(super) fn fractions(model: &Structure, weights: &Weights) -> Entries<String> {
    let names = model.principals().iter().map(|principal| principal.name.clone());
    names.zip(weights.iter().map(text)).collect()
}

/// A fraction; the nearest double if it is too long.
fn text(number: &Rational) -> String {
    exact_text(number).unwrap_or_else(|| format!("{:e}", number.to_f64()))
}

pub(super) fn all_decisions(
    model: &Structure,
    strategy: &CountingStrategy,
    all_states: bool,
) -> Entries<Vec<Decision>> {
    let of_state = |&state| (model.state_name(state).into_owned(), decisions(model, strategy, state));
    listed_states(model, all_states).iter().map(of_state).collect()
}
