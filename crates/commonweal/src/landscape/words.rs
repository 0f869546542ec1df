//! What a strategy does from the start state on, in words: `a twice, then b for ever`.

use super::Play;
use crate::model::{ChoiceId, Structure};
use crate::strategy::Step;
use crate::text::name_in_column;
use crate::text::numbers;

/// More phases than this are not told one by one.
const TOLD: usize = 4;

/// The play in words. What the words leave out, a few letters at the end tell apart.
pub fn play_in_words(model: &Structure, play: &Play) -> String {
    let mut told: Vec<(String, Step)> = Vec::new();
    for phase in play.phases() {
        let actions = actions(model, &phase.choices);
        match told.last_mut() {
            Some((last, steps)) if *last == actions => *steps += &phase.steps,
            _ => told.push((actions, phase.steps.clone())),
        }
    }
    let mut cycle: Vec<String> = play.cycle().iter().map(|choices| actions(model, choices)).collect();
    cycle.dedup();
    let for_ever = if cycle.len() > TOLD { format!("{}, …", cycle[..TOLD].join(", ")) } else { cycle.join(", ") };
    if told.last().is_some_and(|(last, _)| cycle.len() == 1 && *last == cycle[0]) {
        told.pop();
    }
    let phase = |(actions, count): &(String, Step)| match u64::try_from(count) {
        Ok(1) => format!("{actions} once"),
        Ok(2) => format!("{actions} twice"),
        _ => format!("{actions} {} times", numbers::steps(count)),
    };
    let mut words: Vec<String> = told.iter().take(TOLD).map(phase).collect();
    if told.len() > TOLD {
        words.push("…".to_owned());
    }
    let text = if words.is_empty() {
        format!("{for_ever} for ever")
    } else {
        format!("{}, then {for_ever} for ever", words.join(", "))
    };
    if play.path().is_some() && told.len() <= TOLD { text } else { format!("{text} [{:04x}]", fingerprint(play)) }
}

fn actions(model: &Structure, choices: &[ChoiceId]) -> String {
    const NAMED: usize = 3;
    let mut names: Vec<String> = Vec::new();
    for &choice in choices {
        let name = name_in_column(&model.action_name(choice));
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() > NAMED {
            names[NAMED] = "…".to_owned();
            break;
        }
    }
    names.join("|")
}

/// FNV-1a over the play, folded to 16 bits.
fn fingerprint(play: &Play) -> u16 {
    let phases = play.phases().iter().map(|phase| (&phase.choices, phase.steps.to_le_bytes().to_vec()));
    let cycle = play.cycle().iter().map(|choices| (choices, Vec::new()));
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for (choices, steps) in phases.chain(cycle) {
        let indices = choices.iter().flat_map(|choice| (choice.index() as u32).to_le_bytes());
        for byte in indices.chain([0xff]).chain(steps) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    (hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48)) as u16
}
