//! Names as a terminal shows them.

use commonweal::structure::{Principal, StateId, Structure};
use commonweal::text::{is_long_name, name_within};
pub use commonweal::text::{name_in_column as in_column, shown_message as message, shown_name as shown};
use unicode_width::UnicodeWidthStr;

/// A state's name in a column. Of a long one that lists the values of variables, `col=0 & c1=2 & …`, those are left out that are
/// the same in the start state. A name that is still too long is cut and followed by the state's number, so that no two states
/// look the same.
pub fn state_in_column(model: &Structure, state: StateId) -> String {
    state_within(model, state, 40)
}

/// The same for a narrow column.
pub fn state_in_brief(model: &Structure, state: StateId) -> String {
    state_within(model, state, 24)
}

fn state_within(model: &Structure, state: StateId, widest: usize) -> String {
    let (name, start) = (model.state_name(state), model.state_name(model.start()));
    let (own, at_start): (Vec<&str>, Vec<&str>) = (name.split(" & ").collect(), start.split(" & ").collect());
    let is_list = own.len() > 1 && own.len() == at_start.len() && state != model.start();
    let (label, widest) = if is_list && is_long_name(&name) {
        let differ = own.iter().zip(&at_start).filter(|(own, at_start)| own != at_start).map(|(own, _)| *own);
        (format!("{AS_AT_START}{}", differ.collect::<Vec<_>>().join(" & ")), widest)
    } else {
        (name.into_owned(), 24)
    };
    let whole = name_within(&label, usize::MAX);
    if whole.width() <= widest {
        return whole;
    }
    let number = format!(" {NUMBER}{}", state.index());
    name_within(&label, widest.saturating_sub(number.width())) + &number
}

/// Whether a state's name in a column was cut, so that its number stands behind it.
pub fn is_numbered(label: &str) -> bool {
    let number = label.rsplit_once(NUMBER).filter(|(name, _)| name.contains('…'));
    number.is_some_and(|(_, number)| number.parse::<usize>().is_ok())
}

/// What precedes the number of a state in place of its name.
pub const NUMBER: char = '#';

/// The abbreviation for variables with the values of the start state.
pub const AS_AT_START: &str = "… & ";

/// A principal's name in a column, with a mark for a cost.
pub fn principal_in_column(principal: &Principal) -> String {
    in_column(&principal.name) + of_cost(principal)
}

/// A principal's name, with a mark for a cost.
pub fn principal_shown(principal: &Principal) -> String {
    shown(&principal.name) + of_cost(principal)
}

fn of_cost(principal: &Principal) -> &'static str {
    if principal.is_cost() { " (cost)" } else { "" }
}

/// What a principal's number is: `cost` of whom less is better.
pub fn what_it_gets(principal: &Principal) -> &'static str {
    if principal.is_cost() { "cost" } else { "payoff" }
}

/// Whether some principal's payoff is a cost.
pub fn has_costs(model: &Structure) -> bool {
    model.principals().iter().any(Principal::is_cost)
}
