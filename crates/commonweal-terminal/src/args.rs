//! Options that both programs have.

use clap::Args;
use commonweal::numbers::NumberError;
use commonweal::{Engine, Rational};
use std::path::PathBuf;
use std::time::Duration;

/// Which model, and what to change in it.
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// The model file (.yaml, .yml, .json, .drn, .drn.gz or .umb); - for standard input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub changes: ChangeArgs,
}

/// What to change in a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct ChangeArgs {
    /// Start in this state instead of the model's own start
    #[arg(long, value_name = "STATE")]
    pub from: Option<String>,
    /// Give a principal another discount, or a reward structure of a .drn or .umb file its discount; may be repeated. VALUE may
    /// also be any entry of a model file in braces, such as '{schedule: green-book}'
    #[arg(long = "discount", value_name = "NAME=VALUE")]
    pub discount: Vec<String>,
    /// Give a principal or a reward structure a rate per step in place of a discount, such as fund=3%; may be repeated
    #[arg(long = "rate", value_name = "NAME=RATE")]
    pub rate: Vec<String>,
    /// Give all principals, or all reward structures, their discounts, in the file's order
    #[arg(long, value_name = "V,V,…", conflicts_with_all = ["discount", "rate"])]
    pub discounts: Option<String>,
    /// Set the weight of a principal's payoff in the welfare: negative for costs, 0 to report it only; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub weight: Vec<String>,
    /// Make a principal's payoff a cost, the same as --weight NAME=-1; may be repeated
    #[arg(long, value_name = "NAME")]
    pub minimise: Vec<String>,
    /// Refuse rows of decimals whose sum is not exactly 1, in place of scaling them
    #[arg(long)]
    pub strict: bool,
}

/// How to run.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
    /// Leave the fractions out of the JSON: every number still has a lower and an upper bound in doubles
    #[arg(long, requires = "json")]
    pub no_exact: bool,
    /// Use this many threads; the answer does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop after this time with the bounds proven so far: seconds, or 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = time_limit, allow_hyphen_values = true)]
    pub time_limit: Option<Duration>,
    /// Print no notes or progress on standard error
    #[arg(long, short)]
    pub quiet: bool,
    /// Add the time taken and the peak memory to the output
    #[arg(long)]
    pub timings: bool,
}

/// Which engine answers; by default the program picks.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// Answer in fractions, however long it takes
    #[arg(long, conflicts_with = "gap")]
    pub exact: bool,
    /// Answer in doubles, proven to within G times the scale of the welfare [default if doubles are picked: 1e-9]
    #[arg(long, value_name = "G", value_parser = gap, allow_hyphen_values = true)]
    pub gap: Option<f64>,
}

impl ChangeArgs {
    /// How many discounts are given.
    pub fn n_discounts(&self) -> usize {
        let named = self.discount.len() + self.rate.len();
        self.discounts.as_ref().map_or(named, |discounts| discounts.split(',').count())
    }
}

impl EngineArgs {
    /// Whether no engine is asked for.
    pub fn is_free(&self) -> bool {
        self.engine() == Engine::Auto
    }

    /// The engine that the arguments ask for.
    pub fn engine(&self) -> Engine {
        Engine::asked(self.exact.then_some(true), self.gap).expect("the grammar allows one of them")
    }
}

/// The time of `--time-limit`.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        None => (text, 1.0),
        Some(number) if text.ends_with('s') => (number, 1.0),
        Some(number) if text.ends_with('m') => (number, 60.0),
        Some(number) => (number, 3600.0),
    };
    let seconds: f64 = number.parse().map_err(|_| "write seconds such as 30 or 0.5, or 90s, 5m, 2h".to_owned())?;
    Duration::try_from_secs_f64(seconds * unit).map_err(|_| "a time limit is neither negative nor infinite".to_owned())
}

/// The gap of `--gap`.
pub fn gap(text: &str) -> Result<f64, String> {
    let value = number(text)?.to_f64();
    if 0.0 < value && value < 1.0 {
        Ok(value)
    } else {
        Err("a gap lies between 0 and 1, such as 1e-9; --help says what it is relative to".to_owned())
    }
}

/// A number of an option.
pub fn number(text: &str) -> Result<Rational, String> {
    text.parse().map_err(|error: NumberError| error.to_string())
}
