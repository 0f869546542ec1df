//! `commonweal positional MODEL` and `commonweal stationary MODEL`

use crate::args::{Method, PositionalArgs, SearchArgs, StationaryArgs};
use crate::json;
use crate::report::about;
use crate::report::search::{Searched, exit_code, report};
use crate::report::timings::Clock;
use crate::{input, output, progress, signals};
use anyhow::bail;
use commonweal::documents::{self, Document};
use commonweal::questions::{Search, SearchOptions, evaluate};
use commonweal::{Engine, Model, Options, Rational, StopSignal};
use commonweal_experiments::positional_by_milp;
use std::process::ExitCode;

pub fn positional(args: &PositionalArgs) -> anyhow::Result<ExitCode> {
    if args.method == Method::Milp && args.search.threshold.is_some() {
        bail!("--threshold: --method milp cannot prove a threshold; leave --method out");
    }
    if args.method == Method::Milp && args.exact {
        bail!("--exact: --method milp works in floating point and proves nothing; leave --method out");
    }
    run(&args.search, args.gap.as_ref(), Searched::Positional, |model, options| match args.method {
        Method::BranchAndBound => Ok(commonweal::questions::positional(model, options)),
        Method::Milp => Ok(positional_by_milp(model, options)?),
    })
}

pub fn stationary(args: &StationaryArgs) -> anyhow::Result<ExitCode> {
    if args.exact {
        bail!(
            "--exact: the best mix has irrational probabilities in general, so its welfare is not a fraction\n\
             help: --gap G sets how close the bounds are; the welfare of the strategy found is exact in any case"
        );
    }
    run(&args.search, args.gap.as_ref(), Searched::Stationary, |model, options| {
        Ok(commonweal::questions::stationary(model, options))
    })
}

fn run(
    args: &SearchArgs,
    gap: Option<&Rational>,
    class: Searched,
    search: impl Fn(&Model, &SearchOptions) -> anyhow::Result<Search>,
) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = signals::start(&args.run);
    let model = signals::while_reading(|| input::model(&args.model, args.run.quiet))?;
    let structure = model.structure();
    clock.has_read();
    if let Some(path) = &args.strategy {
        output::check_place(path)?;
        output::check_apart(path, &args.model.model)?;
    }
    let options = SearchOptions {
        gap: gap.cloned(),
        threshold: args.threshold.clone(),
        node_limit: args.node_limit,
        stop: stop.clone(),
        ..SearchOptions::default()
    };
    let found = progress::shown(&stop, args.run.quiet, || search(&model, &options))?;
    if let Some(path) = &args.strategy {
        let strategy = documents::Strategy::new(structure, &found.strategy);
        output::write_whole(path, |out| strategy.write(out))?;
    }
    // For a small model the payoffs of the strategy found are computed even after a stop.
    const SMALL: usize = 500;
    let stop = if model.n_states() <= SMALL { StopSignal::default() } else { stop };
    // Of a mixture of many discounts fractions gain nothing: the bounds include its error in any case.
    let engine = if model.is_approximated() { Engine::Auto } else { Engine::Exact };
    let options = Options { engine, stop, ..Options::default() };
    let has_payoffs = model.is_approximated() || found.welfare.exact.is_some();
    let payoffs = has_payoffs.then(|| evaluate(&model, &found.strategy, &options).ok()).flatten();
    let payoffs = payoffs.filter(|payoffs| payoffs.stopped().is_none());
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print_numbers(documents::Search::new(structure, &found, payoffs.as_ref()), &args.run, spent)?;
    } else {
        let report = report(structure, &found, class, payoffs.as_ref(), args.threshold.as_ref(), args.all_states);
        output::print(&(about(structure) + &report + &spent.map_or_else(String::new, |spent| spent.in_words())))?;
    }
    Ok(exit_code(&found))
}
