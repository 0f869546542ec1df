//! The known misprints of the paper.

/// The claims whose printed side is wrong; `docs/paper-map.md` proves each. A claim on this list that agrees is an error
/// in the list, and a test finds it.
pub const KNOWN: &[&str] = &[
    "hotel/mix",
    "hotel/mix-against-positional",
    "1/differences",
    "1/gain",
    "1/welfare",
    "2-drawn/v0",
    "2-drawn/v1",
    "2-drawn/welfare",
    "2-drawn/kappa",
    "2/discarded",
    "3/v1",
    "3/welfare",
    "4/kappa",
    "4/gain",
    "spacing/logarithm",
    "spacing/imbalance",
    "spacing/kappa-10",
    "spacing/kappa-1000",
    "sat/non-negative",
    "rq1/sizes",
    "rq2/index",
];
