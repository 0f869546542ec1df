//! The four worked examples of the appendix. [W1–W4]

use crate::claim::{Claim, Exact, Example, Printed, prints_as};
use crate::paper::{self, Solved};
use commonweal::internals::explain::Deviation;
use commonweal::internals::model::StateId;
use commonweal::internals::number::Rational;

pub fn examples() -> Vec<Example> {
    vec![first(), second_as_drawn(), second_with_reward(), third(), fourth()]
}

fn example(title: &str, claims: Vec<Claim>) -> Example {
    Example { title: title.to_owned(), claims }
}

fn kappa(id: &'static str, printed: &'static str, solved: &Solved) -> Claim {
    Claim::new(id, "κ", Printed::Number(printed), Exact::Readings(solved.kappa()))
}

fn first() -> Example {
    let solved = Solved::of(paper::HOTEL);
    let deviation = solved.deviation("s0", "a");
    let least = deviation.advantages.iter().cloned().map(paper::exact).min().expect("there are principals");
    let (now, next) = (solved.change(deviation, 0), solved.change(deviation, 1));
    let sums = (now > Rational::ZERO && next > Rational::ZERO)
        .then(|| format!("The sums over both principals are positive: {now} at step 0, {next} at step 1."));
    let claims = vec![
        Claim::words("1/long-term", "long-term strategy", "s0→b, s1→b", solved.long_term()),
        Claim::number("1/v0", "V_0(s0)", "11", solved.value(0)),
        Claim::number("1/v1", "V_1(s0)", "2", solved.value(1)),
        Claim::number("1/long-term-welfare", "V_0(s0) + V_1(s0)", "13", solved.value(0) + solved.value(1)),
        Claim::new(
            "1/differences",
            "Δ_0(s0, a, i), the least",
            Printed::Property("> 0", |least| *least > Rational::ZERO),
            Exact::Values(vec![least]),
        )
        .noting(sums),
        kappa("1/kappa", "2", &solved),
        Claim::words("1/strategy", "optimal strategy", "s0→a, s0→a, s0→b, (s1→b)^ω", solved.run()),
        Claim::number("1/gain", "gain", "1.2", solved.gain()),
        Claim::number("1/welfare", "welfare", "14.2", solved.welfare()),
    ];
    example("Worked example 1: the hotel [W1]", claims)
}

/// What the paper prints about example 2, against either reading of its figure.
fn second(solved: &Solved, ids: [&'static str; 6]) -> Vec<Claim> {
    const STRATEGY: &str = "s0→b, s1→d, s2→e, s3→f";
    let [long_term, v0, v1, kappa_id, strategy, welfare] = ids;
    vec![
        Claim::words(long_term, "long-term strategy", STRATEGY, solved.long_term()),
        Claim::number(v0, "V_0(s0)", "21.83", solved.value(0)),
        Claim::number(v1, "V_1(s0)", "1.79", solved.value(1)),
        kappa(kappa_id, "1", solved),
        // The printed strategy speaks of all states; of those that a run from s0 reaches, it must be the optimal one.
        Claim::words(strategy, "optimal strategy from s0", "s0→b, s3→f", solved.positional()),
        Claim::number(welfare, "welfare", "23.62", solved.welfare()),
    ]
}

fn second_as_drawn() -> Example {
    let ids = ["2-drawn/long-term", "2-drawn/v0", "2-drawn/v1", "2-drawn/kappa", "2-drawn/strategy", "2-drawn/welfare"];
    let claims = second(&Solved::of(paper::EXAMPLE_2), ids);
    example("Worked example 2 as drawn, with no reward for b in s0 [W2]", claims)
}

fn second_with_reward() -> Example {
    let solved = Solved::of(paper::EXAMPLE_2_WITH_REWARD);
    let mut claims = second(&solved, ["2/long-term", "2/v0", "2/v1", "2/kappa", "2/strategy", "2/welfare"]);
    let (change, greatest) = greatest_change(&solved, |_| Some(0));
    let model = &solved.model;
    let place = format!("({}, {})", model.state_name(greatest.state), model.action_name(greatest.choice));
    let reached = solved.deviation("s0", "a");
    let at_start = solved.change(reached, 0);
    let holds = (at_start <= Rational::ZERO)
        .then(|| format!("It is {place} that pays. For (s0, a), at hand when the run starts, the statement holds."));
    claims.push(
        Claim::new(
            "2/discarded",
            "Σ_i Δ_0 of the discarded",
            Printed::Property("≤ 0 for all", |greatest| *greatest <= Rational::ZERO),
            Exact::Values(vec![change]),
        )
        .noting(holds),
    );
    example("Worked example 2 with reward 1.04 for b in s0, which the figure leaves out [W2]", claims)
}

fn third() -> Example {
    const V1: &str = "1.00001̄";
    let solved = Solved::of(paper::EXAMPLE_3);
    let reached = first_steps(&solved);
    let (change, _) = greatest_change(&solved, |state| reached[state.index()]);
    let by_a = solved.value(1) + &paper::exact(solved.deviation("s0", "a").advantages[1].clone());
    let instead =
        prints_as(&by_a, V1).then(|| format!("The printed number is what action a would give Principal 1: {by_a}."));
    let claims = vec![
        Claim::words("3/long-term", "long-term strategy", "s0→b, s1→d, s2→f, s3→g, s4→h, s5→k", solved.long_term()),
        Claim::number("3/v0", "V_0(s0)", "1072.2294", solved.value(0)),
        Claim::number("3/v1", "V_1(s0)", V1, solved.value(1)).noting(instead),
        kappa("3/kappa", "1", &solved),
        Claim::new(
            "3/removed",
            "Σ_i Δ_j of the removed",
            Printed::Property("≤ 0 for all", |greatest| *greatest <= Rational::ZERO),
            Exact::Values(vec![change]),
        ),
        Claim::words("3/strategy", "optimal strategy", "s0→b, s1→d, s2→f, (s3→g)^ω", solved.run()),
        Claim::number("3/welfare", "welfare", "1073.23", solved.welfare()),
    ];
    example("Worked example 3 [W3]", claims)
}

fn fourth() -> Example {
    let solved = Solved::of(paper::EXAMPLE_4);
    let long_term = "s0→b, s1→d, s2→f, s3→g, s4→j, s5→k, s6→m";
    let claims = vec![
        Claim::words("4/long-term", "long-term strategy", long_term, solved.long_term()),
        Claim::number("4/v0", "V_0(s0)", "117.45", solved.value(0)),
        Claim::number("4/v1", "V_1(s0)", "0.19", solved.value(1)),
        kappa("4/kappa", "2", &solved),
        Claim::words("4/strategy", "optimal strategy", "s0→a, s4→j, s1→d, s2→f, (s3→g)^ω", solved.run()),
        Claim::number("4/gain", "gain", "4.69", solved.gain()),
        Claim::number("4/welfare", "welfare", "122.33", solved.welfare()),
    ];
    example("Worked example 4 [W4]", claims)
}

/// The greatest D_j of a deviation, at the step that `step` names for its state, and the deviation. States without one
/// are left out.
fn greatest_change(solved: &Solved, step: impl Fn(StateId) -> Option<usize>) -> (Rational, &Deviation) {
    let deviations = solved.explanation.deviations.iter();
    let changes = deviations.filter_map(|deviation| {
        let step = step(deviation.state)?;
        Some((solved.change(deviation, step), deviation))
    });
    changes.max_by(|(left, _), (right, _)| left.cmp(right)).expect("there is a deviation")
}

/// The first step at which each state can be reached, if it can.
fn first_steps(solved: &Solved) -> Vec<Option<usize>> {
    let model = &solved.model;
    let mut first = vec![None; model.n_states()];
    let (mut layer, mut step) = (vec![model.start()], 0);
    while !layer.is_empty() {
        layer.retain(|state| first[state.index()].is_none());
        layer.iter().for_each(|state| first[state.index()] = Some(step));
        let choices = layer.iter().flat_map(|&state| model.choices(state));
        layer = choices.flat_map(|choice| model.targets(choice)).copied().collect();
        step += 1;
    }
    first
}
