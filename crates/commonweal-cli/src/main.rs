//! `commonweal`: welfare-optimal strategies from the command line.
//!
//! Arguments become options once ([`args`]), commands call the library and print what it found ([`commands`],
//! [`report`]). Exit codes: 0 done, 1 the answer is no, 2 bad input or usage, 3 stopped at a limit with bounds.

mod args;
mod certify;
mod commands;
mod doubts;
mod engine;
mod input;
mod json;
mod model_file;
mod output;
mod progress;
mod range;
mod report;
mod shell;
mod signals;
mod strategy_map;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse().map_err(args::with_tip) {
        Ok(cli) => cli,
        // Help fits the terminal; errors are not broken into lines by the parser.
        Err(error) if error.use_stderr() && !report::fits(&error.render().to_string()) => {
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
