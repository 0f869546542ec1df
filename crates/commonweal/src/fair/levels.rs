//! Leximin in doubles: every level between proven bounds.
//!
//! In fractions, a level is fixed exactly before the next one. Doubles know it between bounds only, and a face of the payoff set they do
//! not know at all. So the search for level k asks for a little less than what was reached at the levels before, where S_i are the
//! principals of level i, who cannot have more by its multipliers:
//!
//! ```text
//! maximise t   with   u_p ≥ L_i − δ_(i+1) − … − δ_k  for p in S_i, i < k   and   u_p ≥ t  for all others
//! ```
//!
//! The last mix meets all of these, and level i reaches A_i, its least gain in this mix. With the multipliers y of level k, weak duality
//! bounds it for every lottery that gives at least A_i at the levels i < k:
//!
//! ```text
//! U_k = h(w) − v·o − Σ y_p (o_p + A_i)
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
    /// The principals of the levels before: the level, the floor that was used, and its multiplier.
    floors: Vec<(usize, usize, Rational, Rational)>,
    /// How much less than what it reached is asked for at the next level.
    lowered: Rational,
}

impl Asked<'_, '_> {
    pub(super) fn leximin_in_doubles(&self, mut restricted: RestrictedFace) -> Result<Fair, Failure> {
        let n = self.set.n();
        let scale = Scale::greatest_payoff(n, Rational::ONE);
        let allowed = restricted.face.allowed_gap(&scale);
        // Half of the gap is for the bounds of a level, half for what the levels after it take from it.
        let share = &allowed / Rational::from(2 * n);
        let mut slack = share.clone();
        restricted.face.gap = &restricted.face.gap / Rational::from(2);
        let mut fixed: Vec<Fixed> = Vec::new();
        let mut open: Vec<usize> = (0..n).collect();
        let mut stopped = None;
        while !open.is_empty() {
            fixed.iter_mut().for_each(|level| level.lowered += &slack);
            let level = self.level(&mut restricted, &fixed, &open, &scale);
            match level {
                Ok(level) => {
                    open.retain(|p| !level.who.contains(p));
                    stopped = stopped.or(level.solved.stopped);
                    let multipliers = sum(level.floors.iter().map(|(.., dual)| dual.clone().abs()));
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
        let last = &fixed.last().expect("a level").solved;
        // What this mix gives over the upper bounds of the reference point, which the search takes at its lower ones.
        let everybody = Gains { who: (0..n).collect(), over: self.over_most.clone() };
        let gained = everybody.least(&restricted.face.points, &last.shares);
        let reached = |level: &Fixed| level.who.iter().map(|&p| gained[p].clone()).min().expect("a principal");
        let reached: Vec<Rational> = fixed.iter().map(reached).collect();
        let bounds = |(index, level): (usize, &Fixed)| {
            let mut most = level.solved.upper.clone();
            for (p, before, floor, dual) in &level.floors {
                most += dual * (&self.over[*p] + &reached[*before] - floor);
            }
            let least = reached[index].clone();
            [least.clone(), most.max(least)]
        };
        let bounds: Vec<[Rational; 2]> = fixed.iter().enumerate().map(bounds).collect();
        let is_within = bounds.iter().all(|[least, most]| most - least <= allowed);
        let stopped = stopped.or((!is_within).then_some(StopReason::Precision));
        let (shares, weights) = (last.shares.clone(), fixed[0].solved.weights.clone());
        let mut fair = self.on(&restricted, shares, weights, bounds[0].clone(), stopped, Vec::new());
        fair.then = fixed[1..].iter().map(|level| level.solved.weights.clone()).collect();
        fair.proven = stopped.filter(|_| !(is_within && open.is_empty())).map_or(Proven::WithinGap, Proven::Stopped);
        fair.levels = fixed.iter().zip(&bounds).map(|(level, bounds)| Level::new(level.who.clone(), bounds)).collect();
        Ok(fair)
    }

    /// The next level, given those before.
    fn level(
        &self,
        restricted: &mut RestrictedFace,
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
                floors.push((p, index, &self.over[p] + &level.solved.value - &level.lowered));
            }
        }
        let row = |p: usize, extras: Vec<(usize, Rational)>, bound: Rational| Condition {
            payoffs: unit(n, p),
            extras,
            sense: Sense::AtLeast,
            bound,
        };
        conditions.extend(floors.iter().map(|(p, _, floor)| row(*p, Vec::new(), floor.clone())));
        let gain = |&p: &usize| row(p, vec![(0, Rational::NEG_ONE)], self.over[p].clone());
        conditions.extend(open.iter().map(gain));
        let extras = vec![Extra { objective: Rational::ONE, free: true }];
        let program = Program { objective: vec![Rational::ZERO; n], extras, conditions };
        let solved = restricted.face.solve(&program, &Until::Near(scale.clone()))?;
        let (of_floors, of_gains) = solved.duals[own..].split_at(floors.len());
        let shares: Weights = of_gains.iter().map(|dual| -dual).collect();
        let greatest = (0..open.len()).max_by(|&a, &b| shares[a].cmp(&shares[b]).then(b.cmp(&a)));
        let counts = |k: &usize| Some(*k) == greatest || shares[*k].to_f64() >= LEAST_SHARE;
        let who = (0..open.len()).filter(counts).map(|k| open[k]).collect();
        let floors = floors.into_iter().zip(of_floors).map(|((p, at, floor), dual)| (p, at, floor, dual.clone()));
        Ok(Fixed { who, floors: floors.collect(), solved, lowered: Rational::ZERO })
    }
}
