//! Comma-separated values: one row for each number, so that every command writes the same columns.

use super::names::what_it_gets;
use commonweal::documents::exact_text;
use commonweal::questions::{Class, Compared, Evaluation};
use commonweal::structure::{StateId, Structure};
use commonweal::{Answer, Value};

/// The columns.
const HEADER: &str = "strategy,state,quantity,principal,discount,weight,value,lower,upper,exact\n";

/// A CSV file under construction.
pub struct Csv<'a> {
    model: &'a Structure,
    text: String,
}

impl<'a> Csv<'a> {
    fn new(model: &'a Structure) -> Csv<'a> {
        Csv { model, text: HEADER.to_owned() }
    }

    /// What an answer is worth from these states, and from the start the long-term strategy and everybody's own best.
    pub fn of_answer(model: &Structure, answer: &Answer, own_best: &[Value], states: &[StateId]) -> String {
        let mut csv = Csv::new(model);
        let principals = 0..model.n_principals();
        for &state in states {
            let payoffs: Vec<Value> = principals.clone().map(|p| answer.payoff(p.into(), state)).collect();
            csv.strategy("counting", state, &answer.welfare(state), &payoffs);
        }
        let start = model.start();
        let in_the_end: Vec<Value> = principals.map(|p| answer.long_term_payoff(p.into(), start)).collect();
        let name = if answer.long_term_is_proven() { "long-term" } else { "long-term (assumed)" };
        csv.strategy(name, start, &answer.long_term_welfare(start), &in_the_end);
        for (p, own) in own_best.iter().enumerate() {
            csv.payoff(&class_name(model, Class::BestFor(p.into())), start, p, own);
        }
        csv.text
    }

    /// Several strategies, from the start. The bounds of a class's welfare are that of its strategy and the upper bound of the class.
    pub fn of_comparison(model: &Structure, compared: &[Compared]) -> String {
        let mut csv = Csv::new(model);
        for one in compared {
            let mut welfare = one.welfare.clone();
            if let Some(upper) = one.upper {
                let lower = welfare.enclosure.lower();
                welfare = Value { enclosure: commonweal::numbers::Enclosure::new(lower, upper.max(lower)), ..welfare };
            }
            csv.strategy(&class_name(model, one.class), model.start(), &welfare, &one.payoffs);
        }
        csv.text
    }

    /// What a given strategy is worth from these states.
    pub fn of_evaluation(model: &Structure, evaluation: &Evaluation, states: &[StateId]) -> String {
        let mut csv = Csv::new(model);
        for &state in states {
            let payoffs: Vec<Value> = (0..model.n_principals()).map(|p| evaluation.payoff(p.into(), state)).collect();
            csv.strategy("given", state, &evaluation.welfare(state), &payoffs);
        }
        csv.text
    }

    fn strategy(&mut self, strategy: &str, state: StateId, welfare: &Value, payoffs: &[Value]) {
        for (p, payoff) in payoffs.iter().enumerate() {
            self.payoff(strategy, state, p, payoff);
        }
        self.row(strategy, state, ["welfare", "", "", ""], welfare);
    }

    fn payoff(&mut self, strategy: &str, state: StateId, p: usize, payoff: &Value) {
        let principal = &self.model.principals()[p];
        // Only plain discounting has one number for it.
        let discount = principal.discount().map_or_else(String::new, |discount| discount.to_string());
        let quantity = what_it_gets(principal);
        self.row(strategy, state, [quantity, &principal.name, &discount, &principal.weight.to_string()], payoff);
    }

    fn row(&mut self, strategy: &str, state: StateId, of: [&str; 4], value: &Value) {
        let mut fields = vec![field(strategy), field(&self.model.state_name(state))];
        fields.extend(of.map(field));
        let ends = [value.nearest_double(), value.enclosure.lower(), value.enclosure.upper()];
        fields.extend(ends.map(number));
        fields.push(value.exact.as_ref().and_then(exact_text).unwrap_or_default());
        self.text += &fields.join(",");
        self.text.push('\n');
    }
}

fn class_name(model: &Structure, class: Class) -> String {
    match class {
        Class::Counting => "counting".to_owned(),
        Class::Stationary => "stationary".to_owned(),
        Class::Positional => "positional".to_owned(),
        Class::LongTerm => "long-term".to_owned(),
        Class::Replanned => "re-planned".to_owned(),
        Class::NoCommitment => "no commitment".to_owned(),
        Class::BestFor(p) => format!("best for {}", model.principals()[p.index()].name),
        Class::Fair(rule) => format!("fair {}", rule.name()),
    }
}

/// A double in the fewest digits that read back as the same double; never a negative zero.
pub fn number(x: f64) -> String {
    format!("{}", x + 0.0)
}

/// A text as one field.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
