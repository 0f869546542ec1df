//! The figure: two panels with logarithmic axes, drawn by hand.

use super::Row;
use std::fmt::Write;

/// Plain colours rather than variables, which many viewers do not know.
const STYLE: &str = "
  svg { font: 13px 'Helvetica Neue', Helvetica, Arial, sans-serif; }
  text { fill: #222; } .title { font-weight: 600; } .paper { fill: #fff; }
  .axis { stroke: #222; fill: none; } .grid { stroke: #d8d8d8; stroke-width: 0.7; }
  .jumps, .plain { fill: none; stroke-width: 2; } .jumps { stroke: #0b62a4; } .plain { stroke: #b8470b; stroke-dasharray: 6 4; }
  .jumps-dot { fill: #0b62a4; } .plain-dot { fill: #fff; stroke: #b8470b; stroke-width: 1.5; }
  @media screen and (prefers-color-scheme: dark) {
    text { fill: #e6e6e6; } .paper { fill: #16181c; } .axis { stroke: #e6e6e6; } .grid { stroke: #3a3e45; }
    .jumps { stroke: #6db5f2; } .plain { stroke: #f29a5c; }
    .jumps-dot { fill: #6db5f2; } .plain-dot { fill: #16181c; stroke: #f29a5c; }
  }
";

/// A plot with logarithmic axes: powers of ten at its edges.
struct Panel {
    left: f64,
    title: &'static str,
    /// The least and the greatest power of ten upwards.
    powers: (i32, i32),
    /// What stands beside each power of ten upwards.
    label: fn(i32) -> String,
}

const TOP: f64 = 56.0;
const HEIGHT: f64 = 250.0;
const WIDTH: f64 = 330.0;
/// Powers of ten of 1/(λ_0/λ_1 − 1).
const ACROSS: (i32, i32) = (-2, 9);

pub(super) fn svg(rows: &[Row]) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 844 364\" role=\"img\" aria-labelledby=\"title summary\">\n\
         <title id=\"title\">What close discounts cost</title>\n\
         <desc id=\"summary\">As two discounts approach each other, the horizon grows without end, while the layers walked \
         and the time taken stay nearly the same.</desc>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"844\" height=\"364\"/>\n"
    );
    let across = |row: &Row| 1.0 / row.spacing;
    let most = rows.iter().map(|row| row.horizon).fold(1.0, f64::max).log10().ceil() as i32;
    let steps = Panel { left: 66.0, title: "Steps", powers: (0, most), label: power_of_ten };
    let horizons: Vec<_> = rows.iter().map(|row| (across(row), row.horizon)).collect();
    let layers: Vec<_> = rows.iter().map(|row| (across(row), row.layers)).collect();
    steps.frame(&mut text);
    steps.line(&mut text, "plain", &horizons);
    steps.line(&mut text, "jumps", &layers);
    steps.legend(&mut text, &[("plain", "horizon"), ("jumps", "layers walked")]);
    let times = || rows.iter().flat_map(|row| [Some(row.seconds), row.plain_seconds]).flatten();
    let (least, most) = (times().fold(f64::MAX, f64::min), times().fold(0.0, f64::max));
    let powers = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let time = Panel { left: 490.0, title: "Time of a solve", powers, label: duration };
    let with: Vec<_> = rows.iter().map(|row| (across(row), row.seconds)).collect();
    let without: Vec<_> = rows.iter().filter_map(|row| Some((across(row), row.plain_seconds?))).collect();
    time.frame(&mut text);
    time.line(&mut text, "plain", &without);
    time.line(&mut text, "jumps", &with);
    time.legend(&mut text, &[("plain", "every step walked"), ("jumps", "with jumps")]);
    text.push_str("</svg>\n");
    text
}

impl Panel {
    fn x(&self, value: f64) -> f64 {
        self.left + WIDTH * (value.log10() - f64::from(ACROSS.0)) / f64::from(ACROSS.1 - ACROSS.0)
    }

    fn y(&self, value: f64) -> f64 {
        let (least, most) = self.powers;
        TOP + HEIGHT * (1.0 - (value.log10() - f64::from(least)) / f64::from(most - least))
    }

    fn frame(&self, text: &mut String) {
        let (left, right, bottom) = (self.left, self.left + WIDTH, TOP + HEIGHT);
        let _ = writeln!(text, "<text class=\"title\" x=\"{left}\" y=\"24\">{}</text>", self.title);
        // At most eight labels upwards.
        let stride = ((self.powers.1 - self.powers.0) / 8 + 1) as usize;
        for power in (self.powers.0..=self.powers.1).step_by(stride) {
            let y = self.y(10f64.powi(power));
            let _ = writeln!(text, "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>");
            let label = (self.label)(power);
            let _ =
                writeln!(text, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", left - 8.0, y + 4.5);
        }
        for power in ACROSS.0..=ACROSS.1 {
            let x = self.x(10f64.powi(power));
            let _ = writeln!(text, "<path class=\"axis\" d=\"M{x:.1} {bottom}v4\"/>");
            if power.rem_euclid(2) == 1 {
                let label = power_of_ten(power);
                let _ =
                    writeln!(text, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", bottom + 20.0);
            }
        }
        let _ = writeln!(text, "<path class=\"axis\" d=\"M{left} {TOP}V{bottom}H{right}\"/>");
        let (middle, y) = (left + WIDTH / 2.0, bottom + 44.0);
        let _ = writeln!(
            text,
            "<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">closeness 1 / (λ<tspan dy=\"3\" font-size=\"10\">0</tspan>\
             <tspan dy=\"-3\">/λ</tspan><tspan dy=\"3\" font-size=\"10\">1</tspan><tspan dy=\"-3\">&#160;− 1)</tspan></text>"
        );
    }

    fn line(&self, text: &mut String, class: &str, points: &[(f64, f64)]) {
        let points: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (self.x(x), self.y(y))).collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(text, "<polyline class=\"{class}\" points=\"{}\"/>", path.join(" "));
        for (x, y) in points {
            let _ = writeln!(text, "<circle class=\"{class}-dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
        }
    }

    /// Above the plot, so that no line runs through it.
    fn legend(&self, text: &mut String, entries: &[(&str, &str)]) {
        for (index, (class, label)) in entries.iter().enumerate() {
            let (x, y) = (self.left + 168.0 * index as f64, 42.0);
            let _ = writeln!(
                text,
                "<path class=\"{class}\" d=\"M{x} {y}h26\"/><circle class=\"{class}-dot\" cx=\"{}\" cy=\"{y}\" r=\"3\"/>\
                 <text x=\"{}\" y=\"{}\">{label}</text>",
                x + 13.0,
                x + 32.0,
                y + 4.5
            );
        }
    }
}

fn power_of_ten(power: i32) -> String {
    match power {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        _ => {
            let power = power.to_string().replace('-', "−");
            format!("10<tspan dy=\"-5\" font-size=\"10\">{power}</tspan>")
        }
    }
}

fn duration(power: i32) -> String {
    match power {
        ..=-4 => format!("{} µs", 10i64.pow((power + 6).max(0) as u32)),
        -3..=-1 => format!("{} ms", 10i64.pow((power + 3) as u32)),
        _ => format!("{} s", 10i64.pow(power as u32)),
    }
}
