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
    }
}
