//! `solve --compare`: the best strategy of each class side by side, and what simplicity costs.

use super::json::{Double, OrderedMap, ValueJson};
use super::names::{in_column as name_in_column, shown};
use super::numbers::{at_least, at_most, in_column};
use super::table::{WIDTH, table, width};
use commonweal::Answer;
use commonweal::internals::evaluation::{Payoffs, evaluate};
use commonweal::internals::exact::own_best;
use commonweal::internals::model::{Mdp, PrincipalId};
use commonweal::internals::number::{Rational, Value};
use commonweal::internals::search::{self, Search, SearchOptions, SearchOutcome};
use commonweal::internals::stop::StopSignal;
use commonweal::internals::strategy::Strategy;
use serde::Serialize;

/// One strategy of the comparison.
pub struct Compared {
    kind: Kind,
    welfare: Value,
    /// What no strategy of its class exceeds, unless the welfare is the class's best.
    upper: Option<f64>,
    /// Per principal of the file; empty if there was no time.
    payoffs: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Counting,
    Stationary,
    Positional,
    LongTerm,
    /// The best for one principal.
    Own(PrincipalId),
}

/// The solution, and the simpler strategies beside it; classes that are too hard for a moment with their bounds.
pub fn strategies(model: &Mdp, solution: &Answer, stop: &StopSignal) -> Vec<Compared> {
    let start = model.start();
    let principals = || (0..model.n_principals()).map(PrincipalId::from);
    // Nodes, not seconds: the same input gives the same bytes.
    const WORK: usize = 2_000_000;
    let node_limit = (WORK / model.n_choices()).clamp(1, 5_000) as u64;
    let options =
        |gap: &Rational| SearchOptions { gap: gap.clone(), node_limit, stop: stop.clone(), ..Default::default() };
    let millionth = Rational::from_quotient(1, 1_000_000);
    let mixed = search::stationary(model, &options(&millionth));
    let pure = search::positional(model, &options(&Rational::ZERO));
    let mut compared = vec![
        Compared {
            kind: Kind::Counting,
            welfare: solution.welfare(start),
            upper: None,
            payoffs: principals().map(|p| solution.payoff(p, start)).collect(),
        },
        found(model, Kind::Stationary, &mixed, stop),
        found(model, Kind::Positional, &pure, stop),
        Compared {
            kind: Kind::LongTerm,
            welfare: solution.long_term_welfare(start),
            upper: None,
            payoffs: principals().map(|p| solution.long_term_payoff(p, start)).collect(),
        },
    ];
    if model.n_principals() > 1 {
        let own = |p: PrincipalId| {
            let strategy = own_best(model, p, stop).ok()?.strategy;
            let payoffs = evaluate(model, &Strategy::Counting(strategy), stop).ok()?;
            let welfare = payoffs.welfare(start);
            Some(Compared { kind: Kind::Own(p), welfare, upper: None, payoffs: all_payoffs(model, &payoffs) })
        };
        compared.extend(principals().filter_map(own));
    }
    compared
}

fn found(model: &Mdp, kind: Kind, search: &Search, stop: &StopSignal) -> Compared {
    let payoffs = evaluate(model, &search.strategy, stop).ok();
    let best = search.outcome == SearchOutcome::Optimal;
    Compared {
        kind,
        welfare: search.welfare.clone(),
        upper: (!best).then_some(search.upper),
        payoffs: payoffs.map_or_else(Vec::new, |payoffs| all_payoffs(model, &payoffs)),
    }
}

fn all_payoffs(model: &Mdp, payoffs: &Payoffs) -> Vec<Value> {
    (0..model.n_principals()).map(|p| payoffs.payoff(p.into(), model.start())).collect()
}

/// The table: with everybody's payoffs if they fit the width.
pub fn report(model: &Mdp, compared: &[Compared]) -> String {
    let start = shown(&model.state_name(model.start()));
    let with_payoffs = comparison(model, compared, true);
    let fits = width(&with_payoffs) <= WIDTH;
    let body = if fits { with_payoffs } else { comparison(model, compared, false) };
    let mut text = format!("\nThe price of simplicity, from {start}\n{body}");
    let open: Vec<&Compared> = compared.iter().filter(|one| one.is_open()).collect();
    for one in open {
        let upper = at_most(one.upper.expect("an open class has an upper bound"));
        let name = one.name(model);
        text += &format!("  {name}: the best found; none earns more than {upper}\n");
    }
    if !fits {
        text += "  --json has what each principal gets\n";
    }
    text
}

fn comparison(model: &Mdp, compared: &[Compared], payoffs: bool) -> String {
    let mut header = vec!["strategy".to_owned(), "welfare".to_owned(), "costs".to_owned()];
    if payoffs {
        header.extend(model.principals().iter().map(|principal| name_in_column(&principal.name)));
    }
    let best = &compared[0].welfare;
    let row = |one: &Compared| {
        let mark = if one.is_open() { "≥ " } else { "" };
        let welfare = if one.is_open() { at_least(one.welfare.enclosure.lower()) } else { in_column(&one.welfare) };
        let mut row = vec![one.name(model), format!("{mark}{welfare}"), one.cost(best)];
        if payoffs {
            row.extend(one.payoffs.iter().map(in_column));
        }
        row
    };
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table(&header, &compared.iter().map(row).collect::<Vec<_>>())
}

impl Compared {
    /// Whether the class may hold a strategy that is noticeably better.
    fn is_open(&self) -> bool {
        let lower = self.welfare.enclosure.lower();
        // What is shown has about seven digits.
        self.upper.is_some_and(|upper| upper - lower > 1e-5 * lower.abs().max(upper.abs()))
    }

    fn name(&self, model: &Mdp) -> String {
        match self.kind {
            Kind::Counting => "best of all (counting)".to_owned(),
            Kind::Stationary => "best stationary".to_owned(),
            Kind::Positional => "best positional".to_owned(),
            Kind::LongTerm => "long-term".to_owned(),
            Kind::Own(p) => format!("best for {}", name_in_column(&model.principals()[p.index()].name)),
        }
    }

    /// What is lost against the best of all.
    fn cost(&self, best: &Value) -> String {
        if self.kind == Kind::Counting {
            return String::new();
        }
        let lost = match (&best.exact, &self.welfare.exact) {
            (Some(best), Some(own)) => Value::from(best - own),
            _ => Value::from(best.enclosure.plus(-self.welfare.enclosure)),
        };
        if self.is_open() { format!("≤ {}", at_most(lost.enclosure.upper())) } else { in_column(&lost) }
    }

    pub fn json(&self, model: &Mdp) -> ComparedJson {
        let (strategy, principal) = match self.kind {
            Kind::Counting => ("counting", None),
            Kind::Stationary => ("stationary", None),
            Kind::Positional => ("positional", None),
            Kind::LongTerm => ("long-term", None),
            Kind::Own(p) => ("best for principal", Some(model.principals()[p.index()].name.clone())),
        };
        let named = model.principals().iter().map(|principal| principal.name.clone());
        ComparedJson {
            strategy,
            principal,
            welfare: ValueJson(self.welfare.clone()),
            upper: self.upper.map(Double),
            payoffs: OrderedMap(named.zip(self.payoffs.iter().cloned().map(ValueJson)).collect()),
        }
    }
}

/// An entry of `comparison`.
#[derive(Serialize)]
pub struct ComparedJson {
    strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    welfare: ValueJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<Double>,
    payoffs: OrderedMap<ValueJson>,
}
