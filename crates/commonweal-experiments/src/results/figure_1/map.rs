//! The best delay for every pair of discounts. [Fig. 1]
//!
//! Waiting one step longer than k changes the welfare by D_k = α^k(4 − 7α) + β^k(4 − 7β). With β = ρα the boundary D_k = 0 is
//! the rational curve α = (4/7)·(1 + ρ^k)/(1 + ρ^(k+1)). Where α > 4/7 > β, D_k/α^k falls with k, so the best delay is the
//! first k with D_k ≤ 0; where both exceed 4/7 it is 0, and where neither does the hotel is never expanded.

use super::fraction;
use crate::claim::Claim;
use crate::error::Error;
use crate::lab::Lab;
use crate::lab::table::Table;
use crate::paper;
use crate::section::Figure;
use commonweal::Options;
use commonweal::internals::exact::solve;
use commonweal::internals::families::Seeded;
use commonweal::internals::number::Rational;
use commonweal::internals::strategy::Step;
use commonweal_charts::{Axis, Region, RegionMap, Scale};

/// Delays up to this one have a region of their own; longer ones share the remaining region.
const LONGEST: usize = 8;
/// Points on a boundary.
const FINENESS: i64 = 120;

/// Random pairs of discounts, solved, against the boundaries.
pub fn table(lab: &Lab) -> Result<(Table, Vec<Claim>), Error> {
    let n = if lab.is_quick() { 60 } else { 400 };
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

pub fn figure() -> Figure {
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
    let region = |name: String, outline| Region { name, words: String::new(), outline, is_rest: false };
    let at_once = vec![vec![(corner, corner), (1.0, 1.0 / 7.0), (1.0, 1.0), (1.0 / 7.0, 1.0)]];
    let mut regions = vec![region(name(0), at_once)];
    // One step: between the line α + β = 8/7 and the first curve.
    let mut one = vec![(1.0, 0.0), (1.0, 1.0 / 7.0)];
    one.extend(reversed(doubles(1)));
    regions.push(region(name(1), mirrored(one)));
    for k in 2..=LONGEST {
        let mut ring = doubles(k - 1);
        // The last one takes what is left, down to the line α = 4/7.
        ring.extend(if k < LONGEST { reversed(doubles(k)) } else { vec![(corner, 0.0)] });
        let name = if k < LONGEST { name(k) } else { format!("{k} steps or more") };
        regions.push(region(name, mirrored(ring)));
    }
    let never = vec![(0.0, 0.0), (corner, 0.0), (corner, corner), (0.0, corner)];
    regions.push(region("never expand".to_owned(), vec![never]));
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
