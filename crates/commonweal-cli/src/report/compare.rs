//! `solve --compare`: the best strategy of each class side by side, and what simplicity costs.

use super::names::{in_column as name_in_column, shown};
use super::numbers::{at_least, at_most, in_column};
use super::table::{WIDTH, table, width};
use commonweal::internals::compare::{Class, Compared};
use commonweal::internals::model::Structure;
use commonweal::internals::number::Value;

/// The table: with everybody's payoffs if they fit the width.
pub fn report(model: &Structure, compared: &[Compared]) -> String {
    let start = shown(&model.state_name(model.start()));
    let with_payoffs = comparison(model, compared, true);
    let fits = width(&with_payoffs) <= WIDTH;
    let body = if fits { with_payoffs } else { comparison(model, compared, false) };
    let mut text = format!("\nThe price of simplicity, from {start}\n{body}");
    for one in compared.iter().filter(|one| is_open(one)) {
        let upper = at_most(one.upper.expect("an open class has an upper bound"));
        let name = class_name(model, one.class);
        text += &format!("  {name}: the best found; none earns more than {upper}\n");
    }
    if !fits {
        text += "  --json has what each principal gets\n";
    }
    text
}

fn comparison(model: &Structure, compared: &[Compared], payoffs: bool) -> String {
    let mut header = vec!["strategy".to_owned(), "welfare".to_owned(), "costs".to_owned()];
    if payoffs {
        header.extend(model.principals().iter().map(|principal| name_in_column(&principal.name)));
    }
    let best = &compared[0].welfare;
    let row = |one: &Compared| {
        let mut row = vec![class_name(model, one.class), shown_welfare(one), cost(one, best)];
        if payoffs {
            row.extend(one.payoffs.iter().map(in_column));
        }
        row
    };
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table(&header, &compared.iter().map(row).collect::<Vec<_>>())
}

/// What the strategy earns, or at least.
pub fn shown_welfare(one: &Compared) -> String {
    if is_open(one) { format!("≥ {}", at_least(one.welfare.enclosure.lower())) } else { in_column(&one.welfare) }
}

/// Whether the class may hold a strategy that is noticeably better.
fn is_open(one: &Compared) -> bool {
    let lower = one.welfare.enclosure.lower();
    // What is shown has about seven digits.
    one.upper.is_some_and(|upper| upper - lower > 1e-5 * lower.abs().max(upper.abs()))
}

pub fn class_name(model: &Structure, class: Class) -> String {
    match class {
        Class::Counting => "best of all (counting)".to_owned(),
        Class::Stationary => "best stationary".to_owned(),
        Class::Positional => "best positional".to_owned(),
        Class::LongTerm => "long-term".to_owned(),
        Class::BestFor(p) => format!("best for {}", name_in_column(&model.principals()[p.index()].name)),
    }
}

/// What is lost against the best of all.
pub fn cost(one: &Compared, best: &Value) -> String {
    if one.class == Class::Counting {
        return String::new();
    }
    let lost = best.minus(&one.welfare);
    if is_open(one) { format!("≤ {}", at_most(lost.enclosure.upper())) } else { in_column(&lost) }
}
