//! Gauss–Seidel sweeps: one value after the other solves its own row, given the newest values of all others.
//!
//! All in-place sweeps use this loop; they differ in their rows. Cost: one visit of every entry.

use super::sweep::Span;

/// What a sweep did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Swept {
    /// The span of the changes.
    pub changes: Span,
    /// The new values.
    pub values: Span,
}

impl Swept {
    /// Whether no value moved by more than `tolerance` times the largest of them.
    pub fn is_settled(self, tolerance: f64) -> bool {
        self.changes.magnitude() <= self.values.magnitude() * tolerance
    }
}

/// Goes through `rows`, each with the position of its value, and replaces that value by `solved` of the row.
#[inline(always)]
pub(crate) fn sweep_in_place<R>(
    rows: impl Iterator<Item = (usize, R)>,
    values: &mut [f64],
    solved: impl Fn(R, &[f64]) -> f64,
) -> Swept {
    let mut swept = Swept { changes: Span::EMPTY, values: Span::EMPTY };
    for (place, row) in rows {
        let value = solved(row, values);
        swept.changes = swept.changes.with(value - values[place]);
        swept.values = swept.values.with(value);
        values[place] = value;
    }
    swept
}
