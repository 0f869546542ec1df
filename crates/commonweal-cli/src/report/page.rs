//! `solve --report`: a solution as one HTML page, with pictures, tables and the steps of the computation.

use super::compare::{class_name, commitment, cost, shown_welfare};
use super::explain::{TITLE, text as explain_text};
use super::names::{has_costs, message, principal_in_column, shown};
use super::numbers::{exact_and_decimal, fraction_or_decimal, fraction_within, in_column, steps};
use super::outlook::{explained, tables};
use super::payoffs::{annuities, is_weighted, preference_header, time_preferences};
use super::pictures::{Drawn, expected_rewards, gains, rates, timeline};
use commonweal::documents::Outlook;
use commonweal::questions::{ChangeOfChoice, Class, Compared, Comparison, Deviation, Explanation, Play, explain};
use commonweal::structure::{ChoiceId, Principal, StateId, Structure};
use commonweal::{Answer, Claim, Model, Rational, StopSignal, Value};
use commonweal_charts::page::{begin, escaped, figures, table, tiles};
use std::cmp::Ordering;
use std::path::Path;

/// The most rows of a table.
const ROWS: usize = 200;
/// The most layers that are shown.
const LAYERS: u64 = 25;
/// In a larger model the curves of payoffs are not drawn.
const LARGEST_DRAWN: usize = 200_000;

/// The contents of the page.
pub struct Page<'a> {
    pub file: &'a Path,
    pub model: &'a Model,
    pub answer: &'a Answer,
    /// What each principal would get alone.
    pub own_best: Option<&'a [Value]>,
    /// The best strategies of simpler classes.
    pub comparison: Option<&'a Comparison>,
    /// Annuities, rates and trajectories.
    pub outlook: Option<&'a Outlook>,
    /// The Pareto front as a picture.
    pub front: Option<&'a str>,
    /// The model as a file.
    pub text: Option<&'a str>,
    /// What the checker said, in words.
    pub checked: &'a str,
    pub stop: &'a StopSignal,
}

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let (model, answer) = (self.model.structure(), self.answer);
        let start = model.start();
        let file = self.file.file_name().map_or_else(|| "a model".into(), |name| name.to_string_lossy());
        let about = model.about();
        let name = about.name.as_deref().map_or(file, |name| name.trim().into());
        let title = format!("{}: who gets what, and what to do", shown(&name));
        let mut html = begin(&title);
        html += "<header>\n<p class=\"over\">commonweal solve</p>\n";
        html += &format!("<h1>{}</h1>\n", escaped(&shown(&name)));
        if let Some(description) = &about.description {
            html += &format!("<p>{}</p>\n", escaped(&message(description.trim())));
        }
        html += &format!("<p class=\"lead\">{}</p>\n", escaped(&self.headline()));
        let several = escaped(&shown(&about.steps()));
        let count = |n: usize| steps(&(n as u64).into());
        let long_term = if answer.long_term_is_proven() {
            "welfare of the long-term strategy"
        } else {
            "welfare of the strategy of the tail, assumed to be the long-term one"
        };
        html += &tiles(&[
            (in_column(&answer.welfare(start)), "welfare"),
            (in_column(&answer.long_term_welfare(start)), long_term),
            (steps(answer.memory(start)), &format!("memory, in {several}")),
            (steps(answer.horizon()), &format!("horizon, in {several}")),
            (count(model.n_states()), "states"),
        ]);
        html += "</header>\n<main>\n";
        self.add_payoffs(&mut html);
        self.add_strategy(&mut html);
        self.add_comparison(&mut html);
        if let Some(picture) = self.front {
            html += &section("front", "What both can get");
            html += &figures([picture]);
            html += "<p class=\"note\">On the front neither can gain unless the other loses.</p>\n</section>\n";
        }
        self.add_outlook(&mut html);
        self.add_explanation(&mut html);
        html += &section("checked", "Verification");
        html += &format!("<p>{}</p>\n", escaped(self.checked.trim()));
        html += "</section>\n";
        if let Some(text) = self.text {
            html += &section("model", "The model");
            html += &(preformatted(text) + "</section>\n");
        }
        html += "</main>\n<footer><p>Fractions are exact. Decimals are rounded to the digits shown, and bounds outward. Made by commonweal ";
        html + env!("CARGO_PKG_VERSION") + ".</p></footer>\n</body>\n</html>\n"
    }

    fn headline(&self) -> String {
        let (model, answer) = (self.model.structure(), self.answer);
        let welfare = answer.welfare(model.start());
        let start = shown(&model.state_name(model.start()));
        let earned = match answer.claim() {
            Claim::Optimal => format!("Optimal welfare from {start}: {}.", exact_and_decimal(&welfare)),
            Claim::Within { .. } if answer.is_approximated() => {
                format!("Welfare from {start}, by mixtures of discounts: {}.", exact_and_decimal(&welfare))
            }
            Claim::Within { .. } => {
                format!("Welfare from {start}, proven in doubles: {}.", exact_and_decimal(&welfare))
            }
            Claim::Undecided(_) => {
                format!("Welfare from {start}: {}; ties are left undecided.", exact_and_decimal(&welfare))
            }
            Claim::Stopped(reason) => {
                format!("Stopped: {reason}. Welfare from {start}: {}.", exact_and_decimal(&welfare))
            }
        };
        let now = answer.strategy().changes(model.start())[0].choice;
        format!("{earned} What to do now: {}.", shown(&model.action_name(now)))
    }

    fn add_payoffs(&self, html: &mut String) {
        let (model, answer) = (self.model.structure(), self.answer);
        let start = model.start();
        *html += &section("payoffs", "Who gets what");
        let in_the_end = if answer.long_term_is_proven() {
            "under the long-term strategy"
        } else {
            "under the long-term strategy (assumed)"
        };
        let annuity = super::outlook::annuity_header(model);
        let weighted = is_weighted(model);
        let mut header = vec!["principal", preference_header(model)];
        header.extend(weighted.then_some("weight"));
        header.push("gets");
        let payoffs: Vec<Value> = (0..model.n_principals()).map(|p| answer.payoff(p.into(), start)).collect();
        let exactly = |value: &Value| value.exact.as_ref().and_then(|exact| fraction_within(exact, 40));
        let welfare = answer.welfare(start);
        let has_exact = payoffs.iter().chain([&welfare]).any(|value| exactly(value).is_some());
        header.extend(has_exact.then_some("exactly"));
        let gets =
            |value: &Value| [in_column(value)].into_iter().chain(has_exact.then(|| exactly(value).unwrap_or_default()));
        header.extend(self.outlook.map(|_| &*annuity));
        header.push(in_the_end);
        let [preferences, _] = time_preferences(model);
        header.extend(self.own_best.map(|_| "if the agent served nobody else"));
        let worth = annuities(model, answer);
        let row = |(p, principal): (usize, &Principal)| {
            let mut row = vec![principal_in_column(principal), preferences[p].clone()];
            row.extend(weighted.then(|| fraction_or_decimal(&principal.weight)));
            row.extend(gets(&payoffs[p]));
            row.extend(self.outlook.map(|_| in_column(&worth[p])));
            row.push(in_column(&answer.long_term_payoff(p.into(), start)));
            row.extend(self.own_best.map(|best| in_column(&best[p])));
            row
        };
        let mut rows: Vec<Vec<String>> = model.principals().iter().enumerate().take(ROWS).map(row).collect();
        let long_term = in_column(&answer.long_term_welfare(start));
        let mut total = vec!["welfare".to_owned(), String::new()];
        total.extend(weighted.then(String::new));
        total.extend(gets(&welfare));
        total.extend(self.outlook.map(|_| String::new()));
        total.push(long_term);
        rows.push(total);
        *html += &table("numbers", &header, &rows);
        more(html, model.n_principals(), "principals");
        let drawn = Drawn::answer(model, answer);
        let mut pictures = vec![gains(model, &drawn, self.own_best).svg()];
        if model.n_states() <= LARGEST_DRAWN {
            pictures.extend(super::pictures::payoffs(self.model, &drawn).ok().map(|chart| chart.svg()));
        }
        *html += &figures(pictures.iter().map(String::as_str));
        *html += "</section>\n";
    }

    fn add_strategy(&self, html: &mut String) {
        let (model, answer) = (self.model.structure(), self.answer);
        *html += &section("strategy", "What to do");
        *html += &figures([timeline(model, &Drawn::answer(model, answer)).svg().as_str()]);
        let play = Play::of(model, answer.strategy(), model.start());
        let states = play.states(model);
        let action = |choice: ChoiceId| shown(&model.action_name(choice));
        let (step, several) = (shown(model.about().step()), shown(&model.about().steps()));
        let row = |&state: &StateId| {
            let runs = play.runs(model, state);
            let told = runs.iter().enumerate().filter_map(|(at, (from, choice))| {
                let action = action((*choice)?);
                Some(match runs.get(at + 1).map(|(next, _)| next - 1) {
                    None if from.is_zero() => format!("{action} always"),
                    None => format!("{action} from {step} {} on", steps(from)),
                    Some(last) if last == *from => format!("{action} at {step} {}", steps(from)),
                    Some(last) => format!("{action} at {several} {} to {}", steps(from), steps(&last)),
                })
            });
            vec![shown(&model.state_name(state)), told.collect::<Vec<_>>().join(", ")]
        };
        *html += &table("plain", &["state", "action"], &states.iter().take(ROWS).map(row).collect::<Vec<_>>());
        more(html, states.len() + play.n_left_out(), "states");
        *html += &format!(
            "<p class=\"note\">States stand in the order in which they are met, at the {} at which they can be.</p>\n</section>\n",
            escaped(&several)
        );
    }

    fn add_comparison(&self, html: &mut String) {
        let Some(comparison) = self.comparison else { return };
        let (model, compared) = (self.model.structure(), &comparison.strategies);
        let is_fair = compared.iter().any(|one| matches!(one.class, Class::Fair(_)));
        *html +=
            &section("simplicity", if is_fair { "What simplicity and fairness cost" } else { "What simplicity costs" });
        let scale = compared[0].welfare.enclosure.midpoint().abs();
        let mut header = vec!["strategy".to_owned(), "welfare".to_owned(), "loses".to_owned()];
        header.extend(model.principals().iter().map(principal_in_column));
        let row = |one: &Compared| {
            let (welfare, cost) = (shown_welfare(one, scale), cost(one, &compared[0].welfare, scale));
            let mut row = vec![class_name(model, one.class), welfare, cost];
            row.extend(one.payoffs.iter().map(in_column));
            row
        };
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        *html += &table("numbers", &header, &compared.iter().map(row).collect::<Vec<_>>());
        *html += &format!("<p>{}</p>\n", escaped(commitment(model, comparison).replace('\n', " ").trim()));
        *html += "</section>\n";
    }

    fn add_outlook(&self, html: &mut String) {
        let Some(outlook) = self.outlook else { return };
        let (model, answer) = (self.model.structure(), self.answer);
        *html += &section("outlook", "The outlook");
        let [of_principals, by_step] = tables(model, answer, outlook);
        for (header, rows) in [of_principals, by_step] {
            let header: Vec<&str> = header.iter().map(String::as_str).collect();
            *html += &table("numbers", &header, &rows);
        }
        *html += &format!("<p class=\"note\">{}</p>\n", escaped(&explained(model)));
        let drawn = Drawn::answer(model, answer);
        let mut pictures = vec![rates(model, &drawn).svg()];
        if model.n_states() <= LARGEST_DRAWN {
            pictures.extend(expected_rewards(self.model, &drawn).ok().map(|chart| chart.svg()));
        }
        *html += &figures(pictures.iter().map(String::as_str));
        *html += "</section>\n";
    }

    fn add_explanation(&self, html: &mut String) {
        let explains = matches!(self.answer.claim(), Claim::Optimal | Claim::Undecided(_));
        if !explains {
            return;
        }
        let model = self.model.structure();
        *html += &section("how", TITLE);
        match explain(self.model, self.answer, LAYERS, ROWS, self.stop) {
            // Where preferences have several discounts, or change in time, the words of `--explain` tell how a difference counts, and
            // as of which step.
            Ok(explanation)
                if !explanation.earlier.is_empty()
                    || explanation.has_several
                    || explanation.served.len() != explanation.names.len()
                    || explanation.names.len() != model.n_principals() =>
            {
                let text = explain_text(model, self.answer, &Ok(explanation));
                // The section has the title already.
                let text = text.trim().trim_start_matches(TITLE).trim_start();
                *html += &preformatted(text);
            }
            Ok(explanation) => add_steps(html, model, self.answer, &explanation),
            Err(reason) => *html += &format!("<p>The explanation was not finished: {reason}.</p>\n"),
        }
        *html += "</section>\n";
    }
}

fn add_steps(html: &mut String, model: &Structure, answer: &Answer, explanation: &Explanation) {
    let names: Vec<String> = answer.principals().iter().map(|principal| shown(&principal.name)).collect();
    let state = |state: StateId| shown(&model.state_name(state));
    let action = |choice: ChoiceId| shown(&model.action_name(choice));
    let columns = |first: &[&str], letter: &str, last: &[&str]| -> Vec<String> {
        let middle = names.iter().map(|name| format!("{letter}({name})"));
        let text = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        text(first).into_iter().chain(middle).chain(text(last)).collect()
    };
    let gained = |value: &Value| value.exact.as_ref().map_or_else(|| in_column(value), number);
    let add = |html: &mut String, header: &[String], rows: &[Vec<String>]| {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        *html += &table("numbers", &header, rows);
    };
    let add_words = |html: &mut String, header: &[&str], rows: &[Vec<String>]| *html += &table("plain", header, rows);
    let best_for =
        if names.is_empty() { "nobody: nothing counts in the end".to_owned() } else { names.join(", then for ") };
    *html += &format!(
        "<h3>1. The long-term strategy</h3>\n<p>It is best for {}. V is what it is worth, weights included{}.</p>\n",
        escaped(&best_for),
        if has_costs(model) { ": costs count negatively" } else { "" }
    );
    let rows = model.states().take(ROWS).map(|s| {
        let actions = answer.long_term_choices(s).iter().map(|&choice| action(choice));
        let mut row = vec![state(s), actions.collect::<Vec<_>>().join(" or ")];
        row.extend(explanation.values[s.index()].iter().map(gained));
        row
    });
    add(html, &columns(&["state", "takes"], "V", &[]), &rows.collect::<Vec<_>>());
    more(html, model.n_states(), "states");
    let (one, several) = (shown(model.about().step()), shown(&model.about().steps()));
    let step = escaped(&one);
    *html += &format!(
        "<h3>2. Deviations</h3>\n<p>Δ is what one use at {step} 0 changes for each principal. At {step} j each Δ counts \
         λ<sup>j</sup> times as much.</p>\n"
    );
    let pays = |deviation: &Deviation| match &deviation.pays {
        None if !deviation.pays_is_known => "not known".to_owned(),
        None => "never".to_owned(),
        Some((first, end)) => match end - 1 {
            last if last == *first => format!("at {one} {}", steps(first)),
            last => {
                let some = if deviation.pays_throughout { "" } else { "some of " };
                format!("{some}{several} {} to {}", steps(first), steps(&last))
            }
        },
    };
    let rows = explanation.deviations.iter().take(ROWS).map(|deviation| {
        let mut row = vec![state(deviation.state), action(deviation.choice)];
        row.extend(deviation.advantages.iter().map(gained));
        row.push(pays(deviation));
        row
    });
    add(html, &columns(&["state", "action"], "Δ", &["pays by itself"]), &rows.collect::<Vec<_>>());
    more(html, explanation.deviations.len(), "deviations");
    *html += &format!(
        "<h3>3. The horizon</h3>\n<p>From {step} {} on no deviation pays: every prefix of every such sum is at most 0.</p>\n",
        steps(answer.horizon())
    );
    let gains: Vec<Vec<String>> = explanation
        .layers
        .iter()
        .flat_map(|layer| layer.gains.iter().map(move |gain| (layer.step, gain)))
        .map(|(step, gain)| {
            let [now, total] = [&gain.now, &gain.total].map(gained);
            vec![steps(&step.into()), state(gain.state), action(gain.choice), now, total]
        })
        .collect();
    if !gains.is_empty() {
        *html += "<h3>4. Back from the horizon</h3>\n<p>What each state gains over the long-term strategy.</p>\n";
        let header = [&*one, "state", "takes", "gain now", "gain from here on"].map(str::to_owned);
        add(html, &header, &gains[..gains.len().min(ROWS)]);
        more(html, gains.len(), "rows");
        let shown_layers = explanation.layers.len() as u64;
        if answer.horizon() > &shown_layers.into() {
            let earlier = steps(&(answer.horizon() - shown_layers));
            *html += &format!("<p>… and so on for {earlier} earlier {}.</p>\n", escaped(&several));
        }
    }
    if !explanation.turns.is_empty() {
        let number = if gains.is_empty() { 4 } else { 5 };
        *html += &format!(
            "<h3>{number}. Changes, the latest first</h3>\n<p>From that {step} on the new choice is taken. Given what follows it is \
             better there than the old one for some, and worse for others.</p>\n"
        );
        let row = |turn: &ChangeOfChoice| {
            let who = |ordering: Ordering| {
                let those =
                    turn.better.iter().zip(&explanation.judges).filter(|(better, _)| **better == Some(ordering));
                let names = those.map(|(_, name)| name.clone()).collect::<Vec<_>>().join(", ");
                let nobody = if turn.better.contains(&None) { "not known" } else { "nobody" };
                if names.is_empty() { nobody.to_owned() } else { names }
            };
            let (better, worse) = (who(Ordering::Greater), who(Ordering::Less));
            vec![steps(&turn.step), state(turn.state), action(turn.before), action(turn.after), better, worse]
        };
        let header = [&*one, "state", "old", "new", "better for", "worse for"];
        add_words(html, &header, &explanation.turns.iter().take(ROWS).map(row).collect::<Vec<_>>());
        more(html, explanation.turns.len(), "changes");
    }
}

/// A text with its lines.
fn preformatted(text: &str) -> String {
    // Line by line, because a line break would not be kept.
    let lines: Vec<String> = text.lines().map(escaped).collect();
    format!("<pre style=\"white-space: pre-wrap; overflow-wrap: anywhere\">{}</pre>\n", lines.join("\n"))
}

fn section(id: &str, title: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{title}</h2>\n")
}

fn more(html: &mut String, count: usize, what: &str) {
    if count > ROWS {
        *html += &format!("<p class=\"note\">… and {} more {what}.</p>\n", steps(&((count - ROWS) as u64).into()));
    }
}

/// The fraction if it is short, the decimal otherwise.
fn number(exact: &Rational) -> String {
    const SHORT: usize = 14;
    fraction_within(exact, SHORT).unwrap_or_else(|| in_column(&Value::from(exact.clone())))
}
