//! Writing files whole or not at all.

use anyhow::{Context, anyhow, bail};
use commonweal::io::{write_json, write_yaml};
use commonweal::model::Model;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a file beside its place, then moves it there: nobody ever sees half of it. What is no plain file, such as
/// `/dev/null` or a pipe, is written to as it is.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    // A link stays a link: what it leads to is replaced.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if place.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return File::create(&place).and_then(|file| through(file, write).map(drop)).with_context(cannot);
    }
    check_place(path)?;
    let name = place.file_name().expect("a place to write to has a name");
    let beside = place.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let written = File::create(&beside).and_then(|file| {
        through(file, write)?.sync_all()?;
        std::fs::rename(&beside, &place)
    });
    written.inspect_err(|_| _ = std::fs::remove_file(&beside)).with_context(cannot)
}

/// Refuses early what cannot be written at the end: better before a long computation than after it.
pub fn check_place(path: &Path) -> anyhow::Result<()> {
    let cannot = |why: &str| anyhow!("cannot write {}: {why}", path.display());
    if path.as_os_str() == "-" {
        return Err(cannot("standard output is for the report; name a file"));
    }
    if path.is_dir() {
        return Err(cannot("it is a folder"));
    }
    path.file_name().ok_or_else(|| cannot("it names no file"))?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
            Err(cannot(&format!("there is no folder {}", parent.display())))
        }
        _ => Ok(()),
    }
}

/// Where a model goes, and in which format: checked before the model is there.
pub struct ModelWriter<'a> {
    place: &'a Path,
    json: bool,
}

impl ModelWriter<'_> {
    /// Writes to a file in the format of its ending, or to standard output as YAML for `-`.
    pub fn to(place: &Path) -> anyhow::Result<ModelWriter<'_>> {
        if place.as_os_str() == "-" {
            return Ok(ModelWriter { place, json: false });
        }
        let json = match place.extension().and_then(|ending| ending.to_str()) {
            Some("yaml" | "yml") => false,
            Some("json") => true,
            _ => bail!("{}: this version writes .yaml, .yml and .json", place.display()),
        };
        check_place(place)?;
        Ok(ModelWriter { place, json })
    }

    /// Writes the model.
    pub fn write(&self, model: &Model) -> anyhow::Result<()> {
        self.write_with(&[], model)
    }

    /// Writes the model below comments, which JSON has no place for.
    pub fn write_with(&self, comments: &[String], model: &Model) -> anyhow::Result<()> {
        let yaml = |out: &mut dyn Write| {
            comments.iter().try_for_each(|comment| writeln!(out, "# {comment}"))?;
            write_yaml(model, out)
        };
        if self.place.as_os_str() == "-" {
            let mut text = Vec::new();
            yaml(&mut text)?;
            return print(&String::from_utf8(text)?);
        }
        match self.json {
            true => write_whole(self.place, |out| write_json(model, out)),
            false => write_whole(self.place, yaml),
        }
    }
}

fn through(file: File, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<File> {
    let mut buffered = BufWriter::new(file);
    write(&mut buffered)?;
    buffered.into_inner().map_err(|error| error.into_error())
}

/// Prints a text on standard output. A reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => done.context("cannot write to standard output"),
    }
}
