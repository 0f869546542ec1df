//! The models that come with the program: the paper's, and case studies.

use commonweal::Model;
use serde::Serialize;

/// The folder, the name and the bytes of each model.
const MODELS: &[(&str, &str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// A model of the gallery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its file's name without the ending.
    pub name: String,
    /// Where it is from: `paper` or `case-studies`.
    pub group: String,
    /// How it is called, for people.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// The file.
    pub model: String,
}

/// The model that the page opens with, unless another one is given.
pub const FIRST: &str = "hotel";

/// All models: the hotel first, then the paper's and the case studies by name.
pub fn gallery() -> Vec<Entry> {
    let mut entries: Vec<Entry> = MODELS.iter().filter_map(|(group, file, bytes)| entry(group, file, bytes)).collect();
    entries.sort_by(|a, b| key(a).cmp(&key(b)));
    entries
}

fn key(entry: &Entry) -> (bool, bool, &str) {
    (entry.name != FIRST, entry.group != "paper", &entry.name)
}

fn entry(group: &str, file: &str, bytes: &[u8]) -> Option<Entry> {
    let name = file.strip_suffix(".yaml")?;
    let model = String::from_utf8(bytes.to_vec()).ok()?;
    let parsed = Model::from_yaml(&model).ok()?;
    let about = parsed.structure().about();
    let title = about.name.clone().unwrap_or_else(|| in_words(name));
    let description = about.description.clone().unwrap_or_else(|| first_comment(&model));
    Some(Entry { name: name.to_owned(), group: group.to_owned(), title, description, model })
}

/// `example-2` as `Example 2`.
fn in_words(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The comment at the head of a file, without what is meant for editors and without the paper's tags in brackets.
fn first_comment(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#'));
    let told: Vec<&str> = lines.map(str::trim).filter(|line| !line.starts_with("yaml-language-server")).collect();
    let mut told = told.join(" ");
    while let Some((from, to)) = told.find(" [").and_then(|from| Some((from, from + told[from..].find(']')?))) {
        told.replace_range(from..=to, "");
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gallery_begins_with_the_hotel_and_has_every_model_of_the_paper() {
        let entries = gallery();
        assert_eq!(entries[0].name, FIRST);
        assert!(entries[0].description.starts_with("The hotel: Alice and Bob"), "{}", entries[0].description);
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
        for group in ["paper", "case-studies"] {
            for file in std::fs::read_dir(format!("{folder}/{group}")).into_iter().flatten() {
                let path = file.expect("an entry").path();
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                if path.extension().is_none_or(|ending| ending != "yaml") || Model::read(&path).is_err() {
                    continue;
                }
                assert!(entries.iter().any(|entry| entry.group == group && entry.name == name), "{name} is missing");
            }
        }
        assert!(entries.len() >= 7);
    }
}
