//! Lists the files that become part of the program: the built page, and the models of the gallery.
//!
//! Each list is a Rust source in the output folder, `[(name, include_bytes!(path))]`. Whatever is added to these folders is
//! picked up by the next build.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    embed("page.rs", &[root.join("web/dist")], |_| true);
    let models = ["models/paper", "models/case-studies"].map(|folder| root.join(folder));
    embed("models.rs", &models, |file| file.extension().is_some_and(|ending| ending == "yaml"));
    // If a folder does not exist yet, its parent is watched.
    println!("cargo::rerun-if-changed={}", root.join("models").display());
    println!("cargo::rerun-if-changed=build.rs");
}

/// Writes the list of the files in these folders that are wanted, each by its folder's and its own name.
fn embed(list: &str, folders: &[PathBuf], is_wanted: impl Fn(&Path) -> bool) {
    let mut text = String::from("[\n");
    for folder in folders {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.is_file() && is_wanted(file)) {
            let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
            let path = file.canonicalize().expect("a file that is there");
            let _ = writeln!(text, "    ({:?}, {:?}, include_bytes!({path:?}) as &[u8]),", name(folder), name(file));
        }
    }
    let place = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join(list);
    fs::write(place, text + "]\n").expect("the output folder takes files");
}
