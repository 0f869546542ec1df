//! Payoffs of a given strategy, estimated from seeded random runs.
//!
//! A run draws states and choices `a₀, a₁, …` from the strategy and the model. Its value for principal *i* is
//! `Σ_{j<T_i} λ_i^j R_i(a_j)` [Eq. 1]. The steps after `T_i` are worth at most `max |R_i| · λ_i^{T_i} / (1 − λ_i)`, and
//! `T_i = ⌈ln ε / ln λ_i⌉` makes that a fraction `ε = 10^-12` of the greatest possible payoff; no run is longer than 10^7 steps.
//! A run that reaches an absorbing state in which the strategy no longer changes is summed to infinity:
//! `λ_i^j R_i / (1 − λ_i)` from step `j` on. A preference that is approximated by a mixture has discounts so close to 1 that ε is out
//! of reach: its random runs are cut where the rest is worth less than the mean of these runs can tell (`patience`). That may be
//! hundreds of thousands of steps, which count for little: the runs are *thinned*. At some steps each run ends with probability 1/2, and
//! if it goes on, its later steps count twice as much. The expectation is the same, and most runs are short. If the weights fall so
//! slowly that this takes too long, runs end at more steps and are cut earlier, whichever costs the intervals less.
//!
//! The least and the greatest value of a run are known (`chain`), so the intervals of the means hold for every distribution and
//! any number of runs (`interval`), also if a rare event occurs in no run. They include proven bounds on truncation and rounding
//! errors, and **all of them together** hold with the confidence asked for: the error probability is divided equally among the
//! principals and the welfare. The welfare is summed run by run, because the payoffs of a run are correlated. A deterministic
//! run is walked once and counted for every run; only truncation and rounding errors remain.
//!
//! Runs come in blocks of fixed size. Each block has a generator of its own, seeded from the seed and the block's number,
//! and the results are combined in the order of the blocks: they do not depend on the number of threads.
//!
//! Cost: O(T · (principals + log outcomes)) per run, after O(principals · choices + outcomes) for the reachable part.

mod chain;
mod interval;
mod patience;
mod tally;
#[cfg(test)]
mod tests;

use crate::evaluation::Payoffs;
use crate::model::{ChoiceId, Mdp, Part, Principal, Segment, StateId, Structure};
use crate::number::Enclosure;
use crate::parallel;
use crate::stop::{Pace, Reached, StopReason, StopSignal};
use crate::strategy::Strategy;
use chain::{Chain, draw};
use interval::interval;
use patience::{MAX_STEPS, Patience, TAIL_SHARE, Table, Thinning, length_of_mixture, rounding_of_sum};
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};
use std::cmp::Reverse;
use std::sync::Mutex;
use tally::{Moments, Tally};

/// The number of runs, the seed and the confidence.
#[derive(Debug, Clone)]
pub struct SimulateOptions {
    /// The number of runs. Default: 10,000.
    pub runs: u64,
    /// What the random numbers are drawn from: the same seed gives the same answer, on any number of threads. Default: 1.
    pub seed: u64,
    /// The probability with which all intervals contain their true values, strictly between 0 and 1. Default: 0.99.
    pub confidence: f64,
    /// Looked at between blocks of runs; raised, it gives the estimates from the runs done. Default: never raised.
    pub stop: StopSignal,
}

impl Default for SimulateOptions {
    fn default() -> SimulateOptions {
        SimulateOptions { runs: 10_000, seed: 1, confidence: 0.99, stop: StopSignal::default() }
    }
}

/// An estimate of an expected value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean over all runs; NaN if there was none.
    pub mean: f64,
    /// The estimated standard deviation of that mean; 0 for a deterministic run, infinite with fewer than two runs.
    pub standard_error: f64,
    /// The lower end of the confidence interval, including truncation and rounding errors.
    pub lower: f64,
    /// The upper end of the confidence interval, including truncation and rounding errors.
    pub upper: f64,
}

/// The result of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// What each principal of the file gets, before its weight.
    pub payoffs: Vec<Estimate>,
    /// The weighted sum of the payoffs.
    pub welfare: Estimate,
    /// The number of runs done: fewer than asked for if stopped.
    pub runs: u64,
    /// The number of steps after which a run is cut.
    pub steps: u64,
    /// Per principal of the file, before its weight: an upper bound on the value of the truncated steps.
    pub truncation: Vec<f64>,
    /// Why there are fewer runs than asked for, if there are.
    pub stopped: Option<StopReason>,
}

impl Simulation {
    /// No run at all: the bounds that the rewards give for any strategy.
    pub(crate) fn not_begun(any: &Payoffs, model: &Structure, reason: StopReason) -> Simulation {
        let estimate = |range: Enclosure| Estimate {
            mean: f64::NAN,
            standard_error: f64::INFINITY,
            lower: range.lower(),
            upper: range.upper(),
        };
        let payoff = |p: usize| estimate(any.payoff(p.into(), model.start()).enclosure);
        Simulation {
            payoffs: (0..model.n_principals()).map(payoff).collect(),
            welfare: estimate(any.welfare_enclosure(model.start())),
            runs: 0,
            steps: 0,
            truncation: vec![0.0; model.n_principals()],
            stopped: Some(reason),
        }
    }
}

/// Estimates each principal's payoff from `start` under `strategy`.
///
/// Probabilities are rounded to multiples of 2^-64, rewards and discounts to doubles; the intervals allow for both.
///
/// ```
/// # use commonweal::internals::{model::{ModelBuilder, Principal}, number::parse_rational};
/// # use commonweal::internals::{evaluation::{simulate, SimulateOptions}, strategy::{CountingStrategy, Strategy}};
/// # fn number(text: &str) -> commonweal::internals::number::Rational { parse_rational(text).unwrap() }
/// let alice = Principal::new("alice", number("1/2"))?;
/// let mut coin = ModelBuilder::new(vec![alice], ["toss", "won", "lost"])?;
/// let toss = coin.choice(0.into(), "toss", [number("0")], [(1.into(), number("1/2")), (2.into(), number("1/2"))])?;
/// let won = coin.choice(1.into(), "enjoy", [number("8")], [(1.into(), number("1"))])?;
/// let lost = coin.choice(2.into(), "endure", [number("0")], [(2.into(), number("1"))])?;
/// let strategy = Strategy::Counting(CountingStrategy::positional([toss, won, lost]));
/// let simulation = simulate(&coin.finish()?, &strategy, 0.into(), &SimulateOptions::default());
/// assert!(simulation.welfare.lower < 4.0 && 4.0 < simulation.welfare.upper);
/// # Ok::<(), commonweal::internals::model::ModelError>(())
/// ```
///
/// # Panics
/// If the confidence does not lie strictly between 0 and 1, or `start` is no state of the model.
pub fn simulate(model: &Mdp, strategy: &Strategy, start: StateId, options: &SimulateOptions) -> Simulation {
    assert!(options.confidence > 0.0 && options.confidence < 1.0, "a confidence lies between 0 and 1");
    let runner = Runner::for_runs(model, strategy, start, options);
    let sample = runner.sample(options);
    runner.report(&sample, options)
}

/// A step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathStep {
    /// Where the run was.
    pub state: StateId,
    /// What was chosen there.
    pub choice: ChoiceId,
}

/// The first `n_paths` runs that [`simulate`] draws with the same arguments, each for `n_steps` steps, or as long as it counts.
pub fn sample_paths(
    model: &Mdp,
    strategy: &Strategy,
    start: StateId,
    options: &SimulateOptions,
    [n_paths, n_steps]: [u64; 2],
) -> Vec<Vec<PathStep>> {
    let runner = Runner::for_runs(model, strategy, start, options);
    let mut run = runner.new_run();
    let block_runs = runner.block_runs();
    let mut generator = generator_of(options.seed, 0);
    let mut paths = Vec::new();
    for path in 0..n_paths.min(options.runs) {
        if path % block_runs == 0 {
            generator = generator_of(options.seed, path / block_runs);
        }
        if options.stop.reason().is_some() {
            break;
        }
        let mut steps = Vec::new();
        runner.run(&mut run, &mut generator, |step, taken: PathStep, for_ever| {
            let last = if for_ever { n_steps.min(runner.steps) } else { n_steps.min(step + 1) };
            (step..last).for_each(|_| steps.push(taken));
            true
        });
        paths.push(steps);
    }
    paths
}

/// The most runs of a block.
const MAX_BLOCK_RUNS: u64 = 256;
/// The most steps of a block, so that a stop signal takes effect soon.
const BLOCK_STEPS: u64 = 1 << 20;
/// The number of blocks whose results are held at a time.
const BLOCKS_AT_A_TIME: u64 = 1024;

/// The data of runs: mixtures whose weights are in tables, then the parts of all other principals, in decreasing patience.
struct Runner {
    chain: Chain,
    patiences: Vec<Patience>,
    /// The weights of the mixtures.
    tables: Vec<Table>,
    /// The discount of each part, if all count at every step; otherwise empty.
    discounts: Vec<f64>,
    /// The principal of each part.
    owners: Vec<usize>,
    n_principals: usize,
    /// The length of a run: that of the most patient part.
    steps: u64,
    /// The steps at which half of the runs end, and the others count twice from there on.
    thinned: Vec<u64>,
    /// Upper bounds on the approximation errors of each principal's payoff, and last of the welfare.
    margins: Vec<f64>,
}

/// A part, whose it is, and the steps at which it counts: the first, and the one after the last if there is one.
type Counted<'m> = (usize, &'m Part, (u64, Option<u64>));

/// One run.
struct Drawn {
    /// Its value for each part.
    worths: Vec<f64>,
    /// Each part's λ^j at the step `j` reached.
    powers: Vec<f64>,
    /// The number of parts, the most patient ones, whose value is that of the infinite run.
    n_uncut: usize,
}

/// All runs together.
struct Sample {
    tally: Tally,
    /// Whether anything was random.
    chance: bool,
    /// The number of parts, the most patient ones, for which it is certain that no run was cut.
    n_uncut: usize,
}

impl Runner {
    /// For the runs that are asked for: random runs of approximated preferences are cut where the rest is lost in their variance.
    fn for_runs(model: &Mdp, strategy: &Strategy, start: StateId, options: &SimulateOptions) -> Runner {
        let whole = Runner::new(model, strategy, start, None);
        let is_approximated = whole.margins.iter().any(|margin| *margin > 0.0);
        if is_approximated && whole.is_random(options) {
            let thinning = Thinning::of_runs(model.principals(), options.runs);
            Runner::new(model, strategy, start, Some(thinning))
        } else {
            whole
        }
    }

    /// If runs are thinned, every approximated preference is one part, whose weights are in a table.
    fn new<'m>(model: &'m Mdp, strategy: &Strategy, start: StateId, thinning: Option<Thinning>) -> Runner {
        let principals = model.principals();
        let is_mixed = |p: usize| thinning.is_some() && principals[p].approximation().is_some();
        let own_parts = |(p, principal): (usize, &'m Principal)| {
            let segments = principal.segments();
            let of_segment = move |(k, segment): (usize, &'m Segment)| {
                let until = segments.get(k + 1).map(|next| next.from);
                segment.parts.iter().map(move |part| (p, part, (segment.from, until)))
            };
            segments.iter().enumerate().flat_map(of_segment)
        };
        let plain = principals.iter().enumerate().filter(|(p, _)| !is_mixed(*p));
        let mut parts: Vec<Counted> = plain.flat_map(own_parts).collect();
        let most_steps: Vec<u64> = (principals.iter())
            .map(|principal| match principal.approximation() {
                Some(_) => length_of_mixture(principal, TAIL_SHARE),
                None => MAX_STEPS,
            })
            .collect();
        let patience = |&(p, part, steps): &Counted, greatest: f64| {
            Patience::within(&principals[p], part, steps, greatest, most_steps[p])
        };
        // Sorted by the step until which a run counts, the longest first, then by patience, so that parts that no longer count are
        // at the end.
        parts.sort_by_cached_key(|part| (Reverse(patience(part, 0.0).length), Reverse(part.1.discount.clone())));
        let mixed: Vec<usize> = (0..principals.len()).filter(|p| is_mixed(*p)).collect();
        let owners: Vec<usize> = mixed.iter().copied().chain(parts.iter().map(|&(p, ..)| p)).collect();
        let chain = Chain::new(model, strategy, start, &owners);
        let (greatest_mixed, greatest) = chain.greatest_rewards().split_at(mixed.len());
        let thinned = thinning.as_ref().map_or(&[][..], |thinning| &thinning.steps);
        let (mut patiences, mut tables) = (Vec::new(), Vec::new());
        if let Some(thinning) = &thinning {
            for (&p, &greatest) in mixed.iter().zip(greatest_mixed) {
                patiences.push(Patience::of_mixture(&principals[p], thinning, greatest));
                tables.push(Table::new(&principals[p], thinning.length(&principals[p])));
            }
        }
        patiences.extend(
            parts.iter().zip(greatest).map(|(part, &greatest)| patience(part, greatest).thinned_at(thinned, greatest)),
        );
        let all_count = parts.iter().all(|&(.., steps)| steps == (0, None));
        let discounts = if all_count { patiences.iter().map(|own| own.discount).collect() } else { Vec::new() };
        let n_principals = model.n_principals();
        let mut margins = model.margins().unwrap_or_else(|| vec![0.0; n_principals]);
        margins.push(model.welfare_margin());
        let steps = patiences.iter().map(|own| own.length).max().expect("a model has principals");
        let thinned = thinning.map_or_else(Vec::new, |thinning| thinning.steps);
        Runner { chain, patiences, tables, discounts, owners, n_principals, steps, thinned, margins }
    }

    fn sample(&self, options: &SimulateOptions) -> Sample {
        if options.runs == 0 || options.stop.reason().is_some() {
            return Sample { tally: Tally::none(self.n_principals), chance: true, n_uncut: 0 };
        }
        if self.is_random(options) {
            return Sample { tally: self.tally(options), chance: true, n_uncut: 0 };
        }
        let mut trial = self.new_run();
        let mut pace = Pace::of(&options.stop);
        let is_whole = self
            .run(&mut trial, &mut generator_of(options.seed, 0), |_, _, _| !pace.stops_after(self.patiences.len() + 1));
        if !is_whole {
            return Sample { tally: Tally::none(self.n_principals), chance: true, n_uncut: 0 };
        }
        options.stop.reach(Reached::Simulating { runs: options.runs, of: options.runs });
        let tally = Tally::alike(options.runs, &self.payoffs(&trial.worths), self.welfare(&trial.worths));
        Sample { tally, chance: false, n_uncut: trial.n_uncut }
    }

    /// The runs, block by block, until stopped. A block that has begun is completed: dropping it would bias the sample to short runs.
    fn tally(&self, options: &SimulateOptions) -> Tally {
        let block_runs = self.block_runs();
        let n_blocks = options.runs.div_ceil(block_runs);
        let done = Mutex::new(0);
        let block = |block: u64| {
            options.stop.check().ok()?;
            let runs = block_runs.min(options.runs - block * block_runs);
            let tally = self.block(runs, generator_of(options.seed, block));
            // The lock is held until the count is reported, so that reported counts only grow.
            let mut done = done.lock().expect("nobody panics while they hold it");
            *done += runs;
            options.stop.reach(Reached::Simulating { runs: *done, of: options.runs });
            Some(tally)
        };
        let mut all = Tally::none(self.n_principals);
        let mut first = 0;
        while first < n_blocks && options.stop.reason().is_none() {
            let next = n_blocks.min(first + BLOCKS_AT_A_TIME);
            let tallies: Vec<Option<Tally>> = parallel::map_items(first..next, |_, index| block(index));
            tallies.iter().flatten().for_each(|tally| all.merge(tally));
            first = next;
        }
        all
    }

    fn block(&self, runs: u64, mut generator: Xoshiro256PlusPlus) -> Tally {
        let mut tally = Tally::none(self.n_principals);
        let mut run = self.new_run();
        for _ in 0..runs {
            self.run(&mut run, &mut generator, |_, _, _| true);
            tally.add(&self.payoffs(&run.worths), self.welfare(&run.worths));
        }
        tally
    }

    fn new_run(&self) -> Drawn {
        let zeros = vec![0.0; self.patiences.len()];
        Drawn { worths: zeros.clone(), powers: zeros, n_uncut: 0 }
    }

    fn block_runs(&self) -> u64 {
        (BLOCK_STEPS / self.steps).clamp(1, MAX_BLOCK_RUNS)
    }

    /// Whether anything of a run is random: whether its first random draw, if there is one, comes before the run ends or is stopped.
    /// Where a thinned run ends is random.
    fn is_random(&self, options: &SimulateOptions) -> bool {
        if !self.thinned.is_empty() || !self.tables.is_empty() {
            return true;
        }
        let Some(mut place) = self.chain.only_start() else { return true };
        let mut pace = Pace::of(&options.stop);
        for step in 0..self.steps {
            let decision = self.chain.decision(place, step);
            match self.chain.outcomes(decision) {
                [_] if decision.for_ever || pace.stops_after(8) => return false,
                [certain] => place = certain.target,
                _ => return true,
            }
        }
        false
    }

    /// Draws one run from the start, in place of what `run` was. `visit` sees each step, and whether it is repeated for ever, and
    /// says whether the run goes on. Returns whether it came to its end.
    fn run(
        &self,
        run: &mut Drawn,
        generator: &mut Xoshiro256PlusPlus,
        mut visit: impl FnMut(u64, PathStep, bool) -> bool,
    ) -> bool {
        run.worths.fill(0.0);
        run.powers.fill(1.0);
        run.n_uncut = 0;
        let mut place = self.chain.only_start().unwrap_or_else(|| self.chain.start(generator.next_u64()));
        // The parts for which the run still counts; the most patient one is among them until the end.
        let n_mixed = self.tables.len();
        let mut counting = &self.patiences[n_mixed..];
        let mut factor = 1.0;
        let mut thinned = self.thinned.iter().copied().peekable();
        for step in 0..self.steps {
            if thinned.next_if_eq(&step).is_some() {
                // The bit of the highest quality.
                if generator.next_u64() >> 63 == 0 {
                    return true;
                }
                factor *= 2.0;
                run.powers.iter_mut().for_each(|power| *power *= 2.0);
            }
            while let [more_patient @ .., last] = counting
                && last.length <= step
            {
                counting = more_patient;
            }
            let decision = self.chain.decision(place, step);
            let outcome = match self.chain.outcomes(decision) {
                [certain] => certain,
                outcomes => draw(outcomes, generator.next_u64()),
            };
            if !visit(step, self.chain.taken(place, outcome), decision.for_ever) {
                return false;
            }
            let (mixed, worths) = run.worths.split_at_mut(n_mixed);
            let (mixed_rewards, rewards) = self.chain.rewards(outcome).split_at(n_mixed);
            for ((worth, reward), table) in mixed.iter_mut().zip(mixed_rewards).zip(&self.tables) {
                *worth += factor * table.counts(step, decision.for_ever) * reward;
            }
            let powers = &mut run.powers[n_mixed..];
            if decision.for_ever {
                let paid = worths.iter_mut().zip(powers).zip(rewards).zip(counting);
                paid.for_each(|(((worth, power), reward), own)| match own.window {
                    None => *worth += *power * reward * own.for_ever,
                    Some(_) => *worth += own.rest(step, *power) * reward,
                });
                run.n_uncut = n_mixed + counting.len();
                return true;
            }
            if self.discounts.is_empty() {
                let paid = worths.iter_mut().zip(powers).zip(rewards).zip(counting);
                for (((worth, power), reward), own) in paid.filter(|(_, own)| own.has_begun(step)) {
                    *worth += *power * reward;
                    *power *= own.discount;
                }
            } else {
                // The same from slices of numbers alone, which is several times faster.
                let n = counting.len();
                let discounts = &self.discounts[n_mixed..n_mixed + n];
                let paid = worths[..n].iter_mut().zip(&mut powers[..n]).zip(&rewards[..n]).zip(discounts);
                for (((worth, power), reward), discount) in paid {
                    *worth += *power * reward;
                    *power *= discount;
                }
            }
            place = outcome.target;
        }
        true
    }

    /// What the principals get, in the order of the file.
    fn payoffs(&self, worths: &[f64]) -> Vec<f64> {
        let mut payoffs = vec![0.0; self.n_principals];
        for ((worth, own), &owner) in worths.iter().zip(&self.patiences).zip(&self.owners) {
            payoffs[owner] += worth * own.coefficient;
        }
        payoffs
    }

    fn welfare(&self, worths: &[f64]) -> f64 {
        worths.iter().zip(&self.patiences).map(|(worth, own)| worth * own.weight).sum()
    }

    /// The estimates, in the order of the file.
    fn report(&self, sample: &Sample, options: &SimulateOptions) -> Simulation {
        let Sample { tally, chance, n_uncut } = sample;
        // With a single principal the welfare is determined by its payoff.
        let n_intervals = if self.n_principals == 1 { 1 } else { self.n_principals + 1 };
        let share = (1.0 - options.confidence) / n_intervals as f64;
        let ranges: Vec<[f64; 2]> =
            (self.patiences.iter().enumerate()).map(|(slot, own)| self.chain.range(slot, own, &options.stop)).collect();
        // The total value of parts with these ranges.
        let total = |factors: &dyn Fn(usize) -> f64| {
            ranges.iter().enumerate().fold(Enclosure::ZERO, |sum, (slot, &[least, greatest])| match factors(slot) {
                0.0 => sum,
                factor => sum.plus(Enclosure::new(least, greatest).times(Enclosure::new(factor, factor))),
            })
        };
        let estimate = |moments: &Moments, range: Enclosure, doubt: f64, margin: f64| {
            let mean = if tally.runs == 0 { f64::NAN } else { moments.mean };
            let standard_error = if *chance { moments.standard_error(tally.runs) } else { 0.0 };
            let [lower, upper] = if *chance {
                // The computed value of a run may differ from the true one by `doubt`.
                let ends = [range.lower() - doubt, range.upper() + doubt];
                let size = ends[0].abs().max(ends[1].abs());
                interval(moments, tally.runs, ends, share, (size, tally.n_updates))
            } else {
                [mean, mean]
            };
            // NaN, from a lack of runs or overflow, gives an infinite interval.
            let interval = Enclosure::new(lower, upper).plus(Enclosure::new(-doubt, doubt)).widened(margin);
            Estimate { mean, standard_error, lower: interval.lower(), upper: interval.upper() }
        };
        let truncation = |slot: usize| if slot < *n_uncut { 0.0 } else { self.patiences[slot].tail };
        let doubt =
            |slot: usize| truncation(slot) + self.patiences[slot].rounding(self.chain.most_outcomes(), tally.n_updates);
        let weighted = |of: &dyn Fn(usize) -> f64| -> f64 {
            self.patiences.iter().enumerate().map(|(slot, own)| own.weight.abs() * of(slot)).sum()
        };
        let underflow: f64 = self.patiences.iter().map(|own| own.underflow).sum();
        let sum_doubt = rounding_of_sum(self.owners.len(), weighted(&|slot| self.patiences[slot].most)) + underflow;
        // Over the parts of one principal; one that has a single part with coefficient 1 adds nothing up.
        let of_principal = |p: usize, of: &dyn Fn(usize) -> f64| -> f64 {
            let own = (0..self.owners.len()).filter(|&slot| self.owners[slot] == p);
            own.map(|slot| self.patiences[slot].coefficient.abs() * of(slot)).sum()
        };
        let own_doubt = |p: usize| {
            let n_parts = self.owners.iter().filter(|&&owner| owner == p).count();
            let added_up = if n_parts == 1 {
                0.0
            } else {
                rounding_of_sum(n_parts, of_principal(p, &|slot| self.patiences[slot].most))
            };
            let underflow = (0..self.owners.len()).filter(|&slot| self.owners[slot] == p && n_parts > 1);
            of_principal(p, &doubt) + added_up + underflow.map(|slot| self.patiences[slot].underflow).sum::<f64>()
        };
        let principals = 0..self.n_principals;
        Simulation {
            payoffs: principals
                .clone()
                .map(|p| {
                    let factor =
                        |slot: usize| if self.owners[slot] == p { self.patiences[slot].coefficient } else { 0.0 };
                    estimate(&tally.payoffs[p], total(&factor), own_doubt(p), self.margins[p])
                })
                .collect(),
            welfare: {
                let doubt = weighted(&doubt) + sum_doubt;
                let range = total(&|slot| self.patiences[slot].weight);
                estimate(&tally.welfare, range, doubt, self.margins[self.n_principals])
            },
            runs: tally.runs,
            steps: self.steps,
            truncation: principals.map(|p| of_principal(p, &truncation)).collect(),
            stopped: if tally.runs < options.runs { options.stop.reason() } else { None },
        }
    }
}

/// The generator of a block: xoshiro256++, its state drawn by SplitMix64 from the mixed seed and the block's number.
fn generator_of(seed: u64, block: u64) -> Xoshiro256PlusPlus {
    let mixed = SplitMix64::seed_from_u64(seed).next_u64();
    Xoshiro256PlusPlus::seed_from_u64(mixed ^ block)
}
