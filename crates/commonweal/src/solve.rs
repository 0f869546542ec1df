//! From a model to its welfare-optimal counting strategy: one line per step of the proof.

use crate::evaluation::{self, Payoffs};
use crate::exact::horizon::horizon;
use crate::exact::long_term::{self, LongTerm, positional_value};
use crate::exact::truncated::{Truncated, truncate};
use crate::exact::walk::{Base, Effort, JumpedStage, Problem, Unravelled, WalkOptions, unravel};
use crate::exact::{Advantages, ExactGains, enclosed_payoff};
use crate::exponential_sum::DiscountRatios;
use crate::model::{ChoiceId, IntegerRows, Lists, Mdp, PrincipalId, StateId};
use crate::number::{Enclosure, ExactVector, Integer, Natural, Rational, Value, Values};
use crate::principals::{self, OrderedModel, OrderedPrincipal};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Step};
use std::time::{Duration, Instant};

/// How far to go.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most steps that are walked one by one; an answer that needs more gives bounds. Default: 10,000,000.
    pub layer_limit: u64,
    /// The most events, the ends of stages that are jumped over; more give bounds. Default: 1,000,000.
    pub event_limit: u64,
    /// Whether stages in which nothing changes are jumped over. Default: yes.
    pub jumps: bool,
    /// Whether the solution keeps what a certificate states: the values of the long-term strategy and of every stage that
    /// is jumped over. Default: no.
    pub keep_proof: bool,
    /// Looked at between steps of the computation; raised, it gives the bounds proven so far. Default: never raised.
    pub stop: StopSignal,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            layer_limit: 10_000_000,
            event_limit: 1_000_000,
            jumps: true,
            keep_proof: false,
            stop: StopSignal::default(),
        }
    }
}

/// What is proven of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// No strategy earns more, from any start state.
    Optimal,
    /// The strategy earns at least the lower welfare, no strategy earns more than the upper one, and the two are as near
    /// to each other as was asked for.
    Within,
    /// As optimal, up to ties: this many comparisons of choices were too near for anything affordable to tell.
    Undecided(u64),
    /// The strategy earns at least the lower welfare, and no strategy earns more than the upper one.
    Stopped(StopReason),
}

/// How an answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// In fractions.
    Exact,
    /// In doubles, between proven bounds.
    Certified,
}

/// Where the time went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Finding and proving the long-term strategy.
    pub long_term: Duration,
    /// Everything after it: advantages, horizon, backward induction, payoffs.
    pub unravel: Duration,
}

/// A strategy with what it earns, for every start state.
#[derive(Debug, Clone)]
pub struct Answer {
    pub(crate) engine: Engine,
    pub(crate) outcome: Claim,
    pub(crate) principals: Vec<OrderedPrincipal>,
    pub(crate) horizon: Step,
    pub(crate) strategy: CountingStrategy,
    pub(crate) memory: Vec<Step>,
    pub(crate) long_term_choices: Lists<ChoiceId>,
    pub(crate) payoffs: Payoffs,
    /// The payoffs of the long-term strategy.
    pub(crate) long_term_payoffs: Payoffs,
    /// The welfare where it is known between bounds only.
    pub(crate) welfare: Option<Values>,
    pub(crate) effort: Effort,
    pub(crate) proof: Option<Proof>,
    /// What the certified engine's bounds follow from, if it was to keep it.
    pub(crate) proof_in_doubles: Option<ProofInDoubles>,
    /// What the gap of a certified answer is relative to.
    pub(crate) scale: Option<f64>,
    pub(crate) timings: Timings,
}

/// What a certificate states beside the strategy and its welfare.
#[derive(Debug, Clone)]
pub struct Proof {
    /// What the long-term strategy is worth to each principal, most patient first.
    pub values: Vec<ExactVector>,
    /// The long-term strategy.
    pub tail: Vec<ChoiceId>,
    /// The stages that were jumped over, the latest first.
    pub stages: Vec<JumpedStage>,
    /// Whether gains can be followed in exact arithmetic from the horizon to step 0.
    pub exact_is_affordable: bool,
    /// For how many layers bounds are worth computing.
    pub n_layers_for_bounds: u64,
}

/// The same for bounds that the certified engine found.
#[derive(Debug, Clone)]
pub struct ProofInDoubles {
    /// About what the long-term strategy is worth to each principal, most patient first.
    pub values: Vec<Vec<f64>>,
    /// The stages that were jumped over, the latest first.
    pub stages: Vec<StageInDoubles>,
}

/// A stage that the certified engine jumped over.
#[derive(Debug, Clone)]
pub struct StageInDoubles {
    /// Its first step.
    pub from: u64,
    /// The step after its last one.
    pub until: u64,
    /// About what its strategy is worth to each principal; `None` stands for the values before.
    pub values: Option<Vec<Vec<f64>>>,
    /// What it may give away to the best at each of its steps, in units of λ_0 to the first.
    pub each: f64,
}

/// The welfare-optimal counting strategy of `model`, exactly; bounds if `options` stop it on the way.
///
/// ```
/// # use commonweal::{model::{ModelBuilder, Principal}, number::parse_rational, solve, Options};
/// # fn number(text: &str) -> commonweal::number::Rational { parse_rational(text).unwrap() }
/// let principal = |name: &str, discount: &str| {
///     Principal { name: name.into(), discount: number(discount), weight: number("1") }
/// };
/// let mut hotel = ModelBuilder::new(vec![principal("alice", "2/3"), principal("bob", "1/3")], ["s0", "s1"])?;
/// hotel.choice(0.into(), "a", [number("3"), number("3")], [(0.into(), number("1"))])?;
/// hotel.choice(0.into(), "b", [number("-1"), number("-1")], [(1.into(), number("1"))])?;
/// hotel.choice(1.into(), "b", [number("6"), number("6")], [(1.into(), number("1"))])?;
/// let solution = solve(&hotel.finish()?, &Options::default());
/// assert_eq!(solution.welfare(0.into()).exact, Some(number("127/9")));
/// # Ok::<(), commonweal::model::ModelError>(())
/// ```
pub fn solve(model: &Mdp, options: &Options) -> Answer {
    // Inside the pool from the start: a hand-over from outside at every layer costs more than the layer.
    rayon::scope(|_| solve_in_pool(model, options))
}

fn solve_in_pool(model: &Mdp, options: &Options) -> Answer {
    let ordered = principals::order(model); // equal discounts merged, most patient first
    let rows = IntegerRows::of(model);
    let began = Instant::now();
    let long_term = long_term::solve(&ordered, &rows, &options.stop);
    let long_term_took = began.elapsed();
    let mut solution = match long_term {
        Ok(long_term) => solve_from(&ordered, &rows, &long_term, options),
        Err(reason) => without_long_term(&ordered, reason),
    };
    solution.timings = Timings { long_term: long_term_took, unravel: began.elapsed() - long_term_took };
    solution
}

/// What `principal` would get if the agent served nobody else: the exact optimum of its own payoff, per start state.
pub fn own_optimum(model: &Mdp, principal: PrincipalId, stop: &StopSignal) -> Result<ExactVector, StopReason> {
    let alone = principals::alone(model, principal);
    let mut long_term = long_term::solve(&alone, &IntegerRows::of(model), stop)?;
    Ok(long_term.values.remove(0))
}

/// One choice per state that gives `principal` the most it can get, whatever the others get; the first of equals.
pub fn own_strategy(model: &Mdp, principal: PrincipalId, stop: &StopSignal) -> Result<Vec<ChoiceId>, StopReason> {
    let alone = principals::alone(model, principal);
    Ok(long_term::solve(&alone, &IntegerRows::of(model), stop)?.strategy)
}

fn solve_from(model: &OrderedModel, rows: &IntegerRows, long_term: &LongTerm, options: &Options) -> Answer {
    let advantages = &Advantages::over(model, rows, &long_term.values[..], |c| long_term.allowed[c.index()]); // Δ
    let ratios = &DiscountRatios::of(model);
    let stop = &options.stop;
    let found = horizon(model, advantages, ratios, stop); // H
    let unknown = Step::ZERO;
    let horizon = found.as_ref().unwrap_or(&unknown);
    let problem = Problem { model, rows, long_term, advantages, ratios, horizon };
    let walk = WalkOptions {
        layer_limit: options.layer_limit,
        event_limit: options.event_limit,
        jumps: options.jumps,
        keep_stages: options.keep_proof,
    };
    let (mut stages, mut exact_is_affordable) = (Vec::new(), false);
    let solved = match &found {
        Ok(_) => unravel(problem, &walk, stop).and_then(|mut unravelled| {
            stages = std::mem::take(&mut unravelled.stages);
            exact_is_affordable = unravelled.exact_is_affordable;
            optimum(problem, unravelled, stop)
        }),
        Err(reason) => Err(*reason),
    };
    let n_layers_for_bounds = layers_for_bounds(model, options.layer_limit);
    let mut solution = solved.unwrap_or_else(|reason| bounds(problem, n_layers_for_bounds, reason));
    solution.proof = options.keep_proof.then(|| {
        let LongTerm { values, strategy, .. } = long_term.clone();
        Proof { values, tail: strategy, stages, exact_is_affordable, n_layers_for_bounds }
    });
    solution
}

/// The answer: every step before the horizon decided.
fn optimum(problem: Problem, unravelled: Unravelled, stop: &StopSignal) -> Result<Answer, StopReason> {
    let Problem { model, rows, long_term, advantages, horizon, .. } = problem;
    let Unravelled { strategy, memory, base, gain, exact_gains, effort, .. } = unravelled;
    let totals: Option<Vec<ExactVector>> = exact_gains.map(|gains| gains.iter().map(ExactGains::total).collect());
    let base_values = base.advantages(advantages).values();
    let (mut payoffs, mut long_term_payoffs) = (Vec::new(), Vec::new());
    for p in (0..model.n_principals()).map(PrincipalId::from) {
        let (group, principal) = model.group_of(p);
        let unweighted = Rational::ONE / &model.principals()[p.index()].weight;
        // The values of a group of one are its own, but for the weight.
        let alone = principal.members.len() == 1;
        let long_term_payoff = if alone {
            long_term.values[group].scaled(&unweighted)
        } else {
            member_value(model, p, &long_term.strategy, stop)?
        };
        payoffs.push(match (&totals, alone) {
            (Some(totals), true) => Values::Exact(totals[group].scaled(&unweighted)),
            (Some(_), false) => {
                Values::Exact(evaluation::payoff_over_tail(model, rows, &strategy, p, &long_term_payoff, stop)?)
            }
            (None, _) => {
                let own = if alone {
                    base_values[group].scaled(&unweighted)
                } else {
                    member_value(model, p, &base.strategy, stop)?
                };
                Values::Enclosed(enclosed_payoff(model, rows, &strategy, &base, p, &own, stop)?)
            }
        });
        long_term_payoffs.push(Values::Exact(long_term_payoff));
    }
    // Gains of the welfare are known more narrowly than the sum of what the principals get.
    let payoffs = Payoffs::new(model, payoffs);
    let welfare = if effort.n_undecided > 0 {
        // What the strategy earns, and what nobody exceeds: neither asks who won the ties.
        let upper = truncate(problem, layers_for_bounds(model, u64::MAX)).upper;
        let of_state = |s: usize| {
            let follows = long_term.values.iter().map(|v| v.enclosure(s)).fold(Enclosure::ZERO, Enclosure::plus);
            let lower = payoffs.welfare_enclosure(s.into()).lower();
            Enclosure::new(lower, follows.plus(upper[s].to_doubles()).upper())
        };
        Some(Values::Enclosed((0..model.n_states()).map(of_state).collect()))
    } else {
        totals.is_none().then(|| {
            let of_state = |s: usize| {
                base_values.iter().map(|values| values.enclosure(s)).fold(gain[s].to_doubles(), Enclosure::plus)
            };
            Values::Enclosed((0..model.n_states()).map(of_state).collect())
        })
    };
    Ok(Answer {
        engine: Engine::Exact,
        outcome: if effort.n_undecided == 0 { Claim::Optimal } else { Claim::Undecided(effort.n_undecided) },
        principals: model.ordered_principals().to_vec(),
        horizon: horizon.clone(),
        strategy,
        memory,
        long_term_choices: allowed_choices(model, long_term),
        payoffs,
        long_term_payoffs: Payoffs::new(model, long_term_payoffs),
        welfare,
        effort,
        proof: None,
        proof_in_doubles: None,
        scale: None,
        timings: Timings::default(),
    })
}

/// As many layers as bring the rest below the precision of doubles, within the limit and what takes a moment: whoever
/// asked to stop waits for them.
fn layers_for_bounds(model: &OrderedModel, limit: u64) -> u64 {
    const NEGLIGIBLE: f64 = 1e-20;
    const MOMENT: usize = 20_000_000;
    let affordable = MOMENT / (model.n_transitions() + model.n() * model.n_choices());
    let layers = NEGLIGIBLE.ln() / model.discount(0).to_f64().value().ln();
    let enough = if layers.is_finite() { layers.ceil() as u64 } else { u64::MAX };
    limit.min(enough).min(affordable as u64)
}

/// Bounds from the first `n_layers` steps, where the horizon lies beyond them.
fn bounds(problem: Problem, n_layers: u64, reason: StopReason) -> Answer {
    let Problem { model, rows, long_term, .. } = problem;
    let Truncated { strategy, gains, upper } = truncate(problem, n_layers);
    let base = Base::long_term(problem, Step::from(n_layers));
    // A member of a larger group costs a linear solve of its own. In a large model, whoever asked to stop is spared that
    // wait and learns only that the member gets something between its least and its greatest reward for ever.
    const SMALL: usize = 2_000;
    let payoffs_of_member = |p: PrincipalId| -> (Values, Values) {
        let unhurried = StopSignal::default();
        let values = (model.n_states() <= SMALL).then(|| member_value(model, p, &long_term.strategy, &unhurried));
        match values {
            Some(Ok(values)) => {
                let payoff = enclosed_payoff(model, rows, &strategy, &base, p, &values, &unhurried);
                (Values::Enclosed(payoff.expect("nobody raises the signal")), Values::Exact(values))
            }
            _ => (reward_range(model, p), reward_range(model, p)),
        }
    };
    let total = |i: usize, s: usize| long_term.values[i].enclosure(s).plus(gains[s][i].to_doubles());
    let payoffs_of = |p: PrincipalId| {
        let (group, principal) = model.group_of(p);
        if principal.members.len() > 1 {
            return payoffs_of_member(p);
        }
        let unweighted = Rational::ONE / &model.principals()[p.index()].weight;
        let factor = Enclosure::from(&unweighted);
        let payoff = (0..model.n_states()).map(|s| total(group, s).times(factor)).collect();
        (Values::Enclosed(payoff), Values::Exact(long_term.values[group].scaled(&unweighted)))
    };
    let (payoffs, long_term_payoffs) = (0..model.n_principals()).map(|p| payoffs_of(p.into())).unzip();
    let welfare = |s: usize| {
        let lower = (0..model.n()).map(|i| total(i, s)).fold(Enclosure::ZERO, Enclosure::plus).lower();
        let follows = long_term.values.iter().map(|values| values.enclosure(s)).fold(Enclosure::ZERO, Enclosure::plus);
        Enclosure::new(lower, follows.plus(upper[s].to_doubles()).upper())
    };
    Answer {
        engine: Engine::Exact,
        outcome: Claim::Stopped(reason),
        principals: model.ordered_principals().to_vec(),
        horizon: Step::from(n_layers),
        // Nothing is known of what the strategy reaches: it may deviate until the last layer computed.
        memory: vec![Step::from(n_layers); model.n_states()],
        long_term_choices: allowed_choices(model, long_term),
        payoffs: Payoffs::new(model, payoffs),
        long_term_payoffs: Payoffs::new(model, long_term_payoffs),
        welfare: Some(Values::Enclosed((0..model.n_states()).map(welfare).collect())),
        effort: Effort::default(),
        proof: None,
        proof_in_doubles: None,
        scale: None,
        timings: Timings::default(),
        strategy,
    }
}

/// What a principal of the file gets by itself for following these choices for ever.
fn member_value(
    model: &OrderedModel,
    p: PrincipalId,
    followed: &[ChoiceId],
    stop: &StopSignal,
) -> Result<ExactVector, StopReason> {
    let discount = &model.principals()[p.index()].discount;
    positional_value(model, followed, discount, |choice| &model.rewards(choice)[p.index()], stop)
}

/// Bounds where nothing is known but the rewards: each principal gets between its least and its greatest for ever.
fn without_long_term(model: &OrderedModel, reason: StopReason) -> Answer {
    let ranges = (0..model.n_principals()).map(|p| reward_range(model, p.into()));
    let ranges = Payoffs::new(model, ranges.collect());
    let first = |state| model.choices(state).next().expect("a state has a choice");
    Answer {
        engine: Engine::Exact,
        outcome: Claim::Stopped(reason),
        principals: model.ordered_principals().to_vec(),
        horizon: Step::ZERO,
        strategy: CountingStrategy::positional(model.states().map(first)),
        memory: vec![Step::ZERO; model.n_states()],
        long_term_choices: model.states().map(|state| [first(state)]).collect(),
        payoffs: ranges.clone(),
        long_term_payoffs: ranges,
        welfare: None,
        effort: Effort::default(),
        proof: None,
        proof_in_doubles: None,
        scale: None,
        timings: Timings::default(),
    }
}

fn reward_range(model: &OrderedModel, p: PrincipalId) -> Values {
    let rewards = || (0..model.n_choices()).map(|choice| &model.rewards(choice.into())[p.index()]);
    let forever =
        |reward: &Rational| Enclosure::from(&(reward / (Rational::ONE - &model.principals()[p.index()].discount)));
    let least = forever(rewards().min().expect("a model has a choice"));
    let greatest = forever(rewards().max().expect("a model has a choice"));
    Values::Enclosed(vec![Enclosure::new(least.lower(), greatest.upper()); model.n_states()])
}

fn allowed_choices(model: &Mdp, long_term: &LongTerm) -> Lists<ChoiceId> {
    let allowed = |state| model.choices(state).filter(|choice| long_term.allowed[choice.index()]);
    model.states().map(allowed).collect()
}

impl Answer {
    /// How the answer was found.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// What is proven.
    pub fn claim(&self) -> Claim {
        self.outcome
    }

    /// How the walk from the horizon to the present went.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// What the certified engine's bounds follow from. Only if it was to keep a proof.
    pub fn proof_in_doubles(&self) -> Option<&ProofInDoubles> {
        self.proof_in_doubles.as_ref()
    }

    /// What the gap of a certified answer is relative to, max_s Σ_i |V_i(s)|; `None` of an exact one.
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }

    /// Where the time went.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// The principals in decreasing patience, equal discounts merged.
    pub fn principals(&self) -> &[OrderedPrincipal] {
        &self.principals
    }

    /// The least step from which no deviation pays, in any state; the step at which the tail begins if stopped.
    pub fn horizon(&self) -> &Step {
        &self.horizon
    }

    /// The strategy.
    pub fn strategy(&self) -> &CountingStrategy {
        &self.strategy
    }

    /// The first step from which the strategy, started in `state`, is the long-term strategy for ever.
    pub fn memory(&self, state: StateId) -> &Step {
        &self.memory[state.index()]
    }

    /// The choices of `state` that the long-term strategy allows, in the model's order.
    pub fn long_term_choices(&self, state: StateId) -> &[ChoiceId] {
        self.long_term_choices.get(state.index())
    }

    /// The welfare from `state`, in lowest terms.
    pub fn welfare(&self, state: StateId) -> Value {
        self.bounds(state).map_or_else(|| self.payoffs.welfare(state), Value::from)
    }

    /// The welfare from `state` as a quotient of integers, not in lowest terms; `None` where it is known between bounds only.
    pub fn welfare_quotient(&self, state: StateId) -> Option<(Integer, Natural)> {
        if self.welfare.is_some() { None } else { self.payoffs.welfare_quotient(state) }
    }

    /// What a certificate needs beside the strategy, if it was to be kept and the long-term strategy was found.
    pub fn proof(&self) -> Option<&Proof> {
        self.proof.as_ref()
    }

    /// An enclosure of the welfare, without the cost of lowest terms.
    pub fn welfare_enclosure(&self, state: StateId) -> Enclosure {
        self.bounds(state).unwrap_or_else(|| self.payoffs.welfare_enclosure(state))
    }

    /// The welfare of the long-term strategy from `state`.
    pub fn long_term_welfare(&self, state: StateId) -> Value {
        self.long_term_payoffs.welfare(state)
    }

    /// What a principal of the file expects to get from `state`, before its weight.
    pub fn payoff(&self, principal: PrincipalId, state: StateId) -> Value {
        self.payoffs.payoff(principal, state)
    }

    /// What a principal of the file would get from `state` under the long-term strategy, before its weight.
    pub fn long_term_payoff(&self, principal: PrincipalId, state: StateId) -> Value {
        self.long_term_payoffs.payoff(principal, state)
    }

    fn bounds(&self, state: StateId) -> Option<Enclosure> {
        self.welfare.as_ref().map(|bounds| bounds.enclosure(state.index()))
    }
}
