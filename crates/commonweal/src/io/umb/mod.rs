//! UMB, the Unified Markov Binary format: a tar archive, packed or not, of binary arrays with an index in JSON.
//!
//! ```text
//! index.json                              what the model is, how large, which numbers, which rewards
//! state-to-choices.bin                    offsets, 64-bit; absent if every state has one choice
//! state-is-initial.bin                    bits
//! choice-to-branches.bin                  offsets; absent if every choice has one branch
//! branch-to-target.bin                    64-bit
//! branch-to-probability.bin               doubles, or fractions of two integers of the same size
//! actions/choices/…                       the action of each choice, 32-bit, and the actions' names
//! annotations/rewards/NAME/choices/…      rewards, also of states and of branches
//! valuations/states/…                     the values of variables, packed; what states are called
//! ```
//!
//! Every reward structure is a principal; rewards of a state, of a choice and the expected ones of its branches add up.
//! States are named by the values of their variables, or else by their numbers. Labels are ignored. The arrays are read directly
//! into the model's own.

mod arrays;
mod assembly;
mod index;
mod numbers;
mod reader;
mod slice;
mod tar;
mod unpack;
mod valuations;
mod writer;

pub use reader::{read_umb, umb_overview};
pub use slice::{UmbSlice, UnpackedUmb};
pub use unpack::unpack_umb;
pub use writer::{UmbNumber, write_umb};

const CHOICES: &str = "state-to-choices.bin";
const INITIAL: &str = "state-is-initial.bin";
const BRANCHES: &str = "choice-to-branches.bin";
const TARGETS: &str = "branch-to-target.bin";
const PROBABILITIES: &str = "branch-to-probability.bin";
const ACTIONS: &str = "actions/choices/values.bin";
const STRING_OFFSETS: &str = "actions/choices/string-mapping.bin";
const STRINGS: &str = "actions/choices/strings.bin";
const VALUATIONS: &str = "valuations/states/valuations.bin";
const VALUATION_CLASSES: &str = "valuations/states/valuation-to-class.bin";
const VALUATION_OFFSETS: &str = "valuations/states/string-mapping.bin";
const VALUATION_STRINGS: &str = "valuations/states/strings.bin";
