//! `commonweal`: welfare-optimal strategies from the command line.
//!
//! Arguments become options once ([`args`]), commands call the library and print what it found ([`commands`],
//! [`report`]). Exit codes: 0 done, 1 the answer is no, 2 bad input or usage, 3 stopped at a limit with bounds.

mod args;
mod certify;
mod commands;
mod engine;
mod json;
mod output;
mod progress;
mod range;
mod report;
mod signals;
mod strategy_map;

use args::{Cli, Command};
use clap::Parser;
use commonweal_terminal::{input, model_file, shell};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse().map_err(args::with_tip) {
        Ok(cli) => cli,
        // The parser breaks help into lines itself, but not errors.
        Err(error) if !args::is_help(&error) && !report::fits(&error.render().to_string()) => {
            report::say(error.render().to_string().trim_end());
            return ExitCode::from(2);
        }
        Err(error) => error.exit(),
    };
    let run = || match &cli.command {
        Command::Solve(args) => commands::solve::run(args),
        Command::Positional(args) => commands::search::positional(args),
        Command::Stationary(args) => commands::search::stationary(args),
        Command::Fair(args) => commands::fair::run(args),
        Command::Front(args) => commands::front::run(args),
        Command::Evaluate(args) => commands::evaluate::run(args),
        Command::Simulate(args) => commands::simulate::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::Generate(args) => commands::generate::run(args),
        Command::Sat(args) => commands::sat::run(args),
        Command::Convert(args) => commands::convert::run(args),
        Command::Sweep(args) => commands::sweep::run(args),
        Command::Map(args) => commands::map::run(args),
        Command::Plot(args) => commands::plot::run(args),
        Command::Reproduce(args) => commands::reproduce::run(args),
        Command::Serve(args) => commands::serve::run(args),
        Command::Completions(args) => commands::manual::completions(args),
        Command::Man(args) => commands::manual::man(args),
    };
    let done = signals::listen().and_then(|()| commonweal::limits::on_threads(cli.command.threads(), run));
    done.unwrap_or_else(|error| {
        report::say(&format!("error: {}", report::names::message(&format!("{error:#}"))));
        ExitCode::from(2)
    })
}
