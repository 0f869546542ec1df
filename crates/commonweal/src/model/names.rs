//! Names, each once, with look-up both ways.

use std::borrow::Cow;
use std::collections::HashMap;

/// Distinct names in a fixed order: a list, or consecutive numbers, such as `0`, `1`, …, which take no memory.
#[derive(Debug, Clone)]
pub struct NameTable(Names);

#[derive(Debug, Clone)]
enum Names {
    Listed { names: Vec<Box<str>>, position: HashMap<Box<str>, u32> },
    Numbered { first: usize, len: usize },
}

impl NameTable {
    /// The names `0`, `1`, …, up to but not including `len`.
    pub fn numbered(len: usize) -> NameTable {
        NameTable::numbered_from(0, len)
    }

    /// As many consecutive numbers, beginning with `first`.
    pub fn numbered_from(first: usize, len: usize) -> NameTable {
        NameTable(Names::Numbered { first, len })
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        match &self.0 {
            Names::Listed { names, .. } => names.len(),
            Names::Numbered { len, .. } => *len,
        }
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name at a position.
    pub fn get(&self, index: usize) -> Cow<'_, str> {
        match &self.0 {
            Names::Listed { names, .. } => Cow::Borrowed(&names[index]),
            Names::Numbered { first, len } => {
                assert!(index < *len, "one of the names");
                (first + index).to_string().into()
            }
        }
    }

    /// The position of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        match &self.0 {
            Names::Listed { position, .. } => position.get(name).map(|&index| index as usize),
            Names::Numbered { first, len } => {
                number(name).and_then(|number| number.checked_sub(*first)).filter(|index| index < len)
            }
        }
    }

    /// The position of a name, or of `#7`: the number that reports show in place of a name that is too long.
    pub fn find_or_numbered(&self, name: &str) -> Option<usize> {
        self.find(name).or_else(|| name.strip_prefix('#').and_then(number).filter(|&index| index < self.len()))
    }

    /// The position of a name, which is added at the end if it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        if let Some(index) = self.find(name) {
            return index;
        }
        if let Names::Numbered { first, len } = self.0 {
            let mut listed = NameTable::default();
            (first..first + len).for_each(|number| _ = listed.intern(&number.to_string()));
            *self = listed;
        }
        let Names::Listed { names, position } = &mut self.0 else { unreachable!("the names are listed by now") };
        let index = names.len();
        names.push(name.into());
        position.insert(name.into(), u32::try_from(index).expect("fewer than 2^32 names"));
        index
    }

    /// All names, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> + Clone {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// The number that a name writes in its usual form: digits alone, and no leading 0.
fn number(name: &str) -> Option<usize> {
    let usual = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    if usual { name.parse().ok() } else { None }
}

impl Default for NameTable {
    fn default() -> NameTable {
        NameTable(Names::Listed { names: Vec::new(), position: HashMap::new() })
    }
}

impl PartialEq for NameTable {
    fn eq(&self, other: &NameTable) -> bool {
        match (&self.0, &other.0) {
            (Names::Listed { names: ours, .. }, Names::Listed { names: theirs, .. }) => ours == theirs,
            (Names::Numbered { first, len }, Names::Numbered { first: others, len: n_others }) => {
                len == n_others && (first == others || *len == 0)
            }
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

impl Eq for NameTable {}

/// The candidate that `name` most likely misspells, if any is close: at most a third of its letters away.
pub fn nearest<C: AsRef<str>>(name: &str, candidates: impl IntoIterator<Item = C>) -> Option<C> {
    /// With more candidates, or for a longer name, there is no suggestion: it would take too long, and nobody could stop it.
    const MOST: usize = 10_000;
    const LONGEST: usize = 100;
    if name.len() > LONGEST {
        return None;
    }
    let allowed = name.chars().count().div_ceil(3);
    candidates
        .into_iter()
        .take(MOST)
        .filter(|candidate| candidate.as_ref().len().abs_diff(name.len()) <= 4 * allowed)
        .map(|candidate| (edit_distance(name, candidate.as_ref()), candidate))
        // A name that shares no letter is not meant.
        .filter(|(distance, candidate)| *distance <= allowed && *distance < longest(name, candidate.as_ref()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of letters of the longer text.
fn longest(a: &str, b: &str) -> usize {
    a.chars().count().max(b.chars().count())
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
    fn a_name_that_nobody_would_misspell_is_compared_with_nothing() {
        // Millions of letters against millions of letters would take hours.
        let long = "a".repeat(3_000_000);
        assert_eq!(nearest(&long, [long.as_str(); 3]), None);
        assert_eq!(nearest("alcie", ["alice", long.as_str()]), Some("alice"));
    }

    #[test]
    fn numbers_are_names_like_those_that_are_listed() {
        let numbered = NameTable::numbered(11);
        let mut listed = NameTable::default();
        (0..11).for_each(|index| assert_eq!(listed.intern(&index.to_string()), index));
        assert_eq!(numbered, listed);
        for name in ["0", "1", "10", "11", "", "00", "01", "+1", "-0", "1.0", "a", "\u{663}", "99999999999999999999"] {
            assert_eq!(numbered.find(name), listed.find(name), "{name}");
        }
        assert_eq!((numbered.len(), &*numbered.get(10)), (11, "10"));
        let (mut more, mut other) = (numbered.clone(), listed.clone());
        assert_eq!((more.intern("7"), more.intern("x"), more.intern("x")), (7, 11, 11));
        other.intern("x");
        assert_eq!(more, other);
        assert_ne!(more, numbered);
        assert_ne!(NameTable::numbered(12), listed);
    }

    #[test]
    fn a_slip_of_the_pen_finds_its_name() {
        assert_eq!(nearest("alcie", ["bob", "alice"]), Some("alice"));
        assert_eq!(nearest("S1", ["s1", "s10"]), Some("s1"));
        assert_eq!(nearest("q", ["x", "y"]), None);
        assert_eq!(nearest("X", ["x", "y"]), Some("x"));
        assert_eq!(nearest("carol", ["bob", "alice"]), None);
    }
}
