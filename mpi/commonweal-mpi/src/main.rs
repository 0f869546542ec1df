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
use commonweal::internals::certified::{SharedModel, put_together, solve_shared};
use commonweal::internals::model::{OwnStates, StateId};
use commonweal::internals::own_best::own_best_shared;
use commonweal::internals::parallel::with_this_thread;
use commonweal::internals::stop::{StopReason, StopSignal};
use commonweal::limits::Limits;
use commonweal::{Claim, Options};
use petsc_shim::{Halo, Job};
use ranks::MpiRanks;
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
    agreed(job, check_petsc(job))?;
    let stop = args.time_limit.map_or_else(StopSignal::default, StopSignal::after);
    job.listen();
    with_this_thread(args.threads.map(usize::from));
    let source = agreed(job, source::open(job, args))?;
    let (start, name, n_states) = (source.start(), source.start_name(), source.n_states());
    let range = OwnStates::range(n_states, job.rank(), job.size());
    let own = agreed(job, OwnStates::of(&*source, range).map_err(anyhow::Error::from))?;
    // A model that is small enough to be shown whole.
    let is_shown = args.json && n_states <= MANY_STATES as u64;
    let whole = is_shown.then(|| OwnStates::of(&*source, 0..n_states).map(|all| all.model));
    let whole = agreed(job, whole.transpose().map_err(anyhow::Error::from))?;
    drop(source);
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
    let options = Options { limits: Limits::of_layers(args.layer_limit), stop, ..Options::default() };
    let answer = solve_shared(shared, args.gap, &options);
    let here = own.range.contains(&start).then(|| StateId::from((start - own.range.start) as usize));
    let own_best = if args.json { own_best_shared(shared, here, &answer, &options.stop) } else { Vec::new() };
    if let Some(folder) = out {
        results::write(job, folder, &own.model, &answer);
    }
    let all = whole.map(|whole| (put_together(shared, &answer, &whole), whole));
    let printed = match (here, &all) {
        (Some(_), Some((all, whole))) => report::json_of_all(whole, all, &own_best),
        (Some(_), None) if args.json => report::json(&own.model, &answer, &own_best, &name),
        (Some(_), None) => report::text(&own.model, &answer, &name),
        (None, _) => Ok(()),
    };
    agreed(job, printed)?;
    if matches!(answer.claim(), Claim::Stopped(StopReason::TimeLimit | StopReason::Interrupted)) {
        return Ok(3);
    }
    agreed(job, checkpoints.remove())?;
    Ok(if matches!(answer.claim(), Claim::Stopped(_)) { 3 } else { 0 })
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
