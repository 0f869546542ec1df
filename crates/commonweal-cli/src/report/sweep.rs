//! The report of `sweep`: points, changes, and their chart.

use super::csv::{field, number};
use super::names::{in_column as name_in_column, shown};
use super::numbers::{discount, double, in_column, steps};
use super::table::{WIDTH, table, width};
use commonweal::documents::exact_text;
use commonweal::internals::landscape::{PlayId, Sweep, SweepChange, SweepPoint, play_in_words};
use commonweal::internals::model::Structure;
use commonweal::internals::number::{Rational, Value};
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};

/// The sweep for people.
pub fn report(model: &Structure, sweep: &Sweep) -> String {
    const ROWS: usize = 25;
    let principal = principal(model, sweep);
    let start = shown(&model.state_name(model.start()));
    let mut text = String::new();
    if let Some(reason) = sweep.stopped {
        text += &format!("Stopped: {reason}. Points that were not solved are left out, and changes may be missing.\n");
    }
    text += &format!("Over the discount of {}, from {start}\n\n", shown(principal));
    let points = solved(sweep);
    let every = points.len().div_ceil(ROWS).max(1);
    let mut header = vec![name_in_column(principal), "welfare".to_owned(), "long-term".to_owned()];
    let payoffs = model.n_principals() <= 4;
    if payoffs {
        header.extend(model.principals().iter().map(|principal| format!("to {}", name_in_column(&principal.name))));
    }
    header.extend(["horizon".to_owned(), "memory".to_owned()]);
    let row = |point: &&SweepPoint| {
        let mut row = vec![discount(&point.discount), in_column(&point.welfare), in_column(&point.long_term_welfare)];
        if payoffs {
            row.extend(point.payoffs.iter().map(in_column));
        }
        row.extend([steps(&point.horizon), steps(&point.memory)]);
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
        let play = points.first().and_then(|point| point.label);
        text += &match (play, sweep.stopped) {
            (Some(play), None) => format!("  none found: {}\n", words(model, sweep, play)),
            _ => "  none found before the stop\n".to_owned(),
        };
    }
    for change in changes {
        let at = match &change.at {
            Some(exact) => format!("{exact} ≈ {}", double(place(change))),
            None => format!("≈ {:.12}", place(change)),
        };
        let crowded = if change.crowded { " (with others between)" } else { "" };
        let [before, after] = [change.before, change.after].map(|play| words(model, sweep, play));
        text += &format!("  at {at}: {before} → {after}{crowded}\n");
    }
    text
}

fn principal<'m>(model: &'m Structure, sweep: &Sweep) -> &'m str {
    &model.principals()[sweep.principal.index()].name
}

fn words(model: &Structure, sweep: &Sweep, play: PlayId) -> String {
    play_in_words(model, &sweep.plays[play])
}

/// The points that were solved.
fn solved(sweep: &Sweep) -> Vec<&SweepPoint> {
    sweep.points.iter().filter(|point| point.label.is_some()).collect()
}

/// Where a change is: the discount itself if it is known, or the one just before it.
fn place(change: &SweepChange) -> f64 {
    change.at.as_ref().unwrap_or(&change.low).to_f64()
}

/// The points that were solved as comma-separated values: decimals, and the welfare as a fraction too where it is exact.
pub fn csv(model: &Structure, sweep: &Sweep) -> String {
    let mut text = String::from("index,discount,discount_decimal,welfare,welfare_exact,long_term_welfare");
    for principal in model.principals() {
        text += &format!(",{}", field(&format!("payoff {}", principal.name)));
    }
    text += ",horizon,memory,strategy\n";
    let decimal = |value: &Value| number(value.nearest_double());
    for point in solved(sweep) {
        let mut fields = vec![
            point.index.to_string(),
            point.discount.to_string(),
            decimal(&Value::from(point.discount.clone())),
            decimal(&point.welfare),
            point.welfare.exact.as_ref().and_then(exact_text).unwrap_or_default(),
            decimal(&point.long_term_welfare),
        ];
        fields.extend(point.payoffs.iter().map(decimal));
        fields.extend([point.horizon.to_string(), point.memory.to_string()]);
        fields.push(field(&point.label.map_or_else(String::new, |play| words(model, sweep, play))));
        text += &fields.join(",");
        text.push('\n');
    }
    text
}

/// Welfare and payoffs over the discount, with the changes of strategy on the welfare's curve.
pub fn chart(model: &Structure, sweep: &Sweep) -> Chart {
    const DRAWN: usize = 5;
    let (points, solved) = (&sweep.points, solved(sweep));
    let middle = |discount: &Rational| Value::from(discount.clone()).enclosure.midpoint();
    let curve = |name: String, mark: Mark, of: &dyn Fn(&SweepPoint) -> &Value| Series {
        name,
        points: solved.iter().map(|p| (middle(&p.discount), of(p).enclosure.midpoint())).collect(),
        mark,
    };
    let mut series = vec![
        curve("welfare".to_owned(), Mark::Line, &|point| &point.welfare),
        curve("welfare, long-term strategy".to_owned(), Mark::Dashed, &|point| &point.long_term_welfare),
    ];
    let n = model.n_principals();
    for (p, principal) in model.principals().iter().enumerate().take(DRAWN).filter(|_| n > 1) {
        let name = format!("payoff of {}", shown(&principal.name));
        series.push(curve(name, Mark::Line, &move |point| &point.payoffs[p]));
    }
    let changes: Vec<&SweepChange> = points.iter().flat_map(|point| &point.changes).collect();
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
            points: changes.iter().map(|change| (place(change), change.welfare.enclosure.midpoint())).collect(),
            mark: Mark::Points,
        });
    }
    let principal = shown(principal(model, sweep));
    Chart {
        title: format!("Welfare and payoffs over the discount of {principal}"),
        caption: Some(caption),
        x: Axis { label: format!("discount of {principal}"), scale: Scale::Linear },
        y: Axis {
            label: format!("expected discounted payoff from {}", shown(&model.state_name(model.start()))),
            scale: Scale::Linear,
        },
        series,
    }
}
