//! From reachability games on alternating graphs to the welfare of any strategy. [Thm. 2]
//!
//! The reachability player moves in OR nodes and wants to reach the target; the safety player moves in AND nodes and wants to
//! avoid it. In the model chance moves in OR nodes, with equal probabilities, and the agent moves in AND nodes. Every step in
//! the target has a cost, and the target is never left. A strategy earns 0 if it reaches the target with probability 0, and less
//! otherwise; so the welfare is 0 if and only if the safety player wins. With one principal the target costs 1 per step. In the
//! zero-sum case the patient principal pays what the impatient one gets: at step t the sum is λ_1^t − λ_0^t, negative for every
//! t except 0.

use crate::model::{Mdp, ModelBuilder, Principal, StateId};
use crate::number::Rational;

/// Who moves in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mover {
    /// The reachability player.
    Or,
    /// The safety player.
    And,
    /// Nobody: the target.
    Target,
}

/// An alternating graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// The nodes with their names.
    pub nodes: Vec<Node>,
    /// The node in which the game starts.
    pub start: usize,
}

/// A node of an alternating graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Who moves.
    pub mover: Mover,
    /// Where to: at least one node, each once; none for a target.
    pub successors: Vec<usize>,
}

/// The rewards of the principals; the theorem holds in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rewards {
    /// One principal, with discount 1/2.
    #[default]
    Single,
    /// Two principals with discounts 1/2 and 1/4; the second one's rewards are the negatives of the first's.
    ZeroSum,
}

impl Game {
    /// Whether the safety player wins from the start: the start is not in the attractor of the targets.
    ///
    /// A node is in the attractor if it is a target, or an OR node with a successor in it, or an AND node with all of its
    /// successors in it. Cost: O(edges).
    pub fn safety_wins(&self) -> bool {
        let mut predecessors = vec![Vec::new(); self.nodes.len()];
        for (node, Node { successors, .. }) in self.nodes.iter().enumerate() {
            successors.iter().for_each(|&successor| predecessors[successor].push(node));
        }
        // How many successors must still be attracted.
        let mut missing: Vec<usize> =
            self.nodes.iter().map(|node| if node.mover == Mover::And { node.successors.len() } else { 1 }).collect();
        let mut waiting: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| self.nodes[node].mover == Mover::Target).collect();
        waiting.iter().for_each(|&target| missing[target] = 0);
        while let Some(node) = waiting.pop() {
            for &predecessor in &predecessors[node] {
                if missing[predecessor] > 0 {
                    missing[predecessor] -= 1;
                    if missing[predecessor] == 0 {
                        waiting.push(predecessor);
                    }
                }
            }
        }
        missing[self.start] > 0
    }
}

/// The model of a game: its welfare from the start is 0 if the safety player wins, and below 0 otherwise.
pub fn reduce(game: &Game, rewards: Rewards) -> Mdp {
    let fraction = |b: u64| Rational::from_quotient(1, b);
    let (discounts, cost) = match rewards {
        Rewards::Single => (vec![fraction(2)], vec![-Rational::ONE]),
        Rewards::ZeroSum => (vec![fraction(2), fraction(4)], vec![-Rational::ONE, Rational::ONE]),
    };
    let nothing = vec![Rational::ZERO; discounts.len()];
    let principals = Principal::numbered(&discounts).expect("discounts below 1");
    let names = game.nodes.iter().map(|node| node.name.as_str());
    let mut builder = ModelBuilder::new(principals, names).expect("names are distinct");
    builder.start(StateId::from(game.start));
    for (index, node) in game.nodes.iter().enumerate() {
        let state = StateId::from(index);
        let mut add = |action: &str, rewards: &[Rational], to: Vec<(StateId, Rational)>| {
            builder.choice(state, action, rewards.iter().cloned(), to).expect("probabilities sum to 1");
        };
        match node.mover {
            Mover::Target => add("stay", &cost, vec![(state, Rational::ONE)]),
            Mover::Or => {
                let share = Rational::ONE / Rational::from(node.successors.len());
                let to = node.successors.iter().map(|&target| (StateId::from(target), share.clone()));
                add("any", &nothing, to.collect());
            }
            Mover::And => {
                for &target in &node.successors {
                    add(&game.nodes[target].name, &nothing, vec![(StateId::from(target), Rational::ONE)]);
                }
            }
        }
    }
    builder.finish().expect("every node has a successor or is a target")
}
