//! Kind bounds (§7): the lower bound of the strategy and the upper bound of all strategies, recomputed in outward-rounded doubles.
//!
//! Cost: two passes over the model for each layer, and for a stage one over the advantages for each interval.

use crate::certificate::{Welfare, after_origin, between, earlier, layers, tail};
use crate::doubles::Interval;
use crate::enclosure::{Enclosure, Precision};
use crate::fraction::Fraction;
use crate::model::Model;
use crate::stage;
use crate::text::{Lines, double, pair, step};
use crate::work::{Work, digits};
use crate::{Stop, Unreadable, refuse};
use std::io::BufRead;

/// The precision of the weights ρ_i^t before they become doubles.
const PRECISION: Precision = Precision(128);
/// The latest horizon: every number of steps is a double.
const MAX_HORIZON: u128 = 1 << 53;
/// The cost of an operation relative to one on a machine word.
const COST: u64 = 4;

struct Checker<'m> {
    model: &'m Model,
    work: Work,
    /// λ_0.
    discount: Enclosure,
    /// ρ_1, ρ_2, ….
    ratios: Vec<Enclosure>,
    discounts: Vec<Interval>,
    numbers: Vec<Interval>,
    /// V_i(s), a principal's states side by side.
    values: Vec<Vec<f64>>,
    /// Δ_i(c), a choice's principals side by side.
    advantages: Vec<Interval>,
    /// L and U of the present step.
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// Checks a certificate from the line after `kind bounds`.
/// Returns the bounds of the state `of`.
pub fn check<R: BufRead>(
    segments: &[Model],
    mut lines: Lines<R>,
    work: Work,
    of: usize,
) -> Result<Option<Welfare>, Stop> {
    let (model, before) = segments.split_last().expect("at least one segment");
    lines.entry("numbers", |rest| (rest == "doubles").then_some(()), "`doubles`")?;
    let horizon = lines.entry("horizon", |rest| step(rest).filter(|&horizon| horizon <= MAX_HORIZON), "a step")?;
    let horizon = after_origin(model, horizon, &lines)?;
    let mut decisions = tail(model, &mut lines)?;
    let values = read_values(model, &mut lines)?;
    let mut checker = Checker::start(model, work, values)?;
    checker.find_advantages()?;
    checker.after_horizon(horizon, &decisions)?;
    checker.sections(&mut lines, horizon, &mut decisions)?;
    for segment in before.iter().rev() {
        lines.word("segment")?;
        let values = read_values(segment, &mut lines)?;
        let end = checker.enter(segment, values)?;
        checker.sections(&mut lines, end, &mut decisions)?;
    }
    checker.welfare(lines, of)
}

pub fn read_values<R: BufRead>(model: &Model, lines: &mut Lines<R>) -> Result<Vec<Vec<f64>>, Unreadable> {
    lines.word("values")?;
    let mut of_principal = || (0..model.n_states()).map(|_| lines.take(double, "a double")).collect();
    (0..model.n()).map(|_| of_principal()).collect()
}

fn interval(x: &Fraction) -> Result<Interval, Stop> {
    Interval::of(x).map_or_else(|| beyond("model"), Ok)
}

/// x^t in doubles. The powers of 0 are 1, 0, 0, ….
fn power(x: &Enclosure, t: u128) -> Result<Interval, Stop> {
    Interval::around(&PRECISION.power(x, t)).map_or_else(|| beyond("model"), Ok)
}

/// 1/(1−λ).
fn lifetime(discount: &Fraction) -> Fraction {
    Fraction::one().over(&Fraction::one().minus(discount))
}

fn beyond<T>(place: &str) -> Result<T, Stop> {
    refuse(format!("{place}: a number overflows a double; every result must be finite"))
}

impl<'m> Checker<'m> {
    /// In a segment, with nothing known of L and U.
    fn start(model: &'m Model, work: Work, values: Vec<Vec<f64>>) -> Result<Checker<'m>, Stop> {
        let ratio = |discount: &Fraction| PRECISION.fraction(&discount.over(&model.discounts[0]));
        Ok(Checker {
            model,
            work,
            discount: PRECISION.fraction(&model.discounts[0]),
            ratios: if model.n() == 1 { Vec::new() } else { model.discounts[1..].iter().map(ratio).collect() },
            discounts: model.discounts.iter().map(interval).collect::<Result<_, _>>()?,
            numbers: model.numbers.iter().map(interval).collect::<Result<_, _>>()?,
            values,
            advantages: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
        })
    }

    /// Goes back from `present` to the first step of the segment.
    fn sections<R: BufRead>(
        &mut self,
        lines: &mut Lines<R>,
        mut present: u128,
        decisions: &mut [usize],
    ) -> Result<(), Stop> {
        let model = self.model;
        while present > model.from - model.origin {
            let until = present;
            let before = |word: &str| earlier(model, word, until);
            match lines.line().split(' ').next() {
                Some("layers") => {
                    present = lines.entry("layers", before, "an earlier step")?;
                    layers(model, lines, (present, until), decisions, |t, decisions| self.layer(t, decisions))?;
                }
                Some("stage") => {
                    let granted = |word: &str| double(word).filter(|&granted| granted >= 0.0);
                    let both = |rest: &str| pair(rest).and_then(|(from, each)| Some((before(from)?, granted(each)?)));
                    let (from, each) =
                        lines.entry("stage", both, "an earlier step and a double that is not negative")?;
                    self.stage((from, until), each, decisions)?;
                    present = from;
                }
                Some("values") => self.rebase(until, read_values(model, lines)?)?,
                _ => return Err(lines.fault("expected `layers`, `stage` or `values`").into()),
            }
        }
        Ok(())
    }

    /// L and U at the end of the segment before, over its values. Returns that step, counted from that segment's origin.
    fn enter(&mut self, before: &'m Model, values: Vec<Vec<f64>>) -> Result<u128, Stop> {
        let model = self.model;
        let t = model.from - model.origin;
        let u = model.from - before.origin;
        let (discount, other) = (&model.discounts[0], &before.discounts[0]);
        let weights = self.weights(t)?;
        self.work.spend(digits(t) + digits(u), 64)?;
        let unit = if discount.compare(other).is_eq() && t == u {
            Interval::point(1.0)
        } else {
            let inverse = PRECISION.fraction(&Fraction::one().over(other).in_lowest_terms());
            let unit = PRECISION.scale(&PRECISION.power(&self.discount, t), &PRECISION.power(&inverse, u));
            Interval::around(&unit).map_or_else(|| beyond("model"), Ok)?
        };
        let work = std::mem::replace(&mut self.work, Work::new(0));
        let old = std::mem::replace(self, Checker::start(before, work, values)?);
        let weights_before = self.weights(u)?;
        self.work.spend(((model.n() + before.n()) * model.n_states()) as u64, COST)?;
        for (state, (lo, hi)) in old.lower.into_iter().zip(old.upper).enumerate() {
            let terms =
                old.values.iter().zip(&weights).map(|(values, weight)| Interval::point(values[state]).times(*weight));
            let welfare = terms.fold(Interval { lo, hi }, Interval::plus).times(unit);
            let terms = self.values.iter().zip(&weights_before);
            let terms = terms.map(|(values, weight)| Interval::point(-values[state]).times(*weight));
            let found = terms.fold(welfare, Interval::plus);
            if !found.is_finite() {
                return beyond(&format!("segment at step {}, state {state}", model.from));
            }
            self.lower.push(found.lo);
            self.upper.push(found.hi);
        }
        self.find_advantages()?;
        Ok(u)
    }

    /// ρ_i^t.
    fn weights(&mut self, t: u128) -> Result<Vec<Interval>, Stop> {
        self.work.spend(self.model.n() as u64, 64 * digits(t))?;
        let others = self.ratios.iter().map(|ratio| power(ratio, t));
        [Ok(Interval::point(1.0))].into_iter().chain(others).collect()
    }

    /// λ_0^t.
    fn shrunk(&mut self, t: u128) -> Result<Interval, Stop> {
        self.work.spend(digits(t), 64)?;
        power(&self.discount, t)
    }

    fn find_advantages(&mut self) -> Result<(), Stop> {
        let model = self.model;
        self.work.spend((model.n() * (model.n_transitions() + model.n_choices())) as u64, COST)?;
        self.advantages.clear();
        for state in 0..model.n_states() {
            for choice in model.choices(state) {
                for i in 0..model.n() {
                    let values = &self.values[i];
                    let later = self.expected(choice, |target| values[target]).times(self.discounts[i]);
                    let now = self.numbers[model.rewards(choice)[i] as usize];
                    let advantage = later.plus(now).plus(Interval::point(-values[state]));
                    if !advantage.is_finite() {
                        return beyond(&format!("state {state}, choice {}", choice - model.choices(state).start));
                    }
                    self.advantages.push(advantage);
                }
            }
        }
        Ok(())
    }

    fn expected(&self, choice: usize, of: impl Fn(usize) -> f64) -> Interval {
        let (targets, probabilities) = self.model.row(choice);
        let term = |(&target, &p): (&u32, &u32)| Interval::point(of(target as usize)).times(self.numbers[p as usize]);
        targets.iter().zip(probabilities).map(term).sum::<Interval>()
    }

    /// Δ_i(c), most patient principal first.
    fn advantages(&self, choice: usize) -> &[Interval] {
        &self.advantages[choice * self.model.n()..(choice + 1) * self.model.n()]
    }

    /// Σ_{i≤k} ρ_i^t Δ_i(c) for every k.
    fn prefix_sums(&self, weights: &[Interval], choice: usize) -> impl Iterator<Item = Interval> {
        weights.iter().zip(self.advantages(choice)).scan(Interval::ZERO, |sum, (weight, advantage)| {
            *sum = sum.plus(advantage.times(*weight));
            Some(*sum)
        })
    }

    /// U_H and L_H.
    fn after_horizon(&mut self, horizon: u128, tail: &[usize]) -> Result<(), Stop> {
        let model = self.model;
        let weights = self.weights(horizon)?;
        self.work.spend((model.n() * model.n_choices()) as u64, COST)?;
        let (mut gain, mut loss) = (vec![0.0; model.n()], vec![0.0; model.n()]);
        for choice in 0..model.n_choices() {
            for (k, sum) in self.prefix_sums(&weights, choice).enumerate() {
                gain[k] = f64::max(gain[k], sum.hi);
            }
        }
        for &choice in tail {
            for (k, sum) in self.prefix_sums(&weights, choice).enumerate() {
                loss[k] = f64::max(loss[k], -sum.lo);
            }
        }
        let factor = |k: usize| match model.discounts.get(k + 1) {
            Some(next) => interval(&lifetime(&model.discounts[k]).minus(&lifetime(next))),
            None => interval(&lifetime(&model.discounts[k])),
        };
        let factors = (0..model.n()).map(factor).collect::<Result<Vec<_>, _>>()?;
        let total = |bounds: &[f64]| {
            let terms = factors.iter().zip(bounds).map(|(factor, &bound)| Interval::point(bound).times(*factor));
            terms.sum::<Interval>().hi
        };
        self.set_everywhere(
            Interval { lo: -total(&loss), hi: total(&gain) },
            &format!("horizon {}", horizon + model.origin),
        )
    }

    /// U_t and L_t from those of the step after.
    fn layer(&mut self, t: u128, decisions: &[usize]) -> Result<(), Stop> {
        let model = self.model;
        let weights = self.weights(t)?;
        self.work.spend((2 * model.n_transitions() + model.n() * model.n_choices()) as u64, COST)?;
        let worth = |choice: usize, bound: &[f64]| {
            let now = self.prefix_sums(&weights, choice).last().unwrap_or(Interval::ZERO);
            now.plus(self.expected(choice, |target| bound[target]).times(self.discounts[0]))
        };
        let mut next = Vec::with_capacity(model.n_states());
        for (state, &decision) in decisions.iter().enumerate() {
            let lower = worth(decision, &self.lower).lo;
            let mut upper = f64::NEG_INFINITY;
            for choice in model.choices(state) {
                let worth = worth(choice, &self.upper).hi;
                if ![worth, lower].iter().all(|bound| bound.is_finite()) {
                    return beyond(&format!("step {}, state {state}", t + model.origin));
                }
                upper = upper.max(worth);
            }
            next.push((lower, upper));
        }
        (self.lower, self.upper) = next.into_iter().unzip();
        Ok(())
    }

    /// U and L over other values.
    fn rebase(&mut self, t: u128, values: Vec<Vec<f64>>) -> Result<(), Stop> {
        let weights = self.weights(t)?;
        self.work.spend((self.model.n() * self.model.n_states()) as u64, COST)?;
        for (state, (lower, upper)) in self.lower.iter_mut().zip(&mut self.upper).enumerate() {
            let mut bounds = Interval { lo: *lower, hi: *upper };
            for (i, weight) in weights.iter().enumerate() {
                let ahead = Interval::point(self.values[i][state]).plus(Interval::point(-values[i][state]));
                bounds = bounds.plus(ahead.times(*weight));
            }
            if !bounds.is_finite() {
                return beyond(&format!("values at step {}, state {state}", t + self.model.origin));
            }
            (*lower, *upper) = (bounds.lo, bounds.hi);
        }
        self.values = values;
        self.find_advantages()
    }

    /// U and L at the beginning of a stage, for which `each` is F.
    fn stage(&mut self, (from, until): (u128, u128), each: f64, decisions: &[usize]) -> Result<(), Stop> {
        let model = self.model;
        let weights = self.weights(from)?;
        self.work.spend((model.n() * model.n_states()) as u64, COST)?;
        // E and E'.
        let drift = |size: fn(&Interval) -> f64| {
            let term = |(advantage, weight): (_, &Interval)| Interval::point(size(advantage).max(0.0)).times(*weight);
            let sum = |&choice: &usize| self.advantages(choice).iter().zip(&weights).map(term).sum::<Interval>().hi;
            decisions.iter().map(sum).fold(0.0, f64::max)
        };
        let (gain, loss) = (drift(|advantage| advantage.hi), drift(|advantage| -advantage.lo));
        let ends = |checker: &mut Self, u, v| Ok((checker.shrunk(u - from)?, checker.weights(u)?, checker.weights(v)?));
        stage::show(self, (model, decisions), (from, until), ends, |checker, (shrunk, first, last), (_, choice)| {
            checker.work.spend(model.n() as u64, COST)?;
            let weight = |i: usize, advantage: &Interval| if advantage.hi < 0.0 { last[i] } else { first[i] };
            let terms = checker.advantages(choice).iter().enumerate().map(|(i, x)| x.times(weight(i, x)));
            let most = terms.sum::<Interval>().hi;
            let more = Interval::point(most).plus(Interval::point(-gain)).times(*shrunk).hi;
            let passes = most <= gain || more <= each;
            Ok((!passes).then(|| format!("{most:e}, not ≤ {gain:e}, the rest {more:e}, not ≤ {each:e}")))
        })?;
        let shrunk = self.shrunk(until - from)?;
        let lifetime = interval(&lifetime(&model.discounts[0]))?;
        let [gain, loss] = [gain, loss].map(|drift| Interval::point(drift).times(lifetime).hi);
        let carried = |bound: f64, forever: f64| {
            Interval::point(bound).plus(Interval::point(-forever)).times(shrunk).plus(Interval::point(forever))
        };
        let given_away = Interval::point(each).times(Interval::point((until - from) as f64));
        let greatest = self.upper.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = self.lower.iter().copied().fold(f64::INFINITY, f64::min);
        let found = Interval { lo: carried(least, -loss).lo, hi: carried(greatest, gain).plus(given_away).hi };
        self.set_everywhere(found, &format!("stage {} to {}", from + model.origin, until + model.origin))
    }

    /// L and U, the same for all states.
    fn set_everywhere(&mut self, found: Interval, place: &str) -> Result<(), Stop> {
        if !found.is_finite() {
            return beyond(place);
        }
        self.lower = vec![found.lo; self.model.n_states()];
        self.upper = vec![found.hi; self.model.n_states()];
        Ok(())
    }

    /// The welfare at step 0. Returns that of the state `of`.
    fn welfare<R: BufRead>(&mut self, mut lines: Lines<R>, of: usize) -> Result<Option<Welfare>, Stop> {
        lines.word("welfare")?;
        let mut asked = None;
        for state in 0..self.model.n_states() {
            let (lower, upper) = between(&mut lines)?;
            let values = self.values.iter().map(|values| Interval::point(values[state]));
            let base = values.sum::<Interval>();
            let found =
                [base.plus(Interval::point(self.lower[state])).lo, base.plus(Interval::point(self.upper[state])).hi];
            if !found.iter().all(|found| found.is_finite()) {
                return beyond(&format!("welfare, state {state}"));
            }
            for (holds, side, found, stated) in [
                (lower <= found[0], "the strategy may earn less than the lower bound", found[0], lower),
                (found[1] <= upper, "somebody may earn more than the upper bound", found[1], upper),
            ] {
                if !holds {
                    return refuse(format!("welfare, state {state}: {side}; found {found:e}, stated {stated:e}"));
                }
            }
            if state == of {
                asked = Some(Welfare::Between(lower, upper));
            }
        }
        lines.end()?;
        Ok(asked)
    }
}
