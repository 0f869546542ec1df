//! The questions about a model: each on a thread of its own, each answer as its JSON document.

use crate::answer::PyAnswer;
use crate::ask::{Otherwise, ask_or};
use crate::error::{Refusal, refused};
use crate::limits::Limits;
use crate::model::{PyModel, find_principal};
use crate::strategy::PyStrategy;
use commonweal::answers::{looked_at, unsolved};
use commonweal::documents::{self, Document};
use commonweal::files::Form;
use commonweal::limits::StopReason;
use commonweal::questions::{
    self, FairError, FrontOptions, Grid, NotVaried, Over, PayoffSet, Quantity, Question, Rule, Search, SearchOptions,
    Shard, SimulateOptions, Tossed, evaluate as worth,
};
use commonweal::structure::PrincipalId;
use commonweal::text::{parse_rate, rate_text};
use commonweal::{Answer, Engine, Model, Options, Rational, StopSignal, Strategy, solve as best};
use commonweal_check::{Unreadable, Verdict};
use pyo3::prelude::*;
use std::io::Cursor;
use std::sync::Arc;

/// A number as Python gives it.
pub fn number(py: Python<'_>, what: &str, text: &str) -> PyResult<Rational> {
    text.parse().map_err(|error| refused(py, format!("{what}: {error}")))
}

/// The welfare-optimal strategy, or the best one found with bounds.
#[pyfunction]
pub fn solve(py: Python<'_>, model: &PyModel, limits: Limits, keep_proof: bool) -> PyResult<PyAnswer> {
    let options = Options { keep_proof, ..limits.options(py)? };
    let (model, stop) = (Arc::clone(&model.0), options.stop.clone());
    let [first, second] = [Arc::clone(&model), Arc::clone(&model)];
    let answered = |answer: Answer, own: Arc<Model>| PyAnswer::new(answer, own, false);
    let otherwise: Vec<Otherwise<PyAnswer>> = vec![
        Box::new(move || Some(answered(unsolved(&first, StopReason::Interrupted)?, first))),
        Box::new(move || Some(answered(looked_at(&second, StopReason::Interrupted)?, second))),
    ];
    let work = move || {
        let answer = best(&model, &options);
        PyAnswer::new(answer, model, options.keep_proof)
    };
    ask_or(py, limits.threads, &stop, otherwise, work)
}

/// What a strategy is worth: its document.
#[pyfunction]
pub fn evaluate(
    py: Python<'_>,
    model: &PyModel,
    strategy: &PyStrategy,
    limits: Limits,
    all_states: bool,
) -> PyResult<String> {
    let options = limits.options(py)?;
    let (model, strategy, stop) = (Arc::clone(&model.0), Arc::clone(&strategy.strategy), options.stop.clone());
    let evaluate = move |options: Options| {
        let evaluation = worth(&model, &strategy, &options)?;
        let states = if all_states { model.structure().states().collect() } else { vec![model.start()] };
        Ok::<_, commonweal::questions::EvaluateError>(
            documents::Evaluation::new(model.structure(), &evaluation, &states).to_json(),
        )
    };
    let (own, asked) = (evaluate.clone(), Options { stop: StopSignal::raised(), ..options.clone() });
    let otherwise: Vec<Otherwise<_>> = vec![Box::new(move || Some(own(asked)))];
    let found = ask_or(py, limits.threads, &stop, otherwise, move || evaluate(options))?;
    found.map_err(|error| {
        let refusal = Refusal::new(error.to_string());
        match error {
            commonweal::questions::EvaluateError::TooManySteps { .. } => {
                refusal.help("leave exact=True out for bounds that are proven in doubles").question(py)
            }
            _ => refusal.question(py),
        }
    })
}

/// What random runs of a strategy show: its document.
#[pyfunction]
pub fn simulate(
    py: Python<'_>,
    model: &PyModel,
    strategy: &PyStrategy,
    limits: Limits,
    runs: u64,
    seed: u64,
    confidence: f64,
) -> PyResult<String> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(refused(py, format!("confidence is {confidence}; it lies between 0 and 1, such as 0.99")));
    }
    let stop = limits.stop(py)?;
    let options = SimulateOptions { runs, seed, confidence, stop: stop.clone() };
    let (model, strategy) = (Arc::clone(&model.0), Arc::clone(&strategy.strategy));
    let simulate = move |options: SimulateOptions| {
        let simulation = commonweal::questions::simulate(&model, &strategy, &options)?;
        Ok::<_, commonweal::strategies::OtherModel>(
            documents::Simulation::new(model.structure(), &simulation, &options, None).to_json(),
        )
    };
    let (own, asked) = (simulate.clone(), SimulateOptions { stop: StopSignal::raised(), ..options.clone() });
    let otherwise: Vec<Otherwise<_>> = vec![Box::new(move || Some(own(asked)))];
    let found = ask_or(py, limits.threads, &stop, otherwise, move || simulate(options))?;
    found.map_err(|error| refused(py, error.to_string()))
}

/// The best positional strategy, or the best mixed one that does not count: its document, and the strategy.
#[pyfunction]
pub fn search(
    py: Python<'_>,
    model: &PyModel,
    mixed: bool,
    limits: Limits,
    threshold: Option<&str>,
    node_limit: Option<u64>,
) -> PyResult<(String, PyStrategy)> {
    if mixed && limits.exact == Some(true) {
        let refusal =
            Refusal::new("the best mix has irrational probabilities in general, so its welfare is not a fraction");
        return Err(refusal.help("gap sets how close the bounds are").question(py));
    }
    let stop = limits.stop(py)?;
    let defaults = SearchOptions::default();
    let gap = |asked: f64| {
        let gap = Rational::try_from(asked).ok().filter(|gap| *gap >= Rational::ZERO);
        gap.ok_or_else(|| refused(py, format!("gap is {asked}; it is a number from 0")))
    };
    let options = SearchOptions {
        gap: limits.gap.map(gap).transpose()?,
        threshold: threshold.map(|text| number(py, "threshold", text)).transpose()?,
        node_limit: node_limit.unwrap_or(defaults.node_limit),
        stop: stop.clone(),
        ..defaults
    };
    let model = Arc::clone(&model.0);
    let search = move |options: SearchOptions| {
        let found: Search = if mixed {
            commonweal::questions::stationary(&model, &options)
        } else {
            commonweal::questions::positional(&model, &options)
        };
        let document = documents::Search::new(model.structure(), &found, None).to_json();
        (document, PyStrategy::new(found.strategy, model))
    };
    let (own, asked) = (search.clone(), SearchOptions { stop: StopSignal::raised(), ..options.clone() });
    let otherwise: Vec<Otherwise<_>> = vec![Box::new(move || Some(own(asked)))];
    ask_or(py, limits.threads, &stop, otherwise, move || search(options))
}

/// Solutions over a range of one discount: the document.
#[pyfunction]
pub fn sweep(
    py: Python<'_>,
    model: &PyModel,
    principal: &str,
    range: (String, String),
    steps: u64,
    limits: Limits,
) -> PyResult<String> {
    let (principal, quantity) = varied(py, &model.0, principal)?;
    let grid = grid(py, &range, quantity, steps, MOST_STEPS)?;
    let options = limits.options(py)?;
    let (model, stop) = (Arc::clone(&model.0), options.stop.clone());
    let sweep = move |options: Options| {
        let found = questions::sweep(&model, principal, grid, Shard::WHOLE, &options);
        documents::Sweep::new(model.structure(), &found).to_json()
    };
    let (own, asked) = (sweep.clone(), Options { stop: StopSignal::raised(), ..options.clone() });
    let otherwise: Vec<Otherwise<_>> = vec![Box::new(move || Some(own(asked)))];
    ask_or(py, limits.threads, &stop, otherwise, move || sweep(options))
}

/// The most steps of a sweep and cells along a side of a map, as in the program: memory is taken for each.
const MOST_STEPS: u64 = 1_000_000;
const MOST_CELLS: u64 = 1_024;

/// Which strategy is best over two discounts: the document.
#[pyfunction]
pub fn strategy_map(
    py: Python<'_>,
    model: &PyModel,
    axes: (String, String),
    ranges: [Option<(String, String)>; 2],
    resolution: u64,
    limits: Limits,
) -> PyResult<String> {
    let [(x, x_varies), (y, y_varies)] = [varied(py, &model.0, &axes.0)?, varied(py, &model.0, &axes.1)?];
    different(py, &model.0, [x, y])?;
    let axes = [x, y];
    let [x, y] = ranges;
    let [x, y] = [(x, x_varies), (y, y_varies)]
        .map(|(range, varies)| range.unwrap_or_else(|| varies.usual_range().map(str::to_owned).into()));
    let grid = |range, varies| grid(py, range, varies, resolution, MOST_CELLS);
    let grids = [grid(&x, x_varies)?, grid(&y, y_varies)?].map(Grid::for_pictures);
    if grids.iter().any(|grid| grid.steps == 0) {
        return Err(refused(py, "a map needs two different ends of each range; `sweep` varies one discount"));
    }
    let options = limits.options(py)?;
    let (model, stop) = (Arc::clone(&model.0), options.stop.clone());
    let map = move |options: Options| {
        let found = questions::strategy_map(&model, axes, grids, &options);
        let shares = questions::map_shares(&model, &found, &options);
        documents::StrategyMap::new(model.structure(), &found).with_shares(&found, &shares).to_json()
    };
    let (own, asked) = (map.clone(), Options { stop: StopSignal::raised(), ..options.clone() });
    let otherwise: Vec<Otherwise<_>> = vec![Box::new(move || Some(own(asked)))];
    ask_or(py, limits.threads, &stop, otherwise, move || map(options))
}

/// The principal, and what of it varies.
fn varied(py: Python<'_>, model: &Model, name: &str) -> PyResult<(PrincipalId, Quantity)> {
    questions::varied(model.structure(), name).or_else(|error| match error {
        NotVaried::NoPrincipal(name) => Ok((find_principal(py, model, &name)?, Quantity::Discount)),
        NotVaried::NoQuantity { .. } => Err(refused(py, error.to_string())),
    })
}

fn grid(py: Python<'_>, range: &(String, String), quantity: Quantity, steps: u64, most: u64) -> PyResult<Grid> {
    let end = |text: &str| match quantity {
        Quantity::Discount if text.trim_end().ends_with('%') => {
            let refusal = Refusal::new(format!("the range: {text} is a percentage, and a discount is not one"));
            Err(refusal.help("write \"NAME.rate\" in place of \"NAME\" to vary the rate").question(py))
        }
        Quantity::Discount | Quantity::Weight => number(py, "the range", text),
        Quantity::Rate => parse_rate(text).map_err(|error| refused(py, format!("the range: {error}"))),
    };
    let (from, to) = (end(&range.0)?, end(&range.1)?);
    for end in [&from, &to] {
        match quantity {
            Quantity::Discount if *end < Rational::ZERO || *end >= Rational::ONE => {
                let message = format!("the range: {end} is not a discount; a discount is at least 0 and below 1");
                return Err(refused(py, message));
            }
            Quantity::Rate if *end <= Rational::ZERO || *end > Rational::ONE => {
                let message =
                    format!("the range: {} is not a rate; a rate is above 0 and at most 100%", rate_text(end));
                return Err(refused(py, message));
            }
            _ => {}
        }
    }
    if from > to {
        let name = quantity.name();
        return Err(refused(py, format!("the range: {from} is greater than {to}; give the lesser {name} first")));
    }
    if steps == 0 {
        return Err(refused(py, "a range needs at least one step"));
    }
    if steps > most {
        return Err(refused(py, format!("a range of {steps} steps; at most {most} are taken at once")));
    }
    Ok(Grid::new(from, to, steps).of(quantity))
}

fn two_principals(py: Python<'_>, model: &Model, names: [&str; 2]) -> PyResult<[PrincipalId; 2]> {
    let axes = [find_principal(py, model, names[0])?, find_principal(py, model, names[1])?];
    different(py, model, axes)?;
    Ok(axes)
}

fn different(py: Python<'_>, model: &Model, axes: [PrincipalId; 2]) -> PyResult<()> {
    if axes[0] == axes[1] {
        let name = &model.principals()[axes[0].index()].name;
        return Err(refused(py, format!("both axes are `{name}`; name two principals")));
    }
    Ok(())
}

/// Refuses a model in which a mixture stands for a preference, where a coin could not be placed exactly.
fn refuse_mixtures(py: Python<'_>, model: &Model) -> PyResult<()> {
    match model.principals().iter().find(|principal| principal.approximation().is_some()) {
        None => Ok(()),
        Some(principal) => {
            let name = &principal.name;
            let message = format!(
                "the preference of `{name}` is approximated by a mixture of discounts, and a coin at a decision has no bounds \
                 that include the approximation error"
            );
            Err(Refusal::new(message).help("state a rate, a schedule or a survey").question(py))
        }
    }
}

/// The reference point of a fair rule.
#[derive(FromPyObject)]
pub enum Reference<'py> {
    /// What a strategy gives.
    Strategy(PyRef<'py, PyStrategy>),
    /// A number for each principal, by name.
    Numbers(Vec<(String, String)>),
    /// `own-worst`.
    Text(String),
}

/// The fairest lottery by a rule: its document, and the lottery if there is one.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what is asked of a fair rule")]
pub fn fair(
    py: Python<'_>,
    model: &PyModel,
    rule: &str,
    over: Option<Reference<'_>>,
    at_least: Vec<(String, String)>,
    at_most: Vec<(String, String)>,
    at_decisions: bool,
    limits: Limits,
) -> PyResult<(String, Option<PyStrategy>)> {
    let model = Arc::clone(&model.0);
    if at_decisions {
        refuse_mixtures(py, &model)?;
    }
    let rule: Rule = rule.parse().map_err(|error: FairError| refused(py, error.to_string()))?;
    let over = match over {
        None => rule.usual_reference(),
        Some(Reference::Strategy(strategy)) => Over::Strategy((*strategy.strategy).clone()),
        Some(Reference::Text(text)) => {
            Over::named(&text).ok_or_else(|| refused(py, format!("over: there is no reference point `{text}`")))?
        }
        Some(Reference::Numbers(numbers)) => {
            let given = questions::reference_of(model.structure(), &numbers);
            Over::Given(given.map_err(|error| refused(py, format!("over: {error}")))?)
        }
    };
    let bounds = |what: &str, given: Vec<(String, String)>| -> PyResult<Vec<(PrincipalId, Rational)>> {
        let bound =
            |(name, value): &(String, String)| Ok((find_principal(py, &model, name)?, number(py, what, value)?));
        given.iter().map(bound).collect()
    };
    let question =
        Question { rule, over, at_least: bounds("at_least", at_least)?, at_most: bounds("at_most", at_most)? };
    let options = limits.options(py)?;
    let stop = options.stop.clone();
    let fair = move |options: Options| -> Result<_, String> {
        let set = PayoffSet::new(&model, &options);
        let mut found = questions::fair_suited(&set, &question).map_err(|error| error.to_string())?;
        let (mut coins, mut no_coin) = (Vec::new(), None);
        if at_decisions {
            let tossed = questions::tossed(&found, &model, &options.stop);
            match tossed.map_err(|error| format!("coin=\"decision\": {error}"))? {
                Tossed::Coins(tossed) => (found, coins) = (tossed.0, tossed.1.coins),
                Tossed::Stopped(reason) => no_coin = Some(reason),
            }
        }
        let mut document = documents::Fair::new(model.structure(), &found, false);
        if let Some(reason) = no_coin {
            document.tell_no_coin(reason);
        }
        document.coins = coins.iter().map(|coin| documents::CoinDecision::new(model.structure(), coin)).collect();
        let lottery = (!found.mix.is_empty()).then(|| Strategy::from(found.lottery()));
        drop(set);
        Ok((document.to_json(), lottery.map(|lottery| PyStrategy::new(lottery, model))))
    };
    let (own, asked) = (fair.clone(), Options { stop: StopSignal::raised(), ..options.clone() });
    let otherwise: Vec<Otherwise<_>> = vec![Box::new(move || own(asked).ok().map(Ok))];
    let found = ask_or(py, limits.threads, &stop, otherwise, move || fair(options))?;
    found.map_err(|message| refused(py, message))
}

/// The Pareto front of two principals, or of all: its document.
#[pyfunction]
pub fn front(
    py: Python<'_>,
    model: &PyModel,
    axes: Option<(String, String)>,
    vertex_limit: Option<usize>,
    limits: Limits,
) -> PyResult<String> {
    let model = Arc::clone(&model.0);
    let named = axes.map(|(x, y)| two_principals(py, &model, [&x, &y])).transpose()?;
    let axes = questions::front_axes(&model, named).map_err(|error| refused(py, error.to_string()))?;
    let asked = limits.options(py)?;
    // A gap is that of the front first.
    let engine = if limits.gap.is_some() { Engine::Auto } else { asked.engine };
    let (options, gap) = (Options { engine: questions::front_engine(&model, engine, limits.gap), ..asked }, limits.gap);
    let stop = options.stop.clone();
    let own = Arc::clone(&model);
    let nothing = move |reason| documents::Front::not_begun(own.structure(), axes, reason).to_json();
    let otherwise: Vec<Otherwise<_>> = vec![Box::new({
        let nothing = nothing.clone();
        move || Some(nothing(StopReason::Interrupted))
    })];
    ask_or(py, limits.threads, &stop, otherwise, move || {
        let set = PayoffSet::new(&model, &options);
        let usual = questions::front_options(&set, axes, gap);
        let within = FrontOptions { vertex_limit: vertex_limit.unwrap_or(usual.vertex_limit), ..usual };
        let structure = model.structure();
        let document = match axes {
            Some(axes) => {
                questions::front(&model, axes, &within, &options).map(|front| documents::Front::new(structure, &front))
            }
            None => questions::hull(&model, &within, &options).map(|hull| documents::Front::of_hull(structure, &hull)),
        };
        // Stopping before there is a vertex is no error.
        document.map_or_else(nothing, |document| document.to_json())
    })
}

/// What the independent checker says of a certificate: its document.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    model: &PyModel,
    certificate: &[u8],
    work: Option<u64>,
    limits: Limits,
) -> PyResult<String> {
    let stop = limits.stop(py)?;
    let (model, certificate, asked) = (Arc::clone(&model.0), certificate.to_vec(), stop.clone());
    let interrupted: Vec<Otherwise<_>> = vec![Box::new(|| Some(Err(StopReason::Interrupted)))];
    let verdict = ask_or(py, limits.threads, &stop, interrupted, move || {
        let mut form = Vec::new();
        let kind = if commonweal_check::is_fair(&certificate) { Form::ByPrincipal } else { Form::Canonical };
        let written = model.write_unless(kind, &mut form, &asked);
        drop(model);
        asked.check()?;
        if let Err(why) = written {
            return Ok(Err(Unreadable(why.to_string())));
        }
        let (certificate, work) = (Cursor::new(certificate), work.unwrap_or(commonweal_check::WORK));
        let found = commonweal_check::check_while(form, certificate, work, 0, || asked.check())?;
        Ok(found.map(|(verdict, _)| verdict))
    })?;
    let document = match verdict {
        Ok(Ok(Verdict::Accepted(meaning))) => documents::Check::new(documents::Verdict::Accepted, meaning.to_string()),
        Ok(Ok(Verdict::Refused(claim))) => documents::Check::new(documents::Verdict::Refused, claim),
        Ok(Err(Unreadable(why))) => return Err(Refusal::new(why).raise(py, "CertificateError")),
        Err(reason) => documents::Check::new(documents::Verdict::Stopped, reason.to_string()),
    };
    Ok(document.to_json())
}
