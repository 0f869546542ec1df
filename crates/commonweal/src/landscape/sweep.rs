//! A model over a grid of one principal's discount: payoffs, and where the strategy changes.
//!
//! Every point of the grid is solved. Between neighbours with different plays, the changes are located as near as the grid
//! asks; where the simplest fraction there makes both strategies earn the same, it is the change itself. Locating ends after a fixed
//! amount of work, unless there is a time limit: there may be hundreds of changes, and long waits take long to solve. Then changes are
//! known to lie between two places further apart.

use super::grid::{CROWD, UNITS};
use super::line::{Bracket, LabelChange, changes};
use super::survey::Survey;
use super::{Grid, Label, Play, PlayId, Shard};
use crate::answer::{Answer, Claim};
use crate::evaluation::evaluate;
use crate::model::{Mdp, PrincipalId};
use crate::number::{Rational, Value};
use crate::solve::Options;
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Step, Strategy};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// The number of points that are solved at a time, so that not all solutions are in memory at once.
const BATCH: usize = 64;
/// The work, in about nanoseconds, after which no change is located further without a time limit.
const MOST_LOCATING: u64 = 10_000_000_000;
/// After how many solves the work is looked at.
const LOOK: usize = 16;

/// Solutions over a range of one discount.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Whose discount varies.
    pub principal: PrincipalId,
    /// The discounts.
    pub grid: Grid,
    /// The discounts of the shard, in increasing order, and what is best there.
    pub points: Vec<SweepPoint>,
    /// The plays that labels and changes refer to.
    pub plays: Vec<Play>,
    /// Why points are not solved or changes are missing, if a signal stopped the sweep.
    pub stopped: Option<StopReason>,
}

/// One discount, and what is best there.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    /// Its index in the grid.
    pub index: u64,
    /// The discount, or the rate or weight if that is what varies.
    pub discount: Rational,
    /// The play of the best strategy; `None` if the solution was stopped.
    pub label: Label,
    /// What is earned there.
    pub earned: Earned,
    /// The least step from which no deviation pays.
    pub horizon: Step,
    /// The first step from which the strategy is the long-term one for ever.
    pub memory: Step,
    /// The changes between this point and the next of the grid.
    pub changes: Vec<SweepChange>,
    /// Whether the long-term strategy is another one at the next point of the grid. It often stays where the play changes: then only
    /// how long the agent deviates changes.
    pub long_term_changes: bool,
}

/// Where the play changes.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepChange {
    /// The discount itself, where both strategies earn exactly the same there and it is a short fraction.
    pub at: Option<Rational>,
    /// A discount before the change.
    pub low: Rational,
    /// A discount after it, as near as the grid asks.
    pub high: Rational,
    /// The play before it.
    pub before: PlayId,
    /// The play after it.
    pub after: PlayId,
    /// Whether further plays lie between the two.
    pub crowded: bool,
    /// Whether the two sides are as near as the grid asks.
    pub located: bool,
    /// What is earned just before the change, and just after it; `None` where that was not solved.
    pub sides: Option<[Earned; 2]>,
    /// Whether the strategy before it is known to be as good after it: then this is a choice between equals.
    pub is_tie: bool,
}

/// What is earned from the start state.
#[derive(Debug, Clone, PartialEq)]
pub struct Earned {
    /// The optimal welfare.
    pub welfare: Value,
    /// The welfare of the long-term strategy.
    pub long_term_welfare: Value,
    /// Whether it is proven to be that of the long-term strategy.
    pub long_term_is_proven: bool,
    /// What each principal of the file gets, before its weight.
    pub payoffs: Vec<Value>,
}

impl Sweep {
    /// A sweep that a signal stopped before the first point.
    pub(crate) fn not_begun(principal: PrincipalId, grid: Grid, reason: StopReason) -> Sweep {
        Sweep { principal, grid, points: Vec::new(), plays: Vec::new(), stopped: Some(reason) }
    }

    /// The greatest distance between the two sides of a change: that of the grid, unless locating took more work than is allowed.
    pub fn width(&self) -> Rational {
        let changes = self.points.iter().flat_map(|point| &point.changes);
        changes.map(|change| &change.high - &change.low).fold(self.grid.width(), Rational::max)
    }

    /// Whether every point is solved, and nothing stopped the search for changes.
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none() && self.points.iter().all(|point| point.label.is_some())
    }
}

impl SweepPoint {
    fn new(model: &Mdp, solution: &Answer, index: u64, discount: Rational, label: Label) -> SweepPoint {
        let start = model.start();
        SweepPoint {
            index,
            discount,
            label,
            earned: Earned::by(model, solution),
            horizon: solution.horizon().clone(),
            memory: solution.memory(start).clone(),
            changes: Vec::new(),
            long_term_changes: false,
        }
    }
}

impl Earned {
    fn by(model: &Mdp, solution: &Answer) -> Earned {
        let start = model.start();
        Earned {
            welfare: solution.welfare(start),
            long_term_welfare: solution.long_term_welfare(start),
            long_term_is_proven: solution.long_term_is_proven(),
            payoffs: (0..model.n_principals()).map(|p| solution.payoff(p.into(), start)).collect(),
        }
    }
}

/// The solutions of `model` at the discounts of a shard, each with the changes between it and the next point of the grid.
///
/// # Panics
/// If the grid reaches outside [0, 1).
pub fn sweep(model: &Mdp, principal: PrincipalId, grid: Grid, shard: Shard, options: &Options) -> Sweep {
    let mut own: Vec<u64> = shard.indices(0..grid.n_points()).collect();
    let mut survey = Survey::new(model, vec![(principal, grid.quantity)], own.len() as u64, options);
    let mut labels: BTreeMap<u64, Label> = BTreeMap::new();
    let mut points: Vec<SweepPoint> = Vec::with_capacity(own.len());
    let mut stopped = None;
    let mut last_long_term: Option<(u64, Play)> = None;
    for batch in own.chunks(BATCH) {
        let places: Vec<Vec<Rational>> = batch.iter().map(|&index| vec![grid.point(index)]).collect();
        for (&index, solution) in batch.iter().zip(survey.solutions(&places)) {
            // After a stop nothing is known of a point.
            let Some((solution, label)) = solution else { continue };
            if let Claim::Stopped(reason) = solution.claim() {
                stopped = stopped.or(Some(reason));
            }
            labels.insert(index, label);
            let long_term = survey.long_term_play(&solution);
            if let (Some((last, before)), Some(after), Some(point)) = (&last_long_term, &long_term, points.last_mut()) {
                point.long_term_changes = last + 1 == index && before != after;
            }
            last_long_term = long_term.map(|play| (index, play));
            points.push(SweepPoint::new(model, &solution, index, grid.point(index), label));
        }
        if survey.is_stopped() {
            break;
        }
    }
    own.retain(|index| labels.contains_key(index));
    // The point after the last one of a run may be another shard's.
    let next = |index: &u64| index + 1;
    let others: Vec<u64> =
        own.iter().map(next).filter(|index| *index < grid.n_points() && !labels.contains_key(index)).collect();
    let places: Vec<Vec<Rational>> = others.iter().map(|&index| vec![grid.point(index)]).collect();
    labels.extend(others.iter().copied().zip(survey.labels(&places)));
    let brackets: Vec<Bracket> = own
        .iter()
        .enumerate()
        .filter_map(|(line, index)| {
            Some(Bracket { line, ends: [0, UNITS], labels: [labels[index], *labels.get(&(index + 1))?] })
        })
        .collect();
    let work = survey.work();
    let most = work.load(Ordering::Relaxed).saturating_add(MOST_LOCATING);
    let has_work = || options.stop.has_deadline() || work.load(Ordering::Relaxed) < most;
    let may_locate = || options.stop.reason().is_none() && has_work();
    let found = changes(&brackets, CROWD, grid.within(), may_locate, |places| {
        let place = |&(line, units): &(usize, u64)| vec![grid.place(own[line], units)];
        let places: Vec<Vec<Rational>> = places.iter().map(place).collect();
        let some = |places: &[Vec<Rational>]| {
            if has_work() { survey.labels(places) } else { vec![None; places.len()] }
        };
        places.chunks(LOOK).flat_map(some).collect()
    });
    for (bracket, found) in brackets.iter().zip(found) {
        // At the ends, which are points of the grid, it is known.
        let index = own[bracket.line];
        let at_points = [Some(bracket.line), own.binary_search(&(index + 1)).ok()];
        let known = at_points.map(|line| line.map(|line| points[line].earned.clone()));
        let has_work = || options.stop.has_deadline() || work.load(Ordering::Relaxed) < most + MOST_LOCATING / 2;
        let located = |change: &LabelChange| located(&survey, &grid, index, change, &known, has_work(), &options.stop);
        points[bracket.line].changes = found.iter().filter_map(located).collect();
    }

    Sweep { principal, grid, points, plays: survey.into_plays(), stopped: options.stop.reason().or(stopped) }
}

/// Work that one look for a tie may take, in about nanoseconds.
const WORK_FOR_A_TIE: u64 = 100_000_000;

/// A change after the point of that index; `None` if a play is not known.
fn located(
    survey: &Survey,
    grid: &Grid,
    index: u64,
    change: &LabelChange,
    at_points: &[Option<Earned>; 2],
    has_work: bool,
    stop: &StopSignal,
) -> Option<SweepChange> {
    let (before, after) = (change.before?, change.after?);
    let (low, high) = (grid.place(index, change.low), grid.place(index, change.high));
    let located = change.high - change.low <= grid.within();
    let is_single = located && grid.locates_changes() && !change.crowded;
    let at = if is_single { tie_between(survey, [before, after], &low, &high, stop) } else { None };
    let earned = |units: u64, place: &Rational| {
        let known = match units {
            0 => at_points[0].clone(),
            UNITS => at_points[1].clone(),
            _ => None,
        };
        // After a stop, or where the work was not enough, nothing more is solved.
        let may_solve = has_work && !survey.is_stopped();
        let solved = || may_solve.then(|| Earned::by(survey.model(), &survey.solution(std::slice::from_ref(place))));
        known.or_else(solved)
    };
    let sides = earned(change.low, &low).zip(earned(change.high, &high)).map(|(before, after)| [before, after]);
    let best = sides.as_ref().and_then(|[_, after]| after.welfare.exact.as_ref()).filter(|_| has_work);
    let is_tie = best.is_some_and(|best| {
        let earned = earned_at(survey, before, &high, &stop.with_budget(WORK_FOR_A_TIE, WORK_FOR_A_TIE));
        earned.as_ref() == Some(best)
    });
    Some(SweepChange { at, low, high, before, after, crowded: change.crowded, located, sides, is_tie })
}

/// What a strategy that was found at one place earns at another one, if it settles soon.
fn earned_at(survey: &Survey, play: PlayId, place: &Rational, stop: &StopSignal) -> Option<Rational> {
    /// Strategies that change later are not evaluated.
    const MAX_STEPS: u64 = 1_000;
    let strategy = survey.strategy(play);
    if strategy.settled_from() > MAX_STEPS.into() {
        return None;
    }
    let model = survey.model_at(std::slice::from_ref(place)).ok()?;
    let payoffs = evaluate(&model, &Strategy::Counting(strategy.clone()), stop).ok()?;
    payoffs.welfare(model.start()).exact
}

/// The simplest fraction between two discounts, if the strategies before and after earn exactly the same there.
fn tie_between(
    survey: &Survey,
    plays: [PlayId; 2],
    low: &Rational,
    high: &Rational,
    stop: &StopSignal,
) -> Option<Rational> {
    /// The longest denominator of a tie, in bits.
    const SHORT_BITS: usize = 20;
    let simplest = Rational::simplest_between(low.clone(), high.clone());
    if simplest.denominator_bits() > SHORT_BITS {
        return None;
    }
    let [before, after] = plays.map(|play| earned_at(survey, play, &simplest, stop));
    (before.is_some() && before == after).then_some(simplest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_model;
    use crate::parallel::on_threads;

    /// Whenever the search for changes is stopped, those found so far are known, between places with different strategies: the ends of
    /// each contain one of the changes that a whole search locates.
    #[test]
    fn changes_that_were_found_before_a_stop_are_kept() {
        let text = "principals: {alice: 2/3, bob: 1/3}
states:
  s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}
  s1: {b: {reward: 6, to: s1}}
";
        let model = read_model(text).unwrap();
        let grid = || Grid::new(Rational::from_quotient(1, 2), Rational::from_quotient(19, 20), 12);
        let changes = |sweep: &Sweep| -> Vec<SweepChange> {
            sweep.points.iter().flat_map(|point| point.changes.clone()).collect()
        };
        let whole = sweep(&model, 0.into(), grid(), Shard::WHOLE, &Options::default());
        let all = changes(&whole);
        assert!(all.len() > 5 && all.iter().all(|change| change.located) && whole.width() == whole.grid.width());
        let mut on_the_way = 0;
        for polls in (400..20_000).step_by(400) {
            let options = Options { stop: StopSignal::after_polls(polls), ..Options::default() };
            let part = on_threads(Some(1), || sweep(&model, 0.into(), grid(), Shard::WHOLE, &options));
            if part.points.len() < whole.points.len() || part.points.iter().any(|point| point.label.is_none()) {
                continue;
            }
            let found = changes(&part);
            assert!(!found.is_empty(), "{polls} polls: neighbouring points have different strategies");
            for change in &found {
                let inside = |other: &&SweepChange| change.low <= other.low && other.high <= change.high;
                assert!(all.iter().any(|other| inside(&other)), "{polls} polls: {change:?}");
                assert!(&change.high - &change.low <= part.width());
            }
            on_the_way += usize::from(found.iter().any(|change| !change.located));
        }
        assert!(on_the_way > 0, "some runs stop on the way");
    }

    /// Of what was solved before a stop the strategy is known too.
    #[test]
    fn points_that_were_solved_before_a_stop_are_kept() {
        let text = "principals: {alice: 2/3, bob: 1/3}
states:
  s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}
  s1: {b: {reward: 6, to: s1}}
";
        let model = read_model(text).unwrap();
        let grid = || Grid::new(Rational::from_quotient(1, 10), Rational::from_quotient(1, 2), 20);
        let whole = sweep(&model, 1.into(), grid(), Shard::WHOLE, &Options::default());
        let mut some = 0;
        for polls in (20..2_000).step_by(20) {
            let options = Options { stop: StopSignal::after_polls(polls), ..Options::default() };
            let part = on_threads(Some(1), || sweep(&model, 1.into(), grid(), Shard::WHOLE, &options));
            let known: Vec<&SweepPoint> = part.points.iter().filter(|point| point.label.is_some()).collect();
            let on_the_way = part.points.len() - known.len();
            assert!(on_the_way <= 1, "{polls} polls: {on_the_way} points without a strategy");
            for point in &known {
                assert_eq!(point.earned, whole.points[point.index as usize].earned, "{polls} polls");
            }
            some += usize::from(part.stopped.is_some() && (2..20).contains(&known.len()));
        }
        assert!(some > 0, "some runs stop on the way");
    }
}
