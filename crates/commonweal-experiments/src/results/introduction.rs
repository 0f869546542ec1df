//! The hotel of the introduction. [Ex. needmem]

use crate::claim::{Claim, Exact, Example, Printed, prints_as};
use crate::paper::{self, Solved, choice, exact, mixed};
use commonweal::StopSignal;
use commonweal::internals::evaluation::Payoffs;
use commonweal::internals::exact::own_best;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Rational, parse_rational, sum};
use commonweal::internals::strategy::{Change, CountingStrategy, Step, Strategy};

/// The longest delay whose payoffs are compared with the formula.
const LONGEST_DELAY: u32 = 4;
/// The paper's formula for the payoffs of a^k b^ω, which the title spells out, for each delay.
const F_OF: [&str; 5] = ["f(0)", "f(1)", "f(2)", "f(3)", "f(4)"];

pub fn example() -> Example {
    let hotel = Solved::of(paper::HOTEL);
    let model = &hotel.model;
    // a^k b^ω for every delay k, and a^ω.
    let waiting: Vec<Payoffs> =
        (0..=LONGEST_DELAY).map(|k| waiting(model, Some(k))).chain([waiting(model, None)]).collect();
    let welfare = |payoffs: &Payoffs| exact(payoffs.welfare(model.start()));
    let best = waiting.iter().map(welfare).max().expect("there are delays");
    let best = waiting.iter().position(|payoffs| welfare(payoffs) == best && best == hotel.welfare());
    let mut claims = vec![
        Claim::words("hotel/best", "best for both", "a²b^ω", name(best)),
        Claim::words("hotel/alice", "best for Alice alone", "b^ω", best_alone(model, 0, &waiting)),
        Claim::words("hotel/bob", "best for Bob alone", "a^ω", best_alone(model, 1, &waiting)),
        with_formula("hotel/never", None, model, &waiting),
    ];
    let ids = ["hotel/delay-0", "hotel/delay-1", "hotel/delay-2", "hotel/delay-3", "hotel/delay-4"];
    claims.extend(ids.iter().zip(0..).map(|(id, k)| with_formula(id, Some(k), model, &waiting)));
    claims.extend(mixes(model, &waiting));
    let title = "Introduction: the hotel, with f(k) = (3 − 4λ^k + 7λ^(k+1))/(1 − λ) [Ex. needmem]";
    Example { title: title.to_owned(), claims }
}

/// The exact payoffs of a^k b^ω, or of a^ω.
fn waiting(model: &Mdp, delay: Option<u32>) -> Payoffs {
    let (a, b, after) = (choice(model, "s0", "a"), choice(model, "s0", "b"), choice(model, "s1", "b"));
    let from = |step: u32, choice| Change { from: Step::from(step), choice };
    let before = match delay {
        None => vec![from(0, a)],
        Some(0) => vec![from(0, b)],
        Some(k) => vec![from(0, a), from(k, b)],
    };
    let strategy = CountingStrategy::from_changes(model, vec![before, vec![from(0, after)]]);
    paper::payoffs(model, &Strategy::Counting(strategy))
}

/// What the paper calls the strategy at that position of the list.
fn name(position: Option<usize>) -> String {
    const NAMES: [&str; 6] = ["b^ω", "a b^ω", "a²b^ω", "a³b^ω", "a⁴b^ω", "a^ω"];
    position.map_or("none of these", |position| NAMES[position]).to_owned()
}

fn best_alone(model: &Mdp, p: usize, waiting: &[Payoffs]) -> String {
    let best = own_best(model, p.into(), &StopSignal::default()).expect("nothing stops it").payoffs;
    let best = exact(best.value(model.start().index()));
    name(waiting.iter().position(|payoffs| exact(payoffs.payoff(p.into(), model.start())) == best))
}

/// Both payoffs beside the paper's formula for them.
fn with_formula(id: &'static str, delay: Option<u32>, model: &Mdp, waiting: &[Payoffs]) -> Claim {
    let (position, formula) = match delay {
        None => (waiting.len() - 1, "3/(1 − λ)"),
        Some(k) => (k as usize, F_OF[k as usize]),
    };
    let printed = model.principals().iter().map(|principal| {
        let discount = principal.patience();
        let numerator = match delay {
            None => Rational::from(3),
            Some(k) => {
                let power = |k: u32| discount.pow(k as isize);
                Rational::from(3) - Rational::from(4) * power(k) + Rational::from(7) * power(k + 1)
            }
        };
        numerator / (Rational::ONE - discount)
    });
    let ours: Vec<Rational> = (0..2).map(|p| exact(waiting[position].payoff(usize::into(p), model.start()))).collect();
    let what = format!("{}: Alice, Bob", name(Some(position)));
    let together = format!("together {}", sum(ours.iter().cloned()));
    Claim::new(id, what, Printed::Formula(formula, printed.collect()), Exact::Values(ours)).beside(together)
}

/// The stationary strategy of the introduction.
fn mixes(model: &Mdp, waiting: &[Payoffs]) -> Vec<Claim> {
    const PRINTED: &str = "13.6̄";
    let welfare = |payoffs: &Payoffs| exact(payoffs.welfare(model.start()));
    let a_with = |share: &str| {
        let share = parse_rational(share).expect("a fraction");
        let rest = Rational::ONE - &share;
        welfare(&mixed(model, "s0", &[("a", share), ("b", rest)]))
    };
    // Positional strategies take a for ever or b at once.
    let positional = [&waiting[0], &waiting[waiting.len() - 1]].map(welfare).into_iter().max().expect("two of them");
    let (quarter, three_quarters) = (a_with("1/4"), a_with("3/4"));
    let instead = prints_as(&three_quarters, PRINTED).then(|| {
        let over = &three_quarters - &positional;
        format!("With probability 3/4 it is the printed {three_quarters}, by {over} more than the best positional.")
    });
    vec![
        Claim::number("hotel/mix", "welfare, a with p = 1/4", PRINTED, quarter.clone()),
        Claim::new(
            "hotel/mix-against-positional",
            "  less best positional",
            Printed::Property("> 0", |difference| *difference > Rational::ZERO),
            Exact::Values(vec![quarter - &positional]),
        )
        .noting(instead),
    ]
}
