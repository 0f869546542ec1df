//! `commonweal reproduce`: the paper's figures and claims, recomputed and compared.

use crate::args::ReproduceArgs;
use crate::json;
use crate::output;
use crate::report::note;
use crate::report::table::WIDTH;
use crate::report::timings::Clock;
use crate::signals;
use anyhow::Context;
use commonweal::limits::StopReason;
use commonweal_experiments::{Archive, ArchiveError, Error, FORMAT, Lab, Progress, Settings};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub fn run(args: &ReproduceArgs) -> anyhow::Result<ExitCode> {
    let clock = Clock::start();
    let mut lab = lab(args)?;
    if let Some(why) = lab.baseline_failure().filter(|_| !args.run.quiet) {
        note(&format!(
            "the baseline is not run: {why}.\n      Name a Python that has numpy with --python, or let scripts/reproduce make one."
        ));
    }
    let reproduction = match args.what.run(&mut lab) {
        Ok(reproduction) => reproduction,
        Err(Error::Stopped(reason)) => return stopped(args, reason, &clock),
        Err(error) => return Err(error.into()),
    };
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print(&reproduction.document(), spent)?;
    } else {
        output::print(&(reproduction.text(WIDTH) + &spent.map_or_else(String::new, |spent| spent.in_words())))?;
    }
    Ok(if reproduction.stands() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn lab(args: &ReproduceArgs) -> anyhow::Result<Lab> {
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let settings = Settings {
        is_quick: args.quick,
        seed: args.seed,
        is_timed: !args.untimed,
        python: (args.what.is_compared() && args.python != "none").then(|| args.python.clone()),
        stop: signals::start(&args.run),
    };
    let lab = Lab::new(settings);
    let lab = if let Some(folder) = &args.out { lab.with_archive(Folder(folder.clone())) } else { lab };
    Ok(if args.run.quiet || args.run.json { lab } else { lab.with_progress(progress_bars()) })
}

/// The report of a stopped run.
fn stopped(args: &ReproduceArgs, reason: StopReason, clock: &Clock) -> anyhow::Result<ExitCode> {
    #[derive(Serialize)]
    struct StoppedJson {
        format: &'static str,
        status: &'static str,
        reason: String,
    }
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        json::print(&StoppedJson { format: FORMAT, status: "stopped", reason: reason.to_string() }, spent)?;
        return Ok(ExitCode::from(3));
    }
    let kept = match &args.out {
        Some(folder) => format!("The rows so far are in {}; the same command continues from there.", folder.display()),
        None => "Nothing is kept; with --out DIR, the same command would continue from there.".to_owned(),
    };
    let spent = spent.map_or_else(String::new, |spent| spent.in_words());
    output::print(&format!("Stopped: {reason}.\n{kept}\n{spent}"))?;
    Ok(ExitCode::from(3))
}

/// The folder of `--out`.
struct Folder(PathBuf);

impl Archive for Folder {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.0.join(name)).ok()
    }

    fn write(&self, name: &str, text: &str) -> Result<(), ArchiveError> {
        Ok(output::write_whole(&self.0.join(name), |out| out.write_all(text.as_bytes()))?)
    }

    fn append(&self, name: &str, text: &str) -> Result<(), ArchiveError> {
        let path = self.0.join(name);
        let appended = OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        Ok(appended.with_context(|| format!("cannot write {}", path.display()))?)
    }
}

/// A bar on standard error for each part of an experiment, if that is a terminal.
fn progress_bars() -> impl Fn(Progress<'_>) {
    let style = ProgressStyle::with_template("{prefix:>12} {bar:30} {pos}/{len} {elapsed} (about {eta} left)");
    let style = style.expect("a valid template");
    let shown = RefCell::new(ProgressBar::hidden());
    move |progress| {
        let mut bar = shown.borrow_mut();
        if progress.done == 0 {
            *bar = ProgressBar::with_draw_target(Some(progress.of as u64), ProgressDrawTarget::stderr());
            bar.set_style(style.clone());
            bar.set_prefix(progress.what.to_owned());
        }
        bar.set_position(progress.done as u64);
        if progress.done == progress.of {
            bar.finish_and_clear();
        }
    }
}
