//! What the programs `commonweal` and `commonweal-mpi` share at the terminal: the options that both have, the files that these
//! name, and the text report of a solve. Both print the same words because they are written once, here.
#![allow(missing_docs, reason = "these are the insides of two programs: what needs no comment there needs none here")]

pub mod args;
pub mod doubts;
pub mod input;
pub mod model_file;
pub mod report;
pub mod shell;
