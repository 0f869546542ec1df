//! Models that were once answered wrongly, each named for what broke.

use commonweal::internals::exact::solve;
use commonweal::internals::io::read_model;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::{Answer, Claim, Options};

fn solved(name: &str) -> (commonweal::internals::model::Mdp, Answer) {
    let path = format!("{}/../../models/regressions/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let model = read_model(&std::fs::read_to_string(path).expect("a regression model")).expect("a valid model");
    let solution = solve(&model, &Options::default());
    assert_eq!(solution.claim(), Claim::Optimal);
    (model, solution)
}

fn welfare(name: &str) -> Rational {
    let (model, solution) = solved(name);
    solution.welfare(model.start()).exact.expect("an exact welfare")
}

#[test]
fn a_discount_of_zero_may_pay_at_step_0_and_nowhere_else() {
    assert_eq!(welfare("discount-zero-deviates-at-step-0"), Rational::from(4));
    assert_eq!(solved("discount-zero-behind-a-jump").1.welfare_enclosure(0.into()).lower(), 4.0);
}

#[test]
fn products_too_small_for_doubles_are_no_ties() {
    // By backward induction in fractions: b at step 0 leads to waiting at step 2.
    assert_eq!(welfare("products-below-the-doubles"), parse_rational("83e-350").unwrap());
}

#[test]
fn no_choice_of_primes_is_taken_for_granted() {
    // V = 1/(1 − λ) with λ = (P + 1)/(2P + 1) and P the product of the primes that are tried: 2 + 1/P.
    let prime = |below: u64| Rational::from((1u64 << 61) - below);
    let product = prime(1) * prime(31) * prime(45);
    assert_eq!(welfare("determinant-divided-by-every-prime"), Rational::from(2) + Rational::ONE / product);
}

/// In fractions a3 is worth more than a0 at step 5,108 and less at 5,109: both have the same row, so
/// 5 λ_1^t − 3 λ_0^t decides.
#[test]
fn a_sum_too_near_to_zero_for_doubles_is_no_tie() {
    let (model, solution) = solved("same-row-too-near-for-doubles");
    let discount = |p: usize| model.principals()[p].discount().expect("one discount").clone();
    let over = |t: isize| Rational::from(5) * discount(1).pow(t) - Rational::from(3) * discount(0).pow(t);
    assert!(over(5_108) > Rational::ZERO && over(5_109) < Rational::ZERO);
    let changes = solution.strategy().changes(0.into());
    let names: Vec<String> = changes.iter().map(|change| model.action_name(change.choice).into_owned()).collect();
    assert_eq!(names, ["a3", "a0"]);
    assert_eq!(changes[1].from, 5_109u32.into());
}
