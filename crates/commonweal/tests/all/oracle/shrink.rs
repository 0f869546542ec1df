//! The smallest model that still fails, found greedily.

use super::plain::{Plain, Q, q};
use num_traits::{One, Zero};

/// Applies the first simplification that still fails, until none does.
pub fn smallest(mut plain: Plain, mut complaint: impl FnMut(&Plain) -> Option<String>) -> (Plain, String) {
    let mut last = complaint(&plain).expect("only a failing model is made smaller");
    'simpler: loop {
        for candidate in simpler(&plain).into_iter().filter(Plain::is_valid) {
            if let Some(text) = complaint(&candidate) {
                (plain, last) = (candidate, text);
                continue 'simpler;
            }
        }
        return (plain, last);
    }
}

/// Models a little simpler than this one, the boldest first. Each is smaller by a measure that cannot fall for ever.
fn simpler(plain: &Plain) -> Vec<Plain> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Plain)| {
        let mut candidate = plain.clone();
        change(&mut candidate);
        if candidate != *plain {
            all.push(candidate);
        }
    };
    for state in 0..plain.states.len() {
        with(&|plain| remove_state(plain, state));
    }
    for principal in 0..plain.principals.len() {
        with(&|plain| {
            plain.principals.remove(principal);
            plain.states.iter_mut().flatten().for_each(|choice| drop(choice.rewards.remove(principal)));
        });
    }
    for (state, choice) in plain.choices() {
        with(&|plain| drop(plain.states[state].remove(choice)));
    }
    for (state, choice) in plain.choices() {
        for keep in 0..plain.states[state][choice].to.len() {
            with(&|plain| {
                let to = &mut plain.states[state][choice].to;
                *to = vec![(to[keep].0, Q::one())];
            });
        }
    }
    for (principal, who) in plain.principals.iter().enumerate() {
        with(&|plain| plain.principals[principal].weight = Q::one());
        let tenths = Q::new((&who.discount * q(10, 1)).round().to_integer(), 10.into());
        if tenths.denom() < who.discount.denom() && tenths < Q::one() {
            with(&|plain| plain.principals[principal].discount = tenths.clone());
        }
    }
    for (state, choice) in plain.choices() {
        for principal in 0..plain.principals.len() {
            let reward = &plain.states[state][choice].rewards[principal];
            let toward_zero = [Q::zero(), Q::one(), -Q::one(), reward.trunc(), (reward / q(2, 1)).trunc()];
            let measure = |x: &Q| (x.denom().bits(), x.numer().magnitude().clone(), *x < Q::zero());
            for value in toward_zero.into_iter().filter(|value| measure(value) < measure(reward)) {
                with(&|plain| plain.states[state][choice].rewards[principal] = value.clone());
            }
        }
    }
    all
}

/// What led to the state stays where it was instead.
fn remove_state(plain: &mut Plain, gone: usize) {
    plain.states.remove(gone);
    plain.names.remove(gone);
    for (state, choices) in plain.states.iter_mut().enumerate() {
        for choice in choices {
            let mut to: Vec<(usize, Q)> = Vec::new();
            for (target, p) in choice.to.drain(..) {
                let target = if target == gone { state } else { target - usize::from(target > gone) };
                match to.iter_mut().find(|(seen, _)| *seen == target) {
                    Some((_, sum)) => *sum += p,
                    None => to.push((target, p)),
                }
            }
            choice.to = to;
        }
    }
}
