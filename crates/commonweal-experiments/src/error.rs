//! Why an experiment ends without a result.

use crate::lab::archive::ArchiveError;
use crate::lab::baseline::BaselineError;
use commonweal::limits::StopReason;

/// Why an experiment ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The signal of the settings was raised before a row of a table. The rows before it are in the archive.
    #[error("{0}")]
    Stopped(StopReason),
    /// A file could not be written.
    #[error(transparent)]
    Archive(ArchiveError),
    /// The baseline started, and failed later.
    #[error("{0}")]
    Baseline(BaselineError),
}

impl From<StopReason> for Error {
    fn from(reason: StopReason) -> Error {
        Error::Stopped(reason)
    }
}

impl From<BaselineError> for Error {
    fn from(error: BaselineError) -> Error {
        Error::Baseline(error)
    }
}
