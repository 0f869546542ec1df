//! A finished picture, and the kinds of files it can be: SVG, PNG and PDF from the same list of elements.

use super::canvas::draw;
use super::drawing::{WIDTH, number};
use super::font::Font;
use super::pdf::PdfCanvas;
use super::png::PngCanvas;
use super::svg;

/// A picture: one drawing, or several from top to bottom.
#[derive(Debug, Clone)]
pub struct Picture {
    pub(super) panels: Vec<Panel>,
}

/// A drawing with its words for those who cannot see it.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    pub title: String,
    pub description: String,
    /// A whole number of pixels.
    pub height: f64,
    pub items: Vec<Item>,
}

/// Where a text stands beside its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// An element. Lines are paths as SVG writes them: `M`, `L`, `A` and `Z` with absolute coordinates; y grows downward.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// Text of a class, perhaps in a colour of its own. It reads upward, or to the right.
    Text {
        class: &'static str,
        colour: Option<&'static str>,
        place: (f64, f64),
        anchor: Anchor,
        is_upward: bool,
        text: String,
    },
    /// A shape of a class, perhaps with dashes: the lengths of a dash and of a gap.
    Path { class: &'static str, d: String, dashes: Option<(u8, u8)> },
    /// A shape filled with a colour of its own, even-odd, and a seam so that neighbours touch.
    Filled { colour: String, d: String },
    /// A rectangle of a class, perhaps with a colour of its own, perhaps with round corners.
    Rectangle { class: &'static str, place: (f64, f64), size: (f64, f64), is_round: bool, fill: Option<String> },
    /// Restricts the following elements, until the end of the group, to this rectangle.
    Clip { place: (f64, f64), size: (f64, f64) },
    /// Draws the following elements, until the end of the group, in the colour of a series.
    Series(usize),
    /// The end of a group.
    Close,
}

/// The radius of round corners.
pub(super) const CORNER: f64 = 2.0;
/// The width of the seam of a filled shape.
pub(super) const SEAM: f64 = 0.7;

impl Picture {
    /// The picture as one `<svg>` element.
    pub fn svg(&self) -> String {
        if let [panel] = self.panels.as_slice() {
            svg::panel(panel, None)
        } else {
            svg::stacked(&self.panels, self.height())
        }
    }

    /// The picture as a PNG file, with this many pixels for each pixel of the SVG: 2 suits screens, 4 print.
    pub fn png(&self, scale: u32) -> Vec<u8> {
        let font = Font::embedded();
        let mut canvas = PngCanvas::new((WIDTH, self.height()), scale, &font);
        self.draw(&mut canvas);
        canvas.finish()
    }

    /// The picture as a PDF file of one page, in lines and letters.
    pub fn pdf(&self) -> Vec<u8> {
        let font = Font::embedded();
        let mut canvas = PdfCanvas::new((WIDTH, self.height()), &font);
        self.draw(&mut canvas);
        let titles: Vec<&str> = self.panels.iter().map(|panel| panel.title.as_str()).collect();
        canvas.finish(&titles.join("; "))
    }

    /// The letters for which PNG and PDF show a box, because the font inside this crate has none: it has those of Latin, Greek and
    /// Cyrillic script. SVG is shown in the fonts of its reader.
    pub fn missing_letters(&self) -> Vec<char> {
        let font = Font::embedded();
        let texts = self.panels.iter().flat_map(|panel| &panel.items).filter_map(|item| match item {
            Item::Text { text, .. } => Some(text),
            _ => None,
        });
        let mut missing: Vec<char> = texts.flat_map(|text| text.chars()).filter(|&c| !font.has(c)).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    fn height(&self) -> f64 {
        self.panels.iter().map(|panel| panel.height).sum()
    }

    fn draw(&self, canvas: &mut impl super::canvas::Canvas) {
        let mut y = 0.0;
        for panel in &self.panels {
            draw(canvas, panel, y);
            y += panel.height;
        }
    }
}

/// One picture of several, from top to bottom.
///
/// ```
/// # use commonweal_charts::{Timeline, stacked};
/// let picture = |title: &str| {
///     Timeline { title: title.to_owned(), caption: None, step: "step".to_owned(), rows: Vec::new() }.picture()
/// };
/// let both = stacked([picture("before"), picture("after")]).svg();
/// assert!(both.contains("<title>before</title>") && both.contains("<title>after</title>"));
/// ```
pub fn stacked(pictures: impl IntoIterator<Item = Picture>) -> Picture {
    Picture { panels: pictures.into_iter().flat_map(|picture| picture.panels).collect() }
}

/// A rectangle as a path.
pub(super) fn rectangle((x, y): (f64, f64), (width, height): (f64, f64), is_round: bool) -> String {
    let (right, bottom) = (x + width, y + height);
    if !is_round {
        let [x, y, right, bottom] = [x, y, right, bottom].map(number);
        return format!("M{x} {y}L{right} {y}L{right} {bottom}L{x} {bottom}Z");
    }
    let r = CORNER.min(width / 2.0).min(height / 2.0);
    let [inner_x, inner_y, inner_right, inner_bottom] = [x + r, y + r, right - r, bottom - r].map(number);
    let [x, y, right, bottom, r] = [x, y, right, bottom, r].map(number);
    format!(
        "M{inner_x} {y}L{inner_right} {y}A{r} {r} 0 0 1 {right} {inner_y}L{right} {inner_bottom}A{r} {r} 0 0 1 {inner_right} {bottom}\
         L{inner_x} {bottom}A{r} {r} 0 0 1 {x} {inner_bottom}L{x} {inner_y}A{r} {r} 0 0 1 {inner_x} {y}Z"
    )
}
