//! The exact engine: everything in fractions, guessed in doubles and proven.
//!
//! Against the long-term values V_i, one use of choice (s,a) at step t changes the welfare by
//! `D_t(s,a) = Σ_i λ_i^t Δ_i(s,a)` ([`Advantages`]). From the [`horizon`] on no choice increases it, so nothing is gained there.
//! Before it, backward induction finds the gains ([`walk`]), and jumps over the stages in which no choice changes ([`jump`]).

pub mod advantage;
pub mod base;
pub mod horizon;
pub mod jump;
mod layered;
pub mod long_term;
mod memory;
mod payoff;
mod segments;
pub mod walk;

pub use advantage::Advantages;
pub use payoff::ExactGains;

use crate::answer::{Answer, Claim, ExactProof, LongTermAnswer, Method, Proof, Timings};
use crate::evaluation::{self, Payoffs};
use crate::exponential_sum::{self, DiscountRatios, reward_range};
use crate::model::{ChoiceId, IntegerRows, Lists, Mdp, PrincipalId};
use crate::number::{Enclosure, ExactVector, Rational, Scaled, Values};
use crate::parallel;
use crate::principals::{self, Alone, OrderedModel, Source};
use crate::quotient::Quotient;
use crate::solve::Options;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Step};
use base::Base;
use jump::Passed;
use long_term::{LongTerm, positional_value};
use payoff::{Earlier, Followed, enclosed_payoff, settled_values};
use std::time::{Duration, Instant};
use walk::truncated::{Truncated, truncate};
use walk::{Extent, Problem, Unravelled, WalkOptions, unravel};

/// The welfare-optimal counting strategy of `mdp`; bounds if `options` stop it on the way.
pub fn solve(mdp: &Mdp, options: &Options) -> Answer {
    if let Some(reason) = options.stop.reason() {
        return without_long_term(mdp, reason);
    }
    let quotient = || if options.simplify { Quotient::of(mdp, &options.stop) } else { None };
    parallel::in_pool(|| match quotient() {
        Some(quotient) => quotient.lift(mdp, solve_plainly(&quotient.model, options)),
        None => solve_plainly(mdp, options),
    })
}

/// The same, without merging equivalent states.
pub(crate) fn solve_plainly(mdp: &Mdp, options: &Options) -> Answer {
    match principals::segments(mdp.principals()).as_slice() {
        [_] => match principals::order_unless(mdp, &options.stop) {
            Ok(ordered) => solve_ordered(&ordered, options),
            Err(reason) => without_long_term(mdp, reason),
        },
        several => segments::solve(mdp, several, options),
    }
}

fn solve_ordered(model: &OrderedModel, options: &Options) -> Answer {
    let rows = IntegerRows::of(model.mdp());
    let began = Instant::now();
    let long_term = long_term::solve(model, &rows, &options.stop);
    let long_term_took = began.elapsed();
    let mut answer = match long_term {
        Ok(long_term) => solve_from(model, &rows, &long_term, options),
        Err(reason) => without_long_term(model.mdp(), reason),
    };
    answer.timings = Timings { long_term: long_term_took, unravel: began.elapsed() - long_term_took };
    answer
}

/// The best that the agent could do for one principal alone.
#[derive(Debug, Clone)]
pub struct OwnBest {
    /// What the principal gets, per start state, before its weight.
    pub payoffs: Values,
    /// A strategy that gives it that; the first of equals.
    pub strategy: CountingStrategy,
}

/// What `principal` would get if the agent served nobody else: the most, or the least if its weight is negative.
pub fn own_best(mdp: &Mdp, principal: PrincipalId, stop: &StopSignal) -> Result<OwnBest, StopReason> {
    let direction = mdp.principals()[principal.index()].direction();
    if let Some([_]) = mdp.principals()[principal.index()].parts() {
        let alone = principals::alone(mdp, principal, stop)?;
        let mut long_term = long_term::solve(&alone, &IntegerRows::of(mdp), stop)?;
        let strategy = CountingStrategy::positional(long_term.strategy);
        let payoffs = Values::Exact(long_term.values.remove(0)).times(&direction, mdp.n_states());
        return Ok(OwnBest { payoffs, strategy });
    }
    // One principal with several discounts or several segments is again the general problem.
    let answer = solve(&mdp.only(principal), &Options { stop: stop.clone(), ..Options::default() });
    if let Claim::Stopped(reason) = answer.claim {
        return Err(reason);
    }
    let payoffs = Values::of((0..mdp.n_states()).map(|state| answer.welfare(state.into())));
    Ok(OwnBest { payoffs: payoffs.times(&direction, mdp.n_states()), strategy: answer.strategy })
}

/// The optimum of a model whose long-term strategy is known.
pub(crate) fn solve_from(model: &OrderedModel, rows: &IntegerRows, long_term: &LongTerm, options: &Options) -> Answer {
    let advantages = &Advantages::over(model, rows, &long_term.values[..], |c| long_term.allowed[c.index()]); // Δ
    let ratios = &DiscountRatios::of(model);
    let stop = &options.stop;
    let found = horizon::horizon(model, advantages, ratios, stop); // H
    let unknown = Step::ZERO;
    let horizon = found.as_ref().unwrap_or(&unknown);
    let extent = Extent { first: &Step::ZERO, terminal: None, allowed: &long_term.allowed, whole: model };
    let problem = Problem { model, rows, long_term, advantages, ratios, horizon, extent };
    let walk =
        WalkOptions { limits: options.limits, jumps: options.jumps, early: true, keep_stages: options.keep_proof };
    let (mut stages, mut exact_is_affordable, mut has_ties, mut bits_a_layer) = (Vec::new(), false, false, 0);
    let solved = match &found {
        Ok(_) => unravel(problem, &walk, stop).and_then(|mut unravelled| {
            stages = std::mem::take(&mut unravelled.stages);
            (exact_is_affordable, has_ties) = (unravelled.exact_is_affordable, unravelled.has_ties);
            bits_a_layer = unravelled.bits_a_layer;
            optimum(problem, unravelled, stop)
        }),
        Err(reason) => Err(*reason),
    };
    let n_layers_for_bounds = layers_for_bounds(model, options.limits.layers);
    let mut answer = solved.unwrap_or_else(|reason| bounds(problem, n_layers_for_bounds, reason, stop));
    answer.proof = options.keep_proof.then(|| {
        let LongTerm { values, strategy, .. } = long_term.clone();
        let tail = strategy;
        Proof::Exact(ExactProof {
            values,
            tail,
            stages,
            exact_is_affordable,
            bits_a_layer,
            has_ties,
            n_layers_for_bounds,
            segments: Vec::new(),
        })
    });
    answer
}

/// Each principal's payoff, given the values of its sources.
fn payoffs<E>(model: &OrderedModel, of: impl Fn(&Source) -> Result<Values, E>) -> Result<Payoffs, E> {
    let of_source = |source: Source| of(&source).map(|values| (source.coefficient, values));
    let of_principal = |p: usize| -> Result<Values, E> {
        let terms: Vec<_> = model.sources(p.into()).into_iter().map(of_source).collect::<Result<_, _>>()?;
        Ok(Values::combined(terms, model.n_states()))
    };
    let mdp = model.mdp();
    Ok(Payoffs::new(mdp, (0..mdp.n_principals()).map(of_principal).collect::<Result<_, _>>()?))
}

/// The value of one principal's rewards at one discount if these choices are followed for ever.
fn value_alone(
    model: &OrderedModel,
    alone: &Alone,
    followed: &[ChoiceId],
    stop: &StopSignal,
) -> Result<ExactVector, StopReason> {
    let mdp = model.mdp();
    positional_value(mdp, followed, &alone.discount, |choice| &mdp.rewards(choice)[alone.principal.index()], stop)
}

/// The answer: every step before the horizon decided.
fn optimum(problem: Problem, unravelled: Unravelled, stop: &StopSignal) -> Result<Answer, StopReason> {
    let Problem { model, rows, long_term, advantages, horizon, .. } = problem;
    let mdp = model.mdp();
    let Unravelled { strategy, memory, base, gain, exact_gains, effort, passed, first_event, .. } = unravelled;
    let totals: Option<Vec<ExactVector>> = exact_gains.map(|gains| gains.iter().map(ExactGains::total).collect());
    let base_values = base.advantages(advantages).values();
    // The values of a part with one term are that principal's, up to the term's factor.
    let worth = |source: &Source, values: &[ExactVector], followed: &[ChoiceId]| match &source.part {
        Some(own) => Ok(values[own.index].scaled(&own.uncounted)),
        None => value_alone(model, &source.alone, followed, stop),
    };
    let in_the_end = |source: &Source| worth(source, &long_term.values, &long_term.strategy);
    let long_term_payoffs = payoffs(model, |source| in_the_end(source).map(Values::Exact))?;
    // Values that are known exactly although the horizon is too far for fractions in all states.
    let settled: Vec<Vec<Option<Rational>>> = match totals {
        Some(_) => Vec::new(),
        None => (0..model.n()).map(|i| settled_values(problem, &strategy, i)).collect(),
    };
    let payoffs = payoffs(model, |source| {
        Ok(match (&totals, &source.part) {
            (Some(totals), Some(own)) => Values::Exact(totals[own.index].scaled(&own.uncounted)),
            (Some(_), None) => {
                let tail = in_the_end(source)?;
                Values::Exact(evaluation::payoff_over_tail(mdp, rows, &strategy, &source.alone, &tail, stop)?)
            }
            (None, _) => {
                let own = worth(source, base_values, &base.strategy)?;
                let of_stage = |stage: &Passed| match &source.part {
                    Some(own) => {
                        let uncounted = Scaled::from(&own.uncounted);
                        Ok(stage.values[own.index].iter().map(|value| value.times(uncounted)).collect())
                    }
                    None => {
                        let followed: Vec<ChoiceId> =
                            model.states().map(|state| strategy.choice(state, &stage.from)).collect();
                        let own = value_alone(model, &source.alone, &followed, stop)?;
                        Ok(own.numerators.iter().map(|n| Scaled::of_quotient(n, &own.denominator)).collect())
                    }
                };
                let earlier = Earlier {
                    model,
                    rows,
                    passed: &passed,
                    values: &of_stage,
                    long_term: &|| in_the_end(source),
                    first_event: &first_event,
                };
                let followed = Followed { model: mdp, rows, strategy: &strategy, stop };
                let enclosed = enclosed_payoff(followed, &base, &source.alone, &own, Some(&earlier))?;
                let known = |index: usize| {
                    let part = source.part.as_ref()?;
                    settled[part.index][index].as_ref().map(|value| value * &part.uncounted)
                };
                let known: Vec<Option<Rational>> = (0..model.n_states()).map(known).collect();
                Values::partly_exact(known, enclosed)
            }
        })
    })?;
    // The enclosure of the welfare's gain is narrower than the sum of the enclosures of payoffs.
    let welfare = if effort.n_undecided > 0 {
        // The strategy's welfare and the upper bound do not depend on how ties are decided.
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
            let known = |s: usize| {
                settled.iter().try_fold(Rational::ZERO, |sum, values| values[s].as_ref().map(|value| sum + value))
            };
            let known: Vec<Option<Rational>> = (0..model.n_states()).map(known).collect();
            Values::partly_exact(known, (0..model.n_states()).map(of_state).collect())
        })
    };
    let claim = if effort.n_undecided == 0 { Claim::Optimal } else { Claim::Undecided(effort.n_undecided) };
    Ok(Answer {
        horizon: horizon.clone(),
        memory,
        payoffs,
        welfare,
        long_term: LongTermAnswer {
            choices: allowed_choices(model, long_term),
            payoffs: long_term_payoffs,
            is_proven: true,
        },
        effort,
        ..nothing_known(model.mdp(), strategy, claim)
    })
}

/// The number of layers after which the rest is below the precision of doubles, within the limit and a small amount of work: a
/// stopped run still computes them.
fn layers_for_bounds(model: &OrderedModel, limit: u64) -> u64 {
    const NEGLIGIBLE: f64 = 1e-20;
    // All in nanoseconds, measured: what a stopped run may still take, the fixed cost of a layer, its weight of one part in wide
    // enclosures, the list of one state, and one product of scaled enclosures.
    const MOMENT: usize = 100_000_000;
    const LAYER: usize = 1_500;
    const WEIGHT: usize = 800;
    const STATE: usize = 200;
    const PRODUCT: usize = 40;
    let (n, n_states) = (model.n(), model.n_states());
    // The upper bound needs every transition, the gain of each part those of one choice a state.
    let of_gains = n * (n_states + model.n_transitions() * n_states / model.n_choices());
    let products = n * model.n_choices() + model.n_transitions() + of_gains;
    let affordable = MOMENT / (LAYER + n * WEIGHT + n_states * STATE + products * PRODUCT);
    let layers = NEGLIGIBLE.ln() / model.discount(0).to_f64().ln();
    let enough = if layers.is_finite() { layers.ceil() as u64 } else { u64::MAX };
    limit.min(enough).min(affordable as u64)
}

/// Bounds from the first `n_layers` steps, where the horizon lies beyond them.
fn bounds(problem: Problem, n_layers: u64, reason: StopReason, stop: &StopSignal) -> Answer {
    let Problem { model, rows, long_term, .. } = problem;
    let mdp = model.mdp();
    let Truncated { strategy, gains, upper } = truncate(problem, n_layers);
    let base = Base::long_term(problem, Step::from(n_layers));
    // A principal that no part determines needs a linear solve of its own. In a large model, or where that takes more than a
    // moment after the end of the time, a stopped run skips it and reports the bounds from the least and the greatest reward for ever.
    const SMALL: usize = 2_000;
    const MOMENT: Duration = Duration::from_millis(100);
    let patience = match reason {
        StopReason::Interrupted | StopReason::TimeLimit => StopSignal::after(MOMENT),
        _ => stop.without_budget(),
    };
    let alone = |source: &Source| {
        let values = (model.n_states() <= SMALL)
            .then(|| value_alone(model, &source.alone, &long_term.strategy, &patience).ok())
            .flatten();
        values.ok_or_else(|| range_alone(mdp, &source.alone))
    };
    let total = |i: usize, s: usize| long_term.values[i].enclosure(s).plus(gains[s][i].to_doubles());
    let payoff = |source: &Source| match &source.part {
        Some(own) => {
            let factor = Enclosure::from(&own.uncounted);
            Values::Enclosed((0..model.n_states()).map(|s| total(own.index, s).times(factor)).collect())
        }
        None => alone(source).map_or_else(
            |range| range,
            |values| {
                let followed = Followed { model: mdp, rows, strategy: &strategy, stop: &patience };
                let payoff = enclosed_payoff(followed, &base, &source.alone, &values, None);
                payoff.map_or_else(|_| range_alone(mdp, &source.alone), Values::Enclosed)
            },
        ),
    };
    let in_the_end = |source: &Source| match &source.part {
        Some(own) => Values::Exact(long_term.values[own.index].scaled(&own.uncounted)),
        None => alone(source).map_or_else(|range| range, Values::Exact),
    };
    let welfare = |s: usize| {
        let lower = (0..model.n()).map(|i| total(i, s)).fold(Enclosure::ZERO, Enclosure::plus).lower();
        let follows = long_term.values.iter().map(|values| values.enclosure(s)).fold(Enclosure::ZERO, Enclosure::plus);
        Enclosure::new(lower, follows.plus(upper[s].to_doubles()).upper())
    };
    let certain = |of: &dyn Fn(&Source) -> Values| {
        let Ok(payoffs) = payoffs(model, |source| Ok::<_, std::convert::Infallible>(of(source)));
        payoffs
    };
    Answer {
        horizon: Step::from(n_layers),
        // The states that the strategy reaches are not known: it may deviate until the last layer computed.
        memory: vec![Step::from(n_layers); model.n_states()],
        payoffs: certain(&payoff),
        welfare: Some(Values::Enclosed((0..model.n_states()).map(welfare).collect())),
        long_term: LongTermAnswer {
            choices: allowed_choices(model, long_term),
            payoffs: certain(&in_the_end),
            is_proven: true,
        },
        ..nothing_known(model.mdp(), strategy, Claim::Stopped(reason))
    }
}

/// Bounds from the rewards alone: each principal gets between its least and its greatest reward for ever.
fn without_long_term(mdp: &Mdp, reason: StopReason) -> Answer {
    nothing_known(mdp, CountingStrategy::positional(mdp.first_choices()), Claim::Stopped(reason))
}

/// An answer with the bounds that the rewards give for any strategy.
fn nothing_known(mdp: &Mdp, strategy: CountingStrategy, claim: Claim) -> Answer {
    let ranges = any_payoffs(mdp);
    let followed = mdp.states().map(|state| [strategy.tail(state)]);
    let long_term = LongTermAnswer { choices: followed.collect(), payoffs: ranges.clone(), is_proven: false };
    let (groups, memory) = (principals::groups(mdp.principals()), vec![Step::ZERO; mdp.n_states()]);
    Answer::new(claim, Method::Exact, groups, strategy, memory, ranges, long_term)
}

/// Bounds on each principal's payoff under any strategy: its least and its greatest reward for ever.
pub fn any_payoffs(mdp: &Mdp) -> Payoffs {
    let of_principal = |p: usize| match mdp.principals()[p].parts() {
        // Exactly, where that takes a moment.
        Some([part]) => {
            let alone = Alone { principal: p.into(), discount: part.discount.clone() };
            Values::combined(vec![(part.coefficient.clone(), range_alone(mdp, &alone))], mdp.n_states())
        }
        _ => Values::Enclosed(vec![range_from(mdp, p.into(), 0); mdp.n_states()]),
    };
    Payoffs::new(mdp, (0..mdp.n_principals()).map(of_principal).collect())
}

/// Bounds on the value of the steps from `step` on for a principal, as of step 0.
fn range_from(mdp: &Mdp, principal: PrincipalId, step: u64) -> Enclosure {
    let rewards = (0..mdp.n_choices()).map(|choice| &mdp.rewards(choice.into())[principal.index()]);
    let [least, greatest] = reward_range(&Rational::ZERO, rewards).map(|end| Enclosure::from(&end));
    exponential_sum::range_from(
        &mdp.principals()[principal.index()],
        step,
        Enclosure::new(least.lower(), greatest.upper()),
    )
}

fn range_alone(mdp: &Mdp, alone: &Alone) -> Values {
    let rewards = (0..mdp.n_choices()).map(|choice| &mdp.rewards(choice.into())[alone.principal.index()]);
    let [least, greatest] = reward_range(&alone.discount, rewards).map(|end| Enclosure::from(&end));
    Values::Enclosed(vec![Enclosure::new(least.lower(), greatest.upper()); mdp.n_states()])
}

fn allowed_choices(model: &OrderedModel, long_term: &LongTerm) -> Lists<ChoiceId> {
    let allowed = |state| model.choices(state).filter(|choice| long_term.allowed[choice.index()]);
    model.states().map(allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::RandomFamily;

    /// The cost of a layer grows with the number of parts, beside that of its transitions: a run that is stopped with a hundred
    /// parts must not compute as many layers as one with two.
    #[test]
    fn a_stopped_run_with_many_discounts_computes_fewer_layers() {
        let layers = |n: i64| {
            let near = |i: i64| Rational::ONE - Rational::from(1) / Rational::from(1_000_000 + i);
            let family = RandomFamily {
                n_states: 10,
                n_actions: 3,
                n_successors: 2,
                discounts: (0..n).map(near).collect(),
                max_denominator: 2,
                max_reward: 5,
                seed: 1,
            };
            layers_for_bounds(&principals::order(&family.model().expect("a model")), u64::MAX)
        };
        let (two, many) = (layers(2), layers(100));
        // Some 100 ms of some 10 and some 300 microseconds.
        assert!((5_000..50_000).contains(&two) && (200..1_000).contains(&many), "{two} {many}");
    }
}
