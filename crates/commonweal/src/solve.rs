//! The front door: picks the engine and runs it.

use crate::answer::{Answer, Claim, Effort, Method};
use crate::any_model::Model;
use crate::certified::SharedModel;
use crate::io::Overview;
use crate::model::Structure;
use crate::stop::{StopReason, StopSignal};
use crate::{certified, exact, parallel, principals};
use std::time::Duration;

/// How to solve, and how far to go.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which engine answers. Default: the one that suits the model's size.
    pub engine: Engine,
    /// How far it goes before it returns bounds.
    pub limits: Limits,
    /// Whether stages in which nothing changes are jumped over. Default: yes.
    pub jumps: bool,
    /// Whether a smaller model with the same answer is solved where there is one: equivalent states are merged, and in doubles
    /// choices that another one beats for everybody are left out. Default: yes. The bounds of a certified answer may differ in
    /// their last digits without; several ranks solve a model as it is.
    pub simplify: bool,
    /// The number of threads. Default, and 0: one for each core.
    pub threads: Option<usize>,
    /// Whether the answer keeps what a certificate states. Default: no.
    pub keep_proof: bool,
    /// From which states payoffs are wanted. Default: from every one.
    pub payoffs: PayoffsFrom,
    /// Looked at between steps of the computation; raised, it gives the bounds proven so far. Default: never raised.
    ///
    /// It also reports progress: keep a clone, and call [`StopSignal::reached`] from another thread. There is no callback: a
    /// polled signal costs the kernels nothing, and also works for searches and simulations, whose own options have one.
    pub stop: StopSignal,
}

/// How far a solve goes: an answer that needs more gives bounds. Both numbers are counted, so the same limits give the same answer.
/// A limit of time is part of the [`StopSignal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most layers: steps that are walked one by one. Default: 10,000,000.
    pub layers: u64,
    /// The most events: ends of stages that are jumped over. Default: 1,000,000.
    pub events: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { layers: 10_000_000, events: 1_000_000 }
    }
}

impl Limits {
    /// At most this many layers, and events as by default.
    pub fn of_layers(layers: u64) -> Limits {
        Limits { layers, ..Limits::default() }
    }

    /// What is left after this effort.
    pub(crate) fn after(self, effort: &Effort) -> Limits {
        Limits {
            layers: self.layers.saturating_sub(effort.n_layers),
            events: self.events.saturating_sub(effort.n_jumps),
        }
    }
}

/// From which states an answer has the payoffs of single principals, and the long-term welfare. It has the welfare and the strategy
/// of every state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PayoffsFrom {
    /// From every state.
    #[default]
    EveryState,
    /// From the start. For every other state a certified answer may have no more than what the rewards say of any strategy. This takes less
    /// time and memory where there are many states or principals: payoffs are then computed forwards from the start.
    Start,
}

/// Which engine answers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Engine {
    /// The exact one if it is expected to take seconds, otherwise the certified one. If the first turns out to be slow and the other
    /// is not, the other one.
    #[default]
    Auto,
    /// Fractions, however long it takes.
    Exact,
    /// Doubles with proven bounds, at most this gap apart, relative to the size of the welfare. A gap above 1 counts as 1.
    /// A gap that is not positive, or NaN, counts as 0: the answer stops at the precision of doubles.
    Within(f64),
}

impl Engine {
    /// The engine for somebody who asks for fractions (`Some(true)`), for doubles (`Some(false)`), for a gap, or for nothing. `None`
    /// if both fractions and a gap are asked for: an exact answer has no gap.
    pub fn asked(exact: Option<bool>, gap: Option<f64>) -> Option<Engine> {
        match (exact, gap) {
            (Some(true), Some(_)) => None,
            (Some(true), None) => Some(Engine::Exact),
            (Some(false), None) => Some(Engine::Within(DEFAULT_GAP)),
            (_, Some(gap)) => Some(Engine::Within(gap)),
            (None, None) => Some(Engine::Auto),
        }
    }
}

/// The gap of a certified answer for which none was asked.
pub const DEFAULT_GAP: f64 = 1e-9;

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: Engine::Auto,
            limits: Limits::default(),
            jumps: true,
            simplify: true,
            threads: None,
            keep_proof: false,
            payoffs: PayoffsFrom::default(),
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
    parallel::on_threads(options.threads, || {
        let picked = options.engine.for_model(model);
        // An exact answer is within any gap. Where fractions may be affordable, doubles that take long or cannot reach the gap
        // hand over.
        let may_be_exact = || exact_seconds(model.n_states() as u64, model.n_parts()) <= MOST_PATIENCE;
        let takes_turns = options.engine != Engine::Exact && model.is_exact() && may_be_exact();
        let picked = match picked {
            // The other half is for the approximation.
            Picked::Certified { gap } if model.is_approximated() => Picked::Certified { gap: gap / 2.0 },
            picked => picked,
        };
        let answer = if takes_turns && model.doubles().is_ok() {
            by_turns(model, picked, options)
        } else {
            solve_by(model, picked, options)
        };
        let gap_asked = if let Engine::Within(gap) = options.engine { Some(gap) } else { None };
        Answer { gap_asked, is_simplified: options.simplify, ..at_least_looked_at(model, answer) }
    })
}

/// The same in doubles for a model that ranks share, of which this one gets the answer for its own states. All ranks call it.
#[doc(hidden)]
pub fn solve_shared(shared: SharedModel, options: &Options) -> Answer {
    let gap_asked = if let Engine::Within(gap) = options.engine { Some(gap) } else { None };
    let gap = gap_asked.unwrap_or(DEFAULT_GAP);
    // The other half is for the approximation.
    let is_approximated = shared.model.principals().iter().any(|principal| principal.approximation().is_some());
    let answer = certified::solve_shared(shared, if is_approximated { gap / 2.0 } else { gap }, options);
    Answer { gap_asked, ..answer }
}

/// Fractions that a signal stops have no bounds but those of the rewards; a short look in doubles has better ones.
fn at_least_looked_at(model: &Model, answer: Answer) -> Answer {
    match answer.claim() {
        Claim::Stopped(reason @ (StopReason::Interrupted | StopReason::TimeLimit))
            if answer.method() == Method::Exact =>
        {
            match looked_at(model, reason) {
                Some(look) => narrower(answer, look, model),
                None => answer,
            }
        }
        _ => answer,
    }
}

/// What can be said of `model` without solving it: the bounds that its rewards give, and a strategy that is as good as any. For
/// those who stop a solve and cannot wait until it looks at its signal. `None` where doubles do not hold the model's numbers.
///
/// Cost: one look at every reward, far less than a sweep.
pub fn unsolved(model: &Model, reason: StopReason) -> Option<Answer> {
    model.doubles().ok().map(|doubles| certified::unsolved(doubles, reason))
}

/// What a short look of 0.3 s at `model` proves: the bounds of the certified engine, and the strategy that it has by then. The
/// answer says that it was stopped for `reason`. For those who stop a solve in fractions, which has no bounds before its end.
/// `None` where doubles do not hold the model's numbers.
pub fn looked_at(model: &Model, reason: StopReason) -> Option<Answer> {
    const LOOK: Duration = Duration::from_millis(300);
    let options = Options { stop: StopSignal::after(LOOK), ..Options::default() };
    let answer = certified::solve(model.doubles().ok()?, DEFAULT_GAP, &options);
    Some(Answer { claim: Claim::Stopped(reason), ..answer })
}

fn solve_by(model: &Model, picked: Picked, options: &Options) -> Answer {
    match picked {
        Picked::Exact => match (model.exact_unless(&options.stop), model.doubles()) {
            (Ok(exact), _) => exact::solve(&exact, options),
            (Err(reason), Ok(doubles)) => certified::unsolved(doubles, reason),
            (Err(_), Err(_)) => unreachable!("a model has numbers of one kind at least"),
        },
        Picked::Certified { gap } => match model.doubles() {
            Ok(doubles) => certified::solve(doubles, gap, options),
            // An exact answer is within any gap.
            Err(_) => exact::solve(&model.exact(), options),
        },
    }
}

/// The work, in nanoseconds, after which an engine must be near its end to continue, and the most that it may take before the
/// other one runs.
const MOMENT: u64 = 1_000_000_000;
const TURN: u64 = 10_000_000_000;
/// How much longer every turn is than the last one of the same engine.
const LONGER: u64 = 4;

/// The answer of the engine that suits the size, unless it is slow and the other one is not; neither cost is known
/// beforehand. The engines take turns of increasing length, so that the total work is at most a few times that of the better
/// one. Turns are measured by work done, so the answer is deterministic.
fn by_turns(model: &Model, first: Picked, options: &Options) -> Answer {
    let second = match first {
        Picked::Exact => Picked::Certified { gap: DEFAULT_GAP },
        Picked::Certified { .. } => Picked::Exact,
    };
    // Where fractions are expected to be long, their turn must be too, and doubles are not disturbed early.
    let are_short = Engine::Auto.for_model(model) == Picked::Exact;
    let (mut moment, mut turn) = if are_short { (MOMENT, TURN) } else { (TURN, LONGER * TURN) };
    let mut known: Option<Answer> = None;
    loop {
        for picked in [first, second] {
            let stop = options.stop.with_budget(moment, turn);
            let mut engine = picked;
            let mut answer = solve_by(model, engine, &Options { stop, ..options.clone() });
            if answer.claim == Claim::Stopped(StopReason::Precision) {
                // Doubles cannot reach the gap, however long they take. Fractions may take as long as they like where they are
                // expected to be short, and one long turn elsewhere.
                engine = Picked::Exact;
                let stop = if are_short { options.stop.clone() } else { options.stop.with_budget(turn, turn) };
                let in_fractions = solve_by(model, engine, &Options { stop, ..options.clone() });
                if in_fractions.claim == Claim::Stopped(StopReason::Work) {
                    return answer;
                }
                answer = in_fractions;
            }
            answer.is_handed_over = engine != first;
            let claim = answer.claim;
            match claim {
                Claim::Optimal | Claim::Within { .. } | Claim::Undecided(_) => return answer,
                Claim::Stopped(_) => {}
            }
            // The earlier answer may have narrower bounds than an engine that has only begun.
            let narrowest = match known.take() {
                Some(known) => narrower(known, answer, model),
                None => answer,
            };
            if claim != Claim::Stopped(StopReason::Work) {
                return Answer { claim, ..narrowest };
            }
            known = Some(narrowest);
            // If the first engine is not near its end after a moment, the second gets a whole turn.
            moment = turn;
        }
        turn = turn.saturating_mul(LONGER);
        moment = turn;
    }
}

/// The answer with the narrower bounds from the start.
fn narrower(one: Answer, other: Answer, model: &Model) -> Answer {
    let width = |answer: &Answer| answer.welfare(model.start()).enclosure.width();
    if width(&one) <= width(&other) { one } else { other }
}

/// The engine that answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Picked {
    /// Fractions.
    Exact,
    /// Doubles, and the gap of the bounds.
    Certified {
        /// Relative to the size of the welfare.
        gap: f64,
    },
}

/// If an exact answer is expected to take longer than this, in seconds, doubles are picked.
const PATIENCE: f64 = 10.0;
/// Up to this many seconds the estimate, which knows no more than the size, may be far too high: the engines take turns, and a
/// file is read as it is written. Beyond, where an elimination may take gigabytes, fractions are not tried unless asked for.
const MOST_PATIENCE: f64 = 100.0;

impl Engine {
    /// The engine that answers for this model: [`Exact`](Engine::Exact) or [`Within`](Engine::Within). For `Auto` it is the one
    /// that begins.
    pub fn suited_to(self, model: &Model) -> Engine {
        Engine::from(self.for_model(model))
    }

    /// The same for a model of this size, whose principals have `n_parts` parts in total, before it is read.
    pub fn suited_to_size(self, n_states: u64, n_parts: usize) -> Engine {
        Engine::from(self.for_size(n_states, n_parts))
    }

    /// Whether a file of this size is read in fractions for this engine: unless doubles are asked for, whenever fractions may
    /// answer in the end, be it after doubles.
    pub(crate) fn reads_fractions(self, overview: &Overview, n_parts: usize) -> bool {
        /// In fractions these take some hundred megabytes.
        const MANY_ROWS: u64 = 1_000_000;
        let rows = overview.transitions.or(overview.choices).unwrap_or(overview.states);
        match self {
            Engine::Exact => true,
            Engine::Auto => exact_seconds(overview.states, n_parts) <= MOST_PATIENCE && rows <= MANY_ROWS,
            Engine::Within(_) => false,
        }
    }

    /// The engine that answers for a model of this size, whose principals have `n_parts` parts in total.
    pub(crate) fn for_size(self, n_states: u64, n_parts: usize) -> Picked {
        match self {
            Engine::Exact => Picked::Exact,
            Engine::Within(gap) => Picked::Certified { gap: if gap > 0.0 { gap.min(1.0) } else { 0.0 } },
            Engine::Auto if exact_seconds(n_states, n_parts) <= PATIENCE => Picked::Exact,
            Engine::Auto => Picked::Certified { gap: DEFAULT_GAP },
        }
    }

    /// The same for a model whose probabilities are given as doubles and stand for decimals of this many digits, in the mean and at
    /// most. Such numbers are rounded already, so fractions are worth less patience.
    pub(crate) fn for_decimals(self, n_states: u64, n_parts: usize, digits: [f64; 2]) -> Picked {
        const LESS_PATIENCE: f64 = 1.0;
        match self {
            Engine::Auto if exact_seconds(n_states, n_parts) * slower(digits) > LESS_PATIENCE => {
                Picked::Certified { gap: DEFAULT_GAP }
            }
            Engine::Auto => Picked::Exact,
            _ => self.for_size(n_states, n_parts),
        }
    }

    /// The engine that answers for this model.
    pub(crate) fn for_model(self, model: &Model) -> Picked {
        match self {
            Engine::Auto if !model.is_exact() => Picked::Certified { gap: DEFAULT_GAP },
            _ => self.for_fractions(model.structure()),
        }
    }

    /// The engine that answers for a model whose numbers are fractions.
    pub(crate) fn for_fractions(self, model: &Structure) -> Picked {
        /// If preferences are approximated, fractions gain little: only a small model is solved in fractions.
        const FEW_PARTS: usize = 600;
        let is_approximated = model.principals().iter().any(|principal| principal.approximation().is_some());
        let is_small = || {
            let segments = principals::segments(model.principals());
            let n_parts: usize = segments.iter().map(|segment| segment.parts.len()).sum();
            model.n_states().saturating_mul(n_parts) <= FEW_PARTS
        };
        match self {
            Engine::Auto if is_approximated && !is_small() => Picked::Certified { gap: DEFAULT_GAP },
            _ => self.for_size(model.n_states() as u64, model.n_parts()),
        }
    }
}

impl From<Picked> for Engine {
    fn from(picked: Picked) -> Engine {
        match picked {
            Picked::Exact => Engine::Exact,
            Picked::Certified { gap } => Engine::Within(gap),
        }
    }
}

/// About how long the exact engine takes: its linear solves, which grow a little faster than the square of the states.
fn exact_seconds(n_states: u64, n_parts: usize) -> f64 {
    0.4 * n_parts as f64 * (n_states as f64 / 3000.0).powf(2.2)
}

/// How much slower it is with probabilities of that many decimal digits, in the mean and at most, than with short fractions:
/// values are longer in proportion, and past 12 digits the rows of its systems do not fit into machine words. Measured on rings
/// of 250 to 2,000 states with 17 digits: 40 to 58 times.
fn slower([mean, most]: [f64; 2]) -> f64 {
    const SHORT: f64 = 4.0;
    const OF_A_WORD: f64 = 12.0;
    (mean / SHORT).max(1.0) * if most > OF_A_WORD { 10.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::NoCertificate;

    /// The patient one hardly cares, and at 0.99999999 doubles cannot tell how little: the exact engine answers.
    #[test]
    fn what_doubles_cannot_tell_is_handed_over_to_fractions() {
        let text = "principals: {p: 0.99999999, q: 0.999}
states:
  s0: {a: {reward: {q: 1}, to: {s0: 2/3, s1: 1/3}}, b: {reward: {p: 0.001}, to: {s1: 1/3, s2: 2/3}}}
  s1: {a: {reward: {q: 2}, to: {s0: 1/3, s2: 2/3}}, b: {reward: {p: 0.0005}, to: {s1: 2/3, g: 1/3}}}
  s2: {a: {reward: {q: -1}, to: {s2: 1/3, s0: 2/3}}, b: {reward: {q: 3}, to: {h: 1/3, s0: 2/3}}}
  g: {a: {reward: {p: 1}, to: end}}
  h: {a: {reward: {p: -1}, to: end}}
  end: {rest: {to: end}}
";
        let model = Model::from_yaml(text).unwrap();
        let certified = Picked::Certified { gap: DEFAULT_GAP };
        let alone = solve_by(&model, certified, &Options::default());
        assert_eq!(alone.claim(), Claim::Stopped(StopReason::Precision));
        let answer = by_turns(&model, certified, &Options::default());
        assert_eq!((answer.claim(), answer.scale()), (Claim::Optimal, None));
        // The bounds of doubles are wide, and true.
        let (wide, exact) = (alone.welfare(model.start()).enclosure, answer.welfare(model.start()).enclosure);
        assert!(wide.lower() <= exact.lower() && exact.upper() <= wide.upper());
        // Raised, the signal stops the engine whose turn it is.
        let stop = StopSignal::default();
        stop.raise();
        let stopped = by_turns(&model, certified, &Options { stop, ..Options::default() });
        assert_eq!(stopped.claim(), Claim::Stopped(StopReason::Interrupted));
    }

    /// Fractions have no bounds before their end; every front end has those of a look in doubles.
    #[test]
    fn fractions_that_are_stopped_have_the_bounds_of_a_look_in_doubles() {
        let hotel = "principals: {alice: 2/3, bob: 1/3}
states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}";
        let model = Model::from_yaml(hotel).unwrap();
        let stop = StopSignal::default();
        stop.raise();
        let options = Options { engine: Engine::Exact, stop, ..Options::default() };
        let answer = solve(&model, &options);
        assert_eq!(answer.claim(), Claim::Stopped(StopReason::Interrupted));
        let bounds = answer.welfare(model.start()).enclosure;
        assert!(bounds.lower() <= 127.0 / 9.0 && 127.0 / 9.0 <= bounds.upper() && bounds.width() < 1e-6, "{bounds:?}");
        assert!(solve_by(&model, Picked::Exact, &options).welfare(model.start()).enclosure.width() > 1.0);
        // The look keeps no proof, though one was asked for: it is the stop that is to blame.
        let answer = solve(&model, &Options { keep_proof: true, ..options });
        assert_eq!(answer.certificate(&model).err(), Some(NoCertificate::Stopped));
    }
}
