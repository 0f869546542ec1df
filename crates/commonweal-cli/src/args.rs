//! The command line's grammar.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use commonweal::Rational;
use commonweal::limits::Limits;
use commonweal::questions::{FrontOptions, Rule, SearchOptions, Shard, SimulateOptions};
use commonweal_experiments::Experiment;
pub use commonweal_terminal::args::{ChangeArgs, EngineArgs, ModelArgs, RunArgs};
use commonweal_terminal::args::{gap, number, time_limit};
use std::path::PathBuf;
use std::time::Duration;

/// Decide for several principals with different patience: find the strategy with the greatest social welfare.
#[derive(Debug, Parser)]
#[command(name = "commonweal", version, arg_required_else_help = true, max_term_width = 100)]
#[command(
    after_help = "Examples:\n  commonweal solve hotel.yaml\n  commonweal solve hotel.yaml --rate alice=3% --rate bob=5% --compare\n  commonweal solve hotel.yaml --discount 'alice={schedule: green-book}' --outlook\n\nExit codes: 0 done; 1 the answer is no; 2 bad input or usage; 3 stopped at a limit, with bounds."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The error with a tip, if a value stands behind an option that takes it behind `=` only.
pub fn with_tip(mut error: clap::Error) -> clap::Error {
    let words: Vec<String> = std::env::args().collect();
    let is_number = |word: &String| word.parse::<u64>().is_ok();
    let value = words.iter().skip_while(|word| *word != "--outlook").nth(1).filter(|word| is_number(word));
    if let (ErrorKind::UnknownArgument, Some(value)) = (error.kind(), value) {
        let tip = format!("write --outlook={value}: the number of steps stands behind `=`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Whether this is help, which the parser also shows where a command is missing.
pub fn is_help(error: &clap::Error) -> bool {
    !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the welfare-optimal counting strategy: welfare, payoffs, strategy, horizon
    #[command(
        after_help = "Examples:\n  commonweal solve hotel.yaml\n  commonweal solve hotel.yaml --discount bob=1/2 --explain\n  commonweal solve hotel.drn --discounts 0.9,0.5 --minimise bob\n  commonweal solve hotel.yaml --threshold 14 --quiet"
    )]
    Solve(SolveArgs),
    /// Find the best positional strategy, one action per state for ever (NP-hard)
    #[command(
        after_help = "Examples:\n  commonweal positional hotel.yaml\n  commonweal positional hotel.yaml --threshold 13.5"
    )]
    Positional(PositionalArgs),
    /// Find the best stationary strategy, one mix of actions per state for ever (NP-hard)
    #[command(after_help = "Examples:\n  commonweal stationary hotel.yaml --gap 1e-6")]
    Stationary(StationaryArgs),
    /// Find the fairest lottery over strategies by a rule other than the sum, with floors and ceilings
    #[command(
        after_help = "Examples:\n  commonweal fair hotel.yaml --rule max-min --over own-worst\n  commonweal fair hotel.yaml --rule welfare --at-least alice=10 --coin decision"
    )]
    #[command(mut_arg("gap", |gap| gap.help(FAIR_GAP)))]
    Fair(FairArgs),
    /// Find the Pareto front of the principals' payoffs
    #[command(after_help = "Examples:\n  commonweal front hotel.yaml --out front.svg")]
    #[command(mut_arg("gap", |gap| gap.help(FRONT_GAP)))]
    Front(FrontArgs),
    /// Compute each principal's payoff under a given strategy, exactly or between proven bounds
    #[command(after_help = "Examples:\n  commonweal evaluate hotel.yaml strategy.json --all-states")]
    Evaluate(EvaluateArgs),
    /// Play a given strategy many times: means with confidence intervals
    #[command(
        after_help = "Examples:\n  commonweal simulate hotel.yaml strategy.json --runs 1000 --seed 7\n  commonweal simulate hotel.yaml strategy.json --paths paths.csv"
    )]
    Simulate(SimulateArgs),
    /// Check a certificate, independently of the solver
    #[command(after_help = "Examples:\n  commonweal check hotel.yaml hotel.cert")]
    Check(CheckArgs),
    /// Write a model of a family: random models, the paper's models with close discounts, plans with many changes, its reductions
    #[command(
        after_help = "Examples:\n  commonweal generate spaced 1e9 --out close.yaml\n  commonweal generate parametric 10 --out changes.yaml\n  commonweal generate random --states 20 --discounts 0.9,0.5 --out random.yaml"
    )]
    Generate(GenerateArgs),
    /// Decide a formula in DIMACS form through a positional strategy
    #[command(after_help = "Examples:\n  commonweal sat formula.cnf")]
    Sat(SatArgs),
    /// Convert a model between formats (.yaml, .yml, .json, .drn, .drn.gz, .umb)
    #[command(
        after_help = "Examples:\n  commonweal convert hotel.yaml hotel.umb\n  commonweal convert hotel.drn - --discounts 2/3,1/3"
    )]
    Convert(ConvertArgs),
    /// Solve a model over a range of one principal's discount or weight, and locate where the strategy changes
    #[command(
        after_help = "Examples:\n  commonweal sweep hotel.yaml --vary bob=0.1..0.6 --steps 5\n  commonweal sweep hotel.yaml --vary bob.weight=0..2 --steps 8"
    )]
    Sweep(SweepArgs),
    /// Draw a solution or a given strategy: actions by step, payoffs by step, gains and losses of each principal
    #[command(
        after_help = "Examples:\n  commonweal plot hotel.yaml --out hotel.svg\n  commonweal plot hotel.yaml --strategy strategy.json --out own.svg"
    )]
    Plot(PlotArgs),
    /// Draw which strategy is best over two principals' discounts, with boundaries located exactly
    #[command(after_help = "Examples:\n  commonweal map hotel.yaml --x alice --y bob --resolution 4 --out map.svg")]
    Map(MapArgs),
    /// Recompute the paper's figures and claims, and compare them with the printed ones
    #[command(after_help = "Examples:\n  commonweal reproduce examples")]
    Reproduce(ReproduceArgs),
    /// Open the explorer in the browser: sliders for the discounts, with strategy, payoffs and pictures
    #[command(after_help = "Examples:\n  commonweal serve hotel.yaml\n  commonweal serve --port 8000 --no-open")]
    Serve(ServeArgs),
    /// Print the completion script of a shell
    #[command(after_help = "Examples:\n  commonweal completions bash")]
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for every command to a folder
    #[command(after_help = "Examples:\n  commonweal man")]
    Man(ManArgs),
}

impl Command {
    /// The value of `--threads`, if given.
    pub fn threads(&self) -> Option<usize> {
        let run = match self {
            Command::Solve(args) => &args.run,
            Command::Positional(args) => &args.search.run,
            Command::Stationary(args) => &args.search.run,
            Command::Fair(args) => &args.run,
            Command::Front(args) => &args.run,
            Command::Evaluate(args) => &args.run,
            Command::Simulate(args) => &args.run,
            Command::Check(args) => &args.run,
            Command::Sat(args) => &args.run,
            Command::Sweep(args) => &args.run,
            Command::Plot(args) => &args.run,
            Command::Map(args) => &args.run,
            Command::Reproduce(args) => &args.run,
            // Each request has threads of its own.
            Command::Serve(_) => return None,
            Command::Generate(_) | Command::Convert(_) | Command::Completions(_) | Command::Man(_) => return None,
        };
        run.threads.map(usize::from)
    }
}

const FAIR_GAP: &str = "Answer in doubles: the bounds on the optimum differ by at most G times the greatest payoff, for welfare the greatest \
    weighted one, for gini times the sum of its weights too; by G for kalai-smorodinsky, by a factor of about 1 + G for nash, and by G times the \
    value for alpha [default if doubles are picked: 1e-9]";
const FRONT_GAP: &str = "Refine no edge or cell that the front exceeds by less than G times the greatest payoff, with no limit on work \
    [default: 0 for two principals, 0.001 for more]";

#[derive(Debug, Args)]
pub struct SolveArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Show the steps of the solution: long-term strategy, values, advantages, the steps at which deviations pay
    #[arg(long)]
    pub explain: bool,
    /// Also say whether some strategy earns at least T: exit code 0 for yes, 1 for no, 3 for unknown
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true)]
    pub threshold: Option<Rational>,
    /// Compare the optimum with the best simple and the fairest strategies: what simplicity and fairness cost each principal
    #[arg(long)]
    pub compare: bool,
    /// Show annuities, half-lives, the implied social discount rate, and expected rewards and states over the first STEPS
    /// steps
    #[arg(long, value_name = "STEPS", num_args = 0..=1, require_equals = true, default_missing_value = "100",
        value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub outlook: Option<u64>,
    /// Write the whole strategy to this file
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// Write a certificate to this file: a proof of the answer that `commonweal check` and other programs can check
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Write the payoffs to this file as comma-separated values; with --compare instead those under every strategy
    /// compared, or with --outlook instead the expectations of every step (not with both)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the solution to this file as one HTML page: pictures, tables, and the steps of the solution
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Show every state, however many there are
    #[arg(long)]
    pub all_states: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Walk at most this many steps one by one; an answer that needs more gives bounds
    #[arg(long, value_name = "N", default_value_t = Limits::default().layers)]
    pub layer_limit: u64,
    /// Jump over at most this many stages; an answer that needs more gives bounds
    #[arg(long, value_name = "N", default_value_t = Limits::default().events)]
    pub event_limit: u64,
    /// Solve every state and choice by itself: merge no equivalent states and leave out no choice that another one beats for everybody
    #[arg(long)]
    pub unsimplified: bool,
}

/// What to search for, and the limits.
#[derive(Debug, Args)]
pub struct SearchArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Only say whether some strategy earns at least T: exit code 0 for yes, 1 for no, 3 for unknown
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true)]
    pub threshold: Option<Rational>,
    /// Expand at most this many nodes; a search that needs more gives bounds
    #[arg(long, value_name = "N", default_value_t = SearchOptions::default().node_limit)]
    pub node_limit: u64,
    /// Write the strategy to this file
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// Show every state, however many there are
    #[arg(long)]
    pub all_states: bool,
}

#[derive(Debug, Args)]
pub struct PositionalArgs {
    #[command(flatten)]
    pub search: SearchArgs,
    /// Stop when the bounds are this close, relative to the welfare; 0, the default, for the exact optimum
    #[arg(long, value_name = "G", value_parser = positional_gap, allow_hyphen_values = true)]
    pub gap: Option<Rational>,
    /// Find the exact optimum, the same as without --gap
    #[arg(long, conflicts_with = "gap")]
    pub exact: bool,
    /// How to search
    #[arg(long, value_enum, default_value_t = Method::BranchAndBound)]
    pub method: Method,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Proves the optimum exactly
    BranchAndBound,
    /// A mixed-integer program in floating point: its strategy is evaluated exactly, its upper bound is not proven
    Milp,
}

#[derive(Debug, Args)]
pub struct StationaryArgs {
    #[command(flatten)]
    pub search: SearchArgs,
    /// Stop when the bounds are this close, relative to the welfare; by default 1e-8
    #[arg(long, value_name = "G", value_parser = stationary_gap, allow_hyphen_values = true)]
    pub gap: Option<Rational>,
    /// Refused: the best mix is irrational in general
    #[arg(long, hide = true)]
    pub exact: bool,
}

#[derive(Debug, Args)]
pub struct SatArgs {
    /// The formula in DIMACS form; - for standard input
    #[arg(value_name = "FILE.cnf")]
    pub formula: PathBuf,
    /// Which model to decide it by
    #[arg(long, value_enum, default_value_t = SatRewards::Same)]
    pub rewards: SatRewards,
    /// Expand at most this many nodes; a formula that needs more stays undecided
    #[arg(long, value_name = "N", default_value_t = SearchOptions::default().node_limit)]
    pub node_limit: u64,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SatRewards {
    /// Both principals get the same; discounts 0.54 and 0.4
    Same,
    /// Zero-sum: the second principal's rewards are the negatives of the first's; discounts 1/2 and 1/4
    ZeroSum,
}

#[derive(Debug, Args)]
pub struct FairArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// The rule: welfare, max-min, leximin, nash, kalai-smorodinsky, gini:W,W,… (the worst-off first) or alpha:A
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub rule: Rule,
    /// The reference point of the rule: own-worst, NAME=V,NAME=V,… or strategy:FILE [default: 0; own-worst for nash and
    /// kalai-smorodinsky]
    #[arg(long, value_name = "WHAT", allow_hyphen_values = true)]
    pub over: Option<String>,
    /// Give a principal at least this much; may be repeated
    #[arg(long, value_name = "NAME=V")]
    pub at_least: Vec<String>,
    /// Give a principal at most this much; may be repeated
    #[arg(long, value_name = "NAME=V")]
    pub at_most: Vec<String>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// When to randomise
    #[arg(long, value_enum, default_value_t = CoinPlace::Start)]
    pub coin: CoinPlace,
    /// Write the lottery to this file, for `evaluate` and `simulate`
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// Write a certificate to this file: a proof of the answer that `commonweal check` and other programs can check
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Show every state, however many there are
    #[arg(long)]
    pub all_states: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CoinPlace {
    /// Draw one of the strategies before the first step
    Start,
    /// Follow one strategy that randomises at a few decisions
    Decision,
}

#[derive(Debug, Args)]
pub struct FrontArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Whose payoff goes to the right [default: the first of two principals]
    #[arg(long, value_name = "PRINCIPAL", requires = "y")]
    pub x: Option<String>,
    /// Whose payoff goes upward [default: the second of two principals]
    #[arg(long, value_name = "PRINCIPAL", requires = "x")]
    pub y: Option<String>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Find at most this many vertices
    #[arg(long, value_name = "N", default_value_t = FrontOptions::default().vertex_limit as u64, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub vertices: u64,
    /// Draw the front to this file; its ending chooses SVG, PNG or PDF
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the vertices to this file as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct EvaluateArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The strategy file, as `solve --strategy` writes it
    #[arg(value_name = "STRATEGY")]
    pub strategy: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Write the payoffs to this file as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Show every start state
    #[arg(long)]
    pub all_states: bool,
}

#[derive(Debug, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The strategy file, as `solve --strategy` writes it
    #[arg(value_name = "STRATEGY")]
    pub strategy: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
    /// How many runs to play
    #[arg(long, value_name = "N", default_value_t = SimulateOptions::default().runs, value_parser = clap::value_parser!(u64).range(2..=1_000_000_000_000))]
    pub runs: u64,
    /// The same seed gives the same runs
    #[arg(long, value_name = "N", default_value_t = SimulateOptions::default().seed)]
    pub seed: u64,
    /// Write the first runs to this file as comma-separated values: run, step, state, action, rewards
    #[arg(long, value_name = "FILE")]
    pub paths: Option<PathBuf>,
    /// How many runs --paths writes
    #[arg(long, value_name = "N", default_value_t = 10, requires = "paths", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub path_runs: u64,
    /// How many steps of each run --paths writes
    #[arg(long, value_name = "N", default_value_t = 100, requires = "paths", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub path_steps: u64,
    /// The probability with which all intervals hold, between 0 and 1
    #[arg(long, value_name = "P", default_value_t = SimulateOptions::default().confidence, value_parser = confidence)]
    pub confidence: f64,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The model file that the page opens with [default: the hotel]
    #[arg(value_name = "MODEL")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// The port to listen on; 0 for any free port [default: 8734, so that shared links stay valid, or any free port if that is taken]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Do not open the page in the browser
    #[arg(long)]
    pub no_open: bool,
    /// Compute each request on this many threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop a request after this time and answer with the bounds proven so far: seconds, or 90s, 5m, 2h [default: 30 seconds]
    #[arg(long, value_name = "TIME", value_parser = time_limit, allow_hyphen_values = true)]
    pub time_limit: Option<Duration>,
    /// Do not log requests on standard error
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct PlotArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Draw the strategy in this file, compared with the optimal one [default: the optimal one, compared with the long-term one]
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// What to draw; may be repeated [default: timeline, payoffs and gains, one below the other]
    #[arg(long, value_enum)]
    pub kind: Vec<PlotKind>,
    /// The file to write; its ending chooses SVG, PNG or PDF [default: SVG on standard output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Solve in doubles, proven to within G times the scale of the welfare, in place of fractions
    #[arg(long, value_name = "G", value_parser = gap)]
    pub gap: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlotKind {
    /// What to do in each state at each step
    Timeline,
    /// Each principal's accrued payoff after each step, under this strategy and under the other one
    Payoffs,
    /// Each principal's payoff minus that under the other strategy, and minus its own best
    Gains,
    /// The Pareto front of the principals' payoffs
    Front,
    /// The rate at which each principal, and all of them together, discount each step against the next
    Rates,
    /// The probability of each state at each step
    States,
    /// Each principal's expected reward at each step
    Rewards,
}

#[derive(Debug, Args)]
pub struct SweepArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Whose discount to vary, and between which values in [0, 1); or whose rate, such as fund.rate=1%..7%, or weight,
    /// such as fund.weight=0..2
    #[arg(long, value_name = "PRINCIPAL=FROM..TO")]
    pub vary: String,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Locate where between two points the strategy changes, to 2^-40 of their distance
    #[arg(long)]
    pub changes: bool,
    /// The number of equal steps from one end to the other: N + 1 points, both ends included, in exact fractions
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub steps: u64,
    /// Draw welfare and payoffs to this file; its ending chooses SVG, PNG or PDF
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the points to this file as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Solve every N-th point only, from the I-th on, and print one line of JSON for each
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with_all = ["out", "csv", "json"])]
    pub shard: Option<Shard>,
}

#[derive(Debug, Args)]
pub struct MapArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Whose discount goes to the right, or whose rate: fund.rate
    #[arg(long, value_name = "PRINCIPAL")]
    pub x: String,
    /// Whose discount goes upward, or whose rate
    #[arg(long, value_name = "PRINCIPAL")]
    pub y: String,
    /// Between which values to the right [default: 0..0.999 for a discount, 0.1%..20% for a rate]
    #[arg(long, value_name = "FROM..TO")]
    pub x_range: Option<String>,
    /// Between which values upward [default: 0..0.999 for a discount, 0.1%..20% for a rate]
    #[arg(long, value_name = "FROM..TO")]
    pub y_range: Option<String>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Locate boundaries to 2^-40 of a cell, in place of 2^-16
    #[arg(long)]
    pub changes: bool,
    /// Begin with N × N cells; cells in which boundaries meet are divided further
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub resolution: u64,
    /// Draw the map to this file; its ending chooses SVG, PNG or PDF
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Solve every N-th point of the grid only, from the I-th on, and print one line of JSON for each
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with_all = ["out", "json"])]
    pub shard: Option<Shard>,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The certificate, as `solve --certificate` or `fair --certificate` writes it; - for standard input
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// Give up after this many operations on machine words
    #[arg(long, value_name = "N", default_value_t = commonweal_check::WORK)]
    pub work: u64,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    #[command(subcommand)]
    pub family: Family,
    /// Print no notes on standard error
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Family {
    /// The paper's family of close discounts, n/(2n−1) and (n+1)/(2n+1)
    Spaced(SpacedArgs),
    /// A family whose only optimal plan changes its mind 2^N times in one of its 2N + 3 states
    Parametric(ParametricArgs),
    /// A random model; the same arguments give the same model
    Random(RandomArgs),
    /// A large random model in doubles whose successors are anywhere
    Uniform(LargeArgs),
    /// A large random model in doubles whose successors are within 20 states on a ring
    Band(LargeArgs),
    /// The paper's model of a formula: satisfiable if and only if a positional strategy earns the threshold
    Sat(SatModelArgs),
    /// The paper's model of a game on an alternating graph: welfare 0 if and only if the safety player wins
    Reachability(ReachabilityArgs),
}

#[derive(Debug, Args)]
pub struct SatModelArgs {
    /// The formula in DIMACS form; - for standard input
    #[arg(value_name = "FILE.cnf")]
    pub formula: PathBuf,
    /// The rewards of the principals
    #[arg(long, value_enum, default_value_t = SatRewards::Same)]
    pub rewards: SatRewards,
    /// The file to write; its ending chooses the format; - for standard output as YAML
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct ReachabilityArgs {
    /// The alternating graph, one node a line: `or a: b c`, `and b: a t`, `target t`; - for standard input
    #[arg(value_name = "FILE")]
    pub game: PathBuf,
    /// The rewards of the principals
    #[arg(long, value_enum, default_value_t = GameRewards::Single)]
    pub rewards: GameRewards,
    /// The file to write; its ending chooses the format; - for standard output as YAML
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GameRewards {
    /// One principal, with discount 1/2
    Single,
    /// Two principals with discounts 1/2 and 1/4; the second one's rewards are the negatives of the first's
    ZeroSum,
}

#[derive(Debug, Args)]
pub struct SpacedArgs {
    /// The size n of the family: an integer, at least 2, such as 1000000000 or 1e9
    #[arg(value_name = "N", value_parser = spacing, allow_hyphen_values = true)]
    pub n: Rational,
    /// The file to write; its ending chooses the format; - for standard output as YAML
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct ParametricArgs {
    /// The number of levels, from 1 to 300: 2N + 3 states, 2^N changes of decision in the state uN
    #[arg(value_name = "N", value_parser = clap::value_parser!(u64).range(1..=300), allow_hyphen_values = true)]
    pub n: u64,
    /// The file to write; its ending chooses the format; - for standard output as YAML
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct RandomArgs {
    /// How many states
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    pub states: u64,
    /// How many actions in every state
    #[arg(long, value_name = "A", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    pub actions: u64,
    /// How many different successors of every choice [default: 5, or all states if there are fewer]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub successors: Option<u64>,
    /// The principals' discounts; the principals are called p0, p1, …
    #[arg(long, value_name = "V,V,…", allow_hyphen_values = true)]
    pub discounts: String,
    /// Probabilities have a denominator drawn from K to D
    #[arg(long, value_name = "D", default_value_t = 100)]
    pub max_denominator: u64,
    /// Rewards are integers drawn from −R to R
    #[arg(long, value_name = "R", default_value_t = 100, value_parser = clap::value_parser!(u64).range(..=1_000_000_000_000_000_000))]
    pub max_reward: u64,
    /// The seed of the random numbers
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// The file to write; its ending chooses the format; - for standard output as YAML
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct LargeArgs {
    /// How many states
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    pub states: u64,
    /// How many actions in every state
    #[arg(long, value_name = "A", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    pub actions: u64,
    /// How many different successors of every choice [default: 5, or all states in reach if there are fewer]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub successors: Option<u64>,
    /// The principals' discounts; the principals are called p0, p1, …
    #[arg(long, value_name = "V,V,…", allow_hyphen_values = true)]
    pub discounts: String,
    /// The seed of the random numbers
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// The file to write; its ending chooses the format; - for standard output as YAML
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The model to read
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write; its ending chooses the format; - for standard output as YAML
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Copy a .umb file, packed or not, as one that is not packed, in bounded memory, for commonweal-mpi
    #[arg(long, conflicts_with_all = ["from", "discount", "rate", "discounts", "weight", "minimise", "strict"])]
    pub unpacked: bool,
    /// Print no notes on standard error
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// What to recompute
    #[arg(value_name = "WHAT", value_parser = experiment(), default_value = Experiment::Examples.name())]
    pub what: Experiment,
    /// Write tables, pictures and a report (report.html) to this folder; a second run continues where the first one ended
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Use smaller sizes and fewer models: two minutes in place of twenty
    #[arg(long)]
    pub quick: bool,
    /// The seed of the random models
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The Python with numpy that runs the baseline; `none` leaves the baseline out
    #[arg(long, value_name = "PATH", default_value = "python3")]
    pub python: String,
    /// Leave out times and claims that depend on them: the same arguments then give the same bytes
    #[arg(long)]
    pub untimed: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder to write to [default: the program's own page on standard output]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// The experiments by name.
fn experiment() -> impl TypedValueParser<Value = Experiment> {
    let value = |experiment: Experiment| PossibleValue::new(experiment.name()).help(experiment.about());
    let named = |name: String| Experiment::EACH.into_iter().find(|experiment| experiment.name() == name);
    PossibleValuesParser::new(Experiment::EACH.map(value)).map(move |name| named(name).expect("a name of the list"))
}

fn rule(text: &str) -> Result<Rule, String> {
    text.parse().map_err(|error: commonweal::questions::FairError| error.to_string())
}

fn positional_gap(text: &str) -> Result<Rational, String> {
    let gap = number(text)?;
    if gap >= Rational::ZERO { Ok(gap) } else { Err("a gap is not negative".to_owned()) }
}

fn stationary_gap(text: &str) -> Result<Rational, String> {
    let gap = number(text)?;
    let least = Rational::from_quotient(1, 10_000_000_000);
    if gap >= least {
        Ok(gap)
    } else {
        Err("a gap for mixed strategies is at least 1e-10: doubles cannot prove a smaller one".to_owned())
    }
}

fn confidence(text: &str) -> Result<f64, String> {
    let value = number(text)?.to_f64();
    if 0.0 < value && value < 1.0 { Ok(value) } else { Err("a confidence lies between 0 and 1".to_owned()) }
}

/// `I/N`, where I is 1 to N.
fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    let shard = parts.and_then(|(number, of)| Shard::new(number, of));
    shard.ok_or_else(|| "write I/N with I from 1 to N, such as 1/4 for the first of four parts".to_owned())
}

/// The N of the spaced family: an integer, at least 2, that may be written as 1000000000 or as 1e9.
fn spacing(text: &str) -> Result<Rational, String> {
    /// A discount of the family has one digit more than N at most, and can then still be read.
    const MAX_DIGITS: isize = 9_999;
    let number = number(text)?;
    if !number.is_whole() {
        return Err("N is a whole number such as 10 or 1e9".to_owned());
    }
    if number < Rational::from(2) {
        return Err("N is at least 2: with less, the discount n/(2n−1) would not be below 1".to_owned());
    }
    if number >= Rational::from(10).pow(MAX_DIGITS) {
        return Err(format!("N has more than {MAX_DIGITS} digits"));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_a_part_from_1_to_n() {
        assert_eq!(shard("2/3"), Ok(Shard::new(2, 3).unwrap()));
        for text in ["0/3", "4/3", "1", "/", "a/b", "-1/3", "1/0"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}
