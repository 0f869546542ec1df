//! A strategy in pictures: actions by step, payoffs by step, gains and losses of each principal.

use super::names::{
    has_costs, in_column as name_in_column, principal_in_column, principal_shown, shown, state_in_column,
};
use super::numbers::{double, fraction_or_decimal, signed};
use commonweal::numbers::Enclosure;
use commonweal::questions::{Evaluation, Play, accrued, falls_to, social_rates, trajectory};
use commonweal::strategies::CountingStrategy;
use commonweal::structure::{ChoiceId, ModelError, Principal, PrincipalId, StateId, Structure};
use commonweal::{Answer, Claim, Model, Rational, Step, Value};
use commonweal_charts::{Axis, BREAK, Bars, Chart, Mark, Scale, Series, Timeline, TimelineRow};

/// The most states that are drawn.
const ROWS: usize = 30;
/// The most principals that are drawn.
const PRINCIPALS: usize = 7;
/// The colour of the welfare, in every picture.
pub const WELFARE: usize = 0;

/// The colours of differences, which are not those of a principal: the last ones.
const THAN_OTHER: usize = 7;
const THAN_OWN_BEST: usize = 6;

/// The colour of a principal, in every picture.
pub fn colour_of(principal: usize) -> usize {
    principal + 1
}

/// How the payoffs of principals are drawn on one axis.
pub enum Unit {
    /// As they are: all weights have the same size.
    Own,
    /// Times the size of their weights: payoffs with weights of different size have different units. Costs stay costs.
    Welfare,
}

impl Unit {
    pub fn of(model: &Structure) -> Unit {
        let mut sizes = model.principals().iter().map(|principal| principal.weight.clone().abs());
        let first = sizes.next();
        if sizes.all(|size| Some(&size) == first.as_ref()) { Unit::Own } else { Unit::Welfare }
    }

    /// What a principal's payoff is multiplied by; `None` if it is not drawn because it is no part of the welfare.
    pub fn factor(&self, principal: &Principal) -> Option<Rational> {
        match self {
            Unit::Own => Some(Rational::ONE),
            Unit::Welfare => Some(principal.weight.clone().abs()).filter(|weight| !weight.is_zero()),
        }
    }

    /// The name of a principal's curve, given that of its payoff.
    pub fn name(&self, own: String, principal: &Principal) -> String {
        match self.factor(principal) {
            Some(factor) if !factor.is_one() => format!("{own} × {}", fraction_or_decimal(&factor)),
            _ => own,
        }
    }

    /// What a caption says of it.
    pub fn note(&self, model: &Structure) -> Option<&'static str> {
        match (self, has_costs(model)) {
            (Unit::Own, false) => None,
            (Unit::Own, true) => Some("Of a cost, less is better."),
            (Unit::Welfare, false) => Some("Payoffs are multiplied by their weights, as the welfare adds them up."),
            (Unit::Welfare, true) => Some(
                "Payoffs are multiplied by the size of their weights. Of a cost, less is better: the welfare subtracts it.",
            ),
        }
    }
}

/// The value times a factor.
pub fn scaled(value: &Value, factor: &Rational) -> Value {
    match &value.exact {
        Some(exact) => Value::from(exact * factor),
        None => Value::from(value.enclosure.times(Enclosure::from(factor))),
    }
}

/// The strategy that is drawn, and another one to compare with.
pub struct Drawn<'a> {
    strategy: &'a CountingStrategy,
    worth: Worth,
    other: CountingStrategy,
    others_worth: Worth,
    /// The name of the other one.
    others_name: &'static str,
    /// The first step from which the strategy does the same for ever.
    settled_from: Step,
    /// A note for the captions.
    note: Option<String>,
}

/// What a strategy is worth from the start.
struct Worth {
    /// Per principal.
    payoffs: Vec<Value>,
    welfare: Value,
    is_exact: bool,
}

impl<'a> Drawn<'a> {
    /// The strategy of an answer, beside the long-term one.
    pub fn answer(model: &Structure, answer: &'a Answer) -> Drawn<'a> {
        let start = model.start();
        let first = |state| answer.long_term_choices(state).first().copied().expect("a long-term choice");
        let in_the_end = model.states().map(|state| tail(answer, state).unwrap_or_else(|| first(state)));
        Drawn {
            strategy: answer.strategy(),
            worth: Worth::of_answer(model, answer),
            other: CountingStrategy::positional(in_the_end),
            others_worth: Worth::new(model, answer.long_term_welfare(start), |p| answer.long_term_payoff(p, start)),
            others_name: if answer.long_term_is_proven() { "long-term strategy" } else { "assumed long-term strategy" },
            settled_from: answer.memory(start).clone(),
            note: stopped(answer, "The strategy is the best found."),
        }
    }

    /// A given strategy, beside the optimal one.
    pub fn given(
        model: &Structure,
        strategy: &'a CountingStrategy,
        evaluation: &Evaluation,
        answer: &Answer,
    ) -> Drawn<'a> {
        let start = model.start();
        Drawn {
            strategy,
            worth: Worth::new(model, evaluation.welfare(start), |p| evaluation.payoff(p, start)),
            other: answer.strategy().clone(),
            others_worth: Worth::of_answer(model, answer),
            others_name: "optimal strategy",
            settled_from: strategy.settled_from(),
            note: stopped(answer, "The optimal strategy is the best found."),
        }
    }
}

impl Worth {
    fn new(model: &Structure, welfare: Value, payoff: impl Fn(PrincipalId) -> Value) -> Worth {
        let payoffs = (0..model.n_principals()).map(|p| payoff(p.into())).collect();
        Worth { payoffs, is_exact: welfare.exact.is_some(), welfare }
    }

    fn of_answer(model: &Structure, answer: &Answer) -> Worth {
        let start = model.start();
        Worth::new(model, answer.welfare(start), |p| answer.payoff(p, start))
    }
}

/// What the strategy does in each state that it meets, step by step.
pub fn timeline(model: &Structure, drawn: &Drawn) -> Timeline {
    let play = Play::of(model, drawn.strategy, model.start());
    let states = play.states(model);
    let row = |&state: &StateId| {
        let action = |choice: ChoiceId| name_in_column(&model.action_name(choice));
        let runs = play.runs(model, state).into_iter().map(|(from, choice)| (step(&from), choice.map(action)));
        TimelineRow { name: state_in_column(model, state), runs: runs.collect() }
    };
    let mut notes = Vec::new();
    let n_met = states.len() + play.n_left_out();
    if n_met > ROWS {
        notes.push(format!("The {ROWS} states met first are shown, of {n_met} that the strategy meets."));
    } else if n_met < model.n_states() {
        let never = model.n_states() - n_met;
        notes.push(format!(
            "{never} of {} states {} never met.",
            model.n_states(),
            if never == 1 { "is" } else { "are" }
        ));
    }
    if play.takes_turns() {
        notes.push("In the end, states are met in turns.".to_owned());
    }
    if play.is_over_all_states() {
        let several = shown(&model.about().steps());
        notes.push(format!("Too many {several} to say when each state can be met: all are shown at all {several}."));
    }
    notes.extend(drawn.note.clone());
    // Those met first, in the model's own order.
    let mut shown_states: Vec<StateId> = states.into_iter().take(ROWS).collect();
    shown_states.sort();
    Timeline {
        title: {
            let step = shown(model.about().step());
            format!("What to do from {}, {step} by {step}", shown(&model.state_name(model.start())))
        },
        caption: (!notes.is_empty()).then(|| notes.join(" ")),
        step: shown(model.about().step()),
        rows: shown_states.iter().map(row).collect(),
    }
}

/// Each principal's accrued payoff by step, under this strategy and under the other one.
pub fn payoffs(model: &Model, drawn: &Drawn) -> Result<Chart, ModelError> {
    let steps = drawn_steps(model.structure(), drawn);
    let own = accrued(model, drawn.strategy, steps)?;
    let other = accrued(model, &drawn.other, steps)?;
    let model = model.structure();
    let weights: Vec<f64> = model.principals().iter().map(|principal| principal.weight.to_f64()).collect();
    let curve = |name: String, colour: usize, values: Vec<f64>, mark| Series {
        name,
        colour,
        points: values.into_iter().enumerate().map(|(step, value)| (step as f64, value)).collect(),
        mark,
    };
    let welfare = |of: &[Vec<f64>]| -> Vec<f64> {
        (0..=steps).map(|step| of.iter().zip(&weights).map(|(values, weight)| weight * values[step]).sum()).collect()
    };
    let unit = Unit::of(model);
    let n_curves = if model.n_principals() > 1 { model.n_principals().min(PRINCIPALS) } else { 0 };
    let curves = |of: &[Vec<f64>], suffix: &str, mark: Mark| {
        let mut curves = vec![curve(format!("welfare{suffix}"), WELFARE, welfare(of), mark)];
        for (p, principal) in model.principals().iter().enumerate().take(n_curves) {
            let Some(factor) = unit.factor(principal) else { continue };
            let name = unit.name(principal_shown(principal), principal);
            let values = of[p].iter().map(|value| factor.to_f64() * value).collect();
            curves.push(curve(format!("{name}{suffix}"), colour_of(p), values, mark));
        }
        curves
    };
    let mut series = curves(&own, "", Mark::Line);
    let n_own = series.len();
    series.extend(curves(&other, &format!(", {}", drawn.others_name), Mark::Dashed));
    let mut series = worth_drawing(series, drawn);
    let end = series[0].points.last().copied();
    if series.iter().all(|one| one.points.len() <= 41) {
        series[..n_own].iter_mut().for_each(|one| one.mark = Mark::LineAndPoints);
    }
    let start = model.start();
    let mut caption = format!(
        "In the end the welfare is {}, and that of the {} {}.",
        told(&drawn.worth.welfare),
        drawn.others_name,
        told(&drawn.others_worth.welfare)
    );
    caption += &ends_before(&drawn.worth.welfare, end, &shown(model.about().step()));
    caption += &first_ones(model);
    caption.extend(unit.note(model).map(|note| format!(" {note}")));
    caption.extend(drawn.note.iter().map(|note| format!(" {note}")));
    Ok(Chart {
        title: format!("What has been earned by when, from {}", shown(&model.state_name(start))),
        caption: Some(caption),
        x: Axis { label: format!("{} taken", shown(&model.about().steps())), scale: Scale::Linear },
        y: Axis { label: "expected discounted payoff so far".to_owned(), scale: Scale::Linear },
        series,
        marks: Vec::new(),
    })
}

/// Where the curve of the welfare ends, if that is visibly before it has been earned.
fn ends_before(welfare: &Value, end: Option<(f64, f64)>, step: &str) -> String {
    /// This share of the welfare is not seen.
    const UNSEEN: f64 = 0.02;
    let whole = welfare.enclosure.midpoint();
    match end {
        Some((at, earned)) if (whole - earned).abs() > UNSEEN * whole.abs() => {
            format!(" The picture ends at {step} {at}, when it is {}: the rest comes later.", double(earned))
        }
        _ => String::new(),
    }
}

/// Each principal's payoff minus that under the other strategy, and minus its own best.
pub fn gains(model: &Structure, drawn: &Drawn, own_best: Option<&[Value]>) -> Bars {
    let start = model.start();
    let bar = |value: Value| Some((value.enclosure.midpoint(), signed(&value)));
    let principals = model.principals().iter().enumerate().take(ROWS);
    let unit = Unit::of(model);
    let group = |(p, principal): (usize, &Principal)| {
        let (own, factor) = (&drawn.worth.payoffs[p], unit.factor(principal)?);
        let less = |other: &Value| bar(scaled(&own.minus(other), &factor));
        let mut bars = vec![less(&drawn.others_worth.payoffs[p])];
        bars.extend(own_best.map(|best| less(&best[p])));
        Some((unit.name(principal_in_column(principal), principal), bars))
    };
    let mut groups: Vec<_> = principals.filter_map(group).collect();
    let gain = drawn.worth.welfare.minus(&drawn.others_worth.welfare);
    groups.push(("welfare".to_owned(), vec![bar(gain)]));
    let mut series = vec![(format!("than under the {}", drawn.others_name), THAN_OTHER)];
    series.extend(own_best.map(|_| ("than if the agent served nobody else".to_owned(), THAN_OWN_BEST)));
    let mut notes: Vec<String> = Vec::new();
    notes.extend(unit.note(model).map(str::to_owned));
    if model.n_principals() > ROWS {
        notes.push(format!("The first {ROWS} of {} principals are shown.", model.n_principals()));
    }
    let width = drawn.worth.payoffs.iter().map(|payoff| payoff.enclosure.width()).fold(0.0, f64::max);
    if !drawn.worth.is_exact && width > 0.0 {
        notes.push(format!("Payoffs are known to within {}.", double(width)));
    }
    notes.extend(drawn.note.clone());
    Bars {
        title: "Who gains, and who pays".to_owned(),
        caption: (!notes.is_empty()).then(|| notes.join(" ")),
        label: format!("payoff from {}, more (+) or less (−)", shown(&model.state_name(start))),
        series,
        groups,
    }
}

/// The rate at which each principal, and society, discount each step against the next.
pub fn rates(model: &Structure, drawn: &Drawn) -> Chart {
    let steps = drawn_steps(model, drawn);
    let in_percent = |rates: Vec<Option<f64>>| {
        let points = rates.into_iter().enumerate();
        points.map(|(step, rate)| rate.map_or(BREAK, |rate| (step as f64, 100.0 * rate))).collect()
    };
    let series = |name: String, colour: usize, rates: Vec<Option<f64>>, mark: Mark| Series {
        name,
        colour,
        points: in_percent(rates),
        mark,
    };
    let mut all = vec![series("all together".to_owned(), WELFARE, social_rates(model.principals(), steps), Mark::Line)];
    if model.n_principals() > 1 {
        for (p, principal) in model.principals().iter().enumerate().take(PRINCIPALS) {
            let alone = principal.clone().weighted(Rational::ONE);
            all.push(series(principal_shown(principal), colour_of(p), social_rates(&[alone], steps), Mark::Dashed));
        }
    }
    let mut caption = "All together: how fast the sum of all weights falls.".to_owned();
    caption += &without_spike(&mut all, &shown(model.about().step()));
    let all = worth_drawing(all, drawn);
    caption += &first_ones(model);
    Chart {
        title: format!("At which rate the next {} is discounted", shown(model.about().step())),
        caption: Some(caption),
        x: Axis { label: shown(model.about().step()), scale: Scale::Linear },
        y: Axis { label: format!("per cent a {}", shown(model.about().step())), scale: Scale::Linear },
        series: all,
        marks: Vec::new(),
    }
}

/// Takes away rates that would flatten all others, as a present bias has them at step 0 and an end of a term where it lies, and says so.
fn without_spike(rates: &mut [Series], step: &str) -> String {
    /// How many times higher than all others a rate may be.
    const HIGHER: f64 = 3.0;
    /// Spikes are few: this many for each curve.
    const FEW: usize = 2;
    /// The most that are named.
    const NAMED: usize = 4;
    let mut heights: Vec<f64> =
        rates.iter().flat_map(|one| &one.points).map(|(_, rate)| *rate).filter(|rate| rate.is_finite()).collect();
    heights.sort_by(f64::total_cmp);
    // The lowest of the spikes is that much higher than the highest of the others.
    let first = heights.len().saturating_sub(FEW * rates.len()).max(1);
    let is_beyond = |at: &usize| heights[at - 1] > 0.0 && heights[*at] > HIGHER * heights[at - 1];
    let Some(beyond) = (first..heights.len()).find(is_beyond).map(|at| heights[at]) else { return String::new() };
    let mut spikes = Vec::new();
    for one in rates.iter_mut() {
        for point in one.points.iter_mut().filter(|(_, rate)| *rate >= beyond) {
            spikes.push((point.0, format!("{} {} %", one.name, double((100.0 * point.1).round() / 100.0))));
            *point = BREAK;
        }
    }
    let left = spikes.len().saturating_sub(NAMED);
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    let named = spikes.iter().take(NAMED);
    let at = spikes[0].0;
    if spikes.iter().all(|(step, _)| *step == at) {
        let told: Vec<&str> = named.map(|(_, told)| told.as_str()).collect();
        format!(" Beyond the axis, at {step} {at}: {}{more}.", told.join(", "))
    } else {
        let told: Vec<String> = named.map(|(at, told)| format!("{told} at {step} {at}")).collect();
        format!(" Beyond the axis: {}{more}.", told.join(", "))
    }
}

/// Which principals are drawn, if not all.
fn first_ones(model: &Structure) -> String {
    match model.n_principals() {
        n if n > PRINCIPALS => format!(" The first {PRINCIPALS} of {n} principals are drawn."),
        _ => String::new(),
    }
}

/// The probability of each of the likeliest states at each step.
pub fn likely_states(model: &Model, drawn: &Drawn) -> Result<Chart, ModelError> {
    let trajectory = trajectory(model, drawn.strategy, drawn_steps(model.structure(), drawn) + 1)?;
    let model = model.structure();
    let greatest = |state: StateId| trajectory.states.iter().map(|likely| likely[state.index()]).fold(0.0, f64::max);
    let mut states: Vec<StateId> = model.states().filter(|state| greatest(*state) > 0.0).collect();
    let met = states.len();
    states.sort_by(|a, b| greatest(*b).total_cmp(&greatest(*a)).then(a.cmp(b)));
    states.truncate(PRINCIPALS);
    states.sort();
    let series = |(at, state): (usize, &StateId)| Series {
        name: shown(&model.state_name(*state)),
        colour: at,
        points: trajectory.states.iter().enumerate().map(|(j, likely)| (j as f64, likely[state.index()])).collect(),
        mark: Mark::Line,
    };
    let few = format!("The {PRINCIPALS} likeliest of {met} states that are met.");
    Ok(Chart {
        title: format!("Where things stand, from {}", shown(&model.state_name(model.start()))),
        caption: (met > PRINCIPALS).then_some(few),
        x: Axis { label: shown(model.about().step()), scale: Scale::Linear },
        y: Axis { label: "probability".to_owned(), scale: Scale::Linear },
        series: worth_drawing(states.iter().enumerate().map(series).collect(), drawn),
        marks: Vec::new(),
    })
}

/// Each principal's expected reward at each step, not discounted, in units of the welfare where weights differ.
pub fn expected_rewards(model: &Model, drawn: &Drawn) -> Result<Chart, ModelError> {
    let trajectory = trajectory(model, drawn.strategy, drawn_steps(model.structure(), drawn) + 1)?;
    let model = model.structure();
    let unit = Unit::of(model);
    let series = |(p, principal): (usize, &Principal)| {
        let factor = unit.factor(principal)?.to_f64();
        Some(Series {
            name: unit.name(principal_shown(principal), principal),
            colour: colour_of(p),
            points: trajectory.rewards.iter().enumerate().map(|(j, rewards)| (j as f64, factor * rewards[p])).collect(),
            mark: Mark::Line,
        })
    };
    let mut notes = first_ones(model).trim_start().to_owned();
    notes.extend(unit.note(model).map(|note| format!(" {note}")));
    Ok(Chart {
        title: format!("What is expected at each {}", shown(model.about().step())),
        caption: (!notes.is_empty()).then(|| notes.trim_start().to_owned()),
        x: Axis { label: shown(model.about().step()), scale: Scale::Linear },
        y: Axis { label: "expected reward, not discounted".to_owned(), scale: Scale::Linear },
        series: worth_drawing(
            model.principals().iter().enumerate().take(PRINCIPALS).filter_map(series).collect(),
            drawn,
        ),
        marks: Vec::new(),
    })
}

fn told(value: &Value) -> String {
    super::numbers::exact_and_decimal(value)
}

fn stopped(answer: &Answer, consequence: &str) -> Option<String> {
    match answer.claim() {
        Claim::Stopped(reason) => Some(format!("Stopped: {reason}. {consequence}")),
        _ => None,
    }
}

/// The choice of the strategy's tail, if the long-term strategy allows it.
fn tail(solution: &Answer, state: StateId) -> Option<ChoiceId> {
    let last = solution.strategy().tail(state);
    solution.long_term_choices(state).contains(&last).then_some(last)
}

/// The steps until the rest is negligible and the strategy has settled, as far as that is affordable.
fn drawn_steps(model: &Structure, drawn: &Drawn) -> usize {
    const FEWEST: f64 = 8.0;
    /// In any case this many may be drawn, and more as long as they take a moment.
    const MANY: f64 = 400.0;
    const MOST: f64 = 20_000.0;
    const WORK: f64 = 2e8;
    const NEGLIGIBLE: f64 = 0.005;
    let fades = |principal: &Principal| falls_to(principal, NEGLIGIBLE, MOST as u64).map_or(MOST, |step| step as f64);
    // A schedule is drawn as a whole, unless it is very long.
    let last_segment = |principal: &Principal| principal.segments().last().map_or(0, |segment| segment.from);
    let schedules = model.principals().iter().map(|principal| beyond(&Step::from(last_segment(principal))));
    let schedules = schedules.filter(|steps| *steps <= MANY);
    let enough = model.principals().iter().map(fades).chain(schedules).fold(0.0, f64::max);
    let most = (WORK / model.n_transitions() as f64).clamp(MANY, MOST);
    let settled = beyond(&drawn.settled_from);
    let soon = if settled <= most { settled } else { 0.0 };
    enough.max(soon).clamp(FEWEST, most) as usize
}

/// A little after a step.
fn beyond(settled_from: &Step) -> f64 {
    1.1 * step(settled_from) + 3.0
}

/// The curves up to where they hardly change any more and the strategy has settled. Those that never settle, as periodic ones, are cut
/// after some hundred steps. Of very many points, only those that can be told apart stay.
fn worth_drawing(mut series: Vec<Series>, drawn: &Drawn) -> Vec<Series> {
    const FEWEST: usize = 8;
    const MANY: usize = 400;
    /// This share of the height is not seen.
    const UNSEEN: f64 = 0.005;
    let heights = || series.iter().flat_map(|one| &one.points).map(|(_, y)| *y).filter(|y| y.is_finite());
    let span = heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min);
    let still_from = |one: &Series| {
        let last = one.points.last().map_or(0.0, |(_, y)| *y);
        let moves = |(_, y): &(f64, f64)| y.is_nan() != last.is_nan() || (y - last).abs() > UNSEEN * span;
        one.points.iter().rposition(moves).map_or(0, |at| at + 1)
    };
    let all = series.iter().map(|one| one.points.len()).max().unwrap_or(0);
    let still = series.iter().map(still_from).max().unwrap_or(0);
    let never = still as f64 > 0.95 * all as f64;
    let enough = if never { all.min(MANY) } else { still + still / 6 + 2 };
    let settled = beyond(&drawn.settled_from).min(all as f64) as usize;
    let shown = enough.max(settled).max(FEWEST).min(all);
    for one in &mut series {
        one.points.truncate(shown);
        one.points = told_apart(&one.points);
    }
    series
}

/// The points of a curve, at most about a thousand: of neighbours the first, the least, the greatest and the last.
fn told_apart(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const MOST: usize = 1_000;
    let every = points.len().div_ceil(MOST / 4);
    if points.len() <= MOST {
        return points.to_vec();
    }
    let few = |near: &[(f64, f64)]| {
        let by_height = |a: &usize, b: &usize| near[*a].1.total_cmp(&near[*b].1);
        let (least, greatest) = ((0..near.len()).min_by(by_height), (0..near.len()).max_by(by_height));
        let mut kept: Vec<usize> = [Some(0), least, greatest, Some(near.len() - 1)].into_iter().flatten().collect();
        kept.sort_unstable();
        kept.dedup();
        kept.into_iter().map(|at| near[at]).collect::<Vec<_>>()
    };
    points.chunks(every).flat_map(few).collect()
}

fn step(step: &Step) -> f64 {
    step.to_f64()
}
