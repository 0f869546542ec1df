//! Every scheme against plain elimination in fractions, and against the others.

use super::*;
use crate::number::{Integer, Natural, Rational};
use crate::parallel;
use proptest::prelude::*;
use reconstruction::Expansion;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A policy: a discount and, for each state, its transitions and its reward.
#[derive(Debug, Clone)]
struct Policy {
    discount: Rational,
    states: Vec<(Vec<(usize, Rational)>, Rational)>,
}

fn never() -> impl Fn() -> bool + Sync {
    || false
}

fn fraction(numerator: i64, denominator: u64) -> Rational {
    Rational::from_parts(numerator.into(), denominator.into())
}

impl Policy {
    /// Probabilities are proportional to the weights, of which at least one is positive.
    fn new(discount: Rational, states: Vec<(Vec<(usize, Natural)>, Rational)>) -> Policy {
        let normalised = |weights: Vec<(usize, Natural)>| {
            let total: Natural = weights.iter().map(|(_, weight)| weight).sum();
            weights.into_iter().map(|(target, w)| (target, Rational::from_parts(w.into(), total.clone()))).collect()
        };
        let states = states.into_iter().map(|(weights, reward)| (normalised(weights), reward)).collect();
        Policy { discount, states }
    }

    fn system(&self) -> IntegerSystem {
        let mut system = IntegerSystem::new(self.states.len());
        for (state, (transitions, reward)) in self.states.iter().enumerate() {
            let transitions = transitions.iter().map(|(target, probability)| (*target, probability));
            system.push_state(state, &self.discount, transitions, reward);
        }
        system
    }

    /// The rows of I − λP with R as the last column.
    fn augmented_rows(&self) -> Vec<Vec<Rational>> {
        let n = self.states.len();
        let row = |state: usize| {
            let (transitions, reward) = &self.states[state];
            let mut row = vec![Rational::ZERO; n + 1];
            row[state] = Rational::ONE;
            for (target, probability) in transitions {
                row[*target] -= &self.discount * probability;
            }
            row[n] = reward.clone();
            row
        };
        (0..n).map(row).collect()
    }

    /// Gauss and Jordan, in fractions. The diagonal is never 0.
    fn solve_in_fractions(&self) -> Vec<Rational> {
        let mut rows = self.augmented_rows();
        let n = rows.len();
        for pivot in 0..n {
            let inverse = Rational::ONE / &rows[pivot][pivot];
            rows[pivot].iter_mut().for_each(|entry| *entry *= &inverse);
            let pivot_row = rows[pivot].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|&(state, _)| state != pivot) {
                let factor = row[pivot].clone();
                row.iter_mut().zip(&pivot_row).for_each(|(entry, other)| *entry -= &factor * other);
            }
        }
        rows.into_iter().map(|row| row[n].clone()).collect()
    }

    fn is_solved_by(&self, values: &ExactVector) -> bool {
        let value = |state: usize| Rational::from_integer(values.numerators[state].clone());
        let denominator = Rational::from_integer(values.denominator.clone().into());
        self.states.iter().enumerate().all(|(state, (transitions, reward))| {
            let terms = transitions.iter().map(|(target, p)| p * value(*target));
            let expected = terms.fold(Rational::ZERO, |sum, term| sum + term);
            value(state) == reward * &denominator + &self.discount * expected
        })
    }
}

fn words(system: &IntegerSystem) -> &Rows<i64> {
    match system.coefficients() {
        Coefficients::Words(rows) => rows,
        _ => panic!("this system fits 64-bit words"),
    }
}

fn by_elimination(rows: &Rows<i64>) -> Result<ExactVector, Obstacle> {
    lift_with(Factors::of(rows.off_diagonals(|&entry| entry as f64), f64::INFINITY, &never())?, rows, &never())
}

fn by_sweeps(rows: &Rows<i64>) -> Result<ExactVector, Obstacle> {
    lift_with(GaussSeidel::new(&rows.off_diagonals(|&entry| entry as f64), MOST_SWEEPS), rows, &never())
}

fn discounts() -> impl Strategy<Value = Rational> {
    prop_oneof![
        Just(Rational::ZERO),
        Just(fraction(1, 1_000_000_007)),
        Just(fraction(1, 2)),
        Just(fraction(9, 10)),
        Just(fraction(999_999, 1_000_000)),
        Just(fraction(999_999_999_999_999, 1_000_000_000_000_000)),
        (0u64..u64::MAX, 1u64..u64::MAX).prop_map(|(a, b)| Rational::from_parts(a.min(b - 1).into(), b.into())),
        (any::<[u64; 3]>()).prop_map(|words| {
            let denominator = Natural::from_words(&words) + Natural::from(2u8);
            Rational::from_parts(Integer::from(&denominator - Natural::ONE), denominator)
        }),
    ]
}

/// Weights that are all small, or all long and without a common factor.
fn weights(n: usize, long: bool) -> BoxedStrategy<Vec<(usize, Natural)>> {
    let weight = if long {
        any::<[u64; 2]>().prop_map(|words| Natural::from_words(&words) + Natural::ONE).boxed()
    } else {
        (1u64..100).prop_map(Natural::from).boxed()
    };
    prop::collection::btree_map(0..n, weight, 1..=n.min(5)).prop_map(|weights| weights.into_iter().collect()).boxed()
}

fn rewards() -> impl Strategy<Value = Rational> {
    prop_oneof![
        Just(Rational::ZERO),
        (-100i64..100).prop_map(Rational::from),
        (any::<i64>(), 1u64..1000).prop_map(|(a, b)| fraction(a, b)),
        (any::<i128>(), 1u128..).prop_map(|(a, b)| Rational::from_parts(a.into(), b.into())),
    ]
}

fn policies() -> impl Strategy<Value = Policy> {
    let states = (1usize..=12, prop::bool::weighted(0.3)).prop_flat_map(|(n, long)| {
        prop_oneof![
            3 => prop::collection::vec((weights(n, long), rewards()), n),
            // Small numbers throughout, so that the doubles are put to work.
            3 => prop::collection::vec((weights(n, false), (-100i64..100).prop_map(Rational::from)), n),
            // Every state absorbing.
            1 => prop::collection::vec(rewards(), n).prop_map(|rewards| {
                let row = |(state, reward)| (vec![(state, Natural::ONE)], reward);
                rewards.into_iter().enumerate().map(row).collect::<Vec<_>>()
            }),
            // One cycle through all states.
            1 => prop::collection::vec(rewards(), n).prop_map(move |rewards| {
                let row = |(state, reward): (usize, Rational)| (vec![((state + 1) % n, Natural::ONE)], reward);
                rewards.into_iter().enumerate().map(row).collect::<Vec<_>>()
            }),
            // Nothing is ever earned.
            1 => prop::collection::vec((weights(n, long), Just(Rational::ZERO)), n),
        ]
    });
    (discounts(), states).prop_map(|(discount, states)| Policy::new(discount, states))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn every_policy_has_the_values_that_elimination_in_fractions_gives(policy in policies()) {
        let values = solve(&policy.system(), &never()).unwrap();
        let expected = policy.solve_in_fractions();
        let found: Vec<Rational> = (0..values.len()).map(|state| values.get(state)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_denominator_is_the_least_common_one(policy in policies()) {
        use dashu_base::Gcd;
        let values = solve(&policy.system(), &never()).unwrap();
        let shared = values.numerators.iter().fold(values.denominator.clone(), |gcd, numerator| gcd.gcd(numerator));
        prop_assert!(shared.is_one());
    }

    #[test]
    fn every_scheme_that_applies_gives_the_same_answer(policy in policies()) {
        let system = policy.system();
        let expected = solve(&system, &never()).unwrap();
        match system.coefficients() {
            Coefficients::Words(rows) => {
                prop_assert_eq!(&padic::solve(rows, &never()).unwrap(), &expected);
                prop_assert_eq!(&padic::solve(&rows.map(|&entry| entry as i128), &never()).unwrap(), &expected);
                prop_assert_eq!(&padic::solve(&rows.map(|&entry| Integer::from(entry)), &never()).unwrap(), &expected);
                // Doubles may give up for discounts near 1, but are never wrong. Sweeps without deflation take 33 / (1 − λ).
                for (lifted, patience) in [(by_elimination(rows), 999_999), (by_sweeps(rows), 998_000)] {
                    let gave_up = lifted.is_err() && policy.discount >= fraction(patience, 1_000_000);
                    prop_assert!(gave_up || lifted.as_ref() == Ok(&expected), "{:?}", lifted);
                }
            }
            Coefficients::Wide(rows) => {
                prop_assert_eq!(&padic::solve(&rows.map(|&entry| Integer::from(entry)), &never()).unwrap(), &expected);
            }
            Coefficients::Big(_) => {}
        }
    }
}

#[test]
fn sweeps_converge_where_deflation_does_not() {
    // All rewards at one side of a cycle of two: a period that the power iteration for π must not follow.
    let weights = |weights: &[(usize, u8)]| weights.iter().map(|&(to, weight)| (to, Natural::from(weight))).collect();
    let states = vec![
        (weights(&[(0, 9), (1, 1)]), Rational::ZERO),
        (weights(&[(0, 1)]), Rational::ONE),
        (weights(&[(0, 1)]), Rational::ZERO),
    ];
    let policy = Policy::new(fraction(9, 10), states);
    assert!(policy.is_solved_by(&by_sweeps(words(&policy.system())).unwrap()));
}

/// An expansion whose combination has lost the whole denominator.
struct Blind<X>(X);

impl<X: Expansion> Expansion for Blind<X> {
    type Prefix<'a>
        = X::Prefix<'a>
    where
        X: 'a;

    fn advance(&mut self) -> Result<(), Obstacle> {
        self.0.advance()
    }

    fn precision(&self) -> usize {
        self.0.precision()
    }

    fn combination(&self) -> (Vec<u64>, Vec<u64>) {
        (self.0.combination().0, vec![])
    }

    fn prefix(&self, bits: usize) -> Option<X::Prefix<'_>> {
        self.0.prefix(bits)
    }
}

#[test]
fn factors_that_the_combination_lost_are_found_by_the_components() {
    // Values of denominators 2·3·5, 7·11, … up to 13 and 85 bits in all.
    for denominators in [vec![30i64, 77, 26, 121], vec![(1 << 31) - 1, 3, (1 << 50) - 27, 9]] {
        let mut system = IntegerSystem::new(denominators.len());
        for (state, &denominator) in denominators.iter().enumerate() {
            system.push_row([(state, Integer::from(denominator))], Integer::ONE);
        }
        let rows = words(&system);
        let factors = Factors::of(rows.off_diagonals(|&entry| entry as f64), f64::INFINITY, &never()).unwrap();
        let demand = Dyadic::<Factors<f64>>::demand(rows);
        let expansion = Blind(Dyadic::new(rows, factors, demand));
        let values = reconstruction::lift(expansion, rows, demand, &never()).unwrap();
        assert_eq!(Some(values), solve(&system, &never()));
    }
}

#[test]
fn a_wrong_numerator_or_denominator_is_noticed() {
    let system = random_graph(50, fraction(9, 10)).system();
    let values = solve(&system, &never()).unwrap();
    assert!(words(&system).are_solved_by(&values.numerators, &values.denominator));
    for state in 0..values.len() {
        let mut wrong = values.numerators.clone();
        wrong[state] += Integer::ONE;
        assert!(!words(&system).are_solved_by(&wrong, &values.denominator));
    }
    assert!(!words(&system).are_solved_by(&values.numerators, &(&values.denominator + Natural::ONE)));
}

/// A deterministic source of small numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// A policy on `n` states whose successors are what `targets` says, with weights below 100.
fn medium(n: usize, discount: Rational, targets: impl Fn(usize, &mut Dice) -> Vec<usize>) -> Policy {
    let mut dice = Dice(n as u64);
    let states = (0..n).map(|state| {
        let mut targets = targets(state, &mut dice);
        targets.sort();
        targets.dedup();
        let weights = targets.into_iter().map(|target| (target, Natural::from(1 + dice.below(30)))).collect();
        (weights, Rational::from(dice.below(201) as i64 - 100))
    });
    Policy::new(discount, states.collect())
}

fn random_graph(n: usize, discount: Rational) -> Policy {
    medium(n, discount, |_, dice| (0..5).map(|_| dice.below(n as u64) as usize).collect())
}

fn ring(n: usize, discount: Rational) -> Policy {
    medium(n, discount, |state, _| vec![(state + 1) % n])
}

fn grid(side: usize, discount: Rational) -> Policy {
    medium(side * side, discount, |state, _| {
        let (row, column) = (state / side, state % side);
        let neighbours = [(row.max(1) - 1, column), ((row + 1).min(side - 1), column), (row, column.max(1) - 1)];
        neighbours
            .iter()
            .map(|(row, column)| row * side + column)
            .chain([row * side + (column + 1).min(side - 1)])
            .collect()
    })
}

fn acyclic(n: usize, discount: Rational) -> Policy {
    medium(n, discount, |state, dice| {
        let later = |dice: &mut Dice| (state + 1 + dice.below(40) as usize).min(n - 1);
        (0..3).map(|_| later(dice)).collect()
    })
}

fn assert_schemes_agree(policy: &Policy) {
    let system = policy.system();
    let rows = words(&system);
    let values = solve(&system, &never()).unwrap();
    assert!(policy.is_solved_by(&values));
    assert_eq!(by_elimination(rows), Ok(values.clone()));
    assert_eq!(by_sweeps(rows), Ok(values.clone()));
    assert_eq!(padic::solve(rows, &never()), Ok(values));
}

#[test]
fn all_schemes_agree_on_a_random_graph() {
    assert_schemes_agree(&random_graph(450, fraction(9, 10)));
}

#[test]
fn all_schemes_agree_on_a_ring() {
    assert_schemes_agree(&ring(300, fraction(9, 10)));
}

#[test]
fn all_schemes_agree_on_a_grid() {
    assert_schemes_agree(&grid(17, fraction(3, 10)));
}

#[test]
fn all_schemes_agree_without_cycles() {
    assert_schemes_agree(&acyclic(500, fraction(99, 100)));
}

#[test]
fn a_million_steps_of_patience_still_lift_in_doubles() {
    let discount = fraction(999_999, 1_000_000);
    for policy in [random_graph(200, discount.clone()), ring(200, discount.clone()), grid(14, discount)] {
        let system = policy.system();
        let values = by_elimination(words(&system)).unwrap();
        assert!(policy.is_solved_by(&values));
        assert_eq!(solve(&system, &never()), Some(values));
    }
}

#[test]
fn too_patient_for_doubles_falls_back_on_a_prime() {
    let mut policy = random_graph(60, fraction((1 << 52) - 1, 1 << 52));
    policy.states.iter_mut().enumerate().for_each(|(state, (_, reward))| *reward = Rational::from(state as i64 % 2));
    let system = policy.system();
    assert_eq!(by_elimination(words(&system)), Err(Obstacle::TooFewBits));
    assert!(policy.is_solved_by(&solve(&system, &never()).unwrap()));
}

#[test]
fn sweeps_that_converge_slowly_give_way_to_elimination() {
    let policy = grid(25, fraction(9_999, 10_000));
    let system = policy.system();
    let rows = words(&system);
    let mut sweeps = GaussSeidel::new(&rows.off_diagonals(|&entry| entry as f64), MANY_SWEEPS);
    let trial = sweeps.apply(rows.rhs(), &mut vec![0.0; rows.len()]);
    assert_eq!(trial, Err(Obstacle::TooManySweeps));
    assert!(policy.is_solved_by(&solve(&system, &never()).unwrap()));
}

#[test]
fn a_prime_that_divides_the_determinant_is_replaced() {
    let primes: Vec<i64> = padic::PRIME_OFFSETS.iter().map(|offset| (1 << 61) - *offset as i64).collect();
    let mut system = IntegerSystem::new(2);
    system.push_row([(0, Integer::from(primes[0])), (1, Integer::from(-5))], Integer::from(7));
    system.push_row([(1, Integer::from(primes[1]))], Integer::from(1));
    let Coefficients::Wide(rows) = system.coefficients() else { panic!("a row of 2^61 is wide") };
    assert_eq!(padic::solve_modulo::<1, _>(rows, &never()), Err(Obstacle::ZeroPivot));
    assert_eq!(padic::solve_modulo::<31, _>(rows, &never()), Err(Obstacle::ZeroPivot));
    let values = solve(&system, &never()).unwrap();
    assert_eq!(values.get(1), Rational::from_parts(1.into(), (primes[1] as u64).into()));
    assert_eq!(values.get(0) * Rational::from(primes[0]) - Rational::from(5) * values.get(1), Rational::from(7));
}

#[test]
fn the_answer_is_the_same_with_one_thread_and_with_two() {
    let system = random_graph(500, fraction(9, 10)).system();
    let with_threads = |n: usize| parallel::on_threads(Some(n), || solve(&system, &never()));
    assert_eq!(with_threads(1), with_threads(2));
}

/// The answer, and how many times `solve` asked whether to stop.
fn solve_counting_steps(system: &IntegerSystem, stop_at: usize) -> (Option<ExactVector>, usize) {
    let asked = AtomicUsize::new(0);
    let values = solve(system, &|| asked.fetch_add(1, Ordering::Relaxed) >= stop_at);
    (values, asked.into_inner())
}

#[test]
fn a_stop_ends_every_scheme_without_an_answer() {
    let in_doubles = random_graph(500, fraction(9, 10)).system();
    let modulo_a_prime = random_graph(100, fraction(999_999_999_999_999, 1_000_000_000_000_000)).system();
    for system in [in_doubles, modulo_a_prime] {
        let (values, n_asked) = solve_counting_steps(&system, usize::MAX);
        assert!(values.is_some());
        for stop_at in [0, n_asked / 2, n_asked - 1] {
            assert_eq!(solve_counting_steps(&system, stop_at), (None, stop_at + 1));
        }
    }
}

#[test]
fn a_short_answer_ends_the_lifting_early() {
    // Everyone earns 1 for ever: all values are 10, however large the determinant is.
    let mut policy = random_graph(500, fraction(9, 10));
    policy.states.iter_mut().for_each(|(_, reward)| *reward = Rational::ONE);
    let (values, n_asked) = solve_counting_steps(&policy.system(), usize::MAX);
    assert_eq!(values.unwrap(), ExactVector { numerators: vec![10.into(); 500], denominator: Natural::ONE });
    assert!(n_asked < 20, "{n_asked} steps");
}

#[test]
fn rewards_beyond_the_digits_of_a_double_are_exact() {
    let reward = |state: i64| Rational::from((1i64 << 50) + state);
    let states = (0..20).map(|state| (vec![((state as usize * 7 + 1) % 20, Natural::ONE)], reward(state))).collect();
    let policy = Policy::new(fraction(999, 1000), states);
    let system = policy.system();
    let values = by_elimination(words(&system)).unwrap();
    assert!(policy.is_solved_by(&values));
}

#[test]
fn nothing_to_solve_is_solved() {
    assert_eq!(solve(&IntegerSystem::new(0), &never()), Some(ExactVector::zeros(0)));
}

#[test]
fn rows_are_reduced_and_repeated_columns_added_up() {
    let mut system = IntegerSystem::new(2);
    let entry = |column: usize, value: i64| (column, Integer::from(value));
    system.push_row([entry(0, 40), entry(1, -6), entry(0, -10), entry(1, -3)], Integer::from(12));
    system.push_row([entry(1, 5)], Integer::from(-10));
    let rows = words(&system);
    assert_eq!(rows.iter().next(), Some(([0u32, 1].as_slice(), [10i64, -3].as_slice())));
    assert_eq!(rows.rhs(), [4, -2]);
    assert_eq!(solve(&system, &never()).unwrap().get(0), fraction(-1, 5));
}

#[test]
#[should_panic(expected = "row 0 is not of the form")]
fn a_row_without_a_dominant_diagonal_is_refused() {
    IntegerSystem::new(2).push_row([(0, Integer::from(3)), (1, Integer::from(-4))], Integer::ONE);
}
