//! A part of a reproduction: claims, pictures and tables about one thing.

use crate::claim::Example;
use crate::experiment::Experiment;
use crate::lab::Lab;
use crate::lab::table::Table;

pub struct Section {
    /// The experiment that it belongs to.
    pub name: &'static str,
    pub title: String,
    /// The method, and the choices that the paper leaves open: one paragraph each.
    pub about: Vec<String>,
    pub examples: Vec<Example>,
    pub figures: Vec<Figure>,
    pub tables: Vec<Table>,
}

/// A picture, and the name of its file without the ending.
pub struct Figure {
    pub name: &'static str,
    pub svg: String,
}

impl Section {
    pub fn new(experiment: Experiment, title: &str) -> Section {
        let (name, title) = (experiment.name(), title.to_owned());
        Section { name, title, about: Vec::new(), examples: Vec::new(), figures: Vec::new(), tables: Vec::new() }
    }

    /// The same section with another paragraph.
    pub fn saying(mut self, paragraph: impl Into<String>) -> Section {
        self.about.push(paragraph.into());
        self
    }

    /// The same section, with a sentence on what a quick run leaves out.
    pub fn quick(self, lab: &Lab, part: &str) -> Section {
        if lab.is_quick() { self.saying(format!("This was a quick run: about {part} of these models.")) } else { self }
    }
}
