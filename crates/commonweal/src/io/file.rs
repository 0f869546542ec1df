//! Model files: their location and format, and reading them in fractions or in doubles.
//!
//! The only place of the library that opens a path.

use super::{
    Format, Loaded, MAX_MODEL_BYTES, Overview, ReadError, ReadOptions, drn_overview, load_model_bytes, read_drn,
    read_umb, umb_overview, unpack_umb,
};
use crate::number::{ModelNumber, Rational};
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The endings of model files, for messages.
pub const ENDINGS: &str = ".yaml, .yml, .json, .drn, .drn.gz or .umb";
const BUFFER: usize = 1 << 16;

/// An existing model file.
#[derive(Debug)]
pub struct ModelFile {
    /// How messages name it.
    name: String,
    format: Format,
    contents: Contents,
}

#[derive(Debug)]
enum Contents {
    /// A file that can be read again.
    At(PathBuf),
    /// What can be read only once.
    Kept(Vec<u8>),
}

impl ModelFile {
    /// The file at this place. Its ending tells the format, or else its contents.
    pub fn open(path: &Path) -> Result<ModelFile, ReadError> {
        // A missing file or a folder is reported before a wrong ending.
        let metadata = check_file(path)?;
        let open = || File::open(path).map_err(|error| ReadError::unreadable(path, error));
        if !metadata.is_file() {
            return ModelFile::from_reader(&path.display().to_string(), open()?);
        }
        let format = match Format::of_ending(path) {
            Some(format) => Some(format),
            None => Format::of_contents(BufReader::new(open()?)),
        };
        let name = path.display().to_string();
        let format = format.ok_or_else(|| ReadError::file(format!("{name}: a model file ends with {ENDINGS}")))?;
        if format != Format::Yaml {
            check_contents(&name, format, metadata.len(), open()?)?;
        }
        Ok(ModelFile { name, format, contents: Contents::At(path.to_owned()) })
    }

    /// What can be read only once, such as a pipe. Its contents tell the format, which is YAML if they do not.
    pub fn from_reader(name: &str, input: impl Read) -> Result<ModelFile, ReadError> {
        let mut bytes = Vec::new();
        // One byte more than is read at most, so that the reader can tell.
        let mut limited = input.take(MAX_MODEL_BYTES as u64 + 1);
        limited.read_to_end(&mut bytes).map_err(|error| ReadError::unreadable(Path::new(name), error))?;
        let file = ModelFile::from_bytes(name, bytes);
        if file.format != Format::Yaml && file.length().is_some_and(|length| length > MAX_MODEL_BYTES as u64) {
            return Err(ReadError::file(format!(
                "{name} has more than {MAX_MODEL_BYTES} bytes; put the model into a file"
            )));
        }
        Ok(file)
    }

    /// The contents of a file, which tell the format, or else are YAML.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> ModelFile {
        let format = Format::of_contents(&bytes[..]).unwrap_or(Format::Yaml);
        ModelFile { name: name.to_owned(), format, contents: Contents::Kept(bytes) }
    }

    /// How messages name it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The model's size according to the beginning of the file; `None` for YAML, which does not state it.
    pub fn overview(&self) -> Result<Option<Overview>, ReadError> {
        match self.format {
            Format::Yaml => Ok(None),
            Format::Drn => drn_overview(self.reader()?).map(Some),
            Format::Umb => umb_overview(self.reader()?).map(Some),
        }
    }

    /// Writes a UMB file as one that is not packed, in bounded memory.
    pub fn unpack(&self, out: &mut dyn Write) -> Result<(), ReadError> {
        unpack_umb(self.reader()?, out)
    }

    /// The model of a YAML file; rows with rounding errors are scaled unless `strict`.
    pub(crate) fn read_yaml(&self, strict: bool) -> Result<Loaded<Rational>, ReadError> {
        let bytes = match &self.contents {
            Contents::Kept(bytes) => bytes,
            Contents::At(path) => &text_file(path)?,
        };
        load_model_bytes(bytes, strict).map_err(|error| error.with_line_of(bytes).into())
    }

    /// The model of a `.drn` or `.umb` file, which the options' discounts complete.
    pub(crate) fn read<N: ModelNumber>(&self, options: &ReadOptions) -> Result<Loaded<N>, ReadError> {
        let options = ReadOptions { bytes: self.length(), ..options.clone() };
        if self.format == Format::Umb { read_umb(self.reader()?, &options) } else { read_drn(self.reader()?, &options) }
    }

    fn length(&self) -> Option<u64> {
        match &self.contents {
            Contents::Kept(bytes) => Some(bytes.len() as u64),
            Contents::At(path) => std::fs::metadata(path).ok().map(|metadata| metadata.len()),
        }
    }

    fn reader(&self) -> Result<Box<dyn BufRead + '_>, ReadError> {
        Ok(match &self.contents {
            Contents::Kept(bytes) => Box::new(&bytes[..]),
            Contents::At(path) => {
                let file = File::open(path).map_err(|error| ReadError::unreadable(path, error))?;
                Box::new(BufReader::with_capacity(BUFFER, file))
            }
        })
    }
}

/// The contents of a text file.
pub fn text_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    let metadata = check_file(path)?;
    if metadata.len() > MAX_MODEL_BYTES as u64 {
        let (shown, length) = (path.display(), metadata.len());
        return Err(ReadError::file(format!(
            "{shown} has {length} bytes; this program reads at most {MAX_MODEL_BYTES}"
        )));
    }
    std::fs::read(path).map_err(|error| ReadError::unreadable(path, error))
}

/// Refuses an empty file, and one that is in another format than its name says.
fn check_contents(name: &str, format: Format, length: u64, file: File) -> Result<(), ReadError> {
    if length == 0 {
        return Err(ReadError::file(format!("{name}: the file is empty\nhelp: get it again, or write the model anew")));
    }
    let (is, ending) = match Format::of_contents(BufReader::new(file)) {
        Some(Format::Drn) if format != Format::Drn => ("DRN", ".drn"),
        Some(Format::Umb) if format != Format::Umb => ("UMB", ".umb"),
        _ => return Ok(()),
    };
    Err(ReadError::file(format!(
        "{name}: this is a {is} file, whatever its name says\nhelp: give it a name that ends with {ending}"
    )))
}

fn check_file(path: &Path) -> Result<Metadata, ReadError> {
    let metadata = std::fs::metadata(path).map_err(|error| ReadError::unreadable(path, error))?;
    if metadata.is_dir() {
        return Err(ReadError::file(format!("{} is a folder, not a file", path.display())));
    }
    Ok(metadata)
}
