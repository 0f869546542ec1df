//! Files to download: strategy, certificate, table, report and pictures, as the program writes them.

use super::map::{Axes, FINEST_MAP};
use super::{Context, JSON, Reply, fair, options};
use crate::fields::Fields;
use crate::problem::Problem;
use crate::program::{Ending, Pictured};
use crate::request::Asked;
use commonweal::documents::{self, Document};
use commonweal::limits::{StopReason, on_threads};
use commonweal::questions::{FrontOptions, PayoffSet, front};
use commonweal::{Answer, Model, Options, StopSignal, solve};

/// The answer that a file is about.
struct Solved {
    model: Model,
    answer: Answer,
}

/// Solves the model of a request whose other keys are taken already. A stopped solve is an error, because a file cannot state it.
fn solved(asked: &Asked, keep_proof: bool, context: &Context, stop: &StopSignal) -> Result<Solved, Problem> {
    let model = asked.model(&context.limits)?;
    let threads = context.limits.threads_for(&model);
    let options = Options { keep_proof, threads: Some(threads), ..options(asked.engine, stop) };
    let answer = solve(&model, &options);
    in_time(stop)?;
    Ok(Solved { model, answer })
}

fn in_time(stop: &StopSignal) -> Result<(), Problem> {
    stop.check().map_err(Problem::out_of_time)
}

/// The model with the changes of the request, as YAML.
pub fn model(mut fields: Fields, context: &Context, _: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let text = asked.model(&context.limits)?.to_yaml();
    Ok(Reply::file("text/yaml; charset=utf-8", text.expect("memory takes every byte")))
}

pub fn strategy(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let Solved { model, answer } = solved(&asked, false, context, stop)?;
    Ok(Reply::file(JSON, documents::Strategy::counting(model.structure(), answer.strategy()).to_json()))
}

pub fn certificate(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let Solved { model, answer } = solved(&asked, true, context, stop)?;
    let none = |error: String| Problem::unprocessable(format!("there is no certificate: {error}"));
    let mut certificate = answer.certificate(&model).map_err(|error| none(error.to_string()))?;
    certificate.stop = stop.clone();
    let mut text = Vec::new();
    let written = certificate.write(&mut text);
    in_time(stop)?;
    written.map_err(|error| none(error.to_string()))?;
    Ok(Reply::file("text/plain; charset=utf-8", text))
}

pub fn csv(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let Solved { model, answer } = solved(&asked, false, context, stop)?;
    let table = context.program.csv(&model, &answer, stop);
    in_time(stop)?;
    Ok(Reply::file("text/csv; charset=utf-8", table))
}

pub fn report(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    let name = fields.text("name")?.unwrap_or_else(|| "model".to_owned());
    fields.done()?;
    let Solved { model, answer } = solved(&asked, true, context, stop)?;
    let page = context.program.report(&name, &model, &answer, stop);
    in_time(stop)?;
    Ok(Reply::file("text/html; charset=utf-8", page))
}

pub fn picture(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Problem> {
    let asked = Asked::take(&mut fields)?;
    let ending = match fields.text("ending")?.as_deref() {
        None | Some("svg") => Ending::Svg,
        Some("png") => Ending::Png,
        Some("pdf") => Ending::Pdf,
        Some(_) => return Err(Problem::bad_request("`ending` must be svg, png or pdf")),
    };
    let kind = fields.text("kind")?;
    let file =
        |picture: &Pictured| context.program.picture(picture, ending).map(|bytes| Reply::file(ending.kind(), bytes));
    match kind.as_deref() {
        Some(kind @ ("timeline" | "payoffs" | "gains")) => {
            fields.done()?;
            let Solved { model, answer } = solved(&asked, false, context, stop)?;
            let (model, answer) = (&model, &answer);
            file(&match kind {
                "timeline" => Pictured::Timeline { model, answer },
                "payoffs" => Pictured::Payoffs { model, answer },
                _ => Pictured::Gains { model, answer, stop },
            })
        }
        Some("map") => {
            let axes = Axes::take(&mut fields, FINEST_MAP)?;
            fields.done()?;
            let model = asked.model(&context.limits)?;
            let mapped = axes.map(&model, &context.limits, &options(asked.engine, stop))?;
            in_time(stop)?;
            file(&Pictured::Map { model: &model, map: &mapped.map, classes: &mapped.classes })
        }
        Some("front") => {
            let names = (fields.text("x")?, fields.text("y")?);
            fields.done()?;
            let model = asked.model(&context.limits)?;
            let axes = fair::axes(&model, names)?.ok_or_else(|| {
                Problem::unprocessable("the picture of a front shows two principals").help("name them: `x` and `y`")
            })?;
            let options = options(asked.engine, stop);
            on_threads(Some(context.limits.threads_for(&model)), || {
                let found = front(&model, axes, &FrontOptions::default(), &options);
                let found = found.map_err(|reason: StopReason| Problem::out_of_time(reason))?;
                in_time(stop)?;
                file(&Pictured::Front { set: &PayoffSet::new(&model, &options), front: &found })
            })
        }
        _ => Err(Problem::bad_request("`kind` must be timeline, payoffs, gains, map or front")),
    }
}
