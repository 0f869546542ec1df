//! Random reachability games, decided by the welfare of the reduction. [Thm. 2]

use crate::claim::Claim;
use crate::error::Error;
use crate::lab::Lab;
use crate::lab::table::Table;
use crate::paper::exact;
use commonweal::Options;
use commonweal::internals::exact::solve;
use commonweal::internals::families::Seeded;
use commonweal::internals::number::Rational;
use commonweal::internals::reductions::reachability_game::{Game, Mover, Node, Rewards, reduce};

pub fn table(lab: &Lab) -> Result<Table, Error> {
    let mut table = lab.table("hardness-games", &["nodes", "seed", "rewards", "safety_wins", "welfare"])?;
    let n_games = if lab.is_quick() { 40 } else { 300 };
    let bar = lab.progress("games", 2 * n_games);
    for instance in 0..n_games {
        let (n, seed) = (4 + instance % 37, lab.seed_of(instance));
        let game = random_game(seed, n);
        for (name, rewards) in [("single", Rewards::Single), ("zero-sum", Rewards::ZeroSum)] {
            table.row(&[n.to_string(), seed.to_string(), name.to_owned()], || {
                let model = reduce(&game, rewards);
                let welfare = solve(&model, &Options::default()).welfare(model.start());
                let sign = match exact(welfare) {
                    welfare if welfare.is_zero() => "0",
                    welfare if welfare < Rational::ZERO => "below 0",
                    _ => "above 0",
                };
                Ok(vec![if safety_wins(&game) { "yes" } else { "no" }.to_owned(), sign.to_owned()])
            })?;
            bar.advance();
        }
    }
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

/// Whether the safety player wins, by the attractor of the target.
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

pub fn claims(table: &Table) -> Vec<Claim> {
    let kinds = [
        ("hardness/games", "single", "reachability, one principal"),
        ("hardness/games-zero-sum", "zero-sum", "reachability, zero-sum"),
    ];
    let claim = |(id, name, what)| {
        let rows = table.texts("rewards").zip(table.texts("safety_wins")).zip(table.texts("welfare"));
        let of_kind: Vec<_> = rows.filter(|((rewards, _), _)| *rewards == name).collect();
        let expected = |wins: &str| if wins == "yes" { "0" } else { "below 0" };
        let right = of_kind.iter().filter(|((_, wins), welfare)| *welfare == expected(wins)).count();
        let won = of_kind.iter().filter(|((_, wins), _)| *wins == "yes").count();
        Claim::found(
            id,
            what,
            "the welfare is 0 if and only if the safety player wins",
            format!("for {right} of {} games, {won} of them won by safety", of_kind.len()),
            right == of_kind.len(),
        )
    };
    kinds.map(claim).into()
}
