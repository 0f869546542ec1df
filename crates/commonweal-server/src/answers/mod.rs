//! The questions of the API, one file for each family of answers.

mod fair;
mod files;
mod map;
mod solve;
mod view;

use crate::fields::Fields;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::program::Program;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use commonweal::documents::json_text;
use commonweal::limits::StopReason;
use commonweal::{Options, StopSignal};
use serde::Serialize;
use std::sync::Arc;

/// The context of a question.
#[derive(Clone)]
pub struct Context {
    pub limits: Limits,
    pub program: Arc<dyn Program>,
}

/// A question: the keys of its body become a reply.
pub type Question = fn(Fields, &Context, &StopSignal) -> Result<Reply, Problem>;

/// What the page opens with.
pub const VIEW: Question = view::answer;

/// The questions, by their paths. The OpenAPI file lists the same.
pub const QUESTIONS: [(&str, Question); 12] = [
    ("/api/solve", solve::answer),
    ("/api/view", VIEW),
    ("/api/sketch", map::sketch),
    ("/api/map", map::answer),
    ("/api/front", fair::front),
    ("/api/fair", fair::fair),
    ("/api/model", files::model),
    ("/api/strategy", files::strategy),
    ("/api/certificate", files::certificate),
    ("/api/csv", files::csv),
    ("/api/report", files::report),
    ("/api/picture", files::picture),
];

/// An answer.
#[derive(Debug)]
pub struct Reply {
    status: StatusCode,
    kind: &'static str,
    body: Vec<u8>,
}

impl Reply {
    /// A file.
    fn file(kind: &'static str, body: impl Into<Vec<u8>>) -> Reply {
        Reply { status: StatusCode::OK, kind, body: body.into() }
    }

    /// A document, indented as the program prints it. A stopped one has status 503, and an `error` besides the bounds.
    fn document(document: &impl Serialize, stopped: Option<StopReason>) -> Reply {
        let Some(reason @ StopReason::TimeLimit) = stopped else {
            return Reply::file(JSON, json_text(document, None));
        };
        let problem = Problem::out_of_time(reason);
        // Written as it is: an infinite bound is a number in the text, and no `serde_json::Value`.
        let stopped = Stopped { document, error: problem.to_json() };
        Reply { status: problem.status, ..Reply::file(JSON, json_text(&stopped, None)) }
    }

    /// The same on one line, for requests at every move of a slider.
    fn on_one_line(document: &impl Serialize, stopped: Option<StopReason>) -> Reply {
        match stopped {
            None => Reply::file(JSON, serde_json::to_string(document).expect("a document is JSON")),
            Some(_) => Reply::document(document, stopped),
        }
    }
}

/// A document with the reason why it has bounds only.
#[derive(Serialize)]
struct Stopped<'d, D> {
    #[serde(flatten)]
    document: &'d D,
    error: serde_json::Value,
}

const JSON: &str = "application/json";

impl Reply {
    /// The whole text of an answer that was in time.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.body).ok().filter(|_| self.status == StatusCode::OK)
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let response = Response::builder().status(self.status).header(header::CONTENT_TYPE, self.kind);
        response.body(Body::from(self.body)).expect("a valid response")
    }
}

/// The options of a solve for this request.
fn options(engine: commonweal::Engine, stop: &StopSignal) -> Options {
    Options { engine, stop: stop.clone(), ..Options::default() }
}
