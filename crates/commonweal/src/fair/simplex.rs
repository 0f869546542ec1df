//! Small linear programs: guessed in doubles, proven in fractions.
//!
//! ```text
//! maximise  c·x   subject to   a_r·x ≤, =, ≥ b_r   and   x ≥ 0
//! ```
//!
//! The simplex method runs in doubles first. If its last basis is feasible in fractions, the method continues from there, and mostly
//! ends at once; otherwise it starts anew in fractions, with Bland's rule, which never cycles.

use super::basis::{Ended, Pricing, Simplex};
use crate::number::{Rational, sum};
use crate::stop::{StopReason, StopSignal};

/// How the two sides of a row compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// The left side is at most the right one.
    AtMost,
    /// The sides are equal.
    Equal,
    /// The left side is at least the right one.
    AtLeast,
}

/// A row: coefficients, one per variable, and the right side.
#[derive(Debug, Clone)]
pub struct Row {
    /// One coefficient per variable.
    pub left: Vec<Rational>,
    /// How the sides compare.
    pub sense: Sense,
    /// The right side.
    pub right: Rational,
}

/// A linear program over variables that are at least 0.
#[derive(Debug, Clone)]
pub struct LinearProgram {
    /// What is maximised, one coefficient per variable.
    pub objective: Vec<Rational>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// The result of a linear program.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// There is a greatest value.
    Optimal(Optimum),
    /// No x satisfies all rows.
    Infeasible,
    /// The objective is unbounded.
    Unbounded,
}

/// The greatest value of a linear program.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// c·x.
    pub value: Rational,
    /// A vertex that attains it.
    pub primal: Vec<Rational>,
    /// One multiplier per row: at least 0 for `AtMost`, at most 0 for `AtLeast`; the right sides times these sum up to the
    /// value.
    pub dual: Vec<Rational>,
}

impl LinearProgram {
    /// Nearly the optimum, in doubles, of which nothing is proven; `None` if they find none. The rows of `tight` have no slack at
    /// the point to start from, and its variables are not 0 there.
    pub fn nearly(&self, tight: &[(usize, usize)], stop: &StopSignal) -> Result<Option<[Vec<f64>; 2]>, StopReason> {
        let simplex = Simplex::<f64>::of(self);
        let mut start: Vec<usize> = (0..self.rows.len()).map(|row| simplex.slack(row)).collect();
        tight.iter().for_each(|&(row, variable)| start[row] = variable);
        // The rule that is fast may cycle where many bases are nearly as good.
        let mut last = None;
        for pricing in [Pricing::Most, Pricing::First] {
            let simplex = Simplex::<f64>::of(self).priced_by(pricing);
            let run = simplex.solve(start.clone(), simplex.most_pivots(), stop)?;
            if let Ended::Optimal { primal, dual } = run.ended {
                return Ok(Some([primal, dual]));
            }
            last = last.or(simplex.at(&run.basis));
        }
        Ok(last)
    }

    /// Solves the program, or returns why it was stopped.
    pub fn solve(&self, stop: &StopSignal) -> Result<Outcome, StopReason> {
        let guess = Simplex::<f64>::of(self);
        let guess = guess.solve(guess.first_basis(), guess.most_pivots(), stop)?.basis;
        let simplex = Simplex::<Rational>::of(self);
        let start = if simplex.is_feasible(&guess) { guess } else { simplex.first_basis() };
        Ok(match simplex.solve(start, usize::MAX, stop)?.ended {
            Ended::Optimal { primal, dual } => {
                let value = sum(self.objective.iter().zip(&primal).map(|(own, x)| own * x));
                Outcome::Optimal(Optimum { value, primal, dual })
            }
            Ended::Infeasible => Outcome::Infeasible,
            Ended::Unbounded => Outcome::Unbounded,
            Ended::Lost => unreachable!("no basis in fractions is singular"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;
    use proptest::prelude::*;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    fn row(left: &[i64], sense: Sense, right: i64) -> Row {
        Row { left: left.iter().map(|&x| Rational::from(x)).collect(), sense, right: Rational::from(right) }
    }

    fn program(objective: &[i64], rows: Vec<Row>) -> LinearProgram {
        LinearProgram { objective: objective.iter().map(|&x| Rational::from(x)).collect(), rows }
    }

    #[test]
    fn a_small_program_has_its_optimum_and_its_duals() {
        // A textbook example: 3x + 5y under x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18.
        let rows =
            vec![row(&[1, 0], Sense::AtMost, 4), row(&[0, 2], Sense::AtMost, 12), row(&[3, 2], Sense::AtMost, 18)];
        let Ok(Outcome::Optimal(found)) = program(&[3, 5], rows).solve(&StopSignal::default()) else {
            panic!("it has an optimum")
        };
        assert_eq!(found.value, number("36"));
        assert_eq!(found.primal, [number("2"), number("6")]);
        assert_eq!(found.dual, [number("0"), number("3/2"), number("1")]);
    }

    #[test]
    fn what_has_no_optimum_says_why() {
        let empty = vec![row(&[1], Sense::AtLeast, 2), row(&[1], Sense::AtMost, 1)];
        assert_eq!(program(&[1], empty).solve(&StopSignal::default()), Ok(Outcome::Infeasible));
        let unbounded = program(&[1, 0], vec![row(&[1, -1], Sense::AtMost, 1)]);
        assert_eq!(unbounded.solve(&StopSignal::default()), Ok(Outcome::Unbounded));
        // Beale's program cycles under the rule of the greatest cost.
        let rows = vec![
            Row {
                left: ["1/4", "-60", "-1/25", "9"].map(number).to_vec(),
                sense: Sense::AtMost,
                right: Rational::ZERO,
            },
            Row {
                left: ["1/2", "-90", "-1/50", "3"].map(number).to_vec(),
                sense: Sense::AtMost,
                right: Rational::ZERO,
            },
            row(&[0, 0, 1, 0], Sense::AtMost, 1),
        ];
        let beale = LinearProgram { objective: ["3/4", "-150", "1/50", "-6"].map(number).to_vec(), rows };
        let Ok(Outcome::Optimal(found)) = beale.solve(&StopSignal::default()) else { panic!("it has an optimum") };
        assert_eq!(found.value, number("1/20"));
    }

    proptest! {
        /// Feasible, and equal to the dual value: this proves optimality.
        #[test]
        fn primal_and_dual_prove_each_other(
            objective in prop::collection::vec(-5i64..6, 3),
            rows in prop::collection::vec((prop::collection::vec(-4i64..5, 3), 0..3, -6i64..7), 0..5),
        ) {
            let senses = [Sense::AtMost, Sense::Equal, Sense::AtLeast];
            let mut rows: Vec<Row> = rows.iter().map(|(left, sense, right)| row(left, senses[*sense as usize], *right)).collect();
            rows.push(row(&[1, 1, 1], Sense::AtMost, 10));
            let program = program(&objective, rows);
            let dot = |a: &[Rational], b: &[Rational]| a.iter().zip(b).fold(Rational::ZERO, |sum, (a, b)| sum + a * b);
            match program.solve(&StopSignal::default()) {
                Ok(Outcome::Optimal(Optimum { value, primal, dual })) => {
                    prop_assert_eq!(&dot(&program.objective, &primal), &value);
                    prop_assert!(primal.iter().all(|x| *x >= Rational::ZERO));
                    let rights: Vec<Rational> = program.rows.iter().map(|row| row.right.clone()).collect();
                    prop_assert_eq!(&dot(&dual, &rights), &value);
                    for (row, y) in program.rows.iter().zip(&dual) {
                        let left = dot(&row.left, &primal);
                        let holds = match row.sense {
                            Sense::AtMost => left <= row.right && *y >= Rational::ZERO,
                            Sense::Equal => left == row.right,
                            Sense::AtLeast => left >= row.right && *y <= Rational::ZERO,
                        };
                        prop_assert!(holds);
                    }
                    for j in 0..3 {
                        let priced = program.rows.iter().zip(&dual).fold(Rational::ZERO, |sum, (row, y)| sum + &row.left[j] * y);
                        prop_assert!(priced >= program.objective[j]);
                    }
                }
                Ok(Outcome::Infeasible) => {
                    // No point of a fine grid is feasible either.
                    for code in 0..21i64.pow(3) {
                        let x = [code % 21, code / 21 % 21, code / 441].map(|k| Rational::from_quotient(k, 2));
                        let feasible = program.rows.iter().all(|row| {
                            let left = dot(&row.left, &x);
                            match row.sense {
                                Sense::AtMost => left <= row.right,
                                Sense::Equal => left == row.right,
                                Sense::AtLeast => left >= row.right,
                            }
                        });
                        prop_assert!(!feasible);
                    }
                }
                Ok(Outcome::Unbounded) | Err(_) => prop_assert!(false, "the last row bounds it"),
            }
        }
    }
}
