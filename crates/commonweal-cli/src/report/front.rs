//! The report of `front`: its vertices, its pattern, and its picture.

use super::fair::by_state;
use super::names::{has_costs, principal_in_column, principal_shown, shown, what_it_gets};
use super::numbers::{at_most, double, fraction_or_decimal, fraction_within, in_column};
use super::table::{WIDTH, in_blocks, table, width, wrapped};
use crate::shell::{quoted, typed_number};
use commonweal::documents::exact_text;
use commonweal::limits::StopReason;
use commonweal::numbers::Enclosure;
use commonweal::questions::{
    Edge, Front, Hull, Pattern, PayoffSet, Play, Proven, Question, Rule, Vertex, fair_suited, play_in_words,
    positional_payoffs,
};
use commonweal::structure::{Principal, PrincipalId, Structure};
use commonweal::{Rational, Value};
use commonweal_charts::{Axis, Chart, Mark, Picture, Scale, Series, stacked};
use std::collections::HashMap;
use std::fmt::Write;

/// The most vertices in the table.
const ROWS: usize = 40;
/// The size of a mark, relative to the chart.
const MARK: f64 = 0.008;
/// The most work for the points that rules pick, about five seconds of one processor: a rule that takes longer is left out.
const RULES_WORK: u64 = 5_000_000_000;

/// The title of a picture of two principals.
fn title(model: &Structure, names: &[String; 2]) -> String {
    format!("What {} and {} can get from {}", names[0], names[1], shown(&model.state_name(model.start())))
}

/// The report of a search that found no vertex before it was stopped.
fn nothing_known(model: &Structure, reason: StopReason) -> String {
    let start = shown(&model.state_name(model.start()));
    let cure = if matches!(reason, StopReason::Work | StopReason::TimeLimit) {
        " A longer --time-limit may find some."
    } else {
        ""
    };
    wrapped(&format!("Stopped: {reason}, before any vertex of the front from {start} was found.{cure}"), 2)
}

/// Why a search was stopped, and what helps.
fn stopped(reason: StopReason) -> String {
    let cure = match reason {
        StopReason::Work => " --gap G asks for less; --exact, or --time-limit TIME, goes on.",
        StopReason::VertexLimit => " --vertices N allows more; --gap G asks for less.",
        StopReason::TimeLimit => " A longer --time-limit goes on; --gap G asks for less.",
        StopReason::LayerLimit => " --gap G asks for less.",
        StopReason::Interrupted
        | StopReason::EventLimit
        | StopReason::NodeLimit
        | StopReason::SolveLimit
        | StopReason::Precision
        | StopReason::Digits
        | StopReason::Approximation => "",
    };
    wrapped(&format!("Stopped: {reason}.{cure}"), 2)
}

/// How far a front may exceed what is known, rounded up; what is not 0 is not called 0.
fn beyond(gap: &Rational) -> String {
    /// Less than this is written as a power of ten.
    const LITTLE: f64 = 1e-9;
    let upper = Enclosure::from(gap).upper();
    if *gap > Rational::ZERO && upper < LITTLE {
        return format!("less than 1e{}", upper.log10().ceil() + 1.0);
    }
    format!("at most {}", at_most(upper))
}

/// The front of two principals, for people.
pub fn report(model: &Structure, front: &Front) -> String {
    if let (Some(reason), true) = (front.stopped, front.vertices.is_empty()) {
        return nothing_known(model, reason);
    }
    let names = front.principals.map(|p| principal_shown(&model.principals()[p.index()]));
    let start = shown(&model.state_name(model.start()));
    let mut text = front.stopped.map_or_else(String::new, stopped);
    let count = match (front.vertices.len(), &front.pattern) {
        (_, Some(_)) => "infinitely many vertices".to_owned(),
        (1, None) => "1 vertex".to_owned(),
        (count, None) => format!("{count} vertices"),
    };
    let whole = match (front.complete, front.stopped) {
        (true, _) => "the whole front, exactly",
        (false, None) => "the front to within the gap",
        (false, Some(_)) => "a part of the front",
    };
    text += &wrapped(&format!("What {} and {} can get from {start}:", names[0], names[1]), 2);
    let _ = writeln!(text, "{count}; this is {whole}.");
    if !front.complete {
        let beyond = beyond(&front.gap);
        text += &wrapped(&format!("For all weights that sum to 1 it exceeds the lines between them by {beyond}."), 2);
    }
    text.push('\n');
    let rows: Vec<&Vertex> = front.vertices.iter().collect();
    let told = |vertex: &Vertex| play_in_words(model, &Play::of(model, &vertex.point.strategy, model.start()));
    text += &vertex_table(model, front, &rows, told);
    if let Some(pattern) = &front.pattern {
        text += &repeats(model, front, pattern);
    }
    text
}

fn vertex_table(model: &Structure, front: &Front, rows: &[&Vertex], told: impl Fn(&Vertex) -> String) -> String {
    let axes = front.principals.map(PrincipalId::index);
    let names: Vec<String> = axes.iter().map(|&p| principal_in_column(&model.principals()[p])).collect();
    let brief = |value: &Value| {
        value.exact.as_ref().and_then(|exact| fraction_within(exact, 12)).unwrap_or_else(|| in_column(value))
    };
    let cells = distinct(rows, |vertex| axes.iter().map(|&p| &vertex.point.payoffs[p]).collect(), brief);
    // The edge that leads to the next vertex, by the ratio of its weights.
    let next = |index: usize| {
        let edge = front.edges.iter().find(|edge| edge.between[0] == index);
        edge.map_or_else(
            || if index + 1 < rows.len() { "…".to_owned() } else { String::new() },
            |edge| if edge.proven { ratio(edge, axes) } else { format!("({})", ratio(edge, axes)) },
        )
    };
    let some_open = front.edges.iter().any(|edge| !edge.proven && edge.between[0] < ROWS);
    let words: Vec<String> = rows.iter().take(ROWS).map(|vertex| told(vertex)).collect();
    let build = |with_words: bool| {
        let mut header: Vec<&str> = vec!["vertex"];
        header.extend(names.iter().map(String::as_str));
        header.push("weights to the next");
        if with_words {
            header.push("strategy");
        }
        let row = |index: usize| {
            let mut row = vec![(index + 1).to_string()];
            row.extend(cells[index].iter().cloned());
            row.push(next(index));
            if with_words {
                row.push(words[index].clone());
            }
            row
        };
        let mut lines: Vec<Vec<String>> = (0..rows.len().min(ROWS)).map(row).collect();
        if rows.len() > ROWS {
            lines.push(vec!["…".to_owned()]);
        }
        (header, lines)
    };
    let (header, lines) = build(true);
    let mut text = table(&header, &lines);
    if width(&text) > WIDTH {
        let (header, lines) = build(false);
        text = in_blocks(&header, &lines, 1);
    } else {
        text += &by_state(words.iter());
    }
    if some_open {
        text += "  (weights in brackets: whether the line to the next vertex is an edge is open)\n";
    }
    if rows.len() > ROWS {
        let _ = writeln!(text, "  {} more; --csv FILE and --json have them all", rows.len() - ROWS);
    }
    text
}

/// The payoffs of the vertices of a table, with all digits where two vertices would look the same without.
fn distinct(
    vertices: &[&Vertex],
    payoffs: impl Fn(&Vertex) -> Vec<&Value>,
    brief: impl Fn(&Value) -> String,
) -> Vec<Vec<String>> {
    let cells = |vertex: &&Vertex| payoffs(vertex).into_iter().map(&brief).collect::<Vec<String>>();
    let all: Vec<Vec<String>> = vertices.iter().take(ROWS).map(cells).collect();
    let mut counts: HashMap<&Vec<String>, usize> = HashMap::new();
    all.iter().for_each(|row| *counts.entry(row).or_insert(0) += 1);
    let digits = |own: &&Value| own.enclosure.midpoint().to_string().replace('-', "−");
    let whole = |vertex: &Vertex| payoffs(vertex).iter().map(digits).collect();
    all.iter().zip(vertices).map(|(row, vertex)| if counts[row] > 1 { whole(vertex) } else { row.clone() }).collect()
}

/// `5 : 2`, in whole numbers where these are short.
fn ratio(edge: &Edge, axes: [usize; 2]) -> String {
    let [x, y] = axes.map(|p| &edge.weights[p]);
    // A cost has a negative weight.
    let [of_x, of_y] = [x, y].map(|weight| if *weight < Rational::ZERO { "−" } else { "" });
    if y.is_zero() {
        return format!("{of_x}1 : 0");
    }
    let quotient = (x / y).abs();
    let text = quotient.to_string();
    match text.split_once('/') {
        Some((above, below)) if text.len() <= 24 => format!("{of_x}{above} : {of_y}{below}"),
        None if text.len() <= 24 => format!("{of_x}{text} : {of_y}1"),
        _ => format!("{of_x}{} : {of_y}1", double(quotient.to_f64())),
    }
}

fn repeats(model: &Structure, front: &Front, pattern: &Pattern) -> String {
    let name = |p: PrincipalId| shown(&model.principals()[p.index()].name);
    let limit = front.limit().map_or(0, |limit| limit + 1);
    let edges =
        if pattern.n_edges == 1 { "edge repeats".to_owned() } else { format!("{} edges repeat", pattern.n_edges) };
    let side = if limit == 1 { "first" } else { "last" };
    let mut text = format!(
        "\nThe {side} {edges} for ever, towards vertex {limit}: each time the weight of {} is multiplied by {} relative to the other's",
        name(pattern.patient),
        fraction_or_decimal(&pattern.ratio)
    );
    match &pattern.factors {
        Some(factors) => {
            let each = front.principals.iter().zip(factors);
            let each: Vec<String> =
                each.map(|(p, factor)| format!("along {} by {}", name(*p), fraction_or_decimal(factor))).collect();
            let _ = write!(text, ", and the length of the edge {}.", each.join(" and "));
        }
        None => {
            let weight = |p: PrincipalId| {
                let next = typed_number(&fraction_or_decimal(&pattern.next[p.index()]));
                format!("--weight {}", quoted(&format!("{}={next}", model.principals()[p.index()].name)))
            };
            let _ = write!(
                text,
                ". The lengths of the edges have no constant factor: a vertex that is not listed is what `solve` finds for weights between those \
                 of its edges, the next one with {}.",
                front.principals.map(weight).join(" ")
            );
        }
    }
    wrapped(&text, 0)
}

/// The front of three and more principals, for people.
pub fn hull(model: &Structure, hull: &Hull) -> String {
    if let (Some(reason), true) = (hull.stopped, hull.vertices.is_empty()) {
        return nothing_known(model, reason);
    }
    let start = shown(&model.state_name(model.start()));
    let mut text = hull.stopped.map_or_else(String::new, stopped);
    let count =
        if hull.vertices.len() == 1 { "1 vertex".to_owned() } else { format!("{} vertices", hull.vertices.len()) };
    text += &wrapped(&format!("What all principals can get from {start}: {count} of the front."), 2);
    text += &if hull.gap.is_zero() && hull.stopped.is_none() {
        "These are all: the front is their hull, exactly.\n\n".to_owned()
    } else {
        let beyond = beyond(&hull.gap);
        wrapped(&format!("For all weights that sum to 1 the front exceeds them by {beyond}."), 2) + "\n"
    };
    let names: Vec<String> = model.principals().iter().map(principal_in_column).collect();
    let mut header = vec!["vertex"];
    header.extend(names.iter().map(String::as_str));
    let vertices: Vec<&Vertex> = hull.vertices.iter().collect();
    let cells = distinct(&vertices, |vertex| vertex.point.payoffs.iter().collect(), in_column);
    let row = |(index, cells): (usize, Vec<String>)| {
        let mut row = vec![(index + 1).to_string()];
        row.extend(cells);
        row
    };
    let rows: Vec<Vec<String>> = cells.into_iter().enumerate().map(row).collect();
    text += &in_blocks(&header, &rows, 1);
    if hull.vertices.len() > ROWS {
        let _ = writeln!(text, "  {} more; --csv FILE and --json have them all", hull.vertices.len() - ROWS);
    }
    text
}

/// The vertices as comma-separated values: payoffs as decimals and fractions, weights.
pub fn csv(model: &Structure, vertices: &[Vertex]) -> String {
    let quoted = |text: &str| {
        let plain = !text.contains([',', '"', '\n', '\r']);
        if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
    };
    let names: Vec<String> = model.principals().iter().map(|principal| principal.name.clone()).collect();
    let mut header: Vec<String> = Vec::new();
    header.extend(names.iter().map(|name| quoted(name)));
    header.extend(names.iter().map(|name| quoted(&format!("{name} exactly"))));
    header.extend(names.iter().map(|name| quoted(&format!("weight of {name}"))));
    let mut text = header.join(",") + "\n";
    for vertex in vertices {
        let mut row: Vec<String> = Vec::new();
        row.extend(vertex.point.payoffs.iter().map(|payoff| payoff.enclosure.midpoint().to_string()));
        row.extend(
            vertex.point.payoffs.iter().map(|payoff| payoff.exact.as_ref().and_then(exact_text).unwrap_or_default()),
        );
        row.extend(vertex.weights.iter().map(Rational::to_string));
        text += &(row.join(",") + "\n");
    }
    text
}

/// The curve, with the points that rules and simple strategies pick.
pub fn chart(set: &PayoffSet, front: &Front) -> Chart {
    let model = set.model().structure();
    let axes = front.principals.map(PrincipalId::index);
    let place = |payoffs: &[Value]| (payoffs[axes[0]].enclosure.midpoint(), payoffs[axes[1]].enclosure.midpoint());
    let mut series = line("Pareto front", curve(front));
    let vertices = front.vertices.iter().map(|vertex| place(&vertex.point.payoffs)).collect();
    series.push(Series { name: "vertices found".to_owned(), colour: 1, points: vertices, mark: Mark::Points });
    if front.stopped.is_some() {
        let name = "the front lies inside this line".to_owned();
        series.push(Series { name, colour: 0, points: outside(front), mark: Mark::Dashed });
    }
    let set = &set.with_work_limit(RULES_WORK);
    let (rules, left_out) = rule_points(set);
    let marked = rules.iter().cloned().chain(positional_payoffs(set));
    let mut marked: Vec<(&str, (f64, f64))> = marked.map(|(name, payoffs)| (name, place(&payoffs))).collect();
    let names = front.principals.map(|p| shown(&model.principals()[p.index()].name));
    let bests = [0, 1].map(|k| format!("best for {}", names[k]));
    let ends = front.vertices.first().into_iter().chain(front.vertices.last());
    marked.extend(bests.iter().zip(ends).map(|(name, vertex)| (name.as_str(), place(&vertex.point.payoffs))));
    series.extend(named_points(&marked, &series));
    let labels = front.principals.map(|p| axis_label(&model.principals()[p.index()]));
    let mut caption = match (&front.pattern, front.complete) {
        (Some(_), _) => "The front has infinitely many vertices.".to_owned(),
        (None, true) if front.vertices.len() == 1 => "One vertex: nobody has to give way.".to_owned(),
        (None, true) => format!("All {} vertices.", front.vertices.len()),
        (None, false) if front.stopped.is_some() => "A part of the front.".to_owned(),
        (None, false) => "The front to within the gap.".to_owned(),
    };
    if model.n_principals() > 2 && !rules.is_empty() {
        caption += " Rules count everybody, so that their points may lie inside.";
    }
    caption += &too_long(&left_out);
    if let Some(reason) = front.stopped {
        let _ = write!(caption, " Stopped: {reason}.");
    }
    Chart {
        title: title(model, &names),
        caption: Some(caption),
        x: Axis { label: labels[0].clone(), scale: Scale::Linear },
        y: Axis { label: labels[1].clone(), scale: Scale::Linear },
        series,
        marks: Vec::new(),
    }
}

/// The border of what is known to contain the front: along proven edges, and elsewhere along the half-spaces of the vertices.
fn outside(front: &Front) -> Vec<(f64, f64)> {
    let axes = front.principals.map(PrincipalId::index);
    let place = |index: usize| axes.map(|p| front.vertices[index].point.payoffs[p].enclosure.midpoint());
    let weights = |index: usize| axes.map(|p| front.vertices[index].weights[p].to_f64());
    let mut points = vec![place(0)];
    for edge in &front.edges {
        let [a, b] = edge.between;
        if !edge.proven {
            let ([ax, ay], [bx, by]) = (weights(a), weights(b));
            let [at_a, at_b] = [(a, [ax, ay]), (b, [bx, by])].map(|(k, [x, y])| x * place(k)[0] + y * place(k)[1]);
            let determinant = ax * by - ay * bx;
            if determinant != 0.0 {
                points.push([(at_a * by - at_b * ay) / determinant, (ax * at_b - bx * at_a) / determinant]);
            }
        }
        points.push(place(b));
    }
    points.into_iter().map(|[x, y]| (x, y)).collect()
}

/// `payoff of alice`, `cost of the payer`.
fn axis_label(principal: &Principal) -> String {
    format!("{} of {}", what_it_gets(principal), shown(&principal.name))
}

/// The vertices in their order, with repetitions of the pattern as far as they are visible.
fn curve(front: &Front) -> Vec<(f64, f64)> {
    let axes = front.principals.map(PrincipalId::index);
    let place = |vertex: &Vertex| {
        let [x, y] = axes.map(|p| vertex.point.payoffs[p].enclosure.midpoint());
        (x, y)
    };
    let mut points: Vec<(f64, f64)> = front.vertices.iter().map(place).collect();
    let (Some(pattern), Some(limit)) = (&front.pattern, front.limit()) else { return points };
    let Some(factors) = pattern.factors.as_ref().map(|factors| [factors[0].to_f64(), factors[1].to_f64()]) else {
        return points;
    };
    let end = points[limit];
    let turned = limit == 0;
    if turned {
        points.reverse();
    }
    let end_of_list = points.pop().unwrap_or(end);
    let first = points.len().saturating_sub(pattern.n_edges + 1);
    // A repetition of the last edges, each shrunk towards the end.
    let mut repeated: Vec<(f64, f64)> =
        points[first..].windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1)).collect();
    for _ in 0..200 {
        repeated.iter_mut().for_each(|(x, y)| (*x, *y) = (*x * factors[0], *y * factors[1]));
        for &(x, y) in &repeated {
            let (last_x, last_y) = *points.last().expect("a vertex");
            points.push((last_x + x, last_y + y));
        }
        let (x, y) = *points.last().expect("a vertex");
        if (x - end.0).abs() <= 1e-4 * end.0.abs() && (y - end.1).abs() <= 1e-4 * end.1.abs() {
            break;
        }
    }
    points.push(end_of_list);
    if turned {
        points.reverse();
    }
    points
}

/// That some rules are left out.
fn too_long(rules: &[&str]) -> String {
    if rules.is_empty() { String::new() } else { format!(" Left out, because it takes long: {}.", rules.join(", ")) }
}

/// The points of rules and simple strategies by their names, and the rules that were stopped.
type RulePoints = (Vec<(&'static str, Vec<Value>)>, Vec<&'static str>);

/// The payoffs of the fairest lottery by each rule that has one.
fn rule_points(set: &PayoffSet) -> RulePoints {
    let rules = [
        ("greatest sum", Rule::Welfare),
        ("max-min", Rule::MaxMin),
        ("Nash", Rule::Nash),
        ("Kalai–Smorodinsky", Rule::KalaiSmorodinsky),
    ];
    // Rules other than the sum would take costs for gains.
    let fits = |rule: &Rule| *rule == Rule::Welfare || !has_costs(set.model().structure());
    let (mut found, mut stopped) = RulePoints::default();
    for (name, rule) in rules.into_iter().filter(|(_, rule)| fits(rule)) {
        match fair_suited(set, &Question::new(rule)) {
            Ok(fair) if matches!(fair.proven, Proven::Stopped(_)) => stopped.push(name),
            Ok(fair) => found.push((name, fair.payoffs)),
            // A rule that nobody can gain by has no point.
            Err(_) => {}
        }
    }
    (found, stopped)
}

/// The series of a line; none of a single point, which its marks show.
fn line(name: &str, points: Vec<(f64, f64)>) -> Vec<Series> {
    let is_line = points.iter().any(|point| *point != points[0]);
    let series = Series { name: name.to_owned(), colour: 0, points, mark: Mark::Line };
    is_line.then_some(series).into_iter().collect()
}

/// One series for each place, with the names of all points there: a mark on top of another would hide it. `others` are drawn in the same chart.
fn named_points(points: &[(&str, (f64, f64))], others: &[Series]) -> Vec<Series> {
    /// The first colour after those of the line and the vertices.
    const FIRST_COLOUR: usize = 2;
    let drawn = others.iter().flat_map(|series| &series.points).chain(points.iter().map(|(_, place)| place));
    let [wide, high] = spreads(drawn);
    let mut places: Vec<(Vec<&str>, (f64, f64))> = Vec::new();
    for &(name, (x, y)) in points {
        let is_near =
            |place: (f64, f64)| (place.0 - x).abs() <= MARK / 2.0 * wide && (place.1 - y).abs() <= MARK * high;
        match places.iter_mut().find(|(_, place)| is_near(*place)) {
            Some((names, _)) => names.push(name),
            None => places.push((vec![name], (x, y))),
        }
    }
    let series = |(index, (names, place)): (usize, (Vec<&str>, (f64, f64)))| Series {
        name: names.join(", "),
        colour: FIRST_COLOUR + index,
        points: vec![place],
        mark: Mark::Points,
    };
    places.into_iter().enumerate().map(series).collect()
}

/// The front of three and more principals, seen along each pair of axes: its vertices, the front of the two alone, and the
/// points that rules and simple strategies pick.
pub fn hull_charts(set: &PayoffSet, hull: &Hull) -> Picture {
    let model = set.model().structure();
    let n = model.n_principals();
    let (mut rules, stopped) = rule_points(&set.with_work_limit(RULES_WORK));
    rules.extend(positional_payoffs(set));
    let (pairs, left_out) = drawn_pairs(model, &hull.vertices);
    let mut caption = format!("The front of {n} principals, seen along the other axes.");
    if !hull.gap.is_zero() {
        let _ = write!(caption, " For all weights that sum to 1 it exceeds the vertices by {}.", beyond(&hull.gap));
    }
    if left_out > 0 {
        let _ = write!(
            caption,
            " Of {} pairs these {} have the sharpest conflict; --x NAME --y NAME draws any other.",
            pairs.len() + left_out,
            pairs.len()
        );
    }
    caption += &too_long(&stopped);
    let chart = |(x, y): (usize, usize)| {
        let names = [x, y].map(|p| shown(&model.principals()[p].name));
        let place = |payoffs: &[Value]| (payoffs[x].enclosure.midpoint(), payoffs[y].enclosure.midpoint());
        let vertices: Vec<(f64, f64)> = hull.vertices.iter().map(|vertex| place(&vertex.point.payoffs)).collect();
        let mut series = line(
            "front if the others do not count",
            outer_edge(&vertices, [x, y].map(|p| model.principals()[p].is_cost())),
        );
        series.push(Series {
            name: "vertices of the front".to_owned(),
            colour: 1,
            points: thinned(&vertices),
            mark: Mark::Points,
        });
        // Of several that are best for one, that which is best for the other axis: it is where the line ends.
        let bests: Vec<(String, &Vertex)> = (0..n)
            .filter(|&p| n == 3 || p == x || p == y)
            .filter_map(|p| {
                let then = if p == x { y } else { x };
                let best = own_best(model, &hull.vertices, [p, then])?;
                Some((format!("best for {}", shown(&model.principals()[p].name)), best))
            })
            .collect();
        let mut marked: Vec<(&str, (f64, f64))> = rules.iter().map(|(name, payoffs)| (*name, place(payoffs))).collect();
        marked.extend(bests.iter().map(|(name, vertex)| (name.as_str(), place(&vertex.point.payoffs))));
        series.extend(named_points(&marked, &series));
        Chart {
            title: title(model, &names),
            caption: Some(caption.clone()),
            x: Axis { label: axis_label(&model.principals()[x]), scale: Scale::Linear },
            y: Axis { label: axis_label(&model.principals()[y]), scale: Scale::Linear },
            series,
            marks: Vec::new(),
        }
        .picture()
    };
    stacked(pairs.iter().copied().map(chart))
}

/// The vertex that is best for the first of two principals, and among these for the second: it may be best for several principals, and then
/// has the weights of one of them.
fn own_best<'v>(model: &Structure, vertices: &'v [Vertex], then: [usize; 2]) -> Option<&'v Vertex> {
    let good = |vertex: &Vertex| {
        then.map(|p| {
            let payoff = vertex.point.payoffs[p].enclosure.midpoint();
            if model.principals()[p].is_cost() { -payoff } else { payoff }
        })
    };
    let better = |a: [f64; 2], b: [f64; 2]| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).is_gt();
    vertices.iter().reduce(|best, other| if better(good(other), good(best)) { other } else { best })
}

/// The pairs of principals that are drawn, and how many are left out: where there are many, those with the sharpest conflict. It is the product of
/// what each loses at the other's own best, relative to the range of its payoffs.
fn drawn_pairs(model: &Structure, vertices: &[Vertex]) -> (Vec<(usize, usize)>, usize) {
    /// The most pairs that are drawn.
    const MOST: usize = 6;
    let n = model.n_principals();
    let mut pairs: Vec<(usize, usize)> = (0..n).flat_map(|x| (x + 1..n).map(move |y| (x, y))).collect();
    let left_out = pairs.len().saturating_sub(MOST);
    if left_out == 0 {
        return (pairs, 0);
    }
    let payoff = |vertex: &Vertex, p: usize| vertex.point.payoffs[p].enclosure.midpoint();
    let loses = |p: usize, other: usize| {
        let all = vertices.iter().map(|vertex| payoff(vertex, p));
        let range = all.clone().fold(f64::NEG_INFINITY, f64::max) - all.fold(f64::INFINITY, f64::min);
        let ends = own_best(model, vertices, [p, other]).zip(own_best(model, vertices, [other, p]));
        let lost = ends.map_or(0.0, |(own, others)| (payoff(own, p) - payoff(others, p)).abs());
        if range > 0.0 { lost / range } else { 0.0 }
    };
    let conflict = |&(x, y): &(usize, usize)| loses(x, y) * loses(y, x);
    let mut by_conflict: Vec<(f64, (usize, usize))> = pairs.iter().map(|pair| (conflict(pair), *pair)).collect();
    by_conflict.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    pairs = by_conflict.into_iter().take(MOST).map(|(_, pair)| pair).collect();
    pairs.sort_unstable();
    (pairs, left_out)
}

/// The part of the hull of these points that is best for some positive weights, from the greatest x to the greatest y; of costs less is better.
fn outer_edge(points: &[(f64, f64)], costs: [bool; 2]) -> Vec<(f64, f64)> {
    let [of_x, of_y] = costs.map(|is_cost| if is_cost { -1.0 } else { 1.0 });
    let turned = |&(x, y): &(f64, f64)| (of_x * x, of_y * y);
    let mut sorted: Vec<(f64, f64)> = points.iter().map(turned).collect();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let mut edge: Vec<(f64, f64)> = Vec::new();
    for point in sorted {
        // Less of x is worth it only for more of y.
        if edge.last().is_some_and(|last| point.1 <= last.1) {
            continue;
        }
        let bends_in = |a: (f64, f64), b: (f64, f64)| (b.0 - a.0) * (point.1 - a.1) <= (b.1 - a.1) * (point.0 - a.0);
        while edge.len() > 1 && bends_in(edge[edge.len() - 2], edge[edge.len() - 1]) {
            edge.pop();
        }
        edge.push(point);
    }
    edge.iter().map(turned).collect()
}

/// How far points extend along each axis.
fn spreads<'p>(points: impl Iterator<Item = &'p (f64, f64)> + Clone) -> [f64; 2] {
    let spread = |of: fn(&(f64, f64)) -> f64| {
        let all = points.clone().map(of);
        all.clone().fold(f64::NEG_INFINITY, f64::max) - all.fold(f64::INFINITY, f64::min)
    };
    [spread(|point| point.0), spread(|point| point.1)]
}

/// The points without those that a mark beside them would hide.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let [wide, high] = spreads(points.iter());
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for point in points {
        let hides = |other: &(f64, f64)| {
            (other.0 - point.0).abs() <= MARK * wide && (other.1 - point.1).abs() <= 2.0 * MARK * high
        };
        if !kept.iter().any(hides) {
            kept.push(*point);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_edge_is_what_some_positive_weights_pick() {
        let points = [(0.0, 3.0), (1.0, 1.0), (2.0, 2.5), (3.0, 0.0), (1.0, 2.7), (3.0, -1.0), (-1.0, 3.0)];
        assert_eq!(outer_edge(&points, [false, false]), [(3.0, 0.0), (2.0, 2.5), (0.0, 3.0)]);
        // Of the second less is better.
        assert_eq!(outer_edge(&points, [false, true]), [(3.0, -1.0)]);
    }

    #[test]
    fn a_gap_that_is_not_0_is_not_called_0() {
        let number = |text: &str| text.parse::<Rational>().expect("a number");
        let words = ["0", "1/8", "2e-11", "1e-400"].map(|gap| beyond(&number(gap)));
        assert_eq!(words, ["at most 0", "at most 0.125", "less than 1e-9", "less than 1e-322"]);
    }

    #[test]
    fn points_at_one_place_have_one_mark_with_all_their_names() {
        let points = [("a", (0.0, 2.0)), ("b", (3.0, 4.0)), ("c", (1e-9, 2.0))];
        let named = named_points(&points, &[]);
        let names: Vec<(&str, usize)> = named.iter().map(|series| (series.name.as_str(), series.colour)).collect();
        assert_eq!(names, [("a, c", 2), ("b", 3)]);
        // Where one mark hides another depends on all that is drawn.
        let far = line("line", vec![(0.0, 0.0), (1e4, 1e4)]);
        assert_eq!(named_points(&points, &far).len(), 1);
        assert!(line("line", vec![(1.0, 1.0)]).is_empty());
    }
}
