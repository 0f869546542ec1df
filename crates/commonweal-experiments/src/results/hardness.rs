//! Why simple strategies are hard: the reductions on random formulas and games, and the size of search trees. [Thm. 1, Thm. 2]

use super::claim::{Claim, Example};
use super::lab::Lab;
use super::paper::{exact, payoffs};
use super::section::{Figure, Section};
use super::table::Table;
use super::three_sat;
use commonweal::Options;
use commonweal::internals::exact::solve;
use commonweal::internals::families::{RandomFamily, Seeded};
use commonweal::internals::model::{ChoiceId, Mdp};
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::reductions::reachability_game::{self, Game, Mover, Node};
use commonweal::internals::reductions::three_sat::{Formula, Rewards, reduce};
use commonweal::internals::search::{SearchOptions, SearchOutcome, ThresholdAnswer, positional};
use commonweal::internals::strategy::{CountingStrategy, Strategy};
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};
use std::time::Instant;

/// Clauses for each variable: about here as many formulas are satisfiable as not.
const RATIO: f64 = 4.3;
/// Models of up to this many states are also solved by trying every positional strategy.
const TRIED: usize = 6;
/// A search that needs more nodes is given up.
const MOST_NODES: u64 = 20_000;

pub fn section(lab: &mut Lab) -> anyhow::Result<Section> {
    let (formulas, games, searches) = (formulas(lab)?, games(lab)?, searches(lab)?);
    let mut section = Section::new("hardness", "Hardness")
        .saying(
            "Random formulas with three literals a clause and 4.3 clauses a variable become models by the paper's reduction, in both \
             variants. The best positional strategy earns the threshold if and only if the formula is satisfiable; whether it is \
             was found by trying every assignment. The zero-sum variant, for which the paper gives no numbers, has the discounts \
             1/2 and 1/4 and the rewards ±7 and ∓6.",
        )
        .saying(
            "Random alternating graphs become models whose welfare is 0 if and only if the safety player wins; who wins was found \
             on the graph itself. The last picture shows how many boxes branch and bound looks into, for random models with three \
             actions, four successors and discounts 0.95 and 0.9.",
        );
    section.examples.push(three_sat::example());
    let claims = claims(&formulas, &games, &searches);
    section.examples.push(Example { title: "The reductions, and searches [Thm. 1, Thm. 2]".to_owned(), claims });
    section.figures = figures(&formulas, &searches);
    section.tables.extend([formulas, games, searches]);
    Ok(section)
}

fn formulas(lab: &mut Lab) -> anyhow::Result<Table> {
    let columns =
        ["variables", "seed", "rewards", "clauses", "satisfiable", "answer", "earns_threshold", "nodes", "seconds"];
    let mut table = lab.table("hardness-sat", &columns)?;
    let (largest, each) = if lab.is_quick { (10, 2) } else { (18, 5) };
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
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
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
fn witness(
    formula: &Formula,
    reduction: &commonweal::internals::reductions::three_sat::Reduction,
    strategy: &Strategy,
) -> &'static str {
    let Strategy::Counting(counting) = strategy else { return "no" };
    let earned = exact(payoffs(&reduction.model, strategy).welfare(reduction.model.start()));
    if earned == reduction.threshold && formula.is_satisfied_by(&reduction.assignment(counting)) {
        "exactly"
    } else {
        "no"
    }
}

fn games(lab: &mut Lab) -> anyhow::Result<Table> {
    let mut table = lab.table("hardness-games", &["nodes", "seed", "rewards", "safety_wins", "welfare"])?;
    let n_games = if lab.is_quick { 40 } else { 300 };
    let bar = lab.progress("games", 2 * n_games);
    for instance in 0..n_games {
        let (n, seed) = (4 + instance % 37, lab.seed_of(instance));
        let game = random_game(seed, n);
        for (name, rewards) in
            [("single", reachability_game::Rewards::Single), ("zero-sum", reachability_game::Rewards::ZeroSum)]
        {
            table.row(&[n.to_string(), seed.to_string(), name.to_owned()], || {
                let model = reachability_game::reduce(&game, rewards);
                let welfare = solve(&model, &Options::default()).welfare(model.start());
                let sign = match exact(welfare) {
                    welfare if welfare.is_zero() => "0",
                    welfare if welfare < Rational::ZERO => "below 0",
                    _ => "above 0",
                };
                Ok(vec![if safety_wins(&game) { "yes" } else { "no" }.to_owned(), sign.to_owned()])
            })?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    table.finish()?;
    Ok(table)
}

/// A graph whose last node is the target; the game starts in the first.
fn random_game(seed: u64, n: usize) -> Game {
    let mut random = Seeded::new(seed);
    let node = |index: usize| {
        let name = format!("v{index}");
        if index == n - 1 {
            return Node { name, mover: Mover::Target, successors: Vec::new() };
        }
        // Mostly the safety player moves: otherwise the target is nearly always reached.
        let mover = if random.below(4) == 0 { Mover::Or } else { Mover::And };
        let count = 1 + random.below(2);
        let successors = random.distinct(count, n as u64).into_iter().map(|target| target as usize).collect();
        Node { name, mover, successors }
    };
    Game { nodes: (0..n).map(node).collect(), start: 0 }
}

/// Whether the safety player wins: what can be forced into the target grows until it does not.
fn safety_wins(game: &Game) -> bool {
    let mut forced: Vec<bool> = game.nodes.iter().map(|node| node.mover == Mover::Target).collect();
    loop {
        let before = forced.clone();
        for (index, node) in game.nodes.iter().enumerate() {
            forced[index] = match node.mover {
                Mover::Target => true,
                Mover::Or => node.successors.iter().any(|&next| before[next]),
                Mover::And => node.successors.iter().all(|&next| before[next]),
            };
        }
        if forced == before {
            return !forced[game.start];
        }
    }
}

fn searches(lab: &mut Lab) -> anyhow::Result<Table> {
    let mut table = lab.table("hardness-search", &["states", "seed", "status", "nodes", "all_tried", "seconds"])?;
    let (sizes, each): (Vec<usize>, usize) = if lab.is_quick {
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
            let model = family.model()?;
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
        bar.inc(1);
    }
    bar.finish_and_clear();
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

fn claims(formulas: &Table, games: &Table, searches: &Table) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (id, name, what) in
        [("hardness/sat-same", "same", "3-SAT, same rewards"), ("hardness/sat-zero-sum", "zero-sum", "3-SAT, zero-sum")]
    {
        let rows = formulas.texts("rewards").zip(formulas.texts("satisfiable")).zip(formulas.texts("answer"));
        let rows = rows.zip(formulas.texts("earns_threshold"));
        let of_kind: Vec<_> = rows.filter(|(((rewards, _), _), _)| *rewards == name).collect();
        let right =
            of_kind.iter().filter(|(((_, truth), answer), witness)| truth == answer && *witness != "no").count();
        let satisfiable = of_kind.iter().filter(|(((_, truth), _), _)| *truth == "yes").count();
        claims.push(Claim::found(
            id,
            what,
            "the threshold is earned if and only if the formula is satisfiable",
            format!("for {right} of {} formulas, {satisfiable} of them satisfiable", of_kind.len()),
            right == of_kind.len(),
        ));
    }
    for (id, name, what) in [
        ("hardness/games", "single", "reachability, one principal"),
        ("hardness/games-zero-sum", "zero-sum", "reachability, zero-sum"),
    ] {
        let rows = games.texts("rewards").zip(games.texts("safety_wins")).zip(games.texts("welfare"));
        let of_kind: Vec<_> = rows.filter(|((rewards, _), _)| *rewards == name).collect();
        let expected = |wins: &str| if wins == "yes" { "0" } else { "below 0" };
        let right = of_kind.iter().filter(|((_, wins), welfare)| *welfare == expected(wins)).count();
        let won = of_kind.iter().filter(|((_, wins), _)| *wins == "yes").count();
        claims.push(Claim::found(
            id,
            what,
            "the welfare is 0 if and only if the safety player wins",
            format!("for {right} of {} games, {won} of them won by safety", of_kind.len()),
            right == of_kind.len(),
        ));
    }
    let tried: Vec<&str> = searches.texts("all_tried").filter(|text| !text.is_empty()).collect();
    let same = tried.iter().filter(|text| **text == "the same").count();
    let largest = searches.numbers("states").into_iter().flatten().fold(0.0, f64::max);
    let solved = searches.texts("status").filter(|status| *status == "optimal").count();
    claims.push(
        Claim::check(
            "hardness/positional",
            "best positional strategies",
            "found by branch and bound as by trying all",
            format!("for {same} of {} models with up to {TRIED} states", tried.len()),
            same == tried.len(),
        )
        .noting(format!(
            "Of {} models with up to {largest} states, {solved} are solved within {MOST_NODES} nodes.",
            searches.rows.len()
        )),
    );
    claims
}

fn figures(formulas: &Table, searches: &Table) -> Vec<Figure> {
    let nodes_of = |name: &str| -> Vec<(f64, f64)> {
        let rewards = formulas.texts("rewards");
        rewards
            .zip(formulas.points("variables", &["nodes"]))
            .filter(|(kind, _)| *kind == name)
            .map(|(_, p)| p)
            .collect()
    };
    let chart = |title: &str, caption: &str, x: &str, series| Chart {
        title: title.to_owned(),
        caption: Some(caption.to_owned()),
        x: Axis { label: x.to_owned(), scale: Scale::Linear },
        y: Axis { label: "nodes".to_owned(), scale: Scale::Log },
        series,
    };
    let points = |name: &str, points| Series { name: name.to_owned(), points, mark: Mark::Points };
    let sat = chart(
        "Deciding formulas by positional strategies",
        "Nodes of the search, for random formulas with 4.3 clauses a variable.",
        "variables",
        vec![points("same rewards", nodes_of("same")), points("zero-sum", nodes_of("zero-sum"))],
    );
    let search = chart(
        "Best positional strategies of random models",
        "Nodes of the search; three actions, discounts 0.95 and 0.9.",
        "states",
        vec![points("branch and bound", searches.points("states", &["nodes"]))],
    );
    vec![Figure { name: "hardness-sat", svg: sat.svg() }, Figure { name: "hardness-search", svg: search.svg() }]
}
