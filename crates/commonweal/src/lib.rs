//! Several people, one decision-maker, and not everybody is equally patient: what is best for all of them together?
//!
//! # The problem
//!
//! One agent acts in a Markov decision process for several *principals*. Each has rewards of their own and a discount λ of
//! their own: a reward at step j counts λ^j times. The *welfare* is the sum of what they all expect to get. With one
//! discount the best strategy looks at the state alone. With several it has to count steps: at first the impatient matter,
//! in the end only the most patient do, so the best strategy deviates for a while and then follows a *long-term* strategy for
//! ever.
//!
//! # The answer
//!
//! [`solve`] finds that strategy, what it earns and what each principal gets. It says what is proven ([`Claim`]): fractions
//! where the model is small, bounds in doubles with every rounding counted where it is large. Stopped early, it returns the
//! bounds that it has. [`Answer::certificate`] writes a proof that a separate checker follows.
//!
//! # An example
//!
//! Alice and Bob own a hotel that earns each of them 3 a year. Rebuilding costs 1, and from then on each earns 6 a year. Alice
//! would rebuild now, Bob never. The best for both together is to wait two years:
//!
//! ```
//! use commonweal::{Claim, Model, Options, solve};
//!
//! let hotel = Model::from_yaml(
//!     "
//! principals:
//!   alice: 2/3
//!   bob: 1/3
//! states:
//!   s0:
//!     a: {reward: 3, to: s0}
//!     b: {reward: -1, to: s1}
//!   s1:
//!     b: {reward: 6, to: s1}
//! ",
//! )?;
//! let answer = solve(&hotel, &Options::default());
//! assert_eq!(answer.claim(), Claim::Optimal);
//!
//! let start = hotel.start();
//! assert_eq!(answer.welfare(start).exact, Some("127/9".parse()?));
//! let alice = hotel.find_principal("alice").expect("she is there");
//! assert_eq!(answer.payoff(alice, start).exact, Some("89/9".parse()?));
//!
//! // What to do in s0: `a` from step 0 on, `b` from step 2 on.
//! let steps: Vec<String> = answer.strategy().changes(start).iter().map(|change| change.from.to_string()).collect();
//! assert_eq!(steps, ["0", "2"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The names
//!
//! | to | there is |
//! |---|---|
//! | get a model | [`Model::read`], [`Model::from_yaml`], [`ModelBuilder`] |
//! | solve it | [`solve`] with [`Options`]; an [`Answer`] with its [`Claim`] |
//! | ask about a strategy | [`evaluate`], [`simulate`] |
//! | ask for simpler strategies | [`positional`], [`stationary`] |
//! | compare, explain, vary discounts | [`questions`] |
//! | read numbers | [`Rational`], [`Value`], [`Step`] |
//! | stop | [`StopSignal`] |
//! | write or read JSON | [`documents`] |
//!
//! [`internals`] is what is inside, for experiments and benchmarks; nothing in it is promised to stay.
//!
//! The method is that of Bahmani, Paul, Schewe, Tasdighi Kalat and Trivedi, *Social Welfare under Heterogeneous Time
//! Preferences*, IJCAI 2026.

mod answer;
mod certificate;
mod certified;
mod compare;
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
mod text;

pub mod documents;
pub mod internals;
pub mod questions;

pub use answer::{Answer, Claim, Method};
pub use certificate::{Certificate, NoCertificate};
pub use evaluate::{Evaluation, evaluate};
pub use evaluation::{Estimate, EvaluateError, SimulateOptions, Simulation};
pub use front::Model;
pub use io::{ParseError, ReadError, ReadOptions};
pub use model::{ChoiceId, ModelArrays, ModelBuilder, ModelError, Part, Principal, PrincipalId, StateId, Structure};
pub use number::{NumberError, Rational, Value};
pub use parallel::on_threads;
pub use questions::{positional, simulate, stationary};
pub use search::{Search, SearchOptions};
pub use solve::{DEFAULT_GAP, Engine, Options, solve};
pub use stop::{StopReason, StopSignal};
pub use strategy::{CountingStrategy, Stationary, Step, Strategy};
