//! Writing files whole or not at all.

use anyhow::Context;
use std::io::Write;
use std::path::Path;

/// Writes a file beside its place, then moves it there: nobody ever sees half of it.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> anyhow::Result<()> {
    let name = path.file_name().with_context(|| format!("{} names no file to write", path.display()))?;
    let beside = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let written = std::fs::File::create(&beside).and_then(|file| {
        let mut buffered = std::io::BufWriter::new(file);
        write(&mut buffered)?;
        buffered.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        std::fs::rename(&beside, path)
    });
    written
        .inspect_err(|_| _ = std::fs::remove_file(&beside))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Prints a text on standard output. A reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => done.context("cannot write to standard output"),
    }
}
