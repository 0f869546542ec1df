//! Rows, sweeps and policy iteration in doubles.

pub(crate) mod chain;
pub(crate) mod discounted_rows;
pub(crate) mod gauss_seidel;
pub(crate) mod policy_iteration;
pub(crate) mod rows;
pub(crate) mod sweep;

use crate::model::{ChoiceId, Mdp};
use crate::ranks::OneRank;

/// One pass of value iteration over all rows, for benchmarks of the memory that it moves.
pub fn one_pass(model: &Mdp<f64>) {
    let rows = &model.arrays();
    let row_length = sweep::common_length(rows.first_transition);
    let choices =
        sweep::Choices { ranks: &OneRank, rows, allowed: None, reward: rows.reward, discount: 0.9, row_length };
    let (values, mut next) = (vec![1.0; model.n_states()], vec![0.0; model.n_states()]);
    let mut policy = rows.first_choices().collect::<Vec<ChoiceId>>();
    choices.improve(0.0, &values, &mut next, &mut policy);
    std::hint::black_box(next);
}
