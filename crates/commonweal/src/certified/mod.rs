//! The certified engine: large models, in doubles, with proven bounds.
//!
//! For any vectors V_i, a strategy that is followed from step j on earns `Φ_j + E Σ_{t≥j} D_t`, where
//! `Φ_j = Σ_i λ_i^j V_i` and `D_t = Σ_i λ_i^t Δ_i` (telescoping). So V may be anything: if it is near the long-term
//! values the interval is narrow, if not it is wide, and it is never false. Hence two halves of very different kind:
//!
//! ```text
//! long_term, evaluate      V and a strategy, as near and as fast as possible; nothing of it is trusted
//! advantage, tail, layers  what follows from them, with every rounding counted (rounded_model says how)
//! ```
//!
//! The truth that is enclosed is that of the model as written: the rounding of its numbers to doubles is counted too.

mod advantage;
mod evaluate;
mod gains;
mod layers;
mod long_term;
mod rounded_model;
mod sweep;
mod tail;

use self::advantage::Advantages;
use self::gains::{Gains, gains};
use self::layers::{Layers, Switch, walk};
use self::long_term::LongTerm;
use self::rounded_model::RoundedModel;
use self::sweep::{PolicyRows, WIDEST, specialised};
use crate::evaluation::Payoffs;
use crate::model::{ChoiceId, Lists, Model, PrincipalId};
use crate::number::{Enclosure, Rational, UpperBound, Values};
use crate::principals;
use crate::solve::{Engine, Outcome, Solution, SolveOptions, Timings};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Change, CountingStrategy, Step};
use crate::unravelling::backward_induction::Walk;
use rayon::prelude::*;
use std::time::Instant;

/// A strategy whose welfare is within `gap` of the best, and the proof: an interval for every start state that no wider
/// than `gap` times the scale of the welfare, max_s Σ_i |V_i(s)|. Wider if `options` stop it on the way, or doubles
/// cannot tell.
pub fn solve(model: &Model<f64>, gap: f64, options: &SolveOptions) -> Solution {
    rayon::scope(|_| solve_in_pool(model, gap, options))
}

fn solve_in_pool(model: &Model<f64>, gap: f64, options: &SolveOptions) -> Solution {
    let began = Instant::now();
    let rounded = RoundedModel::new(model, principals::groups(model.principals()));
    let long_term = long_term::solve(&rounded, gap, &options.stop);
    let long_term_took = began.elapsed();
    let mut solution = prove(&rounded, long_term, gap, options);
    solution.timings = Timings { long_term: long_term_took, unravel: began.elapsed() - long_term_took };
    solution
}

/// The part of the gap that may be at stake in the tail.
const TAIL_SHARE: f64 = 0.25;

/// What follows from a strategy and values, whatever they are.
fn prove(model: &RoundedModel, mut long_term: LongTerm, gap: f64, options: &SolveOptions) -> Solution {
    long_term.make_finite();
    let long_term = &long_term;
    let advantages = &Advantages::over(model, long_term);
    let allowed_gap = gap * scale(long_term);
    let rows = PolicyRows::of(&model.arrays, &long_term.strategy);
    let walk = |horizon: u64, stop: &StopSignal| {
        walk(model, advantages, &long_term.strategy, &rows, horizon, stop).map(|layers| (horizon, layers))
    };
    let horizon = tail::horizon(model, advantages, TAIL_SHARE * allowed_gap);
    let walked = match options.stop.reason() {
        None if horizon <= options.layer_limit => walk(horizon, &options.stop),
        None => Err(StopReason::LayerLimit),
        Some(reason) => Err(reason),
    };
    let (stopped, (horizon, layers)) = match walked {
        Ok(walked) => (None, walked),
        // Whoever asked to stop gets the bounds of a tail that begins at once.
        Err(reason) => (Some(reason), walk(0, &StopSignal::default()).expect("no layer, no stop")),
    };
    let width = (layers.stake.above + layers.stake.below).get();
    let outcome = match stopped {
        Some(reason) => Outcome::Stopped(reason),
        None if width <= allowed_gap => Outcome::Within,
        None => Outcome::Stopped(options.stop.reason().unwrap_or(StopReason::Precision)),
    };
    let long_term_choices = long_term_choices(model, long_term, advantages);
    let welfare = (0..model.n_states()).into_par_iter().map(|state| welfare(model, long_term, &layers, state)).collect();
    let (payoffs, long_term_payoffs) = payoffs(model, long_term, advantages, &layers, gap, &options.stop);
    Solution {
        engine: Engine::Certified,
        outcome,
        principals: model.principals.clone(),
        horizon: Step::from(horizon),
        memory: memory(model, &long_term.strategy, &long_term_choices, &layers.switches),
        strategy: counting_strategy(&long_term.strategy, &layers.switches),
        long_term_choices,
        payoffs: Payoffs::new(model.model, payoffs),
        long_term_payoffs: Payoffs::new(model.model, long_term_payoffs),
        welfare: Some(welfare),
        walk: Walk::default(),
        timings: Timings::default(),
    }
}

impl LongTerm {
    /// Values may be anything but not a number: 0 in place of what an evaluation that ran astray left.
    fn make_finite(&mut self) {
        let mend = |x: &mut f64| {
            if !x.is_finite() {
                *x = 0.0;
            }
        };
        self.values.par_iter_mut().for_each(mend);
        self.constants.iter_mut().for_each(mend);
    }

    /// V_i(s).
    fn value(&self, state: usize, i: usize) -> Enclosure {
        let n = self.constants.len();
        point(self.values[state * n + i]).plus(point(self.constants[i]))
    }
}

fn point(x: f64) -> Enclosure {
    Enclosure::new(x, x)
}

/// max_s Σ_i |V_i(s)|: what the gap is relative to.
fn scale(long_term: &LongTerm) -> f64 {
    let constants = &long_term.constants;
    let of_state = |values: &[f64]| values.iter().zip(constants).map(|(v, c)| (v + c).abs()).sum::<f64>();
    long_term.values.par_chunks(constants.len()).map(of_state).reduce(|| 0.0, f64::max)
}

/// The welfare: V added up, the gain, and what is at stake.
fn welfare(model: &RoundedModel, long_term: &LongTerm, layers: &Layers, state: usize) -> Enclosure {
    let values = (0..model.n()).map(|i| long_term.value(state, i));
    values
        .fold(point(layers.gain[state]), Enclosure::plus)
        .plus(Enclosure::new(-layers.stake.below.get(), layers.stake.above.get()))
}

/// The strategy's choice in each state, and those that are as good for everybody.
fn long_term_choices(model: &RoundedModel, long_term: &LongTerm, advantages: &Advantages) -> Lists<ChoiceId> {
    let as_good = |state: usize, choice: u32| {
        let followed = long_term.strategy[state];
        (0..model.n()).all(|i| advantages.get(state, choice, followed, i).abs() <= long_term.near[i])
    };
    let first = model.arrays.first_choice;
    let of_state = |state: usize| {
        let choices = (first[state]..first[state + 1]).filter(move |&choice| as_good(state, choice));
        choices.map(|choice| ChoiceId::from(choice as usize))
    };
    (0..model.n_states()).map(of_state).collect()
}

/// What each principal of the file gets, and what the strategy that is followed in the end would bring it.
fn payoffs(
    model: &RoundedModel,
    long_term: &LongTerm,
    advantages: &Advantages,
    layers: &Layers,
    gap: f64,
    stop: &StopSignal,
) -> (Vec<Values>, Vec<Values>) {
    let tolerance = gap * scale(long_term) / (2 * model.n()) as f64;
    let strategy = &long_term.strategy;
    let mut of_group = gains_of(model, advantages, strategy, &layers.switches, 1..model.n(), tolerance, stop);
    // The first one's gain is what the others leave of the gain of all.
    let mut first = Vec::with_capacity(model.n_states());
    let off = Enclosure::new(-layers.stake.below.get(), layers.stake.below.get());
    for state in 0..model.n_states() {
        let others = of_group.iter().map(|gains| -gains[state]);
        first.push(others.fold(point(layers.gain[state]).plus(off), Enclosure::plus));
    }
    of_group.insert(0, first);
    let merged: Vec<PrincipalId> =
        model.principals.iter().filter(|group| group.members.len() > 1).flat_map(|group| group.members.clone()).collect();
    let mut of_member = member_payoffs(model, long_term, layers, &merged, tolerance, gap, stop).into_iter();
    let mut all: Vec<Option<(Values, Values)>> = vec![None; model.model.n_principals()];
    for &member in &merged {
        all[member.index()] = of_member.next();
    }
    for (i, group) in model.principals.iter().enumerate().filter(|(_, group)| group.members.len() == 1) {
        let member = group.members[0];
        let unweighted = Enclosure::from(&(Rational::ONE / &model.model.principals()[member.index()].weight));
        let followed = UpperBound::of(advantages.followed[i].get()) * model.lifetime_bound(i);
        let off = Enclosure::new(-followed.get(), followed.get());
        let value = |state: usize| long_term.value(state, i);
        let payoff = |state: usize| value(state).plus(of_group[i][state]).times(unweighted);
        let long_term = |state: usize| value(state).plus(off).times(unweighted);
        let states = 0..model.n_states();
        all[member.index()] = Some((
            Values::Enclosed(states.clone().into_par_iter().map(payoff).collect()),
            Values::Enclosed(states.into_par_iter().map(long_term).collect()),
        ));
    }
    all.into_iter().map(|values| values.expect("a principal is alone in its group or one of its members")).unzip()
}

/// Payoffs of principals who share their discount with others, each by its own values.
fn member_payoffs(
    model: &RoundedModel,
    long_term: &LongTerm,
    layers: &Layers,
    members: &[PrincipalId],
    tolerance: f64,
    gap: f64,
    stop: &StopSignal,
) -> Vec<(Values, Values)> {
    if members.is_empty() {
        return Vec::new();
    }
    let alone = RoundedModel::unweighted(model.model, members);
    let own = long_term::values_of_strategy(&alone, &long_term.strategy, gap, stop);
    let advantages = Advantages::over(&alone, &own);
    let gains = gains_of(&alone, &advantages, &own.strategy, &layers.switches, 0..members.len(), tolerance, stop);
    let payoff = |(i, gains): (usize, Vec<Enclosure>)| {
        let followed = advantages.followed[i] * alone.lifetime_bound(i);
        let off = Enclosure::new(-followed.get(), followed.get());
        let long_term = (0..alone.n_states()).map(|state| own.value(state, i).plus(off)).collect();
        let payoff = gains.iter().enumerate().map(|(state, &gain)| own.value(state, i).plus(gain)).collect();
        (Values::Enclosed(payoff), Values::Enclosed(long_term))
    };
    gains.into_iter().enumerate().map(payoff).collect()
}

/// What some principals gain by the decisions, per principal and state.
fn gains_of(
    model: &RoundedModel,
    advantages: &Advantages,
    strategy: &[u32],
    switches: &[Vec<Switch>],
    principals: std::ops::Range<usize>,
    tolerance: f64,
    stop: &StopSignal,
) -> Vec<Vec<Enclosure>> {
    let mut all = Vec::new();
    for begin in principals.clone().step_by(WIDEST) {
        let width = (principals.end - begin).min(WIDEST);
        specialised!(width, |WIDTH| {
            let Gains { gains, errors } =
                gains::<WIDTH>(model, advantages, strategy, switches, begin, tolerance, stop);
            for i in 0..WIDTH {
                let off = Enclosure::new(-errors[i].get(), errors[i].get());
                all.push(gains.par_iter().map(|gains| point(gains[i]).plus(off)).collect());
            }
        });
    }
    all
}

/// The decisions as a strategy: what the layers switch to before the tail, and the tail.
fn counting_strategy(tail: &[u32], switches: &[Vec<Switch>]) -> CountingStrategy {
    // A layer's switch says what holds from its step until the step of the switch found before it.
    let mut changes: Vec<Vec<(u64, u32)>> = vec![Vec::new(); tail.len()];
    let horizon = switches.len() as u64;
    for (layer, switches) in switches.iter().enumerate() {
        let step = horizon - 1 - layer as u64;
        for switch in switches {
            changes[switch.state as usize].push((step, switch.choice));
        }
    }
    let of_state = |(changes, &tail): (Vec<(u64, u32)>, &u32)| {
        // (last step, choice), from the tail back to the present; the choice before a switch begins one step after it.
        let mut list = Vec::with_capacity(changes.len() + 1);
        let mut current = tail;
        for (step, choice) in changes {
            list.push(Change { from: Step::from(step + 1), choice: ChoiceId::from(current as usize) });
            current = choice;
        }
        list.push(Change { from: Step::ZERO, choice: ChoiceId::from(current as usize) });
        list.reverse();
        list
    };
    CountingStrategy::from_valid_changes(changes.into_iter().zip(tail).map(of_state))
}

/// Per start state, the first step from which no decision on all that is reachable leaves the long-term choices.
fn memory(
    model: &RoundedModel,
    tail: &[u32],
    long_term_choices: &Lists<ChoiceId>,
    switches: &[Vec<Switch>],
) -> Vec<Step> {
    let rows = &model.arrays;
    let horizon = switches.len();
    let mut decisions = tail.to_vec();
    let mut memory = vec![0u64; tail.len()];
    let mut any = false;
    for (layer, switches) in switches.iter().enumerate() {
        switches.iter().for_each(|switch| decisions[switch.state as usize] = switch.choice);
        let step = (horizon - 1 - layer) as u64;
        let deviates = |state: usize| {
            let choice = decisions[state];
            choice != tail[state] && !long_term_choices.get(state).iter().any(|c| c.index() == choice as usize)
        };
        any = any || switches.iter().any(|switch| deviates(switch.state as usize));
        if any {
            let of_state = |state: usize| {
                let choice = decisions[state] as usize;
                let row = rows.first_transition[choice] as usize..rows.first_transition[choice + 1] as usize;
                let later = rows.target[row].iter().map(|target| memory[target.index()]).max().expect("a successor");
                if deviates(state) { later.max(step + 1) } else { later }
            };
            memory = (0..tail.len()).into_par_iter().map(of_state).collect();
        }
    }
    memory.into_iter().map(Step::from).collect()
}
