//! The page: built assets that are part of the program, and the model that the page opens with.

use crate::gallery::{Entry, FIRST, gallery};
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::RawValue;

/// The output of `scripts/build-web`: the folder, the name and the bytes of each file.
const BUILT: &[(&str, &str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/page.rs"));
/// The page itself among them.
const INDEX: &str = "index.html";

fn built(name: &str) -> Option<&'static [u8]> {
    BUILT.iter().find(|(_, other, _)| *other == name).map(|(_, _, bytes)| *bytes)
}

/// The placeholder in the page for the model that it opens with.
const PLACE: &str = "<script type=\"application/json\" id=\"opened\">null</script>";

/// The model that the page opens with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// How it is called.
    pub name: String,
    /// Its text, YAML.
    pub model: String,
}

impl Default for Opened {
    /// The hotel.
    fn default() -> Opened {
        let hotel = gallery().into_iter().find(|entry| entry.name == FIRST).expect("the gallery has the hotel");
        Opened { name: hotel.name, model: hotel.model }
    }
}

/// The data of the first paint.
#[derive(Serialize)]
struct First<'a> {
    name: &'a str,
    model: &'a str,
    gallery: Vec<Entry>,
    /// The `/api/view` of the model; `None` if that takes long or is an error.
    view: Option<&'a RawValue>,
}

/// The page with the model that it opens with embedded, for the first paint.
pub fn index(opened: &Opened, view: Option<&str>) -> Vec<u8> {
    let page = std::str::from_utf8(built(INDEX).expect("the page is built")).expect("the page is UTF-8");
    let view = view.and_then(|view| serde_json::from_str::<&RawValue>(view).ok());
    let first = First { name: &opened.name, model: &opened.model, gallery: gallery(), view };
    let first = serde_json::to_string(&first).expect("JSON has text keys").replace('<', "\\u003c");
    assert!(page.contains(PLACE), "the page has a place for what it opens with");
    page.replace(PLACE, &PLACE.replace("null", &first)).into_bytes()
}

/// The names of the assets beside the page.
pub fn assets() -> Vec<String> {
    BUILT.iter().filter(|(_, name, _)| *name != INDEX).map(|(_, name, _)| format!("/{name}")).collect()
}

/// An asset, as a response.
pub fn asset(path: &str) -> Option<Response> {
    let bytes = built(path.strip_prefix('/')?)?;
    let kind = match path.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    Some(typed(kind, bytes))
}

/// A response of this media type.
pub fn typed(kind: &'static str, body: impl Into<Body>) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, kind)], body.into()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_opens_with_cannot_leave_its_element() {
        let opened = Opened { name: "</script><script>alert(1)".to_owned(), model: "<!--".to_owned() };
        let page = String::from_utf8(index(&opened, Some("{\"a\": \"</script>\"}"))).expect("UTF-8");
        let (_, rest) = page.split_once("id=\"opened\">").expect("the element");
        let (inside, _) = rest.split_once("</script>").expect("its end");
        let value: serde_json::Value = serde_json::from_str(inside).expect("JSON");
        assert_eq!(value["name"], opened.name);
        assert_eq!(value["view"]["a"], "</script>");
    }
}
