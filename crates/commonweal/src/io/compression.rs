//! Compressed files, detected by their first bytes.

use super::{ReadError, ReadOptions};
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use std::io::{BufRead, BufReader};

/// The greatest compression ratio of gzip.
const GREATEST_RATIO: u64 = 1_032;
/// About the greatest ratio of ordinary compressed files.
const USUAL_RATIO: u64 = 24;
const BUFFER: usize = 1 << 16;
/// The memory, in KiB, that decompression itself may take.
const UNPACKING: u32 = 100 << 10;

/// The bytes of a file, unpacked.
pub(super) struct Plain<'r> {
    pub input: Box<dyn BufRead + 'r>,
    /// How many bytes there can be, if that is known.
    pub limit: Option<u64>,
    /// For how many bytes of the file memory may be allocated before they are read.
    pub trusted: u64,
}

/// The bytes of a file, unpacked if it is packed with gzip or xz.
pub(super) fn plain<'r>(mut input: impl BufRead + 'r, options: &ReadOptions) -> Result<Plain<'r>, ReadError> {
    let beginning = input.fill_buf()?;
    let (is_gzip, is_xz) = (beginning.starts_with(b"\x1f\x8b"), beginning.starts_with(b"\xfd7zXZ\0"));
    let bytes = options.bytes;
    let packed = |input| Plain {
        input,
        limit: bytes.filter(|_| is_gzip).map(|bytes| bytes.saturating_mul(GREATEST_RATIO)),
        trusted: bytes.unwrap_or(0).saturating_mul(USUAL_RATIO),
    };
    Ok(if is_gzip {
        packed(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(input))))
    } else if is_xz {
        packed(Box::new(BufReader::with_capacity(BUFFER, XzReader::new_mem_limit(input, true, UNPACKING))))
    } else {
        Plain { input: Box::new(input), limit: bytes, trusted: bytes.unwrap_or(0) }
    })
}
