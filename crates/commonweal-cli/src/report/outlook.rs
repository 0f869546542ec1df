//! `solve --outlook`: annuities, implied rates and expected trajectories, as tables and as comma-separated values.

use super::csv::{field, number};
use super::names::{in_column as name_in_column, principal_in_column, shown};
use super::numbers::{double, in_column, steps};
use super::payoffs::{Gets, annuities, is_weighted, per_step};
use super::table::{in_blocks, wrapped};
use commonweal::documents::{Outlook, OutlookStep};
use commonweal::questions::total_weight;
use commonweal::structure::Structure;
use commonweal::{Answer, Rational};

/// The steps that a table of many shows.
const SHOWN: [u64; 12] = [0, 1, 2, 5, 10, 20, 30, 50, 75, 100, 200, 300];

/// A table: its header and its rows.
type Table = (Vec<String>, Vec<Vec<String>>);

/// What the words of the tables mean.
pub fn explained(model: &Structure) -> String {
    let step = shown(model.about().step());
    // Health in years or in days: the same choice, another weight, another sum.
    let units = if is_weighted(model) { ", which depends on the units of the rewards" } else { "" };
    format!(
        "social rate: how fast the sum of all weights falls to the next {step}{units}; rewards are expected and not discounted; --json \
         and --csv have every {step}"
    )
}

/// The outlook for people.
pub fn report(model: &Structure, answer: &Answer, outlook: &Outlook) -> String {
    let mut text = wrapped(&format!("\nThe outlook from {}", shown(&model.state_name(model.start()))), 2);
    let [of_principals, by_step] = tables(model, answer, outlook).map(|(header, rows)| {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        in_blocks(&header, &rows, 1)
    });
    text += &format!("{of_principals}\n{by_step}");
    text + &wrapped(&format!("  ({})", explained(model)), 3)
}

/// Of each principal its annuity and patience; of some steps the social rate and what is expected.
pub fn tables(model: &Structure, answer: &Answer, outlook: &Outlook) -> [Table; 2] {
    let (step, several) = (shown(model.about().step()), shown(&model.about().steps()));
    let header = vec![
        "principal".to_owned(),
        annuity_header(model),
        format!("half-life, {several}"),
        format!("all {several} count"),
    ];
    let worth = annuities(model, answer);
    let start = model.start();
    let payoffs = (0..model.n_principals()).map(|p| answer.payoff(p.into(), start)).collect();
    let scale = Gets { payoffs, welfare: answer.welfare(start) }.scale();
    let row = |(p, (_, own)): (usize, &(String, commonweal::documents::Patience))| {
        let half_life = own.half_life.map_or_else(|| "far".to_owned(), |half_life| steps(&half_life.into()));
        vec![
            principal_in_column(&model.principals()[p]),
            per_step(&worth[p], scale),
            half_life,
            in_column(&total_weight(&model.principals()[p])),
        ]
    };
    let of_principals = (header, outlook.principals.0.iter().enumerate().map(row).collect());
    let mut header = vec![step, "social rate".to_owned(), "most likely state".to_owned()];
    header.extend(model.principals().iter().map(|p| format!("to {}", principal_in_column(p))));
    let row = |one: &OutlookStep| {
        let rate = one.social_rate.map_or_else(|| "–".to_owned(), |rate| rate_in_percent(rate.0));
        let mut row = vec![steps(&one.step.into()), rate, most_likely(one)];
        row.extend(one.rewards.0.iter().map(|(_, reward)| double(reward.0)));
        row
    };
    // Of a few every one.
    let is_shown = |one: &&OutlookStep| outlook.steps.len() <= SHOWN.len() || SHOWN.contains(&one.step);
    let shown_steps = outlook.steps.iter().filter(is_shown);
    [of_principals, (header, shown_steps.map(row).collect())]
}

/// `annuity, a year`, or `annuity, every 3 months`.
pub fn annuity_header(model: &Structure) -> String {
    let each = if model.about().step_is_counted() { "every" } else { "a" };
    format!("annuity, {each} {}", shown(model.about().step()))
}

fn most_likely(one: &OutlookStep) -> String {
    let likeliest = one.states.0.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0));
    likeliest.map_or_else(String::new, |(name, share)| format!("{} ({})", name_in_column(name), percent(share.0)))
}

/// `3.5%`, and `0.2099%` of a short step: four digits of small rates.
fn rate_in_percent(rate: f64) -> String {
    const FEW: f64 = 0.01;
    if rate == 0.0 || rate.abs() >= FEW {
        return percent(rate);
    }
    let digits = (3 - (100.0 * rate.abs()).log10().floor() as i32).clamp(2, 12) as usize;
    let text = format!("{:.digits$}", 100.0 * rate);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// `3.5%`.
fn percent(share: f64) -> String {
    let text = format!("{:.2}", 100.0 * share);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Every step of the outlook, one row for each number.
pub fn csv(outlook: &Outlook) -> String {
    let mut text = String::from("step,quantity,name,value\n");
    let mut row = |step: &str, quantity: &str, name: &str, value: f64| {
        text += &format!("{step},{quantity},{},{}\n", field(name), number(value));
    };
    for (name, own) in &outlook.principals.0 {
        row("", "annuity", name, own.annuity.value.0);
        row("", "total weight", name, own.total_weight.value.0);
        if let Some(half_life) = own.half_life {
            row("", "half-life", name, Rational::from(half_life).to_f64());
        }
    }
    for one in &outlook.steps {
        let step = one.step.to_string();
        if let Some(rate) = one.social_rate {
            row(&step, "social rate", "", rate.0);
        }
        for (quantity, entries) in [("weight", &one.weights), ("reward", &one.rewards), ("probability", &one.states)] {
            entries.0.iter().for_each(|(name, value)| row(&step, quantity, name, value.0));
        }
    }
    text
}
