//! Why a request is refused: a status, and a JSON document that names the place and the cure.

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use commonweal::files::{ParseError, ReadError};
use commonweal::limits::StopReason;
use commonweal::questions::FairError;
use serde_json::json;

/// What is wrong with a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub(crate) status: StatusCode,
    message: String,
    /// The line and the column of the model, from 1, and how many characters are meant.
    place: Option<(usize, usize, usize)>,
    help: Option<String>,
    /// In how many seconds to ask again.
    retry: Option<u32>,
}

impl Problem {
    fn new(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem { status, message: message.into(), place: None, help: None, retry: None }
    }

    /// The body is not what the API takes.
    pub(crate) fn bad_request(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, message)
    }

    /// The request comes from another place than this server's own page.
    pub(crate) fn forbidden(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, message)
    }

    pub(crate) fn method_not_allowed(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, message)
    }

    /// The client took too long to send its request.
    pub(crate) fn too_slow(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::REQUEST_TIMEOUT, message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// The model or the question is invalid.
    pub fn unprocessable(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    pub(crate) fn busy() -> Problem {
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many requests are waiting already");
        Problem { retry: Some(1), ..problem.help("ask again in a moment") }
    }

    /// The turn of a request did not come in time.
    pub(crate) fn waited() -> Problem {
        Problem { message: "this request has waited too long for its turn".to_owned(), ..Problem::busy() }
    }

    /// The time limit was reached before there was any result.
    pub(crate) fn out_of_time(reason: StopReason) -> Problem {
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("stopped: {reason}"));
        problem.help("ask for less, give the server a longer --time-limit, or use the command line")
    }

    /// A bug of this program.
    pub(crate) fn internal() -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the server failed on this request; that is a bug")
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Problem {
        Problem { help: Some(help.into()), ..self }
    }

    /// The error as a document has it.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let (line, column, length) = match self.place {
            Some((line, column, length)) => (Some(line), Some(column), Some(length)),
            None => (None, None, None),
        };
        json!({"message": self.message, "line": line, "column": column, "length": length, "help": self.help})
    }
}

impl From<ParseError> for Problem {
    fn from(error: ParseError) -> Problem {
        let place = Some((error.line, error.column, error.length));
        Problem { place, help: error.help, ..Problem::unprocessable(error.message) }
    }
}

impl From<FairError> for Problem {
    fn from(error: FairError) -> Problem {
        Problem::unprocessable(error.to_string())
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Problem {
        match error {
            ReadError::Text(error) => error.into(),
            ReadError::In { error, .. } => (*error).into(),
            ReadError::Archive { ref help, .. } => {
                Problem { help: help.clone(), ..Problem::unprocessable(error.to_string()) }
            }
            error => Problem::unprocessable(error.to_string()),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_string_pretty(&json!({"error": self.to_json()})).expect("JSON has text keys") + "\n";
        let mut response = Response::builder().status(self.status).header(header::CONTENT_TYPE, "application/json");
        if let Some(seconds) = self.retry {
            response = response.header(header::RETRY_AFTER, seconds);
        }
        response.body(Body::from(body)).expect("a valid response")
    }
}
