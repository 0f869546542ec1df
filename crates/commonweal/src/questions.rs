//! Further questions about a [`Model`]: simpler strategies and their cost, other rules than the sum, an explanation of an answer,
//! and its dependence on the discounts.

// What a strategy is worth, and what happens under it: evaluate, simulate, sample_paths, trajectory.
pub use crate::evaluate::{Evaluation, EvaluationOutcome, evaluate};
pub use crate::evaluation::{Estimate, EvaluateError, PathStep, SimulateOptions, Simulation, Trajectory};
pub use crate::strategy::{Meetings, Run};

// Simpler strategies: positional, stationary.
pub use crate::search::{Search, SearchOptions, SearchOutcome, ThresholdAnswer};

// Other strategies beside the best one: compare, alternatives, own_best.
pub use crate::alternatives::Alternatives;
pub use crate::commitment::Equilibrium;
pub use crate::compare::{Class, Compared, Comparison, FairRule};
pub use crate::own_best::own_best;

// Rules other than the sum: fair.
pub use crate::certificate::FairCertificate;
pub use crate::fair::{
    Fair, FairError, Level, NoCoin, Over, Proven, Question, Rule, Share, fair, fair_in, fair_suited, reference_of,
};

// The Pareto front: front of two principals, hull of all.
pub use crate::fair::{Edge, Front, FrontOptions, Hull, Pattern, PayoffSet, Point, Vertex, Weights, front, hull};
pub use crate::fair::{front::front as front_in, hull::hull as hull_in, payoff_set::Best};

// The steps of an answer: explain.
pub use crate::explain::{ChangeOfChoice, Deviation, EarlierDeviation, EarlierSegment, Explanation, Gain, Layer};

// How the answer depends on discounts, rates and weights: sweep, strategy_map.
pub use crate::landscape::{
    BY_STATE, Earned, NamedRegions, RegionClass, key, letter, named_classes, named_regions, play_in_brief,
    play_in_words, told_apart,
};
pub use crate::landscape::{
    Grid, Label, LabelChange, NotVaried, Phase, Plane, Play, PlayId, Quantity, Shard, Spot, varied,
};
pub use crate::landscape::{MapChange, MapPoint, MapShard, MapShares, ShareRange, StrategyMap};
pub use crate::landscape::{Sweep, SweepChange, SweepPoint};

// What a time preference means: annuities, half-lives, rates of a society.
pub use crate::outlook::{annuity, falls_to, social_rates, total_weight};

use crate::answer::{Answer, Claim, Method};
use crate::any_model::Model;
use crate::evaluation;
use crate::model::{ModelError, PrincipalId};
use crate::number::{Rational, Value};
use crate::search;
use crate::solve::{Engine, Options};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, OtherModel, Strategy, Tossing};
use crate::{landscape, parallel};

/// Estimates each principal's payoff from the start under `strategy`, from seeded random runs. An error if the strategy is for
/// another model.
///
/// # Panics
/// If the confidence does not lie strictly between 0 and 1.
pub fn simulate(model: &Model, strategy: &Strategy, options: &SimulateOptions) -> Result<Simulation, OtherModel> {
    strategy.check(model.structure())?;
    Ok(match model.exact_unless(&options.stop) {
        Ok(exact) => evaluation::simulate(&exact, strategy, model.start(), options),
        Err(reason) => Simulation::not_begun(&model.any_payoffs(), model.structure(), reason),
    })
}

/// The first `n_runs` runs that [`simulate`] draws with the same arguments, each for `n_steps` steps, or as long as it counts. An
/// error if the strategy is for another model.
pub fn sample_paths(
    model: &Model,
    strategy: &Strategy,
    options: &SimulateOptions,
    [n_runs, n_steps]: [u64; 2],
) -> Result<Vec<Vec<PathStep>>, OtherModel> {
    strategy.check(model.structure())?;
    Ok(evaluation::sample_paths(&model.exact(), strategy, model.start(), options, [n_runs, n_steps]))
}

/// The best strategy that takes one action in each state for ever. NP-hard; bounds if `options` stop it.
pub fn positional(model: &Model, options: &SearchOptions) -> Search {
    match model.exact_unless(&options.stop) {
        Ok(exact) => search::positional(&exact, options),
        Err(reason) => search::not_begun(model, search::Kind::Positional, options, reason),
    }
}

/// The best strategy that mixes actions in each state in the same way for ever. NP-hard; bounds if `options` stop it.
pub fn stationary(model: &Model, options: &SearchOptions) -> Search {
    match model.exact_unless(&options.stop) {
        Ok(exact) => search::stationary(&exact, options),
        Err(reason) => search::not_begun(model, search::Kind::Stationary, options, reason),
    }
}

/// The answer, the best strategy of each simpler class, and the fairest lotteries by rules other than the sum: what simplicity
/// and fairness cost. A class that cannot be solved quickly has the bounds found.
///
/// ```
/// use commonweal::questions::{Class, compare};
/// use commonweal::{Model, Options, StopSignal, solve};
/// let hotel = Model::from_yaml(
///     "principals: {alice: 2/3, bob: 1/3}
/// states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}",
/// )?;
/// let answer = solve(&hotel, &Options::default());
/// let compared = compare(&hotel, &answer, &StopSignal::default());
/// let positional = compared.strategies.iter().find(|one| one.class == Class::Positional).expect("it is among them");
/// assert_eq!(positional.welfare.exact, Some("27/2".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If the answer is for a model of another size. It must be the answer for this model.
pub fn compare(model: &Model, answer: &Answer, stop: &StopSignal) -> Comparison {
    assert_same(model, answer);
    let simpler = crate::compare::compare(model, answer, stop);
    simpler.with(model.structure(), crate::compare::fairest(model, stop))
}

/// Other strategies as good as an optimal answer from the start: one that does not count, or one that gives the principals
/// other payoffs. Only proven results; none for an answer in doubles, few for a large model.
///
/// # Panics
/// If the answer is for a model of another size. It must be the answer for this model.
pub fn alternatives(model: &Model, answer: &Answer, stop: &StopSignal) -> Alternatives {
    assert_same(model, answer);
    if answer.method() == Method::Exact {
        crate::alternatives::alternatives(&model.exact(), answer, stop)
    } else {
        Alternatives::default()
    }
}

/// The steps of an answer, in fractions: values, deviations, at most `n_layers` layers before the horizon, and the changes of
/// choice, with the principals who prefer the new choice for the latest `n_turns` of them. Its work is limited: what takes longer is
/// left open, and it is an error if the long-term values do.
///
/// # Panics
/// If the answer is for a model of another size. It must be the answer for this model.
pub fn explain(
    model: &Model,
    answer: &Answer,
    n_layers: u64,
    n_turns: usize,
    stop: &StopSignal,
) -> Result<Explanation, StopReason> {
    assert_same(model, answer);
    crate::explain::explain(&*model.exact_unless(stop)?, answer, n_layers, n_turns, stop)
}

fn assert_same(model: &Model, answer: &Answer) {
    assert!(answer.strategy().check(model.structure()).is_ok(), "the answer is for a model of another size");
}

/// Exact solutions over a grid of one principal's discount, rate or weight, and where the strategy changes between neighbours.
///
/// # Panics
/// If a grid of discounts reaches outside [0, 1).
pub fn sweep(model: &Model, principal: PrincipalId, grid: Grid, shard: Shard, options: &Options) -> Sweep {
    parallel::on_threads(options.threads, || match model.exact_unless(&options.stop) {
        Ok(exact) => landscape::sweep(&exact, principal, grid, shard, options),
        Err(reason) => Sweep::not_begun(principal, grid, reason),
    })
}

/// What is best under the model's own preferences, which may lie between the points of a sweep or a map; `None` if the solve is stopped.
pub fn own_play(model: &Model, options: &Options) -> Option<Play> {
    let answer = crate::solve(model, options);
    let is_stopped = matches!(answer.claim(), Claim::Stopped(_));
    (!is_stopped).then(|| Play::of(model.structure(), answer.strategy(), model.start()))
}

/// Which strategy is best over two principals' discounts, with located boundaries; the grids have equally many steps.
///
/// # Panics
/// If a grid reaches outside [0, 1).
pub fn strategy_map(model: &Model, axes: [PrincipalId; 2], grids: [Grid; 2], options: &Options) -> StrategyMap {
    parallel::on_threads(options.threads, || match model.exact_unless(&options.stop) {
        Ok(exact) => landscape::strategy_map(&exact, axes, grids, options),
        Err(reason) => StrategyMap::not_begun(axes, grids, reason),
    })
}

/// A map in few classes, as a picture shows it: the `n` largest regions in their order, then all others as one. Between classes
/// every boundary is located, precisely enough for a picture.
pub fn map_classes(model: &Model, map: &StrategyMap, n: usize, options: &Options) -> Vec<RegionClass> {
    parallel::on_threads(options.threads, || map.classes(&model.exact(), n, options))
}

/// What share of a map its regions take, between bounds: by solutions at places drawn at random.
pub fn map_shares(model: &Model, map: &StrategyMap, options: &Options) -> MapShares {
    parallel::on_threads(options.threads, || map.shares(&model.exact(), options))
}

/// The points of two grids that fall to a shard, with the changes on the way to their right and upper neighbours.
///
/// # Panics
/// If a grid reaches outside [0, 1).
pub fn map_shard(
    model: &Model,
    axes: [PrincipalId; 2],
    grids: &[Grid; 2],
    shard: Shard,
    options: &Options,
) -> MapShard {
    parallel::on_threads(options.threads, || landscape::map_shard(&model.exact(), axes, grids, shard, options))
}

/// Per principal, before its weight, the accrued payoff after 0, 1, …, `n_steps` steps from the start under `strategy`. For
/// pictures: rounding errors are not bounded. An error if a reward overflows a double.
pub fn accrued(model: &Model, strategy: &CountingStrategy, n_steps: usize) -> Result<Vec<Vec<f64>>, ModelError> {
    Ok(evaluation::accrued(model.doubles()?, strategy, n_steps))
}

/// How likely each state is at each of the first `n_steps` steps from the start under `strategy`, and what each principal expects
/// then, not discounted. For pictures: rounding errors are not bounded. An error if a reward overflows a double.
pub fn trajectory(model: &Model, strategy: &CountingStrategy, n_steps: usize) -> Result<Trajectory, ModelError> {
    Ok(evaluation::trajectory(model.doubles()?, strategy, n_steps))
}

/// The fair answer with its coins tossed at decisions of one strategy instead of at the start, and these coins. An error if that
/// cannot be done exactly.
pub fn with_coins(fair: Fair, model: &Model, stop: &StopSignal) -> Result<(Fair, Tossing), NoCoin> {
    fair.with_coins(&model.exact(), stop)
}

/// An answer with coins at decisions, unless a limit ended the answer or the search for coins: then the lottery at the start is all there is.
#[derive(Debug, Clone)]
pub enum Tossed {
    /// The answer, and the one strategy with its coins.
    Coins(Box<(Fair, Tossing)>),
    /// Why there are none.
    Stopped(StopReason),
}

/// The same where a limit is no error.
pub fn tossed(fair: &Fair, model: &Model, stop: &StopSignal) -> Result<Tossed, NoCoin> {
    if let Proven::Stopped(reason) = fair.proven
        && (fair.mix.is_empty() || reason.ends_all())
    {
        return Ok(Tossed::Stopped(reason));
    }
    match with_coins(fair.clone(), model, stop) {
        Ok(found) => Ok(Tossed::Coins(Box::new(found))),
        Err(NoCoin::Stopped(reason)) if reason.ends_all() => Ok(Tossed::Stopped(reason)),
        Err(error) => Err(error),
    }
}

/// The gap of a front of three and more principals for which none was asked.
pub const HULL_GAP: f64 = 1e-3;

/// The engine that finds the points of a front. The gap asked for is that of the front; for a large model it is also that of the
/// engine, and otherwise the engine is the one asked for.
pub fn front_engine(model: &Model, asked: Engine, gap: Option<f64>) -> Engine {
    /// Points of a model with more states take long in fractions.
    const FEW_STATES: usize = 200;
    match gap {
        Some(gap) if model.n_states() > FEW_STATES && model.check_doubles().is_ok() => Engine::Within(gap),
        _ => asked,
    }
}

/// The gap of a front: the one asked for, or else [`HULL_GAP`] for all of three and more principals, where `axes` are `None`, and
/// for two principals that of the engine.
pub fn front_gap(set: &PayoffSet, axes: Option<[PrincipalId; 2]>, asked: Option<f64>) -> Rational {
    let gap = asked.unwrap_or_else(|| if axes.is_none() { HULL_GAP } else { set.gap().unwrap_or(0.0) });
    Rational::try_from(gap).expect("a gap is finite")
}

/// A front was asked of a model with one principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a front needs at least two principals; this model has one")]
pub struct OnePrincipal;

/// The principals of a front: the two that were named, or else the two of the model; `None` for all of three and more.
pub fn front_axes(model: &Model, named: Option<[PrincipalId; 2]>) -> Result<Option<[PrincipalId; 2]>, OnePrincipal> {
    match (named, model.n_principals()) {
        (_, 1) => Err(OnePrincipal),
        (Some(axes), _) => Ok(Some(axes)),
        (None, 2) => Ok(Some([0.into(), 1.into()])),
        (None, _) => Ok(None),
    }
}

/// The options of a front: with [`front_gap`], and the usual limit of work unless fractions, a gap or a time limit set one.
pub fn front_options(set: &PayoffSet, axes: Option<[PrincipalId; 2]>, asked: Option<f64>) -> FrontOptions {
    let is_limited = set.engine() == Engine::Exact || asked.is_some() || set.stop().has_time_limit();
    let usual = FrontOptions::default();
    let work_limit = if is_limited { u64::MAX } else { usual.work_limit };
    FrontOptions { gap: front_gap(set, axes, asked), work_limit, ..usual }
}

/// The payoffs of the long-term strategy and of the best positional one, if they can be computed quickly: until the set's signal
/// stops them.
pub fn positional_payoffs(set: &PayoffSet) -> Vec<(&'static str, Vec<Value>)> {
    /// Nodes, not seconds: the same input gives the same bytes.
    const NODES: u64 = 2_000;
    const MOST_STATES: usize = 500;
    let model = set.model();
    if model.n_states() > MOST_STATES {
        return Vec::new();
    }
    let (mdp, stop) = (model.exact(), set.stop().without_budget());
    let long_term = crate::exact::solve(&mdp, &Options { stop: stop.clone(), ..Options::default() });
    let mut found = Vec::new();
    let start = model.start();
    if !matches!(long_term.claim(), Claim::Stopped(_)) {
        let own = (0..model.n_principals()).map(|p| long_term.long_term_payoff(p.into(), start)).collect();
        found.push(("long-term", own));
    }
    let options = SearchOptions { node_limit: NODES, stop: stop.clone(), ..SearchOptions::default() };
    let search = search::positional(&mdp, &options);
    if let Ok(payoffs) = evaluation::evaluate(&mdp, &search.strategy, &stop) {
        found.push(("best positional", (0..model.n_principals()).map(|p| payoffs.payoff(p.into(), start)).collect()));
    }
    found
}
