//! Changes in a model's text that leave most of it a model.

/// Replacements for and insertions beside a piece of a line.
const PIECES: [&str; 72] = [
    "\r",
    "\r\n",
    "\n",
    "\n\n",
    "\n  ",
    "\n      ",
    "\t",
    " ",
    "  ",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{feff}",
    "\u{a0}",
    "\0",
    "#",
    " #",
    " # x\r",
    " # x\n",
    ":",
    ": ",
    " :",
    " : ",
    "?",
    "? ",
    "- ",
    ",",
    ", ",
    "{",
    "}",
    "[",
    "]",
    "'",
    "\"",
    "''",
    "\\",
    "\\u0061",
    "\\x61",
    "\\\n",
    "|\n",
    ">-\n",
    "---\n",
    "...\n",
    "%YAML 1.2\n---\n",
    "!!str ",
    "!!map ",
    "!",
    "&a ",
    "*a ",
    "<<: *a",
    "'<<'",
    "~",
    "null",
    "start: s0\n",
    "name: x\n",
    "s0",
    "'s0'",
    "\"s0\"",
    "s1",
    "a",
    "to",
    "reward",
    "weight",
    "discount",
    "0",
    "1",
    "1/2",
    "-1",
    ".5",
    "1e1",
    "1_0",
    "é",
];

/// The text with one change; `seed` tells which.
pub fn mutate(text: &[u8], seed: u32) -> Vec<u8> {
    let mut state = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below.max(1)
    };
    let mut lines: Vec<Vec<u8>> = text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        lines.push(Vec::new());
    }
    let (at, other) = (random(lines.len()), random(lines.len()));
    match random(8) {
        0 => lines.swap(at, other),
        1 => lines.insert(at, lines[other].clone()),
        2 => _ = lines.remove(at),
        3 => _ = lines[at].splice(0..0, std::iter::repeat_n(b' ', 1 + random(4))),
        4 => {
            let indent = lines[at].iter().take_while(|&&byte| byte == b' ').count();
            lines[at].drain(..random(indent + 1));
        }
        choice => {
            // The ends of words and of the text between them.
            let line = &mut lines[at];
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
            let is_cut = |at: &usize| !is_letter(line[*at - 1]) || !is_letter(line[*at]);
            let mut cuts = vec![0];
            cuts.extend((1..line.len()).filter(is_cut));
            cuts.push(line.len());
            let cut = random(cuts.len());
            let end = if choice == 5 { cuts[cut] } else { cuts[(cut + 1).min(cuts.len() - 1)] };
            let piece = if choice == 7 { "" } else { PIECES[random(PIECES.len())] };
            line.splice(cuts[cut]..end, piece.bytes());
        }
    }
    lines.concat()
}
