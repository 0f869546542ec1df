//! Linear programs over the payoff set, by column generation.
//!
//! ```text
//! maximise  c·x + e·z   subject to   a_r·x + b_r·z ≤, =, ≥ β_r   and   x in the payoff set
//! ```
//!
//! The master is a linear program in fractions over mixes of the points found so far. Its duals y give the weights of the next
//! solve, `w = c − Σ y_r a_r`, and `Σ y_r β_r + h(w)` is an upper bound of the whole program (weak duality). It ends when that
//! equals the master's value: then w is the proof.
//!
//! Points with bounds count with their worse end in every row, so that the master's value is attained.

use super::Weights;
use super::limit::{Direction, Guesses};
use super::payoff_set::{Best, PayoffSet, Point};
use super::simplex::{LinearProgram, Optimum, Outcome, Row, Sense};
use crate::number::{Rational, Value, sum};
use crate::stop::{StopReason, StopSignal};

/// A further variable of a program.
#[derive(Debug, Clone)]
pub struct Extra {
    /// Its coefficient in the objective.
    pub objective: Rational,
    /// Whether it may be negative.
    pub free: bool,
}

/// A row over payoffs and extra numbers.
#[derive(Debug, Clone)]
pub struct Condition {
    /// One coefficient per principal.
    pub payoffs: Weights,
    /// Coefficients of extra numbers, by their index.
    pub extras: Vec<(usize, Rational)>,
    /// How the sides compare.
    pub sense: Sense,
    /// The right side.
    pub bound: Rational,
}

/// A linear program over the payoff set.
#[derive(Debug, Clone)]
pub struct Program {
    /// The coefficient of each payoff in the objective.
    pub objective: Weights,
    /// The extra numbers.
    pub extras: Vec<Extra>,
    /// The rows.
    pub conditions: Vec<Condition>,
}

/// When column generation may end.
#[derive(Debug, Clone)]
pub enum Until {
    /// When the bounds are within the gap, which is relative to this scale; 0 if the engine is exact.
    Near(Scale),
    /// Also as soon as the value, a payoff, is known to be positive.
    Positive,
}

/// What the gap of a program is relative to.
#[derive(Debug, Clone)]
pub enum Scale {
    /// The greatest payoff, each times its weight.
    Payoffs(Weights),
    /// 1: what is maximised is a share.
    One,
}

impl Scale {
    /// The greatest payoff of `n` principals, times a factor.
    pub fn greatest_payoff(n: usize, factor: Rational) -> Scale {
        Scale::Payoffs(vec![factor; n])
    }
}

/// A mix of points with its proven bounds.
#[derive(Debug, Clone)]
pub struct Solved {
    /// What the mix attains.
    pub value: Rational,
    /// An upper bound; the value itself if it is proven to be the greatest.
    pub upper: Rational,
    /// The points of the face, by index, with their positive probabilities.
    pub shares: Vec<(usize, Rational)>,
    /// The extra numbers.
    pub extras: Vec<Rational>,
    /// The weights that prove the upper bound.
    pub weights: Weights,
    /// One multiplier per condition: with the weights, what proves the upper bound.
    pub duals: Vec<Rational>,
    /// Why the bounds are further apart than asked, if they are.
    pub stopped: Option<StopReason>,
}

/// An upper bound, with the weights and multipliers that prove it.
#[derive(Clone)]
pub(super) struct UpperBound {
    pub most: Rational,
    pub weights: Weights,
    pub duals: Vec<Rational>,
}

impl Solved {
    /// Whether the value is the greatest.
    pub fn is_optimal(&self) -> bool {
        self.value == self.upper
    }
}

/// A face: the points of the payoff set that are lexicographically best by some weights. Without weights, the whole set.
#[derive(Clone)]
pub struct Face<'s, 'm> {
    /// The payoff set.
    pub set: &'s PayoffSet<'m>,
    /// The weights, in turn.
    pub levels: Vec<Weights>,
    /// Points found on it.
    pub points: Vec<Point>,
    /// The gap of the bounds, if they are not exact.
    pub gap: Rational,
}

/// The exponent of two below which bounds in doubles are equal.
const NEXT_TO_ZERO: isize = -960;
/// The most rounds; doubles converge, and fractions end, long before.
const MOST_ROUNDS: usize = 2_000;
impl<'s, 'm> Face<'s, 'm> {
    /// The whole set, with nothing found yet.
    pub fn whole(set: &'s PayoffSet<'m>, gap: Rational) -> Face<'s, 'm> {
        Face { set, levels: Vec::new(), points: Vec::new(), gap }
    }

    /// The best of the face for some weights.
    pub fn best(&self, weights: &Weights) -> Result<Best, StopReason> {
        if self.levels.is_empty() {
            return self.set.best(weights);
        }
        let uncounted = |weight: &Rational| if weight.is_zero() { Rational::ONE } else { Rational::ZERO };
        let others: Weights = weights.iter().map(uncounted).collect();
        let levels: Vec<&Weights> = self.levels.iter().chain([weights, &others]).collect();
        let best = self.set.best_of_best(&levels)?;
        let most = best.point.most(weights);
        Ok(Best { most, ..best })
    }

    /// The part of the face that is best by `weights`, of which `best` is a point.
    pub fn restrict(&mut self, weights: Weights, most: &Rational) {
        self.points.retain(|point| point.least(&weights) == *most);
        self.levels.push(weights);
    }

    /// Adds a point unless it is there; returns whether it was new.
    pub fn add(&mut self, point: Point) -> bool {
        // In doubles the same strategy has slightly other payoffs each time.
        let known = |other: &Point| other.payoffs == point.payoffs || other.strategy == point.strategy;
        let is_new = !self.points.iter().any(known);
        if is_new {
            self.points.push(point);
        }
        is_new
    }

    /// Weights longer than this, in bits, converge to a face that no solve reaches: the answer then has bounds.
    fn longest_weight(&self) -> usize {
        const LONG: usize = 1 << 12;
        let bits = |point: &Point| point.payoffs.iter().filter_map(|own| own.exact.as_ref()).map(Rational::bits).sum();
        let first = self.points.iter().take(self.set.n() + 1).map(bits).max().unwrap_or(0);
        LONG + 8 * first
    }

    /// Why bounds come no nearer.
    pub(super) fn no_further(&self) -> StopReason {
        if self.gap.is_zero() { StopReason::Digits } else { StopReason::Precision }
    }

    /// How far the bounds of a program may be apart: the gap, times the scale of what is maximised.
    pub fn allowed_gap(&self, scale: &Scale) -> Rational {
        let Scale::Payoffs(weights) = scale else { return self.gap.clone() };
        let magnitude = |x: f64| Rational::try_from(x.abs()).unwrap_or(Rational::ZERO);
        let weighted = |(weight, payoff): (&Rational, &Value)| (weight * magnitude(payoff.enclosure.midpoint())).abs();
        let of_point =
            |point: &Point| weights.iter().zip(&point.payoffs).map(weighted).fold(Rational::ZERO, Rational::max);
        let allowed = &self.gap * self.points.iter().map(of_point).fold(Rational::ZERO, Rational::max);
        // Next to 0 doubles are no nearer to each other than this, and nothing is relative to a payoff of 0.
        if self.gap.is_zero() { allowed } else { allowed.max(Rational::from(2).pow(NEXT_TO_ZERO)) }
    }

    /// The greatest value of a program, of which some mix of the points found is feasible.
    pub fn solve(&mut self, program: &Program, until: &Until) -> Result<Solved, StopReason> {
        let mut upper: Option<UpperBound> = None;
        let mut guesses = Guesses::default();
        let mut last: Option<Solved> = None;
        for round in 0.. {
            let stop = &self.set.options().stop;
            let optimum = match (program.master(&self.points, &[], stop), last) {
                (Ok(optimum), _) => optimum.ok_or(StopReason::Precision)?,
                (Err(reason), Some(last)) => return Ok(Solved { stopped: Some(reason), ..last }),
                (Err(reason), None) => return Err(reason),
            };
            let duals = &optimum.dual[1..];
            let weights = program.weights(duals);
            let solved = |upper: &Option<UpperBound>, stopped: Option<StopReason>| {
                let here =
                    || UpperBound { most: optimum.value.clone(), weights: weights.clone(), duals: duals.to_vec() };
                let UpperBound { most, weights, duals } = upper.clone().unwrap_or_else(here);
                let shares = optimum.primal[..self.points.len()].iter().cloned().enumerate();
                Solved {
                    upper: most.max(optimum.value.clone()),
                    weights,
                    duals,
                    shares: shares.filter(|(_, share)| !share.is_zero()).collect(),
                    extras: program.extras_of(&optimum, self.points.len()),
                    value: optimum.value.clone(),
                    stopped,
                }
            };
            if matches!(until, Until::Positive) && optimum.value > Rational::ZERO {
                return Ok(solved(&upper, None));
            }
            let is_near = |upper: &Option<UpperBound>| {
                let allowed = match until {
                    Until::Near(scale) => self.allowed_gap(scale),
                    Until::Positive => self.set.error_of_payoffs(&self.points),
                };
                upper.as_ref().is_some_and(|bound| &bound.most - &optimum.value <= allowed)
            };
            if is_near(&upper) {
                return Ok(solved(&upper, None));
            }
            let best = match self.best(&weights) {
                Ok(best) => best,
                Err(reason) if upper.is_some() => return Ok(solved(&upper, Some(reason))),
                Err(reason) => return Err(reason),
            };
            let bound = program.right_side(duals) + &best.most;
            if upper.as_ref().is_none_or(|least| bound <= least.most) {
                upper = Some(UpperBound { most: bound, weights: weights.clone(), duals: duals.to_vec() });
            }
            // An exact face ends with gap 0, where the bound is the master's own value.
            if is_near(&upper) {
                return Ok(solved(&upper, None));
            }
            let too_long = self.gap.is_zero() && weights.iter().any(|weight| weight.bits() > self.longest_weight());
            let reason = match (round >= MOST_ROUNDS, too_long) {
                (true, _) => Some(StopReason::SolveLimit),
                (false, true) => Some(StopReason::Digits),
                (false, false) => None,
            };
            let was = solved(&upper, reason.or(Some(self.no_further())));
            let best_point = best.point.clone();
            if reason.is_some() || !self.add(best.point) {
                // The same point again: the remaining gap is below the precision of the points.
                return Ok(was);
            }
            self.set.tell_gap(&was.upper - &was.value);
            if let Err(reason) = guesses.guess(self, program, &weights, &best_point, &mut upper) {
                return Ok(Solved { stopped: Some(reason), ..was });
            }
            last = Some(was);
        }
        unreachable!("the rounds are limited")
    }
}

impl Program {
    /// The optimum over mixes of these points, which may be moved along some directions; `None` if no mix satisfies the
    /// conditions, or there is no greatest value.
    pub(super) fn master(
        &self,
        points: &[Point],
        directions: &[Direction],
        stop: &StopSignal,
    ) -> Result<Option<Optimum>, StopReason> {
        Ok(match self.over_mixes(points, directions).solve(stop)? {
            Outcome::Optimal(optimum) => Some(optimum),
            Outcome::Infeasible | Outcome::Unbounded => None,
        })
    }

    /// The master as a linear program: its first variables are the shares of the points, its first row says that they sum to 1.
    pub(super) fn over_mixes(&self, points: &[Point], directions: &[Direction]) -> LinearProgram {
        let extra = |extra: &Extra| if extra.free { 2 } else { 1 };
        let columns: usize = self.extras.iter().map(extra).sum();
        let width = points.len() + columns + 2 * directions.len();
        let along = |payoffs: &Weights| -> Vec<Rational> {
            let change = |direction: &Direction| sum(payoffs.iter().zip(direction).map(|(own, entry)| own * entry));
            directions.iter().map(change).flat_map(|change| [-&change, change]).collect()
        };
        let mut objective: Vec<Rational> = points.iter().map(|point| point.least(&self.objective)).collect();
        for extra in &self.extras {
            objective.push(extra.objective.clone());
            objective.extend(extra.free.then(|| -&extra.objective));
        }
        objective.extend(along(&self.objective));
        let mut certain = vec![Rational::ONE; points.len()];
        certain.resize(width, Rational::ZERO);
        let mut rows = vec![Row { left: certain, sense: Sense::Equal, right: Rational::ONE }];
        for condition in &self.conditions {
            let end = |point: &Point| match condition.sense {
                Sense::AtMost => point.most(&condition.payoffs),
                Sense::Equal | Sense::AtLeast => point.least(&condition.payoffs),
            };
            let mut left: Vec<Rational> = points.iter().map(end).collect();
            left.extend(self.extra_columns(&condition.extras, columns));
            left.extend(along(&condition.payoffs));
            rows.push(Row { left, sense: condition.sense, right: condition.bound.clone() });
        }
        LinearProgram { objective, rows }
    }

    /// The coefficients of extra numbers, as columns: a free one is the difference of two.
    fn extra_columns(&self, coefficients: &[(usize, Rational)], columns: usize) -> Vec<Rational> {
        let mut left = vec![Rational::ZERO; columns];
        for (index, coefficient) in coefficients {
            let place = self.extras[..*index].iter().map(|extra| if extra.free { 2 } else { 1 }).sum::<usize>();
            left[place] = coefficient.clone();
            if self.extras[*index].free {
                left[place + 1] = -coefficient;
            }
        }
        left
    }

    /// c − Σ y_r a_r.
    pub fn weights(&self, duals: &[Rational]) -> Weights {
        let mut weights = self.objective.clone();
        for (condition, dual) in self.conditions.iter().zip(duals).filter(|(_, dual)| !dual.is_zero()) {
            weights.iter_mut().zip(&condition.payoffs).for_each(|(weight, own)| *weight -= own * dual);
        }
        weights
    }

    /// Σ y_r β_r.
    pub fn right_side(&self, duals: &[Rational]) -> Rational {
        let terms = self.conditions.iter().zip(duals);
        terms.fold(Rational::ZERO, |sum, (condition, dual)| sum + &condition.bound * dual)
    }

    fn extras_of(&self, optimum: &Optimum, n_points: usize) -> Vec<Rational> {
        let mut place = n_points;
        let mut value = |extra: &Extra| {
            let own = optimum.primal[place].clone();
            place += 1;
            if !extra.free {
                return own;
            }
            place += 1;
            own - &optimum.primal[place - 1]
        };
        self.extras.iter().map(&mut value).collect()
    }
}

/// A mix with the same payoffs and at most one point more than there are principals, if payoffs are exact.
pub fn reduced(points: &[Point], shares: Vec<(usize, Rational)>) -> Vec<(usize, Rational)> {
    let n = points[shares[0].0].payoffs.len();
    if shares.len() <= n + 1 {
        return shares;
    }
    let unit = |p: usize| -> Weights { (0..n).map(|q| if q == p { Rational::ONE } else { Rational::ZERO }).collect() };
    let row = |p: usize| {
        let weights = unit(p);
        let left: Vec<Rational> = shares.iter().map(|(index, _)| points[*index].least(&weights)).collect();
        let right = left.iter().zip(&shares).fold(Rational::ZERO, |sum, (own, (_, share))| sum + own * share);
        Row { left, sense: Sense::Equal, right }
    };
    let mut rows: Vec<Row> = (0..n).map(row).collect();
    rows.push(Row { left: vec![Rational::ONE; shares.len()], sense: Sense::Equal, right: Rational::ONE });
    // It has a row per principal, and so ends soon.
    match (LinearProgram { objective: vec![Rational::ZERO; shares.len()], rows }).solve(&StopSignal::default()) {
        Ok(Outcome::Optimal(found)) => {
            let kept = shares.iter().zip(found.primal).map(|((index, _), share)| (*index, share));
            kept.filter(|(_, share)| !share.is_zero()).collect()
        }
        Ok(Outcome::Infeasible | Outcome::Unbounded) | Err(_) => shares,
    }
}
