//! The report of `sweep`: points, changes, and their chart.

use super::csv::{field, number};
use super::fair::by_state;
use super::names::{AS_AT_START, in_column as name_in_column, principal_in_column, shown, what_it_gets};
use super::numbers::{counted, discount, discounts, double, in_column, steps};
use super::pictures::{Unit, WELFARE, colour_of, scaled};
use super::table::{WIDTH, listed, table, width, wrapped};
use commonweal::documents::exact_text;
use commonweal::questions::{
    Earned, Play, PlayId, Quantity, Sweep, SweepChange, SweepPoint, key, letter, play_in_brief, play_in_words,
};
use commonweal::structure::Structure;
use commonweal::text::rate_text;
use commonweal::{Rational, Value};
use commonweal_charts::{Axis, BREAK, Chart, Mark, Scale, Series};

/// The most points of a report.
const ROWS: usize = 25;

/// The sweep for people, with what is best under the model's own preferences.
pub fn report(model: &Structure, sweep: &Sweep, own: Option<&Play>) -> String {
    let principal = principal(model, sweep);
    let start = shown(&model.state_name(model.start()));
    let mut text = String::new();
    if let Some(reason) = sweep.stopped {
        let left_out = "Points that were not solved are left out, and changes may be missing.";
        text += &wrapped(&format!("Stopped: {reason}. {left_out}"), 0);
    }
    text += &wrapped(&format!("Over the {} of {}, from {start}", sweep.grid.quantity.name(), shown(principal)), 2);
    text.push('\n');
    let (points, changes) = (solved(sweep), changes(sweep));
    let every = points.len().div_ceil(ROWS).max(1);
    let rows: Vec<&SweepPoint> = points.iter().copied().step_by(every).collect();
    let (first, last) = shown_changes(&changes);
    let own = own_value(model, sweep).zip(own);
    // It may be one that no point has. At a point of the sweep both are best.
    let at_point = |value: &Rational| points.iter().find(|point| point.discount == *value)?.label;
    let own_id = own
        .as_ref()
        .and_then(|(value, play)| sweep.plays.iter().position(|other| other == *play).or_else(|| at_point(value)));
    let plays = rows.iter().filter_map(|point| Some((point.discount.clone(), point.label?)));
    let sides = first
        .iter()
        .chain(last)
        .flat_map(|change| [(change.low.clone(), change.before), (change.high.clone(), change.after)]);
    let owned = own.as_ref().zip(own_id).map(|((value, _), id)| (value.clone(), id));
    let named = Key::of(plays.chain(sides).chain(owned));
    text += &tables(model, sweep, &rows, &named);
    if every > 1 {
        text += &format!("  (one in {every} of {} points; --csv and --json have them all)\n", points.len());
    }
    text += "\nStrategies\n";
    let plays: Vec<&Play> = named.0.iter().map(|&play| &sweep.plays[play]).collect();
    let lines = key(model, &plays);
    text += &listed(lines.iter().enumerate().map(|(at, line)| (letter(at), line.clone())));
    text += &by_state(lines.iter());
    if text.contains(&format!(" in {AS_AT_START}")) {
        text += "  (… abbreviates what is as in the start state)\n";
    }
    if let Some((value, play)) = own {
        let (name, own) = (sweep.grid.quantity.name(), in_place(sweep, &value));
        let has = match own_id {
            Some(id) => format!("has {}", named.letter(id)),
            None => format!("has none of these: {}", play_in_brief(model, play)),
        };
        text += &wrapped(&format!("  The model's own {name}, {own}, {has}."), 2);
    }
    let is_located = sweep.grid.locates_changes();
    text += if is_located { "\nChanges of strategy\n" } else { "\nChanges of strategy, between neighbouring points\n" };
    if changes.is_empty() {
        text += if sweep.stopped.is_some() { "  none found before the stop\n" } else { "  none found\n" };
    }
    let line = |change: &&SweepChange| change_line(sweep, change, &named);
    text.extend(first.iter().map(line));
    if !last.is_empty() {
        let left_out = &changes[first.len()..changes.len() - last.len()];
        let [from, to] = [left_out.first(), left_out.last()].map(|change| change.map_or(0.0, |change| ends(change)[0]));
        let digits = if is_located { 12 } else { 6 };
        let [from, to] = [from, to].map(|end| approximately(sweep, end, digits));
        text += &format!("  … {} more between {from} and {to}; --json has them\n", left_out.len());
    }
    text.extend(last.iter().map(line));
    if !is_located && !changes.is_empty() {
        text += "  (--changes locates them)\n";
    }
    let open = changes.iter().filter(|change| is_located && !change.located).count();
    if open > 0 {
        let located = counted(&open.into(), "change is", "changes are");
        let within = power_of_ten_above(sweep.width().to_f64());
        let why = match sweep.stopped {
            Some(_) => "the stop came first",
            None => "more takes long; --time-limit allows it",
        };
        text += &wrapped(&format!("  ({located} located to within {within} only, and others may lie near: {why})"), 3);
    }
    if first.iter().chain(last).any(|change| change.crowded) {
        text += "  *: with others between the two\n";
    }
    if first.iter().chain(last).any(|change| change.is_tie) {
        text += "  =: the strategy before is as good there, so nothing forces the change\n";
    }
    text
}

/// A discount, rate or weight of the sweep, as people read it.
fn in_place(sweep: &Sweep, value: &Rational) -> String {
    match sweep.grid.quantity {
        Quantity::Discount => discount(value),
        Quantity::Rate => {
            let exactly = rate_text(value);
            if exactly.ends_with('%') { exactly } else { format!("{}%", double(100.0 * value.to_f64())) }
        }
        Quantity::Weight => in_column(&Value::from(value.clone())),
    }
}

/// A place that is rounded to that many digits after the point; a rate in per cent.
fn approximately(sweep: &Sweep, place: f64, digits: usize) -> String {
    match sweep.grid.quantity {
        Quantity::Rate => format!("≈ {:.*}%", digits - 2, 100.0 * place),
        Quantity::Discount | Quantity::Weight => format!("≈ {place:.digits$}"),
    }
}

/// The next power of ten.
fn power_of_ten_above(width: f64) -> String {
    format!("1e{}", width.log10().ceil())
}

/// How many digits after the point the two sides of a change have in common, about.
fn digits_within(change: &SweepChange) -> usize {
    let width = (&change.high - &change.low).to_f64();
    (-width.log10()).floor().clamp(0.0, 12.0) as usize
}

fn change_line(sweep: &Sweep, change: &SweepChange, key: &Key) -> String {
    /// With fewer digits, both ends say more.
    const FEW: usize = 4;
    let digits = if change.located { 12 } else { digits_within(change) };
    let crowded = if change.crowded { " *" } else { "" }.to_owned() + if change.is_tie { " =" } else { "" };
    if !sweep.grid.locates_changes() || digits < FEW {
        let [low, high] = [&change.low, &change.high].map(|end| in_place(sweep, end));
        let (before, after) = (key.letter(change.before), key.letter(change.after));
        return format!("  from {low} to {high}: {before} → {after}{crowded}\n");
    }
    let at = match &change.at {
        Some(exact) if sweep.grid.quantity == Quantity::Rate && rate_text(exact).ends_with('%') => rate_text(exact),
        Some(exact) if sweep.grid.quantity == Quantity::Rate => format!("{exact} ≈ {}", in_place(sweep, exact)),
        Some(exact) => format!("{exact} ≈ {}", double(ends(change)[0])),
        None => approximately(sweep, ends(change)[0], digits),
    };
    format!("  at {at}: {} → {}{crowded}\n", key.letter(change.before), key.letter(change.after))
}

/// The strategies that a report names, in the order of their letters: by the discount at which each first appears.
struct Key(Vec<PlayId>);

impl Key {
    fn of(met: impl Iterator<Item = (Rational, PlayId)>) -> Key {
        let mut met: Vec<(Rational, PlayId)> = met.collect();
        met.sort_by(|a, b| a.0.cmp(&b.0));
        let mut plays: Vec<PlayId> = Vec::new();
        for (_, play) in met {
            if !plays.contains(&play) {
                plays.push(play);
            }
        }
        Key(plays)
    }

    fn letter(&self, play: PlayId) -> String {
        letter(self.0.iter().position(|&other| other == play).expect("every play that is named is in the key"))
    }
}

/// The points: welfare and strategy, and in further tables the columns that do not fit.
fn tables(model: &Structure, sweep: &Sweep, points: &[&SweepPoint], key: &Key) -> String {
    /// The most tables.
    const TABLES: usize = 4;
    let column = |name: &str, of: &dyn Fn(&SweepPoint) -> String| -> (String, Vec<String>) {
        (name.to_owned(), points.iter().map(|point| of(point)).collect())
    };
    let places = match sweep.grid.quantity {
        // All in one format.
        Quantity::Discount => discounts(points.iter().map(|point| &point.discount)),
        Quantity::Rate | Quantity::Weight => points.iter().map(|point| in_place(sweep, &point.discount)).collect(),
    };
    let first = (name_in_column(principal(model, sweep)), places);
    let mut columns = vec![
        column("strategy", &|point| point.label.map_or_else(String::new, |play| key.letter(play))),
        column("horizon", &|point| steps(&point.horizon)),
        column("memory", &|point| steps(&point.memory)),
        column("welfare", &|point| in_column(&point.earned.welfare)),
        column("long-term", &|point| in_column(&point.earned.long_term_welfare)),
    ];
    for (p, principal) in model.principals().iter().enumerate() {
        columns.push(column(&format!("to {}", principal_in_column(principal)), &|point| {
            in_column(&point.earned.payoffs[p])
        }));
    }
    let drawn = |columns: &[(String, Vec<String>)]| {
        let all = || std::iter::once(&first).chain(columns);
        let header: Vec<&str> = all().map(|(name, _)| name.as_str()).collect();
        let rows: Vec<Vec<String>> =
            (0..points.len()).map(|row| all().map(|(_, cells)| cells[row].clone()).collect()).collect();
        table(&header, &rows)
    };
    let mut text = String::new();
    let mut rest = columns.as_slice();
    for number in 0.. {
        if rest.is_empty() {
            break;
        }
        if number == TABLES {
            let more = counted(&rest.len().into(), "more principal", "more principals");
            text += &format!("  … and {more}; --csv and --json have them all\n");
            break;
        }
        // As many columns as fit.
        let fitting =
            (1..=rest.len()).take_while(|&n| n == 1 || width(&drawn(&rest[..n])) <= WIDTH).last().unwrap_or(1);
        text += if number == 0 { "" } else { "\n" };
        text += &drawn(&rest[..fitting]);
        rest = &rest[fitting..];
    }
    let assumed = points.iter().filter(|point| !point.earned.long_term_is_proven).count();
    if assumed > 0 {
        let of_points = counted(&assumed.into(), "point", "points");
        let line = format!(
            "  (at {of_points} the long-term figure is that of the strategy of the tail, which is assumed and not proven to be \
             the long-term one)"
        );
        text += &wrapped(&line, 3);
    }
    text
}

/// The changes that a report lists: all of them, or the first and the last few.
fn shown_changes<'c, 's>(changes: &'c [&'s SweepChange]) -> (&'c [&'s SweepChange], &'c [&'s SweepChange]) {
    const MOST: usize = 24;
    if changes.len() <= MOST {
        return (changes, &[]);
    }
    (&changes[..MOST / 2], &changes[changes.len() - MOST / 2..])
}

/// The model's own discount, rate or weight, if it lies on the sweep.
fn own_value(model: &Structure, sweep: &Sweep) -> Option<Rational> {
    let own = sweep.grid.quantity.of(&model.principals()[sweep.principal.index()])?;
    (sweep.grid.from <= own && own <= sweep.grid.to).then_some(own)
}

fn principal<'m>(model: &'m Structure, sweep: &Sweep) -> &'m str {
    &model.principals()[sweep.principal.index()].name
}

fn words(model: &Structure, sweep: &Sweep, play: PlayId) -> String {
    play_in_words(model, &sweep.plays[play])
}

fn changes(sweep: &Sweep) -> Vec<&SweepChange> {
    sweep.points.iter().flat_map(|point| &point.changes).collect()
}

/// The points that were solved.
fn solved(sweep: &Sweep) -> Vec<&SweepPoint> {
    sweep.points.iter().filter(|point| point.label.is_some()).collect()
}

/// Between which two numbers a change is: twice the discount or rate itself if that is known.
fn ends(change: &SweepChange) -> [f64; 2] {
    [&change.low, &change.high].map(|end| change.at.as_ref().unwrap_or(end).to_f64())
}

/// The points that were solved as comma-separated values: decimals, and the welfare as a fraction too where it is exact.
pub fn csv(model: &Structure, sweep: &Sweep) -> String {
    let name = sweep.grid.quantity.name();
    let mut text = format!("index,{name},{name}_decimal,welfare,welfare_exact,long_term_welfare");
    for principal in model.principals() {
        text += &format!(",{}", field(&format!("{} {}", what_it_gets(principal), principal.name)));
    }
    text += ",horizon,memory,strategy,long_term\n";
    let decimal = |value: &Value| number(value.nearest_double());
    for point in solved(sweep) {
        let mut fields = vec![
            point.index.to_string(),
            point.discount.to_string(),
            decimal(&Value::from(point.discount.clone())),
            decimal(&point.earned.welfare),
            point.earned.welfare.exact.as_ref().and_then(exact_text).unwrap_or_default(),
            decimal(&point.earned.long_term_welfare),
        ];
        fields.extend(point.earned.payoffs.iter().map(decimal));
        fields.extend([point.horizon.to_string(), point.memory.to_string()]);
        fields.push(field(&point.label.map_or_else(String::new, |play| words(model, sweep, play))));
        fields.push(if point.earned.long_term_is_proven { "proven" } else { "assumed" }.to_owned());
        text += &fields.join(",");
        text.push('\n');
    }
    text
}

/// Welfare and payoffs over the discount, with the changes of strategy on the welfare's curve and the model's own discount. At a
/// change of strategy payoffs jump: they are drawn up to where it is located, and not between two points between which it is somewhere.
/// The welfare is continuous, and that of the long-term strategy where this one stays.
pub fn chart(model: &Structure, sweep: &Sweep) -> Chart {
    /// Whether a curve jumps between a point and the next.
    type Jumps = fn(&SweepPoint) -> bool;
    const DRAWN: usize = 7;
    /// The most marks along the axis.
    const MARKS: f64 = 100.0;
    /// Heights that differ by this share are on one curve: a dashed one that is broken too often looks solid.
    const SAME: f64 = 1e-6;
    let (points, solved) = (&sweep.points, solved(sweep));
    let scale = drawn_scale(sweep.grid.quantity);
    let (decimal_place, ends) =
        (|value: &Rational| scale * decimal_place(value), |change: &SweepChange| ends(change).map(|end| scale * end));
    let curve = |name: String, colour: usize, mark: Mark, jumps: Jumps, of: &dyn Fn(&Earned) -> Value| {
        let height = |earned: &Earned| of(earned).enclosure.midpoint();
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut last: Option<&SweepPoint> = None;
        // A jump whose place is not known.
        let mut is_open = false;
        for point in &solved {
            // There, and where points were not solved, nothing is drawn.
            if is_open || last.is_some_and(|last| last.index + 1 != point.index) {
                points.push(BREAK);
            }
            points.push((decimal_place(&point.discount), height(&point.earned)));
            // Payoffs jump where the strategy changes. The long-term strategy may also change where the one from the start does not.
            let all_known = sweep.grid.locates_changes() && point.changes.iter().all(|change| change.sides.is_some());
            is_open = jumps(point) && (!all_known || matches!(mark, Mark::Dashed));
            for change in point.changes.iter().filter(|_| all_known || !jumps(point)) {
                let Some(sides) = &change.sides else { continue };
                let [before, after] = sides.each_ref().map(height);
                points.push((ends(change)[0], before));
                // A curve that does not jump has a kink there.
                if jumps(point) && (after - before).abs() > SAME * (after.abs() + before.abs()) {
                    points.push(BREAK);
                    is_open = false;
                }
                points.push((ends(change)[1], after));
            }
            last = Some(point);
        }
        // Points that stand alone are seen.
        let mark = match mark {
            Mark::Dashed if stands_alone(&points) => Mark::Points,
            Mark::Line if stands_alone(&points) => Mark::LineAndPoints,
            mark => mark,
        };
        Series { name, colour, points, mark }
    };
    let mut series = vec![
        curve("welfare".to_owned(), WELFARE, Mark::Line, |_| false, &|earned| earned.welfare.clone()),
        curve(
            "welfare, long-term strategy".to_owned(),
            WELFARE,
            Mark::Dashed,
            |point| point.long_term_changes,
            &|earned| earned.long_term_welfare.clone(),
        ),
    ];
    let n = model.n_principals();
    // A weight that varies is no unit.
    let unit = if sweep.grid.quantity == Quantity::Weight { Unit::Own } else { Unit::of(model) };
    for (p, principal) in model.principals().iter().enumerate().take(DRAWN).filter(|_| n > 1) {
        let Some(factor) = unit.factor(principal) else { continue };
        let name = unit.name(format!("{} of {}", what_it_gets(principal), shown(&principal.name)), principal);
        let payoff = move |earned: &Earned| scaled(&earned.payoffs[p], &factor);
        series.push(curve(name, colour_of(p), Mark::Line, |point| !point.changes.is_empty(), &payoff));
    }
    let changes = changes(sweep);
    let are_placed = sweep.grid.locates_changes() && changes.iter().all(|change| change.sides.is_some());
    let mut caption = match changes.len() {
        0 => "No change of strategy was found.".to_owned(),
        count if !sweep.grid.locates_changes() => {
            let pairs = if count == 1 {
                "two neighbouring points".to_owned()
            } else {
                format!("{count} pairs of neighbouring points")
            };
            format!("The strategy changes between {pairs}, where payoffs jump and are not drawn.")
        }
        count => {
            let is_least = sweep.stopped.is_some() || changes.iter().any(|change| change.crowded || !change.located);
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            format!("The strategy changes {}{times}.", if is_least { "at least " } else { "" })
        }
    };
    if sweep.grid.locates_changes() && !are_placed {
        caption += " Where a change is not located payoffs are not drawn.";
    }
    // Points after a stop are not even listed.
    let asked = if sweep.stopped.is_some() { sweep.grid.n_points() as usize } else { points.len() };
    if solved.len() < asked {
        caption += &format!(" Stopped: {} of {asked} points were not solved.", asked - solved.len());
    }
    if n > DRAWN {
        caption += &format!(" The payoffs of the first {DRAWN} of {n} principals are drawn.");
    }
    caption.extend(unit.note(model).map(|note| format!(" {note}")));
    // Of marks that would overlap only one is drawn.
    let room = scale * (sweep.grid.to.to_f64() - sweep.grid.from.to_f64()) / MARKS;
    let mut marked: Vec<(f64, f64)> = Vec::new();
    for change in &changes {
        let [low, high] = ends(change);
        let Some([before, _]) = change.sides.as_ref().filter(|_| high - low < room) else { continue };
        if marked.last().is_none_or(|(last, _)| low - last >= room) {
            marked.push((low, before.welfare.enclosure.midpoint()));
        }
    }
    if !marked.is_empty() && sweep.grid.locates_changes() {
        series.push(Series {
            name: "strategy changes".to_owned(),
            colour: WELFARE,
            points: marked,
            mark: Mark::Points,
        });
    }
    let own = sweep.grid.quantity.of(&model.principals()[sweep.principal.index()]);
    let own = own.filter(|own| sweep.grid.from <= *own && *own <= sweep.grid.to);
    let principal = shown(principal(model, sweep));
    Chart {
        title: format!("Welfare and payoffs over the {} of {principal}", sweep.grid.quantity.name()),
        caption: Some(caption),
        x: Axis { label: axis_label(sweep.grid.quantity, &principal), scale: Scale::Linear },
        y: Axis {
            label: format!("expected discounted payoff from {}", shown(&model.state_name(model.start()))),
            scale: Scale::Linear,
        },
        series,
        marks: own.iter().map(|own| (decimal_place(own), "the model".to_owned())).collect(),
    }
}

/// Whether a point of a curve has gaps on both sides.
fn stands_alone(points: &[(f64, f64)]) -> bool {
    points.split(|(_, height)| height.is_nan()).any(|piece| piece.len() == 1)
}

/// What a value is multiplied by in a picture: rates are drawn in per cent.
pub fn drawn_scale(quantity: Quantity) -> f64 {
    if quantity == Quantity::Rate { 100.0 } else { 1.0 }
}

/// The label of an axis.
pub fn axis_label(quantity: Quantity, principal: &str) -> String {
    let unit = if quantity == Quantity::Rate { ", %" } else { "" };
    format!("{} of {principal}{unit}", quantity.name())
}

fn decimal_place(discount: &Rational) -> f64 {
    Value::from(discount.clone()).enclosure.midpoint()
}

#[cfg(test)]
mod tests {
    use super::*;
    use commonweal::questions::{Grid, Shard, sweep};
    use commonweal::{Model, Options};

    /// Over alice's discount the hotel changes nine times how long it waits, and once, at 4/7, where it ends.
    #[test]
    fn the_long_term_curve_breaks_only_where_the_long_term_strategy_changes() {
        let text = "principals: {alice: 2/3, bob: 1/3}\nstates:\n  s0:\n    a: {reward: 3, to: s0}\n    \
                    b: {reward: -1, to: s1}\n  s1:\n    b: {reward: 6, to: s1}\n";
        let model = Model::from_yaml(text).expect("the hotel");
        let [from, to]: [Rational; 2] = ["1/2", "19/20"].map(|end| end.parse().expect("a number"));
        let grid = Grid::new(from, to, 50);
        for grid in [grid.clone(), grid.between_points()] {
            let found = sweep(&model, 0.into(), grid, Shard::WHOLE, &Options::default());
            assert!(changes(&found).len() > 5);
            let is_break = |point: &&(f64, f64)| point.1.is_nan();
            let n_breaks: Vec<usize> = chart(model.structure(), &found)
                .series
                .iter()
                .map(|one| one.points.iter().filter(is_break).count())
                .collect();
            // Welfare, the long-term strategy's, and what both get.
            assert!(n_breaks[0] == 0 && n_breaks[2] > 5 && n_breaks[3] > 5, "{n_breaks:?}");
            let jumps: Vec<f64> = found
                .points
                .iter()
                .filter(|point| point.long_term_changes)
                .map(|point| point.discount.to_f64())
                .collect();
            assert!(matches!(jumps[..], [at] if (at - 4.0 / 7.0).abs() < 0.01), "{jumps:?}");
            // One break, however many changes of the strategy from the start are located beside it.
            assert_eq!(n_breaks[1], 1);
        }
    }
}
