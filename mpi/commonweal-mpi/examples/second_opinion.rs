//! A second opinion on the results of `commonweal-mpi solve … --out DIR`, by PETSc's own matrices and Krylov solver:
//! `mpirun -n 3 second_opinion solve … --out DIR`, with the same arguments, once there are results.
//!
//! It shares nothing with the engine but the model, which each rank asks for its states. Two answers are compared with the
//! intervals in DIR, state by state:
//! - the best welfare, by backward induction from a step after which all that can be earned is negligible;
//! - what the strategy in DIR pays each principal: the values of its last actions by KSP, then step by step back to the present.
//!
//! Both are rounded, without a proof; what rounding does to them is estimated, and must be small beside the intervals.

#[allow(dead_code)]
#[path = "../src/args.rs"]
mod args;
#[path = "../src/source.rs"]
mod source;

use anyhow::{Context, Error, ensure};
use args::{Cli, Command, SolveArgs};
use clap::Parser;
use commonweal::internals::model::OwnStates;
use petsc_shim::{Job, Matrix};
use std::ops::Range;
use std::path::Path;

fn main() {
    let job = Job::begin();
    let Command::Solve(args) = Cli::parse().command;
    if let Err(error) = Opinion::of(&job, &args).and_then(|opinion| opinion.compare(&args)) {
        eprintln!("error: {error:#}");
        job.abort(1);
    }
}

/// What a rank knows of its own states.
struct Opinion<'j> {
    job: &'j Job,
    range: Range<u64>,
    /// Where the choices of each state begin, and the end of the last.
    first: Vec<usize>,
    /// One for each choice and principal.
    rewards: Vec<f64>,
    rows: Vec<Vec<(u64, f64)>>,
    discounts: Vec<f64>,
    weights: Vec<f64>,
    /// The greatest reward of each principal, in size.
    sizes: Vec<f64>,
}

impl<'j> Opinion<'j> {
    fn of(job: &'j Job, args: &SolveArgs) -> anyhow::Result<Opinion<'j>> {
        let source = source::open(job, args)?;
        let range = OwnStates::range(source.n_states(), job.rank(), job.size());
        let (mut first, mut rewards, mut rows) = (vec![0], Vec::new(), Vec::new());
        for state in range.clone() {
            source.choices(state, &mut |choice| {
                rewards.extend_from_slice(choice.rewards);
                rows.push(choice.targets.iter().copied().zip(choice.probabilities.iter().copied()).collect());
            });
            first.push(rows.len());
        }
        let mut discounts = Vec::new();
        for principal in source.principals() {
            let discount = principal.preference().single_discount();
            discounts.push(discount.with_context(|| format!("{} has not one discount", principal.name))?.to_f64());
        }
        let weights = source.principals().iter().map(|principal| principal.weight.to_f64()).collect();
        let mut sizes = vec![0.0; discounts.len()];
        for of_choice in rewards.chunks(discounts.len()) {
            sizes.iter_mut().zip(of_choice).for_each(|(size, reward): (&mut f64, &f64)| *size = size.max(reward.abs()));
        }
        job.greatest(&mut sizes);
        Ok(Opinion { job, range, first, rewards, rows, discounts, weights, sizes })
    }

    fn compare(&self, args: &SolveArgs) -> anyhow::Result<()> {
        let folder = args.out.as_deref().context("--out: where the results are")?;
        let all = Matrix::new(self.job, self.n_own(), &self.rows);
        self.is_inside("best welfare", &folder.join("welfare.bin"), &self.best_welfare(&all))?;
        let strategy = self.strategy(folder)?;
        self.is_inside("payoffs", &folder.join("payoffs.bin"), &self.payoffs(&all, &strategy)?)
    }

    fn n_own(&self) -> usize {
        self.first.len() - 1
    }

    fn greatest(&self, numbers: impl Iterator<Item = f64>) -> f64 {
        let mut greatest = [numbers.fold(0.0, f64::max)];
        self.job.greatest(&mut greatest);
        greatest[0]
    }

    /// What can be earned from a step on, at most, in size.
    fn left_from(&self, step: i32) -> f64 {
        let of_each = self.sizes.iter().zip(&self.weights).zip(&self.discounts);
        of_each.map(|((size, weight), discount)| size * weight.abs() * discount.powi(step) / (1.0 - discount)).sum()
    }

    /// About what rounding does: a few units in the last place in every step, of which some cancel out.
    fn rounding(&self) -> f64 {
        let longest = self.greatest(self.rows.iter().map(|row| row.len() as f64));
        let lifetime = self.discounts.iter().fold(1.0, |longest: f64, discount| longest.max(1.0 / (1.0 - discount)));
        (longest + 4.0) * f64::EPSILON * self.left_from(0) * lifetime.sqrt()
    }

    /// The best welfare of each own state, by backward induction.
    fn best_welfare(&self, all: &Matrix) -> Vec<f64> {
        let n = self.discounts.len();
        let negligible = self.rounding() / 8.0;
        let n_steps = (0..).find(|&step| self.left_from(step) <= negligible).expect("discounts are below 1");
        let mut values = vec![0.0; self.n_own()];
        for step in (0..n_steps).rev() {
            let expected = all.apply(&values);
            let factors: Vec<f64> = (0..n).map(|i| self.weights[i] * self.discounts[i].powi(step)).collect();
            let of_choice = |choice: usize| {
                let rewards = self.rewards[choice * n..][..n].iter().zip(&factors);
                rewards.map(|(reward, factor)| reward * factor).sum::<f64>() + expected[choice]
            };
            for (state, value) in values.iter_mut().enumerate() {
                *value = (self.first[state]..self.first[state + 1]).map(of_choice).fold(f64::NEG_INFINITY, f64::max);
            }
        }
        values
    }

    /// What each own state does: from which step on, which choice.
    fn strategy(&self, folder: &Path) -> anyhow::Result<Vec<Vec<(u64, usize)>>> {
        let words = |name: &str, range: Range<u64>| {
            let mut words = vec![0; (range.end - range.start) as usize];
            let read = self.job.read_at(&folder.join(name), 8 * range.start, &mut words);
            read.map(|()| words).map_err(Error::msg)
        };
        let n_words = |name: &str| anyhow::Ok(std::fs::metadata(folder.join(name))?.len() / 8);
        let n_states = n_words("strategy-first.bin")?;
        let mut first = words("strategy-first.bin", self.range.start..(self.range.end + 1).min(n_states))?;
        if self.range.end == n_states {
            first.push(n_words("strategy.bin")? / 2);
        }
        let records = words("strategy.bin", 2 * first[0]..2 * first[self.n_own()])?;
        let of_state = |state: usize| {
            let [begin, end] = [state, state + 1].map(|state| 2 * (first[state] - first[0]) as usize);
            let records = records[begin..end].chunks(2);
            records.map(|record| (record[0], self.first[state] + record[1] as usize)).collect()
        };
        Ok((0..self.n_own()).map(of_state).collect())
    }

    /// What the strategy pays each principal in each own state.
    fn payoffs(&self, all: &Matrix, strategy: &[Vec<(u64, usize)>]) -> anyhow::Result<Vec<f64>> {
        let n = self.discounts.len();
        let last = |own: &Vec<(u64, usize)>| *own.last().expect("a state has a record");
        let n_steps = self.greatest(strategy.iter().map(|own| last(own).0 as f64)) as u64;
        ensure!(n_steps <= 1 << 20, "a strategy of {n_steps} steps takes too long");
        let for_ever: Vec<usize> = strategy.iter().map(|own| last(own).1).collect();
        let mut payoffs = vec![0.0; self.n_own() * n];
        for (i, &discount) in self.discounts.iter().enumerate() {
            let mut values = self.values_of(&for_ever, discount, i);
            for step in (0..n_steps).rev() {
                let expected = all.apply(&values);
                for (own, value) in strategy.iter().zip(&mut values) {
                    let choice = own.iter().rev().find(|record| record.0 <= step).expect("step 0 is there").1;
                    *value = self.rewards[choice * n + i] + discount * expected[choice];
                }
            }
            payoffs[i..].iter_mut().step_by(n).zip(values).for_each(|(payoff, value)| *payoff = value);
        }
        Ok(payoffs)
    }

    /// V with (I − λ P) V = r for these choices, by KSP. What it leaves is solved for again, until that is rounding.
    fn values_of(&self, choices: &[usize], discount: f64, i: usize) -> Vec<f64> {
        let n = self.discounts.len();
        let row = |(&choice, state): (&usize, u64)| {
            let mut row: Vec<_> = self.rows[choice].iter().map(|(target, p)| (*target, -discount * p)).collect();
            match row.iter_mut().find(|entry| entry.0 == state) {
                Some(entry) => entry.1 += 1.0,
                None => row.push((state, 1.0)),
            }
            row
        };
        let rows: Vec<Vec<(u64, f64)>> = choices.iter().zip(self.range.clone()).map(row).collect();
        let matrix = Matrix::new(self.job, self.n_own(), &rows);
        let mut values = vec![0.0; self.n_own()];
        for _ in 0..4 {
            let found = matrix.apply(&values);
            let rewards = choices.iter().map(|choice| self.rewards[choice * n + i]);
            let left: Vec<f64> = rewards.zip(found).map(|(reward, found)| reward - found).collect();
            values.iter_mut().zip(matrix.solve(&left)).for_each(|(value, correction)| *value += correction);
        }
        values
    }

    /// Whether all numbers are inside the intervals of a file.
    fn is_inside(&self, what: &str, file: &Path, numbers: &[f64]) -> anyhow::Result<()> {
        let rounding = self.rounding();
        let per_state = numbers.len().checked_div(self.n_own()).unwrap_or(0) as u64;
        let mut bounds = vec![0; 2 * numbers.len()];
        self.job.read_at(file, 16 * per_state * self.range.start, &mut bounds).map_err(Error::msg)?;
        let bounds: Vec<f64> = bounds.into_iter().map(f64::from_bits).collect();
        let outside =
            numbers.iter().zip(bounds.chunks(2)).map(|(number, ends)| (ends[0] - number).max(number - ends[1]));
        let n_outside = self.job.sum(outside.clone().filter(|&by| by > 0.0).count() as u64);
        // NaN is not inside.
        let n_far = self.job.sum(outside.filter(|by| by.is_nan() || *by > rounding).count() as u64);
        let widest = self.greatest(bounds.chunks(2).map(|ends| ends[1] - ends[0]));
        let n_numbers = self.job.sum(numbers.len() as u64);
        if self.job.rank() == 0 {
            println!(
                "{what}: {n_numbers} numbers; {n_outside} outside their intervals, {n_far} by more than rounding ({rounding:.0e}); the widest interval: {widest:.0e}"
            );
        }
        ensure!(n_far == 0, "{what}: {n_far} of {n_numbers} numbers are outside the intervals");
        Ok(())
    }
}
