//! Parallel loops: the only file that names rayon.
//!
//! The order of the results is fixed, whatever the number of threads: each piece of work has a number, and what the pieces
//! return is put together in that order. The size of a piece does not depend on the number of threads either.
//!
//! Everything but [`join`] and the like goes through [`each`], which takes the work as a trait object. So the code that
//! distributes work to threads is monomorphised once, not once for each kernel: it was a sixth of the library.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// Below this many items parallel execution costs more than it saves.
pub(crate) const WORTH_SHARING: usize = 512;

/// Items of a block.
const BLOCK: usize = 1024;

/// Does `work` for every number below `n`.
fn each(n: usize, work: &(dyn Fn(usize) + Sync)) {
    match n {
        0 => {}
        1 => work(0),
        _ => (0..n).into_par_iter().for_each(work),
    }
}

/// `of` every item, in order; each item is enough work for a task of its own. `of` also gets the item's number.
pub(crate) fn map_items<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    of: impl Fn(usize, T) -> R + Sync,
) -> Vec<R> {
    /// The input of a piece of work, then its result. Each slot has its own lock, which is never contended.
    enum Slot<T, R> {
        Open(T),
        Taken,
        Done(R),
    }
    let slots: Vec<Mutex<Slot<T, R>>> = items.into_iter().map(|item| Mutex::new(Slot::Open(item))).collect();
    each(slots.len(), &|index| {
        let mut slot = slots[index].lock().expect("each is locked once");
        if let Slot::Open(item) = std::mem::replace(&mut *slot, Slot::Taken) {
            *slot = Slot::Done(of(index, item));
        }
    });
    let done = |slot: Mutex<Slot<T, R>>| match slot.into_inner().expect("nobody panicked") {
        Slot::Done(result) => result,
        Slot::Open(_) | Slot::Taken => unreachable!("every item is worked on"),
    };
    slots.into_iter().map(done).collect()
}

/// Does `work` for every item; each item is enough work for a task of its own.
pub(crate) fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(usize, T) + Sync) {
    map_items(items, work);
}

/// `of` every index below `n`, in order; each index is enough work for a task of its own.
pub(crate) fn map_each<R: Send>(n: usize, of: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_items(0..n, |_, index| of(index))
}

/// `of` blocks of indices that cover all below `n`, in order.
pub(crate) fn map_blocks<R: Send>(n: usize, of: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    map_each(n.div_ceil(BLOCK), |block| of(block * BLOCK..((block + 1) * BLOCK).min(n)))
}

/// `of` every index below `n`, in order, in blocks: one index is too little work for a task.
pub(crate) fn map_many<T: Send>(n: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    joined(n, map_blocks(n, |block| block.map(&of).collect()))
}

/// `of` every index below `n`, in order, in small pieces; sequentially if there are few.
pub(crate) fn map<T: Send>(n: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if n < WORTH_SHARING {
        return (0..n).map(of).collect();
    }
    joined(n, map_items(pieces(n), |_, piece| piece.map(&of).collect()))
}

/// All items of `of` every index below `n`, in order.
pub(crate) fn flat_map<T: Send, I: Iterator<Item = T>>(n: usize, of: impl Fn(usize) -> I + Sync) -> Vec<T> {
    if n < WORTH_SHARING {
        return (0..n).flat_map(of).collect();
    }
    joined(n, map_items(pieces(n), |_, piece| piece.flat_map(&of).collect()))
}

/// Ranges of a few indices that cover all below `n`.
fn pieces(n: usize) -> impl Iterator<Item = Range<usize>> {
    const PIECE: usize = 16;
    (0..n).step_by(PIECE).map(move |first| first..(first + PIECE).min(n))
}

fn joined<T>(n: usize, mut parts: Vec<Vec<T>>) -> Vec<T> {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let mut all = Vec::with_capacity(n);
    parts.into_iter().for_each(|mut part| all.append(&mut part));
    all
}

/// Does `work` for every element of `elements` and its index.
pub(crate) fn update<T: Send>(elements: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    for_each(elements.chunks_mut(BLOCK), |block, elements| {
        elements.iter_mut().zip(block * BLOCK..).for_each(|(element, index)| work(index, element));
    });
}

/// The greatest of `of` every index below `n`; 0 at least.
pub(crate) fn greatest(n: usize, of: impl Fn(usize) -> f64 + Sync) -> f64 {
    map_blocks(n, |block| block.map(&of).fold(0.0, f64::max)).into_iter().fold(0.0, f64::max)
}

/// Both, in parallel.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(a, b)
}

/// Runs `work` inside the thread pool: entering the pool from outside at every layer would cost more than the layer.
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}

/// From now on, this thread and as many others as make up `threads` share the work; `None` is one for each core. This thread hands
/// out all work itself: for programs in which one thread alone may talk to others, as with MPI. Once, before any other work. It sets
/// the pool of the whole process, so it is for the program of `mpi/` alone; a library or a server calls [`on_threads`].
pub fn with_this_thread(threads: Option<usize>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).use_current_thread();
    pool.build_global().expect("no work was shared before");
}

/// Runs `work` on a pool of its own with this many threads; `None` and 0 are the pool that all calls share.
pub fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    /// As much as a program's first thread has.
    const STACK: usize = 8 << 20;
    let of = |n| rayon::ThreadPoolBuilder::new().num_threads(n).stack_size(STACK).build().ok();
    match threads.filter(|&n| n > 0).and_then(of) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
