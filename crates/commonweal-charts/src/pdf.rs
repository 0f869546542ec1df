//! A picture as PDF: one page of vector graphics and searchable text, with an embedded font.

use super::canvas::{Canvas, Pen, Words};
use super::font::{FILE, Font};
use super::style::Rgb;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use zeno::{Command, PathData};

/// Points for each pixel of the SVG: 72 for 96.
const POINT: f64 = 0.75;

pub(super) struct PdfCanvas<'f> {
    font: &'f Font,
    size: (f64, f64),
    /// Where `y` is counted from.
    top: f64,
    content: String,
    /// The letter of each glyph that is used.
    used: BTreeMap<u16, char>,
    /// The opacities that are used, in thousandths: of what is filled, and of lines.
    opacities: Vec<u32>,
}

impl<'f> PdfCanvas<'f> {
    pub fn new(size: (f64, f64), font: &'f Font) -> PdfCanvas<'f> {
        // In a PDF y grows upward.
        let content = format!("{POINT} 0 0 -{POINT} 0 {} cm\n", number(size.1 * POINT));
        PdfCanvas { font, size, top: 0.0, content, used: BTreeMap::new(), opacities: Vec::new() }
    }

    fn path(&mut self, d: &str) {
        let top = self.top;
        let point = |point: zeno::Point| (f64::from(point.x), f64::from(point.y) + top);
        let mut last = (0.0, 0.0);
        for command in d.commands() {
            let (operator, points) = match command {
                Command::MoveTo(to) => ("m", vec![point(to)]),
                Command::LineTo(to) => ("l", vec![point(to)]),
                Command::CurveTo(one, two, to) => ("c", vec![point(one), point(two), point(to)]),
                Command::QuadTo(control, to) => {
                    let (control, to) = (point(control), point(to));
                    let towards = |from: (f64, f64)| {
                        (from.0 + 2.0 / 3.0 * (control.0 - from.0), from.1 + 2.0 / 3.0 * (control.1 - from.1))
                    };
                    ("c", vec![towards(last), towards(to), to])
                }
                Command::Close => ("h", Vec::new()),
            };
            for (x, y) in &points {
                let _ = write!(self.content, "{} {} ", number(*x), number(*y));
            }
            let _ = writeln!(self.content, "{operator}");
            last = points.last().copied().unwrap_or(last);
        }
    }

    /// Begins a change of colours and lines that ends with `Q`.
    fn begin(&mut self, opacity: f64) {
        self.content.push_str("q\n");
        let thousandths = (1000.0 * opacity).round() as u32;
        if thousandths < 1000 {
            let at = self.opacities.iter().position(|&other| other == thousandths).unwrap_or_else(|| {
                self.opacities.push(thousandths);
                self.opacities.len() - 1
            });
            let _ = writeln!(self.content, "/G{at} gs");
        }
    }

    fn pen(&mut self, pen: &Pen) {
        let [red, green, blue] = pen.colour.map(channel);
        let round = u8::from(pen.is_round);
        let _ = writeln!(self.content, "{red} {green} {blue} RG {} w {round} J {round} j", number(pen.width));
        if let Some((dash, gap)) = pen.dashes {
            let _ = writeln!(self.content, "[{dash} {gap}] 0 d");
        }
    }

    fn letters(&mut self, words: &Words<'_>, mode: u8) {
        let (x, y) = self.font.beginning(words);
        let matrix = if words.is_upward { "0 -1 -1 0" } else { "1 0 0 -1" };
        let mut glyphs = String::new();
        for c in words.text.chars() {
            let glyph = self.font.glyph(c);
            self.used.entry(glyph).or_insert(c);
            let _ = write!(glyphs, "{glyph:04x}");
        }
        let (x, y) = (number(x), number(y + self.top));
        let _ = writeln!(
            self.content,
            "BT /F0 {} Tf {mode} Tr {matrix} {x} {y} Tm <{glyphs}> Tj ET\nQ",
            number(words.size)
        );
    }

    /// The file.
    pub fn finish(self, title: &str) -> Vec<u8> {
        let font = self.font;
        let thousandths = |length: f64| (1000.0 * length).round() as i64;
        let widths: Vec<String> =
            self.used.keys().map(|&glyph| format!("{glyph} [{}]", thousandths(font.advance(glyph)))).collect();
        let states: Vec<String> = self
            .opacities
            .iter()
            .enumerate()
            .map(|(at, &opacity)| {
                let opacity = number(f64::from(opacity) / 1000.0);
                format!("/G{at} << /ca {opacity} /CA {opacity} >>")
            })
            .collect();
        let (width, height) = (number(self.size.0 * POINT), number(self.size.1 * POINT));
        let (ascent, descent) = font.reach();
        let [left, low, right, high] = font.bounds().map(thousandths);
        let mut file = File::default();
        file.object("<< /Type /Catalog /Pages 2 0 R >>");
        file.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        file.object(&format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources << /Font << /F0 5 0 R >> /ExtGState << {} >> >> >>",
            states.join(" ")
        ));
        file.stream("", self.content.as_bytes());
        file.object(
            "<< /Type /Font /Subtype /Type0 /BaseFont /DejaVuSans /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 9 0 R >>",
        );
        file.object(&format!(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /DejaVuSans /FontDescriptor 7 0 R /CIDToGIDMap /Identity \
             /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [{}] >>",
            widths.join(" ")
        ));
        let (ascent, descent) = (thousandths(ascent), thousandths(descent));
        file.object(&format!(
            "<< /Type /FontDescriptor /FontName /DejaVuSans /Flags 4 /FontBBox [{left} {low} {right} {high}] /ItalicAngle 0 \
             /Ascent {ascent} /Descent {descent} /CapHeight {ascent} /StemV 80 /FontFile2 8 0 R >>"
        ));
        file.stream(&format!("/Length1 {} ", FILE.len()), FILE);
        file.stream("", to_unicode(&self.used).as_bytes());
        let title: String = title.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
        file.object(&format!("<< /Title <FEFF{title}> /Producer (commonweal) >>"));
        file.finish()
    }
}

/// The map from glyphs to letters, so that text can be copied.
fn to_unicode(used: &BTreeMap<u16, char>) -> String {
    let mut map = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
         /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n",
    );
    // At most a hundred in a block.
    for block in used.iter().collect::<Vec<_>>().chunks(100) {
        let _ = writeln!(map, "{} beginbfchar", block.len());
        for (glyph, c) in block {
            let units: String = c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("{unit:04x}")).collect();
            let _ = writeln!(map, "<{glyph:04x}> <{units}>");
        }
        map.push_str("endbfchar\n");
    }
    map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
}

/// A PDF file: numbered objects, and where each begins.
struct File {
    bytes: Vec<u8>,
    begins: Vec<usize>,
}

impl Default for File {
    fn default() -> File {
        // The comment says that the file is not plain text.
        File { bytes: b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n".to_vec(), begins: Vec::new() }
    }
}

impl File {
    fn object(&mut self, text: &str) {
        self.begin();
        self.bytes.extend(text.as_bytes());
        self.bytes.extend(b"\nendobj\n");
    }

    fn stream(&mut self, entries: &str, contents: &[u8]) {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(contents).expect("memory takes every byte");
        let packed = packed.finish().expect("memory takes every byte");
        self.begin();
        let head = format!("<< {entries}/Filter /FlateDecode /Length {} >>\nstream\n", packed.len());
        self.bytes.extend(head.as_bytes());
        self.bytes.extend(packed);
        self.bytes.extend(b"\nendstream\nendobj\n");
    }

    fn begin(&mut self) {
        self.begins.push(self.bytes.len());
        let head = format!("{} 0 obj\n", self.begins.len());
        self.bytes.extend(head.as_bytes());
    }

    /// The file; the first object is the root and the last one says what it is.
    fn finish(mut self) -> Vec<u8> {
        let (start, n) = (self.bytes.len(), self.begins.len());
        let mut end = format!("xref\n0 {}\n0000000000 65535 f \n", n + 1);
        for begin in &self.begins {
            let _ = writeln!(end, "{begin:010} 00000 n ");
        }
        let _ = write!(end, "trailer\n<< /Size {} /Root 1 0 R /Info {n} 0 R >>\nstartxref\n{start}\n%%EOF\n", n + 1);
        self.bytes.extend(end.as_bytes());
        self.bytes
    }
}

fn channel(value: u8) -> String {
    number(f64::from(value) / 255.0)
}

/// A number with at most three digits after the point.
fn number(x: f64) -> String {
    let text = format!("{x:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

impl Canvas for PdfCanvas<'_> {
    fn move_down(&mut self, y: f64) {
        self.top = y;
    }

    fn fill(&mut self, d: &str, colour: Rgb, opacity: f64, is_even_odd: bool) {
        self.begin(opacity);
        let [red, green, blue] = colour.map(channel);
        let _ = writeln!(self.content, "{red} {green} {blue} rg");
        self.path(d);
        self.content.push_str(if is_even_odd { "f*\nQ\n" } else { "f\nQ\n" });
    }

    fn stroke(&mut self, d: &str, pen: &Pen) {
        self.begin(pen.opacity);
        self.pen(pen);
        self.path(d);
        self.content.push_str("S\nQ\n");
    }

    fn write(&mut self, words: &Words<'_>, colour: Rgb) {
        self.begin(1.0);
        let [red, green, blue] = colour.map(channel);
        let _ = writeln!(self.content, "{red} {green} {blue} rg");
        self.letters(words, 0);
    }

    fn outline(&mut self, words: &Words<'_>, pen: &Pen) {
        self.begin(pen.opacity);
        self.pen(pen);
        self.letters(words, 1);
    }

    fn clip(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let [x, y, width, height] = [x, y + self.top, width, height].map(number);
        let _ = writeln!(self.content, "q {x} {y} {width} {height} re W n");
    }

    fn unclip(&mut self) {
        self.content.push_str("Q\n");
    }
}
