//! The report of `sweep`: points, changes, and their chart.

use super::json::{OrderedMap, StepJson, ValueJson};
use super::names::{in_column as name_in_column, shown};
use super::numbers::{discount, double, in_column, steps};
use super::table::{WIDTH, table, width};
use commonweal::Answer;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::Value;
use commonweal::internals::stop::StopReason;
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};
use serde::Serialize;

/// One discount, and what is best there.
#[derive(Serialize)]
pub struct Point {
    pub index: u64,
    pub discount: String,
    pub strategy: Option<String>,
    pub welfare: ValueJson,
    pub long_term_welfare: ValueJson,
    pub payoffs: OrderedMap<ValueJson>,
    pub horizon: StepJson,
    pub memory: StepJson,
    /// The changes between this point and the next.
    pub changes: Vec<ChangeJson>,
    #[serde(skip)]
    pub at: Value,
}

/// Where the strategy changes.
#[derive(Serialize, Clone)]
pub struct ChangeJson {
    /// The discount itself, where both strategies earn the same there and it is a short fraction.
    pub at: Option<String>,
    pub low: String,
    pub high: String,
    pub before: String,
    pub after: String,
    /// Whether further strategies lie between the two.
    pub crowded: bool,
    #[serde(skip)]
    pub place: f64,
    #[serde(skip)]
    pub welfare: f64,
}

impl Point {
    pub fn new(model: &Mdp, solution: &Answer, index: u64, at: Value, strategy: Option<String>) -> Point {
        let start = model.start();
        let payoff = |p: usize| (model.principals()[p].name.clone(), ValueJson(solution.payoff(p.into(), start)));
        Point {
            index,
            discount: at.exact.as_ref().expect("a grid point is exact").to_string(),
            strategy,
            welfare: ValueJson(solution.welfare(start)),
            long_term_welfare: ValueJson(solution.long_term_welfare(start)),
            payoffs: OrderedMap((0..model.n_principals()).map(payoff).collect()),
            horizon: StepJson(solution.horizon().clone()),
            memory: StepJson(solution.memory(start).clone()),
            changes: Vec::new(),
            at,
        }
    }
}

/// The whole sweep as one JSON document.
#[derive(Serialize)]
pub struct SweepJson<'a> {
    pub format: &'static str,
    pub principal: &'a str,
    pub from: String,
    pub to: String,
    pub steps: u64,
    pub start: String,
    /// How near to each other the ends of a change are.
    pub width: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub points: &'a [Point],
}

/// The sweep for people.
pub fn report(model: &Mdp, principal: &str, points: &[Point], stopped: Option<StopReason>) -> String {
    const ROWS: usize = 25;
    let start = shown(&model.state_name(model.start()));
    let mut text = String::new();
    if let Some(reason) = stopped {
        text += &format!("Stopped: {reason}. Points that were not solved are left out, and changes may be missing.\n");
    }
    text += &format!("Over the discount of {}, from {start}\n\n", shown(principal));
    let points: Vec<&Point> = points.iter().filter(|point| point.strategy.is_some()).collect();
    let every = points.len().div_ceil(ROWS).max(1);
    let mut header = vec![name_in_column(principal), "welfare".to_owned(), "long-term".to_owned()];
    let payoffs = model.n_principals() <= 4;
    if payoffs {
        header.extend(model.principals().iter().map(|principal| format!("to {}", name_in_column(&principal.name))));
    }
    header.extend(["horizon".to_owned(), "memory".to_owned()]);
    let row = |point: &&Point| {
        let exact = point.at.exact.as_ref().expect("a grid point is exact");
        let mut row = vec![discount(exact), in_column(&point.welfare.0), in_column(&point.long_term_welfare.0)];
        if payoffs {
            row.extend(point.payoffs.0.iter().map(|(_, payoff)| in_column(&payoff.0)));
        }
        row.extend([steps(&point.horizon.0), steps(&point.memory.0)]);
        row
    };
    let mut rows: Vec<Vec<String>> = points.iter().step_by(every).map(row).collect();
    let mut shown_table = table(&header.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    if width(&shown_table) > WIDTH && payoffs {
        // The principals' payoffs are in the file.
        let n = model.n_principals();
        rows.iter_mut().chain([&mut header]).for_each(|row| drop(row.drain(3..3 + n)));
        shown_table = table(&header.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    }
    text += &shown_table;
    if every > 1 {
        text += &format!("  (one in {every} of {} points; --csv and --json have them all)\n", points.len());
    }
    text += "\nChanges of strategy\n";
    let mut changes = points.iter().flat_map(|point| &point.changes).peekable();
    if changes.peek().is_none() {
        let strategy = points.first().and_then(|point| point.strategy.clone());
        text += &match (strategy, stopped) {
            (Some(strategy), None) => format!("  none found: {strategy}\n"),
            _ => "  none found before the stop\n".to_owned(),
        };
    }
    for change in changes {
        let at = match &change.at {
            Some(exact) => format!("{exact} ≈ {}", double(change.place)),
            None => format!("≈ {:.12}", change.place),
        };
        let crowded = if change.crowded { " (with others between)" } else { "" };
        text += &format!("  at {at}: {} → {}{crowded}\n", change.before, change.after);
    }
    text
}

/// The points that were solved as comma-separated values: decimals, and the welfare as a fraction too where it is exact.
pub fn csv(model: &Mdp, points: &[Point]) -> String {
    let mut text = String::from("index,discount,discount_decimal,welfare,welfare_exact,long_term_welfare");
    for principal in model.principals() {
        text += &format!(",{}", field(&format!("payoff {}", principal.name)));
    }
    text += ",horizon,memory,strategy\n";
    let decimal = |value: &Value| format!("{}", value.enclosure.midpoint());
    for point in points.iter().filter(|point| point.strategy.is_some()) {
        let exact = point.welfare.0.exact.as_ref().and_then(super::json::exact_text).unwrap_or_default();
        let mut fields = vec![
            point.index.to_string(),
            point.discount.clone(),
            decimal(&point.at),
            decimal(&point.welfare.0),
            exact,
            decimal(&point.long_term_welfare.0),
        ];
        fields.extend(point.payoffs.0.iter().map(|(_, payoff)| decimal(&payoff.0)));
        fields.extend([point.horizon.0.to_string(), point.memory.0.to_string()]);
        fields.push(field(point.strategy.as_deref().unwrap_or_default()));
        text += &fields.join(",");
        text.push('\n');
    }
    text
}

fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Welfare and payoffs over the discount, with the changes of strategy on the welfare's curve.
pub fn chart(model: &Mdp, principal: &str, points: &[Point]) -> Chart {
    const DRAWN: usize = 5;
    let solved: Vec<&Point> = points.iter().filter(|point| point.strategy.is_some()).collect();
    let curve = |name: String, mark: Mark, of: &dyn Fn(&Point) -> &Value| Series {
        name,
        points: solved.iter().map(|p| (p.at.enclosure.midpoint(), of(p).enclosure.midpoint())).collect(),
        mark,
    };
    let mut series = vec![
        curve("welfare".to_owned(), Mark::Line, &|point| &point.welfare.0),
        curve("welfare, long-term strategy".to_owned(), Mark::Dashed, &|point| &point.long_term_welfare.0),
    ];
    let n = model.n_principals();
    for (p, principal) in model.principals().iter().enumerate().take(DRAWN).filter(|_| n > 1) {
        let name = format!("payoff of {}", shown(&principal.name));
        series.push(curve(name, Mark::Line, &move |point| &point.payoffs.0[p].1.0));
    }
    let changes: Vec<&ChangeJson> = points.iter().flat_map(|point| &point.changes).collect();
    let mut caption = match changes.len() {
        0 => "No change of strategy was found.".to_owned(),
        1 => "The strategy changes once.".to_owned(),
        count => format!("The strategy changes {count} times."),
    };
    if solved.len() < points.len() {
        caption += &format!(" Stopped: {} of {} points were not solved.", points.len() - solved.len(), points.len());
    }
    if n > DRAWN {
        caption += &format!(" The payoffs of the first {DRAWN} of {n} principals are drawn.");
    }
    if !changes.is_empty() {
        series.push(Series {
            name: "strategy changes".to_owned(),
            points: changes.iter().map(|change| (change.place, change.welfare)).collect(),
            mark: Mark::Points,
        });
    }
    Chart {
        title: format!("Welfare and payoffs over the discount of {}", shown(principal)),
        caption: Some(caption),
        x: Axis { label: format!("discount of {}", shown(principal)), scale: Scale::Linear },
        y: Axis {
            label: format!("expected discounted payoff from {}", shown(&model.state_name(model.start()))),
            scale: Scale::Linear,
        },
        series,
    }
}
