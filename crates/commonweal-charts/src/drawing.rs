//! A picture under construction: elements, colours for both schemes, and the frame around them.

use super::text::{escaped, wrapped};
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

/// A picture alone is no wider than its page.
const RESPONSIVE: &str = "max-width:100%;height:auto";
/// Stands for the prefix of class names until it is known; escaped text never holds it.
const PREFIX: char = '\u{1}';
/// Colours of series on light and on dark paper, told apart by colour-blind readers too.
const COLOURS: [(&str, &str); 8] = [
    ("#0072b2", "#5ab4ea"),
    ("#d55e00", "#ff9a4d"),
    ("#00896a", "#3ccfa4"),
    ("#b3558b", "#ec9fcb"),
    ("#8a6d00", "#f0d04c"),
    ("#3f3fbf", "#a3a3ff"),
    ("#7a4a2b", "#d3a27f"),
    ("#5a6570", "#b4bec8"),
];
pub(super) const N_COLOURS: usize = COLOURS.len();

/// Where a text stands beside its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Elements so far. `y` grows downward.
pub(super) struct Drawing {
    body: String,
    /// Where the next thing goes.
    pub y: f64,
}

impl Drawing {
    /// A picture with its title at the top.
    pub fn titled(title: &str) -> Drawing {
        let mut drawing = Drawing { body: String::new(), y: MARGIN };
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
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y, text) = (number(x), number(y), escaped(text));
        let _ = writeln!(self.body, "<text class=\"{PREFIX}{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>");
    }

    /// Text in a colour of its own, in the middle of its point.
    pub fn text_over(&mut self, colour: &str, (x, y): (f64, f64), text: &str) {
        let (x, y, text) = (number(x), number(y), escaped(text));
        let _ = writeln!(
            self.body,
            "<text class=\"{PREFIX}over\" x=\"{x}\" y=\"{y}\" fill=\"{colour}\" text-anchor=\"middle\">{text}</text>"
        );
    }

    /// Text that can be read over anything: on a halo of the paper's colour.
    pub fn text_with_halo(&mut self, place: (f64, f64), anchor: Anchor, text: &str) {
        self.text("halo", place, anchor, text);
        self.text("ink", place, anchor, text);
    }

    /// Text that reads upward, in the middle of its point.
    pub fn upward_text(&mut self, (x, y): (f64, f64), text: &str) {
        let (x, y, text) = (number(x), number(y), escaped(text));
        let _ = writeln!(
            self.body,
            "<text class=\"{PREFIX}ink\" transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\">{text}</text>"
        );
    }

    /// A shape of a class, with further attributes.
    pub fn path(&mut self, class: &str, d: &str, attributes: &str) {
        let space = if attributes.is_empty() { "" } else { " " };
        let _ = writeln!(self.body, "<path class=\"{PREFIX}{class}\" d=\"{d}\"{space}{attributes}/>");
    }

    /// A shape filled with a colour of its own.
    pub fn filled_path(&mut self, colour: &str, d: &str) {
        let _ = writeln!(
            self.body,
            "<path d=\"{d}\" fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"0.7\" stroke-linejoin=\"round\" fill-rule=\"evenodd\"/>"
        );
    }

    /// A rectangle that may have a colour of its own, or that of a class.
    pub fn rectangle(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), attributes: &str) {
        let (x, y, width, height) = (number(x), number(y), number(width), number(height));
        let space = if attributes.is_empty() { "" } else { " " };
        let _ = writeln!(
            self.body,
            "<rect class=\"{PREFIX}{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{space}{attributes}/>"
        );
    }

    /// What follows, until `close`, is seen inside this rectangle only.
    pub fn clip(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let (x, y, width, height) = (number(x), number(y), number(width), number(height));
        let _ = writeln!(
            self.body,
            "<clipPath id=\"{PREFIX}clip\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/></clipPath>\n<g clip-path=\"url(#{PREFIX}clip)\">"
        );
    }

    /// What follows, until `close`, is in the colour of a series.
    pub fn open_series(&mut self, index: usize) {
        let _ = writeln!(self.body, "<g class=\"{PREFIX}s{}\">", index % N_COLOURS);
    }

    pub fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// The document, with a caption below all that is drawn.
    pub fn finish(mut self, title: &str, description: &str, caption: &str) -> String {
        for line in wrapped(caption, SIZE, WIDTH - 2.0 * MARGIN) {
            self.y += SIZE * LEADING;
            let y = self.y;
            self.text("mute", (MARGIN, y), Anchor::Start, &line);
        }
        let (width, height) = (number(WIDTH), number((self.y + MARGIN).ceil()));
        let (title, description) = (escaped(title), escaped(description));
        let document = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{PREFIX}face\" style=\"{RESPONSIVE}\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n<style>\n{}</style>\n\
             <rect class=\"{PREFIX}paper\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            style(),
            self.body
        );
        let prefix = format!("f{:08x}-", fingerprint(&document));
        document.replace(PREFIX, &prefix)
    }
}

/// One picture of several, from top to bottom. The pictures are those of this crate.
///
/// ```
/// # use commonweal_charts::{Timeline, stacked};
/// let picture = |title: &str| Timeline { title: title.to_owned(), caption: None, rows: Vec::new() }.svg();
/// let both = stacked(&[picture("before"), picture("after")]);
/// assert!(both.contains("<title>before</title>") && both.contains("<title>after</title>"));
/// ```
pub fn stacked(pictures: &[String]) -> String {
    if let [picture] = pictures {
        return picture.clone();
    }
    let height = |picture: &str| -> u32 {
        let after = picture.split(" height=\"").nth(1).expect("a picture has a height");
        after.split('"').next().and_then(|digits| digits.parse().ok()).expect("a whole number of pixels")
    };
    let total: u32 = pictures.iter().map(|picture| height(picture)).sum();
    let width = number(WIDTH);
    let mut document = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" style=\"{RESPONSIVE}\" role=\"group\" width=\"{width}\" height=\"{total}\" viewBox=\"0 0 {width} {total}\">\n"
    );
    let mut y = 0;
    for picture in pictures {
        let within = picture.replacen(&format!(" style=\"{RESPONSIVE}\""), "", 1);
        document += &within.replacen("<svg ", &format!("<svg y=\"{y}\" "), 1);
        y += height(picture);
    }
    document + "</svg>\n"
}

fn style() -> String {
    let mut style = String::new();
    let mut rule = |selector: &str, body: &str| {
        let _ = writeln!(style, ".{PREFIX}{selector}{{{body}}}");
    };
    rule("face", "font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif");
    rule("title", &format!("fill:#16191d;font-size:{TITLE_SIZE}px;font-weight:600"));
    rule("ink", &format!("fill:#16191d;font-size:{SIZE}px"));
    rule("mute", &format!("fill:#59636e;font-size:{SIZE}px"));
    rule("onbar", &format!("fill:#fff;font-size:{SIZE}px"));
    rule("over", &format!("font-size:{SIZE}px"));
    rule("halo", &format!("stroke:#fff;stroke-width:4px;stroke-linejoin:round;fill:none;font-size:{SIZE}px"));
    rule("paper", "fill:#fff");
    rule("grid", "stroke:#e3e6ea;stroke-width:1;fill:none");
    rule("fine", "stroke:#f1f3f5;stroke-width:1;fill:none");
    rule("axis", "stroke:#59636e;stroke-width:1;fill:none");
    rule("edge", "stroke:#fff;stroke-width:1;fill:none;stroke-linejoin:round");
    rule("under", "stroke:#fff;stroke-opacity:0.75;stroke-width:3.6;fill:none;stroke-linejoin:round");
    rule("curve", "stroke:#16191d;stroke-width:1.6;fill:none;stroke-linejoin:round");
    rule("dot", "fill:#16191d;stroke:#fff;stroke-width:1.5");
    rule("line", "stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round");
    rule("mark", "fill:currentColor;stroke:#fff;stroke-width:0.8");
    rule("fill", "fill:currentColor");
    rule("band", "fill:currentColor;fill-opacity:0.18");
    for (index, (light, _)) in COLOURS.iter().enumerate() {
        rule(&format!("s{index}"), &format!("color:{light}"));
    }
    style.push_str("@media (prefers-color-scheme:dark){\n");
    let mut rule = |selector: &str, body: &str| {
        let _ = writeln!(style, ".{PREFIX}{selector}{{{body}}}");
    };
    rule("title", "fill:#eceff2");
    rule("ink", "fill:#e3e7eb");
    rule("mute", "fill:#a3adb7");
    rule("onbar", "fill:#14171a");
    rule("halo", "stroke:#14171a");
    rule("paper", "fill:#14171a");
    rule("grid", "stroke:#2c3238");
    rule("fine", "stroke:#20252a");
    rule("axis", "stroke:#8b959f");
    rule("edge", "stroke:#14171a");
    rule("under", "stroke:#14171a");
    rule("curve", "stroke:#f4f6f8");
    rule("dot", "fill:#f4f6f8;stroke:#14171a");
    rule("mark", "stroke:#14171a");
    for (index, (_, dark)) in COLOURS.iter().enumerate() {
        rule(&format!("s{index}"), &format!("color:{dark}"));
    }
    style.push_str("}\n");
    style
}

/// A coordinate with two digits after the point, where they say something.
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
        // What falls onto the same hundredth of a pixel is drawn once.
        if point != last {
            let _ = write!(d, "{}{point}", if d.is_empty() { 'M' } else { 'L' });
            last = point;
        }
    }
    d
}

/// FNV-1a, folded to 32 bits.
fn fingerprint(text: &str) -> u32 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash ^ (hash >> 32)) as u32
}
