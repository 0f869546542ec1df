//! Segments: time preferences that are sums of powers piece by piece.
//!
//! From the last segment on it is the ordinary problem. Each earlier segment is the same problem with an end: the welfare from
//! the end on lies between two numbers per state, and these, less the segment's own values at that step, are the initial
//! gain of the [`walk`](super::walk). Steps are counted from the segment's origin, and gains are in units of λ_0 to the step,
//! so the change from one segment to the one before it multiplies by λ_0^t/μ_0^u, including that power's rounding error.

use super::base::Base;
use super::horizon;
use super::long_term;
use super::payoff::evaluate_shared;
use super::rounded_model::{RoundedModel, SharedModel};
use super::walk::{LayerChanges, Walk, WalkOptions, counting_strategy};
use super::{FINER, FINEST, TAIL_SHARE, is_narrow, memory, unsolved_shared, welfare_within_rewards};
use crate::answer::Timings;
use crate::answer::{Answer, BoundsProof, BoundsSegment, BoundsStage, Claim, Effort, LongTermAnswer, Method, Proof};
use crate::evaluation::Payoffs;
use crate::exponential_sum::DiscountRatios;
use crate::kernel::sweep::Span;
use crate::model::{ChoiceId, Lists, StateId};
use crate::number::{Enclosure, Rational, Values, WideEnclosure};
use crate::principals::OrderedSegment;
use crate::solve::Options;
use crate::stop::StopReason;
use crate::strategy::{CountingStrategy, Step};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// A strategy whose welfare is within `gap` of the best, of a model in several segments.
pub(super) fn solve(shared: SharedModel, segments: &[OrderedSegment], gap: f64, options: &Options) -> Answer {
    let began = Instant::now();
    let rounded: Vec<RoundedModel> =
        segments.iter().map(|segment| RoundedModel::new(shared, segment.parts.clone())).collect();
    let segmented = Segmented { shared, segments, rounded: &rounded, long_term_took: Cell::default() };
    let mut aim = gap;
    let mut options = options.clone();
    // If the interval is too wide, further rounds use a smaller tolerance. If that does not help, they do not jump.
    let mut answer = loop {
        let answer = segmented.prove(gap, aim, &options);
        if answer.claim != Claim::Stopped(StopReason::Precision) {
            break answer;
        }
        let is_walkable = u64::try_from(&answer.horizon).is_ok_and(|horizon| horizon <= options.limits.layers);
        if aim >= FINEST {
            aim *= FINER;
        } else if answer.effort.n_jumps > 0 && is_walkable {
            (options.jumps, aim) = (false, gap);
        } else {
            break answer;
        }
    };
    let long_term = segmented.long_term_took.get();
    answer.timings = Timings { long_term, unravel: began.elapsed() - long_term };
    answer
}

/// A model in segments, each in doubles.
struct Segmented<'m> {
    shared: SharedModel<'m>,
    segments: &'m [OrderedSegment],
    rounded: &'m [RoundedModel<'m>],
    /// The time for long-term strategies, in all rounds.
    long_term_took: Cell<Duration>,
}

/// What the walk over all segments found.
struct Walked {
    horizon: u64,
    tail: Vec<ChoiceId>,
    long_term_choices: Lists<ChoiceId>,
    long_term_is_proven: bool,
    changes: Vec<LayerChanges>,
    welfare: Values,
    proof: BoundsProof,
    effort: Effort,
}

impl Segmented<'_> {
    fn prove(&self, gap: f64, aim: f64, options: &Options) -> Answer {
        let found = self.walk(aim, options).and_then(|walked| self.answer(walked, gap, aim, options));
        found.unwrap_or_else(|reason| unsolved_shared(self.shared, reason))
    }

    fn walk(&self, aim: f64, options: &Options) -> Result<Walked, StopReason> {
        let Segmented { shared, segments, rounded, .. } = *self;
        let last = segments.len() - 1;
        let began = Instant::now();
        let bases: Result<Vec<Base>, StopReason> = (rounded.iter())
            .map(|model| {
                shared.ranks.check(&options.stop)?;
                Ok(Base::of(model, long_term::solve(model, aim, &options.stop)))
            })
            .collect();
        self.long_term_took.set(self.long_term_took.get() + began.elapsed());
        let bases = bases?;
        shared.ranks.check(&options.stop)?;
        // The values of the segments, each continued for ever, as of step 0: roughly an upper bound on the welfare.
        let worth = |(base, segment): (&Base, &OrderedSegment)| {
            base.scale() * base.model.discounts[0].powf(segment.first() as f64)
        };
        let allowed_gap = aim * bases.iter().zip(segments).map(worth).fold(0.0, f64::max);
        let mut walked = Walked {
            horizon: 0,
            tail: bases[last].followed.strategy.clone(),
            long_term_choices: bases[last].long_term_choices(),
            long_term_is_proven: bases[last].is_proven_long_term(),
            changes: Vec::new(),
            welfare: Values::Enclosed(Vec::new()),
            proof: BoundsProof { values: Vec::new(), stages: Vec::new(), segments: Vec::new() },
            effort: Effort::default(),
        };
        let mut later: Option<Walk> = None;
        for (k, base) in bases.into_iter().enumerate().rev() {
            let segment = &segments[k];
            let values = if options.keep_proof { base.values_in_doubles() } else { Vec::new() };
            let mut walk = match later.take() {
                None => {
                    let horizon = horizon::horizon(base.model, &base.advantages, TAIL_SHARE * allowed_gap);
                    let horizon = horizon.max(segment.first());
                    walked.horizon = horizon + segment.origin;
                    let mut walk = Walk::new(base, None, horizon, allowed_gap);
                    walk.gains.clear();
                    walk
                }
                Some(later) => {
                    let end = segment.local(segments[k + 1].from);
                    let after = self.after(k, &base, &later);
                    Walk::at_end(base, end, &after, later.decisions)
                }
            };
            walk.first = segment.first();
            let walk_options = WalkOptions {
                allowed_gap,
                gap: aim,
                limits: options.limits.after(&walked.effort),
                jumps: options.jumps,
                keep_stages: options.keep_proof,
                is_kept: true,
                stop: &options.stop,
            };
            walk.reach_the_present(&walk_options)?;
            walked.add(k == last, segment, values, &mut walk);
            if let Some(next) = segments.get(k + 1)
                && let Some(own) = walked.proof.segments.last_mut()
            {
                own.until = next.from;
            }
            later = Some(walk);
        }
        walked.welfare = later.expect("at least one segment").welfare();
        Ok(walked)
    }

    /// The welfare of the steps after segment k minus the values of `base`, as of its end.
    fn after(&self, k: usize, base: &Base, later: &Walk) -> Vec<Span> {
        let (segment, next) = (&self.segments[k], &self.segments[k + 1]);
        let (t, u) = (next.first(), segment.local(next.from));
        let discount = |model: &RoundedModel| model.parts[0].discount.clone();
        let unit = unit_between((discount(later.base.model), t), (discount(base.model), u));
        let weights = |model: &RoundedModel, step: u64| -> Vec<Enclosure> {
            let weights = DiscountRatios::between(&model.parts).weights(&Step::from(step));
            weights.scaled.iter().map(|weight| weight.to_doubles()).collect()
        };
        let (weights_later, weights_now) = (weights(later.base.model, t), weights(base.model, u));
        let values = |base: &Base, weights: &[Enclosure], state: StateId| {
            let of_part = |(i, weight): (usize, &Enclosure)| base.enclosed_value(state, i).times(*weight);
            weights.iter().enumerate().map(of_part).fold(Enclosure::ZERO, Enclosure::plus)
        };
        let stake = Enclosure::new(-later.stake.below.get(), later.stake.above.get());
        base.model.map_states(|state| {
            let gain = later.gain[state.index()];
            let gain = Enclosure::new(gain, gain).plus(stake);
            let welfare = gain.plus(values(&later.base, &weights_later, state)).times(unit);
            let gain = welfare.plus(-values(base, &weights_now, state));
            Span { least: gain.lower(), greatest: gain.upper() }
        })
    }

    fn answer(&self, walked: Walked, gap: f64, aim: f64, options: &Options) -> Result<Answer, StopReason> {
        let last = self.rounded.last().expect("at least one segment");
        let strategy = counting_strategy(&walked.tail, &walked.changes);
        let memory = memory::of(last, &walked.tail, &walked.long_term_choices, &walked.changes, &options.stop)?;
        let payoffs = |strategy: &CountingStrategy| -> Result<Payoffs, StopReason> {
            Ok(evaluate_shared(self.shared, strategy, aim, &options.stop)?.payoffs)
        };
        let tail = CountingStrategy::positional(walked.tail.iter().copied());
        let (own, in_the_end) = (payoffs(&strategy)?, payoffs(&tail)?);
        let width = last.greatest_met(|state| walked.welfare.enclosure(state.index()).width());
        let scale = last.greatest_payoffs(&own).max(last.greatest_payoffs(&in_the_end));
        let claim = if is_narrow(width, gap, scale) {
            Claim::Within { gap, scale }
        } else {
            Claim::Stopped(StopReason::Precision)
        };
        let welfare = match claim {
            Claim::Stopped(_) => welfare_within_rewards(last, &walked.welfare),
            _ => walked.welfare,
        };
        Ok(Answer {
            claim,
            method: Method::Certified { scale },
            horizon: Step::from(walked.horizon),
            memory,
            strategy,
            payoffs: own,
            welfare: Some(welfare),
            long_term: LongTermAnswer {
                choices: walked.long_term_choices,
                payoffs: in_the_end,
                is_proven: walked.long_term_is_proven,
            },
            proof: options.keep_proof.then_some(Proof::Bounds(walked.proof)),
            effort: walked.effort,
            ..unsolved_shared(self.shared, StopReason::Precision)
        })
    }
}

impl Walked {
    /// Adds what the walk over a segment found.
    fn add(&mut self, is_last: bool, segment: &OrderedSegment, values: Vec<Vec<f64>>, walk: &mut Walk) {
        let origin = segment.origin;
        let layers = std::mem::take(&mut walk.changes);
        self.changes.extend(layers.into_iter().map(|layer| LayerChanges { step: layer.step + origin, ..layer }));
        let stage =
            |stage: BoundsStage| BoundsStage { from: stage.from + origin, until: stage.until + origin, ..stage };
        let stages: Vec<BoundsStage> = std::mem::take(&mut walk.stages).into_iter().map(stage).collect();
        if is_last {
            (self.proof.values, self.proof.stages) = (values, stages);
        } else {
            self.proof.segments.push(BoundsSegment { until: 0, values, stages });
        }
        self.effort.n_layers += walk.n_layers;
        self.effort.n_jumps += walk.n_jumps;
    }
}

/// λ^t / μ^u.
fn unit_between((discount, t): (Rational, u64), (before, u): (Rational, u64)) -> Enclosure {
    if discount == before && t == u {
        return Enclosure::ONE;
    }
    let power = |base: &Rational, exponent: u64| WideEnclosure::of(base, 256).power(Step::from(exponent).as_natural());
    power(&discount, t).times(&power(&(Rational::ONE / before), u)).to_scaled().to_doubles()
}
