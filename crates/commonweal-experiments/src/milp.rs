//! The best positional strategy as a mixed-integer program: a second method, to compare the first with.
//!
//! One discounted occupation measure x_i per principal, coupled by one binary b(s,a) per choice:
//!
//! ```text
//! max Σ_i Σ_{s,a} R_i(s,a) x_i(s,a)
//! Σ_a x_i(t,a) = [t = s_0] + λ_i Σ_{s,a} P(t|s,a) x_i(s,a)       for every i, t
//! x_i(s,a) ≤ X_i(s,a) b(s,a),     Σ_a b(s,a) = 1
//! ```
//!
//! X_i(s,a) is an upper bound on x_i(s,a): with h(t) the greatest expected λ_i^τ until s is first reached from t, it is
//! `h(s_0) / (1 − λ_i Σ_t P(t|s,a) h(t))`. Tight bounds make the program solvable. It is solved in doubles within tolerances:
//! the strategy found is evaluated exactly, but its optimality is only the solver's claim.

use commonweal::internals::Numbers;
use commonweal::internals::principals::order_unless;
use commonweal::internals::search::{Doubles, Search, SearchOptions, claimed};
use commonweal::limits::StopReason;
use commonweal::structure::{ChoiceId, StateId};
use commonweal::{Model, Rational};
use microlp::{
    ComparisonOp, OptimizationDirection, Problem, ResumeOptions, SolveOptions, SolveOutcome, TerminationReason,
    Variable,
};
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MilpError {
    /// The solver gave up.
    #[error("the mixed-integer solver gave up ({0}); branch and bound does not need it")]
    Solver(String),
    /// A time preference has several segments.
    #[error(
        "there is no mixed-integer program for time preferences that change at some step; branch and bound solves it"
    )]
    Segments,
    /// Stopped before any strategy was found.
    #[error("stopped before the mixed-integer solver found a strategy: {0}")]
    Stopped(StopReason),
}

/// How long the solver runs between two polls of the stop signal.
const SLICE: Duration = Duration::from_millis(200);

/// A positional strategy that a mixed-integer solver claims to be the best, with its exact welfare.
///
/// The upper bound is the solver's, in doubles, and is not proven: the outcome is at best
/// [`Claimed`](commonweal::questions::SearchOutcome::Claimed). The gap is
/// relative to the welfare of the strategy, and ends the solve once the solver's bound is that close. Of the other options, only
/// the stop signal and the node limit are used.
pub fn positional_by_milp(model: &Model, options: &SearchOptions) -> Result<Search, MilpError> {
    let exact = model.exact();
    let mixtures = exact.of_mixtures();
    if mixtures.principals().iter().any(|principal| principal.parts().is_none()) {
        return Err(MilpError::Segments);
    }
    let ordered = order_unless(&mixtures, &options.stop).map_err(MilpError::Stopped)?;
    let doubles = Doubles::of(&ordered, &options.stop).map_err(MilpError::Stopped)?;
    let reach = doubles.reachable(|_| true);
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let binaries = program(&doubles, &reach, &mut problem);
    let gap = options.gap.as_ref().map_or(0.0, Rational::to_f64).min(f64::MAX);
    let mut first = SolveOptions::default();
    (first.time_limit, first.mip_gap) = (Some(SLICE), gap);
    let failed = |error: microlp::Error| MilpError::Solver(error.to_string());
    let mut outcome = problem.solve_with(first).map_err(failed)?;
    let mut stopped = None;
    while outcome.termination_reason() == TerminationReason::TimeLimit {
        stopped = options.stop.reason();
        let nodes = outcome.stats().nodes_solved;
        stopped = stopped.or((nodes > options.node_limit).then_some(StopReason::NodeLimit));
        if stopped.is_some() {
            break;
        }
        let mut slice = ResumeOptions::default();
        (slice.time_limit, slice.mip_gap) = (Some(SLICE), Some(gap));
        outcome = outcome.resume_with(slice).map_err(failed)?;
    }
    let stats = outcome.stats();
    let SolveOutcome::Solution(solution) = outcome else {
        return Err(MilpError::Stopped(stopped.unwrap_or(StopReason::TimeLimit)));
    };
    let chosen = |state: StateId| {
        let choices = doubles.choices(state);
        let share = |choice: ChoiceId| binaries[choice.index()].map_or(0.0, |binary| solution.var_value(binary));
        let best = choices.clone().max_by(|&a, &b| share(a).total_cmp(&share(b)).then(b.cmp(&a)));
        best.expect("a state has a choice")
    };
    let chosen: Vec<ChoiceId> = doubles.states().map(chosen).collect();
    let bound = stats.best_bound.unwrap_or_else(|| solution.objective()).max(solution.objective());
    let claim = stopped.map_or(Ok(bound), Err);
    Ok(claimed(&exact, (&ordered, &doubles), chosen, claim, stats.nodes_solved, options))
}

/// Fills the program; returns the binaries of the choices that can be reached.
fn program(model: &Doubles, reach: &[StateId], problem: &mut Problem) -> Vec<Option<Variable>> {
    let mut binaries = vec![None; model.n_choices];
    for &state in reach {
        for choice in model.choices(state) {
            binaries[choice.index()] = Some(problem.add_binary_var(0.0));
        }
        let one: Vec<_> = model.choices(state).filter_map(|c| binaries[c.index()]).map(|b| (b, 1.0)).collect();
        problem.add_constraint(one.as_slice(), ComparisonOp::Eq, 1.0);
    }
    for i in 0..model.n {
        let mut flow: Vec<Vec<(Variable, f64)>> = vec![Vec::new(); model.n_states];
        for &state in reach {
            let reaching = discounted_reach(model, reach, i, state);
            for choice in model.choices(state) {
                let returns = model.discount[i] * model.expected(choice, &reaching);
                let most = reaching[model.start.index()] / (1.0 - returns) * (1.0 + 1e-9);
                let visits = problem.add_var(model.rewards(choice)[i], (0.0, most));
                let binary = binaries[choice.index()].expect("a choice that can be reached");
                problem.add_constraint([(visits, 1.0), (binary, -most)], ComparisonOp::Le, 0.0);
                let mut own = 1.0;
                for (target, probability) in model.row(choice) {
                    if target == state {
                        own -= model.discount[i] * probability
                    } else {
                        flow[target.index()].push((visits, -model.discount[i] * probability))
                    }
                }
                flow[state.index()].push((visits, own));
            }
        }
        for &state in reach {
            let starts = if state == model.start { 1.0 } else { 0.0 };
            problem.add_constraint(flow[state.index()].as_slice(), ComparisonOp::Eq, starts);
        }
    }
    binaries
}

/// From every state, the greatest expected λ_i^τ over all strategies, τ the time until `goal` is first reached.
fn discounted_reach(model: &Doubles, reach: &[StateId], i: usize, goal: StateId) -> Vec<f64> {
    const SETTLED: f64 = 1e-12;
    const SWEEPS: usize = 10_000;
    let mut reaching = vec![0.0; model.n_states];
    reaching[goal.index()] = 1.0;
    for _ in 0..SWEEPS {
        let mut moved = 0.0f64;
        for &state in reach.iter().rev().filter(|&&state| state != goal) {
            let best = model.choices(state).map(|choice| model.expected(choice, &reaching)).fold(0.0, f64::max);
            moved = moved.max((model.discount[i] * best - reaching[state.index()]).abs());
            reaching[state.index()] = model.discount[i] * best;
        }
        if moved <= SETTLED {
            break;
        }
    }
    reaching
}

#[cfg(test)]
mod tests {
    use super::*;
    use commonweal::internals::families::RandomFamily;
    use commonweal::questions::{SearchOutcome, positional};

    #[test]
    fn both_methods_find_strategies_of_the_same_welfare() {
        for seed in 0..60 {
            let discounts = [&["9/10", "3/10"][..], &["19/20", "9/10"], &["9/10", "3/5", "1/5"]][seed as usize % 3];
            let family = RandomFamily {
                n_states: 2 + seed as usize % 7,
                n_actions: 3,
                n_successors: 2,
                discounts: discounts.iter().map(|text| text.parse().expect("a discount")).collect(),
                max_denominator: 20,
                max_reward: 100,
                seed,
            };
            let model = Model::from(family.model().expect("a model"));
            let proven = positional(&model, &SearchOptions::default());
            let claimed = positional_by_milp(&model, &SearchOptions::default()).expect("the solver answers");
            assert_eq!((proven.outcome, claimed.outcome), (SearchOutcome::Optimal, SearchOutcome::Claimed));
            assert_eq!(claimed.welfare.exact, proven.welfare.exact, "seed {seed}");
        }
    }
}
