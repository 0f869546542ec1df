//! The paper's example of discounts that are not reasonably spaced. [App. B.1]

use crate::model::{Mdp, ModelBuilder, ModelError, Principal};
use crate::number::Rational;

/// Discounts n/(2n−1) and (n+1)/(2n+1): the horizon grows like n² log n. `n` is a whole number, at least 2.
///
/// State `P0` leads to `S1` after a random while; there the first principal gains by staying, the second by moving.
pub fn spaced(n: &Rational) -> Result<Mdp, ModelError> {
    let number = |integer: i32| Rational::from(integer);
    let twice = n * number(2);
    if twice <= number(1) {
        // 2n − 1 is not a positive denominator; the error reports a discount of 1.
        return Err(ModelError::DiscountOutOfRange { principal: "p0".to_owned(), discount: Rational::ONE });
    }
    let discounts = [n / (&twice - number(1)), (n + number(1)) / (twice + number(1))];
    let [first, second] = discounts;
    let principals = vec![Principal::new("p0", first)?, Principal::new("p1", second)?];
    let half = || Rational::from_quotient(1, 2);
    let mut builder = ModelBuilder::new(principals, ["P0", "S1", "S2"])?;
    let (p0, s1, s2) = (0.into(), 1.into(), 2.into());
    builder.choice(p0, "go", [number(0), number(0)], [(p0, half()), (s1, half())])?;
    builder.choice(s1, "stay", [number(1), number(0)], [(s1, number(1))])?;
    builder.choice(s1, "move", [number(2), number(2)], [(s2, number(1))])?;
    builder.choice(s2, "stay", [number(0), number(2)], [(s2, number(1))])?;
    builder.finish()
}
