//! The welfare of stationary strategies of the hotel. [§1]

use super::fraction;
use crate::claim::Claim;
use crate::colours;
use crate::error::Error;
use crate::lab::Lab;
use crate::lab::table::Table;
use crate::paper;
use crate::section::Figure;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::search::{SearchOptions, stationary};
use commonweal::internals::strategy::Strategy;
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};

/// The welfare by the probability of staying, and the best probability.
pub fn table(lab: &Lab) -> Result<(Table, Vec<Claim>), Error> {
    let model = paper::model(paper::HOTEL);
    let mut table = lab.table("figure-1-coin", &["probability_of_a", "welfare"])?;
    for i in 0..=60 {
        let share = fraction(i, 60);
        let mut actions = vec![("a", share.clone()), ("b", Rational::ONE - &share)];
        actions.retain(|(_, share)| !share.is_zero());
        let welfare = paper::exact(paper::mixed(&model, "s0", &actions).welfare(model.start()));
        table.row(&[share.to_f64().to_string()], || Ok(vec![welfare.to_f64().to_string()]))?;
    }
    table.finish()?;
    let gap = parse_rational("1e-9").expect("a number");
    let search = stationary(&model, &SearchOptions { gap: Some(gap), ..SearchOptions::default() });
    let lower = paper::exact(search.welfare.clone());
    let upper = Rational::try_from(search.upper).expect("a finite bound");
    // 20 − 2√10 lies strictly between if the squares do: (20 − x)² against 40.
    let below = |x: &Rational| (Rational::from(20) - x).pow(2) >= Rational::from(40);
    let holds = below(&lower) && !below(&upper);
    let share = match &search.strategy {
        Strategy::Stationary(mix) => {
            let expected = paper::choice(&model, "s0", "a");
            let found = mix.mix(model.start()).iter().find(|(choice, _)| *choice == expected);
            found.map_or(0.0, |(_, share)| share.to_f64())
        }
        Strategy::Counting(_) | Strategy::Lottery(_) => f64::NAN,
    };
    let claims = vec![Claim::found(
        "coin/optimum",
        "best stationary strategy",
        "randomisation may be required among stationary strategies",
        format!(
            "at least {:.7}, at most {:.7}, which 20 − 2√10 lies between; a with probability {share:.5}",
            lower.to_f64(),
            search.upper
        ),
        holds && lower > fraction(27, 2),
    )];
    Ok((table, claims))
}

pub fn figure(table: &Table) -> Figure {
    let chart = Chart {
        title: "Expanding by the toss of a coin".to_owned(),
        caption: Some("Best at 0.80629, where it earns 20 − 2√10 ≈ 13.675; counting earns 127/9 ≈ 14.111.".to_owned()),
        x: Axis { label: "probability of staying (a)".to_owned(), scale: Scale::Linear },
        y: Axis { label: "welfare".to_owned(), scale: Scale::Linear },
        series: vec![
            Series {
                name: "stationary".to_owned(),
                colour: colours::COIN,
                points: table.points("probability_of_a", &["welfare"]),
                mark: Mark::Line,
            },
            Series {
                name: "welfare, best of all".to_owned(),
                colour: colours::WELFARE,
                points: vec![(0.0, 127.0 / 9.0), (1.0, 127.0 / 9.0)],
                mark: Mark::Dashed,
            },
        ],
        marks: Vec::new(),
    };
    Figure { name: "figure-1-coin", svg: chart.svg() }
}
