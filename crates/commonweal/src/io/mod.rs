//! Reading and writing model files.
//!
//! A model file is YAML, and so may be JSON:
//!
//! ```yaml
//! start: s0                       # optional; the first state listed otherwise
//! principals:                     # name: discount, 0 <= discount < 1
//!   alice: 2/3
//!   bob: {discount: 1/3, weight: 1}        # weight: optional; 0 is reported, not counted
//!   # or {rate: 3%}, {beta: 0.7, delta: 0.95}, {schedule: green-book}, {survey: [1%, 3%]}, {gamma: {mean: 4%, sd: 3%}}, …
//! states:
//!   s0:                           # one entry per action
//!     a: {reward: 3, to: s0}                                    # one number: every principal gets it
//!     b: {reward: {alice: -1, bob: -1}, to: {s1: 1/2, s0: 0.5}} # by name; who is not named gets 0
//!   s1:
//!     b: {reward: 6, to: s1}
//! ```
//!
//! Every number is read exactly, and every name is kept as text. [`read_model`] goes once through the file and fills the
//! model's arrays as it goes; names are resolved at the end, since a state may be a target before it is defined. Errors are
//! [`ParseError`]s with a place and a cure.
//!
//! Models of other tools, with up to millions of states, come as [DRN](read_drn) or [UMB](read_umb). They have rewards but
//! no discounts, so [`ReadOptions`] provide them, and numbers that may be rounded, so [`Loaded`] reports scaled rows.
//! Both are read exactly or in doubles, by the same code.

mod compression;
mod dimacs;
mod discounts;
mod drn;
mod file;
mod format;
mod game_reader;
mod loaded;
mod model_draft;
mod model_reader;
mod model_writer;
mod node_values;
mod parse_error;
mod preference_reader;
mod read_error;
mod row;
mod state_names;
mod strategy_log;
mod strategy_reader;
mod syntax_error;
mod umb;
mod yaml_events;

pub use crate::number::Divided;
pub use dimacs::{MAX_DIMACS, read_dimacs};
pub use discounts::{DiscountError, Discounts};
pub use drn::{DrnNumber, drn_overview, drn_reward_names, read_drn, write_drn};
pub use file::{ENDINGS, ModelFile, text_file};
pub use format::Format;
pub use game_reader::read_game;
pub use loaded::{Loaded, Overview, ReadOptions};
pub use model_reader::{MAX_MODEL_BYTES, TextLimits, load_model, load_model_within, read_model, read_model_bytes};
pub use model_writer::{preference_text, write_json, write_yaml};
pub use parse_error::ParseError;
pub use preference_reader::{named_preference, read_preference};
pub use read_error::ReadError;
pub use strategy_log::read_strategy_log;
pub use strategy_reader::read_strategy;
pub use umb::{UmbNumber, UmbSlice, UnpackedUmb, read_umb, umb_overview, unpack_umb, write_umb};

use loaded::UNNAMED_ACTION;
use model_reader::{load_model_bytes, utf8};
