//! The arrays of an archive, item by item, each as long as the index says.

use super::super::ReadError;
use super::numbers::{NumberType, Purpose};
use super::tar::{Archive, Member, cut_short};
use crate::number::ModelNumber;
use std::io::{BufRead, Read};

/// The bytes that are read at once, about.
const CHUNK: usize = 1 << 16;

/// A file of the archive that is being read.
pub(super) struct Source<'a, R> {
    pub archive: &'a mut Archive<R>,
    pub member: &'a Member,
    /// For how many bytes memory may be allocated before they are read.
    pub trusted: u64,
}

impl<R: BufRead> Source<'_, R> {
    /// The items of an array of `n`, each `size` bytes long; `decode` gets the position and the bytes of one.
    fn items<T>(
        self,
        n: usize,
        size: usize,
        mut decode: impl FnMut(usize, &[u8]) -> Result<T, String>,
    ) -> Result<Vec<T>, ReadError> {
        self.check_size(n, size)?;
        let mut items = Vec::with_capacity(n.min(usize::try_from(self.trusted).unwrap_or(usize::MAX) / size));
        let per_chunk = (CHUNK / size).max(1);
        let mut buffer = Vec::new();
        while items.len() < n {
            let bytes = per_chunk.min(n - items.len()) * size;
            buffer.resize(bytes, 0);
            self.archive.read_exact(&mut buffer).map_err(cut_short)?;
            for item in buffer.chunks_exact(size) {
                let position = items.len();
                items.push(decode(position, item).map_err(|message| self.fault(message))?);
            }
        }
        Ok(items)
    }

    /// `n` numbers.
    pub fn numbers<N: ModelNumber>(self, n: usize, number: NumberType, purpose: Purpose) -> Result<Vec<N>, ReadError> {
        self.items(n, number.size(), |position, bytes| {
            number.decode(bytes, purpose).ok_or_else(|| format!("entry {position} is not a number"))
        })
    }

    /// `n` items of `size` bytes as they are stored.
    pub fn raw(self, n: usize, size: usize) -> Result<Vec<u8>, ReadError> {
        self.check_size(n, size)?;
        self.bytes()
    }

    /// `n + 1` offsets from 0 up to `end`, none below the one before it.
    pub fn offsets(self, n: usize, end: usize) -> Result<Vec<u32>, ReadError> {
        let mut last = 0;
        self.items(n + 1, 8, |position, bytes| {
            let offset = word(bytes);
            if position == 0 && offset != 0 {
                return Err(format!("the first offset is {offset}, not 0"));
            }
            if offset < last {
                return Err(format!("offset {position} is {offset}, below the one before it, {last}"));
            }
            if offset > end as u64 || (position == n && offset != end as u64) {
                return Err(format!("offset {position} is {offset}, where the last should be {end}"));
            }
            last = offset;
            Ok(offset as u32)
        })
    }

    /// `n` numbers below `end`.
    pub fn indices<T: From<usize>>(self, n: usize, size: usize, end: usize, what: &str) -> Result<Vec<T>, ReadError> {
        self.items(n, size, |position, bytes| {
            let mut wide = [0; 8];
            wide[..size].copy_from_slice(bytes);
            let index = u64::from_le_bytes(wide);
            if index < end as u64 {
                Ok(T::from(index as usize))
            } else {
                Err(format!("entry {position} is {index}, but there are only {end} {what}"))
            }
        })
    }

    /// Of `n` bits, how many are set and which one first.
    pub fn bits(self, n: usize) -> Result<(usize, Option<usize>), ReadError> {
        let (least, most) = (n.div_ceil(8) as u64, 8 * n.div_ceil(64) as u64);
        if !(least..=most).contains(&self.member.size) {
            let message = format!("the file has {} bytes, not the {most} that {n} states need", self.member.size);
            return Err(self.fault(message));
        }
        let bytes = self.bytes()?;
        let is_set = |bit: &usize| bytes[bit / 8] >> (bit % 8) & 1 == 1;
        // Skips empty words quickly.
        let count = bytes.iter().map(|byte| byte.count_ones() as usize).sum();
        let first =
            bytes.iter().position(|&byte| byte != 0).and_then(|byte| (8 * byte..n.min(8 * byte + 8)).find(is_set));
        Ok((count, first))
    }

    /// The whole file.
    pub fn bytes(self) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.member.size.min(self.trusted)).unwrap_or(0));
        self.archive.take(self.member.size).read_to_end(&mut bytes).map_err(cut_short)?;
        Ok(bytes)
    }

    fn check_size(&self, n: usize, size: usize) -> Result<(), ReadError> {
        let expected = n as u128 * size as u128;
        if u128::from(self.member.size) == expected {
            Ok(())
        } else {
            let message = format!("the file has {} bytes, not {expected}: {n} entries of {size}", self.member.size);
            Err(self.fault(message))
        }
    }

    fn fault(&self, message: impl Into<String>) -> ReadError {
        ReadError::archive(Some(&self.member.name), message, "the file does not fit its `index.json`; write it anew")
    }
}

/// Eight bytes as a number, the low one first.
pub(super) fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}
