//! A number that tells one question from another: a checkpoint is of use for the same one only.

use crate::args::SolveArgs;
use crate::checkpoint::mixed;
use commonweal::internals::model::{ChoiceId, OwnStates, StateId};

/// This rank's part of the number. The sum of all parts does not depend on where the model is cut.
pub fn of(own: &OwnStates, args: &SolveArgs) -> u64 {
    let n_own = own.range.end - own.range.start;
    let model = &own.model;
    let position = |target: StateId| match target.index() as u64 {
        target if target < n_own => own.range.start + target,
        ghost => own.ghosts[(ghost - n_own) as usize],
    };
    let of_choice = |hash: u64, choice: ChoiceId| {
        let numbers = model.probabilities(choice).iter().chain(model.rewards(choice)).map(|number| number.to_bits());
        let targets = model.targets(choice).iter().map(|&target| position(target));
        targets.chain(numbers).fold(mixed(hash), |hash, word| mixed(hash ^ word))
    };
    let of_state = |state: StateId| model.choices(state).fold(own.range.start + state.index() as u64, of_choice);
    let rows = model.states().map(of_state).fold(0, u64::wrapping_add);
    if own.range.start > 0 || n_own == 0 {
        return rows;
    }
    // What is asked of the whole model is counted once.
    let limits = [args.layer_limit, args.event_limit, args.most_together];
    let asked = format!("{:?} {:?} {limits:?}", model.principals(), args.gap());
    rows.wrapping_add(asked.bytes().fold(0, |hash, byte| mixed(hash ^ u64::from(byte))))
}
