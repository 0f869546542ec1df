//! docs/openapi.json against the server: every path exists, every example is answered, every answer is as described.

use super::serving::{PATIENT, Response, Serving};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn description() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the description")).expect("JSON")
}

/// What a reference stands for.
fn resolved<'d>(description: &'d Value, value: &'d Value) -> &'d Value {
    match value["$ref"].as_str() {
        Some(name) => {
            let pointer = name.strip_prefix('#').expect("references stay in the file");
            resolved(description, description.pointer(pointer).unwrap_or_else(|| panic!("{name} is missing")))
        }
        None => value,
    }
}

/// Why a value does not fit a schema, with the place; covers the part of JSON Schema that the description uses.
fn misfit(description: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    let schema = resolved(description, schema);
    let object = schema.as_object().expect("a schema is an object");
    let known = [
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "description",
        "enum",
        "exclusiveMinimum",
        "items",
        "maxLength",
        "maximum",
        "minimum",
        "oneOf",
        "pattern",
        "properties",
        "required",
        "type",
    ];
    if let Some(key) = object.keys().find(|key| !known.contains(&key.as_str())) {
        panic!("{place}: this test does not know `{key}`");
    }
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("{place}: there is no type `{other}`"),
    };
    let fits_type = match &schema["type"] {
        Value::Null => true,
        Value::String(kind) => is(kind),
        kinds => kinds.as_array().expect("types").iter().any(|kind| is(kind.as_str().expect("a type"))),
    };
    if !fits_type {
        return Some(format!("{place}: {value} is no {}", schema["type"]));
    }
    let bound = |key: &str| schema.get(key).map(|bound| bound.as_f64().expect("a number"));
    if let Some(number) = value.as_f64() {
        let is_within = bound("minimum").is_none_or(|least| number >= least)
            && bound("maximum").is_none_or(|most| number <= most)
            && bound("exclusiveMinimum").is_none_or(|below| number > below);
        if !is_within {
            return Some(format!("{place}: {value} is out of range"));
        }
    }
    if let Some(text) = value.as_str() {
        if bound("maxLength").is_some_and(|most| text.chars().count() as f64 > most) {
            return Some(format!("{place}: a text of {} characters is too long", text.chars().count()));
        }
        let fits = match schema["pattern"].as_str() {
            None => true,
            Some("^[0-9]+$") => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
            Some(other) => panic!("{place}: this test does not know the pattern {other}"),
        };
        if !fits {
            return Some(format!("{place}: {value} does not match {}", schema["pattern"]));
        }
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        if let Some(why) = misfit(description, part, value, place) {
            return Some(why);
        }
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return Some(format!("{place}: {value} is not {}", schema["const"]));
    }
    if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
        return Some(format!("{place}: {value} is none of {}", schema["enum"]));
    }
    if let Some(all) = schema["oneOf"].as_array() {
        let fitting = all.iter().filter(|one| misfit(description, one, value, place).is_none()).count();
        if fitting != 1 {
            return Some(format!("{place}: {value} fits {fitting} of {} forms", all.len()));
        }
    }
    if let Some(all) = schema["anyOf"].as_array() {
        let misfits: Vec<_> = all.iter().map_while(|one| misfit(description, one, value, place)).collect();
        if misfits.len() == all.len() {
            return Some(misfits.join("; or "));
        }
    }
    if let Some(entries) = value.as_object() {
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !entries.contains_key(key) {
                return Some(format!("{place}: `{key}` is missing"));
            }
        }
        for (key, entry) in entries {
            let inner = match (schema["properties"].get(key), &schema["additionalProperties"]) {
                (Some(known), _) => known,
                (None, Value::Bool(false)) => return Some(format!("{place}: `{key}` is not described")),
                (None, Value::Object(_)) => &schema["additionalProperties"],
                (None, _) => continue,
            };
            if let Some(why) = misfit(description, inner, entry, &format!("{place}/{key}")) {
                return Some(why);
            }
        }
    }
    if let (Some(items), Some(schema)) = (value.as_array(), schema.get("items")) {
        return items
            .iter()
            .enumerate()
            .find_map(|(at, item)| misfit(description, schema, item, &format!("{place}/{at}")));
    }
    None
}

/// A JSON document. A number that overflows a double, as which an infinite bound is written, is the largest double: `Value` has no infinity.
fn read(text: &str) -> Value {
    let raw = |text: &str| serde_json::from_str::<&RawValue>(text).expect("JSON").get().trim().to_owned();
    let text = raw(text);
    match text.as_bytes()[0] {
        b'{' => {
            let entries: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&text).expect("an object");
            entries.into_iter().map(|(key, value)| (key, read(value.get()))).collect::<serde_json::Map<_, _>>().into()
        }
        b'[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(&text).expect("a list");
            items.iter().map(|item| read(item.get())).collect()
        }
        b'-' | b'0'..=b'9' => serde_json::from_str(&text).unwrap_or_else(|_| {
            let number: f64 = text.parse().expect("a number");
            json!(number.clamp(f64::MIN, f64::MAX))
        }),
        _ => serde_json::from_str(&text).expect("JSON"),
    }
}

/// Checks an answer against the description of its path and status.
#[track_caller]
fn is_described(description: &Value, path: &str, method: &str, answer: &Response) {
    let responses = &description["paths"][path][method]["responses"];
    let described = resolved(description, &responses[answer.status.to_string()]);
    assert!(!described.is_null(), "{path}: {} is not described", answer.status);
    let Some(content) = described["content"].as_object() else {
        assert!(answer.body.is_empty(), "{path}: {answer:?}");
        return;
    };
    let kind = answer.header("content-type").expect("a media type").split(';').next().expect("a part");
    let schema = content.get(kind).unwrap_or_else(|| panic!("{path}: {kind} is not described"));
    if kind == "application/json" {
        let why = misfit(description, &schema["schema"], &read(answer.text()), path);
        assert!(why.is_none(), "{}", why.unwrap_or_default());
    }
}

#[test]
fn every_path_answers_its_example_as_described() {
    let (description, server) = (description(), Serving::new(&PATIENT));
    let paths = description["paths"].as_object().expect("paths");
    assert!(paths.len() >= 13);
    for (path, methods) in paths {
        if !methods["get"].is_null() {
            let answer = server.get(path);
            assert!(answer.status < 300, "{path}: {answer:?}");
            is_described(&description, path, "get", &answer);
            continue;
        }
        let content = &methods["post"]["requestBody"]["content"]["application/json"];
        let example = &content["example"];
        assert_eq!(misfit(&description, &content["schema"], example, path), None);
        let answer = server.post(path, example);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        is_described(&description, path, "post", &answer);
        // Refusals are as described too.
        for (body, status) in [("{", 400), ("{\"model\": \"x: 1\"}", 422), ("{\"model\": \"\", \"nothing\": 0}", 400)] {
            let needed = &content["schema"]["required"];
            let answer = server.send("POST", path, &[], body.as_bytes());
            let expected = if needed.as_array().is_some_and(|keys| keys.len() > 1) { 400 } else { status };
            assert_eq!(answer.status, expected, "{path} {body}: {answer:?}");
            is_described(&description, path, "post", &answer);
        }
        // Without time for anything, the answer has the bounds that are known without computing, and says why.
        let mut hurried = example.clone();
        hurried["time_limit"] = json!(1e-9);
        let stopped = server.post(path, &hurried);
        if path != "/api/model" {
            assert!(stopped.status == 503 && read(stopped.text())["format"].is_string(), "{path}: {stopped:?}");
        }
        is_described(&description, path, "post", &stopped);
        let foreign = server.send("POST", path, &[("Origin", "http://example.org")], b"{}");
        is_described(&description, path, "post", &foreign);
    }
}

#[test]
fn the_server_takes_exactly_the_keys_that_are_described() {
    let (description, server) = (description(), Serving::new(&PATIENT));
    for (path, methods) in description["paths"].as_object().expect("paths") {
        let content = &methods["post"]["requestBody"]["content"]["application/json"];
        let Some(keys) = content["schema"]["properties"].as_object() else { continue };
        for key in keys.keys() {
            // No key takes a list as its value: a known key is refused by its name, and not as unknown.
            let mut body = content["example"].clone();
            body[key] = json!([]);
            let message = server.post(path, &body).json()["error"]["message"].to_string();
            let is_picture_of_one = path == "/api/picture"
                && ["x", "y", "resolution", "least", "greatest", "vertices"].contains(&key.as_str());
            assert!(is_picture_of_one || message.contains(&format!("`{key}`")), "{path}: {key}: {message}");
            assert!(is_picture_of_one || !message.contains("there is no key"), "{path}: {key}: {message}");
        }
    }
}

#[test]
fn the_server_hands_out_its_own_description() {
    let server = Serving::new(&PATIENT);
    assert_eq!(server.get("/api/openapi.json").json(), description());
}

#[test]
fn the_check_itself_finds_what_does_not_fit() {
    let none = json!({});
    let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {"a": {"type": ["string", "null"]}}});
    assert_eq!(misfit(&none, &schema, &json!({"a": null}), ""), None);
    for wrong in [json!({}), json!({"a": 1}), json!({"a": "", "b": 1}), json!([])] {
        assert!(misfit(&none, &schema, &wrong, "").is_some(), "{wrong}");
    }
    let of_kind = json!({"type": "number"});
    for (schema, right, wrong) in [
        (json!({"minimum": 2}), json!(2), json!(1)),
        (json!({"maximum": 2}), json!(2), json!(2.5)),
        (json!({"exclusiveMinimum": 0}), json!(1e-9), json!(0)),
        (json!({"maxLength": 2}), json!("äö"), json!("abc")),
        (json!({"pattern": "^[0-9]+$"}), json!("12"), json!("1a")),
        (json!({"allOf": [of_kind, {"minimum": 1}]}), json!(1), json!("1")),
    ] {
        assert_eq!(misfit(&none, &schema, &right, ""), None, "{schema}");
        assert!(misfit(&none, &schema, &wrong, "").is_some(), "{schema}");
    }
    assert_eq!(read("[1e999, -1e999, \"1e999\"]"), json!([f64::MAX, f64::MIN, "1e999"]));
}
