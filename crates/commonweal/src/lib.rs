//! One decision-maker acts for several people with different time preferences. Which strategy is best for all of them together?
//!
//! # The problem
//!
//! One *agent* acts in a Markov decision process for several *principals*. Each principal has rewards and a time preference of
//! its own. The simplest [preference](preferences) is a discount λ, 0 ≤ λ < 1: a reward at step j counts λ^j times, so a larger λ is more
//! patient. Rates, terms of office, schedules, present bias and mixtures of discounts are others. The *welfare* is the sum of all
//! expected payoffs, each times the weight of its principal, which is 1 unless the model says otherwise.
//!
//! With one discount the best strategy looks only at the state. With several it may have to count steps: λ^j falls faster for the
//! impatient, so far in the future the most patient principal decides, and the next one where the most patient is indifferent.
//! So the best strategy ends with a *long-term* strategy, and may deviate from it for a while before.
//!
//! # The answer
//!
//! [`solve`] finds that strategy, its welfare and each principal's payoff. [`Claim`] says what is proven: that the strategy is
//! optimal, in fractions; or bounds in doubles, with rounding errors included. A solve that is stopped, or that leaves ties
//! undecided, returns bounds too. [`Options`] choose the engine. By default the model's size does, and the engines take
//! turns if the first one is slow.
//!
//! [`Answer::certificate`] writes a proof that a separate checker, the crate `commonweal-check`, can check. The answer has one if
//! it was solved with `keep_proof`, which is off by default, if the solve found the long-term strategy, and if no number of the model was rounded
//! when it was read.
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
//!     wait: {reward: 3, to: old} # one number is for everybody
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
//! | get a model | [`Model::read`] (YAML, JSON, DRN, UMB), [`Model::from_yaml`], [`Model::from_bytes`], [`Model::from_arrays`], [`Model::from_doubles`], [`ModelBuilder`] |
//! | change it | [`Model::with_discount`], [`Model::with_preference`], [`Model::with_weight`], [`Model::with_start`] |
//! | solve it | [`solve`] with [`Options`] (which [`Engine`], limits): an [`Answer`] with its [`Claim`] |
//! | prove the answer | [`Answer::certificate`], [`answers`] |
//! | ask what a strategy is worth | [`questions::evaluate`], [`questions::simulate`] |
//! | find the best strategy that does not count | [`questions::positional`], [`questions::stationary`] |
//! | be fair by another rule than the sum; find the Pareto front | [`questions::fair`], [`questions::front()`] |
//! | compare strategies, explain an answer, vary a discount, vary two | [`questions::compare`], [`questions::explain`], [`questions::sweep`], [`questions::strategy_map`] |
//! | read a number | [`Value`]: a [`Rational`] if it is known, and always a lower and an upper bound in doubles ([`numbers`]) |
//! | read a number of steps, which may be long | [`Step`] |
//! | read a strategy | [`Strategy`], [`strategies`] |
//! | name a state, a choice or a principal; state a time preference | [`structure`], [`preferences`] |
//! | stop a computation, read its progress, use fewer threads for a question | [`StopSignal`], [`limits`] |
//! | write or read JSON | [`documents`] |
//! | open and write model files, print names and numbers | [`files`], [`text`] |
//!
//! [`internals`] exposes the modules of the library to its experiments, benchmarks and tests; it has no stability guarantee.
//!
//! The method is that of Bahmani, Paul, Schewe, Tasdighi Kalat and Trivedi, *Social Welfare under Heterogeneous Time
//! Preferences*, IJCAI 2026.

mod alternatives;
mod answer;
mod any_model;
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
mod io;
mod kernel;
mod landscape;
mod linear_system;
mod model;
mod number;
mod outlook;
mod own_best;
mod parallel;
mod principals;
mod quotient;
mod ranks;
mod reductions;
mod search;
mod solve;
mod stop;
mod strategy;

pub mod documents;
pub mod files;
pub mod internals;
pub mod questions;
pub mod text;

pub use answer::{Answer, Claim};
pub use any_model::Model;
pub use model::ModelBuilder;
pub use number::{Rational, Value};
pub use solve::{Engine, Options, solve};
pub use stop::StopSignal;
pub use strategy::{Step, Strategy};

/// What a model is made of: states, choices, principals, their names and their numbers.
pub mod structure {
    pub use crate::model::{
        About, ChoiceId, ModelArrays, ModelError, NameTable, Principal, PrincipalId, StateId, Structure,
    };
}

/// Time preferences: discounts, rates, schedules, terms of office, present bias, mixtures.
pub mod preferences {
    pub use crate::model::{
        Approximation, Parameter, ParameterKind, Part, Preference, PreferenceError, Schedule, Segment,
    };
    pub use crate::principals::Group;
}

/// What an [`Answer`] is made of: how it was found, at what cost, and its certificate.
pub mod answers {
    pub use crate::answer::{Effort, Method, Timings};
    pub use crate::certificate::{Certificate, NoCertificate};
    pub use crate::solve::{DEFAULT_GAP, looked_at, unsolved};
}

/// What a [`Strategy`] is made of: changes of choice, mixes, lotteries.
pub mod strategies {
    pub use crate::strategy::{Change, Coin, CountingStrategy, Lottery, OtherModel, Stationary, StepError, Tossing};
}

/// What a [`Value`] is made of: an interval of doubles.
pub mod numbers {
    pub use crate::number::{Enclosure, NumberError};
}

/// Threads, and why and where a computation stopped.
pub mod limits {
    pub use crate::parallel::on_threads;
    pub use crate::solve::{Limits, PayoffsFrom};
    pub use crate::stop::{Reached, StopReason};
}
