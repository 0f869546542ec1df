//! Leximin, max-min and Kalai–Smorodinsky in doubles: every level between proven bounds.
//!
//! In fractions, a level is fixed exactly before the next one. Doubles know it between bounds only, and a face of the payoff set they do
//! not know at all. So the search for level k asks for a little less than what was reached at the levels before, where S_i are the
//! principals of level i, who cannot have more by its multipliers:
//!
//! ```text
//! maximise t   with   u_p ≥ L_i − δ_(i+1) − … − δ_k  for p in S_i, i < k   and   u_p ≥ t  for all others
//! ```
//!
//! where u_p is the gain, for `kalai-smorodinsky` relative to its range ρ_p: below, 1 stands for ρ_p by other rules.
//!
//! The last mix meets all of these, and level i reaches A_i, its least gain in this mix. With the multipliers y of level k, weak duality
//! bounds it for every lottery that gives at least A_i at the levels i < k:
//!
//! ```text
//! U_k = h(w) − v·o − Σ y_p (o_p + ρ_p A_i)
//! ```
//!
//! A_i is below the floors of level k by at most δ_(k+1) + …: so δ_(k+1) is the smaller, the greater the multipliers y of level k.
//!
//! No more can be known from doubles: a lottery that gives 10⁻¹⁰ more at the first level might have to give much less at the second.

use super::Weights;
use super::program::{Condition, Extra, Program, Scale, Solved, Until};
use super::restricted_face::{RestrictedFace, unit};
use super::simplex::Sense;
use super::smooth::Gains;
use super::{Asked, Failure, Fair, Proven, between};
use crate::model::PrincipalId;
use crate::number::{Rational, Value, sum};
use crate::stop::StopReason;

/// Principals who gain the same by leximin, because none of them can have more while all before them have what they have.
#[derive(Debug, Clone)]
pub struct Level {
    /// The principals.
    pub who: Vec<PrincipalId>,
    /// The least that one of them gains, and the most that lotteries can give to all of them and of the levels after, which give at least as much
    /// as this one at the levels before.
    pub value: Value,
}

impl Level {
    pub(super) fn new(who: Vec<usize>, bounds: &[Rational; 2]) -> Level {
        Level { who: who.into_iter().map(PrincipalId::from).collect(), value: between(bounds) }
    }
}

/// A level that is solved.
struct Fixed {
    who: Vec<usize>,
    solved: Solved,
    /// The weight of each principal's gain in its bound.
    gains: Weights,
    /// The principals of the levels before: the level, the floor that was used, and its multiplier.
    floors: Vec<(usize, usize, Rational, Rational)>,
    /// How much less than what it reached is asked for at the next level.
    lowered: Rational,
}

/// How much a principal has to get for a gain of 1: all gains are measured in these. Who cannot gain has 0, and no level.
type Ranges = [Rational];

impl Asked<'_, '_> {
    /// Level by level in doubles: leximin; or `max-min` and `kalai-smorodinsky`, whose value is that of the first level, and whose further levels see to it
    /// that nobody could have more at no cost to the others.
    pub(super) fn levels_in_doubles(&self, mut restricted: RestrictedFace, ranges: &Ranges) -> Result<Fair, Failure> {
        let n = self.set.n();
        let is_leximin = self.question.rule.is_lexicographic();
        let scale =
            if self.question.rule.is_of_shares() { Scale::One } else { Scale::greatest_payoff(n, Rational::ONE) };
        let allowed = restricted.face.allowed_gap(&scale);
        // Half of the gap is for the bounds of a level, half for what the levels after it take from it.
        let share = &allowed / Rational::from(2 * n);
        let mut slack = share.clone();
        restricted.face.gap = &restricted.face.gap / Rational::from(2);
        let mut fixed: Vec<Fixed> = Vec::new();
        let mut open: Vec<usize> = (0..n).filter(|&p| !ranges[p].is_zero()).collect();
        let mut stopped = None;
        while !open.is_empty() {
            fixed.iter_mut().for_each(|level| level.lowered += &slack);
            let level = self.level(&mut restricted, ranges, &fixed, &open, &scale);
            match level {
                Ok(level) => {
                    open.retain(|p| !level.who.contains(p));
                    stopped = stopped.or(level.solved.stopped);
                    let multipliers = sum(level.floors.iter().map(|(p, .., dual)| (&ranges[*p] * dual).abs()));
                    slack = slack.min(&share / multipliers.max(Rational::ONE));
                    fixed.push(level);
                }
                Err(reason) if fixed.is_empty() => return Err(reason.into()),
                Err(reason) => {
                    stopped = Some(reason);
                    break;
                }
            }
        }
        let first = &fixed[0];
        let last = &fixed.last().expect("a level").solved;
        // What this mix gives over the upper bounds of the reference point, which the search takes at its lower ones.
        let everybody = Gains { who: (0..n).collect(), over: self.over_most.clone() };
        let gained = everybody.least(&restricted.face.points, &last.shares);
        let gain = |p: &usize| &gained[*p] / &ranges[*p];
        let reached: Vec<Rational> =
            fixed.iter().map(|level| level.who.iter().map(gain).min().expect("a principal")).collect();
        let bounds = |(index, level): (usize, &Fixed)| {
            let mut most = level.solved.upper.clone();
            for (p, before, floor, dual) in &level.floors {
                most += dual * (&self.over[*p] + &ranges[*p] * &reached[*before] - floor);
            }
            let least = reached[index].clone();
            [least.clone(), most.max(least)]
        };
        let mut bounds: Vec<[Rational; 2]> = fixed.iter().enumerate().map(bounds).collect();
        // Nobody of a later level is to gain less than the first level says.
        let least = (0..n).filter(|p| !ranges[*p].is_zero()).map(|p| gain(&p)).min().expect("a principal");
        bounds[0][0] = least;
        let is_near = |[least, most]: &[Rational; 2]| most - least <= allowed;
        let is_final = stopped.is_some_and(StopReason::ends_all) || open.is_empty() && bounds.iter().all(is_near);
        // What doubles leave open for the others, fractions may tell.
        if !is_leximin
            && !is_final
            && let Some(exact) = self.in_fractions()
        {
            return exact;
        }
        let is_within = if is_leximin { bounds.iter().all(is_near) } else { is_near(&bounds[0]) };
        let stopped = stopped.or((!is_within).then_some(StopReason::Precision));
        let (shares, weights) = (last.shares.clone(), first.solved.weights.clone());
        let proof = if is_leximin { Vec::new() } else { restricted.bound(first.gains.clone(), &first.solved) };
        let mut fair = self.on(&restricted, shares, weights, bounds[0].clone(), stopped, proof);
        // The first level is enough for the value of other rules; that a limit left the others less than they could have is told all the same.
        let is_done = |reason: &StopReason| is_within && (open.is_empty() || !is_leximin && !reason.ends_all());
        fair.proven = stopped.filter(|reason| !is_done(reason)).map_or(Proven::WithinGap, Proven::Stopped);
        if is_leximin {
            fair.then = fixed[1..].iter().map(|level| level.solved.weights.clone()).collect();
            fair.levels =
                fixed.iter().zip(&bounds).map(|(level, bounds)| Level::new(level.who.clone(), bounds)).collect();
        }
        Ok(fair)
    }

    /// The next level, given those before.
    fn level(
        &self,
        restricted: &mut RestrictedFace,
        ranges: &Ranges,
        fixed: &[Fixed],
        open: &[usize],
        scale: &Scale,
    ) -> Result<Fixed, StopReason> {
        /// A multiplier below this may be an error of doubles: the principal stays open, and is fixed later.
        const LEAST_SHARE: f64 = 1.0 / 1024.0;
        let n = self.set.n();
        let mut conditions = restricted.conditions.clone();
        let own = conditions.len();
        let mut floors = Vec::new();
        for (index, level) in fixed.iter().enumerate() {
            for &p in &level.who {
                let floor = &level.solved.value - &level.lowered;
                floors.push((p, index, &self.over[p] + &ranges[p] * floor));
            }
        }
        let row = |p: usize, extras: Vec<(usize, Rational)>, bound: Rational| Condition {
            payoffs: unit(n, p),
            extras,
            sense: Sense::AtLeast,
            bound,
        };
        conditions.extend(floors.iter().map(|(p, _, floor)| row(*p, Vec::new(), floor.clone())));
        let gain = |&p: &usize| row(p, vec![(0, -&ranges[p])], self.over[p].clone());
        conditions.extend(open.iter().map(gain));
        let extras = vec![Extra { objective: Rational::ONE, free: true }];
        let program = Program { objective: vec![Rational::ZERO; n], extras, conditions };
        let solved = restricted.face.solve(&program, &Until::Near(scale.clone()))?;
        let (of_floors, of_gains) = solved.duals[own..].split_at(floors.len());
        let mut gains = vec![Rational::ZERO; n];
        open.iter().zip(of_gains).for_each(|(&p, dual)| gains[p] = -dual);
        // They sum to 1.
        let shares: Weights = open.iter().map(|&p| &gains[p] * &ranges[p]).collect();
        let greatest = (0..open.len()).max_by(|&a, &b| shares[a].cmp(&shares[b]).then(b.cmp(&a)));
        let counts = |k: &usize| Some(*k) == greatest || shares[*k].to_f64() >= LEAST_SHARE;
        let who = (0..open.len()).filter(counts).map(|k| open[k]).collect();
        let floors = floors.into_iter().zip(of_floors).map(|((p, at, floor), dual)| (p, at, floor, dual.clone()));
        Ok(Fixed { who, gains, floors: floors.collect(), solved, lowered: Rational::ZERO })
    }
}
