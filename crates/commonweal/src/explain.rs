//! The steps of a solution, as the paper's worked examples give them. [W1–W4]
//!
//! Computed anew and in plain fractions: this is for models small enough to read, not for speed.

mod segments;
mod turns;

pub use segments::{EarlierDeviation, EarlierSegment};
pub use turns::ChangeOfChoice;

use crate::answer::Answer;
use crate::exact::Advantages;
use crate::exact::horizon::first_passing_step;
use crate::exact::long_term::{self, LongTerm};
use crate::exponential_sum::DiscountRatios;
use crate::model::{ChoiceId, IntegerRows, Mdp, Principal, PrincipalId, StateId};
use crate::number::{Enclosure, Natural, Rational, Value, WideEnclosure};
use crate::principals::{self, OrderedModel};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{Meetings, Step};
use std::cmp::Ordering;
use std::ops::Range;

/// The steps by which the strategy is found.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// Whom each column is about, in decreasing patience: a principal with all its discounts. If the work for single ones is used up, or the
    /// strategy ends in a choice that is not a long-term one, those that share a discount stand together, their names joined by `+`.
    pub names: Vec<String>,
    /// Whom the long-term strategy serves, the most patient first: those that share a discount together, their names joined by `+`.
    pub served: Vec<String>,
    /// The number of distinct discounts.
    pub n_discounts: usize,
    /// Whether a principal has several of them.
    pub has_several: bool,
    /// The states that can be reached from the start, in order of the first step at which they can.
    pub reached: Vec<StateId>,
    /// Per state the choices that the long-term strategy allows, by fractions.
    pub long_term: Vec<Vec<ChoiceId>>,
    /// The step as of which values and advantages are told: 0, or the first one of the last segment of time preferences.
    pub at_step: u64,
    /// Per state and column what the long-term strategy is worth in a run that is there at step `at_step`, weights included, seen from
    /// step 0.
    pub values: Vec<Vec<Value>>,
    /// Every choice outside the long-term strategy, in states that can be reached.
    pub deviations: Vec<Deviation>,
    /// The layers just before the horizon, the last one first; at most as many as were asked for. Only what may be met. None
    /// of time preferences in segments: gains over different values do not add up. Gains are those of the mixtures, where preferences are
    /// approximated.
    pub layers: Vec<Layer>,
    /// Every change of choice at a state and step that may be met, the latest first.
    pub turns: Vec<ChangeOfChoice>,
    /// Whose interests the changes tell: the principals of the file, or those of `names` where each has a discount of its own.
    pub judges: Vec<String>,
    /// What holds before the last segment, the latest first; nothing if there is one segment only.
    pub earlier: Vec<EarlierSegment>,
}

/// A choice that the long-term strategy does not take.
#[derive(Debug, Clone)]
pub struct Deviation {
    /// Where.
    pub state: StateId,
    /// What.
    pub choice: ChoiceId,
    /// Per column what one use at step `at_step` changes, seen from step 0: Δ_i, summed over the discounts that the column has.
    pub advantages: Vec<Value>,
    /// The steps of the last segment at which it pays by itself, D_j > 0: the first, and the one after the last. Where preferences are
    /// approximated by mixtures, these are the steps at which it pays for the mixtures.
    pub pays: Option<(Step, Step)>,
    /// Whether it is known if and when it pays: not if the work for the explanation was used up, or if too few steps were looked at.
    pub pays_is_known: bool,
    /// Whether it is known to pay at every step between these.
    pub pays_throughout: bool,
    /// The first step of the last segment at which the prefix test passes: from there on it never pays again. `None` if the work for the
    /// explanation was used up before.
    pub settled_from: Option<Step>,
}

/// What is done and gained at one step.
#[derive(Debug, Clone)]
pub struct Layer {
    /// The step.
    pub step: u64,
    /// The states that gain.
    pub gains: Vec<Gain>,
}

/// What a state gains over the long-term strategy from one step on.
#[derive(Debug, Clone)]
pub struct Gain {
    /// Where.
    pub state: StateId,
    /// The choice taken.
    pub choice: ChoiceId,
    /// D_j: what the choice gains by itself; enclosed where fractions would be too long.
    pub now: Value,
    /// E_j: what is gained from this step on.
    pub total: Value,
}

/// The work that an explanation may take, in about nanoseconds: fractions may be long where the answer itself is in doubles.
const MOST_WORK: u64 = 10_000_000_000;
/// What one look at the sign of a sum takes for each of its terms.
const LOOK: u64 = 300;

/// Explains `solution`, which may be in doubles: its strategy is taken as it is. The work is limited, so that what is not affordable
/// is left open; an error if that is already so of the long-term values. With at most `n_layers` layers before the horizon, and with the principals who prefer the new choice for
/// the latest `n_turns` changes.
pub fn explain(
    model: &Mdp,
    solution: &Answer,
    n_layers: u64,
    n_turns: usize,
    stop: &StopSignal,
) -> Result<Explanation, StopReason> {
    let stop = &stop.with_budget(MOST_WORK, MOST_WORK);
    let mut segments = principals::segments(model.principals());
    // In the paper's terms, what holds from the last segment on; then what holds before it.
    let last = segments.pop().expect("at least one segment");
    let ordered = principals::order_by(model, last.parts.clone(), stop)?;
    let rows = IntegerRows::of(model);
    let long_term = long_term::solve(&ordered, &rows, stop)?;
    // About what the values of any strategy take.
    let values_work = stop.spent();
    let advantages =
        Advantages::over(&ordered, &rows, &long_term.values[..], |choice| long_term.allowed[choice.index()]);
    let ratios = DiscountRatios::of(&ordered);
    let columns = columns(&ordered);
    let served: Vec<String> = columns.iter().map(|own| own.name.clone()).collect();
    let has_several = columns.iter().any(|own| own.parts.len() > 1);
    let is_shared = columns.iter().any(|own| own.owners.len() > 1);
    // What a part counts for at the first step of the segment; its values count from the origin.
    let fade = Fade::over(&ordered, last.first());
    let value = |s: StateId, i: usize| long_term.values[i].get(s.index());
    let values =
        model.states().map(|s| columns.iter().map(|own| own.payoff(&fade, |i| value(s, i))).collect()).collect();
    let reached = reached(model);
    let meetings = Meetings::of(model, solution.strategy(), model.start());
    let mut deviations = Vec::new();
    for &state in &reached {
        for choice in model.choices(state).filter(|choice| !long_term.allowed[choice.index()]) {
            let exact = exact_advantages(&ordered, &advantages, state, choice);
            let first = Step::from(last.first());
            let looks = Looks { advantages: &advantages, ratios: &ratios, first: &first, state, choice, stop };
            let (settled, paying) = match looks.settled_and_paying() {
                Ok((settled, paying)) => (Some(settled), paying),
                Err(StopReason::Work) => (None, Paying::Unknown),
                Err(reason) => return Err(reason),
            };
            let (pays_is_known, steps) = match paying {
                Paying::Unknown => (false, None),
                Paying::Never => (true, None),
                Paying::Steps(first, end) => (true, Some((first, end))),
            };
            let throughout = |steps: &(Step, Step)| pays_throughout(&exact, steps, |step| looks.pays(step));
            deviations.push(Deviation {
                state,
                choice,
                pays_is_known,
                pays_throughout: steps.as_ref().is_some_and(throughout),
                advantages: columns.iter().map(|own| own.difference(&fade, |i| exact[i].clone())).collect(),
                pays: steps.map(|(first, end)| (first + last.origin, end + last.origin)),
                settled_from: settled.map(|settled| settled + last.origin),
            });
        }
    }
    let allowed = |choice: &ChoiceId| long_term.allowed[choice.index()];
    // The strategy of an answer in doubles may end in another one that is nearly as good. Gains over the long-term one would then go on
    // for ever.
    let settles = model.states().all(|state| allowed(&solution.strategy().tail(state)));
    let mut names: Vec<String> = served.clone();
    let mut values: Vec<Vec<Value>> = values;
    if is_shared && settles {
        let owners: Vec<PrincipalId> = columns.iter().flat_map(|own| own.owners.iter().copied()).collect();
        if let Some(own) = segments::SingleValues::of(model, solution, [last.from, values_work], stop)? {
            names = owners.iter().map(|p| model.principals()[p.index()].name.clone()).collect();
            values = model.states().map(|state| owners.iter().map(|&p| own.value(p, state)).collect()).collect();
            for deviation in &mut deviations {
                let change = |&p: &PrincipalId| own.change(p, deviation.state, deviation.choice);
                deviation.advantages = owners.iter().map(change).collect();
            }
        }
    }
    let in_the_end: Vec<Vec<ChoiceId>> = model.states().map(|s| model.choices(s).filter(allowed).collect()).collect();
    if !segments.is_empty() {
        let earlier = segments::earlier(model, solution, &segments, [last.from, values_work], &reached, stop)?;
        let turns = segments::turns(model, solution, &meetings, [n_turns as u64, values_work], stop)?;
        let layers = Vec::new();
        return Ok(Explanation {
            at_step: last.from,
            n_discounts: ordered.n(),
            has_several,
            judges: all(model),
            names,
            served,
            reached,
            long_term: in_the_end,
            values,
            deviations,
            layers,
            turns,
            earlier,
        });
    }
    let n_layers = if settles { n_layers } else { 0 };
    let n_turns = if settles { n_turns } else { 0 };
    let (limited, stop) = (stop, &stop.without_budget());
    let mut layers = layers(&ordered, &long_term, &advantages, solution, n_layers, stop)?;
    for layer in &mut layers {
        let step = Step::from(layer.step);
        layer.gains.retain(|gain| meetings.may_be_at(solution.strategy(), gain.state, &step));
    }
    // Whoever does not count in the welfare gains and loses too.
    let is_left_out = model.principals().iter().any(|principal| principal.weight.is_zero());
    let (judges, turns) = if is_shared || is_left_out {
        (all(model), segments::turns(model, solution, &meetings, [n_turns as u64, values_work], limited)?)
    } else {
        (served.clone(), turns::turns(&ordered, &columns, &advantages, solution, &meetings, n_turns, stop)?)
    };
    let (at_step, n_discounts, earlier) = (last.from, ordered.n(), Vec::new());
    let long_term = in_the_end;
    Ok(Explanation {
        judges,
        names,
        served,
        n_discounts,
        has_several,
        reached,
        long_term,
        at_step,
        values,
        deviations,
        layers,
        turns,
        earlier,
    })
}

/// The names of all principals of the file.
fn all(model: &Mdp) -> Vec<String> {
    model.principals().iter().map(|principal| principal.name.clone()).collect()
}

/// The parts of a principal, or of several that share one.
struct Column {
    name: String,
    owners: Vec<PrincipalId>,
    parts: Vec<usize>,
    /// How far the approximation of preferences may put a payoff off, weights included.
    margin: f64,
}

impl Column {
    /// A payoff: the sum over its parts, with what the approximation may put it off by.
    fn payoff(&self, fade: &Fade, of: impl Fn(usize) -> Rational) -> Value {
        self.within(self.margin, self.sum(fade, of))
    }

    /// A difference of two payoffs.
    fn difference(&self, fade: &Fade, of: impl Fn(usize) -> Rational) -> Value {
        self.within(2.0 * self.margin, self.sum(fade, of))
    }

    fn within(&self, margin: f64, sum: Value) -> Value {
        if margin == 0.0 { sum } else { Value::from(sum.enclosure.widened(margin)) }
    }

    /// The sum over its parts; enclosed where there are many, because sums of many different fractions are long.
    fn sum(&self, fade: &Fade, of: impl Fn(usize) -> Rational) -> Value {
        const FEW: usize = 12;
        if self.parts.len() <= FEW
            && let Some(exact) = &fade.exact
        {
            let own = self.parts.iter().map(|&i| of(i) * &exact[i]);
            return Value::from(own.fold(Rational::ZERO, |sum, part| sum + part));
        }
        let own = self.parts.iter().map(|&i| WideEnclosure::of(&of(i), BITS).times(&fade.enclosed[i]));
        Value::from(own.fold(WideEnclosure::zero(BITS), |sum, part| sum.plus(&part)).to_scaled().to_doubles())
    }
}

/// λ_i^t for one step t: in fractions, unless these are long.
struct Fade {
    exact: Option<Vec<Rational>>,
    enclosed: Vec<WideEnclosure>,
}

impl Fade {
    fn over(model: &OrderedModel, step: u64) -> Fade {
        let discounts = || (0..model.n()).map(|i| model.discount(i));
        let bits: u64 = discounts().map(|discount| discount.denominator_bits() as u64).sum();
        let is_short = bits.saturating_mul(step) <= MOST_BITS;
        Fade {
            exact: is_short.then(|| discounts().map(|discount| Amount::power(discount, step)).collect()),
            enclosed: discounts().map(|discount| <WideEnclosure as Amount>::power(discount, step)).collect(),
        }
    }
}

/// The columns, in decreasing patience.
fn columns(model: &OrderedModel) -> Vec<Column> {
    let mut columns: Vec<(Vec<PrincipalId>, Vec<usize>)> = Vec::new();
    // Where all preferences have ended, one part without an owner is left.
    for (i, part) in model.parts().iter().enumerate().filter(|(_, part)| !part.terms.is_empty()) {
        let mut owners: Vec<PrincipalId> = part.terms.iter().map(|(p, _)| *p).collect();
        let mut parts = Vec::new();
        let mut place = columns.len();
        // All columns that share an owner become one, in the place of the first.
        while let Some(at) = columns.iter().position(|(others, _)| others.iter().any(|p| owners.contains(p))) {
            let (others, more) = columns.remove(at);
            owners.extend(others);
            parts.extend(more);
            place = place.min(at);
        }
        owners.sort_unstable();
        owners.dedup();
        parts.push(i);
        parts.sort_unstable();
        columns.insert(place.min(columns.len()), (owners, parts));
    }
    let name = |p: &PrincipalId| model.mdp().principals()[p.index()].name.as_str();
    let weighted = |(margin, principal): (f64, &Principal)| {
        Enclosure::new(margin, margin).times(Enclosure::from(&principal.weight.clone().abs()))
    };
    let margins: Option<Vec<Enclosure>> =
        model.mdp().margins().map(|own| own.into_iter().zip(model.mdp().principals()).map(weighted).collect());
    let named = |(owners, parts): (Vec<PrincipalId>, Vec<usize>)| {
        let names: Vec<&str> = owners.iter().map(name).collect();
        let margin = |p: &PrincipalId| margins.as_ref().map_or(Enclosure::ZERO, |margins| margins[p.index()]);
        let margin = owners.iter().map(margin).fold(Enclosure::ZERO, Enclosure::plus).upper();
        Column { name: names.join("+"), parts, margin, owners }
    };
    columns.into_iter().map(named).collect()
}

/// The states that can be reached from the start, in the order in which they can; at the same step in the model's order.
fn reached(model: &Mdp) -> Vec<StateId> {
    let mut seen = vec![false; model.n_states()];
    seen[model.start().index()] = true;
    let (mut reached, mut here) = (Vec::new(), vec![model.start()]);
    while !here.is_empty() {
        let mut next = Vec::new();
        for &target in here.iter().flat_map(|&state| model.choices(state)).flat_map(|choice| model.targets(choice)) {
            if !std::mem::replace(&mut seen[target.index()], true) {
                next.push(target);
            }
        }
        next.sort_unstable();
        reached.append(&mut here);
        here = next;
    }
    reached
}

fn exact_advantages(model: &OrderedModel, advantages: &Advantages, state: StateId, choice: ChoiceId) -> Vec<Rational> {
    (0..model.n()).map(|i| advantages.exact(state, choice, i)).collect()
}

/// One deviation, looked at step by step.
struct Looks<'a> {
    advantages: &'a Advantages<'a>,
    ratios: &'a DiscountRatios,
    /// The first step of the segment, as steps are counted in it.
    first: &'a Step,
    state: StateId,
    choice: ChoiceId,
    stop: &'a StopSignal,
}

impl Looks<'_> {
    /// Whether D_j > 0.
    fn pays(&self, step: &Step) -> bool {
        let terms = 0..self.advantages.of(self.choice).len();
        self.stop.spend(LOOK * terms.len() as u64);
        let weights = self.ratios.weights(step);
        self.advantages.sum(self.ratios, &weights, self.state, self.choice, terms).sign() == Some(Ordering::Greater)
    }

    /// From which step on it never pays, and the steps at which it does.
    fn settled_and_paying(&self) -> Result<(Step, Paying), StopReason> {
        self.stop.check()?;
        let settled = first_passing_step(self.advantages, self.ratios, self.state, self.choice, self.stop)?;
        let settled = settled.max(self.first.clone());
        let paying = self.paying_steps(&settled)?;
        Ok((settled, paying))
    }

    /// The first step with D_j > 0, and the step after the last one, as far as a few thousand steps at either end show.
    fn paying_steps(&self, settled_from: &Step) -> Result<Paying, StopReason> {
        const LOOKED_AT: u64 = 2_000;
        let mut end = settled_from.clone();
        let mut n_looks = 0;
        while end > *self.first && !self.pays(&(&end - 1)) {
            self.stop.check()?;
            if n_looks == LOOKED_AT {
                return Ok(Paying::Unknown);
            }
            (n_looks, end) = (n_looks + 1, &end - 1);
        }
        if end == *self.first {
            return Ok(Paying::Never);
        }
        for step in (0..LOOKED_AT).map(|k| self.first + k).take_while(|step| *step < end) {
            self.stop.check()?;
            if self.pays(&step) {
                return Ok(Paying::Steps(step, end));
            }
        }
        // One zero lies after the last step that pays. If there is one more at most, all steps that pay are neighbours.
        if sign_changes(self.advantages.of(self.choice).iter().map(|own| own.sign())) > 2 {
            return Ok(Paying::Unknown);
        }
        let (mut not_yet, mut pays) = (self.first.clone(), &end - 1);
        while &not_yet + 1 < pays {
            self.stop.check()?;
            let middle = &not_yet + (&pays - &not_yet).half();
            if self.pays(&middle) { pays = middle } else { not_yet = middle }
        }
        Ok(Paying::Steps(pays, end))
    }
}

/// The changes of sign in a sequence, zeros left out; an unknown sign counts as two.
fn sign_changes(signs: impl Iterator<Item = Option<Ordering>>) -> usize {
    let (mut n, mut last) = (0, None);
    for sign in signs.filter(|sign| *sign != Some(Ordering::Equal)) {
        n += match (sign, last) {
            (None, _) => 2,
            (Some(own), Some(before)) if own != before => 1,
            _ => 0,
        };
        last = sign.or(last);
    }
    n
}

/// The steps at which a deviation pays by itself.
enum Paying {
    /// It takes more looks than are made.
    Unknown,
    Never,
    /// The first, and the one after the last.
    Steps(Step, Step),
}

/// Whether D_j = Σ_i Δ_i λ_i^j, which is positive at both ends of these steps, is known to be so in between. By Descartes' rule it has
/// at most as many zeros as the sequence of the Δ_i has changes of sign. A gap takes two, and that it is negative in the end a third.
fn pays_throughout(advantages: &[Rational], (first, end): &(Step, Step), pays: impl Fn(&Step) -> bool) -> bool {
    const LOOKED_AT: u64 = 2_000;
    let signs: Vec<Ordering> =
        advantages.iter().map(|own| own.cmp(&Rational::ZERO)).filter(|own| own.is_ne()).collect();
    let zeros = sign_changes(signs.iter().copied().map(Some));
    let needed = if signs.first() == Some(&Ordering::Less) { 3 } else { 2 };
    let few = |count: &u64| *count <= LOOKED_AT;
    zeros < needed
        || u64::try_from(&(end - first)).ok().filter(few).is_some_and(|count| (0..count).all(|k| pays(&(first + k))))
}

/// A number of a layer.
trait Amount: Clone {
    fn of(exact: &Rational) -> Self;
    /// λ^j.
    fn power(discount: &Rational, step: u64) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn value(&self) -> Value;
}

impl Amount for Rational {
    fn of(exact: &Rational) -> Rational {
        exact.clone()
    }
    fn power(discount: &Rational, step: u64) -> Rational {
        discount.pow(step as isize)
    }
    fn plus(&self, other: &Rational) -> Rational {
        self + other
    }
    fn times(&self, other: &Rational) -> Rational {
        self * other
    }
    fn value(&self) -> Value {
        Value::from(self.clone())
    }
}

/// The bits of enclosures: some 75 digits.
const BITS: usize = 256;
/// The bits of all powers of discounts together, about 10,000 digits: longer fractions are not printed, and their sums spend their
/// time in greatest common divisors.
const MOST_BITS: u64 = 1 << 15;

impl Amount for WideEnclosure {
    fn of(exact: &Rational) -> WideEnclosure {
        WideEnclosure::of(exact, BITS)
    }
    fn power(discount: &Rational, step: u64) -> WideEnclosure {
        WideEnclosure::of(discount, BITS).power(&Natural::from(step))
    }
    fn plus(&self, other: &WideEnclosure) -> WideEnclosure {
        self.plus(other)
    }
    fn times(&self, other: &WideEnclosure) -> WideEnclosure {
        self.times(other)
    }
    fn value(&self) -> Value {
        Value::from(self.to_scaled().to_doubles())
    }
}

/// The layers before the horizon, in fractions if those are short.
fn layers(
    model: &OrderedModel,
    long_term: &LongTerm,
    advantages: &Advantages,
    solution: &Answer,
    n_layers: u64,
    stop: &StopSignal,
) -> Result<Vec<Layer>, StopReason> {
    // Powers of the discounts are exact fractions here, so only near horizons are feasible.
    const FARTHEST: u64 = 10_000;
    let Some(horizon) = u64::try_from(solution.horizon()).ok().filter(|&horizon| horizon <= FARTHEST) else {
        return Ok(Vec::new());
    };
    let bits: u64 = (0..model.n()).map(|i| model.discount(i).denominator_bits() as u64).sum();
    let steps = horizon.saturating_sub(n_layers)..horizon;
    let layers = Layers { model, long_term, advantages, solution, steps, stop };
    if bits * horizon <= MOST_BITS { layers.by::<Rational>() } else { layers.by::<WideEnclosure>() }
}

struct Layers<'a> {
    model: &'a OrderedModel<'a>,
    long_term: &'a LongTerm,
    advantages: &'a Advantages<'a>,
    solution: &'a Answer,
    steps: Range<u64>,
    stop: &'a StopSignal,
}

impl Layers<'_> {
    fn by<A: Amount>(self) -> Result<Vec<Layer>, StopReason> {
        let Layers { model, long_term, advantages, solution, steps, stop } = self;
        // Nothing where the gain is 0.
        let mut gain: Vec<Option<A>> = vec![None; model.n_states()];
        let mut layers = Vec::new();
        for step in steps.rev() {
            stop.check()?;
            let weights: Vec<A> = (0..model.n()).map(|i| A::power(model.discount(i), step)).collect();
            let mut gains = Vec::new();
            let mut next = Vec::with_capacity(gain.len());
            for state in model.states() {
                let choice = solution.strategy().choice(state, &Step::from(step));
                let now = if long_term.allowed[choice.index()] {
                    None
                } else {
                    let advantages = exact_advantages(model, advantages, state, choice);
                    let terms = advantages.iter().zip(&weights).map(|(own, weight)| A::of(own).times(weight));
                    terms.reduce(|sum, term| sum.plus(&term))
                };
                let later = model.transitions(choice).filter_map(|(target, probability)| {
                    gain[target.index()].as_ref().map(|gain| A::of(probability).times(gain))
                });
                let total = now.iter().cloned().chain(later).reduce(|sum, term| sum.plus(&term));
                if let Some(total) = &total {
                    let now = now.map_or_else(|| Value::from(Rational::ZERO), |now| now.value());
                    gains.push(Gain { state, choice, now, total: total.value() });
                }
                next.push(total);
            }
            gain = next;
            layers.push(Layer { step, gains });
        }
        Ok(layers)
    }
}
