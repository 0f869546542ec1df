//! `commonweal reproduce`
use crate::args::ReproduceArgs;
use std::process::ExitCode;
pub fn run(_args: &ReproduceArgs) -> anyhow::Result<ExitCode> {
    anyhow::bail!("not yet")
}
