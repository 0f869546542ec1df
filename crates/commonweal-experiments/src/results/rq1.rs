//! Running time by number of states. [RQ1]

use crate::claim::{Claim, Example};
use crate::colours;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::lab::Lab;
use crate::lab::growth::Growth;
use crate::lab::measure::{self, BASELINE, CERTIFIED, EXACT, measure};
use crate::lab::table::Table;
use crate::section::{Figure, Section};
use commonweal::internals::families::{LargeFamily, Neighbourhood, RandomFamily};
use commonweal::internals::number::{Rational, parse_rational};
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};

/// The discounts of the second set: the paper says that there are six.
const SIX: [&str; 6] = ["0.95", "0.8", "0.65", "0.5", "0.35", "0.2"];
/// The baseline takes minutes beyond this.
const LARGEST_FOR_BASELINE: usize = 100_000;
/// Below this many states the set-up dominates the time, so smaller models are not used for the growth.
const LEAST_OF_SMALL: f64 = 200.0;
const LEAST_OF_LARGE: f64 = 1_000.0;
/// The most seconds that the largest model may take and still count as tractable.
const TRACTABLE: f64 = 600.0;
/// The exponents that count as linear: over a factor of ten in size, caches may change the time of a state, and the logarithm of
/// the size the number of layers, by a factor of 1.8, which is 10^0.25. A square would be 2.
pub const LINEAR: (f64, f64) = (0.75, 1.25);

pub fn section(lab: &mut Lab) -> Result<Section, Error> {
    let (small, large) = (small(lab)?, large(lab)?);
    let mut section = Section::new(Experiment::Rq1, "RQ1: the number of states")
        .saying(
            "First set: one random model for each of 2, 22, …, 1982 states, with two actions and discounts 0.9 and 0.3. Chosen \
             by us: five successors for every action, probabilities over a denominator of at most 100, whole rewards from −100 \
             to 100. Each is solved by both of our engines, in fractions and in doubles with proven bounds, and by the baseline.",
        )
        .saying(
            "Second set: from 3 to 10⁵ states in powers of √10 with six principals and two actions, extended to 10⁶. Chosen by \
             us: discounts 0.95, 0.8, 0.65, 0.5, 0.35 and 0.2, five successors anywhere, probabilities uniform over all that sum to \
             1, rewards uniform in [−10, 10]. Solved in doubles with bounds that are proven to be 10⁻⁹ of the scale apart. The \
             baseline stops at 10⁵ states.",
        )
        .quick(lab, "every tenth")
        .saying(
            "Growth counts as linear if the 95 % confidence interval of its exponent lies within [0.75, 1.25]: over a factor of ten \
             in size, caches may change the time of one state, and the logarithm of the size that of a layer, by a factor of 1.8, which \
             is 10^0.25. An interval that reaches beyond leaves it open.",
        );
    let mut claims = stated();
    claims.extend(claims_of_small(lab, &small));
    claims.extend(claims_of_large(lab, &large));
    section.examples.push(Example { title: "Number of states [RQ1, Fig. 3, Fig. 6]".to_owned(), claims });
    section.figures = figures(lab, &small, &large);
    section.tables.extend([small, large]);
    Ok(section)
}

/// What the paper says of its sizes.
pub fn stated() -> Vec<Claim> {
    let last = 2 + 99 * 20;
    let sizes = format!("100 models, from 2 to {last} in increments of 20");
    vec![Claim::words("rq1/sizes", "sizes of the first set", "100 models, from 2 to 2000 in increments of 20", sizes)]
}

fn small(lab: &mut Lab) -> Result<Table, Error> {
    let mut table = lab.table("rq1-small", &[&["states", "seed"][..], &measure::COLUMNS].concat())?;
    let step = if lab.is_quick() { 10 } else { 1 };
    let bar = lab.progress("rq1, small", 100 / step);
    for instance in (0..100).step_by(step) {
        let (n_states, seed) = (2 + 20 * instance, lab.seed_of(instance));
        table.row(&[n_states.to_string(), seed.to_string()], || {
            let family = RandomFamily {
                n_states,
                n_actions: 2,
                n_successors: 5,
                discounts: discounts(&["0.9", "0.3"]),
                max_denominator: 100,
                max_reward: 100,
                seed,
            };
            let model = family.model().expect("a valid family");
            measure(lab, Some(&model), &model.to_doubles().expect("numbers of ordinary size"), u64::MAX)
        })?;
        bar.advance();
    }
    table.finish()?;
    Ok(table)
}

fn large(lab: &mut Lab) -> Result<Table, Error> {
    let mut table = lab.table("rq1-large", &[&["states", "seed"][..], &measure::COLUMNS].concat())?;
    // Powers of √10.
    let powers = if lab.is_quick() { 1..=9 } else { 1..=12 };
    let bar = lab.progress("rq1, large", powers.clone().count());
    for power in powers {
        let n_states = 10f64.powf(f64::from(power) / 2.0).round() as usize;
        let seed = lab.seed_of(100 + power as usize);
        table.row(&[n_states.to_string(), seed.to_string()], || {
            let family = LargeFamily {
                neighbourhood: Neighbourhood::Uniform,
                n_states,
                n_actions: 2,
                n_successors: 5,
                discounts: discounts(&SIX),
                seed,
            };
            let longest = if n_states <= LARGEST_FOR_BASELINE { u64::MAX } else { 0 };
            measure(lab, None, &family.model().expect("a valid family"), longest)
        })?;
        bar.advance();
    }
    table.finish()?;
    Ok(table)
}

fn discounts(texts: &[&str]) -> Vec<Rational> {
    texts.iter().map(|text| parse_rational(text).expect("a discount")).collect()
}

/// The growth of some columns with the states, from that many states on.
fn growth(table: &Table, columns: &[&str], from: f64) -> Option<Growth> {
    let points = table.points("states", columns);
    Growth::of(&points.into_iter().filter(|(states, _)| *states >= from).collect::<Vec<_>>())
}

/// A claim that something grows linearly.
fn linear(id: &'static str, what: &str, statement: &str, growth: Growth) -> Claim {
    Claim::measured(id, what, statement, format!("to the power {growth}"), growth.within(LINEAR.0, LINEAR.1))
}

fn claims_of_small(lab: &Lab, table: &Table) -> Vec<Claim> {
    let layers: Vec<(f64, f64)> =
        table.points("states", &["horizon"]).into_iter().filter(|(states, _)| *states >= LEAST_OF_SMALL).collect();
    let work: Vec<(f64, f64)> = layers.iter().map(|(states, layers)| (*states, layers * 2.0 * states)).collect();
    let [layers, work] = [layers, work].map(|points| Growth::of(&points).expect("many models"));
    let statement = "grows linearly with the number of states";
    let mut claims = vec![
        linear("rq1/work", "layers × choices, up to 2,000 states", statement, work)
            .noting(format!("The layers alone grow to the power {layers}: with more choices, some pay for longer.")),
    ];
    if lab.is_timed() {
        let ours = growth(table, &CERTIFIED, LEAST_OF_SMALL).expect("many models");
        let exact = growth(table, &EXACT, LEAST_OF_SMALL).expect("many models");
        let note = format!("In fractions, whose length grows with the model, to the power {exact}.");
        let time = linear("rq1/time", "time, up to 2,000 states", statement, ours);
        claims.push(time.noting(note).timed());
        if let Some(theirs) = growth(table, &BASELINE, LEAST_OF_SMALL) {
            claims.push(
                Claim::measured(
                    "rq1/baseline-time",
                    "the baseline's time",
                    statement,
                    format!("to the power {theirs}"),
                    theirs.within(0.0, LINEAR.1),
                )
                .noting("Below 1 where the cost of a call of numpy outweighs its work.".to_owned())
                .timed(),
            );
        }
    }
    claims.extend(measure::checks(["rq1/engines", "rq1/baseline"], table));
    claims
}

fn claims_of_large(lab: &Lab, table: &Table) -> Vec<Claim> {
    let mut claims = Vec::new();
    if lab.is_timed() {
        let statement = "grows linearly without Algorithm 1";
        let ours = growth(table, &CERTIFIED[1..], LEAST_OF_LARGE).expect("several models");
        let whole = growth(table, &CERTIFIED, LEAST_OF_LARGE).expect("several models");
        let note = format!("Both phases together: to the power {whole}.");
        let second = linear("rq1/large", "second phase, large models", statement, ours);
        claims.push(second.noting(note).timed());
        if let Some(theirs) = growth(table, &BASELINE[1..], LEAST_OF_LARGE) {
            let second = linear("rq1/baseline-large", "the baseline's second phase", statement, theirs);
            claims.push(second.timed());
        }
        let [first, second] = [0, 1].map(|phase| table.points("states", &BASELINE[phase..=phase]));
        if let (Some((states, first)), Some((_, second))) = (first.last(), second.last()) {
            claims.push(
                Claim::found(
                    "rq1/dominates",
                    "the baseline's first phase",
                    "solving the MDPs dominates the cost for large instances",
                    format!("{first:.2} s of {:.2} s at {states} states", first + second),
                    first > second,
                )
                .timed(),
            );
        }
        let largest = table.points("states", &CERTIFIED);
        let (states, seconds) = *largest.last().expect("several models");
        let against = table.points("states", &BASELINE).last().and_then(|(states, theirs)| {
            let ours = largest.iter().find(|point| point.0 == *states)?.1;
            Some(format!("At {states} states the baseline takes {:.0} times as long as ours.", theirs / ours))
        });
        claims.push(
            Claim::found(
                "rq1/tractable",
                "the largest model, both phases",
                "remains tractable even for large MDPs",
                format!("{states} states in {seconds:.2} s, with proven bounds; up to {TRACTABLE} s count"),
                seconds <= TRACTABLE,
            )
            .noting(against)
            .timed(),
        );
    }
    claims.extend(measure::checks(["rq1/large-engines", "rq1/large-baseline"], table));
    claims
}

fn figures(lab: &Lab, small: &Table, large: &Table) -> Vec<Figure> {
    let chart = |title: &str, caption: &str, y: &str, scale, series| Chart {
        title: title.to_owned(),
        caption: Some(caption.to_owned()),
        x: Axis { label: "states".to_owned(), scale },
        y: Axis { label: y.to_owned(), scale },
        series,
        marks: Vec::new(),
    };
    let series = |table: &Table, name: &str, colour: usize, columns: &[&str], mark| Series {
        name: name.to_owned(),
        colour,
        points: table.points("states", columns),
        mark,
    };
    if !lab.is_timed() {
        let layers = vec![series(large, "horizon", colours::HORIZON, &["horizon"], Mark::LineAndPoints)];
        let mut layers = chart("Layers by number of states", "Six principals.", "layers", Scale::Log, layers);
        layers.y.scale = Scale::Linear;
        return vec![Figure { name: "rq1-layers", svg: layers.svg() }];
    }
    // The fitted power, over the sizes that it was fitted to.
    let fit = |columns: &[&str]| {
        let growth = growth(large, columns, LEAST_OF_LARGE)?;
        let largest = large.points("states", columns).last()?.0;
        let points = [LEAST_OF_LARGE, largest].map(|states| (states, growth.at(states))).to_vec();
        let name = format!("ours, fit: power {:.2}", growth.exponent);
        Some(Series { name, colour: colours::CERTIFIED, points, mark: Mark::Dashed })
    };
    let mut first = vec![series(small, "ours, certified", colours::CERTIFIED, &CERTIFIED, Mark::Points)];
    let mut both = vec![series(large, "ours, both phases", colours::CERTIFIED, &CERTIFIED, Mark::LineAndPoints)];
    let mut second =
        vec![series(large, "ours, second phase", colours::CERTIFIED, &CERTIFIED[1..], Mark::LineAndPoints)];
    if lab.baseline.is_ok() {
        first.push(series(small, "baseline", colours::BASELINE, &BASELINE, Mark::Points));
        both.push(series(large, "baseline, both phases", colours::BASELINE, &BASELINE, Mark::LineAndPoints));
        second.push(series(large, "baseline, second phase", colours::BASELINE, &BASELINE[1..], Mark::LineAndPoints));
    }
    both.extend(fit(&CERTIFIED));
    second.extend(fit(&CERTIFIED[1..]));
    let exact = vec![
        series(small, "ours, exact", colours::EXACT, &EXACT, Mark::Points),
        series(small, "ours, certified", colours::CERTIFIED, &CERTIFIED, Mark::Points),
    ];
    let figure = |name, chart: Chart| Figure { name, svg: chart.svg() };
    let told = |table: &Table, caption: &str, ours: &[&str], theirs: &[&str]| {
        let faster = measure::faster(table, "states", ours, theirs);
        faster.map_or_else(|| caption.to_owned(), |faster| format!("{caption} {faster}"))
    };
    vec![
        figure(
            "rq1-small",
            chart(
                "Time by number of states",
                &told(small, "Two principals, both phases: the paper's first panel.", &CERTIFIED, &BASELINE),
                "seconds",
                Scale::Linear,
                first,
            ),
        ),
        figure(
            "rq1-large",
            chart(
                "Large models",
                &told(large, "Six principals, both phases.", &CERTIFIED, &BASELINE),
                "seconds",
                Scale::Log,
                both,
            ),
        ),
        figure(
            "rq1-second-phase",
            chart(
                "The same without Algorithm 1",
                &told(
                    large,
                    "Six principals, second phase: the paper's second panel.",
                    &CERTIFIED[1..],
                    &BASELINE[1..],
                ),
                "seconds",
                Scale::Log,
                second,
            ),
        ),
        figure(
            "rq1-exact",
            chart(
                "What fractions cost",
                "The first set, solved in fractions and in doubles with proven bounds.",
                "seconds",
                Scale::Log,
                exact,
            ),
        ),
    ]
}
