//! The family whose discounts approach each other. [App. B.1]

use crate::claim::{Claim, Exact, Example, Printed};
use crate::paper::{self, choice, exact, positional};
use commonweal::internals::exact::Advantages;
use commonweal::internals::exact::horizon::horizon;
use commonweal::internals::exact::long_term;
use commonweal::internals::exponential_sum::DiscountRatios;
use commonweal::internals::model::{IntegerRows, Mdp};
use commonweal::internals::number::{Rational, parse_rational};
use commonweal::internals::principals;
use commonweal::internals::stop::StopSignal;
use commonweal::internals::strategy::Step;

/// The members that the paper gives figures for.
const SIZES: [i64; 3] = [10, 100, 1000];

/// A member of the family with the quantities of the paper.
struct Member {
    n: Rational,
    model: Mdp,
    /// Δ of moving from S1 to S2, most patient first.
    advantages: [Rational; 2],
    horizon: Step,
}

pub fn example() -> Example {
    let members = SIZES.map(Member::new);
    let formula = |id, what: &str, text, printed: fn(&Rational) -> Rational, ours: &dyn Fn(&Member) -> Rational| {
        let printed = members.iter().map(|member| printed(&member.n)).collect();
        Claim::new(id, what, Printed::Formula(text, printed), Exact::Values(members.iter().map(ours).collect()))
    };
    let stay = |p: usize| move |member: &Member| member.payoff("stay", p);
    let go = |p: usize| move |member: &Member| member.payoff("move", p);
    let imbalance = |n: &Rational| Rational::from(4) * n - Rational::from(2) - Rational::from(2) / n;
    let fits = members.iter().all(|member| member.imbalance() == imbalance(&member.n));
    let kappa = |id, member: &Member, printed| {
        let what = format!("κ for n = {}", member.n);
        Claim::new(
            id,
            what,
            Printed::Number(printed),
            Exact::Readings(vec![("horizon", Rational::from(&member.horizon))]),
        )
    };
    let [ten, hundred, thousand] = &members;
    let claims = vec![
        formula(
            "spacing/stay-0",
            "staying: principal 1",
            "2 + 1/(n − 1)",
            |n| two() + Rational::ONE / (n - Rational::ONE),
            &stay(0),
        ),
        formula("spacing/stay-1", "staying: principal 2", "0", |_| Rational::ZERO, &stay(1)),
        formula("spacing/move-0", "moving: principal 1", "2", |_| two(), &go(0)),
        formula("spacing/move-1", "moving: principal 2", "4 + 2/n", |n| Rational::from(4) + two() / n, &go(1)),
        formula(
            "spacing/imbalance",
            "imbalance of advantages",
            "40n − 2 − 2/n",
            |n| Rational::from(40) * n - two() - two() / n,
            &Member::imbalance,
        )
        .noting(fits.then(|| "These are 4n − 2 − 2/n: the 0 is too much.".to_owned())),
        formula(
            "spacing/ratio",
            "λ_2/λ_1",
            "1 − 1/(2n² + n)",
            |n| Rational::ONE - Rational::ONE / (two() * n * n + n),
            &|member| member.discount(1) / member.discount(0),
        ),
        formula("spacing/spacing", "1/(λ_1/λ_2 − 1)", "2n² + n − 1", closeness, &Member::spacing),
        Claim::new(
            "spacing/logarithm",
            "ln(λ_1/λ_2)",
            Printed::Formula("≈ 2n² + n − 1", members.iter().map(|member| closeness(&member.n)).collect()),
            Exact::Between(members.iter().map(Member::logarithm).collect()),
        )
        .noting("It is the reciprocal of the logarithm that is about 2n² + n − 1.".to_owned()),
        kappa("spacing/kappa-10", ten, "762"),
        kappa("spacing/kappa-100", hundred, "120324"),
        kappa("spacing/kappa-1000", thousand, "165953878"),
    ];
    Example { title: "Spacing example, for n = 10, 100, 1000 [App. B.1]".to_owned(), claims }
}

fn two() -> Rational {
    Rational::from(2)
}

/// 2n² + n − 1.
fn closeness(n: &Rational) -> Rational {
    two() * n * n + n - Rational::ONE
}

impl Member {
    fn new(n: i64) -> Member {
        let discount = |text: String| parse_rational(&text).expect("a fraction");
        let model = paper::model(paper::SPACED_10)
            .with_discount(0.into(), discount(format!("{n}/{}", 2 * n - 1)))
            .and_then(|model| model.with_discount(1.into(), discount(format!("{}/{}", n + 1, 2 * n + 1))))
            .expect("discounts below 1");
        let ordered = principals::order(&model);
        let rows = IntegerRows::of(&model);
        let long_term = long_term::solve(&ordered, &rows, &StopSignal::default()).expect("nothing stops it");
        let advantages = Advantages::over(&ordered, &rows, &long_term.values[..], |c| long_term.allowed[c.index()]);
        // No step is unravelled: the horizon is found by bisection, however far it is.
        let horizon = horizon(&ordered, &advantages, &DiscountRatios::of(&ordered), &StopSignal::default())
            .expect("nothing stops it");
        let moving = choice(&model, "S1", "move");
        let of_principal = |i| advantages.exact(model.state_of(moving), moving, i);
        let advantages = [of_principal(0), of_principal(1)];
        Member { n: Rational::from(n), model, advantages, horizon }
    }

    fn payoff(&self, action: &str, p: usize) -> Rational {
        let state = self.model.find_state("S1").expect("a state of the paper");
        exact(positional(&self.model, &[("S1", action)]).payoff(p.into(), state))
    }

    /// How many times the loss of the first principal the gain of the second is.
    fn imbalance(&self) -> Rational {
        let [loss, gain] = &self.advantages;
        gain / -loss
    }

    fn discount(&self, p: usize) -> &Rational {
        self.model.principals()[p].patience()
    }

    fn spacing(&self) -> Rational {
        Rational::ONE / (self.discount(0) / self.discount(1) - Rational::ONE)
    }

    /// What ln(λ_1/λ_2) lies between: 1 − 1/x < ln x < x − 1.
    fn logarithm(&self) -> (Rational, Rational) {
        let ratio = self.discount(0) / self.discount(1);
        (Rational::ONE - Rational::ONE / &ratio, ratio - Rational::ONE)
    }
}
