//! Tar archives, as much of them as UMB needs: plain files, one after the other, under names of any length.

use super::super::ReadError;
use std::io::{self, BufRead, Read, Write};

const BLOCK: usize = 512;
/// The longest name, and the longest list of attributes, that is read.
const LONGEST_NAME: u64 = 1 << 16;

/// The files of an archive, in its order.
pub(super) struct Archive<R> {
    input: R,
    /// What is left of the file that was begun last, and the blanks up to the next block.
    left: u64,
    padding: u64,
}

/// A file of an archive, up to its contents.
#[derive(Debug)]
pub(super) struct Member {
    pub name: String,
    pub size: u64,
}

impl<R: BufRead> Archive<R> {
    pub fn new(input: R) -> Archive<R> {
        Archive { input, left: 0, padding: 0 }
    }

    /// What is read as the contents of a file that has been taken out of its archive.
    pub fn inside(input: R) -> Archive<R> {
        Archive { input, left: u64::MAX, padding: 0 }
    }

    /// The next file; `None` at the end of the archive.
    pub fn next(&mut self) -> Result<Option<Member>, ReadError> {
        let (mut long_name, mut long_size) = (None, None);
        loop {
            self.skip()?;
            let Some(header) = self.header()? else { return Ok(None) };
            let size = long_size.take().unwrap_or(number(&header[124..136])?);
            (self.left, self.padding) = (size, size.next_multiple_of(BLOCK as u64) - size);
            match header[156] {
                b'0' | 0 | b'7' => {
                    let name = long_name.take().unwrap_or_else(|| short_name(&header));
                    let name = String::from_utf8_lossy(&name);
                    let name = name.strip_prefix("./").unwrap_or(&name).trim_start_matches('/').to_owned();
                    return Ok(Some(Member { name, size }));
                }
                b'L' => {
                    let name = self.attributes(size)?;
                    long_name = Some(name.into_iter().take_while(|&byte| byte != 0).collect());
                }
                b'x' => {
                    for (key, value) in records(&self.attributes(size)?) {
                        match key {
                            b"path" => long_name = Some(value.to_vec()),
                            b"size" => long_size = std::str::from_utf8(value).ok().and_then(|size| size.parse().ok()),
                            _ => {}
                        }
                    }
                }
                // Folders, links and what else there may be.
                _ => (long_name, long_size) = (None, None),
            }
        }
    }

    /// Skips the rest of the last file.
    fn skip(&mut self) -> Result<(), ReadError> {
        let skipped = std::mem::take(&mut self.left) + std::mem::take(&mut self.padding);
        if io::copy(&mut (&mut self.input).take(skipped), &mut io::sink())? == skipped {
            Ok(())
        } else {
            Err(cut_off())
        }
    }

    fn header(&mut self) -> Result<Option<[u8; BLOCK]>, ReadError> {
        let mut header = [0; BLOCK];
        self.input.read_exact(&mut header).map_err(cut_short)?;
        // A block of zeros ends the archive. An archive without it is truncated.
        if header.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        let sum = |byte: (usize, &u8)| if (148..156).contains(&byte.0) { 32 } else { u64::from(*byte.1) };
        if number(&header[148..156])? != header.iter().enumerate().map(sum).sum::<u64>() {
            return Err(no_archive());
        }
        Ok(Some(header))
    }

    fn attributes(&mut self, size: u64) -> Result<Vec<u8>, ReadError> {
        if size > LONGEST_NAME {
            return Err(no_archive());
        }
        let mut bytes = Vec::new();
        self.read_to_end(&mut bytes).map_err(cut_short)?;
        Ok(bytes)
    }
}

/// Reads the contents of the file that was begun last.
impl<R: BufRead> Read for Archive<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let n = self.input.read(&mut buffer[..most])?;
        if n == 0 && most > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= n as u64;
        Ok(n)
    }
}

/// The error for input that ends in the middle of a file.
pub(super) fn cut_short(error: io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => cut_off(),
        _ => error.into(),
    }
}

fn cut_off() -> ReadError {
    ReadError::archive(None, "the archive ends in the middle of a file", "get the whole file")
}

fn no_archive() -> ReadError {
    ReadError::archive(
        None,
        "this is not a tar archive, or it is damaged",
        "a UMB file is a tar archive, packed with gzip or xz or not at all",
    )
}

fn short_name(header: &[u8; BLOCK]) -> Vec<u8> {
    let text = |field: &[u8]| field.iter().copied().take_while(|&byte| byte != 0).collect::<Vec<u8>>();
    let (name, prefix) = (text(&header[..100]), text(&header[345..500]));
    if header[257..].starts_with(b"ustar\0") && !prefix.is_empty() {
        [&prefix, &b"/"[..], &name].concat()
    } else {
        name
    }
}

/// A number in octal digits, or in binary if it has not room enough for them.
fn number(field: &[u8]) -> Result<u64, ReadError> {
    if field[0] & 0x80 != 0 {
        let value = field[1..].iter().try_fold(u64::from(field[0] & 0x3f), |value, &byte| {
            value.checked_mul(256).map(|value| value + u64::from(byte))
        });
        return value.ok_or_else(no_archive);
    }
    let digits = field.trim_ascii_start().split(|&byte| byte == 0 || byte == b' ').next().unwrap_or_default();
    digits.iter().try_fold(0u64, |value, &byte| match byte {
        b'0'..=b'7' => value.checked_mul(8).map(|value| value + u64::from(byte - b'0')).ok_or_else(no_archive),
        _ => Err(no_archive()),
    })
}

/// The records `length key=value\n` of a list of attributes; what is malformed ends it.
fn records(mut bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        let blank = bytes.iter().position(|&byte| byte == b' ')?;
        let length: usize = std::str::from_utf8(&bytes[..blank]).ok()?.parse().ok()?;
        let record = bytes.get(blank + 1..length)?.strip_suffix(b"\n")?;
        bytes = &bytes[length..];
        let equals = record.iter().position(|&byte| byte == b'=')?;
        Some((&record[..equals], &record[equals + 1..]))
    })
}

/// Writes a file into an archive: its name and size here, its contents by `write`, which must write that many bytes.
pub(super) fn write_member<W: Write + ?Sized>(
    out: &mut W,
    name: &str,
    size: u64,
    write: impl FnOnce(&mut W) -> io::Result<()>,
) -> io::Result<()> {
    let (prefix, short) = if name.len() <= 100 {
        ("", name)
    } else {
        name.match_indices('/')
            .map(|(at, _)| (&name[..at], &name[at + 1..]))
            .find(|(_, rest)| rest.len() <= 100)
            .unwrap_or(("", name))
    };
    if prefix.len() > 155 || short.len() > 100 {
        let record = record("path", name);
        block(out, "", "pax", record.len() as u64, b'x')?;
        out.write_all(record.as_bytes())?;
        pad(out, record.len() as u64)?;
        block(out, "", "long", size, b'0')?;
    } else {
        block(out, prefix, short, size, b'0')?;
    }
    write(out)?;
    pad(out, size)
}

/// Ends an archive.
pub(super) fn write_end<W: Write + ?Sized>(out: &mut W) -> io::Result<()> {
    out.write_all(&[0; 2 * BLOCK])
}

fn pad<W: Write + ?Sized>(out: &mut W, size: u64) -> io::Result<()> {
    out.write_all(&[0; BLOCK][..(size.next_multiple_of(BLOCK as u64) - size) as usize])
}

fn block<W: Write + ?Sized>(out: &mut W, prefix: &str, name: &str, size: u64, kind: u8) -> io::Result<()> {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    if size < 1 << 33 {
        put(124, format!("{size:011o}\0").as_bytes())
    } else {
        put(124, &[0x80]);
        put(128, &size.to_be_bytes());
    }
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    put(345, prefix.as_bytes());
    let sum: u64 = header.iter().map(|&byte| u64::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.write_all(&header)
}

/// A record whose length counts its own digits.
fn record(key: &str, value: &str) -> String {
    let rest = key.len() + value.len() + 3;
    let length = (1..).map(|digits| rest + digits).find(|length| length.to_string().len() + rest == *length);
    format!("{} {key}={value}\n", length.expect("a length that counts itself"))
}
