//! Choices that no good strategy takes.
//!
//! Let A be a set of choices, and let each a ∈ A have another choice b ∉ A of its state such that for every k
//!
//! ```text
//! Σ_{i≤k} ( R_i(s,b) − R_i(s,a) − λ_i (M_i − m_i) · (the distance of the two rows) ) ≥ 0,
//! ```
//!
//! where M_i and m_i bound what part i is worth, under any strategy that takes no choice of A, from any state that can be met, and the
//! distance is ½ Σ_t |P(t|s,a) − P(t|s,b)|. A strategy σ that takes choices of A is then no better than σ', which takes b wherever σ
//! takes a: by the performance difference lemma, V_i(σ') − V_i(σ) is a sum over the discounted visits x_i(s) ≥ 0 under σ, with the same
//! non-negative factors for all parts, of Q_i(s,b) − Q_i(s,a) under σ', which takes no choice of A. Each of these differences is at
//! least the i-th term above, and a more patient part counts at least as many visits, x_0 ≥ x_1 ≥ …: by Abel summation the sum over
//! the parts is not negative. So the search may leave A out. Without it, a reward of −10^12 that nobody would take makes every bound
//! in doubles wider by its rounding error.

use super::action_box::ActionBox;
use super::doubles::Doubles;
use crate::exponential_sum::reward_range;
use crate::model::{ChoiceId, StateId};
use crate::number::Rational;
use crate::principals::OrderedModel;
use crate::stop::{Pace, StopReason, StopSignal};
use std::collections::BTreeMap;

/// The model in doubles for the choices of a box, and that box: all choices but those that a better one of the same state makes
/// superfluous.
pub(super) fn doubles_without_dominated(
    model: &OrderedModel,
    stop: &StopSignal,
) -> Result<(Doubles, ActionBox), StopReason> {
    let doubles = Doubles::of(model, stop)?;
    let within = without_dominated(model, &doubles, stop);
    if doubles.all_choices().all(|choice| within.allows(choice)) {
        return Ok((doubles, within));
    }
    Ok((Doubles::for_choices(model, |choice| within.allows(choice), stop)?, within))
}

/// The box of all choices but those that a better one of the same state makes superfluous. Stopped, none is left out.
fn without_dominated(model: &OrderedModel, doubles: &Doubles, stop: &StopSignal) -> ActionBox {
    undominated(model, doubles, stop).unwrap_or_else(|| ActionBox::whole(doubles))
}

fn undominated(model: &OrderedModel, doubles: &Doubles, stop: &StopSignal) -> Option<ActionBox> {
    /// What a difference of two fractions takes, in products of doubles.
    const FRACTION: usize = 50;
    let mut pace = Pace::of(stop);
    let mut within = ActionBox::whole(doubles);
    let mut better: Vec<Option<ChoiceId>> = vec![None; doubles.n_choices];
    // Also states that only a choice of A leads to: the values of a's successors count.
    let reach = doubles.reachable(|_| true);
    for &state in &reach {
        let choices = doubles.choices(state);
        if pace.stops_after(FRACTION * model.n() * choices.len().pow(2)) {
            return None;
        }
        find_better(model, choices, &mut better);
    }
    for choice in doubles.all_choices().filter(|choice| better[choice.index()].is_some()) {
        within.upper[choice.index()] = 0.0;
    }
    // Fewer choices left out make the ranges wider, so the set only shrinks.
    loop {
        let spread: Vec<Rational> = (0..model.n()).map(|i| spread(model, doubles, (&within, &reach), i)).collect();
        let mut back = Vec::new();
        for (choice, better) in doubles.all_choices().zip(&better) {
            let Some(better) = better.filter(|_| !within.allows(choice)) else { continue };
            if pace.stops_after(FRACTION * doubles.row(choice).count()) {
                return None;
            }
            if !is_dominated(model, choice, better, &spread) {
                back.push(choice);
            }
        }
        if back.is_empty() {
            return Some(within);
        }
        back.into_iter().for_each(|choice| within.upper[choice.index()] = 1.0);
    }
}

/// For each choice of a state that another one beats in the rewards of the most patient parts, however many of them, the unbeaten one
/// with the greatest least advantage: a choice that is left out never stands in for another.
fn find_better(model: &OrderedModel, choices: impl Iterator<Item = ChoiceId> + Clone, better: &mut [Option<ChoiceId>]) {
    let advantages = |other: ChoiceId, than: ChoiceId| {
        let pairs = model.rewards(other).iter().zip(model.rewards(than));
        prefix_sums(pairs.map(|(other, own)| other - own))
    };
    let beats = |other: ChoiceId, than: ChoiceId| {
        let advantages = advantages(other, than);
        advantages.iter().all(|own| *own >= Rational::ZERO) && advantages.iter().any(|own| !own.is_zero())
    };
    let (beaten, unbeaten): (Vec<ChoiceId>, Vec<ChoiceId>) =
        choices.clone().partition(|&choice| choices.clone().any(|other| beats(other, choice)));
    for choice in beaten {
        let least = |other: ChoiceId| advantages(other, choice).into_iter().min().unwrap_or(Rational::ZERO);
        let instead = unbeaten.iter().filter(|&&other| beats(other, choice)).map(|&other| (least(other), other));
        better[choice.index()] = instead.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, other)| other);
    }
}

/// The sums of the first k terms, for k = 1, 2, ….
fn prefix_sums(terms: impl Iterator<Item = Rational>) -> Vec<Rational> {
    let add = |sum: &mut Rational, term: Rational| {
        *sum = &*sum + &term;
        Some(sum.clone())
    };
    terms.scan(Rational::ZERO, add).collect()
}

/// λ_i (M_i − m_i) of the choices in the box, in states that can be met.
fn spread(model: &OrderedModel, doubles: &Doubles, (within, reach): (&ActionBox, &[StateId]), i: usize) -> Rational {
    let choices = reach.iter().flat_map(|&state| doubles.choices(state));
    let allowed = choices.filter(|&choice| within.allows(choice));
    let rewards = allowed.map(|choice| &model.rewards(choice)[i]);
    let [least, greatest] = reward_range(model.discount(i), rewards);
    (greatest - least) * model.discount(i)
}

fn is_dominated(model: &OrderedModel, choice: ChoiceId, better: ChoiceId, spread: &[Rational]) -> bool {
    let distance = distance(model, choice, better);
    let rewards = model.rewards(better).iter().zip(model.rewards(choice));
    let terms = rewards.zip(spread).map(|((better, own), spread)| better - own - spread * &distance);
    prefix_sums(terms).iter().all(|sum| *sum >= Rational::ZERO)
}

/// ½ Σ_t |P(t|a) − P(t|b)|.
fn distance(model: &OrderedModel, a: ChoiceId, b: ChoiceId) -> Rational {
    let of_b: BTreeMap<StateId, &Rational> = model.mdp().transitions(b).collect();
    let both = model.mdp().transitions(a).filter_map(|(target, own)| Some((own, *of_b.get(&target)?)));
    let shared = both.map(|(own, other)| own.min(other).clone());
    Rational::ONE - shared.fold(Rational::ZERO, |sum, term| sum + term)
}
