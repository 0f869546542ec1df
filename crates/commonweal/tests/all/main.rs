//! The integration tests of the library, in one program, so that shared code is compiled once.
//!
//! Each module begins with a line that says what belongs in it. `cargo test -p commonweal --test all jumps::` runs one.

mod architecture;
mod bad_drn;
mod bad_models;
mod beside_the_answer;
mod case_studies;
mod certificates;
mod certified;
mod certified_evaluation;
mod cliffs;
mod corpus;
mod drn;
mod fair;
mod fair_certificates;
mod fair_gaps;
mod fair_smooth;
mod format_round_trips;
mod front_door;
mod fronts;
mod jumps;
mod margins;
mod metamorphic;
mod model_files;
mod model_round_trips;
mod near_ties;
mod numbers_in_text;
mod paper_examples;
mod parts;
mod patience;
mod patience_classes;
mod payoffs_from_start;
mod preferences;
mod properties;
mod quotient;
mod ranks;
mod readers;
mod reductions;
mod regressions;
mod search_positional;
mod search_stationary;
mod segments;
mod umb;

// What they share.
mod archive;
#[path = "../../../../fuzz/bodies.rs"]
mod bodies;
mod oracle;
mod spoil;
mod strategies;
