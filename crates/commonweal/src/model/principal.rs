//! Principals: who has rewards, and how much each step counts for them.

use super::{Approximation, ModelError, Preference, PreferenceError};
use crate::number::{Natural, Rational, WideEnclosure};

/// One who has rewards and a time preference of their own.
///
/// The weights of steps are piecewise geometric: a list of [`Segment`]s, each a sum of powers. One segment with one part of
/// coefficient 1 is plain discounting, several parts are any mixture of it, several segments a schedule or a term of office.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name that the model gives them.
    pub name: String,
    /// The time preference as it is stated.
    preference: Preference,
    /// The error of the segments, if they are an approximation.
    approximation: Option<Approximation>,
    /// The first begins at step 0, each begins after the one before, and none only continues the one before.
    segments: Vec<Segment>,
    /// The weight of their payoff in the welfare (default 1). With 0 it is reported, not counted.
    pub weight: Rational,
}

/// A stretch of steps over which a time preference is a sum of powers: from step `from` until the next segment begins, step j
/// counts `Σ_k coefficient_k · discount_k^(j − from)`. The last segment holds for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The first step.
    pub from: u64,
    /// Distinct discounts, the greatest first. Without parts, the steps of the segment count nothing.
    pub parts: Vec<Part>,
}

/// A geometric part of a principal's time preference: `t` steps after its segment began it counts `coefficient · discount^t`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The weight at the segment's first step; never 0.
    pub coefficient: Rational,
    /// The discount factor λ, at least 0 and below 1.
    pub discount: Rational,
}

impl Segment {
    /// What step `from + steps` counts for.
    fn weight_after(&self, steps: u64) -> Rational {
        self.parts.iter().fold(Rational::ZERO, |sum, part| sum + part.coefficient_after(steps))
    }

    /// Whether `later`, which begins after this one, only continues this one.
    fn goes_on_as(&self, later: &Segment) -> bool {
        let steps = later.from - self.from;
        let lasting = self.parts.iter().filter(|part| !part.discount.is_zero());
        lasting.clone().count() == later.parts.len()
            && lasting.zip(&later.parts).all(|(own, its)| {
                own.discount == its.discount && is_power(&(&its.coefficient / &own.coefficient), &own.discount, steps)
            })
    }
}

impl Part {
    /// What it counts for `steps` after its segment began. The number is as long as the power.
    pub(crate) fn coefficient_after(&self, steps: u64) -> Rational {
        let exponent = isize::try_from(steps).expect("a power that fits in memory");
        &self.coefficient * self.discount.pow(exponent)
    }

    /// The same, enclosed in numbers of this many bits.
    pub(crate) fn enclosed_after(&self, steps: u64, bits: usize) -> WideEnclosure {
        let power = WideEnclosure::of(&self.discount, bits).power(&Natural::from(steps));
        power.times(&WideEnclosure::of(&self.coefficient, bits))
    }
}

/// Whether a number is the power of a discount. A number that is too short is rejected without computing the power.
fn is_power(number: &Rational, discount: &Rational, exponent: u64) -> bool {
    let least_bits = exponent.saturating_mul(discount.denominator_bits().saturating_sub(1) as u64);
    number.denominator_bits() as u64 >= least_bits
        && isize::try_from(exponent).is_ok_and(|exponent| *number == discount.pow(exponent))
}

impl Principal {
    /// A principal with one discount factor, whose payoff counts once.
    ///
    /// ```
    /// use commonweal::structure::Principal;
    /// let bob = Principal::new("bob", "1/3".parse()?)?;
    /// assert!(Principal::new("bob", "4/3".parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, discount: Rational) -> Result<Principal, ModelError> {
        let whole = Principal::with_parts(name, vec![Part { coefficient: Rational::ONE, discount: discount.clone() }])?;
        Ok(Principal { preference: Preference::discount(discount), ..whole })
    }

    /// A principal with this time preference, whose payoff counts once.
    ///
    /// ```
    /// use commonweal::preferences::Preference;
    /// use commonweal::structure::Principal;
    /// use commonweal::Rational;
    /// let fund = Principal::stating("fund", Preference::rate("0.25".parse()?))?;
    /// assert_eq!(fund.discount(), Some(&Rational::from_quotient(4, 5)));
    /// assert!(Principal::stating("fund", Preference::rate("3".parse()?)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stating(name: impl Into<String>, preference: Preference) -> Result<Principal, PreferenceError> {
        let (segments, approximation) = preference.resolve()?;
        let whole = Principal::with_segments(name, segments).map_err(|error| PreferenceError::of_segments(&error))?;
        Ok(Principal { preference, approximation, ..whole })
    }

    /// Principals called `p0`, `p1`, … with these discounts.
    pub(crate) fn numbered(discounts: &[Rational]) -> Result<Vec<Principal>, ModelError> {
        let principal = |(index, discount): (usize, &Rational)| Principal::new(format!("p{index}"), discount.clone());
        discounts.iter().enumerate().map(principal).collect()
    }

    /// A principal for whom step j counts as these parts say, added up.
    pub fn with_parts(name: impl Into<String>, parts: Vec<Part>) -> Result<Principal, ModelError> {
        Principal::with_segments(name, vec![Segment { from: 0, parts }])
    }

    /// A principal for whom steps count as these segments say, each from its first step until the next one begins.
    ///
    /// ```
    /// use commonweal::preferences::{Part, Segment};
    /// use commonweal::structure::Principal;
    /// use commonweal::Rational;
    /// let discount = |text: &str| text.parse::<Rational>().map(|discount| Part { coefficient: Rational::ONE, discount });
    /// // In office for four steps.
    /// let minister = Principal::with_segments(
    ///     "minister",
    ///     vec![Segment { from: 0, parts: vec![discount("9/10")?] }, Segment { from: 4, parts: vec![] }],
    /// )?;
    /// assert_eq!(minister.step_weight(2), "81/100".parse()?);
    /// assert_eq!(minister.step_weight(4), Rational::ZERO);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_segments(name: impl Into<String>, segments: Vec<Segment>) -> Result<Principal, ModelError> {
        let name = name.into();
        let in_order = segments.first().is_some_and(|first| first.from == 0)
            && segments.windows(2).all(|pair| pair[0].from < pair[1].from);
        if !in_order {
            return Err(ModelError::SegmentOrder { principal: name });
        }
        let mut canonical: Vec<Segment> = Vec::with_capacity(segments.len());
        for Segment { from, parts } in segments {
            let segment = Segment { from, parts: merged(&name, parts)? };
            // A segment that only continues the one before is merged with it.
            if !canonical.last().is_some_and(|before| before.goes_on_as(&segment)) {
                canonical.push(segment);
            }
        }
        if canonical.iter().all(|segment| segment.parts.is_empty()) {
            return Err(ModelError::NoParts { principal: name });
        }
        let preference = Preference::of_segments(&canonical);
        Ok(Principal { name, preference, approximation: None, segments: canonical, weight: Rational::ONE })
    }

    /// The same principal, whose payoff counts `weight` times in the welfare.
    pub fn weighted(self, weight: Rational) -> Principal {
        Principal { weight, ..self }
    }

    /// The time preference as it is stated.
    pub fn preference(&self) -> &Preference {
        &self.preference
    }

    /// The error of the segments; `None` if they are exact.
    pub fn approximation(&self) -> Option<&Approximation> {
        self.approximation.as_ref()
    }

    /// The same principal with the segments themselves as its preference, without their error.
    pub(crate) fn of_mixture(self) -> Principal {
        Principal { approximation: None, ..self }
    }

    /// The segments of the time preference; the first begins at step 0, the last holds for ever.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The segment that holds for ever. It says nothing of the steps before it: see [`segments`](Self::segments).
    pub fn last(&self) -> &Segment {
        self.segments.last().expect("at least one segment")
    }

    /// The segment that step `step` lies in.
    pub fn segment_at(&self, step: u64) -> &Segment {
        let after = self.segments.partition_point(|segment| segment.from <= step);
        &self.segments[after - 1]
    }

    /// What step `step` counts for, before the weight.
    pub fn step_weight(&self, step: u64) -> Rational {
        let segment = self.segment_at(step);
        segment.weight_after(step - segment.from)
    }

    /// The parts of the time preference, if it has one segment: distinct discounts, the greatest first. `None` if there are several
    /// segments, so that callers do not take the last one for the whole preference.
    pub fn parts(&self) -> Option<&[Part]> {
        match self.segments.as_slice() {
            [whole] => Some(&whole.parts),
            _ => None,
        }
    }

    /// The parts of a preference with one segment.
    ///
    /// # Panics
    /// If there are several segments; callers check this first.
    pub(crate) fn only_parts(&self) -> &[Part] {
        self.parts().unwrap_or_else(|| panic!("principal `{}` has several segments", self.name))
    }

    /// The discount factor, where the time preference is plain discounting.
    pub fn discount(&self) -> Option<&Rational> {
        match self.parts()? {
            [Part { coefficient, discount }] if coefficient.is_one() => Some(discount),
            _ => None,
        }
    }

    /// The greatest discount of the last segment; 0 if that segment has weight 0.
    pub fn patience(&self) -> &Rational {
        static NONE: Rational = Rational::ZERO;
        self.last().parts.first().map_or(&NONE, |part| &part.discount)
    }

    /// The same principal some steps later: its step j counts what step j + `steps` counts now; `None` if nothing does.
    pub(crate) fn later(&self, steps: u64) -> Option<Principal> {
        let ends = self.segments.iter().skip(1).map(|next| next.from).chain([u64::MAX]);
        let shifted = self.segments.iter().zip(ends).filter(|(_, end)| *end > steps).map(|(segment, _)| {
            let Segment { from, parts } = segment.clone();
            let passed = steps.saturating_sub(from);
            let after = |part: Part| Part { coefficient: part.coefficient_after(passed), ..part };
            Segment { from: from.saturating_sub(steps), parts: parts.into_iter().map(after).collect() }
        });
        let later = Principal::with_segments(self.name.clone(), shifted.collect());
        later.ok().map(|later| later.weighted(self.weight.clone()))
    }

    /// Whether the welfare counts the payoff with a negative weight: less of it is better.
    pub fn is_cost(&self) -> bool {
        self.weight < Rational::ZERO
    }

    /// The direction in which the welfare counts the payoff: −1 for a cost, 1 otherwise.
    pub fn direction(&self) -> Rational {
        if self.is_cost() { -Rational::ONE } else { Rational::ONE }
    }

    /// Whether no step from `step` on counts, which is not before the last segment.
    pub(crate) fn is_over_by(&self, step: u64) -> bool {
        self.last().parts.iter().all(|part| part.discount.is_zero() && step > self.last().from)
    }

    /// What the steps from `step` on count for, as if that were the first; it is not before the last segment.
    pub(crate) fn as_of(&self, step: u64) -> Principal {
        let last = self.last();
        let later = |part: &Part| Part {
            coefficient: part.coefficient_after(step - last.from),
            discount: part.discount.clone(),
        };
        let mut parts: Vec<Part> = last.parts.iter().map(later).filter(|part| !part.coefficient.is_zero()).collect();
        if parts.is_empty() {
            parts.push(Part { coefficient: Rational::ONE, discount: Rational::ZERO });
        }
        Principal { segments: vec![Segment { from: 0, parts }], ..self.clone() }
    }

    /// The same principal with another, single discount.
    pub(crate) fn discounting(&self, discount: Rational) -> Result<Principal, ModelError> {
        Ok(Principal::new(self.name.clone(), discount)?.weighted(self.weight.clone()))
    }

    /// The same principal with another time preference.
    pub(crate) fn preferring(&self, preference: Preference) -> Result<Principal, ModelError> {
        let other = Principal::stating(self.name.clone(), preference);
        let other = other.map_err(|error| ModelError::of_preference(&self.name, error))?;
        Ok(other.weighted(self.weight.clone()))
    }
}

fn check_discount(principal: &str, discount: &Rational) -> Result<(), ModelError> {
    if *discount >= Rational::ZERO && *discount < Rational::ONE {
        Ok(())
    } else {
        Err(ModelError::DiscountOutOfRange { principal: principal.to_owned(), discount: discount.clone() })
    }
}

/// The parts with equal discounts added up and the greatest first.
fn merged(principal: &str, parts: Vec<Part>) -> Result<Vec<Part>, ModelError> {
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        check_discount(principal, &part.discount)?;
        match merged.iter_mut().find(|other| other.discount == part.discount) {
            Some(other) => other.coefficient += part.coefficient,
            None => merged.push(part),
        }
    }
    merged.retain(|part| !part.coefficient.is_zero());
    merged.sort_by(|a, b| b.discount.cmp(&a.discount));
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn segment(from: u64, parts: &[(&str, &str)]) -> Segment {
        let part = |(c, discount): &(&str, &str)| Part { coefficient: number(c), discount: number(discount) };
        Segment { from, parts: parts.iter().map(part).collect() }
    }

    #[test]
    fn a_step_counts_as_its_segment_says() {
        let segments = vec![
            segment(0, &[("1", "1/2")]),
            segment(3, &[("1/3", "0"), ("2", "1/4")]),
            segment(5, &[]),
            segment(6, &[("-1", "9/10")]),
        ];
        let principal = Principal::with_segments("p", segments).unwrap();
        let weights: Vec<Rational> = (0..9).map(|step| principal.step_weight(step)).collect();
        assert_eq!(weights, ["1", "1/2", "1/4", "7/3", "1/2", "0", "-1", "-9/10", "-81/100"].map(number));
        assert_eq!(principal.last().from, 6);
        assert_eq!((principal.parts(), principal.discount()), (None, None));
        assert_eq!(*principal.patience(), number("9/10"));
    }

    #[test]
    fn segments_that_say_the_same_are_one() {
        let plain = Principal::new("p", number("1/2")).unwrap();
        let again = vec![segment(0, &[("1", "1/2")]), segment(3, &[("1/8", "1/2")]), segment(7, &[("1/128", "1/2")])];
        assert_eq!(Principal::with_segments("p", again).unwrap(), plain);
        // A discount of 0 is over after one step.
        let present = vec![segment(0, &[("1", "1/2"), ("3", "0")]), segment(2, &[("1/4", "1/2")])];
        let present = Principal::with_segments("p", present).unwrap();
        assert_eq!(present.segments(), [segment(0, &[("1", "1/2"), ("3", "0")])]);
        let over = vec![segment(0, &[("1", "1/2")]), segment(3, &[]), segment(4, &[("1", "1/5"), ("-1", "1/5")])];
        assert_eq!(Principal::with_segments("p", over).unwrap().segments().len(), 2);
        // The comparison does not compute a power with such a large exponent.
        let far = vec![segment(0, &[("1", "1/2")]), segment(u64::MAX, &[("1/8", "1/2")])];
        assert_eq!(Principal::with_segments("p", far).unwrap().segments().len(), 2);
    }

    #[test]
    fn segments_begin_at_0_and_come_in_order() {
        for wrong in [vec![], vec![1], vec![0, 0], vec![0, 5, 4]] {
            let segments = wrong.iter().map(|&from| segment(from, &[("1", "1/2")])).collect();
            let refused = Principal::with_segments("p", segments).unwrap_err();
            assert_eq!(refused, ModelError::SegmentOrder { principal: "p".into() }, "{wrong:?}");
        }
        let nothing = Principal::with_segments("p", vec![segment(0, &[]), segment(2, &[])]).unwrap_err();
        assert_eq!(nothing, ModelError::NoParts { principal: "p".into() });
    }
}
