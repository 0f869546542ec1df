//! The answer for all states, of which each rank has those it owns: for models small enough to be shown whole.

use super::SharedModel;
use crate::answer::{Answer, LongTermAnswer};
use crate::evaluation::Payoffs;
use crate::model::{ChoiceId, Lists, Mdp, StateId};
use crate::number::{Enclosure, Values};
use crate::ranks::Ranks;
use crate::strategy::{Change, CountingStrategy, Step};

/// The answer for all states of `whole`, the model that the ranks share. All of them ask, and all get it.
pub fn put_together(shared: SharedModel, answer: &Answer, whole: &Mdp<f64>) -> Answer {
    let SharedModel { model, ranks } = shared;
    let n_own = model.n_states();
    let values = |own: &Values| Values::Enclosed(enclosures(ranks, (0..n_own).map(|state| own.enclosure(state))));
    let payoffs = |own: &Payoffs| own.map(|_, own| values(own));
    // A choice by its position among those of its state.
    let position = |state: StateId, choice: ChoiceId| (choice.index() - model.choice_range(state).start) as f64;
    let choice = |state: StateId, position: f64| ChoiceId::from(whole.choice_range(state).start + position as usize);
    let changes = |state: StateId| answer.strategy.changes(state);
    let counts = |state: StateId| changes(state).len() as f64;
    let of_changes = |of: &dyn Fn(StateId, &Change) -> f64| -> Vec<f64> {
        ranks.in_order(model.states().flat_map(|state| changes(state).iter().map(move |one| of(state, one))).collect())
    };
    let steps = of_changes(&|_, change| step_number(&change.from));
    let taken = of_changes(&|state, change| position(state, change.choice));
    let mut one = steps.into_iter().zip(taken);
    let of_state = |(state, count): (StateId, f64)| {
        let changes = one.by_ref().take(count as usize);
        let change = |(from, taken)| Change { from: Step::from(from as u64), choice: choice(state, taken) };
        changes.map(change).collect::<Vec<_>>()
    };
    let counted = ranks.in_order(model.states().map(counts).collect());
    let changes: Lists<Change> = whole.states().zip(counted).map(of_state).collect();
    let good = |state: StateId| answer.long_term.choices.get(state.index());
    let n_good = ranks.in_order(model.states().map(|state| good(state).len() as f64).collect());
    let all_good = model.states().flat_map(|state| good(state).iter().map(move |&one| position(state, one)));
    let mut all_good = ranks.in_order(all_good.collect()).into_iter();
    let of_state = |(state, count): (StateId, f64)| {
        all_good.by_ref().take(count as usize).map(|position| choice(state, position)).collect::<Vec<_>>()
    };
    let good: Lists<ChoiceId> = whole.states().zip(n_good).map(of_state).collect();
    let memory = ranks.in_order(answer.memory.iter().map(step_number).collect());
    Answer {
        strategy: CountingStrategy::from_valid_changes(changes),
        memory: memory.into_iter().map(|step| Step::from(step as u64)).collect(),
        payoffs: payoffs(&answer.payoffs),
        welfare: answer.welfare.as_ref().map(values),
        long_term: LongTermAnswer {
            choices: good,
            payoffs: payoffs(&answer.long_term.payoffs),
            ..answer.long_term.clone()
        },
        ..answer.clone()
    }
}

/// A step of a certified answer, which is below 2^53.
fn step_number(step: &Step) -> f64 {
    u64::try_from(step).expect("a certified answer has steps below 2^53") as f64
}

fn enclosures(ranks: &dyn Ranks, own: impl Iterator<Item = Enclosure>) -> Vec<Enclosure> {
    let ends = own.flat_map(|enclosure| [enclosure.lower(), enclosure.upper()]).collect();
    ranks.in_order(ends).as_chunks::<2>().0.iter().map(|&[lower, upper]| Enclosure::new(lower, upper)).collect()
}
