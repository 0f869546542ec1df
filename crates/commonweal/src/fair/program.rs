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

use super::payoff_set::{Best, PayoffSet, Point, Weights};
use super::simplex::{LinearProgram, Optimum, Outcome, Row, Sense};
use crate::number::{Rational, sum};
use crate::stop::StopReason;

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

/// When column generation may end before the optimum is proven.
#[derive(Debug, Clone)]
pub enum Until {
    /// Never.
    Proven,
    /// As soon as the value is known to be positive.
    Positive,
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
        const LONG: usize = 1 << 13;
        let bits = |point: &Point| point.payoffs.iter().filter_map(|own| own.exact.as_ref()).map(Rational::bits).sum();
        let first = self.points.iter().take(self.set.n() + 1).map(bits).max().unwrap_or(0);
        LONG + 8 * first
    }

    /// How far the bounds of a program may be apart: the gap, relative to the greatest payoff.
    pub fn allowed_gap(&self) -> Rational {
        let magnitude = |x: f64| Rational::try_from(x.abs()).unwrap_or(Rational::ZERO);
        let payoffs = self.points.iter().flat_map(|point| &point.payoffs);
        let scale = payoffs.map(|payoff| magnitude(payoff.enclosure.midpoint())).fold(Rational::ZERO, Rational::max);
        &self.gap * scale
    }

    /// The greatest value of a program, of which some mix of the points found is feasible.
    pub fn solve(&mut self, program: &Program, until: &Until) -> Result<Solved, StopReason> {
        let mut upper: Option<UpperBound> = None;
        let mut before: Weights = Vec::new();
        for round in 0.. {
            let optimum = program.master(&self.points).ok_or(StopReason::Precision)?;
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
            let best = match self.best(&weights) {
                Ok(best) => best,
                Err(reason) if upper.is_some() => return Ok(solved(&upper, Some(reason))),
                Err(reason) => return Err(reason),
            };
            let bound = program.right_side(duals) + &best.most;
            if upper.as_ref().is_none_or(|least| bound <= least.most) {
                upper = Some(UpperBound { most: bound, weights: weights.clone(), duals: duals.to_vec() });
            }
            let near = &upper.as_ref().expect("set just now").most - &optimum.value <= self.allowed_gap();
            // An exact face ends with gap 0, where the bound is the master's own value.
            if near {
                return Ok(solved(&upper, None));
            }
            let too_long = self.gap.is_zero() && weights.iter().any(|weight| weight.bits() > self.longest_weight());
            let reason = match (round >= MOST_ROUNDS, too_long) {
                (true, _) => Some(StopReason::NodeLimit),
                (false, true) => Some(StopReason::Precision),
                (false, false) => None,
            };
            let was = solved(&upper, reason.or(Some(StopReason::Precision)));
            if reason.is_some() || !self.add(best.point) {
                // The same point again: the remaining gap is below the precision of the points.
                return Ok(was);
            }
            self.try_without_small(&weights)?;
            self.try_limit(&before, &weights)?;
            before = weights;
        }
        unreachable!("the rounds are limited")
    }

    /// Solves with the presumed limit of the weights, and on that face with the present ones: if principals share a discount, their
    /// rewards may cancel for some weights, and vertices accumulate there.
    fn try_limit(&mut self, before: &Weights, weights: &Weights) -> Result<(), StopReason> {
        let tells_nothing = |weights: &Weights| weights.iter().all(Rational::is_zero);
        if tells_nothing(before) || tells_nothing(weights) || self.set.gap().is_some() {
            return Ok(());
        }
        let normal = |weights: &Weights| -> Weights {
            let total = sum(weights.iter().map(|weight| weight.clone().abs()));
            weights.iter().map(|weight| weight / &total).collect()
        };
        let [before, weights] = [before, weights].map(normal);
        let moves = before.iter().zip(&weights).map(|(before, now)| (now - before).abs());
        let reach = moves.fold(Rational::ZERO, Rational::max) * Rational::from(4);
        if reach.is_zero() || reach > Rational::from_quotient(1, 8) {
            return Ok(());
        }
        let near = |weight: &Rational| {
            if weight.is_zero() {
                return Rational::ZERO;
            }
            Rational::simplest_between(weight - &reach, weight + &reach)
        };
        let limit: Weights = weights.iter().map(near).collect();
        if limit == weights || tells_nothing(&limit) {
            return Ok(());
        }
        let levels: Vec<&Weights> = self.levels.iter().chain([&limit, &weights]).collect();
        let best = self.set.best_of_best(&levels)?;
        self.add(best.point);
        Ok(())
    }

    /// Solves with relatively small weights replaced by 0: if a weight tends to 0 the set may have infinitely many vertices, and
    /// their limit is found only by the weight 0.
    fn try_without_small(&mut self, weights: &Weights) -> Result<(), StopReason> {
        let greatest = weights.iter().map(|weight| weight.clone().abs()).fold(Rational::ZERO, Rational::max);
        let is_small = |weight: &Rational| weight.clone().abs() * Rational::from(1024) < greatest;
        if weights.iter().any(|weight| !weight.is_zero() && is_small(weight)) {
            let without = weights.iter().map(|weight| if is_small(weight) { Rational::ZERO } else { weight.clone() });
            let best = self.best(&without.collect())?;
            self.add(best.point);
        }
        Ok(())
    }
}

impl Program {
    /// The optimum over mixes of these points; `None` if no mix satisfies the conditions.
    pub fn master(&self, points: &[Point]) -> Option<Optimum> {
        let extra = |extra: &Extra| if extra.free { 2 } else { 1 };
        let columns: usize = self.extras.iter().map(extra).sum();
        let width = points.len() + columns;
        let place = |index: usize| points.len() + self.extras[..index].iter().map(extra).sum::<usize>();
        let mut objective: Vec<Rational> = points.iter().map(|point| point.least(&self.objective)).collect();
        for extra in &self.extras {
            objective.push(extra.objective.clone());
            objective.extend(extra.free.then(|| -&extra.objective));
        }
        let mut certain = vec![Rational::ONE; points.len()];
        certain.resize(width, Rational::ZERO);
        let mut rows = vec![Row { left: certain, sense: Sense::Equal, right: Rational::ONE }];
        for condition in &self.conditions {
            let end = |point: &Point| match condition.sense {
                Sense::AtMost => point.most(&condition.payoffs),
                Sense::Equal | Sense::AtLeast => point.least(&condition.payoffs),
            };
            let mut left: Vec<Rational> = points.iter().map(end).collect();
            left.resize(width, Rational::ZERO);
            for (index, coefficient) in &condition.extras {
                left[place(*index)] = coefficient.clone();
                if self.extras[*index].free {
                    left[place(*index) + 1] = -coefficient;
                }
            }
            rows.push(Row { left, sense: condition.sense, right: condition.bound.clone() });
        }
        match (LinearProgram { objective, rows }).solve() {
            Outcome::Optimal(optimum) => Some(optimum),
            Outcome::Infeasible | Outcome::Unbounded => None,
        }
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
    match (LinearProgram { objective: vec![Rational::ZERO; shares.len()], rows }).solve() {
        Outcome::Optimal(found) => {
            let kept = shares.iter().zip(found.primal).map(|((index, _), share)| (*index, share));
            kept.filter(|(_, share)| !share.is_zero()).collect()
        }
        Outcome::Infeasible | Outcome::Unbounded => shares,
    }
}
