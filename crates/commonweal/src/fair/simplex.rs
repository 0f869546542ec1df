//! Small linear programs in fractions: the simplex method on a tableau, with Bland's rule, which never cycles.
//!
//! ```text
//! maximise  c·x   subject to   a_r·x ≤, =, ≥ b_r   and   x ≥ 0
//! ```
//!
//! Every row has an artificial variable of its own, whose column of the tableau is the basis inverse: the duals are read
//! from there. Cost: a pivot is rows × columns products of fractions.

use crate::number::Rational;

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
    /// Solves the program.
    pub fn solve(&self) -> Outcome {
        let mut tableau = Tableau::of(self);
        tableau.maximise(|column, tableau| column < tableau.first_artificial);
        if !tableau.value().is_zero() {
            return Outcome::Infeasible;
        }
        tableau.drive_out_artificials();
        tableau.take_objective(&self.objective);
        if !tableau.maximise(|column, tableau| column < tableau.first_artificial) {
            return Outcome::Unbounded;
        }
        Outcome::Optimal(tableau.optimum(self.objective.len()))
    }
}

struct Tableau {
    /// Per row, one entry per column and the right side at the end.
    rows: Vec<Vec<Rational>>,
    /// Reduced costs c_j − c_B·B⁻¹a_j, and minus the value at the end.
    costs: Vec<Rational>,
    /// The column that is basic in each row.
    basis: Vec<usize>,
    /// Per row, whether its sides were multiplied by −1.
    flipped: Vec<bool>,
    first_artificial: usize,
}

impl Tableau {
    /// The tableau with the artificial variables in the basis, about to maximise minus their sum.
    fn of(program: &LinearProgram) -> Tableau {
        let n = program.objective.len();
        let n_slack = program.rows.iter().filter(|row| row.sense != Sense::Equal).count();
        let first_artificial = n + n_slack;
        let width = first_artificial + program.rows.len() + 1;
        let (mut rows, mut flipped, mut slack) = (Vec::new(), Vec::new(), n);
        for (index, row) in program.rows.iter().enumerate() {
            let mut entries = vec![Rational::ZERO; width];
            entries[..n].clone_from_slice(&row.left);
            entries[width - 1] = row.right.clone();
            if row.sense != Sense::Equal {
                entries[slack] = if row.sense == Sense::AtMost { Rational::ONE } else { Rational::NEG_ONE };
                slack += 1;
            }
            let flip = row.right < Rational::ZERO;
            if flip {
                entries.iter_mut().for_each(|entry| *entry = -&*entry);
            }
            entries[first_artificial + index] = Rational::ONE;
            rows.push(entries);
            flipped.push(flip);
        }
        let mut costs = vec![Rational::ZERO; width];
        for row in &rows {
            for (column, entry) in row.iter().enumerate() {
                if column < first_artificial || column == width - 1 {
                    costs[column] += entry;
                }
            }
        }
        let basis = (first_artificial..first_artificial + rows.len()).collect();
        Tableau { rows, costs, basis, flipped, first_artificial }
    }

    /// The value of the objective, negated in the last entry of the costs.
    fn value(&self) -> Rational {
        -self.costs.last().expect("a right side")
    }

    /// Pivots until no column that may enter improves the objective; false if it is unbounded.
    fn maximise(&mut self, may_enter: impl Fn(usize, &Tableau) -> bool) -> bool {
        loop {
            // Bland: the first column that improves, the first basic variable that limits it.
            let entering = (0..self.costs.len() - 1)
                .find(|&column| self.costs[column] > Rational::ZERO && may_enter(column, self));
            let Some(entering) = entering else { return true };
            let mut leaving: Option<(usize, Rational)> = None;
            for (index, row) in self.rows.iter().enumerate() {
                if row[entering] <= Rational::ZERO {
                    continue;
                }
                let ratio = row.last().expect("a right side") / &row[entering];
                let sooner = leaving.as_ref().is_none_or(|(other, least)| {
                    ratio < *least || (ratio == *least && self.basis[index] < self.basis[*other])
                });
                if sooner {
                    leaving = Some((index, ratio));
                }
            }
            let Some((leaving, _)) = leaving else { return false };
            self.pivot(leaving, entering);
        }
    }

    fn pivot(&mut self, leaving: usize, entering: usize) {
        let factor = Rational::ONE / &self.rows[leaving][entering];
        self.rows[leaving].iter_mut().filter(|entry| !entry.is_zero()).for_each(|entry| *entry *= &factor);
        let row = self.rows[leaving].clone();
        let others = self.rows.iter_mut().enumerate().filter(|(index, _)| *index != leaving).map(|(_, other)| other);
        for other in others.chain([&mut self.costs]) {
            if other[entering].is_zero() {
                continue;
            }
            let factor = other[entering].clone();
            for (entry, own) in other.iter_mut().zip(&row).filter(|(_, own)| !own.is_zero()) {
                *entry -= own * &factor;
            }
        }
        self.basis[leaving] = entering;
    }

    /// Takes artificial variables out of the basis; a row in which none can be replaced is redundant.
    fn drive_out_artificials(&mut self) {
        for index in 0..self.rows.len() {
            if self.basis[index] < self.first_artificial {
                continue;
            }
            if let Some(entering) = (0..self.first_artificial).find(|&column| !self.rows[index][column].is_zero()) {
                self.pivot(index, entering);
            }
        }
    }

    fn take_objective(&mut self, objective: &[Rational]) {
        let cost = |column: usize| objective.get(column).cloned().unwrap_or_default();
        let width = self.costs.len();
        let mut costs: Vec<Rational> = (0..width).map(cost).collect();
        for (row, &basic) in self.rows.iter().zip(&self.basis) {
            let factor = cost(basic);
            if !factor.is_zero() {
                costs.iter_mut().zip(row).for_each(|(cost, entry)| *cost -= entry * &factor);
            }
        }
        self.costs = costs;
    }

    fn optimum(&self, n: usize) -> Optimum {
        let mut primal = vec![Rational::ZERO; n];
        for (row, &basic) in self.rows.iter().zip(&self.basis).filter(|(_, basic)| **basic < n) {
            primal[basic] = row.last().expect("a right side").clone();
        }
        let multiplier = |(index, &flipped): (usize, &bool)| {
            let cost = &self.costs[self.first_artificial + index];
            if flipped { cost.clone() } else { -cost }
        };
        Optimum { value: self.value(), primal, dual: self.flipped.iter().enumerate().map(multiplier).collect() }
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
        let Outcome::Optimal(found) = program(&[3, 5], rows).solve() else { panic!("it has an optimum") };
        assert_eq!(found.value, number("36"));
        assert_eq!(found.primal, [number("2"), number("6")]);
        assert_eq!(found.dual, [number("0"), number("3/2"), number("1")]);
    }

    #[test]
    fn what_has_no_optimum_says_why() {
        let empty = vec![row(&[1], Sense::AtLeast, 2), row(&[1], Sense::AtMost, 1)];
        assert_eq!(program(&[1], empty).solve(), Outcome::Infeasible);
        assert_eq!(program(&[1, 0], vec![row(&[1, -1], Sense::AtMost, 1)]).solve(), Outcome::Unbounded);
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
        let Outcome::Optimal(found) = beale.solve() else { panic!("it has an optimum") };
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
            match program.solve() {
                Outcome::Optimal(Optimum { value, primal, dual }) => {
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
                Outcome::Infeasible => {
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
                Outcome::Unbounded => prop_assert!(false, "the last row bounds it"),
            }
        }
    }
}
