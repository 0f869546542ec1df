//! One model at many discounts: solutions, and labels of their plays.

use super::Play;
use crate::answer::{Answer, Claim};
use crate::exact::solve;
use crate::model::{Mdp, ModelError, PrincipalId};
use crate::number::Rational;
use crate::solve::Options;
use crate::strategy::CountingStrategy;
use rayon::prelude::*;
use std::collections::HashMap;

/// Which of the plays met so far.
pub type Label = usize;
/// The label of a place whose solution was stopped at a limit.
pub const UNKNOWN: Label = Label::MAX;

/// A model some of whose discounts vary, and the plays met so far, in the order in which they were met.
pub struct Survey<'m> {
    model: &'m Mdp,
    varied: Vec<PrincipalId>,
    options: Options,
    labels: HashMap<Play, Label>,
    plays: Vec<(Play, CountingStrategy)>,
}

impl<'m> Survey<'m> {
    /// The model with the discounts of these principals left open.
    pub fn new(model: &'m Mdp, varied: Vec<PrincipalId>, options: Options) -> Survey<'m> {
        Survey { model, varied, options, labels: HashMap::new(), plays: Vec::new() }
    }

    /// The model at these discounts, one for each varied principal.
    pub fn model_at(&self, discounts: &[Rational]) -> Result<Mdp, ModelError> {
        let mut assigned = self.varied.iter().zip(discounts);
        assigned.try_fold(self.model.clone(), |model, (&principal, discount)| {
            model.with_discount(principal, discount.clone())
        })
    }

    /// The solutions at these points, solved side by side.
    ///
    /// # Panics
    /// If a discount lies outside [0, 1).
    pub fn solutions(&self, points: &[Vec<Rational>]) -> Vec<Answer> {
        let solved = |point: &Vec<Rational>| solve(&self.model_at(point).expect("a discount in [0, 1)"), &self.options);
        points.par_iter().map(solved).collect()
    }

    /// The label of a solution's play from the start state.
    pub fn label(&mut self, solution: &Answer) -> Label {
        self.label_of(play_of(self.model, solution))
    }

    /// The labels at these points, solved side by side.
    ///
    /// # Panics
    /// If a discount lies outside [0, 1).
    pub fn labels(&mut self, points: &[Vec<Rational>]) -> Vec<Label> {
        let (model, options) = (self.model, &self.options);
        let play = |point: &Vec<Rational>| {
            play_of(model, &solve(&self.model_at(point).expect("a discount in [0, 1)"), options))
        };
        // Labels are given afterwards, in the order of the points: they do not depend on who was first.
        let plays: Vec<_> = points.par_iter().map(play).collect();
        plays.into_iter().map(|play| self.label_of(play)).collect()
    }

    fn label_of(&mut self, play: Option<(Play, CountingStrategy)>) -> Label {
        let Some((play, strategy)) = play else { return UNKNOWN };
        *self.labels.entry(play.clone()).or_insert_with(|| {
            self.plays.push((play, strategy));
            self.plays.len() - 1
        })
    }

    /// The play of a label.
    pub fn play(&self, label: Label) -> &Play {
        &self.plays[label].0
    }

    /// A strategy that plays as the label says.
    pub fn strategy(&self, label: Label) -> &CountingStrategy {
        &self.plays[label].1
    }

    /// The number of different plays met so far.
    pub fn n_plays(&self) -> usize {
        self.plays.len()
    }
}

fn play_of(model: &Mdp, solution: &Answer) -> Option<(Play, CountingStrategy)> {
    let known = !matches!(solution.claim(), Claim::Stopped(_));
    known.then(|| (Play::of(model, solution.strategy(), model.start()), solution.strategy().clone()))
}
