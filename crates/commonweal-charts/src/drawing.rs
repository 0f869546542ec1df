//! A picture under construction: elements, and the frame around them.

use super::picture::{Anchor, Item, Panel, Picture};
use super::text::wrapped;
use std::fmt::Write;

/// The width of every picture.
pub(super) const WIDTH: f64 = 720.0;
/// Kept free along the edges.
pub(super) const MARGIN: f64 = 16.0;
/// The size of most text.
pub(super) const SIZE: f64 = 12.0;
pub(super) const TITLE_SIZE: f64 = 15.0;
/// From one line of text to the next, over its size.
pub(super) const LEADING: f64 = 1.35;

/// Elements so far. `y` grows downward.
pub(super) struct Drawing {
    items: Vec<Item>,
    /// Where the next thing goes.
    pub y: f64,
}

impl Drawing {
    /// A picture with its title at the top.
    pub fn titled(title: &str) -> Drawing {
        let mut drawing = Drawing { items: Vec::new(), y: MARGIN };
        // Bold letters are wider.
        for line in wrapped(title, 1.16 * TITLE_SIZE, WIDTH - 2.0 * MARGIN) {
            drawing.y += TITLE_SIZE;
            let y = drawing.y;
            drawing.text("title", (MARGIN, y), Anchor::Start, &line);
            drawing.y += TITLE_SIZE * (LEADING - 1.0);
        }
        drawing
    }

    /// Text of a class: `title`, `ink` or `mute`.
    pub fn text(&mut self, class: &'static str, place: (f64, f64), anchor: Anchor, text: &str) {
        let text = text.to_owned();
        self.items.push(Item::Text { class, colour: None, place, anchor, is_upward: false, text });
    }

    /// Text in a colour of its own, in the middle of its point.
    pub fn text_over(&mut self, colour: &'static str, place: (f64, f64), text: &str) {
        let (text, anchor) = (text.to_owned(), Anchor::Middle);
        self.items.push(Item::Text { class: "over", colour: Some(colour), place, anchor, is_upward: false, text });
    }

    /// Text that can be read over anything: on a halo of the paper's colour.
    pub fn text_with_halo(&mut self, place: (f64, f64), anchor: Anchor, text: &str) {
        self.text("halo", place, anchor, text);
        self.text("ink", place, anchor, text);
    }

    /// Text that reads upward, in the middle of its point.
    pub fn upward_text(&mut self, place: (f64, f64), text: &str) {
        let (text, anchor) = (text.to_owned(), Anchor::Middle);
        self.items.push(Item::Text { class: "ink", colour: None, place, anchor, is_upward: true, text });
    }

    /// A shape of a class.
    pub fn path(&mut self, class: &'static str, d: &str) {
        self.items.push(Item::Path { class, d: d.to_owned(), dashes: None });
    }

    /// A line of a class, in dashes and gaps of these lengths.
    pub fn dashed_path(&mut self, class: &'static str, d: &str, dashes: (u8, u8)) {
        self.items.push(Item::Path { class, d: d.to_owned(), dashes: Some(dashes) });
    }

    /// A shape filled with a colour of its own.
    pub fn filled_path(&mut self, colour: &str, d: &str) {
        self.items.push(Item::Filled { colour: colour.to_owned(), d: d.to_owned() });
    }

    /// A rectangle of a class.
    pub fn rectangle(&mut self, class: &'static str, place: (f64, f64), size: (f64, f64)) {
        self.items.push(Item::Rectangle { class, place, size, is_round: false, fill: None });
    }

    /// A rectangle of a class with round corners.
    pub fn round_rectangle(&mut self, class: &'static str, place: (f64, f64), size: (f64, f64)) {
        self.items.push(Item::Rectangle { class, place, size, is_round: true, fill: None });
    }

    /// A rectangle in a colour of its own.
    pub fn filled_rectangle(&mut self, colour: &str, place: (f64, f64), size: (f64, f64)) {
        let fill = Some(colour.to_owned());
        self.items.push(Item::Rectangle { class: "swatch", place, size, is_round: false, fill });
    }

    /// Restricts the following elements, until `close`, to this rectangle.
    pub fn clip(&mut self, place: (f64, f64), size: (f64, f64)) {
        self.items.push(Item::Clip { place, size });
    }

    /// Draws the following elements, until `close`, in the colour of a series.
    pub fn open_series(&mut self, index: usize) {
        self.items.push(Item::Series(index));
    }

    pub fn close(&mut self) {
        self.items.push(Item::Close);
    }

    /// The picture, with a caption below all that is drawn.
    pub fn finish(mut self, title: &str, description: &str, caption: &str) -> Picture {
        for line in wrapped(caption, SIZE, WIDTH - 2.0 * MARGIN) {
            self.y += SIZE * LEADING;
            let y = self.y;
            self.text("mute", (MARGIN, y), Anchor::Start, &line);
        }
        let (title, description) = (title.to_owned(), description.to_owned());
        let height = (self.y + MARGIN).ceil();
        Picture { panels: vec![Panel { title, description, height, items: self.items }] }
    }
}

/// A coordinate with at most two digits after the point.
pub(super) fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A path through these points.
pub(super) fn polyline(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    let mut last = String::new();
    for (x, y) in points {
        let point = format!("{} {}", number(x), number(y));
        // Points that round to the same hundredth of a pixel are drawn once.
        if point != last {
            let _ = write!(d, "{}{point}", if d.is_empty() { 'M' } else { 'L' });
            last = point;
        }
    }
    d
}
