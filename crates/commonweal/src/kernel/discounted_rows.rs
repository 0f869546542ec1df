//! λ P in doubles, for expectations of enclosures.

use crate::model::{ChoiceId, Mdp, StateId, Structure};
use crate::number::{LEAST_WEIGHT, Rational, Scaled};
use std::collections::HashMap;
use std::sync::Arc;

/// λ P(t|s,a), each the nearest double. 8 bytes per transition.
#[derive(Debug)]
pub(crate) struct DiscountedRows {
    structure: Arc<Structure>,
    weights: Vec<f64>,
    /// Rows with a weight near underflow, where a double is imprecise: enclosures instead.
    tiny: HashMap<ChoiceId, Vec<Scaled>>,
}

impl DiscountedRows {
    pub(crate) fn of(model: &Mdp, discount: &Rational) -> DiscountedRows {
        let weights = Vec::with_capacity(model.n_transitions());
        let structure = model.shared_structure();
        let mut rows = DiscountedRows { structure, weights, tiny: HashMap::new() };
        for choice in (0..model.n_choices()).map(ChoiceId::from) {
            let exact = || model.probabilities(choice).iter().map(|probability| probability * discount);
            rows.weights.extend(exact().map(|weight| weight.to_f64()));
            let is_tiny = |&weight: &f64| weight < LEAST_WEIGHT && !discount.is_zero();
            if rows.of_choice(choice).iter().any(is_tiny) {
                rows.tiny.insert(choice, exact().map(|weight| Scaled::from(&weight)).collect());
            }
        }
        rows
    }

    /// Whether plain doubles are precise for every row.
    pub(crate) fn are_ordinary(&self) -> bool {
        self.tiny.is_empty()
    }

    /// λ P(·|s,a), beside the choice's targets.
    pub(crate) fn of_choice(&self, choice: ChoiceId) -> &[f64] {
        &self.weights[self.structure.transition_range(choice)]
    }

    /// `λ Σ_t P(t|s,a) of(t)`.
    pub(crate) fn expectation(&self, model: &Mdp, choice: ChoiceId, of: impl Fn(StateId) -> Scaled + Clone) -> Scaled {
        if let Some(weights) = self.tiny.get(&choice) {
            let terms = weights.iter().zip(model.targets(choice)).map(|(weight, &target)| weight.times(of(target)));
            return terms.fold(Scaled::ZERO, Scaled::plus);
        }
        Scaled::dot(self.of_choice(choice), model.targets(choice).iter().map(|&target| of(target)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_model;
    use crate::number::parse_rational;
    use std::cmp::Ordering;

    /// Down to where doubles are subnormal, and below them.
    #[test]
    fn expectations_under_the_least_probabilities_are_those_of_fractions() {
        for least in ["2e-149", "1e-150", "9e-151", "3e-290", "7e-310", "5e-324", "1e-330", "1e-700"] {
            for discount in ["1", "0.9", "1e-12", "1e-200"] {
                let rest = Rational::ONE - parse_rational(least).expect("a number");
                let text = format!(
                    "principals: {{p: 0}}\nstates: {{s: {{a: {{reward: 0, to: {{s: {rest}, u: {least}}}}}}}, \
                                    u: {{a: {{reward: 0, to: u}}}}}}\n"
                );
                let model = read_model(&text).expect("a model");
                let rows = DiscountedRows::of(&model, &parse_rational(discount).expect("a number"));
                for (often, seldom) in
                    [("0", "1"), ("0", "3e200"), ("1e-300", "-3e-20"), ("7e-90", "1e90"), ("0", "1e-320")]
                {
                    let gains = [often, seldom].map(|gain| parse_rational(gain).expect("a number"));
                    let discount = parse_rational(discount).expect("a number");
                    let exact = discount * (&rest * &gains[0] + parse_rational(least).expect("a number") * &gains[1]);
                    let said = rows.expectation(&model, 0.into(), |target| Scaled::from(&gains[target.index()]));
                    let what = format!("{least} {often} {seldom}: {said:?}, {}", exact.to_f64());
                    // The enclosure contains the number, and is narrow enough to determine its sign and size.
                    assert!(matches!(said.compare(&Scaled::from(&exact)), None | Some(Ordering::Equal)), "{what}");
                    assert!(said.is_tight(1e-9), "{what}");
                    assert_eq!(said.sign(), Some(exact.cmp(&Rational::ZERO)), "{what}");
                }
            }
        }
    }
}
