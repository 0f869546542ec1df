//! A packed UMB file as one that is not, of which parts can be read. In bounded memory, however large the file is.

use super::super::{Discounts, ReadError, ReadOptions, compression::plain};
use super::arrays::Source;
use super::index::{INDEX, Index};
use super::tar::{Archive, cut_short, write_end, write_member};
use std::io::{self, BufRead, Read, Write};

/// Writes the files of a UMB archive, packed or not, as an archive that is not packed. The index is checked, arrays are copied.
pub fn unpack_umb(input: impl BufRead, out: &mut dyn Write) -> Result<(), ReadError> {
    let mut archive = Archive::new(plain(input, &ReadOptions::new(Discounts::Unspecified))?.input);
    let mut has_index = false;
    while let Some(member) = archive.next()? {
        if member.name == INDEX {
            Index::check_size(member.size)?;
            let bytes = Source { archive: &mut archive, member: &member, trusted: 0 }.bytes()?;
            Index::parse(&bytes)?;
            has_index = true;
            write_member(out, INDEX, member.size, |out| out.write_all(&bytes))?;
            continue;
        }
        let contents = &mut (&mut archive).take(member.size);
        write_member(out, &member.name, member.size, |out| match io::copy(contents, out)? {
            copied if copied == member.size => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        })
        .map_err(cut_short)?;
    }
    if !has_index {
        return Err(super::reader::no_index());
    }
    Ok(write_end(out)?)
}
