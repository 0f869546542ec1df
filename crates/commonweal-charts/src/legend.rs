//! Legends: a sample of each mark with its name, in rows above the chart.

use super::chart::{Mark, Series};
use super::drawing::{Drawing, LEADING, MARGIN, SIZE, WIDTH, number, polyline};
use super::picture::Anchor;
use super::text::{width, wrapped};

const SAMPLE: f64 = 26.0;
const GAP: f64 = 20.0;

/// Draws the rows below what is drawn so far; nothing if no series has a name.
pub(super) fn draw(drawing: &mut Drawing, series: &[Series]) {
    let room = WIDTH - 2.0 * MARGIN - SAMPLE - 6.0;
    let named = series.iter().filter(|series| !series.name.trim().is_empty());
    let mut x = MARGIN;
    let mut lines_in_row = 0;
    for series in named {
        let lines = wrapped(&series.name, SIZE, room);
        let widest = lines.iter().map(|line| width(line, SIZE)).fold(0.0, f64::max);
        let taken = SAMPLE + 6.0 + widest;
        if lines_in_row > 0 && x + taken > WIDTH - MARGIN {
            drawing.y += lines_in_row as f64 * SIZE * LEADING + 2.0;
            x = MARGIN;
            lines_in_row = 0;
        }
        let top = drawing.y + 4.0;
        let middle = top + 0.62 * SIZE;
        sample(drawing, series.colour, series.mark, (x, middle));
        for (row, line) in lines.iter().enumerate() {
            let y = top + SIZE + row as f64 * SIZE * LEADING;
            drawing.text("ink", (x + SAMPLE + 6.0, y), Anchor::Start, line);
        }
        lines_in_row = lines_in_row.max(lines.len());
        x += taken + GAP;
    }
    if lines_in_row > 0 {
        drawing.y += lines_in_row as f64 * SIZE * LEADING + 6.0;
    }
}

/// Draws a row of colours with their names; nothing if there is no name.
pub(super) fn draw_swatches<'a>(drawing: &mut Drawing, names: impl IntoIterator<Item = (&'a str, usize)>) {
    const SIDE: f64 = 12.0;
    let mut x = MARGIN;
    let mut begun = false;
    for (name, colour) in names {
        let taken = SIDE + 6.0 + width(name, SIZE);
        if begun && x + taken > WIDTH - MARGIN {
            drawing.y += SIZE * LEADING + 2.0;
            x = MARGIN;
        }
        let top = drawing.y + 4.0;
        drawing.open_series(colour);
        drawing.round_rectangle("fill", (x, top + 1.0), (SIDE, SIDE));
        drawing.close();
        drawing.text("ink", (x + SIDE + 6.0, top + SIZE), Anchor::Start, name);
        x += taken + GAP;
        begun = true;
    }
    if begun {
        drawing.y += SIZE * LEADING + 6.0;
    }
}

fn sample(drawing: &mut Drawing, index: usize, mark: Mark, (x, y): (f64, f64)) {
    drawing.open_series(index);
    let across = polyline([(x, y), (x + SAMPLE, y)]);
    match mark {
        Mark::Points => {}
        Mark::Dashed => drawing.dashed_path("line", &across, DASHES),
        Mark::Line | Mark::LineAndPoints => drawing.path("line", &across),
    }
    if matches!(mark, Mark::Points | Mark::LineAndPoints) {
        drawing.path("mark", &symbol(index, (x + SAMPLE / 2.0, y)));
    }
    drawing.close();
}

pub(super) const DASHES: (u8, u8) = (2, 5);

/// The symbol of a series at a point: they differ in shape as well as in colour.
pub(super) fn symbol(index: usize, (x, y): (f64, f64)) -> String {
    let around = |corners: &[(f64, f64)]| polyline(corners.iter().map(|&(dx, dy)| (x + dx, y + dy))) + "Z";
    match index % 5 {
        0 => {
            let (left, right, y) = (number(x - 3.4), number(x + 3.4), number(y));
            format!("M{left} {y}A3.4 3.4 0 1 0 {right} {y}A3.4 3.4 0 1 0 {left} {y}Z")
        }
        1 => around(&[(-3.1, -3.1), (3.1, -3.1), (3.1, 3.1), (-3.1, 3.1)]),
        2 => around(&[(0.0, -4.4), (4.0, 3.0), (-4.0, 3.0)]),
        3 => around(&[(0.0, -4.5), (4.5, 0.0), (0.0, 4.5), (-4.5, 0.0)]),
        _ => around(&[(-4.0, -3.0), (4.0, -3.0), (0.0, 4.4)]),
    }
}
