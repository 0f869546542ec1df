//! `commonweal evaluate MODEL STRATEGY`

use crate::args::EvaluateArgs;
use crate::engine::{self, Asked};
use crate::report::json;
use crate::report::names::{in_column as name_in_column, shown};
use crate::report::numbers::{at_least, at_most, decimal, double, exact_and_decimal, fraction_within};
use crate::report::solution::{total_row, who};
use crate::report::table::table;
use crate::report::timings::Clock;
use crate::report::{about, note};
use crate::{input, output, progress};
use anyhow::anyhow;
use commonweal::documents::{self, listed_states};
use commonweal::internals::model::{StateId, Structure};
use commonweal::{Evaluation, Options, Value, evaluate};
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(args: &EvaluateArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = args.run.start();
    let Asked { model, engine } = engine::read(&args.engine, &args.model, false, args.run.quiet)?;
    let strategy = input::strategy_file(model.structure(), &args.strategy)?;
    clock.has_read();
    let options = Options { engine, stop, ..Options::default() };
    let evaluated = progress::shown(&options.stop, args.run.quiet, || evaluate(&model, &strategy, &options));
    let evaluation = evaluated.map_err(|error| {
        anyhow!("{}: {error}\nhelp: leave --exact out for bounds that are proven in doubles", args.strategy.display())
    })?;
    if let Some(error) = evaluation.not_exact.as_ref().filter(|_| !args.run.quiet) {
        note(&format!("{error}, so the answer is proven in doubles."));
    }
    print(&Worth { model: model.structure(), evaluation: &evaluation }, args, &clock)?;
    Ok(if evaluation.stopped.is_some() { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// What a strategy is worth, or what any strategy is worth if there was no time to say.
struct Worth<'a> {
    model: &'a Structure,
    evaluation: &'a Evaluation,
}

fn print(worth: &Worth, args: &EvaluateArgs, clock: &Clock) -> anyhow::Result<()> {
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        let states = listed_states(worth.model, args.all_states);
        json::print(&documents::Evaluation::new(worth.model, worth.evaluation, &states), spent)
    } else {
        let spent = spent.map_or_else(String::new, |spent| spent.in_words());
        output::print(&(about(worth.model) + &report(worth, args.all_states) + &spent))
    }
}

/// Who gets what from the start, and on request the welfare from every state.
fn report(worth: &Worth, all_states: bool) -> String {
    let Worth { model, evaluation } = worth;
    let (scale, stopped) = (evaluation.method.scale(), evaluation.stopped);
    let start = model.start();
    let mut text = String::new();
    if let Some(reason) = stopped {
        let whose = if evaluation.holds_for_any { "any strategy" } else { "this strategy" };
        let _ = writeln!(text, "Stopped: {reason}. These bounds hold for {whose}.");
    }
    let (from, value) = (shown(&model.state_name(start)), evaluation.welfare(start));
    let _ = match (scale, stopped) {
        (Some(scale), None) => writeln!(
            text,
            "Welfare from {from}: at least {}, at most {}.\n\
             Proven in doubles, every rounding counted; --exact gives fractions.\n\
             The scale, which --gap is relative to: {}\n",
            at_least(value.enclosure.lower()),
            at_most(value.enclosure.upper()),
            double(scale)
        ),
        _ => writeln!(text, "Welfare from {from}: {}\n", exact_and_decimal(&value)),
    };
    let is_exact = scale.is_none() && stopped.is_none();
    let columns = if is_exact { ["gets", "exactly"] } else { ["at least", "at most"] };
    let (mut header, mut rows) = who(model);
    header.extend(columns);
    for (p, row) in rows.iter_mut().enumerate() {
        row.extend(cells(&evaluation.payoff(p.into(), start)));
    }
    let mut total = total_row(&header);
    total.extend(cells(&value));
    rows.push(total);
    text.push_str(&table(&header, &rows));
    if all_states {
        let row = |state: StateId| {
            let [left, right] = cells(&evaluation.welfare(state));
            vec![name_in_column(&model.state_name(state)), left, right]
        };
        let columns = if is_exact { ["welfare", "exactly"] } else { columns };
        let rows: Vec<_> = model.states().map(row).collect();
        text.push('\n');
        text.push_str(&table(&["state", columns[0], columns[1]], &rows));
    }
    text
}

/// The decimal and the fraction of an exact number, both ends of another.
fn cells(value: &Value) -> [String; 2] {
    const WIDEST: usize = 28;
    match &value.exact {
        Some(exact) => [decimal(exact), fraction_within(exact, WIDEST).unwrap_or_default()],
        None => [at_least(value.enclosure.lower()), at_most(value.enclosure.upper())],
    }
}
