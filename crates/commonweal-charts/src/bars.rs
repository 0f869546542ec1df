//! Bars to both sides of zero: who gains, and who pays.

use super::axis::Ruler;
use super::chart::Scale;
use super::drawing::{Drawing, MARGIN, SIZE, WIDTH, polyline};
use super::legend;
use super::picture::{Anchor, Picture};
use super::text::{width, wrapped};

const BAR: f64 = 15.0;

/// A number, and what is written beside its bar; `None` where a series has no bar.
type Bar = Option<(f64, String)>;

/// Groups of bars, one bar in each for each series that has a number for it.
#[derive(Debug, Clone)]
pub struct Bars {
    /// The line above the bars.
    pub title: String,
    /// A sentence or two below them.
    pub caption: Option<String>,
    /// What the axis shows.
    pub label: String,
    /// The names in the legend, each with its colour.
    pub series: Vec<(String, usize)>,
    /// The name of each group, and for each series a number and what is written beside its bar, or `None` for no bar.
    pub groups: Vec<(String, Vec<Bar>)>,
}

impl Bars {
    /// The bars as one `<svg>` element.
    pub fn svg(&self) -> String {
        self.picture().svg()
    }

    /// The same, to be written as SVG, PNG or PDF.
    pub fn picture(&self) -> Picture {
        let mut drawing = Drawing::titled(&self.title);
        legend::draw_swatches(&mut drawing, self.series.iter().map(|(name, colour)| (name.as_str(), *colour)));
        let numbers = || self.groups.iter().flat_map(|(_, bars)| bars.iter().flatten());
        let finite = || numbers().map(|(x, _)| *x).filter(|x| x.is_finite());
        let widest_name = self.groups.iter().map(|(name, _)| width(name, SIZE)).fold(0.0, f64::max);
        let widest = numbers().map(|(_, label)| width(label, SIZE)).fold(0.0, f64::max) + 8.0;
        let (left, right) = (MARGIN + widest_name + 14.0, WIDTH - MARGIN);
        let ruler = Ruler::over(Scale::Linear, finite().chain([0.0]));
        // Room for a number beside the longest bars.
        let negative = finite().any(|x| x < 0.0);
        let (from, to) = (left + if negative { widest } else { 0.0 }, right - widest);
        let place = |x: f64| from + ruler.place(x).unwrap_or(0.0) * (to - from);
        let top = drawing.y + 10.0;
        let rows = |bars: &[Bar]| bars.iter().flatten().count().max(1) as f64;
        let height: f64 = self.groups.iter().map(|(_, bars)| rows(bars) * BAR + 12.0).sum();
        let bottom = top + height;
        let ticks = ruler.ticks(6);
        let lines: String =
            ticks.major.iter().map(|(x, _)| polyline([(place(*x), top), (place(*x), bottom)])).collect();
        drawing.path("grid", &lines);
        let mut y = top + 6.0;
        for (name, bars) in &self.groups {
            let middle = y + rows(bars) * BAR / 2.0;
            drawing.text("ink", (left - 10.0, middle + 0.36 * SIZE), Anchor::End, name);
            for (series, (x, label)) in
                bars.iter().enumerate().filter_map(|(series, bar)| Some((series, bar.as_ref()?)))
            {
                let (zero, end) = (place(0.0), place(*x));
                drawing.open_series(self.series.get(series).map_or(series, |(_, colour)| *colour));
                drawing.rectangle("fill", (zero.min(end), y + 1.0), ((end - zero).abs().max(0.5), BAR - 2.0));
                drawing.close();
                let baseline = y + BAR / 2.0 + 0.36 * SIZE;
                if *x < 0.0 {
                    drawing.text("ink", (end - 4.0, baseline), Anchor::End, label)
                } else {
                    drawing.text("ink", (end + 4.0, baseline), Anchor::Start, label)
                }
                y += BAR;
            }
            y = middle + rows(bars) * BAR / 2.0 + 12.0;
        }
        drawing.path("axis", &polyline([(place(0.0), top), (place(0.0), bottom)]));
        let mut free = f64::NEG_INFINITY;
        for (x, label) in &ticks.major {
            let (x, half) = (place(*x), width(label, SIZE) / 2.0);
            if x - half > free {
                drawing.text("ink", (x, bottom + SIZE + 4.0), Anchor::Middle, label);
                free = x + half + 6.0;
            }
        }
        drawing.y = bottom + SIZE + 8.0;
        for line in wrapped(&self.label, SIZE, right - left) {
            drawing.y += SIZE * 1.35;
            let y = drawing.y;
            drawing.text("ink", ((from + to) / 2.0, y), Anchor::Middle, &line);
        }
        drawing.y += 8.0;
        let caption = self.caption.clone().unwrap_or_default();
        let told = |(name, bars): &(String, Vec<Bar>)| {
            let labels: Vec<&str> = bars.iter().flatten().map(|(_, label)| label.as_str()).collect();
            format!("{name}: {}", labels.join(", "))
        };
        let groups: Vec<String> = self.groups.iter().map(told).collect();
        drawing.finish(&self.title, format!("{}. {}. {caption}", self.label, groups.join("; ")).trim_end(), &caption)
    }
}
