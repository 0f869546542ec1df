//! Segments: time preferences that are sums of powers piece by piece.
//!
//! From the last segment on it is the ordinary problem. Each earlier segment is the same problem with an end: the welfare from
//! the end on is known, and less the segment's own values at that step it is the initial gain of the [`walk`](super::walk), in
//! place of 0. Steps are counted from the segment's origin.

use super::long_term::{self, LongTerm};
use super::payoff::{Landed, Landing, enclosed_payoffs};
use super::walk::{Extent, Problem, Terminal, Unravelled, WalkOptions, unravel};
use super::{Advantages, ExactGains, allowed_choices, horizon, layered, nothing_known};
use crate::answer::{Answer, Claim, Effort, ExactProof, ExactSegment, ExactStage, LongTermAnswer, Proof, Timings};
use crate::evaluation::{self, EvaluateError, Payoffs};
use crate::exponential_sum::DiscountRatios;
use crate::model::{ChoiceId, IntegerRows, Mdp};
use crate::number::{Enclosure, ExactVector, Rational, Scaled, Values, WideEnclosure};
use crate::principals::{self, OrderedModel, OrderedSegment};
use crate::solve::Options;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Step, Strategy};
use std::time::Instant;

/// Longer powers are not computed; the limit is that of printed payoffs.
const MAX_BITS: u64 = 1 << 17;

/// What a part of a segment takes besides its steps, in about nanoseconds: powers, and the welfare after it in fractions.
const PART: u64 = 100_000;

/// The welfare-optimal counting strategy of a model in several segments; bounds if `options` stop it on the way.
pub(super) fn solve(mdp: &Mdp, segments: &[OrderedSegment], options: &Options) -> Answer {
    let began = Instant::now();
    let rows = IntegerRows::of(mdp);
    let models = match ordered(mdp, segments, &options.stop) {
        Ok(models) => models,
        Err(reason) => return super::without_long_term(mdp, reason),
    };
    let long_terms: Result<Vec<LongTerm>, StopReason> =
        models.iter().map(|model| long_term::solve(model, &rows, &options.stop)).collect();
    let long_term_took = began.elapsed();
    options.stop.spend(PART * models.iter().map(|model| model.n() as u64).sum::<u64>());
    let model = Segmented { mdp, rows: &rows, segments, models: &models };
    let mut answer = match long_terms {
        Ok(long_terms) => {
            let last = long_terms.last().expect("at least one segment");
            let solved = model.walk(&long_terms, options).and_then(|walked| model.optimum(last, walked, options));
            solved.unwrap_or_else(|reason| model.bounds(Some(last), reason, options))
        }
        Err(reason) => model.bounds(None, reason, options),
    };
    answer.timings = Timings { long_term: long_term_took, unravel: began.elapsed() - long_term_took };
    answer
}

/// The model as the parts of each segment see it. With hundreds of parts this takes longer than the solve.
fn ordered<'m>(
    mdp: &'m Mdp,
    segments: &[OrderedSegment],
    stop: &StopSignal,
) -> Result<Vec<OrderedModel<'m>>, StopReason> {
    segments.iter().map(|segment| principals::order_by(mdp, segment.parts.clone(), stop)).collect()
}

/// A model in segments, each of them ordered.
struct Segmented<'m> {
    mdp: &'m Mdp,
    rows: &'m IntegerRows,
    segments: &'m [OrderedSegment],
    models: &'m [OrderedModel<'m>],
}

/// What the walk over all segments found.
struct Walked {
    horizon: Step,
    /// Per state, in increasing steps.
    changes: Vec<Vec<Change>>,
    memory: Vec<Step>,
    welfare: Welfare,
    /// Per segment, where enclosures of payoffs may begin; the latest first.
    landings: Vec<Landing>,
    proof: ExactProof,
    effort: Effort,
}

/// The welfare from the first step of a segment on, in units of λ_0 to that step.
struct Welfare {
    enclosed: Vec<Scaled>,
    exact: Option<ExactVector>,
}

impl<'m> Segmented<'m> {
    fn walk(&self, long_terms: &[LongTerm], options: &Options) -> Result<Walked, StopReason> {
        let last = self.segments.len() - 1;
        let whole = principals::by_principal(self.mdp, &options.stop)?;
        let in_the_end = &long_terms[last];
        let mut walked = Walked {
            horizon: Step::ZERO,
            changes: vec![Vec::new(); self.mdp.n_states()],
            memory: vec![Step::ZERO; self.mdp.n_states()],
            welfare: Welfare { enclosed: Vec::new(), exact: None },
            landings: Vec::new(),
            proof: ExactProof {
                values: in_the_end.values.clone(),
                tail: in_the_end.strategy.clone(),
                stages: Vec::new(),
                exact_is_affordable: true,
                bits_a_layer: 0,
                has_ties: false,
                n_layers_for_bounds: 0,
                segments: Vec::new(),
            },
            effort: Effort::default(),
        };
        for k in (0..=last).rev() {
            let (segment, model, long_term) = (&self.segments[k], &self.models[k], &long_terms[k]);
            let advantages =
                &Advantages::over(model, self.rows, &long_term.values[..], |c| long_term.allowed[c.index()]);
            let ratios = &DiscountRatios::of(model);
            let first = &Step::from(segment.first());
            let terminal = (k < last).then(|| self.terminal(k, &long_term.values, ratios, &walked));
            let horizon = &match terminal {
                Some(_) => Step::from(segment.local(self.segments[k + 1].from)),
                None => horizon::horizon(model, advantages, ratios, &options.stop)?.max(first.clone()),
            };
            let extent = Extent { first, terminal: terminal.as_ref(), allowed: &in_the_end.allowed, whole: &whole };
            let problem = Problem { model, rows: self.rows, long_term, advantages, ratios, horizon, extent };
            let walk = WalkOptions {
                limits: options.limits.after(&walked.effort),
                jumps: options.jumps,
                early: false,
                keep_stages: options.keep_proof,
            };
            let unravelled = unravel(problem, &walk, &options.stop)?;
            walked.add(segment, problem, unravelled);
        }
        Ok(walked)
    }

    /// The welfare of the steps after segment k minus its own values, as of its end.
    fn terminal(&self, k: usize, values: &[ExactVector], ratios: &DiscountRatios, after: &Walked) -> Terminal {
        let (segment, next) = (&self.segments[k], &self.segments[k + 1]);
        let end = segment.local(next.from);
        let weights = ratios.weights(&Step::from(end));
        let unit = Unit::between((self.models[k + 1].discount(0), next.first()), (self.models[k].discount(0), end));
        let exact = after.welfare.exact.as_ref().and_then(|welfare| {
            let powers = exact_powers(&self.models[k], end)?;
            let own = weighted_sum(values, &powers).scaled(&-Rational::ONE);
            Some(welfare.scaled(unit.exact.as_ref()?).plus(&own).reduced())
        });
        let gain: Vec<Scaled> = match &exact {
            Some(exact) => exact.numerators.iter().map(|gain| Scaled::of_quotient(gain, &exact.denominator)).collect(),
            None => {
                let gain = |(state, welfare): (usize, &Scaled)| {
                    let own = values.iter().zip(&weights.scaled).map(|(values, weight)| {
                        Scaled::of_quotient(&values.numerators[state], &values.denominator).times(*weight)
                    });
                    own.fold(welfare.times(unit.enclosed), |sum, own| sum.plus(-own))
                };
                after.welfare.enclosed.iter().enumerate().map(gain).collect()
            }
        };
        let greatest = gain.iter().map(|gain| gain.max(-*gain).upper()).fold(Scaled::ZERO, Scaled::max);
        let local = |step: &Step| if step.is_zero() { Step::ZERO } else { step - segment.origin };
        Terminal { gain, greatest: greatest.upper(), exact, memory: after.memory.iter().map(local).collect() }
    }

    fn optimum(&self, long_term: &LongTerm, walked: Walked, options: &Options) -> Result<Answer, StopReason> {
        let Segmented { mdp, models, .. } = *self;
        let last = models.last().expect("at least one segment");
        let Walked { horizon, changes, memory, welfare, landings, proof, effort } = walked;
        let strategy = CountingStrategy::from_changes(mdp, changes);
        let is_exact = welfare.exact.is_some();
        let stop = &options.stop;
        let payoffs =
            if is_exact { exact_payoffs(mdp, &strategy, stop)? } else { self.enclosed(&strategy, &landings, stop)? };
        let tail = CountingStrategy::positional(long_term.strategy.iter().copied());
        let long_term_payoffs = if is_exact {
            exact_payoffs(mdp, &tail, stop)?
        } else {
            self.enclosed(&tail, &self.followed_throughout(&long_term.strategy), stop)?
        };
        let undecided = effort.n_undecided > 0;
        // The strategy's welfare and the upper bound do not depend on how ties are decided.
        let upper = undecided.then(|| layered::bounds(mdp, long_term, options.limits.layers).upper);
        let welfare = (undecided || !is_exact).then(|| {
            let of_state = |s: usize| match &upper {
                Some(upper) => Enclosure::new(payoffs.welfare_enclosure(s.into()).lower(), upper[s]),
                None => welfare.enclosed[s].to_doubles(),
            };
            Values::Enclosed((0..mdp.n_states()).map(of_state).collect())
        });
        let claim = if undecided { Claim::Undecided(effort.n_undecided) } else { Claim::Optimal };
        Ok(Answer {
            horizon,
            memory,
            payoffs,
            welfare,
            long_term: LongTermAnswer {
                choices: allowed_choices(last, long_term),
                payoffs: long_term_payoffs,
                is_proven: true,
            },
            proof: options.keep_proof.then_some(Proof::Exact(proof)),
            effort,
            ..nothing_known(mdp, strategy, claim)
        })
    }

    /// Enclosures of each principal's payoff under `strategy`.
    fn enclosed(
        &self,
        strategy: &CountingStrategy,
        landings: &[Landing],
        stop: &StopSignal,
    ) -> Result<Payoffs, StopReason> {
        let of_principal =
            |p: usize| enclosed_payoffs(self.mdp, self.rows, strategy, p.into(), landings, stop).map(Values::Enclosed);
        let payoffs = (0..self.mdp.n_principals()).map(of_principal).collect::<Result<_, _>>()?;
        Ok(Payoffs::new(self.mdp, payoffs))
    }

    /// Where the enclosures of a positional strategy begin: it is followed for as long as a segment lasts.
    fn followed_throughout(&self, strategy: &[ChoiceId]) -> Vec<Landing> {
        let of_segment = |(k, segment): (usize, &OrderedSegment)| Landing {
            from: Step::from(segment.from),
            until: self.segments.get(k + 1).map(|next| next.from),
            begins_at: segment.from,
            landed: Some(Landed {
                strategy: strategy.to_vec(),
                followed_for: self.segments.get(k + 1).map(|next| Step::from(next.from - segment.from)),
            }),
        };
        self.segments.iter().enumerate().rev().map(of_segment).collect()
    }

    /// Bounds from the first steps, where the rest was not reached.
    fn bounds(&self, long_term: Option<&LongTerm>, reason: StopReason, options: &Options) -> Answer {
        let Segmented { mdp, models, .. } = *self;
        let last = models.last().expect("at least one segment");
        let Some(long_term) = long_term else {
            return super::without_long_term(mdp, reason);
        };
        let found = layered::bounds(mdp, long_term, options.limits.layers);
        let of_state = |s: usize| Enclosure::new(found.lower[s], found.upper[s]);
        let welfare = Values::Enclosed((0..mdp.n_states()).map(of_state).collect());
        Answer {
            horizon: Step::from(found.n_layers),
            memory: vec![Step::from(found.n_layers); mdp.n_states()],
            welfare: Some(welfare),
            long_term: LongTermAnswer {
                choices: allowed_choices(last, long_term),
                payoffs: super::any_payoffs(mdp),
                is_proven: true,
            },
            ..nothing_known(mdp, found.strategy, Claim::Stopped(reason))
        }
    }
}

impl Walked {
    /// Adds what the walk over a segment found.
    fn add(&mut self, segment: &OrderedSegment, problem: Problem, unravelled: Unravelled) {
        let origin = segment.origin;
        let is_last = problem.extent.terminal.is_none();
        let global = |step: &Step| step + origin;
        let first = problem.extent.first;
        for (state, later) in problem.model.states().zip(&mut self.changes) {
            let own = unravelled.strategy.changes(state).iter();
            // The initial decisions of the walk are not decisions of a segment that ends there.
            let own = own.filter(|change| is_last || change.from < *problem.horizon);
            let shifted = |change: &Change| Change { from: global((&change.from).max(first)), choice: change.choice };
            let mut changes: Vec<Change> = own.map(shifted).collect();
            // The first decision extends to all earlier steps.
            changes.dedup_by(|later, earlier| {
                let same_step = later.from == earlier.from;
                if same_step {
                    earlier.choice = later.choice;
                }
                same_step
            });
            changes.append(later);
            *later = changes;
        }
        let known = |step: &Step| if step.is_zero() { Step::ZERO } else { global(step) };
        self.memory = unravelled.memory.iter().map(known).collect();
        let base_values = unravelled.base.advantages(problem.advantages).values();
        let weights = problem.ratios.weights(first);
        let exact = unravelled.exact_gains.as_ref().and_then(|gains| {
            let powers = exact_powers(problem.model, segment.first())?;
            let totals: Vec<ExactVector> = gains.iter().map(ExactGains::total).collect();
            Some(weighted_sum(&totals, &powers).reduced())
        });
        let enclosed = |state: usize| match &exact {
            Some(exact) => Scaled::of_quotient(&exact.numerators[state], &exact.denominator),
            None => {
                let values = base_values.iter().zip(&weights.scaled).map(|(values, weight)| {
                    Scaled::of_quotient(&values.numerators[state], &values.denominator).times(*weight)
                });
                values.fold(unravelled.gain[state], Scaled::plus)
            }
        };
        self.welfare = Welfare { enclosed: (0..problem.model.n_states()).map(enclosed).collect(), exact };
        self.landings.push(Landing {
            from: global(&unravelled.base.from),
            until: (!is_last).then(|| u64::try_from(&global(problem.horizon)).expect("the end of a segment")),
            begins_at: segment.from,
            landed: (is_last || unravelled.base.followed_for.is_some()).then(|| Landed {
                strategy: unravelled.base.strategy.clone(),
                followed_for: unravelled.base.followed_for.clone(),
            }),
        });
        let stage = |stage: ExactStage| ExactStage { from: global(&stage.from), until: global(&stage.until), ..stage };
        let stages: Vec<ExactStage> = unravelled.stages.into_iter().map(stage).collect();
        let proof = &mut self.proof;
        proof.exact_is_affordable &= unravelled.exact_is_affordable && self.welfare.exact.is_some();
        proof.bits_a_layer = proof.bits_a_layer.max(unravelled.bits_a_layer);
        proof.has_ties |= unravelled.has_ties;
        if is_last {
            self.horizon = global(problem.horizon);
            proof.stages = stages;
        } else {
            let until = u64::try_from(&global(problem.horizon)).expect("the end of a segment");
            proof.segments.push(ExactSegment { until, values: problem.long_term.values.clone(), stages });
        }
        let (all, own) = (&mut self.effort, unravelled.effort);
        all.n_layers += own.n_layers;
        all.n_jumps += own.n_jumps;
        all.n_judged += own.n_judged;
        all.n_undecided += own.n_undecided;
    }
}

/// The ratio of the units of a segment and of the one before it.
struct Unit {
    enclosed: Scaled,
    exact: Option<Rational>,
}

impl Unit {
    /// λ^t / μ^u.
    fn between((discount, t): (&Rational, u64), (before, u): (&Rational, u64)) -> Unit {
        if discount == before && t == u {
            return Unit { enclosed: Scaled::ONE, exact: Some(Rational::ONE) };
        }
        let power = |base: &Rational, exponent: u64| {
            let step = Step::from(exponent);
            WideEnclosure::of(base, 256).power(step.as_natural())
        };
        let inverse = Rational::ONE / before;
        Unit {
            enclosed: power(discount, t).times(&power(&inverse, u)).to_scaled(),
            exact: exact_power(discount, t).and_then(|up| Some(up * exact_power(&inverse, u)?)),
        }
    }
}

/// A power, unless it is too long.
fn exact_power(base: &Rational, exponent: u64) -> Option<Rational> {
    let is_short = exponent.saturating_mul(base.bits() as u64) <= MAX_BITS;
    is_short.then(|| base.pow(exponent as isize))
}

/// ρ_i^t, unless one of them is too long.
fn exact_powers(model: &OrderedModel, t: u64) -> Option<Vec<Rational>> {
    let power = |i: usize| exact_power(&(model.discount(i) / model.discount(0)), t);
    (0..model.n()).map(power).collect()
}

/// `Σ_i weights[i] · vectors[i]`.
fn weighted_sum(vectors: &[ExactVector], weights: &[Rational]) -> ExactVector {
    let terms = vectors.iter().zip(weights).filter(|(_, weight)| !weight.is_zero());
    let terms = terms.map(|(vector, weight)| vector.scaled(weight));
    terms.reduce(|sum, term| sum.plus(&term)).expect("the first weight is 1")
}

fn exact_payoffs(mdp: &Mdp, strategy: &CountingStrategy, stop: &StopSignal) -> Result<Payoffs, StopReason> {
    evaluation::evaluate(mdp, &Strategy::Counting(strategy.clone()), stop).map_err(EvaluateError::stop_reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_model;
    use std::fmt::Write;

    /// States in a ring, each with eight choices. One of them rewards everybody with 1, the others with less.
    fn ring(n_states: usize) -> Mdp {
        let mut text = "principals: {a: {schedule: green-book}, b: {gamma: {mean: 4%, sd: 3%}, error: 1e-9}, \
                        c: {discount: 9/10, until: 40}}\nstates:\n"
            .to_owned();
        for state in 0..n_states {
            let choice = |a: usize| format!("a{a}: {{reward: {}/7, to: s{}}}", a, (state + a) % n_states);
            writeln!(text, "  s{state}: {{{}}}", (0..8).map(choice).collect::<Vec<_>>().join(", ")).expect("memory");
        }
        read_model(&text).expect("a model")
    }

    /// Hundreds of parts for thousands of choices take many seconds to order.
    #[test]
    fn a_signal_that_is_raised_while_segments_are_ordered_ends_that_with_true_bounds() {
        let large = ring(400);
        let segments = principals::segments(large.principals());
        assert!(segments.len() > 6);
        let stop = StopSignal::after_polls(1);
        assert_eq!(ordered(&large, &segments, &stop).err(), Some(StopReason::Interrupted));
        assert!(stop.polls_left() >= -2, "it ends at once: {}", stop.polls_left());
        for polls in [1, 20] {
            let stop = StopSignal::after_polls(polls);
            let answer = solve(&large, &segments, &Options { stop, ..Options::default() });
            assert_eq!(answer.claim(), Claim::Stopped(StopReason::Interrupted));
            // The choice of reward 1 is always there, so that the best is that of a single state with it.
            let one = ring(1);
            let best = super::super::solve(&one, &Options::default()).welfare_enclosure(one.start());
            let bounds = answer.welfare_enclosure(large.start());
            assert!(bounds.lower() <= best.upper() && best.lower() <= bounds.upper(), "{bounds:?} without {best:?}");
        }
    }
}
