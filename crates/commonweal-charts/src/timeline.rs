//! Timelines: what is done in each state at each step, as bars along the steps.
//!
//! Up to some fifty steps the axis is linear. Beyond, step t stands at log(1 + t), so that the first steps and jumps of
//! millions fit into one picture; what is done for a short time late on is widened until it is seen. The actions after the last change have a separate part at the right. Steps at which an action
//! changes are marked across all rows. There is no bar where a state cannot be reached.

use super::axis::{grouped, superscript};
use super::drawing::{Drawing, LEADING, MARGIN, SIZE, WIDTH, polyline};
use super::legend;
use super::picture::{Anchor, Picture};
use super::text::{width, wrapped};

const ROW: f64 = 28.0;
const BAR: f64 = 20.0;
/// The share of the width for the steps after the last change.
const FOR_EVER: f64 = 0.2;
const FOR_EVER_LABEL: &str = "for ever →";
/// With more steps than this the axis is logarithmic.
const LINEAR: f64 = 50.0;

/// What is done in each state, from step 0 on.
#[derive(Debug, Clone)]
pub struct Timeline {
    /// The line above the timeline.
    pub title: String,
    /// A sentence or two below it.
    pub caption: Option<String>,
    /// What one step is called: `step`, `year`.
    pub step: String,
    /// The states, from top to bottom.
    pub rows: Vec<TimelineRow>,
}

/// The actions of a state over time.
#[derive(Debug, Clone)]
pub struct TimelineRow {
    /// The state.
    pub name: String,
    /// The action from a step on, or `None` for no bar: the first from step 0 on, the last for ever.
    pub runs: Vec<(f64, Option<String>)>,
}

impl TimelineRow {
    /// The steps at which another action begins than the one before.
    fn changes(&self) -> impl Iterator<Item = f64> {
        let done: Vec<(f64, &str)> =
            self.runs.iter().filter_map(|(from, action)| Some((*from, action.as_deref()?))).collect();
        let changes: Vec<f64> = done.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1].0).collect();
        changes.into_iter()
    }
}

impl Timeline {
    /// The timeline as one `<svg>` element.
    pub fn svg(&self) -> String {
        self.picture().svg()
    }

    /// The same, to be written as SVG, PNG or PDF.
    pub fn picture(&self) -> Picture {
        let mut actions: Vec<&str> = Vec::new();
        for action in self.rows.iter().flat_map(|row| &row.runs).filter_map(|(_, action)| action.as_deref()) {
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        let mut drawing = Drawing::titled(&self.title);
        legend::draw_swatches(&mut drawing, actions.iter().enumerate().map(|(colour, action)| (*action, colour)));
        let widest = self.rows.iter().map(|row| width(&row.name, SIZE)).fold(0.0, f64::max);
        let left = MARGIN + widest + 10.0;
        let right = WIDTH - MARGIN;
        let settled = right - FOR_EVER * (right - left);
        let last = self.rows.iter().flat_map(|row| &row.runs).map(|(from, _)| *from).fold(0.0, f64::max);
        let begins: Vec<f64> = self.rows.iter().flat_map(|row| &row.runs).map(|(from, _)| *from).collect();
        let places = Places::new(begins, settled - left);
        let place = |step: f64| left + places.of(step);
        let top = drawing.y + 10.0;
        let bottom = top + ROW * self.rows.len() as f64;
        let ticks = ticks(last);
        let lines: String =
            ticks.iter().map(|(step, _)| polyline([(place(*step), top), (place(*step), bottom)])).collect();
        drawing.path("grid", &lines);
        for (index, row) in self.rows.iter().enumerate() {
            let y = top + ROW * index as f64 + (ROW - BAR) / 2.0;
            drawing.text("ink", (left - 8.0, y + BAR / 2.0 + 0.36 * SIZE), Anchor::End, &row.name);
            for (at, (from, action)) in row.runs.iter().enumerate() {
                let end = row.runs.get(at + 1).map_or(right, |(next, _)| place(*next));
                let (x, room) = (place(*from), end - place(*from));
                let Some(action) = action else {
                    let middle = y + BAR / 2.0;
                    drawing.path("grid", &polyline([(x, middle), (end, middle)]));
                    continue;
                };
                let colour = actions.iter().position(|other| other == action).expect("every action is listed");
                drawing.open_series(colour);
                drawing.round_rectangle("fill", (x, y), ((room - 1.0).max(0.5), BAR));
                drawing.close();
                if width(action, SIZE) + 8.0 <= room {
                    let middle = (x + end) / 2.0;
                    drawing.text("onbar", (middle, y + BAR / 2.0 + 0.36 * SIZE), Anchor::Middle, action);
                }
            }
        }
        let mut axis = polyline([(left, bottom), (settled, bottom)]);
        let mut changes: Vec<f64> = self.rows.iter().flat_map(TimelineRow::changes).collect();
        changes.sort_by(f64::total_cmp);
        changes.dedup();
        for step in &changes {
            let x = place(*step);
            drawing.dashed_path("axis", &polyline([(x, top - 4.0), (x, bottom + 5.0)]), (3, 3));
        }
        axis += &ticks
            .iter()
            .map(|(step, _)| polyline([(place(*step), bottom), (place(*step), bottom + 5.0)]))
            .collect::<String>();
        // Steps of change are labelled first. Labels that would touch another one, or the words at the end, are left out.
        let mut taken = vec![(right - width(FOR_EVER_LABEL, SIZE) - 6.0, right)];
        let changes = changes.iter().map(|step| (*step, whole(*step)));
        for (step, label) in changes.chain(ticks) {
            let (x, half) = (place(step), width(&label, SIZE) / 2.0);
            if taken.iter().all(|(from, to)| x + half < *from || x - half > *to) {
                drawing.text("ink", (x, bottom + SIZE + 7.0), Anchor::Middle, &label);
                taken.push((x - half - 6.0, x + half + 6.0));
            }
        }
        drawing.path("axis", &axis);
        drawing.dashed_path("axis", &polyline([(settled, bottom), (right, bottom)]), (3, 3));
        drawing.text("mute", (right, bottom + SIZE + 7.0), Anchor::End, FOR_EVER_LABEL);
        drawing.y = bottom + SIZE + 10.0;
        let scale = if last > LINEAR { format!("{} (logarithmic)", self.step) } else { self.step.clone() };
        for line in wrapped(&scale, SIZE, right - left) {
            drawing.y += SIZE * LEADING;
            let y = drawing.y;
            drawing.text("ink", ((left + settled) / 2.0, y), Anchor::Middle, &line);
        }
        drawing.y += 8.0;
        let caption = self.caption.clone().unwrap_or_default();
        let names: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        let description =
            format!("A row for each of {}, with bars coloured by action over time. {caption}", names.join(", "));
        drawing.finish(&self.title, description.trim_end(), &caption)
    }
}

/// Where steps stand along the axis.
struct Places {
    /// The steps at which something begins, in increasing order from 0 on, and where they stand.
    stops: Vec<(f64, f64)>,
}

impl Places {
    /// Over this length, up to the last of the steps at which something begins. Between any two of them there is room for what is done
    /// then, if they are not too many.
    fn new(mut begins: Vec<f64>, length: f64) -> Places {
        /// The least room.
        const LEAST: f64 = 14.0;
        begins.push(0.0);
        begins.sort_by(f64::total_cmp);
        begins.dedup();
        let last = begins[begins.len() - 1];
        let mut rooms: Vec<f64> =
            begins.windows(2).map(|pair| (along(pair[1], last) - along(pair[0], last)) * length).collect();
        if LEAST * rooms.len() as f64 <= length / 2.0 {
            // Those that are too narrow are widened at the expense of the others, which may then be too narrow themselves.
            loop {
                let is_narrow = |room: &&f64| **room <= LEAST;
                let narrow = rooms.iter().filter(is_narrow).count() as f64;
                let wide: f64 = rooms.iter().filter(|room| !is_narrow(room)).sum();
                let factor = (length - LEAST * narrow) / wide;
                let is_settled = rooms.iter().all(|room| *room >= LEAST) && (factor - 1.0).abs() < 1e-9;
                if is_settled || wide == 0.0 {
                    break;
                }
                rooms.iter_mut().for_each(|room| *room = if *room <= LEAST { LEAST } else { *room * factor });
            }
        }
        let mut at = 0.0;
        let mut stops = vec![(0.0, 0.0)];
        for (step, room) in begins[1..].iter().zip(rooms) {
            at += room;
            stops.push((*step, at));
        }
        Places { stops }
    }

    /// Where a step stands.
    fn of(&self, step: f64) -> f64 {
        let last = self.stops[self.stops.len() - 1];
        let after = self.stops.partition_point(|(from, _)| *from <= step);
        let (Some(&(low, from)), Some(&(high, to))) = (self.stops.get(after.wrapping_sub(1)), self.stops.get(after))
        else {
            return last.1;
        };
        let [low, here, high] = [low, step, high].map(|step| along(step, last.0));
        from + (here - low) / (high - low) * (to - from)
    }
}

/// The share of the axis before a step, if nothing is widened.
fn along(step: f64, last: f64) -> f64 {
    match last {
        0.0 => 0.0,
        _ if last <= LINEAR => step / last,
        _ => (1.0 + step).log10() / (1.0 + last).log10(),
    }
}

/// A step in digits, or by its power of ten where they are too many.
fn whole(step: f64) -> String {
    if step < 1e7 { grouped(&format!("{step}")) } else { format!("≈ 10{}", superscript(step.log10().round() as i32)) }
}

fn ticks(last: f64) -> Vec<(f64, String)> {
    if last <= LINEAR {
        let every = (last / 10.0).ceil().max(1.0);
        return (0..=(last / every) as u32)
            .map(|k| f64::from(k) * every)
            .map(|step| (step, format!("{step}")))
            .collect();
    }
    let power = |exponent: i32| {
        let label =
            if exponent < 4 { 10i32.pow(exponent as u32).to_string() } else { format!("10{}", superscript(exponent)) };
        (10f64.powi(exponent), label)
    };
    let powers = (0..=last.log10().floor() as i32).map(power);
    [(0.0, "0".to_owned())].into_iter().chain(powers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One step late on a logarithmic axis has room to be seen, and steps stay in order.
    #[test]
    fn what_is_done_for_a_short_time_is_seen() {
        let places = Places::new(vec![0.0, 125.0, 126.0, 0.0], 500.0);
        let room = places.of(126.0) - places.of(125.0);
        assert!((14.0..30.0).contains(&room), "{room}");
        assert!((places.of(126.0) - 500.0).abs() < 1e-6 && places.of(0.0) == 0.0);
        let all: Vec<f64> = (0..=126).map(|step| places.of(f64::from(step))).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        // Where there is room already, nothing moves.
        let linear = Places::new(vec![0.0, 5.0, 10.0], 500.0);
        assert_eq!([0.0, 2.0, 5.0, 10.0].map(|step| linear.of(step).round()), [0.0, 100.0, 250.0, 500.0]);
    }
}
