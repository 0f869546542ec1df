//! The steps of a proof (§5): weak duality, one face after the other.

use super::question::{Claim, Question, Row, Rule};
use super::{dot, fractions, power};
use crate::fraction::Fraction;
use crate::text::{Lines, count};
use crate::{Stop, Unreadable, refuse};
use num_traits::Signed;
use std::io::BufRead;

/// The kind of a step.
enum Word {
    Tight,
    Least(Fraction),
    Bound,
}

/// A step: multipliers of the rows at that point, and the weight of each gain.
struct Step {
    word: Word,
    rows: Vec<Fraction>,
    gains: Vec<Fraction>,
}

pub struct Steps<'q> {
    question: &'q Question,
    n: usize,
    steps: Vec<Step>,
}

/// The state of a row during the steps.
struct Followed {
    row: Row,
    is_open: bool,
}

impl<'q> Steps<'q> {
    pub fn read<R: BufRead>(question: &'q Question, n: usize, lines: &mut Lines<R>) -> Result<Steps<'q>, Unreadable> {
        let n_steps = lines.entry("steps", |rest| count(rest).filter(|&n| n > 0), "their number, at least 1")?;
        let is_missing = matches!(question.claim, Claim::Missing(_));
        let is_leximin = matches!(question.rule, Rule::Leximin) && !is_missing;
        let (mut steps, mut n_rows, mut n_open) = (Vec::new(), question.rows.len(), n);
        for k in 0..n_steps {
            let is_last = k + 1 == n_steps;
            let read = |line: &str| {
                let (word, rest) = line.split_once(' ').map_or((line, None), |(word, rest)| (word, Some(rest)));
                let mut numbers = rest.map_or_else(|| Some(Vec::new()), fractions)?;
                let word = match word {
                    "tight" if !is_last => Word::Tight,
                    "least" if is_leximin && !numbers.is_empty() => Word::Least(numbers.remove(0)),
                    "bound" if is_last && !is_leximin => Word::Bound,
                    _ => return None,
                };
                let n_gains = if matches!(word, Word::Tight) || is_missing { 0 } else { n };
                (numbers.len() == n_rows + n_gains).then(|| {
                    let gains = numbers.split_off(n_rows);
                    Step { word, rows: numbers, gains }
                })
            };
            let step = lines.take(read, "a step with its multipliers")?;
            if matches!(step.word, Word::Least(_)) {
                // One row for each principal that is not fixed; principals with a weight in the gains are fixed from here on.
                n_rows += n_open;
                n_open -= step.gains.iter().filter(|gain| !gain.is_zero()).count().min(n_open);
            }
            steps.push(step);
        }
        Ok(Steps { question, n, steps })
    }

    /// The weights of each step. Refuses multipliers that no proof can use.
    pub fn weights(&self) -> Result<Vec<Vec<Fraction>>, Stop> {
        let mut all = Vec::new();
        self.follow(|k, step, rows, fixed| {
            if step.rows.iter().zip(rows).any(|(y, row)| row.is_open && y.numerator.is_negative()) {
                return refuse(format!("step {k}: a multiplier of an open row is negative"));
            }
            if !self.gains_fit(step, rows, fixed) {
                return refuse(format!("step {k}: the gains do not count as the rule asks"));
            }
            let mut weights = if step.gains.is_empty() { vec![Fraction::zero(); self.n] } else { step.gains.clone() };
            for (y, Followed { row, .. }) in step.rows.iter().zip(rows) {
                let own = &mut weights[row.principal];
                *own = if row.is_floor { own.plus(y) } else { own.minus(y) }.in_lowest_terms();
            }
            all.push(weights);
            Ok(())
        })?;
        Ok(all)
    }

    /// Goes through the steps with the rows as they are before each, and who is fixed.
    fn follow(
        &self,
        mut visit: impl FnMut(usize, &Step, &[Followed], &[bool]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut rows: Vec<Followed> =
            self.question.rows.iter().map(|row| Followed { row: row.clone(), is_open: true }).collect();
        let mut fixed = vec![false; self.n];
        for (k, step) in self.steps.iter().enumerate() {
            visit(k, step, &rows, &fixed)?;
            for (row, y) in rows.iter_mut().zip(&step.rows) {
                row.is_open &= y.is_zero();
            }
            if let Word::Least(least) = &step.word {
                for p in (0..self.n).filter(|&p| !fixed[p]).collect::<Vec<_>>() {
                    let bound = self.question.over[p].plus(least);
                    fixed[p] = !step.gains[p].is_zero();
                    rows.push(Followed { row: Row { principal: p, is_floor: true, bound }, is_open: !fixed[p] });
                }
            }
        }
        if let (Some(Word::Least(_)), Some(p)) =
            (self.steps.last().map(|step| &step.word), fixed.iter().position(|own| !own))
        {
            return refuse(format!("steps: what principal {p} can get is not settled"));
        }
        Ok(())
    }

    /// Whether v is what the table of §5 asks for.
    fn gains_fit(&self, step: &Step, rows: &[Followed], fixed: &[bool]) -> bool {
        let v = &step.gains;
        let sum = |numbers: &mut dyn Iterator<Item = &Fraction>| {
            numbers.fold(Fraction::zero(), |sum, number| sum.plus(number).in_lowest_terms())
        };
        let is_one = |number: Fraction| number.compare(&Fraction::one()).is_eq();
        let none_negative = !v.iter().any(|gain| gain.numerator.is_negative());
        let only_counted = |counted: &[usize]| {
            let fits = |(p, gain): (usize, &Fraction)| {
                if counted.contains(&p) { gain.numerator.is_positive() } else { gain.is_zero() }
            };
            v.iter().enumerate().all(fits)
        };
        match (&step.word, &self.question.claim, &self.question.rule) {
            (Word::Tight, ..) => true,
            (Word::Least(_), ..) => {
                let out = v.iter().zip(fixed).any(|(gain, fixed)| *fixed && !gain.is_zero());
                none_negative && !out && is_one(sum(&mut v.iter()))
            }
            (Word::Bound, Claim::Missing(_), _) => {
                is_one(sum(&mut step.rows.iter().zip(rows).filter(|(_, row)| row.is_open).map(|(y, _)| y)))
            }
            (Word::Bound, _, Rule::Welfare(weights)) => {
                v.iter().zip(weights).all(|(gain, weight)| gain.compare(weight).is_eq())
            }
            (Word::Bound, _, Rule::MaxMin | Rule::Leximin) => none_negative && is_one(sum(&mut v.iter())),
            (Word::Bound, _, Rule::Shares { ranges, .. }) => {
                let idle = v.iter().zip(ranges).any(|(gain, range)| range.is_zero() && !gain.is_zero());
                none_negative && !idle && is_one(dot(v, ranges))
            }
            (Word::Bound, _, Rule::Gini(weights)) => {
                let mut v: Vec<&Fraction> = v.iter().collect();
                v.sort_by(|left, right| right.compare(left));
                let prefix = |k: usize| sum(&mut v[..k].iter().copied()).compare(&sum(&mut weights[..k].iter()));
                (1..v.len()).all(|k| prefix(k).is_le()) && prefix(v.len()).is_eq()
            }
            (Word::Bound, _, Rule::Nash(counted) | Rule::Alpha(_, _, counted)) => only_counted(counted),
        }
    }

    /// Checks the conclusion of each step, given the upper bound on its face, and the lottery's payoffs.
    pub fn prove(&self, halves: &[Fraction], payoffs: &[[Fraction; 2]]) -> Result<(), Stop> {
        let mut first = None;
        self.follow(|k, step, rows, fixed| {
            let demanded = dot(&step.rows, rows.iter().map(|own| &own.row.bound));
            let left = halves[k].minus(&demanded).in_lowest_terms();
            match &step.word {
                Word::Tight if left.numerator.is_positive() => {
                    refuse(format!("step {k}: the demands may leave room; {} more than they ask", left.shown()))
                }
                Word::Tight => Ok(()),
                Word::Least(least) => {
                    let most = left.minus(&dot(&step.gains, &self.question.over));
                    if most.compare(least).is_gt() {
                        let (most, least) = (most.shown(), least.shown());
                        return refuse(format!("step {k}: the least may be greater; at most {most}, stated {least}"));
                    }
                    let gain = |p: usize| payoffs[p][0].minus(&self.question.over[p]);
                    let short = |p: &usize| !fixed[*p] && gain(*p).compare(least).is_lt();
                    if let Some(p) = (0..self.n).find(short) {
                        let (found, least) = (gain(p).shown(), least.shown());
                        return refuse(format!(
                            "step {k}: the lottery gives principal {p} less; found {found}, stated {least}"
                        ));
                    }
                    if first.is_none() {
                        first = Some(least.clone());
                    }
                    Ok(())
                }
                Word::Bound => self.bound(left.minus(&dot(&step.gains, &self.question.over)), step),
            }
        })?;
        match (first, &self.question.claim) {
            (Some(least), Claim::Value { upper, .. }) if least.compare(upper).is_ne() => {
                let (found, upper) = (least.shown(), upper.shown());
                refuse(format!("value: not the least of the first step; found {found}, stated {upper}"))
            }
            _ => Ok(()),
        }
    }

    /// Checks the bound by the rule that follows from v·u ≤ `most`.
    fn bound(&self, most: Fraction, step: &Step) -> Result<(), Stop> {
        let (upper, roots) = match &self.question.claim {
            Claim::Missing(missing) => {
                if most.plus(missing).numerator.is_positive() {
                    let (most, missing) = (most.negated().shown(), missing.shown());
                    return refuse(format!("bound: less may be missing; found {most}, stated {missing}"));
                }
                return Ok(());
            }
            Claim::Value { upper, roots, .. } => (upper, roots),
        };
        let found = match &self.question.rule {
            Rule::Nash(counted) => {
                if most.numerator.is_negative() {
                    return refuse(format!("bound: not all can gain; sum {}, not ≥ 0", most.shown()));
                }
                let n = counted.len();
                let product = counted.iter().fold(Fraction::one(), |product, &p| product.times(&step.gains[p]));
                power(&most.over(&Fraction::new(n.into(), 1.into())), n as i64).over(&product)
            }
            Rule::Alpha(a, b, counted) => {
                for (&p, root) in counted.iter().zip(roots) {
                    let exponent = i64::from(*a) - i64::from(*b);
                    let (left, right) = (power(root, i64::from(*a)), power(&step.gains[p], exponent));
                    let safe = if a < b { left.compare(&right).is_ge() } else { left.compare(&right).is_le() };
                    if !safe {
                        return refuse(format!("roots, principal {p}: not on the safe side; stated {}", root.shown()));
                    }
                }
                let factor = Fraction::new((*a).into(), b.abs_diff(*a).into());
                let sum = roots.iter().fold(Fraction::zero(), |sum, own| sum.plus(own)).times(&factor);
                if a < b { most.plus(&sum) } else { most.minus(&sum) }
            }
            _ => most,
        };
        if found.compare(upper).is_gt() {
            let (found, upper) = (found.shown(), upper.shown());
            return refuse(format!("bound: something may be worth more; at most {found}, stated {upper}"));
        }
        Ok(())
    }
}
