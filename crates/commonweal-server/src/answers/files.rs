//! Files to download: strategy, certificate, table, report and pictures, as the program writes them.

use super::map::{Axes, FINEST_MAP, sketch_picture};
use super::solve::bounds;
use super::{Context, JSON, Reply, Unanswered, fair, options};
use crate::fields::Fields;
use crate::memory::Held;
use crate::problem::Problem;
use crate::program::{Ending, Pictured, Program};
use crate::request::Asked;
use commonweal::documents::{self, Document};
use commonweal::limits::{StopReason, on_threads};
use commonweal::questions::{Front, FrontOptions, PayoffSet, front_gap, front_in};
use commonweal::{Answer, Model, Options, StopSignal, solve};

/// The most principals of a picture: each has a row, and a PNG is as high as its rows.
const MOST_PICTURED: usize = 200;

/// The answer that a file is about.
struct Solved {
    model: Model,
    answer: Answer,
}

/// Solves the model of a request whose other keys are taken already. A file cannot state bounds: the answer of a request whose time
/// is over is the document of its solution so far.
fn solved(asked: &Asked, keep_proof: bool, context: &Context, stop: &StopSignal) -> Result<Solved, Unanswered> {
    let model = super::model(asked, context, decisions)?;
    let threads = context.limits.threads_for(&model);
    let options = Options { keep_proof, threads: Some(threads), ..options(asked.engine, stop) };
    let answer = solve(&model, &options);
    context.so_far.keep(bounds(&model, &answer, StopReason::TimeLimit));
    let solved = Solved { model, answer };
    solved.in_time(stop)?;
    Ok(solved)
}

impl Solved {
    /// The bounds in place of a file, if the time is over.
    fn in_time(&self, stop: &StopSignal) -> Result<(), Unanswered> {
        stop.check().map_err(|reason| Unanswered::Stopped(bounds(&self.model, &self.answer, reason)))
    }
}

/// How large a file is that has a decision or two for each state.
fn decisions(model: &Model) -> Held {
    Held { numbers: 4 * model.n_principals() as u64, names: 2 * model.n_states() as u64 }
}

/// How large a file is that has every reward.
fn rewards(model: &Model) -> Held {
    let structure = model.structure();
    let names = (structure.n_choices() as u64).saturating_mul(model.n_principals() as u64);
    Held { numbers: 0, names: names + structure.n_transitions() as u64 }
}

/// The model with the changes of the request, as YAML.
pub fn model(mut fields: Fields, context: &Context, _: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let text = asked.model(&context.limits, rewards)?.to_yaml();
    Ok(Reply::file("text/yaml; charset=utf-8", text.expect("memory takes every byte")))
}

pub fn strategy(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let Solved { model, answer } = solved(&asked, false, context, stop)?;
    Ok(Reply::file(JSON, documents::Strategy::counting(model.structure(), answer.strategy()).to_json()))
}

pub fn certificate(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    fields.done()?;
    let solved = solved(&asked, true, context, stop)?;
    let Solved { model, answer } = &solved;
    let none = |error: String| Problem::unprocessable(format!("there is no certificate: {error}"));
    let mut certificate = answer.certificate(model).map_err(|error| none(error.to_string()))?;
    certificate.stop = stop.clone();
    let mut text = Vec::new();
    let written = certificate.write(&mut text);
    solved.in_time(stop)?;
    written.map_err(|error| none(error.to_string()))?;
    Ok(Reply::file("text/plain; charset=utf-8", text))
}

pub fn csv(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    const CSV: &str = "text/csv; charset=utf-8";
    let asked = Asked::take(&mut fields)?;
    let kind = fields.text("kind")?;
    let front = FrontFile::take(&mut fields)?;
    fields.done()?;
    let table = match kind.as_deref() {
        Some("front") => {
            let table =
                |set: &PayoffSet, found: &Front| Ok(Reply::file(CSV, context.program.front_csv(set.model(), found)));
            return front.write(&asked, context, stop, table);
        }
        _ if front != FrontFile::default() => {
            return Err(Problem::bad_request("`x`, `y` and `vertices` are of the front")
                .help("add `\"kind\": \"front\"`")
                .into());
        }
        None | Some("solution") => Program::csv,
        Some("comparison") => Program::comparison_csv,
        Some(_) => return Err(Problem::bad_request("`kind` must be solution, comparison or front").into()),
    };
    let solved = solved(&asked, false, context, stop)?;
    let table = table(&*context.program, &solved.model, &solved.answer, stop);
    solved.in_time(stop)?;
    Ok(Reply::file(CSV, table))
}

/// A file about the front of two principals.
#[derive(Debug, Default, PartialEq)]
struct FrontFile {
    names: (Option<String>, Option<String>),
    vertices: Option<u64>,
}

impl FrontFile {
    fn take(fields: &mut Fields) -> Result<FrontFile, Problem> {
        Ok(FrontFile { names: (fields.text("x")?, fields.text("y")?), vertices: fair::vertices(fields)? })
    }

    /// The file that `file` makes. A front that its own limit cut is whole as a file: it has the bounds.
    fn write(
        self,
        asked: &Asked,
        context: &Context,
        stop: &StopSignal,
        file: impl for<'a> Fn(&'a PayoffSet<'a>, &'a Front) -> Result<Reply, Unanswered> + Sync,
    ) -> Result<Reply, Unanswered> {
        let model = super::model(asked, context, fair::front_held)?;
        let axes = fair::axes(&model, self.names)?.ok_or_else(|| {
            Problem::unprocessable("the file of a front shows two principals").help("name them: `x` and `y`")
        })?;
        let usual = FrontOptions::default();
        let limits =
            FrontOptions { vertex_limit: self.vertices.map_or(usual.vertex_limit, |most| most as usize), ..usual };
        let (engine, gap) = fair::engine(asked, &model);
        let options = options(engine, stop);
        on_threads(Some(context.limits.threads_for(&model)), || {
            let set = PayoffSet::new(&model, &options);
            let limits = FrontOptions { gap: front_gap(&set, Some(axes), gap), ..limits };
            let found = front_in(&set, axes, &limits).map_err(|reason| fair::nothing_yet(&model, stop, reason))?;
            let in_time = || {
                stop.check().map_err(|reason| {
                    Unanswered::Stopped(Reply::stopped(&documents::Front::new(model.structure(), &found), reason))
                })
            };
            in_time()?;
            let written = file(&set, &found)?;
            // A picture that was drawn past the limit may lack marks.
            in_time()?;
            Ok(written)
        })
    }
}

pub fn report(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    let name = fields.text("name")?.unwrap_or_else(|| "model".to_owned());
    fields.done()?;
    let solved = solved(&asked, true, context, stop)?;
    let page = context.program.report(&name, &solved.model, &solved.answer, stop);
    solved.in_time(stop)?;
    Ok(Reply::file("text/html; charset=utf-8", page))
}

pub fn picture(mut fields: Fields, context: &Context, stop: &StopSignal) -> Result<Reply, Unanswered> {
    let asked = Asked::take(&mut fields)?;
    let ending = match fields.text("ending")?.as_deref() {
        None | Some("svg") => Ending::Svg,
        Some("png") => Ending::Png,
        Some("pdf") => Ending::Pdf,
        Some(_) => return Err(Problem::bad_request("`ending` must be svg, png or pdf").into()),
    };
    let kind = fields.text("kind")?;
    let file = |picture: &Pictured| -> Result<Reply, Unanswered> {
        Ok(Reply::file(ending.kind(), context.program.picture(picture, ending)?))
    };
    match kind.as_deref() {
        Some(kind @ ("timeline" | "payoffs" | "gains")) => {
            fields.done()?;
            let solved = solved(&asked, false, context, stop)?;
            let Solved { model, answer } = &solved;
            if model.n_principals() > MOST_PICTURED {
                let message = format!(
                    "a picture shows up to {MOST_PICTURED} principals, and this model has {}",
                    model.n_principals()
                );
                return Err(Problem::unprocessable(message).help("take the table: /api/csv").into());
            }
            let picture = file(&match kind {
                "timeline" => Pictured::Timeline { model, answer },
                "payoffs" => Pictured::Payoffs { model, answer },
                _ => Pictured::Gains { model, answer, stop },
            })?;
            solved.in_time(stop)?;
            Ok(picture)
        }
        Some("map") => {
            let axes = Axes::take(&mut fields, FINEST_MAP)?;
            fields.done()?;
            let model = super::model(&asked, context, decisions)?;
            let mapped = axes.map(&model, &context.limits, &options(asked.engine, stop))?;
            if let Some(reason) = mapped.map.stopped.or(stop.reason()) {
                let document = documents::StrategyMap::new(model.structure(), &mapped.map);
                return Err(Unanswered::Stopped(Reply::document(&document, Some(reason))));
            }
            file(&Pictured::Map { model: &model, map: &mapped.map, classes: &mapped.classes })
        }
        Some("sketch") => sketch_picture(&asked, fields, context, stop, file),
        Some("front") => {
            let front = FrontFile::take(&mut fields)?;
            fields.done()?;
            front.write(&asked, context, stop, |set, found| file(&Pictured::Front { set, front: found }))
        }
        _ => Err(Problem::bad_request("`kind` must be timeline, payoffs, gains, map, sketch or front").into()),
    }
}
