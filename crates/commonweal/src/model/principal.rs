//! Principals: who has rewards, and how much each step counts for them.

use super::ModelError;
use crate::number::Rational;

/// One who has rewards and a patience of their own.
///
/// A reward at step j counts `Σ_k coefficient_k · discount_k^j` times: one part with coefficient 1 is plain discounting,
/// several parts are any mixture of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name that the model gives them.
    pub name: String,
    /// What a step counts for, as a sum of powers of distinct discounts, the greatest first; at least one.
    parts: Vec<Part>,
    /// What their payoff counts for in the welfare; 1 unless the model says otherwise. With 0 it is reported, not counted.
    pub weight: Rational,
}

/// A geometric part of a principal's time preference: at step j it counts `coefficient · discount^j`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it counts for at step 0; never 0.
    pub coefficient: Rational,
    /// The discount factor λ, at least 0 and below 1.
    pub discount: Rational,
}

impl Principal {
    /// A principal with one discount factor, whose payoff counts once.
    ///
    /// ```
    /// use commonweal::Principal;
    /// let bob = Principal::new("bob", "1/3".parse()?)?;
    /// assert!(Principal::new("bob", "4/3".parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, discount: Rational) -> Result<Principal, ModelError> {
        Principal::with_parts(name, vec![Part { coefficient: Rational::ONE, discount }])
    }

    /// Principals called `p0`, `p1`, … with these discounts.
    pub(crate) fn numbered(discounts: &[Rational]) -> Result<Vec<Principal>, ModelError> {
        let principal = |(index, discount): (usize, &Rational)| Principal::new(format!("p{index}"), discount.clone());
        discounts.iter().enumerate().map(principal).collect()
    }

    /// A principal for whom step j counts as these parts say, added up.
    pub fn with_parts(name: impl Into<String>, parts: Vec<Part>) -> Result<Principal, ModelError> {
        let name = name.into();
        let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
        for part in parts {
            check_discount(&name, &part.discount)?;
            match merged.iter_mut().find(|other| other.discount == part.discount) {
                Some(other) => other.coefficient += part.coefficient,
                None => merged.push(part),
            }
        }
        merged.retain(|part| !part.coefficient.is_zero());
        if merged.is_empty() {
            return Err(ModelError::NoParts { principal: name });
        }
        merged.sort_by(|a, b| b.discount.cmp(&a.discount));
        Ok(Principal { name, parts: merged, weight: Rational::ONE })
    }

    /// The same principal, whose payoff counts `weight` times in the welfare.
    pub fn weighted(self, weight: Rational) -> Principal {
        Principal { weight, ..self }
    }

    /// The parts of the time preference: distinct discounts, the greatest first.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The discount factor, where the time preference is plain discounting.
    pub fn discount(&self) -> Option<&Rational> {
        match self.parts.as_slice() {
            [Part { coefficient, discount }] if coefficient.is_one() => Some(discount),
            _ => None,
        }
    }

    /// The greatest discount: what the far future counts for.
    pub fn patience(&self) -> &Rational {
        &self.parts[0].discount
    }

    /// The direction in which the welfare counts the payoff: −1 for a negative weight, 1 otherwise.
    pub fn direction(&self) -> Rational {
        if self.weight < Rational::ZERO { -Rational::ONE } else { Rational::ONE }
    }

    /// The same principal with another, single discount.
    pub(crate) fn discounting(&self, discount: Rational) -> Result<Principal, ModelError> {
        Ok(Principal::new(self.name.clone(), discount)?.weighted(self.weight.clone()))
    }
}

fn check_discount(principal: &str, discount: &Rational) -> Result<(), ModelError> {
    if *discount >= Rational::ZERO && *discount < Rational::ONE {
        Ok(())
    } else {
        Err(ModelError::DiscountOutOfRange { principal: principal.to_owned(), discount: discount.clone() })
    }
}
