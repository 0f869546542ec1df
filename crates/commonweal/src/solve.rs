//! The front door: picks the engine and asks it.

use crate::answer::Answer;
use crate::front::Model;

use crate::stop::StopSignal;
use crate::{certified, exact, parallel};

/// How to solve, and how far to go.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which engine answers. Default: the one that suits the model's size.
    pub engine: Engine,
    /// The most steps that are walked one by one; an answer that needs more gives bounds. Default: 10,000,000.
    pub layer_limit: u64,
    /// The most events, the ends of stages that are jumped over; more give bounds. Default: 1,000,000.
    pub event_limit: u64,
    /// Whether stages in which nothing changes are jumped over. Default: yes.
    pub jumps: bool,
    /// The number of threads. Default, and 0: one for each core.
    pub threads: Option<usize>,
    /// Whether the answer keeps what a certificate states. Default: no.
    pub keep_proof: bool,
    /// Looked at between steps of the computation; raised, it gives the bounds proven so far. Default: never raised.
    ///
    /// It is also where progress is read: keep a clone, and ask it from another thread how far the computation has come
    /// ([`StopSignal::reached`]). No callback: a signal that is polled costs the kernels nothing, and serves searches and
    /// simulations, which take no `Options`, as well.
    pub stop: StopSignal,
}

/// Which engine answers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Engine {
    /// The exact one where it takes seconds, otherwise the certified one.
    #[default]
    Auto,
    /// Fractions, however long it takes.
    Exact,
    /// Doubles with proven bounds, at most this gap apart, relative to the size of the welfare. A gap above 1 counts as 1.
    /// One that is not positive, and NaN, count as 0: the answer is stopped where doubles can tell no more.
    Within(f64),
}

/// The gap of a certified answer for which none was asked.
pub const DEFAULT_GAP: f64 = 1e-9;

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: Engine::Auto,
            layer_limit: 10_000_000,
            event_limit: 1_000_000,
            jumps: true,
            threads: None,
            keep_proof: false,
            stop: StopSignal::default(),
        }
    }
}

/// The welfare-optimal counting strategy of `model`, exactly or between proven bounds; wider bounds if `options` stop it
/// on the way.
///
/// ```
/// use commonweal::{Claim, Model, Options, solve};
/// let hotel = Model::from_yaml(
///     "principals: {alice: 2/3, bob: 1/3}
/// states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}",
/// )?;
/// let answer = solve(&hotel, &Options::default());
/// assert_eq!(answer.claim(), Claim::Optimal);
/// assert_eq!(answer.welfare(hotel.start()).exact, Some("127/9".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(model: &Model, options: &Options) -> Answer {
    parallel::on_threads(options.threads, || match options.engine.for_model(model) {
        Picked::Exact => exact::solve(&model.exact(), options),
        Picked::Certified { gap } => match model.doubles() {
            Ok(doubles) => certified::solve(doubles, gap, options),
            // An exact answer is within any gap.
            Err(_) => exact::solve(&model.exact(), options),
        },
    })
}

/// The engine that answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Picked {
    /// Fractions.
    Exact,
    /// Doubles, and how near the bounds are to be.
    Certified {
        /// Relative to the size of the welfare.
        gap: f64,
    },
}

/// An exact answer that takes longer than this, in seconds, is not waited for unless asked for.
const PATIENCE: f64 = 10.0;

impl Engine {
    /// The engine that answers for a model of this size, whose principals have so many parts together.
    pub fn for_size(self, n_states: u64, n_parts: usize) -> Picked {
        match self {
            Engine::Exact => Picked::Exact,
            Engine::Within(gap) => Picked::Certified { gap: if gap > 0.0 { gap.min(1.0) } else { 0.0 } },
            Engine::Auto if exact_seconds(n_states, n_parts) <= PATIENCE => Picked::Exact,
            Engine::Auto => Picked::Certified { gap: DEFAULT_GAP },
        }
    }

    /// The engine that answers for this model.
    pub fn for_model(self, model: &Model) -> Picked {
        /// Where mixtures stand for preferences, fractions gain little: only a small model is solved in them.
        const FEW_PARTS: usize = 600;
        let is_small = || model.n_states().saturating_mul(model.n_parts()) <= FEW_PARTS;
        match self {
            Engine::Auto if !model.is_exact() => Picked::Certified { gap: DEFAULT_GAP },
            Engine::Auto if model.is_approximated() && !is_small() => Picked::Certified { gap: DEFAULT_GAP },
            _ => self.for_size(model.n_states() as u64, model.n_parts()),
        }
    }
}

/// About how long the exact engine takes: its linear solves, which grow a little faster than the square of the states.
fn exact_seconds(n_states: u64, n_parts: usize) -> f64 {
    0.4 * n_parts as f64 * (n_states as f64 / 3000.0).powf(2.2)
}
