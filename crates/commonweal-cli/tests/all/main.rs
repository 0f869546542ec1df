//! The program from outside: what it prints where, and with which exit code.

mod bad_arguments;
mod bad_models;
mod bad_strategies;
mod evaluate;
mod formats;
mod generate;
mod golden;
mod json;
mod other_commands;
mod pictures;
mod program;
mod reader;
mod readme;
mod reproduce;
mod search;
#[cfg(unix)]
mod signals;
mod terminal;
