//! What is inside, for experiments, benchmarks and tests. Nothing here is promised to stay.

use crate::answer::{Answer, Proof};
use crate::any_model::Model;
use crate::model::{Mdp, ModelError};
use std::borrow::Cow;

/// The numbers inside a [`Model`].
pub trait Numbers {
    /// The model in fractions. For a model read in doubles these are the exact values of the doubles, each row divided by its
    /// sum.
    fn exact(&self) -> Cow<'_, Mdp>;

    /// The model in doubles. An error if a reward is too large for one.
    fn doubles(&self) -> Result<&Mdp<f64>, ModelError>;
}

impl Numbers for Model {
    fn exact(&self) -> Cow<'_, Mdp> {
        Model::exact(self)
    }

    fn doubles(&self) -> Result<&Mdp<f64>, ModelError> {
        Model::doubles(self)
    }
}

/// What a certificate is made from, if it was kept and the long-term strategy was found.
pub fn proof(answer: &Answer) -> Option<&Proof> {
    answer.proof()
}

/// Other strategies as good as an answer.
pub mod alternatives {
    pub use crate::alternatives::*;
}

/// Answers and what they keep.
pub mod answer {
    pub use crate::answer::*;
}

/// Proofs of answers, as text.
pub mod certificate {
    pub use crate::certificate::*;
}

/// The certified engine.
pub mod certified {
    pub use crate::certified::*;
}

/// Annuities, implied rates, trajectories.
pub mod outlook {
    pub use crate::outlook::*;
}

/// Strategies without commitment to the plan.
pub mod commitment {
    pub use crate::commitment::*;
}

/// The best strategy of each class, compared with an answer.
pub mod compare {
    pub use crate::compare::*;
}

/// Payoffs of a given strategy.
pub mod evaluation {
    pub use crate::evaluation::*;
}

/// The exact engine.
pub mod exact {
    pub use crate::exact::*;
}

/// The steps of a solution.
pub mod explain {
    pub use crate::explain::*;
}

/// Signs of exponential sums.
pub mod exponential_sum {
    pub use crate::exponential_sum::*;
}

/// Rules other than the sum.
pub mod fair {
    pub use crate::fair::*;
}

/// Seeded families of models.
pub mod families {
    pub use crate::families::*;
}

/// The model as users hold it.
pub mod front {
    pub use crate::any_model::*;
}

/// Readers and writers.
pub mod io {
    pub use crate::io::*;
}

/// A kernel by itself.
pub mod kernel {
    pub use crate::kernel::one_pass;
}

/// How the best strategy depends on the discounts.
pub mod landscape {
    pub use crate::landscape::*;
}

/// Exact sparse solves.
pub mod linear_system {
    pub use crate::linear_system::*;
}

/// Models over any numbers.
pub mod model {
    pub use crate::model::*;
}

/// Fractions and enclosures.
pub mod number {
    pub use crate::number::*;
}

/// What each principal would get alone, of a model that ranks share.
pub mod own_best {
    pub use crate::own_best::*;
}

/// Threads.
pub mod parallel {
    pub use crate::parallel::with_this_thread;
}

/// Principals as a linear map onto parts.
pub mod principals {
    pub use crate::principals::*;
}

/// Models that ranks share.
pub mod ranks {
    pub use crate::ranks::*;
}

/// Formulas and games as models.
pub mod reductions {
    pub use crate::reductions::*;
}

/// Best positional and stationary strategies.
pub mod search {
    pub use crate::search::*;
}

/// The front door.
pub mod solve {
    pub use crate::solve::*;
}

/// Stopping, and progress.
pub mod stop {
    pub use crate::stop::*;
}

/// Strategies.
pub mod strategy {
    pub use crate::strategy::*;
}

/// Names as a line of text shows them.
pub mod text {
    pub use crate::text::*;
}
