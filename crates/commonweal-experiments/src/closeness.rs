//! Two discounts that are close: the models that RQ3 and the bench measure, and the charts that both draw. `[RQ3]`

use commonweal::internals::families::RandomFamily;
use commonweal::internals::model::Mdp;
use commonweal::internals::number::{Rational, parse_rational};
use commonweal_charts::{Axis, Chart, Scale, Series};

/// A random model with 30 states, two actions and five successors. Its discounts are 9/10, and 9/10 divided by `ratio`,
/// which is greater than 1.
pub fn model(ratio: &Rational, seed: u64) -> Mdp {
    let patient = parse_rational("9/10").expect("a fraction");
    let impatient = &patient / ratio;
    let family = RandomFamily {
        n_states: 30,
        n_actions: 2,
        n_successors: 5,
        discounts: vec![patient, impatient],
        max_denominator: 100,
        max_reward: 100,
        seed,
    };
    family.model().expect("a valid family")
}

/// A chart over the closeness 1/(λ₀/λ₁ − 1), with logarithmic axes. The first coordinate of the points that are given is
/// λ₀/λ₁ − 1.
pub fn chart(title: &str, caption: &str, y: &str, mut series: Vec<Series>) -> Chart {
    for (spacing, _) in series.iter_mut().flat_map(|series| &mut series.points) {
        *spacing = 1.0 / *spacing;
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    Chart {
        title: title.to_owned(),
        caption: Some(caption.to_owned()),
        x: axis("closeness 1/(λ₀/λ₁ − 1)"),
        y: axis(y),
        series,
        marks: Vec::new(),
    }
}

/// Why closer discounts than some take less time, if they do: about the first of the points beyond the paper's range that takes
/// longer than the next. The points are λ₀/λ₁ − 1, in decreasing order, with the seconds of an exact answer.
pub fn peak(points: &[(f64, f64)]) -> Option<String> {
    let beyond: Vec<(f64, f64)> = points.iter().copied().filter(|(spacing, _)| *spacing < 0.3).collect();
    let (spacing, _) = beyond.windows(2).find(|pair| pair[0].1 > pair[1].1)?[0];
    Some(format!(
        "The peak at a closeness of {:.0} is the price of exact payoffs: over that many layers they become fractions of thousands of \
         digits. Where the horizon is longer they would be too long for anybody to read, and proven bounds take their place.",
        1.0 / spacing
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_explained_where_there_is_one() {
        let times = [(0.32, 9.0), (0.1, 0.002), (1e-2, 0.05), (1e-3, 0.02), (1e-4, 0.03)];
        assert!(peak(&times).unwrap().starts_with("The peak at a closeness of 100 is"));
        assert_eq!(peak(&times[3..]), None);
    }
}
