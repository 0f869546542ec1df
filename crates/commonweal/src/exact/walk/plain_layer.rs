//! One layer of the induction in plain doubles, for the states where that decides.
//!
//! Undecided comparisons, and numbers near overflow or underflow, are left to the slow path: the answer is the same.

use crate::exact::Advantages;
use crate::exponential_sum::Weights;
use crate::kernel::discounted_rows::DiscountedRows;
use crate::model::{ChoiceId, Mdp};
use crate::number::{PlainVector, Scaled, plain_sum, sum_down, sum_up};

/// The advantages over a base as plain doubles, within one unit in the last place.
#[derive(Debug)]
pub(crate) struct PlainAdvantages {
    n: usize,
    numbers: Vec<f64>,
}

impl PlainAdvantages {
    /// The same numbers, if none is near overflow or underflow.
    pub(crate) fn of(model: &Mdp, advantages: &Advantages) -> Option<PlainAdvantages> {
        let n = advantages.values().len();
        let all = (0..model.n_choices()).flat_map(|choice| advantages.of(choice.into()));
        let numbers = all.map(|number| number.as_plain().map(|enclosure| enclosure.lower())).collect::<Option<_>>()?;
        Some(PlainAdvantages { n, numbers })
    }

    fn of_choice(&self, choice: ChoiceId) -> &[f64] {
        &self.numbers[choice.index() * self.n..(choice.index() + 1) * self.n]
    }
}

/// What a layer reads.
pub(crate) struct PlainLayer<'a> {
    pub model: &'a Mdp,
    pub advantages: &'a PlainAdvantages,
    pub rows: &'a DiscountedRows,
    pub weights: Vec<f64>,
    pub gain: PlainVector,
    /// An upper bound on all expectations of gains.
    pub ceiling: f64,
}

impl<'a> PlainLayer<'a> {
    pub(crate) fn new(
        model: &'a Mdp,
        advantages: &'a PlainAdvantages,
        rows: &'a DiscountedRows,
        weights: &Weights,
        gain: &[Scaled],
        ceiling: Scaled,
    ) -> Option<PlainLayer<'a>> {
        if !rows.are_ordinary() {
            return None;
        }
        let weights = weights.scaled.iter().map(|weight| weight.as_plain().map(|enclosure| enclosure.lower()));
        Some(PlainLayer {
            model,
            advantages,
            rows,
            weights: weights.collect::<Option<_>>()?,
            gain: PlainVector::of(gain)?,
            ceiling: ceiling.as_plain()?.upper(),
        })
    }

    /// The value of `likely` if it is proven to be the best of `choices`.
    pub(crate) fn worth_if_best(&self, choices: &[ChoiceId], likely: ChoiceId) -> Option<Scaled> {
        /// A sum with a smaller relative error than this is as good as that of the slow path.
        const TIGHT: f64 = 1e-6;
        let now = |choice| plain_sum(self.advantages.of_choice(choice), &self.weights);
        let later = |choice| {
            let indices = self.model.targets(choice).iter().map(|target| target.index());
            self.gain.dot(self.rows.of_choice(choice), indices)
        };
        let own = self.advantages.of_choice(likely).iter().all(|&number| number == 0.0);
        let (value, error) = if own { (0.0, 0.0) } else { now(likely) };
        if error > TIGHT * value.abs() {
            return None;
        }
        let expected = later(likely);
        let (lower, upper) = if own {
            (expected.lower(), expected.upper())
        } else {
            (sum_down(value - error, expected.lower()), sum_up(value + error, expected.upper()))
        };
        let beaten = |&choice: &ChoiceId| {
            if choice == likely {
                return true;
            }
            let (value, error) = now(choice);
            let at_once = sum_up(value, error);
            sum_up(at_once, self.ceiling) < lower || sum_up(at_once, later(choice).upper()) < lower
        };
        (choices.contains(&likely) && choices.iter().all(beaten)).then(|| Scaled::plain(lower, upper))
    }
}
