//! Where labels change along lines, by bisection over whole numbers of units.
//!
//! Between two places with different labels there is a change. Each round halves every such bracket, all of them in one batch,
//! until it is no wider than `within`. A half whose ends agree is assumed to contain no change. If changes accumulate, a bracket
//! no wider than `crowd`, or one of too many, is narrowed to the end of its first label, and other changes inside it are left
//! out: infinitely many changes can accumulate at one point. All brackets are equally narrow at any time, so that the search may
//! end after any round. Cost: log₂ of the width, in labels, for each change.

use super::Label;

/// Part of a line, with the labels at its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bracket {
    /// Which line.
    pub line: usize,
    /// The ends, in units.
    pub ends: [u64; 2],
    /// The labels there.
    pub labels: [Label; 2],
}

/// A change of label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LabelChange {
    /// The last place, in units, that is known to have the label before.
    pub low: u64,
    /// A place after it with another label, within the distance asked for unless the search was ended before.
    pub high: u64,
    /// The label up to `low`.
    pub before: Label,
    /// The label that comes next.
    pub after: Label,
    /// Whether further labels lie between the two that are not listed.
    pub crowded: bool,
}

/// The most parts of a bracket; with more, changes count as crowded however far apart they are.
const MOST_PARTS: usize = 32;

/// For each of the brackets, the changes inside it in increasing order. `labels` returns the labels of any places, given with
/// their lines; a bracket without a label at one of its ends is skipped. Brackets are halved as long as `may_halve` allows it; one whose
/// middle has no label when it ceases to stays as wide as it is.
pub fn changes(
    brackets: &[Bracket],
    crowd: u64,
    within: u64,
    may_halve: impl Fn() -> bool,
    mut labels: impl FnMut(&[(usize, u64)]) -> Vec<Label>,
) -> Vec<Vec<LabelChange>> {
    let mut found: Vec<Vec<LabelChange>> = vec![Vec::new(); brackets.len()];
    // The index of the bracket, the part itself, and the label after it if it is crowded.
    let mut open: Vec<(usize, Bracket, Option<Label>)> =
        brackets.iter().copied().enumerate().map(|(origin, bracket)| (origin, bracket, None)).collect();
    loop {
        let (mut halved, mut middles) = (Vec::new(), Vec::new());
        let within = if may_halve() { within } else { u64::MAX };
        for (origin, bracket, crowd_label) in open.drain(..) {
            let Bracket { line, ends: [low, high], labels: [before, after] } = bracket;
            if before == after {
                continue;
            }
            if high - low <= within || before.is_none() || after.is_none() {
                found[origin].push(whole(&bracket, crowd_label));
                continue;
            }
            halved.push((origin, bracket, crowd_label));
            middles.push((line, low + (high - low) / 2));
        }
        if halved.is_empty() {
            break;
        }
        let found_labels = labels(&middles);
        let is_ended = found_labels.iter().any(Label::is_none) && !may_halve();
        let mut parts: Vec<usize> = found.iter().map(Vec::len).collect();
        halved.iter().for_each(|(origin, ..)| parts[*origin] += 1);
        for (((origin, bracket, crowd_label), (_, middle)), label) in halved.into_iter().zip(middles).zip(found_labels)
        {
            if is_ended && label.is_none() {
                found[origin].push(whole(&bracket, crowd_label));
                continue;
            }
            let Bracket { line, ends: [low, high], labels: [before, after] } = bracket;
            let left = Bracket { line, ends: [low, middle], labels: [before, label] };
            let right = Bracket { line, ends: [middle, high], labels: [label, after] };
            let strange = label != before && label != after;
            if crowd_label.is_some() || (strange && (high - low <= crowd || parts[origin] > MOST_PARTS)) {
                // Narrow to the end of the first label.
                let last = crowd_label.unwrap_or(after);
                let half = if label == before { right } else { left };
                open.push((origin, half, Some(last)));
            } else {
                open.push((origin, left, None));
                open.push((origin, right, None));
            }
        }
    }
    for list in &mut found {
        list.sort_by_key(|change| change.low);
    }
    found
}

/// The change in a bracket that is not narrowed further.
fn whole(bracket: &Bracket, crowd_label: Option<Label>) -> LabelChange {
    let Bracket { ends: [low, high], labels: [before, after], .. } = *bracket;
    LabelChange { low, high, before, after: crowd_label.unwrap_or(after), crowded: crowd_label.is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(labels: impl Fn(u64) -> usize, high: u64, crowd: u64) -> Vec<LabelChange> {
        let bracket = Bracket { line: 0, ends: [0, high], labels: [Some(labels(0)), Some(labels(high))] };
        let of_places = |places: &[(usize, u64)]| places.iter().map(|&(_, place)| Some(labels(place))).collect();
        changes(&[bracket], crowd, 1, || true, of_places).remove(0)
    }

    #[test]
    fn every_change_between_different_labels_is_found_to_the_unit() {
        let steps = [17, 1_000, 1_001, 900_000, 1 << 39];
        let found = over(|place| steps.iter().filter(|&&step| step <= place).count(), 1 << 40, 0);
        let places: Vec<(u64, u64)> = found.iter().map(|change| (change.low + 1, change.high)).collect();
        assert_eq!(places, steps.map(|step| (step, step)));
        assert!(found.iter().enumerate().all(|(at, change)| (change.before, change.after) == (Some(at), Some(at + 1))));
    }

    #[test]
    fn a_search_that_is_ended_knows_every_change_as_well_as_any_other() {
        let label = |place: u64| Some(usize::from(place >= 300) + usize::from(place >= 5_000));
        let of_places = |places: &[(usize, u64)]| places.iter().map(|&(_, place)| label(place)).collect();
        let brackets: Vec<Bracket> = [[0, 4_096], [4_096, 8_192]]
            .into_iter()
            .enumerate()
            .map(|(line, ends)| Bracket { line, ends, labels: ends.map(label) })
            .collect();
        let rounds = std::cell::Cell::new(0);
        let four_rounds = || rounds.replace(rounds.get() + 1) < 4;
        let found: Vec<LabelChange> = changes(&brackets, 0, 1, four_rounds, of_places).concat();
        let ends: Vec<(u64, u64)> = found.iter().map(|change| (change.low, change.high)).collect();
        assert_eq!(ends, [(256, 512), (4_864, 5_120)]);
    }

    #[test]
    fn changes_without_end_are_cut_short_and_said_to_be_a_crowd() {
        // A change at every place: only a few are found, and each of them has different labels on its two sides.
        let found = over(|place| place as usize, 1 << 40, 0);
        assert!(found.len() <= 4 * MOST_PARTS && found.iter().any(|change| change.crowded), "{}", found.len());
        assert!(found.iter().all(|change| change.before == Some(change.low as usize) && change.high == change.low + 1));
    }

    #[test]
    fn a_crowd_is_closed_in_on_where_its_first_label_ends() {
        // A change at 1000 + 2^k for every k: they crowd together at 1000.
        let label = |place: u64| if place <= 1000 { 0 } else { 100 - (place - 1000).ilog2() as usize };
        let found = over(label, 1 << 40, 1 << 20);
        assert_eq!((found[0].low, found[0].high, found[0].before, found[0].crowded), (1000, 1001, Some(0), true));
        assert!(found.len() < 24 && found[1..].iter().all(|change| !change.crowded));
        let sparse = found.iter().skip(1).map(|change| change.high - 1000).collect::<Vec<_>>();
        assert!(sparse.iter().all(|offset| offset.is_power_of_two()), "{sparse:?}");
    }
}
