//! The names of states in files of other tools: from a comment or a valuation, or else their numbers.

use crate::model::NameTable;
use std::collections::{HashMap, HashSet};

/// The most bytes that names may have together: those of larger models are numbers.
const MOST_BYTES: usize = 1 << 26;

/// The names of states that a file gives.
#[derive(Debug, Default)]
pub(super) struct StateNames {
    /// State and name, in the order of states.
    named: Vec<(usize, Box<str>)>,
    bytes: usize,
}

impl StateNames {
    /// Whether the state that was named last is this one.
    pub fn has(&self, state: usize) -> bool {
        self.named.last().is_some_and(|(last, _)| *last == state)
    }

    /// Whether no more names are taken.
    pub fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// Gives a state, which comes after those that have names, the name in a text. The brackets of a valuation are removed, and each
    /// `&` has exactly one blank on both sides.
    pub fn name(&mut self, state: usize, text: &str) {
        let trimmed = text.trim();
        let name = match trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(valuation) => valuation.split('&').map(in_one_line).collect::<Vec<_>>().join(AND),
            None => trimmed.to_owned(),
        };
        if name.is_empty() || self.is_full() {
            return;
        }
        self.bytes += name.len();
        self.named.push((state, name.into()));
    }

    /// The names of all states, each once: of two that are called the same, the second is `name#2`, unless the file calls another
    /// state that. A state without a name is called by its number.
    pub fn table(mut self, n_states: usize) -> NameTable {
        if self.named.is_empty() || self.is_full() {
            return NameTable::numbered(n_states);
        }
        self.fill_blanks();
        let given: HashSet<Box<str>> = self.named.iter().map(|(_, name)| name.clone()).collect();
        let mut table = NameTable::default();
        // The number that the next state of a name tries first.
        let mut repeated: HashMap<Box<str>, u32> = HashMap::new();
        let mut named = self.named.into_iter().peekable();
        for state in 0..n_states {
            let name = match named.next_if(|(next, _)| *next == state) {
                Some((_, name)) => name,
                None => state.to_string().into(),
            };
            if table.find(&name).is_none() {
                table.intern(&name);
                continue;
            }
            let next = repeated.entry(name.clone()).or_insert(2);
            let is_free = |name: &str| table.find(name).is_none() && !given.contains(name);
            let free = (*next..).map(|k| (k, format!("{name}#{k}"))).find(|(_, name)| is_free(name));
            let (k, free) = free.expect("there are more numbers than names");
            *next = k + 1;
            table.intern(&free);
        }
        table
    }

    /// Storm writes a Boolean variable as `!gold` where it is false and as nothing where it is true: `gold` is written there.
    fn fill_blanks(&mut self) {
        let mut variables: Vec<Option<Box<str>>> = Vec::new();
        for (_, name) in &self.named {
            for (k, field) in name.split(AND).enumerate() {
                if k == variables.len() {
                    variables.push(None);
                }
                if let (None, Some(variable)) = (&variables[k], field.strip_prefix('!')) {
                    variables[k] = Some(variable.into());
                }
            }
        }
        for (_, name) in &mut self.named {
            if name.contains(AND) && name.split(AND).any(str::is_empty) {
                let filled = |(field, variable)| match (field, variable) {
                    ("", Some(variable)) => variable,
                    (field, _) => field,
                };
                let fields = name.split(AND).zip(variables.iter().map(Option::as_deref)).map(filled);
                *name = fields.collect::<Vec<_>>().join(AND).into();
            }
        }
    }
}

/// What stands between the variables of a valuation.
const AND: &str = " & ";

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_unique_and_numbers_fill_the_gaps() {
        let mut names = StateNames::default();
        for (state, text) in
            [(0, "[x=0\t& y=1]"), (1, " 2 "), (3, "x=0 & y=1"), (4, ""), (5, "x=0 & y=1#2"), (6, "x=0 & y=1")]
        {
            names.name(state, text);
        }
        let table = names.table(8);
        let all: Vec<String> = table.iter().map(|name| name.into_owned()).collect();
        assert_eq!(all, ["x=0 & y=1", "2", "2#2", "x=0 & y=1#3", "4", "x=0 & y=1#2", "x=0 & y=1#4", "7"]);
        assert_eq!(StateNames::default().table(3), NameTable::numbered(3));
    }

    #[test]
    fn a_blank_is_a_variable_that_is_true() {
        let mut names = StateNames::default();
        for (state, text) in ["[!gold\t& !gem\t& x=1]", "[\t& !gem\t& x=1]", "[\t& \t& x=2]"].into_iter().enumerate() {
            names.name(state, text);
        }
        let table = names.table(3);
        let all: Vec<String> = table.iter().map(|name| name.into_owned()).collect();
        assert_eq!(all, ["!gold & !gem & x=1", "gold & !gem & x=1", "gold & gem & x=2"]);
    }

    #[test]
    fn many_states_of_one_name_take_no_time() {
        let mut names = StateNames::default();
        (0..200_000).for_each(|state| names.name(state, "x"));
        assert_eq!(names.table(200_000).get(199_999), "x#200000");
    }

    #[test]
    fn the_names_of_a_large_model_are_numbers() {
        let mut names = StateNames::default();
        let long = "x".repeat(1 << 20);
        (0..100).for_each(|state| names.name(state, &long));
        assert_eq!(names.table(100), NameTable::numbered(100));
    }
}
