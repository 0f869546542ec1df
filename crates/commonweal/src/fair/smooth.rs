//! Smooth rules, Nash and α-fair, to a proven gap; exactly if the optimum is a vertex, or for Nash with two principals.
//!
//! The rule is a sum of concave functions `f(u)` of each principal's gain. For any slope s > 0 the tangent `s u + c(s)`, with
//! `c(s) = max f(u) − s u`, is nowhere below f, so the minimum of a few tangents in place of each f makes a linear program whose
//! optimum is an upper bound. Its mix gives a lower bound. Each round adds the tangents at the mix, and the best point for the
//! weights from the duals (column generation): both bounds converge.
//!
//! Any mix gives a lower bound, and any multipliers of the tangents that sum to 1 for each principal give an upper one. So, without
//! demands, doubles solve the linear program, and fractions prove what comes of it; if doubles no longer help, fractions solve it.
//!
//! ```text
//! Nash     f(u) = ln u               c(s) = −1 − ln s
//! α-fair   f(u) = u^(1−α)/(1−α)      c(s) = α/(1−α) · s^((α−1)/α)
//! ```

use super::Weights;
use super::payoff_set::{Best, Point};
use super::program::{Condition, Extra, Face, Program};
use super::restricted_face::{RestrictedFace, unit};
use super::rules::Rule;
use super::simplex::{Optimum, Sense};
use crate::number::{Rational, logarithm, real_power, rounded_down, sum};
use crate::stop::{StopReason, StopSignal};

/// The bits of a slope.
const SLOPE_BITS: isize = 48;
/// The most rounds.
const MOST_ROUNDS: usize = 400;

/// The most rounds without a new point: tangents alone need fewer.
const MOST_WITHOUT_NEWS: usize = 60;

/// The function of a gain that a smooth rule adds up.
#[derive(Debug, Clone)]
pub(super) enum Smooth {
    Nash,
    Alpha(Rational),
}

impl Smooth {
    pub fn of(rule: &Rule) -> Option<Smooth> {
        match rule {
            Rule::Nash => Some(Smooth::Nash),
            Rule::Alpha(alpha) => Some(Smooth::Alpha(alpha.clone())),
            Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::KalaiSmorodinsky | Rule::Gini(_) => None,
        }
    }

    /// f(u) from below and from above; u is positive.
    fn at(&self, u: &Rational) -> [Rational; 2] {
        match self {
            Smooth::Nash => logarithm(u),
            Smooth::Alpha(alpha) => {
                let exponent = Rational::ONE - alpha;
                let [below, above] = real_power(u, &exponent).map(|power| power / &exponent);
                if below <= above { [below, above] } else { [above, below] }
            }
        }
    }

    /// An approximation of f′(u).
    fn slope(&self, u: &Rational) -> Rational {
        let u = rounded_down(u, SLOPE_BITS);
        let slope = match self {
            Smooth::Nash => Rational::ONE / u,
            Smooth::Alpha(alpha) => real_power(&u, &-alpha)[0].clone(),
        };
        rounded_down(&slope, SLOPE_BITS)
    }

    /// The slope exactly, where it is a fraction.
    fn exact_slope(&self, u: &Rational) -> Option<Rational> {
        match self {
            Smooth::Nash => Some(Rational::ONE / u),
            Smooth::Alpha(alpha) => alpha.is_whole().then(|| real_power(u, &-alpha)[0].clone()),
        }
    }

    /// An upper bound on c(s).
    fn intercept(&self, slope: &Rational) -> Rational {
        match self {
            Smooth::Nash => Rational::NEG_ONE - &logarithm(slope)[0],
            Smooth::Alpha(alpha) => {
                let factor = alpha / (Rational::ONE - alpha);
                let exponent = (alpha - Rational::ONE) / alpha;
                let [below, above] = real_power(slope, &exponent);
                &factor * if factor > Rational::ZERO { above } else { below }
            }
        }
    }

    /// The sum over gains that are all positive, from below and from above.
    fn total(&self, gains: &[Rational]) -> [Rational; 2] {
        let each: Vec<[Rational; 2]> = gains.iter().map(|gain| self.at(gain)).collect();
        [sum(each.iter().map(|ends| ends[0].clone())), sum(each.iter().map(|ends| ends[1].clone()))]
    }

    /// The reported value: the product of the gains, or the sum itself.
    pub fn reported(&self, gains: &[Rational]) -> [Rational; 2] {
        match self {
            Smooth::Nash => {
                let product = gains.iter().fold(Rational::ONE, |product, gain| product * gain);
                [product.clone(), product]
            }
            Smooth::Alpha(_) => self.total(gains),
        }
    }
}

/// The mix found, with its proven bounds.
pub(super) struct SmoothOptimum {
    /// The value of the mix, as the rule reports it.
    pub value: Rational,
    /// An upper bound.
    pub upper: Rational,
    pub shares: Vec<(usize, Rational)>,
    pub weights: Weights,
    /// The weight of each gain in the upper bound, and one multiplier per row of the proof.
    pub dual: (Weights, Vec<Rational>),
    pub stopped: Option<StopReason>,
}

/// The gains of some principals over a reference point.
#[derive(Debug, Clone)]
pub(super) struct Gains {
    /// The principals whose gains count.
    pub who: Vec<usize>,
    /// The reference point, of all principals.
    pub over: Vec<Rational>,
}

impl Gains {
    /// Lower bounds on the gains of a mix over the reference point.
    pub fn least(&self, points: &[Point], shares: &[(usize, Rational)]) -> Vec<Rational> {
        let n = self.over.len();
        let of = |&p: &usize| {
            let unit = unit(n, p);
            sum(shares.iter().map(|(index, share)| points[*index].least(&unit) * share)) - &self.over[p]
        };
        self.who.iter().map(of).collect()
    }
}

/// The lines that stand for the function of one gain.
struct Lines {
    /// Increasing.
    slopes: Vec<Rational>,
    /// The least gain at which there is one.
    least: Rational,
}

impl Lines {
    /// Lines that are kept on either side of the present gain; those that count are kept wherever they are.
    const NEIGHBOURS: usize = 3;

    /// Some lines for gains about this one.
    fn around(smooth: &Smooth, gain: &Rational) -> Lines {
        let least = gain / Rational::from(4);
        let mut slopes: Vec<Rational> =
            [1, 4, 16, 256].iter().map(|&factor| smooth.slope(&(&least * Rational::from(factor)))).collect();
        slopes.sort();
        slopes.dedup();
        Lines { slopes, least }
    }

    /// Adds the line at a gain, unless there is one whose slope differs by less than the share `apart`, and drops lines that are far
    /// from it and have no multiplier.
    fn look_at(&mut self, smooth: &Smooth, gain: &Rational, multipliers: &[&Rational], apart: &Rational) {
        let gain = if *gain > Rational::ZERO {
            gain.clone()
        } else {
            // The mix leaves somebody nothing: the lines are not steep enough yet.
            &self.least / Rational::from(16)
        };
        let slope = smooth.slope(&gain);
        let place = self.slopes.partition_point(|own| *own < slope);
        let is_near = |index: usize| index + Self::NEIGHBOURS >= place && index < place + Self::NEIGHBOURS;
        let kept = (0..self.slopes.len()).filter(|&index| is_near(index) || !multipliers[index].is_zero());
        let mut slopes: Vec<Rational> = kept.map(|index| self.slopes[index].clone()).collect();
        let is_near = |own: &Rational| (own - &slope).abs() <= &slope * apart;
        if !slopes.iter().any(is_near) {
            slopes.insert(slopes.partition_point(|own| *own < slope), slope);
        }
        self.slopes = slopes;
        self.least = gain.min(self.least.clone());
    }
}

/// The best mix by a smooth rule, on a restricted with a mix of positive gains, `start`.
pub(super) fn solve(
    smooth: &Smooth,
    restricted: &mut RestrictedFace,
    gains: &Gains,
    start: Vec<(usize, Rational)>,
    gap: &Rational,
) -> Result<SmoothOptimum, StopReason> {
    let n = gains.over.len();
    let first = gains.least(&restricted.face.points, &start);
    let mut lines: Vec<Lines> = first.iter().map(|gain| Lines::around(smooth, gain)).collect();
    let mut lower = (smooth.total(&first)[0].clone(), start, first);
    let mut upper: Option<(Rational, Weights, (Weights, Vec<Rational>))> = None;
    let mut stopped = Some(StopReason::SolveLimit);
    let mut without_news = 0;
    let mut in_doubles = restricted.conditions.is_empty();
    let mut open: Option<Rational> = None;
    let mut apart = if in_doubles { least_distance(gap) } else { Rational::ZERO };
    for _ in 0..MOST_ROUNDS {
        let program = program(smooth, restricted, gains, &lines, n);
        let stop = &restricted.face.set.options().stop;
        let nearly = if in_doubles { nearly(&program, &lines, &restricted.face.points, stop) } else { Ok(None) };
        let solved = match nearly {
            Ok(None) => {
                program.master(&restricted.face.points, &[], stop).map(|optimum| optimum.map(mix_and_multipliers))
            }
            found => found,
        };
        let (shares, duals) = match solved {
            Ok(Some((mut shares, duals))) => {
                shares.truncate(restricted.face.points.len());
                (shares, duals)
            }
            Ok(None) => break,
            Err(reason) => {
                stopped = Some(reason);
                break;
            }
        };
        let weights = program.weights(&duals);
        let Best { point, most, .. } = match restricted.face.best(&weights) {
            Ok(best) => best,
            Err(reason) => {
                stopped = Some(reason);
                break;
            }
        };
        let bound = program.right_side(&duals) + &most;
        if upper.as_ref().is_none_or(|(least, ..)| bound < *least) {
            let dual =
                (slopes_by(&lines, gains, &duals[restricted.conditions.len()..]), restricted.row_multipliers(&duals));
            upper = Some((bound, weights, dual));
        }
        let shares: Vec<(usize, Rational)> =
            shares.into_iter().enumerate().filter(|(_, share)| !share.is_zero()).collect();
        let now = gains.least(&restricted.face.points, &shares);
        let mut of_lines = duals[restricted.conditions.len()..].iter();
        for (lines, gain) in lines.iter_mut().zip(&now) {
            let own: Vec<&Rational> = of_lines.by_ref().take(lines.slopes.len()).collect();
            lines.look_at(smooth, gain, &own, &apart);
        }
        if now.iter().all(|gain| *gain > Rational::ZERO) {
            let total = smooth.total(&now)[0].clone();
            if total > lower.0 {
                lower = (total, shares, now);
            }
        }
        let is_new = restricted.face.add(point);
        if restricted.face.gap.is_zero() {
            match exactly(smooth, restricted, gains, &lower.1) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) => {}
                Err(reason) => {
                    stopped = Some(reason);
                    break;
                }
            }
        }
        let (bound, ..) = upper.as_ref().expect("set by now");
        restricted.face.set.tell_gap(bound - &lower.0);
        let scale = if matches!(smooth, Smooth::Nash) { Rational::ONE } else { lower.0.clone().abs() };
        if bound - &lower.0 <= gap * scale {
            stopped = None;
            break;
        }
        // Doubles are of use as long as they find a point, or bring the bounds nearer.
        let now_open = bound - &lower.0;
        let is_nearer = open.as_ref().is_none_or(|open| &now_open * Rational::from(4) < open * Rational::from(3));
        if in_doubles && !is_new && !is_nearer {
            // Fractions tell lines apart however near they are.
            (in_doubles, apart) = (false, Rational::ZERO);
        }
        open = Some(now_open);
        // No new point for many rounds: the remaining gap is below the precision of the payoffs.
        without_news = if is_new { 0 } else { without_news + 1 };
        if without_news > MOST_WITHOUT_NEWS {
            stopped = Some(restricted.face.no_further());
            break;
        }
    }
    let (_, shares, gained) = lower;
    let [value, _] = smooth.reported(&gained);
    let (bound, weights, dual) = upper.ok_or(stopped.unwrap_or(StopReason::Precision))?;
    let upper = match smooth {
        Smooth::Nash => {
            // The product is the exponential of the sum: e^x ≤ 1/(1−x) below 1, and is left open above.
            let more = bound - &smooth.total(&gained)[0];
            let most =
                if more < Rational::ONE { Rational::ONE / (Rational::ONE - more) } else { Rational::from(2).pow(1000) };
            &value * most.max(Rational::ONE)
        }
        Smooth::Alpha(_) => bound.max(value.clone()),
    };
    Ok(SmoothOptimum { value, upper, shares, weights, dual, stopped })
}

/// The relative distance of slopes below which a further line is of no use for this gap: a line whose slope is δ away exceeds the function by
/// at most about δ²/2 of it. In doubles, lines that are nearer to each other make programs that are nearly singular.
fn least_distance(gap: &Rational) -> Rational {
    Rational::try_from(gap.to_f64().sqrt() / 16.0).unwrap_or(Rational::ZERO)
}

/// A share for each point, and a multiplier for each condition of a program.
type MixAndMultipliers = (Vec<Rational>, Vec<Rational>);

fn mix_and_multipliers(optimum: Optimum) -> MixAndMultipliers {
    (optimum.primal, optimum.dual[1..].to_vec())
}

/// The same from doubles, made feasible: shares that sum to 1, and multipliers of the tangents that sum to −1 for each principal.
fn nearly(
    program: &Program,
    lines: &[Lines],
    points: &[Point],
    stop: &StopSignal,
) -> Result<Option<MixAndMultipliers>, StopReason> {
    // The method starts at the first point: there the least line of each principal is tight.
    let mut tight = vec![(0, 0)];
    let mut row = 1;
    for (index, lines) in lines.iter().enumerate() {
        let rows = row..row + lines.slopes.len();
        let height = |row: &usize| {
            let condition = &program.conditions[row - 1];
            points[0].least(&condition.payoffs) - &condition.bound
        };
        let least = rows.clone().map(|row| (height(&row), row)).min().expect("every gain has a line");
        let place = points.len() + 2 * index;
        tight.push((least.1, if least.0 < Rational::ZERO { place + 1 } else { place }));
        row = rows.end;
    }
    let Some([primal, dual]) = program.over_mixes(points, &[]).nearly(&tight, stop)? else { return Ok(None) };
    let mut duals = Vec::new();
    let mut rest = dual[1..].iter();
    for lines in lines {
        let own: Vec<f64> = rest.by_ref().take(lines.slopes.len()).map(|dual| -dual).collect();
        let Some(own) = distribution(&own) else { return Ok(None) };
        duals.extend(own.iter().map(|share| -share));
    }
    Ok(distribution(&primal[..points.len()]).map(|shares| (shares, duals)))
}

/// The distribution nearest to these numbers: nothing below 0 or next to it, and a sum of 1.
fn distribution(numbers: &[f64]) -> Option<Vec<Rational>> {
    const NOTHING: f64 = 1e-10;
    let of = |&x: &f64| if x > NOTHING { Rational::try_from(x).unwrap_or(Rational::ZERO) } else { Rational::ZERO };
    let mut shares: Vec<Rational> = numbers.iter().map(of).collect();
    let rest = Rational::ONE - sum(shares.iter().cloned());
    let greatest = (0..shares.len()).max_by(|&a, &b| shares[a].cmp(&shares[b]).then(b.cmp(&a)))?;
    shares[greatest] += rest;
    (shares[greatest] >= Rational::ZERO).then_some(shares)
}

/// The weight of each principal's gain, given the multipliers of the tangents: their weighted slopes.
fn slopes_by(lines: &[Lines], gains: &Gains, duals: &[Rational]) -> Weights {
    let mut counts = vec![Rational::ZERO; gains.over.len()];
    let mut duals = duals.iter();
    for (&p, lines) in gains.who.iter().zip(lines) {
        counts[p] = sum(lines.slopes.iter().zip(&mut duals).map(|(slope, dual)| -(slope * dual)));
    }
    counts
}

fn program(smooth: &Smooth, restricted: &RestrictedFace, gains: &Gains, lines: &[Lines], n: usize) -> Program {
    let mut conditions = restricted.conditions.clone();
    for (index, (&p, lines)) in gains.who.iter().zip(lines).enumerate() {
        for slope in &lines.slopes {
            let payoffs = (0..n).map(|q| if q == p { slope.clone() } else { Rational::ZERO }).collect();
            // s u − z ≥ −c(s).
            let bound = slope * &gains.over[p] - smooth.intercept(slope);
            conditions.push(Condition {
                payoffs,
                extras: vec![(index, Rational::NEG_ONE)],
                sense: Sense::AtLeast,
                bound,
            });
        }
    }
    let extra = |_: &usize| Extra { objective: Rational::ONE, free: true };
    Program { objective: vec![Rational::ZERO; n], extras: gains.who.iter().map(extra).collect(), conditions }
}

/// The optimum in fractions, if it is the last mix's vertex, lies on its last edge, or where a condition binds there.
fn exactly(
    smooth: &Smooth,
    restricted: &mut RestrictedFace,
    gains: &Gains,
    shares: &[(usize, Rational)],
) -> Result<Option<SmoothOptimum>, StopReason> {
    let mut tries: Vec<Vec<(usize, Rational)>> = Vec::new();
    match shares {
        [(only, _)] => tries.push(vec![(*only, Rational::ONE)]),
        [(a, _), (b, _)] => {
            tries.extend([*a, *b].map(|index| vec![(index, Rational::ONE)]));
            tries.extend(on_edge(smooth, &restricted.face.points, gains, *a, *b));
        }
        _ => {}
    }
    for shares in tries {
        let gained = gains.least(&restricted.face.points, &shares);
        if gained.iter().any(|gain| *gain <= Rational::ZERO) || !satisfied(restricted, &shares) {
            continue;
        }
        let slopes: Option<Vec<Rational>> = gained.iter().map(|gain| smooth.exact_slope(gain)).collect();
        let Some(slopes) = slopes else { continue };
        let mut weights = vec![Rational::ZERO; gains.over.len()];
        gains.who.iter().zip(&slopes).for_each(|(&p, slope)| weights[p] = slope.clone());
        let attained = sum(shares.iter().map(|(index, share)| restricted.face.points[*index].least(&weights) * share));
        let best = restricted.face.best(&weights)?;
        if best.most == attained {
            let [value, upper] = smooth.reported(&gained);
            let dual = (weights.clone(), vec![Rational::ZERO; restricted.n_rows]);
            return Ok(Some(SmoothOptimum { value, upper, shares, weights, dual, stopped: None }));
        }
        restricted.face.add(best.point);
    }
    Ok(None)
}

fn satisfied(restricted: &RestrictedFace, shares: &[(usize, Rational)]) -> bool {
    let attained = |payoffs: &Weights| {
        sum(shares.iter().map(|(index, share)| restricted.face.points[*index].least(payoffs) * share))
    };
    restricted.conditions.iter().all(|condition| match condition.sense {
        Sense::AtLeast => attained(&condition.payoffs) >= condition.bound,
        Sense::Equal => attained(&condition.payoffs) == condition.bound,
        Sense::AtMost => attained(&condition.payoffs) <= condition.bound,
    })
}

/// The point of greatest product of two gains on the edge between two points.
fn on_edge(smooth: &Smooth, points: &[Point], gains: &Gains, a: usize, b: usize) -> Option<Vec<(usize, Rational)>> {
    if !matches!(smooth, Smooth::Nash) || gains.who.len() != 2 {
        return None;
    }
    let [from, to] = [a, b].map(|index| gains.least(points, &[(index, Rational::ONE)]));
    let step: Vec<Rational> = from.iter().zip(&to).map(|(from, to)| to - from).collect();
    let twice = Rational::from(2) * &step[0] * &step[1];
    if twice.is_zero() {
        return None;
    }
    let share = -(&step[0] * &from[1] + &step[1] * &from[0]) / twice;
    let inside = share > Rational::ZERO && share < Rational::ONE;
    inside.then(|| vec![(a, Rational::ONE - &share), (b, share)])
}

/// Whether a mix of a face's points gives each of these a positive gain.
pub(super) fn all_gain(face: &Face, gains: &Gains, shares: &[(usize, Rational)]) -> bool {
    gains.least(&face.points, shares).iter().all(|gain| *gain > Rational::ZERO)
}
