//! A solution in pictures: what is done when, what has been earned by when, who gains and who pays.

use super::names::{in_column as name_in_column, shown};
use super::numbers::{double, signed};
use commonweal::internals::evaluation::accrued;
use commonweal::internals::landscape::Play;
use commonweal::internals::model::{ChoiceId, Mdp, Principal, StateId, Structure};
use commonweal::internals::number::{Rational, Value};
use commonweal::internals::outlook::{social_rates, trajectory};
use commonweal::internals::strategy::{CountingStrategy, Step};
use commonweal::{Answer, Claim};
use commonweal_charts::{Axis, BREAK, Bars, Chart, Mark, Scale, Series, Timeline, TimelineRow};

/// More states than this are not drawn.
const ROWS: usize = 30;
/// More principals than this are not drawn.
const PRINCIPALS: usize = 7;
/// The colour of the welfare, in every picture.
pub const WELFARE: usize = 0;

/// The colour of a principal, in every picture.
pub fn colour_of(principal: usize) -> usize {
    principal + 1
}

/// What the strategy does in each state that it meets, step by step.
pub fn timeline(model: &Structure, solution: &Answer) -> Timeline {
    let play = Play::of(model, solution.strategy(), model.start());
    let states = play.states(model);
    let row = |&state: &StateId| {
        let action = |choice: ChoiceId| name_in_column(&model.action_name(choice));
        let runs = play.runs(model, state).into_iter().map(|(from, choice)| (step(&from), choice.map(action)));
        TimelineRow { name: name_in_column(&model.state_name(state)), runs: runs.collect() }
    };
    let mut notes = Vec::new();
    if states.len() > ROWS {
        notes.push(format!("The {ROWS} states met first are shown, of {} that the strategy meets.", states.len()));
    } else if states.len() < model.n_states() {
        let never = model.n_states() - states.len();
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
        notes.push("Too many steps to say when each state can be met: all are shown at all steps.".to_owned());
    }
    notes.extend(stopped(solution));
    // Those met first, in the model's own order.
    let mut drawn: Vec<StateId> = states.into_iter().take(ROWS).collect();
    drawn.sort();
    Timeline {
        title: {
            let step = shown(model.about().step());
            format!("What to do from {}, {step} by {step}", shown(&model.state_name(model.start())))
        },
        caption: (!notes.is_empty()).then(|| notes.join(" ")),
        rows: drawn.iter().map(row).collect(),
    }
}

/// What each principal has got by when, under this strategy and under the long-term one.
pub fn payoffs(model: &Mdp<f64>, solution: &Answer) -> Chart {
    let steps = drawn_steps(model, solution);
    let first = |state| solution.long_term_choices(state).first().copied().expect("a long-term choice");
    let long_term =
        CountingStrategy::positional(model.states().map(|state| tail(solution, state).unwrap_or_else(|| first(state))));
    let own = accrued(model, solution.strategy(), steps);
    let other = accrued(model, &long_term, steps);
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
    let drawn = if model.n_principals() > 1 { model.n_principals().min(PRINCIPALS) } else { 0 };
    let curves = |of: &[Vec<f64>], suffix: &str, mark: Mark| {
        let mut curves = vec![curve(format!("welfare{suffix}"), WELFARE, welfare(of), mark)];
        for (p, principal) in model.principals().iter().enumerate().take(drawn) {
            curves.push(curve(format!("{}{suffix}", shown(&principal.name)), colour_of(p), of[p].clone(), mark));
        }
        curves
    };
    let mark = if steps <= 40 { Mark::LineAndPoints } else { Mark::Line };
    let mut series = curves(&own, "", mark);
    series.extend(curves(&other, ", long-term strategy", Mark::Dashed));
    let start = model.start();
    let mut caption = format!(
        "In the end the welfare is {}, and that of the long-term strategy {}.",
        told(&solution.welfare(start)),
        told(&solution.long_term_welfare(start))
    );
    if model.n_principals() > PRINCIPALS {
        caption += &format!(" The first {PRINCIPALS} of {} principals are drawn.", model.n_principals());
    }
    caption.extend(stopped(solution).map(|note| format!(" {note}")));
    Chart {
        title: format!("What has been earned by when, from {}", shown(&model.state_name(start))),
        caption: Some(caption),
        x: Axis { label: format!("{} taken", shown(&model.about().steps())), scale: Scale::Linear },
        y: Axis { label: "expected discounted payoff so far".to_owned(), scale: Scale::Linear },
        series,
        marks: Vec::new(),
    }
}

/// What each principal gets more or less than under the long-term strategy, and than if the agent served nobody else.
pub fn gains(model: &Structure, solution: &Answer, own_best: Option<&[Value]>) -> Bars {
    let start = model.start();
    let bar = |value: Value| Some((value.enclosure.midpoint(), signed(&value)));
    let principals = model.principals().iter().enumerate().take(ROWS);
    let group = |(p, principal): (usize, &Principal)| {
        let own = solution.payoff(p.into(), start);
        let mut bars = vec![bar(own.minus(&solution.long_term_payoff(p.into(), start)))];
        bars.extend(own_best.map(|best| bar(own.minus(&best[p]))));
        (name_in_column(&principal.name), bars)
    };
    let mut groups: Vec<_> = principals.map(group).collect();
    let gain = solution.welfare(start).minus(&solution.long_term_welfare(start));
    groups.push(("welfare".to_owned(), vec![bar(gain)]));
    let mut series = vec!["than under the long-term strategy".to_owned()];
    series.extend(own_best.map(|_| "than if the agent served nobody else".to_owned()));
    let mut notes: Vec<String> = Vec::new();
    if model.n_principals() > ROWS {
        notes.push(format!("The first {ROWS} of {} principals are shown.", model.n_principals()));
    }
    let width =
        (0..model.n_principals()).map(|p| solution.payoff(p.into(), start).enclosure.width()).fold(0.0, f64::max);
    if solution.welfare(start).exact.is_none() && width > 0.0 {
        notes.push(format!("Payoffs are known to within {}.", double(width)));
    }
    notes.extend(stopped(solution));
    Bars {
        title: "Who gains, and who pays".to_owned(),
        caption: (!notes.is_empty()).then(|| notes.join(" ")),
        label: format!("payoff from {}, more (+) or less (−)", shown(&model.state_name(start))),
        series,
        groups,
    }
}

/// The rate at which each principal, and society, discount each step against the next.
pub fn rates(model: &Structure, solution: &Answer) -> Chart {
    let steps = drawn_steps(model, solution);
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
            all.push(series(shown(&principal.name), colour_of(p), social_rates(&[alone], steps), Mark::Dashed));
        }
    }
    Chart {
        title: format!("At which rate the next {} is discounted", shown(model.about().step())),
        caption: Some("All together: how fast the sum of all weights falls.".to_owned()),
        x: Axis { label: shown(model.about().step()), scale: Scale::Linear },
        y: Axis { label: format!("per cent a {}", shown(model.about().step())), scale: Scale::Linear },
        series: all,
        marks: Vec::new(),
    }
}

/// How likely each state is at each step, of those that matter most.
pub fn likely_states(model: &Mdp<f64>, solution: &Answer) -> Chart {
    let trajectory = trajectory(model, solution.strategy(), drawn_steps(model, solution) + 1);
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
    Chart {
        title: format!("Where things stand, from {}", shown(&model.state_name(model.start()))),
        caption: (met > PRINCIPALS).then_some(few),
        x: Axis { label: shown(model.about().step()), scale: Scale::Linear },
        y: Axis { label: "probability".to_owned(), scale: Scale::Linear },
        series: states.iter().enumerate().map(series).collect(),
        marks: Vec::new(),
    }
}

/// What each principal expects to get at each step, not discounted.
pub fn expected_rewards(model: &Mdp<f64>, solution: &Answer) -> Chart {
    let trajectory = trajectory(model, solution.strategy(), drawn_steps(model, solution) + 1);
    let series = |(p, principal): (usize, &Principal)| Series {
        name: shown(&principal.name),
        colour: colour_of(p),
        points: trajectory.rewards.iter().enumerate().map(|(j, rewards)| (j as f64, rewards[p])).collect(),
        mark: Mark::Line,
    };
    Chart {
        title: format!("What is expected at each {}", shown(model.about().step())),
        caption: None,
        x: Axis { label: shown(model.about().step()), scale: Scale::Linear },
        y: Axis { label: "expected reward, not discounted".to_owned(), scale: Scale::Linear },
        series: model.principals().iter().enumerate().take(PRINCIPALS).map(series).collect(),
        marks: Vec::new(),
    }
}

fn told(value: &Value) -> String {
    super::numbers::exact_and_decimal(value)
}

fn stopped(solution: &Answer) -> Option<String> {
    match solution.claim() {
        Claim::Stopped(reason) => Some(format!("Stopped: {reason}. The strategy is the best found.")),
        _ => None,
    }
}

/// The choice that the strategy takes in the end, if the long-term strategy allows it.
fn tail(solution: &Answer, state: StateId) -> Option<ChoiceId> {
    let last = solution.strategy().tail(state);
    solution.long_term_choices(state).contains(&last).then_some(last)
}

/// Until little is left to earn, or the strategy has settled if that is soon after; at most a few hundred steps.
fn drawn_steps(model: &Structure, solution: &Answer) -> usize {
    const FEWEST: f64 = 8.0;
    const MOST: f64 = 400.0;
    let patience = solution.principals().first().map_or(0.0, |principal| principal.patience.to_f64());
    let enough = if patience > 0.0 { 0.005f64.ln() / patience.ln() } else { 0.0 };
    let settled = step(solution.memory(model.start())) + 3.0;
    let soon = if settled <= 3.0 * enough { settled } else { 0.0 };
    enough.max(soon).clamp(FEWEST, MOST) as usize
}

fn step(step: &Step) -> f64 {
    step.to_f64()
}
