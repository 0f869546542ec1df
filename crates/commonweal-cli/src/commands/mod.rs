//! One file per command: arguments in, report out, no mathematics.

pub mod check;
pub mod convert;
pub mod evaluate;
pub mod fair;
pub mod front;
pub mod generate;
pub mod manual;
pub mod map;
pub mod plot;
pub mod reproduce;
pub mod sat;
pub mod search;
pub mod serve;
pub mod simulate;
pub mod solve;
pub mod sweep;
