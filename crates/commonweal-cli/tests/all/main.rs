//! The program from outside: its output, its files and its exit codes.

mod about;
mod bad_arguments;
mod bad_models;
mod bad_strategies;
mod costs;
mod economist;
mod ends;
mod evaluate;
mod fair;
mod formats;
mod generate;
mod golden;
mod json;
mod manual;
mod other_commands;
mod own_strategies;
mod pictures;
mod preferences;
mod program;
mod reader;
mod readme;
mod reproduce;
mod search;
mod serve;
#[cfg(unix)]
mod signals;
mod stated_time;
mod terminal;
