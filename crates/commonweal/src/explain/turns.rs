//! Turns: the steps at which a state's choice changes, and the principals for whom the new choice is better.
//!
//! Let b be the choice before the change and a the one from step t on. To principal i, seen from step t and given what
//! the strategy does afterwards, taking a instead of b is worth
//!
//! ```text
//! Δ_i(s,a) − Δ_i(s,b) + λ_i Σ_u (P(u|s,a) − P(u|s,b)) G_i(u)
//! ```
//!
//! with Δ_i against the long-term values and G_i the strategy's gain over them from step t + 1 on. G at m steps ahead is
//! multiplied by λ_i^m. It is 0 if the strategy has settled by then, and otherwise within ±C_i, the greatest difference of two
//! values. So m layers of `G = Δ_i(σ) + λ_i P G` in enclosures give each part's worth, however late the step is. A principal with
//! several discounts has the sum over them, each times λ_i^t: seen from step t, what it counts less for has faded more. Where it is
//! approximated by a mixture, the sum is known up to the error of two payoffs.

use super::Column;
use crate::answer::Answer;
use crate::exact::Advantages;
use crate::exact::jump::farthest;
use crate::exponential_sum::DiscountRatios;
use crate::kernel::discounted_rows::DiscountedRows;
use crate::model::{ChoiceId, StateId};
use crate::number::{Enclosure, Rational, Scaled, WideEnclosure};
use crate::principals::OrderedModel;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, Meetings, Step};
use std::cmp::Ordering;

/// A state's change of choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOfChoice {
    /// The first step at which the new choice is taken.
    pub step: Step,
    /// Where.
    pub state: StateId,
    /// The choice until then.
    pub before: ChoiceId,
    /// The choice from then on.
    pub after: ChoiceId,
    /// Whether the new choice is better than the old one at this step, for each of [`judges`](super::Explanation::judges);
    /// `None` where that is not known, or would take long to find out.
    pub better: Vec<Option<Ordering>>,
}

/// The most products spent on looking ahead: a few seconds.
const MAX_WORK: f64 = 5e8;

/// Every change of choice, the latest first; with the principals who prefer it for the first `n_judged` of them.
pub(super) fn turns(
    model: &OrderedModel,
    columns: &[Column],
    advantages: &Advantages,
    solution: &Answer,
    meetings: &Meetings,
    n_judged: usize,
    stop: &StopSignal,
) -> Result<Vec<ChangeOfChoice>, StopReason> {
    let mut turns = unjudged(columns.len(), solution, meetings);
    let judge = Judge::new(model, advantages, solution);
    let ahead = judge.layers_ahead();
    let mut work = 0.0;
    let mut gains: Option<(Step, Vec<Vec<Scaled>>)> = None;
    for turn in turns.iter_mut().take(n_judged) {
        // Turns at the same step look at the same future.
        if gains.as_ref().is_none_or(|(step, _)| *step != turn.step) {
            work += judge.work(&turn.step, ahead);
            if work > MAX_WORK {
                break;
            }
            gains = Some((turn.step.clone(), judge.gains_after(&turn.step, ahead, stop)?));
        }
        let (_, gains) = gains.as_ref().expect("just computed");
        // In units of λ_0^t.
        let weights = judge.ratios.weights(&turn.step).scaled;
        let worth = |own: &Column| {
            let parts = own.parts.iter().map(|&i| judge.worth(turn, i, &gains[i]).times(weights[i]));
            parts.fold(judge.error(own, &turn.step), Scaled::plus).sign()
        };
        turn.better = columns.iter().map(worth).collect();
    }
    Ok(turns)
}

/// Every change of choice, the latest first; nothing is said of the interests of `n`.
pub(super) fn unjudged(n: usize, solution: &Answer, meetings: &Meetings) -> Vec<ChangeOfChoice> {
    let strategy = solution.strategy();
    let of_state = |&state: &StateId| {
        let turn = |pair: &[&Change]| ChangeOfChoice {
            step: pair[1].from.clone(),
            state,
            before: pair[0].choice,
            after: pair[1].choice,
            better: vec![None; n],
        };
        meetings.changes(strategy, state).windows(2).map(turn).collect::<Vec<_>>()
    };
    let mut turns: Vec<ChangeOfChoice> = meetings.states().iter().flat_map(of_state).collect();
    // Stable: at the same step in the order in which the states are met.
    turns.sort_by(|a, b| b.step.cmp(&a.step));
    turns
}

struct Judge<'a> {
    model: &'a OrderedModel<'a>,
    advantages: &'a Advantages<'a>,
    solution: &'a Answer,
    rows: Vec<DiscountedRows>,
    ratios: DiscountRatios,
    settled_from: Step,
}

impl<'a> Judge<'a> {
    fn new(model: &'a OrderedModel, advantages: &'a Advantages, solution: &'a Answer) -> Judge<'a> {
        let rows = (0..model.n()).map(|i| DiscountedRows::of(model.mdp(), model.discount(i))).collect();
        let (ratios, settled_from) = (DiscountRatios::of(model), solution.strategy().settled_from());
        Judge { model, advantages, solution, rows, ratios, settled_from }
    }

    /// The number of layers after which the rest is usually negligible.
    fn layers_ahead(&self) -> u64 {
        const SELDOM_MATTERS: f64 = 1e-12;
        (SELDOM_MATTERS.ln() / self.model.discount(0).to_f64().ln()).ceil().max(1.0) as u64
    }

    /// About how many products it takes to look `ahead` from `step`.
    fn work(&self, step: &Step, ahead: u64) -> f64 {
        let until_settled = if self.settled_from > *step { &self.settled_from - step } else { Step::ZERO };
        let layers = u64::try_from(&until_settled).map_or(ahead, |until| ahead.min(until));
        let transitions = self.model.n_transitions() / self.model.n_choices() * self.model.n_states();
        layers as f64 * (transitions * self.model.n()) as f64
    }

    /// G_i(s) from the step after `step` on, per principal and state, seen from there.
    fn gains_after(&self, step: &Step, ahead: u64, stop: &StopSignal) -> Result<Vec<Vec<Scaled>>, StopReason> {
        let Judge { model, advantages, solution, .. } = self;
        let (first, far) = (step + 1, step + (1 + ahead));
        let (mut at, settled) =
            if far >= self.settled_from { (self.settled_from.clone().max(first.clone()), true) } else { (far, false) };
        let unknown =
            |i: usize| if settled { Scaled::ZERO } else { Scaled::around_zero(farthest(model, i, &Step::ZERO)) };
        let mut gains: Vec<Vec<Scaled>> = (0..model.n()).map(|i| vec![unknown(i); model.n_states()]).collect();
        while at > first {
            stop.check()?;
            at -= 1;
            let choices: Vec<ChoiceId> = model.states().map(|state| solution.strategy().choice(state, &at)).collect();
            for ((i, gains), rows) in gains.iter_mut().enumerate().zip(&self.rows) {
                let gain = |&choice: &ChoiceId| {
                    advantages.of(choice)[i].plus(rows.expectation(model.mdp(), choice, |target| gains[target.index()]))
                };
                *gains = choices.iter().map(gain).collect();
            }
        }
        Ok(gains)
    }

    /// What the approximation of preferences may put a difference at this step off by, in units of λ_0^t.
    fn error(&self, own: &Column, step: &Step) -> Scaled {
        if own.margin == 0.0 {
            return Scaled::ZERO;
        }
        let unit = WideEnclosure::of(&(Rational::ONE / self.model.discount(0)), super::BITS).power(step.as_natural());
        Scaled::around_zero(Scaled::new(Enclosure::new(0.0, 2.0 * own.margin), 0).times(unit.to_scaled()))
    }

    /// What the new choice is worth to part i against the old one, seen from the step at which it is taken.
    fn worth(&self, turn: &ChangeOfChoice, i: usize, gains: &[Scaled]) -> Scaled {
        let of = |choice: ChoiceId| {
            let later = self.rows[i].expectation(self.model.mdp(), choice, |target| gains[target.index()]);
            self.advantages.of(choice)[i].plus(later)
        };
        of(turn.after).plus(-of(turn.before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::solve;
    use crate::explain::explain;
    use crate::families::RandomFamily;
    use crate::number::parse_rational;
    use crate::solve::Options;

    fn random(seed: u64, discounts: [&str; 3]) -> crate::model::Mdp {
        let discounts = discounts.map(|text| parse_rational(text).unwrap()).to_vec();
        let family = RandomFamily {
            n_states: 5,
            n_actions: 3,
            n_successors: 2,
            discounts,
            max_denominator: 6,
            max_reward: 9,
            seed,
        };
        family.model().unwrap()
    }

    #[test]
    fn a_new_choice_is_in_somebodys_interest() {
        let mut seen = 0;
        for seed in 0..40 {
            let model = random(seed, ["0.9", "0.89", "0.5"]);
            let solution = solve(&model, &Options::default());
            let turns = explain(&model, &solution, 0, usize::MAX, &StopSignal::default()).unwrap().turns;
            assert!(turns.windows(2).all(|pair| pair[0].step >= pair[1].step));
            for turn in &turns {
                assert!(turn.better.contains(&Some(Ordering::Greater)), "seed {seed}: {turn:?}");
            }
            seen += turns.len();
        }
        assert!(seen > 40, "{seen} turns");
    }
}
