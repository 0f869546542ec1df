//! Time preferences as stated in a file, and the geometric segments that represent them.
//!
//! Every preference becomes a list of [`Segment`]s, which is all that the engines see. For most preferences this is exact; gamma
//! and hyperbolic discounting are approximated by a mixture of discounts with a proven error ([`FallingWeight`]).

use super::{ModelError, Part, Segment};
use crate::number::{FallingWeight, LONGEST_BITS, MOST_NODES, Rational, decimal_or_fraction, rate_text};
use std::fmt::{self, Display, Formatter};

/// The weight of a reward at step j, as it is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preference {
    /// λ^j, and nothing from step `until` on.
    Discount {
        /// λ, at least 0 and below 1; 1 if there is an `until`.
        discount: Rational,
        /// The number of steps that count, at least 1; all of them if there is none.
        until: Option<u64>,
    },
    /// (1/(1+r))^j, and nothing from step `until` on.
    Rate {
        /// r, above 0 and at most 1; 0 if there is an `until`.
        rate: Rational,
        /// The number of steps that count, at least 1; all of them if there is none.
        until: Option<u64>,
    },
    /// 1 at step 0, then β δ^j: quasi-hyperbolic discounting.
    BetaDelta {
        /// β, at least 0 and at most 1.
        beta: Rational,
        /// δ, at least 0 and below 1.
        delta: Rational,
    },
    /// The product of 1/(1+r) over the steps 1 to j, where the rate r depends on the step.
    Schedule(Schedule),
    /// (1 + j·sd²/mean)^(−mean²/sd²): gamma-distributed rates (Weitzman).
    Gamma {
        /// The mean of the rates.
        mean: Rational,
        /// Their standard deviation, above 0 and below the mean.
        sd: Rational,
        /// The allowed error of the approximating mixture, relative to the sum of the weights.
        error: Rational,
    },
    /// (1−h)^j/(1+kj): hyperbolic discounting with a hazard rate.
    Hyperbolic {
        /// k, above 0.
        k: Rational,
        /// h, above 0 and below 1.
        hazard: Rational,
        /// The allowed error of the approximating mixture, relative to the sum of the weights.
        error: Rational,
    },
    /// The mean of (1/(1+r))^j over these rates, as experts gave them.
    Survey(Vec<Rational>),
    /// Arbitrary segments; a file has no entry for them.
    Segments(Vec<Segment>),
}

/// Rates that depend on the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// The rates of the UK's Green Book: 3.5 % to step 30, 3 % to 75, 2.5 % to 125, 2 % to 200, 1.5 % to 300, then 1 %.
    GreenBook,
    /// From each of these steps on this rate, in increasing steps; 0 before the first, the last for ever.
    Rates(Vec<(u64, Rational)>),
}

/// The error of a mixture that approximates a preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approximation {
    /// How many discounts it mixes.
    pub nodes: usize,
    /// An upper bound on the sum over all steps of the difference of the two weights.
    pub error: Rational,
    /// The same, relative to the sum of the weights.
    pub relative_error: Rational,
}

/// Why an entry is not a time preference, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {help}")]
pub struct PreferenceError {
    /// The key of the entry.
    pub key: &'static str,
    /// The index of the rate below that key, if there are several.
    pub at: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write.
    pub help: String,
}

impl PreferenceError {
    /// The error of invalid segments; stated preferences never have it.
    pub(super) fn of_segments(error: &ModelError) -> PreferenceError {
        PreferenceError {
            key: "segments",
            at: None,
            message: error.to_string(),
            help: "give other segments".to_owned(),
        }
    }
}

/// The name of the UK's schedule.
pub const GREEN_BOOK: &str = "green-book";
/// The error of a mixture for which none is stated: a millionth.
pub const DEFAULT_ERROR: (i64, u64) = (1, 1_000_000);
/// The latest step that a preference may name: other JSON readers round larger integers.
pub const LATEST: u64 = (1 << 53) - 1;
/// The least error of a mixture.
const LEAST_ERROR: (i64, u64) = (1, 1_000_000_000_000);
/// The greatest error of a mixture.
const GREATEST_ERROR: (i64, u64) = (1, 10);
/// The most steps of a preference that are not discounted: each is a segment of its own.
const MOST_UNDISCOUNTED: u64 = 1_000;
/// The most rates of a survey.
const MOST_RATES: usize = 1_000;

impl Preference {
    /// Plain discounting for ever.
    pub fn discount(discount: Rational) -> Preference {
        Preference::Discount { discount, until: None }
    }

    /// A rate for ever.
    pub fn rate(rate: Rational) -> Preference {
        Preference::Rate { rate, until: None }
    }

    /// The preference of these segments, as a discount if they are one.
    pub(super) fn of_segments(segments: &[Segment]) -> Preference {
        if let [Segment { parts, .. }] = segments
            && let [Part { coefficient, discount }] = parts.as_slice()
            && coefficient.is_one()
        {
            return Preference::discount(discount.clone());
        }
        Preference::Segments(segments.to_vec())
    }

    /// The discount, where there is one: stated as such or as a rate, for ever or until some step.
    pub fn single_discount(&self) -> Option<Rational> {
        match self {
            Preference::Discount { discount, .. } => Some(discount.clone()),
            Preference::Rate { rate, .. } => Some(discount_of(rate)),
            Preference::BetaDelta { .. }
            | Preference::Schedule(_)
            | Preference::Gamma { .. }
            | Preference::Hyperbolic { .. }
            | Preference::Survey(_)
            | Preference::Segments(_) => None,
        }
    }

    /// The discount, if that is all that is stated: not a rate, and without an end.
    pub fn plain_discount(&self) -> Option<&Rational> {
        match self {
            Preference::Discount { discount, until: None } => Some(discount),
            Preference::Discount { until: Some(_), .. }
            | Preference::Rate { .. }
            | Preference::BetaDelta { .. }
            | Preference::Schedule(_)
            | Preference::Gamma { .. }
            | Preference::Hyperbolic { .. }
            | Preference::Survey(_)
            | Preference::Segments(_) => None,
        }
    }

    /// Whether a rate, or several, were stated, so that a discount in its place would be a surprise.
    pub fn is_in_rates(&self) -> bool {
        match self {
            Preference::Rate { .. } | Preference::Schedule(_) | Preference::Gamma { .. } | Preference::Survey(_) => {
                true
            }
            Preference::Discount { .. }
            | Preference::BetaDelta { .. }
            | Preference::Hyperbolic { .. }
            | Preference::Segments(_) => false,
        }
    }

    /// `other` in place of this: a discount or a rate without an end takes the end of this one.
    pub fn replaced_by(&self, other: Preference) -> Preference {
        match other {
            Preference::Discount { discount, until: None } => Preference::Discount { discount, until: self.until() },
            Preference::Rate { rate, until: None } => Preference::Rate { rate, until: self.until() },
            other => other,
        }
    }

    /// The step from which nothing counts any more, if there is one.
    pub fn until(&self) -> Option<u64> {
        match self {
            Preference::Discount { until, .. } | Preference::Rate { until, .. } => *until,
            Preference::BetaDelta { .. }
            | Preference::Schedule(_)
            | Preference::Gamma { .. }
            | Preference::Hyperbolic { .. }
            | Preference::Survey(_)
            | Preference::Segments(_) => None,
        }
    }

    /// The segments that represent it, and their error if they are an approximation.
    pub(super) fn resolve(&self) -> Result<(Vec<Segment>, Option<Approximation>), PreferenceError> {
        let exactly = |segments: Vec<Segment>| Ok((segments, None));
        let whole = |parts: Vec<Part>| vec![Segment { from: 0, parts }];
        match self {
            Preference::Discount { discount, until: Some(until) } if discount.is_one() => {
                exactly(undiscounted(*until)?)
            }
            Preference::Rate { rate, until: Some(until) } if rate.is_zero() => exactly(undiscounted(*until)?),
            Preference::Discount { discount, until } => {
                check_discount("discount", "the discount", discount)?;
                exactly(ending(part(Rational::ONE, discount.clone()), *until)?)
            }
            Preference::Rate { rate, until } => {
                check_rate("rate", "the rate", rate)?;
                exactly(ending(part(Rational::ONE, discount_of(rate)), *until)?)
            }
            Preference::BetaDelta { beta, delta } => {
                check_discount("delta", "delta", delta)?;
                if *beta < Rational::ZERO || *beta > Rational::ONE {
                    let message = format!("beta is {}, outside [0, 1]", decimal_or_fraction(beta));
                    return refused(
                        "beta",
                        message,
                        "beta is the weight of all later steps relative to the present, such as 0.7",
                    );
                }
                exactly(whole(vec![part(beta.clone(), delta.clone()), part(Rational::ONE - beta, Rational::ZERO)]))
            }
            Preference::Schedule(schedule) => exactly(schedule.segments()?),
            Preference::Survey(rates) => exactly(whole(survey(rates)?)),
            Preference::Gamma { mean, sd, error } => mixed(gamma(mean, sd)?, error),
            Preference::Hyperbolic { k, hazard, error } => mixed(hyperbolic(k, hazard)?, error),
            Preference::Segments(segments) => exactly(segments.clone()),
        }
    }
}

/// The value of a key of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A number.
    Number(Rational),
    /// A rate, which may be written in per cent.
    Rate(Rational),
    /// A number of steps.
    Steps(u64),
    /// A name that the format knows.
    Word(&'static str),
    /// Rates by name or by step.
    Rates(Vec<(String, Rational)>),
    /// A list of rates.
    List(Vec<Rational>),
}

impl Preference {
    /// The keys and values of its entry in a model file; `None` if a file has no entry for it.
    pub(crate) fn entries(&self) -> Option<Vec<(&'static str, Entry)>> {
        let (numerator, denominator) = DEFAULT_ERROR;
        let default = Rational::from_quotient(numerator, denominator);
        let error = |error: &Rational| (*error != default).then(|| ("error", Entry::Number(error.clone())));
        let mut entries = match self {
            Preference::Discount { discount, .. } => vec![("discount", Entry::Number(discount.clone()))],
            Preference::Rate { rate, .. } => vec![("rate", Entry::Rate(rate.clone()))],
            Preference::BetaDelta { beta, delta } => {
                vec![("beta", Entry::Number(beta.clone())), ("delta", Entry::Number(delta.clone()))]
            }
            Preference::Schedule(Schedule::GreenBook) => vec![("schedule", Entry::Word(GREEN_BOOK))],
            Preference::Schedule(Schedule::Rates(rates)) => {
                let rates = rates.iter().map(|(step, rate)| (step.to_string(), rate.clone()));
                vec![("schedule", Entry::Rates(rates.collect()))]
            }
            Preference::Gamma { mean, sd, error: e } => {
                let rates = vec![("mean".to_owned(), mean.clone()), ("sd".to_owned(), sd.clone())];
                [Some(("gamma", Entry::Rates(rates))), error(e)].into_iter().flatten().collect()
            }
            Preference::Hyperbolic { k, hazard, error: e } => {
                let own = [("hyperbolic", Entry::Number(k.clone())), ("hazard", Entry::Rate(hazard.clone()))];
                own.into_iter().chain(error(e)).collect()
            }
            Preference::Survey(rates) => vec![("survey", Entry::List(rates.clone()))],
            Preference::Segments(_) => return None,
        };
        entries.extend(self.until().map(|until| ("until", Entry::Steps(until))));
        Some(entries)
    }
}

impl From<Rational> for Preference {
    fn from(discount: Rational) -> Preference {
        Preference::discount(discount)
    }
}

impl Preference {
    /// The weight of a step as `gamma` and `hyperbolic` state it, to the nearest doubles; `None` of other kinds, whose parts say it.
    pub(crate) fn stated_weight(&self, step: u64) -> Option<f64> {
        let j = step as f64;
        match self {
            Preference::Gamma { mean, sd, .. } => {
                let ratio = (mean / sd).to_f64();
                Some((-ratio * ratio * (j * (sd * sd / mean).to_f64()).ln_1p()).exp())
            }
            Preference::Hyperbolic { k, hazard, .. } => {
                Some((j * (-hazard.to_f64()).ln_1p()).exp() / (1.0 + k.to_f64() * j))
            }
            _ => None,
        }
    }
}

/// As tables show it.
impl Display for Preference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Preference::Discount { discount, .. } => write!(f, "{discount}")?,
            Preference::Rate { rate, .. } => write!(f, "rate {}", rate_text(rate))?,
            Preference::BetaDelta { beta, delta } => {
                write!(f, "β {}, δ {}", decimal_or_fraction(beta), decimal_or_fraction(delta))?;
            }
            Preference::Schedule(Schedule::GreenBook) => f.write_str(GREEN_BOOK)?,
            Preference::Schedule(Schedule::Rates(rates)) => {
                // Steps before the first key are not discounted; step 0 counts 1 in any case.
                let undiscounted = rates.first().is_some_and(|(step, _)| *step > 1).then_some(Rational::ZERO);
                let all: Vec<&Rational> = undiscounted.iter().chain(rates.iter().map(|(_, rate)| rate)).collect();
                let (first, last) = (rate_text(all[0]), rate_text(all[all.len() - 1]));
                let least = all.iter().min().expect("a schedule has a rate");
                let most = all.iter().max().expect("a schedule has a rate");
                if least == most {
                    write!(f, "rate {first}")?;
                } else if all.is_sorted() || all.iter().rev().is_sorted() {
                    write!(f, "{first} to {last}")?;
                } else {
                    write!(f, "between {} and {}", rate_text(least), rate_text(most))?;
                }
            }
            Preference::Gamma { mean, sd, .. } => write!(f, "gamma {} ± {}", rate_text(mean), rate_text(sd))?,
            Preference::Hyperbolic { k, hazard, .. } => {
                write!(f, "hyperbolic {}, {}", decimal_or_fraction(k), rate_text(hazard))?;
            }
            Preference::Survey(rates) => write!(f, "survey of {}", rates.len())?,
            Preference::Segments(_) => f.write_str("in parts")?,
        }
        self.until().map_or(Ok(()), |until| write!(f, " until {until}"))
    }
}

fn part(coefficient: Rational, discount: Rational) -> Part {
    Part { coefficient, discount }
}

/// 1/(1+r).
pub(crate) fn discount_of(rate: &Rational) -> Rational {
    Rational::ONE / (Rational::ONE + rate)
}

fn refused<T>(key: &'static str, message: impl Into<String>, help: impl Into<String>) -> Result<T, PreferenceError> {
    Err(PreferenceError { key, at: None, message: message.into(), help: help.into() })
}

/// A number in a message: the beginning of a long one.
fn brief(text: String) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// `1e-40`, and `0` as it is.
fn brief_power(number: &Rational) -> String {
    let double = number.to_f64();
    let is_plain = (1e-3..1e6).contains(&double.abs());
    if number.is_zero() {
        "0".to_owned()
    } else if is_plain {
        decimal_or_fraction(number)
    } else {
        format!("{double:e}")
    }
}

fn check_discount(key: &'static str, what: &str, discount: &Rational) -> Result<(), PreferenceError> {
    if *discount >= Rational::ZERO && *discount < Rational::ONE {
        return Ok(());
    }
    let message = format!("{what} is {}, outside [0, 1)", brief(discount.to_string()));
    let range = "a discount is at least 0 and below 1, such as 9/10";
    // 1.03 and 3 are common mistakes for a rate of 3 %.
    let (two, hundred) = (Rational::from(2), Rational::from(100));
    let rate = if *discount > Rational::ONE && *discount < two {
        Some(discount - Rational::ONE)
    } else {
        (*discount >= two && *discount <= hundred).then(|| discount / hundred)
    };
    match rate {
        None if key == "discount" && discount.is_one() => {
            refused(key, message, format!("{range}; a discount of 1 needs an end, such as `until: 30`"))
        }
        Some(rate) if key == "discount" => {
            refused(key, message, format!("{range}; or did you mean {}?", as_rate(&rate)))
        }
        _ => refused(key, message, range),
    }
}

/// A rate and the discount that it is.
pub(crate) fn as_rate(rate: &Rational) -> String {
    format!("`rate: {}`, the discount {:.6}", brief(rate_text(rate)), discount_of(rate).to_f64())
}

/// A rate that is compounded at every moment, up to 100 %, as the entry with the same discount; rounded to six digits.
fn compounded(rate: &Rational) -> String {
    let (rate, discount) = (rate.to_f64().exp_m1(), (-rate.to_f64()).exp());
    let per_cent = format!("{:.4}", 100.0 * rate);
    let per_cent = per_cent.trim_end_matches('0').trim_end_matches('.');
    if rate > 1.0 || per_cent == "0" {
        format!("`discount: {discount:.6}`")
    } else {
        format!("`rate: {per_cent}%`, the discount {discount:.6}: `gamma` compounds at every moment")
    }
}

fn check_rate(key: &'static str, what: &str, rate: &Rational) -> Result<(), PreferenceError> {
    let shown = brief(rate_text(rate));
    if rate.is_zero() {
        return refused(
            key,
            format!("{what} is 0: the sum over all steps would be infinite"),
            match key {
                "rate" => "a rate is above 0, such as 3%; or say how many steps count, such as `until: 30`",
                _ => "a rate is above 0, such as 3%",
            },
        );
    }
    if *rate < Rational::ZERO {
        return refused(
            key,
            format!("{what} is {shown}: the future would count more than the present"),
            "a rate is above 0, such as 3%",
        );
    }
    if *rate > Rational::ONE {
        // A mean of rates with a spread has no discount by itself.
        let message = match key {
            "gamma" => format!("{what} is {shown}"),
            _ => format!("{what} is {shown}, the discount {:.6}", discount_of(rate).to_f64()),
        };
        let meant = rate / Rational::from(100);
        let help = if meant <= Rational::ONE {
            // Only a plain rate has its key right before it.
            let cure = match key {
                "rate" => as_rate(&meant),
                "gamma" => format!("`mean: {}`", brief(rate_text(&meant))),
                _ => as_rate(&meant).replacen("rate: ", "", 1),
            };
            format!("a rate is at most 100%; did you mean {cure}?")
        } else {
            "a rate is at most 100%, such as 3%".to_owned()
        };
        return refused(key, message, help);
    }
    Ok(())
}

/// One part that counts up to a step.
fn ending(part: Part, until: Option<u64>) -> Result<Vec<Segment>, PreferenceError> {
    let mut segments = vec![Segment { from: 0, parts: vec![part] }];
    if let Some(until) = until {
        check_end(until)?;
        segments.push(Segment { from: until, parts: Vec::new() });
    }
    Ok(segments)
}

/// All steps up to `until` count 1: a segment for each of them, because the discount of a segment is below 1.
fn undiscounted(until: u64) -> Result<Vec<Segment>, PreferenceError> {
    check_end(until)?;
    if until > MOST_UNDISCOUNTED {
        let message = format!("{until} steps count without a discount; at most {MOST_UNDISCOUNTED} may");
        return refused("until", message, "write fewer, or give them a small rate, such as `rate: 0.0001%`");
    }
    let counting = (0..until).map(|from| Segment { from, parts: vec![part(Rational::ONE, Rational::ZERO)] });
    Ok(counting.chain([Segment { from: until, parts: Vec::new() }]).collect())
}

fn check_end(until: u64) -> Result<(), PreferenceError> {
    match until {
        0 => {
            let help = "write how many steps count, at least 1, or leave the principal out";
            refused("until", "`until` is 0: no step counts", help)
        }
        1..=LATEST => Ok(()),
        _ => {
            let message = format!("`until` is {until}, which is later than any step that a file may name, 2^53 − 1");
            refused("until", message, "write fewer steps, or leave `until` out: then all count")
        }
    }
}

impl Schedule {
    /// From which step on which rate.
    pub fn rates(&self) -> Vec<(u64, Rational)> {
        const UK: [(u64, i64); 6] = [(0, 35), (31, 30), (76, 25), (126, 20), (201, 15), (301, 10)];
        match self {
            Schedule::GreenBook => UK.map(|(step, rate)| (step, Rational::from_quotient(rate, 1000))).to_vec(),
            Schedule::Rates(rates) => rates.clone(),
        }
    }

    /// A segment for each rate. The rate of step k leads from step k − 1 to k, so the segment begins one step before.
    fn segments(&self) -> Result<Vec<Segment>, PreferenceError> {
        const KEY: &str = "schedule";
        let rates = self.rates();
        let Some((last, first)) = rates.last().zip(rates.first()) else {
            return refused(KEY, "the schedule is empty", "write steps and rates, such as {0: 3.5%, 31: 3%}");
        };
        if let Some(pair) = rates.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            let message = format!("step {} comes after step {} in the schedule", pair[1].0, pair[0].0);
            return refused(KEY, message, "write the steps in increasing order, such as {0: 3.5%, 31: 3%}");
        }
        for (at, (step, rate)) in rates.iter().enumerate() {
            if !rate.is_zero() || *step == last.0 {
                let what = format!("the rate from step {step} on");
                check_rate(KEY, &what, rate).map_err(|error| PreferenceError { at: Some(at), ..error })?;
            }
        }
        // Undiscounted steps are segments of one step each, because a discount is below 1.
        let undiscounted = |from: u64, to: u64, rate: &Rational| if rate.is_zero() { to - from } else { 0 };
        let begins = |step: u64| step.saturating_sub(1);
        let mut stretches: Vec<(u64, Rational)> = Vec::new();
        if begins(first.0) > 0 {
            stretches.push((0, Rational::ZERO));
        }
        for (step, rate) in &rates {
            // Of two that begin at step 0 the later one counts: no step has the rate of key 0 if there is a key 1.
            if stretches.last().is_some_and(|(from, _)| *from == begins(*step)) {
                stretches.pop();
            }
            stretches.push((begins(*step), rate.clone()));
        }
        let ends = stretches
            .windows(2)
            .map(|pair| undiscounted(pair[0].0, pair[1].0, &pair[0].1))
            .fold(0, u64::saturating_add);
        if ends > MOST_UNDISCOUNTED {
            let message = format!("{ends} steps of the schedule have the rate 0");
            return refused(KEY, message, format!("give them a rate; at most {MOST_UNDISCOUNTED} steps may have none"));
        }
        let mut segments = Vec::new();
        let mut weight = Rational::ONE;
        for (at, (from, rate)) in stretches.iter().enumerate() {
            let until = stretches.get(at + 1).map(|(until, _)| *until);
            if rate.is_zero() {
                let steps = *from..until.expect("the last rate is not 0");
                segments.extend(steps.map(|from| Segment { from, parts: vec![part(weight.clone(), Rational::ZERO)] }));
                continue;
            }
            let discount = discount_of(rate);
            segments.push(Segment { from: *from, parts: vec![part(weight.clone(), discount.clone())] });
            if let Some(until) = until {
                weight = later(&weight, &discount, until - from).ok_or_else(|| too_long(until))?;
            }
        }
        Ok(segments)
    }
}

/// The weight that many steps later, unless it is too long. Months of the Green Book reach 30,000 digits: rates of four digits over
/// three hundred years.
fn later(weight: &Rational, discount: &Rational, steps: u64) -> Option<Rational> {
    const MOST_BITS: usize = 10 * LONGEST_BITS;
    let bits = (discount.bits() as u64).saturating_mul(steps);
    if bits.saturating_add(weight.bits() as u64) > 2 * MOST_BITS as u64 {
        return None;
    }
    let weight = weight * discount.pow(steps as isize);
    (weight.numerator_bits().max(weight.denominator_bits()) <= MOST_BITS).then_some(weight)
}

fn too_long(step: u64) -> PreferenceError {
    PreferenceError {
        key: "schedule",
        at: None,
        message: format!("the weight of step {step} has more than 100,000 digits"),
        help: "write the rates with fewer digits, or let the last one begin earlier".to_owned(),
    }
}

/// The mean of the discounts of these rates.
fn survey(rates: &[Rational]) -> Result<Vec<Part>, PreferenceError> {
    const KEY: &str = "survey";
    if rates.is_empty() {
        return refused(KEY, "the survey is empty", "write the rates that were given, such as [1%, 2%, 3.5%]");
    }
    if rates.len() > MOST_RATES {
        return refused(KEY, format!("the survey has {} rates", rates.len()), format!("at most {MOST_RATES} are read"));
    }
    let share = Rational::ONE / Rational::from(rates.len());
    let of = |(at, rate): (usize, &Rational)| {
        let what = format!("rate {} of the survey", at + 1);
        check_rate(KEY, &what, rate).map_err(|error| PreferenceError { at: Some(at), ..error })?;
        Ok(part(share.clone(), discount_of(rate)))
    };
    rates.iter().enumerate().map(of).collect()
}

fn gamma(mean: &Rational, sd: &Rational) -> Result<FallingWeight, PreferenceError> {
    const KEY: &str = "gamma";
    check_rate(KEY, "the mean", mean)?;
    if *sd <= Rational::ZERO {
        let help = if sd.is_zero() {
            format!("rates that are all the same are {}", compounded(mean))
        } else {
            "write one above 0, such as 3%".to_owned()
        };
        return refused(KEY, format!("the sd is {}", brief(rate_text(sd))), help);
    }
    if sd >= mean {
        let message = format!(
            "the sd, {}, is not below the mean, {}: the sum over all steps would be infinite",
            brief(rate_text(sd)),
            brief(rate_text(mean))
        );
        return refused(KEY, message, "write an sd below the mean, such as {mean: 4%, sd: 3%}");
    }
    let shape = (mean / sd) * (mean / sd);
    /// A narrower distribution is a single rate up to a relative error of a millionth.
    const NARROWEST: u64 = 1_000_000;
    if shape > Rational::from(NARROWEST) {
        return refused(KEY, "the sd is below a thousandth of the mean", format!("write {}", compounded(mean)));
    }
    Ok(FallingWeight { shape, rate: mean.clone(), survival: Rational::ONE })
}

fn hyperbolic(k: &Rational, hazard: &Rational) -> Result<FallingWeight, PreferenceError> {
    if *k <= Rational::ZERO || *k > Rational::from(1000) {
        let message = format!("the k of 1/(1 + k j) is {}", brief(decimal_or_fraction(k)));
        return refused("hyperbolic", message, "write one above 0 and at most 1000, such as `hyperbolic: 0.1`");
    }
    if *hazard <= Rational::ZERO || *hazard >= Rational::ONE {
        let message = if hazard.is_zero() {
            "the hazard is 0: the sum of 1/(1 + k j) over all steps is infinite".to_owned()
        } else {
            format!("the hazard is {}, outside (0, 1)", brief(rate_text(hazard)))
        };
        return refused(
            "hazard",
            message,
            "write the probability that everything ends at a step, above 0 and below 1, such as `hazard: 1%`",
        );
    }
    Ok(FallingWeight { shape: Rational::ONE, rate: k.clone(), survival: Rational::ONE - hazard })
}

/// The mixture that is within `error` of a weight, as a single segment.
fn mixed(weight: FallingWeight, error: &Rational) -> Result<(Vec<Segment>, Option<Approximation>), PreferenceError> {
    let [least, greatest] = [LEAST_ERROR, GREATEST_ERROR].map(|(n, d)| Rational::from_quotient(n, d));
    if *error < least || *error > greatest {
        let message = format!("the error is {}", brief_power(error));
        return refused(
            "error",
            message,
            "an error lies between 1e-12 and 0.1, relative to the sum of the weights, such as `error: 1e-6`",
        );
    }
    let Some(mixture) = weight.mixture(error) else {
        let message = format!("an error of {} takes more than {MOST_NODES} discounts", brief_power(error));
        return refused("error", message, "write a greater error, or for `gamma` an sd further below the mean");
    };
    let approximation =
        Approximation { nodes: mixture.nodes.len(), error: mixture.error, relative_error: mixture.relative_error };
    let parts = mixture.nodes.into_iter().map(|(coefficient, discount)| part(coefficient, discount)).collect();
    Ok((vec![Segment { from: 0, parts }], Some(approximation)))
}
