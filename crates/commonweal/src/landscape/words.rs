//! What a strategy does from the start state on, in words: `a twice, then b for ever`.

use super::play::Difference;
use super::{Label, Play, RegionClass, StrategyMap};
use crate::model::{ChoiceId, Structure};
use crate::strategy::Step;
use crate::text::numbers;
use crate::text::{is_long_name, name_in_column, shown_name, state_in_brief};

/// The most phases that are described one by one.
const TOLD: usize = 4;

/// Stands between actions of which the state decides.
pub const BY_STATE: char = '|';

/// The play in words. If the words are incomplete, a few letters at the end distinguish it from others.
pub fn play_in_words(model: &Structure, play: &Play) -> String {
    let (text, is_whole) = words(model, play);
    if is_whole { text } else { format!("{text} [{:04x}]", fingerprint(play)) }
}

/// The play in words, where something else distinguishes it from others.
pub fn play_in_brief(model: &Structure, play: &Play) -> String {
    words(model, play).0
}

/// The name of a strategy in a list: A to Z, then AA, AB and so on.
pub fn letter(index: usize) -> String {
    let last = char::from(b'A' + (index % 26) as u8);
    if index < 26 { last.to_string() } else { format!("{}{last}", letter(index / 26 - 1)) }
}

/// A line for each of these plays, named by [`letter`]s.
pub fn key(model: &Structure, plays: &[&Play]) -> Vec<String> {
    let named: Vec<(String, &Play)> = plays.iter().enumerate().map(|(at, play)| (letter(at), *play)).collect();
    told_apart(model, &named)
}

/// A line for each of these plays with their names. If the words are incomplete, the line tells the first difference from the
/// earlier play with which it agrees for the longest time. Plays whose lines would be the same are counted.
pub fn told_apart(model: &Structure, plays: &[(String, &Play)]) -> Vec<String> {
    let line = |(at, (_, play)): (usize, &(String, &Play))| {
        let (text, is_whole) = words(model, play);
        if is_whole {
            return text;
        }
        let differences =
            plays[..at].iter().enumerate().filter_map(|(other, (_, before))| Some((play.parts_from(before)?, other)));
        // Of several, the first.
        let longest = differences.max_by(|(a, one), (b, other)| a.step.cmp(&b.step).then(other.cmp(one)));
        match longest {
            Some((difference, other)) if !difference.step.is_zero() => {
                let (step, letter) = (numbers::steps(&difference.step), &plays[other].0);
                let one = shown_name(model.about().step());
                format!("as {letter} before {one} {step}; first differs then: {}", in_place(model, &difference))
            }
            _ => text,
        }
    };
    let lines: Vec<String> = plays.iter().enumerate().map(line).collect();
    let alike = |lines: &[String], line: &String| lines.iter().filter(|other| *other == line).count();
    let counted = |(at, line): (usize, &String)| match alike(&lines, line) {
        1 => line.clone(),
        all => format!("{line} ({} of {all} that begin like this)", alike(&lines[..=at], line)),
    };
    lines.iter().enumerate().map(counted).collect()
}

/// The regions that reports and pictures name, with their names: the largest, in the map's order.
#[derive(Debug, Clone)]
pub struct NamedRegions {
    /// The label of each region, its letter, and its strategy in words.
    pub regions: Vec<(Label, String, String)>,
    /// How many more there are.
    pub others: usize,
}

/// More regions than this are not named.
const NAMED: usize = 26;

/// The names of a map's regions.
pub fn named_regions(model: &Structure, map: &StrategyMap) -> NamedRegions {
    let mut by_share: Vec<Label> = map.order.clone();
    by_share.sort_by(|a, b| map.share(*b).total_cmp(&map.share(*a)).then(a.cmp(b)));
    by_share.truncate(NAMED);
    let labels: Vec<Label> = map.order.iter().copied().filter(|label| by_share.contains(label)).collect();
    let solved: Vec<&Play> = labels.iter().filter_map(|label| Some(&map.plays[(*label)?])).collect();
    let mut words = key(model, &solved).into_iter().enumerate().map(|(at, words)| (letter(at), words));
    let mut entry = |label: Label| match label {
        Some(_) => words.next().map(|(letter, words)| (label, letter, words)).expect("one for each"),
        None => (label, "–".to_owned(), "not solved".to_owned()),
    };
    NamedRegions { others: map.order.len() - labels.len(), regions: labels.into_iter().map(&mut entry).collect() }
}

/// The name and the words of each region of a picture that shows the map in these classes: those of [`named_regions`], but the words
/// refer only to regions that the picture shows. A class of several regions has no name.
pub fn named_classes(model: &Structure, map: &StrategyMap, classes: &[RegionClass]) -> Vec<(String, String)> {
    let named = named_regions(model, map).regions;
    let shown = |class: &RegionClass| match class.labels.as_slice() {
        [label] => named.iter().find(|(other, ..)| other == label),
        _ => None,
    };
    let solved = |class: &RegionClass| {
        let (label, letter, _) = shown(class)?;
        Some((letter.clone(), &map.plays[(*label)?]))
    };
    let mut words = told_apart(model, &classes.iter().filter_map(solved).collect::<Vec<_>>()).into_iter();
    let entry = |class: &RegionClass| match shown(class) {
        Some((Some(_), letter, _)) => (letter.clone(), words.next().expect("one for each")),
        Some((None, letter, words)) => (letter.clone(), words.clone()),
        // Where regions are not separated there may be further ones.
        None => {
            let words = match (class.labels.len(), map.plane.coarse.is_empty()) {
                (0, _) => "other strategies".to_owned(),
                (n, true) => format!("{n} other strategies"),
                (n, false) => format!("{n} or more other strategies"),
            };
            (String::new(), words)
        }
    };
    classes.iter().map(entry).collect()
}

/// `b in s3 in place of a`, for the first states that differ.
fn in_place(model: &Structure, difference: &Difference) -> String {
    const TOLD: usize = 2;
    let name = |choice: ChoiceId| name_in_column(&model.action_name(choice));
    let state = |choice: ChoiceId| {
        let state = model.state_of(choice);
        // A long name says less than this.
        let is_start = state == model.start() && is_long_name(&model.state_name(state));
        if is_start { "the start state".to_owned() } else { state_in_brief(model, state) }
    };
    let pair =
        |&(own, other): &(ChoiceId, ChoiceId)| format!("{} in {} in place of {}", name(own), state(own), name(other));
    let told: Vec<String> = difference.choices.iter().take(TOLD).map(pair).collect();
    let more = match difference.choices.len().saturating_sub(TOLD) {
        0 => String::new(),
        1 => ", and in 1 more state".to_owned(),
        more => format!(", and in {more} more states"),
    };
    told.join(", ") + &more
}

/// The play in words, and whether they are complete.
fn words(model: &Structure, play: &Play) -> (String, bool) {
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
    (text, play.path().is_some() && told.len() <= TOLD)
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
    names.join(&BY_STATE.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_model;
    use crate::model::StateId;
    use crate::strategy::{Change, CountingStrategy};

    /// A lottery leads to one of four states, in each of which `a` is taken until a step and `b` from then on.
    fn plays(steps: &[[u64; 4]]) -> (crate::model::Mdp, Vec<Play>) {
        let drawn =
            ["n", "e", "s", "w"].map(|state| format!("  {state}: {{a: {{to: {state}}}, b: {{to: {state}}}}}\n"));
        let lots = "  lots: {draw: {to: {n: 1/4, e: 1/4, s: 1/4, w: 1/4}}}\n";
        let text = format!("principals: {{p: 1/2}}\nstates:\n{lots}{}", drawn.concat());
        let model = read_model(&text).expect("a model");
        let play = |steps: &[u64; 4]| {
            let choice = |state: usize, at: usize| model.choices(StateId::from(state)).nth(at).expect("a choice");
            let change = |from: u64, choice| Change { from: Step::from(from), choice };
            let mut changes = vec![vec![change(0, choice(0, 0))]];
            let drawn = steps.iter().enumerate();
            changes
                .extend(drawn.map(|(at, &step)| vec![change(0, choice(at + 1, 0)), change(step, choice(at + 1, 1))]));
            Play::of(&model, &CountingStrategy::from_changes(&model, changes), StateId::from(0))
        };
        let plays = steps.iter().map(play).collect();
        (model, plays)
    }

    #[test]
    fn a_key_refers_to_entries_that_are_shown_by_the_names_they_have() {
        let (model, plays) = plays(&[[9, 9, 9, 9], [5, 9, 9, 9], [5, 7, 9, 9]]);
        let named =
            |shown: &[usize]| -> Vec<(String, &Play)> { shown.iter().map(|&at| (letter(at), &plays[at])).collect() };
        let all = told_apart(&model, &named(&[0, 1, 2]));
        assert_eq!(all[1], "as A before step 5; first differs then: b in n in place of a");
        assert_eq!(all[2], "as B before step 7; first differs then: b in e in place of a");
        // Without the second entry the third is described by the first, without the first it keeps its name.
        assert_eq!(
            told_apart(&model, &named(&[0, 2]))[1],
            "as A before step 5; first differs then: b in n in place of a"
        );
        assert_eq!(
            told_apart(&model, &named(&[1, 2]))[1],
            "as B before step 7; first differs then: b in e in place of a"
        );
    }

    #[test]
    fn different_plays_have_different_lines() {
        // At step 5 two of them take `b` in n, e and one more state, each in another one.
        let (model, plays) = plays(&[[9, 9, 9, 9], [5, 5, 5, 9], [5, 5, 9, 5]]);
        let lines = key(&model, &plays.iter().collect::<Vec<_>>());
        let alike =
            "as A before step 5; first differs then: b in n in place of a, b in e in place of a, and in 1 more state";
        assert_eq!(lines[1], format!("{alike} (1 of 2 that begin like this)"));
        assert_eq!(lines[2], format!("{alike} (2 of 2 that begin like this)"));
    }
}
