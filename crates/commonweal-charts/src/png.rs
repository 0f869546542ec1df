//! A picture as PNG: shapes and letters as masks over white paper, 8 bits a channel.

use super::canvas::{Canvas, Pen, Words};
use super::font::Font;
use super::style::Rgb;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write;
use zeno::{Cap, Fill, Join, Mask, Stroke, Style, Transform};

pub(super) struct PngCanvas<'f> {
    font: &'f Font,
    width: usize,
    height: usize,
    /// Pixels for each pixel of the SVG.
    scale: f32,
    /// Where `y` is counted from.
    top: f32,
    /// Red, green and blue, row by row.
    pixels: Vec<u8>,
    /// The columns and rows that may be drawn on: from, and to before.
    clip: Option<[i32; 4]>,
}

impl<'f> PngCanvas<'f> {
    pub fn new((width, height): (f64, f64), scale: u32, font: &'f Font) -> PngCanvas<'f> {
        let (width, height) = (width as usize * scale as usize, height as usize * scale as usize);
        let pixels = vec![255; 3 * width * height];
        PngCanvas { font, width, height, scale: scale as f32, top: 0.0, pixels, clip: None }
    }

    fn paint<'s>(&mut self, d: &str, style: impl Into<Style<'s>>, colour: Rgb, opacity: f64) {
        let transform = Transform::translation(0.0, self.top).then_scale(self.scale, self.scale);
        let (mask, place) = Mask::new(d).style(style).transform(Some(transform)).render();
        let [left, top, right, bottom] = self.clip.unwrap_or([0, 0, self.width as i32, self.height as i32]);
        for (row, coverages) in mask.chunks(place.width.max(1) as usize).enumerate() {
            let y = place.top + row as i32;
            for (column, &coverage) in coverages.iter().enumerate() {
                let x = place.left + column as i32;
                if coverage == 0 || !(left..right).contains(&x) || !(top..bottom).contains(&y) {
                    continue;
                }
                let share = f64::from(coverage) / 255.0 * opacity;
                let at = 3 * (y as usize * self.width + x as usize);
                for (pixel, colour) in self.pixels[at..at + 3].iter_mut().zip(colour) {
                    *pixel = (f64::from(*pixel) + share * (f64::from(colour) - f64::from(*pixel))).round() as u8;
                }
            }
        }
    }

    /// The file.
    pub fn finish(self) -> Vec<u8> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        for row in self.pixels.chunks(3 * self.width) {
            // Each byte less the one to its left: most are 0 then.
            let less: Vec<u8> =
                (0..row.len()).map(|at| row[at].wrapping_sub(if at < 3 { 0 } else { row[at - 3] })).collect();
            packed.write_all(&[1]).and_then(|()| packed.write_all(&less)).expect("memory takes every byte");
        }
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut header = Vec::new();
        header.extend((self.width as u32).to_be_bytes());
        header.extend((self.height as u32).to_be_bytes());
        // 8 bits, red, green and blue, and nothing special.
        header.extend([8, 2, 0, 0, 0]);
        chunk(&mut file, b"IHDR", &header);
        // The pixels of a metre: 96 for an inch, at scale 1.
        let per_metre = (96.0 / 0.0254 * self.scale).round() as u32;
        chunk(&mut file, b"pHYs", &[per_metre.to_be_bytes().as_slice(), &per_metre.to_be_bytes(), &[1]].concat());
        chunk(&mut file, b"IDAT", &packed.finish().expect("memory takes every byte"));
        chunk(&mut file, b"IEND", &[]);
        file
    }
}

/// Appends a chunk: its length, name, contents and checksum.
fn chunk(file: &mut Vec<u8>, name: &[u8; 4], contents: &[u8]) {
    file.extend((contents.len() as u32).to_be_bytes());
    let begin = file.len();
    file.extend(name);
    file.extend(contents);
    let mut crc = Crc::new();
    crc.update(&file[begin..]);
    file.extend(crc.sum().to_be_bytes());
}

fn stroke<'s>(pen: &Pen, dashes: &'s [f32]) -> Stroke<'s> {
    let mut stroke = Stroke::new(pen.width as f32);
    if pen.is_round {
        stroke.join(Join::Round).cap(Cap::Round);
    } else {
        stroke.cap(Cap::Butt);
    }
    stroke.dash(dashes, 0.0);
    stroke
}

impl Canvas for PngCanvas<'_> {
    fn move_down(&mut self, y: f64) {
        self.top = y as f32;
    }

    fn fill(&mut self, d: &str, colour: Rgb, opacity: f64, is_even_odd: bool) {
        self.paint(d, if is_even_odd { Fill::EvenOdd } else { Fill::NonZero }, colour, opacity);
    }

    fn stroke(&mut self, d: &str, pen: &Pen) {
        let dashes: Vec<f32> = pen.dashes.iter().flat_map(|&(dash, gap)| [dash.into(), gap.into()]).collect();
        // Line by line: masks stay small, and a grid of many lines does not cost the square of their number.
        for line in d.split_inclusive('M').filter(|line| line.len() > 1) {
            let line = format!("M{}", line.trim_end_matches('M'));
            self.paint(&line, stroke(pen, &dashes), pen.colour, pen.opacity);
        }
    }

    fn write(&mut self, words: &Words<'_>, colour: Rgb) {
        let d = self.font.path(words);
        self.fill(&d, colour, 1.0, false);
    }

    fn outline(&mut self, words: &Words<'_>, pen: &Pen) {
        let d = self.font.path(words);
        self.stroke(&d, pen);
    }

    fn clip(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let (scale, top) = (f64::from(self.scale), f64::from(self.top));
        let edges = [x, y + top, x + width, y + top + height].map(|edge| (edge * scale).round() as i32);
        let [left, top, right, bottom] = edges;
        self.clip = Some([left.max(0), top.max(0), right.min(self.width as i32), bottom.min(self.height as i32)]);
    }

    fn unclip(&mut self) {
        self.clip = None;
    }
}
