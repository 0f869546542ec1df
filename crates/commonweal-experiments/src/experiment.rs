//! What can be recomputed, and in which order.

use crate::error::Error;
use crate::lab::Lab;
use crate::report::Reproduction;
use crate::results::{
    figure_1, figure_2, hardness, introduction, rq1, rq2, rq3, spacing, spacing_example, worked_examples,
};
use crate::section::Section;

/// A part of the paper that can be recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experiment {
    /// Every number that the paper prints about its examples.
    Examples,
    /// The hotel in pictures.
    Figure1,
    /// Running time by number of states.
    Rq1,
    /// Running time by number of principals.
    Rq2,
    /// Running time by ratio of discounts.
    Rq3,
    /// The family whose discounts approach each other.
    Spacing,
    /// The reductions behind the hardness results.
    Hardness,
    /// All of it.
    All,
}

impl Experiment {
    /// Every experiment, in the order in which they are listed for a user.
    pub const EACH: [Experiment; 8] = [
        Experiment::Examples,
        Experiment::Figure1,
        Experiment::Rq1,
        Experiment::Rq2,
        Experiment::Rq3,
        Experiment::Spacing,
        Experiment::Hardness,
        Experiment::All,
    ];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Examples => "examples",
            Experiment::Figure1 => "figure-1",
            Experiment::Rq1 => "rq1",
            Experiment::Rq2 => "rq2",
            Experiment::Rq3 => "rq3",
            Experiment::Spacing => "spacing",
            Experiment::Hardness => "hardness",
            Experiment::All => "all",
        }
    }

    /// What it recomputes, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Experiment::Examples => "The hotel, the worked examples, the spacing example and the 3-SAT figure",
            Experiment::Figure1 => "The hotel's payoffs by delay, its strategy map and its best coin",
            Experiment::Rq1 => "Running time by number of states",
            Experiment::Rq2 => "Running time by number of principals",
            Experiment::Rq3 => "Running time by ratio of discounts",
            Experiment::Spacing => "Discounts that approach each other, up to n = 10^9",
            Experiment::Hardness => "The reductions from 3-SAT and from reachability games",
            Experiment::All => "All of it",
        }
    }

    /// Whether the baseline runs beside ours.
    pub fn is_compared(self) -> bool {
        matches!(self, Experiment::Rq1 | Experiment::Rq2 | Experiment::Rq3 | Experiment::All)
    }

    /// Runs the experiment. If the lab has an archive, its tables are kept there row by row, and the pictures and the page
    /// at the end.
    pub fn run(self, lab: &mut Lab) -> Result<Reproduction, Error> {
        let reproduction = Reproduction::new(self.sections(lab)?, lab);
        for (name, text) in reproduction.files() {
            lab.keep(&name, &text)?;
        }
        Ok(reproduction)
    }

    fn sections(self, lab: &mut Lab) -> Result<Vec<Section>, Error> {
        Ok(match self {
            Experiment::Examples => {
                let mut section = examples();
                section.examples.insert(0, introduction::example());
                section.examples.extend([spacing_example::example(), figure_2::example()]);
                vec![section]
            }
            Experiment::Figure1 => vec![figure_1::section(lab)?],
            Experiment::Rq1 => vec![rq1::section(lab)?],
            Experiment::Rq2 => vec![rq2::section(lab)?],
            Experiment::Rq3 => vec![rq3::section(lab)?],
            Experiment::Spacing => vec![spacing::section(lab)?],
            Experiment::Hardness => vec![hardness::section(lab)?],
            Experiment::All => vec![
                figure_1::section(lab)?,
                examples(),
                rq1::section(lab)?,
                rq2::section(lab)?,
                rq3::section(lab)?,
                spacing::section(lab)?,
                hardness::section(lab)?,
            ],
        })
    }
}

/// What the paper prints about its worked examples.
fn examples() -> Section {
    let mut section = Section::new(Experiment::Examples, "Worked examples").saying(
        "Every number that the paper prints about its examples, beside the exact value. A number agrees if the exact value \
         rounds to the printed digits.",
    );
    section.examples = worked_examples::examples();
    section
}
