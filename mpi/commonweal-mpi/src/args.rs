//! The command line's grammar: that of `commonweal solve`, as far as this program reaches.

use anyhow::bail;
use clap::{Args, Parser, Subcommand, ValueEnum};
use commonweal::Rational;
use commonweal::answers::DEFAULT_GAP;
use commonweal::limits::Limits;
use commonweal_terminal::args::{ChangeArgs, RunArgs, gap, number};
use std::ffi::OsString;
use std::path::PathBuf;

/// Decide for several principals with different patience, on several machines.
#[derive(Debug, Parser)]
#[command(name = "commonweal-mpi", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done; 1 the threshold is not reached; 2 bad input or usage; 3 stopped at a limit, with bounds."
)]
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
    /// What to change in the model.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Also say whether some strategy earns at least T: exit code 0 for yes, 1 for no, 3 for unknown
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true)]
    pub threshold: Option<Rational>,
    /// Show every state, however many there are: every rank then holds the whole model
    #[arg(long, conflicts_with = "family")]
    pub all_states: bool,
    /// Answer in doubles, proven to within G times the scale of the welfare [default: 1e-9]
    #[arg(long, value_name = "G", value_parser = gap, allow_hyphen_values = true)]
    pub gap: Option<f64>,
    /// Walk at most this many steps one by one; an answer that needs more gives bounds
    #[arg(long, value_name = "N", default_value_t = Limits::default().layers)]
    pub layer_limit: u64,
    /// Jump over at most this many stages; an answer that needs more gives bounds
    #[arg(long, value_name = "N", default_value_t = Limits::default().events)]
    pub event_limit: u64,
    /// Up to this many states, every rank holds the rows of a strategy that is hard to evaluate; beyond that none does
    #[arg(long, value_name = "N", default_value_t = 1 << 22)]
    pub most_together: u64,
    /// Write welfare, payoffs and strategy of all states to this folder, as binary arrays
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keep a checkpoint in the folder of --out: every N layers, and before every step of policy iteration
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Go on from the checkpoint in this folder, on any number of ranks; it is also the folder of results
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub resume: Option<PathBuf>,
    /// What this program has not.
    #[command(flatten)]
    pub elsewhere: ElsewhereArgs,
}

/// Options of `commonweal solve` that are refused with a word on what to do.
#[derive(Debug, Args)]
#[allow(missing_docs, reason = "they are those of `commonweal solve`")]
pub struct ElsewhereArgs {
    #[arg(long, hide = true)]
    pub exact: bool,
    #[arg(long, hide = true)]
    pub explain: bool,
    #[arg(long, hide = true)]
    pub compare: bool,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "100")]
    pub outlook: Option<String>,
    #[arg(long, hide = true)]
    pub strategy: Option<OsString>,
    #[arg(long, hide = true)]
    pub certificate: Option<OsString>,
    #[arg(long, hide = true)]
    pub csv: Option<OsString>,
    #[arg(long, hide = true)]
    pub report: Option<OsString>,
    #[arg(long, hide = true)]
    pub unsimplified: bool,
}

impl SolveArgs {
    /// The gap that the engine is asked for.
    pub fn gap(&self) -> f64 {
        self.gap.unwrap_or(DEFAULT_GAP)
    }

    /// Refuses what this program has not.
    pub fn check(&self) -> anyhow::Result<()> {
        let ElsewhereArgs { exact, explain, compare, outlook, strategy, certificate, csv, report, .. } =
            &self.elsewhere;
        let asked = [
            ("--exact", *exact),
            ("--explain", *explain),
            ("--compare", *compare),
            ("--outlook", outlook.is_some()),
            ("--certificate", certificate.is_some()),
            ("--csv", csv.is_some()),
            ("--report", report.is_some()),
        ];
        if let Some((option, _)) = asked.iter().find(|(_, is_asked)| *is_asked) {
            bail!("{option}: ranks do not have it; `commonweal solve` does, for a model that fits one machine");
        }
        if strategy.is_some() {
            bail!(
                "--strategy: --out DIR writes the strategy of all states, and `commonweal evaluate MODEL DIR` reads it"
            );
        }
        let ChangeArgs { from, discount, rate, weight, minimise, .. } = &self.changes;
        let changed = [
            ("--from", from.is_some()),
            ("--discount", !discount.is_empty()),
            ("--rate", !rate.is_empty()),
            ("--weight", !weight.is_empty()),
            ("--minimise", !minimise.is_empty()),
        ];
        match changed.iter().find(|(_, is_given)| *is_given && self.family.is_some()) {
            Some((option, _)) => bail!("{option}: a generated model has --discounts alone"),
            None => Ok(()),
        }
    }
}

/// A family of generated models.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Family {
    /// Successors anywhere
    Uniform,
    /// Successors within 20 states to either side, on a ring
    Band,
}
