//! The strategy file, read from its nodes in one pass.
//!
//! ```json
//! {"format": "commonweal-strategy/1",
//!  "decisions": {"s0": [{"from": 0, "action": "a"}, {"from": 2, "action": "b"}], "s1": "b"}}
//! ```
//!
//! `decisions` give each state its choices over time, or one action for ever; `mix` gives each state probabilities
//! instead: `"mix": {"s0": {"a": "3/4", "b": "1/4"}}`. A state with a single action may be left out, and under `"*"`, which is a
//! default unless a state has that name, any state that has the actions named there. `lottery` is a list of
//! decisions, one of which is drawn at the start: `"lottery": [{"probability": "1/7", "decisions": {…}}, …]`. `coins` beside `decisions` are
//! decisions that are randomised: `"coins": [{"state": "s0", "step": 1, "actions": {"a": "3/4", "b": "1/4"}}]`; such a strategy is read as the
//! lottery over the outcomes of its coins, which has the same payoffs.

use super::{
    MAX_MODEL_BYTES, ParseError,
    parse_error::{Fault, Span, shown},
    yaml_events::{Events, Kind, Node},
};
use crate::{
    model::{ChoiceId, StateId, Structure, nearest},
    number::{Rational, parse_rational, sum},
    strategy::{Change, Coin, CountingStrategy, Lottery, Stationary, Step, Strategy, Tossing},
};

/// A step has at most this many digits.
const MAX_STEP_DIGITS: usize = 1_000;

/// The strategy for `model` that a JSON or YAML text describes.
///
/// ```
/// # let model = commonweal::internals::io::read_model("{principals: {p: 1/2}, states: {s: {a: {to: s}, b: {to: s}}}}").unwrap();
/// use commonweal::internals::{io::read_strategy, strategy::Strategy};
/// let text = r#"{"format": "commonweal-strategy/1", "decisions": {"s": [{"from": 0, "action": "b"}]}}"#;
/// assert!(matches!(read_strategy(&model, text.as_bytes())?, Strategy::Counting(_)));
/// # Ok::<(), commonweal::internals::io::ParseError>(())
/// ```
pub fn read_strategy(model: &Structure, bytes: &[u8]) -> Result<Strategy, ParseError> {
    let text = super::utf8(bytes)?;
    if text.len() > MAX_MODEL_BYTES {
        return Err(Fault::new(Span::default(), "the file is too large for a strategy", "split it").locate(""));
    }
    let read = Events::new(text, SHAPE).and_then(|events| Reader { model, events }.strategy());
    read.map_err(|fault| fault.locate(text))
}

const SHAPE: &str =
    "a strategy is a map with the keys `format` and `decisions`, perhaps with `coins`, or `mix`, or `lottery`";
const COINS: &str = "beside `decisions`, coins are a list such as [{\"state\": \"s0\", \"step\": 1, \"actions\": {\"a\": \"3/4\", \"b\": \"1/4\"}}]";

struct Reader<'m, 't> {
    model: &'m Structure,
    events: Events<'t>,
}

/// The entries of states: choices over time, or a mix.
struct PerState<R, T> {
    of_state: Vec<Option<T>>,
    /// The entry `*`, for states that the file leaves out.
    default: Option<R>,
}

/// The key of the default for all states that are not named.
const DEFAULT: &str = "*";

/// From which step on which action, as the file names it.
struct NamedChange {
    from: Step,
    action: String,
    span: Span,
}

/// All of them for one state, or for a default.
struct NamedChanges(Vec<NamedChange>);

/// Probabilities by the names of actions.
struct NamedMix {
    shares: Vec<(String, Span, Rational)>,
    span: Span,
}

impl<'t> Reader<'_, 't> {
    fn strategy(mut self) -> Result<Strategy, Fault> {
        let root = self.events.next()?;
        expect(&root, Kind::Map, "the strategy", SHAPE)?;
        let (mut counting, mut stationary, mut lottery, mut coins) = (None, None, None, None);
        let mut seen: Vec<(String, Span)> = Vec::new();
        while let Some((key, span)) = self.key()? {
            once(&mut seen, &key, span)?;
            match key.as_str() {
                "format" => self.format()?,
                "decisions" => counting = Some(self.per_state(Self::named_changes, Self::changes)?),
                "mix" => stationary = Some(self.per_state(Self::named_mix, Self::mix)?),
                "lottery" => lottery = Some(self.lottery()?),
                "coins" => coins = Some((self.coins()?, span)),
                _ => return Err(Fault::new(span, format!("a strategy has no key {}", shown(&key)), SHAPE)),
            }
        }
        self.events.finish()?;
        let whole = |message: &str| Fault::new(root.span, message, SHAPE);
        if !seen.iter().any(|(key, _)| key == "format") {
            return Err(Fault::new(
                root.span,
                "the strategy has no `format`",
                "add `\"format\": \"commonweal-strategy/1\"`",
            ));
        }
        if let (Some((_, span)), None) = (&coins, &counting) {
            return Err(Fault::new(*span, "the strategy has `coins` without `decisions`", COINS));
        }
        match (counting, stationary, lottery) {
            (Some(changes), None, None) => {
                let forever = |choice| vec![Change { from: Step::ZERO, choice }];
                let changes = self.complete(changes, root.span, Self::changes, forever)?;
                let strategy = CountingStrategy::from_changes(self.model, changes);
                let Some((coins, span)) = coins.filter(|(coins, _)| !coins.is_empty()) else {
                    return Ok(Strategy::Counting(strategy));
                };
                let many = || {
                    let message = format!("the coins have more than {} outcomes together", Tossing::MOST_OUTCOMES);
                    Fault::new(span, message, "toss fewer coins")
                };
                Tossing { strategy, coins }.lottery(self.model).map(Strategy::Lottery).ok_or_else(many)
            }
            (None, Some(mix), None) => {
                let mix = self.complete(mix, root.span, Self::mix, |choice| vec![(choice, Rational::ONE)])?;
                Ok(Strategy::Stationary(Stationary::new(self.model, mix)))
            }
            (None, None, Some(shares)) => Ok(Strategy::Lottery(Lottery::new(shares))),
            (None, None, None) => Err(whole("the strategy has neither `decisions` nor `mix` nor `lottery`")),
            (Some(_), Some(_), _) => Err(whole("the strategy has both `decisions` and `mix`")),
            (_, _, Some(_)) => Err(whole("the strategy has both a `lottery` and `decisions` or `mix` beside it")),
        }
    }

    fn format(&mut self) -> Result<(), Fault> {
        let (format, span) = self.scalar("`format`", "write \"commonweal-strategy/1\"")?;
        match format.as_str() {
            "commonweal-strategy/1" => Ok(()),
            "commonweal-fair/1" => Err(Fault::new(
                span,
                "this is the answer of `fair`, not a strategy",
                "write the lottery to a file of its own with `commonweal fair MODEL … --strategy FILE`",
            )),
            "commonweal-solution/1" => Err(Fault::new(
                span,
                "this is a solution, not a strategy",
                "write the strategy to a file of its own with `commonweal solve MODEL --strategy FILE`",
            )),
            _ => Err(Fault::new(
                span,
                format!("the format {} is not known", shown(&format)),
                "this program reads \"commonweal-strategy/1\"",
            )),
        }
    }

    /// A list of `{probability, decisions}` whose probabilities sum to 1; those of probability 0 are left out.
    fn lottery(&mut self) -> Result<Vec<(Rational, CountingStrategy)>, Fault> {
        const SHAPE: &str = "a lottery is a list such as [{\"probability\": \"1/2\", \"decisions\": {…}}, …]";
        let list = self.events.next()?;
        expect(&list, Kind::List, "a lottery", SHAPE)?;
        let mut shares = Vec::new();
        loop {
            let entry = self.events.next()?;
            if matches!(entry.kind, Kind::End) {
                break;
            }
            expect(&entry, Kind::Map, "a strategy of a lottery", SHAPE)?;
            let (mut probability, mut changes) = (None, None);
            let mut seen = Vec::new();
            while let Some((key, span)) = self.key()? {
                once(&mut seen, &key, span)?;
                match key.as_str() {
                    "probability" => probability = Some(self.probability()?),
                    "decisions" => changes = Some(self.per_state(Self::named_changes, Self::changes)?),
                    _ => {
                        let message = format!("a strategy of a lottery has no key {}", shown(&key));
                        return Err(Fault::new(span, message, SHAPE));
                    }
                }
            }
            let probability = probability
                .ok_or_else(|| Fault::new(entry.span, "this strategy of the lottery has no `probability`", SHAPE))?;
            let changes = changes
                .ok_or_else(|| Fault::new(entry.span, "this strategy of the lottery has no `decisions`", SHAPE))?;
            let forever = |choice| vec![Change { from: Step::ZERO, choice }];
            let changes = self.complete(changes, entry.span, Self::changes, forever)?;
            if !probability.is_zero() {
                shares.push((probability, CountingStrategy::from_changes(self.model, changes)));
            }
        }
        let total = sum(shares.iter().map(|(probability, _)| probability.clone()));
        if total.is_one() {
            return Ok(shares);
        }
        let message = format!("the probabilities of the lottery sum to {}, not 1", shown(&total.to_string()));
        Err(Fault::new(list.span, message, "make the probabilities sum to exactly 1"))
    }

    /// A list of `{state, step, actions}`, all at different decisions.
    fn coins(&mut self) -> Result<Vec<Coin>, Fault> {
        let list = self.events.next()?;
        expect(&list, Kind::List, "`coins`", COINS)?;
        let mut coins: Vec<Coin> = Vec::new();
        loop {
            let entry = self.events.next()?;
            if matches!(entry.kind, Kind::End) {
                return Ok(coins);
            }
            expect(&entry, Kind::Map, "a coin", COINS)?;
            let (mut state, mut at, mut mix) = (None, None, None);
            let mut seen = Vec::new();
            while let Some((key, span)) = self.key()? {
                once(&mut seen, &key, span)?;
                match key.as_str() {
                    "state" => {
                        let (name, span) = self.scalar("`state`", COINS)?;
                        state = Some(self.state(&name, span)?);
                    }
                    "step" => {
                        let (text, span) = self.scalar("`step`", COINS)?;
                        at = Some(step(&text, span)?);
                    }
                    "actions" => mix = Some(self.named_mix()?),
                    _ => return Err(Fault::new(span, format!("a coin has no key {}", shown(&key)), COINS)),
                }
            }
            let missing = |key: &str| Fault::new(entry.span, format!("the coin has no `{key}`"), COINS);
            let state = state.ok_or_else(|| missing("state"))?;
            let at = at.ok_or_else(|| missing("step"))?;
            let choices = self.mix(state, &mix.ok_or_else(|| missing("actions"))?)?;
            if coins.iter().any(|other| other.state == state && other.step == at) {
                let name = shown(&self.model.state_name(state));
                let message = format!("state {name} has two coins at step {at}");
                return Err(Fault::new(entry.span, message, "remove one of the two"));
            }
            coins.push(Coin { state, step: at, choices });
        }
    }

    fn probability(&mut self) -> Result<Rational, Fault> {
        let (text, span) = self.scalar("a probability", "write a number such as 3/4")?;
        let probability =
            parse_rational(&text).map_err(|error| Fault::new(span, error.to_string(), "write a number such as 3/4"))?;
        if probability < Rational::ZERO {
            let message = format!("the probability {} is negative", shown(&text));
            return Err(Fault::new(span, message, "probabilities are at least 0"));
        }
        Ok(probability)
    }

    /// A map from states to entries, read by `read` and converted by `of_state`.
    fn per_state<R, T>(
        &mut self,
        read: fn(&mut Self) -> Result<R, Fault>,
        of_state: fn(&Self, StateId, &R) -> Result<T, Fault>,
    ) -> Result<PerState<R, T>, Fault> {
        let node = self.events.next()?;
        expect(&node, Kind::Map, "this", "name each state and what it does")?;
        let mut states: Vec<Option<T>> = (0..self.model.n_states()).map(|_| None).collect();
        let mut default = None;
        while let Some((name, span)) = self.key()? {
            if name == DEFAULT && self.model.find_state(DEFAULT).is_none() {
                if default.is_some() {
                    return Err(Fault::new(span, "the default `*` appears twice", "remove one of the two"));
                }
                default = Some(read(self)?);
                continue;
            }
            let state = self.state(&name, span)?;
            if states[state.index()].is_some() {
                return Err(Fault::new(span, format!("state {} appears twice", shown(&name)), "remove one of the two"));
            }
            let named = read(self)?;
            states[state.index()] = Some(of_state(self, state, &named)?);
        }
        Ok(PerState { of_state: states, default })
    }

    /// The entry of every state. A state that the file leaves out has a single action, or all actions of the default.
    fn complete<R, T>(
        &self,
        given: PerState<R, T>,
        root: Span,
        of_state: fn(&Self, StateId, &R) -> Result<T, Fault>,
        only: impl Fn(ChoiceId) -> T,
    ) -> Result<Vec<T>, Fault> {
        /// The most states that a message names.
        const SHOWN: usize = 8;
        let model = self.model;
        let mut missing = Vec::new();
        // A default that fits no state is wrong in itself.
        let (mut fits, mut fault) = (false, None);
        let mut complete = Vec::with_capacity(model.n_states());
        for (state, own) in model.states().zip(given.of_state) {
            let by_default = || match of_state(self, state, given.default.as_ref()?) {
                Ok(does) => {
                    fits = true;
                    Some(does)
                }
                Err(why) => {
                    fault.get_or_insert(why);
                    None
                }
            };
            let single = || {
                let mut choices = model.choices(state);
                choices.next().filter(|_| choices.len() == 0).map(&only)
            };
            match own.or_else(single).or_else(by_default) {
                Some(does) => complete.push(does),
                None => missing.push(state),
            }
        }
        if missing.is_empty() {
            return Ok(complete);
        }
        if let (false, Some(fault)) = (fits, fault) {
            return Err(fault);
        }
        let mut names: Vec<String> = missing.iter().take(SHOWN).map(|&state| shown(&model.state_name(state))).collect();
        if missing.len() > SHOWN {
            names.push("…".to_owned());
        }
        let which = match missing.len() {
            1 => format!("state {}", names[0]),
            n => format!("{n} states: {}", names.join(", ")),
        };
        let help = if given.default.is_some() {
            "add their decisions; they do not have the actions of the default `*`"
        } else {
            "add what they do, or a default for all states that are not named: \"*\": \"ACTION\""
        };
        Err(Fault::new(root, format!("the strategy does not say what to do in {which}"), help))
    }

    fn changes(&self, state: StateId, named: &NamedChanges) -> Result<Vec<Change>, Fault> {
        let change = |named: &NamedChange| {
            Ok(Change { from: named.from.clone(), choice: self.choice(state, &named.action, named.span)? })
        };
        named.0.iter().map(change).collect()
    }

    /// One action for ever, or a list of `{from, action}` in increasing steps, the first from step 0.
    fn named_changes(&mut self) -> Result<NamedChanges, Fault> {
        let node = self.events.next()?;
        if let Kind::Scalar { text, .. } = node.kind {
            let change = NamedChange { from: Step::ZERO, action: text.into_owned(), span: node.span };
            return Ok(NamedChanges(vec![change]));
        }
        expect(
            &node,
            Kind::List,
            "the decisions of a state",
            "write a list such as [{\"from\": 0, \"action\": \"a\"}]",
        )?;
        let mut changes: Vec<NamedChange> = Vec::new();
        loop {
            let entry = self.events.next()?;
            if matches!(entry.kind, Kind::End) {
                break;
            }
            let (change, span) = self.change(&entry)?;
            match changes.last() {
                None if !change.from.is_zero() => {
                    return Err(Fault::new(
                        span,
                        "the first decision is not from step 0",
                        "say what is done from step 0 on",
                    ));
                }
                Some(earlier) if earlier.from >= change.from => {
                    return Err(Fault::new(span, "the decisions are not in increasing steps", "sort them by `from`"));
                }
                _ => changes.push(change),
            }
        }
        if changes.is_empty() {
            Err(Fault::new(node.span, "the list of decisions is empty", "say what is done from step 0 on"))
        } else {
            Ok(NamedChanges(changes))
        }
    }

    fn change(&mut self, entry: &Node<'t>) -> Result<(NamedChange, Span), Fault> {
        const SHAPE: &str = "a decision is {\"from\": STEP, \"action\": NAME}";
        expect(entry, Kind::Map, "a decision", SHAPE)?;
        let (mut from, mut choice) = (None, None);
        let mut seen = Vec::new();
        while let Some((key, span)) = self.key()? {
            once(&mut seen, &key, span)?;
            match key.as_str() {
                "from" => {
                    let (text, span) = self.scalar("`from`", SHAPE)?;
                    from = Some((step(&text, span)?, span));
                }
                "action" => {
                    choice = Some(self.scalar("`action`", SHAPE)?);
                }
                _ => return Err(Fault::new(span, format!("a decision has no key {}", shown(&key)), SHAPE)),
            }
        }
        match (from, choice) {
            (Some((from, place)), Some((action, span))) => Ok((NamedChange { from, action, span }, place)),
            (None, _) => Err(Fault::new(entry.span, "the decision has no `from`", SHAPE)),
            (_, None) => Err(Fault::new(entry.span, "the decision has no `action`", SHAPE)),
        }
    }

    /// A map from actions to probabilities that sum to 1; zeros are left out.
    fn named_mix(&mut self) -> Result<NamedMix, Fault> {
        let node = self.events.next()?;
        expect(
            &node,
            Kind::Map,
            "the mix of a state",
            "write probabilities by action, such as {\"a\": \"3/4\", \"b\": \"1/4\"}",
        )?;
        let mut shares = Vec::new();
        let mut seen = Vec::new();
        while let Some((action, place)) = self.key()? {
            once(&mut seen, &action, place)?;
            let probability = self.probability()?;
            shares.push((action, place, probability));
        }
        Ok(NamedMix { shares, span: node.span })
    }

    fn mix(&self, state: StateId, named: &NamedMix) -> Result<Vec<(ChoiceId, Rational)>, Fault> {
        let mut mix: Vec<(ChoiceId, Rational)> = Vec::new();
        for (action, span, probability) in &named.shares {
            let choice = self.choice(state, action, *span)?;
            if !probability.is_zero() {
                mix.push((choice, probability.clone()));
            }
        }
        let total = sum(mix.iter().map(|(_, probability)| probability.clone()));
        if total.is_one() {
            Ok(mix)
        } else {
            Err(Fault::new(
                named.span,
                format!(
                    "state {}: the mix sums to {}, not 1",
                    shown(&self.model.state_name(state)),
                    shown(&total.to_string())
                ),
                "make the probabilities sum to exactly 1",
            ))
        }
    }

    fn state(&self, name: &str, span: Span) -> Result<StateId, Fault> {
        self.model.find_state(name).ok_or_else(|| {
            let help = match nearest(name, self.model.state_names().iter()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "the strategy must be for this model".to_owned(),
            };
            Fault::new(span, format!("the model has no state {}", shown(name)), help)
        })
    }

    fn choice(&self, state: StateId, action: &str, span: Span) -> Result<ChoiceId, Fault> {
        self.model.find_choice(state, action).ok_or_else(|| {
            let names: Vec<String> =
                self.model.choices(state).map(|c| self.model.action_name(c).into_owned()).collect();
            let help = match nearest(action, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    format!("its actions are {}", names.iter().take(8).map(|n| shown(n)).collect::<Vec<_>>().join(", "))
                }
            };
            let state = shown(&self.model.state_name(state));
            Fault::new(span, format!("state {state} has no action {}", shown(action)), help)
        })
    }

    /// The next key of the map that is open, or `None` at its end.
    fn key(&mut self) -> Result<Option<(String, Span)>, Fault> {
        let node = self.events.next()?;
        match node.kind {
            Kind::End => Ok(None),
            Kind::Scalar { text, .. } => Ok(Some((text.into_owned(), node.span))),
            _ => Err(Fault::new(node.span, format!("a key cannot be {}", node.noun()), "write a name")),
        }
    }

    fn scalar(&mut self, what: &str, help: &str) -> Result<(String, Span), Fault> {
        let node = self.events.next()?;
        match node.kind {
            Kind::Scalar { text, .. } => Ok((text.into_owned(), node.span)),
            _ => Err(Fault::new(node.span, format!("{what} cannot be {}", node.noun()), help)),
        }
    }
}

fn expect(node: &Node, kind: Kind, what: &str, help: &str) -> Result<(), Fault> {
    if std::mem::discriminant(&node.kind) == std::mem::discriminant(&kind) {
        Ok(())
    } else {
        Err(Fault::new(node.span, format!("{what} cannot be {}", node.noun()), help))
    }
}

fn once(seen: &mut Vec<(String, Span)>, key: &str, span: Span) -> Result<(), Fault> {
    if seen.iter().any(|(earlier, _)| earlier == key) {
        return Err(Fault::new(span, format!("the key {} appears twice", shown(key)), "remove one of the two"));
    }
    seen.push((key.to_owned(), span));
    Ok(())
}

fn step(text: &str, span: Span) -> Result<Step, Fault> {
    let step = (text.len() <= MAX_STEP_DIGITS).then(|| text.parse().ok()).flatten();
    step.ok_or_else(|| Fault::new(span, format!("{} is not a step", shown(text)), "a step is a whole number from 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hotel() -> crate::model::Mdp {
        let text = "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}";
        crate::io::read_model(text).unwrap()
    }

    fn read(rest: &str) -> Result<Strategy, ParseError> {
        read_strategy(&hotel(), format!("{{\"format\": \"commonweal-strategy/1\", {rest}}}").as_bytes())
    }

    #[test]
    fn all_forms_are_read() {
        let long =
            read(r#""decisions": {"s0": [{"from": 0, "action": "a"}, {"action": "b", "from": "2"}], "s1": "b"}"#);
        let Ok(Strategy::Counting(counting)) = long else { panic!("{long:?}") };
        assert_eq!(counting.changes(0.into()).len(), 2);
        assert_eq!(counting.settled_from(), Step::from(2u8));
        let Ok(Strategy::Stationary(mix)) = read(r#""mix": {"s0": {"a": "3/4", "b": 0.25}}"#) else { panic!() };
        assert_eq!(mix.mix(0.into()).len(), 2);
        assert_eq!(mix.mix(1.into()).len(), 1);
    }

    #[test]
    fn a_default_is_for_every_state_that_has_its_actions() {
        let text = "{principals: {p: 1/2}, states: {s: {low: {to: t}, high: {to: t}}, t: {low: {to: u}, high: {to: s}}, u: {x: {to: s}, y: {to: u}}, v: {z: {to: v}}}}";
        let model = crate::io::read_model(text).unwrap();
        let read =
            |rest: &str| read_strategy(&model, format!("{{\"format\": \"commonweal-strategy/1\", {rest}}}").as_bytes());
        let names = |strategy: &CountingStrategy| {
            let name = |state: StateId| model.action_name(strategy.tail(state)).into_owned();
            model.states().map(name).collect::<Vec<_>>()
        };
        let Ok(Strategy::Counting(strategy)) = read(r#""decisions": {"*": "low", "u": "y", "t": "high"}"#) else {
            panic!()
        };
        assert_eq!(names(&strategy), ["low", "high", "y", "z"]);
        let later = r#""decisions": {"u": "x", "*": [{"from": 0, "action": "high"}, {"from": 3, "action": "low"}]}"#;
        let Ok(Strategy::Counting(strategy)) = read(later) else { panic!() };
        assert_eq!((names(&strategy).join(" ").as_str(), strategy.changes(1.into()).len()), ("low low x z", 2));
        let Ok(Strategy::Stationary(mix)) = read(r#""mix": {"*": {"low": 0.5, "high": 0.5}, "u": {"x": 1}}"#) else {
            panic!()
        };
        assert_eq!((mix.mix(1.into()).len(), mix.mix(3.into()).len()), (2, 1));
        let missing = read(r#""decisions": {"*": "low"}"#).unwrap_err();
        assert!(missing.message.ends_with("what to do in state `u`"), "{missing}");
        let missing = read(r#""decisions": {"s": "low"}"#).unwrap_err();
        assert!(missing.message.ends_with("what to do in 2 states: `t`, `u`"), "{missing}");
        // A state may have that name; then it is that state.
        let star = crate::io::read_model(
            "{principals: {p: 1/2}, states: {'*': {a: {to: '*'}, b: {to: '*'}}, t: {a: {to: t}, b: {to: t}}}}",
        )
        .unwrap();
        let missing =
            read_strategy(&star, br#"{"format": "commonweal-strategy/1", "decisions": {"*": "a"}}"#).unwrap_err();
        assert!(missing.message.ends_with("what to do in state `t`"), "{missing}");
    }

    #[test]
    fn mistakes_are_named_in_their_place() {
        for (rest, message) in [
            ("\"decisions\": {}", "does not say what to do in state `s0`"),
            ("\"decisions\": {\"s2\": \"a\"}", "no state `s2`"),
            ("\"decisions\": {\"s0\": \"c\"}", "no action `c`"),
            ("\"decisions\": {\"s0\": []}", "empty"),
            ("\"decisions\": {\"s0\": {\"a\": 1}}", "cannot be a map"),
            ("\"decisions\": {\"s0\": [{\"from\": 1, \"action\": \"a\"}]}", "not from step 0"),
            (
                "\"decisions\": {\"s0\": [{\"from\": 0, \"action\": \"a\"}, {\"from\": 0, \"action\": \"b\"}]}",
                "increasing",
            ),
            ("\"decisions\": {\"s0\": [{\"from\": -1, \"action\": \"a\"}]}", "not a step"),
            ("\"decisions\": {\"s0\": [{\"from\": 0}]}", "no `action`"),
            ("\"decisions\": {\"s0\": [{\"action\": \"a\"}]}", "no `from`"),
            ("\"decisions\": {\"s0\": [{\"form\": 0}]}", "no key `form`"),
            ("\"decisions\": {\"s0\": \"a\", \"s0\": \"b\"}", "twice"),
            ("\"mix\": {\"s0\": {\"a\": \"1/2\"}}", "sums to `1/2`, not 1"),
            ("\"mix\": {\"s0\": {\"a\": -1, \"b\": 2}}", "negative"),
            ("\"mix\": {\"s0\": {\"a\": \"x\"}}", "not a number"),
            ("\"mix\": {\"s0\": {\"a\": 1, \"a\": 1}}", "twice"),
            ("\"mix\": {}, \"decisions\": {}", "both"),
            ("\"more\": {}", "no key `more`"),
            ("\"decisions\": {\"*\": \"b\", \"*\": \"b\"}", "twice"),
            ("\"decisions\": {\"*\": \"c\"}", "has no action `c`"),
            ("\"mix\": {\"*\": {\"c\": 1}}", "has no action `c`"),
            ("\"decisions\": {\"*\": [{\"from\": 1, \"action\": \"a\"}]}", "not from step 0"),
            ("\"lottery\": {}", "a lottery cannot be a map"),
            ("\"lottery\": []", "sum to `0`, not 1"),
            ("\"lottery\": [{\"probability\": 1, \"decisions\": {\"s0\": \"a\"}}], \"decisions\": {}", "beside it"),
            ("\"lottery\": [{\"probability\": \"1/2\", \"decisions\": {\"s0\": \"a\"}}]", "sum to `1/2`, not 1"),
            ("\"lottery\": [{\"probability\": \"-1\", \"decisions\": {\"s0\": \"a\"}}]", "negative"),
            ("\"lottery\": [{\"decisions\": {\"s0\": \"a\"}}]", "no `probability`"),
            ("\"lottery\": [{\"probability\": 1}]", "no `decisions`"),
            ("\"lottery\": [{\"probability\": 1, \"decisions\": {}}]", "does not say what to do in state `s0`"),
            ("\"lottery\": [{\"share\": 1}]", "no key `share`"),
        ] {
            let error = read(rest).expect_err(rest);
            assert!(error.message.contains(message), "{rest}: {}", error.message);
            assert_eq!(error.line, 1);
        }
        for text in ["", "[]", "{}", "{\"format\": \"commonweal-solution/1\"}", "{\"format\": \"x\"}", "\u{0}", "{"] {
            assert!(read_strategy(&hotel(), text.as_bytes()).is_err(), "{text}");
        }
    }
}
