//! What every picture must be, whatever its data.

use super::*;

fn axis(label: &str, scale: Scale) -> Axis {
    Axis { label: label.to_owned(), scale }
}

fn chart(scale: Scale, points: Vec<(f64, f64)>) -> Chart {
    let series = |name: &str, mark| Series { name: name.to_owned(), points: points.clone(), mark };
    Chart {
        title: "A <title> & more".to_owned(),
        caption: None,
        x: axis("x", Scale::Linear),
        y: axis("y", scale),
        series: vec![series("line", Mark::LineAndPoints), series("", Mark::Dashed)],
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
            Region { name: "ring".to_owned(), outline: vec![square(0.0, 1.0), square(0.3, 0.32)] },
            Region { name: "island".to_owned(), outline: vec![square(0.3, 0.32)] },
        ],
        curves: vec![Series { name: String::new(), points: square(0.3, 0.32), mark: Mark::Line }],
        marks: vec![(0.9, 0.9, "here".to_owned())],
    };
    let svg = map.svg();
    assert_eq!(svg.matches(">ring</text>").count(), 2, "beside the map and inside");
    assert_eq!(svg.matches(">island</text>").count(), 1, "too small for its name");
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
        let series = |mark| Series { name: text(), points: points.clone(), mark };
        let marks = [Mark::Line, Mark::Points, Mark::LineAndPoints, Mark::Dashed];
        let mut pictures = Vec::new();
        for scale in [Scale::Linear, Scale::Log] {
            let (x, y) = (axis(name, scale), axis(name, scale));
            let series: Vec<Series> = marks.map(series).to_vec();
            pictures.push(Chart { title: text(), caption: Some(text()), x, y, series }.svg());
        }
        let bars = numbers.map(|x| Some((x, text()))).to_vec();
        let groups = vec![(text(), bars), (text(), vec![None])];
        pictures.push(Bars { title: text(), caption: None, label: text(), series: vec![text(); 9], groups }.svg());
        for last in [3.0, 1e30] {
            let runs = vec![(0.0, text()), (2.0, "go".to_owned()), (last, text())];
            let rows = vec![TimelineRow { name: text(), runs }];
            pictures.push(Timeline { title: text(), caption: Some(text()), rows }.svg());
        }
        pictures.push(stacked(&pictures));
        for svg in &pictures {
            assert!(roxmltree::Document::parse(svg).is_ok(), "{name:?}: {svg}");
            assert!(!svg.contains("NaN\""), "{name:?}: {svg}");
        }
    }
}
