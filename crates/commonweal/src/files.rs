//! Model files, for programs that open, describe and write them themselves. [`Model::read`](crate::Model::read) is the short way.

pub use crate::any_model::{Form, ReadNotes};
pub use crate::io::{DiscountError, Discounts, ENDINGS, Format, MAX_MODEL_BYTES, ModelFile, Overview};
pub use crate::io::{ParseError, ReadError, ReadOptions, TextLimits};
pub use crate::io::{drn_reward_names, named_preference, preference_text, read_preference, text_file};
pub use crate::number::Divided;
