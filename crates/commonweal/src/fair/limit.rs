//! Weights at which vertices accumulate.
//!
//! If the weight of a principal tends to 0, or the rewards of principals that share a discount cancel, the payoff set has
//! infinitely many vertices. Column generation then finds one after the other, with ever longer weights, and does not reach
//! their limit. So each round guesses where its weights w tend to, as some directions d with d·w ≈ 0 that are 0 in the limit:
//!
//! ```text
//! a principal's own direction            if its weight is far below the others
//! Δ_p(s, a), p of one shared discount    if a choice that the tail of the strategy does not take nearly ties for ever
//! all that the simplest weights near w have no part in, if neither helps
//! ```
//!
//! The master in which payoffs may move along these directions at no cost has duals whose weights w* satisfy d·w* = 0 exactly.
//! They bound the program like any others. At a degenerate optimum they are often the only proof: the master's value is right, but
//! its duals are any of infinitely many, and the right ones are their limit. Solving for w* first and w second gives the limit of
//! the vertices.
//!
//! A wrong guess costs a solve and proves nothing.

use super::Weights;
use super::payoff_set::{PayoffSet, Point};
use super::program::{Face, Program, UpperBound};
use crate::exact::long_term::positional_value;
use crate::model::{ChoiceId, Part};
use crate::number::{Rational, sum};
use crate::stop::StopReason;

/// A direction in the space of payoffs.
pub(super) type Direction = Vec<Rational>;

/// The guesses of one program.
#[derive(Default)]
pub(super) struct Guesses {
    /// The weights of the last rounds, normalised.
    before: Vec<Weights>,
    /// The limits that were tried, normalised, with the greatest weighted sum for each.
    tried: Vec<(Weights, Rational)>,
}

impl Guesses {
    /// Rounds that the weights of a round are compared with: they may tend to several limits in turn.
    const REMEMBERED: usize = 6;

    /// Guesses the limit of the weights of a round, for which `best` was found: adds the points of the limit to the face, and
    /// lowers the upper bound to what the limits prove.
    pub fn guess(
        &mut self,
        face: &mut Face,
        program: &Program,
        weights: &Weights,
        best: &Point,
        upper: &mut Option<UpperBound>,
    ) -> Result<(), StopReason> {
        if face.set.gap().is_some() || weights.iter().all(Rational::is_zero) {
            return Ok(());
        }
        let weights = normal(weights);
        let mut guesses = small_weights(&weights);
        guesses.extend(near_ties(face.set, &weights, best)?);
        guesses.extend(self.simple_weights(&weights));
        if self.before.len() == Self::REMEMBERED {
            self.before.remove(0);
        }
        self.before.push(weights.clone());
        for directions in guesses {
            self.look_at(face, program, &weights, &directions, upper)?;
        }
        Ok(())
    }

    /// Solves for the weights that are orthogonal to these directions. A limit that was tried is solved for again while it
    /// proves the least bound: its face may have further vertices that count.
    fn look_at(
        &mut self,
        face: &mut Face,
        program: &Program,
        weights: &Weights,
        directions: &[Direction],
        upper: &mut Option<UpperBound>,
    ) -> Result<(), StopReason> {
        let Some(optimum) = program.master(&face.points, directions, &face.set.options().stop)? else { return Ok(()) };
        let duals = optimum.dual[1..].to_vec();
        let limit = program.weights(&duals);
        if limit.iter().all(Rational::is_zero) {
            return Ok(());
        }
        let total = size(&limit);
        let direction = normal(&limit);
        let right = program.right_side(&duals);
        let known = self.tried.iter().find(|(other, _)| *other == direction);
        let is_worse = |most: &Rational| {
            let bound = &right + most * &total;
            upper.as_ref().is_some_and(|least| bound > least.most)
        };
        if known.is_some_and(|(_, most)| is_worse(most)) {
            return Ok(());
        }
        let levels: Vec<&Weights> = face.levels.iter().chain([&direction, weights]).collect();
        let point = face.set.best_of_best(&levels)?.point;
        let most = point.most(&direction);
        if !is_worse(&most) {
            *upper = Some(UpperBound { most: right + &most * total, weights: limit, duals });
        }
        if known.is_none() {
            self.tried.push((direction, most));
        }
        face.add(point);
        Ok(())
    }

    /// The directions orthogonal to the simplest weights near these, as near as the weights of some round before.
    fn simple_weights(&self, weights: &Weights) -> Option<Vec<Direction>> {
        let distance = |before: &Weights| {
            let moves = before.iter().zip(weights).map(|(before, now)| (now - before).abs());
            moves.fold(Rational::ZERO, Rational::max)
        };
        let reach = self.before.iter().map(distance).filter(|far| !far.is_zero()).min()? * Rational::from(4);
        if reach > Rational::from_quotient(1, 8) {
            return None;
        }
        let near = |weight: &Rational| {
            if weight.is_zero() { Rational::ZERO } else { Rational::simplest_between(weight - &reach, weight + &reach) }
        };
        let simple: Weights = weights.iter().map(near).collect();
        let first = simple.iter().position(|weight| !weight.is_zero())?;
        let orthogonal = |p: usize| {
            let mut direction = vec![Rational::ZERO; simple.len()];
            direction[p] = simple[first].clone();
            direction[first] = -&simple[p];
            direction
        };
        Some((0..simple.len()).filter(|p| *p != first).map(orthogonal).collect())
    }
}

/// Much smaller is this many times smaller.
const MUCH: u32 = 1024;

/// For each place where the weights differ much in size, the directions of the principals with smaller ones.
fn small_weights(weights: &Weights) -> Vec<Vec<Direction>> {
    let mut sizes: Vec<Rational> =
        weights.iter().map(|weight| weight.clone().abs()).filter(|size| !size.is_zero()).collect();
    sizes.sort();
    let gaps = sizes.windows(2).filter(|pair| &pair[0] * Rational::from(MUCH) < pair[1]);
    let below = |least: &Rational| -> Vec<Direction> {
        let small = (0..weights.len()).filter(|&p| weights[p].clone().abs() < *least);
        small.map(|p| super::restricted_face::unit(weights.len(), p)).collect()
    };
    gaps.map(|pair| below(&pair[1])).collect()
}

/// The directions in which choices nearly tie with the tail of a strategy for ever: the nearest one alone, and all of them.
fn near_ties(set: &PayoffSet, weights: &Weights, best: &Point) -> Result<Vec<Vec<Direction>>, StopReason> {
    let mdp = set.mdp()?;
    let only_part = |p: usize| -> Option<&Part> {
        let parts = mdp.principals()[p].parts()?;
        if let [part] = parts { Some(part) } else { None }
    };
    let Some(parts) = (0..set.n()).map(only_part).collect::<Option<Vec<&Part>>>() else { return Ok(Vec::new()) };
    let mut discounts: Vec<&Rational> =
        parts.iter().map(|part| &part.discount).filter(|discount| !discount.is_zero()).collect();
    discounts.sort();
    let is_shared = discounts.windows(2).any(|pair| pair[0] == pair[1]);
    discounts.dedup();
    if !is_shared {
        // Weights of single principals cancel only where they are 0.
        return Ok(Vec::new());
    }
    let tail: Vec<ChoiceId> = mdp.states().map(|state| best.strategy.tail(state)).collect();
    let value = |p: usize| -> Result<Vec<Rational>, StopReason> {
        let stop = &set.options().stop;
        let values = positional_value(mdp, &tail, &parts[p].discount, |choice| &mdp.rewards(choice)[p], stop)?;
        Ok((0..mdp.n_states()).map(|state| values.get(state)).collect())
    };
    let values: Vec<Vec<Rational>> = (0..set.n()).map(value).collect::<Result<_, _>>()?;
    let advantage = |state: usize, choice: ChoiceId, p: usize| {
        let later = mdp.transitions(choice).map(|(target, chance)| chance * &values[p][target.index()]);
        (&mdp.rewards(choice)[p] + &parts[p].discount * sum(later) - &values[p][state]) * &parts[p].coefficient
    };
    let mut ties: Vec<(Rational, Direction)> = Vec::new();
    for state in mdp.states() {
        for choice in mdp.choices(state).filter(|choice| *choice != tail[state.index()]) {
            // The most patient who are not indifferent decide it in the long term.
            let among = |discount: &&Rational| -> Option<Direction> {
                let own = |p: usize| {
                    if parts[p].discount == **discount { advantage(state.index(), choice, p) } else { Rational::ZERO }
                };
                let direction: Direction = (0..set.n()).map(own).collect();
                direction.iter().any(|entry| !entry.is_zero()).then_some(direction)
            };
            let Some(direction) = discounts.iter().rev().find_map(among) else { continue };
            let whole = size(&direction);
            let direction: Direction = direction.iter().map(|entry| entry / &whole).collect();
            let distance = sum(direction.iter().zip(weights).map(|(entry, weight)| entry * weight)).abs();
            let is_near = &distance * Rational::from(MUCH) < Rational::ONE;
            if is_near && !ties.iter().any(|(_, other)| *other == direction) {
                ties.push((distance, direction));
            }
        }
    }
    ties.sort();
    let all: Vec<Direction> = ties.into_iter().map(|(_, direction)| direction).collect();
    Ok(match all.len() {
        0 => Vec::new(),
        1 => vec![all],
        _ => vec![vec![all[0].clone()], all],
    })
}

/// The same weights with sizes that sum to 1.
fn normal(weights: &Weights) -> Weights {
    let total = size(weights);
    weights.iter().map(|weight| weight / &total).collect()
}

fn size(weights: &[Rational]) -> Rational {
    sum(weights.iter().map(|weight| weight.clone().abs()))
}
