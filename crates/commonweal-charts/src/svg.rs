//! A picture as SVG.

use super::drawing::{WIDTH, number};
use super::picture::{Anchor, CORNER, Item, Panel, SEAM};
use super::style::{self, COLOURS, DARK};
use super::text::escaped;
use std::fmt::Write;

/// A picture alone is no wider than its page.
const RESPONSIVE: &str = "max-width:100%;height:auto";
/// Stands for the prefix of class names until it is known; escaped text never holds it.
const PREFIX: char = '\u{1}';

/// A drawing as one `<svg>` element, inside another at this height if there is one.
pub(super) fn panel(panel: &Panel, inside: Option<f64>) -> String {
    let (width, height) = (number(WIDTH), number(panel.height));
    let (title, description) = (escaped(&panel.title), escaped(&panel.description));
    let mut body = String::new();
    panel.items.iter().for_each(|item| write_item(&mut body, item));
    let document = format!(
        "xmlns=\"http://www.w3.org/2000/svg\" class=\"{PREFIX}face\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{title}</title>\n<desc>{description}</desc>\n<style>\n{}</style>\n\
         <rect class=\"{PREFIX}paper\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
        style(),
    );
    let prefix = format!("f{:08x}-", fingerprint(&document));
    let begin =
        inside.map_or_else(|| format!("<svg style=\"{RESPONSIVE}\" "), |y| format!("<svg y=\"{}\" ", number(y)));
    begin + &document.replace(PREFIX, &prefix)
}

/// Several drawings from top to bottom.
pub(super) fn stacked(panels: &[Panel], height: f64) -> String {
    let (width, total) = (number(WIDTH), number(height));
    let mut document = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" style=\"{RESPONSIVE}\" role=\"group\" width=\"{width}\" height=\"{total}\" viewBox=\"0 0 {width} {total}\">\n"
    );
    let mut y = 0.0;
    for one in panels {
        document += &panel(one, Some(y));
        y += one.height;
    }
    document + "</svg>\n"
}

fn write_item(body: &mut String, item: &Item) {
    let _ = match item {
        Item::Text { class, colour, place: (x, y), anchor, is_upward, text } => {
            let (x, y, text) = (number(*x), number(*y), escaped(text));
            let place = if *is_upward {
                format!("transform=\"translate({x} {y}) rotate(-90)\"")
            } else {
                format!("x=\"{x}\" y=\"{y}\"")
            };
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let colour = colour.map_or_else(String::new, |colour| format!(" fill=\"{colour}\""));
            writeln!(body, "<text class=\"{PREFIX}{class}\" {place}{colour}{anchor}>{text}</text>")
        }
        Item::Path { class, d, dashes } => {
            let dashes = dashes.map_or_else(String::new, |(dash, gap)| format!(" stroke-dasharray=\"{dash} {gap}\""));
            writeln!(body, "<path class=\"{PREFIX}{class}\" d=\"{d}\"{dashes}/>")
        }
        Item::Filled { colour, d } => writeln!(
            body,
            "<path d=\"{d}\" fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"{SEAM}\" stroke-linejoin=\"round\" fill-rule=\"evenodd\"/>"
        ),
        Item::Rectangle { class, place: (x, y), size: (width, height), is_round, fill } => {
            let (x, y, width, height) = (number(*x), number(*y), number(*width), number(*height));
            let round = if *is_round { format!(" rx=\"{CORNER}\"") } else { String::new() };
            let fill = fill.as_ref().map_or_else(String::new, |fill| format!(" fill=\"{fill}\""));
            writeln!(
                body,
                "<rect class=\"{PREFIX}{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{round}{fill}/>"
            )
        }
        Item::Clip { place: (x, y), size: (width, height) } => {
            let (x, y, width, height) = (number(*x), number(*y), number(*width), number(*height));
            writeln!(
                body,
                "<clipPath id=\"{PREFIX}clip\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/></clipPath>\n<g clip-path=\"url(#{PREFIX}clip)\">"
            )
        }
        Item::Series(index) => writeln!(body, "<g class=\"{PREFIX}s{}\">", index % COLOURS.len()),
        Item::Close => writeln!(body, "</g>"),
    };
}

fn style() -> String {
    let mut style = String::new();
    let rule = |style: &mut String, selector: &str, body: &str| {
        let _ = writeln!(style, ".{PREFIX}{selector}{{{body}}}");
    };
    rule(&mut style, "face", style::FACE);
    style::light().iter().for_each(|(class, body)| rule(&mut style, class, body));
    for (index, (light, _)) in COLOURS.iter().enumerate() {
        rule(&mut style, &format!("s{index}"), &format!("color:{light}"));
    }
    style.push_str("@media (prefers-color-scheme:dark){\n");
    DARK.iter().for_each(|(class, body)| rule(&mut style, class, body));
    for (index, (_, dark)) in COLOURS.iter().enumerate() {
        rule(&mut style, &format!("s{index}"), &format!("color:{dark}"));
    }
    style.push_str("}\n");
    style
}

/// FNV-1a, folded to 32 bits.
fn fingerprint(text: &str) -> u32 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash ^ (hash >> 32)) as u32
}
