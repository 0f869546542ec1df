//! The questions of the API, one file for each family of answers.

mod fair;
mod files;
mod map;
mod solve;
mod view;

use crate::fields::Fields;
use crate::limits::Limits;
use crate::memory::Held;
use crate::problem::Problem;
use crate::program::Program;
use crate::request::Asked;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use commonweal::answers::{DEFAULT_GAP, unsolved};
use commonweal::documents::json_text;
use commonweal::limits::StopReason;
use commonweal::{Engine, Model, Options, StopSignal};
use serde::Serialize;
use std::sync::{Arc, Mutex};

/// The context of a question.
#[derive(Clone)]
pub struct Context {
    pub limits: Limits,
    pub program: Arc<dyn Program>,
    pub so_far: SoFar,
}

/// What a request has so far: its answer if the rest does not come in time.
#[derive(Clone, Default)]
pub struct SoFar(Arc<Mutex<Option<Known>>>);

/// Writes what is known when it is asked for.
type Known = Box<dyn FnOnce() -> Reply + Send>;

impl SoFar {
    fn keep(&self, reply: Reply) {
        self.keep_what(move || reply);
    }

    /// The same of something that grows: it is written only if it is needed, as it is then.
    fn keep_what(&self, known: impl FnOnce() -> Reply + Send + 'static) {
        *self.0.lock().expect("nobody panics with it") = Some(Box::new(known));
    }

    pub fn take(&self) -> Option<Reply> {
        let known = self.0.lock().expect("nobody panics with it").take();
        known.map(|known| known())
    }
}

/// A question: the keys of its body become a reply.
pub type Question = fn(Fields, &Context, &StopSignal) -> Result<Reply, Unanswered>;

/// Why a question has no answer of its own kind.
#[derive(Debug)]
pub enum Unanswered {
    Refused(Problem),
    /// Its time was over: the bounds so far.
    Stopped(Reply),
}

impl From<Problem> for Unanswered {
    fn from(problem: Problem) -> Unanswered {
        Unanswered::Refused(problem)
    }
}

impl IntoResponse for Unanswered {
    fn into_response(self) -> Response {
        match self {
            Unanswered::Refused(problem) => problem.into_response(),
            Unanswered::Stopped(reply) => reply.into_response(),
        }
    }
}

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

    /// A document, indented as the program prints it. One whose time was over has status 503; one that its work ended is an answer.
    fn document(document: &impl Serialize, stopped: Option<StopReason>) -> Reply {
        match stopped {
            Some(reason @ StopReason::TimeLimit) => Reply::stopped(document, reason),
            _ => Reply::file(JSON, json_text(document, None)),
        }
    }

    /// A document in place of an answer, with status 503 and an `error` besides the bounds.
    fn stopped(document: &impl Serialize, reason: StopReason) -> Reply {
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

/// The model of a request that will be solved. What its rewards alone say is its answer from here on, because an engine may be late
/// in seeing that its time is over.
fn model(asked: &Asked, context: &Context, held: impl Fn(&Model) -> Held) -> Result<Model, Problem> {
    let model = asked.model(&context.limits, held)?;
    if let Some(answer) = unsolved(&model, StopReason::TimeLimit) {
        context.so_far.keep(solve::bounds(&model, &answer, StopReason::TimeLimit));
    }
    Ok(model)
}

/// The engine for what the page shows of a model.
fn for_page(asked: Engine, model: &Model) -> Engine {
    /// A larger model is solved in doubles unless fractions are asked for: those of a thousand states take a second, doubles a
    /// twentieth of it.
    const MOST_IN_FRACTIONS: usize = 200;
    match asked {
        Engine::Auto if model.n_states() > MOST_IN_FRACTIONS && model.check_doubles().is_ok() => {
            Engine::Within(DEFAULT_GAP)
        }
        asked => asked,
    }
}

/// The options of a solve for this request.
fn options(engine: Engine, stop: &StopSignal) -> Options {
    Options { engine, stop: stop.clone(), ..Options::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Ending, Pictured};
    use commonweal::Answer;
    use commonweal::questions::Front;

    struct Nothing;

    impl Program for Nothing {
        fn accepts(&self, _: &Model, _: &Answer) -> bool {
            false
        }

        fn csv(&self, _: &Model, _: &Answer, _: &StopSignal) -> String {
            String::new()
        }

        fn comparison_csv(&self, _: &Model, _: &Answer, _: &StopSignal) -> String {
            String::new()
        }

        fn front_csv(&self, _: &Model, _: &Front) -> String {
            String::new()
        }

        fn report(&self, _: &str, _: &Model, _: &Answer, _: &StopSignal) -> String {
            String::new()
        }

        fn picture(&self, _: &Pictured, _: Ending) -> Result<Vec<u8>, Problem> {
            Ok(Vec::new())
        }
    }

    /// Rewards from -1 to 6: alice, at 2/3, gets from -3 to 18; bob, at 1/3, from -3/2 to 9.
    #[test]
    fn before_anything_is_solved_the_rewards_have_bounds() {
        const BODY: &str = r#"{"model": "{principals: {alice: 2/3, bob: 1/3}, states: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}}"}"#;
        let context = Context { limits: Limits::default(), program: Arc::new(Nothing), so_far: SoFar::default() };
        let mut fields = Fields::of(BODY.as_bytes()).expect("JSON");
        let asked = Asked::take(&mut fields).expect("a model");
        model(&asked, &context, |_| Held::default()).expect("the hotel");
        let reply = context.so_far.take().expect("bounds");
        assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
        let document: serde_json::Value = serde_json::from_slice(&reply.body).expect("JSON");
        let bounds =
            |number: &serde_json::Value| [number["lower"].as_f64().unwrap(), number["upper"].as_f64().unwrap()];
        let start = &document["states"]["s0"];
        let known = [&start["welfare"], &start["payoffs"]["alice"], &start["payoffs"]["bob"]].map(bounds);
        for (found, expected) in known.iter().zip([[-4.5, 27.0], [-3.0, 18.0], [-1.5, 9.0]]) {
            assert!(found[0] <= expected[0] && found[1] >= expected[1], "{found:?} {expected:?}");
            assert!((found[0] - expected[0]).abs() + (found[1] - expected[1]).abs() < 1e-9, "{found:?} {expected:?}");
        }
    }
}
