//! Which reward structures of a file are principals, and their time preferences.
//!
//! Formats of other tools have rewards but no discounts, so the caller of a reader gives them.

use crate::{
    model::{ModelError, Preference, Principal, nearest},
    number::Rational,
};

/// The discounts that a file is read with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Discounts {
    /// By the name of a reward structure; one that is not named is left out, and of two for the same name the last counts.
    Named(Vec<(String, Rational)>),
    /// By the name of a reward structure, any time preference; otherwise like [`Named`](Discounts::Named).
    Stated(Vec<(String, Preference)>),
    /// One for each reward structure, in the file's order.
    InOrder(Vec<Rational>),
    /// Discount 0 for every reward structure: for a conversion to a format that has no discounts either.
    Unspecified,
}

/// Why discounts do not fit the reward structures of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are what the messages name")]
pub enum DiscountError {
    #[error("the file has no rewards, so there are no principals")]
    NoRewards,
    #[error("the file has rewards but no discounts; the reward structures are {}", listed(structures))]
    Missing { structures: Vec<String> },
    #[error("there is no reward structure `{name}`{}", suggestion(name, structures))]
    Unknown { name: String, structures: Vec<String> },
    #[error("{} for {}; in the file's order: {}", counted(*found, "discount"), counted(structures.len(), "reward structure"), listed(structures))]
    WrongCount { found: usize, structures: Vec<String> },
    #[error(transparent)]
    Invalid(ModelError),
}

/// The reward structures of a file as principals.
#[derive(Debug)]
pub(super) struct Selection {
    pub principals: Vec<Principal>,
    /// For each reward structure, which principal it is.
    pub principal_of: Vec<Option<usize>>,
    /// The names of those that no principal has.
    pub left_out: Vec<String>,
}

impl Default for Discounts {
    /// None.
    fn default() -> Discounts {
        Discounts::Named(Vec::new())
    }
}

impl Discounts {
    /// How many are given, which is how many principals there will be.
    pub(crate) fn len(&self) -> usize {
        match self {
            Discounts::Named(named) => named.len(),
            Discounts::Stated(named) => named.len(),
            Discounts::InOrder(discounts) => discounts.len(),
            Discounts::Unspecified => 0,
        }
    }

    /// The principals among these reward structures, in the file's order.
    pub(super) fn select(&self, structures: &[String]) -> Result<Selection, DiscountError> {
        if structures.is_empty() {
            return Err(DiscountError::NoRewards);
        }
        let plain = |discounts: &[Rational]| discounts.iter().cloned().map(|discount| Some(discount.into())).collect();
        let preferences: Vec<Option<Preference>> = match self {
            Discounts::Unspecified => plain(&vec![Rational::ZERO; structures.len()]),
            Discounts::InOrder(discounts) if discounts.len() == structures.len() => plain(discounts),
            Discounts::InOrder(discounts) => {
                return Err(DiscountError::WrongCount { found: discounts.len(), structures: structures.to_vec() });
            }
            Discounts::Named(named) => {
                let stated = named.iter().map(|(name, discount)| (name.clone(), discount.clone().into()));
                by_name(&stated.collect::<Vec<_>>(), structures)?
            }
            Discounts::Stated(named) => by_name(named, structures)?,
        };
        let mut selection = Selection { principals: Vec::new(), principal_of: Vec::new(), left_out: Vec::new() };
        for (name, preference) in structures.iter().zip(preferences) {
            selection.principal_of.push(preference.is_some().then_some(selection.principals.len()));
            match preference {
                Some(preference) => {
                    let principal = Principal::stating(name, preference);
                    let invalid = |error| DiscountError::Invalid(ModelError::of_preference(name, error));
                    selection.principals.push(principal.map_err(invalid)?);
                }
                None => selection.left_out.push(name.clone()),
            }
        }
        Ok(selection)
    }
}

/// The preference of each reward structure that is named, the last one given.
fn by_name(named: &[(String, Preference)], structures: &[String]) -> Result<Vec<Option<Preference>>, DiscountError> {
    if named.is_empty() {
        return Err(DiscountError::Missing { structures: structures.to_vec() });
    }
    if let Some((name, _)) = named.iter().find(|(name, _)| !structures.contains(name)) {
        return Err(DiscountError::Unknown { name: name.clone(), structures: structures.to_vec() });
    }
    let of = |structure| named.iter().rev().find(|(name, _)| name == structure);
    Ok(structures.iter().map(|structure| of(structure).map(|(_, preference)| preference.clone())).collect())
}

/// `1 discount`, `2 discounts`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let mut listed: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        listed.push("…".to_owned());
    }
    listed.join(", ")
}

fn suggestion(name: &str, structures: &[String]) -> String {
    match nearest(name, structures) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; the reward structures are {}", listed(structures)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half() -> Rational {
        Rational::from_quotient(1, 2)
    }

    #[test]
    fn principals_come_in_the_files_order_and_the_rest_is_left_out() {
        let structures = ["time", "cost", "gold"].map(str::to_owned);
        let named =
            Discounts::Named(vec![("gold".into(), half()), ("time".into(), Rational::ONE), ("time".into(), half())]);
        let selection = named.select(&structures).unwrap();
        let names: Vec<_> =
            selection.principals.iter().map(|p| (p.name.as_str(), p.discount() == Some(&half()))).collect();
        assert_eq!(names, [("time", true), ("gold", true)]);
        assert_eq!(selection.principal_of, [Some(0), None, Some(1)]);
        assert_eq!(selection.left_out, ["cost"]);
        assert!(Discounts::Unspecified.select(&structures).unwrap().left_out.is_empty());
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_names_there_are() {
        let structures = ["time", "cost"].map(str::to_owned);
        let message = |discounts: Discounts| discounts.select(&structures).unwrap_err().to_string();
        assert!(message(Discounts::Named(vec![])).ends_with("the reward structures are `time`, `cost`"));
        assert!(message(Discounts::Named(vec![("tiem".into(), half())])).ends_with("did you mean `time`?"));
        assert!(message(Discounts::InOrder(vec![half()])).starts_with("1 discount for 2 reward structures;"));
        assert_eq!(Discounts::Unspecified.select(&[]).unwrap_err(), DiscountError::NoRewards);
    }
}
