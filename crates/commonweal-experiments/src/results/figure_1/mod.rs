//! The hotel in pictures: payoffs by delay, the map of best delays, and the best stationary strategy. [Fig. 1, Ex. needmem]

mod coin;
mod map;
mod payoffs;

use super::introduction;
use crate::claim::Example;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::lab::Lab;
use crate::section::Section;
use commonweal::internals::number::Rational;

pub fn section(lab: &mut Lab) -> Result<Section, Error> {
    let mut section = Section::new(Experiment::Figure1, "Figure 1: the hotel")
        .saying(
            "Alice discounts by 2/3, Bob by 1/3. Waiting k steps before they expand, a^k b^ω, is best for k = 2, though neither \
             of them would choose it.",
        )
        .saying(
            "The map shows the best delay for every pair of discounts. Its boundaries are exact: waiting k and k + 1 steps earn \
             the same on the curve α = (4/7)(1 + ρ^k)/(1 + ρ^(k+1)), β = ρα. Every drawn point of it was checked in fractions.",
        );
    let payoffs = payoffs::table(lab)?;
    let (map, map_claims) = map::table(lab)?;
    let (coin, coin_claims) = coin::table(lab)?;
    section.examples.push(introduction::example());
    section.examples.push(Example { title: "The strategy map [Fig. 1]".to_owned(), claims: map_claims });
    section.examples.push(Example { title: "The best coin [§1]".to_owned(), claims: coin_claims });
    section.figures = vec![map::figure(), payoffs::figure(&payoffs), coin::figure(&coin)];
    section.tables.extend([payoffs, map, coin]);
    Ok(section)
}

fn fraction(numerator: i64, denominator: i64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}
