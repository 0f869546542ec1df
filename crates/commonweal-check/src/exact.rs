//! Kind exact (§6): the strategy is optimal in every state and at every step.

use crate::certificate::{layers, tail};
use crate::enclosure::{Enclosure, Float, Precision};
use crate::fraction::Fraction;
use crate::gains::{Gains, Values};
use crate::model::Model;
use crate::stage;
use crate::text::{Lines, count, double, fraction, integer, pair, step};
use crate::work::Work;
use crate::{Stop, Unreadable, refuse};
use num_traits::{Pow, Signed};
use std::io::BufRead;
use std::ops::Range;

/// The latest horizon of a certificate whose gains are carried exactly.
pub const MAX_EXACT_HORIZON: u128 = 1 << 32;

/// The longest powers ρ_i^t, in bits, of a sum whose sign an enclosure leaves open.
const MAX_SUM_BITS: u128 = 1 << 20;

/// What is known at the present step.
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
    /// G, unless the certificate does without.
    pub exact_gains: Option<Gains>,
    /// The present step.
    pub step: u128,
}

/// Checks a certificate from the line after `kind exact`.
pub fn check<R: BufRead>(model: &Model, mut lines: Lines<R>, work: Work) -> Result<(), Stop> {
    let numbers = |rest: &str| ["enclosed", "exact"].iter().position(|numbers| *numbers == rest);
    let is_exact = lines.entry("numbers", numbers, "`exact` or `enclosed`")? == 1;
    let bits = |rest: &str| count(rest).filter(|bits| (64..=65536).contains(bits));
    let precision = Precision(lines.entry("precision", bits, "a number of bits, 64 to 65536")? as u64);
    let horizon = |rest: &str| step(rest).filter(|&horizon| !is_exact || horizon <= MAX_EXACT_HORIZON);
    let horizon = lines.entry("horizon", horizon, "a step")?;
    let decisions = tail(model, &mut lines)?;
    let values = read_values(model, &mut lines)?;
    let ratio = |discount: &Fraction| discount.over(&model.discounts[0]).in_lowest_terms();
    let others = model.discounts[1..].iter().map(ratio);
    let exact_ratios: Vec<Fraction> = [Fraction::one()].into_iter().chain(others).collect();
    let mut checker = Checker {
        model,
        precision,
        work,
        discount: precision.fraction(&model.discounts[0]),
        ratios: exact_ratios.iter().map(|ratio| precision.fraction(ratio)).collect(),
        exact_ratios,
        numbers: model.numbers.iter().map(|number| precision.fraction(number)).collect(),
        values,
        advantages: Vec::new(),
        decisions,
        gain: vec![Enclosure::zero(); model.n_states()],
        exact_gains: is_exact.then(|| Gains::none(model)),
        step: horizon,
    };
    checker.find_advantages()?;
    checker.values_are_those_of_decisions("tail")?; // (b)
    checker.horizon_suffices()?; // (c)
    while checker.step > 0 {
        let keyword = lines.line().split(' ').next().unwrap_or_default().to_owned();
        let until = checker.step;
        let earlier = |rest: &str| step(rest).filter(|&from| from < until);
        match keyword.as_str() {
            "layers" => {
                let from = lines.entry("layers", earlier, "an earlier step")?;
                let mut decisions = std::mem::take(&mut checker.decisions);
                layers(model, &mut lines, (from, until), &mut decisions, |t, decisions, changed| {
                    checker.layer(t, decisions, changed) // (d)
                })?;
                checker.decisions = decisions;
            }
            "stage" => {
                let from = lines.entry("stage", earlier, "an earlier step")?;
                checker.values_are_those_of_decisions(&format!("stage {from} to {until}"))?;
                stage::check(&mut checker, from)?; // (f)
            }
            "values" if !is_exact => {
                let values = read_values(model, &mut lines)?;
                checker.rebase(values)?; // (e)
            }
            _ => return Err(lines.fault("expected `layers`, `stage` or `values`").into()),
        }
    }
    checker.welfare(lines) // (g)
}

fn read_values<R: BufRead>(model: &Model, lines: &mut Lines<R>) -> Result<Vec<Values>, Unreadable> {
    lines.word("values")?;
    let mut of_principal = || {
        let positive = |rest: &str| integer(rest).filter(|denominator| denominator.is_positive());
        let denominator = lines.entry("denominator", positive, "a positive integer")?;
        let numerators = (0..model.n_states()).map(|_| lines.take(integer, "an integer")).collect::<Result<_, _>>()?;
        Ok(Values { numerators, denominator })
    };
    (0..model.n()).map(|_| of_principal()).collect()
}

impl Checker<'_> {
    /// ρ_i^t, most patient principal first.
    pub fn weights(&mut self, t: u128) -> Result<Vec<Enclosure>, Stop> {
        let squarings = u64::from(u128::BITS - t.leading_zeros());
        self.work.spend(squarings * self.model.n() as u64, self.cost())?;
        // ρ_0 is the point 1, and so are its powers; a ratio of 0 has the powers 1, 0, 0, …, as it should.
        Ok(self.ratios.iter().map(|ratio| self.precision.power(ratio, t)).collect())
    }

    /// About what one operation on enclosures costs.
    pub fn cost(&self) -> u64 {
        let words = self.precision.0 / 64 + 1;
        100 + words * words
    }

    /// Δ_i(c), most patient principal first.
    pub fn advantages(&self, choice: usize) -> &[Enclosure] {
        &self.advantages[choice * self.model.n()..(choice + 1) * self.model.n()]
    }

    /// `Σ_i ρ_i^t Δ_i(c)` over some principals, given the weights ρ_i^t of all. In fractions where its enclosure leaves the
    /// sign open and that is affordable.
    pub fn sum(
        &mut self,
        t: u128,
        weights: &[Enclosure],
        (state, choice): (usize, usize),
        range: Range<usize>,
    ) -> Result<Enclosure, Stop> {
        let mut sum = Enclosure::zero();
        for (weight, advantage) in weights[range.clone()].iter().zip(&self.advantages(choice)[range.clone()]) {
            sum = self.precision.sum(&sum, &self.precision.scale(weight, advantage));
        }
        let is_open = !sum.lo.is_positive() && !sum.hi.is_negative() && !sum.is_zero();
        let bits =
            self.exact_ratios[1..].iter().map(|ratio| ratio.numerator.bits() + ratio.denominator.bits()).sum::<u64>();
        if is_open && t.saturating_mul(u128::from(bits)) <= MAX_SUM_BITS {
            let mut powers = None;
            let weights = self.exact_weights(t, &mut powers)?;
            let term = |i: usize| self.values[i].exact_advantage(self.model, i, state, choice).times(&weights[i]);
            sum = self.precision.fraction(&range.map(term).fold(Fraction::zero(), |sum, term| sum.plus(&term)));
        }
        Ok(sum)
    }

    /// Δ of every choice over the base: computed in fractions, kept enclosed.
    fn find_advantages(&mut self) -> Result<(), Stop> {
        let model = self.model;
        let words = self.values.iter().map(Values::words).max().unwrap_or(1) + self.precision.0 / 64;
        self.work.spend(((model.n_transitions() + model.n_choices()) * model.n()) as u64, 4 * words + 16)?;
        self.advantages.clear();
        for state in 0..model.n_states() {
            for choice in model.choices(state) {
                for (i, values) in self.values.iter().enumerate() {
                    let advantage = values.exact_advantage(model, i, state, choice);
                    self.advantages.push(self.precision.fraction(&advantage));
                }
            }
        }
        Ok(())
    }

    /// (b) and the beginning of (f): Δ = 0 for every decision. A fraction is enclosed by the point 0 only if it is 0.
    fn values_are_those_of_decisions(&self, place: &str) -> Result<(), Stop> {
        for (state, &choice) in self.decisions.iter().enumerate() {
            if let Some(i) = self.advantages(choice).iter().position(|advantage| !advantage.is_zero()) {
                let found = self.values[i].exact_advantage(self.model, i, state, choice).shown();
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
            for choice in model.choices(state) {
                for k in 0..model.n() {
                    let sum = self.sum(horizon, &weights, (state, choice), 0..k + 1)?;
                    if sum.hi.is_positive() {
                        let choice = choice - model.choices(state).start;
                        let place = format!("horizon {horizon}, state {state}, choice {choice}, principals 0 to {k}");
                        let found = sum.hi.shown();
                        let claim = "the choice may pay at or after the horizon";
                        return refuse(format!("{place}: {claim}; sum {found}, not ≤ 0"));
                    }
                }
            }
        }
        Ok(())
    }

    /// ρ_i^t in fractions, computed at most once.
    fn exact_weights<'w>(&mut self, t: u128, known: &'w mut Option<Vec<Fraction>>) -> Result<&'w [Fraction], Stop> {
        let bits: u64 = self.exact_ratios.iter().map(|ratio| 1 + ratio.denominator.bits()).sum();
        let words = u64::try_from(t.saturating_mul(u128::from(bits)) / 64 + 1).unwrap_or(u64::MAX);
        let others =
            self.exact_gains.as_ref().map_or(1, Gains::words) + self.values.iter().map(Values::words).sum::<u64>();
        // Spent for every sum, since each multiplies numbers of this length and of the gains'.
        self.work.spend(words.saturating_add(others), words.saturating_add(others))?;
        let t = u64::try_from(t).unwrap_or(u64::MAX);
        let power = |x: &Fraction| Fraction::new(Pow::pow(&x.numerator, t), Pow::pow(&x.denominator, t));
        Ok(known.get_or_insert_with(|| self.exact_ratios.iter().map(power).collect()))
    }

    /// (d): one step back, layer by layer.
    fn layer(&mut self, t: u128, decisions: &[usize], changed: &[usize]) -> Result<(), Stop> {
        let model = self.model;
        let weights = self.weights(t)?;
        self.work.spend((model.n_transitions() + model.n_choices() * (model.n() + 1)) as u64, 2 * self.cost())?;
        let mut exact_weights = None;
        let mut gain = Vec::with_capacity(model.n_states());
        for (state, &decision) in decisions.iter().enumerate() {
            let own = self.worth(t, &weights, (state, decision))?;
            for choice in model.choices(state).filter(|&choice| choice != decision) {
                let other = self.worth(t, &weights, (state, choice))?;
                if other.hi.compare(&own.lo).is_le() || model.same(choice, decision) {
                    continue;
                }
                let (mut found, mut stated) = (other.hi.shown(), own.lo.shown());
                if self.exact_gains.is_some() {
                    let weights = self.exact_weights(t, &mut exact_weights)?;
                    let (other, own) =
                        (self.exact_worth(weights, state, choice), self.exact_worth(weights, state, decision));
                    if other.compare(&own).is_le() {
                        continue;
                    }
                    (found, stated) = (other.shown(), own.shown());
                }
                let first = model.choices(state).start;
                let claim = format!("choice {} may beat the stated choice {}", choice - first, decision - first);
                return refuse(format!("step {t}, state {state}: {claim}; worth {found} against {stated}"));
            }
            gain.push(own);
        }
        self.gain = gain;
        if let Some(gains) = &mut self.exact_gains {
            gains.decide(model, &self.values, decisions, changed);
            gains.step_back(model, &self.values, decisions, &mut self.work)?;
        }
        self.step = t;
        Ok(())
    }

    /// w(c), with the gains of the step after.
    fn worth(&mut self, t: u128, weights: &[Enclosure], (state, choice): (usize, usize)) -> Result<Enclosure, Stop> {
        let now = self.sum(t, weights, (state, choice), 0..weights.len())?;
        let (targets, probabilities) = self.model.row(choice);
        let mut later = Enclosure::zero();
        for (&target, &probability) in targets.iter().zip(probabilities) {
            let term = self.precision.scale(&self.numbers[probability as usize], &self.gain[target as usize]);
            later = self.precision.sum(&later, &term);
        }
        Ok(self.precision.sum(&now, &self.precision.scale(&self.discount, &later)))
    }

    /// Σ_i ρ_i^t x_i(c).
    fn exact_worth(&self, weights: &[Fraction], state: usize, choice: usize) -> Fraction {
        let gains = self.exact_gains.as_ref();
        let worth = |i: usize| gains.map(|gains| gains.worth(self.model, &self.values, i, state, choice));
        let terms = weights.iter().enumerate().filter_map(|(i, weight)| Some(worth(i)?.times(weight)));
        terms.fold(Fraction::zero(), |sum, term| sum.plus(&term))
    }

    /// (e): the gains over other values.
    fn rebase(&mut self, values: Vec<Values>) -> Result<(), Stop> {
        let weights = self.weights(self.step)?;
        for state in 0..self.model.n_states() {
            for (i, weight) in weights.iter().enumerate() {
                let difference = self.values[i].of(state).minus(&values[i].of(state));
                let moved = self.precision.scale(weight, &self.precision.fraction(&difference));
                self.gain[state] = self.precision.sum(&self.gain[state], &moved);
            }
        }
        self.values = values;
        self.find_advantages()
    }

    /// (g): the welfare at step 0.
    fn welfare<R: BufRead>(&mut self, mut lines: Lines<R>) -> Result<(), Stop> {
        lines.word("welfare")?;
        let model = self.model;
        let words =
            self.exact_gains.as_ref().map_or(1, Gains::words) + self.values.iter().map(Values::words).sum::<u64>();
        for state in 0..model.n_states() {
            self.work.spend(model.n() as u64 * words, words)?;
            let refused = |found: String, stated: String| {
                refuse(format!("welfare, state {state}: not what the strategy earns; found {found}, stated {stated}"))
            };
            let exact = self.exact_gains.as_ref().map(|gains| {
                let totals = (0..model.n()).map(|i| gains.total(&self.values, i, state));
                totals.fold(Fraction::zero(), |sum, total| sum.plus(&total))
            });
            if let (Some(exact), true) = (&exact, lines.line().starts_with("exact ")) {
                let stated = lines.entry("exact", fraction, "a fraction")?;
                if exact.compare(&stated).is_ne() {
                    return refused(exact.shown(), stated.shown());
                }
                continue;
            }
            let bounds = |rest: &str| pair(rest).and_then(|(lower, upper)| Some((double(lower)?, double(upper)?)));
            let (lower, upper) = lines.entry("between", bounds, "two doubles")?;
            let (lower, upper) = (Fraction::from_double(lower), Fraction::from_double(upper));
            match exact {
                Some(exact) if exact.compare(&lower).is_lt() => return refused(exact.shown(), lower.shown()),
                Some(exact) if exact.compare(&upper).is_gt() => return refused(exact.shown(), upper.shown()),
                Some(_) => {}
                None => {
                    let values = self.values.iter().map(|values| self.precision.fraction(&values.of(state)));
                    let sum = values.fold(Enclosure::zero(), |sum, value| self.precision.sum(&sum, &value));
                    let found = self.precision.sum(&sum, &self.gain[state]);
                    if compare(&found.lo, &lower).is_lt() {
                        return refused(found.lo.shown(), lower.shown());
                    }
                    if compare(&found.hi, &upper).is_gt() {
                        return refused(found.hi.shown(), upper.shown());
                    }
                }
            }
        }
        Ok(lines.end()?)
    }
}

/// Compares a float with a double, given as a fraction.
fn compare(float: &Float, double: &Fraction) -> std::cmp::Ordering {
    // 2^1100 is above every double, so that many bits hold each of them.
    float.compare(&Precision(2200).fraction(double).lo)
}
