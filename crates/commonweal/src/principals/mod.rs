//! Principals as a linear map: what the solver sees are *parts*, distinct discounts in decreasing patience.
//!
//! A principal counts step j as `Σ_k c_k λ_k^j`. For the welfare only the discounts matter, so all that counts λ_i^j is one
//! part, whose rewards are `R_i(s,a) = Σ weight · coefficient · R_p(s,a)` over the principals p that have it. Past this module
//! every function takes an [`OrderedModel`], which knows parts only: their discounts are distinct and decreasing, the
//! weights are inside the rewards. The order is in the type and never checked again.
//!
//! What a principal gets is found the other way round ([`OrderedModel::sources`]): from the parts that are its own, and by
//! itself where it shares one or is not counted.

mod segments;

pub use segments::{OrderedSegment, segments, segments_weighted};

use crate::model::{ChoiceId, Mdp, Part, Principal, PrincipalId, StateId};
use crate::number::Rational;

/// Principals of the file with the same time preference, as reports list them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The members' names, joined by `+`.
    pub name: String,
    /// Their greatest discount: what the far future counts for.
    pub patience: Rational,
    /// The principals of the file that share the preference, in the file's order; at least one.
    pub members: Vec<PrincipalId>,
}

/// The principals in decreasing patience, those with the same time preference together.
pub fn groups(principals: &[Principal]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, principal) in principals.iter().enumerate() {
        match groups.iter_mut().find(|group| principals[group.members[0].index()].segments() == principal.segments()) {
            Some(group) => {
                group.name = format!("{}+{}", group.name, principal.name);
                group.members.push(index.into());
            }
            None => groups.push(Group {
                name: principal.name.clone(),
                patience: principal.patience().clone(),
                members: vec![index.into()],
            }),
        }
    }
    groups.sort_by(|a, b| b.patience.cmp(&a.patience));
    groups
}

/// All that counts λ^j, of all principals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedPart {
    /// λ.
    pub discount: Rational,
    /// Whose rewards it is made of, in the file's order, and what each counts for: weight times coefficient, never 0
    /// unless no principal of the model counts.
    pub terms: Vec<(PrincipalId, Rational)>,
}

impl OrderedPart {
    /// The part with its first term counting 1 or −1, and what all its terms are multiplied by to be as before.
    pub(crate) fn normalised(&self) -> (OrderedPart, Rational) {
        let factor = self.terms[0].1.clone().abs();
        let terms = self.terms.iter().map(|(p, counts)| (*p, counts / &factor)).collect();
        (OrderedPart { discount: self.discount.clone(), terms }, factor)
    }
}

/// The parts of these principals, the most patient first. Principals of weight 0 have none, unless nobody else is there.
pub fn parts(principals: &[Principal]) -> Vec<OrderedPart> {
    let nobody_counts = principals.iter().all(|principal| principal.weight.is_zero());
    let mut parts: Vec<OrderedPart> = Vec::new();
    for (index, principal) in principals.iter().enumerate() {
        if principal.weight.is_zero() && !nobody_counts {
            continue;
        }
        for own in principal.only_parts() {
            let term = (PrincipalId::from(index), &own.coefficient * &principal.weight);
            match parts.iter_mut().find(|part| part.discount == own.discount) {
                Some(part) => part.terms.push(term),
                None => parts.push(OrderedPart { discount: own.discount.clone(), terms: vec![term] }),
            }
        }
    }
    parts.sort_by(|a, b| b.discount.cmp(&a.discount));
    parts
}

/// The parts of these principals if their payoffs counted `weights` times, in the file's order; none if all of these are 0.
pub fn parts_weighted(principals: &[Principal], weights: &[Rational]) -> Vec<OrderedPart> {
    if weights.iter().all(Rational::is_zero) {
        return Vec::new();
    }
    let weighted = |(principal, weight): (&Principal, &Rational)| principal.clone().weighted(weight.clone());
    parts(&principals.iter().zip(weights).map(weighted).collect::<Vec<_>>())
}

/// The parts of one principal alone, which counts its payoff once, in its own direction.
fn parts_alone(principals: &[Principal], principal: PrincipalId) -> Vec<OrderedPart> {
    let own = &principals[principal.index()];
    let term = |coefficient: &Rational| (principal, coefficient * own.direction());
    let part = |part: &Part| OrderedPart { discount: part.discount.clone(), terms: vec![term(&part.coefficient)] };
    own.only_parts().iter().map(part).collect()
}

/// A term of a principal's payoff: `coefficient` times what its rewards are worth at one discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What they count for.
    pub coefficient: Rational,
    /// Whose rewards, at which discount.
    pub alone: Alone,
    /// The part that tells what they are worth, if one has no other term.
    pub part: Option<OwnPart>,
}

/// A part that is made of one principal's rewards alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPart {
    /// Which part.
    pub index: usize,
    /// What its values are multiplied by to give those of the rewards themselves: one over what the term counts for.
    pub uncounted: Rational,
}

/// The rewards of one principal of the file at one discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alone {
    /// Whose rewards.
    pub principal: PrincipalId,
    /// λ.
    pub discount: Rational,
}

/// Where the payoff of `principal` comes from, given the parts that the solver sees.
pub fn sources(principals: &[Principal], parts: &[OrderedPart], principal: PrincipalId) -> Vec<Source> {
    let own_part = |discount: &Rational| {
        let index = parts.iter().position(|part| part.discount == *discount)?;
        match parts[index].terms.as_slice() {
            [(p, counts)] if *p == principal && !counts.is_zero() => {
                Some(OwnPart { index, uncounted: Rational::ONE / counts })
            }
            _ => None,
        }
    };
    let source = |part: &Part| Source {
        coefficient: part.coefficient.clone(),
        alone: Alone { principal, discount: part.discount.clone() },
        part: own_part(&part.discount),
    };
    principals[principal.index()].only_parts().iter().map(source).collect()
}

/// A model as its parts see it: distinct, decreasing discounts, and one reward for each choice and part.
#[derive(Debug)]
pub struct OrderedModel<'m> {
    mdp: &'m Mdp,
    parts: Vec<OrderedPart>,
    /// A choice's rewards side by side, most patient part first.
    reward: Vec<Rational>,
}

/// The model with what counts alike merged, the most patient part first.
pub fn order(mdp: &Mdp) -> OrderedModel<'_> {
    OrderedModel::of(mdp, parts(mdp.principals()))
}

/// The model as these parts see it, in their order.
pub(crate) fn order_by(mdp: &Mdp, parts: Vec<OrderedPart>) -> OrderedModel<'_> {
    OrderedModel::of(mdp, parts)
}

/// The model with one part for each principal: what tells its states apart, whatever the time preferences.
pub(crate) fn by_principal(mdp: &Mdp) -> OrderedModel<'_> {
    let part = |p: usize| OrderedPart { discount: Rational::ZERO, terms: vec![(p.into(), Rational::ONE)] };
    OrderedModel::of(mdp, (0..mdp.n_principals()).map(part).collect())
}

/// The model as one principal alone sees it: its own rewards, less is better for a negative weight, and nobody else's.
pub fn alone(mdp: &Mdp, principal: PrincipalId) -> OrderedModel<'_> {
    OrderedModel::of(mdp, parts_alone(mdp.principals(), principal))
}

impl<'m> OrderedModel<'m> {
    fn of(mdp: &'m Mdp, parts: Vec<OrderedPart>) -> OrderedModel<'m> {
        let reward_of = |choice: ChoiceId, part: &OrderedPart| {
            let rewards = mdp.rewards(choice);
            let terms = part.terms.iter().map(|(p, factor)| &rewards[p.index()] * factor);
            terms.fold(Rational::ZERO, |sum, term| sum + term)
        };
        let mut reward = Vec::with_capacity(mdp.n_choices() * parts.len());
        for choice in (0..mdp.n_choices()).map(ChoiceId::from) {
            reward.extend(parts.iter().map(|part| reward_of(choice, part)));
        }
        OrderedModel { mdp, parts, reward }
    }

    /// The model of the file, with its principals.
    pub fn mdp(&self) -> &'m Mdp {
        self.mdp
    }

    /// The parts, most patient first.
    pub fn parts(&self) -> &[OrderedPart] {
        &self.parts
    }

    /// The number of parts, which is the number of distinct discounts; at least 1.
    pub fn n(&self) -> usize {
        self.parts.len()
    }

    /// λ of the i-th most patient part.
    pub fn discount(&self, i: usize) -> &Rational {
        &self.parts[i].discount
    }

    /// R(s, a, ·), most patient part first, weights included.
    pub fn rewards(&self, choice: ChoiceId) -> &[Rational] {
        &self.reward[choice.index() * self.n()..(choice.index() + 1) * self.n()]
    }

    /// Where the payoff of a principal of the file comes from.
    pub fn sources(&self, principal: PrincipalId) -> Vec<Source> {
        sources(self.mdp.principals(), &self.parts, principal)
    }

    /// The number of states; at least 1.
    pub fn n_states(&self) -> usize {
        self.mdp.n_states()
    }

    /// The number of choices.
    pub fn n_choices(&self) -> usize {
        self.mdp.n_choices()
    }

    /// The number of transitions.
    pub fn n_transitions(&self) -> usize {
        self.mdp.n_transitions()
    }

    /// All states, in the model's order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + Clone + use<> {
        self.mdp.states()
    }

    /// The choices of a state, in the model's order; at least one.
    pub fn choices(
        &self,
        state: StateId,
    ) -> impl ExactSizeIterator<Item = ChoiceId> + DoubleEndedIterator + Clone + use<> {
        self.mdp.choices(state)
    }

    /// The state that offers a choice.
    pub fn state_of(&self, choice: ChoiceId) -> StateId {
        self.mdp.state_of(choice)
    }

    /// The successors of a choice.
    pub fn targets(&self, choice: ChoiceId) -> &'m [StateId] {
        self.mdp.targets(choice)
    }

    /// The probabilities of a choice's successors, beside [`targets`](Self::targets).
    pub fn probabilities(&self, choice: ChoiceId) -> &'m [Rational] {
        self.mdp.probabilities(choice)
    }

    /// The successors of a choice with their probabilities.
    pub fn transitions(&self, choice: ChoiceId) -> impl ExactSizeIterator<Item = (StateId, &'m Rational)> + use<'m> {
        self.mdp.transitions(choice)
    }
}
