//! One model at many discounts: solutions, and labels of their plays.

use super::{Play, Quantity};
use crate::answer::{Answer, Claim};
use crate::model::{Mdp, ModelError, PrincipalId};
use crate::number::Rational;
use crate::solve::{DEFAULT_GAP, Engine, Options, Picked};
use crate::stop::{Reached, StopReason, StopSignal};
use crate::strategy::CountingStrategy;
use crate::{certified, exact, parallel};
use std::collections::HashMap;
use std::sync::Arc;
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
    /// The work of all models solved, in about nanoseconds.
    work: Arc<AtomicU64>,
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
        let (solved, work) = (AtomicU64::new(0), Arc::default());
        Survey { model, varied, options, stop, solved, work, grid, ids: HashMap::new(), plays: Vec::new() }
    }

    /// The work of all models solved so far, in about nanoseconds: counted, so that it is the same for any number of threads.
    pub fn work(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.work)
    }

    /// The model as it is stated.
    pub fn model(&self) -> &Mdp {
        self.model
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

    /// The solutions at these points, solved in parallel. After a stop there are none but that of the first point, which has
    /// bounds: preparing a solve takes time too.
    ///
    /// # Panics
    /// If a discount lies outside [0, 1).
    pub fn solutions(&mut self, points: &[Vec<Rational>]) -> Vec<Option<(Answer, Label)>> {
        let is_solved = |at: usize| at == 0 || !self.is_stopped();
        // With its play at once: of a point that was solved before a stop everything is known.
        let solved = |at: usize| {
            let solution = self.solution(&points[at]);
            let play = play_of(self.model, &solution, &self.stop);
            (solution, play)
        };
        let found = parallel::map_each(points.len(), |at| is_solved(at).then(|| solved(at)));
        let mut labelled = |(solution, play)| (solution, self.label_of(play));
        found.into_iter().map(|found| found.map(&mut labelled)).collect()
    }

    /// The solution at one point.
    pub fn solution(&self, point: &[Rational]) -> Answer {
        let solution = self.solve(&self.model_at(point).expect("a discount in [0, 1)"));
        let solved = self.solved.fetch_add(1, Ordering::Relaxed) + 1;
        if self.stop.is_watched() {
            self.stop.reach(Reached::Surveying { solved, grid: self.grid });
        }
        solution
    }

    /// The answer of the engine that is asked for. If none is, that of the engine that suits the model, as in a solve, and where
    /// that takes long, that of the other one.
    fn solve(&self, model: &Mdp) -> Answer {
        /// Work, in about nanoseconds, of one model of many.
        const MOST: u64 = 500_000_000;
        /// What any takes.
        const LEAST: u64 = 100_000;
        let most = if self.options.engine == Engine::Auto { MOST } else { u64::MAX };
        let counted = |solve: &dyn Fn(&Options) -> Answer| {
            let options = Options { stop: self.options.stop.with_budget(most, most), ..self.options.clone() };
            let answer = solve(&options);
            self.work.fetch_add(options.stop.spent().max(LEAST), Ordering::Relaxed);
            answer
        };
        let in_doubles = |gap: f64| match model.to_doubles() {
            Ok(doubles) => counted(&|options| certified::solve(&doubles, gap, options)),
            Err(_) => counted(&|options| exact::solve(model, options)),
        };
        let in_fractions = || counted(&|options| exact::solve(model, options));
        let takes_long = |answer: &Answer| {
            let reason = answer.claim_for_mixtures();
            matches!(reason, Claim::Stopped(StopReason::Work | StopReason::Precision))
                && self.options.engine == Engine::Auto
        };
        let (answer, other): (Answer, &dyn Fn() -> Answer) = match self.options.engine.for_fractions(model) {
            Picked::Exact => (in_fractions(), &|| in_doubles(DEFAULT_GAP)),
            // The other half is for the approximation.
            Picked::Certified { gap } if model.margins().is_some() => (in_doubles(gap / 2.0), &in_fractions),
            Picked::Certified { gap } => (in_doubles(gap), &in_fractions),
        };
        if takes_long(&answer) { other() } else { answer }
    }

    /// Whether a signal stopped the survey.
    pub fn is_stopped(&self) -> bool {
        self.stop.reason().is_some()
    }

    /// What the long-term strategy of a solution, or the one that its tail follows, does from the start state on.
    pub fn long_term_play(&self, solution: &Answer) -> Option<Play> {
        let tail = self.model.states().map(|state| solution.strategy().tail(state));
        Play::unless_stopped(self.model, &CountingStrategy::positional(tail), self.model.start(), &self.stop)
    }

    /// The labels at these points, solved in parallel.
    ///
    /// # Panics
    /// If a discount lies outside [0, 1).
    pub fn labels(&mut self, points: &[Vec<Rational>]) -> Vec<Label> {
        // After a stop nothing more is known, and preparing a solve takes time too.
        let play = |at: usize| {
            if self.is_stopped() { None } else { play_of(self.model, &self.solution(&points[at]), &self.stop) }
        };
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

fn play_of(model: &Mdp, solution: &Answer, stop: &StopSignal) -> Option<(Play, CountingStrategy)> {
    if matches!(solution.claim(), Claim::Stopped(_)) {
        return None;
    }
    let play = Play::unless_stopped(model, solution.strategy(), model.start(), stop)?;
    Some((play, solution.strategy().clone()))
}
