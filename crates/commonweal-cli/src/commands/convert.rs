//! `commonweal convert IN OUT`

use crate::args::ConvertArgs;
use crate::{input, output};
use std::process::ExitCode;

pub fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let writer = output::ModelWriter::to(&args.output)?;
    writer.write(&input::model_file(&args.input)?)?;
    Ok(ExitCode::SUCCESS)
}
