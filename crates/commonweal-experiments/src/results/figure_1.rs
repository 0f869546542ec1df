//! The hotel in pictures: payoffs by delay, the map of best delays, and the best coin. [Fig. 1, Ex. needmem]
//!
//! Waiting one step longer than k changes the welfare by D_k = α^k(4 − 7α) + β^k(4 − 7β). With β = ρα the boundary D_k = 0 is
//! the rational curve α = (4/7)·(1 + ρ^k)/(1 + ρ^(k+1)). Where α > 4/7 > β, D_k/α^k falls with k, so the best delay is the
//! first k with D_k ≤ 0; where both exceed 4/7 it is 0, and where neither does the hotel is never expanded.

use super::claim::{Claim, Example};
use super::introduction;
use super::lab::Lab;
use super::paper;
use super::section::{Figure, Section};
use super::table::Table;
use commonweal::Options;
use commonweal::internals::exact::solve;
use commonweal::internals::families::Seeded;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::search::{SearchOptions, stationary};
use commonweal::internals::strategy::{Step, Strategy};
use commonweal_charts::{Axis, Chart, Mark, Region, RegionMap, Scale, Series};

/// Delays up to this one have a region of their own; longer ones share the sliver that is left.
const LONGEST: usize = 8;
/// Points on a boundary.
const FINENESS: i64 = 120;
/// The delays of the first picture.
const DELAYS: usize = 8;

pub fn section(lab: &mut Lab) -> anyhow::Result<Section> {
    let mut section = Section::new("figure-1", "Figure 1: the hotel")
        .saying(
            "Alice discounts by 2/3, Bob by 1/3. Waiting k steps before they expand, a^k b^ω, is best for k = 2, though neither \
             of them would choose it.",
        )
        .saying(
            "The map shows the best delay for every pair of discounts. Its boundaries are exact: waiting k and k + 1 steps earn \
             the same on the curve α = (4/7)(1 + ρ^k)/(1 + ρ^(k+1)), β = ρα. Every drawn point of it was checked in fractions.",
        );
    let payoffs = payoffs(lab)?;
    let (map, map_claims) = map(lab)?;
    let (curve, coin) = coin(lab)?;
    section.examples.push(introduction::example());
    section.examples.push(Example { title: "The strategy map [Fig. 1]".to_owned(), claims: map_claims });
    section.examples.push(Example { title: "The best coin [§1]".to_owned(), claims: coin });
    section.figures = vec![map_picture(), payoff_chart(&payoffs), coin_chart(&curve)];
    section.tables.extend([payoffs, map, curve]);
    Ok(section)
}

fn fraction(numerator: i64, denominator: i64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

/// The payoffs of a^k b^ω by the paper's formula, which the introduction's claims compare with exact evaluation.
fn payoffs(lab: &Lab) -> anyhow::Result<Table> {
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

fn payoff_chart(table: &Table) -> Figure {
    let series = |name: &str, column| Series {
        name: name.to_owned(),
        points: table.points("delay", &[column]),
        mark: Mark::LineAndPoints,
    };
    let chart = Chart {
        title: "Payoffs of waiting k steps, then expanding".to_owned(),
        caption: Some("The welfare is greatest at k = 2: 127/9.".to_owned()),
        x: Axis { label: "delay k".to_owned(), scale: Scale::Linear },
        y: Axis { label: "discounted payoff".to_owned(), scale: Scale::Linear },
        series: vec![series("welfare", "welfare"), series("Alice", "alice"), series("Bob", "bob")],
    };
    Figure { name: "figure-1-payoffs", svg: chart.svg() }
}

/// What one more step of waiting after k changes.
fn change(k: usize, alpha: &Rational, beta: &Rational) -> Rational {
    let of = |discount: &Rational| discount.pow(k as isize) * (Rational::from(4) - Rational::from(7) * discount);
    of(alpha) + of(beta)
}

/// Where waiting k and k + 1 steps earn the same: the point with β = ρα.
fn boundary(k: usize, rho: &Rational) -> (Rational, Rational) {
    let power = rho.pow(k as isize);
    let alpha = fraction(4, 7) * (Rational::ONE + &power) / (Rational::ONE + power * rho);
    let beta = rho * &alpha;
    (alpha, beta)
}

/// The best delay, by what one more step changes; `None` if it is best never to expand.
fn best_delay(alpha: &Rational, beta: &Rational) -> Option<usize> {
    let limit = fraction(4, 7);
    if *alpha <= limit && *beta <= limit { None } else { (0..).find(|&k| change(k, alpha, beta) <= Rational::ZERO) }
}

/// Random pairs of discounts, solved, against the boundaries.
fn map(lab: &mut Lab) -> anyhow::Result<(Table, Vec<Claim>)> {
    let n = if lab.is_quick { 60 } else { 400 };
    let mut table = lab.table("figure-1-map", &["alice", "bob", "by_boundary", "solved"])?;
    let mut random = Seeded::new(lab.seed_of(0));
    let shown = |delay: Option<usize>| delay.map_or("never".to_owned(), |k| k.to_string());
    for instance in 0..n {
        // Half of them close to where the short delays are.
        let mut draw = |from: u64, to: u64| fraction((from + random.below(to - from)) as i64, 10_007);
        let (alpha, beta) = match instance % 2 {
            0 => (draw(1, 10_007), draw(1, 10_007)),
            _ => (draw(5_719, 7_200), draw(1, 5_718)),
        };
        table.row(&[alpha.to_string(), beta.to_string()], || {
            Ok(vec![shown(best_delay(&alpha, &beta)), shown(solved_delay(&alpha, &beta))])
        })?;
    }
    table.finish()?;
    let agreeing = table.texts("by_boundary").zip(table.texts("solved")).filter(|(a, b)| a == b).count();
    let mut delays: Vec<&str> = table.texts("solved").collect();
    delays.sort();
    delays.dedup();
    // Every point that is drawn lies on its boundary, and a step to the left or to the right decides it either way.
    let step = fraction(1, 1_000_000);
    let (mut n_points, mut exact) = (0, 0);
    for k in 0..LONGEST {
        for (alpha, beta) in curve(k) {
            let sides = [-1, 1].map(|side| change(k, &(&alpha + Rational::from(side) * &step), &beta));
            n_points += 1;
            let is_exact = change(k, &alpha, &beta).is_zero();
            exact += usize::from(is_exact && sides[0] > Rational::ZERO && sides[1] < Rational::ZERO);
        }
    }
    let here = best_delay(&fraction(2, 3), &fraction(1, 3));
    let claims = vec![
        Claim::words("map/here", "delay at (2/3, 1/3)", "2", shown(here)),
        Claim::found(
            "map/regions",
            "regions of the map",
            "each corresponds to a fixed number of steps to wait",
            format!(
                "solved for {n} random pairs: {agreeing} lie in the region of their delay ({} delays met)",
                delays.len()
            ),
            agreeing == n,
        ),
        Claim::check(
            "map/boundaries",
            "boundaries of the map",
            "points on them are roots of α^k(4 − 7α) + β^k(4 − 7β)",
            format!("{exact} of {n_points} drawn points are exact roots with a change of sign"),
            exact == n_points,
        ),
    ];
    Ok((table, claims))
}

/// The best delay that the solver finds.
fn solved_delay(alpha: &Rational, beta: &Rational) -> Option<usize> {
    let model = paper::model(paper::HOTEL)
        .with_discount(0.into(), alpha.clone())
        .and_then(|model| model.with_discount(1.into(), beta.clone()))
        .expect("discounts below 1");
    let solution = solve(&model, &Options::default());
    let changes = solution.strategy().changes(model.start());
    let expand = paper::choice(&model, "s0", "b");
    let from = changes.iter().find(|change| change.choice == expand)?.from.clone();
    Some((0..).find(|&k: &usize| Step::from(k) == from).expect("a delay"))
}

/// The boundary between k and k + 1 steps where Alice is the patient one, from Bob's discount 0 to the corner (4/7, 4/7); for
/// k = 0 the part inside the square.
fn curve(k: usize) -> Vec<(Rational, Rational)> {
    let first = if k == 0 { fraction(1, 7) } else { Rational::ZERO };
    let points = (0..FINENESS).map(|i| &first + (Rational::ONE - &first) * fraction(i, FINENESS));
    points.map(|rho| boundary(k, &rho)).collect()
}

fn map_picture() -> Figure {
    let corner = 4.0 / 7.0;
    let doubles = |k: usize| -> Vec<(f64, f64)> {
        let point = |(a, b): (Rational, Rational)| (a.to_f64(), b.to_f64());
        curve(k).into_iter().map(point).chain([(corner, corner)]).collect()
    };
    let reversed = |mut points: Vec<(f64, f64)>| {
        points.reverse();
        points
    };
    let mirrored = |points: Vec<(f64, f64)>| vec![points.iter().map(|&(a, b)| (b, a)).collect(), points];
    let name = |k: usize| match k {
        0 => "expand at once".to_owned(),
        1 => "wait 1 step".to_owned(),
        k => format!("{k} steps"),
    };
    let mut regions = vec![Region {
        name: name(0),
        outline: vec![vec![(corner, corner), (1.0, 1.0 / 7.0), (1.0, 1.0), (1.0 / 7.0, 1.0)]],
    }];
    // One step: between the line α + β = 8/7 and the first curve.
    let mut one = vec![(1.0, 0.0), (1.0, 1.0 / 7.0)];
    one.extend(reversed(doubles(1)));
    regions.push(Region { name: name(1), outline: mirrored(one) });
    for k in 2..=LONGEST {
        let mut ring = doubles(k - 1);
        // The last one takes what is left, down to the line α = 4/7.
        ring.extend(if k < LONGEST { reversed(doubles(k)) } else { vec![(corner, 0.0)] });
        let name = if k < LONGEST { name(k) } else { format!("{k} steps or more") };
        regions.push(Region { name, outline: mirrored(ring) });
    }
    let never = vec![(0.0, 0.0), (corner, 0.0), (corner, corner), (0.0, corner)];
    regions.push(Region { name: "never expand".to_owned(), outline: vec![never] });
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Linear };
    let map = RegionMap {
        title: "The best delay for every pair of discounts".to_owned(),
        caption: Some("Boundaries are exact: roots of α^k(4 − 7α) + β^k(4 − 7β).".to_owned()),
        x: axis("Alice's discount α"),
        y: axis("Bob's discount β"),
        range: [(0.0, 1.0), (0.0, 1.0)],
        regions,
        curves: Vec::new(),
        marks: vec![(2.0 / 3.0, 1.0 / 3.0, "the hotel: 2 steps".to_owned())],
    };
    Figure { name: "strategy-map", svg: map.svg() }
}

/// The welfare of expanding by the toss of a coin, and the best coin.
fn coin(lab: &Lab) -> anyhow::Result<(Table, Vec<Claim>)> {
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
    let search = stationary(&model, &SearchOptions { gap, ..SearchOptions::default() });
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
        Strategy::Counting(_) => f64::NAN,
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

fn coin_chart(table: &Table) -> Figure {
    let chart = Chart {
        title: "Expanding by the toss of a coin".to_owned(),
        caption: Some("Best at 0.80629, where it earns 20 − 2√10 ≈ 13.675; counting earns 127/9 ≈ 14.111.".to_owned()),
        x: Axis { label: "probability of staying (a)".to_owned(), scale: Scale::Linear },
        y: Axis { label: "welfare".to_owned(), scale: Scale::Linear },
        series: vec![
            Series {
                name: "stationary".to_owned(),
                points: table.points("probability_of_a", &["welfare"]),
                mark: Mark::Line,
            },
            Series {
                name: "best of all".to_owned(),
                points: vec![(0.0, 127.0 / 9.0), (1.0, 127.0 / 9.0)],
                mark: Mark::Dashed,
            },
        ],
    };
    Figure { name: "figure-1-coin", svg: chart.svg() }
}
