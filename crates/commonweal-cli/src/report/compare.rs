//! `solve --compare`: the best strategy of each class in one table, and what simplicity costs.

use super::names::{has_costs, in_column as name_in_column, principal_in_column, shown};
use super::numbers::{at_most, ends, fraction_or_decimal, in_column, near_zero, signed};
use super::table::{WIDTH, in_blocks, table, width, wrapped};
use commonweal::limits::StopReason;
use commonweal::numbers::Enclosure;
use commonweal::questions::{Class, Compared, Comparison, Equilibrium};
use commonweal::structure::{Principal, Structure};
use commonweal::{Answer, Rational, Value};

/// The welfare, the cost and the payoffs of each class: in one table if it fits, in two otherwise.
pub fn report(model: &Structure, answer: &Answer, comparison: &Comparison) -> String {
    let is_fair = |one: &&Compared| matches!(one.class, Class::Fair(_));
    let (fair, compared): (Vec<&Compared>, Vec<&Compared>) = comparison.strategies.iter().partition(is_fair);
    let compared: &[Compared] = &compared.into_iter().cloned().collect::<Vec<_>>();
    let mut text = wrapped(&format!("\nThe price of simplicity, from {}", shown(&model.state_name(model.start()))), 2);
    if let Some(reason) = comparison.stopped {
        text += &wrapped(&format!("Stopped: {reason}. What is not known lies between the bounds shown."), 2);
    }
    let scale = answer.welfare(model.start()).enclosure.midpoint().abs();
    if let Some(with_payoffs) = with_payoffs(model, compared, scale) {
        text += &with_payoffs;
    } else {
        text += &classes(model, compared, scale, false);
        text += &format!("\n  Who gets what\n{}", who_gets_what(model, compared, scale));
    }
    for one in compared.iter().filter(|one| is_open(one, scale)) {
        let upper = at_most(one.upper.expect("an open class has an upper bound"));
        let name = class_name(model, one.class);
        // Of what was cut, the command that searches on.
        let further = match (one.stopped, one.class) {
            (Some(StopReason::Work), Class::Stationary) => ". The search was cut; `stationary` goes on",
            (Some(StopReason::Work), Class::Positional) => ". The search was cut; `positional` goes on",
            _ => "",
        };
        text += &wrapped(&format!("  {name}: the best found; none earns more than {upper}{further}"), 4);
    }
    if !fair.is_empty() {
        let place = shown(&model.state_name(model.start()));
        text += &wrapped(&format!("\nThe price of fairness, from {place}"), 2);
        let rows: Vec<Compared> = [&compared[0]].into_iter().chain(fair).cloned().collect();
        if let Some(with_payoffs) = with_payoffs(model, &rows, scale) {
            text += &with_payoffs;
        } else {
            text += &classes(model, &rows, scale, false);
            let name = |one: &Compared| match one.class {
                Class::Fair(rule) => rule.name(),
                _ => "counting",
            };
            let columns: Vec<(&str, &Compared)> = rows.iter().map(|one| (name(one), one)).collect();
            text += &format!("\n  Who gets what\n{}", by_principal(model, &columns, |_| None, scale));
        }
        text += "  (`fair --rule RULE` says which strategies these lotteries draw)\n";
    } else if has_costs(model) && model.n_principals() > 1 {
        text += &wrapped("\nThe price of fairness is left out: its rules are not compared with costs.", 2);
    }
    text + &commitment(model, comparison)
}

/// The value of commitment, and the equilibrium without it.
pub fn commitment(model: &Structure, comparison: &Comparison) -> String {
    let of = |class: Class| comparison.strategies.iter().find(|one| one.class == class);
    let (Some(plan), Some(replanned)) = (of(Class::Counting), of(Class::Replanned)) else { return String::new() };
    let uncommitted = of(Class::NoCommitment).unwrap_or(replanned);
    let worth = plan.welfare.minus(&uncommitted.welfare);
    if !uncommitted.is_known {
        let best = plan.upper.map_or(plan.welfare.enclosure, |upper| Enclosure::new(upper, upper));
        let most = at_most(Value::from(best).minus(&uncommitted.welfare).enclosure.upper());
        return wrapped(&format!("\nWhat commitment is worth is not known: at most {most}."), 2);
    }
    if worth.exact.as_ref().is_some_and(Rational::is_zero) {
        return wrapped("\nCommitment is worth nothing here.", 2);
    }
    let scale = plan.welfare.enclosure.midpoint().abs();
    let in_full = |value: &Value| value.exact.as_ref().map_or_else(|| signed(value), fraction_with_sign);
    let told = |value: &Value| near_zero(value, scale).unwrap_or_else(|| in_full(value));
    let own_worth = |(principal, (with, without)): (&Principal, (&Value, &Value))| {
        // More of a cost is not worth more.
        let more = if principal.is_cost() { " of costs" } else { "" };
        format!("{} {}{more}", shown(&principal.name), told(&with.minus(without)))
    };
    /// The most principals that are named.
    const NAMED: usize = 6;
    let each = model.principals().iter().zip(plan.payoffs.iter().zip(&uncommitted.payoffs));
    let mut each: Vec<String> = each.take(NAMED).map(own_worth).collect();
    if model.n_principals() > NAMED {
        each.push(format!("and {} more: see the table", model.n_principals() - NAMED));
    }
    let mut text = format!("\nWhat commitment is worth: {} ({}).", told(&worth), each.join(", "));
    text += match &comparison.equilibrium {
        Equilibrium::Pure(_) => " Without it, no later decision-maker would change the strategy \"no commitment\".",
        Equilibrium::Mixed { none_pure: true, .. } => {
            " Without it, \"no commitment\" randomises: any rule without randomisation would be changed by a later decision-maker."
        }
        Equilibrium::Mixed { none_pure: false, .. } => {
            " Without it, \"no commitment\" randomises: no rule without randomisation was found that no later decision-maker would change."
        }
        Equilibrium::NonePure => {
            " Against re-planning: without commitment, any rule without randomisation would be changed by a later decision-maker, \
             and no rule that randomises was found that would not be."
        }
        Equilibrium::NotFound => " Against re-planning: no rule was found that no later decision-maker would change.",
    };
    if let Equilibrium::Mixed { regret, .. } = &comparison.equilibrium {
        text += &format!(" A change of it gains at most {}.", at_most(*regret));
    }
    if model.principals().iter().any(|principal| principal.parts().is_none()) {
        text += &format!(
            " Each decision-maker counts {} from the day of the decision: schedules and terms begin anew.",
            shown(&model.about().steps())
        );
    }
    if model.principals().iter().any(|principal| principal.approximation().is_some()) {
        text += " That is so for the mixtures that approximate preferences.";
    }
    wrapped(&text, 2)
}

/// `+11/18`, as a decimal where the fraction is long.
fn fraction_with_sign(exact: &Rational) -> String {
    let text = fraction_or_decimal(exact);
    if *exact > Rational::ZERO { format!("+{text}") } else { text }
}

/// A row for each class with what each principal gets, if that fits.
fn with_payoffs(model: &Structure, compared: &[Compared], scale: f64) -> Option<String> {
    // Two spaces and a digit for each. A row for each of many principals, too, would take long only to be thrown away.
    const LEAST: usize = 3;
    let may_fit = LEAST * model.n_principals() <= WIDTH;
    may_fit.then(|| classes(model, compared, scale, true)).filter(|table| width(table) <= WIDTH)
}

/// A row for each class, the best of all first.
fn classes(model: &Structure, compared: &[Compared], scale: f64, payoffs: bool) -> String {
    let mut header = vec!["strategy".to_owned(), "welfare".to_owned(), "loses".to_owned()];
    if payoffs {
        header.extend(model.principals().iter().map(principal_in_column));
    }
    // Bounds on the best of all, if it is not known exactly.
    let first = &compared[0];
    let open = first.upper.map(|upper| Value::from(Enclosure::new(first.welfare.enclosure.lower(), upper)));
    let best = open.as_ref().unwrap_or(&first.welfare);
    let row = |one: &Compared| {
        let mut row = vec![class_name(model, one.class), shown_welfare(one, scale), cost(one, best, scale)];
        if payoffs {
            row.extend(one.payoffs.iter().map(|payoff| cell(payoff, scale)));
        }
        row
    };
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> = compared.iter().map(row).collect();
    if payoffs { table(&header, &rows) } else { in_blocks(&header, &rows, 1) }
}

/// What each principal gets under each class, and under the strategy that serves it alone.
fn who_gets_what(model: &Structure, compared: &[Compared], scale: f64) -> String {
    let of = |class: Class| compared.iter().find(|one| one.class == class);
    let columns = [
        ("counting", Class::Counting),
        ("stationary", Class::Stationary),
        ("positional", Class::Positional),
        ("long-term", Class::LongTerm),
    ];
    let uncommitted = [("re-planned", Class::Replanned), ("no commitment", Class::NoCommitment)];
    let known = |columns: &[(&'static str, Class)]| -> Vec<(&str, &Compared)> {
        columns.iter().filter_map(|&(name, class)| Some((name, of(class)?))).collect()
    };
    let own_best = |p: usize| of(Class::BestFor(p.into()));
    let mut text = by_principal(model, &known(&columns), own_best, scale);
    let uncommitted = known(&uncommitted);
    if !uncommitted.is_empty() {
        text += &by_principal(model, &uncommitted, |_| None, scale);
    }
    text + "  (payoffs under each own best: --csv FILE or --json)\n"
}

/// A row for each principal, with its payoff under each of some strategies, and under the one that serves it alone if that is known.
fn by_principal<'c>(
    model: &Structure,
    columns: &[(&str, &Compared)],
    own_best: impl Fn(usize) -> Option<&'c Compared>,
    scale: f64,
) -> String {
    let mut header = vec!["principal"];
    header.extend(columns.iter().map(|(name, _)| *name));
    header.extend(own_best(0).map(|_| "own best"));
    let row = |p: usize| {
        let payoff = |one: &Compared| cell(&one.payoffs[p], scale);
        let mut row = vec![principal_in_column(&model.principals()[p])];
        row.extend(columns.iter().map(|(_, one)| payoff(one)));
        row.extend(own_best(p).map(payoff));
        row
    };
    let rows: Vec<Vec<String>> = (0..model.n_principals()).map(row).collect();
    in_blocks(&header, &rows, 1)
}

fn cell(value: &Value, scale: f64) -> String {
    near_zero(value, scale).unwrap_or_else(|| in_column(value))
}

/// What the strategy earns, or at least.
pub fn shown_welfare(one: &Compared, scale: f64) -> String {
    if is_open(one, scale) {
        let [least, _] = ends(one.welfare.enclosure.lower(), f64::INFINITY);
        format!("≥ {least}")
    } else {
        cell(&one.welfare, scale)
    }
}

/// Whether the class may hold a strategy that is noticeably better: one whose welfare would be shown in other digits. Where a search was
/// cut, its bounds are shown however near they are.
fn is_open(one: &Compared, scale: f64) -> bool {
    let shown = |end: f64| cell(&Value::from(Enclosure::new(end, end)), scale);
    let differs = |upper: f64| {
        let lower = one.welfare.enclosure.lower();
        if one.stopped.is_some() { upper > lower } else { shown(upper) != shown(lower) }
    };
    one.upper.is_some_and(differs)
}

pub fn class_name(model: &Structure, class: Class) -> String {
    match class {
        Class::Counting => "best of all (counting)".to_owned(),
        Class::Stationary => "best stationary".to_owned(),
        Class::Positional => "best positional".to_owned(),
        Class::LongTerm => "long-term".to_owned(),
        Class::Replanned => format!("re-planned every {}", shown(model.about().step())),
        Class::NoCommitment => "no commitment".to_owned(),
        Class::BestFor(p) => format!("best for {}", name_in_column(&model.principals()[p.index()].name)),
        Class::Fair(rule) => format!("fair: {}", rule.name()),
    }
}

/// What is lost against the best of all.
pub fn cost(one: &Compared, best: &Value, scale: f64) -> String {
    if one.class == Class::Counting {
        return String::new();
    }
    let mut lost = best.minus(&one.welfare);
    if lost.exact.is_none() && lost.enclosure.lower() < 0.0 && lost.enclosure.upper() > 0.0 {
        // No strategy earns more than the best.
        lost = Value::from(Enclosure::new(0.0, lost.enclosure.upper()));
    }
    if is_open(one, scale) {
        let [_, most] = ends(f64::NEG_INFINITY, lost.enclosure.upper());
        format!("≤ {most}")
    } else {
        cell(&lost, scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_shown_as_one_unless_all_its_digits_are_proven() {
        let stationary = |upper: f64| Compared {
            class: Class::Stationary,
            welfare: Value::from(Enclosure::new(13.67544467966324, 13.67544467966325)),
            upper: Some(upper),
            payoffs: Vec::new(),
            stopped: None,
            is_known: true,
        };
        assert_eq!(shown_welfare(&stationary(13.67544468), 14.0), "13.675445");
        assert!(shown_welfare(&stationary(13.67545178), 14.0).starts_with("≥ 13.67544"));
        let cut = Compared { stopped: Some(StopReason::Work), ..stationary(13.67544468) };
        assert_eq!(shown_welfare(&cut, 14.0), "≥ 13.6754446");
    }
}
