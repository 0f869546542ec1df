//! A model file: where it is, in which format, and how to read it in exact numbers or in doubles.

use crate::output::typed;
use crate::report::{note, numbers::counted};
use anyhow::{Context, anyhow, bail};
use commonweal::io::{
    DiscountError, Discounts, Format, Loaded, MAX_MODEL_BYTES, Overview, ParseError, ReadError, ReadOptions,
    drn_overview, read_drn, read_model_bytes, read_umb, umb_overview,
};
use commonweal::model::{Mdp, ModelError};
use commonweal::number::{ModelNumber, Rational};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The endings of model files, for messages.
pub const ENDINGS: &str = ".yaml, .yml, .json, .drn, .drn.gz or .umb";
const BUFFER: usize = 1 << 16;

/// The numbers that a model can be read in.
pub trait Numbers: ModelNumber {
    /// A model from a YAML file, which is exact, in these numbers.
    fn of_exact(model: Mdp) -> Result<Mdp<Self>, ModelError>;
}

impl Numbers for Rational {
    fn of_exact(model: Mdp) -> Result<Mdp, ModelError> {
        Ok(model)
    }
}

impl Numbers for f64 {
    fn of_exact(model: Mdp) -> Result<Mdp<f64>, ModelError> {
        model.to_doubles()
    }
}

/// A model file that is there.
pub struct ModelFile {
    path: PathBuf,
    pub format: Format,
    /// The contents of what can be read but once.
    kept: Option<Vec<u8>>,
}

impl ModelFile {
    /// The file at this place, or standard input for `-`. Its ending tells the format, or else its contents.
    pub fn open(path: &Path) -> anyhow::Result<ModelFile> {
        if path.as_os_str() == "-" {
            return ModelFile::once("standard input".into(), std::io::stdin().lock());
        }
        // That there is no such file, or that it is a folder, says more than its ending.
        let metadata = check_file(path)?;
        let open = || File::open(path).with_context(|| format!("cannot read {}", path.display()));
        if !metadata.is_file() {
            return ModelFile::once(path.to_owned(), open()?);
        }
        let format = match format_of_ending(path) {
            Some(format) => Some(format),
            None => Format::of_contents(BufReader::new(open()?)),
        };
        let format = format.ok_or_else(|| anyhow!("{}: a model file ends with {ENDINGS}", path.display()))?;
        if format != Format::Yaml {
            check_contents(path, format, metadata.len(), open()?)?;
        }
        Ok(ModelFile { path: path.to_owned(), format, kept: None })
    }

    /// What can be read but once, such as a pipe. Its contents tell the format, which is YAML if they do not.
    fn once(path: PathBuf, input: impl Read) -> anyhow::Result<ModelFile> {
        let mut bytes = Vec::new();
        // One byte more than is read at most, so that the reader can tell.
        let mut limited = input.take(MAX_MODEL_BYTES as u64 + 1);
        limited.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", path.display()))?;
        let format = Format::of_contents(&bytes[..]).unwrap_or(Format::Yaml);
        if format != Format::Yaml && bytes.len() > MAX_MODEL_BYTES {
            bail!("{} has more than {MAX_MODEL_BYTES} bytes; put the model into a file", path.display());
        }
        Ok(ModelFile { path, format, kept: Some(bytes) })
    }

    /// What the beginning of the file says of the model's size; `None` if it says nothing, as in YAML.
    pub fn overview(&self) -> anyhow::Result<Option<Overview>> {
        let overview = match self.format {
            Format::Yaml => return Ok(None),
            Format::Drn => drn_overview(self.contents()?),
            Format::Umb => umb_overview(self.contents()?),
        };
        overview.map(Some).map_err(|error| self.refuse(&error))
    }

    /// The model of a YAML file.
    pub fn read_yaml(&self) -> anyhow::Result<Mdp> {
        let bytes = match &self.kept {
            Some(bytes) => bytes,
            None => &file(&self.path)?,
        };
        read_model_bytes(bytes).map_err(|error| located(error, &self.path, bytes))
    }

    /// The model of a `.drn` or `.umb` file, which these discounts complete. What was made of the file is said on standard
    /// error, unless it is to be quiet.
    pub fn read<N: ModelNumber>(
        &self,
        discounts: Discounts,
        start: Option<&str>,
        quiet: bool,
    ) -> anyhow::Result<Mdp<N>> {
        let mut options = ReadOptions::new(discounts);
        options.start = start.map(str::to_owned);
        options.bytes = match &self.kept {
            Some(bytes) => Some(bytes.len() as u64),
            None => std::fs::metadata(&self.path).ok().map(|metadata| metadata.len()),
        };
        let loaded = if self.format == Format::Umb {
            read_umb(self.contents()?, &options)
        } else {
            read_drn(self.contents()?, &options)
        };
        let Loaded { model, left_out, divided } = loaded.map_err(|error| self.refuse(&error))?;
        if !quiet && !left_out.is_empty() {
            let names: Vec<String> = left_out.iter().map(|name| format!("`{name}`")).collect();
            note(&format!("left out, because no discount was given: {}", names.join(", ")));
        }
        if !quiet && divided.rows > 0 {
            let rows = counted(&divided.rows.into(), "row", "rows");
            let (were, their) = if divided.rows == 1 { ("was", "its") } else { ("were", "their") };
            let largest = divided.largest;
            note(&format!(
                "{rows} did not sum to 1 exactly and {were} divided by {their} sum (largest deviation {largest:.1e})"
            ));
        }
        Ok(model)
    }

    /// The name of the file, for messages.
    pub fn shown(&self) -> String {
        self.path.display().to_string()
    }

    fn contents(&self) -> anyhow::Result<Box<dyn BufRead + '_>> {
        Ok(match &self.kept {
            Some(bytes) => Box::new(&bytes[..]),
            None => {
                let file = File::open(&self.path).with_context(|| format!("cannot read {}", self.path.display()))?;
                Box::new(BufReader::with_capacity(BUFFER, file))
            }
        })
    }

    /// What is wrong with the file, and which option helps where one does.
    fn refuse(&self, error: &ReadError) -> anyhow::Error {
        let shown = self.shown();
        let rendered = error.render(&shown);
        let rendered = rendered.trim_end();
        match error {
            ReadError::Discounts(DiscountError::Missing { structures }) => {
                let example = structures.iter().take(3).zip(["0.9", "0.99", "0.5"]);
                let example: Vec<String> = example.map(|(name, value)| format!("--discount {name}={value}")).collect();
                anyhow!("{rendered}\nhelp: every principal needs one, for example: {} {}", typed(), example.join(" "))
            }
            ReadError::Discounts(DiscountError::NoRewards) => {
                anyhow!("{rendered}\nhelp: every reward structure is a principal; write the file with rewards")
            }
            ReadError::Discounts(_) => anyhow!("{rendered}\nhelp: see --discount NAME=VALUE and --discounts V,V,…"),
            ReadError::Start { .. } => anyhow!("{rendered}\nhelp: say where to start, for example: --from 0"),
            ReadError::UnknownStart { .. } => anyhow!("--from: {rendered}"),
            ReadError::Input(error) if error.kind() != std::io::ErrorKind::PermissionDenied => {
                anyhow!("{rendered}\nhelp: the file may have been cut off or damaged on its way; get it again")
            }
            _ => anyhow!("{rendered}"),
        }
    }
}

/// Refuses an empty file, and one that is in another format than its name says.
fn check_contents(path: &Path, format: Format, length: u64, file: File) -> anyhow::Result<()> {
    let shown = path.display();
    if length == 0 {
        bail!("{shown}: the file is empty\nhelp: get it again, or write the model anew");
    }
    let (is, ending) = match Format::of_contents(BufReader::new(file)) {
        Some(Format::Drn) if format != Format::Drn => ("DRN", ".drn"),
        Some(Format::Umb) if format != Format::Umb => ("UMB", ".umb"),
        _ => return Ok(()),
    };
    bail!("{shown}: this is a {is} file, whatever its name says\nhelp: give it a name that ends with {ending}")
}

/// The format that the ending of a file's name stands for.
pub fn format_of_ending(path: &Path) -> Option<Format> {
    let ending = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending(path)?.as_str() {
        "yaml" | "yml" | "json" => Some(Format::Yaml),
        "drn" => Some(Format::Drn),
        "umb" => Some(Format::Umb),
        "gz" | "xz" => format_of_ending(&path.with_extension("")).filter(|format| *format != Format::Yaml),
        _ => None,
    }
}

/// The contents of a text file.
pub fn file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let metadata = check_file(path)?;
    if metadata.len() > MAX_MODEL_BYTES as u64 {
        bail!("{} has {} bytes; this program reads at most {MAX_MODEL_BYTES}", path.display(), metadata.len());
    }
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn check_file(path: &Path) -> anyhow::Result<std::fs::Metadata> {
    let shown = path.display();
    let metadata = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
    if metadata.is_dir() { bail!("{shown} is a folder, not a file") } else { Ok(metadata) }
}

/// An error in a text file, with its place.
pub fn located(error: ParseError, path: &Path, bytes: &[u8]) -> anyhow::Error {
    let text = String::from_utf8_lossy(bytes);
    anyhow!("{}", error.render(&path.display().to_string(), &text).trim_end().to_owned())
}
