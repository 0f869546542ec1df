//! Why a scheme ended without a solution.

/// Why a scheme failed. Only [`Stopped`](Obstacle::Stopped) reaches the caller; the others lead to another scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The caller asked to stop.
    Stopped,
    /// There are so few unknowns that fractions are faster.
    Few,
    /// The factors would have too many entries.
    TooDense,
    /// Modulo this prime a pivot is 0.
    ZeroPivot,
    /// The approximate inverse is too inaccurate to gain bits.
    TooFewBits,
    /// Sweeps converge too slowly.
    TooManySweeps,
    /// Full precision was reached and no fraction passed the check.
    Unverified,
}
