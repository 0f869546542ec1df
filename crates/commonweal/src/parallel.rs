//! Work that is shared between threads: the only file that names the library which does it.
//!
//! The order of the results is fixed, whatever the number of threads. [`map`] and [`flat_map`] share where there is
//! enough to share; kernels, which know how much work an item is, use the iterators of [`prelude`] themselves. Sums of
//! doubles are never reduced by those, only maxima and counts: the former depend on the order.

use rayon::prelude::*;

/// The iterators that kernels share their work with.
pub(crate) mod prelude {
    pub(crate) use rayon::prelude::*;
}

/// Below this many items a hand-over to other threads costs more than it saves.
pub(crate) const WORTH_SHARING: usize = 512;

/// `of` every index below `n`, in order.
pub(crate) fn map<T: Send>(n: usize, of: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if n >= WORTH_SHARING { (0..n).into_par_iter().map(of).collect() } else { (0..n).map(of).collect() }
}

/// All items of `of` every index below `n`, in order.
pub(crate) fn flat_map<T: Send, I: Iterator<Item = T>>(n: usize, of: impl Fn(usize) -> I + Sync + Send) -> Vec<T> {
    if n >= WORTH_SHARING { (0..n).into_par_iter().flat_map_iter(of).collect() } else { (0..n).flat_map(of).collect() }
}

/// `of` every index below `n`, in order, where each alone is work enough for a thread.
pub(crate) fn map_each<T: Send>(n: usize, of: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..n).into_par_iter().map(of).collect()
}

/// Both, side by side.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(a, b)
}

/// `work` inside the pool of threads from the start: a hand-over from outside at every layer costs more than the layer.
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}

/// Runs `work` on a pool of its own with this many threads; `None` is the pool that all calls share.
pub fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    /// As much as a program's first thread has.
    const STACK: usize = 8 << 20;
    let pool = threads.and_then(|n| rayon::ThreadPoolBuilder::new().num_threads(n).stack_size(STACK).build().ok());
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
