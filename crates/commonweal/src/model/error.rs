//! Why a model is not valid.

use super::PreferenceError;
use crate::number::{ModelNumber, Rational};

/// Why arrays are not a model. The place comes first, by name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are what the messages name")]
pub enum ModelError {
    #[error("the model has no states; add at least one")]
    NoStates,
    #[error("the model has no principals; add at least one, with a discount")]
    NoPrincipals,
    #[error("state `{state}` has no action; give it at least one, such as a self-loop")]
    NoChoice { state: String },
    #[error("there are two states called `{state}`; rename one")]
    DuplicateState { state: String },
    #[error("there are two principals called `{principal}`; rename one")]
    DuplicatePrincipal { principal: String },
    #[error("principal `{principal}`: the discount {discount} lies outside [0, 1); it must be at least 0 and below 1")]
    DiscountOutOfRange { principal: String, discount: Rational },
    #[error(
        "principal `{principal}`: its parts cancel, so no step counts; leave the principal out, or give it weight 0"
    )]
    NoParts { principal: String },
    #[error("principal `{principal}`: the first segment begins at step 0, and each begins after the one before")]
    SegmentOrder { principal: String },
    #[error(
        "principal `{principal}`: its time preference of step {from} is still the same at step {last}, where another one changes, and \
         what it counts for by then is a fraction of more than a million bits; let preferences change at nearer steps"
    )]
    SegmentsTooFarApart { principal: String, from: u64, last: u64 },
    #[error("principal `{principal}`: {error}")]
    Preference { principal: String, error: PreferenceError },
    #[error("state `{state}`, action `{action}`: {found} rewards for {expected} principals")]
    WrongRewardCount { state: String, action: String, found: usize, expected: usize },
    #[error(
        "state `{state}`, action `{action}`: the reward of `{principal}` is too large for a double; use a larger unit"
    )]
    RewardOutOfRange { state: String, action: String, principal: String },
    #[error("state `{state}`, action `{action}`: the reward of `{principal}` is NaN; it must be a number")]
    RewardIsNan { state: String, action: String, principal: String },
    #[error("state `{state}`, action `{action}`: the probability of `{target}` is {probability}; it must be positive")]
    NonPositiveProbability { state: String, action: String, target: String, probability: String },
    #[error("state `{state}`, action `{action}`: `{target}` is listed twice; add the two probabilities")]
    DuplicateTarget { state: String, action: String, target: String },
    #[error("state `{state}`, action `{action}`: probabilities sum to {sum}, not 1")]
    ProbabilitySum { state: String, action: String, sum: String },
    #[error("the model has more than {limit} {what}")]
    TooLarge { what: &'static str, limit: usize },
}

impl ModelError {
    /// The error of a principal with an invalid preference.
    pub(crate) fn of_preference(principal: &str, error: PreferenceError) -> ModelError {
        ModelError::Preference { principal: principal.to_owned(), error }
    }

    /// The error of a reward that is NaN or infinite.
    pub(super) fn of_reward<N: ModelNumber>(
        reward: &N,
        state: String,
        action: String,
        principal: String,
    ) -> ModelError {
        if reward.is_nan() {
            ModelError::RewardIsNan { state, action, principal }
        } else {
            ModelError::RewardOutOfRange { state, action, principal }
        }
    }
}
