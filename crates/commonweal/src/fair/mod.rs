//! Fair welfare: rules other than the sum, over the payoff set.
//!
//! The payoff vectors of all strategies from the start form a convex set. The solver is its linear oracle ([`PayoffSet`]), and
//! every rule here is a convex program over that set: the answer is a lottery over a few counting strategies, drawn at the
//! start, and weights that prove that no lottery does better.
//!
//! | rule | how |
//! |---|---|
//! | welfare, max-min, leximin, Kalai–Smorodinsky, Gini, with floors and ceilings | linear programs by column generation ([`program`]), in fractions; faces if there is no Slater point (`restricted_face`), limits if vertices accumulate (`limit`) |
//! | Nash, α-fair | the same with tangents in place of the function, to a proven gap; exactly at a vertex, or on an edge (`smooth`) |
//! | the Pareto front | dichotomy, and the repeating pattern of an infinite front ([`front`]) |

mod basis;
mod coin;
pub mod front;
pub mod hull;
mod levels;
pub(crate) mod lexicographic;
mod limit;
pub mod payoff_set;
pub mod program;
mod proof;
mod purify;
mod restricted_face;
mod rules;
pub mod simplex;
mod smooth;
mod uncertainty;

pub use front::{Edge, Front, FrontOptions, Pattern, Vertex};
pub use hull::Hull;
pub use levels::Level;
pub use payoff_set::{PayoffSet, Point};
pub(crate) use proof::{Argument, ProofStep};
pub use purify::NoCoin;
pub use rules::{FairError, Over, Question, Rule, reference_of};

use crate::any_model::Model;
use crate::evaluate;
use crate::evaluation::EvaluateError;
use crate::model::{ChoiceId, Mdp, PrincipalId, StateId, Structure};
use crate::number::{Enclosure, Rational, Value, sum};
use crate::quotient::{Alternatives, Chance, Classes, labels};
use crate::solve::{DEFAULT_GAP, Engine, Options, Picked};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Lottery};
use payoff_set::ends;
use program::{Condition, Extra, Face, Program, Scale, Solved, Until, reduced};
use restricted_face::{Feasibility, RestrictedFace, unit};
use simplex::Sense;
use smooth::{Gains, Smooth};
use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::hash::Hash;

/// The weight of each principal's payoff, in the file's order.
pub type Weights = Vec<Rational>;

/// What is proven of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proven {
    /// No strategy does better by the rule.
    Optimal,
    /// The bounds are within the gap asked for.
    WithinGap,
    /// No strategy meets the demands.
    Infeasible,
    /// The bounds hold, but are further apart than asked for.
    Stopped(StopReason),
}

/// A counting strategy of a lottery.
#[derive(Debug, Clone)]
pub struct Share {
    /// How likely it is drawn.
    pub probability: Rational,
    /// The strategy.
    pub strategy: CountingStrategy,
    /// What it gives each principal.
    pub payoffs: Vec<Value>,
}

/// The fairest lottery by a rule.
#[derive(Debug, Clone)]
pub struct Fair {
    /// The rule.
    pub rule: Rule,
    /// What is proven.
    pub proven: Proven,
    /// Bounds on the optimal value by the rule, with the true reference point and own bests; the lottery attains the lower one. If the demands are infeasible: the greatest
    /// shortfall.
    pub value: Value,
    /// What each principal gets.
    pub payoffs: Vec<Value>,
    /// The reference point, per principal, from below in doubles; empty if the search was stopped before it was known.
    pub over: Vec<Rational>,
    /// The lottery: the strategy that is best for the first principal comes first. Empty if the search was stopped before it found a strategy.
    pub mix: Vec<Share>,
    /// The weights of a half-space that contains the payoff set and has the lottery on its boundary; of one that separates the set
    /// from the demands, if these are infeasible.
    pub weights: Weights,
    /// Further weights, in lexicographic order, if several lotteries are optimal for the first.
    pub then: Vec<Weights>,
    /// For leximin: the principals of each level, the worst-off first. Each level's bounds hold for all lotteries that give as much as this
    /// one at the levels before.
    pub levels: Vec<Level>,
    /// Principals who cannot gain over the reference point, and whom the rule therefore does not count.
    pub not_counted: Vec<PrincipalId>,
    /// Principals of whom doubles do not tell whether they can gain over the reference point: the bounds hold whether the rule counts them or not.
    pub doubtful: Vec<PrincipalId>,
    /// By how much the demands were relaxed, because doubles do not decide whether they can be met exactly; 0 if they were not. The
    /// answer is that of the relaxed demands. Its upper bound holds for the demands themselves too.
    pub relaxed_by: Rational,
    /// The gap that the engine in doubles was asked for; `None` if fractions answered.
    pub gap: Option<f64>,
    /// The number of solves.
    pub calls: u64,
    /// A lower bound on each principal's own best, if the rule uses it.
    pub(crate) own_best: Vec<Rational>,
    /// The steps of the optimality proof; empty if there is none.
    pub(crate) proof: Vec<ProofStep>,
}

impl Fair {
    /// The lottery as a strategy that can be evaluated, simulated and written.
    pub fn lottery(&self) -> Lottery {
        Lottery::new(self.mix.iter().map(|share| (share.probability.clone(), share.strategy.clone())).collect())
    }

    /// The principals with a negative weight, of whose costs more is better by this rule: only the sum has weights.
    pub fn costs_as_gains(&self, model: &Structure) -> Vec<PrincipalId> {
        let is_cost = |p: &PrincipalId| model.principals()[p.index()].is_cost();
        let all = (0..model.n_principals()).map(PrincipalId::from);
        if self.rule == Rule::Welfare { Vec::new() } else { all.filter(is_cost).collect() }
    }
}

/// How much narrower payoffs are asked for where demands leave no slack: there a small error of a payoff is a large one of the rule.
const NARROW: f64 = 1.0 / 1024.0;

/// The default gap of a smooth rule.
const SMOOTH_GAP: f64 = 1e-9;

/// The fairest lottery over the strategies of `model`, by a rule.
///
/// ```
/// use commonweal::questions::{Question, fair};
/// use commonweal::{Model, Options};
/// let hotel = Model::from_yaml(
///     "principals: {alice: 2/3, bob: 1/3}
/// states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}",
/// )?;
/// let answer = fair(&hotel, &Question::new("kalai-smorodinsky".parse()?), &Options::default())?;
/// assert_eq!(answer.value.exact, Some("2/3".parse()?));
/// assert_eq!(answer.payoffs[0].exact, Some("31/3".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fair(model: &Model, question: &Question, options: &Options) -> Result<Fair, FairError> {
    let set = PayoffSet::new(model, options);
    fair_in(&set, question)
}

/// The Pareto front of two principals of `model`; the others do not count, and are reported.
///
/// ```
/// use commonweal::questions::{FrontOptions, front};
/// use commonweal::{Model, Options};
/// let hotel = Model::from_yaml(
///     "principals: {alice: 2/3, bob: 1/3}
/// states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}",
/// )?;
/// let front = front(&hotel, [0.into(), 1.into()], &FrontOptions::default(), &Options::default())?;
/// assert!(front.complete && front.pattern.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn front(
    model: &Model,
    principals: [PrincipalId; 2],
    options: &FrontOptions,
    solving: &Options,
) -> Result<Front, StopReason> {
    front::front(&PayoffSet::new(model, solving), principals, options)
}

/// The Pareto front of all principals of `model`, between vertices and half-spaces.
pub fn hull(model: &Model, options: &FrontOptions, solving: &Options) -> Result<Hull, StopReason> {
    hull::hull(&PayoffSet::new(model, solving), options)
}

/// The same in fractions while these are short, and otherwise in doubles, if no engine was asked for: which one answered, and to which gap, the
/// answer says. With a time limit, doubles are asked first and fractions in the time that is left; the better answer stands.
pub fn fair_suited(set: &PayoffSet, question: &Question) -> Result<Fair, FairError> {
    /// About eight seconds of one processor, counted and not timed.
    const WORK: u64 = 8_000_000_000;
    let stop = &set.options().stop;
    let may_change = set.gap().is_none() && set.options().engine == Engine::Auto && set.model().check_doubles().is_ok();
    if !may_change {
        return fair_in(set, question);
    }
    if stop.has_time_limit() {
        let in_doubles = in_doubles(set, question);
        let exact = fair_in(set, question)?;
        return if is_stopped(&exact) { Ok(better(exact, in_doubles?)) } else { Ok(exact) };
    }
    let exact = fair_in(&set.limited(WORK.min(stop.left()), None), question)?;
    if !matches!(exact.proven, Proven::Stopped(StopReason::Work | StopReason::LayerLimit)) {
        return Ok(exact);
    }
    Ok(better(exact, in_doubles(set, question)?))
}

/// The answer in doubles to the usual gap; to a coarser one, if that takes more than some work or time, or than doubles can tell.
fn in_doubles(set: &PayoffSet, question: &Question) -> Result<Fair, FairError> {
    /// About three seconds of one processor, counted and not timed.
    const WORK: u64 = 3_000_000_000;
    const COARSE_GAP: f64 = 1e-6;
    let fine = fair_in(&set.in_doubles(DEFAULT_GAP, WORK, 1.0 / 4.0), question)?;
    if !is_stopped(&fine) || fine.proven == Proven::Stopped(StopReason::Interrupted) {
        return Ok(fine);
    }
    let coarse = fair_in(&set.in_doubles(COARSE_GAP, WORK, 1.0 / 3.0), question)?;
    Ok(better(fine, coarse))
}

fn is_stopped(fair: &Fair) -> bool {
    matches!(fair.proven, Proven::Stopped(_))
}

/// Whether an engine has come as far as it can, and another one may come further.
fn is_given_up(fair: &Fair) -> bool {
    matches!(fair.proven, Proven::Stopped(reason) if !reason.ends_all())
}

/// Of two answers, of which the first was stopped, the second if it was not, or else the one whose bounds are nearer. Bounds of one are not those of
/// the other: in doubles, reference points are known between bounds only.
fn better(stopped: Fair, other: Fair) -> Fair {
    let calls = stopped.calls + other.calls;
    let width = |fair: &Fair| fair.value.enclosure.width();
    let proven = if is_stopped(&other) { stopped.proven } else { other.proven };
    let is_better = !is_stopped(&other) || width(&other) < width(&stopped);
    Fair { calls, proven, ..if is_better { other } else { stopped } }
}

/// The same over a payoff set that caches its results.
pub fn fair_in(set: &PayoffSet, question: &Question) -> Result<Fair, FairError> {
    question.check(set.model())?;
    let mut asked = Asked {
        set,
        question,
        over: Vec::new(),
        over_most: Vec::new(),
        best: Vec::new(),
        most: Vec::new(),
        first: Vec::new(),
        relaxed_by: Rational::ZERO,
        constant: vec![OnceCell::new(); set.n()],
        are_fractions_tried: Cell::new(false),
    };
    let found = match asked.answer() {
        Ok(fair) => asked.with_first_bounds(fair),
        Err(Failure::Refused(error)) => return Err(*error),
        Err(Failure::Stopped(reason)) => asked.stopped_early(reason),
    };
    Ok(asked.with_true_reason(found))
}

enum Failure {
    Refused(Box<FairError>),
    Stopped(StopReason),
}

impl From<StopReason> for Failure {
    fn from(reason: StopReason) -> Failure {
        Failure::Stopped(reason)
    }
}

impl From<FairError> for Failure {
    fn from(error: FairError) -> Failure {
        Failure::Refused(Box::new(error))
    }
}

impl Question {
    fn check(&self, model: &Model) -> Result<(), FairError> {
        self.rule.check(model.n_principals())?;
        let name = |p: PrincipalId| model.principals()[p.index()].name.clone();
        for bounds in [&self.at_least, &self.at_most] {
            for (index, (p, second)) in bounds.iter().enumerate() {
                if let Some((_, first)) = bounds[..index].iter().find(|(other, _)| other == p) {
                    return Err(FairError::Twice { name: name(*p), first: first.clone(), second: second.clone() });
                }
            }
        }
        for (p, at_least) in &self.at_least {
            if let Some((_, at_most)) = self.at_most.iter().find(|(other, at_most)| other == p && at_most < at_least) {
                let (at_least, at_most) = (at_least.clone(), at_most.clone());
                return Err(FairError::Contradiction { name: name(*p), at_least, at_most });
            }
        }
        Ok(())
    }
}

/// A question that is being answered.
struct Asked<'q, 'm> {
    set: &'q PayoffSet<'m>,
    question: &'q Question,
    /// The reference point, if it is known; a lower bound on it in doubles.
    over: Vec<Rational>,
    /// An upper bound on the reference point.
    over_most: Vec<Rational>,
    /// A lower bound on each principal's own best, if it is known.
    best: Vec<Rational>,
    /// An upper bound on each principal's own best, if it is known.
    most: Vec<Rational>,
    /// The initial points.
    first: Vec<Point>,
    /// How much less than demanded is asked for.
    relaxed_by: Rational,
    /// Whether all strategies give a principal the same, if somebody has asked.
    constant: Vec<OnceCell<bool>>,
    /// Whether doubles have handed the question over to fractions.
    are_fractions_tried: Cell<bool>,
}

/// A mix of points of a face.
struct Mixed<'f> {
    points: &'f [Point],
    shares: Vec<(usize, Rational)>,
    weights: Weights,
    then: Vec<Weights>,
    proof: Vec<ProofStep>,
}

impl<'q, 'm> Asked<'q, 'm> {
    fn answer(&mut self) -> Result<Fair, Failure> {
        self.prepare()?;
        // Who cannot gain has a certificate in fractions alone.
        let is_doubtful = self.set.gap().is_some() && self.is_any(|can_gain| can_gain != Some(true));
        if is_doubtful && let Some(exact) = self.in_fractions() {
            return exact;
        }
        let is_open = self.is_any(|can_gain| can_gain.is_none());
        let found = self.answer_to_gap();
        let gave_up = match &found {
            Ok(found) => is_given_up(found) || self.has_no_scale(found),
            Err(failure) => matches!(failure, Failure::Stopped(reason) if !reason.ends_all()),
        };
        if self.set.gap().is_some()
            && gave_up
            && let Some(exact) = self.in_fractions()
        {
            return exact;
        }
        let found = self.scaled_by_rewards(found?);
        Ok(if is_open { self.without_proof(found) } else { found })
    }

    fn answer_in_set(&mut self) -> Result<Fair, Failure> {
        // A reference point above somebody's own best is refused, whether the demands can be met or not.
        let mut ranges = self.ranges()?;
        let mut restricted = self.restricted();
        let mut feasible = restricted.settle()?;
        if self.is_near_tie(&feasible) {
            if let Some(exact) = self.in_fractions() {
                return exact;
            }
            // Narrower payoffs may decide it.
            if self.set.refine(self.least_range() * NARROW) {
                self.prepare()?;
                ranges = self.ranges()?;
                restricted = self.restricted();
                feasible = restricted.settle()?;
            }
        }
        match feasible {
            Feasibility::Yes => {}
            Feasibility::No(solved) => return Ok(self.infeasible(&restricted, solved)),
            Feasibility::Unknown(solved) if self.is_undecided(&solved) => self.relax(&mut restricted, &solved),
            Feasibility::Unknown(solved) => {
                let reason = solved.stopped.unwrap_or(StopReason::Precision);
                return Ok(self.undecided(&restricted, solved, reason));
            }
        }
        let counts_somebody = ranges.iter().any(|range| !range.is_zero());
        match &self.question.rule {
            Rule::Welfare => self.welfare(restricted),
            Rule::Leximin if self.set.gap().is_some() => self.leximin_narrowed(restricted, &ranges),
            Rule::MaxMin | Rule::KalaiSmorodinsky if self.set.gap().is_some() && counts_somebody => {
                self.levels_in_doubles(restricted, &ranges)
            }
            Rule::MaxMin | Rule::Leximin | Rule::KalaiSmorodinsky => self.least_first(restricted, ranges),
            Rule::Gini(weights) => self.gini(restricted, weights),
            Rule::Nash | Rule::Alpha(_) => self.smooth(restricted),
        }
    }

    /// Leximin in doubles; if they leave a level further open than asked for, in fractions, or with narrower payoffs.
    fn leximin_narrowed(&mut self, restricted: RestrictedFace, ranges: &[Rational]) -> Result<Fair, Failure> {
        let found = self.levels_in_doubles(restricted, ranges)?;
        if !is_given_up(&found) {
            return Ok(found);
        }
        if let Some(exact) = self.in_fractions() {
            return exact;
        }
        for factor in [NARROW, NARROW * NARROW] {
            let again = self.leximin_again(factor, ranges).ok().flatten();
            if let Some(again) = again.filter(|again| !is_stopped(again)) {
                return Ok(again);
            }
        }
        Ok(found)
    }

    /// Leximin with payoffs that are narrower by this factor.
    fn leximin_again(&mut self, factor: f64, ranges: &[Rational]) -> Result<Option<Fair>, Failure> {
        if !self.set.refine(factor) {
            return Ok(None);
        }
        self.prepare()?;
        let mut restricted = self.restricted();
        let is_feasible = matches!(restricted.settle()?, Feasibility::Yes);
        is_feasible.then(|| self.levels_in_doubles(restricted, ranges)).transpose()
    }

    /// Finds the reference point and the initial points: each principal's own best, and the greatest sum.
    fn prepare(&mut self) -> Result<(), Failure> {
        self.find_reference()?;
        if self.question.rule == Rule::Welfare && self.demands().is_empty() {
            // One solve will do.
            return Ok(());
        }
        self.own_bests()?;
        // What these rules measure is relative to the ranges of payoffs: where payoffs range little, they are needed more precisely.
        if self.question.rule.is_relative() && self.set.gap().is_some() && self.set.refine(self.least_range()) {
            self.find_reference()?;
            self.own_bests()?;
        }
        self.first.push(self.set.best(&vec![Rational::ONE; self.set.n()])?.point);
        Ok(())
    }

    /// The whole set with the initial points and the demands.
    fn restricted(&self) -> RestrictedFace<'q, 'm> {
        let mut gap = self.set.gap().map_or(Rational::ZERO, |gap| Rational::try_from(gap).expect("a gap is finite"));
        if self.compares_with_bounds() {
            // The rest of the gap is for what the rule compares with.
            gap = gap * Rational::from(3) / Rational::from(4);
        }
        let mut face = Face::whole(self.set, gap);
        for point in &self.first {
            face.add(point.clone());
        }
        RestrictedFace::new(face, self.demands())
    }

    /// Whether doubles came as near as they can, and do not decide whether the demands can be met.
    fn is_undecided(&self, solved: &Solved) -> bool {
        self.set.gap().is_some() && matches!(solved.stopped, None | Some(StopReason::Precision))
    }

    fn is_near_tie(&self, feasible: &Feasibility) -> bool {
        matches!(feasible, Feasibility::Unknown(solved) if self.is_undecided(solved))
    }

    /// The answer in fractions, which decide ties, if the model is small enough for them and they are short. What they have no answer to they are
    /// asked once.
    fn in_fractions(&self) -> Option<Result<Fair, Failure>> {
        /// About two seconds of one processor, counted and not timed.
        const WORK: u64 = 2_000_000_000;
        let model = self.set.model();
        let suits = Engine::Auto.for_model(model) == Picked::Exact && !self.set.is_approximated();
        if !suits || model.notes().rounded || !self.set.may_use_fractions() || self.are_fractions_tried.replace(true) {
            return None;
        }
        let mut fair = match fair_in(&self.set.limited(WORK, Some(Engine::Exact)), self.question) {
            Ok(fair) => fair,
            Err(error) => return Some(Err(error.into())),
        };
        fair.calls += self.set.calls();
        (!matches!(fair.proven, Proven::Stopped(_))).then_some(Ok(fair))
    }

    /// Whether the rule leaves out who cannot gain.
    fn leaves_out(&self) -> bool {
        self.question.rule.leaves_out(&self.question.over)
    }

    /// Whether a principal can gain over the reference point; `None` if doubles do not tell.
    fn can_gain(&self, p: usize) -> Option<bool> {
        let room = &self.best[p] - &self.over[p];
        if self.set.gap().is_none() {
            return Some(room > Rational::ZERO);
        }
        if room > self.set.error_of_payoffs(&self.first) && self.best[p] > self.over_most[p] {
            return Some(true);
        }
        let is_given = !matches!(self.question.over, Over::OwnWorst);
        let cannot = if is_given { self.most[p] <= self.over[p] } else { self.is_constant(p) };
        cannot.then_some(false)
    }

    /// Whether all strategies give a principal the same, because no choice changes what it is rewarded with at any step.
    fn is_constant(&self, p: usize) -> bool {
        let stop = &self.set.options().stop;
        *self.constant[p].get_or_init(|| {
            // What differs in doubles differs: most models need no fractions for this.
            let in_doubles =
                self.set.model().doubles().map(|doubles| is_rewarded_alike(doubles, p, |x| x.to_bits(), stop));
            !matches!(in_doubles, Ok(false))
                && self.set.mdp().is_ok_and(|mdp| is_rewarded_alike(mdp, p, Rational::clone, stop))
        })
    }

    /// Whether `so` holds of what is known of anybody's gain over the reference point (they can, they cannot, doubles leave it open); no if
    /// the rule does not ask.
    fn is_any(&self, so: impl Fn(Option<bool>) -> bool) -> bool {
        let asks = self.question.rule.is_relative();
        let is_known = self.over.len() == self.set.n() && self.most.len() == self.set.n();
        asks && is_known && (0..self.set.n()).any(|p| so(self.can_gain(p)))
    }

    /// The answer if it is open whether somebody counts whom it leaves out: who counts can only lower the value of Kalai–Smorodinsky, but
    /// multiplies that of Nash.
    fn without_proof(&self, found: Fair) -> Fair {
        if found.proven == Proven::Infeasible || found.gap.is_none() {
            return found;
        }
        let counts_somebody = (0..self.set.n()).any(|p| self.can_gain(p) == Some(true));
        let upper = if !self.question.rule.is_of_shares() {
            f64::INFINITY
        } else if counts_somebody {
            found.value.enclosure.upper()
        } else {
            // Nobody gets more than their own best.
            1.0
        };
        left_open(found, Enclosure::new(f64::NEG_INFINITY, upper))
    }

    /// Relaxes the demands until a mix of the points found meets them with some slack.
    fn relax(&mut self, restricted: &mut RestrictedFace, nearest: &Solved) {
        let slack = restricted.face.allowed_gap(&Scale::greatest_payoff(self.set.n(), Rational::ONE));
        self.relaxed_by = slack - nearest.value.clone().min(Rational::ZERO);
        restricted.conditions = self.demands();
    }

    /// Finds each principal's own best.
    fn own_bests(&mut self) -> Result<(), StopReason> {
        let n = self.set.n();
        (self.best, self.most, self.first) = (Vec::new(), Vec::new(), Vec::new());
        for p in 0..n {
            let (best, least) = self.set.best_and_least(&unit(n, p))?;
            self.best.push(least);
            self.most.push(best.most);
            self.first.push(best.point);
        }
        Ok(())
    }

    /// The least that somebody could gain, relative to the greatest payoff.
    fn least_range(&self) -> f64 {
        let of_point =
            |point: &Point| point.payoffs.iter().map(|own| own.enclosure.midpoint().abs()).fold(0.0, f64::max);
        let scale = self.first.iter().map(of_point).fold(0.0, f64::max);
        let ranges = self.best.iter().zip(&self.over).map(|(best, over)| (best - over).to_f64() / scale);
        ranges.filter(|range| *range > 0.0).fold(1.0, f64::min)
    }

    /// Finds the reference point, between bounds in doubles.
    fn find_reference(&mut self) -> Result<(), Failure> {
        (self.over, self.over_most) = self.reference()?.into_iter().map(|[lower, upper]| (lower, upper)).unzip();
        Ok(())
    }

    /// A lower and an upper bound on the reference point, equal if it is known exactly.
    fn reference(&self) -> Result<Vec<[Rational; 2]>, Failure> {
        let n = self.set.n();
        let known = |numbers: Vec<Rational>| numbers.into_iter().map(|own| [own.clone(), own]).collect();
        match &self.question.over {
            Over::Nothing => Ok(known(vec![Rational::ZERO; n])),
            Over::Given(numbers) => Ok(known(numbers.clone())),
            Over::OwnWorst => {
                let worst = |p: usize| -> Result<[Rational; 2], Failure> {
                    let against: Weights = unit(n, p).iter().map(|weight| -weight).collect();
                    let found = self.set.best_alone(&against)?;
                    let reached = found.point.most(&unit(n, p));
                    Ok([(-found.most).min(reached.clone()), reached])
                };
                (0..n).map(worst).collect()
            }
            Over::Strategy(strategy) => {
                let refused = |error: EvaluateError| FairError::Reference(error.to_string());
                let model = self.set.model();
                let worth = evaluate::evaluate(model, strategy, &self.set.options_of_reference()).map_err(refused)?;
                if let Some(reason) = worth.stopped() {
                    return Err(reason.into());
                }
                Ok((0..n).map(|p| ends(&worth.payoff(p.into(), model.start()))).collect())
            }
        }
    }

    /// Floors and ceilings.
    fn demands(&self) -> Vec<Condition> {
        let n = self.set.n();
        let condition =
            |payoffs: Weights, bound: Rational| Condition { payoffs, extras: Vec::new(), sense: Sense::AtLeast, bound };
        let [floors, ceilings] = self.question.demands();
        let floors = floors.into_iter().map(|(p, floor)| condition(unit(n, p.index()), floor - &self.relaxed_by));
        let ceilings = ceilings.into_iter().map(|(p, ceiling)| {
            condition(unit(n, p.index()).iter().map(|weight| -weight).collect(), -ceiling - &self.relaxed_by)
        });
        floors.chain(ceilings).collect()
    }

    fn welfare(&self, mut restricted: RestrictedFace) -> Result<Fair, Failure> {
        let counted: Weights = self.set.model().principals().iter().map(|principal| principal.weight.clone()).collect();
        // The reference point is a constant here. Its bounds, by which the lower and the upper one of the sum become least and greatest:
        let reference = |[of_gain, of_cost]: [&Vec<Rational>; 2]| {
            let over = |p: usize| if counted[p] < Rational::ZERO { &of_cost[p] } else { &of_gain[p] };
            sum((0..counted.len()).map(|p| &counted[p] * over(p)))
        };
        let most = reference([&self.over_most, &self.over]);
        let least = reference([&self.over, &self.over_most]);
        let program =
            Program { objective: counted.clone(), extras: Vec::new(), conditions: restricted.conditions.clone() };
        // Without demands it is one solve.
        if program.conditions.is_empty() && restricted.face.levels.is_empty() {
            restricted.face.points.clear();
            restricted.face.add(self.set.best(&counted)?.point);
        }
        let solved = restricted.face.solve(&program, &Until::Near(Scale::Payoffs(counted.clone())))?;
        let values = [&solved.value - &most, &solved.upper - &least];
        // A principal with weight 0 in the proof may get more at no cost. Without demands the one solve has seen to that.
        let has_demands = !program.conditions.is_empty() || !restricted.face.levels.is_empty();
        let can_have_more = |own: &Rational| if own.is_zero() { Rational::ONE } else { sign(own) };
        let spare: Weights = (counted.iter().zip(&solved.weights))
            .map(|(own, weight)| if weight.is_zero() && has_demands { can_have_more(own) } else { Rational::ZERO })
            .collect();
        let proof = restricted.bound(counted.clone(), &solved);
        let (weights, shares) = (solved.weights.clone(), solved.shares.clone());
        let first = self.on(&restricted, shares, weights, values.clone(), solved.stopped, proof.clone());
        if spare.iter().all(Rational::is_zero) {
            return Ok(first);
        }
        if self.set.gap().is_some() {
            return Ok(match self.spared_in_doubles(&mut restricted, &counted, &solved, spare) {
                Some(better) => {
                    let values = [&better.value - &most, values[1].clone()];
                    self.on(&restricted, better.shares, better.weights, values, solved.stopped, proof)
                }
                None => first,
            });
        }
        if !solved.is_optimal() {
            return Ok(first);
        }
        // Any optimum will do; a failure to improve these payoffs is not an error.
        match self.sparing(&mut restricted, &counted, &solved, spare) {
            Ok(better) => Ok(self.on(&restricted, better.shares, better.weights, values, solved.stopped, proof)),
            Err(_) => Ok(first),
        }
    }

    /// Among the optima of a weighted sum, one that is best by other weights.
    fn sparing(
        &self,
        restricted: &mut RestrictedFace,
        counted: &Weights,
        solved: &Solved,
        spare: Weights,
    ) -> Result<Solved, StopReason> {
        let mut tight: Vec<usize> = (0..solved.duals.len()).filter(|&row| !solved.duals[row].is_zero()).collect();
        let step = restricted.step(Argument::Tight, &solved.weights, &solved.duals);
        if !tight.is_empty() {
            // On the face the weighted sum is constant, so one tight demand follows from the others.
            tight.push(restricted.conditions.len());
            let (payoffs, bound) = (counted.clone(), solved.value.clone());
            restricted.conditions.push(Condition { payoffs, extras: Vec::new(), sense: Sense::Equal, bound });
            restricted.rows.push(restricted.n_rows);
            restricted.n_rows += 1;
        }
        restricted.tighten(step, &tight)?;
        let until = Until::Near(Scale::Payoffs(spare.clone()));
        let program = Program { objective: spare, extras: Vec::new(), conditions: restricted.conditions.clone() };
        restricted.face.solve(&program, &until)
    }

    /// In doubles: of the mixes that are as good within the gap, one that is best by other weights. It has the weights of the proof, and what it
    /// is worth by the rule.
    fn spared_in_doubles(
        &self,
        restricted: &mut RestrictedFace,
        counted: &Weights,
        solved: &Solved,
        spare: Weights,
    ) -> Option<Solved> {
        if solved.stopped.is_some() {
            return None;
        }
        let worth = |points: &[Point], shares: &[(usize, Rational)]| {
            sum(shares.iter().map(|(index, share)| points[*index].least(counted) * share))
        };
        // What was found leaves some of the gap.
        let allowed = restricted.face.allowed_gap(&Scale::Payoffs(counted.clone()));
        let left = (allowed - (&solved.upper - &solved.value)).max(Rational::ZERO);
        let (payoffs, bound) = (counted.clone(), &solved.value - left / Rational::from(2));
        let as_good = Condition { payoffs, extras: Vec::new(), sense: Sense::AtLeast, bound };
        let conditions = restricted.conditions.iter().cloned().chain([as_good]).collect();
        let until = Until::Near(Scale::Payoffs(spare.clone()));
        let better =
            restricted.face.solve(&Program { objective: spare, extras: Vec::new(), conditions }, &until).ok()?;
        let value = worth(&restricted.face.points, &better.shares);
        Some(Solved { value, shares: better.shares, ..solved.clone() })
    }

    /// What each principal could get at most, above the reference point, by which the rule divides; 1 if it does not.
    fn ranges(&self) -> Result<Vec<Rational>, FairError> {
        if !self.question.rule.is_of_shares() {
            return Ok(vec![Rational::ONE; self.set.n()]);
        }
        let range = |p: usize| {
            if self.can_gain(p) == Some(true) {
                return Ok(&self.best[p] - &self.over[p]);
            }
            let is_too_high = !matches!(self.question.over, Over::OwnWorst) && self.most[p] < self.over[p];
            if is_too_high {
                let name = self.set.model().principals()[p].name.clone();
                let most = &self.most[p];
                let best = if self.set.gap().is_some() { most.to_f64().to_string() } else { most.to_string() };
                let reference = self.over[p].to_string();
                return Err(FairError::ReferenceTooHigh { name, reference, best });
            }
            Ok(Rational::ZERO)
        };
        (0..self.set.n()).map(range).collect()
    }

    /// The greatest t with `x_p ≥ over_p + ranges_p · t` for all p; then, for those who can have more, again. If that is stopped,
    /// the answer has the value of the first level.
    fn least_first(&self, restricted: RestrictedFace, ranges: Vec<Rational>) -> Result<Fair, Failure> {
        let mut first: Option<Fair> = None;
        match (self.level_by_level(restricted, ranges, &mut first), first) {
            (Err(Failure::Stopped(reason)), Some(mut first)) => {
                first.proven = Proven::Stopped(reason);
                if self.question.rule.is_lexicographic() {
                    first.proof.clear();
                }
                Ok(first)
            }
            (answer, _) => answer,
        }
    }

    fn level_by_level(
        &self,
        mut restricted: RestrictedFace,
        ranges: Vec<Rational>,
        answer: &mut Option<Fair>,
    ) -> Result<Fair, Failure> {
        let n = self.set.n();
        // A principal that cannot gain is ignored by the rule.
        let mut open: Vec<usize> = (0..n).filter(|&p| !ranges[p].is_zero()).collect();
        let is_leximin = self.question.rule.is_lexicographic();
        let is_of_shares = self.question.rule.is_of_shares();
        let scale = if is_of_shares { Scale::One } else { Scale::greatest_payoff(n, Rational::ONE) };
        let mut first: Option<([Rational; 2], Vec<ProofStep>)> = None;
        let mut levels: Vec<Level> = Vec::new();
        loop {
            let own = restricted.conditions.len();
            let mut conditions = restricted.conditions.clone();
            conditions.extend(open.iter().map(|&p| Condition {
                payoffs: unit(n, p),
                extras: vec![(0, -&ranges[p])],
                sense: Sense::AtLeast,
                bound: self.over[p].clone(),
            }));
            let extras = vec![Extra { objective: Rational::ONE, free: true }];
            if open.is_empty() {
                // No principal can gain: any point will do.
                let program = Program { objective: vec![Rational::ONE; n], extras: Vec::new(), conditions };
                let until = Until::Near(Scale::greatest_payoff(n, Rational::ONE));
                let solved = restricted.face.solve(&program, &until)?;
                let values = [Rational::ZERO, Rational::ZERO];
                return Ok(self.on(&restricted, solved.shares, solved.weights, values, solved.stopped, Vec::new()));
            }
            let program = Program { objective: vec![Rational::ZERO; n], extras, conditions };
            let solved = restricted.face.solve(&program, &Until::Near(scale.clone()))?;
            let mut gains = vec![Rational::ZERO; n];
            open.iter().zip(&solved.duals[own..]).for_each(|(&p, dual)| gains[p] = -dual);
            let of_first = || ([solved.value.clone(), solved.upper.clone()], restricted.bound(gains.clone(), &solved));
            let (values, bound) = first.get_or_insert_with(of_first).clone();
            if answer.is_none() {
                let (shares, weights) = (solved.shares.clone(), solved.weights.clone());
                *answer = Some(self.on(&restricted, shares, weights, values.clone(), solved.stopped, bound.clone()));
            }
            let settled: Vec<usize> = (0..open.len()).filter(|&k| !solved.duals[own + k].is_zero()).collect();
            let who = if solved.is_optimal() { settled.iter().map(|&k| open[k]).collect() } else { open.clone() };
            if is_leximin {
                levels.push(Level::new(who, &[solved.value.clone(), solved.upper.clone()]));
            }
            if settled.len() == open.len() || !solved.is_optimal() {
                let mut proof = bound;
                if is_leximin {
                    proof = restricted.steps.clone();
                    proof.push(restricted.step(least(&solved, gains), &solved.weights, &solved.duals));
                }
                let is_proven = solved.is_optimal();
                let stopped = solved.stopped;
                let mut fair = self.on(&restricted, solved.shares, solved.weights, values, stopped, proof);
                if is_leximin && !is_proven {
                    // The levels before are proven; this one has bounds.
                    fair.proof.clear();
                    fair.proven = stopped.map_or(Proven::WithinGap, Proven::Stopped);
                }
                fair.levels = levels;
                return Ok(fair);
            }
            let mut tight: Vec<usize> = (0..own).filter(|&row| !solved.duals[row].is_zero()).collect();
            let step = restricted.step(least(&solved, gains), &solved.weights, &solved.duals);
            for &k in &settled {
                tight.push(restricted.conditions.len());
                let p = open[k];
                let bound = &self.over[p] + &ranges[p] * &solved.value;
                let condition = Condition { payoffs: unit(n, p), extras: Vec::new(), sense: Sense::AtLeast, bound };
                restricted.conditions.push(condition);
                restricted.rows.push(restricted.n_rows + k);
            }
            restricted.n_rows += open.len();
            restricted.tighten(step, &tight)?;
            let is_open = |k: &usize| !settled.contains(k);
            open = (0..open.len()).filter(is_open).map(|k| open[k]).collect();
        }
    }

    /// The weights in order, the greatest on the least gain, have the least weighted sum of all orders. So the rule is the least of
    /// one sum for each order; orders are added until the best mix is in one of them.
    fn gini(&self, mut restricted: RestrictedFace, weights: &[Rational]) -> Result<Fair, Failure> {
        /// The most orders; a few for each principal are enough.
        const MOST_ORDERS: usize = 2_000;
        let n = self.set.n();
        let everybody = Gains { who: (0..n).collect(), over: self.over.clone() };
        let own = restricted.conditions.len();
        let total = sum(weights.iter().cloned());
        let scale = Scale::greatest_payoff(n, total.clone());
        let even = total / Rational::from(n);
        // No order has a lesser sum than all orders on average.
        let mut orders: Vec<Weights> = vec![vec![even; n]];
        let mut best: Option<(Rational, Vec<(usize, Rational)>)> = None;
        let mut bound: Option<(Solved, Weights)> = None;
        let stopped = loop {
            let mut conditions = restricted.conditions.clone();
            conditions.extend(orders.iter().map(|order| Condition {
                payoffs: order.clone(),
                extras: vec![(0, Rational::NEG_ONE)],
                sense: Sense::AtLeast,
                bound: sum(order.iter().zip(&self.over).map(|(weight, over)| weight * over)),
            }));
            let extras = vec![Extra { objective: Rational::ONE, free: true }];
            let program = Program { objective: vec![Rational::ZERO; n], extras, conditions };
            let solved = match restricted.face.solve(&program, &Until::Near(scale.clone())) {
                Ok(solved) => solved,
                Err(reason) if best.is_some() => break Some(reason),
                Err(reason) => return Err(reason.into()),
            };
            let gained = everybody.least(&restricted.face.points, &solved.shares);
            let order = in_order(weights, &gained);
            let attained = sum(order.iter().zip(&gained).map(|(weight, gain)| weight * gain));
            if best.as_ref().is_none_or(|(most, _)| attained > *most) {
                best = Some((attained, solved.shares.clone()));
            }
            if bound.as_ref().is_none_or(|(least, _)| solved.upper < least.upper) {
                let mut gains = vec![Rational::ZERO; n];
                for (order, dual) in orders.iter().zip(&solved.duals[own..]) {
                    gains.iter_mut().zip(order).for_each(|(gain, weight)| *gain -= weight * dual);
                }
                bound = Some((solved.clone(), gains));
            }
            let (attained, upper) = (&best.as_ref().expect("set").0, &bound.as_ref().expect("set").0.upper);
            if upper - attained <= restricted.face.allowed_gap(&scale) {
                break None;
            }
            if solved.stopped.is_some() {
                break solved.stopped;
            }
            if orders.len() == MOST_ORDERS || orders.contains(&order) {
                break Some(StopReason::SolveLimit);
            }
            orders.push(order);
        };
        let ((attained, shares), (solved, gains)) = (best.expect("one solve"), bound.expect("one solve"));
        let values = [attained, solved.upper.clone()];
        let proof = restricted.bound(gains, &solved);
        Ok(self.on(&restricted, shares, solved.weights, values, stopped, proof))
    }

    fn smooth(&self, mut restricted: RestrictedFace) -> Result<Fair, Failure> {
        let n = self.set.n();
        let smooth = Smooth::of(&self.question.rule).expect("a smooth rule");
        let principals = self.set.model().principals();
        let rule = self.question.rule.name();
        let from_zero = matches!(self.question.over, Over::Nothing);
        // With the own worst as reference point, a principal with a constant payoff neither gains nor loses.
        let who: Vec<usize> = (0..n).filter(|&p| !self.leaves_out() || self.can_gain(p) == Some(true)).collect();
        if let Some(p) = who.iter().copied().find(|&p| self.can_gain(p) != Some(true)) {
            if self.can_gain(p).is_none() {
                return Err(StopReason::Precision.into());
            }
            let who = format!("no strategy gives `{}` more than {}", principals[p].name, self.over[p]);
            return Err(FairError::NobodyGains { rule, who, from_zero, has_demands: false }.into());
        }
        if who.is_empty() {
            let who = "all strategies give everybody the same".to_owned();
            return Err(FairError::NobodyGains { rule, who, from_zero, has_demands: false }.into());
        }
        let gains = Gains { who, over: self.over.clone() };
        // An initial mix with positive gains for all.
        let mut conditions = restricted.conditions.clone();
        conditions.extend(gains.who.iter().map(|&p| Condition {
            payoffs: unit(n, p),
            extras: vec![(0, Rational::NEG_ONE)],
            sense: Sense::AtLeast,
            bound: self.over[p].clone(),
        }));
        let extras = vec![Extra { objective: Rational::ONE, free: true }];
        let program = Program { objective: vec![Rational::ZERO; n], extras, conditions };
        let begun = restricted.face.solve(&program, &Until::Positive)?;
        if begun.upper <= Rational::ZERO {
            let has_demands = restricted.n_rows > 0;
            let who = if has_demands {
                "with what is demanded somebody gets no more than that"
            } else {
                "not all can gain together"
            };
            return Err(FairError::NobodyGains { rule, who: who.to_owned(), from_zero, has_demands }.into());
        }
        if !smooth::all_gain(&restricted.face, &gains, &begun.shares) {
            return Err(begun.stopped.unwrap_or(StopReason::Precision).into());
        }
        let gap = if restricted.face.gap.is_zero() {
            Rational::try_from(SMOOTH_GAP).expect("finite")
        } else {
            restricted.face.gap.clone()
        };
        let found = match smooth::solve(&smooth, &mut restricted, &gains, begun.shares.clone(), &gap) {
            Ok(found) => found,
            Err(reason) => {
                // The mix is known, and no upper bound but that of own bests.
                let [value, _] = smooth.reported(&gains.least(&restricted.face.points, &begun.shares));
                let values = [value.clone(), value];
                let fair =
                    self.on(&restricted, begun.shares, vec![Rational::ZERO; n], values, Some(reason), Vec::new());
                let value = Value::from(Enclosure::new(fair.value.enclosure.lower(), f64::INFINITY));
                return Ok(Fair { value, proven: Proven::Stopped(reason), ..fair });
            }
        };
        let (gains, rows) = found.dual;
        let mut proof = restricted.steps.clone();
        proof.push(ProofStep { argument: Argument::Bound { gains }, weights: found.weights.clone(), rows });
        Ok(self.on(&restricted, found.shares, found.weights, [found.value, found.upper], found.stopped, proof))
    }

    /// The answer of a mix on a restricted, with the proof steps of its faces.
    fn on(
        &self,
        restricted: &RestrictedFace,
        shares: Vec<(usize, Rational)>,
        weights: Weights,
        values: [Rational; 2],
        stopped: Option<StopReason>,
        proof: Vec<ProofStep>,
    ) -> Fair {
        let mut all = restricted.face.levels.clone();
        all.push(weights);
        // A face that demands alone define has no weights: it is the whole set.
        let tells = |weights: &Weights| weights.iter().any(|weight| !weight.is_zero());
        let weights = all.remove(all.iter().position(tells).unwrap_or(0));
        all.retain(tells);
        let proven = match stopped {
            _ if values[0] == values[1] && self.set.gap().is_none() => Proven::Optimal,
            Some(reason) => Proven::Stopped(reason),
            None => Proven::WithinGap,
        };
        let mixed = Mixed { points: &restricted.face.points, shares, weights, then: all, proof };
        self.written(mixed, between(&values), proven)
    }

    fn infeasible(&self, restricted: &RestrictedFace, solved: Solved) -> Fair {
        let values = [-&solved.upper, -&solved.value];
        let proof = restricted.bound(vec![Rational::ZERO; self.set.n()], &solved);
        let mut fair = self.on(restricted, solved.shares, solved.weights, values, None, proof);
        fair.proven = Proven::Infeasible;
        fair
    }

    /// The answer if the feasibility of the demands is not decided.
    fn undecided(&self, restricted: &RestrictedFace, solved: Solved, reason: StopReason) -> Fair {
        let values = [Rational::ZERO, Rational::ZERO];
        let mut fair = self.on(restricted, solved.shares, solved.weights, values, Some(reason), Vec::new());
        fair.value = Value::from(self.bound_by_rewards());
        fair.proven = Proven::Stopped(reason);
        fair
    }

    /// Those who cannot gain, if the rule leaves them out; or those of whom that is open.
    fn cannot_gain(&self, known: Option<bool>) -> Vec<PrincipalId> {
        let is_asked = if known.is_some() { self.leaves_out() } else { self.is_any(|can_gain| can_gain.is_none()) };
        if !is_asked || self.most.len() < self.set.n() {
            return Vec::new();
        }
        (0..self.set.n()).filter(|&p| self.can_gain(p) == known).map(PrincipalId::from).collect()
    }

    fn written(&self, mixed: Mixed, value: Value, proven: Proven) -> Fair {
        let n = self.set.n();
        let mut shares = reduced(mixed.points, mixed.shares);
        let first = |index: &usize| mixed.points[*index].least(&unit(n, 0));
        shares.sort_by(|(a, _), (b, _)| first(b).cmp(&first(a)).then(a.cmp(b)));
        let payoff = |p: usize| {
            let unit = unit(n, p);
            let total = |end: fn(&Point, &[Rational]) -> Rational| {
                sum(shares.iter().map(|(index, share)| end(&mixed.points[*index], &unit) * share))
            };
            between(&[total(Point::least), total(Point::most)])
        };
        let share = |(index, probability): &(usize, Rational)| Share {
            probability: probability.clone(),
            strategy: mixed.points[*index].strategy.clone(),
            payoffs: mixed.points[*index].payoffs.clone(),
        };
        Fair {
            rule: self.question.rule.clone(),
            proven,
            value,
            payoffs: (0..n).map(payoff).collect(),
            over: self.over.clone(),
            mix: shares.iter().map(share).collect(),
            weights: mixed.weights,
            then: mixed.then,
            levels: Vec::new(),
            not_counted: self.cannot_gain(Some(false)),
            doubtful: self.cannot_gain(None),
            relaxed_by: self.relaxed_by.clone(),
            gap: self.set.gap(),
            calls: self.set.calls(),
            own_best: self.best.clone(),
            proof: mixed.proof,
        }
    }

    /// The answer if stopped before a mix was found: the best of the initial points, and an upper bound from each principal's own
    /// best. If these are not known either: what the rewards allow.
    fn stopped_early(&self, reason: StopReason) -> Fair {
        match (self.best_of_first(), self.own_bests_bound()) {
            (Some((lower, mixed)), Some(upper)) => {
                self.written(mixed, between(&[lower, upper]), Proven::Stopped(reason))
            }
            _ => self.nothing_known(reason),
        }
    }

    /// The best of the initial points that meet the demands, with a lower bound on its value.
    fn best_of_first(&self) -> Option<(Rational, Mixed<'_>)> {
        let n = self.set.n();
        if self.most.len() < n || self.is_any(|can_gain| can_gain.is_none()) {
            return None;
        }
        let everybody = Gains { who: (0..n).collect(), over: self.over_most.clone() };
        let meets_demands = |point: &Point| {
            let meets = |demand: &Condition| point.least(&demand.payoffs) >= demand.bound;
            self.demands().iter().all(meets)
        };
        let value = |index: usize| self.attained(&everybody.least(&self.first, &[(index, Rational::ONE)]));
        let candidates = (0..self.first.len()).filter(|&index| meets_demands(&self.first[index]));
        let valued = candidates.filter_map(|index| Some((value(index)?, index)));
        let (lower, index) = valued.max_by(|(value, a), (other, b)| value.cmp(other).then(b.cmp(a)))?;
        let (shares, weights) = (vec![(index, Rational::ONE)], vec![Rational::ZERO; n]);
        Some((lower, Mixed { points: &self.first, shares, weights, then: Vec::new(), proof: Vec::new() }))
    }

    /// An upper bound on the rule's value: nobody gets more than their own best.
    fn own_bests_bound(&self) -> Option<Rational> {
        if self.most.len() < self.set.n() || self.is_any(|can_gain| can_gain.is_none()) {
            return None;
        }
        let gains = Vec::from_iter(self.most.iter().zip(&self.over).map(|(most, over)| most - over));
        self.of_gains(&gains).map(|[_, upper]| upper)
    }

    /// The answer, or if it was stopped, the better of its bounds and those of the initial points: what is found on the way to the optimum
    /// is at times worse.
    fn with_first_bounds(&self, mut found: Fair) -> Fair {
        let Proven::Stopped(reason) = found.proven else { return found };
        let bounds = found.value.enclosure;
        let lower = self.best_of_first().map(|(lower, mixed)| (Enclosure::from(&lower).lower(), mixed));
        // Leximin may give up a little of its first level for the others.
        let is_single = found.levels.is_empty();
        if let Some((lower, mixed)) = lower.filter(|(lower, _)| is_single && *lower > bounds.lower()) {
            let value = Value::from(Enclosure::new(lower, bounds.upper().max(lower)));
            let Fair { mix, payoffs, .. } = self.written(mixed, value.clone(), Proven::Stopped(reason));
            found = Fair { value, mix, payoffs, ..found };
        }
        let upper = self.own_bests_bound().map(|upper| Enclosure::from(&upper).upper());
        if let Some(upper) = upper.filter(|upper| *upper < bounds.upper()) {
            // No weights of this question prove it.
            let weights = vec![Rational::ZERO; self.set.n()];
            let value = Value::from(Enclosure::new(found.value.enclosure.lower().min(upper), upper));
            found = Fair { value, weights, then: Vec::new(), proof: Vec::new(), ..found };
        }
        found
    }

    /// The rule's value of these gains, from below and from above; `None` if they have none.
    fn of_gains(&self, gains: &[Rational]) -> Option<[Rational; 2]> {
        let once = |value: Rational| Some([value.clone(), value]);
        match &self.question.rule {
            Rule::Welfare => {
                let weights = self.set.model().principals().iter().map(|principal| &principal.weight);
                // A principal with costs may get less than its own best.
                let is_monotone = weights.clone().all(|weight| *weight >= Rational::ZERO);
                is_monotone.then(|| sum(weights.zip(gains).map(|(weight, gain)| weight * gain))).and_then(once)
            }
            Rule::MaxMin | Rule::Leximin => once(gains.iter().min()?.clone()),
            Rule::KalaiSmorodinsky => {
                let ranges = self.best.iter().zip(&self.over).map(|(best, over)| best - over);
                let counted = gains.iter().zip(ranges).filter(|(_, range)| *range > Rational::ZERO);
                once(counted.map(|(gain, range)| gain / range).min()?)
            }
            Rule::Gini(weights) => {
                once(sum(in_order(weights, gains).iter().zip(gains).map(|(weight, gain)| weight * gain)))
            }
            Rule::Nash | Rule::Alpha(_) => {
                let own_worst = matches!(self.question.over, Over::OwnWorst);
                let counts = |p: &usize| !own_worst || self.best[*p] > self.over[*p];
                let counted: Vec<Rational> = (0..gains.len()).filter(counts).map(|p| gains[p].clone()).collect();
                let gain = !counted.is_empty() && counted.iter().all(|gain| *gain > Rational::ZERO);
                gain.then(|| Smooth::of(&self.question.rule).expect("a smooth rule").reported(&counted))
            }
        }
    }

    /// The answer if stopped before a point was found: the bounds from the rewards, and no strategy.
    fn nothing_known(&self, reason: StopReason) -> Fair {
        let model = self.set.model();
        let any = model.any_payoffs();
        Fair {
            rule: self.question.rule.clone(),
            proven: Proven::Stopped(reason),
            value: Value::from(self.bound_by_rewards()),
            payoffs: (0..self.set.n()).map(|p| any.payoff(p.into(), model.start())).collect(),
            over: self.over.clone(),
            mix: Vec::new(),
            weights: vec![Rational::ZERO; self.set.n()],
            then: Vec::new(),
            levels: Vec::new(),
            not_counted: Vec::new(),
            doubtful: self.cannot_gain(None),
            relaxed_by: Rational::ZERO,
            gap: self.set.gap(),
            calls: self.set.calls(),
            own_best: Vec::new(),
            proof: Vec::new(),
        }
    }
}

/// The answer with these bounds, which doubles bring no nearer and no single proof shows.
fn left_open(found: Fair, bounds: Enclosure) -> Fair {
    let reason = if let Proven::Stopped(reason) = found.proven { reason } else { StopReason::Precision };
    Fair { value: Value::from(bounds), proven: Proven::Stopped(reason), proof: Vec::new(), ..found }
}

/// Whether the rewards of a principal are the same random process under all strategies from the start: with states that earn alike merged, all
/// choices of a state that can be reached are one choice. A discount of 0 counts the first step alone.
fn is_rewarded_alike<N: Chance, K: Hash + Eq>(
    mdp: &Mdp<N>,
    p: usize,
    key: impl Fn(&N) -> K,
    stop: &StopSignal,
) -> bool {
    let reward = |choice: ChoiceId| key(&mdp.rewards(choice)[p]);
    let first = || mdp.choices(mdp.start());
    if mdp.principals()[p].discount().is_some_and(Rational::is_zero) {
        return first().map(reward).collect::<HashSet<K>>().len() == 1;
    }
    let labels = labels((0..mdp.n_choices()).map(|choice| reward(choice.into())));
    let Some(classes) = Classes::of(mdp, &labels, Alternatives::Any, stop) else { return false };
    let reachable = mdp.reachable(mdp.start());
    let is_one_choice = |state: StateId| {
        let mut choices = mdp.choices(state).map(|choice| (labels[choice.index()], classes.row(mdp, choice)));
        let first = choices.next();
        choices.all(|other| Some(other) == first)
    };
    mdp.states().filter(|state| reachable[state.index()]).all(is_one_choice)
}

/// These weights, which do not increase, given to gains from the least up.
fn in_order(weights: &[Rational], gains: &[Rational]) -> Weights {
    let mut from_least: Vec<usize> = (0..gains.len()).collect();
    from_least.sort_by(|&p, &q| gains[p].cmp(&gains[q]).then(p.cmp(&q)));
    let mut order = vec![Rational::ZERO; gains.len()];
    from_least.into_iter().zip(weights).for_each(|(p, weight)| order[p] = weight.clone());
    order
}

/// The argument that the principals that are not fixed cannot all gain more than this.
fn least(solved: &Solved, gains: Weights) -> Argument {
    Argument::Least { value: solved.value.clone(), gains }
}

/// The exact number if both ends are equal; otherwise an enclosure.
fn between(values: &[Rational; 2]) -> Value {
    let [lower, upper] = values;
    if lower == upper {
        return Value::from(lower.clone());
    }
    Value::from(Enclosure::new(Enclosure::from(lower).lower(), Enclosure::from(upper).upper()))
}

fn sign(number: &Rational) -> Rational {
    match number.cmp(&Rational::ZERO) {
        std::cmp::Ordering::Less => Rational::NEG_ONE,
        std::cmp::Ordering::Equal => Rational::ZERO,
        std::cmp::Ordering::Greater => Rational::ONE,
    }
}
