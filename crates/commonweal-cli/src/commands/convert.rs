//! `commonweal convert IN OUT`

use crate::args::ConvertArgs;
use crate::report::note;
use crate::{input, model_file, output};
use anyhow::bail;
use commonweal::answers::DEFAULT_GAP;
use commonweal::files::{Discounts, Format, ModelFile, ReadOptions};
use commonweal::{Engine, Model};
use std::process::ExitCode;

pub fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let writer = output::ModelWriter::to(&args.output)?;
    output::check_apart(&args.output, &args.input)?;
    let file = model_file::open(&args.input)?;
    if args.unpacked {
        return unpack(args, &writer, &file);
    }
    let without_discounts = writer.format != Format::Yaml;
    if file.format() != Format::Yaml && without_discounts {
        between_other_formats(args, &writer, &file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut model = input::changed(&file, &args.changes, Engine::Exact, args.quiet)?;
    if without_discounts {
        if !args.quiet {
            writer.say_what_is_lost(model.structure());
        }
        model = model.with_weights_in_rewards();
    }
    writer.write(&model)?;
    Ok(ExitCode::SUCCESS)
}

/// Copies a UMB file without packing it. The model is not read.
fn unpack(args: &ConvertArgs, writer: &output::ModelWriter, file: &ModelFile) -> anyhow::Result<ExitCode> {
    let is_packed = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    if file.format() != Format::Umb || writer.format != Format::Umb || is_packed {
        bail!(
            "--unpacked copies a .umb file to another one; without it, a .umb file that is written is not packed either"
        );
    }
    let mut read = Ok(());
    let written = output::write_whole(&args.output, |out| {
        read = file.unpack(out);
        read.as_ref().map_err(|_| std::io::Error::other("the file that is read")).copied()
    });
    read.map_err(|error| model_file::refused(file, &error))?;
    written.map(|()| ExitCode::SUCCESS)
}

/// From a format without discounts to another. Fractions stay fractions, and doubles stay the same doubles.
fn between_other_formats(args: &ConvertArgs, writer: &output::ModelWriter, file: &ModelFile) -> anyhow::Result<()> {
    let changes = &args.changes;
    if !changes.weight.is_empty() || !changes.minimise.is_empty() {
        bail!("the file that is written holds no weights; give --weight and --minimise where it is solved");
    }
    let discounts = if changes.n_discounts() == 0 {
        Discounts::Unspecified
    } else {
        // Discounts only select the reward structures to keep.
        if !args.quiet {
            note("the discounts only choose which rewards are kept: the file that is written holds none");
        }
        input::discounts(changes)?
    };
    let refused = |error| model_file::refused(file, &error);
    let options = ReadOptions::new(discounts).from(changes.from.as_deref()).strict(changes.strict);
    let is_exact = file.overview().map_err(refused)?.is_some_and(|overview| overview.exact);
    let numbers = if is_exact { Engine::Exact } else { Engine::Within(DEFAULT_GAP) };
    let model = Model::read_file(file, &options, numbers).map_err(refused)?;
    model_file::say_notes(model.notes(), args.quiet);
    writer.write(&model)
}
