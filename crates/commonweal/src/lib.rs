//! Welfare-optimal strategies for principals who discount the future differently.

mod answer;
mod certificate;
mod certified;
mod evaluate;
mod evaluation;
mod exact;
mod explain;
mod exponential_sum;
mod families;
mod front;
mod io;
mod kernel;
mod landscape;
mod linear_system;
mod model;
mod number;
mod parallel;
mod principals;
mod reductions;
mod search;
mod solve;
mod stop;
mod strategy;

pub mod internals;

pub use answer::{Answer, Claim, Method};
pub use certificate::Certificate;
pub use evaluate::{Evaluation, evaluate};
pub use front::Model;
pub use io::{ParseError, ReadError, ReadOptions};
pub use model::{ModelBuilder, ModelError, Principal};
pub use number::{NumberError, Rational, Value};
pub use parallel::on_threads;
pub use solve::{DEFAULT_GAP, Engine, Options, solve};
pub use stop::{StopReason, StopSignal};
pub use strategy::Strategy;
