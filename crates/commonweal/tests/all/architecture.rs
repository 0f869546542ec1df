//! Checks the invariants of ARCHITECTURE.md on the library's sources: dependencies, rounding, and the use of the thread pool.

use std::fs;
use std::path::Path;

/// The modules of the library, in an order in which each uses only modules of earlier lines.
const ORDER: &[&[&str]] = &[
    &["parallel"],
    &["number"],
    &["stop"],
    &["model"],
    &["principals", "strategy"],
    &["text"],
    &["kernel"],
    &["linear_system"],
    &["quotient"],
    &["exponential_sum"],
    &["exact", "certified"],
    &["evaluation"],
    &["search", "fair", "explain", "landscape"],
    &["certificate"],
    &["reductions", "families"],
    &["io"],
    &["front door"],
];

/// The files that make up the front door: they use everything, and one another.
const FRONT_DOOR: &[&str] = &[
    "alternatives",
    "answer",
    "commitment",
    "compare",
    "documents",
    "evaluate",
    "front",
    "internals",
    "lib",
    "outlook",
    "questions",
    "solve",
];

/// The exceptions: which module may use a later one, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("exact", "front door", "an engine takes `Options` and returns an `Answer`"),
    ("certified", "front door", "an engine takes `Options` and returns an `Answer`"),
    ("exact", "evaluation", "`Payoffs` are a part of the answer, and some are evaluated over its tail"),
    ("certified", "evaluation", "`Payoffs` are a part of the answer"),
    ("quotient", "front door", "it lifts an `Answer`"),
    ("quotient", "evaluation", "`Payoffs` are a part of the answer"),
    ("search", "front door", "it solves parts of the model under `Options`"),
    ("fair", "front door", "it solves the model for many weights under `Options`"),
    ("landscape", "front door", "it solves the model at many discounts under `Options`"),
    ("explain", "front door", "it explains an `Answer`"),
    ("certificate", "front door", "it proves an `Answer`"),
];

/// The files besides `number` that bound rounding errors, and why.
const ROUNDS: &[(&str, &str)] = &[
    ("evaluation/simulation/patience.rs", "a simulated interval includes what rounding does to a mean of runs"),
    ("evaluation/simulation/interval.rs", "a simulated interval is widened by what rounding does to its own ends"),
    ("evaluation/simulation/chain.rs", "the range of what a run is worth is widened by what rounding does to it"),
];

/// A source file: its path under `src`, its room, and its text without tests and comments.
struct Source {
    path: String,
    room: String,
    text: String,
}

fn sources() -> Vec<Source> {
    fn collect(folder: &Path, root: &Path, found: &mut Vec<Source>) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, root, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
                let whole = fs::read_to_string(&path).expect("a source");
                let relative = path.strip_prefix(root).expect("under the root").to_string_lossy().replace('\\', "/");
                let room = room_of(relative.split(['/', '.']).next().expect("a name"));
                found.push(Source { path: relative, room, text: without_tests_and_comments(&whole) });
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    collect(&root, &root, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 100, "the sources are looked for in the wrong place");
    found
}

fn room_of(name: &str) -> String {
    // The root's own names are those of the front door.
    let is_front_door = FRONT_DOOR.contains(&name) || name.starts_with(char::is_uppercase);
    if is_front_door { "front door".to_owned() } else { name.to_owned() }
}

/// The text before the unit tests, which are at the end of a file.
fn without_tests_and_comments(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().expect("a first part");
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    code.lines().filter(is_code).map(|line| line.to_owned() + "\n").collect()
}

/// The modules that a source names after `crate::`.
fn used(source: &Source) -> Vec<String> {
    let first_name = |path: &str| path.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().map(room_of);
    let names = source.text.split("crate::").skip(1).flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => paths(list).iter().filter_map(|path| first_name(path)).collect(),
        None => Vec::from_iter(first_name(rest)),
    });
    names.filter(|room| !room.is_empty() && *room != source.room).collect()
}

/// The paths of a list up to its closing brace; lists inside it stay with their path.
fn paths(list: &str) -> Vec<String> {
    let (mut paths, mut depth) = (vec![String::new()], 0);
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => paths.push(String::new()),
            c if c.is_whitespace() => {}
            c => paths.last_mut().expect("a path").push(c),
        }
    }
    paths
}

#[test]
fn every_room_uses_only_what_stands_before_it() {
    let line = |room: &str| {
        let found = ORDER.iter().position(|rooms| rooms.contains(&room));
        found.unwrap_or_else(|| panic!("`{room}` has no place in the order of rooms"))
    };
    let mut needed = vec![false; EXCEPTIONS.len()];
    for source in &sources() {
        for room in used(source) {
            if line(&room) < line(&source.room) {
                continue;
            }
            match EXCEPTIONS.iter().position(|(from, to, _)| (*from, *to) == (&source.room, &room)) {
                Some(exception) => needed[exception] = true,
                None => panic!("{} uses `{room}`, which does not stand before `{}`", source.path, source.room),
            }
        }
    }
    for ((from, to, _), needed) in EXCEPTIONS.iter().zip(needed) {
        assert!(needed, "`{from}` no longer uses `{to}`: strike the exception");
    }
}

#[test]
fn only_number_rounds() {
    for source in sources().iter().filter(|source| source.room != "number") {
        for word in ["next_up", "next_down", "EPSILON", "UNIT_ROUNDOFF"] {
            let listed = ROUNDS.iter().any(|(path, _)| *path == source.path);
            assert!(listed || !source.text.contains(word), "{}: `{word}` belongs into number", source.path);
        }
    }
}

#[test]
fn only_parallel_names_the_library_that_shares_work_between_threads() {
    for source in sources() {
        let names = source.text.contains("rayon");
        assert!(source.path == "parallel.rs" || !names, "{}: threads belong into parallel", source.path);
    }
}
