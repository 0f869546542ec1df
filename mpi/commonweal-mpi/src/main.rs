//! `mpirun -n 4 commonweal-mpi solve MODEL`: the certified engine of commonweal, its states shared by ranks.
//!
//! Every rank does the same with its own states. What is decided is decided by numbers that all ranks know, so that they take
//! the same path; what fails on one rank is agreed on ([`agree::agreed`]), and one message is printed.

mod agree;
mod args;
mod ranks;
mod report;
mod results;
mod source;

use agree::agreed;
use anyhow::bail;
use args::{Cli, Command, SolveArgs};
use clap::Parser;
use commonweal::internals::certified::{SharedModel, solve_shared};
use commonweal::internals::model::{OwnStates, StateId};
use commonweal::internals::own_best::own_best_shared;
use commonweal::internals::parallel::with_this_thread;
use commonweal::internals::stop::StopSignal;
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
    let source = agreed(job, source::open(args))?;
    let (start, name) = (source.start(), source.start_name());
    let range = OwnStates::range(source.n_states(), job.rank(), job.size());
    let own = agreed(job, OwnStates::of(&*source, range).map_err(anyhow::Error::from))?;
    drop(source);
    if let Some(folder) = &args.out {
        agreed(job, results::make_folder(job, folder))?;
    }
    let halo = Halo::new(job, own.model.structure().n_states(), &own.ghosts);
    let ranks = MpiRanks { job, halo: &halo, own: &own, most_together: args.most_together };
    let shared = SharedModel { model: &own.model, ranks: &ranks };
    let options = Options { layer_limit: args.layer_limit, stop, ..Options::default() };
    let answer = solve_shared(shared, args.gap, &options);
    let here = own.range.contains(&start).then(|| StateId::from((start - own.range.start) as usize));
    let own_best = if args.json { own_best_shared(shared, here, &answer, &options.stop) } else { Vec::new() };
    if let Some(folder) = &args.out {
        results::write(job, folder, &own.model, &answer);
    }
    let printed = match here {
        Some(_) if args.json => report::json(&own.model, &answer, &own_best, &name),
        Some(_) => report::text(&own.model, &answer, &name),
        None => Ok(()),
    };
    agreed(job, printed)?;
    Ok(if matches!(answer.claim(), Claim::Stopped(_)) { 3 } else { 0 })
}

/// Refuses a PETSc that cannot count the states that this program is for.
fn check_petsc(job: &Job) -> anyhow::Result<()> {
    if job.index_bytes() == 8 {
        return Ok(());
    }
    bail!("this PETSc counts with {} bytes; build with one of 64-bit indices, such as Debian's libpetsc64-real-dev", job.index_bytes())
}
