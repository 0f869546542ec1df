//! One principal's gain over the last base, if that base is not followed for long enough to make the later steps negligible.
//!
//! From a step at which the values are known, `W_t = R + λ P W_{t+1}` in enclosures, layer by layer; over a stage with the
//! strategy σ and its values V, `W − V` is carried along ([`StageEnd`]), what σ's chain mixes it to taken out.

use crate::exact::jump::{Harmonic, Passed, StageEnd, distance, power_of};
use crate::kernel::discounted_rows::DiscountedRows;
use crate::model::{ChoiceId, IntegerRows, Mdp, StateId};
use crate::number::{ExactVector, Rational, Scaled, WideEnclosure};
use crate::parallel;
use crate::principals::{Alone, OrderedModel};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Step};

/// Enclosures in doubles have fewer bits than this.
const BITS: usize = 64;

/// The stages that were jumped over, and the values of one principal's rewards in them.
pub(in crate::exact) struct Earlier<'a> {
    pub model: &'a OrderedModel<'a>,
    pub rows: &'a IntegerRows,
    /// The latest first; the strategy of the last one is the base.
    pub passed: &'a [Passed],
    /// The values of the rewards under the strategy of each stage, if it is followed for ever.
    pub values: &'a dyn Fn(&Passed) -> Result<Vec<Scaled>, StopReason>,
    /// The same for the long-term strategy, which is followed from `first_event` on.
    pub long_term: &'a dyn Fn() -> Result<ExactVector, StopReason>,
    pub first_event: &'a Step,
}

impl Earlier<'_> {
    /// Whether the steps after the last stage matter at this discount.
    pub fn matter(&self, discount: &Rational) -> bool {
        self.passed.last().is_some_and(|last| !last.hides_what_follows(discount))
    }

    /// The gain over `base_values` at the beginning of the last stage.
    pub fn gain(
        &self,
        model: &Mdp,
        strategy: &CountingStrategy,
        alone: &Alone,
        base_values: &ExactVector,
        stop: &StopSignal,
    ) -> Result<Vec<Scaled>, StopReason> {
        let discount = &alone.discount;
        let rewards = |choice: ChoiceId| &model.rewards(choice)[alone.principal.index()];
        let discounted = DiscountedRows::of(model, discount);
        let hides = |stage: &Passed| stage.hides_what_follows(discount);
        let (mut step, mut worth, open) = match self.passed.iter().rposition(hides) {
            Some(known) => {
                let stage = &self.passed[known];
                let all = (0..model.n_choices()).map(|choice| rewards(choice.into()));
                let around = Scaled::around_zero(distance(discount, all, &stage.followed_for));
                let worth = (self.values)(stage)?.into_iter().map(|value| value.plus(around)).collect();
                (stage.from.clone(), worth, &self.passed[known + 1..])
            }
            None => (self.first_event.clone(), enclosed(&(self.long_term)()?), self.passed),
        };
        let earned: Vec<Scaled> = (0..model.n_choices()).map(|choice| Scaled::from(rewards(choice.into()))).collect();
        for (index, stage) in open.iter().enumerate() {
            while step > stage.until {
                stop.check()?;
                step -= 1;
                worth = parallel::map(model.n_states(), |index| {
                    let choice = strategy.choice(StateId::from(index), &step);
                    let later = discounted.expectation(model, choice, |target| worth[target.index()]);
                    earned[choice.index()].plus(later)
                });
            }
            let is_last = index + 1 == open.len();
            let values = if is_last { enclosed(base_values) } else { (self.values)(stage)? };
            let gain = |(worth, value): (&Scaled, &Scaled)| WideEnclosure::of_scaled(&worth.plus(-*value), BITS);
            let gains: Vec<WideEnclosure> = worth.iter().zip(&values).map(gain).collect();
            let decisions: Vec<ChoiceId> = model.states().map(|state| strategy.choice(state, &stage.from)).collect();
            let end = match Harmonic::of(self.model, &decisions, &gains, None, stop)? {
                Some(harmonic) => StageEnd::without(self.model, self.rows, &decisions, &gains, harmonic),
                None => StageEnd::of(self.model, &decisions, &gains),
            };
            let length = &stage.until - &stage.from;
            let shrunk = power_of(discount, &length, BITS);
            let gains = model.states().map(|state| end.at_the_beginning(state, &length, &shrunk).to_scaled());
            if is_last {
                return Ok(gains.collect());
            }
            worth = gains.zip(values).map(|(gain, value)| gain.plus(value)).collect();
            step = stage.from.clone();
        }
        unreachable!("the last stage does not hide what follows")
    }
}

fn enclosed(values: &ExactVector) -> Vec<Scaled> {
    values.numerators.iter().map(|numerator| Scaled::of_quotient(numerator, &values.denominator)).collect()
}
