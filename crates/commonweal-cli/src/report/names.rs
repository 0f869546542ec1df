//! Names as a terminal may show them.

pub use commonweal::internals::text::{name_in_column as in_column, shown_message as message, shown_name as shown};
