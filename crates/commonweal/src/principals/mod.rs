//! Principals as a linear map onto *parts*: the solver sees parts with distinct discounts, in decreasing patience.
//!
//! A principal weights step j by `Σ_k c_k λ_k^j`. For the welfare only the discounts matter, so all terms with discount λ_i are
//! one part, whose rewards are `R_i(s,a) = Σ weight · coefficient · R_p(s,a)` over the principals p that have it. Past this
//! module every function takes an [`OrderedModel`], which decides by parts: those of [`order`] have distinct, decreasing
//! discounts, and the weights are included in the rewards. No engine checks the order again.
//!
//! A principal's payoff is computed from its sources ([`OrderedModel::sources`]): from parts that are its own, and by a separate
//! evaluation if it shares a part or has weight 0.

mod segments;

pub use segments::{OrderedSegment, segments, segments_weighted};

use crate::model::{ChoiceId, Mdp, Part, Principal, PrincipalId, StateId};
use crate::number::Rational;
use crate::stop::{FEW_FRACTIONS, FRACTION, Pace, StopReason, StopSignal};

/// Principals of the file with the same time preference, as reports list them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The members' names, joined by `+`.
    pub name: String,
    /// Their greatest discount in the last segment.
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

/// All terms with one discount λ, of all principals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedPart {
    /// λ.
    pub discount: Rational,
    /// The principals whose rewards it contains, in the file's order, each with its factor: weight times coefficient, never 0
    /// unless all weights of the model are 0.
    pub terms: Vec<(PrincipalId, Rational)>,
}

impl OrderedPart {
    /// The part scaled so that its first factor is 1 or −1, and the scale factor; a part of factor 0 remains as it is.
    pub(crate) fn normalised(&self) -> (OrderedPart, Rational) {
        let first = self.terms[0].1.clone().abs();
        let factor = if first.is_zero() { Rational::ONE } else { first };
        let terms = self.terms.iter().map(|(p, counts)| (*p, counts / &factor)).collect();
        (OrderedPart { discount: self.discount.clone(), terms }, factor)
    }
}

/// The parts of these principals, the most patient first. Principals of weight 0 have none, unless all weights are 0.
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

/// The parts of these principals with other weights, in the file's order; none if all of these are 0.
pub fn parts_weighted(principals: &[Principal], weights: &[Rational]) -> Vec<OrderedPart> {
    if weights.iter().all(Rational::is_zero) {
        return Vec::new();
    }
    let weighted = |(principal, weight): (&Principal, &Rational)| principal.clone().weighted(weight.clone());
    parts(&principals.iter().zip(weights).map(weighted).collect::<Vec<_>>())
}

/// The parts of one principal alone, with weight 1 or −1, its own direction.
fn parts_alone(principals: &[Principal], principal: PrincipalId) -> Vec<OrderedPart> {
    let own = &principals[principal.index()];
    let term = |coefficient: &Rational| (principal, coefficient * own.direction());
    let part = |part: &Part| OrderedPart { discount: part.discount.clone(), terms: vec![term(&part.coefficient)] };
    own.only_parts().iter().map(part).collect()
}

/// A term of a principal's payoff: `coefficient` times the value of its rewards at one discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The coefficient.
    pub coefficient: Rational,
    /// Whose rewards, at which discount.
    pub alone: Alone,
    /// The part that determines the value, if one has no other term.
    pub part: Option<OwnPart>,
}

/// A part that is made of one principal's rewards alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPart {
    /// Which part.
    pub index: usize,
    /// The factor from its values to those of the rewards themselves: the inverse of the term's factor.
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

/// The sources of the payoff of `principal`, given the parts that the solver sees.
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

/// A model as its parts see it: one reward for each choice and part.
#[derive(Debug)]
pub struct OrderedModel<'m> {
    mdp: &'m Mdp,
    parts: Vec<OrderedPart>,
    /// A choice's rewards side by side, most patient part first.
    reward: Vec<Rational>,
}

/// The model with terms of equal discount merged, the most patient part first.
///
/// Nothing stops it: for tests, benchmarks, and text that has no other form. Everything else calls [`order_unless`].
pub fn order(mdp: &Mdp) -> OrderedModel<'_> {
    order_unless(mdp, &StopSignal::default()).expect("nobody raises the signal")
}

/// The same, unless `stop` is raised on the way: with dozens of discounts, a large model takes seconds.
pub fn order_unless<'m>(mdp: &'m Mdp, stop: &StopSignal) -> Result<OrderedModel<'m>, StopReason> {
    order_by(mdp, parts(mdp.principals()), stop)
}

/// The model as these parts see it, in their order, unless `stop` is raised on the way.
pub(crate) fn order_by<'m>(
    mdp: &'m Mdp,
    parts: Vec<OrderedPart>,
    stop: &StopSignal,
) -> Result<OrderedModel<'m>, StopReason> {
    OrderedModel::unless(mdp, parts, stop)
}

/// The model with one part for each principal: this decides the equivalence of states for any time preferences.
pub(crate) fn by_principal<'m>(mdp: &'m Mdp, stop: &StopSignal) -> Result<OrderedModel<'m>, StopReason> {
    let part = |p: usize| OrderedPart { discount: Rational::ZERO, terms: vec![(p.into(), Rational::ONE)] };
    order_by(mdp, (0..mdp.n_principals()).map(part).collect(), stop)
}

/// The model of one principal alone: its own rewards, negated if its weight is negative.
pub fn alone<'m>(mdp: &'m Mdp, principal: PrincipalId, stop: &StopSignal) -> Result<OrderedModel<'m>, StopReason> {
    order_by(mdp, parts_alone(mdp.principals(), principal), stop)
}

impl<'m> OrderedModel<'m> {
    fn unless(mdp: &'m Mdp, parts: Vec<OrderedPart>, stop: &StopSignal) -> Result<OrderedModel<'m>, StopReason> {
        let (mut pace, is_long) = (Pace::of(stop), mdp.n_choices() * parts.len() > FEW_FRACTIONS);
        let reward_of = |choice: ChoiceId, part: &OrderedPart| {
            let rewards = mdp.rewards(choice);
            let terms = part.terms.iter().map(|(p, factor)| &rewards[p.index()] * factor);
            terms.fold(Rational::ZERO, |sum, term| sum + term)
        };
        let mut reward = Vec::with_capacity(mdp.n_choices() * parts.len());
        for choice in (0..mdp.n_choices()).map(ChoiceId::from) {
            if is_long && pace.stops_after(FRACTION * parts.len()) {
                stop.check()?;
            }
            reward.extend(parts.iter().map(|part| reward_of(choice, part)));
        }
        Ok(OrderedModel { mdp, parts, reward })
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

    /// The sources of the payoff of a principal of the file.
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
