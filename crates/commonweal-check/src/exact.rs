//! Kind exact (§6): the strategy is optimal in every state and at every step.

use crate::certificate::{Welfare, after_origin, between, earlier, layers, tail};
use crate::enclosure::{Enclosure, Float, Precision};
use crate::fraction::{Fraction, lcm};
use crate::harmonic::Harmonic;
use crate::model::Model;
use crate::stage;
use crate::text::{Lines, count, fraction, integer, step};
use crate::values::Values;
use crate::work::{Work, digits, words};
use crate::{Stop, Unreadable, refuse};
use num_bigint::BigInt;
use num_traits::{One, Pow, Signed, Zero};
use std::io::BufRead;
use std::ops::Range;

/// The latest horizon of a certificate whose values are carried exactly.
const MAX_EXACT_HORIZON: u128 = 1 << 32;
/// The longest powers ρ_i^t, in bits, of a sum whose sign an enclosure leaves open.
const MAX_SUM_BITS: u128 = 1 << 20;

/// The state of the check at the present step.
pub struct Checker<'m> {
    pub model: &'m Model,
    pub precision: Precision,
    pub work: Work,
    /// λ_0.
    pub discount: Enclosure,
    /// ρ_i = λ_i/λ_0, exactly and enclosed.
    exact_ratios: Vec<Fraction>,
    ratios: Vec<Enclosure>,
    /// The model's numbers.
    numbers: Vec<Enclosure>,
    /// The base.
    pub values: Vec<Values>,
    /// Δ over the base; a choice's principals side by side.
    advantages: Vec<Enclosure>,
    /// Choices by state.
    pub decisions: Vec<usize>,
    /// g, in units of λ_0 to the present step.
    pub gain: Vec<Enclosure>,
    /// Y, if the numbers are exact: each principal's payoff under the decisions.
    pub earned: Option<Vec<Values>>,
    /// The present step.
    pub step: u128,
}

/// Checks a certificate from the line after `kind exact`.
/// Returns the welfare of the state `of`.
pub fn check<R: BufRead>(
    segments: &[Model],
    mut lines: Lines<R>,
    work: Work,
    of: usize,
) -> Result<Option<Welfare>, Stop> {
    let (model, before) = segments.split_last().expect("at least one segment");
    let numbers = |rest: &str| ["enclosed", "exact"].iter().position(|numbers| *numbers == rest);
    let is_exact = lines.entry("numbers", numbers, "`exact` or `enclosed`")? == 1;
    let bits = |rest: &str| count(rest).filter(|bits| (64..=65536).contains(bits));
    let precision = Precision(lines.entry("precision", bits, "a number of bits, 64 to 65536")? as u64);
    let horizon = |rest: &str| step(rest).filter(|&horizon| !is_exact || horizon <= MAX_EXACT_HORIZON);
    let horizon = lines.entry("horizon", horizon, "a step")?;
    let horizon = after_origin(model, horizon, &lines)?;
    let decisions = tail(model, &mut lines)?;
    let values = read_values(model, &mut lines)?;
    let mut checker = Checker::new(model, (precision, work), (horizon, decisions), values, is_exact)?;
    checker.values_are_those_of_decisions("tail")?; // (b)
    checker.horizon_suffices()?; // (c)
    checker.sections(&mut lines)?;
    for segment in before.iter().rev() {
        lines.word("segment")?;
        let values = read_values(segment, &mut lines)?;
        checker.enter(segment, values)?; // (h)
        checker.sections(&mut lines)?;
    }
    checker.welfare(lines, of) // (g)
}

pub fn read_values<R: BufRead>(model: &Model, lines: &mut Lines<R>) -> Result<Vec<Values>, Unreadable> {
    lines.word("values")?;
    (0..model.n()).map(|_| read_vector(model.n_states(), lines)).collect()
}

/// Numbers over a common denominator.
pub fn read_vector<R: BufRead>(length: usize, lines: &mut Lines<R>) -> Result<Values, Unreadable> {
    let positive = |rest: &str| integer(rest).filter(|denominator| denominator.is_positive());
    let denominator = lines.entry("denominator", positive, "a positive integer")?;
    let numerators = (0..length).map(|_| lines.take(integer, "an integer")).collect::<Result<_, _>>()?;
    Ok(Values::new(numerators, denominator))
}

/// The machine words of the longest values of all principals together.
pub fn words_of(values: &[Values]) -> u64 {
    values.iter().map(|values| values.words).sum()
}

impl<'m> Checker<'m> {
    /// The state at the horizon.
    pub fn new(
        model: &'m Model,
        (precision, work): (Precision, Work),
        (step, decisions): (u128, Vec<usize>),
        values: Vec<Values>,
        is_exact: bool,
    ) -> Result<Checker<'m>, Stop> {
        let earned = is_exact.then(|| values.clone());
        let mut checker = Checker::start(model, (precision, work), (step, decisions), values, earned);
        checker.find_advantages()?;
        Ok(checker)
    }

    /// At a step of a segment, with gains of 0 and no advantages yet.
    fn start(
        model: &'m Model,
        (precision, work): (Precision, Work),
        (step, decisions): (u128, Vec<usize>),
        values: Vec<Values>,
        earned: Option<Vec<Values>>,
    ) -> Checker<'m> {
        // With λ_0 = 0 there is only one discount, and ρ_0 is still 1.
        let ratio = |discount: &Fraction| discount.over(&model.discounts[0]).in_lowest_terms();
        let others = model.discounts[1..].iter().map(ratio);
        let exact_ratios: Vec<Fraction> = [Fraction::one()].into_iter().chain(others).collect();
        Checker {
            model,
            precision,
            work,
            discount: precision.fraction(&model.discounts[0]),
            ratios: exact_ratios.iter().map(|ratio| precision.fraction(ratio)).collect(),
            exact_ratios,
            numbers: model.numbers.iter().map(|number| precision.fraction(number)).collect(),
            earned,
            values,
            advantages: Vec::new(),
            decisions,
            gain: vec![Enclosure::zero(); model.n_states()],
            step,
        }
    }

    /// Goes back to the first step of the segment.
    fn sections<R: BufRead>(&mut self, lines: &mut Lines<R>) -> Result<(), Stop> {
        let model = self.model;
        while self.step > model.from - model.origin {
            let until = self.step;
            let before = |rest: &str| earlier(model, rest, until);
            match lines.line().split(' ').next() {
                Some("layers") => {
                    let from = lines.entry("layers", before, "an earlier step")?;
                    let mut decisions = std::mem::take(&mut self.decisions);
                    layers(model, lines, (from, until), &mut decisions, |t, decisions| {
                        self.layer(t, decisions) // (d)
                    })?;
                    self.decisions = decisions;
                }
                Some(word @ ("stage" | "harmonic")) if word == "stage" || self.earned.is_none() => {
                    let harmonic = if word == "harmonic" { Some(Harmonic::read(model, lines)?) } else { None };
                    let from = lines.entry("stage", before, "an earlier step")?;
                    let [from_step, until_step] = [from, until].map(|step| step + model.origin);
                    self.values_are_those_of_decisions(&format!("stage {from_step} to {until_step}"))?;
                    stage::check(self, from, harmonic)?; // (f)
                }
                Some("values") if self.earned.is_none() => self.rebase(read_values(model, lines)?)?, // (e)
                _ => return Err(lines.fault("expected `layers`, `stage`, `harmonic` or `values`").into()),
            }
        }
        Ok(())
    }

    /// (h): the gains at the end of the segment before, over its values.
    fn enter(&mut self, before: &'m Model, values: Vec<Values>) -> Result<(), Stop> {
        let (model, precision, t) = (self.model, self.precision, self.step);
        let u = t + model.origin - before.origin;
        let (discount, other) = (&model.discounts[0], &before.discounts[0]);
        let same = discount.compare(other).is_eq() && t == u;
        let weights = self.weights(t)?;
        self.work.spend(digits(t) + digits(u), self.cost())?;
        let unit = if same {
            Enclosure::one()
        } else {
            let inverse = precision.fraction(&Fraction::one().over(other).in_lowest_terms());
            precision.scale(&precision.power(&self.discount, t), &precision.power(&inverse, u))
        };
        let earned = match &self.earned {
            None => None,
            Some(_) => Some(self.carried((t, u), before, same)?),
        };
        let (gain, old) = (std::mem::take(&mut self.gain), std::mem::take(&mut self.values));
        let work = std::mem::replace(&mut self.work, Work::new(0));
        let decisions = std::mem::take(&mut self.decisions);
        *self = Checker::start(before, (precision, work), (u, decisions), values, earned);
        let weights_before = self.weights(u)?;
        let length = words_of(&old) + words_of(&self.values);
        self.work.spend((model.n_states() as u64).saturating_mul(length), self.cost())?;
        let add = |sum: Enclosure, weight: &Enclosure, value: &Fraction| {
            precision.sum(&sum, &precision.scale(weight, &precision.fraction(value)))
        };
        for (state, gain) in gain.into_iter().enumerate() {
            let welfare = weights.iter().zip(&old).fold(gain, |sum, (weight, old)| add(sum, weight, &old.of(state)));
            let terms = weights_before.iter().zip(&self.values);
            let gain = terms.fold(precision.scale(&unit, &welfare), |sum, (weight, values)| {
                add(sum, weight, &values.of(state).negated())
            });
            self.gain[state] = gain;
        }
        self.find_advantages()
    }

    /// Y of the segment before: the welfare in its units, assigned to its first principal.
    fn carried(&mut self, (t, u): (u128, u128), before: &Model, same: bool) -> Result<Vec<Values>, Stop> {
        let earned = self.earned.as_ref().expect("asked for with exact numbers only");
        let n_states = self.model.n_states() as u64;
        let bits = |x: &Fraction| u128::from(x.numerator.bits() + x.denominator.bits());
        let (discount, other) = (&self.model.discounts[0], &before.discounts[0]);
        let of_powers =
            t.saturating_mul(self.ratio_bits() + bits(discount)).saturating_add(u.saturating_mul(bits(other)));
        let length = u64::try_from(of_powers / 64).unwrap_or(u64::MAX).saturating_add(words_of(earned) + 1);
        self.work.hold(n_states.saturating_mul(length))?;
        self.work.spend(n_states.saturating_mul(length), length)?;
        let power = |x: &Fraction, t: u128| {
            // With longer exponents only powers of 1 are affordable.
            let t = u64::try_from(t).unwrap_or(u64::MAX);
            Fraction::new(Pow::pow(&x.numerator, t), Pow::pow(&x.denominator, t))
        };
        let unit = if same { Fraction::one() } else { power(discount, t).over(&power(other, u)).in_lowest_terms() };
        let powers: Vec<Fraction> = self.exact_ratios.iter().map(|ratio| power(ratio, t).times(&unit)).collect();
        let total = |state: usize| {
            let terms = earned.iter().zip(&powers).map(|(earned, power)| earned.of(state).times(power));
            terms.fold(Fraction::zero(), |sum, term| sum.plus(&term)).in_lowest_terms()
        };
        let totals: Vec<Fraction> = (0..self.model.n_states()).map(total).collect();
        let common = totals.iter().fold(BigInt::one(), |common, total| lcm(&common, &total.denominator));
        let numerators = totals.iter().map(|total| &total.numerator * (&common / &total.denominator)).collect();
        let nothing = Values::new(vec![BigInt::zero(); totals.len()], BigInt::one());
        let others = std::iter::repeat_n(nothing, before.n() - 1);
        Ok([Values::new(numerators, common)].into_iter().chain(others).collect())
    }

    /// The approximate cost of one operation on enclosures.
    pub fn cost(&self) -> u64 {
        let words = self.precision.0 / 64 + 1;
        100 + words * words
    }

    /// ρ_i^t, most patient principal first.
    pub fn weights(&mut self, t: u128) -> Result<Vec<Enclosure>, Stop> {
        self.work.spend(digits(t) * self.model.n() as u64, self.cost())?;
        // ρ_0 is the point 1, and so are its powers; the powers of a ratio of 0 are 1, 0, 0, ….
        Ok(self.ratios.iter().map(|ratio| self.precision.power(ratio, t)).collect())
    }

    /// Δ_i(c), most patient principal first.
    pub fn advantages(&self, choice: usize) -> &[Enclosure] {
        &self.advantages[choice * self.model.n()..(choice + 1) * self.model.n()]
    }

    /// `Σ_i ρ_i^t Δ_i(c)` over some principals, given the weights ρ_i^t of all. In fractions if its enclosure does not decide the
    /// sign and that is affordable.
    pub fn sum(
        &mut self,
        t: u128,
        weights: &[Enclosure],
        (state, choice): (usize, usize),
        range: Range<usize>,
    ) -> Result<Enclosure, Stop> {
        let advantages = &self.advantages(choice)[range.clone()];
        let sum = self.precision.sum_of(weights[range.clone()].iter().zip(advantages));
        let is_open = !sum.lo.is_positive() && !sum.hi.is_negative() && !sum.is_zero();
        if is_open && t.saturating_mul(self.ratio_bits()) <= MAX_SUM_BITS {
            let advantage = |checker: &Self, i: usize| checker.values[i].advantage(checker.model, i, state, choice);
            let exact = self.exact_sum(t, range, advantage)?;
            return Ok(self.precision.fraction(&exact));
        }
        Ok(sum)
    }

    /// Σ_i ρ_i^t x_i over some principals, in fractions.
    fn exact_sum(
        &mut self,
        t: u128,
        range: Range<usize>,
        x: impl Fn(&Self, usize) -> Fraction,
    ) -> Result<Fraction, Stop> {
        let of_weights = u64::try_from(t.saturating_mul(self.ratio_bits()) / 64).unwrap_or(u64::MAX);
        let of_values = words_of(self.earned.as_ref().unwrap_or(&self.values)) + self.model.words;
        let words = of_weights.saturating_add(of_values + 1);
        self.work.spend(words, words)?;
        // With longer exponents only powers of 1 are affordable.
        let t = u64::try_from(t).unwrap_or(u64::MAX);
        let power = |x: &Fraction| Fraction::new(Pow::pow(&x.numerator, t), Pow::pow(&x.denominator, t));
        let terms = range.map(|i| x(self, i).times(&power(&self.exact_ratios[i])));
        Ok(terms.fold(Fraction::zero(), |sum, term| sum.plus(&term)))
    }

    /// The bits of ρ_1, ρ_2, … together.
    fn ratio_bits(&self) -> u128 {
        let bits = |ratio: &Fraction| u128::from(ratio.numerator.bits() + ratio.denominator.bits());
        self.exact_ratios[1..].iter().map(bits).sum()
    }

    /// Δ of every choice over the base: computed in fractions, kept enclosed.
    fn find_advantages(&mut self) -> Result<(), Stop> {
        let model = self.model;
        let each = self.precision.0 / 64 + model.words + 5;
        let numbers = words_of(&self.values) + model.n() as u64 * model.words;
        self.work.spend((model.n_transitions() + model.n_choices()) as u64 * each, numbers)?;
        self.advantages.clear();
        for state in 0..model.n_states() {
            for choice in model.choices(state) {
                for (i, values) in self.values.iter().enumerate() {
                    self.advantages.push(self.precision.fraction(&values.advantage(model, i, state, choice)));
                }
            }
        }
        Ok(())
    }

    /// (b) and the beginning of (f): Δ = 0 for every decision. A fraction is enclosed by the point 0 only if it is 0.
    fn values_are_those_of_decisions(&self, place: &str) -> Result<(), Stop> {
        for (state, &choice) in self.decisions.iter().enumerate() {
            if let Some(i) = self.advantages(choice).iter().position(|advantage| !advantage.is_zero()) {
                let found = self.values[i].advantage(self.model, i, state, choice).shown();
                let claim = "the values are not those of its choices";
                return refuse(format!("{place}, state {state}, principal {i}: {claim}; advantage {found}, not 0"));
            }
        }
        Ok(())
    }

    /// (c): every prefix sum at the horizon is at most 0.
    fn horizon_suffices(&mut self) -> Result<(), Stop> {
        let (model, horizon) = (self.model, self.step);
        let weights = self.weights(horizon)?;
        self.work.spend((model.n_choices() * model.n() * model.n()) as u64, self.cost())?;
        for state in 0..model.n_states() {
            for (number, choice) in model.choices(state).enumerate() {
                for k in 0..model.n() {
                    let sum = self.sum(horizon, &weights, (state, choice), 0..k + 1)?;
                    if sum.hi.is_positive() {
                        let at = horizon + model.origin;
                        let place = format!("horizon {at}, state {state}, choice {number}, principals 0 to {k}");
                        let claim = "the choice may pay at or after the horizon";
                        return refuse(format!("{place}: {claim}; sum {}, not ≤ 0", sum.hi.shown()));
                    }
                }
            }
        }
        Ok(())
    }

    /// (d): one step back, layer by layer.
    fn layer(&mut self, t: u128, decisions: &[usize]) -> Result<(), Stop> {
        let model = self.model;
        let weights = self.weights(t)?;
        self.work.spend((model.n_transitions() + model.n_choices() * (model.n() + 1)) as u64, 2 * self.cost())?;
        let mut gain = Vec::with_capacity(model.n_states());
        for (state, &decision) in decisions.iter().enumerate() {
            let own = self.worth(t, &weights, (state, decision))?;
            for choice in model.choices(state).filter(|&choice| !model.same(choice, decision)) {
                let other = self.worth(t, &weights, (state, choice))?;
                if other.hi.compare(&own.lo).is_le() {
                    continue;
                }
                let (mut found, mut stated) = (other.hi.shown(), own.lo.shown());
                if self.earned.is_some() {
                    let (other, own) = (self.exact_worth(t, choice)?, self.exact_worth(t, decision)?);
                    if other.compare(&own).is_le() {
                        continue;
                    }
                    (found, stated) = (other.shown(), own.shown());
                }
                let claim = model.rivalry(state, choice, decision);
                let at = t + model.origin;
                return refuse(format!("step {at}, state {state}: {claim}; worth {found} against {stated}"));
            }
            gain.push(own);
        }
        self.gain = gain;
        for (i, earned) in self.earned.iter_mut().flatten().enumerate() {
            *earned = earned.step_back(model, i, decisions, &mut self.work)?;
        }
        self.step = t;
        Ok(())
    }

    /// w(c), with the gains of the step after.
    fn worth(&mut self, t: u128, weights: &[Enclosure], (state, choice): (usize, usize)) -> Result<Enclosure, Stop> {
        let now = self.sum(t, weights, (state, choice), 0..weights.len())?;
        let (targets, probabilities) = self.model.row(choice);
        let term = |(&target, &p): (&u32, &u32)| (&self.numbers[p as usize], &self.gain[target as usize]);
        let later = self.precision.sum_of(targets.iter().zip(probabilities).map(term));
        Ok(self.precision.sum(&now, &self.precision.scale(&self.discount, &later)))
    }

    /// The value of the choice now and the decisions afterwards, in units of λ_0^t.
    fn exact_worth(&mut self, t: u128, choice: usize) -> Result<Fraction, Stop> {
        let worth = |checker: &Self, i: usize| {
            let earned = checker.earned.as_ref().expect("asked for with exact numbers only");
            earned[i].worth(checker.model, i, choice)
        };
        self.exact_sum(t, 0..self.model.n(), worth)
    }

    /// (e): the gains over other values.
    fn rebase(&mut self, values: Vec<Values>) -> Result<(), Stop> {
        let weights = self.weights(self.step)?;
        self.work.spend(self.model.n_states() as u64 * words_of(&self.values), words_of(&values))?;
        for (state, gain) in self.gain.iter_mut().enumerate() {
            for (i, weight) in weights.iter().enumerate() {
                let difference = self.precision.fraction(&self.values[i].of(state).minus(&values[i].of(state)));
                *gain = self.precision.sum(gain, &self.precision.scale(weight, &difference));
            }
        }
        self.values = values;
        self.find_advantages()
    }

    /// (g): the welfare at step 0. Returns that of the state `of`.
    fn welfare<R: BufRead>(&mut self, mut lines: Lines<R>, of: usize) -> Result<Option<Welfare>, Stop> {
        lines.word("welfare")?;
        let mut asked = None;
        for state in 0..self.model.n_states() {
            let refused = |found: String, stated: String| {
                refuse(format!("welfare, state {state}: not what the strategy earns; found {found}, stated {stated}"))
            };
            if let (Some(earned), true) = (&self.earned, lines.line().starts_with("exact ")) {
                let stated = lines.entry("exact", fraction, "a fraction")?;
                let (found, length) = (words_of(earned), words(&stated.numerator) + words(&stated.denominator));
                self.work.spend(found, found + length)?;
                let found = earned.iter().fold(Fraction::zero(), |sum, values| sum.plus(&values.of(state)));
                if found.compare(&stated).is_ne() {
                    return refused(found.shown(), stated.shown());
                }
                if state == of {
                    asked = Some(Welfare::Exact(stated));
                }
                continue;
            }
            let (lower, upper) = between(&mut lines)?;
            let values = self.values.iter().map(|values| self.precision.fraction(&values.of(state)));
            let base = values.fold(Enclosure::zero(), |sum, value| self.precision.sum(&sum, &value));
            let found = self.precision.sum(&base, &self.gain[state]);
            if found.lo.compare(&Float::from(lower)).is_lt() {
                return refused(found.lo.shown(), format!("{lower:e}"));
            }
            if found.hi.compare(&Float::from(upper)).is_gt() {
                return refused(found.hi.shown(), format!("{upper:e}"));
            }
            if state == of {
                asked = Some(Welfare::Between(lower, upper));
            }
        }
        lines.end()?;
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum whose enclosure leaves the sign open is computed in fractions as long as its powers have at most 2^20 bits.
    #[test]
    fn a_sum_that_is_open_is_exact_up_to_a_limit() {
        // ρ_1 is 2/3 with 2 + 2 bits, or 5/8 with 3 + 4.
        for (discounts, latest) in [("3/4 1/2", (1 << 20) / 4), ("4/5 1/2", (1 << 20) / 7)] {
            let text = format!("commonweal-model 1\ndiscounts {discounts}\nstates 1\nchoices 1\n0 1 > 0 1\nend\n");
            let model = Model::read(text.as_bytes()).expect("a model").swap_remove(0);
            let values = vec![Values::new(vec![0.into()], 1.into()); 2];
            let start = (Precision(64), Work::new(u64::MAX));
            let mut checker = Checker::new(&model, start, (0, vec![0]), values, false).expect("work is ample");
            let wide = Enclosure { lo: Float::zero(), hi: Float::one() };
            let mut is_open = |t: u128| {
                let sum = checker.sum(t, &[Enclosure::one(), wide.clone()], (0, 0), 0..2).expect("work is ample");
                !sum.lo.is_positive()
            };
            assert!(!is_open(latest) && is_open(latest + 1), "{discounts}");
        }
    }
}
