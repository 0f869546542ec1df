//! The case studies: the figures that their pages and the literature print, to all digits.

use commonweal::internals::Numbers;
use commonweal::internals::commitment::replanned;
use commonweal::preferences::Preference;
use commonweal::questions::{evaluate, positional};
use commonweal::strategies::CountingStrategy;
use commonweal::{Answer, Claim, Model, Options, Rational, Strategy, solve};

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
    let magnitude = number.clone().abs() * Rational::from(10).pow(digits);
    let units = (magnitude + Rational::from_quotient(1, 2)).floor().to_string();
    let padded = format!("{units:0>width$}", width = digits as usize + 1);
    let (whole, behind) = padded.split_at(padded.len() - digits as usize);
    format!("{}{whole}.{behind}", if *number < Rational::ZERO { "-" } else { "" })
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

/// The welfare and each principal's payoff if the plan is made anew at every step.
fn replanned_figures(model: &Model, answer: &Answer, digits: isize) -> Vec<String> {
    let strategy = Strategy::Counting(replanned(&model.exact(), answer));
    let found = evaluate(model, &strategy, &Options::default()).unwrap();
    let payoffs = (0..model.n_principals()).map(|p| found.payoff(p.into(), model.start()));
    let all = [found.welfare(model.start())].into_iter().chain(payoffs);
    all.map(|value| printed(&value.exact.unwrap(), digits)).collect()
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
    let fixed = positional(&model, &commonweal::questions::SearchOptions::default());
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
    assert_eq!(replanned_figures(&model, &answer, 6), ["90.049207", "39.599327", "50.449880"]);
}

#[test]
fn disagreement_cuts_sooner_than_the_mean_rate() {
    let model = study("abatement");
    let answer = solved(&model);
    let waits = |answer: &Answer, model: &Model, state| plan(answer, model, state);
    assert_eq!(waits(&answer, &model, "c1 old"), "0 go on, 25 cut");
    assert_eq!(waits(&answer, &model, "c2 old"), "0 go on, 11 cut");
    assert_eq!(waits(&answer, &model, "c4 old"), "0 cut");
    assert_eq!(replanned_figures(&model, &answer, 6), ["-34.506201", "-21.139451", "-13.366750"]);
    let replanned = worth(&model, &replanned(&model.exact(), &answer));
    assert_eq!(printed(&(welfare(&answer, &model) - replanned), 6), "6.892789");
    let fixed = positional(&model, &commonweal::questions::SearchOptions::default());
    assert_eq!(printed(&(welfare(&answer, &model) - fixed.welfare.exact.unwrap()), 6), "1.046708");
    let mean = at_rate(&model, "society", "0.0225");
    let alone = solved(&mean);
    let year = |text: &str| text.rsplit(", ").next().unwrap().split(' ').next().unwrap().parse::<u64>().unwrap();
    for state in ["c0 old", "c1 old", "c2 old"] {
        assert!(year(&waits(&alone, &mean, state)) >= year(&waits(&answer, &model, state)), "{state}");
    }
}

#[test]
fn the_textbook_figures_of_the_hiv_model_are_met() {
    // Over 20 years at 6 %, costs counted from the first transition on; lamivudine is paid for two years and works for two.
    let a = [
        "A: 1251/1734, B: 350/1734, C: 116/1734, D: 17/1734",
        "A: 1488153/1734000, B: 178150/1734000, C: 59044/1734000, D: 8653/1734000",
    ];
    let b = ["B: 731/1258, C: 512/1258, D: 15/1258", "B: 989757/1258000, C: 260608/1258000, D: 7635/1258000"];
    let c = ["C: 1312/1749, D: 437/1749", "C: 1526567/1749000, D: 222433/1749000"];
    let mut text = String::from("principals: {costs: {rate: 6%, until: 21}}\nstart: enter\nstates:\n");
    text += &format!("  enter: {{mono: {{to: {{{}}}}}, both: {{to: {{{}}}}}}}\n", a[0], a[1]);
    for (state, [mono, both], cost, more) in
        [("A", a, "5034", "7120.5"), ("B", b, "5330", "7416.5"), ("C", c, "11285", "13371.5")]
    {
        text += &format!("  {state}:\n    mono: {{reward: {cost}, to: {{{mono}}}}}\n");
        text +=
            &format!("    both: {{reward: {more}, to: {{{both}}}}}\n    last: {{reward: {more}, to: {{{mono}}}}}\n");
    }
    text += "  D: {none: {to: D}}\n";
    let model = Model::from_yaml(&text).unwrap();
    let structure = model.structure();
    let cost = |plan: &[(u64, &str)]| {
        let of = |state| {
            let change = |(from, action): &(u64, &str)| {
                let first = structure.choices(state).next().unwrap();
                let choice = structure.find_choice(state, action).unwrap_or(first);
                commonweal::strategies::Change { from: (*from).into(), choice }
            };
            plan.iter().map(change).collect()
        };
        let strategy = CountingStrategy::from_changes(structure, structure.states().map(of).collect());
        printed(&worth(&model, &strategy), 0)
    };
    assert_eq!(cost(&[(0, "mono")]), "44663.");
    assert_eq!(cost(&[(0, "both"), (2, "last"), (3, "mono")]), "50602.");
}

#[test]
fn the_green_book_investment_is_never_made_by_those_who_plan_anew() {
    let model = study("green-book-investment");
    let answer = solved(&model);
    assert_eq!(plan(&answer, &model, "idea"), "0 wait, 30 build");
    assert_eq!(worth(&model, &replanned(&model.exact(), &answer)), Rational::ZERO);
}
