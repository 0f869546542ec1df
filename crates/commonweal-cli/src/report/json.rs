//! `commonweal-solution/1` and its relatives.

use super::compare::ComparedJson;
use super::timings::Spent;
use commonweal::internals::model::{ChoiceId, PrincipalId, StateId, Structure};
use commonweal::internals::number::{Rational, Value};
use commonweal::internals::strategy::{CountingStrategy, Stationary, Step, Strategy};
use commonweal::{Answer, Claim, Method};
use rayon::prelude::*;
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};
use serde_json::value::RawValue;

/// A fraction with more digits than this is left out.
const MAX_DIGITS: usize = 10_000;
/// A model with more states than this shows its start state only, unless told otherwise.
pub const MANY_STATES: usize = 10_000;

/// The solution as one JSON document.
#[derive(Serialize)]
pub struct SolutionJson {
    format: &'static str,
    engine: &'static str,
    /// What a gap is relative to, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<Double>,
    /// Whether the checker has accepted the strategy as optimal, and the welfare, in the same run.
    checked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    principals: Vec<PrincipalJson>,
    start: String,
    horizon: StepJson,
    states: OrderedMap<StateJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Vec<ComparedJson>>,
}

#[derive(Serialize)]
struct PrincipalJson {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<String>>,
    discount: String,
}

#[derive(Serialize)]
struct StateJson {
    welfare: ValueJson,
    long_term_welfare: ValueJson,
    payoffs: OrderedMap<ValueJson>,
    long_term_actions: Vec<String>,
    memory: StepJson,
    decisions: Vec<DecisionJson>,
}

#[derive(Serialize)]
struct DecisionJson {
    from: StepJson,
    action: String,
}

impl SolutionJson {
    pub fn new(model: &Structure, solution: &Answer, checked: bool, all_states: bool) -> SolutionJson {
        let name = |p: &PrincipalId| model.principals()[p.index()].name.clone();
        let principals = solution.principals().iter().map(|principal| PrincipalJson {
            name: principal.name.clone(),
            members: (principal.members.len() > 1).then(|| principal.members.iter().map(name).collect()),
            discount: principal.patience.to_string(),
        });
        let shown: Vec<StateId> =
            if all_states || model.n_states() <= MANY_STATES { model.states().collect() } else { vec![model.start()] };
        let of_state = |&state: &StateId| (model.state_name(state).into_owned(), state_json(model, solution, state));
        let (status, reason) = match solution.claim() {
            Claim::Optimal | Claim::Within { .. } => (None, None),
            Claim::Undecided(ties) => (Some("within gap"), Some(format!("{ties} ties left undecided"))),
            Claim::Stopped(reason) => (Some("stopped"), Some(reason.to_string())),
        };
        SolutionJson {
            format: "commonweal-solution/1",
            engine: engine_name(solution.method()),
            scale: solution.scale().map(Double),
            checked,
            status,
            reason,
            principals: principals.collect(),
            start: model.state_name(model.start()).into_owned(),
            horizon: StepJson(solution.horizon().clone()),
            states: OrderedMap(shown.par_iter().map(of_state).collect()),
            comparison: None,
        }
    }

    /// The same document with other strategies beside the solution.
    pub fn with_comparison(mut self, comparison: Option<Vec<ComparedJson>>) -> SolutionJson {
        self.comparison = comparison;
        self
    }
}

/// An engine as JSON names it.
pub fn engine_name(method: Method) -> &'static str {
    match method {
        Method::Exact => "exact",
        Method::Certified { .. } => "certified",
    }
}

fn state_json(model: &Structure, solution: &Answer, state: StateId) -> StateJson {
    let payoff = |p: usize| {
        let name = model.principals()[p].name.clone();
        (name, ValueJson(solution.payoff(p.into(), state)))
    };
    let action = |choice: &ChoiceId| model.action_name(*choice).into_owned();
    StateJson {
        welfare: ValueJson(solution.welfare(state)),
        long_term_welfare: ValueJson(solution.long_term_welfare(state)),
        payoffs: OrderedMap((0..model.n_principals()).map(payoff).collect()),
        long_term_actions: solution.long_term_choices(state).iter().map(action).collect(),
        memory: StepJson(solution.memory(state).clone()),
        decisions: decisions(model, solution.strategy(), state),
    }
}

fn decisions(model: &Structure, strategy: &CountingStrategy, state: StateId) -> Vec<DecisionJson> {
    let decision = |change: &commonweal::internals::strategy::Change| DecisionJson {
        from: StepJson(change.from.clone()),
        action: model.action_name(change.choice).into_owned(),
    };
    strategy.changes(state).iter().map(decision).collect()
}

/// A whole counting strategy: `commonweal-strategy/1`.
#[derive(Serialize)]
pub struct StrategyJson {
    format: &'static str,
    decisions: OrderedMap<Vec<DecisionJson>>,
}

impl StrategyJson {
    pub fn new(model: &Structure, strategy: &CountingStrategy) -> StrategyJson {
        let of_state = |state| (model.state_name(state).into_owned(), decisions(model, strategy, state));
        StrategyJson { format: "commonweal-strategy/1", decisions: OrderedMap(model.states().map(of_state).collect()) }
    }
}

/// A whole stationary strategy: `commonweal-strategy/1`.
#[derive(Serialize)]
pub struct MixJson {
    format: &'static str,
    mix: OrderedMap<OrderedMap<String>>,
}

impl MixJson {
    pub fn new(model: &Structure, strategy: &Stationary) -> MixJson {
        let share =
            |(choice, share): &(ChoiceId, Rational)| (model.action_name(*choice).into_owned(), share.to_string());
        let of_state = |state| {
            let shares = strategy.mix(state).iter().map(share).collect();
            (model.state_name(state).into_owned(), OrderedMap(shares))
        };
        MixJson { format: "commonweal-strategy/1", mix: OrderedMap(model.states().map(of_state).collect()) }
    }
}

/// A strategy of either kind.
#[derive(Serialize)]
#[serde(untagged)]
pub enum AnyStrategyJson {
    Counting(StrategyJson),
    Stationary(MixJson),
}

impl AnyStrategyJson {
    pub fn new(model: &Structure, strategy: &Strategy) -> AnyStrategyJson {
        match strategy {
            Strategy::Counting(strategy) => AnyStrategyJson::Counting(StrategyJson::new(model, strategy)),
            Strategy::Stationary(strategy) => AnyStrategyJson::Stationary(MixJson::new(model, strategy)),
        }
    }
}

/// A map that keeps its order, whatever its keys.
pub struct OrderedMap<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for OrderedMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// `{"exact": "127/9", "lower": 14.1…, "upper": 14.1…}`.
pub struct ValueJson(pub Value);

impl Serialize for ValueJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Value", 3)?;
        object.serialize_field("exact", &self.0.exact.as_ref().and_then(exact_text))?;
        object.serialize_field("lower", &Double(self.0.enclosure.lower()))?;
        object.serialize_field("upper", &Double(self.0.enclosure.upper()))?;
        object.end()
    }
}

/// The fraction as text, unless it is longer than a reader wants.
pub fn exact_text(exact: &Rational) -> Option<String> {
    // A digit takes more than three bits: what is far too long is not written out first.
    if exact.bits() / 4 > MAX_DIGITS {
        return None;
    }
    let text = exact.to_string();
    (text.bytes().filter(u8::is_ascii_digit).count() <= MAX_DIGITS).then_some(text)
}

/// A double; JSON has no infinities, so past the largest double stands a number that every reader takes for one.
pub struct Double(pub f64);

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let beyond = |text: &str| RawValue::from_string(text.to_owned()).expect("a JSON number");
        match self.0 {
            f64::INFINITY => beyond("1e999").serialize(serializer),
            f64::NEG_INFINITY => beyond("-1e999").serialize(serializer),
            // Never a negative zero.
            finite => serializer.serialize_f64(finite + 0.0),
        }
    }
}

/// A step: a number as far as doubles count exactly, digits in a string beyond.
pub struct StepJson(pub Step);

impl Serialize for StepJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const LAST_EXACT: u64 = (1 << 53) - 1;
        match u64::try_from(&self.0) {
            Ok(step) if step <= LAST_EXACT => serializer.serialize_u64(step),
            _ => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

/// Prints a document on standard output, indented, with a line end; at its end what it took, if that is wanted.
pub fn print(document: &impl Serialize, spent: Option<Spent>) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Whole<'a, D> {
        #[serde(flatten)]
        document: &'a D,
        #[serde(flatten)]
        spent: Option<Spent>,
    }
    let text = serde_json::to_string_pretty(&Whole { document, spent })?;
    crate::output::print(&(text + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_past_what_doubles_count_is_a_string() {
        let written = |step: u64| serde_json::to_string(&StepJson(Step::from(step))).unwrap();
        assert_eq!(written(761), "761");
        assert_eq!(written((1 << 53) - 1), "9007199254740991");
        assert_eq!(written(1 << 53), "\"9007199254740992\"");
        let beyond = StepJson(format!("1{}", "0".repeat(30)).parse().unwrap());
        assert_eq!(serde_json::to_string(&beyond).unwrap(), format!("\"1{}\"", "0".repeat(30)));
    }

    #[test]
    fn every_double_is_a_json_number() {
        let written = |x: f64| serde_json::to_string(&Double(x)).unwrap();
        assert_eq!(written(-0.0), "0.0");
        assert_eq!(written(f64::INFINITY), "1e999");
        assert_eq!(written(f64::NEG_INFINITY), "-1e999");
    }

    #[test]
    fn a_fraction_of_too_many_digits_is_left_out() {
        let power = |digits: isize| Rational::from(10).pow(digits - 1);
        assert_eq!(exact_text(&power(9_999)).map(|text| text.len()), Some(9_999));
        assert_eq!(exact_text(&power(10_001)), None);
        assert_eq!(exact_text(&power(1_000_000)), None);
    }
}
