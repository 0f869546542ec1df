//! The colours of the series in the pictures: one for each, throughout a report. There are eight, so that series which no
//! picture has together, such as payoffs and times, share some.

/// Ours, in doubles with proven bounds.
pub const CERTIFIED: usize = 0;
/// The baseline: the paper's method, in Python.
pub const BASELINE: usize = 1;
/// Ours, in fractions.
pub const EXACT: usize = 2;
/// Ours in fractions, with every layer walked.
pub const EVERY_LAYER: usize = 3;
/// Layers down to the horizon.
pub const HORIZON: usize = 4;
/// Layers that were walked, where others are jumped over.
pub const WALKED: usize = 5;
/// The welfare of the hotel.
pub const WELFARE: usize = 0;
/// Alice's payoff.
pub const ALICE: usize = 1;
/// Bob's payoff.
pub const BOB: usize = 2;
/// The welfare of a stationary strategy.
pub const COIN: usize = 3;
/// Formulas as models in which both principals get the same.
pub const SAME_REWARDS: usize = 6;
/// Formulas as zero-sum models.
pub const ZERO_SUM: usize = 7;
/// Searches for positional strategies.
pub const BRANCH_AND_BOUND: usize = 6;
