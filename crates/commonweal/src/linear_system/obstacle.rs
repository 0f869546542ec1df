//! Why one way of solving a system ended without the solution.

/// What a scheme met. Only [`Stopped`](Obstacle::Stopped) reaches the caller; the others lead to another scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The caller asked to stop.
    Stopped,
    /// The factors would have more entries than they are worth.
    TooDense,
    /// Modulo this prime a pivot is 0.
    ZeroPivot,
    /// The approximate inverse is too poor to gain bits with.
    TooFewBits,
    /// Sweeps converge too slowly.
    TooManySweeps,
    /// Full precision was reached and no fraction passed the check.
    Unverified,
}
