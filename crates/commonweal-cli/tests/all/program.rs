//! Running the program in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that is removed when the value is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("commonweal-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    /// A folder with the hotel in it.
    pub fn with_hotel() -> Folder {
        let folder = Folder::new();
        folder.write("hotel.yaml", std::fs::read(paper("hotel.yaml")).expect("the hotel"));
        folder
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, contents).expect("a file for the test");
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a file that the program wrote")
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the test's folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs the program in this folder.
    pub fn run(&self, args: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_commonweal")).args(args).current_dir(&self.0).output();
        Ran::new(args, output.expect("the program runs"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A model of the paper.
pub fn paper(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/paper").join(name)
}

/// The output of a run of the program.
#[derive(Debug)]
pub struct Ran {
    #[expect(dead_code, reason = "a failing test shows it")]
    args: String,
    pub code: i32,
    pub stdout: String,
    /// With each message on one line.
    pub stderr: String,
    /// As it was printed.
    pub printed_errors: String,
}

impl Ran {
    pub fn new(args: &[&str], output: Output) -> Ran {
        let printed_errors = String::from_utf8(output.stderr).expect("UTF-8 on standard error");
        Ran {
            args: args.join(" "),
            code: output.status.code().expect("no signal ended the program"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: unfolded(&printed_errors),
            printed_errors,
        }
    }

    /// Refused: exit code 2, nothing on standard output, no trace of a panic, and these words in the message.
    pub fn refused(&self, words: &[&str]) {
        assert_eq!(self.code, 2, "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        assert!(self.stderr.starts_with("error: "), "{self:#?}");
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing: {self:#?}");
        }
        for bad in ["panicked", "RUST_BACKTRACE", "unwrap", "src/", "\u{1b}"] {
            assert!(!self.stderr.contains(bad), "`{bad}`: {self:#?}");
        }
        // A message must fit on a screen.
        assert!(self.stderr.len() < 1500, "{} bytes: {}…", self.stderr.len(), &self.stderr[..500]);
    }

    /// Asserts success: exit code 0.
    pub fn done(self) -> Ran {
        assert_eq!(self.code, 0, "{self:#?}");
        self
    }

    /// The one JSON document on standard output.
    pub fn json(&self) -> serde_json::Value {
        assert!(self.stdout.starts_with('{') && self.stdout.ends_with("}\n"), "{self:#?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// Messages with the lines joined that were broken to fit a terminal: a line that is indented by one of these widths continues a
/// message, unless it is an excerpt of a file or a command line.
fn unfolded(printed: &str) -> String {
    const BEGINNINGS: [&str; 4] = ["error: ", "help: ", "note: ", "warning: "];
    /// A verdict has no word before it; it is broken if it is long.
    const LONG: usize = 60;
    let mut text = String::new();
    let (mut in_message, mut is_long) = (false, false);
    for line in printed.split_inclusive('\n') {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        let is_text = !rest.starts_with(['|', '\n']) && !rest.starts_with("commonweal ");
        if is_text && ((in_message && matches!(indent, 6 | 7 | 9)) || (is_long && indent == 2)) {
            text.truncate(text.trim_end().len());
            text.push(' ');
            text.push_str(rest);
        } else {
            in_message = BEGINNINGS.iter().any(|word| line.starts_with(word));
            text.push_str(line);
        }
        is_long = !in_message && line.chars().count() > LONG;
    }
    text
}
