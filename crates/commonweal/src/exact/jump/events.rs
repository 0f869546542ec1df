//! Events: the steps at which another choice may be better than the strategy of a stage.
//!
//! Against the values of a stage's strategy σ, choice (s,a) is better than σ at step t only if, in units of λ_0^t,
//!
//! ```text
//! d_t + x_t λ_0^{b−t} > 0,      d_t = Σ_i ρ_i^t Δ_i(s,a)
//! ```
//!
//! where x_t bounds how much more a than σ leads to, of what is gained over σ's values at step b, from which the stage goes
//! back ([`StageEnd::rival`]); it may be negative. Let x be the greatest of an interval [u,v], and y = x λ_0^{b−v}, or
//! x λ_0^{b−u} if x is negative: no step of it has more. That there is no event on the interval follows from any of these,
//! each a handful of sums:
//!
//! - *prefix test at u*: d_t is a weighted mean of the prefix sums at u (Abel summation), so `d_t + y ≤ max_k C_k(u) + y`;
//! - *suffix test at v*: if the suffix sums B_k(v), k ≥ 1, are at most 0, then `d_t ≤ B_0(v)`, provided that no
//!   part with discount 0 comes back at u = 0;
//! - *monotony*: every ρ_i^t falls with t, so `d_t ≤ Σ_{Δ_i>0} Δ_i ρ_i^u + Σ_{Δ_i<0} Δ_i ρ_i^v`.
//!
//! An interval that passes none is bisected, the later half first. With two parts a negative interval passes at once. With
//! more, the sum may change its sign several times. Then the prefix and suffix tests may fail on every interval, and monotony
//! decides on pieces whose length is proportional to their distance from a root. An exponential sum of n terms has at most
//! n − 1 roots, so O(n log b) pieces suffice.

use super::power_of;
use super::stage_end::{Rival, StageEnd};
use crate::exact::Advantages;
use crate::exact::walk::Candidates;
use crate::exponential_sum::{DiscountRatios, Weights};
use crate::model::{ChoiceId, StateId};
use crate::number::{Rational, Scaled};
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

/// After this many bisections for one choice, the rest of its interval counts as an event: walking it is always correct.
const MAX_CUTS: usize = 10_000;

/// Looks for events.
pub(super) struct Events<'a> {
    model: &'a OrderedModel<'a>,
    candidates: &'a Candidates,
    ratios: &'a DiscountRatios,
    advantages: &'a Advantages<'a>,
    /// Which choices are long-term ones.
    allowed: &'a [bool],
    /// λ_0.
    discount: &'a Rational,
    /// The weights of the steps that were tested.
    weights: RefCell<HashMap<Step, Rc<Weights>>>,
}

/// The test of one choice on an interval.
struct Test<'a> {
    state: StateId,
    choice: ChoiceId,
    end: &'a Step,
    rival: Rival,
    cuts: usize,
}

impl<'a> Events<'a> {
    /// The events of these choices, given their advantages over the values of the stage's strategy.
    pub(super) fn among(
        model: &'a OrderedModel,
        candidates: &'a Candidates,
        ratios: &'a DiscountRatios,
        advantages: &'a Advantages,
        allowed: &'a [bool],
    ) -> Events<'a> {
        let discount = model.discount(0);
        Events { model, candidates, ratios, advantages, allowed, discount, weights: RefCell::new(HashMap::new()) }
    }

    /// The last step in [`first`, `step`) at which some choice may be better than the stage's strategy; `step` is the stage's end.
    pub(super) fn last(
        &self,
        strategy: &[ChoiceId],
        (first, step): (&Step, &Step),
        end: &StageEnd,
        stop: &StopSignal,
    ) -> Result<Option<Step>, StopReason> {
        let mut least = first.clone();
        let mut last = None;
        for state in self.model.states() {
            for &choice in self.candidates.of_state(state) {
                if choice == strategy[state.index()] {
                    continue;
                }
                if least >= *step {
                    return Ok(last);
                }
                let followed = strategy[state.index()];
                let rank = |choice: ChoiceId| (!self.allowed[choice.index()], choice);
                let rival = end.rival(self.model, choice, followed, rank(choice) < rank(followed));
                let mut test = Test { state, choice, end: step, rival, cuts: 0 };
                if let Some(event) = self.last_in(&mut test, least.clone(), step - 1, stop)? {
                    least = &event + 1;
                    last = Some(event);
                }
            }
        }
        Ok(last)
    }

    /// The last step of [from, to] at which the choice may be better than the stage's strategy.
    fn last_in(&self, test: &mut Test, from: Step, to: Step, stop: &StopSignal) -> Result<Option<Step>, StopReason> {
        // Intervals still to be tested, the latest on top.
        let mut open = vec![(from, to)];
        while let Some((from, to)) = open.pop() {
            stop.check()?;
            if self.excluded(test, &from, &to) {
                continue;
            }
            if from == to || test.cuts == MAX_CUTS {
                return Ok(Some(to));
            }
            test.cuts += 1;
            let middle = (&from + &to).half();
            let after = &middle + 1;
            open.push((from, middle));
            open.push((after, to));
        }
        Ok(None)
    }

    /// Whether one of the tests shows that there is no event in [from, to].
    fn excluded(&self, test: &Test, from: &Step, to: &Step) -> bool {
        let n = self.model.n();
        let (first, last) = (self.weights(from), self.weights(to));
        let more = test.rival.greatest(from, to, test.end);
        let falls = more.sign() == Some(Ordering::Less);
        let more =
            more.times(power_of(self.discount, &(test.end - if falls { from } else { to }), 64).to_scaled()).upper();
        let sum = |weights: &Weights, range| self.advantages.sum(self.ratios, weights, test.state, test.choice, range);
        let at_most_zero = |sum: Scaled| matches!(sum.upper().sign(), Some(Ordering::Less | Ordering::Equal));
        let below = |sum: Scaled| {
            if test.rival.must_lose { sum.upper().sign() == Some(Ordering::Less) } else { at_most_zero(sum) }
        };
        let negative = |sum: Scaled| below(sum.plus(more));
        // Going back, a loss by where the choice leads falls in weight beside all others: it is no help there.
        let negative_without_loss = |sum: Scaled| below(sum.plus(more.max(Scaled::ZERO)));
        // A discount of 0 counts only at step 0: its weight at the end of the interval is 0.
        let returns_at_start = from.is_zero() && last.scaled[n - 1].is_zero();
        let suffix = || {
            !returns_at_start
                && negative_without_loss(sum(&last, 0..n))
                && (1..n).all(|k| at_most_zero(sum(&last, k..n)))
        };
        let prefix = || (1..=n).all(|k| negative(sum(&first, 0..k)));
        let monotony = || {
            let advantages = self.advantages.of(test.choice);
            let greatest = advantages.iter().enumerate().map(|(i, advantage)| {
                let gain = advantage.sign() != Some(Ordering::Less);
                advantage.times(if gain { first.scaled[i] } else { last.scaled[i] })
            });
            negative(greatest.fold(Scaled::ZERO, Scaled::plus))
        };
        if from == to { negative(sum(&last, 0..n)) } else { suffix() || prefix() || monotony() }
    }

    fn weights(&self, step: &Step) -> Rc<Weights> {
        let mut known = self.weights.borrow_mut();
        Rc::clone(known.entry(step.clone()).or_insert_with(|| Rc::new(self.ratios.weights(step))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::exact::long_term::values_of;
    use crate::exact::solve;
    use crate::exact::walk::Alike;
    use crate::io::read_model;
    use crate::model::IntegerRows;
    use crate::number::Rational;
    use crate::number::WideEnclosure;
    use crate::principals::order;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// Of the three choices of [`way_out`], those of the strategy.
    const FOLLOWED: [bool; 3] = [true, false, true];

    /// One loop that earns nothing, and one way out of it that earns `coefficients` once: its advantages are these.
    fn way_out(discounts: &[&str], coefficients: &[i64]) -> String {
        let name_all = |values: Vec<String>| -> String {
            let named = values.iter().enumerate().map(|(i, value)| format!("p{i}: {value}"));
            named.collect::<Vec<_>>().join(", ")
        };
        let discounts = name_all(discounts.iter().map(|discount| (*discount).to_owned()).collect());
        let rewards = name_all(coefficients.iter().map(i64::to_string).collect());
        format!(
            "principals: {{{discounts}}}\nstates:\n  s: {{stay: {{reward: 0, to: s}}, leave: {{reward: {{{rewards}}}, to: u}}}}\n  \
             u: {{rest: {{reward: 0, to: u}}}}\n"
        )
    }

    fn power(x: &Rational, n: u32) -> Rational {
        (0..n).fold(Rational::ONE, |power, _| power * x)
    }

    /// Against every step in fractions, with a slack that makes or unmakes one event by a millionth.
    #[test]
    fn the_last_event_is_the_last_step_at_which_the_sum_exceeds_the_slack() {
        let sets: [&[&str]; 8] = [
            &["0.5"],
            &["0.9", "0.88"],
            &["0.5", "0.49"],
            &["0.9", "0.87", "0.85"],
            &["0.7", "0.69", "0"],
            &["0.97", "0.96", "0.93", "0.9"],
            &["0.8", "0"],
            &["0.6", "0.59", "0.58", "0.55", "0"],
        ];
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
        let mut below = |n: u64| rng.next_u64() % n;
        let (mut by_slack, mut none, mut excluded) = (0, 0, 0);
        for _ in 0..400 {
            let discounts = sets[below(8) as usize];
            // Mostly losses, so that a small slack matters.
            let coefficients: Vec<i64> = discounts.iter().map(|_| below(16) as i64 - 11).collect();
            let model = read_model(&way_out(discounts, &coefficients)).expect("a model");
            let model = order(&model);
            let rows = IntegerRows::of(model.mdp());
            let strategy: Vec<ChoiceId> = [0, 2].map(ChoiceId::from).into();
            let values = values_of(&model, &strategy, &StopSignal::default()).expect("nobody stops it");
            let advantages = Advantages::over(&model, &rows, values, |choice| strategy.contains(&choice));
            let ratios = DiscountRatios::of(&model);
            let candidates = Candidates::of(&model, &Alike::of(&model));
            let events = Events::among(&model, &candidates, &ratios, &advantages, &FOLLOWED);
            let end = 1 + below(60) as u32;
            let discount = model.discount(0);
            let ratio = |i: usize| model.discount(i) / discount;
            let sums: Vec<Rational> = (0..end)
                .map(|t| {
                    let term = |(i, c): (usize, &i64)| power(&ratio(i), t) * Rational::from(*c);
                    coefficients.iter().enumerate().map(term).fold(Rational::ZERO, |sum, term| sum + term)
                })
                .collect();
            // Gains within a radius, in the states that have any, at which the slack of one step is just that step's loss, a
            // little more, a little less, or none.
            let gains = [below(3) > 0, below(2) > 0];
            let n_gains = gains.iter().filter(|gains| **gains).count();
            let chosen = below(end.into()) as usize;
            let shrunk = |t: usize| power(discount, end - t as u32);
            let factor = [1_000_001u64, 999_999, 0][below(3) as usize];
            let counts = if sums[chosen] < Rational::ZERO && n_gains > 0 {
                -&sums[chosen] / shrunk(chosen) * Rational::from_parts(factor.into(), 1_000_000u32.into())
            } else {
                Rational::ZERO
            };
            let radius = &counts / Rational::from(n_gains.max(1) as u64);
            let is_event = |t: usize| &sums[t] + &counts * shrunk(t) > Rational::ZERO;
            let right = (0..end as usize).rev().find(|&t| is_event(t));
            let step = Step::from(end);
            let around = Scaled::around_zero(Scaled::from(&radius).upper());
            let of_states = gains.map(|gains| if gains { around } else { Scaled::ZERO });
            let stage_end = StageEnd::of(&model, &strategy, &of_states.map(|gain| WideEnclosure::of_scaled(&gain, 64)));
            let said = events
                .last(&strategy, (&Step::ZERO, &step), &stage_end, &StopSignal::default())
                .expect("nobody stops it");
            let what = format!("{discounts:?} {coefficients:?} before {end}, radius {radius}, gains {gains:?}");
            assert_eq!(said, right.map(Step::from), "{what}");
            by_slack += usize::from(right.is_some_and(|t| sums[t] <= Rational::ZERO));
            none += usize::from(right.is_none());

            let from = below(end.into()) as usize;
            let to = from + below(u64::from(end) - from as u64) as usize;
            let rival = Rival::by(Scaled::from(&counts));
            let test = Test { state: 0.into(), choice: 1.into(), end: &step, rival, cuts: 0 };
            if events.excluded(&test, &from.into(), &to.into()) {
                excluded += 1;
                assert!(!(from..=to).any(is_event), "{what}: an event in [{from}, {to}]");
            }
        }
        assert!(by_slack > 60 && none > 60 && excluded > 100, "{by_slack} by slack, {none} none, {excluded} excluded");
    }

    /// With signs +, −, + the prefix and suffix tests fail; monotony passes. 2 − 4ρ_1^t + ρ_2^t stays near −1 here.
    #[test]
    fn ten_billion_steps_without_an_event_are_excluded_though_neither_end_tells() {
        let text = way_out(&["0.5", "0.4999999999995", "0.4999999999990"], &[2, -4, 1]);
        let model = read_model(&text).expect("a model");
        let model = order(&model);
        let rows = IntegerRows::of(model.mdp());
        let strategy: Vec<ChoiceId> = [0, 2].map(ChoiceId::from).into();
        let values = values_of(&model, &strategy, &StopSignal::default()).expect("nobody stops it");
        let advantages = Advantages::over(&model, &rows, values, |choice| strategy.contains(&choice));
        let (candidates, ratios) = (Candidates::of(&model, &Alike::of(&model)), DiscountRatios::of(&model));
        let events = Events::among(&model, &candidates, &ratios, &advantages, &FOLLOWED);
        let step = Step::from(10_000_000_000u64);
        let end = StageEnd::without_gains(2, 64);
        assert_eq!(events.last(&strategy, (&Step::ZERO, &step), &end, &StopSignal::default()), Ok(None));
    }

    /// With signs +, −, + the interval is bisected many times, each time with powers of thousands of digits.
    #[test]
    fn a_search_among_steps_of_three_thousand_digits_can_be_stopped() {
        let (second, third) = (format!("0.4{}", "9".repeat(3_000)), format!("0.4{}8", "9".repeat(2_999)));
        let model = read_model(&way_out(&["1/2", &second, &third], &[-1, 3, -2])).expect("a model");
        let model = order(&model);
        let rows = IntegerRows::of(model.mdp());
        let strategy: Vec<ChoiceId> = [0, 2].map(ChoiceId::from).into();
        let values = values_of(&model, &strategy, &StopSignal::default()).expect("nobody stops it");
        let advantages = Advantages::over(&model, &rows, values, |choice| strategy.contains(&choice));
        let (candidates, ratios) = (Candidates::of(&model, &Alike::of(&model)), DiscountRatios::of(&model));
        let events = Events::among(&model, &candidates, &ratios, &advantages, &FOLLOWED);
        let step = Step::from_le_bytes(&[vec![0; 1_125], vec![1]].concat());
        let end = StageEnd::without_gains(2, 64);
        let raised = StopSignal::default();
        raised.raise();
        assert_eq!(events.last(&strategy, (&Step::ZERO, &step), &end, &raised), Err(StopReason::Interrupted));
        assert!(events.weights.borrow().is_empty(), "powers were formed after the signal");
    }

    #[test]
    fn a_jump_to_the_start_sees_who_counts_the_first_step_alone() {
        let model = read_model(
            "principals: {p0: 0.9, p1: 0.89999, p2: 0}\n\
             states:\n  s: {stay: {reward: 0, to: s}, x: {reward: {p0: -1, p2: 5}, to: s}}\n  \
             u: {stay: {reward: 0, to: u}, y: {reward: {p0: -1, p1: 2}, to: u}}\n",
        );
        let model = model.expect("a model");
        let jumps = solve(&model, &Options::default());
        assert!(jumps.effort().n_jumps > 0, "{:?}", jumps.effort());
        // x gains 4 at step 0, and loses 1 at every other.
        assert_eq!(jumps.strategy().changes(0.into())[1].from, Step::ONE);
        let welfare = jumps.welfare_enclosure(0.into());
        assert!(welfare.lower() <= 4.0 && 4.0 <= welfare.upper() && welfare.width() < 1e-9, "{welfare:?}");
        let plain = solve(&model, &Options { jumps: false, ..Options::default() });
        assert_eq!(jumps.strategy(), plain.strategy());
    }
}
