//! The quotient of a model by bisimulation: equivalent states are merged, the smaller model is solved, and its answer is lifted.
//!
//! Equivalent states earn the same, so the same strategy is best in all of them. Choices that lead to copies of a state tie at
//! every step, which enclosures cannot prove; in the quotient these ties do not occur. States are equivalent here only if their
//! choices are equivalent in the listed order, so that ties are decided in the quotient as in the model, and the lifted answer
//! is that of the model itself. Certificates are about the model: their contents are lifted too.
//!
//! In doubles, probabilities and rewards count as equal if the doubles are. The true numbers may then differ by the rounding
//! errors, which the error bound of a row includes. Cost: O(transitions · log states).

mod lift;
mod partition;
mod refinement;

pub(crate) use refinement::{Alternatives, Chance, Classes, labels};

use crate::model::{ChoiceId, Mdp, ModelArrays, NameTable, StateId};
use crate::number::{ModelNumber, Rational};
use crate::parallel;
use crate::stop::StopSignal;
use refinement::FIXED_BITS;

/// A model in which equivalent states are merged.
pub(crate) struct Quotient<N> {
    /// Each class has the choices of its first state.
    pub(crate) model: Mdp<N>,
    classes: Classes,
}

impl Quotient<Rational> {
    /// The quotient of a model; `None` if no two states are equivalent, or if `stop` is raised on the way.
    pub(crate) fn of(model: &Mdp, stop: &StopSignal) -> Option<Quotient<Rational>> {
        let labels = labels((0..model.n_choices()).map(|choice| model.rewards(choice.into())));
        let classes = Classes::of(model, &labels, Alternatives::Listed, stop)?;
        (classes.len() < model.n_states()).then(|| Quotient::by(model, classes, |chance| chance))
    }
}

impl Quotient<f64> {
    /// The quotient of a model in doubles; `None` if it would not be much smaller, or if `stop` is raised on the way.
    pub(crate) fn of_doubles(model: &Mdp<f64>, stop: &StopSignal) -> Option<Quotient<f64>> {
        let bits = |choice: ChoiceId| model.rewards(choice).iter().map(|reward| reward.to_bits());
        if is_probably_varied(model) {
            return None;
        }
        let keys = (0..model.n_choices()).map(|choice| bits(choice.into()).collect::<Vec<u64>>());
        let classes = Classes::of(model, &labels(keys), Alternatives::Listed, stop)?;
        let nearest = |chance: u128| chance as f64 * 2f64.powi(-FIXED_BITS);
        pays(classes.len(), model.n_states()).then(|| Quotient::by(model, classes, nearest))
    }
}

/// Whether solving the quotient in doubles is worth its construction.
fn pays(n_classes: usize, n_states: usize) -> bool {
    10 * n_classes <= 9 * n_states
}

/// Whether rewards alone separate most states: a sample of one state in 64, chosen by a hash of the rewards, so that states with
/// equal rewards are sampled together.
fn is_probably_varied(model: &Mdp<f64>) -> bool {
    const SMALL: usize = 10_000;
    const SEEN: u64 = 64;
    if model.n_states() <= SMALL {
        return false;
    }
    // Written out, because the hashers of the standard library may differ between its versions.
    let mixed = |hash: u64, reward: &f64| (hash ^ reward.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let hash = |state: usize| {
        let hash = model.choices(state.into()).flat_map(|choice| model.rewards(choice)).fold(0, mixed);
        hash ^ (hash >> 32)
    };
    let of_block =
        |states: std::ops::Range<usize>| states.map(hash).filter(|hash| hash % SEEN == 0).collect::<Vec<_>>();
    let mut seen = parallel::map_blocks(model.n_states(), of_block).concat();
    let n_seen = seen.len();
    seen.sort_unstable();
    seen.dedup();
    !pays(seen.len(), n_seen)
}

impl<N: ModelNumber + Chance> Quotient<N> {
    fn by(model: &Mdp<N>, classes: Classes, number: impl Fn(N::Sum) -> N) -> Quotient<N> {
        let mut arrays = ModelArrays {
            start: StateId::from(classes.of_state(model.start())),
            principals: model.principals().to_vec(),
            state_names: NameTable::numbered(classes.len()),
            action_names: NameTable::numbered(0),
            action: Vec::new(),
            first_choice: vec![0],
            first_transition: vec![0],
            target: Vec::new(),
            probability: Vec::new(),
            reward: Vec::new(),
        };
        let mut most_choices = 0;
        for &state in &classes.first {
            for (place, choice) in model.choices(state).enumerate() {
                for (class, chance) in classes.row(model, choice) {
                    arrays.target.push(StateId::from(class));
                    arrays.probability.push(number(chance));
                }
                arrays.first_transition.push(arrays.target.len() as u32);
                arrays.reward.extend_from_slice(model.rewards(choice));
                arrays.action.push(place as u32);
                most_choices = most_choices.max(place + 1);
            }
            arrays.first_choice.push(arrays.action.len() as u32);
        }
        arrays.action_names = NameTable::numbered(most_choices);
        let quotient = arrays.finish_settled().expect("the classes of a model are a model");
        Quotient { model: quotient, classes }
    }
}

#[cfg(test)]
mod tests;
