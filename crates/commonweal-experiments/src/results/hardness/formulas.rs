//! Random formulas, decided by positional strategies of the reduction from 3-SAT. [Thm. 1]

use super::{nodes, points};
use crate::claim::Claim;
use crate::colours;
use crate::error::Error;
use crate::lab::Lab;
use crate::lab::table::Table;
use crate::paper::{exact, payoffs};
use crate::section::Figure;
use commonweal::internals::families::Seeded;
use commonweal::internals::reductions::three_sat::{Formula, Reduction, Rewards, reduce};
use commonweal::internals::search::{SearchOptions, ThresholdAnswer, positional};
use commonweal::internals::strategy::Strategy;
use std::time::Instant;

/// Clauses for each variable: about here as many formulas are satisfiable as not.
const RATIO: f64 = 4.3;

pub fn table(lab: &Lab) -> Result<Table, Error> {
    let columns =
        ["variables", "seed", "rewards", "clauses", "satisfiable", "answer", "earns_threshold", "nodes", "seconds"];
    let mut table = lab.table("hardness-sat", &columns)?;
    let (largest, each) = if lab.is_quick() { (10, 2) } else { (18, 5) };
    let bar = lab.progress("3-SAT", (largest - 2) * each * 2);
    for (instance, n) in (3..=largest).flat_map(|n| std::iter::repeat_n(n, each)).enumerate() {
        let seed = lab.seed_of(instance);
        let formula = random_formula(seed, n as u64);
        for (name, rewards) in [("same", Rewards::Same), ("zero-sum", Rewards::ZeroSum)] {
            table.row(&[n.to_string(), seed.to_string(), name.to_owned()], || {
                let reduction = reduce(&formula, rewards);
                let threshold = Some(reduction.threshold.clone());
                let began = Instant::now();
                let search = positional(&reduction.model, &SearchOptions { threshold, ..SearchOptions::default() });
                let took = began.elapsed();
                let (answer, witness) = match search.answer {
                    Some(ThresholdAnswer::Yes) => ("yes", witness(&formula, &reduction, &search.strategy)),
                    Some(ThresholdAnswer::No) => ("no", ""),
                    _ => ("unknown", ""),
                };
                Ok(vec![
                    formula.clauses().len().to_string(),
                    if is_satisfiable(&formula) { "yes" } else { "no" }.to_owned(),
                    answer.to_owned(),
                    witness.to_owned(),
                    search.nodes.to_string(),
                    lab.seconds(took),
                ])
            })?;
            bar.advance();
        }
    }
    table.finish()?;
    Ok(table)
}

fn random_formula(seed: u64, n: u64) -> Formula {
    let mut random = Seeded::new(seed);
    let clause = |_| {
        let variables = random.distinct(3, n);
        variables.iter().map(|&v| if random.below(2) == 0 { v as i32 + 1 } else { -(v as i32) - 1 }).collect()
    };
    let clauses: Vec<Vec<i32>> = (0..(RATIO * n as f64).round() as u64).map(clause).collect();
    Formula::new(n as usize, clauses)
}

/// Whether some assignment satisfies the formula: all are tried.
fn is_satisfiable(formula: &Formula) -> bool {
    let n = formula.n_variables();
    (0..1u64 << n).any(|bits| formula.is_satisfied_by(&(0..n).map(|i| bits >> i & 1 == 1).collect::<Vec<_>>()))
}

/// Whether the strategy found earns exactly the threshold and is an assignment that satisfies the formula.
fn witness(formula: &Formula, reduction: &Reduction, strategy: &Strategy) -> &'static str {
    let Strategy::Counting(counting) = strategy else { return "no" };
    let earned = exact(payoffs(&reduction.model, strategy).welfare(reduction.model.start()));
    if earned == reduction.threshold && formula.is_satisfied_by(&reduction.assignment(counting)) {
        "exactly"
    } else {
        "no"
    }
}

pub fn claims(table: &Table) -> Vec<Claim> {
    let kinds = [
        ("hardness/sat-same", "same", "3-SAT, same rewards"),
        ("hardness/sat-zero-sum", "zero-sum", "3-SAT, zero-sum"),
    ];
    let claim = |(id, name, what)| {
        let rows = table.texts("rewards").zip(table.texts("satisfiable")).zip(table.texts("answer"));
        let rows = rows.zip(table.texts("earns_threshold"));
        let of_kind: Vec<_> = rows.filter(|(((rewards, _), _), _)| *rewards == name).collect();
        let right =
            of_kind.iter().filter(|(((_, truth), answer), witness)| truth == answer && *witness != "no").count();
        let satisfiable = of_kind.iter().filter(|(((_, truth), _), _)| *truth == "yes").count();
        Claim::found(
            id,
            what,
            "the threshold is earned if and only if the formula is satisfiable",
            format!("for {right} of {} formulas, {satisfiable} of them satisfiable", of_kind.len()),
            right == of_kind.len(),
        )
    };
    kinds.map(claim).into()
}

pub fn figure(table: &Table) -> Figure {
    let of_kind = |name: &str| -> Vec<(f64, f64)> {
        let points = table.texts("rewards").zip(table.points("variables", &["nodes"]));
        points.filter(|(kind, _)| *kind == name).map(|(_, point)| point).collect()
    };
    nodes(
        "hardness-sat",
        "Deciding formulas by positional strategies",
        "Nodes of the search, for random formulas with 4.3 clauses a variable.",
        "variables",
        vec![
            points("same rewards", colours::SAME_REWARDS, of_kind("same")),
            points("zero-sum", colours::ZERO_SUM, of_kind("zero-sum")),
        ],
    )
}
