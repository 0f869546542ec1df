//! `commonweal check MODEL CERTIFICATE`

use crate::args::{ChangeArgs, CheckArgs, ModelArgs};
use crate::json;
use crate::report::names::shown;
use crate::report::numbers::{ends, exact_and_decimal, zero_within};
use crate::report::say;
use crate::report::timings::Clock;
use crate::{input, output, signals};
use anyhow::{Context, anyhow, bail};
use commonweal::files;
use commonweal::limits::StopReason;
use commonweal::numbers::Enclosure;
use commonweal::structure::{Principal, Structure};
use commonweal::{Model, Rational, Value, documents};
use commonweal_check::{Figure, Figures, Unreadable, Verdict, check_while, is_fair};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::ExitCode;

pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    if args.certificate.as_os_str() == "-" && args.model.model.as_os_str() == "-" {
        bail!("the model and the certificate cannot both be standard input");
    }
    let stop = signals::start(&args.run);
    let model = signals::while_reading(|| Subject::read(&args.model))?;
    clock.has_read();
    let path = &args.certificate;
    let mut certificate: Box<dyn BufRead + Send> = if path.as_os_str() == "-" {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let cannot = || format!("cannot read {}", path.display());
        if path.is_dir() {
            return Err(anyhow!("{}: it is a folder", cannot()));
        }
        let mut certificate = BufReader::new(File::open(path).with_context(cannot)?);
        if certificate.fill_buf().with_context(cannot)?.is_empty() {
            bail!(
                "{}: the file is empty\nhelp: `commonweal solve MODEL --certificate FILE` writes one",
                path.display()
            );
        }
        Box::new(certificate)
    };
    let first = certificate.fill_buf().with_context(|| format!("cannot read {}", path.display()))?;
    let is_fair = is_fair(first);
    let Form { text, start, names, is_approximated, margin } = model.form(is_fair)?;
    // The checker sees the mixtures. Their error is proven by the code that the solver uses.
    let of_what = if is_approximated {
        ", for the mixtures that approximate time preferences. How near these are to the entries of the file is not checked: bounds on \
         the welfare include the error that the solver states"
    } else {
        ""
    };
    let verdict = check_while(text, certificate, args.work, start, || stop.check());
    clock.check = clock.since_reading();
    let spent = clock.spent(args.run.timings);
    let (found, mut figures) = match verdict {
        Ok(verdict) => {
            let (verdict, figures) = verdict.map_err(|Unreadable(why)| anyhow!("{}: {why}", path.display()))?;
            (Ok(verdict), figures)
        }
        Err(reason) => (Err(reason), None),
    };
    if let Some(welfare) = figures.as_mut().and_then(|figures| figures.welfare.as_mut()).filter(|_| margin > 0.0) {
        // The certificate is about the mixtures, the welfare about what they stand for.
        let widened = Enclosure::new(welfare.lower, welfare.upper).widened(margin);
        *welfare = Figure { exact: None, lower: widened.lower(), upper: widened.upper() };
    }
    if args.run.json {
        let mut document = document(&found, of_what);
        if let (Some(figures), Some(names)) = (&figures, &names) {
            document.start = Some(names.state(figures).to_owned());
            document.welfare = figures.welfare.as_ref().map(|welfare| value(welfare).into());
            let payoffs =
                names.principals.iter().cloned().zip(figures.payoffs.iter().map(|payoff| value(payoff).into()));
            document.payoffs = (!figures.payoffs.is_empty()).then(|| payoffs.collect());
        }
        json::print(&document, spent)?
    } else {
        let line = found.as_ref().map_or_else(|reason| format!("stopped: {reason}"), |verdict| verdict.to_string());
        output::print(&(line + "\n" + &spent.map_or_else(String::new, |spent| spent.in_words())))?;
    }
    Ok(match found {
        Ok(Verdict::Accepted(meaning)) => {
            if !args.run.quiet && !args.run.json {
                say(&format!("{meaning}{of_what}"));
                let said = figures.as_ref().zip(names.as_ref()).and_then(|(figures, names)| in_words(names, figures));
                said.iter().for_each(|text| say(text));
            }
            ExitCode::SUCCESS
        }
        Ok(Verdict::Refused(_)) => ExitCode::from(1),
        Err(_) => ExitCode::from(3),
    })
}

/// What a certificate is held against.
enum Subject {
    Model(Box<Model>),
    /// One of the two forms that `convert` writes for checkers, which have neither names nor a start.
    Text(Vec<u8>),
}

impl Subject {
    fn read(args: &ModelArgs) -> anyhow::Result<Subject> {
        let path = &args.model;
        if !path.extension().is_some_and(|ending| ending == "canonical" || ending == "principals") {
            return Ok(Subject::Model(Box::new(input::model(args, true)?)));
        }
        if args.changes != ChangeArgs::default() {
            bail!(
                "{}: this form of a model has no names, so no option can change it\nhelp: give the options to `commonweal convert`, which \
                 writes it",
                path.display()
            );
        }
        Ok(Subject::Text(std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?))
    }

    /// The form that the checker reads, and what a report needs of the model, which is dropped.
    fn form(self, is_fair: bool) -> anyhow::Result<Form> {
        let model = match self {
            Subject::Model(model) => model,
            Subject::Text(text) => {
                return Ok(Form { text, start: 0, names: None, is_approximated: false, margin: 0.0 });
            }
        };
        let mut text = Vec::new();
        model.write(if is_fair { files::Form::ByPrincipal } else { files::Form::Canonical }, &mut text)?;
        Ok(Form {
            text,
            start: model.start().index(),
            names: Some(Names::of(model.structure(), is_fair)),
            is_approximated: model.principals().iter().any(|principal| principal.approximation().is_some()),
            margin: model.approximation_margin(),
        })
    }
}

/// A model as the checker reads it, and what its report needs.
struct Form {
    text: Vec<u8>,
    start: usize,
    names: Option<Names>,
    is_approximated: bool,
    /// How far the welfare of a strategy may be from that of the mixtures.
    margin: f64,
}

/// The names that a report needs, kept while the model itself is not: its numbers are in the text that the checker reads.
struct Names {
    /// Those that count in the welfare; of a fair certificate, all.
    principals: Vec<String>,
    /// The start; of a fair certificate, which has its own start, every state.
    states: Vec<String>,
}

impl Names {
    fn of(model: &Structure, is_fair: bool) -> Names {
        let state_name = |state| model.state_name(state).to_string();
        let states = if is_fair { model.states().map(state_name).collect() } else { vec![state_name(model.start())] };
        let counts = |principal: &&Principal| is_fair || !principal.weight.is_zero();
        let principals = model.principals().iter().filter(counts).map(|principal| principal.name.clone());
        Names { principals: principals.collect(), states }
    }

    fn state(&self, figures: &Figures) -> &str {
        match &self.states[..] {
            [only] => only,
            states => &states[figures.state],
        }
    }
}

/// What is accepted, in figures: whose welfare from where. Nothing of a proof that demands cannot be met.
fn in_words(names: &Names, figures: &Figures) -> Option<String> {
    /// The most principals that are named.
    const NAMED: usize = 6;
    let place = shown(names.state(figures));
    let names: Vec<String> = names.principals.iter().map(|name| shown(name)).collect();
    if let Some(welfare) = &figures.welfare {
        let whose = match &names[..] {
            [] => "nobody".to_owned(),
            [name] => name.clone(),
            [names @ .., last] if names.len() < NAMED => format!("{} and {last}", names.join(", ")),
            names => format!("all {} principals", names.len()),
        };
        let welfare = value(welfare);
        let text = match &welfare.exact {
            Some(_) => format!("Welfare of {whose} from {place}: {}", exact_and_decimal(&welfare)),
            None => match zero_within(&welfare) {
                Some(text) => format!("Welfare of {whose} from {place}: {text}; no strategy earns more than that."),
                None => {
                    let [least, most] = ends(welfare.enclosure.lower(), welfare.enclosure.upper());
                    format!(
                        "Welfare of {whose} from {place}: at least {least} with this strategy; no strategy earns more than {most}."
                    )
                }
            },
        };
        return Some(text);
    }
    let payoffs = names
        .iter()
        .zip(&figures.payoffs)
        .map(|(name, payoff)| format!("{name} {}", exact_and_decimal(&value(payoff))));
    let payoffs: Vec<String> = payoffs.collect();
    (!payoffs.is_empty()).then(|| format!("Payoffs of the lottery from {place}: {}", payoffs.join(", ")))
}

/// A verified number as reports show it.
fn value(figure: &Figure) -> Value {
    let exact = figure.exact.as_ref().and_then(|exact| exact.parse::<Rational>().ok());
    exact.map_or_else(|| Value::from(Enclosure::new(figure.lower, figure.upper)), Value::from)
}

fn document(found: &Result<Verdict, StopReason>, of_what: &str) -> documents::Check {
    let (verdict, says) = match found {
        Ok(Verdict::Accepted(meaning)) => (documents::Verdict::Accepted, format!("{meaning}{of_what}")),
        Ok(Verdict::Refused(claim)) => (documents::Verdict::Refused, claim.clone()),
        Err(reason) => (documents::Verdict::Stopped, reason.to_string()),
    };
    documents::Check::new(verdict, says)
}
