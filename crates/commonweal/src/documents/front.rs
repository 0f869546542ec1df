//! `commonweal-front/1`: the Pareto front of the payoffs.

use super::fair::{all_decisions, fractions, payoffs};
use super::{Decision, Document, Double, Entries, Format, Number};
use crate::fair::front::{self, Vertex};
use crate::fair::hull::Hull;
use crate::model::{PrincipalId, Structure};
use crate::number::Enclosure;
use crate::stop::StopReason;
use serde::{Deserialize, Serialize};

/// The front: vertices, edges, and a repeating pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Front {
    format: Format<Front>,
    /// The start state.
    pub start: String,
    /// The principals of the front.
    pub principals: Vec<String>,
    /// Whether this is the whole front, exactly.
    pub complete: bool,
    /// For all weights that sum to 1, the front exceeds the vertices by at most this; not of a complete front of two principals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<Double>,
    /// `stopped`, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<super::Status>,
    /// Why it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// From the first principal's best to the last one's, for two principals.
    pub vertices: Vec<Corner>,
    /// The edges between them.
    pub edges: Vec<Edge>,
    /// The pattern that repeats for ever between the last two vertices, or the first two, if there is one.
    pub pattern: Option<Pattern>,
    /// The number of solves.
    pub questions: u64,
}

/// A vertex of the front.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Corner {
    /// What each principal gets.
    pub payoffs: Entries<Number>,
    /// Weights for which it is optimal.
    pub weights: Entries<String>,
    /// What the strategy does in each state.
    pub decisions: Entries<Vec<Decision>>,
}

/// An edge of the front.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The vertex where it begins.
    pub from: usize,
    /// The vertex where it ends.
    pub to: usize,
    /// Weights for which all of it is equally good.
    pub weights: Entries<String>,
    /// Whether it is proven that nothing lies beyond it; otherwise the front exceeds it by less than the gap.
    pub proven: bool,
}

/// How a front with infinitely many vertices continues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// The index of the first edge that repeats.
    pub first_edge: usize,
    /// The number of edges that repeat.
    pub edges: usize,
    /// The principal whose weight shrinks relative to the other's.
    pub principal: String,
    /// The factor of that weight from one repetition to the next.
    pub ratio: String,
    /// The factor of an edge's extent in each payoff, if it is constant.
    pub factors: Option<Entries<String>>,
    /// Weights for which the first vertex that is not listed is the best. Of the further ones: the principal's weight times `ratio`, each time.
    pub next: Entries<String>,
    /// The limit vertex of the repetitions.
    pub towards: usize,
}

impl Document for Front {
    const FORMAT: &'static str = "commonweal-front/1";

    fn leave_fractions_out(&mut self) {
        self.vertices.iter_mut().for_each(|vertex| vertex.payoffs.leave_fractions_out());
    }
}

impl Front {
    /// The document of the front of two principals.
    pub fn new(model: &Structure, front: &front::Front) -> Front {
        let name = |p: crate::model::PrincipalId| model.principals()[p.index()].name.clone();
        let edge = |edge: &front::Edge| Edge {
            from: edge.between[0],
            to: edge.between[1],
            weights: fractions(model, &edge.weights),
            proven: edge.proven,
        };
        let pattern = |pattern: &front::Pattern| Pattern {
            first_edge: pattern.first_edge,
            edges: pattern.n_edges,
            principal: name(pattern.patient),
            ratio: pattern.ratio.to_string(),
            factors: pattern.factors.as_ref().map(|factors| {
                let each = front.principals.iter().zip(factors);
                each.map(|(p, factor)| (name(*p), factor.to_string())).collect()
            }),
            next: fractions(model, &pattern.next),
            towards: front.limit().expect("a front with a pattern has a limit"),
        };
        Front {
            principals: front.principals.map(name).to_vec(),
            complete: front.complete,
            gap: (!front.complete && !front.vertices.is_empty()).then(|| Double(Enclosure::from(&front.gap).upper())),
            vertices: front.vertices.iter().map(|vertex| Corner::new(model, vertex)).collect(),
            edges: front.edges.iter().map(edge).collect(),
            pattern: front.pattern.as_ref().map(pattern),
            questions: front.calls,
            ..Front::empty(model, front.stopped)
        }
    }

    /// The document of the front of three and more principals.
    pub fn of_hull(model: &Structure, hull: &Hull) -> Front {
        let is_approximated = model.principals().iter().any(|principal| principal.approximation().is_some());
        Front {
            principals: model.principals().iter().map(|principal| principal.name.clone()).collect(),
            complete: hull.stopped.is_none() && hull.gap.is_zero() && !is_approximated,
            // Without a vertex there is nothing that the front exceeds.
            gap: (!hull.vertices.is_empty()).then(|| Double(Enclosure::from(&hull.gap).upper())),
            vertices: hull.vertices.iter().map(|vertex| Corner::new(model, vertex)).collect(),
            questions: hull.calls,
            ..Front::empty(model, hull.stopped)
        }
    }

    /// The document of a front that was stopped before it had a vertex: of two principals, or of all.
    pub fn not_begun(model: &Structure, axes: Option<[PrincipalId; 2]>, reason: StopReason) -> Front {
        match axes {
            Some(axes) => Front::new(model, &front::Front::nothing_known(axes, reason)),
            None => Front::of_hull(model, &Hull::nothing_known(reason)),
        }
    }

    fn empty(model: &Structure, stopped: Option<StopReason>) -> Front {
        Front {
            format: Format::default(),
            start: model.state_name(model.start()).into_owned(),
            principals: Vec::new(),
            complete: false,
            gap: None,
            status: stopped.map(|_| super::Status::Stopped),
            reason: stopped.map(|reason| reason.to_string()),
            vertices: Vec::new(),
            edges: Vec::new(),
            pattern: None,
            questions: 0,
        }
    }
}

impl Corner {
    fn new(model: &Structure, vertex: &Vertex) -> Corner {
        Corner {
            payoffs: payoffs(model, &vertex.point.payoffs),
            weights: fractions(model, &vertex.weights),
            decisions: all_decisions(model, &vertex.point.strategy, false),
        }
    }
}
