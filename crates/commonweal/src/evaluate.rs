//! The front door of evaluation: the payoffs of a given strategy, by the engine that suits it.

use crate::answer::{Claim, Method};
use crate::any_model::Model;
use crate::certified::is_narrow;
use crate::evaluation::{EvaluateError, Payoffs, error_factor};
use crate::model::{PrincipalId, StateId};
use crate::number::Value;
use crate::solve::{DEFAULT_GAP, Engine, Options, Picked};
use crate::stop::StopReason;
use crate::strategy::{Step, Strategy};
use crate::{certified, evaluation, exact, parallel};

/// What a strategy is worth, from every start state.
#[derive(Debug, Clone)]
pub struct Evaluation {
    payoffs: Payoffs,
    /// How it was computed.
    pub method: Method,
    /// What is proven.
    pub outcome: EvaluationOutcome,
    /// If a gap was asked for that the bounds miss because preferences are approximated: by how much their `error` would have to be
    /// multiplied to leave half of that gap to the engine.
    pub misses_gap: Option<f64>,
    /// Why the answer is not in fractions, where these were tried.
    pub not_exact: Option<EvaluateError>,
}

/// What is proven of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvaluationOutcome {
    /// The payoffs are those of the strategy: equal to them in fractions, within the gap in doubles.
    Complete,
    /// The bounds hold for the strategy, and are wider than asked for.
    Stopped(StopReason),
    /// The bounds hold for every strategy: nothing is known of this one.
    Unknown(StopReason),
}

/// What `strategy` is worth to each principal. An error if the strategy is for another model, or if fractions are asked for
/// and it changes too late.
///
/// ```
/// use commonweal::questions::evaluate;
/// use commonweal::{Model, Options, Strategy, solve};
/// let hotel = Model::from_yaml(
///     "principals: {alice: 2/3, bob: 1/3}
/// states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}",
/// )?;
/// let options = Options::default();
/// let best = Strategy::Counting(solve(&hotel, &options).strategy().clone());
/// assert_eq!(evaluate(&hotel, &best, &options)?.welfare(hotel.start()).exact, Some("127/9".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate(model: &Model, strategy: &Strategy, options: &Options) -> Result<Evaluation, EvaluateError> {
    strategy.check(model.structure())?;
    parallel::on_threads(options.threads, || match options.engine.for_model(model) {
        Picked::Certified { gap } if model.doubles().is_ok() => Ok(in_doubles(model, strategy, gap, options)),
        Picked::Exact | Picked::Certified { .. } => exactly(model, strategy, options),
    })
}

fn exactly(model: &Model, strategy: &Strategy, options: &Options) -> Result<Evaluation, EvaluateError> {
    let exact = model.exact();
    let known = Evaluation {
        payoffs: exact::any_payoffs(&exact),
        method: Method::Exact,
        outcome: EvaluationOutcome::Complete,
        misses_gap: None,
        not_exact: None,
    };
    if options.engine == Engine::Auto && model.doubles().is_ok() {
        // For strategies that change late, fractions take minutes and doubles milliseconds.
        let (last, limit) = (evaluation::steps_to_walk(&exact, strategy), evaluation::affordable_steps(&exact));
        if last > Step::from(limit) {
            let evaluation = in_doubles(model, strategy, DEFAULT_GAP, options);
            return Ok(Evaluation { not_exact: Some(EvaluateError::TooManySteps { last, limit }), ..evaluation });
        }
    }
    match evaluation::evaluate(&exact, strategy, &options.stop) {
        Ok(payoffs) => Ok(Evaluation { payoffs, ..known }),
        Err(EvaluateError::Stopped(reason)) => Ok(Evaluation { outcome: EvaluationOutcome::Unknown(reason), ..known }),
        Err(error) => Err(error),
    }
}

fn in_doubles(model: &Model, strategy: &Strategy, gap: f64, options: &Options) -> Evaluation {
    let doubles = model.doubles().expect("the caller has made sure that rewards are doubles");
    let is_asked = options.engine == Engine::Within(gap);
    // Where preferences are approximated, half of a gap that is asked for is left to their error.
    let own_gap = if is_asked && model.is_approximated() { gap / 2.0 } else { gap };
    match certified::evaluate(doubles, strategy, own_gap, &options.stop) {
        Ok(found) => {
            let is_missed = || {
                // The scale is that of these states.
                let met = doubles.reachable(doubles.start());
                let met = doubles.states().filter(|state| met[state.index()]);
                let widths = met.map(|state| found.payoffs.welfare_enclosure(state).width());
                is_asked && model.is_approximated() && !is_narrow(widths.fold(0.0, f64::max), gap, found.scale)
            };
            let margin = found.payoffs.welfare_margin();
            // Rounding that the error of the approximation hides.
            let is_hidden = || {
                let of_mixtures = found.payoffs.of_mixtures();
                let widths = doubles.states().map(|state| of_mixtures.welfare_enclosure(state).width());
                widths.fold(0.0, f64::max) <= 2.0 * margin
            };
            let (outcome, misses_gap) = match found.claim {
                // The bounds are as near as the approximation allows: only a gap that was asked for is missed.
                Claim::Stopped(StopReason::Precision) if margin > 0.0 && is_hidden() && !is_missed() => {
                    (EvaluationOutcome::Complete, None)
                }
                Claim::Stopped(StopReason::Precision) if is_missed() && 2.0 * margin > gap * found.scale => {
                    let factor = error_factor(gap * found.scale, margin);
                    (EvaluationOutcome::Stopped(StopReason::Approximation), Some(factor))
                }
                Claim::Stopped(reason) => (EvaluationOutcome::Stopped(reason), None),
                _ if is_missed() => {
                    let factor = error_factor(gap * found.scale, margin);
                    (EvaluationOutcome::Stopped(StopReason::Approximation), Some(factor))
                }
                Claim::Optimal | Claim::Within { .. } | Claim::Undecided(_) => (EvaluationOutcome::Complete, None),
            };
            let method = Method::Certified { scale: found.scale };
            Evaluation { payoffs: found.payoffs, method, outcome, misses_gap, not_exact: None }
        }
        Err(error) => {
            let payoffs = certified::any_payoffs(doubles);
            let scale = payoffs.magnitude(model.n_states());
            let (method, outcome) = (Method::Certified { scale }, EvaluationOutcome::Unknown(error.stop_reason()));
            Evaluation { payoffs, method, outcome, misses_gap: None, not_exact: None }
        }
    }
}

impl Evaluation {
    /// Why it was stopped, if it was.
    pub fn stopped(&self) -> Option<StopReason> {
        match self.outcome {
            EvaluationOutcome::Complete => None,
            EvaluationOutcome::Stopped(reason) | EvaluationOutcome::Unknown(reason) => Some(reason),
        }
    }

    /// What a principal gets from `state`, before its weight.
    pub fn payoff(&self, principal: PrincipalId, state: StateId) -> Value {
        self.payoffs.payoff(principal, state)
    }

    /// The weighted sum of all payoffs from `state`.
    pub fn welfare(&self, state: StateId) -> Value {
        self.payoffs.welfare(state)
    }
}
