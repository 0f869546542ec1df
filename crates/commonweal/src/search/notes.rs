//! The changes of a probe, layer by layer, so that only the gains that depend on them are computed anew.

use super::doubles::Doubles;
use crate::model::StateId;

/// What a probe has changed in the layer at hand and in the one after it.
#[derive(Debug)]
pub(super) struct Notes {
    layer: u64,
    /// Layer of the last change of each state, and the gain it then had.
    changed_at: Vec<(u64, f64)>,
    new: Vec<(StateId, f64)>,
    /// The states whose gain changed in the next layer.
    pub changed_next: Vec<StateId>,
    asked_at: Vec<u64>,
    /// The states to be computed anew in the layer at hand.
    pub asked: Vec<StateId>,
}

impl Notes {
    pub fn new(model: &Doubles) -> Notes {
        Notes {
            layer: 1,
            changed_at: vec![(0, 0.0); model.n_states],
            new: Vec::new(),
            changed_next: Vec::new(),
            asked_at: vec![0; model.n_states],
            asked: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.layer += 2;
        self.changed_next.clear();
    }

    pub fn begin_layer(&mut self) {
        self.asked.clear();
        self.new.clear();
    }

    /// Notes that a state is to be computed anew.
    pub fn ask(&mut self, state: StateId) {
        if std::mem::replace(&mut self.asked_at[state.index()], self.layer) != self.layer {
            self.asked.push(state);
        }
    }

    pub fn change(&mut self, state: StateId, gain: f64) {
        self.new.push((state, gain));
    }

    /// The changed gain of a state in the next layer.
    pub fn next(&self, state: StateId) -> Option<f64> {
        let (layer, gain) = self.changed_at[state.index()];
        (layer + 1 == self.layer).then_some(gain)
    }

    /// The layer at hand becomes the next one.
    pub fn end_layer(&mut self) {
        self.changed_next.clear();
        for &(state, gain) in &self.new {
            self.changed_at[state.index()] = (self.layer, gain);
            self.changed_next.push(state);
        }
        self.layer += 1;
    }
}
