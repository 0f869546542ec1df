//! The payoff set: the payoff vectors of all strategies from the start.
//!
//! It is convex and compact. For weights w, which may be of any sign and 0, the greatest w·x over it is the welfare of the
//! model with the weights w: one solve returns a strategy, its payoffs x, and a half-space `w·x ≤ h(w)` that contains the whole
//! set.
//!
//! Results are cached: as long as the weights of principals that share a discount keep their ratios, and no sign changes, the
//! long-term strategy is the same and its values scale. A further solve is then only a backward induction.

use super::{Weights, lexicographic};
use crate::answer::{Answer, Claim};
use crate::any_model::Model;
use crate::certified;
use crate::exact::{self, long_term};
use crate::model::{IntegerRows, Mdp, PrincipalId};
use crate::number::{Enclosure, Rational, Value};
use crate::principals::{OrderedPart, order_by, parts_weighted};
use crate::solve::{DEFAULT_GAP, Engine, Options, Picked};
use crate::stop::{Reached, StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Strategy};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};

/// A strategy, and what it gives each principal of the file from the start.
#[derive(Debug, Clone)]
pub struct Point {
    /// The strategy.
    pub strategy: CountingStrategy,
    /// What each principal gets, before its weight.
    pub payoffs: Vec<Value>,
}

impl Point {
    /// A lower bound on `weights`·x.
    pub fn least(&self, weights: &[Rational]) -> Rational {
        self.end(weights, |weight| *weight >= Rational::ZERO)
    }

    /// An upper bound on `weights`·x.
    pub fn most(&self, weights: &[Rational]) -> Rational {
        self.end(weights, |weight| *weight < Rational::ZERO)
    }

    fn end(&self, weights: &[Rational], takes_lower: impl Fn(&Rational) -> bool) -> Rational {
        let mut sum = Rational::ZERO;
        for (weight, payoff) in weights.iter().zip(&self.payoffs).filter(|(weight, _)| !weight.is_zero()) {
            let [lower, upper] = ends(payoff);
            sum += weight * if takes_lower(weight) { lower } else { upper };
        }
        sum
    }

    /// Whether every payoff is known as a fraction.
    pub fn is_exact(&self) -> bool {
        self.payoffs.iter().all(|payoff| payoff.exact.is_some())
    }
}

/// A number's bounds as fractions: the number itself, twice, if it is known.
pub(super) fn ends(value: &Value) -> [Rational; 2] {
    match &value.exact {
        Some(exact) => [exact.clone(), exact.clone()],
        None => {
            let end = |x: f64| Rational::try_from(x).unwrap_or(Rational::ZERO);
            [end(value.enclosure.lower()), end(value.enclosure.upper())]
        }
    }
}

/// The best for some weights: a point, and an upper bound.
#[derive(Debug, Clone)]
pub struct Best {
    /// A strategy with its payoffs.
    pub point: Point,
    /// No point of the set has a greater weighted sum.
    pub most: Rational,
    /// Why the bound is wider than it could be, if the solve was stopped.
    pub stopped: Option<StopReason>,
}

/// The payoff set of a model from its start, as its linear oracle.
pub struct PayoffSet<'m> {
    model: &'m Model,
    /// The model in fractions, and its rows in integers, if fractions are used.
    exact: OnceCell<(Cow<'m, Mdp>, IntegerRows)>,
    options: Options,
    kept: RefCell<Vec<Kept>>,
    /// The model in doubles, whose weights change from solve to solve.
    doubles: RefCell<Option<Mdp<f64>>>,
    kept_in_doubles: RefCell<Vec<certified::Kept>>,
    /// How much smaller than the gap asked for the errors of payoffs have to be; at most 1.
    finer: Cell<f64>,
    calls: Cell<u64>,
    /// How many long-term strategies were computed; further solves found theirs cached.
    long_term_solves: Cell<u64>,
    most_calls: u64,
    most_bits: usize,
    /// Whether doubles may hand a question over to fractions.
    may_use_fractions: bool,
}

/// A smaller gap than asked for, because a mix adds the errors of its points; and the least one.
const FINER: f64 = 1.0 / 16.0;
const FINEST: f64 = 1e-12;

/// The part of the gap to which a reference point is known.
const REFERENCE: f64 = 1.0 / 8.0;

/// A cached long-term strategy, for parts normalised to a first factor of 1 or −1.
struct Kept {
    parts: Vec<OrderedPart>,
    long_term: long_term::LongTerm,
}

impl<'m> PayoffSet<'m> {
    /// The payoff set of `model`, solved with the engine and the limits of `options`.
    pub fn new(model: &'m Model, options: &Options) -> PayoffSet<'m> {
        PayoffSet {
            model,
            exact: OnceCell::new(),
            options: options.clone(),
            kept: RefCell::default(),
            doubles: RefCell::default(),
            kept_in_doubles: RefCell::default(),
            finer: Cell::new(1.0),
            calls: Cell::new(0),
            long_term_solves: Cell::new(0),
            most_calls: u64::MAX,
            most_bits: usize::MAX,
            may_use_fractions: true,
        }
    }

    /// The same with a limit on the number of solves.
    pub fn with_most_calls(self, most_calls: u64) -> PayoffSet<'m> {
        PayoffSet { most_calls, ..self }
    }

    /// The same set with a limit on the work, in about nanoseconds of one processor, counted and not timed. Nothing is cached yet.
    pub fn with_work_limit(&self, work: u64) -> PayoffSet<'m> {
        self.limited(work, None)
    }

    /// The same, of another engine if one is given.
    pub(super) fn limited(&self, work: u64, engine: Option<Engine>) -> PayoffSet<'m> {
        let stop = if work == u64::MAX { self.options.stop.clone() } else { self.options.stop.with_budget(work, work) };
        let options = Options { stop, engine: engine.unwrap_or(self.options.engine), ..self.options.clone() };
        PayoffSet { most_calls: self.most_calls, most_bits: self.most_bits, ..PayoffSet::new(self.model, &options) }
    }

    /// The same set in doubles with limits on the work and on the share of the time that is left. Fractions are asked beside these doubles, and not
    /// by them.
    pub(super) fn in_doubles(&self, gap: f64, work: u64, share_of_time: f64) -> PayoffSet<'m> {
        let set = self.limited(work.min(self.options.stop.left()), Some(Engine::Within(gap)));
        let options = Options { stop: set.options.stop.for_share_of_time(share_of_time), ..set.options };
        PayoffSet { options, may_use_fractions: false, ..set }
    }

    /// Whether doubles may hand a question over to fractions.
    pub(super) fn may_use_fractions(&self) -> bool {
        self.may_use_fractions
    }

    /// Asks for payoffs in doubles whose errors are smaller by this factor; false if they are small enough already.
    pub(super) fn refine(&self, factor: f64) -> bool {
        /// Errors that are smaller by more than this are below those of rounding.
        const LEAST: f64 = 1e-6;
        let finer = factor.clamp(LEAST, 1.0);
        let is_new = finer < self.finer.get();
        if is_new {
            self.finer.set(finer);
            // What is kept was found for larger errors.
            self.kept_in_doubles.borrow_mut().clear();
        }
        is_new
    }

    /// Asks for payoffs whose errors are smaller than now by this factor; false if they are small enough already.
    pub(super) fn narrow(&self, factor: f64) -> bool {
        self.refine(self.finer.get() * factor)
    }

    /// How far payoffs of the size of these points' may be off: 0 in fractions.
    pub(super) fn error_of_payoffs(&self, points: &[Point]) -> Rational {
        let Some(gap) = self.gap() else { return Rational::ZERO };
        let payoffs = points.iter().flat_map(|point| &point.payoffs);
        let scale = payoffs.map(|payoff| payoff.enclosure.midpoint().abs()).fold(0.0, f64::max);
        Rational::try_from(gap * self.finer.get() * scale).unwrap_or(Rational::ZERO)
    }

    /// The same, stopped where a payoff has a longer denominator than this: programs over long fractions take long.
    pub fn with_most_bits(self, most_bits: usize) -> PayoffSet<'m> {
        PayoffSet { most_bits, ..self }
    }

    /// An error if a payoff is longer than allowed.
    fn check_length(&self, payoffs: &[Value]) -> Result<(), StopReason> {
        let bits = |payoff: &Value| payoff.exact.as_ref().map_or(0, Rational::denominator_bits);
        if payoffs.iter().map(bits).any(|bits| bits > self.most_bits) { Err(StopReason::Work) } else { Ok(()) }
    }

    /// Counts a solve, or returns the reason to stop.
    fn ask(&self) -> Result<(), StopReason> {
        self.options.stop.check()?;
        if self.calls.get() >= self.most_calls {
            return Err(StopReason::SolveLimit);
        }
        self.calls.set(self.calls.get() + 1);
        Ok(())
    }

    /// Says how far a rule has come: how far its bounds are apart.
    pub(super) fn tell_gap(&self, gap: Rational) {
        self.options.stop.reach(Reached::Mixing { solves: self.calls(), gap: gap.to_f64() });
    }

    /// Says how far a front has come: the vertices found, and how far it may exceed them.
    pub(super) fn tell_vertices(&self, vertices: usize, gap: f64) {
        self.options.stop.reach(Reached::Tracing { solves: self.calls(), vertices, gap });
    }

    /// The signal that stops its solves.
    pub(crate) fn stop(&self) -> &StopSignal {
        &self.options.stop
    }

    /// The engine that was asked for.
    pub(crate) fn engine(&self) -> Engine {
        self.options.engine
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The number of principals.
    pub fn n(&self) -> usize {
        self.model.n_principals()
    }

    /// 1, or −1 for a principal with negative weight, of whose payoff less is better.
    pub(super) fn direction(&self, p: usize) -> Rational {
        if self.model.principals()[p].weight < Rational::ZERO { -Rational::ONE } else { Rational::ONE }
    }

    /// The weights by which a principal's own best is the best.
    pub(super) fn own_way(&self, p: usize) -> Weights {
        let mut weights = vec![Rational::ZERO; self.n()];
        weights[p] = self.direction(p);
        weights
    }

    /// The number of solves so far.
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// The gap of the engine that answers, if it is the one in doubles. Of preferences that mixtures stand for nothing is known
    /// exactly: bounds, which include how near the mixtures are, are all there is.
    pub fn gap(&self) -> Option<f64> {
        /// Bounds that are off by the error of a mixture do not come nearer than a few of these.
        const ERRORS: f64 = 16.0;
        if self.model.is_approximated() && self.model.doubles().is_ok() {
            let asked = if let Engine::Within(gap) = self.options.engine { gap } else { DEFAULT_GAP };
            let errors = self.model.principals().iter().filter_map(|own| own.approximation());
            let error = errors.map(|own| own.relative_error.to_f64()).fold(0.0, f64::max);
            return Some(asked.max(ERRORS * error).min(1.0));
        }
        match self.options.engine.for_model(self.model) {
            Picked::Exact => None,
            Picked::Certified { gap } => self.model.doubles().is_ok().then_some(gap),
        }
    }

    /// The options by which a strategy is evaluated that is a reference point.
    pub(super) fn options_of_reference(&self) -> Options {
        let engine = match self.options.engine {
            Engine::Within(gap) => Engine::Within((gap * self.finer.get() * REFERENCE * FINER).max(FINEST)),
            engine => engine,
        };
        Options { engine, ..self.options.clone() }
    }

    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    pub(super) fn mdp(&self) -> Result<&Mdp, StopReason> {
        Ok(&self.in_fractions()?.0)
    }

    pub(super) fn rows(&self) -> Result<&IntegerRows, StopReason> {
        Ok(&self.in_fractions()?.1)
    }

    fn in_fractions(&self) -> Result<&(Cow<'m, Mdp>, IntegerRows), StopReason> {
        if let Some(known) = self.exact.get() {
            return Ok(known);
        }
        let mdp = self.model.exact_unless(&self.options.stop)?;
        let rows = IntegerRows::of(&mdp);
        Ok(self.exact.get_or_init(|| (mdp, rows)))
    }

    /// How many of the solves had to find their long-term strategy; the others found it cached.
    pub fn long_term_solves(&self) -> u64 {
        self.long_term_solves.get()
    }

    /// The best for some weights. Ties are broken in favour of the principals of weight 0; in doubles also what is nearly a tie.
    pub fn best(&self, weights: &Weights) -> Result<Best, StopReason> {
        self.best_and_least(weights).map(|(best, _)| best)
    }

    /// The best for some weights, whatever it gives the principals of weight 0: one solve, where ties cost a second one. In doubles it is known
    /// more precisely than other points: it is for a reference point, whose errors add to those of all points.
    pub(super) fn best_alone(&self, weights: &Weights) -> Result<Best, StopReason> {
        match self.gap() {
            Some(gap) => self.ask().and_then(|()| self.certified(weights, gap * REFERENCE)),
            None => self.best_of_best(&[weights]),
        }
    }

    /// The same, and the greatest sum that is known to be reached: in doubles it may exceed that of the point, which the principals of
    /// weight 0 cost a little.
    pub(super) fn best_and_least(&self, weights: &Weights) -> Result<(Best, Rational), StopReason> {
        let uncounted = |weight: &Rational| if weight.is_zero() { Rational::ONE } else { Rational::ZERO };
        let others: Weights = weights.iter().map(uncounted).collect();
        if let Some(gap) = self.gap() {
            return self.certified_for_all(weights, &others, gap);
        }
        let best = self.exact_for_all(weights, &others)?;
        let least = best.point.least(weights);
        Ok((best, least))
    }

    fn exact_for_all(&self, weights: &Weights, others: &Weights) -> Result<Best, StopReason> {
        let best = self.best_of_best(&[weights, others])?;
        let most = if others.iter().all(Rational::is_zero) { best.most } else { best.point.most(weights) };
        Ok(Best { most, ..best })
    }

    /// The best, where the principals of weight 0 count in their own direction, as on the front.
    pub(super) fn best_of_front(&self, weights: &Weights) -> Result<Best, StopReason> {
        let uncounted = |p: usize| if weights[p].is_zero() { self.direction(p) } else { Rational::ZERO };
        let others: Weights = (0..self.n()).map(uncounted).collect();
        match self.gap() {
            Some(gap) => self.certified_for_all(weights, &others, gap).map(|(best, _)| best),
            None => self.exact_for_all(weights, &others),
        }
    }

    /// Whether preferences are approximated by mixtures.
    pub fn is_approximated(&self) -> bool {
        self.model.is_approximated()
    }

    /// The point whose sum by the first of `levels` is the greatest, among these the greatest by the second, and so on; and
    /// an upper bound for the last level that is not all zeros. Needs the exact engine, which decides ties.
    pub fn best_of_best(&self, levels: &[&Weights]) -> Result<Best, StopReason> {
        self.ask()?;
        let tells = |weights: &&Weights| weights.iter().any(|weight| !weight.is_zero());
        let telling: Vec<&Weights> = levels.iter().copied().filter(tells).collect();
        if let [single] = telling.as_slice() {
            return self.exact(single);
        }
        let found = lexicographic::solve(self.mdp()?, self.rows()?, &telling, &self.options.stop)?;
        let payoffs: Vec<Value> = found.payoffs.into_iter().map(Value::from).collect();
        self.check_length(&payoffs)?;
        let point = Point { strategy: found.strategy, payoffs };
        let most = telling.last().map_or(Rational::ZERO, |last| point.most(last));
        Ok(Best { point, most, stopped: None })
    }

    fn exact(&self, weights: &Weights) -> Result<Best, StopReason> {
        /// The work for a term and the square of a word, in nanoseconds.
        const WORD_SQUARED: u64 = 2;
        let (mdp, rows) = (self.mdp()?, self.rows()?);
        // Long weights make every number of the solve long.
        let words = weights.iter().map(|weight| weight.bits() as u64 / 64).max().unwrap_or(0);
        let parts = mdp.principals().iter().flat_map(|own| own.segments()).map(|segment| segment.parts.len());
        let terms = parts.sum::<usize>() * (mdp.n_transitions() + mdp.n_choices());
        self.options.stop.spend(WORD_SQUARED * words * words * terms as u64);
        if mdp.principals().iter().any(|principal| principal.parts().is_none()) {
            // Each segment has its own long-term strategy: nothing is cached.
            return self.told(exact::solve(&mdp.clone().with_weights(weights), &self.options), weights);
        }
        let parts = parts_weighted(mdp.principals(), weights);
        let (normal, factors): (Vec<OrderedPart>, Vec<Rational>) = parts.iter().map(OrderedPart::normalised).unzip();
        let model = order_by(mdp, parts, &self.options.stop)?;
        let mut kept = self.kept.borrow_mut();
        if !kept.iter().any(|one| one.parts == normal) {
            let long_term = {
                let model = order_by(mdp, normal.clone(), &self.options.stop)?;
                long_term::solve(&model, rows, &self.options.stop)?
            };
            self.long_term_solves.set(self.long_term_solves.get() + 1);
            kept.push(Kept { parts: normal.clone(), long_term });
        }
        let known = kept.iter().find(|one| one.parts == normal).expect("kept by now");
        let values = known.long_term.values.iter().zip(&factors).map(|(values, factor)| values.scaled(factor));
        let long_term = long_term::LongTerm { values: values.collect(), ..known.long_term.clone() };
        self.told(exact::solve_from(&model, rows, &long_term, &self.options), weights)
    }

    /// The best in doubles; of what is as good within the gap, a point that is good for the `others` too. Doubles do not decide ties, so
    /// that the others count a little; the half-space is that of `weights` alone.
    fn certified_for_all(&self, weights: &Weights, others: &Weights, gap: f64) -> Result<(Best, Rational), StopReason> {
        /// The part of the gap that the others may cost.
        const LITTLE: f64 = 1.0 / 8.0;
        self.ask()?;
        let best = self.certified(weights, gap)?;
        let least = best.point.least(weights);
        if others.iter().all(Rational::is_zero) || best.stopped.is_some() {
            return Ok((best, least));
        }
        let size = |p: usize| best.point.payoffs[p].enclosure.midpoint().abs();
        let worth = |p: usize| weights[p].to_f64().abs() * size(p);
        let total = (0..self.n()).map(worth).fold(0.0, f64::max);
        let little = |p: usize| {
            let weight = LITTLE * gap * self.finer.get() * total / size(p);
            let is_little = weight.is_normal();
            // A power of two: short weights keep the solve short.
            is_little.then(|| Rational::from(2).pow(weight.log2().floor() as isize) * &others[p])
        };
        let counted = |p: usize| if others[p].is_zero() { Some(weights[p].clone()) } else { little(p) };
        let all: Option<Weights> = (0..self.n()).map(counted).collect();
        let Some(Ok(Best { point, stopped: None, .. })) = all.map(|all| self.certified(&all, gap * LITTLE)) else {
            return Ok((best, least));
        };
        let sum = |point: &Point| {
            let terms = weights.iter().zip(&point.payoffs).filter(|(weight, _)| !weight.is_zero());
            terms.map(|(weight, payoff)| weight.to_f64() * payoff.enclosure.midpoint()).sum::<f64>()
        };
        let is_as_good = sum(&point) >= sum(&best.point) - gap * self.finer.get() / 2.0 * total;
        Ok((if is_as_good { Best { point, ..best } } else { best }, least))
    }

    fn certified(&self, weights: &Weights, gap: f64) -> Result<Best, StopReason> {
        let gap = gap * self.finer.get();
        let aim = (gap * FINER).max(FINEST);
        let mut place = self.doubles.borrow_mut();
        let doubles = place.take().unwrap_or_else(|| self.model.doubles().expect("looked at before").clone());
        let doubles = doubles.with_weights(weights);
        let answer = {
            let mut kept = self.kept_in_doubles.borrow_mut();
            let known = kept.len();
            let answer = certified::solve_keeping(&doubles, aim, &self.options, &mut kept);
            self.long_term_solves.set(self.long_term_solves.get() + (kept.len() - known) as u64);
            answer
        };
        let best = self.told(answer, weights);
        let best = best.and_then(|best| self.narrowed(best, &doubles, gap, aim));
        *place = Some(doubles);
        best
    }

    /// The same with narrower payoffs: those of principals of small weight are evaluated again.
    fn narrowed(&self, best: Best, doubles: &Mdp<f64>, gap: f64, aim: f64) -> Result<Best, StopReason> {
        let Best { mut point, most, stopped } = best;
        let scale = point.payoffs.iter().map(|payoff| payoff.enclosure.midpoint().abs()).fold(0.0, f64::max);
        if point.payoffs.iter().all(|payoff| payoff.enclosure.width() <= gap / 4.0 * scale) {
            return Ok(Best { point, most, stopped });
        }
        let strategy = Strategy::Counting(point.strategy.clone());
        if let Ok(found) = certified::evaluate(doubles, &strategy, aim, &self.options.stop) {
            for (p, payoff) in point.payoffs.iter_mut().enumerate() {
                let own = found.payoffs.payoff(PrincipalId::from(p), self.model.start());
                if own.enclosure.width() < payoff.enclosure.width() {
                    *payoff = own;
                }
            }
        }
        Ok(Best { point, most, stopped })
    }

    /// The point and the half-space of an answer.
    fn told(&self, answer: Answer, weights: &Weights) -> Result<Best, StopReason> {
        let start = self.model.start();
        let payoffs: Vec<Value> = (0..self.n()).map(|p| answer.payoff(PrincipalId::from(p), start)).collect();
        let finite = |value: &Value| value.enclosure.lower().is_finite() && value.enclosure.upper().is_finite();
        let why = if let Claim::Stopped(reason) = answer.claim() { reason } else { StopReason::Precision };
        if !payoffs.iter().all(|payoff| payoff.exact.is_some() || finite(payoff)) {
            return Err(why);
        }
        self.check_length(&payoffs)?;
        let point = Point { strategy: answer.strategy().clone(), payoffs };
        let mut most = point.most(weights);
        if answer.claim() != Claim::Optimal || !point.is_exact() {
            // The weighted sum of the strategy's own payoffs is not an upper bound if the strategy is not optimal.
            let known = answer.welfare.as_ref().map(|_| answer.welfare_enclosure(start).upper());
            let terms = weights.iter().zip(&point.payoffs).filter(|(weight, _)| !weight.is_zero());
            let sum = terms.map(|(weight, payoff)| Enclosure::from(weight).times(payoff.enclosure));
            let bound = known.unwrap_or_else(|| sum.fold(Enclosure::ZERO, Enclosure::plus).upper());
            most = Rational::try_from(bound).map_err(|_| why)?;
        }
        let stopped = match answer.claim() {
            Claim::Stopped(reason) if reason.ends_all() => Some(reason),
            _ => None,
        };
        Ok(Best { point, most, stopped })
    }
}
