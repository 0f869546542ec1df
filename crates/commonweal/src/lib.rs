//! One decision-maker acts for several people with different time preferences. Which strategy is best for all of them together?
//!
//! # The problem
//!
//! One agent acts in a Markov decision process for several *principals*. Each has rewards of their own and a discount λ of
//! their own, 0 ≤ λ < 1: a reward at step j is multiplied by λ^j, so a larger λ is more patient. The *welfare* is the
//! weighted sum of their expected payoffs. With one discount the best strategy looks only at the state. With several it may
//! have to count steps: the weights of the impatient principals shrink faster, and far in the future only the most patient
//! principal matters. So the best strategy ends with a *long-term* strategy, and deviates from it for a while before.
//!
//! # The answer
//!
//! [`solve`] finds that strategy, its welfare and each principal's payoff. [`Claim`] says what is proven: the optimum in
//! fractions for a small model, bounds in doubles, with rounding errors included, for a large one. [`Options`] choose the
//! engine; by default the size of the model does. A solve that is stopped returns the bounds proven so far.
//! [`Answer::certificate`] writes a proof that a separate checker, the crate `commonweal-check`, can check.
//!
//! # An example
//!
//! Alice and Bob own a hotel that earns each of them 3 a year. In the year in which they rebuild it, each pays 1 and earns
//! nothing; from then on each earns 6 a year. Alice would rebuild now, Bob never. The best for both together is to wait two
//! years:
//!
//! ```
//! use commonweal::{Claim, Model, Options, solve};
//!
//! let hotel = Model::from_yaml(
//!     "
//! principals: # the discount of each
//!   alice: 2/3
//!   bob: 1/3
//! states: # the first one is the start
//!   old:
//!     wait: {reward: 3, to: old}
//!     rebuild: {reward: {alice: -1, bob: -1}, to: new}
//!   new:
//!     earn: {reward: 6, to: new}
//! ",
//! )?;
//! let answer = solve(&hotel, &Options::default());
//! assert_eq!(answer.claim(), Claim::Optimal);
//!
//! let start = hotel.start();
//! assert_eq!(answer.welfare(start).exact, Some("127/9".parse()?));
//! let alice = hotel.find_principal("alice").expect("a principal of the model");
//! assert_eq!(answer.payoff(alice, start).exact, Some("89/9".parse()?));
//!
//! let mut plan = Vec::new();
//! for change in answer.strategy().changes(start) {
//!     plan.push(format!("from step {}: {}", change.from, hotel.structure().action_name(change.choice)));
//! }
//! assert_eq!(plan, ["from step 0: wait", "from step 2: rebuild"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The names
//!
//! | to | there is |
//! |---|---|
//! | get a model | [`Model::read`] (YAML, JSON, DRN, UMB), [`Model::from_yaml`], [`Model::from_arrays`], [`ModelBuilder`] |
//! | solve it | [`solve`] with [`Options`]: an [`Answer`] with its [`Claim`] |
//! | ask what a strategy is worth | [`evaluate`], [`simulate`] |
//! | find the best strategy that does not count | [`positional`], [`stationary`] |
//! | compare strategies, explain an answer, vary discounts | [`questions`] |
//! | read a number | [`Value`]: a [`Rational`] if it is known, and always a lower and an upper bound in doubles; [`Step`] |
//! | stop a computation | [`StopSignal`] |
//! | write or read JSON | [`documents`] |
//!
//! [`internals`] exposes the modules of the library for experiments and benchmarks; it has no stability guarantee.
//!
//! The method is that of Bahmani, Paul, Schewe, Tasdighi Kalat and Trivedi, *Social Welfare under Heterogeneous Time
//! Preferences*, IJCAI 2026.

mod alternatives;
mod answer;
mod certificate;
mod certified;
mod commitment;
mod compare;
mod evaluate;
mod evaluation;
mod exact;
mod explain;
mod exponential_sum;
mod fair;
mod families;
mod front;
mod io;
mod kernel;
mod landscape;
mod linear_system;
mod model;
mod number;
mod outlook;
mod parallel;
mod principals;
mod quotient;
mod ranks;
mod reductions;
mod search;
mod solve;
mod stop;
mod strategy;
mod text;

pub mod documents;
pub mod internals;
pub mod questions;

pub use answer::{Answer, Claim, Method};
pub use certificate::{Certificate, NoCertificate};
pub use evaluate::{Evaluation, evaluate};
pub use evaluation::{Estimate, EvaluateError, SimulateOptions, Simulation};
pub use front::Model;
pub use io::{Discounts, ParseError, ReadError, ReadOptions};
pub use model::{
    About, Approximation, ChoiceId, ModelArrays, ModelBuilder, ModelError, NameTable, Part, Preference,
    PreferenceError, Principal, PrincipalId, Schedule, Segment, StateId, Structure,
};
pub use number::{Enclosure, NumberError, Rational, Value};
pub use parallel::on_threads;
pub use questions::{positional, simulate, stationary};
pub use search::{Search, SearchOptions};
pub use solve::{DEFAULT_GAP, Engine, Options, looked_at, solve, unsolved};
pub use stop::{Reached, StopReason, StopSignal};
pub use strategy::{Change, CountingStrategy, Lottery, OtherModel, Stationary, Step, StepError, Strategy};
