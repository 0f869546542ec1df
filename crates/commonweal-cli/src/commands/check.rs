//! `commonweal check MODEL CERTIFICATE`

use crate::args::CheckArgs;
use crate::report::timings::Clock;
use crate::report::{json, say};
use crate::{input, output};
use anyhow::{Context, anyhow, bail};
use commonweal::files::Form;
use commonweal::limits::StopReason;
use commonweal::{StopSignal, documents};
use commonweal_check::{FAIR_HEADER, Unreadable, Verdict};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    if args.certificate.as_os_str() == "-" && args.model.model.as_os_str() == "-" {
        bail!("the model and the certificate cannot both be standard input");
    }
    let stop = args.run.start();
    let model = input::model(&args.model, true)?;
    clock.has_read();
    let path = &args.certificate;
    let mut certificate: Box<dyn BufRead + Send> = if path.as_os_str() == "-" {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let cannot = || format!("cannot read {}", path.display());
        if path.is_dir() {
            return Err(anyhow!("{}: it is a folder", cannot()));
        }
        let mut certificate = BufReader::new(File::open(path).with_context(cannot)?);
        if certificate.fill_buf().with_context(cannot)?.is_empty() {
            bail!(
                "{}: the file is empty\nhelp: `commonweal solve MODEL --certificate FILE` writes one",
                path.display()
            );
        }
        Box::new(certificate)
    };
    // A fair answer is about each principal, an ordinary one about their sum.
    let first = certificate.fill_buf().with_context(|| format!("cannot read {}", path.display()))?;
    let is_fair = first.starts_with(FAIR_HEADER.as_bytes());
    let is_approximated = model.principals().iter().any(|principal| principal.approximation().is_some());
    let of_what = if is_approximated { ", for the mixtures that approximate time preferences" } else { "" };
    let mut canonical = Vec::new();
    model.write(if is_fair { Form::ByPrincipal } else { Form::Canonical }, &mut canonical)?;
    drop(model);
    let verdict = verdict(canonical, certificate, args.work, &stop);
    clock.check = clock.since_reading();
    let spent = clock.spent(args.run.timings);
    let found = match verdict {
        Ok(verdict) => Ok(verdict.map_err(|Unreadable(why)| anyhow!("{}: {why}", path.display()))?),
        Err(reason) => Err(reason),
    };
    if args.run.json {
        json::print(&document(&found, of_what), spent)?
    } else {
        let line = found.as_ref().map_or_else(|reason| format!("stopped: {reason}"), |verdict| verdict.to_string());
        output::print(&(line + "\n" + &spent.map_or_else(String::new, |spent| spent.in_words())))?;
    }
    Ok(match found {
        Ok(Verdict::Accepted(meaning)) => {
            if !args.run.quiet && !args.run.json {
                say(&format!("{meaning}{of_what}"));
            }
            ExitCode::SUCCESS
        }
        Ok(Verdict::Refused(_)) => ExitCode::from(1),
        Err(_) => ExitCode::from(3),
    })
}

/// The checker's verdict, unless it is stopped first. The checker does not poll signals, so it runs on a thread of its own.
fn verdict(
    canonical: Vec<u8>,
    certificate: Box<dyn BufRead + Send>,
    work: u64,
    stop: &StopSignal,
) -> Result<Result<Verdict, Unreadable>, StopReason> {
    const UNTIL_CHECK: Duration = Duration::from_millis(20);
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(commonweal_check::check(&canonical, certificate, work)));
    loop {
        match receive.recv_timeout(UNTIL_CHECK) {
            Ok(verdict) => return Ok(verdict),
            Err(mpsc::RecvTimeoutError::Timeout) => stop.check()?,
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("the checker ends with a verdict"),
        }
    }
}

fn document(found: &Result<Verdict, StopReason>, of_what: &str) -> documents::Check {
    let (verdict, says) = match found {
        Ok(Verdict::Accepted(meaning)) => (documents::Verdict::Accepted, format!("{meaning}{of_what}")),
        Ok(Verdict::Refused(claim)) => (documents::Verdict::Refused, claim.clone()),
        Err(reason) => (documents::Verdict::Stopped, reason.to_string()),
    };
    documents::Check::new(verdict, says)
}
