//! `commonweal convert IN OUT`

use crate::args::ConvertArgs;
use crate::{input, output};
use anyhow::bail;
use commonweal::io::{write_json, write_yaml};
use std::process::ExitCode;

pub fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    if args.output.as_os_str() == "-" {
        let model = input::model_file(&args.input)?;
        let mut text = Vec::new();
        write_yaml(&model, &mut text)?;
        output::print(&String::from_utf8(text)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let write = match args.output.extension().and_then(|ending| ending.to_str()) {
        Some("yaml" | "yml") => write_yaml,
        Some("json") => write_json,
        _ => bail!("{}: this version writes .yaml, .yml and .json", args.output.display()),
    };
    let model = input::model_file(&args.input)?;
    output::write_whole(&args.output, |out| write(&model, out))?;
    Ok(ExitCode::SUCCESS)
}
