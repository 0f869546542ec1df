//! Oracles that share no code with the solver, and the comparison of an answer with them.
//!
//! A model is read through its accessors into plain vectors of fractions from a second big-number library, so that
//! neither an algorithm nor an arithmetic fault can be on both sides of a comparison.
//!
//! - [`truncation`]: a finite-horizon dynamic programme with proven bounds on what comes after it. Knows nothing of
//!   long-term strategies or advantages, and bounds every strategy, also mixed and history-dependent ones.
//! - [`enumeration`]: every counting strategy of a tiny model, one by one. Does not even use Bellman's principle.
//! - [`reference`](mod@reference): the paper's algorithm word for word; the only one that pins down ties, horizon and memory.
//! - [`fixed`]: the same in fixed point, for horizons at which fractions grow too long.
//! - [`rough`]: a model in doubles, to preselect strategies before fractions decide.
//! - [`verdict`]: compares one answer with all of them.

pub mod answer;
pub mod enumeration;
pub mod evaluate;
pub mod fixed;
pub mod fraction;
pub mod plain;
pub mod random;
pub mod reference;
pub mod rough;
pub mod shrink;
pub mod stages;
pub mod timed;
pub mod truncation;
pub mod verdict;

pub use answer::{Answer, ask};
pub use fixed::Fixed;
pub use plain::{Plain, Q, q};
pub use reference::Reference;

/// Runs `check` on the models of these seeds. A failure is made as small as possible and shown as code.
pub fn on_random_models(seeds: std::ops::Range<u64>, check: impl FnMut(&Plain) -> Result<(), String>) {
    on_models(seeds, random::model, check);
}

/// The same on models of another making.
pub fn on_models(
    seeds: std::ops::Range<u64>,
    make: impl Fn(u64) -> Plain,
    mut check: impl FnMut(&Plain) -> Result<(), String>,
) {
    for seed in seeds {
        let plain = make(seed);
        if let Err(first) = guarded(&mut check, &plain) {
            let (smallest, complaint) = shrink::smallest(plain, |candidate| guarded(&mut check, candidate).err());
            panic!("seed {seed}: {first}\nsmallest model that fails: {smallest}\nwhere {complaint}");
        }
    }
}

/// A panic of the solver is a failure like any other, and worth shrinking.
fn guarded(check: &mut impl FnMut(&Plain) -> Result<(), String>, plain: &Plain) -> Result<(), String> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(plain)));
    caught.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panicked: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?")))
    })
}
