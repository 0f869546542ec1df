//! Backward induction in fixed point, one step after the other, for horizons at which fractions grow too long.
//!
//! Advantages are exact fractions; powers and gains are integers over one power of two, with enough bits that a
//! difference between two choices is either far above the rounding or an exact tie. Nothing is ever skipped.

use super::evaluate::{common_denominator, over};
use super::plain::{Plain, Q, approximately};
use super::reference::{Ordered, Unravelling, long_term};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

/// What a walk over every step finds. Choices are positions within their state.
#[derive(Debug, Clone)]
pub struct Fixed {
    pub horizon: usize,
    /// Per state, from which step on which choice.
    pub changes: Vec<Vec<(usize, usize)>>,
    pub memory: Vec<usize>,
    pub welfare: Vec<Q>,
    /// Per ordered principal and state.
    pub payoffs: Vec<Vec<Q>>,
    /// The figures above are off by no more than this.
    pub error: Q,
    /// How often two different choices of a state were worth the same.
    pub ties: usize,
}

/// Bits beyond what the smallest power needs.
const SPARE_BITS: usize = 900;

impl Fixed {
    /// The answer, unless its horizon is past `limit`. Discounts must differ.
    pub fn solve(plain: &Plain, limit: usize) -> Option<Fixed> {
        let ordered = Ordered::of(plain);
        assert_eq!(ordered.discounts.len(), plain.principals.len(), "principals with a discount each");
        let (allowed, values) = long_term(plain, &ordered);
        let unravelling = Unravelling::of(plain, &ordered, &values);
        let horizon = horizon(&unravelling, limit)?;
        let n = ordered.discounts.len();
        // Advantages over one denominator, so that sums are exact but for the powers.
        let (whole, common) = (&unravelling.advantage, &unravelling.advantage_denominator);
        let ratios: Vec<Q> = ordered.discounts.iter().map(|discount| discount / &ordered.discounts[0]).collect();
        // What a choice changes after m steps is as small as a power of discount and probability; a sum at step t, as ρ^t.
        let least = |numbers: &[Q]| {
            let positive = numbers.iter().filter(|x| x.is_positive()).map(approximately);
            -positive.fold(1.0, f64::min).log2()
        };
        let probabilities: Vec<Q> = plain.states.iter().flatten().flat_map(|c| &c.to).map(|(_, p)| p.clone()).collect();
        let bits_a_step = least(&ordered.discounts) + least(&ratios) + least(&probabilities).min(3.0);
        let bits = (horizon as f64 * bits_a_step).ceil() as usize + SPARE_BITS;
        let unit = BigInt::one() << bits;
        let mut powers = vec![vec![unit.clone(); n]];
        for step in 0..horizon {
            let next = powers[step].iter().zip(&ratios).map(|(p, ratio)| (p * ratio.numer()).div_floor(ratio.denom()));
            powers.push(next.collect());
        }
        let mut gain = vec![BigInt::zero(); plain.states.len()];
        let mut payoff_gain = vec![gain.clone(); n];
        let payoff_unit: BigInt = BigInt::one() << 192;
        let tail: Vec<usize> = allowed.iter().map(|choices| choices[0]).collect();
        let mut layers: Vec<Vec<usize>> = Vec::new();
        let mut ties = 0;
        let expected = |row: &Row, discount: &Q, gain: &[BigInt]| -> BigInt {
            let sum: BigInt = row.to.iter().map(|(target, p)| &gain[*target] * p).sum();
            (sum * discount.numer()).div_floor(&(&row.denominator * discount.denom()))
        };
        let rows: Vec<Vec<Row>> =
            plain.states.iter().map(|choices| choices.iter().map(|choice| Row::of(&choice.to)).collect()).collect();
        let threshold = (BigInt::one() << 320) * common;
        let in_payoff_units = |all: &Vec<BigInt>| -> Vec<BigInt> {
            all.iter().map(|advantage| (&payoff_unit * advantage).div_floor(common)).collect()
        };
        let payoff_advantages: Vec<Vec<Vec<BigInt>>> =
            whole.iter().map(|choices| choices.iter().map(in_payoff_units).collect()).collect();
        for step in (0..horizon).rev() {
            let (mut layer, mut new_gain) = (Vec::new(), Vec::new());
            for (state, choices) in plain.states.iter().enumerate() {
                let worth = |position: usize| -> BigInt {
                    let parts = whole[state][position].iter().zip(&powers[step]);
                    let now: BigInt = parts.filter(|(a, _)| !a.is_zero()).map(|(a, power)| power * a).sum();
                    now + expected(&rows[state][position], &ordered.discounts[0], &gain)
                };
                let worths: Vec<BigInt> = (0..choices.len()).map(worth).collect();
                let best = worths.iter().max().expect("a state has a choice");
                let reaches = |position: &usize| best - &worths[*position] <= threshold;
                let decision = allowed[state].iter().copied().find(reaches).or((0..worths.len()).find(reaches));
                let decision = decision.expect("the best is attained");
                let same =
                    |a: usize, b: usize| choices[a].rewards == choices[b].rewards && choices[a].to == choices[b].to;
                ties += (0..worths.len()).filter(|p| reaches(p) && !same(*p, decision)).count();
                layer.push(decision);
                new_gain.push(best.clone());
            }
            gain = new_gain;
            for (i, gain) in payoff_gain.iter_mut().enumerate() {
                let of_state = |(state, &decision): (usize, &usize)| {
                    let later = expected(&rows[state][decision], &ordered.discounts[i], gain);
                    &payoff_advantages[state][decision][i] + later
                };
                *gain = layer.iter().enumerate().map(of_state).collect();
            }
            layers.push(layer);
        }
        layers.reverse();
        let payoff = |i: usize, s: usize| &values[i][s] + Q::new(payoff_gain[i][s].clone(), payoff_unit.clone());
        let welfare = |s: usize| (0..n).fold(Q::new(gain[s].clone(), &unit * common), |sum, i| sum + &values[i][s]);
        let changes = |state: usize| {
            let mut steps: Vec<(usize, usize)> = layers.iter().map(|layer| layer[state]).enumerate().collect();
            steps.push((horizon, tail[state]));
            steps.dedup_by_key(|(_, choice)| *choice);
            steps
        };
        let states = || 0..plain.states.len();
        let largest = whole.iter().flatten().flatten().map(|advantage| advantage.magnitude()).max().expect("a choice");
        let largest = Q::new(BigInt::from(largest.clone()), common.clone()) + Q::one();
        Some(Fixed {
            horizon,
            changes: states().map(changes).collect(),
            memory: states().map(|start| memory(plain, start, &layers, &allowed)).collect(),
            welfare: states().map(welfare).collect(),
            payoffs: (0..n).map(|i| states().map(|s| payoff(i, s)).collect()).collect(),
            error: largest / Q::from(BigInt::one() << 150),
            ties,
        })
    }
}

/// A row of probabilities over one denominator.
struct Row {
    to: Vec<(usize, BigInt)>,
    denominator: BigInt,
}

impl Row {
    fn of(to: &[(usize, Q)]) -> Row {
        let denominator = common_denominator(to.iter().map(|(_, p)| p.clone()));
        Row { to: to.iter().map(|(target, p)| (*target, over(p, &denominator))).collect(), denominator }
    }
}

/// The prefix test is passed for ever once it is passed: doubling, then halving.
fn horizon(unravelling: &Unravelling, limit: usize) -> Option<usize> {
    if !unravelling.passes_at(limit as u32) {
        return None;
    }
    let (mut fails, mut passes) = (-1, limit as i64);
    while passes - fails > 1 {
        let middle = (fails + passes).div_euclid(2);
        if unravelling.passes_at(middle as u32) { passes = middle } else { fails = middle }
    }
    Some(passes as usize)
}

/// Forwards from `start`: the step after the last at which something reached takes no long-term choice.
fn memory(plain: &Plain, start: usize, layers: &[Vec<usize>], allowed: &[Vec<usize>]) -> usize {
    let mut reached = 1u64 << start;
    let mut last = 0;
    for (step, layer) in layers.iter().enumerate() {
        let mut next = 0;
        for state in (0..layer.len()).filter(|state| reached >> state & 1 == 1) {
            if !allowed[state].contains(&layer[state]) {
                last = step + 1;
            }
            plain.states[state][layer[state]].to.iter().for_each(|(target, _)| next |= 1 << target);
        }
        reached = next;
    }
    last
}
