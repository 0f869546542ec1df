//! Lists of things, one per state or so, end to end in one array.

/// Many short lists: 4 bytes each, and their items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists<T> {
    first: Vec<u32>,
    items: Vec<T>,
}

const TOO_MANY: &str = "lists of states or choices hold less than 2^32 items";

impl<T> Lists<T> {
    /// No lists yet, and room for `n_lists`.
    pub fn with_capacity(n_lists: usize) -> Lists<T> {
        let mut first = Vec::with_capacity(n_lists + 1);
        first.push(0);
        Lists { first, items: Vec::with_capacity(n_lists) }
    }

    /// Lists that hold one item each.
    pub fn of_one_each(items: Vec<T>) -> Lists<T> {
        let n_lists = u32::try_from(items.len()).expect(TOO_MANY);
        Lists { first: (0..=n_lists).collect(), items }
    }

    /// Adds a list at the end.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        self.first.push(u32::try_from(self.items.len()).expect(TOO_MANY));
    }

    /// Adds all lists of `others` at the end.
    pub fn append(&mut self, mut others: Lists<T>) {
        let moved = self.items.len();
        self.items.append(&mut others.items);
        let _ = u32::try_from(self.items.len()).expect(TOO_MANY);
        self.first.extend(others.first[1..].iter().map(|&first| first + moved as u32));
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One list.
    pub fn get(&self, index: usize) -> &[T] {
        &self.items[self.first[index] as usize..self.first[index + 1] as usize]
    }

    /// All lists, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<T, L: IntoIterator<Item = T>> FromIterator<L> for Lists<T> {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Lists<T> {
        let lists = lists.into_iter();
        let mut all = Lists::with_capacity(lists.size_hint().0);
        lists.for_each(|list| all.push(list));
        all
    }
}
