//! Where results are kept, by file name.

/// Why something could not be kept.
pub type ArchiveError = Box<dyn std::error::Error + Send + Sync>;

/// A place for tables, pictures and the page, such as a folder.
pub trait Archive {
    /// What is kept under a name; nothing if there is no such name.
    fn read(&self, name: &str) -> Option<Vec<u8>>;

    /// Replaces what is kept under a name, as a whole or not at all.
    fn write(&self, name: &str, text: &str) -> Result<(), ArchiveError>;

    /// Adds to the end of what is kept under a name.
    fn append(&self, name: &str, text: &str) -> Result<(), ArchiveError>;
}
