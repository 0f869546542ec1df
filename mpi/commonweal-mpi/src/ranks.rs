//! The ranks of a job, as the engine sees them.

use crate::checkpoint::Checkpoints;
use commonweal::internals::model::OwnStates;
use commonweal::internals::ranks::{Archive, Moment, Ranks, Resumable};
use commonweal::internals::stop::{StopReason, StopSignal};
use petsc_shim::{Halo, Job};

/// One rank, with the states it owns.
pub struct MpiRanks<'a> {
    /// All ranks.
    pub job: &'a Job,
    /// Where ghosts come from.
    pub halo: &'a Halo<'a>,
    /// The own states.
    pub own: &'a OwnStates,
    /// Where the state of the computation is kept.
    pub checkpoints: &'a Checkpoints<'a>,
    /// How many states' rows a rank may hold for what needs all at once.
    pub most_together: u64,
}

impl Ranks for MpiRanks<'_> {
    fn n_ghosts(&self) -> usize {
        self.halo.n_ghosts()
    }

    fn refresh(&self, values: &mut [f64], width: usize) {
        self.halo.fetch(values, width);
    }

    fn refresh_steps(&self, steps: &mut [u64]) {
        self.halo.fetch_integers(steps);
    }

    fn greatest(&self, numbers: &mut [f64]) {
        self.job.greatest(numbers);
    }

    fn sum(&self, number: u64) -> u64 {
        self.job.sum(number)
    }

    fn in_order(&self, numbers: Vec<f64>) -> Vec<f64> {
        self.job.gather(&numbers)
    }

    fn position(&self, state: usize) -> usize {
        let OwnStates { range, ghosts, .. } = self.own;
        let n_own = (range.end - range.start) as usize;
        let position = if state < n_own { range.start + state as u64 } else { ghosts[state - n_own] };
        position as usize
    }

    fn most_together(&self) -> Option<u64> {
        // Also of one rank: it takes the same path as several. Of 4 million states with 5 successors each, half a gigabyte.
        Some(self.most_together)
    }

    fn keeps(&self) -> bool {
        self.checkpoints.are_kept()
    }

    fn resume(&self, stage: Resumable, load: &mut dyn FnMut(&mut dyn Archive)) -> bool {
        self.checkpoints.resume(stage, load)
    }

    fn keep(&self, stage: Resumable, moment: Moment, save: &mut dyn FnMut(&mut dyn Archive)) {
        self.checkpoints.keep(stage, moment, save);
    }

    fn stop_reason(&self, stop: &StopSignal) -> Option<StopReason> {
        const REASONS: [StopReason; 2] = [StopReason::TimeLimit, StopReason::Interrupted];
        let own = match stop.reason() {
            _ if self.job.is_asked_to_stop() => 2.0,
            Some(StopReason::Interrupted) => 2.0,
            Some(_) => 1.0,
            None => 0.0,
        };
        let mut most = [own];
        self.job.greatest(&mut most);
        (most[0] > 0.0).then(|| REASONS[most[0] as usize - 1])
    }
}
