//! The family whose discounts approach each other, from n = 10 to n = 10^9. [App. B.1]
//!
//! By [Eq. 7] the horizon is the least whole number that is at least ln(4n − 2 − 2/n) / ln(λ_1/λ_2). Here it is computed a
//! second time from this formula, with logarithms in 256-bit fixed point with error bounds.

use super::spacing_example;
use crate::claim::{Claim, Example};
use crate::colours;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::lab::Lab;
use crate::lab::growth::Growth;
use crate::lab::table::Table;
use crate::section::{Figure, Section};
use commonweal::answers::Certificate;
use commonweal::internals::certificate::write_canonical;
use commonweal::internals::exact::solve;
use commonweal::internals::families::spaced;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::Rational;
use commonweal::{Answer, Options};
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};
use commonweal_check::{Unreadable, Verdict, check};

/// The most work that a check may take: about a second.
const WORK: u64 = 200_000_000;

pub fn section(lab: &mut Lab) -> Result<Section, Error> {
    let columns = ["n", "horizon", "by_formula", "layers", "jumps", "certificate", "seconds"];
    let mut table = lab.table("spacing", &columns)?;
    let bar = lab.progress("spacing", 9);
    for power in 1..=9 {
        let n = Rational::from(10).pow(power);
        table.row(&[n.to_string()], || {
            let model = spaced(&n).expect("n is at least 2");
            let options = Options { keep_proof: true, ..Options::default() };
            let (solution, times) = lab.best(|| solve(&model, &options));
            let walk = solution.effort();
            Ok(vec![
                solution.horizon().to_string(),
                by_formula(&n).map_or("undecided".to_owned(), |kappa| kappa.to_string()),
                walk.n_layers.to_string(),
                walk.n_jumps.to_string(),
                verdict(&model, &solution),
                lab.seconds(times.long_term + times.unravel),
            ])
        })?;
        bar.advance();
    }
    table.finish()?;
    let mut section = Section::new(Experiment::Spacing, "Discounts that approach each other").saying(
        "The paper's family with discounts n/(2n − 1) and (n + 1)/(2n + 1). It needs as many layers as the horizon says; ours \
         jumps over those in which nothing changes, and an independent checker accepts the certificate of every answer.",
    );
    section.examples.push(spacing_example::example());
    section.examples.push(Example { title: "Up to n = 10⁹ [App. B.1]".to_owned(), claims: claims(&table) });
    section.figures.push(figure(&table));
    section.tables.push(table);
    Ok(section)
}

/// What the independent checker says of the certificate, as a field of a table.
fn verdict(model: &Mdp, solution: &Answer) -> String {
    let mut canonical = Vec::new();
    write_canonical(model, &mut canonical).expect("memory takes every byte");
    let certificate = Certificate::of_mdp(model, solution).expect("a proof was kept");
    let certificate = certificate.to_bytes().expect("memory takes every byte");
    let verdict = match check(&canonical, certificate.as_slice(), WORK) {
        Ok(Verdict::Accepted(_)) => "accepted".to_owned(),
        Ok(Verdict::Refused(why)) => format!("refused: {why}"),
        Err(Unreadable(why)) => format!("unreadable: {why}"),
    };
    verdict.replace(',', ";")
}

fn claims(table: &Table) -> Vec<Claim> {
    let n = table.rows.len();
    let as_formula = table.texts("horizon").zip(table.texts("by_formula")).filter(|(a, b)| a == b).count();
    let accepted = table.texts("certificate").filter(|text| *text == "accepted").count();
    let growth = Growth::of(&table.points("n", &["horizon"])).expect("several models");
    let layers = table.numbers("layers").into_iter().flatten().fold(0.0, f64::max);
    vec![
        Claim::check(
            "spacing/formula",
            "horizon, n = 10, …, 10⁹",
            "κ = ⌈ln κ′ / ln(λ_1/λ_2)⌉",
            format!("the same whole number for {as_formula} of {n}"),
            as_formula == n,
        ),
        Claim::measured(
            "spacing/growth",
            "growth of the horizon",
            "exponentially many steps in the binary encoding of n",
            format!("with n to the power {growth}"),
            growth.within(1.9, 2.3),
        )
        .noting(format!("With jumps at most {layers} layers are walked.")),
        Claim::found(
            "spacing/certificates",
            "correctness",
            "is unaffected",
            format!("the checker accepts {accepted} of {n} certificates"),
            accepted == n,
        ),
    ]
}

fn figure(table: &Table) -> Figure {
    let series = |name: &str, colour: usize, column| Series {
        name: name.to_owned(),
        colour,
        points: table.points("n", &[column]),
        mark: Mark::LineAndPoints,
    };
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let chart = Chart {
        title: "The paper's family: horizon and layers walked".to_owned(),
        caption: Some("Discounts n/(2n − 1) and (n + 1)/(2n + 1). The paper prints n = 10, 100 and 1000.".to_owned()),
        x: axis("n"),
        y: axis("layers"),
        series: vec![
            series("horizon", colours::HORIZON, "horizon"),
            series("layers walked, with jumps", colours::WALKED, "layers"),
        ],
        marks: Vec::new(),
    };
    Figure { name: "spacing", svg: chart.svg() }
}

/// The binary places of the logarithms.
const PLACES: isize = 256;
/// Their error bound in units of the last place: less than a hundred terms, each rounded down twice, and up to forty times
/// ln 2.
const OFF: u32 = 1 << 16;

/// ⌈ln(4n − 2 − 2/n) / ln(λ_1/λ_2)⌉, if the logarithms are precise enough.
fn by_formula(n: &Rational) -> Option<Rational> {
    let number = |x: i32| Rational::from(x);
    let imbalance = number(4) * n - number(2) - number(2) / n;
    let ratio = Rational::ONE + Rational::ONE / (number(2) * n * n + n - Rational::ONE);
    let ([over, more_over], [under, more_under]) = (logarithm(&imbalance), logarithm(&ratio));
    let (least, most) = ((over / more_under).ceil(), (more_over / under).ceil());
    (least == most).then_some(least)
}

/// Whole numbers that ln(x)·2^256 lies between; x is at least 1.
///
/// x = y·2^m with y in [1, 2), and ln y = 2·Σ z^(2k+1)/(2k+1) with z = (y − 1)/(y + 1) ≤ 1/3.
fn logarithm(x: &Rational) -> [Rational; 2] {
    let (mut y, mut halvings) = (x.clone(), 0u32);
    while y >= Rational::from(2) {
        y /= Rational::from(2);
        halvings += 1;
    }
    let middle = below_two(&y) + below_two(&Rational::from(2)) * Rational::from(halvings);
    [&middle - Rational::from(OFF), middle + Rational::from(OFF)]
}

fn below_two(y: &Rational) -> Rational {
    let z = (y - Rational::ONE) / (y + Rational::ONE);
    let one = Rational::from(2).pow(PLACES);
    let z = (z * &one).floor();
    let square = (&z * &z / &one).floor();
    let (mut power, mut total, mut k) = (z, Rational::ZERO, 1u32);
    while !power.is_zero() {
        total += (&power / Rational::from(k)).floor();
        power = (power * &square / &one).floor();
        k += 2;
    }
    total * Rational::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithms_are_those_of_the_tables() {
        // ln 2 and ln 10 to forty digits.
        for (x, digits) in
            [(2, "0.6931471805599453094172321214581765680755"), (10, "2.302585092994045684017991454684364207601")]
        {
            let printed = commonweal::internals::number::parse_rational(digits).unwrap();
            let unit = commonweal::internals::number::parse_rational("1e-39").unwrap();
            let [lower, upper] = logarithm(&Rational::from(x));
            let scale = Rational::from(2).pow(PLACES);
            assert!(lower / &scale < &printed + &unit && upper / &scale > printed - unit);
        }
    }

    #[test]
    fn the_formula_gives_the_figures_of_the_errata() {
        for (n, kappa) in [(10u32, "761"), (100, "120324"), (1000, "16595388"), (1_000_000_000, "44219120417242163736")]
        {
            assert_eq!(by_formula(&Rational::from(n)).unwrap().to_string(), kappa);
        }
    }
}
