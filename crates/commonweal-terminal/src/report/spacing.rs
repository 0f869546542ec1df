//! A note where discounts lie so close that the horizon is long. [Asm. 1]

use super::numbers::{counted, decimal, steps};
use commonweal::text::name_in_column;
use commonweal::{Answer, Claim, Rational, Step};

/// Neighbouring discounts with 1/(λ_i/λ_{i+1} − 1) beyond this are worth a note.
const CLOSE: i64 = 100;
/// A horizon beyond this is long.
const LONG: u64 = 100;

/// Says on standard error which neighbouring discounts are close: the closest two, and how many more pairs are.
pub fn note(solution: &Answer) {
    // Close discounts matter where they make the horizon long, or may have.
    let long = matches!(solution.claim(), Claim::Stopped(_)) || *solution.horizon() > Step::from(LONG);
    if !long {
        return;
    }
    let close = solution.principals().windows(2).filter(|pair| !pair[1].patience.is_zero()).filter_map(|pair| {
        let apart = &pair[0].patience / &pair[1].patience - Rational::ONE;
        let spacing = (!apart.is_zero()).then(|| Rational::ONE / apart)?;
        (spacing > Rational::from(CLOSE)).then_some((spacing, pair))
    });
    let mut close: Vec<_> = close.collect();
    close.sort_by(|one, other| other.0.cmp(&one.0));
    let Some((spacing, pair)) = close.first() else { return };
    let horizon = match solution.claim_for_mixtures() {
        Claim::Optimal | Claim::Undecided(_) => format!(" The horizon is {}.", steps(solution.horizon())),
        Claim::Within { .. } | Claim::Stopped(_) => String::new(),
    };
    let (more, less) = (name_in_column(&pair[0].name), name_in_column(&pair[1].name));
    let others = match close.len() - 1 {
        0 => String::new(),
        n => format!(" {} close as well.", counted(&n.into(), "other pair is", "other pairs are")),
    };
    super::say(&format!(
        "note: the discounts of {more} and {less} are close, 1/(λ/λ' − 1) = {}.{others} Deviations may pay for long.{horizon}",
        decimal(spacing)
    ));
}
