//! The JSON documents that programs exchange: one type for each, written and read here for every front end.
//!
//! A document says what it is in its first key: `"format": "commonweal-solution/1"`. Its type is made from results,
//! written by [`Document::to_json`], and read back by [`Document::from_json`] with the same meaning. States, actions and
//! principals go by their names; an exact number is the text of a fraction, beside two doubles that enclose it. A reader
//! ignores keys that it does not know, so that later versions can add some.
//!
//! | type | format | written by |
//! |---|---|---|
//! | [`Solution`] | `commonweal-solution/1` | `solve` |
//! | [`Strategy`] | `commonweal-strategy/1` | `solve --strategy`, `positional`, `stationary` |
//! | [`Evaluation`] | `commonweal-evaluation/1` | `evaluate` |
//! | [`Simulation`] | `commonweal-simulation/1` | `simulate` |
//! | [`Search`] | `commonweal-search/1` | `positional`, `stationary` |
//! | [`Satisfiability`] | `commonweal-sat/1` | `sat` |
//! | [`Fair`] | `commonweal-fair/1` | `fair` |
//! | [`Front`] | `commonweal-front/1` | `front` |
//! | [`Sweep`] | `commonweal-sweep/1` | `sweep` |
//! | [`StrategyMap`] | `commonweal-map/1` | `map` |
//! | [`Check`] | `commonweal-check/1` | `check` |
//! | [`View`] | `commonweal-view/1` | `serve` |
//! | [`Sketch`] | `commonweal-sketch/1` | `serve` |
//!
//! ```
//! use commonweal::documents::{Check, Document, Verdict};
//! let check = Check::new(Verdict::Accepted, "optimal from every state");
//! let text = check.to_json();
//! assert!(text.starts_with("{\n  \"format\": \"commonweal-check/1\""));
//! assert_eq!(Check::from_json(&text)?, check);
//! # Ok::<(), commonweal::documents::DocumentError>(())
//! ```

mod check;
mod comparison;
mod evaluation;
mod explanation;
mod fair;
mod front;
mod outlook;
mod pieces;
mod search;
mod simulation;
mod sketch;
mod solution;
mod spent;
mod strategy;
mod strategy_map;
mod sweep;
#[cfg(test)]
mod tests;
mod view;

pub use check::{Check, Verdict};
pub use comparison::Compared;
pub use evaluation::{Evaluation, Worth};
pub use explanation::{ChangeOfChoice, Deviation, EarlierDeviation, EarlierSegment, Explanation, Gain, Layer};
pub use fair::{CoinDecision, Drawn, Fair, FairStatus, Level, no_coin};
pub use front::{Corner, Edge, Front, Pattern};
pub use outlook::{Outlook, OutlookStep, Patience};
pub use pieces::{Double, Engine, Entries, Format, Fraction, Number, StepNumber, exact_text};
pub use search::{Satisfiability, Search, SearchStatus};
pub use simulation::{Estimate, Simulation};
pub use sketch::{DrawnRegion, Sketch};
pub use solution::{Approximation, LongTerm, Principal, Solution, State, Stated, Status};
pub use spent::{Spent, Timings};
pub use strategy::{Decision, LotteryShare, Strategy};
pub use strategy_map::{Axis, GridChange, GridPoint, Located, Region, StrategyMap};
pub use sweep::{ChangeOfStrategy, Point, Sweep};
pub use view::{
    Accrued, Outline, OutlineAction, OutlineParameter, OutlinePrincipal, OutlineState, OutlineTarget, Timeline,
    TimelineRow, TimelineRun, View, ViewParts,
};

use crate::model::{StateId, Structure};
use serde::{Serialize, de::DeserializeOwned};
use std::io;

/// Why a text is not the document that was asked for.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct DocumentError {
    message: String,
}

/// A JSON document with a `format`. The traits of serde, whose version is 1, are the one exception from the rule that no public
/// name is of another library: a program can put a document into its own, or write it in another form.
pub trait Document: Serialize + DeserializeOwned {
    /// What stands under `format`: the name and the version.
    const FORMAT: &'static str;

    /// Removes the fractions of numbers; the bounds in doubles stay.
    fn leave_fractions_out(&mut self) {}

    /// The document as text, indented, with a line end.
    fn to_json(&self) -> String {
        json_text(self, None)
    }

    /// Writes the document as [`to_json`](Document::to_json) has it, without the whole text in memory.
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// The document that a text holds; an error if its format is another one.
    fn from_json(text: &str) -> Result<Self, DocumentError> {
        serde_json::from_str(text).map_err(|error| DocumentError { message: error.to_string() })
    }
}

/// A document as text, indented, with a line end; its last keys are the time and memory used, if given.
pub fn json_text(document: &impl Serialize, spent: Option<&Spent>) -> String {
    #[derive(Serialize)]
    struct Whole<'a, D> {
        #[serde(flatten)]
        document: &'a D,
        #[serde(flatten)]
        spent: Option<&'a Spent>,
    }
    let text = serde_json::to_string_pretty(&Whole { document, spent });
    text.expect("a document has text keys and JSON numbers only") + "\n"
}

/// A model with more states than this lists only its start state, unless all are asked for.
pub const MANY_STATES: usize = 10_000;

/// The states that a document lists: all of them if there are few or all are asked for, otherwise the start state.
pub fn listed_states(model: &Structure, all: bool) -> Vec<StateId> {
    if all || model.n_states() <= MANY_STATES { model.states().collect() } else { vec![model.start()] }
}
