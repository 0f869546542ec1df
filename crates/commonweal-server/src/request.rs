//! The common part of a request: a model, changes of it, and the engine.

use crate::fields::{Fields, Texts};
use crate::limits::Limits;
use crate::memory::Held;
use crate::problem::Problem;
use commonweal::files::{self, Discounts, ModelFile, ReadOptions};
use commonweal::structure::PrincipalId;
use commonweal::text::{nearest, parse_rate};
use commonweal::{Engine, Model, Rational};

/// The common part of all questions.
#[derive(Debug)]
pub struct Asked {
    text: String,
    format: Format,
    discounts: Vec<(String, Rational)>,
    /// By principal, the numbers of its time preference that change.
    parameters: Vec<(String, Vec<(String, Rational)>)>,
    weights: Vec<(String, Rational)>,
    from: Option<String>,
    pub engine: Engine,
}

/// How the model is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Yaml,
    Drn,
}

impl Asked {
    /// Takes the keys of the model from a body.
    pub fn take(fields: &mut Fields) -> Result<Asked, Problem> {
        let missing = || Problem::bad_request("`model` is missing").help("send the text of a model file under `model`");
        let text = fields.text("model")?.ok_or_else(missing)?;
        let format = match fields.text("format")?.as_deref() {
            None | Some("yaml" | "json") => Format::Yaml,
            Some("drn") => Format::Drn,
            Some(other) => {
                let shown: String = other.chars().take(40).collect();
                return Err(Problem::bad_request(format!("`format`: there is no format `{shown}`"))
                    .help("the formats are yaml, json and drn"));
            }
        };
        let discounts = discounts(fields)?;
        let weights = numbers(fields, "weights")?;
        let own = |(name, texts): (String, Texts)| {
            let values = texts.into_iter().map(|(key, text)| Ok((key, number("parameters", &text)?)));
            Ok((name, values.collect::<Result<_, Problem>>()?))
        };
        let parameters =
            fields.objects_of_numbers("parameters")?.into_iter().map(own).collect::<Result<_, Problem>>()?;
        let from = fields.text("from")?;
        let gap = fields.number("gap")?.map(|text| gap(&text)).transpose()?;
        // Fractions are within any gap.
        let is_exact = fields.flag("exact")?;
        let engine = Engine::asked(is_exact.then_some(true), gap.filter(|_| !is_exact)).expect("one of them");
        Ok(Asked { text, format, discounts, parameters, weights, from, engine })
    }

    /// The model with the changes of the request. Refused if it is invalid, or too large for this server together with its answer,
    /// which is as large as `held` says.
    pub fn model(&self, limits: &Limits, held: impl Fn(&Model) -> Held) -> Result<Model, Problem> {
        let mut model = self.read(limits)?;
        for (name, values) in &self.parameters {
            model = with_parameters(model, name, values)?;
        }
        if self.format == Format::Yaml {
            for (name, discount) in &self.discounts {
                let principal = principal(&model, "discounts", name)?;
                let refused =
                    |error: commonweal::structure::ModelError| Problem::unprocessable(format!("`discounts`: {error}"));
                model = model.with_discount(principal, discount).map_err(refused)?;
            }
            if let Some(name) = &self.from {
                let states = model.structure().state_names();
                let unknown = || unknown("from", "state", name, nearest(name, states.iter()).as_deref());
                let start = model.find_state(name).ok_or_else(unknown)?;
                model = model.with_start(start);
            }
        }
        for (name, weight) in &self.weights {
            let principal = principal(&model, "weights", name)?;
            model = model.with_weight(principal, weight);
        }
        limits.check_memory(&model, self.engine, held(&model))?;
        Ok(model)
    }

    /// The model as it is written.
    fn read(&self, limits: &Limits) -> Result<Model, Problem> {
        let is_drn = files::Format::of_contents(self.text.as_bytes()) == Some(files::Format::Drn);
        match (self.format, is_drn) {
            (Format::Yaml, false) => Ok(Model::from_yaml_within(&self.text, &limits.of_texts())?),
            (Format::Yaml, true) => {
                Err(Problem::unprocessable("the model is in Storm's format: its first line begins with `@`")
                    .help("send `\"format\": \"drn\"`, and under `discounts` a discount for each principal"))
            }
            (Format::Drn, false) => {
                Err(Problem::unprocessable("`format` is drn, but the first line of the model does not begin with `@`")
                    .help("leave `format` out for a model in YAML or JSON"))
            }
            (Format::Drn, true) => {
                let file = ModelFile::from_bytes("the model", self.text.clone().into_bytes());
                let choices = file.overview()?.map_or(0, |overview| overview.choices.unwrap_or(overview.states));
                let (rewards, most) = (choices.saturating_mul(self.discounts.len() as u64), limits.most_rewards());
                if rewards > most {
                    let principals = self.discounts.len();
                    return Err(Problem::unprocessable(format!(
                        "the model has {choices} actions and {principals} principals, so {rewards} rewards: more than the {most} that are read here"
                    ))
                    .help("give fewer discounts, or use the command line"));
                }
                let options = ReadOptions::new(Discounts::Named(self.discounts.clone())).from(self.from.as_deref());
                Ok(Model::read_file(&file, &options, self.engine)?)
            }
        }
    }
}

/// The model with other numbers in the time preference of one principal.
fn with_parameters(model: Model, name: &str, values: &[(String, Rational)]) -> Result<Model, Problem> {
    let principal = principal(&model, "parameters", name)?;
    let mut preference = model.principals()[principal.index()].preference().clone();
    for (key, value) in values {
        let refused = || {
            let names = preference.parameters();
            let names: Vec<&str> = names.iter().map(|parameter| parameter.name.as_str()).collect();
            let shown: String = key.chars().take(40).collect();
            let problem = Problem::unprocessable(format!(
                "`parameters`: the time preference of `{name}` has no parameter `{shown}` of this kind"
            ));
            problem.help(format!("its parameters are {}", names.join(", ")))
        };
        preference = preference.with_parameter(key, value).ok_or_else(refused)?;
    }
    let refused = |error: commonweal::structure::ModelError| Problem::unprocessable(format!("`parameters`: {error}"));
    model.with_preference(principal, &preference).map_err(refused)
}

/// The principal that a key names.
pub fn principal(model: &Model, key: &str, name: &str) -> Result<PrincipalId, Problem> {
    let names = model.principals().iter().map(|principal| principal.name.as_str());
    model.find_principal(name).ok_or_else(|| unknown(key, "principal", name, nearest(name, names)))
}

fn unknown(key: &str, what: &str, name: &str, near: Option<&str>) -> Problem {
    let shown: String = name.chars().take(40).collect();
    let problem = Problem::unprocessable(format!("`{key}`: there is no {what} `{shown}`"));
    match near {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help(format!("use the name of a {what} of the model")),
    }
}

/// A number that is read exactly.
pub fn number(key: &str, text: &str) -> Result<Rational, Problem> {
    text.parse().map_err(|error: commonweal::numbers::NumberError| Problem::unprocessable(format!("`{key}`: {error}")))
}

/// Numbers by the names of principals.
pub fn numbers(fields: &mut Fields, key: &str) -> Result<Vec<(String, Rational)>, Problem> {
    let texts = fields.numbers(key)?;
    texts.into_iter().map(|(name, text)| Ok((name, number(key, &text)?))).collect()
}

/// Discounts by the names of principals. A percentage is probably meant as a rate, as the reader of models says too.
fn discounts(fields: &mut Fields) -> Result<Vec<(String, Rational)>, Problem> {
    let one = |(name, text): (String, String)| match (text.trim_end().ends_with('%'), parse_rate(&text)) {
        (true, Ok(rate)) => {
            let (shown, discount) = (text.trim(), Rational::ONE / (Rational::ONE + rate));
            Err(Problem::unprocessable(format!("`discounts`: {shown} is a percentage, not a discount")).help(format!(
                "write `{{rate: {shown}}}` in the model, or here \"{discount}\", the discount of that rate"
            )))
        }
        _ => Ok((name, number("discounts", &text)?)),
    };
    fields.numbers("discounts")?.into_iter().map(one).collect()
}

fn gap(text: &str) -> Result<f64, Problem> {
    let exact = number("gap", text)?;
    if exact <= Rational::ZERO || exact >= Rational::ONE {
        let problem = Problem::unprocessable("`gap`: a gap lies between 0 and 1");
        return Err(problem.help("write a small number, such as \"1e-9\""));
    }
    let gap = exact.to_f64();
    if gap == 0.0 {
        let problem = Problem::unprocessable("`gap`: this gap is smaller than any double");
        return Err(problem.help("ask for fractions: `\"exact\": true`"));
    }
    // A gap just below 1 may be rounded to it.
    Ok(gap.min(1.0 - f64::EPSILON))
}
