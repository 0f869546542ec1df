//! Drawing a picture's elements: the code shared by PNG and PDF.

use super::drawing::WIDTH;
use super::picture::{Anchor, Item, Panel, SEAM, rectangle};
use super::style::{Paint, Rgb, colour, of_series};
use super::text::plain;

/// How a line is drawn.
pub(super) struct Pen {
    pub colour: Rgb,
    pub opacity: f64,
    pub width: f64,
    pub dashes: Option<(u8, u8)>,
    /// Whether it ends and turns in circles.
    pub is_round: bool,
}

/// A line of text.
pub(super) struct Words<'a> {
    pub text: &'a str,
    pub place: (f64, f64),
    pub anchor: Anchor,
    pub is_upward: bool,
    pub size: f64,
}

/// A surface for pictures, in the pixels of the SVG. Later elements cover earlier ones.
pub(super) trait Canvas {
    /// Moves the origin of `y`.
    fn move_down(&mut self, y: f64);
    fn fill(&mut self, d: &str, colour: Rgb, opacity: f64, is_even_odd: bool);
    fn stroke(&mut self, d: &str, pen: &Pen);
    fn write(&mut self, words: &Words<'_>, colour: Rgb);
    /// Draws the outlines of letters.
    fn outline(&mut self, words: &Words<'_>, pen: &Pen);
    /// Restricts drawing to this rectangle until `unclip`.
    fn clip(&mut self, place: (f64, f64), size: (f64, f64));
    fn unclip(&mut self);
}

/// Draws a panel whose top is at `y`.
pub(super) fn draw(canvas: &mut impl Canvas, panel: &Panel, y: f64) {
    canvas.move_down(y);
    shape(canvas, &rectangle((0.0, 0.0), (WIDTH, panel.height), false), &Paint::of("paper", [0; 3]), None);
    // The groups that are open: the colour of a series, or a clip.
    let mut groups: Vec<Option<Rgb>> = Vec::new();
    for item in &panel.items {
        let series = groups.iter().rev().flatten().next().copied().unwrap_or([0; 3]);
        match item {
            Item::Text { class, colour: own, place, anchor, is_upward, text } => {
                let paint = Paint::of(class, series);
                let text = &plain(text);
                let words =
                    Words { text, place: *place, anchor: *anchor, is_upward: *is_upward, size: paint.font_size };
                let own = own.and_then(|own| colour(own, series));
                write(canvas, &words, &Paint { fill: own.or(paint.fill), ..paint });
            }
            Item::Path { class, d, dashes } => shape(canvas, d, &Paint::of(class, series), *dashes),
            Item::Filled { colour: own, d } => {
                let colour = colour(own, series).expect("a colour");
                canvas.fill(d, colour, 1.0, true);
                canvas.stroke(d, &Pen { colour, opacity: 1.0, width: SEAM, dashes: None, is_round: true });
            }
            Item::Rectangle { class, place, size, is_round, fill } => {
                let paint = Paint::of(class, series);
                let own = fill.as_ref().and_then(|fill| colour(fill, series));
                shape(canvas, &rectangle(*place, *size, *is_round), &Paint { fill: own.or(paint.fill), ..paint }, None);
            }
            Item::Clip { place, size } => {
                canvas.clip(*place, *size);
                groups.push(None);
            }
            Item::Series(index) => groups.push(Some(of_series(*index))),
            Item::Close => {
                if groups.pop() == Some(None) {
                    canvas.unclip();
                }
            }
        }
    }
}

fn shape(canvas: &mut impl Canvas, d: &str, paint: &Paint, dashes: Option<(u8, u8)>) {
    if let Some(colour) = paint.fill {
        canvas.fill(d, colour, paint.fill_opacity, false);
    }
    if let Some(pen) = pen(paint, dashes) {
        canvas.stroke(d, &pen);
    }
}

fn pen(paint: &Paint, dashes: Option<(u8, u8)>) -> Option<Pen> {
    let Paint { stroke_opacity: opacity, stroke_width: width, is_round, .. } = *paint;
    Some(Pen { colour: paint.stroke?, opacity, width, dashes, is_round })
}

fn write(canvas: &mut impl Canvas, words: &Words<'_>, paint: &Paint) {
    /// How much wider the lines of bold letters are, over their size.
    const BOLD: f64 = 0.045;
    if let Some(pen) = pen(paint, None) {
        canvas.outline(words, &pen);
    }
    let Some(colour) = paint.fill else { return };
    if paint.is_bold {
        let width = BOLD * words.size;
        canvas.outline(words, &Pen { colour, opacity: 1.0, width, dashes: None, is_round: true });
    }
    canvas.write(words, colour);
}
