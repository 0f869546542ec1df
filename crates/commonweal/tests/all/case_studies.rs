//! The case studies: the figures that their pages and the literature print, to all digits.

use commonweal::internals::commitment::replanned;
use commonweal::{
    Answer, Claim, CountingStrategy, Model, Options, Preference, Rational, Strategy, evaluate, positional, solve,
};

fn study(name: &str) -> Model {
    let path = format!("{}/../../models/case-studies/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    Model::read(path).unwrap()
}

fn solved(model: &Model) -> Answer {
    let answer = solve(model, &Options::default());
    assert_eq!(answer.claim(), Claim::Optimal);
    answer
}

/// A number with as many digits behind the point as a page prints.
fn printed(number: &Rational, digits: isize) -> String {
    let units = (number * Rational::from(10).pow(digits) + Rational::from_quotient(1, 2)).floor().to_string();
    let (whole, behind) = units.split_at(units.len() - digits as usize);
    format!("{whole}.{behind}")
}

fn welfare(answer: &Answer, model: &Model) -> Rational {
    answer.welfare(model.start()).exact.unwrap()
}

/// What is done in a state, and from when on.
fn plan(answer: &Answer, model: &Model, state: &str) -> String {
    let changes = answer.strategy().changes(model.find_state(state).unwrap());
    let told = changes.iter().map(|change| format!("{} {}", change.from, model.structure().action_name(change.choice)));
    told.collect::<Vec<_>>().join(", ")
}

fn at_rate(model: &Model, principal: &str, rate: &str) -> Model {
    let principal = model.find_principal(principal).unwrap();
    model.clone().with_preference(principal, &Preference::rate(rate.parse().unwrap())).unwrap()
}

fn worth(model: &Model, strategy: &CountingStrategy) -> Rational {
    let evaluated = evaluate(model, &Strategy::Counting(strategy.clone()), &Options::default()).unwrap();
    evaluated.welfare(model.start()).exact.unwrap()
}

#[test]
fn combination_therapy_waits_nine_years_in_c() {
    let model = study("two-rates-in-health-care");
    let answer = solved(&model);
    assert_eq!(printed(&welfare(&answer, &model), 2), "65437.18");
    assert_eq!(plan(&answer, &model, "A"), "0 combination");
    assert_eq!(plan(&answer, &model, "B"), "0 combination");
    assert_eq!(plan(&answer, &model, "C"), "0 mono, 9 combination");
    let fixed = positional(&model, &commonweal::SearchOptions::default());
    assert_eq!(printed(&fixed.welfare.exact.unwrap(), 2), "64736.10");
    assert_eq!(printed(&worth(&model, &replanned(&model.exact(), &answer)), 2), "62556.69");
    let dutch = at_rate(&model, "spending", "0.03");
    let answer = solved(&dutch);
    assert_eq!(printed(&welfare(&answer, &dutch), 2), "60359.36");
    assert_eq!(plan(&answer, &dutch, "C"), "0 mono, 13 combination");
    let equal = at_rate(&model, "health", "0.035");
    let answer = solved(&equal);
    for state in ["A", "B", "C"] {
        assert!(!plan(&answer, &equal, state).contains(','), "no waiting in {state}");
    }
}

#[test]
fn the_fishery_recovers_after_twenty_years() {
    let model = study("fishery");
    let answer = solved(&model);
    assert_eq!(printed(&welfare(&answer, &model), 6), "94.159505");
    assert_eq!(plan(&answer, &model, "18"), "0 land 8, 20 land 3, 21 land 2");
    assert_eq!(plan(&answer, &model, "16"), "0 land 8, 19 land 6, 20 land 1, 21 land 0");
}

#[test]
fn disagreement_cuts_sooner_than_the_mean_rate() {
    let model = study("abatement");
    let answer = solved(&model);
    let waits = |answer: &Answer, model: &Model, state| plan(answer, model, state);
    assert_eq!(waits(&answer, &model, "c1 old"), "0 go on, 25 cut");
    assert_eq!(waits(&answer, &model, "c2 old"), "0 go on, 11 cut");
    assert_eq!(waits(&answer, &model, "c4 old"), "0 cut");
    let mean = at_rate(&model, "society", "0.0225");
    let alone = solved(&mean);
    let year = |text: &str| text.rsplit(", ").next().unwrap().split(' ').next().unwrap().parse::<u64>().unwrap();
    for state in ["c0 old", "c1 old", "c2 old"] {
        assert!(year(&waits(&alone, &mean, state)) >= year(&waits(&answer, &model, state)), "{state}");
    }
}
