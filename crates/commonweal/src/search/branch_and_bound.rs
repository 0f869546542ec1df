//! Branch and bound over boxes, best bound first.
//!
//! Nodes are taken from the queue in batches of a fixed size, expanded in parallel against the incumbent at the beginning of the
//! batch, and combined in order: the tree, and so the answer, does not depend on the number of threads. Bounds are upper bounds
//! in doubles; comparisons that they cannot decide are decided exactly by the class ([`super::positional`]) or remain part of
//! the gap. Memory: one box and a share of the parent's values per open node.

use super::action_box::ActionBox;
use super::doubles::Doubles;
use super::segments::Kind;
use crate::any_model::Model;
use crate::evaluation::{Payoffs, error_factor};
use crate::exact::any_payoffs;
use crate::model::{Mdp, Structure};
use crate::number::{Enclosure, Rational, Value, product_down};
use crate::parallel;
use crate::stop::{Reached, StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Stationary, Strategy};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The goal and the limits of a search.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// Stop when the bounds are this close, relative to the best welfare of the class, by its least magnitude between the bounds. No
    /// reward counts but by what can be earned of it. If doubles cannot bring the bounds so close, as where payoffs cancel, the
    /// search says so. 0 asks for the exact optimum, which only a search over positional strategies finds.
    ///
    /// `None`, the default: the exact optimum over positional strategies, and a gap of 10^-8 over stationary ones, whose best mix is
    /// irrational in general. If time preferences are approximated, the bounds are then as close as their error allows.
    pub gap: Option<Rational>,
    /// Only ask whether some strategy of the class earns at least this much.
    pub threshold: Option<Rational>,
    /// The most nodes. Default: 1,000,000.
    pub node_limit: u64,
    /// The most work, in about nanoseconds of one processor: counted, not timed, and looked at between nodes, so that the same
    /// search always ends at the same place. Default: no limit.
    pub work_limit: u64,
    /// Looked at between nodes; raised, it gives the bounds proven so far. Default: never raised.
    pub stop: StopSignal,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions {
            gap: None,
            threshold: None,
            node_limit: 1_000_000,
            work_limit: u64::MAX,
            stop: StopSignal::default(),
        }
    }
}

impl SearchOptions {
    /// The same, with a signal that counts the work done.
    pub(super) fn counting_work(&self) -> SearchOptions {
        SearchOptions { stop: self.stop.counting(), ..self.clone() }
    }
}

/// What is proven. Not a [`Claim`](crate::Claim), which is about all strategies from every state and has no variant for a
/// decided threshold or for an unproven claim of a solver in doubles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchOutcome {
    /// No strategy of the class earns more.
    Optimal,
    /// No strategy of the class earns more than the upper bound, and the bounds are as close as was asked for. If no gap was asked
    /// for and time preferences are approximated, as close as their error allows.
    WithinGap,
    /// The threshold is decided, and the search went no further.
    Decided,
    /// A solver in doubles claims, without proof, that no strategy of the class earns more.
    Claimed,
    /// Stopped on the way: the bounds hold.
    Stopped(StopReason),
}

/// Whether some strategy of the class earns at least the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThresholdAnswer {
    /// The strategy found does.
    Yes,
    /// None does.
    No,
    /// The search was stopped before it was decided.
    Unknown,
}

/// The best strategy found, with what is proven.
#[derive(Debug, Clone)]
pub struct Search {
    /// A strategy of the class, from the model's start state.
    pub strategy: Strategy,
    /// What it earns from the start.
    pub welfare: Value,
    /// No strategy of the class earns more.
    pub upper: f64,
    /// Nodes expanded.
    pub nodes: u64,
    /// What is proven.
    pub outcome: SearchOutcome,
    /// The answer, if a threshold was asked for.
    pub answer: Option<ThresholdAnswer>,
    /// If approximated time preferences keep the bounds from the gap asked for, by how much their `error` would have to be multiplied
    /// to leave half of that gap to the search.
    pub misses_gap: Option<f64>,
}

/// A box that is still to be divided.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub within: ActionBox,
    /// No strategy of the box earns more, in the units of [`Doubles`].
    pub bound: f64,
    pub depth: u32,
    /// Values and mix of the parent, to start from.
    pub near: Option<Arc<(Vec<f64>, Vec<f64>)>>,
}

/// A strategy with what it earns exactly.
#[derive(Debug, Clone)]
pub(super) struct Incumbent {
    pub strategy: Strategy,
    /// Its welfare, or a lower bound.
    pub welfare: Rational,
    /// Whether it earns exactly that.
    pub is_exact: bool,
    /// The greatest double, in the units of [`Doubles`], that is at most the welfare.
    pub lower: f64,
    /// By how much a bound of the box that holds only this strategy exceeds that: no box that holds it is bounded better. 0 where
    /// fractions decide what doubles cannot.
    pub blur: f64,
}

/// The result of expanding a node.
#[derive(Debug, Default)]
pub(super) struct Expanded {
    pub children: Vec<Node>,
    pub found: Option<Incumbent>,
    /// The greatest bound of boxes dropped without an exact comparison.
    pub dropped: Option<f64>,
    /// Whether the whole search is over: an exact comparison proves that no strategy reaches the threshold.
    pub refuted: bool,
}

/// The bounds below which a box is dropped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cutoff {
    /// Boxes below this are dropped: they contain nothing better than the incumbent, or nothing at the threshold.
    pub least: f64,
    /// Boxes up to this are dropped too: they are within the gap.
    pub enough: f64,
}

impl Cutoff {
    pub fn drops(&self, bound: f64) -> bool {
        bound < self.least || bound <= self.enough
    }
}

/// A class of strategies.
pub(super) trait Class: Clone + Sync {
    /// The same class for one node: this signal counts its work and stops it.
    fn counted_by(self, stop: &StopSignal) -> Self;
    /// The model in doubles.
    fn model(&self) -> &Doubles;
    /// Bounds, improves and divides a node. `cutoff` is for the incumbent given.
    fn expand(&self, node: Node, incumbent: &Incumbent, goal: &Goal) -> Expanded;
    /// What the relaxation of a box of whole choices earns, by the engine in fractions; `None` if stopped.
    fn relaxed_in_fractions(&self, within: &ActionBox, stop: &StopSignal) -> Option<Value>;
}

/// The goal of the search, in the units of [`Doubles`].
#[derive(Debug, Clone)]
pub(super) struct Goal {
    /// The gap asked for, relative to the best welfare.
    pub gap: f64,
    /// No strategy of the class earns more.
    pub upper: f64,
    pub threshold: Option<Rational>,
    pub threshold_below: Option<f64>,
    pub stop: StopSignal,
}

impl Goal {
    pub fn cutoff(&self, incumbent: &Incumbent) -> Cutoff {
        match self.threshold_below {
            Some(least) => Cutoff { least, enough: f64::NEG_INFINITY },
            None => Cutoff {
                least: incumbent.lower,
                enough: if self.gap > 0.0 { incumbent.lower + self.enough(incumbent) } else { f64::NEG_INFINITY },
            },
        }
    }

    /// The distance of the bounds at which the search ends: the gap, or what doubles can resolve if that is more.
    pub fn enough(&self, incumbent: &Incumbent) -> f64 {
        /// A box may hold a bit more than the incumbent.
        const BLURS: f64 = 2.0;
        /// The bounds are rounded once more when they are reported.
        const ROUNDED: f64 = 1.0 - 1e-6;
        (ROUNDED * self.gap * least_magnitude(incumbent.lower, self.upper)).max(BLURS * incumbent.blur)
    }

    pub fn reached(&self, incumbent: &Incumbent) -> bool {
        self.threshold.as_ref().is_some_and(|threshold| incumbent.welfare >= *threshold)
    }
}

/// The number of nodes expanded in parallel. The tree depends on it.
const BATCH: usize = 8;
/// The memory that open nodes may take.
const MOST_BYTES: usize = 2 << 30;

/// Searches the model whose preferences are the mixtures themselves, in fractions; their error is then added to the bounds. A search
/// that is stopped while the model is prepared has the bounds of the rewards.
pub(super) fn search_of_mixtures(
    model: &Mdp,
    kind: Kind,
    options: &SearchOptions,
    find: impl Fn(&Mdp, &SearchOptions) -> Result<Search, StopReason> + Sync,
) -> Search {
    let options = &options.counting_work();
    let gap = of_mixtures(model, options.gap.clone().unwrap_or_else(|| kind.default_gap()));
    let mixed = &model.of_mixtures();
    let found = parallel::in_pool(|| find(mixed, &SearchOptions { gap: Some(gap), ..options.clone() }));
    let unsearched = |reason| unsearched(mixed, kind, &any_payoffs(mixed), options, reason);
    found.unwrap_or_else(unsearched).of_preferences(model.welfare_margin(), options)
}

/// What is known of a model whose doubles did not become fractions before the signal was raised.
pub fn not_begun(model: &Model, kind: Kind, options: &SearchOptions, reason: StopReason) -> Search {
    let margin = model.approximation_margin();
    unsearched(model.structure(), kind, &model.any_payoffs(), options, reason).of_preferences(margin, options)
}

/// What is known before a search: the bounds that the rewards give for any strategy, and a strategy as good as any.
fn unsearched(model: &Structure, kind: Kind, any: &Payoffs, options: &SearchOptions, reason: StopReason) -> Search {
    let range = any.welfare_enclosure(model.start());
    let first = model.states().map(|state| model.choices(state).next().expect("a state has a choice"));
    let strategy = match kind {
        Kind::Positional => Strategy::Counting(CountingStrategy::positional(first)),
        Kind::Stationary => {
            let mix = first.map(|choice| vec![(choice, Rational::ONE)]).collect();
            Strategy::Stationary(Stationary::new(model, mix))
        }
    };
    Search {
        strategy,
        welfare: Value::from(range),
        upper: range.upper(),
        nodes: 0,
        outcome: SearchOutcome::Stopped(reason),
        answer: options.threshold.as_ref().map(|_| ThresholdAnswer::Unknown),
        misses_gap: None,
    }
}

/// The least magnitude of a number between these: what a gap is relative to.
fn least_magnitude(lower: f64, upper: f64) -> f64 {
    lower.max(-upper).max(0.0)
}

/// Whether these bounds are as close as `gap` asks, relative to what is between them.
fn is_within(lower: f64, upper: f64, gap: f64) -> bool {
    let allowed = product_down(gap, least_magnitude(lower, upper));
    lower <= upper && Enclosure::new(lower, upper).width() <= allowed
}

/// The gap of a search for the mixtures. The error of approximated preferences widens both bounds afterwards: half of the gap is left
/// to it, and a gap below a part of the error takes long and proves hardly more. A gap of 0 asks for the exact optimum of the
/// mixtures and stays.
fn of_mixtures(model: &Mdp, gap: Rational) -> Rational {
    const PART: f64 = 0.25;
    let margin = model.welfare_margin();
    if margin == 0.0 || gap.is_zero() {
        return gap;
    }
    let half = gap / Rational::from(2);
    // The scale of gaps is at most what the rewards allow.
    let range = any_payoffs(model).welfare_enclosure(model.start());
    let least = Rational::try_from(PART * margin / range.lower().abs().max(range.upper().abs()));
    least.map_or(half.clone(), |least| least.max(half))
}

impl Search {
    /// The same search with the approximation error of preferences included: the welfare then has bounds.
    pub(super) fn of_preferences(self, margin: f64, options: &SearchOptions) -> Search {
        if margin == 0.0 {
            return self;
        }
        let welfare = self.welfare.enclosure.widened(margin);
        let upper = Enclosure::new(self.upper, self.upper).widened(margin).upper().max(welfare.upper());
        let decided = |answer: ThresholdAnswer, threshold: &Rational| match answer {
            ThresholdAnswer::Yes if Rational::try_from(welfare.lower()).is_ok_and(|lower| lower >= *threshold) => {
                answer
            }
            ThresholdAnswer::No if Rational::try_from(upper).is_ok_and(|upper| upper < *threshold) => answer,
            _ => ThresholdAnswer::Unknown,
        };
        let answer = self.answer.zip(options.threshold.as_ref()).map(|(answer, threshold)| decided(answer, threshold));
        let asked = options.gap.as_ref().filter(|gap| !gap.is_zero()).map(Rational::to_f64);
        let missed = asked.filter(|gap| !is_within(welfare.lower(), upper, *gap));
        let (outcome, misses_gap) = match (self.outcome, answer) {
            // The approximation is the reason only where the search came to its end.
            (outcome @ (SearchOutcome::Claimed | SearchOutcome::Stopped(_)), _) => (outcome, None),
            (_, Some(ThresholdAnswer::Unknown)) => (SearchOutcome::Stopped(StopReason::Approximation), None),
            (SearchOutcome::Decided, _) => (SearchOutcome::Decided, None),
            (_, Some(_)) if missed.is_some() => (SearchOutcome::Decided, None),
            _ => match missed {
                Some(gap) => {
                    let asked = gap * least_magnitude(welfare.lower(), upper);
                    let factor = (asked > 0.0).then(|| error_factor(asked, margin));
                    (SearchOutcome::Stopped(StopReason::Approximation), factor)
                }
                None => (SearchOutcome::WithinGap, None),
            },
        };
        Search { welfare: Value::from(welfare), upper, answer, outcome, misses_gap, ..self }
    }
}

/// Searches from `root`, knowing `incumbent`, to the gap of `options`, 0 if they have none. Their signal counts the work of the class.
pub(super) fn search(class: &impl Class, root: Node, mut incumbent: Incumbent, options: &SearchOptions) -> Search {
    let model = class.model();
    let whole = root.within.clone();
    let mut goal = Goal {
        gap: options.gap.as_ref().map_or(0.0, Rational::to_f64),
        upper: root.bound,
        threshold: options.threshold.clone(),
        threshold_below: options.threshold.as_ref().map(|threshold| model.scaled_below(threshold)),
        stop: options.stop.clone(),
    };
    let bytes = 16 * model.n_choices + 8 * model.n * model.n_states + 100;
    let most_open = (MOST_BYTES / bytes).max(BATCH);
    let order = 1e-9 * if incumbent.lower == 0.0 { root.bound.abs() } else { incumbent.lower.abs() };
    let mut open = BinaryHeap::new();
    let mut serial = 0;
    let mut push = |open: &mut BinaryHeap<Queued>, node: Node| {
        serial += 1;
        // Bounds that differ only by rounding errors count as equal: deeper nodes first.
        open.push(Queued { key: (node.bound / order).floor(), serial, node });
    };
    push(&mut open, root);
    let (mut nodes, mut dropped, mut refuted) = (0, f64::NEG_INFINITY, false);
    let stopped = loop {
        if goal.reached(&incumbent) {
            break None;
        }
        // Only a gap of what is less than 0 is relative to this bound, and computing it visits every open node.
        if goal.gap > 0.0 && incumbent.lower < 0.0 {
            goal.upper =
                open.iter().map(|queued: &Queued| queued.node.bound).fold(dropped.max(incumbent.lower), f64::max);
        }
        let cutoff = goal.cutoff(&incumbent);
        let mut batch = Vec::new();
        while batch.len() < BATCH {
            let Some(Queued { node, .. }) = open.pop() else { break };
            if cutoff.drops(node.bound) { dropped = dropped.max(node.bound) } else { batch.push(node) }
        }
        if batch.is_empty() {
            break None;
        }
        let reason = options.stop.reason().or_else(|| {
            if nodes + batch.len() as u64 > options.node_limit || open.len() > most_open {
                Some(StopReason::NodeLimit)
            } else {
                (options.stop.spent() > options.work_limit).then_some(StopReason::Work)
            }
        });
        if let Some(reason) = reason {
            batch.into_iter().for_each(|node| push(&mut open, node));
            break Some(reason);
        }
        nodes += batch.len() as u64;
        // A single node may take longer than all may: each has its share of what is left, so that the others do not matter to it. It
        // is large enough for most nodes even where little is left, so that a search that nearly fits is not cut.
        const LEAST: u64 = 8;
        let left = options.work_limit.saturating_sub(options.stop.spent());
        let share = (left / batch.len() as u64).max(options.work_limit / LEAST);
        let expanded = parallel::map_items(batch, |_, node| {
            let stop = options.stop.for_part().with_budget(share, share);
            let expanded =
                class.clone().counted_by(&stop).expand(node, &incumbent, &Goal { stop: stop.clone(), ..goal.clone() });
            (expanded, stop.spent())
        });
        for (Expanded { children, found, dropped: below, refuted: all }, spent) in expanded {
            options.stop.spend(spent);
            dropped = dropped.max(below.unwrap_or(f64::NEG_INFINITY));
            refuted |= all;
            if let Some(found) = found.filter(|found| found.welfare > incumbent.welfare) {
                incumbent = found;
            }
            children.into_iter().for_each(|node| push(&mut open, node));
        }
        // Computing the greatest bound visits every open node.
        if options.stop.is_watched() {
            let upper = open.iter().map(|queued| queued.node.bound).fold(dropped.max(incumbent.lower), f64::max);
            let lower = Enclosure::from(&incumbent.welfare).lower();
            let bounds = Enclosure::new(lower, model.unscaled_above(upper));
            options.stop.reach(Reached::Searching { nodes, open: open.len(), bounds });
        }
    };
    let upper = open.iter().map(|queued| queued.node.bound).fold(dropped, f64::max);
    refuted |= goal.threshold_below.is_some_and(|least| upper < least);
    let mut ended = Ended { incumbent, upper, nodes, stopped, refuted };
    // Doubles leave a gap. Fractions tell what the best counting strategy earns, and whether that is the one found.
    let misses =
        |ended: &Ended| ended.stopped.is_none() && goal.threshold.is_none() && !ended.is_within(model, goal.gap);
    if misses(&ended)
        && let Some(relaxed) = class.relaxed_in_fractions(&whole, &options.stop)
    {
        ended.upper = match relaxed.exact {
            Some(exact) if exact <= ended.incumbent.welfare => f64::NEG_INFINITY,
            _ => ended.upper.min(model.scaled_above(relaxed.enclosure.upper())),
        };
    }
    conclude(model, ended, &goal)
}

/// How a search ended.
struct Ended {
    incumbent: Incumbent,
    /// The greatest bound of all boxes that were dropped or are still open.
    upper: f64,
    nodes: u64,
    stopped: Option<StopReason>,
    /// Whether nothing reaches the threshold.
    refuted: bool,
}

impl Ended {
    /// Whether nothing is better than the incumbent.
    fn is_optimal(&self) -> bool {
        self.incumbent.is_exact && (self.upper < self.incumbent.lower || self.upper == f64::NEG_INFINITY)
    }

    /// The bounds in the units of the model.
    fn bounds(&self, model: &Doubles) -> (f64, f64) {
        let own = Enclosure::from(&self.incumbent.welfare);
        let upper = if self.is_optimal() { own.upper() } else { own.upper().max(model.unscaled_above(self.upper)) };
        (own.lower(), upper)
    }

    /// Whether the bounds that are reported are as close as the gap asks.
    fn is_within(&self, model: &Doubles, gap: f64) -> bool {
        let (lower, upper) = self.bounds(model);
        self.is_optimal() || is_within(lower, upper, gap)
    }
}

fn conclude(model: &Doubles, ended: Ended, goal: &Goal) -> Search {
    let (optimal, within_gap, (_, upper)) = (ended.is_optimal(), ended.is_within(model, goal.gap), ended.bounds(model));
    let Ended { incumbent, nodes, stopped, refuted, .. } = ended;
    let answer = goal.threshold.as_ref().map(|threshold| match (&incumbent.welfare >= threshold, stopped) {
        (true, _) => ThresholdAnswer::Yes,
        (false, None) if refuted => ThresholdAnswer::No,
        (false, _) => ThresholdAnswer::Unknown,
    });
    let outcome = match (optimal, stopped, answer) {
        (true, ..) => SearchOutcome::Optimal,
        // It may have come as near as asked on the way.
        (_, None, Some(ThresholdAnswer::Yes | ThresholdAnswer::No)) if within_gap => SearchOutcome::WithinGap,
        (_, _, Some(ThresholdAnswer::Yes | ThresholdAnswer::No)) => SearchOutcome::Decided,
        (_, Some(reason), _) => SearchOutcome::Stopped(reason),
        (_, None, None) if within_gap => SearchOutcome::WithinGap,
        (_, None, _) => SearchOutcome::Stopped(StopReason::Precision),
    };
    let mut welfare = Value::from(incumbent.welfare);
    if !incumbent.is_exact {
        welfare = Value::from(Enclosure::new(welfare.enclosure.lower(), upper));
    }
    Search { strategy: incumbent.strategy, welfare, upper, nodes, outcome, answer, misses_gap: None }
}

/// A node in the queue: best bound first, then the deepest, then the first.
struct Queued {
    key: f64,
    serial: u64,
    node: Node,
}

impl Ord for Queued {
    fn cmp(&self, other: &Queued) -> Ordering {
        let by_bound = self.key.total_cmp(&other.key);
        by_bound.then(self.node.depth.cmp(&other.node.depth)).then(other.serial.cmp(&self.serial))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Queued) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Queued) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}
