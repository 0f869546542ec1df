//! The entry of a principal: its time preference, in one of the ways to state it, and its weight.

use super::model_reader::TextLimits;
use super::{
    ParseError,
    model_reader::Reader,
    node_values::Keys,
    parse_error::{Fault, Span, shown},
    yaml_events::{Events, Kind, Node},
};
use crate::{
    model::{DEFAULT_ERROR, GREEN_BOOK, LATEST, Preference, PreferenceError, Principal, Schedule, as_rate},
    number::{Rational, decimal_or_fraction, parse_rate, parse_rational, rate_text},
};

/// What an entry may say, in the order of [`Key`].
const KEYS: [&str; 12] = [
    "discount",
    "rate",
    "beta",
    "schedule",
    "gamma",
    "hyperbolic",
    "survey",
    "delta",
    "until",
    "hazard",
    "error",
    "weight",
];
/// The first `KINDS` keys state a preference, and an entry has one of them.
const KINDS: usize = 7;
/// Which keys may be combined.
const COMPANIONS: [(Key, &[Key]); 4] = [
    (Key::Delta, &[Key::Beta]),
    (Key::Until, &[Key::Discount, Key::Rate]),
    (Key::Hazard, &[Key::Hyperbolic]),
    (Key::Error, &[Key::Gamma, Key::Hyperbolic]),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Discount,
    Rate,
    Beta,
    Schedule,
    Gamma,
    Hyperbolic,
    Survey,
    Delta,
    Until,
    Hazard,
    Error,
    Weight,
}

impl Key {
    const EACH: [Key; 12] = [
        Key::Discount,
        Key::Rate,
        Key::Beta,
        Key::Schedule,
        Key::Gamma,
        Key::Hyperbolic,
        Key::Survey,
        Key::Delta,
        Key::Until,
        Key::Hazard,
        Key::Error,
        Key::Weight,
    ];

    fn name(self) -> &'static str {
        KEYS[self as usize]
    }
}

/// The time preference that a text states as an entry of a model file does: `2/3`, or `{schedule: green-book}`. Errors name its
/// principal.
pub fn read_preference(principal: &str, text: &str) -> Result<Preference, ParseError> {
    const SHAPE: &str = "write a discount, such as 2/3, or an entry in braces, such as `{rate: 3%}`";
    let read = || {
        let limits = TextLimits::default();
        let mut reader = Reader::new(text, Events::new(text, SHAPE)?, false, &limits);
        let id = reader.draft.principal_names.intern(principal.to_owned().into(), Span::default());
        let principal = reader.principal_entry(id, Span::default())?;
        reader.events.finish()?;
        if principal.weight.is_one() {
            return Ok(principal.preference().clone());
        }
        Err(Fault::new(Span::default(), "a weight is not a time preference", "give it by --weight NAME=VALUE"))
    };
    read().map_err(|fault: Fault| fault.locate(text))
}

/// The values of an entry, and their places.
#[derive(Default)]
struct Stated {
    numbers: [Option<Rational>; 12],
    until: Option<u64>,
    schedule: Option<Schedule>,
    gamma: Option<[Rational; 2]>,
    survey: Vec<Rational>,
    /// The place of the value of each key.
    values: [Span; 12],
    /// The place of each rate of a schedule or survey.
    rates: Vec<Span>,
}

impl Stated {
    fn number(&mut self, key: Key) -> Rational {
        self.numbers[key as usize].take().expect("a key that is there")
    }

    /// The place of an error in a preference.
    fn place(&self, error: &PreferenceError) -> Span {
        let of_key = KEYS.iter().position(|key| *key == error.key).map_or_else(Span::default, |key| self.values[key]);
        // An error that is not stated is that of the mixture.
        let candidates = [of_key, self.values[Key::Gamma as usize], self.values[Key::Hyperbolic as usize]];
        let of_key = candidates.into_iter().find(|span| !span.is_empty()).unwrap_or_default();
        error.at.and_then(|at| self.rates.get(at)).copied().unwrap_or(of_key)
    }
}

impl Stated {
    /// What to write in place of two ways to state a preference.
    fn instead_of_two(&self, kinds: [Key; 2]) -> String {
        let number = |key: Key| self.numbers[key as usize].as_ref();
        let other = kinds.into_iter().find(|key| *key != Key::Beta);
        match other.filter(|_| kinds.contains(&Key::Beta)) {
            Some(Key::Rate) => number(Key::Rate).map(|rate| {
                let delta = discount_text(rate);
                format!("write `delta: {delta}` in place of `rate: {}`: δ is 1/(1 + r)", rate_text(rate))
            }),
            Some(Key::Discount) => number(Key::Discount)
                .map(|discount| format!("write `delta: {}` in place of `discount`", decimal_or_fraction(discount))),
            _ => None,
        }
        .unwrap_or_else(|| "a principal has one time preference; keep one of them".to_owned())
    }
}

/// The discount of a rate as a quotient that shows the rate: `100/103` for 3 %.
fn discount_text(rate: &Rational) -> String {
    let per_cent = decimal_or_fraction(&(Rational::from(100) * (Rational::ONE + rate)));
    // A quotient of a quotient is not a number of the format.
    if per_cent.contains('/') {
        (Rational::ONE / (Rational::ONE + rate)).to_string()
    } else {
        format!("100/{per_cent}")
    }
}

/// The key for a name that other texts use, or what a comma inside of a number has made a key.
fn other_words(name: &str) -> Option<String> {
    let plain = name.to_lowercase().replace(['-', '_'], " ");
    match plain.as_str() {
        "discount rate" | "interest" | "interest rate" | "r" => Some("write `rate`, such as `rate: 3%`".to_owned()),
        "discount factor" | "factor" | "lambda" | "λ" => Some("write `discount`, such as `discount: 0.97`".to_owned()),
        "quasi hyperbolic" | "quasihyperbolic" | "beta delta" | "present bias" => Some(BETA_DELTA.to_owned()),
        "green book" => Some("write `schedule: green-book`".to_owned()),
        _ if parse_rate(name).is_ok() => {
            Some("write decimals with a point, such as 3.5%: a comma ends the entry".to_owned())
        }
        _ => None,
    }
}

const BETA_DELTA: &str = "write `beta` and `delta`, such as `beta: 0.7, delta: 0.95`";

/// What to write for a preference that is named where a discount stands.
pub fn named_preference(text: &str) -> Option<&'static str> {
    let plain = text.to_lowercase().replace(['-', '_'], " ");
    match plain.as_str() {
        "green book" => Some("`{schedule: green-book}`"),
        "quasi hyperbolic" | "quasihyperbolic" | "beta delta" => Some("`{beta: 0.7, delta: 0.95}`"),
        "hyperbolic" => Some("`{hyperbolic: 0.1, hazard: 1%}`"),
        "gamma" => Some("`{gamma: {mean: 4%, sd: 3%}}`"),
        "survey" => Some("`{survey: [1%, 2%, 3.5%]}`"),
        _ => None,
    }
}

impl<'t> Reader<'t> {
    /// The principal of that name, from a discount or from a map with a time preference and perhaps a weight.
    pub(super) fn principal_entry(&mut self, id: u32, name: Span) -> Result<Principal, Fault> {
        const SHAPE: &str = "write a discount, such as 2/3, or a map such as `{rate: 3%, weight: 2}`";
        let value = self.events.next()?;
        if matches!(value.kind, Kind::Scalar { .. }) {
            let discount = self.discount(&value, id, Form::Alone)?;
            let mut stated = Stated::default();
            stated.values[Key::Discount as usize] = value.span;
            return self.stating(id, Preference::discount(discount), &stated);
        }
        value.expect_map(self.text, || self.principal(id), "a discount or a map", SHAPE)?;
        let mut stated = Stated::default();
        let mut keys = Keys::new("a principal", KEYS).with_cure(other_words);
        while let Some(key) = self.key(&mut keys)? {
            self.value_of(Key::EACH[key], id, &mut stated)?;
        }
        let kind = self.kind(id, name, &keys, &stated)?;
        let weight = stated.numbers[Key::Weight as usize].take().unwrap_or(Rational::ONE);
        let preference = self.preference(kind, id, &keys, &mut stated)?;
        if matches!(preference, Preference::Gamma { .. } | Preference::Hyperbolic { .. }) {
            self.n_approximated += 1;
            let most = self.limits.approximated;
            if self.n_approximated > most {
                let message = format!("more than {most} time preferences are approximated: more than are read here");
                let help = "state fewer `gamma` and `hyperbolic` preferences, or use the command line";
                return Err(Fault::new(name, message, help));
            }
        }
        Ok(self.stating(id, preference, &stated)?.weighted(weight))
    }

    fn stating(&self, id: u32, preference: Preference, stated: &Stated) -> Result<Principal, Fault> {
        Principal::stating(self.draft.principal_names.get(id), preference).map_err(|error| {
            Fault::new(stated.place(&error), format!("{}: {}", self.principal(id), error.message), error.help)
        })
    }

    /// Reads the value of a key.
    fn value_of(&mut self, key: Key, id: u32, stated: &mut Stated) -> Result<(), Fault> {
        let value = self.events.next()?;
        stated.values[key as usize] = value.span;
        let what = || format!("the {} of {}", key.name(), self.principal(id));
        let number = match key {
            Key::Discount => self.discount(&value, id, Form::Keyed)?,
            Key::Rate | Key::Hazard => value.rate(what)?,
            Key::Delta => self.delta(&value, id)?,
            Key::Beta | Key::Hyperbolic | Key::Error | Key::Weight => value.number(what)?,
            Key::Until => {
                stated.until = Some(value.step(what)?);
                return Ok(());
            }
            Key::Schedule => {
                stated.schedule = Some(self.schedule(value, id, stated)?);
                return Ok(());
            }
            Key::Gamma => {
                stated.gamma = Some(self.gamma(value, id)?);
                return Ok(());
            }
            Key::Survey => return self.survey(value, id, stated),
        };
        stated.numbers[key as usize] = Some(number);
        Ok(())
    }

    /// The one way in which the preference is stated.
    fn kind(&self, id: u32, name: Span, keys: &Keys<12>, stated: &Stated) -> Result<Key, Fault> {
        let place = |key: Key| keys.seen[key as usize];
        let mut kinds: Vec<(Span, Key)> =
            Key::EACH[..KINDS].iter().filter_map(|&key| Some((place(key)?, key))).collect();
        kinds.sort_by_key(|(span, _)| span.start);
        let kind = match kinds[..] {
            [(_, kind)] => kind,
            [(_, first), (span, second), ..] => {
                let message = format!("{} has a `{}` and a `{}`", self.principal(id), first.name(), second.name());
                return Err(Fault::new(span, message, stated.instead_of_two([first, second])));
            }
            [] if place(Key::Delta).is_some() => {
                let message = format!("{} has a `delta` and no `beta`", self.principal(id));
                return Err(Fault::new(
                    place(Key::Delta).unwrap_or(name),
                    message,
                    "add one, such as `beta: 0.7`, or write `discount`",
                ));
            }
            [] if place(Key::Hazard).is_some() => {
                let message = format!("{} has a `hazard` and no `hyperbolic`", self.principal(id));
                let help = "add one, such as `hyperbolic: 0.1`; a hazard alone is the `rate` h/(1 − h)";
                return Err(Fault::new(place(Key::Hazard).unwrap_or(name), message, help));
            }
            [] => {
                let message = format!("{} has no `discount`", self.principal(id));
                return Err(Fault::new(
                    name,
                    message,
                    "add one, such as `discount: 2/3`, or a rate, such as `rate: 3%`",
                ));
            }
        };
        for (companion, of) in COMPANIONS {
            if let Some(span) = place(companion).filter(|_| !of.contains(&kind)) {
                let message =
                    format!("{}: `{}` does not go with `{}`", self.principal(id), companion.name(), kind.name());
                let names: Vec<String> = of.iter().map(|key| format!("`{}`", key.name())).collect();
                let otherwise = match (companion, kind) {
                    (Key::Until, Key::Schedule) => "or let the schedule end in a high rate, such as `30: 100%`",
                    (Key::Until, _) => "or state a `rate` or a `discount`",
                    _ => "or state the preference otherwise",
                };
                let help = format!("it goes with {}; take it away, {otherwise}", names.join(" or "));
                return Err(Fault::new(span, message, help));
            }
        }
        Ok(kind)
    }

    fn preference(&self, kind: Key, id: u32, keys: &Keys<12>, stated: &mut Stated) -> Result<Preference, Fault> {
        let place = keys.seen[kind as usize].unwrap_or_default();
        let lacks = |companion: Key, why: &str, help: &str| {
            let message = format!("{} has a `{}` and no `{}`{why}", self.principal(id), kind.name(), companion.name());
            Fault::new(place, message, help)
        };
        let error = |stated: &mut Stated| {
            let (numerator, denominator) = DEFAULT_ERROR;
            let stated = stated.numbers[Key::Error as usize].take();
            stated.unwrap_or_else(|| Rational::from_quotient(numerator, denominator))
        };
        let until = stated.until;
        Ok(match kind {
            Key::Discount => Preference::Discount { discount: stated.number(kind), until },
            Key::Rate => Preference::Rate { rate: stated.number(kind), until },
            Key::Beta => {
                if stated.numbers[Key::Delta as usize].is_none() {
                    return Err(lacks(Key::Delta, "", "add one, such as `delta: 0.95`"));
                }
                Preference::BetaDelta { beta: stated.number(Key::Beta), delta: stated.number(Key::Delta) }
            }
            Key::Schedule => Preference::Schedule(stated.schedule.take().expect("a key that is there")),
            Key::Gamma => {
                let [mean, sd] = stated.gamma.take().expect("a key that is there");
                Preference::Gamma { mean, sd, error: error(stated) }
            }
            Key::Hyperbolic => {
                if stated.numbers[Key::Hazard as usize].is_none() {
                    let why = ": the sum of 1/(1 + k j) over all steps is infinite";
                    return Err(lacks(
                        Key::Hazard,
                        why,
                        "give the probability that everything ends at a step, such as `hazard: 1%`",
                    ));
                }
                Preference::Hyperbolic {
                    k: stated.number(kind),
                    hazard: stated.number(Key::Hazard),
                    error: error(stated),
                }
            }
            _ => Preference::Survey(std::mem::take(&mut stated.survey)),
        })
    }

    /// A discount, which is not a percentage: a percentage is probably meant as a rate.
    fn discount(&self, value: &Node<'t>, id: u32, form: Form) -> Result<Rational, Fault> {
        let what = || format!("the discount of {}", self.principal(id));
        if let Kind::Scalar { text, .. } = &value.kind
            && text.trim_end().ends_with('%')
            && let Ok(rate) = parse_rate(text)
        {
            let message = format!("{} is {}, a percentage", what(), shown(text.trim()));
            let cure = as_rate(&rate);
            // 90 % may also be meant as the discount 9/10.
            let is_large = rate >= Rational::from_quotient(1, 2);
            // 103 % is probably a growth factor: a rate of 3 %.
            if rate > Rational::ONE {
                let growth = &rate - Rational::ONE;
                let help = if growth <= Rational::ONE {
                    format!(
                        "a discount is below 1 and a rate is at most 100%; for growth by {} write {}",
                        rate_text(&growth),
                        as_rate(&growth)
                    )
                } else {
                    "write a discount below 1, such as 0.97, or a rate, such as `rate: 3%`".to_owned()
                };
                return Err(Fault::new(value.span, message, help));
            }
            let as_discount = if is_large && rate < Rational::ONE {
                format!("write {} for a discount of that, or for a rate ", decimal_or_fraction(&rate))
            } else {
                "write ".to_owned()
            };
            // Both readings in figures.
            let otherwise = if is_large {
                String::new()
            } else {
                let (discount, percent) = (decimal_or_fraction(&rate), text.trim());
                format!("; with the discount {discount} the next step would count {percent} of this one")
            };
            let help = match form {
                Form::Keyed => format!("{as_discount}{cure}{otherwise}"),
                Form::Alone => {
                    format!("{as_discount}`{{{}{otherwise}", cure.replacen('`', "", 1).replacen('`', "}`", 1))
                }
            };
            return Err(Fault::new(value.span, message, help));
        }
        if let (Form::Alone, Kind::Scalar { text, .. }) = (form, &value.kind)
            && let Some(cure) = named_preference(text.trim())
        {
            let message = format!("{} is not a number: {}", what(), shown(text));
            return Err(Fault::new(value.span, message, format!("write {cure}")));
        }
        value.number(what)
    }

    /// The δ of β-δ, which is a discount: a percentage is probably meant as a rate.
    fn delta(&self, value: &Node<'t>, id: u32) -> Result<Rational, Fault> {
        let what = || format!("the delta of {}", self.principal(id));
        if let Kind::Scalar { text, .. } = &value.kind
            && text.trim_end().ends_with('%')
            && let Ok(rate) = parse_rate(text)
        {
            let percent = text.trim();
            let as_delta = if rate >= Rational::from_quotient(1, 2) && rate < Rational::ONE {
                format!("write `delta: {}`, or for a rate of {percent} ", decimal_or_fraction(&rate))
            } else {
                format!("a delta is a discount; for a rate of {percent} write ")
            };
            let message = format!("{} is {}, a percentage", what(), shown(percent));
            return Err(Fault::new(value.span, message, format!("{as_delta}`delta: {}`", discount_text(&rate))));
        }
        value.number(what)
    }

    /// `green-book`, or a map of steps to rates.
    fn schedule(&mut self, value: Node<'t>, id: u32, stated: &mut Stated) -> Result<Schedule, Fault> {
        const SHAPE: &str = "write steps and rates, such as `{0: 3.5%, 31: 3%}`, or `green-book`";
        let what = |reader: &Self| format!("the schedule of {}", reader.principal(id));
        if let Kind::Scalar { text, .. } = &value.kind
            && !value.is_null()
        {
            if text == GREEN_BOOK {
                return Ok(Schedule::GreenBook);
            }
            let message = format!("{} is {}, which is not a known schedule", what(self), shown(text));
            return Err(Fault::new(value.span, message, SHAPE));
        }
        value.expect_map(self.text, || what(self), "a map of steps to rates", SHAPE)?;
        let mut rates: Vec<(u64, Rational)> = Vec::new();
        while let Some(name) = self.entry("a step")? {
            let node = Node { kind: Kind::Scalar { text: name.text, plain: true }, span: name.span };
            let step = node.step(|| format!("a step in {}", what(self)))?;
            if let Some((before, _)) = rates.last().filter(|(before, _)| *before >= step) {
                let fault = if step == *before {
                    format!("step {step} is there twice")
                } else {
                    format!("step {step} comes after step {before}")
                };
                let message = format!("{}: {fault}", what(self));
                return Err(Fault::new(name.span, message, "write the steps in increasing order, each once"));
            }
            let value = self.events.next()?;
            stated.rates.push(value.span);
            rates.push((step, value.rate(|| format!("the rate from step {step} on of {}", self.principal(id)))?));
        }
        if rates.is_empty() {
            return Err(Fault::new(value.span, format!("{} is empty", what(self)), SHAPE));
        }
        Ok(Schedule::Rates(rates))
    }

    /// The mean and the standard deviation of rates.
    fn gamma(&mut self, value: Node<'t>, id: u32) -> Result<[Rational; 2], Fault> {
        const SHAPE: &str = "write the mean and the standard deviation of the rates, such as `{mean: 4%, sd: 3%}`";
        value.expect_map(self.text, || format!("the gamma of {}", self.principal(id)), "a map", SHAPE)?;
        let mut keys = Keys::new("`gamma`", ["mean", "sd"]);
        let mut found = [None, None];
        while let Some(key) = self.key(&mut keys)? {
            let value = self.events.next()?;
            found[key] = Some(value.rate(|| format!("the {} of {}", keys.name(key), self.principal(id)))?);
        }
        match found {
            [Some(mean), Some(sd)] => Ok([mean, sd]),
            [mean, _] => {
                let missing = if mean.is_none() { "mean" } else { "sd" };
                Err(Fault::new(value.span, format!("the gamma of {} has no `{missing}`", self.principal(id)), SHAPE))
            }
        }
    }

    /// A list of rates.
    fn survey(&mut self, value: Node<'t>, id: u32, stated: &mut Stated) -> Result<(), Fault> {
        const SHAPE: &str = "write the rates in brackets, such as `[1%, 2%, 3.5%]`";
        let what = || format!("the survey of {}", self.principal(id));
        if !matches!(value.kind, Kind::List) {
            let message = format!("{} must be a list of rates, not {}", what(), value.noun());
            return Err(Fault::new(value.span, message, SHAPE));
        }
        loop {
            let rate = self.events.next()?;
            if matches!(rate.kind, Kind::End) {
                break;
            }
            stated.survey.push(rate.rate(|| format!("a rate in the survey of {}", self.principal(id)))?);
            stated.rates.push(rate.span);
        }
        if stated.survey.is_empty() {
            return Err(Fault::new(value.span, format!("the survey of {} is empty", self.principal(id)), SHAPE));
        }
        Ok(())
    }
}

/// How a discount is written.
#[derive(Clone, Copy)]
enum Form {
    /// Behind the principal's name.
    Alone,
    /// In a map, behind `discount`.
    Keyed,
}

impl Node<'_> {
    /// The node as a rate, perhaps in per cent.
    fn rate(&self, what: impl Fn() -> String) -> Result<Rational, Fault> {
        match &self.kind {
            Kind::Scalar { text, .. } if text.trim_end().ends_with('%') => parse_rate(text).map_err(|_| {
                let message = format!("{} is not a rate: {}", what(), shown(text));
                let with_point = text.replacen(',', ".", 1);
                let help = if parse_rate(&with_point).is_ok() {
                    format!("write {}, with a point", shown(&with_point))
                } else {
                    "write per cent such as 3% or 3.5%, or a number such as 0.03".to_owned()
                };
                Fault::new(self.span, message, help)
            }),
            _ => self.number(what),
        }
    }

    /// The node as a step, or as a number of steps.
    fn step(&self, what: impl Fn() -> String) -> Result<u64, Fault> {
        const WHOLE: &str = "write a whole number of steps that is not negative, such as 4";
        let is_step =
            |number: &Rational| number.is_whole() && *number >= Rational::ZERO && *number <= Rational::from(LATEST);
        let refused = |number: &str, help: String| {
            Err(Fault::new(self.span, format!("{} is {}, not a step", what(), shown(number)), help))
        };
        // `4 years` means 4.
        if let Kind::Scalar { text, .. } = &self.kind
            && !self.is_null()
            && parse_rational(text).is_err()
        {
            let first = text.split_whitespace().next().and_then(|word| parse_rational(word).ok()).filter(is_step);
            let help = first.map_or_else(|| WHOLE.to_owned(), |step| format!("write {step}, the number of steps"));
            return refused(text, help);
        }
        let number = self.number(&what)?;
        if number.is_whole() && number > Rational::from(LATEST) {
            let help = format!("write at most {LATEST}, or leave it out: without it every step counts");
            return Err(Fault::new(self.span, format!("{} is too late", what()), help));
        }
        if !is_step(&number) {
            return refused(&number.to_string(), WHOLE.to_owned());
        }
        Ok(number.to_string().parse().expect("a whole number within limits"))
    }
}
