//! Bounds on the welfare from a long finite horizon.
//!
//! `U_j(s) = max_a Σᵢ λᵢ^j wᵢ Rᵢ(s,a) + Σ_t P(t|s,a) U_{j+1}(t)`, where from step N on no strategy at all earns more
//! than `Σᵢ λᵢ^N max|wᵢ Rᵢ| / (1 - λᵢ)`, or less than its negative. Numbers are integers over one power of two, rounded
//! down for the lower bound and up for the upper one: the recursion is monotone, so both stay bounds.

use super::evaluate::{common_denominator, over};
use super::plain::{Plain, Q};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Bounds per state that are at most `2^-gap_bits` times the largest reward apart (or `2^-gap_bits`, if that is less).
pub fn bounds(plain: &Plain, gap_bits: usize) -> (Vec<Q>, Vec<Q>) {
    let largest: Vec<Q> = (0..plain.principals.len())
        .map(|i| {
            let all = plain.choices().map(|(state, choice)| plain.states[state][choice].rewards[i].abs());
            all.max().expect("a model has a choice") * plain.principals[i].weight.abs()
        })
        .collect();
    let scale = largest.iter().max().expect("a model has a principal").clone();
    if scale.is_zero() {
        return (vec![Q::zero(); plain.states.len()], vec![Q::zero(); plain.states.len()]);
    }
    let gap = scale.min(Q::one()) / Q::from(BigInt::one() << gap_bits);
    let tail = |n: u32| {
        let of_principal = |i: usize| {
            let discount = &plain.principals[i].discount;
            power_up(discount, n) * &largest[i] / (Q::one() - discount)
        };
        (0..largest.len()).fold(Q::zero(), |sum, i| sum + of_principal(i))
    };
    // Twice the tail and some rounding must fit into the gap.
    let quarter = &gap / Q::from(BigInt::from(4));
    let mut n = 16;
    while tail(n) > quarter {
        n += n / 4;
    }
    let tail = tail(n);
    let size = largest.iter().fold(Q::one(), |a, b| a + b) / &gap;
    let size = size.numer().div_ceil(size.denom()).bits();
    let bits = size as usize + 2 * n.ilog2() as usize + 16;
    let (lower, upper) = (run(plain, n, &-tail.clone(), bits, false), run(plain, n, &tail, bits, true));
    for (low, high) in lower.iter().zip(&upper) {
        assert!(low <= high && high - low <= gap, "the truncation bounds are {} apart", (high - low).to_f64_lossy());
    }
    (lower, upper)
}

fn run(plain: &Plain, n: u32, tail: &Q, bits: usize, up: bool) -> Vec<Q> {
    let unit = BigInt::one() << bits;
    let divide = |a: BigInt, b: &BigInt| if up { a.div_ceil(b) } else { a.div_floor(b) };
    let fixed = |x: &Q| divide(x.numer() * &unit, x.denom());
    // Powers of the discounts, both ways: a negative reward needs the other one.
    let powers: Vec<Vec<(BigInt, BigInt)>> = plain
        .principals
        .iter()
        .map(|who| {
            let (p, q) = (who.discount.numer(), who.discount.denom());
            let mut power = (unit.clone(), unit.clone());
            let mut all = Vec::new();
            for _ in 0..n {
                let next = ((&power.0 * p).div_floor(q), (&power.1 * p).div_ceil(q));
                all.push(std::mem::replace(&mut power, next));
            }
            all
        })
        .collect();
    let rows: Vec<Vec<Row>> = plain
        .states
        .iter()
        .map(|choices| choices.iter().map(|choice| Row::of(plain, &choice.rewards, &choice.to)).collect())
        .collect();
    let mut values = vec![fixed(tail); plain.states.len()];
    for step in (0..n as usize).rev() {
        let value = |row: &Row| {
            let mut now = BigInt::zero();
            for (reward, powers) in row.rewards.iter().zip(&powers).filter(|(reward, _)| !reward.is_zero()) {
                let (down, above) = &powers[step];
                now += reward * if reward.is_negative() != up { above } else { down };
            }
            let next: BigInt = row.to.iter().map(|(target, p)| p * &values[*target]).sum();
            divide(now, &row.reward_denominator) + divide(next, &row.probability_denominator)
        };
        values = rows.iter().map(|choices| choices.iter().map(value).max().expect("a state has a choice")).collect();
    }
    values.into_iter().map(|value| Q::new(value, unit.clone())).collect()
}

/// A choice in integers, weights inside the rewards.
struct Row {
    rewards: Vec<BigInt>,
    reward_denominator: BigInt,
    to: Vec<(usize, BigInt)>,
    probability_denominator: BigInt,
}

impl Row {
    fn of(plain: &Plain, rewards: &[Q], to: &[(usize, Q)]) -> Row {
        let weighted: Vec<Q> = plain.principals.iter().zip(rewards).map(|(who, reward)| &who.weight * reward).collect();
        let reward_denominator = common_denominator(weighted.iter().cloned());
        let probability_denominator = common_denominator(to.iter().map(|(_, p)| p.clone()));
        Row {
            rewards: weighted.iter().map(|reward| over(reward, &reward_denominator)).collect(),
            to: to.iter().map(|(target, p)| (*target, over(p, &probability_denominator))).collect(),
            reward_denominator,
            probability_denominator,
        }
    }
}

/// At least `x^n`, with 64 bits of it: exact powers of a tail grow long for nothing.
fn power_up(x: &Q, n: u32) -> Q {
    let shorten = |x: Q| {
        if x.is_zero() {
            return x;
        }
        let shift = 64 + x.denom().bits().saturating_sub(x.numer().bits());
        Q::new((x.numer() << shift).div_ceil(x.denom()), BigInt::one() << shift)
    };
    let (mut result, mut square, mut n) = (Q::one(), x.clone(), n);
    while n > 0 {
        if n & 1 == 1 {
            result = shorten(result * &square);
        }
        square = shorten(&square * &square);
        n >>= 1;
    }
    result
}

trait Lossy {
    fn to_f64_lossy(&self) -> f64;
}

impl Lossy for Q {
    fn to_f64_lossy(&self) -> f64 {
        self.numer().to_f64().unwrap_or(f64::NAN) / self.denom().to_f64().unwrap_or(f64::NAN)
    }
}
