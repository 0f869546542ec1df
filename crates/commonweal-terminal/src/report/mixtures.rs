//! What approximated preferences do to the bounds.

use super::names::shown;
use commonweal::preferences::Approximation;
use commonweal::structure::{Principal, Structure};

/// The approximated preferences and their errors. If these keep the bounds from the gap that was asked for, `misses` is the factor by
/// which they would have to be smaller, and the lines say what to write. `proven` says what the answer is for the mixtures.
pub fn mixtures(model: &Structure, proven: &str, misses: Option<f64>) -> Vec<String> {
    let line = |principal: &Principal| {
        let Approximation { nodes, relative_error, .. } = principal.approximation()?;
        let error = relative_error.to_f64();
        let name = shown(&principal.name);
        let cure = match misses {
            None => "A smaller `error` tightens them.".to_owned(),
            Some(factor) => match power_of_ten_below(error * factor) {
                small if small < LEAST_ERROR => {
                    format!("The gap would take an `error` of {small:e}, and the least is {LEAST_ERROR:e}.")
                }
                enough => format!("For the gap, write `error: {enough:e}`."),
            },
        };
        Some(format!(
            "{proven} for a mixture of {nodes} discounts that is within {error:.1e} of what `{name}` states, relative to the \
             sum of all weights; the bounds include it. {cure}"
        ))
    };
    model.principals().iter().filter_map(line).collect()
}

/// The least `error` that a file may state.
const LEAST_ERROR: f64 = 1e-12;

fn power_of_ten_below(number: f64) -> f64 {
    // Read from its text: a power of ten computed in doubles may be off, and is then printed with all its digits.
    format!("1e{}", number.log10().floor()).parse().unwrap_or(0.0)
}
