//! The paper's reductions, against a SAT solver and against games solved without a model.

use batsat::{BasicSolver, Lit, SolverInterface, Var, lbool};
use commonweal::Options;
use commonweal::internals::exact::solve;
use commonweal::internals::families::Seeded;
use commonweal::internals::io::{read_dimacs, read_game};
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::reductions::reachability_game::{self, Game, Mover, Node};
use commonweal::internals::reductions::three_sat::{Formula, Rewards, reduce};
use commonweal::internals::search::{SearchOptions, ThresholdAnswer, positional, stationary};
use commonweal::internals::strategy::Strategy;

const BOTH: [Rewards; 2] = [Rewards::Same, Rewards::ZeroSum];

fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

/// What a SAT solver of others says.
fn is_satisfiable(formula: &Formula) -> bool {
    let mut solver = BasicSolver::default();
    let variables: Vec<Var> = (0..formula.n_variables()).map(|_| solver.new_var_default()).collect();
    for clause in formula.clauses() {
        let literal = |&literal: &i32| Lit::new(variables[literal.unsigned_abs() as usize - 1], literal > 0);
        solver.add_clause_reuse(&mut clause.iter().map(literal).collect());
    }
    solver.solve_limited(&[]) == lbool::TRUE
}

/// Decides a formula by a positional strategy, and checks the witness.
fn decides(formula: &Formula, rewards: Rewards) -> bool {
    let reduction = reduce(formula, rewards);
    let options = SearchOptions { threshold: Some(reduction.threshold.clone()), ..SearchOptions::default() };
    let search = positional(&reduction.model, &options);
    match search.answer.expect("a threshold was asked for") {
        ThresholdAnswer::Yes => {
            let Strategy::Counting(strategy) = &search.strategy else { panic!("a positional strategy") };
            assert!(formula.is_satisfied_by(&reduction.assignment(strategy)));
            // The relaxation of everything earns no more than a satisfying strategy.
            assert_eq!(search.welfare.exact, Some(reduction.threshold));
            true
        }
        ThresholdAnswer::No => false,
        ThresholdAnswer::Unknown => panic!("undecided"),
    }
}

fn random_formula(seed: u64, n: u64, ratio: f64) -> Formula {
    let mut random = Seeded::new(seed);
    let clause = |_| {
        let variables = random.distinct(n.min(3), n);
        variables.iter().map(|&v| if random.below(2) == 0 { v as i32 + 1 } else { -(v as i32) - 1 }).collect()
    };
    Formula::new(n as usize, (0..(ratio * n as f64).round() as u64).map(clause).collect::<Vec<_>>())
}

#[test]
fn random_formulas_are_decided_as_a_sat_solver_decides_them() {
    let mut satisfiable = 0;
    for seed in 0..66 {
        let formula = random_formula(seed, 3 + seed % 18, 4.3);
        let expected = is_satisfiable(&formula);
        satisfiable += usize::from(expected);
        for rewards in BOTH {
            assert_eq!(decides(&formula, rewards), expected, "seed {seed}, {rewards:?}");
        }
    }
    assert!((7..=59).contains(&satisfiable), "both kinds are there: {satisfiable} of 66");
}

#[test]
#[ignore = "minutes: larger formulas"]
fn larger_random_formulas_are_decided_as_a_sat_solver_decides_them() {
    for seed in 0..40 {
        let formula = random_formula(10_000 + seed, 30 + seed % 11, 4.3);
        for rewards in BOTH {
            assert_eq!(decides(&formula, rewards), is_satisfiable(&formula), "seed {seed}, {rewards:?}");
        }
    }
}

#[test]
#[ignore = "reads formulas from beside the repository, where there are any"]
fn formulas_in_files_are_decided_as_a_sat_solver_decides_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/models/cnf");
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: there are no formulas");
        return;
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        let formula = read_dimacs(&std::fs::read(&path).expect("a file")).expect("a formula");
        for rewards in BOTH {
            assert_eq!(decides(&formula, rewards), is_satisfiable(&formula), "{}", path.display());
        }
    }
}

#[test]
fn odd_formulas_are_decided_too() {
    let clauses = |clauses: &[&[i32]]| clauses.iter().map(|clause| clause.to_vec()).collect::<Vec<_>>();
    for (formula, expected) in [
        (Formula::new(0, clauses(&[])), true),
        (Formula::new(3, clauses(&[])), true),
        (Formula::new(0, clauses(&[&[]])), false),
        (Formula::new(2, clauses(&[&[1, 2], &[]])), false),
        (Formula::new(1, clauses(&[&[1], &[-1]])), false),
        (Formula::new(1, clauses(&[&[1, -1]])), true),
        (Formula::new(2, clauses(&[&[1, 1, 1], &[-1, 2]])), true),
        (Formula::new(5, clauses(&[&[1, 2, 3, 4, 5], &[-1], &[-2], &[-3], &[-4]])), true),
        (Formula::new(5, clauses(&[&[1, 2, 3, 4, 5], &[-1], &[-2], &[-3], &[-4], &[-5]])), false),
    ] {
        assert_eq!(is_satisfiable(&formula), expected);
        BOTH.iter().for_each(|&rewards| assert_eq!(decides(&formula, rewards), expected, "{formula:?} {rewards:?}"));
    }
}

#[test]
fn thresholds_are_those_of_the_proof() {
    // c_s and c_ℓ as the paper prints them, and by hand for the zero-sum rewards: 1/16 and 3/64.
    for (rewards, short, long) in [(Rewards::Same, "113/43125", "13049/2156250"), (Rewards::ZeroSum, "1/16", "3/64")] {
        for (n, m) in [(1usize, 1usize), (3, 3), (20, 86), (0, 1), (4, 0)] {
            let clause = |k: usize| if n == 0 { vec![] } else { vec![(k % n) as i32 + 1] };
            let formula = Formula::new(n, (0..m).map(clause).collect::<Vec<_>>());
            let total = Rational::from(n + m);
            let expected = (Rational::from(m) * number(long) + Rational::from(n) * number(short)) / total;
            let reduction = reduce(&formula, rewards);
            assert_eq!(reduction.threshold, expected);
            if n > 0 {
                // With all of time to count, every path ends where it earns most.
                let solution = solve(&reduction.model, &Options::default());
                assert_eq!(solution.welfare(reduction.model.start()).exact, Some(expected));
            }
        }
    }
}

#[test]
fn small_formulas_are_decided_by_mixed_strategies_as_well() {
    let formula =
        |clauses: &[[i32; 2]]| Formula::new(2, clauses.iter().map(|clause| clause.to_vec()).collect::<Vec<_>>());
    let all = [[1, 2], [-1, 2], [1, -2], [-1, -2]];
    for (formula, expected) in [(formula(&all[..3]), ThresholdAnswer::Yes), (formula(&all), ThresholdAnswer::No)] {
        for rewards in BOTH {
            let reduction = reduce(&formula, rewards);
            let options = SearchOptions { threshold: Some(reduction.threshold), ..SearchOptions::default() };
            assert_eq!(stationary(&reduction.model, &options).answer, Some(expected), "{rewards:?}");
        }
    }
}

#[test]
fn the_figure_of_the_paper_is_its_own_reduction() {
    let text = b"c fig\np cnf 3 3\n1 -2 3 0\n-1 -2 3 0 -1\n 2 -3 0\n%\n0\n";
    let formula = read_dimacs(text).expect("a formula");
    let reduction = reduce(&formula, Rewards::Same);
    assert_eq!(reduction.model.n_states(), 1 + 3 + 3 + 3 + 6 + 2);
    assert!(decides(&formula, Rewards::Same));
}

fn random_game(seed: u64) -> Game {
    let mut random = Seeded::new(seed);
    let n = 2 + random.below(12);
    let node = |index: u64| {
        let kind = random.below(8);
        let mover = match kind {
            0 => Mover::Target,
            1..4 => Mover::Or,
            _ => Mover::And,
        };
        let count = 1 + random.below(3.min(n));
        let successors = random.distinct(count, n).into_iter().map(|successor| successor as usize).collect();
        let successors = if mover == Mover::Target { Vec::new() } else { successors };
        Node { name: format!("v{index}"), mover, successors }
    };
    let nodes = (0..n).map(node).collect();
    Game { nodes, start: random.below(n) as usize }
}

/// Who wins, from the definition: the safety player stays for ever inside a set that it can keep.
fn safety_wins_by_definition(game: &Game) -> bool {
    let mut safe: Vec<bool> = game.nodes.iter().map(|node| node.mover != Mover::Target).collect();
    loop {
        let keeps = |node: &Node| match node.mover {
            Mover::Target => false,
            Mover::Or => node.successors.iter().all(|&successor| safe[successor]),
            Mover::And => node.successors.iter().any(|&successor| safe[successor]),
        };
        let next: Vec<bool> = game.nodes.iter().map(keeps).zip(&safe).map(|(keeps, &safe)| keeps && safe).collect();
        if next == safe {
            return safe[game.start];
        }
        safe = next;
    }
}

#[test]
fn the_welfare_of_a_game_is_zero_if_and_only_if_the_safety_player_wins() {
    let mut wins = 0;
    for seed in 0..1_000 {
        let game = random_game(seed);
        let expected = safety_wins_by_definition(&game);
        assert_eq!(game.safety_wins(), expected, "seed {seed}");
        wins += usize::from(expected);
        for rewards in [reachability_game::Rewards::Single, reachability_game::Rewards::ZeroSum] {
            let model = reachability_game::reduce(&game, rewards);
            let welfare = solve(&model, &Options::default()).welfare(model.start()).exact.expect("an exact welfare");
            assert!(welfare <= Rational::ZERO);
            assert_eq!(welfare.is_zero(), expected, "seed {seed}, {rewards:?}");
        }
    }
    assert!((100..=900).contains(&wins), "both players win: {wins} of 1000");
}

#[test]
fn games_are_read_and_bad_ones_refused_with_their_place() {
    let game = read_game(b"# a game\nor a: b t # chance\nand b: a b\ntarget t\nstart b\n").expect("a game");
    assert_eq!((game.nodes.len(), game.start), (3, 1));
    assert_eq!(game.nodes[0].successors, [1, 2]);
    assert!(game.safety_wins());
    for (text, line, message) in [
        ("", 1, "there is no node"),
        ("or a:\n", 1, "not a line for a node"),
        ("or a: b\n", 1, "there is no node `b`"),
        ("target t\ntarget t\n", 2, "a second node `t`"),
        ("maybe t\n", 1, "`maybe` is not a kind of node"),
        ("target t\nstart u\n", 2, "there is no node `u`"),
        ("target t: u\n", 1, "not a line for a node"),
    ] {
        let error = read_game(text.as_bytes()).expect_err(text);
        assert_eq!((error.line, error.message.as_str()), (line, message), "{text:?}");
        assert!(error.help.is_some());
    }
}

#[test]
fn bad_formulas_are_refused_with_their_place() {
    for (text, line, message) in [
        ("", 1, "there is no line `p cnf …`"),
        ("c only\n1 0\n", 2, "a clause before the line `p cnf …`"),
        ("p cnf 1\n", 1, "not a line `p cnf VARIABLES CLAUSES`"),
        ("p sat 1 1\n", 1, "not a line `p cnf VARIABLES CLAUSES`"),
        ("p cnf 1 1\np cnf 1 1\n", 2, "a second line `p cnf …`"),
        ("p cnf 99999999999 1\n", 1, "99999999999 variables"),
        ("p cnf -1 1\n", 1, "`-1` is not a number of variables"),
        ("p cnf 2 1\n1 3 0\n", 2, "there is no variable 3"),
        ("p cnf 2 1\n1 x 0\n", 2, "`x` is not a literal"),
        ("p cnf 2 1\n1 99999999999 0\n", 2, "`99999999999` is not a literal"),
        ("p cnf 2 1\n1 -0\n", 2, "`-0` is not a literal"),
        ("p cnf 2 1\n1 2\n", 2, "the last clause does not end"),
        ("p cnf 2 2\n1 2 0\n", 2, "1 clause, not 2 as the line `p cnf …` says"),
        ("p cnf 2 1\n1 0 2 0\n", 2, "a clause more than the 1 of the line `p cnf …`"),
    ] {
        let error = read_dimacs(text.as_bytes()).expect_err(text);
        assert_eq!((error.line, error.message.as_str()), (line, message), "{text:?}");
        assert!(error.help.is_some());
    }
}
