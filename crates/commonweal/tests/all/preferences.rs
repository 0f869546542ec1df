//! Time preferences as they are stated, against an oracle that knows each statement's own weights and nothing of parts,
//! segments or mixtures.

use crate::oracle::plain::{Q, from_double, from_solver, q};
use crate::oracle::random::Rng;
use commonweal::internals::Numbers;
use commonweal::internals::certificate::write_canonical;
use commonweal::internals::io::{preference_text, read_model, read_preference, write_json, write_yaml};
use commonweal::internals::model::Mdp;
use commonweal::internals::number::parse_rational;
use commonweal::internals::search::{Search, SearchOptions, SearchOutcome, ThresholdAnswer, positional, stationary};
use commonweal::limits::StopReason;
use commonweal::questions::{evaluate, explain};
use commonweal::strategies::CountingStrategy;
use commonweal::{Answer, Claim, Engine, Model, Options, Step, StopSignal, Strategy, Value, solve};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;
use std::time::Duration;

/// The bits behind the point of the oracle's numbers.
const BITS: usize = 96;

/// A statement: its entry in a model file, and what it means, said in another way than the library says it.
#[derive(Debug, Clone)]
enum Stated {
    Discount(Q, Option<usize>),
    Rate(Q, Option<usize>),
    BetaDelta(Q, Q),
    Schedule(Vec<(usize, Q)>),
    /// The mean, mean over sd, a whole number, and the error.
    Gamma(Q, u32, &'static str),
    Hyperbolic(Q, Q, &'static str),
    Survey(Vec<Q>),
}

impl Stated {
    fn entry(&self) -> String {
        let until = |until: &Option<usize>| until.map_or_else(String::new, |until| format!(", until: {until}"));
        match self {
            Stated::Discount(discount, end) => format!("{{discount: {discount}{}}}", until(end)),
            Stated::Rate(rate, end) => format!("{{rate: {rate}{}}}", until(end)),
            Stated::BetaDelta(beta, delta) => format!("{{beta: {beta}, delta: {delta}}}"),
            Stated::Schedule(rates) => {
                let rates: Vec<String> = rates.iter().map(|(step, rate)| format!("{step}: {rate}")).collect();
                format!("{{schedule: {{{}}}}}", rates.join(", "))
            }
            Stated::Gamma(mean, ratio, error) => {
                format!("{{gamma: {{mean: {mean}, sd: {}}}, error: {error}}}", mean / &q(i64::from(*ratio), 1))
            }
            Stated::Hyperbolic(k, hazard, error) => format!("{{hyperbolic: {k}, hazard: {hazard}, error: {error}}}"),
            Stated::Survey(rates) => {
                let rates: Vec<String> = rates.iter().map(Q::to_string).collect();
                format!("{{survey: [{}]}}", rates.join(", "))
            }
        }
    }

    fn is_approximated(&self) -> bool {
        matches!(self, Stated::Gamma(..) | Stated::Hyperbolic(..))
    }

    /// Whether the first steps count alike, which the checker does not read.
    fn begins_undiscounted(&self) -> bool {
        match self {
            Stated::Schedule(rates) => rates[0].0 > 1,
            Stated::Rate(rate, _) => rate.is_zero(),
            _ => false,
        }
    }

    /// The weight of each of the first `n` steps from below and from above, and at least the sum of all that follow.
    fn weights(&self, n: usize) -> (Vec<[BigInt; 2]>, BigInt) {
        match self {
            Stated::Discount(discount, until) => cut(geometric(discount, n), *until),
            Stated::Rate(rate, until) if rate.is_zero() => cut((vec![[unit(), unit()]; n], BigInt::zero()), *until),
            Stated::Rate(rate, until) => cut(geometric(&(Q::one() / (Q::one() + rate)), n), *until),
            Stated::BetaDelta(beta, delta) => {
                let (mut weights, rest) = scaled(geometric(delta, n), beta);
                weights[0] = [unit(), unit()];
                (weights, rest)
            }
            Stated::Schedule(rates) => {
                let rate_of = |step: usize| {
                    rates.iter().rev().find(|(from, _)| *from <= step).map_or_else(Q::zero, |(_, rate)| rate.clone())
                };
                let mut weights = vec![[unit(), unit()]];
                for step in 1..n {
                    let growth = Q::one() + rate_of(step);
                    let [below, above] = &weights[step - 1];
                    weights.push([
                        (below * growth.denom()).div_floor(growth.numer()),
                        (above * growth.denom()).div_ceil(growth.numer()),
                    ]);
                }
                // In the end, and n is behind it, the last rate holds: a geometric series.
                let last = &rates.last().unwrap().1;
                let rest = (&weights[n - 1][1] * last.denom()).div_ceil(last.numer());
                (weights, rest)
            }
            Stated::Gamma(mean, ratio, _) => {
                // (1 + j·mean/a)^(−a) with a the square of the ratio.
                let a = ratio * ratio;
                let weight = |j: usize| {
                    let base = Q::one() + mean * &q(j as i64, i64::from(a));
                    base.pow(a)
                };
                let weights = (0..n).map(|j| over(&weight(j))).collect();
                // The integral from n − 1 on: a/mean · (1 + (n−1)·mean/a)^(1−a) / (a−1).
                let base = Q::one() + mean * &q(n as i64 - 1, i64::from(a));
                let factor = q(i64::from(a), 1) / mean / q(i64::from(a) - 1, 1);
                let rest = factor / base.pow(a - 1);
                (weights, (rest.numer() * unit()).div_ceil(rest.denom()))
            }
            Stated::Hyperbolic(k, hazard, _) => {
                let (mut weights, rest) = geometric(&(Q::one() - hazard), n);
                for (j, [below, above]) in weights.iter_mut().enumerate() {
                    let slower = Q::one() + k * &q(j as i64, 1);
                    *below = (&*below * slower.denom()).div_floor(slower.numer());
                    *above = (&*above * slower.denom()).div_ceil(slower.numer());
                }
                (weights, rest)
            }
            Stated::Survey(rates) => {
                let share = q(1, rates.len() as i64);
                let each = rates.iter().map(|rate| scaled(geometric(&(Q::one() / (Q::one() + rate)), n), &share));
                each.reduce(|(mut sum, rest), (own, own_rest)| {
                    for (total, [below, above]) in sum.iter_mut().zip(own) {
                        total[0] += below;
                        total[1] += above;
                    }
                    (sum, rest + own_rest)
                })
                .unwrap()
            }
        }
    }
}

fn unit() -> BigInt {
    BigInt::one() << BITS
}

/// One over a number, from below and from above.
fn over(base: &Q) -> [BigInt; 2] {
    [(base.denom() * unit()).div_floor(base.numer()), (base.denom() * unit()).div_ceil(base.numer())]
}

fn geometric(discount: &Q, n: usize) -> (Vec<[BigInt; 2]>, BigInt) {
    let mut weights = vec![[unit(), unit()]];
    for step in 1..=n {
        let [below, above] = &weights[step - 1];
        let next = [
            (below * discount.numer()).div_floor(discount.denom()),
            (above * discount.numer()).div_ceil(discount.denom()),
        ];
        weights.push(next);
    }
    let [_, next] = weights.pop().unwrap();
    let rest = Q::new(next, BigInt::one()) / (Q::one() - discount);
    (weights, rest.numer().div_ceil(rest.denom()))
}

fn cut((mut weights, rest): (Vec<[BigInt; 2]>, BigInt), until: Option<usize>) -> (Vec<[BigInt; 2]>, BigInt) {
    let Some(until) = until else { return (weights, rest) };
    weights.iter_mut().skip(until).for_each(|weight| *weight = [BigInt::zero(), BigInt::zero()]);
    (weights, BigInt::zero())
}

fn scaled((weights, rest): (Vec<[BigInt; 2]>, BigInt), factor: &Q) -> (Vec<[BigInt; 2]>, BigInt) {
    let down = |x: &BigInt| (x * factor.numer()).div_floor(factor.denom());
    let up = |x: &BigInt| (x * factor.numer()).div_ceil(factor.denom());
    let weights = weights.iter().map(|[below, above]| [down(below), up(above)]).collect();
    (weights, up(&rest))
}

/// A reward for each principal, and successors with their shares.
type Choice = (Vec<i64>, Vec<(usize, i64)>);

/// A small model: whole rewards by principal, and whole shares that are divided by their sum.
#[derive(Debug, Clone)]
struct Small {
    principals: Vec<(Stated, i64)>,
    states: Vec<Vec<Choice>>,
}

impl Small {
    fn text(&self) -> String {
        let mut text = String::from("principals:\n");
        for (p, (stated, weight)) in self.principals.iter().enumerate() {
            let entry = stated.entry();
            let weight = if *weight == 1 { String::new() } else { format!(", weight: {weight}") };
            text += &format!("  p{p}: {}{weight}}}\n", &entry[..entry.len() - 1]);
        }
        text += "states:\n";
        for (state, choices) in self.states.iter().enumerate() {
            text += &format!("  s{state}:\n");
            for (choice, (rewards, row)) in choices.iter().enumerate() {
                let rewards: Vec<String> = rewards.iter().enumerate().map(|(p, r)| format!("p{p}: {r}")).collect();
                let sum: i64 = row.iter().map(|(_, share)| share).sum();
                let row: Vec<String> = row.iter().map(|(target, share)| format!("s{target}: {share}/{sum}")).collect();
                text += &format!("    a{choice}: {{reward: {{{}}}, to: {{{}}}}}\n", rewards.join(", "), row.join(", "));
            }
        }
        text
    }

    /// How far the stated errors of mixtures may put a welfare off, and at least the size of any welfare, given the weights of `n` steps.
    fn errors(&self, n: usize) -> [Q; 2] {
        let (mut margin, mut size) = (Q::zero(), Q::zero());
        for (p, (stated, weight)) in self.principals.iter().enumerate() {
            let greatest = self.states.iter().flatten().map(|(rewards, _)| rewards[p].abs()).max().unwrap();
            let (weights, rest) = stated.weights(n);
            let sum = Q::new(weights.into_iter().map(|[_, upper]| upper).sum::<BigInt>() + rest, unit());
            let own = sum * q(greatest * weight.abs(), 1);
            // Errors are relative to the sum of the weights.
            if let Stated::Gamma(.., error) | Stated::Hyperbolic(.., error) = stated {
                margin += from_solver(&parse_rational(error).unwrap()) * &own;
            }
            size += own;
        }
        [margin, size]
    }

    /// Bounds on the optimal welfare from every state: backward induction with the statements' own weights over `n` steps, and
    /// nothing but the greatest reward known of what follows.
    fn bounds(&self, n: usize) -> Vec<[Q; 2]> {
        let counts: Vec<i64> = self.principals.iter().map(|(_, weight)| *weight).collect();
        self.backwards(n, &counts, None)
    }

    /// Bounds on what principals with these weights get together from every state, by the best choices or by those that are taken
    /// in a state at a step.
    fn backwards(&self, n: usize, counts: &[i64], taken: Option<&dyn Fn(usize, usize) -> usize>) -> Vec<[Q; 2]> {
        let weights: Vec<_> = self.principals.iter().map(|(stated, _)| stated.weights(n)).collect();
        let mut rest = BigInt::zero();
        for (p, (weight, (_, after))) in counts.iter().zip(&weights).enumerate() {
            let greatest = self.states.iter().flatten().map(|(rewards, _)| rewards[p].abs()).max().unwrap();
            rest += after * greatest * weight.abs();
        }
        let mut values: Vec<[BigInt; 2]> = vec![[-rest.clone(), rest]; self.states.len()];
        for step in (0..n).rev() {
            let worth = |(rewards, row): &Choice, end: usize| {
                let mut now = BigInt::zero();
                for (p, reward) in rewards.iter().enumerate() {
                    let counted = BigInt::from(*reward) * counts[p];
                    let own = if counted.is_negative() { 1 - end } else { end };
                    now += counted * &weights[p].0[step][own];
                }
                let sum = BigInt::from(row.iter().map(|(_, share)| share).sum::<i64>());
                let next: BigInt = row.iter().map(|(target, share)| share * &values[*target][end]).sum();
                now + if end == 1 { next.div_ceil(&sum) } else { next.div_floor(&sum) }
            };
            let best = |(state, choices): (usize, &Vec<Choice>)| {
                [0, 1].map(|end| match taken {
                    Some(taken) => worth(&choices[taken(state, step)], end),
                    None => choices.iter().map(|choice| worth(choice, end)).max().unwrap(),
                })
            };
            values = self.states.iter().enumerate().map(best).collect();
        }
        values.into_iter().map(|ends| ends.map(|end| Q::new(end, unit()))).collect()
    }
}

/// A random statement of one of these kinds.
fn statement(rng: &mut Rng, kinds: &[usize]) -> Stated {
    let rate = |rng: &mut Rng| q(rng.within(5, 60), 100);
    // Mixtures of many discounts take long in fractions.
    let errors = ["1e-2", "1e-2", "1e-2", "1e-2", "1e-3", "1e-3", "1e-3", "1e-6"];
    match kinds[rng.index(kinds.len())] {
        0 => Stated::Discount(q(rng.within(0, 19), 20), None),
        1 => Stated::Rate(rate(rng), None),
        2 => Stated::BetaDelta(q(rng.within(0, 10), 10), q(rng.within(0, 9), 10)),
        3 => Stated::Survey((0..rng.within(1, 4)).map(|_| rate(rng)).collect()),
        4 => Stated::Gamma(q(rng.within(20, 60), 100), [2, 3, 3, 4][rng.index(4)], errors[rng.index(errors.len())]),
        5 => Stated::Hyperbolic(q(rng.within(1, 20), 10), q(rng.within(10, 40), 100), errors[rng.index(errors.len())]),
        6 => Stated::Discount(q(rng.within(1, 19), 20), Some(rng.within(1, 7) as usize)),
        7 => {
            // A term of office may count all its steps alike.
            let rate = if rng.index(3) == 0 { Q::zero() } else { rate(rng) };
            Stated::Rate(rate, Some(rng.within(1, 7) as usize))
        }
        _ => {
            let mut step = rng.within(0, 3) as usize;
            let mut rates = Vec::new();
            for _ in 0..rng.within(1, 4) {
                rates.push((step, rate(rng)));
                step += rng.within(1, 9) as usize;
            }
            Stated::Schedule(rates)
        }
    }
}

fn small(rng: &mut Rng, kinds: &[usize]) -> Small {
    let n_principals = rng.within(1, 3) as usize;
    let n_states = rng.within(1, 4) as usize;
    let weights = [1, 1, 1, 2, -1, 0];
    let principals = (0..n_principals).map(|_| (statement(rng, kinds), weights[rng.index(weights.len())])).collect();
    let choice = |rng: &mut Rng| {
        let rewards = (0..n_principals).map(|_| rng.within(-5, 5)).collect();
        let mut row: Vec<(usize, i64)> = Vec::new();
        for target in 0..n_states {
            if rng.within(0, 1) == 1 {
                row.push((target, rng.within(1, 4)));
            }
        }
        if row.is_empty() {
            row.push((rng.index(n_states), 1));
        }
        (rewards, row)
    };
    let states = (0..n_states).map(|_| (0..rng.within(1, 3)).map(|_| choice(rng)).collect()).collect();
    Small { principals, states }
}

/// Whether a number is known to lie where the oracle says.
fn agree(value: &Value, [below, above]: &[Q; 2]) -> bool {
    let exactly = value.exact.as_ref().is_none_or(|exact| *below <= from_solver(exact) && from_solver(exact) <= *above);
    let enclosure = value.enclosure;
    exactly && from_double(enclosure.lower()) <= *above && *below <= from_double(enclosure.upper())
}

/// Holds what each principal gets from every state against the oracle's, by the decisions of an answer at each of `n` steps.
fn hold_payoffs_against_oracle(small: &Small, model: &Model, answer: &Answer, n: usize) {
    let text = small.text();
    let structure = model.structure();
    let taken = |state: usize, step: usize| {
        let first = structure.choices(state.into()).next().unwrap().index();
        answer.strategy().choice(state.into(), &Step::from(step as u64)).index() - first
    };
    for p in 0..small.principals.len() {
        let counts: Vec<i64> = (0..small.principals.len()).map(|other| i64::from(other == p)).collect();
        let truth = small.backwards(n, &counts, Some(&taken));
        for state in structure.states() {
            let gets = answer.payoff(p.into(), state);
            assert!(agree(&gets, &truth[state.index()]), "{gets:?}, principal {p}, state {state:?} of\n{text}");
        }
    }
}

/// Solves by both engines and holds the welfare of every state against the oracle's. Returns the model and its answer in fractions.
fn hold_against_oracle(small: &Small, n: usize) -> (Model, Answer) {
    let text = small.text();
    let model = Model::from_yaml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let bounds = small.bounds(n);
    let approximated = small.principals.iter().any(|(stated, _)| stated.is_approximated());
    const GAP: f64 = 1e-9;
    let [margin, size] = small.errors(n);
    let solved = |engine: Engine| solve(&model, &Options { engine, ..Options::default() });
    let (exact, certified) = (solved(Engine::Exact), solved(Engine::Within(GAP)));
    for (engine, answer) in [(Engine::Exact, &exact), (Engine::Within(GAP), &certified)] {
        assert_eq!(answer.is_approximated(), approximated, "{text}");
        if engine == Engine::Exact {
            let expected = if approximated { answer.claim().is_within() } else { answer.claim() == Claim::Optimal };
            assert!(expected, "{:?} of\n{text}", answer.claim());
        }
        for state in model.structure().states() {
            let welfare = answer.welfare(state);
            assert!(agree(&welfare, &bounds[state.index()]), "{engine:?}: {welfare:?}, state {state:?} of\n{text}");
            let in_fractions = engine == Engine::Exact || answer.is_handed_over();
            assert_eq!(welfare.exact.is_none(), approximated || !in_fractions, "{text}");
            if approximated {
                // No wider than the errors that are stated, on both sides, and what the engine adds.
                let width = from_double(welfare.enclosure.upper()) - from_double(welfare.enclosure.lower());
                let engine = from_double(if in_fractions { 1e-13 } else { GAP }) * &size;
                let least = from_double(Claim::NEGLIGIBLE_WIDTH);
                assert!(width <= q(2, 1) * &margin + engine + least, "{welfare:?}, errors of {margin} of\n{text}");
            }
        }
    }
    (model, exact)
}

/// What is written is read as the same model, and stated as before.
fn reads_back(model: &Mdp) {
    type Write = fn(&Mdp, &mut dyn std::io::Write) -> std::io::Result<()>;
    for write in [write_yaml as Write, write_json as Write] {
        let mut text = Vec::new();
        write(model, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let again = read_model(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again, *model, "{text}");
    }
    for principal in model.principals() {
        let text = preference_text(principal.preference()).unwrap();
        assert_eq!(read_preference("p", &text).unwrap(), *principal.preference(), "{text}");
    }
}

#[test]
fn exact_statements_agree_with_their_own_weights() {
    for seed in 0..1500 {
        let small = small(&mut Rng::new(seed), &[0, 1, 2, 3, 6, 7, 8, 8]);
        let (model, answer) = hold_against_oracle(&small, 1200);
        if seed % 5 == 0 {
            hold_payoffs_against_oracle(&small, &model, &answer, 600);
        }
        reads_back(&read_model(&small.text()).unwrap());
    }
}

#[test]
fn mixtures_agree_with_the_weights_that_they_stand_for() {
    for seed in 0..240 {
        let mut rng = Rng::new(10_000 + seed);
        let mut small = small(&mut rng, &[0, 1, 2, 3, 4, 5, 6, 8]);
        small.principals[0].0 = statement(&mut rng, &[4, 5]);
        let (model, answer) = hold_against_oracle(&small, 700);
        hold_payoffs_against_oracle(&small, &model, &answer, 700);
        reads_back(&read_model(&small.text()).unwrap());
    }
}

/// The model in which every state keeps one choice only, for each positional strategy.
fn all_positional(small: &Small) -> Vec<Small> {
    let one_each = small.states.iter().fold(vec![Vec::new()], |all, choices| {
        let with = |kept: &Vec<Vec<Choice>>| {
            let kept = kept.clone();
            choices.iter().map(move |choice| [kept.clone(), vec![vec![choice.clone()]]].concat())
        };
        all.iter().flat_map(with).collect()
    });
    one_each.into_iter().map(|states| Small { principals: small.principals.clone(), states }).collect()
}

#[test]
fn searches_end_with_bounds_as_near_as_the_mixtures() {
    for seed in 0..40 {
        let mut rng = Rng::new(40_000 + seed);
        let mut small = small(&mut rng, &[0, 1, 2, 3, 4, 5, 6, 8]);
        small.principals[0].0 = statement(&mut rng, &[4, 5]);
        let text = small.text();
        let model = read_model(&text).unwrap();
        let [margin, _] = small.errors(700);
        let worth: Vec<[Q; 2]> = all_positional(&small).iter().map(|one| one.bounds(700)[0].clone()).collect();
        let best = [0, 1].map(|end| worth.iter().map(|bounds| bounds[end].clone()).max().unwrap());

        let found = positional(&model, &SearchOptions::default());
        assert!(matches!(found.outcome, SearchOutcome::WithinGap | SearchOutcome::Optimal), "{found:?} of\n{text}");
        let (lower, upper) = (from_double(found.welfare.enclosure.lower()), from_double(found.upper));
        assert!(best[0] <= upper && lower <= best[1], "{found:?}, but {best:?} of\n{text}");
        let nearly = q(1, 1_000_000);
        assert!(&upper - &lower <= margin.clone() * q(4, 1) + &nearly, "{found:?} of\n{text}");
        // The bounds are those of the strategy that is given.
        let kept = small.states.iter().zip(model.states()).map(|(choices, state)| {
            let Strategy::Counting(strategy) = &found.strategy else { panic!("a positional strategy") };
            let chosen = strategy.choice(state, &Step::ZERO);
            vec![choices[chosen.index() - model.choices(state).next().unwrap().index()].clone()]
        });
        let own = Small { principals: small.principals.clone(), states: kept.collect() }.bounds(700)[0].clone();
        assert!(agree(&found.welfare, &own), "{found:?}, but {own:?} of\n{text}");

        let options = SearchOptions { gap: Some(parse_rational("1/1000").unwrap()), ..SearchOptions::default() };
        let mixed = stationary(&model, &options);
        // A gap that the errors make impossible is said to be missed, and no other.
        let is_missed = mixed.outcome == SearchOutcome::Stopped(StopReason::Approximation);
        assert_eq!(is_missed, mixed.misses_gap.is_some(), "{mixed:?} of\n{text}");
        let is_near = matches!(mixed.outcome, SearchOutcome::WithinGap | SearchOutcome::Optimal);
        assert!(is_missed || is_near, "{mixed:?} of\n{text}");
        assert!(!is_missed || margin > Q::zero(), "{mixed:?} of\n{text}");
        assert!(best[0] <= from_double(mixed.upper), "{mixed:?}, but {best:?} of\n{text}");
    }
}

#[test]
fn the_checker_reads_what_is_exact_and_refuses_the_rest() {
    for seed in 0..300 {
        let small = small(&mut Rng::new(20_000 + seed), &[0, 1, 2, 3, 6, 7, 8, 8, 5]);
        let (text, model) = (small.text(), read_model(&small.text()).unwrap());
        let mut canonical = Vec::new();
        write_canonical(&model, &mut canonical).unwrap();
        let read = commonweal_check::canonical_form(text.as_bytes());
        if small.principals.iter().any(|(stated, _)| stated.is_approximated()) {
            let refused = read.unwrap_err().to_string();
            assert!(refused.contains("commonweal convert MODEL model.canonical"), "{refused}");
        } else if small.principals.iter().any(|(stated, _)| stated.begins_undiscounted()) {
            assert!(read.is_err(), "{text}");
        } else {
            assert_eq!(String::from_utf8_lossy(&read.unwrap()), String::from_utf8_lossy(&canonical), "{text}");
        }
    }
}

/// A public investment: it costs 1 once and has this yield for ever.
fn investment(entry: &str, yields: &str) -> Model {
    let text = format!(
        "principals: {{society: {entry}}}
states:
  idea: {{wait: {{to: idea}}, build: {{reward: -1, to: built}}}}
  built: {{run: {{reward: {yields}, to: built}}}}"
    );
    Model::from_yaml(&text).unwrap()
}

/// The step at which the investment is made.
fn built_at(answer: &commonweal::Answer, model: &Model) -> String {
    let changes = answer.strategy().changes(model.start());
    let name = |choice| model.structure().action_name(choice).into_owned();
    let first = changes.iter().find(|change| name(change.choice) == "build");
    first.map_or_else(|| "never".to_owned(), |change| change.from.to_string())
}

#[test]
fn gamma_discounting_waits_twelve_steps() {
    let truth = from_solver(&parse_rational("0.854134276").unwrap());
    for error in ["1e-6", "1e-9"] {
        let entry = format!("{{gamma: {{mean: 4%, sd: 3%}}, error: {error}}}");
        let model = investment(&entry, "0.032");
        let answer = solve(&model, &Options::default());
        assert_eq!(built_at(&answer, &model), "12", "{error}");
        let welfare = answer.welfare(model.start());
        assert_eq!(welfare.exact, None);
        // The printed digits are the nearest ones.
        let half = q(1, 2_000_000_000);
        assert!(agree(&welfare, &[&truth - &half, &truth + &half]), "{welfare:?}");
        let allowed = 2.0 * 60.0 * parse_rational(error).unwrap().to_f64();
        assert!(welfare.enclosure.width() <= allowed, "{welfare:?}");
    }
}

#[test]
fn the_green_book_waits_for_the_rate_to_fall_below_the_yield() {
    let printed = |value: &Value| format!("{:.10}", value.enclosure.midpoint());
    for (yields, year, worth) in [("0.032", "30", Some("0.0574268169")), ("0.028", "75", None), ("0.022", "125", None)]
    {
        let model = investment("{schedule: green-book}", yields);
        let answer = solve(&model, &Options::default());
        assert_eq!(answer.claim(), Claim::Optimal);
        assert_eq!(built_at(&answer, &model), year, "{yields}");
        let welfare = answer.welfare(model.start());
        assert!(worth.is_none_or(|worth| printed(&welfare) == worth), "{welfare:?}");
    }
    // Built at once it is worth little.
    let model = investment("{schedule: green-book}", "0.032");
    let now = Strategy::Counting(CountingStrategy::positional([1.into(), 2.into()]));
    let worth = evaluate(&model, &now, &Options::default()).unwrap().welfare(model.start());
    assert_eq!(printed(&worth), "0.0022506807");
}

#[test]
fn certificates_of_stated_preferences_are_accepted() {
    for seed in 0..150 {
        let small = small(&mut Rng::new(30_000 + seed), &[0, 1, 2, 3, 6, 7, 8, 8]);
        let model = Model::from_yaml(&small.text()).unwrap();
        let answer = solve(&model, &Options { keep_proof: true, ..Options::default() });
        let certificate = answer.certificate(&model).unwrap().to_bytes().unwrap();
        // By the checker's own reading of the file, where it reads it.
        let file = if small.principals.iter().any(|(stated, _)| stated.begins_undiscounted()) {
            model.canonical()
        } else {
            small.text().into_bytes()
        };
        let verdict = commonweal_check::check(&file, certificate.as_slice(), commonweal_check::WORK);
        assert!(matches!(verdict, Ok(commonweal_check::Verdict::Accepted(_))), "{verdict:?} of\n{}", small.text());
    }
}

#[test]
fn a_difference_of_which_few_digits_are_known_is_written_like_its_neighbours() {
    use commonweal::internals::text::numbers::{in_column, signed};
    let between = |lower: f64, upper: f64| Value::from(commonweal::numbers::Enclosure::new(lower, upper));
    assert_eq!(signed(&between(24.19, 24.21)), "+24.2");
    assert_eq!(in_column(&between(-0.02421, -0.02419)), "−0.0242");
    assert_eq!(in_column(&between(1.0e7, 1.0005e7)), "1.00e7");
}

/// A gap that the approximation of a preference makes impossible is not said to be reached, and the error that is named for it does.
#[test]
fn bounds_that_an_approximation_widens_are_not_said_to_be_within_the_gap() {
    let solved = |error: &str, engine: Engine| {
        let model = investment(&format!("{{gamma: {{mean: 4%, sd: 3%}}, error: {error}}}"), "0.032");
        let answer = solve(&model, &Options { engine, ..Options::default() });
        let bounds = answer.welfare(model.start()).enclosure;
        // The printed digits are the nearest ones.
        let (truth, half) = (0.854134276, 5e-10);
        assert!(bounds.lower() <= truth + half && truth - half <= bounds.upper(), "{bounds:?}");
        let Claim::Within { gap, scale } = answer.claim() else { panic!("{}", answer.claim()) };
        assert!(bounds.width() <= gap * scale, "the claim is as wide as the bounds");
        (answer.misses_gap(), gap)
    };
    for gap in [1e-5, 1e-7, 1e-9] {
        let (misses, proven) = solved("1e-3", Engine::Within(gap));
        assert!(proven > gap);
        let factor = misses.expect("an error of a thousandth is far wider");
        // What the answer advises is enough.
        let (misses, proven) = solved(&format!("{:e}", 1e-3 * factor), Engine::Within(gap));
        assert!(misses.is_none() && proven <= gap, "{gap:e}: {proven:e}");
    }
    // A gap wider than the approximation is reached; without one, nothing is missed.
    assert_eq!(solved("1e-6", Engine::Within(1e-2)).0, None);
    assert_eq!(solved("1e-3", Engine::Auto).0, None);
}

/// The same of searches: a gap that the approximation makes impossible is not said to be reached, the error that is named for it reaches
/// it, and a threshold inside the error is not said to be decided.
#[test]
fn a_search_does_not_claim_what_an_approximation_leaves_open() {
    // The weights are (1 + j/10)^-4 = 10^4 (10 + j)^-4, and building at once is best: 0.6 times their sum from step 1 on, less 1.
    let first_ten: f64 = (1..=10).map(|m| f64::from(m).powi(-4)).sum();
    let truth = 0.6 * 1e4 * (std::f64::consts::PI.powi(4) / 90.0 - first_ten) - 1.0;
    let asked = |search: fn(&Mdp, &SearchOptions) -> Search, error: f64, gap: Option<&str>, threshold: Option<f64>| {
        let number = |text: &str| parse_rational(text).unwrap();
        let threshold = threshold.map(|threshold| number(&format!("{threshold:.6}")));
        let options = SearchOptions { gap: gap.map(number), threshold, ..SearchOptions::default() };
        let entry = format!("{{gamma: {{mean: 40%, sd: 20%}}, error: {error:e}}}");
        let found = search(&investment(&entry, "0.6").exact(), &options);
        let bounds = [found.welfare.enclosure.lower(), found.upper];
        // The closed form in doubles is off by far less than a billionth.
        assert!(bounds[0] <= truth + 1e-9 && truth - 1e-9 <= bounds[1], "{truth} is not in {bounds:?}");
        (found.outcome, found.misses_gap, bounds[1] - bounds[0], found.answer)
    };
    for search in [positional, stationary] {
        for gap in ["1e-2", "1e-4"] {
            let width_asked = gap.parse::<f64>().unwrap() * truth;
            let (outcome, misses, width, _) = asked(search, 1e-2, Some(gap), None);
            assert_eq!(outcome, SearchOutcome::Stopped(StopReason::Approximation), "{gap}");
            assert!(width > width_asked, "{gap}: {width}");
            let enough = 1e-2 * misses.expect("the error is the reason");
            let (outcome, misses, width, _) = asked(search, enough, Some(gap), None);
            assert_eq!((outcome, misses), (SearchOutcome::WithinGap, None), "{gap}");
            assert!(width <= 1.01 * width_asked, "{gap}: {width}");
        }
        // Nothing is missed if nothing was asked for, or a gap that is wider than the error.
        for gap in [None, Some("1/2")] {
            let (outcome, misses, ..) = asked(search, 1e-2, gap, None);
            assert_eq!((outcome, misses), (SearchOutcome::WithinGap, None), "{gap:?}");
        }
        let answered = |threshold: f64| {
            let (outcome, misses, _, answer) = asked(search, 1e-2, None, Some(threshold));
            assert_eq!(misses, None);
            (answer.unwrap(), outcome)
        };
        assert_eq!(answered(truth - 0.2).0, ThresholdAnswer::Yes);
        assert_eq!(answered(truth + 0.2).0, ThresholdAnswer::No);
        for inside in [truth - 0.02, truth + 0.02] {
            let open = (ThresholdAnswer::Unknown, SearchOutcome::Stopped(StopReason::Approximation));
            assert_eq!(answered(inside), open);
        }
    }
}

/// A model of this many states in which the first principal discounts by a gamma mixture, the second at 3 % and the third by `third`.
fn three(rng: &mut Rng, n_states: usize, third: &str) -> Model {
    Model::from_yaml(&three_as_text(rng, n_states, third)).unwrap()
}

fn three_as_text(rng: &mut Rng, n_states: usize, third: &str) -> String {
    let choice = |rng: &mut Rng| {
        let rewards = (0..3).map(|_| rng.within(-9, 9)).collect();
        let first = rng.index(n_states);
        let second = (first + 1 + rng.index(n_states - 1)) % n_states;
        (rewards, vec![(first, rng.within(1, 9)), (second, rng.within(1, 9))])
    };
    let states = (0..n_states).map(|_| (0..3).map(|_| choice(rng)).collect()).collect();
    let rate = |percent: i64| (Stated::Rate(q(percent, 100), None), 1);
    let text = Small { principals: vec![rate(4), rate(3), rate(7)], states }.text();
    let text = text.replacen("{rate: 1/25}", "{gamma: {mean: 4%, sd: 3%}}", 1);
    text.replacen("{rate: 7/100}", third, 1)
}

/// The values of 46 discounts from 0 to nearly 1 are all found, also where sweeps undo what a solve gained.
#[test]
fn sixty_states_with_a_gamma_principal_and_two_others_are_solved() {
    let mut rng = Rng::new(60);
    for trial in 0..40 {
        let third = ["{rate: 7%}", "{beta: 0.7, delta: 0.95}"][trial % 2];
        let text = three_as_text(&mut rng, 60, third);
        let model = Model::from_yaml(&text).unwrap();
        let options = Options { stop: StopSignal::after(Duration::from_secs(60)), ..Options::default() };
        let answer = solve(&model, &options);
        let claim = answer.claim();
        assert!(matches!(claim, Claim::Within { gap, .. } if gap <= 1e-5), "trial {trial}: {claim}");
        if trial < 4 {
            let right = followed(&read_model(&text).unwrap(), &answer);
            for (p, right) in right.into_iter().enumerate() {
                let told = answer.payoff(p.into(), model.start()).enclosure;
                let rounding = 1e-7 * right.abs().max(1.0);
                assert!(told.lower() <= right + rounding && right - rounding <= told.upper(), "{told:?}, not {right}");
                assert!(told.width() <= 1e-4 * right.abs().max(100.0), "{told:?} for {right}");
            }
        }
    }
}

/// What the first two principals of [`three`] get from the start if an answer is followed: the expected reward of each step in doubles, times the
/// weights that they state. After 3,000 steps the chain has mixed, and the rest is the last reward times the sum of all weights that follow: by
/// Euler and Maclaurin's formula, for (1 + jm/a)^(−a) with mean m and a the square of mean over standard deviation.
fn followed(model: &Mdp, answer: &Answer) -> [f64; 2] {
    const STEPS: usize = 3_000;
    let (mean, a) = (0.04f64, 16.0 / 9.0);
    let base = |j: usize| 1.0 + j as f64 * mean / a;
    let mut share = vec![0.0; model.n_states()];
    share[model.start().index()] = 1.0;
    let mut sums = [0.0; 2];
    let mut last = [0.0; 2];
    for step in 0..STEPS {
        let mut next = vec![0.0; model.n_states()];
        last = [0.0; 2];
        for state in model.states() {
            let choice = answer.strategy().choice(state, &step.into());
            let own = share[state.index()];
            for (p, last) in last.iter_mut().enumerate() {
                *last += own * model.rewards(choice)[p].to_f64();
            }
            model.transitions(choice).for_each(|(target, chance)| next[target.index()] += own * chance.to_f64());
        }
        sums[0] += base(step).powf(-a) * last[0];
        sums[1] += 1.03f64.powi(-(step as i32)) * last[1];
        share = next;
    }
    let integral = a / mean * base(STEPS).powf(1.0 - a) / (a - 1.0);
    let rest = integral + base(STEPS).powf(-a) / 2.0 + mean / 12.0 * base(STEPS).powf(-a - 1.0);
    [sums[0] + rest * last[0], sums[1]]
}

/// A gamma mixture with an error of a tenth, beside a schedule and without one: what is told of changes holds for the weights that are stated,
/// of which the first is 1, and what the error leaves open is not told.
#[test]
fn what_is_explained_of_a_rough_mixture_includes_its_error() {
    let states = "states:\n  idea: {build: {reward: -1, to: built}, wait: {to: idea}}\n  built: {run: {reward: 0.032, to: built}}\n";
    let explained = |others: &str, error: &str| {
        let gamma = format!("gov: {{gamma: {{mean: 4%, sd: 3%}}, error: {error}}}");
        let model = Model::from_yaml(&format!("principals: {{{gamma}{others}}}\n{states}")).unwrap();
        let answer = solve(&model, &Options { engine: Engine::Exact, ..Options::default() });
        (explain(&model, &answer, 0, 100, &StopSignal::default()).unwrap(), answer)
    };
    for others in ["", ", minister: {rate: 3%, until: 3}"] {
        let judged = |error: &str| -> Vec<Option<Ordering>> {
            let (explained, _) = explained(others, error);
            let judge = explained.judges.iter().position(|name| name == "gov").unwrap();
            explained.turns.iter().map(|turn| turn.better[judge]).collect()
        };
        // A step sooner or later is worth a thousandth of the cost.
        assert!(judged("1e-1").iter().all(Option::is_none), "{others}: {:?}", judged("1e-1"));
        let known = judged("1e-9");
        assert!(!known.is_empty() && known.iter().all(Option::is_some), "{others}: {known:?}");
    }
    // Whoever waits once at step t, and builds then, saves d(t) and forgoes 1.032 d(t + 1), with d(t) = (1 + t·0.04/a)^(−a) and a = (4/3)².
    let (explained, answer) = explained(", minister: {rate: 3%, until: 3}", "1e-1");
    assert_eq!(answer.strategy().tail(0.into()).index(), 0, "the end is to build");
    let d = |t: u64| (1.0 + t as f64 * 0.04 * 9.0 / 16.0).powf(-16.0 / 9.0);
    let mut n_told = 0;
    for segment in &explained.earlier {
        for own in segment.deviations.as_ref().unwrap().iter().filter(|own| own.state.index() == 0) {
            let step = own.pays.map_or(segment.from, |(first, _)| first);
            let (told, right) = (own.changes[0], d(step) - 1.032 * d(step + 1));
            assert!(told.lower() <= right && right <= told.upper(), "{told:?}, not {right}, at step {step}");
            n_told += 1;
        }
    }
    assert!(n_told > 0);
}

/// A mixture beside segments: the bounds on what the long-term strategy earns are as narrow as those on the welfare, in fractions
/// as in doubles, and agree.
#[test]
fn long_term_figures_of_mixtures_beside_segments_are_narrow() {
    let mut rng = Rng::new(7);
    for trial in 0..6 {
        let third = ["{schedule: {0: 7%, 31: 2%}}", "{rate: 7%, until: 40}"][trial % 2];
        let model = three(&mut rng, 4, third);
        let solved = |engine: Engine| solve(&model, &Options { engine, ..Options::default() });
        let answers = [solved(Engine::Exact), solved(Engine::Within(1e-9))];
        let [exact, certified] = answers.each_ref().map(|answer| answer.long_term_welfare(model.start()).enclosure);
        let width = answers[0].welfare(model.start()).enclosure.width();
        assert!(exact.width() <= 1.01 * width && certified.width() <= 1.01 * width, "{exact:?} {certified:?}");
        assert!(exact.lower() <= certified.upper() && certified.lower() <= exact.upper(), "{exact:?} {certified:?}");
    }
}

/// Steps before a schedule's first key are not discounted, and its name in tables says so.
#[test]
fn a_schedule_that_begins_late_begins_with_a_rate_of_0() {
    let label = |schedule: &str| {
        let text = format!("principals: {{p: {{schedule: {schedule}}}}}\nstates: {{s: {{a: {{reward: 1, to: s}}}}}}\n");
        Model::from_yaml(&text).unwrap().principals()[0].preference().to_string()
    };
    assert_eq!(label("{5: 3%}"), "0% to 3%");
    assert_eq!(label("{2: 3%, 9: 1%}"), "between 0% and 3%");
    // Step 0 counts 1 in any case.
    assert_eq!([label("{0: 3%}"), label("{1: 3%}"), label("{0: 3%, 31: 3%}")], ["rate 3%"; 3]);
    assert_eq!(label("{1: 3.5%, 31: 3%}"), "3.5% to 3%");
    assert_eq!(label("{1: 3%, 9: 7%, 31: 3%}"), "between 3% and 7%");
    assert_eq!(label("{5: 7%, 9: 2%}"), "between 0% and 7%");
}

/// The Green Book in months: weights of tens of thousands of digits. The oracle adds up the weights of 30,000 months in doubles and
/// tries every month to build in.
#[test]
fn a_schedule_of_three_hundred_years_in_months_is_solved() {
    const RATES: [(usize, f64); 6] =
        [(0, 0.287), (372, 0.2466), (912, 0.206), (1512, 0.165), (2412, 0.124), (3612, 0.083)];
    const YIELD: f64 = 0.00262;
    let entries: Vec<String> = RATES.iter().map(|(from, rate)| format!("{from}: {rate}%")).collect();
    let text = format!(
        "step: month\nprincipals: {{society: {{schedule: {{{}}}}}}}\nstates:\n  idea: {{wait: {{to: idea}}, build: {{reward: -1, to: built}}}}\n  built: {{run: {{reward: {YIELD}, to: built}}}}\n",
        entries.join(", ")
    );
    let model = Model::from_yaml(&text).unwrap();
    let answer = solve(&model, &Options::default());
    let rate = |step: usize| RATES.iter().rev().find(|(from, _)| *from <= step).expect("from step 0 on").1 / 100.0;
    let mut weights = vec![1.0f64];
    (1..30_000).for_each(|step| weights.push(weights[step - 1] / (1.0 + rate(step))));
    let mut later = weights[29_999] / (RATES[5].1 / 100.0);
    let mut best = (f64::NEG_INFINITY, 0);
    for step in (0..29_999).rev() {
        later += weights[step + 1];
        let earned = YIELD * later - weights[step];
        best = if earned >= best.0 { (earned, step) } else { best };
    }
    let welfare = answer.welfare(model.start()).enclosure;
    assert!((welfare.midpoint() - best.0).abs() < 1e-9 && welfare.width() < 1e-9, "{welfare:?} {best:?}");
    let changes: Vec<String> =
        answer.strategy().changes(model.start()).iter().map(|change| change.from.to_string()).collect();
    assert_eq!(changes.get(1), Some(&best.1.to_string()), "{changes:?}");
}
