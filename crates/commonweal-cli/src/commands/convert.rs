//! `commonweal convert IN OUT`

use crate::args::ConvertArgs;
use crate::model_file::ModelFile;
use crate::report::note;
use crate::{input, output};
use commonweal::io::{Discounts, Format};
use commonweal::model::Mdp;
use commonweal::number::Rational;
use std::process::ExitCode;

pub fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let writer = output::ModelWriter::to(&args.output)?;
    output::check_apart(&args.output, &args.input)?;
    let file = ModelFile::open(&args.input)?;
    let without_discounts = writer.format != Format::Yaml;
    if file.format != Format::Yaml && without_discounts {
        between_other_formats(args, &writer, &file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut model: Mdp = input::changed(&file, &args.changes, args.quiet)?;
    if without_discounts {
        if !args.quiet {
            writer.say_what_is_lost(&model);
        }
        model = model.with_weights_in_rewards();
    }
    writer.write(&model)?;
    Ok(ExitCode::SUCCESS)
}

/// From a format without discounts to another. Fractions stay fractions, and doubles the doubles that they are.
fn between_other_formats(args: &ConvertArgs, writer: &output::ModelWriter, file: &ModelFile) -> anyhow::Result<()> {
    let changes = &args.changes;
    let discounts = if changes.discount.is_empty() && changes.discounts.is_none() {
        Discounts::Unspecified
    } else {
        // They choose which reward structures are kept.
        if !args.quiet {
            note("the discounts only choose which rewards are kept: the file that is written holds none");
        }
        input::discounts(changes)?
    };
    let from = changes.from.as_deref();
    if file.overview()?.is_some_and(|overview| overview.exact) {
        writer.write(&file.read::<Rational>(discounts, from, args.quiet)?)
    } else {
        writer.write(&file.read::<f64>(discounts, from, args.quiet)?)
    }
}
