//! One model at many discounts: solutions, and labels of their plays.

use super::{Play, Quantity};
use crate::answer::{Answer, Claim};
use crate::exact::solve;
use crate::model::{Mdp, ModelError, PrincipalId};
use crate::number::Rational;
use crate::parallel;
use crate::solve::Options;
use crate::stop::{Reached, StopSignal};
use crate::strategy::CountingStrategy;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which of the plays met so far, from 0 in the order in which they were met.
pub type PlayId = usize;
/// The play at a place; `None` where the solution was stopped at a limit.
pub type Label = Option<PlayId>;

/// A model some of whose discounts vary, and the plays met so far, in the order in which they were met.
pub(super) struct Survey<'m> {
    model: &'m Mdp,
    varied: Vec<(PrincipalId, Quantity)>,
    /// The options of each solve; the survey reports the progress of all of them.
    options: Options,
    stop: StopSignal,
    solved: AtomicU64,
    /// How many models the grid has.
    grid: u64,
    ids: HashMap<Play, PlayId>,
    plays: Vec<(Play, CountingStrategy)>,
}

impl<'m> Survey<'m> {
    /// The model with these quantities varying, to be solved at the points of a grid and between them.
    pub fn new(model: &'m Mdp, varied: Vec<(PrincipalId, Quantity)>, grid: u64, options: &Options) -> Survey<'m> {
        let stop = options.stop.clone();
        let options = Options { stop: stop.for_part(), ..options.clone() };
        let solved = AtomicU64::new(0);
        Survey { model, varied, options, stop, solved, grid, ids: HashMap::new(), plays: Vec::new() }
    }

    /// The model with these numbers, one for each that varies.
    pub fn model_at(&self, values: &[Rational]) -> Result<Mdp, ModelError> {
        let mut assigned = self.varied.iter().zip(values);
        assigned.try_fold(self.model.clone(), |model, (&(principal, quantity), value)| {
            let Some(preference) = quantity.preference(value.clone()) else {
                let mut weights: Vec<Rational> = model.principals().iter().map(|own| own.weight.clone()).collect();
                weights[principal.index()] = value.clone();
                return Ok(model.with_weights(&weights));
            };
            let own = model.principals()[principal.index()].preference();
            let preference = own.replaced_by(preference);
            model.with_preference(principal, preference)
        })
    }

    /// The solutions at these points, solved in parallel.
    ///
    /// # Panics
    /// If a discount lies outside [0, 1).
    pub fn solutions(&self, points: &[Vec<Rational>]) -> Vec<Answer> {
        parallel::map_each(points.len(), |at| self.solution(&points[at]))
    }

    fn solution(&self, point: &[Rational]) -> Answer {
        let solution = solve(&self.model_at(point).expect("a discount in [0, 1)"), &self.options);
        let solved = self.solved.fetch_add(1, Ordering::Relaxed) + 1;
        if self.stop.is_watched() {
            self.stop.reach(Reached::Surveying { solved, grid: self.grid });
        }
        solution
    }

    /// The label of a solution's play from the start state.
    pub fn label(&mut self, solution: &Answer) -> Label {
        self.label_of(play_of(self.model, solution))
    }

    /// The labels at these points, solved in parallel.
    ///
    /// # Panics
    /// If a discount lies outside [0, 1).
    pub fn labels(&mut self, points: &[Vec<Rational>]) -> Vec<Label> {
        let play = |at: usize| play_of(self.model, &self.solution(&points[at]));
        // Labels are given afterwards, in the order of the points: they do not depend on which solve ended first.
        let plays: Vec<_> = parallel::map_each(points.len(), play);
        plays.into_iter().map(|play| self.label_of(play)).collect()
    }

    fn label_of(&mut self, play: Option<(Play, CountingStrategy)>) -> Label {
        let (play, strategy) = play?;
        Some(*self.ids.entry(play.clone()).or_insert_with(|| {
            self.plays.push((play, strategy));
            self.plays.len() - 1
        }))
    }

    /// A strategy with that play.
    pub fn strategy(&self, id: PlayId) -> &CountingStrategy {
        &self.plays[id].1
    }

    /// The play of that label.
    pub fn play(&self, id: PlayId) -> &Play {
        &self.plays[id].0
    }

    /// The plays met.
    pub fn into_plays(self) -> Vec<Play> {
        self.plays.into_iter().map(|(play, _)| play).collect()
    }
}

fn play_of(model: &Mdp, solution: &Answer) -> Option<(Play, CountingStrategy)> {
    let known = !matches!(solution.claim(), Claim::Stopped(_));
    known.then(|| (Play::of(model, solution.strategy(), model.start()), solution.strategy().clone()))
}
