//! A note where discounts lie so close that the horizon is long. [Asm. 1]

use super::numbers::{double, steps};
use commonweal::Solution;
use commonweal::number::Rational;

/// Neighbouring discounts with 1/(λ_i/λ_{i+1} − 1) beyond this are worth a note.
const CLOSE: i64 = 100;

/// Says on standard error which neighbouring discounts are close.
pub fn note(solution: &Solution) {
    for pair in solution.principals().windows(2) {
        if pair[1].discount.is_zero() {
            continue;
        }
        let spacing = Rational::ONE / (&pair[0].discount / &pair[1].discount - Rational::ONE);
        if spacing > Rational::from(CLOSE) {
            eprintln!(
                "note: the discounts of {} and {} are close, 1/(λ/λ' − 1) = {}: deviations may pay for long (horizon {})",
                pair[0].name,
                pair[1].name,
                double(spacing.to_f64().value()),
                steps(solution.horizon()),
            );
        }
    }
}
