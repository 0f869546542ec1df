//! The paths and their handlers, behind the guard and with a line in the log.

use crate::answers::{Context, QUESTIONS, Question, Reply, SoFar, Unanswered, VIEW};
use crate::connection::Client;
use crate::fields::Fields;
use crate::gallery::gallery;
use crate::guard::{Guard, HEADERS};
use crate::limits::{Limits, in_words};
use crate::log;
use crate::page::{self, Opened, typed};
use crate::problem::Problem;
use crate::queue::Queue;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use commonweal::Rational;
use http_body_util::BodyExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// The description of the API for programs.
const OPENAPI: &str = include_str!("../../../docs/openapi.json");
/// If the first view of a model takes longer, the page fetches it.
const FIRST_VIEW: Duration = Duration::from_secs(2);
const JSON: &str = "application/json";

/// What all requests share.
pub struct Shared {
    pub context: Context,
    pub guard: Guard,
    pub opened: Opened,
    pub quiet: bool,
    queue: Queue,
    /// The page, once it was made with all that there is to know about its model.
    index: OnceCell<Vec<u8>>,
}

impl Shared {
    pub fn new(context: Context, guard: Guard, opened: Opened, quiet: bool) -> Shared {
        let queue = Queue::new(&context.limits);
        Shared { context, guard, opened, quiet, queue, index: OnceCell::new() }
    }
}

/// All routes.
pub fn router(shared: Arc<Shared>) -> Router {
    let mut router = Router::new()
        .route("/", get(index))
        .route("/api/gallery", get(|| async { typed(JSON, serde_json::to_string(&gallery()).expect("JSON")) }))
        .route("/api/health", get(|| async { StatusCode::NO_CONTENT }))
        .route("/api/openapi.json", get(|| async { typed(JSON, OPENAPI) }));
    for path in page::assets() {
        router = router.route(&path, get(asset));
    }
    for (path, question) in QUESTIONS {
        let ask = move |shared, request| answer(question, shared, request);
        router = router.route(path, post(ask));
    }
    router
        .method_not_allowed_fallback(|uri: Uri| async move {
            let method = if QUESTIONS.iter().any(|(path, _)| *path == uri.path()) { "POST" } else { "GET" };
            Problem::method_not_allowed(format!("this path takes {method}")).into_response()
        })
        .fallback(|| async {
            Problem::not_found("there is nothing at this path").help("the page is at /, docs/api.md lists the API")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guarded))
        .with_state(shared)
}

/// Passes a request that the guard allows, and adds the security headers.
async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let entry = (!shared.quiet).then(|| log::Request::new(request.method().as_str(), request.uri().path()));
    let mut response = match shared.guard.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Some(entry) = entry {
        let bytes = response.body().size_hint().exact();
        entry.answered(response.status(), bytes);
    }
    response
}

/// The page. If there is no turn for its first view just now, the page asks for the view itself, and the next one is made anew.
async fn index(State(shared): State<Arc<Shared>>) -> Response {
    let make = || async {
        let body = serde_json::json!({"model": shared.opened.model}).to_string();
        let context = shared.context.clone();
        let work = move |stop: &_| VIEW(Fields::of(body.as_bytes())?, &context, stop);
        let view = shared.queue.run(FIRST_VIEW, FIRST_VIEW, work).await;
        let is_known = view.is_ok();
        let view = view.ok().and_then(Result::ok);
        let page = page::index(&shared.opened, view.as_ref().and_then(Reply::text));
        if is_known { Ok(page) } else { Err(page) }
    };
    let page = shared.index.get_or_try_init(make).await.cloned();
    typed("text/html; charset=utf-8", page.unwrap_or_else(|page| page))
}

async fn asset(uri: Uri) -> Response {
    page::asset(uri.path()).unwrap_or_else(|| Problem::not_found("there is no such file").into_response())
}

/// Reads the body of a question, waits for its turn, and answers it.
async fn answer(question: Question, State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let asked = async {
        let client = request.extensions().get::<Arc<Client>>().cloned();
        let body = body(request.into_body(), &shared.context.limits).await?;
        let _served = client.map(Client::served);
        let mut fields = Fields::of(&body)?;
        let most = shared.context.limits.time;
        let limit = match fields.number("time_limit")? {
            None => most,
            Some(text) => time_limit(&text)?.min(most),
        };
        let so_far = SoFar::default();
        let context = Context { so_far: so_far.clone(), ..shared.context.clone() };
        let answered =
            shared.queue.run(shared.context.limits.wait, limit, move |stop| question(fields, &context, stop));
        answered.await.unwrap_or_else(|problem| match so_far.take() {
            Some(bounds) if problem.status == StatusCode::SERVICE_UNAVAILABLE => Err(Unanswered::Stopped(bounds)),
            _ => Err(problem.into()),
        })
    };
    let asked: Result<Reply, Unanswered> = asked.await;
    asked.into_response()
}

fn time_limit(text: &str) -> Result<Duration, Problem> {
    let seconds = text.parse().ok().filter(|seconds: &Rational| *seconds > Rational::ZERO);
    let seconds =
        seconds.ok_or_else(|| Problem::bad_request("`time_limit` must be a positive number of seconds"))?.to_f64();
    // Longer than any server runs.
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// The body, if it is short enough and arrives in time. A body that is too long is read and discarded for a while, because a
/// client that is still sending does not read the answer.
async fn body(mut body: Body, limits: &Limits) -> Result<Vec<u8>, Problem> {
    const MOMENT: Duration = Duration::from_secs(2);
    let mut whole = Vec::new();
    let mut fits = HttpBody::size_hint(&body).lower() <= limits.body_bytes as u64;
    let wait = if fits { limits.patience } else { MOMENT };
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame?.into_data() else { continue };
            fits &= whole.len() + data.len() <= limits.body_bytes;
            if fits {
                whole.extend_from_slice(&data);
            }
        }
        Ok::<(), axum::Error>(())
    };
    let read = tokio::time::timeout(wait, reading).await;
    if !fits {
        let most = in_words(limits.body_bytes as u64);
        return Err(Problem::too_large(format!("the body is larger than {most}"))
            .help("large models are for the command line: `commonweal solve`"));
    }
    match read {
        Ok(Ok(())) => Ok(whole),
        Ok(Err(_)) => Err(Problem::bad_request("the body was cut off")),
        Err(_) => Err(Problem::too_slow("the body took too long to come")),
    }
}
