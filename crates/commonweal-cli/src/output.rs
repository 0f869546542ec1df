//! Writing files whole or not at all.

use crate::report::note;
use crate::shell::quoted;
use crate::signals;
use anyhow::{Context, anyhow, bail};
use commonweal::Model;
use commonweal::files::{ENDINGS, Form, Format, drn_reward_names, preference_text};
use commonweal::preferences::Preference;
use commonweal::structure::{NameTable, Principal, StateId, Structure};
use commonweal::text::rate_text;
use commonweal_charts::Picture;
use flate2::{Compression, write::GzEncoder};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a temporary file in the same folder, then renames it, so that the file is never half written. A file that is not a
/// plain file, such as `/dev/null` or a pipe, is written to directly.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    // A link is kept: its target is replaced.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if place.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return File::create(&place).and_then(|file| through(file, write).map(drop)).with_context(cannot);
    }
    check_place(path)?;
    let name = place.file_name().expect("a place to write to has a name");
    let beside = place.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let written = signals::unfinished(&beside, || {
        let file = File::create(&beside)?;
        through(file, write)?.sync_all()?;
        std::fs::rename(&beside, &place)
    });
    written.inspect_err(|_| _ = std::fs::remove_file(&beside)).with_context(cannot)
}

/// Checks before a long computation that the file can be written after it.
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

/// The same for the places of several options, which are not to be one file nor the one that is read.
pub fn check_places(places: &[(&str, &Option<PathBuf>)], input: &Path) -> anyhow::Result<()> {
    let given: Vec<(&str, &Path)> =
        places.iter().filter_map(|(option, place)| Some((*option, place.as_deref()?))).collect();
    for (index, (option, place)) in given.iter().enumerate() {
        check_place(place)?;
        check_apart(place, input)?;
        if let Some((other, _)) = given[..index].iter().find(|(_, other)| other == place) {
            bail!("{other} and {option} name the same file; give them different ones");
        }
    }
    Ok(())
}

/// Refuses a path for a page that has the ending of another format.
pub fn check_page_place(path: &Path) -> anyhow::Result<()> {
    let is_page = |ending: &std::ffi::OsStr| ["html", "htm"].iter().any(|page| ending.eq_ignore_ascii_case(page));
    if path.extension().is_some_and(is_page) {
        return Ok(());
    }
    bail!("--report: the page is HTML; name it {}", path.with_extension("html").display())
}

/// Refuses a path for a picture that cannot be written, that is the input, or that has the ending of another format.
pub fn check_picture_place(path: &Path, input: &Path) -> anyhow::Result<()> {
    check_place(path)?;
    check_apart(path, input)?;
    if Kind::of(path).is_some() {
        return Ok(());
    }
    let svg = path.with_extension("svg");
    Err(anyhow!("cannot write {}: pictures are SVG, PNG or PDF\nhelp: name it {}", path.display(), svg.display()))
}

/// The kinds of pictures.
enum Kind {
    Svg,
    Png,
    Pdf,
}

impl Kind {
    /// The kind that the ending of a name says; a name without one is an SVG.
    fn of(path: &Path) -> Option<Kind> {
        let Some(ending) = path.extension() else { return Some(Kind::Svg) };
        let is = |kind: &str| ending.eq_ignore_ascii_case(kind);
        match () {
            () if is("svg") => Some(Kind::Svg),
            () if is("png") => Some(Kind::Png),
            () if is("pdf") => Some(Kind::Pdf),
            () => None,
        }
    }
}

/// Writes a picture of the kind that the ending of its name says, which is checked before.
pub fn write_picture(path: &Path, picture: &Picture, quiet: bool) -> anyhow::Result<()> {
    /// Sharp on screens with twice as many pixels, and in print at a column's width.
    const SCALE: u32 = 2;
    let (bytes, is_drawn) = match Kind::of(path) {
        None | Some(Kind::Svg) => (picture.svg().into_bytes(), false),
        Some(Kind::Png) => (picture.png(SCALE), true),
        Some(Kind::Pdf) => (picture.pdf(), true),
    };
    write_whole(path, |out| out.write_all(&bytes))?;
    let missing = picture.missing_letters();
    if is_drawn && !missing.is_empty() && !quiet {
        let letters: String = missing.iter().take(10).collect();
        note(&format!("the font of PNG and PDF has no {letters}: they are drawn as boxes; SVG shows them"));
    }
    Ok(())
}

/// Refuses to write over what was read.
pub fn check_apart(place: &Path, input: &Path) -> anyhow::Result<()> {
    let same = |a: &Path, b: &Path| Some(a.canonicalize().ok()? == b.canonicalize().ok()?);
    match same(place, input) {
        Some(true) => Err(anyhow!("cannot write {}: it is the file that is read; name another", place.display())),
        _ => Ok(()),
    }
}

/// The path and format of a model to be written, checked before the model is computed.
pub struct ModelWriter<'a> {
    place: &'a Path,
    pub format: Format,
    form: Form,
    is_packed: bool,
}

impl ModelWriter<'_> {
    /// Writes to a file in the format of its ending, or to standard output as YAML for `-`.
    pub fn to(place: &Path) -> anyhow::Result<ModelWriter<'_>> {
        if place.as_os_str() == "-" {
            return Ok(ModelWriter { place, format: Format::Yaml, form: Form::Yaml, is_packed: false });
        }
        let ends_with = |ending: &str| place.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
        let format = Format::of_ending(place).filter(|_| !ends_with("xz"));
        let (format, form) = match format {
            _ if ends_with("canonical") => (Format::Yaml, Form::Canonical),
            _ if ends_with("principals") => (Format::Yaml, Form::ByPrincipal),
            Some(Format::Yaml) if ends_with("json") => (Format::Yaml, Form::Json),
            Some(Format::Yaml) => (Format::Yaml, Form::Yaml),
            Some(Format::Drn) => (Format::Drn, Form::Drn),
            Some(Format::Umb) => (Format::Umb, Form::Umb),
            None => {
                bail!("{}: this program writes {ENDINGS}, and .canonical and .principals for checkers", place.display())
            }
        };
        check_place(place)?;
        Ok(ModelWriter { place, format, form, is_packed: ends_with("gz") })
    }

    /// Reports on standard error what the format cannot store, and the options that restore it.
    pub fn say_what_is_lost(&self, model: &Structure) {
        /// The most principals that are named.
        const NAMED: usize = 8;
        let principals = model.principals();
        if self.format == Format::Yaml {
            return;
        }
        if *model.state_names() != NameTable::numbered(model.n_states()) {
            let fate = if self.format == Format::Drn { "become comments" } else { "are lost" };
            let first = model.state_name(StateId::from(0));
            note(&format!("the names of states {fate}: `{first}` is state 0 in the file"));
        }
        for Principal { name, weight, .. } in principals.iter().filter(|principal| !principal.weight.is_one()) {
            note(&format!("the weight of `{name}`, {weight}, is multiplied into the rewards"));
        }
        let names = match self.format {
            Format::Drn => drn_reward_names(principals),
            Format::Umb | Format::Yaml => principals.iter().map(|principal| principal.name.clone()).collect(),
        };
        for (Principal { name, .. }, written) in principals.iter().zip(&names).filter(|(old, new)| old.name != **new) {
            note(&format!("the principal `{name}` is called `{written}` in the file"));
        }
        let option = |(name, principal): (&String, &Principal)| match principal.preference() {
            Preference::Rate { rate, until: None } => format!("--rate {}={}", quoted(name), rate_text(rate)),
            Preference::Discount { discount, until: None } => format!("--discount {}={discount}", quoted(name)),
            other => match preference_text(other) {
                Some(entry) => format!("--discount {}", quoted(&format!("{name}={entry}"))),
                None => format!("--discount {}={}", quoted(name), principal.patience()),
            },
        };
        let plain: Option<Vec<String>> =
            principals.iter().map(|principal| principal.discount().map(ToString::to_string)).collect();
        let options = match plain.filter(|_| principals.len() > NAMED) {
            Some(discounts) => vec![format!("--discounts {}", discounts.join(","))],
            None => names.iter().zip(principals).map(option).collect(),
        };
        let place = self.place.to_string_lossy();
        let place = quoted(&place);
        note(&format!(
            "the file holds no discounts; solve it with\n      commonweal solve {place} {}",
            options.join(" ")
        ));
    }

    /// Writes the model.
    pub fn write(&self, model: &Model) -> anyhow::Result<()> {
        self.write_with(&[], model)
    }

    /// Writes the model below comments, which only YAML has.
    pub fn write_with(&self, comments: &[String], model: &Model) -> anyhow::Result<()> {
        let write = |out: &mut dyn Write| {
            if self.form == Form::Yaml {
                comments.iter().try_for_each(|comment| writeln!(out, "# {comment}"))?;
            }
            model.write(self.form, out)
        };
        if self.place.as_os_str() == "-" {
            let mut text = Vec::new();
            write(&mut text)?;
            return print(&String::from_utf8(text)?);
        }
        write_whole(self.place, |out| {
            if self.is_packed {
                let mut packed = GzEncoder::new(out, Compression::default());
                write(&mut packed)?;
                packed.finish().map(drop)
            } else {
                write(out)
            }
        })
    }
}

fn through(file: File, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<File> {
    let mut buffered = BufWriter::new(file);
    write(&mut buffered)?;
    buffered.into_inner().map_err(|error| error.into_error())
}

/// Prints a text on standard output. A reader that closes the pipe early (`| head`) is not an error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match signals::unbroken(|| out.write_all(text.as_bytes()).and_then(|()| out.flush())) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => done.context("cannot write to standard output"),
    }
}
