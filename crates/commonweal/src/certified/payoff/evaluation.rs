//! Payoffs of a given strategy, in doubles with proven bounds.
//!
//! Each principal is evaluated separately: values V of the strategy's tail, and the gain over them,
//! `G_j(s) = Δ(s,σ_j(s)) + λ P_σ G_{j+1}`, from the last change back to step 0 ([`gains`]). A payoff is V + G_0; its error is
//! that of V and of the layers.
//!
//! Negligible late steps are skipped: from them on the strategy gains or loses at most max|Δ|/(1−λ), and that, discounted, is
//! added to the error. So a change at step 10^9 costs nothing, unless 1 − λ is of the order of 10^-9. Cost: V, and one pass
//! over the rows of the tail for each step before the last change that matters.
//!
//! A mixed strategy makes a model with one choice per state, which is evaluated instead. Its rows are mixed in fractions and
//! rounded once. The relative error of a sum of positive numbers is at most the greatest of theirs, so a probability has one
//! more rounding than the file's, within the (2b + 16) roundings allowed for a row. Rewards may cancel, so their error is
//! relative to the greatest reward that was mixed, not to the mix.

use super::{Decided, Gains, blocks};
use crate::answer::Claim;
use crate::certified::base::Base;
use crate::certified::rounded_model::{RoundedModel, SharedModel};
use crate::certified::{is_narrow, payoff, range_alone, within};
use crate::evaluation::{EvaluateError, Payoffs};
use crate::kernel::sweep::PolicyRows;
use crate::model::{ChoiceId, Mdp, ModelArrays, NameTable, Part, PrincipalId, StateId};
use crate::number::{ModelNumber, Rational, Values};
use crate::parallel;
use crate::principals::Alone;
use crate::stop::{Reached, StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Lottery, Stationary, Step, Strategy};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The payoffs of a strategy.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// Intervals for each principal's payoff.
    pub payoffs: Payoffs,
    /// What the gap of the welfare is relative to: the sum over the principals of |weight| times the greatest |V| of the
    /// strategy's tail, from states that can be met; or, where that is 0, of |weight| times what the rewards allow.
    pub scale: f64,
    /// Whether every interval is as narrow as asked for, or why not; the error of approximated preferences does not count.
    pub claim: Claim,
}

/// The most steps that are walked for a principal. Later steps are added to the error.
pub(super) const MAX_LAYERS: u64 = 10_000_000;

/// The payoffs of `strategy` from every start state, each in an interval no wider than `gap` times the principal's greatest
/// value, or, if that is 0, times what the rewards allow. The interval is wider if doubles cannot reach the gap, or if a change that matters is too late to be walked to.
pub fn evaluate(
    model: &Mdp<f64>,
    strategy: &Strategy,
    gap: f64,
    stop: &StopSignal,
) -> Result<Evaluation, EvaluateError> {
    let evaluated = parallel::in_pool(|| match strategy {
        Strategy::Counting(strategy) => evaluate_shared(SharedModel::whole(model), strategy, gap, stop),
        Strategy::Stationary(strategy) => {
            let mixed = mixed(model, strategy);
            let only = CountingStrategy::positional((0..model.n_states()).map(ChoiceId::from));
            Evaluated { shared: SharedModel::whole(model), mixed: Some(&mixed), strategy: &only }.payoffs(gap, stop)
        }
        Strategy::Lottery(lottery) => drawn(model, lottery, gap, stop),
    });
    evaluated.map_err(EvaluateError::Stopped)
}

/// The same for a counting strategy of a model that ranks share, of which this one gets the payoffs from its own states.
pub(in crate::certified) fn evaluate_shared(
    shared: SharedModel,
    strategy: &CountingStrategy,
    gap: f64,
    stop: &StopSignal,
) -> Result<Evaluation, StopReason> {
    Evaluated { shared, mixed: None, strategy }.payoffs(gap, stop)
}

/// The payoffs of a lottery: those of its strategies, times their probabilities.
fn drawn(model: &Mdp<f64>, lottery: &Lottery, gap: f64, stop: &StopSignal) -> Result<Evaluation, StopReason> {
    let evaluate = |(share, strategy): &(Rational, CountingStrategy)| {
        Ok((share.clone(), evaluate_shared(SharedModel::whole(model), strategy, gap, stop)?))
    };
    let all: Vec<(Rational, Evaluation)> = lottery.shares().iter().map(evaluate).collect::<Result<_, StopReason>>()?;
    let of_principal = |p: usize| {
        let of_state = |(share, evaluation): &(Rational, Evaluation)| {
            let own = model.states().map(|state| evaluation.payoffs.payoff(p.into(), state).enclosure);
            (share.clone(), Values::Enclosed(own.collect()))
        };
        Values::combined(all.iter().map(of_state).collect(), model.n_states())
    };
    let scale = all.iter().map(|(_, evaluation)| evaluation.scale).fold(0.0, f64::max);
    let mut claims = all.iter().map(|(_, evaluation)| evaluation.claim);
    let stopped = claims.find(|claim| matches!(claim, Claim::Stopped(_)));
    Ok(Evaluation {
        payoffs: Payoffs::new(model, (0..model.n_principals()).map(of_principal).collect()),
        scale,
        claim: stopped.unwrap_or(Claim::Within { gap, scale }),
    })
}

/// What is evaluated.
pub(super) struct Evaluated<'a> {
    pub shared: SharedModel<'a>,
    /// The whole model that a mixed strategy makes of it, which `strategy` is then for.
    pub mixed: Option<&'a Mdp<f64>>,
    pub strategy: &'a CountingStrategy,
}

/// What one principal gets.
pub(super) struct Payoff {
    pub values: Values,
    pub scale: f64,
    /// What the rewards allow at most, and what the gap is relative to where the scale is 0.
    pub range: f64,
    /// Why it is wider than asked, if it is.
    pub stopped: Option<StopReason>,
}

impl Payoff {
    /// What a principal with these parts gets.
    pub(super) fn of_parts(parts: &[Part], worths: Vec<Payoff>, n_states: usize) -> Payoff {
        let sum = |of: fn(&Payoff) -> f64| {
            parts.iter().zip(&worths).map(|(part, own)| part.coefficient.to_f64().abs() * of(own)).sum()
        };
        let (scale, range) = (sum(|own| own.scale), sum(|own| own.range));
        let stopped = worths.iter().find_map(|own| own.stopped);
        let terms = parts.iter().zip(worths).map(|(part, own)| (part.coefficient.clone(), own.values));
        Payoff { values: Values::combined(terms.collect(), n_states), scale, range, stopped }
    }
}

impl Evaluated<'_> {
    fn payoffs(&self, gap: f64, stop: &StopSignal) -> Result<Evaluation, StopReason> {
        let SharedModel { model, ranks } = self.shared;
        let of_principal = |p: usize| match model.principals()[p].parts() {
            Some(parts) => self.payoff_of_parts(p.into(), parts, gap, stop),
            None => self.payoff_in_segments(p.into(), gap, stop),
        };
        let payoffs: Vec<Payoff> = (0..model.n_principals()).map(of_principal).collect::<Result<_, StopReason>>()?;
        let weights = model.principals().iter().map(|principal| principal.weight.to_f64().abs());
        let sum = |of: fn(&Payoff) -> f64| -> f64 {
            payoffs.iter().zip(weights.clone()).map(|(payoff, weight)| weight * of(payoff)).sum()
        };
        let scale = Some(sum(|own| own.scale)).filter(|scale| *scale > 0.0).unwrap_or_else(|| sum(|own| own.range));
        let stopped = payoffs.iter().find_map(|payoff| payoff.stopped);
        let payoffs = self.shared.payoffs(payoffs.into_iter().map(|payoff| payoff.values).collect());
        // Weights and the sum round too. The gap is that of the engine: the error of approximated preferences comes on top.
        let of_mixtures = payoffs.of_mixtures();
        let met = ranks.most_together().is_none().then(|| model.reachable(model.start()));
        let is_met = |state: &StateId| met.as_ref().is_none_or(|met| met[state.index()]);
        let width = |state: StateId| of_mixtures.welfare_enclosure(state).width();
        let widest = ranks.greatest_of(model.states().filter(is_met).map(width).fold(0.0, f64::max));
        let claim = match stopped {
            Some(reason) => Claim::Stopped(reason),
            None if is_narrow(widest, gap, scale) => Claim::Within { gap, scale },
            None => Claim::Stopped(StopReason::Precision),
        };
        Ok(Evaluation { scale, claim, payoffs })
    }

    /// What a principal whose step j counts as these parts say gets from every state.
    pub(super) fn payoff_of_parts(
        &self,
        principal: PrincipalId,
        parts: &[Part],
        gap: f64,
        stop: &StopSignal,
    ) -> Result<Payoff, StopReason> {
        /// All later steps are as late as this one, which a double still tells from the one before.
        const LATE: u64 = 1 << 53;
        let SharedModel { model, ranks } = self.shared;
        let settled = u64::try_from(&self.strategy.settled_from()).unwrap_or(LATE).min(LATE);
        let settled = ranks.greatest_of(settled as f64) as u64;
        let changes = Changes::of(self.strategy, settled.min(MAX_LAYERS));
        let tail: Vec<ChoiceId> = model.states().map(|state| self.strategy.tail(state)).collect();
        let worth = |part: &Part| {
            let alone = Alone { principal, discount: part.discount.clone() };
            self.worth(&alone, &tail, &changes, settled, gap, stop)
        };
        let worths = parts.iter().map(worth).collect::<Result<Vec<_>, _>>()?;
        Ok(Payoff::of_parts(parts, worths, model.n_states()))
    }

    /// What the rewards of one principal are worth at one discount.
    fn worth(
        &self,
        alone: &Alone,
        tail: &[ChoiceId],
        changes: &Changes,
        settled: u64,
        gap: f64,
        stop: &StopSignal,
    ) -> Result<Payoff, StopReason> {
        let as_in_file = RoundedModel::alone(self.shared, std::slice::from_ref(alone));
        let rounded = match self.mixed {
            None => &as_in_file,
            Some(mixed) => {
                &RoundedModel::alone(SharedModel::whole(mixed), std::slice::from_ref(alone)).mixed_from(&as_in_file)
            }
        };
        // Less than half of the gap is for V, a quarter for skipped steps.
        let base = Base::of_strategy(rounded, tail, gap / 4.0, stop);
        rounded.ranks.check(stop)?;
        let scale = base.scale().max(self.greatest_advantage(&base));
        let mut gains = blocks(&base, 0..1, (gap / 8.0 * scale).max(f64::MIN_POSITIVE));
        let matters = gains[0].end().min(settled);
        let walked = matters.min(MAX_LAYERS);
        self.walk(&base, &mut *gains[0], changes, walked, settled, stop)?;
        let values = payoff(&base, &gains, 0, 0);
        // All of them are equally well known.
        let width = rounded.of_first_state(|first| values.enclosure(first.index()).width());
        let range = range_alone(&as_in_file, alone);
        let most = range.lower().abs().max(range.upper().abs());
        // Of a payoff of 0 no part can be reached: there a part of what its rewards allow will do.
        let stopped = if is_narrow(width, gap, if scale > 0.0 { scale } else { most }) {
            None
        } else if walked < matters {
            Some(StopReason::LayerLimit)
        } else {
            Some(StopReason::Precision)
        };
        let values = match stopped {
            None => values,
            // Wide intervals may be wider than the bounds from the rewards alone.
            Some(_) => within(&values, tail.len(), range),
        };
        Ok(Payoff { values, scale, range: most, stopped })
    }

    /// The greatest |Δ| of a choice that the strategy takes at any time.
    fn greatest_advantage(&self, base: &Base) -> f64 {
        let of_state = |state: StateId| {
            let followed = base.followed.strategy[state.index()];
            let changes = self.strategy.changes(state).iter();
            let taken = changes.map(|change| base.advantages.get(state, change.choice, followed, 0));
            taken.fold(0.0, |greatest: f64, delta| greatest.max(delta.abs()))
        };
        base.model.greatest_met(of_state)
    }

    /// Follows the decisions from the step before `end` back to step 0.
    fn walk(
        &self,
        base: &Base,
        gains: &mut dyn Gains,
        changes: &Changes,
        end: u64,
        settled: u64,
        stop: &StopSignal,
    ) -> Result<(), StopReason> {
        if end == 0 {
            return Ok(());
        }
        let rows = PolicyRows::of(&base.model.arrays, &base.followed.strategy);
        let last = Step::from(end - 1);
        let mut decisions = base.model.map_states(|state| self.strategy.choice(state, &last));
        let mut deviating = deviating(&decisions, &base.followed.strategy);
        for step in (0..end).rev() {
            base.model.ranks.check(stop)?;
            stop.reach(Reached::Unravelling { step, horizon: end });
            let changed = changes.at(step);
            if step + 1 < end && !changed.is_empty() {
                changed.iter().for_each(|&(_, state, choice)| decisions[state.index()] = choice);
                deviating = self::deviating(&decisions, &base.followed.strategy);
            }
            // The last state to settle deviates in the step before it does.
            let quiet = step + 1 == settled;
            gains.layer(
                base,
                &Decided {
                    step,
                    rows: &rows,
                    rows_are_decided: false,
                    decisions: &decisions,
                    deviating: &deviating,
                    n_deviating: base.model.ranks.sum(deviating.len() as u64),
                    quiet,
                },
            );
        }
        Ok(())
    }
}

fn deviating(decisions: &[ChoiceId], tail: &[ChoiceId]) -> Vec<StateId> {
    let both = decisions.iter().zip(tail).enumerate();
    both.filter(|(_, (decision, tail))| decision != tail).map(|(state, _)| StateId::from(state)).collect()
}

/// At these steps, the latest first, these states take another choice than one step later: this one.
struct Changes(Vec<(u64, StateId, ChoiceId)>);

impl Changes {
    /// Those whose later step is before `end`.
    fn of(strategy: &CountingStrategy, end: u64) -> Changes {
        let of_state = |state: StateId| {
            strategy.changes(state).windows(2).filter_map(move |pair| {
                let from = u64::try_from(&pair[1].from).ok().filter(|&from| from < end)?;
                Some((from - 1, state, pair[0].choice))
            })
        };
        let states = (0..strategy.n_states()).map(StateId::from);
        let mut changes: Vec<_> = states.flat_map(of_state).collect();
        changes.sort_unstable_by_key(|&(step, state, _)| (Reverse(step), state));
        Changes(changes)
    }

    fn at(&self, step: u64) -> &[(u64, StateId, ChoiceId)] {
        let first = self.0.partition_point(|change| change.0 > step);
        let length = self.0[first..].partition_point(|change| change.0 == step);
        &self.0[first..first + length]
    }
}

/// The model in which each state has one choice, the mix of the strategy.
fn mixed(model: &Mdp<f64>, strategy: &Stationary) -> Mdp<f64> {
    let n = model.n_principals();
    let exact = |double: &f64| double.to_exact().expect("a model's numbers are finite");
    let mut arrays = ModelArrays {
        start: model.start(),
        principals: model.principals().to_vec(),
        state_names: model.state_names().clone(),
        action_names: NameTable::numbered(1),
        action: vec![0; model.n_states()],
        first_choice: (0..=model.n_states() as u32).collect(),
        first_transition: vec![0],
        target: Vec::new(),
        probability: Vec::new(),
        reward: Vec::new(),
    };
    for state in model.states() {
        match strategy.mix(state) {
            [(choice, _)] => {
                arrays.target.extend_from_slice(model.targets(*choice));
                arrays.probability.extend_from_slice(model.probabilities(*choice));
                arrays.reward.extend_from_slice(model.rewards(*choice));
            }
            mix => {
                let mut reward = vec![Rational::ZERO; n];
                let mut row: BTreeMap<StateId, Rational> = BTreeMap::new();
                for (choice, share) in mix {
                    reward.iter_mut().zip(model.rewards(*choice)).for_each(|(sum, own)| *sum += exact(own) * share);
                    for (target, probability) in model.transitions(*choice) {
                        *row.entry(target).or_insert(Rational::ZERO) += exact(probability) * share;
                    }
                }
                arrays.target.extend(row.keys());
                arrays.probability.extend(row.into_values().map(f64::from_probability));
                arrays.reward.extend(reward.into_iter().map(f64::from_reward));
            }
        }
        arrays.first_transition.push(arrays.target.len() as u32);
    }
    arrays.finish_settled().expect("one choice per state, and no reward is greater than those that are mixed")
}
