//! Weights that fall like a power of time, approximated by a finite sum of geometric weights with a proven error.
//!
//! The weight of step t is `d(t) = q^t (1 + t s/a)^(−a)`: gamma discounting with shape a and mean s where q = 1, hyperbolic
//! discounting with a = 1 and a hazard 1 − q. With `I = ∫ exp(a (x − e^x + 1)) dx`,
//! `d(t) = 1/I ∫ exp(a (x − e^x + 1)) λ(x)^t dx`, where `λ(x) = q exp(−s e^x)`: a mixture of infinitely many discounts. (Put
//! e^x = y/s in the integral of y^(a−1) e^(−(a/s + t) y), which is Γ(a) (a/s + t)^(−a).)
//!
//! The trapezoid rule with step h makes it a sum over the nodes n h. The integrand is analytic, and at the distance φ from the
//! real line its integral is `(cos φ)^(−a)` times that on it, whatever t is: so the rule's relative error is at most
//! `ε = 2 (cos φ)^(−a) / (e^(2πφ/h) − 1)`, for every step alike and any φ between 0 and π/2. I itself, and with it the gamma
//! function, is the same rule with a finer step. Nodes at both ends are left out: to the left and to the right the terms fall
//! at least geometrically, so that what they add up to is bounded by the first of them. Last, each node is rounded to a short
//! fraction, which costs `Σ_t |c λ^t − c' λ'^t| ≤ |c − c'|/(1 − λ) + c' |1/(1 − λ) − 1/(1 − λ')|`.
//!
//! The step and the ends are guessed in doubles; the error is then computed in fractions that are rounded outward.

use super::irrational::{cosine_from_below, exponential, logarithm, rounded_down, rounded_up};
use super::{Rational, sum};

/// A sum of geometric weights that approximates another weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mixture {
    /// The coefficient and the discount of each node, the most patient first.
    pub nodes: Vec<(Rational, Rational)>,
    /// An upper bound on the sum over all steps of the difference of the two weights.
    pub error: Rational,
    /// The same, relative to the sum of the approximated weights.
    pub relative_error: Rational,
}

/// The weight `q^t (1 + t s/a)^(−a)`, whose sum over all t is finite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FallingWeight {
    /// a, above 1 unless q is below 1.
    pub shape: Rational,
    /// s, the rate at step 0; positive.
    pub rate: Rational,
    /// q, above 0 and at most 1.
    pub survival: Rational,
}

/// The most nodes of a mixture.
pub const MOST_NODES: usize = 400;

impl FallingWeight {
    /// A mixture that is within `error` of the weight, relative to the sum over all steps; `None` if it takes more than
    /// [`MOST_NODES`] nodes.
    pub fn mixture(&self, error: &Rational) -> Option<Mixture> {
        /// Guesses that turn out to be too coarse are refined.
        const ATTEMPTS: u32 = 6;
        let coarser = Rational::from_quotient(3, 4);
        let mut aim = error.clone();
        for _ in 0..ATTEMPTS {
            let mixture = self.attempt(&aim)?;
            if mixture.relative_error <= *error {
                return Some(mixture);
            }
            aim *= &coarser;
        }
        None
    }

    /// A mixture whose error is about `aim`.
    fn attempt(&self, aim: &Rational) -> Option<Mixture> {
        let rule = Rule::with_error(&self.shape, &(aim / Rational::from(2)));
        let nodes = Nodes { weight: self, rule: &rule, integral: integral(&self.shape, aim) };
        nodes.within(aim)
    }
}

/// The trapezoid rule for exp(a (x − e^x + 1)), with a bound of its relative error.
struct Rule {
    shape: Rational,
    step: Rational,
    error: Rational,
}

impl Rule {
    /// The rule with about the greatest step for which the error is at most about `error`.
    fn with_error(shape: &Rational, error: &Rational) -> Rule {
        let (a, target) = (shape.to_f64(), (2.0 / error.to_f64()).ln());
        let step = |phi: f64| 2.0 * std::f64::consts::PI * phi / (target - a * phi.cos().ln());
        // The best angle has tan φ = 2π/(h a).
        let angles = (0..600).map(|i| (1e-5 * 1.04f64.powi(i)).atan()).filter(|phi| phi.cos() > 1e-6);
        let phi = angles.max_by(|x, y| step(*x).total_cmp(&step(*y))).expect("there are angles");
        let short = |x: f64| rounded_down(&Rational::try_from(x).expect("a finite guess"), 20);
        let (phi, step) = (short(phi), short(step(phi)));
        let error = trapezoid_error(shape, &step, &phi);
        Rule { shape: shape.clone(), step, error }
    }

    /// e^(n h), from below and from above.
    fn power(&self, n: i64) -> [Rational; 2] {
        exponential(&(&self.step * Rational::from(n)))
    }

    /// exp(a (n h − e^(n h) + 1)), from below and from above.
    fn term(&self, n: i64) -> [Rational; 2] {
        let [below, above] = self.power(n);
        let exponent = |power: Rational| &self.shape * (&self.step * Rational::from(n) - power + Rational::ONE);
        [exponential(&exponent(above))[0].clone(), exponential(&exponent(below))[1].clone()]
    }

    /// An upper bound on the ratio of the next term outward from n to the one at n; it decreases outward.
    fn ratio(&self, n: i64, outward: i64) -> Rational {
        /// More bits than any result needs.
        const BITS: isize = 200;
        let [below, above] = self.power(n);
        let step = &self.step * Rational::from(outward);
        // a (±h − e^(n h) (e^(±h) − 1)), whose last bracket has the sign of the direction.
        let growth = &exponential(&step)[0] - Rational::ONE;
        let change = if outward > 0 { below * growth } else { above * growth };
        exponential(&(&self.shape * (step - rounded_down(&change, BITS))))[1].clone()
    }
}

/// At least 2 (cos φ)^(−a) / (e^(2πφ/h) − 1).
fn trapezoid_error(shape: &Rational, step: &Rational, phi: &Rational) -> Rational {
    let pi_from_below = Rational::from_quotient(314_159_265_358_979, 100_000_000_000_000);
    let [ln_cosine, _] = logarithm(&cosine_from_below(phi));
    let [_, numerator] = exponential(&-(shape * ln_cosine));
    let [denominator, _] = exponential(&(Rational::from(2) * pi_from_below * phi / step));
    Rational::from(2) * numerator / (denominator - Rational::ONE)
}

/// Lower and upper bounds on I, to far more digits than `aim`.
fn integral(shape: &Rational, aim: &Rational) -> [Rational; 2] {
    let finer = Rational::from(2).pow(-30);
    let rule = Rule::with_error(shape, &(aim * &finer));
    let negligible = aim * &finer;
    let [mut below, mut above] = rule.term(0);
    for outward in [-1, 1] {
        let mut n = outward;
        loop {
            let [term_below, term_above] = rule.term(n);
            if term_above < negligible {
                let ratio = rule.ratio(n, outward);
                assert!(ratio < Rational::ONE, "far out the terms fall");
                above += &term_above / (Rational::ONE - ratio);
                break;
            }
            below += term_below;
            above += term_above;
            n += outward;
        }
    }
    [below * &rule.step / (Rational::ONE + &rule.error), above * &rule.step / (Rational::ONE - &rule.error)]
}

/// 1 − e^(−y), from below and from above, of a positive y between these.
fn one_less_exponential([below, above]: [Rational; 2]) -> [Rational; 2] {
    /// Below this the difference is computed from the first terms of its series.
    const SMALL: isize = -30;
    if above > Rational::from(2).pow(SMALL) {
        return [Rational::ONE - &exponential(&-below)[1], Rational::ONE - &exponential(&-above)[0]];
    }
    let half = |y: &Rational| y * y / Rational::from(2);
    let sixth = |y: &Rational| y * y * y / Rational::from(6);
    let short = |x: Rational, round: fn(&Rational, isize) -> Rational| round(&x, 200);
    [short(&below - half(&below), rounded_down), short(&above - half(&above) + sixth(&above), rounded_up)]
}

/// The nodes of a rule, before any is left out or rounded.
struct Nodes<'a> {
    weight: &'a FallingWeight,
    rule: &'a Rule,
    /// I, from below and from above.
    integral: [Rational; 2],
}

/// A node between bounds.
struct Node {
    coefficient: [Rational; 2],
    /// 1 − λ.
    impatience: [Rational; 2],
}

impl Node {
    /// An upper bound on c/(1 − λ), the node's contribution to the sum over all steps; short, because such bounds are added.
    fn most(&self) -> Rational {
        rounded_up(&(&self.coefficient[1] / &self.impatience[0]), 64)
    }
}

impl Nodes<'_> {
    fn node(&self, n: i64) -> Node {
        let ([term_below, term_above], [below, above]) = (self.rule.term(n), &self.integral);
        let [power_below, power_above] = self.rule.power(n);
        let exponents = [power_below, power_above].map(|power| &self.weight.rate * power);
        let survival = &self.weight.survival;
        // 1 − q e^(−y) = (1 − q) + q (1 − e^(−y))
        let impatience = one_less_exponential(exponents).map(|less| Rational::ONE - survival + survival * less);
        Node { coefficient: [term_below * &self.rule.step / above, term_above * &self.rule.step / below], impatience }
    }

    /// An upper bound on the contribution of this node and all nodes beyond it; `None` if their terms do not decrease yet.
    fn rest(&self, n: i64, outward: i64, node: &Node) -> Option<Rational> {
        let ratio = self.rule.ratio(n, outward);
        // To the right, 1/(1 − λ) falls. To the left it grows by e^h at most, and never past 1/(1 − q).
        let hazard = Rational::ONE - &self.weight.survival;
        let (first, ratio) = if outward > 0 {
            (node.most(), ratio)
        } else if hazard.is_zero() {
            (node.most(), ratio * &exponential(&self.rule.step)[1])
        } else {
            (&node.coefficient[1] / hazard, ratio)
        };
        (ratio < Rational::ONE).then(|| first / (Rational::ONE - ratio))
    }

    fn within(&self, aim: &Rational) -> Option<Mixture> {
        let middle = self.node(0);
        let mut total = middle.most();
        let mut kept = vec![middle];
        let mut left_out = Rational::ZERO;
        for (outward, share) in [(1, Rational::from_quotient(1, 50)), (-1, Rational::from_quotient(9, 20))] {
            let mut n = outward;
            loop {
                let node = self.node(n);
                let (own, negligible) = (node.most(), aim * &share * &total);
                let rest = if own <= negligible { self.rest(n, outward, &node) } else { None };
                if let Some(rest) = rest.filter(|rest| *rest <= negligible) {
                    left_out += rest;
                    break;
                }
                total += own;
                kept.push(node);
                if kept.len() > MOST_NODES {
                    return None;
                }
                n += outward;
            }
        }
        let mut nodes: Vec<(Rational, Rational)> = Vec::with_capacity(kept.len());
        let relative = aim / Rational::from(256);
        for node in &kept {
            let [coefficient, impatience] = [&node.coefficient, &node.impatience].map(|ends| simplest(ends, &relative));
            left_out += rounding_error(node, &coefficient, &impatience);
            nodes.push((coefficient, Rational::ONE - impatience));
        }
        nodes.sort_by(|x, y| y.1.cmp(&x.1));
        let own_sum = sum(nodes.iter().map(|(c, discount)| c / (Rational::ONE - discount)));
        let epsilon = &self.rule.error;
        let most = (&own_sum + &left_out) / (Rational::ONE - epsilon);
        let least = (&own_sum - &left_out) / (Rational::ONE + epsilon);
        let error = epsilon * most + left_out;
        let relative_error = &error / least;
        let short = |x: Rational| rounded_up(&x, 16);
        Some(Mixture { nodes, error: short(error), relative_error: short(relative_error) })
    }
}

/// The simplest fraction within the relative error `relative` of a number with much tighter bounds.
fn simplest([below, above]: &[Rational; 2], relative: &Rational) -> Rational {
    let short = |x: Rational| rounded_down(&x, 100);
    let (lower, upper) = (short(above * (Rational::ONE - relative)), short(below * (Rational::ONE + relative)));
    Rational::simplest_between(lower, upper)
}

/// An upper bound on the sum over all steps of the difference between a node and its rounding.
fn rounding_error(node: &Node, coefficient: &Rational, impatience: &Rational) -> Rational {
    let farthest = |ends: &[Rational; 2], from: &Rational| {
        let [below, above] = [&ends[0] - from, &ends[1] - from].map(Rational::abs);
        below.max(above)
    };
    let of_coefficient = farthest(&node.coefficient, coefficient) / &node.impatience[0];
    let of_discount = coefficient * farthest(&node.impatience, impatience) / (&node.impatience[0] * impatience);
    rounded_up(&(of_coefficient + of_discount), 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    fn gamma(mean: &str, sd: &str) -> FallingWeight {
        let (mean, sd) = (number(mean), number(sd));
        FallingWeight { shape: &mean * &mean / (&sd * &sd), rate: mean, survival: Rational::ONE }
    }

    fn hyperbolic(k: &str, hazard: &str) -> FallingWeight {
        FallingWeight { shape: Rational::ONE, rate: number(k), survival: Rational::ONE - number(hazard) }
    }

    /// The sum over the first steps of the distance between the weight and the mixture, in plain doubles.
    fn distance(weight: &FallingWeight, mixture: &Mixture, steps: u32) -> f64 {
        let [a, s, q] = [&weight.shape, &weight.rate, &weight.survival].map(Rational::to_f64);
        // For a discount near 1 the difference from 1 is precise.
        let node = |(c, discount): &(Rational, Rational)| (c.to_f64(), (-(Rational::ONE - discount).to_f64()).ln_1p());
        let nodes: Vec<(f64, f64)> = mixture.nodes.iter().map(node).collect();
        let at = |t: f64| {
            let own = (t * q.ln() - a * (t * s / a).ln_1p()).exp();
            let other: f64 =
                nodes.iter().map(|(c, ln)| if *ln == f64::NEG_INFINITY { 0.0 } else { c * (t * ln).exp() }).sum();
            (own - other).abs()
        };
        (0..steps).map(|t| at(f64::from(t))).sum()
    }

    #[test]
    fn a_mixture_is_as_near_as_it_says_and_has_as_many_nodes_as_the_theory() {
        for (weight, error, most) in [
            (gamma("0.04", "0.03"), "1e-3", 18),
            (gamma("0.04", "0.03"), "1e-6", 46),
            (gamma("0.04", "0.03"), "1e-9", 90),
            (gamma("0.04", "0.002"), "1e-6", 46),
            (hyperbolic("1", "0.01"), "1e-6", 41),
            (hyperbolic("0.1", "0.01"), "1e-9", 76),
        ] {
            let mixture = weight.mixture(&number(error)).expect("few nodes");
            assert!(mixture.nodes.len() <= most, "{} nodes for {weight:?} at {error}", mixture.nodes.len());
            assert!(mixture.relative_error <= number(error));
            let distance = distance(&weight, &mixture, 20_000);
            // The rounding error of the doubles is far smaller.
            assert!(distance <= mixture.error.to_f64() + 1e-11, "{distance:e} {:e}", mixture.error.to_f64());
            // The bound exceeds the true error by a small factor only.
            assert!(
                distance * 50.0 >= mixture.error.to_f64() || error == "1e-9",
                "{distance:e} {:e}",
                mixture.error.to_f64()
            );
            assert!(mixture.nodes.is_sorted_by(|x, y| x.1 > y.1));
        }
    }

    #[test]
    fn what_hardly_falls_takes_too_many_nodes() {
        assert_eq!(gamma("0.04", "0.0399").mixture(&number("1e-9")), None);
    }

    #[test]
    fn the_integral_is_that_of_the_gamma_function() {
        // Γ(1) = 1 and Γ(2) = 1, so I is e and e²/4.
        for (shape, factor) in [("1", "1"), ("2", "1/4")] {
            let [below, above] = integral(&number(shape), &number("1e-9"));
            let [e_below, e_above] = exponential(&number(shape)).map(|power| power * number(factor));
            assert!(below <= e_above && e_below <= above && above - &below < below * number("1e-15"), "{shape}");
        }
    }
}
