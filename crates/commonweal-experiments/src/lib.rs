//! The paper's figures and claims, recomputed and compared.
//!
//! The paper is *Social Welfare under Heterogeneous Time Preferences* by Bahmani, Paul, Schewe, Tasdighi Kalat and Trivedi.
//! Only the paper's side is a constant here. Our side is computed in every run: exactly, with certificates, or with proven bounds.
//! Running times are compared with a Python baseline of the paper's method.
//!
//! An [`Experiment`] runs in a [`Lab`], which holds the seed, the sizes and the clock. Its [`Reproduction`] is a list of
//! claims, each with a [`Verdict`], and comes as text, as a JSON document, and as one HTML page with tables and pictures.
//! A claim agrees if the exact value rounds to the printed digits, or if an experiment supports it. A claim that does not
//! agree is a misprint if it is on the list of known misprints. Otherwise it differs, and awaits an explanation.
//!
//! ```
//! use commonweal_experiments::{Experiment, Lab, Settings, Verdict};
//!
//! let mut lab = Lab::new(Settings { is_timed: false, ..Settings::default() });
//! let reproduction = Experiment::Examples.run(&mut lab)?;
//! assert_eq!(reproduction.count(Verdict::Differs), 0);
//! assert!(reproduction.text(80).contains("misprint  welfare                   14.2  127/9 ≈ 14.111111"));
//! # Ok::<(), commonweal_experiments::Error>(())
//! ```
//!
//! This crate prints nothing and writes no file. Tables, pictures and the page go to an [`Archive`], which the caller
//! provides; rows that an earlier run left there are not computed again.
//!
//! [`positional_by_milp`] is a second opinion on the best positional strategy, by a method that proves nothing.
//!
//! The tree: `results/` has one file for each figure, example or experiment of the paper, `lab/` what they measure with,
//! `report/` the forms in which results are shown.

mod claim;
pub mod closeness;
pub mod colours;
mod error;
mod experiment;
mod lab;
mod milp;
mod misprints;
mod paper;
mod report;
mod results;
mod section;

pub use claim::Verdict;
pub use error::Error;
pub use experiment::Experiment;
pub use lab::archive::{Archive, ArchiveError};
pub use lab::baseline::BaselineError;
pub use lab::{Lab, Progress, Settings};
pub use milp::{MilpError, positional_by_milp};
pub use report::document::Document;
pub use report::{FORMAT, Reproduction};
