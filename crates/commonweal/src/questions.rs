//! Further questions about a [`Model`]: simpler strategies and their cost, an explanation of an answer, and its dependence on
//! the discounts.

pub use crate::alternatives::Alternatives;
pub use crate::certificate::FairCertificate;
pub use crate::commitment::Equilibrium;
pub use crate::compare::{Class, Compared, Comparison, FairRule};
pub use crate::explain::{Deviation, EarlierSegment, Explanation, Gain, Layer, Turn};
pub use crate::fair::{Coin, Edge, Front, FrontOptions, Hull, Pattern, PayoffSet, Point, Vertex, Weights, front, hull};
pub use crate::fair::{Fair, FairError, NoCoin, Over, Proven, Question, Rule, Share, fair, fair_in, reference_numbers};
pub use crate::landscape::{Grid, Label, LabelChange, Phase, Plane, Play, PlayId, Quantity, Shard, Spot};
pub use crate::landscape::{MapChange, MapPoint, MapShard, StrategyMap, Sweep, SweepChange, SweepPoint};
pub use crate::landscape::{NamedRegions, named_regions, play_in_words};

use crate::answer::{Answer, Claim, Method};
use crate::certified::SharedModel;
use crate::evaluation::{self, SimulateOptions, Simulation};
use crate::front::Model;
use crate::model::{ModelError, Principal, PrincipalId, StateId};
use crate::number::{Enclosure, Rational, Value};
use crate::search::{self, Search, SearchOptions};
use crate::solve::{DEFAULT_GAP, Options};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, OtherModel, Strategy};
use crate::{certified, exact, landscape, parallel};

/// Estimates each principal's payoff from the start under `strategy`, from seeded random runs. An error if the strategy is for
/// another model.
///
/// # Panics
/// If the confidence does not lie strictly between 0 and 1.
pub fn simulate(model: &Model, strategy: &Strategy, options: &SimulateOptions) -> Result<Simulation, OtherModel> {
    strategy.check(model.structure())?;
    Ok(evaluation::simulate(&model.exact(), strategy, model.start(), options))
}

/// The best strategy that takes one action in each state for ever. NP-hard; bounds if `options` stop it.
pub fn positional(model: &Model, options: &SearchOptions) -> Search {
    search::positional(&model.exact(), options)
}

/// The best strategy that mixes actions in each state in the same way for ever. NP-hard; bounds if `options` stop it.
pub fn stationary(model: &Model, options: &SearchOptions) -> Search {
    search::stationary(&model.exact(), options)
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
pub fn compare(model: &Model, answer: &Answer, stop: &StopSignal) -> Comparison {
    let simpler = crate::compare::compare(&model.exact(), answer, stop);
    simpler.with(crate::compare::fairest(model, stop))
}

/// What each principal of the file would get from the start if the agent served nobody else: the most, or the least for a
/// principal with a negative weight. Computed by the engine of `answer`: exactly, or between bounds, which are wide if `stop`
/// leaves no time.
///
/// ```
/// use commonweal::questions::own_best;
/// use commonweal::{Model, Options, StopSignal, solve};
/// let hotel = Model::from_yaml(
///     "principals: {alice: 2/3, bob: 1/3}
/// states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}",
/// )?;
/// let own = own_best(&hotel, &solve(&hotel, &Options::default()), &StopSignal::default());
/// assert_eq!(own[1].exact, Some("9/2".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn own_best(model: &Model, answer: &Answer, stop: &StopSignal) -> Vec<Value> {
    let (start, principals) = (model.start(), model.principals());
    if let Some(only) = best_of_the_only(principals, answer, start) {
        return vec![only];
    }
    let of_principal: Box<dyn Fn(usize) -> Value> = match (answer.method(), model.doubles()) {
        (Method::Certified { .. }, Ok(doubles)) => {
            let gap = gap_of(answer);
            let options = Options { stop: stop.clone(), ..Options::default() };
            Box::new(move |p| {
                let welfare = certified::solve(&doubles.only(p.into()), gap, &options).welfare(start);
                if principals[p].direction().is_one() { welfare } else { welfare.negated() }
            })
        }
        _ => {
            let exact = model.exact();
            Box::new(move |p| match exact::own_best(&exact, p.into(), stop) {
                Ok(best) => best.payoffs.value(start.index()),
                Err(_) => exact::any_payoffs(&exact).payoff(p.into(), start),
            })
        }
    };
    (0..principals.len()).map(|p| no_worse(&principals[p], of_principal(p), answer.payoff(p.into(), start))).collect()
}

/// The same for a model that ranks share; all of them ask. Only the rank that owns the start, whose number among its states is
/// `start`, gets the answer.
pub fn own_best_shared(shared: SharedModel, start: Option<StateId>, answer: &Answer, stop: &StopSignal) -> Vec<Value> {
    let principals = shared.model.principals();
    if let [single] = principals
        && !single.weight.is_zero()
    {
        return start.and_then(|start| best_of_the_only(principals, answer, start)).into_iter().collect();
    }
    let (gap, options) = (gap_of(answer), Options { stop: stop.clone(), ..Options::default() });
    let alone = (0..principals.len()).map(|p| {
        let model = shared.model.only(p.into());
        (p, certified::solve_shared(SharedModel { model: &model, ..shared }, gap, &options))
    });
    let of_principal = |(p, alone): (usize, Answer)| {
        let (principal, start) = (&principals[p], start?);
        let welfare = alone.welfare(start);
        let best = if principal.direction().is_one() { welfare } else { welfare.negated() };
        Some(no_worse(principal, best, answer.payoff(p.into(), start)))
    };
    alone.filter_map(of_principal).collect()
}

/// What a principal gets whom nobody is served beside.
fn best_of_the_only(principals: &[Principal], answer: &Answer, start: StateId) -> Option<Value> {
    let [single] = principals else { return None };
    if single.weight.is_zero() {
        return None;
    }
    let payoff = answer.payoff(0.into(), start);
    let unweighted = || answer.welfare_enclosure(start).times(Enclosure::from(&(Rational::ONE / &single.weight)));
    Some(if payoff.exact.is_some() { payoff } else { Value::from(unweighted()) })
}

/// The gap that a certified answer was asked for, or about that.
fn gap_of(answer: &Answer) -> f64 {
    if let Claim::Within { gap, .. } = answer.claim() { gap } else { DEFAULT_GAP }
}

/// A principal's own best, which is no worse than what an answer gives it.
fn no_worse(principal: &Principal, own: Value, given: Value) -> Value {
    let (lower, upper) = (own.enclosure.lower(), own.enclosure.upper());
    match &own.exact {
        Some(_) => own,
        None if principal.direction().is_one() => Enclosure::new(lower.max(given.enclosure.lower()), upper).into(),
        None => Enclosure::new(lower, upper.min(given.enclosure.upper())).into(),
    }
}

/// Other strategies as good as an optimal answer from the start: one that does not count, or one that gives the principals
/// other payoffs. Only proven results; none for an answer in doubles, few for a large model.
pub fn alternatives(model: &Model, answer: &Answer, stop: &StopSignal) -> Alternatives {
    if answer.method() == Method::Exact {
        crate::alternatives::alternatives(&model.exact(), answer, stop)
    } else {
        Alternatives::default()
    }
}

/// The steps of an exact answer: values, deviations, at most `n_layers` layers before the horizon, and the changes of
/// choice, with the principals who prefer the new choice for the latest `n_turns` of them.
pub fn explain(
    model: &Model,
    answer: &Answer,
    n_layers: u64,
    n_turns: usize,
    stop: &StopSignal,
) -> Result<Explanation, StopReason> {
    crate::explain::explain(&model.exact(), answer, n_layers, n_turns, stop)
}

/// Exact solutions over a grid of one principal's discount, rate or weight, and where the strategy changes between neighbours.
///
/// # Panics
/// If a grid of discounts reaches outside [0, 1).
pub fn sweep(model: &Model, principal: PrincipalId, grid: Grid, shard: Shard, options: &Options) -> Sweep {
    parallel::on_threads(options.threads, || landscape::sweep(&model.exact(), principal, grid, shard, options))
}

/// Which strategy is best over two principals' discounts, with located boundaries; the grids have equally many steps.
///
/// # Panics
/// If a grid reaches outside [0, 1).
pub fn strategy_map(model: &Model, axes: [PrincipalId; 2], grids: [Grid; 2], options: &Options) -> StrategyMap {
    parallel::on_threads(options.threads, || landscape::strategy_map(&model.exact(), axes, grids, options))
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

/// The payoffs of the long-term strategy and of the best positional one, if they can be computed quickly.
pub fn positional_payoffs(set: &PayoffSet) -> Vec<(&'static str, Vec<Value>)> {
    /// Nodes, not seconds: the same input gives the same bytes.
    const NODES: u64 = 2_000;
    const MOST_STATES: usize = 500;
    let model = set.model();
    if model.n_states() > MOST_STATES {
        return Vec::new();
    }
    let mdp = model.exact();
    let stop = StopSignal::default();
    let long_term = crate::exact::solve(&mdp, &Options::default());
    let start = model.start();
    let own = (0..model.n_principals()).map(|p| long_term.long_term_payoff(p.into(), start)).collect();
    let mut found = vec![("long-term", own)];
    let search = search::positional(&mdp, &SearchOptions { node_limit: NODES, ..SearchOptions::default() });
    if let Ok(payoffs) = evaluation::evaluate(&mdp, &search.strategy, &stop) {
        found.push(("best positional", (0..model.n_principals()).map(|p| payoffs.payoff(p.into(), start)).collect()));
    }
    found
}
