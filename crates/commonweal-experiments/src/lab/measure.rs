//! One model, solved by our engines and by the baseline: a row of an experiment's table.

use super::Lab;
use super::table::Table;
use crate::claim::Claim;
use crate::error::Error;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::Enclosure;
use commonweal::internals::strategy::Step;
use commonweal::internals::{certified, exact};
use commonweal::{Answer, Options};

/// The gap of the certified engine.
const GAP: f64 = 1e-9;

/// The measurements of every model. The times of the two phases are separate: the long-term strategy, and the rest.
pub const COLUMNS: [&str; 16] = [
    "horizon",
    "layers",
    "jumps",
    "welfare_lower",
    "welfare_upper",
    "engines_agree",
    "exact_long_term_seconds",
    "exact_unravel_seconds",
    "certified_long_term_seconds",
    "certified_unravel_seconds",
    "baseline_welfare",
    "baseline_bound",
    "baseline_layers",
    "baseline_sweeps",
    "baseline_long_term_seconds",
    "baseline_unravel_seconds",
];

pub const EXACT: [&str; 2] = ["exact_long_term_seconds", "exact_unravel_seconds"];
pub const CERTIFIED: [&str; 2] = ["certified_long_term_seconds", "certified_unravel_seconds"];
pub const BASELINE: [&str; 2] = ["baseline_long_term_seconds", "baseline_unravel_seconds"];

/// The fields of a model in doubles, for the certified engine and, up to that horizon, for the baseline. If it is also
/// given in fractions, the exact engine solves it too.
pub fn measure(
    lab: &mut Lab,
    exact: Option<&Mdp>,
    doubles: &Mdp<f64>,
    longest_for_baseline: u64,
) -> Result<Vec<String>, Error> {
    let (options, is_timed) = (Options::default(), lab.is_timed());
    let exact = exact.map(|model| lab.best(|| exact::solve(model, &options)));
    let certified = lab.best(|| certified::solve(doubles, GAP, &options));
    let welfare = |solution: &Answer| solution.welfare_enclosure(doubles.start());
    let agree = match &exact {
        Some((exact, _)) if overlap(welfare(exact), welfare(&certified.0)) => "yes",
        Some(_) => "no",
        None => "",
    };
    let (solution, _) = exact.as_ref().unwrap_or(&certified);
    assert!(!matches!(solution.claim(), commonweal::Claim::Stopped(_)), "nothing stops an experiment");
    let enclosure = welfare(solution);
    let mut fields = vec![
        solution.horizon().to_string(),
        solution.effort().n_layers.to_string(),
        solution.effort().n_jumps.to_string(),
        enclosure.lower().to_string(),
        enclosure.upper().to_string(),
        agree.to_owned(),
    ];
    for solved in [exact.as_ref(), Some(&certified)] {
        let times = solved.map(|(_, times)| [times.long_term, times.unravel]);
        let written = times.map(|times| times.map(|time| lab.seconds(time)));
        fields.extend(written.unwrap_or_default());
    }
    let is_short = *solution.horizon() <= Step::from(longest_for_baseline);
    fields.extend(match (&mut lab.baseline, is_short) {
        (Ok(baseline), true) => {
            let repeat = if is_timed && doubles.n_transitions() < 100_000 { 3 } else { 1 };
            let answer = baseline.solve(doubles, repeat)?;
            let seconds = |time: f64| if is_timed { format!("{time:.7}") } else { String::new() };
            vec![
                answer.welfare.to_string(),
                answer.bound.to_string(),
                answer.layers.to_string(),
                answer.sweeps.to_string(),
                seconds(answer.long_term),
                seconds(answer.unravel),
            ]
        }
        _ => vec![String::new(); 6],
    });
    Ok(fields)
}

fn overlap(a: Enclosure, b: Enclosure) -> bool {
    a.lower() <= b.upper() && b.lower() <= a.upper()
}

/// Whether both of our engines, and the baseline within its own error, found the same welfare for every model.
pub fn checks(id: [&'static str; 2], table: &Table) -> Vec<Claim> {
    let mut claims = Vec::new();
    let compared: Vec<&str> = table.texts("engines_agree").filter(|text| !text.is_empty()).collect();
    if !compared.is_empty() {
        let agreeing = compared.iter().filter(|text| **text == "yes").count();
        claims.push(Claim::check(
            id[0],
            "our two engines",
            "the certified interval meets the exact welfare",
            format!("on {agreeing} of {} models", compared.len()),
            agreeing == compared.len(),
        ));
    }
    let [lower, upper, theirs, bound] =
        ["welfare_lower", "welfare_upper", "baseline_welfare", "baseline_bound"].map(|column| table.numbers(column));
    let (mut n, mut within, mut worst) = (0, 0, 0.0f64);
    for row in 0..table.rows.len() {
        if let (Some(lower), Some(upper), Some(theirs), Some(bound)) = (lower[row], upper[row], theirs[row], bound[row])
        {
            let off = (lower - theirs).max(theirs - upper).max(0.0);
            n += 1;
            within += usize::from(off <= bound);
            worst = worst.max(off / theirs.abs().max(1.0));
        }
    }
    if n > 0 {
        claims.push(Claim::check(
            id[1],
            "ours and the baseline",
            "the same welfare, within the baseline's own error",
            format!("on {within} of {n} models; at most {worst:.0e} apart, relatively"),
            within == n,
        ));
    }
    claims
}

/// Whether our solver or the baseline is faster, as a sentence for a caption: over all models that both solved, by `x`. `None` if
/// there is no such model.
pub fn faster(table: &Table, x: &str, ours: &[&str], theirs: &[&str]) -> Option<String> {
    let own = table.points(x, ours);
    let both = table.points(x, theirs).into_iter().filter_map(|(at, theirs)| {
        let (_, ours) = own.iter().find(|(other, _)| *other == at)?;
        Some((at, *ours, theirs))
    });
    let both: Vec<(f64, f64, f64)> = both.collect();
    let wins: Vec<&(f64, f64, f64)> = both.iter().filter(|(_, ours, theirs)| theirs < ours).collect();
    let (first, last) = match (wins.first(), wins.last()) {
        _ if both.is_empty() => return None,
        (Some(first), Some(last)) => (first, last),
        _ => return Some(format!("Ours is faster than the baseline on all {} models.", both.len())),
    };
    let at = if wins.len() == 1 { format!("at {}", first.0) } else { format!("between {} and {}", first.0, last.0) };
    let factor = last.1 / last.2;
    Some(format!(
        "The baseline is faster on {} of {} models, {at} {x}: at {} by a factor of {factor:.1}.",
        wins.len(),
        both.len(),
        last.0
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use commonweal::StopSignal;

    #[test]
    fn a_caption_says_where_the_baseline_wins() {
        let table = |rows: &[[&str; 3]]| {
            let columns = vec!["principals", "ours", "theirs"];
            let mut table = Table::open(None, "test", "", columns, StopSignal::default()).expect("no archive");
            table.rows = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
            table
        };
        let told = |rows: &[[&str; 3]]| faster(&table(rows), "principals", &["ours"], &["theirs"]);
        let won = [["2", "0.1", "0.4"], ["90", "0.3", "0.2"], ["101", "0.6", "0.3"], ["102", "0.5", ""]];
        assert_eq!(
            told(&won).unwrap(),
            "The baseline is faster on 2 of 3 models, between 90 and 101 principals: at 101 by a factor of 2.0."
        );
        assert_eq!(told(&won[..1]).unwrap(), "Ours is faster than the baseline on all 1 models.");
        assert_eq!(told(&won[3..]), None);
    }
}
