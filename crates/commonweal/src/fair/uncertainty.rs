//! Bounds for the question as it was asked, where doubles know its reference point r and the own bests b between bounds only.
//!
//! The search states numbers and is exact about these: r at its lower bound r̂, and b at the greatest b̂ that is known to be reached. No rule
//! gains by a higher r, so the search's upper bound holds for the true r, too: every gain x − r̂ is at least the true one. So is every share
//! (x − r̂)/(b̂ − r̂) that is not negative, because x ≤ b; a negative one is divided by at most (b − r̂)/(b̂ − r̂). (Welfare with negative
//! weights is no such rule; there r is a constant, whose own bounds are counted.)
//!
//! The lower bound is what the lottery found is worth with r, and b, at their upper bounds.
//!
//! r and b are computed more precisely than the gap asks for, so that both bounds fit into it. If they do not, payoffs are narrowed further.

use super::payoff_set::{Point, ends};
use super::program::{Face, Scale};
use super::smooth::Smooth;
use super::{Asked, Failure, Fair, Over, Proven, Rule, in_order, is_stopped, left_open};
use crate::number::{Enclosure, Rational, Value, sum};
use crate::solve::Engine;
use crate::stop::StopReason;

/// How often payoffs are narrowed for a reference point, and by how much each time.
const NARROWINGS: usize = 2;
const NARROWER: f64 = 1.0 / 64.0;

impl Asked<'_, '_> {
    /// Whether the rule compares with numbers that are known between bounds only.
    pub(super) fn compares_with_bounds(&self) -> bool {
        self.over != self.over_most || (self.question.rule == Rule::KalaiSmorodinsky && self.best != self.most)
    }

    /// The answer with bounds that hold for the question as it was asked, as near as the gap asks for if doubles can.
    pub(super) fn answer_to_gap(&mut self) -> Result<Fair, Failure> {
        let mut found = self.answer_in_set()?;
        for _ in 0..=NARROWINGS {
            found = self.as_asked(found);
            if !self.is_too_wide(&found) {
                return Ok(found);
            }
            if !self.set.narrow(NARROWER) || self.prepare().is_err() {
                break;
            }
            match self.answer_in_set() {
                Ok(again) => found = again,
                Err(_) => break,
            }
        }
        if let Some(exact) = self.in_fractions() {
            return exact;
        }
        found = self.as_asked(found);
        let bounds = found.value.enclosure;
        Ok(if self.is_too_wide(&found) { left_open(found, bounds) } else { found })
    }

    /// Whether an answer has wider bounds than the gap allows, because of what it compares with.
    fn is_too_wide(&self, found: &Fair) -> bool {
        found.proven == Proven::WithinGap && self.compares_with_bounds() && !self.is_within(found, self.asked_gap())
    }

    /// The gap of the engine.
    fn asked_gap(&self) -> Rational {
        self.set.gap().map_or(Rational::ZERO, |gap| Rational::try_from(gap).expect("a gap is finite"))
    }

    /// Whether the bounds of an answer are as near as this gap allows.
    fn is_within(&self, found: &Fair, gap: Rational) -> bool {
        let n = self.set.n();
        let own = |share: &super::Share| Point { strategy: share.strategy.clone(), payoffs: share.payoffs.clone() };
        let mut face = Face::whole(self.set, gap.clone());
        face.points = self.first.iter().cloned().chain(found.mix.iter().map(own)).collect();
        let is_near = |value: &Value, allowed: &Rational| {
            let [lower, upper] = ends(value);
            value.enclosure.width().is_finite() && upper - lower <= *allowed
        };
        let weights = || self.set.model().principals().iter().map(|principal| principal.weight.clone()).collect();
        let allowed = match &self.question.rule {
            Rule::Welfare => face.allowed_gap(&Scale::Payoffs(weights())),
            Rule::MaxMin | Rule::Leximin => face.allowed_gap(&Scale::greatest_payoff(n, Rational::ONE)),
            Rule::Gini(weights) => face.allowed_gap(&Scale::greatest_payoff(n, sum(weights.iter().cloned()))),
            Rule::KalaiSmorodinsky => gap,
            // A factor of 1/(1 − G).
            Rule::Nash => ends(&found.value)[1].clone() * gap,
            Rule::Alpha(_) => ends(&found.value)[0].clone().abs() * gap,
        };
        is_near(&found.value, &allowed) && found.levels.iter().all(|level| is_near(&level.value, &allowed))
    }

    /// The same answer with bounds for the question as it was asked.
    fn as_asked(&self, found: Fair) -> Fair {
        let has_levels = !found.levels.is_empty();
        if found.gap.is_none() || found.proven == Proven::Infeasible || !self.compares_with_bounds() || has_levels {
            return found;
        }
        let (bounds, rule) = (found.value.enclosure, &self.question.rule);
        let mut lower = bounds.lower();
        if lower.is_finite() && *rule != Rule::Welfare {
            let shares = || found.mix.iter().map(|share| (&share.probability, &share.payoffs));
            let gain =
                |p: usize| sum(shares().map(|(probability, own)| probability * &ends(&own[p])[0])) - &self.over_most[p];
            let gains: Vec<Rational> = (0..self.set.n()).map(gain).collect();
            let attained = self.attained(&gains).map_or(f64::NEG_INFINITY, |value| Enclosure::from(&value).lower());
            lower = if matches!(rule, Rule::Nash) { attained.max(0.0) } else { attained };
        }
        let mut upper = bounds.upper();
        if *rule == Rule::KalaiSmorodinsky && upper < 0.0 {
            let share = |p: usize| (&self.best[p] - &self.over[p]) / (&self.most[p] - &self.over[p]);
            let least = self.counted().map(share).fold(Rational::ONE, Rational::min);
            upper = bounds.times(Enclosure::from(&least)).upper();
        }
        Fair { value: Value::from(Enclosure::new(lower.min(upper), upper)), ..found }
    }

    /// Those whose gains are known to count.
    fn counted(&self) -> impl Iterator<Item = usize> {
        (0..self.set.n()).filter(|&p| !self.leaves_out() || self.can_gain(p) == Some(true))
    }

    /// A lower bound on the rule's value of gains, if these are no greater than the true ones, over the reference point's upper bounds.
    pub(super) fn attained(&self, gains: &[Rational]) -> Option<Rational> {
        match &self.question.rule {
            Rule::KalaiSmorodinsky => {
                let share = |p: usize| {
                    let best = if gains[p] < Rational::ZERO { &self.best[p] } else { &self.most[p] };
                    &gains[p] / (best - &self.over_most[p])
                };
                self.counted().map(share).min()
            }
            _ => self.of_gains(gains).map(|[lower, _]| lower),
        }
    }

    /// Bounds on the rule's value that follow from what the rewards allow each principal.
    pub(super) fn bound_by_rewards(&self) -> Enclosure {
        let model = self.set.model();
        let n = self.set.n();
        let any = model.any_payoffs();
        let payoffs: Vec<Enclosure> = (0..n).map(|p| any.payoff(p.into(), model.start()).enclosure).collect();
        if payoffs.iter().any(|own| !own.width().is_finite()) {
            return Enclosure::new(f64::NEG_INFINITY, f64::INFINITY);
        }
        let own_worst = matches!(self.question.over, Over::OwnWorst);
        let gain = |p: usize| -> [Rational; 2] {
            let [least, most] = ends(&Value::from(payoffs[p]));
            match &self.question.over {
                Over::Nothing => [least, most],
                Over::Given(numbers) => [least - &numbers[p], most - &numbers[p]],
                // From the own worst nobody loses.
                Over::OwnWorst => [Rational::ZERO, most - least],
                Over::Strategy(_) => [&least - &most, most - least],
            }
        };
        let gains: Vec<[Rational; 2]> = (0..n).map(gain).collect();
        let [least, most] = [0, 1].map(|end| gains.iter().map(|own| own[end].clone()).collect::<Vec<Rational>>());
        let is_positive = |gain: &&Rational| **gain > Rational::ZERO;
        let [lower, upper] = match &self.question.rule {
            Rule::Welfare => {
                let weights = || model.principals().iter().map(|principal| &principal.weight);
                let total = |end: usize| {
                    let term = |(weight, gain): (&Rational, &[Rational; 2])| {
                        weight * &gain[if *weight < Rational::ZERO { 1 - end } else { end }]
                    };
                    sum(weights().zip(&gains).map(term))
                };
                [Some(total(0)), Some(total(1))]
            }
            Rule::MaxMin | Rule::Leximin => [least, most].map(|gains| gains.into_iter().min()),
            Rule::Gini(weights) => [least, most].map(|gains| {
                Some(sum(in_order(weights, &gains).iter().zip(&gains).map(|(weight, gain)| weight * gain)))
            }),
            Rule::KalaiSmorodinsky => [own_worst.then_some(Rational::ZERO), Some(Rational::ONE)],
            // Who gets the same from every strategy may not count.
            Rule::Nash if own_worst => {
                let product = most.into_iter().fold(Rational::ONE, |product, gain| product * gain.max(Rational::ONE));
                [Some(Rational::ZERO), Some(product)]
            }
            Rule::Nash => {
                let all_gain = most.iter().filter(is_positive).count() == n;
                let product = || most.iter().fold(Rational::ONE, |product, gain| product * gain);
                [Some(Rational::ZERO), all_gain.then(product)]
            }
            Rule::Alpha(alpha) if *alpha > Rational::ONE => [None, Some(Rational::ZERO)],
            Rule::Alpha(_) => {
                let smooth = Smooth::of(&self.question.rule).expect("a smooth rule");
                let counted: Vec<Rational> = most.iter().filter(is_positive).cloned().collect();
                [Some(Rational::ZERO), Some(smooth.reported(&counted)[1].clone())]
            }
        };
        let lower = lower.map_or(f64::NEG_INFINITY, |lower| Enclosure::from(&lower).lower());
        let upper = upper.map_or(f64::INFINITY, |upper| Enclosure::from(&upper).upper());
        Enclosure::new(lower.min(upper), upper)
    }

    /// The answer with the true reason if it was stopped: a signal that was raised since, or an approximated preference. If nobody asked for a
    /// gap, bounds as wide as its error leaves them are the answer.
    pub(super) fn with_true_reason(&self, found: Fair) -> Fair {
        let stop = &self.set.options().stop;
        let is_open = found.proven == Proven::Stopped(StopReason::Precision);
        if let (true, Some(reason)) = (is_open, stop.reason()) {
            return Fair { proven: Proven::Stopped(reason), ..found };
        }
        if !self.set.is_approximated() {
            return found;
        }
        let is_finite = found.value.enclosure.width().is_finite();
        let proven = match self.set.options().engine {
            Engine::Within(_) if is_open => Proven::Stopped(StopReason::Approximation),
            Engine::Within(gap) if found.proven == Proven::WithinGap => {
                let gap = Rational::try_from(gap).expect("a gap is finite");
                let is_within = self.is_within(&found, gap);
                if is_within { found.proven } else { Proven::Stopped(StopReason::Approximation) }
            }
            Engine::Auto if is_open && is_finite && found.doubtful.is_empty() && !found.mix.is_empty() => {
                Proven::WithinGap
            }
            _ => found.proven,
        };
        Fair { proven, ..found }
    }

    /// The same answer, within the gap if its bounds are: where all payoffs may be 0, the gap is one of the greatest payoff that the rewards allow.
    pub(super) fn scaled_by_rewards(&self, found: Fair) -> Fair {
        let is_open = found.proven == Proven::Stopped(StopReason::Precision);
        let (true, true, Some(gap)) = (is_open, self.has_no_scale(&found), self.set.gap()) else { return found };
        let is_linear = matches!(self.question.rule, Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::Gini(_));
        let allowed = gap * self.bound_by_rewards().width();
        let is_within = |value: &Value| value.enclosure.width() <= allowed;
        let is_within =
            is_linear && is_within(&found.value) && found.levels.iter().all(|level| is_within(&level.value));
        if is_within { Fair { proven: Proven::WithinGap, ..found } } else { found }
    }

    /// Whether it cannot be told from the payoffs found how great any payoff is: all of them may be 0.
    pub(super) fn has_no_scale(&self, found: &Fair) -> bool {
        let may_be_zero = |own: &Value| own.enclosure.lower() <= 0.0 && own.enclosure.upper() >= 0.0;
        is_stopped(found) && found.mix.iter().flat_map(|share| &share.payoffs).all(may_be_zero)
    }
}

#[cfg(test)]
mod tests {
    use crate::any_model::Model;
    use crate::fair::{Proven, Question, Rule, fair};
    use crate::solve::{Engine, Options};
    use crate::stop::{StopReason, StopSignal};

    /// Wherever a search is interrupted, that is what it says, and not that doubles cannot reach the gap.
    #[test]
    fn what_was_interrupted_says_so() {
        let text = "principals: {p: 9/10, q: 4/5, r: 1/2}
states:
  s: {a: {reward: {p: 1, q: 3}, to: {s: 1/3, t: 2/3}}, b: {reward: {q: 1, r: 2}, to: t}}
  t: {a: {reward: {p: 2, r: 1}, to: {s: 1/7, t: 6/7}}, b: {reward: {p: 1, q: 1, r: 3}, to: s}}
";
        let model = Model::from_yaml(text).expect("a model");
        let mut interrupted = 0;
        for rule in [Rule::MaxMin, Rule::Leximin, Rule::Nash, Rule::KalaiSmorodinsky] {
            for polls in (0..60).chain((60..600).step_by(30)) {
                let stop = StopSignal::after_polls(polls);
                let options = Options { stop: stop.clone(), engine: Engine::Within(1e-9), ..Options::default() };
                let found = fair(&model, &Question::new(rule.clone()), &options).expect("an answer");
                if let (Proven::Stopped(reason), true) = (found.proven, stop.polls_left() < 0) {
                    assert_eq!(reason, StopReason::Interrupted, "{rule}, {polls}: {:?}", found.value);
                    // What the rewards allow is known without a search.
                    assert!(found.value.enclosure.upper().is_finite(), "{rule}, {polls}: {:?}", found.value);
                    interrupted += 1;
                }
            }
        }
        assert!(interrupted > 60, "{interrupted}");
    }
}
