//! `commonweal-solution/1`: an answer, state by state.

use super::strategy::decisions;
use super::{Compared, Decision, Document, Double, Engine, Entries, Explanation, Format, Number, Outlook, StepNumber};
use crate::alternatives::Alternatives;
use crate::answer::{Answer, Claim};
use crate::model::{ChoiceId, Entry, PrincipalId, StateId, Structure};
use crate::number::{Enclosure, Value, decimal_or_fraction, rate_text};
use crate::parallel;
use crate::search::ThresholdAnswer;
use crate::stop::StopReason;
use crate::strategy::{Meetings, Step};
use serde::{Deserialize, Serialize};

/// A welfare-optimal strategy with its welfare, or the best one found with bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    format: Format<Solution>,
    /// Which engine answered.
    pub engine: Engine,
    /// What a gap is relative to, of a certified answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<Double>,
    /// Whether the checker has accepted the strategy as optimal, and the welfare, in the same run.
    pub checked: bool,
    /// Whether it has done so for the mixtures that approximate preferences: their nearness is not checked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub checked_for_mixtures: bool,
    /// What the answer lacks; absent if it is optimal or within its gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why it lacks that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In decreasing patience, equal discounts merged.
    pub principals: Vec<Principal>,
    /// The weight of every principal of the file, if one is not 1. Less is better for a negative one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Entries<String>>,
    /// The start state.
    pub start: String,
    /// The least step from which no deviation pays; of a certified or stopped answer, the step at which its tail begins.
    pub horizon: StepNumber,
    /// Whether the strategy of the tail is proven to be the long-term one.
    pub long_term: LongTerm,
    /// The states that are listed.
    pub states: Entries<State>,
    /// Whether every strategy that is as good from the start counts steps: `false` if one that does not is known; absent
    /// where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_counting: Option<bool>,
    /// What each principal gets from the start under another optimal strategy, if one that gives other payoffs is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_payoffs: Option<Entries<Number>>,
    /// Other strategies compared with this one, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Vec<Compared>>,
    /// The steps of the computation, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// Annuities, implied rates and trajectories, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
    /// Whether some strategy earns the threshold, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ThresholdAnswer>,
}

/// What an answer lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is optimal up to ties that no affordable precision decided.
    Undecided,
    /// It was stopped: its bounds hold.
    Stopped,
}

impl Status {
    /// What an answer lacks, and why; `None` if it is optimal or within its gap.
    pub fn of(answer: &Answer) -> Option<(Status, String)> {
        Status::of_claim(answer.claim(), answer)
    }

    fn of_claim(claim: Claim, answer: &Answer) -> Option<(Status, String)> {
        match claim {
            Claim::Within { .. } if answer.misses_gap().is_some() => {
                Some((Status::Stopped, StopReason::Approximation.to_string()))
            }
            Claim::Optimal | Claim::Within { .. } => None,
            Claim::Undecided(ties) => Some((Status::Undecided, format!("comparisons left undecided: {ties}"))),
            Claim::Stopped(reason) => Some((Status::Stopped, reason.to_string())),
        }
    }

    /// `optimal`, `within gap`, `undecided` or `stopped`, and why it is one of the last two.
    pub fn in_a_word(answer: &Answer) -> (&'static str, Option<String>) {
        let claim = answer.claim();
        match Status::of_claim(claim, answer) {
            Some((Status::Undecided, reason)) => ("undecided", Some(reason)),
            Some((Status::Stopped, reason)) => ("stopped", Some(reason)),
            None if claim == Claim::Optimal => ("optimal", None),
            None => ("within gap", None),
        }
    }
}

/// A principal, or several with the same discount.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Principal {
    /// The name, `alice+bob` of several.
    pub name: String,
    /// The names of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<String>>,
    /// The discount factor; for another time preference, the greatest of its last segment.
    pub discount: String,
    /// The preference as stated in the model file, if it is not a discount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference: Option<Entries<Stated>>,
    /// The error of the mixture, if the preference is approximated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approximation: Option<Approximation>,
}

/// The value of a key of a principal's entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Stated {
    /// A number, a rate or a name.
    Text(String),
    /// A number of steps.
    Steps(u64),
    /// Rates in a list.
    List(Vec<String>),
    /// Rates by name or by step.
    Rates(Entries<String>),
}

/// A mixture of discounts in place of a time preference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approximation {
    /// How many discounts it mixes.
    pub nodes: usize,
    /// An upper bound on the sum over all steps of the difference of the two weights, relative to the sum of the weights.
    pub error: Double,
}

impl From<Entry> for Stated {
    fn from(entry: Entry) -> Stated {
        match entry {
            Entry::Number(number) => Stated::Text(decimal_or_fraction(&number)),
            Entry::Rate(rate) => Stated::Text(rate_text(&rate)),
            Entry::Steps(steps) => Stated::Steps(steps),
            Entry::Word(word) => Stated::Text(word.to_owned()),
            Entry::Rates(rates) => {
                Stated::Rates(rates.iter().map(|(name, rate)| (name.clone(), rate_text(rate))).collect())
            }
            Entry::List(rates) => Stated::List(rates.iter().map(rate_text).collect()),
        }
    }
}

/// What is known about the strategy of the tail, which all long-term entries describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LongTerm {
    /// It is the long-term strategy.
    Proven,
    /// It approximates it in doubles, without proof.
    Assumed,
}

impl LongTerm {
    pub(super) fn of(is_proven: bool) -> LongTerm {
        if is_proven { LongTerm::Proven } else { LongTerm::Assumed }
    }
}

/// An answer from one start state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The optimal welfare.
    pub welfare: Number,
    /// What the long-term strategy earns.
    pub long_term_welfare: Number,
    /// What each principal of the file gets, before its weight.
    pub payoffs: Entries<Number>,
    /// The same under the long-term strategy; of the start state only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_term_payoffs: Option<Entries<Number>>,
    /// What each would get if the agent served nobody else; of the start state only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_best: Option<Entries<Number>>,
    /// Whether some strategy can reach this state from the start.
    pub reachable: bool,
    /// The first step at which a run from the start that follows the strategy can be here; `None` if none can.
    pub met_from: Option<StepNumber>,
    /// The actions that the long-term strategy allows.
    pub long_term_actions: Vec<String>,
    /// The first step from which the strategy is the long-term one for ever.
    pub memory: StepNumber,
    /// What the strategy does in this state.
    pub decisions: Vec<Decision>,
}

impl Document for Solution {
    const FORMAT: &'static str = "commonweal-solution/1";

    fn leave_fractions_out(&mut self) {
        for (_, state) in &mut self.states.0 {
            state.welfare.leave_fraction_out();
            state.long_term_welfare.leave_fraction_out();
            let of_start = state.long_term_payoffs.iter_mut().chain(&mut state.own_best);
            of_start.chain([&mut state.payoffs]).for_each(Entries::leave_fractions_out);
        }
        for compared in self.comparison.iter_mut().flatten() {
            compared.welfare.leave_fraction_out();
            compared.payoffs.leave_fractions_out();
        }
        self.other_payoffs.iter_mut().for_each(Entries::leave_fractions_out);
        for (_, patience) in self.outlook.iter_mut().flat_map(|outlook| &mut outlook.principals.0) {
            patience.annuity.leave_fraction_out();
            patience.total_weight.leave_fraction_out();
        }
        self.explanation.iter_mut().for_each(Explanation::leave_fractions_out);
    }
}

impl Solution {
    /// The document of an answer for this model, with these states. `own_best` is what each principal would get from the
    /// start if the agent served nobody else; `checked` says whether a checker has accepted the answer.
    pub fn new(model: &Structure, answer: &Answer, own_best: &[Value], states: &[StateId], checked: bool) -> Solution {
        let start = model.start();
        // The start alone, of a large model, is not worth a pass over all states.
        if states == [start] {
            return Solution { checked, ..Solution::of_start(model, answer, own_best, &model.state_name(start)) };
        }
        let (reachable, meetings) = (model.reachable(start), Meetings::of(model, answer.strategy(), start));
        // Lowest terms of long fractions take their time.
        let of_state = |index: usize| {
            let state = states[index];
            let entry = State {
                reachable: reachable[state.index()],
                met_from: meetings.first(state).cloned().map(StepNumber),
                ..if state == start {
                    State::of_start(model, answer, own_best)
                } else {
                    State::new(model, answer, state)
                }
            };
            (model.state_name(state).into_owned(), entry)
        };
        let entries = parallel::map_each(states.len(), of_state);
        Solution::of_states(model, answer, checked, &model.state_name(start), entries)
    }

    /// The same with the start state alone, by this name, of a model that may have other states elsewhere.
    pub fn of_start(model: &Structure, answer: &Answer, own_best: &[Value], name: &str) -> Solution {
        let start = State { met_from: Some(StepNumber(Step::ZERO)), ..State::of_start(model, answer, own_best) };
        Solution::of_states(model, answer, false, name, vec![(name.to_owned(), start)])
    }

    fn of_states(
        model: &Structure,
        answer: &Answer,
        checked: bool,
        start: &str,
        states: Vec<(String, State)>,
    ) -> Solution {
        let name = |p: &PrincipalId| model.principals()[p.index()].name.clone();
        let principals = answer.principals().iter().map(|principal| Principal {
            name: principal.name.clone(),
            members: (principal.members.len() > 1).then(|| principal.members.iter().map(name).collect()),
            discount: principal.patience.to_string(),
            preference: stated(model, principal.members[0]),
            approximation: model.principals()[principal.members[0].index()].approximation().map(|own| Approximation {
                nodes: own.nodes,
                error: Double(Enclosure::from(&own.relative_error).upper()),
            }),
        });
        let (status, reason) = Status::of(answer).unzip();
        Solution {
            format: Format::default(),
            engine: Engine::from(answer.method()),
            scale: answer.scale().map(Double),
            checked,
            checked_for_mixtures: false,
            status,
            reason,
            principals: principals.collect(),
            weights: weights(model),
            start: start.to_owned(),
            horizon: StepNumber(answer.horizon().clone()),
            long_term: LongTerm::of(answer.long_term_is_proven()),
            states: Entries(states),
            needs_counting: None,
            other_payoffs: None,
            comparison: None,
            explanation: None,
            outlook: None,
            answer: None,
        }
    }
}

/// The weights of all principals, unless all are 1.
fn weights(model: &Structure) -> Option<Entries<String>> {
    let principals = model.principals();
    let weight = |principal: &crate::model::Principal| (principal.name.clone(), principal.weight.to_string());
    principals.iter().any(|principal| !principal.weight.is_one()).then(|| principals.iter().map(weight).collect())
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The stated preference of a principal, unless it is a plain discount.
fn stated(model: &Structure, principal: PrincipalId) -> Option<Entries<Stated>> {
    let preference = model.principals()[principal.index()].preference();
    if preference.plain_discount().is_some() {
        return None;
    }
    let entries = preference.entries()?.into_iter();
    Some(entries.map(|(key, entry)| (key.to_owned(), Stated::from(entry))).collect())
}

impl Solution {
    /// Adds the alternatives.
    pub fn set_alternatives(&mut self, model: &Structure, alternatives: &Alternatives) {
        let names = model.principals().iter().map(|principal| principal.name.clone());
        self.needs_counting = alternatives.positional.is_some().then_some(false);
        self.other_payoffs =
            alternatives.payoffs.as_ref().map(|payoffs| names.zip(payoffs.iter().map(Number::from)).collect());
    }
}

impl State {
    fn of_start(model: &Structure, answer: &Answer, own_best: &[Value]) -> State {
        let start = model.start();
        let names = || model.principals().iter().map(|principal| principal.name.clone());
        let in_the_end = (0..model.n_principals()).map(|p| answer.long_term_payoff(p.into(), start).into());
        State {
            long_term_payoffs: Some(names().zip(in_the_end).collect()),
            own_best: Some(names().zip(own_best.iter().map(Number::from)).collect()),
            ..State::new(model, answer, start)
        }
    }

    fn new(model: &Structure, answer: &Answer, state: StateId) -> State {
        let payoff = |p: usize| (model.principals()[p].name.clone(), answer.payoff(p.into(), state).into());
        let action = |choice: &ChoiceId| model.action_name(*choice).into_owned();
        State {
            welfare: answer.welfare(state).into(),
            long_term_welfare: answer.long_term_welfare(state).into(),
            payoffs: (0..model.n_principals()).map(payoff).collect(),
            long_term_payoffs: None,
            own_best: None,
            reachable: true,
            met_from: None,
            long_term_actions: answer.long_term_choices(state).iter().map(action).collect(),
            memory: StepNumber(answer.memory(state).clone()),
            decisions: decisions(model, answer.strategy(), state),
        }
    }
}
