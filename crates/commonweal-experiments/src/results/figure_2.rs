//! The reduction from 3-SAT, for the formula of the figure. [Thm. 1, App. B.2, Fig. 2]

use crate::claim::{Claim, Exact, Example, Printed};
use crate::paper::{self, Solved, exact, positional};
use commonweal::internals::evaluation::Payoffs;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Rational, parse_rational, sum};

const LITERALS: [&str; 6] = ["x", "not x", "y", "not y", "z", "not z"];
/// The thick edges of the figure: x true, y and z false.
const SATISFYING: [(&str, &str); 12] = [
    ("C1'", "x"),
    ("C2'", "not y"),
    ("C3'", "not z"),
    ("Vx", "not x"),
    ("Vy", "y"),
    ("Vz", "z"),
    ("x", "top"),
    ("not x", "bot"),
    ("y", "bot"),
    ("not y", "top"),
    ("z", "bot"),
    ("not z", "top"),
];

pub fn example() -> Example {
    let Solved { model, solution, .. } = &Solved::of(paper::THREE_SAT);
    let all_to = |sink| positional(model, &LITERALS.map(|literal| (literal, sink)));
    let (top, bot) = (all_to("top"), all_to("bot"));
    let short = |payoffs: &Payoffs, p| along(model, payoffs, "Vx", p);
    let welfare = |payoffs: &Payoffs, first: &str| sum((0..2).map(|p| along(model, payoffs, first, p)));
    let satisfying = positional(model, &SATISFYING);
    let from_start = |payoffs: &Payoffs| exact(payoffs.welfare(model.start()));
    // The figure has as many clauses as variables.
    let number = |text| parse_rational(text).expect("a fraction");
    let (m, n) = (number("3"), number("3"));
    let threshold = (&m * number("13049/2156250") + &n * number("113/43125")) / (m + n);
    let with_threshold = |id, what, ours| {
        let printed = Printed::Formula("(m·c_ℓ + n·c_s)/(m + n)", vec![threshold.clone()]);
        Claim::new(id, what, printed, Exact::Values(vec![ours]))
    };
    let claims = vec![
        Claim::number("sat/p0-top", "short to ⊤: Principal 0", "729/14375 ≈ 0.0507", short(&top, 0)),
        Claim::number("sat/p0-bot", "short to ⊥: Principal 0", "−729/14375 ≈ −0.0507", short(&bot, 0)),
        Claim::number("sat/p1-top", "short to ⊤: Principal 1", "−4/75 = −0.053̄", short(&top, 1)),
        Claim::number("sat/p1-bot", "short to ⊥: Principal 1", "4/75 = 0.053̄", short(&bot, 1)),
        Claim::number("sat/short-top", "short to ⊤: welfare", "−113/43125 ≈ −0.003", welfare(&top, "Vx")),
        Claim::number("sat/short-bot", "short to ⊥: c_s", "113/43125 ≈ 0.003", welfare(&bot, "Vx")),
        Claim::number("sat/long-top", "long to ⊤: c_ℓ", "13049/2156250 ≈ 0.006", welfare(&top, "C1")),
        Claim::number("sat/long-bot", "long to ⊥: welfare", "−13049/2156250 ≈ −0.006", welfare(&bot, "C1")),
        with_threshold("sat/satisfying", "the figure's strategy", from_start(&satisfying)),
        with_threshold("sat/optimum", "best of all strategies", exact(solution.welfare(model.start()))),
        Claim::new(
            "sat/non-negative",
            "every literal to ⊤",
            Printed::Property("< 0", |welfare| *welfare < Rational::ZERO),
            Exact::Values(vec![from_start(&top)]),
        )
        .noting("By the sketch only a satisfying strategy is non-negative; this one is no assignment.".to_owned()),
    ];
    Example { title: "3-SAT reduction [Fig. 2, App. B.2]".to_owned(), claims }
}

/// What a principal gets on the paths from s0 whose first step leads to `first`.
fn along(model: &Mdp, payoffs: &Payoffs, first: &str, p: usize) -> Rational {
    let state = model.find_state(first).expect("a state of the paper");
    // Nothing is paid at s0 itself.
    model.principals()[p].patience() * exact(payoffs.payoff(p.into(), state))
}
