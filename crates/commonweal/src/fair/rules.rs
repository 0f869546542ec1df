//! Rules, reference points and demands.

use crate::model::{PrincipalId, Structure, nearest};
use crate::number::{Rational, parse_rational};
use crate::strategy::Strategy;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A function of the principals' gains, the payoffs less a reference point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// The weighted sum, with the weights of the file.
    Welfare,
    /// The least of them.
    MaxMin,
    /// The least, then the next least, and so on.
    Leximin,
    /// The product.
    Nash,
    /// The least gain relative to the greatest gain of that principal alone.
    KalaiSmorodinsky,
    /// The weighted sum from the least up; the weights do not increase.
    Gini(Vec<Rational>),
    /// Σ u^(1−α)/(1−α).
    Alpha(Rational),
}

/// The reference point.
#[derive(Debug, Clone)]
pub enum Over {
    /// 0 for everybody.
    Nothing,
    /// The least that any strategy gives each principal.
    OwnWorst,
    /// These numbers, one per principal.
    Given(Vec<Rational>),
    /// What a strategy gives each principal.
    Strategy(Strategy),
}

impl Over {
    /// The reference point of this name, if there is one: `own-worst`.
    pub fn named(text: &str) -> Option<Over> {
        (text == "own-worst").then_some(Over::OwnWorst)
    }

    /// The reference point that a text states for a model: a name, `strategy:` and what `strategy` makes of the rest, or a number
    /// for each principal, as in `alice=9,bob=2`.
    pub fn read<E: From<FairError>>(
        text: &str,
        model: &Structure,
        strategy: impl FnOnce(&str) -> Result<Strategy, E>,
    ) -> Result<Over, E> {
        match (Over::named(text), text.strip_prefix("strategy:")) {
            (Some(named), _) => Ok(named),
            (None, Some(file)) => strategy(file).map(Over::Strategy),
            (None, None) => Ok(Over::Given(reference_numbers(model, text)?)),
        }
    }
}

/// A rule with its reference point and demands.
#[derive(Debug, Clone)]
pub struct Question {
    /// The rule.
    pub rule: Rule,
    /// What it counts from.
    pub over: Over,
    /// What a principal must get at least.
    pub at_least: Vec<(PrincipalId, Rational)>,
    /// What a principal may get at most.
    pub at_most: Vec<(PrincipalId, Rational)>,
}

impl Question {
    /// The rule with its default reference point and no demands.
    pub fn new(rule: Rule) -> Question {
        let over = rule.usual_reference();
        Question { rule, over, at_least: Vec::new(), at_most: Vec::new() }
    }

    /// Floors and ceilings, each in the principals' order.
    pub(crate) fn demands(&self) -> [Vec<&(PrincipalId, Rational)>; 2] {
        [&self.at_least, &self.at_most].map(|bounds| {
            let mut bounds: Vec<_> = bounds.iter().collect();
            bounds.sort_by_key(|(p, _)| p.index());
            bounds
        })
    }
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FairError {
    /// The text names no rule.
    #[error("`{text}` is not a rule{}; the rules are {RULES}", .near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)")))]
    UnknownRule {
        /// What was written.
        text: String,
        /// What it most likely misspells.
        near: Option<&'static str>,
    },
    /// A rule got numbers that it does not take.
    #[error("the rule `{rule}` takes no numbers; write `{rule}` alone")]
    NoNumbers {
        /// Its name.
        rule: &'static str,
    },
    /// A rule needs numbers.
    #[error("the rule `{rule}` needs {what}, such as `{example}`")]
    NumbersMissing {
        /// Its name.
        rule: &'static str,
        /// What it needs.
        what: &'static str,
        /// How it is written.
        example: &'static str,
    },
    /// A number of a rule cannot be read.
    #[error("the rule `{rule}`: {message}")]
    Number {
        /// Its name.
        rule: &'static str,
        /// What is wrong.
        message: String,
    },
    /// `gini` has one weight per principal.
    #[error("the rule `gini` has {given} {} for {principals} {}; give one each, the worst-off first", plural(*.given, "weight"), plural(*.principals, "principal"))]
    WeightCount {
        /// How many were given.
        given: usize,
        /// How many principals there are.
        principals: usize,
    },
    /// `gini` weights the worst-off most.
    #[error(
        "the rule `gini` has a weight that is greater than the one before it, or negative; weights go from the worst-off up and do not increase"
    )]
    WeightOrder,
    /// `gini` weights somebody.
    #[error(
        "the rule `gini` has only weights of 0, by which all strategies are equal; give the worst-off a positive weight, such as `gini:2/3,1/3`"
    )]
    NoWeight,
    /// α = 1 has a name of its own.
    #[error("the rule `alpha:1` is the rule `nash`; write `nash`")]
    AlphaIsNash,
    /// α is positive.
    #[error("the rule `alpha` needs a number above 0; `alpha:0` would be the plain sum, the rule `welfare`")]
    AlphaNotPositive,
    /// α is short.
    #[error("the rule `alpha` takes numbers whose numerator and denominator are at most {most}")]
    AlphaTooLong {
        /// The most.
        most: u32,
    },
    /// A floor is above its ceiling.
    #[error("`{name}` is to get at least {at_least} and at most {at_most}, which is impossible; change one of them")]
    Contradiction {
        /// Whose.
        name: String,
        /// The floor.
        at_least: Rational,
        /// The ceiling.
        at_most: Rational,
    },
    /// A floor or ceiling is given twice.
    #[error("`{name}` has two bounds of the same kind, {first} and {second}; keep one of them")]
    Twice {
        /// Whose.
        name: String,
        /// The one.
        first: Rational,
        /// The other.
        second: Rational,
    },
    /// The rule needs everybody to gain.
    #[error("the rule `{rule}` needs a strategy that gives everybody more than the reference point, and there is none: {who}{}", cure(*.from_zero, *.has_demands))]
    NobodyGains {
        /// The rule.
        rule: &'static str,
        /// Who gains nothing, or that not all can gain together.
        who: String,
        /// Whether the reference point is 0 for everybody.
        from_zero: bool,
        /// Whether it is for floors or ceilings that there is none.
        has_demands: bool,
    },
    /// The reference point is above a principal's own best.
    #[error("the reference point gives `{name}` {reference}, and no strategy gives more than {best}; take a lower one")]
    ReferenceTooHigh {
        /// Whom.
        name: String,
        /// The reference.
        reference: String,
        /// Its own best.
        best: String,
    },
    /// The reference strategy cannot be evaluated.
    #[error("the reference point: {0}")]
    Reference(String),
    /// The reference point lacks a principal.
    #[error("the reference point has no number for `{name}`; give one for each principal, such as {example}")]
    ReferenceMissing {
        /// Whom.
        name: String,
        /// How it is written.
        example: String,
    },
}

fn plural(count: usize, one: &str) -> String {
    if count == 1 { one.to_owned() } else { format!("{one}s") }
}

fn cure(from_zero: bool, has_demands: bool) -> &'static str {
    if has_demands {
        "; relax a floor or ceiling, or take a lower reference point"
    } else if from_zero {
        "; the reference point `own-worst` counts from the least that each could get"
    } else {
        ""
    }
}

const RULES: &str = "welfare, max-min, leximin, nash, kalai-smorodinsky, gini:W,W,… and alpha:A";
const NAMES: [&str; 7] = ["welfare", "max-min", "leximin", "nash", "kalai-smorodinsky", "gini", "alpha"];
/// The greatest numerator and denominator of α.
const LONGEST: u32 = 64;

impl Rule {
    /// The name, without numbers.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Welfare => NAMES[0],
            Rule::MaxMin => NAMES[1],
            Rule::Leximin => NAMES[2],
            Rule::Nash => NAMES[3],
            Rule::KalaiSmorodinsky => NAMES[4],
            Rule::Gini(_) => NAMES[5],
            Rule::Alpha(_) => NAMES[6],
        }
    }

    /// The default reference point.
    pub fn usual_reference(&self) -> Over {
        match self {
            Rule::Nash | Rule::KalaiSmorodinsky => Over::OwnWorst,
            Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::Gini(_) | Rule::Alpha(_) => Over::Nothing,
        }
    }

    /// Whether it measures gains relative to the range of a principal's payoffs: it asks who can gain at all, and where payoffs range
    /// little, it needs them more precisely.
    pub(crate) fn is_relative(&self) -> bool {
        match self {
            Rule::KalaiSmorodinsky | Rule::Nash | Rule::Alpha(_) => true,
            Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::Gini(_) => false,
        }
    }

    /// Whether it divides each gain by that principal's greatest gain, so that its value is a share.
    pub(crate) fn is_of_shares(&self) -> bool {
        match self {
            Rule::KalaiSmorodinsky => true,
            Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::Nash | Rule::Gini(_) | Rule::Alpha(_) => false,
        }
    }

    /// Whether it leaves out who cannot gain over this reference point.
    pub(crate) fn leaves_out(&self, over: &Over) -> bool {
        match self {
            Rule::KalaiSmorodinsky => true,
            Rule::Nash | Rule::Alpha(_) => matches!(over, Over::OwnWorst),
            Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::Gini(_) => false,
        }
    }

    /// Whether it is a curve, which cuts approach, and not a linear program.
    pub(crate) fn is_smooth(&self) -> bool {
        match self {
            Rule::Nash | Rule::Alpha(_) => true,
            Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::KalaiSmorodinsky | Rule::Gini(_) => false,
        }
    }

    /// Whether its value is one level after the other, so that a proof of the first one is not enough.
    pub fn is_lexicographic(&self) -> bool {
        match self {
            Rule::Leximin => true,
            Rule::Welfare | Rule::MaxMin | Rule::Nash | Rule::KalaiSmorodinsky | Rule::Gini(_) | Rule::Alpha(_) => {
                false
            }
        }
    }

    /// An error unless the rule fits a model with this many principals.
    pub(super) fn check(&self, principals: usize) -> Result<(), FairError> {
        let Rule::Gini(weights) = self else { return Ok(()) };
        if weights.len() != principals {
            return Err(FairError::WeightCount { given: weights.len(), principals });
        }
        Ok(())
    }
}

impl Display for Rule {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        match self {
            Rule::Gini(weights) => {
                let weights: Vec<String> = weights.iter().map(Rational::to_string).collect();
                write!(formatter, "gini:{}", weights.join(","))
            }
            Rule::Alpha(alpha) => write!(formatter, "alpha:{alpha}"),
            Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::Nash | Rule::KalaiSmorodinsky => {
                formatter.write_str(self.name())
            }
        }
    }
}

impl FromStr for Rule {
    type Err = FairError;

    fn from_str(text: &str) -> Result<Rule, FairError> {
        let (name, numbers) = match text.split_once(':') {
            Some((name, numbers)) => (name, Some(numbers)),
            None => (text, None),
        };
        let rule = NAMES.iter().copied().find(|known| *known == name);
        let rule = rule.ok_or_else(|| FairError::UnknownRule { text: name.to_owned(), near: nearest(name, NAMES) })?;
        let plain = match rule {
            "welfare" => Rule::Welfare,
            "max-min" => Rule::MaxMin,
            "leximin" => Rule::Leximin,
            "nash" => Rule::Nash,
            "kalai-smorodinsky" => Rule::KalaiSmorodinsky,
            "gini" => return gini(rule, numbers),
            _ => return alpha(rule, numbers),
        };
        if numbers.is_some() { Err(FairError::NoNumbers { rule }) } else { Ok(plain) }
    }
}

fn number(rule: &'static str, text: &str) -> Result<Rational, FairError> {
    parse_rational(text.trim()).map_err(|error| FairError::Number { rule, message: error.to_string() })
}

fn gini(rule: &'static str, numbers: Option<&str>) -> Result<Rule, FairError> {
    let missing = FairError::NumbersMissing { rule, what: "a weight for each principal", example: "gini:2/3,1/3" };
    let numbers = numbers.filter(|numbers| !numbers.trim().is_empty()).ok_or(missing)?;
    let weights: Vec<Rational> = numbers.split(',').map(|text| number(rule, text)).collect::<Result<_, _>>()?;
    let increases = weights.windows(2).any(|pair| pair[0] < pair[1]);
    if increases || weights.iter().any(|weight| *weight < Rational::ZERO) {
        return Err(FairError::WeightOrder);
    }
    if weights.iter().all(Rational::is_zero) {
        return Err(FairError::NoWeight);
    }
    Ok(Rule::Gini(weights))
}

fn alpha(rule: &'static str, numbers: Option<&str>) -> Result<Rule, FairError> {
    let missing = FairError::NumbersMissing { rule, what: "a number above 0", example: "alpha:2" };
    let alpha = number(rule, numbers.filter(|numbers| !numbers.trim().is_empty()).ok_or(missing)?)?;
    if alpha.is_one() {
        return Err(FairError::AlphaIsNash);
    }
    if alpha <= Rational::ZERO {
        return Err(FairError::AlphaNotPositive);
    }
    let most = Rational::from(LONGEST);
    let (numerator, denominator) = (&alpha * denominator_of(&alpha), denominator_of(&alpha));
    if numerator > most || denominator > most {
        return Err(FairError::AlphaTooLong { most: LONGEST });
    }
    Ok(Rule::Alpha(alpha))
}

fn denominator_of(number: &Rational) -> Rational {
    Rational::from_integer(number.denominator().clone().into())
}

/// The numbers that a text such as `alice=9,bob=2` gives to the principals of a model, one each.
fn reference_numbers(model: &Structure, text: &str) -> Result<Vec<Rational>, FairError> {
    let pair = |entry: &'_ str| {
        let unreadable = || {
            let example = reference_example(model);
            FairError::Reference(format!(
                "`{entry}` is not NAME=VALUE; write `own-worst`, `strategy:FILE` or {example}"
            ))
        };
        let (name, value) = entry.rsplit_once('=').ok_or_else(unreadable)?;
        Ok((name.to_owned(), value.to_owned()))
    };
    let pairs: Vec<(String, String)> = text.split(',').map(pair).collect::<Result<_, FairError>>()?;
    reference_of(model, &pairs)
}

/// The numbers that pairs of a name and a number give to the principals of a model, one each.
pub fn reference_of(model: &Structure, pairs: &[(String, String)]) -> Result<Vec<Rational>, FairError> {
    let principals = model.principals();
    let mut given: Vec<Option<Rational>> = vec![None; principals.len()];
    for (name, value) in pairs {
        let names = principals.iter().map(|principal| principal.name.as_str());
        let p = model.find_principal(name).ok_or_else(|| {
            let near = nearest(name, names.clone());
            let near = near.map_or_else(
                || format!("the principals are {}", listed(names)),
                |near| format!("did you mean `{near}`?"),
            );
            FairError::Reference(format!("there is no principal `{name}`; {near}"))
        })?;
        let value = parse_rational(value).map_err(|error| FairError::Reference(format!("`{name}`: {error}")))?;
        if let Some(first) = &given[p.index()] {
            return Err(FairError::Reference(format!(
                "`{name}` is given twice, {first} and {value}; keep one of them"
            )));
        }
        given[p.index()] = Some(value);
    }
    let example = || reference_example(model);
    let missing = |p: usize| FairError::ReferenceMissing { name: principals[p].name.clone(), example: example() };
    given.into_iter().enumerate().map(|(p, value)| value.ok_or_else(|| missing(p))).collect()
}

/// A number for each principal, as one would write them.
fn reference_example(model: &Structure) -> String {
    let each: Vec<String> = model.principals().iter().map(|principal| format!("{}=0", principal.name)).collect();
    each.join(",")
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.take(8).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in
            ["welfare", "max-min", "leximin", "nash", "kalai-smorodinsky", "gini:2/3,1/3", "alpha:2", "alpha:1/2"]
        {
            assert_eq!(text.parse::<Rule>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_wrong_rule_says_what_is_wrong_and_what_helps() {
        for (text, words) in [
            ("maxmin", "did you mean `max-min`?"),
            ("fair", "the rules are welfare"),
            ("nash:2", "takes no numbers"),
            ("gini", "gini:2/3,1/3"),
            ("gini:", "gini:2/3,1/3"),
            ("gini:1/3,2/3", "do not increase"),
            ("gini:1,-1", "do not increase"),
            ("gini:0,0", "positive weight"),
            ("gini:1,x", "`x` is not a number"),
            ("alpha:1", "write `nash`"),
            ("alpha:0", "above 0"),
            ("alpha:-1", "above 0"),
            ("alpha", "alpha:2"),
            ("alpha:100000", "at most 64"),
        ] {
            let error = text.parse::<Rule>().unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
