//! `commonweal check MODEL CERTIFICATE`

use crate::args::CheckArgs;
use crate::report::say;
use crate::{input, output};
use anyhow::{Context, anyhow, bail};
use commonweal::certificate::write_canonical;
use commonweal_check::{Unreadable, Verdict};
use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    if args.certificate.as_os_str() == "-" && args.model.model.as_os_str() == "-" {
        bail!("the model and the certificate cannot both be standard input");
    }
    let model = input::model(&args.model, true)?;
    let mut canonical = Vec::new();
    write_canonical(&model, &mut canonical)?;
    drop(model);
    let path = &args.certificate;
    let verdict = match path.as_os_str() == "-" {
        true => commonweal_check::check(&canonical, std::io::stdin().lock(), args.work),
        false => {
            let cannot = || format!("cannot read {}", path.display());
            if path.is_dir() {
                return Err(anyhow!("{}: it is a folder", cannot()));
            }
            let certificate = File::open(path).with_context(cannot)?;
            commonweal_check::check(&canonical, BufReader::new(certificate), args.work)
        }
    };
    let verdict = verdict.map_err(|Unreadable(why)| anyhow!("{}: {why}", path.display()))?;
    output::print(&format!("{verdict}\n"))?;
    Ok(match verdict {
        Verdict::Accepted(meaning) => {
            if !args.quiet {
                say(&meaning.to_string());
            }
            ExitCode::SUCCESS
        }
        Verdict::Refused(_) => ExitCode::from(1),
    })
}
