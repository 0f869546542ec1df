//! Certificates of fair answers: `docs/formats/fair-certificate-v1.md`; comments in this folder cite its sections.
//!
//! Read front to back: the question, the lottery, the steps of the proof, then the ordinary certificates that they use.

mod levels;
mod lottery;
mod question;
mod steps;

use crate::certificate::{self, Welfare};
use crate::enclosure::Float;
use crate::fraction::Fraction;
use crate::principals::Principals;
use crate::text::{self, Lines, count};
use crate::work::Work;
use crate::{Meaning, Stop, Unreadable, refuse};
use num_bigint::BigInt;
use question::{Claim, Question, Rule};
use std::io::BufRead;
use steps::Steps;

/// The first line of a fair certificate.
pub const HEADER: &str = "commonweal-fair-certificate 1";
/// The longest numerator or denominator of a fraction, in bits.
const MAX_BITS: u64 = 1 << 20;

/// Reads and checks a fair certificate for the model with this hash, from its first line.
/// Returns also the start state and, unless no strategy meets the demands, bounds on what each principal gets from there.
pub fn check<R: BufRead>(
    model: &Principals,
    hash: &str,
    mut lines: Lines<R>,
    mut work: Work,
) -> Result<(Meaning, usize, Vec<[Fraction; 2]>), Stop> {
    lines.word(HEADER)?;
    certificate::is_for(hash, &mut lines)?;
    let question = Question::read(model, &mut lines)?;
    let payoffs = match question.claim {
        Claim::Missing(_) => Vec::new(),
        Claim::Value { .. } => {
            let payoffs = lottery::check(model, &question, &mut lines, &mut work)?;
            question.lottery_is_worth_it(&payoffs)?;
            payoffs
        }
    };
    let steps = Steps::read(&question, model.n(), &mut lines)?;
    let weights = steps.weights()?;
    let halves = if lines.line() == "levels" {
        levels::check(model, &question, &weights, &mut lines, &mut work)?
    } else {
        lines.word("certificate")?;
        let [weights] = &weights[..] else {
            return Err(lines.fault("several steps are proven by levels").into());
        };
        vec![ordinary(model, question.start, weights, &mut lines, &work, "proof")?.upper]
    };
    steps.prove(&halves, &payoffs)?;
    extremes(model, &question, &mut lines, &work)?;
    lines.end()?;
    let meaning = match &question.claim {
        Claim::Missing(_) => Meaning::Infeasible,
        Claim::Value { lower, upper, .. } if lower.compare(upper).is_eq() => Meaning::Fairest,
        Claim::Value { .. } => Meaning::FairBounds,
    };
    Ok((meaning, question.start, payoffs))
}

/// The welfare that an ordinary certificate states for the start state.
struct Stated {
    is_exact: bool,
    upper: Fraction,
}

/// Checks the ordinary certificate that follows, for these weights.
fn ordinary<R: BufRead>(
    model: &Principals,
    start: usize,
    weights: &[Fraction],
    lines: &mut Lines<R>,
    work: &Work,
    place: &str,
) -> Result<Stated, Stop> {
    if lines.line() != certificate::HEADER {
        return Err(lines.fault("expected an ordinary certificate").into());
    }
    let mut embedded = Vec::new();
    loop {
        let is_last = lines.line() == "end";
        embedded.extend_from_slice(lines.line().as_bytes());
        embedded.push(b'\n');
        lines.advance()?;
        if is_last {
            break;
        }
    }
    let (weighted, hash) = model.weighted(weights)?;
    let within = |stop: Stop| match stop {
        Stop::Refused(why) => Stop::Refused(format!("{place}: {why}")),
        unreadable @ Stop::Unreadable(_) => unreadable,
    };
    let embedded = Lines::new(embedded.as_slice())?;
    let (_, welfare) = certificate::check(&weighted, &hash, embedded, work.clone(), start).map_err(within)?;
    Ok(match welfare.expect("the start is a state of the model") {
        Welfare::Exact(welfare) => Stated { is_exact: true, upper: welfare },
        Welfare::Between(_, upper) => Stated { is_exact: false, upper: of_double(upper) },
    })
}

/// The own worst and the own best, if the question names them (§5, extremes).
fn extremes<R: BufRead>(
    model: &Principals,
    question: &Question,
    lines: &mut Lines<R>,
    work: &Work,
) -> Result<(), Stop> {
    let n = model.n();
    let worst = if question.own_worst { 0..n } else { 0..0 };
    let best: Vec<usize> = match (&question.rule, &question.claim) {
        (Rule::Shares { own_best: true, .. }, _) => (0..n).collect(),
        (Rule::Nash(counted) | Rule::Alpha(_, _, counted), Claim::Value { .. }) => {
            (0..n).filter(|p| !counted.contains(p)).collect()
        }
        _ => Vec::new(),
    };
    let all = worst.map(|p| ("worst", p)).chain(best.into_iter().map(|p| ("best", p)));
    for (word, p) in all {
        let place = format!("{word} {p}");
        lines.entry(word, |rest| count(rest).filter(|&own| own == p), "the next principal")?;
        let mut weights = vec![Fraction::zero(); n];
        weights[p] = if word == "worst" { Fraction::one().negated() } else { Fraction::one() };
        let stated = ordinary(model, question.start, &weights, lines, work, &place)?;
        let expected = match (word, &question.rule) {
            ("worst", _) => question.over[p].negated(),
            (_, Rule::Shares { ranges, .. }) => question.over[p].plus(&ranges[p]),
            _ => question.over[p].clone(),
        };
        if !stated.is_exact || stated.upper.compare(&expected).is_ne() {
            let (found, stated) = (stated.upper.shown(), expected.shown());
            return refuse(format!("{place}: not what the certificate says; found {found}, stated {stated}"));
        }
    }
    Ok(())
}

/// A fraction of this page.
fn fraction(word: &str) -> Option<Fraction> {
    text::fraction(word).filter(|own| own.numerator.bits() <= MAX_BITS && own.denominator.bits() <= MAX_BITS)
}

/// All fractions of a line.
fn fractions(rest: &str) -> Option<Vec<Fraction>> {
    rest.split(' ').map(fraction).collect()
}

fn of_double(value: f64) -> Fraction {
    Float::from(value).to_fraction().in_lowest_terms()
}

/// Σ a_k b_k.
fn dot<'a>(left: impl IntoIterator<Item = &'a Fraction>, right: impl IntoIterator<Item = &'a Fraction>) -> Fraction {
    let terms = left.into_iter().zip(right).map(|(left, right)| left.times(right));
    terms.fold(Fraction::zero(), |sum, term| sum.plus(&term).in_lowest_terms())
}

/// x^k for any whole k; x is positive.
fn power(x: &Fraction, k: i64) -> Fraction {
    let to = |number: &BigInt| num_traits::pow(number.clone(), k.unsigned_abs() as usize);
    let (above, below) = (to(&x.numerator), to(&x.denominator));
    if k >= 0 { Fraction::new(above, below) } else { Fraction::new(below, above) }
}

fn unreadable<T>(lines: &Lines<impl BufRead>, why: &str) -> Result<T, Unreadable> {
    Err(lines.fault(why))
}
