//! From 3-SAT to the best positional strategy. [Thm. 1, App. B.2, Fig. 2]
//!
//! From `s0` chance leads to a variable or a clause. A variable picks one of its literals, a clause one of its own, one step
//! later, and a literal picks a sink, ⊤ or ⊥. The discounts make ⊥ worth more at the end of a short path and ⊤ at the end of
//! a long one, by c_s and c_ℓ. So `(m·c_ℓ + n·c_s)/(m + n)` is earned exactly by those strategies whose variables all end in ⊥
//! and whose clauses all end in ⊤. A literal that takes ⊤ is true; each variable picks a literal that is false, and each clause
//! one that is true. Clauses may have any number of literals; an empty clause leads to a literal that is never true.

use crate::model::{Mdp, ModelBuilder, Principal, StateId};
use crate::number::{Rational, sum};
use crate::strategy::CountingStrategy;

/// A formula in conjunctive normal form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Formula {
    n_variables: usize,
    /// Per clause its literals, each once: `x` as a positive number, `not x` as a negative one.
    clauses: Vec<Vec<i32>>,
}

impl Formula {
    /// The formula over the variables 1 to `n_variables` with these clauses; repeated literals are dropped.
    ///
    /// # Panics
    /// If a literal is 0 or beyond the variables.
    pub fn new(n_variables: usize, clauses: impl IntoIterator<Item = Vec<i32>>) -> Formula {
        let once = |clause: Vec<i32>| {
            let mut literals: Vec<i32> = Vec::with_capacity(clause.len());
            for literal in clause {
                assert!(literal != 0 && literal.unsigned_abs() as usize <= n_variables, "a literal of the formula");
                if !literals.contains(&literal) {
                    literals.push(literal);
                }
            }
            literals
        };
        Formula { n_variables, clauses: clauses.into_iter().map(once).collect() }
    }

    /// The number of variables.
    pub fn n_variables(&self) -> usize {
        self.n_variables
    }

    /// The clauses.
    pub fn clauses(&self) -> &[Vec<i32>] {
        &self.clauses
    }

    /// Whether an assignment, `true` or `false` for each variable in order, satisfies every clause.
    pub fn is_satisfied_by(&self, assignment: &[bool]) -> bool {
        let holds = |literal: &i32| assignment[literal.unsigned_abs() as usize - 1] == (*literal > 0);
        self.clauses.iter().all(|clause| clause.iter().any(holds))
    }
}

/// The rewards of the principals; the theorem holds in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rewards {
    /// Both principals get the same; discounts 0.54 and 0.4.
    #[default]
    Same,
    /// Zero-sum: the second principal's rewards are the negatives of the first's; discounts 1/2 and 1/4.
    ZeroSum,
}

impl Rewards {
    fn discounts(self) -> [Rational; 2] {
        let fraction = |a: i64, b: u64| Rational::from_quotient(a, b);
        match self {
            Rewards::Same => [fraction(27, 50), fraction(2, 5)],
            Rewards::ZeroSum => [fraction(1, 2), fraction(1, 4)],
        }
    }

    /// What the principals get for entering ⊤, and for each step there; the negative for ⊥.
    fn top(self) -> [[Rational; 2]; 2] {
        let number = |x: i32| Rational::from(x);
        match self {
            Rewards::Same => [[number(-1), number(-1)], [number(1), number(1)]],
            Rewards::ZeroSum => [[number(7), number(-7)], [number(-6), number(6)]],
        }
    }
}

/// The model of a formula, with its threshold.
#[derive(Debug, Clone)]
pub struct Reduction {
    /// The model; its start is `s0`.
    pub model: Mdp,
    /// The formula is satisfiable if and only if some positional strategy earns at least this much from the start, and if
    /// and only if some stationary strategy does. No strategy of any class earns more.
    pub threshold: Rational,
    /// The states of the literals 1, −1, 2, −2, …
    first_literal: usize,
    n_variables: usize,
}

/// The model of `formula`, and the welfare that decides it.
pub fn reduce(formula: &Formula, rewards: Rewards) -> Reduction {
    let (n, m) = (formula.n_variables, formula.clauses.len());
    let discounts = rewards.discounts();
    let mut names = vec!["s0".to_owned()];
    names.extend((1..=m).map(|clause| format!("C{clause}")));
    names.extend((1..=m).map(|clause| format!("C{clause}'")));
    names.extend((1..=n).map(|variable| format!("V{variable}")));
    names.extend((1..=n as i32).flat_map(|variable| [variable, -variable]).map(literal_name));
    names.extend(["top", "bot"].map(str::to_owned));
    let has_empty = formula.clauses.iter().any(Vec::is_empty);
    if has_empty {
        names.push("never".to_owned());
    }
    let (first_clause, first_variable) = (1, 1 + 2 * m);
    let first_literal = first_variable + n;
    let (top, bot) = (first_literal + 2 * n, first_literal + 2 * n + 1);
    let never = bot + 1;
    let literal_state =
        |literal: i32| first_literal + 2 * (literal.unsigned_abs() as usize - 1) + usize::from(literal < 0);

    let principals = Principal::numbered(&discounts).expect("discounts below 1");
    let mut builder = ModelBuilder::new(principals, names.iter().map(String::as_str)).expect("names are distinct");
    let mut add = |state: usize, action: &str, rewards: [Rational; 2], to: Vec<(usize, Rational)>| {
        let to = to.into_iter().map(|(target, p)| (StateId::from(target), p));
        builder.choice(state.into(), action, rewards, to).expect("probabilities sum to 1");
    };
    let nothing = || [Rational::ZERO, Rational::ZERO];
    let surely = |target: usize| vec![(target, Rational::ONE)];
    let [enter_top, stay_top] = rewards.top();
    let negative = |rewards: &[Rational; 2]| [-&rewards[0], -&rewards[1]];
    let (enter_bot, stay_bot) = (negative(&enter_top), negative(&stay_top));

    if n + m == 0 {
        // Without variables and clauses both the welfare and the threshold are 0.
        add(0, "down", nothing(), surely(0));
    } else {
        let share = || Rational::ONE / Rational::from(n + m);
        let asked = (first_clause..first_clause + m).chain(first_variable..first_variable + n);
        add(0, "down", nothing(), asked.map(|state| (state, share())).collect());
    }
    for clause in 0..m {
        add(first_clause + clause, "down", nothing(), surely(first_clause + m + clause));
    }
    for (index, clause) in formula.clauses.iter().enumerate() {
        let state = first_clause + m + index;
        for &literal in clause {
            add(state, &literal_name(literal), nothing(), surely(literal_state(literal)));
        }
        if clause.is_empty() {
            add(state, "never", nothing(), surely(never));
        }
    }
    for variable in 1..=n as i32 {
        for literal in [variable, -variable] {
            let state = first_variable + variable as usize - 1;
            add(state, &literal_name(literal), nothing(), surely(literal_state(literal)));
        }
    }
    for state in first_literal..first_literal + 2 * n {
        add(state, "top", enter_top.clone(), surely(top));
        add(state, "bot", enter_bot.clone(), surely(bot));
    }
    add(top, "stay", stay_top.clone(), surely(top));
    add(bot, "stay", stay_bot.clone(), surely(bot));
    if has_empty {
        add(never, "bot", enter_bot.clone(), surely(bot));
    }
    let model = builder.finish().expect("every state has a choice");
    let long = end_of_path(&discounts, 3, &enter_top, &stay_top);
    let short = end_of_path(&discounts, 2, &enter_bot, &stay_bot);
    let threshold = match n + m {
        0 => Rational::ZERO,
        total => (Rational::from(m) * long + Rational::from(n) * short) / Rational::from(total),
    };
    Reduction { model, threshold, first_literal, n_variables: n }
}

impl Reduction {
    /// The assignment of a strategy that earns the threshold: a variable is true if its positive literal takes ⊤.
    pub fn assignment(&self, strategy: &CountingStrategy) -> Vec<bool> {
        let literals = (self.first_literal..).step_by(2);
        let takes_top = |state: usize| self.model.action_name(strategy.tail(state.into())) == "top";
        literals.take(self.n_variables).map(takes_top).collect()
    }
}

/// What a path earns that enters a sink at `step` and stays.
fn end_of_path(discounts: &[Rational; 2], step: isize, enter: &[Rational; 2], stay: &[Rational; 2]) -> Rational {
    let of = |i: usize| {
        let later = &discounts[i] * &stay[i] / (Rational::ONE - &discounts[i]);
        discounts[i].pow(step) * (&enter[i] + later)
    };
    sum((0..2).map(of))
}

fn literal_name(literal: i32) -> String {
    if literal > 0 { format!("x{literal}") } else { format!("not x{}", -literal) }
}
