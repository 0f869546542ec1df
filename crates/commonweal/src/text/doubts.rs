//! Time preferences that are read as they are written, but may not be meant: rates given as discounts, and the other way round.

use super::numbers::counted;
use super::shown_name;
use crate::model::{Preference, Principal, Schedule, discount_of};
use crate::number::{Rational, decimal_or_fraction, rate_text};

/// A preference that may not be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// Whether it is probably not meant.
    pub is_warning: bool,
    /// What is read, and what may be meant, in figures.
    pub text: String,
}

/// The most principals that are named one by one.
const NAMED: usize = 3;

/// What to say of preferences that may not be meant; `step` is what a step is called.
pub fn doubts(principals: &[Principal], step: &str) -> Vec<Doubt> {
    let warning = |text: String| Doubt { is_warning: true, text };
    let note = |text: String| Doubt { is_warning: false, text };
    let more = |doubted: usize| {
        let more = doubted.checked_sub(NAMED).filter(|&more| more > 0)?;
        let principals = counted(&more.into(), "more principal", "more principals");
        Some(note(format!("the same holds for {principals}")))
    };
    let mut doubts = Vec::new();
    if let Some(small) = all_small(principals) {
        let others: Vec<String> = small[1..].iter().take(NAMED).map(Small::named).collect();
        let left = small.len().saturating_sub(1 + NAMED);
        let left = if left > 0 { format!(" and {left} more") } else { String::new() };
        let others =
            if others.is_empty() { String::new() } else { format!(" The same holds for {}{left}.", others.join(", ")) };
        doubts.push(warning(format!("every discount is below 0.3. {}{others}", small[0].text(step))));
    } else {
        let doubted: Vec<(&Principal, &Rational)> =
            principals.iter().filter_map(|principal| Some((principal, rate_like(principal)?))).collect();
        doubts.extend(doubted.iter().take(NAMED).map(|(principal, discount)| {
            let name = shown_name(&principal.name);
            warning(format!("the discount of `{name}` may be a rate. {}", discount_or_rate(discount, step)))
        }));
        doubts.extend(more(doubted.len()));
    }
    let doubted: Vec<String> = principals.iter().filter_map(|principal| high_rate(principal, step)).collect();
    doubts.extend(doubted.iter().take(NAMED).cloned().map(note));
    doubts.extend(more(doubted.len()));
    let by_year = |principal: &&Principal| matches!(principal.preference(), Preference::Schedule(Schedule::GreenBook));
    if let Some(principal) = principals.iter().find(by_year).filter(|_| !["step", "year"].contains(&step)) {
        let name = shown_name(&principal.name);
        doubts.push(note(format!(
            "the Green Book's rates are by the year, and `{name}` counts them by the {step}: 3.5 % a {step} for 30 {step}s. `schedule: \
             {{0: RATE, …}}` states rates by the {step}"
        )));
    }
    doubts
}

/// A small discount, or the δ of a present bias.
struct Small<'a> {
    principal: &'a Principal,
    discount: &'a Rational,
    is_delta: bool,
}

impl Small<'_> {
    fn text(&self, step: &str) -> String {
        if !self.is_delta {
            return discount_or_rate(self.discount, step);
        }
        let (shown, rate) = (decimal_or_fraction(self.discount), rate_text(self.discount));
        let delta = decimal_or_fraction(&discount_of(self.discount));
        format!(
            "With the delta {shown} a reward counts {} of one a {} earlier. If a rate of {rate} was meant, write `delta: {delta}`.",
            percent(self.discount),
            shown_name(step)
        )
    }

    /// The discount 0.014 of `stern`, and the entry for the rate.
    fn named(&self) -> String {
        let (shown, rate) = (decimal_or_fraction(self.discount), rate_text(self.discount));
        let name = shown_name(&self.principal.name);
        if self.is_delta {
            let delta = decimal_or_fraction(&discount_of(self.discount));
            format!("the delta {shown} of `{name}` (`delta: {delta}`)")
        } else {
            format!("{shown} of `{name}` (`{{rate: {rate}}}`)")
        }
    }
}

/// All discounts, the greatest first, if every principal states one and all are so small that rates may be meant.
fn all_small(principals: &[Principal]) -> Option<Vec<Small<'_>>> {
    let few = Rational::from_quotient(3, 10);
    let of = |principal| -> Option<Small<'_>> {
        let principal: &Principal = principal;
        let (discount, is_delta) = match principal.preference() {
            Preference::Discount { discount, .. } => (discount, false),
            Preference::BetaDelta { delta, .. } => (delta, true),
            _ => return None,
        };
        (*discount < few).then_some(Small { principal, discount, is_delta })
    };
    let mut small: Vec<Small> = principals.iter().map(of).collect::<Option<_>>()?;
    // The sort is stable: the first of equal ones stays first.
    small.sort_by(|one, other| other.discount.cmp(one.discount));
    (!small.first()?.discount.is_zero()).then_some(small)
}

/// The discount of a principal, if it looks like a rate beside more patient principals: a decimal below 0.1. Fractions, such as
/// 1/12, are how discounts are written and rates are not; the paper's examples have discounts from 0.15 on.
fn rate_like(principal: &Principal) -> Option<&Rational> {
    let (small, digits) = (Rational::from_quotient(1, 10), Rational::from(100_000));
    stated_discount(principal)
        .filter(|discount| !discount.is_zero() && **discount < small && (*discount * &digits).is_whole())
}

fn stated_discount(principal: &Principal) -> Option<&Rational> {
    match principal.preference() {
        Preference::Discount { discount, .. } => Some(discount),
        _ => None,
    }
}

fn discount_or_rate(discount: &Rational, step: &str) -> String {
    let (shown, rate) = (decimal_or_fraction(discount), rate_text(discount));
    format!(
        "With the discount {shown} a reward one {} later counts {} of one now. If a rate was meant, write \
         `{{rate: {rate}}}`: then it counts {}.",
        shown_name(step),
        percent(discount),
        percent(&discount_of(discount))
    )
}

/// What to say of a rate of 50 % or more, which may be a discount factor.
fn high_rate(principal: &Principal, step: &str) -> Option<String> {
    let high = |rate: &&Rational| **rate >= Rational::from_quotient(1, 2) && **rate <= Rational::ONE;
    let (rate, whose, key) = match principal.preference() {
        Preference::Rate { rate, .. } => (Some(rate).filter(high)?, "the rate", "rate: "),
        Preference::Schedule(Schedule::Rates(rates)) => {
            // A schedule may end in a high rate, which almost ends it.
            let (_, rate) = rates.first().filter(|(_, rate)| high(&rate))?;
            (rate, "the first rate in the schedule", "")
        }
        Preference::Survey(rates) => (rates.iter().find(high)?, "a rate in the survey", ""),
        gamma @ Preference::Gamma { mean, .. } => return high_mean(principal, gamma, Some(mean).filter(high)?, step),
        _ => return None,
    };
    let (shown, step) = (rate_text(rate), shown_name(step));
    let read = percent(&discount_of(rate));
    let name = shown_name(&principal.name);
    let mut text = format!("{whose} of `{name}` is {shown}: a reward one {step} later counts {read} of one now.");
    text += &if rate.is_one() {
        format!(" If 1% was meant, write `{key}1%`: then it counts 99.0%.")
    } else {
        // A discount factor λ is the rate 1/λ − 1.
        let factor = decimal_or_fraction(rate);
        let as_factor = if key == "rate: " {
            format!("discount: {factor}")
        } else {
            rate_text(&(Rational::ONE / rate - Rational::ONE))
        };
        format!(" If a discount factor was meant, write `{as_factor}`: then it counts {}.", percent(rate))
    };
    Some(text)
}

/// The same of a mean of 50 % or more. Rates with a spread are compounded at every moment, so that no rate of one step says what they count.
fn high_mean(principal: &Principal, gamma: &Preference, mean: &Rational, step: &str) -> Option<String> {
    let (name, shown, step) = (shown_name(&principal.name), rate_text(mean), shown_name(step));
    let read = 100.0 * gamma.stated_weight(1)?;
    let text = format!("the mean rate of `{name}` is {shown}: a reward one {step} later counts {read:.1}% of one now.");
    Some(if mean.is_one() {
        format!("{text} If a mean of 1% was meant, write `mean: 1%`, and the sd in the same way.")
    } else {
        let factor = decimal_or_fraction(mean);
        format!(
            "{text} If a discount factor was meant, write `discount: {factor}` in place of `gamma`: then it counts {}.",
            percent(mean)
        )
    })
}

/// `98.6%`.
fn percent(share: &Rational) -> String {
    format!("{:.1}%", 100.0 * share.to_f64())
}
