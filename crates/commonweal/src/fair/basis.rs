//! The revised simplex method with Bland's rule, over fractions or doubles.
//!
//! ```text
//! columns   the variables; per row a slack, ±1 in that row, unless it is an equation; per row an artificial, likewise
//! basis     as many columns as rows; the other columns are 0
//! core      the rows whose slack and artificial are both 0, and the variables of the basis: all that must be inverted
//! ```
//!
//! The core of a program over the payoff set has about as many rows as there are principals. A first phase makes the artificials 0,
//! a second one maximises. An artificial that is left in the basis then belongs to a row that the others imply; it leaves when
//! a pivot would change it.
//!
//! Cost: a pivot inverts the core, (rows of the core)³ products, and prices every column.

use super::simplex::{LinearProgram, Sense};
use crate::number::Rational;
use crate::stop::{StopReason, StopSignal};
use std::cmp::Ordering;

/// A number of the method.
pub(super) trait Number: Clone {
    fn zero() -> Self;
    fn of(number: &Rational) -> Self;
    /// The sign; doubles near 0 have none.
    fn sign(&self) -> Ordering;
    fn order(&self, other: &Self) -> Ordering;
    fn negated(&self) -> Self;
    fn plus_product(&mut self, a: &Self, b: &Self);
    fn quotient(&self, other: &Self) -> Self;
    /// Whether it is the better pivot of the two, neither of which is 0.
    fn pivots_better(&self, other: &Self) -> bool;
    /// The work of a product, in about nanoseconds.
    fn work(&self) -> u64;
}

impl Number for Rational {
    fn zero() -> Rational {
        Rational::ZERO
    }

    fn of(number: &Rational) -> Rational {
        number.clone()
    }

    fn sign(&self) -> Ordering {
        self.cmp(&Rational::ZERO)
    }

    fn order(&self, other: &Rational) -> Ordering {
        self.cmp(other)
    }

    fn negated(&self) -> Rational {
        -self
    }

    fn plus_product(&mut self, a: &Rational, b: &Rational) {
        if !a.is_zero() && !b.is_zero() {
            *self += a * b;
        }
    }

    fn quotient(&self, other: &Rational) -> Rational {
        self / other
    }

    fn pivots_better(&self, other: &Rational) -> bool {
        self.bits() < other.bits()
    }

    fn work(&self) -> u64 {
        let words = self.bits() as u64 / 64 + 1;
        64 + 16 * words * words
    }
}

impl Number for f64 {
    fn zero() -> f64 {
        0.0
    }

    fn of(number: &Rational) -> f64 {
        number.to_f64()
    }

    fn sign(&self) -> Ordering {
        const NEAR: f64 = 1e-11;
        if self.abs() <= NEAR { Ordering::Equal } else { self.order(&0.0) }
    }

    fn order(&self, other: &f64) -> Ordering {
        self.partial_cmp(other).unwrap_or(Ordering::Equal)
    }

    fn negated(&self) -> f64 {
        -self
    }

    fn plus_product(&mut self, a: &f64, b: &f64) {
        *self += a * b;
    }

    fn quotient(&self, other: &f64) -> f64 {
        self / other
    }

    fn pivots_better(&self, other: &f64) -> bool {
        self.abs() > other.abs()
    }

    fn work(&self) -> u64 {
        1
    }
}

/// How the method ended.
pub(super) enum Ended<N> {
    Optimal {
        primal: Vec<N>,
        dual: Vec<N>,
    },
    Infeasible,
    Unbounded,
    /// In doubles alone: a basis became singular, or the pivots were too many.
    Lost,
}

/// How the method ended, and its last basis.
pub(super) struct Pivoted<N> {
    pub ended: Ended<N>,
    pub basis: Vec<usize>,
}

/// A program with its columns: variables, slacks, artificials.
pub(super) struct Simplex<N> {
    objective: Vec<N>,
    /// Per variable, one entry per row.
    columns: Vec<Vec<N>>,
    right: Vec<N>,
    senses: Vec<Sense>,
    pricing: Pricing,
}

struct Core<N> {
    rows: Vec<usize>,
    variables: Vec<usize>,
    /// Per variable, one entry per row.
    inverse: Vec<Vec<N>>,
    /// Per row, its slack or artificial, if that is in the basis.
    units: Vec<Option<usize>>,
}

/// Which of the columns that improve the objective enters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pricing {
    /// The first: Bland's rule, which never cycles.
    First,
    /// The one that improves most: fewer pivots, but it may cycle.
    Most,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Feasible,
    Greatest,
}

/// The entry of a slack or an artificial in its row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
    None,
}

impl<N: Number> Simplex<N> {
    pub fn of(program: &LinearProgram) -> Simplex<N> {
        let column = |j: usize| program.rows.iter().map(|row| N::of(&row.left[j])).collect();
        Simplex {
            objective: program.objective.iter().map(N::of).collect(),
            columns: (0..program.objective.len()).map(column).collect(),
            right: program.rows.iter().map(|row| N::of(&row.right)).collect(),
            senses: program.rows.iter().map(|row| row.sense).collect(),
            pricing: Pricing::First,
        }
    }

    /// The same with another rule for the column that enters.
    pub fn priced_by(self, pricing: Pricing) -> Simplex<N> {
        Simplex { pricing, ..self }
    }

    /// The slack of a row.
    pub fn slack(&self, row: usize) -> usize {
        self.n() + row
    }

    /// The artificials.
    pub fn first_basis(&self) -> Vec<usize> {
        let first = self.n() + self.m();
        (first..first + self.m()).collect()
    }

    /// More pivots than this are a cycle.
    pub fn most_pivots(&self) -> usize {
        64 + 16 * (self.n() + self.m())
    }

    /// Whether no column of this basis is negative.
    pub fn is_feasible(&self, basis: &[usize]) -> bool {
        let values = self.core(basis).map(|core| self.solution(&core, basis, &self.right));
        values.is_some_and(|values| values.iter().all(|value| value.sign() != Ordering::Less))
    }

    /// The variables and the multipliers of a basis, if it is no worse than feasible and not singular.
    pub fn at(&self, basis: &[usize]) -> Option<[Vec<N>; 2]> {
        if !self.is_feasible(basis) {
            return None;
        }
        let core = self.core(basis)?;
        let (values, prices) = (self.solution(&core, basis, &self.right), self.prices(&core, Phase::Greatest));
        match self.optimum(basis, values, prices) {
            Ended::Optimal { primal, dual } => Some([primal, dual]),
            Ended::Infeasible | Ended::Unbounded | Ended::Lost => None,
        }
    }

    /// Both phases, from a basis that is feasible.
    pub fn solve(
        &self,
        mut basis: Vec<usize>,
        most_pivots: usize,
        stop: &StopSignal,
    ) -> Result<Pivoted<N>, StopReason> {
        let ended = match self.maximise(&mut basis, Phase::Feasible, most_pivots, stop)? {
            Ended::Optimal { .. } => self.maximise(&mut basis, Phase::Greatest, most_pivots, stop)?,
            ended => ended,
        };
        Ok(Pivoted { ended, basis })
    }

    /// Pivots until no column that may enter improves the objective of the phase.
    fn maximise(
        &self,
        basis: &mut [usize],
        phase: Phase,
        most_pivots: usize,
        stop: &StopSignal,
    ) -> Result<Ended<N>, StopReason> {
        for _ in 0..most_pivots {
            stop.check()?;
            let Some(core) = self.core(basis) else { return Ok(Ended::Lost) };
            stop.spend(self.work(&core));
            let values = self.solution(&core, basis, &self.right);
            let is_missing = |(&column, value): (&usize, &N)| self.is_artificial(column) && value.sign().is_ne();
            let misses = basis.iter().zip(&values).any(is_missing);
            if phase == Phase::Feasible && !misses {
                return Ok(self.optimum(basis, values, Vec::new()));
            }
            let prices = self.prices(&core, phase);
            // Bland: the first column that improves, the first column of the basis that limits it.
            let cost = |column: usize| (column, self.reduced_cost(column, &prices, phase));
            let mut improving = (0..self.n() + self.m())
                .filter(|column| !basis.contains(column))
                .map(cost)
                .filter(|(_, cost)| cost.sign().is_gt());
            let entering = match self.pricing {
                Pricing::First => improving.next(),
                Pricing::Most => improving.reduce(|best, own| if own.1.order(&best.1).is_gt() { own } else { best }),
            };
            let Some((entering, _)) = entering else {
                return Ok(if phase == Phase::Feasible {
                    Ended::Infeasible
                } else {
                    self.optimum(basis, values, prices)
                });
            };
            let change = self.solution(&core, basis, &self.column(entering));
            let Some(leaving) = self.leaving(basis, &values, &change, phase) else { return Ok(Ended::Unbounded) };
            basis[leaving] = entering;
        }
        Ok(Ended::Lost)
    }

    /// The work of a pivot: the core is inverted, and every column priced.
    fn work(&self, core: &Core<N>) -> u64 {
        let size = core.rows.len();
        let product = core.inverse.iter().flatten().map(N::work).max().unwrap_or(1);
        (size * size * size + self.n() * size) as u64 * product
    }

    /// The place in the basis of the column that is the first to reach 0 where another one grows and takes `change` of each.
    fn leaving(&self, basis: &[usize], values: &[N], change: &[N], phase: Phase) -> Option<usize> {
        let mut first: Option<(usize, N)> = None;
        for (place, &column) in basis.iter().enumerate() {
            let limits = match change[place].sign() {
                Ordering::Less => phase == Phase::Greatest && self.is_artificial(column),
                Ordering::Equal => false,
                Ordering::Greater => true,
            };
            if !limits {
                continue;
            }
            // In the second phase an artificial is 0, and stays so.
            let ratio = values[place].quotient(&change[place]);
            let sooner = first.as_ref().is_none_or(|(other, least)| match ratio.order(least) {
                Ordering::Less => true,
                Ordering::Equal => column < basis[*other],
                Ordering::Greater => false,
            });
            if sooner {
                first = Some((place, ratio));
            }
        }
        first.map(|(place, _)| place)
    }

    fn optimum(&self, basis: &[usize], values: Vec<N>, dual: Vec<N>) -> Ended<N> {
        let mut primal = vec![N::zero(); self.n()];
        for (&column, value) in basis.iter().zip(values).filter(|(column, _)| **column < self.n()) {
            primal[column] = value;
        }
        Ended::Optimal { primal, dual }
    }

    fn n(&self) -> usize {
        self.objective.len()
    }

    fn m(&self) -> usize {
        self.right.len()
    }

    fn is_artificial(&self, column: usize) -> bool {
        column >= self.n() + self.m()
    }

    /// The row of a slack or an artificial, and its entry there: 0 for the slack that an equation has not.
    fn unit(&self, column: usize) -> Option<(usize, Sign)> {
        let row = column.checked_sub(self.n())?;
        if row >= self.m() {
            let row = row - self.m();
            let sign = if self.right[row].order(&N::zero()).is_lt() { Sign::Minus } else { Sign::Plus };
            return Some((row, sign));
        }
        let sign = match self.senses[row] {
            Sense::AtMost => Sign::Plus,
            Sense::Equal => Sign::None,
            Sense::AtLeast => Sign::Minus,
        };
        Some((row, sign))
    }

    fn column(&self, column: usize) -> Vec<N> {
        let Some((row, sign)) = self.unit(column) else { return self.columns[column].clone() };
        let mut entries = vec![N::zero(); self.m()];
        entries[row] = sign.times(&N::of(&Rational::ONE));
        entries
    }

    /// The coefficient of a column in the objective of the phase.
    fn cost(&self, column: usize, phase: Phase) -> N {
        match phase {
            Phase::Feasible if self.is_artificial(column) => N::of(&Rational::NEG_ONE),
            Phase::Greatest if column < self.n() => self.objective[column].clone(),
            Phase::Feasible | Phase::Greatest => N::zero(),
        }
    }

    fn reduced_cost(&self, column: usize, prices: &[N], phase: Phase) -> N {
        let mut cost = self.cost(column, phase);
        match self.unit(column) {
            Some((row, sign)) => cost.plus_product(&sign.times(&prices[row]).negated(), &N::of(&Rational::ONE)),
            None => self.columns[column]
                .iter()
                .zip(prices)
                .for_each(|(entry, price)| cost.plus_product(&entry.negated(), price)),
        }
        cost
    }

    /// The core of a basis, inverted; `None` if it is singular.
    fn core(&self, basis: &[usize]) -> Option<Core<N>> {
        let mut units = vec![None; self.m()];
        for &column in basis {
            if let Some((row, sign)) = self.unit(column)
                && (sign == Sign::None || units[row].replace(column).is_some())
            {
                return None;
            }
        }
        let rows: Vec<usize> = (0..self.m()).filter(|&row| units[row].is_none()).collect();
        let variables: Vec<usize> = basis.iter().copied().filter(|&column| column < self.n()).collect();
        let square =
            rows.iter().map(|&row| variables.iter().map(|&j| self.columns[j][row].clone()).collect()).collect();
        Some(Core { inverse: inverted(square)?, rows, variables, units })
    }

    /// The value of each column of the basis, in its order, if the columns sum up to `right`.
    fn solution(&self, core: &Core<N>, basis: &[usize], right: &[N]) -> Vec<N> {
        let of_variable = |row: &Vec<N>| {
            let mut value = N::zero();
            row.iter().zip(&core.rows).for_each(|(entry, &row)| value.plus_product(entry, &right[row]));
            value
        };
        let of_variables: Vec<N> = core.inverse.iter().map(of_variable).collect();
        let place = |column: usize| core.variables.iter().position(|&own| own == column).expect("in the core");
        let value = |&column: &usize| {
            let Some((row, sign)) = self.unit(column) else { return of_variables[place(column)].clone() };
            let mut left = right[row].clone();
            for (&j, value) in core.variables.iter().zip(&of_variables) {
                left.plus_product(&self.columns[j][row].negated(), value);
            }
            sign.times(&left)
        };
        basis.iter().map(value).collect()
    }

    /// One multiplier per row, such that no column of the basis has a reduced cost.
    fn prices(&self, core: &Core<N>, phase: Phase) -> Vec<N> {
        let mut prices = vec![N::zero(); self.m()];
        for (row, &column) in core.units.iter().enumerate() {
            if let Some((_, sign)) = column.and_then(|column| self.unit(column)) {
                prices[row] = sign.times(&self.cost(column.expect("it is a unit"), phase));
            }
        }
        let costs: Vec<N> = core.variables.iter().map(|&j| self.reduced_cost(j, &prices, phase)).collect();
        for (place, &row) in core.rows.iter().enumerate() {
            costs.iter().zip(&core.inverse).for_each(|(cost, of)| prices[row].plus_product(cost, &of[place]));
        }
        prices
    }
}

impl Sign {
    fn times<N: Number>(self, number: &N) -> N {
        match self {
            Sign::Plus => number.clone(),
            Sign::Minus => number.negated(),
            Sign::None => N::zero(),
        }
    }
}

/// The inverse of a square matrix by elimination; `None` if it is singular or not square.
fn inverted<N: Number>(mut matrix: Vec<Vec<N>>) -> Option<Vec<Vec<N>>> {
    let size = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        if row.len() != size {
            return None;
        }
        row.extend((0..size).map(|other| N::of(&if other == index { Rational::ONE } else { Rational::ZERO })));
    }
    for index in 0..size {
        let candidates = (index..size).filter(|&row| matrix[row][index].sign().is_ne());
        let better = |one: usize, other: usize| {
            if matrix[other][index].pivots_better(&matrix[one][index]) { other } else { one }
        };
        let pivot = candidates.reduce(better)?;
        matrix.swap(index, pivot);
        let by = matrix[index][index].clone();
        let row: Vec<N> = matrix[index].iter().map(|entry| entry.quotient(&by)).collect();
        for (_, other) in matrix.iter_mut().enumerate().filter(|(other, _)| *other != index) {
            let factor = other[index].negated();
            if factor.order(&N::zero()).is_ne() {
                other.iter_mut().zip(&row).skip(index).for_each(|(entry, own)| entry.plus_product(&factor, own));
            }
        }
        matrix[index] = row;
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}
