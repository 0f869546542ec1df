//! The font of PNG and PDF: letters of Latin, Greek and Cyrillic script, digits and signs of DejaVu Sans.

use super::canvas::Words;
use super::picture::Anchor;
use std::fmt::Write;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The file, as `font/README.md` says how to make it.
pub(super) const FILE: &[u8] = include_bytes!("../font/DejaVuSans-subset.ttf");

pub(super) struct Font(Face<'static>);

impl Font {
    pub fn embedded() -> Font {
        Font(Face::parse(FILE, 0).expect("the font of this crate"))
    }

    pub fn has(&self, c: char) -> bool {
        self.0.glyph_index(c).is_some()
    }

    /// The glyph of a letter; a box where there is none.
    pub fn glyph(&self, c: char) -> u16 {
        self.0.glyph_index(c).map_or(0, |glyph| glyph.0)
    }

    /// The width of a glyph, for letters of size 1.
    pub fn advance(&self, glyph: u16) -> f64 {
        f64::from(self.0.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0)) / self.units()
    }

    /// From the baseline to the top of the highest letters and to the bottom of the lowest, for letters of size 1.
    pub fn reach(&self) -> (f64, f64) {
        (f64::from(self.0.ascender()) / self.units(), f64::from(self.0.descender()) / self.units())
    }

    /// The rectangle that holds every glyph, for letters of size 1.
    pub fn bounds(&self) -> [f64; 4] {
        let bounds = self.0.global_bounding_box();
        [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|edge| f64::from(edge) / self.units())
    }

    fn units(&self) -> f64 {
        f64::from(self.0.units_per_em())
    }

    /// Where the first letter begins: `place` is where its anchor says.
    pub fn beginning(&self, words: &Words<'_>) -> (f64, f64) {
        let width: f64 = words.size * words.text.chars().map(|c| self.advance(self.glyph(c))).sum::<f64>();
        let before = match words.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let (x, y) = words.place;
        if words.is_upward { (x, y + before) } else { (x - before, y) }
    }

    /// The letters as a path.
    pub fn path(&self, words: &Words<'_>) -> String {
        let mut pencil = Pencil {
            d: String::new(),
            at: self.beginning(words),
            scale: words.size / self.units(),
            is_upward: words.is_upward,
        };
        for c in words.text.chars() {
            let glyph = self.glyph(c);
            self.0.outline_glyph(GlyphId(glyph), &mut pencil);
            let advance = words.size * self.advance(glyph);
            if words.is_upward {
                pencil.at.1 -= advance;
            } else {
                pencil.at.0 += advance;
            }
        }
        pencil.d
    }
}

/// Writes outlines as a path. In a font y grows upward.
struct Pencil {
    d: String,
    at: (f64, f64),
    scale: f64,
    is_upward: bool,
}

impl Pencil {
    fn point(&self, x: f32, y: f32) -> String {
        let (x, y) = (f64::from(x) * self.scale, f64::from(y) * self.scale);
        let (x, y) = if self.is_upward { (self.at.0 - y, self.at.1 - x) } else { (self.at.0 + x, self.at.1 - y) };
        format!("{x:.3} {y:.3}")
    }
}

impl OutlineBuilder for Pencil {
    fn move_to(&mut self, x: f32, y: f32) {
        let point = self.point(x, y);
        let _ = write!(self.d, "M{point}");
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let point = self.point(x, y);
        let _ = write!(self.d, "L{point}");
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (control, point) = (self.point(x1, y1), self.point(x, y));
        let _ = write!(self.d, "Q{control} {point}");
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let points = [self.point(x1, y1), self.point(x2, y2), self.point(x, y)];
        let _ = write!(self.d, "C{}", points.join(" "));
    }

    fn close(&mut self) {
        self.d.push('Z');
    }
}
