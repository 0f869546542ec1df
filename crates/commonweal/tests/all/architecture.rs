//! Checks the invariants of ARCHITECTURE.md on the library's sources: dependencies, rounding, and the use of the thread pool.

use std::fs;
use std::path::Path;

/// The modules of the library, in an order in which each uses only modules of earlier lines.
const ORDER: &[&[&str]] = &[
    &["parallel"],
    &["number"],
    &["stop"],
    &["ranks"],
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

/// The crates that the library depends on, as sources name them.
fn dependencies() -> Vec<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("a manifest");
    let section = manifest.split("[dependencies]\n").nth(1).expect("dependencies").split("\n[").next().expect("a part");
    let name = |line: &str| line.split(['.', ' ', '=']).next().expect("a name").replace('-', "_");
    section.lines().filter(|line| !line.is_empty()).map(name).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The types and traits of other libraries that a text imports or names anew.
fn foreign_names(text: &str, crates: &[String]) -> Vec<String> {
    let named = text.split_inclusive(';').filter_map(|statement| {
        let statement = statement.trim_start();
        let is_import = statement.starts_with("use ") || statement.starts_with("pub use ");
        let (_, alias) = statement.rsplit_once("type ").filter(|(_, rest)| rest.contains(" = ")).unwrap_or_default();
        let statement = if is_import { statement } else { alias };
        words(statement).any(|word| crates.iter().any(|name| name == word)).then_some(statement)
    });
    let is_type = |word: &&str| word.starts_with(char::is_uppercase);
    named.flat_map(|statement| words(statement).filter(is_type).map(str::to_owned)).collect()
}

/// What a text shows to those who may use everything that is `pub`: signatures, fields, variants, names of types.
fn public_signatures(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut signatures = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(item) = line.trim_start().strip_prefix("pub ") else { continue };
        let rest = lines[index..].join("\n");
        let up_to = |ends: &[char]| rest.split(ends).next().expect("a first part").to_owned();
        let indent = " ".repeat(line.len() - line.trim_start().len());
        let body = || rest.split(&format!("\n{indent}}}")).next().expect("a first part").to_owned();
        let shown = match words(item).next().expect("a word") {
            "enum" | "trait" => body().lines().filter(|line| !line.trim_start().starts_with("#[")).collect(),
            "struct" if up_to(&['{', ';']).contains('(') => {
                let (name, fields) = rest.split_once('(').expect("fields");
                let fields = fields.split([',', ')']).filter(|field| field.trim_start().starts_with("pub "));
                fields.fold(name.to_owned(), |shown, field| shown + " " + field)
            }
            "const" if !item.starts_with("const fn") => up_to(&['=']),
            "const" | "fn" | "struct" | "type" | "use" | "mod" => up_to(&['{', ';']),
            _ => (*line).to_owned(),
        };
        signatures.push(shown);
    }
    signatures
}

/// A type of a library whose version begins with 0 would break our users with every one of its releases.
#[test]
fn no_public_signature_names_a_type_of_another_library() {
    let crates = dependencies();
    assert!(crates.iter().any(|name| name == "dashu_int") && crates.len() > 10, "{crates:?}");
    let sources = sources();
    let everywhere =
        foreign_names(&sources.iter().find(|one| one.path == "number/mod.rs").expect("a file").text, &crates);
    assert!(everywhere.iter().any(|name| name == "Integer"), "{everywhere:?}");
    let mut n_signatures = 0;
    for source in &sources {
        let foreign = foreign_names(&source.text, &crates);
        for signature in public_signatures(&source.text) {
            n_signatures += 1;
            let is_foreign = |word: &&str| {
                let is_any = |names: &[String]| names.iter().any(|name| name == word);
                is_any(&foreign) || is_any(&everywhere) || is_any(&crates)
            };
            let named = words(&signature).find(is_foreign);
            assert_eq!(named, None, "{}: `{signature}` shows a type of another library", source.path);
        }
    }
    assert!(n_signatures > 1_000, "{n_signatures}");
}
