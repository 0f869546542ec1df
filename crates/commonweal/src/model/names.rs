//! Names, each once, with look-up both ways.

use std::collections::HashMap;

/// Distinct names in a fixed order.
#[derive(Debug, Clone, Default)]
pub struct NameTable {
    names: Vec<Box<str>>,
    position: HashMap<Box<str>, u32>,
}

impl NameTable {
    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name at a position.
    pub fn get(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// The position of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.position.get(name).map(|&index| index as usize)
    }

    /// The position of a name, which is added at the end if it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            let index = self.names.len();
            self.names.push(name.into());
            self.position.insert(name.into(), u32::try_from(index).expect("fewer than 2^32 names"));
            index
        })
    }

    /// All names, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.names.iter().map(|name| &**name)
    }
}

impl PartialEq for NameTable {
    fn eq(&self, other: &NameTable) -> bool {
        self.names == other.names
    }
}

impl Eq for NameTable {}

/// The candidate that `name` most likely misspells, if any is close: at most a third of its letters away.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Beyond this many candidates a suggestion is not worth its time.
    const MOST: usize = 10_000;
    let allowed = name.chars().count().div_ceil(3);
    candidates
        .into_iter()
        .take(MOST)
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 4 * allowed)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other, ignoring case.
fn edit_distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_its_name() {
        assert_eq!(nearest("alcie", ["bob", "alice"]), Some("alice"));
        assert_eq!(nearest("S1", ["s1", "s10"]), Some("s1"));
        assert_eq!(nearest("carol", ["bob", "alice"]), None);
    }
}
