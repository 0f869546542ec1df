//! `mpirun -n 4 commonweal-mpi solve MODEL`: the certified engine of commonweal, its states shared by ranks.
//!
//! Every rank does the same with its own states. What is decided is decided by numbers that all ranks know, so that they take
//! the same path; what fails on one rank is agreed on ([`agree::agreed`]), and one message is printed.

mod agree;
mod args;
mod checkpoint;
mod fingerprint;
mod ranks;
mod report;
mod results;
mod source;

use agree::agreed;
use anyhow::bail;
use args::{Cli, Command, SolveArgs};
use checkpoint::Checkpoints;
use clap::Parser;
use commonweal::documents::MANY_STATES;
use commonweal::internals::certified::{SharedModel, put_together};
use commonweal::internals::model::{OwnStates, StateId};
use commonweal::internals::own_best::own_best_shared;
use commonweal::internals::parallel::with_this_thread;
use commonweal::internals::solve::solve_shared;
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::limits::Limits;
use commonweal::questions::ThresholdAnswer;
use commonweal::{Claim, Engine, Options};
use commonweal_terminal::report::timings::Clock;
use petsc_shim::{Halo, Job};
use ranks::MpiRanks;
use report::Report;
use std::process::ExitCode;

fn main() -> ExitCode {
    let job = Job::begin();
    let code = run(&job);
    // Only now: an exit code other than 0 makes mpirun end the other ranks.
    drop(job);
    ExitCode::from(code)
}

fn run(job: &Job) -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(help) => {
            if job.rank() == 0 {
                _ = help.print();
            }
            return help.exit_code() as u8;
        }
    };
    let Command::Solve(args) = cli.command;
    match solve(job, &args) {
        Ok(code) => code,
        // One rank has said why.
        Err(agree::Refused) => 2,
    }
}

fn solve(job: &Job, args: &SolveArgs) -> Result<u8, agree::Refused> {
    let mut clock = Clock::start();
    agreed(job, check_petsc(job).and_then(|()| args.check()))?;
    let stop = args.run.time_limit.map_or_else(StopSignal::default, StopSignal::after);
    job.listen();
    with_this_thread(Some(args.run.threads.map_or(1, usize::from)));
    let source = agreed(job, source::open(job, args))?;
    let (start, name, n_states) = (source.start(), source.start_name(), source.n_states());
    let range = OwnStates::range(n_states, job.rank(), job.size());
    let own = agreed(job, OwnStates::of(&*source, range).map_err(anyhow::Error::from))?;
    // A model that is small enough to be shown whole.
    let is_shown = args.all_states || n_states <= MANY_STATES as u64;
    let whole = is_shown.then(|| OwnStates::of(&*source, 0..n_states).map(|all| all.model));
    let whole = agreed(job, whole.transpose().map_err(anyhow::Error::from))?;
    drop(source);
    clock.has_read();
    let out = args.out.as_ref().or(args.resume.as_ref());
    if let Some(folder) = out {
        agreed(job, results::make_folder(job, folder))?;
    }
    let halo = Halo::new(job, own.model.structure().n_states(), &own.ghosts);
    let folder = out.filter(|_| args.checkpoint_every.is_some() || args.resume.is_some());
    let folder = folder.map(|folder| folder.join("checkpoint"));
    let of = job.sum(fingerprint::of(&own, args));
    let checkpoints = Checkpoints::new(job, folder, args.checkpoint_every.unwrap_or(u64::MAX), of, &own);
    if let Some(folder) = &args.resume {
        let named = |error: anyhow::Error| error.context(format!("--resume {}", folder.display()));
        agreed(job, checkpoints.restore().map_err(named))?;
        agreed(job, checkpoints.check().map_err(named))?;
    }
    let ranks = MpiRanks { job, halo: &halo, own: &own, checkpoints: &checkpoints, most_together: args.most_together };
    let shared = SharedModel { model: &own.model, ranks: &ranks };
    let limits = Limits { layers: args.layer_limit, events: args.event_limit };
    let engine = args.gap.map_or(Engine::Auto, Engine::Within);
    let options = Options { engine, limits, stop, ..Options::default() };
    let answer = solve_shared(shared, &options);
    clock.solving = answer.timings();
    let here = own.range.contains(&start).then(|| StateId::from((start - own.range.start) as usize));
    // As in `commonweal`: too slow for a text report of a large model.
    const MANY_FOR_TEXT: u64 = 100_000;
    let with_own_best = args.run.json || n_states <= MANY_FOR_TEXT;
    let own_best = if with_own_best { own_best_shared(shared, here, &answer, &options.stop) } else { Vec::new() };
    if let Some(folder) = out {
        results::write(job, folder, &own.model, &answer);
    }
    let all = whole.map(|whole| (put_together(shared, &answer, &whole), whole));
    let report = here.map(|here| match &all {
        Some((all, whole)) => {
            let (model, start) = (whole.structure(), StateId::from(start as usize));
            Report { args, model, start, part: None, answer: all, own_best: &own_best, clock }
        }
        None => {
            let (model, part) = (own.model.structure(), Some((&*name, n_states)));
            Report { args, model, start: here, part, answer: &answer, own_best: &own_best, clock }
        }
    });
    agreed(job, report.as_ref().map_or(Ok(()), Report::print))?;
    let was_asked_to_stop = matches!(answer.claim(), Claim::Stopped(StopReason::TimeLimit | StopReason::Interrupted));
    if !was_asked_to_stop {
        agreed(job, checkpoints.remove())?;
    }
    let is_missed = matches!(answer.claim(), Claim::Stopped(_)) || answer.misses_gap().is_some();
    // The rank that has the start tells the others.
    let code = match report.and_then(|report| report.earned()) {
        Some(ThresholdAnswer::Yes) => 0,
        Some(ThresholdAnswer::No) => 1,
        Some(ThresholdAnswer::Unknown) => 3,
        None if args.threshold.is_some() => 0,
        None if is_missed => 3,
        None => 0,
    };
    let mut codes = [f64::from(code)];
    job.greatest(&mut codes);
    Ok(codes[0] as u8)
}

/// Refuses a PETSc that cannot count the states that this program is for.
fn check_petsc(job: &Job) -> anyhow::Result<()> {
    if job.index_bytes() == 8 {
        return Ok(());
    }
    bail!(
        "this PETSc counts with {} bytes; build with one of 64-bit indices, such as Debian's libpetsc64-real-dev",
        job.index_bytes()
    )
}
