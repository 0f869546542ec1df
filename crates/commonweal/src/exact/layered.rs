//! Bounds from the first steps, each with its own weights: for a solve in segments that was stopped, or has undecided ties.
//!
//! From step T on each principal gets between its least and its greatest reward at every step. Before it
//!
//! ```text
//! U_j = max_a Σ_p w_p d_p(j) R_p(s,a) + P U_{j+1}        upper bound for every strategy
//! L_j =       Σ_p w_p d_p(j) R_p(s,σ_j(s)) + P L_{j+1}   lower bound for this strategy
//! ```
//!
//! as of step 0. No step depends on whether two choices tie.

use super::long_term::LongTerm;
use super::range_from;
use crate::exponential_sum::{step_weights, weights_from};
use crate::model::{ChoiceId, Mdp, Principal, StateId};
use crate::number::Enclosure;
use crate::parallel;
use crate::strategy::{Change, CountingStrategy, Step};

/// A strategy with a lower bound on its welfare and an upper bound for all strategies.
pub(super) struct Layered {
    /// The number of steps computed.
    pub n_layers: u64,
    /// Decisions at these steps, the long-term strategy after them.
    pub strategy: CountingStrategy,
    /// A lower bound on the strategy's welfare, per start state.
    pub lower: Vec<f64>,
    /// An upper bound on any strategy's welfare, per start state.
    pub upper: Vec<f64>,
}

/// Bounds from at most `limit` steps, and from no more than can be computed quickly.
pub(super) fn bounds(mdp: &Mdp, long_term: &LongTerm, limit: u64) -> Layered {
    let n_layers = layers(mdp, limit);
    let weight = |p: usize| Enclosure::from(&mdp.principals()[p].weight);
    let rest = |p: usize| range_from(mdp, p.into(), n_layers).times(weight(p));
    let rest = (0..mdp.n_principals()).map(rest).fold(Enclosure::ZERO, Enclosure::plus);
    let mut later = vec![rest; mdp.n_states()];
    let weights: Vec<Vec<Enclosure>> = mdp.principals().iter().map(|own| step_weights(own, n_layers)).collect();
    let rewards: Vec<Vec<Enclosure>> = (0..mdp.n_choices())
        .map(|choice| {
            let own = mdp.rewards(choice.into()).iter().enumerate();
            own.map(|(p, reward)| Enclosure::from(reward).times(weight(p))).collect()
        })
        .collect();
    let chances: Vec<Vec<Enclosure>> = (0..mdp.n_choices())
        .map(|choice| mdp.probabilities(choice.into()).iter().map(Enclosure::from).collect())
        .collect();
    let mut changes: Vec<Vec<Change>> =
        (long_term.strategy.iter()).map(|&choice| vec![Change { from: Step::from(n_layers), choice }]).collect();
    for step in (0..n_layers).rev() {
        let worth = |choice: ChoiceId| {
            let now =
                rewards[choice.index()].iter().zip(&weights).map(|(reward, own)| reward.times(own[step as usize]));
            let targets = mdp.targets(choice).iter().zip(&chances[choice.index()]);
            let later = targets.map(|(target, chance)| chance.times(later[target.index()]));
            now.chain(later).fold(Enclosure::ZERO, Enclosure::plus)
        };
        let of_state = |index: usize| {
            let worths: Vec<(ChoiceId, Enclosure)> =
                mdp.choices(StateId::from(index)).map(|choice| (choice, worth(choice))).collect();
            let upper = worths.iter().map(|(_, worth)| worth.upper()).fold(f64::NEG_INFINITY, f64::max);
            // Of the choices that may be the best, the long-term one, or the first.
            let most = worths.iter().map(|(_, worth)| worth.lower()).fold(f64::NEG_INFINITY, f64::max);
            let may_win = || worths.iter().filter(|(_, worth)| worth.upper() >= most);
            let chosen = may_win().find(|(choice, _)| long_term.allowed[choice.index()]).or_else(|| may_win().next());
            let (choice, worth) = chosen.expect("the greatest may win");
            (*choice, Enclosure::new(worth.lower(), upper))
        };
        let layer = parallel::map(mdp.n_states(), of_state);
        let from = Step::from(step);
        for (index, (choice, worth)) in layer.into_iter().enumerate() {
            later[index] = worth;
            match changes[index].last_mut() {
                Some(latest) if latest.choice == choice => latest.from = from.clone(),
                _ => changes[index].push(Change { from: from.clone(), choice }),
            }
        }
    }
    for changes in &mut changes {
        changes.reverse();
        changes[0].from = Step::ZERO;
    }
    Layered {
        n_layers,
        strategy: CountingStrategy::from_changes(mdp, changes),
        lower: later.iter().map(Enclosure::lower).collect(),
        upper: later.iter().map(Enclosure::upper).collect(),
    }
}

/// The number of steps after which the rest is below the precision of doubles, within the limit and a small amount of work.
fn layers(mdp: &Mdp, limit: u64) -> u64 {
    const NEGLIGIBLE: f64 = 1e-20;
    const MOMENT: usize = 5_000_000;
    let affordable = MOMENT / (mdp.n_transitions() + mdp.n_principals() * mdp.n_choices());
    let most = limit.min(affordable as u64);
    let rest = |step: u64| {
        let of_principal = |own: &Principal| weights_from(own, step).map(|weight| weight.upper().abs()).sum::<f64>();
        mdp.principals().iter().map(of_principal).sum::<f64>()
    };
    let all = rest(0);
    let mut enough = 1;
    while enough < most && rest(enough) > NEGLIGIBLE * all {
        enough *= 2;
    }
    enough.min(most)
}
