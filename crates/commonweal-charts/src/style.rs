//! The styles of the classes of a picture's elements, on light and on dark paper.

use super::drawing::{SIZE, TITLE_SIZE};

/// Colours of series on light and on dark paper, distinguishable for colour-blind readers.
pub(super) const COLOURS: [(&str, &str); 8] = [
    ("#0072b2", "#5ab4ea"),
    ("#d55e00", "#ff9a4d"),
    ("#00896a", "#3ccfa4"),
    ("#b3558b", "#ec9fcb"),
    ("#8a6d00", "#f0d04c"),
    ("#3f3fbf", "#a3a3ff"),
    ("#7a4a2b", "#d3a27f"),
    ("#5a6570", "#b4bec8"),
];

/// The fonts of a reader, the nicest first.
pub(super) const FACE: &str = "font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif";

/// The classes, with what each declares on light paper.
pub(super) fn light() -> Vec<(&'static str, String)> {
    let text = |fill: &str| format!("fill:{fill};font-size:{SIZE}px");
    vec![
        ("title", format!("fill:#16191d;font-size:{TITLE_SIZE}px;font-weight:600")),
        ("ink", text("#16191d")),
        ("mute", text("#59636e")),
        ("onbar", text("#fff")),
        ("over", format!("font-size:{SIZE}px")),
        ("halo", format!("stroke:#fff;stroke-width:4px;stroke-linejoin:round;fill:none;font-size:{SIZE}px")),
        ("paper", "fill:#fff".to_owned()),
        ("grid", "stroke:#e3e6ea;stroke-width:1;fill:none".to_owned()),
        ("fine", "stroke:#f1f3f5;stroke-width:1;fill:none".to_owned()),
        ("axis", "stroke:#59636e;stroke-width:1;fill:none".to_owned()),
        ("edge", "stroke:#fff;stroke-width:1;fill:none;stroke-linejoin:round".to_owned()),
        ("under", "stroke:#fff;stroke-opacity:0.75;stroke-width:3.6;fill:none;stroke-linejoin:round".to_owned()),
        ("curve", "stroke:#16191d;stroke-width:1.6;fill:none;stroke-linejoin:round".to_owned()),
        ("dot", "fill:#16191d;stroke:#fff;stroke-width:1.5".to_owned()),
        ("line", "stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round".to_owned()),
        ("mark", "fill:currentColor;stroke:#fff;stroke-width:0.8".to_owned()),
        ("fill", "fill:currentColor".to_owned()),
        ("band", "fill:currentColor;fill-opacity:0.18".to_owned()),
    ]
}

/// The declarations that differ on dark paper.
pub(super) const DARK: [(&str, &str); 14] = [
    ("title", "fill:#eceff2"),
    ("ink", "fill:#e3e7eb"),
    ("mute", "fill:#a3adb7"),
    ("onbar", "fill:#14171a"),
    ("halo", "stroke:#14171a"),
    ("paper", "fill:#14171a"),
    ("grid", "stroke:#2c3238"),
    ("fine", "stroke:#20252a"),
    ("axis", "stroke:#8b959f"),
    ("edge", "stroke:#14171a"),
    ("under", "stroke:#14171a"),
    ("curve", "stroke:#f4f6f8"),
    ("dot", "fill:#f4f6f8;stroke:#14171a"),
    ("mark", "stroke:#14171a"),
];

/// Red, green and blue from 0 to 255.
pub(super) type Rgb = [u8; 3];

/// What a class declares, for pictures on paper: light, and with a colour for each series.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Paint {
    pub fill: Option<Rgb>,
    pub fill_opacity: f64,
    pub stroke: Option<Rgb>,
    pub stroke_opacity: f64,
    pub stroke_width: f64,
    /// Whether lines end and turn in circles.
    pub is_round: bool,
    pub font_size: f64,
    pub is_bold: bool,
}

impl Paint {
    /// The paint of a class, where a series has that colour. It is read from the same declarations that SVG has.
    pub fn of(class: &str, series: Rgb) -> Paint {
        let declared = light().into_iter().find(|(name, _)| *name == class).map(|(_, text)| text).unwrap_or_default();
        let mut paint =
            Paint { fill: Some([0; 3]), fill_opacity: 1.0, stroke_opacity: 1.0, stroke_width: 1.0, ..Paint::default() };
        for (property, value) in declared.split(';').filter_map(|part| part.split_once(':')) {
            let number = || value.trim_end_matches("px").parse().expect("a number of a style");
            match property {
                "fill" => paint.fill = colour(value, series),
                "stroke" => paint.stroke = colour(value, series),
                "fill-opacity" => paint.fill_opacity = number(),
                "stroke-opacity" => paint.stroke_opacity = number(),
                "stroke-width" => paint.stroke_width = number(),
                "font-size" => paint.font_size = number(),
                "font-weight" => paint.is_bold = true,
                "stroke-linecap" | "stroke-linejoin" => paint.is_round = true,
                other => unreachable!("a style declares {other}"),
            }
        }
        paint
    }
}

/// The colour of a series on light paper.
pub(super) fn of_series(index: usize) -> Rgb {
    colour(COLOURS[index % COLOURS.len()].0, [0; 3]).expect("a colour")
}

/// A colour as styles write it: `none`, `currentColor`, `#16191d` or `#fff`.
pub(super) fn colour(text: &str, series: Rgb) -> Option<Rgb> {
    let digits = match text {
        "none" => return None,
        "currentColor" => return Some(series),
        _ => text.strip_prefix('#').expect("a colour begins with #"),
    };
    let digit = |at: usize| u8::from_str_radix(&digits[at..=at], 16).expect("a digit of a colour");
    let channel = |at: usize| if digits.len() == 3 { 17 * digit(at) } else { 16 * digit(2 * at) + digit(2 * at + 1) };
    Some([channel(0), channel(1), channel(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_paint_and_dark_paper_changes_only_classes_that_there_are() {
        let series = [1, 2, 3];
        for (class, _) in light() {
            let paint = Paint::of(class, series);
            assert!(class == "over" || paint.fill.is_some() || paint.stroke.is_some(), "{class}");
        }
        assert_eq!(
            Paint::of("band", series),
            Paint { fill: Some(series), fill_opacity: 0.18, ..Paint::of("fill", series) }
        );
        assert_eq!(Paint::of("title", series).fill, Some([0x16, 0x19, 0x1d]));
        assert!(DARK.iter().all(|(class, _)| light().iter().any(|(other, _)| other == class)));
    }
}
