//! `commonweal simulate MODEL STRATEGY`
use crate::args::SimulateArgs;
use std::process::ExitCode;
pub fn run(_args: &SimulateArgs) -> anyhow::Result<ExitCode> {
    anyhow::bail!("not yet")
}
