//! A family whose only optimal plan changes its mind exponentially often in one state.

use crate::model::{Mdp, ModelBuilder, ModelError, Principal, StateId};
use crate::number::Rational;

/// The model with `n` levels, at least 1: 2n + 3 states, and 2ⁿ changes of decision in the state `u{n}`. docs/jumps.md has the proof.
///
/// With x the weight of the impatient principal against the patient one, `u{k}` earns the most of the tangents of x² at all even multiples
/// of 2⁻ᵏ in [0, 2], `v{k}` the most of those at all odd ones. Multiples of 2⁻ᵏ are the even multiples of 2⁻ᵏ⁻¹, so `u{k+1}` chooses
/// between `u{k}` and `v{k}`; and the odd ones are their means, so `v{k+1}` tosses a coin.
pub fn parametric(n: usize) -> Result<Mdp, ModelError> {
    let number = |integer: i32| Rational::from(integer);
    let half = || Rational::from_quotient(1, 2);
    let power_of_8 = |exponent: usize| number(8).pow(exponent as isize);
    // The ratio of the discounts is 1 − 2⁻ⁿ⁻¹: from step to step x falls by less than the distance of two breaks.
    let impatient = half() - half().pow(n as isize + 2);
    let principals = vec![Principal::new("p0", half())?, Principal::new("p1", impatient)?];

    let mut names = vec!["wait".to_owned()];
    for level in (0..n).rev() {
        names.push(format!("u{}", level + 1));
        names.push(format!("v{level}"));
    }
    names.extend(["u0".to_owned(), "end".to_owned()]);
    let (wait, end) = (StateId::from(0), StateId::from(2 * n + 2));
    let u = |level: usize| StateId::from(1 + 2 * (n - level));
    let v = |level: usize| StateId::from(2 * (n - level));

    let mut builder = ModelBuilder::new(principals, names.iter().map(String::as_str))?;
    let nothing = || [number(0), number(0)];
    builder.choice(wait, "toss", nothing(), [(wait, half()), (u(n), half())])?;
    for level in (1..=n).rev() {
        builder.choice(u(level), "even", nothing(), [(u(level - 1), number(1))])?;
        builder.choice(u(level), "odd", nothing(), [(v(level - 1), number(1))])?;
        if level == 1 {
            break;
        }
        let below = level - 1;
        let coin = [(u(below - 1), half()), (v(below - 1), half())];
        builder.choice(v(below), "toss", [power_of_8(n - below), number(0)], coin)?;
    }
    // The tangent of x² at p is 2px − p²; x begins at 3, beyond all breaks.
    let tangent = |p: i32| [number(-p * p) * power_of_8(n), number(6 * p) * power_of_8(n)];
    builder.choice(v(0), "pay1", tangent(1), [(end, number(1))])?;
    builder.choice(u(0), "pay0", tangent(0), [(end, number(1))])?;
    builder.choice(u(0), "pay2", tangent(2), [(end, number(1))])?;
    builder.choice(end, "stay", nothing(), [(end, number(1))])?;
    builder.finish()
}
