//! The best strategy of each simpler class, compared with an answer: what simplicity costs each principal.

use crate::answer::{Answer, Claim, Method};
use crate::any_model::Model;
use crate::certified;
use crate::commitment::{Equilibrium, equilibrium, replanned};
use crate::evaluation::{EvaluateError, Payoffs, evaluate};
use crate::exact::{any_payoffs, own_best};
use crate::fair::{PayoffSet, Proven, Question, Rule, fair_in};
use crate::model::{Mdp, PrincipalId, Structure};
use crate::number::{Enclosure, LONGEST_BITS, Rational, Value, sum};
use crate::search::{self, Search, SearchOptions, SearchOutcome};
use crate::solve::{DEFAULT_GAP, Engine, Limits, Options};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::{CountingStrategy, Meetings, Stationary, Strategy};
use std::cell::OnceCell;
use std::time::Duration;

/// An answer and simpler strategies.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The answer first, then every class, whether it is known or not.
    pub strategies: Vec<Compared>,
    /// What is known of strategies that no later self would change.
    pub equilibrium: Equilibrium,
    /// Why some of them are known between bounds only, if a limit is the reason.
    pub stopped: Option<StopReason>,
}

impl Comparison {
    /// What each principal would get if the agent served nobody else, from the rows that are the best for one; `None` unless all are
    /// known exactly.
    pub fn own_bests(&self) -> Option<Vec<Value>> {
        let of = |p: usize| self.strategies.iter().find(|row| row.class == Class::BestFor(p.into()));
        let exact = |p: usize| Some(of(p)?.payoffs[p].clone()).filter(|payoff| payoff.exact.is_some());
        (0..self.strategies.first()?.payoffs.len()).map(exact).collect()
    }
}

/// One strategy of a comparison, from the model's start state.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The class of which it is the best.
    pub class: Class,
    /// What it earns.
    pub welfare: Value,
    /// An upper bound for its class, unless it is known to be the best of its class.
    pub upper: Option<f64>,
    /// What each principal of the file gets.
    pub payoffs: Vec<Value>,
    /// Why the search was stopped, if it was.
    pub stopped: Option<StopReason>,
    /// Whether the payoffs are those of a strategy that is known; otherwise they are bounds on those of the best of the class.
    pub is_known: bool,
}

/// A class of strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// All strategies: the answer itself.
    Counting,
    /// One mix of actions per state, for ever.
    Stationary,
    /// One action per state, for ever.
    Positional,
    /// The long-term strategy, from the beginning.
    LongTerm,
    /// The first decisions of the best plan, which is made anew at every step.
    Replanned,
    /// A strategy that no later self would change, if one was found.
    NoCommitment,
    /// The best strategy for this principal alone.
    BestFor(PrincipalId),
    /// All lotteries, judged by a rule other than the sum.
    Fair(FairRule),
}

/// A rule other than the sum that a comparison has a row for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FairRule {
    /// The least payoff.
    MaxMin,
    /// The least share of what each could get.
    KalaiSmorodinsky,
    /// The product of gains.
    Nash,
}

impl FairRule {
    const ALL: [FairRule; 3] = [FairRule::MaxMin, FairRule::KalaiSmorodinsky, FairRule::Nash];

    /// Its name, as `fair --rule` takes it.
    pub fn name(self) -> &'static str {
        self.rule().name()
    }

    fn rule(self) -> Rule {
        match self {
            FairRule::MaxMin => Rule::MaxMin,
            FairRule::KalaiSmorodinsky => Rule::KalaiSmorodinsky,
            FairRule::Nash => Rule::Nash,
        }
    }
}

/// The fairest lottery by each rule, from its usual reference point; none by a rule that has no answer, of a large model,
/// or where somebody has costs, of which the rules would give as much as possible. In fractions where
/// these are short, otherwise between bounds.
pub(crate) fn fairest(model: &Model, stop: &StopSignal) -> Vec<Compared> {
    // Questions, steps and digits, not seconds: the same input gives the same bytes.
    const MOST_STATES: usize = 1_000;
    const MOST_QUESTIONS: u64 = 200;
    const MOST_STEPS: u64 = 20_000;
    const MOST_BITS: usize = LONGEST_BITS;
    // Longer fractions help nobody who compares.
    const MOST_SHOWN: usize = 4_000;
    let shown = |value: Value| match &value.exact {
        Some(exact) if exact.bits() > MOST_SHOWN => Value::from(value.enclosure),
        _ => value,
    };
    // Where the rule is flat, payoffs are as far from the fairest as the root of the gap.
    const GAP: f64 = 1e-10;
    let somebody_pays = model.principals().iter().any(|principal| principal.is_cost());
    let is_small = model.n_principals() > 1 && model.n_states() <= MOST_STATES;
    if somebody_pays || !is_small {
        return Vec::new();
    }
    let limits = Limits { layers: MOST_STEPS, events: MOST_STEPS };
    let by = |engine: Engine, rule: FairRule| {
        let stop = stop.for_part().with_budget(WORK, WORK);
        let options = Options { engine, limits, stop, ..Options::default() };
        let set = PayoffSet::new(model, &options).with_most_calls(MOST_QUESTIONS).with_most_bits(MOST_BITS);
        fair_in(&set, &Question::new(rule.rule())).ok()
    };
    let row = |rule: FairRule| {
        let mut found = by(Engine::Exact, rule)?;
        if matches!(found.proven, Proven::Stopped(StopReason::Work | StopReason::Digits)) {
            found = by(Engine::Within(GAP), rule)?;
        }
        let stopped = if let Proven::Stopped(reason) = found.proven { Some(reason) } else { None };
        let weights = model.principals().iter().map(|principal| &principal.weight);
        let counted = weights.zip(&found.payoffs).filter(|(weight, _)| !weight.is_zero());
        let exact = counted.clone().map(|(weight, payoff)| Some(weight * payoff.exact.as_ref()?));
        let welfare = match exact.collect::<Option<Vec<Rational>>>() {
            Some(terms) => Value::from(sum(terms)),
            None => {
                let terms = counted.map(|(weight, payoff)| Enclosure::from(weight).times(payoff.enclosure));
                Value::from(terms.fold(Enclosure::ZERO, Enclosure::plus))
            }
        };
        // Its own bests are the first that a rule looks for.
        let is_known = stopped.is_none() || !found.own_best.is_empty();
        let (welfare, payoffs) = (shown(welfare), found.payoffs.into_iter().map(shown).collect());
        Some(Compared { class: Class::Fair(rule), welfare, upper: None, payoffs, stopped, is_known })
    };
    FairRule::ALL.into_iter().filter_map(row).collect()
}

/// The work of one search, or of one fair rule: about three seconds of one processor. Counted, not timed: the same input
/// gives the same bytes.
const WORK: u64 = 3_000_000_000;
/// A search of so few nodes is repeated with a smaller gap.
const EASY: u64 = 1_000;

/// The answer and the simpler strategies beside it, evaluated by the engine of the answer; a class that is too hard for a moment
/// with the bounds found. Where a strategy of one row is of the class of another, that row knows it: no bound is worse than what
/// another row says.
pub fn compare(model: &Model, answer: &Answer, stop: &StopSignal) -> Comparison {
    let exact = model.exact();
    let doubles = if answer.method() == Method::Exact { None } else { model.doubles().ok() };
    let (model, start) = (&*exact, model.start());
    let evaluator = Evaluator { model, doubles };
    let principals = || (0..model.n_principals()).map(PrincipalId::from);
    let options =
        |gap: Rational| SearchOptions { gap: Some(gap), work_limit: WORK, stop: stop.clone(), ..Default::default() };
    let stopped = if let Claim::Stopped(reason) = answer.claim() { Some(reason) } else { None };
    let mut counting = Compared {
        class: Class::Counting,
        welfare: answer.welfare(start),
        upper: stopped.map(|_| answer.welfare_enclosure(start).upper()),
        payoffs: principals().map(|p| answer.payoff(p, start)).collect(),
        stopped,
        is_known: true,
    };
    let long_term = Compared {
        class: Class::LongTerm,
        welfare: answer.long_term_welfare(start),
        upper: None,
        payoffs: principals().map(|p| answer.long_term_payoff(p, start)).collect(),
        stopped,
        is_known: true,
    };
    let unknown = Unknown { model, most: answer.welfare_enclosure(start).upper(), any: OnceCell::new() };
    // The cheapest come first: a search may use up the time limit.
    let served: Vec<Compared> = match model.n_principals() {
        1 => Vec::new(),
        _ => principals().map(|p| best_for(evaluator, p, stop, &unknown)).collect(),
    };
    let first_decisions = Strategy::Counting(replanned(model, answer));
    let payoffs = evaluated(evaluator, &first_decisions, stop);
    let replanned = known(model, Class::Replanned, payoffs, &unknown);
    let pure = search::positional(model, &options(Rational::ZERO));
    let mut positional = found(evaluator, Class::Positional, &pure, stop, &unknown);
    let is_positional = |one: &&Compared| match one.class {
        Class::BestFor(p) => matches!(model.principals()[p.index()].parts(), Some([_])),
        _ => true,
    };
    served.iter().filter(is_positional).chain([&long_term]).for_each(|other| positional.improve(other));
    let meetings = Meetings::of(model, answer.strategy(), start);
    if meetings.is_exact() && meetings.is_positional(answer.strategy()) {
        positional.improve(&counting);
    }
    let mixed = search::stationary(model, &options(Rational::from_quotient(1, 1_000_000)));
    // Where that was easy, as many digits as a report shows.
    let mixed = match mixed.outcome {
        SearchOutcome::WithinGap if mixed.nodes <= EASY => {
            let finer = search::stationary(model, &options(Rational::from_quotient(1, 1_000_000_000)));
            if matches!(finer.outcome, SearchOutcome::Stopped(_)) { mixed } else { finer }
        }
        _ => mixed,
    };
    let mut stationary = found(evaluator, Class::Stationary, &mixed, stop, &unknown);
    let tails = CountingStrategy::positional(model.states().map(|state| answer.strategy().tail(state)));
    let given = [&first_decisions, &Strategy::Counting(tails), &pure.strategy];
    let counting_ones =
        given.into_iter().filter_map(|one| if let Strategy::Counting(one) = one { Some(one) } else { None });
    let starts: Vec<CountingStrategy> = counting_ones.cloned().collect();
    let equilibrium = equilibrium(model, &starts, stop);
    let uncommitted = match equilibrium.strategy() {
        Some(strategy) => Some(followed(evaluator, Class::NoCommitment, &strategy, stop, &unknown)),
        // Without time for the search, any strategy may be an equilibrium.
        None => stop.reason().map(|reason| unknown.of(Class::NoCommitment, reason)),
    };
    positional.improve(&replanned);
    let is_pure = |one: &Stationary| model.states().all(|state| one.mix(state).len() == 1);
    if matches!(&mixed.strategy, Strategy::Stationary(one) if is_pure(one)) {
        positional.improve(&stationary);
    }
    // The first decisions of a plan that is not the best need not be those of the best one.
    let replanned = stopped.map_or(replanned, |reason| unknown.of(Class::Replanned, reason));
    if let Some(uncommitted) = &uncommitted {
        if matches!(equilibrium, Equilibrium::Pure(_)) {
            positional.improve(uncommitted);
        }
        stationary.improve(uncommitted);
    }
    stationary.improve(&positional);
    if stopped.is_some() {
        // Every strategy counts, if to no end.
        counting.improve(&stationary);
    }
    stationary.bound(&counting);
    positional.bound(&counting);
    positional.bound(&stationary);
    let mut strategies = vec![counting, stationary, positional, long_term, replanned];
    strategies.extend(uncommitted);
    strategies.extend(served);
    bound_by_each_other(model, &mut strategies);
    Comparison { stopped: strategies.iter().find_map(cut), equilibrium, strategies }
}

impl Comparison {
    /// The same with further strategies of `model` at its end, none of which earns more than the best of all.
    pub(crate) fn with(mut self, model: &Structure, mut further: Vec<Compared>) -> Comparison {
        let best = &self.strategies[0];
        let most = best.upper.unwrap_or(best.welfare.enclosure.upper());
        for one in further.iter_mut().filter(|one| one.welfare.exact.is_none()) {
            let own = one.welfare.enclosure;
            one.welfare = Value::from(Enclosure::new(own.lower().min(most), own.upper().min(most)));
        }
        self.stopped = self.stopped.or(further.iter().find_map(cut));
        self.strategies.extend(further);
        bound_by_each_other(model, &mut self.strategies);
        self
    }
}

/// Narrows the bounds on strategies that are not known by what the other rows say. Nobody gets more than under the strategy that
/// serves it alone, and there no less than under any other; by max-min everybody gets at least the least payoff of any row.
fn bound_by_each_other(model: &Structure, rows: &mut [Compared]) {
    let at_most = |one: &Value, most: f64| narrowed(one, f64::NEG_INFINITY, most);
    let at_least = |one: &Value, least: f64| narrowed(one, least, f64::INFINITY);
    for (p, principal) in model.principals().iter().enumerate() {
        // A principal with costs is served by the least.
        let is_cost = !principal.direction().is_one();
        let in_its_direction = |value: &Value| if is_cost { value.negated() } else { value.clone() };
        let lowest = |one: &Compared| in_its_direction(&one.payoffs[p]).enclosure.lower();
        let least = rows.iter().map(lowest).fold(f64::NEG_INFINITY, f64::max);
        let own = |one: &Compared| one.class == Class::BestFor(p.into());
        let best = rows.iter().find(|one| own(one)).map(|one| in_its_direction(&one.payoffs[p]).enclosure.upper());
        for one in rows.iter_mut().filter(|one| !one.is_known) {
            let mut bounded = at_most(&in_its_direction(&one.payoffs[p]), best.unwrap_or(f64::INFINITY));
            if own(one) {
                bounded = at_least(&bounded, least);
            }
            one.payoffs[p] = in_its_direction(&bounded);
        }
    }
    let least_payoff =
        |one: &Compared| one.payoffs.iter().map(|payoff| payoff.enclosure.lower()).fold(f64::INFINITY, f64::min);
    let least = rows.iter().map(least_payoff).fold(f64::NEG_INFINITY, f64::max);
    for one in rows.iter_mut().filter(|one| !one.is_known) {
        if one.class == Class::Fair(FairRule::MaxMin) {
            one.payoffs.iter_mut().for_each(|payoff| *payoff = at_least(payoff, least));
        }
        let weights = model.principals().iter().map(|principal| Enclosure::from(&principal.weight));
        let terms = weights.zip(&one.payoffs).map(|(weight, payoff)| weight.times(payoff.enclosure));
        let sum = terms.fold(Enclosure::ZERO, Enclosure::plus);
        one.welfare = narrowed(&one.welfare, sum.lower(), sum.upper());
    }
}

/// The same value, which is known to lie between these bounds too.
fn narrowed(value: &Value, lower: f64, upper: f64) -> Value {
    let own = value.enclosure;
    if value.exact.is_some() || (own.lower() >= lower && own.upper() <= upper) {
        return value.clone();
    }
    Value::from(Enclosure::new(own.lower().max(lower), own.upper().min(upper)))
}

/// Why less is known of a strategy than could be, if a limit is the reason: what doubles or approximated preferences cannot tell is no
/// limit.
fn cut(one: &Compared) -> Option<StopReason> {
    one.stopped.filter(|why| !matches!(why, StopReason::Precision | StopReason::Digits | StopReason::Approximation))
}

impl Compared {
    /// Takes the strategy of `other`, which is one of this class, if it earns more.
    fn improve(&mut self, other: &Compared) {
        let earns_more = match (&self.welfare.exact, &other.welfare.exact) {
            (Some(own), Some(others)) => others > own,
            _ => other.welfare.enclosure.lower() > self.welfare.enclosure.lower(),
        };
        if earns_more {
            self.welfare = other.welfare.clone();
            self.payoffs = other.payoffs.clone();
            self.is_known = other.is_known;
        }
    }

    /// No strategy of this class earns more than the best of a larger one, and what earns as much is the best of its class.
    fn bound(&mut self, best: &Compared) {
        let is_best = best.stopped.is_none() && best.upper.is_none();
        if self.welfare.exact.is_some() && self.welfare.exact == best.welfare.exact && is_best {
            (self.upper, self.stopped) = (None, None);
        }
        let most = best.upper.unwrap_or(best.welfare.enclosure.upper());
        self.upper = self.upper.map(|upper| upper.min(most));
    }
}

/// What is known of a strategy that was not evaluated for lack of time.
struct Unknown<'a> {
    model: &'a Mdp,
    /// No strategy earns more.
    most: f64,
    /// What each principal gets under any strategy: of many principals all rows need it, and it takes a while.
    any: OnceCell<Payoffs>,
}

impl Unknown<'_> {
    fn payoffs(&self) -> &Payoffs {
        self.any.get_or_init(|| any_payoffs(self.model))
    }

    /// What any strategy earns.
    fn welfare(&self) -> Value {
        let any = self.payoffs().welfare_enclosure(self.model.start());
        Value::from(Enclosure::new(any.lower(), any.upper().min(self.most)))
    }

    /// A row of which nothing is known, and why.
    fn of(&self, class: Class, stopped: StopReason) -> Compared {
        let payoffs = all_payoffs(self.model, self.payoffs());
        Compared { class, welfare: self.welfare(), upper: None, payoffs, stopped: Some(stopped), is_known: false }
    }
}

/// Evaluates strategies by the engine of an answer.
#[derive(Clone, Copy)]
struct Evaluator<'a> {
    model: &'a Mdp,
    /// The model in doubles, if these are the engine's numbers.
    doubles: Option<&'a Mdp<f64>>,
}

impl Evaluator<'_> {
    /// What a strategy gives each principal.
    fn payoffs(self, strategy: &Strategy, stop: &StopSignal) -> Result<Payoffs, StopReason> {
        match self.doubles {
            None => evaluate(self.model, strategy, stop),
            // Bounds that are wider than asked for are bounds.
            Some(doubles) => certified::evaluate(doubles, strategy, DEFAULT_GAP, stop).map(|found| found.payoffs),
        }
        .map_err(EvaluateError::stop_reason)
    }

    /// The best strategy for a principal alone.
    fn best_for(self, principal: PrincipalId, stop: &StopSignal) -> Result<CountingStrategy, StopReason> {
        let Some(doubles) = self.doubles else {
            return own_best(self.model, principal, stop).map(|best| best.strategy);
        };
        let options = Options { stop: stop.clone(), ..Options::default() };
        let alone = certified::solve(&doubles.only(principal), DEFAULT_GAP, &options);
        match alone.claim_for_mixtures() {
            // As good as doubles can tell.
            Claim::Stopped(reason) if reason != StopReason::Precision => Err(reason),
            _ => Ok(alone.strategy().clone()),
        }
    }
}

fn best_for(evaluator: Evaluator, principal: PrincipalId, stop: &StopSignal, unknown: &Unknown) -> Compared {
    let best = evaluator.best_for(principal, stop);
    let found = best.and_then(|best| evaluator.payoffs(&Strategy::Counting(best), stop));
    known(evaluator.model, Class::BestFor(principal), found, unknown)
}

/// A given strategy, the only one of its class.
fn followed(evaluator: Evaluator, class: Class, strategy: &Strategy, stop: &StopSignal, unknown: &Unknown) -> Compared {
    known(evaluator.model, class, evaluator.payoffs(strategy, stop), unknown)
}

/// A strategy of which these payoffs are known, or nothing for this reason.
fn known(model: &Mdp, class: Class, payoffs: Result<Payoffs, StopReason>, unknown: &Unknown) -> Compared {
    match payoffs {
        Ok(payoffs) => {
            let welfare = payoffs.welfare(model.start());
            let payoffs = all_payoffs(model, &payoffs);
            Compared { class, welfare, upper: None, payoffs, stopped: None, is_known: true }
        }
        Err(reason) => unknown.of(class, reason),
    }
}

/// What a strategy is worth. Of most small models that takes a moment, so it is tried even after a stop.
fn evaluated(evaluator: Evaluator, strategy: &Strategy, stop: &StopSignal) -> Result<Payoffs, StopReason> {
    const SMALL: usize = 1_000;
    /// Numbers of thousands of digits take longer.
    const MOMENT: Duration = Duration::from_millis(300);
    let found = evaluator.payoffs(strategy, stop);
    let is_small = evaluator.model.n_states().saturating_mul(evaluator.model.n_parts()) <= SMALL;
    // Where work that is counted ran out, a clock would make the answer a matter of chance.
    let is_out_of_time = matches!(found, Err(StopReason::Interrupted | StopReason::TimeLimit));
    if is_out_of_time && is_small { evaluator.payoffs(strategy, &StopSignal::after(MOMENT)) } else { found }
}

fn found(evaluator: Evaluator, class: Class, search: &Search, stop: &StopSignal, unknown: &Unknown) -> Compared {
    let model = evaluator.model;
    let evaluated = evaluated(evaluator, &search.strategy, stop);
    // A search that was stopped may not have got as far.
    let welfare = evaluated.as_ref().map_or_else(|_| search.welfare.clone(), |payoffs| payoffs.welfare(model.start()));
    let is_known = evaluated.is_ok();
    let payoffs = evaluated.unwrap_or_else(|_| unknown.payoffs().clone());
    let best = search.outcome == SearchOutcome::Optimal;
    Compared {
        class,
        welfare,
        upper: (!best).then_some(search.upper),
        payoffs: all_payoffs(model, &payoffs),
        stopped: if let SearchOutcome::Stopped(reason) = search.outcome { Some(reason) } else { None },
        is_known,
    }
}

fn all_payoffs(model: &Mdp, payoffs: &Payoffs) -> Vec<Value> {
    (0..model.n_principals()).map(|p| payoffs.payoff(p.into(), model.start())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::solve;
    use crate::number::parse_rational;
    use crate::solve::Options;

    #[test]
    fn simplicity_costs_the_hotel_eleven_eighteenths() {
        let text = "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}";
        let hotel = Model::from_yaml(text).unwrap();
        let answer = solve(&hotel.exact(), &Options::default());
        let Comparison { strategies: compared, stopped, equilibrium } =
            compare(&hotel, &answer, &StopSignal::default());
        assert_eq!(stopped, None);
        let of = |class| compared.iter().find(|one| one.class == class).unwrap();
        let number = |text| Some(parse_rational(text).unwrap());
        assert_eq!(of(Class::Counting).welfare.exact, number("127/9"));
        assert_eq!((&of(Class::Positional).welfare.exact, of(Class::Positional).upper), (&number("27/2"), None));
        assert_eq!(of(Class::LongTerm).welfare.exact, number("13"));
        assert!(of(Class::Stationary).welfare.enclosure.lower() >= 13.5);
        assert!(compared.iter().all(|one| one.payoffs.len() == 2));
        assert_eq!(compared.len(), 8);
        // What commitment is worth: 11/18, most of it to alice.
        assert!(matches!(equilibrium, Equilibrium::Pure(_)));
        for class in [Class::Replanned, Class::NoCommitment] {
            assert_eq!(of(class).welfare.exact, number("27/2"));
            assert_eq!([&of(class).payoffs[0].exact, &of(class).payoffs[1].exact], [&number("9"), &number("9/2")]);
        }
    }

    /// A model of sixty states with a mixture of 46 discounts is solved in doubles. Each row is known or has bounds, and what is known is
    /// what an evaluation in fractions says.
    #[test]
    fn an_answer_in_doubles_is_compared_in_doubles() {
        const STATES: usize = 60;
        let state = |s: usize| {
            let choice = |a: usize| {
                let rewards = [7 * s + 3 * a, 5 * s + 11 * a, 3 * s + 7 * a].map(|number| number % 16);
                let targets = [(s + 1) % STATES, (3 * s + 7 * a + 2) % STATES];
                let to = if targets[0] == targets[1] {
                    format!("s{}", targets[0])
                } else {
                    format!("{{s{}: 1/2, s{}: 1/2}}", targets[0], targets[1])
                };
                format!("a{a}: {{reward: {{g: {}, p: {}, q: {}}}, to: {to}}}", rewards[0], rewards[1], rewards[2])
            };
            format!("  s{s}: {{{}}}\n", (0..3).map(choice).collect::<Vec<_>>().join(", "))
        };
        let text = format!(
            "principals: {{g: {{gamma: {{mean: 4%, sd: 3%}}}}, p: {{rate: 3%}}, q: 9/10}}\nstates:\n{}",
            (0..STATES).map(state).collect::<String>()
        );
        let model = Model::from_yaml(&text).unwrap();
        let answer = crate::solve(&model, &Options::default());
        assert!(matches!(answer.method(), Method::Certified { .. }));
        let compared = compare(&model, &answer, &StopSignal::default());
        let of = |class| compared.strategies.iter().find(|one| one.class == class).unwrap();
        let exactly = |strategy: CountingStrategy| {
            evaluate(&model.exact(), &Strategy::Counting(strategy), &StopSignal::default()).unwrap()
        };
        let first_decisions = exactly(replanned(&model.exact(), &answer));
        let replanned = of(Class::Replanned);
        assert!(replanned.is_known && replanned.stopped.is_none());
        for p in 0..3 {
            let (found, exact) =
                (replanned.payoffs[p].enclosure, first_decisions.payoff(p.into(), model.start()).enclosure);
            let scale = exact.upper().abs();
            assert!((found.lower() - exact.lower()).abs() < 1e-8 * scale, "{p}: {found:?} {exact:?}");
            assert!((found.upper() - exact.upper()).abs() < 1e-8 * scale, "{p}: {found:?} {exact:?}");
        }
        // Nobody gets more than under the strategy that serves it alone, and no simpler strategy earns more than the best of all.
        let most = answer.welfare_enclosure(model.start()).upper();
        for p in 0..3 {
            let own = of(Class::BestFor(p.into()));
            assert!(own.is_known);
            for one in &compared.strategies {
                assert!(one.payoffs[p].enclosure.lower() <= own.payoffs[p].enclosure.upper(), "{:?}", one.class);
                assert!(one.welfare.enclosure.lower() <= most, "{:?}", one.class);
            }
        }
        let [stationary, positional] = [Class::Stationary, Class::Positional].map(of);
        assert!(positional.is_known && positional.welfare.enclosure.lower() >= replanned.welfare.enclosure.lower());
        assert!(stationary.upper.unwrap_or(most) >= positional.welfare.enclosure.lower());
    }

    #[test]
    fn every_row_is_there_when_time_has_run_out() {
        let text = "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}";
        let hotel = Model::from_yaml(text).unwrap();
        let answer = solve(&hotel.exact(), &Options::default());
        let stop = StopSignal::default();
        let known = compare(&hotel, &answer, &stop);
        stop.raise();
        let stopped = compare(&hotel, &answer, &stop);
        assert_eq!(stopped.stopped, Some(StopReason::Interrupted));
        assert_eq!(stopped.strategies.len(), known.strategies.len());
        let lower = |one: &Compared| one.welfare.enclosure.lower();
        for (one, known) in stopped.strategies.iter().zip(&known.strategies) {
            assert_eq!(one.class, known.class);
            assert_eq!(one.payoffs.len(), 2);
            let upper = one.upper.unwrap_or(one.welfare.enclosure.upper());
            assert!(lower(one) <= lower(known) && known.welfare.enclosure.upper() <= upper, "{:?}", one.class);
        }
        // The long-term strategy is positional, and a positional one is stationary.
        let [_, stationary, positional, long_term] = &stopped.strategies[..4] else { panic!("four classes") };
        assert!(lower(stationary) >= lower(positional) && lower(positional) >= lower(long_term));
        assert_eq!(lower(long_term), 13.0);
        // The same if the answer itself was stopped: its lower bound is at least that of the other strategies.
        let unsolved = solve(&hotel.exact(), &Options { stop: stop.clone(), ..Options::default() });
        let nothing = compare(&hotel, &unsolved, &stop).strategies;
        assert!(lower(&nothing[0]) >= lower(&nothing[1]) && nothing[0].upper.is_some_and(|upper| upper >= 127.0 / 9.0));
        assert!(lower(&nothing[1]) >= lower(&nothing[2]) && lower(&nothing[2]) >= 13.0);
    }

    /// Whenever it is stopped: the rows are those of the whole comparison, every bound holds, and none is worse than what another
    /// row implies.
    #[test]
    fn no_bound_of_a_stopped_comparison_is_false_or_worse_than_another_row_implies() {
        let hotel = "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}";
        let costs = "{principals: {p: 9/10, q: {discount: 1/2, weight: -2}, r: {discount: 1/3, weight: 0}},
            states: {x: {a: {reward: {p: 1, q: 2, r: -3}, to: {x: 1/2, y: 1/2}}, b: {reward: {q: 1, r: 5}, to: x}}, y: {a: {reward: {p: 3, q: 1}, to: x}, b: {reward: {p: 2}, to: y}}}}";
        let mut unknown = 0;
        for text in [hotel, costs] {
            let model = Model::from_yaml(text).unwrap();
            let answer = crate::solve(&model, &Options::default());
            let whole = crate::questions::compare(&model, &answer, &StopSignal::default());
            for polls in (0..40).chain([60, 100, 200, 400, 800, 1_600]) {
                let stop = StopSignal::after_polls(polls);
                let rows = crate::questions::compare(&model, &answer, &stop).strategies;
                let bounds = |value: &Value| [value.enclosure.lower(), value.enclosure.upper()];
                let contains = |wide: &Value, value: &Value| {
                    let ([low, high], [least, most]) = (bounds(wide), bounds(value));
                    low <= least && most <= high
                };
                for one in rows.iter().filter(|one| !one.is_known) {
                    unknown += 1;
                    let Some(true_one) = whole.strategies.iter().find(|other| other.class == one.class) else {
                        continue;
                    };
                    assert!(contains(&one.welfare, &true_one.welfare), "{polls}: {one:?} {true_one:?}");
                    assert!(
                        one.payoffs.iter().zip(&true_one.payoffs).all(|(wide, value)| contains(wide, value)),
                        "{polls}: {one:?}"
                    );
                    for (p, principal) in model.principals().iter().enumerate() {
                        let own = |one: &Compared| {
                            let value = &one.payoffs[p];
                            if principal.is_cost() { value.negated().enclosure } else { value.enclosure }
                        };
                        let best = rows.iter().find(|row| row.class == Class::BestFor(p.into())).unwrap();
                        assert!(own(one).upper() <= own(best).upper(), "{polls}: {one:?}");
                        assert!(
                            rows.iter().all(|row| own(row).lower() <= own(best).lower() || best.is_known),
                            "{polls}"
                        );
                    }
                    if one.class == Class::Fair(FairRule::MaxMin) {
                        let least = |one: &Compared| {
                            one.payoffs.iter().map(|payoff| bounds(payoff)[0]).fold(f64::INFINITY, f64::min)
                        };
                        assert!(rows.iter().all(|row| least(row) <= least(one)), "{polls}: {one:?}");
                    }
                }
            }
        }
        assert!(unknown > 40, "{unknown}");
    }
}
