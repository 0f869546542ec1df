//! Payoffs by delay, the first panel. [Fig. 1]

use super::fraction;
use crate::colours;
use crate::error::Error;
use crate::lab::Lab;
use crate::lab::table::Table;
use crate::section::Figure;
use commonweal::internals::number::Rational;
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};

/// The longest delay of the picture.
const DELAYS: usize = 8;

/// The payoffs of a^k b^ω by the paper's formula, which the introduction's claims compare with exact evaluation.
pub fn table(lab: &Lab) -> Result<Table, Error> {
    let mut table = lab.table("figure-1-payoffs", &["delay", "alice", "bob", "welfare"])?;
    for k in 0..=DELAYS {
        let payoff = |discount: Rational| {
            let power = discount.pow(k as isize);
            (Rational::from(3) - Rational::from(4) * &power + Rational::from(7) * &power * &discount)
                / (Rational::ONE - discount)
        };
        let (alice, bob) = (payoff(fraction(2, 3)), payoff(fraction(1, 3)));
        let welfare = &alice + &bob;
        table.row(&[k.to_string()], || Ok([alice, bob, welfare].map(|payoff| payoff.to_f64().to_string()).to_vec()))?;
    }
    table.finish()?;
    Ok(table)
}

pub fn figure(table: &Table) -> Figure {
    let series = |name: &str, colour: usize, column| Series {
        name: name.to_owned(),
        colour,
        points: table.points("delay", &[column]),
        mark: Mark::LineAndPoints,
    };
    let chart = Chart {
        title: "Payoffs of waiting k steps, then expanding".to_owned(),
        caption: Some("The welfare is greatest at k = 2: 127/9.".to_owned()),
        x: Axis { label: "delay k".to_owned(), scale: Scale::Linear },
        y: Axis { label: "discounted payoff".to_owned(), scale: Scale::Linear },
        series: vec![
            series("welfare", colours::WELFARE, "welfare"),
            series("Alice", colours::ALICE, "alice"),
            series("Bob", colours::BOB, "bob"),
        ],
        marks: Vec::new(),
    };
    Figure { name: "figure-1-payoffs", svg: chart.svg() }
}
