//! Principals in decreasing patience, equal discounts merged.
//!
//! For the welfare, principals with equal discounts are one principal whose rewards are the weighted sum of theirs.
//! Past this module every function takes an [`OrderedModel`]: its discounts are distinct and decreasing, its weights are
//! inside its rewards. The order is in the type and never checked again.

use crate::model::{ChoiceId, Mdp, Principal, PrincipalId};
use crate::number::{Rational, sum};

/// Principals of the file that share a discount, as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedPrincipal {
    /// The members' names, joined by `+`.
    pub name: String,
    /// λ.
    pub discount: Rational,
    /// The principals of the file that share this discount, in the file's order.
    pub members: Vec<PrincipalId>,
}

/// A model whose principals have distinct, decreasing discounts.
#[derive(Debug)]
pub struct OrderedModel<'m> {
    model: &'m Mdp,
    principals: Vec<OrderedPrincipal>,
    /// Weighted and merged; a choice's rewards side by side, most patient first.
    reward: Vec<Rational>,
}

/// The principals with equal discounts merged, the most patient first.
pub fn groups(principals: &[Principal]) -> Vec<OrderedPrincipal> {
    let mut groups: Vec<OrderedPrincipal> = Vec::new();
    for (index, principal) in principals.iter().enumerate() {
        match groups.iter_mut().find(|group| group.discount == principal.discount) {
            Some(group) => {
                group.name = format!("{}+{}", group.name, principal.name);
                group.members.push(index.into());
            }
            None => groups.push(OrderedPrincipal {
                name: principal.name.clone(),
                discount: principal.discount.clone(),
                members: vec![index.into()],
            }),
        }
    }
    groups.sort_by(|a, b| b.discount.cmp(&a.discount));
    groups
}

/// The model with equal discounts merged and the most patient principal first.
pub fn order(model: &Mdp) -> OrderedModel<'_> {
    let principals = groups(model.principals());
    let weighted = |choice: ChoiceId, member: &PrincipalId| {
        &model.rewards(choice)[member.index()] * &model.principals()[member.index()].weight
    };
    let merged = |choice| principals.iter().map(move |group| sum(group.members.iter().map(|m| weighted(choice, m))));
    let reward = (0..model.n_choices()).map(ChoiceId::from).flat_map(merged).collect();
    OrderedModel { model, principals, reward }
}

/// The model as one principal alone sees it: its own rewards, before its weight, and nobody else's.
pub fn alone(model: &Mdp, principal: PrincipalId) -> OrderedModel<'_> {
    let Principal { name, discount, .. } = model.principals()[principal.index()].clone();
    let own = |choice: usize| model.rewards(choice.into())[principal.index()].clone();
    OrderedModel {
        model,
        principals: vec![OrderedPrincipal { name, discount, members: vec![principal] }],
        reward: (0..model.n_choices()).map(own).collect(),
    }
}

impl<'m> OrderedModel<'m> {
    /// The principals, most patient first; discounts are distinct.
    pub fn ordered_principals(&self) -> &[OrderedPrincipal] {
        &self.principals
    }

    /// The number of distinct discounts; at least 1.
    pub fn n(&self) -> usize {
        self.principals.len()
    }

    /// The merged principal that a principal of the file belongs to, with its position.
    pub fn group_of(&self, principal: PrincipalId) -> (usize, &OrderedPrincipal) {
        let mut groups = self.principals.iter().enumerate();
        groups.find(|(_, group)| group.members.contains(&principal)).expect("every principal is in a group")
    }

    /// λ of the i-th most patient principal.
    pub fn discount(&self, i: usize) -> &Rational {
        &self.principals[i].discount
    }

    /// R(s, a, ·), most patient principal first, weights included.
    pub fn ordered_rewards(&self, choice: ChoiceId) -> &[Rational] {
        &self.reward[choice.index() * self.n()..(choice.index() + 1) * self.n()]
    }
}

impl std::ops::Deref for OrderedModel<'_> {
    type Target = Mdp;
    fn deref(&self) -> &Mdp {
        self.model
    }
}
