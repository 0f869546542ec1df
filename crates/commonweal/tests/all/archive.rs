//! Tar archives for tests, read and written by an independent implementation of the format.

/// The files of an archive, in order.
#[derive(Clone)]
pub struct Archive(pub Vec<(String, Vec<u8>)>);

impl Archive {
    /// The files in an archive with short names.
    pub fn unpack(bytes: &[u8]) -> Archive {
        let text =
            |field: &[u8]| String::from_utf8(field.iter().copied().take_while(|&byte| byte != 0).collect()).unwrap();
        let mut files = Vec::new();
        let mut at = 0;
        while bytes[at] != 0 {
            let size = usize::from_str_radix(&text(&bytes[at + 124..at + 135]), 8).unwrap();
            files.push((text(&bytes[at..at + 100]), bytes[at + 512..at + 512 + size].to_vec()));
            at += 512 + size.next_multiple_of(512);
        }
        Archive(files)
    }

    pub fn pack(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, contents) in &self.0 {
            bytes.extend(header(name, contents.len(), b'0'));
            bytes.extend(contents);
            bytes.resize(bytes.len().next_multiple_of(512), 0);
        }
        bytes.resize(bytes.len() + 1024, 0);
        bytes
    }

    pub fn file(&mut self, name: &str) -> &mut Vec<u8> {
        let found = self.0.iter_mut().find(|(own, _)| own == name);
        &mut found.unwrap_or_else(|| panic!("no file {name}")).1
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| own != name);
    }

    /// Replaces a part of the index.
    pub fn edit(&mut self, from: &str, to: &str) {
        let index = self.file("index.json");
        let text = String::from_utf8(index.clone()).unwrap();
        assert!(text.contains(from), "no {from} in {text}");
        *index = text.replacen(from, to, 1).into_bytes();
    }
}

/// The block before a file.
pub fn header(name: &str, size: usize, kind: u8) -> Vec<u8> {
    let mut block = vec![0; 512];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000777");
    put(124, &format!("{size:011o}"));
    put(148, "        ");
    put(257, "ustar\u{0}00");
    block[156] = kind;
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Numbers of 64 bits, the low byte first.
pub fn words(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub fn doubles(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}
