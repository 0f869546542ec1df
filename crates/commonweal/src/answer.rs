//! What a solve returns: a strategy, what it earns, and what is proven of it.

use crate::any_model::Model;
use crate::certificate::{Certificate, NoCertificate};
use crate::evaluation::{Payoffs, error_factor};
use crate::model::{ChoiceId, Lists, PrincipalId, StateId};
use crate::number::{Enclosure, ExactVector, Integer, Natural, Rational, Value, Values, quotient_up};
use crate::parallel;
use crate::principals::Group;
use crate::search::ThresholdAnswer;
use crate::stop::StopReason;
use crate::strategy::{CountingStrategy, Meetings, Step};
use std::time::Duration;

/// What is proven of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claim {
    /// No strategy earns more, from any start state.
    Optimal,
    /// The strategy earns at least the lower welfare, no strategy earns more than the upper one, and the two are at most
    /// `gap · scale` apart, or [10^-300](Claim::NEGLIGIBLE_WIDTH) if that is more.
    Within {
        /// The gap that was asked for; of approximated preferences the one that is proven.
        gap: f64,
        /// What the gap is relative to: the size of the welfare.
        scale: f64,
    },
    /// The strategy earns at least the lower welfare, and no strategy earns more than the upper one: this many comparisons of
    /// choices could not be decided at any affordable precision, and the tie rule decided them.
    Undecided(u64),
    /// The strategy earns at least the lower welfare, and no strategy earns more than the upper one.
    Stopped(StopReason),
}

impl Claim {
    /// A width that counts as 0, because the scale may be 0.
    pub const NEGLIGIBLE_WIDTH: f64 = 1e-300;
}

impl std::fmt::Display for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Claim::Optimal => f.write_str("optimal"),
            Claim::Within { gap, scale } => write!(f, "within {gap:e} of its scale, {scale}"),
            Claim::Undecided(ties) => write!(f, "undecided: {ties} comparisons were too close"),
            Claim::Stopped(reason) => write!(f, "stopped: {reason}"),
        }
    }
}

impl Claim {
    /// Whether this is [`Claim::Within`]. An optimal answer is not: it has no gap.
    pub fn is_within(self) -> bool {
        matches!(self, Claim::Within { .. })
    }
}

/// How an answer was computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// In fractions.
    Exact,
    /// In doubles, between proven bounds.
    Certified {
        /// What a gap is relative to, max_s Σ_i |V_i(s)|.
        scale: f64,
    },
}

impl Method {
    /// What a gap is relative to; `None` of fractions.
    pub fn scale(self) -> Option<f64> {
        match self {
            Method::Exact => None,
            Method::Certified { scale } => Some(scale),
        }
    }
}

/// Where the time went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Finding and proving the long-term strategy.
    pub long_term: Duration,
    /// Everything after it: advantages, horizon, backward induction, payoffs.
    pub unravel: Duration,
}

/// What the walk from the horizon to the present took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Layers computed one by one.
    pub n_layers: u64,
    /// Stages jumped over.
    pub n_jumps: u64,
    /// Comparisons that the enclosures left to exact arithmetic.
    pub n_judged: u64,
    /// Comparisons left undecided at any affordable precision. The tie rule decided them; the bounds cover either choice.
    pub n_undecided: u64,
}

/// A strategy with what it earns, for every start state.
#[derive(Debug, Clone)]
pub struct Answer {
    pub(crate) claim: Claim,
    pub(crate) method: Method,
    /// The number of states of the quotient, if the quotient was solved.
    pub(crate) n_up_to_symmetry: Option<usize>,
    pub(crate) principals: Vec<Group>,
    pub(crate) horizon: Step,
    pub(crate) strategy: CountingStrategy,
    pub(crate) memory: Vec<Step>,
    pub(crate) payoffs: Payoffs,
    /// The welfare, where it is known better than the sum of the payoffs.
    pub(crate) welfare: Option<Values>,
    pub(crate) long_term: LongTermAnswer,
    pub(crate) proof: Option<Proof>,
    pub(crate) effort: Effort,
    pub(crate) timings: Timings,
    pub(crate) is_handed_over: bool,
    /// The gap that the caller asked for, if any.
    pub(crate) gap_asked: Option<f64>,
    /// Whether a smaller model could be solved in place of the model: see `Options::simplify`.
    pub(crate) is_simplified: bool,
    /// The width of the widest interval of the welfare of all states, where ranks share them.
    pub(crate) widest: Option<f64>,
}

/// What an answer says about the strategy of its tail.
#[derive(Debug, Clone)]
pub(crate) struct LongTermAnswer {
    /// Per state the choices that it allows.
    pub choices: Lists<ChoiceId>,
    pub payoffs: Payoffs,
    /// Whether it is proven to be the long-term strategy.
    pub is_proven: bool,
}

/// What a certificate states beside the strategy and its welfare.
#[derive(Debug, Clone)]
pub enum Proof {
    /// Of an exact answer.
    Exact(ExactProof),
    /// Of a certified one.
    Bounds(BoundsProof),
}

/// What a certificate of an exact answer states.
#[derive(Debug, Clone)]
pub struct ExactProof {
    /// What the long-term strategy is worth to each part, most patient first.
    pub values: Vec<ExactVector>,
    /// The long-term strategy.
    pub tail: Vec<ChoiceId>,
    /// The stages that were jumped over, the latest first.
    pub stages: Vec<ExactStage>,
    /// Whether gains can be followed in exact arithmetic from the horizon to step 0.
    pub exact_is_affordable: bool,
    /// About how many bits exact gains grow per layer.
    pub bits_a_layer: u64,
    /// Whether there are ties that only exact gains can prove.
    pub has_ties: bool,
    /// For how many layers bounds are worth computing.
    pub n_layers_for_bounds: u64,
    /// The segments before the last one, the latest first.
    pub segments: Vec<ExactSegment>,
}

/// A segment of the model before the last one, as the exact engine went over it.
#[derive(Debug, Clone)]
pub struct ExactSegment {
    /// The step at which it ends.
    pub until: u64,
    /// What gains are counted from: any values, one vector for each of its parts.
    pub values: Vec<ExactVector>,
    /// The stages that were jumped over, the latest first; those without values of their own have these.
    pub stages: Vec<ExactStage>,
}

/// A stage that the exact engine jumped over.
#[derive(Debug, Clone)]
pub struct ExactStage {
    /// Its first step.
    pub from: Step,
    /// The step after its last one.
    pub until: Step,
    /// What its strategy is worth to each part; `None` stands for the values of the long-term strategy.
    pub values: Option<Vec<ExactVector>>,
    /// What the strategy's chain mixes the gains at its end to, where that is not constant: all states after 0 steps, then
    /// after 1, … until it comes back; times 2 to this power.
    pub harmonic: Option<(ExactVector, i128)>,
}

/// What a certificate of bounds states.
#[derive(Debug, Clone)]
pub struct BoundsProof {
    /// About what the long-term strategy is worth to each part, most patient first.
    pub values: Vec<Vec<f64>>,
    /// The stages that were jumped over, the latest first.
    pub stages: Vec<BoundsStage>,
    /// The segments before the last one, the latest first.
    pub segments: Vec<BoundsSegment>,
}

/// A segment of the model before the last one, as the certified engine went over it.
#[derive(Debug, Clone)]
pub struct BoundsSegment {
    /// The step at which it ends.
    pub until: u64,
    /// What gains are counted from: any values, for each of its parts.
    pub values: Vec<Vec<f64>>,
    /// The stages that were jumped over, the latest first.
    pub stages: Vec<BoundsStage>,
}

/// A stage that the certified engine jumped over.
#[derive(Debug, Clone)]
pub struct BoundsStage {
    /// Its first step.
    pub from: u64,
    /// The step after its last one.
    pub until: u64,
    /// About what its strategy is worth to each part; `None` stands for the values before.
    pub values: Option<Vec<Vec<f64>>>,
    /// The loss against the best that is allowed at each of its steps, in units of λ_0 to the first step.
    pub each: f64,
    /// The same in units of λ_0 to each step itself; it adds to `each`.
    pub patient: f64,
    /// What the strategy's chain has mixed the gains at its end to, where that is not constant: all states after 0 steps, then
    /// after 1, … until it nearly comes back.
    pub harmonic: Option<Vec<Vec<f64>>>,
}

impl Answer {
    /// An answer of which nothing more is known: no proof, no welfare beyond the sum of the payoffs, and a strategy that does not
    /// count. Engines replace what they know better.
    pub(crate) fn new(
        claim: Claim,
        method: Method,
        principals: Vec<Group>,
        strategy: CountingStrategy,
        memory: Vec<Step>,
        payoffs: Payoffs,
        long_term: LongTermAnswer,
    ) -> Answer {
        Answer {
            claim,
            method,
            n_up_to_symmetry: None,
            principals,
            horizon: Step::ZERO,
            strategy,
            memory,
            payoffs,
            welfare: None,
            long_term,
            proof: None,
            effort: Effort::default(),
            timings: Timings::default(),
            is_handed_over: false,
            gap_asked: None,
            is_simplified: true,
            widest: None,
        }
    }

    /// Whether some strategy earns at least `threshold` from `state`: unknown if it lies between the bounds.
    pub fn earns(&self, threshold: &Rational, state: StateId) -> ThresholdAnswer {
        let welfare = self.welfare(state);
        let is_known = |end: f64| Rational::try_from(end).ok();
        let (lower, upper) = match &welfare.exact {
            Some(exact) => (Some(exact.clone()), Some(exact.clone())),
            None => (is_known(welfare.enclosure.lower()), is_known(welfare.enclosure.upper())),
        };
        if lower.is_some_and(|lower| lower >= *threshold) {
            ThresholdAnswer::Yes
        } else if upper.is_some_and(|upper| upper < *threshold) {
            ThresholdAnswer::No
        } else {
            ThresholdAnswer::Unknown
        }
    }

    /// The number of states of the quotient, if the quotient was solved; `None` otherwise.
    pub fn n_up_to_symmetry(&self) -> Option<usize> {
        self.n_up_to_symmetry
    }

    /// What is proven. If preferences are approximated by mixtures, an answer that is optimal for the mixtures is within the gap of its
    /// widest bounds, which may be wider than the gap that was asked for: see [`misses_gap`](Self::misses_gap).
    pub fn claim(&self) -> Claim {
        match self.claim {
            Claim::Optimal | Claim::Within { .. } if self.is_approximated() => {
                let width = |state: usize| self.welfare_enclosure(state.into()).width();
                self.within(self.widest.unwrap_or_else(|| parallel::greatest(self.memory.len(), width)))
            }
            claim => claim,
        }
    }

    /// Whether a gap was asked for that the bounds miss because preferences are approximated. Returns by how much their `error` would
    /// have to be multiplied to leave half of that gap to the engine.
    pub fn misses_gap(&self) -> Option<f64> {
        match (self.claim(), self.gap_asked) {
            (Claim::Within { gap, .. }, Some(asked)) if gap > asked && self.is_approximated() => {
                Some(error_factor(asked * self.size(), self.payoffs.welfare_margin()))
            }
            _ => None,
        }
    }

    /// What is proven of the answer for the mixtures themselves; the same as [`claim`](Self::claim) unless preferences are
    /// approximated.
    pub fn claim_for_mixtures(&self) -> Claim {
        self.claim
    }

    /// The claim of bounds that are at most `width` apart. The gap is relative to the size of the welfare.
    fn within(&self, width: f64) -> Claim {
        let scale = self.size();
        if width == 0.0 {
            return Claim::Within { gap: 0.0, scale };
        }
        let gap = quotient_up(width, scale);
        if gap < 1.0 { Claim::Within { gap, scale } } else { Claim::Within { gap: 1.0, scale: width } }
    }

    /// What a gap is relative to; that of an exact answer is the size of its payoffs.
    fn size(&self) -> f64 {
        self.scale().unwrap_or_else(|| self.payoffs.magnitude(self.memory.len()))
    }

    /// Whether preferences are approximated by mixtures, so that the bounds of payoffs include the approximation error.
    pub fn is_approximated(&self) -> bool {
        self.payoffs.is_approximated()
    }

    /// The answer for the mixtures themselves, without the approximation error: what a certificate is about.
    pub(crate) fn of_mixtures(&self) -> Answer {
        let long_term = LongTermAnswer { payoffs: self.long_term.payoffs.of_mixtures(), ..self.long_term.clone() };
        Answer { payoffs: self.payoffs.of_mixtures(), long_term, ..self.clone() }
    }

    /// How the answer was computed.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Whether the engine first picked by the model's size was abandoned for this one because it would have taken long.
    pub fn is_handed_over(&self) -> bool {
        self.is_handed_over
    }

    /// What a gap is relative to; `None` of an exact answer.
    pub fn scale(&self) -> Option<f64> {
        self.method.scale()
    }

    /// The welfare from `state`, in lowest terms.
    pub fn welfare(&self, state: StateId) -> Value {
        match &self.welfare {
            Some(_) if self.is_approximated() => Value::from(self.welfare_enclosure(state)),
            Some(welfare) => welfare.value(state.index()),
            None => self.payoffs.welfare(state),
        }
    }

    /// An enclosure of the welfare, without the cost of lowest terms.
    pub fn welfare_enclosure(&self, state: StateId) -> Enclosure {
        self.bounds(state).unwrap_or_else(|| self.payoffs.welfare_enclosure(state))
    }

    /// The welfare from `state` as a quotient of integers, not in lowest terms; `None` where it is known between bounds only.
    pub(crate) fn welfare_quotient(&self, state: StateId) -> Option<(Integer, &Natural)> {
        if self.welfare.is_some() { None } else { self.payoffs.welfare_quotient(state) }
    }

    /// What a principal of the file expects to get from `state`, before its weight.
    pub fn payoff(&self, principal: PrincipalId, state: StateId) -> Value {
        self.payoffs.payoff(principal, state)
    }

    /// The strategy.
    pub fn strategy(&self) -> &CountingStrategy {
        &self.strategy
    }

    /// The least step from which no deviation pays, in any state; the step at which the tail begins, of a certified or
    /// stopped answer.
    pub fn horizon(&self) -> &Step {
        &self.horizon
    }

    /// The first step from which the strategy, started in `state`, is the long-term strategy for ever.
    pub fn memory(&self, state: StateId) -> &Step {
        &self.memory[state.index()]
    }

    /// Whether the strategy, started in `state`, is worth what the long-term strategy is to everybody, because it is that strategy from the
    /// first step on. With memory 0 it takes choices alone that the long-term strategy allows, and yet it may earn more: if time
    /// preferences have segments, choices that tie in the last segment may earn different amounts before it, and ties that are assumed may
    /// be none. `None` if the bounds on both do not decide it. As everywhere, an assumed long-term strategy is the one of the tail.
    pub fn is_long_term(&self, state: StateId) -> Option<bool> {
        if !self.memory(state).is_zero() {
            return Some(false);
        }
        if self.horizon.is_zero() {
            return Some(true);
        }
        let [own, long_term] = [self.welfare(state), self.long_term_welfare(state)];
        match (&own.exact, &long_term.exact) {
            (Some(own), Some(long_term)) => Some(own == long_term),
            _ if own.enclosure.lower() > long_term.enclosure.upper() => Some(false),
            _ => (self.long_term.is_proven && !self.payoffs.has_segments()).then_some(true),
        }
    }

    /// The same for the start state, given what the strategy may meet from there: it is the long-term strategy too if it takes its choices
    /// wherever it may be.
    pub fn is_long_term_from(&self, meetings: &Meetings) -> Option<bool> {
        let follows_tail = |&state: &StateId| {
            let tail = self.strategy.tail(state);
            meetings.changes(&self.strategy, state).iter().all(|change| change.choice == tail)
        };
        let start = meetings.states()[0];
        if meetings.states().iter().all(follows_tail) { Some(true) } else { self.is_long_term(start) }
    }

    /// Whether the strategy of the tail is proven to be the long-term one. It always is for an exact answer that was not stopped
    /// before it was found; for a certified answer it is if doubles separate its choices from all others. Statements on the
    /// long-term strategy hold for the strategy of the tail, proven or not.
    pub fn long_term_is_proven(&self) -> bool {
        self.long_term.is_proven
    }

    /// The choices of `state` that the long-term strategy allows, in the model's order.
    pub fn long_term_choices(&self, state: StateId) -> &[ChoiceId] {
        self.long_term.choices.get(state.index())
    }

    /// The welfare of the long-term strategy from `state`.
    pub fn long_term_welfare(&self, state: StateId) -> Value {
        self.long_term.payoffs.welfare(state)
    }

    /// What a principal of the file would get from `state` under the long-term strategy, before its weight.
    pub fn long_term_payoff(&self, principal: PrincipalId, state: StateId) -> Value {
        self.long_term.payoffs.payoff(principal, state)
    }

    /// The principals in decreasing patience, those with the same time preference together.
    pub fn principals(&self) -> &[Group] {
        &self.principals
    }

    /// A proof that a separate checker can follow, if the answer kept what it needs (`Options::keep_proof`).
    pub fn certificate<'a>(&'a self, model: &'a Model) -> Result<Certificate<'a>, NoCertificate> {
        Certificate::of(model, self)
    }

    /// What a certificate is made from, if it was kept and the long-term strategy was found.
    pub(crate) fn proof(&self) -> Option<&Proof> {
        self.proof.as_ref()
    }

    /// What the walk from the horizon to the present took.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Where the time went.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    fn bounds(&self, state: StateId) -> Option<Enclosure> {
        let margin = self.payoffs.welfare_margin();
        self.welfare.as_ref().map(|bounds| bounds.enclosure(state.index()).widened(margin))
    }
}
