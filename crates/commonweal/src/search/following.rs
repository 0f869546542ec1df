//! A relaxation followed forwards from the start: its average mix in each state, and the regret of each choice.

use super::action_box::ActionBox;
use super::relaxation::{Layer, Relaxed, Relaxer};
use crate::stop::Pace;

/// The result of following the relaxation from the start.
#[derive(Debug)]
pub(super) struct Followed {
    /// The loss if the state takes the choice at every visit, all else as in the relaxation.
    pub regret: Vec<f64>,
    /// The average mix of each state over its visits, discounted.
    pub average: Vec<f64>,
    /// The discounted visits to each state.
    pub visits: Vec<f64>,
}

/// The number of steps followed even past the horizon, as long as they have weight.
const FOLLOWED: usize = 300;

impl Relaxer<'_> {
    /// Follows the relaxation from the start; stopped, as far as it has come.
    pub fn follow(&self, within: &ActionBox, relaxed: &Relaxed) -> Followed {
        const LEAST_WEIGHT: f64 = 1e-3;
        let model = self.model;
        let layer = Layer { relaxer: self, within, reach: &relaxed.reach, advantage: &relaxed.advantage };
        let mut followed = Followed {
            regret: vec![0.0; model.n_choices],
            average: vec![0.0; model.n_choices],
            visits: vec![0.0; model.n_states],
        };
        let (mut visited, mut next_visited) = (vec![0.0; model.n_states], vec![0.0; model.n_states]);
        visited[model.start.index()] = 1.0;
        let mut next = vec![0.0; model.n_states];
        let mut mix = vec![0.0; model.n_choices];
        let (mut worth, mut order) = (Vec::new(), Vec::new());
        let (mut pace, n_terms) = (Pace::of(&self.stop), layer.n_terms());
        for step in 0..self.most_layers.min(relaxed.horizon.max(FOLLOWED)) {
            let weights = self.powers(step);
            let is_past = step >= relaxed.horizon && (weights[0] < LEAST_WEIGHT || step > FOLLOWED);
            if is_past || pace.stops_after(n_terms) {
                break;
            }
            let weight: f64 = weights.iter().sum();
            relaxed.gains_into(step + 1, &mut next);
            next_visited.fill(0.0);
            for &state in &relaxed.reach {
                let mass = visited[state.index()];
                if mass == 0.0 {
                    continue;
                }
                let (choices, span) = (model.choices(state), model.span(state));
                layer.worths(state, weights, &next, &mut worth);
                if step < relaxed.horizon {
                    order.clear();
                    order.extend(choices.clone().filter(|&choice| within.allows(choice)));
                    order.sort_by(|&a, &b| worth[b.index() - span.start].total_cmp(&worth[a.index() - span.start]));
                    within.fill(span.clone(), &order, &mut mix);
                } else {
                    mix[span.clone()].copy_from_slice(&relaxed.mix[span.clone()]);
                }
                let earned: f64 = choices
                    .clone()
                    .zip(&worth)
                    .map(|(c, w)| if mix[c.index()] > 0.0 { mix[c.index()] * w } else { 0.0 })
                    .sum();
                followed.visits[state.index()] += mass * weight;
                for (choice, worth) in choices.zip(&worth) {
                    followed.regret[choice.index()] += mass * (earned - worth).max(0.0);
                    followed.average[choice.index()] += mass * weight * mix[choice.index()];
                    if mix[choice.index()] > 0.0 {
                        for (target, probability) in model.row(choice) {
                            next_visited[target.index()] += mass * mix[choice.index()] * probability;
                        }
                    }
                }
            }
            std::mem::swap(&mut visited, &mut next_visited);
        }
        for &state in &relaxed.reach {
            for choice in model.choices(state) {
                if followed.visits[state.index()] > 0.0 {
                    followed.average[choice.index()] /= followed.visits[state.index()]
                } else {
                    followed.average[choice.index()] = relaxed.mix[choice.index()]
                }
            }
        }
        followed
    }

    /// Per state, its contribution to the excess of the bound over the value of `mix`: along the visits under `mix`, the difference
    /// between the relaxation and the mix there.
    pub fn losses(&self, within: &ActionBox, relaxed: &Relaxed, mix: &[f64]) -> Vec<f64> {
        let model = self.model;
        let layer = Layer { relaxer: self, within, reach: &relaxed.reach, advantage: &relaxed.advantage };
        let mut losses = vec![0.0; model.n_states];
        let (mut visited, mut next_visited) = (vec![0.0; model.n_states], vec![0.0; model.n_states]);
        visited[model.start.index()] = 1.0;
        let mut next = vec![0.0; model.n_states];
        let mut worth = Vec::new();
        let (mut pace, n_terms) = (Pace::of(&self.stop), layer.n_terms());
        for step in 0..relaxed.horizon.max(FOLLOWED).min(self.most_layers) {
            if pace.stops_after(n_terms) {
                break;
            }
            relaxed.gains_into(step + 1, &mut next);
            next_visited.fill(0.0);
            for &state in &relaxed.reach {
                let mass = visited[state.index()];
                if mass == 0.0 {
                    continue;
                }
                layer.worths(state, self.powers(step), &next, &mut worth);
                let choices = model.choices(state);
                let best = within.best(model.span(state), &worth);
                let own: f64 = choices
                    .clone()
                    .zip(&worth)
                    .filter(|(c, _)| mix[c.index()] > 0.0)
                    .map(|(c, w)| mix[c.index()] * w)
                    .sum();
                losses[state.index()] += mass * (best - own).max(0.0);
                for choice in choices.filter(|&choice| mix[choice.index()] > 0.0) {
                    model.row(choice).for_each(|(t, p)| next_visited[t.index()] += mass * mix[choice.index()] * p);
                }
            }
            std::mem::swap(&mut visited, &mut next_visited);
        }
        losses
    }
}
