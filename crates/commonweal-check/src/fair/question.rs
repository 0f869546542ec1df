//! The question of a fair certificate, its claim (§3), and the check of the lottery's value (§5, "L").

use super::{dot, fraction, fractions, power, unreadable};
use crate::fraction::Fraction;
use crate::principals::Principals;
use crate::text::{Lines, count, pair};
use crate::{Stop, Unreadable, refuse};
use num_traits::Signed;
use std::io::BufRead;

/// The rule.
pub enum Rule {
    Welfare(Vec<Fraction>),
    MaxMin,
    Leximin,
    Gini(Vec<Fraction>),
    /// Kalai–Smorodinsky: shares of these ranges.
    Shares {
        own_best: bool,
        ranges: Vec<Fraction>,
    },
    /// The principals whose gains count.
    Nash(Vec<usize>),
    /// α = a/b, and the principals whose gains count.
    Alpha(u32, u32, Vec<usize>),
}

/// A demand `a·x ≥ b`: a principal and 1 or −1, and b.
#[derive(Clone)]
pub struct Row {
    pub principal: usize,
    pub is_floor: bool,
    pub bound: Fraction,
}

pub enum Claim {
    Value { lower: Fraction, upper: Fraction, powers: Vec<Fraction>, roots: Vec<Fraction> },
    Missing(Fraction),
}

pub struct Question {
    pub start: usize,
    pub rule: Rule,
    pub own_worst: bool,
    pub over: Vec<Fraction>,
    pub rows: Vec<Row>,
    pub claim: Claim,
}

impl Question {
    pub fn read<R: BufRead>(model: &Principals, lines: &mut Lines<R>) -> Result<Question, Unreadable> {
        let n = model.n();
        let start = |rest: &str| count(rest).filter(|&state| state < model.n_states());
        let start = lines.entry("start", start, "the position of a state")?;
        let rule = lines.entry("rule", |rest| read_rule(rest, n), "a rule with its numbers")?;
        let over = |rest: &str| {
            let (word, numbers) = rest.split_once(' ')?;
            Some((flag(word, "own-worst")?, each(numbers, n)?))
        };
        let (own_worst, over) =
            lines.entry("over", over, "`given` or `own-worst` and a fraction for each principal")?;
        let mut rows: Vec<Row> = Vec::new();
        for (word, is_floor) in [("at-least", true), ("at-most", false)] {
            let mut least = 0;
            while lines.line().split(' ').next() == Some(word) {
                let read = |rest: &str| {
                    let (p, bound) = pair(rest)?;
                    Some((count(p).filter(|p| (least..n).contains(p))?, fraction(bound)?))
                };
                let (principal, bound) = lines.entry(word, read, "a later principal and a fraction")?;
                least = principal + 1;
                rows.push(Row { principal, is_floor, bound: if is_floor { bound } else { bound.negated() } });
            }
        }
        let claim = read_claim(&rule, lines)?;
        Ok(Question { start, rule, own_worst, over, rows, claim })
    }

    /// Checks that the lottery with these payoff bounds meets the demands and has the claimed value.
    pub fn lottery_is_worth_it(&self, payoffs: &[[Fraction; 2]]) -> Result<(), Stop> {
        for Row { principal, is_floor, bound } in &self.rows {
            let [least, most] = &payoffs[*principal];
            let (found, claim) = if *is_floor {
                (least.clone(), "less than is demanded")
            } else {
                (most.negated(), "more than is allowed")
            };
            if found.compare(bound).is_lt() {
                let (found, bound) = (found.shown(), bound.shown());
                return refuse(format!("lottery: principal {principal} may get {claim}; found {found}, asked {bound}"));
            }
        }
        let Claim::Value { lower, powers, .. } = &self.claim else { return Ok(()) };
        let gain = |p: usize, end: usize| payoffs[p][end].minus(&self.over[p]);
        let gains: Vec<Fraction> = (0..payoffs.len()).map(|p| gain(p, 0)).collect();
        if let Rule::Nash(counted) | Rule::Alpha(_, _, counted) = &self.rule
            && let Some(p) = counted.iter().find(|&&p| !gains[p].numerator.is_positive())
        {
            return refuse(format!("lottery: principal {p} may not gain; found {}, not above 0", gains[*p].shown()));
        }
        let least = |values: &mut dyn Iterator<Item = Fraction>| {
            values.reduce(|least, own| if own.compare(&least).is_lt() { own } else { least })
        };
        let found = match &self.rule {
            Rule::Welfare(weights) => {
                let end = |p: usize| usize::from(weights[p].numerator.is_negative());
                let ends: Vec<Fraction> = (0..payoffs.len()).map(|p| gain(p, end(p))).collect();
                dot(weights, &ends)
            }
            Rule::MaxMin | Rule::Leximin => least(&mut gains.into_iter()).unwrap_or_else(Fraction::zero),
            Rule::Gini(weights) => {
                let mut gains = gains;
                gains.sort_by(Fraction::compare);
                dot(weights, &gains)
            }
            Rule::Shares { ranges, .. } => {
                let shares = gains.iter().zip(ranges).filter(|(_, range)| !range.is_zero());
                least(&mut shares.map(|(gain, range)| gain.over(range))).unwrap_or_else(Fraction::zero)
            }
            Rule::Nash(counted) => counted.iter().fold(Fraction::one(), |product, &p| product.times(&gains[p])),
            Rule::Alpha(a, b, counted) => {
                for (&p, own) in counted.iter().zip(powers) {
                    let (left, right) = (power(own, i64::from(*b)), power(&gains[p], i64::from(*b) - i64::from(*a)));
                    let safe = if a < b { left.compare(&right).is_le() } else { left.compare(&right).is_ge() };
                    if !safe {
                        return refuse(format!("powers, principal {p}: not on the safe side; stated {}", own.shown()));
                    }
                }
                let factor = Fraction::new((*b).into(), b.abs_diff(*a).into());
                let sum = powers.iter().fold(Fraction::zero(), |sum, own| sum.plus(own)).times(&factor);
                if a < b { sum } else { sum.negated() }
            }
        };
        if found.compare(lower).is_lt() {
            let (found, lower) = (found.shown(), lower.shown());
            return refuse(format!("value: the lottery may be worth less; found {found}, stated {lower}"));
        }
        Ok(())
    }
}

/// A fraction for each principal.
fn each(numbers: &str, n: usize) -> Option<Vec<Fraction>> {
    fractions(numbers).filter(|numbers| numbers.len() == n)
}

/// Whether the word is this one, and not `given`.
fn flag(word: &str, other: &str) -> Option<bool> {
    (word == "given" || word == other).then_some(word == other)
}

fn read_rule(rest: &str, n: usize) -> Option<Rule> {
    let (name, numbers) = rest.split_once(' ').unwrap_or((rest, ""));
    let counted = |numbers: &str| -> Option<Vec<usize>> {
        let counted: Vec<usize> = numbers.split(' ').map(count).collect::<Option<_>>()?;
        let rising = counted.windows(2).all(|pair| pair[0] < pair[1]);
        (rising && counted.last().is_some_and(|&last| last < n)).then_some(counted)
    };
    match name {
        "welfare" => Some(Rule::Welfare(each(numbers, n)?)),
        "max-min" => (rest == name).then_some(Rule::MaxMin),
        "leximin" => (rest == name).then_some(Rule::Leximin),
        "gini" => {
            let weights = each(numbers, n)?;
            let falling = weights.windows(2).all(|pair| pair[0].compare(&pair[1]).is_ge());
            (falling && !weights[n - 1].numerator.is_negative()).then_some(Rule::Gini(weights))
        }
        "kalai-smorodinsky" => {
            let (word, numbers) = numbers.split_once(' ')?;
            let (own_best, ranges) = (flag(word, "own-best")?, each(numbers, n)?);
            let fit = ranges.iter().all(|range| !range.numerator.is_negative());
            fit.then_some(Rule::Shares { own_best, ranges })
        }
        "nash" => Some(Rule::Nash(counted(numbers)?)),
        "alpha" => {
            let (alpha, numbers) = numbers.split_once(' ')?;
            let (a, b) = alpha.split_once('/')?;
            let small = |word: &str| u32::try_from(count(word)?).ok().filter(|own| (1..=64).contains(own));
            let (a, b) = (small(a)?, small(b)?);
            (num_integer::gcd(a, b) == 1 && a != b).then_some(Rule::Alpha(a, b, counted(numbers)?))
        }
        _ => None,
    }
}

fn read_claim<R: BufRead>(rule: &Rule, lines: &mut Lines<R>) -> Result<Claim, Unreadable> {
    if lines.line().starts_with("missing") {
        let positive = |rest: &str| fraction(rest).filter(|missing| missing.numerator.is_positive());
        return Ok(Claim::Missing(lines.entry("missing", positive, "a positive fraction")?));
    }
    let both = |rest: &str| pair(rest).and_then(|(lower, upper)| Some((fraction(lower)?, fraction(upper)?)));
    let (lower, upper) = lines.entry("value", both, "two fractions")?;
    let (mut powers, mut roots) = (Vec::new(), Vec::new());
    if let Rule::Alpha(_, _, counted) = rule {
        let positive = |rest: &str| {
            let numbers = fractions(rest).filter(|numbers| numbers.len() == counted.len())?;
            numbers.iter().all(|number| number.numerator.is_positive()).then_some(numbers)
        };
        powers = lines.entry("powers", positive, "a positive fraction for each who counts")?;
        roots = lines.entry("roots", positive, "a positive fraction for each who counts")?;
    }
    if matches!(rule, Rule::Shares { ranges, .. } if ranges.iter().all(Fraction::is_zero)) {
        return unreadable(lines, "nobody has a range, above");
    }
    if matches!(rule, Rule::Leximin) && lower.compare(&upper).is_ne() {
        return unreadable(lines, "leximin has one value, above");
    }
    Ok(Claim::Value { lower, upper, powers, roots })
}
