//! The interface to the program that hosts the server: reports, tables and pictures. Downloads are therefore the files that the
//! command line writes.

use crate::problem::Problem;
use commonweal::documents::DrawnRegion;
use commonweal::questions::{Front, Grid, PayoffSet, RegionClass, StrategyMap};
use commonweal::structure::PrincipalId;
use commonweal::{Answer, Model, StopSignal};

/// The program around the server.
pub trait Program: Send + Sync + 'static {
    /// Whether an independent checker accepts the answer as optimal, if checking is fast.
    fn accepts(&self, model: &Model, answer: &Answer) -> bool;

    /// The table of an answer, as comma-separated values.
    fn csv(&self, model: &Model, answer: &Answer, stop: &StopSignal) -> String;

    /// The answer and other strategies beside it, as comma-separated values.
    fn comparison_csv(&self, model: &Model, answer: &Answer, stop: &StopSignal) -> String;

    /// The vertices of a front, as comma-separated values.
    fn front_csv(&self, model: &Model, front: &Front) -> String;

    /// An answer as one HTML page to print, of a model that is called `name`. What takes too long is left out.
    fn report(&self, name: &str, model: &Model, answer: &Answer, stop: &StopSignal) -> String;

    /// A picture as a file.
    fn picture(&self, picture: &Pictured, ending: Ending) -> Result<Vec<u8>, Problem>;
}

/// What a picture shows.
#[allow(missing_docs, reason = "the fields are what is drawn")]
pub enum Pictured<'a> {
    /// The actions by step.
    Timeline { model: &'a Model, answer: &'a Answer },
    /// The accrued payoffs by step.
    Payoffs { model: &'a Model, answer: &'a Answer },
    /// The gains and losses of each principal.
    Gains { model: &'a Model, answer: &'a Answer, stop: &'a StopSignal },
    /// Which strategy is best over two discounts.
    Map { model: &'a Model, map: &'a StrategyMap, classes: &'a [RegionClass] },
    /// The same by cells, for models whose boundaries take too long to locate.
    Sketch { model: &'a Model, axes: [PrincipalId; 2], grid: &'a Grid, regions: &'a [DrawnRegion] },
    /// The Pareto front of two principals.
    Front { set: &'a PayoffSet<'a>, front: &'a Front },
}

/// The kinds of picture files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Ending {
    Svg,
    Png,
    Pdf,
}

impl Ending {
    /// Its media type.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Ending::Svg => "image/svg+xml",
            Ending::Png => "image/png",
            Ending::Pdf => "application/pdf",
        }
    }
}
