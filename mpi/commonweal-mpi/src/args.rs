//! The command line's grammar: that of `commonweal solve`, as far as this program reaches.

use clap::{Args, Parser, Subcommand, ValueEnum};
use commonweal::limits::Limits;
use commonweal::answers::DEFAULT_GAP;
use std::path::PathBuf;
use std::time::Duration;

/// Decide for several principals with different patience, on several machines.
#[derive(Debug, Parser)]
#[command(name = "commonweal-mpi", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done; 2 bad input or usage; 3 stopped at a limit, with bounds.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find a strategy whose welfare is proven to be within a gap of the best
    #[command(
        after_help = "Examples:\n  mpirun -n 4 commonweal-mpi solve model.umb --discounts 0.9,0.5 --json\n  mpirun -n 4 commonweal-mpi solve --family band --states 1000000 --discounts 0.99,0.9"
    )]
    Solve(SolveArgs),
}

/// Which model, and how to solve it.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// The model file, as commonweal reads it
    #[arg(value_name = "MODEL", required_unless_present = "family")]
    pub model: Option<PathBuf>,
    /// Generate a model in place of reading one: every rank draws its own states
    #[arg(long, value_name = "FAMILY", conflicts_with = "model", requires_all = ["states", "discounts"])]
    pub family: Option<Family>,
    /// How many states to generate
    #[arg(long, value_name = "N", requires = "family", value_parser = clap::value_parser!(u64).range(1..))]
    pub states: Option<u64>,
    /// Which of the generated models
    #[arg(long, value_name = "N", requires = "family", default_value_t = 0)]
    pub seed: u64,
    /// Start in this state instead of the model's own start
    #[arg(long, value_name = "STATE", conflicts_with = "family")]
    pub from: Option<String>,
    /// Give a principal or a reward structure its discount; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub discount: Vec<String>,
    /// Give all principals, or all reward structures, their discounts, in the file's order
    #[arg(long, value_name = "V,V,…", conflicts_with = "discount")]
    pub discounts: Option<String>,
    /// Let a principal's payoff count this many times in the welfare; may be repeated
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "family")]
    pub weight: Vec<String>,
    /// Let a principal's payoff be a cost, as with --weight NAME=-1; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "family")]
    pub minimise: Vec<String>,
    /// Refuse rows of decimals that sum to 1 but for rounding, in place of scaling them
    #[arg(long)]
    pub strict: bool,
    /// Prove the welfare to within G times its scale
    #[arg(long, value_name = "G", default_value_t = DEFAULT_GAP, value_parser = gap)]
    pub gap: f64,
    /// Walk at most this many steps one by one; an answer that needs more gives bounds
    #[arg(long, value_name = "N", default_value_t = Limits::default().layers)]
    pub layer_limit: u64,
    /// Up to this many states, every rank holds the rows of a strategy that is hard to evaluate; beyond that none does
    #[arg(long, value_name = "N", default_value_t = 1 << 22)]
    pub most_together: u64,
    /// Use this many threads on each rank; the answer does not depend on it
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop after this many seconds with the bounds proven so far
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<Duration>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
    /// Write welfare, payoffs and strategy of all states to this folder, as binary arrays
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keep a checkpoint in the folder of --out: every N layers, and before every step of policy iteration
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Go on from the checkpoint in this folder, on any number of ranks; it is also the folder of results
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub resume: Option<PathBuf>,
}

/// A family of generated models.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Family {
    /// Successors anywhere
    Uniform,
    /// Successors within 20 states to either side, on a ring
    Band,
}

fn gap(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(gap) if gap > 0.0 && gap <= 1.0 => Ok(gap),
        _ => Err("a gap is a number above 0 and at most 1, such as 1e-9".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().map_err(|error| error.to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
