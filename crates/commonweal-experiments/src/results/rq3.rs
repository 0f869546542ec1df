//! Running time for close discounts. [RQ3]

use crate::claim::{Claim, Example};
use crate::closeness;
use crate::colours;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::lab::Lab;
use crate::lab::growth::Growth;
use crate::lab::measure::{self, BASELINE, EXACT, measure};
use crate::lab::table::Table;
use crate::section::{Figure, Section};
use commonweal::Options;
use commonweal::internals::exact::solve;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};

/// λ_0/λ_1 − 1 beyond the paper's range.
const CLOSER: [&str; 10] = ["0.1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10"];
/// Horizons beyond this are not walked step by step, and not given to the baseline.
const LONGEST_WALK: u64 = 50_000;

pub fn section(lab: &mut Lab) -> Result<Section, Error> {
    let mut table =
        lab.table("rq3", &[&["spacing", "ratio", "seed"][..], &measure::COLUMNS, &["plain_seconds"]].concat())?;
    let spacings = spacings(lab.is_quick());
    let bar = lab.progress("rq3", spacings.len());
    for (instance, spacing) in spacings.iter().enumerate() {
        // Beyond the paper's range it is one model, so that nothing but the ratio changes.
        let seed = lab.seed_of(instance.min(spacings.len() - CLOSER.len()));
        let ratio = Rational::ONE + number(spacing);
        let key = [spacing.clone(), ratio.to_f64().to_string(), seed.to_string()];
        table.row(&key, || {
            let model = closeness::model(&ratio, seed);
            let doubles = model.to_doubles().expect("numbers of ordinary size");
            let mut fields = measure(lab, Some(&model), &doubles, LONGEST_WALK)?;
            let is_short = fields[0].parse().is_ok_and(|horizon: u64| horizon <= LONGEST_WALK);
            fields.push(if is_short && lab.is_timed() {
                let options = Options { jumps: false, ..Options::default() };
                let (_, times) = lab.best(|| solve(&model, &options));
                lab.seconds(times.long_term + times.unravel)
            } else {
                String::new()
            });
            Ok(fields)
        })?;
        bar.advance();
    }
    table.finish()?;
    let mut section = Section::new(Experiment::Rq3, "RQ3: the ratio of discounts")
        .saying(
            "100 random models with 30 states and two actions, one for each ratio λ₀/λ₁ from 1.32 to 16. Chosen by us: five \
             successors for every action, probabilities over a denominator of at most 100, whole rewards from −100 to 100, \
             λ₀ = 0.9, ratios in a geometric progression.",
        )
        .saying(
            "Then on to 1 + 10⁻¹⁰, where the horizon has ten digits: a walk over all layers ends, and jumps go on.",
        );
    section
        .examples
        .push(Example { title: "Ratio of discounts [RQ3, Fig. 3]".to_owned(), claims: claims(lab, &table) });
    section.figures = figures(lab, &table);
    section.tables.push(table);
    Ok(section)
}

/// λ_0/λ_1 − 1 of every model: from 15 down to 0.32, then on.
fn spacings(is_quick: bool) -> Vec<String> {
    let n = if is_quick { 12 } else { 100 };
    let ratio = |i: usize| 16.0 * (1.32f64 / 16.0).powf(i as f64 / (n - 1) as f64);
    let papers = (0..n).map(|i| format!("{:.4}", ratio(i) - 1.0));
    papers.chain(CLOSER.map(str::to_owned)).collect()
}

fn number(text: &str) -> Rational {
    parse_rational(text).expect("a number")
}

/// The points of the paper's range, and those beyond it.
fn within(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().copied().filter(|(spacing, _)| *spacing >= 0.3).collect()
}

fn claims(lab: &Lab, table: &Table) -> Vec<Claim> {
    let horizons = table.points("spacing", &["horizon"]);
    let by_logarithm: Vec<(f64, f64)> = within(&horizons).iter().map(|&(x, y)| (x.ln_1p(), y)).collect();
    let falling = Growth::of(&by_logarithm).expect("many models");
    let beyond: Vec<(f64, f64)> = horizons.iter().copied().filter(|(spacing, _)| *spacing < 0.3).collect();
    let rising = Growth::of(&beyond).expect("several models");
    let layers = table.points("spacing", &["layers"]);
    let most = layers.iter().map(|(_, layers)| *layers).fold(0.0, f64::max);
    let mut claims = vec![
        Claim::found(
            "rq3/falls",
            "layers by ratio",
            "the work falls steeply as the ratio grows",
            format!("layers grow with the logarithm of the ratio to the power {falling}"),
            falling.exponent + falling.margin < 0.0,
        ),
        Claim::measured(
            "rq3/close",
            "horizon of close discounts",
            "without spacing, the unravelling depth grows like 1/(λ₀/λ₁ − 1)",
            format!("to the power {rising} of λ₀/λ₁ − 1, down to 10⁻¹⁰"),
            rising.within(-1.1, -0.9),
        )
        .noting(format!("With jumps at most {most} layers are walked, where the horizon is the longest too.")),
    ];
    if lab.is_timed() {
        for (id, ratio, text, seconds) in [
            ("rq3/at-1.32", 1.32, "≈ 0.3 s", 0.3),
            ("rq3/at-4", 4.0, "below 0.02 s", 0.02),
            ("rq3/at-16", 16.0, "around 0.01 s", 0.01),
        ] {
            let ours = near(&within(&table.points("spacing", &EXACT)), ratio - 1.0).expect("many models");
            let theirs = near(&within(&table.points("spacing", &BASELINE)), ratio - 1.0);
            let theirs = theirs.map_or(String::new(), |theirs| format!("; baseline {} s", shown(theirs)));
            claims.push(
                Claim::found(
                    id,
                    format!("time at λ₀/λ₁ = {ratio}, no longer"),
                    text,
                    format!("{} s{theirs}", shown(ours)),
                    ours <= seconds,
                )
                .timed(),
            );
        }
        if let Some(growth) = Growth::of(&by_log(&within(&table.points("spacing", &BASELINE[1..])))) {
            claims.push(
                Claim::found(
                    "rq3/baseline-falls",
                    "the baseline's second phase",
                    "execution time falls as the ratio grows, then flattens",
                    format!("with the logarithm of the ratio to the power {growth}"),
                    growth.exponent + growth.margin < 0.0,
                )
                .noting(fall_of_both_phases(table))
                .timed(),
            );
        }
    }
    claims.extend(measure::checks(["rq3/engines", "rq3/baseline"], table));
    claims
}

/// How much less the baseline takes, both phases together, at the far end of the paper's range.
fn fall_of_both_phases(table: &Table) -> Option<String> {
    let points = within(&table.points("spacing", &BASELINE));
    let factor = near(&points, 0.32)? / near(&points, 15.0)?;
    Some(format!(
        "Both phases together fall by a factor of {factor:.1}: most of it is value iteration for the patient principal, whose \
         discount we keep the same."
    ))
}

fn by_log(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().map(|&(spacing, y)| (spacing.ln_1p(), y)).collect()
}

/// The median of the five points that are nearest to `x`, by ratio.
fn near(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| (a.0 / x).ln().abs().total_cmp(&(b.0 / x).ln().abs()));
    let mut nearest: Vec<f64> = points.iter().take(5).map(|point| point.1).collect();
    nearest.sort_by(f64::total_cmp);
    nearest.get(nearest.len() / 2).copied()
}

fn shown(seconds: f64) -> String {
    format!("{seconds:.2e}")
}

fn with(caption: &str, more: Option<String>) -> String {
    more.map_or_else(|| caption.to_owned(), |more| format!("{caption} {more}"))
}

fn figures(lab: &Lab, table: &Table) -> Vec<Figure> {
    let series = |name: &str, colour: usize, columns: &[&str], mark| Series {
        name: name.to_owned(),
        colour,
        points: table.points("spacing", columns),
        mark,
    };
    let figure = |name, chart: Chart| Figure { name, svg: chart.svg() };
    let layers = closeness::chart(
        "The horizon explodes, the work does not",
        "Random models with 30 states, λ₀ = 0.9. The paper's range ends at 3.1.",
        "layers",
        vec![
            series("horizon", colours::HORIZON, &["horizon"], Mark::LineAndPoints),
            series("layers walked, with jumps", colours::WALKED, &["layers"], Mark::LineAndPoints),
        ],
    );
    if !lab.is_timed() {
        return vec![figure("rq3-layers", layers)];
    }
    let ratios = |name: &str, colour: usize, columns: &[&str], mark| Series {
        name: name.to_owned(),
        colour,
        points: within(&table.points("spacing", columns)).into_iter().map(|(x, y)| (1.0 + x, y)).collect(),
        mark,
    };
    let mut of_paper = vec![ratios("ours, exact", colours::EXACT, &EXACT, Mark::Points)];
    let mut beyond = vec![
        series("ours, exact", colours::EXACT, &EXACT, Mark::LineAndPoints),
        series("ours, every layer walked", colours::EVERY_LAYER, &["plain_seconds"], Mark::Dashed),
    ];
    if lab.baseline.is_ok() {
        of_paper.insert(0, ratios("baseline", colours::BASELINE, &BASELINE, Mark::Points));
        of_paper.insert(1, ratios("baseline, second phase", colours::BASELINE, &BASELINE[1..], Mark::Dashed));
        beyond.push(series("baseline", colours::BASELINE, &BASELINE, Mark::Points));
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let ratio = Chart {
        title: "Time by ratio of discounts".to_owned(),
        caption: Some(with(
            "Random models with 30 states, one for each ratio: the paper's fourth panel.",
            measure::faster(table, "ratio", &EXACT, &BASELINE),
        )),
        x: axis("ratio λ₀/λ₁"),
        y: axis("seconds"),
        series: of_paper,
        marks: Vec::new(),
    };
    let closer = closeness::chart(
        "Time where discounts draw together",
        &with("The same models, on to a ratio of 1 + 10⁻¹⁰.", closeness::peak(&table.points("spacing", &EXACT))),
        "seconds",
        beyond,
    );
    vec![figure("rq3-ratio", ratio), figure("rq3-layers", layers), figure("rq3-closer", closer)]
}
