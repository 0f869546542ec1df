//! Checks the invariants of ARCHITECTURE.md on the library's sources: dependencies, rounding, and the use of the thread pool.

use std::collections::BTreeSet;
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
    "files",
    "any_model",
    "internals",
    "lib",
    "outlook",
    "own_best",
    "questions",
    "solve",
];

/// The exceptions: which modules may use a later one, and why. A file of the front door has its own name here.
const EXCEPTIONS: &[(&[&str], &str, &str)] = &[
    (
        &["exact", "certified", "quotient", "landscape", "explain", "certificate"],
        "answer",
        "they return or read an `Answer`",
    ),
    (&["exact", "certified", "landscape", "certificate", "search"], "solve", "they take `Options`"),
    (&["exact", "certified", "quotient"], "evaluation", "`Payoffs` are a part of the answer"),
    (&["fair"], "solve", "it solves the model for many weights under `Options`"),
    (&["fair"], "answer", "it reads what is claimed of each solve"),
    (&["fair", "certificate"], "any_model", "their model may be in doubles"),
    (&["search"], "any_model", "a search that has not begun has no model in fractions"),
    (&["fair"], "evaluate", "the reference point may be a strategy"),
];

/// The files besides `number` that bound rounding errors, and why.
const ROUNDS: &[(&str, &str)] = &[
    ("evaluation/simulation/patience.rs", "a simulated interval includes what rounding does to a mean of runs"),
    ("evaluation/simulation/interval.rs", "a simulated interval is widened by what rounding does to its own ends"),
    ("evaluation/simulation/chain.rs", "the range of what a run is worth is widened by what rounding does to it"),
];

/// A source file: its path under `src`, its module, and its text without tests and comments.
struct Source {
    path: String,
    module: String,
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
                let module = module_of(relative.split(['/', '.']).next().expect("a name"));
                found.push(Source { path: relative, module, text: without_tests_and_comments(&whole) });
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

fn module_of(name: &str) -> String {
    // The root's own names are those of the front door.
    let is_front_door = FRONT_DOOR.contains(&name) || name.starts_with(char::is_uppercase);
    if is_front_door { "front door".to_owned() } else { name.to_owned() }
}

/// The text before the unit tests, which are at the end of a file. Tests in a file of their own are only named there.
fn without_tests_and_comments(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().expect("a first part");
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    code.lines().filter(is_code).map(|line| line.to_owned() + "\n").collect()
}

/// The modules that a source names after `crate::`, of other modules than its own.
fn used(source: &Source) -> Vec<String> {
    let first_name = |path: &str| path.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().map(str::to_owned);
    let names = source.text.split("crate::").skip(1).flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => paths(list).iter().filter_map(|path| first_name(path)).collect(),
        None => Vec::from_iter(first_name(rest)),
    });
    names.filter(|name| !name.is_empty() && module_of(name) != source.module).collect()
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
fn every_module_uses_only_what_stands_before_it() {
    let line = |module: &str| {
        let found = ORDER.iter().position(|modules| modules.contains(&module));
        found.unwrap_or_else(|| panic!("`{module}` has no place in the order of modules"))
    };
    let mut needed = BTreeSet::new();
    for source in &sources() {
        for name in used(source) {
            if line(&module_of(&name)) < line(&source.module) {
                continue;
            }
            let is_exception =
                EXCEPTIONS.iter().any(|(from, to, _)| from.contains(&source.module.as_str()) && *to == name);
            assert!(is_exception, "{} uses `{name}`, which does not stand before `{}`", source.path, source.module);
            needed.insert((source.module.clone(), name));
        }
    }
    for (modules, to, _) in EXCEPTIONS {
        for from in *modules {
            let is_needed = needed.contains(&((*from).to_owned(), (*to).to_owned()));
            assert!(is_needed, "`{from}` no longer uses `{to}`: strike the exception");
        }
    }
}

/// The engines tell one story: each file of this list stands in both, as a file or as a folder.
#[test]
fn the_engines_have_the_same_files() {
    const STORY: [&str; 9] =
        ["long_term", "advantage", "base", "horizon", "walk", "jump", "memory", "payoff", "segments"];
    let sources = sources();
    for engine in ["exact", "certified"] {
        for name in STORY {
            let places = [format!("{engine}/{name}.rs"), format!("{engine}/{name}/mod.rs")];
            assert!(sources.iter().any(|source| places.contains(&source.path)), "{engine} has no {name}");
        }
    }
}

#[test]
fn only_number_rounds() {
    for source in sources().iter().filter(|source| source.module != "number") {
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

/// What a text shows to those who may use everything that is `pub`: signatures, fields, variants, names of types. What is
/// hidden from the documentation is left out.
fn public_signatures(text: &str) -> Vec<String> {
    owned_signatures(text).into_iter().map(|(_, signature)| signature).collect()
}

/// The same, each with the type whose it is; a function by itself is its own.
fn owned_signatures(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut signatures = Vec::new();
    let mut owner = String::new();
    for (index, line) in lines.iter().enumerate() {
        if !line.is_empty() && !line.starts_with([' ', '}', ')', '#']) {
            owner = owner_of(line);
        }
        let is_hidden = lines[..index]
            .iter()
            .rev()
            .take_while(|line| line.trim_start().starts_with("#["))
            .any(|line| line.contains("doc(hidden)"));
        let Some(item) = line.trim_start().strip_prefix("pub ").filter(|_| !is_hidden) else { continue };
        let rest = lines[index..].join("\n");
        let up_to = |ends: &[char]| rest.split(ends).next().expect("a first part").to_owned();
        let indent = " ".repeat(line.len() - line.trim_start().len());
        let body = || rest.split(&format!("\n{indent}}}")).next().expect("a first part").to_owned();
        let shown = match words(item).next().expect("a word") {
            // The types of the variants, without the variants' names.
            "enum" => {
                let is_variant = |line: &str| {
                    line.starts_with(&format!("{indent}    ")) && !line.starts_with(&format!("{indent}     "))
                };
                let without_name =
                    |line: &str| line.trim_start_matches(|c: char| c.is_alphanumeric() || c == ' ').to_owned();
                let types = body()
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("#["))
                    .map(|line| if is_variant(line) { without_name(line) } else { line.to_owned() })
                    .collect::<Vec<_>>();
                types.join(" ")
            }
            // Without the bodies of default methods.
            "trait" => body().lines().filter(|line| !line.starts_with("        ")).collect::<Vec<_>>().join(" "),
            "struct" if up_to(&['{', ';']).contains('(') => {
                let (name, fields) = rest.split_once('(').expect("fields");
                let fields = fields.split([',', ')']).filter(|field| field.trim_start().starts_with("pub "));
                fields.fold(name.to_owned(), |shown, field| shown + " " + field)
            }
            "const" if !item.starts_with("const fn") => up_to(&['=']),
            "const" | "fn" | "struct" | "type" | "use" | "mod" => up_to(&['{', ';']),
            _ => (*line).to_owned(),
        };
        signatures.push((owner.clone(), shown));
    }
    signatures
}

/// The type that a block at the beginning of a line is about, or the name of the item there; empty for the implementation of a
/// trait, whose signatures are the trait's.
fn owner_of(line: &str) -> String {
    let Some(rest) = line.strip_prefix("impl") else {
        let keyword = |word: &&str| !["pub", "crate", "const", "fn", "struct", "enum", "trait", "type"].contains(word);
        return words(line).find(keyword).unwrap_or_default().to_owned();
    };
    let mut depth = 0;
    let after_generics = rest.find(|c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && c != '>'
    });
    let of = &rest[after_generics.unwrap_or(0)..];
    if of.contains(" for ") { String::new() } else { words(of).next().unwrap_or_default().to_owned() }
}

/// The traits of serde, whose version is 1: a program can put a document into its own, or write it in another form.
const EXCUSED: &[(&str, &str)] =
    &[("documents/mod.rs", "Serialize"), ("documents/mod.rs", "DeserializeOwned"), ("documents/mod.rs", "Serializer")];

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
            let is_excused = |word: &str| EXCUSED.contains(&(source.path.as_str(), word));
            let named = words(&signature).filter(|word| !is_excused(word)).find(is_foreign);
            assert_eq!(named, None, "{}: `{signature}` shows a type of another library", source.path);
        }
    }
    assert!(n_signatures > 1_000, "{n_signatures}");
}

/// The public modules, as files.
const PUBLIC: &[&str] = &["lib.rs", "documents/mod.rs", "files.rs", "questions.rs", "text.rs"];

/// The names that a public module exports, each with the folder or file that it is from: `fair` or `answer`.
fn exported(source: &Source) -> Vec<(String, String)> {
    let here = source.path.trim_end_matches(".rs").trim_end_matches("/mod").to_owned();
    let mut found = Vec::new();
    for (_, statement) in source.text.split(';').filter_map(|text| text.split_once("pub use ")) {
        let path = statement.trim_start_matches("crate::");
        let is_inside = !statement.starts_with("crate::") && here != "lib";
        let (from, names) = path.split_once("::").expect("a path");
        let from = if is_inside { format!("{here}/{from}") } else { from.to_owned() };
        for name in paths(names.trim_start_matches('{')) {
            // `front::front as front_in` has lost its spaces.
            let name = name.split("::").last().expect("a name").to_owned();
            found.extend((!name.is_empty()).then(|| (from.clone(), name)));
        }
    }
    let own = owned_signatures(&source.text).into_iter().map(|(owner, _)| (here.clone(), owner));
    found.extend(own.filter(|_| here != "lib"));
    found
}

/// The type or trait that a line at the margin defines.
fn defined(line: &str) -> Option<String> {
    let item = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub "))?;
    let (kind, rest) = item.split_once(' ')?;
    ["struct", "enum", "trait", "type"].contains(&kind).then(|| words(rest).next().map(str::to_owned))?
}

/// Whether a text has a name from the standard library.
fn is_of_std(text: &str, word: &str) -> bool {
    text.split(';')
        .filter(|statement| statement.trim_start().starts_with("use std::"))
        .any(|statement| words(statement).any(|one| one == word))
}

/// Users can write down the type of whatever they get: no public signature names a type that only `internals` exports.
#[test]
fn every_type_of_a_public_signature_has_a_public_name() {
    let sources = sources();
    let public: Vec<(String, String)> =
        sources.iter().filter(|source| PUBLIC.contains(&source.path.as_str())).flat_map(exported).collect();
    let is_public = |word: &str| public.iter().any(|(_, name)| name == word);
    assert!(["Model", "Answer", "Sweep", "DocumentError"].into_iter().all(is_public), "{public:?}");
    let own: BTreeSet<String> = sources.iter().flat_map(|source| source.text.lines().filter_map(defined)).collect();
    // Documents have types of the same names as what they are about: a type of theirs is exported by `documents`.
    let is_named = |source: &Source, word: &str| {
        let is_document = source.path.starts_with("documents/");
        let is_own = is_document && source.text.lines().filter_map(defined).any(|name| name == word);
        public.iter().any(|(from, name)| name == word && (!is_own || from.starts_with("documents")))
    };
    let (mut n_signatures, mut unnamed) = (0, Vec::new());
    for source in &sources {
        let file = source.path.trim_end_matches(".rs").trim_end_matches("/mod");
        let is_inside = |from: &str| file == from || file.strip_prefix(from).is_some_and(|rest| rest.starts_with('/'));
        for (owner, signature) in owned_signatures(&source.text) {
            let is_shown = public.iter().any(|(from, name)| *name == owner && (is_inside(from) || file == "any_model"));
            if !is_shown || signature.trim_start().starts_with("pub use") {
                continue;
            }
            n_signatures += 1;
            let is_type = |word: &&str| word.len() > 1 && word.starts_with(char::is_uppercase) && *word != "Self";
            for word in words(&signature).filter(is_type).filter(|word| own.contains(*word) && !is_named(source, word))
            {
                if is_of_std(&source.text, word) {
                    continue;
                }
                unnamed.push(format!("{}: `{word}` in `{}` of `{owner}`", source.path, signature.trim()));
            }
        }
    }
    assert!(unnamed.is_empty(), "no public module exports these types:\n{}", unnamed.join("\n"));
    assert!(n_signatures > 300, "{n_signatures}");
}

/// The front page is short: a dozen names; everything else has a module that says what it is for.
#[test]
fn the_root_has_a_dozen_names() {
    let root = sources().into_iter().find(|source| source.path == "lib.rs").expect("the library has a root");
    let at_the_margin: Vec<&str> = root.text.lines().filter_map(|line| line.strip_prefix("pub use ")).collect();
    let names: Vec<&str> =
        at_the_margin.iter().flat_map(|line| words(line.split_once("::").expect("a path").1)).collect();
    assert!(names.contains(&"Model") && names.contains(&"solve"), "{names:?}");
    assert!(names.len() <= 12, "{names:?}");
}

/// The files of front ends that use `internals`, and why.
const INSIDE: &[(&str, &str)] = &[
    ("commonweal-cli/src/commands/generate.rs", "it writes the models of seeded families and of reductions"),
    ("commonweal-cli/src/commands/sat.rs", "it decides formulas by a reduction"),
];

/// The crates that talk to users.
const FRONT_ENDS: [&str; 4] = ["commonweal-cli", "commonweal-server", "commonweal-terminal", "commonweal-py"];

/// What a front end needs has a public name. The experiments are not a front end.
#[test]
fn front_ends_do_not_use_what_is_inside() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates");
    let mut n_files = 0;
    let mut needed = vec![false; INSIDE.len()];
    for name in FRONT_ENDS {
        let mut folders = vec![crates.join(name).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder of sources") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                n_files += 1;
                let is_inside = fs::read_to_string(&path).is_ok_and(|text| text.contains("internals"));
                let place = path.strip_prefix(crates).expect("under the root").to_string_lossy().replace('\\', "/");
                match INSIDE.iter().position(|(file, _)| *file == place) {
                    Some(exception) => needed[exception] = is_inside,
                    None => {
                        assert!(!is_inside, "{place} uses `commonweal::internals`: a front end needs a public name")
                    }
                }
            }
        }
    }
    assert!(n_files > 50, "{n_files}");
    for ((file, _), needed) in INSIDE.iter().zip(needed) {
        assert!(needed, "{file} no longer uses `internals`: strike the exception");
    }
}

/// The crates of the workspace.
const CRATES: [&str; 7] = [
    "commonweal",
    "commonweal-charts",
    "commonweal-check",
    "commonweal-cli",
    "commonweal-experiments",
    "commonweal-py",
    "commonweal-server",
];

/// Files that import each other, with their crate. A pair may leave this list; none may join it.
const MUTUAL: &[(&str, &str, &str)] = &[
    ("commonweal", "answer.rs", "certificate/mod.rs"),
    ("commonweal", "any_model.rs", "certificate/mod.rs"),
    ("commonweal", "any_model.rs", "solve.rs"),
    ("commonweal", "certified/jump/mod.rs", "certified/walk.rs"),
    ("commonweal", "certified/mod.rs", "solve.rs"),
    ("commonweal", "exact/base.rs", "exact/walk/mod.rs"),
    ("commonweal", "exact/jump/mod.rs", "exact/payoff/mod.rs"),
    ("commonweal", "exact/jump/mod.rs", "exact/walk/mod.rs"),
    ("commonweal", "exact/mod.rs", "solve.rs"),
    ("commonweal", "fair/basis.rs", "fair/simplex.rs"),
    ("commonweal", "fair/limit.rs", "fair/program.rs"),
    ("commonweal", "io/umb/index.rs", "io/umb/valuations.rs"),
    ("commonweal", "search/branch_and_bound.rs", "search/segments.rs"),
    ("commonweal", "search/segments.rs", "search/stationary.rs"),
    ("commonweal-experiments", "experiment.rs", "results/figure_1/mod.rs"),
    ("commonweal-experiments", "experiment.rs", "results/hardness/mod.rs"),
    ("commonweal-experiments", "experiment.rs", "results/rq1.rs"),
    ("commonweal-experiments", "experiment.rs", "results/rq2.rs"),
    ("commonweal-experiments", "experiment.rs", "results/rq3.rs"),
    ("commonweal-experiments", "experiment.rs", "results/spacing.rs"),
    ("commonweal-experiments", "experiment.rs", "section.rs"),
    ("commonweal-check", "bounds.rs", "certificate.rs"),
    ("commonweal-check", "canonical.rs", "yaml.rs"),
    ("commonweal-check", "certificate.rs", "exact.rs"),
    ("commonweal-check", "exact.rs", "harmonic.rs"),
    ("commonweal-check", "exact.rs", "stage.rs"),
    ("commonweal-check", "preference.rs", "yaml.rs"),
    ("commonweal-check", "principals.rs", "yaml.rs"),
    ("commonweal-charts", "axis.rs", "chart.rs"),
    ("commonweal-charts", "canvas.rs", "picture.rs"),
    ("commonweal-charts", "chart.rs", "legend.rs"),
    ("commonweal-charts", "drawing.rs", "picture.rs"),
    ("commonweal-charts", "font.rs", "picture.rs"),
    ("commonweal-charts", "picture.rs", "svg.rs"),
];

/// The files of a crate, each with its path as a module and its text without tests and comments.
fn modules(name: &str) -> Vec<(Vec<String>, String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates");
    let root = crates.join(name).join("src");
    let (mut folders, mut found) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
                let file = path.strip_prefix(&root).expect("under the root").to_string_lossy().replace('\\', "/");
                let mut module: Vec<String> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
                if module.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
                    module.pop();
                }
                let text = without_tests_and_comments(&fs::read_to_string(&path).expect("a source"));
                found.push((module, file, text));
            }
        }
    }
    found
}

/// Adds the paths of a tree such as `a::{b, c::d}`, and returns the text after it.
fn branches<'t>(text: &'t str, before: &str, found: &mut Vec<String>) -> &'t str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let path = format!("{before}{}", &text[..end]);
    let Some(mut rest) = text[end..].strip_prefix('{').filter(|_| path.ends_with("::")) else {
        found.push(path);
        return &text[end..];
    };
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with('}') {
            return rest.strip_prefix('}').unwrap_or(rest);
        }
        rest = branches(rest, &path, found);
        let next = rest.find([',', '}']).unwrap_or(rest.len());
        rest = rest[next..].strip_prefix(',').unwrap_or(&rest[next..]);
    }
}

/// The paths that a module names after `crate::`, `self::` and `super::`, from the root of its crate.
fn named_paths(own: &[String], text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "self::", "super::"] {
        for (at, _) in text.match_indices(start) {
            if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let (mut rest, mut base) = (&text[at..], own.to_vec());
            match start {
                "crate::" => (rest, base) = (&rest[start.len()..], Vec::new()),
                "self::" => rest = &rest[start.len()..],
                _ => {
                    while let Some(further) = rest.strip_prefix("super::") {
                        rest = further;
                        base.pop();
                    }
                }
            }
            let mut paths = Vec::new();
            // A list after the first word is a tree as well.
            branches(&format!("::{rest}"), "", &mut paths);
            let segments =
                |path: &String| path.split("::").filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let whole = |path: &String| [base.clone(), segments(path)].concat();
            found.extend(paths.iter().map(whole));
        }
    }
    found
}

/// Two files that import each other can only be read together. A module and what is inside it may.
#[test]
fn no_two_files_import_each_other_but_those_named() {
    let mut n_imports = 0;
    for name in CRATES {
        let files = modules(name);
        let file_of = |path: &[String]| {
            let prefixes = (0..=path.len()).rev().map(|n| &path[..n]);
            prefixes.into_iter().find_map(|prefix| files.iter().position(|(module, ..)| module == prefix))
        };
        let imports: Vec<BTreeSet<usize>> = files
            .iter()
            .map(|(own, _, text)| named_paths(own, text).iter().filter_map(|path| file_of(path)).collect())
            .collect();
        n_imports += imports.iter().map(BTreeSet::len).sum::<usize>();
        let listed: BTreeSet<[&str; 2]> =
            MUTUAL.iter().filter(|(of, ..)| *of == name).map(|(_, one, other)| [*one, *other]).collect();
        let mut mutual = BTreeSet::new();
        for (one, (module, file, _)) in files.iter().enumerate() {
            for &other in imports[one].iter().filter(|&&other| other != one && imports[other].contains(&one)) {
                let (inside, its_file, _) = &files[other];
                if !module.starts_with(inside) && !inside.starts_with(module) && file < its_file {
                    mutual.insert([file.as_str(), its_file.as_str()]);
                }
            }
        }
        for pair in &mutual {
            assert!(listed.contains(pair), "{name}: {pair:?} import each other; move what both need into one of them");
        }
        for pair in &listed {
            assert!(mutual.contains(pair), "{name}: {pair:?} no longer import each other: strike them from the list");
        }
    }
    assert!(n_imports > 1_000, "{n_imports}");
}
