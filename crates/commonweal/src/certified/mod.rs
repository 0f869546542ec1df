//! The certified engine: large models, in doubles, with proven bounds.
//!
//! For any vectors V_i, a strategy that is followed from step j on earns `Φ_j + E Σ_{t≥j} D_t`, where
//! `Φ_j = Σ_i λ_i^j V_i` and `D_t = Σ_i λ_i^t Δ_i` (telescoping). So V may be anything: if it is near the long-term
//! values the interval is narrow, if not it is wide, and it is never false. Hence the engine has two halves:
//!
//! ```text
//! long_term, kernel                           V and a strategy, as precise and fast as possible; not trusted
//! advantage, horizon, walk, jump, payoff      the proof, with every rounding error bounded (see rounded_model)
//! ```
//!
//! The intervals hold for the model as written: the rounding of its numbers to doubles is included.

mod advantage;
mod base;
mod dominated;
mod horizon;
mod jump;
mod long_term;
mod memory;
mod payoff;
mod rounded_model;
mod segments;
mod together;
mod walk;

pub use self::payoff::{Evaluation, evaluate};
pub use self::rounded_model::SharedModel;
pub use self::together::put_together;

use self::base::Base;
use self::dominated::WithoutDominated;
use self::long_term::LongTerm;
use self::payoff::{Forwards, Gains};
use self::rounded_model::{RoundedModel, RowRoundings};
use self::walk::{Walk, WalkOptions, counting_strategy};
use crate::answer::{Answer, BoundsProof, Claim, Effort, LongTermAnswer, Method, Proof, Timings};
use crate::evaluation::Payoffs;
use crate::exponential_sum::{self, lifetime};
use crate::model::{ChoiceId, Lists, Mdp, Part, PrincipalId, StateId};
use crate::number::{Enclosure, Rational, UpperBound, Values, product_down};
use crate::parallel;
use crate::principals::{self, Alone, OrderedPart, Source};
use crate::quotient::Quotient;
use crate::solve::{Limits, Options, PayoffsFrom};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Step};
use std::time::Instant;

/// A strategy whose welfare is within `gap` of the best, and the proof: an interval for every state. From the states that can be met
/// it is no wider than `gap` times the scale of the welfare, the greatest Σ_i |V_i(s)| or Σ_i |payoff_i(s)| of those states. It is wider
/// if `options` stop the computation, or if doubles cannot reach the gap.
pub fn solve(model: &Mdp<f64>, gap: f64, options: &Options) -> Answer {
    /// States times parts, or transitions, above which the first bounds take a while.
    const LARGE: usize = 200_000;
    if let Some(reason) = options.stop.reason()
        && model.n_states().saturating_mul(model.n_parts()).max(model.n_transitions()) > LARGE
    {
        return unsolved(model, reason);
    }
    parallel::in_pool(|| match principals::segments(model.principals()).as_slice() {
        [_] if !options.simplify => solve_in_pool(SharedModel::whole(model), RowRoundings::default(), gap, options),
        [_] => match WithoutDominated::of(model) {
            Some(smaller) => smaller.lift(solve_up_to_symmetry(&smaller.model, gap, options)),
            None => solve_up_to_symmetry(model, gap, options),
        },
        several => segments::solve(SharedModel::whole(model), several, gap, options),
    })
}

fn solve_up_to_symmetry(model: &Mdp<f64>, gap: f64, options: &Options) -> Answer {
    match Quotient::of_doubles(model, &options.stop) {
        Some(quotient) => {
            let rows = RowRoundings::of(&model.arrays());
            quotient.lift(model, solve_in_pool(SharedModel::whole(&quotient.model), rows, gap, options))
        }
        None => solve_in_pool(SharedModel::whole(model), RowRoundings::default(), gap, options),
    }
}

/// The same for a model that ranks share, of which this one gets the answer for its own states. All ranks call it, each from the
/// thread that talks to the others. The model is solved as it is, whatever `Options::simplify` says.
pub fn solve_shared(shared: SharedModel, gap: f64, options: &Options) -> Answer {
    let answer = match principals::segments(shared.model.principals()).as_slice() {
        [_] => solve_in_pool(shared, RowRoundings::default(), gap, options),
        several => segments::solve(shared, several, gap, options),
    };
    let width = |state: usize| answer.welfare_enclosure(state.into()).width();
    let widest = shared.ranks.greatest_of(parallel::greatest(shared.model.n_states(), width));
    Answer { widest: Some(widest), is_simplified: false, ..answer }
}

/// The same for a model whose rows are made of rows with the roundings of `rows`.
fn solve_in_pool(shared: SharedModel, rows: RowRoundings, gap: f64, options: &Options) -> Answer {
    let began = Instant::now();
    let rounded = RoundedModel::new(shared, principals::parts(shared.model.principals())).with_rows_of(rows);
    let n_transitions = shared.ranks.sum(shared.model.n_transitions() as u64);
    // If the interval is too wide, further rounds use a smaller tolerance. If that does not help, they walk in place of jumping, because
    // the values of a strategy that is followed only for a while may be much larger than the welfare, and so may their rounding errors.
    let mut aim = gap;
    let mut options = options.clone();
    let mut proven: Option<(Answer, f64)> = None;
    let (mut answer, long_term_took) = loop {
        let began = Instant::now();
        let long_term = long_term::solve(&rounded, aim, &options.stop);
        let took = began.elapsed();
        let Round { mut answer, mut width, gap_is_possible } = prove(&rounded, long_term, Aim { gap, aim }, &options);
        let has_jumped = answer.effort.n_jumps > 0;
        if let Some((earlier, known)) = proven.take_if(|(_, known)| *known < width) {
            // A stopped round does not widen the earlier interval.
            (answer, width) = (Answer { claim: answer.claim, ..earlier }, known);
        }
        let is_too_wide = answer.claim == Claim::Stopped(StopReason::Precision) && gap_is_possible;
        let n_layers = u64::try_from(&answer.horizon).unwrap_or(u64::MAX);
        let walking_takes = n_layers.saturating_mul(n_transitions);
        if is_too_wide && aim >= FINEST {
            aim *= FINER;
        } else if is_too_wide && has_jumped && n_layers <= options.limits.layers && walking_takes <= MOST_WALKED {
            (options.jumps, aim) = (false, gap);
        } else {
            break (answer, took);
        }
        proven = Some((answer, width));
    };
    answer.timings = Timings { long_term: long_term_took, unravel: began.elapsed() - long_term_took };
    answer
}

/// A long-term strategy that was found, for parts whose first terms count 1 or −1.
pub(crate) struct Kept {
    parts: Vec<OrderedPart>,
    long_term: LongTerm,
}

/// The same as [`solve`], for one of many solves that differ only in their weights: the long-term strategies in `kept` are
/// reused if the parts keep their proportions. They are not trusted.
pub(crate) fn solve_keeping(model: &Mdp<f64>, gap: f64, options: &Options, kept: &mut Vec<Kept>) -> Answer {
    if principals::segments(model.principals()).len() > 1 {
        return solve(model, gap, options);
    }
    parallel::in_pool(|| {
        let began = Instant::now();
        let parts = principals::parts(model.principals());
        let (normal, factors): (Vec<OrderedPart>, Vec<Rational>) = parts.iter().map(OrderedPart::normalised).unzip();
        let factors: Vec<f64> = factors.iter().map(Rational::to_f64).collect();
        let rounded = RoundedModel::new(SharedModel::whole(model), parts);
        let long_term = match kept.iter().find(|one| one.parts == normal) {
            Some(known) => known.long_term.scaled(|i| factors[i]),
            None => {
                let found = long_term::solve(&rounded, gap, &options.stop);
                if options.stop.reason().is_none() {
                    kept.push(Kept { parts: normal, long_term: found.scaled(|i| 1.0 / factors[i]) });
                }
                found
            }
        };
        let took = began.elapsed();
        let Round { mut answer, .. } = prove(&rounded, long_term, Aim { gap, aim: gap }, options);
        answer.timings = Timings { long_term: took, unravel: began.elapsed() - took };
        match answer.claim {
            Claim::Stopped(StopReason::Precision) => {
                solve_in_pool(SharedModel::whole(model), RowRoundings::default(), gap, options)
            }
            _ => answer,
        }
    })
}

/// The part of the gap for the tail.
const TAIL_SHARE: f64 = 0.25;
/// The factor on the tolerance of the next round, and the tolerance below which doubles gain nothing.
const FINER: f64 = 1e-3;
const FINEST: f64 = 1e-11;
/// The most transitions, over all layers, that are walked in place of jumps: about ten seconds.
const MOST_WALKED: u64 = 4_000_000_000;

/// Whether an interval is as narrow as `gap · scale`. An infinite one never is.
pub(crate) fn is_narrow(width: f64, gap: f64, scale: f64) -> bool {
    width.is_finite() && width <= product_down(gap, scale).max(Claim::NEGLIGIBLE_WIDTH)
}

/// The gap that was asked for, and the one that the computation aims at.
struct Aim {
    gap: f64,
    aim: f64,
}

/// The bounds that follow from some strategy and values.
struct Round {
    answer: Answer,
    /// That of the welfare's widest interval.
    width: f64,
    /// Whether the rounding errors of rows, added up, leave room for the gap that was asked for. Better values would not change them.
    gap_is_possible: bool,
}

/// The gap to aim at where rounding errors alone, added up, are more than the one asked for: this many times as much.
const ABOVE_ERRORS: f64 = 32.0;

/// The bounds that follow from any strategy and values.
fn prove(model: &RoundedModel, long_term: LongTerm, aim: Aim, options: &Options) -> Round {
    let Aim { gap: asked, aim: gap } = aim;
    let base = Base::of(model, long_term);
    let (base, scale) = with_scale(base, options);
    let mut allowed_gap = gap * scale;
    let (long_term_choices, long_term_is_proven) = (base.long_term_choices(), base.is_proven_long_term());
    // Principals that are not determined by a part are evaluated separately.
    let untold: Vec<Alone> = sources(model).filter(|source| source.part.is_none()).map(|source| source.alone).collect();
    let alone =
        (!untold.is_empty()).then(|| RoundedModel::alone(model.shared(), &untold).with_rows_of(model.roundings));
    let own = alone.as_ref().map(|alone| Base::of_strategy(alone, &base.followed.strategy, gap, &options.stop));
    let mut long_term_payoffs = payoffs(model, &untold, &base, own.as_ref(), |base, i| base.values(i));
    let tail = base.followed.strategy.clone();
    let values = options.keep_proof.then(|| base.values_in_doubles());
    let mut stopped = model.ranks.stop_reason(&options.stop);
    let beyond_doubles = base.advantages.error.iter().any(|error| !error.get().is_finite());
    let mut horizon = if stopped.is_some() || beyond_doubles {
        // A stopped run uses the bounds of a tail that begins at once. Layers cannot reduce an infinite error.
        0
    } else {
        horizon::horizon(model, &base.advantages, TAIL_SHARE * allowed_gap)
    };
    // Every layer adds the error of its rows, up to a lifetime of them.
    let errors =
        (0..model.n()).map(|i| base.advantages.error[i].get() * model.lifetime_bound(i).get().min(horizon as f64));
    let errors = errors.sum::<f64>();
    let gap_is_possible = horizon == 0 || errors <= (2.0 * asked * scale).max(Claim::NEGLIGIBLE_WIDTH);
    if !gap_is_possible {
        // A gap that doubles cannot prove is not worth millions of layers.
        allowed_gap = allowed_gap.max(ABOVE_ERRORS * errors);
        horizon = horizon::horizon(model, &base.advantages, TAIL_SHARE * allowed_gap);
    }
    let walk_options = WalkOptions {
        allowed_gap,
        gap,
        limits: options.limits,
        jumps: options.jumps,
        keep_stages: options.keep_proof,
        is_kept: true,
        stop: &options.stop,
    };
    let mut walk = Walk::new(base, own, horizon, allowed_gap);
    let mut forwards = match options.payoffs {
        PayoffsFrom::Start => walk.leaves_payoffs_to_forwards(allowed_gap / 2.0),
        PayoffsFrom::EveryState => None,
    };
    if let Err(reason) = walk.reach_the_present(&walk_options) {
        stopped = Some(reason);
        forwards = None;
        let base = Base::of(model, walk.long_term.unwrap_or(walk.base.followed));
        horizon = 0;
        let own = alone.as_ref().map(|alone| Base::of_strategy(alone, &tail, gap, &options.stop));
        walk = Walk::new(base, own, horizon, allowed_gap);
    }
    let mut welfare = walk.welfare();
    let payoffs = || match forwards {
        None => Ok(payoffs_of_walk(model, &untold, &walk)),
        Some(forwards) => payoffs_forwards(&untold, alone.as_ref(), &walk, forwards, gap, &options.stop),
    };
    let memory = || memory::of(model, &tail, &long_term_choices, &walk.changes, &options.stop);
    let strategy = || counting_strategy(&tail, &walk.changes);
    // Another thread must not talk to other ranks.
    let (payoffs, (memory, strategy)) = match model.ranks.most_together() {
        None => parallel::join(payoffs, || parallel::join(memory, strategy)),
        Some(_) => (payoffs(), (memory(), strategy())),
    };
    let mut payoffs = payoffs.unwrap_or_else(|reason| {
        stopped = Some(reason);
        any_payoffs(model.model)
    });
    if options.payoffs == PayoffsFrom::Start {
        (payoffs, long_term_payoffs) = (of_start(model, &payoffs), of_start(model, &long_term_payoffs));
    }
    // A stopped run reports the horizon in place of the memory.
    let memory = memory.unwrap_or_else(|reason| {
        stopped = Some(reason);
        vec![Step::from(horizon); model.n_states()]
    });
    let width = model.greatest_met(|state| welfare.enclosure(state.index()).width());
    // The long-term strategy may earn nothing where deviating at first earns much.
    let scale = scale.max(model.greatest_payoffs(&payoffs));
    if stopped.is_some() {
        // The bounds found may be wider than those from the rewards alone.
        welfare = welfare_within_rewards(model, &welfare);
        payoffs = payoffs.map(|p, values| within(values, model.n_states(), reward_range(model, p)));
    }
    let claim = match stopped {
        Some(reason) => Claim::Stopped(reason),
        None if is_narrow(width, asked, scale) => Claim::Within { gap: asked, scale },
        None => Claim::Stopped(StopReason::Precision),
    };
    let long_term =
        LongTermAnswer { choices: long_term_choices, payoffs: long_term_payoffs, is_proven: long_term_is_proven };
    let groups = principals::groups(model.model.principals());
    let method = Method::Certified { scale };
    let answer = Answer {
        horizon: Step::from(horizon),
        welfare: Some(welfare),
        proof: values.map(|values| Proof::Bounds(BoundsProof { values, stages: walk.stages, segments: Vec::new() })),
        effort: Effort { n_layers: walk.n_layers, n_jumps: walk.n_jumps, ..Default::default() },
        ..Answer::new(claim, method, groups, strategy, memory, payoffs, long_term)
    };
    Round { answer, width, gap_is_possible }
}

/// A scale this small relative to the rewards does not indicate what can be earned.
const SMALL: f64 = 1e-3;
/// The number of layers used to estimate early gains.
const FIRST_LAYERS: u64 = 64;

/// The base, and the scale of the gap: the size of the base's values, or of the gain over them in a few steps if the values are
/// small. The long-term strategy may earn nothing although early deviations earn much. This scale is a guess; the size of the
/// answer's payoffs is known only at the end.
fn with_scale<'m>(base: Base<'m>, options: &Options) -> (Base<'m>, f64) {
    let (model, scale) = (base.model, base.scale());
    let principals = model.model.principals().iter().enumerate();
    let of_rewards = principals.map(|(p, own)| {
        let range = reward_range(model, p.into()).times(Enclosure::from(&own.weight));
        range.lower().abs().max(range.upper().abs())
    });
    let of_rewards = of_rewards.sum::<f64>();
    if scale >= SMALL * of_rewards || !of_rewards.is_finite() || model.ranks.stop_reason(&options.stop).is_some() {
        return (base, scale);
    }
    let mut walk = Walk::new(base, None, FIRST_LAYERS, of_rewards);
    let walk_options = WalkOptions {
        allowed_gap: of_rewards,
        gap: SMALL,
        limits: Limits::of_layers(FIRST_LAYERS),
        jumps: false,
        keep_stages: false,
        is_kept: false,
        stop: &options.stop,
    };
    let gain = walk.reach_the_present(&walk_options).map_or(0.0, |()| walk.greatest_gain().get());
    (walk.base, if gain.is_finite() { scale.max(gain) } else { scale })
}

/// Bounds on a principal's payoff under any strategy: its least and greatest reward for ever.
fn reward_range(model: &RoundedModel, p: PrincipalId) -> Enclosure {
    let of_part = |part: &Part| {
        let alone = Alone { principal: p, discount: part.discount.clone() };
        let range = range_alone(model, &alone);
        if part.coefficient.is_one() { range } else { range.times(Enclosure::from(&part.coefficient)) }
    };
    match model.model.principals()[p.index()].parts() {
        Some(parts) => parts.iter().map(of_part).reduce(Enclosure::plus).expect("a principal has a part"),
        None => range_from(model, p, 0),
    }
}

/// Bounds on the value of the steps from `step` on for a principal of the file, as of step 0.
fn range_from(model: &RoundedModel, p: PrincipalId, step: u64) -> Enclosure {
    let once = range_alone(model, &Alone { principal: p, discount: Rational::ZERO });
    exponential_sum::range_from(&model.model.principals()[p.index()], step, once)
}

/// Bounds on the value of its rewards at one discount.
fn range_alone(model: &RoundedModel, alone: &Alone) -> Enclosure {
    let span = model.reward_span(alone.principal);
    let off = UpperBound::of_roundings(8.0) * UpperBound::of(span.magnitude()) + UpperBound::UNDERFLOW;
    let rewards = Enclosure::new(span.least, span.greatest).plus(Enclosure::new(-off.get(), off.get()));
    rewards.times(Enclosure::from(&lifetime(&alone.discount)))
}

/// Bounds on each principal's payoff under any strategy.
pub fn any_payoffs(mdp: &Mdp<f64>) -> Payoffs {
    any_payoffs_shared(SharedModel::whole(mdp))
}

fn any_payoffs_shared(shared: SharedModel) -> Payoffs {
    let mdp = shared.model;
    let first = principals::segments(mdp.principals()).swap_remove(0);
    let model = RoundedModel::new(shared, first.parts);
    let of_principal = |p: usize| Values::Enclosed(vec![reward_range(&model, p.into()); mdp.n_states()]);
    shared.payoffs((0..mdp.n_principals()).map(of_principal).collect())
}

/// An answer that says nothing but what the rewards say of any strategy.
pub fn unsolved(model: &Mdp<f64>, reason: StopReason) -> Answer {
    unsolved_shared(SharedModel::whole(model), reason)
}

fn unsolved_shared(shared: SharedModel, reason: StopReason) -> Answer {
    let model = shared.model;
    let strategy = CountingStrategy::positional(model.first_choices());
    let payoffs = any_payoffs_shared(shared);
    let scale = shared.ranks.greatest_of(payoffs.magnitude(model.n_states()));
    let followed = model.states().map(|state| [strategy.tail(state)]);
    let long_term = LongTermAnswer { choices: followed.collect(), payoffs: payoffs.clone(), is_proven: false };
    let (groups, memory) = (principals::groups(model.principals()), vec![Step::ZERO; model.n_states()]);
    let (claim, method) = (Claim::Stopped(reason), Method::Certified { scale });
    Answer::new(claim, method, groups, strategy, memory, payoffs, long_term)
}

fn welfare_within_rewards(model: &RoundedModel, welfare: &Values) -> Values {
    let principals = model.model.principals().iter().enumerate();
    let ranges = principals.map(|(p, own)| reward_range(model, p.into()).times(Enclosure::from(&own.weight)));
    within(welfare, model.n_states(), ranges.fold(Enclosure::ZERO, Enclosure::plus))
}

/// The same values, intersected with `range`.
fn within(values: &Values, n: usize, range: Enclosure) -> Values {
    let narrowed =
        |known: Enclosure| Enclosure::new(known.lower().max(range.lower()), known.upper().min(range.upper()));
    values.map_enclosures(n, narrowed)
}

impl LongTerm {
    /// The same where the rewards of part i are multiplied by `factor(i)`.
    fn scaled(&self, factor: impl Fn(usize) -> f64) -> LongTerm {
        let n = self.constants.len();
        let column =
            |values: &[f64]| values.iter().enumerate().map(|(k, value)| value * factor(k % n)).collect::<Vec<f64>>();
        LongTerm {
            strategy: self.strategy.clone(),
            near: column(&self.near),
            values: column(&self.values),
            constants: column(&self.constants),
        }
    }

    /// Replaces infinite values and NaN, which an evaluation that diverged may leave, by 0. Any finite values will do.
    fn make_finite(&mut self) {
        let mend = |_, x: &mut f64| {
            if !x.is_finite() {
                *x = 0.0;
            }
        };
        parallel::update(&mut self.values, mend);
        parallel::update(&mut self.constants, mend);
    }
}

impl Base<'_> {
    /// max_s Σ_i |V_i(s)| over the states that can be met: what the gap is relative to.
    fn scale(&self) -> f64 {
        let constants = &self.followed.constants;
        let n = constants.len();
        let of_state = |state: StateId| {
            let values = &self.followed.values[state.index() * n..(state.index() + 1) * n];
            values.iter().zip(constants).map(|(v, c)| (v + c).abs()).sum::<f64>()
        };
        self.model.greatest_met(of_state)
    }

    /// The strategy's choice in each state, and those that seem to be as good for everybody: about as good for every part, and not proven
    /// to be worse for the most patient one. If the strategy is proven to be the long-term one, there are none of these.
    fn long_term_choices(&self) -> Lists<ChoiceId> {
        let Base { model, followed, advantages } = self;
        let doubt = self.doubt();
        let as_good = |state: StateId, choice: ChoiceId| {
            let own = followed.strategy[state.index()];
            let ahead = |i: usize| advantages.get(state, choice, own, i);
            // With an infinite error no comparison holds, but a choice is as good as itself.
            choice == own || (ahead(0) >= -doubt.get() && (0..model.n()).all(|i| ahead(i).abs() <= followed.near[i]))
        };
        let of_state = |state: StateId| model.arrays.choices(state).filter(move |&choice| as_good(state, choice));
        crate::kernel::sweep::lists(model.n_states(), of_state)
    }

    /// How far the computed advantages for the most patient part may be from those over the strategy's exact values: the error of the
    /// computation, and those of the values, here and in the next state.
    fn doubt(&self) -> UpperBound {
        self.advantages.error[0] + self.off(0) + self.off(0)
    }

    /// Whether the strategy is proven to be the long-term one: every other choice is worse for the most patient part. Ties for it are
    /// not decided.
    fn is_proven_long_term(&self) -> bool {
        let doubt = self.doubt();
        let is_proven = self.advantages.lead.iter().all(|&lead| lead < -doubt.get());
        self.model.ranks.sum((!is_proven).into()) == 0
    }

    /// V, by part.
    pub fn values_in_doubles(&self) -> Vec<Vec<f64>> {
        let of_part = |i: usize| self.model.model.states().map(|state| self.value(state, i)).collect();
        (0..self.model.n()).map(of_part).collect()
    }

    /// Principal i's values of following the strategy for ever.
    fn values(&self, i: usize) -> Values {
        near(self.model, |state| self.value(state, i), self.greatest_value(i), self.off(i))
    }
}

/// Enclosures of numbers within `off` of sums of a few terms whose magnitudes add up to `magnitude`.
fn near(
    model: &RoundedModel,
    of: impl Fn(StateId) -> f64 + Sync + Send,
    magnitude: UpperBound,
    off: UpperBound,
) -> Values {
    let radius = (off + UpperBound::of_roundings(8.0) * magnitude).get();
    Values::Near { centers: model.map_states(of), below: radius, above: radius }
}

impl Walk<'_> {
    /// Leaves out the gains of single parts if the payoffs from the start can be had for less, within about `tolerance`. At the
    /// beginning of the tail.
    fn leaves_payoffs_to_forwards(&mut self, tolerance: f64) -> Option<Forwards> {
        let passes = |blocks: &[Box<dyn Gains>]| blocks.iter().map(|own| own.end().min(self.step)).sum::<u64>();
        let bases: Vec<&Base> = std::iter::once(&self.base).chain(&self.members).collect();
        let n_passes = passes(&self.gains) + passes(&self.member_gains);
        let forwards = Forwards::if_cheaper(&bases, self.step, n_passes, tolerance)?;
        self.gains.clear();
        self.member_gains.clear();
        Some(forwards)
    }

    /// The welfare, once the walk has reached step 0: the sum of V, the gain, and its bounds.
    fn welfare(&self) -> Values {
        let n = self.base.model.n();
        let magnitude = (0..n).map(|i| self.base.greatest_value(i)).sum::<UpperBound>() + self.greatest_gain();
        let roundings = UpperBound::of_roundings(2.0 * n as f64 + 2.0) * magnitude;
        let of_state =
            |state: StateId| self.gain[state.index()] + (0..n).map(|i| self.base.value(state, i)).sum::<f64>();
        Values::Near {
            centers: self.base.model.map_states(of_state),
            below: (self.stake.below + roundings).get(),
            above: (self.stake.above + roundings).get(),
        }
    }

    /// The payoff of the i-th of the base's parts under the decisions of the whole walk.
    fn payoff(&self, i: usize) -> Values {
        if i > 0 {
            return payoff(&self.base, &self.gains, i, i - 1);
        }
        // The total gain minus the gains of the others.
        let others: Vec<(&dyn Gains, usize)> = each(&self.gains).collect();
        let of_state = |state: StateId| {
            let others = others.iter().map(|(gains, i)| gains.gain(state, *i)).sum::<f64>();
            self.base.value(state, 0) + (self.gain[state.index()] - others)
        };
        let bounds = others.iter().map(|(gains, i)| gains.magnitude_and_error(&self.base, *i));
        let (magnitude, off) = bounds.fold(
            (self.base.greatest_value(0) + self.greatest_gain(), self.stake.below),
            |(magnitude, off), (greatest, error)| (magnitude + greatest, off + error),
        );
        let roundings = UpperBound::of_roundings(others.len() as f64) * magnitude;
        near(self.base.model, of_state, magnitude, off + roundings)
    }
}

fn each(blocks: &[Box<dyn Gains>]) -> impl Iterator<Item = (&dyn Gains, usize)> {
    blocks.iter().flat_map(|block| (0..block.width()).map(move |i| (&**block, i)))
}

/// V_i and the gains that stand at `position` in the blocks.
fn payoff(base: &Base, blocks: &[Box<dyn Gains>], i: usize, position: usize) -> Values {
    let (gains, column) = each(blocks).nth(position).expect("every principal has gains");
    let (greatest, error) = gains.magnitude_and_error(base, column);
    let of_state = |state: StateId| base.value(state, i) + gains.gain(state, column);
    near(base.model, of_state, base.greatest_value(i) + greatest, error)
}

/// The source of each principal's payoff.
fn sources(model: &RoundedModel) -> impl Iterator<Item = Source> {
    let principals = model.model.principals();
    (0..principals.len()).flat_map(|p| principals::sources(principals, &model.parts, p.into()))
}

/// Each principal's payoff under the decisions of the whole walk.
fn payoffs_of_walk(model: &RoundedModel, untold: &[Alone], walk: &Walk) -> Payoffs {
    payoffs(model, untold, &walk.base, walk.members.as_ref(), |base, i| {
        if std::ptr::eq(base.model, walk.base.model) { walk.payoff(i) } else { payoff(base, &walk.member_gains, i, i) }
    })
}

/// The same from the start alone, forwards.
fn payoffs_forwards(
    untold: &[Alone],
    alone: Option<&RoundedModel>,
    walk: &Walk,
    forwards: Forwards,
    gap: f64,
    stop: &StopSignal,
) -> Result<Payoffs, StopReason> {
    let model = walk.base.model;
    // After a jump the base is not the tail's.
    let of_tail = walk.long_term.as_ref().map(|long_term| Base::of(model, long_term.clone()));
    let base = of_tail.as_ref().unwrap_or(&walk.base);
    let own_of_tail =
        (alone.filter(|_| of_tail.is_some())).map(|alone| Base::of_strategy(alone, &base.followed.strategy, gap, stop));
    let members = own_of_tail.as_ref().or(walk.members.as_ref());
    let bases: Vec<&Base> = std::iter::once(base).chain(members).collect();
    let found = forwards.payoffs(&bases, &walk.changes, stop)?;
    let start = model.model.start().index();
    Ok(payoffs(model, untold, base, members, |own, i| {
        let position = bases.iter().position(|base| std::ptr::eq(*base, own)).expect("one of them");
        Values::Only { index: start, number: found[position][i], others: Enclosure::ZERO }
    }))
}

/// The payoffs from the start, and for other states what the rewards say of any strategy.
fn of_start(model: &RoundedModel, payoffs: &Payoffs) -> Payoffs {
    let start = model.model.start().index();
    payoffs.map(|p, values| Values::Only {
        index: start,
        number: values.enclosure(start),
        others: reward_range(model, p),
    })
}

/// Each principal's payoff by `of`: from the base of its part, or from its own base if no part determines it.
fn payoffs(
    model: &RoundedModel,
    untold: &[Alone],
    base: &Base,
    own: Option<&Base>,
    of: impl Fn(&Base, usize) -> Values,
) -> Payoffs {
    let mut of_principals: Vec<Vec<(Rational, Values)>> = vec![Vec::new(); model.model.n_principals()];
    for source in sources(model) {
        let values = match &source.part {
            Some(part) => of(base, part.index).times(&part.uncounted, model.n_states()),
            None => {
                let i = untold.iter().position(|alone| *alone == source.alone).expect("it is listed");
                of(own.expect("what is untold has a base of its own"), i)
            }
        };
        of_principals[source.alone.principal.index()].push((source.coefficient, values));
    }
    let combined = of_principals.into_iter().map(|terms| Values::combined(terms, model.n_states()));
    model.shared().payoffs(combined.collect())
}

#[cfg(test)]
mod tests;
