//! Backward induction from a step before the horizon: bounds in place of an answer.
//!
//! From step H' on the strategy follows the long-term strategy, which gains nothing, and no strategy gains more than
//! `tail_bound`. Before it, in units of λ_0^j,
//!
//! ```text
//! L_j = Σ_i ρ_i^j Δ_i(s,σ_j(s)) + λ_0 P L_{j+1},   L_{H'} = 0        the gain of this strategy
//! U_j = max_a Σ_i ρ_i^j Δ_i(s,a) + λ_0 P U_{j+1},  U_{H'} = T(κ)     upper bound for every strategy
//! ```
//!
//! No step depends on whether two choices tie: an undecided tie makes the interval wider, not false.

use super::Problem;
use crate::exact::horizon::tail_bound;
use crate::kernel::discounted_rows::DiscountedRows;
use crate::model::ChoiceId;
use crate::number::Scaled;
use crate::parallel;
use crate::strategy::{Change, CountingStrategy, Step};

/// A strategy with its gain, and an upper bound for all strategies.
pub struct Truncated {
    /// Decisions before the last layer computed, the long-term strategy after.
    pub strategy: CountingStrategy,
    /// The strategy's gain over the long-term strategy, per start state and part, most patient first.
    pub gains: Vec<Vec<Scaled>>,
    /// An upper bound on any strategy's gain in welfare, per start state.
    pub upper: Vec<Scaled>,
}

/// Bounds from the first `n_layers` steps.
pub fn truncate(problem: Problem, n_layers: u64) -> Truncated {
    let Problem { model, long_term, advantages, ratios, .. } = problem;
    let rows: Vec<DiscountedRows> =
        (0..model.n()).map(|i| DiscountedRows::of(model.mdp(), model.discount(i))).collect();
    let bound = tail_bound(model, advantages, ratios, &Step::from(n_layers));
    let mut upper = vec![bound; model.n_states()];
    let mut gains = vec![vec![Scaled::ZERO; model.n()]; model.n_states()];
    let mut weights = ratios.weights(&Step::from(n_layers));
    let mut changes: Vec<Vec<Change>> =
        (long_term.strategy.iter()).map(|&choice| vec![Change { from: Step::from(n_layers), choice }]).collect();
    for step in (0..n_layers).rev() {
        weights = ratios.step_back(&weights);
        let now = |choice: ChoiceId| {
            let advantages = advantages.of(choice).iter().zip(&weights.scaled);
            advantages.fold(Scaled::ZERO, |sum, (advantage, weight)| sum.plus(advantage.times(*weight)))
        };
        let of_state = |index: usize| {
            let choices = model.choices(index.into());
            let worth =
                |choice| now(choice).plus(rows[0].expectation(model.mdp(), choice, |target| upper[target.index()]));
            let worths: Vec<(ChoiceId, Scaled)> = choices.map(|choice| (choice, worth(choice))).collect();
            let greatest = worths.iter().map(|&(_, worth)| worth).reduce(Scaled::max).expect("a state has a choice");
            // Of the choices that may be the best, the long-term one, or the first.
            let may_win = || worths.iter().filter(|(_, worth)| worth.may_reach(&greatest)).map(|&(choice, _)| choice);
            let choice = may_win().find(|choice| long_term.allowed[choice.index()]).or_else(|| may_win().next());
            let choice = choice.expect("the greatest may win");
            let gain = (0..model.n()).map(|i| {
                let later = rows[i].expectation(model.mdp(), choice, |target| gains[target.index()][i]);
                advantages.of(choice)[i].plus(later)
            });
            (choice, greatest.upper(), gain.collect::<Vec<_>>())
        };
        let layer = parallel::map(model.n_states(), of_state);
        for (index, (choice, greatest, gain)) in layer.into_iter().enumerate() {
            (upper[index], gains[index]) = (greatest, gain);
            let from = Step::from(step);
            match changes[index].last_mut() {
                Some(latest) if latest.choice == choice => latest.from = from,
                _ => changes[index].push(Change { from, choice }),
            }
        }
    }
    for changes in &mut changes {
        changes.reverse();
        changes[0].from = Step::ZERO;
    }
    let strategy = CountingStrategy::from_changes(model.mdp(), changes);
    Truncated { strategy, gains, upper }
}
