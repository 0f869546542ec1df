//! A note where discounts lie so close that the horizon is long. [Asm. 1]

use super::names::shown;
use super::numbers::{decimal, steps};
use commonweal::{Answer, Claim, Rational, Step};

/// Neighbouring discounts with 1/(λ_i/λ_{i+1} − 1) beyond this are worth a note.
const CLOSE: i64 = 100;
/// A horizon beyond this is long.
const LONG: u64 = 100;

/// Says on standard error which neighbouring discounts are close.
pub fn note(solution: &Answer) {
    for pair in solution.principals().windows(2) {
        if pair[1].patience.is_zero() || pair[0].patience == pair[1].patience {
            continue;
        }
        let spacing = Rational::ONE / (&pair[0].patience / &pair[1].patience - Rational::ONE);
        // Close discounts matter where they make the horizon long, or may have.
        let long = matches!(solution.claim(), Claim::Stopped(_)) || *solution.horizon() > Step::from(LONG);
        if spacing > Rational::from(CLOSE) && long {
            let horizon = match solution.claim_for_mixtures() {
                Claim::Optimal | Claim::Undecided(_) => format!(" The horizon is {}.", steps(solution.horizon())),
                Claim::Within { .. } | Claim::Stopped(_) => String::new(),
            };
            let (more, less) = (shown(&pair[0].name), shown(&pair[1].name));
            let spacing = decimal(&spacing);
            super::say(&format!(
                "note: the discounts of {more} and {less} are close, 1/(λ/λ' − 1) = {spacing}.\n      \
                 Deviations may pay for long.{horizon}"
            ));
        }
    }
}
