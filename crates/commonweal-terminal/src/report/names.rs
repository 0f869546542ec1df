//! Names as a terminal shows them.

use commonweal::structure::{Principal, Structure};
pub use commonweal::text::{
    AS_AT_START, is_numbered, name_in_column as in_column, shown_message as message, shown_name as shown,
    state_in_brief, state_in_column,
};

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
