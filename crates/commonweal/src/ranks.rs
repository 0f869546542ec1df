//! A model that several ranks share, each with some of its states: what the certified engine asks of them.
//!
//! A rank is a process with memory of its own. It owns the states of whole [`BLOCK`]s, and their rows. A row may lead to a
//! state of another rank, a *ghost*. A vector of values that rows are read with therefore has room for ghosts: the rank's own
//! states first, then its ghosts, which [`Ranks::refresh`] fetches. All other vectors are about own states alone.
//!
//! What else crosses ranks is a maximum, a sum of integers, or numbers put in the order of the model. None of these depends on
//! where the model was cut, so that the same input gives the same bytes for any number of ranks. Every rank makes the same calls
//! in the same order, and none of them inside work that is shared between threads.

use crate::stop::{StopReason, StopSignal};

/// The states between two places where a model may be cut: whatever is done for some states one after the other, each
/// beginning with what is known of those before it, is done for a block.
pub const BLOCK: usize = 4096;

/// The ranks that share a model, as one of them sees them. By default there is but one, and nothing to do.
pub trait Ranks: Sync {
    /// How many states of other ranks the rows of this one lead to.
    fn n_ghosts(&self) -> usize {
        0
    }

    /// Fetches the values of the ghosts: `width` numbers a state, side by side, own states first.
    fn refresh(&self, _values: &mut [f64], _width: usize) {}

    /// The same for one step a state.
    fn refresh_steps(&self, _steps: &mut [u64]) {}

    /// Replaces each number by the greatest that any rank has in its place. None is NaN.
    fn greatest(&self, _numbers: &mut [f64]) {}

    /// The sum over all ranks.
    fn sum(&self, number: u64) -> u64 {
        number
    }

    /// The numbers of all ranks, in the order of the model.
    fn in_order(&self, numbers: Vec<f64>) -> Vec<f64> {
        numbers
    }

    /// The position among all states of one of the rank's own, or of a ghost.
    fn position(&self, state: usize) -> usize {
        state
    }

    /// Of several ranks, how many states' rows each may hold for what needs all of them at once; `None` of one, which has them
    /// anyway.
    fn most_together(&self) -> Option<u64> {
        None
    }

    /// Why all ranks stop now, if any of them is asked to.
    fn stop_reason(&self, stop: &StopSignal) -> Option<StopReason> {
        stop.reason()
    }

    /// Whether the state of the computation is kept now and then: a copy of it is worth its room only then.
    fn keeps(&self) -> bool {
        false
    }

    /// Begins a stage of the computation. If its state was kept, `load` puts it back. Returns whether it was.
    fn resume(&self, _stage: Resumable, _load: &mut dyn FnMut(&mut dyn Archive)) -> bool {
        false
    }

    /// Keeps the state of the stage that was begun last, which `save` hands over, if the moment asks for it.
    fn keep(&self, _stage: Resumable, _moment: Moment, _save: &mut dyn FnMut(&mut dyn Archive)) {}
}

/// A part of the computation that can be resumed: from the same state it goes on to the same result, on any number of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumable {
    /// The long-term strategy for all parts, and its values.
    LongTerm,
    /// Within that, the policy iteration for one of them.
    Optimum(usize),
    /// The walk from the horizon to the present.
    Walk,
}

/// When a state is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// One step further.
    Step,
    /// The ranks are asked to stop.
    Stop,
    /// The stage is done.
    Done,
}

/// The state of a stage on its way to a file or back. Who keeps it and who puts it back make the same calls in the same order:
/// what is handed in is written, or replaced by what was.
pub trait Archive {
    /// Numbers that are the same on all ranks.
    fn numbers(&mut self, numbers: &mut Vec<u64>);

    /// As many numbers for each own state as for any other, side by side.
    fn of_states(&mut self, numbers: &mut Vec<u64>);

    /// Records about own states, each in any number: the state, and two numbers. Those of one state keep their order.
    fn records(&mut self, records: &mut Vec<(u32, [u64; 2])>);
}

impl dyn Archive + '_ {
    /// Doubles that are the same on all ranks, in place.
    pub(crate) fn doubles(&mut self, doubles: &mut [f64]) {
        let mut words: Vec<u64> = doubles.iter().map(|double| double.to_bits()).collect();
        self.numbers(&mut words);
        doubles.iter_mut().zip(words).for_each(|(double, word)| *double = f64::from_bits(word));
    }

    /// Numbers that are the same on all ranks, in place.
    pub(crate) fn words(&mut self, words: &mut [&mut u64]) {
        let mut copied: Vec<u64> = words.iter().map(|word| **word).collect();
        self.numbers(&mut copied);
        words.iter_mut().zip(copied).for_each(|(word, new)| **word = new);
    }

    /// As many doubles for each own state, with room for ghosts: `n_own` states of `n_values`.
    pub(crate) fn values(&mut self, values: &mut Vec<f64>, n_own: usize, n_values: usize) {
        let width = values.len().checked_div(n_values).unwrap_or(0);
        let mut words: Vec<u64> = values[..n_own * width].iter().map(|value| value.to_bits()).collect();
        self.of_states(&mut words);
        let width = words.len().checked_div(n_own).unwrap_or(0);
        values.resize(n_values * width, 0.0);
        values.iter_mut().zip(words).for_each(|(value, word)| *value = f64::from_bits(word));
    }
}

/// The only rank: it owns all states.
#[derive(Debug, Clone, Copy)]
pub struct OneRank;

impl Ranks for OneRank {}

impl dyn Ranks + '_ {
    /// The greatest that any rank has.
    pub(crate) fn greatest_of(&self, number: f64) -> f64 {
        let mut number = [number];
        self.greatest(&mut number);
        number[0]
    }

    /// The sum of some numbers, chunk by chunk in the order of the model, given the sums of the rank's own chunks.
    pub(crate) fn sum_in_order(&self, of_chunks: Vec<f64>) -> f64 {
        self.in_order(of_chunks).iter().sum()
    }

    /// Stops all ranks if any of them is asked to.
    pub(crate) fn check(&self, stop: &StopSignal) -> Result<(), StopReason> {
        self.stop_reason(stop).map_or(Ok(()), Err)
    }
}
