//! Tables with a row for each principal and one for the welfare.

use super::names::{has_costs, principal_in_column};
use super::numbers::{
    LARGE, discounts, ends, fraction_or_decimal, fraction_within, in_column, is_short_decimal, near_zero,
    rounded_discounts, signed,
};
use super::table::{WIDTH, in_blocks, table, width};
use commonweal::preferences::Preference;
use commonweal::questions::annuity;
use commonweal::structure::{Principal, Structure};
use commonweal::{Answer, Rational, Value};

/// Each principal's annuity.
pub fn annuities(model: &Structure, answer: &Answer) -> Vec<Value> {
    let of = |p: usize| annuity(&model.principals()[p], &answer.payoff(p.into(), model.start()));
    (0..model.n_principals()).map(of).collect()
}

/// Each principal's payoff, in the model's order, and the welfare.
pub struct Gets {
    pub payoffs: Vec<Value>,
    pub welfare: Value,
}

impl Gets {
    fn all(&self) -> impl Iterator<Item = &Value> {
        self.payoffs.iter().chain([&self.welfare])
    }

    /// The size of the numbers.
    pub fn scale(&self) -> f64 {
        let size = |value: &Value| value.enclosure.lower().abs().max(value.enclosure.upper().abs());
        self.all().map(size).filter(|size| size.is_finite()).fold(0.0, f64::max)
    }
}

/// A table under construction.
pub struct PayoffTable<'a> {
    model: &'a Structure,
    header: Vec<&'static str>,
    /// Per column, a cell for each principal and perhaps one for the welfare.
    columns: Vec<Vec<String>>,
    /// The column that is left out first if the table is too wide.
    dispensable: Option<usize>,
}

impl<'a> PayoffTable<'a> {
    pub fn new(model: &'a Structure) -> PayoffTable<'a> {
        PayoffTable { model, header: Vec::new(), columns: Vec::new(), dispensable: None }
    }

    /// The payoffs; also as fractions, if decimals are not exact and all fractions are short.
    pub fn gets(&mut self, gets: &Gets) {
        const WIDEST: usize = 16;
        let scale = gets.scale();
        let cell = |value: &Value| next_to_nothing(value, scale).unwrap_or_else(|| in_column(value));
        self.column("gets", gets.all().map(cell).collect());
        let fraction = |value: &Value| value.exact.as_ref().and_then(|exact| fraction_within(exact, WIDEST));
        let fractions = gets.payoffs.iter().map(fraction).collect::<Option<Vec<String>>>();
        let rounded = |value: &Value| value.exact.as_ref().is_some_and(|exact| !is_short_decimal(exact));
        if let Some(mut fractions) = fractions.filter(|_| gets.all().any(rounded)) {
            // The welfare's fraction is above the table.
            fractions.push(fraction(&gets.welfare).unwrap_or_default());
            self.dispensable = Some(self.columns.len());
            self.column("exactly", fractions);
        }
    }

    /// The annuities, if preferences other than discounts are stated, beside payoffs of that size.
    pub fn annuities(&mut self, annuities: &[Value], gets: &Gets) {
        let scale = gets.scale();
        if !is_plain(self.model) {
            // The welfare has no annuity.
            let cells = annuities.iter().map(|own| per_step(own, scale)).chain([String::new()]).collect();
            self.column("annuity", cells);
        }
    }

    /// The bounds of the payoffs.
    pub fn bounds(&mut self, gets: &Gets) {
        let [least, most] = [0, 1].map(|end| {
            let of_value = |value: &Value| ends(value.enclosure.lower(), value.enclosure.upper())[end].clone();
            gets.all().map(of_value).collect()
        });
        self.column("at least", least);
        self.column("at most", most);
    }

    /// The differences of the payoffs to `payoffs`, and of the welfare if `welfare` is given.
    pub fn versus(&mut self, header: &'static str, gets: &Gets, payoffs: &[Value], welfare: Option<&Value>) {
        let scale = gets.scale();
        let cell = |(value, other): (&Value, &Value)| {
            let difference = value.minus(other);
            // The ends of an interval have their own signs.
            let text = next_to_nothing(&difference, scale).unwrap_or_else(|| signed(&difference));
            if text.starts_with("+[") { text[1..].to_owned() } else { text }
        };
        let others = payoffs.iter().chain(welfare);
        self.column(header, gets.all().zip(others).map(cell).collect());
    }

    /// No difference to a strategy that is this one.
    pub fn versus_itself(&mut self, header: &'static str, gets: &Gets) {
        self.column(header, gets.all().map(|_| "0".to_owned()).collect());
    }

    fn column(&mut self, header: &'static str, cells: Vec<String>) {
        self.header.push(header);
        self.columns.push(cells);
    }

    /// The table, within the width of a terminal.
    pub fn text(mut self) -> String {
        let [exactly, rounded] = time_preferences(self.model);
        let mut text = self.with_discounts(&exactly);
        if width(&text) > WIDTH
            && let Some(column) = self.dispensable
        {
            self.header.remove(column);
            self.columns.remove(column);
            text = self.with_discounts(&exactly);
        }
        if width(&text) > WIDTH {
            text = self.with_discounts(&rounded);
        }
        let (header, rows) = self.cells(&rounded);
        let text = if width(&text) > WIDTH { in_blocks(&header, &rows, 1) } else { text };
        text + counting_note(self.model)
    }

    fn with_discounts(&self, discounts: &[String]) -> String {
        let (header, rows) = self.cells(discounts);
        table(&header, &rows)
    }

    fn cells(&self, discounts: &[String]) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let principals = self.model.principals();
        let weighted = is_weighted(self.model);
        let mut header = vec!["principal", preference_header(self.model)];
        header.extend(weighted.then_some("weight"));
        let keys = header.len();
        header.extend(&self.header);
        let mut rows: Vec<Vec<String>> = principals
            .iter()
            .zip(discounts)
            .map(|(principal, discount)| {
                let mut row = vec![principal_in_column(principal), discount.clone()];
                row.extend(weighted.then(|| fraction_or_decimal(&principal.weight)));
                row
            })
            .collect();
        let mut total = vec!["welfare".to_owned()];
        total.resize(keys, String::new());
        rows.push(total);
        for column in &self.columns {
            rows.iter_mut().zip(column).for_each(|(row, cell)| row.push(cell.clone()));
        }
        (header, rows)
    }
}

/// The header of the column of time preferences.
pub fn preference_header(model: &Structure) -> &'static str {
    if is_plain(model) { "discount" } else { "preference" }
}

/// Every principal's time preference, exactly and rounded: discounts in one format where all are that, otherwise as stated.
pub fn time_preferences(model: &Structure) -> [Vec<String>; 2] {
    let patience: Vec<&Rational> = model.principals().iter().map(|principal| principal.patience()).collect();
    if is_plain(model) {
        return [discounts(patience.iter().copied()), rounded_discounts(&patience)];
    }
    // Beside rates and schedules, a bare number would not say what it is.
    let with_kind = |principal: &Principal| match principal.preference() {
        plain @ Preference::Discount { .. } => format!("discount {plain}"),
        other => other.to_string(),
    };
    let stated: Vec<String> = model.principals().iter().map(with_kind).collect();
    [stated.clone(), stated]
}

/// Whether all principals have plain discounts.
fn is_plain(model: &Structure) -> bool {
    let is_plain = |principal: &Principal| {
        let preference = principal.preference();
        preference.plain_discount().is_some() || matches!(preference, Preference::Segments(_))
    };
    model.principals().iter().all(is_plain)
}

/// The columns that every table of principals begins with.
pub fn who(model: &Structure) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let [exactly, _] = time_preferences(model);
    let (header, mut rows) = PayoffTable::new(model).cells(&exactly);
    rows.pop();
    (header, rows)
}

/// The beginning of the last row, below a header that [`who`] began.
pub fn total_row(header: &[&str]) -> Vec<String> {
    let mut row = vec!["welfare".to_owned(), String::new()];
    if header.contains(&"weight") {
        row.push(String::new());
    }
    row
}

/// Whether a principal has a weight other than 1; costs are marked by their names.
pub fn is_weighted(model: &Structure) -> bool {
    model.principals().iter().any(|principal| !(&principal.weight * principal.direction()).is_one())
}

/// How the welfare is computed from the payoffs, if it is not their sum.
fn counting_note(model: &Structure) -> &'static str {
    match (has_costs(model), is_weighted(model)) {
        (true, true) => "  (the welfare adds up weight times what each gets; of a cost, less is better)\n",
        (true, false) => "  (the welfare is what each gets, less the costs; of a cost, less is better)\n",
        (false, true) => "  (the welfare adds up weight times what each gets)\n",
        (false, false) => "",
    }
}

/// An annuity beside payoffs of that scale: `≈ 0` if it is next to nothing.
pub fn per_step(annuity: &Value, scale: f64) -> String {
    next_to_nothing(annuity, scale).unwrap_or_else(|| in_column(annuity))
}

/// `≈ 0`, for a number with bounds around 0 that are negligible relative to the scale.
fn next_to_nothing(value: &Value, scale: f64) -> Option<String> {
    let scale = scale.min(LARGE);
    let around = value.enclosure.lower() <= 0.0 && value.enclosure.upper() >= 0.0 && !value.enclosure.is_point();
    let says_nothing = value.enclosure.width().is_finite() && value.enclosure.width() <= 1e-7 * scale;
    let bounds = (value.exact.is_none() && around && says_nothing).then(|| "≈ 0".to_owned());
    bounds.or_else(|| near_zero(value, scale))
}
