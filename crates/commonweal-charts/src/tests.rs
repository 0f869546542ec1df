//! What every picture must be, whatever its data.

use super::*;

fn axis(label: &str, scale: Scale) -> Axis {
    Axis { label: label.to_owned(), scale }
}

fn chart(scale: Scale, points: Vec<(f64, f64)>) -> Chart {
    let series = |name: &str, mark| Series { name: name.to_owned(), colour: 0, points: points.clone(), mark };
    Chart {
        title: "A <title> & more".to_owned(),
        caption: None,
        x: axis("x", Scale::Linear),
        y: axis("y", scale),
        series: vec![series("line", Mark::LineAndPoints), series("", Mark::Dashed)],
        marks: Vec::new(),
    }
}

#[test]
fn points_without_a_place_are_left_out_and_said_to_be() {
    let points = vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 0.0), (3.0, 10.0), (f64::INFINITY, 2.0)];
    let linear = chart(Scale::Linear, points.clone()).svg();
    assert!(linear.contains("4 points are left out"), "two of five, in two series");
    let log = chart(Scale::Log, points).svg();
    assert!(log.contains("6 points are left out"), "the zero has no place on a logarithmic axis either");
    assert!(!log.contains("NaN") && !log.contains("inf"));
    assert!(!chart(Scale::Log, vec![(0.0, 1.0)]).svg().contains("left out"));
}

#[test]
fn text_is_escaped_and_the_picture_says_what_it_is() {
    let svg = chart(Scale::Linear, vec![(0.0, 1.0), (1.0, 2.0)]).svg();
    assert!(svg.contains("<title>A &lt;title&gt; &amp; more</title>") && svg.contains("role=\"img\""));
    assert!(svg.contains("<desc>Horizontal axis: x. Vertical axis: y. Series: line.</desc>"));
    assert!(!svg.contains('\u{1}'));
}

#[test]
fn classes_of_different_pictures_differ_and_those_of_the_same_agree() {
    let one = chart(Scale::Linear, vec![(0.0, 1.0), (1.0, 2.0)]);
    let other = chart(Scale::Linear, vec![(0.0, 1.0), (1.0, 3.0)]);
    let prefix = |svg: &str| svg.split("class=\"").nth(1).unwrap().split('-').next().unwrap().to_owned();
    assert_eq!(one.svg(), one.svg());
    assert_ne!(prefix(&one.svg()), prefix(&other.svg()));
    let classes = one.svg();
    let mut names = classes.split("class=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let own = prefix(&classes);
    assert!(names.all(|name| name.starts_with(&own)));
}

#[test]
fn a_map_names_every_region_and_its_largest_inside() {
    let square = |low: f64, high: f64| vec![(low, low), (high, low), (high, high), (low, high)];
    let map = RegionMap {
        title: "Map".to_owned(),
        caption: None,
        x: axis("alpha", Scale::Linear),
        y: axis("beta", Scale::Linear),
        range: [(0.0, 1.0), (0.0, 1.0)],
        regions: vec![
            Region {
                name: "ring".to_owned(),
                words: String::new(),
                outline: vec![square(0.0, 1.0), square(0.3, 0.32)],
                is_rest: false,
            },
            Region {
                name: "island".to_owned(),
                words: "in the ring".to_owned(),
                outline: vec![square(0.3, 0.32)],
                is_rest: true,
            },
        ],
        curves: vec![Series { name: String::new(), colour: 0, points: square(0.3, 0.32), mark: Mark::Line }],
        marks: vec![(0.9, 0.9, "here".to_owned())],
    };
    let svg = map.svg();
    assert_eq!(svg.matches(">ring</text>").count(), 2, "beside the map and inside");
    assert_eq!(svg.matches(">island: in the ring</text>").count(), 1, "beside the map");
    assert!(!svg.contains(">island</text>"), "too small for its name");
    assert!(svg.contains(">here</text>") && svg.contains("fill-rule=\"evenodd\""));
}

#[test]
fn every_picture_is_well_formed_whatever_its_names_and_numbers() {
    const NAMES: [&str; 4] =
        ["", "<script>&\"'\u{0}\u{202e}", "宿屋\nホテル", "a_name_that_is_far_too_long_for_any_row_of_any_picture"];
    let numbers = [0.0, -0.0, 1.0, -1e308, 1e308, 5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let points: Vec<(f64, f64)> = numbers.iter().flat_map(|&x| numbers.map(|y| (x, y))).collect();
    for name in NAMES {
        let text = || name.to_owned();
        let series = |mark| Series { name: text(), colour: 3, points: points.clone(), mark };
        let marks = [Mark::Line, Mark::Points, Mark::LineAndPoints, Mark::Dashed];
        let mut pictures = Vec::new();
        let marked: Vec<(f64, String)> = numbers.iter().map(|&x| (x, text())).collect();
        for scale in [Scale::Linear, Scale::Log] {
            let (x, y) = (axis(name, scale), axis(name, scale));
            let series: Vec<Series> = marks.map(series).to_vec();
            pictures
                .push(Chart { title: text(), caption: Some(text()), x, y, series, marks: marked.clone() }.picture());
        }
        let bars = numbers.map(|x| Some((x, text()))).to_vec();
        let groups = vec![(text(), bars), (text(), vec![None])];
        pictures
            .push(Bars { title: text(), caption: None, label: text(), series: vec![(text(), 3); 9], groups }.picture());
        for last in [3.0, 1e30] {
            let runs = vec![(0.0, Some(text())), (1.0, None), (2.0, Some("go".to_owned())), (last, Some(text()))];
            let rows = vec![TimelineRow { name: text(), runs }];
            pictures.push(Timeline { title: text(), caption: Some(text()), step: text(), rows }.picture());
        }
        pictures.push(stacked(pictures.clone()));
        for picture in &pictures {
            let svg = &picture.svg();
            assert!(roxmltree::Document::parse(svg).is_ok(), "{name:?}: {svg}");
            assert!(!svg.contains("NaN\""), "{name:?}: {svg}");
            let (png, pdf) = (picture.png(1), picture.pdf());
            assert!(png.starts_with(b"\x89PNG") && png.ends_with(b"IEND\xaeB`\x82"), "{name:?}");
            assert!(pdf.starts_with(b"%PDF-1.5") && pdf.ends_with(b"%%EOF\n"), "{name:?}");
        }
    }
}

#[test]
fn a_timeline_marks_the_steps_of_change_and_shows_nothing_where_nothing_is_done() {
    let row = |name: &str, runs: &[(f64, Option<&str>)]| TimelineRow {
        name: name.to_owned(),
        runs: runs.iter().map(|(from, action)| (*from, action.map(str::to_owned))).collect(),
    };
    let rows = vec![
        row("s0", &[(0.0, Some("a")), (7.0, Some("b"))]),
        row("s1", &[(0.0, None), (8.0, Some("b")), (9.0, None), (10.0, Some("b"))]),
    ];
    let timeline = Timeline { title: "What to do".to_owned(), caption: None, step: "step".to_owned(), rows };
    let svg = timeline.svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let class = |node: &roxmltree::Node<'_, '_>| node.attribute("class").unwrap_or_default().to_owned();
    let bars =
        document.descendants().filter(|node| class(node).ends_with("-fill") && node.attribute("height") == Some("20"));
    assert_eq!(bars.count(), 4, "two for each state");
    let dashed = |node: &roxmltree::Node<'_, '_>| node.attribute("stroke-dasharray").is_some();
    let marked = document.descendants().filter(|node| class(node).ends_with("-axis") && dashed(node));
    // The step of change, and the end of the axis that goes on for ever.
    assert_eq!(marked.count(), 2);
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    assert!(texts.contains(&"7"), "the step of change is labelled: {texts:?}");
}

#[test]
fn a_break_interrupts_a_line_and_a_mark_is_named() {
    let mut broken = chart(Scale::Linear, vec![(0.0, 1.0), (1.0, 1.0), BREAK, (1.0, 2.0), (2.0, 2.0)]);
    broken.series.truncate(1);
    broken.marks.push((1.5, "the model".to_owned()));
    let svg = broken.svg();
    let lines = svg.matches("-line\"").count();
    assert_eq!(lines, 3, "two pieces, and the sample in the legend: {svg}");
    assert!(!svg.contains("left out") && svg.contains(">the model</text>"));
}

/// The pixels of a PNG file as this crate writes them: its width, and red, green and blue row by row.
fn pixels(png: &[u8]) -> (usize, Vec<[u8; 3]>) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
    let width = number(16);
    let (mut at, mut packed) = (8, Vec::new());
    while at < png.len() {
        let length = number(at);
        if &png[at + 4..at + 8] == b"IDAT" {
            packed.extend(&png[at + 8..at + 8 + length]);
        }
        let mut crc = flate2::Crc::new();
        crc.update(&png[at + 4..at + 8 + length]);
        assert_eq!(crc.sum() as usize, number(at + 8 + length), "checksum");
        at += 12 + length;
    }
    let mut rows = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(packed.as_slice()), &mut rows).unwrap();
    let mut pixels = Vec::new();
    for row in rows.chunks(1 + 3 * width) {
        assert_eq!(row[0], 1, "each pixel less the one to its left");
        let mut last = [0u8; 3];
        for less in row[1..].chunks(3) {
            last = std::array::from_fn(|channel| last[channel].wrapping_add(less[channel]));
            pixels.push(last);
        }
    }
    (width, pixels)
}

#[test]
fn a_png_has_the_colours_of_the_svg_where_it_has_them() {
    let runs = vec![(0.0, Some("a".to_owned())), (4.0, Some("b".to_owned()))];
    let rows = vec![TimelineRow { name: "s".to_owned(), runs }];
    let timeline = Timeline { title: "T".to_owned(), caption: None, step: "year".to_owned(), rows };
    let picture = timeline.picture();
    let svg = picture.svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let (width, pixels) = pixels(&picture.png(2));
    assert_eq!(width, 1440);
    let number = |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let bars: Vec<_> = document.descendants().filter(|node| node.attribute("height") == Some("20")).collect();
    assert_eq!(bars.len(), 2);
    for (bar, colour) in bars.into_iter().zip([[0x00, 0x72, 0xb2], [0xd5, 0x5e, 0x00]]) {
        // A little inside the corner, far from the letters.
        let (x, y) = (2.0 * (number(bar, "x") + 5.0), 2.0 * (number(bar, "y") + 5.0));
        assert_eq!(pixels[y as usize * width + x as usize], colour);
    }
    assert_eq!(pixels[0], [255; 3], "paper");
}

#[test]
fn a_pdf_has_text_that_can_be_found_and_every_object_where_it_says() {
    let picture = chart(Scale::Linear, vec![(0.0, 1.0), (1.0, 2.0)]).picture();
    let pdf = picture.pdf();
    assert_eq!(pdf, picture.pdf());
    let text = String::from_utf8_lossy(&pdf);
    let table = &text[text.rfind("\nxref\n").unwrap()..];
    // Lossy text has other lengths: places are those of bytes.
    for (number, line) in table.lines().filter(|line| line.ends_with(" n ")).enumerate() {
        let begin: usize = line[..10].parse().unwrap();
        assert!(pdf[begin..].starts_with(format!("{} 0 obj\n", number + 1).as_bytes()), "{line}");
    }
    for part in ["/MediaBox [0 0 540 ", "/Subtype /CIDFontType2", "/FontFile2", "/ToUnicode", "/Title <FEFF0041"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(picture.missing_letters().is_empty());
    let foreign =
        Timeline {
            title: "宿屋 ≈ λ₀^k — ø".to_owned(), caption: None, step: "step".to_owned(), rows: Vec::new()
        };
    assert_eq!(foreign.picture().missing_letters(), ['宿', '屋']);
}
