//! How the best strategy depends on the discounts: along a line, where one discount varies, and over a plane of two.
//!
//! At every point the model is solved exactly. Strategies are compared by their [`Play`] from the start state, so that decisions
//! in unreachable states or steps make no difference. Between two discounts with different plays, bisection over fractions
//! locates the change; each change states its precision. [`sweep`] varies one discount along a [`Grid`], [`strategy_map`] two.

mod grid;
mod line;
mod map;
mod plane;
mod play;
mod shares;
mod survey;
mod sweep;
mod words;

pub use grid::{Grid, NotVaried, Quantity, Shard, varied};
pub use line::LabelChange;
pub use map::{DEPTH, MapChange, MapPoint, MapShard, RegionClass, StrategyMap, map_shard, strategy_map};
pub use plane::{Plane, Spot};
pub use play::{Phase, Play};
pub use shares::{MapShares, ShareRange};
pub use survey::{Label, PlayId};
pub use sweep::{Earned, Sweep, SweepChange, SweepPoint, sweep};
pub use words::{
    BY_STATE, NamedRegions, key, letter, named_classes, named_regions, play_in_brief, play_in_words, told_apart,
};
