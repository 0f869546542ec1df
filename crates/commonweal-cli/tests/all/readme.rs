//! Every command in a `console` block of the README, docs/commands.md, docs/certified.md, docs/fair.md, docs/formats/models.md and docs/case-studies is run, and
//! must print the lines below it. A line `…` stands for any number of lines.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a page, with what the page shows below it.
struct Shown {
    line: usize,
    command: String,
    output: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn commands(page: &str) -> Vec<Shown> {
    let text = std::fs::read_to_string(root().join(page)).expect("the page");
    let mut commands: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => {
                    commands.push(Shown { line: index + 1, command: command.to_owned(), output: Vec::new() })
                }
                None => commands.last_mut().expect("a command before its output").output.push(line.to_owned()),
            },
        }
    }
    commands
}

/// A temporary folder with the parts of the repository that the commands use.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("commonweal-page-{}-{name}", std::process::id()));
        for folder in ["models/paper", "models/case-studies"] {
            let models = path.join(folder);
            std::fs::create_dir_all(&models).expect("a folder");
            for entry in std::fs::read_dir(root().join(folder)).expect("the models") {
                let entry = entry.expect("an entry");
                std::fs::copy(entry.path(), models.join(entry.file_name())).expect("a copy");
            }
        }
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(command: &str, folder: &Path) -> Vec<String> {
    let words = ["cargo run --release -- ", "commonweal "].iter().find_map(|start| command.strip_prefix(start));
    let words = words.unwrap_or_else(|| panic!("`{command}` is no command of this program"));
    let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal"));
    let output = program.args(words.split_whitespace()).current_dir(folder).output().expect("the program runs");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}

/// Whether the lines are those expected, where `…` stands for any number of them.
fn matches(lines: &[String], expected: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => (0..=lines.len()).any(|skipped| matches(&lines[skipped..], rest)),
        Some((first, rest)) => lines.split_first().is_some_and(|(line, lines)| line == first && matches(lines, rest)),
    }
}

fn check(page: &str, at_least: usize) {
    let scratch = Scratch::new(&page.replace('/', "-"));
    let commands = commands(page);
    assert!(commands.len() >= at_least, "{page} shows commands");
    for Shown { line, command, output } in commands {
        let found = run(&command, &scratch.0);
        assert!(
            matches(&found, &output),
            "{page}:{line}: `{command}` prints\n{}\nbut the page shows\n{}",
            found.join("\n"),
            output.join("\n")
        );
    }
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    check("README.md", 4);
}

#[test]
fn the_page_of_commands_shows_what_they_print() {
    check("docs/commands.md", 4);
}

#[test]
fn the_page_of_the_certified_engine_shows_what_it_prints() {
    check("docs/certified.md", 1);
}

#[test]
fn the_page_of_fair_rules_shows_what_its_commands_print() {
    check("docs/fair.md", 2);
}

#[test]
fn the_case_studies_show_what_their_commands_print() {
    for page in std::fs::read_dir(root().join("docs/case-studies")).expect("the pages") {
        let name = page.expect("a page").file_name().into_string().expect("a name");
        if name.ends_with(".md") && name != "README.md" {
            check(&format!("docs/case-studies/{name}"), 2);
        }
    }
}

#[test]
fn the_page_of_formats_shows_what_its_commands_print() {
    check("docs/formats/models.md", 2);
}

#[test]
fn the_readme_shows_the_model_that_it_solves() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the page");
    let hotel = std::fs::read_to_string(root().join("models/paper/hotel.yaml")).expect("the hotel");
    let body = &hotel[hotel.find("principals:").expect("principals")..];
    assert!(readme.contains(&format!("```yaml\n{body}```")), "the hotel of the page is not the file's");
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    let docs = [
        "commands",
        "concepts",
        "jumps",
        "benchmarks",
        "certified",
        "fair",
        "search",
        "formats/models",
        "decisions/0003-model-formats",
    ];
    let docs = docs.map(|page| format!("docs/{page}.md"));
    for page in ["README.md", "ARCHITECTURE.md"].into_iter().chain(docs.iter().map(String::as_str)) {
        let text = std::fs::read_to_string(root().join(page)).expect("the page");
        let folder = root().join(page).parent().expect("a folder").to_owned();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or(link);
            let outside = link.contains("://") || file.is_empty();
            assert!(outside || folder.join(file).exists(), "{page}: {link} leads nowhere");
        }
    }
}
