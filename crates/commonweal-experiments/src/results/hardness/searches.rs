//! The best positional strategies of random models: how large the search trees are. [Thm. 1]

use super::{nodes, points};
use crate::claim::Claim;
use crate::colours;
use crate::error::Error;
use crate::lab::Lab;
use crate::lab::table::Table;
use crate::paper::{exact, payoffs};
use crate::section::Figure;
use commonweal::internals::families::RandomFamily;
use commonweal::internals::model::{ChoiceId, Mdp};
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::search::{SearchOptions, SearchOutcome, positional};
use commonweal::internals::strategy::{CountingStrategy, Strategy};
use std::time::Instant;

/// Models of up to this many states are also solved by trying every positional strategy.
const TRIED: usize = 6;
/// A search that needs more nodes is given up.
const MOST_NODES: u64 = 20_000;

pub fn table(lab: &Lab) -> Result<Table, Error> {
    let mut table = lab.table("hardness-search", &["states", "seed", "status", "nodes", "all_tried", "seconds"])?;
    let (sizes, each): (Vec<usize>, usize) = if lab.is_quick() {
        (vec![2, 4, 6, 10, 15, 20], 3)
    } else {
        (vec![2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40], 5)
    };
    let bar = lab.progress("searches", sizes.len() * each);
    for (instance, n_states) in sizes.into_iter().flat_map(|n| std::iter::repeat_n(n, each)).enumerate() {
        let seed = lab.seed_of(instance);
        table.row(&[n_states.to_string(), seed.to_string()], || {
            let family = RandomFamily {
                n_states,
                n_actions: 3,
                n_successors: 4,
                discounts: ["0.95", "0.9"].map(|text| parse_rational(text).expect("a discount")).to_vec(),
                max_denominator: 100,
                max_reward: 100,
                seed,
            };
            let model = family.model().expect("a valid family");
            let began = Instant::now();
            let search = positional(&model, &SearchOptions { node_limit: MOST_NODES, ..SearchOptions::default() });
            let took = began.elapsed();
            let is_optimal = search.outcome == SearchOutcome::Optimal;
            let tried = if n_states > TRIED {
                ""
            } else if exact(search.welfare.clone()) == best_of_all(&model) {
                "the same"
            } else {
                "different"
            };
            let status = if is_optimal { "optimal" } else { "stopped" };
            Ok(vec![status.to_owned(), search.nodes.to_string(), tried.to_owned(), lab.seconds(took)])
        })?;
        bar.advance();
    }
    table.finish()?;
    Ok(table)
}

/// The greatest welfare of a positional strategy: all are tried.
fn best_of_all(model: &Mdp) -> Rational {
    let mut strategies: Vec<Vec<ChoiceId>> = vec![Vec::new()];
    for state in model.states() {
        let longer = |strategy: &Vec<ChoiceId>| {
            model.choices(state).map(|choice| [&strategy[..], &[choice]].concat()).collect::<Vec<_>>()
        };
        strategies = strategies.iter().flat_map(longer).collect();
    }
    let welfare = |choices: Vec<ChoiceId>| {
        let strategy = Strategy::Counting(CountingStrategy::positional(choices));
        exact(payoffs(model, &strategy).welfare(model.start()))
    };
    strategies.into_iter().map(welfare).max().expect("there is a strategy")
}

pub fn claim(table: &Table) -> Claim {
    let tried: Vec<&str> = table.texts("all_tried").filter(|text| !text.is_empty()).collect();
    let same = tried.iter().filter(|text| **text == "the same").count();
    let largest = table.numbers("states").into_iter().flatten().fold(0.0, f64::max);
    let solved = table.texts("status").filter(|status| *status == "optimal").count();
    let n = table.rows.len();
    Claim::check(
        "hardness/positional",
        "best positional strategies",
        "found by branch and bound as by trying all",
        format!("for {same} of {} models with up to {TRIED} states", tried.len()),
        same == tried.len(),
    )
    .noting(format!("Of {n} models with up to {largest} states, {solved} are solved within {MOST_NODES} nodes."))
}

pub fn figure(table: &Table) -> Figure {
    nodes(
        "hardness-search",
        "Best positional strategies of random models",
        "Nodes of the search; three actions, discounts 0.95 and 0.9.",
        "states",
        vec![points("branch and bound", colours::BRANCH_AND_BOUND, table.points("states", &["nodes"]))],
    )
}
