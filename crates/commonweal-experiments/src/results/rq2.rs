//! Running time by number of principals. [RQ2]

use super::rq1::LINEAR;
use crate::claim::{Claim, Exact, Example, Printed};
use crate::colours;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::lab::Lab;
use crate::lab::growth::Growth;
use crate::lab::measure::{self, BASELINE, CERTIFIED, EXACT, measure};
use crate::lab::table::Table;
use crate::section::{Figure, Section};
use commonweal::internals::families::RandomFamily;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};

/// With fewer principals the set-up dominates the time, so these models are not used for the growth.
const LEAST: f64 = 10.0;
/// With more principals an answer in fractions takes up to half a minute, because there are hundreds of layers.
const MOST_IN_FRACTIONS: usize = 60;
/// More than this is not what the paper calls polynomial of its own algorithm: every layer costs as much as there are
/// principals, and there are about as many layers as there are principals.
const GREATEST_EXPONENT: f64 = 2.5;

pub fn section(lab: &mut Lab) -> Result<Section, Error> {
    let mut table = lab.table("rq2", &[&["principals", "seed"][..], &measure::COLUMNS].concat())?;
    let step = if lab.is_quick() { 11 } else { 1 };
    let sizes: Vec<usize> = (2..=101).step_by(step).collect();
    let bar = lab.progress("rq2", sizes.len());
    for n in sizes {
        let seed = lab.seed_of(n);
        table.row(&[n.to_string(), seed.to_string()], || {
            let family = RandomFamily {
                n_states: 30,
                n_actions: 2,
                n_successors: 5,
                discounts: (1..=n).map(|i| discount(i, n)).collect(),
                max_denominator: 100,
                max_reward: 100,
                seed,
            };
            let model = family.model().expect("a valid family");
            let exact = (n <= MOST_IN_FRACTIONS).then_some(&model);
            measure(lab, exact, &model.to_doubles().expect("numbers of ordinary size"), u64::MAX)
        })?;
        bar.advance();
    }
    table.finish()?;
    let mut section = Section::new(Experiment::Rq2, "RQ2: the number of principals").saying(
        "100 random models with 2 to 101 principals, 30 states and two actions, and discounts from 0.99 down to 0.05 at equal \
         distances. Chosen by us: five successors for every action, probabilities over a denominator of at most 100, whole \
         rewards from −100 to 100. Answers in fractions end at 60 principals, where they take seconds.",
    ).quick(lab, "every eleventh");
    let mut claims = stated();
    claims.extend(claims_of(lab, &table));
    section.examples.push(Example { title: "Number of principals [RQ2, Fig. 3]".to_owned(), claims });
    section.figures = figures(lab, &table);
    section.tables.push(table);
    Ok(section)
}

/// λ_i = 0.99 − (i − 1) · 0.94/(n − 1).
fn discount(i: usize, n: usize) -> Rational {
    let number = |text| parse_rational(text).expect("a number");
    number("0.99") - (Rational::from(i) - Rational::ONE) * number("0.94") / Rational::from(n - 1)
}

/// What the paper says of its discounts.
pub fn stated() -> Vec<Claim> {
    vec![
        Claim::number("rq2/patient", "the most patient, i = 1", "0.99", discount(1, 101)),
        Claim::number("rq2/impatient", "the least patient, i = n", "0.05", discount(101, 101)),
        Claim::new(
            "rq2/index",
            "λ_0 of two principals",
            Printed::Property("< 1, if i counts from 0", |discount| *discount < Rational::ONE),
            Exact::Values(vec![discount(0, 2)]),
        )
        .noting("Everywhere else principals are numbered from 0; here i must begin with 1.".to_owned()),
    ]
}

fn claims_of(lab: &Lab, table: &Table) -> Vec<Claim> {
    let many = |points: Vec<(f64, f64)>| points.into_iter().filter(|(n, _)| *n >= LEAST).collect::<Vec<_>>();
    let growth = |columns: &[&str]| Growth::of(&many(table.points("principals", columns)));
    let layers = growth(&["horizon"]).expect("many models");
    let work: Vec<(f64, f64)> = table.points("principals", &["horizon"]).iter().map(|(n, h)| (*n, n * h)).collect();
    let work = Growth::of(&many(work)).expect("many models");
    let statement = "grows polynomially with the number of principals";
    let polynomial = |growth: Growth| growth.within(0.0, GREATEST_EXPONENT);
    let mut claims = vec![
        Claim::measured("rq2/work", "layers × principals", statement, format!("to the power {work}"), polynomial(work))
            .noting(format!(
                "The layers alone grow to the power {layers}: more discounts in the same range are closer."
            )),
    ];
    if lab.is_timed() {
        let ours = growth(&CERTIFIED).expect("many models");
        let exact = growth(&EXACT).expect("many models");
        let note = format!("In fractions to the power {exact}.");
        let claim = Claim::measured("rq2/time", "time", statement, format!("to the power {ours}"), polynomial(ours));
        claims.push(claim.noting(note).timed());
        if let (Some(theirs), Some(first), Some(second)) =
            (growth(&BASELINE), growth(&BASELINE[..1]), growth(&BASELINE[1..]))
        {
            let claim = Claim::measured(
                "rq2/baseline-time",
                "the baseline's time",
                statement,
                format!("to the power {theirs}"),
                polynomial(theirs),
            );
            let caption = Claim::measured(
                "rq2/caption",
                "the baseline's time, both phases",
                "grows linearly with the number of players (caption)",
                format!("to the power {theirs}"),
                theirs.within(LINEAR.0, LINEAR.1),
            );
            claims.push(caption.timed());
            let note = format!("Its first phase to the power {first}, its second to the power {second}.");
            claims.push(claim.noting(note).timed());
        }
    }
    claims.extend(measure::checks(["rq2/engines", "rq2/baseline"], table));
    claims
}

fn figures(lab: &Lab, table: &Table) -> Vec<Figure> {
    let series = |name: &str, colour: usize, columns: &[&str]| Series {
        name: name.to_owned(),
        colour,
        points: table.points("principals", columns),
        mark: Mark::Points,
    };
    let chart = |title: &str, caption: &str, y: &str, scale, series| Chart {
        title: title.to_owned(),
        caption: Some(caption.to_owned()),
        x: Axis { label: "principals".to_owned(), scale: Scale::Linear },
        y: Axis { label: y.to_owned(), scale },
        series,
        marks: Vec::new(),
    };
    let caption = "Random models with 30 states, discounts from 0.99 to 0.05.";
    let layers = chart(
        "Layers by number of principals",
        caption,
        "layers",
        Scale::Linear,
        vec![series("horizon", colours::HORIZON, &["horizon"])],
    );
    let mut figures = vec![Figure { name: "rq2-layers", svg: layers.svg() }];
    if lab.is_timed() {
        let mut times = vec![
            series("ours, certified", colours::CERTIFIED, &CERTIFIED),
            series("ours, exact", colours::EXACT, &EXACT),
        ];
        if lab.baseline.is_ok() {
            times.push(series("baseline", colours::BASELINE, &BASELINE));
        }
        let caption = match measure::faster(table, "principals", &CERTIFIED, &BASELINE) {
            Some(faster) => format!(
                "{caption} {faster} With many principals there are hundreds of layers. A layer of the baseline is one product of \
                 arrays in plain doubles; ours adds up what every rounding can do, for each principal, and proves each decision."
            ),
            None => caption.to_owned(),
        };
        let times = chart("Time by number of principals", &caption, "seconds", Scale::Log, times);
        figures.insert(0, Figure { name: "rq2-time", svg: times.svg() });
    }
    figures
}
